/* SPDX-License-Identifier: MIT */
#include "config.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "grow.h"
#include "json_build.h"
#include "perfdata/text.h"

enum kind { KIND_BOOLEAN, KIND_NUMBER, KIND_NEGATIVE, KIND_SPELLED, KIND_STRING, KIND_ARRAY, KIND_OBJECT };

struct member {
	char *key;               /* NULL: of an array */
	struct json *value;
};

struct json {
	enum kind kind;
	unsigned references;
	uint64_t number;         /* also of a boolean; KIND_NEGATIVE: the bits of an int64_t */
	char *text;              /* of a string, and of KIND_SPELLED; followed by NUL */
	size_t size;             /* of the text */
	struct member *members;
	size_t nr, room;
	struct perfdata_text spelled;   /* what json_spell returned */
};

static bool memory_failed;

void json_note_failure(void) { memory_failed = true; }

bool json_has_failed(void)
{
	const bool failed = memory_failed;
	memory_failed = false;
	return failed;
}

static struct json *value_new(enum kind kind, uint64_t number)
{
	struct json *value = calloc(1, sizeof *value);
	memory_failed |= !value;
	if (!value)
		return NULL;
	value->kind = kind;
	value->references = 1;
	value->number = number;
	return value;
}

static struct json *value_with_text(enum kind kind, const char *text, size_t size)
{
	struct json *value = value_new(kind, 0);
	char *copy = value ? malloc(size + 1) : NULL;
	memory_failed |= !copy;
	if (!copy) {
		free(value);
		return NULL;
	}
	memcpy(copy, text, size);
	copy[size] = '\0';
	value->text = copy;
	value->size = size;
	return value;
}

struct json *json_new_object(void) { return value_new(KIND_OBJECT, 0); }
struct json *json_new_array(void) { return value_new(KIND_ARRAY, 0); }
struct json *json_new_boolean(bool value) { return value_new(KIND_BOOLEAN, value); }
struct json *json_new_number(uint64_t value) { return value_new(KIND_NUMBER, value); }
struct json *json_new_string(const char *text) { return json_new_text(text, strlen(text)); }
struct json *json_new_text(const char *text, size_t size) { return value_with_text(KIND_STRING, text, size); }

struct json *json_new_integer(int64_t value)
{
	return value_new(value < 0 ? KIND_NEGATIVE : KIND_NUMBER, (uint64_t)value);
}

struct json *json_new_spelled(const char *spelled) { return value_with_text(KIND_SPELLED, spelled, strlen(spelled)); }

struct json *json_new_double(double value)
{
	char text[40];
	snprintf(text, sizeof text, "%.17g", value);
	if (isfinite(value) && !strpbrk(text, ".e"))
		strcat(text, ".0");
	return json_new_spelled(text);
}

struct json *json_share(struct json *value)
{
	if (value)
		value->references++;
	return value;
}

void json_free(struct json *value)
{
	if (!value || --value->references)
		return;
	for (size_t i = 0; i < value->nr; i++) {
		free(value->members[i].key);
		json_free(value->members[i].value);
	}
	free(value->members);
	free(value->text);
	perfdata_text_release(&value->spelled);
	free(value);
}

/* Without memory, `value` is not freed: the caller may still fill it. */
static void add_member(struct json *parent, char *key, struct json *value)
{
	const bool has_room = parent && grow_list(&parent->members, &parent->room, parent->nr, sizeof *parent->members);
	memory_failed |= !has_room;
	if (has_room)
		parent->members[parent->nr++] = (struct member){ key, value };
	else
		free(key);
}

void json_add(struct json *object, const char *key, struct json *value)
{
	char *copy = strdup(key);
	memory_failed |= !copy;
	if (copy)
		add_member(object, copy, value);
}

void json_append(struct json *array, struct json *value) { add_member(array, NULL, value); }

/* --- reading ------------------------------------------------------------------------------------------------------ */

bool json_is_object(const struct json *value) { return value && value->kind == KIND_OBJECT; }

struct json *json_member(const struct json *object, const char *key)
{
	for (size_t i = json_is_object(object) ? object->nr : 0; i-- > 0;)
		if (!strcmp(object->members[i].key, key))
			return object->members[i].value;
	return NULL;
}

size_t json_count(const struct json *array) { return array && array->kind == KIND_ARRAY ? array->nr : 0; }

struct json *json_item(const struct json *array, size_t index)
{
	return index < json_count(array) ? array->members[index].value : NULL;
}

const char *json_text(const struct json *value) { return value && value->kind == KIND_STRING ? value->text : NULL; }
uint64_t json_number(const struct json *value) { return value && value->kind == KIND_NUMBER ? value->number : 0; }

/* --- spelling ----------------------------------------------------------------------------------------------------- */

static void spell_string(struct perfdata_text *out, const char *bytes, size_t size)
{
	static const char escapes[] = "\b\f\n\r\t\"\\", letters[] = "bfnrt\"\\";
	perfdata_text_char(out, '"');
	for (size_t i = 0; i < size; i++) {
		const char *known = bytes[i] ? strchr(escapes, bytes[i]) : NULL;
		if (known) {
			perfdata_text_char(out, '\\');
			perfdata_text_char(out, letters[known - escapes]);
		} else if ((unsigned char)bytes[i] < ' ') {
			perfdata_text_printf(out, "\\u%04x", (unsigned)bytes[i]);
		} else {
			perfdata_text_char(out, bytes[i]);
		}
	}
	perfdata_text_char(out, '"');
}

/* depth: how far the lines of the value are indented; as_line: they are one line. */
static void spell_value(struct perfdata_text *out, const struct json *value, size_t depth, bool as_line);

static void spell_members(struct perfdata_text *out, const struct json *parent, size_t depth, bool as_line)
{
	for (size_t i = 0; i <= parent->nr && parent->nr; i++) {
		const bool is_end = i == parent->nr;
		if (i && !is_end)
			perfdata_text_char(out, ',');
		if (!as_line) {
			perfdata_text_char(out, '\n');
			perfdata_text_fill(out, ' ', 2 * (depth + !is_end));
		}
		if (is_end)
			break;
		if (parent->members[i].key) {
			spell_string(out, parent->members[i].key, strlen(parent->members[i].key));
			perfdata_text_char(out, ':');
		}
		spell_value(out, parent->members[i].value, depth + 1, as_line);
	}
}

static void spell_value(struct perfdata_text *out, const struct json *value, size_t depth, bool as_line)
{
	if (!value) {
		perfdata_text_literal(out, "null");
		return;
	}
	switch (value->kind) {
	case KIND_BOOLEAN:
		perfdata_text_string(out, value->number ? "true" : "false");
		break;
	case KIND_NUMBER:
		perfdata_text_u64(out, value->number);
		break;
	case KIND_NEGATIVE:
		perfdata_text_s64(out, (int64_t)value->number);
		break;
	case KIND_SPELLED:
		perfdata_text_append(out, value->text, value->size);
		break;
	case KIND_STRING:
		spell_string(out, value->text, value->size);
		break;
	case KIND_ARRAY:
	case KIND_OBJECT:
		perfdata_text_char(out, value->kind == KIND_ARRAY ? '[' : '{');
		spell_members(out, value, depth, as_line);
		perfdata_text_char(out, value->kind == KIND_ARRAY ? ']' : '}');
		break;
	}
}

const char *json_spell(struct json *document, bool as_line)
{
	struct perfdata_text *out = document ? &document->spelled : NULL;
	if (out) {
		perfdata_text_clear(out);
		spell_value(out, document, 0, as_line);
		perfdata_text_char(out, '\0');
	}
	memory_failed |= !out || perfdata_text_failed(out);
	return json_has_failed() ? NULL : out->data;
}
