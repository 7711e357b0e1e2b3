/* SPDX-License-Identifier: MIT */
/* The run as a whole: its threads, what each does next, begin and end. See run_impl.h. */
#include "config.h"
#include <string.h>
#include "base/cancel.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/option_struct.h"
#include "run/run_impl.h"
#include "run/run.h"

/* --- formatting --------------------------------------------------------------------------------------------------- */

static void free_inputs(struct pd_run *run, struct pd_batch_slot *slot)
{
	if (slot->batch)
		perfdata_batch_release(slot->batch);
	slot->batch = NULL;
	for (unsigned i = 0; slot->shares && i < run->nr_targets; i++) {
		struct pd_share *share = &slot->shares[i];
		if (share->value && run->targets[i].emitter->free_value)
			run->targets[i].emitter->free_value(share->value);
		share->value = NULL;
	}
}

static bool any_text_failed(const struct pd_share *share)
{
	for (unsigned i = 0; i < share->nr_streams; i++)
		if (share->streams[i] && perfdata_text_failed(&share->streams[i]->text))
			return true;
	return false;
}

static enum perfdata_status format_for(struct pd_run *run, struct pd_batch_slot *slot, unsigned number)
{
	const struct perfdata_outputs *target = &run->targets[number];
	struct pd_share *share = &slot->shares[number];
	struct perfdata_scratch *scratch = &slot->worker->scratch[number];
	struct pd_text_stream *stream = pd_run_stream(slot, run, number, 0);
	if (!stream)
		return PERFDATA_ENOMEM;
	const enum perfdata_status status = target->emitter->format(target->state, slot->batch, share->value, scratch,
								    &stream->text, &share->part);
	if (!status && (any_text_failed(share) || perfdata_text_failed(&scratch->text)))
		return PERFDATA_ENOMEM;
	return status;
}

/* Formats a waiting batch. Called inside the monitor, and leaves the monitor meanwhile. */
static bool format_slot(struct pd_run *run, struct pd_worker *worker)
{
	if (run->formatted == run->filled)
		return false;
	struct pd_batch_slot *slot = pd_run_slot(run, run->formatted++);
	slot->state = PD_SLOT_FORMATTING;
	slot->worker = worker;
	pd_monitor_leave(run->monitor);
	for (unsigned i = 0; i < run->nr_targets && !slot->status; i++)
		slot->status = format_for(run, slot, i);
	if (!slot->status && !run->checked)
		perfdata_batch_check(slot->batch, pd_run_keep_finding, slot);
	free_inputs(run, slot);
	pd_monitor_enter(run->monitor);
	slot->state = PD_SLOT_DONE;
	pd_monitor_wake(run->monitor);
	return true;
}

/* Does work for the session's thread. Called inside the monitor, and leaves the monitor meanwhile. */
static bool help_session(struct pd_run *run)
{
	if (!pd_session_needs_help(run->session))
		return false;
	pd_monitor_leave(run->monitor);
	(void)pd_session_help(run->session);
	pd_monitor_enter(run->monitor);
	return true;
}

static void wake_for_help(void *user)
{
	struct pd_run *run = user;
	pd_monitor_enter(run->monitor);
	pd_monitor_wake(run->monitor);
	pd_monitor_leave(run->monitor);
}

/* --- what to do next ---------------------------------------------------------------------------------------------- */

static bool run_is_finished(const struct pd_run *run)
{
	return run->stopping || (run->reader_done && run->written == run->filled && pd_run_lanes_idle(run));
}

/* Fetches a batch in the calling thread if it has nothing else to do, or (`hungry`) if fewer than two batches a thread
 * wait: so many keep the other threads busy while the calling thread loads a large file's symbols for its own batch.
 * While others load symbols, formatting would wait for them, so it fetches as many as there may be.
 * While memory is low, a batch is fetched only after all others were written. The second batch is fetched before the
 * first is formatted: other threads start with the second, and the first takes long if it loads symbols. */
static bool fill_slots(struct pd_run *run, bool is_caller, bool hungry)
{
	if (!is_caller || run->reader_done || run->filled - run->written >= run->nr_slots)
		return false;
	const uint64_t ahead = !run->team                            ? (run->jobs > 1 && run->filled < 2 ? 2 : 0)
			       : pd_session_awaits_names(run->session) ? run->nr_slots
								       : 2ull * run->jobs;
	if (hungry && run->filled - run->formatted >= ahead)
		return false;
	if (run->filled > run->written && pd_memory_is_low(run->session))
		return false;
	pd_run_fill(run);
	return true;
}

static bool step_run(struct pd_run *run, struct pd_worker *worker, bool is_caller)
{
	return pd_run_write(run, worker) || fill_slots(run, is_caller, true) || (!is_caller && help_session(run)) ||
	       pd_run_encode(run, worker) || format_slot(run, worker) || fill_slots(run, is_caller, false);
}

static void work_until_done(void *user, unsigned index)
{
	struct pd_run *run = user;
	const bool is_caller = index == run->jobs - 1;
	pd_monitor_enter(run->monitor);
	while (!run_is_finished(run)) {
		if (is_caller) {
			if (pd_run_report(run))
				continue;
			/* Starting threads costs more than a small recording, so most runs start them with the second
			 * batch. */
			if ((run->filled == 2 || run->starts_threads_at_once) && !run->team && run->jobs > 1) {
				run->starts_threads_at_once = false;   /* if this fails, the second batch tries again */
				pd_session_let_help(run->session, wake_for_help, run);
				run->team = pd_team_start(run->jobs - 1, work_until_done, run);
			}
		}
		if (!step_run(run, &run->workers[index], is_caller))
			pd_monitor_wait(run->monitor);
	}
	pd_monitor_wake(run->monitor);
	pd_monitor_leave(run->monitor);
}

/* --- begin and end ------------------------------------------------------------------------------------------------ */

static int targets_init(struct pd_run *run, const struct perfdata_target *const *asked)
{
	for (unsigned i = 0; i < run->nr_targets; i++) {
		struct perfdata_outputs *target = &run->targets[i];
		*target = (struct perfdata_outputs){
			.run = run, .asked = asked[i], .emitter = asked[i]->emitter, .number = i
		};
		target->checks = !run->checked && target->emitter->flags & PERFDATA_EMITTER_CHECKS;
		run->checked |= target->checks;
		if (pd_run_open_lane(target, asked[i]->output))
			return -1;
	}
	return 0;
}

static int worker_init(const struct pd_run *run, struct pd_worker *worker)
{
	worker->scratch = pd_calloc(run->nr_targets, sizeof *worker->scratch);
	worker->encode_scratch = pd_calloc(run->nr_targets, sizeof *worker->encode_scratch);
	return worker->scratch && worker->encode_scratch ? 0 : -1;
}

static int run_init(struct pd_run *run, const struct perfdata_target *const *asked)
{
	run->jobs = run->options->jobs ? run->options->jobs : perfdata_processors();
	run->nr_slots = 2 * run->jobs + 6;
	run->monitor = pd_monitor_new();
	run->workers = pd_calloc(run->jobs, sizeof *run->workers);
	run->slots = pd_calloc(run->nr_slots, sizeof *run->slots);
	run->targets = pd_calloc(run->nr_targets, sizeof *run->targets);
	run->outside.shares = pd_calloc(run->nr_targets, sizeof *run->outside.shares);
	if (!run->monitor || !run->workers || !run->slots || !run->targets || !run->outside.shares)
		return -1;
	for (unsigned i = 0; i < run->jobs; i++)
		if (worker_init(run, &run->workers[i]))
			return -1;
	for (unsigned i = 0; i < run->nr_slots; i++)
		if (!(run->slots[i].shares = pd_calloc(run->nr_targets, sizeof *run->slots[i].shares)))
			return -1;
	run->outside.ordered = true;
	run->outside.worker = &run->workers[run->jobs - 1];
	return targets_init(run, asked);
}

static void release_slot(struct pd_run *run, struct pd_batch_slot *slot)
{
	free_inputs(run, slot);
	for (unsigned i = 0; slot->shares && i < run->nr_targets; i++)
		if (slot->shares[i].part && run->targets[i].emitter->free_part)
			run->targets[i].emitter->free_part(slot->shares[i].part);
	pd_finding_queue_drop(&slot->found);
	pd_run_free_streams(run, slot);
	pd_free(slot->shares);
}

static void release_scratch(const struct pd_run *run, struct perfdata_scratch *scratch)
{
	for (unsigned i = 0; scratch && i < run->nr_targets; i++) {
		if (scratch[i].cache && scratch[i].free_cache)
			scratch[i].free_cache(scratch[i].cache);
		perfdata_text_release(&scratch[i].text);
	}
	pd_free(scratch);
}

static void release_worker(const struct pd_run *run, struct pd_worker *worker)
{
	release_scratch(run, worker->scratch);
	release_scratch(run, worker->encode_scratch);
	pd_encoder_free(worker->encoder);
}

static void release_target(struct perfdata_outputs *target)
{
	for (unsigned i = 0; i < target->nr_lanes; i++) {
		(void)pd_lane_stop(target->lanes[i], target->encoding);
		pd_free(target->lanes[i]);
	}
	pd_free(target->lanes);
	if (target->begun && target->emitter->release)
		target->emitter->release(target->state);
}

static void run_release(struct pd_run *run)
{
	while (run->next_early < run->nr_early)
		perfdata_batch_release(run->early[run->next_early++]);
	for (unsigned i = 0; run->slots && i < run->nr_slots; i++)
		release_slot(run, &run->slots[i]);
	release_slot(run, &run->outside);
	for (unsigned i = 0; run->workers && i < run->jobs; i++)
		release_worker(run, &run->workers[i]);
	for (unsigned i = 0; run->targets && i < run->nr_targets; i++)
		release_target(&run->targets[i]);
	pd_finding_queue_drop(&run->found);
	pd_run_free_blocks(run);
	pd_free(run->encoders);
	pd_free(run->targets);
	pd_free(run->slots);
	pd_free(run->workers);
	pd_monitor_free(run->monitor);
}

/* Ends the lanes: from here on, bytes go directly to the outputs. */
static enum perfdata_status stop_lanes(struct pd_run *run)
{
	enum perfdata_status status = PERFDATA_OK;
	for (unsigned i = 0; i < run->nr_encoders && !status; i++) {
		struct pd_lane *lane = run->encoders[i];
		status = pd_lane_stop(lane, run->targets[lane->target].encoding);
		if (status)
			run->error = lane->output->error;
	}
	run->nr_encoders = 0;
	run->lane_status = run->lane_status == PERFDATA_EWRITE ? run->lane_status : status;
	return status;
}

/* Gives up the files of a cancelled run, which would get no name: completing them is wasted work. */
static bool give_up_files(const struct perfdata_outputs *target)
{
	if (!pd_cancelled(pd_outputs_cancel(target)))
		return false;
	for (unsigned i = 0; i < target->nr_lanes; i++)
		pd_output_give_up(target->lanes[i]->output, PERFDATA_EINTR);
	return true;
}

/* Returns why names may be missing: a look-up failed, or the run was cancelled after it had read all. */
static enum perfdata_status judge_names(struct pd_run *run)
{
	if (pd_cancelled(run->options->cancel))
		return pd_run_fail(&run->error, PERFDATA_EINTR);
	pd_session_report_lacking(run->session);
	return pd_session_names_failure(run->session, &run->error);
}

static enum perfdata_status end_target(struct pd_run *run, unsigned number, const struct perfdata_emit_end *end)
{
	const struct perfdata_outputs *target = &run->targets[number];
	if (give_up_files(target) || !target->emitter->end)
		return PERFDATA_OK;
	struct pd_text_stream *stream = pd_run_stream(&run->outside, run, number, 0);
	const enum perfdata_status status = stream ? target->emitter->end(target->state, end, &stream->text)
						   : PERFDATA_ENOMEM;
	if (give_up_files(target))
		return PERFDATA_OK;
	if (run->lane_status)
		return run->lane_status;
	if (!status)
		return pd_run_send(&run->outside, number, false);
	/* Without a message, missing names are the likely reason. */
	if (!*end->reterr->message)
		return judge_names(run) ? run->error.status : pd_run_fail(&run->error, status);
	(void)pd_error(&run->error, status, PERFDATA_NO_OFFSET, "%s", end->reterr->message);
	run->error.os_error = end->reterr->os_error;
	return status;
}

static enum perfdata_status call_end(struct pd_run *run)
{
	struct perfdata_error why = { .message = "" };
	struct perfdata_emit_end end = { .summary = perfdata_session_summary(run->session), .reterr = &why };
	const struct perfdata_error *error = perfdata_session_error(run->session);
	if (!run->status && (error->status == PERFDATA_ENOMEM || run->finding_lost || run->read_lost))
		run->status = pd_run_fail(&run->error, PERFDATA_ENOMEM);
	if (!run->status)
		run->status = judge_names(run);
	end.status = run->status;
	end.complete = !run->status && end.summary->complete && !run->damaged;
	if (run->options->findings)
		end.findings = run->options->findings(run->options->findings_user, &end.nr_findings,
						      &end.findings_total);
	enum perfdata_status status = PERFDATA_OK;
	for (unsigned i = 0; i < run->nr_targets && !status; i++)
		status = end_target(run, i, &end);
	/* `end` looks up names, too. */
	if (!run->status && !status)
		status = judge_names(run);
	return status;
}

static enum perfdata_status run_all(struct pd_run *run)
{
	enum perfdata_status status = pd_run_start(run);
	if (status)
		return status;
	run->reader_done = pd_run_is_read(run);
	work_until_done(run, run->jobs - 1);
	pd_team_join(run->team);
	run->team = NULL;
	pd_session_trim(run->session);
	if (!run->stopping)
		pd_session_finish_names(run->session);
	pd_run_drain(run);
	pd_monitor_enter(run->monitor);
	pd_run_report(run);
	pd_monitor_leave(run->monitor);
	pd_run_report_read(run);
	if (!run->status)
		run->status = stop_lanes(run);
	else
		(void)stop_lanes(run);

	if (!run->status && run->reader_status < 0) {
		run->status = run->reader_status;
		run->error = run->reader_error;
	}
	if (run->past)
		run->past->is_read = !run->status;
	/* The document is completed whatever ended the run, as long as the output can be written. */
	if (run->status == PERFDATA_EWRITE)
		return run->status;
	const struct perfdata_error before = run->error;
	status = call_end(run);
	pd_monitor_enter(run->monitor);
	pd_run_report(run);      /* what emitters found at the end */
	pd_monitor_leave(run->monitor);
	if (!run->status || status == PERFDATA_EWRITE)
		return status;
	if (before.status)
		run->error = before;
	return run->status;
}

/* --- the call ----------------------------------------------------------------------------------------------------- */

/* Copies of the caller's targets in structs of this version: the caller may be compiled for another version. */
struct own_targets {
	struct perfdata_target list[PD_RUN_MOST_TARGETS];
	const struct perfdata_target *pointers[PD_RUN_MOST_TARGETS];
};

static enum perfdata_status take_targets(const struct perfdata_target *const *targets, size_t nr_targets,
					 struct own_targets *own, struct perfdata_error *reterr)
{
	if (!nr_targets || nr_targets > PD_RUN_MOST_TARGETS)
		return pd_error(reterr, PERFDATA_EUSAGE, PERFDATA_NO_OFFSET, "a run needs 1 to %u emitters",
				PD_RUN_MOST_TARGETS);
	for (size_t i = 0; i < nr_targets; i++) {
		const enum perfdata_status status = PD_OPTIONS_COPY(&own->list[i], output, targets[i], reterr);
		if (status)
			return status;
		own->pointers[i] = &own->list[i];
		const struct perfdata_emitter *emitter = own->list[i].emitter;
		if (emitter->abi != PERFDATA_EMITTER_ABI || !emitter->begin || !emitter->format)
			return pd_error(reterr, PERFDATA_EUSAGE, PERFDATA_NO_OFFSET,
					"the emitter is made for another version of the library");
	}
	return PERFDATA_OK;
}

static enum perfdata_status open_outputs(const struct perfdata_target *const *targets, size_t nr_targets,
					 struct perfdata_error *reterr)
{
	for (size_t i = 0; i < nr_targets; i++) {
		const struct perfdata_emitter *emitter = targets[i]->emitter;
		if (emitter->flags & PERFDATA_EMITTER_PACKED)
			perfdata_output_pack(targets[i]->output, PERFDATA_PACKING_NONE);
		const char *color = perfdata_option_text(targets[i]->options, targets[i]->nr_options, "color");
		if (color && !strcmp(color, "always"))
			pd_output_allow_colors(targets[i]->output);
		const enum perfdata_status status = emitter->flags & PERFDATA_EMITTER_ONLY_NAMED ? PERFDATA_OK :
			perfdata_output_open(targets[i]->output, reterr);
		if (status)
			return status;
	}
	return PERFDATA_OK;
}

enum perfdata_status pd_run_emitters(struct perfdata_session *session, const struct perfdata_target *const *targets,
				     size_t nr_targets, const struct perfdata_run_options *options,
				     struct pd_run_past *past, struct perfdata_error *reterr)
{
	struct perfdata_run_options own = { .size = sizeof own };
	struct own_targets own_targets;
	enum perfdata_status status = PD_OPTIONS_COPY(&own, recording, options, reterr);
	if (!status)
		status = take_targets(targets, nr_targets, &own_targets, reterr);
	if (!status)
		status = open_outputs(own_targets.pointers, nr_targets, reterr);
	if (status)
		return status;
	struct pd_run *run = pd_calloc(1, sizeof *run);
	if (!run)
		return pd_error(reterr, PERFDATA_ENOMEM, PERFDATA_NO_OFFSET, "out of memory");
	run->session = session;
	run->nr_targets = (unsigned)nr_targets;
	run->options = &own;
	run->past = past;
	run->damaged = past && past->is_damaged;
	if (run_init(run, own_targets.pointers)) {
		status = pd_run_fail(&run->error, PERFDATA_ENOMEM);
	} else {
		run->reader_listener = pd_session_listen(session, (struct pd_listener){ pd_run_read_finding, run });
		status = run_all(run);
		if (past)
			past->is_damaged = run->damaged;
		pd_session_listen(session, run->reader_listener);
		/* After a failure, findings may not be reported yet. */
		pd_run_report_read(run);
	}
	if (status && reterr)
		*reterr = run->error;
	run_release(run);
	pd_free(run);
	return status;
}
