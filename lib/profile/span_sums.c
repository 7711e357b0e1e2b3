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

struct pd_span_part {
	size_t nr;
	struct taken {
		struct pd_span_row row;    /* the members that distinguish rows; total: the length; count: 1 */
		uint32_t group;            /* number of the thread, or of another requested key */
	} spans[];
};
struct bucket {
	uint64_t count, most;
	uint32_t row, place;
};
struct sum {
	struct pd_span_row row;
	uint32_t group;
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

/* Fills *ret for a span; false: the span is not requested. */
static bool take_span(const struct pd_span_sums *sums, const struct pd_span *span, struct taken *ret)
{
	struct pd_span_row row = { .pid = -1, .tid = -1, .comm = PERFDATA_NONE, .cpu = UINT32_MAX, .other_pid = -1,
				   .other_tid = -1, .other_comm = PERFDATA_NONE };
	struct pd_span_row own = row;
	const bool wakes = sums->by == PD_SPANS_BY_WAKER || sums->by == PD_SPANS_BY_WAKEE;
	const bool whole = pd_span_is_whole(span);
	const bool until_woken = wakes && span->kind == PERFDATA_SPAN_OFF;
	if (span->kind != sums->kind || (wakes && span->waker == -1) || (until_woken && span->blocked == UINT64_MAX))
		return false;
	own.pid = span->who.pid;
	own.tid = span->tid;
	own.comm = span->who.comm;
	ret->group = 0;
	switch (sums->by) {
	case PD_SPANS_BY_THREAD:
	case PD_SPANS_BY_WAKEE:
		row = own;
		ret->group = span->who.thread;
		break;
	case PD_SPANS_BY_WAKER:
		set_waker(span, &row);
		set_other(&own, &row);
		ret->group = span->waker_who.thread;
		break;
	case PD_SPANS_BY_PROCESS: row.pid = own.pid; break;
	case PD_SPANS_BY_COMM: row.comm = own.comm; break;
	case PD_SPANS_BY_CPU: row.cpu = span->cpu == UINT32_MAX ? span->end_cpu : span->cpu; break;
	case PD_SPANS_BY_NAME:
	case PD_SPANS_BY_SYSCALL: break;
	}
	if (sums->by == PD_SPANS_BY_WAKEE) {
		struct pd_span_row waker = row;
		set_waker(span, &waker);
		set_other(&waker, &row);
	}
	row.name = pd_session_span_name(sums->session, span);
	if (sums->by == PD_SPANS_BY_SYSCALL)
		row.name = span->name == UINT32_MAX ? "no system call"
						    : pd_session_span_text(sums->session, span->name);
	row.count = whole;
	row.total = !whole ? 0 : until_woken ? span->blocked : pd_span_duration(span);
	row.errors = whole && span->has_result && span->result < 0;
	row.unknown = !whole;
	ret->row = row;
	return true;
}

enum perfdata_status pd_span_sums_collect(const struct pd_span_sums *sums, const struct perfdata_batch *batch,
					  struct pd_span_part **ret)
{
	size_t nr;
	const struct pd_span *spans = pd_batch_spans(batch, &nr);
	struct pd_span_part *part = pd_malloc(sizeof *part + nr * sizeof *part->spans);
	if (!part)
		return PERFDATA_ENOMEM;
	part->nr = 0;
	for (size_t i = 0; i < nr; i++)
		part->nr += take_span(sums, &spans[i], &part->spans[part->nr]);
	*ret = part;
	return PERFDATA_OK;
}

/* --- sums --------------------------------------------------------------------------------------------------------- */

/* Compares names by address: equal names are interned. */
static int same_row(const void *user, uint32_t index, const void *wanted)
{
	const struct pd_span_sums *sums = user;
	const struct sum *sum = &sums->sums[index];
	const struct taken *taken = wanted;
	const struct pd_span_row *a = &sum->row, *b = &taken->row;
	return (a->pid == b->pid || sums->by != PD_SPANS_BY_PROCESS) && a->tid == b->tid && a->cpu == b->cpu &&
	       a->name == b->name && a->other_tid == b->other_tid && sum->group == taken->group &&
	       (sums->by != PD_SPANS_BY_COMM || a->comm == b->comm);
}

static uint64_t hash_of(const struct pd_span_sums *sums, const struct taken *taken)
{
	const struct pd_span_row *row = &taken->row;
	const int32_t pid = sums->by == PD_SPANS_BY_PROCESS ? row->pid : 0;
	const uint64_t who = (uint64_t)(uint32_t)pid << 32 | (uint32_t)row->tid,
		       where = (uint64_t)row->cpu << 32 | taken->group,
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

static enum perfdata_status add_span(struct pd_span_sums *sums, const struct taken *taken)
{
	const uint64_t hash = hash_of(sums, taken);
	uint32_t index = pd_index_find(&sums->index, hash, same_row, sums, taken);
	if (index == UINT32_MAX) {
		index = (uint32_t)sums->nr;
		if (pd_vector_grow(&sums->sums, &sums->room, sums->nr, sizeof *sums->sums) < 0 ||
		    pd_index_add(&sums->index, hash, index) < 0)
			return PERFDATA_ENOMEM;
		sums->sums[sums->nr++] = (struct sum){ .row = taken->row, .group = taken->group };
		struct pd_span_row *row = &sums->sums[index].row;
		row->count = row->total = row->errors = row->unknown = 0;
		row->least = UINT64_MAX;
	}
	struct pd_span_row *row = &sums->sums[index].row;
	/* Keep the last name, and the process once it is known. */
	if (taken->row.comm != PERFDATA_NONE)
		row->comm = taken->row.comm;
	if (taken->row.other_comm != PERFDATA_NONE)
		row->other_comm = taken->row.other_comm;
	if (taken->row.pid != -1)
		row->pid = taken->row.pid;
	if (taken->row.other_pid != -1)
		row->other_pid = taken->row.other_pid;
	row->unknown += taken->row.unknown;
	if (!taken->row.count)
		return PERFDATA_OK;
	const uint64_t length = taken->row.total;
	row->count++;
	row->total += length;
	row->errors += taken->row.errors;
	row->least = length < row->least ? length : row->least;
	row->most = length > row->most ? length : row->most;
	return add_length(sums, index, length);
}

enum perfdata_status pd_span_sums_add(struct pd_span_sums *sums, struct pd_span_part *part)
{
	enum perfdata_status status = PERFDATA_OK;
	for (size_t i = 0; part && i < part->nr && status == PERFDATA_OK; i++)
		status = add_span(sums, &part->spans[i]);
	pd_free(part);
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
