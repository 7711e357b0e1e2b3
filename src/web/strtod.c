/* SPDX-License-Identifier: MIT */
/* strtod in place of the C library's, which takes 15 KB, most of them arithmetic of long doubles: JavaScript converts
 * decimal numbers as exactly. Hexadecimal numbers are not read. */
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* calls.js: the value of a decimal number. */
double js_number(const char *text, int size);

/* The bytes of a decimal number after its sign; 0: it is none. */
static size_t find_decimal(const char *text)
{
	static const char digits[] = "0123456789";
	const size_t whole = strspn(text, digits);
	const bool has_point = text[whole] == '.';
	const size_t part = has_point ? strspn(text + whole + 1, digits) : 0;
	if (!whole && !part)
		return 0;
	const size_t size = whole + has_point + part;
	if (text[size] != 'e' && text[size] != 'E')
		return size;
	const size_t sign = text[size + 1] == '+' || text[size + 1] == '-';
	const size_t power = strspn(text + size + 1 + sign, digits);
	return power ? size + 1 + sign + power : size;
}

/* The same for the words for infinity and NaN. */
static size_t find_word(const char *text, double *ret)
{
	static const struct {
		const char *word;
		double value;
	} words[] = { { "infinity", HUGE_VAL }, { "inf", HUGE_VAL }, { "nan", NAN } };
	for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
		*ret = words[i].value;
		if (!strncasecmp(text, words[i].word, strlen(words[i].word)))
			return strlen(words[i].word);
	}
	return 0;
}

double strtod(const char *restrict text, char **restrict end)
{
	const char *start = text + strspn(text, " \t\n\v\f\r"), *at = start + (*start == '+' || *start == '-');
	double value = 0;
	size_t size = find_decimal(at);
	if (size) {
		value = js_number(start, (int)(at - start) + (int)size);
	} else {
		size = find_word(at, &value);
		value = !size ? 0 : *start == '-' ? -value : value;
	}
	if (end)
		*end = (char *)(size ? at + size : text);
	return value;
}
