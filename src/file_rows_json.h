/* SPDX-License-Identifier: MIT */
/* Rows of files in JSON, as `match` and the manifest of a bundle have them. All return NULL without memory. */
#ifndef FILE_ROWS_JSON_H
#define FILE_ROWS_JSON_H

#include <json-c/json.h>
#include "file_rows.h"

/* Takes the text over; NULL also where it is empty. */
json_object *json_of_text(struct perfdata_text *text);
/* A text of a recording, as valid UTF-8; NULL for NULL. */
json_object *json_of_path(const char *path);
/* Hexadecimal digits; NULL where there is nothing. */
json_object *json_of_bytes(const uint8_t *bytes, size_t size);
/* The names of enum perfdata_match_part. */
json_object *json_of_parts(uint32_t parts);
/* What a recording tells of a file: counts, kind, build-id, where that is from, paths, and the process whose code it
 * names. */
void file_row_add_json(json_object *object, const struct file_row *row);

#endif
