/* SPDX-License-Identifier: MIT */
/* What the public headers promise everywhere: zeros are defaults, options that cannot be obeyed are refused, failures
 * leave what they return alone, functions that free accept NULL, and a function of the caller that fails is a
 * failure. */
#include "config.h"
#include <errno.h>
#include <stdlib.h>
#include "perfdata.h"
#include "unit.h"
#include "reader/reader.h"
#include "schema/feature.h"
#include "symbols/symbols.h"
#include "symbols/unwind/unwind.h"
#include "write/writing.h"
#include "opening.h"

static char recording[4096], folder[4096];

/* --- options: NULL, zeros, sizes ---------------------------------------------------------------------------------- */

/* What a function does with options that are NULL or a struct; it leaves nothing open. */
typedef enum perfdata_status options_fn(const void *options, struct perfdata_error *reterr);

static enum perfdata_status drop(void *user, const void *bytes, size_t size)
{
	(void)user, (void)bytes, (void)size;
	return PERFDATA_OK;
}

static struct perfdata_reader *open_reader(const struct perfdata_reader_options *options)
{
	struct perfdata_reader *reader = NULL;
	CHECK_EQ(perfdata_reader_open_path(recording, options, &reader, NULL), PERFDATA_OK);
	return reader;
}

static enum perfdata_status use_reader(const void *options, struct perfdata_error *reterr)
{
	struct perfdata_reader *reader = NULL;
	const enum perfdata_status status = perfdata_reader_open_path(recording, options, &reader, reterr);
	CHECK((status == PERFDATA_OK) == (reader != NULL));
	perfdata_reader_close(reader);
	return status;
}

static enum perfdata_status use_session(const void *options, struct perfdata_error *reterr)
{
	struct perfdata_reader *reader = open_reader(NULL);
	struct perfdata_session *session = NULL;
	const enum perfdata_status status = perfdata_session_open(reader, options, &session, reterr);
	CHECK((status == PERFDATA_OK) == (session != NULL));
	perfdata_session_close(session);
	perfdata_reader_close(reader);
	return status;
}

static enum perfdata_status use_filter(const void *options, struct perfdata_error *reterr)
{
	const struct perfdata_session_options session = { .size = sizeof session, .filter = options };
	return use_session(&session, reterr);
}

static enum perfdata_status use_symbols(const void *options, struct perfdata_error *reterr)
{
	struct perfdata_symbols *symbols = NULL;
	const enum perfdata_status status = perfdata_symbols_new(options, &symbols);
	CHECK((status == PERFDATA_OK) == (symbols != NULL));
	perfdata_symbols_free(symbols);
	if (status != PERFDATA_OK)
		reterr->status = status;   /* this function has no message */
	return status;
}

static enum perfdata_status use_table(const void *options, struct perfdata_error *reterr)
{
	struct perfdata_reader *reader = open_reader(NULL);
	struct ArrowArrayStream stream = { 0 };
	const enum perfdata_status status = perfdata_table_stream(reader, "samples", options, &stream, reterr);
	CHECK((status == PERFDATA_OK) == (stream.release != NULL));
	if (stream.release)
		stream.release(&stream);
	perfdata_reader_close(reader);
	return status;
}

static enum perfdata_status use_conversion(const void *options, struct perfdata_error *reterr)
{
	struct perfdata_input *input = perfdata_input_path(recording);
	struct perfdata_output *output = perfdata_output_memory();
	struct perfdata_result *result = NULL;
	const enum perfdata_status status = perfdata_convert(input, output, "ndjson", options, &result, reterr);
	CHECK((status == PERFDATA_OK) == (perfdata_output_bytes(output).size > 0));
	perfdata_result_free(result);
	perfdata_output_close(output, false, NULL);
	perfdata_input_free(input);
	return status;
}

static enum perfdata_status use_match(const void *options, struct perfdata_error *reterr)
{
	struct perfdata_match *match = NULL;
	const enum perfdata_status status = perfdata_match_open(options, &match, reterr);
	CHECK((status == PERFDATA_OK) == (match != NULL));
	perfdata_match_close(match);
	return status;
}

static enum perfdata_status use_bundle(const void *options, struct perfdata_error *reterr)
{
	struct perfdata_bundle_files *files = NULL;
	const enum perfdata_status status = perfdata_bundle_files_open(folder, options, &files, reterr);
	CHECK((status == PERFDATA_OK) == (files != NULL));
	perfdata_bundle_files_close(files);
	return status;
}

static enum perfdata_status use_comparison(const void *options, struct perfdata_error *reterr)
{
	struct perfdata_input *input = perfdata_input_path(recording);
	struct perfdata_output *output = perfdata_output_memory();
	struct perfdata_baseline *side = perfdata_baseline_new();
	struct perfdata_comparison *comparison = NULL;
	const struct perfdata_convert_options how = { .size = sizeof how, .names = PERFDATA_NO };
	CHECK_EQ(perfdata_convert(input, output, "baseline", &how, NULL, reterr), PERFDATA_OK);
	const struct perfdata_bytes text = perfdata_output_bytes(output);
	CHECK_EQ(perfdata_baseline_add(side, text.data, text.size, reterr), PERFDATA_OK);
	const enum perfdata_status status = perfdata_compare(side, side, options, &comparison, reterr);
	CHECK((status == PERFDATA_OK) == (comparison != NULL));
	perfdata_comparison_free(comparison);
	perfdata_baseline_free(side);
	perfdata_output_close(output, false, NULL);
	perfdata_input_free(input);
	return status;
}

static const struct {
	const char *name;
	size_t size;
	options_fn *use;
} option_structs[] = {
	{ "reader", sizeof(struct perfdata_reader_options), use_reader },
	{ "session", sizeof(struct perfdata_session_options), use_session },
	{ "filter", sizeof(struct perfdata_filter), use_filter },
	{ "symbols", sizeof(struct perfdata_symbols_options), use_symbols },
	{ "table", sizeof(struct perfdata_table_options), use_table },
	{ "convert", sizeof(struct perfdata_convert_options), use_conversion },
	{ "match", sizeof(struct perfdata_match_options), use_match },
	{ "bundle files", sizeof(struct perfdata_bundle_files_options), use_bundle },
	{ "comparison", sizeof(struct perfdata_comparison_options), use_comparison },
};
#define NR_STRUCTS (sizeof option_structs / sizeof *option_structs)

static void test_options(void)
{
	union { max_align_t align; uint8_t bytes[1024]; size_t size; } room;
	for (size_t i = 0; i < NR_STRUCTS; i++) {
		const size_t size = option_structs[i].size;
		struct perfdata_error error = { 0 };
		const int before = unit_failures;
		CHECK(size + 16 <= sizeof room);
		CHECK_EQ(option_structs[i].use(NULL, &error), PERFDATA_OK);
		perfdata_options_init(&room, size);
		CHECK_EQ(room.size, size);
		CHECK_EQ(option_structs[i].use(&room, &error), PERFDATA_OK);
		/* of a later version: what this one does not know is zero, or refused */
		perfdata_options_init(&room, sizeof room);
		CHECK_EQ(option_structs[i].use(&room, &error), PERFDATA_OK);
		CHECK_EQ(error.status, PERFDATA_OK);
		room.bytes[size + 8] = 1;
		CHECK_EQ(option_structs[i].use(&room, &error), PERFDATA_EUSAGE);
		CHECK_EQ(error.status, PERFDATA_EUSAGE);
		perfdata_options_init(&room, 0);
		CHECK_EQ(option_structs[i].use(&room, &error), PERFDATA_EUSAGE);
		if (unit_failures != before)
			printf("# options of: %s\n", option_structs[i].name);
	}
}

/* Zeros look at this host, as no options do. */
static void test_zero_symbols(void)
{
	const struct perfdata_symbols_options zeros = { .size = sizeof zeros },
					      none = { .size = sizeof none, .no_host = true };
	const struct perfdata_symbols_options *const ways[] = { NULL, &zeros, &none };
	for (size_t i = 0; i < 3; i++) {
		struct perfdata_symbols *symbols;
		struct perfdata_symbols_dso *dso;
		struct perfdata_symbol symbol;
		const struct perfdata_symbols_request request = { .size = sizeof request, .path = "/proc/self/exe" };
		struct perfdata_symbols_origin origin = { 0 };
		CHECK_EQ(perfdata_symbols_new(ways[i], &symbols), PERFDATA_OK);
		CHECK_EQ(perfdata_symbols_dso(symbols, &request, &dso), PERFDATA_OK);
		(void)perfdata_symbols_lookup(dso, 0x1000, UINT64_MAX, &symbol);
		const enum perfdata_status status = pd_symbols_origin(dso, &origin);
		if (strstr(perfdata_build_info(), "elfutils"))
			CHECK((status == PERFDATA_OK && origin.file != NULL) == (ways[i] != &none));
		else
			CHECK(status != PERFDATA_OK || !origin.file);
		perfdata_symbols_free(symbols);
	}
}

/* --- sessions ----------------------------------------------------------------------------------------------------- */

/* Whether times rise throughout, and how many records there are. */
static bool in_time(enum perfdata_record_order order, uint32_t needs, size_t *ret_nr)
{
	const struct perfdata_reader_options reading = { .size = sizeof reading, .order = order };
	const struct perfdata_session_options options = { .size = sizeof options, .needs = needs };
	struct perfdata_reader *reader = open_reader(&reading);
	struct perfdata_session *session = NULL;
	struct perfdata_batch *batch;
	uint64_t last = 0;
	bool rises = true;
	*ret_nr = 0;
	CHECK_EQ(perfdata_session_open(reader, &options, &session, NULL), PERFDATA_OK);
	while (session && perfdata_session_next(session, &batch) == PERFDATA_OK) {
		for (size_t i = 0; i < batch->nr_records; i++, ++*ret_nr) {
			const struct perfdata_raw *raw = perfdata_batch_record(batch, i);
			if (perfdata_raw_type(raw) != PERFDATA_RECORD_SAMPLE)
				continue;
			rises &= perfdata_raw_time(raw) >= last;
			last = perfdata_raw_time(raw);
		}
		perfdata_batch_release(batch);
	}
	perfdata_session_close(session);
	perfdata_reader_close(reader);
	return rises;
}

static void test_order(void)
{
	const struct perfdata_raw *raw;
	size_t nr, all = 0;
	CHECK(in_time(PERFDATA_ORDER_DEFAULT, PERFDATA_NEED_RECORDS, &all) && all > 50);
	CHECK(in_time(PERFDATA_ORDER_TIME, PERFDATA_NEED_RECORDS, &nr) && nr == all);
	CHECK(!in_time(PERFDATA_ORDER_FILE, PERFDATA_NEED_RECORDS, &nr) && nr == all);
	/* a program that reads records itself gets them as they are in the file, also where a session was open */
	for (unsigned opened = 0; opened < 2; opened++) {
		struct perfdata_reader *reader = open_reader(NULL);
		struct perfdata_session *session = NULL;
		const struct perfdata_session_options options = { .size = sizeof options,
								  .needs = PERFDATA_NEED_RECORDS };
		uint64_t number = 0;
		if (opened)
			CHECK_EQ(perfdata_session_open(reader, &options, &session, NULL), PERFDATA_OK);
		perfdata_session_close(session);
		for (; perfdata_reader_next(reader, &raw) == PERFDATA_OK; number++)
			if (raw->number != number)
				FAIL("records are not in the order of the file");
		CHECK_EQ(number, all);
		perfdata_reader_close(reader);
	}
}

static void test_one_session(void)
{
	struct perfdata_error error = { 0 };
	struct perfdata_reader *reader = open_reader(NULL);
	struct perfdata_session *first = NULL, *second = NULL;
	struct perfdata_batch *batch;
	const struct perfdata_raw *raw;
	struct ArrowArrayStream stream = { 0 };
	CHECK_EQ(perfdata_session_open(reader, NULL, &first, &error), PERFDATA_OK);
	CHECK_EQ(perfdata_session_open(reader, NULL, &second, &error), PERFDATA_EUSAGE);
	CHECK(!second && strstr(error.message, "has a session already") != NULL);
	CHECK_EQ(perfdata_table_stream(reader, "samples", NULL, &stream, &error), PERFDATA_EUSAGE);
	CHECK(!stream.release);
	/* nothing was read through it: another may follow */
	perfdata_session_close(first);
	const struct perfdata_session_options options = { .size = sizeof options, .needs = PERFDATA_NEED_RECORDS };
	CHECK_EQ(perfdata_session_open(reader, &options, &first, &error), PERFDATA_OK);
	CHECK_EQ(perfdata_session_next(first, &batch), PERFDATA_OK);
	perfdata_batch_release(batch);
	perfdata_session_close(first);
	CHECK_EQ(perfdata_session_open(reader, NULL, &second, NULL), PERFDATA_EUSAGE);
	perfdata_reader_close(reader);
	reader = open_reader(NULL);
	CHECK_EQ(perfdata_reader_next(reader, &raw), PERFDATA_OK);
	CHECK_EQ(perfdata_session_open(reader, NULL, &second, &error), PERFDATA_EUSAGE);
	CHECK(!second && strstr(error.message, "records were read already") != NULL);
	perfdata_reader_close(reader);
}

/* --- functions of the caller that fail ---------------------------------------------------------------------------- */

struct source {
	FILE *file;
	long calls;      /* that succeed; then EIO */
};

static int source_read(void *user, void *buffer, size_t room, size_t *ret_got)
{
	struct source *source = user;
	if (source->calls-- <= 0)
		return ENXIO;
	*ret_got = fread(buffer, 1, room < 2000 ? room : 2000, source->file);
	return 0;
}

static int source_read_at(void *user, uint64_t offset, void *buffer, size_t room, size_t *ret_got)
{
	struct source *source = user;
	return fseek(source->file, (long)offset, SEEK_SET) ? EIO : source_read(user, buffer, room, ret_got);
}

static int source_length(void *user, uint64_t *ret_bytes)
{
	struct source *source = user;
	if (source->calls-- <= 0)
		return ENXIO;
	fseek(source->file, 0, SEEK_END);
	*ret_bytes = (uint64_t)ftell(source->file);
	return 0;
}

/* Reads with a source that fails after so many calls. True if it ended as a whole recording does. */
static bool read_source(const char *name, bool seeks, enum perfdata_record_order order, bool by_session, long calls)
{
	char path[8192];
	snprintf(path, sizeof path, "%s/%s", folder, name);
	struct source source = { .file = fopen(path, "rb"), .calls = calls };
	const struct perfdata_input_callbacks functions = {
		.size = sizeof functions,
		.read = source_read,
		.read_at = seeks ? source_read_at : NULL,
		.length = seeks ? source_length : NULL,
	};
	const struct perfdata_reader_options options = { .size = sizeof options, .order = order };
	struct perfdata_error error = { 0 };
	struct perfdata_reader *reader = NULL;
	struct perfdata_input *input = perfdata_input_callbacks(&functions, &source, NULL);
	enum perfdata_status status = perfdata_reader_open(input, &options, &reader, &error);
	if (status != PERFDATA_OK) {
		CHECK_EQ(status, PERFDATA_EREAD);
		CHECK_EQ(error.os_error, ENXIO);
	} else if (by_session) {
		struct perfdata_session *session = NULL;
		struct perfdata_batch *batch;
		CHECK_EQ(perfdata_session_open(reader, NULL, &session, NULL), PERFDATA_OK);
		while ((status = perfdata_session_next(session, &batch)) == PERFDATA_OK)
			perfdata_batch_release(batch);
		if (status != PERFDATA_END)
			CHECK_EQ(perfdata_session_error(session)->os_error, ENXIO);
		CHECK_EQ(perfdata_session_summary(session)->complete, status == PERFDATA_END &&
								      perfdata_reader_complete(reader));
		perfdata_session_close(session);
	} else {
		const struct perfdata_raw *raw;
		while ((status = perfdata_reader_next(reader, &raw)) == PERFDATA_OK)
			;
		CHECK_EQ(perfdata_reader_next(reader, &raw), status);   /* and so it stays */
		if (status != PERFDATA_END)
			CHECK_EQ(perfdata_reader_error(reader)->os_error, ENXIO);
	}
	const bool complete = reader && perfdata_reader_complete(reader);
	CHECK(status == PERFDATA_END || status == PERFDATA_EREAD);
	/* a failed read is never the end of a whole recording */
	CHECK(complete || source.calls < 0);
	CHECK(!complete || source.calls >= 0);
	if (source.calls >= 0)
		CHECK_EQ(status, PERFDATA_END);
	perfdata_reader_close(reader);
	perfdata_input_free(input);
	fclose(source.file);
	return complete && status == PERFDATA_END;
}

static void test_failing_sources(void)
{
	static const char *const names[] = { "callgraph-73.data", "stream-73.pipe", "zstd-73.data" };
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		for (unsigned way = 0; way < 8; way++) {
			long calls = 0;
			while (!read_source(names[i], way & 1, way & 2 ? PERFDATA_ORDER_TIME : PERFDATA_ORDER_FILE,
					    way & 4, calls) &&
			       calls < 1000)
				calls++;
			CHECK(calls > 2 && calls < 1000);
		}
}

/* --- what every function promises --------------------------------------------------------------------------------- */

static void test_free_of_nothing(void)
{
	perfdata_reader_close(NULL);
	perfdata_session_close(NULL);
	perfdata_batch_release(NULL);
	perfdata_symbols_free(NULL);
	pd_unwinder_free(NULL);
	perfdata_memory_free(NULL);
	perfdata_cancel_free(NULL);
	perfdata_finding_list_free(NULL);
	perfdata_input_free(NULL);
	perfdata_result_free(NULL);
	perfdata_registry_free(NULL);
	perfdata_baseline_free(NULL);
	perfdata_comparison_free(NULL);
	perfdata_match_close(NULL);
	perfdata_bundle_free(NULL);
	perfdata_bundle_files_close(NULL);
	pd_writer_free(NULL);
	perfdata_rewriter_free(NULL);
	perfdata_lost_sums_free(NULL);
	perfdata_record_free(NULL);
	pd_feature_free(NULL);
	CHECK_EQ(perfdata_output_close(NULL, true, NULL), PERFDATA_OK);
	size_t nr = 1;
	uint64_t total = 1;
	(void)perfdata_finding_list_get(NULL, &nr, &total);
	CHECK(nr == 0 && total == 0);
}

/* Failures set reterr, which may be NULL, and leave what they return alone. */
static void test_failed_returns(void)
{
	struct perfdata_reader *const mark = (struct perfdata_reader *)(void *)recording, *reader = mark;
	struct perfdata_error error;
	for (unsigned with_error = 0; with_error < 2; with_error++) {
		struct perfdata_error *reterr = with_error ? &error : NULL;
		memset(&error, 0xff, sizeof error);
		CHECK_EQ(perfdata_reader_open_path("no/such/file", NULL, &reader, reterr), PERFDATA_EREAD);
		CHECK(reader == mark && (!reterr || (error.os_error == ENOENT && error.status == PERFDATA_EREAD)));
		CHECK_EQ(open_memory("no recording", 12, NULL, NULL, &reader, reterr),
			 PERFDATA_EFORMAT);
		CHECK(reader == mark && (!reterr || error.os_error == 0));
		CHECK_EQ(open_fd(-1, NULL, NULL, &reader, reterr), PERFDATA_EREAD);
		CHECK(reader == mark && (!reterr || error.os_error == EBADF));
		CHECK(!reterr || (!strchr(error.message, '\n') && error.offset == PERFDATA_NO_OFFSET));
	}
	error.status = PERFDATA_EINTR;
	CHECK_EQ(perfdata_reader_open_path(recording, NULL, &reader, &error), PERFDATA_OK);
	CHECK(reader != mark && error.status == PERFDATA_EINTR);   /* set on failure only */
	perfdata_reader_close(reader);
}

static void test_texts(void)
{
	for (int status = -9; status <= 4; status++) {
		const char *text = perfdata_status_text((enum perfdata_status)status);
		CHECK(text && *text && text[strspn(text, "abcdefghijklmnopqrstuvwxyz ,.")] == 0);
	}
	const struct perfdata_finding_info *row;
	unsigned last = 0;
	size_t nr = 0;
	for (; (row = perfdata_finding_at(nr)); nr++) {
		CHECK((unsigned)row->code > last && row->name && *row->meaning && *row->advice);
		CHECK(perfdata_finding_lookup(row->code) == row);
		last = row->code;
	}
	CHECK(nr > 20 && !perfdata_finding_at(nr) && !perfdata_finding_lookup(last + 1) && !perfdata_finding_lookup(0));
}

/* A limit below the least one counts as the least one: both hold the same, and neither fails. */
static void test_limits(void)
{
	static const uint64_t limits[] = { 1, 4096, PERFDATA_LEAST_MEMORY };
	uint64_t peaks[3], records[3];
	for (size_t i = 0; i < 3; i++) {
		struct perfdata_memory *memory = NULL;
		CHECK_EQ(perfdata_memory_new(limits[i], NULL, &memory), PERFDATA_OK);
		const struct perfdata_reader_options options = { .size = sizeof options, .memory = memory,
								 .max_memory = limits[i] };
		const struct perfdata_session_options session_options = { .size = sizeof session_options,
									  .needs = PERFDATA_NEED_RECORDS };
		struct perfdata_reader *reader = open_reader(&options);
		struct perfdata_session *session = NULL;
		struct perfdata_batch *batch;
		CHECK_EQ(perfdata_session_open(reader, &session_options, &session, NULL), PERFDATA_OK);
		while (perfdata_session_next(session, &batch) == PERFDATA_OK)
			perfdata_batch_release(batch);
		records[i] = perfdata_session_summary(session)->records;
		(void)perfdata_memory_used(memory, &peaks[i]);
		perfdata_session_close(session);
		perfdata_reader_close(reader);
		CHECK_EQ(perfdata_memory_used(memory, NULL), 0);
		perfdata_memory_free(memory);
	}
	CHECK(records[0] > 50 && records[0] == records[1] && records[0] == records[2]);
	CHECK(peaks[0] && peaks[0] == peaks[1] && peaks[0] == peaks[2]);
}

/* What needs a function to write with, or an output, says so. */
static void test_missing_parts(void)
{
	struct perfdata_error error = { 0 };
	struct perfdata_rewriter *rewriter = NULL;
	struct perfdata_output *output;
	const struct perfdata_rewrite_options wordless = { .size = sizeof wordless },
					      fine = { .size = sizeof fine, .write = drop };
	const struct perfdata_output_callbacks nothing = { .size = sizeof nothing };
	CHECK_EQ(perfdata_rewriter_new(&wordless, &rewriter, &error), PERFDATA_EUSAGE);
	CHECK(!rewriter && error.message[0]);
	CHECK_EQ(perfdata_rewriter_new(&fine, &rewriter, &error), PERFDATA_OK);
	perfdata_rewriter_free(rewriter);
	output = perfdata_output_callbacks(&nothing, NULL);
	CHECK_EQ(perfdata_output_open(output, &error), PERFDATA_EUSAGE);
	perfdata_output_close(output, false, NULL);
	struct perfdata_input *input = perfdata_input_path(recording);
	output = perfdata_output_memory();
	CHECK_EQ(perfdata_convert(input, NULL, "ndjson", NULL, NULL, &error), PERFDATA_EUSAGE);
	CHECK_EQ(perfdata_convert(input, output, NULL, NULL, NULL, &error), PERFDATA_EUSAGE);
	CHECK_EQ(perfdata_convert(input, output, "no such format", NULL, NULL, &error), PERFDATA_EUSAGE);
	CHECK_EQ(perfdata_output_bytes(output).size, 0);
	perfdata_output_close(output, false, NULL);
	perfdata_input_free(input);
}

int main(void)
{
	const char *top = getenv("top_srcdir");
	snprintf(folder, sizeof folder, "%s/testdata", top ? top : ".");
	snprintf(recording, sizeof recording, "%.4000s/callgraph-73.data", folder);
	static const struct unit_case cases[] = {
		{ "NULL and zeros are defaults; unknown options and wrong sizes are refused", test_options },
		{ "zeros look for names on this host", test_zero_symbols },
		{ "a session reads in the order of time, a program in that of the file", test_order },
		{ "a reader has one session, which sees all records", test_one_session },
		{ "a function that fails to read is a failure, after what it gave", test_failing_sources },
		{ "functions that free accept NULL", test_free_of_nothing },
		{ "failures leave what they return alone", test_failed_returns },
		{ "texts of statuses and findings", test_texts },
		{ "limits below the least one", test_limits },
		{ "what is missing is said", test_missing_parts },
	};
	return unit_main(cases, sizeof cases / sizeof *cases);
}
