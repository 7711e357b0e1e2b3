/* SPDX-License-Identifier: MIT */
/* Feature sections of a recording's header: host, command, topologies, build-ids and others, decoded into trees.
 *
 * The tree has a node for each row of the section's layout (perfdata_feature_layout of perfdata/schema.h).
 * perfdata_reader_feature() returns decoded sections. There is no I/O here. */
#ifndef PERFDATA_FEATURE_H
#define PERFDATA_FEATURE_H

#include "perfdata/schema.h"

#ifdef __cplusplus
extern "C" {
#endif

enum perfdata_feature_id {
	PERFDATA_FEATURE_TRACING_DATA = 1, PERFDATA_FEATURE_BUILD_ID, PERFDATA_FEATURE_HOSTNAME,
	PERFDATA_FEATURE_OSRELEASE, PERFDATA_FEATURE_VERSION, PERFDATA_FEATURE_ARCH, PERFDATA_FEATURE_NRCPUS,
	PERFDATA_FEATURE_CPUDESC, PERFDATA_FEATURE_CPUID, PERFDATA_FEATURE_TOTAL_MEM, PERFDATA_FEATURE_CMDLINE,
	PERFDATA_FEATURE_EVENT_DESC, PERFDATA_FEATURE_CPU_TOPOLOGY, PERFDATA_FEATURE_NUMA_TOPOLOGY,
	PERFDATA_FEATURE_BRANCH_STACK, PERFDATA_FEATURE_PMU_MAPPINGS, PERFDATA_FEATURE_GROUP_DESC,
	PERFDATA_FEATURE_AUXTRACE, PERFDATA_FEATURE_STAT, PERFDATA_FEATURE_CACHE, PERFDATA_FEATURE_SAMPLE_TIME,
	PERFDATA_FEATURE_MEM_TOPOLOGY, PERFDATA_FEATURE_CLOCKID, PERFDATA_FEATURE_DIR_FORMAT,
	PERFDATA_FEATURE_BPF_PROG_INFO, PERFDATA_FEATURE_BPF_BTF, PERFDATA_FEATURE_COMPRESSED,
	PERFDATA_FEATURE_CPU_PMU_CAPS, PERFDATA_FEATURE_CLOCK_DATA, PERFDATA_FEATURE_HYBRID_TOPOLOGY,
	PERFDATA_FEATURE_PMU_CAPS, PERFDATA_FEATURE_CPU_DOMAIN_INFO, PERFDATA_FEATURE_E_MACHINE,
	PERFDATA_FEATURE_CLN_SIZE, PERFDATA_FEATURE_LAST,
	/* sections of Android's simpleperf; perf ignores them */
	PERFDATA_FEATURE_FILE = 128, PERFDATA_FEATURE_META_INFO, PERFDATA_FEATURE_DEBUG_UNWIND,
	PERFDATA_FEATURE_DEBUG_UNWIND_FILE, PERFDATA_FEATURE_FILE2, PERFDATA_FEATURE_ETM_BRANCH_LIST,
	PERFDATA_FEATURE_INIT_MAP, PERFDATA_FEATURE_SIMPLEPERF_LAST,
	/* section of this library, which perf ignores: how a repaired or merged recording was made */
	PERFDATA_FEATURE_NOTE = 250,
};

/* A feature section is small and nested, so it is decoded into a tree. */
struct perfdata_node {
	/* row of the layout; its name is NULL for plain values in a list. NULL for the root and for STRUCTs in a
	 * list */
	const struct perfdata_field *field;
	enum perfdata_kind kind;              /* an integer kind, F64, STRING, BYTES, BITMAP, ATTR, STRUCT or LIST */
	union {
		uint64_t u;                   /* unsigned and signed integers alike; cast for signed kinds */
		double f;
		struct perfdata_bytes bytes;  /* STRING (without NUL; TEXT and CHARS become STRING), BYTES, and
					       * BITMAP: bit n is data[n / 8] >> n % 8 & 1 */
		const struct perfdata_attr *attr;
		uint64_t count;               /* LIST: number of children */
	} v;
	const struct perfdata_node *child;    /* first member of a STRUCT, first element of a LIST */
	const struct perfdata_node *next;
};

struct perfdata_feature;   /* a decoded feature section; owns its tree and a copy of the section's bytes */

/* The root: a STRUCT whose children are the section's fields. A section with one value ("hostname", "cmdline", …) has
 * one child, which has the section's name. */
PERFDATA_API const struct perfdata_node *perfdata_feature_root(const struct perfdata_feature *feature);
/* The member of a STRUCT node by name, or NULL (also when node is NULL). */
PERFDATA_API const struct perfdata_node *perfdata_node_get(const struct perfdata_node *node, const char *name);

#ifdef __cplusplus
}
#endif

#endif
