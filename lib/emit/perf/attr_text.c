/* SPDX-License-Identifier: MIT */
/* Attrs as perf prints them: `, key = value` in the header, `key: value` in a list of events. */
#include "config.h"
#include <inttypes.h>
#include "emit/perf/header_text.h"
#include "emit/emitters.h"
#include "schema/schema.h"

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

struct spelling {
	struct perfdata_text *out;
	const char *joint;     /* between key and value */
	bool separate;         /* write a comma first */
};

static const char *const type_names[] = { "HARDWARE", "SOFTWARE", "TRACEPOINT", "HW_CACHE", "RAW", "BREAKPOINT" };

static const char *const hardware_names[] = {
	"CPU_CYCLES",    "INSTRUCTIONS", "CACHE_REFERENCES",        "CACHE_MISSES",           "BRANCH_INSTRUCTIONS",
	"BRANCH_MISSES", "BUS_CYCLES",   "STALLED_CYCLES_FRONTEND", "STALLED_CYCLES_BACKEND", "REF_CPU_CYCLES",
};
static const char *const software_names[] = {
	"CPU_CLOCK",        "TASK_CLOCK",      "PAGE_FAULTS",     "CONTEXT_SWITCHES",
	"CPU_MIGRATIONS",   "PAGE_FAULTS_MIN", "PAGE_FAULTS_MAJ", "ALIGNMENT_FAULTS",
	"EMULATION_FAULTS", "DUMMY",           "BPF_OUTPUT",      "CGROUP_SWITCHES",
};
static const char *const cache_names[] = { "L1D", "L1I", "LL", "DTLB", "ITLB", "BPU", "NODE" };
static const char *const cache_op_names[] = { "READ", "WRITE", "PREFETCH" };
static const char *const cache_result_names[] = { "ACCESS", "MISS" };

/* Sample bits in the order that perf prints them; it never prints TRANSACTION. */
static const uint32_t sample_bits[] = {
	PERFDATA_SAMPLE_IP, PERFDATA_SAMPLE_TID, PERFDATA_SAMPLE_TIME, PERFDATA_SAMPLE_ADDR, PERFDATA_SAMPLE_READ,
	PERFDATA_SAMPLE_CALLCHAIN, PERFDATA_SAMPLE_ID, PERFDATA_SAMPLE_CPU, PERFDATA_SAMPLE_PERIOD,
	PERFDATA_SAMPLE_STREAM_ID, PERFDATA_SAMPLE_RAW, PERFDATA_SAMPLE_BRANCH_STACK, PERFDATA_SAMPLE_REGS_USER,
	PERFDATA_SAMPLE_STACK_USER, PERFDATA_SAMPLE_IDENTIFIER, PERFDATA_SAMPLE_REGS_INTR, PERFDATA_SAMPLE_DATA_SRC,
	PERFDATA_SAMPLE_WEIGHT, PERFDATA_SAMPLE_PHYS_ADDR, PERFDATA_SAMPLE_AUX, PERFDATA_SAMPLE_CGROUP,
	PERFDATA_SAMPLE_DATA_PAGE_SIZE, PERFDATA_SAMPLE_CODE_PAGE_SIZE, PERFDATA_SAMPLE_WEIGHT_STRUCT,
};

static void put_key(struct spelling *s, const char *key)
{
	if (s->separate)
		perfdata_text_literal(s->out, ", ");
	s->separate = true;
	perfdata_text_string(s->out, key);
	perfdata_text_string(s->out, s->joint);
}

static void put_number(struct spelling *s, const char *key, uint64_t value)
{
	if (!value)
		return;
	put_key(s, key);
	perfdata_text_u64(s->out, value);
}

static void put_hex(struct spelling *s, const char *key, uint64_t value)
{
	if (!value)
		return;
	put_key(s, key);
	perfdata_text_printf(s->out, "%#" PRIx64, value);
}

static void put_joined(struct perfdata_text *out, const char *name, bool *is_first)
{
	if (!*is_first)
		perfdata_text_char(out, '|');
	*is_first = false;
	perfdata_text_string(out, name);
}

/* The names of the bits in `value`. */
static void put_flags(struct spelling *s, const char *key, uint64_t value, const struct perfdata_name *names)
{
	bool is_first = true;

	if (!value)
		return;
	put_key(s, key);
	for (; names && names->name; names++)
		if (value & names->value)
			put_joined(s->out, names->name, &is_first);
}

static void put_sample_type(struct spelling *s, uint64_t value)
{
	bool is_first = true;

	if (!value)
		return;
	put_key(s, "sample_type");
	for (size_t i = 0; i < COUNT_OF(sample_bits); i++)
		if (value & sample_bits[i])
			put_joined(s->out, perfdata_name_of(pd_sample_type_names(), sample_bits[i]), &is_first);
}

/* Without the recorded machine's sysfs, perf takes type 4 for the CPU's PMU, and knows no name for other PMUs. */
#define CPU_PMU 4

static void put_type(struct spelling *s, uint32_t type)
{
	put_key(s, "type");
	perfdata_text_u64(s->out, type);
	if (type == CPU_PMU)
		perfdata_text_literal(s->out, " (cpu)");
	else if (type < COUNT_OF(type_names))
		perfdata_text_printf(s->out, " (PERF_TYPE_%s)", type_names[type]);
}

/* Writes the name of a generic event; the upper half of config selects the PMU and is ignored. False if it has no
 * name. */
static bool put_generic(struct perfdata_text *out, uint32_t type, uint64_t config)
{
	uint64_t cache = config & 0xff, op = config >> 8 & 0xff, result = config >> 16;

	if (type == PERFDATA_TYPE_HARDWARE && config < COUNT_OF(hardware_names)) {
		perfdata_text_printf(out, "PERF_COUNT_HW_%s", hardware_names[config]);
		return true;
	}
	if (type == PERFDATA_TYPE_HW_CACHE && cache < COUNT_OF(cache_names) && op < COUNT_OF(cache_op_names) &&
	    result < COUNT_OF(cache_result_names)) {
		perfdata_text_printf(
			out, "PERF_COUNT_HW_CACHE_RESULT_%s | PERF_COUNT_HW_CACHE_OP_%s | PERF_COUNT_HW_CACHE_%s",
			cache_result_names[result], cache_op_names[op], cache_names[cache]);
		return true;
	}
	return false;
}

static void put_config_name(struct perfdata_text *out, uint32_t type, uint64_t config)
{
	bool on_cpu_pmu = config >> 32 == CPU_PMU;
	size_t start = out->size;

	perfdata_text_string(out, on_cpu_pmu ? " (cpu/" : " (");
	if (put_generic(out, type, config & UINT32_MAX))
		perfdata_text_string(out, on_cpu_pmu ? "/)" : ")");
	else if (on_cpu_pmu)
		perfdata_text_printf(out, "config=%#" PRIx64 "/)", config);
	else
		out->size = start;
}

static void put_config(struct spelling *s, const struct perfdata_attr *attr)
{
	put_key(s, "config");
	perfdata_text_printf(s->out, "%#" PRIx64, attr->config);
	if (attr->type == PERFDATA_TYPE_HARDWARE || attr->type == PERFDATA_TYPE_HW_CACHE)
		put_config_name(s->out, attr->type, attr->config);
	else if (attr->type == PERFDATA_TYPE_SOFTWARE && attr->config < COUNT_OF(software_names))
		perfdata_text_printf(s->out, " (PERF_COUNT_SW_%s)", software_names[attr->config]);
}

static const struct perfdata_field *attr_row(const char *name)
{
	const struct perfdata_layout *layout = perfdata_attr_layout();
	for (uint32_t i = 0; i < layout->nr_fields; i++)
		if (layout->fields[i].name && !strcmp(layout->fields[i].name, name))
			return &layout->fields[i];
	return NULL;
}

/* Names of the flags in a field of the attr. */
static const struct perfdata_name *row_names(const char *name)
{
	const struct perfdata_field *row = attr_row(name);
	return row ? row->names : NULL;
}

static void put_attr_flags(struct spelling *s, uint64_t flags)
{
	const struct perfdata_field *row = attr_row("attr_flags");

	for (const struct perfdata_bits *bits = row ? row->bits : NULL; bits && bits->name; bits++)
		if (bits->shift <= PERFDATA_ATTR_DEFER_OUTPUT)
			put_number(s, bits->name, flags >> bits->shift & ((1ull << bits->width) - 1));
}

static void put_attr(struct spelling *s, const struct perfdata_attr *attr)
{
	put_type(s, attr->type);
	put_number(s, "size", attr->size);
	put_config(s, attr);
	put_number(s, "{ sample_period, sample_freq }", attr->sample_period);
	put_sample_type(s, attr->sample_type);
	put_flags(s, "read_format", attr->read_format, row_names("read_format"));
	put_attr_flags(s, attr->flags);
	put_number(s, "{ wakeup_events, wakeup_watermark }", attr->wakeup_events);
	put_number(s, "bp_type", attr->bp_type);
	put_hex(s, "{ bp_addr, config1 }", attr->config1);
	put_hex(s, "{ bp_len, config2 }", attr->config2);
	put_flags(s, "branch_sample_type", attr->branch_sample_type, row_names("branch_sample_type"));
	put_hex(s, "sample_regs_user", attr->sample_regs_user);
	put_number(s, "sample_stack_user", attr->sample_stack_user);
	if (attr->clockid) {
		put_key(s, "clockid");
		perfdata_text_s64(s->out, attr->clockid);
	}
	put_hex(s, "sample_regs_intr", attr->sample_regs_intr);
	put_number(s, "aux_watermark", attr->aux_watermark);
	put_number(s, "sample_max_stack", attr->sample_max_stack);
	put_number(s, "aux_sample_size", attr->aux_sample_size);
	put_number(s, "sig_data", attr->sig_data);
	for (const struct perfdata_name *action = row_names("aux_action"); action && action->name; action++)
		put_number(s, action->name, (attr->aux_action & action->value) != 0);
}

void pd_header_text_attr(struct perfdata_text *out, const struct perfdata_attr *attr)
{
	put_attr(&(struct spelling){ out, " = ", true }, attr);
}

void perfdata_perf_event(struct perfdata_text *out, const char *name, const struct perfdata_attr *attr)
{
	perfdata_text_string(out, name);
	perfdata_text_literal(out, ": ");
	put_attr(&(struct spelling){ out, ": ", false }, attr);
}
