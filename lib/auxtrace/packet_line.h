/* SPDX-License-Identifier: MIT */
/* The line of a packet in a dump: offset, bytes, and the description in a fixed column. */
#ifndef PD_PACKET_LINE_H
#define PD_PACKET_LINE_H

#include "perfdata/text.h"
#include "text/digits.h"
#include "text/spelling.h"

#define PD_LINE_COLUMNS 24u                              /* limit of bytes in a line */
#define PD_LINE_HEAD (14u + 3 * PD_LINE_COLUMNS + 16)    /* characters before the description, rounded up */

/* Writes ".  %08x: ", `count` bytes, blanks up to `columns` bytes, and a blank. */
static inline char *pd_line_head_to(char *at, uint64_t offset, const uint8_t *bytes, unsigned count, unsigned columns)
{
	memcpy(at, ".  ", 3);
	at += 3;
	if (offset >> 32)
		at = pd_hex_width_to(at, offset >> 32, 1);
	memcpy(at, pd_hex_pairs + 2 * (offset >> 24 & 0xff), 2);
	memcpy(at + 2, pd_hex_pairs + 2 * (offset >> 16 & 0xff), 2);
	memcpy(at + 4, pd_hex_pairs + 2 * (offset >> 8 & 0xff), 2);
	memcpy(at + 6, pd_hex_pairs + 2 * (offset & 0xff), 2);
	memcpy(at + 8, ": ", 2);
	at += 10;
	if (columns == 16)
		memset(at, ' ', 3 * 16 + 1);
	else
		memset(at, ' ', 3 * columns + 1);
	for (unsigned i = 0; i < count; i++)
		memcpy(at + 3 * i + 1, pd_hex_pairs + 2 * bytes[i], 2);
	return at + 3 * columns + 1;
}

#endif
