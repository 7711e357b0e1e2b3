/* SPDX-License-Identifier: MIT */
/* perfdata bundle: packs the files that `script` reads names from on this host into an archive, so that another host
 * shows the same names. */
#include "config.h"
#include <errno.h>
#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "answers.h"
#include "commands.h"
#include "file_rows_json.h"
#include "interrupt.h"
#include "output_rights.h"
#include "perfdata/output.h"
#include "json_build.h"
#include "perfdata/convert.h"
#include "print.h"
#include "read_files.h"
#include "symbol_options.h"

struct bundling {
	const struct options *options;
	struct file_rows rows;
	struct perfdata_bundle *bundle;
	json_object *recordings, *files, *missing;
	uint64_t nr_files, nr_missing, missing_samples, bytes;
	unsigned rights;                   /* flags for the output's rights, see output_rights.h */
	bool left_out;                     /* --max-file or --max-total left out a file */
	enum exit_code code;
};

static void fail_bundling(struct bundling *bundling, enum perfdata_status status, const char *message)
{
	usage_error(&bundling->options->style, "%s", message && *message ? message : perfdata_status_text(status));
	bundling->code = exit_code_join(bundling->code, exit_code_of_status(status));
}

/* For a call on a file that set errno. */
static void fail_file(struct bundling *bundling, enum perfdata_status status, const char *file)
{
	usage_error(&bundling->options->style, "%s: %s", file,
		    errno ? error_text(errno) : perfdata_status_text(status));
	bundling->code = exit_code_join(bundling->code, exit_code_of_status(status));
}

static void fail_call(struct bundling *bundling, const char *file, int code)
{
	usage_error(&bundling->options->style, "%s: %s", file, error_text(code));
	bundling->code = exit_code_join(bundling->code, exit_code_of_errno(code));
}

/* --- the summary of the bundle ------------------------------------------------------------------------------------ */

static json_object *json_path(struct bundling *bundling, const char *path)
{
	json_object *string = json_of_path(path);
	if (!string)
		fail_bundling(bundling, PERFDATA_ENOMEM, NULL);
	return string;
}

static json_object *row_json(const struct file_row *row)
{
	json_object *object = json_new_object();
	file_row_add_json(object, row);
	return object;
}

/* Writes the line to stderr and releases it. */
static void write_line(struct bundling *bundling, struct perfdata_text *line)
{
	if (perfdata_text_failed(line))
		fail_bundling(bundling, PERFDATA_ENOMEM, NULL);
	else
		print_words(line->data, line->size);
	perfdata_text_release(line);
}

static void note_missing(struct bundling *bundling, const struct file_row *row, const char *reason)
{
	json_object *object = row_json(row);
	json_add(object, "reason", json_new_string(reason));
	json_append(bundling->missing, object);
	bundling->nr_missing++;
	bundling->missing_samples += row->samples;
	if (!bundling->options->style.quiet) {
		struct perfdata_text line;
		perfdata_text_init(&line);
		perfdata_text_literal(&line, "perfdata: missing: ");
		perfdata_text_printable(&line, row->paths[0], strlen(row->paths[0]));
		perfdata_text_printf(&line, " (%" PRIu64 " samples): %s\n", row->samples, reason);
		write_line(bundling, &line);
	}
}

static enum perfdata_bundle_level level_of(const struct options *options)
{
	if (!options->level || !strcmp(options->level, "full"))
		return PERFDATA_BUNDLE_FULL;
	if (!strcmp(options->level, "answers"))
		return PERFDATA_BUNDLE_ANSWERS;
	return !strcmp(options->level, "names") ? PERFDATA_BUNDLE_NAMES : PERFDATA_BUNDLE_UNWIND;
}

/* --- files to add ------------------------------------------------------------------------------------------------- */

static const char *reason_of(enum perfdata_status status)
{
	switch (status) {
	case PERFDATA_EFORMAT: return "its build-id differs";
	case PERFDATA_ELIMIT: return "larger than --max-file or --max-total";
	case PERFDATA_EUSAGE: return "its recorded path is not valid";
	case PERFDATA_ABSENT: return "it was removed, or permission is denied";
	default: return perfdata_status_text(status);
	}
}

/* Adds a file of a row. False: the file is missing, and is noted in `missing`. */
static bool add_file(struct bundling *bundling, const struct file_row *row, const struct perfdata_bundle_file *file)
{
	struct perfdata_bundle_planned planned;
	errno = 0;
	const enum perfdata_status status = perfdata_bundle_add(bundling->bundle, file, &planned);
	if (status == PERFDATA_EINTR)
		return false;
	if (status == PERFDATA_ENOMEM) {
		fail_file(bundling, status, file->file ? file->file : file->path);
		return false;
	}
	/* the file was readable when names were taken from it */
	if (status == PERFDATA_EREAD)
		fail_file(bundling, status, file->file);
	if (status) {
		bundling->left_out |= status == PERFDATA_ELIMIT;
		note_missing(bundling, row, reason_of(status));
		return false;
	}
	json_object *object = row_json(row);
	json_add(object, "name", json_path(bundling, planned.name));
	json_add(object, "size", json_new_number(planned.size));
	json_add(object, "sha256", json_of_bytes(planned.sha256, sizeof planned.sha256));
	json_add(object, "parts", json_of_parts(planned.parts));
	json_append(bundling->files, object);
	bundling->nr_files++;
	bundling->bytes += planned.size;
	bundling->rights |= file->file ? output_rights_of_content(file->file) : 0;
	return true;
}

static bool is_elf(struct bundling *bundling, const char *path)
{
	uint8_t id[PERFDATA_BUILD_ID_MAX];
	size_t size;
	errno = 0;
	const enum perfdata_status status = perfdata_file_build_id(path, id, &size);
	if (status == PERFDATA_ENOMEM)
		fail_file(bundling, status, path);
	return status == PERFDATA_OK || status == PERFDATA_ABSENT;
}

static bool add_other(struct bundling *bundling, const struct file_row *row, const char *path, const char *file)
{
	return add_file(bundling, row,
			&(struct perfdata_bundle_file){ .role = PERFDATA_BUNDLE_OTHER, .path = path, .file = file });
}

static void add_kernel(struct bundling *bundling, const struct file_row *row)
{
	const char *file = row->symbol_file ? row->symbol_file : row->text_file;
	const bool elf = is_elf(bundling, file);
	(void)add_file(bundling, row,
		       &(struct perfdata_bundle_file){
			       .role = elf ? PERFDATA_BUNDLE_ELF : PERFDATA_BUNDLE_KALLSYMS,
			       .file = file,
			       .build_id = file_row_id(row),
			       .path = row->build_id_size ? "[kernel.kallsyms]"
				       : elf              ? file
							  : "/proc/kallsyms",
		       });
}

/* Adds the file with the code, and the file with the symbols if it is a separate file. Without a recorded build-id, the
 * bundle has them under their paths. */
static void add_elf(struct bundling *bundling, const struct file_row *row)
{
	const struct perfdata_bytes own = file_row_id(row), found = { row->found_id, row->found_id_size };
	const char *text = row->text_file ? row->text_file : row->symbol_file;
	if (row->text_file && !add_file(bundling, row, &(struct perfdata_bundle_file){
		    .role = PERFDATA_BUNDLE_ELF, .path = row->paths[0], .build_id = own, .file = text }))
		return;
	if (row->symbol_file && (!row->text_file || !is_same_file(row->symbol_file, row->text_file)))
		(void)add_file(bundling, row,
			       &(struct perfdata_bundle_file){ .role = PERFDATA_BUNDLE_DEBUG,
							       .path = row->paths[0],
							       .build_id = own.size ? own : found,
							       .file = row->symbol_file });
}

/* Adds the supplementary file of dwz, under the path that distributions use, wherever it is on this host. */
static void add_alt(struct bundling *bundling, const struct file_row *row)
{
	char path[4096];
	const char *slash = strrchr(row->alt_file, '/');
	if (snprintf(path, sizeof path, "/usr/lib/debug/.dwz/%s", slash ? slash + 1 : row->alt_file) < (int)sizeof path)
		(void)add_file(bundling, row,
			       &(struct perfdata_bundle_file){ .role = PERFDATA_BUNDLE_DEBUG,
							       .path = path,
							       .build_id = { row->alt_id, row->alt_id_size },
							       .file = row->alt_file });
}

static bool add_answers_of(struct bundling *bundling, const struct file_row *row, const char *path,
			   struct perfdata_bytes id)
{
	return add_file(bundling, row,
			&(struct perfdata_bundle_file){ .role = PERFDATA_BUNDLE_ANSWERED, .path = path,
							.build_id = id });
}

/* Adds the headers and notes of an ELF file, which identify it, and the tables that unwinding needs. */
static bool add_headers(struct bundling *bundling, const struct file_row *row, const char *path,
			struct perfdata_bytes id, const char *file)
{
	return add_file(bundling, row, &(struct perfdata_bundle_file){ .role = PERFDATA_BUNDLE_ELF, .path = path,
								       .build_id = id, .file = file });
}

/* Adds only the recorded libraries of an archive: its other files name nothing. */
static void add_libraries(struct bundling *bundling, const struct file_row *row)
{
	const struct perfdata_bytes no_id = { NULL, 0 };
	const char *name;
	for (size_t i = 0; (name = perfdata_bundle_library(bundling->bundle, row->paths[0], i)); i++) {
		struct perfdata_text path, file;
		perfdata_text_init(&path);
		perfdata_text_init(&file);
		perfdata_text_printf(&path, "%s!/%s%c", row->paths[0], name, '\0');
		perfdata_text_printf(&file, "%s!/%s%c", row->text_file, name, '\0');
		if (perfdata_text_failed(&path) || perfdata_text_failed(&file))
			fail_bundling(bundling, PERFDATA_ENOMEM, NULL);
		else if (add_answers_of(bundling, row, path.data, no_id))
			(void)add_headers(bundling, row, path.data, no_id, file.data);
		perfdata_text_release(&path);
		perfdata_text_release(&file);
	}
}

/* Returns why the session has no file for the row. */
static const char *why_missing(const struct file_row *row)
{
	return row->unidentified ? row->unidentified : "nothing here is known to be it";
}

/* Adds the answers of a row's files for the recorded addresses; of ELF files also headers, notes and what unwinding
 * needs. */
static void add_answers(struct bundling *bundling, const struct file_row *row)
{
	const char *file = row->symbol_file ? row->symbol_file : row->text_file;
	if (row->jitdump_file &&
	    add_answers_of(bundling, row, row->jitdump, (struct perfdata_bytes){ NULL, 0 }) && !file)
		return;
	if (!file) {
		if (file_row_is_hit(row))
			note_missing(bundling, row, why_missing(row));
		return;
	}
	if (!add_answers_of(bundling, row, row->paths[0], file_row_id(row)) || row->kind != PERFDATA_DSO_USER ||
	    !row->text_file)
		return;
	if (is_elf(bundling, row->text_file))
		(void)add_headers(bundling, row, row->paths[0], file_row_id(row), row->text_file);
	else
		add_libraries(bundling, row);
}

static void add_row(struct bundling *bundling, const struct file_row *row)
{
	const char *file = row->symbol_file ? row->symbol_file : row->text_file;
	const bool is_kallsyms = file && !strcmp(file, "/proc/kallsyms");
	if (row->kind == PERFDATA_DSO_NONE || row->kind == PERFDATA_DSO_BPF ||
	    row->kind == PERFDATA_DSO_STATE)
		return;
	if (level_of(bundling->options) == PERFDATA_BUNDLE_ANSWERS && row->kind != PERFDATA_DSO_VDSO) {
		add_answers(bundling, row);
		return;
	}
	if (row->jitdump_file && add_other(bundling, row, row->jitdump, row->jitdump_file) && !file)
		return;
	if (!file) {
		if (file_row_is_hit(row))
			note_missing(bundling, row, why_missing(row));
		return;
	}
	switch (row->kind) {
	case PERFDATA_DSO_KERNEL:
		add_kernel(bundling, row);
		break;
	case PERFDATA_DSO_VDSO:
		(void)add_file(bundling, row,
			       &(struct perfdata_bundle_file){ .role = PERFDATA_BUNDLE_VDSO, .path = "[vdso]",
							       .build_id = file_row_id(row),
							       .file = strcmp(file, "[vdso]") ? file : NULL });
		break;
	case PERFDATA_DSO_PERF_MAP:
	case PERFDATA_DSO_JITDUMP:
		(void)add_other(bundling, row, row->paths[0], file);
		break;
	default:
		if (is_kallsyms)
			note_missing(bundling, row, "only /proc/kallsyms has its names, with the addresses of this "
						    "boot");
		else
			add_elf(bundling, row);
	}
	if (row->alt_file && level_of(bundling->options) == PERFDATA_BUNDLE_FULL)
		add_alt(bundling, row);
}

/* --- answers ------------------------------------------------------------------------------------------------------ */

static int drop_bytes(void *user, const void *bytes, size_t size)
{
	(void)user;
	(void)bytes;
	(void)size;
	return 0;
}

/* Converts the recording as users of the bundle will, and notes the addresses that are looked up. */
static enum perfdata_status convert_noting(struct bundling *bundling, struct input *input, const char *format,
					   const struct perfdata_setting *settings, size_t nr_settings,
					   struct perfdata_error *reterr)
{
	const struct options *options = bundling->options;
	const struct perfdata_output_callbacks nowhere = { .size = sizeof nowhere, .write = drop_bytes };
	struct perfdata_reader_options reader;
	struct perfdata_result *result = NULL;
	struct symbol_options symbols;
	input_rewind(input->file);
	input_prepare(input, options, input->file, PERFDATA_ORDER_TIME, INPUT_RECORDS_AHEAD, &reader);
	reader.on_finding = NULL;      /* file_rows_read has reported the findings */
	symbol_options_make(options, &input->messages, &symbols);
	symbols.options.note_addresses = true;
	symbols.options.log = NULL;
	symbols.options.finding = NULL;
	struct perfdata_input *source = input_source(options, input->file);
	struct perfdata_output *output = perfdata_output_callbacks(&nowhere, NULL);
	const struct perfdata_convert_options how = {
		.size = sizeof how, .settings = settings, .nr_settings = nr_settings, .symbols = &symbols.options,
		.names = PERFDATA_YES, .reader = &reader,
	};
	enum perfdata_status status = source && output ? perfdata_convert(source, output, format, &how, &result, reterr)
						       : PERFDATA_ENOMEM;
	progress_end(&input->progress);
	perfdata_input_free(source);
	perfdata_output_close(output, false, NULL);
	if (!status && perfdata_result_symbols(result))
		status = perfdata_bundle_take_answers(bundling->bundle, perfdata_result_symbols(result));
	perfdata_result_free(result);
	bundling->code = exit_code_join(bundling->code, input_close(input, options));
	return status;
}

/* `script` looks up addresses that tracepoints print, ndjson addresses of samples beside their stacks, report addresses
 * of inlined functions. */
static bool take_answers(struct bundling *bundling, const char *file)
{
	static const struct perfdata_setting lines[] = { { "names", NULL }, { "lines", NULL } };
	struct perfdata_error error = { .offset = PERFDATA_NO_OFFSET };
	struct input input = { .file = file };
	enum perfdata_status status = convert_noting(bundling, &input, "script", NULL, 0, &error);
	if (!status)
		status = convert_noting(bundling, &input, "report", NULL, 0, &error);
	if (!status)
		status = convert_noting(bundling, &input, "ndjson", lines, sizeof lines / sizeof *lines, &error);
	if (status && status != PERFDATA_EINTR)
		fail_bundling(bundling, status, error.message);
	return !status;
}

/* --- the recordings in the manifest
 * ------------------------------------------------------------------------------------ */

/* Adds a recording to the manifest. Size and hash are null for a pipe. */
static void add_recorded_file(struct bundling *bundling, const char *path, const char *name)
{
	json_object *object = json_new_object();
	uint8_t sha256[PERFDATA_SHA256_SIZE];
	uint64_t size;
	errno = 0;
	const enum perfdata_status status = perfdata_file_sha256(path, interrupt_cancel(), sha256, &size);
	const bool known = !status;
	/* the file was readable before, so only a pipe has no hash */
	if (status == PERFDATA_ENOMEM || (status && errno == EIO))
		fail_file(bundling, status, path);
	json_add(object, "name", json_path(bundling, name));
	json_add(object, "size", known ? json_new_number(size) : NULL);
	json_add(object, "sha256", known ? json_of_bytes(sha256, sizeof sha256) : NULL);
	json_append(bundling->recordings, object);
}

static int by_bytes(const struct dirent **a, const struct dirent **b) { return strcmp((*a)->d_name, (*b)->d_name); }
static int is_data_file(const struct dirent *entry) { return !strncmp(entry->d_name, "data", 4); }

/* Adds a recording by the last part of its path; of a directory recording its data files, sorted by bytes. */
static void add_recording(struct bundling *bundling, const char *file)
{
	struct dirent **found;
	struct stat st;
	const char *slash = strrchr(file, '/'), *name = slash && slash[1] ? slash + 1 : file;
	const bool known = !stat(file, &st), is_folder = known && S_ISDIR(st.st_mode);
	const int nr = is_folder ? scandir(file, &found, is_data_file, by_bytes) : -1;
	/* the file was readable before; stdin has no name */
	if ((!known && errno != ENOENT) || (is_folder && nr < 0))
		fail_call(bundling, file, errno);
	else if (nr < 0)
		add_recorded_file(bundling, file, name);
	for (int i = 0; i < nr; i++) {
		struct perfdata_text path, inside;
		perfdata_text_init(&path);
		perfdata_text_init(&inside);
		perfdata_text_printf(&path, "%s/%s%c", file, found[i]->d_name, '\0');
		perfdata_text_printf(&inside, "%s/%s%c", name, found[i]->d_name, '\0');
		if (perfdata_text_failed(&path) || perfdata_text_failed(&inside))
			fail_bundling(bundling, PERFDATA_ENOMEM, NULL);
		else
			add_recorded_file(bundling, path.data, inside.data);
		perfdata_text_release(&path);
		perfdata_text_release(&inside);
		free(found[i]);
	}
	if (nr >= 0)
		free(found);
}

/* --- the command -------------------------------------------------------------------------------------------------- */

static bool read_one(struct bundling *bundling, const char *file)
{
	const struct options *options = bundling->options;
	struct perfdata_symbols *symbols = NULL;
	struct input input;
	bool read = false;
	if (input_open(&input, options, file, PERFDATA_ORDER_TIME, INPUT_BYTES_AHEAD)) {
		const enum perfdata_status status = symbols_for(options, &input.messages, &symbols);
		if (status)
			input_ended(&input, status, NULL);
		else
			read = file_rows_read(&bundling->rows, &input, symbols);
		perfdata_symbols_free(symbols);
	}
	bundling->code = exit_code_join(bundling->code, input_close(&input, options));
	if (read && level_of(options) == PERFDATA_BUNDLE_ANSWERS)
		read = take_answers(bundling, file);
	if (read)
		add_recording(bundling, file);
	bundling->rights |= output_rights_of(&file, 1);
	return read;
}

static enum perfdata_status write_part(void *user, const void *bytes, size_t size)
{
	return was_interrupted() ? PERFDATA_EINTR : perfdata_output_write(user, bytes, size);
}

static enum perfdata_status write_bundle(struct bundling *bundling, const char *manifest, struct perfdata_error *reterr)
{
	const struct options *options = bundling->options;
	const unsigned flags = bundling->rights | (options->force ? PERFDATA_OUTPUT_FORCE : 0u);
	struct perfdata_output *output = !strcmp(options->output, "-") ? perfdata_output_fd(1)
								       : perfdata_output_path(options->output, flags);
	if (!output)
		return PERFDATA_ENOMEM;
	enum perfdata_status status = perfdata_output_open(output, reterr);
	if (!status)
		status = perfdata_bundle_write(bundling->bundle, manifest, strlen(manifest), write_part, output,
					       reterr);
	/* if a write failed, the output has the reason */
	const enum perfdata_status closed = perfdata_output_close(
		output, status == PERFDATA_OK, !status || status == PERFDATA_EWRITE ? reterr : NULL);
	return status ? status : closed;
}

static void say_what_was_written(struct bundling *bundling)
{
	struct perfdata_text line;
	perfdata_text_init(&line);
	perfdata_text_literal(&line, "perfdata: ");
	perfdata_text_printable(&line, bundling->options->output, strlen(bundling->options->output));
	perfdata_text_printf(&line,
			     ": %" PRIu64 " files, %" PRIu64 " bytes before packing; %" PRIu64 " missing, with %" PRIu64
			     " of %" PRIu64 " samples\n",
			     bundling->nr_files, bundling->bytes, bundling->nr_missing, bundling->missing_samples,
			     bundling->rows.samples);
	write_line(bundling, &line);
}

static void finish_bundle(struct bundling *bundling)
{
	const struct options *options = bundling->options;
	json_object *document = json_new_object();
	struct perfdata_error error = { .offset = PERFDATA_NO_OFFSET };
	json_add(document, "schema", json_new_string("perfdata-bundle/1"));
	json_add(document, "level", json_new_string(options->level ? options->level : "full"));
	json_add(document, "recordings", json_object_get(bundling->recordings));
	json_add(document, "files", json_object_get(bundling->files));
	json_add(document, "missing", json_object_get(bundling->missing));
	const char *manifest = json_spell(document, false);
	const enum perfdata_status status = manifest ? write_bundle(bundling, manifest, &error) : PERFDATA_ENOMEM;
	json_object_put(document);
	if (status) {
		usage_error(&options->style, "%s: %s", options->output,
			    error.message[0] ? error.message : perfdata_status_text(status));
		bundling->code = exit_code_join(bundling->code, exit_code_of_output(status, &error));
	} else if (!options->style.quiet) {
		say_what_was_written(bundling);
	}
	/* --max-file or --max-total left out files: the bundle is incomplete */
	if (bundling->left_out)
		bundling->code = exit_code_join(bundling->code, EXIT_ANSWER_NO);
}

enum exit_code command_bundle(struct options *options)
{
	struct bundling bundling = { .options = options };
	struct perfdata_bundle_limits limits = { .file = options->max_file, .total = options->max_total };
	if (!options->output) {
		usage_error(&options->style, "-o FILE is missing, such as -o symbols.tar.zst");
		return EXIT_USAGE;
	}
	if (!inputs_find(options) || !output_is_apart(options, "-o", options->output))
		return EXIT_USAGE;
	options->symbols = "yes";
	interrupt_catch();
	limits.cancel = interrupt_cancel();
	bundling.rows.with_origins = true;
	bundling.rows.all_origins = options->all;
	bundling.recordings = json_new_array();
	bundling.files = json_new_array();
	bundling.missing = json_new_array();
	bool any = false;
	const enum perfdata_status status = perfdata_bundle_new(level_of(options), &limits, &bundling.bundle);
	if (status)
		fail_bundling(&bundling, status, NULL);
	for (size_t i = 0; i < options->files.nr && !status && !was_interrupted(); i++)
		any |= read_one(&bundling, options->files.values[i]);
	file_rows_finish(&bundling.rows);
	for (size_t i = 0; i < bundling.rows.nr && any && !was_interrupted(); i++)
		if (options->all || file_row_is_hit(&bundling.rows.items[i]))
			add_row(&bundling, &bundling.rows.items[i]);
	if (any && !was_interrupted())
		finish_bundle(&bundling);
	perfdata_bundle_free(bundling.bundle);
	json_object_put(bundling.recordings);
	json_object_put(bundling.files);
	json_object_put(bundling.missing);
	file_rows_release(&bundling.rows);
	return was_interrupted() ? exit_code_join(bundling.code, EXIT_INTERRUPTED) : bundling.code;
}
