/* Process state and batches over a recording in memory, without symbols. */
#include "fuzz.h"
#include "perfdata_session.h"

static void touch_stack(const struct perfdata_session *session, uint32_t stack)
{
	const struct perfdata_step *steps;
	size_t nr;
	if (stack != PERFDATA_NONE && perfdata_session_stack(session, stack, &steps, &nr) == PERFDATA_OK)
		fuzz_touch(steps, nr * sizeof *steps);
}

static void touch_frame(const struct perfdata_session *session, uint32_t id, uint64_t time)
{
	struct perfdata_symbol symbol;
	if (id == PERFDATA_NONE)
		return;
	const struct perfdata_frame *frame = perfdata_session_frame(session, id);
	if (frame->dso != PERFDATA_NONE)
		fuzz_touch_text(perfdata_session_dso(session, frame->dso)->name);
	if (perfdata_session_symbol(session, id, time, &symbol) == PERFDATA_OK)
		fuzz_touch_text(symbol.name);
}

static void touch_batch(const struct perfdata_batch *batch)
{
	for (size_t i = 0; i < batch->nr_records; i++)
		fuzz_touch(batch->records[i].bytes, batch->records[i].size);
	for (size_t i = 0; i < batch->nr_deliveries; i++) {
		const struct perfdata_delivery *d = &batch->deliveries[i];
		fuzz_touch(d->record->bytes, d->record->size);
		if (d->comm != PERFDATA_NONE)
			fuzz_touch_text(perfdata_session_comm(batch->session, d->comm));
		touch_frame(batch->session, d->ip, d->record->time);
		touch_frame(batch->session, d->addr, d->record->time);
		touch_stack(batch->session, d->stack);
	}
	for (size_t i = 0; i < batch->nr_frames; i++)
		touch_frame(batch->session, batch->frames[i], UINT64_MAX);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct perfdata_reader_options how = { .size = sizeof how, .order = PERFDATA_ORDER_TIME, .max_ratio = 1000, .max_spool = 64 << 20 };
	const struct perfdata_session_options options = {
		.size = sizeof options, .merge_deferred = size % 2,
		.needs = PERFDATA_NEED_RECORDS | PERFDATA_NEED_DELIVERIES | PERFDATA_NEED_THREADS | PERFDATA_NEED_FRAMES | PERFDATA_NEED_STACKS,
	};
	struct perfdata_session *session;
	struct perfdata_reader *reader;
	struct perfdata_batch *batch;

	if (perfdata_reader_open_memory(data, size, NULL, &how, &reader, NULL) != PERFDATA_OK)
		return 0;
	if (perfdata_session_open(reader, &options, &session, NULL) == PERFDATA_OK) {
		while (perfdata_session_next(session, &batch) == PERFDATA_OK) {
			touch_batch(batch);
			perfdata_batch_release(batch);
		}
		perfdata_session_summary(session);
		perfdata_session_close(session);
	}
	perfdata_reader_close(reader);
	return 0;
}
