/* SPDX-License-Identifier: MIT */
/* Bounds the size of a demangled C++ name before the C++ runtime demangles it. References repeat parts of a name, so
 * that a name of 60 bytes can need gigabytes, and the runtime has no limit.
 *
 * A walk over the grammar of the Itanium C++ ABI adds the sizes of a name's parts. It knows what everyday names are
 * made of, and refuses anything else, even if that is valid, for example most expressions. Then a coarse bound decides,
 * which needs no grammar. The walk's rules hold for the runtimes of gcc and LLVM. */
#include "config.h"
#include <limits.h>
#include <string.h>
#include "symbols/symbols.h"

#define MOST_SHOWN ((uint64_t)1 << 20)   /* units of work; real names need a small part of it */
#define TOO_MUCH (MOST_SHOWN + 1)        /* a size beyond the limit, or of a name that the walk refuses */

static uint64_t bounded_sum(uint64_t a, uint64_t b)
{
	return a > MOST_SHOWN || b > MOST_SHOWN || a + b > MOST_SHOWN ? TOO_MUCH : a + b;
}

static uint64_t bounded_product(uint64_t a, uint64_t b)
{
	return a > MOST_SHOWN || b > MOST_SHOWN || a * b > MOST_SHOWN ? TOO_MUCH : a * b;
}

static uint64_t larger(uint64_t a, uint64_t b) { return a > b ? a : b; }
static bool is_digit(char c) { return c >= '0' && c <= '9'; }
static bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
static bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }

/* Takes a reference "S_", "S0_", "SZ_", "S10_", "T_" …: its number, and its end. False: not a reference. */
static bool take_reference(const char *at, uint64_t *ret, const char **ret_end)
{
	const char *const first = ++at;
	uint64_t number = 0;
	for (; is_digit(*at) || is_upper(*at); at++)
		if (number <= MOST_SHOWN)
			number = number * 36 + (uint64_t)(*at <= '9' ? *at - '0' : *at - 'A' + 10);
	*ret = at == first ? 0 : number + 1;
	*ret_end = at + 1;
	return *at == '_';
}

/* --- without the grammar ------------------------------------------------------------------------------------------ */

#define MOST_REFERENCES 64u   /* references with a bound of their own; later ones count as the whole text before */

/* Returns an upper bound of a demangled name's parts, of some bytes each.
 * A reference repeats a part that ended before its first use, so its first use is at most as long as all text before
 * it, and later uses are as long as the first. A template parameter ("T_") is at most as long as all text before it or
 * `parameter`. */
static uint64_t bound_text(const char *name, uint64_t parameter)
{
	uint64_t known[MOST_REFERENCES] = { 0 }, size = 1, number;
	for (const char *end; *name && size <= MOST_SHOWN; name = end) {
		if (*name == 'S' && take_reference(name, &number, &end)) {
			const uint64_t first = number < MOST_REFERENCES && known[number] ? known[number] : size;
			if (number < MOST_REFERENCES)
				known[number] = first;
			size = bounded_sum(size, first);
		} else if (*name == 'T' && take_reference(name, &number, &end)) {
			size = bounded_sum(size, larger(size, parameter) + 1);
		} else {
			end = name + 1;
			size++;
		}
	}
	return size;
}

static uint64_t bound_coarsely(const char *name)
{
	const uint64_t size = bound_text(name, 0);
	/* conversion operators ("cv") may name a template parameter before its value */
	return strstr(name, "cv") && size <= MOST_SHOWN ? bound_text(name, size) : size;
}

/* --- by the grammar ----------------------------------------------------------------------------------------------- */

#define MOST_CANDIDATES 1024u   /* parts that references may name */
#define MOST_UNNAMED 64u
#define LEAST_ARGUMENT 16u      /* a parameter may be one of a lambda, which is shown as "auto:1" */
#define DEEPEST 200u            /* types, arguments, and functions inside each other */

/* A part that later references may name. */
struct candidate {
	uint32_t size;
	uint32_t parameters;   /* how many in it a reference from another function can give another value */
	uint32_t argument;     /* their least size in `size` */
};

/* The runtimes replace a template parameter by an argument of the function around it, when they read it (LLVM) or show
 * it (gcc, which shows "T_&" as at its first use). All are arguments that precede the parameter, or the reference to
 * it, so that it is at most as large as the largest argument before. */
struct walk {
	const char *at;
	uint64_t most_in_pack;      /* most arguments of a pack, found by the pass before */
	uint64_t in_pack;           /* the same, of this pass */
	uint64_t argument;          /* size of the largest argument of a function yet */
	uint64_t parameters;        /* parameters yet, without those of functions and lambdas that ended */
	uint64_t identifier;        /* size of the longest identifier yet; constructors repeat one */
	uint64_t unnamed;           /* size of the largest unnamed type or lambda yet */
	unsigned unnamed_count;
	unsigned function_count;
	unsigned depth;
	unsigned least_candidate;   /* references to an older one with parameters are refused: they are shown first */
	bool ends_in_arguments;     /* the function's name ends in template arguments, which its parameters name */
	bool is_conversion;         /* inside the type of a conversion operator */
	unsigned candidate_count;
	struct candidate *candidates;   /* room for MOST_CANDIDATES, not cleared: most names have few */
};

/* Where a part starts. */
struct start { uint64_t parameters, argument; };

static uint64_t take_type(struct walk *w);
static uint64_t take_encoding(struct walk *w);
static uint64_t take_name(struct walk *w, bool is_of_function);
static uint64_t take_arguments(struct walk *w, bool are_of_function);

/* Ends the walk: nothing can be taken from here. */
static uint64_t refuse(struct walk *w)
{
	w->at = "";
	return TOO_MUCH;
}

/* Most texts that are tried differ in their first byte. */
static bool take(struct walk *w, const char *text)
{
	const char *at = w->at;
	for (; *text; at++, text++)
		if (*at != *text)
			return false;
	w->at = at;
	return true;
}

static struct start start_of(const struct walk *w)
{
	return (struct start){ .parameters = w->parameters, .argument = w->argument };
}

static uint64_t add_candidate(struct walk *w, struct start start, uint64_t size)
{
	const uint64_t parameters = w->parameters - start.parameters;
	if (w->candidate_count == MOST_CANDIDATES || size > MOST_SHOWN || parameters > MOST_SHOWN)
		return refuse(w);
	w->candidates[w->candidate_count++] = (struct candidate){ .size = (uint32_t)size,
								  .parameters = (uint32_t)parameters,
								  .argument = (uint32_t)start.argument };
	return size;
}

/* Returns the size of what a reference names. Some runtimes make an unnamed type a candidate once more than others,
 * which moves the numbers of later ones. */
static uint64_t find_candidate(struct walk *w, uint64_t number)
{
	uint64_t size = w->unnamed, parameters = 0;
	if (number >= (uint64_t)w->candidate_count + w->unnamed_count)
		return refuse(w);
	for (uint64_t i = number > w->unnamed_count ? number - w->unnamed_count : 0; i <= number; i++) {
		if (i >= w->candidate_count)
			break;
		const struct candidate *c = &w->candidates[i];
		if (c->parameters && i < w->least_candidate)
			return refuse(w);
		size = larger(size, bounded_sum(c->size, bounded_product(c->parameters, w->argument - c->argument)));
		parameters = larger(parameters, c->parameters);
	}
	w->parameters += parameters;
	return size;
}

/* Takes "S_", "S0_", …, or a name of the standard library ("Ss"), which is a part of "std" with its arguments before a
 * constructor. */
static uint64_t take_substitution(struct walk *w)
{
	static const struct { char code; uint8_t size; } library[] = {
		{ 'a', 14 }, { 'b', 17 }, { 's', 74 }, { 'i', 49 }, { 'o', 49 }, { 'd', 50 },
	};
	uint64_t number;
	const char *end;
	if (take_reference(w->at, &number, &end)) {
		w->at = end;
		return find_candidate(w, number);
	}
	for (size_t i = 0; i < sizeof library / sizeof *library; i++) {
		if (w->at[1] == library[i].code) {
			w->at += 2;
			w->identifier = larger(w->identifier, strlen("basic_iostream"));
			return library[i].size;
		}
	}
	return refuse(w);
}

/* Takes "T_", "T0_", …. In the type of a conversion operator it may name arguments of any template, also later ones. */
static uint64_t take_parameter(struct walk *w)
{
	uint64_t number;
	const char *end;
	if (w->is_conversion || !take_reference(w->at, &number, &end))
		return refuse(w);
	w->at = end;
	w->parameters++;
	return w->argument;
}

/* Takes digits, and returns how many. */
static uint64_t take_digits(struct walk *w)
{
	const size_t size = strspn(w->at, "0123456789");
	w->at += size;
	return size;
}

static uint64_t take_identifier(struct walk *w)
{
	uint64_t size = 0;
	if (*w->at == '0' || !is_digit(*w->at))
		return refuse(w);
	for (; is_digit(*w->at) && size <= MOST_SHOWN; w->at++)
		size = size * 10 + (uint64_t)(*w->at - '0');
	if (size > MOST_SHOWN || strnlen(w->at, (size_t)size) < size)
		return refuse(w);
	const bool is_anonymous = *w->at == '_';
	w->at += size;
	size = is_anonymous ? larger(size, strlen("(anonymous namespace)")) : size;
	w->identifier = larger(w->identifier, size);
	return size;
}

/* Takes types up to an 'E' or an end of the name. */
static uint64_t take_types(struct walk *w)
{
	uint64_t size = 0;
	while (*w->at && *w->at != 'E' && *w->at != '.')
		size = bounded_sum(size, bounded_sum(take_type(w), strlen(", ")));
	return size;
}

/* Takes a literal after its 'L', a function for example, or a number, whose value may be shown in another base. */
static uint64_t take_literal(struct walk *w)
{
	uint64_t size = strlen("(false)-&()");
	if (take(w, "_Z")) {
		size = bounded_sum(size, take_encoding(w));
	} else if (*w->at != 'Z') {   /* gcc's runtime takes a 'Z' as a function, LLVM's as a type */
		size = bounded_sum(size, take_type(w));
		const size_t value = strspn(w->at, "n0123456789abcdef");
		w->at += value;
		size = bounded_sum(size, 2 * value);
	}
	return take(w, "E") ? size : refuse(w);
}

/* Takes an expression after its 'X': only a name, a parameter, or the address of a function. */
static uint64_t take_expression(struct walk *w)
{
	uint64_t size;
	if (take(w, "adL"))
		size = bounded_sum(take_literal(w), strlen("&()"));
	else if (take(w, "sp"))
		size = bounded_product(bounded_sum(take_parameter(w), strlen("(), ...")), w->most_in_pack + 1);
	else if (*w->at == 'T')
		size = take_parameter(w);
	else
		size = take_identifier(w);
	if (*w->at == 'I')
		size = bounded_sum(size, take_arguments(w, false));
	return take(w, "E") ? bounded_sum(size, strlen("()")) : refuse(w);
}

/* Takes the arguments of a template, or of a pack in them. Parameters only name arguments of functions, which may
 * contain no parameter of another function. */
static uint64_t take_arguments(struct walk *w, bool are_of_function)
{
	const bool is_pack = *w->at == 'J';
	uint64_t size = strlen("<>  "), count = 0;
	if (++w->depth > DEEPEST)
		return refuse(w);
	for (w->at++; size <= MOST_SHOWN && !take(w, "E"); count++) {
		uint64_t argument;
		if (take(w, "Tn"))   /* the type of the parameter */
			size = bounded_sum(size, take_type(w));
		const bool is_alone = is_pack || *w->at != 'J';
		const uint64_t parameters = w->parameters;
		if (*w->at == 'J')
			argument = take_arguments(w, are_of_function);
		else if (take(w, "X"))
			argument = take_expression(w);
		else
			argument = take(w, "L") ? take_literal(w) : take_type(w);
		if (are_of_function && (argument > MOST_SHOWN || w->parameters != parameters))
			return refuse(w);
		if (are_of_function && is_alone)
			w->argument = larger(w->argument, argument);
		size = bounded_sum(size, bounded_sum(argument, strlen(", ")));
	}
	w->in_pack = larger(w->in_pack, is_pack ? count : 0);
	w->ends_in_arguments |= are_of_function;
	w->depth--;
	return size;
}

/* Takes what follows "Ul" or "Ut": {lambda(int)#1}, {unnamed type#1}. */
static uint64_t take_unnamed(struct walk *w)
{
	const uint64_t parameters = w->parameters;
	uint64_t size = strlen("{unnamed type#}()") + 2;
	if (take(w, "Ul")) {
		size = bounded_sum(size, take_types(w));
		if (!take(w, "E"))
			return refuse(w);
	} else if (!take(w, "Ut")) {
		return refuse(w);
	}
	size = bounded_sum(size, take_digits(w));
	if (!take(w, "_") || ++w->unnamed_count > MOST_UNNAMED)
		return refuse(w);
	w->parameters = parameters;
	w->unnamed = larger(w->unnamed, size);
	return size;
}

/* Takes an operator's two letters, and what follows. Unknown ones are no names for the runtime. */
static uint64_t take_operator(struct walk *w)
{
	const uint64_t prefix = strlen("operator ");
	if (take(w, "cv")) {
		const bool was_conversion = w->is_conversion;
		w->is_conversion = true;
		const uint64_t size = take_type(w);
		w->is_conversion = was_conversion;
		return bounded_sum(size, prefix);
	}
	if (take(w, "li"))
		return bounded_sum(take_identifier(w), prefix + strlen("\"\" "));
	if (!is_lower(w->at[0]) || !(is_lower(w->at[1]) || is_upper(w->at[1])) || take(w, "on"))
		return refuse(w);
	w->at += 2;
	return prefix + strlen("reinterpret_cast");
}

/* Takes one part of a qualified name, with its tags. */
static uint64_t take_unqualified(struct walk *w)
{
	uint64_t size;
	if (is_digit(*w->at)) {
		size = take_identifier(w);
	} else if ((*w->at == 'C' || *w->at == 'D') && is_digit(w->at[1])) {
		w->at += 2;
		size = bounded_sum(w->identifier, strlen("~"));
	} else if (*w->at == 'U') {
		size = take_unnamed(w);
	} else if (take(w, "L")) {
		size = take_identifier(w);
		if (*w->at == '_')
			return refuse(w);
	} else {
		size = take_operator(w);
	}
	while (size <= MOST_SHOWN && take(w, "B"))
		size = bounded_sum(size, bounded_sum(take_identifier(w), strlen("[abi:]")));
	return size;
}

/* Takes "N … E". Each part but the last becomes a candidate with all before it. */
static uint64_t take_nested(struct walk *w, bool is_of_function)
{
	const struct start start = start_of(w);
	uint64_t size = 0;
	for (w->at++; *w->at == 'r' || *w->at == 'V' || *w->at == 'K'; w->at++)
		size += strlen(" restrict");
	size += take(w, "R") || take(w, "O") ? strlen(" &&") : 0;
	bool is_first = true, is_candidate = true;
	do {
		if (is_first && take(w, "St")) {
			size += strlen("std");
			is_candidate = false;
		} else if (is_first && *w->at == 'S') {
			size = bounded_sum(size, take_substitution(w));
			is_candidate = false;
		} else if (is_first && *w->at == 'T') {
			size = bounded_sum(size, take_parameter(w));
		} else if (!is_first && *w->at == 'I') {
			size = bounded_sum(size, take_arguments(w, is_of_function));
			is_candidate = true;
		} else {
			size = bounded_sum(size, bounded_sum(take_unqualified(w), strlen("::")));
			is_candidate = true;
			w->ends_in_arguments &= !is_of_function;
		}
		if (is_first && *w->at == 'E' && !is_candidate)
			return refuse(w);
		if (is_candidate && *w->at != 'E')
			add_candidate(w, start, size);
		is_first = false;
	} while (size <= MOST_SHOWN && !take(w, "E"));
	return size;
}

/* Takes "Z … E …": what is inside a function. */
static uint64_t take_local(struct walk *w, bool is_of_function)
{
	w->at++;
	uint64_t size = take_encoding(w);
	if (!take(w, "E"))
		return refuse(w);
	if (take(w, "s"))
		size = bounded_sum(size, strlen("::string literal"));
	else if (*w->at == 'd')
		return refuse(w);
	else
		size = bounded_sum(size, bounded_sum(take_name(w, is_of_function), strlen("::")));
	/* one digit, or more with another '_' before and after them */
	const char *at = w->at;
	if (*at != '_')
		return size;
	if (at[1] == '_') {
		w->at += 2;
		return take_digits(w) > 1 && take(w, "_") ? size : refuse(w);
	}
	w->at++;
	return take_digits(w) == 1 ? size : refuse(w);
}

static uint64_t take_name(struct walk *w, bool is_of_function)
{
	const struct start start = start_of(w);
	uint64_t size = 0;
	bool is_candidate = true;
	if (*w->at == 'N')
		return take_nested(w, is_of_function);
	if (*w->at == 'Z')
		return take_local(w, is_of_function);
	if (take(w, "St")) {
		size = bounded_sum(take_unqualified(w), strlen("std::"));
	} else if (*w->at == 'S') {
		size = take_substitution(w);
		is_candidate = false;
		if (*w->at != 'I')
			return refuse(w);
	} else {
		size = take_unqualified(w);
	}
	if (*w->at == 'I') {
		if (is_candidate)
			add_candidate(w, start, size);
		size = bounded_sum(size, take_arguments(w, is_of_function));
	}
	return size;
}

/* --- types -------------------------------------------------------------------------------------------------------- */

/* Returns the size of a fundamental type's name, and its code's length; 0: another type. */
static uint64_t size_of_fundamental(const char *at, size_t *ret_length)
{
	static const uint8_t sizes[1 << CHAR_BIT] = {
		['v'] = 4, ['w'] = 7, ['b'] = 4, ['c'] = 4, ['a'] = 11, ['h'] = 13, ['s'] = 5, ['t'] = 14, ['i'] = 3,
		['j'] = 12, ['l'] = 4, ['m'] = 18, ['x'] = 9, ['y'] = 18, ['n'] = 8, ['o'] = 17, ['f'] = 5, ['d'] = 6,
		['e'] = 11, ['g'] = 10, ['z'] = 3,
	};
	static const uint8_t sizes_after_d[1 << CHAR_BIT] = {
		['a'] = 4, ['c'] = 14, ['n'] = 17, ['i'] = 8, ['s'] = 8, ['u'] = 7,
	};
	const bool is_d = *at == 'D';
	*ret_length = is_d ? 2 : 1;
	return is_d ? sizes_after_d[(unsigned char)at[1]] : sizes[(unsigned char)*at];
}

/* Takes "F … E", the type of a function. */
static uint64_t take_function(struct walk *w)
{
	uint64_t size = strlen(" () const &&");
	if (!take(w, "F"))
		return refuse(w);
	(void)take(w, "Y");
	while (*w->at && !((*w->at == 'R' || *w->at == 'O') && w->at[1] == 'E') && *w->at != 'E')
		size = bounded_sum(size, bounded_sum(take_type(w), strlen(", ")));
	w->at += *w->at == 'R' || *w->at == 'O' ? 1 : 0;
	return take(w, "E") ? size : refuse(w);
}

/* Takes a type with qualifiers, which are one candidate, in the only order that all runtimes read alike. */
static uint64_t take_qualified(struct walk *w)
{
	uint64_t size = 0;
	for (const char *code = "rVK"; *code; code++) {
		if (*w->at == *code) {
			size += strlen(" restrict");
			w->at++;
		}
	}
	if (*w->at == 'r' || *w->at == 'V' || *w->at == 'K')
		return refuse(w);
	if (take(w, "Do"))
		size = bounded_sum(size + strlen(" noexcept"), *w->at == 'F' ? take_function(w) : refuse(w));
	else
		size = bounded_sum(size, *w->at == 'F' ? take_function(w) : take_type(w));
	return size;
}

/* Takes an array "A4_i", or a vector "Dv4_i" after its code. */
static uint64_t take_elements(struct walk *w)
{
	uint64_t size = strlen(" __vector() [] ") + take_digits(w);
	if (!take(w, "_") || *w->at == 'p')
		return refuse(w);
	return bounded_sum(size, take_type(w));
}

/* Takes a pattern that is shown once for each argument of a pack, or not at all; the runtime looks at it once more. */
static uint64_t take_expansion(struct walk *w)
{
	const uint64_t parameters = w->parameters;
	const uint64_t size = bounded_product(bounded_sum(take_type(w), strlen(", ...")), w->most_in_pack + 1);
	w->parameters += bounded_product(w->parameters - parameters, w->most_in_pack);
	return size;
}

/* Takes a type that becomes a candidate. */
static uint64_t take_candidate_type(struct walk *w)
{
	const uint64_t pointer = strlen(" (*)");
	if (is_digit(*w->at) || *w->at == 'N' || *w->at == 'Z')
		return take_name(w, false);
	if (*w->at == 'F')
		return take_function(w);
	if (*w->at == 'r' || *w->at == 'V' || *w->at == 'K' || !strncmp(w->at, "Do", 2))
		return take_qualified(w);
	if (take(w, "P") || take(w, "R") || take(w, "O"))
		return bounded_sum(take_type(w), pointer);
	if (take(w, "M")) {
		/* The owner is shown after the type; twice by gcc if it is no class. */
		const unsigned count = w->function_count, least = w->least_candidate;
		const uint64_t parameters = w->parameters;
		uint64_t size = bounded_product(bounded_sum(take_type(w), pointer + strlen("::")), 2);
		w->parameters += w->parameters - parameters;
		w->least_candidate = count == w->function_count ? least : w->candidate_count;
		size = bounded_sum(size, take_type(w));
		w->least_candidate = least;
		return size;
	}
	if (take(w, "A") || take(w, "Dv"))
		return take_elements(w);
	if (take(w, "Dp"))
		return take_expansion(w);
	return refuse(w);
}

/* Takes "T_" or a reference, which becomes a candidate if it has template arguments. */
static uint64_t take_named_before(struct walk *w)
{
	const struct start start = start_of(w);
	const bool is_parameter = *w->at == 'T';
	uint64_t size = is_parameter ? take_parameter(w) : take_substitution(w);
	if (is_parameter)
		add_candidate(w, start, size);
	if (*w->at != 'I')
		return size;
	return add_candidate(w, start, bounded_sum(size, take_arguments(w, false)));
}

static uint64_t take_type(struct walk *w)
{
	const struct start start = start_of(w);
	size_t length;
	uint64_t size = size_of_fundamental(w->at, &length);
	if (size) {
		w->at += length;
		return size;
	}
	if (++w->depth > DEEPEST)
		return refuse(w);
	if (*w->at == 'T' || (*w->at == 'S' && w->at[1] != 't'))
		size = take_named_before(w);
	else
		size = add_candidate(w, start, *w->at == 'S' ? take_name(w, false) : take_candidate_type(w));
	w->depth--;
	return size;
}

/* --- whole names -------------------------------------------------------------------------------------------------- */

/* Takes a name that the compiler makes, after its 'T' or 'G'. */
static uint64_t take_special(struct walk *w)
{
	const uint64_t size = strlen("construction vtable for -in- ");
	if (take(w, "TV") || take(w, "TT") || take(w, "TI") || take(w, "TS"))
		return bounded_sum(size, take_type(w));
	if (take(w, "GV"))
		return bounded_sum(size, take_name(w, true));
	if (!take(w, "Th") && !take(w, "Tv"))
		return refuse(w);
	const bool is_virtual = w->at[-1] == 'v';
	for (int i = 0; i <= is_virtual; i++) {
		(void)take(w, "n");
		if (!take_digits(w) || !take(w, "_"))
			return refuse(w);
	}
	return bounded_sum(size, take_encoding(w));
}

/* Takes a function's name and types. A result, which may be the first type, is shown before the name. */
static uint64_t take_signature(struct walk *w)
{
	const bool outer_ends = w->ends_in_arguments;
	const unsigned count = w->function_count;
	w->ends_in_arguments = false;
	uint64_t size = bounded_sum(take_name(w, true), strlen(" ()"));
	const bool has_arguments = w->ends_in_arguments;
	const uint64_t parameters = w->parameters;
	const unsigned least = w->least_candidate;
	if (has_arguments && count != w->function_count && *w->at && *w->at != 'E' && *w->at != '.') {
		w->least_candidate = w->candidate_count;
		size = bounded_sum(size, bounded_sum(take_type(w), strlen(", ")));
		w->least_candidate = least;
	}
	size = bounded_sum(size, take_types(w));
	w->parameters = has_arguments ? parameters : w->parameters;
	w->ends_in_arguments = outer_ends;
	return size;
}

static uint64_t take_encoding(struct walk *w)
{
	if (++w->depth > DEEPEST)
		return refuse(w);
	w->function_count++;
	const uint64_t size = *w->at == 'T' || *w->at == 'G' ? take_special(w) : take_signature(w);
	w->depth--;
	return size;
}

/* Returns a bound of the size, if packs are as large as the pass before found them. */
static uint64_t walk_once(struct walk *w, const char *name)
{
	*w = (struct walk){
		.at = name, .argument = LEAST_ARGUMENT, .most_in_pack = w->in_pack, .candidates = w->candidates
	};
	uint64_t size = take(w, "_Z") ? take_encoding(w) : refuse(w);
	if (*w->at && *w->at != '.')
		return TOO_MUCH;
	for (; *w->at; w->at++)   /* ".cold.1" */
		size = bounded_sum(size, *w->at == '.' ? strlen(" [clone .]") : 1);
	return size;
}

uint64_t pd_demangle_bound_bytes(const char *name)
{
	struct candidate candidates[MOST_CANDIDATES];
	struct walk w = { .candidates = candidates };
	uint64_t size = walk_once(&w, name);
	if (w.in_pack && size <= MOST_SHOWN)
		size = walk_once(&w, name);
	return size <= MOST_SHOWN ? size : 0;
}

uint64_t pd_demangle_bound(const char *name)
{
	const uint64_t bytes = pd_demangle_bound_bytes(name), parts = bytes ? bytes : bound_coarsely(name);
	return parts <= MOST_SHOWN ? parts : 0;
}
