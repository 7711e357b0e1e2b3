/* SPDX-License-Identifier: MIT */
/* Fills the row of a table from a record. A plan says which columns a kind of record fills; a thread makes one for each
 * table and set of fields. */
#ifndef EMIT_RECORD_CELLS_H
#define EMIT_RECORD_CELLS_H

#include "emit/table/table_parts.h"

struct row_plan;
/* The plans of one thread; {0} is empty. */
struct row_plans {
	struct row_plan **of_tables;  /* lists of plans by table, most recently used first */
	size_t nr_tables;
	struct pd_arena pool;
};
void pd_row_plans_release(struct row_plans *plans);
/* The plan for records like this loaded record in the table with this number. decoded false: for records loaded by
 * pd_record_load_plain whose fields are as complete as this one's. NULL without memory. */
const struct row_plan *pd_row_plan(struct row_plans *plans, const struct record *r, const struct table *table,
				   unsigned number, bool decoded);
/* Whether some column needs decoded records, so that the plan cannot be used. */
bool pd_row_plan_is_of_view(const struct row_plan *plan);
/* Appends the record to the rows of its table. Record and delivery must stay in place until pd_record_cells_end. `room`
 * is scratch memory. */
void pd_record_cells(const struct row_plan *plan, struct record *r, const struct table *table, struct open_rows *rows,
		     struct perfdata_text *room);
/* Copies pending numbers to their columns; call it before anything else reads the rows. */
void pd_record_cells_end(struct open_rows *rows);

#endif
