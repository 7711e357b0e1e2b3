/* SPDX-License-Identifier: MIT */
#include "config.h"
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#ifdef HAVE_SYS_AUXV_H
#include <sys/auxv.h>
#endif
#ifdef HAVE_SYS_EVENTFD_H
#include <sys/eventfd.h>
#endif
#ifdef HAVE_SYS_RANDOM_H
#include <sys/random.h>
#endif
#include <sys/mman.h>
#include <sys/uio.h>
#ifdef HAVE_SYS_STATFS_H
#include <sys/ioctl.h>
#include <sys/statfs.h>
#endif
#include "base/port.h"

/* --- libraries ---------------------------------------------------------------------------------------------------- */

#ifdef __EMSCRIPTEN__
void *pd_load_library(const char *name, int flags)
{
	(void)name;
	(void)flags;
	return NULL;
}

const char *pd_load_library_error(void) { return "this system loads no libraries"; }
#else
void *pd_load_library(const char *name, int flags) { return dlopen(name, flags); }
const char *pd_load_library_error(void) { return dlerror(); }
#endif

/* --- the process -------------------------------------------------------------------------------------------------- */

int pd_random_bytes(void *ret, size_t size)
{
	for (size_t got = 0; got < size;) {
#ifdef HAVE_GETRANDOM
		const ssize_t n = getrandom((char *)ret + got, size - got, 0);
		if (n < 0 && errno != EINTR)
			return -1;
		got += n > 0 ? (size_t)n : 0;
#else
		const size_t some = size - got < 256 ? size - got : 256;
		if (getentropy((char *)ret + got, some))
			return -1;
		got += some;
#endif
	}
	return 0;
}

/* Linux passes 16 random bytes to every process, so this needs no system call. */
uint64_t pd_process_random(void)
{
	uint64_t random = 0;
#ifdef HAVE_GETAUXVAL
	const void *startup_bytes = (const void *)getauxval(AT_RANDOM);
	if (startup_bytes)
		memcpy(&random, startup_bytes, sizeof random);
#else
	if (pd_random_bytes(&random, sizeof random))
		return 0;
#endif
	return random;
}

const void *pd_own_vdso(void)
{
#ifdef HAVE_GETAUXVAL
	return (const void *)getauxval(AT_SYSINFO_EHDR);
#else
	return NULL;
#endif
}

unsigned pd_allowed_processors(void)
{
#ifdef HAVE_SCHED_GETAFFINITY
	cpu_set_t set;
	if (!sched_getaffinity(0, sizeof set, &set))
		return (unsigned)CPU_COUNT(&set);
#endif
	return 0;
}

void pd_prefer_large_pages(void *memory, size_t size)
{
#if defined MADV_HUGEPAGE && !defined __EMSCRIPTEN__
	const uintptr_t start = ((uintptr_t)memory + PD_LARGE_PAGE - 1) & ~(uintptr_t)(PD_LARGE_PAGE - 1);
	const uintptr_t end = ((uintptr_t)memory + size) & ~(uintptr_t)(PD_LARGE_PAGE - 1);
	const int saved = errno;
	if (start < end)
		(void)madvise((void *)start, end - start, MADV_HUGEPAGE);   /* a kernel without them refuses */
	errno = saved;
#else
	(void)memory;
	(void)size;
#endif
}

void pd_make_pages(void *memory, size_t size)
{
#if defined MADV_POPULATE_WRITE && !defined __EMSCRIPTEN__
	const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
	const uintptr_t start = ((uintptr_t)memory + page - 1) & ~(page - 1);
	const uintptr_t end = ((uintptr_t)memory + size) & ~(page - 1);
	const int saved = errno;
	if (start < end)
		(void)madvise((void *)start, end - start, MADV_POPULATE_WRITE);   /* Linux 5.14 */
	errno = saved;
#else
	(void)memory;
	(void)size;
#endif
}

int pd_open_wakeup(int *ret_read, int *ret_write)
{
#ifdef HAVE_EVENTFD
	*ret_read = *ret_write = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	return *ret_read < 0 ? -1 : 0;
#else
	int ends[2];
	if (pipe(ends))
		return -1;
	for (int i = 0; i < 2; i++) {
		(void)fcntl(ends[i], F_SETFD, FD_CLOEXEC);
		(void)fcntl(ends[i], F_SETFL, O_NONBLOCK);
	}
	*ret_read = ends[0];
	*ret_write = ends[1];
	return 0;
#endif
}

/* --- files -------------------------------------------------------------------------------------------------------- */

int64_t pd_pread_cached(int fd, void *buffer, size_t size, uint64_t offset)
{
#if defined HAVE_PREADV2 && defined RWF_NOWAIT
	struct iovec part = { buffer, size };
	if (offset <= (uint64_t)INT64_MAX - size)
		return preadv2(fd, &part, 1, (off_t)offset, RWF_NOWAIT);
#else
	(void)fd, (void)buffer, (void)size, (void)offset;
#endif
	errno = ENOTSUP;
	return -1;
}

int pd_fstat(int fd, struct stat *ret)
{
	if (!fstat(fd, ret))
		return 0;
#ifdef __EMSCRIPTEN__
	const off_t at = lseek(fd, 0, SEEK_CUR), size = at < 0 ? -1 : lseek(fd, 0, SEEK_END);
	if (size < 0 || lseek(fd, at, SEEK_SET) < 0)
		return -1;
	*ret = (struct stat){ .st_mode = S_IFREG | 0600, .st_size = size };
	return 0;
#else
	return -1;
#endif
}

void pd_read_sequentially(int fd)
{
#ifdef HAVE_POSIX_FADVISE
	posix_fadvise(fd, 0, 0, POSIX_FADV_SEQUENTIAL);
#else
	(void)fd;
#endif
}

void pd_enlarge_pipe(int fd, int size)
{
#if defined F_SETPIPE_SZ && !defined __EMSCRIPTEN__
	fcntl(fd, F_SETPIPE_SZ, size);
#else
	(void)fd;
	(void)size;
#endif
}

void pd_punch_hole(int fd, uint64_t at, uint64_t size)
{
#if defined HAVE_FALLOCATE && defined FALLOC_FL_PUNCH_HOLE
	(void)!fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)at, (off_t)size);
#else
	(void)fd;
	(void)at;
	(void)size;
#endif
}

static int rename_without_loss(const char *from, const char *to, bool exchanges)
{
#if defined HAVE_RENAMEAT2 && defined RENAME_EXCHANGE && defined RENAME_NOREPLACE
	return renameat2(AT_FDCWD, from, AT_FDCWD, to, exchanges ? RENAME_EXCHANGE : RENAME_NOREPLACE);
#else
	(void)from;
	(void)to;
	(void)exchanges;
	errno = ENOSYS;
	return -1;
#endif
}

int pd_rename_exchange(const char *from, const char *to) { return rename_without_loss(from, to, true); }

int pd_rename_new(const char *from, const char *to) { return rename_without_loss(from, to, false); }

#ifdef HAVE_SYS_STATFS_H
bool pd_is_made_up(int fd)
{
	/* types of file systems, from statfs(2) */
	static const uint32_t types[] = {
		0x9fa0,       /* proc */
		0x62656572,   /* sysfs */
		0x64626720,   /* debugfs */
		0x74726163,   /* tracefs */
		0x73636673,   /* securityfs */
		0x62656570,   /* configfs */
		0x0027e0eb,   /* cgroup */
		0x63677270,   /* cgroup2 */
		0xcafe4a11,   /* bpf */
		0xde5e81e4,   /* efivarfs */
		0x6165676c,   /* pstore */
		0xf97cff8c,   /* selinux */
		0x43415d53,   /* smack */
		0x5a3c69f0,   /* apparmor */
		0x42494e4d,   /* binfmt_misc */
		0x00009fa2,   /* usb devices */
		0x6e736673,   /* namespaces */
	};
	struct statfs fs;
	if (fstatfs(fd, &fs))
		return false;
	for (size_t i = 0; i < sizeof types / sizeof *types; i++)
		if ((uint32_t)fs.f_type == types[i])
			return true;
	return false;
}

bool pd_file_system_type(const char *path, uint32_t *ret_type)
{
	struct statfs fs;
	if (statfs(path, &fs))
		return false;
	*ret_type = (uint32_t)fs.f_type;
	return true;
}

uint32_t pd_file_generation(int fd)
{
	/* FS_IOC_GETVERSION of <linux/fs.h>, which does not agree with <sys/mount.h> of every libc; file systems fill
	 * in an int, whatever the number says */
	long room = 0;
	uint32_t generation;
	if (ioctl(fd, _IOR('v', 1, long), &room))
		return 0;
	memcpy(&generation, &room, sizeof generation);
	return generation;
}
#else
bool pd_is_made_up(int fd)
{
	(void)fd;
	return false;
}

bool pd_file_system_type(const char *path, uint32_t *ret_type)
{
	(void)path;
	(void)ret_type;
	return false;
}

uint32_t pd_file_generation(int fd)
{
	(void)fd;
	return 0;
}
#endif
