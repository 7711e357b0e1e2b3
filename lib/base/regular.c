/* SPDX-License-Identifier: MIT */
#include "config.h"
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/cancel.h"
#include "base/port.h"
#include "base/regular.h"
#include "perfdata/base.h"

/* If the file was replaced meanwhile: a FIFO cannot block the library, and a terminal does not become the process's. */
#define FOR_READING (O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)

static int refuse_file(int fd, int error)
{
	if (fd >= 0)
		close(fd);
	errno = error;
	return -1;
}

/* Opens the file that was checked, even if its path now leads to another file. st: stat of the checked file. */
static int open_found(int found, int folder, const char *name, int flags, const struct stat *st)
{
	char link[40];
	struct stat now;
	snprintf(link, sizeof link, "/proc/self/fd/%d", found);
	int fd = PD_REOPENS_DESCRIPTORS ? open(link, FOR_READING) : -1;
	if (fd >= 0 || (PD_REOPENS_DESCRIPTORS && errno != ENOENT))
		return fd;
	/* without /proc: opens the path again */
	fd = openat(folder, name, FOR_READING | flags);
	if (fd >= 0 && (fstat(fd, &now) || now.st_dev != st->st_dev || now.st_ino != st->st_ino))
		return refuse_file(fd, EINVAL);
	return fd;
}

static int open_file(int folder, const char *name, int flags, enum pd_regular kind)
{
	struct stat st;
	if (fstatat(folder, name, &st, flags ? AT_SYMLINK_NOFOLLOW : 0))
		return -1;
	if (!S_ISREG(st.st_mode))
		return refuse_file(-1, S_ISLNK(st.st_mode) ? ELOOP : EINVAL);
	/* the file at the path may change at any time, so the descriptor that is checked is also opened */
	const int found = openat(folder, name, PD_OPEN_TO_LOOK | O_CLOEXEC | flags);
	if (found < 0)
		return -1;
	if (fstat(found, &st))
		return refuse_file(found, errno);
	if (!S_ISREG(st.st_mode) || (kind == PD_REGULAR_STORED && pd_is_made_up(found)))
		return refuse_file(found, EINVAL);
	const int fd = open_found(found, folder, name, flags, &st), error = errno;
	close(found);
	errno = error;
	return fd;
}

int pd_open_regular(const char *path, enum pd_regular kind) { return open_file(AT_FDCWD, path, 0, kind); }

int pd_open_regular_at(int folder, const char *name, enum pd_regular kind)
{
	return open_file(folder, name, O_NOFOLLOW, kind);
}

int pd_open_given(const char *path, const struct perfdata_cancel *cancel)
{
	int fd;
	do
		fd = open(path, O_RDONLY | O_NOCTTY | O_CLOEXEC);
	while (fd < 0 && errno == EINTR && !pd_cancelled(cancel));
	return fd;
}

int pd_open_folder(const char *path) { return open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC); }

int pd_open_folder_at(int folder, const char *name)
{
	return openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}
