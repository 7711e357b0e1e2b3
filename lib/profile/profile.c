/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "base/memory.h"
#include "profile/profile_sums.h"
#include "session/session.h"

/* A sample of a batch. */
struct sample {
	struct pd_profile_key key;         /* thread: the session's number until find_thread */
	uint64_t weight;
	int32_t pid, tid;
	uint32_t comm;
	uint32_t hash;                     /* of the key */
};
struct pd_profile_part {
	size_t nr;
	struct sample samples[];
};

struct pd_profile {
	const struct perfdata_session *session;
	struct pd_profile_options options;
	struct pd_sums_table sums;
	struct pd_profile_sums *events;    /* by index */
	size_t nr_events, events_room;
	struct pd_profile_thread *threads;
	size_t nr_threads, threads_room;
	struct pd_hash_map thread_ids;          /* the session's number of a thread → index in threads */
	struct pd_hash_map generations;         /* pid << 32 | tid → how many threads had this pair */
	uint64_t seed;
	bool finished;
};

enum perfdata_status pd_profile_new(const struct perfdata_session *session, const struct pd_profile_options *options,
				    struct pd_profile **ret)
{
	if (options->parts & PD_BY_SLICE && !options->slice)
		return PERFDATA_EUSAGE;
	struct pd_profile *profile = pd_calloc(1, sizeof *profile);
	if (!profile)
		return PERFDATA_ENOMEM;
	profile->session = session;
	profile->options = *options;
	profile->seed = pd_hash_seed(profile);
	pd_sums_init(&profile->sums, pd_session_account(session));
	const enum perfdata_status status =
		options->names ? pd_session_want_names(session, options->names == PD_NAMES_LINES, options->threads)
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
	pd_sums_release(&profile->sums);
	pd_free(profile->events);
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

static void take_sample(const struct pd_profile *profile, const struct perfdata_delivery *delivery, struct sample *ret)
{
	const struct pd_profile_options *options = &profile->options;
	const struct perfdata_raw *raw = delivery->record;
	const uint32_t parts = options->parts;
	*ret = (struct sample){
		.key = {
			.event = delivery->event->index, .node = delivery->node,
			.thread = parts & PD_BY_THREAD ? delivery->thread : 0,
			.comm = parts & PD_BY_COMM ? delivery->comm : PERFDATA_NONE,
			.cpu = parts & PD_BY_CPU ? raw->cpu : PERFDATA_NONE,
			.slice = parts & PD_BY_SLICE && raw->time != UINT64_MAX ? raw->time / options->slice : 0,
		},
		.weight = options->by_period ? pd_sample_weight(delivery) : 1,
		.pid = delivery->pid, .tid = delivery->tid, .comm = delivery->comm,
	};
	ret->hash = pd_sums_hash(&ret->key, profile->seed);
}

enum perfdata_status pd_profile_collect(const struct pd_profile *profile, const struct perfdata_batch *batch,
					struct pd_profile_part **ret)
{
	struct pd_profile_part *part = pd_malloc(sizeof *part + batch->nr_deliveries * sizeof *part->samples);
	if (!part)
		return PERFDATA_ENOMEM;
	part->nr = 0;
	for (size_t i = 0; i < batch->nr_deliveries; i++) {
		const struct perfdata_delivery *delivery = &batch->deliveries[i];
		if (delivery->record->type == PERFDATA_RECORD_SAMPLE && !(delivery->flags & PERFDATA_DELIVERY_SILENT) &&
		    delivery->event && delivery->node != PERFDATA_NONE)
			take_sample(profile, delivery, &part->samples[part->nr++]);
	}
	if (profile->options.names && part->nr)
		pd_session_load_names(profile->session);
	*ret = part;
	return PERFDATA_OK;
}

void pd_profile_part_free(void *part) { pd_free(part); }

/* The profile's number of a thread: threads are numbered in the order of their first samples. */
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

static enum perfdata_status add_to_event(struct pd_profile *profile, uint32_t event, const struct pd_profile_sums *sums)
{
	while (profile->nr_events <= event) {
		if (pd_vector_grow(&profile->events, &profile->events_room, profile->nr_events,
				   sizeof *profile->events) < 0)
			return PERFDATA_ENOMEM;
		profile->events[profile->nr_events++] = (struct pd_profile_sums){ 0 };
	}
	pd_profile_sums_add(&profile->events[event], sums);
	return PERFDATA_OK;
}

static inline enum perfdata_status add_sample(struct pd_profile *profile, struct sample *sample)
{
	enum perfdata_status status = PERFDATA_OK;
	if (profile->options.parts & PD_BY_THREAD)
		status = find_thread(profile, sample, &sample->key.thread);
	return status == PERFDATA_OK ? pd_sums_add(&profile->sums, &sample->key, sample->hash, sample->weight)
				      : status;
}

/* Samples of one event that follow each other are added to the event's sums at once. */
struct together {
	uint32_t event;
	struct pd_profile_sums sums;
};

static enum perfdata_status put_together(struct pd_profile *profile, struct together *together)
{
	const enum perfdata_status status = together->sums.samples
						    ? add_to_event(profile, together->event, &together->sums)
						    : PERFDATA_OK;
	together->sums = (struct pd_profile_sums){ 0 };
	return status;
}

enum perfdata_status pd_profile_add(struct pd_profile *profile, struct pd_profile_part *part)
{
	enum perfdata_status status = PERFDATA_OK;
	struct together together = { .event = 0 };
	const size_t nr = part ? part->nr : 0;
	for (size_t i = 0; i < nr && status == PERFDATA_OK; i++) {
		if (i + 16 < nr)
			pd_sums_fetch(&profile->sums, part->samples[i + 16].hash);
		if (i + 8 < nr)
			pd_sums_fetch_entry(&profile->sums, part->samples[i + 8].hash);
		struct sample *sample = &part->samples[i];
		if (sample->key.event != together.event)
			status = put_together(profile, &together);
		together.event = sample->key.event;
		pd_profile_sums_add_weight(&together.sums, sample->weight);
		if (status == PERFDATA_OK)
			status = add_sample(profile, sample);
	}
	if (status == PERFDATA_OK)
		status = put_together(profile, &together);
	pd_free(part);
	return status;
}

enum perfdata_status pd_profile_finish(struct pd_profile *profile)
{
	pd_sums_sort(&profile->sums);
	profile->finished = true;
	return PERFDATA_OK;
}

const struct perfdata_session *pd_profile_session(const struct pd_profile *profile) { return profile->session; }
struct pd_account *pd_profile_account_of(const struct perfdata_session *session) { return pd_session_account(session); }
struct pd_account *pd_profile_account(const struct pd_profile *profile)
{
	return pd_profile_account_of(profile->session);
}

/* --- what came out ------------------------------------------------------------------------------------------------ */

const struct pd_profile_sums *pd_profile_event(const struct pd_profile *profile, uint32_t event)
{
	return event < profile->nr_events && profile->events[event].samples ? &profile->events[event] : NULL;
}

uint32_t pd_profile_nr_events(const struct pd_profile *profile) { return (uint32_t)profile->nr_events; }

uint32_t pd_profile_nr_threads(const struct pd_profile *profile) { return (uint32_t)profile->nr_threads; }

const struct pd_profile_thread *pd_profile_thread(const struct pd_profile *profile, uint32_t thread)
{
	return thread < profile->nr_threads ? &profile->threads[thread] : NULL;
}

struct pd_profile_walk {
	struct pd_sums_walk *sums;
};

enum perfdata_status pd_profile_walk_new(struct pd_profile *profile, struct pd_profile_walk **ret)
{
	struct pd_profile_walk *walk = profile->finished ? pd_calloc(1, sizeof *walk) : NULL;
	if (!walk)
		return profile->finished ? PERFDATA_ENOMEM : PERFDATA_EUSAGE;
	const enum perfdata_status status = pd_sums_walk_new(&profile->sums, &walk->sums);
	if (status == PERFDATA_OK)
		*ret = walk;
	else
		pd_free(walk);
	return status;
}

enum perfdata_status pd_profile_walk_next(struct pd_profile_walk *walk, const struct pd_profile_entry **ret)
{
	return pd_sums_walk_next(walk->sums, ret);
}

void pd_profile_walk_free(struct pd_profile_walk *walk)
{
	if (walk)
		pd_sums_walk_free(walk->sums);
	pd_free(walk);
}

uint32_t pd_profile_nr_nodes(const struct pd_profile *profile)
{
	const struct pd_step_tree *tree = pd_session_nodes(profile->session);
	return tree ? tree->tree.count : 1;
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
