/* SPDX-License-Identifier: MIT */
/* Options for values in JSON, and functions that write small values. */
#ifndef EMIT_JSON_STYLE_H
#define EMIT_JSON_STYLE_H

#include <string.h>
#include "perfdata/emit.h"
#include "emit/spell/keys.h"
#include "emit/values/record.h"
#include "text/decimal.h"
#include "text/spelling.h"

#define EMIT_MAX_REGISTERS 64

struct speller;
typedef void json_feature_fn(struct speller *s, uint32_t id, struct perfdata_bytes payload);
/* Options of a whole run: begin sets them, all threads read them. */
struct json_style {
	bool int64_string;
	const char *recording;         /* first member of each line if several recordings share an output; or NULL */
	struct key registers[EMIT_MAX_REGISTERS];    /* `,"ax":"0x` */
	/* Writes the section in the payload of a FEATURE record. A function, since sections contain attrs, which are
	 * written by rows like records. */
	json_feature_fn *feature;
};
/* False without memory. */
bool pd_json_style_init(struct json_style *style, struct pd_arena *pool, const struct perfdata_reader *reader,
			json_feature_fn *feature);

/* Writes values to `out`. */
struct speller {
	struct value_scope *scope;
	const struct json_style *style;
	struct perfdata_text *out;
	/* doubles quotes of tracepoint fields, for a cell of CSV */
	bool doubled;
};
/* State of a writer of records. */
struct writing {
	struct perfdata_text *out;
	const struct json_style *style;
};
static inline struct perfdata_text *record_out(const struct record *r)
{
	return ((const struct writing *)r->writing)->out;
}
static inline const struct json_style *record_style(const struct record *r)
{
	return ((const struct writing *)r->writing)->style;
}
/* For the values of a record. */
static inline struct speller speller_of(struct record *r, struct perfdata_text *out)
{
	return (struct speller){ .scope = &r->scope, .style = record_style(r), .out = out };
}

/* Closes a list or object: replaces the comma at `start` by the opening bracket, appends this bracket if there is no
 * comma, and appends the closing bracket. */
void pd_spell_close(struct perfdata_text *out, size_t start, char open, char close);
void pd_spell_hex_string(struct perfdata_text *out, uint64_t value);             /* "0x…" */
void pd_spell_bytes_string(struct perfdata_text *out, struct perfdata_bytes bytes); /* "…" */
/* A 64-bit number; a string with --int64=string. */
void pd_spell_wide(struct speller *s, uint64_t value);

/* As pd_spell_hex_string, but writes up to 40 bytes at `at`, which the caller reserved. */
static inline char *pd_hex_string_to(char *at, uint64_t value)
{
	memcpy(at, "\"0x", 3);
	at = pd_hex_to(at + 3, value);
	*at++ = '"';
	return at;
}

static inline char *pd_wide_to(char *at, uint64_t value, bool as_string, bool is_signed)
{
	if (as_string)
		*at++ = '"';
	at = is_signed ? pd_s64_to(at, (int64_t)value) : pd_u64_to(at, value);
	if (as_string)
		*at++ = '"';
	return at;
}

#endif
