/* SPDX-License-Identifier: MIT */
/* Finds the kernel, its modules and its vdso, which are no ordinary files or have other paths than recorded. */
#include "config.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>
#include "base/error.h"
#include "base/fdio.h"
#include "base/memory.h"
#include "base/port.h"
#include "match/match.h"
#include "symbols/symbols.h"

#define MAX_VDSO ((size_t)1 << 16)
#define KALLSYMS_HEAD 4096

static bool is_plain_name(const char *name)
{
	return name && *name && !strchr(name, '/') && strcmp(name, "..") && strlen(name) <= 256;
}

/* --- the kernel --------------------------------------------------------------------------------------------------- */

/* Keeps the failure of a read from an open file, by errno. */
static void note_read(struct perfdata_match *match)
{
	const bool is_short = pd_status_of_errno(errno) == PERFDATA_ENOMEM;
	pd_keep_failure(&match->failure, is_short ? PERFDATA_ENOMEM : PERFDATA_EREAD);
}

/* Whether the file is a list of kernel symbols with addresses (kptr_restrict replaces them by zeros). */
static bool has_addresses(struct perfdata_match *match, int fd)
{
	char head[KALLSYMS_HEAD + 1];
	const int64_t got = pd_read_some(fd, head, KALLSYMS_HEAD, NULL);
	if (got < 0)
		note_read(match);
	if (got <= 0)
		return false;
	head[got] = '\0';
	for (const char *line = head; line && *line; line = strchr(line, '\n'), line += line != NULL) {
		char *end;
		const unsigned long long address = strtoull(line, &end, 16);
		if (end == line || *end != ' ')
			return false;
		if (address)
			return true;
	}
	return false;
}

static void take_kallsyms(struct pd_lookup *lookup, struct pd_source *source, const char *path,
			  enum perfdata_match_state state)
{
	struct perfdata_match_result *result = lookup->result;
	char real[PD_ROOTED_PATH];
	const int fd = pd_source_open(source, path, PD_REGULAR_ANY, real);
	if (fd < 0) {
		pd_keep_failure(&lookup->match->failure, pd_status_of_errno(errno));
		return;
	}
	const bool readable = has_addresses(lookup->match, fd);
	close(fd);
	const char *shown = pd_shown_path(lookup->match, source, real);
	if (!readable) {
		(void)pd_take_result(lookup, source, PERFDATA_MATCH_UNREADABLE, shown, NULL, 0,
				     "the addresses in it are hidden (kptr_restrict)");
		return;
	}
	if (pd_take_result(lookup, source, state, shown, &lookup->id, PERFDATA_PART_SYMTAB,
			   lookup->id.size ? NULL : "no build-id was recorded; release and host agree"))
		source->nr_found++;
	if (!result->kallsyms)
		result->kallsyms = shown;
	result->parts |= PERFDATA_PART_SYMTAB;
	result->identified |= !lookup->id.size;
}

/* Whether the wanted kernel is the running one: it has its build-id, or its release and host name. */
static bool is_running(struct pd_lookup *lookup)
{
	const struct perfdata_match_wanted *wanted = lookup->wanted;
	struct pd_build_id id;
	struct utsname name;
	if (lookup->id.size) {
		errno = 0;
		const enum perfdata_status status = pd_running_kernel_build_id(id.bytes, &id.size);
		if (status == PERFDATA_ENOMEM || (status && pd_status_of_errno(errno) != PERFDATA_ABSENT && errno))
			pd_keep_failure(&lookup->match->failure, status);
		return status == PERFDATA_OK && pd_same_build_id(&id, &lookup->id);
	}
	return wanted->release && wanted->host && !uname(&name) && !strcmp(name.release, wanted->release) &&
	       !strcmp(name.nodename, wanted->host);
}

static bool look_for_vmlinux(struct pd_lookup *lookup, struct pd_source *source)
{
	static const char *const patterns[][2] = {
		{ "/boot/vmlinux-", "" },
		{ "/usr/lib/debug/boot/vmlinux-", "" },
		{ "/lib/modules/", "/build/vmlinux" },
		{ "/lib/modules/", "/vmlinux" },
		{ "/usr/lib/debug/lib/modules/", "/vmlinux" },
		{ "/usr/lib/debug/boot/vmlinux-", ".debug" },
	};
	char path[PD_ROOTED_PATH];
	bool found = false;
	if (!is_plain_name(lookup->wanted->release))
		return false;
	for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++) {
		snprintf(path, sizeof path, "%s%s%s", patterns[i][0], lookup->wanted->release, patterns[i][1]);
		found |= pd_consider(lookup, source, path, true);
	}
	return found;
}

/* Takes note of a compressed kernel image without decompressing its five formats, since names need vmlinux anyway. */
static void note_compressed_image(struct pd_lookup *lookup, struct pd_source *source)
{
	char path[PD_ROOTED_PATH], real[PD_ROOTED_PATH];
	if (lookup->rank || !is_plain_name(lookup->wanted->release))
		return;
	snprintf(path, sizeof path, "/boot/vmlinuz-%s", lookup->wanted->release);
	if (pd_rooted_resolve(source->root, path, real, NULL))
		(void)pd_take_result(lookup, source, lookup->id.size ? PERFDATA_MATCH_ABSENT : PERFDATA_MATCH_UNKNOWN,
				     pd_shown_path(lookup->match, source, real), NULL, 0,
				     "this is a packed image; needed is its vmlinux");
}

void pd_look_for_kernel(struct pd_lookup *lookup, struct pd_source *source)
{
	char path[PD_ROOTED_PATH];
	if (source->kind == PERFDATA_SOURCE_HOST && is_running(lookup))
		take_kallsyms(lookup, source, "/proc/kallsyms",
			      lookup->id.size ? PERFDATA_MATCH_SAME : PERFDATA_MATCH_UNVERIFIED);
	if (source->kind == PERFDATA_SOURCE_BUNDLE && !lookup->id.size)
		take_kallsyms(lookup, source, "/root/proc/kallsyms", PERFDATA_MATCH_UNVERIFIED);
	if (source->kind == PERFDATA_SOURCE_DEBUG_DIR || source->kind == PERFDATA_SOURCE_BUNDLE) {
		if (pd_build_id_path(path, "", &lookup->id, "/kallsyms"))
			take_kallsyms(lookup, source, path, PERFDATA_MATCH_SAME);
		if (pd_build_id_path(path, "", &lookup->id, "/vmlinux"))
			(void)pd_consider(lookup, source, path, true);
		return;
	}
	(void)look_for_vmlinux(lookup, source);
	note_compressed_image(lookup, source);
}

/* --- modules ------------------------------------------------------------------------------------------------------ */

/* Tries the path compressed and uncompressed, since a distribution may install either. */
static bool try_packings(struct pd_lookup *lookup, struct pd_source *source, const char *path)
{
	char place[PD_ROOTED_PATH];
	for (size_t i = 0; pd_module_packing(path, i, place); i++)
		if (pd_consider(lookup, source, place, true))
			return true;
	return false;
}

/* Finds a module recorded as "[xfs]", without path, in the list of modules that was installed with the kernel. */
static void look_by_name(struct pd_lookup *lookup, struct pd_source *source, const char *name)
{
	char path[PD_ROOTED_PATH], real[PD_ROOTED_PATH], *text = NULL;
	size_t text_size;
	const char *release = lookup->wanted->release;
	if (!pd_module_list(release, path))
		return;
	const int fd = pd_source_open(source, path, PD_REGULAR_STORED, real);
	if (fd < 0) {
		pd_keep_failure(&lookup->match->failure, pd_status_of_errno(errno));
		return;
	}
	const enum perfdata_status status = pd_read_whole(fd, PD_MAX_MODULE_LIST, &text, &text_size);
	pd_keep_failure(&lookup->match->failure, status);
	close(fd);
	if (status == PERFDATA_OK && pd_module_listed(text, release, name, path))
		(void)try_packings(lookup, source, path);
	pd_free(text);
}

void pd_look_for_module(struct pd_lookup *lookup, struct pd_source *source)
{
	const struct perfdata_match_wanted *wanted = lookup->wanted;
	for (size_t i = 0; i < wanted->nr_paths; i++) {
		if (wanted->paths[i][0] == '[')
			look_by_name(lookup, source, wanted->paths[i]);
		else if (wanted->paths[i][0] == '/')
			(void)try_packings(lookup, source, wanted->paths[i]);
	}
}

/* --- the vdso ----------------------------------------------------------------------------------------------------- */

static void look_at_own_vdso(struct pd_lookup *lookup, struct pd_source *source)
{
	const void *image = pd_own_vdso();
	const size_t size = image ? pd_elf_image_size(image, MAX_VDSO) : 0;
	struct pd_elf_facts facts = { .parts = PERFDATA_PART_TEXT | PERFDATA_PART_DYNSYM };
	struct pd_elf *elf;
	enum perfdata_status status = size ? pd_elf_open_memory(image, size, &elf) : PERFDATA_ABSENT;
	if (!status) {
		status = pd_elf_build_id(elf, &facts.id);
		pd_elf_close(elf);
	}
	pd_keep_failure(&lookup->match->failure, status);
	if (!status && pd_same_build_id(&facts.id, &lookup->id))
		(void)pd_consider_facts(lookup, source, "[vdso]", &facts, true);
}

void pd_look_for_vdso(struct pd_lookup *lookup, struct pd_source *source)
{
	static const char *const names[] = { "vdso64.so", "vdsox32.so", "vdso32.so", "vdso.so" };
	char path[PD_ROOTED_PATH];
	if (source->kind == PERFDATA_SOURCE_HOST)
		look_at_own_vdso(lookup, source);
	for (size_t i = 0; is_plain_name(lookup->wanted->release) && i < sizeof names / sizeof *names; i++) {
		snprintf(path, sizeof path, "/lib/modules/%s/vdso/%s", lookup->wanted->release, names[i]);
		(void)pd_consider(lookup, source, path, false);
	}
}
