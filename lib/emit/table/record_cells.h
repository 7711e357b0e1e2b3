/* SPDX-License-Identifier: MIT */
/* A record as cells of a table's row. Which columns records of one kind fill is found out once per thread, table and
 * set of fields. */
#ifndef EMIT_RECORD_CELLS_H
#define EMIT_RECORD_CELLS_H

#include "emit/table/table_parts.h"

struct row_plan;
/* Plans of one thread; {0} is empty. */
struct row_plans {
	struct row_plan **of_tables;  /* the plans of each table, those used last in front */
	size_t nr_tables;
	struct pd_arena pool;
};
void pd_row_plans_release(struct row_plans *plans);
/* How loaded records like this one fill the table, which is that number of the run. decoded false: it was loaded by
 * pd_record_load_plain, and so will be those that the plan is used for, whose fields are as whole as this one's. NULL
 * without memory. */
const struct row_plan *pd_row_plan(struct row_plans *plans, const struct record *r, const struct table *table,
				   unsigned number, bool decoded);
/* Whether the table has columns that only decoded records fill: then the plan is of no use. */
bool pd_row_plan_is_of_view(const struct row_plan *plan);
/* Appends the record to the rows of its table; it and its delivery stay where they are until pd_record_cells_end.
 * `room` is for intermediate spelling. */
void pd_record_cells(const struct row_plan *plan, struct record *r, const struct table *table, struct open_rows *rows,
		     struct perfdata_text *room);
/* Deals numbers out to their columns; to be called before anything else reads the rows. */
void pd_record_cells_end(struct open_rows *rows);

#endif
