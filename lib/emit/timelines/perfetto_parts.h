/* SPDX-License-Identifier: MIT */
/* The packets of one batch for Perfetto. Some are complete; samples still need their stacks, which refer to definitions
 * in earlier packets. */
#ifndef PD_PERFETTO_PARTS_H
#define PD_PERFETTO_PARTS_H

#include "perfdata/session.h"
#include "perfdata/text.h"

/* Sequences of packets. Ids of strings, frames and stacks are per sequence; samples of event i are in PERFETTO_SAMPLES
 * + i. */
enum { PERFETTO_PROCESSES = 1, PERFETTO_FTRACE, PERFETTO_TRACKS, PERFETTO_STATES, PERFETTO_SAMPLES };

/* Field numbers of a packet. */
enum {
	PACKET_FTRACE_EVENTS = 1,
	PACKET_PROCESS_TREE = 2,
	PACKET_TIMESTAMP = 8,
	PACKET_SEQUENCE = 10,
	PACKET_TRACK_EVENT = 11,
	PACKET_INTERNED = 12,
	PACKET_SEQUENCE_FLAGS = 13,
	PACKET_SYSTEM_INFO = 45,
	PACKET_DEFAULTS = 59,
	PACKET_TRACK_DESCRIPTOR = 60,
	PACKET_PERF_SAMPLE = 66,
	PACKET_TASK_STATE = 117,
};

enum perfetto_kind {
	PERFETTO_DONE,               /* `bytes` has complete packets */
	PERFETTO_SAMPLE,
	PERFETTO_INSTANT,            /* `bytes` is a track event; the thread's track is added to it */
	PERFETTO_STATE,              /* a thread is switched in or out */
	PERFETTO_SLICE,              /* `bytes` begins a slice of length `weight` on the thread's track */
	PERFETTO_REQUEST,            /* as SLICE, on a track below the thread's: disk requests overlap */
	PERFETTO_WAKER,              /* an INSTANT of the waker; the next row is WOKEN */
	PERFETTO_WOKEN,              /* an INSTANT when the thread gets a CPU; the flow from the waker ends here */
};

struct perfetto_row {
	uint64_t time;               /* ns as recorded */
	uint64_t weight;             /* of a sample: its period; of a slice: its length in ns */
	size_t bytes, nr_bytes;      /* range in the part's text */
	int32_t pid, tid;
	uint32_t thread, comm, cpu;  /* as in the delivery; UINT32_MAX: unknown */
	uint32_t event, node;        /* of a sample */
	/* the node's stack in the part's steps, innermost first; 0: an earlier row of the event has it */
	uint32_t steps, nr_steps;
	uint8_t kind;                /* enum perfetto_kind */
	uint8_t state;               /* of a sample: mode of the processor; of STATE: the thread's new state */
};

/* Records that say which thread runs. simpleperf samples sched_switch only when a thread of the recorded process leaves
 * the CPU; as a scheduler event, Perfetto would then show the next thread on this CPU for too long. */
enum perfetto_switches {
	PERFETTO_SWITCHES_ARE_EVENTS,     /* the scheduler's tracepoints, or SWITCH records if there are none */
	PERFETTO_SWITCHES_ARE_RECORDS,    /* SWITCH records */
	/* samples, in recordings of simpleperf before 2021: any other sample shows that its thread runs */
	PERFETTO_SWITCHES_ARE_SAMPLES,
};

struct perfetto_part {
	struct perfetto_row *rows;
	size_t nr, room;
	struct perfdata_step *steps;
	size_t nr_steps, steps_room;
	struct perfdata_text bytes;
	enum perfetto_switches switches;
	bool has_raw_calls;          /* raw_syscalls has all system calls: ignore events of single calls */
};

/* Whether the recording has an event of this tracepoint. */
bool pd_perfetto_has_event(const struct perfdata_reader *reader, const char *system, const char *name);

enum perfetto_switches pd_perfetto_switches(const struct perfdata_reader *reader);

/* Any thread. NULL without memory. */
struct perfetto_part *pd_perfetto_collect(const struct perfdata_reader *reader, const struct perfdata_batch *batch);
void pd_perfetto_part_free(void *part);

/* Appends a packet of the sequence with one message. time: UINT64_MAX means none. */
void pd_perfetto_packet(struct perfdata_text *out, uint32_t sequence, uint64_t time, unsigned field,
			const struct perfdata_text *message);

#endif
