/* SPDX-License-Identifier: MIT */
/* A recording read ahead is the same recording: records, findings at their places, and the reader's facts at each
 * record. */
#include "config.h"
#include <sched.h>
#include <stdlib.h>
#include <unistd.h>
#include "base/threads.h"
#include "perfdata/session.h"
#include "schema/schema.h"
#include "reader/reader_impl.h"
#define RECORDING_ROOM (80u << 20)
#include "reading.h"

#define RECORDS 120000u      /* several chunks */

struct story {
	struct perfdata_reader *reader;
	uint64_t hash;             /* of all that came, in order */
	uint64_t records, findings, kinds[1000];
};

static void tell(struct story *story, uint64_t word)
{
	story->hash = (story->hash ^ word) * 0x9e3779b97f4a7c15ull;
	story->hash ^= story->hash >> 29;
}

static void report_finding(void *user, const struct perfdata_finding *finding)
{
	struct story *story = user;
	story->findings++;
	story->kinds[finding->code < 1000 ? finding->code : 0]++;
	tell(story, finding->code);
	tell(story, finding->offset);
	tell(story, finding->record);
	tell(story, hash_of((const uint8_t *)finding->message, strlen(finding->message)));
}

static void report_record(struct story *story, const struct perfdata_raw *raw)
{
	story->records++;
	tell(story, raw->number);
	tell(story, raw->offset);
	tell(story, raw->time);
	tell(story, raw->flags);
	tell(story, hash_of(raw->bytes, raw->size));
	tell(story, raw->event ? raw->event->version : UINT32_MAX);
	/* what the reader says of its events while this record is at hand */
	for (size_t i = 0; i < perfdata_reader_nr_events(story->reader); i++)
		tell(story, perfdata_reader_event(story->reader, i)->version);
}

#define HELPED 4u   /* beside enum perfdata_read_ahead: other threads read ahead */

struct helpers {
	struct perfdata_reader *reader;
	atomic_bool end;
};

static void help_reading(void *user, unsigned thread)
{
	struct helpers *helpers = user;
	(void)thread;
	while (!atomic_load(&helpers->end))
		if (!pd_reader_needs_help(helpers->reader) || !pd_reader_help(helpers->reader))
			sched_yield();
}

/* Reads at most `limit` records. */
static struct story read_story(const struct recording *file, enum perfdata_record_order order, uint32_t ahead,
			       uint64_t limit)
{
	struct story story = { .hash = 1 };
	const struct perfdata_reader_options options = { .size = sizeof options,
							 .order = order,
							 .read_ahead = ahead & HELPED ? PERFDATA_AHEAD_BYTES
											: ahead,
							 .max_memory = 1 << 20,
							 .on_finding = report_finding,
							 .user = &story };
	const struct perfdata_raw *raw;
	enum perfdata_status status = PERFDATA_OK;

	CHECK_EQ(open_memory(file->data, file->size, NULL, &options, &story.reader, NULL), PERFDATA_OK);
	struct helpers helpers = { .reader = story.reader };
	struct pd_team *team = NULL;
	if (ahead & HELPED) {
		(void)pd_reader_let_help(story.reader);
		team = pd_team_start(2, help_reading, &helpers);
	}
	while (story.records < limit && (status = perfdata_reader_next(story.reader, &raw)) == PERFDATA_OK)
		report_record(&story, raw);
	if (story.records < limit) {
		CHECK_EQ(status, PERFDATA_END);
		CHECK_EQ(perfdata_reader_next(story.reader, &raw), PERFDATA_END);
		tell(&story, perfdata_reader_complete(story.reader));
	}
	atomic_store(&helpers.end, true);
	pd_team_join(team);
	perfdata_reader_close(story.reader);
	return story;
}

static void rename_event(struct recording *records, const char *name)
{
	const uint64_t update_name = 2;
	const size_t start = recording_begin(records, PERFDATA_RECORD_EVENT_UPDATE, 0);
	recording_u64(records, update_name);
	recording_u64(records, 10);
	recording_chars(records, name, 16);
	recording_end(records, start);
}

/* Rounds, records that come too late, of unknown ids and without a time, events that change, and bytes that are no
 * records. */
static void build(struct recording *file, bool damaged)
{
	struct recording records;
	uint32_t state = 3;
	uint64_t base = 1000;

	recording_init(&records, false);
	for (unsigned n = 0; n < RECORDS; n++) {
		state = state * 1664525 + 1013904223;
		const uint32_t dice = state >> 16 & 255;
		if (dice == 0) {
			recording_empty(&records, PERFDATA_RECORD_FINISHED_ROUND);
			base += 40;
		} else if (dice == 1) {
			recording_sample(&records, 77, base, 1);
		} else if (dice == 2) {
			recording_sample(&records, 10, 0, 2);
		} else if (dice == 3) {
			recording_sample(&records, 20, base / 2, 3);
		} else if (dice == 4 && n % 4 == 0) {
			char name[16];
			snprintf(name, sizeof name, "name-%u", n);
			rename_event(&records, name);
		} else if (dice == 5 && damaged) {
			recording_chars(&records, "no record stands here, but text!", 40);
		} else {
			recording_sample(&records, dice & 1 ? 10 : 20, base + (state >> 24), dice);
		}
	}
	recording_file(file, &records, 0);
	recording_release(&records);
}

static void same_story(bool damaged)
{
	struct recording file;
	build(&file, damaged);
	for (unsigned order = 0; order < 2; order++) {
		const enum perfdata_record_order wanted = order ? PERFDATA_ORDER_TIME : PERFDATA_ORDER_FILE;
		const struct story plain = read_story(&file, wanted, 0, UINT64_MAX);
		CHECK(plain.records > RECORDS / 2);
		CHECK(plain.kinds[PERFDATA_FINDING_UNKNOWN_ID] == 1);
		CHECK((plain.kinds[PERFDATA_FINDING_OUT_OF_ORDER] == 1) == (wanted == PERFDATA_ORDER_TIME));
		CHECK(damaged == (plain.kinds[PERFDATA_FINDING_GARBAGE] > 10));
		for (uint32_t round = 0; round < 8; round++) {
			const struct story ahead = read_story(&file, wanted, 1 + round % HELPED, UINT64_MAX);
			CHECK_EQ(ahead.records, plain.records);
			CHECK_EQ(ahead.findings, plain.findings);
			CHECK_EQ(ahead.hash, plain.hash);
		}
	}
	recording_release(&file);
}

static void test_same(void) { same_story(false); }
static void test_same_when_damaged(void) { same_story(true); }

/* Where batches end, and the findings reported until then. */
static struct story read_batches(const struct recording *file, enum perfdata_record_order order, uint32_t ahead,
				 uint32_t needs)
{
	struct story story = { .hash = 1 };
	const struct perfdata_reader_options options = { .size = sizeof options,
							 .order = order,
							 .read_ahead = ahead & HELPED ? PERFDATA_AHEAD_BYTES
											: ahead,
							 .max_memory = 1 << 20,
							 .on_finding = report_finding,
							 .user = &story };
	const struct perfdata_session_options session_options = { .size = sizeof session_options, .needs = needs };
	struct perfdata_session *session;
	struct perfdata_batch *batch;

	CHECK_EQ(open_memory(file->data, file->size, NULL, &options, &story.reader, NULL), PERFDATA_OK);
	CHECK_EQ(perfdata_session_open(story.reader, &session_options, &session, NULL), PERFDATA_OK);
	while (perfdata_session_next(session, &batch) == PERFDATA_OK) {
		story.records += batch->nr_records;
		tell(&story, batch->nr_records);
		tell(&story, batch->nr_deliveries);
		tell(&story, batch->bytes);
		for (size_t i = 0; i < batch->nr_records; i++)
			tell(&story, batch->records[i].offset);
		perfdata_batch_release(batch);
	}
	perfdata_session_close(session);
	perfdata_reader_close(story.reader);
	return story;
}

static void test_batches(void)
{
	struct recording file;
	build(&file, true);
	for (unsigned order = 0; order < 2; order++) {
		const enum perfdata_record_order wanted = order ? PERFDATA_ORDER_TIME : PERFDATA_ORDER_FILE;
		for (uint32_t needs = PERFDATA_NEED_RECORDS; needs <= PERFDATA_NEED_DELIVERIES; needs++) {
			const struct story plain = read_batches(&file, wanted, 0, needs);
			CHECK(plain.records > RECORDS / 2);
			for (uint32_t ahead = 1; ahead < 4; ahead++) {
				const struct story read = read_batches(&file, wanted, ahead, needs);
				CHECK_EQ(read.records, plain.records);
				CHECK_EQ(read.findings, plain.findings);
				CHECK_EQ(read.hash, plain.hash);
			}
		}
	}
	recording_release(&file);
}

/* Whoever stops has been reported nothing of what he did not come to. */
static void test_stop(void)
{
	struct recording file;
	build(&file, true);
	for (uint64_t limit = 4000; limit < 12000; limit += 1777) {
		const struct story plain = read_story(&file, PERFDATA_ORDER_TIME, 0, limit);
		const struct story ahead = read_story(&file, PERFDATA_ORDER_TIME, PERFDATA_AHEAD_RECORDS, limit);
		CHECK_EQ(plain.records, limit);
		CHECK_EQ(ahead.findings, plain.findings);
		CHECK_EQ(ahead.hash, plain.hash);
	}
	recording_release(&file);
}

/* Records with copies of stacks are large: what is ahead of the reader is counted in bytes, too. */
static void test_large_records(void)
{
	enum { LARGE = 60000, NR = 1200, SMALL = 20000 };
	const struct perfdata_reader_options options = { .size = sizeof options, .read_ahead = PERFDATA_AHEAD_RECORDS };
	struct perfdata_reader *reader;
	struct recording records, file;
	const struct perfdata_raw *raw;
	char path[] = "/tmp/unit-ahead-XXXXXX";
	const int fd = mkstemp(path);
	size_t most = 0;
	unsigned nr = 0;

	recording_init(&records, false);
	for (unsigned i = 0; i < SMALL; i++)
		recording_sample(&records, 10, i + 1, 1);
	for (unsigned i = 0; i < NR; i++) {
		const size_t start = recording_begin(&records, PERFDATA_RECORD_COMM, 0);
		recording_chars(&records, "", LARGE);
		recording_end(&records, start);
	}
	recording_file(&file, &records, 0);
	CHECK(fd >= 0 && write(fd, file.data, file.size) == (ssize_t)file.size);
	close(fd);
	CHECK_EQ(perfdata_reader_open_path(path, &options, &reader, NULL), PERFDATA_OK);
	unlink(path);
	for (; perfdata_reader_next(reader, &raw) == PERFDATA_OK; nr++)
		most = pd_chunk_pool_bytes(reader->pool) > most ? pd_chunk_pool_bytes(reader->pool) : most;
	CHECK_EQ(nr, SMALL + NR);
	CHECK(most > 0 && most < (size_t)NR * LARGE / 4);
	perfdata_reader_close(reader);
	recording_release(&file);
	recording_release(&records);
}

int main(void)
{
	const struct unit_case cases[] = {
		{ "the same records and findings", test_same },
		{ "the same in spite of damage", test_same_when_damaged },
		{ "batches end at the same records", test_batches },
		{ "the same up to where somebody stops", test_stop },
		{ "large records take no more memory", test_large_records },
	};
	return unit_main(cases, sizeof cases / sizeof *cases);
}
