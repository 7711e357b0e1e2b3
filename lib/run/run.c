/* The run: a reader thread that pulls batches, formatting in any number of threads, one writer in order.
 *
 * Batches pass through a ring of slots, counted by numbers that only grow: written <= formatted <= filled. Every thread
 * looks for something to do, in this order: write what is next, pack or format what waits, and, the calling thread only,
 * fetch another batch. So there are exactly as many threads as jobs, with one job there is none but the caller, and the
 * program's callbacks (findings of the reader and of formatting) all come in the calling thread.
 *
 * Whatever fails is noted in its slot and takes effect when the writer gets there: what stands before it in the recording
 * is written in any case, what stands behind it never, and the outcome does not depend on the number of threads. */
#include "config.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/threads.h"
#include "run/pack.h"
#include "session/session.h"

/* What a pipe may deliver before its first kernel record, at most, until meta is written without the rest. */
#define MAX_BATCHES_BEFORE_BEGIN 64

/* What the reader or formatting found, on its way to the calling thread. */
struct found {
	struct found *next;
	bool of_reader;
	struct perfdata_finding finding;
	char message[];
};
/* {0} is an empty list. */
struct found_list {
	struct found *first, *last;
};

enum slot_state { SLOT_FREE, SLOT_FILLED, SLOT_FORMATTING, SLOT_DONE };

struct slot {
	enum slot_state state;
	enum perfdata_status status;
	struct perfdata_batch *batch;
	void *value;                /* of scan */
	void *part;                 /* for merge */
	bool merged;
	struct found_list found;    /* by the reader on its way here, and by the check of its records */
	size_t compressed;              /* bytes of text that are in pieces already */
	struct perfdata_text text;
};

struct worker {
	struct perfdata_scratch scratch;
	struct pd_encoder *encoder;
};

struct run {
	struct perfdata_session *session;
	const struct perfdata_emitter *emitter;
	const struct perfdata_run_options *options;
	struct perfdata_sink *sink;
	void *state;
	bool begun;
	struct pd_listener reader_listener; /* The listener that receives what the reader finds */
	struct found_list read;     /* what it found since the last batch; of the calling thread */
	bool read_lost;                     /* there was no memory for it */

	struct pd_monitor *monitor;
	struct pd_team *team;
	struct worker *workers;     /* the caller's is the last */
	unsigned jobs;

	/* Guarded by the monitor from here on. */
	struct slot *slots;
	unsigned nr_slots;
	struct perfdata_text *spares;       /* buffers that no slot has; the one used last is taken first, while it is in the caches */
	unsigned nr_spares;
	uint64_t filled, formatted, written;
	bool reader_done;            /* nothing more will be filled */
	bool writing;               /* a thread has the writer's role */
	bool stopping;              /* the writer met a failure: all leave */
	struct pd_pack pack;
	struct found_list found;

	enum perfdata_status status;        /* the writer's, else the reader thread's */
	struct perfdata_error error;
	enum perfdata_status reader_status;
	struct perfdata_error reader_error;
	bool damaged;               /* formatting found an ERROR */
	bool finding_lost;          /* there was no memory for what formatting found */

	struct perfdata_batch *early[MAX_BATCHES_BEFORE_BEGIN];   /* pulled before begin */
	unsigned nr_early, next_early;
};

static struct slot *slot_of(struct run *run, uint64_t number) { return &run->slots[number % run->nr_slots]; }

/* For failures that have no more to say than their status. */
static enum perfdata_status fail(struct perfdata_error *error, enum perfdata_status status)
{
	return pd_error(error, status, PERFDATA_NO_OFFSET, "%s", perfdata_status_text(status));
}

/* --- findings ------------------------------------------------------------------------------------------------------ */

/* A copy that lives until it is reported; NULL without memory. */
static struct found *copy_finding(const struct perfdata_finding *finding)
{
	const size_t size = strlen(finding->message) + 1;
	struct found *found = pd_malloc(sizeof *found + size);
	if (!found)
		return NULL;
	found->next = NULL;
	found->of_reader = false;
	found->finding = *finding;
	memcpy(found->message, finding->message, size);
	found->finding.message = found->message;
	return found;
}

static void add_found(struct found_list *list, struct found *found)
{
	*(list->first ? &list->last->next : &list->first) = found;
	list->last = found;
}

/* The first one, taken off the list; NULL: there is none. */
static struct found *take_found(struct found_list *list)
{
	struct found *found = list->first;
	if (found) {
		list->first = found->next;
		found->next = NULL;
	}
	return found;
}

/* In a worker: waits with its batch, so that the order is that of the records. */
static void keep_finding(void *user, const struct perfdata_finding *finding)
{
	struct slot *slot = user;
	struct found *found = copy_finding(finding);
	if (found)
		add_found(&slot->found, found);
	else
		slot->status = PERFDATA_ENOMEM;
}

/* Of the reader, in the calling thread: it is reported with the batch that comes next, and so in the same order for any number of threads. */
static void read_finding(void *user, const struct perfdata_finding *finding)
{
	struct run *run = user;
	struct found *found = copy_finding(finding);
	if (found) {
		found->of_reader = true;
		add_found(&run->read, found);
	} else {
		run->read_lost = true;
	}
}

/* Takes it over; NULL: there was no memory for it. */
static void queue_found(struct run *run, struct found *found)
{
	pd_monitor_enter(run->monitor);
	if (found) {
		add_found(&run->found, found);
		run->damaged |= found->finding.severity == PERFDATA_SEVERITY_ERROR && !found->of_reader;
	} else {
		run->finding_lost = true;
	}
	pd_monitor_leave(run->monitor);
}

static void queue_finding(void *user, const struct perfdata_finding *finding) { queue_found(user, copy_finding(finding)); }

static void drop_found(struct found_list *list)
{
	for (struct found *found; (found = take_found(list));)
		pd_free(found);
}

static void queue_kept(struct run *run, struct slot *slot)
{
	for (struct found *found; (found = take_found(&slot->found));)
		queue_found(run, found);
}

/* Tells a list that nobody else adds to. */
static void tell(struct run *run, struct found_list *list)
{
	const struct pd_listener own = { run->options->on_finding, run->options->user };
	for (struct found *found; (found = take_found(list));) {
		const struct pd_listener listener = found->of_reader ? run->reader_listener : own;
		if (listener.on_finding)
			listener.on_finding(listener.user, &found->finding);
		pd_free(found);
	}
}

/* Calling thread, inside the monitor; true if the monitor was left for it, and what was seen before may be past. */
static bool report_findings(struct run *run)
{
	const bool any = run->found.first != NULL;
	while (run->found.first) {
		struct found_list found = run->found;
		run->found = (struct found_list){ NULL, NULL };
		pd_monitor_leave(run->monitor);
		tell(run, &found);
		pd_monitor_enter(run->monitor);
	}
	return any;
}

/* --- the reader thread ------------------------------------------------------------------------------------------------------ */

static bool has_kernel_record(const struct perfdata_batch *batch)
{
	for (size_t i = 0; i < batch->nr_records; i++)
		if (batch->records[i].type < PERFDATA_RECORD_USER_FIRST)
			return true;
	for (size_t i = 0; i < batch->nr_deliveries; i++)
		if (batch->deliveries[i].record->type < PERFDATA_RECORD_USER_FIRST)
			return true;
	return false;
}

static enum perfdata_status write_text(struct run *run, struct perfdata_text *text)
{
	if (perfdata_text_failed(text))
		return fail(&run->error, PERFDATA_ENOMEM);
	if (!text->size)
		return PERFDATA_OK;
	const enum perfdata_status status = perfdata_sink_write(run->sink, text->data, text->size);
	if (status)
		run->error = *pd_sink_error(run->sink);
	return status;
}

static enum perfdata_status call_begin(struct run *run)
{
	const struct perfdata_emit_context context = {
		.size = sizeof context,
		.reader = perfdata_session_reader(run->session),
		.session = run->session,
		.options = run->options->options,
		.nr_options = run->options->nr_options,
		.shared_output = run->options->shared_output,
		.on_finding = queue_finding,
		.user = run,
		.reterr = &run->error,
	};
	struct perfdata_text text;
	perfdata_text_init(&text);
	enum perfdata_status status = run->emitter->begin(&context, &run->state, &text);
	if (!status) {
		run->begun = true;
		status = write_text(run, &text);
	} else if (!run->error.status) {
		fail(&run->error, status);
	}
	perfdata_text_release(&text);
	return status;
}

static bool stop_wanted(const struct run *run) { return run->options->stop && *run->options->stop; }

/* The next batch of the session, or why there is none. */
static enum perfdata_status pull(struct run *run, struct perfdata_batch **ret)
{
	if (stop_wanted(run))
		return fail(&run->reader_error, PERFDATA_EINTR);
	const enum perfdata_status status = perfdata_session_next(run->session, ret);
	if (status < 0) {
		const struct perfdata_error *error = perfdata_session_error(run->session);
		if (error && error->status)
			run->reader_error = *error;
		else
			fail(&run->reader_error, status);
	}
	return status;
}

/* Reads on until meta is complete, then begins. What the reader thread's end is stays in reader_status. */
static enum perfdata_status start(struct run *run)
{
	const struct perfdata_header *header = perfdata_reader_header(perfdata_session_reader(run->session));
	if (header->container == PERFDATA_CONTAINER_PIPE) {
		while (run->nr_early < MAX_BATCHES_BEFORE_BEGIN) {
			struct perfdata_batch *batch;
			run->reader_status = pull(run, &batch);
			if (run->reader_status)
				break;
			run->early[run->nr_early++] = batch;
			if (has_kernel_record(batch))
				break;
		}
	}
	return call_begin(run);
}

static enum perfdata_status next_batch(struct run *run, struct perfdata_batch **ret)
{
	if (run->next_early < run->nr_early) {
		*ret = run->early[run->next_early++];
		return PERFDATA_OK;
	}
	return run->reader_status ? run->reader_status : pull(run, ret);
}

/* Inside the monitor, by the calling thread; fills slot number `filled`, which is free. */
static void fill(struct run *run)
{
	struct slot *slot = slot_of(run, run->filled);
	pd_monitor_leave(run->monitor);
	struct perfdata_batch *batch = NULL;
	const enum perfdata_status status = next_batch(run, &batch);
	if (!status) {
		slot->batch = batch;
		slot->found = run->read;
		run->read = (struct found_list){ NULL, NULL };
		if (run->emitter->scan)
			slot->status = run->emitter->scan(run->state, batch, &slot->value);
	}
	pd_monitor_enter(run->monitor);
	if (status) {
		run->reader_status = status;
		run->reader_done = true;
	} else {
		slot->state = SLOT_FILLED;
		run->filled++;
	}
	pd_monitor_wake(run->monitor);
}

/* --- formatting ------------------------------------------------------------------------------------------------------ */

static void free_inputs(struct run *run, struct slot *slot)
{
	if (slot->batch)
		perfdata_batch_release(slot->batch);
	if (slot->value && run->emitter->free_value)
		run->emitter->free_value(slot->value);
	slot->batch = NULL;
	slot->value = NULL;
}

static void format(struct run *run, struct worker *worker)
{
	struct slot *slot = slot_of(run, run->formatted++);
	slot->state = SLOT_FORMATTING;
	if (run->nr_spares)
		slot->text = run->spares[--run->nr_spares];
	pd_monitor_leave(run->monitor);
	if (!slot->status)
		slot->status = run->emitter->format(run->state, slot->batch, slot->value, &worker->scratch, &slot->text, &slot->part);
	if (!slot->status && !run->emitter->checks)
		perfdata_batch_check(slot->batch, keep_finding, slot);
	if (!slot->status && (perfdata_text_failed(&slot->text) || perfdata_text_failed(&worker->scratch.text)))
		slot->status = PERFDATA_ENOMEM;
	free_inputs(run, slot);
	pd_monitor_enter(run->monitor);
	slot->state = SLOT_DONE;
	pd_monitor_wake(run->monitor);
}

static void pack_piece(struct run *run, struct worker *worker)
{
	struct pd_piece *piece = pd_pack_piece(&run->pack, run->pack.packing++);
	piece->state = PD_PIECE_PACKING;
	pd_monitor_leave(run->monitor);
	perfdata_text_clear(&piece->compressed);
	piece->status = pd_sink_pack(run->sink, &worker->encoder, piece->plain.data, piece->plain.size, &piece->compressed);
	pd_monitor_enter(run->monitor);
	piece->state = PD_PIECE_COMPRESSED;
	pd_monitor_wake(run->monitor);
}

/* --- the writer: one thread at a time, in order ------------------------------------------------------------------------- */

static void give_up(struct run *run, enum perfdata_status status, const struct perfdata_error *error)
{
	run->status = status;
	if (error)
		run->error = *error;
	else
		fail(&run->error, status);
	run->stopping = true;
}

/* Moves the slot's bytes into pieces; false when no piece is free before all are moved. */
static bool cut_pieces(struct run *run, struct slot *slot, enum perfdata_status *ret_status)
{
	while (slot->compressed < slot->text.size) {
		pd_monitor_enter(run->monitor);
		const bool room = pd_pack_has_room(&run->pack);
		pd_monitor_leave(run->monitor);
		if (!room)
			return false;
		struct pd_piece *piece = pd_pack_piece(&run->pack, run->pack.filled);
		const size_t left = slot->text.size - slot->compressed, free_bytes = PD_SINK_PIECE - piece->plain.size;
		const size_t part = left < free_bytes ? left : free_bytes;
		perfdata_text_append(&piece->plain, slot->text.data + slot->compressed, part);
		if (perfdata_text_failed(&piece->plain)) {
			*ret_status = PERFDATA_ENOMEM;
			return true;
		}
		slot->compressed += part;
		if (piece->plain.size < PD_SINK_PIECE)
			continue;
		pd_monitor_enter(run->monitor);
		piece->state = PD_PIECE_FILLED;
		run->pack.filled++;
		pd_monitor_wake(run->monitor);
		pd_monitor_leave(run->monitor);
	}
	return true;
}

/* Outside the monitor. False: the slot stays, there is more to do for it. */
static bool write_slot(struct run *run, struct slot *slot, enum perfdata_status *ret_status, const struct perfdata_error **ret_error)
{
	*ret_status = slot->status;
	if (!*ret_status && !slot->merged) {
		void *part = slot->part;
		slot->part = NULL;
		slot->merged = true;
		queue_kept(run, slot);
		if (part && run->emitter->merge)
			*ret_status = run->emitter->merge(run->state, part, &slot->text);
		if (!*ret_status && perfdata_text_failed(&slot->text))
			*ret_status = PERFDATA_ENOMEM;
	}
	if (*ret_status || !slot->text.size)
		return true;
	if (run->pack.nr_pieces)
		return cut_pieces(run, slot, ret_status);
	*ret_status = perfdata_sink_write(run->sink, slot->text.data, slot->text.size);
	if (*ret_status)
		*ret_error = pd_sink_error(run->sink);
	return true;
}

static void write_next(struct run *run)
{
	struct slot *slot = slot_of(run, run->written);
	run->writing = true;
	pd_monitor_leave(run->monitor);
	enum perfdata_status status = PERFDATA_OK;
	const struct perfdata_error *error = NULL;
	const bool done = write_slot(run, slot, &status, &error);
	pd_monitor_enter(run->monitor);
	run->writing = false;
	if (status) {
		give_up(run, status, error);
	} else if (done) {
		perfdata_text_clear(&slot->text);
		run->spares[run->nr_spares++] = slot->text;
		perfdata_text_init(&slot->text);
		slot->compressed = 0;
		slot->merged = false;
		slot->state = SLOT_FREE;
		run->written++;
	}
	pd_monitor_wake(run->monitor);
}

static void write_piece(struct run *run)
{
	struct pd_piece *piece = pd_pack_piece(&run->pack, run->pack.written);
	run->writing = true;
	pd_monitor_leave(run->monitor);
	enum perfdata_status status = piece->status;
	const struct perfdata_error *error = NULL;
	if (!status) {
		status = pd_sink_write_compressed(run->sink, piece->compressed.data, piece->compressed.size, piece->plain.size);
		if (status)
			error = pd_sink_error(run->sink);
	}
	pd_monitor_enter(run->monitor);
	run->writing = false;
	if (status) {
		give_up(run, status, error);
	} else {
		perfdata_text_clear(&piece->plain);
		piece->state = PD_PIECE_FREE;
		run->pack.written++;
	}
	pd_monitor_wake(run->monitor);
}

/* --- what to do next --------------------------------------------------------------------------------------------------- */

static bool finished(const struct run *run)
{
	return run->stopping || (run->reader_done && run->written == run->filled && pd_pack_idle(&run->pack));
}

static bool slot_can_be_written(struct run *run)
{
	return !run->writing && run->written < run->formatted && slot_of(run, run->written)->state == SLOT_DONE &&
	       (!run->pack.nr_pieces || pd_pack_has_room(&run->pack));
}

/* The caller fetches when little waits for the others, and when it has nothing else to do. */
static bool should_fill(const struct run *run, bool hungry)
{
	if (run->reader_done || run->filled - run->written >= run->nr_slots)
		return false;
	return !hungry || (run->team && run->filled - run->formatted < 2ull * (run->jobs - 1));
}

static bool step(struct run *run, struct worker *worker, bool is_caller)
{
	if (run->pack.nr_pieces && !run->writing && pd_pack_can_write(&run->pack))
		write_piece(run);
	else if (slot_can_be_written(run))
		write_next(run);
	else if (is_caller && should_fill(run, true))
		fill(run);
	else if (run->pack.packing < run->pack.filled)
		pack_piece(run, worker);
	else if (run->formatted < run->filled)
		format(run, worker);
	else if (is_caller && should_fill(run, false))
		fill(run);
	else
		return false;
	return true;
}

static void work(void *user, unsigned index)
{
	struct run *run = user;
	const bool is_caller = index == run->jobs - 1;
	pd_monitor_enter(run->monitor);
	while (!finished(run)) {
		if (is_caller) {
			if (report_findings(run))
				continue;
			/* Threads cost more than a small recording: they start with the second batch. */
			if (run->filled == 2 && !run->team && run->jobs > 1)
				run->team = pd_team_start(run->jobs - 1, work, run);
		}
		if (!step(run, &run->workers[index], is_caller))
			pd_monitor_wait(run->monitor);
	}
	pd_monitor_wake(run->monitor);
	pd_monitor_leave(run->monitor);
}

/* --- begin and end -------------------------------------------------------------------------------------------------------- */

static int run_init(struct run *run)
{
	run->jobs = run->options->jobs ? run->options->jobs : perfdata_processors();
	run->nr_slots = 2 * run->jobs + 2;
	run->monitor = pd_monitor_new();
	run->workers = pd_calloc(run->jobs, sizeof *run->workers);
	run->slots = pd_calloc(run->nr_slots, sizeof *run->slots);
	run->spares = pd_calloc(run->nr_slots, sizeof *run->spares);
	if (!run->monitor || !run->workers || !run->slots || !run->spares)
		return -1;
	return 0;
}

static void run_release(struct run *run)
{
	while (run->next_early < run->nr_early)
		perfdata_batch_release(run->early[run->next_early++]);
	for (unsigned i = 0; run->slots && i < run->nr_slots; i++) {
		struct slot *slot = &run->slots[i];
		free_inputs(run, slot);
		if (slot->part && run->emitter->free_part)
			run->emitter->free_part(slot->part);
		drop_found(&slot->found);
		perfdata_text_release(&slot->text);
	}
	for (unsigned i = 0; run->workers && i < run->jobs; i++) {
		struct worker *worker = &run->workers[i];
		if (worker->scratch.cache && worker->scratch.free_cache)
			worker->scratch.free_cache(worker->scratch.cache);
		perfdata_text_release(&worker->scratch.text);
		pd_encoder_free(worker->encoder);
	}
	if (run->begun && run->emitter->release)
		run->emitter->release(run->state);
	drop_found(&run->found);
	while (run->nr_spares)
		perfdata_text_release(&run->spares[--run->nr_spares]);
	pd_pack_release(&run->pack);
	pd_free(run->spares);
	pd_free(run->slots);
	pd_free(run->workers);
	pd_monitor_free(run->monitor);
}

/* After the threads have left: writes the pieces in front of a failure. */
static void drain_pieces(struct run *run)
{
	struct worker *worker = &run->workers[run->jobs - 1];
	pd_monitor_enter(run->monitor);
	while (run->status != PERFDATA_EWRITE && !pd_pack_idle(&run->pack)) {
		if (run->pack.packing == run->pack.written)
			pack_piece(run, worker);
		const uint64_t written = run->pack.written;
		write_piece(run);
		if (run->pack.written == written)
			break;
	}
	pd_monitor_leave(run->monitor);
}

static enum perfdata_status call_end(struct run *run)
{
	struct perfdata_emit_end end = { .summary = perfdata_session_summary(run->session) };
	const struct perfdata_error *error = perfdata_session_error(run->session);
	if (!run->status && (error->status == PERFDATA_ENOMEM || run->finding_lost || run->read_lost))
		run->status = fail(&run->error, PERFDATA_ENOMEM);
	end.status = run->status;
	end.complete = !run->status && end.summary->complete && !run->damaged;
	if (run->options->findings)
		end.findings = run->options->findings(run->options->user, &end.nr_findings, &end.findings_total);
	if (!run->emitter->end)
		return PERFDATA_OK;
	struct perfdata_text text;
	perfdata_text_init(&text);
	enum perfdata_status status = run->emitter->end(run->state, &end, &text);
	if (status)
		fail(&run->error, status);
	else
		status = write_text(run, &text);
	perfdata_text_release(&text);
	return status;
}

static enum perfdata_status run_all(struct run *run)
{
	enum perfdata_status status = start(run);
	if (status)
		return status;
	/* From here on pieces belong to the run. Alone, the sink packs by itself: the same pieces, the same bytes. */
	const bool compressed = pd_sink_packing(run->sink) != PD_CODEC_NONE;
	if (pd_pack_init(&run->pack, run->sink, compressed && run->jobs > 1 ? run->nr_slots : 0))
		return fail(&run->error, PERFDATA_ENOMEM);
	work(run, run->jobs - 1);
	pd_team_join(run->team);
	run->team = NULL;
	drain_pieces(run);
	pd_monitor_enter(run->monitor);
	report_findings(run);
	pd_monitor_leave(run->monitor);
	/* what was read behind the last batch */
	tell(run, &run->read);
	pd_pack_release(&run->pack);

	if (!run->status && run->reader_status < 0) {
		run->status = run->reader_status;
		run->error = run->reader_error;
	}
	/* The document is finished whatever stopped it, as long as it can be written. */
	if (run->status == PERFDATA_EWRITE)
		return run->status;
	const struct perfdata_error before = run->error;
	status = call_end(run);
	if (!run->status || status == PERFDATA_EWRITE)
		return status;
	if (before.status)
		run->error = before;
	return run->status;
}

enum perfdata_status perfdata_run(struct perfdata_session *session, const struct perfdata_emitter *emitter,
				  struct perfdata_sink *sink, const struct perfdata_run_options *options, struct perfdata_error *reterr)
{
	static const struct perfdata_run_options defaults = { .size = sizeof defaults };
	if (emitter->abi != PERFDATA_EMITTER_ABI || !emitter->begin || !emitter->format)
		return pd_error(reterr, PERFDATA_EUSAGE, PERFDATA_NO_OFFSET, "the emitter is made for another version of the library");
	struct run *run = pd_calloc(1, sizeof *run);
	if (!run)
		return pd_error(reterr, PERFDATA_ENOMEM, PERFDATA_NO_OFFSET, "out of memory");
	run->session = session;
	run->emitter = emitter;
	run->sink = sink;
	run->options = options ? options : &defaults;
	enum perfdata_status status;
	if (run_init(run)) {
		status = fail(&run->error, PERFDATA_ENOMEM);
	} else {
		run->reader_listener = pd_session_listen(session, (struct pd_listener){ read_finding, run });
		status = run_all(run);
		pd_session_listen(session, run->reader_listener);
		/* … or before a failure */
		tell(run, &run->read);
	}
	if (status && reterr)
		*reterr = run->error;
	run_release(run);
	pd_free(run);
	return status;
}
