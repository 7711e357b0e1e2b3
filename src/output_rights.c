/* SPDX-License-Identifier: MIT */
#include "config.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "output_rights.h"
#include "perfdata/output.h"

static unsigned mode_of(const char *file)
{
	struct stat status, data;
	char path[4096];
	const int failed = strcmp(file, "-") ? stat(file, &status) : fstat(STDIN_FILENO, &status);
	if (failed || (!S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode)))
		return 0600;
	if (S_ISREG(status.st_mode))
		return status.st_mode;
	/* a directory recording: its files also limit who may read; the right to write there does not matter */
	if (snprintf(path, sizeof path, "%s/data", file) >= (int)sizeof path || stat(path, &data))
		return 0600;
	return status.st_mode & data.st_mode;
}

unsigned output_rights_of_content(const char *file)
{
	return PERFDATA_OUTPUT_LIKE(strncmp(file, "/proc/", strlen("/proc/")) ? mode_of(file) : 0600u);
}

bool output_rights_narrow(int fd, const char *recording)
{
	struct stat status;
	if (fstat(fd, &status))
		return false;
	const unsigned before = status.st_mode & 07777, after = before & (mode_of(recording) | ~077u);
	/* the owner of another user's file chose its rights */
	return !S_ISREG(status.st_mode) || before == after || !fchmod(fd, after) || errno == EPERM;
}

unsigned output_rights_of(const char *const *files, size_t nr)
{
	unsigned mode = 0777;
	for (size_t i = 0; i < nr; i++)
		mode &= mode_of(files[i]);
	return PERFDATA_OUTPUT_LIKE(mode);
}
