/* SPDX-License-Identifier: MIT */
#include "config.h"
#include <string.h>
#include "emit/spell/json_style.h"
#include "emit/spell/members.h"
#include "emit/table/aux_cells.h"
#include "emit/values/aux_values.h"
#include "emit/table/row_cells.h"

struct value pd_packet_cell(const struct pd_aux_piece *piece, const struct pd_aux_walk *walk, unsigned column,
			    struct perfdata_text *room)
{
	if (column < PACKETS_TEXT)
		return pd_packet_row_value(piece, walk, column);
	perfdata_text_clear(room);
	if (column == PACKETS_TEXT) {
		pd_aux_describe(&piece->trace, walk->kind, &walk->packet, room);
	} else {
		pd_member_packet_fields(room, walk->kind, &walk->packet, false);
		pd_spell_close(room, 0, '{', '}');
	}
	return (struct value){ .kind = IS_TEXT, .text = { (const uint8_t *)room->data, room->size } };
}

void pd_aux_cells_packets(const struct pd_aux_piece *piece, const uint32_t *columns, struct open_rows *rows,
			  struct perfdata_text *room)
{
	struct pd_aux_walk walk;
	pd_aux_walk_begin(&walk, piece);
	while (pd_aux_walk_next(&walk)) {
		const struct row_cells to = { columns, rows, rows->rows++ };
		for (unsigned i = 0; pd_packet_columns[i].name; i++) {
			if (columns[i] == UINT32_MAX)
				continue;
			const struct value value = pd_packet_cell(piece, &walk, i, room);
			pd_row_cells_value(&to, i, &value);
		}
		rows->columns[0].failed |= perfdata_text_failed(room);
	}
}

static void put_events(const struct row_cells *to, uint64_t bits)
{
	unsigned nr_names;
	const char *const *names = pd_spe_event_names(&nr_names);
	struct cells *cells = pd_row_cells_of(to, SPE_EVENTS);
	if (!cells)
		return;
	pd_cells_list(cells, to->row, (uint32_t)__builtin_popcountll(bits));
	for (; bits; bits &= bits - 1) {
		char room[AUX_BIT_NAME];
		const char *name = pd_aux_bit_name(names, nr_names, (unsigned)__builtin_ctzll(bits), room);
		pd_cells_add(cells, pd_cells_text(cells, name, strlen(name)));
	}
}

void pd_aux_cells_sample(const struct pd_spe_row *row, const struct record *r, const uint32_t *columns,
			 struct open_rows *rows)
{
	const struct row_cells to = { columns, rows, rows->rows++ };
	struct spe_names names;
	if (r->delivery)
		pd_spe_names_load(&r->emitted, row, r->delivery, &names);
	for (unsigned i = 0; i < SPE_COLUMNS; i++) {
		const struct value value = pd_spe_value(row, r->delivery ? &names : NULL, i);
		if (value.kind == IS_BITS)
			put_events(&to, value.number);
		else
			pd_row_cells_value(&to, i, &value);
	}
}
