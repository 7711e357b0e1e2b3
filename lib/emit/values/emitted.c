/* SPDX-License-Identifier: MIT */
#include "config.h"
#include <stdlib.h>
#include "base/memory.h"
#include "emit/values/emitted.h"
#include "schema/schema.h"
#include "reader/reader.h"

/* --- sets --------------------------------------------------------------------------------------------------------- */

int pd_id_set_add(struct id_set *set, uint32_t id)
{
	const size_t word = id / 64;
	const uint64_t bit = UINT64_C(1) << id % 64;
	if (pd_vector_reach(&set->words, &set->nr_words, word, sizeof *set->words) < 0)
		return -1;
	if (set->words[word] & bit)
		return 0;
	set->words[word] |= bit;
	return 1;
}

/* --- build-ids ---------------------------------------------------------------------------------------------------- */

static bool dso_is_known(const struct known_ids *known, uint32_t dso)
{
	return known && dso < known->nr_dsos && known->words[dso / 64] >> dso % 64 & 1;
}

/* Whether a dso without a build-id in `known` has one now. */
static bool any_learned(const struct emitted *emitted)
{
	const uint32_t nr = emitted->known ? emitted->known->nr_dsos : 0;
	for (uint32_t i = 0; i < nr; i++)
		if (!dso_is_known(emitted->known, i) && perfdata_session_build_id(emitted->session, i, NULL).size)
			return true;
	return false;
}

static bool look_again(struct emitted *emitted)
{
	const uint32_t nr = perfdata_session_nr_dsos(emitted->session);
	const bool learned = any_learned(emitted);
	if (emitted->known && emitted->known->nr_dsos == nr && !learned)
		return true;
	const size_t nr_words = (size_t)nr / 64 + 1;
	struct known_ids *known = calloc(1, sizeof *known + nr_words * sizeof *known->words);
	if (!known)
		return false;
	known->older = emitted->known;
	known->generation = (emitted->known ? emitted->known->generation : 0) + learned;
	known->nr_dsos = nr;
	for (uint32_t i = 0; i < nr; i++)
		if (perfdata_session_build_id(emitted->session, i, NULL).size)
			known->words[i / 64] |= UINT64_C(1) << i % 64;
	emitted->known = known;
	return true;
}

bool pd_emitted_build_id(const struct emitted_names *world, uint32_t dso, struct perfdata_bytes *ret)
{
	if (!dso_is_known(world->known, dso))
		return false;
	*ret = perfdata_session_build_id(world->session, dso, NULL);
	return ret->size;
}

/* --- batches ------------------------------------------------------------------------------------------------------ */

void pd_emitted_release(struct emitted *emitted)
{
	while (emitted->known) {
		struct known_ids *older = emitted->known->older;
		free(emitted->known);
		emitted->known = older;
	}
	free(emitted->stacks.words);
	free(emitted->frames.words);
}

void pd_emitted_batch_free(void *value)
{
	struct emitted_batch *batch = value;
	if (batch)
		free(batch->ids);
	free(batch);
}

struct id_list {
	uint32_t *ids;
	size_t nr, room;
};

static bool list_add(struct id_list *list, uint32_t id)
{
	if (pd_vector_grow(&list->ids, &list->room, list->nr, sizeof *list->ids) < 0)
		return false;
	list->ids[list->nr++] = id;
	return true;
}

static bool add_if_new(struct emitted *emitted, uint32_t frame, struct id_list *list)
{
	const int is_new = frame == PERFDATA_NONE ? 0 : pd_id_set_add(&emitted->frames, frame);
	return is_new >= 0 && (!is_new || list_add(list, frame));
}

static bool add_new_frames(struct emitted *emitted, const struct perfdata_batch *batch,
			   const struct perfdata_delivery *delivery, struct id_list *list)
{
	size_t nr;
	const struct perfdata_step *steps = perfdata_batch_stack(batch, delivery, &nr);
	for (size_t i = 0; i < nr; i++)
		if (!add_if_new(emitted, steps[i].frame, list))
			return false;
	return true;
}

static bool add_new_ids(struct emitted *emitted, const struct perfdata_batch *batch, struct id_list *list)
{
	for (size_t i = 0; i < batch->nr_deliveries; i++) {
		const struct perfdata_delivery *delivery = &batch->deliveries[i];
		if (!(delivery->flags & PERFDATA_DELIVERY_FIRST))
			continue;
		if (emitted->what == EMITTED_FRAMES && !add_if_new(emitted, delivery->ip, list))
			return false;
		if (delivery->stack == PERFDATA_NONE)
			continue;
		const int is_new = pd_id_set_add(&emitted->stacks, delivery->stack);
		if (is_new < 0)
			return false;
		if (!is_new)
			continue;
		if (emitted->what == EMITTED_STACKS ? !list_add(list, (uint32_t)i)
						    : !add_new_frames(emitted, batch, delivery, list))
			return false;
	}
	return true;
}

enum perfdata_status pd_emitted_scan(struct emitted *emitted, const struct perfdata_batch *batch,
				     struct emitted_batch **ret)
{
	struct emitted_batch *value = calloc(1, sizeof *value);
	struct id_list list = { 0 };
	bool ok = value && look_again(emitted);
	if (ok && emitted->what != EMITTED_NO_IDS)
		ok = add_new_ids(emitted, batch, &list);
	if (!ok) {
		free(list.ids);
		free(value);
		return PERFDATA_ENOMEM;
	}
	value->known = emitted->known;
	value->first = !emitted->any && batch->nr_records;
	emitted->any |= value->first;
	value->ids = list.ids;
	value->nr_ids = list.nr;
	*ret = value;
	return PERFDATA_OK;
}

const struct perfdata_delivery *pd_emitted_delivery(const struct perfdata_batch *batch, size_t *at,
						    const struct perfdata_raw *record)
{
	/* records and deliveries are in the same order; a record may have several deliveries */
	for (; *at < batch->nr_deliveries; ++*at) {
		const struct perfdata_delivery *delivery = &batch->deliveries[*at];
		if (delivery->record == record)
			return delivery;
		const uintptr_t first = (uintptr_t)batch->records, here = (uintptr_t)delivery->record;
		if (here > (uintptr_t)record && here < first + batch->nr_records * sizeof *batch->records)
			return NULL;
	}
	return NULL;
}
