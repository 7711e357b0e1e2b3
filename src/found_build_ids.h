/* SPDX-License-Identifier: MIT */
/* Build-ids of the files that recordings map: recorded ones, and those of files on this host that `match`
 * identifies. */
#ifndef FOUND_BUILD_IDS_H
#define FOUND_BUILD_IDS_H

#include "file_rows.h"
#include "perfdata/rewrite.h"

struct found_build_ids {
	struct file_rows rows;
	struct perfdata_match *match;
	struct perfdata_rewrite_build_id *items;
	size_t nr;
	size_t nr_new;                     /* items whose build-id is in no recording */
};

/* Reads each of the inputs and reports failures. The caller calls found_build_ids_release after a failure too. */
enum exit_code found_build_ids_make(const struct options *options, struct found_build_ids *ret);
void found_build_ids_release(struct found_build_ids *found);

#endif
