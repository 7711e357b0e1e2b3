/* SPDX-License-Identifier: MIT */
/* Encodes feature sections: a walk over the rows and the tree that the decoder made. The encoder copies bytes that the
 * tree does not hold (the room of a text, bytes after a NUL) from the decoded section, if the value still points into
 * that section. */
#include "config.h"
#include "base/checked.h"
#include "schema/decode.h"
#include "schema/feature_rows.h"
#include "schema/feature.h"
#include "write/encode.h"
#include "write/writing.h"

#define STRING_STEP 64u      /* perf pads texts to a multiple of this */

struct feature_walk {
	struct perfdata_text *out;
	const struct perfdata_layout *section;
	struct perfdata_bytes source;
	const struct perfdata_node *root;
	const struct pd_feature_edit *edit;
	bool swap, source_swap;
	bool unsupported;
};

static void put_int(struct feature_walk *w, unsigned width, uint64_t value)
{
	uint8_t bytes[8];
	struct pd_encode e = { .start = bytes, .at = bytes, .end = bytes + sizeof bytes, .swap = w->swap };
	pd_put_int(&e, width, value);
	perfdata_text_append(w->out, bytes, width);
}

static void put_zeros(struct feature_walk *w, size_t size) { perfdata_text_fill(w->out, '\0', size); }

static bool is_of_source(const struct feature_walk *w, const uint8_t *data)
{
	return w->source.size && data >= w->source.data && data <= w->source.data + w->source.size;
}

/* --- leaves ------------------------------------------------------------------------------------------------------ */

static void put_string(struct feature_walk *w, const struct perfdata_bytes *text)
{
	if (is_of_source(w, text->data) && text->data >= w->source.data + 4) {
		const uint32_t room = pd_load32(text->data - 4, w->source_swap);
		put_int(w, 4, room);
		perfdata_text_append(w->out, text->data, room);
		return;
	}
	const size_t room = (text->size + STRING_STEP) / STRING_STEP * STRING_STEP;
	put_int(w, 4, room);
	perfdata_text_append(w->out, text->data, text->size);
	put_zeros(w, room - text->size);
}

/* Writes the number of bits of a bitmap, then its words in the file's byte order. */
static void put_bitmap(struct feature_walk *w, const struct perfdata_bytes *bits, uint64_t stated)
{
	const uint64_t words = bits->size / 8;

	put_int(w, 8, stated <= words * 64 && stated + 63 >= words * 64 ? stated : words * 64);
	for (uint64_t i = 0; i < words; i++) {
		uint64_t word = 0;
		for (unsigned k = 0; k < 8; k++)
			word |= (uint64_t)bits->data[i * 8 + k] << 8 * k;
		put_int(w, 8, word);
	}
}

/* Returns the recorded bytes of an attr of EVENT_DESC, with the number of ids and the length of the name that follow
 * them: some big-endian recorders swap bits of attrs, and the tree has the corrected bits. NULL: the section is edited
 * or changes its byte order. */
static const uint8_t *recorded_attr(const struct feature_walk *w, const struct perfdata_node *entry, uint64_t size)
{
	const struct perfdata_node *name = perfdata_node_get(entry, "name");

	if (w->edit || w->swap != w->source_swap || !name || !is_of_source(w, name->v.bytes.data) ||
	    (size_t)(name->v.bytes.data - w->source.data) < size + 8)
		return NULL;
	return name->v.bytes.data - 8 - size;
}

static void put_attr(struct feature_walk *w, const struct perfdata_attr *attr, uint32_t size)
{
	uint8_t bytes[PD_ATTR_ROOM];
	struct pd_encode e = { .start = bytes, .at = bytes, .end = bytes + sizeof bytes, .swap = w->swap };

	pd_put_attr(&e, attr, size < sizeof bytes ? size : (uint32_t)sizeof bytes);
	perfdata_text_append(w->out, bytes, pd_encode_size(&e));
}

/* Writes the text at the end of an entry that states its own size, and the source's bytes after the NUL. */
static void put_entry_text(struct feature_walk *w, const struct perfdata_bytes *text, const uint8_t *entry_end)
{
	if (entry_end && is_of_source(w, text->data)) {
		perfdata_text_append(w->out, text->data, (size_t)(entry_end - text->data));
		return;
	}
	perfdata_text_append(w->out, text->data, text->size);
	put_zeros(w, 8 - text->size % 8);
}

/* --- structures -------------------------------------------------------------------------------------------------- */

static bool put_members(struct feature_walk *w, const struct perfdata_layout *layout,
			const struct perfdata_node *parent, uint64_t attr_size, const uint8_t *entry_end);

static const struct perfdata_node *node_of(const struct perfdata_node *parent, const struct perfdata_field *field)
{
	for (const struct perfdata_node *n = parent->child; n; n = n->next)
		if (n->field == field)
			return n;
	return NULL;
}

/* Returns the size of the largest attr of EVENT_DESC: each attr takes as many bytes. */
static uint64_t attr_room(const struct feature_walk *w)
{
	const struct perfdata_node *list = perfdata_node_get(w->root, w->section->name);
	uint32_t room = 64;

	if (w->source.size >= 8)
		return pd_load32(w->source.data + 4, w->source_swap);
	for (const struct perfdata_node *n = list ? list->child : NULL; n; n = n->next) {
		const struct perfdata_node *attr = perfdata_node_get(n, "attr");
		if (attr && attr->v.attr->size > room)
			room = attr->v.attr->size;
	}
	return room;
}

/* Returns the value of a row without a node: it counts the elements or bytes of another row. */
static uint64_t hidden_value(const struct feature_walk *w, const struct perfdata_layout *layout, uint32_t row,
			     const struct perfdata_node *parent)
{
	for (uint32_t i = row + 1; i < layout->nr_fields; i++) {
		const struct perfdata_field *field = &layout->fields[i];
		const struct perfdata_node *node = node_of(parent, field);
		if (!node || field->count_field != row)
			continue;
		return field->kind == PERFDATA_KIND_LIST ? node->v.count : node->v.bytes.size;
	}
	if (w->section->id == PERFDATA_FEATURE_EVENT_DESC)
		return attr_room(w);
	return 0;
}

static bool put_leaf(struct feature_walk *w, const struct perfdata_node *node, uint64_t size, uint64_t before,
		     const uint8_t *entry_end)
{
	struct perfdata_node value = *node;
	const unsigned width = pd_kind_width(node->field->kind);

	if (w->edit && !w->edit->value(w->edit->user, w->section, &value))
		return false;
	switch (node->field->kind) {
	case PERFDATA_KIND_STRING:
		put_string(w, &value.v.bytes);
		return true;
	case PERFDATA_KIND_TEXT:
		put_entry_text(w, &value.v.bytes, entry_end);
		return true;
	case PERFDATA_KIND_CHARS:
	case PERFDATA_KIND_BYTES:
		if (size == UINT64_MAX)
			size = value.v.bytes.size;
		if (value.v.bytes.size < size && is_of_source(w, value.v.bytes.data)) {
			perfdata_text_append(w->out, value.v.bytes.data, (size_t)size);
			return true;
		}
		perfdata_text_append(w->out, value.v.bytes.data,
				     value.v.bytes.size < size ? value.v.bytes.size : (size_t)size);
		put_zeros(w, value.v.bytes.size < size ? (size_t)size - value.v.bytes.size : 0);
		return true;
	case PERFDATA_KIND_BITMAP:
		put_bitmap(w, &value.v.bytes, before);
		return true;
	case PERFDATA_KIND_ATTR:
		put_attr(w, value.v.attr, (uint32_t)size);
		return true;
	default:
		put_int(w, width, value.v.u);
		return true;
	}
}

static bool layout_has(const struct perfdata_layout *layout, const struct perfdata_field *field)
{
	return field >= layout->fields && field < layout->fields + layout->nr_fields;
}

/* Writes an entry of BUILD_ID, which states its own size. */
static bool put_framed(struct feature_walk *w, const struct perfdata_layout *layout, const struct perfdata_node *entry)
{
	const size_t start = w->out->size;
	const struct perfdata_node *name = perfdata_node_get(entry, "filename");
	const uint8_t *from = NULL, *end = NULL;

	for (const struct perfdata_node *n = entry->child; n; n = n->next)
		if (layout_has(&pd_build_id_old, n->field))
			layout = &pd_build_id_old;
	const size_t name_at = layout == &pd_build_id_old ? 32 : 36;
	if (name && is_of_source(w, name->v.bytes.data)) {
		from = name->v.bytes.data - name_at;
		end = from + pd_load16(from + 6, w->source_swap);
	}
	if (!put_members(w, layout, entry, 0, end))
		return false;
	const size_t size = w->out->size - start;
	if (size > UINT16_MAX || w->out->failed)
		return false;
	const uint16_t stated = w->swap ? __builtin_bswap16((uint16_t)size) : (uint16_t)size;
	memcpy(w->out->data + start + 6, &stated, sizeof stated);
	if (!from || w->edit)
		return true;
	/* readers ignore these bytes, but some recorders set them: the type of the entry's record, and the last bytes
	 * before the name */
	w->out->size = start;
	put_int(w, 4, pd_load32(from, w->source_swap));
	w->out->size = start + size;
	memcpy(w->out->data + start + name_at - 3, from + name_at - 3, 3);
	return true;
}

static bool put_element(struct feature_walk *w, const struct perfdata_field *list, const struct perfdata_node *element,
			uint64_t attr_size)
{
	if (element->kind != PERFDATA_KIND_STRUCT)
		return put_leaf(w, element,
				element->field->count_field == PERFDATA_COUNT_FIXED ? element->field->count
										    : UINT64_MAX,
				0, NULL);
	if (list->count_field == PERFDATA_COUNT_FRAMED)
		return put_framed(w, list->element, element);
	return put_members(w, list->element, element, attr_size, NULL);
}

/* Writes a list. The count precedes it, and an edit may remove elements, so put_list corrects the count at the end. */
static void put_list(struct feature_walk *w, const struct perfdata_field *field, const struct perfdata_node *list,
		     uint64_t attr_size, size_t count_at, unsigned count_width)
{
	uint64_t count = 0;

	if (field->count_field == PERFDATA_COUNT_PREFIX) {
		count_at = w->out->size;
		count_width = 4;
		put_int(w, 4, list->v.count);
	}
	for (const struct perfdata_node *n = list->child; n && !w->out->failed; n = n->next) {
		const size_t before = w->out->size;
		if (put_element(w, field, n, attr_size)) {
			count++;
		} else {
			w->out->size = before;
		}
	}
	if (!count_width || count == list->v.count || w->out->failed)
		return;
	const size_t end = w->out->size;
	w->out->size = count_at;
	put_int(w, count_width, count);
	w->out->size = end;
}

static bool put_members(struct feature_walk *w, const struct perfdata_layout *layout,
			const struct perfdata_node *parent, uint64_t attr_size, const uint8_t *entry_end)
{
	size_t hidden_at[64] = { 0 };
	uint64_t before = 0;

	for (uint32_t i = 0; i < layout->nr_fields; i++) {
		const struct perfdata_field *field = &layout->fields[i];
		const struct perfdata_node *node = node_of(parent, field);
		const unsigned width = pd_kind_width(field->kind);
		hidden_at[i] = w->out->size;
		if (field->count_field == PERFDATA_COUNT_BPF || field->when == PERFDATA_UNLESS_FIELD_BITS) {
			w->unsupported = true;
			return false;
		}
		if (field->kind == PERFDATA_KIND_PAD) {
			put_zeros(w, field->count);
		} else if (field->show == PERFDATA_SHOW_HIDDEN) {
			const struct perfdata_node *id = perfdata_node_get(parent, "build_id");
			if (width == 1 && id)   /* the size of the build-id is in the byte after it */
				put_int(w, 1,
					is_of_source(w, id->v.bytes.data) ? id->v.bytes.data[20] : id->v.bytes.size);
			else
				put_int(w, width, hidden_value(w, layout, i, parent));
		} else if (node && field->kind == PERFDATA_KIND_LIST) {
			const bool counted = field->count_field < layout->nr_fields;
			const uint64_t size = w->section->id == PERFDATA_FEATURE_EVENT_DESC ? attr_room(w) : attr_size;
			put_list(w, field, node, size, counted ? hidden_at[field->count_field] : 0,
				 counted ? pd_kind_width(layout->fields[field->count_field].kind) : 0);
		} else if (node && node->kind == PERFDATA_KIND_STRUCT) {
			w->unsupported = true;
			return false;
		} else if (node) {
			const uint64_t size = field->kind == PERFDATA_KIND_ATTR            ? attr_size
					      : field->count_field == PERFDATA_COUNT_FIXED ? field->count
											   : UINT64_MAX;
			const uint8_t *recorded = field->kind == PERFDATA_KIND_ATTR ? recorded_attr(w, parent, size)
										    : NULL;
			if (recorded)
				perfdata_text_append(w->out, recorded, (size_t)size);
			else if (!put_leaf(w, node, size, before, entry_end))
				return false;
			before = node->v.u;
		}
	}
	return true;
}

/* --- sections ---------------------------------------------------------------------------------------------------- */

static void put_rest(struct feature_walk *w)
{
	for (const struct perfdata_node *n = w->root->child; n; n = n->next)
		if (n->field && n->field->name && !strcmp(n->field->name, "rest") && n->kind == PERFDATA_KIND_BYTES &&
		    !w->edit)
			perfdata_text_bytes(w->out, n->v.bytes);
}

enum perfdata_status pd_feature_encode(const struct perfdata_feature *feature,
				       enum perfdata_byte_order source_order, enum perfdata_byte_order order,
				       const struct pd_feature_edit *edit, struct perfdata_text *out)
{
	const size_t start = out->size;
	struct feature_walk w = {
		.out = out,
		.section = perfdata_feature_layout(pd_feature_id(feature)),
		.source = pd_feature_bytes(feature),
		.root = perfdata_feature_root(feature),
		.edit = edit,
		.swap = pd_order_is_foreign(order),
		.source_swap = pd_order_is_foreign(source_order),
	};

	if (!w.source.size)
		return PERFDATA_OK;
	const bool is_simpleperf = w.section && w.section->id >= PERFDATA_FEATURE_FILE &&
				   w.section->id < PERFDATA_FEATURE_SIMPLEPERF_LAST;
	const bool is_known = w.section && w.section->id != PERFDATA_FEATURE_BPF_PROG_INFO && !is_simpleperf;
	if (!is_known) {
		/* bytes of unknown meaning, or structs in the native layout of the recorded machine */
		if (edit || order != source_order)
			return PERFDATA_EUNSUP;
		perfdata_text_bytes(out, w.source);
		return perfdata_text_failed(out) ? PERFDATA_ENOMEM : PERFDATA_OK;
	}
	const bool ok = put_members(&w, w.section, w.root, 0, NULL);
	if (ok)
		put_rest(&w);
	if (perfdata_text_failed(out))
		return PERFDATA_ENOMEM;
	if (!ok) {
		out->size = start;
		return w.unsupported ? PERFDATA_EUNSUP : PERFDATA_OK;
	}
	if (!edit && out->size - start < w.source.size)
		put_zeros(&w, w.source.size - (out->size - start));
	return perfdata_text_failed(out) ? PERFDATA_ENOMEM : PERFDATA_OK;
}
