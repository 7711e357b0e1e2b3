/* SPDX-License-Identifier: MIT */
/* Joins the feature sections of several recordings: lists are joined, and a section with one value is copied if all
 * inputs that have it agree. */
#include "config.h"
#include "base/error.h"
#include "base/memory.h"
#include "schema/schema.h"
#include "schema/feature.h"
#include "rewrite/merge.h"
#include "rewrite/tracepoints.h"
#include "reader/reader.h"

/* offset of the name in an entry of BUILD_ID, header included; the build-id is before the name */
#define BUILD_ID_NAME 36u
#define BUILD_ID_AT 12u
#define BUILD_ID_SIZE 20u
#define BPF_PROG_ID 4u               /* offset of the id in struct bpf_prog_info */

static enum pd_joining joining_of(uint32_t id)
{
	const struct pd_section_row *row = pd_section_row(id);
	return row ? row->joining : PD_JOIN_EQUAL;
}

/* A list section while it is joined: its entries in the byte order of the inputs, and their number. */
struct joined {
	struct perfdata_rewriter *rewriter;
	struct perfdata_text entries;
	uint32_t nr;
	bool swap;
};

static const struct perfdata_feature *section_of(const struct pd_merge_input *input, uint32_t id)
{
	const struct perfdata_feature_section *section = perfdata_reader_feature(input->known, id);
	return section && section->status == PERFDATA_OK ? section->feature : NULL;
}

static struct perfdata_bytes bytes_of(const struct pd_merge_input *input, uint32_t id)
{
	const struct perfdata_feature *section = section_of(input, id);
	return section ? pd_feature_bytes(section) : (struct perfdata_bytes){ NULL, 0 };
}

/* Writes the entries, preceded by their number if the section begins with it. */
static enum perfdata_status put_joined(struct joined *joined, uint32_t id, bool counted)
{
	struct perfdata_rewriter *rewriter = joined->rewriter;
	struct perfdata_feature *feature = NULL;
	struct perfdata_text out;

	perfdata_text_init(&out);
	if (counted)
		pd_append_int(&out, joined->swap, 4, joined->nr);
	perfdata_text_append(&out, joined->entries.data, joined->entries.size);
	enum perfdata_status status = perfdata_text_failed(&joined->entries) || perfdata_text_failed(&out)
					      ? PERFDATA_ENOMEM
					      : pd_feature_decode(id, out.data, out.size,
									perfdata_reader_header(rewriter->reader)->order,
									0, &feature, NULL);
	if (status == PERFDATA_OK || status == PERFDATA_DAMAGED)
		status = pd_sections_put(
			rewriter, &(struct perfdata_feature_section){ .id = id, .status = status, .feature = feature });
	else
		status = pd_rewrite_failed(rewriter, status, NULL);
	pd_feature_free(feature);
	perfdata_text_release(&out);
	return status;
}

/* --- lists ------------------------------------------------------------------------------------------------------- */

static bool is_counted(uint32_t id) { return id != PERFDATA_FEATURE_BUILD_ID; }

/* Takes the next entry of a list section. Entries with the same key are duplicates. */
static bool next_entry(uint32_t id, struct pd_cursor *cursor, struct perfdata_bytes *ret,
		       struct perfdata_bytes *ret_key)
{
	const uint8_t *start = cursor->at;
	const uint32_t first = pd_u32(cursor), second = pd_u32(cursor);
	uint64_t size;

	switch (id) {
	case PERFDATA_FEATURE_BUILD_ID:
		size = cursor->failed ? 0 : pd_load16(start + 6, cursor->swap);
		break;
	case PERFDATA_FEATURE_BPF_PROG_INFO:
		/* a header of 16 bytes (length of the struct, length of its data, word of flags), struct, data */
		size = 16ull + first + second;
		break;
	default:
		size = 8ull + second;
	}
	if (cursor->failed || size < 8 || !pd_take(cursor, size - 8))
		return false;
	*ret = *ret_key = (struct perfdata_bytes){ start, (size_t)size };
	if (id == PERFDATA_FEATURE_BPF_BTF)
		ret_key->size = 4;
	else if (id == PERFDATA_FEATURE_BPF_PROG_INFO && size >= 16 + BPF_PROG_ID + 4)
		*ret_key = (struct perfdata_bytes){ start + 16 + BPF_PROG_ID, 4 };
	return true;
}

static struct perfdata_bytes name_of(struct perfdata_bytes entry)
{
	const size_t room = entry.size > BUILD_ID_NAME ? entry.size - BUILD_ID_NAME : 0;
	return (struct perfdata_bytes){ entry.data + BUILD_ID_NAME,
					room ? strnlen((const char *)entry.data + BUILD_ID_NAME, room) : 0 };
}

/* Reports a name that has two build-ids, since readers keep only one for each name. False: no memory. */
static bool note_build(struct joined *joined, struct pd_intern *names, struct pd_hash_map *builds,
		       struct perfdata_bytes entry)
{
	const struct perfdata_bytes name = name_of(entry);
	uint64_t known;

	if (!name.size)
		return true;
	const uint32_t number = pd_intern_put(names, name.data, name.size);
	const uint8_t *build_id = entry.data + BUILD_ID_AT;
	if (number == UINT32_MAX)
		return false;
	if (!pd_hash_map_get(builds, number, &known))
		return pd_hash_map_put(builds, number, (uintptr_t)build_id) == 0;
	if (memcmp((const uint8_t *)(uintptr_t)known, build_id, BUILD_ID_SIZE) != 0)
		pd_rewrite_tell(joined->rewriter,
				"%.*s has two build-ids; the table of build-ids has the last one only",
				(int)name.size, (const char *)name.data);
	return true;
}

static bool join_entries(struct joined *joined, uint32_t id, struct pd_intern *keys, struct pd_intern *names,
			 struct pd_hash_map *builds)
{
	const struct pd_merge *merge = joined->rewriter->merge;
	struct perfdata_bytes entry, key;

	for (size_t i = 0; i < merge->nr_inputs; i++) {
		const struct perfdata_bytes bytes = bytes_of(&merge->inputs[i], id);
		struct pd_cursor cursor = pd_cursor(bytes.data, bytes.size, joined->swap);
		if (is_counted(id))
			(void)pd_u32(&cursor);
		while (next_entry(id, &cursor, &entry, &key)) {
			const uint32_t known = pd_intern_count(keys), number = pd_intern_put(keys, key.data, key.size);
			if (number == UINT32_MAX || (id == PERFDATA_FEATURE_BUILD_ID && number == known &&
						     !note_build(joined, names, builds, entry)))
				return false;
			if (number < known)
				continue;
			perfdata_text_bytes(&joined->entries, entry);
			joined->nr++;
		}
	}
	return true;
}

static enum perfdata_status join_lists(struct joined *joined, uint32_t id)
{
	struct pd_intern *keys = pd_intern_new(), *names = pd_intern_new();
	struct pd_hash_map builds = { 0 };
	const bool ok = keys && names && join_entries(joined, id, keys, names, &builds);

	pd_intern_free(keys);
	pd_intern_free(names);
	pd_hash_map_release(&builds);
	if (!ok)
		return pd_rewrite_failed(joined->rewriter, PERFDATA_ENOMEM, NULL);
	/* an empty table of build-ids would hide the build-ids of the maps */
	return joined->nr ? put_joined(joined, id, is_counted(id)) : PERFDATA_OK;
}

/* --- simpleperf --------------------------------------------------------------------------------------------------- */

static enum perfdata_status put_device(struct joined *joined, uint32_t id)
{
	const struct pd_merge_device *device = &joined->rewriter->merge->device;
	const struct perfdata_text *made = id == PERFDATA_FEATURE_FILE ? &device->file
					   : id == PERFDATA_FEATURE_FILE2 ? &device->file2 : &device->facts;

	perfdata_text_append(&joined->entries, made->data, made->size);
	return made->size ? put_joined(joined, id, false) : PERFDATA_OK;
}

/* --- groups ------------------------------------------------------------------------------------------------------ */

static enum perfdata_status join_groups(struct joined *joined)
{
	const struct pd_merge *merge = joined->rewriter->merge;
	struct perfdata_text *out = &joined->entries;

	for (const struct pd_merge_input *input = merge->inputs; input < merge->inputs + merge->nr_inputs; input++) {
		const struct perfdata_feature *section = section_of(input, PERFDATA_FEATURE_GROUP_DESC);
		const struct perfdata_node *list =
			section ? perfdata_node_get(perfdata_feature_root(section), "group_desc") : NULL;
		for (const struct perfdata_node *group = list && !input->shares_events ? list->child : NULL; group;
		     group = group->next) {
			const struct perfdata_node *name = perfdata_node_get(group, "name"),
						   *leader = perfdata_node_get(group, "leader");
			const struct perfdata_node *members = perfdata_node_get(group, "nr_members");
			if (!name || !leader || !members)
				continue;
			pd_append_int(out, joined->swap, 4, name->v.bytes.size + 1);
			perfdata_text_bytes(out, name->v.bytes);
			perfdata_text_fill(out, '\0', 1);
			pd_append_int(out, joined->swap, 4, leader->v.u + input->first_event);
			pd_append_int(out, joined->swap, 4, members->v.u);
			joined->nr++;
		}
	}
	return joined->nr ? put_joined(joined, PERFDATA_FEATURE_GROUP_DESC, true) : PERFDATA_OK;
}

/* --- formats of tracepoints -------------------------------------------------------------------------------------- */

static enum perfdata_status join_formats(struct perfdata_rewriter *rewriter)
{
	const struct pd_merge *merge = rewriter->merge;
	struct pd_formats formats = { 0 };
	enum perfdata_status status = PERFDATA_OK;

	for (size_t i = 0; i < merge->nr_inputs && status == PERFDATA_OK; i++)
		status = pd_formats_add(rewriter, &formats, pd_reader_trace(merge->inputs[i].known));
	if (status == PERFDATA_OK)
		status = pd_formats_put_section(rewriter, &formats);
	pd_formats_release(&formats);
	return status;
}

/* --- all of them ------------------------------------------------------------------------------------------------- */

/* Whether the sections are equal but for the zeros that pad FEATURE records of streams. */
static bool same_section(struct perfdata_bytes a, struct perfdata_bytes b)
{
	const size_t shared = a.size < b.size ? a.size : b.size;
	const struct perfdata_bytes *longer = a.size < b.size ? &b : &a;

	for (size_t i = shared; i < longer->size; i++)
		if (longer->data[i])
			return false;
	return !shared || !memcmp(a.data, b.data, shared);
}

static enum perfdata_status put_agreed(struct perfdata_rewriter *rewriter, uint32_t id, bool first_counts)
{
	const struct pd_merge *merge = rewriter->merge;
	const struct pd_merge_input *first = NULL;
	const struct perfdata_layout *layout = perfdata_feature_layout(id);

	for (const struct pd_merge_input *input = merge->inputs; input < merge->inputs + merge->nr_inputs; input++) {
		if (!section_of(input, id) || (id == PERFDATA_FEATURE_HOSTNAME && !pd_merge_text(input, id)))
			continue;
		if (!first) {
			first = input;
		} else if (!first_counts && !same_section(bytes_of(first, id), bytes_of(input, id))) {
			rewriter->counts.sections_left_out++;
			pd_rewrite_tell(rewriter, "the feature section %s is left out: %s and %s have different ones",
					layout ? layout->perf_name : "of an unknown kind", pd_merge_name(first),
					pd_merge_name(input));
			return PERFDATA_OK;
		}
	}
	if (!first)
		return PERFDATA_OK;
	rewriter->reader = first->known;
	return pd_sections_put(rewriter, perfdata_reader_feature(first->known, id));
}

static enum perfdata_status put_note(struct perfdata_rewriter *rewriter)
{
	const struct pd_merge *merge = rewriter->merge;
	struct perfdata_text note;

	perfdata_text_init(&note);
	perfdata_text_string(&note, "merged by perfdata ");
	perfdata_text_string(&note, perfdata_version());
	for (size_t i = 0; i < merge->nr_inputs; i++) {
		const char *path = pd_merge_name(&merge->inputs[i]), *slash = strrchr(path, '/');
		perfdata_text_string(&note, i ? ", " : ", of ");
		perfdata_text_string(&note, slash ? slash + 1 : path);
	}
	perfdata_text_append(&note, "", 1);
	const enum perfdata_status status = perfdata_text_failed(&note)
						    ? pd_rewrite_failed(rewriter, PERFDATA_ENOMEM, NULL)
						    : pd_mend_put_note(rewriter, note.data);
	perfdata_text_release(&note);
	return status;
}

enum perfdata_status pd_merge_put_sections(struct perfdata_rewriter *rewriter)
{
	struct perfdata_reader *first = rewriter->merge->inputs[0].known;
	enum perfdata_status status = join_formats(rewriter);

	for (uint32_t id = 1; id <= PERFDATA_FEATURE_NOTE && status == PERFDATA_OK; id++) {
		struct joined joined = { .rewriter = rewriter,
					 .swap = pd_order_is_foreign(perfdata_reader_header(first)->order) };
		perfdata_text_init(&joined.entries);
		switch (joining_of(id)) {
		case PD_JOIN_EQUAL:
		case PD_JOIN_FIRST:
			status = put_agreed(rewriter, id, joining_of(id) == PD_JOIN_FIRST);
			break;
		case PD_JOIN_LISTS:
			status = join_lists(&joined, id);
			break;
		case PD_JOIN_DEVICE:
			status = put_device(&joined, id);
			break;
		default:
			if (id == PERFDATA_FEATURE_GROUP_DESC)
				status = join_groups(&joined);
		}
		perfdata_text_release(&joined.entries);
		rewriter->reader = first;
	}
	if (status == PERFDATA_OK)
		status = pd_build_ids_finish(rewriter);
	if (status == PERFDATA_OK)
		status = pd_sections_times(rewriter);
	return status == PERFDATA_OK ? put_note(rewriter) : status;
}
