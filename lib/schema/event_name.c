/* SPDX-License-Identifier: MIT */
/* The name that perf derives from an attr if the recording has no name for the event. */
#include "config.h"
#include "perfdata/schema.h"
#include "perfdata/text.h"

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

static const char *const hardware_names[] = {
	"cycles", "instructions", "cache-references", "cache-misses", "branches", "branch-misses", "bus-cycles",
	"stalled-cycles-frontend", "stalled-cycles-backend", "ref-cycles",
};
static const char *const software_names[] = {
	"cpu-clock", "task-clock", "page-faults", "context-switches", "cpu-migrations", "minor-faults", "major-faults",
	"alignment-faults", "emulation-faults", "dummy",
};

enum { OP_LOAD = 1 << 0, OP_STORE = 1 << 1, OP_PREFETCH = 1 << 2, OP_ALL = 7 };
static const struct {
	const char *name;
	unsigned ops;      /* set of the operations that exist for this cache */
} caches[] = {
	{ "L1-dcache", OP_ALL }, { "L1-icache", OP_LOAD | OP_PREFETCH }, { "LLC", OP_ALL }, { "dTLB", OP_ALL },
	{ "iTLB", OP_LOAD }, { "branch", OP_LOAD }, { "node", OP_ALL },
};
static const struct {
	const char *singular, *plural;
} cache_ops[] = {
	{ "load", "loads" }, { "store", "stores" }, { "prefetch", "prefetches" },
};

static void put_cache_name(uint64_t config, struct perfdata_text *text)
{
	unsigned cache = config & 0xff, op = config >> 8 & 0xff, result = config >> 16 & 0xff;

	if (cache >= COUNT_OF(caches))
		perfdata_text_literal(text, "unknown-ext-hardware-cache-type");
	else if (op >= COUNT_OF(cache_ops))
		perfdata_text_literal(text, "unknown-ext-hardware-cache-op");
	else if (result > 1)
		perfdata_text_literal(text, "unknown-ext-hardware-cache-result");
	else if (!(caches[cache].ops >> op & 1))
		perfdata_text_literal(text, "invalid-cache");
	else if (result)
		perfdata_text_printf(text, "%s-%s-misses", caches[cache].name, cache_ops[op].singular);
	else
		perfdata_text_printf(text, "%s-%s", caches[cache].name, cache_ops[op].plural);
}

/* Appends ":" and a letter for each modifier; appends nothing if there are no modifiers. */
static void put_modifiers(const struct perfdata_attr *attr, struct perfdata_text *text)
{
	char letters[8];
	size_t n = 0;
	bool no_user = perfdata_attr_has(attr, PERFDATA_ATTR_EXCLUDE_USER);
	bool no_kernel = perfdata_attr_has(attr, PERFDATA_ATTR_EXCLUDE_KERNEL);
	bool no_hv = perfdata_attr_has(attr, PERFDATA_ATTR_EXCLUDE_HV);
	bool no_host = perfdata_attr_has(attr, PERFDATA_ATTR_EXCLUDE_HOST);
	bool no_guest = perfdata_attr_has(attr, PERFDATA_ATTR_EXCLUDE_GUEST);

	if (no_user || no_kernel || no_hv) {
		if (!no_kernel)
			letters[n++] = 'k';
		if (!no_user)
			letters[n++] = 'u';
		if (!no_hv)
			letters[n++] = 'h';
	}
	for (unsigned i = perfdata_attr_precise_ip(attr); i > 0; i--)
		letters[n++] = 'p';
	if (no_host || no_guest) {
		if (!no_host)
			letters[n++] = 'H';
		if (!no_guest)
			letters[n++] = 'G';
	}
	if (n) {
		perfdata_text_char(text, ':');
		perfdata_text_append(text, letters, n);
	}
}

void perfdata_event_fallback_name(const struct perfdata_attr *attr, struct perfdata_text *text)
{
	/* The upper half of the config of a generic event chooses a PMU on machines with several kinds of CPUs. */
	uint64_t number = attr->config & UINT32_MAX;
	bool modifiers = true;

	switch (attr->type) {
	case PERFDATA_TYPE_HARDWARE:
		perfdata_text_string(text,
				     number < COUNT_OF(hardware_names) ? hardware_names[number] : "unknown-hardware");
		break;
	case PERFDATA_TYPE_SOFTWARE:
		perfdata_text_string(text,
				     number < COUNT_OF(software_names) ? software_names[number] : "unknown-software");
		break;
	case PERFDATA_TYPE_HW_CACHE:
		put_cache_name(attr->config, text);
		break;
	case PERFDATA_TYPE_RAW:
		perfdata_text_printf(text, "raw 0x%llx", (unsigned long long)attr->config);
		break;
	case PERFDATA_TYPE_BREAKPOINT:
		perfdata_text_printf(text, "mem:0x%llx:%s%s%s", (unsigned long long)attr->config1,
				     attr->bp_type & 1 ? "r" : "", attr->bp_type & 2 ? "w" : "",
				     attr->bp_type & 4 ? "x" : "");
		break;
	case PERFDATA_TYPE_TRACEPOINT:
		perfdata_text_printf(text, "unknown tracepoint id=%#llx", (unsigned long long)attr->config);
		modifiers = false;
		break;
	default:
		perfdata_text_printf(text, "unknown event PMU=%d config=%#llx", (int)attr->type,
				     (unsigned long long)attr->config);
		modifiers = false;
		break;
	}
	if (modifiers)
		put_modifiers(attr, text);
}
