/* SPDX-License-Identifier: MIT */
#include "config.h"
#include <string.h>
#include "base/hash.h"
#include "base/memory.h"
#include "emit/profiles/pprof_maps.h"
#include "emit/stacks/stack_text.h"
#include "schema/schema.h"
#include "reader/reader.h"

enum { PAGE = 4096 };

struct pprof_maps {
	struct pd_intern *names, *keys;
	struct pprof_seen *seen;     /* distinct mappings, in order */
	size_t nr_seen, seen_room;
	struct pd_hash_map mains;         /* pid → name of its first file + 1 */
	struct pprof_map *maps;
	size_t nr, room;
	const struct perfdata_session *session;
	struct pd_intern *files;     /* names, build-ids and kinds of dsos */
	uint32_t *file_of_dso;       /* by id: number in files + 1; 0: not asked for yet */
	size_t files_room;
	struct pd_intern *contents;  /* by mapping: what a consumer sees of it; see content_of */
	struct perfdata_text text;
};

static void pprof_seen_free(struct pprof_seen_list *list)
{
	pd_free(list->maps);
	pd_free(list->names);
	memset(list, 0, sizeof *list);
}

static bool keep_map(struct pprof_seen_list *list, struct pprof_seen map, struct perfdata_bytes name)
{
	if (pd_vector_grow(&list->names, &list->names_room, list->names_size + name.size, 1) < 0 ||
	    pd_vector_grow(&list->maps, &list->room, list->nr, sizeof map) < 0)
		return false;
	map.name = (uint32_t)list->names_size;
	memcpy(list->names + list->names_size, name.data, name.size);
	list->names[list->names_size + name.size] = '\0';
	list->names_size += name.size + 1;
	list->maps[list->nr++] = map;
	return true;
}

/* Adds the mapping of an MMAP or MMAP2 record if it is executable. False without memory. */
static bool pprof_seen_take(struct pprof_seen_list *list, const struct perfdata_reader *reader,
			    const struct perfdata_raw *raw)
{
	enum { PROT_EXECUTABLE = 4 };
	struct perfdata_record record;
	if (raw->type != PERFDATA_RECORD_MMAP && raw->type != PERFDATA_RECORD_MMAP2)
		return true;
	if (perfdata_raw_decode(reader, raw, &record) != PERFDATA_OK)
		return true;
	if (raw->type == PERFDATA_RECORD_MMAP) {
		const struct perfdata_mmap *mmap = &record.u.mmap;
		const struct pprof_seen map = { mmap->addr, mmap->addr + mmap->len, mmap->pgoff, mmap->pid, 0 };
		return record.misc & PERFDATA_MISC_MMAP_DATA || keep_map(list, map, mmap->filename);
	}
	const struct perfdata_mmap2 *mmap = &record.u.mmap2;
	const struct pprof_seen map = { mmap->addr, mmap->addr + mmap->len, mmap->pgoff, mmap->pid, 0 };
	/* kernel mappings (pid -1) may have no protection bits */
	return (mmap->pid >= 0 && !(mmap->prot & PROT_EXECUTABLE)) || keep_map(list, map, mmap->filename);
}

/* --- recorded mappings -------------------------------------------------------------------------------------------- */

static void pprof_maps_free(struct pprof_maps *maps)
{
	if (!maps)
		return;
	pd_intern_free(maps->names);
	pd_intern_free(maps->keys);
	pd_intern_free(maps->files);
	pd_intern_free(maps->contents);
	perfdata_text_release(&maps->text);
	pd_free(maps->file_of_dso);
	pd_hash_map_release(&maps->mains);
	pd_free(maps->seen);
	pd_free(maps->maps);
	pd_free(maps);
}

/* NULL without memory. */
static struct pprof_maps *pprof_maps_new(void)
{
	struct pprof_maps *maps = pd_calloc(1, sizeof *maps);
	if (!maps)
		return NULL;
	maps->names = pd_intern_new();
	maps->keys = pd_intern_new();
	maps->files = pd_intern_new();
	maps->contents = pd_intern_new();
	perfdata_text_init(&maps->text);
	if (maps->names && maps->keys && maps->files && maps->contents)
		return maps;
	pprof_maps_free(maps);
	return NULL;
}

/* The number of a mapped part of a file. Processes map it at many addresses; its first mapping represents all.
 * UINT32_MAX without memory. */
static uint32_t number_of(struct pprof_maps *maps, const struct pprof_seen *map)
{
	const uint64_t key[] = { map->name, map->offset, map->end - map->start };
	return pd_intern_put(maps->keys, key, sizeof key);
}

static bool pprof_maps_add(struct pprof_maps *maps, const struct pprof_seen_list *list)
{
	for (size_t i = 0; i < list->nr; i++) {
		struct pprof_seen map = list->maps[i];
		const char *name = list->names + map.name;
		uint64_t known;
		map.name = pd_intern_put(maps->names, name, strlen(name));
		if (map.name == UINT32_MAX)
			return false;
		if (map.pid >= 0 && *name == '/' && !pd_hash_map_get(&maps->mains, (uint64_t)map.pid, &known) &&
		    pd_hash_map_put(&maps->mains, (uint64_t)map.pid, map.name) < 0)
			return false;
		/* room first: a number without its mapping would shift all later numbers */
		if (pd_vector_grow(&maps->seen, &maps->seen_room, maps->nr_seen, sizeof map) < 0)
			return false;
		const uint32_t number = number_of(maps, &map);
		if (number == UINT32_MAX)
			return false;
		if (number == maps->nr_seen)
			maps->seen[maps->nr_seen++] = map;
	}
	return true;
}

const char *pd_pprof_maps_main(const struct pprof_maps *maps, int32_t pid)
{
	uint64_t name;
	return pid >= 0 && pd_hash_map_get(&maps->mains, (uint64_t)pid, &name)
		       ? pd_intern_get(maps->names, (uint32_t)name, NULL)
		       : NULL;
}

/* --- mappings of the profile -------------------------------------------------------------------------------------- */

size_t pd_pprof_maps_nr(const struct pprof_maps *maps) { return maps->nr; }
struct pprof_map *pd_pprof_maps_get(struct pprof_maps *maps, uint32_t id) { return &maps->maps[id - 1]; }

static bool is_file(const struct perfdata_dso *dso) { return dso->kind == PERFDATA_DSO_USER; }

/* The name of the kernel's mapping ends with its reference symbol: "[kernel.kallsyms]_text". */
static bool is_of(const struct perfdata_dso *dso, const char *name)
{
	const size_t size = strlen(dso->filename);
	return dso->kind == PERFDATA_DSO_KERNEL ? !strncmp(name, dso->filename, size) : !strcmp(name, dso->filename);
}

/* The recorded mapping that contains the address of a frame in the dso. */
static const struct pprof_seen *recorded_map(const struct pprof_maps *maps, const struct perfdata_dso *dso,
					     uint64_t address)
{
	for (size_t i = 0; i < maps->nr_seen; i++) {
		const struct pprof_seen *map = &maps->seen[i];
		const uint64_t first = is_file(dso) ? map->offset : map->start;
		if (address - first < map->end - map->start && is_of(dso, pd_intern_get(maps->names, map->name, NULL)))
			return map;
	}
	return NULL;
}

static void put_name(struct pprof_maps *maps, const char *name, uint32_t dso)
{
	const struct perfdata_bytes build_id = perfdata_session_build_id(maps->session, dso, NULL);
	pd_stack_text_utf8(&maps->text, name);
	perfdata_text_char(&maps->text, '\0');
	if (build_id.size)
		perfdata_text_append(&maps->text, (const char *)build_id.data, build_id.size);
}

/* The number of what a consumer sees of a dso: its name and build-id. A recording may have several such dsos: perf does
 * not always know the inode of a file, or its generation. UINT32_MAX without memory. */
static uint32_t file_of(struct pprof_maps *maps, const struct perfdata_dso *dso)
{
	if (pd_vector_reach(&maps->file_of_dso, &maps->files_room, dso->id, sizeof *maps->file_of_dso) < 0)
		return UINT32_MAX;
	if (!maps->file_of_dso[dso->id]) {
		perfdata_text_clear(&maps->text);
		perfdata_text_char(&maps->text, is_file(dso) ? 'f' : 'm');   /* how addresses are looked up */
		put_name(maps, dso->filename, dso->id);
		if (perfdata_text_failed(&maps->text))
			return UINT32_MAX;
		maps->file_of_dso[dso->id] = pd_intern_put(maps->files, maps->text.data, maps->text.size) + 1;
	}
	return maps->file_of_dso[dso->id] - 1;
}

/* The number of the content of a mapping; those of equal content have one. A mapping that was not recorded has no range
 * yet: its content is name and build-id. UINT32_MAX without memory. */
static uint32_t content_of(struct pprof_maps *maps, const struct pprof_map *map, bool has_range)
{
	const uint64_t range[] = { map->start, map->end, map->offset };
	perfdata_text_clear(&maps->text);
	perfdata_text_char(&maps->text, has_range ? 'r' : 'n');
	if (has_range)
		perfdata_text_append(&maps->text, (const char *)range, sizeof range);
	put_name(maps, map->name, map->dso);
	return perfdata_text_failed(&maps->text) ? UINT32_MAX
						 : pd_intern_put(maps->contents, maps->text.data, maps->text.size);
}

static bool map_holds(const struct pprof_map *map, const struct perfdata_dso *dso, uint32_t file, uint64_t address)
{
	if (map->file != file)
		return false;
	const uint64_t first = is_file(dso) && map->recorded ? map->offset : map->start;
	return !map->recorded || address - first < map->end - map->start;
}

/* Widens a mapping that was not recorded by the page of the address. */
static void widen_map(struct pprof_map *map, uint64_t address)
{
	const uint64_t page = address & ~(uint64_t)(PAGE - 1),
		       end = page > UINT64_MAX - PAGE ? UINT64_MAX : page + PAGE;
	map->start = page < map->start ? page : map->start;
	map->end = end > map->end ? end : map->end;
}

/* The number, from 1, of the mapping of a frame's address; 0 without memory. Converts *address to the address in a
 * process. */
static uint32_t pprof_maps_of(struct pprof_maps *maps, const struct perfdata_dso *dso, uint64_t *address)
{
	struct pprof_map *map = NULL;
	const struct pprof_seen *seen = NULL;
	const uint32_t file = file_of(maps, dso);
	if (file == UINT32_MAX)
		return 0;
	for (size_t i = 0; i < maps->nr && !map; i++)
		if (maps->maps[i].recorded && map_holds(&maps->maps[i], dso, file, *address))
			map = &maps->maps[i];
	if (!map)
		seen = recorded_map(maps, dso, *address);
	for (size_t i = 0; i < maps->nr && !map && !seen; i++)
		if (map_holds(&maps->maps[i], dso, file, *address))
			map = &maps->maps[i];
	if (!map) {
		struct pprof_map added = { .start = UINT64_MAX, .dso = dso->id, .file = file, .name = dso->filename };
		if (seen) {
			added.start = seen->start;
			added.end = seen->end;
			added.offset = is_file(dso) ? seen->offset : 0;
			added.name = pd_intern_get(maps->names, seen->name, NULL);
			added.recorded = true;
		}
		/* room first: callers go on after a failure, and a content without its mapping would shift all later
		 * numbers */
		if (pd_vector_grow(&maps->maps, &maps->room, maps->nr, sizeof *map) < 0)
			return 0;
		/* dsos of different kinds, and names of different bytes, may still have equal mappings */
		const uint32_t content = content_of(maps, &added, seen);
		if (content == UINT32_MAX)
			return 0;
		map = &maps->maps[content];
		if (content == maps->nr) {
			*map = added;
			maps->nr++;
		}
	}
	if (!map->recorded)
		widen_map(map, *address);
	else if (is_file(dso))
		*address = *address - map->offset + map->start;
	return (uint32_t)(map - maps->maps) + 1;
}

/* Makes the estimated range of a mapping that was not recorded another one, which still holds all of its addresses. */
static void change_range(struct pprof_map *map)
{
	if (map->start >= PAGE)
		map->start -= PAGE;
	else if (map->end <= UINT64_MAX - PAGE)
		map->end += PAGE;
	else
		map->offset++;   /* all of the address space, which only a damaged recording maps */
}

bool pd_pprof_maps_settle(struct pprof_maps *maps)
{
	for (size_t i = 0; i < maps->nr; i++) {
		struct pprof_map *map = &maps->maps[i];
		uint32_t content = UINT32_MAX;
		while (!map->recorded && (content = content_of(maps, map, true)) < maps->nr)
			change_range(map);
		if (!map->recorded && content == UINT32_MAX)
			return false;
	}
	return true;
}

bool pd_pprof_maps_first(struct pprof_maps *maps, const struct perfdata_dso *dso)
{
	for (size_t i = 0; i < maps->nr_seen; i++) {
		uint64_t address = maps->seen[i].offset;
		if (is_of(dso, pd_intern_get(maps->names, maps->seen[i].name, NULL)))
			return pprof_maps_of(maps, dso, &address);
	}
	return true;
}

/* --- emitters whose profiles have mappings -------------------------------------------------------------------- */

enum perfdata_status pd_pprof_gather_begin(struct pprof_gather *gather, const struct perfdata_emit_context *context,
					   const struct pd_profile_options *options)
{
	gather->maps = pprof_maps_new();
	if (!gather->maps)
		return PERFDATA_ENOMEM;
	gather->maps->session = context->session;
	return pd_stack_gather_begin(&gather->stacks, context, options);
}

bool pd_pprof_place_of(struct pprof_gather *gather, struct stack_labels *labels, const struct stack_step *step,
		       struct pprof_place *ret)
{
	const struct perfdata_session *session = gather->stacks.session;
	const struct perfdata_frame *frame = step->frame == PERFDATA_NONE
						     ? NULL
						     : perfdata_session_frame(session, step->frame);
	*ret = (struct pprof_place){ .address = pd_stack_code_address(frame ? frame->address : step->ip,
								      step->is_caller) };
	if (frame && frame->dso != PERFDATA_NONE)
		ret->dso = perfdata_session_dso(session, frame->dso);
	ret->calls = pd_stack_labels_of(labels, step->frame, step->is_caller, &ret->nr_calls);
	if (ret->dso)
		ret->map = pprof_maps_of(gather->maps, ret->dso, &ret->address);
	return ret->calls && (!ret->dso || ret->map);
}

void pd_pprof_release(void *state)
{
	struct pprof_gather *gather = state;
	if (!gather)
		return;
	pd_stack_gather_release(&gather->stacks);
	pprof_maps_free(gather->maps);
	pd_free(gather);
}

static void free_seen(void *pointer)
{
	pprof_seen_free(pointer);
	pd_free(pointer);
}

enum perfdata_status pd_pprof_gather_format(const void *state, const struct perfdata_batch *batch, void *value,
					    struct perfdata_scratch *scratch, struct perfdata_text *out,
					    void **ret_part)
{
	const struct pprof_gather *gather = state;
	struct pprof_seen_list *seen = pd_calloc(1, sizeof *seen);
	(void)value, (void)scratch, (void)out;
	for (size_t i = 0; seen && i < batch->nr_deliveries; i++) {
		if (!pprof_seen_take(seen, gather->stacks.reader, batch->deliveries[i].record)) {
			free_seen(seen);
			return PERFDATA_ENOMEM;
		}
	}
	return seen ? pd_stack_pair_format(state, batch, seen, free_seen, ret_part) : PERFDATA_ENOMEM;
}

static enum perfdata_status add_seen(void *state, void *seen)
{
	const struct pprof_gather *gather = state;
	const bool done = pprof_maps_add(gather->maps, seen);
	free_seen(seen);
	return done ? PERFDATA_OK : PERFDATA_ENOMEM;
}

enum perfdata_status pd_pprof_gather_merge(void *state, void *part, struct perfdata_text *out)
{
	(void)out;
	return pd_stack_pair_merge(state, part, add_seen);
}
