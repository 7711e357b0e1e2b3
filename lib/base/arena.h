/* SPDX-License-Identifier: MIT */
/* Memory with one lifetime: allocated in small parts, freed at once. Pointers never move. */
#ifndef PD_ARENA_H
#define PD_ARENA_H

#include <stddef.h>
#include <stdint.h>

struct pd_arena_block;
struct pd_arena {
	struct pd_arena_block *blocks;  /* newest first */
	size_t used, room;              /* bytes used and bytes free in the newest block */
	size_t total;                   /* bytes allocated in all blocks */
};

/* {0} is a valid empty arena. */
void *pd_arena_alloc(struct pd_arena *arena, size_t size);    /* aligned as by malloc, not cleared; NULL: no memory */
void *pd_arena_calloc(struct pd_arena *arena, size_t count, size_t size);
char *pd_arena_copy(struct pd_arena *arena, const void *bytes, size_t size); /* adds a NUL */
void pd_arena_reset(struct pd_arena *arena);                  /* frees all but one block */
void pd_arena_release(struct pd_arena *arena);

#endif
