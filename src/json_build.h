/* SPDX-License-Identifier: MIT */
/* Builds JSON documents as trees of json-c. json-c's callers have to notice failed allocations: a failure in these
 * functions is remembered until json_spell or json_has_failed. A NULL value is null. */
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

/* Take ownership of the value. */
void json_add(json_object *object, const char *key, json_object *value);
void json_append(json_object *array, json_object *value);

/* NULL: invalid JSON, or without memory. */
json_object *json_parse(const char *text, size_t size);
/* Notes that memory for a part of the document ran out. */
void json_note_failure(void);
/* Whether memory ran out since the last call of json_has_failed or json_spell. */
bool json_has_failed(void);

/* The document as text, indented or as one line; borrowed from the document. NULL: memory ran out, so the document may
 * be incomplete. */
const char *json_spell(json_object *document, bool as_line);

#endif
