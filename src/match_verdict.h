/* SPDX-License-Identifier: MIT */
/* Judges what `match` found: the state of each row, shares of the weight, and the answer yes or no. */
#ifndef MATCH_VERDICT_H
#define MATCH_VERDICT_H

#include "file_rows.h"

struct match_row {
	const struct file_row *file;
	struct perfdata_match_result result;
	bool is_matched;
	/* some of its samples have a name; without samples: its files have names */
	bool can_be_named;
	/* number of samples with names: counted by the session, or estimated from the parts of the file */
	uint64_t named;
	bool is_other;                     /* only the other recording maps the file, so no file was searched */
};

struct match_verdict {
	const struct file_rows *files;
	/* by source: the session takes names from its files; for other sources they are estimated */
	bool *session_reads;
	struct match_row *rows;
	size_t nr;
	bool between_recordings;           /* all sources are recordings (--other) */
	bool names_known;                  /* some source has files, which may have names */
	bool is_estimated;                 /* the names of some row are estimated */
	uint64_t file_weight, memory_weight;   /* weight of rows with a file; of rows without one (JIT code, vdso) */
	uint64_t identified, matched;      /* of file_weight: identified files, matched files */
	uint64_t samples, named;           /* of all rows, and outside of them; of these, samples with a name */
	struct perfdata_text reasons;      /* lines with the reasons for the answer no */
	size_t nr_reasons;
};

/* Values of --min-matched, --min-named and --min-weight, in percent. */
struct match_limits {
	double matched, named, weight;     /* 0: no limit */
};
/* False after a message: a value is no percentage. */
bool match_limits_parse(const struct options *options, struct match_limits *ret);

/* The name of the row's state in outputs. *ret_counts_as (may be NULL): the state for the verdict, which is the same
 * except for "conflict". */
const char *match_state(const struct match_verdict *verdict, const struct match_row *row, const char **ret_counts_as);
/* Appends the note of a row: the reason for its state, and how to get the missing file. */
void match_note(struct perfdata_text *out, const struct match_verdict *verdict, const struct match_row *row);
/* Sets is_matched and can_be_named of the rows, the sums of weights, and the reasons for the answer no. */
void match_judge(struct match_verdict *verdict, const struct options *options, const struct match_limits *limits);
/* Whether a file is there that is not the recorded one, or that nothing shows to be it, so that no command takes names
 * from it. Call it after match_judge has set is_matched. */
bool match_is_refused(const struct match_row *row);
/* Returns `part` in percent of `whole`; 100 if `whole` is 0. */
double match_percent(uint64_t part, uint64_t whole);

#endif
