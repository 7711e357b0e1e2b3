/* SPDX-License-Identifier: MIT */
/* The result of a comparison as text, TSV, JSON, JUnit or Markdown. */
#ifndef DIFF_SHOW_H
#define DIFF_SHOW_H

#include "options.h"
#include "perfdata/compare.h"

struct diff_answer {
	const struct options *options;
	const struct perfdata_comparison *comparison;
	const struct perfdata_baseline *sides[2];
	enum exit_code inputs;       /* EXIT_FINE: no input was damaged */
};

/* Each appends the whole answer in one form to `out`. */
void diff_show_text(const struct diff_answer *answer, struct perfdata_text *out);
void diff_show_tsv(const struct diff_answer *answer, struct perfdata_text *out);
void diff_show_junit(const struct diff_answer *answer, struct perfdata_text *out);
void diff_show_markdown(const struct diff_answer *answer, struct perfdata_text *out);
/* Prints the answer, whose rows may take more memory than the rest of the comparison. False if memory failed. */
bool diff_show_json(const struct diff_answer *answer);

/* Appends the verdict in words, as one line. */
void diff_spell_verdict(struct perfdata_text *out, const struct diff_answer *answer);
/* Returns the quantity that decided the state of a row. *ret_inclusive: it is the inclusive quantity, not the self
 * quantity. */
const struct perfdata_compared *diff_decisive(const struct perfdata_comparison_row *row, bool *ret_inclusive);
/* Appends the name of the row in printable characters: function and file, as far as the key has both. */
void diff_spell_key(struct perfdata_text *out, const struct perfdata_comparison_row *row);
/* Append a difference in percentage points ("+2.31"), a ratio ("1.25", "new", "gone") and a p-value ("0.0012"). */
void diff_spell_delta(struct perfdata_text *out, double delta);
void diff_spell_ratio(struct perfdata_text *out, double ratio);
bool diff_is_judged(const struct perfdata_compared *reported);
void diff_spell_p(struct perfdata_text *out, const struct perfdata_compared *reported);
/* Appends the smallest rise that would have been seen ("±1.20"); "-": none would. */
void diff_spell_visible(struct perfdata_text *out, double visible);
/* Appends the known reason for the row's state: the callee that caused it, or the library's reason. */
void diff_spell_reason(struct perfdata_text *out, const struct perfdata_comparison_row *row);
/* Appends one line about an event without its name: recordings, samples, scale, dispersion. */
void diff_spell_event(struct perfdata_text *out, const struct perfdata_comparison_event *event);
/* Number of rows of event `event` in state `change`. callers: rows whose rise is caused by a callee; otherwise the
 * other rows. */
size_t diff_count(const struct diff_answer *answer, size_t event, enum perfdata_change change, bool callers);

#endif
