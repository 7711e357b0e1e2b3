/* SPDX-License-Identifier: MIT */
/* What programs outside the tree may ask of a framed record, whose struct changes with the library. */
#include "perfdata/reader.h"
#include "reader/reader.h"

struct perfdata_bytes perfdata_raw_bytes(const struct perfdata_raw *raw)
{
	return (struct perfdata_bytes){ raw->bytes, raw->size };
}
uint32_t perfdata_raw_type(const struct perfdata_raw *raw) { return raw->type; }
uint16_t pd_raw_misc(const struct perfdata_raw *raw) { return raw->misc; }
const struct perfdata_event *perfdata_raw_event(const struct perfdata_raw *raw) { return raw->event; }
uint64_t pd_raw_offset(const struct perfdata_raw *raw) { return raw->offset; }
uint64_t pd_raw_inner(const struct perfdata_raw *raw) { return raw->inner; }
uint64_t pd_raw_number(const struct perfdata_raw *raw) { return raw->number; }
uint64_t perfdata_raw_time(const struct perfdata_raw *raw) { return raw->time; }
uint32_t perfdata_raw_cpu(const struct perfdata_raw *raw) { return raw->cpu; }
int32_t pd_raw_pid(const struct perfdata_raw *raw) { return raw->pid; }
int32_t pd_raw_tid(const struct perfdata_raw *raw) { return raw->tid; }
uint64_t pd_raw_payload(const struct perfdata_raw *raw) { return raw->payload; }
unsigned pd_raw_file(const struct perfdata_raw *raw) { return raw->file; }
uint32_t pd_raw_flags(const struct perfdata_raw *raw) { return raw->flags; }
