/* SPDX-License-Identifier: MIT */
#include "config.h"
#include <stdlib.h>
#include <string.h>
#include "base/checked.h"
#include "base/account.h"
#include "base/memory.h"
#include "emit/flame/flame_data.h"
#include "emit/stacks/stack_place.h"

enum { MAX_BINS = 480 };

/* How many samples pass through nodes, by hash of the path from the root. Paths with equal hashes share a count, so a
 * count may be too large, but is never too small. */
enum { COUNTS = 1 << 22 };

struct level {
	uint64_t hash, samples;      /* hash of the path to this node; samples that the parents do not include yet */
	uint32_t node;               /* while the tree is built: its id */
};

/* Strings of the labels for thread names of a run, by perfdata_session_comm. */
struct comms {
	uint32_t *strings;           /* UINT32_MAX: not looked up yet */
	size_t nr;
};

struct flame_data {
	struct flame_options options;
	struct flame_run *runs;      /* runs of the recording, then of the bases */
	size_t nr_runs, nr_own;      /* number of all runs; of runs of the recording */
	struct flame_threads *threads;
	uint32_t *thread_comms;      /* by index in the list of threads */
	struct comms *comms;         /* by run */
	struct stack_labels *labels;
	struct stack_place *places;  /* by run */
	struct stack_tree tree;
	uint32_t *counts;
	struct level *levels;
	size_t nr_levels, levels_room;
	size_t left_out;             /* number of stacks with nodes that were dropped */
	uint64_t below;
	uint32_t small;              /* label of the node that replaces dropped nodes */
	uint64_t slices_per_bin;
	uint32_t bins;
	struct flame_row *rows;      /* rows of one group: see pd_flame_data_rows */
	size_t rows_room;
	size_t accounted;            /* memory of rows and counts that is charged to the account */
	struct pd_broken_stacks *broken; /* by event of the recording */
	size_t nr_broken;
};

void pd_flame_data_free(struct flame_data *data)
{
	if (!data)
		return;
	for (size_t run = 0; data->places && run < data->nr_runs; run++) {
		pd_stack_route_free(data->places[run].route);
		pd_stack_place_release(&data->places[run]);
	}
	for (size_t run = 0; data->comms && run < data->nr_runs; run++)
		pd_free(data->comms[run].strings);
	pd_free(data->comms);
	pd_free(data->thread_comms);
	pd_stack_labels_free(data->labels);
	pd_file_pairs_free(data->options.match.pairs);
	pd_flame_threads_free(data->threads);
	pd_account_give(data->tree.account, PD_USE_PROFILE, data->accounted);
	pd_stack_tree_release(&data->tree);
	for (size_t i = 0; i < data->nr_broken; i++)
		pd_broken_stacks_release(&data->broken[i]);
	pd_free(data->broken);
	pd_free(data->counts);
	pd_free(data->levels);
	pd_free(data->rows);
	pd_free(data->runs);
	pd_free(data->places);
	pd_free(data);
}

struct stack_tree *pd_flame_data_tree(struct flame_data *data) { return &data->tree; }
const struct stack_labels *pd_flame_data_labels(const struct flame_data *data) { return data->labels; }

size_t pd_flame_data_left_out(const struct flame_data *data, uint64_t *ret_below)
{
	*ret_below = data->below;
	return data->left_out;
}

uint32_t pd_flame_data_bins(const struct flame_data *data, uint64_t *ret_width)
{
	*ret_width = data->slices_per_bin * data->options.slice;
	return data->bins;
}

/* --- which nodes are large enough --------------------------------------------------------------------------------- */

static uint64_t next_hash(uint64_t hash, uint32_t label)
{
	hash = (hash ^ label) * 0x9e3779b97f4a7c15ull;
	return hash ^ hash >> 29;
}

static uint32_t *count_of(const struct flame_data *data, uint64_t hash)
{
	return &data->counts[(hash * 0xd6e8feb86659fd93ull) >> 42];
}

static void leave_levels(struct flame_data *data, size_t nr)
{
	while (data->nr_levels > nr) {
		const struct level *last = &data->levels[--data->nr_levels];
		uint32_t *count = count_of(data, last->hash);
		*count = last->samples > UINT32_MAX - *count ? UINT32_MAX : *count + (uint32_t)last->samples;
		if (data->nr_levels)
			data->levels[data->nr_levels - 1].samples += last->samples;
	}
}

static bool enter_levels(struct flame_data *data, const struct stack_path *path)
{
	if (pd_vector_grow(&data->levels, &data->levels_room, path->nr_labels, sizeof *data->levels) < 0)
		return false;
	for (; data->nr_levels < path->nr_labels; data->nr_levels++)
		data->levels[data->nr_levels] =
			(struct level){ .hash = next_hash(data->nr_levels ? data->levels[data->nr_levels - 1].hash : 1,
							  path->labels[data->nr_levels]) };
	return true;
}

/* What to do with each stack of a side: count its nodes, or add it to the tree as far as its nodes are large enough. */
typedef enum perfdata_status stack_fn(struct flame_data *data, const struct stack_path *path,
				      const struct pd_profile_entry *entry);

static enum perfdata_status count_stack(struct flame_data *data, const struct stack_path *path,
					const struct pd_profile_entry *entry)
{
	leave_levels(data, path->same_labels);
	if (!enter_levels(data, path))
		return PERFDATA_ENOMEM;
	data->levels[data->nr_levels - 1].samples += entry->sums.samples;
	return PERFDATA_OK;
}

static bool tells_broken(const struct flame_data *data, uint32_t event)
{
	return event < data->nr_broken && !pd_stack_choice_cuts(data->options.choice) &&
	       perfdata_reader_event(data->runs[0].reader, event)->attr->sample_type & PERFDATA_SAMPLE_CALLCHAIN;
}

const struct pd_broken_stacks *pd_flame_data_broken(const struct flame_data *data, uint32_t event)
{
	return tells_broken(data, event) ? &data->broken[event] : NULL;
}

static enum perfdata_status note_broken(struct flame_data *data, const struct stack_path *path,
					const struct pd_profile_entry *entry)
{
	const uint32_t event = entry->key.event;
	return !tells_broken(data, event) || pd_stack_broken_add(&data->broken[event], data->runs[0].session, path,
								 entry->sums.samples)
		       ? PERFDATA_OK
		       : PERFDATA_ENOMEM;
}

/* Resets the counts of broken stacks: building the tree counts them, and may start over. */
static bool begin_broken(struct flame_data *data)
{
	for (size_t i = 0; i < data->nr_broken; i++)
		pd_broken_stacks_clear(&data->broken[i]);
	if (!data->broken) {
		const uint32_t nr = pd_profile_nr_events(data->runs[0].profile);
		data->broken = pd_calloc(nr + 1u, sizeof *data->broken);
		data->nr_broken = data->broken ? nr : 0;
	}
	return data->broken;
}

/* The string of a thread's name in a run; UINT32_MAX without memory. */
static uint32_t comm_of(struct flame_data *data, size_t run, uint32_t comm)
{
	struct comms *comms = &data->comms[run];
	if (comm == PERFDATA_NONE)
		return 0;
	if (comm >= comms->nr) {
		const size_t nr = comm + (size_t)comm / 2 + 64;
		uint32_t *strings = pd_realloc(comms->strings, nr * sizeof *strings);
		if (!strings)
			return UINT32_MAX;
		memset(strings + comms->nr, 0xff, (nr - comms->nr) * sizeof *strings);
		comms->strings = strings;
		comms->nr = nr;
	}
	if (comms->strings[comm] == UINT32_MAX)
		comms->strings[comm] = pd_stack_labels_intern(
			data->labels, perfdata_session_comm(data->runs[run].session, comm));
	return comms->strings[comm];
}

static enum perfdata_status each_stack_of(struct flame_data *data, size_t run, stack_fn *take)
{
	const struct pd_profile_entry *entry;
	struct pd_profile_walk *walk;
	struct stack_path path;
	const struct flame_run *of = &data->runs[run];
	pd_stack_labels_use(data->labels, of->session, run >= data->nr_own);
	pd_stack_route_free(data->places[run].route);
	data->places[run].route = pd_stack_route_new(of->profile, of->session, data->labels,
						     data->options.choice);
	data->places[run].nr = 0;
	if (!data->places[run].route ||
	    (data->options.tells_cut && !pd_stack_route_tell_cut(data->places[run].route)))
		return PERFDATA_ENOMEM;
	enum perfdata_status status = pd_profile_walk_paths(of->profile, &walk);
	if (status != PERFDATA_OK)
		return status;
	while ((status = pd_profile_walk_next(walk, &entry)) == PERFDATA_OK) {
		status = pd_stack_route_to(data->places[run].route, entry->key.node, &path);
		if (status == PERFDATA_OK && !run && take != count_stack)
			status = note_broken(data, &path, entry);
		if (status == PERFDATA_OK && comm_of(data, run, entry->key.comm) == UINT32_MAX)
			status = PERFDATA_ENOMEM;
		if (status == PERFDATA_OK)
			status = take(data, &path, entry);
		if (status != PERFDATA_OK)
			break;
	}
	pd_profile_walk_free(walk);
	if (take == count_stack)
		leave_levels(data, 0);
	data->nr_levels = 0;
	return status == PERFDATA_END ? PERFDATA_OK : status;
}

static enum perfdata_status each_stack(struct flame_data *data, stack_fn *take)
{
	enum perfdata_status status = PERFDATA_OK;
	for (size_t run = 0; run < data->nr_runs && status == PERFDATA_OK; run++)
		status = each_stack_of(data, run, take);
	return status;
}

/* --- the tree ----------------------------------------------------------------------------------------------------- */

/* Adds the nodes of a path to the tree that are large enough, then one node for the rest. PERFDATA_ELIMIT: too many
 * nodes. */
static enum perfdata_status build_stack(struct flame_data *data, const struct stack_path *path,
					const struct pd_profile_entry *entry)
{
	(void)entry;
	if (pd_vector_grow(&data->levels, &data->levels_room, path->nr_labels, sizeof *data->levels) < 0)
		return PERFDATA_ENOMEM;
	data->nr_levels = path->same_labels < data->nr_levels ? path->same_labels : data->nr_levels;
	while (data->nr_levels < path->nr_labels) {
		const uint32_t label = path->labels[data->nr_levels];
		const struct level *above = data->nr_levels ? &data->levels[data->nr_levels - 1] : NULL;
		struct level level = { .hash = next_hash(above ? above->hash : 1, label) };
		const bool small = data->counts && *count_of(data, level.hash) < data->below;
		level.node = pd_stack_tree_child(&data->tree, above ? above->node : STACK_NO_NODE,
						 small ? data->small : label);
		if (level.node == STACK_NO_NODE)
			return pd_stack_tree_failed(&data->tree);
		data->left_out += small;
		if (small)
			break;
		data->levels[data->nr_levels++] = level;
	}
	return data->tree.nr > data->options.max_nodes && data->below < UINT32_MAX ? PERFDATA_ELIMIT : PERFDATA_OK;
}

static enum perfdata_status build_data(struct flame_data *data)
{
	pd_stack_tree_release(&data->tree);
	data->left_out = 0;
	if (!begin_broken(data))
		return PERFDATA_ENOMEM;
	return each_stack(data, build_stack);
}

static void account_data(struct flame_data *data)
{
	const size_t size = (data->counts ? COUNTS * sizeof *data->counts : 0) + data->rows_room * sizeof *data->rows;
	if (size == data->accounted)
		return;
	pd_account_change(data->tree.account, PD_USE_PROFILE, data->accounted, size);
	data->accounted = size;
}

/* Builds the tree; if it has too many nodes, drops those with fewest samples. Counts are never too small, so every node
 * with enough samples is kept. */
static enum perfdata_status build_what_fits(struct flame_data *data)
{
	struct stack_label small = { .kind = STACK_LEFT_OUT, .dso = PERFDATA_NONE };
	small.name = small.raw_name = pd_stack_labels_intern(data->labels, "[smaller ones]");
	enum perfdata_status status = build_data(data);
	if (status != PERFDATA_ELIMIT)
		return status;
	pd_stack_tree_release(&data->tree);
	data->small = pd_stack_labels_add(data->labels, &small);
	data->counts = pd_calloc(COUNTS, sizeof *data->counts);
	if (!data->counts || data->small == UINT32_MAX)
		return PERFDATA_ENOMEM;
	account_data(data);
	status = each_stack(data, count_stack);
	data->below = 1;
	while (status == PERFDATA_OK) {
		data->below += (data->below + 1) / 2;
		status = build_data(data);
		if (status != PERFDATA_ELIMIT)
			break;
		status = PERFDATA_OK;
	}
	return status;
}

static bool has_time(const struct flame_data *data, size_t run)
{
	return data->runs[run].summary->first_time != UINT64_MAX && data->options.slice;
}

/* The first time slice of a run; slices are counted from it. */
static uint64_t first_slice(const struct flame_data *data, size_t run)
{
	return data->runs[run].summary->first_time / data->options.slice;
}

uint64_t pd_flame_data_begin(const struct flame_data *data)
{
	return has_time(data, 0) ? first_slice(data, 0) * data->options.slice : 0;
}

uint32_t pd_flame_data_thread_of(const struct flame_data *data, uint32_t thread)
{
	const uint32_t number = pd_profile_thread_number(data->runs[0].profile, thread);
	return number == UINT32_MAX ? UINT32_MAX : pd_flame_threads_of(data->threads, 0, number);
}

static void set_bins(struct flame_data *data)
{
	uint64_t most = 0;
	for (size_t run = 0; run < data->nr_own; run++) {
		if (!has_time(data, run))
			continue;
		const uint64_t last = data->runs[run].summary->last_time / data->options.slice,
			       nr = last - first_slice(data, run) + 1;
		most = nr > most ? nr : most;
	}
	if (!most)
		return;
	data->slices_per_bin = (most + MAX_BINS - 1) / MAX_BINS;
	data->bins = (uint32_t)((most + data->slices_per_bin - 1) / data->slices_per_bin);
}

static enum perfdata_status list_threads(struct flame_data *data)
{
	enum perfdata_status status = PERFDATA_OK;
	data->threads = pd_flame_threads_new();
	if (!data->threads)
		return PERFDATA_ENOMEM;
	for (size_t run = 0; run < data->nr_runs && status == PERFDATA_OK; run++)
		status = pd_flame_threads_add(data->threads, data->runs[run].profile);
	size_t nr;
	const struct flame_thread *list = pd_flame_threads_list(data->threads, &nr);
	data->thread_comms = pd_calloc(nr + 1, sizeof *data->thread_comms);
	if (!data->thread_comms)
		return PERFDATA_ENOMEM;
	for (size_t i = 0; i < nr && status == PERFDATA_OK; i++) {
		data->thread_comms[i] = pd_stack_labels_intern(data->labels, list[i].comm);
		if (data->thread_comms[i] == UINT32_MAX)
			status = PERFDATA_ENOMEM;
	}
	return status;
}

uint32_t pd_flame_data_thread_comm(const struct flame_data *data, size_t thread) { return data->thread_comms[thread]; }

static enum perfdata_status match_files(struct flame_data *data)
{
	struct stack_match *match = &data->options.match;
	match->pairs = pd_file_pairs_new();
	bool fine = match->pairs;
	for (size_t run = 0; run < data->nr_runs && fine; run++)
		fine = pd_stack_match_files(match, data->runs[run].session, run >= data->nr_own);
	return fine && pd_file_pairs_find(match->pairs) && pd_stack_labels_match(data->labels, match)
		       ? PERFDATA_OK
		       : PERFDATA_ENOMEM;
}

const struct pd_file_pair *pd_flame_data_pairs(const struct flame_data *data, size_t *ret_nr)
{
	*ret_nr = 0;
	return data->options.match.pairs ? pd_file_pairs_list(data->options.match.pairs, ret_nr) : NULL;
}

/* Chooses stacks by the names in the recording: functions of the bases are renamed first. */
static enum perfdata_status choose_stacks(struct flame_data *data)
{
	enum perfdata_status status = PERFDATA_OK;
	for (size_t run = 0; run < data->nr_runs && status == PERFDATA_OK; run++) {
		pd_stack_labels_use(data->labels, data->runs[run].session, run >= data->nr_own);
		status = pd_stack_choose(data->options.choice, data->runs[run].profile, data->labels);
	}
	return status;
}

enum perfdata_status pd_flame_data_new(const struct flame_options *options, const struct flame_run *runs,
				       const size_t nr[2], struct flame_data **ret)
{
	struct flame_data *data = pd_calloc(1, sizeof *data);
	if (!data)
		return PERFDATA_ENOMEM;
	data->options = *options;
	data->options.match.pairs = NULL;
	data->runs = pd_calloc(nr[0] + nr[1], sizeof *data->runs);
	data->places = pd_calloc(nr[0] + nr[1], sizeof *data->places);
	data->comms = pd_calloc(nr[0] + nr[1], sizeof *data->comms);
	if (!data->runs || !data->places || !data->comms) {
		pd_flame_data_free(data);
		return PERFDATA_ENOMEM;
	}
	data->nr_own = nr[0];
	data->nr_runs = nr[0] + nr[1];
	memcpy(data->runs, runs, data->nr_runs * sizeof *runs);
	data->tree.account = pd_profile_account(runs->profile);
	set_bins(data);
	data->small = UINT32_MAX;
	data->labels = pd_stack_labels_new(runs->session, STACK_BY_FUNCTION, options->inlines, true);
	enum perfdata_status status = data->labels ? list_threads(data) : PERFDATA_ENOMEM;
	if (status == PERFDATA_OK && data->nr_runs > 1)
		status = match_files(data);
	if (status == PERFDATA_OK)
		status = choose_stacks(data);
	if (status == PERFDATA_OK)
		status = build_what_fits(data);
	if (status != PERFDATA_OK) {
		pd_flame_data_free(data);
		return status;
	}
	*ret = data;
	return PERFDATA_OK;
}

const struct flame_thread *pd_flame_data_threads(const struct flame_data *data, size_t *ret_nr)
{
	return pd_flame_threads_list(data->threads, ret_nr);
}

/* --- rows --------------------------------------------------------------------------------------------------------- */

static uint32_t bin_of(const struct flame_data *data, size_t run, uint64_t slice)
{
	if (run >= data->nr_own || !data->bins || !has_time(data, run) || slice < first_slice(data, run))
		return 0;
	const uint64_t bin = (slice - first_slice(data, run)) / data->slices_per_bin;
	return bin < data->bins ? (uint32_t)bin : data->bins - 1;
}

static int compare_rows(const void *left, const void *right)
{
	const struct flame_row *a = left, *b = right;
	return a->node < b->node ? -1 : a->node > b->node;
}

static size_t join_rows(struct flame_row *rows, size_t nr)
{
	size_t kept = 0;
	if (nr > 1)
		qsort(rows, nr, sizeof *rows, compare_rows);
	for (size_t i = 0; i < nr; i++) {
		if (kept && rows[kept - 1].node == rows[i].node) {
			pd_sum_up(&rows[kept - 1].samples, rows[i].samples);
			pd_sum_up(&rows[kept - 1].weight, rows[i].weight);
		} else {
			rows[kept++] = rows[i];
		}
	}
	return kept;
}

static bool same_group(const struct flame_row *a, const struct flame_row *b)
{
	return a->thread == b->thread && a->bin == b->bin && a->comm == b->comm && a->cpu == b->cpu;
}

static enum perfdata_status rows_of(struct flame_data *data, size_t run, uint32_t event,
				    void (*take)(void *user, const struct flame_row *rows, size_t nr), void *user)
{
	const struct pd_profile_entry *entry;
	struct pd_profile_walk *walk;
	size_t nr = 0;
	pd_stack_labels_use(data->labels, data->runs[run].session, run >= data->nr_own);
	enum perfdata_status status = pd_profile_walk_paths(data->runs[run].profile, &walk);
	if (status != PERFDATA_OK)
		return status;
	while ((status = pd_profile_walk_next(walk, &entry)) == PERFDATA_OK) {
		if (entry->key.event != event) {
			if (entry->key.event > event)
				break;
			continue;
		}
		struct flame_row row = { .thread = pd_flame_threads_of(data->threads, run, entry->key.thread),
					 .bin = bin_of(data, run, entry->key.slice),
					 .comm = comm_of(data, run, entry->key.comm),
					 .cpu = entry->key.cpu,
					 .samples = entry->sums.samples,
					 .weight = entry->sums.weight };
		status = pd_stack_place_find(&data->places[run], &data->tree, entry->key.node, data->small, &row.node);
		if (status == PERFDATA_OK && row.comm == UINT32_MAX)
			status = PERFDATA_ENOMEM;
		if (status != PERFDATA_OK)
			break;
		if (nr && !same_group(&data->rows[0], &row)) {
			take(user, data->rows, join_rows(data->rows, nr));
			nr = 0;
		}
		if (pd_vector_grow(&data->rows, &data->rows_room, nr, sizeof row) < 0) {
			status = PERFDATA_ENOMEM;
			break;
		}
		account_data(data);
		data->rows[nr++] = row;
	}
	pd_profile_walk_free(walk);
	if (status != PERFDATA_END && status != PERFDATA_OK)
		return status;
	if (nr)
		take(user, data->rows, join_rows(data->rows, nr));
	return PERFDATA_OK;
}

/* The event of a run with the same name as an event of the recording; UINT32_MAX: none. */
static uint32_t same_event(const struct flame_data *data, size_t run, uint32_t event)
{
	const char *name = perfdata_reader_event(data->runs[0].reader, event)->name;
	if (!run)
		return event;
	for (uint32_t i = 0; i < pd_profile_nr_events(data->runs[run].profile); i++)
		if (pd_profile_event(data->runs[run].profile, i) &&
		    !strcmp(perfdata_reader_event(data->runs[run].reader, i)->name, name))
			return i;
	return UINT32_MAX;
}

enum perfdata_status pd_flame_data_rows(struct flame_data *data, unsigned side, uint32_t event,
					void (*take)(void *user, const struct flame_row *rows, size_t nr), void *user)
{
	enum perfdata_status status = PERFDATA_OK;
	const size_t end = side ? data->nr_runs : data->nr_own;
	for (size_t run = side ? data->nr_own : 0; run < end && status == PERFDATA_OK; run++) {
		const uint32_t own = same_event(data, run, event);
		if (own != UINT32_MAX)
			status = rows_of(data, run, own, take, user);
	}
	return status;
}

struct pd_profile_sums pd_flame_data_event(const struct flame_data *data, uint32_t event)
{
	struct pd_profile_sums sums = { 0 };
	for (size_t run = 0; run < data->nr_own; run++) {
		const uint32_t own = same_event(data, run, event);
		const struct pd_profile_sums *more = own == UINT32_MAX ? NULL
								       : pd_profile_event(data->runs[run].profile, own);
		if (more)
			pd_profile_sums_add(&sums, more);
	}
	return sums;
}

struct sums {
	uint64_t *samples, *weight;
};

static void take_sums(void *user, const struct flame_row *rows, size_t nr)
{
	const struct sums *sums = user;
	for (size_t i = 0; i < nr; i++) {
		if (sums->samples)
			pd_sum_up(&sums->samples[rows[i].node], rows[i].samples);
		if (sums->weight)
			pd_sum_up(&sums->weight[rows[i].node], rows[i].weight);
	}
}

enum perfdata_status pd_flame_data_sums(struct flame_data *data, unsigned side, uint32_t event, uint64_t *samples,
					uint64_t *weight)
{
	struct sums sums = { samples, weight };
	return pd_flame_data_rows(data, side, event, take_sums, &sums);
}

/* --- what the sides have in common ------------------------------------------------------------------------------- */

/* Weights of a label by side: self, and sums over all nodes with this label, which count a recursive stack several
 * times. */
struct label_sums {
	double own[2], through[2];
};

static void add_labels(struct flame_data *data, unsigned side, uint64_t *nodes, struct label_sums *labels,
		       double *ret_all)
{
	for (size_t i = data->tree.nr; i-- > 0;)
		labels[pd_stack_tree_label(&data->tree, (uint32_t)i)].own[side] += (double)nodes[i];
	*ret_all = 0;
	for (size_t i = data->tree.nr; i-- > 0;) {
		const uint32_t parent = pd_stack_tree_parent(&data->tree, (uint32_t)i);
		labels[pd_stack_tree_label(&data->tree, (uint32_t)i)].through[side] += (double)nodes[i];
		if (parent == STACK_NO_NODE)
			*ret_all += (double)nodes[i];
		else
			pd_sum_up(&nodes[parent], nodes[i]);
	}
}

/* The file with most weight among the files of one side only; NULL: each has less than a twentieth of the weight. */
static const char *largest_lone_file(const struct flame_data *data, const struct label_sums *labels, unsigned side,
				     double all)
{
	const uint32_t nr = pd_stack_labels_nr(data->labels);
	const char *largest = NULL;
	double most = all / 20;
	for (uint32_t i = 0; i < nr; i++) {
		const char *file = pd_stack_labels_file_key(data->labels, i);
		double sum = 0;
		bool both = false;
		if (labels[i].own[side] <= 0 || labels[i].own[side] * 1000 < all)
			continue;
		for (uint32_t o = 0; o < nr && !both; o++)
			if (pd_stack_labels_file_key(data->labels, o) == file) {
				sum += labels[o].own[side];
				both = labels[o].through[!side] > 0;
			}
		if (!both && *file && sum > most) {
			most = sum;
			largest = file;
		}
	}
	return largest;
}

enum perfdata_status pd_flame_data_matched(struct flame_data *data, uint32_t event, struct flame_match *ret)
{
	const uint32_t nr = pd_stack_labels_nr(data->labels);
	struct label_sums *labels = pd_calloc(nr + 1, sizeof *labels);
	uint64_t *nodes = pd_calloc(data->tree.nr + 1, sizeof *nodes);
	double all[2] = { 0, 0 };
	enum perfdata_status status = labels && nodes ? PERFDATA_OK : PERFDATA_ENOMEM;
	for (unsigned side = 0; side < 2 && status == PERFDATA_OK; side++) {
		memset(nodes, 0, data->tree.nr * sizeof *nodes);
		status = pd_flame_data_sums(data, side, event, NULL, nodes);
		if (status == PERFDATA_OK)
			add_labels(data, side, nodes, labels, &all[side]);
	}
	*ret = (struct flame_match){ .matched = { 1, 1 } };
	for (unsigned side = 0; side < 2 && status == PERFDATA_OK && all[0] > 0 && all[1] > 0; side++) {
		for (uint32_t i = 0; i < nr; i++)
			if (labels[i].through[!side] <= 0)
				ret->matched[side] -= labels[i].own[side] / all[side];
		ret->matched[side] = ret->matched[side] > 0 ? ret->matched[side] : 0;
		ret->files[!side] = largest_lone_file(data, labels, side, all[side]);
	}
	pd_free(labels);
	pd_free(nodes);
	return status;
}
