/* SPDX-License-Identifier: MIT */
/* What values are read with beside their bytes: what the recording says of events, CPUs and registers. */
#ifndef EMIT_VALUE_WORLD_H
#define EMIT_VALUE_WORLD_H

#include "perfdata/emit.h"
#include "emit/values/plan.h"

struct id_name {
	uint64_t id;
	const struct perfdata_event *event;
};

/* The same for a whole run: begin makes it, all threads read it. */
struct value_world {
	const struct perfdata_reader *reader;
	uint32_t nr_cpus_avail;
	struct id_name *ids;           /* ascending; of the events known in begin */
	size_t nr_ids;
};
/* False without memory. */
bool pd_value_world_init(struct value_world *world, const struct perfdata_reader *reader);
void pd_value_world_release(struct value_world *world);
/* The event of an id, among the events known in begin; NULL for other ids. Any thread. */
const struct perfdata_event *pd_value_event(const struct value_world *world, uint64_t id);

/* What a record's values are read with. */
struct trace_plan;
struct value_scope {
	const struct value_world *world;
	const struct trace_plan *trace; /* of the record's event, or NULL */
	enum perfdata_byte_order order; /* of the record */
	bool swap;                      /* `order` is not this machine's */
	bool trace_damaged;             /* set when a tracepoint's raw data was too short */
};

/* The name of a register: "AX"; "r40" where it has none; the second word of "XMM0" is "XMM0_high". */
#define REGISTER_NAME 32
void pd_value_register_name(enum perfdata_arch arch, unsigned bit, char *room);

#endif
