/* SPDX-License-Identifier: MIT */
/* Prepared lines of records. Most records differ from many others only in a few numbers, so a thread prepares for each
 * kind of record the constant bytes (keys, commas, the event's name) and the places of the numbers. Samples that
 * consist of fixed words and tracepoint data are not even decoded. */
#ifndef EMIT_LINE_H
#define EMIT_LINE_H

#include "emit/values/record.h"
#include "text/lines.h"
#include "schema/schema.h"
#include "reader/reader.h"

/* The base of a number's offset. */
enum line_base {
	LINE_RAW /* struct perfdata_raw */,
	LINE_BODY /* the view, or the record's bytes: see pd_line_member */,
	LINE_FIELDS /* raw data of the tracepoint */,
	NR_LINE_BASES
};

struct line_maker {
	struct perfdata_text *text;        /* append constant bytes here */
	uint64_t present;                  /* rows in the lines */
	bool ordinary;                     /* without `inner`, `file` and flags */
	bool sound;                        /* without `rest` and `problem` */
	const struct trace_plan *fields;   /* fields that the raw data has completely; or NULL */
	struct line *line;                 /* for line.c */
	const struct perfdata_config *words; /* set for a record that is not decoded; or NULL */
	bool of_view;                      /* set it if a part needs the decoded view */
};

/* Appends a number after the constant bytes so far. */
void pd_line_number(struct line_maker *maker, enum perfdata_part_form form, enum line_base base, uint32_t offset);
/* Appends a number from the record's view; its row must be present. */
void pd_line_member(struct line_maker *maker, enum perfdata_part_form form, uint32_t member);
/* The form of a row's number; PERFDATA_PART_STOP if it is no number. */
enum perfdata_part_form pd_line_form(const struct row *row);
/* Appends any value: `spell` writes it for each record. `room` is scratch memory. */
typedef void line_spell_fn(struct record *r, const void *what, struct perfdata_text *room);
void pd_line_other(struct line_maker *maker, line_spell_fn *spell, const void *what);
/* As pd_line_other, for a `spell` that reads r->view. */
void pd_line_other_of_view(struct line_maker *maker, line_spell_fn *spell, const void *what);

/* Appends a head that `spell` writes; nothing if records with this line cannot have the head. */
void pd_line_head(struct line_maker *maker, const struct record *r, enum pd_record_head head, line_spell_fn *spell,
		  const void *what);

/* The lines of an emitter. */
struct line_kind {
	/* Makes the line for the record and all records with equal layout, event, misc and rows. False without
	 * memory. */
	bool (*make)(struct line_maker *maker, struct record *r, const void *user);
	const void *user;
	bool without_chains;               /* leave out a callchain whose stack id is in the line */
};

/* Loads a record as pd_record_load does, and appends its line. False without memory. */
bool pd_line_write(struct record *r, const struct line_kind *kind, const struct perfdata_raw *raw,
		   struct found_batch **found, struct perfdata_text *room);

#endif
