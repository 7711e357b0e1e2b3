/* SPDX-License-Identifier: MIT */
/* Reads files of lines with bounded memory: a file without line ends, such as a device, must not be collected whole. */
#ifndef TEXT_LINES_H
#define TEXT_LINES_H

#include <stdio.h>
#include "perfdata/base.h"

enum { MOST_PATH = 4096, MOST_LINE = 16 << 20 };

/* A file that is read; free `text` after the last line. */
struct lines {
	FILE *file;
	int end;             /* the byte that ends a line */
	size_t most;         /* bytes of a line without its end */
	char *text;          /* the line, with a '\0' after it in place of its end */
	size_t size, room;
	uint64_t nr;         /* of the line, from 1 */
	bool ended;          /* the line has an end: only the last of a file may lack it */
};

/* PERFDATA_OK: a line was read. PERFDATA_END. PERFDATA_EREAD with errno. PERFDATA_ELIMIT: the line is too long.
 * PERFDATA_ENOMEM. */
enum perfdata_status lines_next(struct lines *lines);

#endif
