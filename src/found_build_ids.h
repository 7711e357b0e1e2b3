/* SPDX-License-Identifier: MIT */
/* The build-ids of the files that recordings map: those that they tell, and those of files at hand that are the
 * recorded ones, as `match` finds them. */
#ifndef FOUND_BUILD_IDS_H
#define FOUND_BUILD_IDS_H

#include "file_rows.h"
#include "perfdata/rewrite.h"

struct found_build_ids {
	struct file_rows rows;
	struct perfdata_match *match;
	struct perfdata_rewrite_build_id *items;
	size_t nr;
	size_t nr_new;                     /* that no recording tells */
};

/* Reads each of the inputs; says what fails. found_build_ids_release is due in any case. */
enum exit_code found_build_ids_make(const struct options *options, struct found_build_ids *ret);
void found_build_ids_release(struct found_build_ids *found);

#endif
