/* SPDX-License-Identifier: MIT */
/* Searches the places of a dso's files, and logs why it does not use a file that is there. */
#include "config.h"
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "base/error.h"
#include "base/port.h"
#include "symbols/load/symbol_search.h"

const char *pd_refusal_reason(enum perfdata_status status)
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
	if (pd_is_failure(status))
		(void)pd_dso_fail(dso, status);
	return pd_is_failure(status);
}

int pd_dso_open_logged(struct perfdata_symbols_dso *dso, const char *path, enum pd_regular kind,
		       struct stat *ret_stat)
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

void pd_dso_set_origin(struct perfdata_symbols_dso *dso, const char **where, const char *path, const char *reason)
{
	*where = pd_arena_copy(&dso->bytes, path, strlen(path));
	if (!*where)
		(void)pd_dso_fail(dso, PERFDATA_ENOMEM);
	pd_symbols_log(dso, PERFDATA_SYMBOLS_TAKEN, path, reason);
}

bool pd_is_elsewhere(const struct perfdata_symbols_dso *dso)
{
	const struct perfdata_symbols_options *o = &dso->symbols->options;
	return o->symfs || o->sysroot;
}

/* --- ELF files ---------------------------------------------------------------------------------------------------- */

/* Returns why the file with the build-id search->found (if has_id) is not the recorded one; NULL: it is. */
static const char *find_mismatch(struct pd_search *search, const struct stat *st, const char *path, bool has_id)
{
	if (search->id.size && !(has_id && pd_same_build_id(&search->found, &search->id)))
		return has_id ? "its build-id differs from the recorded one" : "it has no build-id";
	return !search->id.size && search->identify ? pd_unidentified(search->dso, st, path, search->in_process,
								      &search->found)
						    : NULL;
}

/* Whether to use a file that is not the recorded one for this reason (NULL: it is). */
static bool is_accepted(struct pd_search *search, const char *path, const char *reason)
{
	struct perfdata_symbols_dso *dso = search->dso;
	if (!reason)
		return true;
	search->differs = dso->symbols->options.use_other_build_id && !search->strict;
	if (search->differs)
		return true;
	dso->unidentified = search->id.size ? dso->unidentified : reason;
	pd_symbols_log(dso, PERFDATA_SYMBOLS_REFUSED, path, reason);
	if (!search->at_other_path)
		pd_dso_report(dso,
			      search->id.size ? PERFDATA_FINDING_SYMBOL_BUILDID : PERFDATA_FINDING_SYMBOL_UNIDENTIFIED,
			      path, reason);
	return false;
}

/* Logs and reports why a file was not opened. */
static void refuse_file(struct pd_search *search, const char *path, enum perfdata_status status)
{
	struct perfdata_symbols_dso *dso = search->dso;
	const char *reason = status == PERFDATA_ABSENT ? "no such library is stored uncompressed in it"
						       : pd_refusal_reason(status);
	pd_symbols_log(dso, PERFDATA_SYMBOLS_REFUSED, path, reason);
	if (pd_is_failure(status))
		(void)pd_dso_fail(dso, status);
	if (status == PERFDATA_ELIMIT)
		pd_dso_report(dso, PERFDATA_FINDING_SYMBOL_EXCESS, path,
			      "its headers, or what it unpacks to, ask for more than its size explains");
	else if (!search->at_other_path && status != PERFDATA_EINTR && status != PERFDATA_EUNSUP &&
		 status != PERFDATA_EREAD)   /* was reported before */
		pd_dso_report(dso, PERFDATA_FINDING_SYMBOL_FILE, path, reason);
}

/* Opens an archive, which has no build-id. Closes `fd`. */
static void open_archive(struct pd_search *search, int fd, const struct stat *st, const char *path)
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
static struct pd_elf *open_matching(struct pd_search *search, const char *path)
{
	struct perfdata_symbols_dso *dso = search->dso;
	struct pd_elf *elf;
	struct stat st;
	int fd = pd_dso_open_logged(dso, path, PD_REGULAR_STORED, &st);
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
	if (pd_is_failure(id_status) || id_status == PERFDATA_ELIMIT) {
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

bool pd_take_file(void *user, const char *path, const char *what)
{
	struct pd_search *search = user;
	(void)what;
	search->elf = open_matching(search, path);
	const bool found = search->elf || search->dso->archive;
	if (found)
		pd_dso_set_origin(search->dso, &search->dso->origin.text_file, path, "code");
	return found;
}

/* Whether the file has the CRC of the debug link. */
static bool has_checksum(struct pd_search *search, const char *path)
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

bool pd_take_debug(void *user, const char *path, const char *what)
{
	struct pd_search *search = user;
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
	pd_dso_set_origin(dso, &dso->origin.file, path, what);
	return true;
}

static struct pd_elf *from_debuginfod(struct pd_search *search, bool debug, const char **where)
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
		if (pd_is_failure(status)) {
			pd_dso_report(dso, PERFDATA_FINDING_SYMBOL_FILE, "debuginfod", reason);
			(void)pd_dso_fail(dso, status);
		}
		return NULL;
	}
	close(fd);
	struct pd_elf *elf = open_matching(search, path);
	if (elf)
		pd_dso_set_origin(dso, where, path, "debuginfod");
	return elf;
}

/* Finds the file at the path as the process sees it. */
static bool find_in_process(struct perfdata_symbols_dso *dso, struct pd_search *search)
{
	const struct perfdata_symbols_request *r = &dso->request;
	char path[PD_MAX_PATH];
	if (!r->process || pd_is_elsewhere(dso) || r->path[0] != '/' ||
	    snprintf(path, sizeof path, "/proc/%" PRIu32 "/root%s", r->process, r->path) >= (int)sizeof path)
		return false;
	search->in_process = true;
	const bool found = pd_places_of(dso->symbols, path, "file of the process", pd_take_file, search);
	search->in_process = false;
	return found;
}

/* Finds the file at another path of the recording that has the build-id. */
static void find_at_other_paths(struct pd_search *search)
{
	const struct perfdata_symbols_request *r = &search->dso->request;
	const bool may_store = search->may_store;
	search->at_other_path = search->strict = true;
	search->may_store = false;
	for (size_t i = 0; i < r->nr_other_paths && !search->elf; i++)
		pd_places_of(search->dso->symbols, r->other_paths[i], "file at another recorded path", pd_take_file,
			     search);
	search->at_other_path = search->strict = false;
	search->may_store = may_store;
}

struct pd_elf *pd_dso_find_text(struct perfdata_symbols_dso *dso, const struct pd_build_id *id)
{
	struct pd_search search = {
		.dso = dso, .id = *id, .identify = true, .may_store = dso->request.kind == PERFDATA_DSO_USER
	};
	const char *path = dso->request.path;
	if (dso->request.kind == PERFDATA_DSO_MODULE)
		pd_module_places(dso->symbols, path, dso->request.release, pd_take_file, &search);
	else if (!find_in_process(dso, &search))
		pd_places_of(dso->symbols, path, "file", pd_take_file, &search);
	if (!search.elf && !dso->archive)
		pd_cache_places(dso->symbols, &search.id, "elf", pd_take_file, &search);
	if (!search.elf && !dso->archive)
		find_at_other_paths(&search);
	if (!search.elf && !dso->archive)
		search.elf = from_debuginfod(&search, false, &dso->origin.text_file);
	dso->found = search.found;
	dso->origin.other_build_id = search.differs && search.elf;
	return search.elf;
}

struct pd_elf *pd_dso_find_debug(struct perfdata_symbols_dso *dso, const struct pd_build_id *id)
{
	struct pd_search search = { .dso = dso, .id = *id, .strict = true };
	const char *link = NULL;
	if (dso->text) {
		link = pd_elf_debug_link(dso->text, &search.crc);
		if (dso->found.size)
			search.id = dso->found;
	}
	if (pd_debug_places(dso->symbols, dso->request.path, link, &search.id, pd_take_debug, &search))
		return search.elf;
	const bool has_symbols = dso->text && pd_elf_has_symtab(dso->text);
	search.at_other_path = true;
	for (size_t i = 0; i < dso->request.nr_other_paths && !has_symbols; i++)
		if (pd_debug_places(dso->symbols, dso->request.other_paths[i], link, &search.id, pd_take_debug,
				    &search))
			return search.elf;
	search.at_other_path = false;
	struct pd_elf *inside = NULL;
	if (dso->text && !has_symbols) {
		const enum perfdata_status status = pd_elf_debugdata(dso->text, &dso->work, &inside);
		if (pd_is_failure(status))
			(void)pd_dso_fail(dso, status);
		else if (status == PERFDATA_ELIMIT)
			pd_symbols_find_excess(dso, dso->origin.text_file,
					       ".gnu_debugdata unpacks to more than its size explains");
	}
	if (inside) {
		pd_dso_set_origin(dso, &dso->origin.file, dso->origin.text_file, ".gnu_debugdata");
		return inside;
	}
	if (has_symbols)
		return NULL;
	return from_debuginfod(&search, true, &dso->origin.file);
}

static bool take_alt(void *user, const char *path, const char *what)
{
	struct pd_search *search = user;
	search->elf = open_matching(search, path);
	if (search->elf)
		pd_dso_set_origin(search->dso, &search->dso->origin.alt_file, path, what);
	return search->elf != NULL;
}

struct pd_elf *pd_dso_find_alt(struct perfdata_symbols_dso *dso)
{
	const struct pd_elf *elf = pd_dso_debug_info(dso);
	const char *from = pd_symbols_debug_path(dso);
	struct pd_search search = { .dso = dso, .strict = true };
	const char *link = dso->alt_tried || !elf || !from ? NULL : pd_elf_alt_link(elf, &search.id);
	dso->alt_tried = true;
	if (link && pd_alt_places(dso->symbols, from, link, &search.id, take_alt, &search)) {
		dso->alt = search.elf;
		dso->alt_id = search.id;
	}
	return dso->alt;
}
