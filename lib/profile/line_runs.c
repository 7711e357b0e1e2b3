/* SPDX-License-Identifier: MIT */
#include "config.h"
#include <string.h>
#include "base/memory.h"
#include "base/spool.h"
#include "profile/line_runs.h"

#define MOST_OF_VARINT 10u
/* Bytes that are written, or read from all runs, at once. */
#define BYTES_AT_ONCE ((size_t)1 << 20)
#define MOST_OF_RUN ((size_t)64 << 10)
#define LEAST_OF_RUN ((size_t)4 << 10)

struct labels {
	uint32_t *items;
	size_t nr, room;
};
struct run {
	uint64_t from, end;                  /* what is not read yet, in the file */
	unsigned char *buffer;               /* while runs are merged */
	size_t at, filled;                   /* in the buffer */
	struct labels line;
	uint64_t weight;
	enum perfdata_status status;
};
struct pd_line_runs {
	struct pd_account *account;
	struct pd_spool spool;
	struct run *runs;
	size_t nr, room;
	unsigned char *pending;              /* bytes to write */
	size_t nr_pending;
	struct labels before;                /* the line before, while a run is written or runs are merged */
	struct pd_label_ranks ranks;
	size_t *heap;                        /* runs with lines left; the one with the first line is the first */
	size_t nr_heap;
	size_t buffer_size;
};

struct pd_line_runs *pd_line_runs_new(struct pd_account *account)
{
	struct pd_line_runs *runs = pd_calloc(1, sizeof *runs);
	if (!runs)
		return NULL;
	runs->account = account;
	pd_spool_init(&runs->spool, account ? account->tmpdir : NULL);
	return runs;
}

static void free_pending(struct pd_line_runs *runs)
{
	if (runs->pending)
		pd_account_give(runs->account, PD_USE_PROFILE, BYTES_AT_ONCE);
	pd_free(runs->pending);
	runs->pending = NULL;
}

void pd_line_runs_free(struct pd_line_runs *runs)
{
	if (!runs)
		return;
	for (size_t i = 0; i < runs->nr; i++) {
		if (runs->runs[i].buffer)
			pd_account_give(runs->account, PD_USE_PROFILE, runs->buffer_size);
		pd_free(runs->runs[i].buffer);
		pd_free(runs->runs[i].line.items);
	}
	free_pending(runs);
	pd_free(runs->runs);
	pd_free(runs->before.items);
	pd_free(runs->heap);
	pd_spool_release(&runs->spool);
	pd_free(runs);
}

/* --- writing ------------------------------------------------------------------------------------------------------ */

static enum perfdata_status flush_pending(struct pd_line_runs *runs)
{
	const size_t size = runs->nr_pending;
	runs->nr_pending = 0;
	return size ? pd_spool_append(&runs->spool, runs->pending, size) : PERFDATA_OK;
}

static enum perfdata_status put_varint(struct pd_line_runs *runs, uint64_t value)
{
	if (runs->nr_pending + MOST_OF_VARINT > BYTES_AT_ONCE) {
		const enum perfdata_status status = flush_pending(runs);
		if (status != PERFDATA_OK)
			return status;
	}
	for (; value >= 0x80; value >>= 7)
		runs->pending[runs->nr_pending++] = (unsigned char)(value | 0x80);
	runs->pending[runs->nr_pending++] = (unsigned char)value;
	return PERFDATA_OK;
}

static bool copy_labels(struct labels *to, const uint32_t *labels, size_t nr)
{
	if (pd_vector_grow(&to->items, &to->room, nr, sizeof *to->items) < 0)
		return false;
	memcpy(to->items, labels, nr * sizeof *labels);
	to->nr = nr;
	return true;
}

enum perfdata_status pd_line_runs_begin(struct pd_line_runs *runs)
{
	if (pd_vector_grow(&runs->runs, &runs->room, runs->nr, sizeof *runs->runs) < 0)
		return PERFDATA_ENOMEM;
	if (!runs->pending) {
		runs->pending = pd_malloc(BYTES_AT_ONCE);
		if (!runs->pending)
			return PERFDATA_ENOMEM;
		pd_account_take(runs->account, PD_USE_PROFILE, BYTES_AT_ONCE);
	}
	runs->runs[runs->nr++] = (struct run){ .from = runs->spool.size };
	runs->before.nr = 0;
	return PERFDATA_OK;
}

enum perfdata_status pd_line_runs_add(struct pd_line_runs *runs, const struct pd_line *line)
{
	size_t same = 0;
	while (same < line->nr && same < runs->before.nr && line->labels[same] == runs->before.items[same])
		same++;
	enum perfdata_status status = put_varint(runs, same);
	if (status == PERFDATA_OK)
		status = put_varint(runs, line->nr - same);
	for (size_t i = same; i < line->nr && status == PERFDATA_OK; i++)
		status = put_varint(runs, line->labels[i]);
	if (status == PERFDATA_OK)
		status = put_varint(runs, line->weight);
	if (status != PERFDATA_OK)
		return status;
	return copy_labels(&runs->before, line->labels, line->nr) ? PERFDATA_OK : PERFDATA_ENOMEM;
}

enum perfdata_status pd_line_runs_end(struct pd_line_runs *runs)
{
	const enum perfdata_status status = flush_pending(runs);
	runs->runs[runs->nr - 1].end = runs->spool.size;
	free_pending(runs);
	return status;
}

/* --- reading ------------------------------------------------------------------------------------------------------ */

static bool fill_buffer(struct pd_line_runs *runs, struct run *run)
{
	const uint64_t left = run->end - run->from;
	const size_t size = left < runs->buffer_size ? (size_t)left : runs->buffer_size;
	run->status = size ? pd_spool_read(&runs->spool, run->from, run->buffer, size) : PERFDATA_END;
	if (run->status != PERFDATA_OK)
		return false;
	run->from += size;
	run->at = 0;
	run->filled = size;
	return true;
}

/* Reads a varint; 0 at the end of the run or after a failure, see its status. */
static uint64_t take_varint(struct pd_line_runs *runs, struct run *run)
{
	uint64_t value = 0;
	for (unsigned shift = 0; shift < 64; shift += 7) {
		if (run->at == run->filled && !fill_buffer(runs, run))
			return 0;
		const unsigned char byte = run->buffer[run->at++];
		value |= (uint64_t)(byte & 0x7f) << shift;
		if (byte < 0x80)
			break;
	}
	return value;
}

/* Reads the next line of a run; its status says whether there is one. */
static void read_line(struct pd_line_runs *runs, struct run *run)
{
	const size_t same = (size_t)take_varint(runs, run);
	if (run->status != PERFDATA_OK)
		return;
	const size_t nr = same + (size_t)take_varint(runs, run);
	if (run->status == PERFDATA_OK &&
	    pd_vector_grow(&run->line.items, &run->line.room, nr, sizeof *run->line.items) < 0)
		run->status = PERFDATA_ENOMEM;
	for (size_t i = same; i < nr && run->status == PERFDATA_OK; i++)
		run->line.items[i] = (uint32_t)take_varint(runs, run);
	run->line.nr = nr;
	run->weight = take_varint(runs, run);
	if (run->status == PERFDATA_END)
		run->status = PERFDATA_EREAD;   /* the run ends within a line: the file was changed */
}

/* --- merging ------------------------------------------------------------------------------------------------------ */

static bool comes_first(const struct pd_line_runs *runs, size_t left, size_t right)
{
	const struct labels *a = &runs->runs[left].line, *b = &runs->runs[right].line;
	size_t i = 0;
	while (i < a->nr && i < b->nr && a->items[i] == b->items[i] && (i + 1 == a->nr) == (i + 1 == b->nr))
		i++;
	if (i == a->nr || i == b->nr)
		return false;   /* equal: no line is the beginning of another one */
	const uint32_t *ranks = runs->ranks.ranks;
	return ranks[2 * a->items[i] + (i + 1 == a->nr)] < ranks[2 * b->items[i] + (i + 1 == b->nr)];
}

static void sink(struct pd_line_runs *runs, size_t at)
{
	for (;;) {
		const size_t left = 2 * at + 1, right = left + 1;
		size_t first = at;
		if (left < runs->nr_heap && comes_first(runs, runs->heap[left], runs->heap[first]))
			first = left;
		if (right < runs->nr_heap && comes_first(runs, runs->heap[right], runs->heap[first]))
			first = right;
		if (first == at)
			return;
		const size_t swap = runs->heap[at];
		runs->heap[at] = runs->heap[first];
		runs->heap[first] = swap;
		at = first;
	}
}

/* Goes on to the next line of the run that is first. */
static enum perfdata_status pass_line(struct pd_line_runs *runs)
{
	struct run *run = &runs->runs[runs->heap[0]];
	read_line(runs, run);
	if (run->status == PERFDATA_END)
		runs->heap[0] = runs->heap[--runs->nr_heap];
	else if (run->status != PERFDATA_OK)
		return run->status;
	sink(runs, 0);
	return PERFDATA_OK;
}

enum perfdata_status pd_line_runs_merge(struct pd_line_runs *runs, const struct pd_label_ranks *ranks)
{
	runs->ranks = *ranks;
	runs->heap = pd_malloc(runs->nr * sizeof *runs->heap);
	if (!runs->heap)
		return PERFDATA_ENOMEM;
	runs->buffer_size = BYTES_AT_ONCE / runs->nr;
	runs->buffer_size = runs->buffer_size > MOST_OF_RUN    ? MOST_OF_RUN
			    : runs->buffer_size < LEAST_OF_RUN ? LEAST_OF_RUN
								: runs->buffer_size;
	for (size_t i = 0; i < runs->nr; i++) {
		struct run *run = &runs->runs[i];
		run->buffer = pd_malloc(runs->buffer_size);
		if (!run->buffer)
			return PERFDATA_ENOMEM;
		pd_account_take(runs->account, PD_USE_PROFILE, runs->buffer_size);
		read_line(runs, run);
		if (run->status == PERFDATA_OK)
			runs->heap[runs->nr_heap++] = i;
		else if (run->status != PERFDATA_END)
			return run->status;
	}
	for (size_t i = runs->nr_heap; i-- > 0;)
		sink(runs, i);
	return PERFDATA_OK;
}

static bool is_line(const struct labels *line, const struct labels *other)
{
	return line->nr == other->nr && memcmp(line->items, other->items, line->nr * sizeof *line->items) == 0;
}

enum perfdata_status pd_line_runs_next(struct pd_line_runs *runs, struct pd_line *ret)
{
	if (!runs->nr_heap)
		return PERFDATA_END;
	const struct run *first = &runs->runs[runs->heap[0]];
	if (!copy_labels(&runs->before, first->line.items, first->line.nr))
		return PERFDATA_ENOMEM;
	uint64_t weight = 0;
	do {
		if (__builtin_add_overflow(weight, runs->runs[runs->heap[0]].weight, &weight))
			weight = UINT64_MAX;
		const enum perfdata_status status = pass_line(runs);
		if (status != PERFDATA_OK)
			return status;
	} while (runs->nr_heap && is_line(&runs->before, &runs->runs[runs->heap[0]].line));
	*ret = (struct pd_line){ runs->before.items, runs->before.nr, weight };
	return PERFDATA_OK;
}
