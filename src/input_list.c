/* SPDX-License-Identifier: MIT */
#include "config.h"
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "grow.h"
#include "input_list.h"
#include "text_lines.h"
#include "option_table.h"
#include "input_walk.h"
#include "text_set.h"

enum { MOST_EMPTY = 4096 };   /* limit of consecutive empty lines: /dev/zero has nothing else */

/* --- collecting --------------------------------------------------------------------------------------------------- */

struct collecting {
	struct options *options;
	struct input_list *list;
	bool stdin_taken;            /* --files-from - reads stdin */
};

static bool add_file(struct collecting *collecting, const char *file)
{
	struct input_list *list = collecting->list;
	if (!strcmp(file, "-") && collecting->stdin_taken) {
		usage_error(&collecting->options->style,
			    "stdin is already read by --files-from -: FILE cannot be - too");
		return false;
	}
	if (!grow_list(&list->items, &list->room, list->nr, sizeof *list->items))
		return options_no_memory(collecting->options);
	list->items[list->nr] = (struct listed){ .file = strdup(file) };
	return list->items[list->nr++].file || options_no_memory(collecting->options);
}

static bool add_found(void *user, const char *path) { return add_file(user, path); }

static void note_input(const struct options *options, const char *file, const char *text)
{
	struct messages messages;
	messages_init(&messages, &options->style, false);
	messages_note(&messages, file, "%s", text);
	messages_release(&messages);
}

static bool add_named(struct collecting *collecting, const char *file)
{
	const struct options *options = collecting->options;
	if (!options->recursive || !strcmp(file, "-") || !input_walk_is_folder(file))
		return add_file(collecting, file);
	const size_t before = collecting->list->nr;
	if (!input_walk_folder(file, options->output, add_found, collecting))
		return options->no_memory || options_no_memory(collecting->options);
	if (collecting->list->nr == before)
		note_input(options, file, "no recording in this folder and below it");
	return true;
}

/* Adds a line of a list. Every line is a path, so that a file called "-" is not taken for stdin. */
static bool add_line(struct collecting *collecting, const char *line)
{
	if (!*line)
		return true;
	return add_named(collecting, strcmp(line, "-") ? line : "./-");
}

/* Prints why the content of a list is no list of paths. */
static bool refuse_list(struct collecting *collecting, const char *name, const struct lines *lines, const char *why)
{
	collecting->options->list_unreadable = true;
	usage_error(&collecting->options->style, "--files-from %s: line %llu %s", name, (unsigned long long)lines->nr,
		    why);
	return false;
}

static bool cannot_read(struct collecting *collecting, const char *name)
{
	collecting->options->list_unreadable = true;
	usage_error(&collecting->options->style, "--files-from %s: %s", name, error_text(errno));
	return false;
}

static bool add_lines(struct collecting *collecting, const char *name, FILE *file)
{
	struct lines lines = { .file = file, .end = collecting->options->null ? '\0' : '\n', .most = MOST_PATH };
	enum perfdata_status status = PERFDATA_OK;
	unsigned empty = 0;          /* number of consecutive empty lines */
	bool fine = true;
	while (fine && (status = lines_next(&lines)) == PERFDATA_OK) {
		if (memchr(lines.text, '\0', lines.size))
			fine = refuse_list(collecting, name, &lines,
					   "contains a NUL byte: -0 reads paths that end with NUL bytes");
		else if ((empty = lines.size ? 0 : empty + 1) > MOST_EMPTY)
			fine = refuse_list(collecting, name, &lines,
					   "follows thousands of empty lines: this is no list of paths");
		else
			fine = add_line(collecting, lines.text);
	}
	if (fine && status == PERFDATA_ELIMIT)
		fine = refuse_list(collecting, name, &lines, "is longer than any path: this is no list of paths");
	else if (fine && status == PERFDATA_ENOMEM)
		fine = options_no_memory(collecting->options);
	else if (fine && status == PERFDATA_EREAD)
		fine = cannot_read(collecting, name);
	free(lines.text);
	return fine && status == PERFDATA_END;
}

static bool add_list(struct collecting *collecting, const char *name)
{
	if (!strcmp(name, "-")) {
		collecting->stdin_taken = true;
		return add_lines(collecting, name, stdin);
	}
	FILE *file = fopen(name, "re");
	if (!file)
		return cannot_read(collecting, name);
	const bool fine = add_lines(collecting, name, file);
	fclose(file);
	return fine;
}

static bool stdin_has_data(void)
{
	struct stat status;
	if (fstat(STDIN_FILENO, &status) < 0 || S_ISCHR(status.st_mode))
		return false;
	if (S_ISREG(status.st_mode))
		return lseek(STDIN_FILENO, 0, SEEK_CUR) < status.st_size;
	struct pollfd waiting = { .fd = STDIN_FILENO, .events = POLLIN };
	return poll(&waiting, 1, -1) == 1 && (waiting.revents & POLLIN);
}

static bool collect_files(struct collecting *collecting)
{
	const struct options *options = collecting->options;
	if (options->null && !options->lists_of_files.nr) {
		usage_error(&options->style, "-0 needs --files-from");
		return false;
	}
	for (size_t i = 0; i < options->lists_of_files.nr; i++)
		if (!add_list(collecting, options->lists_of_files.values[i]))
			return false;
	for (size_t i = 0; i < options->files.nr; i++)
		if (!add_named(collecting, options->files.values[i]))
			return false;
	/* an empty list or folder means no inputs, not stdin */
	if (options->files.nr || options->lists_of_files.nr)
		return true;
	if (stdin_has_data())
		return add_file(collecting, "-");
	usage_error(&options->style, "FILE is missing, and stdin has no data");
	return false;
}

/* --- absolute paths ----------------------------------------------------------------------------------------------- */

/* Appends "/part" for each part of a path except "" and "."; ".." removes the last part, but only if realpath()
 * failed. */
static void append_parts(struct perfdata_text *out, const char *path)
{
	for (size_t size; path += strspn(path, "/"), size = strcspn(path, "/"); path += size) {
		if (size == 1 && *path == '.')
			continue;
		if (size == 2 && !memcmp(path, "..", 2)) {
			while (out->size && out->data[--out->size] != '/')
				;
			continue;
		}
		perfdata_text_char(out, '/');
		perfdata_text_append(out, path, size);
	}
}

/* The end of the last ".." in a path; NULL: there is none. */
static const char *rest_after_last_up(const char *path)
{
	const char *found = NULL;
	for (const char *at = path; (at = strstr(at, "..")); at += 2)
		if ((at == path || at[-1] == '/') && (at[2] == '/' || !at[2]))
			found = at + 2;
	return found;
}

/* The absolute path without "." and "..". The path up to the last ".." is resolved as by the kernel; symbolic links
 * after it stay. NULL without memory. */
static char *absolute_path(const char *path, const char *working)
{
	struct perfdata_text out;
	const char *rest = rest_after_last_up(path);
	char *front = rest ? strndup(path, (size_t)(rest - path)) : NULL;
	char *real = front ? realpath(front, NULL) : NULL;
	perfdata_text_init(&out);
	if (!real && *path != '/')
		append_parts(&out, working);
	if (real)
		append_parts(&out, real);
	append_parts(&out, real ? rest : path);
	perfdata_text_char(&out, '\0');
	char *whole = perfdata_text_failed(&out) ? NULL : strdup(out.data);
	perfdata_text_release(&out);
	free(front);
	free(real);
	return whole;
}

/* Sets `recording` of each item to its absolute path, which later steps shorten. */
static bool find_places(struct options *options, struct input_list *list, const char *working)
{
	for (size_t i = 0; i < list->nr; i++) {
		struct listed *item = &list->items[i];
		const bool is_stdin = !strcmp(item->file, "-");
		item->recording = is_stdin ? strdup("stdin") : absolute_path(item->file, working);
		if (!item->recording)
			return options_no_memory(options);
	}
	return true;
}

/* --- duplicates, order ---------------------------------------------------------------------------------------- */

/* Drops inputs whose absolute path is already in the list, with a note. */
static bool drop_same(struct options *options, struct input_list *list)
{
	struct text_set seen = { 0 };
	size_t kept = 0;
	bool fine = true;
	for (size_t i = 0; i < list->nr && fine; i++) {
		const void *first;
		fine = text_set_add(&seen, list->items[i].recording, list->items[i].file, &first);
		if (!fine || !first) {
			list->items[kept++] = list->items[i];
			continue;
		}
		note_input(options, list->items[i].file, "named twice; it is read once");
		free(list->items[i].file);
		free(list->items[i].recording);
	}
	if (fine)
		list->nr = kept;
	text_set_release(&seen);
	return fine || options_no_memory(options);
}

static int by_place(const void *a, const void *b)
{
	return strcmp(((const struct listed *)a)->recording, ((const struct listed *)b)->recording);
}

/* --- names -------------------------------------------------------------------------------------------------------- */

/* Length, with the slash, of the longest folder path that contains all recordings. */
static size_t common_folder(const struct input_list *list)
{
	const char *first = NULL;
	size_t size = 0;
	for (size_t i = 0; i < list->nr; i++) {
		const char *path = list->items[i].recording;
		if (*path != '/')
			continue;           /* stdin */
		if (!first) {
			first = path;
			size = (size_t)(strrchr(path, '/') - path) + 1;
		}
		size_t same = 0;
		while (same < size && path[same] == first[same])
			same++;
		while (same && first[same - 1] != '/')
			same--;
		size = same;
	}
	return size;
}

/* Length of `folder` with its slash if the path is below the folder, else 0. */
static size_t size_in(const char *folder, const char *path)
{
	const size_t size = strlen(folder);
	return !strncmp(path, folder, size) && path[size] == '/' ? size + 1 : 0;
}

/* The path with symbolic links in its folder resolved; NULL: there is no such folder. */
static char *real_place(const char *file)
{
	char *whole = NULL, *copy = strdup(file);
	char *end = copy ? copy + strlen(copy) : NULL;
	while (end && end > copy + 1 && end[-1] == '/')
		*--end = '\0';
	char *slash = copy ? strrchr(copy, '/') : NULL;
	const char *base = slash ? slash + 1 : copy;
	if (slash)
		*slash = '\0';
	char *folder = copy ? realpath(!slash ? "." : *copy ? copy : "/", NULL) : NULL;
	if (folder && asprintf(&whole, "%s/%s", strcmp(folder, "/") ? folder : "", base) < 0)
		whole = NULL;
	free(folder);
	free(copy);
	return whole;
}

/* Sets the name of an item to its path below `folder`: as written, or with symbolic links resolved. */
static bool name_below(struct options *options, struct listed *item, const char *folder, const char *real_folder)
{
	size_t size = size_in(folder, item->recording);
	if (!size)
		size = size_in(real_folder, item->recording);
	if (!size) {
		char *real = real_place(item->file);
		size = real ? size_in(real_folder, real) : 0;
		if (!size) {
			free(real);
			usage_error(&options->style, "%s is not below %s, the folder of --relative-to", item->file,
				    options->relative_to);
			return false;
		}
		free(item->recording);
		item->recording = real;
	}
	memmove(item->recording, item->recording + size, strlen(item->recording + size) + 1);
	return true;
}

static bool name_each_below(struct options *options, struct input_list *list, const char *working)
{
	char *folder = absolute_path(options->relative_to, working), *real = realpath(options->relative_to, NULL);
	bool fine = folder || options_no_memory(options);
	for (size_t i = 0; i < list->nr && fine; i++)
		if (*list->items[i].recording == '/')
			fine = name_below(options, &list->items[i], folder,
					  !real               ? folder
					  : strcmp(real, "/") ? real
							      : "");
	free(folder);
	free(real);
	return fine;
}

static bool name_each(struct options *options, struct input_list *list, const char *working)
{
	if (options->relative_to)
		return name_each_below(options, list, working);
	const size_t size = common_folder(list);
	for (size_t i = 0; i < list->nr; i++) {
		char *name = list->items[i].recording;
		if (*name == '/')
			memmove(name, name + size, strlen(name + size) + 1);
	}
	return true;
}

/* --- the share of a shard ----------------------------------------------------------------------------------------- */

static bool parse_shard(const struct options *options, uint64_t *ret_k, uint64_t *ret_n)
{
	char *end;
	const char *text = options->shard;
	*ret_k = 0;
	*ret_n = 1;
	if (!text)
		return true;
	errno = 0;
	*ret_k = strtoull(text, &end, 10);
	const char *slash = end;
	*ret_n = *slash == '/' ? strtoull(slash + 1, &end, 10) : 0;
	if (*text >= '0' && *text <= '9' && slash[1] >= '0' && slash[1] <= '9' && !errno && !*end && *ret_k < *ret_n)
		return true;
	usage_error(&options->style, "--shard takes K/N with K from 0 to N-1, such as 0/4, not '%s'", text);
	return false;
}

static void keep_share(struct input_list *list, uint64_t k, uint64_t n)
{
	size_t kept = 0;
	for (size_t i = 0; i < list->nr; i++) {
		if (i % n == k) {
			list->items[kept++] = list->items[i];
		} else {
			free(list->items[i].file);
			free(list->items[i].recording);
		}
	}
	list->nr = kept;
}

bool input_list_make(struct options *options, bool once)
{
	struct input_list *list = options->inputs = calloc(1, sizeof *list);
	struct collecting collecting = { .options = options, .list = list };
	uint64_t k, n;
	if (!list)
		return options_no_memory(options);
	if (!parse_shard(options, &k, &n) || !collect_files(&collecting))
		return false;
	char *working = getcwd(NULL, 0);
	bool fine = find_places(options, list, working ? working : "") && (!once || drop_same(options, list));
	if (fine && options->shard)
		qsort(list->items, list->nr, sizeof *list->items, by_place);
	fine = fine && name_each(options, list, working ? working : "");
	free(working);
	if (!fine)
		return false;
	keep_share(list, k, n);
	options->files.nr = 0;
	for (size_t i = 0; i < list->nr; i++)
		if (!options_add_file(options, list->items[i].file))
			return false;
	return true;
}

void input_list_release(struct input_list *list)
{
	for (size_t i = 0; list && i < list->nr; i++) {
		free(list->items[i].file);
		free(list->items[i].recording);
	}
	if (list)
		free(list->items);
	free(list);
}
