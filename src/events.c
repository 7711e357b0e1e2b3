/* SPDX-License-Identifier: MIT */
/* perfdata events: lists the events of a recording and their attrs. */
#include "config.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "answers.h"
#include "commands.h"
#include "perf/perf_events.h"

static void show_flags(struct perfdata_text *out, const struct perfdata_name *names, uint64_t value,
		       const char *separator)
{
	const char *between = "";
	uint64_t known = 0;
	for (; names && names->name; names++) {
		if (!(value & names->value))
			continue;
		perfdata_text_printf(out, "%s%s", between, names->name);
		between = separator;
		known |= names->value;
	}
	if (value & ~known)
		perfdata_text_printf(out, "%s0x%" PRIx64, between, value & ~known);
}

/* Appends the parts of a word that are not zero. */
static void show_bits(struct perfdata_text *out, const struct perfdata_bits *bits, uint64_t value)
{
	const char *between = "";
	for (; bits && bits->name; bits++) {
		const uint64_t part = value >> bits->shift &
				      (bits->width >= 64 ? UINT64_MAX : (1ull << bits->width) - 1);
		if (!part)
			continue;
		perfdata_text_printf(out, "%s%s", between, bits->name);
		if (bits->mask) {
			perfdata_text_char(out, '=');
			show_flags(out, bits->names, part, "|");
		} else if (bits->width > 1) {
			const char *name = bits->names ? perfdata_name_of(bits->names, part) : NULL;
			name ? perfdata_text_printf(out, "=%s", name) : perfdata_text_printf(out, "=%" PRIu64, part);
		}
		between = " ";
	}
}

static void show_row(struct perfdata_text *out, const struct perfdata_field *field, uint64_t value)
{
	const enum perfdata_show show = perfdata_field_show(field);
	const enum perfdata_kind kind = perfdata_field_kind(field);
	const char *name = show == PERFDATA_SHOW_ENUM ? perfdata_name_of(perfdata_field_names(field), value) : NULL;
	perfdata_text_printf(out, "    %s: ", perfdata_field_name(field));
	if (name)
		perfdata_text_printf(out, "%s (%" PRIu64 ")", name, value);
	else if (show == PERFDATA_SHOW_FLAGS)
		show_flags(out, perfdata_field_names(field), value, " ");
	else if (show == PERFDATA_SHOW_BITS)
		show_bits(out, perfdata_field_bits(field), value);
	else if (show == PERFDATA_SHOW_HEX)
		perfdata_text_printf(out, "0x%" PRIx64, value);
	else if (kind == PERFDATA_KIND_S32 || kind == PERFDATA_KIND_S64)
		perfdata_text_s64(out, (int64_t)value);
	else
		perfdata_text_u64(out, value);
	perfdata_text_char(out, '\n');
}

static void show_attr(struct perfdata_text *out, const struct perfdata_attr *attr)
{
	const struct perfdata_layout *layout = perfdata_attr_layout();
	const struct perfdata_field *field;
	uint64_t value;
	for (size_t i = 0; (field = perfdata_layout_field(layout, i)); i++)
		if (perfdata_field_number(field, attr, &value) && value)
			show_row(out, field, value);
	if (attr->rest.size) {
		perfdata_text_literal(out, "    rest: ");
		perfdata_text_bytes_hex(out, attr->rest.data, attr->rest.size);
		perfdata_text_char(out, '\n');
	}
}

static void show_ids(struct perfdata_text *out, const struct perfdata_event *event, bool all)
{
	const size_t shown = all || event->nr_ids < 8 ? event->nr_ids : 8;
	if (!event->nr_ids)
		return;
	perfdata_text_literal(out, "    ids:");
	for (size_t i = 0; i < shown; i++)
		perfdata_text_printf(out, " %" PRIu64, event->ids[i]);
	if (shown < event->nr_ids)
		perfdata_text_printf(out, " … %zu more (-v shows all)", event->nr_ids - shown);
	perfdata_text_char(out, '\n');
}

static const char *name_source(enum perfdata_name_source source)
{
	switch (source) {
	case PERFDATA_NAME_GENERATED: return "made from the attr";
	case PERFDATA_NAME_EVENT_DESC: return "from EVENT_DESC";
	case PERFDATA_NAME_EVENT_UPDATE: return "from EVENT_UPDATE";
	case PERFDATA_NAME_EVENT_TYPE: return "from EVENT_TYPE";
	case PERFDATA_NAME_TRACE: return "from the tracing data";
	case PERFDATA_NAME_META_INFO: return "from META_INFO";
	}
	return "";
}

static void show_event(struct perfdata_text *out, const struct perfdata_event *event, bool all)
{
	perfdata_text_printf(out, "%" PRIu32 ": ", event->index);
	answer_text(out, event->name);
	perfdata_text_printf(out, "  (name %s)\n", name_source(event->name_source));
	show_attr(out, event->attr);
	show_ids(out, event, all);
	if (event->group_leader != event->index)
		perfdata_text_printf(out, "    group leader: %" PRIu32 "\n", event->group_leader);
	if (event->unit && event->unit[0]) {
		perfdata_text_literal(out, "    unit: ");
		answer_text(out, event->unit);
		perfdata_text_char(out, '\n');
	}
	if (event->scale != 1.0) {
		perfdata_text_literal(out, "    scale: ");
		perfdata_text_double(out, event->scale);
		perfdata_text_char(out, '\n');
	}
}

static void answer_input(const struct options *options, struct input *input)
{
	struct perfdata_text out;
	const struct perfdata_event *event;
	const unsigned lines = options->event_lines ? options->event_lines : PERF_EVENTS_ATTR;
	const bool pipe = perfdata_reader_header(input->reader)->container == PERFDATA_CONTAINER_PIPE;
	perfdata_text_init(&out);
	/* for a file, perf reads no records */
	if (options->perf && !pipe)
		perf_events_show(&out, input->reader, lines);
	/* in a pipe, records define and rename events until the end, so read all */
	const struct perfdata_session_options session_options = { .size = sizeof session_options };
	struct perfdata_session *session = input_walk(input, &session_options, NULL, NULL);
	if (!session) {
		perfdata_text_release(&out);
		return;
	}
	if (options->perf && pipe)
		perf_events_show(&out, input->reader, lines);
	if (options->json) {
		json_object *document = answer_document(input, session), *meta, *events;
		if (document && json_object_object_get_ex(document, "meta", &meta) &&
		    json_object_object_get_ex(meta, "events", &events))
			answer_print(input, json_object_get(events), options->files.nr > 1);
		json_object_put(document);
	}
	for (size_t i = 0; !options->json && !options->perf && (event = perfdata_reader_event(input->reader, i)); i++)
		show_event(&out, event, options->style.verbose);
	answer_flush(input, &out);
	perfdata_session_close(session);
}

enum exit_code command_events(struct options *options)
{
	return answer_each(options, PERFDATA_ORDER_FILE, answer_input);
}
