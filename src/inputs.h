/* SPDX-License-Identifier: MIT */
/* The recordings that a command reads: opening them, and what is to be said about each at its end. */
#ifndef INPUTS_H
#define INPUTS_H

#include "options.h"
#include "perfdata/session.h"
#include "progress.h"

/* What the options name becomes the list of inputs, as input_list_make says. No FILE means stdin, if there is something
 * to read on it; otherwise it is wrong use: false after a message. */
bool inputs_find(struct options *options);

struct input {
	const char *file;                  /* as given; "-" is stdin */
	struct messages messages;
	struct progress progress;
	struct perfdata_reader *reader;    /* NULL if it could not be opened */
	enum exit_code code;               /* of what happened so far */
	struct perfdata_error error;       /* the last failure; status 0: none */
};

enum {
	INPUT_HOLD = 1 << 0,         /* keep messages until input_close */
	INPUT_BYTES_AHEAD = 1 << 1,    /* a processor has time to read bytes */
	INPUT_PAYLOADS = 1 << 3,       /* give payloads of AUXTRACE records too */
	INPUT_RECORDS_AHEAD = 1 << 2,  /* … to find and order records */
};
/* What a recording is read from: the FILE, or stdin. NULL without memory. */
struct perfdata_input *input_source(const char *file);
/* What input_open does before it opens the recording, for callers that let another function open the reader with these
 * options. They call nothing but input_close until input->reader is set. */
void input_prepare(struct input *input, const struct options *options, const char *file,
		   enum perfdata_record_order order, unsigned flags, struct perfdata_reader_options *ret);
/* After a failure (said already) reader is NULL and code says why. */
bool input_open(struct input *input, const struct options *options, const char *file, enum perfdata_record_order order,
		unsigned flags);
/* Notes how an operation ended; says why if it failed. reterr may be NULL. */
void input_ended(struct input *input, enum perfdata_status status, const struct perfdata_error *reterr);
/* To be called when reading is done: counts the findings, and lets them into the exit code. */
void input_judge(struct input *input, const struct options *options);
/* Says what is left to say, and gives the exit code of this input. */
enum exit_code input_close(struct input *input, const struct options *options);

/* Of a recording that is read again, opened with INPUT_HOLD: what was found is said then, and damage is no failure
 * yet. */
enum exit_code input_close_quietly(struct input *input);
/* To be called before an input is opened again: where stdin is a file, goes back to its begin. */
void input_rewind(const char *file);

/* Calls `work` (may be NULL) with every batch of a session that it opens for these needs and filters, and leaves the
 * session open for its tables and summary. NULL if it could not be opened (said already, as is any other failure). */
struct perfdata_session *input_walk(struct input *input, const struct perfdata_session_options *options,
				    void (*work)(void *user, const struct perfdata_batch *batch), void *user);

#endif
