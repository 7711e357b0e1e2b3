/* SPDX-License-Identifier: MIT */
/* Getters for a framed record: programs outside the tree do not know the layout of its struct, which may change. */
#include "perfdata/reader.h"
#include "reader/reader.h"

struct perfdata_bytes perfdata_raw_bytes(const struct perfdata_raw *raw)
{
	return (struct perfdata_bytes){ raw->bytes, raw->size };
}
uint32_t perfdata_raw_type(const struct perfdata_raw *raw) { return raw->type; }
const struct perfdata_event *perfdata_raw_event(const struct perfdata_raw *raw) { return raw->event; }
uint64_t perfdata_raw_time(const struct perfdata_raw *raw) { return raw->time; }
uint32_t perfdata_raw_cpu(const struct perfdata_raw *raw) { return raw->cpu; }
