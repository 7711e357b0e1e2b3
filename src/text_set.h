/* SPDX-License-Identifier: MIT */
/* Texts that were seen, each with a value. All of it is borrowed. */
#ifndef TEXT_SET_H
#define TEXT_SET_H

#include <stdbool.h>
#include <stddef.h>

struct text_entry { const char *key; const void *value; };
/* All zero at first. */
struct text_set {
	struct text_entry *slots;
	size_t nr, room;         /* room: a power of two, or 0 */
};

/* *ret_first: the value that the key had before, or NULL: it is new, and has this one now. False without memory. */
bool text_set_add(struct text_set *set, const char *key, const void *value, const void **ret_first);
/* The key has this value from now on. False without memory. */
bool text_set_put(struct text_set *set, const char *key, const void *value);
/* The key's value, or NULL. */
const void *text_set_find(const struct text_set *set, const char *key);
void text_set_release(struct text_set *set);

#endif
