/* SPDX-License-Identifier: MIT */
#include "config.h"
#include <string.h>
#include "emit/csv/csv_aux.h"
#include "emit/csv/csv_cell.h"
#include "emit/json/aux_json.h"
#include "emit/table/aux_values.h"
#include "text/spelling.h"

static const struct table_column *columns_of(enum csv_kind kind)
{
	return pd_table_own_columns(kind == CSV_AUX_PACKETS ? TABLE_OF_PACKETS : TABLE_OF_SPE_SAMPLES);
}

/* Each cell with its comma in front. */
static void number(struct perfdata_text *out, uint64_t value)
{
	perfdata_text_char(out, ',');
	perfdata_text_u64(out, value);
}

static void hex(struct perfdata_text *out, uint64_t value)
{
	perfdata_text_literal(out, ",0x");
	pd_text_hex(out, value);
}

static void cell(const struct table_column *column, const struct aux_value *value, struct perfdata_text *out)
{
	if (column->type == COLUMN_TEXT) {
		perfdata_text_char(out, ',');
		pd_text_csv_cell(out, value->text.data, value->text.size);
	} else if (column->type == COLUMN_UINT64) {
		hex(out, value->number);
	} else {
		number(out, value->number);
	}
}

static void file_cell(const char *file, struct perfdata_text *out)
{
	if (file)
		pd_text_csv_cell(out, file, strlen(file));
}

static void packet_row(const struct pd_aux_piece *piece, const char *file, const struct pd_aux_walk *walk,
		       struct perfdata_text *room, struct perfdata_text *out)
{
	const struct table_column *columns = columns_of(CSV_AUX_PACKETS);
	const struct pd_packet *packet = &walk->packet;
	const struct aux_place place = pd_aux_place_of_packet(piece, walk->at, packet->size);
	const uint64_t time = pd_aux_packet_time(walk);
	struct aux_value value;
	file_cell(file, out);
	for (unsigned i = 0; i < AUX_PLACE_COLUMNS; i++) {
		if (pd_aux_place_value(&place, i, &value))
			cell(&columns[i], &value, out);
		else
			perfdata_text_char(out, ',');
	}
	number(out, packet->line - packet->size);
	perfdata_text_char(out, ',');
	perfdata_text_string(out, walk->kind->name);
	if (time != UINT64_MAX)
		number(out, time);
	else
		perfdata_text_char(out, ',');
	if (walk->kind->nr_fields)
		hex(out, packet->words[0]);
	else
		perfdata_text_char(out, ',');
	perfdata_text_char(out, ',');
	pd_aux_describe(&piece->trace, walk->kind, packet, out);
	perfdata_text_char(out, ',');
	perfdata_text_clear(room);
	pd_aux_json_fields(walk->kind, packet, room);
	pd_text_csv_cell(out, room->data, room->size);
	perfdata_text_literal(out, CSV_NEW_LINE);
}

static void event_names(uint64_t events, struct perfdata_text *out)
{
	unsigned nr_names;
	const char *const *names = pd_spe_event_names(&nr_names), *before = ",";
	if (!events)
		perfdata_text_char(out, ',');
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

static void spe_row(const struct pd_spe_row *row, const struct spe_names *names, const char *file,
		    struct perfdata_text *out)
{
	const struct table_column *columns = columns_of(CSV_SPE_SAMPLES);
	struct aux_value value;
	file_cell(file, out);
	for (unsigned i = 0; i < SPE_COLUMNS; i++) {
		if (i == SPE_EVENTS)
			event_names(row->record.events, out);
		else if (pd_spe_value(row, names, i, &value))
			cell(&columns[i], &value, out);
		else
			perfdata_text_char(out, ',');
	}
	perfdata_text_literal(out, CSV_NEW_LINE);
}

uint64_t pd_csv_aux(enum csv_kind kind, const struct pd_aux_piece *piece, const char *file, struct perfdata_text *out)
{
	struct pd_aux_walk walk;
	struct pd_spe_row row;
	struct perfdata_text room;
	uint64_t nr = 0;
	perfdata_text_init(&room);
	pd_aux_walk_begin(&walk, piece);
	while (pd_aux_walk_next(&walk)) {
		if (kind == CSV_AUX_PACKETS) {
			packet_row(piece, file, &walk, &room, out);
			nr++;
		} else if (walk.record_is_whole) {
			pd_spe_row_of_piece(piece, &walk.record, &row);
			spe_row(&row, NULL, file, out);
			nr++;
		}
		perfdata_text_cut(out);
	}
	perfdata_text_release(&room);
	return nr;
}

void pd_csv_aux_sample(const struct pd_spe_row *row, const struct record *r, const char *file,
		       struct perfdata_text *out)
{
	struct spe_names names;
	if (r->delivery)
		pd_spe_names_load(&r->emitted, row, r->delivery, &names);
	spe_row(row, r->delivery ? &names : NULL, file, out);
	perfdata_text_cut(out);
}
