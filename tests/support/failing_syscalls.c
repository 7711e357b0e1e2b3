/* SPDX-License-Identifier: MIT */
/* For LD_PRELOAD: counts calls on files whose paths hold FAIL_BELOW, or on their descriptors, and calls of dlopen. The
 * call with number FAIL_NUMBER (from 0) of those named FAIL_CALL fails with FAIL_ERRNO; "all" in its place writes the
 * number of calls of each kind to the file FAIL_COUNTS at the end. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum call { OPEN, READ, WRITE, STAT, DLOPEN, CALLS };
static const char *const names[CALLS] = { "open", "read", "write", "stat", "dlopen" };
static atomic_long counts[CALLS];
static long number = -1;
static int failing = CALLS, code;
static const char *below, *counts_file;
static bool of_interest[65536];

__attribute__((constructor)) static void start(void)
{
	const char *call = getenv("FAIL_CALL"), *at = getenv("FAIL_NUMBER"), *error = getenv("FAIL_ERRNO");
	for (int i = 0; i < CALLS; i++)
		if (call && !strcmp(call, names[i]))
			failing = i;
	number = at ? strtol(at, NULL, 10) : -1;
	code = error ? (int)strtol(error, NULL, 10) : 0;
	below = getenv("FAIL_BELOW");
	counts_file = getenv("FAIL_COUNTS");
}

__attribute__((destructor)) static void finish(void)
{
	FILE *out = counts_file ? fopen(counts_file, "w") : NULL;
	below = NULL;
	for (int i = 0; out && i < CALLS; i++)
		fprintf(out, "%s %ld\n", names[i], (long)counts[i]);
	if (out)
		fclose(out);
}

static bool fails(enum call call)
{
	const bool now = atomic_fetch_add(&counts[call], 1) == number && (int)call == failing;
	if (now)
		errno = code;
	return now;
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

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

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
	return path && below && fails(DLOPEN) ? NULL : REAL(dlopen)(path, flags);
}
