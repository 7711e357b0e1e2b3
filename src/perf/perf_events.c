/* SPDX-License-Identifier: MIT */
#include "config.h"
#include <inttypes.h>
#include <string.h>
#include "perf/perf_events.h"
#include "perfdata/perf.h"
#include "perfdata/trace.h"

static bool is_pipe(const struct perfdata_reader *reader)
{
	return perfdata_reader_header(reader)->container == PERFDATA_CONTAINER_PIPE;
}

static void show_tips(struct perfdata_text *out, const struct perfdata_reader *reader, unsigned lines)
{
	const struct perfdata_event *event;
	bool tracepoint = false, group = false;
	for (size_t i = 0; (event = perfdata_reader_event(reader, i)); i++) {
		tracepoint |= event->attr->type == PERFDATA_TYPE_TRACEPOINT;
		group |= event->group_leader != event->index && !is_pipe(reader);
	}
	if (tracepoint && !(lines & PERF_EVENTS_FIELDS))
		perfdata_text_literal(out,
				      "# Tip: use 'perf evlist --trace-fields' to show fields for tracepoint events\n");
	if (group && !(lines & PERF_EVENTS_GROUPS))
		perfdata_text_literal(out, "# Tip: use 'perf evlist -g' to show group information\n");
}

/* Appends the name. perf makes it from the attr for pipes, and for events that only simpleperf's section names. */
static void show_name(struct perfdata_text *out, const struct perfdata_reader *reader,
		      const struct perfdata_event *event)
{
	if (is_pipe(reader) || event->name_source == PERFDATA_NAME_META_INFO)
		perfdata_event_fallback_name(event->attr, out);
	else
		perfdata_text_string(out, event->name);
}

static void show_attr(struct perfdata_text *out, const struct perfdata_reader *reader,
		      const struct perfdata_event *event)
{
	struct perfdata_text name;
	perfdata_text_init(&name);
	show_name(&name, reader, event);
	perfdata_text_char(&name, '\0');
	if (!perfdata_text_failed(&name))
		perfdata_perf_event(out, name.data, event->attr);
	else
		out->failed = true;
	perfdata_text_release(&name);
}

static void show_frequency(struct perfdata_text *out, const struct perfdata_event *event)
{
	const bool is_frequency = perfdata_attr_has(event->attr, PERFDATA_ATTR_FREQ);
	perfdata_text_printf(out, ": sample_%s=%" PRIu64, is_frequency ? "freq" : "period", event->attr->sample_period);
}

static void show_fields(struct perfdata_text *out, const struct perfdata_reader *reader,
			const struct perfdata_event *event, bool first)
{
	const struct perfdata_trace_event *trace = event->trace;
	perfdata_text_string(out, first ? ": " : ", ");
	if (event->attr->type != PERFDATA_TYPE_TRACEPOINT) {
		perfdata_text_literal(out, "(not a tracepoint)");
		return;
	}
	if (!trace || trace->nr_fields == trace->nr_common || is_pipe(reader)) {
		perfdata_text_literal(out, "(no trace field)");
		return;
	}
	perfdata_text_literal(out, "trace_fields: ");
	for (size_t i = trace->nr_common; i < trace->nr_fields; i++) {
		if (i > trace->nr_common)
			perfdata_text_char(out, ',');
		perfdata_text_string(out, trace->fields[i].name);
	}
}

static void show_event(struct perfdata_text *out, const struct perfdata_reader *reader,
		       const struct perfdata_event *event, unsigned lines)
{
	if (lines & PERF_EVENTS_ATTR) {
		show_attr(out, reader, event);
	} else {
		show_name(out, reader, event);
		if (lines & PERF_EVENTS_FREQUENCY)
			show_frequency(out, event);
	}
	if (lines & PERF_EVENTS_FIELDS)
		show_fields(out, reader, event, !(lines & (PERF_EVENTS_ATTR | PERF_EVENTS_FREQUENCY)));
	perfdata_text_char(out, '\n');
}

static bool is_text(struct perfdata_bytes bytes, const char *text)
{
	return bytes.size == strlen(text) && !memcmp(bytes.data, text, bytes.size);
}

/* The group name that the user chose, by leader; or NULL. */
static const struct perfdata_bytes *group_name(const struct perfdata_reader *reader,
					       const struct perfdata_event *leader)
{
	const struct perfdata_feature_section *section = perfdata_reader_feature(reader, PERFDATA_FEATURE_GROUP_DESC);
	const struct perfdata_node *groups = NULL;
	if (section && section->feature)
		groups = perfdata_node_get(perfdata_feature_root(section->feature), "group_desc");
	for (const struct perfdata_node *group = groups ? groups->child : NULL; group; group = group->next) {
		const struct perfdata_node *index = perfdata_node_get(group, "leader");
		const struct perfdata_node *name = perfdata_node_get(group, "name");
		if (index && name && index->v.u == leader->index && !is_text(name->v.bytes, "{anon_group}"))
			return &name->v.bytes;
	}
	return NULL;
}

/* Appends "NAME{leader,member}", or the event if it is alone. */
static void show_group(struct perfdata_text *out, const struct perfdata_reader *reader,
		       const struct perfdata_event *leader)
{
	const struct perfdata_event *event;
	bool has_members = false;
	if (leader->group_leader != leader->index && !is_pipe(reader))
		return;
	for (size_t i = 0; (event = perfdata_reader_event(reader, i)) && !is_pipe(reader); i++)
		has_members |= event != leader && event->group_leader == leader->index;
	const struct perfdata_bytes *name = has_members ? group_name(reader, leader) : NULL;
	if (name)
		perfdata_text_append(out, name->data, name->size);
	if (has_members)
		perfdata_text_char(out, '{');
	show_name(out, reader, leader);
	for (size_t i = 0; has_members && (event = perfdata_reader_event(reader, i)); i++) {
		if (event == leader || event->group_leader != leader->index)
			continue;
		perfdata_text_char(out, ',');
		show_name(out, reader, event);
	}
	perfdata_text_string(out, has_members ? "}\n" : "\n");
}

void perf_events_show(struct perfdata_text *out, const struct perfdata_reader *reader, unsigned lines)
{
	const struct perfdata_event *event;
	for (size_t i = 0; (event = perfdata_reader_event(reader, i)); i++) {
		if (lines & PERF_EVENTS_GROUPS)
			show_group(out, reader, event);
		else
			show_event(out, reader, event, lines);
	}
	show_tips(out, reader, lines);
}
