/* SPDX-License-Identifier: MIT */
/* perfdata rewrite, repair and anonymize: make a recording from one or several recordings. */
#include "config.h"
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "commands.h"
#include "filters.h"
#include "found_build_ids.h"
#include "interrupt.h"
#include "kept_inputs.h"
#include "perfdata/registry.h"
#include "output_rights.h"
#include "perfdata/emit.h"
#include "symbol_options.h"

/* The state of a command. */
struct rewrite {
	const struct options *options;
	const char *file;
	bool repair;
	struct perfdata_anonymize_options *anonymize;   /* or NULL */
	struct pairs *pairs;                 /* file of --mapping for pseudonyms, or NULL */
	struct perfdata_output *output;
	struct perfdata_rewriter *rewriter;
	struct messages messages;            /* for messages about the output */
	struct perfdata_rewrite_rename *renames;
	size_t nr_renames;
	struct found_build_ids found;
};

static enum perfdata_status write_out(void *user, const void *bytes, size_t size)
{
	return perfdata_output_write(user, bytes, size);
}

/* Whether writing the output failed: then closing the output returns the reason. */
static bool output_failed(const struct rewrite *rewrite, enum perfdata_status status)
{
	return status == PERFDATA_EWRITE && perfdata_output_flush(rewrite->output) != PERFDATA_OK;
}

static void print_note(void *user, const char *text)
{
	struct rewrite *rewrite = user;
	messages_note(&rewrite->messages, rewrite->file, "%s", text);
}

/* --- options ----------------------------------------------------------------------------------------------------- */

static enum exit_code no_memory(const struct options *options)
{
	usage_error(&options->style, "%s", perfdata_status_text(PERFDATA_ENOMEM));
	return exit_code_of_status(PERFDATA_ENOMEM);
}

/* Parses "OLD=NEW", split at the last equals sign, since OLD may be "cpu/event=0x3c/". */
static enum exit_code parse_renames(struct rewrite *rewrite)
{
	const struct text_list *list = &rewrite->options->renames;

	rewrite->renames = calloc(list->nr + 1, sizeof *rewrite->renames);
	for (size_t i = 0; rewrite->renames && i < list->nr; i++) {
		char *text = strdup(list->values[i]), *equals = text ? strrchr(text, '=') : NULL;
		if (!text)
			return no_memory(rewrite->options);
		if (!equals || equals == text || !equals[1]) {
			usage_error(&rewrite->options->style, "--rename takes OLD=NEW, not '%s'", list->values[i]);
			free(text);
			return EXIT_USAGE;
		}
		*equals = '\0';
		rewrite->renames[rewrite->nr_renames++] = (struct perfdata_rewrite_rename){ text, equals + 1 };
	}
	return rewrite->renames ? EXIT_FINE : no_memory(rewrite->options);
}

static enum perfdata_rewrite_form form_of(const struct options *options)
{
	if (options->form)
		return strcmp(options->form, "stream") ? PERFDATA_REWRITE_TO_FILE : PERFDATA_REWRITE_TO_STREAM;
	return PERFDATA_REWRITE_AS_INPUT;
}

static enum perfdata_rewrite_order order_of(const struct options *options)
{
	if (!options->byte_order)
		return PERFDATA_REWRITE_SAME_ORDER;
	return strcmp(options->byte_order, "big") ? PERFDATA_REWRITE_LITTLE_ENDIAN : PERFDATA_REWRITE_BIG_ENDIAN;
}

static enum perfdata_rewrite_packing packing_of(const struct options *options)
{
	if (!options->compress)
		return PERFDATA_REWRITE_SAME_PACKING;
	return strcmp(options->compress, "zstd") ? PERFDATA_REWRITE_UNPACKED : PERFDATA_REWRITE_COMPRESSED;
}

static bool has_filters(const struct options *options)
{
	return options->limit || options->time || options->pids.nr || options->tids.nr || options->cpus.nr ||
	       options->types.nr || options->comms.nr || options->events.nr || options->dsos.nr ||
	       options->symbol_names.nr;
}

/* --- passes ------------------------------------------------------------------------------------------------------ */

/* Opens the input for a pass before the copy, without messages: the copy reports the same findings. */
static bool open_quietly(struct rewrite *rewrite, struct input *input)
{
	struct options quiet = *rewrite->options;

	quiet.style.quiet = true;
	input_rewind(rewrite->file);
	return input_open(input, &quiet, rewrite->file, PERFDATA_ORDER_TIME, INPUT_HOLD);
}

/* Reduces a list of record types to samples: other records are kept or dropped by time. */
static void only_samples(struct perfdata_filter *filter, uint32_t *ret_types)
{
	bool any = filter->nr_types == 0;

	for (size_t i = 0; i < filter->nr_types; i++)
		any |= filter->types[i] == PERFDATA_RECORD_SAMPLE;
	ret_types[0] = any ? (uint32_t)PERFDATA_RECORD_SAMPLE : UINT32_MAX;
	filter->types = ret_types;
	filter->nr_types = 1;
}

/* Other records are chosen by the rewriter, so the session does not count those that pass. */
static bool has_samples(const struct perfdata_summary *summary)
{
	for (size_t i = 0; i < summary->nr_events; i++)
		if (perfdata_summary_event(summary, i)->samples)
			return true;
	return false;
}

static void choose_in(struct rewrite *rewrite, struct input *input, uint64_t *ret_first)
{
	struct perfdata_session *session = NULL;
	struct perfdata_symbols *symbols = NULL;
	struct perfdata_error error = { .offset = PERFDATA_NO_OFFSET };
	struct filters filters;
	uint32_t types[1];

	if (!filters_make(rewrite->options, input, &filters)) {
		filters_release(&filters);
		return;
	}
	*ret_first = filters.filter.time_first;
	only_samples(&filters.filter, types);
	enum perfdata_status status = rewrite->options->symbol_names.nr
					      ? symbols_for(rewrite->options, &input->messages, &symbols)
					      : PERFDATA_OK;
	const bool needs_state = filters.filter.nr_comms || filters.filter.nr_dsos || filters.filter.nr_symbols;
	const struct perfdata_session_options options = {
		.size = sizeof options,
		.needs = PERFDATA_NEED_RECORDS | (needs_state ? PERFDATA_NEED_THREADS | PERFDATA_NEED_FRAMES : 0),
		.filter = &filters.filter,
		.limit = rewrite->options->limit,
		.symbols = symbols,
		.no_host = !symbols,
	};
	if (status == PERFDATA_OK)
		status = perfdata_session_open(input->reader, &options, &session, &error);
	if (status == PERFDATA_OK) {
		status = perfdata_rewriter_choose(rewrite->rewriter, session, filters.filter.time_first,
						  filters.filter.time_last);
		if (status != PERFDATA_OK)
			error = *perfdata_rewriter_error(rewrite->rewriter);
	}
	if (status != PERFDATA_OK)
		input_ended(input, status, &error);
	else if (has_samples(perfdata_session_summary(session)))
		filters_note(rewrite->options, &rewrite->messages, input->file,
			     perfdata_session_summary(session), NULL);
	perfdata_session_close(session);
	perfdata_symbols_free(symbols);
	filters_release(&filters);
}

static enum exit_code choose_records(struct rewrite *rewrite)
{
	struct input input;
	uint64_t first = 0;

	if (open_quietly(rewrite, &input))
		choose_in(rewrite, &input, &first);
	const enum exit_code code = input_close_quietly(&input);
	if (code != EXIT_FINE || !first || rewrite->options->files.nr > 1)
		return code;   /* a merge reads in the order of time, and needs no look back */
	if (open_quietly(rewrite, &input)) {
		const enum perfdata_status status = perfdata_rewriter_look_back(rewrite->rewriter, input.reader);
		if (status != PERFDATA_OK)
			input_ended(&input, status, perfdata_rewriter_error(rewrite->rewriter));
	}
	return input_close_quietly(&input);
}

/* Reads when the recording begins and which events it has. */
static enum exit_code survey_inputs(struct rewrite *rewrite)
{
	struct input input;

	if (open_quietly(rewrite, &input)) {
		const enum perfdata_status status = perfdata_rewriter_survey(rewrite->rewriter, input.reader);
		if (status != PERFDATA_OK)
			input_ended(&input, status, perfdata_rewriter_error(rewrite->rewriter));
	}
	return input_close_quietly(&input);
}

static bool has_stacks(const struct perfdata_reader *reader)
{
	const struct perfdata_event *event;

	for (size_t i = 0; (event = perfdata_reader_event(reader, i)); i++)
		if (event->attr->sample_type & PERFDATA_SAMPLE_STACK_USER)
			return true;
	return false;
}

/* Copies a recording for `anonymize`, and unwinds its user stacks, since the copy lacks stack memory. */
static enum perfdata_status copy_unwound(struct rewrite *rewrite, struct input *input)
{
	struct perfdata_symbols *symbols = NULL;
	struct perfdata_session *session = NULL;
	struct perfdata_error error = { .offset = PERFDATA_NO_OFFSET };
	struct symbol_options how;

	symbol_options_make(rewrite->options, &input->messages, &how);
	enum perfdata_status status = perfdata_symbols_new(&how.options, &symbols);
	const struct perfdata_session_options options = {
		.size = sizeof options,
		.needs = PERFDATA_NEED_RECORDS | PERFDATA_NEED_DELIVERIES | PERFDATA_NEED_STACKS,
		.symbols = symbols,
	};
	if (status == PERFDATA_OK)
		status = perfdata_session_open(input->reader, &options, &session, &error);
	if (status == PERFDATA_OK)
		status = perfdata_rewriter_copy_unwound(rewrite->rewriter, input->reader, session);
	perfdata_session_close(session);
	perfdata_symbols_free(symbols);
	return status;
}

/* Notes names in --rename that no event has, which are probably misspelled. */
static void note_renames(struct rewrite *rewrite, struct perfdata_reader *const *readers, size_t nr)
{
	for (size_t i = 0; i < rewrite->nr_renames; i++) {
		struct perfdata_nearest nearest = { .wanted = rewrite->renames[i].from };
		char hint[PERFDATA_NEAREST_SIZE];
		bool found = false;
		for (size_t r = 0; r < nr; r++) {
			for (size_t e = 0; e < perfdata_reader_nr_events(readers[r]); e++) {
				const char *name = perfdata_reader_event(readers[r], e)->name;
				perfdata_nearest_offer(&nearest, name);
				found |= !strcmp(name, rewrite->renames[i].from);
			}
		}
		if (!found)
			messages_note(&rewrite->messages, rewrite->options->output,
				      "no event was renamed: none has the name '%s'%s", rewrite->renames[i].from,
				      perfdata_nearest_hint(&nearest, "", hint));
	}
}

static enum exit_code copy_recording(struct rewrite *rewrite)
{
	struct input input;

	input_rewind(rewrite->file);
	if (input_open(&input, rewrite->options, rewrite->file,
		       rewrite->anonymize ? PERFDATA_ORDER_TIME : PERFDATA_ORDER_FILE, INPUT_PAYLOADS)) {
		enum perfdata_status status = rewrite->anonymize && has_stacks(input.reader)
						      ? copy_unwound(rewrite, &input)
						      : perfdata_rewriter_copy(rewrite->rewriter, input.reader);
		if (status == PERFDATA_OK)
			status = perfdata_rewriter_finish(rewrite->rewriter);
		note_renames(rewrite, &input.reader, 1);
		const struct perfdata_error *error = perfdata_rewriter_error(rewrite->rewriter);
		if (status == PERFDATA_EWRITE) {
			if (!output_failed(rewrite, status))
				messages_error(&input.messages, rewrite->options->output, PERFDATA_NO_OFFSET, "%s",
					       error->message);
			input.code = exit_code_join(input.code, EXIT_OUTPUT);
		} else if (status != PERFDATA_OK) {
			input_ended(&input, status, status == PERFDATA_EINTR ? NULL : error);
		}
	}
	return input_close(&input, rewrite->options);
}

/* --- several inputs ---------------------------------------------------------------------------------------------- */

struct merging {
	struct input *known;                 /* first pass, to the end of each recording, for its events */
	struct input *inputs;                /* second pass, which copies */
	struct perfdata_reader **readers;    /* of `inputs` */
	size_t nr_known, nr_inputs;
};

static enum exit_code add_input(struct rewrite *rewrite, struct merging *merging)
{
	const enum exit_code code = has_filters(rewrite->options) ? choose_records(rewrite) : EXIT_FINE;

	if (code != EXIT_FINE)
		return code;
	struct input *input = &merging->known[merging->nr_known++];
	if (open_quietly(rewrite, input)) {
		const enum perfdata_status status = perfdata_rewriter_add(rewrite->rewriter, input->reader);
		if (status != PERFDATA_OK)
			input_ended(input, status, perfdata_rewriter_error(rewrite->rewriter));
	}
	return input->code == EXIT_DAMAGED ? EXIT_FINE : input->code;
}

static enum exit_code merge_added(struct rewrite *rewrite, struct merging *merging)
{
	const struct options *options = rewrite->options;

	for (size_t i = 0; i < options->files.nr; i++) {
		struct input *input = &merging->inputs[merging->nr_inputs++];
		input_rewind(options->files.values[i]);
		if (!input_open(input, options, options->files.values[i], PERFDATA_ORDER_TIME, 0))
			return input->code;
		merging->readers[i] = input->reader;
	}
	rewrite->file = options->output;
	enum perfdata_status status = perfdata_rewriter_merge(rewrite->rewriter, merging->readers, merging->nr_inputs);
	if (status == PERFDATA_OK)
		status = perfdata_rewriter_finish(rewrite->rewriter);
	note_renames(rewrite, merging->readers, merging->nr_inputs);
	if (status != PERFDATA_OK && status != PERFDATA_EINTR && !output_failed(rewrite, status))
		messages_error(&rewrite->messages, options->output, PERFDATA_NO_OFFSET, "%s",
			       perfdata_rewriter_error(rewrite->rewriter)->message);
	return exit_code_of_status(status);
}

static enum exit_code merge_recordings(struct rewrite *rewrite)
{
	const size_t nr = rewrite->options->files.nr;
	struct merging merging = { calloc(nr, sizeof *merging.known), calloc(nr, sizeof *merging.inputs),
				   calloc(nr, sizeof *merging.readers), 0, 0 };
	enum exit_code code = merging.known && merging.inputs && merging.readers ? EXIT_FINE
										 : no_memory(rewrite->options);

	for (size_t i = 0; i < nr && code == EXIT_FINE; i++) {
		rewrite->file = rewrite->options->files.values[i];
		code = add_input(rewrite, &merging);
	}
	if (code == EXIT_FINE)
		code = merge_added(rewrite, &merging);
	for (size_t i = 0; i < merging.nr_inputs; i++)
		code = exit_code_join(code, input_close(&merging.inputs[i], rewrite->options));
	for (size_t i = 0; i < merging.nr_known; i++)
		code = exit_code_join(code, input_close_quietly(&merging.known[i]));
	free(merging.known);
	free(merging.inputs);
	free(merging.readers);
	return code;
}

static void tell_counts(struct rewrite *rewrite)
{
	const struct perfdata_rewrite_counts *counts = perfdata_rewriter_counts(rewrite->rewriter);

	if (counts->damaged || counts->unknown)
		messages_note(&rewrite->messages, rewrite->file,
			      "%" PRIu64 " damaged and %" PRIu64 " unknown records were left out", counts->damaged,
			      counts->unknown);
	const struct perfdata_anonymize_counts *changed = perfdata_rewriter_anonymized(rewrite->rewriter);
	if (changed) {
		messages_note(&rewrite->messages, rewrite->options->output,
			      "replaced: %" PRIu64 " comms, %" PRIu64 " paths, %" PRIu64 " other names, %" PRIu64
			      " build-ids, %" PRIu64 " pids, %" PRIu64 " other numbers",
			      changed->comms, changed->paths, changed->names, changed->build_ids, changed->pids,
			      changed->numbers);
		messages_note(&rewrite->messages, rewrite->options->output,
			      "%" PRIu64 " addresses moved, %" PRIu64 " of them without a mapping; %" PRIu64
			      " fields cleared, %" PRIu64 " records dropped",
			      changed->addresses, changed->unmapped, changed->fields_cleared, changed->records_dropped);
		if (changed->stacks)
			messages_note(&rewrite->messages, rewrite->options->output,
				      "%" PRIu64 " of %" PRIu64 " stacks unwound into call chains",
				      changed->unwound, changed->stacks);
	}
	if (rewrite->options->add_build_ids)
		messages_note(&rewrite->messages, rewrite->options->output, "build-ids of %zu files were added",
			      rewrite->found.nr_new);
	messages_detail(&rewrite->messages, rewrite->options->output,
			"%" PRIu64 " records, %" PRIu64 " samples; %" PRIu64 " samples left out", counts->records,
			counts->samples, counts->samples_left_out);
}

/* --- the commands ------------------------------------------------------------------------------------------------ */

static enum exit_code run_rewrite(struct rewrite *rewrite)
{
	const struct options *options = rewrite->options;
	struct perfdata_error error = { .offset = PERFDATA_NO_OFFSET };
	const bool to_stdout = !strcmp(options->output, "-");
	/* an anonymized recording may be shared */
	const unsigned rights = rewrite->anonymize ? 0 : output_rights_of(options->files.values, options->files.nr);
	const unsigned flags = rights | (options->force ? PERFDATA_OUTPUT_FORCE : 0u);
	rewrite->output = to_stdout ? perfdata_output_fd(STDOUT_FILENO) : perfdata_output_path(options->output, flags);
	enum perfdata_status status = rewrite->output ? perfdata_output_open(rewrite->output, &error) : PERFDATA_ENOMEM;
	if (status != PERFDATA_OK) {
		usage_error(&options->style, "%s: %s", options->output,
			    error.message[0] ? error.message : perfdata_status_text(status));
		perfdata_output_close(rewrite->output, false, NULL);
		return exit_code_of_output(status, &error);
	}
	const struct perfdata_rewrite_options how = {
		.size = sizeof how,
		.form = form_of(options),
		.order = order_of(options),
		.packing = packing_of(options),
		.repair = rewrite->repair,
		.for_old = options->for_perf != NULL,
		.renames = rewrite->renames,
		.nr_renames = rewrite->nr_renames,
		.anonymize = rewrite->anonymize,
		.tmpdir = options->tmpdir,
		.max_spool = options->max_spool,
		.write = write_out,
		.write_user = rewrite->output,
		.on_message = print_note,
		.message_user = rewrite,
		.cancel = interrupt_cancel(),
		.build_ids = rewrite->found.items,
		.nr_build_ids = rewrite->found.nr,
	};
	enum exit_code code = EXIT_FINE;
	status = perfdata_rewriter_new(&how, &rewrite->rewriter, &error);
	if (status == PERFDATA_OK) {
		if (options->files.nr > 1) {
			code = merge_recordings(rewrite);
		} else {
			code = has_filters(options) ? choose_records(rewrite) : EXIT_FINE;
			if (code == EXIT_FINE && (rewrite->anonymize || rewrite->repair))
				code = survey_inputs(rewrite);
			if (code == EXIT_FINE)
				code = copy_recording(rewrite);
		}
		if (code == EXIT_FINE || code == EXIT_DAMAGED)
			tell_counts(rewrite);
	} else {
		usage_error(&options->style, "%s", error.message);
		code = exit_code_of_status(status);
	}
	const bool keep = code == EXIT_FINE || code == EXIT_DAMAGED;
	if (perfdata_output_close(rewrite->output, keep, &error) != PERFDATA_OK) {
		messages_error(&rewrite->messages, options->output, PERFDATA_NO_OFFSET, "%s", error.message);
		code = exit_code_join(code, EXIT_OUTPUT);
	}
	return code;
}

static bool check_options(struct options *options, bool merges)
{
	struct stat status;
	const struct message_style *style = &options->style;

	if (!options->output) {
		usage_error(style, "-o FILE is missing; - is stdout");
		return false;
	}
	if (!inputs_find(options) || !filters_check(options))
		return false;
	if (options->files.nr != 1 && !merges) {
		usage_error(style, "only one recording is accepted");
		return false;
	}
	if (!strcmp(options->output, "-") && isatty(STDOUT_FILENO)) {
		usage_error(style, "stdout is a terminal: use -o FILE");
		return false;
	}
	struct perfdata_error error = { .offset = PERFDATA_NO_OFFSET };
	if (strcmp(options->output, "-") != 0 && perfdata_output_check_path(options->output, &error) != PERFDATA_OK) {
		usage_error(style, "-o %s: %s", options->output, error.message);
		return false;
	}
	if (strcmp(options->output, "-") != 0 && !options->force && stat(options->output, &status) == 0 &&
	    S_ISREG(status.st_mode)) {
		usage_error(style, "%s exists already; --force replaces it", options->output);
		return false;
	}
	return true;
}

/* --- anonymize: its options -------------------------------------------------------------------------------------- */

static bool read_key(const struct options *options, struct perfdata_anonymize_options *ret)
{
	uint8_t bytes[4096];
	FILE *file = options->key ? fopen(options->key, "rb") : NULL;

	if (!options->key)
		return true;   /* the library makes a random key */
	const size_t size = file ? fread(bytes, 1, sizeof bytes, file) : 0;
	if (file)
		fclose(file);
	if (size < sizeof ret->key) {
		usage_error(&options->style, "--key %s: %s", options->key,
			    file ? "a key has 16 bytes at least" : "it cannot be read");
		return false;
	}
	perfdata_anonymize_key(bytes, size, ret->key);
	return true;
}

static bool parse_keep(const struct options *options, uint32_t *ret)
{
	static const struct { const char *name; uint32_t bit;
	} names[] = {
		{ "comms", PERFDATA_ANONYMIZE_KEEP_COMMS },         { "paths", PERFDATA_ANONYMIZE_KEEP_PATHS },
		{ "build-ids", PERFDATA_ANONYMIZE_KEEP_BUILD_IDS }, { "pids", PERFDATA_ANONYMIZE_KEEP_PIDS },
		{ "times", PERFDATA_ANONYMIZE_KEEP_TIMES },         { "addresses", PERFDATA_ANONYMIZE_KEEP_ADDRESSES },
		{ "events", PERFDATA_ANONYMIZE_KEEP_EVENTS },
	};

	for (const char *at = options->keep; at && *at; at += strcspn(at, ","), at += *at == ',') {
		const size_t size = strcspn(at, ",");
		bool found = false;
		for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
			if (strlen(names[i].name) != size || strncmp(names[i].name, at, size) != 0)
				continue;
			*ret |= names[i].bit;
			found = true;
		}
		if (!found) {
			usage_error(
				&options->style,
				"--keep takes comms, paths, build-ids, pids, times, addresses and events, not '%.*s'",
				(int)size, at);
			return false;
		}
	}
	return true;
}

/* The file that maps pseudonyms to originals. */
struct pairs {
	int fd;
	struct perfdata_output *output;
	struct perfdata_text held;   /* not written yet */
};
#define PAIRS_HELD 65536

static void put_pair(void *user, const char *kind, struct perfdata_bytes from, struct perfdata_bytes to)
{
	struct pairs *pairs = user;
	struct perfdata_text *out = &pairs->held;
	const struct perfdata_bytes texts[2] = { to, from };
	const bool is_hex = !strcmp(kind, "build-id");

	perfdata_text_string(out, kind);
	for (unsigned i = 0; i < 2; i++) {
		perfdata_text_char(out, '\t');
		for (size_t k = 0; k < texts[i].size; k++) {
			const uint8_t byte = texts[i].data[k];
			if (is_hex)
				perfdata_text_printf(out, "%02x", byte);
			else if (byte < ' ' || byte == '\\' || byte == 0x7f)
				perfdata_text_printf(out, "\\x%02x", byte);
			else
				perfdata_text_char(out, (char)byte);
		}
	}
	perfdata_text_char(out, '\n');
	if (out->size < PAIRS_HELD)
		return;
	(void)perfdata_output_write(pairs->output, out->data, out->size);   /* closing the output returns the error */
	perfdata_text_clear(out);
}

static bool open_pairs(const struct options *options, struct rewrite *rewrite, struct pairs *pairs)
{
	struct stat status;
	*pairs = (struct pairs){ .fd = -1 };
	if (!options->mapping)
		return true;
	pairs->fd = open(options->mapping, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOCTTY |
					   (options->force ? O_TRUNC : O_EXCL), 0600);
	/* an existing file may be readable by others */
	if (pairs->fd >= 0 && !fstat(pairs->fd, &status) && S_ISREG(status.st_mode) && fchmod(pairs->fd, 0600)) {
		usage_error(&options->style, "--mapping %s: the rights of the file cannot be changed",
			    options->mapping);
		close(pairs->fd);
		pairs->fd = -1;
		return false;
	}
	pairs->output = pairs->fd >= 0 ? perfdata_output_fd(pairs->fd) : NULL;
	if (pairs->output && perfdata_output_open(pairs->output, NULL) == PERFDATA_OK)
		rewrite->pairs = pairs;
	else
		usage_error(&options->style, "--mapping %s: the file %s", options->mapping,
			    pairs->fd < 0 ? "cannot be made, or exists already" : "cannot be written");
	return rewrite->pairs != NULL;
}

/* False: the pairs could not be written. */
static bool close_pairs(struct pairs *pairs)
{
	const bool spelled = !perfdata_text_failed(&pairs->held);
	if (pairs->output && spelled && pairs->held.size)
		(void)perfdata_output_write(pairs->output, pairs->held.data, pairs->held.size);
	const bool written = perfdata_output_close(pairs->output, true, NULL) == PERFDATA_OK;
	const bool closed = pairs->fd < 0 || !close(pairs->fd);
	perfdata_text_release(&pairs->held);
	return spelled && written && closed;
}

static enum exit_code rewrite_files(struct options *options, bool repair, struct perfdata_anonymize_options *anonymize)
{
	struct rewrite rewrite = { .options = options, .repair = repair, .anonymize = anonymize };
	struct pairs pairs = { .fd = -1 };

	if (!check_options(options, !repair && !anonymize))
		return EXIT_USAGE;
	rewrite.file = options->files.values[0];
	interrupt_catch();
	messages_init(&rewrite.messages, &options->style, false);
	enum exit_code code = parse_renames(&rewrite);
	if (code == EXIT_FINE && anonymize && !open_pairs(options, &rewrite, &pairs))
		code = EXIT_USAGE;
	if (anonymize && rewrite.pairs) {
		anonymize->on_pair = put_pair;
		anonymize->user = rewrite.pairs;
	}
	if (code == EXIT_FINE)
		code = inputs_keep(options, &options->files);
	if (code == EXIT_FINE && options->add_build_ids)
		code = found_build_ids_make(options, &rewrite.found);
	if (code == EXIT_FINE)
		code = run_rewrite(&rewrite);
	found_build_ids_release(&rewrite.found);
	if (!close_pairs(&pairs)) {
		usage_error(&options->style, "--mapping %s: it cannot be written", options->mapping);
		code = exit_code_join(code, EXIT_OUTPUT);
	}
	perfdata_rewriter_free(rewrite.rewriter);
	messages_release(&rewrite.messages);
	for (size_t i = 0; i < rewrite.nr_renames; i++)
		free((char *)(uintptr_t)rewrite.renames[i].from);
	free(rewrite.renames);
	return code;
}

enum exit_code command_rewrite(struct options *options) { return rewrite_files(options, false, NULL); }
enum exit_code command_repair(struct options *options) { return rewrite_files(options, true, NULL); }

enum exit_code command_anonymize(struct options *options)
{
	struct perfdata_anonymize_options how = { .size = sizeof how };

	if (!parse_keep(options, &how.keep) || !read_key(options, &how))
		return EXIT_USAGE;
	return rewrite_files(options, false, &how);
}
