/* SPDX-License-Identifier: MIT */
#include "config.h"
#include <string.h>
#include "emit/json/aux_json.h"

/* A line that is being written. */
struct aux_line {
	const struct aux_json *how;
	const struct pd_aux_piece *piece;
	struct perfdata_text *out;
};

static void key(struct perfdata_text *out, const char *name)
{
	perfdata_text_literal(out, ",\"");
	perfdata_text_string(out, name);
	perfdata_text_literal(out, "\":");
}

static void number(const struct aux_line *line, const char *name, uint64_t value, bool is_signed)
{
	key(line->out, name);
	if (line->how->int64_string)
		perfdata_text_char(line->out, '"');
	if (is_signed)
		perfdata_text_s64(line->out, (int64_t)value);
	else
		perfdata_text_u64(line->out, value);
	if (line->how->int64_string)
		perfdata_text_char(line->out, '"');
}

static void small(const struct aux_line *line, const char *name, int64_t value)
{
	key(line->out, name);
	perfdata_text_s64(line->out, value);
}

static void hex(const struct aux_line *line, const char *name, uint64_t value)
{
	key(line->out, name);
	perfdata_text_literal(line->out, "\"0x");
	perfdata_text_hex(line->out, value);
	perfdata_text_char(line->out, '"');
}

static void text(const struct aux_line *line, const char *name, const char *value)
{
	key(line->out, name);
	perfdata_text_json_string(line->out, value, strlen(value));
}

static void flag(const struct aux_line *line, const char *name, bool value)
{
	key(line->out, name);
	perfdata_text_string(line->out, value ? "true" : "false");
}

/* The names of the bits that are set; bits without a name as "bit 13". */
static void names(const struct aux_line *line, const char *name, uint64_t bits, const char *const *list, unsigned nr)
{
	struct perfdata_text *out = line->out;
	key(out, name);
	perfdata_text_char(out, '[');
	for (const char *before = ""; bits; bits &= bits - 1, before = ",") {
		const unsigned bit = (unsigned)__builtin_ctzll(bits);
		perfdata_text_string(out, before);
		perfdata_text_char(out, '"');
		if (bit < nr && list[bit]) {
			perfdata_text_string(out, list[bit]);
		} else {
			perfdata_text_literal(out, "bit ");
			perfdata_text_u64(out, bit);
		}
		perfdata_text_char(out, '"');
	}
	perfdata_text_char(out, ']');
}

static void branches(const struct aux_line *line, const char *name, const struct pd_packet *packet)
{
	key(line->out, name);
	perfdata_text_char(line->out, '"');
	for (uint64_t i = packet->words[1]; i--;)
		perfdata_text_char(line->out, packet->words[0] >> i & 1 ? 'T' : 'N');
	perfdata_text_char(line->out, '"');
}

static void field(const struct aux_line *line, const struct pd_packet_field *row, const struct pd_packet *packet)
{
	const uint64_t value = pd_packet_value(packet, row);
	switch (row->show) {
	case PD_SHOW_DEC:
		if (row->bits > 32)
			number(line, row->name, value, false);
		else
			small(line, row->name, (int64_t)value);
		break;
	case PD_SHOW_SIGNED:
		number(line, row->name, value, true);
		break;
	case PD_SHOW_HEX:
		hex(line, row->name, value);
		break;
	case PD_SHOW_FLAG:
		flag(line, row->name, value);
		break;
	case PD_SHOW_BRANCHES:
		branches(line, row->name, packet);
		break;
	case PD_SHOW_NAMES:
		names(line, row->name, value, row->names, row->nr_names);
		break;
	case PD_SHOW_ENUM:
		if (value < row->nr_names && row->names[value])
			text(line, row->name, row->names[value]);
		break;
	}
}

/* {"type":…, and where the packet stands: its offset in the input, the buffer, its offset in the buffer. */
static void begin(const struct aux_line *line, const char *type, uint64_t at)
{
	const struct pd_aux_piece *piece = line->piece;
	const char *name = pd_aux_name(piece->trace.type);
	struct perfdata_text *out = line->out;
	line->how->start(line->how->user, out);
	perfdata_text_literal(out, "{\"type\":\"");
	perfdata_text_string(out, type);
	perfdata_text_char(out, '"');
	if (line->how->recording)
		text(line, "recording", line->how->recording);
	if (piece->payload_offset != PERFDATA_NO_OFFSET)
		number(line, "offset", piece->payload_offset + at, false);
	if (line->how->file)
		text(line, "file", line->how->file);
	text(line, "trace", name ? name : "unknown");
	if (piece->cpu >= 0)
		small(line, "cpu", piece->cpu);
	if (piece->tid >= 0)
		small(line, "buffer_tid", piece->tid);
	number(line, "aux_offset", piece->aux_offset + at, false);
}

static void end(const struct aux_line *line)
{
	perfdata_text_string(line->out, line->how->end);
	perfdata_text_cut(line->out);
}

static void time_of(const struct aux_line *line, uint64_t ticks)
{
	const uint64_t time = pd_aux_time(&line->piece->clock, ticks);
	if (time != UINT64_MAX)
		number(line, "time", time, false);
}

static void packet_line(const struct aux_line *line, const struct pd_packet_kind *kind, const struct pd_packet *packet,
			uint64_t at)
{
	begin(line, "aux_packet", at);
	small(line, "size", packet->size);
	if (packet->line > packet->size)
		small(line, "padding", packet->line - packet->size);
	text(line, "packet", kind->name);
	for (unsigned i = 0; i < kind->nr_fields; i++)
		if (pd_packet_has(packet, &kind->fields[i]))
			field(line, &kind->fields[i], packet);
	if (pd_aux_has_ticks(line->piece, kind))
		time_of(line, packet->words[0]);
	end(line);
}

/* --- operations that were sampled --- */

static void sample_line(const struct aux_line *line, const struct pd_spe_record *record)
{
	const uint32_t present = record->present;
	unsigned nr_names;
	const char *const *event_names = pd_spe_event_names(&nr_names);
	begin(line, "spe_sample", record->from);
	small(line, "size", (int64_t)(record->end - record->from));
	if (present & PD_SPE_TIME) {
		time_of(line, record->timer);
		number(line, "timer", record->timer, false);
	}
	if (present & PD_SPE_CONTEXT)
		small(line, "context", record->context);
	if (present & PD_SPE_PC) {
		hex(line, "pc", record->pc);
		small(line, "level", record->pc_level);
	}
	if (present & PD_SPE_OPERATION) {
		text(line, "operation", pd_spe_operation(record));
		hex(line, "operation_raw", record->operation);
	}
	if (present & PD_SPE_EVENTS)
		names(line, "events", record->events, event_names, nr_names);
	if (present & PD_SPE_TARGET)
		hex(line, "target", record->target);
	if (present & PD_SPE_PREVIOUS)
		hex(line, "previous_target", record->previous);
	if (present & PD_SPE_VIRTUAL)
		hex(line, "virtual_address", record->virtual_address);
	if (present & PD_SPE_PHYSICAL)
		hex(line, "physical_address", record->physical_address);
	if (present & PD_SPE_SOURCE)
		hex(line, "data_source", record->source);
	if (present & PD_SPE_TOTAL)
		small(line, "total_cycles", record->total);
	if (present & PD_SPE_ISSUE)
		small(line, "issue_cycles", record->issue);
	if (present & PD_SPE_TRANSLATION)
		small(line, "translation_cycles", record->translation);
	end(line);
}

void pd_aux_json(const struct aux_json *how, const struct pd_aux_piece *piece, struct perfdata_text *out)
{
	const struct aux_line line = { how, piece, out };
	struct pd_aux_walk walk;

	pd_aux_walk_begin(&walk, piece);
	while (pd_aux_walk_next(&walk)) {
		if (how->lines == AUX_PACKETS)
			packet_line(&line, walk.kind, &walk.packet, walk.at);
		if (walk.record_is_whole)
			sample_line(&line, &walk.record);
	}
}
