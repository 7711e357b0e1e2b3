/* SPDX-License-Identifier: MIT */
/* What `match` found, weighed: states by row, shares of the whole, and the answer. */
#ifndef MATCH_VERDICT_H
#define MATCH_VERDICT_H

#include "file_rows.h"

struct match_row {
	const struct file_row *file;
	struct perfdata_match_result result;
	bool is_matched, can_be_named;
	bool is_other;                     /* in the other recording only: no file was looked for */
};

struct match_verdict {
	struct match_row *rows;
	size_t nr;
	bool between_recordings;           /* every source is another recording */
	bool names_known;                  /* files were looked at, not only lists */
	uint64_t file_weight, memory_weight;   /* of rows that are files, and of those that are none by nature */
	uint64_t identified, matched, named;   /* weight out of file_weight */
	struct perfdata_text reasons;      /* why the answer is no: a line each */
	size_t nr_reasons;
};

/* The shares that the user asks for, in percent. */
struct match_limits {
	double matched, named, weight;     /* 0: none */
};
/* False: an option is no percentage (said already). */
bool match_limits_parse(const struct options *options, struct match_limits *ret);

/* The state as it is written, and (may be NULL) as what a conflict counts. */
const char *match_state(const struct match_verdict *verdict, const struct match_row *row, const char **ret_counts_as);
/* What goes behind a row: why, and what to do. */
void match_note(struct perfdata_text *out, const struct match_verdict *verdict, const struct match_row *row);
/* Weighs the rows and answers. */
void match_judge(struct match_verdict *verdict, const struct options *options, const struct match_limits *limits);
/* PART of WHOLE in percent; 100 of nothing. */
double match_percent(uint64_t part, uint64_t whole);

#endif
