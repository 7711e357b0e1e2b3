/* SPDX-License-Identifier: MIT */
/* Lists the entries of a table without an index. Compilers write .debug_frame instead of .eh_frame where no code needs
 * it to run: Go does for all programs, GCC does for C on 32-bit ARM. .eh_frame has no index in static programs that gcc
 * links: they register the table when they start. */
#include "config.h"
#include "symbols/unwind/unwind_frame_list.h"

#include <stdlib.h>
#include "base/memory.h"
#include "base/search.h"
#include "symbols/dwarf/dwarf.h"

#define BYTES_OF_STEP 64u   /* bytes of an entry that count as a step of work */

struct pd_frame_list_item {
	uint64_t start, end;
	uint32_t at;         /* offset of the FDE */
	bool is_shared;      /* another FDE has the same code, or code between start and the next item's start */
};

bool pd_frame_list_entry(const struct pd_frame_list *table, uint64_t at, struct pd_frame_entry *ret)
{
	return at < table->size &&
	       pd_frame_take_entry(&table->facts, table->bytes + at, (size_t)(table->size - at), at, ret);
}

/* --- listing ------------------------------------------------------------------------------------------------------ */

static size_t size_of(const struct pd_frame_entry *entry) { return (size_t)(entry->next - entry->at); }

static uint32_t steps_of(const struct pd_frame_entry *entry) { return 1 + (uint32_t)(size_of(entry) / BYTES_OF_STEP); }

/* Reads the CIE of an FDE unless *cie is this CIE. false: only libdw can read it. */
static bool take_cie(const struct pd_frame_list *table, const struct pd_frame_entry *fde, struct pd_frame_cie *cie,
		     uint32_t *steps)
{
	struct pd_frame_entry entry;
	if (cie->at == fde->cie)
		return true;
	if (!pd_frame_list_entry(table, fde->cie, &entry) || !entry.is_cie || size_of(&entry) > PD_FRAME_MOST_ENTRY)
		return false;
	*steps += steps_of(&entry);
	return pd_frame_read_cie(&table->facts, &entry, cie);
}

/* Lists all FDEs with code; in a first pass, items is NULL, and FDEs are counted. */
static enum perfdata_status list_entries(const struct pd_frame_list *table, struct pd_meter *meter,
					 struct pd_frame_list_item *items, size_t *ret_nr)
{
	struct pd_frame_cie cie = { .at = UINT64_MAX };
	struct pd_frame_entry entry;
	enum perfdata_status status = PERFDATA_OK;
	*ret_nr = 0;
	for (uint64_t at = 0; !status && pd_frame_list_entry(table, at, &entry); at = entry.next) {
		struct pd_frame_list_item item = { .at = (uint32_t)at };
		uint32_t steps = steps_of(&entry);
		if (size_of(&entry) > PD_FRAME_MOST_ENTRY)
			return PERFDATA_EUNSUP;
		if (!entry.is_cie && items) {
			if (!take_cie(table, &entry, &cie, &steps) ||
			    !pd_frame_read_head(&table->facts, &cie, &entry, &item.start, &item.end))
				return PERFDATA_EUNSUP;
			/* The linker sets the size of code that it dropped to 0; libdw ignores such an FDE, too. */
			if (item.start < item.end)
				items[(*ret_nr)++] = item;
		} else if (!entry.is_cie) {
			++*ret_nr;
		}
		status = pd_meter_count(meter, steps);
	}
	return status;
}

static int compare_items(const void *a, const void *b)
{
	const struct pd_frame_list_item *left = a, *right = b;
	if (left->start != right->start)
		return left->start < right->start ? -1 : 1;
	return left->at < right->at ? -1 : left->at > right->at;
}

/* Sorts the items, and marks those whose code overlaps that of others. */
static void sort_items(struct pd_frame_list_item *items, size_t nr)
{
	bool is_sorted = true;
	for (size_t i = 1; i < nr && is_sorted; i++)
		is_sorted = items[i - 1].start <= items[i].start;
	if (!is_sorted)
		qsort(items, nr, sizeof *items, compare_items);
	uint64_t end = 0;   /* highest end of the items before */
	for (size_t i = 0; i < nr; i++) {
		if (items[i].start < end)
			items[i].is_shared = items[i - 1].is_shared = true;
		end = items[i].end > end ? items[i].end : end;
	}
}

static enum perfdata_status make_items(struct pd_frame_list *table, struct pd_work *work)
{
	struct pd_meter meter = pd_meter(work);
	size_t nr;
	enum perfdata_status status = list_entries(table, &meter, NULL, &nr);
	if (!status)
		status = pd_work_room(work, nr * sizeof *table->items);
	if (!status && !(table->items = pd_malloc((nr + 1) * sizeof *table->items)))
		status = PERFDATA_ENOMEM;
	if (status)
		return status;
	table->accounted += (nr + 1) * sizeof *table->items;
	status = list_entries(table, &meter, table->items, &table->nr);
	if (!status)
		sort_items(table->items, table->nr);
	return status ? status : pd_meter_settle(&meter);
}

/* --- a file ------------------------------------------------------------------------------------------------------- */

static enum perfdata_status read_table(struct perfdata_symbols_dso *dso, const struct pd_elf *file,
				       const struct pd_elf_section *section, struct pd_frame_list *table)
{
	struct pd_work work;
	pd_work_init(&work, pd_elf_size(file), pd_symbols_account(dso->symbols), dso->symbols->options.cancel);
	enum perfdata_status status = pd_dwarf_whole_section(file, section, &work, &table->bytes, &table->size);
	if (status)
		return status;
	table->accounted = (size_t)table->size;
	return table->size <= UINT32_MAX ? make_items(table, &work) : PERFDATA_EUNSUP;
}

static const struct pd_elf_section *find_section(const struct perfdata_symbols_dso *dso, bool is_debug,
						 const struct pd_elf **ret_file)
{
	if (is_debug)
		return pd_frame_find_debug(dso->text, dso->debug, ret_file);
	*ret_file = dso->text;
	return pd_elf_section(dso->text, ".eh_frame");
}

enum perfdata_status pd_frame_list_open(struct perfdata_symbols_dso *dso, bool is_debug, struct pd_frame_list *ret)
{
	const struct pd_elf *file;
	const struct pd_elf_section *section = find_section(dso, is_debug, &file);
	if (!section)
		return PERFDATA_ABSENT;
	*ret = (struct pd_frame_list){ .facts.is_debug = is_debug,
				       .facts.address = is_debug ? 0 : section->header.sh_addr,
				       .facts.wide = dso->text->header.e_ident[EI_CLASS] != ELFCLASS32,
				       .facts.swap = pd_elf_swaps(dso->text) };
	const enum perfdata_status status = read_table(dso, file, section, ret);
	pd_account_take(pd_symbols_account(dso->symbols), PD_USE_SYMBOLS, ret->accounted);
	if (status)
		pd_frame_list_close(dso, ret);
	return status;
}

void pd_frame_list_close(struct perfdata_symbols_dso *dso, struct pd_frame_list *table)
{
	pd_account_give(pd_symbols_account(dso->symbols), PD_USE_SYMBOLS, table->accounted);
	pd_free(table->bytes);
	pd_free(table->items);
	*table = (struct pd_frame_list){ .nr = 0 };
}

enum perfdata_status pd_frame_list_find(const struct pd_frame_list *table, uint64_t vaddr, uint64_t *ret_at)
{
	size_t nr;
	PD_COUNT_BEFORE(nr, table->nr, at, table->items[at].start <= vaddr);
	const struct pd_frame_list_item *item = nr ? &table->items[nr - 1] : NULL;
	if (item && item->is_shared)
		return PERFDATA_EUNSUP;
	if (!item || vaddr >= item->end)
		return PERFDATA_ABSENT;
	*ret_at = item->at;
	return PERFDATA_OK;
}
