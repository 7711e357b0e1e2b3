/* SPDX-License-Identifier: MIT */
/* One value of a row of a table, before anybody spells or stores it. */
#ifndef EMIT_VALUE_H
#define EMIT_VALUE_H

#include <string.h>
#include "perfdata/base.h"

struct value {
	enum {
		IS_ABSENT,
		IS_NUMBER,            /* number */
		IS_WORD,              /* number, that text shows as hex */
		IS_ADDRESS,           /* the same, or a marker of a call chain */
		IS_BITS,              /* number: its bits have names */
		IS_TEXT,              /* text; borrowed */
	} kind;
	uint64_t number;
	struct perfdata_bytes text;
};

static inline struct value value_number(bool present, uint64_t value)
{
	return (struct value){ .kind = present ? IS_NUMBER : IS_ABSENT, .number = value };
}

static inline struct value value_word(bool present, uint64_t value)
{
	return (struct value){ .kind = present ? IS_WORD : IS_ABSENT, .number = value };
}

/* NULL: absent. */
static inline struct value value_text(const char *text)
{
	return (struct value){ .kind = text ? IS_TEXT : IS_ABSENT,
			       .text = { (const uint8_t *)text, text ? strlen(text) : 0 } };
}

#endif
