/* SPDX-License-Identifier: MIT */
/* `pprof`: profile.proto, compressed with gzip, for pprof and other readers. Each event has two columns: samples and
 * weight. */
#include "config.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "base/hash.h"
#include "base/memory.h"
#include "emit/emitters.h"
#include "emit/profiles/pprof_maps.h"
#include "emit/stacks/protobuf.h"
#include "emit/stacks/stack_pack.h"
#include "emit/stacks/stack_gather.h"
#include "emit/stacks/stack_head.h"
#include "emit/stacks/stack_labels.h"
#include "emit/stacks/stack_route.h"
#include "emit/stacks/stack_spool.h"
#include "emit/stacks/stack_text.h"
#include "session/session.h"

static const struct perfdata_emitter_option options[] = {
	STACK_OPTION_WEIGHT("weight of a sample"),
	STACK_OPTIONS_STATE,
	STACK_OPTION_INLINE,
	{ .name = "labels", .kind = PERFDATA_OPTION_FLAG,
	  .help = "keep comm, pid and tid of samples as labels (default; --no-labels adds the samples up)" },
	STACK_OPTIONS_CHOICE,
	STACK_OPTION_TRUNCATED,
	{ 0 },
};

/* Field numbers of perftools.profiles. */
enum {
	PROFILE_SAMPLE_TYPE = 1,
	PROFILE_SAMPLE,
	PROFILE_MAPPING,
	PROFILE_LOCATION,
	PROFILE_FUNCTION,
	PROFILE_STRING,
	PROFILE_DURATION = 10,
	PROFILE_PERIOD_TYPE,
	PROFILE_PERIOD,
	PROFILE_COMMENT,
	PROFILE_DEFAULT
};
enum { VALUE_TYPE = 1, VALUE_UNIT };
enum { SAMPLE_LOCATION = 1, SAMPLE_VALUE, SAMPLE_LABEL };
enum { LABEL_KEY = 1, LABEL_TEXT, LABEL_NUMBER, LABEL_UNIT };
enum {
	MAPPING_ID = 1,
	MAPPING_START,
	MAPPING_LIMIT,
	MAPPING_OFFSET,
	MAPPING_FILE,
	MAPPING_BUILD_ID,
	MAPPING_FUNCTIONS,
	MAPPING_FILES,
	MAPPING_LINES,
	MAPPING_INLINES
};
enum { LOCATION_ID = 1, LOCATION_MAPPING, LOCATION_ADDRESS, LOCATION_LINE };
enum { LINE_FUNCTION = 1, LINE_LINE, LINE_COLUMN };
enum { FUNCTION_ID = 1, FUNCTION_NAME, FUNCTION_SYSTEM_NAME, FUNCTION_FILE, FUNCTION_START };

struct state {
	struct pprof_gather gather;
	bool inlines, labels;
};

static enum perfdata_status set_up(void *pointer, const struct perfdata_emit_context *context,
				   struct perfdata_text *out)
{
	struct state *state = pointer;
	(void)out;
	state->inlines = perfdata_option_flag(context->options, context->nr_options, "inline", true);
	state->labels = perfdata_option_flag(context->options, context->nr_options, "labels", true);
	const struct pd_profile_options wanted = { .parts = PD_BY_THREAD | PD_BY_COMM,
						   .by_period = true,
						   .names = PD_NAMES_LINES };
	const enum perfdata_status status = pd_stack_pack_load(context);
	return status ? status : pd_pprof_gather_begin(&state->gather, context, &wanted);
}

STACK_BEGIN(set_up, pd_pprof_release)

/* --- writing ------------------------------------------------------------------------------------------------------ */

struct writing {
	struct state *state;
	const struct perfdata_emit_end *end;
	struct stack_labels *labels;
	struct stack_route *route;
	uint32_t *locations;              /* location ids by pd_frame_slot; 0: none yet */
	size_t locations_room;
	struct pd_hash_map nowhere;       /* addresses in no known file → location id */
	struct pd_hash_map cut;           /* pd_frame_slot << 8 | number of functions left out → location id */
	uint64_t nr_locations;
	uint64_t no_stack, truncated;     /* locations of samples without a stack, and outside cut stacks; 0: none */
	struct known_step *known_steps;   /* by label of a step in the tree of stacks */
	size_t known_room;
	uint32_t *columns;           /* first column of each event; UINT32_MAX: none */
	uint32_t nr_columns;
	struct stack_pack *pack;          /* the output */
	struct stack_spool location_texts;
	struct perfdata_text types, others, message, packed, label;
	struct perfdata_text key_labels;  /* labels of samples with the thread and the name of `labelled` */
	struct pd_profile_key labelled;
	bool tells_cut;              /* cut stacks begin with `truncated`; not where --root shortens them */
	bool failed;
};

/* What a sample needs to know of a step. */
struct known_step {
	/* as the code that executes, and as a caller whose address is a return address: the location, shifted by
	 * LOCATION_SHIFT, and bits. 0: not known yet */
	uint32_t as[2];
};
enum { STEP_IS_KERNEL = 1, STEP_IS_RECORDED = 2, LOCATION_SHIFT = 2 };
#define MOST_KNOWN_LOCATION (UINT32_MAX >> LOCATION_SHIFT)
/* Steps with higher labels are not kept. */
#define MOST_KNOWN_STEPS (UINT32_C(1) << 22)

#define PIECE_BYTES ((size_t)64 << 10)

/* Compresses the pending output in `others` if it has at least `least` bytes. */
static void pack_others(struct writing *writing, size_t least)
{
	writing->failed |= perfdata_text_failed(&writing->others);
	if (writing->others.size < least)
		return;
	pd_stack_pack_write(writing->pack, writing->others.data, writing->others.size);
	perfdata_text_clear(&writing->others);
}

static uint64_t text_of(struct writing *writing, const char *text)
{
	const uint32_t id = pd_stack_labels_intern(writing->labels, text);
	writing->failed |= id == UINT32_MAX;
	return id;
}

static void value_type(struct writing *writing, struct perfdata_text *out, unsigned field, const char *type,
		       const char *unit)
{
	perfdata_text_clear(&writing->message);
	pd_protobuf_number(&writing->message, VALUE_TYPE, text_of(writing, type));
	pd_protobuf_number(&writing->message, VALUE_UNIT, text_of(writing, unit));
	pd_protobuf_message(out, field, &writing->message);
}

/* Makes names of columns different even if events have equal names. */
static void column_names(const struct writing *writing, uint32_t index, char samples[256], char weight[256])
{
	const struct perfdata_reader *reader = writing->state->gather.stacks.reader;
	const struct perfdata_event *event = perfdata_reader_event(reader, index);
	unsigned same = 0;
	char suffix[16] = "";
	for (uint32_t i = 0; i < index; i++)
		same += writing->columns[i] != UINT32_MAX &&
			!strcmp(perfdata_reader_event(reader, i)->name, event->name);
	if (same)
		snprintf(suffix, sizeof suffix, "#%u", same + 1);
	const bool first = writing->columns[index] == 0;
	if (first)
		snprintf(samples, 256, "samples");
	else
		snprintf(samples, 256, "%.200s_samples%s", event->name, suffix);
	const char *weighs = pd_stack_weight_name(writing->state->gather.stacks.session);
	if (first && pd_stack_event_is_clock(event))
		snprintf(weight, 256, "%s", !strcmp(weighs, "wall") ? weighs : "cpu");
	else if (event->is_time_off)
		snprintf(weight, 256, "off-cpu");
	else
		snprintf(weight, 256, "%.200s%s", event->name, suffix);
}

static void put_columns(struct writing *writing)
{
	const struct stack_gather *gather = &writing->state->gather.stacks;
	const struct pd_profile *profile = gather->profile;
	char samples[256], weight[256];
	for (uint32_t i = 0; i < pd_profile_nr_events(profile); i++) {
		writing->columns[i] = pd_profile_event(profile, i) ? writing->nr_columns : UINT32_MAX;
		if (!pd_profile_event(profile, i))
			continue;
		column_names(writing, i, samples, weight);
		const bool is_time = pd_stack_event_is_time(perfdata_reader_event(gather->reader, i));
		value_type(writing, &writing->types, PROFILE_SAMPLE_TYPE, samples, "count");
		value_type(writing, &writing->types, PROFILE_SAMPLE_TYPE, weight, is_time ? "nanoseconds" : "count");
		writing->nr_columns += 2;
	}
}

/* --- locations ---------------------------------------------------------------------------------------------------- */

static void put_lines(struct writing *writing, const struct stack_call *calls, size_t nr, struct pprof_map *map)
{
	for (size_t i = nr; i-- > 0;) {
		perfdata_text_clear(&writing->label);
		pd_protobuf_number(&writing->label, LINE_FUNCTION, (uint64_t)calls[i].label + 1);
		pd_protobuf_number(&writing->label, LINE_LINE, calls[i].line);
		pd_protobuf_number(&writing->label, LINE_COLUMN, calls[i].column);
		pd_protobuf_message(&writing->message, LOCATION_LINE, &writing->label);
		if (map) {
			map->lineless |= !calls[i].line;
			map->sourceless |= !calls[i].source;
			map->inlined |= nr > 1;
		}
	}
}

/* skip: number of outermost functions to leave out. */
static uint64_t put_location(struct writing *writing, const struct stack_step *step, size_t skip)
{
	struct pprof_place place;
	if (!pd_pprof_place_of(&writing->state->gather, writing->labels, step, &place)) {
		writing->failed = true;
		return 0;
	}
	struct pprof_map *map = place.map ? pd_pprof_maps_get(writing->state->gather.maps, place.map) : NULL;
	const enum stack_kind kind = pd_stack_labels_get(writing->labels, place.calls[0].label)->kind;
	const bool nameless = pd_stack_kind_is_nameless(kind);
	if (map) {
		map->used = true;
		map->nameless |= nameless;
	}
	perfdata_text_clear(&writing->message);
	pd_protobuf_number(&writing->message, LOCATION_ID, ++writing->nr_locations);
	pd_protobuf_number(&writing->message, LOCATION_MAPPING, place.map);
	pd_protobuf_number(&writing->message, LOCATION_ADDRESS, place.address);
	/* write no name for an unnamed location: pprof may find one by the build-id */
	if (!nameless)
		put_lines(writing, place.calls + skip, place.nr_calls - skip, map);
	pd_protobuf_message(&writing->location_texts.text, PROFILE_LOCATION, &writing->message);
	perfdata_text_cut(&writing->location_texts.text);
	return writing->nr_locations;
}

/* The location of a step at which a choice begins the stack, so that its outer functions are left out. */
static uint64_t cut_location_of(struct writing *writing, const struct stack_step *step, size_t skip)
{
	const uint64_t key = (uint64_t)pd_frame_slot(step->frame, step->is_caller) << 8 | skip;
	uint64_t id;
	if (pd_hash_map_get(&writing->cut, key, &id))
		return id;
	id = put_location(writing, step, skip);
	writing->failed |= pd_hash_map_put(&writing->cut, key, id) < 0;
	return id;
}

/* The location of a step that has a frame; 0: none yet. */
static inline uint32_t known_location(const struct writing *writing, const struct stack_step *step)
{
	const size_t slot = pd_frame_slot(step->frame, step->is_caller);
	return slot < writing->locations_room ? writing->locations[slot] : 0;
}

static uint32_t add_location(struct writing *writing, const struct stack_step *step)
{
	const size_t slot = pd_frame_slot(step->frame, step->is_caller);
	if (pd_vector_reach(&writing->locations, &writing->locations_room, slot, sizeof *writing->locations) < 0) {
		writing->failed = true;
		return 0;
	}
	return writing->locations[slot] = (uint32_t)put_location(writing, step, 0);
}

/* Makes the functions of steps that have no location yet: callers first, which numbers functions as paths meet them. */
static void name_steps(struct writing *writing, const struct stack_path *path)
{
	for (size_t i = 0; i < path->nr_steps; i++) {
		const struct stack_step *step = &path->steps[i];
		size_t nr;
		if ((step->frame == PERFDATA_NONE || !known_location(writing, step)) &&
		    !pd_stack_labels_of(writing->labels, step->frame, step->is_caller, &nr))
			writing->failed = true;
	}
}

static uint64_t location_of(struct writing *writing, const struct stack_step *step)
{
	if (step->frame != PERFDATA_NONE) {
		const uint32_t known = known_location(writing, step);
		return known ? known : add_location(writing, step);
	}
	const uint64_t address = pd_stack_code_address(step->ip, step->is_caller);
	uint64_t id;
	if (pd_hash_map_get(&writing->nowhere, address, &id))
		return id;
	id = put_location(writing, step, 0);
	writing->failed |= pd_hash_map_put(&writing->nowhere, address, id) < 0;
	return id;
}

/* Returns the id of a location without an address; *id: 0 if it has to be made. */
static uint64_t location_without_address(struct writing *writing, uint32_t label, uint64_t *id)
{
	const struct stack_call call = { .label = label };
	if (*id)
		return *id;
	*id = ++writing->nr_locations;
	perfdata_text_clear(&writing->message);
	pd_protobuf_number(&writing->message, LOCATION_ID, *id);
	put_lines(writing, &call, 1, NULL);
	pd_protobuf_message(&writing->location_texts.text, PROFILE_LOCATION, &writing->message);
	perfdata_text_cut(&writing->location_texts.text);
	return *id;
}

/* --- samples ------------------------------------------------------------------------------------------------------ */

static void text_label(struct writing *writing, const char *key, const char *text)
{
	perfdata_text_clear(&writing->label);
	pd_protobuf_number(&writing->label, LABEL_KEY, text_of(writing, key));
	pd_protobuf_number(&writing->label, LABEL_TEXT, text_of(writing, text));
	pd_protobuf_message(&writing->message, SAMPLE_LABEL, &writing->label);
}

/* A number label of 0 needs a unit: without it readers take the label for a text. */
static void number_label(struct writing *writing, const char *key, int64_t number)
{
	perfdata_text_clear(&writing->label);
	pd_protobuf_number(&writing->label, LABEL_KEY, text_of(writing, key));
	pd_protobuf_number(&writing->label, LABEL_NUMBER, (uint64_t)number);
	if (!number)
		pd_protobuf_number(&writing->label, LABEL_UNIT, text_of(writing, key));
	pd_protobuf_message(&writing->message, SAMPLE_LABEL, &writing->label);
}

/* Appends the labels of a key to the message. Adjacent keys mostly have the same ones. */
static void put_labels(struct writing *writing, const struct pd_profile_key *key)
{
	struct perfdata_text *labels = &writing->key_labels;
	if (labels->size && key->thread == writing->labelled.thread && key->comm == writing->labelled.comm) {
		perfdata_text_append(&writing->message, labels->data, labels->size);
		return;
	}
	const size_t before = writing->message.size;
	const struct pd_profile_thread *thread = pd_profile_thread(writing->state->gather.stacks.profile, key->thread);
	if (key->comm != PERFDATA_NONE)
		text_label(writing, "comm", perfdata_session_comm(writing->state->gather.stacks.session, key->comm));
	if (thread->pid >= 0)
		number_label(writing, "pid", thread->pid);
	if (thread->tid >= 0)
		number_label(writing, "tid", thread->tid);
	perfdata_text_clear(labels);
	if (!perfdata_text_failed(&writing->message))
		perfdata_text_append(labels, writing->message.data + before, writing->message.size - before);
	writing->labelled = *key;
}

static uint64_t clamped_value(uint64_t value) { return value > INT64_MAX ? INT64_MAX : value; }

/* Packs the locations of a path, and makes those that are new. */
static void put_path(struct writing *writing, const struct stack_path *path)
{
	name_steps(writing, path);
	/* Readers drop samples without locations. */
	if (!path->nr_steps)
		pd_text_varint(&writing->packed,
			       location_without_address(writing, path->labels[0], &writing->no_stack));
	for (size_t i = path->nr_steps; i-- > 0;)
		pd_text_varint(&writing->packed, i || !path->cut_of_step
							 ? location_of(writing, &path->steps[i])
							 : cut_location_of(writing, path->steps, path->cut_of_step));
	if (writing->tells_cut && path->nr_steps && path->steps[0].is_cut)
		pd_text_varint(&writing->packed,
			       location_without_address(writing, pd_stack_route_cut_label(writing->route),
							&writing->truncated));
}

/* Keeps what put_known_path needs to know of a path's steps. Without memory, nothing is kept. labels: of the steps,
 * callee first. */
static void keep_steps(struct writing *writing, const struct stack_path *path, const uint32_t *labels, size_t nr)
{
	const struct perfdata_session *session = writing->state->gather.stacks.session;
	for (size_t i = 0; i < nr && nr == path->nr_steps; i++) {
		const struct stack_step *step = &path->steps[nr - 1 - i];
		const uint64_t location = location_of(writing, step);
		if (labels[i] >= MOST_KNOWN_STEPS || location > MOST_KNOWN_LOCATION ||
		    pd_vector_reach(&writing->known_steps, &writing->known_room, labels[i],
				    sizeof *writing->known_steps) < 0)
			continue;
		struct known_step *known = &writing->known_steps[labels[i]];
		const uint32_t bits = (pd_session_frame_is_kernel(session, step->frame) ? STEP_IS_KERNEL : 0) |
				      (step->origin == PERFDATA_STEP_RECORDED ? STEP_IS_RECORDED : 0);
		known->as[0] |= bits;
		known->as[1] |= bits;
		known->as[step->is_caller] = (uint32_t)location << LOCATION_SHIFT | bits;
	}
}

/* Packs the locations of a stack's steps, callee first. False: not all of them are known. */
static bool put_known_path(struct writing *writing, const uint32_t *labels, size_t nr)
{
	enum { MOST_BYTES = 5 };
	char *at = nr ? perfdata_text_reserve(&writing->packed, nr * MOST_BYTES) : NULL;
	bool callee_is_kernel = false;
	for (size_t i = 0; at && i < nr; i++) {
		if (labels[i] >= writing->known_room)
			return false;
		const struct known_step *known = &writing->known_steps[labels[i]];
		const uint32_t bits = known->as[0];
		const bool is_caller = i && pd_stack_is_return(bits & STEP_IS_RECORDED, bits & STEP_IS_KERNEL,
							       callee_is_kernel);
		const uint32_t location = known->as[is_caller] >> LOCATION_SHIFT;
		if (!location)
			return false;
		at = pd_put_varint(at, location);
		callee_is_kernel = bits & STEP_IS_KERNEL;
	}
	if (at)
		perfdata_text_commit(&writing->packed, at);
	return at;
}

/* Packs the locations of an entry's stack. labels: of its steps, callee first; nr 0: see its node. */
static enum perfdata_status put_stack(struct writing *writing, uint32_t node, const uint32_t *labels, size_t nr)
{
	struct stack_path path;
	perfdata_text_clear(&writing->packed);
	/* known steps do not say whether the stack was cut */
	if (!writing->tells_cut && put_known_path(writing, labels, nr))
		return PERFDATA_OK;
	const enum perfdata_status status = pd_stack_route_to(writing->route, node, &path);
	if (status != PERFDATA_OK)
		return status;
	put_path(writing, &path);
	keep_steps(writing, &path, labels, nr);
	return PERFDATA_OK;
}

static void put_sample(struct writing *writing, const struct pd_profile_entry *entry)
{
	perfdata_text_clear(&writing->message);
	if (writing->packed.size)
		pd_protobuf_message(&writing->message, SAMPLE_LOCATION, &writing->packed);
	perfdata_text_clear(&writing->packed);
	for (uint32_t i = 0; i < writing->nr_columns; i++) {
		const uint32_t column = writing->columns[entry->key.event];
		pd_text_varint(&writing->packed, i == column       ? clamped_value(entry->sums.samples)
						 : i == column + 1 ? clamped_value(entry->sums.weight)
								   : 0);
	}
	pd_protobuf_message(&writing->message, SAMPLE_VALUE, &writing->packed);
	if (writing->state->labels)
		put_labels(writing, &entry->key);
	pd_protobuf_message(&writing->others, PROFILE_SAMPLE, &writing->message);
	pack_others(writing, PIECE_BYTES);
}

/* pprof shows the first mapping as the file of the profile: so the main file of the process with most samples comes
 * first. */
static enum perfdata_status put_main(struct writing *writing)
{
	const struct stack_gather *gather = &writing->state->gather.stacks;
	const struct pd_profile_entry *entry;
	struct pd_profile_walk *walk;
	uint64_t *weights = pd_calloc(pd_profile_nr_threads(gather->profile) + 1u, sizeof *weights);
	enum perfdata_status status = weights ? pd_profile_walk_new(gather->profile, &walk) : PERFDATA_ENOMEM;
	if (status != PERFDATA_OK) {
		pd_free(weights);
		return status;
	}
	while ((status = pd_profile_walk_next(walk, &entry)) == PERFDATA_OK)
		weights[entry->key.thread] += entry->sums.samples;
	pd_profile_walk_free(walk);
	const char *name = NULL;
	uint64_t most = 0;
	for (uint32_t i = 0; i < pd_profile_nr_threads(gather->profile); i++) {
		const char *found = pd_pprof_maps_main(writing->state->gather.maps,
						       pd_profile_thread(gather->profile, i)->pid);
		if (weights[i] > most && found) {
			most = weights[i];
			name = found;
		}
	}
	pd_free(weights);
	for (uint32_t i = 0; name && i < perfdata_session_nr_dsos(gather->session); i++) {
		const struct perfdata_dso *dso = perfdata_session_dso(gather->session, i);
		if (dso->kind == PERFDATA_DSO_USER && !strcmp(dso->filename, name)) {
			writing->failed |= !pd_pprof_maps_first(writing->state->gather.maps, dso);
			break;
		}
	}
	return status == PERFDATA_END ? PERFDATA_OK : status;
}

static enum perfdata_status put_samples(struct writing *writing)
{
	const struct stack_gather *gather = &writing->state->gather.stacks;
	const struct pd_profile_entry *entry;
	struct pd_profile_walk *walk;
	/* a choice may begin a stack inside a step */
	enum perfdata_status status = gather->choice ? pd_profile_walk_paths(gather->profile, &walk)
						     : pd_profile_walk_labels(gather->profile, &walk);
	if (status != PERFDATA_OK)
		return status;
	while ((status = pd_profile_walk_next(walk, &entry)) == PERFDATA_OK) {
		size_t nr;
		const uint32_t *labels = pd_profile_walk_stack(walk, &nr);
		status = put_stack(writing, entry->key.node, labels, nr);
		if (status != PERFDATA_OK)
			break;
		put_sample(writing, entry);
	}
	pd_profile_walk_free(walk);
	return status == PERFDATA_END ? PERFDATA_OK : status;
}

/* --- tables ------------------------------------------------------------------------------------------------------- */

static void put_mapping(struct writing *writing, uint32_t id)
{
	struct perfdata_text *out = &writing->message;
	const struct perfdata_session *session = writing->state->gather.stacks.session;
	const struct pprof_map *map = pd_pprof_maps_get(writing->state->gather.maps, id);
	const struct perfdata_bytes build_id = perfdata_session_build_id(session, map->dso, NULL);
	perfdata_text_clear(out);
	pd_protobuf_number(out, MAPPING_ID, id);
	pd_protobuf_number(out, MAPPING_START, map->start);
	pd_protobuf_number(out, MAPPING_LIMIT, map->end);
	pd_protobuf_number(out, MAPPING_OFFSET, map->offset);
	pd_protobuf_number(out, MAPPING_FILE, text_of(writing, map->name));
	if (build_id.size) {
		perfdata_text_clear(&writing->label);
		perfdata_text_bytes_hex(&writing->label, build_id.data, build_id.size);
		perfdata_text_append(&writing->label, "", 1);
		writing->failed |= perfdata_text_failed(&writing->label);
		pd_protobuf_number(out, MAPPING_BUILD_ID,
				   perfdata_text_failed(&writing->label) ? 0 : text_of(writing, writing->label.data));
	}
	/* has_… flags keep pprof from looking up names itself */
	const bool named = map->used && !map->nameless;
	pd_protobuf_number(out, MAPPING_FUNCTIONS, named);
	pd_protobuf_number(out, MAPPING_FILES, named && !map->sourceless);
	pd_protobuf_number(out, MAPPING_LINES, named && !map->lineless);
	pd_protobuf_number(out, MAPPING_INLINES, named && !map->lineless);
	pd_protobuf_message(&writing->others, PROFILE_MAPPING, out);
}

static void put_function(struct writing *writing, uint32_t label, struct perfdata_text *out)
{
	const struct stack_label *function = pd_stack_labels_get(writing->labels, label);
	perfdata_text_clear(&writing->message);
	pd_protobuf_number(&writing->message, FUNCTION_ID, (uint64_t)label + 1);
	pd_protobuf_number(&writing->message, FUNCTION_NAME, function->name);
	pd_protobuf_number(&writing->message, FUNCTION_SYSTEM_NAME, function->raw_name);
	pd_protobuf_number(&writing->message, FUNCTION_FILE, function->source);
	pd_protobuf_number(&writing->message, FUNCTION_START, function->line);
	pd_protobuf_message(out, PROFILE_FUNCTION, &writing->message);
}

struct comments {
	struct writing *writing;
	struct perfdata_text *out;
};

static void put_comment(void *user, const char *line)
{
	const struct comments *comments = user;
	pd_text_varint(comments->out, text_of(comments->writing, line));
}

static void put_comments(struct writing *writing, struct perfdata_text *out)
{
	const struct perfdata_reader *reader = writing->state->gather.stacks.reader;
	struct comments comments = { writing, &writing->packed };
	struct perfdata_text line;
	perfdata_text_clear(&writing->packed);
	perfdata_text_init(&line);
	perfdata_text_literal(&line, "perf-command:");
	pd_stack_head_command(reader, &line);
	perfdata_text_append(&line, "", 1);
	writing->failed |= perfdata_text_failed(&line);
	if (!perfdata_text_failed(&line) && line.size > sizeof "perf-command:")
		put_comment(&comments, line.data);
	for (const struct stack_fact *fact = pd_stack_facts; fact->name; fact++) {
		const char *text = perfdata_reader_feature_text(reader, fact->feature);
		if (!text)
			continue;
		perfdata_text_clear(&line);
		perfdata_text_printf(&line, "%s:%s", strcmp(fact->name, "perf") ? fact->name : "perf-version", text);
		perfdata_text_append(&line, "", 1);
		writing->failed |= perfdata_text_failed(&line);
		if (!perfdata_text_failed(&line))
			put_comment(&comments, line.data);
	}
	pd_stack_head_warnings(writing->end, put_comment, &comments);
	writing->failed |= perfdata_text_failed(&writing->packed);
	if (writing->packed.size)
		pd_protobuf_message(out, PROFILE_COMMENT, &writing->packed);
	writing->failed |= perfdata_text_failed(&line);
	perfdata_text_release(&line);
}

/* Writes the period of the first event if it is fixed, and the column that pprof shows by default. */
static void put_period(struct writing *writing, struct perfdata_text *out)
{
	const struct pd_profile *profile = writing->state->gather.stacks.profile;
	char samples[256], weight[256];
	uint32_t first = 0;
	while (first < pd_profile_nr_events(profile) && !pd_profile_event(profile, first))
		first++;
	if (first >= pd_profile_nr_events(profile)) {
		put_comments(writing, out);
		return;
	}
	const struct perfdata_event *event = perfdata_reader_event(writing->state->gather.stacks.reader, first);
	column_names(writing, first, samples, weight);
	value_type(writing, out, PROFILE_PERIOD_TYPE, weight, pd_stack_event_is_time(event) ? "nanoseconds" : "count");
	if (!perfdata_attr_has(event->attr, PERFDATA_ATTR_FREQ))
		pd_protobuf_number(out, PROFILE_PERIOD, clamped_value(event->attr->sample_period));
	put_comments(writing, out);
	pd_protobuf_number(out, PROFILE_DEFAULT, text_of(writing, weight));
}

/* Strings must be UTF-8: invalid bytes become U+FFFD. */
static void put_strings(struct writing *writing)
{
	for (uint32_t i = 0; i < pd_stack_labels_nr_strings(writing->labels); i++) {
		perfdata_text_clear(&writing->message);
		pd_stack_text_utf8(&writing->message, pd_stack_labels_string(writing->labels, i));
		pd_protobuf_bytes(&writing->others, PROFILE_STRING, writing->message.data, writing->message.size);
		pack_others(writing, PIECE_BYTES);
	}
	pack_others(writing, 0);
	writing->failed |= perfdata_text_failed(&writing->message);
}

static void pack_piece(void *user, const char *bytes, size_t size) { pd_stack_pack_write(user, bytes, size); }

/* Writes the fields in the order of their numbers. Samples are compressed while they are made. */
static enum perfdata_status put_all(struct writing *writing)
{
	const struct perfdata_summary *summary = writing->end->summary;
	struct perfdata_text tail;
	perfdata_text_init(&tail);
	pd_stack_pack_write(writing->pack, writing->types.data, writing->types.size);
	enum perfdata_status status = put_samples(writing);
	pack_others(writing, 0);
	for (uint32_t i = 1; i <= pd_pprof_maps_nr(writing->state->gather.maps); i++)
		put_mapping(writing, i);
	pack_others(writing, 0);
	if (status == PERFDATA_OK)
		status = pd_stack_spool_take(&writing->location_texts, 0,
					     pd_stack_spool_size(&writing->location_texts), pack_piece, writing->pack);
	for (uint32_t i = 0; i < pd_stack_labels_nr(writing->labels); i++) {
		put_function(writing, i, &writing->others);
		pack_others(writing, PIECE_BYTES);
	}
	pack_others(writing, 0);
	if (summary->first_time != UINT64_MAX)
		pd_protobuf_number(&tail, PROFILE_DURATION, summary->last_time - summary->first_time);
	put_period(writing, &tail);
	put_strings(writing);
	pd_stack_pack_write(writing->pack, tail.data, tail.size);
	writing->failed |= perfdata_text_failed(&tail) || perfdata_text_failed(&writing->types) ||
			   perfdata_text_failed(&writing->key_labels) ||
			   perfdata_text_failed(&writing->others);
	perfdata_text_release(&tail);
	return status;
}

static void writing_release(struct writing *writing)
{
	struct perfdata_text *const texts[] = { &writing->types,   &writing->others, &writing->message,
						&writing->packed, &writing->label, &writing->key_labels };
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		perfdata_text_release(texts[i]);
	pd_stack_spool_release(&writing->location_texts);
	pd_stack_route_free(writing->route);
	pd_stack_labels_free(writing->labels);
	pd_free(writing->locations);
	pd_free(writing->known_steps);
	pd_hash_map_release(&writing->nowhere);
	pd_hash_map_release(&writing->cut);
	pd_free(writing->columns);
}

static enum perfdata_status end_output(void *pointer, const struct perfdata_emit_end *end, struct perfdata_text *out)
{
	struct state *state = pointer;
	struct stack_gather *gather = &state->gather.stacks;
	struct writing writing = { .state = state, .end = end };
	struct stack_pack pack;
	pd_stack_spool_init(&writing.location_texts, pd_profile_account(gather->profile));
	enum perfdata_status status = pd_stack_gather_finish(gather);
	writing.labels = pd_stack_labels_new(gather->session, STACK_BY_FUNCTION, state->inlines, true);
	writing.route = writing.labels ? pd_stack_route_new(gather->profile, gather->session, writing.labels,
							    gather->choice)
				       : NULL;
	writing.tells_cut = gather->tells_cut && !pd_stack_choice_cuts(gather->choice);
	writing.columns = pd_calloc(pd_profile_nr_events(gather->profile) + 1u, sizeof *writing.columns);
	if (!writing.labels || !writing.route || !writing.columns ||
	    (writing.tells_cut && !pd_stack_route_tell_cut(writing.route)))
		status = PERFDATA_ENOMEM;
	if (status == PERFDATA_OK) {
		pd_stack_route_omit_labels(writing.route);
		put_columns(&writing);
		status = put_main(&writing);
	}
	if (status == PERFDATA_OK) {
		status = PERFDATA_ENOMEM;
		writing.pack = &pack;
		if (pd_stack_pack_begin(&pack, out, false, gather->wanted.threads)) {
			status = put_all(&writing);
			if (!pd_stack_pack_end(&pack) || writing.failed)
				status = status ? status : PERFDATA_ENOMEM;
		}
	}
	writing_release(&writing);
	return status;
}

const struct perfdata_emitter pd_emitter_pprof = {
	.name = "pprof",
	.task = PERFDATA_TASK_VIEW,
	.help = "a profile for pprof and similar tools: profile.proto, compressed with gzip",
	.needs = STACK_GATHER_NEEDS,
	.configure = pd_stack_configure,
	.option_rules = pd_stack_rules_state,
	.flags = PERFDATA_EMITTER_SYMBOLS | PERFDATA_EMITTER_ONE_DOCUMENT | PERFDATA_EMITTER_LIGHT |
		 PERFDATA_EMITTER_PACKED,
	.mime = "application/octet-stream",
	.suffix = "pb.gz",
	STACK_EMITTER(pd_pprof_release),
	PPROF_SUMS,
};
