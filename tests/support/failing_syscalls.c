/* SPDX-License-Identifier: MIT */
/* For LD_PRELOAD: counts calls on files whose paths hold FAIL_BELOW, or on their descriptors, calls of dlopen, dlsym,
 * and calls that allocate memory, of whichever library. Libraries whose names hold FAIL_HIDDEN are not installed. The
 * call with number FAIL_NUMBER (from 0) of those named FAIL_CALL
 * fails with FAIL_ERRNO, or works after the process got the signal FAIL_SIGNAL. At the end, the number of calls of each
 * kind goes to the file FAIL_COUNTS. Memory is counted in programs named FAIL_PROGRAM only: a shell may start them. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum call { OPEN, READ, WRITE, STAT, MAP, DLOPEN, DLSYM, MALLOC, CALLS };
static const char *const names[CALLS] = { "open", "read", "write", "stat", "mmap", "dlopen", "dlsym", "malloc" };
static atomic_long counts[CALLS];
static long number = -1;
static int failing = CALLS, code, signal_number;
static const char *below, *counts_file, *hidden;
static bool of_interest[65536], counts_memory;

__attribute__((constructor)) static void start(void)
{
	const char *call = getenv("FAIL_CALL"), *at = getenv("FAIL_NUMBER"), *error = getenv("FAIL_ERRNO");
	for (int i = 0; i < CALLS; i++)
		if (call && !strcmp(call, names[i]))
			failing = i;
	number = at ? strtol(at, NULL, 10) : -1;
	code = error ? (int)strtol(error, NULL, 10) : 0;
	const char *signal = getenv("FAIL_SIGNAL");
	signal_number = signal ? (int)strtol(signal, NULL, 10) : 0;
	below = getenv("FAIL_BELOW");
	counts_file = getenv("FAIL_COUNTS");
	hidden = getenv("FAIL_HIDDEN");
	const char *program = getenv("FAIL_PROGRAM");
	counts_memory = program && strstr(program_invocation_short_name, program);
}

__attribute__((destructor)) static void finish(void)
{
	FILE *out = counts_file ? fopen(counts_file, "w") : NULL;
	below = NULL;
	counts_memory = false;
	for (int i = 0; out && i < CALLS; i++)
		fprintf(out, "%s %ld\n", names[i], (long)counts[i]);
	if (out)
		fclose(out);
}

static bool fails(enum call call)
{
	const bool now = atomic_fetch_add(&counts[call], 1) == number && (int)call == failing;
	if (now && signal_number)
		(void)kill(getpid(), signal_number);
	else if (now)
		errno = code;
	return now && !signal_number;
}

static bool is_of_interest(int fd) { return below && fd >= 0 && fd < 65536 && of_interest[fd]; }

/* Whether the path is one, also of a descriptor: "/proc/self/fd/N", or below a folder. */
static bool concerns(int folder, const char *path)
{
	int fd;
	if (!below)
		return false;
	if (sscanf(path, "/proc/self/fd/%d", &fd) == 1)
		return is_of_interest(fd);
	return strstr(path, below) != NULL || (path[0] != '/' && is_of_interest(folder));
}

static int note(int fd, bool concerned)
{
	if (fd >= 0 && fd < 65536)
		of_interest[fd] = concerned;
	return fd;
}

/* The C library's dlsym, under the names of versions that ports of glibc began with. */
static void *find_next(const char *name)
{
	static void *(*real)(void *, const char *);
	static const char *const versions[] = { "GLIBC_2.34", "GLIBC_2.2.5", "GLIBC_2.17", "GLIBC_2.0", "GLIBC_2.2",
						"GLIBC_2.4",  "GLIBC_2.27",  "GLIBC_2.36" };
	for (size_t i = 0; i < sizeof versions / sizeof *versions && !real; i++)
		*(void **)&real = dlvsym(RTLD_NEXT, "dlsym", versions[i]);
	if (!real)
		abort();
	return real(RTLD_NEXT, name);
}

#define REAL(name) ((__typeof__(&name))find_next(#name))

#define MODE(flags) \
	mode_t mode = 0; \
	if ((flags) & (O_CREAT | O_TMPFILE)) { \
		va_list args; \
		va_start(args, flags); \
		mode = (mode_t)va_arg(args, unsigned); \
		va_end(args); \
	}

int open(const char *path, int flags, ...)
{
	MODE(flags)
	const bool concerned = concerns(AT_FDCWD, path);
	return concerned && fails(OPEN) ? -1 : note(REAL(open)(path, flags, mode), concerned);
}

int open64(const char *path, int flags, ...)
{
	MODE(flags)
	const bool concerned = concerns(AT_FDCWD, path);
	return concerned && fails(OPEN) ? -1 : note(REAL(open64)(path, flags, mode), concerned);
}

int openat(int folder, const char *path, int flags, ...)
{
	MODE(flags)
	const bool concerned = concerns(folder, path);
	return concerned && fails(OPEN) ? -1 : note(REAL(openat)(folder, path, flags, mode), concerned);
}

int openat64(int folder, const char *path, int flags, ...)
{
	MODE(flags)
	const bool concerned = concerns(folder, path);
	return concerned && fails(OPEN) ? -1 : note(REAL(openat64)(folder, path, flags, mode), concerned);
}

ssize_t read(int fd, void *bytes, size_t size)
{
	return is_of_interest(fd) && fails(READ) ? -1 : REAL(read)(fd, bytes, size);
}

ssize_t pread(int fd, void *bytes, size_t size, off_t offset)
{
	return is_of_interest(fd) && fails(READ) ? -1 : REAL(pread)(fd, bytes, size, offset);
}

ssize_t pread64(int fd, void *bytes, size_t size, off64_t offset)
{
	return is_of_interest(fd) && fails(READ) ? -1 : REAL(pread64)(fd, bytes, size, offset);
}

ssize_t pwrite(int fd, const void *bytes, size_t size, off_t offset)
{
	return is_of_interest(fd) && fails(WRITE) ? -1 : REAL(pwrite)(fd, bytes, size, offset);
}

ssize_t pwrite64(int fd, const void *bytes, size_t size, off64_t offset)
{
	return is_of_interest(fd) && fails(WRITE) ? -1 : REAL(pwrite64)(fd, bytes, size, offset);
}

int fstat(int fd, struct stat *st) { return is_of_interest(fd) && fails(STAT) ? -1 : REAL(fstat)(fd, st); }

int fstatat(int folder, const char *path, struct stat *st, int flags)
{
	return concerns(folder, path) && fails(STAT) ? -1 : REAL(fstatat)(folder, path, st, flags);
}

int stat(const char *path, struct stat *st)
{
	return concerns(AT_FDCWD, path) && fails(STAT) ? -1 : REAL(stat)(path, st);
}

void *dlopen(const char *path, int flags)
{
	if (path && hidden && strstr(path, hidden)) {
		errno = ENOENT;
		return NULL;
	}
	return path && below && fails(DLOPEN) ? NULL : REAL(dlopen)(path, flags);
}

void *dlsym(void *library, const char *name)
{
	const bool asks_program = counts_memory && library != RTLD_NEXT && library != RTLD_DEFAULT;
	return asks_program && fails(DLSYM) ? NULL : REAL(dlsym)(library, name);
}

void *mmap(void *address, size_t size, int protection, int flags, int fd, off_t offset)
{
	return is_of_interest(fd) && fails(MAP) ? MAP_FAILED
						: REAL(mmap)(address, size, protection, flags, fd, offset);
}

void *mmap64(void *address, size_t size, int protection, int flags, int fd, off64_t offset)
{
	return is_of_interest(fd) && fails(MAP) ? MAP_FAILED
						: REAL(mmap64)(address, size, protection, flags, fd, offset);
}

/* --- memory: dlsym itself allocates, so the C library's own names are called --- */

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t nr, size_t size);
void *__libc_realloc(void *old, size_t size);

/* Whether nobody but another library could report that this memory failed: the loader and LLVM end the process by
 * themselves, and elfutils (0.188) does not check the hash tables of units, which are smaller than the blocks that it
 * asks for. */
static bool is_foreign(const void *caller, size_t size)
{
	Dl_info info;
	/* _Znwm: operator new, which names that are demangled do without */
	return dladdr(caller, &info) && info.dli_fname &&
	       (strstr(info.dli_fname, "/ld-linux") || strstr(info.dli_fname, "/libLLVM") ||
		(info.dli_sname && !strcmp(info.dli_sname, "_Znwm")) ||
		(size < 2048 && strstr(info.dli_fname, "/libdw")));
}

static bool lacks_memory(const void *caller, size_t size)
{
	return counts_memory && !is_foreign(caller, size) && fails(MALLOC);
}

void *malloc(size_t size) { return lacks_memory(__builtin_return_address(0), size) ? NULL : __libc_malloc(size); }

void *calloc(size_t nr, size_t size)
{
	return lacks_memory(__builtin_return_address(0), nr * size) ? NULL : __libc_calloc(nr, size);
}

void *realloc(void *old, size_t size)
{
	return lacks_memory(__builtin_return_address(0), size) ? NULL : __libc_realloc(old, size);
}
