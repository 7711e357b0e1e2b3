/* SPDX-License-Identifier: MIT */
/* The names of symbols, read from the file's string table and demangled at first use. Only a few hundred symbols of a
 * large program are ever used, so large string tables are not kept in memory. */
#include "config.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "base/memory.h"
#include "symbols/symbols.h"

#define SYMBOLS_OF_BYTE 4u   /* a kept byte of a name counts as symbols, so the limit of work also limits memory */
#define BLOCK 256  /* consecutive symbols whose names share a block */

/* Used names. Threads read them without a lock; a thread that adds a name holds the lock of names. */
struct pd_name_block {
	_Atomic(const struct pd_symbol_name *) names[BLOCK];
};

/* --- names while symbols are added -------------------------------------------------------------------------------- */

int pd_symtab_keep_name(struct pd_symbol_table *table, const char *name, size_t size, uint32_t *ret)
{
	struct pd_strings *pool = &table->strings[PD_STRINGS_POOL];
	if (size >= UINT32_MAX - pool->size || pd_symtab_is_stopped(table, size * SYMBOLS_OF_BYTE))
		return -1;
	if (pd_vector_grow(&pool->bytes, &pool->room, pool->size + size, 1) < 0)
		return -1;
	*ret = (uint32_t)pool->size;
	memcpy(pool->bytes + pool->size, name, size);
	pool->bytes[pool->size + size] = '\0';
	pool->size += size + 1;
	return 0;
}

const char *pd_symtab_raw(const struct pd_symbol_table *table, const struct pd_symbol *symbol)
{
	const struct pd_strings *strings = &table->strings[symbol->strings];
	return strings->bytes && symbol->name < strings->size ? strings->bytes + symbol->name : "";
}

/* Returns "NAME@plt", or perf's name for an entry whose slot has no name. */
static const char *plt_name(const struct pd_symbol *symbol, const char *name, struct pd_arena *bytes)
{
	enum { MAX_NAME = 4096 };
	char text[MAX_NAME];
	const int length = *name ? snprintf(text, sizeof text, "%.*s@plt", MAX_NAME - 8, name)
				 : snprintf(text, sizeof text, "offset_%#" PRIx64 "@plt", symbol->start);
	return pd_arena_copy(bytes, text, (size_t)length);
}

static const char *spell_symbol(const struct pd_symbol_table *table, const struct pd_symbol *symbol, const char *raw,
				struct pd_arena *bytes, bool *ret_excess)
{
	const char *name = table->mangled && symbol->strings != PD_STRINGS_POOL
				   ? pd_demangle(bytes, raw, table->work, ret_excess)
				   : raw;
	return symbol->strings == PD_STRINGS_PLT && name ? plt_name(symbol, name, bytes) : name;
}

static size_t count_underscores(const char *name) { return strspn(name, "_"); }

bool pd_symtab_is_better_name(const char *first, const char *second)
{
	size_t under_first = count_underscores(first), under_second = count_underscores(second);
	if (under_first != under_second)
		return under_first < under_second;
	size_t length_first = strlen(first), length_second = strlen(second);
	if (length_first != length_second)
		return length_first > length_second;
	/* old kernels have two names for a system call; the usual name lacks SyS_ */
	return strncmp(first, "SyS", 3) != 0 && strncmp(first, "compat_SyS", 10) != 0;
}

static size_t count_tied(const struct pd_symbol_table *table, const struct pd_symbol *first)
{
	size_t nr = 1;
	const size_t left = (size_t)(table->items + table->count - first);
	while (nr < left && first[nr].tied)
		nr++;
	return nr;
}

const char *pd_symtab_spell_one(const struct pd_symbol_table *table, const struct pd_symbol *symbol,
				struct pd_arena *bytes)
{
	bool is_excess = false;   /* reported only for names that are shown */
	return spell_symbol(table, symbol, pd_symtab_raw(table, symbol), bytes, &is_excess);
}

const char *pd_symtab_spell(const struct pd_symbol_table *table, const struct pd_symbol *symbol, struct pd_arena *bytes)
{
	const size_t nr = count_tied(table, symbol);
	const char *best = pd_symtab_spell_one(table, symbol, bytes);
	for (size_t i = 1; i < nr && best; i++) {
		const char *name = pd_symtab_spell_one(table, &symbol[i], bytes);
		best = name && pd_symtab_is_better_name(best, name) ? best : name;
	}
	return best;
}

void pd_symtab_drop_strings(struct pd_symbol_table *table)
{
	for (size_t i = 0; i < PD_STRINGS_COUNT; i++) {
		if (!table->strings[i].elf)
			continue;
		pd_free(table->strings[i].bytes);
		table->strings[i].bytes = NULL;
	}
}

int pd_symtab_make_names(struct pd_symbol_table *table)
{
	table->names = pd_calloc(table->count / BLOCK + 1, sizeof *table->names);
	return table->names ? 0 : -1;
}

/* --- names of a settled table ------------------------------------------------------------------------------------- */

const char *pd_strings_read(const struct pd_strings *strings, uint64_t at, struct pd_arena *bytes)
{
	char name[PD_SYMBOL_NAME_LIMIT];
	size_t used = 0, step = 512;
	while (at + used < strings->size && used < sizeof name) {
		size_t size = sizeof name - used < step ? sizeof name - used : step;
		if (size > strings->size - at - used)
			size = strings->size - (size_t)at - used;
		if (!pd_elf_read(strings->elf, strings->offset + at + used, name + used, size))
			return pd_elf_failure(strings->elf) ? NULL : "";
		const char *end = memchr(name + used, 0, size);
		if (end)
			return pd_arena_copy(bytes, name, (size_t)(end - name));
		used += size;
		step *= 4;
	}
	return used < sizeof name ? pd_arena_copy(bytes, name, used) : "";
}

enum perfdata_status pd_strings_failure(const struct pd_strings *strings)
{
	const enum perfdata_status failure = strings->elf ? pd_elf_failure(strings->elf) : PERFDATA_OK;
	return failure ? failure : PERFDATA_ENOMEM;
}

enum perfdata_status pd_symtab_failure(const struct pd_symbol_table *table)
{
	for (size_t i = 0; i < PD_STRINGS_COUNT; i++)
		if (pd_strings_failure(&table->strings[i]) != PERFDATA_ENOMEM)
			return pd_strings_failure(&table->strings[i]);
	return table->mangled && pd_demangle_failure() ? pd_demangle_failure() : PERFDATA_ENOMEM;
}

static const char *raw_name(const struct pd_symbol_table *table, const struct pd_symbol *symbol, struct pd_arena *bytes)
{
	const struct pd_strings *strings = &table->strings[symbol->strings];
	return strings->elf && !strings->bytes ? pd_strings_read(strings, symbol->name, bytes)
					       : pd_symtab_raw(table, symbol);
}

bool pd_symtab_spell_names(const struct pd_symbol_table *table, const struct pd_symbol *symbol, struct pd_arena *bytes,
			   struct pd_symbol_name *ret, bool *ret_excess)
{
	struct pd_symbol_name best = { 0 };
	const size_t nr = count_tied(table, symbol);
	for (size_t i = 0; i < nr; i++) {
		struct pd_symbol_name name = { .raw = raw_name(table, &symbol[i], bytes) };
		if (name.raw && best.raw && !strcmp(name.raw, best.raw))
			continue;
		name.shown = name.raw ? spell_symbol(table, &symbol[i], name.raw, bytes, ret_excess) : NULL;
		if (!name.shown)
			return false;
		if (symbol[i].strings == PD_STRINGS_PLT)
			name.raw = plt_name(&symbol[i], name.raw, bytes);
		if (!name.raw)
			return false;
		if (!best.shown || !pd_symtab_is_better_name(best.shown, name.shown))
			best = name;
	}
	*ret = best;
	return true;
}

const struct pd_symbol_name *pd_symtab_known_name(const struct pd_symbol_table *table, const struct pd_symbol *symbol)
{
	const size_t index = (size_t)(symbol - table->items);
	struct pd_name_block *block = atomic_load_explicit(&table->names[index / BLOCK], memory_order_acquire);
	return block ? atomic_load_explicit(&block->names[index % BLOCK], memory_order_acquire) : NULL;
}

/* Whether a text is in the table's string tables, which stay in memory. */
static bool is_in_strings(const struct pd_symbol_table *table, const char *text)
{
	for (size_t i = 0; i < PD_STRINGS_COUNT; i++) {
		const struct pd_strings *strings = &table->strings[i];
		if (strings->bytes && text >= strings->bytes && text < strings->bytes + strings->size)
			return true;
	}
	return false;
}

static const char *keep_text(struct pd_symbol_table *table, const char *text)
{
	return !*text ? "" : is_in_strings(table, text) ? text : pd_arena_copy(&table->bytes, text, strlen(text));
}

static const struct pd_symbol_name *copy_names(struct pd_symbol_table *table, const struct pd_symbol_name *names)
{
	struct pd_symbol_name *ret = pd_arena_alloc(&table->bytes, sizeof *ret);
	if (!ret || !(ret->raw = keep_text(table, names->raw)))
		return NULL;
	ret->shown = names->shown == names->raw ? ret->raw : keep_text(table, names->shown);
	return ret->shown ? ret : NULL;
}

const struct pd_symbol_name *pd_symtab_keep_names(struct pd_symbol_table *table, const struct pd_symbol *symbol,
						  const struct pd_symbol_name *names)
{
	const struct pd_symbol_name *kept = pd_symtab_known_name(table, symbol);
	if (kept)   /* another thread was faster */
		return kept;
	const size_t index = (size_t)(symbol - table->items);
	struct pd_name_block *block = atomic_load_explicit(&table->names[index / BLOCK], memory_order_relaxed);
	if (!block) {
		block = pd_arena_calloc(&table->bytes, 1, sizeof *block);
		if (!block)
			return NULL;
		atomic_store_explicit(&table->names[index / BLOCK], block, memory_order_release);
	}
	kept = copy_names(table, names);
	atomic_store_explicit(&block->names[index % BLOCK], kept, memory_order_release);
	return kept;
}

void pd_symtab_release_names(struct pd_symbol_table *table)
{
	pd_free(table->names);
	table->names = NULL;
}
