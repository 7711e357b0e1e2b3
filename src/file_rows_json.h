/* SPDX-License-Identifier: MIT */
/* Rows of files in JSON, for `match` and the manifest of a bundle. */
#ifndef FILE_ROWS_JSON_H
#define FILE_ROWS_JSON_H

#include "json_build.h"
#include "file_rows.h"

/* Releases the text; NULL also for an empty text. */
json_object *json_of_text(struct perfdata_text *text);
/* Makes a path from a recording valid UTF-8; NULL for NULL. */
json_object *json_of_path(const char *path);
/* Spells bytes as hexadecimal digits; NULL for no bytes. */
json_object *json_of_bytes(const uint8_t *bytes, size_t size);
/* Returns the array of the names of the bits of enum perfdata_match_part that are set. */
json_object *json_of_parts(uint32_t parts);
/* Adds to `object` what the recordings say about a file: counts, kind, build-id and its sources, paths, and for a perf
 * map or jitdump the process. */
void file_row_add_json(json_object *object, const struct file_row *row);

#endif
