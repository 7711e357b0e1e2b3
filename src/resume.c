/* SPDX-License-Identifier: MIT */
#include "config.h"
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include "filters.h"
#include "json_build.h"
#include "text_lines.h"
#include "output_rights.h"
#include "resume.h"
#include "text_set.h"

#define INDEX_NAME ".perfdata-index"

/* A finished job, from its line in the index. */
struct recorded {
	struct recorded *next;
	struct outcome outcome;      /* outputs: paths relative to the folder */
	uint64_t *sizes;             /* of the outputs, in bytes */
	uint64_t input_bytes, input_changed;
	char key[];
};
struct resume {
	const struct options *options;
	char *path;                  /* path of the index */
	char *made_with;             /* options_made_with() */
	int fd;                      /* -1: not open yet */
	struct text_set done;        /* key → its last struct recorded; without outputs: made with other options */
	struct recorded *all;
};

/* --- reading ------------------------------------------------------------------------------------------------------ */

static const char *text_of(json_object *line, const char *key)
{
	json_object *value = json_object_object_get(line, key);
	return json_object_is_type(value, json_type_string) ? json_object_get_string(value) : "";
}

static uint64_t number_of(json_object *line, const char *key)
{
	json_object *value = json_object_object_get(line, key);
	return json_object_is_type(value, json_type_int) ? json_object_get_uint64(value) : 0;
}

static bool read_outputs(struct recorded *recorded, json_object *line)
{
	json_object *outputs = json_object_object_get(line, "outputs");
	const size_t nr = json_object_is_type(outputs, json_type_array) ? json_object_array_length(outputs) : 0;
	recorded->sizes = calloc(nr + 1, sizeof *recorded->sizes);
	for (size_t i = 0; recorded->sizes && i < nr; i++) {
		json_object *output = json_object_array_get_idx(outputs, i);
		if (!json_object_is_type(output, json_type_object))
			return false;
		recorded->sizes[i] = number_of(output, "bytes");
		outcome_add_output(&recorded->outcome, text_of(output, "path"));
	}
	return recorded->sizes && recorded->outcome.nr_outputs == nr;
}

static void read_outcome(struct outcome *outcome, json_object *line)
{
	json_object *error = json_object_object_get(line, "first_error");
	outcome->skipped = true;
	outcome->code = (enum exit_code)number_of(line, "exit_code");
	outcome->records = number_of(line, "records");
	outcome->samples = number_of(line, "samples");
	outcome->lost_samples = number_of(line, "lost_samples");
	outcome->written = number_of(line, "records_out");
	outcome->bytes_out = number_of(line, "bytes_out");
	outcome->errors = number_of(line, "errors");
	outcome->warnings = number_of(line, "warnings");
	outcome->findings_total = number_of(line, "findings_total");
	const char *text = json_object_is_type(error, json_type_object) ? json_spell(error, true) : "";
	if (text)
		perfdata_text_string(&outcome->first_error, text);
	else
		json_note_failure();
}

/* Reads a line of the index. A line with other options or another version replaces earlier lines with its key: that job
 * overwrote the outputs. */
static bool read_line(struct resume *resume, json_object *line)
{
	const char *key = text_of(line, "key");
	struct recorded *recorded = calloc(1, sizeof *recorded + strlen(key) + 1);
	if (!recorded)
		return false;
	strcpy(recorded->key, key);
	recorded->next = resume->all;
	resume->all = recorded;
	const bool same = !strcmp(text_of(line, "version"), perfdata_version()) &&
			  !strcmp(text_of(line, "options"), resume->made_with);
	if (same && read_outputs(recorded, line)) {
		recorded->input_bytes = number_of(line, "bytes_in");
		recorded->input_changed = number_of(line, "input_changed");
		read_outcome(&recorded->outcome, line);
	}
	return text_set_put(&resume->done, recorded->key, recorded);
}

/* Reads the index; skips lines that are no JSON objects, such as an incomplete line of a killed process. False with
 * errno. */
static bool read_index(struct resume *resume)
{
	struct lines lines = { .file = fopen(resume->path, "re"), .end = '\n', .most = MOST_LINE };
	enum perfdata_status status = PERFDATA_OK;
	if (!lines.file)
		return errno == ENOENT || errno == ENOTDIR;
	while (status == PERFDATA_OK && (status = lines_next(&lines)) == PERFDATA_OK) {
		json_object *line = json_parse(lines.text, lines.size);
		if (json_object_is_type(line, json_type_object) && !read_line(resume, line))
			status = PERFDATA_ENOMEM;
		json_object_put(line);
		if (json_has_failed())
			status = PERFDATA_ENOMEM;
	}
	const int code = status == PERFDATA_EREAD ? errno : status == PERFDATA_ELIMIT ? EFBIG : ENOMEM;
	free(lines.text);
	fclose(lines.file);
	errno = code;
	return status == PERFDATA_END;
}

/* --- begin and end ------------------------------------------------------------------------------------------------ */

struct resume *resume_begin(const struct options *options)
{
	struct resume *resume = calloc(1, sizeof *resume);
	const size_t size = strlen(options->output);
	if (resume) {
		resume->options = options;
		resume->fd = -1;
		resume->made_with = options_made_with(options);
		if (asprintf(&resume->path, "%s%s" INDEX_NAME, options->output,
			     size && options->output[size - 1] == '/' ? "" : "/") < 0)
			resume->path = NULL;
	}
	if (resume && resume->made_with && resume->path && (!options->resume || read_index(resume)))
		return resume;
	const int code = resume && resume->made_with && resume->path ? errno : ENOMEM;
	if (code != ENOMEM)
		usage_error(&options->style, "--resume: %s: %s", resume->path,
			    code == EFBIG ? "a line is too long: this is no index" : error_text(code));
	resume_end(resume);
	errno = code;
	return NULL;
}

void resume_end(struct resume *resume)
{
	if (!resume)
		return;
	while (resume->all) {
		struct recorded *recorded = resume->all;
		resume->all = recorded->next;
		outcome_release(&recorded->outcome);
		free(recorded->sizes);
		free(recorded);
	}
	text_set_release(&resume->done);
	if (resume->fd >= 0)
		close(resume->fd);
	free(resume->made_with);
	free(resume->path);
	free(resume);
}

/* --- finished jobs ------------------------------------------------------------------------------------------------ */

static const char *path_below(const struct resume *resume, const char *path)
{
	return path + (strlen(resume->path) - strlen(INDEX_NAME));
}

/* The key of a job: the path of its first output below the folder. */
static const char *key_of(const struct resume *resume, const struct job *job)
{
	return path_below(resume, job->outputs[0].path);
}

static bool is_whole(const struct resume *resume, const struct recorded *recorded, size_t number, char **ret_path)
{
	uint64_t bytes, changed;
	const int folder = (int)(strlen(resume->path) - strlen(INDEX_NAME));
	if (asprintf(ret_path, "%.*s%s", folder, resume->path, recorded->outcome.outputs[number]) < 0) {
		*ret_path = NULL;
		return false;
	}
	return outcome_measure(*ret_path, &bytes, &changed) && bytes == recorded->sizes[number] &&
	       changed >= recorded->input_changed;
}

bool resume_knows(const struct resume *resume, struct job *job)
{
	struct outcome *outcome = &job->outcome;
	const struct recorded *recorded = text_set_find(&resume->done, key_of(resume, job));
	uint64_t bytes, changed;
	bool whole = recorded && recorded->outcome.nr_outputs && outcome_measure(job->file, &bytes, &changed) &&
		     bytes == recorded->input_bytes && changed == recorded->input_changed;
	for (size_t i = 0; whole && i < recorded->outcome.nr_outputs; i++) {
		char *path;
		whole = is_whole(resume, recorded, i, &path);
		if (whole)
			outcome_add_output(outcome, path);
		free(path);
	}
	if (!whole) {
		for (size_t i = 0; i < outcome->nr_outputs; i++)
			free(outcome->outputs[i]);
		outcome->nr_outputs = 0;
		return false;
	}
	const struct outcome *known = &recorded->outcome;
	outcome->skipped = true;
	outcome->code = known->code;
	outcome->records = known->records;
	outcome->samples = known->samples;
	outcome->lost_samples = known->lost_samples;
	outcome->written = known->written;
	outcome->bytes_in = bytes;
	outcome->bytes_out = known->bytes_out;
	outcome->errors = known->errors;
	outcome->warnings = known->warnings;
	outcome->findings_total = known->findings_total;
	perfdata_text_append(&outcome->first_error, known->first_error.data, known->first_error.size);
	return true;
}

/* --- writing ------------------------------------------------------------------------------------------------------ */

static void text_member(struct perfdata_text *out, const char *key, const char *value)
{
	perfdata_text_printf(out, ",\"%s\":", key);
	perfdata_text_json_string(out, value, strlen(value));
}

static void spell_line(struct perfdata_text *out, const struct resume *resume, const struct job *job)
{
	const struct outcome *outcome = &job->outcome;
	uint64_t bytes, changed;
	perfdata_text_literal(out, "{\"schema\":\"perfdata-index/1\"");
	text_member(out, "version", perfdata_version());
	text_member(out, "key", key_of(resume, job));
	text_member(out, "input", job->file);
	text_member(out, "options", resume->made_with);
	perfdata_text_literal(out, ",\"outputs\":[");
	for (size_t i = 0; i < outcome->nr_outputs; i++) {
		perfdata_text_printf(out, "%s{\"bytes\":%" PRIu64, i ? "," : "",
				     outcome_measure(outcome->outputs[i], &bytes, &changed) ? bytes : 0);
		text_member(out, "path", path_below(resume, outcome->outputs[i]));
		perfdata_text_char(out, '}');
	}
	perfdata_text_printf(out,
			     "],\"exit_code\":%d,\"records\":%" PRIu64 ",\"samples\":%" PRIu64
			     ",\"lost_samples\":%" PRIu64 ",\"records_out\":%" PRIu64 ",\"bytes_in\":%" PRIu64
			     ",\"input_changed\":%" PRIu64 ",\"bytes_out\":%" PRIu64 ",\"errors\":%" PRIu64
			     ",\"warnings\":%" PRIu64 ",\"findings_total\":%" PRIu64 ",\"first_error\":",
			     (int)outcome->code, outcome->records, outcome->samples, outcome->lost_samples,
			     outcome->written, outcome->bytes_in, job->input_changed, outcome->bytes_out,
			     outcome->errors, outcome->warnings, outcome->findings_total);
	if (outcome->first_error.size)
		perfdata_text_append(out, outcome->first_error.data, outcome->first_error.size);
	else
		perfdata_text_literal(out, "null");
	perfdata_text_literal(out, "}\n");
}

static int open_index(const struct resume *resume)
{
	return open(resume->path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0666);
}

/* Appends a line, after a newline if a killed process left the last line incomplete. */
static bool append_line(int fd, const struct perfdata_text *line)
{
	char last = '\n';
	const off_t size = lseek(fd, 0, SEEK_END);
	if (size > 0 && pread(fd, &last, 1, size - 1) != 1)
		last = '\n';
	if (last != '\n' && write(fd, "\n", 1) != 1)
		return false;
	return write(fd, line->data, line->size) == (ssize_t)line->size;
}

int resume_add(struct resume *resume, const struct job *job)
{
	struct perfdata_text line;
	int code = 0;
	perfdata_text_init(&line);
	spell_line(&line, resume, job);
	flockfile(stderr);
	if (resume->fd < 0)
		resume->fd = open_index(resume);
	if (resume->fd < 0)
		code = errno;
	else if (perfdata_text_failed(&line) || !outcome_is_whole(&job->outcome))
		code = ENOMEM;
	/* other hosts may append to the file (--shard); on network file systems, flock() also makes their lines
	 * visible */
	if (!code) {
		(void)!flock(resume->fd, LOCK_EX);
		errno = 0;
		if (!output_rights_narrow(resume->fd, job->file) || !append_line(resume->fd, &line))
			code = errno ? errno : EIO;
		(void)!flock(resume->fd, LOCK_UN);
	}
	funlockfile(stderr);
	perfdata_text_release(&line);
	return code;
}
