/* SPDX-License-Identifier: MIT */
/* The first look-up loads the symbols of a dso, under its lock. A thread that waits for this lock loads other dsos.
 * Unwinding needs only the files, which are known long before the symbols are sorted. */
#include "config.h"
#include "base/cancel.h"
#include "symbols/symbols.h"

/* Limit of a table in bytes, names included, up to which its names are kept in memory, if memory is not short. */
#define MOST_WITH_STRINGS ((size_t)24 << 20)

/* Decides whether names are kept in memory. Finding them there is faster than reading them from the file, but the names
 * of all symbols take more memory than all other data about a large program. */
static void limit_strings(const struct perfdata_symbols *symbols, struct pd_symbol_table *table)
{
	const struct pd_account *account = pd_symbols_account(symbols);
	const size_t size = pd_symtab_memory(table);
	if (size > MOST_WITH_STRINGS || (account && pd_account_used(account) + size > account->limit / 4))
		pd_symtab_drop_strings(table);
}

enum perfdata_status pd_symbols_judge(const struct perfdata_symbols *symbols, enum perfdata_status status,
				      size_t before)
{
	const bool is_answer = status == PERFDATA_OK || status == PERFDATA_ABSENT || status == PERFDATA_EUNSUP;
	return is_answer && pd_symbols_failed(symbols) != before ? pd_symbols_failure(symbols) : status;
}

/* Returns a failure while the dso was loaded, which may have cost names. */
static enum perfdata_status find_failure(const struct perfdata_symbols_dso *dso)
{
	const enum perfdata_status of_text = dso->text ? pd_elf_failure(dso->text) : PERFDATA_OK;
	const enum perfdata_status of_debug = dso->debug ? pd_elf_failure(dso->debug) : PERFDATA_OK;
	return dso->failure ? dso->failure : of_text ? of_text : of_debug;
}

/* Whether the files of a dso are known before it is loaded. The answers of a bundle decide which file is used. */
static bool has_files_first(const struct perfdata_symbols_dso *dso)
{
	return dso->request.kind == PERFDATA_DSO_USER && !dso->symbols->options.debug_first;
}

/* Searches the files of a program or library; call it with the lock of the dso. */
static void find_files(struct perfdata_symbols_dso *dso)
{
	const size_t before = pd_symbols_failed(dso->symbols);
	if (dso->request.kind != PERFDATA_DSO_USER || atomic_load_explicit(&dso->files_known, memory_order_relaxed))
		return;
	pd_dso_find_files(dso);
	if (!dso->failure && pd_symbols_failed(dso->symbols) != before)
		dso->failure = pd_symbols_failure(dso->symbols);
	if (has_files_first(dso))
		atomic_store_explicit(&dso->files_known, true, memory_order_release);
}

enum perfdata_status pd_dso_load_locked(struct perfdata_symbols_dso *dso)
{
	if (!atomic_load_explicit(&dso->loaded, memory_order_relaxed)) {
		find_files(dso);
		const size_t before = pd_symbols_failed(dso->symbols);
		dso->status = pd_dso_load(dso);
		if (dso->status == PERFDATA_ABSENT)
			dso->status = pd_answers_load(dso);
		/* cancelled reads may have missed names, so they are not absent */
		if (dso->status == PERFDATA_ABSENT && pd_cancelled(dso->symbols->options.cancel))
			dso->status = PERFDATA_EINTR;
		limit_strings(dso->symbols, &dso->table);
		if (pd_symtab_settle(&dso->table))
			dso->status = PERFDATA_ENOMEM;
		else if (find_failure(dso))
			dso->status = find_failure(dso);
		else
			dso->status = pd_symbols_judge(dso->symbols, dso->status, before);
		(void)pd_symbols_note(dso->symbols, dso->status);
		const size_t memory = pd_symtab_memory(&dso->table) + pd_jit_memory(&dso->jit);
		dso->accounted += memory;
		pd_account_take(pd_symbols_account(dso->symbols), PD_USE_SYMBOLS, memory);
		atomic_store_explicit(&dso->loaded, true, memory_order_release);
		atomic_store_explicit(&dso->files_known, true, memory_order_release);
	}
	return dso->status;
}

bool pd_symbols_is_loaded(const struct perfdata_symbols_dso *dso)
{
	return atomic_load_explicit(&dso->loaded, memory_order_acquire);
}

struct perfdata_symbols_dso *pd_symbols_first(struct perfdata_symbols *symbols)
{
	pd_monitor_enter(symbols->lock);
	struct perfdata_symbols_dso *dso = symbols->dsos;
	pd_monitor_leave(symbols->lock);
	return dso;
}

bool pd_symbols_load_another(struct perfdata_symbols *symbols)
{
	struct perfdata_symbols_dso *dso = pd_symbols_first(symbols);
	while (dso && (pd_symbols_is_loaded(dso) || !pd_monitor_try(dso->lock)))
		dso = dso->next;
	if (!dso)
		return false;
	pd_dso_load_locked(dso);
	pd_monitor_leave(dso->lock);
	return true;
}

bool pd_symbols_are_loaded(struct perfdata_symbols *symbols)
{
	struct perfdata_symbols_dso *dso = pd_symbols_first(symbols);
	while (dso && pd_symbols_is_loaded(dso))
		dso = dso->next;
	return !dso;
}

/* Other dsos may be loaded meanwhile: a dso is known when an address was found in it, and its names will be needed
 * soon. */
void pd_symbols_lock(struct perfdata_symbols_dso *dso)
{
	while (!pd_monitor_try(dso->lock)) {
		if (!pd_symbols_load_another(dso->symbols)) {
			pd_monitor_enter(dso->lock);
			break;
		}
	}
}

enum perfdata_status pd_dso_wait_loaded(struct perfdata_symbols_dso *dso)
{
	if (pd_symbols_is_loaded(dso))
		return dso->status;
	pd_symbols_lock(dso);
	enum perfdata_status status = pd_dso_load_locked(dso);
	pd_monitor_leave(dso->lock);
	return status;
}

bool pd_dso_knows_files(const struct perfdata_symbols_dso *dso)
{
	return atomic_load_explicit(&dso->files_known, memory_order_acquire);
}

void pd_dso_wait_files(struct perfdata_symbols_dso *dso)
{
	if (pd_dso_knows_files(dso))
		return;
	pd_symbols_lock(dso);
	if (has_files_first(dso))
		find_files(dso);
	else
		(void)pd_dso_load_locked(dso);
	pd_monitor_leave(dso->lock);
}

bool pd_dso_has_text(struct perfdata_symbols_dso *dso)
{
	pd_dso_wait_files(dso);
	return dso->text && dso->request.kind != PERFDATA_DSO_KERNEL;
}
