/* SPDX-License-Identifier: MIT */
/* perf's rules for command lines: short options in one word, with a value after them or in the next word; long options
 * by any unique prefix; --no-NAME and, for an option "no-NAME", --NAME; `--`; `-h`. */
#include "config.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "grow.h"
#include "perf/perf_options.h"
#include "print.h"

void perf_say(const char *format, ...)
{
	va_list args;
	char text[2048];
	va_start(args, format);
	const int size = vsnprintf(text, sizeof text - 1, format, args);
	va_end(args);
	size_t end = size < 0 ? 0 : (size_t)size < sizeof text - 2 ? (size_t)size : sizeof text - 2;
	text[end++] = '\n';
	print_words(text, end);
}

void perf_print(const char *format, ...)
{
	va_list args;
	char text[512];
	va_start(args, format);
	const int size = vsnprintf(text, sizeof text, format, args);
	va_end(args);
	if (size > 0)
		print_answer(text, (size_t)size < sizeof text ? (size_t)size : sizeof text - 1);
}

/* --- usage -------------------------------------------------------------------------------------------------------- */

static void usage_row(const struct perf_option *option, struct perfdata_text *out)
{
	static const char *const values[] = { "", " <value>", " <n>", "[=<value>]" };
	perfdata_text_literal(out, "    ");
	if (option->short_name)
		perfdata_text_printf(out, "-%c, ", option->short_name);
	else
		perfdata_text_literal(out, "    ");
	perfdata_text_printf(out, "--%s%s\n", option->name, values[option->takes]);
	if (option->fate == PERF_IGNORED)
		perfdata_text_printf(out, "                          accepted: %s\n", option->what);
	else if (option->fate == PERF_REFUSED)
		perfdata_text_printf(out, "                          refused: %s\n", option->what);
}

int perf_usage(const struct perf_command *command, bool on_stdout)
{
	struct perfdata_text out;
	perfdata_text_init(&out);
	perfdata_text_printf(&out, "\n Usage: perf %s [<options>]\n\n", command->name);
	for (const struct perf_option *option = command->options; option->name; option++)
		usage_row(option, &out);
	perfdata_text_char(&out, '\n');
	if (!perfdata_text_failed(&out))
		(on_stdout ? print_answer : print_words)(out.data, out.size);
	perfdata_text_release(&out);
	return PERF_USAGE_CODE;
}

/* --- parsing ------------------------------------------------------------------------------------------------------ */

static int no_memory(void)
{
	perf_say("%s", perfdata_status_text(PERFDATA_ENOMEM));
	return PERF_FAILED_CODE;
}

static int give_value(struct perf_line *line, const struct perf_option *option, const char *text, bool no)
{
	if (!grow_list(&line->given, &line->room, line->nr, sizeof *line->given))
		return no_memory();
	line->given[line->nr++] = (struct perf_given){ option, text, no };
	return 0;
}

/* Prints "switch `i'" or "option `input'", as perf's messages do. */
static int print_complaint(const struct perf_line *line, const struct perf_option *option, bool is_short,
			   const char *what)
{
	if (is_short)
		perf_say(" Error: switch `%c' %s", option->short_name, what);
	else
		perf_say(" Error: option `%s' %s", option->name, what);
	return perf_usage(line->command, false);
}

/* Applies the option with its value; `text` is the value in the same word, or NULL. Moves *at to the last word that was
 * used. */
static int take_option(struct perf_line *line, const struct perf_option *option, bool no, const char *text,
		       bool is_short, char **argv, int *at)
{
	if (no && text)
		return print_complaint(line, option, is_short, "takes no value");
	if (no)
		return give_value(line, option, NULL, true);
	if (option->takes == PERF_FLAG && text)
		return print_complaint(line, option, is_short, "takes no value");
	if (option->takes == PERF_FLAG || (option->takes == PERF_MAYBE && !text))
		return give_value(line, option, NULL, false);
	if (!text && !argv[*at + 1])
		return print_complaint(line, option, is_short, "requires a value");
	if (!text)
		text = argv[++*at];
	if (option->takes == PERF_NUMBER) {
		char *end;
		(void)strtoul(text, &end, 10);
		if (!*text || *end)
			return print_complaint(line, option, is_short, "expects a numerical value");
	}
	return give_value(line, option, text, false);
}

static int take_short(struct perf_line *line, const char *letters, char **argv, int *at)
{
	while (*letters) {
		const struct perf_option *option = line->command->options;
		while (option->name && option->short_name != *letters)
			option++;
		if (*letters == 'h' && !option->name)
			return perf_usage(line->command, false);
		if (!option->name) {
			perf_say("  Error: unknown switch `%c'", *letters);
			return perf_usage(line->command, false);
		}
		letters++;
		const bool takes_text = option->takes == PERF_TEXT || option->takes == PERF_NUMBER;
		const int code = take_option(line, option, false, takes_text && *letters ? letters : NULL, true, argv,
					     at);
		if (code || takes_text)
			return code;
	}
	return 0;
}

/* The option for a long name, and whether the name negates it. */
struct found { const struct perf_option *option; bool no; };

static bool name_is(const char *name, const char *word, size_t size, bool whole)
{
	return !strncmp(name, word, size) && (!whole || !name[size]);
}

/* Whether the word is a prefix of the option's name in one of its forms: NAME, no-NAME, or NAME of "no-NAME". `n`, `no`
 * and `no-` are prefixes of every no-NAME. */
static bool word_means(const struct perf_option *option, const char *word, size_t size, bool whole, struct found *ret)
{
	const bool is_no = !strncmp(option->name, "no-", 3);
	*ret = (struct found){ option, false };
	if (name_is(option->name, word, size, whole))
		return true;
	ret->no = true;
	if (is_no && name_is(option->name + 3, word, size, whole))
		return true;
	if (size > 3 && !strncmp(word, "no-", 3))
		return name_is(option->name, word + 3, size - 3, whole);
	return !whole && name_is("no-", word, size, false);
}

/* Prints the words with which a shell completes a command line. */
static int list_words(const struct perf_command *command, const char *word)
{
	if (!strcmp(word, "list-opts"))
		for (const struct perf_option *option = command->options; option->name; option++)
			perf_print("--%s ", option->name);
	else if (!strcmp(command->name, "script"))
		perf_print("record report ");
	perf_print("\n");
	return PERF_LISTED_CODE;
}

static int take_long(struct perf_line *line, const char *word, char **argv, int *at)
{
	const size_t size = strcspn(word, "=");
	const char *text = word[size] ? word + size + 1 : NULL;
	struct found found = { 0 }, other = { 0 }, maybe;
	bool exact = false;
	if (!strcmp(word, "help")) {
		perf_usage(line->command, true);
		return -1;
	}
	if (!strcmp(word, "list-opts") || !strcmp(word, "list-cmds"))
		return list_words(line->command, word);
	for (const struct perf_option *option = line->command->options; option->name && !exact; option++) {
		if (word_means(option, word, size, true, &maybe)) {
			found = maybe;
			exact = true;
		} else if (word_means(option, word, size, false, &maybe)) {
			other = found;
			found = maybe;
		}
	}
	if (!exact && other.option) {
		perf_say(" Error: Ambiguous option: %.*s (could be --%s%s or --%s%s)", (int)size, word,
			 other.no ? "no-" : "", other.option->name, found.no ? "no-" : "", found.option->name);
		return perf_usage(line->command, false);
	}
	if (!found.option) {
		perf_say("  Error: unknown option `%s'", word);
		return perf_usage(line->command, false);
	}
	return take_option(line, found.option, found.no, text, false, argv, at);
}

int perf_line_parse(struct perf_line *line, const struct perf_command *command, int argc, char **argv)
{
	*line = (struct perf_line){ .command = command, .words = calloc((size_t)argc + 1, sizeof *line->words) };
	if (!line->words)
		return no_memory();
	bool only_words = false;
	for (int at = 0; at < argc; at++) {
		char *word = argv[at];
		int code = 0;
		if (only_words || word[0] != '-' || !word[1]) {
			line->words[line->nr_words++] = word;
			only_words |= command->stops_at_words;
		} else if (!strcmp(word, "--")) {
			only_words = true;
		} else if (word[1] == '-') {
			code = take_long(line, word + 2, argv, &at);
		} else {
			code = take_short(line, word + 1, argv, &at);
		}
		if (code)
			return code;
	}
	return 0;
}

void perf_line_release(struct perf_line *line)
{
	free(line->given);
	free(line->words);
}

/* --- asking ------------------------------------------------------------------------------------------------------- */

const struct perf_given *perf_line_find(const struct perf_line *line, const char *name)
{
	for (size_t i = line->nr; i-- > 0;)
		if (!strcmp(line->given[i].option->name, name))
			return &line->given[i];
	return NULL;
}

bool perf_line_has(const struct perf_line *line, const char *name)
{
	const struct perf_given *given = perf_line_find(line, name);
	return given && !given->no;
}

const char *perf_line_text(const struct perf_line *line, const char *name)
{
	const struct perf_given *given = perf_line_find(line, name);
	return given ? given->text : NULL;
}

const struct perf_given *perf_line_refused(const struct perf_line *line)
{
	for (size_t i = 0; i < line->nr; i++) {
		const struct perf_given *given = &line->given[i];
		if (given->option->fate == PERF_REFUSED && perf_line_find(line, given->option->name) == given &&
		    !given->no)
			return given;
	}
	return NULL;
}
