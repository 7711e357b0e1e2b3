/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "emit/perf/event_names.h"

void pd_event_names_init(struct event_names *names, const struct perfdata_reader *reader, enum event_names_use use)
{
	*names = (struct event_names){ .reader = reader, .use = use };
	names->stream = perfdata_reader_header(reader)->container == PERFDATA_CONTAINER_PIPE;
	for (size_t i = 0; i < EVENT_NAMES_TYPES; i++)
		names->first[i] = UINT32_MAX;
	const struct perfdata_event *event;
	for (size_t i = 0; names->stream && (event = perfdata_reader_event(reader, i)); i++) {
		const uint32_t type = event->attr->type;
		if (type < EVENT_NAMES_TYPES && names->first[type] == UINT32_MAX)
			names->first[type] = event->index;
	}
}

static bool is_asked_first(const struct event_names *names, const struct perfdata_event *event)
{
	const struct perfdata_attr *attr = event->attr;
	return attr->type < EVENT_NAMES_TYPES && names->first[attr->type] == event->index && attr->sample_type &&
	       !pd_is_dummy_event(attr);
}

static bool is_generated(const struct event_names *names, const struct perfdata_event *event)
{
	if (event->name_source == PERFDATA_NAME_META_INFO)
		return true;   /* perf does not read this section */
	if (!names->stream || event->name_source != PERFDATA_NAME_EVENT_DESC || event->trace)
		return false;
	return names->use == EVENT_NAMES_REPORT || is_asked_first(names, event);
}

void pd_event_names_append_early(const struct event_names *names, const struct perfdata_event *event,
				 struct perfdata_text *out)
{
	const bool is_updated = names->stream && event->name_source == PERFDATA_NAME_EVENT_UPDATE && !event->trace;
	if (is_updated && names->use == EVENT_NAMES_SCRIPT && is_asked_first(names, event))
		perfdata_event_fallback_name(event->attr, out);
	else
		pd_event_names_append(names, event, out);
}

void pd_event_names_append(const struct event_names *names, const struct perfdata_event *event,
			   struct perfdata_text *out)
{
	if (is_generated(names, event))
		perfdata_event_fallback_name(event->attr, out);
	else
		perfdata_text_string(out, event->name);
}

const char *pd_event_names_get(const struct event_names *names, const struct perfdata_event *event,
			       struct perfdata_text *room)
{
	if (!is_generated(names, event))
		return event->name;
	perfdata_text_clear(room);
	perfdata_event_fallback_name(event->attr, room);
	perfdata_text_char(room, '\0');
	return perfdata_text_failed(room) ? event->name : room->data;
}
