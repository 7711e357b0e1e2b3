/* SPDX-License-Identifier: MIT */
/* Rows that wait until the last row is known, so that --drop-empty can drop columns without values: the header comes
 * before the rows, and a pipe can be read only once. Rows beyond the first block wait in a temporary file. */
#ifndef EMIT_CSV_WAITING_H
#define EMIT_CSV_WAITING_H

#include "perfdata/base.h"
#include "perfdata/text.h"

struct csv_waiting;

/* tmpdir: folder of the temporary file, borrowed; NULL: /tmp. NULL without memory. */
struct csv_waiting *pd_csv_waiting_new(const char *tmpdir);
void pd_csv_waiting_free(struct csv_waiting *waiting);
/* Adds complete rows; the first row is the header. PERFDATA_EWRITE, PERFDATA_ENOMEM. */
enum perfdata_status pd_csv_waiting_add(struct csv_waiting *waiting, const struct perfdata_text *rows);
/* Appends the header and the rows, without columns that are empty in all rows. A table without rows keeps all columns.
 * PERFDATA_EREAD, PERFDATA_ENOMEM. */
enum perfdata_status pd_csv_waiting_end(struct csv_waiting *waiting, struct perfdata_text *out);

#endif
