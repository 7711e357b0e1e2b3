/* SPDX-License-Identifier: MIT */
/* Builds whole recordings in memory: records first, then a container around them. */
#ifndef TESTS_RECORDING_H
#define TESTS_RECORDING_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "perfdata/feature.h"

#ifndef RECORDING_ROOM   /* a test may define more room */
#define RECORDING_ROOM (8u << 20)
#endif
#define RECORDING_SAMPLE_TYPE                                                                           \
	(PERFDATA_SAMPLE_IDENTIFIER | PERFDATA_SAMPLE_IP | PERFDATA_SAMPLE_TID | PERFDATA_SAMPLE_TIME | \
	 PERFDATA_SAMPLE_CPU)
#define RECORDING_EVENTS 2
#define RECORDING_ATTR 136

/* Event n has the ids 10 * (n + 1) and 10 * (n + 1) + 1. */
static const char *const recording_names[RECORDING_EVENTS] = { "first", "second" };

struct recording {
	bool big;
	size_t size;
	uint8_t *data;
};

static inline void recording_init(struct recording *r, bool big)
{
	r->big = big;
	r->size = 0;
	r->data = malloc(RECORDING_ROOM);
}
static inline void recording_release(struct recording *r) { free(r->data); }

static inline void recording_uint(struct recording *r, uint64_t v, unsigned width)
{
	for (unsigned i = 0; i < width && r->size < RECORDING_ROOM; i++)
		r->data[r->size++] = (uint8_t)(v >> 8 * (r->big ? width - 1 - i : i));
}
static inline void recording_u16(struct recording *r, uint16_t v) { recording_uint(r, v, 2); }
static inline void recording_u32(struct recording *r, uint32_t v) { recording_uint(r, v, 4); }
static inline void recording_u64(struct recording *r, uint64_t v) { recording_uint(r, v, 8); }
static inline void recording_bytes(struct recording *r, const void *bytes, size_t size)
{
	if (size > RECORDING_ROOM - r->size)
		abort();
	memcpy(r->data + r->size, bytes, size);
	r->size += size;
}
static inline void recording_chars(struct recording *r, const char *text, size_t room)
{
	recording_bytes(r, text, strlen(text));
	for (size_t i = strlen(text); i < room; i++)
		recording_uint(r, 0, 1);
}
/* Appends a string as in feature sections. */
static inline void recording_string(struct recording *r, const char *text)
{
	recording_u32(r, 64);
	recording_chars(r, text, 64);
}

/* --- records --- */

static inline size_t recording_begin(struct recording *r, uint32_t type, uint16_t misc)
{
	const size_t start = r->size;
	recording_u32(r, type);
	recording_u16(r, misc);
	recording_u16(r, 0);
	return start;
}
static inline void recording_end(struct recording *r, size_t start)
{
	const size_t end = r->size;
	r->size = start + 6;
	recording_u16(r, (uint16_t)(end - start));
	r->size = end;
}
static inline void recording_sample(struct recording *r, uint64_t id, uint64_t time, uint32_t tid)
{
	const size_t start = recording_begin(r, PERFDATA_RECORD_SAMPLE, PERFDATA_CPUMODE_USER);
	recording_u64(r, id);
	recording_u64(r, 0x401000 + time);
	recording_u32(r, 7);
	recording_u32(r, tid);
	recording_u64(r, time);
	recording_u32(r, tid % 4);
	recording_u32(r, 0);
	recording_end(r, start);
}
static inline void recording_comm(struct recording *r, uint64_t id, uint64_t time, uint32_t tid, const char *text,
				  size_t room)
{
	const size_t start = recording_begin(r, PERFDATA_RECORD_COMM, 0);
	recording_u32(r, 7);
	recording_u32(r, tid);
	recording_chars(r, text, room);
	recording_u32(r, 7);
	recording_u32(r, tid);
	recording_u64(r, time);
	recording_u32(r, tid % 4);
	recording_u32(r, 0);
	recording_u64(r, id);
	recording_end(r, start);
}
static inline void recording_empty(struct recording *r, uint32_t type)
{
	recording_end(r, recording_begin(r, type, 0));
}

/* --- attrs and features --- */

static inline void recording_attr(struct recording *r, unsigned event)
{
	const uint64_t flags = 1ull << PERFDATA_ATTR_SAMPLE_ID_ALL | 1ull << PERFDATA_ATTR_COMM;
	uint64_t word = flags;

	if (r->big) {
		word = 0;
		for (unsigned bit = 0; bit < 64; bit++)
			word |= (flags >> bit & 1) << (63 - bit);
	}
	recording_u32(r, 1);
	recording_u32(r, RECORDING_ATTR);
	recording_u64(r, event);                 /* config */
	recording_u64(r, 1000);                  /* period */
	recording_u64(r, RECORDING_SAMPLE_TYPE);
	recording_u64(r, 0);
	recording_u64(r, word);
	recording_chars(r, "", RECORDING_ATTR - 48);
}
static inline void recording_ids(struct recording *r, unsigned event)
{
	recording_u64(r, 10 * (event + 1));
	recording_u64(r, 10 * (event + 1) + 1);
}
static inline void recording_event_desc(struct recording *r)
{
	recording_u32(r, RECORDING_EVENTS);
	recording_u32(r, RECORDING_ATTR);
	for (unsigned i = 0; i < RECORDING_EVENTS; i++) {
		recording_attr(r, i);
		recording_u32(r, 2);
		recording_string(r, recording_names[i]);
		recording_ids(r, i);
	}
}

/* --- containers --- */

static inline void recording_magic(struct recording *r, uint64_t header_size)
{
	recording_bytes(r, r->big ? "2ELIFREP" : "PERFILE2", 8);
	recording_u64(r, header_size);
}

/* Offset of the records in a file of recording_file. */
#define RECORDING_DATA (104 + RECORDING_EVENTS * (16 + RECORDING_ATTR + 16))

/* Puts records into a file container with the features HOSTNAME, EVENT_DESC and, without content, `extra`. */
static inline void recording_file(struct recording *r, const struct recording *records, unsigned extra)
{
	const uint64_t ids = 104, attrs = ids + RECORDING_EVENTS * 16, data = RECORDING_DATA;
	const uint64_t bits = 1u << PERFDATA_FEATURE_HOSTNAME | 1u << PERFDATA_FEATURE_EVENT_DESC |
			      (extra ? 1u << extra : 0);
	const uint64_t table = data + records->size, hostname = table + (extra ? 48 : 32), desc = hostname + 68;
	const uint64_t desc_size = 8 + RECORDING_EVENTS * (RECORDING_ATTR + 4 + 68 + 16);

	recording_init(r, records->big);
	recording_magic(r, 104);
	recording_u64(r, RECORDING_ATTR + 16);
	recording_u64(r, attrs);
	recording_u64(r, RECORDING_EVENTS * (RECORDING_ATTR + 16));
	recording_u64(r, data);
	recording_u64(r, records->size);
	recording_u64(r, 0);
	recording_u64(r, 0);
	recording_u64(r, bits);
	recording_chars(r, "", 24);
	for (unsigned i = 0; i < RECORDING_EVENTS; i++)
		recording_ids(r, i);
	for (unsigned i = 0; i < RECORDING_EVENTS; i++) {
		recording_attr(r, i);
		recording_u64(r, ids + i * 16);
		recording_u64(r, 16);
	}
	recording_bytes(r, records->data, records->size);
	recording_u64(r, hostname);
	recording_u64(r, 68);
	recording_u64(r, desc);
	recording_u64(r, desc_size);
	if (extra) {
		recording_u64(r, desc + desc_size);
		recording_u64(r, 0);
	}
	recording_string(r, "testhost");
	recording_event_desc(r);
}

/* Puts records into a stream, after attrs and features as records. */
static inline void recording_pipe(struct recording *r, const struct recording *records)
{
	recording_init(r, records->big);
	recording_magic(r, 16);
	for (unsigned i = 0; i < RECORDING_EVENTS; i++) {
		const size_t start = recording_begin(r, PERFDATA_RECORD_ATTR, 0);
		recording_attr(r, i);
		recording_ids(r, i);
		recording_end(r, start);
	}
	size_t start = recording_begin(r, PERFDATA_RECORD_FEATURE, 0);
	recording_u64(r, PERFDATA_FEATURE_HOSTNAME);
	recording_string(r, "testhost");
	recording_end(r, start);
	start = recording_begin(r, PERFDATA_RECORD_FEATURE, 0);
	recording_u64(r, PERFDATA_FEATURE_EVENT_DESC);
	recording_event_desc(r);
	recording_end(r, start);
	recording_bytes(r, records->data, records->size);
}

#endif
