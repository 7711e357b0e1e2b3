/* SPDX-License-Identifier: MIT */
/* Lists of build-ids in the output formats of other programs. Each line is recognized by itself:
 *
 *   perf buildid-list      "ID PATH"
 *   eu-unstrip -n          "START+SIZE ID@ADDRESS FILE DEBUGFILE MODULE"; "-" and "." are files without a name
 *   perfdata … --tsv       a header line with the columns build_id and path, then tab-separated values
 *   other text             "ID" */
#include "config.h"
#include <string.h>
#include "base/digit.h"
#include "base/memory.h"
#include "match/match.h"

#define MAX_ITEMS ((size_t)1 << 22)

struct line {
	const char *at, *end;
};

/* Parses a text that is a build-id in hexadecimal and nothing else. */
static bool parse_id(const char *at, size_t size, struct pd_build_id *ret)
{
	if (size < 8 || size % 2 || size / 2 > sizeof ret->bytes)
		return false;
	for (size_t i = 0; i < size / 2; i++) {
		const unsigned high = pd_digit_of(at[2 * i]), low = pd_digit_of(at[2 * i + 1]);
		if (high == PD_NO_DIGIT || low == PD_NO_DIGIT)
			return false;
		ret->bytes[i] = (uint8_t)(high << 4 | low);
	}
	ret->size = size / 2;
	return true;
}

int pd_id_list_add(struct pd_id_list *list, struct pd_arena *arena, const struct pd_build_id *id, const char *path,
		   size_t size)
{
	if (list->count == MAX_ITEMS)
		return 0;
	if (pd_vector_grow(&list->items, &list->capacity, list->count, sizeof *list->items))
		return -1;
	const char *copy = path ? pd_arena_copy(arena, path, size) : NULL;
	if (path && !copy)
		return -1;
	list->items[list->count++] = (struct pd_listed){ *id, copy };
	return 0;
}

static size_t word_size(const struct line *line, const char *at)
{
	size_t size = 0;
	while (at + size < line->end && at[size] != ' ' && at[size] != '\t')
		size++;
	return size;
}

static const char *skip_blanks(const struct line *line, const char *at)
{
	while (at < line->end && (*at == ' ' || *at == '\t'))
		at++;
	return at;
}

/* Adds a line of eu-unstrip: FILE if it has a name, else the name of the module. */
static int add_module(struct pd_id_list *list, struct pd_arena *arena, const struct line *line)
{
	const char *words[5];
	size_t sizes[5], nr = 0;
	struct pd_build_id id = { .size = 0 };
	for (const char *at = skip_blanks(line, line->at); at < line->end && nr < 5;
	     at = skip_blanks(line, at + sizes[nr - 1])) {
		words[nr] = at;
		sizes[nr] = word_size(line, at);
		nr++;
	}
	if (nr < 3)
		return 0;
	const char *sign = memchr(words[1], '@', sizes[1]);
	const size_t size = sign ? (size_t)(sign - words[1]) : sizes[1];
	const bool known = parse_id(words[1], size, &id);
	const bool named = words[2][0] == '/';
	if (!known && !named)
		return 0;
	const size_t which = named || nr < 5 ? 2 : 4;
	return pd_id_list_add(list, arena, &id, words[which][0] == '-' || words[which][0] == '.' ? NULL : words[which],
			      sizes[which]);
}

/* Adds "ID" or "ID PATH"; a path may contain blanks. */
static int add_plain(struct pd_id_list *list, struct pd_arena *arena, const struct line *line)
{
	struct pd_build_id id = { .size = 0 };
	const char *at = skip_blanks(line, line->at);
	const size_t size = word_size(line, at);
	const bool known = parse_id(at, size, &id);
	const char *path = known || line->at != at ? skip_blanks(line, known ? at + size : at) : line->end;
	if (path == line->end)
		return known ? pd_id_list_add(list, arena, &id, NULL, 0) : 0;
	return pd_id_list_add(list, arena, &id, path, (size_t)(line->end - path));
}

/* Columns of perfdata's own table. */
struct columns {
	size_t id, path;                   /* column numbers */
	bool found;
};

static bool next_cell(const struct line *line, const char **at, struct line *ret)
{
	if (!*at)
		return false;
	const char *tab = memchr(*at, '\t', (size_t)(line->end - *at));
	*ret = (struct line){ *at, tab ? tab : line->end };
	*at = tab ? tab + 1 : NULL;
	return true;
}

static bool cell_is(const struct line *cell, const char *name)
{
	return (size_t)(cell->end - cell->at) == strlen(name) && !memcmp(cell->at, name, strlen(name));
}

static struct columns find_columns(const struct line *line)
{
	struct columns ret = { .id = SIZE_MAX, .path = SIZE_MAX };
	struct line cell;
	const char *at = line->at;
	for (size_t i = 0; next_cell(line, &at, &cell); i++) {
		if (cell_is(&cell, "build_id"))
			ret.id = i;
		if (cell_is(&cell, "path"))
			ret.path = i;
	}
	ret.found = ret.id != SIZE_MAX && ret.path != SIZE_MAX;
	return ret;
}

/* Replaces the escapes "\t", "\n" and "\\" in place; returns the new size. */
static size_t unescape_text(char *text, size_t size)
{
	size_t used = 0;
	for (size_t i = 0; i < size; i++) {
		char c = text[i];
		if (c == '\\' && i + 1 < size) {
			c = text[++i];
			c = c == 't' ? '\t' : c == 'n' ? '\n' : c;
		}
		text[used++] = c;
	}
	return used;
}

static int add_cells(struct pd_id_list *list, struct pd_arena *arena, const struct line *line,
		     const struct columns *columns)
{
	struct line cell, path = { NULL, NULL };
	struct pd_build_id id = { .size = 0 };
	const char *at = line->at;
	for (size_t i = 0; next_cell(line, &at, &cell); i++) {
		if (i == columns->id && !parse_id(cell.at, (size_t)(cell.end - cell.at), &id))
			id.size = 0;
		if (i == columns->path)
			path = cell;
	}
	if (!path.at || path.at == path.end)
		return 0;
	const size_t size = (size_t)(path.end - path.at);
	char *copy = pd_arena_copy(arena, path.at, size);
	return copy ? pd_id_list_add(list, arena, &id, copy, unescape_text(copy, size)) : -1;
}

static bool is_module_line(const struct line *line)
{
	return line->end - line->at > 4 && line->at[0] == '0' && line->at[1] == 'x' &&
	       memchr(line->at, '+', word_size(line, line->at));
}

enum perfdata_status pd_id_list_parse(struct pd_id_list *list, struct pd_arena *arena, const char *text, size_t size)
{
	struct columns columns = { .found = false };
	for (const char *at = text, *end = text + size; at < end;) {
		const char *stop = memchr(at, '\n', (size_t)(end - at));
		struct line line = { at, stop ? stop : end };
		at = stop ? stop + 1 : end;
		if (line.end > line.at && line.end[-1] == '\r')
			line.end--;
		if (line.at == text) {
			columns = find_columns(&line);
			if (columns.found)
				continue;
		}
		const int failed = columns.found           ? add_cells(list, arena, &line, &columns)
				   : is_module_line(&line) ? add_module(list, arena, &line)
							   : add_plain(list, arena, &line);
		if (failed)
			return PERFDATA_ENOMEM;
	}
	for (size_t i = 0; i < list->count; i++)
		if (list->items[i].id.size)
			return PERFDATA_OK;
	return PERFDATA_EFORMAT;
}
