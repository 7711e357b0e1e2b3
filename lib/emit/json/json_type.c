/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "emit/json/json_type.h"

enum json_type pd_json_type_of_row(const struct row *row)
{
	const bool is_signed = row->kind == PERFDATA_KIND_S32 || row->kind == PERFDATA_KIND_S64;
	switch (row->op) {
	case SPELL_U64:
	case SPELL_U32:
	case SPELL_S32:
	case SPELL_NUMBER:
		return is_signed ? JSON_SIGNED : JSON_UNSIGNED;
	case SPELL_DOUBLE: return JSON_NUMBER;
	case SPELL_HEX64: case SPELL_HEX: return JSON_ADDRESS;
	case SPELL_BOOL: return JSON_BOOLEAN;
	case SPELL_ENUM: case SPELL_TEXT: return JSON_STRING;
	case SPELL_FLAGS: return JSON_STRINGS;
	case SPELL_BYTES: case SPELL_RAW: return JSON_HEX;
	case SPELL_LIST_U64: return JSON_UNSIGNEDS;
	case SPELL_LIST_HEX: return JSON_ADDRESSES;
	case SPELL_CALLCHAIN: return JSON_STRINGS;
	case SPELL_LIST_PARTS: {
		const struct plan *element = row->element;
		if (element->nr_rows != 1 || element->layout->fields[0].name)
			return JSON_OBJECTS;
		const enum json_type type = pd_json_type_of_row(&element->rows[0]);
		return type == JSON_ADDRESS ? JSON_ADDRESSES : type == JSON_STRING ? JSON_STRINGS : JSON_UNSIGNEDS;
	}
	case SPELL_BITS:
	case SPELL_REGS:
	case SPELL_STRUCT:
	case SPELL_CPUS:
	case SPELL_FEATURE:
	case SPELL_NOTHING:
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

const char *pd_unit_name(enum perfdata_unit unit)
{
	switch (unit) {
	case PERFDATA_UNIT_NS: return "ns";
	case PERFDATA_UNIT_BYTES: return "bytes";
	case PERFDATA_UNIT_KB: return "KB";
	case PERFDATA_UNIT_MS: return "ms";
	case PERFDATA_UNIT_CYCLES: return "cycles";
	case PERFDATA_UNIT_NONE: break;
	}
	return "";
}
