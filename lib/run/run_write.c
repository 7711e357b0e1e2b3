/* SPDX-License-Identifier: MIT */
/* The writer's role, which only one thread at a time has; and encoding, in any thread. */
#include "config.h"
#include "base/error.h"
#include "run/run_impl.h"
#include "run/run.h"

/* --- pieces ------------------------------------------------------------------------------------------------------- */

static const struct perfdata_outputs *target_of(const struct pd_run *run, const struct pd_lane *lane)
{
	return &run->targets[lane->target];
}

static enum perfdata_status encode_lane_piece(struct pd_run *run, const struct pd_lane *lane, struct pd_worker *worker,
					      struct pd_piece *piece)
{
	const struct perfdata_outputs *target = target_of(run, lane);
	perfdata_text_clear(&piece->encoded);
	if (!piece->work)
		return lane->compresses ? pd_output_pack(lane->output, &worker->encoder, piece->uncompressed.data,
							 piece->uncompressed.size, &piece->encoded)
					: PERFDATA_OK;
	struct perfdata_scratch *scratch = &worker->encode_scratch[lane->target];
	const enum perfdata_status status = target->encoding->encode(target->state, piece->work, scratch,
								     &piece->encoded);
	if (!status && (perfdata_text_failed(&piece->encoded) || perfdata_text_failed(&scratch->text)))
		return PERFDATA_ENOMEM;
	return status;
}

/* Called inside the monitor. */
static void encode_piece(struct pd_run *run, struct pd_lane *lane, struct pd_worker *worker)
{
	struct pd_piece *piece = pd_lane_piece(lane, lane->encoding++);
	piece->state = PD_PIECE_ENCODING;
	pd_monitor_leave(run->monitor);
	piece->status = encode_lane_piece(run, lane, worker, piece);
	pd_monitor_enter(run->monitor);
	piece->state = PD_PIECE_ENCODED;
	pd_monitor_wake(run->monitor);
}

/* Writes the bytes of encoded work, and passes their offset to the emitter. */
static enum perfdata_status write_work(struct pd_run *run, struct pd_lane *lane, struct pd_piece *piece)
{
	const struct perfdata_outputs *target = target_of(run, lane);
	const uint64_t offset = pd_output_written(lane->output);
	const size_t size = piece->encoded.size;
	void *work = piece->work;
	piece->work = NULL;
	enum perfdata_status status = perfdata_output_write(lane->output, piece->encoded.data, size);
	const bool written = !status;
	if (written)
		lane->bytes += size;
	/* The lane may get no more work, and a run may have hundreds of lanes: free the buffer. */
	perfdata_text_release(&piece->encoded);
	const struct pd_encoding *encoding = target->encoding;
	if (written && encoding->placed)
		status = encoding->placed(target->state, work, lane->number, offset, size);
	encoding->free_work(work);
	if (!written)
		run->error = lane->output->error;
	else if (status)
		pd_run_fail(&run->error, status);
	return status;
}

static enum perfdata_status write_piece(struct pd_run *run, struct pd_lane *lane, struct pd_piece *piece)
{
	enum perfdata_status status = piece->status;
	if (status)
		return pd_run_fail(&run->error, status);
	if (piece->work)
		return write_work(run, lane, piece);
	if (lane->compresses)
		status = pd_output_write_compressed(lane->output, piece->encoded.data, piece->encoded.size,
						    piece->uncompressed.size);
	else
		status = perfdata_output_write(lane->output, piece->uncompressed.data, piece->uncompressed.size);
	if (status)
		run->error = lane->output->error;
	return status;
}

/* Called inside the monitor, by the thread that has the writer's role. */
static enum perfdata_status write_next_piece(struct pd_run *run, struct pd_lane *lane)
{
	struct pd_piece *piece = pd_lane_piece(lane, lane->written);
	pd_monitor_leave(run->monitor);
	const enum perfdata_status status = write_piece(run, lane, piece);
	pd_monitor_enter(run->monitor);
	if (status) {
		run->lane_status = status;
		return status;
	}
	perfdata_text_clear(&piece->uncompressed);
	piece->state = PD_PIECE_FREE;
	lane->written++;
	pd_monitor_wake(run->monitor);
	return status;
}

/* --- onto a lane -------------------------------------------------------------------------------------------------- */

/* Writes and encodes pieces until a piece is free to append to. */
static enum perfdata_status make_room(struct pd_run *run, struct pd_lane *lane, struct pd_worker *worker)
{
	enum perfdata_status status = PERFDATA_OK;
	pd_monitor_enter(run->monitor);
	while (!status && !pd_lane_has_room(lane)) {
		if (pd_lane_can_write(lane))
			status = write_next_piece(run, lane);
		else if (pd_lane_can_encode(lane))
			encode_piece(run, lane, worker);
		else
			pd_monitor_wait(run->monitor);
	}
	pd_monitor_leave(run->monitor);
	return status;
}

/* Hands the piece that was filled to the encoding threads. */
static void close_piece(struct pd_run *run, struct pd_lane *lane)
{
	pd_monitor_enter(run->monitor);
	pd_lane_piece(lane, lane->filled)->state = PD_PIECE_FILLED;
	lane->filled++;
	pd_monitor_wake(run->monitor);
	pd_monitor_leave(run->monitor);
}

static enum perfdata_status to_ring(struct pd_run *run, struct pd_lane *lane, struct pd_worker *worker,
				    const char *bytes, size_t size)
{
	while (size) {
		const enum perfdata_status status = make_room(run, lane, worker);
		if (status)
			return status;
		struct pd_piece *piece = pd_lane_piece(lane, lane->filled);
		const size_t room = PD_OUTPUT_PIECE - piece->uncompressed.size, part = size < room ? size : room;
		perfdata_text_append(&piece->uncompressed, bytes, part);
		if (perfdata_text_failed(&piece->uncompressed))
			return pd_run_fail(&run->error, PERFDATA_ENOMEM);
		bytes += part;
		size -= part;
		if (piece->uncompressed.size == PD_OUTPUT_PIECE)
			close_piece(run, lane);
	}
	return PERFDATA_OK;
}

enum perfdata_status pd_run_to_lane(struct pd_run *run, struct pd_lane *lane, struct pd_worker *worker,
				    const char *bytes, size_t size)
{
	if (run->lane_status)
		return run->lane_status;
	enum perfdata_status status;
	if (lane->nr_pieces) {
		status = to_ring(run, lane, worker, bytes, size);
	} else {
		status = perfdata_output_write(lane->output, bytes, size);
		if (status)
			run->error = lane->output->error;
	}
	if (status)
		run->lane_status = status;
	else
		lane->bytes += size;
	return status;
}

/* Encodes and writes at once, for a lane without a ring. */
static enum perfdata_status encode_now(struct pd_run *run, struct pd_lane *lane, struct pd_worker *worker, void *work)
{
	struct pd_piece piece = { .work = work };
	piece.status = encode_lane_piece(run, lane, worker, &piece);
	const enum perfdata_status status = write_piece(run, lane, &piece);
	if (piece.work)
		target_of(run, lane)->encoding->free_work(piece.work);
	perfdata_text_release(&piece.encoded);
	return status;
}

static enum perfdata_status work_to_ring(struct pd_run *run, struct pd_lane *lane, struct pd_worker *worker, void *work)
{
	enum perfdata_status status = make_room(run, lane, worker);
	if (!status && pd_lane_piece(lane, lane->filled)->uncompressed.size) {
		close_piece(run, lane);
		status = make_room(run, lane, worker);
	}
	if (status) {
		target_of(run, lane)->encoding->free_work(work);
		return status;
	}
	pd_lane_piece(lane, lane->filled)->work = work;
	close_piece(run, lane);
	return status;
}

enum perfdata_status pd_run_work_to_lane(struct pd_run *run, struct pd_lane *lane, struct pd_worker *worker, void *work)
{
	const enum perfdata_status status = lane->nr_pieces ? work_to_ring(run, lane, worker, work)
							    : encode_now(run, lane, worker, work);
	if (status)
		run->lane_status = status;
	return status;
}

/* --- slots -------------------------------------------------------------------------------------------------------- */

void pd_run_give_up(struct pd_run *run, enum perfdata_status status, const struct perfdata_error *error)
{
	run->status = status;
	if (!error || error->status != status)
		pd_run_fail(&run->error, status);
	else if (error != &run->error)
		run->error = *error;
	run->stopping = true;
}

static enum perfdata_status merge_slot(struct pd_run *run, struct pd_batch_slot *slot)
{
	for (unsigned i = 0; i < run->nr_targets; i++) {
		const struct perfdata_emitter *emitter = run->targets[i].emitter;
		void *part = slot->shares[i].part;
		slot->shares[i].part = NULL;
		if (!part || !emitter->merge)
			continue;
		struct pd_text_stream *stream = pd_run_stream(slot, run, i, 0);
		if (!stream) {
			if (emitter->free_part)
				emitter->free_part(part);
			return PERFDATA_ENOMEM;
		}
		const enum perfdata_status status = emitter->merge(run->targets[i].state, part, &stream->text);
		if (status)
			return status;
	}
	return PERFDATA_OK;
}

/* Called outside of the monitor, by the thread that has the writer's role. */
static enum perfdata_status write_slot(struct pd_run *run, struct pd_batch_slot *slot)
{
	enum perfdata_status status = slot->status;
	if (!status) {
		pd_run_queue_kept(run, slot);
		status = merge_slot(run, slot);
	}
	enum perfdata_status sent = PERFDATA_OK;
	for (unsigned i = 0; i < run->nr_targets && !sent; i++)
		sent = pd_run_send(slot, i, status != PERFDATA_OK);
	if (run->lane_status)
		return run->lane_status;
	return status ? status : sent;
}

static void write_next_slot(struct pd_run *run, struct pd_worker *worker)
{
	struct pd_batch_slot *slot = pd_run_slot(run, run->written);
	run->writing = true;
	slot->ordered = true;
	slot->worker = worker;
	pd_monitor_leave(run->monitor);
	const enum perfdata_status status = write_slot(run, slot);
	pd_monitor_enter(run->monitor);
	run->writing = false;
	slot->ordered = false;
	if (status) {
		pd_run_give_up(run, status, &run->error);
	} else {
		pd_run_recycle(run, slot);
		slot->state = PD_SLOT_FREE;
		run->written++;
	}
	pd_monitor_wake(run->monitor);
}

static void write_one_piece(struct pd_run *run, struct pd_lane *lane)
{
	run->writing = true;
	const enum perfdata_status status = write_next_piece(run, lane);
	run->writing = false;
	if (status)
		pd_run_give_up(run, status, &run->error);
	pd_monitor_wake(run->monitor);
}

static struct pd_lane *lane_to_write(const struct pd_run *run)
{
	for (unsigned i = 0; i < run->nr_encoders; i++)
		if (pd_lane_can_write(run->encoders[i]))
			return run->encoders[i];
	return NULL;
}

static bool slot_can_be_written(struct pd_run *run)
{
	return run->written < run->formatted && pd_run_slot(run, run->written)->state == PD_SLOT_DONE;
}

bool pd_run_write(struct pd_run *run, struct pd_worker *worker)
{
	struct pd_lane *lane = run->writing || run->stopping ? NULL : lane_to_write(run);
	if (lane)
		write_one_piece(run, lane);
	else if (!run->writing && !run->stopping && slot_can_be_written(run))
		write_next_slot(run, worker);
	else
		return false;
	return true;
}

bool pd_run_encode(struct pd_run *run, struct pd_worker *worker)
{
	for (unsigned i = 0; i < run->nr_encoders; i++) {
		if (!pd_lane_can_encode(run->encoders[i]))
			continue;
		encode_piece(run, run->encoders[i], worker);
		return true;
	}
	return false;
}

bool pd_run_write_or_encode(struct pd_run *run, struct pd_worker *worker)
{
	return pd_run_write(run, worker) || pd_run_encode(run, worker);
}

bool pd_run_lanes_idle(const struct pd_run *run)
{
	for (unsigned i = 0; i < run->nr_encoders; i++)
		if (!pd_lane_idle(run->encoders[i]))
			return false;
	return true;
}

static void drain_lane(struct pd_run *run, struct pd_lane *lane, struct pd_worker *worker)
{
	enum perfdata_status status = run->lane_status;
	while (!status && !pd_lane_idle(lane)) {
		if (lane->encoding == lane->written)
			encode_piece(run, lane, worker);
		status = write_next_piece(run, lane);
	}
	if (status && !run->status)
		pd_run_give_up(run, status, &run->error);
}

void pd_run_drain(struct pd_run *run)
{
	const struct perfdata_error error = run->error;
	pd_monitor_enter(run->monitor);
	for (unsigned i = 0; i < run->nr_encoders && run->status != PERFDATA_EWRITE; i++)
		drain_lane(run, run->encoders[i], &run->workers[run->jobs - 1]);
	pd_monitor_leave(run->monitor);
	if (error.status)
		run->error = error;
}
