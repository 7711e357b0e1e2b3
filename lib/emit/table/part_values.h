/* SPDX-License-Identifier: MIT */
/* Rows for lists inside records: branches, registers, counter values, addresses of call chains. Values of the columns
 * of pd_table_own_columns, for CSV and tables. */
#ifndef EMIT_PART_VALUES_H
#define EMIT_PART_VALUES_H

#include "emit/values/record.h"
#include "emit/table/row_cells.h"
#include "emit/table/table_rows.h"

/* Iterates over the parts of a loaded record (pd_record_load), which must stay loaded. It begins before the first
 * part. */
struct part_walk {
	struct record *record;
	enum table_rows of;
	uint64_t index;               /* of the current part */
	/* the list that contains the part */
	const struct perfdata_list *list;
	const struct plan *element;   /* NULL: a list of words */
	uint64_t left;                /* bits of the registers after this part */
	unsigned lists;               /* number of lists after this one */
	union {
		struct perfdata_branch branch;
		struct perfdata_read_value read;
		uint64_t word;
	} part;
};
/* `of`: a table for which pd_table_is_of_parts is true, or TABLE_OF_CHAIN. */
void pd_parts_begin(struct part_walk *walk, struct record *record, enum table_rows of);
bool pd_parts_next(struct part_walk *walk);

/* Texts are borrowed from the record or from `room`. */
struct value pd_part_value(const struct part_walk *walk, unsigned column, struct perfdata_text *room);
/* Fills the row of the current part. */
void pd_part_cells(const struct part_walk *walk, const struct row_cells *to, struct perfdata_text *room);

#endif
