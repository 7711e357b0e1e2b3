/* SPDX-License-Identifier: MIT */
/* Reads lines with limited memory: a file without newlines, such as a device, must not be read whole. */
#ifndef TEXT_LINES_H
#define TEXT_LINES_H

#include <stdio.h>
#include "perfdata/base.h"

enum { MOST_PATH = 4096, MOST_LINE = 16 << 20 };

/* State of reading a file. Free `text` after the last line. */
struct lines {
	FILE *file;
	int end;             /* byte that ends a line */
	size_t most;         /* limit of the size of a line in bytes, without its end */
	char *text;          /* the line; a '\0' replaces its end */
	size_t size, room;
	uint64_t nr;         /* number of the line, from 1 */
	bool ended;          /* the line has an end; only the last line may lack it */
};

/* PERFDATA_OK: a line was read. PERFDATA_END. PERFDATA_EREAD with errno. PERFDATA_ELIMIT: the line is too long.
 * PERFDATA_ENOMEM. */
enum perfdata_status lines_next(struct lines *lines);

#endif
