/* SPDX-License-Identifier: MIT */
/* Encodes attrs: the counterpart of lib/schema/decode_attr.c. */
#include "config.h"
#include "schema/decode.h"
#include "write/encode.h"
#include "write/writing.h"

/* Compilers for big-endian machines allocate bit-fields from the most significant bit down; inside precise_ip bits keep
 * their order. */
static uint64_t flags_to_big(uint64_t flags)
{
	uint64_t word = 0;

	for (unsigned n = 0; n < 64; n++)
		word |= (flags >> n & 1) << (63 - n);
	const uint64_t precise = flags >> PERFDATA_ATTR_PRECISE_IP & 3;
	return (word & ~(UINT64_C(3) << 47)) | precise << 47;
}

static uint32_t bits_to_big(uint32_t bits)
{
	uint32_t word = 0;

	for (unsigned n = 0; n < 32; n++)
		word |= (bits >> n & 1) << (31 - n);
	return word;
}

/* Returns the offset of a row: the size of all rows before it. */
static uint32_t row_offset(uint32_t row)
{
	uint32_t at = 0;

	for (uint32_t i = 0; i < row; i++) {
		const unsigned width = pd_kind_width(pd_attr_layout.fields[i].kind);
		at += width ? width : pd_attr_layout.fields[i].count;
	}
	return at;
}

uint32_t pd_attr_size(const struct perfdata_attr *attr)
{
	static const uint32_t sizes[] = { 64, 72, 80, 96, 104, 112, 120, 128, 136, 144 };
	uint32_t need = 64;

	if (attr->rest.size)
		return attr->size;
	for (uint32_t i = 0; i < pd_attr_layout.nr_fields; i++)
		if (pd_member_value(&pd_attr_layout.fields[i], attr))
			need = row_offset(i) + pd_kind_width(pd_attr_layout.fields[i].kind);
	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
		if (need <= sizes[i])
			return sizes[i];
	return sizes[sizeof sizes / sizeof *sizes - 1];
}

void pd_put_attr(struct pd_encode *e, const struct perfdata_attr *attr, uint32_t size)
{
	const uint8_t *start = e->at;
	struct perfdata_attr spelled = *attr;

	if (e->swap != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)) {
		spelled.flags = flags_to_big(attr->flags);
		spelled.aux_action = bits_to_big(attr->aux_action);
	}
	for (uint32_t i = 0; i < pd_attr_layout.nr_fields; i++) {
		const struct perfdata_field *field = &pd_attr_layout.fields[i];
		const unsigned width = pd_kind_width(field->kind);
		const size_t at = (size_t)(e->at - start), step = width                                ? width
								  : field->kind == PERFDATA_KIND_BYTES ? attr->rest.size
												       : field->count;
		if (e->full || at + step > size)
			break;
		if (width)
			pd_put_int(e, width, pd_member_value(field, &spelled));
		else if (field->kind == PERFDATA_KIND_BYTES)
			pd_put_bytes(e, attr->rest.data, attr->rest.size);
		else if (e->in_step && e->source &&
			 (size_t)(e->source_end - e->source) >= pd_encode_size(e) + field->count)
			pd_put_bytes(e, e->source + pd_encode_size(e), field->count);
		else
			pd_put_zeros(e, field->count);
	}
	if (!e->full && (size_t)(e->at - start) < size)
		pd_put_zeros(e, size - (size_t)(e->at - start));
}

enum perfdata_status pd_attr_encode(const struct perfdata_attr *attr, uint32_t size,
					  enum perfdata_byte_order order, void *out, size_t *ret_size)
{
	struct perfdata_attr stated = *attr;
	struct pd_encode e = {
		.start = out, .at = out, .end = (uint8_t *)out + PD_ATTR_ROOM, .swap = pd_order_is_foreign(order)
	};

	if (size)
		stated.size = size;
	else
		size = attr->size ? attr->size : 64;
	if (size < 64 || size > PD_ATTR_ROOM || size % 8)
		return PERFDATA_EUSAGE;
	pd_put_attr(&e, &stated, size);
	*ret_size = pd_encode_size(&e);
	return e.full ? PERFDATA_ELIMIT : PERFDATA_OK;
}
