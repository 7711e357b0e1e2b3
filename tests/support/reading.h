/* SPDX-License-Identifier: MIT */
/* Reads recordings that were made in memory, and keeps the reader's records and findings. */
#ifndef TESTS_READING_H
#define TESTS_READING_H

#include <stdio.h>
#include <unistd.h>
#include "codec/codec.h"
#include "perfdata/reader.h"
#include "reader/reader.h"
#include "recording.h"
#include "unit.h"
#include "opening.h"

struct seen {
	uint32_t type, size;
	uint64_t offset, inner, number, time, hash;
	uint16_t flags, file;
	int event;                /* index of the event, or -1 */
	int32_t tid;
};

#define MAX_SEEN 8192

struct result {
	enum perfdata_status open, end;
	bool complete;
	size_t count;
	unsigned codes[1000];
	struct seen seen[MAX_SEEN];
	struct perfdata_header header;
	char names[RECORDING_EVENTS][32];
	size_t nr_events;
	char hostname[32];
};

static inline void count_finding(void *user, const struct perfdata_finding *finding)
{
	struct result *result = user;
	if (finding->code < 1000)
		result->codes[finding->code]++;
}

static inline uint64_t hash_of(const uint8_t *bytes, size_t size)
{
	uint64_t hash = 0xcbf29ce484222325ull;
	for (size_t i = 0; i < size; i++)
		hash = (hash ^ bytes[i]) * 0x100000001b3ull;
	return hash;
}

static inline void take_names(struct result *result, const struct perfdata_reader *reader)
{
	result->nr_events = perfdata_reader_nr_events(reader);
	for (size_t i = 0; i < result->nr_events && i < RECORDING_EVENTS; i++)
		snprintf(result->names[i], sizeof result->names[i], "%s", perfdata_reader_event(reader, i)->name);
	const char *hostname = perfdata_reader_feature_text(reader, PERFDATA_FEATURE_HOSTNAME);
	snprintf(result->hostname, sizeof result->hostname, "%s", hostname ? hostname : "");
}

static inline void read_all(struct result *result, struct perfdata_reader *reader)
{
	const struct perfdata_raw *raw;

	while ((result->end = perfdata_reader_next(reader, &raw)) == PERFDATA_OK) {
		if (result->count == MAX_SEEN)
			break;
		result->seen[result->count++] = (struct seen){
			.type = raw->type,
			.size = raw->size,
			.offset = raw->offset,
			.inner = raw->inner,
			.number = raw->number,
			.time = raw->time,
			.hash = hash_of(raw->bytes, raw->size),
			.flags = raw->flags,
			.file = raw->file,
			.event = raw->event ? (int)raw->event->index : -1,
			.tid = raw->tid,
		};
	}
	take_names(result, reader);
	result->header = *perfdata_reader_header(reader);
	result->complete = perfdata_reader_complete(reader);
	perfdata_reader_close(reader);
}

static inline struct perfdata_reader_options options_for(struct result *result, enum perfdata_record_order order)
{
	memset(result, 0, sizeof *result);
	return (struct perfdata_reader_options){ .size = sizeof(struct perfdata_reader_options), .order = order,
						 .on_finding = count_finding, .user = result };
}

static inline void read_memory(struct result *result, const void *bytes, size_t size, enum perfdata_record_order order)
{
	const struct perfdata_reader_options options = options_for(result, order);
	struct perfdata_reader *reader;

	result->open = open_memory(bytes, size, NULL, &options, &reader, NULL);
	if (result->open == PERFDATA_OK)
		read_all(result, reader);
}

static inline void read_recording(struct result *result, const struct recording *r)
{
	read_memory(result, r->data, r->size, PERFDATA_ORDER_FILE);
}

/* Reads the bytes through a pipe. */
static inline void read_pipe(struct result *result, const void *bytes, size_t size)
{
	const struct perfdata_reader_options options = options_for(result, PERFDATA_ORDER_FILE);
	struct perfdata_reader *reader;
	int fds[2];

	result->open = PERFDATA_EREAD;
	if (size > 65536 || pipe(fds) < 0)
		return;
	CHECK(write(fds[1], bytes, size) == (ssize_t)size);
	close(fds[1]);
	result->open = open_fd(fds[0], "-", &options, &reader, NULL);
	if (result->open == PERFDATA_OK)
		read_all(result, reader);
	close(fds[0]);
}

/* Whether both have the same kernel records, except for offsets and numbers. */
static inline bool same_records(const struct result *a, const struct result *b)
{
	size_t i = 0, j = 0;

	for (;; i++, j++) {
		while (i < a->count && a->seen[i].type >= PERFDATA_RECORD_USER_FIRST)
			i++;
		while (j < b->count && b->seen[j].type >= PERFDATA_RECORD_USER_FIRST)
			j++;
		if (i == a->count || j == b->count)
			return i == a->count && j == b->count;
		const struct seen *x = &a->seen[i], *y = &b->seen[j];
		if (x->type != y->type || x->size != y->size || x->time != y->time || x->event != y->event ||
		    x->tid != y->tid)
			return false;
		if (a->header.order == b->header.order && x->hash != y->hash)
			return false;
	}
}

#define SOME 49
static inline void some_records(struct recording *records, bool big)
{
	recording_init(records, big);
	recording_comm(records, 0, 0, 1, "init", 8);
	for (unsigned i = 0; i < 40; i++) {
		recording_sample(records, 10 * (1 + i % 2) + i / 2 % 2, 1000 + i * 10, i % 5);
		if (i % 8 == 3)
			recording_comm(records, 20, 1001 + i * 10, i % 5, "a longer name", 16);
		if (i % 16 == 7)
			recording_empty(records, PERFDATA_RECORD_FINISHED_ROUND);
	}
}

static inline size_t pack(enum pd_codec_kind kind, const void *bytes, size_t size, uint8_t *out, size_t room)
{
	struct pd_encoder *encoder = pd_encoder_new(kind, 0);
	size_t in_used = 0, out_used = 0;
	enum perfdata_status status = PERFDATA_OK;

	while (encoder && status == PERFDATA_OK)
		status = pd_encoder_run(encoder, bytes, size, &in_used, out, room, &out_used, true);
	pd_encoder_free(encoder);
	return status == PERFDATA_END ? out_used : 0;
}

static __attribute__((unused)) struct result result, other;

#endif
