/* SPDX-License-Identifier: MIT */
/* The rows that one batch gives each table: a part, whose columns are cells. */
#ifndef EMIT_TABLE_PARTS_H
#define EMIT_TABLE_PARTS_H

#include "emit/table/cells.h"
#include "emit/table/describe_table.h"

struct table_part {
	struct table_part *next;      /* of the batch, then of the row group */
	unsigned table;
	uint32_t rows;
	size_t nr_columns;
	struct cells columns[];
};
/* NULL without memory. */
struct table_part *pd_table_part_new(unsigned number, const struct table *table);
void pd_table_part_free(struct table_part *part);      /* and all behind it */
/* Fills `recording`, which is the first column. False: memory ran out for some cell. */
bool pd_table_part_finish(struct table_part *part, const struct table *table, const char *recording);
/* A copy in one piece of memory; the part is empty behind that, and used again. NULL without memory. */
struct table_part *pd_table_part_pack(struct table_part *part);
/* Appends the rows of another part of the same table. False without memory. */
bool pd_table_part_append(struct table_part *part, const struct table_part *more);
/* A function of the cells alone. */
size_t pd_table_part_size(const struct table_part *part);

#endif
