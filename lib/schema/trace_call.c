/* SPDX-License-Identifier: MIT */
/* Functions in print formats, and their lists of values and texts. */
#include <stdlib.h>

#include "base/memory.h"
#include "schema/trace_parse.h"
#include "text/decimal.h"

/* --- sizeof --------------------------------------------------------------------------------------------------- */

/* Returns the size of a type that libtraceevent knows. A print format with other types is unusable. */
static uint64_t known_type_size(const char *type, size_t size, unsigned long_size)
{
	static const struct {
		const char *name;
		uint8_t size;  /* bytes; 0: of a long */
	} types[] = {
		{ "u8", 1 },
		{ "s8", 1 },
		{ "__u8", 1 },
		{ "__s8", 1 },
		{ "u16", 2 },
		{ "s16", 2 },
		{ "__u16", 2 },
		{ "__s16", 2 },
		{ "u32", 4 },
		{ "s32", 4 },
		{ "__u32", 4 },
		{ "__s32", 4 },
		{ "int", 4 },
		{ "unsigned", 4 },
		{ "unsigned int", 4 },
		{ "u64", 8 },
		{ "s64", 8 },
		{ "__u64", 8 },
		{ "__s64", 8 },
		{ "long", 0 },
		{ "unsigned long", 0 },
		{ "long long", 8 },
		{ "unsigned long long", 8 },
	};

	for (size_t i = 0; i < sizeof types / sizeof *types; i++)
		if (strlen(types[i].name) == size && memcmp(types[i].name, type, size) == 0)
			return types[i].size ? types[i].size : long_size;
	return 0;
}

struct pd_trace_node *pd_trace_sizeof(struct pd_trace_parser *parser)
{
	if (!pd_trace_expect(parser, PD_TOKEN_DELIM, "("))
		return NULL;
	struct pd_trace_node *node = pd_trace_operand(parser);
	if (!node || !pd_trace_expect(parser, PD_TOKEN_DELIM, ")"))
		return NULL;
	uint64_t size = 0;
	if (node->type == PD_NODE_ATOM)
		size = known_type_size(node->text, node->text_size, parser->long_size);
	else if (node->type == PD_NODE_FIELD && node->field && !(node->field->text_flags & PD_TRACE_IS_ARRAY))
		size = node->field->size;
	if (!size) {
		pd_trace_fail(parser, "sizeof of an unknown type");
		return NULL;
	}
	char *text = pd_arena_alloc(parser->arena, 32);
	if (!text) {
		parser->lexer.no_memory = true;
		return NULL;
	}
	const char *end = pd_u64_to(text, size);
	*node = (struct pd_trace_node){ .type = PD_NODE_ATOM, .text = text, .text_size = (uint32_t)(end - text),
					.number = size };
	return node;
}

/* --- { value, "text" }, … --------------------------------------------------------------------------------------- */

/* Returns the value of a kernel constant that libtraceevent knows by name. */
static int64_t named_constant(const char *name, size_t size)
{
	static const struct {
		const char *name;
		int64_t value;
	} constants[] = {
		{ "HI_SOFTIRQ", 0 }, { "TIMER_SOFTIRQ", 1 }, { "NET_TX_SOFTIRQ", 2 }, { "NET_RX_SOFTIRQ", 3 },
		{ "BLOCK_SOFTIRQ", 4 }, { "IRQ_POLL_SOFTIRQ", 5 }, { "TASKLET_SOFTIRQ", 6 }, { "SCHED_SOFTIRQ", 7 },
		{ "HRTIMER_SOFTIRQ", 8 }, { "RCU_SOFTIRQ", 9 }, { "HRTIMER_NORESTART", 0 }, { "HRTIMER_RESTART", 1 },
	};

	for (size_t i = 0; i < sizeof constants / sizeof *constants; i++)
		if (strlen(constants[i].name) == size && memcmp(constants[i].name, name, size) == 0)
			return constants[i].value;
	return -1;
}

/* Computes a constant expression as libtraceevent does. False: libtraceevent does not know an operator. */
static bool is_constant(const struct pd_trace_node *node, int64_t *ret_value)
{
	int64_t left, right;

	if (!node)
		return false;
	if (node->type == PD_NODE_NONE) {
		*ret_value = 0;
		return true;
	}
	if (node->type == PD_NODE_ATOM) {
		*ret_value = (int64_t)node->number;
		return true;
	}
	if (node->type == PD_NODE_CAST) {
		if (!is_constant(node->a, &left))
			return false;
		*ret_value = (int64_t)((uint64_t)left & node->mask);
		return true;
	}
	if (node->type != PD_NODE_OP || !is_constant(node->a, &left) || !is_constant(node->b, &right))
		return false;
	switch (node->op) {
	case PD_OP_OR: *ret_value = left | right; return true;
	case PD_OP_LOGICAL_OR: *ret_value = left || right; return true;
	case PD_OP_AND: *ret_value = left & right; return true;
	case PD_OP_LOGICAL_AND: *ret_value = left && right; return true;
	case PD_OP_LEFT: *ret_value = (int64_t)((uint64_t)left << (right & 63)); return true;
	case PD_OP_RIGHT: *ret_value = left >> (right & 63); return true;
	case PD_OP_LESS: *ret_value = left < right; return true;
	case PD_OP_GREATER: *ret_value = left > right; return true;
	case PD_OP_LESS_EQUAL: *ret_value = left <= right; return true;
	case PD_OP_GREATER_EQUAL: *ret_value = left >= right; return true;
	case PD_OP_EQUAL: *ret_value = left == right; return true;
	case PD_OP_NOT_EQUAL: *ret_value = left != right; return true;
	case PD_OP_PLUS: *ret_value = (int64_t)((uint64_t)left + (uint64_t)right); return true;
	case PD_OP_MINUS: *ret_value = (int64_t)((uint64_t)left - (uint64_t)right); return true;
	case PD_OP_COMPLEMENT: *ret_value = ~right; return true;
	case PD_OP_NOT: *ret_value = !right; return true;
	default: return false;
	}
}

/* Computes the value of an entry. libtraceevent keeps it as text and then reads it as unsigned: a negative value
 * becomes -1. */
static bool entry_value(const struct pd_trace_node *node, int64_t *ret_value)
{
	int64_t value;

	if (node->type == PD_NODE_ATOM) {
		const bool number = node->text_size && node->text[0] >= '0' && node->text[0] <= '9';
		*ret_value = number ? (int64_t)node->number : named_constant(node->text, node->text_size);
		return true;
	}
	if (!is_constant(node, &value))
		return false;
	*ret_value = value < 0 ? -1 : value;
	return true;
}

/* Orders by value for a binary search; of equal values the first one counts. */
static int by_value(const void *a, const void *b)
{
	const struct pd_trace_entry_text *x = a, *y = b;

	if (x->value != y->value)
		return x->value < y->value ? -1 : 1;
	return x->order < y->order ? -1 : x->order > y->order;
}

/* The text of an entry: a string or a name unchanged, a number in decimal. */
static bool entry_text(struct pd_trace_parser *parser, const struct pd_trace_node *node,
		       struct pd_trace_entry_text *entry)
{
	int64_t value;

	if (node->type == PD_NODE_ATOM) {
		entry->text = node->text;
		entry->size = node->text_size;
		return true;
	}
	if (!is_constant(node, &value))
		return false;
	char *text = pd_arena_alloc(parser->arena, 32);
	if (!text) {
		parser->lexer.no_memory = true;
		return false;
	}
	entry->text = text;
	entry->size = (uint32_t)(pd_s64_to(text, value) - text);
	return true;
}

/* Parses one entry. The parser's current token is the first after "{". */
static bool parse_entry(struct pd_trace_parser *parser, struct pd_trace_entry_text *entry)
{
	struct pd_trace_node *value = pd_trace_expression(parser);
	struct pd_trace_node *text = NULL;

	if (!value || !pd_trace_expect(parser, PD_TOKEN_DELIM, ","))
		return false;
	text = pd_trace_operand(parser);
	if (!text || !pd_trace_expect(parser, PD_TOKEN_OP, "}"))
		return false;
	if (!entry_text(parser, text, entry) || !entry_value(value, &entry->value))
		return pd_trace_fail(parser, "an entry of a list of texts is no constant");
	return true;
}

/* Parses { value, "text" }, … up to another token; a comma after the last entry is valid. */
static bool parse_entries(struct pd_trace_parser *parser, struct pd_trace_node *node)
{
	struct pd_trace_entry_text *entries = NULL;
	size_t capacity = 0, count = 0;
	bool ok = true;

	do {
		if (!pd_trace_accept(parser, PD_TOKEN_OP, "{"))
			break;
		if (pd_vector_grow(&entries, &capacity, count, sizeof *entries) != 0) {
			parser->lexer.no_memory = true;
			ok = false;
			break;
		}
		entries[count] = (struct pd_trace_entry_text){ .order = (uint32_t)count };
		ok = parse_entry(parser, &entries[count++]);
	} while (ok && pd_trace_accept(parser, PD_TOKEN_DELIM, ","));

	if (ok && count) {
		if (node->type == PD_NODE_SYMBOL)
			qsort(entries, count, sizeof *entries, by_value);
		node->entries = (void *)pd_arena_copy(parser->arena, entries, count * sizeof *entries);
		node->nr_entries = (uint32_t)count;
		parser->lexer.no_memory |= !node->entries;
		ok = node->entries != NULL;
	}
	pd_free(entries);
	return ok;
}

/* --- calls ---------------------------------------------------------------------------------------------------- */

static bool call_symbol(struct pd_trace_parser *parser, struct pd_trace_node *node)
{
	node->a = pd_trace_expression(parser);
	return node->a && pd_trace_expect(parser, PD_TOKEN_DELIM, ",") && parse_entries(parser, node) &&
	       pd_trace_expect(parser, PD_TOKEN_DELIM, ")");
}

static bool call_flags(struct pd_trace_parser *parser, struct pd_trace_node *node)
{
	node->a = pd_trace_expression(parser);
	if (!node->a || !pd_trace_expect(parser, PD_TOKEN_DELIM, ","))
		return false;
	const struct pd_trace_node *between = pd_trace_operand(parser);
	if (!between)
		return false;
	if (between->type != PD_NODE_ATOM)
		return pd_trace_fail(parser, "the text between flags is no constant");
	node->text = between->text;
	node->text_size = between->text_size;
	return pd_trace_expect(parser, PD_TOKEN_DELIM, ",") && parse_entries(parser, node) &&
	       pd_trace_expect(parser, PD_TOKEN_DELIM, ")");
}

static bool call_two(struct pd_trace_parser *parser, struct pd_trace_node *node)
{
	node->a = pd_trace_expression(parser);
	if (!node->a || !pd_trace_expect(parser, PD_TOKEN_DELIM, ","))
		return false;
	node->b = pd_trace_expression(parser);
	return node->b && pd_trace_expect(parser, PD_TOKEN_DELIM, ")");
}

static bool call_three(struct pd_trace_parser *parser, struct pd_trace_node *node)
{
	node->a = pd_trace_expression(parser);
	if (!node->a || !pd_trace_expect(parser, PD_TOKEN_DELIM, ","))
		return false;
	node->b = pd_trace_expression(parser);
	if (!node->b || !pd_trace_expect(parser, PD_TOKEN_DELIM, ","))
		return false;
	node->c = pd_trace_expression(parser);
	return node->c && pd_trace_expect(parser, PD_TOKEN_DELIM, ")");
}

static bool call_field(struct pd_trace_parser *parser, struct pd_trace_node *node)
{
	const struct pd_trace_token name = parser->token;

	if (name.type != PD_TOKEN_ITEM)
		return pd_trace_fail(parser, "the name of a field is missing");
	node->field = pd_trace_find_field(parser, &name);
	pd_trace_advance(parser);
	if (!node->field && (node->type == PD_NODE_DYNAMIC || node->type == PD_NODE_DYNAMIC_LEN))
		return pd_trace_fail(parser, "a dynamic field is not in the format");
	if (!pd_trace_expect(parser, PD_TOKEN_DELIM, ")"))
		return false;
	if (node->type == PD_NODE_DYNAMIC && pd_trace_token_is(&parser->token, PD_TOKEN_OP, "["))
		return pd_trace_fail(parser, "a dynamic array is indexed without a type");
	return true;
}

static const struct {
	const char *name;
	enum pd_trace_node_type type;
	bool (*parse)(struct pd_trace_parser *parser, struct pd_trace_node *node);
} calls[] = {
	{ "__print_symbolic", PD_NODE_SYMBOL, call_symbol },
	{ "__print_flags", PD_NODE_FLAGS, call_flags },
	{ "__print_hex", PD_NODE_HEX, call_two },
	{ "__print_hex_str", PD_NODE_HEX_STR, call_two },
	{ "__print_array", PD_NODE_INT_ARRAY, call_three },
	{ "__get_str", PD_NODE_STRING, call_field },
	{ "__get_rel_str", PD_NODE_STRING, call_field },
	{ "__get_bitmask", PD_NODE_BITMASK, call_field },
	{ "__get_rel_bitmask", PD_NODE_BITMASK, call_field },
	{ "__get_cpumask", PD_NODE_CPUMASK, call_field },
	{ "__get_rel_cpumask", PD_NODE_CPUMASK, call_field },
	{ "__get_dynamic_array", PD_NODE_DYNAMIC, call_field },
	{ "__get_rel_dynamic_array", PD_NODE_DYNAMIC, call_field },
	{ "__get_sockaddr", PD_NODE_DYNAMIC, call_field },
	{ "__get_dynamic_array_len", PD_NODE_DYNAMIC_LEN, call_field },
	{ "__get_rel_dynamic_array_len", PD_NODE_DYNAMIC_LEN, call_field },
};

/* __builtin_expect(a, b) is a. */
static struct pd_trace_node *call_expect(struct pd_trace_parser *parser)
{
	struct pd_trace_node *node = pd_trace_operand(parser);

	if (!node || !pd_trace_expect(parser, PD_TOKEN_DELIM, ",") || !pd_trace_operand(parser) ||
	    !pd_trace_expect(parser, PD_TOKEN_DELIM, ")"))
		return NULL;
	return node;
}

struct pd_trace_node *pd_trace_call(struct pd_trace_parser *parser, const struct pd_trace_token *name)
{
	if (pd_trace_token_is(name, PD_TOKEN_ITEM, "__builtin_expect"))
		return call_expect(parser);
	for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
		if (!pd_trace_token_is(name, PD_TOKEN_ITEM, calls[i].name))
			continue;
		struct pd_trace_node *node = pd_trace_new_node(parser, calls[i].type);
		return node && calls[i].parse(parser, node) ? node : NULL;
	}
	pd_trace_fail(parser, "it calls a function that only the kernel has");
	return NULL;
}
