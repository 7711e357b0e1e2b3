/* SPDX-License-Identifier: MIT */
/* convert FORMAT FILE: a recording in another format on stdout, through a callback, without names of addresses. ^C ends
 * it in an orderly way: what was written is finished, and says that it is not complete where the format can.
 *
 *	cc -o convert convert.c $(pkg-config --cflags --libs libperfdata) */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <perfdata/convert.h>

static int write_out(void *user, const void *bytes, size_t size)
{
	return fwrite(bytes, 1, size, (FILE *)user) == size ? 0 : errno;
}

static struct perfdata_cancel *cancel;

static void stop(int signal)
{
	(void)signal;
	perfdata_cancel_now(cancel);
}

int main(int argc, char **argv)
{
	const struct perfdata_output_callbacks callbacks = { .size = sizeof callbacks, .write = write_out };
	if (!(cancel = perfdata_cancel_new()))
		return 1;
	signal(SIGINT, stop);
	const struct perfdata_reader_options reader = { .size = sizeof reader, .cancel = cancel };
	const struct perfdata_convert_options options = { .size = sizeof options, .names = PERFDATA_NO,
							  .reader = &reader };
	struct perfdata_result *result = NULL;
	struct perfdata_error error = { .offset = PERFDATA_NO_OFFSET };
	if (argc != 3) {
		fprintf(stderr, "usage: convert FORMAT FILE\n");
		return 2;
	}
	struct perfdata_input *input = perfdata_input_path(argv[2]);
	struct perfdata_output *output = perfdata_output_callbacks(&callbacks, stdout);
	enum perfdata_status status = PERFDATA_ENOMEM;
	if (input && output)
		status = perfdata_convert(input, output, argv[1], &options, &result, &error);
	const enum perfdata_status closed = perfdata_output_close(output, status == PERFDATA_OK,
								  status == PERFDATA_OK ? &error : NULL);
	if (status == PERFDATA_OK)
		status = closed;
	if (status != PERFDATA_OK)
		fprintf(stderr, "%s: %s\n", argv[2], error.message[0] ? error.message : perfdata_status_text(status));
	perfdata_result_free(result);
	perfdata_input_free(input);
	signal(SIGINT, SIG_DFL);
	perfdata_cancel_free(cancel);
	return status == PERFDATA_OK && fflush(stdout) == 0 ? 0 : 1;
}
