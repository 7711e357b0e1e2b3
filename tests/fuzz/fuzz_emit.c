/* SPDX-License-Identifier: MIT */
/* Every emitter over a recording in memory, by default and with options that make it spell other things; what is JSON
 * must be well-formed, however broken the recording is. */
#define _GNU_SOURCE
#include "fuzz.h"
#include "emit_memory.h"
#include "perfdata/registry.h"
#include "emit/emitters.h"
#include "fuzz_symbols.h"
#include "emit/perf/header_text.h"
#include "json_text.h"
#include "opening.h"

#define MAX_OPTIONS 4
#ifndef AT_ONCE
#define AT_ONCE 6u
#endif

static const struct variant {
	const char *emitter;
	bool symbols;
	struct { const char *name, *text; } options[MAX_OPTIONS];
} variants[] = {
	{ "ndjson", false, { { 0 } } },
	{ "json", false, { { 0 } } },
	{ "csv", false, { { 0 } } },
	{ "dump", false, { { 0 } } },
	{ "script", false, { { 0 } } },
	{ "perf-json", false, { { 0 } } },
	{ "folded", true, { { "weight", "period" } } },
	{ "ndjson", true, { { "lines", NULL }, { "raw", NULL }, { "int64", "string" } } },
	{ "ndjson", true, { { "names", NULL }, { "stacks", "ref" } } },
	{ "json", true, { { "names", NULL }, { "stacks", "inline" } } },
	{ "ndjson",
	  false,
	  { { "fields", "type,time,comm,ip_at.dso,read.time_enabled,fields,fields.a,fields.str,fields.arr,fields.mask,"
			"attr,callchain,filename,branch_stack" } } },
	{ "csv", true, { { "lines", NULL }, { "stacks", "inline" } } },
	{ "csv", false, { { "table", "mmap2" } } },
	{ "csv", false, { { "table", "callchain" } } },
	{ "csv", false, { { "table", "branches" } } },
	{ "csv", false, { { "table", "regs" } } },
	{ "csv", false, { { "table", "read_values" } } },
	{ "csv", false, { { "table", "unknown" } } },
	{ "csv", true, { { "table", "stacks" } } },
	{ "csv", true, { { "table", "frames" } } },
	{ "parquet", true, { { 0 } } },
	{ "parquet",
	  false,
	  { { "table", "callchain,mmap2,auxtrace_error,attr" }, { "pages", "plain" }, { "drop-empty", NULL } } },
	{ "parquet",
	  false,
	  { { "columns", "time,callchain,fields,branch_stack.entries,user_regs.regs,raw,misc,data_src,rest" } } },
	{ "csv",
	  false,
	  { { "table", "event:sys:ev" }, { "fields", "time,fields.a,fields.arr,fields.str,fields.mask" } } },
	{ "dump", true, { { "hex", "no" } } },
	{ "dump", false, { { "samples-line", "no" } } },
	{ "script", true, { { "header", NULL }, { "show-info", NULL }, { "ns", NULL }, { "deltatime", NULL } } },
	{ "script", true, { { "fields", "+iregs,+uregs,+misc" } } },
	{ "script", true, { { "fields", "+brstack,+brstackoff,+weight" } } },
	{ "script", true, { { "fields", "+brstacksym,+symoff" }, { "show-kernel-path", NULL } } },
	{ "script", false, { { "fields", "+phys_addr,+data_src,+period" } } },
	{ "script",
	  false,
	  { { "fields", "comm,tid,pid,time,cpu,event,trace,ip,sym,dso,misc,period,bpf-output" },
	    { "max-stack", "3" } } },
	{ "script",
	  false,
	  { { "show-mmap-events", NULL },
	    { "show-task-events", NULL },
	    { "show-switch-events", NULL },
	    { "reltime", NULL } } },
	{ "script",
	  false,
	  { { "show-namespace-events", NULL },
	    { "show-lost-events", NULL },
	    { "show-bpf-events", NULL },
	    { "Latency", NULL } } },
	{ "script",
	  false,
	  { { "show-round-events", NULL }, { "show-cgroup-events", NULL }, { "show-text-poke-events", NULL } } },
	{ "ndjson", false, { { "aux", "packets" } } },
	{ "ndjson", false, { { "aux", "packets" }, { "names", NULL } } },
	{ "csv", false, { { "table", "aux_packets" } } },
	{ "csv", false, { { "table", "spe_samples" }, { "names", NULL } } },
	{ "parquet", true, { { "table", "aux_packets,spe_samples" } } },
	{ "script", true, { { "itrace", "ibfmtaMl" } } },
	{ "dump", false, { { "aux", NULL } } },
	{ "report", true, { { "json", NULL } } },
	{ "report", true, { { "by", "line" }, { "width", "60" } } },
	{ "report", true, { { "tree", NULL }, { "csv", NULL } } },
	{ "report", false, { { "callers", "*" }, { "color", "always" } } },
	{ "flamegraph", true, { { 0 } } },
	{ "flamegraph", false, { { "svg", NULL } } },
	{ "pprof", true, { { 0 } } },
	{ "speedscope", true, { { 0 } } },
	{ "firefox", true, { { 0 } } },
	{ "perfetto", true, { { 0 } } },
};
#define NR_VARIANTS (sizeof variants / sizeof *variants)

static bool well_formed(const char *name, const struct emitted *output)
{
	if (!strcmp(name, "ndjson"))
		return json_text_is_lines(output->data, output->size);
	if (!strcmp(name, "json") || !strcmp(name, "perf-json") || !strcmp(name, "speedscope") ||
	    !strcmp(name, "firefox"))
		return json_text_is_valid(output->data, output->size);
	return true;
}

static size_t options_of(const struct variant *variant, const struct perfdata_emitter *emitter,
			 struct perfdata_emitter_option_value *values)
{
	size_t count = 0;
	for (; count < MAX_OPTIONS && variant->options[count].name; count++) {
		const struct perfdata_emitter_option *option = emitter->options;
		while (option->name && strcmp(option->name, variant->options[count].name) != 0)
			option++;
		fuzz_require(option->name != NULL, variant->options[count].name);
		values[count] = (struct perfdata_emitter_option_value){
			.option = option,
			.text = variant->options[count].text,
			.number = option->kind == PERFDATA_OPTION_NUMBER
					  ? strtoul(variant->options[count].text, NULL, 10)
					  : 0,
		};
	}
	return count;
}

/* False if there is no reader for it. */
static bool emit_variant(const struct variant *variant, const uint8_t *data, size_t size)
{
	const struct perfdata_emitter *emitter = perfdata_registry_find(NULL, variant->emitter);
	struct perfdata_emitter_option_value values[MAX_OPTIONS];
	struct emitted output;

	struct perfdata_symbols *symbols = variant->symbols ? fuzz_no_symbols() : NULL;
	const struct emit_how how = {
		.jobs = 1, .options = values, .nr_options = options_of(variant, emitter, values), .symbols = symbols,
	};
	emit_memory_with(emitter, data, size, &how, &output);
	if (output.opened == PERFDATA_OK && output.status == PERFDATA_OK)
		fuzz_require(well_formed(emitter->name, &output), emitter->name);
	free(output.data);
	perfdata_symbols_free(symbols);
	return output.opened == PERFDATA_OK;
}

static void spell_header(const uint8_t *data, size_t size)
{
	const struct perfdata_reader_options how = { .size = sizeof how, .max_ratio = 1000, .max_spool = 64 << 20 };
	struct perfdata_reader *reader;
	struct perfdata_text text;

	if (open_memory(data, size, "recording", &how, &reader, NULL) != PERFDATA_OK)
		return;
	perfdata_text_init(&text);
	perfdata_perf_header(&text, reader, size % 2);
	for (size_t i = 0; i < perfdata_reader_nr_events(reader); i++)
		perfdata_perf_event(&text, "", perfdata_reader_event(reader, i)->attr);
	perfdata_text_release(&text);
	perfdata_reader_close(reader);
}

/* Its size and last byte choose how an input is spelled: all at once would take too long. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const size_t how = size ? size + data[size - 1] : 0;
	for (size_t i = 0; i < AT_ONCE; i++)
		if (!emit_variant(&variants[(i ? how / 8 + i : how) % NR_VARIANTS], data, size))
			return 0;
	if (how % 4 == 0)
		spell_header(data, size);
	return 0;
}
