/* SPDX-License-Identifier: MIT */
/* `perf script -D --no-itrace`: each record as a hex dump and a line, samples with all their fields. With `--aux`,
 * `perf script -D`: also the packets of traces. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "perfdata/emit.h"
#include "reader/trace_pieces.h"
#include "emit/perf/cpu_numbers.h"
#include "emit/perf/record_text.h"
#include "emit/perf/sample_text.h"
#include "emit/perf/script/script_line.h"
#include "emit/perf/script/script_setup.h"
#include "emit/perf/script/script_stat.h"
#include "perfdata/perf.h"
#include "schema/schema.h"
#include "schema/feature.h"
#include "reader/reader.h"
#include "emit/emitters.h"
#include "text/decimal.h"
#include "text/spelling.h"

/* What perf knows about events when it prints a line: all events of a file, or those read so far from a pipe. */
struct known {
	bool any;                  /* perf knows an event */
	bool sample_id_all;        /* of the first event */
	uint64_t sample_type;      /* bits of all events */
	uint32_t nr_cpus;          /* CPU numbers from this one on are printed as 0 */
};

struct dump {
	const struct perfdata_reader *reader;
	struct script_setup *script;       /* NULL: no script lines */
	struct script_carry carry;         /* scan's */
	perfdata_finding_fn *on_finding;
	void *user;
	struct script_stat *stat;          /* scan's; NULL before the first value, and without script lines */
	struct event_names names;
	struct pd_aux_carry traces;        /* scan's */
	bool hex, pipe, aux;
	bool undecoded;                    /* the finding TRACE_UNDECODED was reported */
	struct known known;                /* after the last batch that scan processed */
	struct pd_sample_text_setup sample;
};

/* scan's value for a batch: the state before the batch, and texts that depend on state which grows while a pipe is
 * read. */
struct dump_value {
	struct known known;
	struct script_carry carry;
	struct pd_aux_pieces pieces;
	struct perfdata_text tails;
	struct tail {
		const struct perfdata_raw *record;
		size_t end;                /* offset of the text's end in `tails` */
	} *spelled;
	size_t nr_spelled, room;
};

static void know_attr(struct known *known, const struct perfdata_attr *attr)
{
	if (!known->any)
		known->sample_id_all = perfdata_attr_has(attr, PERFDATA_ATTR_SAMPLE_ID_ALL);
	known->any = true;
	known->sample_type |= attr->sample_type;
}

/* Updates `known` from a record. */
static void know_record(struct known *known, const struct perfdata_record *record, enum perfdata_byte_order order)
{
	if (record->type == PERFDATA_RECORD_ATTR) {
		know_attr(known, &record->u.attr.attr);
	} else if (record->type == PERFDATA_RECORD_FEATURE && record->u.feature.feat_id == PERFDATA_FEATURE_NRCPUS) {
		struct perfdata_feature *feature = NULL;
		if (pd_feature_decode(PERFDATA_FEATURE_NRCPUS, record->u.feature.payload.data,
					    record->u.feature.payload.size, order, 0, &feature, NULL) == PERFDATA_OK)
			known->nr_cpus = pd_nr_cpus(feature);
		pd_feature_free(feature);
	}
}

#define DUMP_NEEDS                                                                                         \
	(PERFDATA_NEED_RECORDS | PERFDATA_NEED_DELIVERIES | PERFDATA_NEED_THREADS | PERFDATA_NEED_FRAMES | \
	 PERFDATA_NEED_STACKS)

static const struct perfdata_emitter_option dump_options[] = {
	{ .name = "hex", .kind = PERFDATA_OPTION_FLAG,
	  .help = "print a hex dump of each record (default; --no-hex: none)" },
	{ .name = "samples-line", .kind = PERFDATA_OPTION_FLAG,
	  .help = "print the line of `script` after each sample (default; --no-samples-line: as perf report -D, with "
		  "counts at the end)" },
	{ .name = "aux", .kind = PERFDATA_OPTION_FLAG,
	  .help = "print the packets of traces too (Intel PT, BTS, Arm SPE, …), as `perf script -D` without "
		  "--no-itrace" },
	SCRIPT_LINE_OPTIONS,
	{ 0 },
};

static void dump_release(void *state)
{
	struct dump *dump = state;
	if (!dump)
		return;
	pd_script_setup_free(dump->script);
	pd_script_stat_free(dump->stat);
	pd_aux_carry_release(&dump->traces);
	free(dump);
}

static enum perfdata_status dump_begin(const struct perfdata_emit_context *context, void **ret_state,
				       struct perfdata_text *out)
{
	struct dump *dump = calloc(1, sizeof *dump);
	if (!dump)
		return PERFDATA_ENOMEM;
	dump->reader = context->reader;
	dump->on_finding = context->on_finding;
	dump->user = context->user;
	dump->hex = perfdata_option_flag(context->options, context->nr_options, "hex", true);
	dump->pipe = perfdata_reader_header(context->reader)->container == PERFDATA_CONTAINER_PIPE;
	dump->aux = perfdata_option_flag(context->options, context->nr_options, "aux", false);
	dump->traces.dump = true;
	dump->known.nr_cpus = dump->pipe ? pd_nr_cpus(NULL) : pd_nr_cpus_of(context->reader);
	pd_event_names_init(&dump->names, context->reader, EVENT_NAMES_SCRIPT);
	pd_sample_text_setup(&dump->sample, context->reader);
	if (!dump->pipe) {
		for (size_t i = 0; i < perfdata_reader_nr_events(context->reader); i++)
			know_attr(&dump->known, perfdata_reader_event(context->reader, i)->attr);
	}
	if (perfdata_option_flag(context->options, context->nr_options, "samples-line", true)) {
		enum perfdata_status status = pd_script_setup_new(context, &dump->script);
		if (status != PERFDATA_OK) {
			dump_release(dump);
			return status;
		}
	}
	if (!dump->pipe && !dump->known.sample_id_all)
		perfdata_text_literal(out, "WARNING: No sample_id_all support, falling back to unordered processing\n");
	*ret_state = dump;
	return PERFDATA_OK;
}

static void free_value(void *value)
{
	struct dump_value *v = value;
	if (!v)
		return;
	pd_aux_pieces_release(&v->pieces);
	perfdata_text_release(&v->tails);
	free(v->spelled);
	free(v);
}

static const struct perfdata_config *config_of(const struct dump *dump, const struct perfdata_raw *raw)
{
	return raw->event ? raw->event->config : perfdata_reader_config(dump->reader);
}

/* Writes tails that name events or need a feature section: scan has the state at this record. */
static enum perfdata_status spell_early(struct dump *dump, struct dump_value *value, const struct perfdata_raw *raw,
					const struct perfdata_record *record)
{
	if (pd_vector_grow(&value->spelled, &value->room, value->nr_spelled, sizeof *value->spelled) < 0)
		return PERFDATA_ENOMEM;
	const struct record_text_context context = { .reader = dump->reader,
						     .dump = true,
						     .report = !dump->script,
						     .names = &dump->names,
						     .event = raw->event };
	pd_record_text(&context, record, &value->tails);
	if (script_stat_concerns(raw->type)) {
		if (!dump->stat)
			dump->stat = pd_script_stat_new(&dump->names, dump->on_finding, dump->user);
		if (!dump->stat || pd_script_stat_record(dump->stat, raw, record, &value->tails) != PERFDATA_OK)
			return PERFDATA_ENOMEM;
	}
	value->spelled[value->nr_spelled++] = (struct tail){ raw, value->tails.size };
	return perfdata_text_failed(&value->tails) ? PERFDATA_ENOMEM : PERFDATA_OK;
}

/* Reports once that the packets of this tracer are not decoded. */
static void note_undecoded(struct dump *dump, const struct perfdata_raw *raw)
{
	if (raw->type != PERFDATA_RECORD_AUXTRACE || pd_aux_carry_is_decoded(&dump->traces) || dump->undecoded ||
	    !dump->on_finding)
		return;
	const struct pd_tracer *tracer = dump->traces.setup.tracer;
	char message[96] = "packets of a trace that no AUXTRACE_INFO record describes are not decoded";
	if (tracer) {
		strcpy(message, "packets of ");
		strcat(strcat(message, tracer->name), " traces are not decoded");
	}
	const struct perfdata_finding finding = {
		.severity = perfdata_finding_lookup(PERFDATA_FINDING_TRACE_UNDECODED)->severity,
		.code = PERFDATA_FINDING_TRACE_UNDECODED,
		.file = pd_reader_file_name(dump->reader, raw->file),
		.offset = raw->offset,
		.record = raw->number,
		.message = message,
	};
	dump->undecoded = true;
	dump->on_finding(dump->user, &finding);
}

static enum perfdata_status scan_traces(struct dump *dump, const struct perfdata_batch *batch, struct dump_value *value)
{
	value->pieces.tracer_before = dump->traces.setup.tracer;
	for (size_t i = 0; i < batch->nr_records; i++) {
		const enum perfdata_status status = pd_aux_scan(&dump->traces, dump->reader, &batch->records[i],
								&value->pieces);
		if (status != PERFDATA_OK)
			return status;
		note_undecoded(dump, &batch->records[i]);
	}
	return PERFDATA_OK;
}

static enum perfdata_status dump_scan(void *state, const struct perfdata_batch *batch, void **ret_value)
{
	struct dump *dump = state;
	struct dump_value *value = calloc(1, sizeof *value);
	if (!value)
		return PERFDATA_ENOMEM;
	value->known = dump->known;
	if (dump->script && pd_script_carry_pass(dump->script, &dump->carry, batch, &value->carry) != PERFDATA_OK) {
		free_value(value);
		return PERFDATA_ENOMEM;
	}
	if (dump->aux && scan_traces(dump, batch, value) != PERFDATA_OK) {
		free_value(value);
		return PERFDATA_ENOMEM;
	}
	enum perfdata_byte_order order = perfdata_reader_header(dump->reader)->order;
	for (size_t i = 0; i < batch->nr_records; i++) {
		const struct perfdata_raw *raw = &batch->records[i];
		if (raw->flags & PERFDATA_RAW_PAYLOAD)
			continue;
		const bool early = raw->type == PERFDATA_RECORD_FEATURE || raw->type == PERFDATA_RECORD_READ ||
			     (dump->script && script_stat_concerns(raw->type));
		if (!early && raw->type != PERFDATA_RECORD_ATTR)
			continue;
		struct perfdata_record record;
		(void)perfdata_decode(config_of(dump, raw), raw->bytes, raw->size, &record);
		enum perfdata_status status = early ? spell_early(dump, value, raw, &record) : PERFDATA_OK;
		if (status != PERFDATA_OK) {
			free_value(value);
			return status;
		}
		know_record(&dump->known, &record, order);
	}
	*ret_value = value;
	return PERFDATA_OK;
}

/* --- format --- */

struct dumper {
	const struct dump *dump;
	const struct perfdata_batch *batch;
	const struct dump_value *value;
	struct perfdata_scratch *scratch;
	struct perfdata_text *out;
	struct known known;
	struct script_carry carry;
	size_t next_tail;
	size_t next_piece;
	const struct pd_tracer *tracer;   /* of the last AUXTRACE_INFO record; or NULL */
	enum perfdata_byte_order order;
};

static uint64_t shown_offset(const struct dump *dump, const struct perfdata_raw *raw)
{
	/* perf does not count the 16 bytes of a pipe's header */
	return dump->pipe ? raw->offset - 16 : raw->offset;
}

static void block_head(struct dumper *dumper, const struct perfdata_raw *raw, const struct perfdata_record *record)
{
	struct perfdata_text *out = dumper->out;
	const char *path = dumper->dump->pipe ? "pipe" : pd_reader_file_name(dumper->dump->reader, raw->file);
	size_t path_size = strlen(path);
	char *at = perfdata_text_reserve(out, path_size + 160);
	if (!at)
		return;
	*at++ = '\n';
	at = pd_hex_alt_to(at, shown_offset(dumper->dump, raw));
	*at++ = '@';
	memcpy(at, path, path_size);
	at += path_size;
	memcpy(at, " [", 2);
	at = pd_hex_alt_to(at + 2, raw->size);
	memcpy(at, "]: event: ", 10);
	at = pd_u64_to(at + 10, raw->type);
	*at++ = '\n';
	if (dumper->dump->hex) {
		memcpy(at, ".\n. ... raw event: size ", 24);
		at = pd_u64_to(at + 24, raw->size);
		memcpy(at, " bytes\n", 7);
		at += 7;
	}
	perfdata_text_commit(out, at);
	if (!dumper->dump->hex)
		return;
	const uint8_t *bytes = raw->bytes;
	struct perfdata_text *swapped = &dumper->scratch->text;
	if (record->swap) {
		perfdata_text_clear(swapped);
		uint8_t *room = (uint8_t *)perfdata_text_reserve(swapped, raw->size);
		if (!room)
			return;
		pd_record_native(config_of(dumper->dump, raw), record, room);
		bytes = room;
	}
	pd_text_hex_dump(out, bytes, raw->size);
	perfdata_text_char(out, '\n');
}

/* "CPU TIME OFFSET [SIZE]: PERF_RECORD_NAME" */
static void pd_line_head(struct dumper *dumper, const struct perfdata_raw *raw)
{
	const struct known *known = &dumper->known;
	bool user = raw->type >= PERFDATA_RECORD_USER_FIRST;
	const char *name = pd_record_text_name(raw->type);
	size_t name_size = strlen(name);
	char *at = perfdata_text_reserve(dumper->out, 160 + name_size);
	if (!at)
		return;
	if (raw->type != PERFDATA_RECORD_SAMPLE && !known->sample_id_all) {
		memcpy(at, "-1 -1 ", 6);
		at += 6;
	} else {
		if (known->sample_type & PERFDATA_SAMPLE_CPU) {
			at = pd_u64_to(at, user ? 0 : pd_shown_cpu(raw->cpu, known->nr_cpus));
			*at++ = ' ';
		}
		if (known->sample_type & PERFDATA_SAMPLE_TIME) {
			at = pd_u64_to(at, user ? 0 : raw->time);
			*at++ = ' ';
		}
	}
	at = pd_hex_alt_to(at, shown_offset(dumper->dump, raw));
	memcpy(at, " [", 2);
	at = pd_hex_alt_to(at + 2, raw->size);
	memcpy(at, "]: PERF_RECORD_", 15);
	memcpy(at + 15, name, name_size);
	perfdata_text_commit(dumper->out, at + 15 + name_size);
}

static void kernel_symbol(const void *user, uint64_t address, struct perfdata_text *out)
{
	pd_script_kernel_symbol(user, address, out);
}

static void other_tail(struct dumper *dumper, const struct perfdata_raw *raw, const struct perfdata_record *record)
{
	const struct dump_value *value = dumper->value;
	if (dumper->next_tail < value->nr_spelled && value->spelled[dumper->next_tail].record == raw) {
		size_t from = dumper->next_tail ? value->spelled[dumper->next_tail - 1].end : 0;
		const size_t size = value->spelled[dumper->next_tail].end - from;
		if (size)
			perfdata_text_append(dumper->out, value->tails.data + from, size);
		dumper->next_tail++;
		return;
	}
	struct record_text_context context = {
		.reader = dumper->dump->reader,
		.dump = true,
		.report = !dumper->dump->script,
		.names = &dumper->dump->names,
		.event = raw->event,
		.symbol = kernel_symbol,
		.user = dumper->batch->session,
		.aux = dumper->dump->aux,
		.unsorted = !pd_reader_is_in_time(dumper->dump->reader),
	};
	pd_record_text(&context, record, dumper->out);
	if (raw->type == PERFDATA_RECORD_CALLCHAIN_DEFERRED && raw->event &&
	    raw->event->attr->sample_type & PERFDATA_SAMPLE_CALLCHAIN)
		pd_sample_text_callchain(&record->u.callchain_deferred.callchain, dumper->out);
	if (raw->type == PERFDATA_RECORD_CALLCHAIN_DEFERRED && context.report)
		perfdata_text_literal(dumper->out, ": unhandled!\n");
}

/* --- traces --- */

/* Writes a piece of a trace, after the line of its record. */
static void trace_piece(struct dumper *dumper, const struct perfdata_raw *raw)
{
	const struct pd_aux_piece *piece = pd_aux_piece_of(&dumper->value->pieces, raw, &dumper->next_piece);
	if (piece)
		pd_aux_piece_lines(piece, dumper->out);
}

/* Writes the trace inside a sample; perf prints only those of Intel PT. */
static void trace_of_sample(struct dumper *dumper, const struct perfdata_raw *raw, const struct perfdata_record *record)
{
	if (!dumper->dump->aux || !dumper->tracer || !dumper->tracer->in_samples || record->problem ||
	    !(pd_config_attr(raw->event->config)->sample_type & PERFDATA_SAMPLE_AUX) ||
	    !record->u.sample.aux.size)
		return;
	const struct perfdata_bytes bytes = record->u.sample.aux;
	const struct pd_aux_trace trace = { .tracer = dumper->tracer, .size = bytes.size };
	struct pd_aux_state state = { 0 };
	perfdata_text_char(dumper->out, '\n');
	pd_aux_head(&trace, &state, dumper->out);
	pd_aux_lines(&trace, &state, bytes.data, bytes.size, 0, bytes.size, dumper->out);
}

/* Whether perf prints no such record: it drops the record, or prints the decompressed records instead. */
static bool is_hidden(const struct perfdata_raw *raw, const struct perfdata_record *record)
{
	if (record->layout && raw->size < record->layout->perf_min_size)
		return true;
	if (raw->flags & PERFDATA_RAW_NOT_DECOMPRESSED)
		return false;
	return raw->type == PERFDATA_RECORD_COMPRESSED || raw->type == PERFDATA_RECORD_COMPRESSED2;
}

static void write_block(struct dumper *dumper, const struct perfdata_delivery *delivery,
			const struct perfdata_record *record)
{
	const struct perfdata_raw *raw = delivery->record;
	if (is_hidden(raw, record))
		return;
	block_head(dumper, raw, record);
	pd_line_head(dumper, raw);
	if (raw->type == PERFDATA_RECORD_SAMPLE)
		pd_sample_text(&dumper->dump->sample, raw, record, dumper->out);
	else
		other_tail(dumper, raw, record);
	if (dumper->dump->pipe)
		know_record(&dumper->known, record, dumper->order);
}

/* " ... thread: COMM:TID", " ...... dso: NAME" and the line of script. */
static void write_delivered(struct dumper *dumper, const struct perfdata_delivery *delivery,
			    const struct perfdata_record *record)
{
	const struct perfdata_session *session = dumper->batch->session;
	struct perfdata_text *out = dumper->out;
	unsigned cpumode = delivery->record->misc & PERFDATA_CPUMODE_MASK;
	const struct perfdata_frame *frame = perfdata_session_frame(session, delivery->ip);
	const struct perfdata_dso *dso = frame ? perfdata_session_dso(session, frame->dso) : NULL;
	perfdata_text_literal(out, " ... thread: ");
	perfdata_text_string(out, perfdata_session_comm(session, delivery->script_comm));
	perfdata_text_char(out, ':');
	perfdata_text_s64(out, delivery->tid);
	perfdata_text_literal(out, "\n ...... dso: ");
	const bool followed = delivery->flags & PERFDATA_DELIVERY_GUEST;
	bool mapped = cpumode == PERFDATA_CPUMODE_KERNEL || cpumode == PERFDATA_CPUMODE_USER || followed;
	perfdata_text_string(out, dso ? dso->long_name : mapped ? "<not found>" : "[hypervisor]");
	perfdata_text_char(out, '\n');
	bool guest = cpumode == PERFDATA_CPUMODE_GUEST_KERNEL || cpumode == PERFDATA_CPUMODE_GUEST_USER;
	if (dumper->dump->script && (!guest || followed)) {
		pd_script_line(dumper->dump->script, dumper->batch, delivery, record, &dumper->carry, dumper->scratch,
			       out);
		trace_of_sample(dumper, delivery->record, record);
	}
}

static enum perfdata_status dump_format(const void *state, const struct perfdata_batch *batch, void *value,
					struct perfdata_scratch *scratch, struct perfdata_text *out, void **ret_part)
{
	(void)ret_part;
	const struct dump *dump = state;
	struct dumper dumper = { .dump = dump, .batch = batch, .value = value, .scratch = scratch, .out = out };
	dumper.known = dumper.value->known;
	dumper.carry = dumper.value->carry;
	dumper.order = perfdata_reader_header(dump->reader)->order;
	dumper.tracer = dumper.value->pieces.tracer_before;
	struct perfdata_record record;
	const struct perfdata_raw *decoded = NULL;
	for (size_t i = 0; i < batch->nr_deliveries; i++) {
		const struct perfdata_delivery *delivery = &batch->deliveries[i];
		if (delivery->record->flags & PERFDATA_RAW_PAYLOAD) {
			trace_piece(&dumper, delivery->record);
			continue;
		}
		if (delivery->record != decoded) {
			decoded = delivery->record;
			(void)perfdata_decode(config_of(dump, decoded), decoded->bytes, decoded->size, &record);
		}
		if (delivery->flags & PERFDATA_DELIVERY_FIRST)
			write_block(&dumper, delivery, &record);
		if (decoded->type == PERFDATA_RECORD_AUXTRACE_INFO)
			dumper.tracer = pd_tracer_of(record.u.auxtrace_info.type);
		if (decoded->type == PERFDATA_RECORD_SAMPLE && !(delivery->flags & PERFDATA_DELIVERY_SILENT))
			write_delivered(&dumper, delivery, &record);
		perfdata_text_cut(out);
	}
	return perfdata_text_failed(out) ? PERFDATA_ENOMEM : PERFDATA_OK;
}

static enum perfdata_status dump_end(void *state, const struct perfdata_emit_end *end, struct perfdata_text *out)
{
	const struct dump *dump = state;
	if (!dump->script && end->status == PERFDATA_OK)
		perfdata_perf_stats(out, dump->reader, end->summary, NULL);
	return perfdata_text_failed(out) ? PERFDATA_ENOMEM : PERFDATA_OK;
}

/* --aux needs payloads, which contain the packets. Without script lines the dump equals `perf report -D`, which does
 * not join deferred chains and keeps exited threads. */
static enum perfdata_status dump_configure(void *user, struct perfdata_configuration *configuration)
{
	(void)user;
	if (perfdata_option_flag(configuration->options, configuration->nr_options, "aux", false))
		configuration->needs |= PERFDATA_NEED_PAYLOADS;
	if (perfdata_option_flag(configuration->options, configuration->nr_options, "samples-line", true))
		return PERFDATA_OK;
	configuration->merge_deferred = false;
	configuration->keep_exited = true;
	return PERFDATA_OK;
}

const struct perfdata_emitter pd_emitter_dump = {
	.abi = PERFDATA_EMITTER_ABI, .name = "dump", .help = "every record as `perf script -D` prints it",
	.needs = DUMP_NEEDS,
	.flags = PERFDATA_EMITTER_SYMBOLS | PERFDATA_EMITTER_MEMORY, .size = sizeof(struct perfdata_emitter),
	.options = dump_options, .option_size = sizeof *dump_options, .configure = dump_configure,
	.begin = dump_begin, .scan = dump_scan,
	.format = dump_format, .end = dump_end, .free_value = free_value, .release = dump_release,
};
