/* SPDX-License-Identifier: MIT */
/* Opens the recordings that a command reads, and reports at the end of each what was found. */
#ifndef INPUTS_H
#define INPUTS_H

#include "options.h"
#include "perfdata/session.h"
#include "progress.h"

/* Makes the list of inputs with input_list_make. Without FILE the input is stdin if it has data; otherwise the command
 * line is wrong. False after a message. */
bool inputs_find(struct options *options);

struct input {
	const char *file;                  /* as the user named the recording; "-" is stdin */
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
/* Returns the source of the bytes: the file, its copy (kept_inputs.h), or stdin for "-". For perfdata_input_free; NULL
 * without memory. */
struct perfdata_input *input_source(const struct options *options, const char *file);
/* The first half of input_open: sets up *input and the reader options *ret, for callers that let a function of the
 * library open the reader. Until the caller sets input->reader, it may only call input_close. */
void input_prepare(struct input *input, const struct options *options, const char *file,
		   enum perfdata_record_order order, unsigned flags, struct perfdata_reader_options *ret);
/* Opens the recording. False after a failure, which is already reported: input->reader is NULL, input->code is set. */
bool input_open(struct input *input, const struct options *options, const char *file, enum perfdata_record_order order,
		unsigned flags);
/* Joins the status of an operation into input->code, and reports a failure. reterr may be NULL. */
/* Whether reading an input failed after records of it had been delivered; a finding says so. */
bool input_is_cut(const struct perfdata_reader *reader, enum perfdata_status status);
void input_ended(struct input *input, enum perfdata_status status, const struct perfdata_error *reterr);
/* To be called when reading has ended: counts the findings, and joins EXIT_DAMAGED into input->code if there are errors
 * (with --strict: or warnings). */
void input_judge(struct input *input, const struct options *options);
/* Prints the remaining messages, closes the reader and returns the exit code of this input. */
enum exit_code input_close(struct input *input, const struct options *options);

/* Closes an input that was opened with INPUT_HOLD and is read again later. Drops the findings and returns EXIT_FINE for
 * a damaged input, since the later pass reports both; other failures are reported here. */
enum exit_code input_close_quietly(struct input *input);
/* To be called before an input is opened again: seeks to the begin of stdin if `file` is "-". */
void input_rewind(const char *file);

/* Opens a session with `options` and calls `work` (may be NULL) with each of its batches. Reports failures. Returns the
 * session, whose tables and summary the caller may read before closing it; NULL if the session could not be opened. */
struct perfdata_session *input_walk(struct input *input, const struct perfdata_session_options *options,
				    void (*work)(void *user, const struct perfdata_batch *batch), void *user);

#endif
