/* SPDX-License-Identifier: MIT */
#include "config.h"
#include <stdio.h>
#include <stdlib.h>
#include "found_build_ids.h"
#include "interrupt.h"

static enum exit_code report_failure(const struct options *options, enum perfdata_status status, const char *message)
{
	usage_error(&options->style, "%s", message && *message ? message : perfdata_status_text(status));
	return exit_code_of_status(status);
}

/* Reads all recordings without printing findings, which the copy reports. */
static enum exit_code read_all(const struct options *options, struct file_rows *rows)
{
	struct options quiet = *options;
	enum exit_code code = EXIT_FINE;

	quiet.style.quiet = true;
	for (size_t i = 0; i < options->files.nr && code == EXIT_FINE; i++) {
		struct input input;
		input_rewind(options->files.values[i]);
		if (input_open(&input, &quiet, options->files.values[i], PERFDATA_ORDER_TIME, INPUT_HOLD))
			(void)file_rows_read(rows, &input, NULL);
		code = input_close_quietly(&input);
	}
	file_rows_finish(rows);
	return rows->failed ? report_failure(options, PERFDATA_ENOMEM, NULL) : code;
}

static enum exit_code open_sources(const struct options *options, struct found_build_ids *found)
{
	const char *home = getenv("HOME");
	char cache[4096];
	struct perfdata_error error = { .offset = PERFDATA_NO_OFFSET };
	struct perfdata_match_source sources[2] = { { .kind = PERFDATA_SOURCE_HOST } };
	struct perfdata_match_options how = {
		.size = sizeof how, .sources = sources, .nr_sources = 1, .cancel = interrupt_cancel()
	};

	if (options->symfs)
		sources[0] = (struct perfdata_match_source){
			.kind = options->symfs_flat ? PERFDATA_SOURCE_FLAT : PERFDATA_SOURCE_ROOT,
			.path = options->symfs_folder,
		};
	else if (home && snprintf(cache, sizeof cache, "%s/.debug", home) < (int)sizeof cache)
		sources[how.nr_sources++] = (struct perfdata_match_source){ .kind = PERFDATA_SOURCE_DEBUG_DIR,
									    .path = cache,
									    .is_optional = true };
	const enum perfdata_status status = perfdata_match_open(&how, &found->match, &error);
	return status == PERFDATA_OK ? EXIT_FINE : report_failure(options, status, error.message);
}

/* The build-id of a row: the recorded one, or that of the file here if inode and ctime, or --symfs, identify it. */
static struct perfdata_bytes id_of(const struct options *options, const struct file_row *row,
				   const struct perfdata_match_result *result)
{
	const struct perfdata_bytes none = { NULL, 0 };
	/* a table has only paths, and a new file may have the inode number of a removed one */
	if (row->has_namesake && !(row->sources & PERFDATA_BUILD_ID_MMAP2))
		return none;
	if (row->build_id_size)
		return file_row_id(row);
	if (result->identified || (options->symfs && result->state == PERFDATA_MATCH_UNVERIFIED))
		return result->build_id;
	return none;
}

static enum exit_code find_files(const struct options *options, struct found_build_ids *found)
{
	const struct file_rows *rows = &found->rows;
	struct perfdata_match_wanted *wanted = calloc(rows->nr + 1, sizeof *wanted);
	struct perfdata_match_result *results = calloc(rows->nr + 1, sizeof *results);
	size_t nr_paths = 0;

	for (size_t i = 0; i < rows->nr; i++)
		nr_paths += rows->items[i].nr_paths;
	found->items = calloc(nr_paths + 1, sizeof *found->items);
	enum perfdata_status status = wanted && results && found->items ? PERFDATA_OK : PERFDATA_ENOMEM;
	for (size_t i = 0; i < rows->nr && status == PERFDATA_OK; i++)
		wanted[i] = file_row_wanted(&rows->items[i]);
	if (status == PERFDATA_OK)
		status = perfdata_match_find(found->match, wanted, rows->nr, results);
	for (size_t i = 0; i < rows->nr && status == PERFDATA_OK; i++) {
		const struct file_row *row = &rows->items[i];
		const struct perfdata_bytes id = id_of(options, row, &results[i]);
		found->nr_new += id.size && !row->build_id_size;
		for (size_t p = 0; p < row->nr_paths && id.size; p++)
			found->items[found->nr++] = (struct perfdata_rewrite_build_id){
				.path = row->paths[p], .build_id = id, .inode = row->inode,
				.in_kernel = row->kind == PERFDATA_DSO_KERNEL || row->kind == PERFDATA_DSO_MODULE,
			};
	}
	free(wanted);
	free(results);
	return status == PERFDATA_OK ? EXIT_FINE : report_failure(options, status, NULL);
}

enum exit_code found_build_ids_make(const struct options *options, struct found_build_ids *ret)
{
	enum exit_code code = read_all(options, &ret->rows);

	if (code == EXIT_FINE)
		code = open_sources(options, ret);
	return code == EXIT_FINE ? find_files(options, ret) : code;
}

void found_build_ids_release(struct found_build_ids *found)
{
	perfdata_match_close(found->match);
	free(found->items);
	file_rows_release(&found->rows);
}
