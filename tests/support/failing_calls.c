/* SPDX-License-Identifier: MIT */
/* Linked with the program's own objects and $(unit_piece_ldflags): PERFDATA_FAIL=N makes its N-th allocation (from 0)
 * fail, and no other. PERFDATA_FAIL_NOTE names a file that is made when it came to that. */
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>
#include "alloc_fail_pieces.h"

/* Looked up once: getenv allocates nothing. */
__attribute__((constructor)) static void start(void)
{
	const char *number = getenv("PERFDATA_FAIL");
	alloc_fail_countdown = number ? strtol(number, NULL, 10) : -1;
}

__attribute__((destructor)) static void finish(void)
{
	const char *path = getenv("PERFDATA_FAIL_NOTE");
	if (!path || alloc_fail_countdown >= 0)
		return;
	const int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	if (fd >= 0)
		close(fd);
}
