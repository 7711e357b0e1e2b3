/* SPDX-License-Identifier: MIT */
/* The value of a cell, before it is formatted or stored. */
#ifndef EMIT_VALUE_H
#define EMIT_VALUE_H

#include <string.h>
#include "perfdata/base.h"
#include "perfdata/schema.h"

struct value {
	enum value_kind {
		IS_ABSENT,
		IS_NUMBER,            /* number */
		IS_SIGNED,            /* number, sign-extended */
		IS_BOOLEAN,           /* number: 0 is false */
		IS_DOUBLE,            /* number: the bits of the double */
		IS_WORD,              /* number, hex in text formats */
		IS_ADDRESS,           /* number, hex in text formats, or a marker of a call chain */
		IS_BITS,              /* number: its bits have names */
		IS_TEXT,              /* text, borrowed */
		IS_BYTES,             /* bytes, hex in text formats; borrowed */
		IS_LIST,              /* list: integers of kind `element` */
		/* lists that pd_cell_elements walks */
		IS_NAMES,             /* names of the bits of number */
		IS_MISC_NAMES,        /* names of the bits of the record's misc */
		IS_ELEMENTS,          /* elements of the tracepoint's field `row` */
	} kind, element;
	uint64_t number;
	struct perfdata_bytes text;
	union {
		const struct perfdata_list *list;
		const struct perfdata_name *names;
		const struct trace_row *row;
	};
};

static inline struct value value_number(bool present, uint64_t value)
{
	return (struct value){ .kind = present ? IS_NUMBER : IS_ABSENT, .number = value };
}

static inline struct value value_word(bool present, uint64_t value)
{
	return (struct value){ .kind = present ? IS_WORD : IS_ABSENT, .number = value };
}

/* NULL means absent. */
static inline struct value value_text(const char *text)
{
	return (struct value){ .kind = text ? IS_TEXT : IS_ABSENT,
			       .text = { (const uint8_t *)text, text ? strlen(text) : 0 } };
}

static inline struct value value_bytes(enum value_kind kind, struct perfdata_bytes bytes)
{
	return (struct value){ .kind = kind, .text = bytes };
}

#endif
