/* SPDX-License-Identifier: MIT */
/* The packets of one batch for Perfetto: some are complete in themselves; samples have stacks, which refer to what
 * earlier packets defined. */
#ifndef PD_PERFETTO_PARTS_H
#define PD_PERFETTO_PARTS_H

#include "perfdata/session.h"
#include "perfdata/text.h"

/* The sequences of packets. Ids of strings, frames and stacks count inside a sequence; samples of event i are in
 * PERFETTO_SAMPLES + i. */
enum { PERFETTO_PROCESSES = 1, PERFETTO_FTRACE, PERFETTO_TRACKS, PERFETTO_STATES, PERFETTO_SAMPLES };

/* Numbers of fields of a packet. */
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
	PERFETTO_DONE,               /* the packets in `bytes` are whole */
	PERFETTO_SAMPLE,
	PERFETTO_INSTANT,            /* `bytes` is a track event without its track, which is the thread's */
	PERFETTO_STATE,              /* a thread is switched in or out */
	PERFETTO_SLICE,              /* `bytes` begins a slice on the thread's track; it lasts `weight` */
	PERFETTO_REQUEST,            /* the same on a track below: requests of disks go side by side */
	PERFETTO_WAKER,              /* an INSTANT of who wakes a thread; the next row is the WOKEN of that thread */
	PERFETTO_WOKEN,              /* an INSTANT where the thread gets a CPU; a flow leads from the waker to it */
};

struct perfetto_row {
	uint64_t time;               /* ns as recorded */
	uint64_t weight;             /* of a sample: its period; of a slice: how long it lasts */
	size_t bytes, nr_bytes;      /* in the part's text */
	int32_t pid, tid;
	uint32_t thread, comm, cpu;  /* as the delivery has them; UINT32_MAX: unknown */
	uint32_t event, node;        /* of a sample */
	/* steps of the part, callee first: the stack of the node; 0 where an earlier row of the event has them */
	uint32_t steps, nr_steps;
	uint8_t kind;                /* enum perfetto_kind */
	uint8_t state;               /* of a sample: mode of the processor; of a STATE: the thread's new state */
};

/* The records that say which thread runs. simpleperf samples sched_switch when a thread of the recorded process leaves
 * the CPU: written as an event of the scheduler, Perfetto would show the next thread on this CPU from then on. */
enum perfetto_switches {
	PERFETTO_SWITCHES_ARE_EVENTS,     /* the scheduler's tracepoints, or SWITCH records where there are none */
	PERFETTO_SWITCHES_ARE_RECORDS,    /* SWITCH records */
	PERFETTO_SWITCHES_ARE_SAMPLES,    /* of simpleperf before 2021: any other sample proves that its thread runs */
};

struct perfetto_part {
	struct perfetto_row *rows;
	size_t nr, room;
	struct perfdata_step *steps;
	size_t nr_steps, steps_room;
	struct perfdata_text bytes;
	enum perfetto_switches switches;
	bool has_raw_calls;          /* raw_syscalls has each system call: events of one call add none */
};

/* Whether the recording has this tracepoint. */
bool pd_perfetto_has_event(const struct perfdata_reader *reader, const char *system, const char *name);

enum perfetto_switches pd_perfetto_switches(const struct perfdata_reader *reader);

/* Any thread. NULL without memory. */
struct perfetto_part *pd_perfetto_collect(const struct perfdata_reader *reader, const struct perfdata_batch *batch);
void pd_perfetto_part_free(void *part);

/* Appends a packet of the sequence: a timestamp (UINT64_MAX: none) and one message. */
void pd_perfetto_packet(struct perfdata_text *out, uint32_t sequence, uint64_t time, unsigned field,
			const struct perfdata_text *message);

#endif
