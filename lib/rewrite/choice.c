/* SPDX-License-Identifier: MIT */
/* Decides which records are copied. Samples are chosen by their place in the input. Other records of the kernel are
 * copied if their time is in the chosen range and, if they are not about the state of threads, maps and code, their
 * thread and CPU pass the filter. Records about the state before that range are written without times, before all
 * records that have a time. */
#include "config.h"
#include <stdlib.h>
#include "base/cancel.h"
#include "base/memory.h"
#include "rewrite/rewriter.h"
#include "schema/schema.h"
#include "reader/reader.h"
#include "session/session.h"
#include "write/writing.h"

/* Returns the file and offset of a record. For a record in a carrier: the offset among the decompressed bytes. */
uint64_t pd_choice_key(const struct perfdata_raw *raw)
{
	const bool inner = raw->inner != PERFDATA_NO_OFFSET;
	return (uint64_t)raw->file << 48 | (uint64_t)inner << 47 |
	       ((inner ? raw->inner : raw->offset) & ((UINT64_C(1) << 47) - 1));
}

static int compare_numbers(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
	return (x > y) - (x < y);
}

static enum perfdata_status add_key(struct perfdata_rewriter *rewriter, uint64_t **keys, size_t *nr, size_t *room,
				    uint64_t key)
{
	if (pd_vector_grow(keys, room, *nr, sizeof **keys) < 0)
		return pd_rewrite_failed(rewriter, PERFDATA_ENOMEM, NULL);
	(*keys)[(*nr)++] = key;
	return PERFDATA_OK;
}

/* Whether chains of user space follow samples of the event in records of their own. */
static bool defers_chains(const struct perfdata_event *event)
{
	return event && perfdata_attr_has(event->attr, PERFDATA_ATTR_DEFER_CALLCHAIN);
}

static enum perfdata_status keep_sample(struct perfdata_rewriter *rewriter, const struct perfdata_raw *raw)
{
	struct pd_choice *choice = &rewriter->choice;

	if (defers_chains(raw->event) && pd_hash_map_put(&choice->deferring, (uint32_t)raw->tid, 1) < 0)
		return pd_rewrite_failed(rewriter, PERFDATA_ENOMEM, NULL);
	return add_key(rewriter, &choice->kept, &choice->nr_kept, &choice->kept_room, pd_choice_key(raw));
}

/* Whether the record is about one thread or CPU, and no other record needs it. */
static bool has_owner(const struct perfdata_rewriter *rewriter, const struct perfdata_session *session,
		      const struct perfdata_raw *raw)
{
	switch (raw->type) {
	case PERFDATA_RECORD_SWITCH:
	case PERFDATA_RECORD_SWITCH_CPU_WIDE:
		if (rewriter->keeps_aux)
			return false;
		break;
	case PERFDATA_RECORD_LOST:
	case PERFDATA_RECORD_LOST_SAMPLES:
	case PERFDATA_RECORD_THROTTLE:
	case PERFDATA_RECORD_UNTHROTTLE:
	case PERFDATA_RECORD_READ:
		break;
	case PERFDATA_RECORD_STAT:
		return session->filter.given.nr_cpus;   /* its thread is an index into THREAD_MAP */
	default:
		return false;
	}
	return raw->pid != -1 || raw->tid != -1 || raw->cpu != UINT32_MAX;
}

/* Decides about a record while the session is in the state before it. Samples without counters are decided later. */
static enum perfdata_status choose_record(void *user, struct perfdata_session *session, const struct perfdata_raw *raw)
{
	struct perfdata_rewriter *rewriter = user;
	struct pd_choice *choice = &rewriter->choice;
	enum perfdata_status status = PERFDATA_OK;
	bool wanted = true;

	if (raw->type == PERFDATA_RECORD_AUXTRACE_INFO)
		rewriter->keeps_aux = true;
	if (pd_reads_counters(raw)) {
		status = pd_session_wants(session, raw, PD_FILTER_TYPE, &wanted);
		if (status == PERFDATA_OK)
			status = pd_counters_choose(rewriter, session, raw, wanted, &wanted);
		return status == PERFDATA_OK && wanted ? keep_sample(rewriter, raw) : status;
	}
	if (has_owner(rewriter, session, raw))
		status = pd_session_wants(session, raw, PD_FILTER_EVENT, &wanted);
	return wanted ? status
		      : add_key(rewriter, &choice->left_out, &choice->nr_left_out, &choice->left_out_room,
				pd_choice_key(raw));
}

static void sort_keys(uint64_t *keys, size_t nr)
{
	if (nr)
		qsort(keys, nr, sizeof *keys, compare_numbers);
}

enum perfdata_status perfdata_rewriter_choose(struct perfdata_rewriter *rewriter, struct perfdata_session *session,
					      uint64_t first, uint64_t last)
{
	struct pd_choice *choice = &rewriter->choice;
	struct perfdata_batch *batch;
	enum perfdata_status status = pd_rewrite_accept(rewriter, pd_session_reader(session), 0);

	if (status == PERFDATA_OK && !pd_session_gives(session, PERFDATA_NEED_RECORDS))
		status = pd_rewrite_failed(rewriter, PERFDATA_EUSAGE, "the session that chooses gives no records");
	if (status != PERFDATA_OK)
		return status;
	choice->chosen = true;
	choice->first = first;
	choice->last = last ? last : UINT64_MAX;
	pd_session_watch(session, choose_record, rewriter);
	while ((status = perfdata_session_next(session, &batch)) == PERFDATA_OK) {
		for (size_t i = 0; i < batch->nr_records && status == PERFDATA_OK; i++)
			if (batch->records[i].type == PERFDATA_RECORD_SAMPLE && !pd_reads_counters(&batch->records[i]))
				status = keep_sample(rewriter, &batch->records[i]);
		perfdata_batch_release(batch);
		if (pd_cancelled(rewriter->options.cancel))
			status = pd_rewrite_failed(rewriter, PERFDATA_EINTR, NULL);
		if (status != PERFDATA_OK)
			break;
	}
	pd_session_watch(session, NULL, NULL);
	if (rewriter->error.status != PERFDATA_OK)
		return rewriter->error.status;
	if (!pd_rewrite_is_end(pd_session_reader(session), status)) {
		rewriter->error = *perfdata_session_error(session);
		return status;
	}
	sort_keys(choice->kept, choice->nr_kept);
	sort_keys(choice->left_out, choice->nr_left_out);
	pd_counters_chosen(rewriter);
	return PERFDATA_OK;
}

/* --- state ------------------------------------------------------------------------------------------------------- */

static bool is_state(uint32_t type)
{
	switch (type) {
	case PERFDATA_RECORD_MMAP:
	case PERFDATA_RECORD_MMAP2:
	case PERFDATA_RECORD_COMM:
	case PERFDATA_RECORD_FORK:
	case PERFDATA_RECORD_EXIT:
	case PERFDATA_RECORD_NAMESPACES:
	case PERFDATA_RECORD_KSYMBOL:
	case PERFDATA_RECORD_BPF_EVENT:
	case PERFDATA_RECORD_CGROUP:
	case PERFDATA_RECORD_TEXT_POKE:
		return true;
	default:
		return false;
	}
}

bool pd_choice_is_past(const struct perfdata_rewriter *rewriter, const struct perfdata_raw *raw)
{
	return is_state(raw->type) && pd_has_time(raw) && raw->time < rewriter->choice.first;
}

void pd_forget_time(struct perfdata_record *record)
{
	record->sample_id = (struct perfdata_sample_id){ .present = record->sample_id.present };
	if (record->type == PERFDATA_RECORD_FORK || record->type == PERFDATA_RECORD_EXIT)
		record->u.task.time = 0;
}

static enum perfdata_status keep_state(struct perfdata_rewriter *rewriter, const struct perfdata_raw *raw,
				       const struct perfdata_config *source)
{
	uint8_t out[PD_RECORD_ROOM];
	struct perfdata_record record;
	struct perfdata_config target;
	size_t size;

	if (perfdata_decode(source, raw->bytes, raw->size, &record) != PERFDATA_OK &&
	    record.problem_code != PERFDATA_FINDING_TEXT_UNTERMINATED)
		return PERFDATA_OK;
	pd_forget_time(&record);
	pd_config_init(&target, source->has_attr ? &source->attr : NULL, rewriter->order);
	enum perfdata_status status = pd_encode_record(&target, source, &record, out, &size);
	if (status != PERFDATA_OK)
		return pd_rewrite_failed(rewriter, status, NULL);
	uint8_t *copy = (uint8_t *)pd_arena_copy(&rewriter->arena, out, size);
	if (!copy ||
	    pd_vector_grow(&rewriter->state, &rewriter->state_room, rewriter->nr_state, sizeof *rewriter->state) < 0)
		return pd_rewrite_failed(rewriter, PERFDATA_ENOMEM, NULL);
	rewriter->state[rewriter->nr_state++] = (struct perfdata_bytes){ copy, size };
	return PERFDATA_OK;
}

static enum perfdata_status keep_earlier_state(struct perfdata_rewriter *rewriter, struct perfdata_reader *reader,
					       const struct perfdata_raw *raw)
{
	return pd_choice_is_past(rewriter, raw) ? keep_state(rewriter, raw, pd_rewrite_source(reader, raw))
						: PERFDATA_OK;
}

enum perfdata_status perfdata_rewriter_look_back(struct perfdata_rewriter *rewriter, struct perfdata_reader *reader)
{
	const enum perfdata_status status = pd_rewrite_accept(rewriter, reader, PD_DEMAND_TIME);

	rewriter->order = pd_rewrite_order_of(&rewriter->options, reader);
	return status == PERFDATA_OK ? pd_rewrite_each(rewriter, reader, keep_earlier_state) : status;
}

enum perfdata_status pd_choice_write_state(struct perfdata_rewriter *rewriter)
{
	enum perfdata_status status = PERFDATA_OK;

	if (rewriter->state_written)
		return status;
	rewriter->state_written = true;
	for (size_t i = 0; i < rewriter->nr_state && status == PERFDATA_OK; i++) {
		status = pd_rewrite_written(rewriter, pd_writer_record(rewriter->writer, rewriter->state[i].data,
									     rewriter->state[i].size));
		rewriter->counts.records++;
	}
	return status;
}

/* --- the choice -------------------------------------------------------------------------------------------------- */

static bool has_key(const uint64_t *keys, size_t nr, uint64_t key)
{
	return nr && bsearch(&key, keys, nr, sizeof key, compare_numbers);
}

bool pd_belongs_to_aux(uint32_t type)
{
	return type == PERFDATA_RECORD_AUX || type == PERFDATA_RECORD_ITRACE_START ||
	       type == PERFDATA_RECORD_AUX_OUTPUT_HW_ID || type == PERFDATA_RECORD_SWITCH ||
	       type == PERFDATA_RECORD_SWITCH_CPU_WIDE;
}

bool pd_choice_keeps(struct perfdata_rewriter *rewriter, const struct perfdata_raw *raw)
{
	const struct pd_choice *choice = &rewriter->choice;
	uint64_t unused;

	if (!choice->chosen)
		return true;
	if (raw->type == PERFDATA_RECORD_SAMPLE) {
		if (has_key(choice->kept, choice->nr_kept, pd_choice_key(raw)))
			return true;
		rewriter->counts.samples_left_out++;
		return false;
	}
	if (has_key(choice->left_out, choice->nr_left_out, pd_choice_key(raw)))
		return false;
	if (raw->type >= PERFDATA_RECORD_USER_FIRST)
		return true;
	if (raw->type == PERFDATA_RECORD_CALLCHAIN_DEFERRED &&
	    !pd_hash_map_get(&choice->deferring, (uint32_t)raw->tid, &unused))
		return false;
	if (!pd_has_time(raw) || (raw->time >= rewriter->choice.first && raw->time <= rewriter->choice.last))
		return true;
	/* a merge copies in the order of time, so it writes this state in its turn */
	if (rewriter->merge && pd_choice_is_past(rewriter, raw))
		return true;
	/* a deferred chain belongs to a sample before it */
	if (raw->type == PERFDATA_RECORD_CALLCHAIN_DEFERRED)
		return raw->time > rewriter->choice.last;
	return rewriter->keeps_aux && pd_belongs_to_aux(raw->type);
}
