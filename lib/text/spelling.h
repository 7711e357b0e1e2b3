/* SPDX-License-Identifier: MIT */
/* Formats numbers and texts, for other folders of the library; programs include perfdata/text.h. */
#ifndef PD_SPELLING_H
#define PD_SPELLING_H

#include "perfdata/text.h"

/* --- numbers --- Functions with _to write at `at` (room for 32 bytes) and return the end. */
char *pd_hex_to(char *at, uint64_t value);                    /* lower-case hex without prefix */
char *pd_hex_alt_to(char *at, uint64_t value);                /* as %#x prints: "0x1f", but "0" for 0 */
char *pd_hex_width_to(char *at, uint64_t value, unsigned width); /* filled with zeros to `width` digits, at most 16 */
void pd_text_hex(struct perfdata_text *text, uint64_t value);
void pd_text_hex_alt(struct perfdata_text *text, uint64_t value);

/* Append numbers right-aligned in `width` columns, as %*u, %*d and %*x do. */
void pd_text_u64_pad(struct perfdata_text *text, uint64_t value, unsigned width);
void pd_text_s64_pad(struct perfdata_text *text, int64_t value, unsigned width);
void pd_text_hex_pad(struct perfdata_text *text, uint64_t value, unsigned width);

/* Whether the bytes are well-formed Unicode: no overlong forms, no surrogates, nothing above U+10FFFF. */
bool pd_utf8_valid(const void *bytes, size_t size);

/* Whether no byte needs an escape inside a JSON string: ASCII without control characters, quote and backslash. */
bool pd_json_plain(const void *bytes, size_t size);

/* Appends a cell, quoted only if it holds a comma, quote, CR or LF. Bytes that are not UTF-8 become U+FFFD; then it
 * returns false. */
bool pd_text_csv_cell(struct perfdata_text *text, const void *bytes, size_t size);

/* Appends the hex dump of `perf script -D`: lines ".  %04x: " + 16 × " xx" + two blanks + 16 characters. Blanks fill
 * the last line. No bytes give no text. */
void pd_text_hex_dump(struct perfdata_text *text, const uint8_t *bytes, size_t size);

#endif
