/* SPDX-License-Identifier: MIT */
#include "config.h"
#include <string.h>
#include "broken_rows.h"

static bool has_several_events(struct perfdata_broken_stacks *stacks)
{
	struct perfdata_broken_row row;
	const char *first = NULL;
	for (size_t i = 0; perfdata_broken_stacks_row(stacks, i, &row) == PERFDATA_OK; i++) {
		if (first && strcmp(first, row.event) != 0)
			return true;
		first = row.event;
	}
	return false;
}

void broken_rows_text(struct perfdata_text *out, struct perfdata_broken_stacks *stacks, const char *prefix)
{
	const bool several = has_several_events(stacks);
	struct perfdata_broken_row row;
	enum perfdata_status status;
	for (size_t i = 0; (status = perfdata_broken_stacks_row(stacks, i, &row)) == PERFDATA_OK; i++) {
		perfdata_text_string(out, prefix);
		if (several) {
			answer_text(out, row.event);
			perfdata_text_literal(out, ": ");
		}
		perfdata_text_string(out, row.text);
		perfdata_text_char(out, '\n');
	}
	out->failed |= status == PERFDATA_ENOMEM;
}

json_object *broken_rows_json(struct input *input, struct perfdata_broken_stacks *stacks)
{
	json_object *list = json_new_array();
	struct perfdata_broken_row row;
	enum perfdata_status status;
	for (size_t i = 0; (status = perfdata_broken_stacks_row(stacks, i, &row)) == PERFDATA_OK; i++) {
		json_object *object = json_new_object();
		json_add(object, "event", answer_json_text(input, row.event));
		if (row.dso)
			json_add(object, "dso", answer_json_text(input, row.dso));
		json_add(object, "stacks", json_new_number(row.stacks));
		if (row.dso) {
			json_add(object, "single", json_new_number(row.single));
			json_add(object, "outside", json_new_number(row.outside));
		} else {
			json_add(object, "cut", json_new_number(row.cut));
		}
		json_add(object, "text", answer_json_text(input, row.text));
		json_append(list, object);
	}
	if (status == PERFDATA_ENOMEM)
		input_ended(input, status, NULL);
	return list;
}
