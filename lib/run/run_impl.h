/* SPDX-License-Identifier: MIT */
/* How a run works.
 *
 * Batches pass through a ring of slots, counted by numbers that only grow: written <= formatted <= filled. Every thread
 * looks for something to do, in this order: write the next batch, encode or format a waiting batch, and, the calling
 * thread only, fetch another batch. So a run has as many threads as jobs; with one job, only the calling thread. The
 * calling thread also calls the program's callbacks (findings of the reader and of formatting).
 *
 * One thread at a time has the writer's role: it merges, and sends bytes on their lane to the output. The text of a
 * batch leaves in blocks. Blocks of the batch that is next in order go to the lane at once, from the thread that
 * formats it; blocks of later batches wait in the slot. The memory of waiting blocks is limited (PD_RUN_WAITING): a
 * thread that has no room left waits until its batch is next, and writes and encodes for others meanwhile. The batch
 * that is next needs no room, so the run cannot block.
 *
 * A failure is noted in its slot and takes effect when the writer gets there: the writer writes all batches before the
 * failure, and none after it, so the outcome does not depend on the number of threads. */
#ifndef PD_RUN_IMPL_H
#define PD_RUN_IMPL_H

#include "base/threads.h"
#include "perfdata/emit.h"
#include "run/lane.h"
#include "run/run.h"
#include "run/run_findings.h"
#include "session/session.h"
#include "text/outlet.h"

/* The run reads at most this many batches of a pipe before its first kernel record; then it writes meta without what
 * later batches would add. */
#define PD_RUN_BATCHES_BEFORE_BEGIN 64
#define PD_RUN_MOST_TARGETS 64u

/* Text leaves in blocks of at least this size: a block fits into a second-level cache, and a system call per block
 * costs little. */
#define PD_RUN_BLOCK ((size_t)256 << 10)
/* Limits the memory of blocks whose batch is not next, and of spare buffers. */
#define PD_RUN_WAITING(jobs) (((size_t)8 << 20) + (jobs) * ((size_t)4 << 20))
#define PD_RUN_SPARE ((size_t)16 << 20)

enum pd_slot_state { PD_SLOT_FREE, PD_SLOT_FILLED, PD_SLOT_FORMATTING, PD_SLOT_DONE };

/* A block on its way, or a spare buffer. */
struct pd_block {
	struct pd_block *next;
	struct perfdata_text text;
};

struct pd_worker {
	/* One for each target. `encode` has its own scratch, since a thread whose text waits for room encodes work in
	 * the middle of `format`. */
	struct perfdata_scratch *scratch, *encode_scratch;
	struct pd_encoder *encoder;
};

/* The text that one emitter appends to one of its outputs in one batch, or in begin or end. */
struct pd_text_stream {
	struct pd_outlet outlet;
	struct pd_run *run;
	struct pd_batch_slot *slot;
	unsigned target, output;
	struct perfdata_text text;          /* the bytes after the blocks */
	struct pd_block *first, *last;      /* full blocks that wait until the batch is next */
};

/* What a slot holds for one emitter. */
struct pd_share {
	void *value;                        /* from scan, for format */
	void *part;                         /* from format, for merge */
	struct pd_text_stream **streams;    /* by output; NULL: nothing was appended yet */
	size_t nr_streams;
};

struct pd_batch_slot {
	enum pd_slot_state state;
	enum perfdata_status status;
	/* the slot's thread has the writer's role, or is the only thread: bytes go directly to their lane */
	bool ordered;
	uint64_t number;
	struct perfdata_batch *batch;
	struct pd_worker *worker;           /* whose thread appends to the streams */
	struct pd_share *shares;            /* for each target */
	struct pd_finding_queue found;         /* findings of the reader before this batch, and about its records */
};

/* The outputs of an emitter, and the emitter. */
struct perfdata_outputs {
	struct pd_run *run;
	const struct perfdata_target *asked;
	const struct perfdata_emitter *emitter;
	const struct pd_encoding *encoding; /* or NULL */
	void *state;
	bool begun;
	bool checks;                        /* the run reports this emitter's findings about records */
	unsigned number;
	struct pd_lane **lanes;             /* by output */
	unsigned nr_lanes;
	size_t room_lanes;
};

struct pd_run {
	struct perfdata_session *session;
	const struct perfdata_run_options *options;
	struct pd_run_past *past;           /* or NULL */
	struct perfdata_outputs *targets;
	unsigned nr_targets;
	bool checked;                       /* an emitter checks the records */
	struct pd_listener reader_listener; /* the session's listener, which receives the reader's findings */
	struct pd_finding_queue read;          /* the reader's findings since the last batch; the calling thread's */
	bool read_lost;                     /* there was no memory for a finding of the reader */

	struct pd_monitor *monitor;
	struct pd_team *team;
	bool starts_threads_at_once;        /* they have work before there is a batch */
	struct pd_worker *workers;          /* the caller's is the last */
	unsigned jobs;
	struct pd_batch_slot outside;       /* for what begin and end append */

	/* Guarded by the monitor from here on. */
	struct pd_batch_slot *slots;
	unsigned nr_slots;
	/* spares: have a buffer; the last used is first, since it may be in the caches. empty: have no buffer */
	struct pd_block *spares, *empty;
	size_t spare_bytes, waiting_bytes;
	uint64_t filled, formatted, written;
	uint64_t rows;                      /* rows of targets whose caller does not count them */
	bool reader_done;                    /* no more slots will be filled */
	bool writing;                       /* a thread has the writer's role */
	bool stopping;                      /* the writer met a failure: all threads leave */
	bool parallel;                      /* all threads encode work and compress pieces */
	struct pd_lane **encoders;          /* lanes whose bytes are encoded */
	unsigned nr_encoders;
	size_t room_encoders;
	struct pd_finding_queue found;

	enum perfdata_status lane_status;   /* the first failure to send to a lane; details are in `error` */
	enum perfdata_status status;        /* the writer's, else the reader thread's */
	struct perfdata_error error;
	enum perfdata_status reader_status;
	struct perfdata_error reader_error;
	bool damaged;                       /* formatting found an error */
	bool finding_lost;                  /* there was no memory for a finding of formatting */

	struct perfdata_batch *early[PD_RUN_BATCHES_BEFORE_BEGIN];   /* pulled before begin */
	unsigned nr_early, next_early;
};

/* Whether the session was read before this run. */
static inline bool pd_run_is_read(const struct pd_run *run) { return run->past && run->past->is_read; }

static inline struct pd_batch_slot *pd_run_slot(struct pd_run *run, uint64_t number)
{
	return &run->slots[number % run->nr_slots];
}

/* Sets the error of a failure that has no more to say than its status. */
enum perfdata_status pd_run_fail(struct perfdata_error *error, enum perfdata_status status);

/* --- run_reading.c: the calling thread --- */
/* Pulls batches until meta is complete, then calls `begin` of all emitters. */
enum perfdata_status pd_run_start(struct pd_run *run);
/* Called inside the monitor; fills slot number `filled`, which is free. */
void pd_run_fill(struct pd_run *run);
/* Opens the lane of an output. Called in begin and scan. */
enum perfdata_status pd_run_open_lane(struct perfdata_outputs *target, struct perfdata_output *output);

/* --- run_stream.c: texts of slots --- */
/* Returns the stream of an output, which is made at first need; NULL: no memory, or no such output. */
struct pd_text_stream *pd_run_stream(struct pd_batch_slot *slot, struct pd_run *run, unsigned target, unsigned output);
/* Sends the contents of a target's streams to the lanes; only_blocks: without the text after the blocks, for a slot
 * that failed. Called by the thread that has the writer's role, outside of the monitor. */
enum perfdata_status pd_run_send(struct pd_batch_slot *slot, unsigned target, bool only_blocks);
/* Makes the slot's buffers spares; called inside the monitor. */
void pd_run_recycle(struct pd_run *run, struct pd_batch_slot *slot);
void pd_run_free_streams(struct pd_run *run, struct pd_batch_slot *slot);
void pd_run_free_blocks(struct pd_run *run);

/* --- run_write.c: the writer's role --- */
/* Called inside the monitor; writes or encodes something; false: there is nothing to write or encode. */
bool pd_run_write_or_encode(struct pd_run *run, struct pd_worker *worker);
/* Writes the next slot or a piece if no other thread has the writer's role; false: nothing was written. */
bool pd_run_write(struct pd_run *run, struct pd_worker *worker);
bool pd_run_encode(struct pd_run *run, struct pd_worker *worker);
/* Called inside the monitor: ends the run with this status. */
void pd_run_give_up(struct pd_run *run, enum perfdata_status status, const struct perfdata_error *error);
/* Append bytes, or work, to a lane; called by the thread that has the writer's role, outside of the monitor. run->error
 * describes a failure. */
enum perfdata_status pd_run_to_lane(struct pd_run *run, struct pd_lane *lane, struct pd_worker *worker,
				    const char *bytes, size_t size);
enum perfdata_status pd_run_work_to_lane(struct pd_run *run, struct pd_lane *lane, struct pd_worker *worker,
					 void *work);
/* Encodes and writes the pieces that are left in rings, up to a failure; called after the threads have ended. */
void pd_run_drain(struct pd_run *run);
/* Whether the rings of all lanes are empty. */
bool pd_run_lanes_idle(const struct pd_run *run);

#endif
