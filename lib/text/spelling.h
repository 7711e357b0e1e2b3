/* SPDX-License-Identifier: MIT */
/* Spelling numbers and text, for the rooms of the library; programs have perfdata/text.h. */
#ifndef PD_SPELLING_H
#define PD_SPELLING_H

#include "perfdata/text.h"

/* --- numbers --- The _to forms write at `at` (room for 32 bytes) and return the end: for hand-made lines. */
char *pd_hex_to(char *at, uint64_t value);                    /* lower-case, no prefix, "0" for 0 */
char *pd_hex_alt_to(char *at, uint64_t value);                /* as %#x: "0x1f", but "0" for 0 */
char *pd_hex_width_to(char *at, uint64_t value, unsigned width); /* zero-filled to width <= 16 */
void pd_text_hex(struct perfdata_text *text, uint64_t value);
void pd_text_hex_alt(struct perfdata_text *text, uint64_t value);

/* Right-aligned in `width` columns with blanks, as %*u, %*d and %*x. */
void pd_text_u64_pad(struct perfdata_text *text, uint64_t value, unsigned width);
void pd_text_s64_pad(struct perfdata_text *text, int64_t value, unsigned width);
void pd_text_hex_pad(struct perfdata_text *text, uint64_t value, unsigned width);

/* Well-formed as Unicode defines it: no overlong forms, no surrogates, nothing above U+10FFFF. */
bool pd_utf8_valid(const void *bytes, size_t size);

/* Each byte needs no escape inside a JSON string: ASCII without control characters, quote and backslash. */
bool pd_json_plain(const void *bytes, size_t size);

/* One cell: quoted only when it holds a comma, quote, CR or LF. Bytes that are not UTF-8 become U+FFFD;
 * returns false then. */
bool pd_text_csv_cell(struct perfdata_text *text, const void *bytes, size_t size);

/* The hex dump of `perf script -D`: lines ".  %04x: " + 16 × " xx" + two blanks + 16 characters, for all
 * bytes. Blanks fill the last line. No bytes give no text. */
void pd_text_hex_dump(struct perfdata_text *text, const uint8_t *bytes, size_t size);

#endif
