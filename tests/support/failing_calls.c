/* SPDX-License-Identifier: MIT */
/* Linked with the program's own objects and $(unit_piece_ldflags): PERFDATA_FAIL=N makes its N-th allocation (from 0)
 * fail, and no other. PERFDATA_FAIL_NOTE names a file that is made when it came to that. PERFDATA_FAIL_SITES names a
 * file for what there is to see (alloc_fail_sites.h): pairs of 64 bits, a key and a number. */
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>
#include "alloc_fail_pieces.h"
#include "alloc_fail_sites.h"

static const char *sites_path, *note_path;

/* Looked up once: getenv allocates nothing. */
__attribute__((constructor)) static void start(void)
{
	const char *number = getenv("PERFDATA_FAIL");
	alloc_fail_countdown = number ? strtol(number, NULL, 10) : -1;
	note_path = getenv("PERFDATA_FAIL_NOTE");
	sites_path = getenv("PERFDATA_FAIL_SITES");
	if (sites_path)
		alloc_sites_begin();
}

static void write_file(const char *path, const void *bytes, size_t size)
{
	const int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	if (fd < 0 || (size && write(fd, bytes, size) != (ssize_t)size))
		abort();
	close(fd);
}

__attribute__((destructor)) static void finish(void)
{
	if (sites_path) {
		const struct alloc_site *sites;
		const size_t count = alloc_sites_end(&sites);
		write_file(sites_path, sites, count * sizeof *sites);
		free(alloc_sites.all);
	} else if (note_path && alloc_fail_countdown < 0) {
		write_file(note_path, NULL, 0);
	}
}
