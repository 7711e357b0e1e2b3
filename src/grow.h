/* SPDX-License-Identifier: MIT */
/* Growing arrays of the program. */
#ifndef GROW_H
#define GROW_H

#include <stdbool.h>
#include <stddef.h>

/* Enlarges the array to which `*list` points, so that item `index` can be written. `list` is the address of a pointer
 * to items, *room the number of items allocated; new items are zeros. False without memory: the array is unchanged. */
bool enlarge_list(void *list, size_t *room, size_t index, size_t item_size);
static inline bool grow_list(void *list, size_t *room, size_t index, size_t item_size)
{
	return index < *room || enlarge_list(list, room, index, item_size);
}

#endif
