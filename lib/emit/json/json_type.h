/* SPDX-License-Identifier: MIT */
/* The JSON types of rows, for `fields`, `schema` and the columns of the schema. */
#ifndef EMIT_JSON_TYPE_H
#define EMIT_JSON_TYPE_H

#include "emit/values/locations.h"
#include "emit/values/record.h"

enum json_type {
	JSON_NUMBER, JSON_UNSIGNED, JSON_SIGNED,   /* a double; integers */
	JSON_STRING, JSON_HEX, JSON_ADDRESS,       /* text; bytes as hex digits; "0x…" */
	JSON_BOOLEAN, JSON_TRUE,                   /* JSON_TRUE: true or absent */
	JSON_OBJECT, JSON_STRINGS, JSON_UNSIGNEDS, JSON_ADDRESSES, JSON_OBJECTS,
};

enum json_type pd_json_type_of_row(const struct row *row);
enum json_type pd_json_type_of_head(enum pd_record_head head);
enum json_type pd_json_type_of_part(enum location_part part);
/* "unsigned", "string", "list of addresses", … */
const char *pd_json_type_name(enum json_type type);
/* DuckDB's column type for read_json. */
const char *pd_json_type_column(enum json_type type);

#endif
