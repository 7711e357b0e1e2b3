/* SPDX-License-Identifier: MIT */
/* Decodes messages of protocol buffers inside feature sections, by their rows. */
#include "config.h"
#include <string.h>
#include "base/cursor.h"
#include "schema/feature_walk.h"
#include "schema/protobuf_read.h"

static enum pd_wire wire_of(const struct perfdata_field *row)
{
	switch (row->kind) {
	case PERFDATA_KIND_U8:
	case PERFDATA_KIND_U16:
	case PERFDATA_KIND_U32:
	case PERFDATA_KIND_U64: return PD_WIRE_VARINT;
	default: return PD_WIRE_BYTES;
	}
}

static bool is_plain_list(const struct perfdata_field *row)
{
	return row->kind == PERFDATA_KIND_LIST && !row->element->fields[0].name;
}

/* Whether the row describes this field. A list of numbers may be packed or have a field for each number. */
static bool is_field_of(const struct pd_protobuf_field *field, const struct perfdata_field *row)
{
	return field->number == row->count &&
	       (field->wire == wire_of(row) || (field->wire == PD_WIRE_VARINT && is_plain_list(row)));
}

static enum perfdata_status append_number(struct walk *walk, struct children *children,
					  const struct perfdata_field *field, uint64_t value)
{
	struct perfdata_node *node = pd_feature_append(walk, children, field, field->kind);
	if (!node)
		return pd_feature_no_memory(walk);
	node->v.u = value;
	children->parent->v.count++;
	return PERFDATA_OK;
}

static enum perfdata_status walk_repeated(struct walk *walk, struct children *children,
					  const struct perfdata_field *row, const struct pd_protobuf_field *field)
{
	if (!is_plain_list(row)) {
		struct perfdata_node *node = pd_feature_append(walk, children, NULL, PERFDATA_KIND_STRUCT);
		if (!node)
			return pd_feature_no_memory(walk);
		children->parent->v.count++;
		return pd_feature_message(walk, field->bytes, row->element, node);
	}
	if (field->wire == PD_WIRE_VARINT)
		return append_number(walk, children, &row->element->fields[0], field->value);
	struct pd_cursor packed = pd_cursor(field->bytes.data, field->bytes.size, false);
	enum perfdata_status status = PERFDATA_OK;
	uint64_t value;
	while (status == PERFDATA_OK && pd_left(&packed) && pd_protobuf_varint(&packed, &value))
		status = append_number(walk, children, &row->element->fields[0], value);
	return status == PERFDATA_OK && packed.failed
		       ? pd_feature_damaged(walk, field->bytes.data, row->name, "is no list of numbers") : status;
}

/* Decodes a row. A number or text that the message omits is 0 or empty; the last of several values counts. */
static enum perfdata_status walk_row(struct walk *walk, const struct perfdata_field *row, struct pd_cursor message,
				     struct children *children, const uint8_t **ret_used)
{
	struct pd_protobuf_field field, last = { .at = NULL };
	struct perfdata_node *node = NULL;
	enum perfdata_status status = PERFDATA_OK;

	if (row->kind != PERFDATA_KIND_STRUCT && !(node = pd_feature_append(walk, children, row, row->kind)))
		return pd_feature_no_memory(walk);
	struct children elements = { node, NULL };
	while (status == PERFDATA_OK && pd_protobuf_next(&message, &field)) {
		if (!is_field_of(&field, row))
			continue;
		if (row->kind == PERFDATA_KIND_LIST)
			status = walk_repeated(walk, &elements, row, &field);
		else
			last = field;
	}
	*ret_used = last.at;
	switch (row->kind) {
	case PERFDATA_KIND_LIST: return status;
	case PERFDATA_KIND_STRUCT:
		if (!last.at)
			return PERFDATA_OK;
		if (!(node = pd_feature_append(walk, children, row, row->kind)))
			return pd_feature_no_memory(walk);
		return pd_feature_message(walk, last.bytes, row->element, node);
	case PERFDATA_KIND_TEXT: node->kind = PERFDATA_KIND_STRING;   /* fall through */
	case PERFDATA_KIND_BYTES: node->v.bytes = last.bytes; return PERFDATA_OK;
	default: node->v.u = last.value; return PERFDATA_OK;
	}
}

/* Adds fields that no row describes, and repeated fields, as raw bytes. */
static enum perfdata_status walk_others(struct walk *walk, const struct perfdata_layout *layout,
					struct pd_cursor message, const uint8_t *const *used,
					struct children *children)
{
	uint8_t *copy = NULL;
	size_t size = 0;
	const size_t room = pd_left(&message);
	struct pd_protobuf_field field;

	while (pd_protobuf_next(&message, &field)) {
		uint32_t i = 0;
		while (i < layout->nr_fields && !is_field_of(&field, &layout->fields[i]))
			i++;
		if (i < layout->nr_fields && (layout->fields[i].kind == PERFDATA_KIND_LIST || used[i] == field.at))
			continue;
		if (!copy && !(copy = pd_arena_alloc(walk->arena, room)))
			return pd_feature_no_memory(walk);
		memcpy(copy + size, field.at, (size_t)(message.at - field.at));
		size += (size_t)(message.at - field.at);
	}
	if (!copy)
		return PERFDATA_OK;
	struct perfdata_node *node = pd_feature_append(walk, children, &pd_feature_rest_field, PERFDATA_KIND_BYTES);
	if (!node)
		return pd_feature_no_memory(walk);
	node->v.bytes = (struct perfdata_bytes){ copy, size };
	return PERFDATA_OK;
}

enum perfdata_status pd_feature_message(struct walk *walk, struct perfdata_bytes bytes,
					 const struct perfdata_layout *layout, struct perfdata_node *parent)
{
	struct pd_cursor all = pd_cursor(bytes.data, bytes.size, false);
	struct children children = { parent, NULL };
	const uint8_t *used[PD_FEATURE_FIELDS], *end = bytes.data;
	struct pd_protobuf_field field;
	enum perfdata_status status = PERFDATA_OK;

	while (pd_protobuf_next(&all, &field))
		end = all.at;
	struct pd_cursor whole = pd_cursor(bytes.data, (size_t)(end - bytes.data), false);
	for (uint32_t i = 0; i < layout->nr_fields && status == PERFDATA_OK; i++)
		status = walk_row(walk, &layout->fields[i], whole, &children, &used[i]);
	if (status == PERFDATA_OK)
		status = walk_others(walk, layout, whole, used, &children);
	if (status == PERFDATA_OK && all.failed)
		return pd_feature_damaged(walk, end, layout->name, "is no message from here on");
	return status;
}
