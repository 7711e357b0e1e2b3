/* SPDX-License-Identifier: MIT */
#include "config.h"
#include <string.h>
#include "emit/json/aux_json.h"
#include "emit/spell/location_json.h"
#include "emit/spell/members.h"
#include "emit/spell/spell.h"
#include "emit/values/name_options.h"
#include "emit/values/aux_values.h"

enum aux_lines pd_aux_lines_of(const struct perfdata_emitter_option_value *values, size_t nr_values)
{
	const char *aux = perfdata_option_text(values, nr_values, "aux");
	return !aux ? AUX_NO_LINES : strcmp(aux, "samples") ? AUX_PACKETS : AUX_SAMPLES;
}

bool pd_aux_lines_named(enum aux_lines lines, const struct record_world *world)
{
	return lines != AUX_NO_LINES && pd_names_are_wanted(world);
}

void pd_aux_lines_configure(struct perfdata_configuration *configuration)
{
	const enum aux_lines lines = pd_aux_lines_of(configuration->options, configuration->nr_options);
	struct record_world world = { 0 };
	pd_name_options_read(&world, configuration->options, configuration->nr_options, configuration->names);
	if (lines != AUX_NO_LINES)
		configuration->needs |= PERFDATA_NEED_PAYLOADS;
	if (pd_aux_lines_named(lines, &world)) {
		/* the maps at the time of an operation are known in the order of time only */
		configuration->order = PERFDATA_ORDER_TIME;
		configuration->trace_samples |= PERFDATA_TRACE_OPERATIONS;
	}
}

/* A line while it is written. */
struct aux_line {
	const struct aux_json *how;
	struct perfdata_text *out;
};

static void write_member(const struct aux_line *line, const struct table_column *column, const struct value *value)
{
	unsigned nr_names;
	const char *const *event_names = pd_spe_event_names(&nr_names);
	switch (value->kind) {
	case IS_ABSENT: return;
	case IS_TEXT: pd_member_text(line->out, column->name, (const char *)value->text.data); return;
	case IS_WORD: case IS_ADDRESS: pd_member_hex(line->out, column->name, value->number); return;
	case IS_BITS: pd_member_bits(line->out, column->name, value->number, event_names, nr_names); return;
	default: break;
	}
	if (column->type == COLUMN_INT64)
		pd_member_number(line->out, column->name, value->number, false, line->how->int64_string);
	else
		pd_member_number(line->out, column->name, value->number, true, false);
}

/* Begins a line with {"type":… and the packet's place: its offset in the input, the buffer, its offset in the
 * buffer. */
static void begin_line(const struct aux_line *line, const char *type, const struct aux_place *place)
{
	struct perfdata_text *out = line->out;
	line->how->start(line->how->user, out);
	perfdata_text_literal(out, "{\"type\":\"");
	perfdata_text_string(out, type);
	perfdata_text_char(out, '"');
	if (line->how->recording)
		pd_member_text(line->out, "recording", line->how->recording);
	for (unsigned i = AUX_OFFSET; i <= AUX_AUX_OFFSET; i++) {
		if (i == AUX_TRACE && line->how->file)
			pd_member_text(line->out, "file", line->how->file);
		const struct value value = pd_aux_place_value(place, i);
		write_member(line, &pd_packet_columns[i], &value);
	}
}

static void end_line(const struct aux_line *line)
{
	perfdata_text_string(line->out, line->how->end);
	perfdata_text_cut(line->out);
}

static void packet_line(const struct aux_line *line, const struct pd_aux_piece *piece, const struct pd_aux_walk *walk)
{
	const struct pd_packet *packet = &walk->packet;
	const struct aux_place place = pd_aux_place_of_packet(piece, walk->at, packet->size);
	begin_line(line, "aux_packet", &place);
	pd_member_number(line->out, "size", packet->size, true, false);
	if (packet->line > packet->size)
		pd_member_number(line->out, "padding", packet->line - packet->size, true, false);
	pd_member_text(line->out, "packet", walk->kind->name);
	pd_member_packet_fields(line->out, walk->kind, packet, line->how->int64_string);
	const uint64_t time = pd_aux_packet_time(walk);
	if (time != UINT64_MAX)
		pd_member_number(line->out, "time", time, false, line->how->int64_string);
	end_line(line);
}

/* --- sampled operations --- */

static void write_location(const struct aux_line *line, const char *name, const struct location_speller *speller,
			   uint32_t frame)
{
	pd_member_key(line->out, name, "");
	pd_location_json(speller, line->out, frame);
}

static void sample_line(const struct aux_line *line, const struct pd_spe_row *row, struct record *r)
{
	const struct aux_place place = pd_aux_place_of_sample(row);
	begin_line(line, "spe_sample", &place);
	for (unsigned i = AUX_SIZE; i <= SPE_TRANSLATION; i++) {
		const struct value value = pd_spe_value(row, NULL, i);
		write_member(line, &pd_spe_columns[i], &value);
	}
	if (r && r->delivery) {
		const struct location_speller locations = pd_record_locations(r);
		struct spe_names known;
		pd_spe_names_load(&r->emitted, row, r->delivery, &known);
		for (unsigned i = SPE_PID; i <= SPE_COMM; i++) {
			const struct value value = pd_spe_value(row, &known, i);
			write_member(line, &pd_spe_columns[i], &value);
		}
		if (row->record.present & PD_SPE_PC)
			write_location(line, "pc_at", &locations, r->delivery->ip);
		if (row->record.present & PD_SPE_TARGET)
			write_location(line, "target_at", &locations, r->delivery->addr);
	}
	end_line(line);
}

void pd_aux_json(const struct aux_json *how, const struct pd_aux_piece *piece, struct perfdata_text *out)
{
	const struct aux_line line = { how, out };
	struct pd_aux_walk walk;
	struct pd_spe_row row;

	pd_aux_walk_begin(&walk, piece);
	while (pd_aux_walk_next(&walk)) {
		if (how->lines == AUX_PACKETS)
			packet_line(&line, piece, &walk);
		if (!walk.record_is_whole || how->named)
			continue;
		pd_spe_row_of_piece(piece, &walk.record, &row);
		sample_line(&line, &row, NULL);
	}
}

void pd_aux_json_sample(const struct aux_json *how, const struct pd_spe_row *row, struct record *r)
{
	const struct aux_line line = { how, record_out(r) };
	sample_line(&line, row, r);
}
