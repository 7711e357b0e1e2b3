/* SPDX-License-Identifier: MIT */
/* Plans: rows of a layout, prepared once for all who read values. A row's type is one number, computed from kind, show
 * and count. */
#ifndef EMIT_PLAN_H
#define EMIT_PLAN_H

#include "perfdata/reader.h"
#include "perfdata/schema.h"
#include "schema/schema.h"
#include "base/arena.h"

/* The type of a row's value. */
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

/* What a writer prepares for a row at its first use, such as keys. Only one writer at a time uses a plan. */
struct prepared {
	struct pd_arena *pool;          /* memory for `made`; the row's */
	const void *made;               /* the writer's; or NULL */
};

struct plan;
struct row {
	enum value_type type;
	enum perfdata_kind kind;
	uint32_t member;
	uint32_t index;                 /* of the field in its layout */
	bool wide;                      /* a 64-bit number */
	bool event_id;                  /* id of an event inside a part: write the event's name after it */
	const char *name;               /* name of the field, or the name that the user chose */
	const struct perfdata_field *field;
	const struct plan *element;     /* LIST_PARTS, STRUCT */
	struct prepared *prepared;
};

struct plan {
	const struct perfdata_layout *layout;
	uint32_t nr_rows;               /* one for each field, in order */
	const struct row *rows;
};

/* Makes the row of a field under this name. False without memory. */
bool pd_row_make(struct pd_arena *pool, const struct perfdata_field *field, uint32_t index, const char *name,
		 bool nested, struct row *ret);
/* NULL without memory. nested: the layout is a part of a record, and has its own event ids. */
const struct plan *pd_plan_make(struct pd_arena *pool, const struct perfdata_layout *layout, bool nested);
/* The name of records with this layout; older versions of a layout have the name of the newest. */
const char *pd_plan_record_name(const struct perfdata_layout *layout);
/* Whether a view with `present` has the field. layout may be NULL. */
bool pd_plan_has_field(const struct perfdata_layout *layout, uint64_t present, const char *name);
/* The index of the field with this name, or -1. */
int pd_plan_field(const struct perfdata_layout *layout, const char *name, size_t size);

/* An integer member as 64 bits: sign-extended for signed kinds. */
uint64_t pd_value_integer(enum perfdata_kind kind, const void *member);
/* "ns", "bytes", …, or "". */
const char *pd_unit_name(enum perfdata_unit unit);

#endif
