/* SPDX-License-Identifier: MIT */
/* A file gets its name only when it is complete. Until then it has no name (O_TMPFILE), so a killed program leaves no
 * file. On a file system without O_TMPFILE, it has a temporary name. */
#include "config.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/error.h"
#include "base/memory.h"
#include "base/port.h"
#include "run/output_impl.h"

#define MOST_TEMPORARY_NAMES 10000

static size_t folder_size(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash ? (size_t)(slash - path) + 1 : 0;
}

/* Returns room for a temporary path in the target's folder, since a rename must stay inside one file system. The path
 * does not contain the target's name, which may already have the greatest length. */
static char *temporary_name(const struct perfdata_output *output)
{
	const size_t folder = folder_size(output->path);
	char *name = pd_malloc(folder + 64);
	if (name)
		memcpy(name, output->path, folder);
	return name;
}

static void number_temporary(const struct perfdata_output *output, char *name, unsigned number)
{
	pd_output_temporary_name(name + folder_size(output->path), 64, number);
}

/* Writes the path of a descriptor in /proc, through which linkat(2) names a file without a name. */
static void spell_descriptor(int fd, char ret[32]) { snprintf(ret, 32, "/proc/self/fd/%d", fd); }

/* Opens a file without a name; -1: the file system, the kernel or a missing /proc does not allow it. */
static int open_unnamed(const struct perfdata_output *output)
{
#ifdef O_TMPFILE
	const size_t size = folder_size(output->path);
	char *folder = size ? pd_strndup(output->path, size) : pd_strndup(".", 1);
	if (!folder)
		return -1;
	const int fd = open(folder, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666 & ~(mode_t)output->withheld);
	pd_free(folder);
	char name[32];
	struct stat st;
	if (fd >= 0)
		spell_descriptor(fd, name);
	if (fd < 0 || !stat(name, &st))
		return fd;
	close(fd);
#else
	(void)output;
#endif
	return -1;
}

static int open_temporary(struct perfdata_output *output)
{
	output->temporary = temporary_name(output);
	if (!output->temporary)
		return -ENOMEM;
	int failure = -EEXIST;
	for (unsigned i = 0; i < MOST_TEMPORARY_NAMES && failure == -EEXIST; i++) {
		number_temporary(output, output->temporary, i);
		const int fd = open(output->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOCTTY,
				    0666 & ~(mode_t)output->withheld);
		if (fd >= 0 && pd_output_temporary_own(fd, output->temporary))
			return fd;
		/* If another program took the file for an abandoned one before it was locked, the loop tries the next
		 * number. */
		failure = fd >= 0 ? -EEXIST : -errno;
		if (fd >= 0)
			close(fd);
	}
	pd_free(output->temporary);
	output->temporary = NULL;
	return failure;
}

#define PERMISSIONS (S_IRWXU | S_IRWXG | S_IRWXO)

/* Sets output->path for a new file, or *ret_direct for a device or pipe. *ret_mode: of the file to replace, or 0. */
static enum perfdata_status plan_path(struct perfdata_output *output, bool *ret_direct, mode_t *ret_mode,
				      struct perfdata_error *reterr)
{
	struct stat st;
	*ret_direct = false;
	*ret_mode = 0;
	if (stat(output->asked, &st)) {
		if (errno != ENOENT)
			return pd_error_errno(reterr, PERFDATA_EWRITE, PERFDATA_NO_OFFSET, errno, "cannot write");
		output->path = pd_strndup(output->asked, strlen(output->asked));
		return output->path ? PERFDATA_OK
				    : pd_error(reterr, PERFDATA_ENOMEM, PERFDATA_NO_OFFSET, "out of memory");
	}
	if (S_ISDIR(st.st_mode))
		return pd_error(reterr, PERFDATA_EWRITE, PERFDATA_NO_OFFSET, "cannot write: it is a directory");
	if (!S_ISREG(st.st_mode)) {
		*ret_direct = true;
		return PERFDATA_OK;
	}
	if (!output->force) {
		const enum perfdata_status status = pd_error(reterr, PERFDATA_EUSAGE, PERFDATA_NO_OFFSET,
							     "the file exists; --force replaces it");
		if (reterr)
			reterr->os_error = EEXIST;
		return status;
	}
	/* Replace what a link points to, not the link. */
	char *real = realpath(output->asked, NULL);
	if (!real)
		return pd_error_errno(reterr, PERFDATA_EWRITE, PERFDATA_NO_OFFSET, errno, "cannot write");
	output->path = pd_strndup(real, strlen(real));
	free(real);
	/* New contents do not get set-user-ID: the kernel, too, removes it when a file is written. */
	*ret_mode = st.st_mode & (S_IFMT | PERMISSIONS);
	return output->path ? PERFDATA_OK : pd_error(reterr, PERFDATA_ENOMEM, PERFDATA_NO_OFFSET, "out of memory");
}

#define MOST_TRIES 16

/* Makes the folders again if another output, which failed, removed them before the file was there. */
static int open_new(struct perfdata_output *output)
{
	int fd = -ENOENT;
	for (unsigned i = 0; i < MOST_TRIES && fd == -ENOENT; i++) {
		size_t made = 0;
		if (output->folders)
			(void)pd_output_folders_make(output->path, &made);
		output->made = output->made && (!made || output->made < made) ? output->made : made;
		fd = open_unnamed(output);
		fd = fd >= 0 ? fd : open_temporary(output);
		if (!output->folders)
			break;
	}
	return fd;
}

enum perfdata_status pd_output_file_open(struct perfdata_output *output, struct perfdata_error *reterr)
{
	bool direct;
	mode_t mode;
	const enum perfdata_status status = plan_path(output, &direct, &mode, reterr);
	if (status)
		return status;
	const int fd = direct ? open(output->asked, O_WRONLY | O_CLOEXEC | O_NOCTTY) : open_new(output);
	if (fd < 0) {
		const int code = direct ? errno : -fd;
		if (code == EINTR)
			return pd_error(reterr, PERFDATA_EINTR, PERFDATA_NO_OFFSET, "interrupted before it was opened");
		return code == ENOMEM
			       ? pd_error(reterr, PERFDATA_ENOMEM, PERFDATA_NO_OFFSET, "out of memory")
			       : pd_error_errno(reterr, PERFDATA_EWRITE, PERFDATA_NO_OFFSET, code, "cannot create");
	}
	output->fd = fd;
	if (mode)
		(void)!fchmod(fd, mode & PERMISSIONS & ~(mode_t)output->withheld);
	return PERFDATA_OK;
}

/* Gives the file a temporary name, which can be renamed over the target: linkat(2) replaces no file. */
static int name_for_now(struct perfdata_output *output, const char *descriptor)
{
	output->temporary = temporary_name(output);
	if (!output->temporary) {
		errno = ENOMEM;
		return -1;
	}
	/* If the program is killed from here on, the file stays. While the program runs, the lock protects the file. */
	(void)!flock(output->fd, LOCK_EX | LOCK_NB);
	for (unsigned i = 0; i < MOST_TEMPORARY_NAMES; i++) {
		number_temporary(output, output->temporary, i);
		if (!linkat(AT_FDCWD, descriptor, AT_FDCWD, output->temporary, AT_SYMLINK_FOLLOW))
			return 0;
		if (errno != EEXIST)
			break;
	}
	pd_free(output->temporary);
	output->temporary = NULL;
	return -1;
}

/* Renames over the target. If the system can exchange names, the replaced file gets the temporary name. */
static int rename_over(struct perfdata_output *output)
{
	if (!pd_rename_exchange(output->temporary, output->path))
		return 0;
	if (rename(output->temporary, output->path))
		return -1;
	pd_free(output->temporary);
	output->temporary = NULL;
	return 0;
}

static int rename_temporary(struct perfdata_output *output)
{
	bool renamed = !pd_rename_new(output->temporary, output->path);
	if (!renamed && errno == EEXIST && output->force)
		return rename_over(output);
	if (!renamed && errno != EINVAL && errno != ENOSYS)
		return -1;
	/* A file system without this rename often has links. */
	if (!renamed && !link(output->temporary, output->path))
		renamed = !unlink(output->temporary);
	else if (!renamed && errno == EEXIST)
		return output->force ? rename_over(output) : -1;
	else if (!renamed)
		renamed = !rename(output->temporary, output->path);
	if (!renamed)
		return -1;
	pd_free(output->temporary);
	output->temporary = NULL;
	return 0;
}

/* Without `force`, fails if the target has appeared since the output was opened. */
static int give_name(struct perfdata_output *output)
{
	if (output->temporary)
		return rename_temporary(output);
	char descriptor[32];
	spell_descriptor(output->fd, descriptor);
	for (unsigned i = 0; i < MOST_TRIES; i++) {
		size_t made;
		if (!linkat(AT_FDCWD, descriptor, AT_FDCWD, output->path, AT_SYMLINK_FOLLOW))
			return 0;
		/* As in open_new: a file without a name does not keep its folder from being removed. */
		if (errno != ENOENT || !output->folders || pd_output_folders_make(output->path, &made))
			break;
	}
	return output->force && errno == EEXIST && !name_for_now(output, descriptor) ? rename_over(output) : -1;
}

int pd_output_file_keep(struct perfdata_output *output)
{
	output->named = !give_name(output);
	return output->named ? 0 : -1;
}

void pd_output_file_settle(struct perfdata_output *output)
{
	if (output->temporary)
		unlink(output->temporary);
}

void pd_output_file_drop(struct perfdata_output *output)
{
	if (output->named && output->temporary)
		(void)!rename(output->temporary, output->path);
	else if (output->temporary)
		unlink(output->temporary);
	else if (output->named)
		unlink(output->path);
	if (output->made)
		pd_output_folders_drop(output->path, output->made);
}
