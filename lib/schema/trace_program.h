/* SPDX-License-Identifier: MIT */
/* A compiled print format: expressions are trees of nodes, the format string is an array of pieces. Immutable. */
#ifndef PD_TRACE_PROGRAM_H
#define PD_TRACE_PROGRAM_H

#include "schema/trace_types.h"

/* The numbers are libtraceevent's, which prints them in one of its messages. */
enum pd_trace_node_type {
	PD_NODE_NONE = 0,          /* the missing left side of a unary operator */
	PD_NODE_ATOM = 1,          /* a literal: number, string, name of a constant */
	PD_NODE_FIELD = 2,         /* REC->name; field is NULL if the event has no such field */
	PD_NODE_FLAGS = 3,         /* __print_flags(a, text, entries) */
	PD_NODE_SYMBOL = 4,        /* __print_symbolic(a, entries) */
	PD_NODE_HEX = 5,           /* __print_hex(a, b) */
	PD_NODE_INT_ARRAY = 6,     /* __print_array(a, b, c) */
	PD_NODE_CAST = 7,          /* (text)a */
	PD_NODE_STRING = 8,        /* __get_str(field) */
	PD_NODE_DYNAMIC = 10,      /* __get_dynamic_array(field), __get_sockaddr(field) */
	PD_NODE_OP = 11,
	PD_NODE_BITMASK = 13,      /* __get_bitmask(field) */
	PD_NODE_DYNAMIC_LEN = 14,  /* __get_dynamic_array_len(field) */
	PD_NODE_HEX_STR = 15,      /* __print_hex_str(a, b) */
	PD_NODE_CPUMASK = 16,      /* __get_cpumask(field) */
};

enum pd_trace_op {
	PD_OP_UNKNOWN,
	PD_OP_NOT,
	PD_OP_COMPLEMENT,
	PD_OP_MULTIPLY,
	PD_OP_DIVIDE,
	PD_OP_REMAINDER,
	PD_OP_PLUS,
	PD_OP_MINUS,
	PD_OP_LEFT,
	PD_OP_RIGHT,
	PD_OP_LESS,
	PD_OP_GREATER,
	PD_OP_LESS_EQUAL,
	PD_OP_GREATER_EQUAL,
	PD_OP_EQUAL,
	PD_OP_NOT_EQUAL,
	PD_OP_AND,
	PD_OP_XOR,
	PD_OP_OR,
	PD_OP_LOGICAL_AND,
	PD_OP_LOGICAL_OR,
	PD_OP_CONDITION,
	PD_OP_ALTERNATIVE, /* the two sides of a condition */
	PD_OP_INDEX,
};

/* One `{ value, "text" }` of a list. */
struct pd_trace_entry_text {
	int64_t value;
	const char *text;
	uint32_t size;
	uint32_t order;            /* index in the list */
};

struct pd_trace_node {
	enum pd_trace_node_type type;
	enum pd_trace_op op;
	int priority;              /* priority of an OP while it is parsed: larger binds weaker */
	struct pd_trace_node *a, *b, *c;
	struct pd_trace_node *next; /* next argument of the list */
	const struct perfdata_trace_field *field;
	const char *text;
	uint32_t text_size;
	uint64_t number;           /* value of a constant node; ATOM: value of the literal */
	bool is_constant;          /* the value depends on no field */
	uint64_t mask, pointer_mask; /* CAST: bits of the value, and of the value pointed to, that are kept */
	struct pd_trace_entry_text *entries;
	uint32_t nr_entries;
};

/* The form of a conversion without padding and precision, as most are. Hex may be padded with zeros. ANY: other
 * conversions. */
enum pd_trace_form { PD_FORM_ANY, PD_FORM_SIGNED, PD_FORM_UNSIGNED, PD_FORM_HEX };

/* A conversion, with printf's flags. */
struct pd_trace_spec {
	bool left, zero, plus, alternative;
	bool has_precision;
	enum pd_trace_form form;
	bool star_width, star_precision;
	bool literal;              /* printf does not understand it: `text` is printed unchanged */
	bool wide;                 /* %ls: perf prints nothing */
	int8_t bytes;              /* size of the number: 1, 2, 4, 8 */
	char conversion;           /* d u x X o c s */
	int width, precision;
};

enum pd_trace_piece_kind {
	PD_PIECE_LITERAL,
	PD_PIECE_NUMBER,
	PD_PIECE_STRING,
	PD_PIECE_POINTER,          /* %p */
	PD_PIECE_SYMBOL,           /* %ps %pf; with_offset: %pS %pF */
	PD_PIECE_MAC, PD_PIECE_IP4, PD_PIECE_IP6, PD_PIECE_SOCKADDR, PD_PIECE_UUID,
	PD_PIECE_HEX,              /* %*ph */
	PD_PIECE_NOTHING,          /* takes an argument and prints nothing: %pI without a digit */
};

/* An argument that is one integer field, cast or not, as most are. It is evaluated without its tree. */
struct pd_trace_word {
	uint32_t offset;
	uint32_t size;             /* bytes; 0: the argument is something else */
	uint64_t mask;             /* bits that the casts keep */
};

struct pd_trace_piece {
	enum pd_trace_piece_kind kind;
	struct pd_trace_spec spec;
	bool with_offset;          /* SYMBOL */
	/* flags of UUID; of MAC, IP4, UUID; of IP6; of SOCKADDR; of IP4: 3 digits each */
	bool upper, reversed, compressed, with_port, padded;
	char separator;            /* MAC, HEX; 0: none */
	const struct pd_trace_node *star, *arg;
	struct pd_trace_word word; /* NUMBER */
	const char *text;          /* LITERAL: its text, after which PD_TRACE_COPY bytes are readable */
	size_t size;
};
#define PD_TRACE_COPY 16

struct pd_trace_program {
	struct pd_trace_piece *pieces;
	size_t nr_pieces;
};

/* Limits of a print format. The largest of real kernels need a few hundred nodes and a depth of about 40. */
#define PD_TRACE_DEPTH_LIMIT 200
#define PD_TRACE_NODE_LIMIT 50000
#define PD_TRACE_WIDTH_LIMIT 4096
/* Most bytes of text of one event; the rest is cut off. A byte of raw data may become three or four characters. The
 * constant is for text that the format itself adds. It is small, so that texts of many small records cannot fill the
 * memory. */
#define PD_TRACE_TEXT_LIMIT(raw_size) (((size_t)1 << 14) + 16 * (raw_size))

/* The format string and the arguments after it. */
struct pd_trace_arguments {
	const char *format;        /* format string, escapes not expanded */
	size_t format_size;
	struct pd_trace_node *first;
};

/* Parses `event->print`. False: *ret_problem is the reason; NULL: no memory. */
bool pd_trace_parse_print(struct pd_arena *arena, const struct perfdata_trace_event *event, unsigned long_size,
			  struct pd_trace_arguments *ret_arguments, const char **ret_problem);

/* Joins the format string and the arguments. Returns as pd_trace_parse_print. */
bool pd_trace_build(struct pd_arena *arena, const struct pd_trace_arguments *arguments,
		    struct pd_trace_program *ret_program, const char **ret_problem);

/* --- running ------------------------------------------------------------------------------------------------- */

struct pd_trace_run {
	struct perfdata_bytes raw;
	const struct perfdata_trace_context *context;
	struct perfdata_text *out;
	bool swap;
	bool damaged;              /* the raw data was too short for a field */
	unsigned long_size;
};

/* Computes a node that is not constant. */
uint64_t pd_trace_compute(struct pd_trace_run *run, const struct pd_trace_node *node);
static inline uint64_t pd_trace_eval(struct pd_trace_run *run, const struct pd_trace_node *node)
{
	return node->is_constant ? node->number : pd_trace_compute(run, node);
}
/* Computes and marks the constant nodes below `node`. Returns whether `node` itself is constant. */
bool pd_trace_mark_constants(struct pd_trace_node *node);
/* Finds the bytes of a dynamic field. False: the raw data does not contain them. */
bool pd_trace_dynamic(struct pd_trace_run *run, const struct perfdata_trace_field *field, struct perfdata_bytes *ret);
void pd_trace_spell_number(struct perfdata_text *out, const struct pd_trace_spec *spec, uint64_t value);
/* Formats a number by a spec with a pd_trace_form other than ANY. */
void pd_trace_spell_quick(struct perfdata_text *out, const struct pd_trace_spec *spec, uint64_t value);
void pd_trace_spell_string(struct pd_trace_run *run, const struct pd_trace_spec *spec,
			   const struct pd_trace_node *node);
/* Appends one piece. */
void pd_trace_run_piece(struct pd_trace_run *run, const struct pd_trace_piece *piece);
void pd_trace_spell_address(struct pd_trace_run *run, const struct pd_trace_piece *piece, int64_t star);

#endif
