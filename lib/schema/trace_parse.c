/* SPDX-License-Identifier: MIT */
/* Parses expressions of a print format.
 *
 * The trees are libtraceevent's, since perf prints its results. They differ from C: operators of equal priority group
 * to the right, and a weaker operator in parentheses on the right side of a stronger one loses its parentheses
 * (3 * (1 + 2) is 5). */
#include "base/checked.h"
#include "schema/trace_parse.h"
#include "base/digit.h"
#include "text/decimal.h"

bool pd_trace_fail(struct pd_trace_parser *parser, const char *problem)
{
	if (!parser->problem)
		parser->problem = problem;
	return false;
}

struct pd_trace_node *pd_trace_new_node(struct pd_trace_parser *parser, enum pd_trace_node_type type)
{
	if (parser->nodes++ >= PD_TRACE_NODE_LIMIT) {
		pd_trace_fail(parser, "it has too many parts");
		return NULL;
	}
	struct pd_trace_node *node = pd_arena_calloc(parser->arena, 1, sizeof *node);
	if (!node)
		parser->lexer.no_memory = true;
	else
		node->type = type;
	return node;
}

void pd_trace_advance(struct pd_trace_parser *parser) { parser->token = pd_trace_next_token(&parser->lexer); }

bool pd_trace_accept(struct pd_trace_parser *parser, enum pd_trace_token_type type, const char *text)
{
	if (!pd_trace_token_is(&parser->token, type, text))
		return false;
	pd_trace_advance(parser);
	return true;
}

bool pd_trace_expect(struct pd_trace_parser *parser, enum pd_trace_token_type type, const char *text)
{
	return pd_trace_accept(parser, type, text) ||
	       pd_trace_fail(parser, "a parenthesis, comma or bracket is missing");
}

const struct perfdata_trace_field *pd_trace_find_field(const struct pd_trace_parser *parser,
						       const struct pd_trace_token *name)
{
	for (size_t i = 0; i < parser->event->nr_fields; i++) {
		const struct perfdata_trace_field *field = &parser->event->fields[i];
		if (strlen(field->name) == name->size && memcmp(field->name, name->text, name->size) == 0)
			return field;
	}
	return NULL;
}

/* Returns the value of a literal as strtoull with base 0 reads it. */
static uint64_t trace_literal(const char *text, size_t size)
{
	const bool octal = size > 1 && text[0] == '0';
	const bool hex = size > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
	const unsigned base = hex ? 16 : octal ? 8 : 10;
	uint64_t value = 0;

	for (size_t i = hex ? 2 : 0; i < size; i++) {
		const unsigned digit = pd_digit_of(text[i]);
		if (digit >= base)
			break;
		if (!pd_mul(value, base, &value) || !pd_add(value, digit, &value))
			return UINT64_MAX;
	}
	return value;
}

/* --- operators ------------------------------------------------------------------------------------------------ */

static const struct {
	const char *text;
	enum pd_trace_op op;
	int priority;
	bool binary;
} operators[] = {
	{ "!", PD_OP_NOT, 4, false }, { "~", PD_OP_COMPLEMENT, 4, false },
	{ "*", PD_OP_MULTIPLY, 6, true }, { "/", PD_OP_DIVIDE, 6, true }, { "%", PD_OP_REMAINDER, 6, true },
	{ "+", PD_OP_PLUS, 7, true }, { "-", PD_OP_MINUS, 7, true },
	{ "<<", PD_OP_LEFT, 8, true }, { ">>", PD_OP_RIGHT, 8, true },
	{ "<", PD_OP_LESS, 9, true }, { ">", PD_OP_GREATER, 9, true },
	{ "<=", PD_OP_LESS_EQUAL, 9, true }, { ">=", PD_OP_GREATER_EQUAL, 9, true },
	{ "==", PD_OP_EQUAL, 10, true }, { "!=", PD_OP_NOT_EQUAL, 10, true },
	{ "&", PD_OP_AND, 11, true }, { "^", PD_OP_XOR, 12, true }, { "|", PD_OP_OR, 13, true },
	{ "&&", PD_OP_LOGICAL_AND, 14, true }, { "||", PD_OP_LOGICAL_OR, 15, true },
	{ "?", PD_OP_CONDITION, 16, false },
	{ "[", PD_OP_INDEX, -1, false }, { ":", PD_OP_ALTERNATIVE, -1, false },
};

static int find_operator(const struct pd_trace_token *token)
{
	for (size_t i = 0; i < sizeof operators / sizeof *operators; i++)
		if (pd_trace_token_is(token, PD_TOKEN_OP, operators[i].text))
			return (int)i;
	return -1;
}

static int token_priority(const struct pd_trace_token *token)
{
	const int found = find_operator(token);

	return found < 0 ? -1 : operators[found].priority;
}

static int op_priority(enum pd_trace_op op)
{
	for (size_t i = 0; i < sizeof operators / sizeof *operators; i++)
		if (operators[i].op == op)
			return operators[i].priority;
	return -1;
}

/* Whether the parser's token is an operator that continues the expression. */
static bool at_operator(const struct pd_trace_parser *parser)
{
	return parser->token.type == PD_TOKEN_OP && !pd_trace_token_is(&parser->token, PD_TOKEN_OP, ":");
}

static bool parse_operator(struct pd_trace_parser *parser, struct pd_trace_node *node);

/* Moves the contents of `node` into a new node, and makes `node` an operator with the new node on its left side. */
static bool become_operator(struct pd_trace_parser *parser, struct pd_trace_node *node, enum pd_trace_op op)
{
	struct pd_trace_node *left = pd_trace_new_node(parser, PD_NODE_NONE);

	if (!left)
		return false;
	*left = *node;
	left->next = NULL;
	*node = (struct pd_trace_node){ .type = PD_NODE_OP, .op = op, .a = left };
	return true;
}

/* Parses both alternatives after "?". */
static bool parse_condition(struct pd_trace_parser *parser, struct pd_trace_node *top)
{
	struct pd_trace_node *sides = pd_trace_new_node(parser, PD_NODE_OP);

	if (!sides)
		return false;
	sides->op = PD_OP_ALTERNATIVE;
	sides->a = pd_trace_operand(parser);
	if (!sides->a)
		return false;
	while (at_operator(parser))
		if (!parse_operator(parser, sides->a))
			return false;
	if (!pd_trace_expect(parser, PD_TOKEN_OP, ":"))
		return false;
	sides->b = pd_trace_operand(parser);
	top->b = sides;
	return sides->b != NULL;
}

static void swap_nodes(struct pd_trace_node *x, struct pd_trace_node *y)
{
	const struct pd_trace_node t = *x;

	*x = *y;
	*y = t;
}

/* Parses the right side of a binary operator. A stronger operator after it continues at *ret_right. */
static bool parse_right_side(struct pd_trace_parser *parser, struct pd_trace_node *node,
			     struct pd_trace_node **ret_right)
{
	/* the parser took `TYPE *)` for a multiplication: it is a pointer type */
	if (node->op == PD_OP_MULTIPLY && pd_trace_token_is(&parser->token, PD_TOKEN_DELIM, ")")) {
		struct pd_trace_node *type = node->a;
		if (type->type != PD_NODE_ATOM)
			return pd_trace_fail(parser, "a pointer type has no name");
		char *text = pd_arena_alloc(parser->arena, (size_t)type->text_size + 3);
		if (!text) {
			parser->lexer.no_memory = true;
			return false;
		}
		memcpy(text, type->text, type->text_size);
		memcpy(text + type->text_size, " *", 3);
		*node = (struct pd_trace_node){ .type = PD_NODE_ATOM, .text = text, .text_size = type->text_size + 2,
						.number = type->number };
		*ret_right = NULL;
		return true;
	}
	struct pd_trace_node *right = pd_trace_operand(parser);
	if (!right)
		return false;
	if (right->type == PD_NODE_OP && op_priority(node->op) < op_priority(right->op)) {
		node->b = right->a;
		swap_nodes(node, right);
		node->a = right;
	} else {
		node->b = right;
	}
	*ret_right = right;
	return true;
}

static bool parse_binary(struct pd_trace_parser *parser, struct pd_trace_node *node, int found,
			 struct pd_trace_node **ret_right)
{
	if (!become_operator(parser, node, operators[found].op))
		return false;
	pd_trace_advance(parser);
	switch (operators[found].op) {
	case PD_OP_CONDITION:
		return parse_condition(parser, node);
	case PD_OP_INDEX:
		node->b = pd_trace_operand(parser);
		return node->b && pd_trace_expect(parser, PD_TOKEN_OP, "]");
	default:
		node->priority = node->a->type == PD_NODE_NONE ? 0 : operators[found].priority;
		return parse_right_side(parser, node, ret_right);
	}
}

/* Parses the operator at the parser's token, with `node` as its left side, and all operators after it. */
static bool parse_operator_inside(struct pd_trace_parser *parser, struct pd_trace_node *node)
{
	const int found = find_operator(&parser->token);
	struct pd_trace_node *right = NULL;

	if (found < 0 || operators[found].op == PD_OP_ALTERNATIVE ||
	    (!operators[found].binary && operators[found].op != PD_OP_CONDITION && operators[found].op != PD_OP_INDEX))
		return pd_trace_fail(parser, "an operator is not known or misplaced");
	if (!parse_binary(parser, node, found, &right))
		return false;
	if (!at_operator(parser))
		return true;
	if (node->type != PD_NODE_OP || token_priority(&parser->token) > node->priority)
		return parse_operator(parser, node);
	return right ? parse_operator(parser, right) : pd_trace_fail(parser, "an operator is misplaced");
}

static bool parse_operator(struct pd_trace_parser *parser, struct pd_trace_node *node)
{
	if (parser->depth >= PD_TRACE_DEPTH_LIMIT)
		return pd_trace_fail(parser, "it is nested too deeply");
	parser->depth++;
	const bool ok = parse_operator_inside(parser, node);
	parser->depth--;
	return ok;
}

/* --- operands ------------------------------------------------------------------------------------------------- */

static struct pd_trace_node *parse_unary(struct pd_trace_parser *parser)
{
	const int found = find_operator(&parser->token);
	const enum pd_trace_op op = found < 0 ? PD_OP_UNKNOWN : operators[found].op;

	if (op != PD_OP_NOT && op != PD_OP_COMPLEMENT && op != PD_OP_PLUS && op != PD_OP_MINUS) {
		pd_trace_fail(parser, "an operand is missing");
		return NULL;
	}
	struct pd_trace_node *node = pd_trace_new_node(parser, PD_NODE_OP);
	if (!node)
		return NULL;
	node->op = op;
	pd_trace_advance(parser);
	node->a = pd_trace_new_node(parser, PD_NODE_NONE);
	node->b = node->a ? pd_trace_operand(parser) : NULL;
	if (!node->b)
		return NULL;
	/* all operators after it bind weaker */
	if (at_operator(parser) &&
	    !parse_operator(parser, token_priority(&parser->token) > node->priority ? node : node->b))
		return NULL;
	return node;
}

/* Parses REC->name, with any number of parentheses around REC. False: the text is something else, and no token was
 * taken. */
static bool record_field(struct pd_trace_parser *parser, struct pd_trace_token *ret_name)
{
	struct pd_trace_lexer lexer = parser->lexer;
	struct pd_trace_token token = parser->token;
	unsigned opened = 0;

	while (opened < 8 && pd_trace_token_is(&token, PD_TOKEN_DELIM, "(")) {
		opened++;
		token = pd_trace_next_token(&lexer);
	}
	if (!pd_trace_token_is(&token, PD_TOKEN_ITEM, "REC"))
		return false;
	token = pd_trace_next_token(&lexer);
	for (; opened && pd_trace_token_is(&token, PD_TOKEN_DELIM, ")"); opened--)
		token = pd_trace_next_token(&lexer);
	if (opened || !pd_trace_token_is(&token, PD_TOKEN_OP, "->"))
		return false;
	token = pd_trace_next_token(&lexer);
	if (token.type != PD_TOKEN_ITEM)
		return false;
	*ret_name = token;
	parser->lexer = lexer;
	pd_trace_advance(parser);
	return true;
}

static struct pd_trace_node *parse_atom(struct pd_trace_parser *parser, const char *text, size_t size)
{
	struct pd_trace_node *node = pd_trace_new_node(parser, PD_NODE_ATOM);

	if (!node)
		return NULL;
	node->text = text;
	node->text_size = (uint32_t)size;
	node->number = trace_literal(text, size);
	return node;
}

/* The value of a character is its code. The value of an escape is the code of the backslash, as in libtraceevent. */
static struct pd_trace_node *parse_character(struct pd_trace_parser *parser)
{
	char *text = pd_arena_alloc(parser->arena, 32);

	if (!text) {
		parser->lexer.no_memory = true;
		return NULL;
	}
	const char *end = pd_u64_to(text, parser->token.size ? (uint8_t)parser->token.text[0] : 0);
	pd_trace_advance(parser);
	return parse_atom(parser, text, (size_t)(end - text));
}

/* Parses a literal, a name of one or more words ("unsigned long"), or a call. */
static struct pd_trace_node *parse_item(struct pd_trace_parser *parser)
{
	const struct pd_trace_token first = parser->token;
	struct perfdata_text words;
	struct pd_trace_node *node;

	pd_trace_advance(parser);
	if (pd_trace_token_is(&first, PD_TOKEN_ITEM, "sizeof"))
		return pd_trace_sizeof(parser);
	if (pd_trace_accept(parser, PD_TOKEN_DELIM, "("))
		return pd_trace_call(parser, &first);
	if (parser->token.type != PD_TOKEN_ITEM)
		return parse_atom(parser, first.text, first.size);
	perfdata_text_init(&words);
	perfdata_text_append(&words, first.text, first.size);
	for (; parser->token.type == PD_TOKEN_ITEM; pd_trace_advance(parser)) {
		perfdata_text_char(&words, ' ');
		perfdata_text_append(&words, parser->token.text, parser->token.size);
	}
	const char *copy = words.failed ? NULL : pd_arena_copy(parser->arena, words.data, words.size);
	node = copy ? parse_atom(parser, copy, words.size) : NULL;
	parser->lexer.no_memory |= !copy;
	perfdata_text_release(&words);
	return node;
}

/* Returns the bits that a cast to the type keeps: all bits for unknown types. */
static uint64_t cast_mask(const char *type, size_t size)
{
	static const struct {
		const char *name;
		uint64_t mask;
	} masks[] = {
		{ "u8", UINT8_MAX }, { "s8", UINT8_MAX }, { "char", UINT8_MAX }, { "unsigned char", UINT8_MAX },
		{ "u16", UINT16_MAX }, { "s16", UINT16_MAX }, { "short", UINT16_MAX }, { "unsigned short", UINT16_MAX },
		{ "u32", UINT32_MAX }, { "s32", UINT32_MAX }, { "int", UINT32_MAX }, { "unsigned int", UINT32_MAX },
	};

	for (size_t i = 0; i < sizeof masks / sizeof *masks; i++)
		if (strlen(masks[i].name) == size && memcmp(masks[i].name, type, size) == 0)
			return masks[i].mask;
	return UINT64_MAX;
}

/* Parses a parenthesis: a group, or a cast if an operand follows. */
static struct pd_trace_node *parse_parenthesis(struct pd_trace_parser *parser)
{
	pd_trace_advance(parser);
	struct pd_trace_node *node = pd_trace_expression(parser);
	if (!node || !pd_trace_expect(parser, PD_TOKEN_DELIM, ")"))
		return NULL;
	if (parser->token.type != PD_TOKEN_ITEM && parser->token.type != PD_TOKEN_STRING &&
	    parser->token.type != PD_TOKEN_CHAR && !pd_trace_token_is(&parser->token, PD_TOKEN_DELIM, "("))
		return node;
	if (node->type != PD_NODE_ATOM) {
		pd_trace_fail(parser, "a cast is no type");
		return NULL;
	}
	struct pd_trace_node *cast = pd_trace_new_node(parser, PD_NODE_CAST);
	if (!cast)
		return NULL;
	const bool pointer = node->text_size > 2 && node->text[node->text_size - 1] == '*';
	cast->mask = cast_mask(node->text, node->text_size);
	cast->pointer_mask = pointer ? cast_mask(node->text, node->text_size - 2) : UINT64_MAX;
	cast->a = pd_trace_operand(parser);
	return cast->a ? cast : NULL;
}

static struct pd_trace_node *operand_inside(struct pd_trace_parser *parser)
{
	struct pd_trace_token name;
	struct pd_trace_node *node;

	switch (parser->token.type) {
	case PD_TOKEN_ITEM:
	case PD_TOKEN_DELIM:
		if (record_field(parser, &name)) {
			node = pd_trace_new_node(parser, PD_NODE_FIELD);
			if (node)
				node->field = pd_trace_find_field(parser, &name);
			return node;
		}
		if (parser->token.type == PD_TOKEN_ITEM && !pd_trace_token_is(&parser->token, PD_TOKEN_ITEM, "REC"))
			return parse_item(parser);
		if (pd_trace_token_is(&parser->token, PD_TOKEN_DELIM, "("))
			return parse_parenthesis(parser);
		break;
	case PD_TOKEN_STRING:
		node = parse_atom(parser, parser->token.text, parser->token.size);
		pd_trace_advance(parser);
		return node;
	case PD_TOKEN_CHAR:
		return parse_character(parser);
	case PD_TOKEN_OP:
		return parse_unary(parser);
	case PD_TOKEN_BAD:
		pd_trace_fail(parser, "a string has no end or holds bytes that are no printable ASCII");
		return NULL;
	case PD_TOKEN_END:
		break;
	}
	pd_trace_fail(parser, "an operand is missing");
	return NULL;
}

struct pd_trace_node *pd_trace_operand(struct pd_trace_parser *parser)
{
	if (parser->depth >= PD_TRACE_DEPTH_LIMIT) {
		pd_trace_fail(parser, "it is nested too deeply");
		return NULL;
	}
	parser->depth++;
	struct pd_trace_node *node = operand_inside(parser);
	parser->depth--;
	return node;
}

struct pd_trace_node *pd_trace_expression(struct pd_trace_parser *parser)
{
	struct pd_trace_node *node = pd_trace_operand(parser);

	while (node && at_operator(parser) && !pd_trace_token_is(&parser->token, PD_TOKEN_OP, "}") &&
	       !pd_trace_token_is(&parser->token, PD_TOKEN_OP, "]"))
		if (!parse_operator(parser, node))
			return NULL;
	return node;
}

/* --- the whole expression ----------------------------------------------------------------------------------------- */

/* Replaces an operator between two literals by its value, as libtraceevent does; libtraceevent computes "^" only
 * here. */
static bool fold_constant(struct pd_trace_parser *parser, struct pd_trace_node *node)
{
	struct pd_trace_run nothing = { .swap = false };

	if (node->type != PD_NODE_OP)
		return true;
	if (!fold_constant(parser, node->a) || !fold_constant(parser, node->b))
		return false;
	if (node->a->type != PD_NODE_ATOM || node->b->type != PD_NODE_ATOM || node->op == PD_OP_CONDITION ||
	    node->op == PD_OP_ALTERNATIVE || node->op == PD_OP_INDEX)
		return true;
	const uint64_t value = node->op == PD_OP_XOR ? node->a->number ^ node->b->number
						     : pd_trace_eval(&nothing, node);
	char *text = pd_arena_alloc(parser->arena, 32);
	if (!text) {
		parser->lexer.no_memory = true;
		return false;
	}
	node->type = PD_NODE_ATOM;
	node->number = value;
	node->text = text;
	node->text_size = (uint32_t)(pd_s64_to(text, (int64_t)value) - text);
	return true;
}

/* Parses the arguments after the first comma. If neither an operator nor a comma follows an argument, skips the text
 * after it. */
static bool parse_list(struct pd_trace_parser *parser, struct pd_trace_node **ret_first)
{
	struct pd_trace_node **place = ret_first;

	do {
		struct pd_trace_node *node = pd_trace_operand(parser);
		if (!node)
			return false;
		*place = node;
		place = &node->next;
		if (parser->token.type == PD_TOKEN_OP) {
			if (!parse_operator(parser, node) || !fold_constant(parser, node))
				return false;
			if (parser->token.type != PD_TOKEN_END)
				pd_trace_advance(parser);
			continue;
		}
		if (!pd_trace_accept(parser, PD_TOKEN_DELIM, ","))
			return true;
		if (parser->token.type == PD_TOKEN_END)
			return pd_trace_fail(parser, "an argument is missing");
	} while (parser->token.type != PD_TOKEN_END);
	return true;
}

bool pd_trace_parse_print(struct pd_arena *arena, const struct perfdata_trace_event *event, unsigned long_size,
			  struct pd_trace_arguments *ret_arguments, const char **ret_problem)
{
	const char *text = (const char *)event->print.data;
	struct pd_trace_parser parser = {
		.lexer = { .rest = { text, text ? text + event->print.size : text }, .arena = arena },
		.arena = arena,
		.event = event,
		.long_size = long_size,
	};
	struct pd_trace_arguments arguments = { .first = NULL };
	bool ok = true;

	pd_trace_advance(&parser);
	if (parser.token.type != PD_TOKEN_STRING) {
		ok = pd_trace_fail(&parser, "it does not start with a string");
	} else {
		arguments.format = parser.token.text;
		arguments.format_size = parser.token.size;
		pd_trace_advance(&parser);
		if (parser.token.type != PD_TOKEN_END)
			ok = pd_trace_expect(&parser, PD_TOKEN_DELIM, ",") && parse_list(&parser, &arguments.first);
	}
	*ret_problem = parser.lexer.no_memory ? NULL : parser.problem;
	if (ok)
		*ret_arguments = arguments;
	return ok;
}
