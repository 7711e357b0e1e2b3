/* SPDX-License-Identifier: MIT */
/* Lines that differ only in numbers: their constant bytes are prepared once, and their numbers are read where they
 * are. */
#ifndef PD_LINES_H
#define PD_LINES_H

#include "perfdata/text.h"

/* The form of a part. A prepared line is an array of parts: constant bytes and a number after them, which is read from
 * memory at an offset from one of a few addresses. */
enum perfdata_part_form {
	PERFDATA_PART_U8, PERFDATA_PART_U16, PERFDATA_PART_U32, PERFDATA_PART_U64,    /* decimal */
	PERFDATA_PART_S8, PERFDATA_PART_S16, PERFDATA_PART_S32, PERFDATA_PART_S64,
	PERFDATA_PART_X8, PERFDATA_PART_X16, PERFDATA_PART_X32, PERFDATA_PART_X64,    /* hexadecimal */
	/* UINT32_MAX is written as nothing, or as `null` */
	PERFDATA_PART_U32_OR_NONE, PERFDATA_PART_U32_OR_NULL,
	/* no number: the caller writes the next text */
	PERFDATA_PART_STOP,
};
struct perfdata_part {
	const char *text;         /* constant bytes; PERFDATA_PART_SLACK further bytes must be readable */
	uint32_t size;
	uint32_t offset;          /* offset of the number; at a STOP the caller may use it */
	uint8_t form, base;
	uint8_t width;            /* least number of hex digits, filled with zeros; 0: no minimum */
};
#define PERFDATA_PART_SLACK 32
#define PERFDATA_PART_NUMBER 32   /* room for a number; a line needs the room of its parts, and SLACK */
/* Writes parts up to the first STOP, with the STOP's constant bytes, and returns the end. *part becomes that STOP. */
char *pd_parts_to(char *at, const struct perfdata_part **part, const void *const *bases);

/* A prepared line: parts are added, then it is finished. All zeros is an empty line; pd_line_release frees it. */
struct perfdata_line {
	struct perfdata_text text;    /* constant bytes */
	struct perfdata_text parts;   /* array of struct perfdata_part; the last is a STOP */
	size_t done;                  /* bytes of the text that belong to parts */
	size_t room;                  /* size limit of the finished line in bytes */
};
/* Adds a part with the constant bytes appended since the last part; sets the part's text. */
void pd_line_part(struct perfdata_line *line, struct perfdata_part part);
/* Finishes the line: then no part may be added, and perfdata_line_parts may be called. False without memory. */
bool pd_line_finish(struct perfdata_line *line);
void pd_line_release(struct perfdata_line *line);
static inline const struct perfdata_part *perfdata_line_parts(const struct perfdata_line *line)
{
	return (const struct perfdata_part *)(const void *)line->parts.data;
}
/* Appends the parts from *part up to the next STOP; *part becomes the STOP. False without memory. */
static inline bool perfdata_text_parts(struct perfdata_text *text, const struct perfdata_line *line,
				       const struct perfdata_part **part, const void *const *bases)
{
	char *at = perfdata_text_reserve(text, line->room);
	if (at)
		perfdata_text_commit(text, pd_parts_to(at, part, bases));
	return at;
}

#endif
