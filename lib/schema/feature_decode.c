/* SPDX-License-Identifier: MIT */
/* Decodes a feature section into a tree by walking its rows. The decoder does not trust counts: it adds element after
 * element while bytes are left, and each element takes some bytes, so the size of the section limits the size of the
 * tree. */
#include "config.h"
#include "base/error.h"
#include <stdio.h>
#include <string.h>
#include "base/account.h"
#include "base/arena.h"
#include "base/checked.h"
#include "base/cursor.h"
#include "base/memory.h"
#include "schema/feature_walk.h"
#include "schema/feature_rows.h"
#include "schema/layout.h"
#include "schema/feature.h"

#define SMALLEST_ATTR 64

struct perfdata_feature {
	struct pd_arena arena;            /* memory of the tree and the bytes */
	struct perfdata_bytes bytes;
	struct perfdata_node root;
	struct pd_account *account;       /* the account that is charged for the tree; NULL: none */
	size_t charged;
	uint32_t id;
};

enum scope {
	SCOPE_ROOT,     /* a whole section */
	SCOPE_EXTENT,   /* a structure inside a stated number of bytes */
	SCOPE_ELEMENT,  /* a structure that ends with its last field */
};

static const struct perfdata_field bytes_field = {
	.name = "bytes",
	.doc = "a section of an unknown kind",
	.kind = PERFDATA_KIND_BYTES,
	.show = PERFDATA_SHOW_BYTES_HEX,
	.count_field = PERFDATA_COUNT_REST,
};
static enum perfdata_status walk_fields(struct walk *walk, struct pd_cursor *c, const struct perfdata_layout *layout,
					enum scope scope, struct perfdata_node *parent);

static bool all_zero(const uint8_t *at, size_t size)
{
	for (size_t i = 0; i < size; i++)
		if (at[i])
			return false;
	return true;
}

/* Removes the nodes that were appended since the copy `before` was made. */
static void drop_children(struct children *children, struct children before)
{
	*children = before;
	if (before.last)
		before.last->next = NULL;
	else
		before.parent->child = NULL;
}

/* --- single values ----------------------------------------------------------------------------------------------- */

static uint64_t read_integer(struct pd_cursor *c, enum perfdata_kind kind)
{
	switch (kind) {
	case PERFDATA_KIND_U8: return pd_u8(c);
	case PERFDATA_KIND_U16: return pd_u16(c);
	case PERFDATA_KIND_U32: return pd_u32(c);
	case PERFDATA_KIND_S32: return (uint64_t)(int64_t)(int32_t)pd_u32(c);
	default: return pd_u64(c);
	}
}

static double read_f64(struct pd_cursor *c)
{
	uint64_t bits = pd_u64(c);
	double value;
	memcpy(&value, &bits, sizeof value);
	return value;
}

/* Reads a u32 length and a text, which ends at the first NUL. */
static struct perfdata_bytes read_string(struct pd_cursor *c)
{
	uint32_t size = pd_u32(c);
	const uint8_t *at = pd_take(c, size);
	return (struct perfdata_bytes){ at, at ? strnlen((const char *)at, size) : 0 };
}

/* Converts the words of a bitmap to the machine's order, and clears bits after its end. */
static enum perfdata_status read_bitmap(struct walk *walk, struct pd_cursor *c, struct perfdata_node *node)
{
	uint64_t nbits = pd_u64(c);
	uint64_t size = (nbits / 64 + (nbits % 64 != 0)) * 8;
	const uint8_t *at = pd_take(c, size);

	if (!at)
		return PERFDATA_OK;
	uint8_t *copy = pd_arena_alloc(walk->arena, size ? (size_t)size : 1);
	if (!copy)
		return pd_feature_no_memory(walk);
	for (uint64_t i = 0; i < size; i++)
		copy[i] = (uint8_t)(pd_load64(at + i / 8 * 8, c->swap) >> i % 8 * 8);
	for (uint64_t bit = nbits; bit < size * 8; bit++)
		copy[bit / 8] &= (uint8_t)~(1u << bit % 8);
	node->v.bytes = (struct perfdata_bytes){ copy, (size_t)size };
	return PERFDATA_OK;
}

static enum perfdata_status read_attr(struct walk *walk, struct perfdata_bytes extent, struct perfdata_node *node)
{
	struct perfdata_attr *attr;
	size_t used;

	/* a damaged attr gets a node too, so that callers need not check its value */
	attr = pd_arena_calloc(walk->arena, 1, sizeof *attr);
	if (!attr)
		return pd_feature_no_memory(walk);
	node->v.attr = attr;
	if (extent.size < SMALLEST_ATTR)
		return pd_feature_damaged(walk, extent.data, node->field->name, "is smaller than any attr");
	/* An attr whose own size differs from its extent is decoded as far as possible. The extent gives the offset of
	 * the next field, so this is no damage. */
	perfdata_attr_decode(extent.data, extent.size, walk->order, attr, &used);
	return PERFDATA_OK;
}

/* --- counts ------------------------------------------------------------------------------------------------------ */

/* Returns the bytes of a text with its NUL; more than are left if it has none. */
static uint64_t text_size(const struct pd_cursor *c)
{
	return (uint64_t)strnlen((const char *)c->at, pd_left(c)) + 1;
}

/* Returns the number of elements or bytes of the field; UINT64_MAX: all that are left. */
static uint64_t field_count(const struct walk *walk, const struct frame *frame, const struct perfdata_field *field,
			    struct pd_cursor *c)
{
	switch (field->count_field) {
	case PERFDATA_COUNT_FIXED: return field->count;
	case PERFDATA_COUNT_PREFIX: return pd_u32(c);
	case PERFDATA_COUNT_ROOT: return walk->root.values[field->count];
	case PERFDATA_COUNT_CPUS: return walk->nr_cpus_avail;
	case PERFDATA_COUNT_REST:
	case PERFDATA_COUNT_SIZED:
	case PERFDATA_COUNT_FRAMED: return UINT64_MAX;
	case PERFDATA_COUNT_NUL: return text_size(c);
	default: return frame->values[field->count_field];
	}
}

static bool is_present(const struct walk *walk, const struct frame *frame, const struct perfdata_field *field,
		       const struct pd_cursor *c)
{
	switch (field->when) {
	case PERFDATA_IF_FIELD: return frame->values[field->when_field] == field->when_value;
	case PERFDATA_IF_FIELD_GE: return frame->values[field->when_field] >= field->when_value;
	case PERFDATA_IF_FIELD_BITS: return (frame->values[field->when_field] & field->when_value) != 0;
	case PERFDATA_UNLESS_FIELD_BITS: return (frame->values[field->when_field] & field->when_value) == 0;
	case PERFDATA_IF_ROOT_GE: return walk->root.values[field->when_field] >= field->when_value;
	case PERFDATA_IF_LEFT: return pd_left(c) >= field->when_value;
	case PERFDATA_UNLESS_ENTRIES: return pd_left(c) % field->when_value || pd_left(c) < 8 ||
					     pd_load64(c->at, c->swap) <= (pd_left(c) - 8) / field->when_value;
	default: return true;
	}
}

/* Finds an array of a BPF program inside the data, which begins at the cursor. False: the program has no such array, or
 * it is outside of the data. */
static bool bpf_array(const struct frame *frame, const struct perfdata_field *field, const struct pd_cursor *c,
		      struct perfdata_bytes *ret, uint64_t *ret_count)
{
	const struct pd_bpf_array *array = &pd_bpf_arrays[field->count];
	const struct perfdata_bytes *info = &frame->extent;
	uint64_t room = pd_left(c) < frame->values[1] ? pd_left(c) : frame->values[1];
	uint64_t size = array->size, offset, bytes;

	if (info->size < array->pointer_at + 8u || info->size < array->count_at + 4u ||
	    info->size < array->size_at + 4u)
		return false;
	if (!size)
		size = pd_load32(info->data + array->size_at, c->swap);
	offset = pd_load64(info->data + array->pointer_at, c->swap);
	*ret_count = pd_load32(info->data + array->count_at, c->swap);
	if (!pd_mul(*ret_count, size, &bytes) || !pd_range_ok(offset, bytes, room))
		return false;
	*ret = (struct perfdata_bytes){ c->at + offset, (size_t)bytes };
	return true;
}

/* --- lists ------------------------------------------------------------------------------------------------------- */

static enum perfdata_status walk_value(struct walk *walk, struct pd_cursor *c, const struct perfdata_field *field,
				       struct frame *frame, unsigned index, struct perfdata_node *node);

static bool is_message(const struct perfdata_layout *layout)
{
	return layout->nr_fields && layout->fields[0].count_field == PERFDATA_COUNT_MESSAGE;
}

/* Decodes a structure that begins with its size. If the section ends early, decodes the bytes that are left of the
 * structure. */
static enum perfdata_status walk_sized(struct walk *walk, struct pd_cursor *c, const struct perfdata_layout *element,
				       struct perfdata_node *node)
{
	const uint8_t *at = c->at;
	const uint64_t size = pd_u32(c);

	if (c->failed)
		return pd_feature_damaged(walk, at, element->name, "reaches beyond the end");
	const bool is_cut = size > pd_left(c);
	const uint64_t have = is_cut ? pd_left(c) : size;
	struct pd_cursor inside = pd_cursor(pd_take(c, have), (size_t)have, c->swap);
	const enum perfdata_status status = walk_fields(walk, &inside, element, SCOPE_EXTENT, node);
	return status == PERFDATA_OK && is_cut
		       ? pd_feature_damaged(walk, at, element->name, "reaches beyond the end") : status;
}

static enum perfdata_status walk_element(struct walk *walk, struct pd_cursor *c, const struct perfdata_field *list,
					 struct children *children)
{
	const struct perfdata_layout *element = list->element;
	bool bare = element->nr_fields == 1 && !element->fields[0].name;
	struct children before = *children;
	struct perfdata_node *node = pd_feature_append(walk, children, bare ? &element->fields[0] : NULL,
					    bare ? element->fields[0].kind : PERFDATA_KIND_STRUCT);
	enum perfdata_status status;

	if (!node)
		return pd_feature_no_memory(walk);
	if (bare) {
		const uint8_t *at = c->at;
		struct frame frame = { .extent = { NULL, 0 } };
		status = walk_value(walk, c, &element->fields[0], &frame, 0, node);
		if (status == PERFDATA_OK && c->failed)
			status = pd_feature_damaged(walk, at, element->name, "reaches beyond the end");
	} else {
		status = list->count_field == PERFDATA_COUNT_SIZED
				 ? walk_sized(walk, c, element, node)
				 : walk_fields(walk, c, element, SCOPE_ELEMENT, node);
	}
	if (status == PERFDATA_OK || node->child)
		children->parent->v.count++;
	else
		drop_children(children, before);
	return status;
}

static enum perfdata_status walk_list(struct walk *walk, struct pd_cursor *c, const struct perfdata_field *field,
				      uint64_t count, struct perfdata_node *list)
{
	struct children children = { list, NULL };
	/* some machines write entries for fewer CPUs than they have */
	bool may_end = count == UINT64_MAX || field->count_field == PERFDATA_COUNT_CPUS;

	for (uint64_t i = 0; i < count; i++) {
		const uint8_t *at = c->at;
		if (!pd_left(c) && may_end)
			break;
		if (count == UINT64_MAX && field->count_field != PERFDATA_COUNT_SIZED && pd_left(c) < 8 &&
		    all_zero(at, pd_left(c)))
			break;
		if (!pd_left(c))
			return pd_feature_damaged(walk, at, field->name, "has fewer elements than its count says");
		enum perfdata_status status = walk_element(walk, c, field, &children);
		if (status != PERFDATA_OK)
			return status;
		if (c->at == at)
			return pd_feature_damaged(walk, at, field->name, "has an element without bytes");
	}
	return PERFDATA_OK;
}

/* --- build-ids: elements that state their own size --------------------------------------------------------------- */

#define RECORD_HEADER 8
#define OLD_NAME_AT 32
#define NAME_AT 36
#define NAME_EATEN "nel.kallsyms]"    /* rest of "[kernel.kallsyms]" if the entry has no pid */

static uint16_t entry_size(const struct pd_cursor *c)
{
	return pd_left(c) < RECORD_HEADER ? 0 : pd_load16(c->at + 6, c->swap);
}

static bool entry_fits(const struct pd_cursor *c)
{
	return entry_size(c) >= RECORD_HEADER && entry_size(c) <= pd_left(c);
}

/* Whether the entries have no pid, as in the first perf versions. The section does not state it: decoded with a pid,
 * file names would lack their first letters. */
static bool entries_are_old(struct pd_cursor c)
{
	while (entry_fits(&c)) {
		const uint8_t *entry = c.at;
		uint16_t size = entry_size(&c);
		if (size >= NAME_AT + sizeof NAME_EATEN - 1 &&
		    !memcmp(entry + NAME_AT, NAME_EATEN, sizeof NAME_EATEN - 1))
			return true;
		pd_take(&c, size);
	}
	return false;
}

static void cut_build_id(struct perfdata_node *entry, const uint8_t *bytes)
{
	for (struct perfdata_node *n = (struct perfdata_node *)entry->child; n; n = (struct perfdata_node *)n->next)
		if (n->kind == PERFDATA_KIND_BYTES && bytes[OLD_NAME_AT] < n->v.bytes.size)
			n->v.bytes.size = bytes[OLD_NAME_AT];
}

/* Adds the pid that an old entry lacks. */
static enum perfdata_status put_pid(struct walk *walk, struct perfdata_node *entry, uint16_t misc)
{
	struct perfdata_node *pid = pd_arena_calloc(walk->arena, 1, sizeof *pid);
	if (!pid)
		return pd_feature_no_memory(walk);
	pid->field = pd_build_id_pid;
	pid->kind = pid->field->kind;
	pid->v.u = misc == PERFDATA_CPUMODE_GUEST_KERNEL || misc == PERFDATA_CPUMODE_GUEST_USER ? 0 : (uint64_t)-1;
	pid->next = entry->child;
	entry->child = pid;
	return PERFDATA_OK;
}

static enum perfdata_status walk_entry(struct walk *walk, struct pd_cursor *c, const struct perfdata_layout *layout,
				       struct perfdata_node *entry)
{
	uint16_t misc = pd_load16(c->at + 4, c->swap), size = entry_size(c);
	const uint8_t *bytes = pd_take(c, size);
	struct pd_cursor inside = pd_cursor(bytes, size, c->swap);
	enum perfdata_status status = walk_fields(walk, &inside, layout, SCOPE_ELEMENT, entry);

	if (status != PERFDATA_OK)
		return status;
	if (layout == &pd_build_id_old)
		return put_pid(walk, entry, misc);
	if (walk->id == PERFDATA_FEATURE_BUILD_ID && misc & PERFDATA_MISC_BUILD_ID_SIZE)
		cut_build_id(entry, bytes);
	return PERFDATA_OK;
}

static enum perfdata_status walk_entries(struct walk *walk, struct pd_cursor *c, const struct perfdata_field *field,
					 struct perfdata_node *list)
{
	const bool are_old = walk->id == PERFDATA_FEATURE_BUILD_ID && entries_are_old(*c);
	const struct perfdata_layout *layout = are_old ? &pd_build_id_old : field->element;
	struct children children = { list, NULL };

	while (!all_zero(c->at, pd_left(c))) {
		if (!entry_fits(c))
			return pd_feature_damaged(walk, c->at, field->name, "has an entry with an impossible size");
		struct perfdata_node *entry = pd_feature_append(walk, &children, NULL, PERFDATA_KIND_STRUCT);
		if (!entry)
			return pd_feature_no_memory(walk);
		list->v.count++;
		enum perfdata_status status = walk_entry(walk, c, layout, entry);
		if (status != PERFDATA_OK)
			return status;
	}
	return PERFDATA_OK;
}

/* --- fields ------------------------------------------------------------------------------------------------------ */

/* Decodes fields with a length: bytes, texts, and structures inside a stated number of bytes. */
static enum perfdata_status walk_extent(struct walk *walk, struct pd_cursor *c, const struct perfdata_field *field,
					struct frame *frame, struct perfdata_node *node)
{
	uint64_t size = field_count(walk, frame, field, c);
	const uint8_t *at = pd_take(c, size == UINT64_MAX ? pd_left(c) : size);

	if (!at)
		return PERFDATA_OK;
	frame->extent = (struct perfdata_bytes){ at, (size_t)(c->at - at) };
	if (!node)
		return PERFDATA_OK;
	switch (field->kind) {
	case PERFDATA_KIND_ATTR:
		return read_attr(walk, frame->extent, node);
	case PERFDATA_KIND_STRUCT: {
		struct pd_cursor inside = pd_cursor(at, frame->extent.size, c->swap);
		return walk_fields(walk, &inside, field->element, SCOPE_EXTENT, node);
	}
	case PERFDATA_KIND_TEXT:
	case PERFDATA_KIND_CHARS:
		node->kind = PERFDATA_KIND_STRING;
		node->v.bytes = (struct perfdata_bytes){ at, strnlen((const char *)at, frame->extent.size) };
		return PERFDATA_OK;
	default:
		node->v.bytes = frame->extent;
		return PERFDATA_OK;
	}
}

static enum perfdata_status walk_bpf_array(struct walk *walk, const struct pd_cursor *c,
					   const struct perfdata_field *field, const struct frame *frame,
					   struct perfdata_node *node)
{
	struct perfdata_bytes bytes;
	uint64_t count;

	if (!bpf_array(frame, field, c, &bytes, &count))
		return pd_feature_damaged(walk, c->at, field->name, "lies outside the data of its program");
	if (field->kind != PERFDATA_KIND_LIST) {
		node->v.bytes = bytes;
		return PERFDATA_OK;
	}
	struct pd_cursor inside = pd_cursor(bytes.data, bytes.size, c->swap);
	return walk_list(walk, &inside, field, count, node);
}

/* Decodes one value into `node`; NULL: makes no node. The caller reports a failed cursor. */
static enum perfdata_status walk_value(struct walk *walk, struct pd_cursor *c, const struct perfdata_field *field,
				       struct frame *frame, unsigned index, struct perfdata_node *node)
{
	uint64_t count;

	if (field->count_field == PERFDATA_COUNT_BPF)
		return walk_bpf_array(walk, c, field, frame, node);
	switch (field->kind) {
	case PERFDATA_KIND_U8:
	case PERFDATA_KIND_U16:
	case PERFDATA_KIND_U32:
	case PERFDATA_KIND_U64:
	case PERFDATA_KIND_S32:
	case PERFDATA_KIND_S64:
		frame->values[index] = read_integer(c, field->kind);
		if (node)
			node->v.u = frame->values[index];
		return PERFDATA_OK;
	case PERFDATA_KIND_F64:
		node->v.f = read_f64(c);
		return PERFDATA_OK;
	case PERFDATA_KIND_STRING:
		node->v.bytes = read_string(c);
		return PERFDATA_OK;
	case PERFDATA_KIND_BITMAP:
		return read_bitmap(walk, c, node);
	case PERFDATA_KIND_LIST:
		if (field->count_field == PERFDATA_COUNT_FRAMED)
			return walk_entries(walk, c, field, node);
		count = field_count(walk, frame, field, c);
		return c->failed ? PERFDATA_OK : walk_list(walk, c, field, count, node);
	default:
		return walk_extent(walk, c, field, frame, node);
	}
}

static bool has_node(const struct perfdata_field *field)
{
	return field->kind != PERFDATA_KIND_PAD && field->show != PERFDATA_SHOW_HIDDEN;
}

/* Bytes after the last field come from a newer recorder. Zeros are padding. */
static enum perfdata_status walk_rest(struct walk *walk, const struct pd_cursor *c, struct children *children)
{
	if (all_zero(c->at, pd_left(c)))
		return PERFDATA_OK;
	struct perfdata_node *node = pd_feature_append(walk, children, &pd_feature_rest_field, PERFDATA_KIND_BYTES);
	if (!node)
		return pd_feature_no_memory(walk);
	node->v.bytes = (struct perfdata_bytes){ c->at, pd_left(c) };
	return PERFDATA_OK;
}

static enum perfdata_status walk_field(struct walk *walk, struct pd_cursor *c, const struct perfdata_layout *layout,
				       unsigned index, struct frame *frame, struct children *children)
{
	const struct perfdata_field *field = &layout->fields[index];
	const uint8_t *at = c->at;
	struct children before = *children;
	struct perfdata_node *node = NULL;

	if (has_node(field) && !(node = pd_feature_append(walk, children, field, field->kind)))
		return pd_feature_no_memory(walk);
	enum perfdata_status status = walk_value(walk, c, field, frame, index, node);
	if (status != PERFDATA_OK || !c->failed)
		return status;
	drop_children(children, before);
	return pd_feature_damaged(walk, at, field->name, "reaches beyond the end");
}

/* Decodes the members of `parent`. An extent is a stated number of bytes. It may hold fewer fields than the rows (from
 * an older recorder) or further bytes (from a newer one). */
static enum perfdata_status walk_fields(struct walk *walk, struct pd_cursor *c, const struct perfdata_layout *layout,
					enum scope scope, struct perfdata_node *parent)
{
	struct children children = { parent, NULL };
	struct frame own = { .extent = { NULL, 0 } };
	struct frame *frame = scope == SCOPE_ROOT ? &walk->root : &own;

	if (is_message(layout))
		return pd_feature_message(walk, (struct perfdata_bytes){ c->at, pd_left(c) }, layout, parent);
	for (unsigned i = 0; i < layout->nr_fields; i++) {
		const struct perfdata_field *field = &layout->fields[i];

		if (scope == SCOPE_EXTENT && !pd_left(c))
			return PERFDATA_OK;
		if (!is_present(walk, frame, field, c))
			continue;
		if (field->kind == PERFDATA_KIND_LIST && field->count_field == PERFDATA_COUNT_CPUS &&
		    !walk->nr_cpus_avail)
			break;
		enum perfdata_status status = walk_field(walk, c, layout, i, frame, &children);
		if (status != PERFDATA_OK)
			return status;
	}
	return scope == SCOPE_ELEMENT ? PERFDATA_OK : walk_rest(walk, c, &children);
}

/* --- sections ---------------------------------------------------------------------------------------------------- */

static enum perfdata_status walk_section(struct perfdata_feature *feature, enum perfdata_byte_order order,
					 uint32_t nr_cpus_avail, struct perfdata_error *error)
{
	const struct perfdata_layout *layout = perfdata_feature_layout(feature->id);
	struct walk walk = {
		.account = feature->account, .charged = &feature->charged, .arena = &feature->arena,
		.start = feature->bytes.data, .order = order,
		.nr_cpus_avail = nr_cpus_avail,
		.id = feature->id, .section = layout ? layout->perf_name : "of an unknown kind", .error = error,
	};
	struct pd_cursor c = pd_cursor(feature->bytes.data, feature->bytes.size, pd_order_is_foreign(order));

	if (!feature->bytes.size)
		return PERFDATA_OK;
	if (layout)
		return walk_fields(&walk, &c, layout, SCOPE_ROOT, &feature->root);
	struct children children = { &feature->root, NULL };
	struct perfdata_node *node = pd_feature_append(&walk, &children, &bytes_field, PERFDATA_KIND_BYTES);
	if (!node)
		return pd_feature_no_memory(&walk);
	node->v.bytes = feature->bytes;
	return PERFDATA_OK;
}

/* Corrects the attrs of EVENT_DESC by the names of their events, which follow the attrs. */
static void trust_names(const struct perfdata_node *list)
{
	for (const struct perfdata_node *entry = list ? list->child : NULL; entry; entry = entry->next) {
		const struct perfdata_node *attr = perfdata_node_get(entry, "attr"),
					   *name = perfdata_node_get(entry, "name");
		if (attr && name)   /* the tree owns the attr, so it may change */
			pd_attr_trust_name((struct perfdata_attr *)(uintptr_t)attr->v.attr,
					   (const char *)name->v.bytes.data, name->v.bytes.size);
	}
}

enum perfdata_status pd_feature_decode_within(struct pd_account *account, uint32_t id, const void *bytes, size_t size,
					      enum perfdata_byte_order order, uint32_t nr_cpus_avail,
					      struct perfdata_feature **ret, struct perfdata_error *reterr)
{
	struct perfdata_error unwanted;
	struct perfdata_feature *feature = pd_calloc(1, sizeof *feature);
	if (!feature)
		goto fail;
	feature->id = id;
	feature->account = account;
	feature->root.kind = PERFDATA_KIND_STRUCT;
	feature->bytes.size = size;
	feature->bytes.data = (const uint8_t *)pd_arena_copy(&feature->arena, bytes, size);
	if (!feature->bytes.data)
		goto fail;
	enum perfdata_status status = walk_section(feature, order, nr_cpus_avail, reterr ? reterr : &unwanted);
	if (status < 0)
		goto fail;
	if (id == PERFDATA_FEATURE_EVENT_DESC && order == PERFDATA_BYTE_ORDER_BIG)
		trust_names(perfdata_node_get(&feature->root, "event_desc"));
	*ret = feature;
	return status;
fail:
	pd_feature_free(feature);
	return pd_error(reterr, PERFDATA_ENOMEM, PERFDATA_NO_OFFSET, "out of memory");
}

void pd_feature_free(struct perfdata_feature *feature)
{
	if (!feature)
		return;
	pd_account_give(feature->account, PD_USE_FRAMES, feature->charged);
	pd_arena_release(&feature->arena);
	pd_free(feature);
}

uint32_t pd_feature_id(const struct perfdata_feature *feature) { return feature->id; }
const struct perfdata_node *perfdata_feature_root(const struct perfdata_feature *feature) { return &feature->root; }
struct perfdata_bytes pd_feature_bytes(const struct perfdata_feature *feature) { return feature->bytes; }

const struct perfdata_node *perfdata_node_get(const struct perfdata_node *node, const char *name)
{
	if (!node || node->kind != PERFDATA_KIND_STRUCT)
		return NULL;
	for (const struct perfdata_node *n = node->child; n; n = n->next)
		if (n->field && n->field->name && !strcmp(n->field->name, name))
			return n;
	return NULL;
}
