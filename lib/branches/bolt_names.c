/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "branches/bolt_names.h"

#include <stdlib.h>
#include <string.h>
#include "base/hash.h"
#include "base/memory.h"
#include "base/search.h"
#include "symbols/symbols.h"

struct symbol {
	uint64_t start, size;
	uint32_t name, order;    /* order: index in the symbol table */
	uint32_t number;         /* number, from 1, among the local symbols of this name; 0: not local */
	bool is_local, is_function, is_section;
};

struct pd_bolt_names {
	const struct pd_code_file *file;
	struct pd_account *account;
	struct pd_intern *texts;
	struct symbol *symbols;  /* pd_bolt_names_new leaves only functions, one for each address */
	size_t nr, room;
	size_t accounted;
	enum perfdata_status status;
};

static enum perfdata_status charge_names(struct pd_bolt_names *names)
{
	pd_account_change(names->account, PD_USE_SYMBOLS, names->accounted, names->room * sizeof *names->symbols);
	names->accounted = names->room * sizeof *names->symbols;
	return pd_account_is_exhausted(names->account) ? PERFDATA_ENOMEM : PERFDATA_OK;
}

static bool take_symbol(void *user, const struct pd_code_symbol *symbol)
{
	struct pd_bolt_names *names = user;
	const bool is_function = symbol->is_function && symbol->is_code;
	if (!symbol->is_placed || (!is_function && !symbol->is_local))
		return true;
	const uint32_t name = pd_intern_put(names->texts, symbol->name, strlen(symbol->name));
	if (name == UINT32_MAX || names->nr >= UINT32_MAX ||
	    pd_vector_grow(&names->symbols, &names->room, names->nr, sizeof *names->symbols) < 0) {
		names->status = PERFDATA_ENOMEM;
		return false;
	}
	names->symbols[names->nr] = (struct symbol){
		.start = symbol->address, .size = symbol->size, .name = name, .order = (uint32_t)names->nr,
		.is_local = symbol->is_local, .is_function = is_function, .is_section = symbol->is_section,
	};
	if (++names->nr % 4096 == 0)
		names->status = charge_names(names);
	return !names->status;
}

/* Orders by address, functions first and sections last, then by their order in the symbol table. */
static int compare_symbols(const void *left, const void *right)
{
	const struct symbol *a = left, *b = right;
	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	if (a->is_function != b->is_function)
		return a->is_function ? -1 : 1;
	if (a->is_section != b->is_section)
		return a->is_section ? 1 : -1;
	return a->order < b->order ? -1 : a->order > b->order;
}

static enum perfdata_status number_symbols(struct pd_bolt_names *names)
{
	const uint32_t nr_texts = pd_intern_count(names->texts);
	uint32_t *counts = pd_calloc(nr_texts ? nr_texts : 1, sizeof *counts);
	if (!counts)
		return PERFDATA_ENOMEM;
	for (size_t i = 0; i < names->nr; i++)
		if (names->symbols[i].is_local)
			names->symbols[i].number = ++counts[names->symbols[i].name];
	pd_free(counts);
	return PERFDATA_OK;
}

/* Keeps the first function of each address, with the largest size of the symbols there. */
static void keep_functions(struct pd_bolt_names *names)
{
	size_t nr = 0;
	for (size_t i = 0; i < names->nr; i++) {
		const struct symbol *symbol = &names->symbols[i];
		struct symbol *last = nr ? &names->symbols[nr - 1] : NULL;
		if (!symbol->is_function)
			continue;
		if (!last || last->start != symbol->start)
			names->symbols[nr++] = *symbol;
		else if (symbol->size > last->size)
			last->size = symbol->size;
	}
	names->nr = nr;
	/* symbols of assembler code may lack a size: they extend to the next function, or to the end of the section */
	for (size_t i = 0; i < nr; i++) {
		struct symbol *symbol = &names->symbols[i];
		const struct pd_code_range *section = pd_code_file_section(names->file, symbol->start);
		uint64_t end = section ? section->end : symbol->start;
		if (i + 1 < nr && names->symbols[i + 1].start < end)
			end = names->symbols[i + 1].start;
		if (!symbol->size)
			symbol->size = end - symbol->start;
	}
}

enum perfdata_status pd_bolt_names_new(const struct pd_code_file *file, struct pd_account *account,
				       struct pd_bolt_names **ret)
{
	struct pd_bolt_names *names = pd_calloc(1, sizeof *names);
	if (!names)
		return PERFDATA_ENOMEM;
	names->file = file;
	names->account = account;
	names->texts = pd_intern_new();
	enum perfdata_status status = names->texts ? PERFDATA_OK : PERFDATA_ENOMEM;
	if (!status)
		status = pd_code_file_symbols(file, take_symbol, names);
	if (!status || status == PERFDATA_ABSENT)
		status = names->status ? names->status : charge_names(names);
	if (!status && names->nr)
		qsort(names->symbols, names->nr, sizeof *names->symbols, compare_symbols);
	if (!status)
		status = number_symbols(names);
	if (status) {
		pd_bolt_names_free(names);
		return status;
	}
	keep_functions(names);
	*ret = names;
	return PERFDATA_OK;
}

void pd_bolt_names_free(struct pd_bolt_names *names)
{
	if (!names)
		return;
	pd_account_give(names->account, PD_USE_SYMBOLS, names->accounted);
	pd_free(names->symbols);
	pd_intern_free(names->texts);
	pd_free(names);
}

/* Finds an address in the linkage table. An entry has the name of its function; the rest has the name of the table. */
static bool find_linkage(const struct pd_bolt_names *names, uint64_t address, struct pd_bolt_place *ret)
{
	struct perfdata_symbol symbol;
	uint64_t offset;
	const struct pd_code_range *table = &names->file->linkage;
	const bool is_named = pd_code_file_offset(names->file, address, &offset) &&
			      !perfdata_symbols_lookup(names->file->dso, offset, UINT64_MAX, &symbol);
	const size_t length = is_named ? strlen(symbol.raw_name) : 0;
	/* entries of a statically linked program have no names */
	const bool is_import = !pd_code_file_is_static(names->file) && length > 4 &&
			       !strcmp(symbol.raw_name + length - 4, "@plt");
	if (is_import)
		*ret = (struct pd_bolt_place){ .function = symbol.raw_name, .length = length - 4, .suffix = "@PLT",
					       .offset = symbol.offset };
	else if (address >= table->start && address < table->end)
		*ret = (struct pd_bolt_place){ .function = "__BOLT_PSEUDO_.plt", .length = 18,
					       .offset = address - table->start };
	else
		return false;
	return true;
}

bool pd_bolt_names_find(const struct pd_bolt_names *names, uint64_t address, struct pd_bolt_place *ret)
{
	size_t low;
	PD_COUNT_BEFORE(low, names->nr, at, names->symbols[at].start <= address);
	const struct symbol *symbol = low ? &names->symbols[low - 1] : NULL;
	if (!symbol || address - symbol->start >= symbol->size)
		return find_linkage(names, address, ret);
	size_t length;
	const char *function = pd_intern_get(names->texts, symbol->name, &length);
	*ret = (struct pd_bolt_place){
		.function = function,
		.length = length,
		.number = symbol->number,
		.offset = address - symbol->start,
	};
	return true;
}
