/* SPDX-License-Identifier: MIT */
/* Spelling views as JSON by their rows. */
#ifndef EMIT_SPELL_H
#define EMIT_SPELL_H

#include "perfdata/emit.h"
#include "emit/model/plan.h"

#define EMIT_MAX_REGISTERS 64

struct id_name {
	uint64_t id;
	const struct perfdata_event *event;
};

/* What spelling depends on beside the record: the same for all of a run, made in begin, read by all threads. */
struct spell_world {
	const struct perfdata_reader *reader;
	bool int64_string;
	uint32_t nr_cpus_avail;
	struct key registers[EMIT_MAX_REGISTERS];    /* `,"ax":"0x` */
	struct id_name *ids;                         /* ascending; of the events known at begin */
	size_t nr_ids;
};
/* False without memory. */
bool pd_world_init(struct spell_world *world, struct pool *pool, const struct perfdata_reader *reader);
void pd_world_release(struct spell_world *world);
/* The event of an id, among those known at begin; NULL for others. Any thread. */
const struct perfdata_event *pd_world_event(const struct spell_world *world, uint64_t id);

struct trace_plan;
struct speller {
	const struct spell_world *world;
	struct perfdata_text *out;
	const struct trace_plan *trace;      /* of the record's event, or NULL */
	enum perfdata_byte_order order;           /* of the record */
	bool swap;                           /* not this machine's */
	bool doubled;                        /* fields of tracepoints stand inside a cell of CSV, where quotes are written twice */
	bool trace_damaged;                  /* set when a tracepoint's raw data was too short */
};

/* Appends `,"key":value`, with `,"key_raw":…` or `,"key_hex":…` where the value needs it. */
void pd_spell_member(struct speller *s, const struct row *row, const void *view);
/* All rows of the view whose bit is in `present`. */
void pd_spell_members(struct speller *s, const struct plan *plan, uint64_t present, const void *view);
/* The value alone. False: text that was not valid UTF-8. */
bool pd_spell_value(struct speller *s, const struct row *row, const void *view);
/* An object with all rows that are present. */
void pd_spell_object(struct speller *s, const struct plan *plan, uint64_t present, const void *view);

/* An integer member as 64 bits: sign-extended for signed kinds. */
uint64_t pd_spell_integer(enum perfdata_kind kind, const void *member);
/* Makes the comma at `start` an opening bracket, or appends both brackets if nothing was written; then the closing one. */
void pd_spell_close(struct perfdata_text *out, size_t start, char open, char close);
void pd_spell_hex_string(struct perfdata_text *out, uint64_t value);             /* "0x…" */
void pd_spell_bytes_string(struct perfdata_text *out, struct perfdata_bytes bytes); /* "…" */
/* What a register is called: "AX"; "r40" without a name; the second word of "XMM0" is "XMM0_high". */
#define SPELL_REGISTER_NAME 32
void pd_spell_register_name(enum perfdata_arch arch, unsigned bit, char *room);
/* A number, as a string where 64-bit numbers are to be strings. */
void pd_spell_wide(struct speller *s, uint64_t value);

#endif
