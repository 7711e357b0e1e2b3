/* SPDX-License-Identifier: MIT */
/* --time, --pid, --comm …: from texts to what a session takes. */
#ifndef FILTERS_H
#define FILTERS_H

#include "inputs.h"

struct filters {
	struct perfdata_filter filter;
	void *owned[6];       /* arrays of the filter */
	unsigned nr_owned;
};

/* Looks at the parts that need no recording. False after a message. */
bool filters_check(const struct options *options);
/* For one recording: percentages and event names depend on it. False after a message, with input->code set. */
bool filters_make(const struct options *options, struct input *input, struct filters *ret);
void filters_release(struct filters *filters);

/* A recording that perfdata_convert opens: `filters_opened` is its on_open, and this the open_user. */
struct filtered_input {
	const struct options *options;
	struct input input;
	struct filters filters;
	bool refused;         /* the recording does not fit the filters; a message told so */
};
enum perfdata_status filters_opened(void *filtered_input, struct perfdata_reader *reader,
				    struct perfdata_filter *filter, struct perfdata_error *reterr);

#endif
