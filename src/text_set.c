/* SPDX-License-Identifier: MIT */
#include "config.h"
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "text_set.h"

/* FNV-1a: keys are short paths, and need no protection against deliberate collisions. */
static uint64_t hash_text(const char *key)
{
	uint64_t value = 0xcbf29ce484222325;
	for (; *key; key++)
		value = (value ^ (uint8_t)*key) * 0x100000001b3;
	return value ^ value >> 32;
}

/* The slot of the key, or a free slot for it. */
static struct text_entry *slot_of(const struct text_set *set, const char *key)
{
	size_t at = (size_t)hash_text(key) & (set->room - 1);
	while (set->slots[at].key && strcmp(set->slots[at].key, key) != 0)
		at = (at + 1) & (set->room - 1);
	return &set->slots[at];
}

static bool grow_set(struct text_set *set)
{
	struct text_set more = { .room = set->room ? 2 * set->room : 64, .nr = set->nr };
	more.slots = calloc(more.room, sizeof *more.slots);
	if (!more.slots)
		return false;
	for (size_t i = 0; i < set->room; i++)
		if (set->slots[i].key)
			*slot_of(&more, set->slots[i].key) = set->slots[i];
	free(set->slots);
	*set = more;
	return true;
}

/* As slot_of, with room for one more key; NULL without memory. */
static struct text_entry *slot_for(struct text_set *set, const char *key)
{
	return 2 * (set->nr + 1) > set->room && !grow_set(set) ? NULL : slot_of(set, key);
}

bool text_set_add(struct text_set *set, const char *key, const void *value, const void **ret_first)
{
	struct text_entry *slot = slot_for(set, key);
	*ret_first = NULL;
	if (!slot)
		return false;
	if (slot->key) {
		*ret_first = slot->value;
		return true;
	}
	*slot = (struct text_entry){ key, value };
	set->nr++;
	return true;
}

bool text_set_put(struct text_set *set, const char *key, const void *value)
{
	struct text_entry *slot = slot_for(set, key);
	if (!slot)
		return false;
	set->nr += !slot->key;
	*slot = (struct text_entry){ key, value };
	return true;
}

const void *text_set_find(const struct text_set *set, const char *key)
{
	return set->room ? slot_of(set, key)->value : NULL;
}

void text_set_release(struct text_set *set) { free(set->slots); }
