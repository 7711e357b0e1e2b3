/* SPDX-License-Identifier: MIT */
/* Reads the symbols of perf maps: texts of lines "START SIZE NAME". Names stay in the text, which is kept. */
#include "config.h"
#include <string.h>
#include "base/digit.h"
#include "symbols/table/symbol_table.h"
#include "symbols/table/symbol_text.h"

/* perf parses numbers as strtoull does, and takes any one character after a number as a separator: "1000h 20h name" and
 * "1000-20-name" are entries. Here a letter of a longer word is no separator: "1000name" is no number, since names
 * without a size that begin with digits would lose these digits. */
static bool is_blank(char c) { return c && strchr(" \t\v\f\r", c); }
static bool is_of_word(char c)
{
	return (c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z') || (unsigned char)c >= 0x80;
}
static bool word_ends(const char *at) { return *at && !(is_of_word(at[0]) && is_of_word(at[1])); }

enum number { NO_NUMBER, NUMBER, TOO_LARGE };

/* Takes a number that may begin with blanks, '+', "0x" and zeros. A negative one is too large, as for strtoull. */
static enum number take_number(char **at, uint64_t *ret)
{
	char *p = *at;
	while (is_blank(*p))
		p++;
	if (p[0] == '-' && pd_digit_of(p[1]) != PD_NO_DIGIT)
		return TOO_LARGE;
	p += *p == '+';
	p += p[0] == '0' && (p[1] == 'x' || p[1] == 'X') && pd_digit_of(p[2]) != PD_NO_DIGIT ? 2 : 0;
	const bool zero = *p == '0';
	while (*p == '0')
		p++;
	*ret = 0;
	const bool digits = pd_digit_of(*p) != PD_NO_DIGIT;
	if (digits && !pd_take_hex(&p, ret))
		return TOO_LARGE;
	*at = p;
	return digits || zero ? NUMBER : NO_NUMBER;
}

/* Splits "START SIZE NAME", or "START NAME" for code of unknown size. A name may contain any character but a
 * newline. */
static char *split_entry(char *line, uint64_t *ret_start, uint64_t *ret_size)
{
	if (take_number(&line, ret_start) != NUMBER || !word_ends(line++))
		return NULL;
	char *after = line;
	const enum number size = take_number(&after, ret_size);
	if (size == TOO_LARGE)
		return NULL;
	if (size == NUMBER && (!*after || word_ends(after)))
		return *after && pd_has_text(after + 1) ? after + 1 : NULL;
	*ret_size = 0;
	line += strspn(line, " \t\v\f\r");
	return *line ? line : NULL;
}

/* Keeps all overlapping entries: pd_overlaps_make needs their order in the file. */
static int sort_entries(struct pd_symbol_table *table)
{
	for (size_t i = 0; i < table->count; i++)
		table->items[i].outer = (uint32_t)i;
	return pd_symtab_sort(table) ? -1 : pd_overlaps_make(table);
}

enum perfdata_status pd_perfmap_load(struct pd_symbol_table *table, int fd, struct pd_odd_lines *ret_odd)
{
	char *text;
	size_t size;
	*ret_odd = (struct pd_odd_lines){ 0 };
	enum perfdata_status status = pd_symbol_text_read(table->work, fd, &text, &size);
	if (status)
		return status;
	table->strings[PD_STRINGS_TEXT] = (struct pd_strings){
		.bytes = text, .size = size + 1, .room = pd_symbol_text_room(size),
	};
	char *at = text, *const end = text + size;
	struct pd_meter meter = pd_meter(table->work);
	for (uint64_t number = 1; at < end; number++) {
		char *const line = at;
		uint64_t start, length;
		at = pd_end_line(line, end) + 1;
		status = pd_symbol_text_step(&meter);
		if (status)
			return status;
		size_t length_of_line = strlen(line);
		while (length_of_line && line[length_of_line - 1] == '\r')
			line[--length_of_line] = '\0';
		if (!pd_has_text(line))
			continue;
		char *name = split_entry(line, &start, &length);
		if (!name) {
			pd_note_odd_line(ret_odd, number, line);
			continue;
		}
		pd_limit_name(name);
		if (pd_symtab_add(table, start, length, PD_STRINGS_TEXT, (uint32_t)(name - text), PERFDATA_BIND_GLOBAL))
			return pd_symtab_status(table);
	}
	if (sort_entries(table))
		return pd_symtab_status(table);
	return table->count ? PERFDATA_OK : PERFDATA_EFORMAT;
}
