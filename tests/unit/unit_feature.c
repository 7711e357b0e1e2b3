/* SPDX-License-Identifier: MIT */
/* Feature sections: whole, cut at every length, with impossible counts, and without memory. */
#include "config.h"
#include "unit.h"
#include "alloc_fail_pieces.h"
#include "feature_cases.h"
#include "perfdata/text.h"
#include "schema/schema.h"
#include "schema/feature.h"

/* All nodes below; counts of lists agree with their elements. */
static size_t walk(const struct perfdata_node *node)
{
	size_t total = 0, children = 0;
	if (node->kind != PERFDATA_KIND_STRUCT && node->kind != PERFDATA_KIND_LIST)
		return 1;
	for (const struct perfdata_node *n = node->child; n; n = n->next, children++)
		total += walk(n);
	if (node->kind == PERFDATA_KIND_LIST)
		CHECK_EQ(children, node->v.count);
	return total + 1;
}

static void build_section(const struct section *section, enum perfdata_byte_order order, struct build *b)
{
	b->size = 0;
	b->order = order;
	section->build(b);
}

static void each_section(void (*run)(const struct section *section, struct build *b))
{
	struct build b;
	for (size_t i = 0; i < NR_SECTIONS; i++)
		for (int order = PERFDATA_BYTE_ORDER_LITTLE; order <= PERFDATA_BYTE_ORDER_BIG; order++) {
			build_section(&sections[i], (enum perfdata_byte_order)order, &b);
			run(&sections[i], &b);
		}
}

static struct perfdata_feature *decode(uint32_t id, const struct build *b, enum perfdata_status expected)
{
	struct perfdata_feature *feature = NULL;
	struct perfdata_error error = { .message = "" };
	enum perfdata_status status = pd_feature_decode(id, b->bytes, b->size, b->order, NR_CPUS, &feature,
							      &error);
	CHECK_EQ(status, expected);
	if (status != expected)
		printf("# section %u: %s\n", id, error.message);
	return feature;
}

static void run_whole(const struct section *section, struct build *b)
{
	struct perfdata_feature *feature = decode(section->id, b, PERFDATA_OK);
	const struct perfdata_node *root = perfdata_feature_root(feature);

	section->check(root);
	CHECK(!at(root, "rest"));
	CHECK_EQ(pd_feature_id(feature), section->id);
	CHECK_EQ(pd_feature_bytes(feature).size, b->size);
	pd_feature_free(feature);
}
static void test_whole(void) { each_section(run_whole); }

/* Zeros after the last field are padding; other bytes are kept. */
static void run_longer(const struct section *section, struct build *b)
{
	/* These lists reach to the end of the section; a size of 0 marks an empty section. */
	if (section->id == PERFDATA_FEATURE_BUILD_ID || section->id == PERFDATA_FEATURE_CPU_DOMAIN_INFO ||
	    section->id == PERFDATA_FEATURE_CPU_TOPOLOGY || !b->size || section->id == PERFDATA_FEATURE_CLN_SIZE ||
	    section->id == PERFDATA_FEATURE_FILE || section->id == PERFDATA_FEATURE_FILE2)
		return;
	put_zeros(b, 7);
	run_whole(section, b);
	put_raw(b, "x", 1);
	struct perfdata_feature *feature = decode(section->id, b, PERFDATA_OK);
	const struct perfdata_node *rest = at(perfdata_feature_root(feature), "rest");
	CHECK(rest && rest->v.bytes.size == 8);
	pd_feature_free(feature);
}
static void test_longer(void) { each_section(run_longer); }

static void run_cut(const struct section *section, struct build *b)
{
	size_t whole = b->size, damaged = 0;

	for (b->size = 0; b->size < whole; b->size++) {
		struct perfdata_feature *feature = NULL;
		struct perfdata_error error = { .offset = PERFDATA_NO_OFFSET };
		enum perfdata_status status =
			pd_feature_decode(section->id, b->bytes, b->size, b->order, NR_CPUS, &feature, &error);
		CHECK(status == PERFDATA_OK || status == PERFDATA_DAMAGED);
		CHECK(feature && walk(perfdata_feature_root(feature)) <= 4 + 2 * b->size);
		if (status == PERFDATA_DAMAGED) {
			damaged++;
			CHECK(error.offset <= b->size && error.message[0] && error.status == PERFDATA_DAMAGED);
		}
		CHECK(b->size || status == PERFDATA_OK);
		pd_feature_free(feature);
	}
	/* A few lengths are valid: the end of an older form, or the end of an element in a list that reaches to the
	 * end of the section. */
	CHECK(!whole || damaged + 18 >= whole);
}
static void test_cut(void) { each_section(run_cut); }

/* Every four bytes in turn become an impossible number. */
static void run_hostile(const struct section *section, struct build *b)
{
	static const uint32_t values[] = { 0, 1, 0x7fffffff, 0x80000000, 0xffffffff };

	for (size_t where = 0; where + 4 <= b->size; where++) {
		uint8_t before[4];
		memcpy(before, b->bytes + where, 4);
		for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
			struct perfdata_feature *feature = NULL;
			put_at(b, where, values[i], 4);
			enum perfdata_status status = pd_feature_decode(section->id, b->bytes, b->size, b->order,
									      0xffffffff, &feature, NULL);
			CHECK(status == PERFDATA_OK || status == PERFDATA_DAMAGED);
			CHECK(feature && walk(perfdata_feature_root(feature)) <= 4 + 2 * b->size);
			pd_feature_free(feature);
		}
		memcpy(b->bytes + where, before, 4);
	}
}
static void test_hostile(void) { each_section(run_hostile); }

/* --- odd but fine ------------------------------------------------------------------------------------------------ */

static void test_empty(void)
{
	/* An old CPUDESC, and the end marks of streams, which have a number of their own in each version. */
	for (uint32_t id = 0; id < 200; id++) {
		struct build b = { .size = 0 };
		struct perfdata_feature *feature = decode(id, &b, PERFDATA_OK);
		CHECK(!perfdata_feature_root(feature)->child);
		pd_feature_free(feature);
	}
}

static void test_unknown(void)
{
	struct build b = { .size = 0 };
	put_raw(&b, "abc", 3);
	struct perfdata_feature *feature = decode(200, &b, PERFDATA_OK);
	const struct perfdata_node *bytes = at(perfdata_feature_root(feature), "bytes");
	CHECK(bytes && bytes->kind == PERFDATA_KIND_BYTES && bytes->v.bytes.size == 3);
	CHECK(!perfdata_feature_layout(0) && !perfdata_feature_layout(PERFDATA_FEATURE_LAST));
	pd_feature_free(feature);
}

/* Without NRCPUS, the number of CPUs that follow is unknown. */
static void test_topology_without_cpus(void)
{
	struct build b = { .size = 0 };
	struct perfdata_feature *feature = NULL;
	build_topology_dies(&b);
	CHECK_EQ(pd_feature_decode(PERFDATA_FEATURE_CPU_TOPOLOGY, b.bytes, b.size, b.order, 0, &feature, NULL),
		 PERFDATA_OK);
	const struct perfdata_node *root = perfdata_feature_root(feature);
	CHECK_STR(text(root, "threads/1"), "1");
	CHECK(!at(root, "cpus") && at(root, "rest"));
	pd_feature_free(feature);
}

static void test_damage(void)
{
	struct build b = { .size = 0 };
	struct perfdata_feature *feature = NULL;
	struct perfdata_error error;
	build_pmus(&b);
	b.size -= 10;
	CHECK_EQ(pd_feature_decode(PERFDATA_FEATURE_PMU_MAPPINGS, b.bytes, b.size, b.order, 0, &feature, &error),
		 PERFDATA_DAMAGED);
	CHECK_EQ(error.offset, 4 + 4 + 68 + 4);
	CHECK_STR(error.message, "feature section PMU_MAPPINGS: name reaches beyond the end");
	/* What came before stays, the half of the second element too. */
	CHECK_STR(text(perfdata_feature_root(feature), "pmu_mappings/0/name"), "software");
	CHECK_EQ(number(perfdata_feature_root(feature), "pmu_mappings/1/type"), 4294967294u);
	CHECK(!at(perfdata_feature_root(feature), "pmu_mappings/1/name"));
	pd_feature_free(feature);
}

static struct build no_memory_build;
static uint32_t no_memory_id;
static int no_memory_failures;
static void decode_without_memory(void)
{
	struct perfdata_feature *feature = NULL;
	struct perfdata_error error = { .message = "" };
	enum perfdata_status status = pd_feature_decode(no_memory_id, no_memory_build.bytes, no_memory_build.size,
							      no_memory_build.order, NR_CPUS, &feature, &error);
	if (status == PERFDATA_ENOMEM) {
		no_memory_failures++;
		CHECK(!feature && error.status == PERFDATA_ENOMEM);
	} else {
		CHECK_EQ(status, PERFDATA_OK);
	}
	pd_feature_free(feature);
}
static void test_no_memory(void)
{
	for (size_t i = 0; i < NR_SECTIONS; i++) {
		int n = 0;
		build_section(&sections[i], PERFDATA_BYTE_ORDER_LITTLE, &no_memory_build);
		no_memory_id = sections[i].id;
		while (alloc_fail_run(n, decode_without_memory))
			n++;
		CHECK(n > 0);
	}
	CHECK(no_memory_failures >= (int)NR_SECTIONS);
}

/* --- names ------------------------------------------------------------------------------------------------------- */

static const char *fallback(const struct perfdata_attr *attr)
{
	static char copy[128];
	struct perfdata_text name;
	perfdata_text_init(&name);
	perfdata_event_fallback_name(attr, &name);
	snprintf(copy, sizeof copy, "%.*s", (int)name.size, name.data);
	perfdata_text_release(&name);
	return copy;
}

#define FLAG(name) (UINT64_C(1) << PERFDATA_ATTR_##name)

static void test_event_names(void)
{
	static const struct {
		struct perfdata_attr attr;
		const char *name;
	} cases[] = {
		{ { .type = 0, .config = 0 }, "cycles" },
		{ { .type = 0, .config = UINT64_C(4) << 32 | 9 }, "ref-cycles" },
		{ { .type = 0, .config = 10 }, "unknown-hardware" },
		{ { .type = 1, .config = 3, .flags = FLAG(EXCLUDE_KERNEL) | FLAG(EXCLUDE_HV) }, "context-switches:u" },
		{ { .type = 1, .config = 10 }, "unknown-software" },
		{ { .type = 1, .config = 0, .flags = FLAG(EXCLUDE_GUEST) }, "cpu-clock:H" },
		{ { .type = 1, .config = 9, .flags = FLAG(EXCLUDE_USER) | 2u << PERFDATA_ATTR_PRECISE_IP },
		  "dummy:khpp" },
		{ { .type = 1, .config = 0, .flags = FLAG(EXCLUDE_USER) | FLAG(EXCLUDE_KERNEL) | FLAG(EXCLUDE_HV) },
		  "cpu-clock" },
		{ { .type = 0, .config = 1, .flags = FLAG(EXCLUDE_HOST) | 1u << PERFDATA_ATTR_PRECISE_IP },
		  "instructions:pG" },
		{ { .type = 3, .config = 0 }, "L1-dcache-loads" },
		{ { .type = 3, .config = 0x10103 }, "dTLB-store-misses" },
		{ { .type = 3, .config = 0x206 }, "node-prefetches" },
		{ { .type = 3, .config = 0x104 }, "invalid-cache" },
		{ { .type = 3, .config = 7 }, "unknown-ext-hardware-cache-type" },
		{ { .type = 3, .config = 0x300 }, "unknown-ext-hardware-cache-op" },
		{ { .type = 3, .config = 0x20000 }, "unknown-ext-hardware-cache-result" },
		{ { .type = 4, .config = 0x1c2, .flags = FLAG(EXCLUDE_USER) }, "raw 0x1c2:kh" },
		{ { .type = 5, .config1 = 0x1000, .bp_type = 3 }, "mem:0x1000:rw" },
		{ { .type = 2, .config = 0x174, .flags = FLAG(EXCLUDE_USER) }, "unknown tracepoint id=0x174" },
		{ { .type = 33, .config = 0 }, "unknown event PMU=33 config=0" },
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		CHECK_STR(fallback(&cases[i].attr), cases[i].name);
}

static void run_bpf_names(enum perfdata_byte_order order)
{
	static const char *const names[] = { "bpf_prog_0102030405060708_main", "bpf_prog_1112131415161718_bump" };
	struct build prog = { .order = order }, btf = { .order = order };
	struct perfdata_text name;
	build_bpf_prog(&prog);
	build_btf(&btf);
	struct perfdata_feature *progs = decode(PERFDATA_FEATURE_BPF_PROG_INFO, &prog, PERFDATA_OK);
	struct perfdata_feature *btfs = decode(PERFDATA_FEATURE_BPF_BTF, &btf, PERFDATA_OK);
	const struct perfdata_node *node = at(perfdata_feature_root(progs), "bpf_prog_info/0");

	perfdata_text_init(&name);
	for (uint64_t part = 0; part < 2; part++) {
		perfdata_text_clear(&name);
		CHECK(pd_bpf_part_name(node, part, btfs, &name));
		CHECK(name.size == strlen(names[part]) && !memcmp(name.data, names[part], name.size));
	}
	CHECK(!pd_bpf_part_name(node, 2, btfs, &name));
	perfdata_text_clear(&name);
	CHECK(pd_bpf_part_name(node, 0, NULL, &name));
	CHECK_EQ(name.size, strlen("bpf_prog_0102030405060708"));
	perfdata_text_release(&name);
	pd_feature_free(progs);
	pd_feature_free(btfs);
}

/* No BTF, however damaged, is read beyond its end. */
static void run_hostile_btf(enum perfdata_byte_order order)
{
	struct build prog = { .order = order }, btf = { .order = order };
	struct perfdata_text name;
	build_bpf_prog(&prog);
	build_btf(&btf);
	struct perfdata_feature *progs = decode(PERFDATA_FEATURE_BPF_PROG_INFO, &prog, PERFDATA_OK);
	const struct perfdata_node *node = at(perfdata_feature_root(progs), "bpf_prog_info/0");

	perfdata_text_init(&name);
	for (size_t where = 12; where < btf.size; where++) {
		uint8_t before = btf.bytes[where];
		btf.bytes[where] = 0xff;
		struct perfdata_feature *btfs = decode(PERFDATA_FEATURE_BPF_BTF, &btf, PERFDATA_OK);
		perfdata_text_clear(&name);
		CHECK(pd_bpf_part_name(node, 1, btfs, &name));
		CHECK(name.size >= strlen("bpf_prog_1112131415161718") && name.size < 64);
		pd_feature_free(btfs);
		btf.bytes[where] = before;
	}
	perfdata_text_release(&name);
	pd_feature_free(progs);
}

/* A program with two lines of the BTF of build_btf: main:12 "bump", and main:0 whose text is not in the strings. */
static void build_bpf_lines(struct build *b)
{
	put32(b, 1);
	put32(b, INFO_SIZE);
	put32(b, 2 * 16 + 2 * 8);
	put64(b, 1 << 6 | 1 << 7);
	size_t info = b->size;
	put_zeros(b, INFO_SIZE);
	put_at(b, info + 128, 77, 4);
	put_at(b, info + 148, 2, 4);
	put_at(b, info + 152, 0, 8);
	put_at(b, info + 160, 32, 8);
	put_at(b, info + 168, 2, 4);
	put_at(b, info + 172, 16, 4);
	put_at(b, info + 176, 8, 4);
	for (uint32_t i = 0; i < 2; i++) {
		put32(b, i);
		put32(b, 1);
		put32(b, i ? 1000 : 6);
		put32(b, i ? 0 : 12 << 10 | 3);
	}
	put64(b, 0xffffffffc0001000);
	put64(b, 0xffffffffc0001008);
}

static void run_bpf_lines(enum perfdata_byte_order order)
{
	struct build prog = { .order = order }, btf = { .order = order };
	struct pd_bpf_lines lines;
	struct pd_bpf_line line;
	build_bpf_lines(&prog);
	build_btf(&btf);
	struct perfdata_feature *progs = decode(PERFDATA_FEATURE_BPF_PROG_INFO, &prog, PERFDATA_OK);
	struct perfdata_feature *btfs = decode(PERFDATA_FEATURE_BPF_BTF, &btf, PERFDATA_OK);
	const struct perfdata_node *node = at(perfdata_feature_root(progs), "bpf_prog_info/0");

	CHECK(pd_bpf_lines_of(node, btfs, &lines) && lines.nr == 2);
	CHECK_EQ(pd_bpf_line_address(&lines, 1), 0xffffffffc0001008);
	CHECK(pd_bpf_line_at(&lines, 0, &line));
	CHECK_STR(line.file, "main");
	CHECK_STR(line.text, "bump");
	CHECK_EQ(line.line, 12);
	CHECK(pd_bpf_line_at(&lines, 1, &line));
	CHECK_STR(line.text, "");
	CHECK_EQ(line.line, 0);
	CHECK(!pd_bpf_lines_of(node, NULL, &lines));
	pd_feature_free(btfs);
	for (size_t where = 12; where < btf.size; where++) {
		const uint8_t before = btf.bytes[where];
		btf.bytes[where] = 0xff;
		btfs = decode(PERFDATA_FEATURE_BPF_BTF, &btf, PERFDATA_OK);
		if (pd_bpf_lines_of(node, btfs, &lines) && pd_bpf_line_at(&lines, 0, &line))
			CHECK(strlen(line.file) + strlen(line.text) < btf.size);
		pd_feature_free(btfs);
		btf.bytes[where] = before;
	}
	pd_feature_free(progs);
}

static void test_bpf_lines(void)
{
	run_bpf_lines(PERFDATA_BYTE_ORDER_LITTLE);
	run_bpf_lines(PERFDATA_BYTE_ORDER_BIG);
}

static void test_bpf_names(void)
{
	run_bpf_names(PERFDATA_BYTE_ORDER_LITTLE);
	run_bpf_names(PERFDATA_BYTE_ORDER_BIG);
	run_hostile_btf(PERFDATA_BYTE_ORDER_LITTLE);
	run_hostile_btf(PERFDATA_BYTE_ORDER_BIG);
}

/* --- rows -------------------------------------------------------------------------------------------------------- */

static void check_layout(const struct perfdata_layout *layout, unsigned depth)
{
	CHECK(depth < 8 && layout->name && layout->doc && layout->nr_fields <= 64);
	for (uint32_t i = 0; i < layout->nr_fields; i++) {
		const struct perfdata_field *field = &layout->fields[i];
		bool plain = layout->nr_fields == 1 && depth > 0;

		CHECK(field->doc && (field->name || plain));
		CHECK(field->kind != PERFDATA_KIND_STRUCT || field->element);
		CHECK(field->kind != PERFDATA_KIND_LIST || field->element);
		CHECK(field->show != PERFDATA_SHOW_ENUM || field->names);
		CHECK(field->show != PERFDATA_SHOW_FLAGS || field->names);
		CHECK(field->show != PERFDATA_SHOW_BITS || field->bits);
		if (field->element)
			check_layout(field->element, depth + 1);
	}
}

/* Fields of a message without a row are kept as they are; a message that is cut keeps its whole fields. */
static void test_messages(void)
{
	struct build b = { .size = 0 };
	size_t start = open_entry(&b);
	put_bytes_field(&b, 1, "first", 5);
	put_number_field(&b, 9, 300);
	put_bytes_field(&b, 1, "last", 4);
	put_bytes_field(&b, 2, "no number", 9);
	close_entry(&b, start);
	struct perfdata_feature *feature = decode(PERFDATA_FEATURE_FILE2, &b, PERFDATA_OK);
	const struct perfdata_node *root = perfdata_feature_root(feature);
	CHECK_STR(text(root, "file2/0/path"), "last");
	CHECK_EQ(at(root, "file2/0/rest")->v.bytes.size, 7 + 3 + 11);
	pd_feature_free(feature);

	b.size = 0;
	start = open_entry(&b);
	put_bytes_field(&b, 1, "path", 4);
	put_symbol_field(&b, 1, 2, "whole");
	put_symbol_field(&b, 3, 4, "cut");
	close_entry(&b, start);
	b.size -= 2;
	feature = decode(PERFDATA_FEATURE_FILE2, &b, PERFDATA_DAMAGED);
	root = perfdata_feature_root(feature);
	CHECK_STR(text(root, "file2/0/symbols/0/name"), "whole");
	CHECK_EQ(at(root, "file2/0/symbols")->v.count, 1);
	pd_feature_free(feature);
}

static void test_rows(void)
{
	for (uint32_t id = 1; id < PERFDATA_FEATURE_LAST; id++) {
		const struct perfdata_layout *layout = perfdata_feature_layout(id);
		CHECK(layout && layout->id == id && layout->perf_name);
		check_layout(layout, 0);
	}
}

int main(void)
{
	static const struct unit_case cases[] = {
		{ "every section, both byte orders", test_whole },
		{ "padding and bytes after the last field", test_longer },
		{ "every section cut at every length", test_cut },
		{ "impossible numbers everywhere", test_hostile },
		{ "empty sections", test_empty },
		{ "unknown sections", test_unknown },
		{ "a topology without the number of CPUs", test_topology_without_cpus },
		{ "what damage leaves", test_damage },
		{ "no memory", test_no_memory },
		{ "generated names of events", test_event_names },
		{ "names of BPF programs", test_bpf_names },
		{ "lines of BPF programs", test_bpf_lines },
		{ "messages with more and with less than their rows", test_messages },
		{ "rows are complete", test_rows },
	};
	return unit_main(cases, sizeof cases / sizeof *cases);
}
