/* SPDX-License-Identifier: MIT */
/* What spelling as JSON depends on beside the value, and the spelling of small values. */
#ifndef EMIT_SPELL_WORLD_H
#define EMIT_SPELL_WORLD_H

#include <string.h>
#include "perfdata/emit.h"
#include "emit/model/plan.h"
#include "text/decimal.h"
#include "text/spelling.h"

#define EMIT_MAX_REGISTERS 64

struct id_name {
	uint64_t id;
	const struct perfdata_event *event;
};

struct speller;
/* What spelling depends on beside the record: the same for a whole run. begin makes it, all threads read it. */
struct spell_world {
	const struct perfdata_reader *reader;
	bool int64_string;
	const char *recording;         /* shown in each line, where several share an output; or NULL */
	uint32_t nr_cpus_avail;
	struct key registers[EMIT_MAX_REGISTERS];    /* `,"ax":"0x` */
	struct id_name *ids;                         /* ascending; of the events known in begin */
	size_t nr_ids;
	/* Spells the section in the payload of a FEATURE record: sections hold attrs, which are spelled by rows as
	 * records are. */
	void (*feature)(struct speller *s, uint32_t id, struct perfdata_bytes payload);
};
/* False without memory. */
bool pd_world_init(struct spell_world *world, struct pd_arena *pool, const struct perfdata_reader *reader,
		   void (*feature)(struct speller *s, uint32_t id, struct perfdata_bytes payload));
void pd_world_release(struct spell_world *world);
/* The event of an id, among the events known in begin; NULL for other ids. Any thread. */
const struct perfdata_event *pd_world_event(const struct spell_world *world, uint64_t id);

struct trace_plan;
struct speller {
	const struct spell_world *world;
	struct perfdata_text *out;
	const struct trace_plan *trace;      /* of the record's event, or NULL */
	enum perfdata_byte_order order;           /* of the record */
	bool swap;                           /* `order` is not this machine's */
	/* fields of tracepoints go into a cell of CSV, where each quote is written twice */
	bool doubled;
	bool trace_damaged;                  /* set when a tracepoint's raw data was too short */
};

/* An integer member as 64 bits: sign-extended for signed kinds. */
uint64_t pd_spell_integer(enum perfdata_kind kind, const void *member);
/* Turns the comma at `start` into the opening bracket, or appends that if nothing was written since; then appends the
 * closing bracket. */
void pd_spell_close(struct perfdata_text *out, size_t start, char open, char close);
void pd_spell_hex_string(struct perfdata_text *out, uint64_t value);             /* "0x…" */
void pd_spell_bytes_string(struct perfdata_text *out, struct perfdata_bytes bytes); /* "…" */
/* The name of a register: "AX"; "r40" where it has none; the second word of "XMM0" is "XMM0_high". */
#define SPELL_REGISTER_NAME 32
void pd_spell_register_name(enum perfdata_arch arch, unsigned bit, char *room);
/* A 64-bit number, as a string with --int64=string. */
void pd_spell_wide(struct speller *s, uint64_t value);

/* As pd_spell_hex_string, into room that the caller made for several numbers: at most 40 bytes each. */
static inline char *pd_hex_string_to(char *at, uint64_t value)
{
	memcpy(at, "\"0x", 3);
	at = pd_hex_to(at + 3, value);
	*at++ = '"';
	return at;
}

static inline char *pd_wide_to(char *at, uint64_t value, bool as_string, bool is_signed)
{
	if (as_string)
		*at++ = '"';
	at = is_signed ? pd_s64_to(at, (int64_t)value) : pd_u64_to(at, value);
	if (as_string)
		*at++ = '"';
	return at;
}

#endif
