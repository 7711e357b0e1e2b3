/* SPDX-License-Identifier: MIT */
/* Which files of a comparison are the same under different names? A program that was copied, moved or linked under
 * another name keeps its build-id. A name that both sides have counts more than a build-id: a rebuilt program has
 * its old name and a new build-id, and an old copy with the old build-id may exist. */
#ifndef PD_FILE_PAIRS_H
#define PD_FILE_PAIRS_H

#include <stdbool.h>
#include <stddef.h>
#include "perfdata/symbols.h"

struct pd_file_pairs;
/* A file before and after. */
struct pd_file_pair {
	const char *before, *after;      /* keys of pd_key_file */
	const char *build_id;            /* hexadecimal */
};

struct pd_file_pairs *pd_file_pairs_new(void);
void pd_file_pairs_free(struct pd_file_pairs *pairs);
/* Adds a file of a side, 0 before, 1 after: its key, as the user's rules have renamed it, and its build-id in
 * hexadecimal ("": unknown). False without memory. */
bool pd_file_pairs_add(struct pd_file_pairs *pairs, unsigned side, enum perfdata_dso_kind kind, const char *key,
		       const char *build_id);
/* Finds the pairs, once all files were added. False without memory. */
bool pd_file_pairs_find(struct pd_file_pairs *pairs);
/* Returns the name of an added file for both sides: `key`, or a text that `pairs` owns. */
const char *pd_file_pairs_key(struct pd_file_pairs *pairs, enum perfdata_dso_kind kind, const char *key,
			      const char *build_id);
/* Returns the pairs, sorted. */
const struct pd_file_pair *pd_file_pairs_list(const struct pd_file_pairs *pairs, size_t *ret_nr);
/* Writes a phrase that both names of a pair are one file, in at most `size` bytes. */
void pd_file_pair_spell(const struct pd_file_pair *pair, char *ret, size_t size);

#endif
