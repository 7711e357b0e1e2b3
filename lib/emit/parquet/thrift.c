/* SPDX-License-Identifier: MIT */
#include "config.h"
#include <string.h>
#include "emit/parquet/thrift.h"

void pd_thrift_open(struct thrift *thrift) { thrift->last[thrift->depth++] = 0; }

void pd_thrift_close(struct thrift *thrift)
{
	perfdata_text_char(thrift->out, 0);
	thrift->depth--;
}

static void field_header(struct thrift *thrift, unsigned field, enum thrift_type type)
{
	uint16_t *last = &thrift->last[thrift->depth - 1];
	const unsigned step = field - *last;
	*last = (uint16_t)field;
	if (step >= 1 && step <= 15) {
		perfdata_text_char(thrift->out, (char)(step << 4 | type));
		return;
	}
	perfdata_text_char(thrift->out, (char)type);
	pd_text_varint(thrift->out, pd_thrift_zigzag((int64_t)field));
}

void pd_thrift_struct(struct thrift *thrift, unsigned field)
{
	field_header(thrift, field, THRIFT_STRUCT);
	pd_thrift_open(thrift);
}

void pd_thrift_bool(struct thrift *thrift, unsigned field, bool value)
{
	field_header(thrift, field, value ? THRIFT_TRUE : THRIFT_FALSE);
}

void pd_thrift_i8(struct thrift *thrift, unsigned field, int8_t value)
{
	field_header(thrift, field, THRIFT_I8);
	perfdata_text_char(thrift->out, (char)value);
}

void pd_thrift_i16(struct thrift *thrift, unsigned field, int16_t value)
{
	field_header(thrift, field, THRIFT_I16);
	pd_text_varint(thrift->out, pd_thrift_zigzag(value));
}

void pd_thrift_i32(struct thrift *thrift, unsigned field, int32_t value)
{
	field_header(thrift, field, THRIFT_I32);
	pd_thrift_element_i32(thrift, value);
}

void pd_thrift_i64(struct thrift *thrift, unsigned field, int64_t value)
{
	field_header(thrift, field, THRIFT_I64);
	pd_text_varint(thrift->out, pd_thrift_zigzag(value));
}

void pd_thrift_bytes(struct thrift *thrift, unsigned field, const void *bytes, size_t size)
{
	field_header(thrift, field, THRIFT_BINARY);
	pd_text_varint(thrift->out, size);
	perfdata_text_append(thrift->out, bytes, size);
}

void pd_thrift_string(struct thrift *thrift, unsigned field, const char *text)
{
	pd_thrift_bytes(thrift, field, text, strlen(text));
}

void pd_thrift_list(struct thrift *thrift, unsigned field, enum thrift_type type, size_t nr)
{
	field_header(thrift, field, THRIFT_LIST);
	if (nr < 15) {
		perfdata_text_char(thrift->out, (char)(nr << 4 | type));
		return;
	}
	perfdata_text_char(thrift->out, (char)(0xf0 | type));
	pd_text_varint(thrift->out, nr);
}

void pd_thrift_element_i32(struct thrift *thrift, int32_t value)
{
	pd_text_varint(thrift->out, pd_thrift_zigzag(value));
}

void pd_thrift_element_string(struct thrift *thrift, const char *text)
{
	const size_t size = strlen(text);
	pd_text_varint(thrift->out, size);
	perfdata_text_append(thrift->out, text, size);
}
