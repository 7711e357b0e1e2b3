/* SPDX-License-Identifier: MIT */
#include "config.h"
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include "perfdata/registry.h"
#include "terminal.h"

enum { COLUMNS = 80, COLUMNS_OF_PIPES = 100 };
#define ROWS "40"

static pid_t pager;
static char width[24];   /* value of the option `width`, borrowed by struct options */

static uint64_t screen_columns(void)
{
	struct winsize size;
	const char *said = getenv("COLUMNS");
	const uint64_t number = said ? strtoull(said, NULL, 10) : 0;
	if (number)
		return number;
	return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col ? size.ws_col : COLUMNS;
}

size_t terminal_columns(void) { return isatty(STDOUT_FILENO) ? (size_t)screen_columns() : COLUMNS_OF_PIPES; }

/* Starts the pager on stdout. LESS=FRX lets less end at once if the output fits on the screen. */
static void start_pager(void)
{
	const char *program = getenv("PERFDATA_PAGER") ? getenv("PERFDATA_PAGER") : getenv("PAGER");
	const char *kind = getenv("TERM");
	int ends[2];
	if (!program)
		program = "less";
	if (!*program || !strcmp(program, "cat") || !kind || !strcmp(kind, "dumb") || pipe(ends) != 0)
		return;
	pager = fork();
	if (pager == 0) {
		dup2(ends[0], STDIN_FILENO);
		close(ends[0]);
		close(ends[1]);
		setenv("LESS", "FRX", 0);
		signal(SIGXFSZ, SIG_DFL);
		execlp("/bin/sh", "sh", "-c", program, (char *)NULL);
		_exit(127);
	}
	close(ends[0]);
	if (pager > 0)
		dup2(ends[1], STDOUT_FILENO);
	close(ends[1]);
}

static bool has_option(const struct options *options, const char *name)
{
	return options->emitter && perfdata_emitter_option_named(options->emitter, name);
}

static bool was_given(const struct options *options, const char *name, const char *text)
{
	for (size_t i = 0; i < options->nr_values; i++)
		if (!strcmp(options->values[i].option->name, name))
			return !text || (options->values[i].text && !strcmp(options->values[i].text, text));
	return false;
}

bool terminal_prepare(struct options *options)
{
	const bool watched = (!options->output || !strcmp(options->output, "-")) && isatty(STDOUT_FILENO);
	/* emitters of text for terminals have both options */
	if (!watched || !has_option(options, "width") || !has_option(options, "color"))
		return true;
	/* JSON and CSV have no colors; without a pager the output escapes their strings, since it is the terminal */
	const bool is_text = !was_given(options, "json", NULL) && !was_given(options, "csv", NULL);
	const char *off = getenv("NO_COLOR");
	const char *color = is_text && !(off && *off) ? "always" : "never";
	snprintf(width, sizeof width, "%" PRIu64, screen_columns());
	if (was_given(options, "color", "auto"))
		for (size_t i = 0; i < options->nr_values; i++)
			if (!strcmp(options->values[i].option->name, "color"))
				options->values[i].text = color;
	if (!options_default(options, "color", color) || (is_text && !options_default(options, "width", width)) ||
	    !options_default(options, "top", is_text ? ROWS : "0"))
		return false;
	if (is_text)
		start_pager();
	return true;
}

void terminal_finish(void)
{
	if (pager <= 0)
		return;
	close(STDOUT_FILENO);
	while (waitpid(pager, NULL, 0) < 0)
		;
}
