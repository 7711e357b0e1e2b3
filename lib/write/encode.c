/* SPDX-License-Identifier: MIT */
/* Encodes records by walking over the same rows as the decoder. */
#include "config.h"
#include "schema/decode.h"
#include "write/encode.h"
#include "write/writing.h"

/* --- integers and lists ------------------------------------------------------------------------------------------ */

void pd_put_int(struct pd_encode *e, unsigned width, uint64_t value)
{
	uint8_t *at = pd_encode_room(e, width);
	const uint16_t u16 = (uint16_t)value;
	const uint32_t u32 = (uint32_t)value;

	if (!at)
		return;
	switch (width) {
	case 1:
		*at = (uint8_t)value;
		break;
	case 2: {
		const uint16_t v = e->swap ? __builtin_bswap16(u16) : u16;
		memcpy(at, &v, sizeof v);
		break;
	}
	case 4: {
		const uint32_t v = e->swap ? __builtin_bswap32(u32) : u32;
		memcpy(at, &v, sizeof v);
		break;
	}
	default: {
		const uint64_t v = e->swap ? __builtin_bswap64(value) : value;
		memcpy(at, &v, sizeof v);
	}
	}
}

/* Writes the elements with their bytes reversed: integers by the widths of the rows, texts unchanged. */
static void put_swapped(struct pd_encode *e, const struct perfdata_list *list)
{
	for (uint64_t i = 0; i < list->count && !e->full; i++) {
		const uint8_t *p = list->data + i * list->stride, *end = p + list->stride;
		if (!list->element || list->element == &pd_read_value_layout) {
			for (; end - p >= 8; p += 8)
				pd_put_int(e, 8, pd_load64(p, list->swap));
			continue;
		}
		if (list->element == &pd_branch_layout) {
			struct perfdata_branch branch;
			const bool to_big = e->swap != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
			perfdata_list_get(list, i, &branch, sizeof branch);
			pd_put_int(e, 8, branch.from);
			pd_put_int(e, 8, branch.to);
			pd_put_int(e, 8, to_big ? pd_branch_flags_to_big(branch.flags) : branch.flags);
			continue;
		}
		for (uint32_t f = 0; f < list->element->nr_fields; f++) {
			const struct perfdata_field *field = &list->element->fields[f];
			const unsigned width = pd_kind_width(field->kind);
			switch (width) {
			case 1: pd_put_int(e, 1, *p); break;
			case 2: pd_put_int(e, 2, pd_load16(p, list->swap)); break;
			case 4: pd_put_int(e, 4, pd_load32(p, list->swap)); break;
			case 8: pd_put_int(e, 8, pd_load64(p, list->swap)); break;
			default: pd_put_bytes(e, p, field->count);
			}
			p += width ? width : field->count;
		}
	}
}

void pd_put_list(struct pd_encode *e, const struct perfdata_list *list)
{
	if (!pd_is_of_source(e, list->data) || list->data != e->source + pd_encode_size(e))
		e->in_step = false;
	if (list->swap == e->swap && list->count)
		pd_put_bytes(e, list->data, (size_t)list->count * list->stride);
	else
		put_swapped(e, list);
}

void pd_put_count(struct pd_encode *e, const struct perfdata_list *list, size_t before)
{
	uint64_t count = list->count;

	if (pd_is_of_source(e, list->data) && (size_t)(list->data - e->source) >= before + 8) {
		const uint64_t stated = pd_load64(list->data - before, list->swap);
		count = stated > count ? stated : count;
	}
	pd_put_int(e, 8, count);
}

/* --- texts and bytes --------------------------------------------------------------------------------------------- */

/* Returns the next `size` bytes of the source if the output so far has the source's offsets, else NULL. */
static const uint8_t *source_here(const struct pd_encode *e, size_t size)
{
	if (!e->in_step || !e->source)
		return NULL;
	const uint8_t *at = e->source + pd_encode_size(e);
	return at <= e->source_end && size <= (size_t)(e->source_end - at) ? at : NULL;
}

static void put_pad(struct pd_encode *e, size_t size)
{
	const uint8_t *source = source_here(e, size);
	if (source)
		pd_put_bytes(e, source, size);
	else
		pd_put_zeros(e, size);
}

/* Writes a text. If the source has the same text here, copies the source's bytes after the NUL too, up to `rest`. */
static void put_text(struct pd_encode *e, const struct perfdata_bytes *text)
{
	const uint8_t *source = source_here(e, text->size);
	const struct perfdata_record *record = e->record;

	pd_put_bytes(e, text->data, text->size);
	if (source && source == text->data) {
		const uint8_t *end = record->rest.size ? e->source + record->rest_offset : e->source_end;
		const uint8_t *nul = source + text->size;
		if (nul == e->source_end || (end > nul && !*nul)) {
			pd_put_bytes(e, nul, (size_t)(end - nul));
			return;
		}
	}
	e->in_step = false;
	pd_put_zeros(e, 8 - pd_encode_size(e) % 8);
}

/* Writes a text in a field of `room` bytes; the source's record may end inside the field. */
static void put_chars(struct pd_encode *e, const struct perfdata_bytes *text, size_t room)
{
	const uint8_t *source = source_here(e, text->size);
	const size_t size = text->size < room ? text->size : room;

	if (source && source == text->data) {
		const size_t there = (size_t)(e->source_end - source);
		pd_put_bytes(e, source, there < room ? there : room);
		return;
	}
	pd_put_bytes(e, text->data, size);
	pd_put_zeros(e, room - size);
}

static void put_bytes_row(struct pd_encode *e, const struct perfdata_field *field, const struct perfdata_bytes *bytes)
{
	const size_t room = field->count_field == PERFDATA_COUNT_FIXED ? field->count : bytes->size;

	if (field->count_field == PERFDATA_COUNT_PREFIX)
		pd_put_int(e, field->count == 4 ? 4 : 8, bytes->size);
	const uint8_t *source = source_here(e, room);
	if (source && source == bytes->data) {
		pd_put_bytes(e, source, room);   /* copies a field that may be longer than its build-id */
		return;
	}
	if (field->count_field != PERFDATA_COUNT_FIXED)
		e->in_step = false;
	pd_put_bytes(e, bytes->data, bytes->size < room ? bytes->size : room);
	if (bytes->size < room)
		pd_put_zeros(e, room - bytes->size);
}

static void put_cpus(struct pd_encode *e, const struct perfdata_cpus *cpus)
{
	pd_put_int(e, 2, cpus->type);
	if (cpus->type == 2) {
		const uint8_t *source = source_here(e, 2);
		pd_put_int(e, 1, source && (source[0] != 0) == cpus->any ? source[0] : cpus->any);
		put_pad(e, 1);
		pd_put_int(e, 2, cpus->start);
		pd_put_int(e, 2, cpus->end);
		return;
	}
	const unsigned width = cpus->type == 0 ? 2 : cpus->long_size;
	pd_put_int(e, 2, cpus->nr);
	if (cpus->type == 1)
		pd_put_int(e, 2, cpus->long_size);
	if (cpus->type == 1 && width == 8)
		put_pad(e, 4);
	for (size_t at = 0; at + width <= cpus->data.size && width; at += width) {
		const uint8_t *p = cpus->data.data + at;
		pd_put_int(e, width,
			   width == 2   ? pd_load16(p, cpus->swap)
			   : width == 4 ? pd_load32(p, cpus->swap)
					: pd_load64(p, cpus->swap));
	}
}

/* --- rows -------------------------------------------------------------------------------------------------------- */

/* Whether to write the row, a pad. follows: the row before it is present. An IF_LEFT pad of a later version is written
 * only with its row, unless the source has it. */
static bool pad_is_there(const struct pd_encode *e, const struct perfdata_field *field, bool follows)
{
	switch (field->when) {
	case PERFDATA_ALWAYS: return true;
	case PERFDATA_IF_MISC: return e->misc & field->when_value;
	case PERFDATA_UNLESS_MISC: return !(e->misc & field->when_value);
	case PERFDATA_IF_SAMPLE_TYPE: return e->config->attr.sample_type & field->when_value;
	case PERFDATA_IF_LEFT:
		return e->source && e->in_step ? source_here(e, (size_t)field->when_value) != NULL : follows;
	default: return false;
	}
}

static void put_row(struct pd_encode *e, const struct perfdata_field *field, const void *view)
{
	const void *member = (const char *)view + field->member;

	switch (field->kind) {
	case PERFDATA_KIND_TEXT:
		put_text(e, member);
		break;
	case PERFDATA_KIND_CHARS:
		put_chars(e, member, field->count);
		break;
	case PERFDATA_KIND_BYTES:
	case PERFDATA_KIND_FEATURE:
		put_bytes_row(e, field, member);
		break;
	case PERFDATA_KIND_LIST:
		if (field->count_field == PERFDATA_COUNT_PREFIX)
			pd_put_count(e, member, 8);
		pd_put_list(e, member);
		break;
	case PERFDATA_KIND_STRUCT:
		pd_put_struct(e, field, member);
		break;
	case PERFDATA_KIND_ATTR: {
		const struct perfdata_attr *attr = member;
		pd_put_attr(e, attr, attr->size ? attr->size : 64);
		break;
	}
	case PERFDATA_KIND_CPUS:
		put_cpus(e, member);
		break;
	default:
		pd_put_int(e, pd_kind_width(field->kind), pd_member_value(field, view));
	}
}

void pd_put_rows(struct pd_encode *e, const struct perfdata_layout *layout, uint64_t present, const void *view)
{
	for (uint32_t i = 0; i < layout->nr_fields; i++) {
		const struct perfdata_field *field = &layout->fields[i];
		const bool is_asked = field->when != PERFDATA_IF_SAMPLE_TYPE ||
				      e->config->attr.sample_type & field->when_value;
		if (field->kind == PERFDATA_KIND_PAD) {
			if (field->count_field != PERFDATA_COUNT_REST &&
			    pad_is_there(e, field, i && present >> (i - 1) & 1))
				put_pad(e, field->count);
		} else if (present >> i & 1) {
			if (is_asked)
				put_row(e, field, view);
			else
				e->in_step = false;
		}
	}
}

/* --- records ----------------------------------------------------------------------------------------------------- */

/* Writes the trailer. `source` is the source's trailer if it has the same layout, and supplies the pads; NULL: pads are
 * zeros. */
static void put_trailer(struct pd_encode *e, const uint8_t *source)
{
	const struct perfdata_sample_id *id = &e->record->sample_id;
	const uint8_t *start = e->at;
	struct perfdata_sample_id whole = *id;
	uint64_t present = e->config->trailer_present;

	/* a new IDENTIFIER has the value of the id */
	if (!(id->present >> 7 & 1) && id->present >> 3 & 1)
		whole.identifier = id->id;
	for (uint32_t i = 0; i < pd_sample_id_layout.nr_fields; i++) {
		const struct perfdata_field *field = &pd_sample_id_layout.fields[i];
		if (field->kind != PERFDATA_KIND_PAD) {
			if (present >> i & 1)
				put_row(e, field, &whole);
		} else if (e->config->attr.sample_type & field->when_value) {
			if (source)
				pd_put_bytes(e, source + (e->at - start), field->count);
			else
				pd_put_zeros(e, field->count);
		}
	}
}

static bool same_samples(const struct perfdata_attr *a, const struct perfdata_attr *b)
{
	return a->sample_type == b->sample_type && a->read_format == b->read_format &&
	       a->branch_sample_type == b->branch_sample_type && a->sample_regs_user == b->sample_regs_user &&
	       a->sample_regs_intr == b->sample_regs_intr;
}

/* Returns misc for the rows that the decoder found: an MMAP2 may have device and inode although its misc bit promises a
 * build-id. */
static uint16_t misc_of_rows(const struct perfdata_record *record)
{
	enum { BUILD_ID_ROW = 7, INODE_ROW = 10 };

	if (record->type == PERFDATA_RECORD_MMAP2 && record->u.present >> INODE_ROW & 1 &&
	    !(record->u.present >> BUILD_ID_ROW & 1))
		return (uint16_t)(record->misc & ~PERFDATA_MISC_MMAP_BUILD_ID);
	return record->misc;
}

static void put_header(struct pd_encode *e, const struct perfdata_record *record, size_t size)
{
	uint8_t *end = e->at;
	e->at = e->start;
	pd_put_int(e, 4, record->type);
	pd_put_int(e, 2, perfdata_record_is_simpleperf(record->type) ? size >> 16 : record->misc);
	pd_put_int(e, 2, size);
	if (end > e->at)
		e->at = end;
}

enum perfdata_status pd_encode_record(const struct perfdata_config *config, const struct perfdata_config *source,
				      const struct perfdata_record *record, void *out, size_t *ret_size)
{
	return pd_encode_record_in(config, source, record, out, PD_RECORD_ROOM, ret_size);
}

enum perfdata_status pd_encode_record_in(const struct perfdata_config *config, const struct perfdata_config *source,
					 const struct perfdata_record *record, void *out, size_t room,
					 size_t *ret_size)
{
	struct pd_encode e = { .start = out,
			       .at = out,
			       .end = (uint8_t *)out + room,
			       .config = config,
			       .record = record,
			       .swap = pd_order_is_foreign(config->order),
			       .misc = misc_of_rows(record) };
	const bool is_sample = record->type == PERFDATA_RECORD_SAMPLE;
	const uint8_t *trailer = NULL;

	put_header(&e, record, 8);
	if (source) {
		e.source = record->bytes;
		trailer = record->sample_id.present ? pd_trailer_of(source, record->type, record->bytes, record->size)
						    : NULL;
		e.source_end = trailer ? trailer : record->bytes + record->size;
		e.in_step = !is_sample || same_samples(&config->attr, &source->attr);
	}
	if (record->layout)
		pd_put_rows(&e, record->layout, record->u.present, &record->u);
	if (source && record->rest.size) {
		pd_put_bytes(&e, record->rest.data, record->rest.size);
	} else if (e.in_step) {
		/* the source has zeros between its last row and its end */
		const size_t body = (size_t)(e.source_end - e.source);
		if (body > pd_encode_size(&e))
			pd_put_zeros(&e, body - pd_encode_size(&e));
	} else if (record->type != PERFDATA_RECORD_COMPRESSED) {
		pd_put_zeros(&e, -pd_encode_size(&e) & 7);
	}
	const bool is_kernels = record->type < PERFDATA_RECORD_USER_FIRST && !is_sample;
	if (record->sample_id.present || (!source && is_kernels && config->trailer_size)) {
		const bool same = trailer && source->trailer_size == config->trailer_size &&
				  (source->attr.sample_type ^ config->attr.sample_type) == 0;
		put_trailer(&e, same ? trailer : NULL);
	}
	const size_t size = pd_encode_size(&e);
	if (e.full || size > (perfdata_record_is_simpleperf(record->type) ? UINT32_MAX : UINT16_MAX))
		return PERFDATA_ELIMIT;
	put_header(&e, record, size);
	*ret_size = size;
	return PERFDATA_OK;
}
