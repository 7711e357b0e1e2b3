/* SPDX-License-Identifier: MIT */
/* Samples of `perf record --off-cpu`: a BPF program writes them, and their raw data contain pid and tid. */
#ifndef PD_OFF_CPU_SAMPLE_H
#define PD_OFF_CPU_SAMPLE_H

#include <string.h>
#include "base/cursor.h"
#include "perfdata/reader.h"

/* First of the times that perf invents for samples that sum up waits. */
#define PD_OFF_CPU_SUMS_FROM UINT64_C(0xffffffff00000000)

struct pd_off_cpu_sample {
	int32_t pid, tid;
	uint64_t period;                     /* ns off the CPU */
	struct perfdata_list callchain;
};

static inline bool pd_is_off_cpu_event(const struct perfdata_event *event)
{
	const uint32_t type_software = 1;
	const uint64_t bpf_output = 10;
	return event->attr->type == type_software && event->attr->config == bpf_output &&
	       strncmp(event->name, "offcpu-time", strlen("offcpu-time")) == 0;
}

/* Reads the raw data of such a sample: pid, tid, period, length of the chain, chain, cgroup. False: the raw data has
 * another form. */
static inline bool pd_off_cpu_sample_read(struct perfdata_bytes raw, bool swap, struct pd_off_cpu_sample *ret)
{
	struct pd_cursor cursor = pd_cursor(raw.data, raw.size, swap);
	const uint32_t pid = pd_u32(&cursor), tid = pd_u32(&cursor);
	const uint64_t period = pd_u64(&cursor), nr = pd_u64(&cursor);
	if (cursor.failed || nr > pd_left(&cursor) / 8)
		return false;
	*ret = (struct pd_off_cpu_sample){
		.pid = (int32_t)pid,
		.tid = (int32_t)tid,
		.period = period,
		.callchain = { .data = cursor.at, .count = nr, .stride = 8, .swap = swap },
	};
	return true;
}

#endif
