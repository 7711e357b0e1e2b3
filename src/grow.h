/* SPDX-License-Identifier: MIT */
/* Lists that grow: the one place where the program does so. */
#ifndef GROW_H
#define GROW_H

#include <stdbool.h>
#include <stddef.h>

/* Makes room so that item `index` of the list at `*list` can be written; new items are zeros, and *room is how many
 * there are. `list` is the address of a pointer to items. False without memory: the list is as it was. */
bool enlarge_list(void *list, size_t *room, size_t index, size_t item_size);
static inline bool grow_list(void *list, size_t *room, size_t index, size_t item_size)
{
	return index < *room || enlarge_list(list, room, index, item_size);
}

#endif
