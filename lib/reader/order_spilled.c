/* SPDX-License-Identifier: MIT */
#include "config.h"
#include <string.h>
#include "base/cancel.h"
#include "base/memory.h"
#include "reader/order_spilled.h"

#define SHARE 8u       /* the part of the memory limit that runs being read may take: an eighth */
#define LEAST_RUNS 8u  /* runs that may be read at once under any limit */
#define CHUNK_ROOM ((size_t)PD_CHUNK_HEADROOM + PD_CHUNK_SIZE)

void pd_spilled_free(struct pd_spilled *spilled)
{
	for (size_t i = 0; i < spilled->runs.nr; i++)
		pd_run_free(spilled->runs.heap[i].in.spilled);
	pd_spill_free(spilled->spill);
	pd_free(spilled->runs.heap);
	pd_chunk_drop(spilled->gathered);
}

void pd_spilled_trim(struct pd_spilled *spilled)
{
	pd_chunk_drop(spilled->gathered);
	spilled->gathered = NULL;
}

enum perfdata_status pd_spilled_add(struct pd_spilled *spilled, uint64_t time)
{
	struct pd_order_run added = { .time = time, .nr = 1, .next_part = PD_NO_PART };
	const enum perfdata_status status = pd_spill_finish(spilled->spill, &added.in.spilled);
	if (status != PERFDATA_OK)
		return status;
	spilled->next_number += 2;   /* see merge_runs */
	added.number = spilled->next_number;
	if (pd_runs_add(&spilled->runs, &added) != PERFDATA_OK) {
		pd_run_free(added.in.spilled);
		return PERFDATA_ENOMEM;
	}
	return PERFDATA_OK;
}

/* Moves the first run to its next record, and frees it at its end. */
static enum perfdata_status move_first_run(struct pd_order_runs *runs)
{
	struct pd_order_run *first = runs->heap;
	struct pd_run *run = first->in.spilled;
	const enum perfdata_status status = pd_run_move(run);
	const struct perfdata_raw *raw = pd_run_record(run);

	first->nr = raw != NULL;
	if (raw)
		first->time = raw->time;
	else
		pd_run_free(run);
	pd_runs_update(runs);
	return status;
}

/* Returns the oldest record. */
static enum perfdata_status find_first_record(struct pd_order_runs *runs, const struct perfdata_raw **ret)
{
	enum perfdata_status status = PERFDATA_OK;
	*ret = pd_run_record(runs->heap->in.spilled);
	if (!*ret) {                 /* the run was not read so far; pd_spilled_add knew the time of its first record */
		status = move_first_run(runs);
		if (status == PERFDATA_OK)
			*ret = pd_run_record(runs->heap->in.spilled);
	}
	return status;
}

/* --- merging ------------------------------------------------------------------------------------------------------ */

/* The number of runs that may be read at once. */
static size_t most_runs(const struct perfdata_reader *reader, const struct pd_spilled *spilled)
{
	const uint64_t nr = reader->options.max_memory / SHARE / pd_spill_run_memory(spilled->spill);
	return nr < LEAST_RUNS ? LEAST_RUNS : (size_t)nr;
}

/* Returns the lowest level such that it and lower levels have `least` runs together. A newer run never has a higher
 * level than an older one, so these runs are the newest. */
static uint32_t find_level(const struct pd_order_runs *runs, size_t least)
{
	for (uint32_t level = 0;; level++) {
		size_t nr = 0;
		for (size_t i = 0; i < runs->nr; i++)
			nr += runs->heap[i].level <= level;
		if (nr >= least)
			return level;
	}
}

/* Moves the runs up to a level into *ret_taken, which has room for them. Returns the least of their numbers. */
static uint64_t take_runs(struct pd_order_runs *runs, uint32_t level, struct pd_order_runs *ret_taken)
{
	const size_t nr = runs->nr;
	uint64_t number = UINT64_MAX;
	runs->nr = 0;
	for (size_t i = 0; i < nr; i++) {
		const struct pd_order_run run = runs->heap[i];
		if (run.level <= level && run.number < number)
			number = run.number;
		(void)pd_runs_add(run.level <= level ? ret_taken : runs, &run);
	}
	return number;
}

/* Writes the records of the runs as one run, up to the first failure. */
static enum perfdata_status write_runs(struct perfdata_reader *reader, struct pd_spill *spill,
				       struct pd_order_runs *runs)
{
	enum perfdata_status status = PERFDATA_OK;
	while (runs->nr && status == PERFDATA_OK) {
		const struct perfdata_raw *raw;
		status = pd_cancelled(reader->options.cancel) ? PERFDATA_EINTR : find_first_record(runs, &raw);
		if (status == PERFDATA_OK)
			status = pd_spill_add(spill, raw);
		if (status == PERFDATA_OK)
			status = move_first_run(runs);
	}
	return status;
}

/* Merges the runs up to a level into one of the next level. */
static enum perfdata_status merge_runs(struct perfdata_reader *reader, struct pd_spilled *spilled, uint32_t level)
{
	struct pd_order_runs *runs = &spilled->runs, left = { .room = runs->nr };
	left.heap = pd_malloc(left.room * sizeof *left.heap);
	/* room for all runs, and for what a merge that fails has written */
	if (!left.heap || pd_vector_grow(&runs->heap, &runs->room, runs->nr, sizeof *runs->heap) < 0) {
		pd_free(left.heap);
		return PERFDATA_ENOMEM;
	}
	struct pd_order_run merged = { .nr = 1, .next_part = PD_NO_PART, .level = level + 1 };
	merged.number = take_runs(runs, level, &left);
	merged.time = left.heap->time;
	enum perfdata_status status = write_runs(reader, spilled->spill, &left);
	if (status == PERFDATA_OK)
		status = pd_spill_finish(spilled->spill, &merged.in.spilled);
	if (status != PERFDATA_OK) {
		merged.in.spilled = pd_spill_stop(spilled->spill);
		merged.number--;     /* at equal times, its records come before those that are left */
	}
	if (merged.in.spilled)
		(void)pd_runs_add(runs, &merged);
	for (size_t i = 0; i < left.nr; i++)
		(void)pd_runs_add(runs, &left.heap[i]);
	pd_free(left.heap);
	return status;
}

enum perfdata_status pd_spilled_merge(struct perfdata_reader *reader, struct pd_spilled *spilled)
{
	const size_t most = most_runs(reader, spilled), nr = spilled->runs.nr;
	if (nr < most)
		return PERFDATA_OK;
	return merge_runs(reader, spilled, find_level(&spilled->runs, nr - most + 2));
}

/* --- records leave ------------------------------------------------------------------------------------------------ */

/* Makes room for a record in the chunk, or in a new one if no record of the chunk is returned with it. */
static enum perfdata_status make_room(struct perfdata_reader *reader, struct pd_spilled *spilled,
				      const struct perfdata_raw *raw, bool is_first)
{
	if (spilled->gathered && CHUNK_ROOM - spilled->gathered_bytes >= raw->size)
		return PERFDATA_OK;
	if (!is_first)
		return PERFDATA_END;
	pd_chunk_drop(spilled->gathered);
	spilled->gathered = pd_chunk_get(reader->pool);
	if (!spilled->gathered)
		return PERFDATA_ENOMEM;
	spilled->gathered->offset = raw->offset;
	spilled->gathered->size = 0;
	spilled->gathered_bytes = 0;
	return PERFDATA_OK;
}

static struct perfdata_raw copy_record(struct pd_spilled *spilled, const struct perfdata_raw *raw)
{
	struct perfdata_raw copy = *raw;
	uint8_t *bytes = spilled->gathered->data - PD_CHUNK_HEADROOM + spilled->gathered_bytes;
	memcpy(bytes, raw->bytes, raw->size);
	spilled->gathered_bytes += raw->size;
	copy.bytes = bytes;
	copy.chunk = spilled->gathered;
	return copy;
}

enum perfdata_status pd_spilled_take(struct perfdata_reader *reader, struct pd_spilled *spilled, uint64_t limit,
				     struct perfdata_raw *ret, unsigned *ret_nr)
{
	struct pd_order_runs *runs = &spilled->runs;
	enum perfdata_status status = PERFDATA_OK;
	unsigned nr = 0;
	while (status == PERFDATA_OK && nr < PD_MAX_RECORDS && runs->nr && runs->heap->time <= limit) {
		const struct perfdata_raw *raw;
		status = find_first_record(runs, &raw);
		if (status == PERFDATA_OK)
			status = make_room(reader, spilled, raw, !nr);
		if (status != PERFDATA_OK)
			break;
		ret[nr++] = copy_record(spilled, raw);
		status = move_first_run(runs);
	}
	*ret_nr = nr;
	return status < 0 ? status : nr ? PERFDATA_OK : PERFDATA_END;
}
