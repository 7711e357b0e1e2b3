/* SPDX-License-Identifier: MIT */
/* Abbreviation and line tables, which units of a file may share: a table to which thousands of units refer is read
 * once. A table is kept as long as an open unit uses it; the last few are kept longer. */
#include "config.h"
#include "symbols/symbols.h"

#include "base/memory.h"
#include "symbols/dwarf/dwarf.h"

void pd_dwarf_hold(struct pd_dwarf *dwarf, size_t before, size_t after)
{
	*dwarf->units_memory += after - before;
	dwarf->units_held += after - before;
	pd_account_change(dwarf->account, PD_USE_SYMBOLS, before, after);
}

/* --- abbreviations ------------------------------------------------------------------------------------------------ */

static size_t size_of_abbrevs(const struct pd_dwarf_abbrevs *abbrevs)
{
	return sizeof *abbrevs + abbrevs->capacity * sizeof *abbrevs->items +
	       abbrevs->spec_capacity * sizeof *abbrevs->specs;
}

static void free_abbrevs(struct pd_dwarf *dwarf, struct pd_dwarf_abbrevs *abbrevs)
{
	pd_dwarf_hold(dwarf, size_of_abbrevs(abbrevs), 0);
	pd_free(abbrevs->items);
	pd_free(abbrevs->specs);
	pd_free(abbrevs);
}

void pd_dwarf_give_abbrevs(struct pd_dwarf *dwarf, struct pd_dwarf_abbrevs *abbrevs)
{
	if (!abbrevs)
		return;
	pd_monitor_enter(dwarf->tables_lock);
	const bool unused = !--abbrevs->users;
	pd_monitor_leave(dwarf->tables_lock);
	if (unused)
		free_abbrevs(dwarf, abbrevs);
}

static struct pd_dwarf_abbrevs *recent_abbrevs(struct pd_dwarf *dwarf, const struct pd_dwarf_unit *unit)
{
	struct pd_dwarf_abbrevs *found = NULL;
	pd_monitor_enter(dwarf->tables_lock);
	for (size_t i = 0; i < PD_DWARF_RECENT && !found; i++) {
		struct pd_dwarf_abbrevs *recent = dwarf->recent_abbrevs[i];
		if (recent && recent->at == unit->abbrevs_at && recent->address_size == unit->address_size &&
		    recent->offset_size == unit->offset_size)
			found = recent;
	}
	if (found)
		found->users++;
	pd_monitor_leave(dwarf->tables_lock);
	return found;
}

static void keep_abbrevs(struct pd_dwarf *dwarf, struct pd_dwarf_abbrevs *abbrevs)
{
	pd_monitor_enter(dwarf->tables_lock);
	struct pd_dwarf_abbrevs **place = &dwarf->recent_abbrevs[dwarf->next_abbrevs++ % PD_DWARF_RECENT];
	struct pd_dwarf_abbrevs *old = *place;
	*place = abbrevs;
	abbrevs->users++;
	pd_monitor_leave(dwarf->tables_lock);
	pd_dwarf_give_abbrevs(dwarf, old);
}

enum perfdata_status pd_dwarf_take_abbrevs(struct pd_dwarf *dwarf, const struct pd_dwarf_unit *unit,
					   struct pd_dwarf_abbrevs **ret)
{
	*ret = recent_abbrevs(dwarf, unit);
	if (*ret)
		return PERFDATA_OK;
	struct pd_dwarf_abbrevs *made = pd_calloc(1, sizeof *made);
	if (!made)
		return PERFDATA_ENOMEM;
	made->at = unit->abbrevs_at;
	made->address_size = unit->address_size;
	made->offset_size = unit->offset_size;
	made->users = 1;
	const enum perfdata_status status = pd_dwarf_read_abbrevs(dwarf, unit, made);
	pd_dwarf_hold(dwarf, 0, size_of_abbrevs(made));
	if (status) {
		free_abbrevs(dwarf, made);
		return status;
	}
	keep_abbrevs(dwarf, made);
	*ret = made;
	return PERFDATA_OK;
}

/* --- lines -------------------------------------------------------------------------------------------------------- */

static size_t size_of_lines(const struct pd_dwarf_lines *lines)
{
	return sizeof *lines + lines->file_capacity * sizeof *lines->files +
	       lines->row_count * sizeof *lines->rows +
	       lines->discriminator_capacity * sizeof *lines->discriminators;
}

static void free_lines(struct pd_dwarf *dwarf, struct pd_dwarf_lines *lines)
{
	pd_dwarf_hold(dwarf, size_of_lines(lines), 0);
	pd_dwarf_lines_release(lines);
	pd_free(lines);
}

void pd_dwarf_give_lines(struct pd_dwarf *dwarf, struct pd_dwarf_lines *lines)
{
	if (!lines)
		return;
	pd_monitor_enter(dwarf->tables_lock);
	const bool unused = !--lines->users;
	pd_monitor_leave(dwarf->tables_lock);
	if (unused)
		free_lines(dwarf, lines);
}

static struct pd_dwarf_lines *recent_lines(struct pd_dwarf *dwarf, const struct pd_dwarf_unit *unit, uint64_t at,
					   bool discriminators)
{
	struct pd_dwarf_lines *found = NULL;
	pd_monitor_enter(dwarf->tables_lock);
	for (size_t i = 0; i < PD_DWARF_RECENT && !found; i++) {
		struct pd_dwarf_lines *recent = dwarf->recent_lines[i];
		if (recent && recent->at == at && recent->version == unit->version &&
		    recent->address_size == unit->address_size && recent->has_discriminators >= discriminators)
			found = recent;
	}
	if (found)
		found->users++;
	pd_monitor_leave(dwarf->tables_lock);
	return found;
}

static void keep_lines(struct pd_dwarf *dwarf, struct pd_dwarf_lines *lines)
{
	pd_monitor_enter(dwarf->tables_lock);
	struct pd_dwarf_lines **place = &dwarf->recent_lines[dwarf->next_lines++ % PD_DWARF_RECENT], *old = *place;
	*place = lines;
	lines->users++;
	pd_monitor_leave(dwarf->tables_lock);
	pd_dwarf_give_lines(dwarf, old);
}

enum perfdata_status pd_dwarf_take_lines(struct pd_dwarf *dwarf, const struct pd_dwarf_unit *unit, uint64_t at,
					 bool discriminators, struct pd_dwarf_lines **ret)
{
	enum perfdata_status status = pd_dwarf_unpack_section(dwarf, PD_DWARF_LINE);
	*ret = status ? NULL : recent_lines(dwarf, unit, at, discriminators);
	if (status || *ret)
		return status;
	struct pd_dwarf_lines *made = pd_calloc(1, sizeof *made);
	if (!made)
		return PERFDATA_ENOMEM;
	made->has_discriminators = discriminators;
	status = pd_dwarf_read_table(dwarf, unit, at, made);
	if (status) {
		pd_free(made);
		return status;
	}
	made->at = at;
	made->version = unit->version;
	made->address_size = unit->address_size;
	made->users = 1;
	pd_dwarf_hold(dwarf, 0, size_of_lines(made));
	keep_lines(dwarf, made);
	*ret = made;
	return PERFDATA_OK;
}

void pd_dwarf_drop_tables(struct pd_dwarf *dwarf)
{
	if (!dwarf->tables_lock)
		return;
	for (size_t i = 0; i < PD_DWARF_RECENT; i++) {
		pd_monitor_enter(dwarf->tables_lock);
		struct pd_dwarf_abbrevs *abbrevs = dwarf->recent_abbrevs[i];
		struct pd_dwarf_lines *lines = dwarf->recent_lines[i];
		dwarf->recent_abbrevs[i] = NULL;
		dwarf->recent_lines[i] = NULL;
		pd_monitor_leave(dwarf->tables_lock);
		pd_dwarf_give_abbrevs(dwarf, abbrevs);
		pd_dwarf_give_lines(dwarf, lines);
	}
}
