/* SPDX-License-Identifier: MIT */
/* Compiles the format string of a print format: joins its pieces with their arguments. */
#include "base/memory.h"
#include "schema/trace_program.h"

struct build {
	const char *at, *end;
	struct pd_trace_node *argument;        /* next unused argument */
	struct perfdata_text literal;          /* text before the next piece */
	struct pd_trace_piece *pieces;
	size_t count, capacity;
	struct pd_arena *arena;
	bool no_memory;
	const char *problem;
};

static bool add_piece(struct build *build, const struct pd_trace_piece *piece)
{
	if (pd_vector_grow(&build->pieces, &build->capacity, build->count, sizeof *build->pieces) != 0) {
		build->no_memory = true;
		return false;
	}
	build->pieces[build->count++] = *piece;
	return true;
}

static const char *literal_copy(struct build *build)
{
	char *copy = pd_arena_calloc(build->arena, build->literal.size + PD_TRACE_COPY, 1);

	if (copy)
		memcpy(copy, build->literal.data, build->literal.size);
	return copy;
}

static bool flush_literal(struct build *build)
{
	if (!build->literal.size)
		return true;
	const struct pd_trace_piece piece = {
		.kind = PD_PIECE_LITERAL,
		.text = literal_copy(build),
		.size = build->literal.size,
	};
	perfdata_text_clear(&build->literal);
	if (!piece.text) {
		build->no_memory = true;
		return false;
	}
	return add_piece(build, &piece);
}

static bool take_argument(struct build *build, const struct pd_trace_node **ret_node)
{
	if (!build->argument) {
		build->problem = "it has fewer arguments than conversions";
		return false;
	}
	pd_trace_mark_constants(build->argument);
	*ret_node = build->argument;
	build->argument = build->argument->next;
	return true;
}

/* --- %p ------------------------------------------------------------------------------------------------------- */

static bool accept_char(struct build *build, char c)
{
	if (build->at == build->end || *build->at != c)
		return false;
	build->at++;
	return true;
}

static bool accept_any(struct build *build, const char *set, char *ret_found)
{
	if (build->at == build->end || !strchr(set, *build->at))
		return false;
	*ret_found = *build->at++;
	return true;
}

/* Parses the letters of a conversion that follow %pI or %pi. */
static void internet_piece(struct build *build, struct pd_trace_piece *piece, bool padded)
{
	char order;

	piece->padded = padded;
	if (accept_char(build, '4')) {
		piece->kind = PD_PIECE_IP4;
		piece->reversed = accept_any(build, "hnbl", &order) && (order == 'h' || order == 'l');
	} else if (accept_char(build, '6')) {
		piece->kind = PD_PIECE_IP6;
		piece->compressed = accept_char(build, 'c') && !padded;
	} else if (accept_char(build, 'S')) {
		piece->kind = PD_PIECE_SOCKADDR;
		piece->with_port = accept_char(build, 'p') && !padded;
		const bool more = accept_any(build, "fs", &order);
		if (more)
			accept_char(build, 's');
		piece->compressed = accept_char(build, 'c') && !padded && !more;
	} else {
		piece->kind = PD_PIECE_NOTHING;
	}
}

static void mac_piece(struct build *build, struct pd_trace_piece *piece, bool separated)
{
	char form = 0;

	piece->kind = PD_PIECE_MAC;
	accept_any(build, "RF", &form);
	piece->reversed = form == 'R';
	piece->separator = !separated ? 0 : form == 'F' ? '-' : ':';
}

static void uuid_piece(struct build *build, struct pd_trace_piece *piece)
{
	char form = 0;

	piece->kind = PD_PIECE_UUID;
	accept_any(build, "bBlL", &form);
	piece->upper = form == 'B' || form == 'L';
	piece->reversed = form == 'l' || form == 'L';
}

static void hex_piece(struct build *build, struct pd_trace_piece *piece)
{
	char form = 0;

	piece->kind = PD_PIECE_HEX;
	accept_any(build, "CDN", &form);
	piece->separator = form == 'C' ? ':' : form == 'D' ? '-' : form == 'N' ? 0 : ' ';
}

/* Parses the letters of a conversion that follow %p. perf prints unknown letters after the address. */
static void pointer_piece(struct build *build, struct pd_trace_piece *piece)
{
	char letter = 0;

	piece->kind = PD_PIECE_POINTER;
	if (!accept_any(build, "FSfsMmIiUh", &letter))
		return;
	switch (letter) {
	case 'F':
	case 'S':
		piece->with_offset = true;
		/* fall through */
	case 'f':
	case 's':
		piece->kind = PD_PIECE_SYMBOL;
		break;
	case 'M':
	case 'm':
		mac_piece(build, piece, letter == 'M');
		break;
	case 'I':
	case 'i':
		internet_piece(build, piece, letter == 'i');
		break;
	case 'U':
		uuid_piece(build, piece);
		break;
	default:
		hex_piece(build, piece);
	}
}

/* --- conversions ---------------------------------------------------------------------------------------------- */

static int limited_width(int value) { return value > PD_TRACE_WIDTH_LIMIT ? PD_TRACE_WIDTH_LIMIT : value; }

static int parse_digits(const char **at, const char *end)
{
	int value = 0;

	for (; *at < end && **at >= '0' && **at <= '9'; ++*at)
		value = limited_width(value * 10 + (**at - '0'));
	return value;
}

/* Reads flags, width and precision as printf does. A spec that printf does not understand is printed as text. */
static void read_spec(struct pd_trace_spec *spec, const char *at, const char *end)
{
	for (; at < end; at++) {
		if (*at == '-')
			spec->left = true;
		else if (*at == '0')
			spec->zero = true;
		else if (*at == '+')
			spec->plus = true;
		else if (*at == '#')
			spec->alternative = true;
		else
			break;
	}
	if (at < end && *at == '*') {
		spec->star_width = true;
		at++;
	} else {
		spec->width = parse_digits(&at, end);
	}
	if (at < end && *at == '.') {
		spec->has_precision = true;
		at++;
		if (at < end && *at == '*') {
			spec->star_precision = true;
			at++;
		} else {
			spec->precision = parse_digits(&at, end);
		}
	}
	while (at < end && strchr("hlLzZ", *at))
		at++;
	spec->literal = at < end;
}

static enum pd_trace_form form_of(const struct pd_trace_spec *spec)
{
	const bool filled = spec->width && !spec->zero;

	if (spec->literal || spec->left || spec->plus || spec->alternative || spec->has_precision || spec->star_width ||
	    filled)
		return PD_FORM_ANY;
	if (spec->conversion == 'x' && spec->width <= 16)
		return PD_FORM_HEX;
	if (spec->width)
		return PD_FORM_ANY;
	return spec->conversion == 'd' ? PD_FORM_SIGNED : spec->conversion == 'u' ? PD_FORM_UNSIGNED : PD_FORM_ANY;
}

static struct pd_trace_word word_of(const struct pd_trace_node *node)
{
	struct pd_trace_word word = { .mask = UINT64_MAX };

	for (; node->type == PD_NODE_CAST; node = node->a)
		word.mask &= node->mask;
	if (node->type != PD_NODE_FIELD || !node->field)
		return word;
	const uint32_t size = node->field->size;
	if (size == 1 || size == 2 || size == 4 || size == 8) {
		word.offset = node->field->offset;
		word.size = size;
	}
	return word;
}

static int8_t number_bytes(int longs)
{
	return longs <= -2 ? 1 : longs == -1 ? 2 : longs == 0 ? 4 : 8;
}

/* A conversion that libtraceevent does not know is printed as ">x<" and takes no argument. */
static void unknown_conversion(struct build *build, char c)
{
	const char text[3] = { '>', c, '<' };

	perfdata_text_append(&build->literal, text, sizeof text);
}

static bool finish_conversion(struct build *build, struct pd_trace_piece *piece, const char *start, char c, int longs)
{
	const char *spec_end = build->at - 1;

	read_spec(&piece->spec, start, spec_end);
	piece->spec.bytes = number_bytes(longs);
	piece->spec.conversion = c == 'i' ? 'd' : c;
	piece->spec.form = form_of(&piece->spec);
	if (c == 'p')
		pointer_piece(build, piece);
	else
		piece->kind = c == 's' ? PD_PIECE_STRING : PD_PIECE_NUMBER;
	piece->spec.wide = c == 's' && longs > 0;
	if (piece->spec.literal && c != 'p') {
		piece->text = pd_arena_copy(build->arena, start - 1, (size_t)(spec_end - start) + 2);
		piece->size = (size_t)(spec_end - start) + 2;
		build->no_memory |= !piece->text;
	}
	if (!take_argument(build, &piece->arg))
		return false;
	piece->word = word_of(piece->arg);
	return flush_literal(build) && add_piece(build, piece);
}

/* Parses the rest of a conversion, from the character after '%' on. */
static bool parse_conversion(struct build *build)
{
	const char *const start = build->at;
	struct pd_trace_piece piece = { .kind = PD_PIECE_NUMBER };
	int longs = 0;

	while (build->at < build->end) {
		const char c = *build->at++;
		switch (c) {
		case 'h':
			longs--;
			break;
		case 'l':
			longs++;
			break;
		case 'L':
			longs = 2;
			break;
		case 'z':
		case 'Z':
			longs = 1;
			break;
		case '0': case '1': case '2': case '3': case '4': case '5': case '6': case '7': case '8': case '9':
		case '#': case '-': case '+': case '.':
			break;
		case '*':
			if (piece.star) {
				build->problem = "a conversion takes its width and its precision from arguments";
				return false;
			}
			if (!take_argument(build, &piece.star))
				return false;
			break;
		case '%':
			if (build->at - start == 1) {
				perfdata_text_char(&build->literal, '%');
				return true;
			}
			unknown_conversion(build, c);
			return true;
		case 'd': case 'u': case 'i': case 'x': case 'X': case 'o': case 'c': case 's': case 'p':
			return finish_conversion(build, &piece, start, c, longs);
		default:
			unknown_conversion(build, c);
			return true;
		}
	}
	return true;
}

static void parse_escape(struct build *build)
{
	if (build->at == build->end)
		return;
	const char c = *build->at++;
	perfdata_text_char(&build->literal, c == 'n' ? '\n' : c == 't' ? '\t' : c == 'r' ? '\r' : c);
}

static bool build_pieces(struct build *build)
{
	while (build->at < build->end) {
		const char c = *build->at++;
		if (c == '\\')
			parse_escape(build);
		else if (c != '%')
			perfdata_text_char(&build->literal, c);
		else if (!parse_conversion(build))
			return false;
	}
	return flush_literal(build);
}

bool pd_trace_build(struct pd_arena *arena, const struct pd_trace_arguments *arguments,
		    struct pd_trace_program *ret_program, const char **ret_problem)
{
	struct build build = {
		.at = arguments->format,
		.end = arguments->format + arguments->format_size,
		.argument = arguments->first,
		.arena = arena,
	};
	bool ok = build_pieces(&build) && !build.no_memory && !build.literal.failed;

	if (ok && build.count) {
		ret_program->pieces = (void *)pd_arena_copy(arena, build.pieces, build.count * sizeof *build.pieces);
		ret_program->nr_pieces = build.count;
		ok = ret_program->pieces != NULL;
	}
	*ret_problem = build.problem;
	pd_free(build.pieces);
	perfdata_text_release(&build.literal);
	return ok;
}
