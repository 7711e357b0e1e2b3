/* SPDX-License-Identifier: MIT */
/* The lock of stderr (flockfile) guards on_screen, like messages. */
#include "config.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>
#include "print.h"
#include "progress.h"

#define SECOND 1000000000ull
#define FIRST SECOND           /* ns of reading before the first line */
#define EVERY (SECOND / 5)
#define MEGABYTE 1000000u
#define MEBIBYTE (1u << 20)
#define COLUMNS 80             /* width of a terminal that reports none */

/* length of the line on the terminal in bytes; at least its columns */
static size_t on_screen;

static uint64_t clock_now(void)
{
	struct timespec time;
	clock_gettime(CLOCK_MONOTONIC, &time);
	return (uint64_t)time.tv_sec * SECOND + (uint64_t)time.tv_nsec;
}

bool progress_begin(struct progress *progress, const char *when, const struct message_style *style, const char *file)
{
	*progress = (struct progress){ 0 };
	const bool terminal = isatty(STDERR_FILENO);
	const bool always = when && !strcmp(when, "always");
	const bool never = when && !strcmp(when, "never");
	/* JSON is for programs, so it needs --progress always */
	if (never || (!always && (!terminal || style->quiet || style->json)))
		return false;
	*progress = (struct progress){
		.file = file, .json = style->json, .terminal = terminal && !style->json, .always = always,
		.next = clock_now() + FIRST, .total = UINT64_MAX,
	};
	return true;
}

/* The percentage, at most 100: damage makes both numbers inexact. */
static unsigned percent_done(const struct progress *progress)
{
	if (progress->bytes >= progress->total)
		return 100;
	return (unsigned)((double)progress->bytes / (double)progress->total * 100);
}

static void spell_json(struct perfdata_text *out, const struct progress *progress)
{
	perfdata_text_literal(out, "{\"level\":\"progress\",\"file\":");
	perfdata_text_json_string(out, progress->file, strlen(progress->file));
	perfdata_text_printf(out, ",\"bytes\":%" PRIu64, progress->bytes);
	if (progress->total != UINT64_MAX)
		perfdata_text_printf(out, ",\"total\":%" PRIu64 ",\"percent\":%u", progress->total,
				     percent_done(progress));
	if (progress->memory)
		perfdata_text_printf(out, ",\"memory\":%" PRIu64, perfdata_memory_used(progress->memory, NULL));
	perfdata_text_char(out, '}');
}

static void spell_numbers(struct perfdata_text *out, const struct progress *progress)
{
	const int decimals = progress->total < 100 * MEGABYTE ? 1 : 0;
	perfdata_text_printf(out, ": %.*f MB", decimals, (double)progress->bytes / MEGABYTE);
	if (progress->total != UINT64_MAX)
		perfdata_text_printf(out, " of %.*f MB, %u %%", decimals, (double)progress->total / MEGABYTE,
				     percent_done(progress));
	else
		perfdata_text_literal(out, " read");
	const uint64_t held = progress->memory ? perfdata_memory_used(progress->memory, NULL) : 0;
	if (held)
		perfdata_text_printf(out, ", %" PRIu64 " MiB held", (held + MEBIBYTE - 1) / MEBIBYTE);
}

/* Appends the name of the input, shortened at its start to `room` bytes: a line that wraps cannot be overwritten. */
static void spell_name(struct perfdata_text *out, const struct progress *progress, size_t room)
{
	struct perfdata_text name;
	perfdata_text_init(&name);
	perfdata_text_printable(&name, progress->file, strlen(progress->file));
	const char *at = name.data;
	size_t size = name.size;
	if (size > room) {
		perfdata_text_literal(out, "...");
		const size_t cut = size - (room > 3 ? room - 3 : 0);
		at += cut;
		size -= cut;
		for (; size && (*at & 0xc0) == 0x80; at++)   /* moves to the start of a UTF-8 character */
			size--;
	}
	if (perfdata_text_failed(&name))
		out->failed = true;
	else
		perfdata_text_append(out, at, size);
	perfdata_text_release(&name);
}

static size_t screen_columns(void)
{
	struct winsize window;
	return ioctl(STDERR_FILENO, TIOCGWINSZ, &window) == 0 && window.ws_col ? window.ws_col : COLUMNS;
}

static void spell_text(struct perfdata_text *out, const struct progress *progress)
{
	static const char begin[] = "perfdata: ";
	struct perfdata_text numbers;
	perfdata_text_init(&numbers);
	spell_numbers(&numbers, progress);
	const size_t others = sizeof begin - 1 + numbers.size + 1;
	const size_t width = progress->terminal ? screen_columns() : SIZE_MAX;
	perfdata_text_string(out, begin);
	spell_name(out, progress, width > others ? width - others : 0);
	if (perfdata_text_failed(&numbers))
		out->failed = true;
	else
		perfdata_text_append(out, numbers.data, numbers.size);
	perfdata_text_release(&numbers);
}

static void show_progress(const struct progress *progress)
{
	struct perfdata_text line;
	perfdata_text_init(&line);
	(progress->json ? spell_json : spell_text)(&line, progress);
	flockfile(stderr);
	if (progress->terminal) {
		/* blanks cover the rest of a longer line */
		const size_t size = line.size;
		while (line.size < on_screen && !perfdata_text_failed(&line))
			perfdata_text_char(&line, ' ');
		perfdata_text_char(&line, '\r');
		on_screen = size > on_screen ? size : on_screen;
	} else {
		perfdata_text_char(&line, '\n');
	}
	/* not by print_words: the line has control characters on purpose, and the file name is printable */
	if (!perfdata_text_failed(&line) && progress->terminal)
		fwrite(line.data, 1, line.size, stderr);
	else if (!perfdata_text_failed(&line))
		print_words(line.data, line.size);
	funlockfile(stderr);
	perfdata_text_release(&line);
}

void progress_step(void *user, uint64_t bytes, uint64_t total)
{
	struct progress *progress = user;
	progress->begun = true;
	progress->bytes = bytes;
	progress->total = total;
	if (!progress->file)
		return;
	const uint64_t time = clock_now();
	if (time < progress->next)
		return;
	progress->next = time + EVERY;
	show_progress(progress);
}

void progress_end(struct progress *progress)
{
	if (!progress->file)
		return;
	if (progress->always && progress->begun && !progress->terminal)
		show_progress(progress);
	flockfile(stderr);
	progress_hide();
	funlockfile(stderr);
	progress->file = NULL;
}

void progress_hide(void)
{
	if (on_screen)
		fprintf(stderr, "\r%*s\r", (int)on_screen, "");
	on_screen = 0;
}
