/* SPDX-License-Identifier: MIT */
/* What records hold several of, a row each: branches, registers, counter values, addresses of call chains. The cells of
 * these rows, for CSV and tables alike, by the columns of pd_table_own_columns. */
#ifndef EMIT_PART_VALUES_H
#define EMIT_PART_VALUES_H

#include "emit/values/record.h"
#include "emit/table/row_cells.h"
#include "emit/table/table_rows.h"

/* The parts of one record, which is loaded (pd_record_load) and stays loaded; begins before the first part. */
struct part_walk {
	struct record *record;
	enum table_rows of;
	uint64_t index;               /* of the part */
	/* the list that the part is in */
	const struct perfdata_list *list;
	const struct plan *element;   /* or NULL: words */
	uint64_t left;                /* bits of the registers after it */
	unsigned lists;               /* after this one */
	union {
		struct perfdata_branch branch;
		struct perfdata_read_value read;
		uint64_t word;
	} part;
};
/* `of`: one of the tables that pd_table_is_of_parts knows, or TABLE_OF_CHAIN. */
void pd_parts_begin(struct part_walk *walk, struct record *record, enum table_rows of);
bool pd_parts_next(struct part_walk *walk);

/* Texts are borrowed from the record, or from room. */
struct value pd_part_value(const struct part_walk *walk, unsigned column, struct perfdata_text *room);
/* Fills the part's row of a table. */
void pd_part_cells(const struct part_walk *walk, const struct row_cells *to, struct perfdata_text *room);

#endif
