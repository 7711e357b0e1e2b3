/* SPDX-License-Identifier: MIT */
/* Opens the recordings of a command, and reports findings and failures when they are closed. */
#ifndef INPUTS_H
#define INPUTS_H

#include "options.h"
#include "perfdata/session.h"
#include "progress.h"

/* Makes options->inputs. False after a message, also if there is no FILE and stdin has no data. */
bool inputs_find(struct options *options);

struct input {
	const char *file;                  /* path as the user wrote it; "-" is stdin */
	struct messages messages;
	struct progress progress;
	struct perfdata_reader *reader;    /* NULL: the recording could not be opened */
	enum exit_code code;               /* of this input so far */
	struct perfdata_error error;       /* the last failure; status 0: none */
};

enum {
	INPUT_HOLD = 1 << 0,         /* keep messages until input_close */
	INPUT_BYTES_AHEAD = 1 << 1,    /* read bytes in a thread of their own */
	INPUT_PAYLOADS = 1 << 3,       /* deliver the payloads of AUXTRACE records too */
	INPUT_RECORDS_AHEAD = 1 << 2,  /* frame and order records in a thread of their own */
};
/* The source of the bytes: the file, its copy (kept_inputs.h), or stdin for "-". To be freed with perfdata_input_free;
 * NULL without memory. */
struct perfdata_input *input_source(const struct options *options, const char *file);
/* For callers that let the library open the reader: sets up *input and the reader options *ret. Until input->reader is
 * set, only input_close may be called. */
void input_prepare(struct input *input, const struct options *options, const char *file,
		   enum perfdata_record_order order, unsigned flags, struct perfdata_reader_options *ret);
/* Opens the recording. False after a failure, which is already reported: input->reader is NULL, input->code is set. */
bool input_open(struct input *input, const struct options *options, const char *file, enum perfdata_record_order order,
		unsigned flags);
/* Whether reading failed after the first records: then a finding says so. */
bool input_is_cut(const struct perfdata_reader *reader, enum perfdata_status status);
/* Returns input->error as a finding; its texts are borrowed from the input. */
struct perfdata_finding input_failure(const struct input *input);
/* Joins the status of an operation into input->code, and reports a failure. reterr may be NULL. */
void input_ended(struct input *input, enum perfdata_status status, const struct perfdata_error *reterr);
/* To be called after reading: counts findings, and joins EXIT_DAMAGED into input->code if there are errors (with
 * --strict also for warnings). */
void input_judge(struct input *input, const struct options *options);
/* Prints the remaining messages, closes the reader and returns the exit code of this input. */
enum exit_code input_close(struct input *input, const struct options *options);

/* Closes an input that was opened with INPUT_HOLD and will be read again. Drops the findings, and returns EXIT_FINE for
 * damage, since the second pass reports it; reports other failures. */
enum exit_code input_close_quietly(struct input *input);
/* To be called before an input is opened again: rewinds stdin if `file` is "-". */
void input_rewind(const char *file);

/* Opens a session, and calls `work` (may be NULL) with each batch. Reports failures. Returns the session, for its
 * tables and summary; NULL if it could not be opened. */
struct perfdata_session *input_walk(struct input *input, const struct perfdata_session_options *options,
				    void (*work)(void *user, const struct perfdata_batch *batch), void *user);

#endif
