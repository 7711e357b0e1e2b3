/* SPDX-License-Identifier: MIT */
/* Rows of a table: open rows grow; a part has the finished rows of one or more batches, packed in one block. */
#ifndef EMIT_TABLE_PARTS_H
#define EMIT_TABLE_PARTS_H

#include "base/account.h"
#include "emit/table/describe_table.h"
#include "emit/table/packed_cells.h"

#define ROWS_PENDING 64u

/* The base of numbers in a record, until they are copied to columns. */
enum row_base {
	ROW_RAW,
	ROW_VIEW,                     /* or the record's bytes if it is not decoded */
	ROW_FIELDS,
	ROW_DELIVERY,
	ROW_BASES
};
struct row_bases {
	const uint8_t *at[ROW_BASES];
};

/* Rows while they grow. */
struct open_rows {
	uint32_t rows;
	size_t nr_columns;
	/* the last rows, whose numbers are copied to columns later, many rows at once */
	const struct row_plan *plan;  /* of the pending rows; or NULL */
	uint32_t nr_pending;
	struct row_bases pending[ROWS_PENDING];
	struct cells columns[];
};
/* NULL without memory. */
struct open_rows *pd_open_rows_new(const struct table *table);
void pd_open_rows_free(struct open_rows *rows);

/* Finished rows. */
struct table_part {
	struct table_part *next;      /* next part of the batch, later of the row group */
	struct pd_account *account;   /* account of the block */
	unsigned table;
	uint32_t rows;
	size_t bulk;                  /* size of the cells before packing, which depends on the rows alone */
	char *block;                  /* NULL: in the file */
	size_t size;                  /* size of the block in bytes */
	uint64_t in_file;             /* offset of the block in the file */
	size_t nr_columns;
	struct packed_cells columns[];
};
/* Packs the rows into a part. *rows becomes empty but keeps its memory. NULL without memory. */
struct table_part *pd_open_rows_pack(struct open_rows *rows, unsigned table, struct pd_account *account);
/* Appends the rows of a part. False without memory. */
bool pd_open_rows_append(struct open_rows *rows, const struct table_part *part);
/* Memory that the rows take, in bytes. */
size_t pd_open_rows_memory(const struct open_rows *rows);

/* Frees the block, after it was written to the file. */
void pd_table_part_drop_block(struct table_part *part);
void pd_table_part_free(struct table_part *part);      /* also frees all later parts */

#endif
