/* SPDX-License-Identifier: MIT */
/* `perfetto`: packets of protobuf for ui.perfetto.dev, written while the recording is read: processes and threads,
 * samples with stacks, tracepoints (those of the scheduler make CPU tracks), context switches, and instants for other
 * records. Times are the recording's; no packet names a clock, so that viewers do not convert them. */
#include "config.h"
#include <inttypes.h>
#include <string.h>
#include "base/hash.h"
#include "base/memory.h"
#include "emit/emitters.h"
#include "emit/timelines/perfetto_stacks.h"
#include "emit/stacks/protobuf.h"
#include "emit/stacks/stack_gather.h"
#include "emit/stacks/stack_head.h"
#include "emit/stacks/stack_text.h"

static const struct perfdata_emitter_option options[] = {
	STACK_OPTION_INLINE,
	STACK_OPTIONS_CHOICE,
	{ 0 },
};

enum { TRACK_OF_NOTES = 1, TRACK_OF_THREADS };   /* ids of tracks: thread n has TRACK_OF_THREADS + n */
/* Ids of tracks below a thread's track, by thread and place. */
#define TRACKS_BELOW (UINT64_C(1) << 48)
enum { PLACES_BELOW = 256 };

struct state {
	const struct perfdata_session *session;
	const struct perfdata_reader *reader;
	struct stack_choice *choice;     /* which samples to write; NULL: all */
	struct perfetto_stacks *stacks;
	struct pd_hash_map comms;        /* number of a thread → its last written comm + 1 */
	struct pd_hash_map tracks;       /* number of a thread → 1: its track was written */
	struct pd_hash_map states;       /* tid → its last written state */
	struct pd_hash_map requests;     /* id of a track below a thread's → end of its last slice */
	/* scheduler tracepoints say which thread runs, so SWITCH records are not written */
	bool has_switches;
	uint64_t last_time;
	uint64_t nr_flows;               /* number of flows from wakers to woken threads so far */
	struct perfdata_text message, part, name;
};

static void release_state(void *pointer)
{
	struct state *state = pointer;
	if (!state)
		return;
	pd_perfetto_stacks_free(state->stacks);
	pd_stack_choice_free(state->choice);
	pd_hash_map_release(&state->comms);
	pd_hash_map_release(&state->tracks);
	pd_hash_map_release(&state->states);
	pd_hash_map_release(&state->requests);
	perfdata_text_release(&state->message);
	perfdata_text_release(&state->part);
	perfdata_text_release(&state->name);
	pd_free(state);
}

static void put_string(struct state *state, struct perfdata_text *out, unsigned field, const char *text)
{
	perfdata_text_clear(&state->name);
	pd_stack_text_utf8(&state->name, text);
	pd_protobuf_bytes(out, field, state->name.size ? state->name.data : "", state->name.size);
	out->failed |= perfdata_text_failed(&state->name);
}

/* Writes the kernel's version, by which Perfetto decodes thread states. */
static void put_system(struct state *state, struct perfdata_text *out)
{
	enum { SYSTEM_UTSNAME = 1, UTSNAME_SYSTEM = 1, UTSNAME_RELEASE = 3, UTSNAME_MACHINE = 4 };
	const char *release_text = perfdata_reader_feature_text(state->reader, PERFDATA_FEATURE_OSRELEASE);
	const char *machine = perfdata_reader_feature_text(state->reader, PERFDATA_FEATURE_ARCH);
	if (!release_text)
		return;
	perfdata_text_clear(&state->part);
	put_string(state, &state->part, UTSNAME_SYSTEM, "Linux");
	put_string(state, &state->part, UTSNAME_RELEASE, release_text);
	if (machine)
		put_string(state, &state->part, UTSNAME_MACHINE, machine);
	perfdata_text_clear(&state->message);
	pd_protobuf_message(&state->message, SYSTEM_UTSNAME, &state->part);
	pd_perfetto_packet(out, PERFETTO_PROCESSES, UINT64_MAX, PACKET_SYSTEM_INFO, &state->message);
}

static bool has_switch_event(const struct perfdata_reader *reader)
{
	return pd_perfetto_switches(reader) == PERFETTO_SWITCHES_ARE_EVENTS &&
	       pd_perfetto_has_event(reader, "sched", "sched_switch");
}

static enum perfdata_status set_up(void *pointer, const struct perfdata_emit_context *context,
				   struct perfdata_text *out)
{
	struct state *state = pointer;
	state->session = context->session;
	state->reader = context->reader;
	state->has_switches = has_switch_event(context->reader);
	const bool inlines = perfdata_option_flag(context->options, context->nr_options, "inline", true);
	const enum perfdata_status status = pd_stack_choice_new(context, inlines, &state->choice);
	if (status != PERFDATA_OK)
		return status;
	state->stacks = pd_perfetto_stacks_new(context->reader, context->session, state->choice, inlines);
	if (!state->stacks)
		return PERFDATA_ENOMEM;
	put_system(state, out);
	return PERFDATA_OK;
}

STACK_BEGIN(set_up, release_state)

static enum perfdata_status format(const void *pointer, const struct perfdata_batch *batch, void *value,
				   struct perfdata_scratch *scratch, struct perfdata_text *out, void **ret_part)
{
	const struct state *state = pointer;
	(void)value;
	(void)scratch;
	(void)out;
	*ret_part = pd_perfetto_collect(state->reader, batch);
	return *ret_part ? PERFDATA_OK : PERFDATA_ENOMEM;
}

/* --- threads ------------------------------------------------------------------------------------------------------ */

static const char *comm_of(const struct state *state, uint32_t comm)
{
	return comm == PERFDATA_NONE ? "" : perfdata_session_comm(state->session, comm);
}

/* Describes a thread before its first use, and after its name changed. */
static bool put_thread(struct state *state, const struct perfetto_row *row, struct perfdata_text *out)
{
	enum {
		TREE_PROCESS = 1,
		TREE_THREAD = 2,
		PROCESS_PID = 1,
		PROCESS_COMMAND = 3,
		THREAD_TID = 1,
		THREAD_NAME = 2,
		THREAD_PID = 3
	};
	uint64_t written = 0;
	if (row->pid < 0 || row->tid <= 0 ||
	    (pd_hash_map_get(&state->comms, row->thread, &written) && written == row->comm + UINT64_C(1)))
		return true;
	if (row->comm == PERFDATA_NONE && written)
		return true;
	perfdata_text_clear(&state->part);
	perfdata_text_clear(&state->message);
	if (row->pid == row->tid) {
		pd_protobuf_present(&state->part, PROCESS_PID, (uint32_t)row->pid);
		put_string(state, &state->part, PROCESS_COMMAND, comm_of(state, row->comm));
		pd_protobuf_message(&state->message, TREE_PROCESS, &state->part);
	}
	perfdata_text_clear(&state->part);
	pd_protobuf_present(&state->part, THREAD_TID, (uint32_t)row->tid);
	put_string(state, &state->part, THREAD_NAME, comm_of(state, row->comm));
	pd_protobuf_present(&state->part, THREAD_PID, (uint32_t)row->pid);
	pd_protobuf_message(&state->message, TREE_THREAD, &state->part);
	pd_perfetto_packet(out, PERFETTO_PROCESSES, row->time, PACKET_PROCESS_TREE, &state->message);
	return pd_hash_map_put(&state->comms, row->thread, row->comm + UINT64_C(1)) == 0;
}

/* The id of the thread's track, which is described before its first event. 0 without memory. */
static uint64_t track_of(struct state *state, const struct perfetto_row *row, struct perfdata_text *out)
{
	enum { TRACK_ID = 1, TRACK_NAME = 2, TRACK_THREAD = 4, THREAD_PID = 1, THREAD_TID = 2, THREAD_NAME = 5 };
	const bool nobody = row->pid < 0 || row->tid < 0;
	const uint64_t key = nobody ? UINT64_MAX : row->thread,
		       id = nobody ? TRACK_OF_NOTES : row->thread + UINT64_C(1) + TRACK_OF_THREADS;
	uint64_t known;
	if (pd_hash_map_get(&state->tracks, key, &known))
		return id;
	perfdata_text_clear(&state->message);
	pd_protobuf_present(&state->message, TRACK_ID, id);
	if (nobody) {
		put_string(state, &state->message, TRACK_NAME, "recording");
	} else {
		perfdata_text_clear(&state->part);
		pd_protobuf_present(&state->part, THREAD_PID, (uint32_t)row->pid);
		pd_protobuf_present(&state->part, THREAD_TID, (uint32_t)row->tid);
		put_string(state, &state->part, THREAD_NAME, comm_of(state, row->comm));
		pd_protobuf_message(&state->message, TRACK_THREAD, &state->part);
	}
	pd_perfetto_packet(out, PERFETTO_TRACKS, UINT64_MAX, PACKET_TRACK_DESCRIPTOR, &state->message);
	return pd_hash_map_put(&state->tracks, key, 1) < 0 ? 0 : id;
}

/* A flow connects two instants with its number: the wakeup, and where the woken thread runs. */
static void put_flow(struct state *state, const struct perfetto_row *row)
{
	enum { TRACK_EVENT_FLOW = 47, TRACK_EVENT_END_OF_FLOW = 48 };
	if (row->kind == PERFETTO_WAKER)
		pd_protobuf_fixed64(&state->message, TRACK_EVENT_FLOW, ++state->nr_flows);
	else if (row->kind == PERFETTO_WOKEN)
		pd_protobuf_fixed64(&state->message, TRACK_EVENT_END_OF_FLOW, state->nr_flows);
}

static bool put_instant(struct state *state, const struct perfetto_row *row, const char *bytes,
			struct perfdata_text *out)
{
	enum { TRACK_EVENT_TRACK = 11 };
	const uint64_t track = track_of(state, row, out);
	perfdata_text_clear(&state->message);
	perfdata_text_append(&state->message, bytes + row->bytes, row->nr_bytes);
	pd_protobuf_present(&state->message, TRACK_EVENT_TRACK, track);
	put_flow(state, row);
	pd_perfetto_packet(out, PERFETTO_TRACKS, row->time, PACKET_TRACK_EVENT, &state->message);
	return track;
}

/* The id of a track below the thread's track that is free at this time; 0 without memory. */
static uint64_t track_below(struct state *state, const struct perfetto_row *row, struct perfdata_text *out)
{
	enum { TRACK_ID = 1, TRACK_NAME = 2, TRACK_PARENT = 5 };
	const uint64_t parent = track_of(state, row, out), first = TRACKS_BELOW + parent * PLACES_BELOW;
	uint64_t id = first, end = 0;
	bool known = false;
	while (id < first + PLACES_BELOW - 1 && (known = pd_hash_map_get(&state->requests, id, &end)) &&
	       end > row->time)
		id++;
	if (!known) {
		perfdata_text_clear(&state->message);
		pd_protobuf_present(&state->message, TRACK_ID, id);
		put_string(state, &state->message, TRACK_NAME, "requests of disks");
		pd_protobuf_present(&state->message, TRACK_PARENT, parent);
		pd_perfetto_packet(out, PERFETTO_TRACKS, UINT64_MAX, PACKET_TRACK_DESCRIPTOR, &state->message);
	}
	return parent && pd_hash_map_put(&state->requests, id, row->time + row->weight) == 0 ? id : 0;
}

/* Writes begin and end of a slice at once: Perfetto sorts packets by time. */
static bool put_slice(struct state *state, const struct perfetto_row *row, const char *bytes, struct perfdata_text *out)
{
	enum { TRACK_EVENT_TYPE = 9, TRACK_EVENT_TRACK = 11, TYPE_SLICE_END = 2 };
	const uint64_t track = row->kind == PERFETTO_REQUEST ? track_below(state, row, out)
							     : track_of(state, row, out);
	perfdata_text_clear(&state->message);
	perfdata_text_append(&state->message, bytes + row->bytes, row->nr_bytes);
	pd_protobuf_present(&state->message, TRACK_EVENT_TRACK, track);
	pd_perfetto_packet(out, PERFETTO_TRACKS, row->time, PACKET_TRACK_EVENT, &state->message);
	perfdata_text_clear(&state->message);
	pd_protobuf_present(&state->message, TRACK_EVENT_TYPE, TYPE_SLICE_END);
	pd_protobuf_present(&state->message, TRACK_EVENT_TRACK, track);
	pd_perfetto_packet(out, PERFETTO_TRACKS, row->time + row->weight, PACKET_TRACK_EVENT, &state->message);
	return track;
}

/* Writes a state only if it differs from the one before, as Perfetto requires. */
static bool put_task_state(struct state *state, const struct perfetto_row *row, struct perfdata_text *out)
{
	enum { TASK_CPU = 1, TASK_COMM, TASK_TID, TASK_STATE };
	uint64_t before;
	if (state->has_switches || row->tid < 0 ||
	    (pd_hash_map_get(&state->states, (uint32_t)row->tid, &before) && before == row->state))
		return true;
	perfdata_text_clear(&state->message);
	pd_protobuf_present(&state->message, TASK_CPU, row->cpu == UINT32_MAX ? 0 : row->cpu);
	put_string(state, &state->message, TASK_COMM, comm_of(state, row->comm));
	pd_protobuf_present(&state->message, TASK_TID, (uint32_t)row->tid);
	pd_protobuf_present(&state->message, TASK_STATE, row->state);
	pd_perfetto_packet(out, PERFETTO_STATES, row->time, PACKET_TASK_STATE, &state->message);
	return pd_hash_map_put(&state->states, (uint32_t)row->tid, row->state) == 0;
}

/* --- the whole file ----------------------------------------------------------------------------------------------- */

static bool put_row(struct state *state, const struct perfetto_part *part, const struct perfetto_row *row,
		    struct perfdata_text *out)
{
	const char *bytes = part->bytes.data ? part->bytes.data : "";
	bool ok = put_thread(state, row, out);
	if (row->time != UINT64_MAX && row->time > state->last_time)
		state->last_time = row->time;
	switch ((enum perfetto_kind)row->kind) {
	case PERFETTO_DONE:
		perfdata_text_append(out, bytes + row->bytes, row->nr_bytes);
		break;
	case PERFETTO_SAMPLE:
		ok = ok && pd_perfetto_stacks_sample(state->stacks, part, row, out);
		break;
	case PERFETTO_INSTANT:
	case PERFETTO_WAKER:
	case PERFETTO_WOKEN:
		ok = ok && put_instant(state, row, bytes, out);
		break;
	case PERFETTO_SLICE:
	case PERFETTO_REQUEST:
		ok = ok && put_slice(state, row, bytes, out);
		break;
	case PERFETTO_STATE:
		ok = ok && put_task_state(state, row, out);
		break;
	}
	return ok && !perfdata_text_failed(out);
}

static enum perfdata_status merge_part(void *pointer, void *part_pointer, struct perfdata_text *out)
{
	struct state *state = pointer;
	struct perfetto_part *part = part_pointer;
	bool ok = true;
	for (size_t i = 0; i < part->nr && ok; i++) {
		ok = put_row(state, part, &part->rows[i], out);
		perfdata_text_cut(out);
	}
	pd_perfetto_part_free(part);
	return ok ? PERFDATA_OK : PERFDATA_ENOMEM;
}

struct note {
	struct state *state;
	struct perfdata_text *out;
};

/* Writes a note about losses or damage at the end of the recording's track. */
static void put_note(void *pointer, const char *line)
{
	enum { TRACK_EVENT_TYPE = 9, TRACK_EVENT_NAME = 23, TYPE_INSTANT = 3 };
	const struct note *note = pointer;
	struct perfetto_row row = { .time = note->state->last_time, .pid = -1, .tid = -1, .comm = PERFDATA_NONE };
	struct perfdata_text event;
	perfdata_text_init(&event);
	pd_protobuf_present(&event, TRACK_EVENT_TYPE, TYPE_INSTANT);
	put_string(note->state, &event, TRACK_EVENT_NAME, line);
	row.nr_bytes = event.size;
	note->out->failed |= perfdata_text_failed(&event) || !put_instant(note->state, &row, event.data, note->out);
	perfdata_text_release(&event);
}

static enum perfdata_status end_output(void *pointer, const struct perfdata_emit_end *end, struct perfdata_text *out)
{
	struct note note = { pointer, out };
	pd_stack_head_warnings(end, put_note, &note);
	pd_stack_choice_report(note.state->choice);
	return perfdata_text_failed(out) ? PERFDATA_ENOMEM : PERFDATA_OK;
}

static enum perfdata_status configure_session(void *user, struct perfdata_configuration *configuration)
{
	(void)user;
	configuration->no_stack_copies = true;
	configuration->spans = 1u << PERFDATA_SPAN_LOCK | 1u << PERFDATA_SPAN_BLOCK | 1u << PERFDATA_SPAN_RUNQ;
	return PERFDATA_OK;
}

const struct perfdata_emitter pd_emitter_perfetto = {
	.name = "perfetto",
	.task = PERFDATA_TASK_VIEW,
	.help = "a trace for ui.perfetto.dev: CPUs, threads, samples, tracepoints, who woke whom",
	.needs = STACK_GATHER_NEEDS | PERFDATA_NEED_STACKS,
	.configure = configure_session,
	.flags = PERFDATA_EMITTER_SYMBOLS | PERFDATA_EMITTER_ONE_DOCUMENT | PERFDATA_EMITTER_LIGHT,
	.mime = "application/octet-stream",
	.suffix = "pftrace",
	STACK_EMITTER(release_state),
	.format = format,
	.merge = merge_part,
	.free_part = pd_perfetto_part_free,
};
