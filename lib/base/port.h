/* SPDX-License-Identifier: MIT */
/* What systems have under different names, or not at all: Linux with glibc or musl, macOS, and browsers (emscripten).
 * Other files ask here and have no conditions of their own for systems. A function that only saves time does nothing
 * where the system cannot do it. */
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
#include <sys/sysmacros.h>   /* major, minor: macOS has them in sys/types.h */
#endif
#include <time.h>

#ifndef ENOKEY
#define ENOKEY (-1)   /* encrypted, without the key: macOS has no such error, so no call fails with it */
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
double lgamma_r(double x, int *ret_sign);   /* macOS has it and does not declare it */
#endif

/* Clocks that recordings name and the system lacks are read as the nearest one it has. The numbers are Linux's. */
#define PD_LINUX_CLOCK_REALTIME 0
#define PD_LINUX_CLOCK_BOOTTIME 7
#define PD_LINUX_CLOCK_TAI 11
#ifdef CLOCK_BOOTTIME
#define PD_CLOCK_BOOTTIME CLOCK_BOOTTIME
#else
#define PD_CLOCK_BOOTTIME CLOCK_MONOTONIC
#endif

/* emscripten ends the program at dlopen: the C++ runtime is linked there, and other libraries are not installed. */
#ifdef __EMSCRIPTEN__
#define PD_CXX_RUNTIME_IS_LINKED 1
#else
#define PD_CXX_RUNTIME_IS_LINKED 0
#endif
void *pd_load_library(const char *name, int flags);
/* What pd_load_library says of its last failure in this thread. */
const char *pd_load_library_error(void);

/* emscripten finds a file by its path, which a temporary file has lost. */
int pd_fstat(int fd, struct stat *ret);

/* Random bytes that the process got when it started, or that it asks the system for; 0 if there are none. */
uint64_t pd_process_random(void);
/* As many random bytes as wanted, or -1 with errno. */
int pd_random_bytes(void *ret, size_t size);
/* The image of this process's vdso, or NULL. */
const void *pd_own_vdso(void);
/* How many processors this process may use, or 0: the system does not say. */
unsigned pd_allowed_processors(void);

/* *ret_read becomes readable when something is written to *ret_write; both may be one descriptor. Returns 0, or -1 with
 * errno. */
int pd_open_wakeup(int *ret_read, int *ret_write);

/* Saves memory or time, or does nothing. */
void pd_read_sequentially(int fd);
void pd_enlarge_pipe(int fd, int size);
void pd_punch_hole(int fd, uint64_t at, uint64_t size);

/* renameat2 in the current folder, or -1 with ENOSYS. */
int pd_rename_exchange(const char *from, const char *to);
int pd_rename_new(const char *from, const char *to);

/* Linux opens a path without opening the file: what is there is looked at first. Elsewhere a file is opened for reading
 * at once, without waiting. */
#if defined O_PATH && !defined __EMSCRIPTEN__
#define PD_OPEN_TO_LOOK O_PATH
#else
#define PD_OPEN_TO_LOOK (O_RDONLY | O_NONBLOCK | O_NOCTTY)
#endif
/* Whether a descriptor can be opened again by its name below /proc. emscripten has such names and refuses to open
 * them. */
#ifdef __EMSCRIPTEN__
#define PD_REOPENS_DESCRIPTORS 0
#else
#define PD_REOPENS_DESCRIPTORS 1
#endif
/* True if the file is in a file system that the kernel makes up, such as /proc. */
bool pd_is_made_up(int fd);
/* Linux's number of the type of the file system that has the path (statfs: f_type). False: this system has no such
 * numbers, or statfs fails. */
bool pd_file_system_type(const char *path, uint32_t *ret_type);

#endif
