/* SPDX-License-Identifier: MIT */
/* The symbols of one dso, sorted by address. perf 7.3 was observed to follow these two rules, so that the names are
 * the same: which of several symbols at one address is kept, and where a symbol without a size ends.
 *   - A symbol without a size ends where the next symbol in the table starts; the last one ends a page after the next
 *     page border. So of several symbols without a size at one address, only the last in the file gets a size.
 *   - Of several symbols at one address, a symbol with a size precedes one without; then one with a type a label; then
 *     a strong one a weak one; then a global one a local one; then fewer leading underscores; then the longer name;
 *     then the earlier symbol. The last three criteria need demangled names. Few symbols of a program are ever looked
 *     up, so symbols that only these criteria distinguish stay side by side (`tied`) until then.
 * Of several symbols that contain an address, the one that begins last is taken; but a local function precedes the
 * local labels without a size inside it, to which only its own code jumps. perf takes the one that its search tree
 * has higher up: nearly always the one that the file lists first. This is a local function before its labels, and a
 * local label before a global function, since local symbols precede global ones. */
#include "config.h"
#include <string.h>
#include "base/memory.h"
#include "base/port.h"
#include "base/search.h"
#include "symbols/table/symbol_table.h"

#define MAX_NESTING 64           /* limit of steps outwards in a look-up */
#define MAX_TIED 16              /* limit of symbols that stay tied; larger groups are decided at once */
#define PAGE 4096u
#define MOVED_AT_ONCE 65536u     /* moves between two checks for cancellation */

/* Whether the table may not grow: it has too many symbols, or the account too little room. The old and the larger block
 * exist at once while the table moves. */
static bool has_no_room(struct pd_symbol_table *table)
{
	if (table->count >= PD_MOST_SYMBOLS) {
		table->refused = PERFDATA_ELIMIT;
		return true;
	}
	return table->count == table->capacity &&
	       (pd_symtab_is_full(table, 3 * table->count * sizeof *table->items) || pd_symtab_is_stopped(table, 0));
}

int pd_symtab_add(struct pd_symbol_table *table, uint64_t start, uint64_t size, enum pd_strings_number strings,
		  uint32_t name, enum perfdata_symbol_binding binding)
{
	if (has_no_room(table) ||
	    pd_vector_grow(&table->items, &table->capacity, table->count, sizeof *table->items))
		return -1;
	table->items[table->count++] = (struct pd_symbol){
		.start = start,
		.end = size > UINT64_MAX - start ? UINT64_MAX : start + size,
		.name = name,
		.outer = PD_NO_SYMBOL,
		.binding = (uint8_t)binding,
		.strings = (uint8_t)strings,
		.is_sized = size > 0,
	};
	return 0;
}

/* Makes exactly this much room; pd_vector_grow would double it. */
void pd_symtab_reserve(struct pd_symbol_table *table, uint64_t more)
{
	if (more > PD_MOST_SYMBOLS || table->count + more <= table->capacity ||
	    (table->work && pd_work_room(table->work, (table->count + more) * sizeof *table->items)))
		return;
	const size_t capacity = table->count + (size_t)more, bytes = capacity * sizeof *table->items;
	struct pd_symbol *items = table->items ? pd_realloc(table->items, bytes) : pd_malloc_large(bytes);
	if (!items)
		return;
	table->items = items;
	table->capacity = capacity;
}

/* --- sorting ------------------------------------------------------------------------------------------------------ */

/* Returns the number of symbols at the start of the table that are sorted. */
static size_t sorted_head(const struct pd_symbol_table *table)
{
	size_t nr = table->count ? 1 : 0;
	while (nr < table->count && table->items[nr - 1].start <= table->items[nr].start)
		nr++;
	return nr;
}

/* Moves item order[i].index to index i, along the cycles of the permutation, which costs less than memory for a second
 * table. False: the work is stopped, and the table is unusable. */
static bool permute_symbols(struct pd_symbol_table *table, struct pd_symbol *items, struct pd_address_key *order,
			    size_t count)
{
	size_t moves = 0;
	for (uint32_t first = 0; first < count; first++) {
		const struct pd_symbol moved = items[first];
		uint32_t at = first;
		for (uint32_t from; (from = order[at].index) != first; at = from) {
			/* each move may miss the caches: millions of them take seconds */
			if (!(++moves % MOVED_AT_ONCE) && pd_symtab_is_stopped(table, MOVED_AT_ONCE))
				return false;
			items[at] = items[from];
			order[at].index = at;
		}
		items[at] = moved;
		order[at].index = at;
	}
	return true;
}

static int sort_items(struct pd_symbol_table *table, struct pd_symbol *items, size_t count)
{
	struct pd_address_key *keys, *sorted;
	const size_t memory = count * 2 * sizeof *keys;
	if (pd_symtab_is_full(table, count * sizeof *items + memory))
		return -1;
	keys = pd_malloc_large(memory);
	if (!keys)
		return -1;
	for (size_t i = 0; i < count; i++)
		keys[i] = (struct pd_address_key){ (uint32_t)items[i].start, (uint32_t)(items[i].start >> 32),
						   (uint32_t)i };
	table->refused = pd_sort_keys(keys, count, table->work, &sorted);
	const bool is_sorted = !table->refused && permute_symbols(table, items, sorted, count);
	pd_free(keys);
	return is_sorted ? 0 : -1;
}

/* Merges the sorted symbols from `head` on into the sorted symbols before `head`, stably: at one address, earlier
 * symbols stay first. */
static int merge_tail(struct pd_symbol *items, size_t head, size_t count)
{
	size_t left = count - head, to = count;
	struct pd_symbol *tail = pd_malloc(left * sizeof *tail);
	if (!tail)
		return -1;
	memcpy(tail, items + head, left * sizeof *tail);
	while (left && head)
		items[--to] = tail[left - 1].start >= items[head - 1].start ? tail[--left] : items[--head];
	memcpy(items, tail, left * sizeof *tail);
	pd_free(tail);
	return 0;
}

int pd_symtab_sort(struct pd_symbol_table *table)
{
	const size_t sorted = sorted_head(table), count = table->count;
	/* the first table of names is sorted when the second one is appended */
	const size_t head = sorted < count / 2 ? 0 : sorted;
	if (head == count)
		return 0;
	if (sort_items(table, table->items + head, count - head))
		return -1;
	return head ? merge_tail(table->items, head, count) : 0;
}

/* --- ends --------------------------------------------------------------------------------------------------------- */

uint64_t pd_end_of_last(uint64_t address)
{
	uint64_t up = address > UINT64_MAX - 2 * PAGE ? UINT64_MAX & ~(uint64_t)(PAGE - 1) : address + PAGE - 1;
	up &= ~(uint64_t)(PAGE - 1);
	return up > UINT64_MAX - PAGE ? UINT64_MAX : up + PAGE;
}

static void set_ends(struct pd_symbol_table *table)
{
	for (size_t i = 0; i < table->count; i++) {
		struct pd_symbol *s = &table->items[i];
		if (s->end == s->start)
			s->end = i + 1 < table->count ? s[1].start : pd_end_of_last(s->start);
	}
}

/* --- choosing one of several symbols ------------------------------------------------------------------------------ */

/* Ranks a symbol by the rules that need no name. */
static unsigned symbol_rank(const struct pd_symbol *s)
{
	return (s->end != s->start) * 8u + !s->is_label * 4u + (s->binding != PERFDATA_BIND_WEAK) * 2u +
	       (s->binding == PERFDATA_BIND_GLOBAL);
}

static bool differ_in_end(const struct pd_symbol *items, size_t count)
{
	for (size_t i = 1; i < count; i++)
		if (items[i].end != items[0].end)
			return true;
	return false;
}

/* Keeps the best of several symbols, by their names. */
static int decide_aliases(const struct pd_symbol_table *table, struct pd_symbol *items, size_t count,
			  struct pd_arena *scratch)
{
	struct pd_symbol best = items[0];
	const char *best_name = pd_symtab_spell_one(table, &best, scratch);
	for (size_t i = 1; i < count && best_name; i++) {
		const char *name = pd_symtab_spell_one(table, &items[i], scratch);
		if (name && pd_symtab_is_better_name(best_name, name))
			continue;
		best = items[i];
		best_name = name;
	}
	items[0] = best;
	return best_name ? 0 : -1;
}

/* Marks symbols as tied. A name that occurs twice, as an exported function does in both tables, stays twice: comparing
 * all such names takes half of the time to load a large program, and few of them are ever needed. */
static void tie_symbols(struct pd_symbol *items, size_t count)
{
	for (size_t i = 0; i < count; i++)
		items[i].tied = i > 0;
}

static int drop_aliases(struct pd_symbol_table *table)
{
	struct pd_arena scratch = { 0 };
	size_t kept = 0;
	int failed = 0;
	for (size_t i = 0, next; i < table->count && !failed; i = next) {
		struct pd_symbol *best = &table->items[kept];
		const uint64_t start = table->items[i].start;
		if (i + 1 == table->count || table->items[i + 1].start != start) {
			*best = table->items[i];
			best->tied = false;
			kept++;
			next = i + 1;
			continue;
		}
		size_t nr = 0;
		unsigned best_rank = 0;
		for (next = i; next < table->count && table->items[next].start == start; next++) {
			const unsigned its = symbol_rank(&table->items[next]);
			if (its < best_rank)
				continue;
			if (its > best_rank)
				nr = 0;
			best_rank = its;
			best[nr++] = table->items[next];
		}
		if (nr > 1 && (!table->mangled || nr > MAX_TIED || differ_in_end(best, nr))) {
			failed = decide_aliases(table, best, nr, &scratch);
			nr = 1;
		}
		tie_symbols(best, nr);
		kept += nr;
		if (scratch.total > (size_t)1 << 20)
			pd_arena_reset(&scratch);
	}
	table->count = kept;
	pd_arena_release(&scratch);
	return failed;
}

/* Notes where a kernel's text starts. It has several names there, and the table keeps only one, often neither _text nor
 * _stext. */
static void note_text_start(struct pd_symbol_table *table)
{
	static const char *const names[] = { "_text", "_stext" };
	for (size_t i = 0; i < table->count; i++) {
		const char *name = pd_symtab_raw(table, &table->items[i]);
		for (size_t k = 0; name[0] == '_' && k < 2; k++)
			if (!table->text_start[k] && !strcmp(name, names[k]))
				table->text_start[k] = table->items[i].start;
	}
}

int pd_symtab_finish(struct pd_symbol_table *table)
{
	if (!table->mangled)
		note_text_start(table);
	if (pd_symtab_sort(table))
		return -1;
	set_ends(table);
	return drop_aliases(table);
}

void pd_symtab_nest(struct pd_symbol_table *table)
{
	uint32_t around = PD_NO_SYMBOL;
	for (size_t i = 0; i < table->count; i++) {
		struct pd_symbol *s = &table->items[i];
		if (s->tied)
			continue;
		while (around != PD_NO_SYMBOL && table->items[around].end <= s->start)
			around = table->items[around].outer;
		s->outer = around;
		around = (uint32_t)i;
	}
}

/* --- look-up ------------------------------------------------------------------------------------------------------ */

/* Returns the number of symbols that start at or before the address. */
static size_t count_before(const struct pd_symbol_table *table, uint64_t address)
{
	size_t low;
	PD_COUNT_BEFORE(low, table->count, at, table->items[at].start <= address);
	return low;
}

struct pd_symbol *pd_symtab_find(struct pd_symbol_table *table, uint64_t address)
{
	if (table->overlaps)
		return pd_overlaps_find(table, address);
	size_t before = count_before(table, address);
	while (before && table->items[before - 1].tied)
		before--;
	uint32_t at = before ? (uint32_t)(before - 1) : PD_NO_SYMBOL;
	struct pd_symbol *label = NULL;
	for (int step = 0; at != PD_NO_SYMBOL && step < MAX_NESTING; step++) {
		struct pd_symbol *s = &table->items[at];
		const bool is_local = s->binding == PERFDATA_BIND_LOCAL;
		at = s->outer;
		if (address >= s->end && address != s->start)
			continue;
		if (s->is_sized || !is_local)
			return label && !is_local ? label : s;
		label = label ? label : s;
	}
	return label;
}

int pd_symtab_settle(struct pd_symbol_table *table)
{
	pd_symtab_nest(table);
	if (!table->count)
		return 0;
	struct pd_symbol *items = table->capacity > table->count
					  ? pd_realloc(table->items, table->count * sizeof *items)
					  : NULL;
	if (items) {
		table->items = items;
		table->capacity = table->count;
	}
	return pd_symtab_make_names(table);
}

size_t pd_symtab_memory(const struct pd_symbol_table *table)
{
	size_t memory = table->capacity * sizeof *table->items + pd_overlaps_memory(table);
	for (size_t i = 0; i < PD_STRINGS_COUNT; i++)
		memory += table->strings[i].bytes ? table->strings[i].room : 0;
	return memory;
}

void pd_symtab_release(struct pd_symbol_table *table)
{
	pd_free(table->items);
	pd_free(table->overlaps);
	pd_symtab_release_names(table);
	for (size_t i = 0; i < PD_STRINGS_COUNT; i++)
		pd_free(table->strings[i].bytes);
	pd_arena_release(&table->bytes);
	*table = (struct pd_symbol_table){ 0 };
}
