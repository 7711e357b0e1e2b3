/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "emit/json/json_type.h"

enum json_type pd_json_type_of_row(const struct row *row)
{
	const bool is_signed = row->kind == PERFDATA_KIND_S32 || row->kind == PERFDATA_KIND_S64;
	switch (row->type) {
	case VALUE_U64:
	case VALUE_U32:
	case VALUE_S32:
	case VALUE_NUMBER:
		return is_signed ? JSON_SIGNED : JSON_UNSIGNED;
	case VALUE_DOUBLE: return JSON_NUMBER;
	case VALUE_HEX64: case VALUE_HEX: return JSON_ADDRESS;
	case VALUE_BOOL: return JSON_BOOLEAN;
	case VALUE_ENUM: case VALUE_TEXT: return JSON_STRING;
	case VALUE_FLAGS: return JSON_STRINGS;
	case VALUE_BYTES: case VALUE_RAW: return JSON_HEX;
	case VALUE_LIST_U64: return JSON_UNSIGNEDS;
	case VALUE_LIST_HEX: return JSON_ADDRESSES;
	case VALUE_CALLCHAIN: return JSON_STRINGS;
	case VALUE_LIST_PARTS: {
		const struct plan *element = row->element;
		if (element->nr_rows != 1 || element->layout->fields[0].name)
			return JSON_OBJECTS;
		const enum json_type type = pd_json_type_of_row(&element->rows[0]);
		return type == JSON_ADDRESS ? JSON_ADDRESSES : type == JSON_STRING ? JSON_STRINGS : JSON_UNSIGNEDS;
	}
	case VALUE_BITS:
	case VALUE_REGS:
	case VALUE_STRUCT:
	case VALUE_CPUS:
	case VALUE_FEATURE:
	case VALUE_NOTHING:
		break;
	}
	return JSON_OBJECT;
}

enum json_type pd_json_type_of_head(enum pd_record_head head)
{
	switch (pd_record_head_info(head)->kind) {
	case HEAD_IS_U64: return JSON_UNSIGNED;
	case HEAD_IS_S64: return JSON_SIGNED;
	case HEAD_IS_TRUE: return JSON_TRUE;
	case HEAD_IS_BYTES: return JSON_HEX;
	case HEAD_IS_NAMES: return JSON_STRINGS;
	case HEAD_IS_TRAILER: case HEAD_IS_LOCATION: return JSON_OBJECT;
	case HEAD_IS_BRANCHES: case HEAD_IS_STACK: return JSON_OBJECTS;
	case HEAD_IS_TEXT: case HEAD_IS_ABSENT: case HEAD_IS_NULL: break;
	}
	return JSON_STRING;
}

enum json_type pd_json_type_of_part(enum location_part part)
{
	switch (pd_location_part_info(part)->type) {
	case VALUE_BYTES: return JSON_HEX;
	case VALUE_HEX64: return JSON_ADDRESS;
	case VALUE_U64: return JSON_UNSIGNED;
	case VALUE_LIST_PARTS: return JSON_OBJECTS;
	default: return JSON_STRING;
	}
}

const char *pd_json_type_name(enum json_type type)
{
	switch (type) {
	case JSON_NUMBER: return "number";
	case JSON_UNSIGNED: return "unsigned";
	case JSON_SIGNED: return "signed";
	case JSON_STRING: return "string";
	case JSON_HEX: return "hex";
	case JSON_ADDRESS: return "address";
	case JSON_BOOLEAN: return "boolean";
	case JSON_TRUE: return "true";
	case JSON_OBJECT: return "object";
	case JSON_STRINGS: return "strings";
	case JSON_UNSIGNEDS: return "numbers";
	case JSON_ADDRESSES: return "addresses";
	case JSON_OBJECTS: return "objects";
	}
	return "";
}

const char *pd_json_type_column(enum json_type type)
{
	switch (type) {
	case JSON_NUMBER: return "DOUBLE";
	case JSON_UNSIGNED: return "UBIGINT";
	case JSON_SIGNED: return "BIGINT";
	case JSON_STRING: case JSON_HEX: case JSON_ADDRESS: return "VARCHAR";
	case JSON_BOOLEAN: case JSON_TRUE: return "BOOLEAN";
	case JSON_STRINGS: case JSON_ADDRESSES: return "VARCHAR[]";
	case JSON_UNSIGNEDS: return "UBIGINT[]";
	case JSON_OBJECT: case JSON_OBJECTS: break;
	}
	return "JSON";
}
