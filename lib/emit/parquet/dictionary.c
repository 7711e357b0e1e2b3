/* SPDX-License-Identifier: MIT */
#include "config.h"
#include <string.h>
#include "base/hash.h"
#include "base/memory.h"
#include "emit/parquet/dictionary.h"

#define FIRST_SLOTS 1024u

void pd_dictionary_clear(struct dictionary *dictionary)
{
	if (dictionary->nr)
		memset(dictionary->slots, 0, dictionary->nr_slots * sizeof *dictionary->slots);
	/* start with few slots again: most columns have few values, and few slots stay in the CPU's cache */
	dictionary->nr_slots = dictionary->room_slots ? FIRST_SLOTS : 0;
	dictionary->nr = 0;
	dictionary->bytes = 0;
}

void pd_dictionary_release(struct dictionary *dictionary)
{
	pd_free(dictionary->slots);
	pd_free(dictionary->numbers);
	pd_free(dictionary->texts);
	memset(dictionary, 0, sizeof *dictionary);
}

static uint64_t hash_of(const struct dictionary *dictionary, uint32_t entry)
{
	if (dictionary->texts)
		return pd_hash_bytes(dictionary->texts[entry].data, dictionary->texts[entry].size, dictionary->seed);
	return pd_hash_u64(dictionary->numbers[entry], dictionary->seed);
}

/* Resizes slots, and entries to half as many. */
static bool make_room(struct dictionary *dictionary, size_t nr_slots, bool texts)
{
	uint32_t *slots = pd_malloc(nr_slots * sizeof *slots);
	if (!slots)
		return false;
	void *entries = texts ? pd_realloc(dictionary->texts, nr_slots / 2 * sizeof *dictionary->texts) :
				pd_realloc(dictionary->numbers, nr_slots / 2 * sizeof *dictionary->numbers);
	if (!entries) {
		pd_free(slots);
		return false;
	}
	if (texts)
		dictionary->texts = entries;
	else
		dictionary->numbers = entries;
	pd_free(dictionary->slots);
	dictionary->slots = slots;
	dictionary->room_slots = nr_slots;
	return true;
}

/* Doubles the slots and rehashes the entries. */
static bool enlarge_dictionary(struct dictionary *dictionary, bool texts)
{
	const size_t nr = dictionary->nr_slots ? 2 * dictionary->nr_slots : FIRST_SLOTS;
	if (nr > dictionary->room_slots && !make_room(dictionary, nr, texts))
		return false;
	uint32_t *slots = dictionary->slots;
	memset(slots, 0, nr * sizeof *slots);
	dictionary->nr_slots = nr;
	if (!dictionary->seed)
		dictionary->seed = pd_hash_seed(dictionary);
	for (uint32_t i = 0; i < dictionary->nr; i++) {
		size_t at = (size_t)hash_of(dictionary, i) & (nr - 1);
		while (slots[at])
			at = (at + 1) & (nr - 1);
		slots[at] = i + 1;
	}
	return true;
}

uint32_t pd_dictionary_number(struct dictionary *dictionary, uint64_t number)
{
	if (2 * dictionary->nr >= dictionary->nr_slots && !enlarge_dictionary(dictionary, false))
		return UINT32_MAX;
	const size_t mask = dictionary->nr_slots - 1;
	size_t at = (size_t)pd_hash_u64(number, dictionary->seed) & mask;
	for (; dictionary->slots[at]; at = (at + 1) & mask)
		if (dictionary->numbers[dictionary->slots[at] - 1] == number)
			return dictionary->slots[at] - 1;
	dictionary->numbers[dictionary->nr++] = number;
	dictionary->slots[at] = (uint32_t)dictionary->nr;
	return (uint32_t)dictionary->nr - 1;
}

uint32_t pd_dictionary_text(struct dictionary *dictionary, struct perfdata_bytes text)
{
	if (2 * dictionary->nr >= dictionary->nr_slots && !enlarge_dictionary(dictionary, true))
		return UINT32_MAX;
	const size_t mask = dictionary->nr_slots - 1;
	size_t at = (size_t)pd_hash_bytes(text.data, text.size, dictionary->seed) & mask;
	for (; dictionary->slots[at]; at = (at + 1) & mask) {
		const struct perfdata_bytes *entry = &dictionary->texts[dictionary->slots[at] - 1];
		if (entry->size == text.size && (!text.size || !memcmp(entry->data, text.data, text.size)))
			return dictionary->slots[at] - 1;
	}
	dictionary->texts[dictionary->nr++] = text;
	dictionary->bytes += text.size;
	dictionary->slots[at] = (uint32_t)dictionary->nr;
	return (uint32_t)dictionary->nr - 1;
}
