/* SPDX-License-Identifier: MIT */
/* CPU numbers as perf prints them: a number that the recorded machine cannot have becomes 0. */
#ifndef EMIT_CPU_NUMBERS_H
#define EMIT_CPU_NUMBERS_H

#include "perfdata/feature.h"
#include "perfdata/reader.h"

/* The number of CPUs in the section NRCPUS; if it is missing, perf's maximum, which perf uses for files. (For streams
 * perf uses the number of CPUs of its own host.) */
static inline uint32_t pd_nr_cpus(const struct perfdata_feature *nrcpus)
{
	const struct perfdata_node *available = nrcpus ? perfdata_node_get(perfdata_feature_root(nrcpus), "available")
						       : NULL;
	return available && available->v.u ? (uint32_t)available->v.u : 4096;
}

static inline uint32_t pd_nr_cpus_of(const struct perfdata_reader *reader)
{
	const struct perfdata_feature_section *nrcpus = perfdata_reader_feature(reader, PERFDATA_FEATURE_NRCPUS);
	return pd_nr_cpus(nrcpus ? nrcpus->feature : NULL);
}

static inline uint32_t pd_shown_cpu(uint32_t cpu, uint32_t nr_cpus)
{
	return cpu != UINT32_MAX && cpu >= nr_cpus ? 0 : cpu;
}

#endif
