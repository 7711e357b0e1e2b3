/* SPDX-License-Identifier: MIT */
#include "config.h"
#include <string.h>
#include "base/hash.h"
#include "base/memory.h"
#include "emit/profiles/pprof_maps.h"
#include "emit/profiles/pprof_ranges.h"
#include "emit/stacks/stack_text.h"
#include "schema/schema.h"
#include "reader/reader.h"

enum { PAGE = 4096 };

/* What is asked once of a dso. */
struct dso_numbers {
	uint32_t file;               /* number in `files` + 1; 0: not asked yet */
	uint32_t group;              /* of the name; see group_of */
};

struct pprof_maps {
	struct pd_intern *names, *keys;
	struct pprof_seen *seen;     /* distinct mappings, in order */
	uint32_t *groups;            /* by mapping: number of its name without the kernel's symbol; see group_of */
	size_t nr_seen, seen_room, groups_room;
	struct pprof_ranges by_offset, by_start;   /* of `seen`, made for the first look-up */
	bool has_ranges;
	struct pd_hash_map mains;         /* pid → name of its first file + 1 */
	struct pprof_map *maps;
	size_t nr, room;
	const struct perfdata_session *session;
	struct pd_intern *files;     /* names, build-ids and kinds of dsos */
	struct dso_numbers *dsos;    /* by id of a dso */
	size_t dsos_room;
	struct pd_hash_map map_of;   /* file << 32 | index in `seen` + 1, 0 if not recorded → number of the mapping */
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
	pd_free(maps->dsos);
	pd_hash_map_release(&maps->map_of);
	pd_hash_map_release(&maps->mains);
	pd_pprof_ranges_release(&maps->by_offset);
	pd_pprof_ranges_release(&maps->by_start);
	pd_free(maps->groups);
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

/* The number of a name without what follows its bracket: the name of the kernel's mapping ends with its reference
 * symbol, "[kernel.kallsyms]_text", the name of its dso does not. UINT32_MAX without memory. */
static uint32_t group_of(struct pprof_maps *maps, const char *name)
{
	const char *bracket = *name == '[' ? strchr(name, ']') : NULL;
	return pd_intern_put(maps->names, name, bracket ? (size_t)(bracket + 1 - name) : strlen(name));
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
		const uint32_t group = group_of(maps, name);
		if (group == UINT32_MAX ||
		    pd_vector_grow(&maps->seen, &maps->seen_room, maps->nr_seen, sizeof map) < 0 ||
		    pd_vector_grow(&maps->groups, &maps->groups_room, maps->nr_seen, sizeof group) < 0)
			return false;
		const uint32_t number = number_of(maps, &map);
		if (number == UINT32_MAX)
			return false;
		if (number != maps->nr_seen)
			continue;
		maps->groups[number] = group;
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

static void put_name(struct pprof_maps *maps, const char *name, uint32_t dso)
{
	const struct perfdata_bytes build_id = perfdata_session_build_id(maps->session, dso, NULL);
	pd_stack_text_utf8(&maps->text, name);
	perfdata_text_char(&maps->text, '\0');
	if (build_id.size)
		perfdata_text_append(&maps->text, (const char *)build_id.data, build_id.size);
}

/* Numbers of a dso. `file` is the number of what a consumer sees of it: its name and build-id. A recording may have
 * several such dsos: perf does not always know the inode of a file, or its generation. NULL without memory. */
static const struct dso_numbers *numbers_of(struct pprof_maps *maps, const struct perfdata_dso *dso)
{
	if (pd_vector_reach(&maps->dsos, &maps->dsos_room, dso->id, sizeof *maps->dsos) < 0)
		return NULL;
	struct dso_numbers *of = &maps->dsos[dso->id];
	if (!of->file) {
		perfdata_text_clear(&maps->text);
		perfdata_text_char(&maps->text, is_file(dso) ? 'f' : 'm');   /* how addresses are looked up */
		put_name(maps, dso->filename, dso->id);
		if (perfdata_text_failed(&maps->text) ||
		    (of->group = group_of(maps, dso->filename)) == UINT32_MAX)
			return NULL;
		of->file = pd_intern_put(maps->files, maps->text.data, maps->text.size) + 1;
	}
	return of->file ? of : NULL;
}

static bool find_ranges(struct pprof_maps *maps)
{
	if (!maps->has_ranges)
		maps->has_ranges =
			pd_pprof_ranges_build(&maps->by_offset, maps->seen, maps->nr_seen, maps->groups, true) &&
			pd_pprof_ranges_build(&maps->by_start, maps->seen, maps->nr_seen, maps->groups, false);
	return maps->has_ranges;
}

/* Returns the index of the first recorded mapping that holds the address of a frame in the dso; PPROF_NO_RANGE: there
 * is none. */
static uint32_t recorded_map(const struct pprof_maps *maps, const struct perfdata_dso *dso, uint32_t group,
			     uint64_t address)
{
	const uint32_t index = pd_pprof_ranges_find(is_file(dso) ? &maps->by_offset : &maps->by_start, group, address);
	return index != PPROF_NO_RANGE && is_of(dso, pd_intern_get(maps->names, maps->seen[index].name, NULL))
		       ? index
		       : PPROF_NO_RANGE;
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

/* Widens a mapping that was not recorded by the page of the address. */
static void widen_map(struct pprof_map *map, uint64_t address)
{
	const uint64_t page = address & ~(uint64_t)(PAGE - 1),
		       end = page > UINT64_MAX - PAGE ? UINT64_MAX : page + PAGE;
	map->start = page < map->start ? page : map->start;
	map->end = end > map->end ? end : map->end;
}

/* Adds the mapping of a dso as recorded, or without a range: seen is NULL then. Returns its number from 1; 0 without
 * memory. */
static uint32_t add_map(struct pprof_maps *maps, const struct perfdata_dso *dso, uint32_t file,
			const struct pprof_seen *seen)
{
	struct pprof_map added = { .start = UINT64_MAX, .dso = dso->id, .file = file, .name = dso->filename };
	if (seen) {
		added.start = seen->start;
		added.end = seen->end;
		added.offset = is_file(dso) ? seen->offset : 0;
		added.name = pd_intern_get(maps->names, seen->name, NULL);
		added.recorded = true;
	}
	/* room first: callers go on after a failure, and a content without its mapping would shift all later numbers */
	if (pd_vector_grow(&maps->maps, &maps->room, maps->nr, sizeof *maps->maps) < 0)
		return 0;
	/* dsos of different kinds, and names of different bytes, may still have equal mappings */
	const uint32_t content = content_of(maps, &added, seen);
	if (content == UINT32_MAX)
		return 0;
	if (content == maps->nr)
		maps->maps[maps->nr++] = added;
	return content + 1;
}

/* The number, from 1, of the mapping of a frame's address; 0 without memory. Converts *address to the address in a
 * process. */
static uint32_t pprof_maps_of(struct pprof_maps *maps, const struct perfdata_dso *dso, uint64_t *address)
{
	const struct dso_numbers *of = numbers_of(maps, dso);
	if (!of || !find_ranges(maps))
		return 0;
	const uint32_t file = of->file - 1, index = recorded_map(maps, dso, of->group, *address);
	const struct pprof_seen *seen = index == PPROF_NO_RANGE ? NULL : &maps->seen[index];
	const uint64_t key = (uint64_t)file << 32 | (seen ? index + 1 : 0);
	uint64_t number;
	if (!pd_hash_map_get(&maps->map_of, key, &number)) {
		number = add_map(maps, dso, file, seen);
		if (!number || pd_hash_map_put(&maps->map_of, key, number) < 0)
			return 0;
	}
	struct pprof_map *map = pd_pprof_maps_get(maps, (uint32_t)number);
	if (!map->recorded)
		widen_map(map, *address);
	else if (is_file(dso))
		*address = *address - map->offset + map->start;
	return (uint32_t)number;
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
