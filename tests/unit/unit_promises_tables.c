/* SPDX-License-Identifier: MIT */
/* What perfdata/schema.h, feature.h, emit.h and registry.h promise about tables: layouts and their rows, trees of
 * feature sections, options of emitters and their rules, names. Configurations are shared by threads. */
#include "config.h"
#include <pthread.h>
#include <stdlib.h>
#include "perfdata.h"
#include "unit.h"

static char recording[4096];

/* --- schema.h ----------------------------------------------------------------------------------------------------- */

/* Rows are there in order until NULL, and each says what it is. */
static void check_rows(const struct perfdata_layout *layout)
{
	const struct perfdata_field *field;
	size_t nr = 0;
	for (; (field = perfdata_layout_field(layout, nr)); nr++) {
		const enum perfdata_kind kind = perfdata_field_kind(field);
		const enum perfdata_show show = perfdata_field_show(field);
		CHECK(kind <= PERFDATA_KIND_BITMAP && show <= PERFDATA_SHOW_HIDDEN);
		CHECK(perfdata_field_unit(field) <= PERFDATA_UNIT_CYCLES);
		CHECK(show != PERFDATA_SHOW_BITS || perfdata_field_bits(field));
		const struct perfdata_name *names = perfdata_field_names(field);
		for (; names && names->name; names++)
			CHECK(*names->name);
	}
	CHECK(nr < 64 && !perfdata_layout_field(layout, nr));
}

static void test_layouts(void)
{
	const struct perfdata_layout *layout;
	size_t nr = 0;
	for (; (layout = perfdata_record_layout_at(nr)); nr++) {
		CHECK(*perfdata_layout_name(layout) && perfdata_record_layout(perfdata_layout_id(layout)));
		check_rows(layout);
	}
	CHECK(nr > 30 && !perfdata_record_layout_at(nr) && !perfdata_record_layout(0xfffffff0u));
	for (uint32_t id = PERFDATA_FEATURE_TRACING_DATA; id < PERFDATA_FEATURE_LAST; id++)
		if ((layout = perfdata_feature_layout(id))) {
			CHECK_EQ(perfdata_layout_id(layout), id);
			check_rows(layout);
		}
	CHECK(!perfdata_feature_layout(0xfffffff0u));
	check_rows(perfdata_attr_layout());
	CHECK_EQ(perfdata_layout_bits(NULL, 0), 0);
	CHECK_EQ(perfdata_layout_bits(perfdata_record_layout(PERFDATA_RECORD_COMM), 60000), 0);
}

/* A COMM record: header, pid, tid, a name. */
static const unsigned char comm[] = { 3, 0, 0, 0, 0,   0,   24, 0, 0xff, 0xff, 0xff, 0xff,
				      7, 0, 0, 0, 'a', 'b', 0,  0, 0,    0,    0,    0 };

static void test_numbers(void)
{
	struct perfdata_config *config = perfdata_config_new(NULL, PERFDATA_BYTE_ORDER_LITTLE);
	struct perfdata_record *record = perfdata_record_new();
	const struct perfdata_field *field;
	unsigned numbers = 0, others = 0;
	CHECK(config && record);
	CHECK_EQ(perfdata_decode(config, comm, sizeof comm, record), PERFDATA_OK);
	CHECK(PERFDATA_HAS(record, comm, pid) && PERFDATA_HAS(record, comm, comm));
	for (size_t i = 0; (field = perfdata_layout_field(record->layout, i)); i++) {
		uint64_t value = 12345;
		if (!perfdata_field_number(field, &record->u, &value)) {
			others++;
			continue;
		}
		numbers++;
		/* signed kinds are extended */
		if (!strcmp(perfdata_field_name(field), "pid"))
			CHECK_EQ(value, UINT64_MAX);
		if (!strcmp(perfdata_field_name(field), "tid"))
			CHECK_EQ(value, 7);
	}
	CHECK(numbers >= 2 && others >= 1);
	/* cut off: the fields before the cut are there, those after it are zero, and `problem` says why */
	CHECK_EQ(perfdata_decode(config, comm, 12, record), PERFDATA_DAMAGED);
	CHECK(record->problem && PERFDATA_HAS(record, comm, pid) && !PERFDATA_HAS(record, comm, tid));
	CHECK_EQ(record->u.comm.tid, 0);
	perfdata_record_free(record);
	perfdata_config_free(config);
}

/* One configuration serves any number of threads. */
struct decoding {
	const struct perfdata_config *config;
	unsigned good;
};

static void *decode(void *user)
{
	struct decoding *decoding = user;
	struct perfdata_record *record = perfdata_record_new();
	for (unsigned i = 0; record && i < 2000; i++)
		decoding->good += perfdata_decode(decoding->config, comm, sizeof comm, record) == PERFDATA_OK &&
				  record->u.comm.tid == 7 && record->u.comm.comm.size == 2;
	perfdata_record_free(record);
	return NULL;
}

static void test_shared_config(void)
{
	struct perfdata_config *config = perfdata_config_new(NULL, PERFDATA_BYTE_ORDER_LITTLE);
	struct decoding decodings[3] = { { config, 0 }, { config, 0 }, { config, 0 } };
	pthread_t threads[3];
	for (unsigned i = 0; i < 3; i++)
		CHECK_EQ(pthread_create(&threads[i], NULL, decode, &decodings[i]), 0);
	for (unsigned i = 0; i < 3; i++) {
		CHECK_EQ(pthread_join(threads[i], NULL), 0);
		CHECK_EQ(decodings[i].good, 2000);
	}
	perfdata_config_free(config);
}

/* --- feature.h ---------------------------------------------------------------------------------------------------- */

static void test_features(void)
{
	struct perfdata_reader *reader = NULL;
	unsigned nr = 0;
	CHECK_EQ(perfdata_reader_open_path(recording, NULL, &reader, NULL), PERFDATA_OK);
	CHECK(!perfdata_node_get(NULL, "hostname"));
	for (uint32_t id = 0; id < PERFDATA_FEATURE_LAST; id++) {
		const struct perfdata_feature_section *section = perfdata_reader_feature(reader, id);
		if (!section || !section->feature)
			continue;
		const struct perfdata_node *root = perfdata_feature_root(section->feature);
		CHECK(root && root->kind == PERFDATA_KIND_STRUCT && !root->field);
		CHECK(!perfdata_node_get(root, "no such member"));
		for (const struct perfdata_node *node = root->child; node; node = node->next)
			CHECK(node->field && perfdata_node_get(root, perfdata_field_name(node->field)));
		/* a child with the section's name, alone, is the whole content; only a STRUCT has members */
		const char *name = perfdata_layout_name(perfdata_feature_layout(id));
		const struct perfdata_node *same = perfdata_node_get(root, name);
		CHECK(!same || root->child->next || root->child == same);
		CHECK(!same || same->kind == PERFDATA_KIND_STRUCT || !perfdata_node_get(same, name));
		nr++;
	}
	CHECK(nr > 8);
	perfdata_reader_close(reader);
}

/* --- emit.h, registry.h ------------------------------------------------------------------------------------------- */

static void test_options(void)
{
	const struct perfdata_emitter *report = perfdata_registry_find(NULL, "report");
	const struct perfdata_emitter_option *option, *named;
	struct perfdata_emitter_option_value value, values[3];
	struct perfdata_error error = { 0 };
	size_t nr = 0;
	CHECK(report && !perfdata_registry_find(NULL, "no such format"));
	for (; (option = perfdata_emitter_option_at(report, nr)); nr++) {
		CHECK(perfdata_emitter_option_named(report, option->name) == option);
		CHECK_EQ(perfdata_option_parse(option, "", &value, &error), PERFDATA_EUSAGE);
		CHECK(strstr(error.message, option->name) != NULL);
		if (option->kind != PERFDATA_OPTION_FLAG)
			CHECK_EQ(perfdata_option_parse(option, NULL, &value, &error), PERFDATA_EUSAGE);
		if (option->kind == PERFDATA_OPTION_CHOICE || option->kind == PERFDATA_OPTION_NUMBER)
			CHECK_EQ(perfdata_option_parse(option, "nosuch", &value, &error), PERFDATA_EUSAGE);
	}
	CHECK(nr > 8 && !perfdata_emitter_option_at(report, nr) && !perfdata_emitter_option_named(report, "nosuch"));
	named = perfdata_emitter_option_named(report, "top");
	CHECK_EQ(perfdata_option_parse(named, "3", &values[0], &error), PERFDATA_OK);
	CHECK_EQ(perfdata_option_parse(named, "4", &values[1], &error), PERFDATA_OK);
	named = perfdata_emitter_option_named(report, "tree");
	CHECK_EQ(perfdata_option_parse(named, "no", &values[2], &error), PERFDATA_OK);
	/* the last value counts; --no-FLAG; an absent option */
	CHECK_EQ(perfdata_option_number(values, 3, "top", 9), 4);
	CHECK_EQ(perfdata_option_number(values, 3, "width", 9), 9);
	CHECK(!perfdata_option_flag(values, 3, "tree", true) && perfdata_option_flag(values, 3, "json", true));
	CHECK(!perfdata_option_text(values, 3, "by"));
	CHECK_STR(perfdata_option_text(values, 3, "top"), "4");
}

/* A number, a flag and a choice, and what rules say about them. */
static void test_rules(void)
{
	static const struct perfdata_emitter_option count = { "count", PERFDATA_OPTION_NUMBER, 0, "N", "" },
						    flag = { "flag", PERFDATA_OPTION_FLAG, 0, NULL, "" },
						    mode = { "mode", PERFDATA_OPTION_CHOICE, 0, "a|b", "" };
	static const struct {
		struct perfdata_option_rule rule;
		const char *count, *mode;
		int flag;
		const char *said;
	} cases[] = {
		{ { .name = "count", .least = 2 }, "2", NULL, 0, NULL },
		{ { .name = "count", .least = 2 }, "1", NULL, 0, "at least 2" },
		{ { .name = "count", .least = 2, .most = 4 }, "5", NULL, 0, "from 2 to 4" },
		{ { .name = "count", .needs = "flag" }, "1", NULL, 0, "changes nothing without --flag" },
		{ { .name = "count", .needs = "flag" }, "1", NULL, 1, NULL },
		{ { .name = "count", .needs = "flag" }, "1", NULL, -1, "without --flag" },
		{ { .name = "count", .needs = "flag|mode=b" }, "1", "b", 0, NULL },
		{ { .name = "count", .needs = "flag|mode=b" }, "1", "a", 0, "without --flag or --mode b" },
		{ { .name = "count", .excludes = "mode=b" }, "1", "a", 0, NULL },
		{ { .name = "count", .excludes = "mode=b" }, "1", "b", 0, "--count and --mode b" },
		{ { .name = "flag", .excludes = "mode" }, NULL, "a", 1, "--flag and --mode do not go together" },
		{ { .name = "flag", .excludes = "mode" }, NULL, "a", -1, NULL }, /* --no-flag is never refused */
		{ { .name = "other", .needs = "flag" }, "1", NULL, 0, NULL },    /* not given */
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const struct perfdata_option_rule rules[] = { cases[i].rule, { 0 } };
		struct perfdata_emitter_option_value values[3];
		struct perfdata_error error = { 0 };
		size_t nr = 0;
		if (cases[i].count)
			CHECK_EQ(perfdata_option_parse(&count, cases[i].count, &values[nr++], NULL), PERFDATA_OK);
		if (cases[i].mode)
			CHECK_EQ(perfdata_option_parse(&mode, cases[i].mode, &values[nr++], NULL), PERFDATA_OK);
		if (cases[i].flag)
			CHECK_EQ(perfdata_option_parse(&flag, cases[i].flag < 0 ? "no" : NULL, &values[nr++], NULL),
				 PERFDATA_OK);
		const enum perfdata_status status = perfdata_option_rules_check(rules, values, nr, &error);
		CHECK_EQ(status, cases[i].said ? PERFDATA_EUSAGE : PERFDATA_OK);
		CHECK(!cases[i].said || strstr(error.message, cases[i].said));
	}
	CHECK_EQ(perfdata_option_rules_check(NULL, NULL, 0, NULL), PERFDATA_OK);
}

/* Rules count for conversions of programs too, before any work. */
static void test_rules_of_conversions(void)
{
	static const struct perfdata_setting useless[] = { { "map-dso", "a=b" } },
					     narrow[] = { { "svg", NULL }, { "width", "5" } };
	static const struct {
		const struct perfdata_setting *settings;
		size_t nr;
	} cases[] = { { useless, 1 }, { narrow, 2 } };
	for (size_t i = 0; i < 2; i++) {
		const struct perfdata_convert_options how = { .size = sizeof how,
							      .settings = cases[i].settings,
							      .nr_settings = cases[i].nr };
		struct perfdata_input *input = perfdata_input_path(recording);
		struct perfdata_output *output = perfdata_output_memory();
		struct perfdata_error error = { 0 };
		CHECK_EQ(perfdata_convert(input, output, "flamegraph", &how, NULL, &error), PERFDATA_EUSAGE);
		CHECK(strstr(error.message, "--") && !perfdata_output_bytes(output).size);
		perfdata_output_close(output, false, NULL);
		perfdata_input_free(input);
	}
}

static void test_names(void)
{
	char room[PERFDATA_NEAREST_SIZE];
	struct perfdata_nearest nearest = { .wanted = "cyclse" }, far = { .wanted = "cyclse" };
	perfdata_nearest_offer(&nearest, "instructions");
	perfdata_nearest_offer(&nearest, "cycles");
	perfdata_nearest_offer(&far, "instructions");
	CHECK_STR(perfdata_nearest_hint(&nearest, "--", room), "; did you mean --cycles?");
	CHECK(!far.name);
	CHECK_STR(perfdata_nearest_hint(&far, "--", room), "");
	for (unsigned i = 0; i <= PERFDATA_VERDICT_INCOMPARABLE; i++)
		CHECK(*perfdata_verdict_name((enum perfdata_verdict)i));
	for (unsigned i = 0; i <= PERFDATA_CHANGE_REGRESSED; i++)
		CHECK(*perfdata_change_name((enum perfdata_change)i));
	for (unsigned i = 0; i <= PERFDATA_SEVERITY_ERROR; i++)
		CHECK(*perfdata_severity_name((enum perfdata_severity)i));
	uint8_t sum[PERFDATA_SHA256_SIZE];
	uint64_t size = 0;
	CHECK_EQ(perfdata_file_sha256("/dev/null", NULL, sum, &size), PERFDATA_EREAD);
	CHECK_EQ(perfdata_file_sha256(recording, NULL, sum, &size), PERFDATA_OK);
	CHECK(size > 1000);
}

int main(void)
{
	const char *top = getenv("top_srcdir");
	snprintf(recording, sizeof recording, "%.4000s/testdata/callgraph-73.data", top ? top : ".");
	static const struct unit_case cases[] = {
		{ "rows of layouts", test_layouts },
		{ "numbers of fields, and fields that are not there", test_numbers },
		{ "a configuration serves any number of threads", test_shared_config },
		{ "trees of feature sections", test_features },
		{ "options of emitters", test_options },
		{ "rules of options", test_rules },
		{ "rules count for conversions", test_rules_of_conversions },
		{ "names, hints and sums", test_names },
	};
	return unit_main(cases, sizeof cases / sizeof *cases);
}
