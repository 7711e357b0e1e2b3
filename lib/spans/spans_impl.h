/* SPDX-License-Identifier: MIT */
/* What the files of lib/spans share. */
#ifndef PD_SPANS_IMPL_H
#define PD_SPANS_IMPL_H

#include "base/hash.h"
#include "base/memory.h"
#include "reader/reader.h"
#include "schema/trace.h"
#include "schema/trace_types.h"
#include "spans/spans.h"

/* --- span_sources.c: what the samples of an event say --- */
enum pd_span_role {
	PD_ROLE_NONE,
	PD_ROLE_SWITCH,
	PD_ROLE_SAMPLED_SWITCH,      /* a sched_switch event that recorded only some switches: ignored */
	PD_ROLE_WAKING,
	PD_ROLE_WAKEUP,
	PD_ROLE_WAKEUP_NEW,
	PD_ROLE_WAIT,                /* a sample that is a wait by itself */
	PD_ROLE_BEGIN,
	PD_ROLE_END,
};
/* The first part of a pair's key. */
enum pd_pair_key { PD_KEY_TID, PD_KEY_CPU, PD_KEY_NOTHING };
/* How the value of a field becomes a name. */
enum pd_pair_name { PD_NAME_TEXT, PD_NAME_NUMBER, PD_NAME_SYSCALL, PD_NAME_SOFTIRQ, PD_NAME_LOCK, PD_NAME_EVENT };
/* One row for each pair of events. */
struct pd_pair {
	enum perfdata_span_kind kind;
	/* a pattern that ends in * matches many events: the rest of an event's name is the span's name */
	const char *system, *begin, *end;
	enum pd_pair_key key;
	const char *fields[2];               /* fields of both events: the rest of the key; or NULL */
	const char *zero;                    /* of both events: whether this field is 0 is part of the key; or NULL */
	const char *name;                    /* field of the begin; or NULL */
	enum pd_pair_name named;
	bool same_name;                      /* the end has the field, too: it ends only a span of the same name */
	const char *result;                  /* field of the end; or NULL */
};
#define PD_SWITCH_LETTERS 32
/* What the engine needs to read samples of one event. */
struct pd_span_event {
	const struct perfdata_event *event;  /* the event */
	enum pd_span_role role;
	const struct pd_pair *pair;
	/* by role: SWITCH: prev_pid, next_pid, prev_state; wake-ups: pid; pairs: key, key, zero, name, result */
	const struct perfdata_trace_field *fields[5];
	uint32_t name;                       /* for PD_NAME_EVENT */
	uint32_t raw_at;                     /* offset of the raw data's size in each whole sample; 0: it varies */
	/* the letter for each bit of prev_state; 0: none */
	char letters[PD_SWITCH_LETTERS];
	uint32_t lettered;                   /* the bits that have a letter */
};
/* Fills in all members but `name`; *ret_name is the text for `name`, or NULL. */
void pd_span_event_init(struct pd_span_event *ret, const struct perfdata_event *event, uint32_t kinds,
			const char **ret_name);
/* The state that a value of prev_state means. */
enum pd_span_state pd_span_state_of(const struct pd_span_event *event, uint64_t value);
/* The name of a system call or softirq, or NULL. */
const char *pd_syscall_name(enum perfdata_arch arch, unsigned long_size, uint64_t number);   /* syscall_names.c */
const char *pd_softirq_name(uint64_t number);

/* --- the state --- */
struct pd_span_side {
	uint64_t time;
	uint32_t cpu;
	struct pd_span_place place;
};
/* What a sample of sched_switch says about a thread that leaves its CPU. */
struct pd_left {
	enum pd_span_state state;
	uint64_t state_raw;
	struct pd_span_stack stack;
	bool known;
};
struct pd_span_thread {
	int32_t tid;
	bool is_out, is_on, is_woken;        /* is_on: it runs, by SWITCH records */
	bool has_exited;                     /* EXIT came; the last switch comes later */
	struct pd_span_who who;              /* set at the switch-out, or by SWITCH records */
	struct pd_span_side out, on;
	struct pd_left left;                 /* what the last switch-out said */
	struct pd_left next;                 /* what the last sample said, for the next SWITCH record */
	struct {
		uint64_t time, epoch;
		int32_t waker;
		struct pd_span_who who;
		struct pd_span_stack stack;
	} wake;
	uint32_t syscall;                    /* its name + 1; 0: none is known */
	uint32_t running;                    /* number of CPUs on which sched_switch has it */
	uint32_t next_free;
};
struct pd_span_cpu {
	uint32_t cpu;
	bool known;                          /* `tid` and `who` are known */
	int32_t tid;
	struct pd_span_who who;
	struct pd_span_side since;
	uint64_t lost;                       /* time of the last LOST record; 0: none */
};
struct pd_open_pair {
	const struct pd_pair *pair;
	uint64_t key[3];
	uint32_t name;
	int32_t tid;
	struct pd_span_who who;
	struct pd_span_side begin;
	struct pd_span_stack stack;
	const struct perfdata_event *event;
	uint8_t *data;                       /* raw data of the begin; the slot keeps the memory */
	size_t nr_data, data_room;
	uint32_t next;                       /* next pair of the same hash, or next free slot; UINT32_MAX: none */
};

#define PD_RECENT_THREADS 64u                /* a power of two */
#define PD_NEAR_SYSCALLS 512u

struct pd_spans {
	struct pd_spans_options options;
	struct pd_account *account;
	size_t accounted;
	struct pd_span_facts facts;
	struct pd_span_event *events;        /* by index of the event */
	size_t events_room;
	struct pd_span_thread *threads;
	size_t nr_threads, threads_room;
	uint32_t free_thread;
	struct pd_hash_map thread_of;        /* tid → index + 1 */
	uint32_t recent[PD_RECENT_THREADS];  /* by tid: index of a thread looked up last */
	struct pd_hash_map exited;           /* tids that had EXIT; with SWITCH records only */
	struct pd_span_cpu *cpus;
	size_t nr_cpus, cpus_room;
	struct pd_hash_map cpu_of;           /* cpu → index + 1 */
	struct pd_open_pair *open;
	size_t nr_open, open_room;
	uint32_t free_open;
	/* hash of the key → index of the first open pair; UINT32_MAX: none is open, but the key is kept */
	struct pd_hash_map open_of;
	uint64_t seed;
	struct pd_intern *names;
	struct pd_hash_map number_names;     /* kind of name and number → name */
	uint32_t syscall_names[PD_NEAR_SYSCALLS];  /* by number: name + 1; 0: not looked up yet */
	bool has_waking;
	uint64_t epoch;                      /* wake-ups of earlier epochs are invalid */
	bool no_wait_samples;                /* switches have the same waits */
	bool by_records;                     /* begins and ends of runs are in SWITCH records */
	/* simpleperf's event whose samples say that a thread leaves its CPU; or NULL */
	const struct perfdata_event *left_event;
	uint64_t lost;                       /* time of the last LOST record of any CPU; 0: none */
	bool took;                           /* pd_spans_took */
	uint64_t nr_records;                 /* number of records taken */
	size_t open_data;                    /* sum of data_room of all slots */
};

/* --- span_state.c --- */
/* Charges the engine's memory to the account. The memory grows with the CPUs and threads of the recorded machine; a
 * recording that is made to exhaust it ends here. */
enum perfdata_status pd_spans_account(struct pd_spans *spans);
extern const struct pd_span pd_no_span;   /* a span about which nothing is known */
static inline bool pd_spans_want(const struct pd_spans *spans, enum perfdata_span_kind kind)
{
	return spans->options.kinds >> kind & 1;
}
static inline struct pd_span_side pd_span_side(const struct perfdata_raw *raw)
{
	return (struct pd_span_side){ .time = raw->time, .cpu = raw->cpu, .place = { raw->offset, raw->inner } };
}
/* Counts a span that lasts from `begin` to `end` (UINT64_MAX: not recorded). at_end: the recording ended during the
 * span. Returns what is unknown about the span. */
enum pd_span_unknown pd_spans_count(struct pd_spans *spans, enum perfdata_span_kind kind, uint64_t begin, uint64_t end,
				    bool at_end);
/* Counts a span of a kind that the caller does not want. False: the caller wants it, so it was not counted. */
static inline bool pd_spans_only_count(struct pd_spans *spans, enum perfdata_span_kind kind, uint64_t begin,
				       uint64_t end, bool at_end)
{
	if (pd_spans_want(spans, kind))
		return false;
	(void)pd_spans_count(spans, kind, begin, end, at_end);
	return true;
}
/* Begins a span of a wanted kind in the caller's memory. NULL without memory. */
static inline struct pd_span *pd_spans_begin(struct pd_spans *spans, enum perfdata_span_kind kind)
{
	struct pd_span *span = spans->options.room(spans->options.user);
	if (!span)
		return NULL;
	*span = pd_no_span;
	span->kind = kind;
	return span;
}
/* Sets the end of a span: the record that ends it. */
static inline void pd_span_set_end(struct pd_span *span, uint64_t end, const struct perfdata_raw *raw)
{
	span->end = end;
	span->end_cpu = raw->cpu;
	span->ends = (struct pd_span_place){ raw->offset, raw->inner };
}
/* Counts the span and passes it to the caller. */
enum perfdata_status pd_spans_give(struct pd_spans *spans, struct pd_span *span, const struct perfdata_raw *raw);
enum perfdata_status pd_spans_stack(struct pd_spans *spans, const struct perfdata_raw *raw, struct pd_span_stack *ret);
/* The thread of a tid; make: adds one if there is none. NULL: none, or no memory. */
struct pd_span_thread *pd_spans_find_thread(struct pd_spans *spans, int32_t tid, bool make);
static inline struct pd_span_thread *pd_spans_thread(struct pd_spans *spans, int32_t tid, bool make)
{
	const uint32_t recent = spans->recent[(uint32_t)tid % PD_RECENT_THREADS];
	/* slots of dropped threads have the tid -1, too */
	return tid != -1 && recent < spans->nr_threads && spans->threads[recent].tid == tid
		       ? &spans->threads[recent] : pd_spans_find_thread(spans, tid, make);
}
void pd_spans_drop_thread(struct pd_spans *spans, struct pd_span_thread *thread);
struct pd_span_cpu *pd_spans_cpu(struct pd_spans *spans, uint32_t cpu);                   /* NULL without memory */
/* The number in a field; false where there is no such field, or the raw data is too short. */
static inline bool pd_spans_number(const struct pd_spans *spans, const struct perfdata_trace_field *field,
				   struct perfdata_bytes raw, uint64_t *ret)
{
	return field && pd_trace_field_number(field, raw, spans->options.swap, ret);
}
enum perfdata_byte_order pd_spans_order(const struct pd_spans *spans);
uint32_t pd_spans_intern(struct pd_spans *spans, const char *text, size_t size);          /* UINT32_MAX: no memory */

/* --- switches.c --- */
/* Begins a wait: the thread leaves its CPU. */
enum perfdata_status pd_spans_go(struct pd_spans *spans, struct pd_span_thread *thread, const struct pd_left *left,
				 const struct perfdata_raw *raw);
enum perfdata_status pd_spans_switch(struct pd_spans *spans, const struct pd_span_event *event,
				     const struct perfdata_raw *raw, struct perfdata_bytes data);
enum perfdata_status pd_spans_wake(struct pd_spans *spans, const struct pd_span_event *event,
				   const struct perfdata_raw *raw, struct perfdata_bytes data);
enum perfdata_status pd_spans_switch_record(struct pd_spans *spans, const struct perfdata_raw *raw);
enum perfdata_status pd_spans_exit(struct pd_spans *spans, const struct perfdata_raw *raw, int32_t tid);
void pd_spans_fork(struct pd_spans *spans, int32_t tid);
enum perfdata_status pd_spans_end_switches(struct pd_spans *spans);
/* Handles a sample or SWITCH record that shows its thread running. */
enum perfdata_status pd_spans_see_running(struct pd_spans *spans, const struct perfdata_raw *raw);

/* --- wait_samples.c --- */
enum perfdata_status pd_spans_left_sample(struct pd_spans *spans, const struct pd_span_event *event,
					  const struct perfdata_raw *raw);
enum perfdata_status pd_spans_wait_sample(struct pd_spans *spans, const struct perfdata_raw *raw);

/* --- pairs.c --- */
enum perfdata_status pd_spans_pair(struct pd_spans *spans, const struct pd_span_event *event,
				   const struct perfdata_raw *raw, struct perfdata_bytes data);
enum perfdata_status pd_spans_end_pairs(struct pd_spans *spans);

#endif
