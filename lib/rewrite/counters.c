/* SPDX-License-Identifier: MIT */
/* Values of counters in samples (PERFDATA_SAMPLE_READ) count from the start of the recording: readers show how much a
 * counter grew since the sample before. If samples are left out, the values of those that stay are replaced by the sums
 * of their own growth, so that readers show the same growth as before. */
#include "config.h"
#include <stdlib.h>
#include <string.h>
#include "base/cursor.h"
#include "base/memory.h"
#include "rewrite/merge.h"
#include "session/session.h"

/* Adds to the value that a counter has in the output. */
static bool add_growth(struct pd_hash_map *sums, uint64_t key, uint64_t growth, uint64_t *ret_sum)
{
	uint64_t sum = 0;

	(void)pd_hash_map_get(sums, key, &sum);
	*ret_sum = sum + growth;
	return pd_hash_map_put(sums, key, *ret_sum) == 0;
}

enum perfdata_status pd_counters_choose(struct perfdata_rewriter *rewriter, struct perfdata_session *session,
					const struct perfdata_raw *raw, bool wanted, bool *ret_kept)
{
	struct pd_choice *choice = &rewriter->choice;
	struct perfdata_record record;

	*ret_kept = wanted && pd_session_counts(session, raw->event);
	if (!pd_reads_counters(raw))
		return PERFDATA_OK;
	(void)perfdata_decode(raw->event->config, raw->bytes, raw->size, &record);
	const struct perfdata_list *values = &record.u.sample.read.values;
	const size_t first = choice->nr_values;
	for (uint64_t i = 0; i < values->count; i++) {
		const struct pd_counter counter = pd_counter_at(pd_session_reader(session), raw->event, values, i,
								raw->tid);
		uint64_t growth, sum = counter.value;
		if (pd_counter_growth(&choice->read, &counter, &growth) != PERFDATA_OK)
			return pd_rewrite_failed(rewriter, PERFDATA_ENOMEM, NULL);
		const bool counts = wanted && counter.event && pd_session_counts(session, counter.event);
		*ret_kept |= counts && growth;
		if (!add_growth(&choice->sums, counter.key, counts ? growth : 0, &sum) ||
		    pd_vector_grow(&choice->values, &choice->values_room, choice->nr_values,
				   sizeof *choice->values) < 0)
			return pd_rewrite_failed(rewriter, PERFDATA_ENOMEM, NULL);
		choice->values[choice->nr_values++] = sum;
	}
	if (!*ret_kept) {
		choice->nr_values = first;
		return PERFDATA_OK;
	}
	if (pd_vector_grow(&choice->counted, &choice->counted_room, choice->nr_counted, sizeof *choice->counted) < 0)
		return pd_rewrite_failed(rewriter, PERFDATA_ENOMEM, NULL);
	choice->counted[choice->nr_counted++] = (struct pd_counted){ pd_choice_key(raw), first };
	return PERFDATA_OK;
}

static int compare_keys(const void *a, const void *b)
{
	const uint64_t x = ((const struct pd_counted *)a)->key, y = ((const struct pd_counted *)b)->key;
	return (x > y) - (x < y);
}

void pd_counters_chosen(struct perfdata_rewriter *rewriter)
{
	struct pd_choice *choice = &rewriter->choice;

	if (choice->nr_counted)
		qsort(choice->counted, choice->nr_counted, sizeof *choice->counted, compare_keys);
}

/* Sets the values of a list, which stays valid until the next call. */
static bool set_values(struct perfdata_rewriter *rewriter, struct perfdata_list *list, const uint64_t *values)
{
	const size_t size = (size_t)list->count * list->stride;

	if (size > rewriter->values_room) {
		uint8_t *room = pd_realloc(rewriter->values, size);
		if (!room) {
			(void)pd_rewrite_failed(rewriter, PERFDATA_ENOMEM, NULL);
			return false;
		}
		rewriter->values = room;
		rewriter->values_room = size;
	}
	if (list->data != rewriter->values)
		memcpy(rewriter->values, list->data, size);
	for (uint64_t i = 0; i < list->count; i++) {
		const uint64_t value = list->swap ? __builtin_bswap64(values[i]) : values[i];
		memcpy(rewriter->values + i * list->stride, &value, sizeof value);   /* the value comes first */
	}
	list->data = rewriter->values;
	return true;
}

bool pd_counters_set(struct perfdata_rewriter *rewriter, const struct perfdata_raw *raw,
		     struct perfdata_record *record)
{
	const struct pd_choice *choice = &rewriter->choice;
	const struct pd_counted key = { .key = pd_choice_key(raw) };

	if (!pd_reads_counters(raw) || !choice->nr_counted)
		return false;
	const struct pd_counted *found = bsearch(&key, choice->counted, choice->nr_counted, sizeof key, compare_keys);
	return found && set_values(rewriter, &record->u.sample.read.values, choice->values + found->first);
}

bool pd_counters_restart(const struct perfdata_reader *reader)
{
	const struct perfdata_feature_section *section = perfdata_reader_feature(reader, PERFDATA_FEATURE_NOTE);
	const struct perfdata_node *note = section && section->feature
						   ? perfdata_node_get(perfdata_feature_root(section->feature), "note")
						   : NULL;
	const size_t size = strlen(PD_COUNTERS_RESTART);

	return note && note->v.bytes.size >= size &&
	       !memcmp(note->v.bytes.data + note->v.bytes.size - size, PD_COUNTERS_RESTART, size);
}

bool pd_counters_join(struct perfdata_rewriter *rewriter, const struct perfdata_raw *raw,
		      struct perfdata_record *record)
{
	struct pd_merge *merge = rewriter->merge;
	struct perfdata_list *values = &record->u.sample.read.values;
	uint64_t sums[PD_MERGE_VALUES];

	if (!pd_reads_counters(raw) || values->count > PD_MERGE_VALUES)
		return true;
	for (uint64_t i = 0; i < values->count; i++) {
		const struct pd_counter counter = pd_counter_at(merge->current->reader, raw->event, values, i,
								raw->tid);
		struct pd_hash_map *last = merge->current->restarts ? &merge->current->last : &merge->last;
		uint64_t growth;
		if (pd_counter_growth(last, &counter, &growth) != PERFDATA_OK ||
		    !add_growth(&merge->sums, counter.key, growth, &sums[i])) {
			(void)pd_rewrite_failed(rewriter, PERFDATA_ENOMEM, NULL);
			return false;
		}
	}
	return set_values(rewriter, values, sums);
}

void pd_choice_release(struct pd_choice *choice)
{
	pd_free(choice->kept);
	pd_free(choice->left_out);
	pd_free(choice->counted);
	pd_free(choice->values);
	pd_hash_map_release(&choice->read);
	pd_hash_map_release(&choice->sums);
	pd_hash_map_release(&choice->deferring);
}
