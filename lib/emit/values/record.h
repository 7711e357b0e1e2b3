/* SPDX-License-Identifier: MIT */
/* A record as outputs see it: the head that every record has (type, offset, event, time, …), the rows of its layout,
 * and what follows them. Each thread prepares plans and names once per record type or event. */
#ifndef EMIT_RECORD_H
#define EMIT_RECORD_H

#include <string.h>
#include "emit/values/emitted.h"
#include "emit/values/findings.h"
#include "emit/values/locations.h"
#include "emit/values/trace_plan.h"
#include "emit/values/value_world.h"

/* In the order of the output; the rows of the record's layout are between CPU and COMM. */
enum pd_record_head {
	HEAD_TYPE,
	HEAD_RECORDING,
	HEAD_TYPE_RAW,
	HEAD_OFFSET,
	HEAD_INNER,
	HEAD_FILE,
	HEAD_SIZE,
	HEAD_MISC,
	HEAD_MISC_RAW,
	HEAD_EVENT,
	HEAD_EVENT_UNKNOWN,
	HEAD_LATE,
	HEAD_AFTER_GAP,
	HEAD_TIME,
	HEAD_PID,
	HEAD_TID,
	HEAD_CPU,
	/* from here to HEAD_STACK_ID: of samples, where options ask for them */
	HEAD_COMM,
	HEAD_IP_AT,
	HEAD_ADDR_AT,
	HEAD_BRANCH_STACK_AT,
	HEAD_STACK,
	HEAD_STACK_ID,
	HEAD_SAMPLE_ID,
	HEAD_REST,
	HEAD_PROBLEM,
	HEAD_RAW_BYTES,
	HEAD_COUNT,
};

enum head_kind {
	HEAD_IS_ABSENT, HEAD_IS_NULL, HEAD_IS_U64, HEAD_IS_S64, HEAD_IS_TRUE,
	HEAD_IS_TEXT,      /* bytes */
	HEAD_IS_BYTES,     /* bytes, shown as hex */
	HEAD_IS_NAMES,     /* misc: see pd_record_misc_names */
	HEAD_IS_TRAILER,   /* the view record.sample_id */
	HEAD_IS_LOCATION,     /* number: a frame, or PERFDATA_NONE */
	HEAD_IS_BRANCHES,  /* a pair of locations for each branch */
	HEAD_IS_STACK,     /* that of the delivery */
};

/* What `schema` and `fields` print of a head. */
struct head_info {
	const char *name, *doc;
	enum head_kind kind;
	bool wide;         /* a 64-bit number */
	bool nullable;
	enum perfdata_unit unit;
};
const struct head_info *pd_record_head_info(enum pd_record_head head);
/* Heads that only samples have; rows of other records may have the same name. */
static inline bool record_head_of_samples(enum pd_record_head head)
{
	return head >= HEAD_COMM && head <= HEAD_STACK_ID;
}

struct head_value {
	enum head_kind kind;
	uint64_t number;
	struct perfdata_bytes bytes;
};

/* What is the same for all records of a run; made in begin. */
struct record_world {
	struct value_world values;
	struct pd_arena pool;
	const char *recording;
	bool name_files;               /* each line names its file */
	bool raw;                      /* each line holds the whole record in hex, too */
	uint16_t nr_files;
	uint32_t heads;                /* bits: heads of samples that the options ask for */
	bool stacks_by_id;
	unsigned locations;            /* LOCATION_BITs that the options ask for */
};
static inline bool pd_names_are_wanted(const struct record_world *world) { return world->heads >> HEAD_IP_AT & 1; }
bool pd_record_world_init(struct record_world *world, const struct perfdata_emit_context *context);
void pd_record_world_release(struct record_world *world);

#define RECORD_HEADER 8u               /* bytes before a record's body */

struct line;
struct event_plan {
	const struct perfdata_event *event;
	const struct trace_plan *trace;/* or NULL */
	/* plain: for plain samples in this machine's byte order; alike: for those without chains; or NULL */
	struct record_plan *plain, *alike;
	const struct line *recent;     /* the last line of those samples; or NULL */
};

struct record_plan {
	const struct plan *plan;       /* NULL: the record's type is unknown */
	const char *type;
	int time, pid, tid, cpu;       /* rows that are in the head, or -1 */
	int event_id;                  /* a row that names the event, or -1 */
	uint64_t callchain;            /* the bit of a sample's row, or 0 */
	uint64_t body;                 /* rows that are not in the head */
	uint64_t raw;                  /* the bit of a sample's raw data, or 0 */
	const void *selection;         /* the emitter's: its steps for this layout */
};

/* Plans of one thread. */
struct record_cache {
	struct pd_arena pool;
	struct record_plan *by_type[128];
	struct record_plan **others;   /* layouts that are not the usual one of their type, and unknown types */
	size_t nr_others, room_others;
	struct event_plan *events;     /* by the event's version */
	size_t nr_events;
	const struct plan *trailer;
	int trailer_time, trailer_pid, trailer_tid, trailer_cpu;
	struct pd_arena extra;             /* the emitter's */
	struct text_cache *locations;     /* made with the first location; or NULL */
	struct line_table *lines;      /* line.c's, which sets free_lines with it; or NULL */
	void (*free_lines)(struct line_table *lines);
};
bool pd_record_cache_init(struct record_cache *cache);
void pd_record_cache_release(struct record_cache *cache);
/* The cache in a scratch in which the emitter keeps nothing else. NULL without memory. */
struct record_cache *pd_record_cache_of(struct perfdata_scratch *scratch);

struct record {
	struct value_scope scope;
	void *writing;                 /* the writer's: what it needs where it meets the record again; or NULL */
	bool failed;                   /* memory ran out for what is wrong with it */
	const struct record_world *world;
	struct record_cache *cache;
	const struct perfdata_raw *raw;
	struct record_plan *plan;
	struct event_plan *event;      /* or NULL */
	bool damaged;
	struct perfdata_record view;
	struct perfdata_bytes fields;  /* a sample's raw data */
	const struct perfdata_batch *batch;         /* with delivery and emitted: set where options ask for names */
	const struct perfdata_delivery *delivery;   /* the record's first, or NULL */
	struct emitted_names emitted;
	struct {                       /* the last location that a cell needed a part of */
		uint32_t frame;
		unsigned loaded;       /* LOCATION_BITs; 0: none yet */
		struct location at;
	} place;
};
/* The fields of an event's samples; NULL: it is no tracepoint, or there is no memory. */
const struct trace_plan *pd_record_trace_plan(struct record_cache *cache, const struct perfdata_event *event);
/* Decodes the record, and adds its damage to `found`. False without memory. The caller has set world and cache. */
bool pd_record_load(struct record *r, const struct perfdata_raw *raw, struct found_batch **found);
/* Loads a sample of an event whose samples are alike, if the sample is whole, without decoding: r->view is not set.
 * False: the caller has to use pd_record_load. */
bool pd_record_load_alike(struct record *r, const struct perfdata_raw *raw);
/* The same for plain samples that may have chains, which it passes over. */
bool pd_record_load_plain(struct record *r, const struct perfdata_raw *raw);
/* Whether all fields of the tracepoint that are single integers are there, in this machine's byte order. */
bool pd_record_fields_are_whole(const struct record *r);
/* To be called when the record is written: adds raw data that was too short to `found`. */
void pd_record_done(struct record *r, struct found_batch **found);
struct head_value pd_record_head(const struct record *r, enum pd_record_head head);
/* The row of a sample that a head shows, or -1. Other records may have it in the trailer. */
int pd_record_row_of_head(const struct record *r, enum pd_record_head head);
/* The bit of the callchain's row where the stack's id gives all addresses of the chain; else 0. */
uint64_t pd_record_row_said_by_stack(const struct record *r);
/* Calls `add` with the name of each bit in misc. */
void pd_record_misc_names(const struct record *r, void (*add)(void *user, const char *name), void *user);

#endif
