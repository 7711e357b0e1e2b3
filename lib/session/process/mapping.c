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
	if (pd_dso_set_build_id(state, dso, mapping->build_id, PERFDATA_BUILD_ID_MMAP2) < 0)
		state->status = PERFDATA_ENOMEM;
	if (mapping->false_build_id.size && !dso->false_build_id_size) {
		memcpy(dso->false_build_id, mapping->false_build_id.data, mapping->false_build_id.size);
		dso->false_build_id_size = (uint8_t)mapping->false_build_id.size;
	}
}

/* take_number_from_end and take_from_end remove an ending from a file name; false: the name has another ending. */
static bool take_number_from_end(const char *name, size_t *size)
{
	const size_t before = *size;
	while (*size && name[*size - 1] >= '0' && name[*size - 1] <= '9')
		--*size;
	return *size != before;
}

static bool take_from_end(const char *name, size_t *size, const char *text)
{
	const size_t length = strlen(text);
	if (*size < length || memcmp(name + *size - length, text, length) != 0)
		return false;
	*size -= length;
	return true;
}

/* "…/jitted-PID-NUMBER.so", mapped from the code on, which follows the ELF headers: at an offset that is no multiple of
 * a page, unlike in mappings of the kernel. */
bool pd_mapping_is_injected(const struct pd_mapping *mapping)
{
	const uint64_t smallest_page = 4096;
	const char *name = mapping->filename;
	size_t size = mapping->filename_size;
	return mapping->pgoff % smallest_page != 0 && take_from_end(name, &size, ".so") &&
	       take_number_from_end(name, &size) && take_from_end(name, &size, "-") &&
	       take_number_from_end(name, &size) && take_from_end(name, &size, "/jitted-");
}
