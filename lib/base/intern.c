/* SPDX-License-Identifier: MIT */
#include "config.h"
#include <string.h>
#include "base/arena.h"
#include "base/hash.h"
#include "base/memory.h"

/* Entries are in blocks of 256, 256, 512, 1024 … entries, and a fixed directory holds the addresses of the blocks. What
 * readers access never moves: a thread that was passed an id (with a memory barrier) reads it without a lock while the
 * owner appends. Bytes are in an arena; only the owner accesses the hash slots. */
#define FIRST_BLOCK_BITS 8
#define BLOCKS (32 - FIRST_BLOCK_BITS + 1)

struct entry {
	const char *bytes;
	size_t size;
};

struct slot {
	uint32_t id_plus_1;  /* 0: the slot is empty */
	uint32_t hash;       /* upper half of the hash; the lower half chose the slot */
};

struct pd_intern {
	struct entry *blocks[BLOCKS];
	uint32_t count;
	struct slot *slots;
	size_t capacity;
	uint64_t seed;
	struct pd_arena arena;
};

static unsigned block_of(uint32_t id)
{
	return id < 1u << FIRST_BLOCK_BITS ? 0 : 32u - FIRST_BLOCK_BITS - (unsigned)__builtin_clz(id);
}

static uint32_t block_start(unsigned block)
{
	return block ? 1u << (block + FIRST_BLOCK_BITS - 1) : 0;
}

static size_t block_size(unsigned block)
{
	return (size_t)1 << (block ? block + FIRST_BLOCK_BITS - 1 : FIRST_BLOCK_BITS);
}

static struct entry *entry_at(const struct pd_intern *intern, uint32_t id)
{
	unsigned block = block_of(id);
	return &intern->blocks[block][id - block_start(block)];
}

struct pd_intern *pd_intern_new(void)
{
	struct pd_intern *intern = pd_calloc(1, sizeof *intern);
	if (intern)
		intern->seed = pd_hash_seed(intern);
	return intern;
}

void pd_intern_free(struct pd_intern *intern)
{
	if (!intern)
		return;
	for (unsigned i = 0; i < BLOCKS; i++)
		pd_free(intern->blocks[i]);
	pd_arena_release(&intern->arena);
	pd_free(intern->slots);
	pd_free(intern);
}

static uint64_t entry_hash(const struct pd_intern *intern, const void *bytes, size_t size)
{
	return pd_hash_bytes(bytes, size, intern->seed);
}

static int grow_slots(struct pd_intern *intern)
{
	size_t capacity = intern->capacity ? intern->capacity * 2 : 64;
	struct slot *slots = pd_calloc(capacity, sizeof *slots);
	if (!slots)
		return -1;
	for (uint32_t id = 0; id < intern->count; id++) {
		const struct entry *entry = entry_at(intern, id);
		uint64_t hash = entry_hash(intern, entry->bytes, entry->size);
		size_t i = (size_t)hash & (capacity - 1);
		while (slots[i].id_plus_1)
			i = (i + 1) & (capacity - 1);
		slots[i] = (struct slot){ id + 1, (uint32_t)(hash >> 32) };
	}
	pd_free(intern->slots);
	intern->slots = slots;
	intern->capacity = capacity;
	return 0;
}

static struct entry *append_entry(struct pd_intern *intern)
{
	unsigned block = block_of(intern->count);
	if (!intern->blocks[block]) {
		intern->blocks[block] = pd_malloc(block_size(block) * sizeof(struct entry));
		if (!intern->blocks[block])
			return NULL;
	}
	return entry_at(intern, intern->count);
}

uint32_t pd_intern_put(struct pd_intern *intern, const void *bytes, size_t size)
{
	if (intern->count >= intern->capacity / 4 * 3 && grow_slots(intern) < 0)
		return UINT32_MAX;

	uint64_t hash = entry_hash(intern, bytes, size);
	uint32_t upper = (uint32_t)(hash >> 32);
	size_t i = (size_t)hash & (intern->capacity - 1);
	for (; intern->slots[i].id_plus_1; i = (i + 1) & (intern->capacity - 1)) {
		if (intern->slots[i].hash != upper)
			continue;
		const struct entry *entry = entry_at(intern, intern->slots[i].id_plus_1 - 1);
		if (entry->size == size && (!size || !memcmp(entry->bytes, bytes, size)))
			return intern->slots[i].id_plus_1 - 1;
	}

	if (intern->count >= UINT32_MAX - 1)
		return UINT32_MAX;
	const char *copy = pd_arena_copy(&intern->arena, bytes, size);
	struct entry *entry = copy ? append_entry(intern) : NULL;
	if (!entry)
		return UINT32_MAX;
	*entry = (struct entry){ copy, size };
	intern->slots[i] = (struct slot){ ++intern->count, upper };
	return intern->count - 1;
}

const char *pd_intern_get(const struct pd_intern *intern, uint32_t id, size_t *ret_size)
{
	const struct entry *entry = entry_at(intern, id);
	if (ret_size)
		*ret_size = entry->size;
	return entry->bytes;
}

uint32_t pd_intern_count(const struct pd_intern *intern) { return intern->count; }
