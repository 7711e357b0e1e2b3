/* SPDX-License-Identifier: MIT */
/* Lines of records that are alike. Most records of a recording differ from many others in a few numbers only: what they
 * share (keys, commas, the event's name) is put together once for each thread and kind of record, with the locations of
 * the numbers in between. Samples that consist of fixed words and a tracepoint's data are not even decoded. */
#ifndef EMIT_LINE_H
#define EMIT_LINE_H

#include "emit/model/record.h"

/* Where numbers stand. */
enum line_base {
	LINE_RAW /* struct perfdata_raw */,
	LINE_BODY /* pd_line_member */,
	LINE_FIELDS /* of the tracepoint */,
	NR_LINE_BASES
};

struct line_maker {
	struct perfdata_text *text;        /* constant bytes are appended here */
	uint64_t present;                  /* rows that the lines have */
	bool ordinary;                     /* no `inner`, no `file`, no flags */
	bool sound;                        /* neither `rest` nor `problem` */
	const struct trace_plan *fields;   /* of which each one is there; or NULL */
	struct line *line;                 /* for line.c */
	const struct perfdata_config *words; /* the record is not decoded; or NULL */
	bool of_view;                      /* which it has to be */
};

/* A number behind the constant bytes so far. */
void pd_line_number(struct line_maker *maker, enum perfdata_part_form form, enum line_base base, uint32_t offset);
/* A number of the record's view; the row is present. */
void pd_line_member(struct line_maker *maker, enum perfdata_part_form form, uint32_t member);
/* The form of a row's number, or PERFDATA_PART_STOP. */
enum perfdata_part_form pd_line_form(const struct row *row);
/* Anything else: spelled by a call for each record. `room` is for intermediate spelling. */
typedef void line_spell_fn(struct record *r, const void *what, struct perfdata_text *room);
void pd_line_other(struct line_maker *maker, line_spell_fn *spell, const void *what);
/* The same for what reads r->view. */
void pd_line_other_of_view(struct line_maker *maker, line_spell_fn *spell, const void *what);

/* A head that is not spelled with constant bytes and numbers: nothing, where the lines have none. */
void pd_line_head(struct line_maker *maker, const struct record *r, enum pd_record_head head, line_spell_fn *spell,
		  const void *what);

/* The lines of an emitter. */
struct line_kind {
	/* Makes the line of the record and of all with the same layout, event, misc word and rows. False without
	 * memory. */
	bool (*make)(struct line_maker *maker, struct record *r, const void *user);
	const void *user;
	bool without_chains;               /* of samples whose stack's id says them */
};

/* Loads a record as pd_record_load does and appends its line. False without memory. */
bool pd_line_write(struct record *r, const struct line_kind *kind, const struct perfdata_raw *raw,
		   struct found_batch **found, struct perfdata_text *room);

#endif
