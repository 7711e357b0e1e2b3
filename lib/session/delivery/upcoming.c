/* SPDX-License-Identifier: MIT */
/* The records that come next. Where samples have user stacks to unwind, the session reads some records in advance, and
 * idle threads unwind the stacks of these samples. The session's thread still takes one record after the other. In a
 * sample's turn it drops a result that other maps or files could have changed, and unwinds whatever no other thread has
 * begun to unwind, so the result does not depend on the number of threads.
 *
 * Unwinding a stack takes a few microseconds, less than waking a thread. So threads take work without a lock, and the
 * session wakes other threads only if at least half of the records read in advance need work. */
#include "config.h"
#include <string.h>
#include "base/prefetch.h"
#include "session/delivery/sample_rules.h"

#define PLACES 128u              /* a power of two */
#define MOST_BYTES (2u << 20)    /* bytes of records read in advance, whose chunks are held, without those left out */
#define MOST_FETCHED 8192u       /* bytes of a sample */
/* Other threads leave the next records to the session's thread, which would have to wait for them. */
#define NEXT_RECORDS 4u

enum work_state { WORK_NONE, WORK_WAITS, WORK_RUNS, WORK_DONE };

struct pd_lookahead {
	/* used by the session's thread alone */
	struct perfdata_raw records[PLACES];   /* a ring; each holds its chunk */
	uint64_t first, returned, end;         /* numbers of records; those from `returned` on wait to be returned */
	uint64_t barrier;                      /* the first record that may not be passed; UINT64_MAX: none */
	size_t bytes, left_out;                /* size of the records; bytes that the reader left out of them */
	enum perfdata_status reader_status;    /* why no more records come */
	/* used by any thread */
	struct pd_unwinding work[PLACES];      /* used by one thread while the work runs, else by the session's */
	_Atomic(enum work_state) states[PLACES];
	atomic_uint nr_waiting;                /* how many states are WORK_WAITS */
	_Atomic uint64_t turn, seen;           /* numbers of records: work waits only from turn up to seen */
	atomic_bool is_awaited;                /* the session's thread waits for the end of some work */
	struct pd_monitor *monitor;            /* for waiting until work ends */
	struct pd_monitor *maps_lock;          /* see struct pd_state */
};

void pd_session_let_help(struct perfdata_session *session, pd_session_wake *wake, void *user)
{
	session->upcoming.wake = wake;
	session->upcoming.wake_user = user;
}

/* --- any thread --------------------------------------------------------------------------------------------------- */

/* Takes the work at a place, if it waits; false: it does not. */
static bool take_work(struct pd_lookahead *ahead, unsigned place, enum work_state next)
{
	enum work_state state = WORK_WAITS;
	if (!atomic_compare_exchange_strong(&ahead->states[place], &state, next))
		return false;
	atomic_fetch_sub_explicit(&ahead->nr_waiting, 1, memory_order_relaxed);
	return true;
}

static void do_work(struct pd_lookahead *ahead, unsigned place)
{
	pd_unwinding_run(&ahead->work[place], &ahead->records[place]);
	atomic_store(&ahead->states[place], WORK_DONE);
	if (!atomic_load(&ahead->is_awaited))
		return;
	pd_monitor_enter(ahead->monitor);
	pd_monitor_wake(ahead->monitor);
	pd_monitor_leave(ahead->monitor);
}

/* Fetches a sample that will be unwound next into the processor's cache, which lacks the sample if another processor
 * read it. Unwinding reads one word after the other, and each read would wait for memory; fetched at once, all bytes
 * take as long as a few such reads. */
static void fetch_sample(const struct perfdata_raw *raw)
{
	const size_t size = raw->size < MOST_FETCHED ? raw->size : MOST_FETCHED;
	for (size_t at = 0; at < size; at += 64)
		pd_prefetch(raw->bytes + at);
}

/* Takes the newest work that waits for a record before number *before, and sets *before to the number of this record.
 * false: no work waits. */
static bool take_newest(struct pd_lookahead *ahead, uint64_t *before)
{
	while (atomic_load_explicit(&ahead->nr_waiting, memory_order_relaxed) &&
	       *before > atomic_load_explicit(&ahead->turn, memory_order_relaxed) + NEXT_RECORDS)
		if (take_work(ahead, --*before % PLACES, WORK_RUNS))
			return true;
	return false;
}

/* The session's thread takes the oldest work, others take the newest, so that they seldom meet. */
static bool unwind_some(struct pd_lookahead *ahead)
{
	uint64_t at = atomic_load_explicit(&ahead->seen, memory_order_relaxed);
	bool has_next = take_newest(ahead, &at);
	const bool ret = has_next;
	while (has_next) {
		const unsigned place = at % PLACES;
		has_next = take_newest(ahead, &at);
		if (has_next)
			fetch_sample(&ahead->records[at % PLACES]);
		do_work(ahead, place);
	}
	return ret;
}

/* First what cannot be divided, or what the session's thread would do alone. */
bool pd_session_help(struct perfdata_session *session)
{
	struct pd_lookahead *ahead = atomic_load_explicit(&session->upcoming.ahead, memory_order_acquire);
	return pd_session_help_names(session) || pd_reader_help(session->reader) || (ahead && unwind_some(ahead));
}

bool pd_session_needs_help(const struct perfdata_session *session)
{
	struct pd_lookahead *ahead = atomic_load_explicit(&session->upcoming.ahead, memory_order_acquire);
	return (ahead && atomic_load_explicit(&ahead->nr_waiting, memory_order_relaxed) > NEXT_RECORDS) ||
	       pd_reader_needs_help(session->reader) || pd_session_needs_names(session);
}

/* --- the session's thread ----------------------------------------------------------------------------------------- */

static bool has_user_stack(const struct perfdata_raw *raw)
{
	return raw->type == PERFDATA_RECORD_SAMPLE && raw->event &&
	       pd_event_samples(raw->event, PERFDATA_SAMPLE_REGS_USER | PERFDATA_SAMPLE_STACK_USER);
}

/* Whether the session may read further before this record's turn. Samples of groups look up the reader's events, which
 * further records may change. */
static bool may_pass(const struct perfdata_raw *raw)
{
	switch (raw->type) {
	case PERFDATA_RECORD_SAMPLE:
		return raw->event && !pd_event_samples(raw->event, PERFDATA_SAMPLE_READ);
	case PERFDATA_RECORD_FINISHED_ROUND:
	case PERFDATA_RECORD_MMAP:
	case PERFDATA_RECORD_MMAP2:
	case PERFDATA_RECORD_COMM:
	case PERFDATA_RECORD_FORK:
	case PERFDATA_RECORD_EXIT:
		return true;
	}
	return false;
}

/* Whether to read in advance. Not from streams: a stream's record must not wait for the next one to be written. */
static bool may_look_ahead(const struct perfdata_session *session)
{
	return session->state && session->state->symbols && pd_needs_chains(session) && !session->options.limit &&
	       !session->state->guests && !session->state->inside && !session->options.trace_samples &&
	       perfdata_reader_header(session->reader)->container != PERFDATA_CONTAINER_PIPE;
}

/* Threads that unwind stacks have time left, in which they read. Further threads would take their processors, and pass
 * the bytes of the stacks from one to another. */
bool pd_session_expect_helpers(struct perfdata_session *session)
{
	return may_look_ahead(session) && pd_reader_copies_stacks(session->reader) &&
	       pd_reader_let_help(session->reader);
}

static struct pd_lookahead *make_lookahead(struct perfdata_session *session)
{
	struct pd_lookahead *ahead = pd_malloc(sizeof *ahead);
	if (!ahead)
		return NULL;
	memset(ahead, 0, sizeof *ahead);   /* all of it will be used: one page fault instead of two a page */
	ahead->monitor = pd_monitor_new();
	ahead->maps_lock = pd_monitor_new();
	if (!ahead->monitor || !ahead->maps_lock) {
		pd_monitor_free(ahead->monitor);
		pd_monitor_free(ahead->maps_lock);
		pd_free(ahead);
		return NULL;
	}
	ahead->barrier = UINT64_MAX;
	pd_account_take(session->account, PD_USE_BATCHES, sizeof *ahead);
	session->state->maps_lock = ahead->maps_lock;
	atomic_store_explicit(&session->upcoming.ahead, ahead, memory_order_release);
	return ahead;
}

static void append_records(struct pd_lookahead *ahead, const struct pd_record_run *run)
{
	for (unsigned i = 0; i < run->nr; i++) {
		const struct perfdata_raw *raw = &run->records[i];
		if (ahead->barrier == UINT64_MAX && !may_pass(raw))
			ahead->barrier = ahead->end;
		pd_chunk_hold(raw->chunk);
		ahead->bytes += raw->size;
		ahead->left_out += raw->left_out;
		ahead->records[ahead->end++ % PLACES] = *raw;
	}
}

/* Drops the records that pd_upcoming_next has returned. */
static void drop_returned(struct pd_lookahead *ahead)
{
	for (; ahead->first < ahead->returned; ahead->first++) {
		const struct perfdata_raw *raw = &ahead->records[ahead->first % PLACES];
		ahead->bytes -= raw->size;
		ahead->left_out -= raw->left_out;
		pd_chunk_drop(raw->chunk);
	}
	if (ahead->barrier >= ahead->first)
		return;
	ahead->barrier = UINT64_MAX;
	for (uint64_t i = ahead->first; i < ahead->end && ahead->barrier == UINT64_MAX; i++)
		if (!may_pass(&ahead->records[i % PLACES]))
			ahead->barrier = i;
}

/* Bytes left out use none of the processor's cache, but the memory of their chunks. Only other threads gain by more
 * records. */
static size_t bytes_ahead(const struct perfdata_session *session, const struct pd_lookahead *ahead)
{
	const bool is_scarce = !session->upcoming.wake || pd_account_is_tight(session->account);
	return is_scarce ? ahead->bytes : ahead->bytes - ahead->left_out;
}

static void read_on(struct perfdata_session *session, struct pd_lookahead *ahead)
{
	while (!ahead->reader_status && ahead->barrier == UINT64_MAX && bytes_ahead(session, ahead) < MOST_BYTES &&
	       ahead->end - ahead->first <= PLACES - PD_MAX_RECORDS && pd_reader_ready(session->reader)) {
		struct perfdata_raw room[PD_MAX_RECORDS];
		struct pd_record_run run;
		ahead->reader_status = pd_reader_next_run(session->reader, room, &run);
		if (!ahead->reader_status)
			append_records(ahead, &run);
	}
}

/* Whether the sample's stack will be needed, as far as the session knows before its turn. */
static bool is_worth_work(struct perfdata_session *session, const struct perfdata_raw *raw)
{
	return has_user_stack(raw) && !pd_is_offcpu(raw->event) && !session->filter.given.nr_comms &&
	       pd_filter_record(&session->filter, raw, NULL, PD_FILTER_ALL);
}

/* Offers the work of the samples before the barrier to other threads. */
static void prepare_work(struct perfdata_session *session, struct pd_lookahead *ahead)
{
	struct pd_state *state = session->state;
	const uint64_t end = ahead->end < ahead->barrier ? ahead->end : ahead->barrier;
	uint64_t seen = atomic_load_explicit(&ahead->seen, memory_order_relaxed);
	seen = seen > ahead->first ? seen : ahead->first;
	unsigned nr = 0;
	for (; seen < end; seen++) {
		const unsigned place = seen % PLACES;
		const struct perfdata_raw *raw = &ahead->records[place];
		const struct pd_thread *thread = is_worth_work(session, raw) ? pd_thread_find(state, raw->tid) : NULL;
		if (!thread || !pd_unwinding_begin(state, thread, &ahead->work[place]))
			continue;
		atomic_fetch_add_explicit(&ahead->nr_waiting, 1, memory_order_relaxed);
		atomic_store_explicit(&ahead->states[place], WORK_WAITS, memory_order_release);
		nr++;
	}
	atomic_store_explicit(&ahead->seen, seen, memory_order_relaxed);
	if (nr && atomic_load_explicit(&ahead->nr_waiting, memory_order_relaxed) >= (ahead->end - ahead->returned) / 2)
		session->upcoming.wake(session->upcoming.wake_user);
}

/* Returns the next records that are adjacent in the ring, up to the barrier: after it, more work can be prepared. */
static void return_records(struct pd_lookahead *ahead, struct pd_record_run *ret)
{
	const unsigned place = ahead->returned % PLACES;
	const uint64_t end = ahead->barrier < ahead->end ? ahead->barrier + 1 : ahead->end, nr = end - ahead->returned;
	ret->records = &ahead->records[place];
	ret->nr = (unsigned)(nr < PLACES - place ? nr : PLACES - place);
	ret->nr = ret->nr < PD_MAX_RECORDS ? ret->nr : PD_MAX_RECORDS;
	ahead->returned += ret->nr;
}

enum perfdata_status pd_upcoming_next(struct perfdata_session *session)
{
	struct pd_upcoming *upcoming = &session->upcoming;
	struct pd_lookahead *ahead = atomic_load_explicit(&upcoming->ahead, memory_order_relaxed);
	upcoming->at = upcoming->pending.nr = 0;
	if (ahead)
		drop_returned(ahead);
	if (!ahead || (ahead->first == ahead->end && !ahead->reader_status)) {
		struct perfdata_raw *room = pd_batch_room(session->open);
		const enum perfdata_status status = pd_reader_next_run(session->reader, room ? room : upcoming->room,
									&upcoming->pending);
		if (status || !has_user_stack(&upcoming->pending.records[upcoming->pending.nr - 1]) ||
		    !may_look_ahead(session) || (!ahead && !(ahead = make_lookahead(session))))
			return status;
		append_records(ahead, &upcoming->pending);
	}
	read_on(session, ahead);
	if (ahead->first == ahead->end) {
		const enum perfdata_status status = ahead->reader_status;
		ahead->reader_status = PERFDATA_OK;
		return status;
	}
	if (upcoming->wake)
		prepare_work(session, ahead);
	/* Else this thread, for which all others wait, would read: a round of records may need several chunks. */
	if (upcoming->wake && pd_reader_needs_help(session->reader))
		upcoming->wake(upcoming->wake_user);
	return_records(ahead, &upcoming->pending);
	return PERFDATA_OK;
}

bool pd_upcoming_is_empty(const struct perfdata_session *session)
{
	const struct pd_upcoming *upcoming = &session->upcoming;
	const struct pd_lookahead *ahead = atomic_load_explicit(&upcoming->ahead, memory_order_relaxed);
	return upcoming->at == upcoming->pending.nr && (!ahead || ahead->returned == ahead->end);
}

void pd_upcoming_keep(struct perfdata_session *session)
{
	struct pd_upcoming *upcoming = &session->upcoming;
	const struct pd_lookahead *ahead = atomic_load_explicit(&upcoming->ahead, memory_order_relaxed);
	const unsigned left = upcoming->pending.nr - upcoming->at;
	if (!left || (ahead && ahead->first < ahead->end))
		return;
	memmove(upcoming->room, &upcoming->pending.records[upcoming->at], left * sizeof *upcoming->room);
	upcoming->pending = (struct pd_record_run){ upcoming->room, left };
	upcoming->at = 0;
}

/* The result for the record whose turn it is; NULL: no other thread has begun the work. */
static const struct pd_unwinding *finish_work(struct pd_lookahead *ahead, unsigned place)
{
	if (take_work(ahead, place, WORK_NONE))
		return NULL;
	if (atomic_load(&ahead->states[place]) == WORK_RUNS) {
		pd_monitor_enter(ahead->monitor);
		atomic_store(&ahead->is_awaited, true);
		while (atomic_load(&ahead->states[place]) == WORK_RUNS)
			pd_monitor_wait(ahead->monitor);
		atomic_store(&ahead->is_awaited, false);
		pd_monitor_leave(ahead->monitor);
	}
	atomic_store_explicit(&ahead->states[place], WORK_NONE, memory_order_relaxed);
	return &ahead->work[place];
}

/* Whether the record may change maps that other threads read. */
static bool may_change_maps(const struct perfdata_session *session, const struct perfdata_raw *raw)
{
	return session->upcoming.wake && raw->type != PERFDATA_RECORD_SAMPLE &&
	       raw->type != PERFDATA_RECORD_FINISHED_ROUND;
}

/* Announces a sample that this thread will probably unwind. */
static void fetch_next(const struct perfdata_session *session, const struct pd_lookahead *ahead, uint64_t number)
{
	const unsigned place = number % PLACES;
	const bool others_help = session->upcoming.wake;
	if (number < ahead->end && has_user_stack(&ahead->records[place]) &&
	    (!others_help || atomic_load_explicit(&ahead->states[place], memory_order_relaxed) == WORK_WAITS))
		fetch_sample(&ahead->records[place]);
}

void pd_upcoming_begin(struct perfdata_session *session)
{
	struct pd_lookahead *ahead = atomic_load_explicit(&session->upcoming.ahead, memory_order_relaxed);
	if (!ahead || ahead->first == ahead->end)
		return;
	const uint64_t number = ahead->first + session->upcoming.at;
	atomic_store_explicit(&ahead->turn, number, memory_order_relaxed);
	fetch_next(session, ahead, number + 1);
	if (may_change_maps(session, &ahead->records[number % PLACES]))
		pd_monitor_enter_soon(ahead->maps_lock);
	if (ahead->work[number % PLACES].modules)
		session->state->unwinding = finish_work(ahead, number % PLACES);
}

void pd_upcoming_end(struct perfdata_session *session)
{
	struct pd_lookahead *ahead = atomic_load_explicit(&session->upcoming.ahead, memory_order_relaxed);
	if (!ahead || ahead->first == ahead->end)
		return;
	const unsigned place = (ahead->first + session->upcoming.at) % PLACES;
	session->state->unwinding = NULL;
	pd_unwinding_end(&ahead->work[place]);
	if (may_change_maps(session, &ahead->records[place]))
		pd_monitor_leave(ahead->maps_lock);
}

void pd_upcoming_free(struct perfdata_session *session)
{
	struct pd_lookahead *ahead = atomic_load_explicit(&session->upcoming.ahead, memory_order_relaxed);
	if (!ahead)
		return;
	ahead->returned = ahead->end;
	drop_returned(ahead);
	for (unsigned i = 0; i < PLACES; i++)
		pd_unwinding_end(&ahead->work[i]);
	session->state->maps_lock = NULL;
	pd_monitor_free(ahead->monitor);
	pd_monitor_free(ahead->maps_lock);
	pd_account_give(session->account, PD_USE_BATCHES, sizeof *ahead);
	pd_free(ahead);
}
