/* SPDX-License-Identifier: MIT */
/* The members of a record's line: all, or those of -e. */
#ifndef EMIT_JSON_LINE_H
#define EMIT_JSON_LINE_H

#include "emit/spell/keys.h"
#include "emit/spell/line.h"
#include "emit/values/selection.h"

struct json_head {
	enum pd_record_head head;
	struct key key;
};

/* The members of lines. */
struct json_members {
	struct json_head heads[HEAD_COUNT];
	const char *recording;           /* first member if several recordings share an output; or NULL */
	bool document;
	bool select;                     /* only the members of the selection */
	struct selection selection;
};

static inline const char *pd_json_line_end(const struct json_members *members)
{
	return members->document ? "}" : "}\n";
}

/* For struct line_kind: `members` is a struct json_members. */
bool pd_json_line_make(struct line_maker *maker, struct record *r, const void *members);
/* Writes a key and a text, and its bytes as hex if they are not valid UTF-8. */
void pd_json_spell_text(struct perfdata_text *out, const struct key *key, struct perfdata_bytes text);
/* Writes any head under any key. */
void pd_json_spell_head(struct record *r, enum pd_record_head head, const struct key *key);

#endif
