/* SPDX-License-Identifier: MIT */
#include "config.h"
#include <string.h>
#include "base/hash.h"
#include "base/memory.h"
#include "emit/values/emitted.h"
#include "emit/timelines/perfetto_stacks.h"
#include "emit/stacks/protobuf.h"
#include "emit/stacks/stack_route.h"
#include "emit/stacks/stack_text.h"

/* Fields of the messages. */
enum { TRACE_PACKET = 1, SEQUENCE_CLEARED = 1, SEQUENCE_NEEDS_STATE = 2, DEFAULTS_PERF_SAMPLE = 12 };
enum {
	INTERNED_FUNCTIONS = 5,
	INTERNED_FRAMES = 6,
	INTERNED_STACKS = 7,
	INTERNED_BUILD_IDS = 16,
	INTERNED_PATHS = 17,
	INTERNED_SOURCES = 18,
	INTERNED_MAPPINGS,
	INTERNED_TABLES
};
enum { INTERNED_ID = 1, STRING_TEXT = 2 };
enum { FRAME_FUNCTION = 2, FRAME_MAPPING, FRAME_ADDRESS, FRAME_SOURCE, FRAME_LINE, FRAME_KIND };
enum { KIND_NATIVE = 1, KIND_KERNEL = 2, KIND_JIT = 4 };
enum { MAPPING_BUILD_ID = 2, MAPPING_PATH = 7, STACK_FRAMES = 2 };
enum { SAMPLE_CPU = 1, SAMPLE_PID, SAMPLE_TID, SAMPLE_STACK, SAMPLE_MODE, SAMPLE_COUNT };
enum {
	DEFAULTS_TIMEBASE = 1,
	TIMEBASE_PERIOD = 1,
	TIMEBASE_FREQUENCY = 2,
	TIMEBASE_TRACEPOINT = 3,
	TIMEBASE_COUNTER = 4,
	TIMEBASE_RAW = 5,
	TIMEBASE_NAME = 10
};

/* Ids of the frames for the functions of a step: the first, and their number in a few bits. */
struct step_frames {
	uint64_t first;
	size_t nr;
};
enum { NR_BITS = 8 };

/* State of the sequence of one event. */
struct sequence {
	bool begun;
	uint64_t nr_frames;
	/* frame and is_caller, or an address in no known file → struct step_frames in one word */
	struct pd_hash_map frames;
	struct pd_hash_map nowhere;
	struct id_set defined[INTERNED_TABLES];   /* by table of interned data */
	struct pd_hash_map counts;   /* by cpu */
};

struct perfetto_stacks {
	const struct perfdata_reader *reader;
	const struct perfdata_session *session;
	struct stack_labels *labels;
	const struct stack_choice *choice;   /* NULL: all stacks */
	struct pd_hash_map chosen;   /* for a choice: node → struct stack_beginning in one word */
	struct sequence *sequences;  /* by index of the event */
	size_t nr, room;
	struct perfdata_text interned, message, name, ids;
	bool failed;
};

struct perfetto_stacks *pd_perfetto_stacks_new(const struct perfdata_reader *reader,
					       const struct perfdata_session *session,
					       const struct stack_choice *choice, bool inlines)
{
	struct perfetto_stacks *stacks = pd_calloc(1, sizeof *stacks);
	if (!stacks)
		return NULL;
	stacks->reader = reader;
	stacks->session = session;
	stacks->choice = choice;
	stacks->labels = pd_stack_labels_new(session, STACK_BY_FUNCTION, inlines, true);
	if (stacks->labels)
		return stacks;
	pd_perfetto_stacks_free(stacks);
	return NULL;
}

void pd_perfetto_stacks_free(struct perfetto_stacks *stacks)
{
	if (!stacks)
		return;
	for (size_t i = 0; i < stacks->nr; i++) {
		pd_hash_map_release(&stacks->sequences[i].frames);
		pd_hash_map_release(&stacks->sequences[i].nowhere);
		for (unsigned table = 0; table < INTERNED_TABLES; table++)
			pd_free(stacks->sequences[i].defined[table].words);
		pd_hash_map_release(&stacks->sequences[i].counts);
	}
	pd_free(stacks->sequences);
	pd_hash_map_release(&stacks->chosen);
	pd_stack_labels_free(stacks->labels);
	perfdata_text_release(&stacks->interned);
	perfdata_text_release(&stacks->message);
	perfdata_text_release(&stacks->name);
	perfdata_text_release(&stacks->ids);
	pd_free(stacks);
}

/* --- definitions, each written once ------------------------------------------------------------------------------- */

/* Whether the sequence has not defined this id yet. */
static bool is_new(struct perfetto_stacks *stacks, struct sequence *sequence, unsigned table, uint32_t id)
{
	const int added = pd_id_set_add(&sequence->defined[table], id);
	stacks->failed |= added < 0;
	return added > 0;
}

static void put_string(struct perfetto_stacks *stacks, unsigned table, uint64_t id, const void *bytes, size_t size)
{
	perfdata_text_clear(&stacks->message);
	pd_protobuf_present(&stacks->message, INTERNED_ID, id);
	pd_protobuf_bytes(&stacks->message, STRING_TEXT, bytes, size);
	pd_protobuf_message(&stacks->interned, table, &stacks->message);
}

/* The id of a label's string in a table of names: the string's id + 1, since 0 means none. */
static uint64_t string_id(struct perfetto_stacks *stacks, struct sequence *sequence, unsigned table, uint32_t string)
{
	if (is_new(stacks, sequence, table, string)) {
		perfdata_text_clear(&stacks->name);
		pd_stack_text_utf8(&stacks->name, pd_stack_labels_string(stacks->labels, string));
		put_string(stacks, table, string + 1u, stacks->name.size ? stacks->name.data : "", stacks->name.size);
		stacks->failed |= perfdata_text_failed(&stacks->name);
	}
	return string + UINT64_C(1);
}

/* Defines a mapping. Perfetto puts a slash before each part of a path; the kernel's mapping is "/kernel". */
static uint64_t mapping_id(struct perfetto_stacks *stacks, struct sequence *sequence, const struct perfdata_dso *dso)
{
	const uint64_t id = dso->id + UINT64_C(1);
	if (!is_new(stacks, sequence, INTERNED_MAPPINGS, dso->id))
		return id;
	const struct perfdata_bytes build_id = perfdata_session_build_id(stacks->session, dso->id, NULL);
	const char *path = dso->kind == PERFDATA_DSO_KERNEL ? "kernel" : *dso->name == '/' ? dso->name + 1 : dso->name;
	const uint32_t string = pd_stack_labels_intern(stacks->labels, path);
	const uint64_t path_id = string == UINT32_MAX ? 0 : string_id(stacks, sequence, INTERNED_PATHS, string);
	stacks->failed |= string == UINT32_MAX;
	if (build_id.size)
		put_string(stacks, INTERNED_BUILD_IDS, id, build_id.data, build_id.size);
	perfdata_text_clear(&stacks->message);
	pd_protobuf_present(&stacks->message, INTERNED_ID, id);
	pd_protobuf_number(&stacks->message, MAPPING_BUILD_ID, build_id.size ? id : 0);
	pd_protobuf_present(&stacks->message, MAPPING_PATH, path_id);
	pd_protobuf_message(&stacks->interned, INTERNED_MAPPINGS, &stacks->message);
	return id;
}

static unsigned kind_of(const struct perfdata_dso *dso)
{
	switch (dso ? dso->kind : PERFDATA_DSO_NONE) {
	case PERFDATA_DSO_KERNEL:
	case PERFDATA_DSO_MODULE:
	case PERFDATA_DSO_BPF:
		return KIND_KERNEL;
	case PERFDATA_DSO_PERF_MAP:
	case PERFDATA_DSO_JITDUMP:
		return KIND_JIT;
	default:
		return dso ? KIND_NATIVE : 0;
	}
}

/* Defines frames for the functions of a step, outermost first, all at the same address. */
static struct step_frames define_step(struct perfetto_stacks *stacks, struct sequence *sequence,
				      const struct perfdata_step *step, bool is_caller)
{
	const struct perfdata_frame *at = step->frame == PERFDATA_NONE
						  ? NULL
						  : perfdata_session_frame(stacks->session, step->frame);
	const struct perfdata_dso *dso = at && at->dso != PERFDATA_NONE ? perfdata_session_dso(stacks->session, at->dso)
									: NULL;
	struct step_frames defined = { .first = sequence->nr_frames + 1 };
	const struct stack_call *calls = pd_stack_labels_of(stacks->labels, step->frame, is_caller, &defined.nr);
	if (!calls) {
		stacks->failed = true;
		return defined;
	}
	const uint64_t mapping = dso ? mapping_id(stacks, sequence, dso) : 0;
	for (size_t i = 0; i < defined.nr; i++) {
		const uint32_t name = pd_stack_labels_get(stacks->labels, calls[i].label)->name;
		const uint64_t function = string_id(stacks, sequence, INTERNED_FUNCTIONS, name);
		const uint64_t source = calls[i].source ? string_id(stacks, sequence, INTERNED_SOURCES, calls[i].source)
							: 0;
		perfdata_text_clear(&stacks->message);
		pd_protobuf_present(&stacks->message, INTERNED_ID, ++sequence->nr_frames);
		pd_protobuf_present(&stacks->message, FRAME_FUNCTION, function);
		pd_protobuf_number(&stacks->message, FRAME_MAPPING, mapping);
		if (mapping)
			pd_protobuf_present(&stacks->message, FRAME_ADDRESS,
					  pd_stack_code_address(at->address, is_caller));
		pd_protobuf_number(&stacks->message, FRAME_SOURCE, source);
		pd_protobuf_number(&stacks->message, FRAME_LINE, calls[i].line);
		pd_protobuf_number(&stacks->message, FRAME_KIND, kind_of(dso));
		pd_protobuf_message(&stacks->interned, INTERNED_FRAMES, &stacks->message);
	}
	return defined;
}

static struct step_frames frames_of(struct perfetto_stacks *stacks, struct sequence *sequence,
				    const struct perfdata_step *step, bool is_caller)
{
	const bool nowhere = step->frame == PERFDATA_NONE;
	struct pd_hash_map *known = nowhere ? &sequence->nowhere : &sequence->frames;
	const uint64_t key = nowhere ? step->ip : (uint64_t)step->frame << 1 | is_caller;
	uint64_t word;
	if (pd_hash_map_get(known, key, &word))
		return (struct step_frames){ word >> NR_BITS, word & ((1u << NR_BITS) - 1) };
	const struct step_frames defined = define_step(stacks, sequence, step, is_caller);
	stacks->failed |= pd_hash_map_put(known, key, defined.first << NR_BITS | defined.nr) < 0;
	return defined;
}

static bool is_caller_at(const struct perfetto_stacks *stacks, const struct perfdata_step *steps, size_t at)
{
	return at && pd_stack_returns_to(stacks->session, steps[at].origin, steps[at].frame, steps[at - 1].frame);
}

/* Where a choice begins a stack: number of outer steps, and of functions in the next step, to leave out. */
struct stack_beginning {
	bool is_chosen;
	uint32_t steps, calls;
};

static struct stack_beginning find_beginning(struct perfetto_stacks *stacks, const struct perfdata_step *steps,
					     size_t nr_steps)
{
	struct stack_beginning root = { 0 };
	unsigned seen = nr_steps ? 0 : pd_stack_choice_sees(stacks->choice, "[no stack]");
	for (size_t i = nr_steps; i-- > 0;) {
		size_t nr;
		const struct stack_call *calls = pd_stack_labels_of(stacks->labels, steps[i].frame,
								    is_caller_at(stacks, steps, i), &nr);
		stacks->failed |= !calls;
		for (size_t k = 0; calls && k < nr; k++) {
			const uint32_t name = pd_stack_labels_get(stacks->labels, calls[k].label)->name;
			const char *text = pd_stack_labels_string(stacks->labels, name);
			const unsigned here = pd_stack_choice_sees(stacks->choice, text);
			if (here & ~seen & STACK_SEEN_ROOT && pd_stack_choice_cuts(stacks->choice)) {
				root.steps = (uint32_t)(nr_steps - 1 - i);
				root.calls = (uint32_t)k;
			}
			seen |= here;
		}
	}
	root.is_chosen = pd_stack_choice_takes(stacks->choice, seen);
	return root;
}

/* The first row of a node in a part has its steps; the result is kept for later rows. */
static struct stack_beginning beginning_of(struct perfetto_stacks *stacks, const struct perfetto_part *part,
					   const struct perfetto_row *row)
{
	enum { CALLS_BITS = 16 };
	uint64_t word;
	if (!stacks->choice)
		return (struct stack_beginning){ .is_chosen = true };
	if (pd_hash_map_get(&stacks->chosen, row->node, &word))
		return (struct stack_beginning){ word & 1, (uint32_t)(word >> (1 + CALLS_BITS)),
						 word >> 1 & ((1u << CALLS_BITS) - 1) };
	const struct stack_beginning root = find_beginning(stacks, &part->steps[row->steps], row->nr_steps);
	word = (uint64_t)root.steps << (1 + CALLS_BITS) | (uint64_t)root.calls << 1 | root.is_chosen;
	stacks->failed |= pd_hash_map_put(&stacks->chosen, row->node, word) < 0;
	return root;
}

/* Defines a stack. Its id is its node; 0 means none. */
static void define_stack(struct perfetto_stacks *stacks, struct sequence *sequence, const struct perfetto_part *part,
			 const struct perfetto_row *row, const struct stack_beginning *root)
{
	const struct perfdata_step *steps = &part->steps[row->steps];
	if (!row->nr_steps || !is_new(stacks, sequence, INTERNED_STACKS, row->node))
		return;
	perfdata_text_clear(&stacks->ids);
	pd_protobuf_present(&stacks->ids, INTERNED_ID, row->node);
	for (size_t i = row->nr_steps - root->steps; i-- > 0;) {
		const struct step_frames frames = frames_of(stacks, sequence, &steps[i],
							    is_caller_at(stacks, steps, i));
		for (size_t k = i + root->steps + 1 == row->nr_steps ? root->calls : 0; k < frames.nr; k++)
			pd_protobuf_present(&stacks->ids, STACK_FRAMES, frames.first + k);
	}
	pd_protobuf_message(&stacks->interned, INTERNED_STACKS, &stacks->ids);
}

/* --- samples ------------------------------------------------------------------------------------------------------ */

/* Perfetto's number of a generic event, by attr.config; 0: none. */
static unsigned counter_of(const struct perfdata_attr *attr)
{
	static const uint8_t hardware[] = { 10, 11, 12, 13, 14, 15, 16, 17, 18, 19 };
	static const uint8_t software[] = { 1, 3, 2, 4, 5, 6, 7, 8, 9, 20 };
	if (attr->type == PERFDATA_TYPE_HARDWARE && attr->config < sizeof hardware)
		return hardware[attr->config];
	return attr->type == PERFDATA_TYPE_SOFTWARE && attr->config < sizeof software ? software[attr->config] : 0;
}

/* The first packet of a sequence says which event its samples count. */
static void begin_sequence(struct perfetto_stacks *stacks, const struct perfdata_event *event,
			   struct perfdata_text *out)
{
	enum { TRACEPOINT_NAME = 1, RAW_TYPE = 1, RAW_CONFIG = 2 };
	const struct perfdata_attr *attr = event->attr;
	const bool by_frequency = perfdata_attr_has(attr, PERFDATA_ATTR_FREQ);
	struct perfdata_text timebase, defaults, packet;
	perfdata_text_init(&timebase);
	perfdata_text_init(&defaults);
	perfdata_text_init(&packet);
	perfdata_text_clear(&stacks->name);
	pd_stack_text_utf8(&stacks->name, event->name);
	const char *name = stacks->name.size ? stacks->name.data : "";
	pd_protobuf_present(&timebase, by_frequency ? TIMEBASE_FREQUENCY : TIMEBASE_PERIOD, attr->sample_period);
	perfdata_text_clear(&stacks->message);
	if (counter_of(attr)) {
		pd_protobuf_present(&timebase, TIMEBASE_COUNTER, counter_of(attr));
	} else if (attr->type == PERFDATA_TYPE_TRACEPOINT) {
		pd_protobuf_bytes(&stacks->message, TRACEPOINT_NAME, name, stacks->name.size);
		pd_protobuf_message(&timebase, TIMEBASE_TRACEPOINT, &stacks->message);
	} else {
		pd_protobuf_present(&stacks->message, RAW_TYPE, attr->type);
		pd_protobuf_present(&stacks->message, RAW_CONFIG, attr->config);
		pd_protobuf_message(&timebase, TIMEBASE_RAW, &stacks->message);
	}
	pd_protobuf_bytes(&timebase, TIMEBASE_NAME, name, stacks->name.size);
	perfdata_text_clear(&stacks->message);
	pd_protobuf_message(&stacks->message, DEFAULTS_TIMEBASE, &timebase);
	pd_protobuf_message(&defaults, DEFAULTS_PERF_SAMPLE, &stacks->message);
	pd_protobuf_present(&packet, PACKET_SEQUENCE, PERFETTO_SAMPLES + event->index);
	pd_protobuf_present(&packet, PACKET_SEQUENCE_FLAGS, SEQUENCE_CLEARED);
	pd_protobuf_message(&packet, PACKET_DEFAULTS, &defaults);
	pd_protobuf_message(out, TRACE_PACKET, &packet);
	perfdata_text_release(&timebase);
	perfdata_text_release(&defaults);
	perfdata_text_release(&packet);
}

static struct sequence *sequence_of(struct perfetto_stacks *stacks, uint32_t event)
{
	const size_t before = stacks->room;
	if (pd_vector_grow(&stacks->sequences, &stacks->room, event, sizeof *stacks->sequences) < 0)
		return NULL;
	if (stacks->room > before)
		memset(stacks->sequences + before, 0, (stacks->room - before) * sizeof *stacks->sequences);
	stacks->nr = event >= stacks->nr ? event + 1 : stacks->nr;
	return &stacks->sequences[event];
}

/* The count of the processor so far, which Perfetto expects instead of periods. */
static uint64_t count_up(struct perfetto_stacks *stacks, struct sequence *sequence, const struct perfetto_row *row)
{
	uint64_t count = 0;
	(void)pd_hash_map_get(&sequence->counts, row->cpu, &count);
	count += row->weight;
	stacks->failed |= pd_hash_map_put(&sequence->counts, row->cpu, count) < 0;
	return count;
}

bool pd_perfetto_stacks_sample(struct perfetto_stacks *stacks, const struct perfetto_part *part,
			       const struct perfetto_row *row, struct perfdata_text *out)
{
	struct sequence *sequence = sequence_of(stacks, row->event);
	const struct stack_beginning root = beginning_of(stacks, part, row);
	struct perfdata_text packet;
	if (!sequence)
		return false;
	if (!root.is_chosen)
		return !stacks->failed;
	if (!sequence->begun)
		begin_sequence(stacks, perfdata_reader_event(stacks->reader, row->event), out);
	sequence->begun = true;
	perfdata_text_clear(&stacks->interned);
	define_stack(stacks, sequence, part, row, &root);
	perfdata_text_clear(&stacks->message);
	pd_protobuf_present(&stacks->message, SAMPLE_CPU, row->cpu == UINT32_MAX ? 0 : row->cpu);
	if (row->pid >= 0)
		pd_protobuf_present(&stacks->message, SAMPLE_PID, (uint32_t)row->pid);
	if (row->tid >= 0)
		pd_protobuf_present(&stacks->message, SAMPLE_TID, (uint32_t)row->tid);
	pd_protobuf_number(&stacks->message, SAMPLE_STACK, row->node);
	pd_protobuf_present(&stacks->message, SAMPLE_MODE, row->state);
	pd_protobuf_present(&stacks->message, SAMPLE_COUNT, count_up(stacks, sequence, row));
	perfdata_text_init(&packet);
	if (row->time != UINT64_MAX)
		pd_protobuf_present(&packet, PACKET_TIMESTAMP, row->time);
	pd_protobuf_present(&packet, PACKET_SEQUENCE, PERFETTO_SAMPLES + row->event);
	pd_protobuf_present(&packet, PACKET_SEQUENCE_FLAGS, SEQUENCE_NEEDS_STATE);
	if (stacks->interned.size)
		pd_protobuf_message(&packet, PACKET_INTERNED, &stacks->interned);
	pd_protobuf_message(&packet, PACKET_PERF_SAMPLE, &stacks->message);
	pd_protobuf_message(out, TRACE_PACKET, &packet);
	perfdata_text_release(&packet);
	return !stacks->failed && !perfdata_text_failed(out) && !perfdata_text_failed(&stacks->interned);
}
