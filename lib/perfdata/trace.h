/* SPDX-License-Identifier: MIT */
/* Tracing data and tracepoint formats: fields by name and the text of `print fmt`.
 *
 * No I/O: bytes in, values and text out. A `struct perfdata_trace` is filled by one thread; after that events, fields
 * and values may be read by any number of threads.
 * An event is compiled when it is first asked for, so opening a recording that carries thousands of formats costs
 * no more than finding where each one starts. */
#ifndef PERFDATA_TRACE_H
#define PERFDATA_TRACE_H

#include "perfdata/base.h"
#include "perfdata/text.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The formats of one recording or of one machine. */
struct perfdata_trace;

/* What a field holds. */
enum perfdata_trace_kind {
	PERFDATA_TRACE_UNSIGNED, /* integer of 1, 2, 4 or 8 bytes */
	PERFDATA_TRACE_SIGNED,   /* the same, two's complement */
	PERFDATA_TRACE_BOOL,     /* C bool: zero or not */
	PERFDATA_TRACE_POINTER,  /* an address of the recorded machine */
	PERFDATA_TRACE_STRING,   /* char array: the bytes before the first NUL, or all bytes */
	PERFDATA_TRACE_ARRAY,    /* integers of 1, 2, 4 or 8 bytes each */
	PERFDATA_TRACE_BITMASK,  /* set of small numbers (CPUs): an array of the recorder's unsigned longs */
	PERFDATA_TRACE_BYTES,    /* a struct, or anything else whose layout the format does not state */
};

/* Where the bytes of a field are. */
enum perfdata_trace_place {
	PERFDATA_TRACE_FIXED,    /* at the field's offset */
	/* at an offset from the start of the raw data; the field holds it (low 16 bits) and the length */
	PERFDATA_TRACE_DATA_LOC,
	PERFDATA_TRACE_REL_LOC,  /* the same, but the offset counts from the end of the field */
	PERFDATA_TRACE_REST,     /* from the field's offset to the end of the raw data (size 0 in the format) */
};

/* A field of an event, as its format declares it. Lives as long as the trace. */
struct perfdata_trace_field {
	const char *name;
	const char *type; /* the declaration without the name, as in the file: "char[16]", "__data_loc char[]" */
	const char *declaration;    /* the whole declaration, as in the file: "char comm[16]" */
	uint32_t offset;            /* in the raw data */
	/* bytes at that offset; for DATA_LOC and REL_LOC the descriptor's size; 0 for REST */
	uint32_t size;
	uint32_t element_size;      /* of ARRAY, BITMASK and STRING; 0 otherwise */
	enum perfdata_trace_kind kind;
	enum perfdata_trace_place place;
	bool is_signed;             /* the value, or each element, is signed */
	bool elements_are_pointers; /* of an ARRAY */
	bool is_common;             /* one of the common_ fields that every event of the machine has */
	uint8_t text_flags;         /* how perf formats the field; private */
	const struct pd_trace_piece *text_piece; /* private */
};

/* A compiled event. Lives as long as the trace. */
struct perfdata_trace_event {
	uint64_t id;                /* attr.config of its samples, and the value of common_type */
	const char *system;         /* such as "sched"; "ftrace" for the formats of the tracer itself */
	const char *name;           /* such as "sched_switch" */
	struct perfdata_bytes format; /* the text it was compiled from */
	struct perfdata_bytes print;  /* the text after "print fmt:", without the newline; empty if absent */
	/* in file order, common fields first */
	const struct perfdata_trace_field *fields;
	size_t nr_common;
	size_t nr_fields;           /* with the common ones */
	unsigned long_size;         /* sizeof(long) of the recorder */
	uint32_t min_size;          /* raw data of this many bytes holds every field's fixed part */
	/* NULL, or which part of the fields could not be read; the other fields are there */
	const char *format_problem;
	const char *print_problem;  /* NULL, or why the print format cannot be run (perf: "[FAILED TO PARSE]") */
	const struct pd_trace_program *program; /* private */
};

/* What the tracing data states about its recorder. */
struct perfdata_trace_info {
	const char *version;        /* "0.6"; "" if nothing was loaded */
	enum perfdata_byte_order order;
	unsigned long_size;         /* 4 or 8 */
	uint32_t page_size;
	size_t nr_events;
	struct perfdata_bytes header_page, header_event, kallsyms, printk_formats, saved_cmdlines; /* as recorded */
};

/* --- values ------------------------------------------------------------------------------------------------- */

struct perfdata_trace_value {
	enum perfdata_trace_kind kind;
	enum perfdata_byte_order order;
	bool is_signed;
	/* a dynamic field whose length reaches beyond the raw data: `bytes` are those that are there */
	bool clipped;
	uint32_t element_size;
	union {
		uint64_t u64;       /* UNSIGNED, BOOL (0 or 1), POINTER */
		int64_t s64;        /* SIGNED; sign-extended */
	};
	struct perfdata_bytes bytes; /* all kinds: the bytes of the value in `raw`; STRING: those before the NUL */
	size_t count;               /* ARRAY and BITMASK: elements */
};

/* --- text as perf spells it ----------------------------------------------------------------------------------- */

/* A name for an address. */
struct perfdata_trace_symbol {
	const char *name;           /* borrowed until the next call, not NUL-terminated by promise */
	size_t name_size;
	uint64_t start;             /* address of the symbol */
};

/* What printing needs beyond the event. */
struct perfdata_trace_context {
	const struct perfdata_trace *trace; /* for printk formats; may be NULL */
	enum perfdata_byte_order order;          /* of the raw data */
	/* The symbol that holds a kernel address; false if unknown. May be NULL. */
	bool (*symbol)(void *user, uint64_t address, struct perfdata_trace_symbol *ret_symbol);
	void *user;
};

#ifdef __cplusplus
}
#endif

#endif
