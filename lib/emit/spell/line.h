/* SPDX-License-Identifier: MIT */
/* Lines of records that are alike. Most records of a recording differ from many others in a few numbers only: each
 * thread puts together once for each kind of record what they share (keys, commas, the event's name), with the places
 * of the numbers in between. Samples that consist of fixed words and a tracepoint's data are not even decoded. */
#ifndef EMIT_LINE_H
#define EMIT_LINE_H

#include "emit/values/record.h"
#include "text/lines.h"
#include "schema/schema.h"
#include "reader/reader.h"

/* What the offset of a number counts from. */
enum line_base {
	LINE_RAW /* struct perfdata_raw */,
	LINE_BODY /* the view; or the record's bytes, see pd_line_member */,
	LINE_FIELDS /* raw data of the tracepoint */,
	NR_LINE_BASES
};

struct line_maker {
	struct perfdata_text *text;        /* constant bytes are appended here */
	uint64_t present;                  /* rows that the lines have */
	bool ordinary;                     /* no `inner`, no `file`, no flags */
	bool sound;                        /* neither `rest` nor `problem` */
	const struct trace_plan *fields;   /* each of these fields is in the raw data; or NULL */
	struct line *line;                 /* for line.c */
	const struct perfdata_config *words; /* of a record that is not decoded; or NULL */
	bool of_view;                      /* set where a part needs the decoded view */
};

/* Appends a number after the constant bytes so far. */
void pd_line_number(struct line_maker *maker, enum perfdata_part_form form, enum line_base base, uint32_t offset);
/* Appends a number of the record's view, whose row is present. */
void pd_line_member(struct line_maker *maker, enum perfdata_part_form form, uint32_t member);
/* The form of a row's number, or PERFDATA_PART_STOP. */
enum perfdata_part_form pd_line_form(const struct row *row);
/* Appends anything else: `spell` writes it for each record, and may use `room` for intermediate text. */
typedef void line_spell_fn(struct record *r, const void *what, struct perfdata_text *room);
void pd_line_other(struct line_maker *maker, line_spell_fn *spell, const void *what);
/* The same for a `spell` that reads r->view. */
void pd_line_other_of_view(struct line_maker *maker, line_spell_fn *spell, const void *what);

/* Appends a head that takes a call of `spell`; nothing where no record with this line can have that head. */
void pd_line_head(struct line_maker *maker, const struct record *r, enum pd_record_head head, line_spell_fn *spell,
		  const void *what);

/* The lines of an emitter. */
struct line_kind {
	/* Makes the line of the record and of all with the same layout, event, misc word and rows. False without
	 * memory. */
	bool (*make)(struct line_maker *maker, struct record *r, const void *user);
	const void *user;
	bool without_chains;               /* no chain in samples if the stack's id says the same */
};

/* Loads a record as pd_record_load does and appends its line. False without memory. */
bool pd_line_write(struct record *r, const struct line_kind *kind, const struct perfdata_raw *raw,
		   struct found_batch **found, struct perfdata_text *room);

#endif
