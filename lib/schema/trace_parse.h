/* SPDX-License-Identifier: MIT */
/* The state of parsing the arguments of a print format. */
#ifndef PD_TRACE_PARSE_H
#define PD_TRACE_PARSE_H

#include "schema/trace_lex.h"
#include "schema/trace_program.h"

struct pd_trace_parser {
	struct pd_trace_lexer lexer;
	struct pd_trace_token token;       /* the token that the parser looks at */
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
/* A node from the parser's current token, without the binary operators that follow it. */
struct pd_trace_node *pd_trace_operand(struct pd_trace_parser *parser);
/* An operand with the operators that follow it, up to a delimiter. */
struct pd_trace_node *pd_trace_expression(struct pd_trace_parser *parser);
/* The field that a name means, or NULL. */
const struct perfdata_trace_field *pd_trace_find_field(const struct pd_trace_parser *parser,
						       const struct pd_trace_token *name);
/* A call; the parser's current token is the first after the "(". */
struct pd_trace_node *pd_trace_call(struct pd_trace_parser *parser, const struct pd_trace_token *name);
/* A sizeof expression. */
struct pd_trace_node *pd_trace_sizeof(struct pd_trace_parser *parser);

#endif
