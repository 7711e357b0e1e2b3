/* SPDX-License-Identifier: MIT */
/* Builds records of every type and samples with every field, in either byte order, and compares decoded records by
 * their layouts. */
#ifndef TESTS_SCHEMA_RECORDS_H
#define TESTS_SCHEMA_RECORDS_H

#include <stdlib.h>
#include "perfdata/schema.h"
#include "build.h"
#include "unit.h"
#include "schema/schema.h"

/* xorshift, which gives the same numbers on every machine */
static uint64_t random_state = 0x9e3779b97f4a7c15u;
static inline uint64_t random_u64(void)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return random_state;
}

static inline enum perfdata_byte_order order_of(bool big)
{
	return big ? PERFDATA_BYTE_ORDER_BIG : PERFDATA_BYTE_ORDER_LITTLE;
}

static inline unsigned member_size(enum perfdata_kind kind)
{
	switch (kind) {
	case PERFDATA_KIND_U8: return 1;
	case PERFDATA_KIND_U16: return 2;
	case PERFDATA_KIND_U32:
	case PERFDATA_KIND_S32: return 4;
	case PERFDATA_KIND_U64:
	case PERFDATA_KIND_S64:
	case PERFDATA_KIND_F64: return 8;
	case PERFDATA_KIND_TEXT:
	case PERFDATA_KIND_CHARS:
	case PERFDATA_KIND_BYTES:
	case PERFDATA_KIND_FEATURE: return sizeof(struct perfdata_bytes);
	case PERFDATA_KIND_LIST: return sizeof(struct perfdata_list);
	case PERFDATA_KIND_ATTR: return sizeof(struct perfdata_attr);
	case PERFDATA_KIND_CPUS: return sizeof(struct perfdata_cpus);
	default: return 0;
	}
}

static inline bool same_bytes(const struct perfdata_bytes *a, const struct perfdata_bytes *b)
{
	return a->size == b->size && (!a->size || !memcmp(a->data, b->data, a->size));
}

static inline bool same_cpus(const struct perfdata_cpus *a, const struct perfdata_cpus *b)
{
	uint64_t at_a = 0, at_b = 0;
	int32_t cpu_a = 0, cpu_b = 0;
	bool more_a, more_b;

	do {
		more_a = pd_cpus_next(a, &at_a, &cpu_a);
		more_b = pd_cpus_next(b, &at_b, &cpu_b);
		if (more_a != more_b || cpu_a != cpu_b)
			return false;
	} while (more_a);
	return a->any == b->any;
}

static inline bool same_view(const struct perfdata_layout *layout, uint64_t present, const void *view_a,
			     const void *view_b);

static inline bool same_list(const struct perfdata_list *a, const struct perfdata_list *b)
{
	uint64_t element_a[8] = { 0 }, element_b[8] = { 0 };

	if (a->count != b->count || a->present != b->present || a->element != b->element)
		return false;
	for (uint64_t i = 0; i < a->count; i++) {
		perfdata_list_get(a, i, element_a, sizeof element_a);
		perfdata_list_get(b, i, element_b, sizeof element_b);
		if (a->element ? !same_view(a->element, a->present, element_a, element_b)
			       : element_a[0] != element_b[0])
			return false;
	}
	return true;
}

static inline bool same_view(const struct perfdata_layout *layout, uint64_t present, const void *view_a,
			     const void *view_b)
{
	for (uint32_t i = 0; i < layout->nr_fields; i++) {
		const struct perfdata_field *field = &layout->fields[i];
		const void *a = (const char *)view_a + field->member, *b = (const char *)view_b + field->member;
		uint64_t present_a, present_b;
		bool same;
		if (!(present >> i & 1))
			continue;
		switch (field->kind) {
		case PERFDATA_KIND_LIST: same = same_list(a, b); break;
		case PERFDATA_KIND_CPUS: same = same_cpus(a, b); break;
		case PERFDATA_KIND_STRUCT:
		case PERFDATA_KIND_ATTR:
			memcpy(&present_a, a, 8);
			memcpy(&present_b, b, 8);
			same = present_a == present_b && same_view(field->element, present_a, a, b);
			break;
		case PERFDATA_KIND_TEXT:
		case PERFDATA_KIND_CHARS:
		case PERFDATA_KIND_BYTES:
		case PERFDATA_KIND_FEATURE: same = same_bytes(a, b); break;
		default: same = !memcmp(a, b, member_size(field->kind));
		}
		if (!same) {
			printf("# %s.%s differs\n", layout->name, field->name);
			return false;
		}
	}
	return true;
}

static inline bool same_record(const struct perfdata_record *a, const struct perfdata_record *b)
{
	return a->type == b->type && a->misc == b->misc && a->size == b->size && a->layout == b->layout &&
	       a->u.present == b->u.present && a->sample_id.present == b->sample_id.present &&
	       a->rest.size == b->rest.size && a->problem_code == b->problem_code &&
	       (!a->layout || same_view(a->layout, a->u.present, &a->u, &b->u)) &&
	       same_view(pd_trailer_layout(), a->sample_id.present, &a->sample_id, &b->sample_id);
}

/* Reads every byte of a view, so that a sanitizer finds a view that is too large. */
static inline uint64_t touch_bytes(const struct perfdata_bytes *bytes)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < bytes->size; i++)
		sum += bytes->data[i];
	return sum;
}
static inline uint64_t touch(const struct perfdata_record *record)
{
	struct perfdata_record other = *record;
	uint64_t sum = touch_bytes(&record->rest);

	CHECK(same_record(record, &other));
	return sum;
}

/* Fills the attr for which the tests build records. */
static inline void make_attr(struct perfdata_attr *attr, uint64_t sample_type)
{
	memset(attr, 0, sizeof *attr);
	attr->size = 136;
	attr->sample_type = sample_type;
	attr->flags = UINT64_C(1) << PERFDATA_ATTR_SAMPLE_ID_ALL;
	attr->read_format = PERFDATA_READ_FORMAT_ID;
	attr->sample_regs_user = 0x103;
	attr->sample_regs_intr = 0x101;
	attr->sample_period = 4000;
}

enum { TRAILER = PERFDATA_SAMPLE_TID | PERFDATA_SAMPLE_TIME | PERFDATA_SAMPLE_ID | PERFDATA_SAMPLE_STREAM_ID |
		 PERFDATA_SAMPLE_CPU | PERFDATA_SAMPLE_IDENTIFIER };

static inline void put_trailer(struct build *b)
{
	put_u32(b, 11);
	put_u32(b, 12);
	put_u64(b, 123456789);
	put_u64(b, 77);
	put_u64(b, 78);
	put_u32(b, 3);
	put_u32(b, 0);
	put_u64(b, 79);
}

static inline void put_attr(struct build *b, uint64_t sample_type)
{
	put_u32(b, 2);
	put_u32(b, 136);
	put_u64(b, 0x123);
	put_u64(b, 4000);
	put_u64(b, sample_type);
	put_u64(b, PERFDATA_READ_FORMAT_ID);
	/* inherit, precise_ip 2, sample_id_all: bit fields, which big-endian machines lay out from the top */
	put_u64(b, b->big ? UINT64_C(1) << 62 | UINT64_C(1) << 48 | UINT64_C(1) << 45 : 1 << 1 | 2 << 15 | 1 << 18);
	put_u32(b, 1);
	put_u32(b, 3);
	for (unsigned i = 0; i < 4; i++)
		put_u64(b, 100 + i);        /* config1 to sample_regs_user */
	put_u32(b, 8192);
	put_u32(b, 4);
	put_u64(b, 105);
	put_u32(b, 6);
	put_u16(b, 127);
	put_u16(b, 0);
	put_u32(b, 4096);
	put_u32(b, b->big ? 1u << 30 : 2);      /* aux_pause */
	put_u64(b, 107);
	put_u64(b, 108);
}

/* Appends the body of a kernel record, without the trailer; false: no body for this type is here. */
static inline bool put_kernel_body(struct build *b, uint32_t type, uint16_t misc)
{
	switch (type) {
	case PERFDATA_RECORD_MMAP:
	case PERFDATA_RECORD_MMAP2:
		put_u32(b, 11), put_u32(b, 12);
		put_u64(b, 0x400000), put_u64(b, 0x1000), put_u64(b, 0x2000);
		if (type == PERFDATA_RECORD_MMAP2) {
			if (misc & PERFDATA_MISC_MMAP_BUILD_ID)
				put_u8(b, 16), put_zeros(b, 3), put_bytes(b, "0123456789abcdef\0\0\0\0", 20);
			else
				put_u32(b, 8), put_u32(b, 1), put_u64(b, 4711), put_u64(b, 5);
			put_u32(b, 5), put_u32(b, 2);
		}
		put_text(b, "/usr/bin/true");
		return true;
	case PERFDATA_RECORD_LOST: put_u64(b, 77), put_u64(b, 5); return true;
	case PERFDATA_RECORD_COMM: put_u32(b, 11), put_u32(b, 12), put_text(b, "worker"); return true;
	case PERFDATA_RECORD_EXIT:
	case PERFDATA_RECORD_FORK:
		put_u32(b, 11), put_u32(b, 1), put_u32(b, 12), put_u32(b, 2), put_u64(b, 99);
		return true;
	case PERFDATA_RECORD_THROTTLE:
	case PERFDATA_RECORD_UNTHROTTLE: put_u64(b, 99), put_u64(b, 77), put_u64(b, 78); return true;
	case PERFDATA_RECORD_READ: put_u32(b, 11), put_u32(b, 12), put_u64(b, 1000), put_u64(b, 77); return true;
	case PERFDATA_RECORD_AUX: put_u64(b, 0x1000), put_u64(b, 64), put_u64(b, 0x101); return true;
	case PERFDATA_RECORD_ITRACE_START: put_u32(b, 11), put_u32(b, 12); return true;
	case PERFDATA_RECORD_LOST_SAMPLES: put_u64(b, 9); return true;
	case PERFDATA_RECORD_SWITCH: return true;
	case PERFDATA_RECORD_SWITCH_CPU_WIDE: put_u32(b, 21), put_u32(b, 22); return true;
	case PERFDATA_RECORD_NAMESPACES:
		put_u32(b, 11), put_u32(b, 12), put_u64(b, 2);
		put_u64(b, 4), put_u64(b, 0xf0000001), put_u64(b, 4), put_u64(b, 0xf0000002);
		return true;
	case PERFDATA_RECORD_KSYMBOL:
		put_u64(b, UINT64_C(0xffffffffc0000000)), put_u32(b, 64), put_u16(b, 1), put_u16(b, 1);
		put_text(b, "bpf_prog_1");
		return true;
	case PERFDATA_RECORD_BPF_EVENT:
		put_u16(b, 1), put_u16(b, 0), put_u32(b, 42), put_bytes(b, "tagtagta", 8);
		return true;
	case PERFDATA_RECORD_CGROUP: put_u64(b, 31), put_text(b, "/a/b"); return true;
	case PERFDATA_RECORD_TEXT_POKE:
		put_u64(b, UINT64_C(0xffffffff81000000)), put_u16(b, 5), put_u16(b, 3), put_bytes(b, "oldbynew", 8);
		put_zeros(b, 4);
		return true;
	case PERFDATA_RECORD_AUX_OUTPUT_HW_ID: put_u64(b, 6); return true;
	case PERFDATA_RECORD_CALLCHAIN_DEFERRED:
		put_u64(b, 5), put_u64(b, 2), put_u64(b, PERFDATA_CONTEXT_USER), put_u64(b, 0x401000);
		return true;
	default: return false;
	}
}

static inline bool put_user_body(struct build *b, uint32_t type, unsigned variant)
{
	switch (type) {
	case PERFDATA_RECORD_ATTR: put_attr(b, TRAILER), put_u64(b, 77), put_u64(b, 78); return true;
	case PERFDATA_RECORD_EVENT_TYPE: put_u64(b, 0x123), put_text(b, "cycles"); return true;
	case PERFDATA_RECORD_TRACING_DATA:
		put_u32(b, variant == 2 ? 11 : 4096);
		if (variant == 2)   /* of simpleperf: the record contains the data */
			put_bytes(b, "\x17\x08\x44tracing0", 11), put_zeros(b, 53);
		else if (variant)
			put_u32(b, 0);
		return true;
	case PERFDATA_RECORD_BUILD_ID:
		put_u32(b, UINT32_MAX), put_bytes(b, "0123456789abcdef\0\0\0\0", 20);
		put_u8(b, 16), put_zeros(b, 3), put_text(b, "[kernel.kallsyms]");
		return true;
	case PERFDATA_RECORD_FINISHED_ROUND:
	case PERFDATA_RECORD_FINISHED_INIT: return true;
	case PERFDATA_RECORD_ID_INDEX:
		put_u64(b, 2);
		for (unsigned i = 0; i < (variant ? 12 : 8); i++)
			put_u64(b, i == 2 ? UINT64_MAX : i);
		return true;
	case PERFDATA_RECORD_AUXTRACE_INFO: put_u32(b, 1), put_u32(b, 0), put_u64(b, 8), put_u64(b, 9); return true;
	case PERFDATA_RECORD_AUXTRACE:
		put_u64(b, 64), put_u64(b, 128), put_u64(b, 5), put_u32(b, 1), put_u32(b, 12), put_u32(b, UINT32_MAX),
			put_u32(b, 0);
		return true;
	case PERFDATA_RECORD_AUXTRACE_ERROR:
		put_u32(b, 1), put_u32(b, 2), put_u32(b, 3), put_u32(b, 11), put_u32(b, 12), put_u32(b, variant);
		put_u64(b, 0x401000);
		if (variant)
			put_u64(b, 99);
		if (variant == 1) {
			put_text(b, "lost");
			return true;
		}
		put_chars(b, "lost", 64);
		if (variant == 2)
			put_u32(b, 100), put_u32(b, 1);
		return true;
	case PERFDATA_RECORD_THREAD_MAP:
		put_u64(b, 2), put_u64(b, 11), put_chars(b, "worker", 16), put_u64(b, 12),
			put_chars(b, "0123456789abcdef", 16);
		return true;
	case PERFDATA_RECORD_CPU_MAP:
		put_u16(b, (uint16_t)(variant == 3 ? 1 : variant));
		if (variant == 0) {
			put_u16(b, 3), put_u16(b, 0xffff), put_u16(b, 2), put_u16(b, 300), put_zeros(b, 6);
		} else if (variant == 1) {
			put_u16(b, 2), put_u16(b, 8), put_zeros(b, 4), put_u64(b, 5), put_u64(b, UINT64_C(1) << 63),
				put_zeros(b, 6);
		} else if (variant == 2) {
			put_u8(b, 1), put_u8(b, 0), put_u16(b, 4), put_u16(b, 6);
		} else {
			put_u16(b, 2), put_u16(b, 4), put_u32(b, 5), put_u32(b, 1u << 31), put_zeros(b, 2);
		}
		return true;
	case PERFDATA_RECORD_STAT_CONFIG:
		put_u64(b, 2), put_u64(b, 0), put_u64(b, 1), put_u64(b, 1), put_u64(b, 1000);
		return true;
	case PERFDATA_RECORD_STAT:
		put_u64(b, 77), put_u32(b, UINT32_MAX), put_u32(b, 1), put_u64(b, 5), put_u64(b, 6), put_u64(b, 7);
		return true;
	case PERFDATA_RECORD_STAT_ROUND: put_u64(b, 1), put_u64(b, 99); return true;
	case PERFDATA_RECORD_EVENT_UPDATE:
		put_u64(b, variant), put_u64(b, 77);
		if (variant == 1) {
			uint64_t word;
			double scale = 0.25;
			memcpy(&word, &scale, sizeof word);
			put_u64(b, word);
		} else if (variant == 3) {
			put_u16(b, 0), put_u16(b, 2), put_u16(b, 1), put_u16(b, 2);
		} else {
			put_text(b, "Joules");
		}
		return true;
	case PERFDATA_RECORD_TIME_CONV:
		put_u64(b, 31), put_u64(b, 5), put_u64(b, 6);
		if (variant)
			put_u64(b, 7), put_u64(b, 8), put_u8(b, 1), put_u8(b, 1), put_zeros(b, 6);
		return true;
	case PERFDATA_RECORD_FEATURE: put_u64(b, 3), put_bytes(b, "payload", 7); return true;
	case PERFDATA_RECORD_COMPRESSED: put_bytes(b, "(\xb5/\xfd.....", 9); return true;
	case PERFDATA_RECORD_COMPRESSED2:
		put_u64(b, 9), put_bytes(b, "(\xb5/\xfd.....", 9), put_zeros(b, 7);
		return true;
	case PERFDATA_RECORD_BPF_METADATA:
		put_chars(b, "prog", 512), put_u64(b, 2);
		for (unsigned i = 0; i < 2; i++)
			put_chars(b, "key", 64), put_chars(b, "value", 256);
		put_zeros(b, 16);
		return true;
	case PERFDATA_RECORD_SCHEDSTAT_CPU:
	case PERFDATA_RECORD_SCHEDSTAT_DOMAIN:
		put_u64(b, 4294967295), put_u32(b, 3), put_u16(b, (uint16_t)(15 + variant));
		put_u16(b, type == PERFDATA_RECORD_SCHEDSTAT_CPU ? 0 : 1);
		for (uint32_t i = 0; i < (type == PERFDATA_RECORD_SCHEDSTAT_CPU ? 6 : variant == 2 ? 45 : 36); i++)
			put_u32(b, 1000 + i);
		if (type == PERFDATA_RECORD_SCHEDSTAT_CPU)
			put_u64(b, 1), put_u64(b, 2), put_u64(b, 3);
		else
			put_zeros(b, 208 - b->size);
		return true;
	default: return false;
	}
}

/* Appends the body of a record of simpleperf. variant: the form that one of simpleperf's versions wrote. */
static inline bool put_simpleperf_body(struct build *b, uint32_t type, unsigned variant)
{
	switch (type) {
	case PERFDATA_RECORD_SIMPLEPERF_KERNEL_SYMBOL:
		put_u32(b, variant ? 22 : 0);
		if (variant)
			put_bytes(b, "ffffffff81000000 T _s\n", 22), put_zeros(b, 2);
		return true;
	case PERFDATA_RECORD_SIMPLEPERF_DSO:
		put_u64(b, 2), put_u64(b, 5);
		if (variant)
			put_u64(b, 0x1000);
		put_text(b, variant == 2 ? "/system/lib64/libc.so" : "unknown");
		return true;
	case PERFDATA_RECORD_SIMPLEPERF_SYMBOL:
		put_u64(b, 0x1100), put_u64(b, 64), put_u64(b, 5), put_text(b, "main");
		return true;
	case PERFDATA_RECORD_SIMPLEPERF_SPLIT: put_bytes(b, "a part", 6); return true;
	case PERFDATA_RECORD_SIMPLEPERF_SPLIT_END: return true;
	case PERFDATA_RECORD_SIMPLEPERF_EVENT_ID:
		put_u64(b, 2), put_u64(b, 0), put_u64(b, 77), put_u64(b, 1), put_u64(b, 78);
		return true;
	case PERFDATA_RECORD_SIMPLEPERF_CALLCHAIN:
		put_u32(b, 11), put_u32(b, 12), put_u64(b, 3), put_u64(b, 99), put_u64(b, 2);
		put_u64(b, 0x401000), put_u64(b, 0x402000), put_u64(b, 0x7ff0), put_u64(b, 0x7ff8);
		return true;
	case PERFDATA_RECORD_SIMPLEPERF_UNWINDING_RESULT:
		put_u64(b, 99), put_u64(b, 5000), put_u64(b, 1), put_u64(b, 0x8000);
		if (variant >= 1)
			put_u64(b, 0x7ff0), put_u64(b, 0x8000);
		if (variant >= 2) {
			put_u64(b, 2), put_u64(b, 0x103), put_u64(b, 1), put_u64(b, 2), put_u64(b, 0x7ff0);
			put_u64(b, variant == 2 ? 0 : 16);
		}
		if (variant >= 3)
			put_bytes(b, "sixteen of stack", 16), put_u64(b, 16), put_u64(b, 1), put_u64(b, 0x401000),
				put_u64(b, 0x7ff0);
		return true;
	case PERFDATA_RECORD_SIMPLEPERF_TRACING_DATA:
		put_u32(b, 11), put_bytes(b, "\x17\x08\x44tracing0", 11), put_zeros(b, 53);
		return true;
	case PERFDATA_RECORD_SIMPLEPERF_DEBUG: put_u64(b, 99), put_text(b, "lost 3"); return true;
	default: return false;
	}
}

/* Returns the next type of record; 0 after the last. */
static inline uint32_t next_type(uint32_t type)
{
	return type == PERFDATA_RECORD_SCHEDSTAT_DOMAIN  ? PERFDATA_RECORD_SIMPLEPERF_FIRST
	       : type == PERFDATA_RECORD_SIMPLEPERF_LAST ? 0
							 : type + 1;
}

static inline bool build_record(struct build *b, bool big, uint32_t type, unsigned variant)
{
	uint16_t misc = 0;

	if (type == PERFDATA_RECORD_MMAP2 && variant)
		misc = PERFDATA_MISC_MMAP_BUILD_ID;
	if (type == PERFDATA_RECORD_BUILD_ID && variant)
		misc = PERFDATA_MISC_BUILD_ID_SIZE;
	const bool is_simpleperf = perfdata_record_is_simpleperf(type);
	build_begin(b, big, type, is_simpleperf ? 0 : (uint16_t)(misc | 2));
	bool ok = type < PERFDATA_RECORD_USER_FIRST ? put_kernel_body(b, type, misc)
		  : is_simpleperf                   ? put_simpleperf_body(b, type, variant)
						    : put_user_body(b, type, variant);
	if (ok && type < PERFDATA_RECORD_USER_FIRST)
		put_trailer(b);
	build_end(b);
	return ok;
}

static inline enum perfdata_status decode(const struct build *b, uint64_t sample_type, struct perfdata_record *ret)
{
	static struct perfdata_config config[2];   /* views do not point into it */
	struct perfdata_attr attr;

	make_attr(&attr, sample_type);
	pd_config_init(&config[b->big], &attr, order_of(b->big));
	return perfdata_decode(&config[b->big], b->data, b->size, ret);
}

static inline bool is_text(struct perfdata_bytes bytes, const char *text)
{
	return bytes.size == strlen(text) && !memcmp(bytes.data, text, bytes.size);
}

static inline void put_read(struct build *b, uint64_t format)
{
	if (format & PERFDATA_READ_FORMAT_GROUP)
		put_u64(b, 2);
	else
		put_u64(b, 1000);
	if (format & PERFDATA_READ_FORMAT_TIME_ENABLED)
		put_u64(b, 501);
	if (format & PERFDATA_READ_FORMAT_TIME_RUNNING)
		put_u64(b, 502);
	for (unsigned i = 0; i < (format & PERFDATA_READ_FORMAT_GROUP ? 2 : 1); i++) {
		if (format & PERFDATA_READ_FORMAT_GROUP)
			put_u64(b, 1000 + i);
		if (format & PERFDATA_READ_FORMAT_ID)
			put_u64(b, 77 + i);
		if (format & PERFDATA_READ_FORMAT_LOST)
			put_u64(b, 9 + i);
	}
}

static inline uint64_t branch_flags(bool big)   /* predicted, 300 cycles, type CALL, priv kernel */
{
	return big ? UINT64_C(1) << 62 | UINT64_C(300) << 44 | UINT64_C(4) << 40 | UINT64_C(2) << 31
		   : UINT64_C(1) << 1 | UINT64_C(300) << 4 | UINT64_C(4) << 20 | UINT64_C(2) << 30;
}

/* Builds a sample with every field of `type`, in the kernel's order. */
static inline void build_sample(struct build *b, bool big, uint64_t type, const struct perfdata_attr *attr)
{
#define HAS(bit) (type & PERFDATA_SAMPLE_##bit)
	build_begin(b, big, PERFDATA_RECORD_SAMPLE, 2);
	if (HAS(IDENTIFIER)) put_u64(b, 77);
	if (HAS(IP)) put_u64(b, 0x401000);
	if (HAS(TID)) put_u32(b, 11), put_u32(b, 12);
	if (HAS(TIME)) put_u64(b, 123456789);
	if (HAS(ADDR)) put_u64(b, 0x5000);
	if (HAS(ID)) put_u64(b, 78);
	if (HAS(STREAM_ID)) put_u64(b, 79);
	if (HAS(CPU)) put_u32(b, 3), put_u32(b, 0);
	if (HAS(PERIOD)) put_u64(b, 4001);
	if (HAS(READ)) put_read(b, attr->read_format);
	if (HAS(CALLCHAIN)) put_u64(b, 2), put_u64(b, PERFDATA_CONTEXT_USER), put_u64(b, 0x401000);
	if (HAS(RAW)) put_u32(b, 12), put_bytes(b, "raw data 123", 12);
	if (HAS(BRANCH_STACK)) {
		put_u64(b, 2);
		if (attr->branch_sample_type & 1 << 17) put_u64(b, 5);
		for (unsigned i = 0; i < 2; i++)
			put_u64(b, 0x401000 + i), put_u64(b, 0x402000 + i), put_u64(b, branch_flags(big));
		if (attr->branch_sample_type & 1 << 19) put_u64(b, 61), put_u64(b, 62);
	}
	if (HAS(REGS_USER)) put_u64(b, 2), put_u64(b, 1), put_u64(b, 2), put_u64(b, 3);
	if (HAS(STACK_USER)) put_u64(b, 16), put_bytes(b, "stack stack stac", 16), put_u64(b, 8);
	if (HAS(WEIGHT) || HAS(WEIGHT_STRUCT)) put_u64(b, UINT64_C(0x0003000200000001));
	if (HAS(DATA_SRC)) put_u64(b, 0x68100142);
	if (HAS(TRANSACTION)) put_u64(b, 3);
	if (HAS(REGS_INTR)) put_u64(b, 1), put_u64(b, 8), put_u64(b, 9);
	if (HAS(PHYS_ADDR)) put_u64(b, 0x7000);
	if (HAS(CGROUP)) put_u64(b, 31);
	if (HAS(DATA_PAGE_SIZE)) put_u64(b, 4096);
	if (HAS(CODE_PAGE_SIZE)) put_u64(b, 2097152);
	if (HAS(AUX)) put_u64(b, 8), put_bytes(b, "aux data", 8);
	build_end(b);
}

static inline void check_sample(const struct perfdata_sample *s, uint64_t type, const struct perfdata_attr *attr)
{
	struct perfdata_branch branch;

	CHECK(!HAS(IDENTIFIER) || s->identifier == 77);
	CHECK(!HAS(IP) || s->ip == 0x401000);
	CHECK(!HAS(TID) || (s->pid == 11 && s->tid == 12));
	CHECK(!HAS(TIME) || s->time == 123456789);
	CHECK(!HAS(ADDR) || s->addr == 0x5000);
	CHECK(!HAS(ID) || s->id == 78);
	CHECK(!HAS(STREAM_ID) || s->stream_id == 79);
	CHECK(!HAS(CPU) || s->cpu == 3);
	CHECK(!HAS(PERIOD) || s->period == 4001);
	CHECK(!HAS(CALLCHAIN) ||
	      (s->callchain.count == 2 && perfdata_list_u64(&s->callchain, 0) == PERFDATA_CONTEXT_USER));
	CHECK(!HAS(RAW) || is_text(s->raw, "raw data 123"));
	if (HAS(BRANCH_STACK)) {
		CHECK_EQ(s->branch_stack.entries.count, 2);
		perfdata_list_get(&s->branch_stack.entries, 1, &branch, sizeof branch);
		CHECK(branch.from == 0x401001 && branch.to == 0x402001 && branch.flags == branch_flags(false));
		CHECK(!(attr->branch_sample_type & 1 << 17) || s->branch_stack.hw_idx == 5);
		CHECK(!(attr->branch_sample_type & 1 << 19) || perfdata_list_u64(&s->branch_stack.counters, 1) == 62);
	}
	CHECK(!HAS(REGS_USER) || (s->user_regs.abi == 2 && s->user_regs.mask == 0x103 &&
				  s->user_regs.values.count == 3 && perfdata_list_u64(&s->user_regs.values, 2) == 3));
	CHECK(!HAS(STACK_USER) || (s->user_stack.size == 16 && s->user_stack.dyn_size == 8 &&
				   is_text(s->user_stack.data, "stack stack stac")));
	if (HAS(WEIGHT_STRUCT))
		CHECK(s->weight_struct.var1 == 1 && s->weight_struct.var2 == 2 && s->weight_struct.var3 == 3);
	else
		CHECK(!HAS(WEIGHT) || s->weight == UINT64_C(0x0003000200000001));
	CHECK(!HAS(DATA_SRC) || s->data_src == 0x68100142);
	CHECK(!HAS(TRANSACTION) || s->transaction == 3);
	CHECK(!HAS(REGS_INTR) || (s->intr_regs.values.count == 2 && perfdata_list_u64(&s->intr_regs.values, 1) == 9));
	CHECK(!HAS(PHYS_ADDR) || s->phys_addr == 0x7000);
	CHECK(!HAS(CGROUP) || s->cgroup == 31);
	CHECK(!HAS(DATA_PAGE_SIZE) || s->data_page_size == 4096);
	CHECK(!HAS(CODE_PAGE_SIZE) || s->code_page_size == 2097152);
	CHECK(!HAS(AUX) || is_text(s->aux, "aux data"));
}

/* Returns the set of rows of a sample of this type. */
static inline uint64_t rows_of(uint64_t type)
{
	const struct perfdata_layout *layout = perfdata_record_layout(PERFDATA_RECORD_SAMPLE);
	uint64_t rows = 0;

	if (type & PERFDATA_SAMPLE_WEIGHT_STRUCT)
		type &= ~(uint64_t)PERFDATA_SAMPLE_WEIGHT;
	for (uint32_t i = 0; i < layout->nr_fields; i++)
		if (layout->fields[i].kind != PERFDATA_KIND_PAD && type & layout->fields[i].when_value)
			rows |= UINT64_C(1) << i;
	return rows;
}

#endif
