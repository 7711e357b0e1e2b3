/* SPDX-License-Identifier: MIT */
#include "config.h"
#include <assert.h>
#include <string.h>
#include "base/account.h"
#include "base/cancel.h"
#include "base/memory.h"
#include "profile/profile_sums.h"
#include "session/session.h"
#include "reader/reader.h"

/* A sample of a batch. */
struct sample {
	struct pd_profile_key key;         /* key.thread: the session's number, until find_thread converts it */
	uint64_t weight;
	uint32_t hash;                     /* hash of the key */
	int32_t pid, tid;                  /* pid, tid and comm: only with PD_BY_THREAD */
	uint32_t comm;
};
struct pd_profile_part {
	size_t nr;
	struct sample samples[];
};

struct pd_profile {
	const struct perfdata_session *session;
	struct pd_profile_options options;
	struct pd_sums_table sums;
	struct pd_profile_thread *threads;
	size_t nr_threads, threads_room;
	struct pd_hash_map thread_ids;          /* the session's number of a thread → index in threads */
	struct pd_hash_map generations;         /* pid << 32 | tid → number of threads with this pair */
	uint64_t seed;
	bool finished;
	/* after pd_profile_choose: two bits for each node of the tree of stacks (CHOSEN, LEFT_OUT; 0: no sample ends
	 * there), and the sums of events over chosen keys */
	uint8_t *choice;
	size_t choice_size;
	struct pd_profile_sums *chosen;
};

enum { CHOSEN = 1, LEFT_OUT = 2, NODES_OF_BYTE = 4 };

static struct pd_profile *make_profile(const struct perfdata_session *session, const struct pd_profile_options *options)
{
	struct pd_profile *profile = pd_calloc(1, sizeof *profile);
	if (!profile)
		return NULL;
	profile->session = session;
	profile->options = *options;
	profile->seed = pd_hash_seed(profile);
	pd_sums_init(&profile->sums, pd_session_account(session));
	return profile;
}

enum perfdata_status pd_profile_new(const struct perfdata_session *session, const struct pd_profile_options *options,
				    struct pd_profile **ret)
{
	if (options->parts & PD_BY_SLICE && !options->slice)
		return PERFDATA_EUSAGE;
	struct pd_profile *profile = make_profile(session, options);
	if (!profile)
		return PERFDATA_ENOMEM;
	const enum perfdata_status status =
		options->names
			? pd_session_want_names(session, options->names == PD_NAMES_LINES, false, options->threads)
			: PERFDATA_OK;
	if (status == PERFDATA_OK)
		*ret = profile;
	else
		pd_profile_free(profile);
	return status;
}

void pd_profile_free(struct pd_profile *profile)
{
	if (!profile)
		return;
	pd_account_give(pd_session_account(profile->session), PD_USE_PROFILE, profile->choice_size);
	pd_free(profile->choice);
	pd_free(profile->chosen);
	pd_sums_release(&profile->sums);
	pd_free(profile->threads);
	pd_hash_map_release(&profile->thread_ids);
	pd_hash_map_release(&profile->generations);
	pd_free(profile);
}

/* --- samples ------------------------------------------------------------------------------------------------------ */

uint64_t pd_sample_weight(const struct perfdata_delivery *delivery)
{
	const struct perfdata_attr *attr = delivery->event->attr;
	const uint64_t tells = PERFDATA_SAMPLE_PERIOD | PERFDATA_SAMPLE_READ;
	return delivery->period || attr->sample_period || attr->sample_type & tells ? delivery->period : 1;
}

static inline void take_sample(const struct pd_profile *profile, const struct perfdata_delivery *delivery,
			       uint32_t parts, struct sample *ret)
{
	const struct pd_profile_options *options = &profile->options;
	const struct perfdata_raw *raw = delivery->record;
	ret->key.event = delivery->event->index;
	ret->key.thread = parts & PD_BY_THREAD ? delivery->thread : 0;
	ret->key.comm = parts & PD_BY_COMM ? delivery->comm : PERFDATA_NONE;
	ret->key.cpu = parts & PD_BY_CPU ? raw->cpu : PERFDATA_NONE;
	ret->key.slice = parts & PD_BY_SLICE && raw->time != UINT64_MAX ? raw->time / options->slice : 0;
	ret->key.node = delivery->node;
	ret->weight = options->by_period ? pd_sample_weight(delivery) : 1;
	ret->hash = pd_sums_hash(&ret->key, profile->seed);
	if (!(parts & PD_BY_THREAD))
		return;
	ret->pid = delivery->pid;
	ret->tid = delivery->tid;
	ret->comm = delivery->comm;
}

bool pd_samples_are_occurrences(const struct perfdata_event *event)
{
	return !event->is_time_off && (event->attr->type == PERFDATA_TYPE_TRACEPOINT ||
				       perfdata_event_measure(event) == PERFDATA_MEASURE_OCCURRENCES);
}

static inline __attribute__((always_inline)) size_t take_samples(const struct pd_profile *profile,
								 const struct perfdata_batch *batch, uint32_t parts,
								 uint32_t more, struct sample *ret)
{
	size_t nr = 0;
	for (size_t i = 0; i < batch->nr_deliveries; i++) {
		const struct perfdata_delivery *delivery = &batch->deliveries[i];
		if ((delivery->record->type != PERFDATA_RECORD_SAMPLE && !(delivery->flags & PERFDATA_DELIVERY_SPAN)) ||
		    delivery->flags & PERFDATA_DELIVERY_SILENT ||
		    !delivery->event || delivery->node == PERFDATA_NONE)
			continue;
		const bool has_more = more && pd_samples_are_occurrences(delivery->event);
		take_sample(profile, delivery, has_more ? parts | more : parts, &ret[nr++]);
	}
	return nr;
}

enum perfdata_status pd_profile_collect(const struct pd_profile *profile, const struct perfdata_batch *batch,
					struct pd_profile_part **ret)
{
	struct pd_profile_part *part = pd_malloc(sizeof *part + batch->nr_deliveries * sizeof *part->samples);
	if (!part)
		return PERFDATA_ENOMEM;
	/* Most callers distinguish samples by event and stack only: their loop reads nothing else. */
	const uint32_t parts = profile->options.parts, more = profile->options.parts_of_occurrences;
	part->nr = parts || more ? take_samples(profile, batch, parts, more, part->samples)
				 : take_samples(profile, batch, 0, 0, part->samples);
	if (profile->options.names == PD_NAMES_LINES && part->nr)
		pd_session_load_lines(profile->session);
	*ret = part;
	return PERFDATA_OK;
}

void pd_profile_part_free(void *part) { pd_free(part); }

/* Returns the profile's number of a thread. Threads are numbered in the order of their first samples. */
static enum perfdata_status find_thread(struct pd_profile *profile, const struct sample *sample, uint32_t *ret)
{
	const uint64_t who = (uint64_t)(uint32_t)sample->pid << 32 | (uint32_t)sample->tid;
	uint64_t index, generation = 0;
	if (!pd_hash_map_get(&profile->thread_ids, sample->key.thread, &index)) {
		(void)pd_hash_map_get(&profile->generations, who, &generation);
		index = profile->nr_threads;
		if (pd_vector_grow(&profile->threads, &profile->threads_room, profile->nr_threads,
				   sizeof *profile->threads) < 0 ||
		    pd_hash_map_put(&profile->thread_ids, sample->key.thread, index) < 0 ||
		    pd_hash_map_put(&profile->generations, who, generation + 1) < 0)
			return PERFDATA_ENOMEM;
		profile->threads[profile->nr_threads++] = (struct pd_profile_thread){
			.pid = sample->pid, .tid = sample->tid, .generation = (uint32_t)generation,
		};
	}
	profile->threads[index].comm = sample->comm;
	*ret = (uint32_t)index;
	return PERFDATA_OK;
}

static inline enum perfdata_status add_sample(struct pd_profile *profile, struct sample *sample)
{
	enum perfdata_status status = PERFDATA_OK;
	if (profile->options.parts & PD_BY_THREAD)
		status = find_thread(profile, sample, &sample->key.thread);
	return status == PERFDATA_OK ? pd_sums_add(&profile->sums, &sample->key, sample->hash, sample->weight) : status;
}

enum perfdata_status pd_profile_add(struct pd_profile *profile, struct pd_profile_part *part)
{
	enum perfdata_status status = PERFDATA_OK;
	const size_t nr = part ? part->nr : 0;
	for (size_t i = 0; i < nr && status == PERFDATA_OK; i++) {
		if (i + 16 < nr)
			pd_sums_fetch(&profile->sums, part->samples[i + 16].hash);
		if (i + 8 < nr)
			pd_sums_fetch_entry(&profile->sums, part->samples[i + 8].hash);
		status = add_sample(profile, &part->samples[i]);
	}
	pd_free(part);
	return status;
}

enum perfdata_status pd_profile_finish(struct pd_profile *profile)
{
	const enum perfdata_status status = pd_sums_finish(&profile->sums);
	profile->finished = status == PERFDATA_OK;
	return status;
}

const struct perfdata_session *pd_profile_session(const struct pd_profile *profile) { return profile->session; }
struct pd_account *pd_profile_account_of(const struct perfdata_session *session) { return pd_session_account(session); }
enum perfdata_status pd_profile_object_of(const struct perfdata_session *session, uint32_t frame,
					  uint64_t *ret_address, const char **ret)
{
	return pd_session_object(session, frame, ret_address, ret);
}
struct pd_account *pd_profile_account(const struct pd_profile *profile)
{
	return pd_profile_account_of(profile->session);
}

bool pd_profile_is_cancelled(const struct pd_profile *profile) { return pd_cancelled(profile->options.cancel); }

/* --- what came out ------------------------------------------------------------------------------------------------ */

static const struct pd_profile_sums *sums_of(const struct pd_profile *profile, const struct pd_profile_sums *events,
					     uint32_t event)
{
	return event < profile->sums.nr_events && events[event].samples ? &events[event] : NULL;
}

const struct pd_profile_sums *pd_profile_event(const struct pd_profile *profile, uint32_t event)
{
	return sums_of(profile, profile->chosen ? profile->chosen : profile->sums.events, event);
}

const struct pd_profile_sums *pd_profile_event_whole(const struct pd_profile *profile, uint32_t event)
{
	return sums_of(profile, profile->sums.events, event);
}

uint32_t pd_profile_nr_events(const struct pd_profile *profile) { return (uint32_t)profile->sums.nr_events; }

uint32_t pd_profile_nr_threads(const struct pd_profile *profile) { return (uint32_t)profile->nr_threads; }

uint32_t pd_profile_thread_number(const struct pd_profile *profile, uint32_t thread)
{
	uint64_t index;
	return pd_hash_map_get(&profile->thread_ids, thread, &index) ? (uint32_t)index : UINT32_MAX;
}

const struct pd_profile_thread *pd_profile_thread(const struct pd_profile *profile, uint32_t thread)
{
	return thread < profile->nr_threads ? &profile->threads[thread] : NULL;
}

/* Keys whose paths are prefetched at the same time. */
#define PATHS_AT_ONCE 16u

struct pd_profile_walk {
	const struct pd_profile *profile;
	struct pd_sums_walk *sums;
	const struct pd_path_tree *paths;       /* the tree whose paths the walk prefetches; NULL: none */
	size_t nr_fetched;                      /* number of next keys whose paths were prefetched */
	struct pd_path_tree *stacks;            /* the tree whose paths the walk reads; NULL: none */
	struct pd_path_climb climbs[PATHS_AT_ONCE];
	size_t nr_climbs, at_climb;             /* paths that were read; those of the last key and of earlier ones */
};

enum perfdata_status pd_profile_walk_new(struct pd_profile *profile, struct pd_profile_walk **ret)
{
	struct pd_profile_walk *walk = profile->finished ? pd_calloc(1, sizeof *walk) : NULL;
	if (!walk)
		return profile->finished ? PERFDATA_ENOMEM : PERFDATA_EUSAGE;
	walk->profile = profile;
	const enum perfdata_status status = pd_sums_walk_new(&profile->sums, &walk->sums);
	if (status == PERFDATA_OK)
		*ret = walk;
	else
		pd_free(walk);
	return status;
}

enum perfdata_status pd_profile_walk_paths(struct pd_profile *profile, struct pd_profile_walk **ret)
{
	const enum perfdata_status status = pd_profile_walk_new(profile, ret);
	const struct pd_step_tree *tree = pd_session_nodes(profile->session);
	if (status == PERFDATA_OK && tree && pd_step_tree_is_slow(tree))
		(*ret)->paths = &tree->tree;
	return status;
}

static void fetch_paths(struct pd_profile_walk *walk)
{
	uint32_t nodes[PATHS_AT_ONCE];
	const struct pd_profile_entry *entry;
	size_t nr = 0;
	while (nr < PATHS_AT_ONCE && (entry = pd_sums_walk_peek(walk->sums, nr)))
		nodes[nr++] = entry->key.node;
	walk->nr_fetched = nr;
	while (nr) {
		const size_t count = nr;
		nr = 0;
		for (size_t i = 0; i < count; i++) {
			nodes[nr] = nodes[i];
			nr += pd_path_tree_fetch_up(walk->paths, &nodes[nr]);
		}
	}
}

enum perfdata_status pd_profile_walk_labels(struct pd_profile *profile, struct pd_profile_walk **ret)
{
	const enum perfdata_status status = pd_profile_walk_new(profile, ret);
	struct pd_step_tree *tree = pd_session_nodes(profile->session);
	if (status == PERFDATA_OK && tree)
		(*ret)->stacks = &tree->tree;
	return status;
}

/* Reads the path of an entry, and of the next ones that are in memory. */
static enum perfdata_status read_stacks(struct pd_profile_walk *walk, const struct pd_profile_entry *entry)
{
	const struct pd_profile_entry *next;
	if (walk->at_climb++ < walk->nr_climbs)
		return PERFDATA_OK;
	walk->climbs[0].node = entry->key.node;
	walk->nr_climbs = walk->at_climb = 1;
	while (walk->nr_climbs < PATHS_AT_ONCE && (next = pd_sums_walk_peek(walk->sums, walk->nr_climbs - 1)))
		walk->climbs[walk->nr_climbs++].node = next->key.node;
	for (size_t i = 0; i < walk->nr_climbs; i++)
		walk->climbs[i].nr = 0;
	return pd_path_tree_climb(walk->stacks, walk->climbs, walk->nr_climbs);
}

const uint32_t *pd_profile_walk_stack(const struct pd_profile_walk *walk, size_t *ret_nr)
{
	const struct pd_path_climb *climb = walk->at_climb ? &walk->climbs[walk->at_climb - 1] : NULL;
	*ret_nr = climb ? climb->nr : 0;
	return climb ? climb->labels : NULL;
}

static enum perfdata_status next_entry(struct pd_profile_walk *walk, const struct pd_profile_entry **ret)
{
	if (pd_profile_is_cancelled(walk->profile))
		return PERFDATA_EINTR;
	if (walk->paths && !walk->nr_fetched)
		fetch_paths(walk);
	walk->nr_fetched -= walk->nr_fetched > 0;
	const enum perfdata_status status = pd_sums_walk_next(walk->sums, ret);
	return status == PERFDATA_OK && walk->stacks ? read_stacks(walk, *ret) : status;
}

enum perfdata_status pd_profile_walk_next(struct pd_profile_walk *walk, const struct pd_profile_entry **ret)
{
	enum perfdata_status status;
	do
		status = next_entry(walk, ret);
	while (status == PERFDATA_OK && !pd_profile_has_node(walk->profile, (*ret)->key.node));
	return status;
}

void pd_profile_walk_free(struct pd_profile_walk *walk)
{
	if (!walk)
		return;
	for (size_t i = 0; i < PATHS_AT_ONCE; i++)
		pd_free(walk->climbs[i].labels);
	pd_sums_walk_free(walk->sums);
	pd_free(walk);
}

const struct pd_profile_entry *pd_profile_entries(const struct pd_profile *profile, size_t *ret_nr)
{
	*ret_nr = profile->sums.nr;
	return profile->finished && !profile->sums.nr_runs && !profile->choice ? profile->sums.entries : NULL;
}

/* --- a profile of another one ------------------------------------------------------------------------------------- */

static bool has_tid(const int32_t *tids, size_t nr_tids, int32_t tid)
{
	for (size_t i = 0; i < nr_tids; i++)
		if (tids[i] == tid)
			return true;
	return !nr_tids;
}

/* Copies the requested threads in their order. *ret: the new number of each thread of `from`, or UINT32_MAX. */
static enum perfdata_status derive_threads(const struct pd_profile *from, const int32_t *tids, size_t nr_tids,
					   struct pd_profile *profile, uint32_t **ret)
{
	uint32_t *numbers = pd_calloc(from->nr_threads + 1, sizeof *numbers);
	const bool keeps = profile->options.parts & PD_BY_THREAD;
	enum perfdata_status status = numbers ? PERFDATA_OK : PERFDATA_ENOMEM;
	for (size_t i = 0; i < from->nr_threads && status == PERFDATA_OK; i++) {
		if (!has_tid(tids, nr_tids, from->threads[i].tid)) {
			numbers[i] = UINT32_MAX;
		} else if (keeps) {
			numbers[i] = (uint32_t)profile->nr_threads;
			if (pd_vector_grow(&profile->threads, &profile->threads_room, profile->nr_threads,
					   sizeof *profile->threads) < 0)
				status = PERFDATA_ENOMEM;
			else
				profile->threads[profile->nr_threads++] = from->threads[i];
		}
	}
	size_t at = 0;
	uint64_t id, thread;
	while (keeps && status == PERFDATA_OK && pd_hash_map_each(&from->thread_ids, &at, &id, &thread))
		if (numbers[thread] != UINT32_MAX && pd_hash_map_put(&profile->thread_ids, id, numbers[thread]) < 0)
			status = PERFDATA_ENOMEM;
	*ret = numbers;
	return status;
}

static enum perfdata_status derive_sums(struct pd_profile *from, const uint32_t *threads, struct pd_profile *profile)
{
	const struct perfdata_reader *reader = pd_session_reader(profile->session);
	struct pd_sums_walk *walk = NULL;
	const struct pd_profile_entry *entry;
	enum perfdata_status status = pd_sums_walk_new(&from->sums, &walk);
	while (status == PERFDATA_OK) {
		status = pd_profile_is_cancelled(profile) ? PERFDATA_EINTR : pd_sums_walk_next(walk, &entry);
		if (status != PERFDATA_OK || threads[entry->key.thread] == UINT32_MAX)
			continue;
		uint32_t parts = profile->options.parts;
		if (pd_samples_are_occurrences(perfdata_reader_event(reader, entry->key.event)))
			parts |= profile->options.parts_of_occurrences;
		struct pd_profile_entry own = *entry;
		own.key.thread = parts & PD_BY_THREAD ? threads[entry->key.thread] : 0;
		if (!(parts & PD_BY_COMM))
			own.key.comm = PERFDATA_NONE;
		if (!(parts & PD_BY_CPU))
			own.key.cpu = PERFDATA_NONE;
		if (!(parts & PD_BY_SLICE))
			own.key.slice = 0;
		status = pd_sums_join(&profile->sums, &own, pd_sums_hash(&own.key, profile->seed));
	}
	pd_sums_walk_free(walk);
	return status == PERFDATA_END ? PERFDATA_OK : status;
}

enum perfdata_status pd_profile_derive(struct pd_profile *from, const struct pd_profile_options *options,
				       const int32_t *tids, size_t nr_tids, struct pd_profile **ret)
{
	const struct pd_profile_options *has = &from->options;
	const uint32_t wanted = options->parts | options->parts_of_occurrences | (nr_tids ? PD_BY_THREAD : 0);
	if (wanted & ~has->parts || options->by_period != has->by_period ||
	    (options->parts & PD_BY_SLICE && options->slice != has->slice))
		return PERFDATA_ABSENT;
	if (!from->finished)
		return PERFDATA_EUSAGE;
	struct pd_profile *profile = make_profile(from->session, options);
	uint32_t *threads = NULL;
	if (!profile)
		return PERFDATA_ENOMEM;
	enum perfdata_status status = derive_threads(from, tids, nr_tids, profile, &threads);
	if (status == PERFDATA_OK)
		status = derive_sums(from, threads, profile);
	if (status == PERFDATA_OK)
		status = pd_profile_finish(profile);
	pd_free(threads);
	if (status == PERFDATA_OK)
		*ret = profile;
	else
		pd_profile_free(profile);
	return status;
}

void pd_profile_kept_release(struct pd_profile_kept *kept)
{
	if (kept->labels)
		kept->free_labels(kept->labels);
	pd_profile_free(kept->whole);
	pd_profile_free(kept->profile);
	*kept = (struct pd_profile_kept){ 0 };
}

void pd_profile_cancel_by(struct pd_profile *profile, const struct perfdata_cancel *cancel)
{
	profile->options.cancel = cancel;
}

static bool asks_for_same(const struct pd_profile_options *a, const struct pd_profile_options *b)
{
	return a->parts == b->parts && a->parts_of_occurrences == b->parts_of_occurrences &&
	       (!(a->parts & PD_BY_SLICE) || a->slice == b->slice) && a->by_period == b->by_period;
}

enum perfdata_status pd_profile_kept_derive(struct pd_profile_kept *kept, const struct pd_profile_options *options,
					    struct pd_profile **ret)
{
	if (kept->nr_tids || !kept->whole || !asks_for_same(&kept->whole->options, options))
		return pd_profile_derive(kept->profile, options, kept->tids, kept->nr_tids, ret);
	*ret = kept->whole;
	kept->whole = NULL;
	pd_profile_cancel_by(*ret, options->cancel);
	return PERFDATA_OK;
}

void pd_profile_kept_leave(struct pd_profile_kept *kept, struct pd_profile *profile)
{
	const bool is_chosen = profile && (profile->choice || profile->chosen);
	const bool is_whole = profile && profile->finished && !is_chosen && !kept->nr_tids;
	if (!is_whole || pd_account_is_tight(pd_profile_account(profile))) {
		pd_profile_free(profile);
		return;
	}
	pd_profile_free(kept->whole);
	kept->whole = profile;
	pd_profile_cancel_by(profile, NULL);
}

/* --- a part of the stacks ----------------------------------------------------------------------------------------- */

static unsigned choice_of(const struct pd_profile *profile, uint32_t node)
{
	const size_t byte = node / NODES_OF_BYTE;
	return byte < profile->choice_size ? (unsigned)profile->choice[byte] >> node % NODES_OF_BYTE * 2 & 3u : 0;
}

bool pd_profile_has_node(const struct pd_profile *profile, uint32_t node)
{
	return !profile->choice || choice_of(profile, node) != LEFT_OUT;
}

static bool begin_choice(struct pd_profile *profile)
{
	const struct pd_step_tree *tree = pd_session_nodes(profile->session);
	const size_t size = (tree ? tree->tree.count : 0) / NODES_OF_BYTE + 1;
	profile->choice = pd_calloc(size, 1);
	profile->chosen = pd_calloc(profile->sums.nr_events + 1, sizeof *profile->chosen);
	if (!profile->choice || !profile->chosen)
		return false;
	profile->choice_size = size;
	pd_account_take(pd_session_account(profile->session), PD_USE_PROFILE, size);
	return true;
}

enum perfdata_status pd_profile_choose(struct pd_profile *profile, pd_profile_takes_fn *takes, void *user)
{
	struct pd_profile_walk *walk;
	const struct pd_profile_entry *entry;
	const bool again = profile->choice;
	if (!again && !begin_choice(profile))
		return PERFDATA_ENOMEM;
	enum perfdata_status status = pd_profile_walk_paths(profile, &walk);
	if (status != PERFDATA_OK)
		return status;
	if (again) {
		/* This walk visits all keys, also those that were left out: count only the chosen ones. */
		memset(profile->chosen, 0, profile->sums.nr_events * sizeof *profile->chosen);
		for (size_t i = 0; i < profile->choice_size; i++)
			profile->choice[i] &= 0xaa;
	}
	while ((status = pd_profile_walk_next(walk, &entry)) == PERFDATA_OK) {
		const uint32_t node = entry->key.node;
		if (!choice_of(profile, node)) {
			bool taken;
			status = takes(user, node, &taken);
			if (status != PERFDATA_OK)
				break;
			profile->choice[node / NODES_OF_BYTE] |=
				(uint8_t)((taken ? CHOSEN : LEFT_OUT) << node % NODES_OF_BYTE * 2);
		}
		if (choice_of(profile, node) == CHOSEN)
			pd_profile_sums_add(&profile->chosen[entry->key.event], &entry->sums);
	}
	pd_profile_walk_free(walk);
	return status == PERFDATA_END ? PERFDATA_OK : status;
}

enum perfdata_status pd_profile_node(struct pd_profile *profile, uint32_t node, struct pd_profile_node *ret)
{
	struct pd_step_tree *tree = pd_session_nodes(profile->session);
	struct perfdata_step step;
	if (!tree || !node || node >= tree->tree.count)
		return PERFDATA_EUSAGE;
	if (pd_step_tree_get(tree, node, &ret->caller, &step) < 0)
		return tree->status;
	ret->frame = step.frame;
	ret->ip = step.ip;
	ret->cpumode = step.cpumode;
	ret->origin = step.origin;
	return PERFDATA_OK;
}

static_assert(PD_NODES_OF_RUN == PD_STEPS_OF_RUN, "a run of nodes and one of steps differ in length");

enum perfdata_status pd_profile_nodes(struct pd_profile *profile, uint32_t node,
				      struct pd_profile_node ret[PD_NODES_OF_RUN], size_t *ret_nr)
{
	struct pd_step_tree *tree = pd_session_nodes(profile->session);
	struct perfdata_step steps[PD_STEPS_OF_RUN];
	uint32_t caller;
	if (!tree || !node || node >= tree->tree.count)
		return PERFDATA_EUSAGE;
	const size_t nr = pd_step_tree_get_run(tree, node, steps, &caller);
	for (size_t i = 0; i < nr; i++)
		ret[i] = (struct pd_profile_node){ .caller = i + 1 < nr ? node - (uint32_t)i - 1 : caller,
						   .frame = steps[i].frame,
						   .ip = steps[i].ip,
						   .cpumode = steps[i].cpumode,
						   .origin = steps[i].origin };
	*ret_nr = nr;
	return nr ? PERFDATA_OK : tree->status;
}
