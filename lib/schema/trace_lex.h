/* SPDX-License-Identifier: MIT */
/* Tokens of a print format. */
#ifndef PD_TRACE_LEX_H
#define PD_TRACE_LEX_H

#include "schema/trace_types.h"

enum pd_trace_token_type {
	PD_TOKEN_END,
	PD_TOKEN_ITEM,     /* name or number */
	PD_TOKEN_STRING,   /* "…", adjacent strings joined; escapes are not expanded */
	PD_TOKEN_CHAR,     /* '…' */
	PD_TOKEN_DELIM,    /* ( ) , */
	PD_TOKEN_OP,       /* everything else */
	PD_TOKEN_BAD,      /* a string without an end, or with bytes other than printable ASCII */
};

struct pd_trace_token {
	enum pd_trace_token_type type;
	const char *text;
	size_t size;
};

struct pd_trace_lexer {
	struct pd_trace_span rest;
	struct pd_arena *arena;    /* memory of joined strings */
	bool no_memory;
};

struct pd_trace_token pd_trace_next_token(struct pd_trace_lexer *lexer);
static inline bool pd_trace_token_is(const struct pd_trace_token *token, enum pd_trace_token_type type,
				     const char *text)
{
	return token->type == type && token->size == strlen(text) && memcmp(token->text, text, token->size) == 0;
}

#endif
