/* SPDX-License-Identifier: MIT */
/* Feature sections, by number and byte order. */
#include "fuzz.h"
#include "perfdata/feature.h"
#include "schema/feature.h"

static void touch_nodes(const struct perfdata_node *node, unsigned depth)
{
	fuzz_require(depth < 64, "a tree is deep");
	for (; node; node = node->next) {
		switch (node->kind) {
		case PERFDATA_KIND_STRING:
		case PERFDATA_KIND_BYTES:
			fuzz_touch_bytes(node->v.bytes);
			break;
		case PERFDATA_KIND_BITMAP:
			fuzz_touch_bytes(node->v.bytes);
			break;
		case PERFDATA_KIND_ATTR:
			fuzz_require(node->v.attr != NULL, "an attr is missing");
			fuzz_touch(node->v.attr, sizeof *node->v.attr);
			break;
		default:
			break;
		}
		touch_nodes(node->child, depth + 1);
	}
}

static void touch_bpf(const struct perfdata_feature *programs, const struct perfdata_feature *btf)
{
	const struct perfdata_node *list = perfdata_node_get(perfdata_feature_root(programs), "bpf_prog_info");
	struct perfdata_text text;

	perfdata_text_init(&text);
	unsigned n = 0;
	for (const struct perfdata_node *prog = list ? list->child : NULL; prog && n < 64; prog = prog->next, n++) {
		struct pd_bpf_lines lines;
		struct pd_bpf_line line;
		for (uint64_t part = 0; part < 64 && pd_bpf_part_name(prog, part, btf, &text); part++)
			perfdata_text_clear(&text);
		const uint64_t nr = pd_bpf_lines_of(prog, btf, &lines) ? lines.nr : 0;
		for (uint64_t i = 0; i < nr && i < 64; i++)
			if (pd_bpf_line_at(&lines, i, &line))
				perfdata_text_u64(&text, pd_bpf_line_address(&lines, i) + strlen(line.file) +
								 strlen(line.text));
	}
	perfdata_text_release(&text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint64_t how = fuzz_take(&data, &size, 1);
	const uint32_t number = (uint32_t)fuzz_take(&data, &size, 1);
	/* numbers from 200 on are sections of simpleperf */
	const uint32_t id = number < 200 ? number % (PERFDATA_FEATURE_LAST + 2)
					 : PERFDATA_FEATURE_FILE + number % (PERFDATA_FEATURE_SIMPLEPERF_LAST -
									     PERFDATA_FEATURE_FILE);
	const uint32_t cpus = (uint32_t)fuzz_take(&data, &size, 2);
	const enum perfdata_byte_order order = how & 1 ? PERFDATA_BYTE_ORDER_BIG : PERFDATA_BYTE_ORDER_LITTLE;
	struct perfdata_feature *feature, *btf;
	struct perfdata_error error;

	/* For programs and their names: the input in two parts. */
	const size_t first = id == PERFDATA_FEATURE_BPF_PROG_INFO ? size / 2 : size;
	const enum perfdata_status status = pd_feature_decode(id, data, first, order, cpus, &feature, &error);
	if (status != PERFDATA_OK && status != PERFDATA_DAMAGED)
		return 0;
	touch_nodes(perfdata_feature_root(feature), 0);
	if (id == PERFDATA_FEATURE_BPF_PROG_INFO) {
		touch_bpf(feature, NULL);
		if (pd_feature_decode(PERFDATA_FEATURE_BPF_BTF, data + first, size - first, order, cpus, &btf,
					    NULL) >= 0) {
			touch_bpf(feature, btf);
			pd_feature_free(btf);
		}
	}
	pd_feature_free(feature);
	return 0;
}
