/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "session/process/mapping.h"

void pd_mapping_count(struct pd_state *state, const struct pd_map *map, const struct pd_mapping *mapping)
{
	struct pd_dso *dso = pd_dso_at(state, map->dso);
	if (!dso->end) {
		dso->start = dso->public.start = map->start;
		dso->end = map->end;
	}
	/* an MMAP2 record has either an inode or a build-id */
	if (!dso->nr_maps && !mapping->build_id.size) {
		dso->public.device_major = (uint32_t)(mapping->id_words[0] >> 32);
		dso->public.device_minor = (uint32_t)mapping->id_words[0];
	}
	__atomic_fetch_add(&dso->nr_maps, 1, __ATOMIC_RELAXED);
	pd_dso_set_build_id(dso, mapping->build_id.data, mapping->build_id.size, PERFDATA_BUILD_ID_MMAP2);
	if (mapping->false_build_id.size && !dso->false_build_id_size) {
		memcpy(dso->false_build_id, mapping->false_build_id.data, mapping->false_build_id.size);
		dso->false_build_id_size = (uint8_t)mapping->false_build_id.size;
	}
}
