/* SPDX-License-Identifier: MIT */
/* Simulates a file system without O_TMPFILE, in tests that are linked with --wrap=open and --wrap=open64. */
#ifndef REFUSE_NAMELESS_H
#define REFUSE_NAMELESS_H

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>

static bool refuse_nameless;

int __real_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...);
int __wrap_open64(const char *path, int flags, ...);

static int open_unless_refused(const char *path, int flags, int mode)
{
	if (refuse_nameless && (flags & O_TMPFILE) == O_TMPFILE) {
		errno = EOPNOTSUPP;
		return -1;
	}
	return __real_open(path, flags | O_LARGEFILE, mode);
}

/* Callers pass a mode only if the flags may create a file. */
int __wrap_open(const char *path, int flags, ...)
{
	va_list args;
	va_start(args, flags);
	int mode = (flags & O_CREAT) || (flags & O_TMPFILE) == O_TMPFILE ? va_arg(args, int) : 0;
	va_end(args);
	return open_unless_refused(path, flags, mode);
}

int __wrap_open64(const char *path, int flags, ...)
{
	va_list args;
	va_start(args, flags);
	int mode = (flags & O_CREAT) || (flags & O_TMPFILE) == O_TMPFILE ? va_arg(args, int) : 0;
	va_end(args);
	return open_unless_refused(path, flags, mode);
}

#endif
