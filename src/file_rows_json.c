/* SPDX-License-Identifier: MIT */
#include "config.h"
#include <string.h>
#include "file_rows_json.h"

json_object *json_of_text(struct perfdata_text *text)
{
	const bool failed = perfdata_text_failed(text);
	json_object *string = failed || !text->size ? NULL : json_new_text(text->data, text->size);
	if (failed)
		json_note_failure();
	perfdata_text_release(text);
	return string;
}

json_object *json_of_path(const char *path)
{
	struct perfdata_text quoted;
	if (!path)
		return NULL;
	perfdata_text_init(&quoted);
	perfdata_text_json_string(&quoted, path, strlen(path));
	json_object *string = perfdata_text_failed(&quoted) ? NULL : json_parse(quoted.data, quoted.size);
	if (perfdata_text_failed(&quoted))
		json_note_failure();
	perfdata_text_release(&quoted);
	return string;
}

json_object *json_of_bytes(const uint8_t *bytes, size_t size)
{
	struct perfdata_text hex;
	perfdata_text_init(&hex);
	perfdata_text_bytes_hex(&hex, bytes, size);
	return json_of_text(&hex);
}

json_object *json_of_parts(uint32_t parts)
{
	json_object *names = json_new_array();
	enum perfdata_match_part bit;
	const char *name;
	for (size_t i = 0; (name = perfdata_match_part_name(i, &bit)); i++)
		if (parts & (unsigned)bit)
			json_append(names, json_new_string(name));
	return names;
}

void file_row_add_json(json_object *object, const struct file_row *row)
{
	json_object *sources = json_new_array(), *paths = json_new_array();
	const char *name;
	unsigned bit;
	for (size_t i = 0; (name = file_source_name(i, &bit)); i++)
		if (row->sources & bit)
			json_append(sources, json_new_string(name));
	for (size_t i = 0; i < row->nr_paths; i++)
		json_append(paths, json_of_path(row->paths[i]));
	json_add(object, "samples", json_new_number(row->samples));
	json_add(object, "weight", json_new_number(row->weight));
	json_add(object, "in_chain", json_new_number(row->hits));
	json_add(object, "mappings", json_new_number(row->maps));
	json_add(object, "kind", json_new_string(file_kind_name(row->kind)));
	json_add(object, "build_id", json_of_bytes(row->build_id, row->build_id_size));
	json_add(object, "sources", sources);
	json_add(object, "paths", paths);
	if (row->pid < 0)
		return;
	json_add(object, "pid", json_new_integer(row->pid));
	json_add(object, "start_time", row->start_time == UINT64_MAX ? NULL : json_new_number(row->start_time));
}
