/* SPDX-License-Identifier: MIT */
#include "config.h"
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "input_list.h"
#include "inputs.h"
#include "interrupt.h"
#include "kept_inputs.h"
#include "perfdata/input.h"

bool inputs_find(struct options *options) { return input_list_make(options, false); }

static uint32_t ahead_of(const struct options *options, unsigned flags)
{
	if (options->limit || perfdata_processors() < 2)
		return 0;
	return (flags & INPUT_BYTES_AHEAD ? PERFDATA_AHEAD_BYTES : 0u) |
	       (flags & INPUT_RECORDS_AHEAD ? PERFDATA_AHEAD_RECORDS : 0u);
}

struct perfdata_input *input_source(const struct options *options, const char *file)
{
	const int kept = input_kept(options, file);
	const int fd = kept < 0 && !strcmp(file, "-") ? STDIN_FILENO : kept;
	return fd < 0 ? perfdata_input_path(file) : perfdata_input_fd(fd, file);
}

void input_prepare(struct input *input, const struct options *options, const char *file,
		   enum perfdata_record_order order, unsigned flags, struct perfdata_reader_options *ret)
{
	*input = (struct input){ .file = file };
	messages_init(&input->messages, &options->style, flags & INPUT_HOLD);
	/* inputs that are read in parallel show no progress */
	const bool shown = !(flags & INPUT_HOLD) &&
			   progress_begin(&input->progress, options->progress, &options->style, file);
	input->progress.memory = options->memory;
	*ret = (struct perfdata_reader_options){
		.size = sizeof *ret,
		.order = order,
		.tmpdir = options->tmpdir,
		.max_memory = options->max_memory,
		.memory = options->memory,
		.max_spool = options->max_spool,
		.read_ahead = ahead_of(options, flags),
		.payloads = (flags & INPUT_PAYLOADS) != 0,
		.no_meta = options->no_meta,
		.max_ratio = options->max_ratio > UINT32_MAX ? UINT32_MAX : (uint32_t)options->max_ratio,
		.on_finding = messages_finding,
		.user = &input->messages,
		.cancel = interrupt_cancel(),
		.on_progress = shown ? progress_step : NULL,
		.progress_user = &input->progress,
	};
}

bool input_open(struct input *input, const struct options *options, const char *file, enum perfdata_record_order order,
		unsigned flags)
{
	struct perfdata_reader_options reader_options;
	input_prepare(input, options, file, order, flags, &reader_options);
	struct perfdata_error error = { .offset = PERFDATA_NO_OFFSET };
	struct perfdata_input *source = input_source(options, file);
	const enum perfdata_status status =
		source ? perfdata_reader_open(source, &reader_options, &input->reader, &error) : PERFDATA_ENOMEM;
	perfdata_input_free(source);
	input_ended(input, status, &error);
	return status == PERFDATA_OK;
}

bool input_is_cut(const struct perfdata_reader *reader, enum perfdata_status status)
{
	return status == PERFDATA_EREAD && reader && perfdata_reader_error(reader)->status == PERFDATA_EREAD &&
	       perfdata_reader_finding_count(reader, PERFDATA_FINDING_READ_FAILED);
}

struct perfdata_finding input_failure(const struct input *input)
{
	return (struct perfdata_finding){
		.severity = PERFDATA_SEVERITY_ERROR,
		.file = input->file,
		.offset = input->error.offset,
		.record = UINT64_MAX,
		.message = input->error.message,
	};
}

void input_ended(struct input *input, enum perfdata_status status, const struct perfdata_error *reterr)
{
	/* a finding reported the failure, and the output has the records before it: same as other damage */
	if (input_is_cut(input->reader, status))
		status = PERFDATA_DAMAGED;
	const bool is_of_input = !input->reader || perfdata_reader_error(input->reader)->status == status;
	const enum exit_code code = is_of_input ? exit_code_of_open(status) : exit_code_of_status(status);
	input->code = exit_code_join(input->code, code);
	if (status >= 0)
		return;
	if (reterr && reterr->message[0]) {
		input->error = *reterr;
	} else {
		input->error.offset = PERFDATA_NO_OFFSET;
		snprintf(input->error.message, sizeof input->error.message, "%s", perfdata_status_text(status));
	}
	input->error.status = status;
	struct perf_voice *voice = input->messages.style.perf;
	if (voice) {
		/* perf's message about a list of fields is one sentence */
		char *end = status == PERFDATA_EUSAGE ? strstr(input->error.message, ". ") : NULL;
		if (end)
			end[1] = '\0';
		voice->failed = status;
	}
	if (voice && !input->reader && status != PERFDATA_ENOMEM && status != PERFDATA_ELIMIT)
		messages_error(&input->messages, NULL, PERFDATA_NO_OFFSET,
			       "incompatible file format (rerun with -v to learn more)");
	else
		messages_error(&input->messages, input->file, input->error.offset, "%s", input->error.message);
}

void input_judge(struct input *input, const struct options *options)
{
	struct messages *messages = &input->messages;
	if (input->reader)
		messages_count(messages, input->reader);
	if (messages->finding_lost) {
		messages->finding_lost = false;
		input_ended(input, PERFDATA_ENOMEM, NULL);
	}
	const bool lost = messages->errors || (input->reader && !perfdata_reader_complete(input->reader));
	if (lost || (options->strict && messages->warnings))
		input->code = exit_code_join(input->code, EXIT_DAMAGED);
}

static void tell_memory(struct input *input, const struct options *options)
{
	uint64_t peak;
	(void)perfdata_memory_used(options->memory, &peak);
	const unsigned long long mib = 1 << 20, limit = max_memory_of(options);
	if (peak)
		messages_detail(&input->messages, input->file,
				"memory that grows with the recording: up to %llu of %llu MiB",
				((unsigned long long)peak + mib - 1) / mib, limit / mib);
}

enum exit_code input_close(struct input *input, const struct options *options)
{
	progress_end(&input->progress);
	input_judge(input, options);
	tell_memory(input, options);
	messages_end(&input->messages, input->file);
	perfdata_reader_close(input->reader);
	messages_release(&input->messages);
	return input->code;
}

enum exit_code input_close_quietly(struct input *input)
{
	const enum exit_code code = input->code;

	messages_print_files(&input->messages);
	if (code == EXIT_FINE || code == EXIT_DAMAGED)
		perfdata_text_clear(&input->messages.held);
	messages_end(&input->messages, input->file);
	perfdata_reader_close(input->reader);
	messages_release(&input->messages);
	return code == EXIT_DAMAGED ? EXIT_FINE : code;
}

void input_rewind(const char *file)
{
	if (!strcmp(file, "-"))
		(void)lseek(STDIN_FILENO, 0, SEEK_SET);
}

struct perfdata_session *input_walk(struct input *input, const struct perfdata_session_options *options,
				    void (*work)(void *user, const struct perfdata_batch *batch), void *user)
{
	struct perfdata_session *session;
	struct perfdata_error error = { .offset = PERFDATA_NO_OFFSET };
	enum perfdata_status status = perfdata_session_open(input->reader, options, &session, &error);
	if (status != PERFDATA_OK) {
		input_ended(input, status, &error);
		return NULL;
	}
	struct perfdata_batch *batch;
	while ((status = perfdata_session_next(session, &batch)) == PERFDATA_OK) {
		perfdata_batch_check(batch, messages_finding, &input->messages);
		if (work)
			work(user, batch);
		perfdata_batch_release(batch);
		if (was_interrupted()) {
			status = PERFDATA_EINTR;
			break;
		}
	}
	progress_end(&input->progress);
	const bool stopped = status == PERFDATA_EINTR;
	(void)perfdata_session_summary(session);
	const struct perfdata_error *found = perfdata_session_error(session);
	input_ended(input, status == PERFDATA_END ? found->status : status, stopped ? NULL : found);
	return session;
}
