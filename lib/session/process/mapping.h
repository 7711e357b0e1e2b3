/* SPDX-License-Identifier: MIT */
/* The content of a record of a mapping. */
#ifndef PD_MAPPING_H
#define PD_MAPPING_H

#include <string.h>
#include "session/state.h"

/* The fields that MMAP and MMAP2 records share. */
struct pd_mapping {
	int32_t pid, tid;
	uint64_t addr, len, pgoff;
	const char *filename;
	size_t filename_size;
	bool exec, hugetlb;
	bool jit;                  /* simpleperf made the record for code that a JIT compiled */
	uint64_t id_words[3];
	struct perfdata_bytes build_id, false_build_id;
	unsigned cpumode;
};

static inline bool pd_mapping_begins(const struct pd_mapping *mapping, const char *prefix)
{
	size_t size = strlen(prefix);
	return mapping->filename_size >= size && memcmp(mapping->filename, prefix, size) == 0;
}

static inline bool pd_mapping_is(const struct pd_mapping *mapping, const char *name)
{
	return mapping->filename_size == strlen(name) && memcmp(mapping->filename, name, mapping->filename_size) == 0;
}

static inline uint64_t pd_mapping_end(const struct pd_mapping *mapping)
{
	uint64_t end;
	return __builtin_add_overflow(mapping->addr, mapping->len, &end) ? UINT64_MAX : end;
}

/* Whether perf inject wrote the record, for a file that it made of JIT code. */
bool pd_mapping_is_injected(const struct pd_mapping *mapping);
/* Counts a mapping of a dso, and notes the first one's place and file. */
void pd_mapping_count(struct pd_state *state, const struct pd_map *map, const struct pd_mapping *mapping);

#endif
