/* SPDX-License-Identifier: MIT */
/* The inside of a run.
 *
 * Batches pass through a ring of slots, counted by numbers that only grow: written <= formatted <= filled. Every thread
 * looks for something to do, in this order: write what is next, encode or format what waits, and, the calling thread
 * only, fetch another batch. So there are exactly as many threads as jobs, with one job there is none but the caller,
 * and the program's callbacks (findings of the reader and of formatting) all come in the calling thread.
 *
 * One thread at a time has the writer's role: whoever has it merges, and sends bytes on their lane to the output. The
 * text of a batch leaves in blocks. Those of the batch that is next in order go to the lane at once, from the thread
 * that formats it; those of later batches wait in the slot. They may take so much memory and no more: a thread that has
 * no room left waits until its batch is next, and writes and encodes for others meanwhile. The batch that is next needs
 * no room, so something always moves.
 *
 * Whatever fails is noted in its slot and takes effect when the writer gets there: what stands before it in the
 * recording is written in any case, what stands behind it never, and the outcome does not depend on the number of
 * threads. */
#ifndef PD_RUN_IMPL_H
#define PD_RUN_IMPL_H

#include "base/threads.h"
#include "perfdata/emit.h"
#include "run/lane.h"
#include "run/run_findings.h"
#include "session/session.h"
#include "text/outlet.h"

/* What a pipe may deliver before its first kernel record, at most, until meta is written without the rest. */
#define PD_RUN_BATCHES_BEFORE_BEGIN 64
#define PD_RUN_MOST_TARGETS 64u

/* Text leaves from this size on: it fits a second level cache, and a call of the system for each costs little beside
 * it. */
#define PD_RUN_BLOCK ((size_t)256 << 10)
/* What the blocks of batches that are not next may take, and what buffers that nobody uses may. */
#define PD_RUN_WAITING(jobs) (((size_t)8 << 20) + (jobs) * ((size_t)4 << 20))
#define PD_RUN_SPARE ((size_t)16 << 20)

enum pd_slot_state { PD_SLOT_FREE, PD_SLOT_FILLED, PD_SLOT_FORMATTING, PD_SLOT_DONE };

/* A block on its way, or a buffer that nobody uses. */
struct pd_block {
	struct pd_block *next;
	struct perfdata_text text;
};

struct pd_worker {
	/* For each target. Work is encoded while format waits for its text to leave: so encode has a scratch of its
	 * own. */
	struct perfdata_scratch *scratch, *encode_scratch;
	struct pd_encoder *encoder;
};

/* What one emitter appends to one of its outputs in one batch, or in begin or end. */
struct pd_stream {
	struct pd_outlet outlet;
	struct pd_run *run;
	struct pd_slot *slot;
	unsigned target, output;
	struct perfdata_text text;          /* begins behind the blocks */
	struct pd_block *first, *last;      /* left before their batch was next */
};

/* What a slot holds for one emitter. */
struct pd_share {
	void *value;                        /* of scan */
	void *part;                         /* for merge */
	struct pd_stream **streams;         /* by output; NULL: nothing was appended yet */
	size_t nr_streams;
};

struct pd_slot {
	enum pd_slot_state state;
	enum perfdata_status status;
	/* its thread has the writer's role, or there is no other: bytes go to their lane at once */
	bool ordered;
	uint64_t number;
	struct perfdata_batch *batch;
	struct pd_worker *worker;           /* whose thread appends to the streams */
	struct pd_share *shares;            /* for each target */
	struct pd_finding_queue found;         /* by the reader on its way here, and by the check of its records */
};

/* The outputs of an emitter, and the emitter. */
struct perfdata_outputs {
	struct pd_run *run;
	const struct perfdata_target *asked;
	const struct perfdata_emitter *emitter;
	void *state;
	bool begun;
	bool checks;                        /* its findings about records are those of the run */
	unsigned number;
	struct pd_lane **lanes;             /* by output */
	unsigned nr_lanes;
	size_t room_lanes;
};

struct pd_run {
	struct perfdata_session *session;
	const struct perfdata_run_options *options;
	struct perfdata_outputs *targets;
	unsigned nr_targets;
	bool checked;                       /* an emitter checks the records */
	struct pd_listener reader_listener; /* who is given what the reader finds */
	struct pd_finding_queue read;          /* what it found since the last batch; of the calling thread */
	bool read_lost;                     /* there was no memory for it */

	struct pd_monitor *monitor;
	struct pd_team *team;
	struct pd_worker *workers;          /* the caller's is the last */
	unsigned jobs;
	struct pd_slot outside;             /* for what begin and end append */

	/* Guarded by the monitor from here on. */
	struct pd_slot *slots;
	unsigned nr_slots;
	/* with a buffer, the one used last first, while it is in the caches; without one */
	struct pd_block *spares, *empty;
	size_t spare_bytes, waiting_bytes;
	uint64_t filled, formatted, written;
	bool reader_done;                    /* nothing more will be filled */
	bool writing;                       /* a thread has the writer's role */
	bool stopping;                      /* the writer met a failure: all leave */
	bool parallel;                      /* work is encoded, and pieces compressed, by all threads */
	struct pd_lane **encoders;          /* lanes whose bytes are encoded */
	unsigned nr_encoders;
	size_t room_encoders;
	struct pd_finding_queue found;

	enum perfdata_status lane_status;   /* why the writer could not send on; `error` says more. Stays */
	enum perfdata_status status;        /* the writer's, else the reader thread's */
	struct perfdata_error error;
	enum perfdata_status reader_status;
	struct perfdata_error reader_error;
	bool damaged;                       /* formatting found an ERROR */
	bool finding_lost;                  /* there was no memory for what formatting found */

	struct perfdata_batch *early[PD_RUN_BATCHES_BEFORE_BEGIN];   /* pulled before begin */
	unsigned nr_early, next_early;
};

static inline struct pd_slot *pd_run_slot(struct pd_run *run, uint64_t number)
{
	return &run->slots[number % run->nr_slots];
}

/* For failures that have no more to say than their status. */
enum perfdata_status pd_run_fail(struct perfdata_error *error, enum perfdata_status status);

/* --- run_reading.c: the calling thread --- */
/* Reads on until meta is complete, then begins. */
enum perfdata_status pd_run_start(struct pd_run *run);
/* Inside the monitor; fills slot number `filled`, which is free. */
void pd_run_fill(struct pd_run *run);
/* In begin and scan. */
enum perfdata_status pd_run_open_lane(struct perfdata_outputs *target, struct perfdata_output *output);

/* --- run_stream.c: texts of slots --- */
/* The stream of an output, made at first need; NULL without memory, or where there is no such output. */
struct pd_stream *pd_run_stream(struct pd_slot *slot, struct pd_run *run, unsigned target, unsigned output);
/* All that stands in the slot's streams of a target goes to the lanes: of a slot that failed only the blocks that left.
 * By who has the writer's role, outside of the monitor. */
enum perfdata_status pd_run_send(struct pd_slot *slot, unsigned target, bool only_blocks);
/* Buffers of the slot go back; inside the monitor. */
void pd_run_recycle(struct pd_run *run, struct pd_slot *slot);
void pd_run_free_streams(struct pd_run *run, struct pd_slot *slot);
void pd_run_free_blocks(struct pd_run *run);

/* --- run_write.c: the writer's role --- */
/* Inside the monitor; something is written or encoded, if there is anything: else false. */
bool pd_run_write_or_encode(struct pd_run *run, struct pd_worker *worker);
/* The same for the writer's role alone: what is next, or a piece. */
bool pd_run_write(struct pd_run *run, struct pd_worker *worker);
bool pd_run_encode(struct pd_run *run, struct pd_worker *worker);
/* Inside the monitor: the run ends with this. */
void pd_run_give_up(struct pd_run *run, enum perfdata_status status, const struct perfdata_error *error);
/* By who has the writer's role, outside of the monitor: bytes, or work, at the end of what the lane got so far.
 * run->error says why not. */
enum perfdata_status pd_run_to_lane(struct pd_run *run, struct pd_lane *lane, struct pd_worker *worker,
				    const char *bytes, size_t size);
enum perfdata_status pd_run_work_to_lane(struct pd_run *run, struct pd_lane *lane, struct pd_worker *worker,
					 void *work);
/* After the threads have left: writes the pieces that are on their way, up to a failure. */
void pd_run_drain(struct pd_run *run);
/* Whether nothing is on its way on any lane. */
bool pd_run_lanes_idle(const struct pd_run *run);

#endif
