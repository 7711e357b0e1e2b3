/* SPDX-License-Identifier: MIT */
#include "config.h"
#include <string.h>
#include "base/memory.h"
#include "perfdata/text.h"
#include "session/state.h"
#include "symbols/symbols.h"

static uint64_t key_hash(const struct pd_dso_key *key)
{
	uint64_t hash = pd_hash_bytes(key->filename, key->filename_size,
				      (uint64_t)key->kind | (key->guest ? 0x100u : 0u));
	for (int i = 0; key->id_words && i < 3; i++)
		hash = pd_hash_u64(hash ^ key->id_words[i], 0);
	return hash;
}

static int same_key(const void *user, uint32_t index, const void *wanted)
{
	const struct pd_state *state = user;
	const struct pd_dso_key *key = wanted;
	const struct pd_dso *dso = pd_dso_at(state, index);
	static const uint64_t zeros[3];
	return dso->public.kind == key->kind && dso->of_guest == key->guest &&
	       strlen(dso->public.filename) == key->filename_size &&
	       memcmp(dso->public.filename, key->filename, key->filename_size) == 0 &&
	       memcmp(dso->id_words, key->id_words ? key->id_words : zeros, sizeof dso->id_words) == 0;
}

/* "/lib/modules/5.4/kernel/fs/xfs/xfs.ko.xz" and "[xfs]" are both shown as "[xfs]", with '_' for '-'. */
static const char *module_name(struct pd_state *state, const char *filename)
{
	const char *base = strrchr(filename, '/');
	base = base ? base + 1 : filename;
	if (*base == '[')
		return filename;
	const char *end = strstr(base, ".ko");
	size_t size = end ? (size_t)(end - base) : strlen(base);
	char *name = pd_arena_alloc(&state->arena, size + 3);
	if (!name)
		return NULL;
	name[0] = '[';
	for (size_t i = 0; i < size; i++)
		name[i + 1] = base[i] == '-' ? '_' : base[i];
	name[size + 1] = ']';
	name[size + 2] = '\0';
	return name;
}

/* The path of a module if the table of build-ids lists it; perf then calls the module by that path. */
static const char *table_name(const struct pd_state *state, const char *filename)
{
	uint64_t index;
	if (!pd_hash_map_get(&state->build_ids, pd_hash_bytes(filename, strlen(filename), 7), &index))
		return NULL;
	const struct pd_table_id *id = pd_table_at(&state->table_ids, (uint32_t)index);
	return id->cpumode == PERFDATA_CPUMODE_KERNEL && strcmp(id->filename, filename) == 0 ? id->filename : NULL;
}

static uint64_t name_hash(const void *name, size_t size) { return pd_hash_bytes(name, size, 7); }

bool pd_table_id_has(const struct pd_state *state, const char *filename)
{
	uint64_t index;
	return pd_hash_map_get(&state->build_ids, name_hash(filename, strlen(filename)), &index) &&
	       !strcmp(((const struct pd_table_id *)pd_table_at(&state->table_ids, (uint32_t)index))->filename,
		       filename);
}

/* Sets the dso's build-id by the table of build-ids, unless an MMAP2 record had one. */
static int take_table_id(struct pd_state *state, struct pd_dso *dso)
{
	uint64_t index;
	if (dso->build_id_size ||
	    !pd_hash_map_get(&state->build_ids, name_hash(dso->public.filename, strlen(dso->public.filename)), &index))
		return 0;
	const struct pd_table_id *id = pd_table_at(&state->table_ids, (uint32_t)index);
	if (strcmp(id->filename, dso->public.filename) != 0)
		return 0;
	const bool is_late = dso->symbols && dso->public.kind == PERFDATA_DSO_USER && !dso->has_namesake;
	if (pd_dso_set_build_id(state, dso, (struct perfdata_bytes){ id->build_id, id->build_id_size }, id->source) < 0)
		return -1;
	if (is_late && dso->build_id_size)
		pd_symbols_expect(dso->symbols, dso->build_id, dso->build_id_size);
	return 0;
}

/* Whether two dsos with one path are two files. One file may be known with and without its generation. */
static bool are_two_files(const struct pd_dso *one, const struct pd_dso *other)
{
	const uint64_t of_one = pd_recorded_generation(one->id_words),
		       of_other = pd_recorded_generation(other->id_words);
	return memcmp(one->id_words, other->id_words, 2 * sizeof *one->id_words) != 0 ||
	       (of_one && of_other && of_one != of_other);
}

static struct pd_dso *next_of_path(const struct pd_state *state, const struct pd_dso *dso)
{
	return dso->next_of_path ? pd_dso_at(state, dso->next_of_path) : NULL;
}

static void set_namesakes(const struct pd_state *state, struct pd_dso *first)
{
	for (struct pd_dso *dso = first; dso; dso = next_of_path(state, dso)) {
		dso->has_namesake = true;
		/* names of samples before the second mapping were taken by the table's entry */
		if (dso->symbols && dso->build_id_size && dso->source != PERFDATA_BUILD_ID_MMAP2)
			pd_symbols_doubt(dso->symbols);
	}
}

/* Notes that another file has the same path. */
static int note_namesakes(struct pd_state *state, struct pd_dso *dso)
{
	uint64_t index;
	const uint64_t hash = name_hash(dso->public.filename, strlen(dso->public.filename));
	if (dso->public.kind != PERFDATA_DSO_USER || dso->of_guest)
		return 0;
	if (!pd_hash_map_get(&state->paths, hash, &index))
		return pd_hash_map_put(&state->paths, hash, dso->public.id);
	struct pd_dso *first = pd_dso_at(state, (uint32_t)index);
	if (strcmp(first->public.filename, dso->public.filename) != 0)
		return 0;
	bool are_several = false;
	for (const struct pd_dso *other = first; other && !first->has_namesake; other = next_of_path(state, other))
		are_several |= are_two_files(other, dso);
	dso->next_of_path = first->next_of_path;
	first->next_of_path = dso->public.id;
	dso->has_namesake = first->has_namesake;
	if (are_several)
		set_namesakes(state, first);
	return 0;
}

uint32_t pd_dso_get(struct pd_state *state, const struct pd_dso_key *wanted)
{
	struct pd_dso_key cut = *wanted;
	if (cut.filename_size > PD_NAME_LIMIT)
		cut.filename_size = PD_NAME_LIMIT;
	const struct pd_dso_key *key = &cut;
	uint64_t hash = key_hash(key);
	uint32_t index = pd_index_find(&state->dso_index, hash, same_key, state, key);
	if (index != UINT32_MAX)
		return index;
	const char *filename = pd_arena_copy(&state->arena, key->filename, key->filename_size);
	if (!filename)
		return PERFDATA_NONE;
	const char *name = filename;
	if (key->kind == PERFDATA_DSO_MODULE && !table_name(state, filename))
		name = module_name(state, filename);
	struct pd_dso *dso = name ? pd_table_add(&state->dsos, &index) : NULL;
	if (!dso)
		return PERFDATA_NONE;
	dso->public = (struct perfdata_dso){
		.id = index,
		.kind = key->kind,
		.name = name,
		.long_name = filename,
		.filename = filename,
		.pid = key->pid,
	};
	/* counted last: a dso that is counted has a name even after a failure */
	if (pd_index_add(&state->dso_index, hash, index) < 0)
		return PERFDATA_NONE;
	dso->of_guest = key->guest;
	if (key->id_words)
		memcpy(dso->id_words, key->id_words, sizeof dso->id_words);
	dso->first_time = state->now == UINT64_MAX ? 0 : state->now;
	if (note_namesakes(state, dso) < 0)
		return PERFDATA_NONE;
	if (!key->guest && take_table_id(state, dso) < 0)
		return PERFDATA_NONE;
	if (state->inside && pd_inside_join(state, dso) < 0)
		return PERFDATA_NONE;
	return index;
}

/* Zeros at the end do not count: recorders pad build-ids with them. */
static uint64_t id_hash(const struct pd_dso *dso)
{
	size_t size = dso->build_id_size;
	while (size && !dso->build_id[size - 1])
		size--;
	return pd_hash_bytes(dso->build_id, size, 7);
}

int pd_dso_set_build_id(struct pd_state *state, struct pd_dso *dso, struct perfdata_bytes build_id,
			enum perfdata_build_id_source source)
{
	uint64_t before;
	if (dso->build_id_size || !build_id.size)
		return 0;
	const size_t size = build_id.size > sizeof dso->build_id ? sizeof dso->build_id : build_id.size;
	memcpy(dso->build_id, build_id.data, size);
	dso->source = source;
	/* other threads may read the build-id: its size goes last */
	__atomic_store_n(&dso->build_id_size, (uint8_t)size, __ATOMIC_RELEASE);
	if (dso->public.kind != PERFDATA_DSO_USER)
		return 0;
	const uint64_t hash = id_hash(dso);
	dso->same_id = pd_hash_map_get(&state->same_ids, hash, &before) ? (uint32_t)before : PERFDATA_NONE;
	return pd_hash_map_put(&state->same_ids, hash, dso->public.id);
}

static bool is_listed(const char *const *paths, size_t nr, const char *path)
{
	for (size_t i = 0; i < nr; i++)
		if (!strcmp(paths[i], path))
			return true;
	return false;
}

size_t pd_dso_other_paths(const struct pd_state *state, const struct pd_dso *dso, const char **paths, size_t room)
{
	/* a recording may have any number of files with one build-id */
	const unsigned most = 64;
	const struct pd_build_id wanted = pd_build_id_of(dso->build_id, dso->build_id_size);
	uint64_t index;
	size_t nr = 0;
	if (!pd_hash_map_get(&state->same_ids, id_hash(dso), &index))
		return 0;
	for (unsigned i = 0; i < most && nr < room && index != PERFDATA_NONE; i++) {
		const struct pd_dso *other = pd_dso_at(state, (uint32_t)index);
		const struct pd_build_id id = pd_build_id_of(other->build_id, other->build_id_size);
		const char *path = other->public.filename;
		if (pd_same_build_id(&id, &wanted) && strcmp(path, dso->public.filename) != 0 &&
		    !is_listed(paths, nr, path))
			paths[nr++] = path;
		index = other->same_id;
	}
	return nr;
}

/* Files of the kernel itself: not "[module]", not "….ko" with any suffix. */
static bool is_kernel_file(const char *filename)
{
	const char *base = strrchr(filename, '/');
	return *filename == '/' && !strstr(base, ".ko");
}

int pd_table_id_add(struct pd_state *state, struct perfdata_bytes filename, struct perfdata_bytes build_id, int32_t pid,
		    unsigned cpumode, enum perfdata_build_id_source source)
{
	uint32_t index;
	const char *copy = pd_arena_copy(&state->arena, filename.data, filename.size);
	struct pd_table_id *id = copy ? pd_table_add(&state->table_ids, &index) : NULL;
	if (!id || build_id.size > sizeof id->build_id)
		return id ? 0 : -1;
	/* with the option --vmlinux, a recorder names the kernel after that file */
	if (cpumode == PERFDATA_CPUMODE_KERNEL && pid == -1 && !state->kernel_name && is_kernel_file(copy))
		state->kernel_name = copy;
	*id = (struct pd_table_id){ .filename = copy,
				    .pid = pid,
				    .cpumode = cpumode,
				    .source = source,
				    .build_id_size = (uint8_t)build_id.size };
	if (build_id.size)
		memcpy(id->build_id, build_id.data, build_id.size);
	if (pd_hash_map_put(&state->build_ids, name_hash(filename.data, filename.size), index) < 0)
		return -1;
	for (uint32_t i = 0; i < state->dsos.count; i++)
		if (take_table_id(state, pd_dso_at(state, i)) < 0)
			return -1;
	return 0;
}
