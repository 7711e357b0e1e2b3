/* SPDX-License-Identifier: MIT */
/* Plans: the rows of a layout made ready for spelling, once. A row's key is written with a single copy of prepared
 * bytes, and what to do with its value is one number instead of three. */
#ifndef EMIT_PLAN_H
#define EMIT_PLAN_H

#include "perfdata/reader.h"
#include "perfdata/schema.h"
#include "perfdata/text.h"
#include "schema/schema.h"
#include "base/arena.h"

/* `,"name":` and so on, with room to copy EMIT_KEY_STEP bytes at once. */
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
/* Bytes to reserve for a key and `more` behind it. */
static inline size_t key_room(const struct key *key, size_t more) { return key->size + EMIT_KEY_STEP + more; }

/* How a row's value is spelled. */
enum spell_op {
	SPELL_NOTHING,
	SPELL_U64, SPELL_U32, SPELL_S32,     /* the frequent numbers */
	SPELL_NUMBER,                        /* any other integer */
	SPELL_DOUBLE,
	SPELL_HEX64, SPELL_HEX,              /* "0x…" */
	SPELL_BOOL,
	SPELL_ENUM, SPELL_FLAGS, SPELL_BITS,
	SPELL_TEXT, SPELL_BYTES,
	SPELL_LIST_U64, SPELL_LIST_HEX, SPELL_LIST_PARTS,
	SPELL_CALLCHAIN, SPELL_REGS, SPELL_RAW,
	SPELL_STRUCT, SPELL_CPUS, SPELL_FEATURE,
};

struct plan;
struct row {
	enum spell_op op;
	enum perfdata_kind kind;
	uint32_t member;
	uint32_t index;                 /* of the field in its layout */
	bool wide;                      /* a 64-bit number: a string with --int64=string */
	bool event_id;                  /* the id of an event, inside a part: the event's name follows */
	struct key key;
	struct key key_raw, key_hex;    /* of ENUM and FLAGS; of TEXT */
	const struct perfdata_field *field;
	const struct plan *element;     /* LIST_PARTS, STRUCT */
	const struct key *parts;        /* BITS: one key per part */
};

struct plan {
	const struct perfdata_layout *layout;
	uint32_t nr_rows;               /* one per field, in order */
	const struct row *rows;
};

/* The key `<prefix><name><suffix>":`; NULL text without memory. */
struct key pd_key_make(struct pd_arena *pool, const char *prefix, const char *name, const char *suffix);
/* Any bytes, with the room that key_to wants. */
struct key pd_key_bytes(struct pd_arena *pool, const char *bytes, size_t size);
/* The row of a field under the key `name`. False without memory. */
bool pd_row_make(struct pd_arena *pool, const struct perfdata_field *field, uint32_t index, const char *name,
		 bool nested, struct row *ret);
/* NULL without memory. nested: the layout is a part of a record that has ids of its own. */
const struct plan *pd_plan_make(struct pd_arena *pool, const struct perfdata_layout *layout, bool nested);
/* The name of records with this layout: older versions of a layout have the name of the newest. */
const char *pd_plan_record_name(const struct perfdata_layout *layout);
/* Whether a view of the layout has the field. layout may be NULL. */
bool pd_plan_has_field(const struct perfdata_layout *layout, uint64_t present, const char *name);
/* The index of the field with this name, or -1. */
int pd_plan_field(const struct perfdata_layout *layout, const char *name, size_t size);

#endif
