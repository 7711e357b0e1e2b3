/* SPDX-License-Identifier: MIT */
/* Rows of a table that wait until all of them are known: then columns without any value are left out (--drop-empty). A
 * header stands in front of its rows, and a pipe is read once. What is more than a block goes to a temporary file. */
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
