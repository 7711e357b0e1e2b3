/* SPDX-License-Identifier: MIT */
/* Opens readers of memory and of descriptors in one call. */
#ifndef TEST_OPENING_H
#define TEST_OPENING_H

#include "perfdata/input.h"
#include "perfdata/reader.h"

static inline enum perfdata_status open_input(struct perfdata_input *input,
					       const struct perfdata_reader_options *options,
					       struct perfdata_reader **ret, struct perfdata_error *reterr)
{
	const enum perfdata_status status = input ? perfdata_reader_open(input, options, ret, reterr)
						  : PERFDATA_ENOMEM;
	perfdata_input_free(input);
	return status;
}

/* Opens a reader of bytes in memory, which it borrows until it is closed. */
static inline enum perfdata_status open_memory(const void *bytes, size_t size, const char *name,
					       const struct perfdata_reader_options *options,
					       struct perfdata_reader **ret, struct perfdata_error *reterr)
{
	return open_input(perfdata_input_memory(bytes, size, name), options, ret, reterr);
}

static inline enum perfdata_status open_fd(int fd, const char *name, const struct perfdata_reader_options *options,
					   struct perfdata_reader **ret, struct perfdata_error *reterr)
{
	return open_input(perfdata_input_fd(fd, name), options, ret, reterr);
}

#endif
