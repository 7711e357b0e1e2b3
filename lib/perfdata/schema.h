/* SPDX-License-Identifier: MIT */
/* Layouts of records, samples, attrs and feature sections, and a decoder that walks them. perfdata/feature.h decodes
 * feature sections into trees.
 *
 * There is no I/O here. Make a configuration from an attr and a byte order, then decode records from any buffer: a
 * file, a pipe, a live perf_event_open ring buffer. lib/schema describes each record type, sample field and feature
 * section once, as rows of a layout; every output walks these rows.
 *
 * Sources of the layouts: include/uapi/linux/perf_event.h, tools/lib/perf/include/perf/event.h and
 * tools/perf/Documentation/perf.data-file-format.txt of Linux; doc/perf-data.5 describes them. */
#ifndef PERFDATA_SCHEMA_H
#define PERFDATA_SCHEMA_H

#include "perfdata/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* --- layouts ---------------------------------------------------------------------------------------------------- */

/* What a field is. Integers are stored in the view with the same width, in this machine's byte order. */
enum perfdata_kind {
	PERFDATA_KIND_PAD, /* bytes without meaning; no member */
	PERFDATA_KIND_U8,
	PERFDATA_KIND_U16,
	PERFDATA_KIND_U32,
	PERFDATA_KIND_U64,
	PERFDATA_KIND_S32,
	PERFDATA_KIND_S64,
	PERFDATA_KIND_F64,
	/* struct perfdata_bytes: up to the first NUL or the end of the body; with PERFDATA_COUNT_REST the text may fill
	 * the body, without a NUL */
	PERFDATA_KIND_TEXT,
	PERFDATA_KIND_CHARS,  /* struct perfdata_bytes: char[n] in the file, up to the first NUL */
	PERFDATA_KIND_BYTES,  /* struct perfdata_bytes */
	PERFDATA_KIND_STRING, /* feature sections: u32 length, bytes; up to the first NUL */
	PERFDATA_KIND_LIST,   /* struct perfdata_list: `element` describes one element */
	PERFDATA_KIND_STRUCT, /* a view inside the view: `element` describes it */
	PERFDATA_KIND_ATTR,   /* struct perfdata_attr */
	PERFDATA_KIND_CPUS,   /* struct perfdata_cpus */
	/* the payload of a feature section: struct perfdata_bytes */
	PERFDATA_KIND_FEATURE,
	PERFDATA_KIND_BITMAP, /* feature sections: u64 number of bits, then u64 words; see struct perfdata_node */
};

/* How a value is shown. */
enum perfdata_show {
	PERFDATA_SHOW_DEC,        /* a number */
	PERFDATA_SHOW_HEX,        /* an address, mask or config word: "0x…" */
	PERFDATA_SHOW_BOOL,
	PERFDATA_SHOW_ENUM,       /* the name of the value; the number as `<name>_raw` */
	PERFDATA_SHOW_FLAGS,      /* the names of the set bits; the number as `<name>_raw` */
	PERFDATA_SHOW_BITS,       /* bit-fields: an object with `raw` and the parts that are not zero */
	PERFDATA_SHOW_TEXT,       /* bytes that are text */
	PERFDATA_SHOW_BYTES_HEX,  /* bytes as hex */
	PERFDATA_SHOW_CALLCHAIN,  /* a list of addresses with context markers */
	PERFDATA_SHOW_REGS,       /* a list of register values; architecture and mask give their names */
	PERFDATA_SHOW_RAW,        /* raw data of a sample: fields of its tracepoint if the format is known, else hex */
	PERFDATA_SHOW_EVENT_ID,   /* id of an event; outputs may add the event's name */
	PERFDATA_SHOW_HIDDEN,        /* length of another field: no node in the tree of a feature section */
};

enum perfdata_unit {
	PERFDATA_UNIT_NONE,
	PERFDATA_UNIT_NS,
	PERFDATA_UNIT_BYTES,
	PERFDATA_UNIT_KB,
	PERFDATA_UNIT_MS,
	PERFDATA_UNIT_CYCLES,
};

/* A named number: an exact value for ENUM, a mask for FLAGS. Tables end with name NULL. This struct never changes. */
struct perfdata_name {
	uint64_t value;
	const char *name;
};

/* A part of a word. names: of the part's values (ENUM), or of its bits if `mask` is set; or NULL. Tables end with name
 * NULL. This struct never changes. */
struct perfdata_bits {
	const char *name;
	uint8_t shift, width;
	bool mask;
	const struct perfdata_name *names;
};

/* A layout consists of rows: the fields of a record type, of a part of a record, or of a feature section. Both are in
 * static storage; functions return their parts. */
struct perfdata_field;
struct perfdata_layout;

/* "mmap2", "sample", "read_value", "hostname", … */
PERFDATA_API const char *perfdata_layout_name(const struct perfdata_layout *layout);
/* Record type or feature number; 0 for parts. */
PERFDATA_API uint32_t perfdata_layout_id(const struct perfdata_layout *layout);
/* Rows in the order of the file: index 0… until NULL. Row i has bit i of `present` in the view. */
PERFDATA_API const struct perfdata_field *perfdata_layout_field(const struct perfdata_layout *layout, size_t index);

/* Key in JSON, column in CSV, name for -e; NULL for plain values in a list. */
PERFDATA_API const char *perfdata_field_name(const struct perfdata_field *field);
/* The field's kind, how it is shown, and its unit. */
PERFDATA_API enum perfdata_kind perfdata_field_kind(const struct perfdata_field *field);
PERFDATA_API enum perfdata_show perfdata_field_show(const struct perfdata_field *field);
PERFDATA_API enum perfdata_unit perfdata_field_unit(const struct perfdata_field *field);
/* Names of values (ENUM) or of bits (FLAGS), parts of a word (BITS); NULL if there are none. */
PERFDATA_API const struct perfdata_name *perfdata_field_names(const struct perfdata_field *field);
PERFDATA_API const struct perfdata_bits *perfdata_field_bits(const struct perfdata_field *field);
/* The value of an integer field in a view of its layout; signed kinds are extended to 64 bits. A field that the view
 * lacks is 0. False if the field is no integer. */
PERFDATA_API bool perfdata_field_number(const struct perfdata_field *field, const void *view, uint64_t *ret);

/* Bits in `present` of the fields that begin at offset `member` of the view, for PERFDATA_HAS; 0: no such field, or no
 * layout. It searches all rows: call it once for each layout, not for each record. */
PERFDATA_API uint64_t perfdata_layout_bits(const struct perfdata_layout *layout, size_t member);
/* Whether a decoded record has a field: PERFDATA_HAS(record, sample, addr). `view` is part of a type name: mmap2 for
 * struct perfdata_mmap2. */
#define PERFDATA_HAS(record, view, field) \
	(((record)->u.present & perfdata_layout_bits((record)->layout, offsetof(struct perfdata_##view, field))) != 0)

/* The layout of a record type (1…22, 64…86, 32769…32778); NULL for unknown types. Layouts are in static storage. */
PERFDATA_API const struct perfdata_layout *perfdata_record_layout(uint32_t type);
/* Layouts in ascending order of record types, then layouts of older versions of some types (SCHEDSTAT_DOMAIN): index 0…
 * until NULL. */
PERFDATA_API const struct perfdata_layout *perfdata_record_layout_at(size_t index);
/* The layout of a feature section (1…34, simpleperf's, PERFDATA_FEATURE_NOTE), or NULL. */
PERFDATA_API const struct perfdata_layout *perfdata_feature_layout(uint32_t id);
PERFDATA_API const struct perfdata_layout *perfdata_attr_layout(void);
/* The name of a value in a table, or NULL. */
PERFDATA_API const char *perfdata_name_of(const struct perfdata_name *names, uint64_t value);

/* --- numbers of the ABI ------------------------------------------------------------------------------------------ */

enum perfdata_record_type {
	PERFDATA_RECORD_MMAP = 1,
	PERFDATA_RECORD_LOST = 2,
	PERFDATA_RECORD_COMM = 3,
	PERFDATA_RECORD_EXIT = 4,
	PERFDATA_RECORD_THROTTLE = 5,
	PERFDATA_RECORD_UNTHROTTLE = 6,
	PERFDATA_RECORD_FORK = 7,
	PERFDATA_RECORD_READ = 8,
	PERFDATA_RECORD_SAMPLE = 9,
	PERFDATA_RECORD_MMAP2 = 10,
	PERFDATA_RECORD_AUX = 11,
	PERFDATA_RECORD_ITRACE_START = 12,
	PERFDATA_RECORD_LOST_SAMPLES = 13,
	PERFDATA_RECORD_SWITCH = 14,
	PERFDATA_RECORD_SWITCH_CPU_WIDE = 15,
	PERFDATA_RECORD_NAMESPACES = 16,
	PERFDATA_RECORD_KSYMBOL = 17,
	PERFDATA_RECORD_BPF_EVENT = 18,
	PERFDATA_RECORD_CGROUP = 19,
	PERFDATA_RECORD_TEXT_POKE = 20,
	PERFDATA_RECORD_AUX_OUTPUT_HW_ID = 21,
	PERFDATA_RECORD_CALLCHAIN_DEFERRED = 22,
	PERFDATA_RECORD_USER_FIRST = 64,
	PERFDATA_RECORD_ATTR = 64,
	PERFDATA_RECORD_EVENT_TYPE = 65,
	PERFDATA_RECORD_TRACING_DATA = 66,
	PERFDATA_RECORD_BUILD_ID = 67,
	PERFDATA_RECORD_FINISHED_ROUND = 68,
	PERFDATA_RECORD_ID_INDEX = 69,
	PERFDATA_RECORD_AUXTRACE_INFO = 70,
	PERFDATA_RECORD_AUXTRACE = 71,
	PERFDATA_RECORD_AUXTRACE_ERROR = 72,
	PERFDATA_RECORD_THREAD_MAP = 73,
	PERFDATA_RECORD_CPU_MAP = 74,
	PERFDATA_RECORD_STAT_CONFIG = 75,
	PERFDATA_RECORD_STAT = 76,
	PERFDATA_RECORD_STAT_ROUND = 77,
	PERFDATA_RECORD_EVENT_UPDATE = 78,
	PERFDATA_RECORD_TIME_CONV = 79,
	PERFDATA_RECORD_FEATURE = 80,
	PERFDATA_RECORD_COMPRESSED = 81,
	PERFDATA_RECORD_FINISHED_INIT = 82,
	PERFDATA_RECORD_COMPRESSED2 = 83,
	PERFDATA_RECORD_BPF_METADATA = 84,
	PERFDATA_RECORD_SCHEDSTAT_CPU = 85,
	PERFDATA_RECORD_SCHEDSTAT_DOMAIN = 86,
	/* record types of Android's simpleperf */
	PERFDATA_RECORD_SIMPLEPERF_FIRST = 32769,
	PERFDATA_RECORD_SIMPLEPERF_KERNEL_SYMBOL = 32769,
	PERFDATA_RECORD_SIMPLEPERF_DSO = 32770,
	PERFDATA_RECORD_SIMPLEPERF_SYMBOL = 32771,
	PERFDATA_RECORD_SIMPLEPERF_SPLIT = 32772,
	PERFDATA_RECORD_SIMPLEPERF_SPLIT_END = 32773,
	PERFDATA_RECORD_SIMPLEPERF_EVENT_ID = 32774,
	PERFDATA_RECORD_SIMPLEPERF_CALLCHAIN = 32775,
	PERFDATA_RECORD_SIMPLEPERF_UNWINDING_RESULT = 32776,
	PERFDATA_RECORD_SIMPLEPERF_TRACING_DATA = 32777,
	PERFDATA_RECORD_SIMPLEPERF_DEBUG = 32778,
	PERFDATA_RECORD_SIMPLEPERF_LAST = 32778,
};
/* Records of these types use the 16 bits of misc as the upper half of their size. */
static inline bool perfdata_record_is_simpleperf(uint32_t type)
{
	return type >= PERFDATA_RECORD_SIMPLEPERF_FIRST && type <= PERFDATA_RECORD_SIMPLEPERF_LAST;
}

enum perfdata_sample_type {
	PERFDATA_SAMPLE_IP = 1 << 0, PERFDATA_SAMPLE_TID = 1 << 1, PERFDATA_SAMPLE_TIME = 1 << 2,
	PERFDATA_SAMPLE_ADDR = 1 << 3, PERFDATA_SAMPLE_READ = 1 << 4, PERFDATA_SAMPLE_CALLCHAIN = 1 << 5,
	PERFDATA_SAMPLE_ID = 1 << 6, PERFDATA_SAMPLE_CPU = 1 << 7, PERFDATA_SAMPLE_PERIOD = 1 << 8,
	PERFDATA_SAMPLE_STREAM_ID = 1 << 9, PERFDATA_SAMPLE_RAW = 1 << 10, PERFDATA_SAMPLE_BRANCH_STACK = 1 << 11,
	PERFDATA_SAMPLE_REGS_USER = 1 << 12, PERFDATA_SAMPLE_STACK_USER = 1 << 13, PERFDATA_SAMPLE_WEIGHT = 1 << 14,
	PERFDATA_SAMPLE_DATA_SRC = 1 << 15, PERFDATA_SAMPLE_IDENTIFIER = 1 << 16, PERFDATA_SAMPLE_TRANSACTION = 1 << 17,
	PERFDATA_SAMPLE_REGS_INTR = 1 << 18, PERFDATA_SAMPLE_PHYS_ADDR = 1 << 19, PERFDATA_SAMPLE_AUX = 1 << 20,
	PERFDATA_SAMPLE_CGROUP = 1 << 21, PERFDATA_SAMPLE_DATA_PAGE_SIZE = 1 << 22,
	PERFDATA_SAMPLE_CODE_PAGE_SIZE = 1 << 23, PERFDATA_SAMPLE_WEIGHT_STRUCT = 1 << 24,
	PERFDATA_SAMPLE_KNOWN = (1 << 25) - 1,
};

enum perfdata_read_format {
	PERFDATA_READ_FORMAT_TIME_ENABLED = 1,
	PERFDATA_READ_FORMAT_TIME_RUNNING = 2,
	PERFDATA_READ_FORMAT_ID = 4,
	PERFDATA_READ_FORMAT_GROUP = 8,
	PERFDATA_READ_FORMAT_LOST = 16,
};

/* Numbers of the attr's flag bits after decoding, in both byte orders. precise_ip is bits 15 and 16. */
enum perfdata_attr_flag {
	PERFDATA_ATTR_DISABLED = 0, PERFDATA_ATTR_INHERIT, PERFDATA_ATTR_PINNED, PERFDATA_ATTR_EXCLUSIVE,
	PERFDATA_ATTR_EXCLUDE_USER, PERFDATA_ATTR_EXCLUDE_KERNEL, PERFDATA_ATTR_EXCLUDE_HV, PERFDATA_ATTR_EXCLUDE_IDLE,
	PERFDATA_ATTR_MMAP, PERFDATA_ATTR_COMM, PERFDATA_ATTR_FREQ, PERFDATA_ATTR_INHERIT_STAT,
	PERFDATA_ATTR_ENABLE_ON_EXEC, PERFDATA_ATTR_TASK, PERFDATA_ATTR_WATERMARK, PERFDATA_ATTR_PRECISE_IP,
	PERFDATA_ATTR_MMAP_DATA = 17, PERFDATA_ATTR_SAMPLE_ID_ALL, PERFDATA_ATTR_EXCLUDE_HOST,
	PERFDATA_ATTR_EXCLUDE_GUEST, PERFDATA_ATTR_EXCLUDE_CALLCHAIN_KERNEL, PERFDATA_ATTR_EXCLUDE_CALLCHAIN_USER,
	PERFDATA_ATTR_MMAP2, PERFDATA_ATTR_COMM_EXEC, PERFDATA_ATTR_USE_CLOCKID, PERFDATA_ATTR_CONTEXT_SWITCH,
	PERFDATA_ATTR_WRITE_BACKWARD, PERFDATA_ATTR_NAMESPACES, PERFDATA_ATTR_KSYMBOL, PERFDATA_ATTR_BPF_EVENT,
	PERFDATA_ATTR_AUX_OUTPUT, PERFDATA_ATTR_CGROUP, PERFDATA_ATTR_TEXT_POKE, PERFDATA_ATTR_BUILD_ID,
	PERFDATA_ATTR_INHERIT_THREAD, PERFDATA_ATTR_REMOVE_ON_EXEC, PERFDATA_ATTR_SIGTRAP,
	PERFDATA_ATTR_DEFER_CALLCHAIN, PERFDATA_ATTR_DEFER_OUTPUT,
};

enum perfdata_cpumode {
	PERFDATA_CPUMODE_UNKNOWN, PERFDATA_CPUMODE_KERNEL, PERFDATA_CPUMODE_USER, PERFDATA_CPUMODE_HYPERVISOR,
	PERFDATA_CPUMODE_GUEST_KERNEL, PERFDATA_CPUMODE_GUEST_USER, PERFDATA_CPUMODE_MASK = 7,
};
#define PERFDATA_MISC_MMAP_DATA 0x2000u
#define PERFDATA_MISC_COMM_EXEC 0x2000u
#define PERFDATA_MISC_FORK_EXEC 0x2000u
#define PERFDATA_MISC_SWITCH_OUT 0x2000u
#define PERFDATA_MISC_SWITCH_OUT_PREEMPT 0x4000u
#define PERFDATA_MISC_EXACT_IP 0x4000u
#define PERFDATA_MISC_MMAP_BUILD_ID 0x4000u
#define PERFDATA_MISC_BUILD_ID_SIZE 0x8000u
#define PERFDATA_MISC_LOST_SAMPLES_BPF 0x8000u

/* Callchain entries from this value on are context markers, not addresses. */
#define PERFDATA_CONTEXT_MAX ((uint64_t)-4095)
#define PERFDATA_CONTEXT_HV ((uint64_t)-32)
#define PERFDATA_CONTEXT_KERNEL ((uint64_t)-128)
#define PERFDATA_CONTEXT_USER ((uint64_t)-512)
#define PERFDATA_CONTEXT_USER_DEFERRED ((uint64_t)-640)
#define PERFDATA_CONTEXT_GUEST ((uint64_t)-2048)
#define PERFDATA_CONTEXT_GUEST_KERNEL ((uint64_t)-2176)
#define PERFDATA_CONTEXT_GUEST_USER ((uint64_t)-2560)

/* --- pieces of views --------------------------------------------------------------------------------------------- */

/* Elements as in the file: unaligned, in the file's byte order. The functions below read them. */
struct perfdata_list {
	const uint8_t *data;
	uint64_t count;                         /* number of elements in the available bytes */
	uint32_t stride;                        /* bytes from one element to the next */
	bool swap;                              /* the file has the other byte order */
	uint64_t present;                       /* fields of `element` that each element has */
	const struct perfdata_layout *element;  /* NULL: plain u64 values */
};

/* Element `index`, which must be below count, of a list of u64 values. */
static inline uint64_t perfdata_list_u64(const struct perfdata_list *list, uint64_t index)
{
	uint64_t v;
	__builtin_memcpy(&v, list->data + index * list->stride, sizeof v);
	return list->swap ? __builtin_bswap64(v) : v;
}
/* Decodes element `index`, which must be below count, into the struct below that list->element describes. `size` is
 * sizeof this struct in the caller's header; members that the library does not know become 0. */
PERFDATA_API void perfdata_list_get(const struct perfdata_list *list, uint64_t index, void *ret_view, size_t size);

/* CPU numbers as CPU_MAP and EVENT_UPDATE hold them. */
struct perfdata_cpus {
	uint16_t type;                 /* 0 list, 1 mask, 2 range */
	bool any;                      /* the list holds "any CPU" (-1) */
	struct perfdata_bytes data;    /* the bytes as recorded */
	bool swap;
	uint16_t nr, long_size, start, end;
};

/* The kernel's perf_type_id. Higher numbers are dynamic PMUs of the recorded machine (feature PMU_MAPPINGS). */
enum perfdata_attr_type {
	PERFDATA_TYPE_HARDWARE,
	PERFDATA_TYPE_SOFTWARE,
	PERFDATA_TYPE_TRACEPOINT,
	PERFDATA_TYPE_HW_CACHE,
	PERFDATA_TYPE_RAW,
	PERFDATA_TYPE_BREAKPOINT
};

struct perfdata_attr {
	uint64_t present;
	uint32_t type;                 /* enum perfdata_attr_type, or the number of a PMU */
	uint32_t size;                 /* as recorded; 0 means 64 */
	uint64_t config;
	uint64_t sample_period;        /* or frequency, with flag FREQ */
	uint64_t sample_type;
	uint64_t read_format;
	uint64_t flags;                /* bit n is enum perfdata_attr_flag n in both byte orders */
	uint32_t wakeup_events;        /* or watermark in bytes, with flag WATERMARK */
	uint32_t bp_type;
	uint64_t config1;              /* bp_addr, kprobe_func, uprobe_path */
	uint64_t config2;              /* bp_len, kprobe_addr, probe_offset */
	uint64_t branch_sample_type;
	uint64_t sample_regs_user;
	uint32_t sample_stack_user;    /* bytes */
	int32_t clockid;
	uint64_t sample_regs_intr;
	uint32_t aux_watermark;
	uint16_t sample_max_stack;
	uint32_t aux_sample_size;      /* bytes */
	uint32_t aux_action;           /* bit 0 start_paused, 1 pause, 2 resume, in both byte orders */
	uint64_t sig_data;
	uint64_t config3;
	uint64_t config4;
	struct perfdata_bytes rest;    /* bytes after the known members, of a newer attr */
	uint64_t spare[16];            /* zeros: room for later members, since callers hold this struct */
};
static inline bool perfdata_attr_has(const struct perfdata_attr *attr, enum perfdata_attr_flag flag)
{
	return attr->flags >> flag & 1;
}
static inline unsigned perfdata_attr_precise_ip(const struct perfdata_attr *attr)
{
	return (unsigned)(attr->flags >> PERFDATA_ATTR_PRECISE_IP & 3);
}

/* Decodes the attr at the start of `bytes`: attr.size bytes (0 means 64), which *ret_size returns. `rest` borrows from
 * `bytes`. PERFDATA_DAMAGED: attr.size is impossible or beyond `size`; *ret has the part that fits. */
PERFDATA_API enum perfdata_status perfdata_attr_decode(const void *bytes, size_t size, enum perfdata_byte_order order,
							struct perfdata_attr *ret, size_t *ret_size);

/* --- views of records ------------------------------------------------------------------------------------------- */

struct perfdata_read_value {
	uint64_t value;
	uint64_t id;
	uint64_t lost;
};
struct perfdata_read {
	uint64_t present;
	uint64_t time_enabled;         /* ns */
	uint64_t time_running;         /* ns */
	struct perfdata_list values;   /* struct perfdata_read_value: one, or one for each event of the group */
	uint64_t spare[2];             /* zeros: room for later kernels */
};
struct perfdata_branch {
	uint64_t from, to;
	/* bit-fields as in a little-endian word: mispred 0, predicted 1, in_tx 2, abort 3, cycles 4-19, … */
	uint64_t flags;
};
struct perfdata_branch_stack {
	uint64_t present;
	uint64_t hw_idx;
	struct perfdata_list entries;  /* struct perfdata_branch, newest first */
	struct perfdata_list counters; /* u64 words, one per entry */
	uint64_t spare[2];             /* 0 */
};
struct perfdata_regs {
	uint64_t present;
	uint64_t abi;                  /* 0 none, 1 32-bit, 2 64-bit */
	uint64_t mask;                 /* from the attr; bit n is a register number of the architecture */
	struct perfdata_list values;   /* u64, in ascending order of bits; empty if abi is 0 */
	uint64_t spare[2];             /* 0 */
};
struct perfdata_user_stack {
	uint64_t present;
	uint64_t size;                 /* bytes reserved */
	uint64_t dyn_size;             /* bytes that hold stack */
	struct perfdata_bytes data;    /* all reserved bytes, from the user stack pointer on */
	uint64_t offset;               /* of the size word, from the start of the record */
	uint64_t spare[2];             /* 0 */
};
struct perfdata_weight {
	uint64_t present;
	uint32_t var1;
	uint16_t var2;
	uint16_t var3;
	uint64_t spare[1];             /* 0 */
};

struct perfdata_sample {
	uint64_t present;
	uint64_t identifier;
	uint64_t ip;
	int32_t pid, tid;
	uint64_t time;                 /* ns of the recording's clock */
	uint64_t addr;
	uint64_t id;
	uint64_t stream_id;
	uint32_t cpu;
	uint64_t period;
	struct perfdata_read read;
	struct perfdata_list callchain;/* u64 addresses and context markers, callee first */
	struct perfdata_bytes raw;     /* without the size word, with padding */
	struct perfdata_branch_stack branch_stack;
	struct perfdata_regs user_regs;
	struct perfdata_user_stack user_stack;
	uint64_t weight;
	struct perfdata_weight weight_struct;
	uint64_t data_src;
	uint64_t transaction;
	struct perfdata_regs intr_regs;
	uint64_t phys_addr;
	uint64_t cgroup;
	uint64_t data_page_size;       /* bytes */
	uint64_t code_page_size;       /* bytes */
	struct perfdata_bytes aux;
};

/* The trailer (sample_id) of kernel records other than SAMPLE, and of perf inject's BUILD_ID records. present == 0: the
 * record has no trailer. */
struct perfdata_sample_id {
	uint64_t present;
	int32_t pid, tid;
	uint64_t time;
	uint64_t id;
	uint64_t stream_id;
	uint32_t cpu;
	uint64_t identifier;
};

struct perfdata_mmap {
	uint64_t present;
	int32_t pid, tid;
	uint64_t addr, len, pgoff;
	struct perfdata_bytes filename;
};
struct perfdata_mmap2 {
	uint64_t present;
	int32_t pid, tid;
	uint64_t addr, len, pgoff;
	/* a record has either build_id (0 to 20 bytes) or the four members after it: see `present`, or
	 * perfdata_mmap2_build_id() */
	uint8_t build_id_size;
	struct perfdata_bytes build_id;
	uint32_t maj, min;
	uint64_t ino, ino_generation;
	uint32_t prot, flags;          /* PROT_* and MAP_* of the recorded machine */
	struct perfdata_bytes filename;
};
struct perfdata_lost { uint64_t present; uint64_t id, lost; };
struct perfdata_comm { uint64_t present; int32_t pid, tid; struct perfdata_bytes comm; };
struct perfdata_task { uint64_t present; int32_t pid, ppid, tid, ptid; uint64_t time; };  /* FORK, EXIT */
struct perfdata_throttle { uint64_t present; uint64_t time, id, stream_id; };
struct perfdata_read_record { uint64_t present; int32_t pid, tid; struct perfdata_read read; };
struct perfdata_aux { uint64_t present; uint64_t aux_offset, aux_size, flags; };
struct perfdata_itrace_start { uint64_t present; int32_t pid, tid; };
struct perfdata_lost_samples { uint64_t present; uint64_t lost; };
struct perfdata_switch { uint64_t present; int32_t next_prev_pid, next_prev_tid; };        /* SWITCH has neither */
struct perfdata_namespace { uint64_t dev, ino; };
struct perfdata_namespaces {
	uint64_t present;
	int32_t pid, tid;
	uint64_t nr;
	/* struct perfdata_namespace; index: 0 net 1 uts 2 ipc 3 pid 4 user 5 mnt 6 cgroup */
	struct perfdata_list namespaces;
};
struct perfdata_ksymbol {
	uint64_t present;
	uint64_t addr;
	uint32_t len;
	uint16_t type, flags;
	struct perfdata_bytes name;
};
struct perfdata_bpf_event { uint64_t present; uint16_t type, flags; uint32_t id; struct perfdata_bytes tag; };
struct perfdata_cgroup { uint64_t present; uint64_t id; struct perfdata_bytes path; };
struct perfdata_text_poke {
	uint64_t present;
	uint64_t addr;
	uint16_t old_len, new_len;
	struct perfdata_bytes old_bytes, new_bytes;
};
struct perfdata_aux_output_hw_id { uint64_t present; uint64_t hw_id; };
struct perfdata_callchain_deferred { uint64_t present; uint64_t cookie, nr; struct perfdata_list callchain; };

struct perfdata_attr_record { uint64_t present; struct perfdata_attr attr; struct perfdata_list ids; };
struct perfdata_event_type { uint64_t present; uint64_t event_id; struct perfdata_bytes name; };
/* simpleperf's record contains `data`; otherwise the data follows the record */
struct perfdata_tracing_data {
	uint64_t present;
	uint32_t size;                 /* size of the data that follows the record, or of `data` */
	struct perfdata_bytes data;
};
struct perfdata_build_id_record {
	uint64_t present;
	int32_t pid;                   /* -1: the host's kernel */
	struct perfdata_bytes build_id;/* the 20 bytes in the file, shortened to build_id_size if it is valid */
	uint8_t build_id_size;         /* present if misc says that it is valid */
	struct perfdata_bytes filename;
};
struct perfdata_finished { uint64_t present; };                      /* FINISHED_ROUND, FINISHED_INIT */
struct perfdata_id_index_entry { uint64_t id, idx; int64_t cpu, tid; };
struct perfdata_id_index_guest { int64_t machine_pid, vcpu; };
struct perfdata_id_index { uint64_t present; uint64_t nr; struct perfdata_list entries, guests; };
struct perfdata_auxtrace_info { uint64_t present; uint32_t type; struct perfdata_list priv; };
struct perfdata_auxtrace {
	uint64_t present;
	uint64_t size;                 /* size of the data that follows the record */
	uint64_t offset, reference;
	uint32_t idx;
	int32_t tid, cpu;
};
struct perfdata_auxtrace_error {
	uint64_t present;
	uint32_t type, code, cpu;
	int32_t pid, tid;
	uint32_t fmt;
	uint64_t ip, time;
	struct perfdata_bytes msg;
	uint32_t machine_pid, vcpu;
};
struct perfdata_thread_map_entry { uint64_t pid; struct perfdata_bytes comm; };
struct perfdata_thread_map { uint64_t present; uint64_t nr; struct perfdata_list threads; };
struct perfdata_cpu_map { uint64_t present; struct perfdata_cpus cpus; };
struct perfdata_stat_config_entry { uint64_t tag, val; };
struct perfdata_stat_config { uint64_t present; uint64_t nr; struct perfdata_list entries; };
struct perfdata_stat {
	uint64_t present;
	uint64_t id;
	int32_t cpu;
	uint32_t thread;               /* index into THREAD_MAP, not a tid */
	uint64_t val, ena, run;
};
struct perfdata_stat_round { uint64_t present; uint64_t type, time; };
#define PERFDATA_EVENT_UPDATE_NAME 2u
struct perfdata_event_update {
	uint64_t present, type, id;
	struct perfdata_bytes unit;    /* type 0 */
	double scale;                  /* type 1 */
	struct perfdata_bytes name;    /* type PERFDATA_EVENT_UPDATE_NAME */
	struct perfdata_cpus cpus;     /* type 3 */
};
struct perfdata_time_conv {
	uint64_t present;
	uint64_t time_shift, time_mult, time_zero, time_cycles, time_mask;
	uint8_t cap_user_time_zero, cap_user_time_short;
};
struct perfdata_feature_record { uint64_t present; uint64_t feat_id; struct perfdata_bytes payload; };
struct perfdata_compressed { uint64_t present; uint64_t data_size; struct perfdata_bytes data; }; /* both kinds */
struct perfdata_bpf_metadata_entry { struct perfdata_bytes key, value; };
struct perfdata_bpf_metadata {
	uint64_t present;
	struct perfdata_bytes prog_name;
	uint64_t nr;
	struct perfdata_list entries;
};
/* SCHEDSTAT_CPU and _DOMAIN: perfdata_record.layout names the counters, which depend on type and `version`. */
struct perfdata_schedstat {
	uint64_t present;
	uint64_t timestamp;            /* jiffies */
	uint32_t cpu;
	uint16_t version;
	uint16_t domain;
	uint32_t counters[45];         /* in the order of the record */
	uint64_t rq_cpu_time;          /* ns; this counter and the next two: CPU only */
	uint64_t run_delay;            /* ns */
	uint64_t pcount;
};

/* Records of simpleperf: */
struct perfdata_kernel_symbol { uint64_t present; uint32_t size; struct perfdata_bytes kallsyms; };
struct perfdata_dso_record {
	uint64_t present;
	uint64_t dso_type, dso_id, min_vaddr;
	struct perfdata_bytes path;
};
struct perfdata_symbol_record { uint64_t present; uint64_t addr, len, dso_id; struct perfdata_bytes name; };
struct perfdata_split { uint64_t present; struct perfdata_bytes data; };
struct perfdata_event_id_entry { uint64_t event_index, id; };
struct perfdata_event_id_record { uint64_t present; uint64_t nr; struct perfdata_list entries; };
struct perfdata_callchain_record {
	uint64_t present;
	int32_t pid, tid;
	uint64_t chain_type, time, nr;
	struct perfdata_list ips, sps; /* u64 */
};
struct perfdata_unwinding_result {
	uint64_t present;
	uint64_t time, used_time;      /* ns */
	uint64_t error_code, error_addr;
	uint64_t stack_start, stack_end;
	struct perfdata_regs user_regs;
	struct perfdata_user_stack user_stack;
	uint64_t nr;
	struct perfdata_list ips, sps; /* u64 */
};
struct perfdata_debug_record { uint64_t present; uint64_t time; struct perfdata_bytes text; };

/* A decoded record. Borrowed parts point into the bytes that were passed to perfdata_decode. */
struct perfdata_record {
	const uint8_t *bytes;                    /* the record, header first */
	uint32_t size;                           /* of the record */
	uint32_t type;
	uint16_t misc;
	bool swap;                               /* the bytes are in the other byte order */
	/* of the record's type (SCHEDSTAT: and version); NULL: an unknown type, whose body is `rest` */
	const struct perfdata_layout *layout;
	struct perfdata_sample_id sample_id;     /* the trailer */
	/* bytes of the body that the layout does not cover, or that are damaged */
	struct perfdata_bytes rest;
	uint64_t rest_offset;                    /* offset of `rest` in the record */
	const char *problem;                     /* reason for PERFDATA_DAMAGED, or NULL; static storage */
	enum perfdata_finding_code problem_code;
	union {
		uint64_t present;                /* first member of every view */
		struct perfdata_mmap mmap;
		struct perfdata_mmap2 mmap2;
		struct perfdata_lost lost;
		struct perfdata_comm comm;
		struct perfdata_task task;
		struct perfdata_throttle throttle;
		struct perfdata_read_record read;
		struct perfdata_sample sample;
		struct perfdata_aux aux;
		struct perfdata_itrace_start itrace_start;
		struct perfdata_lost_samples lost_samples;
		struct perfdata_switch context_switch;
		struct perfdata_namespaces namespaces;
		struct perfdata_ksymbol ksymbol;
		struct perfdata_bpf_event bpf_event;
		struct perfdata_cgroup cgroup;
		struct perfdata_text_poke text_poke;
		struct perfdata_aux_output_hw_id aux_output_hw_id;
		struct perfdata_callchain_deferred callchain_deferred;
		struct perfdata_attr_record attr;
		struct perfdata_event_type event_type;
		struct perfdata_tracing_data tracing_data;
		struct perfdata_build_id_record build_id;
		struct perfdata_finished finished;
		struct perfdata_id_index id_index;
		struct perfdata_auxtrace_info auxtrace_info;
		struct perfdata_auxtrace auxtrace;
		struct perfdata_auxtrace_error auxtrace_error;
		struct perfdata_thread_map thread_map;
		struct perfdata_cpu_map cpu_map;
		struct perfdata_stat_config stat_config;
		struct perfdata_stat stat;
		struct perfdata_stat_round stat_round;
		struct perfdata_event_update event_update;
		struct perfdata_time_conv time_conv;
		struct perfdata_feature_record feature;
		struct perfdata_compressed compressed;
		struct perfdata_bpf_metadata bpf_metadata;
		struct perfdata_schedstat schedstat;
		struct perfdata_kernel_symbol kernel_symbol;
		struct perfdata_dso_record dso;
		struct perfdata_symbol_record symbol;
		struct perfdata_split split;
		struct perfdata_event_id_record event_id;
		struct perfdata_callchain_record callchain;
		struct perfdata_unwinding_result unwinding_result;
		struct perfdata_debug_record debug;
	} u;
};

/* The layout of all records of an event, made from its attr and the recording's byte order. It never changes; any
 * number of threads may use it. */
struct perfdata_config;
/* Copies attr. With attr NULL, for records without an attr, user records and the fixed parts of kernel records can be
 * decoded. NULL without memory. */
PERFDATA_API struct perfdata_config *perfdata_config_new(const struct perfdata_attr *attr,
							 enum perfdata_byte_order order);
PERFDATA_API void perfdata_config_free(struct perfdata_config *config);

/* Memory for a decoded record, reused for record after record by one thread. perfdata_record_free frees it; NULL
 * without memory. Programs must not declare a struct perfdata_record themselves: the library extends it. */
PERFDATA_API struct perfdata_record *perfdata_record_new(void);

/* Decodes the record at `bytes`, header first; size: the size in the header, or less if the record is cut.
 * PERFDATA_DAMAGED: a field does not fit. Then the view has the fields before it, `rest` the bytes from this field on,
 * and `problem` the reason. An unknown type, or unknown bytes after the known fields, are no damage. Fields that the
 * record lacks are 0. Never allocates. */
PERFDATA_API enum perfdata_status perfdata_decode(const struct perfdata_config *config, const void *bytes, size_t size,
						  struct perfdata_record *ret);

/* Fields that can be read without decoding. */
struct perfdata_peek {
	uint64_t id;      /* valid if has_id */
	uint64_t time;    /* UINT64_MAX: no time */
	int32_t pid, tid; /* of the trailer or sample; -1: none */
	uint32_t cpu;     /* UINT32_MAX: no CPU */
	bool has_id;
};

PERFDATA_API void perfdata_record_free(struct perfdata_record *record);

/* Whether an MMAP2 record has a build-id (*ret: 1 to 20 bytes); otherwise maj, min, ino and ino_generation are valid.
 * The kernel may set the bit of misc in a record without a build-id, so misc does not suffice. */
static inline bool perfdata_mmap2_build_id(const struct perfdata_record *record, struct perfdata_bytes *ret)
{
	*ret = record->u.mmap2.build_id;
	return ret->data;
}

/* --- names of events -------------------------------------------------------------------------------------------- */

struct perfdata_text;
/* Appends the name that perf gives an event without a recorded name: "cycles", "L1-dcache-load-misses", "raw 0x1c2",
 * with modifiers (":ppu"). It depends on the attr alone. */
PERFDATA_API void perfdata_event_fallback_name(const struct perfdata_attr *attr, struct perfdata_text *text);

/* --- register names ---------------------------------------------------------------------------------------------- */

enum perfdata_arch {
	PERFDATA_ARCH_UNKNOWN, PERFDATA_ARCH_X86, PERFDATA_ARCH_ARM, PERFDATA_ARCH_ARM64, PERFDATA_ARCH_POWERPC,
	PERFDATA_ARCH_S390, PERFDATA_ARCH_RISCV, PERFDATA_ARCH_MIPS, PERFDATA_ARCH_LOONGARCH, PERFDATA_ARCH_CSKY,
};

#ifdef __cplusplus
}
#endif

#endif
