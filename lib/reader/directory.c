/* SPDX-License-Identifier: MIT */
/* A directory recording: `data`, a file container, and data.0, data.1, …, which are records from their first byte
 * on. */
#include "config.h"
#include "base/error.h"
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/memory.h"
#include "reader/reader_impl.h"

/* Takes the number from the name "data.N"; false: another name. */
static bool number_of(const char *name, uint64_t *ret)
{
	uint64_t number = 0;

	if (strncmp(name, "data.", 5) || !name[5])
		return false;
	for (const char *p = name + 5; *p; p++) {
		if (*p < '0' || *p > '9' || p - name > 20)
			return false;
		number = number * 10 + (uint64_t)(*p - '0');
	}
	*ret = number;
	return true;
}

static int by_value(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
	return (x > y) - (x < y);
}

static enum perfdata_status add_file(struct perfdata_reader *reader, const char *directory, uint64_t number)
{
	const struct pd_input_options options = pd_reader_input_options(reader);
	struct perfdata_error error = { .status = PERFDATA_OK };
	struct perfdata_text text;
	struct pd_input *input;

	perfdata_text_init(&text);
	perfdata_text_printf(&text, "%s/data.%llu", directory, (unsigned long long)number);
	const char *name = perfdata_text_failed(&text) ? NULL : pd_arena_copy(&reader->arena, text.data, text.size);
	perfdata_text_release(&text);
	if (!name)
		return PERFDATA_ENOMEM;
	enum perfdata_status status = pd_input_open_regular(name, &options, &input, &error);
	if (status == PERFDATA_EREAD) {
		pd_reader_finding(reader, PERFDATA_FINDING_READ_FAILED, 0, PERFDATA_NO_OFFSET, "%s: %s", name,
				  error.message);
		return PERFDATA_OK;
	}
	if (status != PERFDATA_OK)
		return status;
	return pd_reader_add_stream(reader, input, name, 0,
				    pd_input_seekable(input) ? pd_input_size(input) : UINT64_MAX);
}

enum perfdata_status pd_directory_add(struct perfdata_reader *reader, const char *path)
{
	uint64_t *numbers = NULL;
	size_t count = 0, room = 0;
	enum perfdata_status status = PERFDATA_OK;
	DIR *directory = opendir(path);

	if (!directory) {
		char text[128];
		pd_reader_finding(reader, PERFDATA_FINDING_READ_FAILED, 0, PERFDATA_NO_OFFSET, "%s: %s", path,
				  pd_errno_text(errno, text, sizeof text));
		return PERFDATA_OK;
	}
	reader->header.container = PERFDATA_CONTAINER_DIRECTORY;
	for (struct dirent *entry; status == PERFDATA_OK && (entry = readdir(directory));) {
		uint64_t number;
		if (!number_of(entry->d_name, &number))
			continue;
		if (pd_vector_grow(&numbers, &room, count, sizeof *numbers) < 0)
			status = PERFDATA_ENOMEM;
		else
			numbers[count++] = number;
	}
	closedir(directory);
	if (count)
		qsort(numbers, count, sizeof *numbers, by_value);
	for (size_t i = 0; i < count && status == PERFDATA_OK; i++)
		status = add_file(reader, path, numbers[i]);
	pd_free(numbers);
	return status;
}
