/* SPDX-License-Identifier: MIT */
#include "config.h"
#include <string.h>
#include "emit/json/aux_json.h"
#include "emit/model/name_options.h"
#include "emit/table/aux_values.h"
#include "text/json_quoted.h"
#include "text/spelling.h"

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
		/* which maps there were then is known in the order of time */
		configuration->order = PERFDATA_ORDER_TIME;
		configuration->trace_samples |= PERFDATA_TRACE_OPERATIONS;
	}
}

/* A line that is being written. */
struct aux_line {
	const struct aux_json *how;
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
	pd_text_hex(line->out, value);
	perfdata_text_char(line->out, '"');
}

static void text(const struct aux_line *line, const char *name, const char *value)
{
	key(line->out, name);
	pd_json_text(line->out, value);
}

static void flag(const struct aux_line *line, const char *name, bool value)
{
	key(line->out, name);
	perfdata_text_string(line->out, value ? "true" : "false");
}

static void names(const struct aux_line *line, const char *name, uint64_t bits, const char *const *list, unsigned nr)
{
	struct perfdata_text *out = line->out;
	key(out, name);
	perfdata_text_char(out, '[');
	for (const char *before = ""; bits; bits &= bits - 1, before = ",") {
		char room[AUX_BIT_NAME];
		perfdata_text_string(out, before);
		perfdata_text_char(out, '"');
		perfdata_text_string(out, pd_aux_bit_name(list, nr, (unsigned)__builtin_ctzll(bits), room));
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

/* Atoms as Arm's manuals write them, the first one first. */
static void atoms(const struct aux_line *line, const char *name, const struct pd_packet *packet)
{
	key(line->out, name);
	perfdata_text_char(line->out, '"');
	for (uint64_t i = 0; i < packet->words[1]; i++)
		perfdata_text_char(line->out, packet->words[0] >> i & 1 ? 'E' : 'N');
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
	case PD_SHOW_ATOMS:
		atoms(line, row->name, packet);
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

static void member(const struct aux_line *line, const struct table_column *column, const struct aux_value *value)
{
	if (column->type == COLUMN_TEXT)
		text(line, column->name, (const char *)value->text.data);
	else if (column->type == COLUMN_UINT64)
		hex(line, column->name, value->number);
	else if (column->type == COLUMN_INT64)
		number(line, column->name, value->number, false);
	else
		small(line, column->name, (int64_t)value->number);
}

/* {"type":…, and where the packet stands: its offset in the input, the buffer, its offset in the buffer. */
static void begin(const struct aux_line *line, const char *type, const struct aux_place *place)
{
	const struct table_column *columns = pd_table_own_columns(TABLE_OF_PACKETS);
	struct perfdata_text *out = line->out;
	struct aux_value value;
	line->how->start(line->how->user, out);
	perfdata_text_literal(out, "{\"type\":\"");
	perfdata_text_string(out, type);
	perfdata_text_char(out, '"');
	if (line->how->recording)
		text(line, "recording", line->how->recording);
	for (unsigned i = AUX_OFFSET; i <= AUX_AUX_OFFSET; i++) {
		if (i == AUX_TRACE && line->how->file)
			text(line, "file", line->how->file);
		if (pd_aux_place_value(place, i, &value))
			member(line, &columns[i], &value);
	}
}

static void end(const struct aux_line *line)
{
	perfdata_text_string(line->out, line->how->end);
	perfdata_text_cut(line->out);
}

static void fields(const struct aux_line *line, const struct pd_packet_kind *kind, const struct pd_packet *packet)
{
	for (unsigned i = 0; i < kind->nr_fields; i++)
		if (pd_packet_has(packet, &kind->fields[i]))
			field(line, &kind->fields[i], packet);
}

static void packet_line(const struct aux_line *line, const struct pd_aux_piece *piece, const struct pd_aux_walk *walk)
{
	const struct pd_packet *packet = &walk->packet;
	const struct aux_place place = pd_aux_place_of_packet(piece, walk->at, packet->size);
	begin(line, "aux_packet", &place);
	small(line, "size", packet->size);
	if (packet->line > packet->size)
		small(line, "padding", packet->line - packet->size);
	text(line, "packet", walk->kind->name);
	fields(line, walk->kind, packet);
	const uint64_t time = pd_aux_packet_time(walk);
	if (time != UINT64_MAX)
		number(line, "time", time, false);
	end(line);
}

/* --- operations that were sampled --- */

static void location(const struct aux_line *line, const char *name, const struct location_speller *speller,
		     uint32_t frame)
{
	key(line->out, name);
	pd_location_json(speller, line->out, frame);
}

static void sample_line(const struct aux_line *line, const struct pd_spe_row *row, struct record *r)
{
	const struct table_column *columns = pd_table_own_columns(TABLE_OF_SPE_SAMPLES);
	unsigned nr_names;
	const char *const *event_names = pd_spe_event_names(&nr_names);
	const struct aux_place place = pd_aux_place_of_sample(row);
	struct aux_value value;
	begin(line, "spe_sample", &place);
	for (unsigned i = AUX_SIZE; i <= SPE_TRANSLATION; i++) {
		if (pd_spe_value(row, NULL, i, &value))
			member(line, &columns[i], &value);
		else if (i == SPE_EVENTS && row->record.present & PD_SPE_EVENTS)
			names(line, columns[i].name, row->record.events, event_names, nr_names);
	}
	if (r && r->delivery) {
		const struct location_speller locations = pd_record_locations(r);
		struct spe_names known;
		pd_spe_names_load(&r->emitted, row, r->delivery, &known);
		for (unsigned i = SPE_PID; i <= SPE_COMM; i++)
			if (pd_spe_value(row, &known, i, &value))
				member(line, &columns[i], &value);
		if (row->record.present & PD_SPE_PC)
			location(line, "pc_at", &locations, r->delivery->ip);
		if (row->record.present & PD_SPE_TARGET)
			location(line, "target_at", &locations, r->delivery->addr);
	}
	end(line);
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
	const struct aux_line line = { how, r->s.out };
	sample_line(&line, row, r);
}

void pd_aux_json_fields(const struct pd_packet_kind *kind, const struct pd_packet *packet, struct perfdata_text *out)
{
	const struct aux_json how = { .lines = AUX_PACKETS };
	const struct aux_line line = { &how, out };
	const size_t start = out->size;
	fields(&line, kind, packet);
	pd_spell_close(out, start, '{', '}');
}
