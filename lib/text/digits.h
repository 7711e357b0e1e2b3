/* SPDX-License-Identifier: MIT */
/* Tables and plain functions that the files of this folder share. Each function with vector instructions has a plain
 * counterpart; the tests compare both. */
#ifndef PD_DIGITS_H
#define PD_DIGITS_H

#include <string.h>
#include "perfdata/base.h"

/* Two hex digits for each byte; two decimal digits for each number below 100. */
extern const char pd_hex_pairs[513];
extern const char pd_decimal_pairs[201];

/* Writes the 16 hex digits of `value`. */
void pd_hex16_plain(char *at, uint64_t value);

/* Writes `count` lines of the hex dump, each of 76 characters for 16 bytes. The first is at `offset`, the last below
 * 0x10000. */
void pd_dump_lines_plain(char *at, const uint8_t *bytes, size_t count, uint32_t offset);
void pd_dump_lines(char *at, const uint8_t *bytes, size_t count, uint32_t offset);

#define PD_DUMP_LINE 76

/* Returns the number of bytes before the first that a JSON string must escape or check: plain are ASCII characters
 * other than control characters, quote and backslash. Copies the plain bytes to `at`, and may write up to 15 more bytes
 * after them. */
size_t pd_json_plain_run(char *at, const uint8_t *bytes, size_t size);

#endif
