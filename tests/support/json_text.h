/* SPDX-License-Identifier: MIT */
/* Is a text one well-formed JSON value? Strict: UTF-8, no control characters in strings, no leading zeros, nothing
 * after the value. */
#ifndef TESTS_JSON_TEXT_H
#define TESTS_JSON_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define JSON_TEXT_DEPTH 64

struct json_text { const uint8_t *at, *end; unsigned depth; };

static inline bool json_text_value(struct json_text *j);

static inline void json_text_space(struct json_text *j)
{
	while (j->at < j->end && (*j->at == ' ' || *j->at == '\n' || *j->at == '\t' || *j->at == '\r'))
		j->at++;
}
static inline bool json_text_take(struct json_text *j, char c)
{
	if (j->at == j->end || *j->at != (uint8_t)c)
		return false;
	j->at++;
	return true;
}
/* Returns the size of the UTF-8 character at `at`; 0: there is no valid one. */
static inline size_t json_text_utf8(const uint8_t *at, const uint8_t *end)
{
	const size_t n = *at < 0x80                  ? 1
			 : *at >= 0xc2 && *at < 0xe0 ? 2
			 : *at >= 0xe0 && *at < 0xf0 ? 3
			 : *at >= 0xf0 && *at < 0xf5 ? 4
						     : 0;
	if (n == 0 || (size_t)(end - at) < n)
		return 0;
	for (size_t i = 1; i < n; i++)
		if ((at[i] & 0xc0) != 0x80)
			return 0;
	if ((*at == 0xe0 && at[1] < 0xa0) || (*at == 0xed && at[1] > 0x9f) || (*at == 0xf0 && at[1] < 0x90) ||
	    (*at == 0xf4 && at[1] > 0x8f))
		return 0;
	return n;
}
static inline bool json_text_string(struct json_text *j)
{
	if (!json_text_take(j, '"'))
		return false;
	while (j->at < j->end) {
		if (*j->at == '"') {
			j->at++;
			return true;
		}
		if (*j->at < 0x20)
			return false;
		if (*j->at == '\\') {
			if (++j->at == j->end)
				return false;
			if (*j->at == 'u') {
				for (unsigned i = 1; i <= 4; i++)
					if (j->end - j->at <= (ptrdiff_t)i || !j->at[i] ||
					    !strchr("0123456789abcdefABCDEF", j->at[i]))
						return false;
				j->at += 5;
			} else if (*j->at && strchr("\"\\/bfnrt", *j->at)) {
				j->at++;
			} else {
				return false;
			}
			continue;
		}
		const size_t n = json_text_utf8(j->at, j->end);
		if (n == 0)
			return false;
		j->at += n;
	}
	return false;
}
static inline size_t json_text_digits(struct json_text *j)
{
	const uint8_t *start = j->at;
	while (j->at < j->end && *j->at >= '0' && *j->at <= '9')
		j->at++;
	return (size_t)(j->at - start);
}
static inline bool json_text_number(struct json_text *j)
{
	json_text_take(j, '-');
	const uint8_t *start = j->at;
	const size_t digits = json_text_digits(j);
	if (digits == 0 || (digits > 1 && *start == '0'))
		return false;
	if (json_text_take(j, '.') && json_text_digits(j) == 0)
		return false;
	if (json_text_take(j, 'e') || json_text_take(j, 'E')) {
		if (!json_text_take(j, '+'))
			json_text_take(j, '-');
		return json_text_digits(j) > 0;
	}
	return true;
}
static inline bool json_text_word(struct json_text *j, const char *word)
{
	const size_t size = strlen(word);
	if ((size_t)(j->end - j->at) < size || memcmp(j->at, word, size) != 0)
		return false;
	j->at += size;
	return true;
}
/* Reads members or elements up to the closing bracket; the position is after the opening one. */
static inline bool json_text_members(struct json_text *j, char close)
{
	json_text_space(j);
	if (json_text_take(j, close))
		return true;
	do {
		json_text_space(j);
		if (close == '}') {
			if (!json_text_string(j))
				return false;
			json_text_space(j);
			if (!json_text_take(j, ':'))
				return false;
		}
		if (!json_text_value(j))
			return false;
	} while (json_text_take(j, ','));
	return json_text_take(j, close);
}
static inline bool json_text_value(struct json_text *j)
{
	json_text_space(j);
	if (j->at == j->end || j->depth == JSON_TEXT_DEPTH)
		return false;
	bool good;
	j->depth++;
	switch (*j->at) {
	case '{': j->at++; good = json_text_members(j, '}'); break;
	case '[': j->at++; good = json_text_members(j, ']'); break;
	case '"': good = json_text_string(j); break;
	case 't': good = json_text_word(j, "true"); break;
	case 'f': good = json_text_word(j, "false"); break;
	case 'n': good = json_text_word(j, "null"); break;
	default: good = json_text_number(j); break;
	}
	j->depth--;
	json_text_space(j);
	return good;
}

static inline bool json_text_is_valid(const void *text, size_t size)
{
	struct json_text j = { .at = text, .end = (const uint8_t *)text + size };
	return size && json_text_value(&j) && j.at == j.end;
}

/* Whether each line is one JSON value, and the last line ends with a newline. */
static inline bool json_text_is_lines(const void *text, size_t size)
{
	const uint8_t *at = text, *end = at + size;
	while (at < end) {
		const uint8_t *newline = memchr(at, '\n', (size_t)(end - at));
		if (!newline || !json_text_is_valid(at, (size_t)(newline - at)))
			return false;
		at = newline + 1;
	}
	return true;
}

#endif
