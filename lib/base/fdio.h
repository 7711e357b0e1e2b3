/* SPDX-License-Identifier: MIT */
/* Complete reads and writes on descriptors: repeats interrupted calls and continues after short ones. Waits if the
 * descriptor is non-blocking. */
#ifndef PD_FDIO_H
#define PD_FDIO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

/* Reads once and returns the number of bytes (0: the end), or -1 with errno. Fails with EINTR if `cancel` (may be NULL)
 * is cancelled while it waits. */
struct perfdata_cancel;
int64_t pd_read_some(int fd, void *buffer, size_t size, const struct perfdata_cancel *cancel);
/* Reads `size` bytes at `offset`, fewer only at the end of the file. Returns -1 with errno if it read no byte. */
int64_t pd_pread_full(int fd, void *buffer, size_t size, uint64_t offset);
/* Write all bytes; 0, or -1 with errno. */
int pd_write_full(int fd, const void *bytes, size_t size);
int pd_pwrite_full(int fd, const void *bytes, size_t size, uint64_t offset);
/* Whether a read would not wait, since there are bytes, the end, or an error. */
bool pd_fd_ready(int fd);
/* Converts to nanoseconds since 1970, or the nearest value that 64 bits can hold. */
int64_t pd_nanoseconds(const struct timespec *time);

/* Duplicates a descriptor; -1 with errno. */
int pd_fd_copy(int fd);
/* Makes a file without a name in `directory` (NULL: "/tmp"). Closing its descriptor deletes it. -1 with errno. */
int pd_tempfile(const char *directory);

#endif
