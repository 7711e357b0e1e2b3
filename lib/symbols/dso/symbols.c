/* SPDX-License-Identifier: MIT */
/* Dsos and look-ups. The first look-up loads the dso's files, under the lock of the dso. */
#include "config.h"
#include <errno.h>
#include <string.h>
#include <unistd.h>
#include "base/cancel.h"
#include "base/memory.h"
#include "base/option_struct.h"
#include "symbols/answers/symbol_answers.h"
#include "symbols/disassemble/disassemble.h"
#include "symbols/symbols.h"
#include "symbols/unwind/unwind_rules.h"

static int copy_options(struct perfdata_symbols *symbols)
{
	struct perfdata_symbols_options *o = &symbols->options;
	struct pd_arena *arena = &symbols->strings;
	if (pd_copy_text(arena, &o->symfs) || pd_copy_text(arena, &o->sysroot) || pd_copy_text(arena, &o->kallsyms) ||
	    pd_copy_text(arena, &o->vmlinux) || pd_copy_text(arena, &o->build_id_dir))
		return -1;
	const char **dirs = pd_arena_calloc(arena, o->debug_dir_count, sizeof *dirs);
	if (o->debug_dir_count && !dirs)
		return -1;
	for (size_t i = 0; i < o->debug_dir_count; i++) {
		dirs[i] = o->debug_dirs[i];
		if (pd_copy_text(arena, &dirs[i]))
			return -1;
	}
	o->debug_dirs = dirs;
	return 0;
}

enum perfdata_status perfdata_symbols_new(const struct perfdata_symbols_options *options, struct perfdata_symbols **ret)
{
	struct perfdata_symbols *symbols = pd_calloc(1, sizeof *symbols);
	if (!symbols)
		return PERFDATA_ENOMEM;
	const enum perfdata_status status = PD_OPTIONS_COPY(&symbols->options, user, options, NULL);
	if (status != PERFDATA_OK) {
		pd_free(symbols);
		return status;
	}
	symbols->lock = pd_monitor_new();
	symbols->unwind_lock = pd_monitor_new();
	symbols->kallsyms_lock = pd_monitor_new();
	symbols->kept.lock = pd_monitor_new();
	symbols->kept.most = pd_kept_most();
	symbols->spool.lock = pd_monitor_new();
	pd_spool_init(&symbols->spool.file, NULL);
	if (!symbols->lock || !symbols->unwind_lock || !symbols->kallsyms_lock || !symbols->kept.lock ||
	    !symbols->spool.lock || copy_options(symbols)) {
		perfdata_symbols_free(symbols);
		return PERFDATA_ENOMEM;
	}
	*ret = symbols;
	return PERFDATA_OK;
}

static void dso_free(struct perfdata_symbols_dso *dso)
{
	pd_account_give(pd_symbols_account(dso->symbols), PD_USE_SYMBOLS, dso->accounted + dso->table.names_held);
	pd_lines_close(dso);
	pd_objects_free(dso->objects);
	pd_symtab_release(&dso->table);
	pd_jit_release(&dso->jit);
	pd_unwind_close(dso);
	pd_rules_close(dso);
	pd_answers_close(dso);
	pd_archive_free(dso->archive);
	pd_asked_free(dso->asked);
	pd_elf_close(dso->alt);
	if (dso->debug != dso->text)
		pd_elf_close(dso->debug);
	pd_elf_close(dso->text);
	pd_elf_close(dso->core);
	pd_arena_release(&dso->bytes);
	pd_monitor_free(dso->lock);
	pd_monitor_free(dso->names_lock);
	pd_free(dso);
}

void perfdata_symbols_free(struct perfdata_symbols *symbols)
{
	if (!symbols)
		return;
	for (struct perfdata_symbols_dso *dso = symbols->dsos, *next; dso; dso = next) {
		next = dso->next;
		dso_free(dso);
	}
	pd_monitor_free(symbols->lock);
	pd_monitor_free(symbols->unwind_lock);
	pd_kallsyms_free(symbols);
	pd_monitor_free(symbols->kallsyms_lock);
	pd_monitor_free(symbols->kept.lock);
	pd_monitor_free(symbols->spool.lock);
	pd_disassembly_free(symbols->disassembly);
	pd_arena_release(&symbols->strings);
	pd_free(symbols);
}

enum perfdata_status perfdata_symbols_dso(struct perfdata_symbols *symbols,
					  const struct perfdata_symbols_request *request,
					  struct perfdata_symbols_dso **ret)
{
	struct perfdata_symbols_request known;
	if (PD_OPTIONS_COPY(&known, device_minor, request, NULL) != PERFDATA_OK || !known.path ||
	    known.kind > PERFDATA_DSO_STATE)
		return PERFDATA_EUSAGE;
	return pd_symbols_note(symbols, pd_dso_new(symbols, &known, ret));
}

enum perfdata_status perfdata_symbols_open_kallsyms(struct perfdata_symbols *symbols, const char *path,
						    struct perfdata_symbols_dso **ret)
{
	const struct perfdata_symbols_request request = { .size = sizeof request,
							  .kind = PERFDATA_DSO_KERNEL,
							  .path = path };
	struct perfdata_symbols_dso *dso;
	int fd = pd_open_regular(path, PD_REGULAR_ANY);
	if (fd < 0)
		return pd_symbols_fail(symbols, path, errno) == PERFDATA_ENOMEM ? PERFDATA_ENOMEM : PERFDATA_EREAD;
	enum perfdata_status status = perfdata_symbols_dso(symbols, &request, &dso);
	if (!status)
		status = pd_dso_take_kallsyms(dso, fd, path);
	else
		close(fd);
	if (!status)
		*ret = dso;
	return status;
}

/* --- look-ups ----------------------------------------------------------------------------------------------------- */

bool pd_symbols_load_next(struct perfdata_symbols *symbols, bool lines)
{
	if (pd_symbols_load_another(symbols))
		return true;
	for (struct perfdata_symbols_dso *dso = lines ? pd_symbols_first(symbols) : NULL; dso; dso = dso->next)
		if (pd_symbols_is_loaded(dso) && !dso->status && pd_lines_load_ahead(dso))
			return true;
	return false;
}

void pd_symbols_expect(struct perfdata_symbols_dso *dso, const uint8_t *build_id, size_t size)
{
	struct pd_build_id id = { .size = size < PERFDATA_BUILD_ID_MAX ? size : PERFDATA_BUILD_ID_MAX };
	memcpy(id.bytes, build_id, id.size);
	pd_monitor_enter(dso->lock);
	if (!pd_dso_load_locked(dso) && !dso->request.build_id_size)
		pd_dso_check_id(dso, &id);
	pd_monitor_leave(dso->lock);
}

void pd_symbols_doubt(struct perfdata_symbols_dso *dso)
{
	pd_monitor_enter(dso->lock);
	if (!pd_dso_load_locked(dso) && dso->request.build_id_size)
		pd_dso_check_namesake(dso);
	pd_monitor_leave(dso->lock);
}

static enum perfdata_status lookup_jit(const struct perfdata_symbols_dso *dso, uint64_t address, uint64_t time,
				       struct perfdata_symbol *ret)
{
	const struct pd_jit_code *code = pd_jit_find(&dso->jit, address, time);
	if (!code)
		return PERFDATA_ABSENT;
	pd_asked_code(dso, (size_t)(code - dso->jit.items));
	*ret = pd_jit_symbol(code, address);
	return PERFDATA_OK;
}

/* Whether names have room: they are kept as long as the source of symbols, so they may use only half of the memory. */
static bool names_fit(const struct perfdata_symbols *symbols)
{
	const uint64_t least = (uint64_t)64 << 20;
	const struct pd_account *account = pd_symbols_account(symbols);
	const uint64_t limit = account && account->limit > least ? account->limit : least;
	return !account || symbols->names_memory < limit / 2;
}

/* Name of symbols for which names have no room. */
static const struct pd_symbol_name no_name = { NULL, NULL };

/* Returns the names of a symbol. At their first use the thread makes them, and then takes the lock to keep them. */
static const struct pd_symbol_name *name_of(struct perfdata_symbols_dso *dso, const struct pd_symbol *symbol)
{
	struct pd_symbol_table *table = &dso->table;
	const struct pd_symbol_name *known = pd_symtab_known_name(table, symbol);
	if (known)
		return known;
	if (table->work)
		pd_work_add_lookup(table->work);
	struct pd_arena bytes = { 0 };
	struct pd_symbol_name made;
	const bool fits = names_fit(dso->symbols);
	bool has_excess = !fits;
	const bool is_made = fits && pd_symtab_spell_names(table, symbol, &bytes, &made, &has_excess);
	pd_monitor_enter_soon(dso->names_lock);
	if (is_made)
		known = pd_symtab_keep_names(table, symbol, &made);
	pd_account_change(pd_symbols_account(dso->symbols), PD_USE_SYMBOLS, table->names_held, table->bytes.total);
	dso->symbols->names_memory += table->bytes.total - table->names_held;
	table->names_held = table->bytes.total;
	const bool is_first = has_excess && !table->excess_is_reported;
	table->excess_is_reported |= is_first;
	pd_monitor_leave(dso->names_lock);
	pd_arena_release(&bytes);
	if (is_first)
		pd_symbols_find_excess(dso, dso->origin.file ? dso->origin.file : dso->origin.text_file,
				       "a name asks for more work or memory than its size explains, and stays mangled, "
				       "or is left out");
	return fits ? known : &no_name;
}

/* Reports that an address without a symbol may have one whose name was too long to keep. */
static void report_long_names(struct perfdata_symbols_dso *dso)
{
	struct pd_symbol_table *table = &dso->table;
	if (!table->lacks_long)
		return;
	pd_monitor_enter(dso->names_lock);
	const bool is_first = !table->excess_is_reported;
	table->excess_is_reported = true;
	pd_monitor_leave(dso->names_lock);
	if (is_first)
		pd_symbols_find_excess(dso, dso->origin.file ? dso->origin.file : dso->origin.text_file,
				       "symbols whose names have 16 KiB or more are left out");
}

static enum perfdata_status lookup_kallsyms(const struct perfdata_symbols_dso *dso, uint64_t wanted,
					    struct perfdata_symbol *ret)
{
	if (!pd_kallsyms_find(&dso->kallsyms->table, wanted, ret))
		return PERFDATA_ABSENT;
	ret->start -= (uint64_t)dso->delta;
	ret->other_build_id = dso->origin.other_build_id;
	return PERFDATA_OK;
}

/* Looks up an address between the libraries of an archive: it has no symbol, or the answers of a bundle lack it. */
static enum perfdata_status lack_library(struct perfdata_symbols_dso *dso, uint64_t address)
{
	struct perfdata_symbol none;
	if (dso->answers)
		return pd_answers_symbol(dso, address, UINT64_MAX, &none);
	pd_asked_address(dso, address);
	return PERFDATA_ABSENT;
}

static enum perfdata_status lookup_in_archive(struct perfdata_symbols_dso *dso, uint64_t address, uint64_t time,
					      struct perfdata_symbol *ret)
{
	uint64_t offset = address;
	struct perfdata_symbols_dso *library = pd_dso_of_entry(dso, &offset);
	if (!library)
		return lack_library(dso, address);
	const enum perfdata_status status = perfdata_symbols_lookup(library, offset, time, ret);
	if (!status)
		ret->start += address - offset;
	return status;
}

enum perfdata_status perfdata_symbols_lookup(struct perfdata_symbols_dso *dso, uint64_t address, uint64_t time,
					     struct perfdata_symbol *ret)
{
	enum perfdata_status status = pd_dso_wait_loaded(dso);
	if (status)
		return status;
	if (dso->archive)
		return lookup_in_archive(dso, address, time, ret);
	if (dso->answers)
		return pd_answers_symbol(dso, address, time, ret);
	pd_asked_address(dso, address);
	if (dso->request.kind == PERFDATA_DSO_JITDUMP)
		return lookup_jit(dso, address, time, ret);
	uint64_t wanted = address + (uint64_t)dso->delta;
	if (dso->kallsyms)
		return lookup_kallsyms(dso, wanted, ret);
	const struct pd_symbol *s = pd_symtab_find(&dso->table, wanted);
	if (!s) {
		report_long_names(dso);
		return PERFDATA_ABSENT;
	}
	const struct pd_symbol_name *name = name_of(dso, s);
	if (!name)
		return pd_symbols_note(dso->symbols, pd_symtab_failure(&dso->table));
	if (!name->shown)
		return PERFDATA_ABSENT;
	*ret = (struct perfdata_symbol){
		.name = name->shown,
		.raw_name = name->raw,
		.start = s->start - (uint64_t)dso->delta,
		.size = s->end - s->start,
		.offset = wanted - s->start,
		.binding = (enum perfdata_symbol_binding)s->binding,
		.other_build_id = dso->origin.other_build_id,
	};
	return PERFDATA_OK;
}

bool pd_symbols_has_answers(const struct perfdata_symbols_dso *dso) { return dso->answers; }

bool pd_symbols_lack_answer(struct perfdata_symbols_dso *dso, uint64_t address)
{
	if (pd_dso_wait_loaded(dso))
		return false;
	struct perfdata_symbols_dso *library = pd_dso_of_entry(dso, &address);
	if (library && library != dso)
		return pd_symbols_lack_answer(library, address);
	return dso->answers && !pd_answers_have(dso->answers, address);
}

bool pd_symbols_differ(struct perfdata_symbols_dso *dso, uint64_t address)
{
	if (pd_dso_wait_loaded(dso) || dso->archive)
		return false;
	return dso->answers ? pd_answers_differ(dso, address)
			    : pd_overlaps_differ(&dso->table, address + (uint64_t)dso->delta);
}

const char *pd_symbols_unidentified(struct perfdata_symbols_dso *dso)
{
	pd_dso_wait_files(dso);
	return dso->text || dso->debug || dso->archive ? dso->doubt : dso->unidentified;
}

enum perfdata_status pd_symbols_origin(struct perfdata_symbols_dso *dso, struct perfdata_symbols_origin *ret)
{
	enum perfdata_status status = pd_dso_wait_loaded(dso);
	if (status)
		return status;
	const size_t before = pd_symbols_failed(dso->symbols);
	pd_monitor_enter(dso->lock);
	(void)pd_dso_find_alt(dso);
	*ret = dso->origin;
	pd_monitor_leave(dso->lock);
	status = pd_symbols_judge(dso->symbols, PERFDATA_OK, before);
	ret->alt_build_id = dso->alt ? dso->alt_id.bytes : NULL;
	ret->alt_build_id_size = dso->alt_id.size;
	ret->symbol_count = dso->request.kind == PERFDATA_DSO_JITDUMP ? dso->jit.count
			    : dso->answers                            ? pd_answers_nr_symbols(dso->answers)
			    : dso->kallsyms                           ? dso->kallsyms->table.count
								      : dso->table.count;
	ret->build_id = dso->found.size ? dso->found.bytes : NULL;
	ret->build_id_size = dso->found.size;
	return status;
}

/* Converts an address to a virtual address of the ELF file. */
static bool to_vaddr(const struct perfdata_symbols_dso *dso, uint64_t address, uint64_t *ret)
{
	if (!dso->text)
		return false;
	switch (dso->request.kind) {
	case PERFDATA_DSO_USER:
	case PERFDATA_DSO_VDSO:
		return pd_elf_vaddr(dso->text, address, ret);
	case PERFDATA_DSO_KERNEL:
		*ret = address + (uint64_t)dso->delta;
		return true;
	default:
		return false;
	}
}

enum perfdata_status pd_symbols_vaddr(struct perfdata_symbols_dso *dso, uint64_t offset, uint64_t *ret_vaddr)
{
	enum perfdata_status status = pd_dso_wait_loaded(dso);
	if (!status && dso->archive) {
		struct perfdata_symbols_dso *library = pd_dso_of_entry(dso, &offset);
		return library ? pd_symbols_vaddr(library, offset, ret_vaddr) : PERFDATA_ABSENT;
	}
	return status || to_vaddr(dso, offset, ret_vaddr) ? status : PERFDATA_ABSENT;
}

enum perfdata_status pd_symbols_find_calls(struct perfdata_symbols_dso *dso, uint64_t address,
					   const struct pd_lines_wish *wish, struct perfdata_source_line *frames,
					   size_t room, size_t *ret_count)
{
	uint64_t vaddr;
	enum perfdata_status status = pd_dso_wait_loaded(dso);
	if (!status && dso->archive) {
		struct perfdata_symbols_dso *library = pd_dso_of_entry(dso, &address);
		return library ? pd_symbols_find_calls(library, address, wish, frames, room, ret_count)
			       : lack_library(dso, address);
	}
	if (!status && dso->answers)
		return pd_answers_calls(dso, address, wish, frames, room, ret_count);
	if (!status)
		pd_asked_address(dso, address);
	if (status || !to_vaddr(dso, address, &vaddr))
		return status ? status : PERFDATA_ABSENT;
	const size_t before = pd_symbols_failed(dso->symbols);
	status = pd_symbols_note(dso->symbols, pd_lines_find(dso, vaddr, wish, frames, room, ret_count));
	return pd_symbols_judge(dso->symbols, status, before);
}

/* Call it with the lock of the dso. */
static enum perfdata_status open_objects(struct perfdata_symbols_dso *dso)
{
	const struct pd_elf *elf = dso->debug ? dso->debug : dso->text;
	if (dso->objects_tried)
		return dso->objects ? PERFDATA_OK : PERFDATA_ABSENT;
	const enum perfdata_status status = elf ? pd_objects_new(elf, &dso->objects) : PERFDATA_ABSENT;
	dso->objects_tried = status != PERFDATA_ENOMEM;
	if (dso->objects) {
		const size_t size = pd_objects_size(dso->objects);
		dso->accounted += size;
		pd_account_take(pd_symbols_account(dso->symbols), PD_USE_SYMBOLS, size);
	}
	return status;
}

enum perfdata_status pd_symbols_object(struct perfdata_symbols_dso *dso, uint64_t address, uint64_t *ret_address,
				       const char **ret)
{
	uint64_t vaddr;
	*ret_address = address;
	enum perfdata_status status = pd_dso_wait_loaded(dso);
	if (status)
		return status;
	if (dso->archive)
		return PERFDATA_ABSENT;
	if (dso->answers)
		return pd_answers_object(dso, address, ret_address, ret);
	pd_asked_address(dso, address);
	if (dso->request.kind != PERFDATA_DSO_USER || !to_vaddr(dso, address, &vaddr))
		return PERFDATA_ABSENT;
	*ret_address = address + pd_elf_text_shift(dso->text);
	const size_t before = pd_symbols_failed(dso->symbols);
	pd_monitor_enter(dso->lock);
	status = open_objects(dso);
	if (!status)
		status = pd_objects_find(dso->objects, vaddr, ret);
	pd_monitor_leave(dso->lock);
	return pd_symbols_judge(dso->symbols, pd_symbols_note(dso->symbols, status), before);
}

enum perfdata_status pd_symbols_source(struct perfdata_symbols_dso *dso, uint64_t address,
				       struct perfdata_source_line *frames, size_t room, size_t *ret_count)
{
	const struct pd_lines_wish wish = { .positions = true, .raw_names = dso->symbols->options.raw_names };
	return pd_symbols_find_calls(dso, address, &wish, frames, room, ret_count);
}

enum perfdata_status pd_symbols_source_at(struct perfdata_symbols_dso *dso, uint64_t address, uint64_t time,
					  struct perfdata_source_line *frames, size_t room, size_t *ret_count)
{
	if (dso->request.kind != PERFDATA_DSO_JITDUMP)
		return pd_symbols_source(dso, address, frames, room, ret_count);
	const enum perfdata_status status = pd_dso_wait_loaded(dso);
	if (status)
		return status;
	const struct pd_jit_code *code = pd_jit_find(&dso->jit, address, time);
	if (!room || !code || !pd_jit_find_line(&dso->jit, code, address, frames))
		return PERFDATA_ABSENT;
	*ret_count = 1;
	return PERFDATA_OK;
}

enum perfdata_status perfdata_symbols_calls(struct perfdata_symbols_dso *dso, uint64_t address,
					    struct perfdata_source_line *frames, size_t room, size_t *ret_count)
{
	const struct pd_lines_wish wish = { .raw_names = dso->symbols->options.raw_names };
	return pd_symbols_find_calls(dso, address, &wish, frames, room, ret_count);
}

enum perfdata_status pd_symbols_blocks(struct perfdata_symbols_dso *dso, uint64_t vaddr,
				       struct perfdata_source_line *frames, uint32_t *discriminators, size_t room,
				       size_t *ret_count)
{
	const struct pd_lines_wish wish = { .positions = true, .raw_names = true, .discriminators = discriminators };
	const enum perfdata_status status = pd_dso_wait_loaded(dso);
	if (status)
		return status;
	const size_t before = pd_symbols_failed(dso->symbols);
	return pd_symbols_judge(dso->symbols,
		     pd_symbols_note(dso->symbols, pd_lines_find(dso, vaddr, &wish, frames, room, ret_count)), before);
}

enum perfdata_status pd_symbols_walk_functions(struct perfdata_symbols_dso *dso, pd_take_function *take, void *user)
{
	const enum perfdata_status status = pd_dso_wait_loaded(dso);
	if (status)
		return status;
	const size_t before = pd_symbols_failed(dso->symbols);
	return pd_symbols_judge(dso->symbols, pd_symbols_note(dso->symbols, pd_lines_walk_functions(dso, take, user)),
				before);
}
