/* SPDX-License-Identifier: MIT */
/* Functions that systems have under different names, or not at all: Linux with glibc or musl, macOS, and browsers
 * (emscripten). Other files use these and contain no conditions for systems. A function that only saves time does
 * nothing on a system without it. */
#ifndef PD_PORT_H
#define PD_PORT_H

#include <dlfcn.h>
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/types.h>
#ifdef HAVE_SYS_SYSMACROS_H
#include <sys/sysmacros.h>   /* major, minor; macOS has them in sys/types.h */
#endif
#include <time.h>

#ifndef ENOKEY
#define ENOKEY (-1)   /* encrypted file, no key; macOS has no such error, so no call returns it */
#endif

#ifdef HAVE_STRUCT_STAT_ST_MTIM
static inline const struct timespec *pd_modified(const struct stat *st) { return &st->st_mtim; }
static inline const struct timespec *pd_changed(const struct stat *st) { return &st->st_ctim; }
#else   /* macOS */
static inline const struct timespec *pd_modified(const struct stat *st) { return &st->st_mtimespec; }
static inline const struct timespec *pd_changed(const struct stat *st) { return &st->st_ctimespec; }
#endif

#ifndef HAVE_MEMRCHR
static inline void *pd_memrchr(const void *bytes, int byte, size_t size)
{
	const unsigned char *at = (const unsigned char *)bytes + size;
	while (size--)
		if (*--at == (unsigned char)byte)
			return (void *)(uintptr_t)at;
	return NULL;
}
#define memrchr pd_memrchr
#endif

#ifndef HAVE_DECL_LGAMMA_R
#define HAVE_DECL_LGAMMA_R 1
#endif
#if !HAVE_DECL_LGAMMA_R
double lgamma_r(double x, int *ret_sign);   /* macOS does not declare it */
#endif

/* Clocks of recordings, with Linux's numbers. On a system without such a clock, the nearest one it has is read. */
#define PD_LINUX_CLOCK_REALTIME 0
#define PD_LINUX_CLOCK_BOOTTIME 7
#define PD_LINUX_CLOCK_TAI 11
#ifdef CLOCK_BOOTTIME
#define PD_CLOCK_BOOTTIME CLOCK_BOOTTIME
#else
#define PD_CLOCK_BOOTTIME CLOCK_MONOTONIC
#endif

/* dlopen ends the program under emscripten: there the C++ runtime is linked, and other libraries are not installed. */
#ifdef __EMSCRIPTEN__
#define PD_CXX_RUNTIME_IS_LINKED 1
#else
#define PD_CXX_RUNTIME_IS_LINKED 0
#endif
void *pd_load_library(const char *name, int flags);
/* Describes the last failure of pd_load_library in this thread. */
const char *pd_load_library_error(void);

/* As fstat(2). emscripten finds a file by its path, which a temporary file no longer has. */
int pd_fstat(int fd, struct stat *ret);

/* As pread(2), but reads only bytes that need no waiting for a device, and stops before others. -1 with errno if the
 * first would need it, and where the system cannot say. */
int64_t pd_pread_cached(int fd, void *buffer, size_t size, uint64_t offset);

/* Returns random bytes that the process got at its start, or gets from the system; 0: none. */
uint64_t pd_process_random(void);
/* Fills in `size` random bytes; returns 0, or -1 with errno. */
int pd_random_bytes(void *ret, size_t size);
/* Returns the image of this process's vdso, or NULL. */
const void *pd_own_vdso(void);
/* Returns the number of processors that this process may use; 0: the system does not say. */
unsigned pd_allowed_processors(void);

/* Makes descriptors: *ret_read becomes readable after a write to *ret_write; both may be equal. 0, or -1 with errno. */
int pd_open_wakeup(int *ret_read, int *ret_write);

/* Lets a processor wait a little, without giving it to another thread. */
static inline void pd_relax(void)
{
#if defined __x86_64__ || defined __i386__
	__builtin_ia32_pause();
#elif defined __aarch64__
	__asm__ volatile("yield");
#endif
}

/* Size and alignment of the pages for which pd_prefer_large_pages asks, on the usual machines. */
#define PD_LARGE_PAGE ((size_t)2 << 20)

/* Save memory or time, or do nothing. */
/* Asks for large pages in memory that will be used whole. The kernel clears small pages one by one at first use. */
void pd_prefer_large_pages(void *memory, size_t size);
/* Makes the pages of memory that nobody has used yet. */
void pd_make_pages(void *memory, size_t size);
void pd_read_sequentially(int fd);
void pd_enlarge_pipe(int fd, int size);
void pd_punch_hole(int fd, uint64_t at, uint64_t size);

/* Calls renameat2 in the current directory; -1 with ENOSYS: the system lacks it. */
int pd_rename_exchange(const char *from, const char *to);
int pd_rename_new(const char *from, const char *to);

/* Linux opens a path without opening the file, so the file can be checked first. Elsewhere the file is opened for
 * reading at once, without waiting. */
#if defined O_PATH && !defined __EMSCRIPTEN__
#define PD_OPEN_TO_LOOK O_PATH
#else
#define PD_OPEN_TO_LOOK (O_RDONLY | O_NONBLOCK | O_NOCTTY)
#endif
/* Whether a descriptor can be opened again by its name in /proc. emscripten has such names but refuses to open them. */
#ifdef __EMSCRIPTEN__
#define PD_REOPENS_DESCRIPTORS 0
#else
#define PD_REOPENS_DESCRIPTORS 1
#endif
/* Whether an option may name another recording. In a browser no name reaches a file of the user, so the code that reads
 * and compares other recordings is left out. */
#ifdef __EMSCRIPTEN__
#define PD_OPENS_OTHER_RECORDINGS 0
#else
#define PD_OPENS_OTHER_RECORDINGS 1
#endif
/* Whether the file is in a file system that the kernel generates, such as /proc. */
bool pd_is_made_up(int fd);
/* Sets *ret_type to Linux's number of the file system type (statfs: f_type). False: no such numbers, or statfs
 * failed. */
bool pd_file_system_type(const char *path, uint32_t *ret_type);
/* The generation of an open file's inode, which differs where a file got the number of a removed one; 0: unknown. */
uint32_t pd_file_generation(int fd);

#endif
