/* SPDX-License-Identifier: MIT */
/* A hash table from texts to values. Keys and values are borrowed. */
#ifndef TEXT_SET_H
#define TEXT_SET_H

#include <stdbool.h>
#include <stddef.h>

struct text_entry { const char *key; const void *value; };
/* Initialize it with zeros. */
struct text_set {
	struct text_entry *slots;
	size_t nr, room;         /* room: a power of two, or 0 */
};

/* Adds a key and value if the key is new: then *ret_first is NULL, otherwise the key's value. False without memory. */
bool text_set_add(struct text_set *set, const char *key, const void *value, const void **ret_first);
/* Sets the value of a new or existing key. False without memory. */
bool text_set_put(struct text_set *set, const char *key, const void *value);
/* The value of the key; NULL if it is unknown. */
const void *text_set_find(const struct text_set *set, const char *key);
void text_set_release(struct text_set *set);

#endif
