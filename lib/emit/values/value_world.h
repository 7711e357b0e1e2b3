/* SPDX-License-Identifier: MIT */
/* Facts about events, CPUs and registers that reading values needs besides bytes. */
#ifndef EMIT_VALUE_WORLD_H
#define EMIT_VALUE_WORLD_H

#include "perfdata/emit.h"
#include "emit/values/plan.h"

struct id_name {
	uint64_t id;
	const struct perfdata_event *event;
};

/* Facts of a whole run: begin makes them, all threads read them. */
struct value_world {
	const struct perfdata_reader *reader;
	uint32_t nr_cpus_avail;
	struct id_name *ids;           /* sorted; of the events known in begin */
	size_t nr_ids;
};
/* False without memory. */
bool pd_value_world_init(struct value_world *world, const struct perfdata_reader *reader);
void pd_value_world_release(struct value_world *world);
/* The event with an id, among those known in begin; or NULL. Any thread. */
const struct perfdata_event *pd_value_event(const struct value_world *world, uint64_t id);

/* Facts for reading the values of a record. */
struct trace_plan;
struct value_scope {
	const struct value_world *world;
	const struct trace_plan *trace; /* of the record's event, or NULL */
	enum perfdata_byte_order order; /* of the record */
	bool swap;                      /* true: the order is not this machine's */
	bool trace_damaged;             /* set if the raw data of a tracepoint was too short */
};

/* The name of a register: "AX"; "r40" if it has none; "XMM0_high" for the second word of "XMM0". */
#define REGISTER_NAME 32
void pd_value_register_name(enum perfdata_arch arch, unsigned bit, char *room);

#endif
