/* SPDX-License-Identifier: MIT */
/* Samples that the reader counts but does not return, since a session learns nothing from them: nobody needs samples of
 * their event, and the session knows their threads from samples that were returned before. */
#ifndef PD_PASSED_SAMPLES_H
#define PD_PASSED_SAMPLES_H

#include <stdatomic.h>
#include "base/cursor.h"
#include "reader/reader.h"

#define PD_SEEN_THREADS 256u     /* a power of two */

/* Offsets in bytes from the start of a sample; its last field may be raw data. */
struct pd_passed_layout {
	uint16_t end;                /* of the fixed words; 0: samples of the event are not passed over */
	uint16_t time_at, tid_at;
	uint16_t cpu_at;             /* 0: no CPU is recorded */
	uint32_t after;              /* index of an event that must have had a returned sample before; PD_AFTER_NONE */
	bool has_raw;
};
#define PD_AFTER_NONE UINT32_MAX
struct pd_passed_event {
	struct pd_passed_layout layout;
	uint64_t since;              /* least time of its samples that were returned; UINT64_MAX: none was */
	_Atomic uint64_t nr_passed;  /* the thread that reads counts, any thread reads the count */
	uint64_t nr_taken;           /* for pd_reader_take_passed */
};
/* A thread that has had a returned sample since the last EXIT or FORK record. */
struct pd_seen_thread {
	uint64_t time;               /* of the sample; UINT64_MAX: no thread */
	int32_t pid, tid;
	uint32_t cpu;                /* the CPU's later samples come later in the file, too */
};
struct pd_passed_samples {
	/* of all passed samples; file_bytes: of those that are not in COMPRESSED records */
	_Atomic uint64_t bytes, file_bytes, first_time, last_time;
	uint64_t taken_bytes;        /* for pd_reader_take_passed_sum */
	/* bytes of the last passed samples and of the last returned records; halved from time to time */
	uint64_t recently_passed, recently_returned;
	struct pd_chunk *gathered;   /* held: records copied by pd_passed_gather; or NULL */
	struct pd_seen_thread seen[PD_SEEN_THREADS];   /* by pd_seen_place */
	size_t nr_events;
	struct pd_passed_event events[];
};

static inline unsigned pd_seen_place(int32_t tid, uint32_t cpu)
{
	return ((uint32_t)tid ^ cpu * 61) % PD_SEEN_THREADS;
}

/* Whether the sample may be passed over. */
static inline __attribute__((always_inline)) bool pd_passed_allows(const struct pd_passed_samples *passed,
								   const struct pd_passed_event *event, bool swap,
								   const uint8_t *bytes, uint16_t size)
{
	const struct pd_passed_layout *layout = &event->layout;
	if (!layout->end || size < layout->end + 4u * layout->has_raw)
		return false;
	const size_t raw = layout->has_raw ? 4 + (size_t)pd_load32(bytes + layout->end, swap) : 0;
	const uint64_t time = pd_load64(bytes + layout->time_at, swap);
	const int32_t pid = (int32_t)pd_load32(bytes + layout->tid_at, swap),
		      tid = (int32_t)pd_load32(bytes + layout->tid_at + 4, swap);
	const uint32_t cpu = layout->cpu_at ? pd_load32(bytes + layout->cpu_at, swap) : UINT32_MAX;
	const struct pd_seen_thread *seen = &passed->seen[pd_seen_place(tid, cpu)];
	return layout->end + raw == size && time >= seen->time && time != UINT64_MAX && tid == seen->tid &&
	       pid == seen->pid && cpu == seen->cpu &&
	       (layout->after == PD_AFTER_NONE || time >= passed->events[layout->after].since);
}

/* One thread counts and any thread reads, so an atomic addition is not needed. */
static inline __attribute__((always_inline)) void pd_passed_add(_Atomic uint64_t *count, uint64_t more)
{
	atomic_store_explicit(count, atomic_load_explicit(count, memory_order_relaxed) + more, memory_order_relaxed);
}

/* Takes note of a sample that is returned. */
static inline void pd_passed_see(struct pd_passed_samples *passed, const struct perfdata_raw *raw)
{
	if (!raw->known_whole || !raw->time || raw->event->index >= passed->nr_events)
		return;
	struct pd_passed_event *event = &passed->events[raw->event->index];
	event->since = raw->time < event->since ? raw->time : event->since;
	passed->seen[pd_seen_place(raw->tid, raw->cpu)] =
		(struct pd_seen_thread){ .time = raw->time, .pid = raw->pid, .tid = raw->tid, .cpu = raw->cpu };
}

/* Copies records that are returned, all of one chunk, out of the chunk if most of its bytes are passed over: otherwise
 * few records would keep many chunks in memory. Without memory, the records stay where they are. */
void pd_passed_gather(struct perfdata_reader *reader, struct perfdata_raw *raws, unsigned nr);
void pd_passed_free(struct pd_passed_samples *passed);
/* Forgets all threads: one of them may have ended, or its number may belong to another thread now. */
void pd_passed_forget_threads(struct pd_passed_samples *passed);

#endif
