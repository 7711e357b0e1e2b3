/* SPDX-License-Identifier: MIT */
#include "config.h"
#include <stdlib.h>
#include "base/memory.h"
#include "emit/values/record.h"
#include "emit/values/text_cache.h"
#include "schema/schema.h"
#include "reader/reader.h"
#include "profile/profile.h"

static const struct head_info heads[HEAD_COUNT] = {
	[HEAD_TYPE] = { "type", "Type of the record: perf's name in lower case, or \"unknown\".", HEAD_IS_TEXT, false,
			false, 0 },
	[HEAD_RECORDING] = { "recording", "Name of the recording, if several share an output.", HEAD_IS_TEXT, false,
			     false, 0 },
	[HEAD_TYPE_RAW] = { "type_raw", "Number of an unknown type.", HEAD_IS_U64, false, false, 0 },
	[HEAD_OFFSET] = { "offset",
			  "Offset of the record in the decompressed stream; for records in COMPRESSED records: offset "
			  "of the COMPRESSED record.",
			  HEAD_IS_U64, true, false, PERFDATA_UNIT_BYTES },
	[HEAD_INNER] = { "inner", "For records in COMPRESSED records: offset in the decompressed content of all "
				  "COMPRESSED records of the file.",
			 HEAD_IS_U64, true, false, PERFDATA_UNIT_BYTES },
	[HEAD_FILE] = { "file", "File with the record, if the recording has several.", HEAD_IS_TEXT, false, false,
			0 },
	[HEAD_SIZE] = { "size", "Size of the record with its header.", HEAD_IS_U64, false, false,
			PERFDATA_UNIT_BYTES },
	[HEAD_MISC] = { "misc", "Names of the bits in the header's misc word.", HEAD_IS_NAMES, false, false, 0 },
	[HEAD_MISC_RAW] = { "misc_raw", "The header's misc word.", HEAD_IS_U64, false, false, 0 },
	[HEAD_EVENT] = { "event", "Name of the record's event.", HEAD_IS_TEXT, false, false, 0 },
	[HEAD_EVENT_UNKNOWN] = { "event_unknown", "The record's id belongs to no event.", HEAD_IS_TRUE, false, false,
				 0 },
	[HEAD_LATE] = { "late", "The record is older than a record before it.", HEAD_IS_TRUE, false, false, 0 },
	[HEAD_AFTER_GAP] = { "after_gap", "Damaged bytes before the record were skipped.", HEAD_IS_TRUE, false,
			     false, 0 },
	[HEAD_TIME] = { "time", "Time of the recording's clock; null if the record has none.", HEAD_IS_U64, true, true,
			PERFDATA_UNIT_NS },
	[HEAD_PID] = { "pid", "Process.", HEAD_IS_S64, false, false, 0 },
	[HEAD_TID] = { "tid", "Thread.", HEAD_IS_S64, false, false, 0 },
	[HEAD_CPU] = { "cpu", "CPU; null if it is unknown.", HEAD_IS_S64, false, true, 0 },
	[HEAD_COMM] = { "comm",
			"Name of the thread: in COMM records the new name, in samples the name at that time (--names).",
			HEAD_IS_TEXT, false, false, 0 },
	[HEAD_IP_AT] = { "ip_at", "Location of `ip` (--names); null if it is in no mapping.",
			 HEAD_IS_LOCATION, false, true, 0 },
	[HEAD_ADDR_AT] = { "addr_at", "Location of `addr` (--names); null if it is in no mapping.",
			   HEAD_IS_LOCATION, false, true, 0 },
	[HEAD_BRANCH_STACK_AT] = { "branch_stack_at",
				   "Locations of both ends of each entry of `branch_stack` (--names).",
				   HEAD_IS_BRANCHES, false, false, 0 },
	[HEAD_STACK] = { "stack",
			 "Steps of the call chain, callee first: `ip` and its location (--names, --stacks inline).",
			 HEAD_IS_STACK, false, false, 0 },
	[HEAD_STACK_ID] = { "stack_id",
			    "Id of the stack; the line with its steps precedes its first use (--stacks ref).",
			    HEAD_IS_U64, false, false, 0 },
	[HEAD_SAMPLE_ID] = { "sample_id", "The trailer of records other than samples, as recorded.", HEAD_IS_TRAILER,
			     false, false, 0 },
	[HEAD_REST] = { "rest", "Bytes that the layout does not cover, in hex.", HEAD_IS_BYTES, false, false, 0 },
	[HEAD_PROBLEM] = { "problem", "Reason for incomplete decoding.", HEAD_IS_TEXT, false, false, 0 },
	[HEAD_RAW_BYTES] = { "raw_bytes", "The whole record in hex (with --raw).", HEAD_IS_BYTES, false, false, 0 },
};

const struct head_info *pd_record_head_info(enum pd_record_head head) { return &heads[head]; }

/* --- the world ---------------------------------------------------------------------------------------------------- */

bool pd_record_world_init(struct record_world *world, const struct perfdata_emit_context *context)
{
	const struct perfdata_header *header = perfdata_reader_header(context->reader);
	world->recording = context->recording;
	world->name_files = context->shared_output || header->container == PERFDATA_CONTAINER_DIRECTORY;
	world->nr_files = (uint16_t)(header->nr_files < UINT16_MAX ? header->nr_files : UINT16_MAX);
	return pd_value_world_init(&world->values, context->reader);
}

void pd_record_world_release(struct record_world *world)
{
	pd_value_world_release(&world->values);
	pd_arena_release(&world->pool);
}

/* --- plans of a thread -------------------------------------------------------------------------------------------- */

bool pd_record_cache_init(struct record_cache *cache)
{
	const struct perfdata_layout *layout = pd_trailer_layout();
	cache->trailer = pd_plan_make(&cache->pool, layout, false);
	cache->trailer_time = pd_plan_field(layout, "time", 4);
	cache->trailer_pid = pd_plan_field(layout, "pid", 3);
	cache->trailer_tid = pd_plan_field(layout, "tid", 3);
	cache->trailer_cpu = pd_plan_field(layout, "cpu", 3);
	return cache->trailer != NULL;
}

void pd_record_cache_release(struct record_cache *cache)
{
	pd_arena_release(&cache->pool);
	pd_arena_release(&cache->extra);
	free(cache->others);
	free(cache->events);
	if (cache->locations)
		pd_text_cache_release(cache->locations);
	free(cache->locations);
	if (cache->lines)
		cache->free_lines(cache->lines);
}

static void free_cache(void *cache)
{
	pd_record_cache_release(cache);
	free(cache);
}

struct record_cache *pd_record_cache_of(struct perfdata_scratch *scratch)
{
	if (scratch->cache)
		return scratch->cache;
	struct record_cache *cache = calloc(1, sizeof *cache);
	if (!cache)
		return NULL;
	if (!pd_record_cache_init(cache)) {
		free_cache(cache);
		return NULL;
	}
	scratch->cache = cache;
	scratch->free_cache = free_cache;
	return cache;
}

static uint64_t row_bit(int row) { return row < 0 ? 0 : UINT64_C(1) << row; }

static struct record_plan *make_plan(struct record_cache *cache, const struct perfdata_layout *layout)
{
	struct record_plan *plan = pd_arena_calloc(&cache->pool, 1, sizeof *plan);
	if (!plan)
		return NULL;
	plan->time = plan->pid = plan->tid = plan->cpu = plan->event_id = -1;
	plan->type = "unknown";
	if (layout) {
		plan->plan = pd_plan_make(&cache->pool, layout, false);
		if (!plan->plan)
			return NULL;
		plan->type = pd_plan_record_name(layout);
		plan->time = pd_plan_field(layout, "time", 4);
		plan->pid = pd_plan_field(layout, "pid", 3);
		plan->tid = pd_plan_field(layout, "tid", 3);
		plan->cpu = pd_plan_field(layout, "cpu", 3);
		for (uint32_t i = layout->nr_fields; i-- > 0;)
			if (layout->fields[i].show == PERFDATA_SHOW_EVENT_ID &&
			    layout->fields[i].kind == PERFDATA_KIND_U64)
				plan->event_id = (int)i;
		if (layout->id == PERFDATA_RECORD_SAMPLE) {
			plan->callchain = row_bit(pd_plan_field(layout, "callchain", 9));
			plan->raw = row_bit(pd_plan_field(layout, "raw", 3));
		}
		plan->body = ~(row_bit(plan->time) | row_bit(plan->pid) | row_bit(plan->tid) | row_bit(plan->cpu));
	}
	return plan;
}

static struct record_plan *plan_of(struct record_cache *cache, uint32_t type, const struct perfdata_layout *layout)
{
	if (type < 128 && cache->by_type[type]) {
		struct record_plan *plan = cache->by_type[type];
		if ((plan->plan ? plan->plan->layout : NULL) == layout)
			return plan;
	}
	for (size_t i = 0; i < cache->nr_others; i++)
		if ((cache->others[i]->plan ? cache->others[i]->plan->layout : NULL) == layout)
			return cache->others[i];
	struct record_plan *plan = make_plan(cache, layout);
	if (!plan)
		return NULL;
	if (type < 128 && !cache->by_type[type]) {
		cache->by_type[type] = plan;
		return plan;
	}
	if (pd_vector_grow(&cache->others, &cache->room_others, cache->nr_others, sizeof *cache->others) < 0)
		return NULL;
	cache->others[cache->nr_others++] = plan;
	return plan;
}

/* Whether samples are plain: all words are at fixed places. */
static bool samples_are_plain(const struct perfdata_config *config)
{
	return config->has_attr && config->sample_is_plain && !config->swap;
}

static bool make_event(struct record_cache *cache, struct event_plan *plan, const struct perfdata_event *event)
{
	if (event->trace) {
		plan->trace = pd_trace_plan_make(&cache->pool, event->trace);
		if (!plan->trace)
			return false;
	}
	struct record_plan *sample = plan_of(cache, PERFDATA_RECORD_SAMPLE,
					     perfdata_record_layout(PERFDATA_RECORD_SAMPLE));
	if (!sample)
		return false;
	plan->plain = samples_are_plain(event->config) ? sample : NULL;
	/* samples without chains differ only in numbers and raw data */
	plan->alike = event->config->sample_rows & sample->callchain ? NULL : plan->plain;
	plan->fields_at = plan->alike && event->config->sample_rows & sample->raw ? 8 + 8u * event->config->sample_fixed
										  : 0;
	plan->recent = NULL;
	plan->event = event;
	return true;
}

/* NULL without memory. */
static struct event_plan *event_of(struct record_cache *cache, const struct perfdata_event *event)
{
	if (event->version < cache->nr_events && cache->events[event->version].event == event)
		return &cache->events[event->version];
	if (pd_vector_reach(&cache->events, &cache->nr_events, event->version, sizeof *cache->events) < 0)
		return NULL;
	struct event_plan *plan = &cache->events[event->version];
	return make_event(cache, plan, event) ? plan : NULL;
}

const struct trace_plan *pd_record_trace_plan(struct record_cache *cache, const struct perfdata_event *event)
{
	const struct event_plan *plan = event_of(cache, event);
	return plan ? plan->trace : NULL;
}

/* --- a record ----------------------------------------------------------------------------------------------------- */

static const void *member_of(const struct record *r, int row)
{
	return (const char *)&r->view.u + r->plan->plan->rows[row].member;
}

static bool has_row(const struct record *r, int row) { return row >= 0 && r->view.u.present >> row & 1; }

static const struct perfdata_event *event_by_body(const struct record *r)
{
	if (!has_row(r, r->plan->event_id) || r->raw->flags & PERFDATA_RAW_UNKNOWN_ID)
		return NULL;
	return pd_value_event(&r->world->values, *(const uint64_t *)member_of(r, r->plan->event_id));
}

static const char *file_name(const struct record *r)
{
	return pd_reader_file_name(r->world->values.reader, r->raw->file);
}

/* Adds a finding. Without memory the output fails, since it would claim to be complete. */
static void add_finding(struct record *r, struct found_batch **found, enum perfdata_finding_code code,
			const char *message)
{
	if (found && !pd_found_add(found, code, file_name(r), r->raw, message))
		r->failed = true;
}

static void set_scope(struct record *r, bool swap)
{
	r->scope.world = &r->world->values;
	r->scope.trace = r->event ? r->event->trace : NULL;
	r->scope.swap = swap;
	r->scope.order = (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__) != swap ? PERFDATA_BYTE_ORDER_BIG
								      : PERFDATA_BYTE_ORDER_LITTLE;
	r->scope.trace_damaged = false;
}

bool pd_record_load(struct record *r, const struct perfdata_raw *raw, struct found_batch **found)
{
	r->raw = raw;
	const enum perfdata_status status = perfdata_raw_decode(r->world->values.reader, raw, &r->view);
	r->damaged = status != PERFDATA_OK;
	if (r->damaged)
		add_finding(r, found, r->view.problem_code, r->view.problem ? r->view.problem : "cannot be decoded");
	else if (r->view.rest.size && r->view.layout)
		add_finding(r, found, PERFDATA_FINDING_RECORD_REST,
			    "the record holds more bytes than its type explains");
	r->plan = plan_of(r->cache, r->view.type, r->view.layout);
	if (!r->plan)
		return false;
	r->fields = (struct perfdata_bytes){ 0 };
	if (r->view.type == PERFDATA_RECORD_SAMPLE && r->view.layout)
		r->fields = r->view.u.sample.raw;
	const struct perfdata_event *event = raw->event ? raw->event : event_by_body(r);
	r->event = NULL;
	if (event) {
		r->event = event_of(r->cache, event);
		if (!r->event)
			return false;
	}
	set_scope(r, r->view.swap);
	return true;
}

static bool has_event(struct record *r, const struct perfdata_raw *raw)
{
	if (raw->type != PERFDATA_RECORD_SAMPLE || !raw->event)
		return false;
	r->event = event_of(r->cache, raw->event);
	return r->event;
}

static bool load_whole(struct record *r, const struct perfdata_raw *raw, struct record_plan *plan)
{
	if (!plan)
		return false;
	const uint8_t *size = raw->bytes + r->event->fields_at;
	if (raw->known_whole && r->event->fields_at)
		r->fields = (struct perfdata_bytes){ size + 4, pd_load32(size, false) };
	else if (!pd_sample_is_whole(raw->event->config, raw->bytes, raw->size, &r->fields))
		return false;
	r->plan = plan;
	r->raw = raw;
	r->damaged = false;
	set_scope(r, false);
	return true;
}

bool pd_record_load_alike(struct record *r, const struct perfdata_raw *raw)
{
	return has_event(r, raw) && load_whole(r, raw, r->event->alike);
}

bool pd_record_load_plain(struct record *r, const struct perfdata_raw *raw)
{
	return has_event(r, raw) && load_whole(r, raw, r->event->plain);
}

bool pd_record_fields_are_whole(const struct record *r)
{
	const struct trace_plan *trace = r->scope.trace;
	return trace && trace->extent && r->fields.data && r->fields.size >= trace->extent && !r->scope.swap;
}

void pd_record_done(struct record *r, struct found_batch **found)
{
	if (r->scope.trace_damaged)
		add_finding(r, found, PERFDATA_FINDING_TRACE_RAW, "the raw data is too short for the event's fields");
}

static struct head_value number_value(uint64_t value)
{
	return (struct head_value){ .kind = HEAD_IS_U64, .number = value };
}
static struct head_value is_true(bool value)
{
	return (struct head_value){ .kind = value ? HEAD_IS_TRUE : HEAD_IS_ABSENT };
}
static struct head_value text_value(const char *s)
{
	return (struct head_value){ .kind = HEAD_IS_TEXT, .bytes = { (const uint8_t *)s, strlen(s) } };
}
static struct head_value bytes_value(const uint8_t *data, size_t size)
{
	return (struct head_value){ .kind = HEAD_IS_BYTES, .bytes = { data, size } };
}

/* The integer of the record's own row, or of the trailer's; -1: no such row. */
static struct head_value integer_value(const struct record *r, int own, int trailer)
{
	struct head_value value = { .kind = HEAD_IS_S64 };
	if (has_row(r, own)) {
		value.number = pd_value_integer(r->plan->plan->rows[own].kind, member_of(r, own));
		return value;
	}
	if (trailer < 0 || !(r->view.sample_id.present >> trailer & 1))
		return (struct head_value){ .kind = HEAD_IS_ABSENT };
	const struct row *row = &r->cache->trailer->rows[trailer];
	value.number = pd_value_integer(row->kind, (const char *)&r->view.sample_id + row->member);
	return value;
}

static struct head_value head_time(const struct record *r)
{
	struct head_value value = integer_value(r, r->plan->time, r->cache->trailer_time);
	if (value.kind == HEAD_IS_ABSENT)
		return value;
	value.kind = !value.number && !has_row(r, r->plan->time) ? HEAD_IS_NULL : HEAD_IS_U64;
	return value;
}

static struct head_value head_cpu(const struct record *r)
{
	struct head_value value = integer_value(r, r->plan->cpu, r->cache->trailer_cpu);
	if (value.kind == HEAD_IS_S64 && value.number == UINT32_MAX)
		value.kind = HEAD_IS_NULL;
	return value;
}

static struct head_value place_value(uint32_t frame)
{
	return (struct head_value){ .kind = HEAD_IS_LOCATION, .number = frame };
}

/* Heads of a sample from the session. */
static struct head_value head_of_sample(const struct record *r, enum pd_record_head head)
{
	static const struct head_value absent = { .kind = HEAD_IS_ABSENT };
	const struct perfdata_delivery *delivery = r->delivery;
	if (!delivery || !r->raw->event || r->raw->type != PERFDATA_RECORD_SAMPLE)
		return absent;
	const uint64_t recorded = r->raw->event->attr->sample_type;
	const char *comm;
	switch (head) {
	case HEAD_COMM:
		comm = delivery->comm == PERFDATA_NONE ? NULL
						       : perfdata_session_comm(r->emitted.session, delivery->comm);
		return comm ? text_value(comm) : absent;
	case HEAD_IP_AT: return recorded & PERFDATA_SAMPLE_IP ? place_value(delivery->ip) : absent;
	case HEAD_ADDR_AT: return recorded & PERFDATA_SAMPLE_ADDR ? place_value(delivery->addr) : absent;
	case HEAD_BRANCH_STACK_AT:
		return delivery->branches == PERFDATA_NONE ? absent : (struct head_value){ .kind = HEAD_IS_BRANCHES };
	case HEAD_STACK:
		return delivery->nr_steps ? (struct head_value){ .kind = HEAD_IS_STACK } : absent;
	default: return delivery->stack == PERFDATA_NONE ? absent : number_value(delivery->stack);
	}
}

struct head_value pd_record_head(const struct record *r, enum pd_record_head head)
{
	static const struct head_value absent = { .kind = HEAD_IS_ABSENT };
	const struct perfdata_raw *raw = r->raw;
	switch (head) {
	case HEAD_TYPE: return text_value(r->plan->type);
	case HEAD_RECORDING: return text_value(r->world->recording);
	case HEAD_TYPE_RAW: return r->plan->plan ? absent : number_value(raw->type);
	case HEAD_OFFSET: return number_value(raw->offset);
	case HEAD_INNER: return raw->inner == PERFDATA_NO_OFFSET ? absent : number_value(raw->inner);
	case HEAD_FILE: return r->world->name_files ? text_value(file_name(r)) : absent;
	case HEAD_SIZE: return number_value(raw->size);
	case HEAD_MISC: return (struct head_value){ .kind = HEAD_IS_NAMES };
	case HEAD_MISC_RAW: return number_value(raw->misc);
	case HEAD_EVENT: return r->event ? text_value(r->event->event->name) : absent;
	case HEAD_EVENT_UNKNOWN: return is_true(raw->flags & PERFDATA_RAW_UNKNOWN_ID);
	case HEAD_LATE: return is_true(raw->flags & PERFDATA_RAW_LATE);
	case HEAD_AFTER_GAP: return is_true(raw->flags & PERFDATA_RAW_AFTER_GAP);
	case HEAD_TIME: return head_time(r);
	case HEAD_PID: return integer_value(r, r->plan->pid, r->cache->trailer_pid);
	case HEAD_TID: return integer_value(r, r->plan->tid, r->cache->trailer_tid);
	case HEAD_CPU: return head_cpu(r);
	case HEAD_COMM:
	case HEAD_IP_AT:
	case HEAD_ADDR_AT:
	case HEAD_BRANCH_STACK_AT:
	case HEAD_STACK:
	case HEAD_STACK_ID:
		return head_of_sample(r, head);
	case HEAD_SAMPLE_ID:
		return r->view.sample_id.present ? (struct head_value){ .kind = HEAD_IS_TRAILER } : absent;
	case HEAD_REST: return r->view.rest.size ? bytes_value(r->view.rest.data, r->view.rest.size) : absent;
	case HEAD_PROBLEM: return r->damaged && r->view.problem ? text_value(r->view.problem) : absent;
	case HEAD_RAW_BYTES: return bytes_value(raw->bytes, raw->size);
	case HEAD_COUNT: break;
	}
	return absent;
}

int pd_record_row_of_head(const struct record *r, enum pd_record_head head)
{
	const struct record_plan *plan = r->plan;
	if (!plan->plan || plan->plan->layout->id != PERFDATA_RECORD_SAMPLE)
		return -1;
	switch (head) {
	case HEAD_TIME: return plan->time;
	case HEAD_PID: return plan->pid;
	case HEAD_TID: return plan->tid;
	case HEAD_CPU: return plan->cpu;
	default: return -1;
	}
}

/* The bit of the callchain if the stack has all its addresses: not if the chain is longer than perf follows, or a
 * branch stack replaces a part of it. */
uint64_t pd_record_row_said_by_stack(const struct record *r)
{
	const struct perfdata_list *chain = &r->view.u.sample.callchain;
	if (!r->delivery || !r->delivery->nr_steps || !(r->view.u.present & r->plan->callchain))
		return 0;
	size_t nr;
	const struct perfdata_step *steps = perfdata_batch_stack(r->batch, r->delivery, &nr);
	uint64_t missing = 0;
	for (uint64_t i = 0; i < chain->count; i++)
		missing += perfdata_list_u64(chain, i) < PERFDATA_CONTEXT_MAX;
	for (size_t i = 0; i < nr && missing; i++)
		missing -= steps[i].origin == PERFDATA_STEP_RECORDED;
	return missing ? 0 : r->plan->callchain;
}

void pd_record_misc_names(const struct record *r, void (*add)(void *user, const char *name), void *user)
{
	const struct perfdata_bits *bits = pd_misc_bits(r->raw->type);
	for (; bits && bits->name; bits++) {
		const uint64_t part = (uint64_t)r->raw->misc >> bits->shift & ((UINT64_C(1) << bits->width) - 1);
		const char *name = bits->names ? perfdata_name_of(bits->names, part) : bits->name;
		if (part && name)
			add(user, name);
	}
}
