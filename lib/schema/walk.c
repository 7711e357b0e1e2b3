/* SPDX-License-Identifier: MIT */
/* The walk over rows: one function per kind of field. */
#include "config.h"
#include "schema/decode.h"

static const char too_short[] = "the record ends before its fields do";
static const char count_beyond[] = "a count reaches beyond the end of the record";

unsigned pd_kind_width(enum perfdata_kind kind)
{
	switch (kind) {
	case PERFDATA_KIND_U8: return 1;
	case PERFDATA_KIND_U16: return 2;
	case PERFDATA_KIND_U32:
	case PERFDATA_KIND_S32: return 4;
	case PERFDATA_KIND_U64:
	case PERFDATA_KIND_S64:
	case PERFDATA_KIND_F64: return 8;
	default: return 0;
	}
}

/* Returns the size of an element with all its rows; each row has a fixed size. */
static uint32_t element_size(const struct perfdata_layout *layout)
{
	uint32_t size = 0;

	for (uint32_t i = 0; i < layout->nr_fields; i++) {
		const unsigned width = pd_kind_width(layout->fields[i].kind);
		size += width ? width : layout->fields[i].count;
	}
	return size;
}

struct perfdata_bytes pd_text_of(const uint8_t *data, size_t size)
{
	const uint8_t *nul = size ? memchr(data, 0, size) : NULL;

	return (struct perfdata_bytes){ data, nul ? (size_t)(nul - data) : size };
}

static bool all_zero(const uint8_t *p, const uint8_t *end)
{
	while (p < end && !*p)
		p++;
	return p == end;
}

/* Copies an integer of 1, 2, 4 or 8 bytes: copies of constant size need no call. */
static inline void copy_int(void *to, const uint8_t *from, unsigned width, bool swap)
{
	uint16_t u16;
	uint32_t u32;
	uint64_t u64;

	switch (width) {
	case 1:
		memcpy(to, from, 1);
		break;
	case 2:
		u16 = pd_load16(from, swap);
		memcpy(to, &u16, sizeof u16);
		break;
	case 4:
		u32 = pd_load32(from, swap);
		memcpy(to, &u32, sizeof u32);
		break;
	default:
		u64 = pd_load64(from, swap);
		memcpy(to, &u64, sizeof u64);
	}
}

/* Decodes an integer of `width` bytes into *member, which has the same width. */
static bool walk_int(struct pd_walk *w, unsigned width, void *member)
{
	const uint8_t *p = w->at;

	if (pd_walk_left(w) < width)
		return pd_walk_fail(w, PERFDATA_FINDING_RECORD_SHORT, too_short);
	copy_int(member, p, width, w->swap);
	if (w->native)
		copy_int(w->native + (p - w->start), p, width, w->swap);
	w->at += width;
	return true;
}

bool pd_walk_u64(struct pd_walk *w, uint64_t *ret) { return walk_int(w, 8, ret); }

uint64_t pd_member_value(const struct perfdata_field *field, const void *view)
{
	const char *p = (const char *)view + field->member;
	uint8_t u8;
	uint16_t u16;
	uint32_t u32;
	uint64_t u64;

	switch (pd_kind_width(field->kind)) {
	case 1: return memcpy(&u8, p, sizeof u8), u8;
	case 2: return memcpy(&u16, p, sizeof u16), u16;
	case 4: return memcpy(&u32, p, sizeof u32), u32;
	case 8: return memcpy(&u64, p, sizeof u64), u64;
	default: return 0;
	}
}

bool pd_walk_list(struct pd_walk *w, uint64_t count, uint32_t stride, struct perfdata_list *list)
{
	uint64_t room = pd_walk_left(w) / stride;
	bool fits = count <= room;

	list->data = w->at;
	list->count = fits ? count : room;
	list->stride = stride;
	list->swap = w->swap;
	w->at += list->count * stride;
	return fits || pd_walk_fail(w, PERFDATA_FINDING_RECORD_SHORT, count_beyond);
}

/* Swaps the integers of the list's elements in the image. */
static void swap_elements(const struct pd_walk *w, const struct perfdata_list *list)
{
	static const struct perfdata_field word = { .kind = PERFDATA_KIND_U64 };
	const struct perfdata_field *fields = list->element ? list->element->fields : &word;
	uint32_t nr = list->element ? list->element->nr_fields : 1;
	struct pd_walk in = *w;
	uint64_t unused;

	in.at = list->data;
	in.end = list->data + list->count * list->stride;
	while (in.at < in.end)
		for (uint32_t i = 0; i < nr; i++) {
			unsigned width = pd_kind_width(fields[i].kind);
			if (width)
				walk_int(&in, width, &unused);
			else
				in.at += fields[i].count;
		}
}

static bool walk_list_row(struct pd_walk *w, const struct perfdata_layout *layout, const struct perfdata_field *field,
			  void *view)
{
	struct perfdata_list *list = (struct perfdata_list *)(void *)((char *)view + field->member);
	uint32_t stride = field->element ? element_size(field->element) : 8;
	uint64_t count;

	switch (field->count_field) {
	case PERFDATA_COUNT_REST:
		count = pd_walk_left(w) / stride;
		break;
	case PERFDATA_COUNT_PREFIX:
		if (!pd_walk_u64(w, &count))
			return false;
		break;
	default:
		count = pd_member_value(&layout->fields[field->count_field], view);
	}
	list->element = field->element;
	list->present = UINT64_MAX;
	bool ok = pd_walk_list(w, count, stride, list);
	if (w->native)
		swap_elements(w, list);
	return ok;
}

static bool walk_bytes(struct pd_walk *w, const struct perfdata_layout *layout, const struct perfdata_field *field,
		       void *view)
{
	struct perfdata_bytes *bytes = (struct perfdata_bytes *)(void *)((char *)view + field->member);
	const uint8_t *from = w->at;
	uint64_t count;
	uint32_t count32;

	switch (field->count_field) {
	case PERFDATA_COUNT_REST:
		count = pd_walk_left(w);
		break;
	case PERFDATA_COUNT_FIXED:
		count = field->count;
		break;
	case PERFDATA_COUNT_PREFIX:
		if (!(field->count == 4 ? walk_int(w, 4, &count32) : pd_walk_u64(w, &count)))
			return false;
		if (field->count == 4)
			count = count32;
		break;
	default:
		count = pd_member_value(&layout->fields[field->count_field], view);
	}
	if (count > pd_walk_left(w)) {
		w->at = from;
		return pd_walk_fail(w, PERFDATA_FINDING_RECORD_SHORT,
				    field->count_field == PERFDATA_COUNT_FIXED ? too_short : count_beyond);
	}
	*bytes = (struct perfdata_bytes){ w->at, (size_t)count };
	w->at += count;
	return true;
}

/* Decodes a text at the end of the body. Padding to a multiple of 8 follows its NUL; perf leaves old bytes of its
 * buffer there. Further bytes are padding if they are zero, else they become `rest`. */
static void walk_text(struct pd_walk *w, const struct perfdata_field *field, struct perfdata_bytes *text)
{
	*text = pd_text_of(w->at, pd_walk_left(w));
	const uint8_t *nul = w->at + text->size;
	if (nul == w->end) {
		if (field->count_field != PERFDATA_COUNT_REST)
			pd_walk_note(w, PERFDATA_FINDING_TEXT_UNTERMINATED, "a text has no NUL at its end");
		w->at = w->end;
		return;
	}
	size_t padded = ((size_t)(nul - w->start) + 8) & ~(size_t)7;
	size_t size = (size_t)(w->end - w->start);
	w->at = padded >= size || all_zero(w->start + padded, w->end) ? w->end : w->start + padded;
}

/* Decodes a text in a field of `count` bytes; the record may end after its NUL. */
static bool walk_chars(struct pd_walk *w, uint32_t count, struct perfdata_bytes *text)
{
	size_t room = pd_walk_left(w) < count ? pd_walk_left(w) : count;

	*text = pd_text_of(w->at, room);
	if (text->size == room && room < count)
		return pd_walk_fail(w, PERFDATA_FINDING_RECORD_SHORT, too_short);
	w->at += room;
	return true;
}

/* Decodes CPU numbers. The masks are packed, so their words are not aligned. See doc/perf-data.5, CPU_MAP. */
static bool walk_cpus(struct pd_walk *w, struct perfdata_cpus *cpus)
{
	uint8_t any, pad;
	uint64_t bytes, width = 2;

	*cpus = (struct perfdata_cpus){ .swap = w->swap };
	if (!walk_int(w, 2, &cpus->type))
		return false;
	switch (cpus->type) {
	case 0:
		if (!walk_int(w, 2, &cpus->nr))
			return false;
		break;
	case 1:
		if (!walk_int(w, 2, &cpus->nr) || !walk_int(w, 2, &cpus->long_size))
			return false;
		width = cpus->long_size;
		if (width != 4 && width != 8)
			return pd_walk_fail(w, PERFDATA_FINDING_RECORD_SHORT,
					    "the words of a CPU mask have an impossible size");
		if (width == 8) {
			if (pd_walk_left(w) < 4)
				return pd_walk_fail(w, PERFDATA_FINDING_RECORD_SHORT, too_short);
			w->at += 4;
		}
		break;
	case 2:
		if (!walk_int(w, 1, &any) || !walk_int(w, 1, &pad) || !walk_int(w, 2, &cpus->start) ||
		    !walk_int(w, 2, &cpus->end))
			return false;
		cpus->any = any != 0;
		cpus->data = (struct perfdata_bytes){ w->at, 0 };
		return true;
	default:
		/* a type of a later version: its bytes become `rest` */
		w->at -= 2;
		return true;
	}
	bytes = cpus->nr * width;
	bool fits = bytes <= pd_walk_left(w);
	if (!fits)
		bytes = pd_walk_left(w) / width * width;
	cpus->data = (struct perfdata_bytes){ w->at, (size_t)bytes };
	for (uint64_t i = 0; i < bytes / width; i++) {
		uint64_t word;
		walk_int(w, (unsigned)width, &word);
		if (cpus->type == 0 && cpus->data.data[2 * i] == 0xff && cpus->data.data[2 * i + 1] == 0xff)
			cpus->any = true;
	}
	return fits || pd_walk_fail(w, PERFDATA_FINDING_RECORD_SHORT, count_beyond);
}

static bool walk_pad(struct pd_walk *w, const struct perfdata_field *field)
{
	if (field->count_field == PERFDATA_COUNT_REST) {
		if (all_zero(w->at, w->end))
			w->at = w->end;
		return true;
	}
	if (pd_walk_left(w) < field->count)
		return pd_walk_fail(w, PERFDATA_FINDING_RECORD_SHORT, too_short);
	w->at += field->count;
	return true;
}

/* Whether printable letters with a NUL follow, and then only the padding of a text. */
static bool is_last_text(const struct pd_walk *w)
{
	const uint8_t *p = w->at;

	while (p < w->end && *p >= 0x20 && *p != 0x7f)
		p++;
	return p > w->at && p < w->end && w->end - p <= 8 && all_zero(p, w->end);
}

static bool row_is_there(const struct pd_walk *w, const struct perfdata_layout *layout,
			 const struct perfdata_field *field, const void *view)
{
	const struct perfdata_attr *attr = w->config ? &w->config->attr : NULL;

	switch (field->when) {
	case PERFDATA_ALWAYS:
		return true;
	case PERFDATA_IF_MISC:
		return w->misc & field->when_value;
	case PERFDATA_UNLESS_MISC:
		return !(w->misc & field->when_value);
	case PERFDATA_IF_SAMPLE_TYPE:
		return attr && attr->sample_type & field->when_value;
	case PERFDATA_IF_READ_FORMAT:
		return attr && attr->read_format & field->when_value;
	case PERFDATA_IF_FIELD:
		return pd_member_value(&layout->fields[field->when_field], view) == field->when_value;
	case PERFDATA_IF_FIELD_GE:
		return pd_member_value(&layout->fields[field->when_field], view) >= field->when_value;
	case PERFDATA_IF_LEFT:
		if (pd_walk_left(w) < field->when_value)
			return false;
		/* a counted list of a later version is present only if the record contains it whole */
		if (field->kind != PERFDATA_KIND_LIST || field->count_field >= layout->nr_fields)
			return true;
		return pd_walk_left(w) / element_size(field->element) >=
		       pd_member_value(&layout->fields[field->count_field], view);
	case PERFDATA_UNLESS_TEXT:
		return !is_last_text(w);
	case PERFDATA_UNLESS_NAME:
		return !pd_walk_left(w) || (*w->at != '/' && *w->at != '[');
	default:
		return false;   /* only feature sections have such conditions */
	}
}

/* Decodes a row. False: the offset of the next row is unknown. *ret_present may be set even so, for a clipped list or
 * an attr of impossible size. */
static bool walk_row(struct pd_walk *w, const struct perfdata_layout *layout, const struct perfdata_field *field,
		     void *view, bool *ret_present)
{
	void *member = (char *)view + field->member;
	const uint8_t *from = w->at;
	bool ok;

	switch (field->kind) {
	case PERFDATA_KIND_PAD:
		*ret_present = false;
		return walk_pad(w, field);
	case PERFDATA_KIND_TEXT:
		walk_text(w, field, member);
		return true;
	case PERFDATA_KIND_CHARS:
		return *ret_present = walk_chars(w, field->count, member);
	case PERFDATA_KIND_BYTES:
	case PERFDATA_KIND_FEATURE:
		return *ret_present = walk_bytes(w, layout, field, view);
	case PERFDATA_KIND_LIST:
		ok = walk_list_row(w, layout, field, view);
		*ret_present = ok || w->at > from;
		return ok;
	case PERFDATA_KIND_STRUCT:
		ok = pd_walk_struct(w, field, member);
		*ret_present = w->at > from;
		return ok;
	case PERFDATA_KIND_ATTR:
		ok = pd_walk_attr(w, member);
		*ret_present = w->at > from;
		return ok;
	case PERFDATA_KIND_CPUS:
		ok = walk_cpus(w, member);
		*ret_present = w->at > from;
		return ok;
	default:
		return *ret_present = walk_int(w, pd_kind_width(field->kind), member);
	}
}

bool pd_walk_rows(struct pd_walk *w, const struct perfdata_layout *layout, uint64_t rows, void *view)
{
	uint64_t present = 0;
	bool ok = true;

	if (layout->nr_fields < 64)
		rows &= (UINT64_C(1) << layout->nr_fields) - 1;
	while (ok && rows) {
		unsigned i = (unsigned)__builtin_ctzll(rows);
		const struct perfdata_field *field = &layout->fields[i];
		bool there = true;
		rows &= rows - 1;
		if (!row_is_there(w, layout, field, view))
			continue;
		w->ahead = rows;
		ok = walk_row(w, layout, field, view, &there);
		present |= (uint64_t)there << i;
	}
	memcpy(view, &present, sizeof present);   /* `present` is the first member of every view */
	return ok;
}
