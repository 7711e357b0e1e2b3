/* SPDX-License-Identifier: MIT */
/* What only the calling thread does: it pulls batches, and calls begin and scan. */
#include "config.h"
#include "base/cancel.h"
#include "base/error.h"
#include "base/memory.h"
#include "run/run_impl.h"
#include "run/run.h"
#include "session/session.h"

enum perfdata_status pd_run_fail(struct perfdata_error *error, enum perfdata_status status)
{
	return pd_error(error, status, PERFDATA_NO_OFFSET, "%s", pd_failure_text(status));
}

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

/* --- outputs ------------------------------------------------------------------------------------------------------ */

/* Gives the lane a ring if needed: from now on, all threads encode its bytes. */
static int start_ring(struct pd_run *run, struct pd_lane *lane)
{
	const bool encodes = run->targets[lane->target].encoding;
	const bool compressed = pd_output_packing(lane->output) != PD_CODEC_NONE;
	if (run->jobs < 2 || (!compressed && !encodes))
		return 0;
	if (pd_vector_grow(&run->encoders, &run->room_encoders, run->nr_encoders, sizeof *run->encoders) < 0)
		return -1;
	if (pd_lane_start(lane, run->nr_slots, !encodes))
		return -1;
	run->encoders[run->nr_encoders++] = lane;
	return 0;
}

enum perfdata_status pd_run_open_lane(struct perfdata_outputs *target, struct perfdata_output *output)
{
	struct pd_run *run = target->run;
	struct pd_lane *lane = pd_calloc(1, sizeof *lane);
	pd_monitor_enter(run->monitor);
	int failed = !lane ||
		     pd_vector_grow(&target->lanes, &target->room_lanes, target->nr_lanes, sizeof *target->lanes) < 0;
	if (!failed) {
		*lane = (struct pd_lane){
			.output = output,
			.target = target->number,
			.number = target->nr_lanes,
			.bytes = pd_output_taken(output),
		};
		/* From the first batch on, all threads compress pieces. With one thread, the output cuts and compresses
		 * the same pieces, so the bytes are the same. */
		failed = run->parallel && start_ring(run, lane);
	}
	if (!failed)
		target->lanes[target->nr_lanes++] = lane;
	pd_monitor_leave(run->monitor);
	if (!failed)
		return PERFDATA_OK;
	pd_free(lane);
	return PERFDATA_ENOMEM;
}

enum perfdata_status pd_outputs_open(struct perfdata_outputs *outputs, const char *name, unsigned *ret_output,
				     struct perfdata_error *reterr)
{
	const struct perfdata_emitter *emitter = outputs->emitter;
	struct perfdata_output *output = NULL;
	enum perfdata_status status = pd_output_open_other(
		outputs->asked->output, name, emitter->suffix ? emitter->suffix : emitter->name, &output, reterr);
	if (status)
		return status;
	const unsigned number = outputs->nr_lanes;
	status = pd_run_open_lane(outputs, output);
	if (status)
		return pd_run_fail(reterr, status);
	*ret_output = number;
	return PERFDATA_OK;
}

void pd_outputs_encode_by(struct perfdata_outputs *outputs, const struct pd_encoding *encoding)
{
	outputs->encoding = encoding;
}

const struct perfdata_cancel *pd_outputs_cancel(const struct perfdata_outputs *outputs)
{
	for (unsigned i = 0; outputs && i < outputs->nr_lanes; i++)
		if (outputs->lanes[i]->output->path)
			return outputs->run->options->cancel;
	return NULL;
}

/* --- begin -------------------------------------------------------------------------------------------------------- */

static enum perfdata_status call_begin(struct pd_run *run, struct perfdata_outputs *target, bool *ret_no_stacks)
{
	const struct perfdata_emitter *emitter = target->emitter;
	const struct perfdata_reader *reader = pd_session_reader(run->session);
	const struct perfdata_emit_context context = {
		.size = sizeof context,
		.reader = reader,
		.session = run->session,
		.options = target->asked->options,
		.nr_options = target->asked->nr_options,
		.names = target->asked->names,
		.shared_output = run->options->shared_output,
		.on_finding = pd_run_emitter_finding,
		.user = target,
		.reterr = &run->error,
		.emitter_user = emitter->user,
		.outputs = target,
		.jobs = run->jobs,
		.recording = run->options->recording ? run->options->recording : perfdata_reader_header(reader)->name,
		.rows = target->asked->rows   ? target->asked->rows
			: run->options->rows ? run->options->rows
					     : &run->rows,
		.others = target->asked->others,
		.nr_others = target->asked->nr_others,
		.kept = target->asked->kept,
		.reads_no_stacks = ret_no_stacks,
	};
	struct pd_text_stream *stream = pd_run_stream(&run->outside, run, target->number, 0);
	if (!stream)
		return pd_run_fail(&run->error, PERFDATA_ENOMEM);
	if (pd_emitter_check_options(emitter, context.options, context.nr_options, &run->error))
		return run->error.status;
	const enum perfdata_status status = emitter->begin(&context, &target->state, &stream->text);
	target->begun = !status;
	if (status && !run->error.status && *run->error.message) {
		/* Emitters set only the message of the error. */
		run->error.status = status;
		run->error.offset = PERFDATA_NO_OFFSET;
	} else if (status && !run->error.status) {
		pd_run_fail(&run->error, status);
	}
	return status;
}

/* Pulls the next batch of the session; the status says why there is none. */
static enum perfdata_status pull_batch(struct pd_run *run, struct perfdata_batch **ret)
{
	if (pd_cancelled(run->options->cancel))
		return pd_run_fail(&run->reader_error, PERFDATA_EINTR);
	const enum perfdata_status status = perfdata_session_next(run->session, ret);
	if (status < 0) {
		const struct perfdata_error *error = perfdata_session_error(run->session);
		if (error && error->status)
			run->reader_error = *error;
		else
			pd_run_fail(&run->reader_error, status);
	}
	return status;
}

enum perfdata_status pd_run_start(struct pd_run *run)
{
	const struct perfdata_header *header = perfdata_reader_header(pd_session_reader(run->session));
	/* Records define the events of these recordings. */
	if (!pd_run_is_read(run) &&
	    (header->container == PERFDATA_CONTAINER_PIPE || pd_session_makes_samples(run->session))) {
		while (run->nr_early < PD_RUN_BATCHES_BEFORE_BEGIN) {
			struct perfdata_batch *batch;
			run->reader_status = pull_batch(run, &batch);
			if (run->reader_status)
				break;
			run->early[run->nr_early++] = batch;
			if (has_kernel_record(batch))
				break;
		}
	}
	enum perfdata_status status = PERFDATA_OK;
	bool no_stacks = !run->nr_early;
	for (unsigned i = 0; i < run->nr_targets && !status; i++) {
		bool reads_no_stacks = false;
		status = call_begin(run, &run->targets[i], &reads_no_stacks);
		no_stacks &= reads_no_stacks;
		if (!status)
			status = pd_run_send(&run->outside, i, false);
	}
	if (status)
		return status;
	if (no_stacks)
		pd_session_drop_stacks(run->session);
	if (!run->nr_early && run->jobs > 1)
		run->starts_threads_at_once = pd_session_expect_helpers(run->session);
	pd_monitor_enter(run->monitor);
	run->parallel = true;
	int failed = 0;
	for (unsigned i = 0; i < run->nr_targets; i++)
		for (unsigned k = 0; k < run->targets[i].nr_lanes && !failed; k++)
			failed = start_ring(run, run->targets[i].lanes[k]);
	pd_monitor_leave(run->monitor);
	return failed ? pd_run_fail(&run->error, PERFDATA_ENOMEM) : PERFDATA_OK;
}

/* --- batches ------------------------------------------------------------------------------------------------------ */

static enum perfdata_status next_batch(struct pd_run *run, struct perfdata_batch **ret)
{
	if (run->next_early < run->nr_early) {
		*ret = run->early[run->next_early++];
		return PERFDATA_OK;
	}
	return run->reader_status ? run->reader_status : pull_batch(run, ret);
}

static enum perfdata_status scan_slot(struct pd_run *run, struct pd_batch_slot *slot)
{
	for (unsigned i = 0; i < run->nr_targets; i++) {
		const struct perfdata_outputs *target = &run->targets[i];
		if (!target->emitter->scan)
			continue;
		const enum perfdata_status status = target->emitter->scan(target->state, slot->batch,
									  &slot->shares[i].value);
		if (status)
			return status;
	}
	return PERFDATA_OK;
}

void pd_run_fill(struct pd_run *run)
{
	struct pd_batch_slot *slot = pd_run_slot(run, run->filled);
	slot->number = run->filled;
	pd_monitor_leave(run->monitor);
	struct perfdata_batch *batch = NULL;
	const enum perfdata_status status = next_batch(run, &batch);
	if (!status) {
		slot->batch = batch;
		slot->found = run->read;
		run->read = (struct pd_finding_queue){ NULL, NULL };
		slot->status = scan_slot(run, slot);
	}
	pd_monitor_enter(run->monitor);
	if (status) {
		run->reader_status = status;
		run->reader_done = true;
	} else {
		slot->state = PD_SLOT_FILLED;
		run->filled++;
	}
	pd_monitor_wake(run->monitor);
}
