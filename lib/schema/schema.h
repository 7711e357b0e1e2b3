/* SPDX-License-Identifier: MIT */
/* What records, samples and attrs mean, for the rooms of the library; programs have perfdata/schema.h. */
#ifndef PD_ROOM_SCHEMA_H
#define PD_ROOM_SCHEMA_H

#include "base/cursor.h"
#include "perfdata/schema.h"

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
	PERFDATA_IF_LEFT,        /* at least when_value bytes of the body are left, this field's own included:
	                          * extensions of later versions */
	PERFDATA_UNLESS_NAME,    /* unless a file's name ('/' or '[') begins here: older versions had no such field */
	PERFDATA_UNLESS_TEXT,    /* unless a text that fills the body begins here: older versions had no such field */
	/* feature sections: */
	PERFDATA_IF_FIELD_BITS,     /* (the field when_field & when_value) != 0 */
	PERFDATA_UNLESS_FIELD_BITS,
	PERFDATA_IF_ROOT_GE,        /* the field when_field of the whole section is at least when_value */
	PERFDATA_UNLESS_ENTRIES,    /* unless entries of when_value bytes begin here, without their number in front */
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
#define PERFDATA_COUNT_PREFIX 0xfd      /*   a count comes first: u32 in feature sections, u64 in records */
					/* feature sections; there STRUCT and ATTR may have a count too, in bytes: */
#define PERFDATA_COUNT_ROOT 0xfc        /*   field number `count` of the whole section holds it */
#define PERFDATA_COUNT_CPUS 0xfb        /*   one for each available CPU of the recorded machine */
#define PERFDATA_COUNT_FRAMED 0xfa      /*   to the end; each element begins with a record header that bounds it */
#define PERFDATA_COUNT_BPF 0xf9         /*   array number `count` of a BPF program, inside its data */
#define PERFDATA_COUNT_SIZED 0xf8       /*   to the end; each element follows its size in bytes (u32) */
#define PERFDATA_COUNT_NUL 0xf7         /*   TEXT up to its NUL, which belongs to it */
#define PERFDATA_COUNT_MESSAGE 0xf6     /*   field number `count` of a protocol buffer message, as all of its rows */
	uint32_t count;
	uint32_t member;                /* offsetof in the view */
	const struct perfdata_name *names;
	const struct perfdata_bits *bits;
	/* LIST: NULL for plain u64. A single field without a name: plain values */
	const struct perfdata_layout *element;
};

/* A view is a C struct that begins with `uint64_t present`: bit i is set when fields[i] is in it. (Elements of lists do
 * not have this member: struct perfdata_list holds it once for all elements.) */
struct perfdata_layout {
	const char *name;               /* "mmap2", "sample", "read_value", "hostname", … */
	const char *perf_name;          /* perf's name: "MMAP2"; NULL for parts */
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
	/* nothing but a chain and raw data, each optional, follows the fixed words */
	bool sample_is_plain;
	/* u64 index counted from the record's end, or -1 */
	int8_t trailer_id_at, trailer_time_at, trailer_tid_at, trailer_cpu_at;
	uint8_t sample_fixed;          /* u64 words before the first variable field */
	uint8_t nr_sample_steps, nr_trailer_steps;
	/* Offsets of the words at fixed places, counted from the body or the trailer, and offsets of their members in
	 * the view. */
	struct perfdata_config_step {
		uint16_t member;
		uint8_t at;            /* bytes */
		uint8_t size;          /* 4 or 8 */
	} sample_steps[12], trailer_steps[8];
	uint64_t sample_rows;          /* rows of the sample that follow the fixed words */
	uint64_t sample_fixed_present; /* bits of `present` for the fixed words */
	uint64_t trailer_present;
	uint64_t sample_period;        /* what a sample without PERIOD is worth */
};

/* As perfdata_config_new, in the caller's memory. */
void pd_config_init(struct perfdata_config *config, const struct perfdata_attr *attr,
				       enum perfdata_byte_order order);

/* True if the sample is plain (`sample_is_plain`) and its fields reach exactly to its end; *ret_raw is its raw data, or
 * no bytes. False proves nothing: perfdata_decode finds out. */
bool pd_sample_is_whole(const struct perfdata_config *config, const void *bytes, size_t size,
					   struct perfdata_bytes *ret_raw);

const struct perfdata_layout *pd_trailer_layout(void);

/* The rows of UNWINDING_RESULT before registers, stack and chain: the whole record until 2021. */
#define PD_UNWINDING_WITHOUT_STACK UINT64_C(0x3f)

/* Names of the bits of `misc` for a record type (ENUM part: the low three bits, the cpumode). */
const struct perfdata_bits *pd_misc_bits(uint32_t type);
const struct perfdata_name *pd_sample_type_names(void);

/* "PERF_CONTEXT_USER" and so on, or NULL. */
const char *pd_callchain_marker_name(uint64_t entry);

/* Iterates: *position starts at 0. CPU numbers come as recorded (-1 for any); false at the end. */
bool pd_cpus_next(const struct perfdata_cpus *cpus, uint64_t *position, int32_t *ret_cpu);

/* The attr, all zeros if there is none; borrowed from the configuration. */
const struct perfdata_attr *pd_config_attr(const struct perfdata_config *config);
enum perfdata_byte_order pd_config_order(const struct perfdata_config *config);

/* The raw data of a sample, as perfdata_decode would give it; reads no other fields if only few come before it. No
 * bytes if the sample has none. */
struct perfdata_bytes pd_sample_raw(const struct perfdata_config *config, const void *bytes,
						       size_t size);

void pd_peek(const struct perfdata_config *config, const void *bytes, size_t size,
				struct perfdata_peek *ret);

/* The record's bytes as a machine of this byte order would have written them: integers by their widths in the layout,
 * texts and payloads untouched (perf's dump shows records so, but forgets some fields). `out` has room for record->size
 * bytes. Native records are copied. */
void pd_record_native(const struct perfdata_config *config, const struct perfdata_record *record,
					 uint8_t *out);

/* The kernel prepares an MMAP2 record once for all events that ask for it, and leaves PERFDATA_MISC_MMAP_BUILD_ID set
 * after an event that asks for build-ids: then records for other events have this bit too, but device, inode and
 * generation in the bytes of a build-id. True for these records; the decoder gives them device and inode. *ret: the
 * bytes that perf takes for a build-id (0 to 20), as its texts show them. */
bool pd_mmap2_false_build_id(const struct perfdata_record *record, struct perfdata_bytes *ret);

/* From the ARCH feature (uname machine, such as "x86_64") or an ELF e_machine number. */
enum perfdata_arch pd_arch_by_name(const char *machine);
enum perfdata_arch pd_arch_by_elf(uint32_t e_machine);

/* The name of register number `bit`, or NULL. Static storage. */
const char *pd_register_name(enum perfdata_arch arch, unsigned bit);

/* The ends of a branch in a list of struct perfdata_branch, and whether it was mispredicted. */
static inline uint64_t pd_branch_word(const struct perfdata_list *branches, uint64_t index, unsigned word)
{
	return pd_load64(branches->data + index * branches->stride + 8u * word, branches->swap);
}
static inline uint64_t pd_branch_from(const struct perfdata_list *branches, uint64_t index)
{
	return pd_branch_word(branches, index, 0);
}
static inline uint64_t pd_branch_to(const struct perfdata_list *branches, uint64_t index)
{
	return pd_branch_word(branches, index, 1);
}
static inline bool pd_branch_is_mispredicted(const struct perfdata_list *branches, uint64_t index)
{
	/* bits of a word count from the other end on machines of the other byte order */
	struct perfdata_branch branch;
	if (!branches->swap)
		return pd_branch_word(branches, index, 2) & 1;
	perfdata_list_get(branches, index, &branch, sizeof branch);
	return branch.flags & 1;
}
/* 0: not measured. */
static inline uint64_t pd_branch_cycles(const struct perfdata_list *branches, uint64_t index)
{
	struct perfdata_branch branch;
	perfdata_list_get(branches, index, &branch, sizeof branch);
	return branch.flags >> 4 & 0xffff;
}

#endif
