/* SPDX-License-Identifier: MIT */
/* Builds pipe streams record by record and reads them through a session. */
#ifndef TESTS_SESSION_RECORDING_H
#define TESTS_SESSION_RECORDING_H

#include "perfdata/session.h"
#include "reader/reader.h"
#include "recording.h"
#include "unit.h"
#include "opening.h"

/* The fields in the trailer of records and in the first words of samples. */
#define STREAM_SAMPLE_TYPE \
	(PERFDATA_SAMPLE_IDENTIFIER | PERFDATA_SAMPLE_IP | PERFDATA_SAMPLE_TID | PERFDATA_SAMPLE_TIME)

struct stream_event {
	uint64_t id;
	uint64_t more;            /* bits of sample_type in addition to STREAM_SAMPLE_TYPE */
	uint64_t read_format, branch_type, regs_user;
	uint32_t type;            /* PERF_TYPE_* */
	uint64_t config;
	uint64_t flags;
};

static struct recording stream;
static uint64_t stream_time;      /* time of the next record; each record advances it by 1 */

static inline void stream_begin(void)
{
	recording_release(&stream);
	recording_init(&stream, false);
	recording_bytes(&stream, "PERFILE2", 8);
	recording_u64(&stream, 16);
	stream_time = 1000;
}

static inline void stream_event(const struct stream_event *event)
{
	const size_t start = recording_begin(&stream, PERFDATA_RECORD_ATTR, 0);
	recording_u32(&stream, event->type);
	recording_u32(&stream, RECORDING_ATTR);
	recording_u64(&stream, event->config);
	recording_u64(&stream, 1000);
	recording_u64(&stream, STREAM_SAMPLE_TYPE | event->more);
	recording_u64(&stream, event->read_format);
	recording_u64(&stream, event->flags | 1ull << PERFDATA_ATTR_SAMPLE_ID_ALL);
	recording_chars(&stream, "", 24);          /* wakeup, bp_type, config1, config2 */
	recording_u64(&stream, event->branch_type);
	recording_u64(&stream, event->regs_user);
	recording_chars(&stream, "", RECORDING_ATTR - 88);
	recording_u64(&stream, event->id);
	recording_end(&stream, start);
}

static inline void stream_plain_event(void) { stream_event(&(struct stream_event){ .id = 10 }); }

static inline void stream_trailer(size_t start, int32_t pid, int32_t tid)
{
	recording_u32(&stream, (uint32_t)pid);
	recording_u32(&stream, (uint32_t)tid);
	recording_u64(&stream, stream_time++);
	recording_u64(&stream, 10);
	recording_end(&stream, start);
}

static inline void stream_text(const char *text) { recording_chars(&stream, text, (strlen(text) + 8) & ~(size_t)7); }

static inline void stream_comm(uint16_t misc, int32_t pid, int32_t tid, const char *comm)
{
	const size_t start = recording_begin(&stream, PERFDATA_RECORD_COMM, misc);
	recording_u32(&stream, (uint32_t)pid);
	recording_u32(&stream, (uint32_t)tid);
	stream_text(comm);
	stream_trailer(start, pid, tid);
}

/* Appends a record of type FORK or EXIT. */
static inline void stream_task(uint32_t type, int32_t pid, int32_t tid, int32_t ppid, int32_t ptid)
{
	const size_t start = recording_begin(&stream, type, 0);
	recording_u32(&stream, (uint32_t)pid);
	recording_u32(&stream, (uint32_t)ppid);
	recording_u32(&stream, (uint32_t)tid);
	recording_u32(&stream, (uint32_t)ptid);
	recording_u64(&stream, stream_time);
	stream_trailer(start, ppid, ptid);
}

static inline void stream_mmap(uint16_t misc, int32_t pid, uint64_t addr, uint64_t len, uint64_t pgoff,
			       const char *filename)
{
	const size_t start = recording_begin(&stream, PERFDATA_RECORD_MMAP, misc);
	recording_u32(&stream, (uint32_t)pid);
	recording_u32(&stream, (uint32_t)pid);
	recording_u64(&stream, addr);
	recording_u64(&stream, len);
	recording_u64(&stream, pgoff);
	stream_text(filename);
	stream_trailer(start, pid, pid);
}

static inline void stream_ksymbol(uint64_t addr, uint32_t len, uint16_t flags, const char *name)
{
	const size_t start = recording_begin(&stream, PERFDATA_RECORD_KSYMBOL, 0);
	recording_u64(&stream, addr);
	recording_u32(&stream, len);
	recording_u16(&stream, 1);
	recording_u16(&stream, flags);
	stream_text(name);
	stream_trailer(start, -1, 0);
}

/* Appends the first words of a sample. Append the event's other fields, then call stream_sample_end. */
static inline size_t stream_sample_begin(uint16_t misc, uint64_t id, uint64_t ip, int32_t pid, int32_t tid)
{
	const size_t start = recording_begin(&stream, PERFDATA_RECORD_SAMPLE, misc);
	recording_u64(&stream, id);
	recording_u64(&stream, ip);
	recording_u32(&stream, (uint32_t)pid);
	recording_u32(&stream, (uint32_t)tid);
	recording_u64(&stream, stream_time++);
	return start;
}
static inline void stream_sample_end(size_t start) { recording_end(&stream, start); }
static inline void stream_sample(uint16_t misc, uint64_t ip, int32_t pid, int32_t tid)
{
	stream_sample_end(stream_sample_begin(misc, 10, ip, pid, tid));
}
static inline void stream_chain(const uint64_t *ips, size_t nr)
{
	recording_u64(&stream, nr);
	for (size_t i = 0; i < nr; i++)
		recording_u64(&stream, ips[i]);
}

/* --- reading --- */

#define MAX_TOLD 4096

/* A delivery, and the data of its batch that tests check. */
struct emitted {
	struct perfdata_delivery delivery;
	uint32_t type;
	uint32_t event;           /* index of the event, or UINT32_MAX */
	bool deferred;
	uint32_t branches[8];
};

struct walk {
	struct perfdata_reader *reader;
	struct perfdata_session *session;
	enum perfdata_status end;
	struct emitted emitted[MAX_TOLD];
	size_t nr;
	size_t nr_records;
	size_t stacks_differ;     /* deliveries with other steps than the stack of their id */
};

/* Whether the delivery's steps are those of the stack with its id. */
static inline bool same_stack(const struct perfdata_batch *batch, const struct perfdata_delivery *delivery)
{
	static struct perfdata_step by_id[4096];
	size_t nr, count = 0;
	const struct perfdata_step *steps = perfdata_batch_stack(batch, delivery, &nr);
	if (delivery->stack == PERFDATA_NONE)
		return true;
	if (perfdata_session_stack(batch->session, delivery->stack, by_id, 4096, &count) != PERFDATA_OK || count != nr)
		return false;
	return !memcmp(steps, by_id, (nr < 4096 ? nr : 4096) * sizeof *steps);
}

static inline void walk_open(struct walk *walk, const struct perfdata_session_options *options)
{
	const struct perfdata_reader_options reading = { .size = sizeof reading, .order = PERFDATA_ORDER_FILE };
	memset(walk, 0, sizeof *walk);
	walk->end = open_memory(stream.data, stream.size, NULL, &reading, &walk->reader, NULL);
	if (walk->end == PERFDATA_OK)
		walk->end = perfdata_session_open(walk->reader, options, &walk->session, NULL);
	struct perfdata_batch *batch;
	while (walk->end == PERFDATA_OK && (walk->end = perfdata_session_next(walk->session, &batch)) == PERFDATA_OK) {
		walk->nr_records += batch->nr_records;
		for (size_t i = 0; i < batch->nr_deliveries && walk->nr < MAX_TOLD; i++) {
			const struct perfdata_delivery *delivery = &batch->deliveries[i];
			struct emitted *emitted = &walk->emitted[walk->nr++];
			walk->stacks_differ += !same_stack(batch, delivery);
			*emitted = (struct emitted){ .delivery = *delivery,
						  .type = delivery->record->type,
						  .deferred = delivery->deferred,
						  .event = delivery->event ? delivery->event->index : UINT32_MAX };
			for (size_t at = 0; delivery->branches != PERFDATA_NONE && at < 8 &&
					    delivery->branches + at < batch->nr_frames;
			     at++)
				emitted->branches[at] = batch->frames[delivery->branches + at];
		}
		perfdata_batch_release(batch);
	}
}

#define ALL_NEEDS                                                                                          \
	(PERFDATA_NEED_RECORDS | PERFDATA_NEED_DELIVERIES | PERFDATA_NEED_THREADS | PERFDATA_NEED_FRAMES | \
	 PERFDATA_NEED_STACKS | PERFDATA_NEED_STACK_IDS)

static inline void walk_all(struct walk *walk)
{
	walk_open(walk, &(struct perfdata_session_options){ .size = sizeof(struct perfdata_session_options),
							    .needs = ALL_NEEDS,
							    .merge_deferred = true });
}
static inline void walk_close(struct walk *walk)
{
	CHECK_EQ(walk->stacks_differ, 0);
	perfdata_session_close(walk->session);
	if (walk->reader)
		perfdata_reader_close(walk->reader);
	walk->session = NULL;
	walk->reader = NULL;
}

/* Returns the n-th delivery of a SAMPLE record, counting silent ones; NULL: there are fewer. */
static inline const struct emitted *sample_at(const struct walk *walk, size_t n)
{
	for (size_t i = 0; i < walk->nr; i++)
		if (walk->emitted[i].type == PERFDATA_RECORD_SAMPLE && n-- == 0)
			return &walk->emitted[i];
	return NULL;
}

static inline const char *comm_at(const struct walk *walk, size_t n)
{
	const struct emitted *emitted = sample_at(walk, n);
	return emitted ? perfdata_session_comm(walk->session, emitted->delivery.comm) : NULL;
}

/* Returns "NAME+0xADDRESS" of a frame, in static storage. */
static inline const char *frame_text(const struct walk *walk, uint32_t frame)
{
	static char text[4][256];
	static unsigned next;
	char *out = text[next++ % 4];
	const struct perfdata_frame *at = perfdata_session_frame(walk->session, frame);
	if (!at)
		return "none";
	snprintf(out, sizeof text[0], "%s+0x%llx", perfdata_session_dso(walk->session, at->dso)->name,
		 (unsigned long long)at->address);
	return out;
}
static inline const char *ip_at(const struct walk *walk, size_t n)
{
	const struct emitted *emitted = sample_at(walk, n);
	return emitted ? frame_text(walk, emitted->delivery.ip) : NULL;
}

static inline void chain_sample(const uint64_t *ips, size_t nr, int32_t tid)
{
	const size_t start = stream_sample_begin(PERFDATA_CPUMODE_USER, 10, nr ? ips[0] : 0, 7, tid);
	stream_chain(ips, nr);
	stream_sample_end(start);
}

static inline void check_steps(const struct walk *walk, size_t sample, const uint64_t *ips, size_t nr)
{
	static struct perfdata_step steps[512];
	size_t count = 0;
	const struct emitted *emitted = sample_at(walk, sample);
	CHECK(emitted != NULL);
	if (!emitted)
		return;
	CHECK_EQ(perfdata_session_stack(walk->session, emitted->delivery.stack, steps, 512, &count),
		 nr ? PERFDATA_OK : PERFDATA_ABSENT);
	CHECK_EQ(count, nr);
	for (size_t i = 0; i < nr && i < count; i++)
		CHECK_EQ(steps[i].ip, ips[i]);
}

#define STEPS(...) (const uint64_t[]){ __VA_ARGS__ }, sizeof((const uint64_t[]){ __VA_ARGS__ }) / 8

#endif
