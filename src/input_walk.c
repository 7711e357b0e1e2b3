/* SPDX-License-Identifier: MIT */
#include "config.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "input_walk.h"
#include "perfdata/reader.h"

/* Limit of the depth of folders, deeper than trees that people make. */
#define MOST_FOLDERS 100

struct walk {
	struct stat except;
	bool has_except;
	bool (*add)(void *user, const char *path);
	void *user;
};

/* --- by content --------------------------------------------------------------------------------------------------- */

enum content { IS_OTHER, IS_RECORDING, IS_PACKED, IS_UNREADABLE };

static enum content content_of(const char *path)
{
	static const struct { const char *bytes; size_t size; enum content content;
	} magics[] = {
		{ "PERFILE2", 8, IS_RECORDING },
		{ "2ELIFREP", 8, IS_RECORDING },
		{ "PERFFILE", 8, IS_RECORDING },
		{ "ELIFFREP", 8, IS_RECORDING },
		{ "\x1f\x8b", 2, IS_PACKED },
		{ "\x28\xb5\x2f\xfd", 4, IS_PACKED },
		{ "\xfd"
		  "7zXZ",
		  5, IS_PACKED },
	};
	char bytes[8];
	struct stat status;
	if (!stat(path, &status) && !S_ISREG(status.st_mode))
		return IS_OTHER;
	const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	if (fd < 0)
		return errno == ENOENT ? IS_OTHER : IS_UNREADABLE;
	const ssize_t size = read(fd, bytes, sizeof bytes);
	close(fd);
	for (size_t i = 0; i < sizeof magics / sizeof *magics; i++)
		if (size >= (ssize_t)magics[i].size && !memcmp(bytes, magics[i].bytes, magics[i].size))
			return magics[i].content;
	return size < 0 ? IS_UNREADABLE : IS_OTHER;
}

/* Whether a file contains a recording, or cannot be read. Opens compressed files, since their names and magic do not
 * say it. */
static bool holds_recording(const char *path)
{
	const enum content content = content_of(path);
	if (content != IS_PACKED)
		return content != IS_OTHER;
	const struct perfdata_reader_options options = { .size = sizeof options };
	struct perfdata_reader *reader = NULL;
	const enum perfdata_status status = perfdata_reader_open_path(path, &options, &reader, NULL);
	perfdata_reader_close(reader);
	return status != PERFDATA_EFORMAT;
}

static char *path_in(const char *folder, const char *name)
{
	char *path = NULL;
	const size_t size = strlen(folder);
	return asprintf(&path, "%s%s%s", folder, size && folder[size - 1] == '/' ? "" : "/", name) < 0 ? NULL : path;
}

static int entry_is_visible(const struct dirent *entry) { return entry->d_name[0] != '.'; }
static int by_name(const struct dirent **a, const struct dirent **b) { return strcmp((*a)->d_name, (*b)->d_name); }

static void free_names(struct dirent **names, int nr)
{
	for (int i = 0; i < nr; i++)
		free(names[i]);
	free(names);
}

/* Whether a folder has only the names of a directory recording: data, data.N and kcore_dir*. A folder with "data" and
 * other files is an ordinary folder. */
static bool names_are_of_recording(struct dirent *const *names, int nr)
{
	bool has_data = false;
	for (int i = 0; i < nr; i++) {
		const char *name = names[i]->d_name;
		has_data |= !strcmp(name, "data");
		if (strcmp(name, "data") != 0 && strncmp(name, "data.", 5) != 0 && strncmp(name, "kcore_dir", 9) != 0)
			return false;
	}
	return has_data;
}

static bool is_recording_folder(const char *path, struct dirent *const *names, int nr)
{
	char *data = names_are_of_recording(names, nr) ? path_in(path, "data") : NULL;
	const bool is = data && content_of(data) == IS_RECORDING;
	free(data);
	return is;
}

bool input_walk_is_folder(const char *path)
{
	struct stat status;
	struct dirent **names = NULL;
	if (stat(path, &status) || !S_ISDIR(status.st_mode))
		return false;
	const int nr = scandir(path, &names, entry_is_visible, by_name);
	const bool is = nr < 0 || !is_recording_folder(path, names, nr);
	free_names(names, nr);
	return is;
}

/* --- walking ------------------------------------------------------------------------------------------------------ */

static bool walk_folder(const struct walk *walk, const char *folder, unsigned depth);

/* Follows symbolic links to files, but not to folders, which may form loops. */
static bool walk_entry(const struct walk *walk, const char *path, unsigned depth)
{
	struct stat status, link;
	if (lstat(path, &link) || stat(path, &status))
		return true;
	if (S_ISDIR(status.st_mode))
		return S_ISLNK(link.st_mode) || walk_folder(walk, path, depth + 1);
	return !S_ISREG(status.st_mode) || !holds_recording(path) || walk->add(walk->user, path);
}

static bool walk_folder(const struct walk *walk, const char *folder, unsigned depth)
{
	struct stat status;
	struct dirent **names = NULL;
	if (walk->has_except && !stat(folder, &status) && status.st_dev == walk->except.st_dev &&
	    status.st_ino == walk->except.st_ino)
		return true;
	const int nr = depth < MOST_FOLDERS ? scandir(folder, &names, entry_is_visible, by_name) : -1;
	if (nr < 0)
		return walk->add(walk->user, folder);
	bool fine = true;
	if (is_recording_folder(folder, names, nr)) {
		fine = walk->add(walk->user, folder);
	} else {
		for (int i = 0; i < nr && fine; i++) {
			char *path = path_in(folder, names[i]->d_name);
			fine = path && walk_entry(walk, path, depth);
			free(path);
		}
	}
	free_names(names, nr);
	return fine;
}

bool input_walk_folder(const char *folder, const char *except, bool (*add)(void *user, const char *path), void *user)
{
	struct walk walk = { .add = add, .user = user };
	walk.has_except = except && !stat(except, &walk.except);
	return walk_folder(&walk, folder, 0);
}
