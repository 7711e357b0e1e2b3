/* SPDX-License-Identifier: MIT */
#include "config.h"
#include <json-c/json.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "diff_show.h"

/* Makes a JSON string in valid UTF-8 of a text from a recording; NULL for NULL. */
static json_object *text_json(const char *text)
{
	struct perfdata_text quoted;
	json_object *string = NULL;
	if (!text)
		return NULL;
	perfdata_text_init(&quoted);
	perfdata_text_json_string(&quoted, text, strlen(text));
	perfdata_text_char(&quoted, 0);
	if (!perfdata_text_failed(&quoted))
		string = json_tokener_parse(quoted.data);
	perfdata_text_release(&quoted);
	return string;
}

/* Makes a JSON number: the shortest decimal that reads back as the same double; null if not finite. */
static json_object *number_json(double value)
{
	struct perfdata_text text;
	json_object *number = NULL;
	perfdata_text_init(&text);
	perfdata_text_double(&text, value);
	perfdata_text_char(&text, 0);
	if (!perfdata_text_failed(&text) && isfinite(value))
		number = json_object_new_double_s(value, text.data);
	perfdata_text_release(&text);
	return number;
}

static json_object *pair_json(json_object *before, json_object *after)
{
	json_object *pair = json_object_new_array();
	json_object_array_add(pair, before);
	json_object_array_add(pair, after);
	return pair;
}

static json_object *compared_json(const struct perfdata_compared *reported)
{
	json_object *object = json_object_new_object();
	const bool judged = reported->change != PERFDATA_CHANGE_NOT_JUDGED;
	json_object_object_add(object, "state", json_object_new_string(perfdata_change_name(reported->change)));
	json_object_object_add(
		object, "samples",
		pair_json(json_object_new_uint64(reported->samples[0]), json_object_new_uint64(reported->samples[1])));
	json_object_object_add(
		object, "weight",
		pair_json(json_object_new_uint64(reported->weight[0]), json_object_new_uint64(reported->weight[1])));
	json_object_object_add(object, "share",
			       pair_json(number_json(reported->share[0]), number_json(reported->share[1])));
	json_object_object_add(object, "compared", number_json(reported->compared));
	json_object_object_add(object, "delta", number_json(reported->delta));
	json_object_object_add(object, "ratio", number_json(reported->ratio));
	json_object_object_add(object, "p", judged ? number_json(reported->p) : NULL);
	json_object_object_add(object, "adjusted_p", judged ? number_json(reported->adjusted_p) : NULL);
	json_object_object_add(object, "dispersion", number_json(reported->dispersion));
	json_object_object_add(object, "smallest_visible", number_json(reported->visible));
	return object;
}

static json_object *row_json(const struct perfdata_comparison_row *row)
{
	json_object *object = json_object_new_object();
	json_object_object_add(object, "state", json_object_new_string(perfdata_change_name(row->change)));
	json_object_object_add(object, "symbol", text_json(row->key));
	json_object_object_add(object, "file", text_json(row->file));
	json_object_object_add(object, "names", pair_json(text_json(row->names[0]), text_json(row->names[1])));
	json_object_object_add(object, "raw_names",
			       pair_json(text_json(row->raw_names[0]), text_json(row->raw_names[1])));
	json_object_object_add(
		object, "clones",
		pair_json(json_object_new_uint64(row->clones[0]), json_object_new_uint64(row->clones[1])));
	json_object_object_add(object, "self", compared_json(&row->self));
	json_object_object_add(object, "inclusive", compared_json(&row->inclusive));
	if (row->reason)
		json_object_object_add(object, "reason", text_json(row->reason));
	if (row->cause)
		json_object_object_add(object, "cause", text_json(row->cause));
	return object;
}

static json_object *event_side_json(const struct perfdata_compared_side *side)
{
	json_object *object = json_object_new_object();
	json_object_object_add(object, "recordings", json_object_new_uint64(side->recordings));
	json_object_object_add(object, "samples", json_object_new_uint64(side->samples));
	json_object_object_add(object, "weight", json_object_new_uint64(side->weight));
	json_object_object_add(object, "named_weight", json_object_new_uint64(side->named_weight));
	json_object_object_add(object, "units", side->units > 0 ? number_json(side->units) : NULL);
	return object;
}

static json_object *event_json(const struct diff_answer *answer, size_t number,
			       const struct perfdata_comparison_event *event)
{
	json_object *object = json_object_new_object(), *rows = json_object_new_array();
	const struct perfdata_comparison_row *row;
	json_object_object_add(object, "event", text_json(event->name));
	json_object_object_add(object, "unit", json_object_new_string(event->is_time ? "ns" : ""));
	json_object_object_add(object, "before", event_side_json(&event->sides[0]));
	json_object_object_add(object, "after", event_side_json(&event->sides[1]));
	json_object_object_add(object, "scale", number_json(event->scale));
	json_object_object_add(object, "dispersion", number_json(event->dispersion));
	json_object_object_add(object, "dispersion_known", json_object_new_boolean(event->dispersion_known));
	json_object_object_add(object, "has_stacks", json_object_new_boolean(event->has_stacks));
	json_object_object_add(object, "tests", json_object_new_uint64(event->nr_judged));
	if (event->has_total) {
		json_object *total = json_object_new_object();
		json_object_object_add(total, "ratio", number_json(event->total_ratio));
		json_object_object_add(total, "p", number_json(event->total_p));
		json_object_object_add(total, "state",
				       json_object_new_string(perfdata_change_name(event->total_change)));
		json_object_object_add(object, "total", total);
	}
	for (size_t i = 0; (row = perfdata_comparison_row(answer->comparison, number, i)); i++)
		json_object_array_add(rows, row_json(row));
	json_object_object_add(object, "rows", rows);
	return object;
}

static json_object *side_json(const struct perfdata_baseline *side)
{
	json_object *list = json_object_new_array();
	const struct perfdata_baseline_recording *recording;
	for (size_t i = 0; (recording = perfdata_baseline_recording(side, i)); i++) {
		json_object *object = json_object_new_object();
		json_object_object_add(object, "name", text_json(recording->name));
		json_object_object_add(object, "duration", json_object_new_uint64(recording->duration));
		json_object_object_add(object, "lost_records", json_object_new_uint64(recording->lost_records));
		json_object_object_add(object, "lost_samples", json_object_new_uint64(recording->lost_samples));
		json_object_object_add(object, "complete", json_object_new_boolean(recording->complete));
		json_object_array_add(list, object);
	}
	return list;
}

void diff_show_json(const struct diff_answer *answer, struct perfdata_text *out)
{
	json_object *document = json_object_new_object(), *notes = json_object_new_array(),
		    *events = json_object_new_array();
	const struct perfdata_comparison_note *note;
	const struct perfdata_comparison_event *event;
	json_object_object_add(document, "schema", json_object_new_string("perfdata-diff/1"));
	json_object_object_add(document, "by", json_object_new_string(perfdata_baseline_by(answer->sides[0])));
	json_object_object_add(document, "before", side_json(answer->sides[0]));
	json_object_object_add(document, "after", side_json(answer->sides[1]));
	for (size_t i = 0; (note = perfdata_comparison_note(answer->comparison, i)); i++) {
		json_object *object = json_object_new_object();
		json_object_object_add(object, "code", json_object_new_string(note->code));
		json_object_object_add(object, "message", text_json(note->message));
		json_object_object_add(object, "reason", json_object_new_boolean(note->is_reason));
		json_object_array_add(notes, object);
	}
	json_object_object_add(document, "comparable", notes);
	for (size_t e = 0; (event = perfdata_comparison_event(answer->comparison, e)); e++)
		json_object_array_add(events, event_json(answer, e, event));
	json_object_object_add(document, "events", events);
	json_object_object_add(
		document, "verdict",
		json_object_new_string(perfdata_verdict_name(perfdata_comparison_verdict(answer->comparison))));
	json_object_object_add(document, "complete", json_object_new_boolean(answer->complete));
	const char *text = json_object_to_json_string_ext(document,
							  JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_NOSLASHESCAPE);
	if (text)
		perfdata_text_string(out, text);
	out->failed |= !text;
	perfdata_text_char(out, '\n');
	json_object_put(document);
}
