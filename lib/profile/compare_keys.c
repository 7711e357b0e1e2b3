/* SPDX-License-Identifier: MIT */
#include "config.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "base/memory.h"
#include "profile/compare_impl.h"
#include "profile/file_pairs.h"
#include "profile/key_name.h"

/* Returns the number of a file's build-id, a new number for a new build-id; UINT32_MAX without memory. */
static uint32_t put_build_id(struct pd_intern *build_ids, const struct perfdata_baseline *side, size_t file)
{
	return pd_intern_put(build_ids, side->files[file].build_id, strlen(side->files[file].build_id));
}

bool *pd_compare_same_files(const struct perfdata_comparison *comparison, unsigned side)
{
	const struct perfdata_baseline *of = comparison->sides[side], *other = comparison->sides[!side];
	struct pd_intern *build_ids = pd_intern_new();
	bool *same = pd_calloc(of->nr_files + 1, sizeof *same);
	bool fine = build_ids && same;

	for (size_t i = 0; fine && i < other->nr_files; i++)
		fine = put_build_id(build_ids, other, i) != UINT32_MAX;
	const uint32_t known = fine ? pd_intern_count(build_ids) : 0;
	for (size_t i = 0; fine && i < of->nr_files; i++) {
		const uint32_t id = put_build_id(build_ids, of, i);
		fine = id != UINT32_MAX;
		same[i] = *of->files[i].build_id && id < known;
	}
	pd_intern_free(build_ids);
	if (fine)
		return same;
	pd_free(same);
	return NULL;
}

static bool is_unnamed(const struct pd_side_key *key) { return !strcmp(key->name, "(unnamed)"); }

/* Returns the name after of a name before, by the user's rules, and marks the rule as used. */
static const char *renamed_key(const char *name, const char *const *rules, size_t nr, bool *used)
{
	const char *now = pd_key_renamed(name, rules, nr);
	for (size_t i = 0; now != name && i < nr; i++)
		used[i] |= !strncmp(rules[i], name, strlen(name)) && rules[i] + strlen(name) + 1 == now;
	return now;
}

struct file_key {
	const char *key;
	const char *build_id;    /* "" if a rule of the user names the file */
};

/* Returns the key of a file, by the user's rules. */
static struct file_key file_key(struct perfdata_comparison *comparison, unsigned side, const struct pd_side_file *file)
{
	const struct perfdata_comparison_options *options = comparison->options;
	char key[PD_KEY_NAME_MAX], now[PD_KEY_NAME_MAX];
	const char *ret = key;
	pd_key_file(file->kind, file->path, key, sizeof key);
	for (size_t i = 0; side == PD_BEFORE && i < options->nr_same_files && ret == key; i++) {
		ret = pd_key_file_renamed(file->kind, key, &options->same_files[i], 1, now);
		comparison->rules_used[i] |= ret != key;
	}
	return (struct file_key){ pd_compare_keep(comparison, ret), ret == key ? file->build_id : "" };
}

/* Finds the keys of the files of both sides; a file has the same key on both, even if it was renamed. */
static void name_files(struct perfdata_comparison *comparison, struct pd_file_pairs *pairs, struct file_key *keys[2])
{
	char note[400];
	size_t nr;
	for (unsigned side = 0; side < 2; side++) {
		const struct perfdata_baseline *of = comparison->sides[side];
		keys[side] = pd_calloc(of->nr_files + 1, sizeof *keys[side]);
		for (size_t i = 0; keys[side] && i < of->nr_files; i++) {
			keys[side][i] = file_key(comparison, side, &of->files[i]);
			if (comparison->status != PERFDATA_OK ||
			    !pd_file_pairs_add(pairs, side, of->files[i].kind, keys[side][i].key,
					       keys[side][i].build_id))
				comparison->status = PERFDATA_ENOMEM;
		}
		if (!keys[side])
			comparison->status = PERFDATA_ENOMEM;
	}
	if (comparison->status == PERFDATA_OK && !pd_file_pairs_find(pairs))
		comparison->status = PERFDATA_ENOMEM;
	for (unsigned side = 0; side < 2 && comparison->status == PERFDATA_OK; side++) {
		const struct perfdata_baseline *of = comparison->sides[side];
		for (size_t i = 0; i < of->nr_files; i++)
			keys[side][i].key = pd_compare_keep(
				comparison, pd_file_pairs_key(pairs, of->files[i].kind, keys[side][i].key,
							      keys[side][i].build_id));
	}
	const struct pd_file_pair *list = pd_file_pairs_list(pairs, &nr);
	for (size_t i = 0; i < nr && comparison->status == PERFDATA_OK; i++) {
		pd_file_pair_spell(&list[i], note, sizeof note);
		pd_compare_note(comparison, "same-build-id", false, "%s", note);
	}
}

static uint32_t unify_key(struct perfdata_comparison *comparison, unsigned side, const struct pd_side_key *key,
			  const struct file_key *file_keys)
{
	const struct perfdata_comparison_options *options = comparison->options;
	const struct perfdata_baseline *of = comparison->sides[side];
	const bool is_comm = !strncmp(of->by, "comm", 4) || !strncmp(of->by, "thread", 6);
	char address[64];
	const char *name = key->name;
	if (key->has_address) {
		snprintf(address, sizeof address, "0x%" PRIx64 " (build-id %.16s)", key->address,
			 of->files[key->file].build_id);
		name = address;
	}
	if (side == PD_BEFORE) {
		bool *used = comparison->rules_used + options->nr_same_files;
		name = is_comm ? renamed_key(name, options->same_comms, options->nr_same_comms, used)
			       : renamed_key(name, options->same_symbols, options->nr_same_symbols,
					     used + options->nr_same_comms);
	}
	const char *const file = key->file == PD_NO_FILE ? "" : file_keys[key->file].key;
	const char *const same[] = { pd_compare_keep(comparison, file), pd_compare_keep(comparison, name) };
	const uint32_t id = pd_intern_put(comparison->keys_known, same, sizeof same);
	if (id == UINT32_MAX ||
	    pd_vector_grow(&comparison->keys, &comparison->keys_room, id, sizeof *comparison->keys) < 0) {
		comparison->status = PERFDATA_ENOMEM;
		return UINT32_MAX;
	}
	if (id == comparison->nr_keys)
		comparison->keys[comparison->nr_keys++] = (struct pd_compare_key){ .file = same[0], .name = same[1] };
	struct pd_compare_key *both = &comparison->keys[id];
	if (!both->shown[side]) {
		both->shown[side] = pd_compare_keep(comparison, *key->shown        ? key->shown
								: key->has_address ? name
										   : key->name);
		both->raw_names[side] = *key->raw_name ? pd_compare_keep(comparison, key->raw_name) : both->shown[side];
	}
	both->clones[side] += key->clones > UINT32_MAX - both->clones[side] ? 0 : (unsigned)key->clones;
	return id;
}

static void unify_side(struct perfdata_comparison *comparison, unsigned side, const struct file_key *file_keys)
{
	const struct perfdata_baseline *of = comparison->sides[side];
	bool *same = pd_compare_same_files(comparison, side);
	uint32_t *key_of = comparison->key_of[side] = pd_calloc(of->nr_keys + 1, sizeof *key_of);
	if (!same || !key_of)
		comparison->status = PERFDATA_ENOMEM;
	for (size_t i = 0; comparison->status == PERFDATA_OK && i < of->nr_keys; i++) {
		const struct pd_side_key *key = &of->keys[i];
		/* Functions without names are compared either by address or together as one key. */
		const bool by_address = key->file != PD_NO_FILE && same[key->file];
		const bool counts = key->has_address ? by_address : !is_unnamed(key) || !by_address;
		key_of[i] = counts ? unify_key(comparison, side, key, file_keys) : UINT32_MAX;
	}
	pd_free(same);
}

bool pd_compare_unify(struct perfdata_comparison *comparison)
{
	struct file_key *file_keys[2] = { NULL, NULL };
	struct pd_file_pairs *pairs = pd_file_pairs_new();
	if (!pairs)
		return false;
	name_files(comparison, pairs, file_keys);
	for (unsigned side = 0; side < 2 && comparison->status == PERFDATA_OK; side++)
		unify_side(comparison, side, file_keys[side]);
	for (unsigned side = 0; side < 2; side++)
		pd_free(file_keys[side]);
	pd_file_pairs_free(pairs);
	return comparison->status == PERFDATA_OK;
}
