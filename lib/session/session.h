/* SPDX-License-Identifier: MIT */
/* Inside the session. */
#ifndef PD_SESSION_H
#define PD_SESSION_H

#include <stdatomic.h>
#include <string.h>
#include "perfdata/session.h"
#include "base/arena.h"
#include "base/hash.h"
#include "base/memory.h"
#include "reader/reader.h"
#include "session/state.h"
#include "schema/off_cpu_sample.h"
#include "spans/spans.h"

/* A batch and the room for its parts; recycled through the session's list of free ones. */
struct pd_batch {
	struct perfdata_batch public;          /* first: the public pointer is the private one */
	struct perfdata_session *owner;
	struct pd_batch *next_free;
	struct perfdata_raw *records;
	struct perfdata_delivery *deliveries;
	size_t deliveries_room;
	uint32_t *frames;
	size_t frames_room;
	struct pd_step_list steps;
	struct pd_span *spans;                 /* that ended in the batch */
	size_t nr_spans, spans_room;
	uint8_t *args;                         /* of spans: their pd_span.args, one after the other */
	size_t nr_args, args_room;
	size_t accounted;                      /* bytes that the account counts for the batch */
	struct pd_chunks chunks;               /* that hold its records */
	size_t excess;                         /* of its bytes, those that are no work: see RECORD_BYTES */
	struct perfdata_raw **kept;            /* records of deliveries that are not in `records`: see pd_batch_keep */
	size_t nr_kept, kept_room;
};

/* Counting, one slot per record type and event. */
#define PD_NR_TRACERS 16u     /* types of AUXTRACE_INFO; 0: not known */
struct pd_counts {
	struct perfdata_type_count types[128]; /* by record type; the last slot counts all higher types */
	struct pd_hash_map other_types;             /* type → index into others */
	struct perfdata_type_count *others;
	size_t nr_others, others_room;
	struct perfdata_event_count *events;   /* by event index */
	size_t nr_events, events_room;
	struct perfdata_event_count unknown;
	uint64_t untold_records, untold_samples;   /* in the summary's losses, by META_INFO and no record */
	/* the lists that the public summary points to */
	struct perfdata_type_count *type_list;
	size_t type_list_room;
	struct perfdata_event_count *event_list;
	size_t event_list_room;
	struct perfdata_summary summary;
	/* by type; only types that have buffers */
	struct perfdata_trace_count traces[PD_NR_TRACERS], trace_list[PD_NR_TRACERS];
	uint32_t tracer;                       /* type of the last AUXTRACE_INFO */
	bool swap;                             /* words of records are in foreign order */
};

struct pd_filter {
	struct perfdata_filter given;          /* with copies of all lists */
	struct pd_arena arena;
	bool any;                              /* some condition is set */
	bool passes_samples;                   /* no condition that a sample could fail */
	int8_t *event_ok;                      /* by event version: 0 not tested yet, 1 passes, -1 does not */
	size_t event_ok_room;
	bool places;                           /* some condition is about where a sample lies (dsos, symbols) */
	int8_t *frame_ok;                      /* by frame: as event_ok */
	size_t frame_ok_room;
	uint64_t type_bits[2];                 /* types below 128 */
	bool other_types;
};

typedef void pd_session_wake(void *user);
/* Records that the reader has returned and that the session takes one after the other. */
struct pd_upcoming {
	struct perfdata_raw room[PD_MAX_RECORDS];   /* for them, where the open batch has no room */
	struct pd_record_run pending;
	unsigned at;
	_Atomic(struct pd_lookahead *) ahead;       /* upcoming.c; NULL: there was no user stack yet */
	pd_session_wake *wake;                      /* or NULL: there are no other threads */
	void *wake_user;
};

/* What spans take of samples of an event; by its number, modulo PD_SPAN_USES. */
struct pd_span_use {
	const struct perfdata_event *event;    /* NULL: of none */
	bool is_plain;                         /* a sample is one delivery, of the thread that it names */
	bool is_used;                          /* spans are made of its samples */
};
#define PD_SPAN_USES 16u

struct perfdata_session {
	struct pd_account *account;            /* the reader's */
	struct perfdata_reader *reader;
	struct pd_upcoming upcoming;
	struct perfdata_session_options options;
	struct pd_filter filter;
	struct pd_counts counts;
	struct perfdata_error error;
	enum perfdata_status end;              /* status of the reader's last call; PERFDATA_OK while records come */
	bool read_whole;                       /* the reader has returned its last record */
	uint64_t nr_batches;
	uint32_t mark;
	struct pd_batch *open;                 /* being filled */
	_Atomic(struct pd_batch *) returned;   /* released by any thread, taken back by the session's */
	struct pd_batch *free;
	uint32_t batches_made;                 /* how many were allocated */
	struct pd_state *state;                /* NULL if the caller needs none of its data */
	struct pd_hash_map read_values;             /* counter (and thread) → its last value */
	struct pd_waiting *waiting;            /* samples whose deferred chain has not come yet, oldest first */
	struct pd_waiting **waiting_end;
	uint32_t nr_waiting;
	enum perfdata_off_cpu off_cpu;         /* never USUAL */
	struct pd_session_spans *spans;        /* or NULL: nobody asks for spans */
	bool only_spans;                       /* nobody asks for records or deliveries beside them */
	struct pd_span_use span_uses[PD_SPAN_USES];
	const struct perfdata_event *on_event; /* whose samples weigh time on the CPU where spans weigh; or NULL */
	bool payload_wanted;                   /* the AUXTRACE record that came last passed the filter */
	bool payload_left;                     /* more pieces of its payload follow */
};

/* --- delivery/batch.c --- */
struct pd_batch *pd_batch_open(struct perfdata_session *session);   /* the open batch; NULL without memory */
/* Where the reader may put the records that come next, so that records which stay in the batch need no copy; NULL:
 * nowhere. */
struct perfdata_raw *pd_batch_room(struct pd_batch *batch);
/* The batch's own copy of a record, or NULL without memory. The batch must not be full. */
struct perfdata_raw *pd_batch_add_record(struct pd_batch *batch, const struct perfdata_raw *raw);
/* A delivery to fill in; NULL without memory. */
static inline struct perfdata_delivery *pd_batch_next_delivery(struct pd_batch *batch)
{
	if (pd_vector_grow(&batch->deliveries, &batch->deliveries_room, batch->public.nr_deliveries,
			   sizeof *batch->deliveries) < 0)
		return NULL;
	batch->public.deliveries = batch->deliveries;
	return &batch->deliveries[batch->public.nr_deliveries++];
}
/* Room for `count` frames; the index of the first, or PERFDATA_NONE without memory. */
uint32_t pd_batch_add_frames(struct pd_batch *batch, size_t count);
/* Keeps a record that is not in the batch's list, for deliveries: a copy of raw whose bytes stay valid as long as the
 * batch. */
const struct perfdata_raw *pd_batch_keep(struct pd_batch *batch, const struct perfdata_raw *raw);
bool pd_batch_is_full(const struct pd_batch *batch);
/* How many of the records that come next fit into a batch (for NULL: a new batch), if all are wanted and each has one
 * delivery. */
unsigned pd_batch_takes(const struct pd_batch *batch, const struct perfdata_raw *raws, unsigned nr);
/* Adds the bytes of records that the batch does not have: they were only counted. */
void pd_batch_count_bytes(struct pd_batch *batch, const struct perfdata_raw *raws, unsigned nr);
/* To be called before the batch is handed out. */
void pd_batch_publish(struct pd_batch *batch);
/* Whether memory is too low for the next batch, if that would be one more than there are. Two may always be there, so
 * that one can be filled while the other is formatted. */
bool pd_memory_is_low(struct perfdata_session *session);
void pd_batches_free(struct perfdata_session *session);
void pd_batches_trim(struct perfdata_session *session);   /* frees those that are released */

/* --- delivery/upcoming.c --- */
/* Fills `pending`, which is empty. As pd_reader_next_run. */
enum perfdata_status pd_upcoming_next(struct perfdata_session *session);
/* Whether the next record has to come from the reader. */
bool pd_upcoming_is_empty(const struct perfdata_session *session);
/* The open batch, which may hold the pending records, will be closed. */
void pd_upcoming_keep(struct perfdata_session *session);
/* Around the turn of the next pending record, if it is taken alone. */
void pd_upcoming_begin(struct perfdata_session *session);
void pd_upcoming_end(struct perfdata_session *session);
void pd_upcoming_free(struct perfdata_session *session);
/* From now on other threads call pd_session_help. The session calls `wake` when there is work for them. Before these
 * threads start. */
void pd_session_let_help(struct perfdata_session *session, pd_session_wake *wake, void *user);
/* Any thread, until the session is closed: does a part of the session's work that needs no order. false: there is
 * none. */
bool pd_session_help(struct perfdata_session *session);
bool pd_session_needs_help(const struct perfdata_session *session);

/* --- delivery/deliver.c --- */
/* Updates the state by a record, and adds its deliveries to the batch. `own`: the batch's own copy of the record; NULL:
 * nobody wants it. */
enum perfdata_status pd_deliver(struct perfdata_session *session, struct pd_batch *batch,
				const struct perfdata_raw *raw, struct perfdata_raw *own);
/* At the end: delivers the samples that still wait, without their chains. */
enum perfdata_status pd_deliver_waiting(struct perfdata_session *session);
void pd_waiting_free(struct perfdata_session *session);

/* --- delivery/off_cpu.c --- */
/* Decides what samples weigh. PERFDATA_EUSAGE: the recording has no such samples. */
enum perfdata_status pd_off_cpu_begin(struct perfdata_session *session, struct perfdata_error *reterr);
/* Whether samples of the event count by themselves. */
static inline bool pd_off_cpu_counts(const struct perfdata_session *session, const struct perfdata_event *event)
{
	return !session->off_cpu || session->off_cpu == PERFDATA_OFF_CPU_BESIDE ||
	       (session->off_cpu != PERFDATA_OFF_CPU_OFF && session->on_event &&
		event->index == session->on_event->index);
}
/* Whether simpleperf took a sample where each thread left the CPU (--trace-offcpu). */
bool pd_traces_off_cpu(const struct perfdata_reader *reader);
/* --- delivery/session_spans.c --- */
/* Makes what the session's options and `off_cpu` ask for. PERFDATA_EUSAGE, PERFDATA_ENOMEM. */
enum perfdata_status pd_session_spans_begin(struct perfdata_session *session, struct perfdata_error *reterr);
/* Whether time off the CPU can weigh beside what was recorded; true as long as a pipe's events are still to come. */
bool pd_session_spans_can_weigh(const struct perfdata_session *session);
/* Takes the next record, before it changes the session's state. wanted: it passes the filter. */
enum perfdata_status pd_session_spans_take(struct perfdata_session *session, const struct perfdata_raw *raw,
					   bool wanted);
/* After the last record. */
enum perfdata_status pd_session_spans_end(struct perfdata_session *session);
void pd_session_spans_free(struct perfdata_session *session);
/* Whether the record that was taken last is in spans: pd_spans_took. */
bool pd_session_spans_took(const struct perfdata_session *session);
/* Whether a sample of the event is one that spans are made of. */
bool pd_session_spans_use(const struct perfdata_session *session, const struct perfdata_event *event);

static inline bool pd_needs(const struct perfdata_session *session, uint32_t need)
{
	return session->options.needs & need;
}
/* Whether a sample's chain continues in a deferred chain: then its last word is the cookie of the latter. */
static inline bool pd_chain_is_deferred(const struct perfdata_session *session, const struct perfdata_list *chain)
{
	return session->options.merge_deferred && chain->count >= 2 &&
	       perfdata_list_u64(chain, chain->count - 2) == PERFDATA_CONTEXT_USER_DEFERRED;
}
/* A sample of perf record --off-cpu that says in its raw data whose it is. */
static inline bool pd_is_offcpu(const struct perfdata_event *event)
{
	return event->attr->sample_type & PERFDATA_SAMPLE_RAW && pd_is_off_cpu_event(event);
}

#define NEED_ANY_STACKS (PERFDATA_NEED_STACKS | PERFDATA_NEED_STACK_IDS | PERFDATA_NEED_NODES)
static inline void pd_delivery_set_stack(struct perfdata_delivery *delivery, const struct pd_stack *stack)
{
	delivery->steps = stack->steps;
	delivery->nr_steps = stack->steps == PERFDATA_NONE ? 0 : stack->nr_steps;
	delivery->stack = stack->stack;
	delivery->node = stack->node;
}

/* --- tables/name_loader.c --- */
/* For emitters that ask for names at their end: what names are made of is loaded while the recording is read. Before
 * the first batch. lines: also debug information. threads: how many may load; 0 and 1: only the calling one, at the
 * end. */
enum perfdata_status pd_session_want_names(const struct perfdata_session *session, bool lines, unsigned threads);
/* Frames were found in samples. Any thread. */
void pd_session_load_names(const struct perfdata_session *session);
/* Loads the remaining symbols, and returns when all are loaded: the output's end counts findings of loading. By then
 * other emitters have asked for their names. */
void pd_session_finish_names(const struct perfdata_session *session);

/* --- tables/session_tables.c --- */
/* Reports how many addresses the answers in a bundle lack, once for each file. */
void pd_session_report_lacking(const struct perfdata_session *session);
/* Whether something failed while names were looked up: then names may be missing in the output. Fills in reterr. */
enum perfdata_status pd_session_names_failure(const struct perfdata_session *session, struct perfdata_error *reterr);
/* How many frames there are: their ids count from 0. */
uint32_t pd_session_nr_frames(const struct perfdata_session *session);
/* The dso's build-id in hexadecimal; "" unknown so far. */
#define PD_BUILD_ID_TEXT (2 * PERFDATA_BUILD_ID_MAX + 1)
void pd_session_build_id_text(const struct perfdata_session *session, uint32_t dso, char ret[PD_BUILD_ID_TEXT]);
/* Loads the symbols of one more of the files in which frames were found so far or, where `lines` says so, opens the
 * debug information of one. false: there is none. Not where samples are filtered: then not every file will be asked
 * for. */
bool pd_session_load_next(const struct perfdata_session *session, bool lines);
/* The name of the source that the frame's function came from, by the FILE symbols of its file: the fallback where
 * pd_session_source knows nothing. NULL: unknown. PERFDATA_ABSENT: no function is known there, or perf would not ask,
 * and shows *ret_address, which is set in any case. */
enum perfdata_status pd_session_object(const struct perfdata_session *session, uint32_t frame, uint64_t *ret_address,
				       const char **ret);
/* Where the frame lies: the dso, and the offset in its file (kernel: the recorded address). false: in no file. */
bool pd_session_file_offset(const struct perfdata_session *session, uint32_t frame, uint32_t *ret_dso,
			    uint64_t *ret_offset);
/* What names the dso, for rooms that read more of its file. NULL: there is nothing. Only in the session's thread. */
struct perfdata_symbols_dso *pd_session_dso_symbols(const struct perfdata_session *session, uint32_t dso);
/* Whether the frame has no name because a bundle has answers for other addresses of its file. Loads the symbols. A
 * caller's frame has its bit set, as for perfdata_session_symbol. */
bool pd_session_lacks_answer(const struct perfdata_session *session, uint32_t frame);
/* What outputs show in place of the name of a frame that has none. */
const char *pd_session_nameless_text(const struct perfdata_session *session, uint32_t frame);
/* Whether the symbols of the frame's file were asked for already; true also where there is no file to ask. */
bool pd_session_has_loaded(const struct perfdata_session *session, uint32_t frame);

/* --- delivery/sample_run.c --- */
/* Takes, from the first record on, the samples without anything special: at most PD_MAX_RECORDS. */
enum perfdata_status pd_take_samples(struct perfdata_session *session, const struct perfdata_raw *raws, unsigned nr,
				     unsigned *ret_taken);

/* --- delivery/session.c --- */
struct pd_account *pd_session_account(const struct perfdata_session *session);
/* Frees the data that only further batches need. Call it when all batches are released and no more are needed. */
void pd_session_trim(struct perfdata_session *session);
/* The tree of stacks by frames (PERFDATA_NEED_NODES); NULL: the session does not keep one. For the session's thread,
 * and for any thread once nobody asks for batches any more. */
struct pd_step_tree *pd_session_nodes(const struct perfdata_session *session);
/* Whether samples are made of traces; the events of such samples come as the reader meets the traces. */
bool pd_session_makes_samples(const struct perfdata_session *session);
/* Sets the listener that receives the findings of the session's reader from now on; returns the former listener. */
struct pd_listener pd_session_listen(struct perfdata_session *session, struct pd_listener listener);
/* *ret: does the record pass the filter? PERFDATA_ENOMEM. */
enum perfdata_status pd_session_wants(struct perfdata_session *session, const struct perfdata_raw *raw,
				      bool check_event, bool *ret);

/* --- delivery/count.c --- */
enum perfdata_status pd_count_record(struct pd_counts *counts, const struct perfdata_raw *raw);
/* Samples of events that are known, each with one delivery. */
enum perfdata_status pd_count_samples(struct pd_counts *counts, const struct perfdata_raw *raws, unsigned nr);
/* The same for samples that come as summaries; adds their sizes to *bytes. */
enum perfdata_status pd_count_summaries(struct pd_counts *counts, const struct pd_sample_summary *summaries,
					unsigned nr, size_t *bytes);
enum perfdata_status pd_count_delivery(struct pd_counts *counts, const struct perfdata_event *event);
enum perfdata_status pd_counts_publish(struct perfdata_session *session);
void pd_counts_release(struct pd_counts *counts);

/* --- delivery/filter.c --- */
enum perfdata_status pd_filter_init(struct pd_filter *filter, const struct perfdata_filter *given,
				    struct perfdata_error *reterr);
bool pd_filter_record(struct pd_filter *filter, const struct perfdata_raw *raw, const char *comm /* NULL: unknown */,
		      bool check_event);
bool pd_filter_event(struct pd_filter *filter, const struct perfdata_event *event);
/* *ret: does the record lie in the dsos and symbols that the filter names? PERFDATA_ENOMEM. */
enum perfdata_status pd_filter_place(struct perfdata_session *session, const struct perfdata_raw *raw, bool *ret);
void pd_filter_release(struct pd_filter *filter);
/* `*` and `?`; linear in the product of lengths at worst, no recursion. */
bool pd_glob(const char *pattern, const char *text);

/* --- for other rooms --- */

const struct perfdata_reader *pd_session_reader(const struct perfdata_session *session);
/* The spans that ended in a batch. */
static inline const struct pd_span *pd_batch_spans(const struct perfdata_batch *batch, size_t *ret_nr)
{
	const struct pd_batch *own = (const struct pd_batch *)batch;
	*ret_nr = own->nr_spans;
	return own->spans;
}
/* Facts about spans so far, and the name of one; NULL, "": the session has none. */
const struct pd_span_facts *pd_session_span_facts(const struct perfdata_session *session);
const char *pd_session_span_name(const struct perfdata_session *session, const struct pd_span *span);
const char *pd_session_span_text(const struct perfdata_session *session, uint32_t name);   /* of pd_span.name */
/* Whether the frame lies in the kernel, its modules or code that the kernel generated. */
bool pd_session_frame_is_kernel(const struct perfdata_session *session, uint32_t frame);
/* What its samples weigh; never USUAL. */
enum perfdata_off_cpu pd_session_off_cpu(const struct perfdata_session *session);
/* The event to which time off the CPU adds weight; NULL: none. */
const struct perfdata_event *pd_session_off_event(const struct perfdata_session *session);
/* Whether names and stacks are those that simpleperf recorded. */
bool pd_session_follows_simpleperf(const struct perfdata_session *session);
/* Whether its batches have all of that (enum perfdata_session_need). */
bool pd_session_gives(const struct perfdata_session *session, uint32_t needs);
/* Whether it leaves out records, by a filter or a limit. */
bool pd_session_leaves_out(const struct perfdata_session *session);

/* The name of an address of the kernel, for formats that print such addresses; PERFDATA_ABSENT as above. */
enum perfdata_status pd_session_kernel_symbol(const struct perfdata_session *session,
								 uint64_t address, struct perfdata_symbol *ret);

/* The symbols of a frame's file or jitdump file, and the frame's address there; NULL: there are none. */
struct perfdata_symbols_dso *pd_session_symbols(const struct perfdata_session *session, uint32_t frame,
						uint64_t *ret_address);
/* Where its names come from; NULL: nowhere. */
struct perfdata_symbols *pd_session_names(const struct perfdata_session *session);
struct pd_code_bytes;
/* The bytes of the function of a frame, which begins at `start`, as frames have addresses, when the frame's code
 * ran. See pd_symbols_code. */
enum perfdata_status pd_session_code(const struct perfdata_session *session, uint32_t frame, uint64_t start,
				     uint64_t size, struct pd_code_bytes *ret);
/* The function to which a call or jump in the frame's function goes. `address`: as frames of this file have it.
 * PERFDATA_ABSENT: it has no name. */
enum perfdata_status pd_session_target(const struct perfdata_session *session, uint32_t frame, uint64_t address,
				       struct perfdata_symbol *ret);

/* --- tables/program_lines.c: source lines of BPF programs. To be used when the recording was read --- */

struct pd_program_lines;
/* PERFDATA_ENOMEM. */
enum perfdata_status pd_program_lines_new(const struct perfdata_session *session, struct pd_program_lines **ret);
void pd_program_lines_free(struct pd_program_lines *all);   /* NULL is fine */
/* The line at an address, as frames have it, of the program in which the frame lies, and its text, which may be empty;
 * both texts stay as long as the reader. false: no line is known. */
bool pd_find_program_line(const struct pd_program_lines *all, const struct perfdata_session *session, uint32_t frame,
			  uint64_t address, struct perfdata_source_line *ret, const char **ret_text);

/* The functions inlined at a frame's address and the source position of each: see pd_symbols_source.
 * PERFDATA_ABSENT: nothing is known. */
enum perfdata_status pd_session_source(const struct perfdata_session *session, uint32_t frame,
							  struct perfdata_source_line *entries, size_t room,
							  size_t *ret_count);

/* The functions alone: see perfdata_symbols_calls. */
enum perfdata_status pd_session_calls(const struct perfdata_session *session, uint32_t frame,
							 struct perfdata_source_line *entries, size_t room,
							 size_t *ret_count);

#endif
