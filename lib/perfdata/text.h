/* SPDX-License-Identifier: MIT */
/* Growing text buffers, and functions that append numbers, JSON and text for terminals.
 *
 * A buffer grows by doubling. Failure is sticky: after an allocation fails, further appends do nothing, so the caller
 * tests perfdata_text_failed() once at the end. */
#ifndef PERFDATA_TEXT_H
#define PERFDATA_TEXT_H

#include <string.h>
#include "perfdata/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Owned by the caller: call perfdata_text_init first and perfdata_text_release at the end. */
struct perfdata_text {
	char *data;
	size_t size;      /* bytes in use */
	size_t capacity;  /* bytes allocated */
	bool failed;      /* an allocation failed; the contents are a prefix of the intended text */
	size_t full;      /* for a text with an outlet: the size from which perfdata_text_cut passes bytes on */
	struct pd_outlet *outlet;   /* private to the library; NULL: the text stays in memory */
};

static inline void perfdata_text_init(struct perfdata_text *text) { memset(text, 0, sizeof *text); }
PERFDATA_API void perfdata_text_release(struct perfdata_text *text);
static inline void perfdata_text_clear(struct perfdata_text *text) { text->size = 0; }
/* Declares that nobody will read or change the text so far: a run may then write it. */
PERFDATA_API void perfdata_text_leave(struct perfdata_text *text);
static inline void perfdata_text_cut(struct perfdata_text *text)
{
	if (text->outlet && text->size >= text->full)
		perfdata_text_leave(text);
}
static inline bool perfdata_text_failed(const struct perfdata_text *text) { return text->failed; }

/* Makes room for `more` bytes; false, and sticky failure, without memory. */
PERFDATA_API bool perfdata_text_grow(struct perfdata_text *text, size_t more);

/* Returns where the caller may write up to `more` bytes, or NULL without memory. Call perfdata_text_commit(text, end)
 * afterwards. (It reserves one byte more, so that the pointer is valid even if `more` is 0.) */
static inline char *perfdata_text_reserve(struct perfdata_text *text, size_t more)
{
	if (text->capacity - text->size <= more && !perfdata_text_grow(text, more))
		return NULL;
	return text->data + text->size;
}
static inline void perfdata_text_commit(struct perfdata_text *text, const char *end)
{
	text->size = (size_t)(end - text->data);
}

static inline void perfdata_text_append(struct perfdata_text *text, const void *bytes, size_t size)
{
	char *at = size ? perfdata_text_reserve(text, size) : NULL;
	if (at) {
		memcpy(at, bytes, size);
		text->size += size;
	}
}
static inline void perfdata_text_char(struct perfdata_text *text, char c) { perfdata_text_append(text, &c, 1); }
static inline void perfdata_text_string(struct perfdata_text *text, const char *s)
{
	perfdata_text_append(text, s, strlen(s));
}
static inline void perfdata_text_bytes(struct perfdata_text *text, struct perfdata_bytes bytes)
{
	perfdata_text_append(text, bytes.data, bytes.size);
}
#define perfdata_text_literal(text, s) perfdata_text_append((text), "" s, sizeof(s) - 1)

/* printf, which is slow: for headers and messages, not for each record. */
PERFDATA_API void perfdata_text_printf(struct perfdata_text *text, const char *format, ...) PERFDATA_PRINTF(2, 3);

/* --- numbers --- */
PERFDATA_API void perfdata_text_u64(struct perfdata_text *text, uint64_t value);
PERFDATA_API void perfdata_text_s64(struct perfdata_text *text, int64_t value);
/* The shortest decimal that reads back as the same double; null, as in JSON, for NaN and infinities. */
PERFDATA_API void perfdata_text_double(struct perfdata_text *text, double value);
/* Appends `width` times the character `c`. */
PERFDATA_API void perfdata_text_fill(struct perfdata_text *text, char c, size_t width);

/* Lower-case hex of the bytes, without separators. */
PERFDATA_API void perfdata_text_bytes_hex(struct perfdata_text *text, const void *bytes, size_t size);

/* --- JSON --- */
/* Appends a JSON string with quotes. Bytes that are no valid UTF-8 become U+FFFD, control characters are escaped (
 * , \u0007 …). Returns false if there were such bytes: then the caller may add `<key>_hex`. */
PERFDATA_API bool perfdata_text_json_string(struct perfdata_text *text, const void *bytes, size_t size);

/* "note", "warning", "error". Static storage. */
PERFDATA_API const char *perfdata_severity_name(enum perfdata_severity severity);
/* A finding as the JSON object of all outputs: {"severity","code","name","file","offset","record","message"}, without
 * members that the finding lacks; code 0: a failure that is no finding. wide_as_text: offset and record become strings,
 * for readers whose numbers are doubles. */
PERFDATA_API void perfdata_text_finding(struct perfdata_text *text, const struct perfdata_finding *finding,
					bool wide_as_text);

/* --- terminal --- */
/* For messages and listings that people read: control characters, invisible characters, characters that change the
 * direction of text, and invalid UTF-8 become \xNN. */
PERFDATA_API void perfdata_text_printable(struct perfdata_text *text, const void *bytes, size_t size);
/* For a name in a column of a table: invalid bytes become U+FFFD; control characters and characters that change the
 * direction of text become \uXXXX. If `columns` is not 0 and the name is wider, its middle is cut out. Returns the
 * width of the result in columns. */
PERFDATA_API size_t perfdata_text_shortened(struct perfdata_text *text, const char *name, size_t columns);

#ifdef __cplusplus
}
#endif

#endif
