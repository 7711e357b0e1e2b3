/* SPDX-License-Identifier: MIT */
/* Rows of several recordings in one table: each begins with the name of its recording. */
#ifndef EMIT_CSV_SHARED_H
#define EMIT_CSV_SHARED_H

#include "perfdata/text.h"

/* Appends whole rows, each behind the cell of `recording`. Leaves at the end of each. */
void pd_csv_rows_of_recording(struct perfdata_text *out, const char *recording, const struct perfdata_text *rows);

#endif
