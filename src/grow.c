/* SPDX-License-Identifier: MIT */
#include "config.h"
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "grow.h"

enum { FIRST_ROOM = 16 };

bool enlarge_list(void *list, size_t *room, size_t index, size_t item_size)
{
	const size_t wanted = index < FIRST_ROOM / 2 ? FIRST_ROOM : 2 * index;
	char *items;
	if (wanted > SIZE_MAX / item_size)
		return false;
	/* copies the pointer as bytes, since its type is unknown */
	memcpy(&items, list, sizeof items);
	items = realloc(items, wanted * item_size);
	if (!items)
		return false;
	memset(items + *room * item_size, 0, (wanted - *room) * item_size);
	memcpy(list, &items, sizeof items);
	*room = wanted;
	return true;
}
