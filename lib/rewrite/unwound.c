/* SPDX-License-Identifier: MIT */
/* Copies through a session, which unwinds the steps from registers and stacks. The steps go into the call chains before
 * registers and stacks are dropped. */
#include "config.h"
#include "base/cancel.h"
#include "base/memory.h"
#include "perfdata/session.h"
#include "rewrite/rewriter.h"
#include "session/session.h"

void pd_unwound_join(struct perfdata_rewriter *rewriter, const struct perfdata_raw *raw, struct perfdata_record *record)
{
	const uint64_t needed = PERFDATA_SAMPLE_STACK_USER | PERFDATA_SAMPLE_CALLCHAIN;
	struct pd_unwound *unwound = &rewriter->unwound;
	struct perfdata_list *chain = &record->u.sample.callchain;
	const size_t most = (size_t)chain->count + 1 + unwound->nr;

	if (raw->type != PERFDATA_RECORD_SAMPLE || !raw->event || (raw->event->attr->sample_type & needed) != needed)
		return;
	unwound->stacks++;
	if (!unwound->nr || chain->count > 0xffff)
		return;
	if (pd_vector_grow(&unwound->words, &unwound->room, most - 1, sizeof *unwound->words) < 0) {
		unwound->no_memory = true;
		return;
	}
	size_t nr = 0;
	for (uint64_t i = 0; i < chain->count; i++)
		unwound->words[nr++] = perfdata_list_u64(chain, i);
	unwound->words[nr++] = PERFDATA_CONTEXT_USER;
	for (unsigned i = 0; i < unwound->nr; i++)
		unwound->words[nr++] = unwound->steps[i].ip;
	chain->data = (const uint8_t *)unwound->words;
	chain->count = nr;
	chain->stride = 8;
	chain->swap = false;
	unwound->joined++;
}

/* Finds the unwound steps of a delivery: they follow the steps that the record holds. */
static void take_steps(struct pd_unwound *unwound, const struct perfdata_batch *batch,
		       const struct perfdata_delivery *delivery)
{
	unwound->nr = 0;
	if (!delivery || delivery->steps == PERFDATA_NONE)
		return;
	const struct perfdata_step *steps = batch->steps + delivery->steps;
	unsigned first = delivery->nr_steps;
	while (first && steps[first - 1].origin == PERFDATA_STEP_UNWOUND)
		first--;
	unwound->steps = steps + first;
	unwound->nr = delivery->nr_steps - first;
}

static enum perfdata_status copy_batch(struct perfdata_rewriter *rewriter, const struct perfdata_batch *batch)
{
	enum perfdata_status status = PERFDATA_OK;
	size_t at = 0;

	for (size_t i = 0; i < batch->nr_records && status == PERFDATA_OK; i++) {
		const struct perfdata_raw *raw = perfdata_batch_record(batch, i);
		const bool delivered = at < batch->nr_deliveries && perfdata_batch_delivery(batch, at)->record == raw;
		take_steps(&rewriter->unwound, batch, delivered ? perfdata_batch_delivery(batch, at) : NULL);
		while (at < batch->nr_deliveries && perfdata_batch_delivery(batch, at)->record == raw)
			at++;
		status = pd_copy_record(rewriter, raw);
		if (status == PERFDATA_OK && rewriter->unwound.no_memory)
			status = pd_rewrite_failed(rewriter, PERFDATA_ENOMEM, NULL);
	}
	rewriter->unwound.nr = 0;
	return status;
}

enum perfdata_status perfdata_rewriter_copy_unwound(struct perfdata_rewriter *rewriter, struct perfdata_reader *reader,
						    struct perfdata_session *session)
{
	const uint32_t needs = PERFDATA_NEED_RECORDS | PERFDATA_NEED_STACKS;
	enum perfdata_status status = rewriter->error.status;
	struct perfdata_batch *batch;

	if (status == PERFDATA_OK && pd_session_reader(session) != reader)
		status = pd_rewrite_failed(rewriter, PERFDATA_EUSAGE, "the session is open on another reader");
	if (status == PERFDATA_OK && (!pd_session_gives(session, needs) || pd_session_leaves_out(session)))
		status = pd_rewrite_failed(rewriter, PERFDATA_EUSAGE,
					   "the session does not give all records, with their stacks");
	if (status == PERFDATA_OK)
		status = pd_rewrite_begin(rewriter, reader);
	while (status == PERFDATA_OK && (status = perfdata_session_next(session, &batch)) == PERFDATA_OK) {
		status = copy_batch(rewriter, batch);
		perfdata_batch_release(batch);
		if (pd_cancelled(rewriter->options.cancel))
			status = pd_rewrite_failed(rewriter, PERFDATA_EINTR, NULL);
	}
	if (pd_rewrite_is_end(reader, status)) {
		rewriter->copied = true;
		return PERFDATA_OK;
	}
	if (rewriter->error.status == PERFDATA_OK)
		rewriter->error = *perfdata_session_error(session);
	return status;
}
