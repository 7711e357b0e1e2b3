/* SPDX-License-Identifier: MIT */
/* Events: attrs with their ids and names, and the event of each record. */
#include "config.h"
#include "base/checked.h"
#include "base/memory.h"
#include "reader/reader_impl.h"
#include "schema/layout.h"
#include "schema/trace_types.h"
#include "schema/feature.h"
#include "schema/schema.h"
#include "schema/trace.h"

#define MAX_TYPED_EVENTS 1024        /* most events with which EVENT_TYPE records are compared */
#define MAX_REVISIONS 65536          /* versions, in addition to 16 for each event */

/* Most bytes of a name: outputs repeat the name for each sample. */
#define MAX_NAME ((size_t)4095)

/* A name from a better source replaces one from a worse source; the same source may change its name. */
static unsigned rank_of(enum perfdata_name_source source)
{
	switch (source) {
	case PERFDATA_NAME_GENERATED: return 0;
	case PERFDATA_NAME_TRACE: return 1;
	case PERFDATA_NAME_EVENT_TYPE:
	case PERFDATA_NAME_META_INFO: return 2;
	case PERFDATA_NAME_EVENT_DESC: return 3;
	case PERFDATA_NAME_EVENT_UPDATE: return 4;
	}
	return 0;
}

static const char *fallback_name(struct perfdata_reader *reader, const struct perfdata_attr *attr)
{
	struct perfdata_text text;
	const char *name = NULL;

	perfdata_text_init(&text);
	perfdata_event_fallback_name(attr, &text);
	if (!perfdata_text_failed(&text))
		name = pd_arena_copy(&reader->arena, text.data, text.size);
	perfdata_text_release(&text);
	return name;
}

static bool same_layout(const struct perfdata_attr *a, const struct perfdata_attr *b)
{
	return a->sample_type == b->sample_type && a->read_format == b->read_format &&
	       a->branch_sample_type == b->branch_sample_type && a->sample_regs_user == b->sample_regs_user &&
	       a->sample_regs_intr == b->sample_regs_intr &&
	       perfdata_attr_has(a, PERFDATA_ATTR_SAMPLE_ID_ALL) == perfdata_attr_has(b, PERFDATA_ATTR_SAMPLE_ID_ALL);
}

/* Notes at which places ids are, so that the look-up of a record tries each place once. */
static enum perfdata_status note_layout(struct perfdata_reader *reader, size_t index)
{
	const struct perfdata_event *event = reader->events[index];

	if (index && !same_layout(event->attr, reader->events[0]->attr))
		reader->layouts_differ = true;
	if (!reader->least_sample || event->config->sample_fixed < reader->least_sample->sample_fixed)
		reader->least_sample = event->config;
	if (!reader->least_trailer || event->config->trailer_size < reader->least_trailer->trailer_size)
		reader->least_trailer = event->config;
	for (size_t i = 0; i < reader->nr_layouts; i++) {
		const struct perfdata_config *known = &reader->layouts[i];
		if (known->sample_id_at == event->config->sample_id_at &&
		    known->trailer_id_at == event->config->trailer_id_at)
			return PERFDATA_OK;
	}
	if (reader->nr_layouts >= PD_MAX_LAYOUTS)
		return PERFDATA_OK;
	reader->layouts[reader->nr_layouts++] = *event->config;
	if (reader->nr_layouts == 2)
		pd_reader_finding(reader, PERFDATA_FINDING_ATTRS_DISAGREE, 0, PERFDATA_NO_OFFSET,
				  "event %zu has its ids at another place than event 0", index);
	return PERFDATA_OK;
}

static void check_attr(struct perfdata_reader *reader, const struct perfdata_attr *attr, uint64_t offset)
{
	const size_t index = reader->nr_events;

	if (attr->rest.size)
		pd_reader_finding(reader, PERFDATA_FINDING_ATTR_NEWER, 0, offset, "the attr of event %zu has %u bytes",
				  index, attr->size);
	if (attr->sample_type & ~(uint64_t)PERFDATA_SAMPLE_KNOWN || attr->read_format > 31 ||
	    attr->flags >> (PERFDATA_ATTR_DEFER_OUTPUT + 1))
		pd_reader_finding(reader, PERFDATA_FINDING_ATTR_BITS, 0, offset,
				  "event %zu has unknown bits: sample_type %#llx, read_format %#llx, flags %#llx",
				  index, (unsigned long long)attr->sample_type, (unsigned long long)attr->read_format,
				  (unsigned long long)attr->flags);
}

/* Decodes an attr. An attr that states an impossible size is assumed to fill its entry. */
static enum perfdata_status decode_attr(struct perfdata_reader *reader, struct perfdata_bytes bytes, uint64_t offset,
					struct perfdata_attr *ret)
{
	size_t size;

	if (perfdata_attr_decode(bytes.data, bytes.size, reader->header.order, ret, &size) == PERFDATA_OK)
		return PERFDATA_OK;
	const uint32_t stated = bytes.size >= 8 ? pd_load32(bytes.data + 4, reader->config.swap) : 0;
	pd_reader_finding(reader, PERFDATA_FINDING_ATTR_SIZE, 0, offset,
			  "the attr of event %zu states a size of %u bytes; it has a place of %zu", reader->nr_events,
			  stated, bytes.size);
	if (bytes.size < 64 || bytes.size > UINT32_MAX)
		return PERFDATA_OK;
	uint8_t *copy = (uint8_t *)pd_arena_copy(&reader->arena, bytes.data, bytes.size);
	if (!copy)
		return PERFDATA_ENOMEM;
	const uint32_t place = (uint32_t)(bytes.size & ~(size_t)7),
		       word = reader->config.swap ? __builtin_bswap32(place) : place;
	memcpy(copy + 4, &word, sizeof word);
	(void)perfdata_attr_decode(copy, bytes.size, reader->header.order, ret, &size);
	return PERFDATA_OK;
}

/* Keeps an id of this event for pd_event_of_id: in the hash table, and in near_ids if it is near the first id. */
static enum perfdata_status take_id(struct perfdata_reader *reader, uint64_t id, size_t index)
{
	enum { ROOM = 8 };      /* entries of near_ids per known id */
	uint64_t known;

	if (pd_hash_map_get(&reader->ids, id, &known))
		return PERFDATA_OK;
	if (pd_hash_map_put(&reader->ids, id, index) < 0)
		return PERFDATA_ENOMEM;
	if (!reader->nr_near_ids)
		reader->first_id = id;
	const uint64_t near = id - reader->first_id;
	if (near >= ROOM * reader->ids.count || index >= UINT32_MAX)
		return PERFDATA_OK;
	if (near >= reader->nr_near_ids) {
		if (pd_vector_grow(&reader->near_ids, &reader->near_ids_room, (size_t)near,
				   sizeof *reader->near_ids) < 0)
			return PERFDATA_ENOMEM;
		memset(reader->near_ids + reader->nr_near_ids, 0,
		       (size_t)(near + 1 - reader->nr_near_ids) * sizeof *reader->near_ids);
		reader->nr_near_ids = (size_t)near + 1;
	}
	reader->near_ids[near] = (uint32_t)index + 1;
	return PERFDATA_OK;
}

static enum perfdata_status take_ids(struct perfdata_reader *reader, struct perfdata_event *event,
				     struct perfdata_bytes bytes)
{
	const size_t count = bytes.size / 8;
	uint64_t *ids = pd_arena_calloc(&reader->arena, count, sizeof *ids);

	if (!ids)
		return PERFDATA_ENOMEM;
	for (size_t i = 0; i < count; i++) {
		ids[i] = pd_load64(bytes.data + i * 8, reader->config.swap);
		const enum perfdata_status status = take_id(reader, ids[i], event->index);
		if (status != PERFDATA_OK)
			return status;
	}
	event->ids = ids;
	event->nr_ids = count;
	return PERFDATA_OK;
}

/* An event and the configuration to which it points. */
struct owned_event {
	struct perfdata_event event;
	struct perfdata_config config;
};

static struct perfdata_config *own_config(struct perfdata_event *event)
{
	return &((struct owned_event *)event)->config;
}

static void point_to_own(struct perfdata_event *event)
{
	event->config = own_config(event);
	event->attr = &event->config->attr;
}

/* Allocates an event. NULL without memory. */
static struct perfdata_event *new_event(struct perfdata_reader *reader)
{
	struct owned_event *owned = pd_arena_calloc(&reader->arena, 1, sizeof *owned);
	if (!owned)
		return NULL;
	point_to_own(&owned->event);
	return &owned->event;
}

static struct perfdata_event *copy_event(struct perfdata_reader *reader, struct perfdata_event *event)
{
	struct perfdata_event *copy = new_event(reader);
	if (!copy)
		return NULL;
	*copy = *event;
	*own_config(copy) = *own_config(event);
	point_to_own(copy);
	return copy;
}

enum perfdata_status pd_event_add(struct perfdata_reader *reader, struct perfdata_bytes bytes,
				  struct perfdata_bytes ids, uint64_t offset)
{
	struct perfdata_event *event = new_event(reader);
	struct perfdata_attr attr = { 0 };

	if (!event ||
	    pd_vector_grow(&reader->events, &reader->events_room, reader->nr_events, sizeof *reader->events) < 0)
		return PERFDATA_ENOMEM;
	enum perfdata_status status = decode_attr(reader, bytes, offset, &attr);
	if (status != PERFDATA_OK)
		return status;
	check_attr(reader, &attr, offset);
	pd_config_init(own_config(event), &attr, reader->header.order);
	event->index = event->group_leader = (uint32_t)reader->nr_events;
	event->version = reader->nr_versions++;
	event->unit = "";
	event->scale = 1;
	event->name = fallback_name(reader, &attr);
	event->attr_bytes.data = (const uint8_t *)pd_arena_copy(&reader->arena, bytes.data, bytes.size);
	event->attr_bytes.size = bytes.size;
	if (!event->name || !event->attr_bytes.data)
		return PERFDATA_ENOMEM;
	status = take_ids(reader, event, ids);
	if (status != PERFDATA_OK)
		return status;
	reader->events[reader->nr_events++] = event;
	return note_layout(reader, event->index);
}

struct perfdata_event *pd_event_revise(struct perfdata_reader *reader, size_t index)
{
	struct perfdata_event *event = reader->events[index];

	if (!reader->nr_records)
		return event;   /* nobody has seen this version yet */
	struct perfdata_event *copy = copy_event(reader, event);
	if (!copy)
		return NULL;
	copy->version = reader->nr_versions++;
	reader->events[index] = copy;
	return copy;
}

enum perfdata_status pd_event_add_id(struct perfdata_reader *reader, uint64_t index, uint64_t id)
{
	uint64_t known;

	if (index >= reader->nr_events || pd_hash_map_get(&reader->ids, id, &known))
		return PERFDATA_OK;
	return take_id(reader, id, (size_t)index);
}

bool pd_event_may_revise(struct perfdata_reader *reader)
{
	if (reader->nr_versions < reader->nr_events * 17 + MAX_REVISIONS)
		return true;
	pd_reader_finding_once(reader, PERFDATA_FINDING_LIMIT, 0, PERFDATA_NO_OFFSET,
			       "events were changed %u times; further changes were ignored", reader->nr_versions);
	return false;
}

/* Whether the attr names the event: hardware, software and cache events have fixed names. Old tables of names have only
 * `config`, which does not identify such events. */
static bool is_named_by_attr(const struct perfdata_event *event, enum perfdata_name_source source)
{
	const uint32_t type = event->attr->type;
	return source == PERFDATA_NAME_EVENT_TYPE &&
	       (type == PERFDATA_TYPE_HARDWARE || type == PERFDATA_TYPE_SOFTWARE || type == PERFDATA_TYPE_HW_CACHE);
}

enum perfdata_status pd_event_set_name(struct perfdata_reader *reader, size_t index, const void *name, size_t size,
				       enum perfdata_name_source source)
{
	const struct perfdata_event *event = reader->events[index];

	if (is_named_by_attr(event, source))
		return PERFDATA_OK;
	if (size > MAX_NAME)
		size = MAX_NAME;
	if (!size || rank_of(source) < rank_of(event->name_source) || !pd_event_may_revise(reader))
		return PERFDATA_OK;
	if (source == event->name_source && strlen(event->name) == size && !memcmp(event->name, name, size))
		return PERFDATA_OK;
	struct perfdata_event *copy = pd_event_revise(reader, index);
	const char *text = pd_arena_copy(&reader->arena, name, size);
	if (!copy || !text)
		return PERFDATA_ENOMEM;
	copy->name = text;
	copy->name_source = source;
	if (reader->config.order == PERFDATA_BYTE_ORDER_BIG)
		pd_attr_trust_name(&own_config(copy)->attr, text, size);
	return PERFDATA_OK;
}

static const struct perfdata_node *section_child(const struct perfdata_reader *reader, uint32_t id, const char *name)
{
	const struct pd_section *section = &reader->sections[id];
	return section->feature ? perfdata_node_get(perfdata_feature_root(section->feature), name) : NULL;
}

enum perfdata_status pd_events_take_names(struct perfdata_reader *reader)
{
	const struct perfdata_node *list = section_child(reader, PERFDATA_FEATURE_EVENT_DESC, "event_desc");
	const struct perfdata_node *entry = list ? list->child : NULL;

	for (size_t i = 0; entry && i < reader->nr_events; i++, entry = entry->next) {
		const struct perfdata_node *name = perfdata_node_get(entry, "name");
		if (!name)
			continue;
		const enum perfdata_status status = pd_event_set_name(reader, i, name->v.bytes.data, name->v.bytes.size,
								      PERFDATA_NAME_EVENT_DESC);
		if (status != PERFDATA_OK)
			return status;
	}
	return PERFDATA_OK;
}

enum perfdata_status pd_events_take_description(struct perfdata_reader *reader)
{
	const struct pd_section *section = &reader->sections[PERFDATA_FEATURE_EVENT_DESC];
	if (!section->feature)
		return PERFDATA_OK;
	const struct perfdata_bytes bytes = pd_feature_bytes(section->feature);
	struct pd_cursor cursor = pd_cursor(bytes.data, bytes.size, reader->config.swap);
	const uint32_t count = pd_u32(&cursor), attr_size = pd_u32(&cursor);

	for (uint32_t i = 0; i < count && attr_size >= 64; i++) {
		const uint64_t offset = section->public.offset + (uint64_t)(cursor.at - bytes.data);
		const struct perfdata_bytes attr = { pd_take(&cursor, attr_size), attr_size };
		const uint32_t nr_ids = pd_u32(&cursor);
		(void)pd_take(&cursor, pd_u32(&cursor));   /* the name */
		const struct perfdata_bytes ids = { pd_take(&cursor, nr_ids * 8ull), nr_ids * 8ull };
		if (cursor.failed)
			break;
		const enum perfdata_status status = pd_event_add(reader, attr, ids, offset);
		if (status != PERFDATA_OK)
			return status;
	}
	return PERFDATA_OK;
}

/* Counters are logged with the branches of all events of a group as soon as one event of the group asks for
 * counters. */
static enum perfdata_status spread_counters(struct perfdata_reader *reader)
{
	const uint64_t counters = 1u << 19;
	bool any = false;

	for (size_t i = 0; i < reader->nr_events; i++)
		any |= (reader->events[i]->attr->branch_sample_type & counters) != 0;
	if (!any)
		return PERFDATA_OK;
	bool *of_leader = pd_calloc(reader->nr_events, sizeof *of_leader);
	if (!of_leader)
		return PERFDATA_ENOMEM;
	for (size_t i = 0; i < reader->nr_events; i++)
		if (reader->events[i]->attr->branch_sample_type & counters)
			of_leader[reader->events[i]->group_leader] = true;
	enum perfdata_status status = PERFDATA_OK;
	for (size_t i = 0; i < reader->nr_events && status == PERFDATA_OK; i++) {
		if (!of_leader[reader->events[i]->group_leader] || reader->events[i]->config->branch_counters)
			continue;
		struct perfdata_event *event = pd_event_revise(reader, i);
		if (event)
			own_config(event)->branch_counters = true;
		else
			status = PERFDATA_ENOMEM;
	}
	pd_free(of_leader);
	return status;
}

enum perfdata_status pd_events_take_groups(struct perfdata_reader *reader)
{
	const struct perfdata_node *list = section_child(reader, PERFDATA_FEATURE_GROUP_DESC, "group_desc");
	size_t members_left = reader->nr_events;   /* groups are disjoint */

	for (const struct perfdata_node *entry = list ? list->child : NULL; entry && members_left;
	     entry = entry->next) {
		const struct perfdata_node *leader = perfdata_node_get(entry, "leader");
		const struct perfdata_node *members = perfdata_node_get(entry, "nr_members");
		if (!leader || !members)
			continue;
		for (uint64_t i = leader->v.u, n = 0; i < reader->nr_events && n < members->v.u && members_left;
		     i++, n++) {
			struct perfdata_event *event = pd_event_revise(reader, (size_t)i);
			if (!event)
				return PERFDATA_ENOMEM;
			event->group_leader = (uint32_t)leader->v.u;
			members_left--;
		}
	}
	return spread_counters(reader);
}

static enum perfdata_status take_trace(struct perfdata_reader *reader, size_t index)
{
	const struct perfdata_event *event = reader->events[index];
	const struct perfdata_trace_event *trace = reader->trace ?
		pd_trace_event(reader->trace, event->attr->config) : NULL;
	struct perfdata_text name;

	if (!reader->trace && reader->formats_come)
		return PERFDATA_OK;
	if (!reader->trace) {
		/* a section that cannot be read has a finding of its own */
		pd_reader_finding_once(reader, pd_reader_is_simpleperf(reader) ? PERFDATA_FINDING_TRACE_UNRECORDED
					       : PERFDATA_FINDING_TRACE_FORMAT, 0, PERFDATA_NO_OFFSET,
				       "the recording has tracepoint events, but no readable format of them");
		return PERFDATA_OK;
	}
	if (!trace && pd_trace_has_event(reader->trace, event->attr->config))
		return PERFDATA_ENOMEM;
	if (!trace) {
		pd_reader_finding(reader, PERFDATA_FINDING_TRACE_FORMAT, 0, PERFDATA_NO_OFFSET,
				  "the recording has no format of tracepoint %llu (event %zu)",
				  (unsigned long long)event->attr->config, index);
		return PERFDATA_OK;
	}
	if (trace->format_problem)
		pd_reader_finding(reader, PERFDATA_FINDING_TRACE_FORMAT, 0, PERFDATA_NO_OFFSET, "format of %s:%s: %s",
				  trace->system, trace->name, trace->format_problem);
	else if (trace->print_problem)
		pd_reader_finding(reader, PERFDATA_FINDING_TRACE_PRINT, 0, PERFDATA_NO_OFFSET,
				  "print format of %s:%s: %s", trace->system, trace->name, trace->print_problem);
	struct perfdata_event *copy = pd_event_revise(reader, index);
	if (!copy)
		return PERFDATA_ENOMEM;
	copy->trace = trace;
	perfdata_text_init(&name);
	perfdata_text_printf(&name, "%s:%s", trace->system, trace->name);
	const enum perfdata_status status = perfdata_text_failed(&name) ? PERFDATA_ENOMEM :
		pd_event_set_name(reader, index, name.data, name.size, PERFDATA_NAME_TRACE);
	perfdata_text_release(&name);
	return status;
}

enum perfdata_status pd_events_take_trace(struct perfdata_reader *reader)
{
	for (size_t i = 0; i < reader->nr_events; i++) {
		if (reader->events[i]->attr->type != 2 || reader->events[i]->trace)
			continue;
		const enum perfdata_status status = take_trace(reader, i);
		if (status != PERFDATA_OK)
			return status;
	}
	return PERFDATA_OK;
}

enum perfdata_status pd_events_take_type(struct perfdata_reader *reader, uint64_t config, const void *name, size_t size)
{
	for (size_t i = 0; i < reader->nr_events && i < MAX_TYPED_EVENTS; i++) {
		if (reader->events[i]->attr->config != config)
			continue;
		const enum perfdata_status status = pd_event_set_name(reader, i, name, size, PERFDATA_NAME_EVENT_TYPE);
		if (status != PERFDATA_OK)
			return status;
	}
	return PERFDATA_OK;
}

/* --- which event a record belongs to ----------------------------------------------------------------------------- */

/* Finds the event of a record with an unknown id at the expected place: tries the other places. */
static const struct perfdata_event *event_elsewhere(struct perfdata_reader *reader, const struct perfdata_raw *raw,
						    uint64_t id)
{
	const struct perfdata_event *event = NULL;
	for (size_t i = 1; !event && i < reader->nr_layouts; i++) {
		struct perfdata_peek other;
		pd_peek(&reader->layouts[i], raw->bytes, raw->size, &other);
		event = other.has_id ? pd_event_of_id(reader, other.id) : NULL;
	}
	if (!event)
		pd_reader_finding_once(reader, PERFDATA_FINDING_UNKNOWN_ID, raw->file, raw->offset,
				       "id %llu belongs to no event; further ones are only counted",
				       (unsigned long long)id);
	return event;
}

/* Finds the event by the id at the places of `layouts`; the first event if the recorder wrote no id. */
static const struct perfdata_event *event_by_id(struct perfdata_reader *reader, const struct perfdata_raw *raw,
						bool has_id, uint64_t id)
{
	if (!has_id || !id)
		return reader->events[0];
	const struct perfdata_event *event = pd_event_of_id(reader, id);
	return event ? event : event_elsewhere(reader, raw, id);
}

static void set_words(struct perfdata_raw *raw, const struct perfdata_event *event, const struct perfdata_peek *peek)
{
	raw->event = event;
	raw->flags |= event ? 0 : PERFDATA_RAW_UNKNOWN_ID;
	raw->time = peek->time;
	raw->pid = peek->pid;
	raw->tid = peek->tid;
	raw->cpu = peek->cpu;
}

static void match_sample(struct perfdata_reader *reader, struct perfdata_raw *raw)
{
	const struct perfdata_event *first = reader->events[0], *event = first;
	struct pd_sample_scan scan;

	if (reader->nr_events > 1) {
		/* A sample that is shorter than the first event's samples belongs to another event, whose id is at the
		 * same place. */
		if (!pd_sample_scan(first->config, raw->bytes, raw->size, PD_SCAN_ID, &scan) &&
		    !pd_sample_scan(reader->least_sample, raw->bytes, raw->size, PD_SCAN_ID, &scan))
			scan.has_id = false;
		event = event_by_id(reader, raw, scan.has_id, scan.has_id ? scan.id : 0);
	}
	raw->flags |= event ? 0 : PERFDATA_RAW_UNKNOWN_ID;
	if (!event)
		event = first;
	pd_event_set_words(event, event->config->swap, raw);
	if (raw->flags & PERFDATA_RAW_UNKNOWN_ID) {
		raw->event = NULL;
		raw->known_whole = false;
	}
}

static void match_other(struct perfdata_reader *reader, struct perfdata_raw *raw)
{
	const struct perfdata_event *first = reader->events[0], *event = first;
	struct perfdata_peek peek;

	pd_peek(first->config, raw->bytes, raw->size, &peek);
	if (!peek.has_id && reader->layouts_differ)
		pd_peek(reader->least_trailer, raw->bytes, raw->size, &peek);
	if (reader->nr_events > 1)
		event = event_by_id(reader, raw, peek.has_id, peek.id);
	if (event && reader->layouts_differ)
		pd_peek(event->config, raw->bytes, raw->size, &peek);
	set_words(raw, event, &peek);
}

static void note_false_build_id(struct perfdata_reader *reader, const struct perfdata_raw *raw)
{
	const struct perfdata_config *config = raw->event ? raw->event->config : &reader->config;

	if (pd_mmap2_id_is_false(config, raw->bytes, raw->size, raw->misc))
		pd_reader_finding_once(
			reader, PERFDATA_FINDING_FALSE_BUILD_ID, raw->file, raw->offset,
			"device and inode of a mapped file are marked as its build-id; further ones are only counted");
}

void pd_event_match(struct perfdata_reader *reader, struct perfdata_raw *raw)
{
	if (!reader->nr_events) {
		if (raw->type == PERFDATA_RECORD_SAMPLE)
			pd_reader_finding_once(reader, PERFDATA_FINDING_NO_ATTRS, raw->file, raw->offset,
					       "no attr came before this sample, which cannot be decoded");
		return;
	}
	if (raw->type == PERFDATA_RECORD_SAMPLE)
		match_sample(reader, raw);
	else
		match_other(reader, raw);
	if (raw->type == PERFDATA_RECORD_MMAP2)
		note_false_build_id(reader, raw);
}

enum perfdata_status perfdata_raw_decode(const struct perfdata_reader *reader, const struct perfdata_raw *raw,
					 struct perfdata_record *ret)
{
	const struct perfdata_config *config = &reader->config;

	if (raw->event)
		config = raw->event->config;
	else if (raw->type < PERFDATA_RECORD_USER_FIRST && reader->nr_events && !reader->layouts_differ)
		config = reader->events[0]->config;   /* all events have this layout */
	return perfdata_decode(config, raw->bytes, raw->size, ret);
}

size_t perfdata_reader_nr_events(const struct perfdata_reader *reader) { return reader->nr_events; }

const struct perfdata_event *perfdata_reader_event(const struct perfdata_reader *reader, size_t index)
{
	return index < reader->nr_events ? reader->events[index] : NULL;
}

const struct perfdata_event *perfdata_reader_event_by_id(const struct perfdata_reader *reader, uint64_t id)
{
	return pd_event_of_id(reader, id);
}

const struct perfdata_config *perfdata_reader_config(const struct perfdata_reader *reader) { return &reader->config; }

/* --- time off the CPU --------------------------------------------------------------------------------------------- */

void pd_reader_weigh_off_cpu(struct perfdata_reader *reader, uint32_t event)
{
	if (event < reader->nr_events)
		reader->events[event]->is_time_off = true;
}

void pd_reader_tell_off_cpu(struct perfdata_reader *reader)
{
	pd_reader_tell(reader, PERFDATA_FINDING_OFF_CPU, "samples weigh time on and off the CPU");
}
