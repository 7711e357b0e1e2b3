/* SPDX-License-Identifier: MIT */
/* Rows of a table that wait until the last row is known, to drop the columns without any value (--drop-empty): the
 * header comes before the rows, and a pipe can be read only once. Rows beyond the first block wait in a temporary
 * file. */
#ifndef EMIT_CSV_WAITING_H
#define EMIT_CSV_WAITING_H

#include "perfdata/base.h"
#include "perfdata/text.h"

struct csv_waiting;

/* tmpdir: where the file goes, borrowed; NULL: /tmp. NULL without memory. */
struct csv_waiting *pd_csv_waiting_new(const char *tmpdir);
void pd_csv_waiting_free(struct csv_waiting *waiting);
/* Whole rows; the first one of all is the header. PERFDATA_EWRITE, PERFDATA_ENOMEM. */
enum perfdata_status pd_csv_waiting_add(struct csv_waiting *waiting, const struct perfdata_text *rows);
/* Appends the header and the rows, without the columns that are empty in all rows. A table without rows keeps its
 * header: nothing is known of its columns. PERFDATA_EREAD, PERFDATA_ENOMEM. */
enum perfdata_status pd_csv_waiting_end(struct csv_waiting *waiting, struct perfdata_text *out);

#endif
