/* SPDX-License-Identifier: MIT */
/* Plans: the rows of a layout, made ready once for all who read values by them: which type a row's value has is one
 * number instead of three. */
#ifndef EMIT_PLAN_H
#define EMIT_PLAN_H

#include "perfdata/reader.h"
#include "perfdata/schema.h"
#include "schema/schema.h"
#include "base/arena.h"

/* What a row's value is. */
enum value_type {
	VALUE_NOTHING,
	VALUE_U64, VALUE_U32, VALUE_S32,     /* the frequent numbers */
	VALUE_NUMBER,                        /* any other integer */
	VALUE_DOUBLE,
	VALUE_HEX64, VALUE_HEX,              /* "0x…" */
	VALUE_BOOL,
	VALUE_ENUM, VALUE_FLAGS, VALUE_BITS,
	VALUE_TEXT, VALUE_BYTES,
	VALUE_LIST_U64, VALUE_LIST_HEX, VALUE_LIST_PARTS,
	VALUE_CALLCHAIN, VALUE_REGS, VALUE_RAW,
	VALUE_STRUCT, VALUE_CPUS, VALUE_FEATURE,
};

/* What a speller made ready for a row when it first met it, such as its keys. One speller at a time uses a plan. */
struct prepared {
	struct pd_arena *pool;          /* where it is made; that of the row */
	const void *made;               /* the speller's; or NULL */
};

struct plan;
struct row {
	enum value_type type;
	enum perfdata_kind kind;
	uint32_t member;
	uint32_t index;                 /* of the field in its layout */
	bool wide;                      /* a 64-bit number */
	bool event_id;                  /* the id of an event, inside a part: the event's name follows */
	const char *name;               /* the field's, or what the user calls it */
	const struct perfdata_field *field;
	const struct plan *element;     /* LIST_PARTS, STRUCT */
	struct prepared *prepared;
};

struct plan {
	const struct perfdata_layout *layout;
	uint32_t nr_rows;               /* one per field, in order */
	const struct row *rows;
};

/* The row of a field that is called `name`. False without memory. */
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

/* An integer member as 64 bits: sign-extended for signed kinds. */
uint64_t pd_value_integer(enum perfdata_kind kind, const void *member);
/* "ns", "bytes", …, or "". */
const char *pd_unit_name(enum perfdata_unit unit);

#endif
