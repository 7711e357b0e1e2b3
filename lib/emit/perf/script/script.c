/* SPDX-License-Identifier: MIT */
/* `script`: the lines that `perf script --no-itrace` prints. */
#include "config.h"
#include <stdlib.h>
#include <string.h>
#include "base/error.h"
#include "base/memory.h"
#include "auxtrace/auxtrace.h"
#include "emit/emitters.h"
#include "emit/perf/header_text.h"
#include "emit/perf/record_text.h"
#include "emit/perf/script/script_line.h"
#include "emit/perf/script/script_setup.h"
#include "emit/perf/script/script_stat.h"
#include "schema/schema.h"
#include "reader/reader.h"

struct script {
	const struct perfdata_reader *reader;
	struct script_setup *setup;
	struct script_carry carry;             /* scan's */
	perfdata_finding_fn *on_finding;
	void *user;
	struct script_stat *stat;              /* scan's; NULL before the first counter */
	bool header, full_header;
	bool flow_reported;                    /* the finding TRACE_FLOW was reported */
};

/* scan's value for a batch. */
struct script_value {
	struct script_carry carry;
	struct perfdata_text early;            /* texts of records that scan writes, since they depend on its state */
	struct early {
		const struct perfdata_raw *record;
		size_t end;
	} *ends;
	size_t nr_ends, room;
};

#define SHOW(what, text) { .name = "show-" what "-events", .kind = PERFDATA_OPTION_FLAG, .help = text }

static const struct perfdata_emitter_option options[] = {
	SCRIPT_LINE_OPTIONS,
	SHOW("task", "lines for COMM, FORK and EXIT"),
	SHOW("mmap", "lines for MMAP and MMAP2"),
	SHOW("switch", "lines for SWITCH and SWITCH_CPU_WIDE"),
	SHOW("namespace", "lines for NAMESPACES"),
	SHOW("cgroup", "lines for CGROUP"),
	SHOW("lost", "lines for LOST"),
	SHOW("bpf", "lines for KSYMBOL, BPF_EVENT and BPF_METADATA"),
	SHOW("text-poke", "lines for TEXT_POKE"),
	SHOW("round", "lines for FINISHED_ROUND; records in the order of the file"),
	{ .name = "itrace", .kind = PERFDATA_OPTION_TEXT, .argument = "LETTERS",
	  .help = "make samples from operations in traces of Arm SPE, as perf does: i instructions, b branches (l "
		  "with their stacks), M memory, f and m caches, t TLB, a remote; \"default\": all of them" },
	{ .name = "header", .kind = PERFDATA_OPTION_FLAG, .help = "print the header of the recording first" },
	{ .name = "show-info", .kind = PERFDATA_OPTION_FLAG, .short_name = 'I',
	  .help = "with --header: print long sections too" },
	{ 0 },
};

static void release_state(void *state)
{
	struct script *script = state;
	if (!script)
		return;
	pd_script_setup_free(script->setup);
	pd_script_stat_free(script->stat);
	free(script);
}

/* perf prints the header of a pipe before it reads the records about the recorder. */
static void spell_header(const struct script *script, struct perfdata_text *out)
{
	const struct perfdata_reader *reader = script->reader;
	const struct perfdata_feature_section *section;
	if (perfdata_reader_header(reader)->container != PERFDATA_CONTAINER_PIPE) {
		perfdata_perf_header(out, reader, script->full_header);
		return;
	}
	const struct header_text_source source = pd_header_text_of_reader(reader);
	pd_header_text_begin(out, perfdata_reader_header(reader));
	pd_header_text_end(out, reader);
	for (size_t i = 0; (section = perfdata_reader_feature_at(reader, i)); i++)
		if (section->feature)
			pd_header_text_feature(out, section->feature, script->full_header, &source);
}

static enum perfdata_status begin_output(const struct perfdata_emit_context *context, void **ret_state,
					 struct perfdata_text *out)
{
	struct script *script = calloc(1, sizeof *script);
	if (!script)
		return PERFDATA_ENOMEM;
	script->reader = context->reader;
	script->on_finding = context->on_finding;
	script->user = context->user;
	script->header = perfdata_option_flag(context->options, context->nr_options, "header", false);
	script->full_header = perfdata_option_flag(context->options, context->nr_options, "show-info", false);
	const enum perfdata_status status = pd_script_setup_new(context, &script->setup);
	if (status != PERFDATA_OK) {
		release_state(script);
		return status;
	}
	if (script->header)
		spell_header(script, out);
	*ret_state = script;
	return PERFDATA_OK;
}

/* --- scan --------------------------------------------------------------------------------------------------------- */

static void free_value(void *value)
{
	struct script_value *v = value;
	if (!v)
		return;
	perfdata_text_release(&v->early);
	free(v->ends);
	free(v);
}

static const struct perfdata_config *config_of(const struct script *script, const struct perfdata_raw *raw)
{
	return raw->event ? raw->event->config : perfdata_reader_config(script->reader);
}

/* Notes that the text added to `early` belongs to this record. */
static enum perfdata_status end_early(struct script_value *value, const struct perfdata_raw *raw)
{
	if (pd_vector_grow(&value->ends, &value->room, value->nr_ends, sizeof *value->ends) < 0)
		return PERFDATA_ENOMEM;
	value->ends[value->nr_ends++] = (struct early){ raw, value->early.size };
	return perfdata_text_failed(&value->early) ? PERFDATA_ENOMEM : PERFDATA_OK;
}

static enum perfdata_status scan_stat(struct script *script, struct script_value *value, const struct perfdata_raw *raw)
{
	struct perfdata_record record;
	if (!script->stat)
		script->stat = pd_script_stat_new(&script->setup->names, script->on_finding, script->user);
	if (!script->stat)
		return PERFDATA_ENOMEM;
	(void)perfdata_decode(config_of(script, raw), raw->bytes, raw->size, &record);
	const size_t before = value->early.size;
	const enum perfdata_status status = pd_script_stat_record(script->stat, raw, &record, &value->early);
	return status == PERFDATA_OK && value->early.size > before ? end_early(value, raw) : status;
}

/* Reports once that lines of instruction flow are missing, since they need the program's code. */
static void note_flow(struct script *script, const struct perfdata_raw *raw)
{
	struct perfdata_record record;
	if (raw->type != PERFDATA_RECORD_AUXTRACE_INFO || script->flow_reported || !script->on_finding)
		return;
	(void)perfdata_decode(perfdata_reader_config(script->reader), raw->bytes, raw->size, &record);
	if (record.u.auxtrace_info.type != PD_AUX_INTEL_PT)
		return;
	const struct perfdata_finding finding = {
		.severity = perfdata_finding_lookup(PERFDATA_FINDING_TRACE_FLOW)->severity,
		.code = PERFDATA_FINDING_TRACE_FLOW,
		.file = pd_reader_file_name(script->reader, raw->file),
		.offset = raw->offset,
		.record = raw->number,
		.message = "the instruction flow of Intel PT is not printed: it needs the code of the programs",
	};
	script->flow_reported = true;
	script->on_finding(script->user, &finding);
}

static enum perfdata_status scan_batch(void *state, const struct perfdata_batch *batch, void **ret_value)
{
	struct script *script = state;
	struct script_value *value = calloc(1, sizeof *value);
	if (!value)
		return PERFDATA_ENOMEM;
	enum perfdata_status status = pd_script_carry_pass(script->setup, &script->carry, batch, &value->carry);
	for (size_t i = 0; i < batch->nr_deliveries; i++)
		note_flow(script, batch->deliveries[i].record);
	for (size_t i = 0; i < batch->nr_deliveries && status == PERFDATA_OK; i++)
		if (script_stat_concerns(batch->deliveries[i].record->type))
			status = scan_stat(script, value, batch->deliveries[i].record);
	if (status != PERFDATA_OK) {
		free_value(value);
		return status;
	}
	*ret_value = value;
	return PERFDATA_OK;
}

/* --- format ------------------------------------------------------------------------------------------------------- */

struct formatter {
	const struct script *script;
	const struct perfdata_batch *batch;
	const struct script_value *value;
	struct script_carry carry;
	size_t next_early;
	struct perfdata_scratch *scratch;
	struct perfdata_text *out;
};

static void kernel_symbol(const void *user, uint64_t address, struct perfdata_text *out)
{
	pd_script_kernel_symbol(user, address, out);
}

static void spell_early(struct formatter *f, const struct perfdata_raw *raw)
{
	const struct script_value *value = f->value;
	if (f->next_early >= value->nr_ends || value->ends[f->next_early].record != raw)
		return;
	const size_t from = f->next_early ? value->ends[f->next_early - 1].end : 0;
	perfdata_text_append(f->out, value->early.data + from, value->ends[f->next_early].end - from);
	f->next_early++;
}

/* "… PERF_RECORD_NAME" and its tail. */
static void spell_record(struct formatter *f, const struct perfdata_delivery *delivery)
{
	const struct perfdata_raw *raw = delivery->record;
	const struct script_setup *setup = f->script->setup;
	struct perfdata_record record;
	(void)perfdata_decode(config_of(f->script, raw), raw->bytes, raw->size, &record);
	if (raw->type < PERFDATA_RECORD_USER_FIRST)
		pd_script_line_start(setup, delivery, &record, &f->carry, f->scratch, f->out);
	perfdata_text_literal(f->out, "PERF_RECORD_");
	perfdata_text_string(f->out, pd_record_text_name(raw->type));
	if (raw->type == PERFDATA_RECORD_LOST) {
		perfdata_text_literal(f->out, " lost ");
		perfdata_text_u64(f->out, record.u.lost.lost);
		perfdata_text_char(f->out, '\n');
		return;
	}
	const struct record_text_context context = {
		.reader = f->script->reader, .names = &setup->names, .event = raw->event, .symbol = kernel_symbol,
		.user = f->batch->session,
	};
	pd_record_text(&context, &record, f->out);
}

/* Whether the delivery is from a guest that the recording does not describe. */
static bool is_unknown_guest(const struct perfdata_delivery *delivery)
{
	const unsigned cpumode = delivery->record->misc & PERFDATA_CPUMODE_MASK;
	if (delivery->flags & PERFDATA_DELIVERY_GUEST)
		return false;
	return cpumode == PERFDATA_CPUMODE_GUEST_KERNEL || cpumode == PERFDATA_CPUMODE_GUEST_USER;
}

static enum perfdata_status format_batch(const void *state, const struct perfdata_batch *batch, void *value,
					 struct perfdata_scratch *scratch, struct perfdata_text *out, void **ret_part)
{
	(void)ret_part;
	const struct script *script = state;
	struct formatter f = { .script = script, .batch = batch, .value = value, .scratch = scratch, .out = out };
	f.carry = f.value->carry;
	for (size_t i = 0; i < batch->nr_deliveries; i++) {
		const struct perfdata_delivery *delivery = &batch->deliveries[i];
		const struct perfdata_raw *raw = delivery->record;
		if (raw->type != PERFDATA_RECORD_SAMPLE) {
			if (script_setup_shows(script->setup, raw->type))
				spell_record(&f, delivery);
			else if (f.value->nr_ends)
				spell_early(&f, raw);
			perfdata_text_cut(out);
			continue;
		}
		if (delivery->flags & PERFDATA_DELIVERY_SILENT || is_unknown_guest(delivery))
			continue;
		pd_script_line(script->setup, batch, delivery, NULL, &f.carry, scratch, out);
		perfdata_text_cut(out);
	}
	return perfdata_text_failed(out) ? PERFDATA_ENOMEM : PERFDATA_OK;
}

/* Parses --itrace; letters for other decoders have no effect. */
static enum perfdata_status read_itrace(const char *text, struct perfdata_configuration *configuration)
{
	static const struct { char letter; uint32_t samples;
	} letters[] = {
		{ 'i', PERFDATA_TRACE_INSTRUCTIONS }, { 'b', PERFDATA_TRACE_BRANCHES },
		{ 'f', PERFDATA_TRACE_L1D },          { 'm', PERFDATA_TRACE_LLC },
		{ 't', PERFDATA_TRACE_TLB },          { 'a', PERFDATA_TRACE_REMOTE },
		{ 'M', PERFDATA_TRACE_MEMORY },       { 'l', PERFDATA_TRACE_BRANCH_STACKS },
	};
	if (!strcmp(text, "default"))
		text = "ibfmtaM";
	for (; *text; text++) {
		uint32_t samples = 0;
		for (size_t i = 0; i < sizeof letters / sizeof *letters; i++)
			samples |= letters[i].letter == *text ? letters[i].samples : 0;
		if (!samples) {
			pd_error(configuration->reterr, PERFDATA_EUSAGE, PERFDATA_NO_OFFSET,
				 "--itrace: '%c' is none of the letters ibfmtaMl", *text);
			return PERFDATA_EUSAGE;
		}
		configuration->trace_samples |= samples;
	}
	return PERFDATA_OK;
}

/* perf does not sort if it prints FINISHED_ROUND records, which have a meaning only in the order of the file. */
static enum perfdata_status configure_session(void *user, struct perfdata_configuration *configuration)
{
	const char *itrace = perfdata_option_text(configuration->options, configuration->nr_options, "itrace");
	(void)user;
	configuration->no_stack_copies = true;
	if (perfdata_option_flag(configuration->options, configuration->nr_options, "show-round-events", false))
		configuration->order = PERFDATA_ORDER_FILE;
	return itrace ? read_itrace(itrace, configuration) : PERFDATA_OK;
}

const struct perfdata_emitter pd_emitter_script = {
	.abi = PERFDATA_EMITTER_ABI,
	.name = "script",
	.help = "samples as `perf script` prints them",
	.needs = PERFDATA_NEED_DELIVERIES | PERFDATA_NEED_THREADS | PERFDATA_NEED_FRAMES | PERFDATA_NEED_STACKS,
	.flags = PERFDATA_EMITTER_SYMBOLS,
	.size = sizeof(struct perfdata_emitter),
	.options = options,
	.option_size = sizeof *options,
	.configure = configure_session,
	.begin = begin_output,
	.scan = scan_batch,
	.format = format_batch,
	.free_value = free_value,
	.release = release_state,
};
