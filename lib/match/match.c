/* SPDX-License-Identifier: MIT */
/* Opens sources, and searches all of them for each wanted file. */
#include "config.h"
#include <dirent.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>
#include "base/cancel.h"
#include "base/error.h"
#include "base/fdio.h"
#include "base/memory.h"
#include "base/option_struct.h"
#include "match/match.h"

#define MAX_LIST ((size_t)256 << 20)

const char *perfdata_match_state_name(enum perfdata_match_state state)
{
	switch (state) {
	case PERFDATA_MATCH_SAME: return "match";
	case PERFDATA_MATCH_MOVED: return "moved";
	case PERFDATA_MATCH_DIFFERS: return "differs";
	case PERFDATA_MATCH_NO_NOTE: return "no_note";
	case PERFDATA_MATCH_ABSENT: return "absent";
	case PERFDATA_MATCH_UNVERIFIED: return "unverified";
	case PERFDATA_MATCH_UNKNOWN: return "unknown";
	case PERFDATA_MATCH_UNREADABLE: return "unreadable";
	case PERFDATA_MATCH_MEMORY: return "memory";
	}
	return "unknown";
}

const char *perfdata_match_part_name(size_t index, enum perfdata_match_part *ret_part)
{
	static const struct { enum perfdata_match_part part; const char *name;
	} parts[] = {
		{ PERFDATA_PART_TEXT, "text" },
		{ PERFDATA_PART_SYMTAB, "symtab" },
		{ PERFDATA_PART_DYNSYM, "dynsym" },
		{ PERFDATA_PART_MINIDEBUG, "minidebug" },
		{ PERFDATA_PART_DWARF, "dwarf" },
		{ PERFDATA_PART_ALTLINK, "altlink" },
		{ PERFDATA_PART_ALT_MISSING, "altlink-missing" },
		{ PERFDATA_PART_ANSWERS, "answers" },
	};
	if (index >= sizeof parts / sizeof *parts)
		return NULL;
	*ret_part = parts[index].part;
	return parts[index].name;
}

/* --- opening sources ---------------------------------------------------------------------------------------------- */

static enum perfdata_status refuse_place(struct perfdata_error *reterr, enum perfdata_status status, const char *path,
					 const char *why)
{
	return pd_error(reterr, status, PERFDATA_NO_OFFSET, "%s: %s", path, why);
}

bool pd_has_entry_but(int root, const char *name)
{
	const int fd = pd_open_folder_at(root, ".");
	DIR *dir = fd >= 0 ? fdopendir(fd) : NULL;
	const struct dirent *entry;
	bool found = false;
	if (!dir) {
		const int error = errno;
		if (fd >= 0)
			close(fd);
		errno = error;
		return false;
	}
	errno = 0;
	while (!found && (entry = readdir(dir)))
		found = strcmp(entry->d_name, ".") && strcmp(entry->d_name, "..") && strcmp(entry->d_name, name);
	const int error = errno;
	closedir(dir);
	errno = error;
	return found;
}

/* Returns the status, by errno, of a source that cannot be opened. */
static enum perfdata_status refuse_errno(struct perfdata_error *reterr, const char *path)
{
	const int error = errno;
	const enum perfdata_status status = pd_status_of_errno(error);
	if (error == EINTR)
		return refuse_place(reterr, PERFDATA_EINTR, path, "interrupted before it was opened");
	return pd_error_errno(reterr, status == PERFDATA_ABSENT ? PERFDATA_EREAD : status, PERFDATA_NO_OFFSET, error,
			      "%s", path);
}

static enum perfdata_status open_directory(struct pd_source *source, const char *path, struct perfdata_error *reterr)
{
	source->root = pd_open_folder(path);
	if (source->root < 0)
		return refuse_errno(reterr, path);
	if (pd_has_entry_but(source->root, ""))
		return PERFDATA_OK;
	return errno ? refuse_errno(reterr, path)
		     : refuse_place(reterr, PERFDATA_EREAD, path, "the directory is empty");
}

static enum perfdata_status open_bundle(struct perfdata_match *match, struct pd_source *source,
					struct perfdata_error *reterr)
{
	if (!match->options.bundle)
		return PERFDATA_EUSAGE;
	source->bundle = match->options.bundle;
	return pd_bundle_has_files(source->bundle)
		       ? PERFDATA_OK
		       : refuse_place(reterr, PERFDATA_EREAD, source->path, "no file is in the bundle");
}

bool pd_source_has_files(const struct pd_source *source) { return source->root >= 0 || source->bundle; }

int pd_source_open(const struct pd_source *source, const char *path, enum pd_regular kind, char real[PD_ROOTED_PATH])
{
	return source->bundle ? pd_bundle_open(source->bundle, path, real)
			      : pd_rooted_open(source->root, path, kind, real);
}

static enum perfdata_status open_elf(struct perfdata_match *match, struct pd_source *source,
				     struct perfdata_error *reterr)
{
	const int fd = pd_open_regular(source->path, PD_REGULAR_STORED);
	if (fd < 0 && errno == EINVAL)
		return refuse_place(reterr, PERFDATA_EREAD, source->path, "no regular file");
	if (fd < 0)
		return refuse_errno(reterr, source->path);
	source->facts = pd_arena_calloc(&match->arena, 1, sizeof *source->facts);
	enum perfdata_status status = source->facts ? pd_elf_facts_read(fd, source->facts) : PERFDATA_ENOMEM;
	const int error = errno;
	close(fd);
	if (status == PERFDATA_EREAD)
		return pd_error_errno(reterr, status, PERFDATA_NO_OFFSET, error, "%s", source->path);
	return status == PERFDATA_EFORMAT ? refuse_place(reterr, status, source->path, "no ELF file") : status;
}

static enum perfdata_status open_list(struct perfdata_match *match, struct pd_source *source,
				      struct perfdata_error *reterr)
{
	char *text;
	size_t size;
	const int fd = !strcmp(source->path, "-") ? pd_fd_copy(STDIN_FILENO)
						  : pd_open_given(source->path, match->options.cancel);
	if (fd < 0)
		return refuse_errno(reterr, source->path);
	enum perfdata_status status = pd_read_whole(fd, MAX_LIST, &text, &size);
	close(fd);
	if (status)
		return refuse_place(reterr, status, source->path, perfdata_status_text(status));
	status = pd_id_list_parse(&source->list, &match->arena, text, size);
	pd_free(text);
	return status == PERFDATA_EFORMAT ? refuse_place(reterr, status, source->path, "no build-id in it") : status;
}

static enum perfdata_status open_source(struct perfdata_match *match, struct pd_source *source,
					struct perfdata_error *reterr)
{
	switch (source->kind) {
	case PERFDATA_SOURCE_HOST: return open_directory(source, "/", reterr);
	case PERFDATA_SOURCE_ROOT:
	case PERFDATA_SOURCE_FLAT:
	case PERFDATA_SOURCE_DEBUG_DIR: return open_directory(source, source->path, reterr);
	case PERFDATA_SOURCE_FILE: return open_elf(match, source, reterr);
	case PERFDATA_SOURCE_LIST: return open_list(match, source, reterr);
	case PERFDATA_SOURCE_BUNDLE: return open_bundle(match, source, reterr);
	case PERFDATA_SOURCE_OTHER:
	case PERFDATA_SOURCE_DEBUGINFOD: return PERFDATA_OK;
	}
	return PERFDATA_EUSAGE;
}

static bool needs_path(enum perfdata_match_source_kind kind)
{
	return kind != PERFDATA_SOURCE_HOST && kind != PERFDATA_SOURCE_DEBUGINFOD;
}

static enum perfdata_status open_sources(struct perfdata_match *match, struct perfdata_error *reterr)
{
	const struct perfdata_match_options *o = &match->options;
	match->sources = pd_calloc(o->nr_sources, sizeof *match->sources);
	if (!match->sources)
		return PERFDATA_ENOMEM;
	for (size_t i = 0; i < o->nr_sources; i++) {
		struct pd_source *source = &match->sources[match->nr_sources];
		const char *path = o->sources[i].path;
		if (needs_path(o->sources[i].kind) && (!path || !*path))
			return PERFDATA_EUSAGE;
		*source = (struct pd_source){ .kind = o->sources[i].kind, .root = -1, .path = "" };
		if (needs_path(source->kind) && !(source->path = pd_arena_copy(&match->arena, path, strlen(path))))
			return PERFDATA_ENOMEM;
		match->nr_sources++;
		enum perfdata_status status = open_source(match, source, reterr);
		if (status == PERFDATA_EREAD && o->sources[i].is_optional) {
			if (source->root >= 0)
				close(source->root);
			source->root = -1;
			source->kind = PERFDATA_SOURCE_OTHER;
		} else if (status) {
			return status;
		}
	}
	return PERFDATA_OK;
}

enum perfdata_status perfdata_match_open(const struct perfdata_match_options *options, struct perfdata_match **ret,
					 struct perfdata_error *reterr)
{
	struct perfdata_match *match = pd_calloc(1, sizeof *match);
	if (!match)
		return pd_error(reterr, PERFDATA_ENOMEM, PERFDATA_NO_OFFSET, "%s",
				perfdata_status_text(PERFDATA_ENOMEM));
	struct perfdata_error error = { 0 };
	enum perfdata_status status = PD_OPTIONS_COPY(&match->options, user, options, &error);
	static const struct perfdata_match_source host = { .kind = PERFDATA_SOURCE_HOST };
	if (!status && !match->options.nr_sources) {
		match->options.sources = &host;
		match->options.nr_sources = 1;
	}
	if (!status)
		status = open_sources(match, &error);
	match->options.sources = NULL;
	if (status) {
		perfdata_match_close(match);
		return pd_error_from(reterr, status, &error);
	}
	*ret = match;
	return PERFDATA_OK;
}

void perfdata_match_close(struct perfdata_match *match)
{
	if (!match)
		return;
	for (size_t i = 0; i < match->nr_sources; i++) {
		struct pd_source *source = &match->sources[i];
		if (source->root >= 0)
			close(source->root);
		pd_free(source->list.items);
		pd_id_search_release(&source->search);
	}
	pd_free(match->sources);
	pd_arena_release(&match->arena);
	pd_free(match);
}

static struct pd_build_id id_of(struct perfdata_bytes bytes) { return pd_build_id_of(bytes.data, bytes.size); }

enum perfdata_status perfdata_match_add(struct perfdata_match *match, size_t source, const char *path,
					struct perfdata_bytes build_id)
{
	const struct pd_build_id id = id_of(build_id);
	if (source >= match->nr_sources)
		return PERFDATA_EUSAGE;
	return pd_id_list_add(&match->sources[source].list, &match->arena, &id, path, strlen(path)) ? PERFDATA_ENOMEM
												    : PERFDATA_OK;
}

/* --- finding ------------------------------------------------------------------------------------------------------ */

/* Whether no file is searched: the recording itself has the names of this code, or no file can have them. */
static bool is_memory(const struct perfdata_match_wanted *wanted)
{
	switch (wanted->kind) {
	case PERFDATA_DSO_USER:
	case PERFDATA_DSO_KERNEL:
	case PERFDATA_DSO_MODULE: return false;
	case PERFDATA_DSO_VDSO: return !wanted->build_id.size;
	case PERFDATA_DSO_PERF_MAP:
	case PERFDATA_DSO_JITDUMP:
	case PERFDATA_DSO_BPF:
	case PERFDATA_DSO_STATE:
	case PERFDATA_DSO_NONE: return true;
	}
	return true;
}

static void find_wanted(struct perfdata_match *match, const struct perfdata_match_wanted *wanted,
			struct perfdata_match_result *result)
{
	struct pd_lookup lookup = { .match = match, .wanted = wanted, .id = id_of(wanted->build_id), .result = result };
	*result = (struct perfdata_match_result){ .source = SIZE_MAX, .state = PERFDATA_MATCH_MEMORY };
	if (is_memory(wanted))
		return;
	result->state = lookup.id.size ? PERFDATA_MATCH_ABSENT : PERFDATA_MATCH_UNKNOWN;
	for (size_t i = 0; i < match->nr_sources; i++)
		pd_look_in_source(&lookup, &match->sources[i]);
	pd_look_for_links(&lookup);
	if (!lookup.rank)
		result->reason = lookup.id.size ? NULL : "no build-id was recorded";
}

static bool is_searched(const struct pd_source *source)
{
	return source->kind == PERFDATA_SOURCE_ROOT || source->kind == PERFDATA_SOURCE_FLAT ||
	       source->kind == PERFDATA_SOURCE_DEBUG_DIR;
}

/* Searches directories for all build-ids at once, before the first look-up. */
static enum perfdata_status search_places(struct perfdata_match *match, const struct perfdata_match_wanted *wanted,
					  size_t nr)
{
	const struct perfdata_match_options *o = &match->options;
	struct pd_build_id *ids = pd_arena_calloc(&match->arena, nr ? nr : 1, sizeof *ids);
	size_t nr_ids = 0;
	if (!ids)
		return PERFDATA_ENOMEM;
	for (size_t i = 0; i < nr; i++)
		if (wanted[i].build_id.size && !is_memory(&wanted[i]))
			ids[nr_ids++] = id_of(wanted[i].build_id);
	uint64_t before = 0;
	enum perfdata_status status = PERFDATA_OK;
	for (size_t i = 0; i < match->nr_sources && status == PERFDATA_OK; i++) {
		struct pd_source *source = &match->sources[i];
		if (!is_searched(source))
			continue;
		pd_id_search_release(&source->search);
		source->search = (struct pd_id_search){
			.ids = ids, .nr_ids = nr_ids, .threads = o->threads ? o->threads : 1, .cancel = o->cancel,
			.on_progress = o->on_progress, .user = o->user, .nr_files = before,
		};
		status = pd_id_search(&source->search, source->root);
		pd_keep_failure(&match->failure, source->search.failure);
		before = source->search.nr_files;
	}
	return status;
}

enum perfdata_status perfdata_match_find(struct perfdata_match *match, const struct perfdata_match_wanted *wanted,
					 size_t nr, struct perfdata_match_result *results)
{
	for (size_t i = 0; i < nr; i++)
		results[i] = (struct perfdata_match_result){ .state = PERFDATA_MATCH_UNKNOWN,
							     .source = SIZE_MAX,
							     .reason = "it was not looked for" };
	enum perfdata_status status = match->options.search ? search_places(match, wanted, nr) : PERFDATA_OK;
	for (size_t i = 0; i < nr && status == PERFDATA_OK; i++) {
		find_wanted(match, &wanted[i], &results[i]);
		if (pd_cancelled(match->options.cancel))
			status = PERFDATA_EINTR;
	}
	return status ? status : match->failure;
}

uint64_t perfdata_match_nr_found(const struct perfdata_match *match, size_t source)
{
	return source < match->nr_sources ? match->sources[source].nr_found : 0;
}

uint64_t perfdata_match_nr_searched(const struct perfdata_match *match)
{
	uint64_t most = 0;
	for (size_t i = 0; i < match->nr_sources; i++)
		if (match->sources[i].search.nr_files > most)
			most = match->sources[i].search.nr_files;
	return most;
}
