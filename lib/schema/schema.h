/* SPDX-License-Identifier: MIT */
/* The meaning of records, samples and attrs, for other folders of the library; programs include perfdata/schema.h. */
#ifndef PD_ROOM_SCHEMA_H
#define PD_ROOM_SCHEMA_H

#include "base/cursor.h"
#include "perfdata/schema.h"

/* --- layouts ------------------------------------------------------------------------------------------------------ */

/* The condition for a field to be present. when_value and when_field are members of the field. */
enum perfdata_when {
	PERFDATA_ALWAYS,
	PERFDATA_IF_MISC,        /* (misc & when_value) != 0 */
	PERFDATA_UNLESS_MISC,
	PERFDATA_IF_SAMPLE_TYPE, /* attr.sample_type & when_value */
	PERFDATA_IF_READ_FORMAT, /* attr.read_format & when_value */
	PERFDATA_IF_FIELD,       /* the field number when_field equals when_value */
	PERFDATA_IF_FIELD_GE,
	PERFDATA_IF_LEFT,   /* when_value bytes of the body are left, this field included: a later version added it */
	PERFDATA_UNLESS_NAME,    /* unless a file name ('/' or '[') begins here: older versions lack the field */
	PERFDATA_UNLESS_TEXT,    /* unless a text that fills the body begins here: older versions lack the field */
	/* only in feature sections: */
	PERFDATA_IF_FIELD_BITS,     /* (the value of field number when_field & when_value) != 0 */
	PERFDATA_UNLESS_FIELD_BITS,
	PERFDATA_IF_ROOT_GE,        /* field number when_field of the whole section is at least when_value */
	PERFDATA_UNLESS_ENTRIES,    /* unless entries of when_value bytes begin here without a count */
};

struct perfdata_field {
	const char *name;               /* key in JSON, column in CSV, name in filters */
	const char *doc;                /* description in one line */
	enum perfdata_kind kind;
	enum perfdata_show show;
	enum perfdata_unit unit;
	enum perfdata_when when;
	uint64_t when_value;
	uint8_t when_field;             /* index of an earlier field of the same layout */
	/* for LIST, BYTES, CHARS and TEXT: index of the field that holds the count, or one of: */
	uint8_t count_field;
#define PERFDATA_COUNT_REST 0xff        /*   all that is left of the body */
#define PERFDATA_COUNT_FIXED 0xfe       /*   `count` elements or bytes; also PAD */
#define PERFDATA_COUNT_PREFIX 0xfd      /*   a count comes first: u32 in feature sections, u64 in records */
					/* only in feature sections, where STRUCT and ATTR may also have a count, in
					 * bytes: */
#define PERFDATA_COUNT_ROOT 0xfc        /* value of field number `count` of the whole section */
#define PERFDATA_COUNT_CPUS 0xfb        /* number of CPUs that the recorded machine has available */
#define PERFDATA_COUNT_FRAMED 0xfa   /* up to the end; a record header at the start of each element states its size */
#define PERFDATA_COUNT_BPF 0xf9         /*   array number `count` of a BPF program, inside its data */
#define PERFDATA_COUNT_SIZED 0xf8       /* up to the end; a u32 before each element states its size */
#define PERFDATA_COUNT_NUL 0xf7         /* TEXT up to and including its NUL */
#define PERFDATA_COUNT_MESSAGE 0xf6     /* field number `count` of a protocol buffer message */
	uint32_t count;
	uint32_t member;                /* offset of the member in the view */
	const struct perfdata_name *names;
	const struct perfdata_bits *bits;
	/* layout of a LIST's elements; NULL: u64. If it has one field without a name, the elements are plain values */
	const struct perfdata_layout *element;
};

/* A view is a C struct that begins with `uint64_t present`: bit i is set when fields[i] is in it. (Elements of lists do
 * not have this member: struct perfdata_list holds it once for all elements.) */
struct perfdata_layout {
	const char *name;               /* "mmap2", "sample", "read_value", "hostname", … */
	const char *perf_name;          /* perf's name: "MMAP2"; NULL for parts */
	const char *doc;
	uint32_t id;                    /* record type or feature number; 0 for parts */
	uint32_t min_size;              /* bytes, header included; a shorter record lacks fields */
	uint32_t view_size;
	const struct perfdata_field *fields;
	uint32_t nr_fields;             /* limit: 64, the bits of `present` */
	/* meanings of misc bits other than the cpumode; NULL: none */
	const struct perfdata_bits *misc;
	uint32_t perf_min_size; /* bytes; perf drops shorter records although they may be whole; 0: same as min_size */
};

/* --- the decoder's plan ------------------------------------------------------------------------------------------- */

/* The decoder's plan for the records of an event. */
struct perfdata_config {
	struct perfdata_attr attr;     /* copy of the attr; `rest` is empty */
	bool has_attr;
	bool swap;
	enum perfdata_byte_order order;
	bool branch_counters;          /* branch entries are followed by counter words */
	uint8_t trailer_size;          /* bytes of the sample_id trailer; 0 without sample_id_all */
	int8_t sample_id_at, sample_time_at, sample_tid_at, sample_cpu_at; /* u64 index in a sample's body; -1: none */
	int8_t sample_ip_at, sample_addr_at, sample_period_at;
	/* after the fixed words a sample has at most a chain and raw data */
	bool sample_is_plain;
	/* u64 index counted from the record's end; -1: absent */
	int8_t trailer_id_at, trailer_time_at, trailer_tid_at, trailer_cpu_at;
	uint8_t sample_fixed;          /* u64 words before the first variable field */
	uint8_t nr_sample_steps, nr_trailer_steps;
	/* A word at a fixed offset, and the member of the view that gets it. */
	struct perfdata_config_step {
		uint16_t member;
		uint8_t at;            /* offset in the body or the trailer, bytes */
		uint8_t size;          /* bytes of the word: 4 or 8 */
	} sample_steps[12], trailer_steps[8];
	uint64_t sample_rows;          /* rows of a sample after the fixed words */
	uint64_t sample_fixed_present; /* bits of `present` of the fixed words */
	uint64_t trailer_present;
	uint64_t sample_period;        /* period of samples without PERIOD */
};

/* As perfdata_config_new, but in memory of the caller. */
void pd_config_init(struct perfdata_config *config, const struct perfdata_attr *attr,
				       enum perfdata_byte_order order);

/* True: the sample is plain (`sample_is_plain`) and its fields end exactly at its end; *ret_raw is its raw data, empty
 * if it has none. False: the sample may still be whole, and the caller must decode it. */
bool pd_sample_is_whole(const struct perfdata_config *config, const void *bytes, size_t size,
					   struct perfdata_bytes *ret_raw);

const struct perfdata_layout *pd_trailer_layout(void);

/* Rows of UNWINDING_RESULT before registers, stack and chain. Until 2021 the record had only these rows. */
#define PD_UNWINDING_WITHOUT_STACK UINT64_C(0x3f)

/* Names of the bits of `misc` in records of this type. The low three bits, the cpumode, are an ENUM. */
const struct perfdata_bits *pd_misc_bits(uint32_t type);
const struct perfdata_name *pd_sample_type_names(void);

/* Returns "PERF_CONTEXT_USER" and similar names; NULL: the entry is an address. */
const char *pd_callchain_marker_name(uint64_t entry);

/* Reads the next CPU number, -1 for any CPU. *position starts at 0. False: no more CPUs. */
bool pd_cpus_next(const struct perfdata_cpus *cpus, uint64_t *position, int32_t *ret_cpu);

/* Returns the attr, borrowed from the configuration; all zeros if the configuration has none. */
const struct perfdata_attr *pd_config_attr(const struct perfdata_config *config);
enum perfdata_byte_order pd_config_order(const struct perfdata_config *config);

/* Returns the raw data of a sample as perfdata_decode does, and skips other fields if it can. Empty if the sample has
 * none. */
struct perfdata_bytes pd_sample_raw(const struct perfdata_config *config, const void *bytes,
						       size_t size);

void pd_peek(const struct perfdata_config *config, const void *bytes, size_t size,
				struct perfdata_peek *ret);

/* Converts the record to the bytes that a machine of this byte order would have written: swaps integers by their widths
 * in the layout, keeps texts and payloads. (perf's dump shows records so, but forgets some fields.) `out` has room for
 * record->size bytes. Native records are copied. */
void pd_record_native(const struct perfdata_config *config, const struct perfdata_record *record,
					 uint8_t *out);

/* Whether the record's misc bit PERFDATA_MISC_MMAP_BUILD_ID is wrong. The kernel prepares an MMAP2 record once for all
 * events that ask for it, and leaves the bit set after an event that asks for build-ids: records for later events have
 * the bit, but hold device, inode and generation. The decoder decodes device and inode then. *ret: the bytes that perf
 * takes for a build-id (0 to 20), which it prints. */
bool pd_mmap2_false_build_id(const struct perfdata_record *record, struct perfdata_bytes *ret);

/* Architecture by the ARCH feature (from uname, for example "x86_64"), or by an ELF e_machine. */
enum perfdata_arch pd_arch_by_name(const char *machine);
enum perfdata_arch pd_arch_by_elf(uint32_t e_machine);

/* Returns the name of register number `bit` in static storage; NULL: unknown. */
const char *pd_register_name(enum perfdata_arch arch, unsigned bit);

/* Read the ends of a branch in a list of struct perfdata_branch, and whether it was mispredicted. */
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
	/* bits have other numbers on a machine of the other byte order */
	struct perfdata_branch branch;
	if (!branches->swap)
		return pd_branch_word(branches, index, 2) & 1;
	perfdata_list_get(branches, index, &branch, sizeof branch);
	return branch.flags & 1;
}
/* Cycles since the previous branch; 0: not measured. */
static inline uint64_t pd_branch_cycles(const struct perfdata_list *branches, uint64_t index)
{
	struct perfdata_branch branch;
	perfdata_list_get(branches, index, &branch, sizeof branch);
	return branch.flags >> 4 & 0xffff;
}

#endif
