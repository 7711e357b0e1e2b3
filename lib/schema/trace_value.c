/* SPDX-License-Identifier: MIT */
/* Reads the value of a tracepoint field from raw data. */
#include "base/checked.h"
#include "base/cursor.h"
#include "schema/trace_types.h"
#include "schema/trace.h"

bool pd_trace_locate(const struct perfdata_trace_field *field, struct perfdata_bytes raw, bool swap,
		     struct perfdata_bytes *ret_bytes, bool *ret_clipped)
{
	if (!pd_range_ok(field->offset, field->size, raw.size))
		return false;
	const uint8_t *at = raw.data + field->offset;
	bool clipped = false;
	if (field->place == PERFDATA_TRACE_FIXED) {
		*ret_bytes = (struct perfdata_bytes){ at, field->size };
	} else if (field->place == PERFDATA_TRACE_REST) {
		*ret_bytes = (struct perfdata_bytes){ at, raw.size - field->offset };
	} else {
		if (field->size != 4)
			return false;
		const uint32_t descriptor = pd_load32(at, swap);
		size_t start = descriptor & 0xffff, size = descriptor >> 16;
		if (field->place == PERFDATA_TRACE_REL_LOC)
			start += field->offset + field->size;
		if (start > raw.size)
			return false;
		clipped = size > raw.size - start;
		*ret_bytes = (struct perfdata_bytes){ raw.data + start, clipped ? raw.size - start : size };
	}
	if (ret_clipped)
		*ret_clipped = clipped;
	return true;
}

/* Reads an integer at a fixed offset, as most fields are. */
static enum perfdata_status integer_value(const struct perfdata_trace_field *field, struct perfdata_bytes raw,
					  enum perfdata_byte_order order, struct perfdata_trace_value *ret_value)
{
	uint64_t value;
	if (!pd_trace_field_number(field, raw, pd_order_is_foreign(order), &value))
		return PERFDATA_DAMAGED;
	*ret_value = (struct perfdata_trace_value){
		.kind = field->kind,
		.order = order,
		.is_signed = field->is_signed,
		.u64 = value,
		.bytes = { raw.data + field->offset, field->size },
	};
	return PERFDATA_OK;
}

enum perfdata_status pd_trace_value(const struct perfdata_trace_field *field, struct perfdata_bytes raw,
					  enum perfdata_byte_order order, struct perfdata_trace_value *ret_value)
{
	struct perfdata_bytes bytes;
	size_t count = 0;
	bool clipped;

	if (field->kind <= PERFDATA_TRACE_POINTER)
		return integer_value(field, raw, order, ret_value);
	if (!pd_trace_locate(field, raw, pd_order_is_foreign(order), &bytes, &clipped))
		return PERFDATA_DAMAGED;
	if (field->kind == PERFDATA_TRACE_STRING) {
		const uint8_t *nul = bytes.size ? memchr(bytes.data, 0, bytes.size) : NULL;
		if (nul)
			bytes.size = (size_t)(nul - bytes.data);
	} else if (field->kind != PERFDATA_TRACE_BYTES) {
		count = bytes.size / field->element_size;
	}
	*ret_value = (struct perfdata_trace_value){
		.kind = field->kind,
		.order = order,
		.is_signed = field->is_signed,
		.clipped = clipped,
		.element_size = field->element_size,
		.bytes = bytes,
		.count = count,
	};
	return PERFDATA_OK;
}

uint64_t pd_trace_element(const struct perfdata_trace_value *value, size_t index)
{
	if (index >= value->count || !value->element_size)
		return 0;
	const uint64_t element = pd_trace_integer(value->bytes.data + index * value->element_size, value->element_size,
					      pd_order_is_foreign(value->order));
	return value->is_signed ? pd_trace_extended(element, value->element_size) : element;
}
