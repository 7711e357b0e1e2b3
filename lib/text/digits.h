/* SPDX-License-Identifier: MIT */
/* Tables and plain functions that the files of this folder share. Each function that uses the
 * machine's vector instructions has a plain one beside it; the tests compare both. */
#ifndef PD_DIGITS_H
#define PD_DIGITS_H

#include <string.h>
#include "perfdata/base.h"

/* The two digits of each byte, of each number below 100. */
extern const char pd_hex_pairs[513];
extern const char pd_decimal_pairs[201];

/* 16 hex digits of `value`. */
void pd_hex16_plain(char *at, uint64_t value);

/* `count` whole lines of the hex dump, 76 bytes each, of 16 bytes each; the first at `offset`, the last below
 * 0x10000. */
void pd_dump_lines_plain(char *at, const uint8_t *bytes, size_t count, uint32_t offset);
void pd_dump_lines(char *at, const uint8_t *bytes, size_t count, uint32_t offset);

#define PD_DUMP_LINE 76

/* How many of the first bytes need no escape inside a JSON string: ASCII without control characters, quote and
 * backslash. Copies them to `at`, and may write up to 15 bytes of anything after them. */
size_t pd_json_plain_run(char *at, const uint8_t *bytes, size_t size);

#endif
