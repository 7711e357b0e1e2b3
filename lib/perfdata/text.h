/* SPDX-License-Identifier: MIT */
/* Append buffers and spelling: what every emitter writes with.
 *
 * Nothing here knows a record. A buffer grows by doubling and has a sticky failure: after an allocation fails, further
 * appends do nothing and the caller tests perfdata_text_failed() once at the end. */
#ifndef PERFDATA_TEXT_H
#define PERFDATA_TEXT_H

#include <string.h>
#include "perfdata/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The caller owns it: perfdata_text_init, then perfdata_text_release. */
struct perfdata_text {
	char *data;
	size_t size;      /* bytes in use */
	size_t capacity;  /* bytes allocated */
	bool failed;      /* an allocation failed; the contents are a prefix of the intended text */
	size_t full;      /* for a text with an outlet: from this size on perfdata_text_cut hands bytes over */
	struct pd_outlet *outlet;   /* for the library; NULL: the text is memory only */
};

static inline void perfdata_text_init(struct perfdata_text *text) { memset(text, 0, sizeof *text); }
PERFDATA_API void perfdata_text_release(struct perfdata_text *text);
static inline void perfdata_text_clear(struct perfdata_text *text) { text->size = 0; }
/* Says that nobody will read or change the bytes in the text again: if the text belongs to a run, they may be
 * written. */
PERFDATA_API void perfdata_text_leave(struct perfdata_text *text);
static inline void perfdata_text_cut(struct perfdata_text *text)
{
	if (text->outlet && text->size >= text->full)
		perfdata_text_leave(text);
}
static inline bool perfdata_text_failed(const struct perfdata_text *text) { return text->failed; }

/* Makes room for `more` bytes after the used ones; false (and sticky failure) if there is no memory. */
PERFDATA_API bool perfdata_text_grow(struct perfdata_text *text, size_t more);

/* Where to write up to `more` bytes by hand, or NULL without memory. Follow with perfdata_text_commit(text, end).
 * (One byte more than asked for is kept free, so that there is a place to point to even for none.) */
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

/* printf for rare places: headers, messages. Never for text that is made per record. */
PERFDATA_API void perfdata_text_printf(struct perfdata_text *text, const char *format, ...) PERFDATA_PRINTF(2, 3);

/* --- numbers --- The _to forms write at `at` (room for 32 bytes) and return the end: for hand-made lines. */
PERFDATA_API void perfdata_text_u64(struct perfdata_text *text, uint64_t value);
PERFDATA_API void perfdata_text_s64(struct perfdata_text *text, int64_t value);
/* Shortest decimal that reads back as the same double; "NaN" and infinities become JSON null. */
PERFDATA_API void perfdata_text_double(struct perfdata_text *text, double value);
/* `width` copies of `c`. */
PERFDATA_API void perfdata_text_fill(struct perfdata_text *text, char c, size_t width);

/* Lower-case hex of each byte, no separators. */
PERFDATA_API void perfdata_text_bytes_hex(struct perfdata_text *text, const void *bytes, size_t size);

/* --- JSON --- */
/* The bytes as a JSON string with its quotes. Always valid UTF-8: every byte that is not part of a well-formed UTF-8
 * sequence becomes U+FFFD. Returns true if the bytes were valid UTF-8 already, so that the caller can add
 * `<key>_hex` when it is false. Control characters are escaped (\n, \u0007 …). */
PERFDATA_API bool perfdata_text_json_string(struct perfdata_text *text, const void *bytes, size_t size);

/* "note", "warning", "error". Static storage. */
PERFDATA_API const char *perfdata_severity_name(enum perfdata_severity severity);
/* A finding as the JSON object that every output uses: {"severity","code","name","file","offset","record","message"},
 * without members that it lacks; code 0 means a failure that is no finding. wide_as_text: offset and record as strings,
 * for readers that have only doubles. */
PERFDATA_API void perfdata_text_finding(struct perfdata_text *text, const struct perfdata_finding *finding,
					bool wide_as_text);

/* --- terminal --- */
/* The bytes for messages and listings that people read: control characters, characters that turn the direction of text
 * or are not seen, and invalid UTF-8 are shown as \xNN. */
PERFDATA_API void perfdata_text_printable(struct perfdata_text *text, const void *bytes, size_t size);
/* A name in a column of a table: bad bytes as U+FFFD, control characters and characters that change the direction of
 * text as \uXXXX; if `columns` is not 0 and the name is wider, its middle is cut out. Returns how many columns it has
 * in the result. */
PERFDATA_API size_t perfdata_text_shortened(struct perfdata_text *text, const char *name, size_t columns);

#ifdef __cplusplus
}
#endif

#endif
