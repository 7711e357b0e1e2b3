/* SPDX-License-Identifier: MIT */
#include "config.h"
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "diff_show.h"
#include "file_rows_json.h"
#include "json_build.h"
#include "print.h"

/* Rows are most of the document, so each is spelled and printed by itself. Until then a byte that no JSON text contains
 * marks their place. */
#define ROWS_PLACE "\001"
#define ROW_INDENT "        "

/* Makes a JSON number: the shortest decimal that reads back as the same double; null if not finite. */
static json_object *number_json(double value)
{
	struct perfdata_text text;
	json_object *number = NULL;
	perfdata_text_init(&text);
	perfdata_text_double(&text, value);
	perfdata_text_char(&text, 0);
	if (perfdata_text_failed(&text))
		json_note_failure();
	else if (isfinite(value))
		number = json_new_double_as(value, text.data);
	perfdata_text_release(&text);
	return number;
}

static json_object *pair_json(json_object *before, json_object *after)
{
	json_object *pair = json_new_array();
	json_append(pair, before);
	json_append(pair, after);
	return pair;
}

static json_object *compared_json(const struct perfdata_compared *reported)
{
	json_object *object = json_new_object();
	const bool judged = diff_is_judged(reported);
	json_add(object, "state", json_new_string(perfdata_change_name(reported->change)));
	json_add(
		object, "samples",
		pair_json(json_new_number(reported->samples[0]), json_new_number(reported->samples[1])));
	json_add(
		object, "weight",
		pair_json(json_new_number(reported->weight[0]), json_new_number(reported->weight[1])));
	json_add(object, "share", pair_json(number_json(reported->share[0]), number_json(reported->share[1])));
	json_add(object, "compared", number_json(reported->compared));
	json_add(object, "delta", number_json(reported->delta));
	json_add(object, "ratio", number_json(reported->ratio));
	json_add(object, "p", judged ? number_json(reported->p) : NULL);
	json_add(object, "adjusted_p", judged ? number_json(reported->adjusted_p) : NULL);
	json_add(object, "dispersion", number_json(reported->dispersion));
	json_add(object, "smallest_visible", number_json(reported->visible));
	return object;
}

static json_object *row_json(const struct perfdata_comparison_row *row)
{
	json_object *object = json_new_object();
	json_add(object, "state", json_new_string(perfdata_change_name(row->change)));
	json_add(object, "symbol", json_of_path(row->key));
	json_add(object, "file", json_of_path(row->file));
	json_add(object, "names", pair_json(json_of_path(row->names[0]), json_of_path(row->names[1])));
	json_add(object, "raw_names", pair_json(json_of_path(row->raw_names[0]), json_of_path(row->raw_names[1])));
	json_add(
		object, "clones",
		pair_json(json_new_number(row->clones[0]), json_new_number(row->clones[1])));
	json_add(object, "self", compared_json(&row->self));
	json_add(object, "inclusive", compared_json(&row->inclusive));
	if (row->reason)
		json_add(object, "reason", json_of_path(row->reason));
	if (row->cause)
		json_add(object, "cause", json_of_path(row->cause));
	return object;
}

static json_object *event_side_json(const struct perfdata_compared_side *side)
{
	json_object *object = json_new_object();
	json_add(object, "recordings", json_new_number(side->recordings));
	json_add(object, "samples", json_new_number(side->samples));
	json_add(object, "weight", json_new_number(side->weight));
	json_add(object, "named_weight", json_new_number(side->named_weight));
	json_add(object, "units", side->units > 0 ? number_json(side->units) : NULL);
	return object;
}

static json_object *event_json(const struct diff_answer *answer, size_t number,
			       const struct perfdata_comparison_event *event)
{
	json_object *object = json_new_object(), *rows = json_new_array();
	json_add(object, "event", json_of_path(event->name));
	json_add(object, "unit", json_new_string(event->is_time ? "ns" : ""));
	json_add(object, "before", event_side_json(&event->sides[0]));
	json_add(object, "after", event_side_json(&event->sides[1]));
	json_add(object, "scale", number_json(event->scale));
	json_add(object, "dispersion", number_json(event->dispersion));
	json_add(object, "dispersion_known", json_new_boolean(event->dispersion_known));
	json_add(object, "has_stacks", json_new_boolean(event->has_stacks));
	json_add(object, "tests", json_new_number(event->nr_judged));
	if (event->has_total) {
		json_object *total = json_new_object();
		json_add(total, "ratio", number_json(event->total_ratio));
		json_add(total, "p", number_json(event->total_p));
		json_add(total, "state", json_new_string(perfdata_change_name(event->total_change)));
		json_add(object, "total", total);
	}
	if (perfdata_comparison_row(answer->comparison, number, 0))
		json_append(rows, json_new_double_as(0, ROWS_PLACE));
	json_add(object, "rows", rows);
	return object;
}

static json_object *side_json(const struct perfdata_baseline *side)
{
	json_object *list = json_new_array();
	const struct perfdata_baseline_recording *recording;
	for (size_t i = 0; (recording = perfdata_baseline_recording(side, i)); i++) {
		json_object *object = json_new_object();
		json_add(object, "name", json_of_path(recording->name));
		json_add(object, "duration", json_new_number(recording->duration));
		json_add(object, "lost_records", json_new_number(recording->lost_records));
		json_add(object, "lost_samples", json_new_number(recording->lost_samples));
		json_add(object, "complete", json_new_boolean(recording->complete));
		json_append(list, object);
	}
	return list;
}

/* False if memory failed. */
static bool print_row(const struct perfdata_comparison_row *row, bool is_first)
{
	json_object *object = row_json(row);
	const char *text = json_spell(object, false);
	if (text && !is_first)
		print_answer(",\n" ROW_INDENT, sizeof ",\n" ROW_INDENT - 1);
	for (const char *at = text; at && *at;) {
		const size_t size = strcspn(at, "\n");
		print_answer(at, size);
		at += size;
		if (*at++)
			print_answer("\n" ROW_INDENT, sizeof "\n" ROW_INDENT - 1);
		else
			break;
	}
	json_object_put(object);
	return text;
}

static bool print_with_rows(const struct diff_answer *answer, const char *text)
{
	const struct perfdata_comparison_row *row;
	bool fine = true;
	size_t event = 0;
	for (;;) {
		const size_t size = strcspn(text, ROWS_PLACE);
		print_answer(text, size);
		text += size;
		if (!*text++)
			return fine;
		while (!perfdata_comparison_row(answer->comparison, event, 0))
			event++;
		for (size_t i = 0; fine && (row = perfdata_comparison_row(answer->comparison, event, i)); i++)
			fine = print_row(row, !i);
		event++;
		if (!fine)
			return false;
	}
}

bool diff_show_json(const struct diff_answer *answer)
{
	json_object *document = json_new_object(), *notes = json_new_array(),
		    *events = json_new_array();
	const struct perfdata_comparison_note *note;
	const struct perfdata_comparison_event *event;
	json_add(document, "schema", json_new_string("perfdata-diff/1"));
	json_add(document, "by", json_new_string(perfdata_baseline_by(answer->sides[0])));
	json_add(document, "before", side_json(answer->sides[0]));
	json_add(document, "after", side_json(answer->sides[1]));
	for (size_t i = 0; (note = perfdata_comparison_note(answer->comparison, i)); i++) {
		json_object *object = json_new_object();
		json_add(object, "code", json_new_string(note->code));
		json_add(object, "message", json_of_path(note->message));
		json_add(object, "reason", json_new_boolean(note->is_reason));
		json_append(notes, object);
	}
	json_add(document, "comparable", notes);
	for (size_t e = 0; (event = perfdata_comparison_event(answer->comparison, e)); e++)
		json_append(events, event_json(answer, e, event));
	json_add(document, "events", events);
	json_add(
		document, "verdict",
		json_new_string(perfdata_verdict_name(perfdata_comparison_verdict(answer->comparison))));
	json_add(document, "complete", json_new_boolean(answer->inputs == EXIT_FINE));
	const char *text = json_spell(document, false);
	const bool fine = text && print_with_rows(answer, text);
	if (fine)
		print_answer("\n", 1);
	json_object_put(document);
	return fine;
}
