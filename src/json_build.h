/* SPDX-License-Identifier: MIT */
/* JSON documents that are built as trees, by json-c, which leaves it to its callers to notice that memory failed: what
 * could not be made, added, parsed or spelled is remembered until json_spell says so. A value NULL is null. */
#ifndef JSON_BUILD_H
#define JSON_BUILD_H

#include <json-c/json.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

json_object *json_new_object(void);
json_object *json_new_array(void);
json_object *json_new_boolean(bool value);
json_object *json_new_number(uint64_t value);
json_object *json_new_integer(int64_t value);
json_object *json_new_double(double value);
json_object *json_new_double_as(double value, const char *spelled);
json_object *json_new_string(const char *text);
json_object *json_new_text(const char *text, size_t size);

/* Take the value. */
void json_add(json_object *object, const char *key, json_object *value);
void json_append(json_object *array, json_object *value);

/* NULL: it is none, or memory failed. */
json_object *json_parse(const char *text, size_t size);
/* Memory failed for a part of the document. */
void json_note_failure(void);
/* Whether memory failed since the last call of this, or of json_spell. */
bool json_has_failed(void);

/* The document as text, for people or as a line; borrowed from the document. NULL: memory failed since the last call,
 * so the document may lack something. */
const char *json_spell(json_object *document, bool as_line);

#endif
