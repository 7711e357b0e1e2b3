/* SPDX-License-Identifier: MIT */
#include "config.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/hash.h"
#include "base/memory.h"
#include "profile/file_pairs.h"

#define NONE UINT32_MAX

struct pd_file_pairs {
	struct pd_intern *names, *build_ids;
	unsigned char *sides;            /* by name: a bit for each side that has it */
	size_t sides_room;
	struct file {
		uint32_t name, build_id;
		unsigned side;
	} *files;
	size_t nr_files, files_room;
	uint32_t nr_names, nr_build_ids; /* numbers of names and build-ids when pairs were searched */
	uint32_t *now;                   /* by build-id: the name after, or NONE; set by pd_file_pairs_find */
	struct pd_file_pair *pairs;
	size_t nr_pairs, pairs_room;
};

struct pd_file_pairs *pd_file_pairs_new(void)
{
	struct pd_file_pairs *pairs = pd_calloc(1, sizeof *pairs);
	if (!pairs)
		return NULL;
	pairs->names = pd_intern_new();
	pairs->build_ids = pd_intern_new();
	if (pairs->names && pairs->build_ids)
		return pairs;
	pd_file_pairs_free(pairs);
	return NULL;
}

void pd_file_pairs_free(struct pd_file_pairs *pairs)
{
	if (!pairs)
		return;
	pd_intern_free(pairs->names);
	pd_intern_free(pairs->build_ids);
	pd_free(pairs->sides);
	pd_free(pairs->files);
	pd_free(pairs->now);
	pd_free(pairs->pairs);
	pd_free(pairs);
}

/* Whether the dso is a file, which may have been renamed; other kinds have fixed names. */
static bool may_be_renamed(enum perfdata_dso_kind kind, const char *key)
{
	return kind == PERFDATA_DSO_USER && *key && *key != '[';
}

/* Returns the id of a build-id, without the zeros at its end that some recordings have. */
static uint32_t put_build_id(struct pd_file_pairs *pairs, const char *build_id)
{
	size_t size = strlen(build_id);
	while (size >= 2 && !memcmp(build_id + size - 2, "00", 2))
		size -= 2;
	return pd_intern_put(pairs->build_ids, build_id, size);
}

bool pd_file_pairs_add(struct pd_file_pairs *pairs, unsigned side, enum perfdata_dso_kind kind, const char *key,
		       const char *build_id)
{
	if (!may_be_renamed(kind, key))
		return true;
	const struct file file = { pd_intern_put(pairs->names, key, strlen(key)), put_build_id(pairs, build_id), side };
	if (file.name == NONE || file.build_id == NONE ||
	    pd_vector_reach(&pairs->sides, &pairs->sides_room, file.name, sizeof *pairs->sides) < 0 ||
	    pd_vector_grow(&pairs->files, &pairs->files_room, pairs->nr_files, sizeof *pairs->files) < 0)
		return false;
	pairs->sides[file.name] |= (unsigned char)(1u << side);
	pairs->files[pairs->nr_files++] = file;
	return true;
}

static const char *name_of(const struct pd_file_pairs *pairs, uint32_t name)
{
	return pd_intern_get(pairs->names, name, NULL);
}

static bool is_lone(const struct pd_file_pairs *pairs, const struct file *file)
{
	return *pd_intern_get(pairs->build_ids, file->build_id, NULL) &&
	       pairs->sides[file->name] == 1u << file->side;
}

static int compare_pairs(const void *left, const void *right)
{
	const struct pd_file_pair *a = left, *b = right;
	const int by_name = strcmp(a->before, b->before);
	const int by_new_name = strcmp(a->after, b->after);
	return by_name ? by_name : by_new_name ? by_new_name : strcmp(a->build_id, b->build_id);
}

static bool equal_pairs(const struct pd_file_pair *a, const struct pd_file_pair *b) { return !compare_pairs(a, b); }

/* Chooses a name for each build-id: the first in alphabetical order of several names after. */
static void choose_names(struct pd_file_pairs *pairs)
{
	for (size_t i = 0; i < pairs->nr_files; i++) {
		const struct file *file = &pairs->files[i];
		uint32_t *now = &pairs->now[file->build_id];
		if (file->side == 1 && is_lone(pairs, file) &&
		    (*now == NONE || strcmp(name_of(pairs, file->name), name_of(pairs, *now)) < 0))
			*now = file->name;
	}
}

static bool add_pairs(struct pd_file_pairs *pairs)
{
	for (size_t i = 0; i < pairs->nr_files; i++) {
		const struct file *file = &pairs->files[i];
		if (file->side != 0 || !is_lone(pairs, file) || pairs->now[file->build_id] == NONE)
			continue;
		if (pd_vector_grow(&pairs->pairs, &pairs->pairs_room, pairs->nr_pairs, sizeof *pairs->pairs) < 0)
			return false;
		pairs->pairs[pairs->nr_pairs++] =
			(struct pd_file_pair){ name_of(pairs, file->name), name_of(pairs, pairs->now[file->build_id]),
					       pd_intern_get(pairs->build_ids, file->build_id, NULL) };
	}
	return true;
}

bool pd_file_pairs_find(struct pd_file_pairs *pairs)
{
	pairs->nr_names = pd_intern_count(pairs->names);
	pairs->nr_build_ids = pd_intern_count(pairs->build_ids);
	pairs->now = pd_malloc((pairs->nr_build_ids + (size_t)1) * sizeof *pairs->now);
	if (!pairs->now)
		return false;
	for (uint32_t i = 0; i < pairs->nr_build_ids; i++)
		pairs->now[i] = NONE;
	choose_names(pairs);
	if (!add_pairs(pairs))
		return false;
	if (pairs->nr_pairs)
		qsort(pairs->pairs, pairs->nr_pairs, sizeof *pairs->pairs, compare_pairs);
	size_t kept = 0;
	for (size_t i = 0; i < pairs->nr_pairs; i++)
		if (!kept || !equal_pairs(&pairs->pairs[kept - 1], &pairs->pairs[i]))
			pairs->pairs[kept++] = pairs->pairs[i];
	pairs->nr_pairs = kept;
	return true;
}

const char *pd_file_pairs_key(struct pd_file_pairs *pairs, enum perfdata_dso_kind kind, const char *key,
			      const char *build_id)
{
	if (!pairs->nr_pairs || !may_be_renamed(kind, key))
		return key;
	const uint32_t name = pd_intern_put(pairs->names, key, strlen(key)), id = put_build_id(pairs, build_id);
	if (name >= pairs->nr_names || id >= pairs->nr_build_ids)
		return key;              /* the file was not added, or there is no memory */
	const struct file file = { name, id, pairs->sides[name] == 1 ? 0 : 1 };
	return pairs->now[id] != NONE && is_lone(pairs, &file) ? name_of(pairs, pairs->now[id]) : key;
}

const struct pd_file_pair *pd_file_pairs_list(const struct pd_file_pairs *pairs, size_t *ret_nr)
{
	*ret_nr = pairs->nr_pairs;
	return pairs->pairs;
}

void pd_file_pair_spell(const struct pd_file_pair *pair, char *ret, size_t size)
{
	snprintf(ret, size, "%.80s and %.80s have the same build-id (%.16s): they are compared as one file",
		 pair->before, pair->after, pair->build_id);
}
