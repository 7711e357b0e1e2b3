/* SPDX-License-Identifier: MIT */
/* Input objects, and opening a reader from one of them. */
#include "config.h"
#include <string.h>
#include "base/error.h"
#include "base/memory.h"
#include "base/option_struct.h"
#include "perfdata/input.h"
#include "reader/reader_impl.h"
#include "reader/reader.h"

enum input_kind { INPUT_PATH, INPUT_FD, INPUT_MEMORY, INPUT_CALLBACKS, INPUT_FED };

struct perfdata_input {
	enum input_kind kind;
	char *name;                 /* the path, or the name in findings */
	int fd;
	const void *bytes;
	size_t size;
	struct perfdata_input_callbacks callbacks;
	/* an error in the callbacks or options, reported when a reader is opened */
	struct perfdata_error error;
	void *user;
	char *tmpdir;
	struct pd_feed *feed;       /* for kind FED */
};

static struct perfdata_input *input_new(enum input_kind kind, const char *name)
{
	struct perfdata_input *input = pd_calloc(1, sizeof *input);
	if (!input)
		return NULL;
	input->kind = kind;
	input->name = pd_strndup(name, strlen(name));
	if (input->name)
		return input;
	pd_free(input);
	return NULL;
}

struct perfdata_input *perfdata_input_path(const char *path) { return input_new(INPUT_PATH, path); }

struct perfdata_input *perfdata_input_fd(int fd, const char *name)
{
	struct perfdata_input *input = input_new(INPUT_FD, name ? name : "-");
	if (input)
		input->fd = fd;
	return input;
}

struct perfdata_input *perfdata_input_memory(const void *bytes, size_t size, const char *name)
{
	struct perfdata_input *input = input_new(INPUT_MEMORY, name ? name : "memory");
	if (!input)
		return NULL;
	input->bytes = bytes;
	input->size = size;
	return input;
}

struct perfdata_input *perfdata_input_callbacks(const struct perfdata_input_callbacks *callbacks, void *user,
						const char *name)
{
	struct perfdata_input *input = input_new(INPUT_CALLBACKS, name ? name : "-");
	if (!input)
		return NULL;
	(void)PD_OPTIONS_COPY(&input->callbacks, close, callbacks, &input->error);
	input->user = user;
	return input;
}

struct perfdata_input *perfdata_input_fed(const struct perfdata_feed_options *options, const char *name)
{
	struct perfdata_feed_options own = { 0 };
	struct perfdata_input *input = input_new(INPUT_FED, name ? name : "-");
	if (!input)
		return NULL;
	(void)PD_OPTIONS_COPY(&own, max_spool, options, &input->error);
	input->tmpdir = own.tmpdir ? pd_strndup(own.tmpdir, strlen(own.tmpdir)) : NULL;
	if (!own.tmpdir || input->tmpdir)
		input->feed = pd_feed_new(input->tmpdir, own.max_memory, own.max_spool);
	if (input->feed)
		return input;
	perfdata_input_free(input);
	return NULL;
}

/* Reports wrong options of an input that is fed, or that the input is of another kind. */
static enum perfdata_status check_fed(const struct perfdata_input *input, struct perfdata_error *reterr)
{
	if (input->kind != INPUT_FED)
		return pd_error(reterr, PERFDATA_EUSAGE, PERFDATA_NO_OFFSET, "the input is none that can be fed");
	if (input->error.status != PERFDATA_OK && reterr)
		*reterr = input->error;
	return input->error.status;
}

enum perfdata_status perfdata_feed(struct perfdata_input *input, const void *bytes, size_t size,
				   struct perfdata_error *reterr)
{
	const enum perfdata_status status = check_fed(input, reterr);
	if (status != PERFDATA_OK)
		return status;
	if (pd_feed_has_ended(input->feed))
		return pd_error(reterr, PERFDATA_EUSAGE, PERFDATA_NO_OFFSET, "the end of the input was fed already");
	return pd_feed_add(input->feed, bytes, size, reterr);
}

enum perfdata_status perfdata_feed_end(struct perfdata_input *input, struct perfdata_error *reterr)
{
	const enum perfdata_status status = check_fed(input, reterr);
	return status == PERFDATA_OK ? pd_feed_end(input->feed, reterr) : status;
}

bool pd_input_is_whole(const struct perfdata_input *input)
{
	return input->kind != INPUT_FED || pd_feed_has_ended(input->feed);
}

void perfdata_input_free(struct perfdata_input *input)
{
	if (!input)
		return;
	pd_feed_free(input->feed);
	pd_free(input->tmpdir);
	if (input->kind == INPUT_CALLBACKS && input->callbacks.close)
		input->callbacks.close(input->user);
	pd_free(input->name);
	pd_free(input);
}

enum perfdata_status perfdata_reader_open(const struct perfdata_input *input,
					  const struct perfdata_reader_options *options, struct perfdata_reader **ret,
					  struct perfdata_error *reterr)
{
	if (input->error.status)
		return pd_error(reterr, input->error.status, PERFDATA_NO_OFFSET, "%s", input->error.message);
	if (input->kind == INPUT_PATH)
		return perfdata_reader_open_path(input->name, options, ret, reterr);
	const struct pd_input_calls calls = { input->callbacks.read, input->callbacks.read_at, input->callbacks.length,
					      input->user };
	const struct pd_reader_source source = { .calls = input->kind == INPUT_CALLBACKS ? &calls : NULL,
						 .feed = input->feed,
						 .is_memory = input->kind == INPUT_MEMORY,
						 .bytes = input->bytes,
						 .size = input->size,
						 .fd = input->fd };
	return pd_reader_open_source(&source, input->name, options, ret, reterr);
}
