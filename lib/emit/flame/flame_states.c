/* SPDX-License-Identifier: MIT */
#include "config.h"
#include <stdlib.h>
#include "base/hash.h"
#include "base/memory.h"
#include "emit/flame/flame_states.h"
#include "session/session.h"

/* Limits of the cells of a strip, and of the nonempty cells of all strips. Beyond them pairs of cells are joined, until
 * strips have LEAST_CELLS; later threads get no strip. */
enum { MOST_CELLS = 1024, LEAST_CELLS = 32, MOST_ENTRIES = 1 << 19 };

/* A key consists of thread, cell (HALF is the cell of `base`) and state. */
enum { STATE_BITS = 4, CELL_BITS = 20, HALF = 1 << (CELL_BITS - 1) };

struct flame_states_part {
	size_t nr;
	struct state_span {
		uint64_t begin, end;
		uint32_t thread;
		enum pd_span_state state;
	} spans[];
};

struct flame_states {
	struct pd_account *account;
	size_t accounted;
	struct pd_hash_map times;    /* key → ns */
	unsigned shift;              /* a cell is 1 << shift ns */
	uint64_t base;               /* a time in the cell HALF */
	uint64_t first, last;        /* cells in use; cell 0 begins at time 0 */
	bool any;
	unsigned most_cells;         /* limit of a strip's cells: MOST_CELLS, or less after joining */
	struct pd_hash_map threads;  /* set of threads with cells */
	struct pd_hash_map left_out; /* set of threads without a strip */
	struct flame_state_cell *cells;
};

struct flame_states *pd_flame_states_new(struct pd_account *account)
{
	struct flame_states *states = pd_calloc(1, sizeof *states);
	if (!states)
		return NULL;
	states->account = account;
	states->most_cells = MOST_CELLS;
	return states;
}

void pd_flame_states_free(struct flame_states *states)
{
	if (!states)
		return;
	pd_account_give(states->account, PD_USE_PROFILE, states->accounted);
	pd_hash_map_release(&states->times);
	pd_hash_map_release(&states->threads);
	pd_hash_map_release(&states->left_out);
	pd_free(states->cells);
	pd_free(states);
}

/* --- of a batch --------------------------------------------------------------------------------------------------- */

struct flame_states_part *pd_flame_states_collect(const struct perfdata_batch *batch)
{
	size_t nr;
	const struct pd_span *spans = pd_batch_spans(batch, &nr);
	/* time off the CPU may have two states: waiting, then on the run queue */
	struct flame_states_part *part = pd_malloc(sizeof *part + 2 * nr * sizeof *part->spans);
	if (!part)
		return NULL;
	part->nr = 0;
	for (size_t i = 0; i < nr; i++) {
		const struct pd_span *span = &spans[i];
		const bool run = span->kind == PERFDATA_SPAN_RUN;
		if ((!run && span->kind != PERFDATA_SPAN_OFF) || span->tid <= 0 || !pd_span_is_whole(span))
			continue;
		const bool queues = !run && span->state != PD_STATE_PREEMPTED && span->queued != UINT64_MAX &&
				    span->queued <= pd_span_duration(span);
		const uint64_t woken = queues ? span->end - span->queued : span->end;
		part->spans[part->nr++] = (struct state_span){ span->begin, woken, span->who.thread,
							       run ? PD_STATE_RUNNING : span->state };
		if (queues)
			part->spans[part->nr++] = (struct state_span){ woken, span->end, span->who.thread,
								       PD_STATE_RUN_QUEUE };
	}
	return part;
}

void pd_flame_states_part_free(struct flame_states_part *part) { pd_free(part); }

/* --- cells -------------------------------------------------------------------------------------------------------- */

/* For cells of 1 << shift ns. */
static uint64_t key_of(const struct flame_states *states, unsigned shift, uint32_t thread, uint64_t cell,
		       enum pd_span_state state)
{
	const uint64_t place = cell - (states->base >> shift) + HALF;
	return (uint64_t)thread << (CELL_BITS + STATE_BITS) | place << STATE_BITS | (uint64_t)state;
}

static uint64_t cell_of(const struct flame_states *states, uint64_t key)
{
	return (key >> STATE_BITS & ((1u << CELL_BITS) - 1)) - HALF + (states->base >> states->shift);
}

static bool add_time(struct pd_hash_map *times, uint64_t key, uint64_t time)
{
	uint64_t before = 0;
	(void)pd_hash_map_get(times, key, &before);
	return pd_hash_map_put(times, key, before + time) == 0;
}

/* Doubles the width of cells. */
static bool join_pairs(struct flame_states *states)
{
	struct pd_hash_map before = states->times;
	size_t position = 0;
	uint64_t key, time;
	bool fine = true;
	states->times = (struct pd_hash_map){ 0 };
	while (fine && pd_hash_map_each(&before, &position, &key, &time)) {
		const uint64_t cell = cell_of(states, key);
		const uint64_t joined = key_of(states, states->shift + 1,
					       (uint32_t)(key >> (CELL_BITS + STATE_BITS)), cell >> 1,
					       (enum pd_span_state)(key & ((1u << STATE_BITS) - 1)));
		fine = add_time(&states->times, joined, time);
	}
	pd_hash_map_release(&before);
	states->shift++;
	states->first >>= 1;
	states->last >>= 1;
	return fine;
}

/* Widens the cells until the strip with this span has no more than most_cells. */
static bool fit_span(struct flame_states *states, const struct state_span *span)
{
	if (!states->any) {
		states->any = true;
		states->base = span->begin;
		states->first = states->last = span->begin >> states->shift;
	}
	for (;;) {
		const uint64_t begin = span->begin >> states->shift, end = span->end >> states->shift;
		const uint64_t first = begin < states->first ? begin : states->first,
			       last = end > states->last ? end : states->last;
		if (last - first < states->most_cells) {
			states->first = first;
			states->last = last;
			return true;
		}
		if (!join_pairs(states))
			return false;
	}
}

/* *ret: whether the thread has a strip; false if there are too many cells. */
static enum perfdata_status admit_thread(struct flame_states *states, uint32_t thread, bool *ret)
{
	uint64_t known;
	*ret = pd_hash_map_get(&states->threads, thread, &known);
	if (*ret)
		return PERFDATA_OK;
	if (states->times.count >= MOST_ENTRIES && states->most_cells <= LEAST_CELLS)
		return pd_hash_map_put(&states->left_out, thread, 1) < 0 ? PERFDATA_ENOMEM : PERFDATA_OK;
	*ret = true;
	return pd_hash_map_put(&states->threads, thread, 1) < 0 ? PERFDATA_ENOMEM : PERFDATA_OK;
}

static enum perfdata_status add_span(struct flame_states *states, const struct state_span *span)
{
	bool admitted;
	const enum perfdata_status status = admit_thread(states, span->thread, &admitted);
	if (status != PERFDATA_OK || !admitted || span->end <= span->begin)
		return status;
	if (!fit_span(states, span))
		return PERFDATA_ENOMEM;
	for (uint64_t at = span->begin; at < span->end;) {
		const uint64_t cell = at >> states->shift, next = (cell + 1) << states->shift,
			       end = next > at && next < span->end ? next : span->end;
		if (!add_time(&states->times, key_of(states, states->shift, span->thread, cell, span->state), end - at))
			return PERFDATA_ENOMEM;
		at = end;
	}
	while (states->times.count > MOST_ENTRIES && states->most_cells > LEAST_CELLS) {
		states->most_cells /= 2;
		if (states->last - states->first >= states->most_cells && !join_pairs(states))
			return PERFDATA_ENOMEM;
	}
	return PERFDATA_OK;
}

enum perfdata_status pd_flame_states_add(struct flame_states *states, const struct flame_states_part *part)
{
	enum perfdata_status status = PERFDATA_OK;
	for (size_t i = 0; i < part->nr && status == PERFDATA_OK; i++)
		status = add_span(states, &part->spans[i]);
	const size_t size = sizeof(struct pd_hash_map_slot) * (states->times.capacity + states->threads.capacity +
							       states->left_out.capacity);
	pd_account_change(states->account, PD_USE_PROFILE, states->accounted, size);
	states->accounted = size;
	return status == PERFDATA_OK && pd_account_is_exhausted(states->account) ? PERFDATA_ENOMEM : status;
}

/* --- the end ------------------------------------------------------------------------------------------------------ */

static int compare_cells(const void *left, const void *right)
{
	const struct flame_state_cell *a = left, *b = right;
	if (a->thread != b->thread)
		return a->thread < b->thread ? -1 : 1;
	if (a->cell != b->cell)
		return a->cell < b->cell ? -1 : 1;
	return (a->state > b->state) - (a->state < b->state);
}

const struct flame_state_cell *pd_flame_states_cells(struct flame_states *states,
						     uint32_t (*number)(void *user, uint32_t thread), void *user,
						     size_t *ret_nr)
{
	size_t position = 0, nr = 0;
	uint64_t key, time;
	*ret_nr = 0;
	pd_free(states->cells);
	states->cells = pd_calloc(states->times.count + 1, sizeof *states->cells);
	while (states->cells && pd_hash_map_each(&states->times, &position, &key, &time)) {
		const uint32_t thread = number(user, (uint32_t)(key >> (CELL_BITS + STATE_BITS)));
		if (thread != UINT32_MAX)
			states->cells[nr++] = (struct flame_state_cell){
				.thread = thread,
				.cell = (uint32_t)(cell_of(states, key) - states->first),
				.state = (enum pd_span_state)(key & ((1u << STATE_BITS) - 1)),
				.time = time,
			};
	}
	if (nr)
		qsort(states->cells, nr, sizeof *states->cells, compare_cells);
	*ret_nr = nr;
	return states->cells;
}

uint64_t pd_flame_states_width(const struct flame_states *states) { return UINT64_C(1) << states->shift; }
uint64_t pd_flame_states_begin(const struct flame_states *states) { return states->first << states->shift; }
size_t pd_flame_states_left_out(const struct flame_states *states) { return states->left_out.count; }
