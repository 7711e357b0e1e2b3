/* SPDX-License-Identifier: MIT */
#include "config.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/cancel.h"
#include "base/fdio.h"
#include "base/memory.h"

/* Linux transfers at most 0x7ffff000 bytes in a call, and cuts a larger request to this odd number. */
#define LARGEST_TRANSFER ((size_t)1 << 30)

static size_t limited_size(size_t size) { return size < LARGEST_TRANSFER ? size : LARGEST_TRANSFER; }

/* After a failed call, returns whether the caller must repeat it; waits if the descriptor is not ready. */
static bool wait_for_retry(int fd, short events)
{
	if (errno == EINTR)
		return true;
	if (errno != EAGAIN && errno != EWOULDBLOCK)
		return false;
	struct pollfd waiting = { .fd = fd, .events = events };
	return poll(&waiting, 1, -1) >= 0 || errno == EINTR;
}

/* Waits for bytes, the end, or an error; false: cancelled. */
static bool wait_readable(int fd, const struct perfdata_cancel *cancel)
{
	struct pollfd waiting[] = { { .fd = fd, .events = POLLIN }, { .fd = pd_cancel_fd(cancel), .events = POLLIN } };
	while (!pd_cancelled(cancel)) {
		const int ready = poll(waiting, 2, -1);
		if (ready < 0 ? errno != EINTR : waiting[0].revents != 0)
			return true;
	}
	return false;
}

int64_t pd_read_some(int fd, void *buffer, size_t size, const struct perfdata_cancel *cancel)
{
	ssize_t got;
	do {
		if (cancel && !wait_readable(fd, cancel)) {
			errno = EINTR;
			return -1;
		}
		got = read(fd, buffer, limited_size(size));
	} while (got < 0 && wait_for_retry(fd, POLLIN));
	return got;
}

int64_t pd_pread_full(int fd, void *buffer, size_t size, uint64_t offset)
{
	size_t done = 0;
	/* no file is larger, and pread(2) refuses such offsets */
	if (offset > INT64_MAX)
		return 0;
	if (size > INT64_MAX - offset)
		size = (size_t)(INT64_MAX - offset);
	while (done < size) {
		ssize_t got = pread(fd, (char *)buffer + done, limited_size(size - done), (off_t)(offset + done));
		if (got < 0 && wait_for_retry(fd, POLLIN))
			continue;
		if (got < 0 && !done)
			return -1;
		if (got <= 0)
			break;
		done += (size_t)got;
	}
	return (int64_t)done;
}

int pd_fd_copy(int fd) { return fcntl(fd, F_DUPFD_CLOEXEC, 0); }

int pd_write_full(int fd, const void *bytes, size_t size)
{
	const char *at = bytes;
	while (size) {
		ssize_t put = write(fd, at, limited_size(size));
		if (put < 0 && wait_for_retry(fd, POLLOUT))
			continue;
		if (put < 0)
			return -1;
		at += put;
		size -= (size_t)put;
	}
	return 0;
}

int pd_pwrite_full(int fd, const void *bytes, size_t size, uint64_t offset)
{
	const char *at = bytes;
	while (size) {
		ssize_t put = pwrite(fd, at, limited_size(size), (off_t)offset);
		if (put < 0 && wait_for_retry(fd, POLLOUT))
			continue;
		if (put < 0)
			return -1;
		at += put;
		offset += (uint64_t)put;
		size -= (size_t)put;
	}
	return 0;
}

bool pd_fd_ready(int fd)
{
	struct pollfd waiting = { .fd = fd, .events = POLLIN };
	return poll(&waiting, 1, 0) > 0;
}

int64_t pd_nanoseconds(const struct timespec *time)
{
	int64_t whole, sum;
	if (__builtin_mul_overflow((int64_t)time->tv_sec, INT64_C(1000000000), &whole) ||
	    __builtin_add_overflow(whole, (int64_t)time->tv_nsec, &sum))
		return time->tv_sec < 0 ? INT64_MIN : INT64_MAX;
	return sum;
}

int pd_tempfile(const char *directory)
{
	if (!directory)
		directory = "/tmp";
#ifdef O_TMPFILE
	int unnamed = open(directory, O_TMPFILE | O_RDWR | O_CLOEXEC | O_EXCL, 0600);
	if (unnamed >= 0)
		return unnamed;
#endif
	/* file systems and kernels without O_TMPFILE: the file gets a name, which is unlinked at once */
	static const char pattern[] = "/perfdata-XXXXXX";
	size_t length = strlen(directory);
	char *path = pd_malloc(length + sizeof pattern);
	if (!path) {
		errno = ENOMEM;
		return -1;
	}
	memcpy(path, directory, length);
	memcpy(path + length, pattern, sizeof pattern);
	int fd = mkostemp(path, O_CLOEXEC);
	int code = errno;
	if (fd >= 0)
		unlink(path);
	pd_free(path);
	errno = code;
	return fd;
}
