/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "emit/csv/csv_shared.h"
#include "text/spelling.h"

/* The size of the first row with its line's end, which is the first one outside of quotes. Quotes inside a cell are
 * doubled, so they close and open again. */
static size_t row_size(const char *at, size_t size)
{
	bool quoted = false;
	for (size_t i = 0; i < size; i++) {
		quoted ^= at[i] == '"';
		if (at[i] == '\n' && !quoted)
			return i + 1;
	}
	return size;
}

void pd_csv_rows_of_recording(struct perfdata_text *out, const char *recording, const struct perfdata_text *rows)
{
	out->failed |= perfdata_text_failed(rows);
	for (size_t at = 0, size; at < rows->size; at += size) {
		size = row_size(rows->data + at, rows->size - at);
		pd_text_csv_cell(out, recording, strlen(recording));
		perfdata_text_char(out, ',');
		perfdata_text_append(out, rows->data + at, size);
		perfdata_text_cut(out);
	}
}
