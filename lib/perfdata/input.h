/* SPDX-License-Identifier: MIT */
/* Where a recording comes from: a path, a descriptor, memory, or functions of the caller.
 *
 * Making an input opens nothing: perfdata_reader_open does, which perfdata_convert calls, so all errors come from
 * there. An input lives until the readers that were opened from it are closed. */
#ifndef PERFDATA_INPUT_H
#define PERFDATA_INPUT_H

#include "perfdata/reader.h"

#ifdef __cplusplus
extern "C" {
#endif

struct perfdata_input;

/* Functions of the caller, which the reading thread calls. A result other than 0 is an errno value: opening fails with
 * PERFDATA_EREAD and that os_error if the first bytes cannot be read. Behind them the input ends there, as a file whose
 * reading fails: with the finding READ_FAILED, and with PERFDATA_EREAD and that os_error once all records in front were
 * given. Filled as options are: opening fails with PERFDATA_EUSAGE if members are wrong. */
struct perfdata_input_callbacks {
	size_t size;
	/* The next bytes, at most `room`; *ret_got 0 means the end. Short counts are fine. */
	int (*read)(void *user, void *buffer, size_t room, size_t *ret_got);
	/* Optional, both or none: bytes at an offset (0 of them only at the end), and how many there are. With them the
	 * input can seek. */
	int (*read_at)(void *user, uint64_t offset, void *buffer, size_t room, size_t *ret_got);
	int (*length)(void *user, uint64_t *ret_bytes);
	/* Optional: called once, by perfdata_input_free. */
	void (*close)(void *user);
};

/* Each is NULL only without memory. Paths and names are copied. name: what findings call it; NULL: "-", "memory". */
PERFDATA_API struct perfdata_input *perfdata_input_path(const char *path);
PERFDATA_API struct perfdata_input *perfdata_input_fd(int fd, const char *name);   /* not closed */
/* borrowed */
PERFDATA_API struct perfdata_input *perfdata_input_memory(const void *bytes, size_t size, const char *name);
PERFDATA_API struct perfdata_input *perfdata_input_callbacks(const struct perfdata_input_callbacks *callbacks,
							     void *user, const char *name);
PERFDATA_API void perfdata_input_free(struct perfdata_input *input);

/* As perfdata_reader_open_path and the functions beside it. */
PERFDATA_API enum perfdata_status perfdata_reader_open(const struct perfdata_input *input,
						       const struct perfdata_reader_options *options,
						       struct perfdata_reader **ret, struct perfdata_error *reterr);

#ifdef __cplusplus
}
#endif

#endif
