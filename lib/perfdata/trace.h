/* SPDX-License-Identifier: MIT */
/* Tracing data and tracepoint formats: fields by name and the text of `print fmt`.
 *
 * No I/O: bytes in, values and text out. A `struct perfdata_trace` is filled by one thread (perfdata_trace_load,
 * perfdata_trace_add); after that every function that takes it as const may be called by any number of threads.
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
	PERFDATA_TRACE_STRING,   /* char array: the bytes before the first NUL, or all of them */
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
	const char *declaration;    /* all of it, as in the file: "char comm[16]" */
	uint32_t offset;            /* in the raw data */
	/* bytes at that offset; for DATA_LOC and REL_LOC those of the descriptor; 0 for REST */
	uint32_t size;
	uint32_t element_size;      /* of ARRAY, BITMASK and STRING; 0 otherwise */
	enum perfdata_trace_kind kind;
	enum perfdata_trace_place place;
	bool is_signed;             /* the value, or each element, is signed */
	bool elements_are_pointers; /* of an ARRAY */
	bool is_common;             /* one of the common_ fields that every event of the machine has */
	uint8_t text_flags;         /* how perf spells the field; private */
	const struct pd_trace_piece *text_piece; /* private */
};

/* A compiled event. Lives as long as the trace. */
struct perfdata_trace_event {
	uint64_t id;                /* attr.config of its samples, and the value of common_type */
	const char *system;         /* such as "sched"; "ftrace" for the formats of the tracer itself */
	const char *name;           /* such as "sched_switch" */
	struct perfdata_bytes format; /* the text it was compiled from */
	struct perfdata_bytes print;  /* the text behind "print fmt:", without the newline; empty if absent */
	/* in file order, common fields first: see perfdata_trace_event_field */
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

/* An empty set of formats for a recorder with this byte order and sizeof(long) (4 or 8). PERFDATA_OK, PERFDATA_EUSAGE
 * for another size, or PERFDATA_ENOMEM. Free with perfdata_trace_free. */
PERFDATA_API enum perfdata_status perfdata_trace_new(enum perfdata_byte_order order, unsigned long_size,
						     struct perfdata_trace **ret_trace);

/* Reads the tracing data of a recording (the body of feature 1, or what follows record 66) into a new set. The bytes
 * are copied. Byte order and sizeof(long) are those that the data states.
 *   PERFDATA_OK        *ret_trace is set. Damage, if any, was reported to `finding`: codes TRACING_DATA and
 *                      TRACE_FORMAT with `offset` counted from `bytes`; everything in front of the damage is there.
 *                      *ret_complete (may be NULL) tells whether the whole was read.
 *   PERFDATA_EFORMAT   this is no tracing data
 *   PERFDATA_ENOMEM
 * `finding` may be NULL. Its `file` is NULL and its `record` UINT64_MAX. */
PERFDATA_API enum perfdata_status perfdata_trace_load(const void *bytes, size_t size, perfdata_finding_fn *finding,
						      void *user, struct perfdata_trace **ret_trace,
						      bool *ret_complete);

/* Adds one format text (a tracefs `format` file), for programs that decode live events. The text is copied. An event
 * with the same id replaces the older one. PERFDATA_OK, PERFDATA_DAMAGED if it has no usable name and ID,
 * PERFDATA_ENOMEM. */
PERFDATA_API enum perfdata_status perfdata_trace_add(struct perfdata_trace *trace, const char *system,
						     const char *text, size_t size, uint64_t *ret_id /* may be NULL */);

PERFDATA_API void perfdata_trace_free(struct perfdata_trace *trace);

/* What the tracing data states about its recorder. */
struct perfdata_trace_info {
	const char *version;        /* "0.6"; "" if nothing was loaded */
	enum perfdata_byte_order order;
	unsigned long_size;         /* 4 or 8 */
	uint32_t page_size;
	size_t nr_events;
	struct perfdata_bytes header_page, header_event, kallsyms, printk_formats, saved_cmdlines; /* as recorded */
};
PERFDATA_API void perfdata_trace_info(const struct perfdata_trace *trace, struct perfdata_trace_info *ret_info);

/* The event with an id, compiled if it was not yet; NULL if there is none (or no memory). Any thread. */
PERFDATA_API const struct perfdata_trace_event *perfdata_trace_event(const struct perfdata_trace *trace, uint64_t id);

/* Event number `index` in file order, or NULL behind the last. */
PERFDATA_API const struct perfdata_trace_event *perfdata_trace_event_at(const struct perfdata_trace *trace,
									size_t index);

/* The event of a system and a name, or NULL. Searches all events: meant for set-up, not for each sample. */
PERFDATA_API const struct perfdata_trace_event *perfdata_trace_event_named(const struct perfdata_trace *trace,
									    const char *system, const char *name);

/* Id, system and name of event number `index` without compiling it; false behind the last. */
PERFDATA_API bool perfdata_trace_name_at(const struct perfdata_trace *trace, size_t index, uint64_t *ret_id,
					 const char **ret_system, const char **ret_name);

/* Field number `index` in file order, or NULL behind the last: the struct grows with the library, so programs must not
 * step over the array by themselves. */
PERFDATA_API const struct perfdata_trace_field *perfdata_trace_event_field(const struct perfdata_trace_event *event,
									    size_t index);

/* A field by name, or NULL. */
PERFDATA_API const struct perfdata_trace_field *perfdata_trace_field_named(const struct perfdata_trace_event *event,
									    const char *name);

/* The text of a printk format address, or NULL. */
PERFDATA_API const char *perfdata_trace_printk(const struct perfdata_trace *trace, uint64_t address);

/* The comm of a thread as the tracer had saved it, or NULL. */
PERFDATA_API const char *perfdata_trace_comm(const struct perfdata_trace *trace, uint32_t pid);

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

/* The value of a field in the raw data of one sample (without the 4-byte size in front). Borrows from `raw`.
 * PERFDATA_OK, or PERFDATA_DAMAGED if the raw data is too short for the field. */
PERFDATA_API enum perfdata_status perfdata_trace_value(const struct perfdata_trace_field *field,
						       struct perfdata_bytes raw, enum perfdata_byte_order order,
						       struct perfdata_trace_value *ret_value);

/* Element `index` of an ARRAY or BITMASK, sign-extended if signed; 0 behind the last. */
PERFDATA_API uint64_t perfdata_trace_element(const struct perfdata_trace_value *value, size_t index);

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

/* Appends what `perf script` prints for the field `trace`: the event's print format run over the raw data, or
 * "[FAILED TO PARSE]" and the fields. No locks and no allocation but that of `out`.
 * PERFDATA_OK, or PERFDATA_DAMAGED if the raw data was too short for something (the rest is printed). */
PERFDATA_API enum perfdata_status perfdata_trace_print(const struct perfdata_trace_event *event,
						       struct perfdata_bytes raw,
						       const struct perfdata_trace_context *context,
						       struct perfdata_text *out);

/* Appends what `perf data convert --to-json` writes for a field of the event, before JSON escaping (and the text behind
 * "[FAILED TO PARSE]"): a number as the print format spells it, if that prints the field itself, with the "0x" that
 * stands there. An array of char, u8 or s8 is text while its bytes are printable, else "ARRAY[61, 0a]". perf keeps a
 * state here: once a field was not printable, it is an ARRAY[] in every later sample of that run. A program that needs
 * the same bytes calls perfdata_trace_field_printable in the order of the samples, keeps the result per field and
 * passes it as `as_bytes`. PERFDATA_OK, or PERFDATA_DAMAGED if the raw data is too short (nothing is appended). */
PERFDATA_API enum perfdata_status perfdata_trace_print_field(const struct perfdata_trace_event *event,
							     const struct perfdata_trace_field *field,
							     struct perfdata_bytes raw, enum perfdata_byte_order order,
							     bool as_bytes, struct perfdata_text *out);

/* True if perfdata_trace_print_field writes only a number for the field, so that no notation has anything to escape. */
PERFDATA_API bool perfdata_trace_prints_number(const struct perfdata_trace_field *field);

/* False if the field is one that perf prints as text and these bytes are not printable. */
PERFDATA_API bool perfdata_trace_field_printable(const struct perfdata_trace_field *field, struct perfdata_bytes raw,
						 enum perfdata_byte_order order);

#ifdef __cplusplus
}
#endif

#endif
