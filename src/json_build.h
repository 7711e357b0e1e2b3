/* SPDX-License-Identifier: MIT */
/* JSON documents as trees, for answers that are built from several parts, and for those that are read again. Callers
 * need not look at each result: a failed allocation is remembered until json_spell or json_has_failed. A NULL value is
 * null, and every function takes it. */
#ifndef JSON_BUILD_H
#define JSON_BUILD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct json;

struct json *json_new_object(void);
struct json *json_new_array(void);
struct json *json_new_boolean(bool value);
struct json *json_new_number(uint64_t value);
struct json *json_new_integer(int64_t value);
struct json *json_new_double(double value);
/* A number that is written as `spelled`. */
struct json *json_new_spelled(const char *spelled);
struct json *json_new_string(const char *text);
struct json *json_new_text(const char *text, size_t size);

/* Takes another reference, which json_free drops. */
struct json *json_share(struct json *value);
void json_free(struct json *value);

/* Take ownership of the value. An object keeps the order of its keys, which must differ. */
void json_add(struct json *object, const char *key, struct json *value);
void json_append(struct json *array, struct json *value);

bool json_is_object(const struct json *value);
/* The value of the last member with this key. NULL: `object` is no object, has no such member, or its value is null. */
struct json *json_member(const struct json *object, const char *key);
/* The number of elements; 0 if `array` is no array. */
size_t json_count(const struct json *array);
struct json *json_item(const struct json *array, size_t index);
/* The content of a string; NULL if `value` is none. */
const char *json_text(const struct json *value);
/* An integer; 0 if `value` is none, or is negative. */
uint64_t json_number(const struct json *value);

/* NULL: invalid JSON, or without memory. */
struct json *json_parse(const char *text, size_t size);
/* Notes that memory for a part of the document ran out. */
void json_note_failure(void);
/* Whether memory ran out since the last call of json_has_failed or json_spell. */
bool json_has_failed(void);

/* The document as text, indented or as one line; borrowed from the document until the next call. NULL: memory ran out,
 * so the document may be incomplete. */
const char *json_spell(struct json *document, bool as_line);

#endif
