/* SPDX-License-Identifier: MIT */
/* The session's types, and the functions of its rooms; the last part is for other folders. */
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

/* A batch with its memory; freed batches are reused. */
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
	struct pd_span *spans;                 /* spans that ended in the batch */
	size_t nr_spans, spans_room;
	uint8_t *args;                         /* memory of pd_span.args, one after the other */
	size_t nr_args, args_room;
	size_t accounted;                      /* bytes that the account counts for the batch */
	struct pd_chunks chunks;               /* the chunks with the bytes of the records */
	size_t excess;                         /* bytes that do not count as work: see RECORD_BYTES */
	struct perfdata_raw **kept;            /* records of deliveries outside of `records`: see pd_batch_keep */
	size_t nr_kept, kept_room;
};

/* Counters, one slot for each record type and event. */
#define PD_NR_TRACERS 16u     /* types of AUXTRACE_INFO; 0: not known */
struct pd_counts {
	struct perfdata_type_count types[128]; /* by record type; the last slot counts all higher types */
	struct pd_hash_map other_types;             /* type → index into others */
	struct perfdata_type_count *others;
	size_t nr_others, others_room;
	struct perfdata_event_count *events;   /* by event index */
	size_t nr_events, events_room;
	struct perfdata_event_count unknown;
	uint64_t meta_only_records, meta_only_samples;   /* losses that only META_INFO states */
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
	struct perfdata_filter given;          /* with own copies of all lists */
	struct pd_arena arena;
	bool any;                              /* some condition is set */
	bool passes_samples;                   /* no condition can reject a sample */
	int8_t *event_ok;                      /* by event version: 0 not tested yet, 1 passes, -1 does not */
	size_t event_ok_room;
	bool places;                           /* some condition is about dsos or symbols */
	int8_t *frame_ok;                      /* by frame: as event_ok */
	size_t frame_ok_room;
	uint64_t type_bits[2];                 /* types below 128 */
	bool other_types;
};

typedef void pd_session_wake(void *user);
typedef enum perfdata_status pd_session_watch_fn(void *user, struct perfdata_session *session,
						 const struct perfdata_raw *raw);
/* Records that the reader has returned and that the session takes one after the other. */
struct pd_upcoming {
	struct perfdata_raw room[PD_MAX_RECORDS];   /* used if the open batch has no room */
	struct pd_record_run pending;
	unsigned at;
	_Atomic(struct pd_lookahead *) ahead;       /* see upcoming.c; NULL: no user stack has come yet */
	pd_session_wake *wake;                      /* NULL: there are no other threads */
	void *wake_user;
};

/* What spans take from samples of an event; by the event's number, modulo PD_SPAN_USES. */
struct pd_span_use {
	const struct perfdata_event *event;    /* NULL: the entry is free */
	bool is_plain;                         /* a sample makes one delivery, for the thread that it names */
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
	uint32_t batches_made;                 /* number of allocated batches */
	struct pd_state *state;                /* NULL if the caller needs none of its data */
	struct pd_hash_map read_values;             /* counter (and thread) → its last value */
	struct pd_waiting *waiting;            /* samples whose deferred chain has not come yet, oldest first */
	struct pd_waiting **waiting_end;
	uint32_t nr_waiting;
	enum perfdata_off_cpu off_cpu;         /* never USUAL */
	struct pd_session_spans *spans;        /* NULL: spans are not needed */
	bool only_spans;                       /* neither records nor deliveries are needed beside spans */
	struct pd_span_use span_uses[PD_SPAN_USES];
	const struct perfdata_event *on_event; /* the event of time on the CPU where spans weigh; or NULL */
	pd_session_watch_fn *watch;            /* or NULL */
	void *watch_user;
	bool payload_wanted;                   /* the last AUXTRACE record passed the filter */
	bool payload_left;                     /* more pieces of its payload follow */
};

/* --- delivery/batch.c --- */
struct pd_batch *pd_batch_open(struct perfdata_session *session);   /* the open batch; NULL without memory */
/* Where the reader may put the records that come next, so that records which stay in the batch need no copy; NULL: the
 * batch has no room. */
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
/* Copies a record for deliveries, outside of the batch's list of records; its bytes stay valid as long as the batch. */
const struct perfdata_raw *pd_batch_keep(struct pd_batch *batch, const struct perfdata_raw *raw);
bool pd_batch_is_full(const struct pd_batch *batch);
/* How many of these records fit into the open batch, or a new one, if each is wanted and has one delivery. */
unsigned pd_batch_takes(const struct perfdata_session *session, const struct perfdata_raw *raws, unsigned nr);
/* Counts the bytes of records that were counted and are not in the batch. */
void pd_batch_count_bytes(struct pd_batch *batch, const struct perfdata_raw *raws, unsigned nr);
/* Call it before the batch is returned to the caller. */
void pd_batch_publish(struct pd_batch *batch);
/* Whether memory is too low to allocate one more batch. Two may always exist, so that one can be filled while the other
 * is formatted. */
bool pd_memory_is_low(struct perfdata_session *session);
void pd_batches_free(struct perfdata_session *session);
void pd_batches_trim(struct perfdata_session *session);   /* frees released batches */

/* --- delivery/upcoming.c --- */
/* Fills `pending`, which must be empty; as pd_reader_next_run. */
enum perfdata_status pd_upcoming_next(struct perfdata_session *session);
/* Whether the next record must come from the reader. */
bool pd_upcoming_is_empty(const struct perfdata_session *session);
/* Call it before the open batch is closed: moves pending records out of it. */
void pd_upcoming_keep(struct perfdata_session *session);
/* Call them before and after the next pending record is taken alone. */
void pd_upcoming_begin(struct perfdata_session *session);
void pd_upcoming_end(struct perfdata_session *session);
void pd_upcoming_free(struct perfdata_session *session);
/* Other threads will call pd_session_help, so the reader may need none of its own. Call it before the first record.
 * True: they have work before there is a batch. */
bool pd_session_expect_helpers(struct perfdata_session *session);
/* Other threads will call pd_session_help; the session calls `wake` when it has work for them. Call it before these
 * threads start. */
void pd_session_let_help(struct perfdata_session *session, pd_session_wake *wake, void *user);
/* Does a part of the session's work that needs no order; any thread, until the session is closed. false: there was
 * none. */
bool pd_session_help(struct perfdata_session *session);
bool pd_session_needs_help(const struct perfdata_session *session);

/* --- delivery/deliver.c --- */
/* Updates the state by a record, and adds its deliveries to the batch. `own`: the batch's own copy of the record; NULL:
 * the record is not wanted. */
enum perfdata_status pd_deliver(struct perfdata_session *session, struct pd_batch *batch,
				const struct perfdata_raw *raw, struct perfdata_raw *own);
/* Whether the sample of a group delivers to an event that passes the filter. Call it before pd_deliver, which takes the
 * counters' values. */
bool pd_group_passes(struct perfdata_session *session, const struct perfdata_raw *raw);
/* Call it at the end: delivers samples that still wait for a deferred chain, without the chain. */
enum perfdata_status pd_deliver_waiting(struct perfdata_session *session);
void pd_waiting_free(struct perfdata_session *session);

/* --- delivery/off_cpu.c --- */
/* Decides what samples weigh. PERFDATA_EUSAGE: the recording cannot have the requested weights. */
enum perfdata_status pd_off_cpu_begin(struct perfdata_session *session, struct perfdata_error *reterr);
/* Whether samples of the event have weight themselves, and not by spans. */
static inline bool pd_off_cpu_counts(const struct perfdata_session *session, const struct perfdata_event *event)
{
	return !session->off_cpu || session->off_cpu == PERFDATA_OFF_CPU_BESIDE ||
	       (session->off_cpu != PERFDATA_OFF_CPU_OFF && session->on_event &&
		event->index == session->on_event->index);
}
/* Whether simpleperf took a sample where each thread left the CPU (--trace-offcpu). */
bool pd_traces_off_cpu(const struct perfdata_reader *reader);
/* --- delivery/session_spans.c --- */
/* Sets up spans by the session's options and `off_cpu`. PERFDATA_EUSAGE, PERFDATA_ENOMEM. */
enum perfdata_status pd_session_spans_begin(struct perfdata_session *session, struct perfdata_error *reterr);
/* Whether time off the CPU can have weight beside other samples; also true until a pipe's events have come. */
bool pd_session_spans_can_weigh(const struct perfdata_session *session);
/* Sets up spans anew if the reader's events have changed. */
enum perfdata_status pd_session_spans_follow(struct perfdata_session *session);
/* Takes samples that pass the filter and concern nothing but spans and their threads, after pd_session_spans_follow.
 * uses: for each sample, whether spans are made of samples of its event. */
enum perfdata_status pd_session_spans_take_samples(struct perfdata_session *session, const struct perfdata_raw *raws,
						   const bool *uses, unsigned nr);
/* Takes the next record, before it changes the session's state. wanted: the record passes the filter. */
enum perfdata_status pd_session_spans_take(struct perfdata_session *session, const struct perfdata_raw *raw,
					   bool wanted);
/* Call it after the last record. */
enum perfdata_status pd_session_spans_end(struct perfdata_session *session);
void pd_session_spans_free(struct perfdata_session *session);
/* Whether the last record is in spans: see pd_spans_took. */
bool pd_session_spans_took(const struct perfdata_session *session);
/* Whether spans are made of samples of the event. */
bool pd_session_spans_use(const struct perfdata_session *session, const struct perfdata_event *event);
/* See pd_spans_use_waking and pd_spans_use_wakeup. */
bool pd_session_spans_use_waking(const struct perfdata_session *session, const struct perfdata_event *event);
bool pd_session_spans_use_wakeup(const struct perfdata_session *session, const struct perfdata_event *event);

static inline bool pd_needs(const struct perfdata_session *session, uint32_t need)
{
	return session->options.needs & need;
}
/* Whether a sample's chain continues in a deferred chain: its last word is then the cookie of the deferred chain. */
static inline bool pd_chain_is_deferred(const struct perfdata_session *session, const struct perfdata_list *chain)
{
	return session->options.merge_deferred && chain->count >= 2 &&
	       perfdata_list_u64(chain, chain->count - 2) == PERFDATA_CONTEXT_USER_DEFERRED;
}
/* Whether samples of the event, from perf record --off-cpu, have pid and tid of the waiting thread in their raw
 * data. */
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
/* For emitters that need names: loads symbols while the recording is read. Call it before the first batch. lines: also
 * debug information. soon: the emitter needs names while it formats, not only at its end. threads: how many may load;
 * with 0 or 1, only the calling thread, at the end. */
enum perfdata_status pd_session_want_names(const struct perfdata_session *session, bool lines, bool soon,
					   unsigned threads);
/* Lets a thread load the symbols of files that got their first frames. For the session's thread. */
void pd_session_load_names(struct perfdata_session *session);
/* Lets it open the debug information of files whose symbols are loaded by now. Any thread. */
void pd_session_load_lines(const struct perfdata_session *session);
/* For threads that help the session: whether files wait to be loaded, and loads one. false: none waits. */
bool pd_session_needs_names(const struct perfdata_session *session);
bool pd_session_help_names(const struct perfdata_session *session);
/* Whether such threads load names or soon will, and formatting may have to wait for them. */
bool pd_session_awaits_names(const struct perfdata_session *session);
/* Loads the remaining symbols, and returns when all are loaded: the end of the output counts findings of loading. Call
 * it when all emitters have looked up their names. */
void pd_session_finish_names(const struct perfdata_session *session);

/* --- tables/session_tables.c --- */
/* Reports once for each file how many of its addresses have no answer in the bundle. */
void pd_session_report_lacking(const struct perfdata_session *session);
/* Whether a look-up of names failed, so that the output may lack names. Fills in reterr. */
enum perfdata_status pd_session_names_failure(const struct perfdata_session *session, struct perfdata_error *reterr);
/* The number of frames; their ids count from 0. */
uint32_t pd_session_nr_frames(const struct perfdata_session *session);
/* The dso's build-id in hexadecimal; "": unknown so far. */
#define PD_BUILD_ID_TEXT (2 * PERFDATA_BUILD_ID_MAX + 1)
void pd_session_build_id_text(const struct perfdata_session *session, uint32_t dso, char ret[PD_BUILD_ID_TEXT]);
/* Loads the symbols of one more file in which frames were found, or with `lines` opens its debug information. false:
 * none is left. With a filter of samples it loads none: not every file will be needed. */
bool pd_session_load_next(const struct perfdata_session *session, bool lines);
/* The name of the source that the frame's function came from, by the FILE symbols of its file: the fallback where
 * pd_session_source knows nothing. NULL: unknown. PERFDATA_ABSENT: no function is known there, or perf looks up none
 * and shows *ret_address, which is always set. */
enum perfdata_status pd_session_object(const struct perfdata_session *session, uint32_t frame, uint64_t *ret_address,
				       const char **ret);
/* The dso of a frame, and the offset in its file (kernel: the recorded address). false: the frame is in no file. */
bool pd_session_file_offset(const struct perfdata_session *session, uint32_t frame, uint32_t *ret_dso,
			    uint64_t *ret_offset);
/* The symbols of a dso, for folders that read more of its file. NULL: there are none. Only in the session's thread. */
struct perfdata_symbols_dso *pd_session_dso_symbols(const struct perfdata_session *session, uint32_t dso);
/* Whether the frame has no name because a bundle has answers for other addresses of its file. Loads the symbols. A
 * caller's frame needs its bit, as in perfdata_session_symbol. */
bool pd_session_lacks_answer(const struct perfdata_session *session, uint32_t frame);
/* The text that outputs show for a frame without a name. */
const char *pd_session_nameless_text(const struct perfdata_session *session, uint32_t frame);
/* Whether names or unwinding needed the file of the frame already; true also if the frame has no file. */
bool pd_session_knows_files(const struct perfdata_session *session, uint32_t frame);

/* --- delivery/sample_run.c --- */
/* Lets the reader pass over samples from which a session that needs only spans learns nothing: after the sample before,
 * the session knows their threads. Call it before the first record is asked for. PERFDATA_ENOMEM. */
enum perfdata_status pd_pass_over_samples(struct perfdata_session *session);
/* Takes leading samples that need no special treatment; at most PD_MAX_RECORDS. */
enum perfdata_status pd_take_samples(struct perfdata_session *session, const struct perfdata_raw *raws, unsigned nr,
				     unsigned *ret_taken);

/* --- delivery/deliver.c --- */
/* The value of a counter in a sample. */
struct pd_counter {
	const struct perfdata_event *event;    /* NULL: unknown */
	uint64_t id;
	uint64_t key;                          /* of the counter; where events are inherited, each thread has one */
	uint64_t value;
};
struct pd_counter pd_counter_at(const struct perfdata_reader *reader, const struct perfdata_event *sampled,
				const struct perfdata_list *values, uint64_t i, int32_t tid);
/* How much the counter grew since the last call. last: values by the key of the counter. PERFDATA_ENOMEM. */
enum perfdata_status pd_counter_growth(struct pd_hash_map *last, const struct pd_counter *counter, uint64_t *ret);

/* --- delivery/session.c --- */
/* Gathers no steps of callchains although the needs have STACKS, unless ids or nodes of stacks are needed. Call it
 * before the first batch. */
void pd_session_drop_stacks(struct perfdata_session *session);
struct pd_account *pd_session_account(const struct perfdata_session *session);
/* Frees the data that only further batches need. Call it when all batches are released and no more are needed. */
void pd_session_trim(struct perfdata_session *session);
/* The tree of stacks by frames (PERFDATA_NEED_NODES); NULL: the session has none. For the session's thread or, after
 * the last batch, for any thread. */
struct pd_step_tree *pd_session_nodes(const struct perfdata_session *session);
/* Whether samples are made of traces; the reader adds their events when it meets the traces. */
bool pd_session_makes_samples(const struct perfdata_session *session);
/* Sets the listener that receives the findings of the session's reader from now on; returns the former listener. */
struct pd_listener pd_session_listen(struct perfdata_session *session, struct pd_listener listener);
/* Conditions on the type of a record and on its event, beside all others. */
enum pd_filter_conditions { PD_FILTER_OTHERS, PD_FILTER_TYPE = 1, PD_FILTER_EVENT = 2, PD_FILTER_ALL = 3 };
/* *ret: whether the record meets the filter's conditions (enum pd_filter_conditions). PERFDATA_ENOMEM. */
enum perfdata_status pd_session_wants(struct perfdata_session *session, const struct perfdata_raw *raw,
				      unsigned conditions, bool *ret);
/* Calls `watch` for each record except samples without counters, before the record changes the session's state.
 * Samples with counters then pass a condition on the event: see pd_session_counts. */
void pd_session_watch(struct perfdata_session *session, pd_session_watch_fn *watch, void *user);
/* Whether a counter that a sample reads passes the filter's condition on the event. */
bool pd_session_counts(struct perfdata_session *session, const struct perfdata_event *event);

/* --- delivery/count.c --- */
enum perfdata_status pd_count_record(struct pd_counts *counts, const struct perfdata_raw *raw);
/* Counts samples of known events, each with one delivery. */
enum perfdata_status pd_count_samples(struct pd_counts *counts, const struct perfdata_raw *raws, unsigned nr);
/* As pd_count_samples, for summaries; adds their sizes to *bytes. */
enum perfdata_status pd_count_summaries(struct pd_counts *counts, const struct pd_sample_summary *summaries,
					unsigned nr, size_t *bytes);
enum perfdata_status pd_count_delivery(struct pd_counts *counts, const struct perfdata_event *event);
enum perfdata_status pd_counts_publish(struct perfdata_session *session);
/* Reports the losses that the recording states: LOST, AUX_LOST. Call it once, after the last record. */
void pd_counts_report_losses(struct perfdata_session *session);
void pd_counts_release(struct pd_counts *counts);

/* --- delivery/filter.c --- */
enum perfdata_status pd_filter_init(struct pd_filter *filter, const struct perfdata_filter *given,
				    struct perfdata_error *reterr);
/* comm NULL: unknown. conditions: enum pd_filter_conditions. */
bool pd_filter_record(struct pd_filter *filter, const struct perfdata_raw *raw, const char *comm, unsigned conditions);
bool pd_filter_event(struct pd_filter *filter, const struct perfdata_event *event);
/* Whether the filter asks for the CPU, thread or event of a record of perf itself. */
bool pd_filter_asks_owner(const struct pd_filter *filter, const struct perfdata_raw *raw);
/* Sets CPU, thread and event of a record of perf itself, such as STAT, as its own fields state them. */
void pd_filter_set_owner(struct perfdata_raw *raw, const struct perfdata_reader *reader);
/* *ret: whether the record is in the dsos and symbols that the filter names. PERFDATA_ENOMEM. */
enum perfdata_status pd_filter_place(struct perfdata_session *session, const struct perfdata_raw *raw, bool *ret);
void pd_filter_release(struct pd_filter *filter);
/* Matches a pattern with `*` and `?`; takes at most the product of the lengths, without recursion. */
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
/* Facts about spans so far; the name of a span. NULL, "": the session has no spans. */
const struct pd_span_facts *pd_session_span_facts(const struct perfdata_session *session);
const char *pd_session_span_name(const struct perfdata_session *session, const struct pd_span *span);
const char *pd_session_span_text(const struct perfdata_session *session, uint32_t name);   /* name: pd_span.name */
/* Whether the frame lies in the kernel, its modules or code that the kernel generated. */
bool pd_session_frame_is_kernel(const struct perfdata_session *session, uint32_t frame);
/* What the session's samples weigh; never PERFDATA_OFF_CPU_USUAL. */
enum perfdata_off_cpu pd_session_off_cpu(const struct perfdata_session *session);
/* The event to which time off the CPU adds weight; NULL: none. */
const struct perfdata_event *pd_session_off_event(const struct perfdata_session *session);
/* Whether names and stacks follow the rules of simpleperf. */
bool pd_session_follows_simpleperf(const struct perfdata_session *session);
/* Whether the session's batches have all these parts (enum perfdata_session_need). */
bool pd_session_gives(const struct perfdata_session *session, uint32_t needs);
/* Whether the session leaves out records, by a filter or a limit. */
bool pd_session_leaves_out(const struct perfdata_session *session);

/* The name of an address of the kernel, for formats that print such addresses; PERFDATA_ABSENT: it has none. */
enum perfdata_status pd_session_kernel_symbol(const struct perfdata_session *session,
								 uint64_t address, struct perfdata_symbol *ret);

/* The symbols of a frame's file or jitdump file, and the frame's address there; NULL: there are none. */
struct perfdata_symbols_dso *pd_session_symbols(const struct perfdata_session *session, uint32_t frame,
						uint64_t *ret_address);
/* The symbols that the session uses; NULL: none. */
struct perfdata_symbols *pd_session_names(const struct perfdata_session *session);
struct pd_code_bytes;
/* The code of a frame's function when the frame ran. start: where the function begins, in addresses as frames have
 * them. See pd_symbols_code. */
enum perfdata_status pd_session_code(const struct perfdata_session *session, uint32_t frame, uint64_t start,
				     uint64_t size, struct pd_code_bytes *ret);
/* The function to which a call or jump in the frame's function goes. address: as frames of this file have it.
 * PERFDATA_ABSENT: the function has no name. */
enum perfdata_status pd_session_target(const struct perfdata_session *session, uint32_t frame, uint64_t address,
				       struct perfdata_symbol *ret);

/* --- tables/program_lines.c: source lines of BPF programs. For use after the recording was read --- */

struct pd_program_lines;
/* Gathers the lines of all programs. PERFDATA_ENOMEM. */
enum perfdata_status pd_program_lines_new(const struct perfdata_session *session, struct pd_program_lines **ret);
void pd_program_lines_free(struct pd_program_lines *all);   /* NULL is fine */
/* Finds the source line at an address, as frames have it, in the frame's program, and the line's text, which may be
 * empty. Both texts stay as long as the reader. false: no line is known. */
bool pd_find_program_line(const struct pd_program_lines *all, const struct perfdata_session *session, uint32_t frame,
			  uint64_t address, struct perfdata_source_line *ret, const char **ret_text);

/* The functions inlined at a frame's address and the source position of each: see pd_symbols_source.
 * PERFDATA_ABSENT: nothing is known. */
enum perfdata_status pd_session_source(const struct perfdata_session *session, uint32_t frame,
							  struct perfdata_source_line *entries, size_t room,
							  size_t *ret_count);

/* As pd_session_source, but only the functions: see perfdata_symbols_calls. */
enum perfdata_status pd_session_calls(const struct perfdata_session *session, uint32_t frame,
							 struct perfdata_source_line *entries, size_t room,
							 size_t *ret_count);

#endif
