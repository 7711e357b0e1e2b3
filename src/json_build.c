/* SPDX-License-Identifier: MIT */
#include "config.h"
#include <errno.h>
#include <json_object_iterator.h>
#include <printbuf.h>
#include "json_build.h"

static bool memory_failed;

static json_object *require_made(json_object *value)
{
	memory_failed |= !value;
	return value;
}

json_object *json_new_object(void) { return require_made(json_object_new_object()); }
json_object *json_new_array(void) { return require_made(json_object_new_array()); }
json_object *json_new_boolean(bool value) { return require_made(json_object_new_boolean(value)); }
json_object *json_new_number(uint64_t value) { return require_made(json_object_new_uint64(value)); }
json_object *json_new_integer(int64_t value) { return require_made(json_object_new_int64(value)); }
json_object *json_new_double(double value) { return require_made(json_object_new_double(value)); }
json_object *json_new_string(const char *text) { return require_made(json_object_new_string(text)); }

json_object *json_new_double_as(double value, const char *spelled)
{
	return require_made(json_object_new_double_s(value, spelled));
}

json_object *json_new_text(const char *text, size_t size)
{
	return require_made(json_object_new_string_len(text, (int)size));
}

/* Without memory, `value` is not freed: the caller may still fill it. */
void json_add(json_object *object, const char *key, json_object *value)
{
	memory_failed |= !object || json_object_object_add(object, key, value);
}

void json_append(json_object *array, json_object *value)
{
	memory_failed |= !array || json_object_array_add(array, value);
}

void json_note_failure(void) { memory_failed = true; }

bool json_has_failed(void)
{
	const bool failed = memory_failed;
	memory_failed = false;
	return failed;
}

static int spell_empty(json_object *value, struct printbuf *out, int level, int flags)
{
	(void)level;
	(void)flags;
	return printbuf_memappend(out, json_object_is_type(value, json_type_array) ? "[]" : "{}", 2);
}

/* Before version 0.17, json-c writes empty arrays and objects in two lines. */
static void spell_empty_in_line(json_object *value)
{
	const bool is_array = json_object_is_type(value, json_type_array);
	const bool is_object = json_object_is_type(value, json_type_object);
	const size_t nr = is_array ? json_object_array_length(value) : 0;
	if ((is_array && !nr) || (is_object && !json_object_object_length(value)))
		json_object_set_serializer(value, spell_empty, NULL, NULL);
	for (size_t i = 0; i < nr; i++)
		spell_empty_in_line(json_object_array_get_idx(value, i));
	if (!is_object)
		return;
	const struct json_object_iterator end = json_object_iter_end(value);
	for (struct json_object_iterator at = json_object_iter_begin(value); !json_object_iter_equal(&at, &end);
	     json_object_iter_next(&at))
		spell_empty_in_line(json_object_iter_peek_value(&at));
}

const char *json_spell(json_object *document, bool as_line)
{
	const int style = as_line ? JSON_C_TO_STRING_PLAIN : JSON_C_TO_STRING_PRETTY;
	if (!as_line)
		spell_empty_in_line(document);
	errno = 0;   /* without memory, json-c may leave out a part of the text; only errno says so */
	const char *text = document ? json_object_to_json_string_ext(document, style | JSON_C_TO_STRING_NOSLASHESCAPE)
				    : NULL;
	memory_failed |= !text || errno == ENOMEM;
	return json_has_failed() ? NULL : text;
}
