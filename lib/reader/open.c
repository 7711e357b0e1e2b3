/* SPDX-License-Identifier: MIT */
/* Inputs as objects, and opening a reader from one. */
#include "config.h"
#include <string.h>
#include "base/error.h"
#include "base/memory.h"
#include "base/option_struct.h"
#include "perfdata/input.h"
#include "reader/reader_impl.h"
#include "reader/reader.h"

enum input_kind { INPUT_PATH, INPUT_FD, INPUT_MEMORY, INPUT_CALLBACKS };

struct perfdata_input {
	enum input_kind kind;
	char *name;                 /* the path, or what findings call it */
	int fd;
	const void *bytes;
	size_t size;
	struct perfdata_input_callbacks callbacks;
	struct perfdata_error error;    /* what is wrong with the callbacks; returned when a reader is opened */
	void *user;
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

void perfdata_input_free(struct perfdata_input *input)
{
	if (!input)
		return;
	if (input->kind == INPUT_CALLBACKS && input->callbacks.close)
		input->callbacks.close(input->user);
	pd_free(input->name);
	pd_free(input);
}

enum perfdata_status perfdata_reader_open(const struct perfdata_input *input,
					  const struct perfdata_reader_options *options, struct perfdata_reader **ret,
					  struct perfdata_error *reterr)
{
	switch (input->kind) {
	case INPUT_PATH: return perfdata_reader_open_path(input->name, options, ret, reterr);
	case INPUT_FD: return perfdata_reader_open_fd(input->fd, input->name, options, ret, reterr);
	case INPUT_MEMORY:
		return perfdata_reader_open_memory(input->bytes, input->size, input->name, options, ret, reterr);
	case INPUT_CALLBACKS: break;
	}
	if (input->error.status)
		return pd_error(reterr, input->error.status, PERFDATA_NO_OFFSET, "%s", input->error.message);
	return pd_reader_open_calls(&(struct pd_input_calls){ input->callbacks.read, input->callbacks.read_at,
							      input->callbacks.length, input->user },
				    input->name, options, ret, reterr);
}
