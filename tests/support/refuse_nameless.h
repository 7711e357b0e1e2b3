/* SPDX-License-Identifier: MIT */
/* A file system that knows no files without names, for tests linked with --wrap=open and --wrap=open64. */
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

/* The mode is there when a file may be made, and is not looked at otherwise. */
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
