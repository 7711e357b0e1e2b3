/* SPDX-License-Identifier: MIT */
/* Writes build-ids that the user found after the recording: into the maps that have none, and into the table. */
#include "config.h"
#include <stdlib.h>
#include "base/hash.h"
#include "base/memory.h"
#include "base/search.h"
#include "schema/schema.h"
#include "reader/reader.h"
#include "rewrite/rewriter.h"
#include "write/writing.h"

#define RECORDED_ID 20u               /* bytes of the build-id in a record */
#define ENTRY_NAME 36u               /* offset of the name in an entry of the build-id table, header included */
#define MISC_HAS_SIZE 0x8000u        /* misc bit: the entry holds the length of its build-id */

static int by_path(const void *a, const void *b)
{
	const struct perfdata_rewrite_build_id *x = a, *y = b;
	return strcmp(x->path, y->path);
}

bool pd_build_ids_copy(struct perfdata_rewriter *rewriter)
{
	struct perfdata_rewrite_options *options = &rewriter->options;
	struct perfdata_rewrite_build_id *own = pd_arena_calloc(&rewriter->arena, options->nr_build_ids, sizeof *own);

	for (size_t i = 0; own && i < options->nr_build_ids; i++) {
		const struct perfdata_rewrite_build_id *from = &options->build_ids[i];
		own[i] = *from;
		own[i].path = pd_arena_copy(&rewriter->arena, from->path, strlen(from->path));
		own[i].build_id.data = (const uint8_t *)pd_arena_copy(&rewriter->arena, from->build_id.data,
								      from->build_id.size);
		if (own[i].build_id.size > RECORDED_ID)
			own[i].build_id.size = RECORDED_ID;
		if (!own[i].path || !own[i].build_id.data)
			return false;
	}
	if (own && options->nr_build_ids)
		qsort(own, options->nr_build_ids, sizeof *own, by_path);
	options->build_ids = own;
	return own != NULL;
}

/* --- maps -------------------------------------------------------------------------------------------------------- */

static int compare_path(struct perfdata_bytes path, const char *other)
{
	const int order = strncmp((const char *)path.data, other, path.size);
	return order ? order : other[path.size] ? -1 : 0;
}

static const struct perfdata_rewrite_build_id *find_build_id(const struct perfdata_rewrite_options *options,
							     const struct perfdata_mmap2 *map)
{
	size_t low;

	PD_COUNT_BEFORE(low, options->nr_build_ids, at, compare_path(map->filename, options->build_ids[at].path) > 0);
	for (; low < options->nr_build_ids && !compare_path(map->filename, options->build_ids[low].path); low++)
		if (!options->build_ids[low].inode || options->build_ids[low].inode == map->ino)
			return &options->build_ids[low];
	return NULL;
}

bool pd_build_ids_fill(const struct perfdata_rewriter *rewriter, struct perfdata_record *record)
{
	const struct perfdata_layout *layout = record->layout;
	struct perfdata_mmap2 *map = &record->u.mmap2;

	if (!rewriter->options.nr_build_ids || record->type != PERFDATA_RECORD_MMAP2 ||
	    !PERFDATA_HAS(record, mmap2, ino))
		return false;
	const struct perfdata_rewrite_build_id *found = find_build_id(&rewriter->options, map);
	if (!found || !found->build_id.size)
		return false;
	record->misc |= PERFDATA_MISC_MMAP_BUILD_ID;
	map->present &= ~(perfdata_layout_bits(layout, offsetof(struct perfdata_mmap2, maj)) |
			  perfdata_layout_bits(layout, offsetof(struct perfdata_mmap2, min)) |
			  perfdata_layout_bits(layout, offsetof(struct perfdata_mmap2, ino)) |
			  perfdata_layout_bits(layout, offsetof(struct perfdata_mmap2, ino_generation)));
	map->present |= perfdata_layout_bits(layout, offsetof(struct perfdata_mmap2, build_id_size)) |
			perfdata_layout_bits(layout, offsetof(struct perfdata_mmap2, build_id));
	map->build_id_size = (uint8_t)found->build_id.size;
	map->build_id = found->build_id;
	return true;
}

/* --- the table --------------------------------------------------------------------------------------------------- */

static void put_entry(const struct perfdata_rewriter *rewriter, const struct perfdata_rewrite_build_id *found,
		      struct perfdata_text *out)
{
	const size_t room = (strlen(found->path) + 8) / 8 * 8;
	const bool swap = pd_order_is_foreign(rewriter->order);
	const uint16_t misc = (uint16_t)((found->in_kernel ? PERFDATA_CPUMODE_KERNEL : PERFDATA_CPUMODE_USER) |
					 MISC_HAS_SIZE);
	const uint16_t size = (uint16_t)(ENTRY_NAME + room);
	const uint16_t head[4] = { 0, 0, swap ? __builtin_bswap16(misc) : misc, swap ? __builtin_bswap16(size) : size };
	const int32_t any_process = -1;
	const uint8_t id_size[4] = { (uint8_t)found->build_id.size };

	if (ENTRY_NAME + room > UINT16_MAX)
		return;
	perfdata_text_append(out, head, sizeof head);
	perfdata_text_append(out, &any_process, sizeof any_process);
	perfdata_text_bytes(out, found->build_id);
	perfdata_text_fill(out, '\0', RECORDED_ID - found->build_id.size);
	perfdata_text_append(out, id_size, sizeof id_size);
	perfdata_text_string(out, found->path);
	perfdata_text_fill(out, '\0', room - strlen(found->path));
}

/* Keeps the entries that the table has, even if the user found another build-id for one of their names. */
bool pd_build_ids_append(struct perfdata_rewriter *rewriter, struct perfdata_text *table)
{
	const struct perfdata_rewrite_options *options = &rewriter->options;
	struct pd_intern *names = options->nr_build_ids ? pd_intern_new() : NULL;
	bool ok = names || !options->nr_build_ids;
	uint32_t last = UINT32_MAX;

	struct pd_cursor cursor = pd_cursor(table->data, table->size, pd_order_is_foreign(rewriter->order));
	while (ok && names && pd_left(&cursor) > ENTRY_NAME) {
		const uint16_t size = pd_load16(cursor.at + 6, cursor.swap);
		const uint8_t *entry = pd_take(&cursor, size);
		if (!entry || size <= ENTRY_NAME)
			break;
		last = pd_intern_put(names, entry + ENTRY_NAME,
				     strnlen((const char *)entry + ENTRY_NAME, size - ENTRY_NAME));
		ok = last != UINT32_MAX;
	}
	for (size_t i = 0; ok && i < options->nr_build_ids; i++) {
		const uint32_t known = pd_intern_count(names);
		last = pd_intern_put(names, options->build_ids[i].path, strlen(options->build_ids[i].path));
		ok = last != UINT32_MAX;
		if (ok && last == known && options->build_ids[i].build_id.size)
			put_entry(rewriter, &options->build_ids[i], table);
	}
	pd_intern_free(names);
	rewriter->build_ids_written = true;
	return ok;
}

enum perfdata_status pd_build_ids_finish(struct perfdata_rewriter *rewriter)
{
	struct perfdata_text table;
	enum perfdata_status status = PERFDATA_OK;

	if (rewriter->build_ids_written)
		return status;
	perfdata_text_init(&table);
	if (!pd_build_ids_append(rewriter, &table) || perfdata_text_failed(&table))
		status = pd_rewrite_failed(rewriter, PERFDATA_ENOMEM, NULL);
	else if (table.size)   /* an empty table would hide the build-ids of the maps */
		status = pd_rewrite_written(
			rewriter,
			pd_writer_feature(rewriter->writer, PERFDATA_FEATURE_BUILD_ID, table.data, table.size));
	perfdata_text_release(&table);
	return status;
}
