/* SPDX-License-Identifier: MIT */
/* The rows of a table that wait for a full row group: in memory, or in a temporary file if memory is short, which does
 * not affect the output. Small parts are joined first, since most tables have few rows in each batch. */
#ifndef EMIT_ROW_GROUP_H
#define EMIT_ROW_GROUP_H

#include "base/spool.h"
#include "emit/table/table_parts.h"

/* Reads the column's cells; their arrays are in a block that the caller frees. PERFDATA_EREAD, PERFDATA_ENOMEM. Any
 * thread. */
enum perfdata_status pd_part_file_read(const struct pd_spool *file, const struct table_part *part, size_t column,
				       struct packed_cells *ret, char **ret_block);
/* Frees the room of the parts in the file. Any thread. */
void pd_part_file_forget(const struct pd_spool *file, const struct table_part *parts);

struct row_group {
	struct table_part *parts, **last;
	size_t nr_parts;
	uint64_t rows;
	size_t bulk;                  /* size of the group in bytes */
	size_t in_memory;             /* size of blocks and joined rows in memory */
	struct open_rows *gathered;   /* rows that are joined to a part later; or NULL */
	size_t of_gathered;           /* bytes */
	struct pd_account *account;
};
void pd_row_group_init(struct row_group *group, struct pd_account *account);
void pd_row_group_release(struct row_group *group);
/* Takes ownership of the part. */
enum perfdata_status pd_row_group_add(struct row_group *group, const struct table *table, struct table_part *part);
/* Makes a part of the joined rows. */
enum perfdata_status pd_row_group_finish(struct row_group *group, unsigned table);
/* Moves all rows to the file. PERFDATA_EWRITE, PERFDATA_ENOMEM. */
enum perfdata_status pd_row_group_spill(struct row_group *group, unsigned table, struct pd_spool *file);
/* Removes all parts and returns them. */
struct table_part *pd_row_group_take(struct row_group *group);

#endif
