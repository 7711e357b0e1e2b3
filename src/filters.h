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

/* Whether the text is a valid value of --time. */
bool filters_time_is_valid(const char *text);
/* Checks the options as far as possible without a recording. False after a message. */
bool filters_check(const struct options *options);
/* Makes the filter for a recording: percentages of time and names of events depend on it. May read the recording once
 * for its first and last time. False after a message; input->code is set. */
bool filters_make(const struct options *options, struct input *input, struct filters *ret);
void filters_release(struct filters *filters);

/* Prints a note if the recording has counters but no samples, or if nothing of it passed the filters, so that empty
 * output is no surprise. rows: number of written rows of tables; or NULL. */
void filters_note(const struct options *options, struct messages *messages, const char *file,
		  const struct perfdata_summary *summary, const uint64_t *rows);

/* For perfdata_convert_options: on_open is filters_opened, open_user is a struct filtered_input. */
struct filtered_input {
	const struct options *options;
	struct input input;
	struct filters filters;
	bool refused;         /* filters_make failed and printed a message */
};
enum perfdata_status filters_opened(void *filtered_input, struct perfdata_reader *reader,
				    struct perfdata_filter *filter, struct perfdata_error *reterr);

#endif
