/* SPDX-License-Identifier: MIT */
/* The parser of the arguments of a print format. */
#ifndef PD_TRACE_PARSE_H
#define PD_TRACE_PARSE_H

#include "schema/trace_lex.h"
#include "schema/trace_program.h"

struct pd_trace_parser {
	struct pd_trace_lexer lexer;
	struct pd_trace_token token;       /* current token */
	struct pd_arena *arena;
	const struct perfdata_trace_event *event;
	unsigned long_size;
	unsigned depth;
	size_t nodes;
	const char *problem;
};

/* Each of these functions returns false after noting the problem. */
bool pd_trace_fail(struct pd_trace_parser *parser, const char *problem);
struct pd_trace_node *pd_trace_new_node(struct pd_trace_parser *parser, enum pd_trace_node_type type);
void pd_trace_advance(struct pd_trace_parser *parser);
bool pd_trace_accept(struct pd_trace_parser *parser, enum pd_trace_token_type type, const char *text);
bool pd_trace_expect(struct pd_trace_parser *parser, enum pd_trace_token_type type, const char *text);
/* Parses an operand at the current token, without the binary operators after it. */
struct pd_trace_node *pd_trace_operand(struct pd_trace_parser *parser);
/* Parses an operand and the operators after it, up to a delimiter. */
struct pd_trace_node *pd_trace_expression(struct pd_trace_parser *parser);
/* Returns the field with the name, or NULL. */
const struct perfdata_trace_field *pd_trace_find_field(const struct pd_trace_parser *parser,
						       const struct pd_trace_token *name);
/* Parses a call; the current token is the first after "(". */
struct pd_trace_node *pd_trace_call(struct pd_trace_parser *parser, const struct pd_trace_token *name);
/* Parses a sizeof expression. */
struct pd_trace_node *pd_trace_sizeof(struct pd_trace_parser *parser);

#endif
