/* SPDX-License-Identifier: MIT */
/* Decodes elements of lists and CPU numbers when a caller asks for them. */
#include "config.h"
#include "schema/decode.h"
#include "schema/schema.h"

/* Bit-fields of a big-endian machine are allocated from the most significant bit down; inside a field bits keep their
 * order. */
static uint64_t branch_flags_from_big(uint64_t word)
{
	return (word >> 63 & 1) | (word >> 62 & 1) << 1 | (word >> 61 & 1) << 2 | (word >> 60 & 1) << 3 |
	       (word >> 44 & 0xffff) << 4 | (word >> 40 & 15) << 20 | (word >> 38 & 3) << 24 | (word >> 34 & 15) << 26 |
	       (word >> 31 & 7) << 30 | (word & 0x7fffffff) << 33;
}

static void get_branch(const struct perfdata_list *list, const uint8_t *p, struct perfdata_branch *ret)
{
	ret->from = pd_load64(p, list->swap);
	ret->to = pd_load64(p + 8, list->swap);
	ret->flags = pd_load64(p + 16, list->swap);
	if (list->swap != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__))
		ret->flags = branch_flags_from_big(ret->flags);
}

static void get_read_value(const struct perfdata_list *list, const uint8_t *p, struct perfdata_read_value *ret)
{
	const uint8_t *end = p + list->stride;

	*ret = (struct perfdata_read_value){ .value = pd_load64(p, list->swap) };
	/* id and lost are the last words; the times of a single counter precede them, after its value */
	if (list->present & 4)
		ret->lost = pd_load64(end -= 8, list->swap);
	if (list->present & 2)
		ret->id = pd_load64(end -= 8, list->swap);
}

static void get_any(const struct perfdata_list *list, const uint8_t *p, void *view)
{
	for (uint32_t i = 0; i < list->element->nr_fields; i++) {
		const struct perfdata_field *field = &list->element->fields[i];
		void *member = (char *)view + field->member;
		unsigned width = pd_kind_width(field->kind);

		if (width) {
			uint8_t v[8];
			for (unsigned k = 0; k < width; k++)
				v[k] = p[list->swap ? width - 1 - k : k];
			memcpy(member, v, width);
			p += width;
			continue;
		}
		if (field->kind == PERFDATA_KIND_CHARS) {
			struct perfdata_bytes text = pd_text_of(p, field->count);
			memcpy(member, &text, sizeof text);
		}
		p += field->count;
	}
}

static void get_element(const struct perfdata_list *list, const uint8_t *p, void *view)
{
	if (list->element == &pd_branch_layout)
		get_branch(list, p, view);
	else if (list->element == &pd_read_value_layout)
		get_read_value(list, p, view);
	else
		get_any(list, p, view);
}

void perfdata_list_get(const struct perfdata_list *list, uint64_t index, void *ret_view, size_t size)
{
	const uint8_t *p = list->data + index * list->stride;
	const size_t own_size = list->element ? list->element->view_size : sizeof(uint64_t);

	if (list->element && size >= own_size) {
		get_element(list, p, ret_view);
	} else {
		/* a plain word, or a view larger than the caller's struct, which an older program compiled */
		uint64_t view[PD_MAX_ELEMENT / sizeof(uint64_t)] = { 0 };
		if (list->element)
			get_element(list, p, view);
		else
			view[0] = pd_load64(p, list->swap);
		memcpy(ret_view, view, size < own_size ? size : own_size);
	}
	if (size > own_size)
		memset((char *)ret_view + own_size, 0, size - own_size);
}

static bool next_of_mask(const struct perfdata_cpus *cpus, uint64_t *position, int32_t *ret_cpu)
{
	unsigned bits = cpus->long_size * 8u;

	if (cpus->long_size != 4 && cpus->long_size != 8)
		return false;
	while (*position < cpus->data.size * 8) {
		const uint8_t *word = cpus->data.data + *position / bits * cpus->long_size;
		unsigned bit = (unsigned)(*position % bits);
		uint64_t v = bits == 64 ? pd_load64(word, cpus->swap) : pd_load32(word, cpus->swap);
		v >>= bit;
		if (!v) {
			*position += bits - bit;
			continue;
		}
		*position += (unsigned)__builtin_ctzll(v);
		*ret_cpu = (int32_t)(*position)++;
		return true;
	}
	return false;
}

bool pd_cpus_next(const struct perfdata_cpus *cpus, uint64_t *position, int32_t *ret_cpu)
{
	uint64_t at = *position;

	switch (cpus->type) {
	case 0:
		if (at >= cpus->data.size / 2)
			return false;
		*ret_cpu = (int16_t)pd_load16(cpus->data.data + 2 * at, cpus->swap);
		break;
	case 1:
		return next_of_mask(cpus, position, ret_cpu);
	case 2:
		if (!at && cpus->any) {
			*ret_cpu = -1;
			break;
		}
		at -= cpus->any;
		if (at > UINT16_MAX || cpus->start + at > cpus->end)
			return false;
		*ret_cpu = (int32_t)(cpus->start + at);
		break;
	default:
		return false;
	}
	(*position)++;
	return true;
}
