/* SPDX-License-Identifier: MIT */
/* What the bytes mean: layouts of records, samples, attrs and feature sections, and one decoder that walks them.
 * Trees of feature sections are in perfdata/feature.h.
 *
 * There is no I/O here. Make a parse configuration from an attr and a byte order, then decode records from any buffer:
 * a file, a pipe, a live perf_event_open ring buffer. The rows of layouts can be asked for what they describe, so that
 * every output can walk them: a record type, a sample field or a feature section is described once, in lib/schema.
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
	/* struct perfdata_bytes: up to the first NUL, at most to the end of the record's body; with
	 * PERFDATA_COUNT_REST it may fill the body, without a NUL */
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
	PERFDATA_SHOW_ENUM,       /* a name, and the number as `<name>_raw` */
	PERFDATA_SHOW_FLAGS,      /* a list of names, and the number as `<name>_raw` */
	PERFDATA_SHOW_BITS,       /* bit-fields: an object with `raw` and the parts that are not zero */
	PERFDATA_SHOW_TEXT,       /* bytes that are text */
	PERFDATA_SHOW_BYTES_HEX,  /* bytes as hex */
	PERFDATA_SHOW_CALLCHAIN,  /* a list of addresses with context markers */
	PERFDATA_SHOW_REGS,       /* a list of register values; names by the architecture and the mask */
	PERFDATA_SHOW_RAW,        /* a sample's raw data: tracepoint fields where the format is known, else hex */
	PERFDATA_SHOW_EVENT_ID,   /* a number that is the id of an event; outputs may add the event's name */
	PERFDATA_SHOW_HIDDEN,        /* only says how long another field is: no node in the tree of a feature section */
};

enum perfdata_unit {
	PERFDATA_UNIT_NONE,
	PERFDATA_UNIT_NS,
	PERFDATA_UNIT_BYTES,
	PERFDATA_UNIT_KB,
	PERFDATA_UNIT_MS,
	PERFDATA_UNIT_CYCLES,
};

/* A named number: for ENUM an exact value, for FLAGS a mask. Tables end with name NULL. This struct never changes. */
struct perfdata_name {
	uint64_t value;
	const char *name;
};

/* A part of a word. names: ENUM names of the part's values, or NULL. mask: names are flags. Tables end with name
 * NULL. This struct never changes. */
struct perfdata_bits {
	const char *name;
	uint8_t shift, width;
	bool mask;
	const struct perfdata_name *names;
};

/* A row of a layout, and the layout: rows of a record type, a part of one, or a feature section. The library's tables,
 * in static storage; the functions below return their parts. */
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
/* Names of values (ENUM) or of bits (FLAGS), parts of the word (BITS); NULL: there are none. */
PERFDATA_API const struct perfdata_name *perfdata_field_names(const struct perfdata_field *field);
PERFDATA_API const struct perfdata_bits *perfdata_field_bits(const struct perfdata_field *field);
/* The value of an integer field in a view of its layout; signed kinds are extended to 64 bits. False for other kinds.
 * A field that the view does not have is 0. */
PERFDATA_API bool perfdata_field_number(const struct perfdata_field *field, const void *view, uint64_t *ret);

/* The bits in `present` of the fields whose member begins at this offset of the view: PERFDATA_HAS tests one. 0: there
 * is no such field, or no layout. The function searches the rows: a program that asks for every record keeps the result
 * for each layout. */
PERFDATA_API uint64_t perfdata_layout_bits(const struct perfdata_layout *layout, size_t member);
/* Whether a decoded record has a field: PERFDATA_HAS(record, sample, addr). `view` is a type, no variable:
 * mmap2 for struct perfdata_mmap2. */
#define PERFDATA_HAS(record, view, field) \
	(((record)->u.present & perfdata_layout_bits((record)->layout, offsetof(struct perfdata_##view, field))) != 0)

/* The row of a record type (1…22, 64…86, 32769…32778), or NULL for unknown types. Static storage, as all
 * layouts. */
PERFDATA_API const struct perfdata_layout *perfdata_record_layout(uint32_t type);
/* Record types in ascending order, then layouts for older versions of some types (SCHEDSTAT_DOMAIN): index 0… until
 * NULL. */
PERFDATA_API const struct perfdata_layout *perfdata_record_layout_at(size_t index);
/* The row of a feature section (1…34, simpleperf's and PERFDATA_FEATURE_NOTE), or NULL. */
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
	/* of Android's simpleperf */
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
/* Records of these types have no misc: its 16 bits hold the upper half of the size. */
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

/* Numbers of the attr's flag bits, the same for both byte orders after decoding. precise_ip takes 15 and 16. */
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

/* Callchain entries at or above this are context markers, never addresses. */
#define PERFDATA_CONTEXT_MAX ((uint64_t)-4095)
#define PERFDATA_CONTEXT_HV ((uint64_t)-32)
#define PERFDATA_CONTEXT_KERNEL ((uint64_t)-128)
#define PERFDATA_CONTEXT_USER ((uint64_t)-512)
#define PERFDATA_CONTEXT_USER_DEFERRED ((uint64_t)-640)
#define PERFDATA_CONTEXT_GUEST ((uint64_t)-2048)
#define PERFDATA_CONTEXT_GUEST_KERNEL ((uint64_t)-2176)
#define PERFDATA_CONTEXT_GUEST_USER ((uint64_t)-2560)

/* --- pieces of views --------------------------------------------------------------------------------------------- */

/* Elements as they are in the file, unaligned and in its byte order: read them with the functions below. */
struct perfdata_list {
	const uint8_t *data;
	uint64_t count;                         /* elements that fit; never more than the bytes present */
	uint32_t stride;                        /* bytes from one element to the next */
	bool swap;                              /* the file has the other byte order */
	uint64_t present;                       /* fields of `element` that each element has */
	const struct perfdata_layout *element;  /* NULL: plain u64 values */
};

/* Element `index` of a list of plain u64; index must be below count. */
static inline uint64_t perfdata_list_u64(const struct perfdata_list *list, uint64_t index)
{
	uint64_t v;
	__builtin_memcpy(&v, list->data + index * list->stride, sizeof v);
	return list->swap ? __builtin_bswap64(v) : v;
}
/* Decodes element `index` into the view of list->element (a struct below). `size` is the sizeof of this struct in the
 * caller's header; members that the library does not know become 0. index must be below count. */
PERFDATA_API void perfdata_list_get(const struct perfdata_list *list, uint64_t index, void *ret_view, size_t size);

/* CPU numbers as CPU_MAP and EVENT_UPDATE hold them. */
struct perfdata_cpus {
	uint16_t type;                 /* 0 list, 1 mask, 2 range */
	bool any;                      /* the list holds "any CPU" (-1) */
	struct perfdata_bytes data;    /* the bytes, as recorded */
	bool swap;
	uint16_t nr, long_size, start, end;
};

/* The kernel's perf_type_id. Higher numbers are PMUs of the recording's machine (feature PMU_MAPPINGS). */
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
	struct perfdata_bytes rest;    /* bytes of a newer attr that follow the members above */
	uint64_t spare[16];            /* zeros: attrs grow with the kernel, and callers hold this struct */
};
static inline bool perfdata_attr_has(const struct perfdata_attr *attr, enum perfdata_attr_flag flag)
{
	return attr->flags >> flag & 1;
}
static inline unsigned perfdata_attr_precise_ip(const struct perfdata_attr *attr)
{
	return (unsigned)(attr->flags >> PERFDATA_ATTR_PRECISE_IP & 3);
}

/* Decodes an attr of attr.size bytes (0 means 64) at the start of `bytes`; *ret_size: how many bytes it takes.
 * PERFDATA_DAMAGED if attr.size is impossible or beyond `size`; the part that fits is decoded. `rest` borrows from
 * bytes. */
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
	struct perfdata_list values;   /* struct perfdata_read_value; one, or one for each member of the group */
	uint64_t spare[2];             /* 0; for what later kernels add */
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
	struct perfdata_bytes data;    /* all reserved bytes; the first is at the user stack pointer */
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
	struct perfdata_bytes raw;     /* without the size word; padding included */
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

/* The trailer of kernel records other than SAMPLE, and of the BUILD_ID records of perf inject. present == 0: there is
 * none. */
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
	/* either build_id (0 to 20 bytes), or the four members below: see `present`, or perfdata_mmap2_build_id() */
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
/* `data` is inside records of simpleperf: then nothing follows */
struct perfdata_tracing_data {
	uint64_t present;
	uint32_t size;                 /* bytes that follow the record, or of `data` */
	struct perfdata_bytes data;
};
struct perfdata_build_id_record {
	uint64_t present;
	int32_t pid;                   /* -1: the host's kernel */
	struct perfdata_bytes build_id;/* 20 bytes in the file; cut to build_id_size where that is valid */
	uint8_t build_id_size;         /* present only if misc says that it is valid */
	struct perfdata_bytes filename;
};
struct perfdata_finished { uint64_t present; };                      /* FINISHED_ROUND, FINISHED_INIT */
struct perfdata_id_index_entry { uint64_t id, idx; int64_t cpu, tid; };
struct perfdata_id_index_guest { int64_t machine_pid, vcpu; };
struct perfdata_id_index { uint64_t present; uint64_t nr; struct perfdata_list entries, guests; };
struct perfdata_auxtrace_info { uint64_t present; uint32_t type; struct perfdata_list priv; };
struct perfdata_auxtrace {
	uint64_t present;
	uint64_t size;                 /* bytes that follow the record */
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
/* SCHEDSTAT_CPU and _DOMAIN: which counter is which depends on type and `version`: perfdata_record.layout names
 * them. */
struct perfdata_schedstat {
	uint64_t present;
	uint64_t timestamp;            /* jiffies */
	uint32_t cpu;
	uint16_t version;
	uint16_t domain;
	uint32_t counters[45];         /* as they are in the record */
	uint64_t rq_cpu_time;          /* CPU only, as the two below: ns */
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

/* One decoded record. Borrowed parts point into the bytes that perfdata_decode decoded. */
struct perfdata_record {
	const uint8_t *bytes;                    /* the record, header first */
	uint32_t size;                           /* of the record */
	uint32_t type;
	uint16_t misc;
	bool swap;                               /* the bytes are in the other byte order */
	/* of this record (SCHEDSTAT: of its version); NULL: this version does not know the type, and `rest` is its
	 * body */
	const struct perfdata_layout *layout;
	struct perfdata_sample_id sample_id;     /* the trailer */
	/* bytes of the body that the layout does not explain, or that are damaged */
	struct perfdata_bytes rest;
	uint64_t rest_offset;                    /* where `rest` begins, from the start of the record */
	const char *problem;                     /* why PERFDATA_DAMAGED was returned, or NULL; static storage */
	enum perfdata_finding_code problem_code;
	union {
		uint64_t present;                /* of whichever view the record has */
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

/* The layout of all records of an event: made once from its attr and the recording's byte order, read-only after that,
 * usable by any number of threads. */
struct perfdata_config;
/* attr is copied. NULL: records of a recording without attrs; user records and fixed parts of kernel records can still
 * be decoded. Returns NULL without memory. */
PERFDATA_API struct perfdata_config *perfdata_config_new(const struct perfdata_attr *attr,
							 enum perfdata_byte_order order);
PERFDATA_API void perfdata_config_free(struct perfdata_config *config);

/* A record to decode into: one for each thread serves for record after record. NULL without memory;
 * perfdata_record_free frees it. Programs do not put a struct perfdata_record into memory of their own: it grows with
 * the library. */
PERFDATA_API struct perfdata_record *perfdata_record_new(void);

/* Decodes the record of `size` bytes at `bytes` (header first; size: as the header states, or fewer if the record was
 * cut). PERFDATA_OK, or PERFDATA_DAMAGED when a field does not fit: the fields before it are in the view, the bytes
 * from there on in `rest`, and `problem` says why. An unknown type or unknown bytes after the known fields are no
 * damage. Fields that the record does not have are zero in the view. Never allocates. */
PERFDATA_API enum perfdata_status perfdata_decode(const struct perfdata_config *config, const void *bytes, size_t size,
						  struct perfdata_record *ret);

/* Fields that can be read without decoding the record. */
struct perfdata_peek {
	uint64_t id;      /* valid if has_id */
	uint64_t time;    /* UINT64_MAX if it has none */
	int32_t pid, tid; /* the trailer's or the sample's; -1 if it has none */
	uint32_t cpu;     /* UINT32_MAX if it has none */
	bool has_id;
};

PERFDATA_API void perfdata_record_free(struct perfdata_record *record);

/* Whether an MMAP2 record has a build-id (*ret: 1 to 20 bytes); else maj, min, ino and ino_generation are valid. misc
 * alone does not say so: the kernel also sets its bit in records that have no build-id. */
static inline bool perfdata_mmap2_build_id(const struct perfdata_record *record, struct perfdata_bytes *ret)
{
	*ret = record->u.mmap2.build_id;
	return ret->data;
}

/* --- names of events -------------------------------------------------------------------------------------------- */

struct perfdata_text;
/* Appends perf's name for an event that the recording does not name: "cycles", "L1-dcache-load-misses", "raw 0x1c2",
 * with its modifiers (":ppu"). Depends on the attr alone. */
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
