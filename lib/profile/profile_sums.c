/* SPDX-License-Identifier: MIT */
#include "config.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/fdio.h"
#include "base/memory.h"
#include "profile/profile_sums.h"

/* Least number of entries in a run: a shorter run costs more time (a seek, a comparison for each key of a walk) than it
 * saves memory. */
#define MIN_RUN_ENTRIES ((size_t)16384)
/* Entries of a run that a walk reads at once; fewer if there are many runs. */
#define ENTRIES_AT_ONCE ((size_t)512)
#define LEAST_AT_ONCE ((size_t)32)
#define WALK_BYTES ((size_t)1 << 20)
/* At most this part of the entries is sorted apart. */
#define MOST_LATE 8u

/* --- 128 bits ----------------------------------------------------------------------------------------------------- */

void pd_multiply(uint64_t a, uint64_t b, uint64_t ret[2])
{
	const uint64_t low = (a & UINT32_MAX) * (b & UINT32_MAX), high = (a >> 32) * (b >> 32);
	const uint64_t cross1 = (a >> 32) * (b & UINT32_MAX), cross2 = (a & UINT32_MAX) * (b >> 32);
	const uint64_t middle = (low >> 32) + (cross1 & UINT32_MAX) + (cross2 & UINT32_MAX);
	ret[0] = middle << 32 | (low & UINT32_MAX);
	ret[1] = high + (cross1 >> 32) + (cross2 >> 32) + (middle >> 32);
}

static uint64_t add_saturated(uint64_t a, uint64_t b, bool *overflow)
{
	uint64_t sum;
	if (!__builtin_add_overflow(a, b, &sum))
		return sum;
	*overflow = true;
	return UINT64_MAX;
}

void pd_profile_sums_add(struct pd_profile_sums *sums, const struct pd_profile_sums *more)
{
	uint64_t low, high;
	sums->overflow |= more->overflow;
	sums->samples = add_saturated(sums->samples, more->samples, &sums->overflow);
	sums->weight = add_saturated(sums->weight, more->weight, &sums->overflow);
	const bool carry = __builtin_add_overflow(sums->squares[0], more->squares[0], &low);
	if (__builtin_add_overflow(sums->squares[1], more->squares[1], &high) ||
	    __builtin_add_overflow(high, carry, &high)) {
		sums->overflow = true;
		low = high = UINT64_MAX;
	}
	sums->squares[0] = low;
	sums->squares[1] = high;
}

/* --- the table ---------------------------------------------------------------------------------------------------- */

void pd_sums_init(struct pd_sums_table *table, struct pd_account *account)
{
	*table = (struct pd_sums_table){ .account = account };
	pd_spool_init(&table->spool, account ? account->tmpdir : NULL);
}

static size_t bytes_of(const struct pd_sums_table *table)
{
	return table->room * sizeof *table->entries + table->nr_slots * sizeof *table->slots;
}

void pd_sums_release(struct pd_sums_table *table)
{
	pd_account_give(table->account, PD_USE_PROFILE, bytes_of(table));
	pd_free(table->entries);
	pd_free(table->slots);
	pd_free(table->runs);
	pd_free(table->events);
	pd_spool_release(&table->spool);
	*table = (struct pd_sums_table){ .spool.fd = -1 };
}

#define ORDER(a, b) if ((a) != (b)) return (a) < (b) ? -1 : 1
static int compare_keys(const struct pd_profile_key *a, const struct pd_profile_key *b)
{
	ORDER(a->event, b->event);
	ORDER(a->thread, b->thread);
	ORDER(a->comm, b->comm);
	ORDER(a->cpu, b->cpu);
	ORDER(a->slice, b->slice);
	ORDER(a->node, b->node);
	return 0;
}

static int compare_entries(const void *left, const void *right)
{
	const struct pd_profile_entry *a = left, *b = right;
	return compare_keys(&a->key, &b->key);
}

/* Most keys of one thread come in order, since new nodes have higher numbers. Sorts the few entries that are late, and
 * merges them with the others. False: too many are late, or there is no memory; the entries are as before. */
static bool sort_late(struct pd_profile_entry *entries, size_t nr)
{
	size_t nr_late = 0, last = 0, kept = 0;
	for (size_t i = 1; i < nr; i++)
		if (compare_entries(&entries[i], &entries[last]) < 0)
			nr_late++;
		else
			last = i;
	if (!nr_late)
		return true;
	struct pd_profile_entry *late = nr_late <= nr / MOST_LATE ? pd_malloc(nr_late * sizeof *late) : NULL;
	if (!late)
		return false;
	nr_late = 0;
	for (size_t i = 0; i < nr; i++)
		if (kept && compare_entries(&entries[i], &entries[kept - 1]) < 0)
			late[nr_late++] = entries[i];
		else
			entries[kept++] = entries[i];
	qsort(late, nr_late, sizeof *late, compare_entries);
	for (size_t to = nr; nr_late;)
		entries[--to] = kept && compare_entries(&entries[kept - 1], &late[nr_late - 1]) > 0
					? entries[--kept]
					: late[--nr_late];
	pd_free(late);
	return true;
}

/* Sorts the entries in memory, and adds them to the sums of events: once per entry instead of once per sample. */
static int sort_and_add_up(struct pd_sums_table *table)
{
	if (table->nr && !sort_late(table->entries, table->nr))
		qsort(table->entries, table->nr, sizeof *table->entries, compare_entries);
	for (size_t i = 0; i < table->nr; i++) {
		const struct pd_profile_entry *entry = &table->entries[i];
		const uint32_t event = entry->key.event;
		if (pd_vector_reach(&table->events, &table->events_room, event, sizeof *table->events) < 0)
			return -1;
		table->nr_events = table->nr_events > event ? table->nr_events : event + (size_t)1;
		pd_profile_sums_add(&table->events[event], &entry->sums);
	}
	return 0;
}

/* Removes the entries from memory, and frees their memory if memory is short. */
static void clear_table(struct pd_sums_table *table)
{
	table->nr = 0;
	if (!pd_account_is_over(table->account)) {
		memset(table->slots, 0, table->nr_slots * sizeof *table->slots);
		return;
	}
	pd_account_give(table->account, PD_USE_PROFILE, bytes_of(table));
	pd_free(table->entries);
	pd_free(table->slots);
	table->entries = NULL;
	table->slots = NULL;
	table->room = table->nr_slots = 0;
}

/* Moves the entries in memory to the file, as a run. */
static enum perfdata_status spill_table(struct pd_sums_table *table)
{
	const uint64_t offset = table->spool.size;
	if (pd_vector_grow(&table->runs, &table->runs_room, table->nr_runs, sizeof *table->runs) < 0)
		return PERFDATA_ENOMEM;
	if (sort_and_add_up(table) < 0)
		return PERFDATA_ENOMEM;
	const enum perfdata_status status = pd_spool_append(&table->spool, table->entries,
							    table->nr * sizeof *table->entries);
	if (status)
		return status;
	table->runs[table->nr_runs++] = (struct pd_run){ offset, table->nr };
	clear_table(table);
	return PERFDATA_OK;
}

enum perfdata_status pd_sums_finish(struct pd_sums_table *table)
{
	if (table->nr >= MIN_RUN_ENTRIES && pd_account_is_over(table->account))
		return spill_table(table);
	return sort_and_add_up(table) == 0 ? PERFDATA_OK : PERFDATA_ENOMEM;
}

static int grow_slots(struct pd_sums_table *table)
{
	const size_t nr = table->nr_slots ? table->nr_slots * 2 : 256;
	struct pd_sums_slot *slots = pd_calloc_slots(nr, sizeof *slots);
	if (!slots)
		return -1;
	for (size_t i = 0; i < table->nr_slots; i++) {
		const struct pd_sums_slot slot = table->slots[i];
		size_t at = slot.hash & (nr - 1);
		while (slot.entry && slots[at].entry)
			at = (at + 1) & (nr - 1);
		if (slot.entry)
			slots[at] = slot;
	}
	pd_free(table->slots);
	table->slots = slots;
	table->nr_slots = nr;
	return 0;
}

/* Makes room for an entry: takes more memory, or moves all entries to the file. */
static enum perfdata_status make_room(struct pd_sums_table *table)
{
	const bool grows = table->nr == table->room || table->nr * 2 >= table->nr_slots;
	if (table->nr >= MIN_RUN_ENTRIES &&
	    (table->nr >= UINT32_MAX / 2 || (grows && pd_account_is_tight(table->account)) ||
	     (table->nr % 1024 == 0 && pd_account_is_over(table->account)))) {
		const enum perfdata_status status = spill_table(table);
		if (status != PERFDATA_OK || table->room)
			return status;
	}
	const size_t before = bytes_of(table);
	const bool ok = (table->nr * 2 < table->nr_slots || grow_slots(table) == 0) &&
			pd_vector_grow(&table->entries, &table->room, table->nr, sizeof *table->entries) == 0;
	pd_account_change(table->account, PD_USE_PROFILE, before, bytes_of(table));
	return ok ? PERFDATA_OK : PERFDATA_ENOMEM;
}

enum perfdata_status pd_sums_add_new(struct pd_sums_table *table, const struct pd_profile_key *key, uint32_t hash,
				     uint64_t weight)
{
	const enum perfdata_status status = make_room(table);
	if (status != PERFDATA_OK)
		return status;
	struct pd_profile_entry *entry = &table->entries[table->nr++];
	memset(entry, 0, sizeof *entry);
	entry->key = *key;
	pd_profile_sums_add_weight(&entry->sums, weight);
	*pd_sums_slot_of(table, key, hash) = (struct pd_sums_slot){ (uint32_t)table->nr, hash };
	return PERFDATA_OK;
}

enum perfdata_status pd_sums_join(struct pd_sums_table *table, const struct pd_profile_entry *entry, uint32_t hash)
{
	const struct pd_sums_slot *slot = table->nr_slots ? pd_sums_slot_of(table, &entry->key, hash) : NULL;
	if (slot && slot->entry) {
		pd_profile_sums_add(&table->entries[slot->entry - 1].sums, &entry->sums);
		return PERFDATA_OK;
	}
	const enum perfdata_status status = pd_sums_add_new(table, &entry->key, hash, 0);
	if (!status)
		table->entries[table->nr - 1].sums = entry->sums;
	return status;
}

/* --- walks -------------------------------------------------------------------------------------------------------- */

struct source {
	struct pd_run run;                  /* the entries that are not read yet; none for entries in memory */
	struct pd_profile_entry *buffer;    /* NULL: the source is the table's entries in memory */
	const struct pd_profile_entry *at, *end;
};
struct pd_sums_walk {
	const struct pd_sums_table *table;
	struct pd_profile_entry result;
	size_t at_once;                     /* number of entries in a buffer */
	size_t nr;
	struct source sources[];
};

void pd_sums_walk_free(struct pd_sums_walk *walk)
{
	for (size_t i = 0; walk && i < walk->nr; i++) {
		const struct source *source = &walk->sources[i];
		if (source->buffer)
			pd_account_give(walk->table->account, PD_USE_PROFILE, walk->at_once * sizeof *source->buffer);
		pd_free(source->buffer);
	}
	pd_free(walk);
}

/* Reads further entries of a run if the walk has taken all that were read. */
static enum perfdata_status refill_source(const struct pd_sums_walk *walk, struct source *source)
{
	if (source->at < source->end || !source->run.entries)
		return PERFDATA_OK;
	const size_t nr = source->run.entries < walk->at_once ? (size_t)source->run.entries : walk->at_once;
	const size_t size = nr * sizeof *source->buffer;
	const enum perfdata_status status =
		pd_spool_read(&walk->table->spool, source->run.offset, source->buffer, size);
	if (status)
		return status;
	source->at = source->buffer;
	source->end = source->buffer + nr;
	source->run.offset += size;
	source->run.entries -= nr;
	return PERFDATA_OK;
}

enum perfdata_status pd_sums_walk_new(const struct pd_sums_table *table, struct pd_sums_walk **ret)
{
	const size_t nr = table->nr_runs + 1;
	struct pd_sums_walk *walk = pd_calloc(1, sizeof *walk + nr * sizeof *walk->sources);
	if (!walk)
		return PERFDATA_ENOMEM;
	walk->table = table;
	walk->nr = nr;
	walk->at_once = WALK_BYTES / sizeof(struct pd_profile_entry) / nr;
	walk->at_once = walk->at_once > ENTRIES_AT_ONCE ? ENTRIES_AT_ONCE
			: walk->at_once < LEAST_AT_ONCE ? LEAST_AT_ONCE
							: walk->at_once;
	enum perfdata_status status = PERFDATA_OK;
	for (size_t i = 0; i < table->nr_runs && status == PERFDATA_OK; i++) {
		struct source *source = &walk->sources[i];
		source->run = table->runs[i];
		source->buffer = pd_malloc(walk->at_once * sizeof *source->buffer);
		if (source->buffer)
			pd_account_take(table->account, PD_USE_PROFILE, walk->at_once * sizeof *source->buffer);
		status = source->buffer ? refill_source(walk, source) : PERFDATA_ENOMEM;
	}
	walk->sources[nr - 1].at = table->entries;
	walk->sources[nr - 1].end = table->entries ? table->entries + table->nr : NULL;
	if (status != PERFDATA_OK) {
		pd_sums_walk_free(walk);
		return status;
	}
	*ret = walk;
	return PERFDATA_OK;
}

const struct pd_profile_entry *pd_sums_walk_peek(const struct pd_sums_walk *walk, size_t index)
{
	const struct source *source = &walk->sources[0];
	return walk->nr == 1 && (size_t)(source->end - source->at) > index ? source->at + index : NULL;
}

enum perfdata_status pd_sums_walk_next(struct pd_sums_walk *walk, const struct pd_profile_entry **ret)
{
	const struct pd_profile_entry *first = NULL;
	for (size_t i = 0; i < walk->nr; i++) {
		const struct source *source = &walk->sources[i];
		if (source->at < source->end && (!first || compare_keys(&source->at->key, &first->key) < 0))
			first = source->at;
	}
	if (!first)
		return PERFDATA_END;
	walk->result = (struct pd_profile_entry){ .key = first->key };
	for (size_t i = 0; i < walk->nr; i++) {
		struct source *source = &walk->sources[i];
		if (source->at >= source->end || !pd_sums_same_key(&source->at->key, &walk->result.key))
			continue;
		pd_profile_sums_add(&walk->result.sums, &source->at->sums);
		source->at++;
		if (refill_source(walk, source) != PERFDATA_OK)
			return PERFDATA_EREAD;
	}
	*ret = &walk->result;
	return PERFDATA_OK;
}
