/* SPDX-License-Identifier: MIT */
/* Tables by the Arrow C stream interface: every table of several recordings holds together, values are those of the
 * records, children outlive their parents and all outlive the stream; what is asked for wrongly, and memory that runs
 * out, is said. */
#define _GNU_SOURCE
#include "config.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include "alloc_fail_pieces.h"
#include "perfdata/convert.h"
#include "perfdata/table.h"
#include "schema/schema.h"
#include "reader/reader.h"
#include "unit.h"

static char folder[3072];

static struct perfdata_reader *open_recording(const char *name, const struct perfdata_reader_options *options)
{
	char path[4096];
	struct perfdata_reader *reader = NULL;
	snprintf(path, sizeof path, "%s/%s", folder, name);
	CHECK_EQ(perfdata_reader_open_path(path, options, &reader, NULL), PERFDATA_OK);
	return reader;
}

/* --- what holds for every array ----------------------------------------------------------------------------------- */

static bool bit(const struct ArrowArray *array, unsigned buffer, int64_t index)
{
	const uint8_t *bits = array->buffers[buffer];
	return bits[index / 8] >> index % 8 & 1;
}

static bool is_null(const struct ArrowArray *array, int64_t index)
{
	return array->buffers[0] && !bit(array, 0, index);
}

static void check_array(const struct ArrowSchema *schema, const struct ArrowArray *array)
{
	int64_t nulls = 0;
	const bool offsets = strchr("uz", *schema->format) || !strcmp(schema->format, "+l");
	CHECK(schema->release && array->release && schema->name && array->length >= 0 && array->offset == 0);
	CHECK_EQ(array->n_children, schema->n_children);
	CHECK_EQ(array->n_buffers, !strcmp(schema->format, "+s")                      ? 1
				   : *schema->format == 'u' || *schema->format == 'z' ? 3
										      : 2);
	for (int64_t i = 0; i < array->length; i++)
		nulls += is_null(array, i);
	CHECK_EQ(nulls, array->null_count);
	CHECK(!nulls || schema->flags & ARROW_FLAG_NULLABLE);
	const int32_t *ends = offsets ? array->buffers[1] : NULL;
	for (int64_t i = 0; ends && i < array->length; i++)
		if (ends[i] > ends[i + 1] || ends[0] || (is_null(array, i) && ends[i] != ends[i + 1]))
			FAIL("offsets do not rise");
	for (int64_t i = 0; i < array->n_children; i++) {
		check_array(schema->children[i], array->children[i]);
		CHECK_EQ(array->children[i]->length,
			 *schema->format == '+' && ends ? ends[array->length] : array->length);
	}
}

/* Rows of a table, or -1; each of at most `batch_rows` is checked. */
static int64_t rows_of(const char *file, const char *name, uint32_t batch_rows, int *ret_arrays)
{
	struct perfdata_finding_list *findings = perfdata_finding_list_new();
	const struct perfdata_reader_options reading = { .size = sizeof reading, .order = PERFDATA_ORDER_TIME };
	const struct perfdata_table_options options = {
		.size = sizeof options, .batch_rows = batch_rows, .close_reader = true, .findings = findings
	};
	struct ArrowArrayStream stream;
	struct ArrowSchema schema;
	struct ArrowArray array;
	int64_t rows = 0;
	struct perfdata_reader *reader = open_recording(file, &reading);
	*ret_arrays = 0;
	const enum perfdata_status status = perfdata_table_stream(reader, name, &options, &stream, NULL);
	if (status) {
		perfdata_reader_close(reader);
		perfdata_finding_list_free(findings);
		return -1;
	}
	CHECK_EQ(stream.get_schema(&stream, &schema), 0);
	CHECK_STR(schema.format, "+s");
	for (;;) {
		CHECK_EQ(stream.get_next(&stream, &array), 0);
		if (!array.release)
			break;
		check_array(&schema, &array);
		CHECK(array.length > 0);
		rows += array.length;
		++*ret_arrays;
		array.release(&array);
		CHECK(!array.release);
	}
	CHECK(!stream.get_last_error(&stream));
	stream.release(&stream);
	CHECK(!stream.release);
	schema.release(&schema);
	perfdata_finding_list_free(findings);
	return rows;
}

static void test_tables(void)
{
	static const char *const tables[] = { "recordings", "events",    "samples",   "stacks", "frames",
					      "mappings",   "build_ids", "threads",   "lost",   "cpu",
					      "features",   "findings",  "callchain", "mmap2",  "switch" };
	static const char *const files[] = { "callgraph-73.data", "group-73.data",  "trace-73.data",
					     "bad-garbage.data",  "stream-73.pipe", "zstd-73.data",
					     "registers-73.data", "threads-73.dir", "stat-73.data" };
	int arrays;
	for (size_t i = 0; i < sizeof files / sizeof *files; i++)
		for (size_t k = 0; k < sizeof tables / sizeof *tables; k++)
			CHECK(rows_of(files[i], tables[k], 0, &arrays) >= 0);
	CHECK_EQ(rows_of("callgraph-73.data", "recordings", 0, &arrays), 1);
	CHECK_EQ(rows_of("callgraph-73.data", "samples", 0, &arrays), 37);
	CHECK_EQ(arrays, 1);
	CHECK_EQ(rows_of("trace-73.data", "event:sched:sched_process_fork", 0, &arrays), 3);
	CHECK_EQ(rows_of("trace-73.data", "event:signal:signal_generate", 0, &arrays), 0);
}

/* --- values ------------------------------------------------------------------------------------------------------- */

#define CHOSEN "time,ip,callchain,comm,tid"
enum { RECORDING, TIME, IP, CALLCHAIN, COMM, TID };

static void check_row(const struct ArrowArray *array, int64_t row, const struct perfdata_record *record)
{
	const struct perfdata_sample *sample = &record->u.sample;
	const struct ArrowArray *chains = array->children[CALLCHAIN];
	const int32_t *ends = chains->buffers[1];
	const uint64_t *words = chains->children[0]->buffers[1];
	CHECK_EQ(((const int64_t *)array->children[TIME]->buffers[1])[row], sample->time);
	CHECK_EQ(((const uint64_t *)array->children[IP]->buffers[1])[row], sample->ip);
	CHECK_EQ(((const int32_t *)array->children[TID]->buffers[1])[row], sample->tid);
	CHECK_EQ(ends[row + 1] - ends[row], sample->callchain.count);
	for (uint64_t i = 0; i < sample->callchain.count && i < (uint64_t)(ends[row + 1] - ends[row]); i++)
		CHECK_EQ(words[ends[row] + (int64_t)i], perfdata_list_u64(&sample->callchain, i));
}

static void test_values(void)
{
	const struct perfdata_table_options options = {
		.size = sizeof options, .columns = CHOSEN, .recording = "mine", .close_reader = true
	};
	const struct perfdata_reader_options in_time = { .size = sizeof in_time, .order = PERFDATA_ORDER_TIME };
	struct perfdata_reader *reader = open_recording("callgraph-73.data", NULL),
			       *again = open_recording("callgraph-73.data", &in_time);
	struct perfdata_record *record = perfdata_record_new();
	struct ArrowArrayStream stream;
	struct ArrowSchema schema;
	struct ArrowArray array, names;
	const struct perfdata_raw *raw;
	int64_t row = 0;
	CHECK_EQ(perfdata_table_stream(reader, "samples", &options, &stream, NULL), PERFDATA_OK);
	CHECK_EQ(stream.get_schema(&stream, &schema), 0);
	CHECK_EQ(stream.get_next(&stream, &array), 0);
	stream.release(&stream);
	CHECK_EQ(schema.n_children, TID + 1);
	CHECK_STR(schema.children[RECORDING]->name, "recording");
	CHECK_EQ(schema.children[RECORDING]->flags, 0);
	CHECK_STR(schema.children[TIME]->format, "l");
	CHECK_STR(schema.children[IP]->format, "L");
	CHECK_STR(schema.children[CALLCHAIN]->format, "+l");
	CHECK_STR(schema.children[CALLCHAIN]->children[0]->format, "L");
	CHECK_STR(schema.children[COMM]->format, "u");
	CHECK_STR(schema.children[TID]->format, "i");
	while (perfdata_reader_next(again, &raw) == PERFDATA_OK)
		if (raw->type == PERFDATA_RECORD_SAMPLE && perfdata_raw_decode(again, raw, record) == PERFDATA_OK)
			check_row(&array, row++, record);
	CHECK_EQ(row, array.length);
	/* a child is taken out, and lives on */
	names = *array.children[RECORDING];
	array.children[RECORDING]->release = NULL;
	array.release(&array);
	schema.release(&schema);
	CHECK(!memcmp(names.buffers[2], "minemine", 8));
	CHECK_EQ(((const int32_t *)names.buffers[1])[row], 4 * row);
	names.release(&names);
	perfdata_record_free(record);
	perfdata_reader_close(again);
}

static void test_batches(void)
{
	int arrays;
	/* arrays end where batches of the session do, so a small recording may be one */
	CHECK_EQ(rows_of("callgraph-73.data", "samples", 1, &arrays), 37);
	CHECK(arrays >= 1);
}

/* --- what goes wrong ---------------------------------------------------------------------------------------------- */

static void test_errors(void)
{
	static const struct { const char *table, *columns; enum perfdata_status status;
	} wrong[] = {
		{ "smaples", NULL, PERFDATA_EUSAGE },        { "", NULL, PERFDATA_EUSAGE },
		{ "samples,events", NULL, PERFDATA_EUSAGE }, { "samples", "tiem", PERFDATA_EUSAGE },
		{ "event:no:such", NULL, PERFDATA_ABSENT },
	};
	struct perfdata_table_options options = { .size = sizeof options };
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
		struct perfdata_reader *reader = open_recording("trace-73.data", NULL);
		struct ArrowArrayStream stream;
		struct perfdata_error error;
		options.columns = wrong[i].columns;
		CHECK_EQ(perfdata_table_stream(reader, wrong[i].table, &options, &stream, &error), wrong[i].status);
		CHECK(error.status == wrong[i].status && *error.message);
		perfdata_reader_close(reader);
	}
}

struct source {
	FILE *file;
	long left;                    /* bytes until it cannot be read any more */
};

static int read_some(void *user, void *buffer, size_t room, size_t *ret_got)
{
	struct source *source = user;
	if (!source->left)
		return EIO;
	*ret_got = fread(buffer, 1, room < (size_t)source->left ? room : (size_t)source->left, source->file);
	source->left -= (long)*ret_got;
	return 0;
}

/* The stream returns everything that was read, and then says that something is missing. */
static void test_read_error(void)
{
	char path[4096];
	snprintf(path, sizeof path, "%s/stream-trace-73.pipe", folder);
	struct source source = { .file = fopen(path, "rb") };
	CHECK(source.file != NULL && !fseek(source.file, 0, SEEK_END));
	source.left = ftell(source.file) - 500;
	rewind(source.file);
	const struct perfdata_input_callbacks calls = { .size = sizeof calls, .read = read_some };
	struct perfdata_input *input = perfdata_input_callbacks(&calls, &source, "failing");
	const struct perfdata_table_options options = { .size = sizeof options };
	struct perfdata_reader *reader;
	struct ArrowArrayStream stream;
	struct ArrowArray array;
	int64_t rows = 0;
	int code;
	CHECK_EQ(perfdata_reader_open(input, NULL, &reader, NULL), PERFDATA_OK);
	CHECK_EQ(perfdata_table_stream(reader, "samples", &options, &stream, NULL), PERFDATA_OK);
	while (!(code = stream.get_next(&stream, &array)) && array.release) {
		rows += array.length;
		array.release(&array);
	}
	CHECK_EQ(code, EIO);
	CHECK(strstr(stream.get_last_error(&stream), "cannot be read") != NULL);
	CHECK(rows > 0);
	CHECK(!perfdata_reader_complete(reader));
	stream.release(&stream);
	perfdata_reader_close(reader);
	perfdata_input_free(input);
	fclose(source.file);
}

/* With the allocation that fails in it, a stream says so, or gives all rows. */
static void read_stream(const char *table)
{
	static const char file[] = "callgraph-73.data";
	const struct perfdata_table_options options = { .size = sizeof options, .close_reader = true };
	struct ArrowArrayStream stream;
	struct ArrowSchema schema;
	struct ArrowArray array;
	char path[4096];
	struct perfdata_reader *reader;
	snprintf(path, sizeof path, "%s/%s", folder, file);
	if (perfdata_reader_open_path(path, NULL, &reader, NULL) != PERFDATA_OK)
		return;
	const enum perfdata_status status = perfdata_table_stream(reader, table, &options, &stream, NULL);
	if (status) {
		CHECK_EQ(status, PERFDATA_ENOMEM);
		perfdata_reader_close(reader);
		return;
	}
	if (!stream.get_schema(&stream, &schema))
		schema.release(&schema);
	for (;;) {
		const int code = stream.get_next(&stream, &array);
		CHECK(!code || (code == ENOMEM && !array.release && stream.get_last_error(&stream)));
		if (code || !array.release)
			break;
		array.release(&array);
	}
	stream.release(&stream);
}

static void read_samples(void) { read_stream("samples"); }
static void read_features(void) { read_stream("features"); }

static void test_allocations(void)
{
	int n = 0;
	while (n < 20000 && alloc_fail_run(n, read_samples))
		n++;
	CHECK(n > 100 && n < 20000);
	for (n = 0; n < 20000 && alloc_fail_run(n, read_features);)
		n++;
	CHECK(n > 100 && n < 20000);
}

int main(void)
{
	static const struct unit_case cases[] = {
		{ "every table of every kind of recording", test_tables },
		{ "values are those of the records; children live on", test_values },
		{ "small batches", test_batches },
		{ "wrong tables and columns", test_errors },
		{ "a read error in the middle", test_read_error },
		{ "each allocation", test_allocations },
	};
	const char *top = getenv("top_srcdir");
	snprintf(folder, sizeof folder, "%s/testdata", top ? top : "..");
	return unit_main(cases, sizeof cases / sizeof *cases);
}
