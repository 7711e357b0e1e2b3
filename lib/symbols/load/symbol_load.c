/* SPDX-License-Identifier: MIT */
/* Loads the symbols of a dso from the first of its files that has them. */
#include "config.h"
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/port.h"
#include "symbols/load/symbol_search.h"

#define HOST_KALLSYMS "/proc/kallsyms"
#define MAX_VDSO 65536

/* --- texts -------------------------------------------------------------------------------------------------------- */

static void drop_table(struct perfdata_symbols_dso *dso)
{
	const bool mangled = dso->table.mangled;
	pd_symtab_release(&dso->table);
	dso->table.mangled = mangled;
	dso->table.work = &dso->work;
	dso->kallsyms = NULL;
	dso->delta = 0;
}

enum perfdata_status pd_dso_refuse(struct perfdata_symbols_dso *dso, const char *path, enum perfdata_status status)
{
	/* names that are lost because memory is short are reported, too */
	const bool odd = status != PERFDATA_ABSENT && status != PERFDATA_EINTR;
	pd_symbols_log(dso, PERFDATA_SYMBOLS_REFUSED, path, pd_refusal_reason(status));
	if (pd_is_failure(status))
		(void)pd_dso_fail(dso, status);
	const bool is_excess = status == PERFDATA_ELIMIT;
	if (odd)
		pd_dso_report(dso, is_excess ? PERFDATA_FINDING_SYMBOL_EXCESS : PERFDATA_FINDING_SYMBOL_FILE, path,
			      pd_refusal_reason(status));
	drop_table(dso);
	return pd_is_failure(status) ? status : PERFDATA_ABSENT;
}

static bool has_symbol_at(struct perfdata_symbols_dso *dso, uint64_t start)
{
	struct perfdata_symbol found;
	if (dso->kallsyms)
		return pd_kallsyms_find(&dso->kallsyms->table, start, &found) && found.start == start;
	const struct pd_symbol *symbol = pd_symtab_find(&dso->table, start);
	return symbol && symbol->start == start;
}

/* Moves the symbols if the kernel was loaded at another address than in their source: the recorded address of a
 * reference symbol gives the difference. False: there is no such symbol. */
static bool relocate_symbols(struct perfdata_symbols_dso *dso)
{
	const struct perfdata_symbols_request *r = &dso->request;
	if (r->kind != PERFDATA_DSO_KERNEL)
		return true;
	if (!r->reference || !r->reference_address)
		return false;
	const uint64_t *starts = dso->kallsyms ? dso->kallsyms->table.text_start : dso->table.text_start;
	const bool other = !strcmp(r->reference, "_stext");
	const uint64_t start = starts[other] ? starts[other] : starts[!other];
	if (!start)
		return has_symbol_at(dso, r->reference_address);
	dso->delta = (int64_t)(start - r->reference_address);
	return true;
}

bool pd_kallsyms_has_text_at(struct perfdata_symbols *symbols, const char *path, uint64_t address)
{
	uint64_t starts[2] = { 0, 0 };
	const int fd = pd_open_regular(path, PD_REGULAR_ANY);
	const bool is_read = fd >= 0 && !pd_kallsyms_text_start(fd, symbols->options.cancel, starts);
	if (!is_read)
		(void)pd_symbols_fail(symbols, path, errno);
	if (fd >= 0)
		close(fd);
	return is_read && address && (starts[0] == address || starts[1] == address);
}

static bool is_named_by_caller(const struct perfdata_symbols_dso *dso)
{
	const struct perfdata_symbols_options *o = &dso->symbols->options;
	return o->kallsyms || o->vmlinux;
}

/* If the load address of the kernel is unknown, its names may be wrong: they are used only if the caller named their
 * source. */
static enum perfdata_status place_kernel(struct perfdata_symbols_dso *dso, const char *path)
{
	if (relocate_symbols(dso) || is_named_by_caller(dso))
		return PERFDATA_OK;
	pd_symbols_log(dso, PERFDATA_SYMBOLS_REFUSED, path, "nothing says where the recorded kernel had been loaded");
	drop_table(dso);
	return PERFDATA_ABSENT;
}

/* status: result of reading the text. */
static enum perfdata_status take_text(struct perfdata_symbols_dso *dso, const char *path, enum perfdata_status status)
{
	if (status)
		return pd_dso_refuse(dso, path, status);
	status = place_kernel(dso, path);
	if (status)
		return status;
	pd_dso_set_origin(dso, &dso->origin.file, path, "symbols");
	return PERFDATA_OK;
}

enum perfdata_status pd_dso_take_kallsyms(struct perfdata_symbols_dso *dso, int fd, const char *path)
{
	struct pd_kallsyms *kallsyms = pd_kallsyms_get(dso->symbols, path, fd);
	const enum perfdata_status status = kallsyms ? kallsyms->status : PERFDATA_ENOMEM;
	dso->kallsyms = status ? NULL : kallsyms;
	if (!status)
		pd_dso_set_origin(dso, &dso->origin.file, path, "symbols");
	dso->status = status ? PERFDATA_ABSENT : PERFDATA_OK;
	atomic_store(&dso->loaded, true);
	return status;
}

/* Any user may write to the directory of a perf map. The map is trusted only if its owner could change our files
 * anyway. */
static bool is_ours(const struct stat *st) { return st->st_uid == 0 || st->st_uid == geteuid(); }

/* Whether to refuse a file that is not the recorded one. With use_other_build_id the file is used, and marked. */
static bool is_refused(struct perfdata_symbols_dso *dso, const char *path, const char *reason)
{
	if (!reason)
		return false;
	if (dso->symbols->options.use_other_build_id) {
		dso->origin.other_build_id = true;
		return false;
	}
	pd_symbols_log(dso, PERFDATA_SYMBOLS_REFUSED, path, reason);
	pd_dso_report(dso, PERFDATA_FINDING_SYMBOL_UNIDENTIFIED, path, reason);
	return true;
}

static void find_odd_lines(const struct perfdata_symbols_dso *dso, const char *path, const char *wanted,
			   const struct pd_odd_lines *odd)
{
	char what[PD_ODD_LINE + 128];
	const bool one = odd->count == 1;
	snprintf(what, sizeof what,
		 "%" PRIu64 " of its lines %s no %s: line %" PRIu64 "%s is '%s'", odd->count,
		 one ? "is" : "are", wanted, odd->first, one ? "" : ", the first of them,", odd->text);
	pd_dso_report(dso, PERFDATA_FINDING_SYMBOL_FILE, path, what);
}

static bool is_map_refused(struct perfdata_symbols_dso *dso, const char *path, const struct stat *st)
{
	const bool is_given = pd_is_given(dso->symbols, path);
	const char *reason = is_given || is_ours(st) ? NULL : "belongs to another user";
	/* a file name with a pid in a namespace is only valid where the process sees the file */
	const bool is_inner = strcmp(path, dso->request.path) && strncmp(path, "/proc/", 6);
	if (!reason && !is_given && (is_inner || !dso->request.running))
		reason = "not known to be of the recorded process";
	if (reason)
		pd_symbols_log(dso, PERFDATA_SYMBOLS_REFUSED, path, reason);
	return reason || is_refused(dso, path, pd_map_unidentified(dso, st, path));
}

static bool load_map(struct perfdata_symbols_dso *dso, const char *path, int fd)
{
	struct pd_odd_lines odd;
	const enum perfdata_status status = pd_perfmap_load(&dso->table, fd, &odd);
	if (odd.count)
		find_odd_lines(dso, path, "entry (START SIZE NAME)", &odd);
	if (status == PERFDATA_EFORMAT && odd.count) {
		pd_symbols_log(dso, PERFDATA_SYMBOLS_REFUSED, path, "no line of it is an entry");
		drop_table(dso);
		return false;
	}
	return take_text(dso, path, status) == PERFDATA_OK;
}

static bool load_jitdump(struct perfdata_symbols_dso *dso, const char *path, int fd)
{
	const enum perfdata_status status = pd_jitdump_load(&dso->jit, &dso->work, fd);
	if (status) {
		pd_jit_release(&dso->jit);
		return pd_dso_refuse(dso, path, status) == PERFDATA_OK;
	}
	if (dso->jit.is_damaged)
		pd_dso_report(dso, PERFDATA_FINDING_SYMBOL_FILE, path,
			      "a record states an impossible size: the code after it has no names");
	if (dso->jit.is_cut)
		pd_dso_report(dso, PERFDATA_FINDING_SYMBOL_FILE, path,
			      "the file ends inside a record: the process was killed, or still writes, or the size "
			      "of the record is wrong; its code has no names");
	pd_dso_set_origin(dso, &dso->origin.file, path, "symbols");
	return true;
}

/* Takes the names from a perf map or a jitdump file. */
static bool take_jit_names(void *user, const char *path, const char *what)
{
	struct perfdata_symbols_dso *dso = user;
	const bool is_map = dso->request.kind == PERFDATA_DSO_PERF_MAP;
	const struct pd_build_id none = { .size = 0 };
	struct stat st;
	(void)what;
	int fd = pd_dso_open_logged(dso, path, PD_REGULAR_STORED, &st);
	if (fd < 0)
		return false;
	const bool is_other = is_map ? is_map_refused(dso, path, &st)
				     : is_refused(dso, path, pd_unidentified(dso, &st, path, false, &none));
	const bool is_taken = !is_other && (is_map ? load_map(dso, path, fd) : load_jitdump(dso, path, fd));
	close(fd);
	return is_taken;
}

static enum perfdata_status load_perf_map(struct perfdata_symbols_dso *dso)
{
	const struct perfdata_symbols_request *r = &dso->request;
	char inside[96];
	int root = 0;
	/* here a file name with a pid in a namespace is only valid where the process sees the file */
	if (!pd_is_elsewhere(dso) && r->process)
		root = snprintf(inside, sizeof inside, "/proc/%" PRIu32 "/root", r->process);
	snprintf(inside + root, sizeof inside - (size_t)root, "/tmp/perf-%" PRIu32 ".map", r->namespace_pid);
	if (r->namespace_pid && (root || pd_is_elsewhere(dso)) && strcmp(inside, r->path) &&
	    pd_places_of(dso->symbols, inside, "perf map", take_jit_names, dso))
		return PERFDATA_OK;
	return pd_places_of(dso->symbols, r->path, "perf map", take_jit_names, dso) ? PERFDATA_OK : PERFDATA_ABSENT;
}

/* --- ELF files ---------------------------------------------------------------------------------------------------- */

static struct pd_build_id wanted_id(const struct perfdata_symbols_dso *dso)
{
	return pd_build_id_of(dso->request.build_id, dso->request.build_id_size);
}

void pd_dso_check_id(const struct perfdata_symbols_dso *dso, const struct pd_build_id *id)
{
	const char *file = dso->origin.text_file ? dso->origin.text_file : dso->origin.file;
	if (file && !pd_same_build_id(&dso->found, id))
		pd_dso_report(dso, PERFDATA_FINDING_SYMBOL_LATE_ID, file,
			      "its build-id differs from the one that the recording gave late");
}

void pd_dso_check_namesake(struct perfdata_symbols_dso *dso)
{
	const char *file = dso->origin.text_file ? dso->origin.text_file : dso->origin.file;
	struct stat st;
	if (!file || (!stat(file, &st) && !pd_unidentified(dso, &st, file, false, &dso->found)))
		return;
	dso->doubt = "its build-id was recorded for this path, under which another file was mapped later";
	pd_dso_report(dso, PERFDATA_FINDING_SYMBOL_NAMESAKE, file, dso->doubt);
}

static enum perfdata_status load_elf(struct perfdata_symbols_dso *dso, enum pd_elf_place place)
{
	struct pd_elf *symbols = dso->debug ? dso->debug : dso->text;
	struct pd_elf *text = dso->text ? dso->text : dso->debug;
	if (!symbols)
		return PERFDATA_ABSENT;
	const char *file = dso->origin.file ? dso->origin.file : dso->origin.text_file;
	/* PLT entries have names only if there is a symbol table, as in perf */
	if (!pd_elf_has_symtab(symbols) && !pd_elf_has_dynsym(text)) {
		pd_symbols_log(dso, PERFDATA_SYMBOLS_REFUSED, file, "it has no symbol table");
		return PERFDATA_ABSENT;
	}
	enum perfdata_status status = pd_elf_symbols(&dso->table, symbols, text, place);
	if (status == PERFDATA_DAMAGED && dso->table.count)
		status = PERFDATA_OK;
	if (status)
		return pd_dso_refuse(dso, file, status);
	dso->origin.file = file;
	return PERFDATA_OK;
}

void pd_dso_find_files(struct perfdata_symbols_dso *dso)
{
	const struct pd_build_id id = wanted_id(dso);
	dso->text = pd_dso_find_text(dso, &id);
	if (!dso->archive)
		dso->debug = pd_dso_find_debug(dso, &id);
	if (!dso->text && dso->debug) {
		dso->text = dso->debug;
		(void)pd_elf_build_id(dso->debug, &dso->found);
	}
}

static enum perfdata_status load_user(struct perfdata_symbols_dso *dso)
{
	if (!dso->archive)
		return load_elf(dso, PD_ELF_OFFSET);
	dso->origin.file = dso->origin.text_file;
	return PERFDATA_OK;
}

/* Finds the vdso's image by build-id in perf's cache, or in a file tree of the caller. */
static bool find_kept_vdso(struct perfdata_symbols_dso *dso, const struct pd_build_id *id)
{
	struct pd_search search = { .dso = dso, .id = *id };
	const char *symfs = dso->symbols->options.symfs;
	char path[PD_MAX_PATH];
	if (id->size)
		(void)pd_cache_places(dso->symbols, &search.id, "vdso", pd_take_file, &search);
	else if (symfs && dso->request.path[0] == '[' &&
		 snprintf(path, sizeof path, "%s/%s", symfs, dso->request.path) < (int)sizeof path)
		(void)pd_take_file(&search, path, "vdso");
	dso->text = search.elf;
	dso->found = search.found;
	return search.elf != NULL;
}

/* Uses the vdso of this process, since the kernel gives all processes the same image. */
static enum perfdata_status load_vdso(struct perfdata_symbols_dso *dso)
{
	const void *image = pd_own_vdso();
	const struct pd_build_id id = wanted_id(dso);
	if (find_kept_vdso(dso, &id))
		return load_elf(dso, PD_ELF_OFFSET);
	if (!dso->request.running || dso->symbols->options.no_host || !image || strcmp(dso->request.path, "[vdso]"))
		return PERFDATA_ABSENT;
	size_t size = pd_elf_image_size(image, MAX_VDSO);
	const enum perfdata_status status = size ? pd_elf_open_memory(image, size, &dso->text) : PERFDATA_ABSENT;
	if (status)
		return status == PERFDATA_ENOMEM ? status : PERFDATA_ABSENT;
	const enum perfdata_status id_status = id.size ? pd_elf_build_id(dso->text, &dso->found) : PERFDATA_OK;
	if (pd_is_failure(id_status))
		(void)pd_dso_fail(dso, id_status);
	if (id.size && (id_status || !pd_same_build_id(&id, &dso->found))) {
		pd_symbols_log(dso, PERFDATA_SYMBOLS_REFUSED, "[vdso]", "its build-id differs");
		pd_elf_close(dso->text);
		dso->text = NULL;
		return PERFDATA_ABSENT;
	}
	dso->origin.text_file = "[vdso]";
	return load_elf(dso, PD_ELF_OFFSET);
}

/* Whether the running kernel is the recorded one, and no option says that files are elsewhere. (symfs "/" means this
 * machine.) */
static bool host_kernel_serves(const struct perfdata_symbols_dso *dso)
{
	const struct perfdata_symbols_options *o = &dso->symbols->options;
	const bool is_here = !o->symfs || !o->symfs[strspn(o->symfs, "/")];
	return !o->no_host && is_here && dso->request.running;
}

/* --- kernel and modules ------------------------------------------------------------------------------------------- */

static enum perfdata_status load_kallsyms(struct perfdata_symbols_dso *dso, const char *path)
{
	struct stat st;
	int fd = pd_dso_open_logged(dso, path, PD_REGULAR_ANY, &st);
	if (fd < 0)
		return PERFDATA_ABSENT;
	dso->kallsyms = pd_kallsyms_get(dso->symbols, path, fd);
	if (dso->kallsyms && dso->kallsyms->odd.count && !atomic_exchange(&dso->kallsyms->odd_is_reported, true))
		find_odd_lines(dso, path, "symbol (ADDRESS TYPE NAME)", &dso->kallsyms->odd);
	return take_text(dso, path, dso->kallsyms ? dso->kallsyms->status : PERFDATA_ENOMEM);
}

static bool take_kallsyms(void *user, const char *path, const char *what)
{
	(void)what;
	return load_kallsyms(user, path) == PERFDATA_OK;
}

/* Uses the kallsyms in the directory of the recording, where perf record --kcore put it: it is from the recorded
 * boot. */
static bool take_recorded_kallsyms(struct perfdata_symbols_dso *dso)
{
	char path[PD_MAX_PATH];
	return dso->recorded_folder &&
	       snprintf(path, sizeof path, "%s/kallsyms", dso->recorded_folder) < (int)sizeof path &&
	       load_kallsyms(dso, path) == PERFDATA_OK;
}

static enum perfdata_status load_vmlinux(struct perfdata_symbols_dso *dso, const struct pd_search *search)
{
	dso->text = search->elf;
	dso->found = search->found;
	dso->origin.other_build_id = search->differs;
	enum perfdata_status status = load_elf(dso, PD_ELF_VADDR);
	if (!status)
		status = place_kernel(dso, dso->origin.text_file);
	if (status) {
		pd_elf_close(dso->text);
		dso->text = NULL;
	}
	return status;
}

/* A vmlinux that was found only by its release is used only if the caller says that files are the recorded ones. */
static bool take_vmlinux(void *user, const char *path, const char *what)
{
	const struct pd_search *search = user;
	return (search->id.size || pd_is_given(search->dso->symbols, path)) && pd_take_file(user, path, what);
}

static enum perfdata_status load_kernel(struct perfdata_symbols_dso *dso)
{
	struct perfdata_symbols *symbols = dso->symbols;
	const struct perfdata_symbols_options *o = &symbols->options;
	struct pd_search search = { .dso = dso, .id = wanted_id(dso) };
	if (o->kallsyms)
		return load_kallsyms(dso, o->kallsyms);
	if (o->vmlinux) {
		if (!pd_take_file(&search, o->vmlinux, "vmlinux"))
			return PERFDATA_ABSENT;
		return load_vmlinux(dso, &search);
	}
	/* the running kernel is the recorded one, so its build-id is known */
	if (!search.id.size && host_kernel_serves(dso) &&
	    pd_running_kernel_id(symbols, &search.id) == PERFDATA_ENOMEM)
		(void)pd_dso_fail(dso, PERFDATA_ENOMEM);
	/* without a build-id, only the caller can say that a file belongs to this kernel */
	bool found = search.id.size && (pd_cache_places(symbols, &search.id, "vmlinux", pd_take_file, &search) ||
					pd_cache_places(symbols, &search.id, "elf", pd_take_file, &search));
	if (!found && (search.id.size || pd_is_elsewhere(dso)))
		found = pd_vmlinux_places(symbols, dso->request.release, take_vmlinux, &search);
	if (!found && search.id.size)
		found = pd_debug_places(symbols, "[kernel]", NULL, &search.id, pd_take_debug, &search);
	if ((found && load_vmlinux(dso, &search) == PERFDATA_OK) || take_recorded_kallsyms(dso))
		return PERFDATA_OK;
	if (search.id.size && pd_cache_places(symbols, &search.id, "kallsyms", take_kallsyms, dso))
		return PERFDATA_OK;
	/* uses the kernel of the caller's file tree, relocated to the recorded address */
	if (!search.id.size && o->symfs && o->symfs[strspn(o->symfs, "/")] &&
	    pd_places_of(symbols, HOST_KALLSYMS, "kallsyms", take_kallsyms, dso))
		return PERFDATA_OK;
	if (host_kernel_serves(dso))
		return load_kallsyms(dso, HOST_KALLSYMS);
	pd_symbols_log(dso, PERFDATA_SYMBOLS_REFUSED, HOST_KALLSYMS, "not known to be of the recorded kernel");
	return PERFDATA_ABSENT;
}

/* Addresses in a module's file begin at 0; those in kallsyms are the running kernel's. */
static enum perfdata_status load_module(struct perfdata_symbols_dso *dso)
{
	const struct perfdata_symbols_options *o = &dso->symbols->options;
	if (o->kallsyms)
		return load_kallsyms(dso, o->kallsyms);
	struct pd_build_id id = wanted_id(dso);
	if (!id.size && !pd_module_build_id(dso, &id))
		id.size = 0;
	if (dso->request.path[0] == '/' || id.size) {
		dso->text = pd_dso_find_text(dso, &id);
		dso->debug = pd_dso_find_debug(dso, &id);
		if (load_elf(dso, PD_ELF_MODULE) == PERFDATA_OK) {
			dso->delta = -(int64_t)dso->request.start;
			return PERFDATA_OK;
		}
	}
	if (take_recorded_kallsyms(dso))
		return PERFDATA_OK;
	if (!host_kernel_serves(dso))
		return PERFDATA_ABSENT;
	if (pd_module_is_loaded(dso))
		return load_kallsyms(dso, HOST_KALLSYMS);
	pd_symbols_log(dso, PERFDATA_SYMBOLS_REFUSED, HOST_KALLSYMS, "the module is not where it was when recorded");
	return PERFDATA_ABSENT;
}

enum perfdata_status pd_dso_load(struct perfdata_symbols_dso *dso)
{
	switch (dso->request.kind) {
	case PERFDATA_DSO_USER: return load_user(dso);
	case PERFDATA_DSO_VDSO: return load_vdso(dso);
	case PERFDATA_DSO_KERNEL: return load_kernel(dso);
	case PERFDATA_DSO_MODULE: return load_module(dso);
	case PERFDATA_DSO_PERF_MAP: return load_perf_map(dso);
	case PERFDATA_DSO_JITDUMP:
		return pd_places_of(dso->symbols, dso->request.path, "jitdump", take_jit_names, dso) ? PERFDATA_OK
												    : PERFDATA_ABSENT;
	case PERFDATA_DSO_BPF:
	case PERFDATA_DSO_STATE:
	case PERFDATA_DSO_NONE: return PERFDATA_ABSENT;
	}
	return PERFDATA_EUSAGE;
}
