/* SPDX-License-Identifier: MIT */
#include "config.h"
#include <string.h>
#include "base/memory.h"
#include "emit/table/table_parts.h"

struct table_part *pd_table_part_new(unsigned number, const struct table *table)
{
	struct table_part *part = pd_calloc(1, sizeof *part + table->nr_columns * sizeof *part->columns);
	if (!part)
		return NULL;
	part->table = number;
	part->nr_columns = table->nr_columns;
	return part;
}

void pd_table_part_free(struct table_part *part)
{
	while (part) {
		struct table_part *next = part->next;
		for (size_t i = 0; i < part->nr_columns; i++)
			pd_cells_release(&part->columns[i]);
		pd_free(part);
		part = next;
	}
}

bool pd_table_part_finish(struct table_part *part, const struct table *table, const char *recording)
{
	bool failed = false;
	if (table->nr_columns && !table->columns[0].select && !strcmp(table->columns[0].name, "recording")) {
		const uint64_t token = pd_cells_utf8(&part->columns[0], recording, strlen(recording), true);
		for (uint32_t i = 0; i < part->rows && !part->columns[0].failed; i++)
			pd_cells_put(&part->columns[0], i, token);
	}
	for (size_t i = 0; i < part->nr_columns; i++)
		failed |= part->columns[i].failed;
	return !failed;
}

struct table_part *pd_table_part_pack(struct table_part *part)
{
	size_t size = sizeof *part + part->nr_columns * sizeof *part->columns;
	for (size_t i = 0; i < part->nr_columns; i++)
		size += pd_cells_block(&part->columns[i]);
	struct table_part *packed = pd_malloc(size);
	if (!packed)
		return NULL;
	*packed = *part;
	void *at = &packed->columns[part->nr_columns];
	for (size_t i = 0; i < part->nr_columns; i++) {
		at = pd_cells_pack(&part->columns[i], &packed->columns[i], at);
		pd_cells_clear(&part->columns[i]);
	}
	part->rows = 0;
	return packed;
}

bool pd_table_part_append(struct table_part *part, const struct table_part *more)
{
	bool failed = false;
	for (size_t i = 0; i < part->nr_columns; i++) {
		pd_cells_append(&part->columns[i], part->rows, &more->columns[i]);
		failed |= part->columns[i].failed;
	}
	part->rows += more->rows;
	return !failed;
}

size_t pd_table_part_size(const struct table_part *part)
{
	size_t size = 0;
	for (size_t i = 0; i < part->nr_columns; i++)
		size += pd_cells_size(&part->columns[i]);
	return size;
}
