/* SPDX-License-Identifier: MIT */
/* Symbols of the kernel from a KERNEL_SYMBOL record: the text of /proc/kallsyms. simpleperf writes the record if an
 * option keeps it from recording the symbols of samples. */
#include "config.h"
#include <stdlib.h>
#include <string.h>
#include "base/memory.h"
#include "session/naming/inside.h"

#define KERNEL "[kernel.kallsyms]"

static bool take_hex(const char **at, const char *end, uint64_t *ret)
{
	const char *start = *at;

	for (*ret = 0; *at < end && *at - start <= 16; ++*at) {
		const char c = **at;
		if (c >= '0' && c <= '9')
			*ret = *ret << 4 | (uint64_t)(c - '0');
		else if (c >= 'a' && c <= 'f')
			*ret = *ret << 4 | (uint64_t)(c - 'a' + 10);
		else
			break;
	}
	return *at > start && *at - start <= 16;
}

/* Reads a line "ADDRESS TYPE NAME" or "ADDRESS TYPE NAME\t[MODULE]"; the module becomes part of the name. `length` is
 * for now whether the symbol is code. */
static bool take_line(char *line, char *end, const char *text, struct pd_inside_symbol *ret)
{
	const char *at = line;

	if (!take_hex(&at, end, &ret->address) || !ret->address || end - at < 4 || at[0] != ' ' || at[2] != ' ')
		return false;
	ret->length = at[1] && strchr("TtWw", at[1]) != NULL;
	at += 3;
	for (char *tab = line; (tab = memchr(tab, '\t', (size_t)(end - tab)));)
		*tab = ' ';
	ret->name = (uint32_t)(at - text);
	ret->name_size = (uint32_t)(end - at);
	return ret->name_size != 0;
}

static int by_address(const void *a, const void *b)
{
	const struct pd_inside_symbol *x = a, *y = b;
	if (x->address != y->address)
		return x->address < y->address ? -1 : 1;
	return x->name < y->name ? -1 : x->name > y->name;
}

/* Sets each symbol's length, up to the next address; removes symbols that are not code. */
static void finish_file(struct pd_inside_file *file)
{
	uint32_t kept = 0;
	uint64_t address = UINT64_MAX, next_address = UINT64_MAX;

	qsort(file->items, file->count, sizeof *file->items, by_address);
	for (uint32_t i = file->count; i-- > 0;) {
		struct pd_inside_symbol *symbol = &file->items[i];
		if (symbol->address != address) {
			next_address = address;
			address = symbol->address;
		}
		const uint64_t length = next_address - symbol->address;
		symbol->length = !symbol->length ? 0 : length < UINT32_MAX ? (uint32_t)length : UINT32_MAX;
	}
	for (uint32_t i = 0; i < file->count; i++) {
		if (!file->items[i].length)
			continue;
		if (kept && file->items[kept - 1].address == file->items[i].address)
			kept--;
		file->items[kept++] = file->items[i];
	}
	file->count = kept;
	file->is_made = true;
}

static size_t count_lines(struct perfdata_bytes text)
{
	size_t lines = 1;
	for (const uint8_t *at = text.data, *end = at + text.size; (at = memchr(at, '\n', (size_t)(end - at))); at++)
		lines++;
	return lines;
}

int pd_inside_take_kernel(struct pd_inside *inside, struct perfdata_bytes text)
{
	if (inside->kernel || !text.size || text.size >= UINT32_MAX || pd_inside_find(inside, KERNEL, strlen(KERNEL)))
		return 0;
	const size_t lines = count_lines(text);
	struct pd_inside_file *file = inside->kernel = pd_calloc(1, sizeof *file);
	inside->kernel_text = pd_strndup(text.data, text.size);
	if (!file || !inside->kernel_text)
		return -1;
	file->path = (struct perfdata_bytes){ (const uint8_t *)KERNEL, strlen(KERNEL) };
	file->section = (const uint8_t *)inside->kernel_text;
	file->items = pd_calloc(lines, sizeof *file->items);
	file->names = pd_calloc(lines, sizeof *file->names);
	if (!file->items || !file->names)
		return -1;
	const size_t size = text.size + lines * (sizeof *file->items + sizeof *file->names);
	pd_inside_take(inside, size);
	char *end = inside->kernel_text + text.size;
	for (char *line = inside->kernel_text; line < end;) {
		char *next = memchr(line, '\n', (size_t)(end - line));
		if (!next)
			next = end;
		file->count += take_line(line, next, inside->kernel_text, &file->items[file->count]);
		line = next + 1;
	}
	finish_file(file);
	return pd_account_is_exhausted(inside->account) ? -1 : 0;
}
