/* SPDX-License-Identifier: MIT */
/* The symbols of a kallsyms text ("ADDRESS TYPE NAME[\t[MODULE]]"). A kernel has more than a hundred thousand, and a
 * recording needs few of them. So the table has only their addresses and their places in the text; a look-up reads the
 * rest from the text. perf 7.3 was observed to follow these rules:
 *   - A symbol ends where the next one starts. The last one of the kernel, or of a module, ends a page after the next
 *     page border.
 *   - So of several symbols at one address, only the last in the text has a size, unless they are of several modules.
 *     The rules of symbol_table.c choose one. */
#include "config.h"
#include <string.h>
#include "base/digit.h"
#include "base/fdio.h"
#include "base/memory.h"
#include "base/port.h"
#include "base/search.h"
#include "symbols/table/symbol_table.h"
#include "symbols/table/symbol_text.h"

#define TYPICAL_LINE 44          /* bytes */
/* Bits of a key's index, beside the place of the symbol's type in the text. */
#define HAS_MODULE (1u << 30)
#define ENDS_AT_BORDER (1u << 31)
_Static_assert(PD_MOST_SYMBOL_TEXT <= HAS_MODULE, "bits 30 and 31 of a place in the text are free");

/* --- lines -------------------------------------------------------------------------------------------------------- */

struct line {
	char *text, *end;   /* a NUL is at its end */
	char *type;         /* a blank and the name follow; NULL: the line is no symbol */
	uint64_t address;
};

/* Splits the line at `text`, and ends it with a NUL. `end`: the end of all lines. */
static struct line split_line(char *text, char *end)
{
	struct line line = { .text = text, .end = pd_end_line(text, end) };
	if (pd_take_hex(&text, &line.address) && text[0] == ' ' && text[1] && text[2] == ' ')
		line.type = text + 1;
	return line;
}

/* As split_line, for the usual line, whose address has sixteen lower-case digits. False: it is another line. */
static inline bool split_usual_line(char *text, char *end, struct line *ret)
{
	uint64_t address;
	if (end - text <= 18 || text[16] != ' ' || text[17] == '\n' || !text[17] || text[18] != ' ' ||
	    !pd_parse_hex16(text, &address))
		return false;
	*ret = (struct line){ text, pd_end_line(text + 19, end), text + 17, address };
	return true;
}

/* perf takes code, initialised and uninitialised data; it ignores constants, absolute values and mapping symbols. */
static bool is_taken_type(char type)
{
	static const bool taken[128] = {
		['T'] = true, ['t'] = true, ['W'] = true, ['w'] = true,
		['D'] = true, ['d'] = true, ['B'] = true, ['b'] = true,
	};
	return (unsigned char)type < sizeof taken && taken[(unsigned char)type];
}

/* Ends "NAME\t[MODULE]" after NAME and MODULE; false: it has another form. */
static bool split_module(char *name)
{
	char *bracket = strchr(name, '[');
	if (!bracket || bracket == name)
		return false;
	char *end = bracket;
	while (end > name && (end[-1] == '\t' || end[-1] == ' '))
		end--;
	if (end == bracket)
		return false;
	*end = '\0';
	char *close = strchr(bracket, ']');
	if (close)
		*close = '\0';
	return true;
}

/* --- where the text of a kernel starts ---------------------------------------------------------------------------- */

static void note_text_start(const char *name, uint64_t address, uint64_t starts[2])
{
	const unsigned other = !strcmp(name, "_stext");
	if ((other || !strcmp(name, "_text")) && !starts[other])
		starts[other] = address;
}

enum perfdata_status pd_kallsyms_text_start(int fd, const struct perfdata_cancel *cancel, uint64_t ret[2])
{
	char piece[16 << 10];
	size_t used = 0;
	int64_t got = 1;
	ret[0] = ret[1] = 0;
	while ((!ret[0] || !ret[1]) && used + 1 < sizeof piece &&
	       (got = pd_read_some(fd, piece + used, sizeof piece - 1 - used, cancel)) > 0) {
		char *at = piece, *const end = piece + used + got;
		const char *newline = memrchr(piece, '\n', (size_t)(end - piece));
		while (newline && at <= newline) {
			const struct line line = split_line(at, end);
			at = line.end + 1;
			if (line.type && is_taken_type(*line.type))
				note_text_start(line.type + 2, line.address, ret);
		}
		used = (size_t)(end - at);
		memmove(piece, at, used);
	}
	return got < 0 ? PERFDATA_EREAD : PERFDATA_OK;
}

/* --- reading ------------------------------------------------------------------------------------------------------ */

/* Makes room for one more symbol. */
static enum perfdata_status make_room(struct pd_kallsyms_table *table)
{
	if (table->count < table->capacity)
		return PERFDATA_OK;
	if (table->count >= PD_MOST_SYMBOLS)
		return PERFDATA_ELIMIT;
	/* the old and the larger block exist at once while the table moves */
	if (table->work && pd_work_room(table->work, 3 * table->count * sizeof *table->symbols))
		return PERFDATA_ELIMIT;
	return pd_vector_grow(&table->symbols, &table->capacity, table->count, sizeof *table->symbols)
		       ? PERFDATA_ENOMEM : PERFDATA_OK;
}

/* Makes room for the symbols of a usual text at once. */
static void reserve_symbols(struct pd_kallsyms_table *table)
{
	const size_t bytes = pd_large_size(table->size / TYPICAL_LINE * sizeof *table->symbols);
	if (table->work && pd_work_room(table->work, bytes))
		return;
	table->symbols = pd_malloc_large(bytes);
	table->capacity = table->symbols ? bytes / sizeof *table->symbols : 0;
}

/* Of two adjacent symbols at one address, the first has no size, so the second replaces it. At the highest address,
 * none has a size. */
static bool replaces_last(const struct pd_kallsyms_table *table, const struct pd_address_key *symbol)
{
	const struct pd_address_key *last = &table->symbols[table->count - 1];
	const uint64_t address = pd_key_address(symbol);
	return address == pd_key_address(last) && address < UINT64_MAX &&
	       !((last->index | symbol->index) & HAS_MODULE);
}

/* *last_address: the address of the symbol before; 0: none. */
static inline enum perfdata_status add_symbol(struct pd_kallsyms_table *table, const struct line *line,
					      bool has_module, uint64_t *last_address)
{
	const struct pd_address_key symbol = {
		.low = (uint32_t)line->address,
		.high = (uint32_t)(line->address >> 32),
		.index = (uint32_t)(line->type - table->text) | (has_module ? HAS_MODULE : 0),
	};
	if (line->address <= *last_address && replaces_last(table, &symbol)) {
		table->symbols[table->count - 1] = symbol;
		return PERFDATA_OK;
	}
	if (line->address < *last_address && !table->nr_ascending)
		table->nr_ascending = table->count;
	*last_address = line->address;
	const enum perfdata_status status = make_room(table);
	if (!status)
		table->symbols[table->count++] = symbol;
	return status;
}

static enum perfdata_status read_lines(struct pd_kallsyms_table *table, struct pd_odd_lines *odd)
{
	char *at = table->text, *const end = at + table->size;
	char *bracket = at;   /* the next '[' of the text: most symbols have no module */
	uint64_t last_address = 0;
	struct pd_meter meter = pd_meter(table->work);
	bool is_hidden = false;
	for (uint64_t number = 1; at < end; number++) {
		struct line line;
		if (!split_usual_line(at, end, &line))
			line = split_line(at, end);
		at = line.end + 1;
		enum perfdata_status status = pd_symbol_text_step(&meter);
		if (status)
			return status;
		if (!line.type) {
			if (pd_has_text(line.text))
				pd_note_odd_line(odd, number, line.text);
			continue;
		}
		char *name = line.type + 2;
		if (!*name || *name == '$' || !is_taken_type(*line.type))
			continue;
		if (!line.address) {
			is_hidden = true;
			continue;
		}
		if (bracket < name && !(bracket = memchr(name, '[', (size_t)(end - name))))
			bracket = end;
		const bool has_module = bracket < line.end && split_module(name);
		if ((size_t)(line.end - name) >= PD_SYMBOL_NAME_LIMIT)
			pd_limit_name(name);
		if (name[0] == '_' && (name[1] == 't' || name[1] == 's'))
			note_text_start(name, line.address, table->text_start);
		status = add_symbol(table, &line, has_module, &last_address);
		if (status)
			return status;
	}
	if (table->count)
		return PERFDATA_OK;
	return is_hidden ? PERFDATA_ABSENT : PERFDATA_EFORMAT;
}

/* --- sorting, and choosing one of several symbols ----------------------------------------------------------------- */

/* Merges the sorted tail into the sorted head of the table, stably. */
static void merge_tail(struct pd_address_key *symbols, size_t head, const struct pd_address_key *tail, size_t left)
{
	while (left) {
		const bool from_tail = !head || pd_key_address(&symbols[head - 1]) <= pd_key_address(&tail[left - 1]);
		symbols[head + left - 1] = from_tail ? tail[left - 1] : symbols[head - 1];
		*(from_tail ? &left : &head) -= 1;
	}
}

/* The kernel writes its own symbols in order. Those of modules follow, in no order. */
static enum perfdata_status sort_symbols(struct pd_kallsyms_table *table)
{
	const size_t head = table->nr_ascending, tail = table->count - head, bytes = tail * sizeof *table->symbols;
	if (!head)
		return PERFDATA_OK;
	if (table->work && pd_work_room(table->work, 2 * bytes))
		return PERFDATA_ELIMIT;
	struct pd_address_key *keys = pd_malloc(2 * bytes), *sorted;
	if (!keys)
		return PERFDATA_ENOMEM;
	memcpy(keys, table->symbols + head, bytes);
	const enum perfdata_status status = pd_sort_keys(keys, tail, table->work, &sorted);
	if (!status)
		merge_tail(table->symbols, head, sorted, tail);
	pd_free(keys);
	return status;
}

static char type_of(const struct pd_kallsyms_table *table, const struct pd_address_key *symbol)
{
	return table->text[symbol->index & (HAS_MODULE - 1)];
}

static const char *name_of(const struct pd_kallsyms_table *table, const struct pd_address_key *symbol)
{
	return &table->text[(symbol->index & (HAS_MODULE - 1)) + 2];
}

/* Returns NULL for a symbol of the kernel itself. */
static const char *module_of(const struct pd_kallsyms_table *table, const struct pd_address_key *symbol)
{
	const char *name = name_of(table, symbol);
	if (!(symbol->index & HAS_MODULE))
		return NULL;
	/* the first bracket after the name, which ends with a NUL */
	return (const char *)memchr(name, '[', (size_t)(table->text + table->size - name)) + 1;
}

static enum perfdata_symbol_binding binding_of(char type)
{
	if (type == 'W')
		return PERFDATA_BIND_WEAK;
	return type >= 'A' && type <= 'Z' ? PERFDATA_BIND_GLOBAL : PERFDATA_BIND_LOCAL;
}

/* Whether the kernel or a module ends between a symbol and the next one. */
static inline bool is_last_of_module(const struct pd_kallsyms_table *table, size_t at)
{
	const struct pd_address_key *symbol = &table->symbols[at], *next = symbol + 1;
	if (at + 1 == table->count || (symbol->index ^ next->index) & HAS_MODULE)
		return true;
	return symbol->index & HAS_MODULE && strcmp(module_of(table, symbol), module_of(table, next)) != 0;
}

/* Ranks a symbol by the rules that need no name. */
static unsigned rank_symbol(const struct pd_kallsyms_table *table, size_t at)
{
	const uint64_t start = pd_key_address(&table->symbols[at]);
	const uint64_t end = is_last_of_module(table, at) ? pd_end_of_last(start)
							  : pd_key_address(&table->symbols[at + 1]);
	const enum perfdata_symbol_binding binding = binding_of(type_of(table, &table->symbols[at]));
	return (end != start) * 4u + (binding != PERFDATA_BIND_WEAK) * 2u + (binding == PERFDATA_BIND_GLOBAL);
}

/* Returns the one of several symbols at one address whose name is shown. */
static size_t best_symbol(const struct pd_kallsyms_table *table, size_t first, size_t end)
{
	size_t best = first;
	unsigned best_rank = rank_symbol(table, first);
	for (size_t at = first + 1; at < end; at++) {
		const unsigned rank = rank_symbol(table, at);
		if (rank < best_rank || (rank == best_rank &&
					 pd_symtab_is_better_name(name_of(table, &table->symbols[best]),
								  name_of(table, &table->symbols[at]))))
			continue;
		best = at;
		best_rank = rank;
	}
	return best;
}

static inline bool is_same_address(const struct pd_address_key *a, const struct pd_address_key *b)
{
	return a->low == b->low && a->high == b->high;
}

/* Returns the number of symbols at the start of the table that stay as they are: symbols of the kernel itself, each at
 * another address than the next one. */
static size_t count_plain(const struct pd_kallsyms_table *table)
{
	const struct pd_address_key *symbol = table->symbols, *const last = symbol + table->count - 1;
	while (symbol < last && !((symbol[0].index | symbol[1].index) & HAS_MODULE) &&
	       !is_same_address(&symbol[0], &symbol[1]))
		symbol++;
	return (size_t)(symbol - table->symbols);
}

/* Keeps one symbol at each address, and marks the last ones of the kernel and of modules. */
static void drop_aliases(struct pd_kallsyms_table *table)
{
	const size_t plain = count_plain(table);
	struct pd_address_key *symbols = table->symbols, *kept = symbols + plain;
	for (size_t first = plain, next; first < table->count; first = next) {
		next = first + 1;
		while (next < table->count && is_same_address(&symbols[first], &symbols[next]))
			next++;
		const size_t best = next - first > 1 ? best_symbol(table, first, next) : first;
		const bool is_last = is_last_of_module(table, best);
		*kept = symbols[best];
		kept++->index |= is_last ? ENDS_AT_BORDER : 0;
	}
	kept[-1].index |= ENDS_AT_BORDER;   /* even if it was not the last one at its address */
	table->count = (size_t)(kept - symbols);
}

/* Frees spare room for symbols, which a text of long or unusual lines leaves. */
static void free_spare_room(struct pd_kallsyms_table *table)
{
	struct pd_address_key *symbols = table->count < table->capacity / 2
						 ? pd_realloc(table->symbols, table->count * sizeof *symbols)
						 : NULL;
	if (symbols) {
		table->symbols = symbols;
		table->capacity = table->count;
	}
}

enum perfdata_status pd_kallsyms_load(struct pd_kallsyms_table *table, int fd, struct pd_odd_lines *ret_odd)
{
	*ret_odd = (struct pd_odd_lines){ 0 };
	enum perfdata_status status = pd_symbol_text_read(table->work, fd, &table->text, &table->size);
	if (status)
		return status;
	reserve_symbols(table);
	status = read_lines(table, ret_odd);
	if (!status)
		status = sort_symbols(table);
	if (status) {
		pd_kallsyms_release(table);
		return status;
	}
	drop_aliases(table);
	free_spare_room(table);
	return PERFDATA_OK;
}

/* --- look-up ------------------------------------------------------------------------------------------------------ */

bool pd_kallsyms_find(const struct pd_kallsyms_table *table, uint64_t address, struct perfdata_symbol *ret)
{
	size_t before;
	PD_COUNT_BEFORE(before, table->count, at, pd_key_address(&table->symbols[at]) <= address);
	if (!before)
		return false;
	const struct pd_address_key *symbol = &table->symbols[before - 1];
	const uint64_t start = pd_key_address(symbol);
	const uint64_t end = symbol->index & ENDS_AT_BORDER ? pd_end_of_last(start) : pd_key_address(symbol + 1);
	if (address >= end && address != start)
		return false;
	*ret = (struct perfdata_symbol){
		.name = name_of(table, symbol),
		.raw_name = name_of(table, symbol),
		.module = module_of(table, symbol),
		.start = start,
		.size = end - start,
		.offset = address - start,
		.binding = binding_of(type_of(table, symbol)),
	};
	return true;
}

size_t pd_kallsyms_memory(const struct pd_kallsyms_table *table)
{
	return table->capacity * sizeof *table->symbols + (table->text ? pd_symbol_text_room(table->size) : 0);
}

void pd_kallsyms_release(struct pd_kallsyms_table *table)
{
	pd_free(table->symbols);
	pd_free(table->text);
	*table = (struct pd_kallsyms_table){ .work = table->work };
}
