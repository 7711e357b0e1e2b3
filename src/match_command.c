/* SPDX-License-Identifier: MIT */
/* perfdata match: reports whether the files on this host are the recorded ones, and what share of the samples they can
 * name. A damaged recording makes the exit code 4, unless the answer is no. */
#include "config.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "commands.h"
#include "interrupt.h"
#include "junit.h"
#include "match_show.h"
#include "perfdata/emit.h"
#include "print.h"
#include "symbol_options.h"

struct matching {
	struct options *options;
	struct file_rows rows, other_rows;
	struct perfdata_match_source *sources;
	struct match_asked *asked;
	size_t nr_sources, nr_asked;
	char cache[4096];                  /* path of perf's build-id cache of this user, ~/.debug */
	struct perfdata_match *match;
	struct match_verdict verdict;
	struct progress progress;
	enum exit_code code;
};

static void fail_matching(struct matching *matching, enum perfdata_status status, const char *message)
{
	usage_error(&matching->options->style, "%s", message && *message ? message : perfdata_status_text(status));
	matching->code = exit_code_join(matching->code,
					status == PERFDATA_EFORMAT ? EXIT_INPUT : exit_code_of_status(status));
}

/* --- recordings --------------------------------------------------------------------------------------------------- */

/* Makes symbols from the sources, for unwinding recorded user stacks. Only the first --symfs is used. */
static enum perfdata_status symbols_of_sources(const struct matching *matching, struct messages *messages,
					       struct perfdata_symbols **ret)
{
	const struct options *o = matching->options;
	struct symbol_options symbols;
	symbol_options_make(o, messages, &symbols);
	if (o->roots.nr || o->flats.nr) {
		symbols.options.symfs = o->roots.nr ? o->roots.values[0] : o->flats.values[0];
		symbols.options.symfs_flat = !o->roots.nr;
	}
	if (o->debug_dirs.nr) {
		symbols.options.debug_dirs = o->debug_dirs.values;
		symbols.options.debug_dir_count = o->debug_dirs.nr;
	}
	if (matching->nr_sources && matching->sources[0].kind != PERFDATA_SOURCE_HOST) {
		symbols.options.no_host = true;
		symbols.options.build_id_dir = o->bundle ? symbols.options.build_id_dir : NULL;
	}
	return perfdata_symbols_new(&symbols.options, ret);
}

static bool read_recordings(struct matching *matching, const struct text_list *files, struct file_rows *rows)
{
	bool any = false;
	for (size_t i = 0; i < files->nr && !was_interrupted(); i++) {
		struct perfdata_symbols *symbols = NULL;
		struct input input;
		if (input_open(&input, matching->options, files->values[i], PERFDATA_ORDER_TIME, INPUT_BYTES_AHEAD)) {
			const enum perfdata_status status = symbols_of_sources(matching, &input.messages, &symbols);
			if (status)
				input_ended(&input, status, NULL);
			else
				any |= file_rows_read(rows, &input, symbols);
			perfdata_symbols_free(symbols);
		}
		matching->code = exit_code_join(matching->code, input_close(&input, matching->options));
	}
	file_rows_finish(rows);
	return any && !rows->failed;
}

/* --- where to look ------------------------------------------------------------------------------------------------ */

static void add_source(struct matching *matching, enum perfdata_match_source_kind kind, const char *name,
		       const char *path, bool is_optional)
{
	matching->sources[matching->nr_sources] =
		(struct perfdata_match_source){ .kind = kind, .path = path, .is_optional = is_optional };
	matching->asked[matching->nr_sources++] = (struct match_asked){ .kind = name, .path = path };
}

static void add_sources(struct matching *matching, enum perfdata_match_source_kind kind, const char *name,
			const struct text_list *paths)
{
	for (size_t i = 0; i < paths->nr; i++)
		add_source(matching, kind, name, paths->values[i], false);
}

static bool find_sources(struct matching *matching)
{
	const struct options *o = matching->options;
	const size_t most = o->roots.nr + o->flats.nr + o->files_at_hand.nr + o->debug_dirs.nr + o->lists.nr +
			    o->others.nr + 4;
	const char *home = getenv("HOME");
	matching->sources = calloc(most, sizeof *matching->sources);
	matching->asked = calloc(most, sizeof *matching->asked);
	if (!matching->sources || !matching->asked) {
		fail_matching(matching, PERFDATA_ENOMEM, NULL);
		return false;
	}
	add_sources(matching, PERFDATA_SOURCE_ROOT, "symfs", &o->roots);
	add_sources(matching, PERFDATA_SOURCE_FLAT, "symfs", &o->flats);
	add_sources(matching, PERFDATA_SOURCE_FILE, "file", &o->files_at_hand);
	add_sources(matching, PERFDATA_SOURCE_DEBUG_DIR, "debug-dir", &o->debug_dirs);
	add_sources(matching, PERFDATA_SOURCE_LIST, "list", &o->lists);
	add_sources(matching, PERFDATA_SOURCE_OTHER, "other", &o->others);
	if (o->bundle)
		add_source(matching, PERFDATA_SOURCE_BUNDLE, "symbols-from", o->symbols_from, false);
	if (!matching->nr_sources) {
		add_source(matching, PERFDATA_SOURCE_HOST, "host", NULL, false);
		if (home &&
		    snprintf(matching->cache, sizeof matching->cache, "%s/.debug", home) < (int)sizeof matching->cache)
			add_source(matching, PERFDATA_SOURCE_DEBUG_DIR, "debug-dir", matching->cache, true);
	}
	if (o->debuginfod)
		add_source(matching, PERFDATA_SOURCE_DEBUGINFOD, "debuginfod", NULL, false);
	matching->verdict.between_recordings = o->others.nr == matching->nr_sources;
	for (size_t i = 0; i < matching->nr_sources; i++) {
		const enum perfdata_match_source_kind kind = matching->sources[i].kind;
		matching->verdict.names_known |= kind != PERFDATA_SOURCE_LIST && kind != PERFDATA_SOURCE_OTHER;
	}
	if (o->min_named && !matching->verdict.names_known) {
		usage_error(&o->style,
			    "--min-named needs files: lists and recordings do not show which samples can be named");
		return false;
	}
	return true;
}

/* Sets which sources the session takes names from: those that symbols_of_sources passes on. */
static bool note_readers(struct matching *matching)
{
	const struct options *o = matching->options;
	const char *first = o->roots.nr ? o->roots.values[0] : o->flats.nr ? o->flats.values[0] : NULL;
	matching->verdict.session_reads = calloc(matching->nr_sources + 1, sizeof(bool));
	if (!matching->verdict.session_reads) {
		fail_matching(matching, PERFDATA_ENOMEM, NULL);
		return false;
	}
	for (size_t i = 0; i < matching->nr_sources; i++) {
		bool reads = false;
		switch (matching->sources[i].kind) {
		case PERFDATA_SOURCE_HOST:
		case PERFDATA_SOURCE_BUNDLE:
		case PERFDATA_SOURCE_DEBUGINFOD: reads = true; break;
		/* sessions read a debug directory only for files that they have */
		case PERFDATA_SOURCE_DEBUG_DIR: reads = matching->sources[i].is_optional; break;
		/* with --search, files may be at paths that no session looks up */
		case PERFDATA_SOURCE_ROOT:
		case PERFDATA_SOURCE_FLAT: reads = !o->search && matching->sources[i].path == first; break;
		case PERFDATA_SOURCE_FILE:
		case PERFDATA_SOURCE_LIST:
		case PERFDATA_SOURCE_OTHER: break;
		}
		matching->verdict.session_reads[i] = reads;
	}
	return true;
}

/* Reads the recordings of --other, and adds their files. A recording without build-ids is an error: nothing can be
 * compared. */
static bool add_others(struct matching *matching)
{
	const struct options *o = matching->options;
	for (size_t i = 0; i < matching->nr_sources; i++) {
		if (matching->sources[i].kind != PERFDATA_SOURCE_OTHER || matching->sources[i].is_optional)
			continue;
		const char *path = matching->sources[i].path;
		const struct text_list one = { .values = &path, .nr = 1 };
		struct file_rows rows = { 0 };
		bool fine = read_recordings(matching, &one, &rows), identified = false;
		for (size_t r = 0; r < rows.nr && fine; r++) {
			const struct file_row *row = &rows.items[r];
			identified |= row->build_id_size != 0;
			for (size_t p = 0; p < row->nr_paths && fine; p++)
				fine = perfdata_match_add(matching->match, i, row->paths[p], file_row_id(row)) ==
				       PERFDATA_OK;
		}
		if (fine && !identified) {
			usage_error(&o->style, "%s: the recording has no build-ids to compare with", path);
			matching->code = exit_code_join(matching->code, EXIT_INPUT);
		}
		/* of several recordings, the answer lists the files of the last one only */
		file_rows_release(&matching->other_rows);
		matching->other_rows = rows;
		if (!fine || !identified)
			return false;
	}
	return true;
}

/* --- finding ------------------------------------------------------------------------------------------------------ */

static void report_step(void *user, uint64_t nr_files)
{
	struct matching *matching = user;
	progress_step(&matching->progress, nr_files, UINT64_MAX);
}

static bool open_sources(struct matching *matching)
{
	const struct options *o = matching->options;
	const struct perfdata_match_options options = {
		.size = sizeof options,
		.sources = matching->sources,
		.nr_sources = matching->nr_sources,
		.search = o->search,
		.threads = o->jobs ? (unsigned)o->jobs : perfdata_processors(),
		.cancel = interrupt_cancel(),
		.on_progress = report_step,
		.user = matching,
		.bundle = o->bundle,
	};
	struct perfdata_error error = { .offset = PERFDATA_NO_OFFSET };
	const enum perfdata_status status = perfdata_match_open(&options, &matching->match, &error);
	if (status)
		fail_matching(matching, status, error.message);
	return status == PERFDATA_OK;
}

/* Whether only the other recording maps the file: no row has its build-id or one of its paths. */
static bool is_of_other_only(const struct matching *matching, const struct file_row *file)
{
	for (size_t i = 0; i < matching->rows.nr; i++) {
		const struct file_row *own = &matching->rows.items[i];
		if (own->build_id_size && own->build_id_size == file->build_id_size &&
		    !memcmp(own->build_id, file->build_id, own->build_id_size))
			return false;
		for (size_t p = 0; p < file->nr_paths; p++)
			for (size_t o = 0; o < own->nr_paths; o++)
				if (!strcmp(own->paths[o], file->paths[p]))
					return false;
	}
	return true;
}

static bool find_candidates(struct matching *matching)
{
	const struct file_rows *rows = &matching->rows;
	struct match_verdict *verdict = &matching->verdict;
	const size_t most = rows->nr + matching->other_rows.nr + 1;
	struct perfdata_match_wanted *wanted = calloc(most, sizeof *wanted);
	struct perfdata_match_result *results = calloc(most, sizeof *results);
	verdict->rows = calloc(most, sizeof *verdict->rows);
	enum perfdata_status status = wanted && results && verdict->rows ? PERFDATA_OK : PERFDATA_ENOMEM;
	for (size_t i = 0; i < rows->nr && status == PERFDATA_OK; i++)
		wanted[i] = file_row_wanted(&rows->items[i]);
	if (matching->options->search)
		(void)progress_begin(&matching->progress, matching->options->progress, &matching->options->style,
				     "files searched");
	if (status == PERFDATA_OK)
		status = perfdata_match_find(matching->match, wanted, rows->nr, results);
	progress_end(&matching->progress);
	/* the table has files that could not be read, with the reason */
	const bool failed = status == PERFDATA_ENOMEM || status == PERFDATA_EREAD;
	if (failed && results && verdict->rows) {
		fail_matching(matching, status, status == PERFDATA_EREAD ? "files could not be read"
								: "out of memory or descriptors");
		status = PERFDATA_OK;
	}
	/* the session knows more than the files: hosts, chroots, when a file was mapped */
	for (size_t i = 0; i < rows->nr && status == PERFDATA_OK; i++)
		if (rows->items[i].unidentified) {
			results[i].reason = rows->items[i].unidentified;
			results[i].identified = false;
		}
	for (size_t i = 0; i < rows->nr && status == PERFDATA_OK; i++)
		verdict->rows[verdict->nr++] = (struct match_row){ .file = &rows->items[i], .result = results[i] };
	for (size_t i = 0; i < matching->other_rows.nr && status == PERFDATA_OK && verdict->between_recordings; i++) {
		const struct file_row *file = &matching->other_rows.items[i];
		if (file->build_id_size && is_of_other_only(matching, file))
			verdict->rows[verdict->nr++] = (struct match_row){
				.file = file,
				.is_other = true,
				.result = { .state = PERFDATA_MATCH_ABSENT, .source = SIZE_MAX },
			};
	}
	free(wanted);
	free(results);
	if (status == PERFDATA_EINTR)
		matching->code = exit_code_join(matching->code, EXIT_INTERRUPTED);
	else if (status)
		fail_matching(matching, status, NULL);
	return status == PERFDATA_OK;
}

static void show_matching(struct matching *matching)
{
	const struct options *o = matching->options;
	for (size_t i = 0; i < matching->nr_sources; i++)
		matching->asked[i].found = perfdata_match_nr_found(matching->match, i);
	const struct match_answer answer = {
		.options = o,
		.verdict = &matching->verdict,
		.rows = &matching->rows,
		.asked = matching->asked,
		.nr_asked = matching->nr_sources,
		.searched = perfdata_match_nr_searched(matching->match),
		.inputs = matching->code,
	};
	const bool fine = o->json    ? match_show_json(&answer)
			  : o->junit ? match_show_junit(&answer)
			  : o->tsv   ? match_show_tsv(&answer)
				     : match_show_text(&answer);
	if (!fine)
		fail_matching(matching, PERFDATA_ENOMEM, NULL);
	if (o->tsv && !o->style.quiet) {
		struct perfdata_text words;
		perfdata_text_init(&words);
		perfdata_text_append(&words, matching->verdict.reasons.data, matching->verdict.reasons.size);
		match_spell_shares(&words, &answer);
		if (perfdata_text_failed(&words) || perfdata_text_failed(&matching->verdict.reasons))
			fail_matching(matching, PERFDATA_ENOMEM, NULL);
		else
			print_words(words.data, words.size);
		perfdata_text_release(&words);
	}
}

/* Exit code: the answer no wins over damage of the recordings, but not over failures. */
static enum exit_code answer_code(const struct matching *matching)
{
	if (matching->verdict.nr_reasons && (matching->code == EXIT_FINE || matching->code == EXIT_DAMAGED))
		return EXIT_ANSWER_NO;
	return was_interrupted() ? exit_code_join(matching->code, EXIT_INTERRUPTED) : matching->code;
}

static void free_matching(struct matching *matching)
{
	perfdata_match_close(matching->match);
	free(matching->verdict.session_reads);
	perfdata_text_release(&matching->verdict.reasons);
	free(matching->verdict.rows);
	free(matching->sources);
	free(matching->asked);
	file_rows_release(&matching->rows);
	file_rows_release(&matching->other_rows);
}

enum exit_code command_match(struct options *options)
{
	struct matching matching = { .options = options };
	struct match_limits limits;
	if (!match_limits_parse(options, &limits) || !inputs_find(options))
		return EXIT_USAGE;
	interrupt_catch();
	perfdata_text_init(&matching.verdict.reasons);
	matching.verdict.files = &matching.rows;
	const bool has_sources = find_sources(&matching);
	matching.rows.counts_names = matching.rows.counts_broken = matching.verdict.names_known;
	if (!has_sources)
		matching.code = exit_code_join(matching.code, EXIT_USAGE);
	else if (note_readers(&matching) && open_sources(&matching) &&
		 read_recordings(&matching, &options->files, &matching.rows) && add_others(&matching) &&
		 find_candidates(&matching)) {
		match_judge(&matching.verdict, options, &limits);
		show_matching(&matching);
	} else if (options->junit) {
		matching.code = junit_without_answer("perfdata.match", answer_code(&matching));
	}
	const enum exit_code code = answer_code(&matching);
	free_matching(&matching);
	return code;
}
