/* SPDX-License-Identifier: MIT */
/* Maps of recordings of simpleperf, where its rules differ from perf's. */
#include "config.h"
#include <string.h>
#include "session/process/mapping.h"
#include "session/state.h"

static enum perfdata_dso_kind kind_of(const struct pd_mapping *mapping)
{
	if (pd_mapping_is(mapping, "[vdso]") || pd_mapping_is(mapping, "[vdso32]"))
		return PERFDATA_DSO_VDSO;
	return pd_mapping_begins(mapping, "//anon") || pd_mapping_begins(mapping, "[anon") ||
			       pd_mapping_begins(mapping, "[stack") || pd_mapping_is(mapping, "[heap]")
		       ? PERFDATA_DSO_NONE : PERFDATA_DSO_USER;
}

/* Sets how addresses of a mapping become addresses of its dso: see struct pd_map. */
static void set_addresses(struct pd_map *map, struct pd_dso *dso, const struct pd_mapping *mapping)
{
	const struct pd_inside_file *file = dso->inside;

	if (mapping->jit) {
		map->identity = true;
	} else if (file && file->type == PD_INSIDE_ELF && !file->has_offset) {
		/* the file offset of the segment was not recorded: assume that the mapping has the whole segment */
		if (!dso->end)
			dso->inside_pgoff = mapping->pgoff;
		map->pgoff = file->min_vaddr;
	} else if (file && file->type != PD_INSIDE_ELF && file->type != PD_INSIDE_DEX) {
		map->identity = true;
	} else if (!file && dso->public.kind == PERFDATA_DSO_NONE) {
		map->identity = true;
	}
}

int pd_inside_map_user(struct pd_state *state, const struct pd_mapping *mapping)
{
	struct pd_thread *thread = pd_thread_get(state, mapping->pid, mapping->tid);
	/* the path alone identifies a file: the kernel's records have an inode, synthesized records have none */
	const struct pd_dso_key key = { .kind = kind_of(mapping), .filename = mapping->filename,
					.filename_size = mapping->filename_size, .pid = -1 };
	struct pd_map map = { .start = mapping->addr, .end = pd_mapping_end(mapping), .pgoff = mapping->pgoff };

	if (!thread)
		return -1;
	map.dso = pd_dso_get(state, &key);
	if (map.dso == PERFDATA_NONE)
		return -1;
	struct pd_dso *dso = pd_dso_at(state, map.dso);
	if (!dso->first_pid)
		dso->first_pid = thread->pid;
	set_addresses(&map, dso, mapping);
	pd_mapping_count(state, &map, mapping);
	return pd_maps_insert(&state->store, thread->maps, &map);
}
