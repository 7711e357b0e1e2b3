/* SPDX-License-Identifier: MIT */
/* Tracing data and tracepoint formats: fields by name and the text of `print fmt`.
 *
 * There is no I/O here. One thread fills a struct perfdata_trace; then any number of threads may read events, fields
 * and values. The first look-up of an event parses its format, so that a recording with thousands of formats opens
 * quickly. */
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
	PERFDATA_TRACE_SIGNED,   /* integer of 1, 2, 4 or 8 bytes, two's complement */
	PERFDATA_TRACE_BOOL,     /* C bool: zero or not */
	PERFDATA_TRACE_POINTER,  /* an address of the recorded machine */
	PERFDATA_TRACE_STRING,   /* char array: the bytes before the first NUL, or all bytes */
	PERFDATA_TRACE_ARRAY,    /* integers of 1, 2, 4 or 8 bytes each */
	PERFDATA_TRACE_BITMASK,  /* a set of small numbers (CPUs): an array of unsigned longs of the recorded machine */
	PERFDATA_TRACE_BYTES,    /* a struct, or another type whose layout the format does not state */
};

/* Where the bytes of a field are. */
enum perfdata_trace_place {
	PERFDATA_TRACE_FIXED,    /* at the field's offset */
	/* at an offset in the raw data; the field holds this offset (low 16 bits) and the length */
	PERFDATA_TRACE_DATA_LOC,
	PERFDATA_TRACE_REL_LOC,  /* as DATA_LOC, but the offset counts from the end of the field */
	PERFDATA_TRACE_REST,     /* from the field's offset to the end of the raw data (size 0 in the format) */
};

/* A field of an event, as its format declares it. Lives as long as the trace. */
struct perfdata_trace_field {
	const char *name;
	const char *type; /* the declaration without the name: "char[16]", "__data_loc char[]" */
	const char *declaration;    /* with the name, as in the file: "char comm[16]" */
	uint32_t offset;            /* in the raw data */
	/* size of the field in bytes; for DATA_LOC and REL_LOC the size of offset and length; 0 for REST */
	uint32_t size;
	uint32_t element_size;      /* of ARRAY, BITMASK and STRING; 0 otherwise */
	enum perfdata_trace_kind kind;
	enum perfdata_trace_place place;
	bool is_signed;             /* the value, or each element, is signed */
	bool elements_are_pointers; /* of an ARRAY */
	bool is_common;             /* a common_ field, which every event of the machine has */
	uint8_t text_flags;         /* how perf formats the field; private */
	const struct pd_trace_piece *text_piece; /* private */
};

/* An event with its parsed format. Lives as long as the trace. */
struct perfdata_trace_event {
	uint64_t id;                /* value of common_type, and config of the attr */
	const char *system;         /* such as "sched"; "ftrace" for events of the tracer itself */
	const char *name;           /* such as "sched_switch" */
	struct perfdata_bytes format; /* the text that was parsed */
	struct perfdata_bytes print;  /* the text after "print fmt:", without the newline; empty if absent */
	/* in file order, common fields first */
	const struct perfdata_trace_field *fields;
	size_t nr_common;
	size_t nr_fields;           /* including common fields */
	unsigned long_size;         /* sizeof(long) of the recorder */
	uint32_t min_size;          /* number of bytes that hold the fixed part of every field */
	/* the part of the format that could not be parsed; other fields are available. NULL: no problem */
	const char *format_problem;
	/* why the print format cannot be used (perf: "[FAILED TO PARSE]"); NULL: no problem */
	const char *print_problem;
	const struct pd_trace_program *program; /* private */
};

/* Facts about the recorder in the tracing data. */
struct perfdata_trace_info {
	const char *version;        /* "0.6"; "": nothing was loaded */
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
	/* the length of a dynamic field reaches beyond the raw data: `bytes` are the available ones */
	bool clipped;
	uint32_t element_size;
	union {
		uint64_t u64;       /* UNSIGNED, BOOL (0 or 1), POINTER */
		int64_t s64;        /* SIGNED; sign-extended */
	};
	struct perfdata_bytes bytes; /* the bytes of the value, borrowed from the raw data; of STRING: up to the NUL */
	size_t count;               /* number of elements of ARRAY and BITMASK */
};

/* --- text as perf spells it ----------------------------------------------------------------------------------- */

/* The symbol that contains an address. */
struct perfdata_trace_symbol {
	const char *name;           /* borrowed until the next call; may lack a terminating NUL */
	size_t name_size;
	uint64_t start;             /* start address of the symbol */
};

/* What printing an event needs besides its format. */
struct perfdata_trace_context {
	const struct perfdata_trace *trace; /* for printk formats; may be NULL */
	enum perfdata_byte_order order;          /* of the raw data */
	/* Finds the symbol that contains a kernel address; false: unknown. May be NULL. */
	bool (*symbol)(void *user, uint64_t address, struct perfdata_trace_symbol *ret_symbol);
	void *user;
};

#ifdef __cplusplus
}
#endif

#endif
