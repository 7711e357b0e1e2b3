/* SPDX-License-Identifier: MIT */
#include "config.h"
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "answers.h"
#include "filters.h"
#include "kept_inputs.h"
#include "perfdata/registry.h"

#define NS_PER_S 1000000000ull

/* --- time -------------------------------------------------------------------------------------------------------- */

struct time_range {
	bool percent;
	uint64_t first, last;       /* ns; last is 0 without an end */
	double from, to;            /* fractions of the recording */
	bool open_end;              /* the end is excluded, since the next slice begins with it */
};

/* Parses "12.5" seconds, with at most nine decimals, into ns; moves *at past the number. */
static bool take_seconds(const char **at, uint64_t *ret)
{
	char *end;
	if (!isdigit((unsigned char)**at))
		return false;
	errno = 0;
	const unsigned long long seconds = strtoull(*at, &end, 10);
	if (errno || seconds > UINT64_MAX / NS_PER_S - 1)
		return false;
	uint64_t ns = 0, unit = NS_PER_S / 10;
	if (*end == '.')
		for (end++; isdigit((unsigned char)*end); end++, unit /= 10)
			ns += unit * (uint64_t)(*end - '0');
	*ret = seconds * NS_PER_S + ns;
	*at = end;
	return true;
}

static bool take_percent(const char **at, double *ret)
{
	char *end;
	if (!isdigit((unsigned char)**at))
		return false;
	*ret = strtod(*at, &end) / 100;
	if (*end != '%' || *ret > 1)
		return false;
	*at = end + 1;
	return true;
}

/* Parses "10%-20%", "10%" (the first tenth) or "10%/2" (the second tenth). */
static bool parse_percent_range(const char *text, struct time_range *ret)
{
	const char *at = text;
	ret->percent = true;
	if (!take_percent(&at, &ret->from))
		return false;
	if (*at == '-') {
		at++;
		return take_percent(&at, &ret->to) && !*at && ret->from <= ret->to;
	}
	unsigned long slice = 1;
	if (*at == '/') {
		char *end;
		if (!isdigit((unsigned char)*++at))
			return false;
		slice = strtoul(at, &end, 10);
		at = end;
	}
	const double width = ret->from;
	if (*at || slice == 0 || width <= 0 || (double)(slice - 1) * width >= 1)
		return false;
	ret->from = (double)(slice - 1) * width;
	ret->to = fmin((double)slice * width, 1);
	ret->open_end = ret->to < 1;
	return true;
}

/* Parses "A,B", "A," or ",B"; a lone "A" is the time A only. */
static bool parse_second_range(const char *text, struct time_range *ret)
{
	const char *at = text;
	if (*at != ',' && !take_seconds(&at, &ret->first))
		return false;
	if (!*at)
		return (ret->last = ret->first) != 0;
	if (*at++ != ',' || !text[1])
		return false;
	if (*at && (!take_seconds(&at, &ret->last) || ret->last < ret->first || !ret->last))
		return false;
	return !*at;
}

static bool parse_time(const char *text, struct time_range *ret)
{
	*ret = (struct time_range){ 0 };
	return strchr(text, '%') ? parse_percent_range(text, ret) : parse_second_range(text, ret);
}

bool filters_time_is_valid(const char *text)
{
	struct time_range range;
	return parse_time(text, &range);
}

bool filters_check(const struct options *options)
{
	struct time_range range = { 0 };
	if (options->time && !parse_time(options->time, &range)) {
		usage_error(
			&options->style,
			"--time takes seconds (12.5,13.25  12.5,  ,13.25) or percentages (10%%-20%%  10%%/2), not '%s'",
			options->time);
		return false;
	}
	for (size_t i = 0; range.percent && i < options->files.nr; i++) {
		if (input_is_stream(options->files.values[i])) {
			usage_error(&options->style, "--time in percent needs a file: %s has no known end",
				    strcmp(options->files.values[i], "-") ? options->files.values[i] : "stdin");
			return false;
		}
	}
	if (options->symbol_names.nr && options->symbols && !strcmp(options->symbols, "no")) {
		usage_error(&options->style, "--symbol needs names: leave out --symbols no");
		return false;
	}
	return true;
}

/* Finds the first and last time of the samples: from the section SAMPLE_TIME, else by reading the recording. */
static bool time_span(const struct options *options, struct input *input, uint64_t *ret_first, uint64_t *ret_last)
{
	const struct perfdata_feature_section *section = perfdata_reader_feature(input->reader,
										 PERFDATA_FEATURE_SAMPLE_TIME);
	const struct perfdata_node *root = section && section->feature ? perfdata_feature_root(section->feature) : NULL;
	const struct perfdata_node *first = perfdata_node_get(root, "first");
	const struct perfdata_node *last = perfdata_node_get(root, "last");
	if (first && last && first->v.u < last->v.u) {
		*ret_first = first->v.u;
		*ret_last = last->v.u;
		return true;
	}
	struct options quiet = *options;
	quiet.style.quiet = true;
	struct input again;
	bool found = false;
	if (input_open(&again, &quiet, input->file, PERFDATA_ORDER_FILE, INPUT_HOLD)) {
		const struct perfdata_session_options walk = { .size = sizeof walk };
		struct perfdata_session *session = input_walk(&again, &walk, NULL, NULL);
		const struct perfdata_summary *summary = session ? perfdata_session_summary(session) : NULL;
		found = summary && summary->first_time != UINT64_MAX;
		if (found) {
			*ret_first = summary->first_time;
			*ret_last = summary->last_time;
		}
		perfdata_session_close(session);
	}
	/* drops the findings of this pass: the conversion finds and reports them again */
	perfdata_text_clear(&again.messages.held);
	perfdata_reader_close(again.reader);
	messages_release(&again.messages);
	return found;
}

/* Returns total * fraction, for a fraction from 0 to 1. A damaged time can be UINT64_MAX, which rounds to 2^64. */
static uint64_t part_of(uint64_t total, double fraction)
{
	const double part = round(fraction * (double)total);
	return part < 0x1p64 ? (uint64_t)part : UINT64_MAX;
}

static bool make_time(const struct options *options, struct input *input, struct perfdata_filter *filter)
{
	struct time_range range;
	if (!options->time || !parse_time(options->time, &range))
		return true;
	if (range.percent) {
		uint64_t first, last;
		if (!time_span(options, input, &first, &last)) {
			if (options->samples_only)
				return true;   /* perf takes both as 0, which means no limits */
			messages_error(&input->messages, input->file, PERFDATA_NO_OFFSET,
				       "--time in percent: no sample has a time");
			return false;
		}
		range.first = first + part_of(last - first, range.from);
		range.last = first + part_of(last - first, range.to) - (range.open_end ? 1 : 0);
	}
	filter->time_first = range.first;
	filter->time_last = range.last;
	return true;
}

/* --- events ------------------------------------------------------------------------------------------------------- */

/* Whether `wanted` is the event's name, with or without modifiers: "cycles" is also "cycles:u". */
static bool event_is(const char *name, const char *wanted)
{
	const size_t size = strlen(wanted);
	const char *modifiers = strrchr(name, ':');
	return !strcmp(name, wanted) || (modifiers && modifiers == name + size && !memcmp(name, wanted, size));
}

/* Replaces the names in options by names in the recording. A pipe's events are not known yet, so their names are not
 * checked. False after a message. */
static bool make_events(const struct options *options, struct input *input, const char **ret, size_t *ret_nr,
			size_t room)
{
	const size_t nr_events = perfdata_reader_nr_events(input->reader);
	const bool pipe = perfdata_reader_header(input->reader)->container == PERFDATA_CONTAINER_PIPE;
	*ret_nr = 0;
	for (size_t i = 0; i < options->events.nr; i++) {
		const char *wanted = options->events.values[i];
		struct perfdata_nearest nearest = { .wanted = wanted };
		bool found = false;
		for (size_t e = 0; e < nr_events && *ret_nr < room; e++) {
			const struct perfdata_event *event = perfdata_reader_event(input->reader, e);
			perfdata_nearest_offer(&nearest, event->name);
			if (!event_is(event->name, wanted))
				continue;
			found = true;
			ret[(*ret_nr)++] = event->name;
		}
		if (!found && pipe && *ret_nr < room) {
			ret[(*ret_nr)++] = wanted;
		} else if (!found) {
			char hint[PERFDATA_NEAREST_SIZE];
			messages_error(&input->messages, input->file, PERFDATA_NO_OFFSET,
				       "--event: no event is called '%s'%s", wanted,
				       perfdata_nearest_hint(&nearest, "", hint));
			return false;
		}
	}
	return true;
}

/* --- lists -------------------------------------------------------------------------------------------------------- */

static void *own_array(struct filters *filters, size_t count, size_t size)
{
	void *array = calloc(count ? count : 1, size);
	filters->owned[filters->nr_owned++] = array;
	return array;
}

static int compare_u32(const void *a, const void *b)
{
	const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	return (x > y) - (x < y);
}

/* Returns sorted 32-bit words, as the filter expects for signed and unsigned numbers. */
static uint32_t *make_numbers(struct filters *filters, const struct number_list *list)
{
	uint32_t *numbers = own_array(filters, list->nr, sizeof *numbers);
	for (size_t i = 0; numbers && i < list->nr; i++)
		numbers[i] = (uint32_t)list->values[i];
	if (numbers)
		qsort(numbers, list->nr, sizeof *numbers, compare_u32);
	return numbers;
}

bool filters_make(const struct options *options, struct input *input, struct filters *ret)
{
	*ret = (struct filters){ 0 };
	struct perfdata_filter *filter = &ret->filter;
	uint32_t *pids = make_numbers(ret, &options->pids), *tids = make_numbers(ret, &options->tids);
	uint32_t *cpus = make_numbers(ret, &options->cpus), *types = make_numbers(ret, &options->types);
	const size_t room = options->events.nr +
			    perfdata_reader_nr_events(input->reader) * (options->events.nr ? options->events.nr : 1);
	const char **events = own_array(ret, room, sizeof *events);
	if (!pids || !tids || !cpus || !types || !events) {
		input_ended(input, PERFDATA_ENOMEM, NULL);
		return false;
	}
	*filter = (struct perfdata_filter){
		.size = sizeof *filter,
		.pids = (const int32_t *)pids, .nr_pids = options->pids.nr,
		.tids = (const int32_t *)tids, .nr_tids = options->tids.nr,
		.cpus = cpus, .nr_cpus = options->cpus.nr,
		.types = types, .nr_types = options->types.nr,
		.comms = options->comms.values, .nr_comms = options->comms.nr,
		.dsos = options->dsos.values, .nr_dsos = options->dsos.nr,
		.symbols = options->symbol_names.values, .nr_symbols = options->symbol_names.nr,
		.events = events,
		.samples_only = options->samples_only,
	};
	if (!make_events(options, input, events, &filter->nr_events, room) || !make_time(options, input, filter)) {
		input->code = exit_code_join(input->code, EXIT_USAGE);
		return false;
	}
	return true;
}

void filters_release(struct filters *filters)
{
	for (unsigned i = 0; i < filters->nr_owned; i++)
		free(filters->owned[i]);
}

enum perfdata_status filters_opened(void *filtered_input, struct perfdata_reader *reader,
				    struct perfdata_filter *filter, struct perfdata_error *reterr)
{
	struct filtered_input *from = filtered_input;
	(void)reterr;
	from->input.reader = reader;
	from->refused = !filters_make(from->options, &from->input, &from->filters);
	*filter = from->filters.filter;
	return from->refused ? PERFDATA_EUSAGE : PERFDATA_OK;
}

/* Appends the filters as the user wrote them. */
static void spell_filters(const struct options *options, struct perfdata_text *out)
{
	for (size_t i = 0; i < options->nr_given; i++) {
		const struct given_option *given = &options->given[i];
		const struct general_option *row = general_option_at(given->row);
		if (!(row->groups & OPTIONS_FILTER))
			continue;
		perfdata_text_printf(out, "%s--%s ", out->size ? " " : "", row->option.name);
		perfdata_text_printable(out, given->text, strlen(given->text));
	}
}

/* Whether a format, or the command if it is NULL, shows nothing of counters. */
static bool shows_samples_only(const struct perfdata_emitter *emitter)
{
	return !emitter || !(emitter->needs & PERFDATA_NEED_RECORDS || !strcmp(emitter->name, "script"));
}

/* What to say where names with a comma matched nothing: lists work for numbers, but a name may have a comma. */
static const char *comm_advice(const struct options *options)
{
	for (size_t i = 0; i < options->comms.nr; i++)
		if (strchr(options->comms.values[i], ','))
			return "; for several names give --comm several times";
	return "";
}

void filters_note(const struct options *options, struct messages *messages, const char *file,
		  const struct perfdata_summary *summary, const uint64_t *rows)
{
	struct perfdata_text text;
	uint64_t samples = 0;
	for (size_t i = 0; summary && i < summary->nr_events; i++)
		samples += perfdata_summary_event(summary, i)->samples;
	/* other records may have neither time nor comm, and then pass the filter; --type may be about them */
	const bool of_samples = samples && !options->types.nr;
	if (!summary || !summary->records)
		return;
	const bool none = of_samples ? !summary->samples_out : !summary->records_out;
	const uint64_t readings = samples ? 0 : answer_readings(summary);
	if (readings && shows_samples_only(options->emitter)) {
		messages_note(messages, file,
			      "no samples, but %" PRIu64 " reading%s of counters (perf stat record): `perfdata info "
			      "FILE` shows them", readings, readings == 1 ? "" : "s");
		return;
	}
	/* a recording begins with COMM and MMAP records */
	if (options->limit && !samples && !options->types.nr && options->emitter &&
	    !(options->emitter->needs & PERFDATA_NEED_RECORDS)) {
		bool lists = false;
		const struct perfdata_emitter_option *own;
		for (size_t i = 0; (own = perfdata_emitter_option_at(options->emitter, i)); i++)
			lists |= !strcmp(own->name, "top");
		messages_note(messages, file,
			      "--limit %" PRIu64 " counts records: reading ended before the first sample%s",
			      options->limit, lists ? "; --top N lists N rows" : "");
		return;
	}
	if (!none && (!rows || *rows || !options->types.nr))
		return;
	perfdata_text_init(&text);
	spell_filters(options, &text);
	if (text.size && !perfdata_text_failed(&text) && !none)
		messages_note(messages, file, "no row of the table passes %.*s", (int)text.size, text.data);
	else if (text.size && !perfdata_text_failed(&text))
		messages_note(messages, file, "none of the %" PRIu64 " %s passes %.*s%s",
			      of_samples ? samples : summary->records, of_samples ? "samples" : "records",
			      (int)text.size, text.data, comm_advice(options));
	perfdata_text_release(&text);
}
