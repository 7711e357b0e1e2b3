/* SPDX-License-Identifier: MIT */
/* Turns the options --time, --pid, --comm … into the filter of a session. */
#ifndef FILTERS_H
#define FILTERS_H

#include "inputs.h"

struct filters {
	struct perfdata_filter filter;
	void *owned[6];       /* arrays to which `filter` points, for free() */
	unsigned nr_owned;
};

/* Whether --time takes the text. */
bool filters_time_is_valid(const char *text);
/* Checks the options that can be checked without a recording. False after a message. */
bool filters_check(const struct options *options);
/* Makes the filter for one recording, since percentages of time and event names depend on the recording. May read the
 * recording once for its first and last time. False after a message, with input->code set. */
bool filters_make(const struct options *options, struct input *input, struct filters *ret);
void filters_release(struct filters *filters);

/* Notes that nothing of the recording passed the filters: an empty answer would be taken for one. rows: of the table
 * that was written; or NULL. */
void filters_note(const struct options *options, struct messages *messages, const char *file,
		  const struct perfdata_summary *summary, const uint64_t *rows);

/* For perfdata_convert_options: filters_opened is on_open, a struct filtered_input is open_user. */
struct filtered_input {
	const struct options *options;
	struct input input;
	struct filters filters;
	bool refused;         /* filters_make failed, and has reported why */
};
enum perfdata_status filters_opened(void *filtered_input, struct perfdata_reader *reader,
				    struct perfdata_filter *filter, struct perfdata_error *reterr);

#endif
