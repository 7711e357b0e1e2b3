/* SPDX-License-Identifier: MIT */
/* The header of a recording as perf prints it: a function for each section that perf prints. */
#include "config.h"
#include <inttypes.h>
#include <stdlib.h>
#include <time.h>
#include "emit/perf/header_text.h"
#include "emit/perf/event_names.h"
#include "schema/schema.h"
#include "schema/feature.h"

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

/* Argument of the function for a section. */
struct section {
	struct perfdata_text *out;
	const struct perfdata_node *root;
	size_t size;               /* bytes of the section */
	const struct header_text_source *source;
};

/* --- nodes ------------------------------------------------------------------------------------------------------- */

static uint64_t number_of(const struct perfdata_node *node, const char *name)
{
	const struct perfdata_node *n = perfdata_node_get(node, name);
	return n ? n->v.u : 0;
}

static const struct perfdata_node *elements_of(const struct perfdata_node *node, const char *name)
{
	const struct perfdata_node *list = perfdata_node_get(node, name);
	return list ? list->child : NULL;
}

static uint64_t count_of(const struct perfdata_node *node, const char *name)
{
	const struct perfdata_node *list = perfdata_node_get(node, name);
	return list ? list->v.count : 0;
}

static void put_text(struct perfdata_text *out, const struct perfdata_node *node)
{
	if (node)
		perfdata_text_bytes(out, node->v.bytes);
}

static void put_member(struct perfdata_text *out, const struct perfdata_node *node, const char *name)
{
	put_text(out, perfdata_node_get(node, name));
}

static bool text_is(const struct perfdata_node *node, const char *text)
{
	return node && node->v.bytes.size == strlen(text) && !memcmp(node->v.bytes.data, text, node->v.bytes.size);
}

static const struct perfdata_node *root_of(const struct header_text_source *source, uint32_t id)
{
	const struct perfdata_feature *feature = source && source->feature ? source->feature(source->user, id) : NULL;
	return feature ? perfdata_feature_root(feature) : NULL;
}

/* Writes a line for each text of a list. */
static void put_lines(struct section *s, const char *list, const char *before)
{
	for (const struct perfdata_node *n = elements_of(s->root, list); n; n = n->next) {
		perfdata_text_string(s->out, before);
		put_text(s->out, n);
		perfdata_text_char(s->out, '\n');
	}
}

/* Writes seconds with microseconds. */
static void put_usec(struct perfdata_text *out, uint64_t ns)
{
	perfdata_text_printf(out, "%" PRIu64 ".%06" PRIu64, ns / 1000000000, ns % 1000000000 / 1000);
}

/* --- texts and numbers ------------------------------------------------------------------------------------------- */

static void put_string(struct section *s, const char *key)
{
	perfdata_text_printf(s->out, "# %s : ", key);
	if (s->root->child)
		put_text(s->out, s->root->child);
	else
		perfdata_text_literal(s->out, "(null)");
	perfdata_text_char(s->out, '\n');
}
static void put_hostname(struct section *s) { put_string(s, "hostname"); }
static void put_osrelease(struct section *s) { put_string(s, "os release"); }
static void put_version(struct section *s) { put_string(s, "perf version"); }
static void put_arch(struct section *s) { put_string(s, "arch"); }
static void put_cpudesc(struct section *s) { put_string(s, "cpudesc"); }
static void put_cpuid(struct section *s) { put_string(s, "cpuid"); }

static void put_nrcpus(struct section *s)
{
	perfdata_text_printf(s->out, "# nrcpus online : %" PRIu64 "\n", number_of(s->root, "online"));
	perfdata_text_printf(s->out, "# nrcpus avail : %" PRIu64 "\n", number_of(s->root, "available"));
}

static void put_total_mem(struct section *s)
{
	perfdata_text_printf(s->out, "# total memory : %" PRIu64 " kB\n", number_of(s->root, "total_mem"));
}

static void put_cmdline(struct section *s)
{
	perfdata_text_literal(s->out, "# cmdline : ");
	for (const struct perfdata_node *n = elements_of(s->root, "cmdline"); n; n = n->next) {
		for (size_t i = 0; i < n->v.bytes.size; i++) {
			if (n->v.bytes.data[i] == '\'')
				perfdata_text_char(s->out, '\\');
			perfdata_text_char(s->out, (char)n->v.bytes.data[i]);
		}
		perfdata_text_char(s->out, ' ');
	}
	perfdata_text_char(s->out, '\n');
}

static void put_sample_time(struct section *s)
{
	uint64_t first = number_of(s->root, "first"), last = number_of(s->root, "last");

	perfdata_text_literal(s->out, "# time of first sample : ");
	put_usec(s->out, first);
	perfdata_text_literal(s->out, "\n# time of last sample : ");
	put_usec(s->out, last);
	perfdata_text_printf(s->out, "\n# sample duration : %10.3f ms\n", (double)(last - first) / 1e6);
}

static void put_clockid(struct section *s)
{
	/* perf multiplies by the resolution, where it should divide */
	perfdata_text_printf(s->out, "# clockid frequency: %" PRIu64 " MHz\n", number_of(s->root, "clockid") * 1000);
}

static const char *clock_name(uint64_t clockid)
{
	switch (clockid) {
	case 0: return "realtime";
	case 1: return "monotonic";
	case 4: return "monotonic_raw";
	case 7: return "boottime";
	case 11: return "tai";
	default: return "(not found)";
	}
}

static void put_clock_data(struct section *s)
{
	uint64_t clockid = number_of(s->root, "clockid"), time = number_of(s->root, "clockid_time");
	uint64_t wall = number_of(s->root, "wall_clock");
	time_t seconds = (time_t)(wall / 1000000000);
	struct tm local;
	char date[64] = "";

	if (localtime_r(&seconds, &local))
		strftime(date, sizeof date, "%F %T", &local);
	perfdata_text_printf(s->out, "# clockid: %s (%" PRIu64 ")\n", clock_name(clockid), clockid);
	perfdata_text_printf(s->out, "# reference time: %s.%06" PRIu64 " = ", date, wall % 1000000000 / 1000);
	put_usec(s->out, wall);
	perfdata_text_printf(s->out, " (TOD) = %" PRIu64 ".%09" PRIu64 " (%s)\n", time / 1000000000, time % 1000000000,
			     clock_name(clockid));
}

static void put_dir_format(struct section *s)
{
	perfdata_text_printf(s->out, "# directory data version : %" PRIu64 "\n", number_of(s->root, "dir_format"));
}

static void put_compressed(struct section *s)
{
	perfdata_text_printf(s->out, "# compressed : %s, level = %d, ratio = %d\n",
			     number_of(s->root, "type") == 1 ? "Zstd" : "Unknown", (int)number_of(s->root, "level"),
			     (int)number_of(s->root, "ratio"));
}

static void put_e_machine(struct section *s)
{
	perfdata_text_printf(s->out, "# e_machine : %" PRIu64 "\n", number_of(s->root, "e_machine"));
	perfdata_text_printf(s->out, "#   e_flags : %" PRIu64 "\n", number_of(s->root, "e_flags"));
}

static void put_cln_size(struct section *s)
{
	perfdata_text_printf(s->out, "# cacheline size: %" PRIu64 "\n", number_of(s->root, "cln_size"));
}

static void put_branch_stack(struct section *s)
{
	perfdata_text_literal(s->out, "# contains samples with branch stack\n");
}
static void put_stat(struct section *s) { perfdata_text_literal(s->out, "# contains stat data\n"); }
static void put_auxtrace(struct section *s)
{
	perfdata_text_literal(s->out, "# contains AUX area data (e.g. instruction trace)\n");
}

/* --- events ------------------------------------------------------------------------------------------------------ */

static void put_event_desc(struct section *s)
{
	if (!perfdata_node_get(s->root, "event_desc")) {
		perfdata_text_literal(s->out, "# event desc: not available or unable to read\n");
		return;
	}
	for (const struct perfdata_node *event = elements_of(s->root, "event_desc"); event; event = event->next) {
		const struct perfdata_node *attr = perfdata_node_get(event, "attr"), *id = elements_of(event, "ids");

		perfdata_text_literal(s->out, "# event : name = ");
		put_member(s->out, event, "name");
		perfdata_text_literal(s->out, ", ");
		if (id) {
			perfdata_text_literal(s->out, ", id = {");
			for (const struct perfdata_node *n = id; n; n = n->next) {
				perfdata_text_string(s->out, n == id ? " " : ", ");
				perfdata_text_u64(s->out, n->v.u);
			}
			perfdata_text_literal(s->out, " }");
		}
		if (attr)
			pd_header_text_attr(s->out, attr->v.attr);
		perfdata_text_char(s->out, '\n');
	}
}

static bool put_event_name(const struct section *s, uint64_t index)
{
	return s->source && s->source->event_name && s->source->event_name(s->source->user, (size_t)index, s->out);
}

static void put_group_desc(struct section *s)
{
	for (const struct perfdata_node *group = elements_of(s->root, "group_desc"); group; group = group->next) {
		uint64_t leader = number_of(group, "leader"), members = number_of(group, "nr_members");

		perfdata_text_literal(s->out, "# group: ");
		if (!text_is(perfdata_node_get(group, "name"), "{anon_group}"))
			put_member(s->out, group, "name");
		perfdata_text_char(s->out, '{');
		for (uint64_t i = 0; i < members && put_event_name(s, leader + i); i++)
			perfdata_text_char(s->out, ',');
		if (s->out->size && s->out->data[s->out->size - 1] == ',')
			s->out->size--;
		perfdata_text_literal(s->out, "}\n");
	}
}

/* --- the machine ------------------------------------------------------------------------------------------------- */

/* The size that perf assumes for a list of texts: perf writes texts padded to 64 bytes, and expects this. */
static size_t padded_size(const struct perfdata_node *root, const char *list)
{
	size_t size = 4;
	for (const struct perfdata_node *n = elements_of(root, list); n; n = n->next)
		size += 4 + (n->v.bytes.size + 1 + 63) / 64 * 64;
	return size;
}

static void put_cpu_topology(struct section *s)
{
	const struct perfdata_node *cpu = elements_of(s->root, "cpus"), *die = elements_of(s->root, "die_ids");
	bool with_dies = count_of(s->root, "dies") > 0;

	put_lines(s, "sockets", "# sibling sockets : ");
	put_lines(s, "dies", "# sibling dies    : ");
	put_lines(s, "threads", "# sibling threads : ");
	/* if a writer padded less, perf does not find the fields after the lists */
	if (!cpu || padded_size(s->root, "sockets") + padded_size(s->root, "threads") >= s->size) {
		perfdata_text_literal(s->out, "# Core ID and Socket ID information is not available\n");
		return;
	}
	for (int i = 0; cpu; i++, cpu = cpu->next, die = die ? die->next : NULL) {
		perfdata_text_printf(s->out, "# CPU %d: Core ID %d, ", i, (int)number_of(cpu, "core_id"));
		if (with_dies)
			perfdata_text_printf(s->out, "Die ID %d, ", die ? (int)die->v.u : -1);
		perfdata_text_printf(s->out, "Socket ID %d\n", (int)number_of(cpu, "socket_id"));
	}
}

static void put_numa_topology(struct section *s)
{
	for (const struct perfdata_node *n = elements_of(s->root, "numa_topology"); n; n = n->next) {
		uint64_t node = number_of(n, "node");
		perfdata_text_printf(s->out,
				     "# node%" PRIu64 " meminfo  : total = %" PRIu64 " kB, free = %" PRIu64 " kB\n",
				     node, number_of(n, "total"), number_of(n, "free"));
		perfdata_text_printf(s->out, "# node%" PRIu64 " cpu list : ", node);
		put_member(s->out, n, "cpus");
		perfdata_text_char(s->out, '\n');
	}
}

static void put_pmu_mappings(struct section *s)
{
	const struct perfdata_node *first = elements_of(s->root, "pmu_mappings");

	if (!first) {
		perfdata_text_literal(s->out, "# pmu mappings: not available\n");
		return;
	}
	perfdata_text_literal(s->out, "# pmu mappings: ");
	for (const struct perfdata_node *n = first; n; n = n->next) {
		if (n != first)
			perfdata_text_literal(s->out, ", ");
		put_member(s->out, n, "name");
		perfdata_text_printf(s->out, " = %" PRIu64, number_of(n, "type"));
	}
	perfdata_text_char(s->out, '\n');
}

/* Writes a text padded to `width` columns. */
static void put_column(struct perfdata_text *out, const struct perfdata_node *node, size_t width, bool right)
{
	size_t size = node ? node->v.bytes.size : 0, fill = size < width ? width - size : 0;

	if (right)
		perfdata_text_fill(out, ' ', fill);
	put_text(out, node);
	if (!right)
		perfdata_text_fill(out, ' ', fill);
}

static void put_cache(struct section *s)
{
	perfdata_text_literal(s->out, "# CPU cache info:\n");
	for (const struct perfdata_node *n = elements_of(s->root, "caches"); n; n = n->next) {
		perfdata_text_printf(s->out, "#  L%d ", (int)number_of(n, "level"));
		put_column(s->out, perfdata_node_get(n, "type"), 15, false);
		perfdata_text_char(s->out, ' ');
		put_column(s->out, perfdata_node_get(n, "size"), 8, true);
		perfdata_text_literal(s->out, " [");
		put_member(s->out, n, "cpus");
		perfdata_text_literal(s->out, "]\n");
	}
}

static bool bit_is_set(struct perfdata_bytes bits, size_t bit)
{
	return bit / 8 < bits.size && (bits.data[bit / 8] >> bit % 8 & 1);
}

/* Set bits as "0-3,7", cut to the size of perf's buffer. */
#define BITMAP_ROOM 99
static void put_bitmap(struct perfdata_text *out, struct perfdata_bytes bits)
{
	size_t start = out->size, end = bits.size * 8;
	bool is_first = true;

	for (size_t bit = 0; bit < end && out->size - start < BITMAP_ROOM && !out->failed; bit++) {
		size_t last = bit;
		if (!bit_is_set(bits, bit))
			continue;
		while (bit_is_set(bits, last + 1))
			last++;
		perfdata_text_printf(out, last > bit ? "%s%zu-%zu" : "%s%zu", is_first ? "" : ",", bit, last);
		is_first = false;
		bit = last;
	}
	if (out->size - start > BITMAP_ROOM)
		out->size = start + BITMAP_ROOM;
}

static uint64_t count_bits(struct perfdata_bytes bits)
{
	uint64_t n = 0;
	for (size_t i = 0; i < bits.size; i++)
		n += (uint64_t)__builtin_popcount(bits.data[i]);
	return n;
}

/* Writes a size in the largest unit in which it is at least 1. */
static void put_amount(struct perfdata_text *out, uint64_t bytes)
{
	static const char units[] = "BKMG";
	size_t unit = 0;

	for (; bytes / 1024 > 0 && unit < sizeof units - 2; unit++)
		bytes /= 1024;
	perfdata_text_printf(out, "%" PRIu64 "%c", bytes, units[unit]);
}

static void put_mem_topology(struct section *s)
{
	uint64_t block = number_of(s->root, "block_size");

	perfdata_text_printf(s->out, "# memory nodes (nr %d, block size 0x%" PRIx64 "):\n",
			     (int)count_of(s->root, "nodes"), block);
	for (const struct perfdata_node *n = elements_of(s->root, "nodes"); n; n = n->next) {
		const struct perfdata_node *set = perfdata_node_get(n, "set");
		struct perfdata_bytes bits = set ? set->v.bytes : (struct perfdata_bytes){ NULL, 0 };

		perfdata_text_printf(s->out, "#  %3" PRIu64 " [", number_of(n, "node"));
		put_amount(s->out, block * count_bits(bits));
		perfdata_text_literal(s->out, "]: ");
		put_bitmap(s->out, bits);
		perfdata_text_char(s->out, '\n');
	}
}

static void put_hybrid_topology(struct section *s)
{
	perfdata_text_literal(s->out, "# hybrid cpu system:\n");
	for (const struct perfdata_node *n = elements_of(s->root, "hybrid_topology"); n; n = n->next) {
		perfdata_text_literal(s->out, "# ");
		put_member(s->out, n, "pmu_name");
		perfdata_text_literal(s->out, " cpu list : ");
		put_member(s->out, n, "cpus");
		perfdata_text_char(s->out, '\n');
	}
}

static void put_capabilities(struct perfdata_text *out, const struct perfdata_node *first)
{
	perfdata_text_literal(out, " pmu capabilities: ");
	if (!first)
		perfdata_text_literal(out, "not available");
	for (const struct perfdata_node *n = first; n; n = n->next) {
		if (n != first)
			perfdata_text_literal(out, ", ");
		put_member(out, n, "name");
		perfdata_text_char(out, '=');
		put_member(out, n, "value");
	}
	perfdata_text_char(out, '\n');
}

static void put_cpu_pmu_caps(struct section *s)
{
	perfdata_text_literal(s->out, "# cpu");
	put_capabilities(s->out, elements_of(s->root, "cpu_pmu_caps"));
}

/* Whether the machine has IBS, and a CPU PMU without precise events. */
static bool needs_ibs(const struct section *s)
{
	const struct perfdata_node *pmu = elements_of(root_of(s->source, PERFDATA_FEATURE_PMU_MAPPINGS),
						      "pmu_mappings");
	const struct perfdata_node *cap = elements_of(root_of(s->source, PERFDATA_FEATURE_CPU_PMU_CAPS),
						      "cpu_pmu_caps");

	while (pmu && !text_is(perfdata_node_get(pmu, "name"), "ibs_op"))
		pmu = pmu->next;
	while (cap && !text_is(perfdata_node_get(cap, "name"), "max_precise"))
		cap = cap->next;
	return pmu && cap && text_is(perfdata_node_get(cap, "value"), "0");
}

static void put_pmu_caps(struct section *s)
{
	for (const struct perfdata_node *n = elements_of(s->root, "pmu_caps"); n; n = n->next) {
		perfdata_text_literal(s->out, "# ");
		put_member(s->out, n, "pmu_name");
		put_capabilities(s->out, elements_of(n, "caps"));
	}
	if (needs_ibs(s))
		perfdata_text_literal(
			s->out, "# AMD systems uses ibs_op// PMU for some precise events, e.g.: cycles:p, see the "
				"'perf list' man page for further details.\n");
}

static void put_domain(struct perfdata_text *out, const struct perfdata_node *domain)
{
	perfdata_text_printf(out, "# Domain\t\t: %" PRIu64 "\n", number_of(domain, "domain"));
	if (perfdata_node_get(domain, "name")) {
		perfdata_text_literal(out, "# Domain name      : ");
		put_member(out, domain, "name");
		perfdata_text_char(out, '\n');
	}
	perfdata_text_literal(out, "# Domain cpu map   : ");
	put_member(out, domain, "cpumask");
	perfdata_text_literal(out, "\n# Domain cpu list  : ");
	put_member(out, domain, "cpulist");
	perfdata_text_char(out, '\n');
}

static void put_cpu_domain_info(struct section *s)
{
	perfdata_text_printf(s->out, "# schedstat version\t: %" PRIu64 "\n", number_of(s->root, "schedstat_version"));
	perfdata_text_printf(s->out, "# Maximum sched domains\t: %" PRIu64 "\n",
			     number_of(s->root, "max_sched_domains"));
	for (const struct perfdata_node *cpu = elements_of(s->root, "cpus"); cpu; cpu = cpu->next) {
		perfdata_text_printf(s->out, "# cpu\t\t: %" PRIu64 "\n", number_of(cpu, "cpu"));
		perfdata_text_printf(s->out, "# nr_domains\t: %" PRIu64 "\n", count_of(cpu, "domains"));
		for (const struct perfdata_node *domain = elements_of(cpu, "domains"); domain; domain = domain->next)
			put_domain(s->out, domain);
	}
}

/* --- BPF --------------------------------------------------------------------------------------------------------- */

static void put_bpf_part(struct section *s, const struct perfdata_node *prog, uint64_t part,
			 const struct perfdata_node *address, const struct perfdata_node *size)
{
	const struct header_text_source *source = s->source;
	const struct perfdata_feature *btf = source && source->feature ?
		source->feature(source->user, PERFDATA_FEATURE_BPF_BTF) : NULL;

	pd_bpf_part_name(prog, part, btf, s->out);
	perfdata_text_printf(s->out, " addr 0x%" PRIx64 " size %" PRIu64 "\n", address->v.u, size->v.u);
}

static void put_bpf_prog(struct section *s, const struct perfdata_node *prog)
{
	const struct perfdata_node *address = elements_of(prog, "jited_ksyms"),
				   *size = elements_of(prog, "jited_func_lens");
	uint64_t id = number_of(perfdata_node_get(prog, "info"), "id"), parts = count_of(prog, "jited_ksyms");

	/* perf prints only programs that are loaded */
	if (!parts || count_of(prog, "prog_tags") != parts || count_of(prog, "jited_func_lens") != parts)
		return;
	if (parts == 1) {
		perfdata_text_printf(s->out, "# bpf_prog_info %" PRIu64 ": ", id);
		put_bpf_part(s, prog, 0, address, size);
		return;
	}
	perfdata_text_printf(s->out, "# bpf_prog_info %" PRIu64 ":\n", id);
	for (uint64_t i = 0; address && size; i++, address = address->next, size = size->next) {
		perfdata_text_printf(s->out, "# \tsub_prog %" PRIu64 ": ", i);
		put_bpf_part(s, prog, i, address, size);
	}
}

static void put_bpf_prog_info(struct section *s)
{
	if (!count_of(s->root, "bpf_prog_info"))
		perfdata_text_literal(s->out, "# bpf_prog_info empty\n");
	for (const struct perfdata_node *prog = elements_of(s->root, "bpf_prog_info"); prog; prog = prog->next)
		put_bpf_prog(s, prog);
}

static void put_bpf_btf(struct section *s)
{
	if (!count_of(s->root, "bpf_btf"))
		perfdata_text_literal(s->out, "# btf info empty\n");
	for (const struct perfdata_node *n = elements_of(s->root, "bpf_btf"); n; n = n->next)
		perfdata_text_printf(s->out, "# btf info of id %" PRIu64 "\n", number_of(n, "id"));
}

/* --- all sections ------------------------------------------------------------------------------------------------ */

static const struct {
	void (*put)(struct section *s);
	bool is_long;      /* printed only with `full` */
} printers[PERFDATA_FEATURE_LAST] = {
	[PERFDATA_FEATURE_HOSTNAME] = { put_hostname, false },
	[PERFDATA_FEATURE_OSRELEASE] = { put_osrelease, false },
	[PERFDATA_FEATURE_VERSION] = { put_version, false },
	[PERFDATA_FEATURE_ARCH] = { put_arch, false },
	[PERFDATA_FEATURE_NRCPUS] = { put_nrcpus, false },
	[PERFDATA_FEATURE_CPUDESC] = { put_cpudesc, false },
	[PERFDATA_FEATURE_CPUID] = { put_cpuid, false },
	[PERFDATA_FEATURE_TOTAL_MEM] = { put_total_mem, false },
	[PERFDATA_FEATURE_CMDLINE] = { put_cmdline, false },
	[PERFDATA_FEATURE_EVENT_DESC] = { put_event_desc, false },
	[PERFDATA_FEATURE_CPU_TOPOLOGY] = { put_cpu_topology, true },
	[PERFDATA_FEATURE_NUMA_TOPOLOGY] = { put_numa_topology, true },
	[PERFDATA_FEATURE_BRANCH_STACK] = { put_branch_stack, false },
	[PERFDATA_FEATURE_PMU_MAPPINGS] = { put_pmu_mappings, false },
	[PERFDATA_FEATURE_GROUP_DESC] = { put_group_desc, false },
	[PERFDATA_FEATURE_AUXTRACE] = { put_auxtrace, false },
	[PERFDATA_FEATURE_STAT] = { put_stat, false },
	[PERFDATA_FEATURE_CACHE] = { put_cache, true },
	[PERFDATA_FEATURE_SAMPLE_TIME] = { put_sample_time, false },
	[PERFDATA_FEATURE_MEM_TOPOLOGY] = { put_mem_topology, true },
	[PERFDATA_FEATURE_CLOCKID] = { put_clockid, false },
	[PERFDATA_FEATURE_DIR_FORMAT] = { put_dir_format, false },
	[PERFDATA_FEATURE_BPF_PROG_INFO] = { put_bpf_prog_info, false },
	[PERFDATA_FEATURE_BPF_BTF] = { put_bpf_btf, false },
	[PERFDATA_FEATURE_COMPRESSED] = { put_compressed, false },
	[PERFDATA_FEATURE_CPU_PMU_CAPS] = { put_cpu_pmu_caps, false },
	[PERFDATA_FEATURE_CLOCK_DATA] = { put_clock_data, false },
	[PERFDATA_FEATURE_HYBRID_TOPOLOGY] = { put_hybrid_topology, true },
	[PERFDATA_FEATURE_PMU_CAPS] = { put_pmu_caps, false },
	[PERFDATA_FEATURE_CPU_DOMAIN_INFO] = { put_cpu_domain_info, true },
	[PERFDATA_FEATURE_E_MACHINE] = { put_e_machine, false },
	[PERFDATA_FEATURE_CLN_SIZE] = { put_cln_size, false },
};

void pd_header_text_feature(struct perfdata_text *out, const struct perfdata_feature *feature, bool full,
			    const struct header_text_source *source)
{
	uint32_t id = pd_feature_id(feature);
	struct section section = { out, perfdata_feature_root(feature), pd_feature_bytes(feature).size, source };

	if (id >= COUNT_OF(printers) || !printers[id].put)
		return;
	if (full || !printers[id].is_long)
		printers[id].put(&section);
	else
		perfdata_text_printf(out, "# %s info available, use -I to display\n",
				     perfdata_feature_layout(id)->perf_name);
}

/* --- a whole header ---------------------------------------------------------------------------------------------- */

void pd_header_text_begin(struct perfdata_text *out, const struct perfdata_header *header)
{
	time_t mtime = (time_t)header->mtime;
	char date[64];

	perfdata_text_literal(out, "# ========\n# captured on    : ");
	if (ctime_r(&mtime, date))
		perfdata_text_string(out, date);
	else
		perfdata_text_char(out, '\n');
	perfdata_text_printf(out, "# header version : %d\n", header->version == 1 ? 0 : 1);
	perfdata_text_printf(out, "# data offset    : %" PRIu64 "\n", header->data.offset);
	perfdata_text_printf(out, "# data size      : %" PRIu64 "\n", header->data.size);
	perfdata_text_printf(out, "# feat offset    : %" PRIu64 "\n", header->data.offset + header->data.size);
}

static const struct perfdata_feature *reader_feature(const void *user, uint32_t id)
{
	const struct perfdata_feature_section *section = perfdata_reader_feature(user, id);
	return section ? section->feature : NULL;
}

static bool reader_event_name(const void *user, size_t index, struct perfdata_text *out)
{
	const struct perfdata_event *event = index < perfdata_reader_nr_events(user)
						     ? perfdata_reader_event(user, index)
						     : NULL;
	if (event && event->name_source == PERFDATA_NAME_META_INFO)
		perfdata_event_fallback_name(event->attr, out);
	else if (event)
		perfdata_text_string(out, event->name);
	return event;
}

static const struct perfdata_feature *names_feature(const void *user, uint32_t id)
{
	const struct event_names *names = user;
	return reader_feature(names->reader, id);
}

static const struct perfdata_event *event_at(const struct event_names *names, size_t index)
{
	return index < perfdata_reader_nr_events(names->reader) ? perfdata_reader_event(names->reader, index) : NULL;
}

static bool names_event_name(const void *user, size_t index, struct perfdata_text *out)
{
	const struct perfdata_event *event = event_at(user, index);
	if (event)
		pd_event_names_append(user, event, out);
	return event;
}

static bool names_early_event_name(const void *user, size_t index, struct perfdata_text *out)
{
	const struct perfdata_event *event = event_at(user, index);
	if (event)
		pd_event_names_append_early(user, event, out);
	return event;
}

struct header_text_source pd_header_text_of_reader(const struct perfdata_reader *reader)
{
	return (struct header_text_source){ reader, reader_feature, reader_event_name };
}

struct header_text_source pd_header_text_of_names(const struct event_names *names, bool report)
{
	return (struct header_text_source){ names, names_feature, report ? names_event_name : names_early_event_name };
}

/* False for sections that are records: they stay so when perf inject converts a stream to a file. */
static bool is_section_of_file(const struct perfdata_header *header, const struct perfdata_feature_section *section)
{
	return section->offset < header->data.offset || section->offset - header->data.offset >= header->data.size;
}

void pd_header_text_end(struct perfdata_text *out, const struct perfdata_reader *reader)
{
	const struct perfdata_header *header = perfdata_reader_header(reader);
	const struct perfdata_feature_section *section;

	if (header->container != PERFDATA_CONTAINER_PIPE) {
		perfdata_text_literal(out, "# missing features: ");
		/* an unfinished recording has bits without sections */
		for (uint32_t id = 1; id < PERFDATA_FEATURE_LAST; id++)
			if (!(section = perfdata_reader_feature(reader, id)) || !is_section_of_file(header, section))
				perfdata_text_printf(out, "%s ", perfdata_feature_layout(id)->perf_name);
		perfdata_text_char(out, '\n');
	}
	perfdata_text_literal(out, "# ========\n#\n");
}

void perfdata_perf_header(struct perfdata_text *out, const struct perfdata_reader *reader, bool full)
{
	const struct perfdata_header *header = perfdata_reader_header(reader);
	struct header_text_source source = pd_header_text_of_reader(reader);
	const struct perfdata_feature_section *section;

	pd_header_text_begin(out, header);
	/* perf prints the header of a stream before it reads features */
	if (header->container != PERFDATA_CONTAINER_PIPE)
		for (size_t i = 0; (section = perfdata_reader_feature_at(reader, i)); i++)
			if (section->feature && is_section_of_file(header, section))
				pd_header_text_feature(out, section->feature, full, &source);
	pd_header_text_end(out, reader);
}
