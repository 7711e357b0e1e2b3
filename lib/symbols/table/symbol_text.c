/* SPDX-License-Identifier: MIT */
/* Reads symbols from texts: kallsyms ("ADDRESS TYPE NAME[\t[MODULE]]") and perf maps ("START SIZE NAME"). Names stay in
 * the text, which is kept. */
#include "config.h"
#include <string.h>
#include "base/cursor.h"
#include "base/digit.h"
#include "base/fdio.h"
#include "symbols/symbols.h"

#define KALLSYMS_LINE 44   /* bytes of a typical line */
#define MAX_TEXT ((size_t)1 << 30)

/* Eight digits at a time. */
static uint64_t load_digits(const char *at)
{
	return pd_load64((const uint8_t *)at, pd_order_is_foreign(PERFDATA_BYTE_ORDER_BIG));
}

/* Parses eight lower-case digits, which follow those of *ret; false: another character is among them. */
static inline bool eight_digits(uint64_t word, uint64_t *ret)
{
	const uint64_t ones = UINT64_C(0x0101010101010101);
	const uint64_t letters = word >> 6 & ones;
	uint64_t value = (word & 0x0f * ones) + 9 * letters;
	/* digits are 0x30 to 0x39, letters 0x61 to 0x66, with values below 10 and from 10 to 15 */
	if ((word & 0xf0 * ones) != 0x30 * (ones + letters) || ((value + 6 * ones) >> 4 & ones) != letters ||
	    value & 0x10 * ones)
		return false;
	value = (value | value >> 4) & UINT64_C(0x00ff00ff00ff00ff);
	value = (value | value >> 8) & UINT64_C(0x0000ffff0000ffff);
	*ret = *ret << 32 | ((value | value >> 16) & UINT32_MAX);
	return true;
}

/* Parses a hexadecimal number at *at; false: there is none, or it has more than 64 bits. */
static bool take_hex(char **at, const char *end, uint64_t *ret)
{
	uint64_t value = 0;
	char *p = *at;
	/* the usual case: sixteen digits */
	if (end - p > 16 && p[16] == ' ' && eight_digits(load_digits(p), &value) &&
	    eight_digits(load_digits(p + 8), &value)) {
		*at = p + 16;
		*ret = value;
		return true;
	}
	value = 0;
	for (; p - *at < 17; p++) {
		const unsigned digit = pd_digit_of(*p);
		if (digit == PD_NO_DIGIT)
			break;
		value = value << 4 | digit;
	}
	if (p == *at || p - *at > 16)
		return false;
	*at = p;
	*ret = value;
	return true;
}

/* Ends the line at *at with a NUL and moves to the next line; returns NULL after the last. */
static char *next_line(char **at, char *end)
{
	if (*at >= end)
		return NULL;
	char *line = *at, *stop = memchr(line, '\n', (size_t)(end - line));
	if (!stop)
		stop = end;
	*at = stop + 1;
	*stop = '\0';
	return line;
}

/* As take_hex, faster for the addresses of a kernel, which have the same first eight digits: *high. */
struct high_digits { uint64_t word, value; };
static inline bool take_address(char **at, const char *end, struct high_digits *high, uint64_t *ret)
{
	char *p = *at;
	if (end - p <= 16 || p[16] != ' ')
		return take_hex(at, end, ret);
	const uint64_t word = load_digits(p);
	uint64_t value = 0;
	if (word != high->word && eight_digits(word, &value))
		*high = (struct high_digits){ word, value };
	value = high->value;
	if (word != high->word || !eight_digits(load_digits(p + 8), &value))
		return take_hex(at, end, ret);
	*at = p + 16;
	*ret = value;
	return true;
}

/* perf takes code, initialised and uninitialised data; it ignores constants, absolute values and mapping symbols. */
static bool is_kallsyms_type(char type)
{
	switch (type) {
	case 'T': case 't': case 'W': case 'w': case 'D': case 'd': case 'B': case 'b': return true;
	default: return false;
	}
}

static enum perfdata_symbol_binding kallsyms_binding(char type)
{
	if (type == 'W')
		return PERFDATA_BIND_WEAK;
	return type >= 'A' && type <= 'Z' ? PERFDATA_BIND_GLOBAL : PERFDATA_BIND_LOCAL;
}

/* Ends "NAME\t[MODULE]" after NAME and returns the module, or NULL. Returns `last` if it is the same module. */
static const char *split_module(char *name, const char *last)
{
	char *bracket = strchr(name, '[');
	if (!bracket || bracket == name)
		return NULL;
	char *end = bracket;
	while (end > name && (end[-1] == '\t' || end[-1] == ' '))
		end--;
	if (end == bracket)
		return NULL;
	*end = '\0';
	char *close = strchr(++bracket, ']');
	if (close)
		*close = '\0';
	return last && !strcmp(last, bracket) ? last : bracket;
}

static void limit_name(char *name)
{
	if (strnlen(name, PD_SYMBOL_NAME_LIMIT) == PD_SYMBOL_NAME_LIMIT)
		name[PD_SYMBOL_NAME_LIMIT - 1] = '\0';
}

/* Reads the text, which the table keeps. Its lines are from *ret to *ret_end. */
static enum perfdata_status read_text(struct pd_symbol_table *table, int fd, char **ret, char **ret_end,
				      struct pd_odd_lines *ret_odd)
{
	char *text;
	size_t size;
	*ret_odd = (struct pd_odd_lines){ 0 };
	const enum perfdata_status status = pd_read_within(table->work, fd, MAX_TEXT, &text, &size);
	if (status)
		return status;
	if (table->work)
		pd_work_add_bytes(table->work, size);
	table->strings[PD_STRINGS_TEXT] = (struct pd_strings){ .bytes = text, .size = size + 1, .room = size + 1 };
	*ret = text;
	*ret_end = text + size;
	return PERFDATA_OK;
}

/* Call it for each line: checks for cancellation from time to time. */
static enum perfdata_status check_cancel(struct pd_symbol_table *table, struct pd_meter *meter)
{
	return table->work ? pd_meter_count(meter, 1) : PERFDATA_OK;
}

static bool has_text(const char *text) { return text[strspn(text, " \t\v\f\r")]; }

/* Copies a line in printable form: control characters become digits, since the text is not trusted. */
static void show_line(char shown[PD_ODD_LINE], const char *line)
{
	static const char digits[] = "0123456789abcdef";
	size_t used = 0;
	for (; *line && used < PD_ODD_LINE - 8; line++) {
		const unsigned char c = (unsigned char)*line;
		if (c >= ' ' && c < 0x7f) {
			shown[used++] = *line;
			continue;
		}
		memcpy(shown + used, (char[]){ '\\', 'x', digits[c >> 4], digits[c & 15] }, 4);
		used += 4;
	}
	memcpy(shown + used, *line ? "..." : "", *line ? 4 : 1);
}

static void note_odd_line(struct pd_odd_lines *odd, uint64_t number, const char *line)
{
	if (odd->count++)
		return;
	odd->first = number;
	show_line(odd->text, line);
}

static void note_start_of_text(char *line, char *end, uint64_t ret[2])
{
	uint64_t address;
	*end = '\0';
	if (!take_hex(&line, end, &address) || line[0] != ' ' || !line[1] || line[2] != ' ' ||
	    !is_kallsyms_type(line[1]))
		return;
	const unsigned other = !strcmp(line + 3, "_stext");
	if ((other || !strcmp(line + 3, "_text")) && !ret[other])
		ret[other] = address;
}

enum perfdata_status pd_kallsyms_text_start(int fd, const struct perfdata_cancel *cancel, uint64_t ret[2])
{
	char piece[16 << 10];
	size_t used = 0;
	int64_t got = 1;
	ret[0] = ret[1] = 0;
	while ((!ret[0] || !ret[1]) && used + 1 < sizeof piece &&
	       (got = pd_read_some(fd, piece + used, sizeof piece - 1 - used, cancel)) > 0) {
		char *at = piece, *stop, *const end = piece + used + got;
		for (; (stop = memchr(at, '\n', (size_t)(end - at))); at = stop + 1)
			note_start_of_text(at, stop, ret);
		used = (size_t)(end - at);
		memmove(piece, at, used);
	}
	return got < 0 ? PERFDATA_EREAD : PERFDATA_OK;
}

enum perfdata_status pd_kallsyms_load(struct pd_symbol_table *table, int fd, struct pd_odd_lines *ret_odd)
{
	char *line, *text, *end;
	enum perfdata_status status = read_text(table, fd, &text, &end, ret_odd);
	if (status)
		return status;
	char *at = text, *bracket = text;   /* bracket: the next '[' of the text, since most symbols have no module */
	struct high_digits high = { load_digits("00000000"), 0 };
	pd_symtab_reserve(table, (size_t)(end - at) / KALLSYMS_LINE);
	const char *module = NULL;
	bool hidden = false;
	struct pd_meter meter = pd_meter(table->work);
	for (uint64_t number = 1; (line = next_line(&at, end)); number++) {
		const char *whole = line;
		uint64_t address;
		status = check_cancel(table, &meter);
		if (status)
			return status;
		if (!take_address(&line, end, &high, &address) || line[0] != ' ' || !line[1] || line[2] != ' ') {
			if (has_text(whole))
				note_odd_line(ret_odd, number, whole);
			continue;
		}
		char type = line[1], *name = line + 3;
		if (!*name || *name == '$' || !is_kallsyms_type(type))
			continue;
		if (!address) {
			hidden = true;
			continue;
		}
		if (bracket < name && !(bracket = memchr(name, '[', (size_t)(end - name))))
			bracket = end;
		const char *in_module = bracket < at ? split_module(name, module) : NULL;
		if ((size_t)(at - name) > PD_SYMBOL_NAME_LIMIT)
			limit_name(name);
		if (pd_symtab_add(table, address, 0, PD_STRINGS_TEXT, (uint32_t)(name - text), kallsyms_binding(type)))
			return pd_symtab_status(table);
		table->items[table->count - 1].module = in_module ? (uint32_t)(in_module - text) : 0;
		module = in_module ? in_module : module;
	}
	if (!table->count)
		return hidden ? PERFDATA_ABSENT : PERFDATA_EFORMAT;
	return pd_symtab_finish(table, PD_FIX_KALLSYMS) ? pd_symtab_status(table) : PERFDATA_OK;
}

/* --- perf maps ---------------------------------------------------------------------------------------------------- */

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
static enum number take_number(char **at, char *end, uint64_t *ret)
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
	if (digits && !take_hex(&p, end, ret))
		return TOO_LARGE;
	*at = p;
	return digits || zero ? NUMBER : NO_NUMBER;
}


/* Splits "START SIZE NAME", or "START NAME" for code of unknown size. A name may contain any character but a
 * newline. */
static char *split_entry(char *line, char *end, uint64_t *ret_start, uint64_t *ret_size)
{
	if (take_number(&line, end, ret_start) != NUMBER || !word_ends(line++))
		return NULL;
	char *after = line;
	const enum number size = take_number(&after, end, ret_size);
	if (size == TOO_LARGE)
		return NULL;
	if (size == NUMBER && (!*after || word_ends(after)))
		return *after && has_text(after + 1) ? after + 1 : NULL;
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
	char *line, *text, *end;
	enum perfdata_status status = read_text(table, fd, &text, &end, ret_odd);
	if (status)
		return status;
	char *at = text;
	struct pd_meter meter = pd_meter(table->work);
	for (uint64_t number = 1; (line = next_line(&at, end)); number++) {
		uint64_t start, length;
		status = check_cancel(table, &meter);
		if (status)
			return status;
		size_t length_of_line = strlen(line);
		while (length_of_line && line[length_of_line - 1] == '\r')
			line[--length_of_line] = '\0';
		if (!has_text(line))
			continue;
		char *name = split_entry(line, end, &start, &length);
		if (!name) {
			note_odd_line(ret_odd, number, line);
			continue;
		}
		limit_name(name);
		if (pd_symtab_add(table, start, length, PD_STRINGS_TEXT, (uint32_t)(name - text), PERFDATA_BIND_GLOBAL))
			return pd_symtab_status(table);
	}
	if (sort_entries(table))
		return pd_symtab_status(table);
	return table->count ? PERFDATA_OK : PERFDATA_EFORMAT;
}
