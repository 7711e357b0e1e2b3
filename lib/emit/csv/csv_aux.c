/* SPDX-License-Identifier: MIT */
#include "config.h"
#include <string.h>
#include "emit/csv/csv_aux.h"
#include "emit/csv/csv_cell.h"

const char *const pd_csv_packet_columns[] = { "file",       "offset", "trace",   "cpu",    "buffer_tid",
					      "aux_offset", "size",   "padding", "packet", "time",
					      "payload",    "text",   NULL };
const char *const pd_csv_spe_columns[] = { "file",
					   "offset",
					   "trace",
					   "cpu",
					   "buffer_tid",
					   "aux_offset",
					   "size",
					   "time",
					   "timer",
					   "context",
					   "pc",
					   "level",
					   "operation",
					   "operation_raw",
					   "events",
					   "target",
					   "previous_target",
					   "virtual_address",
					   "physical_address",
					   "data_source",
					   "total_cycles",
					   "issue_cycles",
					   "translation_cycles",
					   NULL };

/* Each with its comma in front. */
static void empty(struct perfdata_text *out) { perfdata_text_char(out, ','); }
static void number(struct perfdata_text *out, uint64_t value)
{
	perfdata_text_char(out, ',');
	perfdata_text_u64(out, value);
}
static void number_if(struct perfdata_text *out, bool present, uint64_t value)
{
	if (present)
		number(out, value);
	else
		empty(out);
}
static void hex_if(struct perfdata_text *out, bool present, uint64_t value)
{
	perfdata_text_char(out, ',');
	if (!present)
		return;
	perfdata_text_literal(out, "0x");
	perfdata_text_hex(out, value);
}

/* Up to aux_offset. */
static void place(const struct pd_aux_piece *piece, const char *file, uint64_t at, struct perfdata_text *out)
{
	const char *name = pd_aux_name(piece->trace.type);
	if (file)
		perfdata_text_csv_cell(out, file, strlen(file));
	number_if(out, piece->payload_offset != PERFDATA_NO_OFFSET, piece->payload_offset + at);
	perfdata_text_char(out, ',');
	perfdata_text_string(out, name ? name : "unknown");
	number_if(out, piece->cpu >= 0, (uint64_t)piece->cpu);
	number_if(out, piece->tid >= 0, (uint64_t)piece->tid);
	number(out, piece->aux_offset + at);
}

/* What perf prints of a packet; where perf has no single line for it, the fields. */
static void describe(const struct pd_aux_trace *trace, const struct pd_packet_kind *kind,
		     const struct pd_packet *packet, struct perfdata_text *out)
{
	const size_t before = out->size;
	perfdata_text_char(out, ',');
	pd_packet_text(trace, packet, out);
	if (out->size > before + 1)
		return;
	for (unsigned i = 0; i < kind->nr_fields; i++) {
		const struct pd_packet_field *field = &kind->fields[i];
		const uint64_t value = pd_packet_value(packet, field);
		if (i)
			perfdata_text_char(out, ' ');
		perfdata_text_string(out, field->name);
		perfdata_text_char(out, '=');
		if (field->show == PD_SHOW_ENUM && value < field->nr_names && field->names[value])
			perfdata_text_string(out, field->names[value]);
		else if (field->show == PD_SHOW_HEX)
			perfdata_text_hex_alt(out, value);
		else
			perfdata_text_u64(out, value);
	}
}

static void packet_row(const struct pd_aux_piece *piece, const char *file, const struct pd_packet_kind *kind,
		       const struct pd_packet *packet, uint64_t at, struct perfdata_text *out)
{
	place(piece, file, at, out);
	number(out, packet->size);
	number(out, packet->line - packet->size);
	perfdata_text_char(out, ',');
	perfdata_text_string(out, kind->name);
	const uint64_t time = pd_aux_has_ticks(piece, kind) ? pd_aux_time(&piece->clock, packet->words[0]) : UINT64_MAX;
	number_if(out, time != UINT64_MAX, time);
	hex_if(out, kind->nr_fields, packet->words[0]);
	describe(&piece->trace, kind, packet, out);
	perfdata_text_literal(out, CSV_NEW_LINE);
}

static void event_names(uint64_t events, struct perfdata_text *out)
{
	unsigned nr_names;
	const char *const *names = pd_spe_event_names(&nr_names), *before = ",";
	if (!events)
		empty(out);
	for (; events; events &= events - 1, before = " ") {
		const unsigned bit = (unsigned)__builtin_ctzll(events);
		perfdata_text_string(out, before);
		if (bit < nr_names && names[bit]) {
			perfdata_text_string(out, names[bit]);
		} else {
			perfdata_text_literal(out, "bit");
			perfdata_text_u64(out, bit);
		}
	}
}

static void spe_row(const struct pd_aux_piece *piece, const char *file, const struct pd_spe_record *record,
		    struct perfdata_text *out)
{
	const uint32_t present = record->present;
	const uint64_t time = present & PD_SPE_TIME ? pd_aux_time(&piece->clock, record->timer) : UINT64_MAX;
	place(piece, file, record->from, out);
	number(out, record->end - record->from);
	number_if(out, time != UINT64_MAX, time);
	number_if(out, present & PD_SPE_TIME, record->timer);
	number_if(out, present & PD_SPE_CONTEXT, record->context);
	hex_if(out, present & PD_SPE_PC, record->pc);
	number_if(out, present & PD_SPE_PC, record->pc_level);
	perfdata_text_char(out, ',');
	if (present & PD_SPE_OPERATION)
		perfdata_text_string(out, pd_spe_operation(record));
	hex_if(out, present & PD_SPE_OPERATION, record->operation);
	event_names(record->events, out);
	hex_if(out, present & PD_SPE_TARGET, record->target);
	hex_if(out, present & PD_SPE_PREVIOUS, record->previous);
	hex_if(out, present & PD_SPE_VIRTUAL, record->virtual_address);
	hex_if(out, present & PD_SPE_PHYSICAL, record->physical_address);
	hex_if(out, present & PD_SPE_SOURCE, record->source);
	number_if(out, present & PD_SPE_TOTAL, record->total);
	number_if(out, present & PD_SPE_ISSUE, record->issue);
	number_if(out, present & PD_SPE_TRANSLATION, record->translation);
	perfdata_text_literal(out, CSV_NEW_LINE);
}

void pd_csv_aux(enum csv_kind kind, const struct pd_aux_piece *piece, const char *file, struct perfdata_text *out)
{
	struct pd_aux_walk walk;
	pd_aux_walk_begin(&walk, piece);
	while (pd_aux_walk_next(&walk)) {
		if (kind == CSV_AUX_PACKETS)
			packet_row(piece, file, walk.kind, &walk.packet, walk.at, out);
		else if (walk.record_is_whole)
			spe_row(piece, file, &walk.record, out);
		perfdata_text_cut(out);
	}
}
