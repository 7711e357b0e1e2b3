/* SPDX-License-Identifier: MIT */
/* Inputs that are fed, as programs use them: how early records come, sessions, conversions, wrong use, limits and
 * failures. */
#define _GNU_SOURCE
#include "config.h"
#include "alloc_fail_pieces.h"
#include "feeding.h"
#include "perfdata/convert.h"
#include "session/session.h"

/* --- how early ---------------------------------------------------------------------------------------------------- */

/* Each record comes once it is whole, but for those in which something looks like a header: they come with the next
 * header. */
static void check_early(const uint8_t *bytes, size_t size)
{
	const struct perfdata_reader_options options = { .size = sizeof options, .order = PERFDATA_ORDER_FILE };
	struct perfdata_input *input = perfdata_input_fed(NULL, NULL);
	struct perfdata_reader *reader = NULL;
	const struct perfdata_raw *raw;
	size_t nr = 0, held = 0;
	for (size_t fed = 1; fed <= size; fed++) {
		CHECK_EQ(perfdata_feed(input, bytes + fed - 1, 1, NULL), PERFDATA_OK);
		if (!reader && perfdata_reader_open(input, &options, &reader, NULL) != PERFDATA_OK)
			continue;
		for (unsigned n = 0; perfdata_reader_next(reader, &raw) == PERFDATA_OK; n++, nr++) {
			const uint64_t end = raw->offset + raw->size;
			CHECK(!n && (fed == end || fed == end + 8));
			held += fed != end;
		}
	}
	CHECK(nr > 10 && held * 2 < nr);
	perfdata_reader_close(reader);
	perfdata_input_free(input);
}

static void test_early(void)
{
	struct recording records, stream;
	for (unsigned big = 0; big < 2; big++) {
		some_records(&records, big);
		recording_pipe(&stream, &records);
		check_early(stream.data, stream.size);
		recording_release(&records);
		recording_release(&stream);
	}
	for (size_t i = 0; i < nr_recordings; i++)
		if (strstr(recordings[i].name, "/stream-73.pipe") || strstr(recordings[i].name, "/kernel-records.pipe"))
			check_early(recordings[i].bytes, recordings[i].size);
}

/* In time order records come with the round that releases them, and not later. */
static void test_rounds(void)
{
	struct recording records, stream;
	struct reading reading;
	some_records(&records, false);
	recording_pipe(&stream, &records);
	reading_begin(&reading, perfdata_input_fed(NULL, NULL), PERFDATA_ORDER_TIME);
	size_t fed = 0, rounds = 0;
	uint64_t given = 0;
	for (size_t at = 16; at < stream.size; at += (size_t)(stream.data[at + 6] | stream.data[at + 7] << 8)) {
		const bool is_round = stream.data[at] == PERFDATA_RECORD_FINISHED_ROUND;
		rounds += is_round;
		if (!is_round)
			continue;
		CHECK_EQ(perfdata_feed(reading.input, stream.data + fed, at + 8 - fed, NULL), PERFDATA_OK);
		fed = at + 8;
		reading_go_on(&reading);
		CHECK(reading.status == PERFDATA_AGAIN);
		CHECK(reading.records > given);
		given = reading.records;
	}
	CHECK(rounds > 1);
	free(reading_end(&reading));
	recording_release(&records);
	recording_release(&stream);
}

/* --- sessions and conversions ------------------------------------------------------------------------------------- */

static void log_batch(FILE *log, const struct perfdata_session *session, const struct perfdata_batch *batch)
{
	for (size_t i = 0; i < batch->nr_deliveries; i++) {
		const struct perfdata_delivery *delivery = &batch->deliveries[i];
		size_t nr;
		const struct perfdata_step *steps = perfdata_batch_stack(batch, delivery, &nr);
		fprintf(log, "delivery of %" PRIu64 " %x %" PRIu64 " %d %d comm %s thread %u", delivery->record->number,
			delivery->flags, delivery->period, delivery->pid, delivery->tid,
			delivery->comm == PERFDATA_NONE ? "" : perfdata_session_comm(session, delivery->comm),
			delivery->thread);
		for (size_t k = 0; k < nr; k++)
			fprintf(log, " %" PRIx64 ":%u", steps[k].ip, steps[k].frame);
		fprintf(log, "\n");
	}
}

/* Without findings: the batches that come before them may be cut otherwise. */
static void log_session(struct reading *reading, struct perfdata_session **session)
{
	const struct perfdata_session_options options = {
		.size = sizeof options,
		.no_host = true,
		.merge_deferred = true,
		.needs = PERFDATA_NEED_RECORDS | PERFDATA_NEED_DELIVERIES | PERFDATA_NEED_THREADS |
			 PERFDATA_NEED_FRAMES | PERFDATA_NEED_STACKS,
	};
	struct perfdata_batch *batch;
	reading->options.on_finding = NULL;
	if (!reading->reader &&
	    (perfdata_reader_open(reading->input, &reading->options, &reading->reader, NULL) != PERFDATA_OK ||
	     perfdata_session_open(reading->reader, &options, session, NULL) != PERFDATA_OK))
		return;
	while ((reading->status = perfdata_session_next(*session, &batch)) == PERFDATA_OK) {
		log_batch(reading->log, *session, batch);
		perfdata_batch_release(batch);
	}
}

static char *session_end(struct reading *reading, struct perfdata_session *session)
{
	if (session) {
		const struct perfdata_summary *summary = perfdata_session_summary(session);
		fprintf(reading->log, "%d: %" PRIu64 " records, %" PRIu64 " deliveries\n", reading->status,
			summary->records, summary->deliveries_out);
	}
	perfdata_session_close(session);
	return reading_end(reading);
}

static void test_sessions(void)
{
	for (size_t i = 0; i < nr_recordings; i++) {
		const struct recorded *recorded = &recordings[i];
		struct bytes bytes = { recorded->bytes, recorded->size };
		struct perfdata_session *session = NULL;
		struct reading reading;
		reading_begin(&reading, pipe_of(&bytes), PERFDATA_ORDER_DEFAULT);
		log_session(&reading, &session);
		char *wanted = session_end(&reading, session);
		session = NULL;
		reading_begin(&reading, perfdata_input_fed(NULL, NULL), PERFDATA_ORDER_DEFAULT);
		for (size_t at = 0; at < recorded->size;) {
			const size_t step = next_piece(RANDOM, recorded->size - at);
			CHECK_EQ(perfdata_feed(reading.input, recorded->bytes + at, step, NULL), PERFDATA_OK);
			at += step;
			log_session(&reading, &session);
		}
		CHECK_EQ(perfdata_feed_end(reading.input, NULL), PERFDATA_OK);
		log_session(&reading, &session);
		char *got = session_end(&reading, session);
		CHECK(!strcmp(wanted, got));
		if (strcmp(wanted, got))
			printf("# %s: %s\n", recorded->name, first_difference(wanted, got));
		free(wanted);
		free(got);
	}
}

static int write_log(void *user, const void *bytes, size_t size)
{
	return fwrite(bytes, 1, size, user) == size ? 0 : EIO;
}

static enum perfdata_status convert(const struct perfdata_input *input, char **ret, struct perfdata_error *error)
{
	const struct perfdata_output_callbacks callbacks = { .size = sizeof callbacks, .write = write_log };
	const struct perfdata_convert_options options = { .size = sizeof options, .names = PERFDATA_NO };
	size_t size;
	FILE *log = open_memstream(ret, &size);
	struct perfdata_output *output = perfdata_output_callbacks(&callbacks, log);
	const enum perfdata_status status = perfdata_convert(input, output, "ndjson", &options, NULL, error);
	perfdata_output_close(output, true, NULL);
	fclose(log);
	return status;
}

/* The size of a stream that is fed is not known when it is opened. */
static void forget_size(char *text)
{
	char *size = strstr(text, "\"file_size\":");
	for (size_t i = 12; size && size[i] != ','; i++)
		memmove(size + i, size + i + 1, strlen(size + i)), i--;
}

static void test_conversions(void)
{
	for (size_t i = 0; i < nr_recordings; i += 5) {
		const struct recorded *recorded = &recordings[i];
		struct perfdata_input *input = perfdata_input_fed(NULL, NULL);
		struct perfdata_input *memory = perfdata_input_memory(recorded->bytes, recorded->size, "-");
		struct perfdata_error error = { .message = "" };
		char *wanted, *got;
		const enum perfdata_status status = convert(memory, &wanted, &error);
		CHECK_EQ(perfdata_feed(input, recorded->bytes, recorded->size, NULL), PERFDATA_OK);
		CHECK_EQ(convert(input, &got, &error), PERFDATA_EUSAGE);
		CHECK(strstr(error.message, "perfdata_feed_end"));
		free(got);
		CHECK_EQ(perfdata_feed_end(input, NULL), PERFDATA_OK);
		CHECK_EQ(convert(input, &got, &error), status);
		forget_size(wanted);
		forget_size(got);
		CHECK(!strcmp(wanted, got));
		if (strcmp(wanted, got))
			printf("# %s: %s\n", recorded->name, first_difference(wanted, got));
		perfdata_input_free(input);
		perfdata_input_free(memory);
		free(wanted);
		free(got);
	}
}

/* --- errors ------------------------------------------------------------------------------------------------------- */

static void test_wrong_use(void)
{
	const struct perfdata_feed_options shorter = { .size = 8 };
	struct perfdata_error error = { .message = "" };
	struct perfdata_reader *reader = NULL, *second = NULL;
	struct recording records, stream;

	struct perfdata_input *input = perfdata_input_memory("", 0, NULL);
	CHECK_EQ(perfdata_feed(input, "x", 1, &error), PERFDATA_EUSAGE);
	CHECK_EQ(perfdata_feed_end(input, &error), PERFDATA_EUSAGE);
	perfdata_input_free(input);

	input = perfdata_input_fed(&shorter, NULL);
	CHECK_EQ(perfdata_feed(input, "x", 1, &error), PERFDATA_EUSAGE);
	CHECK_EQ(perfdata_reader_open(input, NULL, &reader, &error), PERFDATA_EUSAGE);
	perfdata_input_free(input);

	input = perfdata_input_fed(NULL, NULL);
	CHECK_EQ(perfdata_feed(input, NULL, 0, NULL), PERFDATA_OK);
	CHECK_EQ(perfdata_reader_open(input, NULL, &reader, &error), PERFDATA_AGAIN);
	CHECK_EQ(perfdata_feed_end(input, NULL), PERFDATA_OK);
	CHECK_EQ(perfdata_feed_end(input, NULL), PERFDATA_OK);
	CHECK_EQ(perfdata_feed(input, "x", 1, &error), PERFDATA_EUSAGE);
	CHECK_EQ(perfdata_reader_open(input, NULL, &reader, &error), PERFDATA_EFORMAT);
	CHECK_STR(error.message, "the input is empty");
	perfdata_input_free(input);

	/* what is no recording is refused at once */
	input = perfdata_input_fed(NULL, NULL);
	CHECK_EQ(perfdata_feed(input, "this is no recording at all", 24, NULL), PERFDATA_OK);
	CHECK_EQ(perfdata_reader_open(input, NULL, &reader, &error), PERFDATA_EFORMAT);
	perfdata_input_free(input);

	/* one reader takes the bytes of a stream */
	some_records(&records, false);
	recording_pipe(&stream, &records);
	const struct perfdata_raw *raw;
	input = perfdata_input_fed(NULL, NULL);
	CHECK_EQ(perfdata_feed(input, stream.data, stream.size, NULL), PERFDATA_OK);
	CHECK_EQ(perfdata_reader_open(input, NULL, &reader, &error), PERFDATA_OK);
	CHECK_EQ(perfdata_reader_next(reader, &raw), PERFDATA_OK);
	CHECK_EQ(perfdata_reader_open(input, NULL, &second, &error), PERFDATA_EUSAGE);
	perfdata_reader_close(reader);
	perfdata_input_free(input);

	/* any number of readers take those of a file */
	struct recording file;
	recording_file(&file, &records, 0);
	input = perfdata_input_fed(NULL, NULL);
	CHECK_EQ(perfdata_feed(input, file.data, file.size, NULL), PERFDATA_OK);
	CHECK_EQ(perfdata_reader_open(input, NULL, &reader, &error), PERFDATA_AGAIN);
	CHECK_EQ(perfdata_feed_end(input, NULL), PERFDATA_OK);
	CHECK_EQ(perfdata_reader_open(input, NULL, &reader, &error), PERFDATA_OK);
	CHECK_EQ(perfdata_reader_open(input, NULL, &second, &error), PERFDATA_OK);
	CHECK_EQ(perfdata_reader_next(reader, &raw), PERFDATA_OK);
	CHECK_EQ(perfdata_reader_next(second, &raw), PERFDATA_OK);
	perfdata_reader_close(reader);
	perfdata_reader_close(second);
	perfdata_input_free(input);
	recording_release(&records);
	recording_release(&stream);
	recording_release(&file);
}

/* Feeds a stream until feeding fails; the reader returns the records fed before, then the error. */
static void check_refused(const struct perfdata_feed_options *options, enum perfdata_status expected)
{
	struct perfdata_error error = { .message = "" };
	struct perfdata_reader *reader;
	const struct perfdata_raw *raw;
	struct recording stream;
	large_stream(&stream, false);
	struct perfdata_input *input = perfdata_input_fed(options, NULL);
	CHECK_EQ(perfdata_feed(input, stream.data, 100000, &error), PERFDATA_OK);
	CHECK_EQ(perfdata_feed(input, stream.data + 100000, stream.size - 100000, &error), expected);
	CHECK(*error.message);
	CHECK_EQ(perfdata_feed(input, stream.data, 1, &error), expected);
	CHECK_EQ(perfdata_feed_end(input, &error), expected);
	CHECK_EQ(perfdata_reader_open(input, NULL, &reader, &error), expected);
	perfdata_input_free(input);

	input = perfdata_input_fed(options, NULL);
	CHECK_EQ(perfdata_feed(input, stream.data, 100000, &error), PERFDATA_OK);
	CHECK_EQ(perfdata_reader_open(input, NULL, &reader, &error), PERFDATA_OK);
	CHECK_EQ(perfdata_feed(input, stream.data + 100000, stream.size - 100000, &error), expected);
	enum perfdata_status status;
	size_t nr = 0;
	while ((status = perfdata_reader_next(reader, &raw)) == PERFDATA_OK)
		nr++;
	CHECK_EQ(status, expected);
	CHECK(nr > 5);
	CHECK_EQ(perfdata_reader_error(reader)->status, expected);
	perfdata_reader_close(reader);
	perfdata_input_free(input);
	recording_release(&stream);
}

static void test_limits(void)
{
	check_refused(
		&(struct perfdata_feed_options){ .size = sizeof(struct perfdata_feed_options), .max_spool = 200000 },
		PERFDATA_ELIMIT);
	check_refused(&(struct perfdata_feed_options){ .size = sizeof(struct perfdata_feed_options),
						       .max_memory = 1,
						       .tmpdir = "/nonexistent" },
		      PERFDATA_EWRITE);
}

/* Above the limit of memory, bytes go through a file, and are the same. */
static void test_spooled(void)
{
	const struct perfdata_feed_options options = { .size = sizeof options, .max_memory = 1 };
	struct recording stream;
	large_stream(&stream, false);
	char *wanted = read_piped(stream.data, stream.size, PERFDATA_ORDER_FILE);
	struct reading reading;
	reading_begin(&reading, perfdata_input_fed(&options, NULL), PERFDATA_ORDER_FILE);
	for (size_t at = 0; at < stream.size;) {
		const size_t step = next_piece(700000, stream.size - at);
		CHECK_EQ(perfdata_feed(reading.input, stream.data + at, step, NULL), PERFDATA_OK);
		at += step;
		if (at > 2100000)
			reading_go_on(&reading);
	}
	CHECK_EQ(perfdata_feed_end(reading.input, NULL), PERFDATA_OK);
	reading_go_on(&reading);
	char *got = reading_end(&reading);
	CHECK(!strcmp(wanted, got));
	free(wanted);
	free(got);
	recording_release(&stream);
}

static void test_cancel(void)
{
	struct perfdata_cancel *cancel = perfdata_cancel_new();
	struct recording records, stream;
	struct reading reading;
	some_records(&records, false);
	recording_pipe(&stream, &records);
	reading_begin(&reading, perfdata_input_fed(NULL, NULL), PERFDATA_ORDER_FILE);
	reading.options.cancel = cancel;
	CHECK_EQ(perfdata_feed(reading.input, stream.data, stream.size - 4, NULL), PERFDATA_OK);
	reading_go_on(&reading);
	CHECK_EQ(reading.status, PERFDATA_AGAIN);
	perfdata_cancel_now(cancel);
	reading_go_on(&reading);
	CHECK_EQ(reading.status, PERFDATA_EINTR);
	free(reading_end(&reading));
	perfdata_cancel_free(cancel);
	recording_release(&records);
	recording_release(&stream);
}

static struct recording failing;
static unsigned ended_without_memory;

static void feed_failing(void)
{
	struct perfdata_input *input = perfdata_input_fed(NULL, NULL);
	struct perfdata_reader *reader = NULL;
	const struct perfdata_raw *raw;
	enum perfdata_status status = input ? PERFDATA_AGAIN : PERFDATA_ENOMEM;
	for (size_t done = 0; status == PERFDATA_AGAIN && done < failing.size; done += 500) {
		const size_t left = failing.size - done;
		status = perfdata_feed(input, failing.data + done, left < 500 ? left : 500, NULL);
		if (status == PERFDATA_OK && left <= 500)
			status = perfdata_feed_end(input, NULL);
		if (status == PERFDATA_OK && !reader)
			status = perfdata_reader_open(input, NULL, &reader, NULL);
		while (reader && status == PERFDATA_OK)
			status = perfdata_reader_next(reader, &raw);
	}
	CHECK(status == PERFDATA_ENOMEM || status == PERFDATA_END);
	ended_without_memory += status == PERFDATA_ENOMEM;
	perfdata_reader_close(reader);
	perfdata_input_free(input);
}

/* Each allocation fails in turn. */
static void test_no_memory(void)
{
	struct recording records;
	some_records(&records, false);
	for (unsigned is_file = 0; is_file < 2; is_file++) {
		if (is_file)
			recording_file(&failing, &records, 0);
		else
			recording_pipe(&failing, &records);
		for (int n = 0; alloc_fail_run(n, feed_failing); n++)
			;
		CHECK(ended_without_memory > 10);
		ended_without_memory = 0;
		recording_release(&failing);
	}
	recording_release(&records);
}

int main(void)
{
	static const struct unit_case cases[] = {
		{ "each record comes once it is whole", test_early },
		{ "each round comes once it is whole", test_rounds },
		{ "sessions", test_sessions },
		{ "conversions", test_conversions },
		{ "wrong use", test_wrong_use },
		{ "limits", test_limits },
		{ "bytes that wait in a file", test_spooled },
		{ "cancelled", test_cancel },
		{ "without memory", test_no_memory },
	};
	take_recordings();
	const int failed = unit_main(cases, sizeof cases / sizeof *cases);
	release_recordings();
	return failed;
}
