/* The symbols of one dso, sorted by address. Which of several symbols at one address is kept, and how far a symbol
 * without a size reaches, follows what perf 7.3 was seen to do, so that the names are the same:
 *   - a symbol without a size ends where the next one in the table starts; the last one on the page behind the next
 *     page border. So of several such symbols at one address only the last one in the file gets a size.
 *   - of those that start at one address: one with a size before one without; a strong one before a weak one; a
 *     global one before a local one; fewer leading underscores; the longer name; the earlier one. */
#include "config.h"
#include <stdlib.h>
#include <string.h>
#include "base/memory.h"
#include "symbols/symbols.h"

#define MAX_SYMBOLS (64u << 20)  /* of one dso; more than any real file has */
#define MAX_NESTING 64           /* steps outwards in a look-up */
#define PAGE 4096u

int pd_symtab_add(struct pd_symbol_table *table, uint64_t start, uint64_t size, const char *name,
		 enum perfdata_symbol_binding binding)
{
	if (table->count >= MAX_SYMBOLS || pd_vector_grow(&table->items, &table->capacity, table->count, sizeof *table->items))
		return -1;
	table->items[table->count] = (struct pd_symbol){
		.start = start,
		.end = size > UINT64_MAX - start ? UINT64_MAX : start + size,
		.name = name,
		.order = (uint32_t)table->count,
		.outer = PD_NO_SYMBOL,
		.binding = (uint8_t)binding,
	};
	table->count++;
	return 0;
}

static int compare(const void *left, const void *right)
{
	const struct pd_symbol *a = left, *b = right;
	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	return (a->order > b->order) - (a->order < b->order);
}

static bool is_sorted(const struct pd_symbol_table *table)
{
	for (size_t i = 1; i < table->count; i++)
		if (compare(&table->items[i - 1], &table->items[i]) > 0)
			return false;
	return true;
}

void pd_symtab_sort(struct pd_symbol_table *table)
{
	if (!is_sorted(table))
		qsort(table->items, table->count, sizeof *table->items, compare);
	for (size_t i = 0; i < table->count; i++)
		table->items[i].order = (uint32_t)i;
}

static uint64_t page_behind(uint64_t address)
{
	uint64_t up = address > UINT64_MAX - 2 * PAGE ? UINT64_MAX & ~(uint64_t)(PAGE - 1) : address + PAGE - 1;
	up &= ~(uint64_t)(PAGE - 1);
	return up > UINT64_MAX - PAGE ? UINT64_MAX : up + PAGE;
}

/* A kallsyms text has gaps between the kernel and its modules that belong to nobody. */
static bool is_gap(const struct pd_symbol *a, const struct pd_symbol *b)
{
	if (!a->module != !b->module)
		return true;
	return a->module && a->module != b->module && strcmp(a->module, b->module) != 0;
}

static void set_ends(struct pd_symbol_table *table, enum pd_symbol_fix fix)
{
	for (size_t i = 0; i < table->count; i++) {
		struct pd_symbol *s = &table->items[i], *next = s + 1;
		if (s->end != s->start)
			continue;
		if (i + 1 == table->count)
			s->end = page_behind(s->start);
		else if (fix == PD_FIX_KALLSYMS && is_gap(s, next))
			s->end = page_behind(s->start);
		else
			s->end = next->start;
	}
}

const char *pd_symtab_shown(struct pd_symbol_table *table, struct pd_symbol *symbol)
{
	if (!symbol->shown)
		symbol->shown = table->mangled ? pd_demangle(&table->bytes, symbol->name) : symbol->name;
	return symbol->shown;
}

static size_t underscores(const char *name) { return strspn(name, "_"); }

static bool is_better(struct pd_symbol_table *table, struct pd_symbol *a, struct pd_symbol *b)
{
	bool size_a = a->end != a->start, size_b = b->end != b->start;
	if (size_a != size_b)
		return size_a;
	bool weak_a = a->binding == PERFDATA_BIND_WEAK, weak_b = b->binding == PERFDATA_BIND_WEAK;
	if (weak_a != weak_b)
		return weak_b;
	bool global_a = a->binding == PERFDATA_BIND_GLOBAL, global_b = b->binding == PERFDATA_BIND_GLOBAL;
	if (global_a != global_b)
		return global_a;
	const char *name_a = pd_symtab_shown(table, a), *name_b = pd_symtab_shown(table, b);
	size_t under_a = underscores(name_a), under_b = underscores(name_b);
	if (under_a != under_b)
		return under_a < under_b;
	size_t length_a = strlen(name_a), length_b = strlen(name_b);
	if (length_a != length_b)
		return length_a > length_b;
	/* Old kernels name a system call twice; the one that is not written SyS_ is the usual name. */
	return strncmp(name_a, "SyS", 3) != 0 && strncmp(name_a, "compat_SyS", 10) != 0;
}

static void drop_aliases(struct pd_symbol_table *table)
{
	size_t kept = 0;
	for (size_t i = 0; i < table->count; i++) {
		struct pd_symbol *s = &table->items[i];
		if (kept && table->items[kept - 1].start == s->start) {
			if (!is_better(table, &table->items[kept - 1], s))
				table->items[kept - 1] = *s;
			continue;
		}
		table->items[kept++] = *s;
	}
	table->count = kept;
}

void pd_symtab_finish(struct pd_symbol_table *table, enum pd_symbol_fix fix)
{
	pd_symtab_sort(table);
	set_ends(table, fix);
	drop_aliases(table);
	for (size_t i = 0; i < table->count; i++)
		table->items[i].order = (uint32_t)i;
}

void pd_symtab_nest(struct pd_symbol_table *table)
{
	uint32_t around = PD_NO_SYMBOL;
	for (size_t i = 0; i < table->count; i++) {
		struct pd_symbol *s = &table->items[i];
		while (around != PD_NO_SYMBOL && table->items[around].end <= s->start)
			around = table->items[around].outer;
		s->outer = around;
		around = (uint32_t)i;
	}
}

/* The number of symbols that start at or before the address. */
static size_t count_before(const struct pd_symbol_table *table, uint64_t address)
{
	size_t low = 0, high = table->count;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (table->items[middle].start <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

struct pd_symbol *pd_symtab_find(struct pd_symbol_table *table, uint64_t address)
{
	size_t before = count_before(table, address);
	uint32_t at = before ? (uint32_t)(before - 1) : PD_NO_SYMBOL;
	for (int step = 0; at != PD_NO_SYMBOL && step < MAX_NESTING; step++) {
		struct pd_symbol *s = &table->items[at];
		if (address < s->end || address == s->start)
			return s;
		at = s->outer;
	}
	return NULL;
}

const struct pd_symbol *pd_symtab_by_name(const struct pd_symbol_table *table, const char *name)
{
	for (size_t i = 0; i < table->count; i++)
		if (!strcmp(table->items[i].name, name))
			return &table->items[i];
	return NULL;
}

void pd_symtab_release(struct pd_symbol_table *table)
{
	pd_free(table->items);
	pd_free(table->text);
	pd_arena_release(&table->bytes);
	*table = (struct pd_symbol_table){ 0 };
}
