/* SPDX-License-Identifier: MIT */
/* Spans made of two events with a common key, one for the begin and one for the end. */
#include "config.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "spans/spans_impl.h"

/* --- names -------------------------------------------------------------------------------------------------------- */

static void spell_lock(uint64_t flags, char *text, size_t size)
{
	static const char *const names[] = { "spin", "read", "write", "rt", "percpu", "mutex" };
	size_t at = 0;
	text[0] = 0;
	for (unsigned bit = 0; bit < sizeof names / sizeof *names; bit++)
		if (flags >> bit & 1)
			at += (size_t)snprintf(text + at, size - at, "%s%s", at ? "|" : "", names[bit]);
	if (flags >> (sizeof names / sizeof *names) || !flags)
		snprintf(text + at, size - at, "%s0x%" PRIx64, at ? "|" : "", flags);
}

/* The name of a number. Each number is formatted once. UINT32_MAX without memory. */
static uint32_t number_name(struct pd_spans *spans, enum pd_pair_name how, unsigned long_size, uint64_t number)
{
	const bool is_near = how == PD_NAME_SYSCALL && number < PD_NEAR_SYSCALLS;
	if (is_near && spans->syscall_names[number])
		return spans->syscall_names[number] - 1;
	const uint64_t key = pd_hash_two(number, how, spans->seed);
	uint64_t known;
	char text[96];
	if (pd_hash_map_get(&spans->number_names, key, &known))
		return (uint32_t)known;
	const char *name = how == PD_NAME_SYSCALL   ? pd_syscall_name(spans->options.arch, long_size, number)
			   : how == PD_NAME_SOFTIRQ ? pd_softirq_name(number)
						    : NULL;
	if (how == PD_NAME_LOCK)
		spell_lock(number, text, sizeof text);
	else if (name)
		snprintf(text, sizeof text, "%s", name);
	else
		snprintf(text, sizeof text, "%" PRId64, (int64_t)number);
	const uint32_t id = pd_spans_intern(spans, text, strlen(text));
	if (id != UINT32_MAX && is_near)
		spans->syscall_names[number] = id + 1;
	else if (id != UINT32_MAX && pd_hash_map_put(&spans->number_names, key, id) < 0)
		return UINT32_MAX;
	return id;
}

/* Reads the name of the span from a sample. *ret is UINT32_MAX if the sample has none. */
static enum perfdata_status read_name(struct pd_spans *spans, const struct pd_span_event *event,
				      struct perfdata_bytes data, uint32_t *ret)
{
	const struct perfdata_trace_field *field = event->fields[3];
	struct perfdata_trace_value value;
	uint64_t number;
	*ret = event->name;
	if (event->pair->named == PD_NAME_EVENT || !field)
		return PERFDATA_OK;
	if (event->pair->named == PD_NAME_TEXT) {
		if (field->kind != PERFDATA_TRACE_STRING ||
		    pd_trace_value(field, data, pd_spans_order(spans), &value) != PERFDATA_OK)
			return PERFDATA_OK;
		*ret = pd_spans_intern(spans, (const char *)value.bytes.data, value.bytes.size);
	} else {
		if (!pd_spans_number(spans, field, data, &number))
			return PERFDATA_OK;
		*ret = number_name(spans, event->pair->named, event->event->trace->long_size, number);
	}
	return *ret == UINT32_MAX ? PERFDATA_ENOMEM : PERFDATA_OK;
}

/* --- keys --------------------------------------------------------------------------------------------------------- */

static bool read_key(const struct pd_spans *spans, const struct pd_span_event *event, const struct perfdata_raw *raw,
		     struct perfdata_bytes data, uint64_t key[3])
{
	uint64_t zero;
	key[0] = key[1] = 0;
	for (unsigned i = 0; i < 2; i++)
		if (event->fields[i] && !pd_spans_number(spans, event->fields[i], data, &key[i]))
			return false;
	key[2] = event->pair->key == PD_KEY_TID ? (uint32_t)raw->tid : event->pair->key == PD_KEY_CPU ? raw->cpu : 0;
	if (event->fields[2] && pd_spans_number(spans, event->fields[2], data, &zero))
		key[2] |= (uint64_t)(zero == 0) << 32;
	return true;
}

static uint64_t hash_of(const struct pd_spans *spans, const struct pd_pair *pair, const uint64_t key[3])
{
	return pd_hash_two(pd_hash_two(key[0], key[1], spans->seed), key[2], spans->seed + (uint64_t)pair->kind);
}

/* The link to the open pair with this key, or to the place where it is to be added. */
static uint32_t *find_open(struct pd_spans *spans, uint64_t hash, const struct pd_pair *pair, const uint64_t key[3],
			   uint32_t *first)
{
	uint64_t index;
	*first = pd_hash_map_get(&spans->open_of, hash, &index) ? (uint32_t)index : UINT32_MAX;
	uint32_t *link = first;
	while (*link != UINT32_MAX && (spans->open[*link].pair->kind != pair->kind ||
				       memcmp(spans->open[*link].key, key, sizeof spans->open[*link].key)))
		link = &spans->open[*link].next;
	return link;
}

static enum perfdata_status set_first(struct pd_spans *spans, const struct pd_pair *pair, uint64_t hash, uint32_t first)
{
	/* keep the keys of threads, which come back soon; other keys, such as sectors, would become ever more */
	const bool stays = pair->key == PD_KEY_TID && !pair->fields[0];
	if (first == UINT32_MAX && !stays) {
		(void)pd_hash_map_remove(&spans->open_of, hash);
		return PERFDATA_OK;
	}
	return pd_hash_map_put(&spans->open_of, hash, first) < 0 ? PERFDATA_ENOMEM : PERFDATA_OK;
}

/* --- begin and end ------------------------------------------------------------------------------------------------ */

/* Begins the span of an open pair. NULL without memory. */
static struct pd_span *begin_span(struct pd_spans *spans, const struct pd_open_pair *open)
{
	struct pd_span *span = pd_spans_begin(spans, open->pair->kind);
	if (!span)
		return NULL;
	span->begin = open->begin.time;
	span->name = open->name;
	span->tid = open->tid;
	span->who = open->who;
	span->cpu = open->begin.cpu;
	span->stack = open->stack;
	span->begins = open->begin.place;
	span->event = open->event;
	span->args = (struct perfdata_bytes){ open->data, open->nr_data };
	return span;
}

/* A span without an end: the next begin came first, or an end of another name, or the recording ended (raw: NULL). */
static enum perfdata_status give_endless(struct pd_spans *spans, const struct pd_open_pair *open,
					 const struct perfdata_raw *raw)
{
	if (pd_spans_only_count(spans, open->pair->kind, open->begin.time, UINT64_MAX, !raw))
		return PERFDATA_OK;
	struct pd_span *span = begin_span(spans, open);
	return span ? pd_spans_give(spans, span, raw) : PERFDATA_ENOMEM;
}

/* Notes the system call in which the thread is, for the names of its waits. */
static enum perfdata_status note_syscall(struct pd_spans *spans, const struct pd_pair *pair, int32_t tid, uint32_t name)
{
	if (pair->kind != PERFDATA_SPAN_SYSCALL || !pd_spans_want(spans, PERFDATA_SPAN_OFF))
		return PERFDATA_OK;
	struct pd_span_thread *thread = pd_spans_thread(spans, tid, name != 0);
	if (thread)
		thread->syscall = name;
	return thread || !name ? PERFDATA_OK : PERFDATA_ENOMEM;
}

/* Copies the raw data into the slot's own memory. */
static enum perfdata_status keep_data(struct pd_spans *spans, struct pd_open_pair *slot, struct perfdata_bytes data)
{
	if (data.size > slot->data_room) {
		uint8_t *larger = pd_realloc(slot->data, data.size);
		if (!larger)
			return PERFDATA_ENOMEM;
		spans->open_data += data.size - slot->data_room;
		slot->data = larger;
		slot->data_room = data.size;
	}
	slot->nr_data = data.size;
	if (data.size)
		memcpy(slot->data, data.data, data.size);
	return PERFDATA_OK;
}

/* Closes a slot, which keeps its memory for raw data. */
static void close_slot(struct pd_spans *spans, uint32_t index)
{
	spans->open[index].pair = NULL;
	spans->open[index].next = spans->free_open;
	spans->free_open = index;
}

/* Returns a free slot's index; UINT32_MAX without memory. */
static uint32_t take_slot(struct pd_spans *spans)
{
	const uint32_t index = spans->free_open;
	if (index != UINT32_MAX) {
		spans->free_open = spans->open[index].next;
		return index;
	}
	if (pd_vector_grow(&spans->open, &spans->open_room, spans->nr_open, sizeof *spans->open) < 0)
		return UINT32_MAX;
	spans->open[spans->nr_open] = (struct pd_open_pair){ 0 };
	return (uint32_t)spans->nr_open++;
}

static enum perfdata_status begin_pair(struct pd_spans *spans, const struct pd_span_event *event,
				  const struct perfdata_raw *raw, struct perfdata_bytes data, const uint64_t key[3])
{
	const uint64_t hash = hash_of(spans, event->pair, key);
	uint32_t first, *link = find_open(spans, hash, event->pair, key, &first), name;
	struct pd_span_who who = { -1, PERFDATA_NONE, 0 };
	struct pd_span_stack stack;
	enum perfdata_status status = read_name(spans, event, data, &name);
	if (status == PERFDATA_OK)
		status = pd_spans_stack(spans, raw, &stack);
	spans->options.who(spans->options.user, raw->tid, &who);
	if (status == PERFDATA_OK)
		status = note_syscall(spans, event->pair, raw->tid, name + 1);
	const bool is_open = *link != UINT32_MAX;
	uint32_t index = *link, next = first;
	if (status == PERFDATA_OK && is_open) {
		next = spans->open[index].next;
		status = give_endless(spans, &spans->open[index], raw);
	}
	if (status != PERFDATA_OK)
		return status;
	if (!is_open && (index = take_slot(spans)) == UINT32_MAX)
		return PERFDATA_ENOMEM;
	struct pd_open_pair *slot = &spans->open[index];
	if (keep_data(spans, slot, spans->options.args ? data : (struct perfdata_bytes){ NULL, 0 }) != PERFDATA_OK)
		return PERFDATA_ENOMEM;
	slot->pair = event->pair;
	memcpy(slot->key, key, sizeof slot->key);
	slot->name = name;
	slot->tid = raw->tid;
	slot->who = who;
	slot->begin = pd_span_side(raw);
	slot->stack = stack;
	slot->event = raw->event;
	slot->next = next;
	return is_open ? PERFDATA_OK : set_first(spans, event->pair, hash, index);
}

/* Ends the span of an open pair, or one whose begin is unknown (open: NULL), which has the end's name. */
static enum perfdata_status give_pair(struct pd_spans *spans, const struct pd_span_event *event,
				      const struct pd_open_pair *open, const struct perfdata_raw *raw,
				      struct perfdata_bytes data, uint32_t name)
{
	const enum perfdata_span_kind kind = event->pair->kind;
	const uint64_t begin = open ? open->begin.time : UINT64_MAX;
	uint64_t result = 0;
	struct pd_span_who who = { -1, PERFDATA_NONE, 0 };
	if (!open)
		spans->options.who(spans->options.user, raw->tid, &who);
	if (pd_spans_only_count(spans, kind, begin, raw->time, false))
		return PERFDATA_OK;
	struct pd_span *span = open ? begin_span(spans, open) : pd_spans_begin(spans, kind);
	if (!span)
		return PERFDATA_ENOMEM;
	if (!open) {
		span->name = name;
		span->tid = raw->tid;
		span->who = who;
	}
	pd_span_set_end(span, raw->time, raw);
	span->has_result = pd_spans_number(spans, event->fields[4], data, &result);
	span->result = span->has_result ? (int64_t)result : 0;
	return pd_spans_give(spans, span, raw);
}

static enum perfdata_status end_pair(struct pd_spans *spans, const struct pd_span_event *event,
				     const struct perfdata_raw *raw, struct perfdata_bytes data, const uint64_t key[3])
{
	const uint64_t hash = hash_of(spans, event->pair, key);
	uint32_t first, *link = find_open(spans, hash, event->pair, key, &first), name = UINT32_MAX;
	enum perfdata_status status = event->pair->same_name ? read_name(spans, event, data, &name) : PERFDATA_OK;
	if (status != PERFDATA_OK)
		return status;
	const uint32_t index = *link;
	struct pd_open_pair *open = index == UINT32_MAX ? NULL : &spans->open[index];
	/* this end has another name: the open span lacks its end, and this end lacks its begin */
	const bool is_other = open && event->pair->same_name && open->name != name;
	if (open)
		*link = open->next;
	if (is_other)
		status = give_endless(spans, open, raw);
	if (status == PERFDATA_OK)
		status = note_syscall(spans, event->pair, raw->tid, 0);
	if (status == PERFDATA_OK)
		status = give_pair(spans, event, is_other ? NULL : open, raw, data, name);
	if (!open)
		return status;
	close_slot(spans, index);
	return status == PERFDATA_OK ? set_first(spans, event->pair, hash, first) : status;
}

enum perfdata_status pd_spans_pair(struct pd_spans *spans, const struct pd_span_event *event,
				   const struct perfdata_raw *raw, struct perfdata_bytes data)
{
	uint64_t key[3];
	if (!read_key(spans, event, raw, data, key))
		return PERFDATA_OK;
	spans->took = true;
	return event->role == PD_ROLE_BEGIN ? begin_pair(spans, event, raw, data, key)
					    : end_pair(spans, event, raw, data, key);
}

enum perfdata_status pd_spans_end_pairs(struct pd_spans *spans)
{
	enum perfdata_status status = PERFDATA_OK;
	for (size_t i = 0; i < spans->nr_open && status == PERFDATA_OK; i++) {
		if (spans->open[i].pair)
			status = give_endless(spans, &spans->open[i], NULL);
	}
	return status;
}
