/* The value of a tracepoint field in raw data. */
#include "base/checked.h"
#include "base/cursor.h"
#include "schema/trace_types.h"

uint64_t pd_trace_integer(const uint8_t *at, uint32_t size, bool swap)
{
	switch (size) {
	case 1: return *at;
	case 2: return pd_load16(at, swap);
	case 4: return pd_load32(at, swap);
	case 8: return pd_load64(at, swap);
	}
	return 0;
}

uint64_t pd_trace_extended(uint64_t value, uint32_t size)
{
	switch (size) {
	case 1: return (uint64_t)(int64_t)(int8_t)value;
	case 2: return (uint64_t)(int64_t)(int16_t)value;
	case 4: return (uint64_t)(int64_t)(int32_t)value;
	}
	return value;
}

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

enum perfdata_status perfdata_trace_value(const struct perfdata_trace_field *field, struct perfdata_bytes raw,
					  enum perfdata_order order, struct perfdata_trace_value *ret_value)
{
	const bool swap = pd_order_is_foreign(order);
	struct perfdata_trace_value value = {
		.kind = field->kind,
		.order = order,
		.is_signed = field->is_signed,
		.element_size = field->element_size,
	};

	if (!pd_trace_locate(field, raw, swap, &value.bytes, &value.clipped))
		return PERFDATA_DAMAGED;
	switch (field->kind) {
	case PERFDATA_TRACE_UNSIGNED:
	case PERFDATA_TRACE_POINTER:
		value.u64 = pd_trace_integer(value.bytes.data, field->size, swap);
		break;
	case PERFDATA_TRACE_SIGNED:
		value.u64 = pd_trace_extended(pd_trace_integer(value.bytes.data, field->size, swap), field->size);
		break;
	case PERFDATA_TRACE_BOOL:
		value.u64 = *value.bytes.data != 0;
		break;
	case PERFDATA_TRACE_STRING: {
		const uint8_t *nul = value.bytes.size ? memchr(value.bytes.data, 0, value.bytes.size) : NULL;
		if (nul)
			value.bytes.size = (size_t)(nul - value.bytes.data);
		break;
	}
	case PERFDATA_TRACE_ARRAY:
	case PERFDATA_TRACE_BITMASK:
		value.count = value.bytes.size / field->element_size;
		break;
	case PERFDATA_TRACE_BYTES:
		break;
	}
	*ret_value = value;
	return PERFDATA_OK;
}

uint64_t perfdata_trace_element(const struct perfdata_trace_value *value, size_t index)
{
	if (index >= value->count || !value->element_size)
		return 0;
	const uint64_t element = pd_trace_integer(value->bytes.data + index * value->element_size, value->element_size,
					      pd_order_is_foreign(value->order));
	return value->is_signed ? pd_trace_extended(element, value->element_size) : element;
}
