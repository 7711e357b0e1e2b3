/* SPDX-License-Identifier: MIT */
/* Lines that differ only in numbers: constant bytes are prepared once, numbers are read in place. */
#ifndef PD_LINES_H
#define PD_LINES_H

#include "perfdata/text.h"

/* The parts that such lines share are prepared once: constant bytes, each followed by a number that is read in place
 * from memory, at an offset from one of a few addresses. */
enum perfdata_part_form {
	PERFDATA_PART_U8, PERFDATA_PART_U16, PERFDATA_PART_U32, PERFDATA_PART_U64,    /* decimal */
	PERFDATA_PART_S8, PERFDATA_PART_S16, PERFDATA_PART_S32, PERFDATA_PART_S64,
	PERFDATA_PART_X8, PERFDATA_PART_X16, PERFDATA_PART_X32, PERFDATA_PART_X64,    /* hexadecimal */
	/* UINT32_MAX is written as nothing, as `null` */
	PERFDATA_PART_U32_OR_NONE, PERFDATA_PART_U32_OR_NULL,
	/* no number: the caller writes what follows */
	PERFDATA_PART_STOP,
};
struct perfdata_part {
	const char *text;         /* constant bytes; PERFDATA_PART_SLACK more after them can be read */
	uint32_t size;
	uint32_t offset;          /* of the number; free for the caller at a STOP */
	uint8_t form, base;
	uint8_t width;            /* minimum number of hex digits, filled with zeros; 0: no minimum */
};
#define PERFDATA_PART_SLACK 32
#define PERFDATA_PART_NUMBER 32   /* room that a number needs; a line needs the room of its parts, and SLACK */
/* Writes parts up to the first STOP, including the constant bytes of the STOP, and returns the end. *part becomes that
 * STOP. */
char *pd_parts_to(char *at, const struct perfdata_part **part, const void *const *bases);

/* Such a line, first while it is put together, then finished. All zero at first; released by pd_line_release. */
struct perfdata_line {
	struct perfdata_text text;    /* constant bytes are appended here */
	struct perfdata_text parts;   /* struct perfdata_part; the last is a STOP */
	size_t done;                  /* bytes of the text that belong to parts already */
	size_t room;                  /* most bytes that the parts take, once the line is finished */
};
/* Adds a part after the constant bytes so far; the function sets the part's text. */
void pd_line_part(struct perfdata_line *line, struct perfdata_part part);
/* Finishes the line: no more parts, and perfdata_line_parts may be called. False without memory. */
bool pd_line_finish(struct perfdata_line *line);
void pd_line_release(struct perfdata_line *line);
static inline const struct perfdata_part *perfdata_line_parts(const struct perfdata_line *line)
{
	return (const struct perfdata_part *)(const void *)line->parts.data;
}
/* Appends from *part on up to the next STOP, which *part becomes. False without memory. */
static inline bool perfdata_text_parts(struct perfdata_text *text, const struct perfdata_line *line,
				       const struct perfdata_part **part, const void *const *bases)
{
	char *at = perfdata_text_reserve(text, line->room);
	if (at)
		perfdata_text_commit(text, pd_parts_to(at, part, bases));
	return at;
}

#endif
