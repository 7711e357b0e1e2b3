/* SPDX-License-Identifier: MIT */
/* `baseline`: a summary of a few kilobytes for comparing recordings (perfdata/compare.h): samples, weight and sum of
 * squares of each key, self and inclusive. Keys with a share too small for any comparison are omitted. */
#include "config.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/memory.h"
#include "emit/emitters.h"
#include "emit/stacks/stack_baseline.h"
#include "emit/stacks/stack_gather.h"
#include "emit/stacks/stack_place.h"
#include "emit/stacks/stack_text.h"
#include "profile/baseline.h"
#include "profile/key_name.h"
#include "session/session.h"

static const struct perfdata_emitter_option options[] = {
	{ .name = "by", .kind = PERFDATA_OPTION_CHOICE, .argument = "symbol|dso|comm|thread|event|line|stack",
	  .help = "what a row is; default symbol: a function of a file" },
	STACK_OPTION_WEIGHT("quantity that shares are of"),
	STACK_OPTIONS_STATE,
	{ .name = "inline", .kind = PERFDATA_OPTION_FLAG,
	  .help = "inlined functions are rows (default; --no-inline adds them to their callers)" },
	{ .name = "exact-symbols", .kind = PERFDATA_OPTION_FLAG,
	  .help = "distinguish functions by whole names, including suffixes and hashes from compilers" },
	STACK_OPTIONS_CHOICE,
	{ 0 },
};

/* Keys and calls with less than 1/n of an event's weight are omitted. */
enum { KEYS_LEFT_OUT = 10000, EDGES_LEFT_OUT = 1000 };

enum by { BY_SYMBOL, BY_DSO, BY_COMM, BY_THREAD, BY_EVENT, BY_LINE, BY_STACK };
static const char *const by_names[] = { "symbol", "dso", "comm", "thread", "event", "line", "stack" };

struct state {
	struct stack_gather gather;
	enum by by;
	bool inlines, by_samples, exact;
};

static enum perfdata_status set_up(void *pointer, const struct perfdata_emit_context *context,
				   struct perfdata_text *out)
{
	struct state *state = pointer;
	(void)out;
	for (unsigned i = 0; i < sizeof by_names / sizeof *by_names; i++)
		if (pd_stack_option_is(context->options, context->nr_options, "by", by_names[i]))
			state->by = (enum by)i;
	state->inlines = perfdata_option_flag(context->options, context->nr_options, "inline", true);
	state->exact = perfdata_option_flag(context->options, context->nr_options, "exact-symbols", false);
	state->by_samples = pd_stack_option_is(context->options, context->nr_options, "weight", "samples");
	const struct pd_profile_options wanted = {
		.by_period = !state->by_samples,
		.parts = state->by == BY_THREAD ? PD_BY_THREAD
			 : state->by == BY_COMM ? PD_BY_COMM
						: 0,
		.names = state->by == BY_DSO                        ? PD_NAMES_NONE
			 : state->inlines || state->by == BY_LINE ? PD_NAMES_LINES
								  : PD_NAMES_SYMBOLS,
	};
	return pd_stack_gather_begin(&state->gather, context, &wanted);
}

STACK_BEGIN(set_up, pd_stack_release)

/* --- keys --------------------------------------------------------------------------------------------------------- */

/* Sums of a key in the current event. */
struct sums {
	struct pd_share_sums self, inclusive;
	uint64_t seen;                   /* number of the last stack that was added */
};
struct edge {
	struct pd_side_edge sums;
	uint64_t seen;
};

/* The state of `end`, which adds up keys after the last sample. Indexes of keys count all events; numbers of keys in
 * the text differ from them. */
struct baseline_writer {
	const struct state *state;
	struct perfdata_text *out;
	struct stack_labels *labels;
	struct stack_place place;        /* its route goes from a node to labels */
	struct stack_tree tree;          /* with BY_STACK: a tree of stacks; its nodes are the keys */
	struct pd_intern *texts;         /* texts that identify keys; the id of the text is the index of the key */
	struct pd_hash_map by_label;     /* label (BY_STACK: node + NODE) → key */
	struct key {
		uint32_t label;          /* the first label of the key; BY_STACK: the node */
		uint32_t clones;         /* labels */
		bool has_address;
		uint64_t address;
		uint32_t written;        /* number in the text; UINT32_MAX: not written yet */
	} *keys;
	size_t nr_keys, keys_room;
	struct sums *sums;               /* by key */
	size_t sums_room;
	struct edge *edges;
	size_t nr_edges, edges_room;
	struct pd_hash_map edge_of;      /* caller << 32 | callee → index of the edge */
	/* by step, root first: its key; the key of its address, if it has no name, or NO_KEY */
	uint32_t *path, *places;
	size_t path_room, places_room;
	uint32_t *files;                 /* by dso: number in the text + 1 */
	size_t files_room;
	uint32_t nr_files, nr_written;
	uint64_t stack;                  /* number of the current stack */
	struct pd_side_event event;
	struct perfdata_text name;
};

#define NO_KEY UINT32_MAX
#define NODE (UINT64_C(1) << 32)

/* The key with the text in writer->name. */
static bool key_of_text(struct baseline_writer *writer, const struct key *key, uint32_t *ret)
{
	*ret = perfdata_text_failed(&writer->name) ? UINT32_MAX
						   : pd_intern_put(writer->texts, writer->name.data, writer->name.size);
	if (*ret == UINT32_MAX)
		return false;
	if (*ret < writer->nr_keys)
		return true;
	if (pd_vector_grow(&writer->keys, &writer->keys_room, writer->nr_keys, sizeof *key) < 0 ||
	    pd_vector_reach(&writer->sums, &writer->sums_room, writer->nr_keys, sizeof *writer->sums) < 0)
		return false;
	writer->keys[writer->nr_keys] = *key;
	writer->keys[writer->nr_keys++].written = UINT32_MAX;
	return true;
}

/* Appends the name of a label as used in its key. */
static void append_name(struct baseline_writer *writer, const struct stack_label *label)
{
	const char *name = pd_stack_labels_string(writer->labels, label->name);
	char key[PD_KEY_NAME_MAX];
	if (writer->state->by == BY_LINE && label->source) {
		perfdata_text_printf(&writer->name, "%s:%" PRIu32 " ",
				     pd_stack_labels_string(writer->labels, label->source), label->line);
	} else if (pd_stack_kind_is_nameless(label->kind) && label->dso != PERFDATA_NONE) {
		perfdata_text_literal(&writer->name, "(unnamed)");
		return;
	}
	if (!writer->state->exact)
		pd_key_symbol(name, key, sizeof key);
	perfdata_text_string(&writer->name, writer->state->exact ? name : key);
}

static void append_file(struct baseline_writer *writer, uint32_t dso)
{
	const struct perfdata_dso *of = dso == PERFDATA_NONE ? NULL
							     : perfdata_session_dso(writer->state->gather.session, dso);
	char key[PD_KEY_NAME_MAX];
	if (!of)
		return;
	pd_key_file(of->kind, of->name, key, sizeof key);
	perfdata_text_string(&writer->name, key);
}

/* The key of a label. All clones of a function, inlined or not, have one key. */
static bool key_of_label(struct baseline_writer *writer, uint32_t id, uint32_t *ret)
{
	const struct stack_label *label = pd_stack_labels_get(writer->labels, id);
	const struct key key = { .label = id };
	uint64_t known;
	if (pd_hash_map_get(&writer->by_label, id, &known)) {
		*ret = (uint32_t)known;
		return true;
	}
	perfdata_text_clear(&writer->name);
	append_file(writer, label->dso);
	perfdata_text_char(&writer->name, 0);
	if (writer->state->by != BY_DSO)
		append_name(writer, label);
	if (!key_of_text(writer, &key, ret) || pd_hash_map_put(&writer->by_label, id, *ret) < 0)
		return false;
	writer->keys[*ret].clones++;
	return true;
}

/* The key of an unnamed address: its offset in a file with a build-id. *ret is NO_KEY without a build-id. */
static bool key_of_place(struct baseline_writer *writer, uint32_t label, const struct stack_step *step, uint32_t *ret)
{
	const struct perfdata_session *session = writer->state->gather.session;
	const struct stack_label *of = pd_stack_labels_get(writer->labels, label);
	*ret = NO_KEY;
	if (writer->state->by != BY_SYMBOL || !pd_stack_kind_is_nameless(of->kind) || of->dso == PERFDATA_NONE ||
	    perfdata_session_dso(session, of->dso)->kind != PERFDATA_DSO_USER ||
	    !perfdata_session_build_id(session, of->dso, NULL).size)
		return true;
	const struct key key = { .label = label,
				 .clones = 1,
				 .has_address = true,
				 .address = perfdata_session_frame(session, step->frame)->address };
	perfdata_text_clear(&writer->name);
	perfdata_text_printf(&writer->name, "%" PRIu32 "%c%" PRIx64, label, 1, key.address);
	return key_of_text(writer, &key, ret);
}

/* Replaces *at by its child for the label, and gets the key of that node. Labels with one key share a node. */
static bool key_of_node(struct baseline_writer *writer, uint32_t label, uint32_t *at, uint32_t *ret)
{
	uint32_t first;
	if (!key_of_label(writer, label, &first))
		return false;
	*at = pd_stack_tree_child(&writer->tree, *at, writer->keys[first].label);
	const struct key key = { .label = *at, .clones = 1 };
	uint64_t known;
	if (*at == STACK_NO_NODE)
		return false;
	if (pd_hash_map_get(&writer->by_label, NODE + *at, &known)) {
		*ret = (uint32_t)known;
		return true;
	}
	perfdata_text_clear(&writer->name);
	perfdata_text_printf(&writer->name, "%c%" PRIu32, 2, *at);
	return key_of_text(writer, &key, ret) && pd_hash_map_put(&writer->by_label, NODE + *at, *ret) == 0;
}

static struct pd_share_sums sums_of(const struct pd_profile_sums *sums)
{
	return (struct pd_share_sums){ .n = sums->samples,
				       .w = sums->weight,
				       .q = { sums->squares[0], sums->squares[1] } };
}

static bool add_edge(struct baseline_writer *writer, uint32_t caller, uint32_t callee, const struct pd_share_sums *sums)
{
	const uint64_t name = (uint64_t)caller << 32 | callee;
	uint64_t index;
	if (!pd_hash_map_get(&writer->edge_of, name, &index)) {
		index = writer->nr_edges;
		if (pd_vector_grow(&writer->edges, &writer->edges_room, writer->nr_edges, sizeof *writer->edges) < 0 ||
		    pd_hash_map_put(&writer->edge_of, name, index) < 0)
			return false;
		writer->edges[writer->nr_edges++] = (struct edge){ .sums = { .caller = caller, .callee = callee } };
	}
	struct edge *edge = &writer->edges[index];
	if (edge->seen != writer->stack) {
		edge->seen = writer->stack;
		edge->sums.n += sums->n;
		edge->sums.w += sums->w;
	}
	return true;
}

static void add_inclusive(struct baseline_writer *writer, uint32_t key, const struct pd_share_sums *sums)
{
	struct sums *sum = &writer->sums[key];
	if (sum->seen != writer->stack)
		pd_share_sums_add(&sum->inclusive, sums);
	sum->seen = writer->stack;
}

/* Adds the call from the step before. An unnamed step has two keys, file and address: if both sides have the same file,
 * addresses are compared. */
static bool add_call(struct baseline_writer *writer, size_t step, const struct pd_share_sums *sums)
{
	const uint32_t callers[] = { writer->path[step - 1], writer->places[step - 1] };
	const uint32_t callees[] = { writer->path[step], writer->places[step] };
	for (size_t i = 0; i < 4; i++) {
		const uint32_t caller = callers[i / 2], callee = callees[i % 2];
		if (caller != NO_KEY && callee != NO_KEY && caller != callee && !add_edge(writer, caller, callee, sums))
			return false;
	}
	return true;
}

/* Adds a stack. A key or call counts once even if it is in the stack several times. */
static bool add_path(struct baseline_writer *writer, size_t nr, const struct pd_share_sums *sums)
{
	writer->stack++;
	for (size_t i = 0; i < nr; i++) {
		add_inclusive(writer, writer->path[i], sums);
		if (writer->places[i] != NO_KEY)
			add_inclusive(writer, writer->places[i], sums);
		if (i && writer->state->by == BY_SYMBOL && !add_call(writer, i, sums))
			return false;
	}
	pd_share_sums_add(&writer->sums[writer->path[nr - 1]].self, sums);
	if (writer->places[nr - 1] != NO_KEY)
		pd_share_sums_add(&writer->sums[writer->places[nr - 1]].self, sums);
	return true;
}

/* Makes room for `nr` keys. */
static bool make_path(struct baseline_writer *writer, size_t nr)
{
	return pd_vector_grow(&writer->path, &writer->path_room, nr, sizeof *writer->path) == 0 &&
	       pd_vector_grow(&writer->places, &writer->places_room, nr, sizeof *writer->places) == 0;
}

static void note_kinds(struct baseline_writer *writer, const struct stack_path *path, const struct pd_share_sums *sums)
{
	const struct stack_label *last = pd_stack_labels_get(writer->labels, path->labels[path->nr_labels - 1]);
	bool inlined = false;
	for (size_t i = 0; i < path->nr_labels && !inlined; i++) {
		const enum stack_kind kind = pd_stack_labels_get(writer->labels, path->labels[i])->kind;
		inlined = kind == STACK_INLINED || kind == STACK_INLINED_KERNEL;
	}
	writer->event.named += pd_stack_kind_is_nameless(last->kind) ? 0 : sums->w;
	writer->event.inlined += inlined ? sums->w : 0;
	if (path->nr_steps &&
	    pd_session_frame_is_kernel(writer->state->gather.session, path->steps[path->nr_steps - 1].frame))
		writer->event.kernel += sums->n;
}

static enum perfdata_status add_stack(struct baseline_writer *writer, uint32_t node, const struct pd_share_sums *sums)
{
	struct stack_path path;
	const enum perfdata_status status = pd_stack_route_to(writer->place.route, node, &path);
	if (status != PERFDATA_OK)
		return status;
	if (!make_path(writer, path.nr_labels))
		return PERFDATA_ENOMEM;
	size_t step = 0;
	uint32_t at = STACK_NO_NODE;
	for (size_t i = 0; i < path.nr_labels; i++) {
		uint32_t *key = &writer->path[i];
		while (step + 1 < path.nr_steps && path.steps[step].end_label - path.cut_labels <= i)
			step++;
		writer->places[i] = NO_KEY;
		bool fine = writer->state->by == BY_STACK ? key_of_node(writer, path.labels[i], &at, key)
							  : key_of_label(writer, path.labels[i], key);
		if (path.nr_steps && path.steps[step].frame != PERFDATA_NONE)
			fine = fine && key_of_place(writer, path.labels[i], &path.steps[step], &writer->places[i]);
		if (!fine)
			return PERFDATA_ENOMEM;
	}
	note_kinds(writer, &path, sums);
	return add_path(writer, path.nr_labels, sums) ? PERFDATA_OK : PERFDATA_ENOMEM;
}

static const char *comm_text(const struct baseline_writer *writer, uint32_t comm)
{
	return comm == PERFDATA_NONE ? "" : perfdata_session_comm(writer->state->gather.session, comm);
}

/* "PROCESS/THREAD" if the main thread of the process is known. */
static void name_thread(struct baseline_writer *writer, uint32_t number)
{
	const struct pd_profile *profile = writer->state->gather.profile;
	const struct pd_profile_thread *thread = pd_profile_thread(profile, number);
	for (uint32_t i = 0; i < pd_profile_nr_threads(profile) && thread->pid != thread->tid; i++) {
		const struct pd_profile_thread *other = pd_profile_thread(profile, i);
		if (other->pid != thread->pid || other->tid != other->pid || other->comm == thread->comm)
			continue;
		perfdata_text_string(&writer->name, comm_text(writer, other->comm));
		perfdata_text_char(&writer->name, '/');
		break;
	}
	perfdata_text_string(&writer->name, comm_text(writer, thread->comm));
}

static enum perfdata_status add_text(struct baseline_writer *writer, const struct pd_profile_key *key,
				     const struct pd_share_sums *sums)
{
	static const struct key single_clone = { .clones = 1 };
	perfdata_text_clear(&writer->name);
	if (writer->state->by == BY_COMM)
		perfdata_text_string(&writer->name, comm_text(writer, key->comm));
	else if (writer->state->by == BY_THREAD)
		name_thread(writer, key->thread);
	else
		perfdata_text_string(&writer->name, writer->event.name);
	if (!writer->state->exact && writer->state->by != BY_EVENT) {
		char name[PD_KEY_NAME_MAX];
		perfdata_text_char(&writer->name, 0);
		pd_key_comm(perfdata_text_failed(&writer->name) ? "" : writer->name.data, name, sizeof name);
		perfdata_text_clear(&writer->name);
		perfdata_text_string(&writer->name, name);
	}
	if (!make_path(writer, 1) || !key_of_text(writer, &single_clone, &writer->path[0]))
		return PERFDATA_ENOMEM;
	writer->places[0] = NO_KEY;
	if (!add_path(writer, 1, sums))
		return PERFDATA_ENOMEM;
	/* names of addresses do not matter for these keys */
	writer->event.named += sums->w;
	return PERFDATA_OK;
}

/* --- one event ---------------------------------------------------------------------------------------------------- */

static bool is_left_out(uint64_t w, uint64_t all, unsigned below) { return (double)w * below < (double)all; }

/* The number of a label's file in the text, which is written first if necessary; PD_NO_FILE: no file. */
static bool write_file(struct baseline_writer *writer, uint32_t dso, uint32_t *ret)
{
	const struct perfdata_session *session = writer->state->gather.session;
	*ret = PD_NO_FILE;
	if (dso == PERFDATA_NONE)
		return true;
	if (pd_vector_reach(&writer->files, &writer->files_room, dso, sizeof *writer->files) < 0)
		return false;
	if (!writer->files[dso]) {
		const struct perfdata_dso *of = perfdata_session_dso(session, dso);
		char hex[PD_BUILD_ID_TEXT];
		pd_session_build_id_text(session, dso, hex);
		const struct pd_side_file file = { .kind = of->kind, .build_id = hex, .path = of->name };
		pd_baseline_file(writer->out, writer->nr_files, &file);
		writer->files[dso] = ++writer->nr_files;
	}
	*ret = writer->files[dso] - 1;
	return true;
}

static void append_stack(struct baseline_writer *writer, uint32_t node)
{
	const uint32_t parent = pd_stack_tree_parent(&writer->tree, node);
	if (parent != STACK_NO_NODE) {
		append_stack(writer, parent);
		perfdata_text_char(&writer->name, ';');
	}
	const size_t before = writer->name.size;
	append_name(writer, pd_stack_labels_get(writer->labels, pd_stack_tree_label(&writer->tree, node)));
	for (size_t i = before; i < writer->name.size; i++)
		if (writer->name.data[i] == ';')
			writer->name.data[i] = ':';
}

/* Writes the key's name to writer->name. */
static void spell_key(struct baseline_writer *writer, uint32_t id)
{
	const struct key *key = &writer->keys[id];
	const enum by by = writer->state->by;
	perfdata_text_clear(&writer->name);
	if (by == BY_STACK) {
		append_stack(writer, key->label);
	} else if (by == BY_COMM || by == BY_THREAD || by == BY_EVENT) {
		size_t size;
		const char *text = pd_intern_get(writer->texts, id, &size);
		perfdata_text_append(&writer->name, text, size);
	} else if (by != BY_DSO) {
		append_name(writer, pd_stack_labels_get(writer->labels, key->label));
	}
	perfdata_text_char(&writer->name, 0);
}

static bool write_key(struct baseline_writer *writer, uint32_t id)
{
	struct key *key = &writer->keys[id];
	struct pd_side_key side = { .file = PD_NO_FILE,
				    .shown = "",
				    .raw_name = "",
				    .clones = key->clones,
				    .has_address = key->has_address,
				    .address = key->address };
	const enum by by = writer->state->by;
	if (key->written != UINT32_MAX)
		return true;
	spell_key(writer, id);
	if (perfdata_text_failed(&writer->name))
		return false;
	side.name = writer->name.data;
	if (by == BY_SYMBOL || by == BY_DSO || by == BY_LINE) {
		const struct stack_label *label = pd_stack_labels_get(writer->labels, key->label);
		const char *shown = pd_stack_labels_string(writer->labels, label->name);
		if (!write_file(writer, label->dso, &side.file))
			return false;
		if (by == BY_SYMBOL && !pd_stack_kind_is_nameless(label->kind) && strcmp(shown, side.name) != 0)
			side.shown = shown;
		if (label->raw_name != label->name)
			side.raw_name = pd_stack_labels_string(writer->labels, label->raw_name);
	}
	pd_baseline_key(writer->out, writer->nr_written, &side);
	key->written = writer->nr_written++;
	return true;
}

static bool write_sums(struct baseline_writer *writer)
{
	const uint64_t all = writer->event.all.w;
	for (size_t i = 0; i < writer->nr_keys; i++) {
		struct sums *sum = &writer->sums[i];
		if (!sum->inclusive.n || is_left_out(sum->inclusive.w, all, KEYS_LEFT_OUT))
			continue;
		if (!write_key(writer, (uint32_t)i))
			return false;
		const struct pd_side_sum side = { .key = writer->keys[i].written,
						  .self = sum->self,
						  .inclusive = sum->inclusive };
		pd_baseline_sum(writer->out, &side);
		perfdata_text_cut(writer->out);
	}
	for (size_t i = 0; i < writer->nr_edges; i++) {
		struct pd_side_edge edge = writer->edges[i].sums;
		if (is_left_out(edge.w, all, EDGES_LEFT_OUT))
			continue;
		edge.caller = writer->keys[edge.caller].written;
		edge.callee = writer->keys[edge.callee].written;
		pd_baseline_edge(writer->out, &edge);
	}
	return true;
}

static const char *chains_of(const struct perfdata_attr *attr)
{
	if (!(attr->sample_type & PERFDATA_SAMPLE_CALLCHAIN))
		return "none";
	return attr->sample_type & PERFDATA_SAMPLE_STACK_USER     ? "unwound"
	       : attr->sample_type & PERFDATA_SAMPLE_BRANCH_STACK ? "branch"
								  : "recorded";
}

static void write_event(struct baseline_writer *writer, const struct perfdata_event *event)
{
	/* without exclude_guest: perf changed how it sets this flag */
	static const struct { enum perfdata_attr_flag flag; const char *name;
	} excludes[] = {
		{ PERFDATA_ATTR_EXCLUDE_USER, "user" },
		{ PERFDATA_ATTR_EXCLUDE_KERNEL, "kernel" },
		{ PERFDATA_ATTR_EXCLUDE_HV, "hv" },
		{ PERFDATA_ATTR_EXCLUDE_IDLE, "idle" },
	};
	const struct perfdata_attr *attr = event->attr;
	char config[96], exclude[64] = "", rate[32], precise[2] = { (char)('0' + perfdata_attr_precise_ip(attr)), 0 };
	snprintf(config, sizeof config, "%" PRIu32 "/%" PRIx64 "/%" PRIx64 "/%" PRIx64, attr->type, attr->config,
		 attr->config1, attr->config2);
	for (size_t i = 0; i < sizeof excludes / sizeof *excludes; i++)
		if (perfdata_attr_has(attr, excludes[i].flag)) {
			const size_t used = strlen(exclude);
			snprintf(exclude + used, sizeof exclude - used, "%s%s", used ? "," : "", excludes[i].name);
		}
	snprintf(rate, sizeof rate, "%s %" PRIu64, perfdata_attr_has(attr, PERFDATA_ATTR_FREQ) ? "freq" : "period",
		 attr->sample_period);
	writer->event.setup = (struct pd_side_setup){
		.config = config,
		.exclude = exclude,
		.rate = rate,
		.precise = precise,
		.weight = writer->state->by_samples ? "samples"
						   : pd_stack_weight_name(writer->state->gather.session),
		.chains = chains_of(attr),
	};
	pd_baseline_event(writer->out, &writer->event);
}

static enum perfdata_status end_event(struct baseline_writer *writer, uint32_t index)
{
	write_event(writer, perfdata_reader_event(writer->state->gather.reader, index));
	if (!write_sums(writer))
		return PERFDATA_ENOMEM;
	memset(writer->sums, 0, writer->sums_room * sizeof *writer->sums);
	writer->nr_edges = 0;
	pd_hash_map_release(&writer->edge_of);
	memset(&writer->edge_of, 0, sizeof writer->edge_of);
	return PERFDATA_OK;
}

static void begin_event(struct baseline_writer *writer, uint32_t index)
{
	const struct stack_gather *gather = &writer->state->gather;
	const struct perfdata_event *event = perfdata_reader_event(gather->reader, index);
	const struct pd_profile_sums *sums = pd_profile_event(gather->profile, index);
	writer->event = (struct pd_side_event){
		.name = event->name, .is_time = !writer->state->by_samples && pd_stack_event_is_time(event)
	};
	if (sums)
		writer->event.all = sums_of(sums);
}

/* --- the whole baseline
 * -------------------------------------------------------------------------------------------------- */

static void write_recording(struct baseline_writer *writer, const struct perfdata_emit_end *end)
{
	const struct perfdata_reader *reader = writer->state->gather.reader;
	const struct perfdata_summary *summary = end->summary;
	const struct perfdata_feature_section *section = perfdata_reader_feature(reader, PERFDATA_FEATURE_NRCPUS);
	const struct perfdata_node *online = section && section->feature
						     ? perfdata_node_get(perfdata_feature_root(section->feature),
									 "online")
						     : NULL;
	char cpus[24] = "";
	if (online)
		snprintf(cpus, sizeof cpus, "%" PRIu64, online->v.u);
	const char *texts[3];
	static const uint32_t features[] = { PERFDATA_FEATURE_ARCH, PERFDATA_FEATURE_CPUDESC,
					     PERFDATA_FEATURE_OSRELEASE };
	for (unsigned i = 0; i < 3; i++) {
		texts[i] = perfdata_reader_feature_text(reader, features[i]);
		texts[i] = texts[i] ? texts[i] : "";
	}
	const struct pd_side_recording recording = {
		.reported = { .name = perfdata_reader_header(reader)->name,
			  .lost_records = summary->lost_records,
			  .lost_samples = summary->lost_samples,
			  .duration = summary->first_time == UINT64_MAX ? 0 : summary->last_time - summary->first_time,
			  .complete = end->complete },
		.arch = texts[0],
		.cpu = texts[1],
		.cpus = cpus,
		.release = texts[2],
	};
	pd_baseline_recording(writer->out, &recording);
}

static enum perfdata_status add_entries(struct baseline_writer *writer, struct pd_profile_walk *walk)
{
	const struct pd_profile_entry *entry;
	const enum by by = writer->state->by;
	const bool by_stack = by == BY_SYMBOL || by == BY_DSO || by == BY_LINE || by == BY_STACK;
	uint32_t index = UINT32_MAX;
	enum perfdata_status status;
	while ((status = pd_profile_walk_next(walk, &entry)) == PERFDATA_OK) {
		if (entry->key.event != index) {
			if (index != UINT32_MAX)
				status = end_event(writer, index);
			index = entry->key.event;
			begin_event(writer, index);
		}
		const struct pd_share_sums sums = sums_of(&entry->sums);
		if (status == PERFDATA_OK)
			status = by_stack ? add_stack(writer, entry->key.node, &sums)
					  : add_text(writer, &entry->key, &sums);
		if (status != PERFDATA_OK)
			return status;
	}
	if (status != PERFDATA_END)
		return status;
	return index == UINT32_MAX ? PERFDATA_OK : end_event(writer, index);
}

static void making_release(struct baseline_writer *writer)
{
	pd_stack_route_free(writer->place.route);
	pd_stack_place_release(&writer->place);
	pd_stack_tree_release(&writer->tree);
	pd_stack_labels_free(writer->labels);
	pd_intern_free(writer->texts);
	pd_hash_map_release(&writer->by_label);
	pd_hash_map_release(&writer->edge_of);
	pd_free(writer->keys);
	pd_free(writer->sums);
	pd_free(writer->edges);
	pd_free(writer->path);
	pd_free(writer->places);
	pd_free(writer->files);
	perfdata_text_release(&writer->name);
}

/* Writes the baseline of a finished profile. */
static enum perfdata_status write_baseline(const struct state *state, const struct perfdata_emit_end *end,
					   struct perfdata_text *out)
{
	struct baseline_writer writer = { .state = state,
				 .out = out,
				 .tree = { .account = pd_profile_account(state->gather.profile) } };
	struct pd_profile_walk *walk = NULL;
	const enum stack_by by = state->by == BY_DSO    ? STACK_BY_FILE
				 : state->by == BY_LINE ? STACK_BY_LINE
							: STACK_BY_FUNCTION;
	enum perfdata_status status = PERFDATA_OK;
	perfdata_text_init(&writer.name);
	writer.labels = pd_stack_labels_new(state->gather.session, by, state->inlines, false);
	writer.texts = pd_intern_new();
	if (writer.labels)
		writer.place.route = pd_stack_route_new(state->gather.profile, state->gather.session, writer.labels,
							 state->gather.choice);
	if (!writer.place.route || !writer.texts)
		status = PERFDATA_ENOMEM;
	if (status == PERFDATA_OK)
		status = pd_profile_walk_paths(state->gather.profile, &walk);
	if (status == PERFDATA_OK) {
		char name[32];
		snprintf(name, sizeof name, "%s%s", by_names[state->by], state->exact ? ", exact names" : "");
		pd_baseline_head(out, name);
		write_recording(&writer, end);
		status = add_entries(&writer, walk);
		pd_profile_walk_free(walk);
	}
	if (pd_stack_tree_failed(&writer.tree) != PERFDATA_OK)
		status = pd_stack_tree_failed(&writer.tree);
	making_release(&writer);
	return pd_stack_ended(status, out);
}

static enum perfdata_status end_output(void *pointer, const struct perfdata_emit_end *end, struct perfdata_text *out)
{
	struct state *state = pointer;
	const enum perfdata_status status = pd_stack_gather_finish(&state->gather);
	return status == PERFDATA_OK ? write_baseline(state, end, out) : status;
}

enum perfdata_status pd_stack_baseline_of(const struct stack_gather *gather, bool inlines,
					  const struct perfdata_summary *summary, struct perfdata_text *out)
{
	const struct state state = { .gather = *gather, .by = BY_SYMBOL, .inlines = inlines };
	const struct perfdata_emit_end end = { .summary = summary, .complete = true };
	return write_baseline(&state, &end, out);
}

const struct perfdata_emitter pd_emitter_baseline = {
	.name = "baseline",
	.help = "the weights of all functions in a few kilobytes, for perfdata diff",
	.needs = STACK_GATHER_NEEDS,
	.configure = pd_stack_configure,
	.option_rules = pd_stack_rules_state,
	.flags = PERFDATA_EMITTER_SYMBOLS | PERFDATA_EMITTER_LIGHT,
	.suffix = "txt",
	STACK_EMITTER(pd_stack_release),
	STACK_SUMS,
};
