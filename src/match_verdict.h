/* SPDX-License-Identifier: MIT */
/* Judges what `match` found: the state of each row, shares of the weight, and the answer yes or no. */
#ifndef MATCH_VERDICT_H
#define MATCH_VERDICT_H

#include "file_rows.h"

struct match_row {
	const struct file_row *file;
	struct perfdata_match_result result;
	bool is_matched, can_be_named;
	bool is_other;                     /* only the other recording maps the file; no file was searched */
};

struct match_verdict {
	struct match_row *rows;
	size_t nr;
	bool between_recordings;           /* all sources are recordings (--other) */
	bool names_known;                  /* some source has files, so that their symbols are known */
	uint64_t file_weight, memory_weight;   /* of rows with a file; of rows without (JIT code, vdso) */
	uint64_t identified, matched, named;   /* parts of file_weight */
	struct perfdata_text reasons;      /* lines that say why the answer is no */
	size_t nr_reasons;
};

/* The values of --min-matched, --min-named and --min-weight, in percent. */
struct match_limits {
	double matched, named, weight;     /* 0: no limit */
};
/* False after a message: an option is no percentage. */
bool match_limits_parse(const struct options *options, struct match_limits *ret);

/* Returns the name of the row's state for outputs. *ret_counts_as (may be NULL) is the state that the verdict uses:
 * the same name, except where the output says "conflict". */
const char *match_state(const struct match_verdict *verdict, const struct match_row *row, const char **ret_counts_as);
/* Appends the note of a row: the reason for its state, and how to get the missing file. */
void match_note(struct perfdata_text *out, const struct match_verdict *verdict, const struct match_row *row);
/* Sets is_matched and can_be_named of the rows, the sums of weights, and the reasons for the answer no. */
void match_judge(struct match_verdict *verdict, const struct options *options, const struct match_limits *limits);
/* Returns `part` in percent of `whole`; 100 if `whole` is 0. */
double match_percent(uint64_t part, uint64_t whole);

#endif
