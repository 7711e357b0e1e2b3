/* SPDX-License-Identifier: MIT */
/* What perfdata/rewrite.h and perfdata/output.h promise about readers, sessions and functions that they are given: what
 * does not fit is refused, and what fails is a failure, never the end of the recording. */
#include "config.h"
#include <errno.h>
#include <stdlib.h>
#include "perfdata.h"
#include "unit.h"

static char folder[4096];

/* --- the steps of a rewriter -------------------------------------------------------------------------------------- */

enum step { CHOOSE, LOOK_BACK, SURVEY, COPY, COPY_UNWOUND, ADD, MERGE };

/* A reader, or a session on one, that a step is given. */
struct given {
	enum step step;
	bool anonymize, repair, unsurveyed, asked, no_payloads, limited;
	enum perfdata_record_order order;
	uint32_t needs;
	const char *refused;      /* a part of the reason; NULL: it is accepted */
	const char *name;         /* of the recording; NULL: a file */
};

#define NEEDS (PERFDATA_NEED_RECORDS | PERFDATA_NEED_STACKS)
#define BY_TIME .order = PERFDATA_ORDER_TIME
#define BY_FILE .order = PERFDATA_ORDER_FILE

static const struct given table[] = {
	{ CHOOSE, .needs = PERFDATA_NEED_RECORDS },
	{ CHOOSE, .needs = PERFDATA_NEED_DELIVERIES, .refused = "gives no records" },
	{ CHOOSE, .refused = "gives no records" },
	{ CHOOSE, .needs = PERFDATA_NEED_RECORDS, .asked = true, .refused = "read already" },
	{ LOOK_BACK, BY_TIME },
	{ LOOK_BACK, .no_payloads = true, BY_TIME },
	{ LOOK_BACK, BY_FILE, .refused = "that of time is needed" },
	{ LOOK_BACK, .refused = "that of time is needed" },
	{ LOOK_BACK, BY_TIME, .asked = true, .refused = "read already" },
	{ SURVEY, BY_FILE, .anonymize = true },
	{ SURVEY, BY_TIME, .repair = true, .no_payloads = true },
	{ SURVEY, BY_TIME, .anonymize = true, .asked = true, .refused = "read already" },
	{ COPY, .order = PERFDATA_ORDER_DEFAULT },
	{ COPY, BY_FILE },
	{ COPY, BY_TIME, .refused = "that of the file is needed" },
	{ COPY, .no_payloads = true, .refused = "no payloads" },
	{ COPY, .asked = true, .refused = "read already" },
	{ COPY, BY_TIME, .anonymize = true },
	{ COPY, BY_TIME, .anonymize = true, .unsurveyed = true, .refused = "was not surveyed" },
	{ COPY, BY_TIME, .anonymize = true, .no_payloads = true, .refused = "no payloads" },
	{ COPY, BY_FILE, .anonymize = true, .refused = "that of time is needed" },
	{ COPY, .anonymize = true, .refused = "that of time is needed" },
	{ COPY, .repair = true },
	{ COPY, .repair = true, .unsurveyed = true },
	{ COPY, .repair = true, .name = "stream-73.pipe" },
	{ COPY, .repair = true, .unsurveyed = true, .name = "stream-73.pipe", .refused = "was not surveyed" },
	{ COPY_UNWOUND, .anonymize = true, .needs = NEEDS },
	{ COPY_UNWOUND, BY_TIME, .anonymize = true, .needs = NEEDS },
	{ COPY_UNWOUND, BY_FILE, .anonymize = true, .needs = NEEDS, .refused = "that of time is needed" },
	{ COPY_UNWOUND, .anonymize = true, .needs = PERFDATA_NEED_RECORDS, .refused = "all records" },
	{ COPY_UNWOUND, .anonymize = true, .needs = PERFDATA_NEED_STACKS, .refused = "all records" },
	{ COPY_UNWOUND, .anonymize = true, .needs = NEEDS, .limited = true, .refused = "all records" },
	{ COPY_UNWOUND, .anonymize = true, .needs = NEEDS, .no_payloads = true, .refused = "no payloads" },
	{ COPY_UNWOUND, .anonymize = true, .needs = NEEDS, .asked = true, .refused = "read already" },
	{ ADD, BY_TIME },
	{ ADD, BY_TIME, .no_payloads = true },
	{ ADD, .refused = "that of time is needed" },
	{ ADD, BY_FILE, .refused = "that of time is needed" },
	{ ADD, BY_TIME, .asked = true, .refused = "read already" },
	{ MERGE, BY_TIME },
	{ MERGE, BY_FILE, .refused = "that of time is needed" },
	{ MERGE, .refused = "that of time is needed" },
	{ MERGE, BY_TIME, .asked = true, .refused = "read already" },
};

static enum perfdata_status take_bytes(void *user, const void *bytes, size_t size)
{
	perfdata_text_append(user, bytes, size);
	return perfdata_text_failed(user) ? PERFDATA_ENOMEM : PERFDATA_OK;
}

static struct perfdata_reader *open_reader(const char *name, enum perfdata_record_order order, bool payloads)
{
	const struct perfdata_reader_options options = { .size = sizeof options, .order = order, .payloads = payloads };
	struct perfdata_reader *reader = NULL;
	char path[8192];
	snprintf(path, sizeof path, "%s/%s", folder, name ? name : "callgraph-73.data");
	CHECK_EQ(perfdata_reader_open_path(path, &options, &reader, NULL), PERFDATA_OK);
	return reader;
}

/* Asks a reader, or a session on it, for a record. */
static void ask(struct perfdata_reader *reader, struct perfdata_session *session)
{
	const struct perfdata_raw *raw;
	struct perfdata_batch *batch;
	if (session) {
		CHECK_EQ(perfdata_session_next(session, &batch), PERFDATA_OK);
		perfdata_batch_release(batch);
	} else {
		CHECK_EQ(perfdata_reader_next(reader, &raw), PERFDATA_OK);
	}
}

static enum perfdata_status take_step(struct perfdata_rewriter *rewriter, const struct given *given,
				      struct perfdata_reader *reader, struct perfdata_session *session)
{
	switch (given->step) {
	case CHOOSE: return perfdata_rewriter_choose(rewriter, session, 0, 0);
	case LOOK_BACK: return perfdata_rewriter_look_back(rewriter, reader);
	case SURVEY: return perfdata_rewriter_survey(rewriter, reader);
	case COPY: return perfdata_rewriter_copy(rewriter, reader);
	case COPY_UNWOUND: return perfdata_rewriter_copy_unwound(rewriter, reader, session);
	case ADD: return perfdata_rewriter_add(rewriter, reader);
	case MERGE: return perfdata_rewriter_merge(rewriter, &reader, 1);
	}
	return PERFDATA_EUSAGE;
}

static void check_given(const struct given *given)
{
	const struct perfdata_anonymize_options anonymize = { .size = sizeof anonymize };
	struct perfdata_text out;
	const struct perfdata_rewrite_options options = { .size = sizeof options,
							  .anonymize = given->anonymize ? &anonymize : NULL,
							  .repair = given->repair,
							  .write = take_bytes,
							  .write_user = &out };
	struct perfdata_reader *before = open_reader(given->name, PERFDATA_ORDER_TIME, false),
			       *reader = open_reader(given->name, given->order, !given->no_payloads);
	const struct perfdata_session_options how = { .size = sizeof how,
						      .needs = given->needs,
						      .limit = given->limited ? 10 : 0 };
	struct perfdata_session *session = NULL;
	struct perfdata_rewriter *rewriter = NULL;
	perfdata_text_init(&out);
	CHECK_EQ(perfdata_rewriter_new(&options, &rewriter, NULL), PERFDATA_OK);
	if (given->step == MERGE)
		CHECK_EQ(perfdata_rewriter_add(rewriter, before), PERFDATA_OK);
	else if (given->step != SURVEY && !given->unsurveyed)
		CHECK_EQ(perfdata_rewriter_survey(rewriter, before), PERFDATA_OK);
	if (given->step == CHOOSE || given->step == COPY_UNWOUND)
		CHECK_EQ(perfdata_session_open(reader, &how, &session, NULL), PERFDATA_OK);
	if (given->asked)
		ask(reader, session);
	CHECK_EQ(take_step(rewriter, given, reader, session), given->refused ? PERFDATA_EUSAGE : PERFDATA_OK);
	if (given->refused)
		CHECK(strstr(perfdata_rewriter_error(rewriter)->message, given->refused) != NULL);
	const bool copies = given->step == COPY || given->step == COPY_UNWOUND || given->step == MERGE;
	CHECK_EQ(perfdata_rewriter_finish(rewriter), copies && !given->refused ? PERFDATA_OK : PERFDATA_EUSAGE);
	/* a refused step writes nothing */
	CHECK((out.size > 0) == (copies && !given->refused));
	perfdata_rewriter_free(rewriter);
	perfdata_session_close(session);
	perfdata_reader_close(reader);
	perfdata_reader_close(before);
	perfdata_text_release(&out);
}

static void test_given(void)
{
	for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
		const int before = unit_failures;
		check_given(&table[i]);
		if (unit_failures != before)
			printf("# row %zu of the table\n", i);
	}
}

static void test_one_recording(void)
{
	struct perfdata_text out;
	const struct perfdata_rewrite_options options = { .size = sizeof options,
							  .write = take_bytes,
							  .write_user = &out };
	struct perfdata_reader *first = open_reader(NULL, PERFDATA_ORDER_FILE, true),
			       *second = open_reader(NULL, PERFDATA_ORDER_FILE, true);
	struct perfdata_rewriter *rewriter = NULL;
	for (unsigned finished = 0; finished < 2; finished++) {
		perfdata_text_init(&out);
		CHECK_EQ(perfdata_rewriter_new(&options, &rewriter, NULL), PERFDATA_OK);
		CHECK_EQ(perfdata_rewriter_copy(rewriter, first), PERFDATA_OK);
		if (finished) {
			CHECK_EQ(perfdata_rewriter_finish(rewriter), PERFDATA_OK);
			CHECK_EQ(perfdata_rewriter_finish(rewriter), PERFDATA_EUSAGE);
		} else {
			CHECK_EQ(perfdata_rewriter_copy(rewriter, second), PERFDATA_EUSAGE);
			CHECK(strstr(perfdata_rewriter_error(rewriter)->message, "one recording") != NULL);
		}
		perfdata_rewriter_free(rewriter);
		perfdata_text_release(&out);
		perfdata_reader_close(first);
		first = second;
	}
	/* a session is of one reader */
	perfdata_text_init(&out);
	struct perfdata_session *session = NULL;
	const struct perfdata_session_options how = { .size = sizeof how, .needs = NEEDS };
	first = open_reader(NULL, PERFDATA_ORDER_TIME, true);
	second = open_reader(NULL, PERFDATA_ORDER_TIME, true);
	CHECK_EQ(perfdata_rewriter_new(&options, &rewriter, NULL), PERFDATA_OK);
	CHECK_EQ(perfdata_session_open(first, &how, &session, NULL), PERFDATA_OK);
	CHECK_EQ(perfdata_rewriter_copy_unwound(rewriter, second, session), PERFDATA_EUSAGE);
	CHECK(strstr(perfdata_rewriter_error(rewriter)->message, "another reader") != NULL);
	perfdata_rewriter_free(rewriter);
	perfdata_session_close(session);
	perfdata_reader_close(first);
	perfdata_reader_close(second);
	perfdata_text_release(&out);
}

/* --- functions of the caller that fail ---------------------------------------------------------------------------- */

struct sink {
	long calls;      /* that succeed */
	int failure;     /* of the next one */
};

static enum perfdata_status sink_write(void *user, const void *bytes, size_t size)
{
	struct sink *sink = user;
	(void)bytes, (void)size;
	return sink->calls-- > 0 ? PERFDATA_OK : (enum perfdata_status)sink->failure;
}

static void test_failing_writes(void)
{
	static const struct { int failure, expected;
	} ways[] = {
		{ PERFDATA_EWRITE, PERFDATA_EWRITE }, { PERFDATA_ENOMEM, PERFDATA_ENOMEM },
		{ PERFDATA_EINTR, PERFDATA_EINTR },   { PERFDATA_EREAD, PERFDATA_EREAD },
		{ PERFDATA_END, PERFDATA_EWRITE },    { PERFDATA_DAMAGED, PERFDATA_EWRITE },
		{ PERFDATA_ABSENT, PERFDATA_EWRITE },
	};
	static const char *const names[] = { "callgraph-73.data", "stream-73.pipe" };
	for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
		for (unsigned kind = 0; kind < 4; kind++) {
			enum perfdata_status status = PERFDATA_EINTR;
			long calls = 0;
			for (; status != PERFDATA_OK && calls < 1000; calls++) {
				struct sink sink = { calls, ways[i].failure };
				const struct perfdata_rewrite_options options = {
					.size = sizeof options,
					.form = kind & 2 ? PERFDATA_REWRITE_TO_STREAM : PERFDATA_REWRITE_TO_FILE,
					.write = sink_write,
					.write_user = &sink,
				};
				struct perfdata_reader *reader = open_reader(names[kind & 1], PERFDATA_ORDER_FILE,
									     true);
				struct perfdata_rewriter *rewriter = NULL;
				CHECK_EQ(perfdata_rewriter_new(&options, &rewriter, NULL), PERFDATA_OK);
				status = perfdata_rewriter_copy(rewriter, reader);
				if (status == PERFDATA_OK)
					status = perfdata_rewriter_finish(rewriter);
				if (status != PERFDATA_OK)
					CHECK_EQ(status, ways[i].expected);
				CHECK_EQ(perfdata_rewriter_error(rewriter)->status, status);
				perfdata_rewriter_free(rewriter);
				perfdata_reader_close(reader);
			}
			CHECK(calls > 1 && calls < 1000);
		}
}

static int output_failure;
static long output_calls;

static int output_write(void *user, const void *bytes, size_t size)
{
	(void)user, (void)bytes, (void)size;
	return output_calls-- > 0 ? 0 : output_failure;
}

static int output_close(void *user, bool keep)
{
	(void)user, (void)keep;
	return output_calls-- > 0 ? 0 : output_failure;
}

/* Whatever errno value a function of the caller gives, the output failed: the library has memory and files enough. */
static void test_failing_outputs(void)
{
	static const int failures[] = { ENOSPC, EIO, EPIPE, ENOMEM, EMFILE, ENOENT };
	const struct perfdata_output_callbacks functions = { .size = sizeof functions,
							     .write = output_write,
							     .close = output_close };
	char path[8192];
	snprintf(path, sizeof path, "%s/callgraph-73.data", folder);
	for (size_t i = 0; i < sizeof failures / sizeof *failures; i++) {
		enum perfdata_status status = PERFDATA_EINTR;
		long calls = 0;
		for (; status != PERFDATA_OK && calls < 100; calls++) {
			struct perfdata_input *input = perfdata_input_path(path);
			struct perfdata_output *output = perfdata_output_callbacks(&functions, NULL);
			struct perfdata_error error = { 0 };
			output_calls = calls;
			output_failure = failures[i];
			status = perfdata_convert(input, output, "ndjson", NULL, NULL, &error);
			const enum perfdata_status closed = perfdata_output_close(output, status == PERFDATA_OK,
										  status ? NULL : &error);
			status = status == PERFDATA_OK ? closed : status;
			if (status != PERFDATA_OK) {
				CHECK_EQ(status, PERFDATA_EWRITE);
				CHECK_EQ(error.status, PERFDATA_EWRITE);
				CHECK_EQ(error.os_error, failures[i]);
			}
			perfdata_input_free(input);
		}
		CHECK(calls > 1 && calls < 100);
	}
}

/* --- keys --------------------------------------------------------------------------------------------------------- */

static void anonymize(const char *key, struct perfdata_text *out)
{
	struct perfdata_anonymize_options how = { .size = sizeof how };
	const struct perfdata_rewrite_options options = { .size = sizeof options,
							  .anonymize = &how,
							  .write = take_bytes,
							  .write_user = out };
	struct perfdata_rewriter *rewriter = NULL;
	struct perfdata_reader *first = open_reader(NULL, PERFDATA_ORDER_FILE, false),
			       *second = open_reader(NULL, PERFDATA_ORDER_TIME, true);
	if (key)
		perfdata_anonymize_key(key, strlen(key), how.key);
	perfdata_text_init(out);
	CHECK_EQ(perfdata_rewriter_new(&options, &rewriter, NULL), PERFDATA_OK);
	CHECK_EQ(perfdata_rewriter_survey(rewriter, first), PERFDATA_OK);
	CHECK_EQ(perfdata_rewriter_copy(rewriter, second), PERFDATA_OK);
	CHECK_EQ(perfdata_rewriter_finish(rewriter), PERFDATA_OK);
	perfdata_rewriter_free(rewriter);
	perfdata_reader_close(first);
	perfdata_reader_close(second);
}

/* A key that everybody knows would let everybody look up pseudonyms: no key is one that nobody knows. */
static void test_keys(void)
{
	static const char *const keys[] = { "one key for tests", "one key for tests", "another for tests", NULL, NULL };
	enum { KEYS = sizeof keys / sizeof *keys };
	struct perfdata_text out[KEYS];
	for (unsigned i = 0; i < KEYS; i++)
		anonymize(keys[i], &out[i]);
	for (unsigned i = 0; i < KEYS; i++)
		for (unsigned k = 0; k < i; k++) {
			const bool same = out[i].size == out[k].size && !memcmp(out[i].data, out[k].data, out[i].size);
			CHECK_EQ(same, i == 1 && k == 0);
		}
	for (unsigned i = 0; i < KEYS; i++)
		perfdata_text_release(&out[i]);
}

int main(void)
{
	const char *top = getenv("top_srcdir");
	snprintf(folder, sizeof folder, "%s/testdata", top ? top : ".");
	static const struct unit_case cases[] = {
		{ "a reader or session that does not fit is refused", test_given },
		{ "a rewriter makes one recording", test_one_recording },
		{ "a function that fails to write ends the rewriting", test_failing_writes },
		{ "a function that fails is a failure of the output", test_failing_outputs },
		{ "a key of zeros is made at random", test_keys },
	};
	return unit_main(cases, sizeof cases / sizeof *cases);
}
