/* SPDX-License-Identifier: MIT */
/* Sums up branch stacks. An entry is a branch. The code from its target to the source of the next newer entry has
 * run. */
#include "config.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "base/account.h"
#include "base/arena.h"
#include "base/error.h"
#include "base/memory.h"
#include "branches/branches.h"
#include "profile/profile_sums.h"
#include "reader/reader.h"
#include "schema/schema.h"
#include "session/session.h"
#include "symbols/symbols.h"

/* Addresses from here on belong to the kernel, on all architectures that record branches. */
#define KERNEL_HALF UINT64_C(0xffff800000000000)
#define MOST_FILES 64u
#define MOST_LISTED 5u

/* Ids of the dsos of the program, which may have several during a recording. Immutable. */
struct files {
	size_t nr;
	uint32_t ids[];
};

struct pd_branches {
	const struct perfdata_session *session;
	const struct perfdata_reader *reader;
	enum pd_branch_rule rule;
	unsigned what;
	char *program;                     /* NULL: no program was requested */
	uint8_t build_id[PERFDATA_BUILD_ID_MAX];   /* requested build-id, or that of the requested file */
	size_t build_id_size;
	struct pd_arena arena;             /* memory of the lists of files */
	struct files *files;
	uint32_t nr_seen;                  /* number of dsos that were checked */
	uint32_t *undecided;               /* dsos whose build-id may become known */
	size_t nr_undecided, undecided_room;
	bool is_ambiguous;                 /* several files have the requested name */
	bool file_is_missing, has_answers; /* has_answers: a bundle has an answers file instead */
	struct pd_code_file *file;
	struct pd_sums_table taken;        /* sums of KIND_TAKEN while samples are read, then sums of other kinds */
	struct pd_sums_table sums;         /* the result */
	uint64_t samples, stacks, entries, inside;
	uint64_t seed;
};

struct pd_branches_part {
	struct pd_sums_table taken;
	uint64_t samples, stacks, entries, inside;
};

/* --- which file --------------------------------------------------------------------------------------------------- */

static int hex_digit(char c)
{
	static const char digits[] = "0123456789abcdef0123456789ABCDEF";
	const char *found = c ? strchr(digits, c) : NULL;
	return found ? (int)((found - digits) % 16) : -1;
}

/* Parses a build-id of at least 8 bytes in hex. */
static bool read_build_id(const char *text, uint8_t *ret, size_t *ret_size)
{
	const size_t size = strlen(text);
	if (size < 16 || size % 2 || size / 2 > PERFDATA_BUILD_ID_MAX)
		return false;
	for (size_t i = 0; i < size; i++) {
		const int digit = hex_digit(text[i]);
		if (digit < 0)
			return false;
		ret[i / 2] = (uint8_t)(i % 2 ? ret[i / 2] | digit : digit << 4);
	}
	*ret_size = size / 2;
	return true;
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash ? slash + 1 : path;
}

enum perfdata_status pd_branches_new(const struct perfdata_session *session, const struct perfdata_reader *reader,
				     const struct pd_branches_options *options, struct pd_branches **ret)
{
	struct pd_branches *b = pd_calloc(1, sizeof *b);
	if (!b)
		return PERFDATA_ENOMEM;
	b->session = session;
	b->reader = reader;
	b->rule = options->rule;
	b->what = options->what;
	b->seed = pd_hash_seed(b);
	pd_sums_init(&b->taken, session->account);
	pd_sums_init(&b->sums, session->account);
	if (options->program) {
		b->program = pd_strndup(options->program, strlen(options->program));
		/* a name that is no ELF file with a build-id may be a path in the recording */
		if (b->program && !read_build_id(b->program, b->build_id, &b->build_id_size) &&
		    perfdata_file_build_id(b->program, b->build_id, &b->build_id_size))
			b->build_id_size = 0;
	}
	b->files = pd_arena_calloc(&b->arena, 1, sizeof *b->files);
	if (!b->files || (options->program && !b->program)) {
		pd_branches_free(b);
		return PERFDATA_ENOMEM;
	}
	*ret = b;
	return PERFDATA_OK;
}

void pd_branches_free(struct pd_branches *b)
{
	if (!b)
		return;
	pd_code_file_close(b->file);
	pd_sums_release(&b->taken);
	pd_sums_release(&b->sums);
	pd_arena_release(&b->arena);
	pd_free(b->undecided);
	pd_free(b->program);
	pd_free(b);
}

enum match { IS_NOT, IS, MAY_BE };

static enum match match_program(const struct pd_branches *b, uint32_t id)
{
	const struct perfdata_dso *dso = perfdata_session_dso(b->session, id);
	if (dso->kind != PERFDATA_DSO_USER && dso->kind != PERFDATA_DSO_KERNEL)
		return IS_NOT;
	const struct perfdata_bytes known = perfdata_session_build_id(b->session, id, NULL);
	const char *name = dso->filename ? dso->filename : dso->name;
	if (b->build_id_size && known.size) {
		const size_t size = known.size < b->build_id_size ? known.size : b->build_id_size;
		return memcmp(known.data, b->build_id, size) ? IS_NOT : IS;
	}
	const bool named = !strcmp(name, b->program) || !strcmp(dso->name, b->program) ||
			   (!strchr(b->program, '/') && !strcmp(base_name(name), b->program));
	return named ? IS : b->build_id_size ? MAY_BE : IS_NOT;
}

/* Whether the build-ids agree. One file may have two dsos, for example after its build-id became known. */
static bool is_same_file(const struct pd_branches *b, uint32_t one, uint32_t other)
{
	const struct perfdata_bytes a = perfdata_session_build_id(b->session, one, NULL),
				    c = perfdata_session_build_id(b->session, other, NULL);
	return !a.size || !c.size || (a.size == c.size && !memcmp(a.data, c.data, a.size));
}

static enum perfdata_status add_file(struct pd_branches *b, uint32_t id)
{
	const struct files *old = b->files;
	if (old->nr && !is_same_file(b, old->ids[0], id)) {
		b->is_ambiguous = true;
		return PERFDATA_OK;
	}
	if (old->nr >= MOST_FILES)
		return PERFDATA_OK;
	struct files *files = pd_arena_alloc(&b->arena, sizeof *files + (old->nr + 1) * sizeof *files->ids);
	if (!files)
		return PERFDATA_ENOMEM;
	memcpy(files->ids, old->ids, old->nr * sizeof *files->ids);
	files->ids[old->nr] = id;
	files->nr = old->nr + 1;
	enum perfdata_status status = PERFDATA_OK;
	if (!b->file && b->rule != PD_BRANCHES_OFFSETS) {
		struct perfdata_symbols_dso *symbols = pd_session_dso_symbols(b->session, id);
		status = symbols ? pd_code_file_open(symbols, &b->file) : PERFDATA_ABSENT;
		b->file_is_missing = status == PERFDATA_ABSENT || status == PERFDATA_EUNSUP;
		b->has_answers = symbols && pd_symbols_has_answers(symbols);
		if (b->file_is_missing)
			status = PERFDATA_OK;
	}
	b->files = files;
	return status;
}

static enum perfdata_status look_at(struct pd_branches *b, uint32_t id)
{
	switch (match_program(b, id)) {
	case IS:
		return add_file(b, id);
	case MAY_BE:
		if (pd_vector_grow(&b->undecided, &b->undecided_room, b->nr_undecided, sizeof *b->undecided) < 0)
			return PERFDATA_ENOMEM;
		b->undecided[b->nr_undecided++] = id;
		return PERFDATA_OK;
	default:
		return PERFDATA_OK;
	}
}

enum perfdata_status pd_branches_scan(struct pd_branches *b, void **ret_value)
{
	if (!b)
		return PERFDATA_OK;
	enum perfdata_status status = PERFDATA_OK;
	const uint32_t nr = b->program ? perfdata_session_nr_dsos(b->session) : 0;
	const size_t before = b->nr_undecided;
	b->nr_undecided = 0;
	for (size_t i = 0; i < before && !status; i++)
		status = look_at(b, b->undecided[i]);
	for (; b->nr_seen < nr && !status; b->nr_seen++)
		status = look_at(b, b->nr_seen);
	*ret_value = b->files;
	return status;
}

/* --- samples ------------------------------------------------------------------------------------------------------ */

/* Programs jump between few places. Small tables, which fit into the processor's cache, look up and sum up the places
 * of a batch. Sizes are powers of two. */
#define NR_KNOWN 4096u
#define NR_TAKEN 4096u

struct small_tables {
	struct known_place { uint64_t place; uint32_t frame_after; } known[NR_KNOWN];   /* frame + 1; 0: free */
	/* sums of KIND_TAKEN; a sum that needs an occupied row moves the old one to the part's sums */
	struct taken { uint64_t from, to, rest, count, weight; } taken[NR_TAKEN];
};

struct collecting {
	const struct pd_branches *b;
	const struct files *files;
	struct pd_branches_part *part;
	enum perfdata_status status;
	struct small_tables *tables;
};

/* The kind of sums while samples are read: a branch (from, to) and the end of the code that ran after it. End
 * PD_OUTSIDE: unknown, or not in the program. */
#define KIND_TAKEN ((enum pd_branch_kind)(PD_SUM_FILE + 1))

static struct pd_profile_key key_of(enum pd_branch_kind kind, uint64_t from, uint64_t to, uint64_t rest)
{
	return (struct pd_profile_key){
		.event = kind, .thread = (uint32_t)(from >> 32), .comm = (uint32_t)from, .slice = to,
		.cpu = (uint32_t)(rest >> 32), .node = (uint32_t)rest,
	};
}

static uint64_t from_of(const struct pd_profile_key *key) { return (uint64_t)key->thread << 32 | key->comm; }
static uint64_t rest_of(const struct pd_profile_key *key) { return (uint64_t)key->cpu << 32 | key->node; }

static void add_branch(struct collecting *c, enum pd_branch_kind kind, uint64_t from, uint64_t to, uint64_t rest,
		       uint64_t weight)
{
	const struct pd_profile_key key = key_of(kind, from, to, rest);
	if (!c->status)
		c->status = pd_sums_add(&c->part->taken, &key, pd_sums_hash(&key, c->b->seed), weight);
}

static void move_taken(struct collecting *c, const struct taken *taken)
{
	const struct pd_profile_entry entry = {
		.key = key_of(KIND_TAKEN, taken->from, taken->to, taken->rest),
		.sums = { .samples = taken->count, .weight = taken->weight },
	};
	if (!c->status)
		c->status = pd_sums_join(&c->part->taken, &entry, pd_sums_hash(&entry.key, c->b->seed));
}

static inline void add_taken(struct collecting *c, uint64_t from, uint64_t to, uint64_t rest, uint64_t weight)
{
	const uint64_t mixed = (from ^ to * 0x9e3779b97f4a7c15ull ^ rest * 0xc2b2ae3d27d4eb4full) *
			       0xd6e8feb86659fd93ull;
	struct taken *taken = &c->tables->taken[(mixed >> 32) % NR_TAKEN];
	if (taken->count && (taken->from != from || taken->to != to || taken->rest != rest)) {
		move_taken(c, taken);
		taken->count = 0;
	}
	if (!taken->count)
		*taken = (struct taken){ .from = from, .to = to, .rest = rest };
	taken->count++;
	taken->weight += weight;
}

static bool is_program(const struct files *files, uint32_t dso)
{
	for (size_t i = 0; i < files->nr; i++)
		if (files->ids[i] == dso)
			return true;
	return false;
}

/* Returns the place of a frame in the program, or PD_OUTSIDE. */
static uint64_t find_place(const struct collecting *c, uint32_t frame)
{
	const struct pd_branches *b = c->b;
	uint32_t dso;
	uint64_t offset, address;
	if (!pd_session_file_offset(b->session, frame, &dso, &offset) || !is_program(c->files, dso))
		return PD_OUTSIDE;
	if (b->rule == PD_BRANCHES_OFFSETS)
		return offset;
	if (!b->file || !pd_code_file_address(b->file, offset, &address))
		return PD_OUTSIDE;
	return b->rule == PD_BRANCHES_MAPPED || pd_code_file_section(b->file, address) ? address : PD_OUTSIDE;
}

static inline uint64_t place_of(struct collecting *c, uint32_t frame)
{
	if (frame == PERFDATA_NONE)
		return PD_OUTSIDE;
	if (c->b->rule == PD_BRANCHES_FRAMES)
		return (uint64_t)frame + 1;
	struct known_place *known = &c->tables->known[frame % NR_KNOWN];
	if (known->frame_after != frame + 1)
		*known = (struct known_place){ find_place(c, frame), frame + 1 };
	return known->place;
}

static bool is_of_kernel(const struct perfdata_list *entries, uint64_t index)
{
	return pd_branch_from(entries, index) >= KERNEL_HALF || pd_branch_to(entries, index) >= KERNEL_HALF;
}

/* Takes all entries. The cycles of an entry belong to the code that its branch ended, which began at the target of the
 * next older entry. */
static void take_frames(struct collecting *c, const struct perfdata_list *entries, const uint32_t *frames)
{
	for (uint64_t i = 0; i < entries->count; i++) {
		const uint64_t newer = i ? place_of(c, frames[2 * i - 2]) : PD_OUTSIDE;
		add_taken(c, place_of(c, frames[2 * i]), place_of(c, frames[2 * i + 1]), newer,
			  newer != PD_OUTSIDE ? pd_branch_cycles(entries, i - 1) : 0);
	}
	c->part->entries += entries->count;
}

static void take_stack(struct collecting *c, const struct perfdata_list *entries, const uint32_t *frames)
{
	const enum pd_branch_rule rule = c->b->rule;
	uint64_t newer = PD_OUTSIDE;   /* source of the next newer entry */
	for (uint64_t i = 0; i < entries->count; i++) {
		if (rule == PD_BRANCHES_MAPPED && is_of_kernel(entries, i))
			continue;
		const uint64_t from = place_of(c, frames[2 * i]), to = place_of(c, frames[2 * i + 1]);
		const bool inside = from != PD_OUTSIDE || to != PD_OUTSIDE;
		if (!inside && rule == PD_BRANCHES_SECTIONS)
			continue;
		c->part->inside += inside;
		if (inside)
			add_taken(c, from, to, to != PD_OUTSIDE && to <= newer ? newer : PD_OUTSIDE,
				  rule == PD_BRANCHES_MAPPED && pd_branch_is_mispredicted(entries, i));
		newer = from;
	}
	c->part->entries += entries->count;
}

static void take_files(struct collecting *c, const struct perfdata_delivery *delivery, const uint32_t *frames,
		       uint64_t nr)
{
	uint32_t dso;
	uint64_t offset;
	for (uint64_t i = 0; i < nr; i++)
		if (frames[2 * i + 1] != PERFDATA_NONE &&
		    pd_session_file_offset(c->b->session, frames[2 * i + 1], &dso, &offset))
			add_branch(c, PD_SUM_FILE, 0, 0, dso, 0);
	if (!nr && delivery->ip != PERFDATA_NONE && pd_session_file_offset(c->b->session, delivery->ip, &dso, &offset))
		add_branch(c, PD_SUM_FILE, 0, 0, dso, 0);
	c->part->entries += nr;
}

static void take_address(struct collecting *c, const struct perfdata_delivery *delivery)
{
	uint32_t dso;
	uint64_t offset;
	if (delivery->ip == PERFDATA_NONE)
		return;
	if (c->b->rule == PD_BRANCHES_ALL_FILES) {
		if (pd_session_file_offset(c->b->session, delivery->ip, &dso, &offset))
			add_branch(c, PD_SUM_ADDRESS, dso, offset, 0, delivery->period);
		return;
	}
	const uint64_t place = place_of(c, delivery->ip);
	if (place != PD_OUTSIDE)
		add_branch(c, PD_SUM_ADDRESS, place, 0, delivery->event->index, delivery->period);
}

static void take_sample(struct collecting *c, const struct perfdata_batch *batch,
			const struct perfdata_delivery *delivery)
{
	struct perfdata_record record;
	const struct perfdata_list *entries = NULL;
	c->part->samples++;
	if (delivery->branches != PERFDATA_NONE && c->b->what & PD_BRANCHES_STACKS &&
	    perfdata_raw_decode(c->b->reader, delivery->record, &record) != PERFDATA_ENOMEM)
		entries = &record.u.sample.branch_stack.entries;
	const uint32_t *frames = entries ? &batch->frames[delivery->branches] : NULL;
	c->part->stacks += entries && entries->count;
	if (entries && c->b->rule == PD_BRANCHES_FRAMES) {
		take_frames(c, entries, frames);
		return;
	}
	if (!c->files->nr && c->b->rule < PD_BRANCHES_ALL_FILES) {
		take_files(c, delivery, frames, entries ? entries->count : 0);
		return;
	}
	if (entries)
		take_stack(c, entries, frames);
	if (c->b->what & PD_BRANCHES_ADDRESSES)
		take_address(c, delivery);
}

enum perfdata_status pd_branches_collect(const struct pd_branches *b, const struct perfdata_batch *batch,
					 const void *value, struct pd_branches_part **ret)
{
	if (!b)
		return PERFDATA_OK;
	struct pd_branches_part *part = pd_calloc(1, sizeof *part);
	if (!part)
		return PERFDATA_ENOMEM;
	pd_sums_init(&part->taken, NULL);
	struct collecting c = { .b = b, .files = value, .part = part };
	c.tables = pd_calloc(1, sizeof *c.tables);
	if (!c.tables)
		c.status = PERFDATA_ENOMEM;
	for (size_t i = 0; i < batch->nr_deliveries && !c.status; i++) {
		const struct perfdata_delivery *delivery = &batch->deliveries[i];
		if (delivery->event && delivery->flags & PERFDATA_DELIVERY_FIRST &&
		    !(delivery->flags & PERFDATA_DELIVERY_SILENT))
			take_sample(&c, batch, delivery);
	}
	for (size_t i = 0; i < NR_TAKEN && c.tables; i++)
		if (c.tables->taken[i].count)
			move_taken(&c, &c.tables->taken[i]);
	pd_free(c.tables);
	*ret = part;
	return c.status;
}

void pd_branches_part_free(void *part)
{
	struct pd_branches_part *p = part;
	if (p)
		pd_sums_release(&p->taken);
	pd_free(p);
}

enum perfdata_status pd_branches_add(struct pd_branches *b, struct pd_branches_part *part)
{
	enum perfdata_status status = PERFDATA_OK;
	for (size_t i = 0; i < part->taken.nr && !status; i++) {
		const struct pd_profile_entry *entry = &part->taken.entries[i];
		status = pd_sums_join(&b->taken, entry, pd_sums_hash(&entry->key, b->seed));
	}
	b->samples += part->samples;
	b->stacks += part->stacks;
	b->entries += part->entries;
	b->inside += part->inside;
	pd_branches_part_free(part);
	return status;
}

/* --- sums of branches, and of the code that ran after them ------------------------------------------------------- */

/* Whether one symbol's function contains both addresses. */
static bool is_one_function(const struct pd_branches *b, uint64_t one, uint64_t other)
{
	struct perfdata_symbol first, second;
	uint64_t offset;
	if (one == PD_OUTSIDE || other == PD_OUTSIDE || !pd_code_file_offset(b->file, one, &offset) ||
	    perfdata_symbols_lookup(b->file->dso, offset, UINT64_MAX, &first))
		return false;
	if (other >= one - first.offset && other < one - first.offset + first.size)
		return true;
	return pd_code_file_offset(b->file, other, &offset) &&
	       !perfdata_symbols_lookup(b->file->dso, offset, UINT64_MAX, &second) && first.start == second.start;
}

static enum perfdata_status join_sums(struct pd_branches *b, enum pd_branch_kind kind, uint64_t from, uint64_t to,
				      uint64_t tag, const struct pd_profile_sums *sums)
{
	const struct pd_profile_entry entry = { .key = key_of(kind, from, to, tag), .sums = *sums };
	return pd_sums_join(&b->sums, &entry, pd_sums_hash(&entry.key, b->seed));
}

static enum perfdata_status split_taken(struct pd_branches *b, const struct pd_profile_entry *taken)
{
	const uint64_t from = from_of(&taken->key), to = taken->key.slice, end = rest_of(&taken->key);
	const bool counts = b->rule == PD_BRANCHES_MAPPED || b->rule == PD_BRANCHES_FRAMES || (to != PD_OUTSIDE &&
			    (b->rule == PD_BRANCHES_SECTIONS || from != PD_OUTSIDE));
	enum perfdata_status status = counts ? join_sums(b, PD_SUM_BRANCH, from, to, 0, &taken->sums) : PERFDATA_OK;
	if (status || end == PD_OUTSIDE || to == PD_OUTSIDE)
		return status;
	const bool enters = b->rule == PD_BRANCHES_MAPPED && !is_one_function(b, to, from);
	return join_sums(b, PD_SUM_RANGE, to, end, enters, &taken->sums);
}

static enum perfdata_status split_all(struct pd_branches *b)
{
	const struct pd_profile_entry *entry;
	struct pd_sums_walk *walk;
	enum perfdata_status status = pd_sums_finish(&b->taken);
	if (!status)
		status = pd_sums_walk_new(&b->taken, &walk);
	if (status)
		return status;
	while ((status = pd_sums_walk_next(walk, &entry)) == PERFDATA_OK) {
		const struct pd_profile_key *key = &entry->key;
		status = (enum pd_branch_kind)key->event == KIND_TAKEN ?
				 split_taken(b, entry) :
				 join_sums(b, (enum pd_branch_kind)key->event, from_of(key), key->slice, rest_of(key),
				      &entry->sums);
		if (status)
			break;
	}
	pd_sums_walk_free(walk);
	pd_sums_release(&b->taken);
	pd_sums_init(&b->taken, b->session->account);
	return status != PERFDATA_END ? status : pd_sums_finish(&b->sums);
}

/* --- results ------------------------------------------------------------------------------------------------------ */

struct pd_branches_walk {
	struct pd_sums_walk *sums;
};

enum perfdata_status pd_branches_walk_new(struct pd_branches *b, struct pd_branches_walk **ret)
{
	struct pd_branches_walk *walk = pd_calloc(1, sizeof *walk);
	const enum perfdata_status status = walk ? pd_sums_walk_new(&b->sums, &walk->sums) : PERFDATA_ENOMEM;
	if (status)
		pd_free(walk);
	else
		*ret = walk;
	return status;
}

enum perfdata_status pd_branches_walk_next(struct pd_branches_walk *walk, struct pd_branch_sum *ret)
{
	const struct pd_profile_entry *entry;
	const enum perfdata_status status = pd_sums_walk_next(walk->sums, &entry);
	if (status)
		return status;
	*ret = (struct pd_branch_sum){
		.kind = (enum pd_branch_kind)entry->key.event,
		.from = from_of(&entry->key),
		.to = entry->key.slice,
		.tag = entry->key.node,
		.count = entry->sums.samples,
		.weight = entry->sums.weight,
	};
	return PERFDATA_OK;
}

void pd_branches_walk_free(struct pd_branches_walk *walk)
{
	if (walk)
		pd_sums_walk_free(walk->sums);
	pd_free(walk);
}

/* Lists the files with the most branches or samples. */
static enum perfdata_status list_files(struct pd_branches *b, char *out, size_t room)
{
	struct pd_branch_sum sum, most[MOST_LISTED] = { { .count = 0 } };
	struct pd_branches_walk *walk;
	uint64_t all = 0;
	enum perfdata_status status = pd_branches_walk_new(b, &walk);
	if (status)
		return status;
	while ((status = pd_branches_walk_next(walk, &sum)) == PERFDATA_OK) {
		if (sum.kind != PD_SUM_FILE)
			continue;
		all += sum.count;
		for (unsigned i = 0; i < MOST_LISTED; i++)
			if (sum.count > most[i].count) {
				const struct pd_branch_sum lower = most[i];
				most[i] = sum;
				sum = lower;
			}
	}
	pd_branches_walk_free(walk);
	size_t used = 0;
	*out = '\0';
	for (unsigned i = 0; i < MOST_LISTED && most[i].count && used < room; i++)
		used += (size_t)snprintf(out + used, room - used, "%s%s (%" PRIu64 " %%)", i ? ", " : "",
					 perfdata_session_dso(b->session, most[i].tag)->name,
					 (most[i].count * 100 + all / 2) / all);
	return status == PERFDATA_END ? PERFDATA_OK : status;
}

static enum perfdata_status judge_addresses(struct pd_branches *b, struct perfdata_error *reterr)
{
	char files[400];
	const uint64_t nowhere = PERFDATA_NO_OFFSET;
	if (b->rule >= PD_BRANCHES_ALL_FILES)
		return PERFDATA_OK;
	if (b->is_ambiguous)
		return pd_error(reterr, PERFDATA_EUSAGE, nowhere,
				"several files of the recording are called %s: choose one by its build-id", b->program);
	if (b->files->nr && b->file_is_missing && b->has_answers)
		return pd_error(reterr, PERFDATA_EUSAGE, nowhere,
				"the file of %s is needed, and the bundle has only answers for it: make one with "
				"--level full", b->program);
	if (b->files->nr && b->file_is_missing)
		return pd_error(reterr, PERFDATA_EUSAGE, nowhere,
				"the file of %s is needed, and is not at hand, or is not the recorded one (-v says "
				"why)", b->program);
	if (b->files->nr)
		return PERFDATA_OK;
	const enum perfdata_status status = list_files(b, files, sizeof files);
	if (status)
		return status;
	if (!*files)
		return pd_error(reterr, PERFDATA_EUSAGE, nowhere, "no sample of the recording lies in a file");
	return pd_error(reterr, PERFDATA_EUSAGE, nowhere,
			b->program ? "%s: no file of that name or build-id ran. These did: %s" :
				     "%schoose a program with --program. These ran: %s",
			b->program ? b->program : "", files);
}

enum perfdata_status pd_branches_finish(struct pd_branches *b, struct pd_branches_result *ret,
					struct perfdata_error *reterr)
{
	*ret = (struct pd_branches_result){
		.file = b->file,
		.dso = b->files->nr ? b->files->ids[0] : PERFDATA_NONE,
		.samples = b->samples,
		.stacks = b->stacks,
		.entries = b->entries,
		.inside = b->inside,
	};
	const enum perfdata_status status = split_all(b);
	return status ? status : judge_addresses(b, reterr);
}
