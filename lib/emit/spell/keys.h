/* SPDX-License-Identifier: MIT */
/* Keys of JSON objects, prepared once for each row, so that writing a key is one copy. */
#ifndef EMIT_KEYS_H
#define EMIT_KEYS_H

#include <string.h>
#include "emit/values/plan.h"
#include "perfdata/text.h"

/* Bytes such as `,"name":`, padded so that EMIT_KEY_STEP bytes can be copied at once. */
#define EMIT_KEY_STEP 32
struct key {
	const char *text;
	uint32_t size;
};

static inline char *key_to(char *at, const struct key *key)
{
	memcpy(at, key->text, EMIT_KEY_STEP);
	if (key->size > EMIT_KEY_STEP)
		memcpy(at + EMIT_KEY_STEP, key->text + EMIT_KEY_STEP, key->size - EMIT_KEY_STEP);
	return at + key->size;
}
/* Bytes to reserve for a key and `more` bytes. */
static inline size_t key_room(const struct key *key, size_t more) { return key->size + EMIT_KEY_STEP + more; }

/* The key `,"<name><suffix>":`; NULL text without memory. */
struct key pd_key_make(struct pd_arena *pool, const char *name, const char *suffix);
/* Any bytes, padded for key_to. */
struct key pd_key_bytes(struct pd_arena *pool, const char *bytes, size_t size);

/* The keys of a row, kept with the row. */
struct row_keys {
	struct key key;
	struct key raw, hex;            /* of ENUM and FLAGS; of TEXT */
	const struct key *parts;        /* BITS: one key per part */
};
const struct row_keys *pd_row_keys_make(const struct row *row);
/* NULL without memory. */
static inline const struct row_keys *pd_row_keys(const struct row *row)
{
	return row->prepared->made ? row->prepared->made : pd_row_keys_make(row);
}

#endif
