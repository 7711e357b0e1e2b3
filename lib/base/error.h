/* SPDX-License-Identifier: MIT */
/* Filling in a struct perfdata_error. */
#ifndef PD_ERROR_H
#define PD_ERROR_H

#include "perfdata/base.h"

/* Writes all fields of *reterr (may be NULL) and returns `status`, so that a failure is one statement:
 * `return pd_error(reterr, PERFDATA_EREAD, offset, "cannot read: %s", …)`. The message is cut when too long; newlines
 * and other control characters in it become blanks, because the message is promised to be one line. */
enum perfdata_status pd_error(struct perfdata_error *reterr, enum perfdata_status status, uint64_t offset,
			      const char *format, ...) PERFDATA_PRINTF(4, 5);

/* The text of an errno value, in `room` or in static storage. Any thread. */
const char *pd_errno_text(int code, char *room, size_t size);

/* The status for the errno value of a failure to open or read a named file: PERFDATA_ABSENT if the file does not exist,
 * is no file to read, or this user may not read it; PERFDATA_ENOMEM if memory, descriptors or the space for temporary
 * files ran out; else PERFDATA_EREAD. */
enum perfdata_status pd_status_of_errno(int code);
/* The same for a call on an open file, which cannot be absent: PERFDATA_ENOMEM, PERFDATA_EREAD. */
enum perfdata_status pd_status_of_read(int code);

/* The same with ": " and the text of errno value `code` after the message. */
enum perfdata_status pd_error_errno(struct perfdata_error *reterr, enum perfdata_status status, uint64_t offset,
				    int code, const char *format, ...) PERFDATA_PRINTF(5, 6);

/* pd_error with the phrase of the status as the message. */
enum perfdata_status pd_error_of_status(struct perfdata_error *reterr, enum perfdata_status status, uint64_t offset);

/* Returns the status of a function of the caller. If the function failed, *reterr gets what it wrote into `why`, which
 * was zeros before, or the phrase of the status if it wrote nothing. */
enum perfdata_status pd_error_from(struct perfdata_error *reterr, enum perfdata_status status,
				   const struct perfdata_error *why);

/* The message for a failure that came without one. Outputs have messages of their own, so PERFDATA_EWRITE means a
 * temporary file here. */
const char *pd_failure_text(enum perfdata_status status);

#endif
