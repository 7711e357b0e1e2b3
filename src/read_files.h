/* SPDX-License-Identifier: MIT */
/* The files that a command reads, by device and inode number, so that no output replaces one of them by whatever
 * path. */
#ifndef READ_FILES_H
#define READ_FILES_H

#include <sys/types.h>
#include "options.h"

struct read_file { dev_t device; ino_t inode; };
/* Initialize it with zeros. */
struct read_files {
	struct read_file *items;
	size_t nr, room;
	bool sorted;
};

/* Adds recordings, baselines and files with names from the options. False without memory. */
bool read_files_add_all(struct read_files *files, const struct options *options);
/* Whether the path leads to one of the files. */
bool read_files_have(struct read_files *files, const char *path);
void read_files_release(struct read_files *files);

/* For one output: false after a message if `path`, the value of the option `what` ("-o"), leads to a file that is
 * read. */
bool output_is_apart(const struct options *options, const char *what, const char *path);
/* Whether two paths are equal or lead to the same file. */
bool is_same_file(const char *a, const char *b);

#endif
