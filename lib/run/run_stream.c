/* SPDX-License-Identifier: MIT */
/* The texts that emitters append to, and how they leave in blocks. */
#include "config.h"
#include "base/cancel.h"
#include "base/error.h"
#include "base/memory.h"
#include "run/run_impl.h"
#include "run/run.h"

/* --- buffers; inside the monitor ---------------------------------------------------------------------------------- */

/* Keeps a text's buffer for use by another text. */
static void put_buffer(struct pd_run *run, struct perfdata_text *text)
{
	struct pd_block *block = run->empty;
	if (!text->capacity)
		return;
	if (block)
		run->empty = block->next;
	else
		block = run->spare_bytes + text->capacity <= PD_RUN_SPARE ? pd_calloc(1, sizeof *block) : NULL;
	if (!block || run->spare_bytes + text->capacity > PD_RUN_SPARE) {
		if (block) {
			block->next = run->empty;
			run->empty = block;
		}
		perfdata_text_release(text);
		return;
	}
	run->spare_bytes += text->capacity;
	perfdata_text_clear(text);
	perfdata_text_init(&block->text);
	block->text.data = text->data;
	block->text.capacity = text->capacity;
	block->next = run->spares;
	run->spares = block;
	perfdata_text_init(text);
}

/* Gives a spare buffer, if there is one, to a text without a buffer. */
static void take_buffer(struct pd_run *run, struct perfdata_text *text)
{
	struct pd_block *block = run->spares;
	if (!block)
		return;
	run->spares = block->next;
	run->spare_bytes -= block->text.capacity;
	text->data = block->text.data;
	text->capacity = block->text.capacity;
	block->next = run->empty;
	run->empty = block;
}

/* Makes the text a block that waits; false: the limit leaves no room for the block, or there is no memory. */
static bool put_aside(struct pd_run *run, struct pd_text_stream *stream)
{
	struct perfdata_text *text = &stream->text;
	if (run->waiting_bytes + text->capacity > PD_RUN_WAITING(run->jobs))
		return false;
	struct pd_block *block = run->empty;
	if (block)
		run->empty = block->next;
	else
		block = pd_calloc(1, sizeof *block);
	if (!block)
		return false;
	block->next = NULL;
	perfdata_text_init(&block->text);
	block->text.data = text->data;
	block->text.size = text->size;
	block->text.capacity = text->capacity;
	run->waiting_bytes += text->capacity;
	*(stream->first ? &stream->last->next : &stream->first) = block;
	stream->last = block;
	text->data = NULL;
	text->size = text->capacity = 0;
	take_buffer(run, text);
	return true;
}

static void free_list(struct pd_block **list)
{
	for (struct pd_block *block; (block = *list);) {
		*list = block->next;
		perfdata_text_release(&block->text);
		pd_free(block);
	}
}

void pd_run_free_blocks(struct pd_run *run)
{
	free_list(&run->spares);
	for (struct pd_block *block; (block = run->empty);) {
		run->empty = block->next;
		pd_free(block);
	}
}

/* --- sending ------------------------------------------------------------------------------------------------------ */

static struct pd_lane *lane_of(const struct pd_text_stream *stream)
{
	struct pd_run *run = stream->run;
	pd_monitor_enter(run->monitor);
	struct pd_lane *lane = run->targets[stream->target].lanes[stream->output];
	pd_monitor_leave(run->monitor);
	return lane;
}

static enum perfdata_status send_text(struct pd_text_stream *stream)
{
	struct perfdata_text *text = &stream->text;
	if (perfdata_text_failed(text))
		return pd_run_fail(&stream->run->error, PERFDATA_ENOMEM);
	if (!text->size)
		return PERFDATA_OK;
	const enum perfdata_status status = pd_run_to_lane(stream->run, lane_of(stream), stream->slot->worker,
							   text->data, text->size);
	perfdata_text_clear(text);
	return status;
}

static enum perfdata_status send_blocks(struct pd_text_stream *stream)
{
	struct pd_run *run = stream->run;
	while (stream->first) {
		struct pd_block *block = stream->first;
		const enum perfdata_status status = pd_run_to_lane(run, lane_of(stream), stream->slot->worker,
								   block->text.data, block->text.size);
		if (status)
			return status;
		stream->first = block->next;
		pd_monitor_enter(run->monitor);
		run->waiting_bytes -= block->text.capacity;
		struct perfdata_text text = block->text;
		block->next = run->empty;
		run->empty = block;
		put_buffer(run, &text);
		pd_monitor_wake(run->monitor);
		pd_monitor_leave(run->monitor);
	}
	return PERFDATA_OK;
}

enum perfdata_status pd_run_send(struct pd_batch_slot *slot, unsigned target, bool only_blocks)
{
	const struct pd_share *share = &slot->shares[target];
	for (unsigned i = 0; i < share->nr_streams; i++) {
		struct pd_text_stream *stream = share->streams[i];
		enum perfdata_status status = stream ? send_blocks(stream) : PERFDATA_OK;
		if (!status && stream && !only_blocks)
			status = send_text(stream);
		if (status)
			return status;
	}
	return PERFDATA_OK;
}

/* Takes the writer's role, and sends the text of the batch that this thread formats and that is next in order. */
static void send_now(struct pd_run *run, struct pd_text_stream *stream)
{
	run->writing = true;
	pd_monitor_leave(run->monitor);
	enum perfdata_status status = send_blocks(stream);
	if (!status)
		status = send_text(stream);
	pd_monitor_enter(run->monitor);
	run->writing = false;
	if (status)
		pd_run_give_up(run, status, &run->error);
	pd_monitor_wake(run->monitor);
}

/* The outlet of all texts of a run: called with a text that is full. */
static void write_out(struct pd_outlet *outlet, struct perfdata_text *text)
{
	struct pd_text_stream *stream = (struct pd_text_stream *)(void *)outlet;
	struct pd_run *run = stream->run;
	if (perfdata_text_failed(text))
		return;
	if (stream->slot == &run->outside && pd_cancelled(pd_outputs_cancel(&run->targets[stream->target]))) {
		perfdata_text_clear(text);
		return;
	}
	if (stream->slot->ordered) {
		/* run->lane_status keeps a failure for the thread that has the writer's role. */
		if (!send_blocks(stream))
			(void)send_text(stream);
		return;
	}
	pd_monitor_enter(run->monitor);
	for (;;) {
		if (run->stopping) {
			perfdata_text_clear(text);
			break;
		}
		if (stream->slot->number == run->written && !run->writing) {
			send_now(run, stream);
			break;
		}
		if (put_aside(run, stream))
			break;
		if (!pd_run_write_or_encode(run, stream->slot->worker))
			pd_monitor_wait(run->monitor);
	}
	pd_monitor_leave(run->monitor);
}

/* --- streams of a slot -------------------------------------------------------------------------------------------- */

static struct pd_text_stream *make_stream(struct pd_batch_slot *slot, struct pd_run *run, unsigned target,
					  unsigned output)
{
	struct pd_share *share = &slot->shares[target];
	pd_monitor_enter(run->monitor);
	const unsigned nr = run->targets[target].nr_lanes;
	pd_monitor_leave(run->monitor);
	if (output >= nr)
		return NULL;
	if (pd_vector_reach(&share->streams, &share->nr_streams, output, sizeof *share->streams) < 0)
		return NULL;
	struct pd_text_stream *stream = pd_calloc(1, sizeof *stream);
	if (!stream)
		return NULL;
	*stream = (struct pd_text_stream){
		.outlet.leave = write_out, .run = run, .slot = slot, .target = target, .output = output
	};
	perfdata_text_init(&stream->text);
	stream->text.outlet = &stream->outlet;
	stream->text.full = PD_RUN_BLOCK;
	share->streams[output] = stream;
	return stream;
}

struct pd_text_stream *pd_run_stream(struct pd_batch_slot *slot, struct pd_run *run, unsigned target, unsigned output)
{
	const struct pd_share *share = &slot->shares[target];
	struct pd_text_stream *stream = output < share->nr_streams ? share->streams[output] : NULL;
	if (!stream)
		stream = make_stream(slot, run, target, output);
	if (stream && !stream->text.capacity) {
		pd_monitor_enter(run->monitor);
		take_buffer(run, &stream->text);
		pd_monitor_leave(run->monitor);
	}
	return stream;
}

void pd_run_recycle(struct pd_run *run, struct pd_batch_slot *slot)
{
	for (unsigned i = 0; i < run->nr_targets; i++) {
		for (unsigned k = 0; k < slot->shares[i].nr_streams; k++) {
			struct pd_text_stream *stream = slot->shares[i].streams[k];
			if (!stream)
				continue;
			struct perfdata_text text = stream->text;
			put_buffer(run, &text);
			stream->text.data = NULL;
			stream->text.size = stream->text.capacity = 0;
		}
	}
}

void pd_run_free_streams(struct pd_run *run, struct pd_batch_slot *slot)
{
	for (unsigned i = 0; slot->shares && i < run->nr_targets; i++) {
		struct pd_share *share = &slot->shares[i];
		for (unsigned k = 0; k < share->nr_streams; k++) {
			if (!share->streams[k])
				continue;
			free_list(&share->streams[k]->first);
			perfdata_text_release(&share->streams[k]->text);
			pd_free(share->streams[k]);
		}
		pd_free(share->streams);
	}
}

/* --- what emitters call ------------------------------------------------------------------------------------------- */

static struct pd_text_stream *stream_of(const struct perfdata_text *out) { return (void *)out->outlet; }

struct perfdata_text *pd_emit_text(struct perfdata_text *out, unsigned output)
{
	const struct pd_text_stream *stream = stream_of(out);
	struct pd_text_stream *other = stream ? pd_run_stream(stream->slot, stream->run, stream->target, output) : NULL;
	return other ? &other->text : NULL;
}

enum perfdata_status pd_emit_encode(struct perfdata_text *out, void *work)
{
	struct pd_text_stream *stream = stream_of(out);
	struct pd_run *run = stream ? stream->run : NULL;
	const struct pd_encoding *encoding = run ? run->targets[stream->target].encoding : NULL;
	if (!encoding || !stream->slot->ordered)
		return PERFDATA_EUSAGE;
	enum perfdata_status status = send_blocks(stream);
	if (!status)
		status = send_text(stream);
	if (status) {
		encoding->free_work(work);
		return status;
	}
	return pd_run_work_to_lane(run, lane_of(stream), stream->slot->worker, work);
}

uint64_t pd_emit_offset(const struct perfdata_text *out)
{
	const struct pd_text_stream *stream = stream_of(out);
	if (!stream)
		return out->size;
	uint64_t offset = lane_of(stream)->bytes + out->size;
	for (const struct pd_block *block = stream->first; block; block = block->next)
		offset += block->text.size;
	return offset;
}
