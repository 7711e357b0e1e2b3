/* SPDX-License-Identifier: MIT */
/* A parser of JSON (RFC 8259) that reports failed allocations: json-c's parser drops values without memory, or
 * crashes. */
#include "config.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "json_build.h"
#include "perfdata/text.h"

#define DEEPEST 256

struct parser {
	const char *at, *end;
	struct perfdata_text text;   /* content of the current string */
	bool wrong;
};

static json_object *parse_value(struct parser *p, unsigned depth);

static void skip_space(struct parser *p)
{
	while (p->at < p->end && strchr(" \t\r\n", *p->at) && *p->at)
		p->at++;
}

/* Skips the character if it is next. */
static bool take_char(struct parser *p, char c)
{
	skip_space(p);
	if (p->at == p->end || *p->at != c)
		return false;
	p->at++;
	return true;
}

static bool take_word(struct parser *p, const char *word)
{
	const size_t size = strlen(word);
	if ((size_t)(p->end - p->at) < size || memcmp(p->at, word, size) != 0)
		return false;
	p->at += size;
	return true;
}

/* --- strings ------------------------------------------------------------------------------------------------------ */

static unsigned hex_digits(struct parser *p)
{
	unsigned ret = 0;
	for (unsigned i = 0; i < 4 && !p->wrong; i++) {
		const char c = p->at < p->end ? *p->at++ : 0;
		const bool is_digit = c >= '0' && c <= '9', is_letter = (c | 0x20) >= 'a' && (c | 0x20) <= 'f';
		p->wrong = !is_digit && !is_letter;
		ret = ret << 4 | (unsigned)(is_digit ? c - '0' : (c | 0x20) - 'a' + 10);
	}
	return ret;
}

static void put_utf8(struct perfdata_text *out, uint32_t code)
{
	if (code < 0x80) {
		perfdata_text_char(out, (char)code);
		return;
	}
	const unsigned more = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
	static const uint8_t first[] = { 0, 0xc0, 0xe0, 0xf0 };
	perfdata_text_char(out, (char)(first[more] | code >> 6 * more));
	for (unsigned i = more; i-- > 0;)
		perfdata_text_char(out, (char)(0x80 | (code >> 6 * i & 0x3f)));
}

static void take_code(struct parser *p)
{
	uint32_t code = hex_digits(p);
	if (code >= 0xd800 && code < 0xdc00 && take_word(p, "\\u")) {
		const uint32_t low = hex_digits(p);
		p->wrong |= low < 0xdc00 || low > 0xdfff;
		code = 0x10000 + ((code & 0x3ff) << 10) + (low & 0x3ff);
	} else if (code >= 0xd800 && code < 0xe000) {
		code = 0xfffd;   /* unpaired surrogate */
	}
	put_utf8(&p->text, code);
}

/* Parses a string after its first quote into `text`. */
static void take_string(struct parser *p)
{
	static const char escapes[] = "\"\\/bfnrt", meant[] = "\"\\/\b\f\n\r\t";
	perfdata_text_clear(&p->text);
	while (!p->wrong) {
		const size_t left = (size_t)(p->end - p->at);
		size_t plain = 0;
		while (plain < left && p->at[plain] != '"' && p->at[plain] != '\\')
			plain++;
		perfdata_text_append(&p->text, p->at, plain);
		p->at += plain;
		if (p->at == p->end || *p->at++ == '"') {
			p->wrong = p->at[-1] != '"' || plain == left;
			break;
		}
		const char c = p->at < p->end ? *p->at++ : 0;
		const char *known = c ? strchr(escapes, c) : NULL;
		if (known)
			perfdata_text_char(&p->text, meant[known - escapes]);
		else if (c == 'u')
			take_code(p);
		else
			p->wrong = true;
	}
	if (perfdata_text_failed(&p->text)) {
		json_note_failure();
		p->wrong = true;
	}
}

/* --- values ------------------------------------------------------------------------------------------------------- */

static json_object *parse_number(struct parser *p)
{
	char text[64];
	size_t size = 0;
	bool whole = true;
	for (; p->at < p->end && *p->at && strchr("+-.eE0123456789", *p->at) && size < sizeof text - 1; p->at++) {
		whole &= *p->at != '.' && *p->at != 'e' && *p->at != 'E';
		text[size++] = *p->at;
	}
	text[size] = '\0';
	char *end;
	errno = 0;
	if (whole && *text == '-') {
		const int64_t negative = strtoll(text, &end, 10);
		if (!errno && end == text + size && size > 1)
			return json_new_integer(negative);
	} else if (whole) {
		const uint64_t positive = strtoull(text, &end, 10);
		if (!errno && end == text + size && size)
			return positive <= INT64_MAX ? json_new_integer((int64_t)positive) : json_new_number(positive);
	}
	/* the program sets no locale, so the decimal point is '.' */
	const double inexact = strtod(text, &end);
	p->wrong = !size || end != text + size;
	return p->wrong ? NULL : json_new_double_as(inexact, text);
}

static json_object *parse_array(struct parser *p, unsigned depth)
{
	json_object *list = json_new_array();
	if (take_char(p, ']'))
		return list;
	do
		json_append(list, parse_value(p, depth));
	while (!p->wrong && take_char(p, ','));
	p->wrong = p->wrong || !take_char(p, ']');
	return list;
}

static json_object *parse_object(struct parser *p, unsigned depth)
{
	json_object *members = json_new_object();
	if (take_char(p, '}'))
		return members;
	do {
		p->wrong = p->wrong || !take_char(p, '"');
		if (!p->wrong)
			take_string(p);
		perfdata_text_char(&p->text, '\0');
		char *key = p->wrong || perfdata_text_failed(&p->text) ? NULL : strdup(p->text.data);
		if (!key && !p->wrong)
			json_note_failure();
		p->wrong = p->wrong || !key || !take_char(p, ':');
		if (!p->wrong)
			json_add(members, key, parse_value(p, depth));
		free(key);
	} while (!p->wrong && take_char(p, ','));
	p->wrong = p->wrong || !take_char(p, '}');
	return members;
}

static json_object *parse_value(struct parser *p, unsigned depth)
{
	if (p->wrong || depth == DEEPEST) {
		p->wrong = true;
		return NULL;
	}
	if (take_char(p, '{'))
		return parse_object(p, depth + 1);
	if (take_char(p, '['))
		return parse_array(p, depth + 1);
	if (take_char(p, '"')) {
		take_string(p);
		return p->wrong ? NULL : json_new_text(p->text.data ? p->text.data : "", p->text.size);
	}
	if (take_word(p, "null"))
		return NULL;
	if (take_word(p, "true"))
		return json_new_boolean(true);
	return take_word(p, "false") ? json_new_boolean(false) : parse_number(p);
}

json_object *json_parse(const char *text, size_t size)
{
	struct parser p = { .at = text, .end = text + size };
	perfdata_text_init(&p.text);
	json_object *ret = parse_value(&p, 0);
	skip_space(&p);
	perfdata_text_release(&p.text);
	if (!p.wrong && p.at == p.end)
		return ret;
	json_object_put(ret);
	return NULL;
}
