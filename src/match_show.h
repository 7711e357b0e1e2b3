/* SPDX-License-Identifier: MIT */
/* The output forms of `match`. */
#ifndef MATCH_SHOW_H
#define MATCH_SHOW_H

#include "match_verdict.h"

/* A source of files as written by the user, and the number of files found in it. */
struct match_asked {
	const char *kind;                  /* the option's name, or "host" */
	const char *path;                  /* or NULL */
	uint64_t found;
};

struct match_answer {
	const struct options *options;
	const struct match_verdict *verdict;
	const struct file_rows *rows;
	const struct match_asked *asked;
	size_t nr_asked;
	uint64_t searched;
	enum exit_code inputs;             /* EXIT_FINE: all recordings and files were read, and none was damaged */
};

/* Each prints the whole answer on stdout in one form. False without memory. */
bool match_show_text(const struct match_answer *answer);
bool match_show_tsv(const struct match_answer *answer);
bool match_show_json(const struct match_answer *answer);
bool match_show_junit(const struct match_answer *answer);
/* Appends "identified 98.1 %, matched 98.1 %, named 40.0 % of …". */
void match_spell_shares(struct perfdata_text *out, const struct match_answer *answer);

#endif
