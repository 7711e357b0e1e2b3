/* SPDX-License-Identifier: MIT */
/* Facts about this machine: whether a file is the recorded one, if no build-id proves it; which modules are loaded, and
 * where. */
#include "config.h"
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/fdio.h"
#include "base/memory.h"
#include "base/port.h"
#include "symbols/symbols.h"

#define MAX_MODULES ((size_t)4 << 20)
#define MAX_NOTES ((size_t)64 << 10)

static bool is_below(const char *path, const char *dir)
{
	size_t size = dir ? strlen(dir) : 0;
	return dir && !strncmp(path, dir, size) && (path[size] == '/' || (size && dir[size - 1] == '/'));
}

bool pd_is_given(const struct perfdata_symbols *symbols, const char *path)
{
	return is_below(path, symbols->options.symfs) || is_below(path, symbols->options.sysroot);
}

static bool is_same_file(void *user, const char *path, const char *what)
{
	const struct stat *wanted = user;
	struct stat st;
	(void)what;
	return !stat(path, &st) && st.st_ino == wanted->st_ino && st.st_dev == wanted->st_dev;
}

/* Whether perf made a hard link to the file for its cache, which changes the inode's ctime but not the contents. */
static bool is_kept_by_perf(const struct perfdata_symbols_dso *dso, const struct stat *st, const char *path,
			    const struct pd_build_id *found)
{
	struct stat wanted = *st;
	/* the cache finds one of several files with a build-id by the id, and each of them by its path */
	return st->st_nlink > 1 && (pd_cache_places(dso->symbols, found, "elf", is_same_file, &wanted) ||
				    pd_cache_places_of(dso->symbols, path, found, "elf", is_same_file, &wanted));
}

/* Whether a file got the inode number of the recorded one, which was removed. */
static bool has_other_generation(const struct perfdata_symbols_dso *dso, const char *path)
{
	if (!dso->request.generation)
		return false;
	const int fd = pd_symbols_open_once(dso->symbols, path, PD_REGULAR_STORED);
	if (fd < 0) {
		(void)pd_symbols_fail(dso->symbols, path, errno);
		return true;
	}
	const uint32_t generation = pd_file_generation(fd);
	close(fd);
	return generation && generation != dso->request.generation;
}

const char *pd_unidentified(const struct perfdata_symbols_dso *dso, const struct stat *st, const char *path,
			    bool in_process, const struct pd_build_id *found)
{
	const struct perfdata_symbols_request *r = &dso->request;
	if (!r->check_identity || pd_is_given(dso->symbols, path))
		return NULL;
	if (r->unidentified && !in_process)
		return r->unidentified;
	if (!r->inode)
		return "neither a build-id nor an inode number was recorded";
	if (st->st_ino != r->inode)
		return "another file was mapped (inode number), and no build-id was recorded";
	/* different file systems use the same inode numbers: each tmpfs starts at 2 */
	if (pd_is_other_device(path, st, r->device_major, r->device_minor))
		return "another file was mapped (device), and no build-id was recorded";
	if (has_other_generation(dso, path))
		return "another file was mapped (generation of the inode number), and no build-id was recorded";
	/* ctime, since any program can set mtime, and since the inode number of a removed file is used again */
	if (pd_nanoseconds(pd_changed(st)) <= r->unchanged_since)
		return NULL;
	if (pd_nanoseconds(pd_modified(st)) <= r->unchanged_since && is_kept_by_perf(dso, st, path, found))
		return NULL;
	return "it was changed since it was recorded, and no build-id was recorded";
}

const char *pd_map_unidentified(const struct perfdata_symbols_dso *dso, const struct stat *st, const char *path)
{
	const struct perfdata_symbols_request *r = &dso->request;
	if (!r->check_identity || pd_is_given(dso->symbols, path))
		return NULL;
	if (r->unidentified)
		return r->unidentified;
	const int64_t written = pd_nanoseconds(pd_modified(st));
	if (written > r->unchanged_since)
		return "it was written after the recording, and its process has ended";
	return written < r->not_before ? "it was written before the process had any code to name" : NULL;
}

/* --- modules ------------------------------------------------------------------------------------------------------ */

/* Converts "[xfs]" or "/lib/modules/…/xfs.ko.zst" to "xfs", the kernel's spelling; false: the dso is no module. */
static bool module_name(const struct perfdata_symbols_dso *dso, char *ret, size_t room)
{
	const char *base = strrchr(dso->request.path, '/');
	base = base ? base + 1 : dso->request.path[0] == '[' ? dso->request.path + 1 : dso->request.path;
	const char *end = strstr(base, ".ko");
	size_t size = end ? (size_t)(end - base) : strcspn(base, "]");
	if (!size || size >= room || *base == '.')
		return false;
	for (size_t i = 0; i < size; i++)
		ret[i] = base[i] == '-' ? '_' : base[i];
	ret[size] = '\0';
	return true;
}

/* Reads a file about the running kernel. PERFDATA_ABSENT: it does not exist. Reports a failure. */
static enum perfdata_status read_text(struct perfdata_symbols *symbols, const char *path, size_t limit, char **ret,
				      size_t *ret_size)
{
	int fd = pd_open_regular(path, PD_REGULAR_ANY);
	if (fd < 0)
		return pd_symbols_fail(symbols, path, errno);
	enum perfdata_status status = pd_read_whole(fd, limit, ret, ret_size);
	if (status && status != PERFDATA_ELIMIT)
		status = pd_symbols_fail(symbols, path, errno);
	close(fd);
	return status;
}

enum perfdata_status pd_running_kernel_id(struct perfdata_symbols *symbols, struct pd_build_id *ret)
{
	errno = 0;
	const enum perfdata_status status = pd_running_kernel_build_id(ret->bytes, &ret->size);
	if (!status)
		return status;
	ret->size = 0;
	if (status == PERFDATA_ENOMEM && !errno)
		return pd_symbols_note(symbols, status);
	return errno ? pd_symbols_fail(symbols, PD_KERNEL_NOTES, errno) : PERFDATA_ABSENT;
}

bool pd_module_build_id(const struct perfdata_symbols_dso *dso, struct pd_build_id *ret)
{
	char name[64], path[160], *notes;
	size_t size;
	if (dso->symbols->options.no_host || !dso->request.running || !module_name(dso, name, sizeof name))
		return false;
	snprintf(path, sizeof path, "/sys/module/%s/notes/.note.gnu.build-id", name);
	if (read_text(dso->symbols, path, MAX_NOTES, &notes, &size))
		return false;
	enum perfdata_status status = pd_notes_build_id(
		notes, size,
		__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? PERFDATA_BYTE_ORDER_BIG : PERFDATA_BYTE_ORDER_LITTLE,
		ret->bytes, &ret->size);
	pd_free(notes);
	return status == PERFDATA_OK;
}

/* Searches lines of /proc/modules such as "xfs 2113536 1 - Live 0xffffffffc0a00000". */
bool pd_modules_have(const char *text, const struct perfdata_symbols_dso *module)
{
	char name[64];
	if (!module_name(module, name, sizeof name))
		return false;
	size_t length = strlen(name);
	uint64_t start = 0;
	for (const char *line = text; line && !start; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (strncmp(line, name, length) || line[length] != ' ')
			continue;
		const char *end = strchr(line, '\n'), *at = strstr(line, " 0x");
		if (at && (!end || at < end))
			start = strtoull(at + 1, NULL, 16);
	}
	return start && start == module->request.start;
}

bool pd_module_is_loaded(const struct perfdata_symbols_dso *dso)
{
	char *text;
	size_t size;
	if (read_text(dso->symbols, "/proc/modules", MAX_MODULES, &text, &size))
		return false;
	const bool found = pd_modules_have(text, dso);
	pd_free(text);
	return found;
}
