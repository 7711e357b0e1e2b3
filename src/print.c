/* SPDX-License-Identifier: MIT */
#include "config.h"
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "perfdata/output.h"
#include "print.h"

/* A stream, and the output that replaces it on a terminal. */
struct printer {
	bool known, is_terminal;
	struct perfdata_output *output;   /* NULL without memory: nothing is printed */
	bool failed;
};

static void print_bytes(struct printer *printer, FILE *file, const void *bytes, size_t size)
{
	if (!size)
		return;
	flockfile(file);
	if (!printer->known) {
		printer->known = true;
		printer->is_terminal = isatty(fileno(file));
		printer->output = printer->is_terminal ? perfdata_output_fd(fileno(file)) : NULL;
		printer->failed = printer->is_terminal && (!printer->output ||
							   perfdata_output_open(printer->output, NULL) != PERFDATA_OK);
	}
	if (!printer->is_terminal) {
		fwrite(bytes, 1, size, file);
	} else if (!printer->failed) {
		printer->failed = fflush(file) != 0 ||
				  perfdata_output_write(printer->output, bytes, size) != PERFDATA_OK ||
				  perfdata_output_flush(printer->output) != PERFDATA_OK;
	}
	funlockfile(file);
}

static struct printer answers, words;

void print_answer(const void *bytes, size_t size) { print_bytes(&answers, stdout, bytes, size); }
void print_line(const char *text)
{
	print_answer(text, strlen(text));
	print_answer("\n", 1);
}

void print_words(const void *bytes, size_t size) { print_bytes(&words, stderr, bytes, size); }

bool print_finish(void)
{
	const bool flushed = fflush(stdout) == 0 && !ferror(stdout);
	const bool closed = perfdata_output_close(answers.output, true, NULL) == PERFDATA_OK;
	const bool fine = flushed && closed && !answers.failed;
	answers = (struct printer){ 0 };
	return fine;
}
