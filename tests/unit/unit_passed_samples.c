/* SPDX-License-Identifier: MIT */
/* A session that needs only spans lets the reader pass over samples that nobody needs. Its spans and counts are those
 * of a session that needs all records, for every recording of testdata, and of the corpus where PERFDATA_CORPUS names
 * one. */
#include "config.h"
#include <stdlib.h>
#include "feeding.h"
#include "reader/passed_samples.h"
#include "reader/reader_impl.h"
#include "session/session.h"
#include "unit.h"

#define ALL_KINDS ((1u << PERFDATA_SPAN_KINDS) - 1)

struct story {
	enum perfdata_status end;
	uint64_t nr_spans, spans;              /* hash of the spans in their order */
	uint64_t counts;                       /* hash of the summary */
	uint64_t samples, passed;
};

static void add(uint64_t *hash, uint64_t word)
{
	*hash = (*hash ^ word) * 0x9e3779b97f4a7c15ull;
	*hash ^= *hash >> 29;
}

static void add_who(uint64_t *hash, int32_t tid, const struct pd_span_who *who)
{
	add(hash, (uint64_t)(uint32_t)tid << 32 | (uint32_t)who->pid);
	add(hash, (uint64_t)who->comm << 32 | who->thread);
}

static void add_span(uint64_t *hash, const struct pd_span *span)
{
	const uint64_t words[] = { span->kind, span->unknown, span->source, span->state, span->state_raw, span->begin,
				   span->end, span->name, span->cpu, span->end_cpu, span->blocked, span->queued,
				   span->summed, span->woken, (uint64_t)span->result, span->has_result,
				   span->begins.offset, span->begins.inner, span->ends.offset, span->ends.inner };
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		add(hash, words[i]);
	add_who(hash, span->tid, &span->who);
	add_who(hash, span->waker, &span->waker_who);
}

/* All but `late`: a record is late if one with a later time was returned before. */
static void add_counts(struct story *story, struct perfdata_session *session)
{
	const struct perfdata_summary *summary = perfdata_session_summary(session);
	uint64_t *hash = &story->counts;
	const uint64_t words[] = { summary->records, summary->first_time, summary->last_time,
				   summary->unknown_ids, summary->lost_records, summary->lost_samples,
				   summary->nr_types, summary->nr_events, summary->complete };
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		add(hash, words[i]);
	for (size_t i = 0; i < summary->nr_types; i++) {
		add(hash, summary->types[i].type);
		add(hash, summary->types[i].records);
		add(hash, summary->types[i].bytes);
	}
	for (size_t i = 0; i < summary->nr_events; i++) {
		story->samples += summary->events[i].samples;
		add(hash, summary->events[i].samples);
		add(hash, summary->events[i].deliveries);
	}
}

static struct story read_story(const struct recorded *recorded, uint32_t kinds, uint32_t needs, uint32_t ahead)
{
	struct story story = { 0 };
	const struct perfdata_reader_options how = { .size = sizeof how, .read_ahead = ahead };
	const struct perfdata_session_options what = { .size = sizeof what, .needs = needs, .spans = kinds };
	struct perfdata_reader *reader;
	struct perfdata_session *session;
	struct perfdata_batch *batch;

	story.end = perfdata_reader_open_path(recorded->name, &how, &reader, NULL);
	if (story.end != PERFDATA_OK)
		return story;
	story.end = perfdata_session_open(reader, &what, &session, NULL);
	while (story.end == PERFDATA_OK && (story.end = perfdata_session_next(session, &batch)) == PERFDATA_OK) {
		size_t nr;
		const struct pd_span *spans = pd_batch_spans(batch, &nr);
		story.nr_spans += nr;
		for (size_t i = 0; i < nr; i++)
			add_span(&story.spans, &spans[i]);
		perfdata_batch_release(batch);
	}
	if (story.end == PERFDATA_END)
		add_counts(&story, session);
	for (size_t i = 0; reader->passed && i < reader->passed->nr_events; i++)
		story.passed += reader->passed->events[i].nr_taken;
	perfdata_session_close(session);
	perfdata_reader_close(reader);
	return story;
}

static uint64_t nr_passed, nr_spans;

static void compare_stories(const struct recorded *recorded, uint32_t kinds)
{
	const struct story whole = read_story(recorded, kinds, PERFDATA_NEED_THREADS | PERFDATA_NEED_RECORDS, 0);
	CHECK_EQ(whole.passed, 0);
	for (uint32_t ahead = 0; ahead <= PERFDATA_AHEAD_RECORDS; ahead += PERFDATA_AHEAD_RECORDS) {
		const struct story story = read_story(recorded, kinds, PERFDATA_NEED_THREADS, ahead);
		nr_passed += story.passed;
		nr_spans += story.nr_spans;
		CHECK_EQ(story.end, whole.end);
		CHECK_EQ(story.samples, whole.samples);
		CHECK_EQ(story.nr_spans, whole.nr_spans);
		CHECK_EQ(story.spans, whole.spans);
		CHECK_EQ(story.counts, whole.counts);
		if (story.spans != whole.spans || story.counts != whole.counts)
			printf("# %s, kinds %#x\n", recorded->name, kinds);
	}
}

static void test_recordings(void)
{
	static const uint32_t kinds[] = { ALL_KINDS, 1u << PERFDATA_SPAN_RUN, 1u << PERFDATA_SPAN_OFF,
					  1u << PERFDATA_SPAN_SYSCALL };
	take_recordings();
	for (size_t i = 0; i < nr_recordings; i++)
		for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
			compare_stories(&recordings[i], kinds[k]);
	release_recordings();
	CHECK(nr_spans > 1000);
	CHECK(nr_passed > 1000);
}

/* Opens a session on a recording of testdata, after `before` was opened and closed if it is not NULL; returns how many
 * records the session gives. */
static uint64_t count_after(const char *name, const struct perfdata_session_options *before)
{
	const struct perfdata_session_options of_records = { .size = sizeof of_records,
							     .needs = PERFDATA_NEED_RECORDS };
	const char *top = getenv("top_srcdir");
	char path[4096];
	struct perfdata_reader *reader;
	struct perfdata_session *session;
	struct perfdata_batch *batch;
	uint64_t nr = 0;
	snprintf(path, sizeof path, "%s/testdata/%s", top ? top : ".", name);
	CHECK_EQ(perfdata_reader_open_path(path, NULL, &reader, NULL), PERFDATA_OK);
	if (before) {
		CHECK_EQ(perfdata_session_open(reader, before, &session, NULL), PERFDATA_OK);
		perfdata_session_close(session);
	}
	CHECK_EQ(perfdata_session_open(reader, &of_records, &session, NULL), PERFDATA_OK);
	CHECK(!reader->passed && !reader->traces && !reader->options.payloads);
	for (size_t i = 0; i < reader->nr_events; i++)
		CHECK(!reader->events[i]->is_time_off);
	while (perfdata_session_next(session, &batch) == PERFDATA_OK) {
		nr += batch->nr_records;
		perfdata_batch_release(batch);
	}
	perfdata_session_close(session);
	perfdata_reader_close(reader);
	return nr;
}

/* A session that ends before it reads leaves nothing of its choices to the next session of the reader. */
static void test_next_session(void)
{
	const struct perfdata_session_options of_spans = { .size = sizeof of_spans, .needs = PERFDATA_NEED_THREADS,
							   .spans = 1u << PERFDATA_SPAN_RUN },
					      of_waits = { .size = sizeof of_waits,
							   .needs = PERFDATA_NEED_DELIVERIES | PERFDATA_NEED_PAYLOADS,
							   .off_cpu = PERFDATA_OFF_CPU_OFF,
							   .trace_samples = PERFDATA_TRACE_BRANCHES };
	CHECK(count_after("trace-73.data", NULL) > 10);
	CHECK_EQ(count_after("trace-73.data", &of_spans), count_after("trace-73.data", NULL));
	CHECK_EQ(count_after("spans/wide.data", &of_waits), count_after("spans/wide.data", NULL));
}

int main(void)
{
	const struct unit_case cases[] = {
		{ "every recording, with and without samples that nobody needs", test_recordings },
		{ "another session of the same reader", test_next_session },
	};
	return unit_main(cases, sizeof cases / sizeof *cases);
}
