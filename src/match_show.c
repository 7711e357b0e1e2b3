/* SPDX-License-Identifier: MIT */
#include "config.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "file_rows_json.h"
#include "json_build.h"
#include "junit.h"
#include "match_show.h"
#include "print.h"

enum column {
	COLUMN_STATE,
	COLUMN_SAMPLES,
	COLUMN_WEIGHT,
	COLUMN_IN_CHAIN,
	COLUMN_MAPPINGS,
	COLUMN_KIND,
	COLUMN_BUILD_ID,
	COLUMN_SOURCE,
	COLUMN_PATH,
	COLUMN_FOUND,
	COLUMN_FOUND_BUILD_ID,
	COLUMN_PARTS,
	COLUMN_NOTE,
	NR_COLUMNS,
};
static const char *const headings[NR_COLUMNS] = {
	"state",  "samples", "weight", "in_chain",       "mappings", "kind", "build_id",
	"source", "path",    "found",  "found_build_id", "parts",    "note",
};

static bool print_text(struct perfdata_text *out)
{
	const bool fine = !perfdata_text_failed(out);
	if (fine && out->size)
		print_answer(out->data, out->size);
	perfdata_text_release(out);
	return fine;
}

static void append_sources(struct perfdata_text *out, unsigned sources)
{
	unsigned bit;
	const char *name, *comma = "";
	for (size_t i = 0; (name = file_source_name(i, &bit)); i++) {
		if (!(sources & bit))
			continue;
		perfdata_text_printf(out, "%s%s", comma, name);
		comma = ",";
	}
}

static void append_parts(struct perfdata_text *out, uint32_t parts)
{
	enum perfdata_match_part bit;
	const char *name, *comma = "";
	for (size_t i = 0; (name = perfdata_match_part_name(i, &bit)); i++) {
		if (!(parts & (unsigned)bit))
			continue;
		perfdata_text_printf(out, "%s%s", comma, name);
		comma = ",";
	}
}

/* Appends a path (or nothing for NULL) in printable characters. */
static void append_path(struct perfdata_text *out, const char *path)
{
	if (path)
		perfdata_text_printable(out, path, strlen(path));
}

static void append_cell(struct perfdata_text *out, const struct match_answer *answer, const struct match_row *row,
			enum column column)
{
	const struct file_row *file = row->file;
	const struct perfdata_match_result *result = &row->result;
	switch (column) {
	case COLUMN_STATE: perfdata_text_string(out, match_state(answer->verdict, row, NULL)); break;
	case COLUMN_SAMPLES: perfdata_text_u64(out, file->samples); break;
	case COLUMN_WEIGHT: perfdata_text_u64(out, file->weight); break;
	case COLUMN_IN_CHAIN: perfdata_text_u64(out, file->hits); break;
	case COLUMN_MAPPINGS: perfdata_text_u64(out, file->maps); break;
	case COLUMN_KIND: perfdata_text_string(out, file_kind_name(file->kind)); break;
	case COLUMN_BUILD_ID: perfdata_text_bytes_hex(out, file->build_id, file->build_id_size); break;
	case COLUMN_SOURCE: append_sources(out, file->sources); break;
	case COLUMN_PATH: append_path(out, file->paths[0]); break;
	case COLUMN_FOUND: append_path(out, result->found); break;
	case COLUMN_FOUND_BUILD_ID: perfdata_text_bytes_hex(out, result->build_id.data, result->build_id.size); break;
	case COLUMN_PARTS: append_parts(out, result->parts); break;
	case COLUMN_NOTE: match_note(out, answer->verdict, row); break;
	case NR_COLUMNS: break;
	}
}

static void append_lines(struct perfdata_text *out, const struct perfdata_text *lines)
{
	for (size_t at = 0; at < lines->size;) {
		const char *line = lines->data + at, *end = memchr(line, '\n', lines->size - at);
		const size_t size = end ? (size_t)(end - line) : lines->size - at;
		perfdata_text_printable(out, line, size);
		perfdata_text_char(out, '\n');
		at += size + 1;
	}
}

void match_spell_shares(struct perfdata_text *out, const struct match_answer *answer)
{
	const struct match_verdict *v = answer->verdict;
	if (v->between_recordings) {
		size_t same = 0, others = 0;
		for (size_t i = 0; i < v->nr; i++) {
			const bool is_same = v->rows[i].result.state == PERFDATA_MATCH_SAME;
			same += is_same;
			others += !is_same && v->rows[i].result.state != PERFDATA_MATCH_MEMORY &&
				  file_row_is_hit(v->rows[i].file);
		}
		perfdata_text_printf(out, "%zu files are the same in both; %zu of those with samples are not\n", same,
				     others);
		return;
	}
	if (!answer->rows->samples) {
		perfdata_text_literal(out, "no samples: nothing needs a name\n");
		return;
	}
	perfdata_text_printf(
		out,
		"of %" PRIu64
		" samples, %.1f %% of the weight lies in files; of that %.1f %% is identified, %.1f %% matched; ",
		answer->rows->samples, match_percent(v->file_weight, v->file_weight + v->memory_weight),
		match_percent(v->identified, v->file_weight), match_percent(v->matched, v->file_weight));
	if (v->names_known)
		perfdata_text_printf(out, "%.1f %% of the samples %s a name\n", match_percent(v->named, v->samples),
				     v->is_estimated ? "can get" : "have");
	else
		perfdata_text_literal(out, "no file was looked at for names\n");
	append_lines(out, &answer->rows->broken);
}

/* --- tables ------------------------------------------------------------------------------------------------------- */

/* Cells need no escapes: printable text has no tabs and newlines. */
bool match_show_tsv(const struct match_answer *answer)
{
	struct perfdata_text out;
	perfdata_text_init(&out);
	for (size_t c = 0; c < NR_COLUMNS; c++)
		perfdata_text_printf(&out, "%s%s", c ? "\t" : "", headings[c]);
	perfdata_text_char(&out, '\n');
	for (size_t i = 0; i < answer->verdict->nr; i++) {
		for (size_t c = 0; c < NR_COLUMNS; c++) {
			perfdata_text_string(&out, c ? "\t" : "");
			append_cell(&out, answer, &answer->verdict->rows[i], (enum column)c);
		}
		perfdata_text_char(&out, '\n');
	}
	return print_text(&out);
}

static bool is_shown(const struct match_answer *answer, const struct match_row *row)
{
	return file_row_is_hit(row->file) || answer->options->style.verbose;
}

static size_t width_of(const struct match_answer *answer, enum column column, struct perfdata_text *out)
{
	struct perfdata_text cell;
	size_t width = strlen(headings[column]);
	perfdata_text_init(&cell);
	for (size_t i = 0; i < answer->verdict->nr; i++) {
		cell.size = 0;
		append_cell(&cell, answer, &answer->verdict->rows[i], column);
		const size_t size = cell.size ? cell.size : 1;
		width = is_shown(answer, &answer->verdict->rows[i]) && size > width ? size : width;
	}
	out->failed |= perfdata_text_failed(&cell);
	perfdata_text_release(&cell);
	return width;
}

static bool is_number(enum column column) { return column >= COLUMN_SAMPLES && column <= COLUMN_MAPPINGS; }

/* Appends lines; invisible characters in them are escaped. */
static void append_aligned(struct perfdata_text *out, const char *text, size_t size, size_t width, enum column column)
{
	const size_t gap = width > size ? width - size : 0;
	if (is_number(column))
		perfdata_text_fill(out, ' ', gap);
	perfdata_text_append(out, text, size);
	if (!is_number(column) && column + 1 < NR_COLUMNS)
		perfdata_text_fill(out, ' ', gap);
	perfdata_text_string(out, column + 1 < NR_COLUMNS ? "  " : "\n");
}

bool match_show_text(const struct match_answer *answer)
{
	const struct match_verdict *verdict = answer->verdict;
	struct perfdata_text out, cell;
	size_t widths[NR_COLUMNS], hidden = 0;
	perfdata_text_init(&out);
	perfdata_text_init(&cell);
	for (size_t c = 0; c < NR_COLUMNS; c++)
		widths[c] = width_of(answer, (enum column)c, &out);
	for (size_t c = 0; c < NR_COLUMNS; c++)
		append_aligned(&out, headings[c], strlen(headings[c]), widths[c], (enum column)c);
	for (size_t i = 0; i < verdict->nr; i++) {
		if (!is_shown(answer, &verdict->rows[i])) {
			hidden++;
			continue;
		}
		for (size_t c = 0; c < NR_COLUMNS; c++) {
			cell.size = 0;
			append_cell(&cell, answer, &verdict->rows[i], (enum column)c);
			if (!cell.size && c != COLUMN_NOTE)
				perfdata_text_char(&cell, '-');
			append_aligned(&out, cell.data ? cell.data : "", cell.size, widths[c], (enum column)c);
		}
	}
	if (hidden)
		perfdata_text_printf(&out, "%zu more without samples (-v shows them)\n", hidden);
	if (verdict->nr_reasons)
		perfdata_text_literal(&out, "the answer is no:\n");
	append_lines(&out, &verdict->reasons);
	out.failed |= perfdata_text_failed(&verdict->reasons);
	match_spell_shares(&out, answer);
	out.failed |= perfdata_text_failed(&cell);
	perfdata_text_release(&cell);
	return print_text(&out);
}

/* --- JSON --------------------------------------------------------------------------------------------------------- */

static void add_found(json_object *object, const struct perfdata_match_result *result)
{
	const char *const paths[] = { result->found, result->debug, result->alt, result->kallsyms };
	json_object *list = json_new_array();
	for (size_t i = 0; i < sizeof paths / sizeof *paths; i++)
		if (paths[i] && (i != 3 || !result->found || strcmp(paths[i], result->found) != 0))
			json_append(list, json_of_path(paths[i]));
	json_add(object, "found", list);
	json_add(object, "found_build_id", json_of_bytes(result->build_id.data, result->build_id.size));
}

static json_object *row_json(const struct match_answer *answer, const struct match_row *row)
{
	json_object *object = json_new_object();
	const char *counts_as, *state = match_state(answer->verdict, row, &counts_as);
	struct perfdata_text note;
	json_add(object, "state", json_new_string(state));
	if (strcmp(state, counts_as) != 0)
		json_add(object, "counts_as", json_new_string(counts_as));
	file_row_add_json(object, row->file);
	add_found(object, &row->result);
	json_add(object, "parts",
			       row->result.parts & PERFDATA_PART_UNSEEN ? NULL : json_of_parts(row->result.parts));
	json_add(object, "named", json_new_boolean(row->can_be_named));
	perfdata_text_init(&note);
	match_note(&note, answer->verdict, row);
	json_add(object, "note", json_of_text(&note));
	return object;
}

static json_object *share_json(uint64_t part, uint64_t whole)
{
	return whole ? json_new_double((double)part / (double)whole) : NULL;
}

static void add_verdict(json_object *document, const struct match_answer *answer)
{
	const struct match_verdict *v = answer->verdict;
	json_object *shares = json_new_object(), *sources = json_new_array(),
		    *reasons = json_new_array();
	json_add(shares, "identified", share_json(v->identified, v->file_weight));
	json_add(shares, "matched", share_json(v->matched, v->file_weight));
	json_add(shares, "named", v->names_known ? share_json(v->named, v->samples) : NULL);
	json_add(document, "weighted_by", json_new_string(answer->rows->weighs_periods ? "period" : "samples"));
	json_add(document, "weight_in_files", json_new_number(v->file_weight));
	json_add(document, "weight_in_memory", json_new_number(v->memory_weight));
	json_add(document, "shares", shares);
	for (size_t i = 0; i < answer->nr_asked; i++) {
		json_object *source = json_new_object();
		json_add(source, "kind", json_new_string(answer->asked[i].kind));
		json_add(source, "path", json_of_path(answer->asked[i].path));
		json_add(source, "found", json_new_number(answer->asked[i].found));
		json_append(sources, source);
	}
	json_add(document, "sources", sources);
	if (answer->options->search)
		json_add(document, "files_searched", json_new_number(answer->searched));
	json_add(document, "verdict", json_new_string(v->nr_reasons ? "no" : "yes"));
	for (const char *at = v->reasons.data, *end = at + v->reasons.size; at && at < end;) {
		const char *stop = memchr(at, '\n', (size_t)(end - at));
		struct perfdata_text line;
		perfdata_text_init(&line);
		perfdata_text_printable(&line, at, (size_t)(stop - at));
		json_append(reasons, json_of_text(&line));
		at = stop + 1;
	}
	json_add(document, "reasons", reasons);
	json_add(document, "complete", json_new_boolean(answer->inputs == EXIT_FINE));
}

bool match_show_json(const struct match_answer *answer)
{
	json_object *document = json_new_object(), *files = json_new_array(),
		    *rows = json_new_array();
	json_add(document, "schema", json_new_string("perfdata-match/1"));
	for (size_t i = 0; i < answer->options->files.nr; i++)
		json_append(files, json_of_path(answer->options->files.values[i]));
	json_add(document, "recordings", files);
	json_add(document, "samples", json_new_number(answer->rows->samples));
	json_add(document, "samples_outside", json_new_number(answer->rows->samples_outside));
	if (answer->rows->broken_list)
		json_add(document, "broken_stacks", json_object_get(answer->rows->broken_list));
	for (size_t i = 0; i < answer->verdict->nr; i++)
		json_append(rows, row_json(answer, &answer->verdict->rows[i]));
	json_add(document, "rows", rows);
	add_verdict(document, answer);
	const char *text = json_spell(document, false);
	if (text)
		print_line(text);
	json_object_put(document);
	return text != NULL;
}

/* --- JUnit -------------------------------------------------------------------------------------------------------- */

static enum junit_result case_result(const struct match_row *row)
{
	if (match_is_refused(row))
		return JUNIT_FAILED;
	switch (row->result.state) {
	case PERFDATA_MATCH_SAME:
	case PERFDATA_MATCH_MOVED: return JUNIT_PASSED;
	case PERFDATA_MATCH_DIFFERS:
	case PERFDATA_MATCH_NO_NOTE: return JUNIT_FAILED;
	case PERFDATA_MATCH_UNVERIFIED: return row->is_matched ? JUNIT_PASSED : JUNIT_SKIPPED;
	case PERFDATA_MATCH_ABSENT:
	case PERFDATA_MATCH_UNKNOWN:
	case PERFDATA_MATCH_UNREADABLE:
	case PERFDATA_MATCH_MEMORY: return JUNIT_SKIPPED;
	}
	return JUNIT_BROKEN;
}

static void add_case(struct junit *junit, const struct match_answer *answer, const struct match_row *row)
{
	struct perfdata_text name, note, details;
	perfdata_text_init(&name);
	perfdata_text_init(&note);
	perfdata_text_init(&details);
	perfdata_text_string(&name, row->file->paths[0]);
	if (row->file->build_id_size) {
		perfdata_text_char(&name, ' ');
		perfdata_text_bytes_hex(&name, row->file->build_id, row->file->build_id_size);
	}
	perfdata_text_char(&name, '\0');
	match_note(&note, answer->verdict, row);
	perfdata_text_char(&note, '\0');
	perfdata_text_printf(&details, "samples %" PRIu64 ", in_chain %" PRIu64 "\n", row->file->samples,
			     row->file->hits);
	if (row->result.found) {
		perfdata_text_literal(&details, "found ");
		append_path(&details, row->result.found);
		perfdata_text_char(&details, '\n');
	}
	const bool fine = !perfdata_text_failed(&name) && !perfdata_text_failed(&note);
	if (fine)
		junit_case(junit, name.data, case_result(row), match_state(answer->verdict, row, NULL), note.data,
			   &details);
	junit->cases.failed |= !fine;
	perfdata_text_release(&name);
	perfdata_text_release(&note);
	perfdata_text_release(&details);
}

bool match_show_junit(const struct match_answer *answer)
{
	struct perfdata_text out, details;
	struct junit junit;
	junit_init(&junit, "perfdata.match");
	for (size_t i = 0; i < answer->verdict->nr; i++)
		if (file_row_is_hit(answer->verdict->rows[i].file))
			add_case(&junit, answer, &answer->verdict->rows[i]);
	perfdata_text_init(&details);
	match_spell_shares(&details, answer);
	perfdata_text_append(&details, answer->verdict->reasons.data, answer->verdict->reasons.size);
	junit_case(&junit, "verdict", answer->verdict->nr_reasons ? JUNIT_FAILED : JUNIT_PASSED, "no",
		   "the files at hand are not the recorded ones", &details);
	junit.cases.failed |= perfdata_text_failed(&answer->verdict->reasons);
	perfdata_text_release(&details);
	junit_inputs(&junit, answer->inputs);
	perfdata_text_init(&out);
	junit_end(&junit, "perfdata match", &out);
	return print_text(&out);
}
