/* SPDX-License-Identifier: MIT */
/* Structs that in-tree emitters use for speed, outside the promise of the ABI: layouts of records, records as the
 * reader frames them, the decoder's plan, lines that are alike. They change with any release: a program that includes
 * this header works with exactly the version of the library that it was built with. */
#ifndef PERFDATA_UNSTABLE_H
#define PERFDATA_UNSTABLE_H

#include "perfdata/schema.h"
#include "perfdata/text.h"
#include "perfdata/trace.h"

#ifdef __cplusplus
extern "C" {
#endif

/* --- layouts ------------------------------------------------------------------------------------------------------ */

/* When a field is present. */
enum perfdata_when {
	PERFDATA_ALWAYS,
	PERFDATA_IF_MISC,        /* (misc & when_value) != 0 */
	PERFDATA_UNLESS_MISC,
	PERFDATA_IF_SAMPLE_TYPE, /* attr.sample_type & when_value */
	PERFDATA_IF_READ_FORMAT, /* attr.read_format & when_value */
	PERFDATA_IF_FIELD,       /* the field when_field equals when_value */
	PERFDATA_IF_FIELD_GE,
	PERFDATA_IF_LEFT,        /* at least when_value bytes are left: extensions of later versions */
	PERFDATA_UNLESS_NAME,    /* unless a file's name ('/' or '[') begins here: older versions had no such field */
	/* feature sections: */
	PERFDATA_IF_FIELD_BITS,     /* (the field when_field & when_value) != 0 */
	PERFDATA_UNLESS_FIELD_BITS,
	PERFDATA_IF_ROOT_GE,        /* the field when_field of the whole section is at least when_value */
};

struct perfdata_field {
	const char *name;               /* key in JSON, column in CSV, name for -e */
	const char *doc;                /* one line */
	enum perfdata_kind kind;
	enum perfdata_show show;
	enum perfdata_unit unit;
	enum perfdata_when when;
	uint64_t when_value;
	uint8_t when_field;             /* index of an earlier field of the same layout */
	/* LIST, BYTES, CHARS, TEXT: index of the field that holds the count, or one of: */
	uint8_t count_field;
#define PERFDATA_COUNT_REST 0xff        /*   all that is left of the body */
#define PERFDATA_COUNT_FIXED 0xfe       /*   `count` elements or bytes; also PAD */
#define PERFDATA_COUNT_PREFIX 0xfd      /*   a count stands in front: u32 in feature sections, u64 in records */
					/* feature sections; there STRUCT and ATTR may have a count too, in bytes: */
#define PERFDATA_COUNT_ROOT 0xfc        /*   field number `count` of the whole section holds it */
#define PERFDATA_COUNT_CPUS 0xfb        /*   one for each available CPU of the recorded machine */
#define PERFDATA_COUNT_FRAMED 0xfa      /*   to the end; each element begins with a record header that bounds it */
#define PERFDATA_COUNT_BPF 0xf9         /*   array number `count` of a BPF program, inside its data */
	uint32_t count;
	uint32_t member;                /* offsetof in the view */
	const struct perfdata_name *names;
	const struct perfdata_bits *bits;
	/* LIST: NULL for plain u64. A single field without a name: plain values */
	const struct perfdata_layout *element;
};

/* A view is a C struct that begins with `uint64_t present`: bit i is set when fields[i] is in it. (Elements of lists
 * have no such member: struct perfdata_list holds it once for all of them.) */
struct perfdata_layout {
	const char *name;               /* "mmap2", "sample", "read_value", "hostname", … */
	const char *perf_name;          /* as perf spells it: "MMAP2"; NULL for parts */
	const char *doc;
	uint32_t id;                    /* record type or feature number; 0 for parts */
	uint32_t min_size;              /* of a record with its header, below which it lacks fields */
	uint32_t view_size;
	const struct perfdata_field *fields;
	uint32_t nr_fields;             /* at most 64 */
	/* bits of a record's misc that mean something beside the cpumode; NULL: none */
	const struct perfdata_bits *misc;
	uint32_t perf_min_size;         /* below which perf drops a record that lacks nothing; 0: as min_size */
};

/* --- records as the reader frames them ---------------------------------------------------------------------------- */

/* The records of a batch stand side by side: &batch->records[i] is perfdata_batch_record(batch, i). */
struct perfdata_raw {
	/* the record, header first, contiguous; borrowed as the struct */
	const uint8_t *bytes;
	const struct perfdata_event *event;    /* or NULL */
	/* bytes from the start of the file's decompressed stream; if inner is set, to the carrier */
	uint64_t offset;
	/* for records inside COMPRESSED ones: bytes from the start of all that the file's carriers decompress to; else
	 * PERFDATA_NO_OFFSET */
	uint64_t inner;
	uint64_t number;                       /* of the record in file order, from 0 */
	uint64_t time;                         /* ns; UINT64_MAX if it has none */
	/* bytes that follow the record in the file (AUXTRACE, TRACING_DATA of a pipe) */
	uint64_t payload;
	uint32_t size;                         /* bytes of the record */
	uint32_t type;
	uint32_t cpu;                          /* UINT32_MAX if it has none */
	int32_t pid, tid;                      /* of the sample or the trailer; -1 if it has none */
	uint16_t misc;
	uint16_t file;                         /* see perfdata_reader_file_name */
	uint16_t flags;                        /* enum perfdata_raw_flag */
	/* for the library: the fields reach exactly to the record's end; 0: not checked */
	uint16_t known_whole;
	struct pd_chunk *chunk;                /* for the library */
};

/* --- the decoder's plan ------------------------------------------------------------------------------------------- */

/* The decoder's plan for the records of an event. */
struct perfdata_config {
	struct perfdata_attr attr;     /* attr.rest is empty here */
	bool has_attr;
	bool swap;
	enum perfdata_byte_order order;
	bool branch_counters;          /* branch entries are followed by counter words */
	uint8_t trailer_size;          /* bytes of the sample_id trailer; 0 without sample_id_all */
	int8_t sample_id_at, sample_time_at, sample_tid_at, sample_cpu_at;    /* u64 index in a sample's body, or -1 */
	int8_t sample_ip_at, sample_addr_at, sample_period_at;
	/* behind the fixed words only a chain and raw data, or one of them, or nothing */
	bool sample_is_plain;
	/* u64 index counted from the record's end, or -1 */
	int8_t trailer_id_at, trailer_time_at, trailer_tid_at, trailer_cpu_at;
	uint8_t sample_fixed;          /* u64 words before the first variable field */
	uint8_t nr_sample_steps, nr_trailer_steps;
	/* Where the words at fixed places stand, counted from the body or the trailer, and where they go in the
	 * view. */
	struct perfdata_config_step {
		uint16_t member;
		uint8_t at;            /* bytes */
		uint8_t size;          /* 4 or 8 */
	} sample_steps[12], trailer_steps[8];
	uint64_t sample_rows;          /* rows of the sample behind the fixed words */
	uint64_t sample_fixed_present; /* what `present` holds for the fixed words */
	uint64_t trailer_present;
	uint64_t sample_period;        /* what a sample without PERIOD is worth */
};

/* As perfdata_config_new, in the caller's memory. */
PERFDATA_API void perfdata_config_init(struct perfdata_config *config, const struct perfdata_attr *attr,
				       enum perfdata_byte_order order);

/* True if the sample is plain (`sample_is_plain`) and its fields reach exactly to its end; *ret_raw is its raw data, or
 * no bytes. False proves nothing: perfdata_decode finds out. */
PERFDATA_API bool perfdata_sample_is_whole(const struct perfdata_config *config, const void *bytes, size_t size,
					   struct perfdata_bytes *ret_raw);

/* --- lines that are alike ----------------------------------------------------------------------------------------- */

/* The parts that such lines share are prepared once: constant bytes, each followed by a number that is read in place
 * from memory, at an offset from one of a few addresses. */
enum perfdata_part_form {
	PERFDATA_PART_U8, PERFDATA_PART_U16, PERFDATA_PART_U32, PERFDATA_PART_U64,    /* decimal */
	PERFDATA_PART_S8, PERFDATA_PART_S16, PERFDATA_PART_S32, PERFDATA_PART_S64,
	PERFDATA_PART_X8, PERFDATA_PART_X16, PERFDATA_PART_X32, PERFDATA_PART_X64,    /* hexadecimal */
	/* UINT32_MAX is spelled as nothing, as `null` */
	PERFDATA_PART_U32_OR_NONE, PERFDATA_PART_U32_OR_NULL,
	/* no number: the caller writes what follows */
	PERFDATA_PART_STOP,
};
struct perfdata_part {
	const char *text;         /* constant bytes; PERFDATA_PART_SLACK more behind them can be read */
	uint32_t size;
	uint32_t offset;          /* of the number; free for the caller at a STOP */
	uint8_t form, base;
	uint8_t width;            /* minimum number of hex digits, filled with zeros; 0: no minimum */
};
#define PERFDATA_PART_SLACK 32
#define PERFDATA_PART_NUMBER 32   /* room that a number needs; a line needs the room of its parts, and SLACK */
/* Writes parts up to the first STOP, including the constant bytes of the STOP, and returns the end. *part becomes that
 * STOP. */
PERFDATA_API char *perfdata_parts_to(char *at, const struct perfdata_part **part, const void *const *bases);

/* Such a line, first while it is put together, then finished. All zero at first; released by perfdata_line_release. */
struct perfdata_line {
	struct perfdata_text text;    /* constant bytes are appended here */
	struct perfdata_text parts;   /* struct perfdata_part; the last is a STOP */
	size_t done;                  /* bytes of the text that belong to parts already */
	size_t room;                  /* most bytes that the parts take, once the line is finished */
};
/* Adds a part behind the constant bytes so far; the function sets the part's text. */
PERFDATA_API void perfdata_line_part(struct perfdata_line *line, struct perfdata_part part);
/* Finishes the line: no more parts, and perfdata_line_parts may be called. False without memory. */
PERFDATA_API bool perfdata_line_finish(struct perfdata_line *line);
PERFDATA_API void perfdata_line_release(struct perfdata_line *line);
static inline const struct perfdata_part *perfdata_line_parts(const struct perfdata_line *line)
{
	return (const struct perfdata_part *)(const void *)line->parts.data;
}
/* Appends from *part on up to the next STOP, which *part becomes. False without memory. */
static inline bool perfdata_text_parts(struct perfdata_text *text, const struct perfdata_line *line,
				       const struct perfdata_part **part, const void *const *bases)
{
	char *at = perfdata_text_reserve(text, line->room);
	if (at)
		perfdata_text_commit(text, perfdata_parts_to(at, part, bases));
	return at;
}

/* The form in which perfdata_trace_print_field spells a field that is one number, in the recorder's byte order, which
 * must be this machine's: the part's text stands in front of the number, its offset is that in raw data, of which there
 * are min_size bytes. A part whose form is STOP: the field needs more than a number. */
PERFDATA_API struct perfdata_part perfdata_trace_field_part(const struct perfdata_trace_field *field);

#ifdef __cplusplus
}
#endif

#endif
