/* SPDX-License-Identifier: MIT */
/* The paths that a source may have for a file. The build-id of a file gives its path, so no index is needed. */
#include "config.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "base/digit.h"
#include "base/error.h"
#include "base/fdio.h"
#include "match/match.h"
#include "symbols/answers/symbol_answers.h"

/* The suffix that the kernel and /proc/PID/maps append to the path of a deleted file. */
static const char deleted[] = " (deleted)";

static const char *base_of(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash ? slash + 1 : path;
}

bool pd_build_id_path(char out[PD_ROOTED_PATH], const char *prefix, const struct pd_build_id *id, const char *suffix)
{
	char digits[2 * PERFDATA_BUILD_ID_MAX + 1];
	if (id->size < 2 || id->size > sizeof id->bytes)
		return false;
	pd_hex_digits(digits, id->bytes, id->size);
	return snprintf(out, PD_ROOTED_PATH, "%s/.build-id/%.2s/%s%s", prefix, digits, digits + 2, suffix) <
	       PD_ROOTED_PATH;
}

/* Looks below `prefix` of a source by build-id. */
static void look_by_id(struct pd_lookup *lookup, struct pd_source *source, const char *prefix)
{
	/* suffixes of debug packages, and of perf's cache, where an entry is the file or a directory with the file */
	static const char *const suffixes[] = { "", ".debug", "/elf", "/debug", "/vdso" };
	char path[PD_ROOTED_PATH];
	struct pd_build_id room;
	const struct pd_build_id *id = pd_lookup_id(lookup, &room);
	for (size_t i = 0; id->size && i < sizeof suffixes / sizeof *suffixes; i++)
		if (pd_build_id_path(path, prefix, id, suffixes[i]))
			(void)pd_consider(lookup, source, path, source->kind == PERFDATA_SOURCE_BUNDLE);
}

static bool at_path(struct pd_lookup *lookup, struct pd_source *source, const char *path)
{
	char shorter[PD_ROOTED_PATH];
	const size_t size = strlen(path), tail = sizeof deleted - 1;
	if (path[0] != '/' || pd_consider(lookup, source, path, true))
		return true;
	if (size <= tail || size - tail >= sizeof shorter || strcmp(path + size - tail, deleted) != 0)
		return false;
	memcpy(shorter, path, size - tail);
	shorter[size - tail] = '\0';
	return pd_consider(lookup, source, shorter, true);
}

static void look_below(struct pd_lookup *lookup, struct pd_source *source, const char *prefix, const char *path,
		       const char *suffix)
{
	char place[PD_ROOTED_PATH];
	if (path[0] == '/' && snprintf(place, sizeof place, "%s%s%s", prefix, path, suffix) < (int)sizeof place)
		(void)pd_consider(lookup, source, place, false);
}

static void look_in_root(struct pd_lookup *lookup, struct pd_source *source)
{
	const struct perfdata_match_wanted *wanted = lookup->wanted;
	for (size_t i = 0; i < wanted->nr_paths; i++)
		(void)at_path(lookup, source, wanted->paths[i]);
	look_by_id(lookup, source, "/usr/lib/debug");
	look_by_id(lookup, source, "/usr/lib");
	for (size_t i = 0; i < wanted->nr_paths; i++) {
		look_below(lookup, source, "/usr/lib/debug", wanted->paths[i], ".debug");
		look_below(lookup, source, "/usr/lib/debug", wanted->paths[i], "");
	}
}

static void look_in_folder(struct pd_lookup *lookup, struct pd_source *source)
{
	const struct perfdata_match_wanted *wanted = lookup->wanted;
	for (size_t i = 0; i < wanted->nr_paths; i++) {
		const char *last = strrchr(wanted->paths[i], '/');
		if (!last)
			continue;
		(void)at_path(lookup, source, last);
		look_below(lookup, source, "", last, ".debug");
	}
}

static void look_in_debug_dir(struct pd_lookup *lookup, struct pd_source *source)
{
	const struct perfdata_match_wanted *wanted = lookup->wanted;
	look_by_id(lookup, source, "");
	for (size_t i = 0; i < wanted->nr_paths; i++) {
		look_below(lookup, source, "", wanted->paths[i], ".debug");
		look_below(lookup, source, "", wanted->paths[i], "");
	}
}

/* Takes an answers file, which replaces a file, or completes the parts of it that a bundle has. */
static void consider_answers(struct pd_lookup *lookup, struct pd_source *source, const char *path)
{
	char head[512], real[PD_ROOTED_PATH];
	struct pd_answers_head facts;
	const int fd = pd_source_open(source, path, PD_REGULAR_STORED, real);
	if (fd < 0) {
		pd_keep_failure(&lookup->match->failure, pd_status_of_errno(errno));
		return;
	}
	const int64_t got = pd_read_some(fd, head, sizeof head, NULL);
	if (got < 0)
		pd_keep_failure(&lookup->match->failure, pd_status_of_read(errno));
	close(fd);
	if (got <= 0 || !pd_answers_read_head(head, (size_t)got, &facts) || facts.kind != lookup->wanted->kind ||
	    !facts.has_names || (lookup->id.size && !pd_same_build_id(&lookup->id, &facts.id)))
		return;
	const char *shown = pd_shown_path(lookup->match, source, real);
	const bool has_id = lookup->id.size > 0;
	if (pd_take_result(lookup, source, has_id ? PERFDATA_MATCH_SAME : PERFDATA_MATCH_UNVERIFIED, shown, &lookup->id,
			   PERFDATA_PART_ANSWERS, has_id ? NULL : "no build-id was recorded"))
		source->nr_found++;
	else if (!lookup->result->debug)
		lookup->result->debug = shown;
	lookup->result->parts |= PERFDATA_PART_ANSWERS;
}

/* Looks in a bundle: the build-id gives a file's path; files without a build-id are below root/. */
static void look_in_bundle(struct pd_lookup *lookup, struct pd_source *source)
{
	const struct perfdata_match_wanted *wanted = lookup->wanted;
	char path[2 * PD_ROOTED_PATH];
	look_by_id(lookup, source, "");
	for (size_t i = 0; !lookup->id.size && i < wanted->nr_paths; i++)
		if (snprintf(path, sizeof path, "/root%s", wanted->paths[i]) < PD_ROOTED_PATH)
			(void)at_path(lookup, source, path);
	if (pd_build_id_path(path, "", &lookup->id, "/answers"))
		consider_answers(lookup, source, path);
	for (size_t i = 0; !lookup->id.size && i < wanted->nr_paths; i++) {
		const char *inside = wanted->paths[i] + strspn(wanted->paths[i], "/");
		if (snprintf(path, sizeof path, "/root/%s.answers", inside) < PD_ROOTED_PATH)
			consider_answers(lookup, source, path);
	}
}

static bool is_called_so(const struct perfdata_match_wanted *wanted, const char *path)
{
	for (size_t i = 0; i < wanted->nr_paths; i++)
		if (!strcmp(base_of(wanted->paths[i]), base_of(path)))
			return true;
	return false;
}

static void look_at_file(struct pd_lookup *lookup, struct pd_source *source)
{
	if (pd_consider_facts(lookup, source, source->path, source->facts,
			      is_called_so(lookup->wanted, source->path)) &&
	    source->facts->alt_link[0] && !lookup->alt_link[0]) {
		strcpy(lookup->alt_link, source->facts->alt_link);
		lookup->alt_id = source->facts->alt_id;
	}
}

static bool has_path(const struct perfdata_match_wanted *wanted, const char *path)
{
	for (size_t i = 0; i < wanted->nr_paths; i++)
		if (!strcmp(wanted->paths[i], path))
			return true;
	return false;
}

/* Looks in a list. An entry without a path counts as one at the recorded path. */
static void look_in_list(struct pd_lookup *lookup, struct pd_source *source)
{
	const struct pd_listed *same = NULL, *other = NULL, *bare = NULL;
	for (size_t i = 0; i < source->list.count; i++) {
		const struct pd_listed *item = &source->list.items[i];
		const bool is_path = item->path && has_path(lookup->wanted, item->path);
		const bool is_id = lookup->id.size && pd_same_build_id(&item->id, &lookup->id);
		if (is_id && (!same || is_path))
			same = item;
		if (is_path && !is_id && item->id.size && !other)
			other = item;
		if (is_path && !item->id.size && !bare)
			bare = item;
	}
	const bool at_path = same && (!same->path || has_path(lookup->wanted, same->path));
	bool taken = false;
	if (same)
		taken = pd_take_result(lookup, source, at_path ? PERFDATA_MATCH_SAME : PERFDATA_MATCH_MOVED, same->path,
				       &same->id, PERFDATA_PART_UNSEEN, NULL);
	else if (other && lookup->id.size)
		taken = pd_take_result(lookup, source, PERFDATA_MATCH_DIFFERS, other->path, &other->id,
				       PERFDATA_PART_UNSEEN, "another build-id");
	else if (bare && lookup->id.size)
		taken = pd_take_result(lookup, source, PERFDATA_MATCH_UNKNOWN, bare->path, NULL, PERFDATA_PART_UNSEEN,
				       "its build-id is not known there");
	else if (other || bare)
		taken = pd_take_result(lookup, source, PERFDATA_MATCH_UNVERIFIED, other ? other->path : bare->path,
				       other ? &other->id : NULL, PERFDATA_PART_UNSEEN, "no build-id was recorded");
	if (taken) {
		source->nr_found++;
		lookup->result->parts |= PERFDATA_PART_UNSEEN;
	}
}

static void ask_servers(struct pd_lookup *lookup, struct pd_source *source)
{
	const struct perfdata_match_result *result = lookup->result;
	const uint32_t names = PERFDATA_PART_SYMTAB | PERFDATA_PART_DWARF;
	struct pd_build_id room;
	const struct pd_build_id *id = pd_lookup_id(lookup, &room);
	for (int debug = 0; debug < 2 && id->size; debug++) {
		const char *path;
		char reason[128];
		int fd;
		struct pd_elf_facts facts;
		if (debug ? result->parts & names : result->parts & PERFDATA_PART_TEXT)
			continue;
		enum perfdata_status status = pd_debuginfod_find(id, debug, &lookup->match->arena, &path, &fd, reason,
								 sizeof reason);
		if (!status) {
			status = pd_elf_facts_read(fd, &facts);
			close(fd);
		}
		if (!status)
			(void)pd_consider_facts(lookup, source, path, &facts, false);
		pd_keep_failure(&lookup->match->failure, status);
	}
}

static void look_at_hits(struct pd_lookup *lookup, struct pd_source *source)
{
	const struct pd_id_search *search = &source->search;
	if (!lookup->id.size)
		return;
	for (size_t i = 0; i < search->nr_hits; i++)
		if (pd_same_build_id(&search->ids[search->hits[i].wanted], &lookup->id))
			(void)pd_consider(lookup, source, search->hits[i].path, false);
}

void pd_look_in_source(struct pd_lookup *lookup, struct pd_source *source)
{
	const enum perfdata_dso_kind kind = lookup->wanted->kind;
	switch (source->kind) {
	case PERFDATA_SOURCE_HOST:
	case PERFDATA_SOURCE_ROOT:
		if (kind == PERFDATA_DSO_KERNEL)
			pd_look_for_kernel(lookup, source);
		else if (kind == PERFDATA_DSO_MODULE)
			pd_look_for_module(lookup, source);
		else if (kind == PERFDATA_DSO_VDSO)
			pd_look_for_vdso(lookup, source);
		look_in_root(lookup, source);
		look_at_hits(lookup, source);
		break;
	case PERFDATA_SOURCE_FLAT:
		look_in_folder(lookup, source);
		look_at_hits(lookup, source);
		break;
	case PERFDATA_SOURCE_DEBUG_DIR:
		if (kind == PERFDATA_DSO_KERNEL)
			pd_look_for_kernel(lookup, source);
		look_in_debug_dir(lookup, source);
		look_at_hits(lookup, source);
		break;
	case PERFDATA_SOURCE_BUNDLE:
		if (kind == PERFDATA_DSO_KERNEL)
			pd_look_for_kernel(lookup, source);
		look_in_bundle(lookup, source);
		break;
	case PERFDATA_SOURCE_FILE:
		look_at_file(lookup, source);
		break;
	case PERFDATA_SOURCE_LIST:
	case PERFDATA_SOURCE_OTHER:
		look_in_list(lookup, source);
		break;
	case PERFDATA_SOURCE_DEBUGINFOD:
		ask_servers(lookup, source);
		break;
	}
}

/* --- links in the files found ------------------------------------------------------------------------------------- */

static void look_for_debug_link(struct pd_lookup *lookup, struct pd_source *source)
{
	const int dir = (int)(base_of(lookup->text_path) - lookup->text_path) - 1;
	for (size_t i = 0; i < 3 && dir >= 0; i++) {
		char path[PD_ROOTED_PATH];
		int size;
		switch (i) {
		case 0:
			size = snprintf(path, sizeof path, "%.*s/%s", dir, lookup->text_path, lookup->debug_link);
			break;
		case 1:
			size = snprintf(path, sizeof path, "%.*s/.debug/%s", dir, lookup->text_path,
					lookup->debug_link);
			break;
		default:
			size = snprintf(path, sizeof path, "/usr/lib/debug%.*s/%s", dir, lookup->text_path,
					lookup->debug_link);
		}
		if (size > 0 && size < (int)sizeof path)
			(void)pd_consider(lookup, source, path, false);
	}
}

static bool is_alt_file(struct pd_lookup *lookup, struct pd_source *source, const char *path)
{
	char real[PD_ROOTED_PATH];
	struct pd_build_id id;
	const int fd = pd_source_open(source, path, PD_REGULAR_STORED, real);
	if (fd < 0) {
		pd_keep_failure(&lookup->match->failure, pd_status_of_errno(errno));
		return false;
	}
	const struct pd_elf_bytes bytes = { .fd = fd };
	const enum perfdata_status status = pd_elf_find_id(&bytes, &id);
	const bool same = status == PERFDATA_OK && pd_same_build_id(&id, &lookup->alt_id);
	pd_keep_failure(&lookup->match->failure, status);
	close(fd);
	if (same)
		lookup->result->alt = pd_shown_path(lookup->match, source, real);
	return same;
}

static bool look_for_alt(struct pd_lookup *lookup, struct pd_source *source)
{
	const char *const prefixes[] = { "/usr/lib/debug", "/usr/lib", "" };
	char path[2 * PD_ROOTED_PATH];
	for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
		if (pd_build_id_path(path, prefixes[i], &lookup->alt_id, ".debug") && is_alt_file(lookup, source, path))
			return true;
	if (lookup->alt_link[0] == '/')
		return is_alt_file(lookup, source, lookup->alt_link);
	const int dir = (int)(base_of(lookup->alt_from) - lookup->alt_from);
	return snprintf(path, sizeof path, "%.*s%s", dir, lookup->alt_from, lookup->alt_link) < PD_ROOTED_PATH &&
	       is_alt_file(lookup, source, path);
}

void pd_look_for_links(struct pd_lookup *lookup)
{
	struct perfdata_match *match = lookup->match;
	for (size_t i = 0; i < match->nr_sources; i++)
		if (pd_source_has_files(&match->sources[i]) && lookup->debug_link[0] && lookup->text_path[0])
			look_for_debug_link(lookup, &match->sources[i]);
	bool found = false;
	for (size_t i = 0; i < match->nr_sources && !found; i++)
		found = pd_source_has_files(&match->sources[i]) && lookup->alt_link[0] &&
			look_for_alt(lookup, &match->sources[i]);
	if (lookup->alt_link[0])
		lookup->result->parts |= found ? PERFDATA_PART_ALTLINK : PERFDATA_PART_ALT_MISSING;
}
