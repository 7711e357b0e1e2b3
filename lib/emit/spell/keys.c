/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "emit/spell/keys.h"

struct key pd_key_bytes(struct pd_arena *pool, const char *bytes, size_t size)
{
	char *text = pd_arena_calloc(pool, 1, size + EMIT_KEY_STEP);
	if (!text)
		return (struct key){ 0 };
	memcpy(text, bytes, size);
	return (struct key){ text, (uint32_t)size };
}

struct key pd_key_make(struct pd_arena *pool, const char *name, const char *suffix)
{
	const size_t size = strlen(name), more = strlen(suffix);
	char *text = pd_arena_calloc(pool, 1, 2 + size + more + 2 + EMIT_KEY_STEP);
	if (!text)
		return (struct key){ 0 };
	memcpy(text, ",\"", 2);
	memcpy(text + 2, name, size);
	memcpy(text + 2 + size, suffix, more);
	memcpy(text + 2 + size + more, "\":", 2);
	return (struct key){ text, (uint32_t)(2 + size + more + 2) };
}

static const struct key *part_keys(struct pd_arena *pool, const struct perfdata_bits *bits)
{
	size_t nr = 0;
	while (bits[nr].name)
		nr++;
	struct key *keys = pd_arena_calloc(pool, nr + 1, sizeof *keys);
	for (size_t i = 0; keys && i < nr; i++) {
		keys[i] = pd_key_make(pool, bits[i].name, "");
		if (!keys[i].text)
			return NULL;
	}
	return keys;
}

const struct row_keys *pd_row_keys_make(const struct row *row)
{
	struct pd_arena *pool = row->prepared->pool;
	struct row_keys *keys = pd_arena_calloc(pool, 1, sizeof *keys);
	if (!keys)
		return NULL;
	keys->key = pd_key_make(pool, row->name, "");
	keys->raw = pd_key_make(pool, row->name, "_raw");
	keys->hex = pd_key_make(pool, row->name, "_hex");
	keys->parts = row->type == VALUE_BITS ? part_keys(pool, row->field->bits) : NULL;
	if (!keys->key.text || !keys->raw.text || !keys->hex.text || (row->type == VALUE_BITS && !keys->parts))
		return NULL;
	row->prepared->made = keys;
	return keys;
}
