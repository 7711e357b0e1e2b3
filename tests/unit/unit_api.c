/* SPDX-License-Identifier: MIT */
/* What programs that were built with other headers rely on: structs of other sizes, arrays that are stepped over by
 * functions, fields by name. */
#include "config.h"
#include <stdlib.h>
#include "perfdata.h"
#include "schema/schema.h"
#include "reader/reader.h"
#include "emit/emitters.h"
#include "run/run.h"
#include "write/writing.h"
#include "unit.h"

static char recording[1024];

/* A struct of a later version: the members after ours are 0, or set. */
#define LATER(type) struct { struct type now; uint64_t later; }

static int swallow(void *user, const void *bytes, size_t size)
{
	(void)bytes;
	*(size_t *)user += size;
	return 0;
}

static int read_nothing(void *user, void *buffer, size_t room, size_t *ret_got)
{
	(void)user, (void)buffer, (void)room;
	*ret_got = 0;
	return 0;
}

static enum perfdata_status convert_to(const struct perfdata_conversion *conversion, struct perfdata_error *error)
{
	const struct perfdata_convert_options options = { .size = sizeof options, .names = PERFDATA_NO };
	struct perfdata_input *input = perfdata_input_path(recording);
	const enum perfdata_status status = perfdata_convert_several(input, &conversion, 1, &options, NULL, error);
	perfdata_input_free(input);
	return status;
}

static void test_conversions(void)
{
	struct perfdata_error error;
	struct perfdata_output *output = perfdata_output_memory();
	LATER(perfdata_conversion) later = { .now = { .size = sizeof later, .format = "folded", .output = output } };
	CHECK_EQ(convert_to(&later.now, &error), PERFDATA_OK);
	CHECK(perfdata_output_bytes(output).size > 0);
	perfdata_output_close(output, true, NULL);
	output = perfdata_output_memory();
	later.now.output = output;
	later.later = 1;
	CHECK_EQ(convert_to(&later.now, &error), PERFDATA_EUSAGE);
	CHECK(strstr(error.message, "unknown to version") != NULL);
	const struct perfdata_conversion sizeless = { .format = "folded", .output = output };
	CHECK_EQ(convert_to(&sizeless, &error), PERFDATA_EUSAGE);
	CHECK(strstr(error.message, "`size` is to be set") != NULL);
	perfdata_output_close(output, false, NULL);
}

static enum perfdata_status run_target(const struct perfdata_target *target, struct perfdata_error *error)
{
	struct perfdata_reader *reader = NULL;
	struct perfdata_session *session = NULL;
	const struct perfdata_session_options options = { .size = sizeof options, .needs = PERFDATA_NEED_RECORDS };
	CHECK_EQ(perfdata_reader_open_path(recording, NULL, &reader, error), PERFDATA_OK);
	CHECK_EQ(perfdata_session_open(reader, &options, &session, error), PERFDATA_OK);
	const enum perfdata_status status = pd_run_emitters(session, &target, 1, NULL, NULL, error);
	perfdata_session_close(session);
	perfdata_reader_close(reader);
	return status;
}

static void test_targets(void)
{
	struct perfdata_error error;
	struct perfdata_output *output = perfdata_output_memory();
	const struct perfdata_emitter *emitter = perfdata_registry_find(NULL, "ndjson");
	LATER(perfdata_target) later = { .now = { .size = sizeof later, .emitter = emitter, .output = output } };
	CHECK_EQ(run_target(&later.now, &error), PERFDATA_OK);
	later.later = 1;
	CHECK_EQ(run_target(&later.now, &error), PERFDATA_EUSAGE);
	later.now.size = 8;
	CHECK_EQ(run_target(&later.now, &error), PERFDATA_EUSAGE);
	perfdata_output_close(output, true, NULL);
}

static void test_output_callbacks(void)
{
	struct perfdata_error error;
	size_t bytes = 0;
	LATER(perfdata_output_callbacks) later = { .now = { .size = sizeof later, .write = swallow } };
	struct perfdata_output *output = perfdata_output_callbacks(&later.now, &bytes);
	CHECK_EQ(perfdata_output_open(output, &error), PERFDATA_OK);
	CHECK_EQ(perfdata_output_write(output, "text", 4), PERFDATA_OK);
	perfdata_output_close(output, true, NULL);
	CHECK_EQ(bytes, 4);
	later.later = 1;
	output = perfdata_output_callbacks(&later.now, &bytes);
	CHECK_EQ(perfdata_output_open(output, &error), PERFDATA_EUSAGE);
	CHECK(strstr(error.message, "unknown to version") != NULL);
	perfdata_output_close(output, false, NULL);
	CHECK_EQ(bytes, 4);
}

static void test_input_callbacks(void)
{
	struct perfdata_error error;
	struct perfdata_reader *reader = NULL;
	LATER(perfdata_input_callbacks) later = { .now = { .size = sizeof later, .read = read_nothing } };
	struct perfdata_input *input = perfdata_input_callbacks(&later.now, NULL, "callbacks");
	CHECK_EQ(perfdata_reader_open(input, NULL, &reader, &error), PERFDATA_EFORMAT);
	perfdata_input_free(input);
	later.later = 1;
	input = perfdata_input_callbacks(&later.now, NULL, "callbacks");
	CHECK_EQ(perfdata_reader_open(input, NULL, &reader, &error), PERFDATA_EUSAGE);
	CHECK(strstr(error.message, "unknown to version") != NULL);
	perfdata_input_free(input);
}

static enum perfdata_status drop(void *user, const void *bytes, size_t size)
{
	(void)user;
	(void)bytes;
	(void)size;
	return PERFDATA_OK;
}

static void test_rewriters(void)
{
	struct perfdata_error error;
	struct perfdata_rewriter *rewriter;
	LATER(perfdata_anonymize_options) names = { .now = { .size = sizeof names } };
	LATER(perfdata_rewrite_options)
	later = { .now = { .size = sizeof later, .write = drop, .anonymize = &names.now } };
	CHECK_EQ(perfdata_rewriter_new(&later.now, &rewriter, &error), PERFDATA_OK);
	perfdata_rewriter_free(rewriter);
	names.later = 1;
	CHECK_EQ(perfdata_rewriter_new(&later.now, &rewriter, &error), PERFDATA_EUSAGE);
	names.later = 0;
	later.later = 1;
	CHECK_EQ(perfdata_rewriter_new(&later.now, &rewriter, &error), PERFDATA_EUSAGE);
	CHECK(strstr(error.message, "unknown to version") != NULL);
	later.now.size = 8;
	CHECK_EQ(perfdata_rewriter_new(&later.now, &rewriter, &error), PERFDATA_EUSAGE);
}

static void test_emitters(void)
{
	struct perfdata_error error;
	struct perfdata_registry *registry = perfdata_registry_new();
	LATER(perfdata_emitter) later = { .now = *perfdata_registry_find(NULL, "folded") };
	later.now.size = sizeof later;
	later.now.name = "later";
	CHECK_EQ(pd_registry_add(registry, &later.now, &error), PERFDATA_OK);
	CHECK(perfdata_registry_find(registry, "later") != NULL);
	later.later = 1;
	CHECK_EQ(pd_registry_add(registry, &later.now, &error), PERFDATA_EUSAGE);
	perfdata_registry_free(registry);
}

/* Each field of each view is found by its member, and by nothing that is no field. */
static void test_field_bits(void)
{
	const struct perfdata_layout *layout;
	CHECK_EQ(perfdata_layout_bits(NULL, 8), 0);
	for (size_t i = 0; (layout = perfdata_record_layout_at(i)); i++) {
		uint64_t all = 0;
		for (uint32_t k = 0; k < layout->nr_fields; k++) {
			if (layout->fields[k].kind == PERFDATA_KIND_PAD)
				continue;
			const uint64_t bits = perfdata_layout_bits(layout, layout->fields[k].member);
			CHECK(bits >> k & 1);
			all |= bits;
		}
		for (uint32_t k = 0; k < layout->nr_fields; k++)
			CHECK_EQ(all >> k & 1, layout->fields[k].kind != PERFDATA_KIND_PAD);
		CHECK_EQ(perfdata_layout_bits(layout, layout->view_size), 0);
	}
	const uint64_t attr = perfdata_layout_bits(perfdata_attr_layout(), offsetof(struct perfdata_attr, config1));
	CHECK(attr && !(attr & (attr - 1)));
}

/* The functions of rows return what the rows hold. */
static void test_rows(void)
{
	const struct perfdata_layout *layout;
	const struct perfdata_field *field;
	for (size_t i = 0; (layout = perfdata_record_layout_at(i)); i++) {
		CHECK_STR(perfdata_layout_name(layout), layout->name);
		CHECK_EQ(perfdata_layout_id(layout), layout->id);
		size_t nr = 0;
		for (; (field = perfdata_layout_field(layout, nr)); nr++) {
			CHECK(field == &layout->fields[nr]);
			CHECK_STR(perfdata_field_name(field), field->name);
			CHECK_EQ(perfdata_field_kind(field), field->kind);
			CHECK_EQ(perfdata_field_show(field), field->show);
			CHECK_EQ(perfdata_field_unit(field), field->unit);
			CHECK(perfdata_field_names(field) == field->names && perfdata_field_bits(field) == field->bits);
		}
		CHECK_EQ(nr, layout->nr_fields);
	}
}

/* The row of that name. */
static const struct perfdata_field *row(const struct perfdata_layout *layout, const char *name)
{
	const struct perfdata_field *field;
	for (size_t i = 0; (field = perfdata_layout_field(layout, i)); i++)
		if (strcmp(perfdata_field_name(field), name) == 0)
			return field;
	return NULL;
}

static void test_numbers(void)
{
	const struct perfdata_layout *mmap2 = perfdata_record_layout(PERFDATA_RECORD_MMAP2);
	const struct perfdata_mmap2 view = { .pid = -1, .tid = 7, .addr = UINT64_MAX - 1, .prot = UINT32_MAX,
					     .build_id_size = 20 };
	uint64_t value = 0;
	CHECK(perfdata_field_number(row(mmap2, "pid"), &view, &value) && value == UINT64_MAX);
	CHECK(perfdata_field_number(row(mmap2, "tid"), &view, &value) && value == 7);
	CHECK(perfdata_field_number(row(mmap2, "addr"), &view, &value) && value == UINT64_MAX - 1);
	CHECK(perfdata_field_number(row(mmap2, "prot"), &view, &value) && value == UINT32_MAX);
	CHECK(perfdata_field_number(row(mmap2, "build_id_size"), &view, &value) && value == 20);
	CHECK(!perfdata_field_number(row(mmap2, "filename"), &view, &value));
}

/* Elements of lists for programs whose struct has fewer members, or more. */
static void test_elements(void)
{
	static const uint8_t bytes[] = {
		1, 0, 0, 0, 0, 0, 0, 0, 'i', 'n', 'i', 't', 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
		2, 0, 0, 0, 0, 0, 0, 0, 's', 'h', 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	};
	const struct perfdata_layout *map = perfdata_record_layout(PERFDATA_RECORD_THREAD_MAP);
	const struct perfdata_list threads = {
		.data = bytes, .count = 2, .stride = 24, .swap = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__, .present = 3,
		.element = row(map, "threads")->element,
	};
	struct { uint64_t pid, guard; } early = { 0, 5 };
	LATER(perfdata_thread_map_entry) later;
	perfdata_list_get(&threads, 1, &early, sizeof early.pid);
	CHECK(early.pid == 2 && early.guard == 5);
	memset(&later, 0xff, sizeof later);
	perfdata_list_get(&threads, 1, &later, sizeof later);
	CHECK(later.now.pid == 2 && later.now.comm.size == 2 && memcmp(later.now.comm.data, "sh", 2) == 0);
	CHECK_EQ(later.later, 0);
}

/* A filter belongs to session options by a pointer, so that both can grow. */
static void test_filters(void)
{
	struct perfdata_error error;
	struct perfdata_reader *reader = NULL;
	struct perfdata_session *session = NULL;
	LATER(perfdata_filter) later = { .now = { .size = sizeof later } };
	const struct perfdata_session_options options = { .size = sizeof options, .filter = &later.now };
	CHECK_EQ(perfdata_reader_open_path(recording, NULL, &reader, &error), PERFDATA_OK);
	CHECK_EQ(perfdata_session_open(reader, &options, &session, &error), PERFDATA_OK);
	perfdata_session_close(session);
	later.later = 1;
	CHECK_EQ(perfdata_session_open(reader, &options, &session, &error), PERFDATA_EUSAGE);
	later.now.size = 0;
	CHECK_EQ(perfdata_session_open(reader, &options, &session, &error), PERFDATA_EUSAGE);
	CHECK(strstr(error.message, "`size` is to be set") != NULL);
	perfdata_reader_close(reader);
}

/* What a framed record says of itself, one record after the other, and that it lives until the next. */
static void test_framed(void)
{
	struct perfdata_error error;
	struct perfdata_reader *reader = NULL;
	const struct perfdata_raw *raw;
	uint64_t number = 0;
	CHECK_EQ(perfdata_reader_open_path(recording, NULL, &reader, &error), PERFDATA_OK);
	while (perfdata_reader_next(reader, &raw) == PERFDATA_OK) {
		const struct perfdata_bytes bytes = perfdata_raw_bytes(raw);
		CHECK(bytes.data == raw->bytes && bytes.size == raw->size && bytes.size >= 8);
		CHECK_EQ(perfdata_raw_type(raw), raw->type);
		CHECK(perfdata_raw_event(raw) == raw->event);
		CHECK_EQ(raw->number, number++);
		CHECK_EQ(perfdata_raw_time(raw), raw->time);
		CHECK_EQ(perfdata_raw_cpu(raw), raw->cpu);
	}
	CHECK(number > 10);
	perfdata_reader_close(reader);
}

/* Records of a batch and their fields, as a program reads them. */
static void test_batches(void)
{
	struct perfdata_error error;
	struct perfdata_reader *reader = NULL;
	struct perfdata_session *session = NULL;
	struct perfdata_batch *batch;
	struct perfdata_record *record = perfdata_record_new();
	const struct perfdata_session_options options = { .size = sizeof options,
							  .needs = PERFDATA_NEED_RECORDS | PERFDATA_NEED_DELIVERIES };
	size_t samples = 0, mappings = 0;
	CHECK_EQ(perfdata_reader_open_path(recording, NULL, &reader, &error), PERFDATA_OK);
	CHECK_EQ(perfdata_session_open(reader, &options, &session, &error), PERFDATA_OK);
	while (perfdata_session_next(session, &batch) == PERFDATA_OK) {
		for (size_t i = 0; i < batch->nr_deliveries; i++)
			CHECK(perfdata_batch_delivery(batch, i)->record != NULL);
		for (size_t i = 0; i < batch->nr_records; i++) {
			const struct perfdata_raw *raw = perfdata_batch_record(batch, i);
			CHECK_EQ(perfdata_raw_decode(reader, raw, record), PERFDATA_OK);
			if (perfdata_raw_type(raw) == PERFDATA_RECORD_SAMPLE) {
				samples++;
				CHECK(PERFDATA_HAS(record, sample, ip) && PERFDATA_HAS(record, sample, callchain));
				CHECK(!PERFDATA_HAS(record, sample, phys_addr));
			} else if (perfdata_raw_type(raw) == PERFDATA_RECORD_MMAP2) {
				mappings++;
				CHECK(PERFDATA_HAS(record, mmap2, filename));
				CHECK(PERFDATA_HAS(record, mmap2, build_id) != PERFDATA_HAS(record, mmap2, ino));
			}
		}
		perfdata_batch_release(batch);
	}
	CHECK(samples && mappings);
	const struct perfdata_summary *summary = perfdata_session_summary(session);
	uint64_t records = 0, counted = 0;
	for (size_t i = 0; i < summary->nr_types; i++)
		records += perfdata_summary_type(summary, i)->records;
	for (size_t i = 0; i < summary->nr_events; i++)
		counted += perfdata_summary_event(summary, i)->samples;
	CHECK(records == summary->records && counted == samples);
	for (size_t i = 0; i < summary->nr_traces; i++)
		CHECK(perfdata_summary_trace(summary, i)->buffers > 0);
	perfdata_record_free(record);
	perfdata_session_close(session);
	perfdata_reader_close(reader);
}

int main(void)
{
	static const struct unit_case cases[] = {
		{ "conversions of another size", test_conversions },
		{ "targets of another size", test_targets },
		{ "callbacks of outputs of another size", test_output_callbacks },
		{ "callbacks of inputs of another size", test_input_callbacks },
		{ "emitters of another size", test_emitters },
		{ "options of rewriters of another size", test_rewriters },
		{ "fields by their members", test_field_bits },
		{ "filters of another size", test_filters },
		{ "rows of layouts", test_rows },
		{ "numbers in views", test_numbers },
		{ "elements of another size", test_elements },
		{ "framed records", test_framed },
		{ "records of batches", test_batches },
	};
	snprintf(recording, sizeof recording, "%s/testdata/callgraph-73.data",
		 getenv("top_srcdir") ? getenv("top_srcdir") : ".");
	return unit_main(cases, sizeof cases / sizeof *cases);
}
