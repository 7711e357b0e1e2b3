/* SPDX-License-Identifier: MIT */
/* The footer of a Parquet file: columns, their offsets in each row group, and statistics. */
#ifndef EMIT_PARQUET_FOOTER_H
#define EMIT_PARQUET_FOOTER_H

#include "emit/parquet/column_encode.h"
#include "emit/table/describe_table.h"

#define PARQUET_MAGIC "PAR1"

struct parquet_group {
	uint64_t rows;
	struct column_facts *columns;
};
struct parquet_note {
	const char *key, *value;
};
struct parquet_file {
	const struct table *table;
	const struct parquet_group *groups;
	size_t nr_groups;
	const struct parquet_note *notes;
	size_t nr_notes;
};
/* Appends the footer, its size and the magic. */
void pd_parquet_footer(struct perfdata_text *out, const struct parquet_file *file);

#endif
