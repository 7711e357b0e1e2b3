/* SPDX-License-Identifier: MIT */
/* Tokens of a print format, cut as libtraceevent cuts them. */
#include "schema/trace_lex.h"

static bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

static bool is_item(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_printable(char c) { return c >= 0x20 && c < 0x7f; }

/* Whether a quoted text may contain the character. To libtraceevent a tab or a non-ASCII byte ends the format; a
 * newline does not. */
static bool may_be_quoted(char c) { return is_printable(c) || c == '\n'; }

/* Returns the closing quote of a text whose opening quote is before `at`, or NULL. */
static const char *closing_quote(const char *at, const char *end, char quote)
{
	for (; at < end; at++) {
		if (!may_be_quoted(*at))
			return NULL;
		if (*at == quote)
			return at;
		if (*at == '\\' && (++at == end || !may_be_quoted(*at)))
			return NULL;
	}
	return NULL;
}

static const char *skip_spaces(const char *at, const char *end)
{
	while (at < end && is_space(*at))
		at++;
	return at;
}

/* Joins the pieces of "a" "b" "c" up to the closing quote `last`. */
static struct pd_trace_token joined_string(struct pd_trace_lexer *lexer, const char *start, const char *last)
{
	char *const text = pd_arena_alloc(lexer->arena, (size_t)(last - start) + 1);
	char *to = text;

	if (!text) {
		lexer->no_memory = true;
		return (struct pd_trace_token){ PD_TOKEN_BAD, start, 0 };
	}
	for (;;) {
		const char *close = closing_quote(start, lexer->rest.end, '"');
		memcpy(to, start, (size_t)(close - start));
		to += close - start;
		if (close == last)
			return (struct pd_trace_token){ PD_TOKEN_STRING, text, (size_t)(to - text) };
		start = skip_spaces(close + 1, lexer->rest.end) + 1;
	}
}

/* Reads a string; "a" "b" is one string. `start` is after the first quote. */
static struct pd_trace_token string_token(struct pd_trace_lexer *lexer, const char *start)
{
	const char *const end = lexer->rest.end;
	const char *close = closing_quote(start, end, '"');
	const char *const first = close;

	while (close) {
		const char *next = skip_spaces(close + 1, end);
		if (next == end || *next != '"')
			break;
		close = closing_quote(next + 1, end, '"');
	}
	if (!close)
		return (struct pd_trace_token){ PD_TOKEN_BAD, start, 0 };
	lexer->rest.at = close + 1;
	if (close == first)
		return (struct pd_trace_token){ PD_TOKEN_STRING, start, (size_t)(close - start) };
	return joined_string(lexer, start, close);
}

/* Returns the number of characters of the operator at `at`. */
static size_t operator_size(const char *at, const char *end)
{
	const char first = at[0], second = at + 1 < end ? at[1] : 0, third = at + 2 < end ? at[2] : 0;

	switch (first) {
	case '-':
		if (second == '>')
			return 2;
		/* fall through */
	case '+':
	case '|':
	case '&':
		return second == first || second == '=' ? 2 : 1;
	case '<':
	case '>':
		if (second == first)
			return third == '=' ? 3 : 2;
		return second == '=' ? 2 : 1;
	case '!':
	case '=':
		return second == '=' ? 2 : 1;
	default:
		return 1;
	}
}

struct pd_trace_token pd_trace_next_token(struct pd_trace_lexer *lexer)
{
	const char *const end = lexer->rest.end;
	const char *start = skip_spaces(lexer->rest.at, end);
	const char *at = start;

	lexer->rest.at = start;
	if (start == end || !is_printable(*start))
		return (struct pd_trace_token){ PD_TOKEN_END, start, 0 };
	if (*start == '"')
		return string_token(lexer, start + 1);
	if (*start == '\'') {
		const char *close = closing_quote(start + 1, end, '\'');
		if (!close)
			return (struct pd_trace_token){ PD_TOKEN_BAD, start, 0 };
		lexer->rest.at = close + 1;
		return (struct pd_trace_token){ PD_TOKEN_CHAR, start + 1, (size_t)(close - start - 1) };
	}
	if (is_item(*start)) {
		while (at < end && is_item(*at))
			at++;
		lexer->rest.at = at;
		return (struct pd_trace_token){ PD_TOKEN_ITEM, start, (size_t)(at - start) };
	}
	const bool delimiter = *start == '(' || *start == ')' || *start == ',';
	const size_t size = delimiter ? 1 : operator_size(start, end);
	lexer->rest.at = start + size;
	return (struct pd_trace_token){ delimiter ? PD_TOKEN_DELIM : PD_TOKEN_OP, start, size };
}
