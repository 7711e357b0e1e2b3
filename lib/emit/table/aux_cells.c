/* SPDX-License-Identifier: MIT */
#include "config.h"
#include <string.h>
#include "emit/json/aux_json.h"
#include "emit/table/aux_cells.h"
#include "emit/table/aux_values.h"
#include "emit/table/row_cells.h"

/* A row that is being filled. */
struct filling {
	const struct table_column *all;
	struct row_cells to;
};

static void value_of(const struct filling *filling, unsigned column, const struct aux_value *value)
{
	if (filling->all[column].type == COLUMN_TEXT)
		pd_row_cells_text(&filling->to, column, value->text.data, value->text.size);
	else
		pd_row_cells_number(&filling->to, column, value->number);
}

static void spelled(const struct filling *filling, unsigned column, const struct perfdata_text *room)
{
	pd_row_cells_text(&filling->to, column, room->data, room->size);
	filling->to.rows->columns[0].failed |= perfdata_text_failed(room);
}

static void packet(const struct filling *filling, const struct pd_aux_piece *piece, const struct pd_aux_walk *walk,
		   struct perfdata_text *room)
{
	const struct pd_packet *at = &walk->packet;
	const struct aux_place place = pd_aux_place_of_packet(piece, walk->at, at->size);
	const uint64_t time = pd_aux_packet_time(walk);
	struct aux_value value;
	for (unsigned i = 0; i < AUX_PLACE_COLUMNS; i++)
		if (pd_aux_place_value(&place, i, &value))
			value_of(filling, i, &value);
	pd_row_cells_number(&filling->to, PACKETS_PADDING, at->line - at->size);
	pd_row_cells_text(&filling->to, PACKETS_PACKET, walk->kind->name, strlen(walk->kind->name));
	if (time != UINT64_MAX)
		pd_row_cells_number(&filling->to, PACKETS_TIME, time);
	if (walk->kind->nr_fields)
		pd_row_cells_number(&filling->to, PACKETS_PAYLOAD, at->words[0]);
	perfdata_text_clear(room);
	pd_aux_describe(&piece->trace, walk->kind, at, room);
	spelled(filling, PACKETS_TEXT, room);
	perfdata_text_clear(room);
	pd_aux_json_fields(walk->kind, at, room);
	spelled(filling, PACKETS_FIELDS, room);
}

void pd_aux_cells_packets(const struct pd_aux_piece *piece, const uint32_t *columns, struct open_rows *rows,
			  struct perfdata_text *room)
{
	struct filling filling = { pd_table_own_columns(TABLE_OF_PACKETS), { columns, rows, 0 } };
	struct pd_aux_walk walk;
	pd_aux_walk_begin(&walk, piece);
	while (pd_aux_walk_next(&walk)) {
		filling.to.row = rows->rows++;
		packet(&filling, piece, &walk, room);
	}
}

static void events(const struct filling *filling, uint64_t bits)
{
	unsigned nr_names;
	const char *const *names = pd_spe_event_names(&nr_names);
	struct cells *cells = pd_row_cells_of(&filling->to, SPE_EVENTS);
	if (!cells)
		return;
	pd_cells_list(cells, filling->to.row, (uint32_t)__builtin_popcountll(bits));
	for (; bits; bits &= bits - 1) {
		char room[AUX_BIT_NAME];
		const char *name = pd_aux_bit_name(names, nr_names, (unsigned)__builtin_ctzll(bits), room);
		pd_cells_add(cells, pd_cells_text(cells, name, strlen(name)));
	}
}

void pd_aux_cells_sample(const struct pd_spe_row *row, const struct record *r, const uint32_t *columns,
			 struct open_rows *rows)
{
	const struct filling filling = { pd_table_own_columns(TABLE_OF_SPE_SAMPLES),
					 { columns, rows, rows->rows++ } };
	struct spe_names names;
	struct aux_value value;
	if (r->delivery)
		pd_spe_names_load(&r->emitted, row, r->delivery, &names);
	for (unsigned i = 0; i < SPE_COLUMNS; i++) {
		if (i == SPE_EVENTS && row->record.present & PD_SPE_EVENTS)
			events(&filling, row->record.events);
		else if (pd_spe_value(row, r->delivery ? &names : NULL, i, &value))
			value_of(&filling, i, &value);
	}
}
