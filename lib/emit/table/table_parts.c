/* SPDX-License-Identifier: MIT */
#include "config.h"
#include <string.h>
#include "base/memory.h"
#include "emit/table/table_parts.h"

struct open_rows *pd_open_rows_new(const struct table *table)
{
	struct open_rows *rows = pd_calloc(1, sizeof *rows + table->nr_columns * sizeof *rows->columns);
	if (rows)
		rows->nr_columns = table->nr_columns;
	return rows;
}

void pd_open_rows_free(struct open_rows *rows)
{
	if (!rows)
		return;
	for (size_t i = 0; i < rows->nr_columns; i++)
		pd_cells_release(&rows->columns[i]);
	pd_free(rows);
}

static void clear_rows(struct open_rows *rows)
{
	for (size_t i = 0; i < rows->nr_columns; i++)
		pd_cells_clear(&rows->columns[i]);
	rows->rows = 0;
	rows->plan = NULL;
}

size_t pd_open_rows_memory(const struct open_rows *rows)
{
	size_t size = sizeof *rows + rows->nr_columns * sizeof *rows->columns;
	for (size_t i = 0; i < rows->nr_columns; i++)
		size += pd_cells_memory(&rows->columns[i]);
	return size;
}

struct table_part *pd_open_rows_pack(struct open_rows *rows, unsigned table, struct pd_account *account)
{
	struct table_part *part = pd_malloc(sizeof *part + rows->nr_columns * sizeof *part->columns);
	if (!part)
		return NULL;
	*part = (struct table_part){
		.account = account, .table = table, .rows = rows->rows, .nr_columns = rows->nr_columns
	};
	for (size_t i = 0; i < rows->nr_columns; i++) {
		part->columns[i] = pd_cells_measure(&rows->columns[i], part->size);
		part->size += pd_packed_cells_size(&part->columns[i]);
		part->bulk += pd_cells_size(&rows->columns[i]);
	}
	part->block = pd_malloc(part->size);
	if (!part->block) {
		pd_free(part);
		return NULL;
	}
	pd_account_take(account, PD_USE_ROWS, part->size);
	for (size_t i = 0; i < rows->nr_columns; i++)
		pd_cells_pack(&rows->columns[i], &part->columns[i], part->block);
	clear_rows(rows);
	return part;
}

bool pd_open_rows_append(struct open_rows *rows, const struct table_part *part)
{
	bool failed = false;
	for (size_t i = 0; i < rows->nr_columns; i++) {
		pd_cells_append(&rows->columns[i], rows->rows, &part->columns[i], part->block);
		failed |= rows->columns[i].failed;
	}
	rows->rows += part->rows;
	return !failed;
}

void pd_table_part_drop_block(struct table_part *part)
{
	if (part->block)
		pd_account_give(part->account, PD_USE_ROWS, part->size);
	pd_free(part->block);
	part->block = NULL;
}

void pd_table_part_free(struct table_part *part)
{
	while (part) {
		struct table_part *next = part->next;
		pd_table_part_drop_block(part);
		pd_free(part);
		part = next;
	}
}
