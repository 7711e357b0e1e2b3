/* SPDX-License-Identifier: MIT */
/* The rows that describe records: unique, complete, and inside their views; names of numbers and registers. */
#include "config.h"
#include "schema/decode.h"
#include "schema/schema.h"
#include "schema_records.h"

/* Which JSON a row becomes. */
static int json_class(const struct perfdata_field *field)
{
	if (field->kind == PERFDATA_KIND_STRUCT || field->kind == PERFDATA_KIND_ATTR ||
	    field->kind == PERFDATA_KIND_CPUS || field->kind == PERFDATA_KIND_FEATURE)
		return 100 + (int)field->kind;
	if (field->kind == PERFDATA_KIND_LIST)
		return field->element ? 200 : 201 + (int)field->show;
	return field->show == PERFDATA_SHOW_EVENT_ID ? (int)PERFDATA_SHOW_DEC : (int)field->show;
}

static struct { const char *name; int class; } classes[512];
static size_t nr_classes;

static void check_row(const struct perfdata_layout *layout, uint32_t index)
{
	const struct perfdata_field *field = &layout->fields[index];
	static const char *const taken[] = { "type",  "offset",    "inner", "file",      "size", "misc",
					     "event", "sample_id", "rest",  "raw_bytes", NULL };

	CHECK(field->name && *field->name && field->doc && *field->doc);
	if (field->kind == PERFDATA_KIND_PAD)
		return;
	unsigned size = field->kind == PERFDATA_KIND_STRUCT ? field->element->view_size : member_size(field->kind);
	CHECK(size > 0 && field->member + size <= layout->view_size);
	if (field->kind == PERFDATA_KIND_LIST && field->element)
		CHECK(field->element->view_size > 0 && field->element->view_size <= PD_MAX_ELEMENT);
	CHECK((field->show == PERFDATA_SHOW_ENUM || field->show == PERFDATA_SHOW_FLAGS) == (field->names != NULL));
	CHECK((field->show == PERFDATA_SHOW_BITS) == (field->bits != NULL));
	if (field->when == PERFDATA_IF_FIELD || field->when == PERFDATA_IF_FIELD_GE)
		CHECK(field->when_field < index);
	if ((field->kind == PERFDATA_KIND_LIST || field->kind == PERFDATA_KIND_BYTES) &&
	    field->count_field < PERFDATA_COUNT_PREFIX)
		CHECK(field->count_field < index);
	for (uint32_t i = 0; i < index; i++)
		CHECK(strcmp(layout->fields[i].name, field->name) || layout->fields[i].kind == PERFDATA_KIND_PAD);
	if (layout->perf_name)
		for (size_t i = 0; taken[i]; i++)
			CHECK(strcmp(taken[i], field->name));
	size_t at = 0;
	while (at < nr_classes && strcmp(classes[at].name, field->name))
		at++;
	if (at == nr_classes) {
		classes[nr_classes].name = field->name;
		classes[nr_classes++].class = json_class(field);
	}
	if (classes[at].class != json_class(field))
		printf("# %s.%s has two classes\n", layout->name, field->name);
	CHECK(classes[at].class == json_class(field));
}

static void check_layout(const struct perfdata_layout *layout)
{
	CHECK(layout->name && layout->doc && *layout->doc);
	CHECK(layout->nr_fields <= 64 && layout->view_size > 0);
	CHECK(layout->view_size <= sizeof(((struct perfdata_record *)NULL)->u) ||
	      layout == pd_trailer_layout());
	for (uint32_t i = 0; i < layout->nr_fields; i++) {
		check_row(layout, i);
		if (layout->fields[i].element)
			check_layout(layout->fields[i].element);
	}
}

/* What is known of each type stays known; types that come need no word here. */
static void test_tables(void)
{
	static const struct { uint32_t type, min_size; const char *name;
	} rows[] = {
		{ 1, 41, "MMAP" },
		{ 2, 24, "LOST" },
		{ 3, 17, "COMM" },
		{ 4, 32, "EXIT" },
		{ 5, 32, "THROTTLE" },
		{ 6, 32, "UNTHROTTLE" },
		{ 7, 32, "FORK" },
		{ 8, 24, "READ" },
		{ 9, 8, "SAMPLE" },
		{ 10, 73, "MMAP2" },
		{ 11, 32, "AUX" },
		{ 12, 16, "ITRACE_START" },
		{ 13, 16, "LOST_SAMPLES" },
		{ 14, 8, "SWITCH" },
		{ 15, 16, "SWITCH_CPU_WIDE" },
		{ 16, 24, "NAMESPACES" },
		{ 17, 25, "KSYMBOL" },
		{ 18, 24, "BPF_EVENT" },
		{ 19, 17, "CGROUP" },
		{ 20, 24, "TEXT_POKE" },
		{ 21, 16, "AUX_OUTPUT_HW_ID" },
		{ 22, 16, "CALLCHAIN_DEFERRED" },
		{ 64, 72, "ATTR" },
		{ 65, 17, "EVENT_TYPE" },
		{ 66, 12, "TRACING_DATA" },
		{ 67, 36, "BUILD_ID" },
		{ 68, 8, "FINISHED_ROUND" },
		{ 69, 16, "ID_INDEX" },
		{ 70, 16, "AUXTRACE_INFO" },
		{ 71, 48, "AUXTRACE" },
		{ 72, 49, "AUXTRACE_ERROR" },
		{ 73, 16, "THREAD_MAP" },
		{ 74, 16, "CPU_MAP" },
		{ 75, 16, "STAT_CONFIG" },
		{ 76, 48, "STAT" },
		{ 77, 24, "STAT_ROUND" },
		{ 78, 24, "EVENT_UPDATE" },
		{ 79, 32, "TIME_CONV" },
		{ 80, 16, "FEATURE" },
		{ 81, 8, "COMPRESSED" },
		{ 82, 8, "FINISHED_INIT" },
		{ 83, 16, "COMPRESSED2" },
		{ 84, 528, "BPF_METADATA" },
		{ 85, 24, "SCHEDSTAT_CPU" },
		{ 86, 24, "SCHEDSTAT_DOMAIN" },
		{ 32769, 12, "SIMPLEPERF_KERNEL_SYMBOL" },
		{ 32770, 32, "SIMPLEPERF_DSO" },
		{ 32771, 40, "SIMPLEPERF_SYMBOL" },
		{ 32772, 9, "SIMPLEPERF_SPLIT" },
		{ 32773, 8, "SIMPLEPERF_SPLIT_END" },
		{ 32774, 16, "SIMPLEPERF_EVENT_ID" },
		{ 32775, 40, "SIMPLEPERF_CALLCHAIN" },
		{ 32776, 40, "SIMPLEPERF_UNWINDING_RESULT" },
		{ 32777, 12, "SIMPLEPERF_TRACING_DATA" },
		{ 32778, 24, "SIMPLEPERF_DEBUG" },
	};
	size_t nr = sizeof rows / sizeof *rows;

	for (size_t i = 0; i < nr; i++) {
		const struct perfdata_layout *layout = perfdata_record_layout(rows[i].type);
		CHECK(layout);
		CHECK_EQ(layout->id, rows[i].type);
		CHECK_EQ(layout->min_size, rows[i].min_size);
		CHECK_STR(layout->perf_name, rows[i].name);
	}
	size_t all = 0;
	uint32_t last = 0;
	for (; perfdata_record_layout_at(all); all++) {
		const struct perfdata_layout *layout = perfdata_record_layout_at(all);
		check_layout(layout);
		CHECK(layout->perf_name && layout->min_size >= 8);
		/* in ascending order; the last two are older versions */
		if (perfdata_record_layout_at(all + 2)) {
			CHECK(layout->id > last);
			CHECK(layout == perfdata_record_layout(layout->id));
		}
		last = layout->id;
	}
	CHECK(all >= nr + 2);
	check_layout(pd_trailer_layout());
	check_layout(perfdata_attr_layout());
	static const uint32_t unknown[] = { 0, 63, 32768, 32779, UINT32_MAX };
	for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++)
		CHECK(!perfdata_record_layout(unknown[i]));
}

static void test_names(void)
{
	CHECK_STR(perfdata_name_of(pd_sample_type_names(), PERFDATA_SAMPLE_WEIGHT_STRUCT), "WEIGHT_STRUCT");
	CHECK(!perfdata_name_of(pd_sample_type_names(), 3));
	CHECK(!perfdata_name_of(NULL, 3));
	CHECK_STR(pd_callchain_marker_name(PERFDATA_CONTEXT_USER_DEFERRED), "PERF_CONTEXT_USER_DEFERRED");
	CHECK(!pd_callchain_marker_name(0x1234));
	CHECK(!pd_callchain_marker_name(PERFDATA_CONTEXT_MAX));
	for (uint32_t type = 0; type < 90; type++) {
		const struct perfdata_bits *bits = pd_misc_bits(type);
		CHECK_STR(bits->name, "cpumode");
		CHECK_STR(perfdata_name_of(bits->names, 2), "USER");
		for (uint64_t seen = 0; bits->name; bits++) {
			uint64_t mask = ((UINT64_C(1) << bits->width) - 1) << bits->shift;
			CHECK(!(seen & mask) && bits->shift + bits->width <= 16);
			seen |= mask;
		}
	}
	CHECK_STR(pd_register_name(PERFDATA_ARCH_X86, 8), "IP");
	CHECK_STR(pd_register_name(PERFDATA_ARCH_X86, 63), "XMM15");
	CHECK(!pd_register_name(PERFDATA_ARCH_X86, 24));
	CHECK(!pd_register_name(PERFDATA_ARCH_X86, 64));
	CHECK_STR(pd_register_name(PERFDATA_ARCH_ARM64, 46), "vg");
	CHECK_STR(pd_register_name(PERFDATA_ARCH_POWERPC, 58), "siar");
	CHECK_STR(pd_register_name(PERFDATA_ARCH_CSKY, 36), "lo");
	CHECK(!pd_register_name(PERFDATA_ARCH_UNKNOWN, 0));
	static const struct {
		const char *machine;
		uint32_t elf;
		enum perfdata_arch arch;
	} arches[] = {
		{ "x86_64", 62, PERFDATA_ARCH_X86 },
		{ "i686", 3, PERFDATA_ARCH_X86 },
		{ "armv7l", 40, PERFDATA_ARCH_ARM },
		{ "aarch64", 183, PERFDATA_ARCH_ARM64 },
		{ "ppc64le", 21, PERFDATA_ARCH_POWERPC },
		{ "s390x", 22, PERFDATA_ARCH_S390 },
		{ "riscv64", 243, PERFDATA_ARCH_RISCV },
		{ "mips64", 8, PERFDATA_ARCH_MIPS },
		{ "loongarch64", 258, PERFDATA_ARCH_LOONGARCH },
		{ "csky", 252, PERFDATA_ARCH_CSKY },
	};
	for (size_t i = 0; i < sizeof arches / sizeof *arches; i++) {
		CHECK_EQ(pd_arch_by_name(arches[i].machine), arches[i].arch);
		CHECK_EQ(pd_arch_by_elf(arches[i].elf), arches[i].arch);
	}
	CHECK_EQ(pd_arch_by_name("vax"), PERFDATA_ARCH_UNKNOWN);
	CHECK_EQ(pd_arch_by_name(NULL), PERFDATA_ARCH_UNKNOWN);
}

int main(void)
{
	static const struct unit_case cases[] = {
		{ "tables are sound", test_tables },
		{ "names of numbers and registers", test_names },
	};
	return unit_main(cases, sizeof cases / sizeof *cases);
}
