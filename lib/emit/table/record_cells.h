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
/* Appends the loaded record to the rows of its table, which is that number of the run. `room` is for intermediate
 * spelling. False without memory. */
bool pd_record_cells(struct row_plans *plans, struct record *r, const struct table *table, unsigned number,
		     struct open_rows *rows, struct perfdata_text *room);
/* Before anybody else looks at the rows: cells that every one of them has are counted here. */
void pd_record_cells_end(struct open_rows *rows);

#endif
