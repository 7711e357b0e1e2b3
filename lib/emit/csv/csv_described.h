/* SPDX-License-Identifier: MIT */
/* The tables that CSV and Parquet share, as text: lib/emit/table makes rows and columns. */
#ifndef EMIT_CSV_DESCRIBED_H
#define EMIT_CSV_DESCRIBED_H

#include "emit/table/table_set.h"

/* Whether `table` (NULL: none) is a table that CSV and Parquet share. */
bool pd_csv_is_described(const char *table);
/* Also writes the header line, unless the output already has one. */
enum perfdata_status pd_csv_described_new(const struct perfdata_emit_context *context, struct perfdata_text *out,
					  struct table_set **ret);
void pd_csv_described_free(struct table_set *described);
enum perfdata_status pd_csv_described_rows(const struct table_set *described, const struct perfdata_batch *batch,
					   const struct table_value *value, struct perfdata_scratch *scratch,
					   struct perfdata_text *out, uint64_t *ret_rows);
/* Appends the rows of tables that are complete only at the end, and adds their number to *rows. */
enum perfdata_status pd_csv_described_end(struct table_set *described, const struct perfdata_emit_end *end,
					  struct perfdata_text *out, uint64_t *rows);

#endif
