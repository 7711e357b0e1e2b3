/* SPDX-License-Identifier: MIT */
#include "config.h"
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "grow.h"
#include "read_files.h"

/* --- which files are read ----------------------------------------------------------------------------------------- */

/* False ends the visit. */
typedef bool visit_fn(void *user, const struct read_file *file);

/* Finds the file at the path, if it is regular: outputs do not replace pipes or devices. Missing inputs are reported
 * when they are opened. */
static bool find_file(const char *path, struct read_file *ret)
{
	struct stat status;
	const bool is_stdin = !strcmp(path, "-");
	if ((is_stdin ? fstat(STDIN_FILENO, &status) : stat(path, &status)) || !S_ISREG(status.st_mode))
		return false;
	*ret = (struct read_file){ status.st_dev, status.st_ino };
	return true;
}

static bool visit_file(const char *path, visit_fn *visit, void *user)
{
	struct read_file file;
	return !find_file(path, &file) || visit(user, &file);
}

static bool visit_read_files(const struct options *options, visit_fn *visit, void *user)
{
	const struct text_list *lists[] = { &options->files, &options->befores, &options->afters };
	const char *const of_names[] = { options->symbols_from, options->kallsyms, options->vmlinux };
	bool going = true;
	for (size_t i = 0; going && i < sizeof of_names / sizeof *of_names; i++)
		going = !of_names[i] || visit_file(of_names[i], visit, user);
	for (size_t l = 0; l < sizeof lists / sizeof *lists; l++)
		for (size_t i = 0; going && i < lists[l]->nr; i++)
			going = visit_file(lists[l]->values[i], visit, user);
	for (size_t i = 0; going && i < options->nr_values; i++) {
		const char *name = options->values[i].option->name;
		if (!strcmp(name, "base") || !strcmp(name, "repeat"))
			going = visit_file(options->values[i].text, visit, user);
	}
	return going;
}

/* --- for one output ----------------------------------------------------------------------------------------------- */

static int compare_files(const void *left, const void *right)
{
	const struct read_file *a = left, *b = right;
	if (a->device != b->device)
		return a->device < b->device ? -1 : 1;
	return a->inode < b->inode ? -1 : a->inode > b->inode;
}

static bool is_other(void *user, const struct read_file *file) { return compare_files(user, file) != 0; }

bool output_is_apart(const struct options *options, const char *what, const char *path)
{
	struct read_file output;
	if (!strcmp(path, "-") || !find_file(path, &output) || visit_read_files(options, is_other, &output))
		return true;
	usage_error(&options->style, "%s %s: this file is read, and the output would replace it", what, path);
	return false;
}

bool is_same_file(const char *a, const char *b)
{
	struct read_file of_a, of_b;
	return !strcmp(a, b) || (find_file(a, &of_a) && find_file(b, &of_b) && !compare_files(&of_a, &of_b));
}

/* --- for many ----------------------------------------------------------------------------------------------------- */

static bool add_file(void *user, const struct read_file *file)
{
	struct read_files *files = user;
	if (!grow_list(&files->items, &files->room, files->nr, sizeof *files->items))
		return false;
	files->items[files->nr++] = *file;
	files->sorted = false;
	return true;
}

bool read_files_add_all(struct read_files *files, const struct options *options)
{
	return visit_read_files(options, add_file, files);
}

bool read_files_have(struct read_files *files, const char *path)
{
	struct read_file wanted;
	if (!files->nr || !find_file(path, &wanted))
		return false;
	if (!files->sorted)
		qsort(files->items, files->nr, sizeof *files->items, compare_files);
	files->sorted = true;
	return bsearch(&wanted, files->items, files->nr, sizeof *files->items, compare_files);
}

void read_files_release(struct read_files *files) { free(files->items); }
