/* SPDX-License-Identifier: MIT */
/* Writes Thrift's compact protocol, as far as Parquet's metadata needs it. A field's id is written as the difference to
 * the id of the field before, and a zero byte ends a struct: so begin a struct, write its fields in ascending order of
 * id, and end it. */
#ifndef EMIT_THRIFT_H
#define EMIT_THRIFT_H

#include "emit/values/varint.h"

#define THRIFT_DEPTH 12

enum thrift_type {
	THRIFT_TRUE = 1,
	THRIFT_FALSE = 2,
	THRIFT_I8 = 3,
	THRIFT_I16 = 4,
	THRIFT_I32 = 5,
	THRIFT_I64 = 6,
	THRIFT_BINARY = 8,
	THRIFT_LIST = 9,
	THRIFT_STRUCT = 12,
};

struct thrift {
	struct perfdata_text *out;
	unsigned depth;
	uint16_t last[THRIFT_DEPTH];   /* number of the last field at each depth */
};

static inline uint64_t pd_thrift_zigzag(int64_t value) { return (uint64_t)value << 1 ^ (uint64_t)(value >> 63); }

/* For the outermost struct and for structs in lists. */
void pd_thrift_open(struct thrift *thrift);
void pd_thrift_close(struct thrift *thrift);
/* Fields. pd_thrift_close ends a struct. */
void pd_thrift_struct(struct thrift *thrift, unsigned field);
void pd_thrift_bool(struct thrift *thrift, unsigned field, bool value);
void pd_thrift_i8(struct thrift *thrift, unsigned field, int8_t value);
void pd_thrift_i16(struct thrift *thrift, unsigned field, int16_t value);
void pd_thrift_i32(struct thrift *thrift, unsigned field, int32_t value);
void pd_thrift_i64(struct thrift *thrift, unsigned field, int64_t value);
void pd_thrift_bytes(struct thrift *thrift, unsigned field, const void *bytes, size_t size);
void pd_thrift_string(struct thrift *thrift, unsigned field, const char *text);
/* Begins a list; nr elements must follow: structs, or the elements below. */
void pd_thrift_list(struct thrift *thrift, unsigned field, enum thrift_type type, size_t nr);
void pd_thrift_element_i32(struct thrift *thrift, int32_t value);
void pd_thrift_element_string(struct thrift *thrift, const char *text);

#endif
