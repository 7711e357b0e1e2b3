/* SPDX-License-Identifier: MIT */
#include "config.h"
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "convert_many.h"
#include "convert_job.h"
#include "grow.h"
#include "input_list.h"
#include "interrupt.h"
#include "output_name.h"
#include "read_files.h"
#include "resume.h"
#include "summary.h"
#include "table_option.h"
#include "text_set.h"

/* Jobs that read one recording together: a single job, or tables of one input. */
struct pass {
	size_t first, nr;
};

/* The jobs of all inputs: one for each input, or one for each table of each input. */
struct batch {
	const struct options *options;
	struct job *jobs;
	size_t nr, room;
	struct pass *passes;
	size_t nr_passes;
	enum exit_code code;
	bool no_memory;              /* memory for the jobs ran out */
	struct summary summary;
	struct resume *resume;
};

/* --- which jobs there are ----------------------------------------------------------------------------------------- */

static bool name_outputs(struct job *job)
{
	const struct options *options = job->options;
	for (size_t i = 0; i <= options->nr_more_emitters; i++) {
		const struct perfdata_emitter *emitter = i ? options->more_emitters[i - 1] : options->emitter;
		const struct name_parts parts = { .recording = job->recording,
						  .format = emitter->name,
						  .table = job->table,
						  .folders = emitter->flags & PERFDATA_EMITTER_FOLDERS };
		struct job_output *output = &job->outputs[i];
		output->path = output_name(options, &parts, &output->head, &output->tail);
		if (!output->path)
			return false;
	}
	return true;
}

/* Adds a job; takes over the name of the table, which may be NULL. */
static void add_job(struct batch *batch, const struct listed *input, char *table)
{
	if (!grow_list(&batch->jobs, &batch->room, batch->nr, sizeof *batch->jobs)) {
		free(table);
		batch->no_memory = true;
		return;
	}
	struct job *job = &batch->jobs[batch->nr++];
	*job = (struct job){ .options = batch->options,
			     .file = input->file,
			     .recording = input->recording,
			     .table = table,
			     .in_folder = true };
	if (!name_outputs(job))
		batch->no_memory = true;
}

static void add_tables(struct batch *batch, const struct listed *input)
{
	size_t nr;
	enum exit_code code;
	char **tables = tables_of(batch->options, input->file, &nr, &code);
	batch->code = exit_code_join(batch->code, code);
	for (size_t i = 0; i < nr; i++)
		add_job(batch, input, tables[i]);
	free(tables);
}

/* Whether the next job can join the pass. Not with --limit, which counts the records of one table; not for spe_samples,
 * whose samples would get into other tables. */
static bool reads_with(const struct batch *batch, const struct pass *pass, const struct job *next)
{
	const struct job *first = &batch->jobs[pass->first];
	return first->file == next->file && first->table && pass->nr < MOST_TABLES_AT_ONCE && !batch->options->limit &&
	       strcmp(first->table, "spe_samples") != 0 && strcmp(next->table, "spe_samples") != 0;
}

/* False without memory. */
static bool make_passes(struct batch *batch)
{
	batch->passes = calloc(batch->nr + 1, sizeof *batch->passes);
	for (size_t i = 0; batch->passes && i < batch->nr; i++) {
		struct pass *last = batch->nr_passes ? &batch->passes[batch->nr_passes - 1] : NULL;
		if (last && reads_with(batch, last, &batch->jobs[i]))
			last->nr++;
		else
			batch->passes[batch->nr_passes++] = (struct pass){ i, 1 };
	}
	return batch->passes;
}

/* --- checks before the work -------------------------------------------------------------------------------- */

static enum exit_code out_of_memory(const struct batch *batch)
{
	usage_error(&batch->options->style, "%s", perfdata_status_text(PERFDATA_ENOMEM));
	return EXIT_LIMIT;
}

static enum exit_code check_paths(const struct batch *batch)
{
	const struct message_style *style = &batch->options->style;
	struct text_set paths = { 0 };
	struct read_files inputs = { 0 };
	enum exit_code code = read_files_add_all(&inputs, batch->options) ? EXIT_FINE : out_of_memory(batch);
	for (size_t i = 0; i < batch->nr && !code; i++) {
		const struct job *job = &batch->jobs[i];
		for (size_t k = 0; k <= batch->options->nr_more_emitters && !code; k++) {
			const void *first;
			if (!text_set_add(&paths, job->outputs[k].path, job->file, &first)) {
				code = out_of_memory(batch);
			} else if (first) {
				usage_error(style, "%s and %s would both be written to %s", (const char *)first,
					    job->file, job->outputs[k].path);
				code = EXIT_USAGE;
			} else if (read_files_have(&inputs, job->outputs[k].path)) {
				usage_error(style, "%s would be written to %s, which is read", job->file,
					    job->outputs[k].path);
				code = EXIT_USAGE;
			}
		}
	}
	text_set_release(&paths);
	read_files_release(&inputs);
	return code;
}

/* Whether files can be created in the folder, which exists; EXIT_FINE, or an exit code after a message. */
static enum exit_code check_existing_folder(const struct options *options, const char *folder, mode_t mode)
{
	const char *output = options->output;
	if (!S_ISDIR(mode)) {
		usage_error(&options->style, "-o %s: no such folder, and it cannot be made: %s is no folder", output,
			    folder);
		return EXIT_USAGE;
	}
	if (!access(folder, W_OK | X_OK))
		return EXIT_FINE;
	const int code = errno;
	usage_error(&options->style, "-o %s: cannot create files in %s: %s", output, folder, error_text(code));
	return exit_code_of_write(code);
}

/* Checks before any work that the output folder exists or can be created, by the nearest parent that exists. EXIT_FINE,
 * or an exit code after a message. */
static enum exit_code check_folder(const struct options *options)
{
	struct stat status;
	char *path = strdup(options->output);
	int code = path ? ENOENT : ENOMEM;
	enum exit_code result = EXIT_FINE;
	for (char *slash = path; slash && (code == ENOENT || code == ENOTDIR); *slash = '\0') {
		const char *folder = *path ? path : *options->output == '/' ? "/" : ".";
		code = stat(folder, &status) ? errno : 0;
		if (!code)
			result = check_existing_folder(options, folder, status.st_mode);
		slash = strrchr(path, '/');
		if (!slash && *path)
			slash = path;
		if (!slash)
			break;
	}
	free(path);
	if (code) {
		usage_error(&options->style, "-o %s: %s", options->output, error_text(code));
		result = exit_code_of_write(code);
	}
	return result;
}

/* --- remains of earlier runs ------------------------------------------------------------------------------ */

/* Cleans the folder of an output once. */
static void clean_folder_once(struct text_set *seen, const char *path, char **folders, size_t *nr)
{
	const void *first;
	char *folder = output_folder(path);
	if (!folder || !text_set_add(seen, folder, folder, &first) || first) {
		free(folder);
		return;
	}
	folders[(*nr)++] = folder;
	perfdata_output_clean(folder);
}

static void clean_folders(const struct batch *batch)
{
	struct text_set seen = { 0 };
	const size_t formats = batch->options->nr_more_emitters + 1;
	char **folders = calloc(batch->nr, formats * sizeof *folders);
	size_t nr = 0;
	for (size_t i = 0; folders && i < batch->nr * formats; i++)
		clean_folder_once(&seen, batch->jobs[i / formats].outputs[i % formats].path, folders, &nr);
	for (size_t i = 0; i < nr; i++)
		free(folders[i]);
	free(folders);
	text_set_release(&seen);
}

/* --- the work ----------------------------------------------------------------------------------------------------- */

/* Path of the job's output, for messages; with several tables it contains TABLE, in `room`. */
static const char *output_place(const struct job *job, char room[PATH_MAX + 8])
{
	const struct job_output *output = &job->outputs[0];
	if (!output->head)
		return output->path;
	snprintf(room, PATH_MAX + 8, "%sTABLE%s", output->head, output->tail);
	return room;
}

/* Prints a sentence about each job, in the order of inputs. Not with --log-format json, whose lines of the summary say
 * the same. */
static void report_batch(const struct batch *batch)
{
	struct messages messages;
	char room[PATH_MAX + 8];
	const char *unit = batch->options->emitter->flags & PERFDATA_EMITTER_ROWS ? "rows" : "records";
	messages_init(&messages, &batch->options->style, false);
	for (size_t i = 0; i < batch->nr && !batch->options->style.json; i++) {
		const struct job *job = &batch->jobs[i];
		const struct outcome *outcome = &job->outcome;
		if (!outcome->file)
			messages_note(&messages, job->file, "not started");
		else if (outcome->skipped)
			messages_note(&messages, job->file, "%s is complete already", output_place(job, room));
		else if (outcome->code == EXIT_FINE || outcome->code == EXIT_DAMAGED)
			messages_note(&messages, job->file, "%s%" PRIu64 " %s written to %s",
				      outcome->code == EXIT_DAMAGED ? "damaged: " : "", outcome->written, unit,
				      output_place(job, room));
		else
			messages_note(&messages, job->file,
				      outcome->code == EXIT_INTERRUPTED ? "interrupted: nothing was written"
									: "nothing was written");
	}
	messages_release(&messages);
}

static void note_converted(struct batch *batch, struct job *job)
{
	struct outcome *outcome = &job->outcome;
	const int code = outcome->nr_outputs ? resume_add(batch->resume, job) : 0;
	if (code) {
		usage_error(&batch->options->style,
			    "%s: the index of -o cannot be written, so --resume will convert it again: %s", job->file,
			    error_text(code));
		outcome->code = exit_code_join(outcome->code, exit_code_of_write(code));
	}
	summary_add(&batch->summary, outcome);
}

static void convert_nth(void *user, size_t index)
{
	struct batch *batch = user;
	const struct pass *pass = &batch->passes[index];
	struct job *left[MOST_TABLES_AT_ONCE];
	size_t nr = 0;
	if (was_interrupted() || summary_stops(&batch->summary))
		return;
	for (size_t i = pass->first; i < pass->first + pass->nr; i++) {
		struct job *job = &batch->jobs[i];
		job_begin(job, i);
		if (batch->options->resume && resume_knows(batch->resume, job))
			summary_add(&batch->summary, &job->outcome);
		else
			left[nr++] = job;
	}
	if (nr)
		convert_tables(left, nr);
	for (size_t i = 0; i < nr; i++)
		note_converted(batch, left[i]);
}

/* Minimum share of the memory for a large input: with less, it keeps moving data to temporary files, and exceeds the
 * share anyway. */
#define LEAST_SHARE (UINT64_C(32) << 20)
/* Memory that a large input needs beyond its account: chunks of input and blocks of output. Each formatting thread
 * needs THREAD_SHARE more. */
#define BEYOND_SHARE (UINT64_C(16) << 20)
#define THREAD_SHARE (UINT64_C(24) << 20)
#define LARGE_INPUT (UINT64_C(1) << 20)  /* size of the file in bytes; smaller inputs need little memory */

/* Memory to reserve for each input besides its account. With --max-memory the limit must include it; otherwise nothing
 * is reserved, so that all processors are used. */
static uint64_t beyond_share(const struct options *options) { return options->max_memory ? BEYOND_SHARE : 0; }

/* Number of passes that run in parallel. */
static unsigned inputs_at_once(const struct batch *batch, unsigned threads)
{
	const struct options *options = batch->options;
	const uint64_t fitting = max_memory_of(options) / (LEAST_SHARE + beyond_share(options));
	const uint64_t shares = fitting ? fitting : 1;
	const unsigned most = threads < batch->nr_passes ? threads : (unsigned)batch->nr_passes;
	uint64_t large = 0, bytes, changed;
	for (size_t i = 0; i < batch->nr_passes && large <= shares && shares < most; i++)
		large += !outcome_measure(batch->jobs[batch->passes[i].first].file, &bytes, &changed) ||
			 bytes >= LARGE_INPUT;
	return large > shares ? (unsigned)shares : most;
}

/* Sets the threads and the share of memory of each job. */
static void share_out(struct batch *batch, unsigned threads, unsigned at_once)
{
	const bool is_alone = batch->nr_passes == 1;
	const uint64_t part = at_once ? max_memory_of(batch->options) / at_once : 0;
	const uint64_t beyond = beyond_share(batch->options);
	const bool is_ample = part >= LEAST_SHARE + beyond;
	const uint64_t share = is_ample ? part - beyond : part ? part : 1;
	const uint64_t most = !beyond ? threads : is_ample ? share / THREAD_SHARE : 1;
	unsigned each = at_once ? (threads + at_once - 1) / at_once : 0;
	if (!is_alone && each > most)
		each = (unsigned)most;
	for (size_t i = 0; i < batch->nr; i++) {
		batch->jobs[i].threads = each;
		batch->jobs[i].at_once = at_once;
		batch->jobs[i].memory = is_alone ? 0 : share;
	}
}

static enum exit_code run_batch(struct batch *batch)
{
	const struct options *options = batch->options;
	const unsigned threads = options->jobs ? (unsigned)options->jobs : perfdata_processors();
	if (!make_passes(batch))
		return out_of_memory(batch);
	const unsigned at_once = inputs_at_once(batch, threads);
	share_out(batch, threads, at_once);
	enum exit_code wrong = check_paths(batch);
	if (wrong == EXIT_FINE)
		wrong = check_folder(options);
	if (wrong != EXIT_FINE)
		return wrong;
	batch->resume = resume_begin(options);
	if (!batch->resume)
		return errno == ENOMEM ? out_of_memory(batch) : errno == EFBIG ? EXIT_INPUT : EXIT_USAGE;
	const enum exit_code begun = summary_begin(&batch->summary, options, true);
	if (begun != EXIT_FINE)
		return begun;
	batch->summary.inputs = batch->nr;
	clean_folders(batch);
	const enum perfdata_status status =
		batch->nr_passes ? perfdata_parallel(batch->nr_passes, at_once, convert_nth, batch) : PERFDATA_OK;
	report_batch(batch);
	const enum exit_code code = exit_code_join(batch->code, exit_code_of_status(status));
	return summary_end(&batch->summary, was_interrupted() ? exit_code_join(code, EXIT_INTERRUPTED) : code);
}

enum exit_code convert_to_many(const struct options *options)
{
	struct batch batch = { .options = options };
	for (size_t i = 0; i < options->inputs->nr; i++) {
		if (tables_are_several(options))
			add_tables(&batch, &options->inputs->items[i]);
		else
			add_job(&batch, &options->inputs->items[i], NULL);
	}
	enum exit_code code = batch.no_memory ? out_of_memory(&batch) : batch.code;
	if (code != EXIT_LIMIT)
		code = run_batch(&batch);
	resume_end(batch.resume);
	for (size_t i = 0; i < batch.nr; i++)
		job_release(&batch.jobs[i]);
	free(batch.passes);
	free(batch.jobs);
	return code;
}
