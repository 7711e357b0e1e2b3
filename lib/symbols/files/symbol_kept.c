/* SPDX-License-Identifier: MIT */
/* Files that look-ups read from time to time. A process may map thousands of files but have few descriptors: the least
 * recently used ones are closed, and opened again when needed. */
#include "config.h"
#include <errno.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/error.h"
#include "base/fdio.h"
#include "base/memory.h"
#include "base/port.h"
#include "symbols/symbols.h"

/* Symbol files use at most a quarter of the process's descriptors; then the oldest are closed first. */
#define PART_OF_LIMIT 4u
#define FEWEST 4u
#define MOST 512u
#define HEAD 256u

struct pd_kept_file {
	struct perfdata_symbols *symbols;   /* NULL: the descriptor is never closed */
	struct pd_kept_file *newer, *older; /* neighbours in the list of files with an unused descriptor */
	int fd;                             /* -1: closed */
	unsigned holders;
	struct stat st;                     /* stat from the first opening */
	uint64_t begin, size;               /* the part of the file that is read */
	uint8_t head[HEAD];
	size_t head_size;
	atomic_int failure;                 /* value of enum perfdata_status */
	char path[];
};

size_t pd_kept_most(void)
{
	struct rlimit limit;
	if (getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_cur / PART_OF_LIMIT > MOST)
		return MOST;
	return limit.rlim_cur / PART_OF_LIMIT > FEWEST ? (size_t)limit.rlim_cur / PART_OF_LIMIT : FEWEST;
}

/* --- the list; call these with its lock --------------------------------------------------------------------------- */

static void unlink_file(struct pd_kept_files *all, struct pd_kept_file *file)
{
	*(file->newer ? &file->newer->older : &all->newest) = file->older;
	*(file->older ? &file->older->newer : &all->oldest) = file->newer;
	file->newer = file->older = NULL;
}

static void link_file(struct pd_kept_files *all, struct pd_kept_file *file)
{
	file->older = all->newest;
	*(all->newest ? &all->newest->newer : &all->oldest) = file;
	all->newest = file;
}

/* Closes unused files until at most `most` are open. */
static bool close_oldest(struct pd_kept_files *all, size_t most)
{
	bool any = false;
	while (all->nr_open > most && all->oldest) {
		struct pd_kept_file *file = all->oldest;
		unlink_file(all, file);
		close(file->fd);
		file->fd = -1;
		all->nr_open--;
		any = true;
	}
	return any;
}

bool pd_kept_close_idle(struct perfdata_symbols *symbols)
{
	pd_monitor_enter(symbols->kept.lock);
	const bool any = close_oldest(&symbols->kept, 0);
	pd_monitor_leave(symbols->kept.lock);
	return any;
}

int pd_symbols_open(struct perfdata_symbols *symbols, const char *path, enum pd_regular kind)
{
	const int fd = pd_symbols_open_once(symbols, path, kind);
	/* some descriptors belong to symbol files that are not in use */
	if (fd < 0 && (errno == EMFILE || errno == ENFILE) && pd_kept_close_idle(symbols))
		return pd_symbols_open_once(symbols, path, kind);
	return fd;
}

/* --- files -------------------------------------------------------------------------------------------------------- */

enum perfdata_status pd_kept_new(struct perfdata_symbols *symbols, int fd, const char *path, struct pd_kept_file **ret)
{
	const size_t size = strlen(path) + 1;
	struct pd_kept_file *file = pd_calloc(1, sizeof *file + size);
	int error = file ? 0 : ENOMEM;
	int64_t head = 0;
	if (file && (pd_fstat(fd, &file->st) || (head = pd_pread_full(fd, file->head, HEAD, 0)) < 0))
		error = errno;
	if (error) {
		close(fd);
		pd_free(file);
		return pd_symbols_fail(symbols, path, error);
	}
	file->symbols = symbols;
	file->fd = fd;
	file->head_size = (size_t)head;
	file->size = file->st.st_size > 0 ? (uint64_t)file->st.st_size : 0;
	memcpy(file->path, path, size);
	if (symbols) {
		pd_monitor_enter(symbols->kept.lock);
		symbols->kept.nr_open++;
		link_file(&symbols->kept, file);
		close_oldest(&symbols->kept, symbols->kept.most);
		pd_monitor_leave(symbols->kept.lock);
	}
	*ret = file;
	return PERFDATA_OK;
}

void pd_kept_free(struct pd_kept_file *file)
{
	if (!file)
		return;
	if (file->symbols && file->fd >= 0) {
		pd_monitor_enter(file->symbols->kept.lock);
		unlink_file(&file->symbols->kept, file);
		file->symbols->kept.nr_open--;
		pd_monitor_leave(file->symbols->kept.lock);
	}
	if (file->fd >= 0)
		close(file->fd);
	pd_free(file);
}

/* Whether an open file is the one that was opened first. Files from a caller's function differ by inode each time and
 * have no name: they are compared by their first bytes. */
static bool is_same(const struct pd_kept_file *file, int fd)
{
	uint8_t head[HEAD];
	struct stat st;
	if (pd_fstat(fd, &st) || st.st_size != file->st.st_size)
		return false;
	if (!st.st_nlink && !file->st.st_nlink)
		return pd_pread_full(fd, head, HEAD, 0) == (int64_t)file->head_size &&
		       !memcmp(head, file->head, file->head_size);
	return st.st_dev == file->st.st_dev && st.st_ino == file->st.st_ino &&
	       pd_nanoseconds(pd_changed(&st)) == pd_nanoseconds(pd_changed(&file->st));
}

/* Returns a descriptor; -1 with errno; ESTALE: another file has the path now. */
static int open_again(const struct pd_kept_file *file)
{
	const int fd = pd_symbols_open(file->symbols, file->path, PD_REGULAR_ANY);
	if (fd < 0) {
		/* the file existed before, so only "no such file" becomes ESTALE */
		if (pd_status_of_errno(errno) == PERFDATA_ABSENT)
			errno = ESTALE;
		return -1;
	}
	if (is_same(file, fd))
		return fd;
	close(fd);
	errno = ESTALE;
	return -1;
}

enum perfdata_status pd_kept_failure(const struct pd_kept_file *file)
{
	return (enum perfdata_status)atomic_load_explicit(&file->failure, memory_order_relaxed);
}

/* Reports a failure once for each file. */
static enum perfdata_status kept_fail(struct pd_kept_file *file, int error)
{
	int none = PERFDATA_OK;
	enum perfdata_status status = pd_status_of_errno(error);
	/* an open file cannot be absent */
	if (status == PERFDATA_ABSENT) {
		error = EIO;
		status = PERFDATA_EREAD;
	}
	if (atomic_compare_exchange_strong(&file->failure, &none, (int)status) && file->symbols)
		(void)pd_symbols_fail(file->symbols, file->path, error);
	return status;
}

/* Returns a descriptor until kept_drop; -1: the file cannot be opened, or another file has its path now, which was
 * reported. */
static int kept_hold(struct pd_kept_file *file)
{
	struct pd_kept_files *all = file->symbols ? &file->symbols->kept : NULL;
	if (!all)
		return file->fd;
	pd_monitor_enter(all->lock);
	if (file->fd >= 0 && !file->holders)
		unlink_file(all, file);
	const bool has_fd = file->fd >= 0;
	file->holders += has_fd;
	pd_monitor_leave(all->lock);
	if (has_fd)
		return file->fd;
	int fd = open_again(file), error = errno;
	pd_monitor_enter(all->lock);
	if (fd >= 0 && file->fd >= 0) {
		/* another thread has opened it meanwhile */
		close(fd);
	} else if (fd >= 0) {
		file->fd = fd;
		all->nr_open++;
	}
	if (file->fd >= 0 && !file->holders && file->fd != fd)
		unlink_file(all, file);
	fd = file->fd;
	file->holders += fd >= 0;
	close_oldest(all, all->most);
	pd_monitor_leave(all->lock);
	if (fd < 0)
		(void)kept_fail(file, error);
	return fd;
}

static void kept_drop(struct pd_kept_file *file)
{
	struct pd_kept_files *all = file->symbols ? &file->symbols->kept : NULL;
	if (!all)
		return;
	pd_monitor_enter(all->lock);
	if (!--file->holders) {
		link_file(all, file);
		close_oldest(all, all->most);
	}
	pd_monitor_leave(all->lock);
}

uint64_t pd_kept_size(const struct pd_kept_file *file) { return file->size; }

void pd_kept_narrow(struct pd_kept_file *file, uint64_t offset, uint64_t size)
{
	file->begin = offset;
	file->size = size;
}

bool pd_kept_read(struct pd_kept_file *file, uint64_t offset, void *out, size_t size)
{
	uint8_t next;
	/* another entry of the archive follows */
	if (file->begin && (offset > file->size || size > file->size - offset))
		return false;
	const int fd = kept_hold(file);
	if (fd < 0)
		return false;
	offset += file->begin;
	int64_t got = pd_pread_full(fd, out, size, offset);
	const bool whole = got == (int64_t)size;
	/* fewer bytes: tries the next byte to distinguish the end from a failure */
	if (got >= 0 && !whole)
		got = pd_pread_full(fd, &next, 1, offset + (uint64_t)got);
	if (got < 0)
		(void)kept_fail(file, errno);
	kept_drop(file);
	return whole;
}
