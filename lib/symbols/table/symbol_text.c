/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "base/digit.h"
#include "symbols/symbols.h"
#include "symbols/table/symbol_text.h"

enum perfdata_status pd_symbol_text_read(struct pd_work *work, int fd, char **ret, size_t *ret_size)
{
	const enum perfdata_status status = pd_read_within(work, fd, PD_MOST_SYMBOL_TEXT, ret, ret_size);
	if (!status && work)
		pd_work_add_bytes(work, *ret_size);
	return status;
}

bool pd_take_hex(char **at, uint64_t *ret)
{
	uint64_t value = 0;
	char *p = *at;
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

bool pd_has_text(const char *line) { return line[strspn(line, " \t\v\f\r")]; }

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

void pd_note_odd_line(struct pd_odd_lines *odd, uint64_t number, const char *line)
{
	if (odd->count++)
		return;
	odd->first = number;
	show_line(odd->text, line);
}

void pd_limit_name(char *name)
{
	if (strnlen(name, PD_SYMBOL_NAME_LIMIT) == PD_SYMBOL_NAME_LIMIT)
		name[PD_SYMBOL_NAME_LIMIT - 1] = '\0';
}
