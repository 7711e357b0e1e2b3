/* SPDX-License-Identifier: MIT */
/* Parses the format of an event: its fields, and the place of its print format. */
#include "base/checked.h"
#include "base/memory.h"
#include "schema/trace_program.h"
#include "schema/trace.h"

/* --- declarations: "unsigned char name[6]", "__data_loc char[] name", "const char * name" ------------------------- */

struct declaration {
	struct pd_trace_span all;
	struct pd_trace_span name;
	struct pd_trace_span type;    /* text before the name, without trailing blanks */
	struct pd_trace_span suffix;  /* text after the name: "[6]" or nothing */
	struct pd_trace_span length;  /* text inside the last brackets */
	bool is_array;
};

static size_t span_size(struct pd_trace_span span) { return (size_t)(span.end - span.at); }

/* These functions run for each character of hundreds of formats, which the library reads before the first record. */
static inline bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

static inline bool is_digit(char c) { return c >= '0' && c <= '9'; }

static inline bool is_word_char(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c) || c == '_' || c == '$';
}

static struct pd_trace_span trimmed_span(struct pd_trace_span span)
{
	while (span.at < span.end && is_space(*span.at))
		span.at++;
	while (span.at < span.end && is_space(span.end[-1]))
		span.end--;
	return span;
}

static inline bool span_is(struct pd_trace_span span, const char *word)
{
	const size_t size = strlen(word);

	return span_size(span) == size && memcmp(span.at, word, size) == 0;
}

static inline bool span_has(struct pd_trace_span span, const char *word)
{
	const size_t size = strlen(word);

	for (; span_size(span) >= size; span.at++)
		if (*span.at == *word && memcmp(span.at, word, size) == 0)
			return true;
	return false;
}

/* Takes the next word or single character; false at the end. */
static bool next_token(struct pd_trace_span *rest, struct pd_trace_span *ret_token)
{
	while (rest->at < rest->end && is_space(*rest->at))
		rest->at++;
	if (rest->at >= rest->end)
		return false;
	const char *start = rest->at++;
	if (is_word_char(*start))
		while (rest->at < rest->end && is_word_char(*rest->at))
			rest->at++;
	*ret_token = (struct pd_trace_span){ start, rest->at };
	return true;
}

/* Finds the name: the last word outside brackets and parentheses. Brackets may be on either side of it. */
static bool parse_declaration(struct pd_trace_span text, struct declaration *ret)
{
	struct declaration found = { .all = trimmed_span(text) };
	struct pd_trace_span rest = found.all, token;
	const char *bracket = NULL;
	unsigned depth = 0;

	while (next_token(&rest, &token)) {
		const char c = *token.at;
		if (c == '[' && depth == 0)
			bracket = token.end;
		if (c == '[' || c == '(') {
			depth++;
		} else if ((c == ']' || c == ')') && depth > 0) {
			depth--;
			if (c == ']' && depth == 0 && bracket) {
				found.is_array = true;
				found.length = trimmed_span((struct pd_trace_span){ bracket, token.at });
			}
		} else if (depth == 0 && is_word_char(c) && !is_digit(c)) {
			found.name = token;
		}
	}
	if (!found.name.at)
		return false;
	found.type = trimmed_span((struct pd_trace_span){ found.all.at, found.name.at });
	found.suffix = trimmed_span((struct pd_trace_span){ found.name.end, found.all.end });
	*ret = found;
	return true;
}

/* --- C types -------------------------------------------------------------------------------------------------- */

static const struct {
	const char *name;
	uint8_t size;  /* bytes; 0: of the recorder's long */
} type_sizes[] = {
	{ "char", 1 },      { "bool", 1 },      { "_Bool", 1 },      { "u8", 1 },          { "s8", 1 },
	{ "__u8", 1 },      { "__s8", 1 },      { "uint8_t", 1 },    { "int8_t", 1 },      { "short", 2 },
	{ "u16", 2 },       { "s16", 2 },       { "__u16", 2 },      { "__s16", 2 },       { "uint16_t", 2 },
	{ "int16_t", 2 },   { "__le16", 2 },    { "__be16", 2 },     { "umode_t", 2 },     { "int", 4 },
	{ "unsigned", 4 },  { "enum", 4 },      { "u32", 4 },        { "s32", 4 },         { "__u32", 4 },
	{ "__s32", 4 },     { "uint32_t", 4 },  { "int32_t", 4 },    { "__le32", 4 },      { "__be32", 4 },
	{ "pid_t", 4 },     { "uid_t", 4 },     { "gid_t", 4 },      { "dev_t", 4 },       { "gfp_t", 4 },
	{ "uint", 4 },      { "long", 0 },      { "size_t", 0 },     { "ssize_t", 0 },     { "ulong", 0 },
	{ "uintptr_t", 0 }, { "cpumask_t", 0 }, { "u64", 8 },        { "s64", 8 },         { "__u64", 8 },
	{ "__s64", 8 },     { "uint64_t", 8 },  { "int64_t", 8 },    { "__le64", 8 },      { "__be64", 8 },
	{ "loff_t", 8 },    { "sector_t", 8 },  { "dma_addr_t", 8 }, { "phys_addr_t", 8 }, { "ktime_t", 8 },
};

/* Returns the size of a C type ("unsigned short", "u64", "cpumask_t", "void *"); 0: unknown. */
static uint32_t trace_type_size(struct pd_trace_span type, unsigned long_size)
{
	struct pd_trace_span token;
	uint32_t size = 0;
	unsigned longs = 0;

	while (next_token(&type, &token)) {
		if (*token.at == '*')
			return long_size;
		if (span_is(token, "struct") || span_is(token, "union"))
			return 0;
		longs += span_is(token, "long");
		for (size_t i = 0; i < sizeof type_sizes / sizeof *type_sizes; i++) {
			/* "short int" and "enum name" have the size of their first word, "unsigned char" that of its
			 * second */
			if (!span_is(token, type_sizes[i].name) || (size && size != 4))
				continue;
			size = type_sizes[i].size ? type_sizes[i].size : long_size;
			if (span_is(token, "enum"))
				return size;
		}
	}
	return longs >= 2 ? 8 : longs == 1 ? long_size : size;
}

static bool is_integer_size(uint64_t size) { return size == 1 || size == 2 || size == 4 || size == 8; }

/* Properties that the words of a type state. */
enum {
	IS_AGGREGATE = 1,  /* struct or union */
	IS_CHAR = 2,
	IS_UNSIGNED = 4,
	IS_BOOL = 8,
	IS_POINTER = 16,
};

static unsigned words_of(struct pd_trace_span type)
{
	struct pd_trace_span token;
	unsigned words = 0;

	while (next_token(&type, &token)) {
		if (*token.at == '*')
			words |= IS_POINTER;
		else if (span_is(token, "struct") || span_is(token, "union"))
			words |= IS_AGGREGATE;
		else if (span_is(token, "char"))
			words |= IS_CHAR;
		else if (span_is(token, "unsigned"))
			words |= IS_UNSIGNED;
		else if (span_is(token, "bool") || span_is(token, "_Bool"))
			words |= IS_BOOL;
	}
	return words;
}

/* --- what a field is ---------------------------------------------------------------------------------------------- */

/* Returns the size of an array's element: by the count in the declaration, else by the type's name. */
static uint32_t element_size(const struct declaration *declaration, struct pd_trace_span base, uint32_t size,
			     unsigned long_size)
{
	struct pd_trace_span length = declaration->length;
	uint64_t count;

	if (size && pd_trace_number(&length, &count) && length.at == length.end && count && size % count == 0)
		return (uint32_t)(size / count);
	return trace_type_size(base, long_size);
}

static void classify_array(struct perfdata_trace_field *field, const struct declaration *declaration,
			   struct pd_trace_span base, unsigned words, unsigned long_size)
{
	const bool is_plain_char = (words & (IS_CHAR | IS_UNSIGNED | IS_POINTER)) == IS_CHAR;
	const uint32_t whole = field->place == PERFDATA_TRACE_FIXED ? field->size : 0;
	const uint32_t element = element_size(declaration, base, whole, long_size);

	if (is_plain_char && element == 1) {
		field->kind = PERFDATA_TRACE_STRING;
		field->element_size = 1;
	} else if (span_has(base, "cpumask")) {
		field->kind = PERFDATA_TRACE_BITMASK;
		field->element_size = long_size;
	} else if (words & IS_AGGREGATE || !is_integer_size(element) || (whole && whole % element != 0)) {
		const bool pointers = words & IS_POINTER && is_integer_size(element);
		field->kind = pointers ? PERFDATA_TRACE_ARRAY : PERFDATA_TRACE_BYTES;
		field->element_size = pointers ? element : 0;
	} else {
		field->kind = PERFDATA_TRACE_ARRAY;
		field->element_size = element;
	}
	field->elements_are_pointers = field->kind == PERFDATA_TRACE_ARRAY && words & IS_POINTER;
}

static void classify_single(struct perfdata_trace_field *field, unsigned words)
{
	if (words & IS_POINTER && (field->size == 4 || field->size == 8))
		field->kind = PERFDATA_TRACE_POINTER;
	else if (!is_integer_size(field->size) || words & IS_AGGREGATE)
		field->kind = PERFDATA_TRACE_BYTES;
	else if (field->size == 1 && words & IS_BOOL)
		field->kind = PERFDATA_TRACE_BOOL;
	else
		field->kind = field->is_signed ? PERFDATA_TRACE_SIGNED : PERFDATA_TRACE_UNSIGNED;
}

static void classify_field(struct perfdata_trace_field *field, const struct declaration *declaration,
			   unsigned long_size)
{
	struct pd_trace_span base = declaration->type;

	if (pd_trace_skip_word(&base, "__data_loc"))
		field->place = PERFDATA_TRACE_DATA_LOC;
	else if (pd_trace_skip_word(&base, "__rel_loc"))
		field->place = PERFDATA_TRACE_REL_LOC;
	else if (field->size == 0)
		field->place = PERFDATA_TRACE_REST;
	const unsigned words = words_of(base);
	if (declaration->is_array || field->place != PERFDATA_TRACE_FIXED)
		classify_array(field, declaration, base, words, long_size);
	else
		classify_single(field, words);

	if (declaration->is_array)
		field->text_flags |= PD_TRACE_IS_ARRAY;
	if (declaration->is_array && (span_has(base, "char") || span_has(base, "u8") || span_has(base, "s8")))
		field->text_flags |= PD_TRACE_IS_STRING;
	if (span_has(base, "long"))
		field->text_flags |= PD_TRACE_IS_LONG;
	if (words & IS_POINTER)
		field->text_flags |= PD_TRACE_IS_POINTER;
}

/* --- lines ---------------------------------------------------------------------------------------------------- */

struct compiling {
	const struct perfdata_trace *trace;
	struct pd_trace_compiled *out;
	struct perfdata_trace_field *fields;
	size_t capacity;
	bool no_memory;
};

static void note_problem(struct compiling *c, const char *what)
{
	if (!c->out->event.format_problem)
		c->out->event.format_problem = what;
}

static const char *copy_span(struct compiling *c, struct pd_trace_span span)
{
	const char *copy = pd_arena_copy(&c->out->arena, span.at, span_size(span));

	c->no_memory |= !copy;
	return copy;
}

static const char *copy_type(struct compiling *c, const struct declaration *declaration)
{
	const size_t before = span_size(declaration->type), after = span_size(declaration->suffix);
	char *copy = pd_arena_alloc(&c->out->arena, before + after + 1);

	if (!copy) {
		c->no_memory = true;
		return NULL;
	}
	memcpy(copy, declaration->type.at, before);
	memcpy(copy + before, declaration->suffix.at, after);
	copy[before + after] = 0;
	return copy;
}

/* Parses an attribute such as "offset:8;". */
static bool parse_attribute(struct pd_trace_span *line, const char *name, uint64_t limit, uint64_t *ret_value)
{
	return pd_trace_skip_word(line, name) && pd_trace_number(line, ret_value) && *ret_value <= limit &&
	       pd_trace_skip_word(line, ";");
}

/* Parses the declaration and attributes after "field:". */
static bool parse_field(struct compiling *c, struct pd_trace_span line, bool is_common)
{
	const char *semicolon = memchr(line.at, ';', span_size(line));
	struct declaration declaration;
	uint64_t offset, size, is_signed = 0;

	if (!semicolon || !parse_declaration((struct pd_trace_span){ line.at, semicolon }, &declaration))
		return false;
	line.at = semicolon + 1;
	if (!parse_attribute(&line, "offset:", UINT16_MAX, &offset) ||
	    !parse_attribute(&line, "size:", UINT16_MAX, &size))
		return false;
	parse_attribute(&line, "signed:", 1, &is_signed);  /* kernels before 2.6.33 do not write this attribute */

	if (pd_vector_grow(&c->fields, &c->capacity, c->out->event.nr_fields, sizeof *c->fields) != 0) {
		c->no_memory = true;
		return true;
	}
	struct perfdata_trace_field *field = &c->fields[c->out->event.nr_fields++];
	*field = (struct perfdata_trace_field){
		.name = copy_span(c, declaration.name),
		.type = copy_type(c, &declaration),
		.declaration = copy_span(c, declaration.all),
		.offset = (uint32_t)offset,
		.size = (uint32_t)size,
		.is_signed = is_signed != 0,
		.is_common = is_common,
	};
	classify_field(field, &declaration, c->trace->info.long_size);
	c->out->event.nr_common += is_common;
	if (c->out->event.min_size < offset + size)
		c->out->event.min_size = (uint32_t)(offset + size);
	return true;
}

static void parse_lines(struct compiling *c, struct pd_trace_span text)
{
	struct perfdata_trace_event *event = &c->out->event;
	struct pd_trace_span line;
	bool is_common = true, in_fields = false;

	while (!c->no_memory && pd_trace_line(&text, &line)) {
		if (!in_fields) {
			in_fields = pd_trace_skip_word(&line, "format:");
			continue;
		}
		if (pd_trace_skip_word(&line, "print fmt:")) {
			const struct pd_trace_span print = trimmed_span((struct pd_trace_span){ line.at, text.end });
			event->print = (struct perfdata_bytes){ (const uint8_t *)print.at, span_size(print) };
			return;
		}
		if (trimmed_span(line).at == line.end) {
			/* a blank line ends the common fields; one before them has no meaning */
			is_common &= event->nr_fields == 0;
			continue;
		}
		if (!pd_trace_skip_word(&line, "field:") && !pd_trace_skip_word(&line, "field special:"))
			note_problem(c, "a line of the format is no field");
		else if (!parse_field(c, line, is_common))
			note_problem(c, "a field of the format cannot be read");
	}
	if (!in_fields)
		note_problem(c, "the format lists no fields");
}

static bool ends_with_prefix(const struct pd_trace_piece *piece)
{
	return piece->kind == PD_PIECE_LITERAL && piece->size >= 2 &&
	       memcmp(piece->text + piece->size - 2, "0x", 2) == 0;
}

/* Links each field to the first piece of the print format that prints the field itself, cast or not: perf formats the
 * field like this piece. */
static void link_fields(struct compiling *c, const struct pd_trace_program *program)
{
	for (size_t i = 0; i < program->nr_pieces; i++) {
		const struct pd_trace_piece *piece = &program->pieces[i];
		const struct pd_trace_node *node = piece->arg;
		while (node && node->type == PD_NODE_CAST)
			node = node->a;
		if (!node || node->type != PD_NODE_FIELD || !node->field)
			continue;
		struct perfdata_trace_field *field = &c->fields[node->field - c->fields];
		if (field->text_piece || field->is_common || (field->text_flags & PD_TRACE_IS_ARRAY))
			continue;
		field->text_piece = piece;
		if (i > 0 && ends_with_prefix(piece - 1))
			field->text_flags |= PD_TRACE_HAS_PREFIX;
	}
}

static void compile_print(struct compiling *c)
{
	struct perfdata_trace_event *event = &c->out->event;
	struct pd_arena *arena = &c->out->arena;
	struct pd_trace_program *program = pd_arena_calloc(arena, 1, sizeof *program);
	struct pd_trace_arguments arguments;

	/* perf does not run such a print format either: it would print zeros for the unreadable fields */
	if (event->format_problem) {
		event->print_problem = "the format has fields that could not be read";
		return;
	}
	if (program && pd_trace_parse_print(arena, event, event->long_size, &arguments, &event->print_problem) &&
	    pd_trace_build(arena, &arguments, program, &event->print_problem))
		event->program = program;
	else
		c->no_memory = !event->print_problem;
	if (event->program)
		link_fields(c, program);
}

struct pd_trace_compiled *pd_trace_compile(const struct perfdata_trace *trace, const struct pd_trace_entry *entry)
{
	struct compiling c = { .trace = trace, .out = pd_calloc(1, sizeof *c.out) };

	if (!c.out)
		return NULL;
	struct perfdata_trace_event *event = &c.out->event;
	event->id = entry->id;
	event->system = entry->system;
	event->name = entry->name;
	event->long_size = trace->info.long_size;
	event->format = (struct perfdata_bytes){ (const uint8_t *)entry->text, entry->size };
	if (entry->size > PD_TRACE_FORMAT_LIMIT)
		note_problem(&c, "the format is too long");
	else
		parse_lines(&c, (struct pd_trace_span){ entry->text, entry->text + entry->size });
	event->fields = c.fields;
	if (!c.no_memory)
		compile_print(&c);
	if (c.no_memory) {
		pd_trace_compiled_free(c.out);
		return NULL;
	}
	return c.out;
}

struct pd_trace_compiled *pd_trace_share(const struct pd_trace_entry *entry, const struct perfdata_trace_event *same)
{
	struct pd_trace_compiled *made = pd_calloc(1, sizeof *made);

	if (!made)
		return NULL;
	made->is_shared = true;
	made->event = *same;
	made->event.id = entry->id;
	made->event.system = entry->system;
	made->event.name = entry->name;
	made->event.format = (struct perfdata_bytes){ (const uint8_t *)entry->text, entry->size };
	return made;
}

void pd_trace_compiled_free(struct pd_trace_compiled *compiled)
{
	if (!compiled)
		return;
	if (!compiled->is_shared)
		pd_free((void *)compiled->event.fields);
	pd_arena_release(&compiled->arena);
	pd_free(compiled);
}

const struct perfdata_trace_field *pd_trace_field_named(const struct perfdata_trace_event *event,
							const char *name)
{
	for (size_t i = 0; i < event->nr_fields; i++)
		if (strcmp(event->fields[i].name, name) == 0)
			return &event->fields[i];
	return NULL;
}
