/* SPDX-License-Identifier: MIT */
/* Loads the symbols of a dso: decides which of several files to use, and logs why it does not use the others. */
#include "config.h"
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/error.h"
#include "base/port.h"
#include "symbols/symbols.h"

#define HOST_KALLSYMS "/proc/kallsyms"
#define MAX_VDSO 65536
#define MAX_PATH 4096

static bool is_failure(enum perfdata_status status) { return status == PERFDATA_ENOMEM || status == PERFDATA_EREAD; }

static const char *status_reason(enum perfdata_status status)
{
	switch (status) {
	case PERFDATA_EFORMAT: return "not in the expected format";
	case PERFDATA_ELIMIT: return "its symbols ask for more work or memory than there may be";
	case PERFDATA_ABSENT: return "the kernel hides its addresses (kptr_restrict)";
	default: return perfdata_status_text(status);
	}
}

/* Notes the errno value of a failed call on a file. True: it is a failure, not a property of the file. */
static bool note_failure(struct perfdata_symbols_dso *dso, const char *path, int error)
{
	const enum perfdata_status status = pd_symbols_fail(dso->symbols, path, error);
	if (is_failure(status))
		(void)pd_dso_fail(dso, status);
	return is_failure(status);
}

/* Opens a file that may have symbols, or logs why that failed. */
static int open_logged(struct perfdata_symbols_dso *dso, const char *path, enum pd_regular kind, struct stat *ret_stat)
{
	char room[128];
	int fd = pd_symbols_open(dso->symbols, path, kind);
	if (fd >= 0 && !pd_fstat(fd, ret_stat))
		return fd;
	const int error = errno;
	if (fd >= 0)
		close(fd);
	(void)note_failure(dso, path, error);
	if (error == ENOENT || error == ENOTDIR)
		pd_symbols_log(dso, PERFDATA_SYMBOLS_ABSENT, path, "no such file");
	else
		pd_symbols_log(dso, PERFDATA_SYMBOLS_REFUSED, path,
			       error == EINVAL ? "no regular file" : pd_errno_text(error, room, sizeof room));
	return -1;
}

int pd_dso_open_logged(struct perfdata_symbols_dso *dso, const char *path, enum pd_regular kind)
{
	struct stat st;
	return open_logged(dso, path, kind, &st);
}

static void set_origin(struct perfdata_symbols_dso *dso, const char **where, const char *path, const char *reason)
{
	*where = pd_arena_copy(&dso->bytes, path, strlen(path));
	if (!*where)
		(void)pd_dso_fail(dso, PERFDATA_ENOMEM);
	pd_symbols_log(dso, PERFDATA_SYMBOLS_TAKEN, path, reason);
}

void pd_dso_set_origin(struct perfdata_symbols_dso *dso, const char *path, const char *reason)
{
	set_origin(dso, &dso->origin.file, path, reason);
}

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
	pd_symbols_log(dso, PERFDATA_SYMBOLS_REFUSED, path, status_reason(status));
	if (is_failure(status))
		(void)pd_dso_fail(dso, status);
	const bool is_excess = status == PERFDATA_ELIMIT;
	if (odd)
		pd_dso_report(dso, is_excess ? PERFDATA_FINDING_SYMBOL_EXCESS : PERFDATA_FINDING_SYMBOL_FILE, path,
			      status_reason(status));
	drop_table(dso);
	return is_failure(status) ? status : PERFDATA_ABSENT;
}

static bool has_symbol_at(const struct pd_symbol_table *table, uint64_t start)
{
	for (size_t i = 0; i < table->count; i++)
		if (table->items[i].start == start)
			return true;
	return false;
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
	const struct pd_symbol_table *table = pd_dso_table(dso);
	const bool other = !strcmp(r->reference, "_stext");
	const uint64_t start = table->text_start[other] ? table->text_start[other] : table->text_start[!other];
	if (!start)
		return has_symbol_at(table, r->reference_address);
	dso->delta = (int64_t)(start - r->reference_address);
	return true;
}

bool pd_dso_has_text_at(struct perfdata_symbols_dso *dso, uint64_t address)
{
	const struct pd_symbol_table *table = pd_dso_table(dso);
	return table->text_start[0] == address || table->text_start[1] == address;
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
	set_origin(dso, &dso->origin.file, path, "symbols");
	return PERFDATA_OK;
}

enum perfdata_status pd_dso_take_kallsyms(struct perfdata_symbols_dso *dso, int fd, const char *path)
{
	struct pd_odd_lines odd;
	enum perfdata_status status = pd_kallsyms_load(&dso->table, fd, &odd);
	close(fd);
	if (!status && pd_symtab_settle(&dso->table))
		status = PERFDATA_ENOMEM;
	if (!status)
		set_origin(dso, &dso->origin.file, path, "symbols");
	dso->status = status ? PERFDATA_ABSENT : PERFDATA_OK;
	atomic_store(&dso->loaded, true);
	return status;
}

/* Any user may write to the directory of a perf map. The map is trusted only if its owner could change our files
 * anyway. */
static bool is_ours(const struct stat *st) { return st->st_uid == 0 || st->st_uid == geteuid(); }

static bool is_elsewhere(const struct perfdata_symbols_dso *dso)
{
	const struct perfdata_symbols_options *o = &dso->symbols->options;
	return o->symfs || o->sysroot;
}

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
	set_origin(dso, &dso->origin.file, path, "symbols");
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
	int fd = open_logged(dso, path, PD_REGULAR_STORED, &st);
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
	if (!is_elsewhere(dso) && r->process)
		root = snprintf(inside, sizeof inside, "/proc/%" PRIu32 "/root", r->process);
	snprintf(inside + root, sizeof inside - (size_t)root, "/tmp/perf-%" PRIu32 ".map", r->namespace_pid);
	if (r->namespace_pid && (root || is_elsewhere(dso)) && strcmp(inside, r->path) &&
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

struct search {
	struct perfdata_symbols_dso *dso;
	struct pd_build_id id;    /* required build-id; size 0: any */
	bool strict;              /* never use another build-id */
	bool identify;            /* compare the inode if no build-id is known */
	bool in_process;          /* the path is below the root of the recorded process */
	bool may_store;           /* the file may be an archive, whose libraries have their own dsos */
	uint32_t crc;             /* CRC of the debug link */
	const char *what;         /* out: description of the place */
	struct pd_elf *elf;       /* out */
	struct pd_build_id found; /* out */
	bool differs;             /* out */
};

/* Returns why the file with the build-id search->found (if has_id) is not the recorded one; NULL: it is. */
static const char *find_mismatch(struct search *search, const struct stat *st, const char *path, bool has_id)
{
	if (search->id.size && !(has_id && pd_same_build_id(&search->found, &search->id)))
		return has_id ? "its build-id differs" : "it has no build-id";
	return !search->id.size && search->identify ? pd_unidentified(search->dso, st, path, search->in_process,
								      &search->found)
						    : NULL;
}

/* Whether to use a file that is not the recorded one for this reason (NULL: it is). */
static bool is_accepted(struct search *search, const char *path, const char *reason)
{
	struct perfdata_symbols_dso *dso = search->dso;
	if (!reason)
		return true;
	search->differs = dso->symbols->options.use_other_build_id && !search->strict;
	if (search->differs)
		return true;
	pd_symbols_log(dso, PERFDATA_SYMBOLS_REFUSED, path, reason);
	pd_dso_report(dso, search->id.size ? PERFDATA_FINDING_SYMBOL_BUILDID : PERFDATA_FINDING_SYMBOL_UNIDENTIFIED,
		      path, reason);
	return false;
}

/* Logs and reports why a file was not opened. */
static void refuse_file(struct search *search, const char *path, enum perfdata_status status)
{
	struct perfdata_symbols_dso *dso = search->dso;
	const char *reason = status == PERFDATA_ABSENT ? "no such library is stored uncompressed in it"
						       : status_reason(status);
	pd_symbols_log(dso, PERFDATA_SYMBOLS_REFUSED, path, reason);
	if (is_failure(status))
		(void)pd_dso_fail(dso, status);
	if (status == PERFDATA_ELIMIT)
		pd_dso_report(dso, PERFDATA_FINDING_SYMBOL_EXCESS, path,
			      "its headers, or what it unpacks to, ask for more than its size explains");
	else if (status != PERFDATA_EINTR && status != PERFDATA_EUNSUP &&
		 status != PERFDATA_EREAD)   /* was reported before */
		pd_dso_report(dso, PERFDATA_FINDING_SYMBOL_FILE, path, reason);
}

/* Opens an archive, which has no build-id. Closes `fd`. */
static void open_archive(struct search *search, int fd, const struct stat *st, const char *path)
{
	struct perfdata_symbols_dso *dso = search->dso;
	struct pd_archive *archive = NULL;
	search->found.size = 0;
	if (is_accepted(search, path, find_mismatch(search, st, path, false))) {
		enum perfdata_status status = pd_archive_read(fd, &dso->work, &dso->bytes, &archive);
		if (status == PERFDATA_EREAD)
			status = pd_symbols_fail(dso->symbols, path, errno);
		if (status)
			refuse_file(search, path, status == PERFDATA_ABSENT ? PERFDATA_EFORMAT : status);
	}
	close(fd);
	dso->archive = archive;
}

/* Opens the file at `path` if it is the recorded one. NULL with dso->archive: it is an archive. */
static struct pd_elf *open_matching(struct search *search, const char *path)
{
	struct perfdata_symbols_dso *dso = search->dso;
	struct pd_elf *elf;
	struct stat st;
	int fd = open_logged(dso, path, PD_REGULAR_STORED, &st);
	if (fd < 0)
		return NULL;
	search->differs = false;
	if (search->may_store && pd_is_archive(fd) && !pd_archive_entry_name(path)) {
		open_archive(search, fd, &st, path);
		return NULL;
	}
	search->found.size = 0;
	enum perfdata_status status = pd_elf_open(dso->symbols, fd, path, &elf), id_status = PERFDATA_ABSENT;
	if (!status)
		id_status = pd_elf_build_id(elf, &search->found);
	if (is_failure(id_status) || id_status == PERFDATA_ELIMIT) {
		pd_elf_close(elf);
		status = id_status;
	}
	if (status) {
		refuse_file(search, path, status);
		return NULL;
	}
	if (is_accepted(search, path, find_mismatch(search, &st, path, id_status == PERFDATA_OK)))
		return elf;
	pd_elf_close(elf);
	return NULL;
}

static bool take_first(void *user, const char *path, const char *what)
{
	struct search *search = user;
	search->what = what;
	search->elf = open_matching(search, path);
	const bool found = search->elf || search->dso->archive;
	if (found)
		set_origin(search->dso, &search->dso->origin.text_file, path, "code");
	return found;
}

/* Whether the file has the CRC of the debug link. */
static bool has_checksum(struct search *search, const char *path)
{
	struct perfdata_symbols_dso *dso = search->dso;
	uint32_t crc = 0;
	const int fd = pd_symbols_open(dso->symbols, path, PD_REGULAR_STORED);
	const bool known = fd >= 0 && pd_debuglink_crc(fd, dso->symbols->options.cancel, &crc);
	const int error = errno;
	if (fd >= 0)
		close(fd);
	if (!known)
		(void)note_failure(dso, path, error);
	return known && crc == search->crc;
}

/* Takes a file with separate debug information. It must have a symbol table, and the right build-id; without a
 * build-id, the right CRC of the debug link. */
static bool take_debug(void *user, const char *path, const char *what)
{
	struct search *search = user;
	struct perfdata_symbols_dso *dso = search->dso;
	struct pd_elf *elf = open_matching(search, path);
	if (!elf)
		return false;
	if (!search->id.size && !strcmp(what, "debug link")) {
		if (!has_checksum(search, path)) {
			pd_symbols_log(dso, PERFDATA_SYMBOLS_REFUSED, path,
				       "its checksum is not that of the debug link");
			pd_elf_close(elf);
			return false;
		}
	} else if (!search->id.size) {
		pd_symbols_log(dso, PERFDATA_SYMBOLS_REFUSED, path, "nothing says that it belongs to the file");
		pd_elf_close(elf);
		return false;
	}
	if (!pd_elf_has_symtab(elf)) {
		pd_symbols_log(dso, PERFDATA_SYMBOLS_REFUSED, path, "it has no symbol table");
		pd_elf_close(elf);
		return false;
	}
	search->elf = elf;
	set_origin(dso, &dso->origin.file, path, what);
	return true;
}

static struct pd_elf *from_debuginfod(struct search *search, bool debug, const char **where)
{
	struct perfdata_symbols_dso *dso = search->dso;
	const char *path;
	char reason[128];
	int fd;
	if (!dso->symbols->options.debuginfod || !search->id.size)
		return NULL;
	const enum perfdata_status status = pd_debuginfod_find(&search->id, debug, &dso->bytes, &path, &fd, reason,
							       sizeof reason);
	if (status) {
		pd_symbols_log(dso, PERFDATA_SYMBOLS_ABSENT, "debuginfod", reason);
		if (is_failure(status)) {
			pd_dso_report(dso, PERFDATA_FINDING_SYMBOL_FILE, "debuginfod", reason);
			(void)pd_dso_fail(dso, status);
		}
		return NULL;
	}
	close(fd);
	struct pd_elf *elf = open_matching(search, path);
	if (elf)
		set_origin(dso, where, path, "debuginfod");
	return elf;
}

/* Finds the file at the path as the process sees it. */
static bool find_in_process(struct perfdata_symbols_dso *dso, struct search *search)
{
	const struct perfdata_symbols_request *r = &dso->request;
	char path[MAX_PATH];
	if (!r->process || is_elsewhere(dso) || r->path[0] != '/' ||
	    snprintf(path, sizeof path, "/proc/%" PRIu32 "/root%s", r->process, r->path) >= (int)sizeof path)
		return false;
	search->in_process = true;
	const bool found = pd_places_of(dso->symbols, path, "file of the process", take_first, search);
	search->in_process = false;
	return found;
}

/* Finds the file with the code: at the recorded path, in the build-id cache, or on a server. */
static struct pd_elf *find_text(struct perfdata_symbols_dso *dso, const struct pd_build_id *id)
{
	struct search search = {
		.dso = dso, .id = *id, .identify = true, .may_store = dso->request.kind == PERFDATA_DSO_USER
	};
	const char *path = dso->request.path;
	if (dso->request.kind == PERFDATA_DSO_MODULE)
		pd_module_places(dso->symbols, path, dso->request.release, take_first, &search);
	else if (!find_in_process(dso, &search))
		pd_places_of(dso->symbols, path, "file", take_first, &search);
	if (!search.elf && !dso->archive)
		pd_cache_places(dso->symbols, &search.id, "elf", take_first, &search);
	if (!search.elf && !dso->archive)
		search.elf = from_debuginfod(&search, false, &dso->origin.text_file);
	dso->found = search.found;
	dso->origin.other_build_id = search.differs && search.elf;
	return search.elf;
}

/* Finds the file with a symbol table: first separate debug files, as perf does. */
static struct pd_elf *find_debug(struct perfdata_symbols_dso *dso, const struct pd_build_id *id)
{
	struct search search = { .dso = dso, .id = *id, .strict = true };
	const char *link = NULL;
	if (dso->text) {
		link = pd_elf_debug_link(dso->text, &search.crc);
		if (dso->found.size)
			search.id = dso->found;
	}
	if (pd_debug_places(dso->symbols, dso->request.path, link, &search.id, take_debug, &search))
		return search.elf;
	struct pd_elf *inside = NULL;
	if (dso->text && !pd_elf_has_symtab(dso->text)) {
		const enum perfdata_status status = pd_elf_debugdata(dso->text, &dso->work, &inside);
		if (is_failure(status))
			(void)pd_dso_fail(dso, status);
		else if (status == PERFDATA_ELIMIT)
			pd_symbols_find_excess(dso, dso->origin.text_file,
					       ".gnu_debugdata unpacks to more than its size explains");
	}
	if (inside) {
		set_origin(dso, &dso->origin.file, dso->origin.text_file, ".gnu_debugdata");
		return inside;
	}
	if (dso->text && pd_elf_has_symtab(dso->text))
		return NULL;
	return from_debuginfod(&search, true, &dso->origin.file);
}

static bool take_alt(void *user, const char *path, const char *what)
{
	struct search *search = user;
	search->elf = open_matching(search, path);
	if (search->elf)
		set_origin(search->dso, &search->dso->origin.alt_file, path, what);
	return search->elf != NULL;
}

struct pd_elf *pd_dso_find_alt(struct perfdata_symbols_dso *dso)
{
	const struct pd_elf *elf = pd_dso_debug_info(dso);
	const char *from = pd_symbols_debug_path(dso);
	struct search search = { .dso = dso, .strict = true };
	const char *link = dso->alt_tried || !elf || !from ? NULL : pd_elf_alt_link(elf, &search.id);
	dso->alt_tried = true;
	if (link && pd_alt_places(dso->symbols, from, link, &search.id, take_alt, &search)) {
		dso->alt = search.elf;
		dso->alt_id = search.id;
	}
	return dso->alt;
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

static enum perfdata_status load_user(struct perfdata_symbols_dso *dso)
{
	const struct pd_build_id id = wanted_id(dso);
	dso->text = find_text(dso, &id);
	if (dso->archive) {
		dso->origin.file = dso->origin.text_file;
		return PERFDATA_OK;
	}
	dso->debug = find_debug(dso, &id);
	enum perfdata_status status = load_elf(dso, PD_ELF_OFFSET);
	if (!dso->text) {
		dso->text = dso->debug;
		if (dso->debug)
			(void)pd_elf_build_id(dso->debug, &dso->found);
	}
	return status;
}

/* Finds the vdso's image by build-id in perf's cache, or in a file tree of the caller. */
static bool find_kept_vdso(struct perfdata_symbols_dso *dso, const struct pd_build_id *id)
{
	struct search search = { .dso = dso, .id = *id };
	const char *symfs = dso->symbols->options.symfs;
	char path[MAX_PATH];
	if (id->size)
		(void)pd_cache_places(dso->symbols, &search.id, "vdso", take_first, &search);
	else if (symfs && dso->request.path[0] == '[' &&
		 snprintf(path, sizeof path, "%s/%s", symfs, dso->request.path) < (int)sizeof path)
		(void)take_first(&search, path, "vdso");
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
	if (is_failure(id_status))
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
	int fd = open_logged(dso, path, PD_REGULAR_ANY, &st);
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
	char path[MAX_PATH];
	return dso->recorded_folder &&
	       snprintf(path, sizeof path, "%s/kallsyms", dso->recorded_folder) < (int)sizeof path &&
	       load_kallsyms(dso, path) == PERFDATA_OK;
}

static enum perfdata_status load_vmlinux(struct perfdata_symbols_dso *dso, const struct search *search)
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
	const struct search *search = user;
	return (search->id.size || pd_is_given(search->dso->symbols, path)) && take_first(user, path, what);
}

static enum perfdata_status load_kernel(struct perfdata_symbols_dso *dso)
{
	struct perfdata_symbols *symbols = dso->symbols;
	const struct perfdata_symbols_options *o = &symbols->options;
	struct search search = { .dso = dso, .id = wanted_id(dso) };
	if (o->kallsyms)
		return load_kallsyms(dso, o->kallsyms);
	if (o->vmlinux) {
		if (!take_first(&search, o->vmlinux, "vmlinux"))
			return PERFDATA_ABSENT;
		return load_vmlinux(dso, &search);
	}
	/* the running kernel is the recorded one, so its build-id is known */
	if (!search.id.size && host_kernel_serves(dso) &&
	    pd_running_kernel_id(symbols, &search.id) == PERFDATA_ENOMEM)
		(void)pd_dso_fail(dso, PERFDATA_ENOMEM);
	/* without a build-id, only the caller can say that a file belongs to this kernel */
	bool found = search.id.size && (pd_cache_places(symbols, &search.id, "vmlinux", take_first, &search) ||
					pd_cache_places(symbols, &search.id, "elf", take_first, &search));
	if (!found && (search.id.size || is_elsewhere(dso)))
		found = pd_vmlinux_places(symbols, dso->request.release, take_vmlinux, &search);
	if (!found && search.id.size)
		found = pd_debug_places(symbols, "[kernel]", NULL, &search.id, take_debug, &search);
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
		dso->text = find_text(dso, &id);
		dso->debug = find_debug(dso, &id);
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
