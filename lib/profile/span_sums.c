/* SPDX-License-Identifier: MIT */
#include "config.h"
#include <stdlib.h>
#include <string.h>
#include "base/memory.h"
#include "base/table.h"
#include "profile/span_sums.h"
#include "session/session.h"

/* A bucket counts spans of nearly the same length: the same length below 1,024 ns, the same eleven highest bits
 * above. */
#define FINE_BITS 10u

struct sum {
	struct pd_span_row row;
	uint32_t group;                        /* number of the thread, or of another requested key */
};
#define RECENT_SUMS 64u                        /* a power of two */
struct pd_span_part {
	struct sum *sums;                      /* of the batch alone; one row may come several times */
	uint32_t *indexes;                     /* by index of such a sum: the index of the sum of all batches */
	size_t nr_sums, sums_room;
	uint32_t recent[RECENT_SUMS];          /* by hash of the row: index of the sum used last + 1, or 0 */
	size_t nr_lengths;
	struct length {
		uint64_t length;
		uint32_t sum;
	} lengths[];
};
struct bucket {
	uint64_t count, most;
	uint32_t row, place;
};
struct pd_span_sums {
	const struct perfdata_session *session;
	enum perfdata_span_kind kind;
	enum pd_span_by by;
	struct sum *sums;
	size_t nr, room;
	struct pd_index index;
	uint64_t seed;
	struct bucket *buckets;
	size_t nr_buckets, buckets_room;
	struct pd_hash_map bucket_of;          /* index of the row << 32 | place → index of the bucket */
	size_t accounted;
	struct pd_span_row *rows;              /* set by pd_span_sums_finish */
};

struct pd_span_sums *pd_span_sums_new(const struct perfdata_session *session, enum perfdata_span_kind kind,
				      enum pd_span_by by)
{
	struct pd_span_sums *sums = pd_calloc(1, sizeof *sums);
	if (!sums)
		return NULL;
	sums->session = session;
	sums->kind = kind;
	sums->by = by;
	sums->seed = pd_hash_seed(sums);
	return sums;
}

void pd_span_sums_free(struct pd_span_sums *sums)
{
	if (!sums)
		return;
	pd_account_give(pd_session_account(sums->session), PD_USE_PROFILE, sums->accounted);
	pd_index_release(&sums->index);
	pd_hash_map_release(&sums->bucket_of);
	pd_free(sums->sums);
	pd_free(sums->buckets);
	pd_free(sums->rows);
	pd_free(sums);
}

/* --- of a batch --------------------------------------------------------------------------------------------------- */

static void set_thread(struct pd_span_row *row, const struct pd_span_row *thread)
{
	row->pid = thread->pid;
	row->tid = thread->tid;
	row->comm = thread->comm;
}

static void set_waker(const struct pd_span *span, struct pd_span_row *row)
{
	row->pid = span->waker_who.pid;
	row->tid = span->waker;
	row->comm = span->waker_who.comm;
}

static void set_other(const struct pd_span_row *from, struct pd_span_row *to)
{
	to->other_pid = from->pid;
	to->other_tid = from->tid;
	to->other_comm = from->comm;
}

/* Fills *ret with the row to which a span belongs, as a sum of this span; false: the span is not requested. */
static bool take_span(const struct pd_span_sums *sums, const struct pd_span *span, struct sum *ret)
{
	const bool wakes = sums->by == PD_SPANS_BY_WAKER || sums->by == PD_SPANS_BY_WAKEE;
	const bool whole = pd_span_is_whole(span);
	const bool until_woken = wakes && span->kind == PERFDATA_SPAN_OFF;
	if (span->kind != sums->kind || (wakes && span->waker == -1) || (until_woken && span->blocked == UINT64_MAX))
		return false;
	*ret = (struct sum){ .row = { .pid = -1, .tid = -1, .comm = PERFDATA_NONE, .cpu = UINT32_MAX, .other_pid = -1,
				      .other_tid = -1, .other_comm = PERFDATA_NONE } };
	struct pd_span_row *row = &ret->row;
	const struct pd_span_row own = { .pid = span->who.pid, .tid = span->tid, .comm = span->who.comm };
	switch (sums->by) {
	case PD_SPANS_BY_THREAD:
	case PD_SPANS_BY_WAKEE:
		set_thread(row, &own);
		ret->group = span->who.thread;
		break;
	case PD_SPANS_BY_WAKER:
		set_waker(span, row);
		set_other(&own, row);
		ret->group = span->waker_who.thread;
		break;
	case PD_SPANS_BY_PROCESS: row->pid = own.pid; break;
	case PD_SPANS_BY_COMM: row->comm = own.comm; break;
	case PD_SPANS_BY_CPU: row->cpu = span->cpu == UINT32_MAX ? span->end_cpu : span->cpu; break;
	case PD_SPANS_BY_NAME:
	case PD_SPANS_BY_SYSCALL: break;
	}
	if (sums->by == PD_SPANS_BY_WAKEE) {
		struct pd_span_row waker = own;
		set_waker(span, &waker);
		set_other(&waker, row);
	}
	row->name = pd_session_span_name(sums->session, span);
	if (sums->by == PD_SPANS_BY_SYSCALL)
		row->name = span->name == UINT32_MAX ? "no system call"
						     : pd_session_span_text(sums->session, span->name);
	row->count = whole;
	row->total = !whole ? 0 : until_woken ? span->blocked : pd_span_duration(span);
	row->least = whole ? row->total : UINT64_MAX;
	row->most = row->total;
	row->errors = whole && span->has_result && span->result < 0;
	row->unknown = !whole;
	return true;
}

/* Compares names by address: equal names are interned. */
static bool is_same_row(const struct pd_span_sums *sums, const struct sum *left, const struct sum *right)
{
	const struct pd_span_row *a = &left->row, *b = &right->row;
	return (a->pid == b->pid || sums->by != PD_SPANS_BY_PROCESS) && a->tid == b->tid && a->cpu == b->cpu &&
	       a->name == b->name && a->other_tid == b->other_tid && left->group == right->group &&
	       (sums->by != PD_SPANS_BY_COMM || a->comm == b->comm);
}

static void add_to_row(struct pd_span_row *row, const struct pd_span_row *more)
{
	/* keep the last name, and the process once it is known */
	if (more->comm != PERFDATA_NONE)
		row->comm = more->comm;
	if (more->other_comm != PERFDATA_NONE)
		row->other_comm = more->other_comm;
	if (more->pid != -1)
		row->pid = more->pid;
	if (more->other_pid != -1)
		row->other_pid = more->other_pid;
	row->unknown += more->unknown;
	row->count += more->count;
	row->total += more->total;
	row->errors += more->errors;
	row->least = more->least < row->least ? more->least : row->least;
	row->most = more->most > row->most ? more->most : row->most;
}

static uint32_t *recent_of(struct pd_span_part *part, const struct sum *sum)
{
	const uintptr_t name = (uintptr_t)sum->row.name / 8;
	const uint32_t key = (uint32_t)sum->row.tid + (uint32_t)sum->row.pid + sum->row.cpu + sum->row.comm +
			     (uint32_t)sum->row.other_tid + (uint32_t)(name ^ name / RECENT_SUMS);
	return &part->recent[key % RECENT_SUMS];
}

/* Adds a span to the sums of its batch. -1 without memory. */
static int add_to_part(const struct pd_span_sums *sums, struct pd_span_part *part, const struct sum *taken)
{
	uint32_t *recent = recent_of(part, taken);
	if (*recent && is_same_row(sums, &part->sums[*recent - 1], taken)) {
		add_to_row(&part->sums[*recent - 1].row, &taken->row);
	} else {
		if (pd_vector_grow(&part->sums, &part->sums_room, part->nr_sums, sizeof *part->sums) < 0)
			return -1;
		part->sums[part->nr_sums++] = *taken;
		*recent = (uint32_t)part->nr_sums;
	}
	if (taken->row.count)
		part->lengths[part->nr_lengths++] = (struct length){ taken->row.total, *recent - 1 };
	return 0;
}

static void free_part(struct pd_span_part *part)
{
	if (!part)
		return;
	pd_free(part->sums);
	pd_free(part->indexes);
	pd_free(part);
}

enum perfdata_status pd_span_sums_collect(const struct pd_span_sums *sums, const struct perfdata_batch *batch,
					  struct pd_span_part **ret)
{
	size_t nr;
	const struct pd_span *spans = pd_batch_spans(batch, &nr);
	struct pd_span_part *part = pd_malloc(sizeof *part + nr * sizeof *part->lengths);
	if (!part)
		return PERFDATA_ENOMEM;
	*part = (struct pd_span_part){ 0 };
	for (size_t i = 0; i < nr; i++) {
		struct sum taken;
		if (take_span(sums, &spans[i], &taken) && add_to_part(sums, part, &taken) < 0) {
			free_part(part);
			return PERFDATA_ENOMEM;
		}
	}
	*ret = part;
	return PERFDATA_OK;
}

/* --- sums --------------------------------------------------------------------------------------------------------- */

static int same_row(const void *user, uint32_t index, const void *wanted)
{
	const struct pd_span_sums *sums = user;
	return is_same_row(sums, &sums->sums[index], wanted);
}

static uint64_t hash_of(const struct pd_span_sums *sums, const struct sum *sum)
{
	const struct pd_span_row *row = &sum->row;
	const int32_t pid = sums->by == PD_SPANS_BY_PROCESS ? row->pid : 0;
	const uint64_t who = (uint64_t)(uint32_t)pid << 32 | (uint32_t)row->tid,
		       where = (uint64_t)row->cpu << 32 | sum->group,
		       other = (uint64_t)(uint32_t)row->other_tid << 32 |
			       (sums->by == PD_SPANS_BY_COMM ? row->comm : 0);
	return pd_hash_two(pd_hash_two(who, where, sums->seed), other ^ (uint64_t)(uintptr_t)row->name, sums->seed);
}

static uint32_t place_of(uint64_t length)
{
	if (!(length >> FINE_BITS))
		return (uint32_t)length;
	const unsigned shift = 63 - (unsigned)__builtin_clzll(length) - FINE_BITS;
	return ((shift + 1) << FINE_BITS) + (uint32_t)((length >> shift) - (UINT64_C(1) << FINE_BITS));
}

static enum perfdata_status account_sums(struct pd_span_sums *sums)
{
	struct pd_account *account = pd_session_account(sums->session);
	const size_t size = sums->room * sizeof *sums->sums + sums->index.capacity * sizeof *sums->index.slots +
			    sums->buckets_room * sizeof *sums->buckets +
			    sums->bucket_of.capacity * sizeof *sums->bucket_of.slots;
	pd_account_change(account, PD_USE_PROFILE, sums->accounted, size);
	sums->accounted = size;
	return pd_account_is_exhausted(account) ? PERFDATA_ENOMEM : PERFDATA_OK;
}

static enum perfdata_status add_length(struct pd_span_sums *sums, uint32_t row, uint64_t length)
{
	const uint32_t place = place_of(length);
	const uint64_t key = (uint64_t)row << 32 | place;
	uint64_t index;
	if (!pd_hash_map_get(&sums->bucket_of, key, &index)) {
		index = sums->nr_buckets;
		if (pd_vector_grow(&sums->buckets, &sums->buckets_room, sums->nr_buckets, sizeof *sums->buckets) < 0 ||
		    pd_hash_map_put(&sums->bucket_of, key, index) < 0)
			return PERFDATA_ENOMEM;
		sums->buckets[sums->nr_buckets++] = (struct bucket){ .row = row, .place = place };
	}
	struct bucket *bucket = &sums->buckets[index];
	bucket->count++;
	bucket->most = length > bucket->most ? length : bucket->most;
	return PERFDATA_OK;
}

/* Adds a sum of a batch to the sum of all batches, whose index it returns; UINT32_MAX without memory. */
static uint32_t add_sum(struct pd_span_sums *sums, const struct sum *more)
{
	const uint64_t hash = hash_of(sums, more);
	uint32_t index = pd_index_find(&sums->index, hash, same_row, sums, more);
	if (index != UINT32_MAX) {
		add_to_row(&sums->sums[index].row, &more->row);
		return index;
	}
	index = (uint32_t)sums->nr;
	if (pd_vector_grow(&sums->sums, &sums->room, sums->nr, sizeof *sums->sums) < 0 ||
	    pd_index_add(&sums->index, hash, index) < 0)
		return UINT32_MAX;
	sums->sums[sums->nr++] = *more;
	return index;
}

static enum perfdata_status add_part(struct pd_span_sums *sums, struct pd_span_part *part)
{
	enum perfdata_status status = PERFDATA_OK;
	part->indexes = pd_malloc(part->nr_sums * sizeof *part->indexes);
	if (!part->indexes)
		return PERFDATA_ENOMEM;
	for (size_t i = 0; i < part->nr_sums; i++)
		if ((part->indexes[i] = add_sum(sums, &part->sums[i])) == UINT32_MAX)
			return PERFDATA_ENOMEM;
	for (size_t i = 0; i < part->nr_lengths && status == PERFDATA_OK; i++)
		status = add_length(sums, part->indexes[part->lengths[i].sum], part->lengths[i].length);
	return status;
}

enum perfdata_status pd_span_sums_add(struct pd_span_sums *sums, struct pd_span_part *part)
{
	const enum perfdata_status status = part ? add_part(sums, part) : PERFDATA_OK;
	free_part(part);
	return status == PERFDATA_OK ? account_sums(sums) : status;
}

/* --- the end ------------------------------------------------------------------------------------------------------ */

static int compare_buckets(const void *left, const void *right)
{
	const struct bucket *a = left, *b = right;
	return a->row != b->row ? (a->row > b->row) - (a->row < b->row) : (a->place > b->place) - (a->place < b->place);
}

static int compare_rows(const void *left, const void *right)
{
	const struct pd_span_row *a = left, *b = right;
	if (a->total != b->total)
		return a->total < b->total ? 1 : -1;
	if (a->count != b->count)
		return a->count < b->count ? 1 : -1;
	const int names = strcmp(a->name, b->name);
	if (names)
		return names;
	if (a->pid != b->pid)
		return a->pid > b->pid ? 1 : -1;
	if (a->tid != b->tid)
		return a->tid > b->tid ? 1 : -1;
	if (a->other_tid != b->other_tid)
		return a->other_tid > b->other_tid ? 1 : -1;
	return a->cpu != b->cpu ? (a->cpu > b->cpu) - (a->cpu < b->cpu) : (a->comm > b->comm) - (a->comm < b->comm);
}

/* Returns a percentile of the lengths: that of the last span within the shortest `percent` of all spans. */
static uint64_t percentile_of(const struct bucket *buckets, size_t nr, uint64_t count, unsigned percent)
{
	uint64_t left = count - count / 100 * (100 - percent) - count % 100 * (100 - percent) / 100;
	for (size_t i = 0; i < nr; i++) {
		if (buckets[i].count >= left)
			return buckets[i].most;
		left -= buckets[i].count;
	}
	return 0;
}

enum perfdata_status pd_span_sums_finish(struct pd_span_sums *sums)
{
	sums->rows = pd_calloc(sums->nr + 1, sizeof *sums->rows);
	if (!sums->rows)
		return PERFDATA_ENOMEM;
	if (sums->nr_buckets)
		qsort(sums->buckets, sums->nr_buckets, sizeof *sums->buckets, compare_buckets);
	for (size_t i = 0; i < sums->nr; i++) {
		sums->rows[i] = sums->sums[i].row;
		if (!sums->rows[i].count)
			sums->rows[i].least = 0;
	}
	for (size_t i = 0; i < sums->nr_buckets;) {
		struct pd_span_row *row = &sums->rows[sums->buckets[i].row];
		size_t end = i;
		while (end < sums->nr_buckets && sums->buckets[end].row == sums->buckets[i].row)
			end++;
		row->p50 = percentile_of(&sums->buckets[i], end - i, row->count, 50);
		row->p99 = percentile_of(&sums->buckets[i], end - i, row->count, 99);
		i = end;
	}
	if (sums->nr)
		qsort(sums->rows, sums->nr, sizeof *sums->rows, compare_rows);
	return PERFDATA_OK;
}

const struct pd_span_row *pd_span_sums_rows(const struct pd_span_sums *sums, size_t *ret_nr)
{
	*ret_nr = sums->nr;
	return sums->rows;
}

struct pd_span_row pd_span_sums_total(const struct pd_span_sums *sums)
{
	struct pd_span_row all = { .pid = -1, .tid = -1, .comm = PERFDATA_NONE, .cpu = UINT32_MAX, .name = "" };
	for (size_t i = 0; i < sums->nr; i++) {
		const struct pd_span_row *row = &sums->rows[i];
		all.least = !all.count || (row->count && row->least < all.least) ? row->least : all.least;
		all.most = row->most > all.most ? row->most : all.most;
		all.count += row->count;
		all.total += row->total;
		all.errors += row->errors;
		all.unknown += row->unknown;
	}
	return all;
}
