/* SPDX-License-Identifier: MIT */
#include "config.h"
#include <stdlib.h>
#include "text_lines.h"

/* Makes room for one more byte and the '\0'. */
static bool make_room(struct lines *lines)
{
	if (lines->size + 2 <= lines->room)
		return true;
	const size_t room = lines->room ? lines->room * 2 : 256;
	char *text = realloc(lines->text, room);
	if (!text)
		return false;
	lines->text = text;
	lines->room = room;
	return true;
}

enum perfdata_status lines_next(struct lines *lines)
{
	int byte;
	lines->size = 0;
	lines->ended = false;
	lines->nr++;
	while ((byte = getc_unlocked(lines->file)) != EOF) {
		if (byte != lines->end && lines->size == lines->most)
			return PERFDATA_ELIMIT;
		if (!make_room(lines))
			return PERFDATA_ENOMEM;
		lines->ended = byte == lines->end;
		if (lines->ended)
			break;
		lines->text[lines->size++] = (char)byte;
	}
	if (byte == EOF && ferror(lines->file))
		return PERFDATA_EREAD;
	if (byte == EOF && !lines->size)
		return PERFDATA_END;
	lines->text[lines->size] = '\0';
	return PERFDATA_OK;
}
