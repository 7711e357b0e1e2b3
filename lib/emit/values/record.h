/* SPDX-License-Identifier: MIT */
/* A record as outputs see it: heads, which every record has (type, offset, event, time, …), rows of its layout, further
 * heads. Each thread prepares plans and names once for each record type or event. */
#ifndef EMIT_RECORD_H
#define EMIT_RECORD_H

#include <string.h>
#include "emit/values/emitted.h"
#include "emit/values/findings.h"
#include "emit/values/locations.h"
#include "emit/values/trace_plan.h"
#include "emit/values/value_world.h"

/* Heads in the order of the output; rows of the layout are between CPU and COMM. */
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
	/* from here to HEAD_STACK_ID: of samples, if options select them */
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
	HEAD_IS_NAMES,     /* bits of misc: see pd_record_misc_names */
	HEAD_IS_TRAILER,   /* the view record.sample_id */
	HEAD_IS_LOCATION,     /* number: a frame id, or PERFDATA_NONE */
	HEAD_IS_BRANCHES,  /* a pair of locations for each branch */
	HEAD_IS_STACK,     /* the stack of the delivery */
};

/* What `schema` and `fields` print about a head. */
struct head_info {
	const char *name, *doc;
	enum head_kind kind;
	bool wide;         /* a 64-bit number */
	bool nullable;
	enum perfdata_unit unit;
};
const struct head_info *pd_record_head_info(enum pd_record_head head);
/* Whether only samples have the head; rows of other records may have the same name. */
static inline bool record_head_of_samples(enum pd_record_head head)
{
	return head >= HEAD_COMM && head <= HEAD_STACK_ID;
}

struct head_value {
	enum head_kind kind;
	uint64_t number;
	struct perfdata_bytes bytes;
};

/* What all records of a run share; made in begin. */
struct record_world {
	struct value_world values;
	struct pd_arena pool;
	const char *recording;
	bool name_files;               /* lines contain the name of the file */
	bool raw;                      /* lines contain the record's bytes in hex */
	uint16_t nr_files;
	uint32_t heads;                /* bits: selected heads of samples */
	bool stacks_by_id;
	unsigned locations;            /* selected LOCATION_BITs */
};
static inline bool pd_names_are_wanted(const struct record_world *world) { return world->heads >> HEAD_IP_AT & 1; }
bool pd_record_world_init(struct record_world *world, const struct perfdata_emit_context *context);
void pd_record_world_release(struct record_world *world);

#define RECORD_HEADER 8u               /* bytes before a record's body */

struct line;
struct event_plan {
	const struct perfdata_event *event;
	const struct trace_plan *trace;/* or NULL */
	/* plain: for plain samples in this machine's byte order; alike: if these have no chains; or NULL */
	struct record_plan *plain, *alike;
	uint32_t fields_at;            /* offset of the raw data's size in each whole sample; 0: it varies, or none */
	const struct line *recent;     /* last line of such samples; or NULL */
};

struct record_plan {
	const struct plan *plan;       /* NULL: unknown type */
	const char *type;
	int time, pid, tid, cpu;       /* indexes of the rows in the head of a line; -1: none */
	int event_id;                  /* index of the row with the event's id, or -1 */
	uint64_t callchain;            /* bit of a sample's row, or 0 */
	uint64_t body;                 /* bits of the other rows, after the head of the line */
	uint64_t raw;                  /* bit of a sample's raw data, or 0 */
	const void *selection;         /* the emitter's steps for this layout */
};

/* Plans of one thread. */
struct record_cache {
	struct pd_arena pool;
	struct record_plan *by_type[128];
	struct record_plan **others;   /* for older layouts and unknown types */
	size_t nr_others, room_others;
	struct event_plan *events;     /* by version of the event */
	size_t nr_events;
	const struct plan *trailer;
	int trailer_time, trailer_pid, trailer_tid, trailer_cpu;
	struct pd_arena extra;             /* the emitter's memory */
	struct text_cache *locations;     /* made at the first location; or NULL */
	struct line_table *lines;      /* line.c's, which sets free_lines too; or NULL */
	void (*free_lines)(struct line_table *lines);
};
bool pd_record_cache_init(struct record_cache *cache);
void pd_record_cache_release(struct record_cache *cache);
/* The cache in a scratch that the emitter uses for nothing else. NULL without memory. */
struct record_cache *pd_record_cache_of(struct perfdata_scratch *scratch);

struct record {
	struct value_scope scope;
	void *writing;                 /* state of a function that writes the record; or NULL */
	bool failed;                   /* memory for findings ran out */
	const struct record_world *world;
	struct record_cache *cache;
	const struct perfdata_raw *raw;
	struct record_plan *plan;
	struct event_plan *event;      /* or NULL */
	bool damaged;
	struct perfdata_record view;
	struct perfdata_bytes fields;  /* raw data of a sample */
	const struct perfdata_batch *batch;         /* set, with delivery and emitted, if options select names */
	const struct perfdata_delivery *delivery;   /* the record's first delivery, or NULL */
	struct emitted_names emitted;
	struct {                       /* the location that was looked up last */
		uint32_t frame;
		unsigned loaded;       /* LOCATION_BITs; 0: none yet */
		struct location at;
	} place;
};
/* The fields of an event's samples; NULL: the event is no tracepoint, or without memory. */
const struct trace_plan *pd_record_trace_plan(struct record_cache *cache, const struct perfdata_event *event);
/* Decodes the record, and adds findings about damage to `found`. Needs world and cache. False without memory. */
bool pd_record_load(struct record *r, const struct perfdata_raw *raw, struct found_batch **found);
/* Loads a complete sample, whose event has record_plan `alike`, without decoding: r->view is not set. False: call
 * pd_record_load instead. */
bool pd_record_load_alike(struct record *r, const struct perfdata_raw *raw);
/* As pd_record_load_alike, for plain samples, whose chains are ignored. */
bool pd_record_load_plain(struct record *r, const struct perfdata_raw *raw);
/* Whether the raw data has all single integers of the tracepoint, in this machine's byte order. */
bool pd_record_fields_are_whole(const struct record *r);
/* To be called after the record was written: adds a finding about raw data that was too short to `found`. */
void pd_record_done(struct record *r, struct found_batch **found);
struct head_value pd_record_head(const struct record *r, enum pd_record_head head);
/* The index of the sample's row that is this head, or -1. Other records may have it in the trailer. */
int pd_record_row_of_head(const struct record *r, enum pd_record_head head);
/* The bit of the callchain's row if the stack's id identifies all its addresses; else 0. */
uint64_t pd_record_row_said_by_stack(const struct record *r);
/* Calls `add` with the name of each bit in misc. */
void pd_record_misc_names(const struct record *r, void (*add)(void *user, const char *name), void *user);

#endif
