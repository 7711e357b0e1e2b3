/* SPDX-License-Identifier: MIT */
/* Fills in struct perfdata_error. */
#ifndef PD_ERROR_H
#define PD_ERROR_H

#include "perfdata/base.h"

/* Sets all fields of *reterr (may be NULL) and returns `status`, so that a failure is one statement: `return
 * pd_error(reterr, PERFDATA_EREAD, offset, "cannot read: %s", …)`. Cuts a long message. Replaces newlines and other
 * control characters by blanks, since a message is one line. */
enum perfdata_status pd_error(struct perfdata_error *reterr, enum perfdata_status status, uint64_t offset,
			      const char *format, ...) PERFDATA_PRINTF(4, 5);

/* Returns the text of an errno value, in `room` or in static storage. Thread-safe. */
const char *pd_errno_text(int code, char *room, size_t size);

/* Status for the errno value of a failure to open or read a named file: PERFDATA_ABSENT if the file does not exist, is
 * no regular file, or this user may not read it; PERFDATA_ENOMEM if memory, descriptors or the space for temporary
 * files ran out; else PERFDATA_EREAD. */
enum perfdata_status pd_status_of_errno(int code);
/* Status for the errno value of a failed call on an open file, which cannot be absent: PERFDATA_ENOMEM,
 * PERFDATA_EREAD. */
enum perfdata_status pd_status_of_read(int code);

/* As pd_error, with ": " and the text of the errno value `code` after the message. */
enum perfdata_status pd_error_errno(struct perfdata_error *reterr, enum perfdata_status status, uint64_t offset,
				    int code, const char *format, ...) PERFDATA_PRINTF(5, 6);

/* As pd_error, with the phrase of the status as message. */
enum perfdata_status pd_error_of_status(struct perfdata_error *reterr, enum perfdata_status status, uint64_t offset);

/* Returns the status of a function that the caller supplied. If it failed, *reterr becomes *why, which was zeroed
 * before the call; if the function left it so, *reterr gets the phrase of the status. */
enum perfdata_status pd_error_from(struct perfdata_error *reterr, enum perfdata_status status,
				   const struct perfdata_error *why);

/* Returns the message for a failure that has none. Failures of outputs always have one, so PERFDATA_EWRITE means a
 * temporary file here. */
const char *pd_failure_text(enum perfdata_status status);

#endif
