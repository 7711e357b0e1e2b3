/* SPDX-License-Identifier: MIT */
#include "config.h"
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "match_verdict.h"

#define NAMES \
	((uint32_t)(PERFDATA_PART_SYMTAB | PERFDATA_PART_DWARF | PERFDATA_PART_MINIDEBUG | PERFDATA_PART_ANSWERS))

double match_percent(uint64_t part, uint64_t whole) { return whole ? 100.0 * (double)part / (double)whole : 100.0; }

static const char *plain_state(const struct match_verdict *verdict, const struct match_row *row)
{
	if (verdict->between_recordings) {
		if (row->is_other)
			return "only_b";
		if (row->result.state == PERFDATA_MATCH_SAME)
			return "same";
		if (row->result.state == PERFDATA_MATCH_ABSENT ||
		    (row->result.state == PERFDATA_MATCH_UNKNOWN && !row->result.found))
			return "only_a";
	}
	return perfdata_match_state_name(row->result.state);
}

const char *match_state(const struct match_verdict *verdict, const struct match_row *row, const char **ret_counts_as)
{
	const char *state = plain_state(verdict, row);
	if (ret_counts_as)
		*ret_counts_as = state;
	return row->file->has_conflict && !row->is_other ? "conflict" : state;
}

static void append_id(struct perfdata_text *out, const struct file_row *file)
{
	perfdata_text_bytes_hex(out, file->build_id, file->build_id_size);
}

/* The note of a row: phrases joined by "; ". It begins at `start` of `out`. */
struct note {
	struct perfdata_text *out;
	size_t start;
};

static struct perfdata_text *begin_phrase(const struct note *note)
{
	if (note->out->size > note->start)
		perfdata_text_literal(note->out, "; ");
	return note->out;
}

/* Appends a command that downloads the missing file, or the name of the package that usually has it. */
static void append_advice(const struct note *note, const struct match_row *row)
{
	const struct file_row *file = row->file;
	const bool is_missing = row->result.state == PERFDATA_MATCH_ABSENT ||
				row->result.state == PERFDATA_MATCH_DIFFERS;
	const bool is_unnamed = row->is_matched && !(row->result.parts & (NAMES | PERFDATA_PART_UNSEEN));
	if (!is_missing && !is_unnamed)
		return;
	if (file->kind == PERFDATA_DSO_KERNEL && file->release) {
		perfdata_text_printf(begin_phrase(note),
				     "in the package linux-image-%s-dbg (Debian), kernel-debuginfo-%s (Fedora)",
				     file->release, file->release);
	} else if (file->build_id_size) {
		perfdata_text_printf(begin_phrase(note), "debuginfod-find %s ",
				     is_missing ? "executable" : "debuginfo");
		append_id(note->out, file);
	}
}

void match_note(struct perfdata_text *out, const struct match_verdict *verdict, const struct match_row *row)
{
	const struct perfdata_match_result *result = &row->result;
	const struct note note = { out, out->size };
	const char *counts_as;
	if (row->is_other)
		return;
	if (!strcmp(match_state(verdict, row, &counts_as), "conflict"))
		perfdata_text_printf(begin_phrase(&note),
				     "counts as %s: the header's table has another build-id for this path", counts_as);
	if (result->reason)
		perfdata_text_string(begin_phrase(&note), result->reason);
	if (row->is_matched && result->parts & PERFDATA_PART_DYNSYM && !(result->parts & NAMES))
		perfdata_text_literal(begin_phrase(&note), "exported names only");
	/* code of a compiler at run time: no source has the map as a file of the recording */
	if (verdict->names_known && row->file->samples && !row->named &&
	    (row->file->kind == PERFDATA_DSO_PERF_MAP || row->file->kind == PERFDATA_DSO_JITDUMP))
		perfdata_text_literal(begin_phrase(&note), "no names from it: -v says why");
	/* as of a file that was replaced during the recording, if the recorded build-id is that of the new file */
	const bool lacks_all = row->is_matched && verdict->names_known && result->parts & NAMES && !row->named;
	if (row->file->samples > row->named && (row->named || lacks_all))
		perfdata_text_printf(begin_phrase(&note), "%" PRIu64 " of %" PRIu64 " samples have a name", row->named,
				     row->file->samples);
	if (row->is_matched && result->parts & NAMES && !(result->parts & PERFDATA_PART_TEXT) &&
	    row->file->kind != PERFDATA_DSO_KERNEL)
		perfdata_text_literal(begin_phrase(&note), "names only: no code for unwinding and disassembly");
	if (result->parts & PERFDATA_PART_ALT_MISSING)
		perfdata_text_literal(begin_phrase(&note), "its debug information refers to a file that is not here");
	if (result->debug) {
		perfdata_text_literal(begin_phrase(&note), "symbols in ");
		perfdata_text_printable(out, result->debug, strlen(result->debug));
	}
	if (!verdict->between_recordings)
		append_advice(&note, row);
}

/* --- the answer --------------------------------------------------------------------------------------------------- */

static void PERFDATA_PRINTF(2, 3) refuse_verdict(struct match_verdict *verdict, const char *format, ...)
{
	char line[256];
	va_list args;
	va_start(args, format);
	vsnprintf(line, sizeof line, format, args);
	va_end(args);
	verdict->nr_reasons++;
	perfdata_text_string(&verdict->reasons, line);
	perfdata_text_char(&verdict->reasons, '\n');
}

/* Parses "99%" or "99.5"; 0 if `text` is NULL. False after a message. */
static bool parse_percent_limit(const struct options *options, const char *name, const char *text, double *ret)
{
	char *end;
	*ret = 0;
	if (!text)
		return true;
	*ret = strtod(text, &end);
	if (end != text && (!*end || (*end == '%' && !end[1])) && *ret >= 0 && *ret <= 100)
		return true;
	usage_error(&options->style, "--%s takes a percentage such as 99%%, not '%s'", name, text);
	return false;
}

static bool is_of_kernel(const struct file_row *file)
{
	return file->kind == PERFDATA_DSO_KERNEL || file->kind == PERFDATA_DSO_MODULE;
}

static bool is_left_out(const struct options *options, const struct file_row *file)
{
	return options->kernel && !strcmp(options->kernel, "no") && is_of_kernel(file);
}

static void sum_weights(struct match_verdict *verdict, const struct options *options)
{
	verdict->file_weight = verdict->memory_weight = verdict->identified = verdict->matched = verdict->named = 0;
	verdict->samples = verdict->files->samples_outside;
	for (size_t i = 0; i < verdict->nr; i++) {
		struct match_row *row = &verdict->rows[i];
		const uint64_t weight = row->file->weight;
		const struct perfdata_match_result *result = &row->result;
		if (row->is_other || is_left_out(options, row->file))
			continue;
		verdict->samples += row->file->samples;
		verdict->named += row->named;
		if (result->state == PERFDATA_MATCH_MEMORY) {
			verdict->memory_weight += weight;
			continue;
		}
		verdict->file_weight += weight;
		verdict->identified += row->file->build_id_size && !row->file->unidentified ? weight : 0;
		verdict->matched += row->is_matched ? weight : 0;
	}
}

/* Whether `path` is one of the paths of the file, or the last part of one if `path` has no slash. */
static bool has_path(const struct file_row *file, const char *path)
{
	for (size_t i = 0; i < file->nr_paths; i++) {
		const char *slash = strrchr(file->paths[i], '/');
		if (!strcmp(file->paths[i], path) || (!strchr(path, '/') && slash && !strcmp(slash + 1, path)))
			return true;
	}
	return false;
}

static void judge_required(struct match_verdict *verdict, const struct options *options)
{
	for (size_t i = 0; i < options->required.nr; i++) {
		const char *path = options->required.values[i];
		bool seen = false;
		for (size_t r = 0; r < verdict->nr; r++) {
			const struct match_row *row = &verdict->rows[r];
			if (row->is_other || !has_path(row->file, path))
				continue;
			seen = true;
			if (!row->is_matched)
				refuse_verdict(verdict, "%s is required and does not match (%s)", path,
					       plain_state(verdict, row));
		}
		if (!seen)
			refuse_verdict(verdict, "%s is required and not in the recording", path);
	}
}

/* Whether the row counts for the verdict: it has --min-weight of the weight; without that option, it has samples. */
static bool is_judged(const struct match_verdict *verdict, const struct match_row *row, double min_weight)
{
	if (min_weight > 0)
		return match_percent(row->file->weight, verdict->file_weight) >= min_weight;
	return file_row_is_hit(row->file);
}

bool match_is_refused(const struct match_row *row)
{
	return row->result.state == PERFDATA_MATCH_DIFFERS || row->result.state == PERFDATA_MATCH_NO_NOTE ||
	       (row->file->unidentified && !row->is_matched);
}

static void judge_rows(struct match_verdict *verdict, const struct options *options, double min_weight)
{
	bool any = false, found = false;
	for (size_t i = 0; i < verdict->nr; i++) {
		const struct match_row *row = &verdict->rows[i];
		const enum perfdata_match_state state = row->result.state;
		if (row->is_other || state == PERFDATA_MATCH_MEMORY || is_left_out(options, row->file) ||
		    !is_judged(verdict, row, min_weight))
			continue;
		any = true;
		found |= row->result.found != NULL || row->is_matched;
		const bool is_no = match_is_refused(row);
		if (verdict->between_recordings) {
			if (options->require_same && state != PERFDATA_MATCH_SAME)
				refuse_verdict(verdict, "%s: %s", row->file->paths[0], plain_state(verdict, row));
		} else if (is_no) {
			refuse_verdict(verdict, "%s: %s", row->file->paths[0],
				       row->result.reason ? row->result.reason : plain_state(verdict, row));
		}
	}
	if (any && !found && !verdict->between_recordings)
		refuse_verdict(verdict, "none of the files with samples was found");
}

bool match_limits_parse(const struct options *options, struct match_limits *ret)
{
	return parse_percent_limit(options, "min-matched", options->min_matched, &ret->matched) &&
	       parse_percent_limit(options, "min-named", options->min_named, &ret->named) &&
	       parse_percent_limit(options, "min-weight", options->min_weight, &ret->weight);
}

/* Estimates names where the session did not read the file: all samples count as named if the file has names. */
static void count_names(struct match_verdict *verdict, struct match_row *row, bool is_usable)
{
	const struct perfdata_match_result *result = &row->result;
	const struct file_row *file = row->file;
	const bool has_names = is_usable && result->parts & (NAMES | PERFDATA_PART_DYNSYM);
	const bool is_read = result->source == SIZE_MAX || verdict->session_reads[result->source];
	row->named = row->is_other ? 0 : file->named;
	if (!row->named && !is_read && has_names && file->samples) {
		row->named = file->samples;
		verdict->is_estimated = true;
	}
	row->can_be_named = row->named || (!file->samples && has_names);
}

void match_judge(struct match_verdict *verdict, const struct options *options, const struct match_limits *limits)
{
	for (size_t i = 0; i < verdict->nr; i++) {
		struct match_row *row = &verdict->rows[i];
		const struct perfdata_match_result *result = &row->result;
		const bool is_unproven = result->state == PERFDATA_MATCH_UNVERIFIED;
		row->is_matched = !row->is_other &&
				  (result->state == PERFDATA_MATCH_SAME || result->state == PERFDATA_MATCH_MOVED ||
				   (is_unproven && options->trust_paths));
		/* commands that name addresses trust unproven files below --symfs and in bundles, since the user says
		 * that they are the recorded ones */
		const bool is_vouched_for = options->roots.nr || options->flats.nr || options->bundle;
		const bool is_usable = row->is_matched || (is_unproven && (result->identified || is_vouched_for));
		count_names(verdict, row, is_usable);
	}
	sum_weights(verdict, options);
	judge_rows(verdict, options, limits->weight);
	judge_required(verdict, options);
	const double matched = match_percent(verdict->matched, verdict->file_weight),
		     named = match_percent(verdict->named, verdict->samples);
	if (matched < limits->matched)
		refuse_verdict(verdict, "%.1f %% of the weight is matched, less than %s", matched,
			       options->min_matched);
	if (named < limits->named)
		refuse_verdict(verdict, "%.1f %% of the samples have a name, less than %s", named, options->min_named);
}
