/* SPDX-License-Identifier: MIT */
#include "config.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "grow.h"
#include "interrupt.h"
#include "kept_inputs.h"

bool input_is_stream(const char *file)
{
	struct stat status;
	if (!strcmp(file, "-"))
		return true;
	return stat(file, &status) == 0 && (S_ISFIFO(status.st_mode) || S_ISSOCK(status.st_mode));
}

int input_kept(const struct options *options, const char *file)
{
	for (size_t i = 0; i < options->nr_kept; i++)
		if (!strcmp(options->kept[i].file, file) && lseek(options->kept[i].fd, 0, SEEK_SET) == 0)
			return options->kept[i].fd;
	return -1;
}

void inputs_forget(struct options *options)
{
	for (size_t i = 0; i < options->nr_kept; i++)
		close(options->kept[i].fd);
	free(options->kept);
	options->kept = NULL;
	options->nr_kept = options->kept_room = 0;
}

static int make_file(const char *folder)
{
	int fd = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	/* without O_TMPFILE, the file gets a name, which is unlinked at once */
	char name[4096];
	if (fd >= 0 || snprintf(name, sizeof name, "%s/perfdata-XXXXXX", folder) >= (int)sizeof name)
		return fd;
	fd = mkostemp(name, O_CLOEXEC);
	if (fd >= 0)
		unlink(name);
	return fd;
}

static bool write_all(int fd, const char *bytes, size_t size)
{
	for (ssize_t put; size; bytes += put, size -= (size_t)put) {
		put = write(fd, bytes, size);
		if (put < 0 && errno == EINTR)
			put = 0;
		else if (put <= 0)
			return false;
	}
	return true;
}

static enum exit_code no_copy(const struct options *options, const char *file, const char *what, int number)
{
	usage_error(&options->style, "%s: %s%s%s", file, what, number ? ": " : "", number ? error_text(number) : "");
	return exit_code_of_write(number);
}

static enum exit_code copy_bytes(const struct options *options, const char *file, int from, int to, uint64_t *room)
{
	char buffer[1 << 16];
	for (;;) {
		const ssize_t got = read(from, buffer, sizeof buffer);
		if (was_interrupted())
			return EXIT_INTERRUPTED;
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0) {
			usage_error(&options->style, "%s: %s", file, error_text(errno));
			return EXIT_INPUT;
		}
		if (got == 0)
			return EXIT_FINE;
		if ((uint64_t)got > *room) {
			usage_error(&options->style,
				    "%s: it has to be read twice, and its copy is larger than --max-spool",
				    file);
			return EXIT_LIMIT;
		}
		*room -= (uint64_t)got;
		if (!write_all(to, buffer, (size_t)got))
			return no_copy(options, file, "the temporary copy cannot be written", errno);
	}
}

static enum exit_code keep_file(struct options *options, const char *file, uint64_t *room)
{
	const bool is_stdin = !strcmp(file, "-");
	const char *folder = options->tmpdir ? options->tmpdir : "/tmp";
	if (!grow_list(&options->kept, &options->kept_room, options->nr_kept, sizeof *options->kept))
		return no_copy(options, file, perfdata_status_text(PERFDATA_ENOMEM), ENOMEM);
	const int to = make_file(folder);
	if (to < 0)
		return no_copy(options, folder, "no temporary file can be made there", errno);
	options->kept[options->nr_kept++] = (struct kept_input){ file, to };
	int from;
	/* opening a FIFO waits for a writer */
	do
		from = is_stdin ? STDIN_FILENO : open(file, O_RDONLY | O_CLOEXEC);
	while (from < 0 && errno == EINTR && !was_interrupted());
	if (from < 0 && errno == EINTR)
		return EXIT_INTERRUPTED;
	if (from < 0) {
		usage_error(&options->style, "%s: %s", file, error_text(errno));
		return EXIT_INPUT;
	}
	const enum exit_code code = copy_bytes(options, file, from, to, room);
	if (!is_stdin)
		close(from);
	return code;
}

enum exit_code inputs_keep(struct options *options, const struct text_list *files)
{
	uint64_t room = options->max_spool ? options->max_spool : UINT64_MAX;
	enum exit_code code = EXIT_FINE;
	for (size_t i = 0; code == EXIT_FINE && i < files->nr; i++) {
		const char *file = files->values[i];
		const bool can_seek = !strcmp(file, "-") && lseek(STDIN_FILENO, 0, SEEK_CUR) == 0;
		if (input_is_stream(file) && !can_seek)
			code = keep_file(options, file, &room);
	}
	return code;
}
