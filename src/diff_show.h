/* SPDX-License-Identifier: MIT */
/* What a comparison found, as text, table, JSON, JUnit or Markdown. */
#ifndef DIFF_SHOW_H
#define DIFF_SHOW_H

#include "options.h"
#include "perfdata/compare.h"

struct diff_answer {
	const struct options *options;
	const struct perfdata_comparison *comparison;
	const struct perfdata_baseline *sides[2];
	bool complete;               /* nothing was damaged */
};

/* Append to `out`. */
void diff_show_text(const struct diff_answer *answer, struct perfdata_text *out);
void diff_show_tsv(const struct diff_answer *answer, struct perfdata_text *out);
void diff_show_json(const struct diff_answer *answer, struct perfdata_text *out);
void diff_show_junit(const struct diff_answer *answer, struct perfdata_text *out);
void diff_show_markdown(const struct diff_answer *answer, struct perfdata_text *out);

/* One line that says the verdict in words. */
void diff_spell_verdict(struct perfdata_text *out, const struct diff_answer *answer);
/* The quantity that decided about a row, and whether it is the inclusive one. */
const struct perfdata_compared *diff_decisive(const struct perfdata_comparison_row *row, bool *ret_inclusive);
/* What the row is called: function and file, or the only one of both. Printable. */
void diff_spell_key(struct perfdata_text *out, const struct perfdata_comparison_row *row);
/* "+2.31" points; "1.25", "new", "gone"; "0.0012". */
void diff_spell_delta(struct perfdata_text *out, double delta);
void diff_spell_ratio(struct perfdata_text *out, double ratio);
void diff_spell_p(struct perfdata_text *out, double p);
/* One line about an event, without its name: recordings, samples, scale, dispersion. */
void diff_spell_event(struct perfdata_text *out, const struct perfdata_comparison_event *event);
/* How many rows of an event are in a state. */
size_t diff_count(const struct diff_answer *answer, size_t event, enum perfdata_change change);

#endif
