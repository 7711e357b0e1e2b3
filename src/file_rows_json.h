/* SPDX-License-Identifier: MIT */
/* Rows of files in JSON, for `match` and the manifest of a bundle. */
#ifndef FILE_ROWS_JSON_H
#define FILE_ROWS_JSON_H

#include "json_build.h"
#include "file_rows.h"

/* Makes a string and releases the text; NULL for an empty text. */
json_object *json_of_text(struct perfdata_text *text);
/* Makes a string, in valid UTF-8, from a recorded path; NULL for NULL. */
json_object *json_of_path(const char *path);
/* Makes a string of hexadecimal digits; NULL for no bytes. */
json_object *json_of_bytes(const uint8_t *bytes, size_t size);
/* Makes an array of the names of parts (enum perfdata_match_part). */
json_object *json_of_parts(uint32_t parts);
/* Adds the recorded facts about a file: counts, kind, build-id and its sources, paths, and the process of a perf map or
 * jitdump. */
void file_row_add_json(json_object *object, const struct file_row *row);

#endif
