/* SPDX-License-Identifier: MIT */
/* Names of the parts of BPF programs, and their source lines. With type data (BTF, include/uapi/linux/btf.h) a part has
 * the name of its function. */
#include "config.h"
#include <string.h>
#include "base/checked.h"
#include "base/cursor.h"
#include "perfdata/feature.h"
#include "perfdata/text.h"
#include "schema/feature.h"

#define BTF_MAGIC 0xeb9f
#define BTF_HEADER 24          /* magic u16, version u8, flags u8, then five u32 */
#define BTF_TYPE 12            /* name u32, info u32, size or type u32 */

/* Bytes after a type, by its kind: `fixed`, and `each` for each member. 0: none. */
static const struct {
	uint8_t fixed, each;
} btf_kinds[32] = {
	[1] = { 4, 0 },        /* INT */
	[3] = { 12, 0 },       /* ARRAY */
	[4] = { 0, 12 },       /* STRUCT */
	[5] = { 0, 12 },       /* UNION */
	[6] = { 0, 8 },        /* ENUM */
	[13] = { 0, 8 },       /* FUNC_PROTO */
	[14] = { 4, 0 },       /* VAR */
	[15] = { 0, 12 },      /* DATASEC */
	[17] = { 4, 0 },       /* DECL_TAG */
	[19] = { 0, 12 },      /* ENUM64 */
};
#define BTF_LAST_KIND 19

/* Reads the byte order of the BTF from its magic. */
static bool btf_swap(struct perfdata_bytes btf, bool *ret)
{
	if (btf.size < BTF_HEADER)
		return false;
	*ret = pd_load16(btf.data, true) == BTF_MAGIC;
	return *ret || pd_load16(btf.data, false) == BTF_MAGIC;
}

/* Returns a part of the BTF that its header describes by an offset, counted from the end of the header, and a size. */
static struct pd_cursor btf_part(struct perfdata_bytes btf, bool swap, size_t offset_at)
{
	uint64_t header = pd_load32(btf.data + 4, swap);
	uint64_t offset = header + pd_load32(btf.data + offset_at, swap);
	uint64_t size = pd_load32(btf.data + offset_at + 4, swap);

	if (!pd_range_ok(offset, size, btf.size))
		return pd_cursor(btf.data, 0, swap);
	return pd_cursor(btf.data + offset, (size_t)size, swap);
}

/* Returns the name of type number `id`; empty if the type has none. */
static struct perfdata_bytes btf_name(struct perfdata_bytes btf, uint32_t id)
{
	struct perfdata_bytes none = { NULL, 0 };
	uint32_t name = 0;
	bool swap;

	if (!id || !btf_swap(btf, &swap))
		return none;
	struct pd_cursor types = btf_part(btf, swap, 8), strings = btf_part(btf, swap, 16);
	for (uint32_t i = 0; i < id; i++) {
		const uint8_t *type = pd_take(&types, BTF_TYPE);
		if (!type)
			return none;
		uint32_t info = pd_load32(type + 4, swap), kind = info >> 24 & 0x1f, members = info & 0xffff;
		if (kind > BTF_LAST_KIND)
			return none;
		name = pd_load32(type, swap);
		if (!pd_take(&types, btf_kinds[kind].fixed + (uint64_t)btf_kinds[kind].each * members))
			return none;
	}
	const uint8_t *at = pd_take(&strings, name);
	return at ? (struct perfdata_bytes){ strings.at, strnlen((const char *)strings.at, pd_left(&strings)) } : none;
}

/* Returns the entry with this id of a BPF_BTF section. */
static struct perfdata_bytes find_btf(const struct perfdata_feature *feature, uint64_t id)
{
	const struct perfdata_node *list = feature ? perfdata_node_get(perfdata_feature_root(feature), "bpf_btf")
						   : NULL;

	for (const struct perfdata_node *n = list ? list->child : NULL; n; n = n->next) {
		const struct perfdata_node *entry = perfdata_node_get(n, "id"), *data = perfdata_node_get(n, "data");
		if (entry && data && entry->v.u == id)
			return data->v.bytes;
	}
	return (struct perfdata_bytes){ NULL, 0 };
}

static uint64_t number_of(const struct perfdata_node *parent, const char *name)
{
	const struct perfdata_node *node = perfdata_node_get(parent, name);
	return node ? node->v.u : 0;
}

/* Returns the name of the function that the part was compiled from. Each entry of func_info has a type id at offset
 * 4. */
static struct perfdata_bytes function_name(const struct perfdata_node *prog, uint64_t part, struct perfdata_bytes btf)
{
	const struct perfdata_node *info = perfdata_node_get(prog, "info"),
				   *entries = perfdata_node_get(prog, "func_info");
	uint64_t size = number_of(info, "func_info_rec_size"), at;
	bool swap;

	if (!entries || !btf_swap(btf, &swap) || !pd_mul(part, size, &at) || size < 8 ||
	    !pd_range_ok(at, size, entries->v.bytes.size))
		return (struct perfdata_bytes){ NULL, 0 };
	/* one kernel made the BTF and these entries, so both have the same byte order */
	return btf_name(btf, pd_load32(entries->v.bytes.data + at + 4, swap));
}

bool pd_bpf_part_name(const struct perfdata_node *prog, uint64_t part, const struct perfdata_feature *btf,
		      struct perfdata_text *text)
{
	const struct perfdata_node *info = perfdata_node_get(prog, "info"),
				   *tags = perfdata_node_get(prog, "prog_tags");
	const struct perfdata_node *tag = tags ? tags->child : NULL, *program = perfdata_node_get(info, "name");
	struct perfdata_bytes name = { NULL, 0 };

	for (uint64_t i = 0; i < part && tag; i++)
		tag = tag->next;
	if (!tag)
		return false;
	perfdata_text_literal(text, "bpf_prog_");
	perfdata_text_bytes_hex(text, tag->v.bytes.data, tag->v.bytes.size);
	if (number_of(info, "btf_id"))
		name = function_name(prog, part, find_btf(btf, number_of(info, "btf_id")));
	else if (tags->v.count == 1 && program)
		name = program->v.bytes;
	else
		name = (struct perfdata_bytes){ (const uint8_t *)"F", 1 };
	if (name.size) {
		perfdata_text_char(text, '_');
		perfdata_text_append(text, name.data, name.size);
	}
	return true;
}

/* --- lines -------------------------------------------------------------------------------------------------------- */

/* Members of struct bpf_line_info: an offset of BPF code; offsets of the file's name and the line's text in the strings
 * of the BTF; and line << 10 | column. */
enum { LINE_FILE = 4, LINE_TEXT = 8, LINE_NUMBER = 12, LINE_SIZE = 16, LINE_SHIFT = 10 };

bool pd_bpf_lines_of(const struct perfdata_node *prog, const struct perfdata_feature *btf, struct pd_bpf_lines *ret)
{
	const struct perfdata_node *info = perfdata_node_get(prog, "info");
	const struct perfdata_node *entries = perfdata_node_get(prog, "line_info"),
				   *addresses = perfdata_node_get(prog, "jited_line_info");
	const uint64_t entry_size = number_of(info, "line_info_rec_size"),
		       address_size = number_of(info, "jited_line_info_rec_size");

	*ret = (struct pd_bpf_lines){ .btf = find_btf(btf, number_of(info, "btf_id")) };
	if (!entries || !addresses || entry_size < LINE_SIZE || address_size < sizeof(uint64_t) ||
	    !btf_swap(ret->btf, &ret->swap))
		return false;
	ret->entries = entries->v.bytes.data;
	ret->addresses = addresses->v.bytes.data;
	ret->entry_size = (size_t)entry_size;
	ret->address_size = (size_t)address_size;
	const uint64_t nr_addresses = addresses->v.bytes.size / address_size;
	ret->nr = entries->v.bytes.size / entry_size;
	ret->nr = ret->nr < nr_addresses ? ret->nr : nr_addresses;
	return ret->nr > 0;
}

uint64_t pd_bpf_line_address(const struct pd_bpf_lines *lines, uint64_t index)
{
	return pd_load64(lines->addresses + index * lines->address_size, lines->swap);
}

/* Returns a string of the BTF; NULL: not inside the strings, or longer than any source line. */
static const char *btf_string(const struct pd_bpf_lines *lines, uint32_t offset)
{
	enum { MOST_BYTES = 4096 };
	struct pd_cursor strings = btf_part(lines->btf, lines->swap, 16);
	if (!pd_take(&strings, offset) || !pd_left(&strings))
		return NULL;
	const size_t left = pd_left(&strings);
	const bool ends = memchr(strings.at, 0, left < MOST_BYTES ? left : MOST_BYTES);
	return ends ? (const char *)strings.at : NULL;
}

bool pd_bpf_line_at(const struct pd_bpf_lines *lines, uint64_t index, struct pd_bpf_line *ret)
{
	const uint8_t *entry = lines->entries + index * lines->entry_size;
	const char *text = btf_string(lines, pd_load32(entry + LINE_TEXT, lines->swap));
	*ret = (struct pd_bpf_line){ .file = btf_string(lines, pd_load32(entry + LINE_FILE, lines->swap)),
				     .text = text ? text : "",
				     .line = pd_load32(entry + LINE_NUMBER, lines->swap) >> LINE_SHIFT };
	return ret->file && *ret->file;
}
