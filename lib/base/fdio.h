/* SPDX-License-Identifier: MIT */
/* Whole reads and writes on descriptors: interrupted calls and short counts are handled here, once. Functions wait for
 * descriptors that do not block. */
#ifndef PD_FDIO_H
#define PD_FDIO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

/* As many bytes as one read gives (0: the end), or -1 with errno. Waiting ends with EINTR once `cancel` is cancelled;
 * `cancel` may be NULL. */
struct perfdata_cancel;
int64_t pd_read_some(int fd, void *buffer, size_t size, const struct perfdata_cancel *cancel);
/* Up to `size` bytes at `offset`, fewer only at the end of the file, or -1 with errno when not one byte came. */
int64_t pd_pread_full(int fd, void *buffer, size_t size, uint64_t offset);
/* All bytes; 0 or -1 with errno. */
int pd_write_full(int fd, const void *bytes, size_t size);
int pd_pwrite_full(int fd, const void *bytes, size_t size, uint64_t offset);
/* True if a read would not wait (there are bytes, the end, or an error). */
bool pd_fd_ready(int fd);
/* A file's time in nanoseconds since 1970, or the nearest value that 64 bits can hold. */
int64_t pd_nanoseconds(const struct timespec *time);

/* A descriptor of the same open file; -1 with errno. */
int pd_fd_copy(int fd);
/* A new file in `directory` (NULL: "/tmp") that has no name and goes away with its descriptor; -1 with errno. */
int pd_tempfile(const char *directory);

#endif
