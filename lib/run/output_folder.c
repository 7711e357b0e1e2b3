/* SPDX-License-Identifier: MIT */
/* Folders of outputs: made when they are needed, removed if nothing is kept in them, and cleaned of files that killed
 * programs left. */
#include "config.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/memory.h"
#include "run/output_impl.h"

/* --- making and taking back --------------------------------------------------------------------------------------- */

/* Calls mkdir for each folder of the path. *ret_made: the size of the path to the first folder that was made, or 0. */
static int make_each(char *path, size_t *ret_made)
{
	*ret_made = 0;
	for (char *at = strchr(path + 1, '/'); at; at = strchr(at + 1, '/')) {
		if (at[-1] == '/')
			continue;
		*at = '\0';
		const int failed = mkdir(path, 0777), code = errno;
		*at = '/';
		/* For a folder that exists, mkdir fails with EEXIST, but also with EROFS or EACCES. */
		if (!failed && !*ret_made)
			*ret_made = (size_t)(at - path);
		else if (failed && code == ENOENT)
			return -1;
	}
	return 0;
}

int pd_output_folders_make(const char *path, size_t *ret_made)
{
	char *copy = pd_strndup(path, strlen(path));
	if (!copy) {
		errno = ENOMEM;
		return -1;
	}
	const int failed = make_each(copy, ret_made);
	pd_free(copy);
	return failed;
}

void pd_output_folders_drop(const char *path, size_t made)
{
	char *copy = made ? pd_strndup(path, strlen(path)) : NULL;
	for (char *at = copy ? strrchr(copy, '/') : NULL; at && (size_t)(at - copy) >= made; at = strrchr(copy, '/')) {
		*at = '\0';
		/* A folder with another output cannot be removed, and stays. */
		if (rmdir(copy))
			break;
	}
	pd_free(copy);
}

/* --- temporary names ---------------------------------------------------------------------------------------------- */

#define PREFIX ".perfdata-"
#define SUFFIX ".tmp"

void pd_output_temporary_name(char *at, size_t room, unsigned number)
{
	snprintf(at, room, PREFIX "%ld-%u" SUFFIX, (long)getpid(), number);
}

static bool is_temporary_name(const char *name)
{
	const size_t size = strlen(name);
	const char *at = name + strlen(PREFIX);
	if (size < strlen(PREFIX SUFFIX) || strncmp(name, PREFIX, strlen(PREFIX)) != 0 ||
	    strcmp(name + size - strlen(SUFFIX), SUFFIX) != 0)
		return false;
	return at + strspn(at, "0123456789-") == name + size - strlen(SUFFIX);
}

bool pd_output_temporary_own(int fd, const char *name)
{
	struct stat ours, named;
	/* On a file system without locks, a program that cleans cannot take the lock either, and leaves the file. */
	if (flock(fd, LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK)
		return false;
	return !fstat(fd, &ours) && !stat(name, &named) && ours.st_dev == named.st_dev && ours.st_ino == named.st_ino;
}

/* Removes a temporary file without a writer: a writer locks the file until the file has its final name or is
 * removed. */
static bool remove_left(int folder, const char *name)
{
	struct stat ours, named;
	const int fd = openat(folder, name, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
	if (fd < 0)
		return false;
	const bool left = !fstat(fd, &ours) && S_ISREG(ours.st_mode) && !flock(fd, LOCK_EX | LOCK_NB) &&
			  !fstatat(folder, name, &named, AT_SYMLINK_NOFOLLOW) && ours.st_dev == named.st_dev &&
			  ours.st_ino == named.st_ino;
	const bool removed = left && !unlinkat(folder, name, 0);
	close(fd);
	return removed;
}

unsigned perfdata_output_clean(const char *path)
{
	unsigned removed = 0;
	DIR *folder = opendir(path);
	if (!folder)
		return 0;
	for (const struct dirent *entry; (entry = readdir(folder));)
		removed += is_temporary_name(entry->d_name) && remove_left(dirfd(folder), entry->d_name);
	closedir(folder);
	return removed;
}
