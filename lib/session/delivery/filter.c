/* SPDX-License-Identifier: MIT */
#include "config.h"
#include <string.h>
#include "base/memory.h"
#include "base/option_struct.h"
#include "schema/decode.h"
#include "session/session.h"

static void *copy_list(struct pd_arena *arena, const void *list, size_t size)
{
	void *copy = pd_arena_alloc(arena, size ? size : 1);
	if (copy && size)
		memcpy(copy, list, size);
	return copy;
}

static const char *const *copy_texts(struct pd_arena *arena, const char *const *texts, size_t nr)
{
	const char **copy = pd_arena_alloc(arena, nr ? nr * sizeof *copy : 1);
	for (size_t i = 0; copy && i < nr; i++) {
		copy[i] = pd_arena_copy(arena, texts[i], strlen(texts[i]));
		if (!copy[i])
			return NULL;
	}
	return copy;
}

enum perfdata_status pd_filter_init(struct pd_filter *filter, const struct perfdata_filter *given,
				    struct perfdata_error *reterr)
{
	struct perfdata_filter *own = &filter->given;
	const enum perfdata_status status = PD_OPTIONS_COPY(own, nr_symbols, given, reterr);
	if (status != PERFDATA_OK)
		return status;
	if (own->time_last == 0)
		own->time_last = UINT64_MAX;
	own->pids = copy_list(&filter->arena, own->pids, own->nr_pids * sizeof *own->pids);
	own->tids = copy_list(&filter->arena, own->tids, own->nr_tids * sizeof *own->tids);
	own->cpus = copy_list(&filter->arena, own->cpus, own->nr_cpus * sizeof *own->cpus);
	own->types = copy_list(&filter->arena, own->types, own->nr_types * sizeof *own->types);
	own->events = copy_texts(&filter->arena, own->events, own->nr_events);
	own->comms = copy_texts(&filter->arena, own->comms, own->nr_comms);
	own->dsos = copy_texts(&filter->arena, own->dsos, own->nr_dsos);
	own->symbols = copy_texts(&filter->arena, own->symbols, own->nr_symbols);
	filter->places = own->nr_dsos || own->nr_symbols;
	if (!own->dsos || !own->symbols || !own->pids || !own->tids || !own->cpus || !own->types || !own->events ||
	    !own->comms)
		return PERFDATA_ENOMEM;
	for (size_t i = 0; i < own->nr_types; i++) {
		if (own->types[i] < 128)
			filter->type_bits[own->types[i] / 64] |= 1ull << own->types[i] % 64;
		else
			filter->other_types = true;
	}
	const bool of_samples = own->nr_pids || own->nr_tids || own->nr_cpus || own->nr_events || own->nr_comms ||
				own->time_first != 0 || own->time_last != UINT64_MAX;
	filter->any = of_samples || own->nr_types;
	filter->passes_samples = !of_samples && !filter->places &&
				 (!own->nr_types || filter->type_bits[0] >> PERFDATA_RECORD_SAMPLE & 1);
	return PERFDATA_OK;
}

void pd_filter_release(struct pd_filter *filter)
{
	pd_arena_release(&filter->arena);
	pd_free(filter->event_ok);
	pd_free(filter->frame_ok);
}

bool pd_glob(const char *pattern, const char *text)
{
	const char *star = NULL, *resume = NULL;
	while (*text) {
		if (*pattern == '*') {
			star = pattern++;
			resume = text;
		} else if (*pattern == '?' || *pattern == *text) {
			pattern++;
			text++;
		} else if (star) {
			pattern = star + 1;
			text = ++resume;
		} else {
			return false;
		}
	}
	while (*pattern == '*')
		pattern++;
	return !*pattern;
}

static bool any_matches(const char *const *patterns, size_t nr, const char *text)
{
	for (size_t i = 0; i < nr; i++)
		if (pd_glob(patterns[i], text))
			return true;
	return false;
}

static bool has_s32(const int32_t *list, size_t nr, int32_t value)
{
	for (size_t i = 0; i < nr; i++)
		if (list[i] == value)
			return true;
	return false;
}

static bool has_u32(const uint32_t *list, size_t nr, uint32_t value)
{
	for (size_t i = 0; i < nr; i++)
		if (list[i] == value)
			return true;
	return false;
}

/* The record's own number where its layout has one (pid and tid of COMM, MMAP2, FORK, …; cpu of STAT), else the
 * sample's or the trailer's. */
static int32_t own_or(const struct perfdata_record *record, const char *name, int32_t otherwise)
{
	const struct perfdata_layout *layout = record->layout;
	for (uint32_t i = 0; layout && i < layout->nr_fields; i++) {
		const struct perfdata_field *field = &layout->fields[i];
		const bool is_number = field->kind == PERFDATA_KIND_S32 || field->kind == PERFDATA_KIND_U32;
		if (is_number && record->u.present >> i & 1 && !strcmp(field->name, name)) {
			int32_t value;
			memcpy(&value, (const char *)&record->u + field->member, sizeof value);
			return value;
		}
	}
	return otherwise;
}

bool pd_filter_asks_owner(const struct pd_filter *filter, const struct perfdata_raw *raw)
{
	const struct perfdata_filter *given = &filter->given;
	const bool asks = given->nr_cpus || given->nr_events || given->nr_pids || given->nr_tids;
	return asks && !given->samples_only && raw->type >= PERFDATA_RECORD_USER_FIRST &&
	       !(raw->flags & PERFDATA_RAW_SYNTHESIZED);
}

void pd_filter_set_owner(struct perfdata_raw *raw, const struct perfdata_reader *reader)
{
	struct perfdata_record record;
	if (perfdata_raw_decode(reader, raw, &record) != PERFDATA_OK)
		return;
	raw->pid = own_or(&record, "pid", raw->pid);
	raw->tid = own_or(&record, "tid", raw->tid);
	raw->cpu = (uint32_t)own_or(&record, "cpu", (int32_t)raw->cpu);
	if (raw->type == PERFDATA_RECORD_STAT)
		raw->event = perfdata_reader_event_by_id(reader, record.u.stat.id);
}

static bool task_passes(const struct perfdata_filter *given, const struct perfdata_raw *raw)
{
	int32_t pid = raw->pid, tid = raw->tid;
	if (raw->type != PERFDATA_RECORD_SAMPLE && raw->event) {
		struct perfdata_record record;
		(void)perfdata_decode(raw->event->config, raw->bytes, raw->size, &record);
		pid = own_or(&record, "pid", pid);
		tid = own_or(&record, "tid", tid);
	}
	return (!given->nr_pids || has_s32(given->pids, given->nr_pids, pid)) &&
	       (!given->nr_tids || has_s32(given->tids, given->nr_tids, tid));
}

static bool name_passes(const struct perfdata_filter *given, const char *name)
{
	for (size_t i = 0; i < given->nr_events; i++)
		if (strcmp(given->events[i], name) == 0 || pd_glob(given->events[i], name))
			return true;
	return false;
}

bool pd_filter_event(struct pd_filter *filter, const struct perfdata_event *event)
{
	if (!filter->given.nr_events)
		return true;
	if (!event)
		return false;
	size_t version = event->version;
	if (version >= filter->event_ok_room) {
		size_t old = filter->event_ok_room;
		if (pd_vector_grow(&filter->event_ok, &filter->event_ok_room, version, 1) < 0)
			return name_passes(&filter->given, event->name);
		memset(filter->event_ok + old, 0, filter->event_ok_room - old);
	}
	if (!filter->event_ok[version])
		filter->event_ok[version] = name_passes(&filter->given, event->name) ? 1 : -1;
	return filter->event_ok[version] > 0;
}

static bool type_passes(const struct pd_filter *filter, uint32_t type)
{
	if (type < 128)
		return filter->type_bits[type / 64] >> type % 64 & 1;
	return filter->other_types && has_u32(filter->given.types, filter->given.nr_types, type);
}

bool pd_filter_record(struct pd_filter *filter, const struct perfdata_raw *raw, const char *comm, unsigned conditions)
{
	if (!filter->any)
		return true;
	const struct perfdata_filter *given = &filter->given;
	if (conditions & PD_FILTER_TYPE && given->nr_types && !type_passes(filter, raw->type))
		return false;
	if (given->samples_only && raw->type != PERFDATA_RECORD_SAMPLE)
		return !given->nr_cpus || has_u32(given->cpus, given->nr_cpus, raw->cpu);
	/* with samples_only, as in perf, a time of 0 is before all other times, and a missing time is after them */
	const bool has_time = given->samples_only || (raw->time != UINT64_MAX && raw->time != 0);
	if (has_time && (raw->time < given->time_first || raw->time > given->time_last))
		return false;
	if ((given->nr_pids || given->nr_tids) && !task_passes(given, raw))
		return false;
	if (given->nr_cpus && !has_u32(given->cpus, given->nr_cpus, raw->cpu))
		return false;
	if (given->nr_comms && (!comm || !any_matches(given->comms, given->nr_comms, comm)))
		return false;
	return !(conditions & PD_FILTER_EVENT) || pd_filter_event(filter, raw->event);
}

static bool frame_passes(const struct perfdata_session *session, uint32_t index)
{
	const struct perfdata_filter *given = &session->filter.given;
	const struct perfdata_frame *frame = perfdata_session_frame(session, index);
	const struct perfdata_dso *dso = frame ? perfdata_session_dso(session, frame->dso) : NULL;
	struct perfdata_symbol symbol;
	if (!dso)
		return false;
	if (given->nr_dsos) {
		const char *slash = strrchr(dso->long_name, '/');
		if (!any_matches(given->dsos, given->nr_dsos, dso->long_name) &&
		    !any_matches(given->dsos, given->nr_dsos, slash ? slash + 1 : dso->long_name))
			return false;
	}
	return !given->nr_symbols ||
	       (perfdata_session_symbol(session, index, session->state->now, &symbol) == PERFDATA_OK &&
		any_matches(given->symbols, given->nr_symbols, symbol.name));
}

/* Keeps the result for each frame. */
enum perfdata_status pd_filter_place(struct perfdata_session *session, const struct perfdata_raw *raw, bool *ret)
{
	struct pd_filter *filter = &session->filter;
	struct perfdata_record record;
	*ret = false;
	if (raw->type != PERFDATA_RECORD_SAMPLE || !raw->event || !(raw->event->attr->sample_type & PERFDATA_SAMPLE_IP))
		return PERFDATA_OK;
	(void)perfdata_decode(raw->event->config, raw->bytes, raw->size, &record);
	struct pd_thread *thread = pd_thread_get(session->state, raw->pid, raw->tid);
	if (!thread)
		return PERFDATA_ENOMEM;
	session->state->now = raw->time;
	const uint32_t frame = pd_frame_of(session->state, thread, raw->misc & PERFDATA_CPUMODE_MASK,
					   record.u.sample.ip);
	if (frame == PERFDATA_NONE)
		return session->state->status;
	const size_t old = filter->frame_ok_room;
	if (pd_vector_grow(&filter->frame_ok, &filter->frame_ok_room, frame, 1) < 0)
		return PERFDATA_ENOMEM;
	memset(filter->frame_ok + old, 0, filter->frame_ok_room - old);
	if (!filter->frame_ok[frame])
		filter->frame_ok[frame] = frame_passes(session, frame) ? 1 : -1;
	*ret = filter->frame_ok[frame] > 0;
	return PERFDATA_OK;
}
