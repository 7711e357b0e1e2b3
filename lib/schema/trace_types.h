/* SPDX-License-Identifier: MIT */
/* What the files of the tracepoint decoder share. */
#ifndef PD_TRACE_TYPES_H
#define PD_TRACE_TYPES_H

#include <stdatomic.h>
#include <string.h>
#include "perfdata/trace.h"
#include "base/arena.h"
#include "base/checked.h"
#include "base/cursor.h"
#include "base/hash.h"

/* How perf prints a field: bits of perfdata_trace_field.text_flags. */
enum {
	PD_TRACE_IS_STRING = 1,  /* an array whose type contains "char", "u8" or "s8": text if printable */
	PD_TRACE_IS_ARRAY = 2,
	PD_TRACE_IS_LONG = 4,    /* the type contains "long" */
	PD_TRACE_IS_POINTER = 8,
	PD_TRACE_HAS_PREFIX = 16, /* the print format has "0x" before it */
};

/* A compiled event and its memory. Immutable once published. */
struct pd_trace_compiled {
	struct pd_arena arena;
	struct perfdata_trace_event event;
	bool is_shared;          /* the fields belong to another event */
};

/* An event in the tracing data. */
struct pd_trace_entry {
	uint64_t id;
	const char *system;
	const char *name;
	const char *text;        /* text of the format, not NUL-terminated */
	size_t size;
	/* an earlier event, without one of its own, with the same text from "format:" on; NULL: none */
	struct pd_trace_entry *same;
	_Atomic(struct pd_trace_compiled *) compiled;
};

struct pd_trace_text {
	uint64_t key;            /* address or pid */
	const char *text;
};

struct pd_trace_texts {
	struct pd_trace_text *items; /* sorted by key; of equal keys the first counts */
	size_t count, capacity;
};

struct perfdata_trace {
	struct pd_arena arena;   /* memory of the copied tracing data, names and texts */
	struct perfdata_trace_info info;
	struct pd_trace_entry **entries; /* allocated in the arena, so that entries never move */
	size_t count, capacity;
	struct pd_hash_map by_id;     /* id → index in entries */
	struct pd_trace_texts printk;
};

/* Larger formats are not compiled. The largest of real kernels is below 100 KiB. */
#define PD_TRACE_FORMAT_LIMIT (1u << 20)

/* A part of the text of a format. */
struct pd_trace_span {
	const char *at, *end;
};

/* Takes the next line of `text`, without its newline; false at the end. */
bool pd_trace_line(struct pd_trace_span *text, struct pd_trace_span *ret_line);
static inline void pd_trace_skip_blanks(struct pd_trace_span *span)
{
	while (span->at < span->end && (*span->at == ' ' || *span->at == '\t'))
		span->at++;
}
/* Skips blanks and `word` if `span` begins with them; returns whether it did. Inline, since words are literals and
 * calls are many. */
static inline bool pd_trace_skip_word(struct pd_trace_span *span, const char *word)
{
	const size_t size = strlen(word);

	pd_trace_skip_blanks(span);
	if ((size_t)(span->end - span->at) < size || memcmp(span->at, word, size) != 0)
		return false;
	span->at += size;
	return true;
}
/* Takes a decimal number after blanks. False: no number, or a number that does not fit. */
bool pd_trace_number(struct pd_trace_span *span, uint64_t *ret_value);

/* Whether pd_trace_event would return the event if it has memory to compile it. */
bool pd_trace_has_event(const struct perfdata_trace *trace, uint64_t id);
/* Compiles an entry. Returns NULL without memory. */
struct pd_trace_compiled *pd_trace_compile(const struct perfdata_trace *trace, const struct pd_trace_entry *entry);
/* Makes an event of the fields and the print format of another one (entry->same), which must live as long. Returns NULL
 * without memory. */
struct pd_trace_compiled *pd_trace_share(const struct pd_trace_entry *entry, const struct perfdata_trace_event *same);
void pd_trace_compiled_free(struct pd_trace_compiled *compiled);

/* Finds the bytes of a field's value; false if they are not in the raw data. *ret_clipped (may be NULL): whether the
 * field is dynamic and ends after the raw data, so that the bytes are cut. */
bool pd_trace_locate(const struct perfdata_trace_field *field, struct perfdata_bytes raw, bool swap,
		     struct perfdata_bytes *ret_bytes, bool *ret_clipped);
/* Reads an integer of 1, 2, 4 or 8 bytes, zero-extended; 0 for other sizes. */
static inline uint64_t pd_trace_integer(const uint8_t *at, uint32_t size, bool swap)
{
	switch (size) {
	case 1: return *at;
	case 2: return pd_load16(at, swap);
	case 4: return pd_load32(at, swap);
	case 8: return pd_load64(at, swap);
	}
	return 0;
}

/* Sign-extends a value of `size` bytes. */
static inline uint64_t pd_trace_extended(uint64_t value, uint32_t size)
{
	switch (size) {
	case 1: return (uint64_t)(int64_t)(int8_t)value;
	case 2: return (uint64_t)(int64_t)(int16_t)value;
	case 4: return (uint64_t)(int64_t)(int32_t)value;
	}
	return value;
}

/* Reads a field that is one integer. False: the field is something else, or the raw data is too short. */
static inline bool pd_trace_field_number(const struct perfdata_trace_field *field, struct perfdata_bytes raw, bool swap,
					 uint64_t *ret)
{
	if (field->kind > PERFDATA_TRACE_POINTER || !pd_range_ok(field->offset, field->size, raw.size))
		return false;
	const uint64_t value = pd_trace_integer(raw.data + field->offset, field->size, swap);
	*ret = field->kind == PERFDATA_TRACE_SIGNED ? pd_trace_extended(value, field->size) :
	       field->kind == PERFDATA_TRACE_BOOL ? value != 0 : value;
	return true;
}

#endif
