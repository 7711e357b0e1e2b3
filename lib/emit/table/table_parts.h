/* SPDX-License-Identifier: MIT */
/* Rows of a table: a part has the rows of one or more batches, packed in one block; until then the rows are open. */
#ifndef EMIT_TABLE_PARTS_H
#define EMIT_TABLE_PARTS_H

#include "base/account.h"
#include "emit/table/describe_table.h"
#include "emit/table/packed_cells.h"

#define ROWS_PENDING 64u

/* Where the numbers of a row are until they are copied into columns. */
enum row_base {
	ROW_RAW,
	ROW_VIEW,                     /* or its bytes, where the record is not decoded */
	ROW_FIELDS,
	ROW_DELIVERY,
	ROW_BASES
};
struct row_bases {
	const uint8_t *at[ROW_BASES];
};

/* Rows while they are made. */
struct open_rows {
	uint32_t rows;
	size_t nr_columns;
	/* the last rows, whose numbers are dealt out to their columns for many at once */
	const struct row_plan *plan;  /* of those rows; or NULL */
	uint32_t nr_pending;
	struct row_bases pending[ROWS_PENDING];
	struct cells columns[];
};
/* NULL without memory. */
struct open_rows *pd_open_rows_new(const struct table *table);
void pd_open_rows_free(struct open_rows *rows);

/* Rows that stay as they are. */
struct table_part {
	struct table_part *next;      /* of the batch, then of the row group */
	struct pd_account *account;   /* has the block */
	unsigned table;
	uint32_t rows;
	size_t bulk;                  /* bytes of its cells before packing: a function of the rows alone */
	char *block;                  /* NULL: in a file */
	size_t size;                  /* of the block */
	uint64_t in_file;             /* where the block is in the file */
	size_t nr_columns;
	struct packed_cells columns[];
};
/* Packs the rows into a part; *rows is then empty, and keeps its memory. NULL without memory. */
struct table_part *pd_open_rows_pack(struct open_rows *rows, unsigned table, struct pd_account *account);
/* Appends the part's rows. False without memory. */
bool pd_open_rows_append(struct open_rows *rows, const struct table_part *part);
/* Memory that they take. */
size_t pd_open_rows_memory(const struct open_rows *rows);

/* The block goes out of memory. */
void pd_table_part_drop_block(struct table_part *part);
void pd_table_part_free(struct table_part *part);      /* and all later parts */

#endif
