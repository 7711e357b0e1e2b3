/* SPDX-License-Identifier: MIT */
/* Process state and batches over a recording in memory, with filters and without, with symbols that are nowhere and
 * without. What is found in two ways must be the same: the files that chains go through, and the counts. */
#include "fuzz.h"
#include "fuzz_symbols.h"
#include "perfdata/session.h"
#include "reader/reader.h"
#include "opening.h"

static void check(bool holds)
{
	if (!holds)
		abort();
}

/* The batch has the steps of the stack, and the stack's id gives the same steps. */
static void touch_stack(const struct perfdata_batch *batch, const struct perfdata_delivery *delivery)
{
	static struct perfdata_step by_id[1024];
	size_t nr, nr_by_id;
	const struct perfdata_step *steps = perfdata_batch_stack(batch, delivery, &nr);
	fuzz_touch(steps, nr * sizeof *steps);
	check((delivery->stack != PERFDATA_NONE) == (nr != 0));
	if (!nr)
		return;
	check(perfdata_session_stack(batch->session, delivery->stack, by_id, 1024, &nr_by_id) == PERFDATA_OK &&
	      nr == nr_by_id);
	check(!memcmp(steps, by_id, (nr < 1024 ? nr : 1024) * sizeof *steps));
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
		touch_stack(batch, d);
	}
	for (size_t i = 0; i < batch->nr_frames; i++)
		touch_frame(batch->session, batch->frames[i], UINT64_MAX);
}

static void touch_tables(const struct perfdata_session *session)
{
	for (uint32_t i = 0; i < perfdata_session_nr_dsos(session); i++) {
		fuzz_touch_text(perfdata_session_dso(session, i)->name);
		perfdata_session_nr_maps(session, i);
	}
}

/* One that size and contents choose; its lists are none of the input's memory. */
static struct perfdata_filter some_filter(const uint8_t *data, size_t size)
{
	static const char *const globs[] = { "*", "p*[a-c]?k*", "work", "[kernel.kallsyms]", "*.so*", "" };
	static const char *const events[] = { "cpu-clock", "cycles", "sched:sched_switch" };
	static const uint32_t types[] = { PERFDATA_RECORD_MMAP2, PERFDATA_RECORD_SAMPLE, PERFDATA_RECORD_COMM };
	static const uint32_t cpus[] = { 0, 2, 5 };
	static int32_t ids[2];
	const uint8_t how = size ? data[size - 1] : 0;
	struct perfdata_filter filter = { .size = sizeof filter, .time_last = how & 1 ? 1ull << (how / 4) : 0 };

	memcpy(ids, size >= 64 ? data + size - 64 : (const uint8_t *)"\0\0\0\0\7\0\0", sizeof ids);
	switch (how % 7) {
	case 0: filter.pids = ids, filter.nr_pids = 2; break;
	case 1: filter.tids = ids, filter.nr_tids = 2; break;
	case 2: filter.cpus = cpus, filter.nr_cpus = 3; break;
	case 3: filter.types = types, filter.nr_types = 3; break;
	case 4: filter.events = events, filter.nr_events = 3; break;
	case 5: filter.comms = globs + how % 5, filter.nr_comms = 2; break;
	default:
		filter.dsos = globs + how % 5, filter.nr_dsos = 2, filter.symbols = globs, filter.nr_symbols = how % 2;
		break;
	}
	return filter;
}

/* The files that are marked are those of all stacks. */
static void check_marks(const struct perfdata_session *session)
{
	const uint32_t nr = perfdata_session_nr_dsos(session);
	bool *of_stacks = calloc(nr + 1u, sizeof *of_stacks);
	static struct perfdata_step steps[8192];
	size_t nr_steps;
	for (uint32_t stack = 0;
	     of_stacks && perfdata_session_stack(session, stack, steps, 8192, &nr_steps) == PERFDATA_OK; stack++) {
		if (nr_steps > 8192) {
			free(of_stacks);
			return;
		}
		for (size_t i = 0; i < nr_steps; i++) {
			const struct perfdata_frame *frame = perfdata_session_frame(session, steps[i].frame);
			if (frame && frame->dso < nr)
				of_stacks[frame->dso] = true;
		}
	}
	for (uint32_t dso = 0; of_stacks && dso < nr; dso++)
		check(perfdata_session_in_chain(session, dso) == of_stacks[dso]);
	free(of_stacks);
}

struct counted {
	uint64_t records, first_time, last_time, lost_records, lost_samples, aux_lost, late, unknown_ids, types, events,
		complete;
};

static struct counted count(const uint8_t *data, size_t size, uint32_t needs, uint32_t spans)
{
	const struct perfdata_reader_options how = {
		.size = sizeof how, .order = spans ? PERFDATA_ORDER_TIME : PERFDATA_ORDER_FILE, .max_ratio = 1000,
		.max_spool = 64 << 20
	};
	const struct perfdata_session_options options = {
		.size = sizeof options, .needs = needs, .spans = spans, .off_cpu = PERFDATA_OFF_CPU_RECORDED
	};
	struct counted counted;
	struct perfdata_session *session;
	struct perfdata_reader *reader;
	struct perfdata_batch *batch;

	memset(&counted, 0, sizeof counted);
	if (open_memory(data, size, NULL, &how, &reader, NULL) != PERFDATA_OK)
		return counted;
	if (perfdata_session_open(reader, &options, &session, NULL) == PERFDATA_OK) {
		while (perfdata_session_next(session, &batch) == PERFDATA_OK)
			perfdata_batch_release(batch);
		const struct perfdata_summary *summary = perfdata_session_summary(session);
		counted.records = summary->records;
		counted.first_time = summary->first_time;
		counted.last_time = summary->last_time;
		counted.lost_records = summary->lost_records;
		counted.lost_samples = summary->lost_samples;
		counted.aux_lost = summary->aux_lost;
		counted.late = spans ? 0 : summary->late;   /* late for what was returned before */
		counted.unknown_ids = summary->unknown_ids;
		counted.complete = summary->complete;
		for (size_t i = 0; i < summary->nr_types; i++)
			counted.types = counted.types * 31 + summary->types[i].type * 7 +
					summary->types[i].records * 3 + summary->types[i].bytes;
		for (size_t i = 0; i < summary->nr_events; i++)
			counted.events = counted.events * 31 + summary->events[i].samples * 3 +
					 summary->events[i].deliveries;
		perfdata_session_close(session);
	}
	perfdata_reader_close(reader);
	return counted;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct perfdata_reader_options how = {
		.size = sizeof how, .order = PERFDATA_ORDER_TIME, .max_ratio = 1000, .max_spool = 64 << 20
	};
	struct perfdata_symbols *symbols = size % 3 ? NULL : fuzz_no_symbols();
	const struct perfdata_filter filter = some_filter(data, size);
	const struct perfdata_session_options options = {
		.size = sizeof options,
		.merge_deferred = size % 2,
		.keep_exited = size % 5 == 0,
		.no_stack_copies = size % 7 < 3,
		.symbols = symbols,
		.filter = size % 8 ? NULL : &filter,
		.limit = size % 64 ? 0 : 3,
		.needs = PERFDATA_NEED_RECORDS | PERFDATA_NEED_DELIVERIES | PERFDATA_NEED_THREADS |
			 PERFDATA_NEED_FRAMES | PERFDATA_NEED_STACKS | PERFDATA_NEED_STACK_IDS |
			 (size % 2 ? PERFDATA_NEED_NODES : 0u) | PERFDATA_NEED_CHAIN_DSOS,
	};
	struct perfdata_session *session;
	struct perfdata_reader *reader;
	struct perfdata_batch *batch;

	if (open_memory(data, size, NULL, &how, &reader, NULL) != PERFDATA_OK) {
		perfdata_symbols_free(symbols);
		return 0;
	}
	if (perfdata_session_open(reader, &options, &session, NULL) == PERFDATA_OK) {
		while (perfdata_session_next(session, &batch) == PERFDATA_OK) {
			touch_batch(batch);
			perfdata_batch_release(batch);
		}
		perfdata_session_summary(session);
		touch_tables(session);
		check_marks(session);
		perfdata_session_close(session);
	}
	perfdata_reader_close(reader);
	perfdata_symbols_free(symbols);
	if (size % 4 == 0) {
		const struct counted in_summary = count(data, size, 0, 0),
				     by_records = count(data, size, PERFDATA_NEED_RECORDS, 0);
		check(!memcmp(&in_summary, &by_records, sizeof in_summary));
	}
	if (size % 4 == 1) {
		const uint32_t kinds = size % 3 ? 1u << PERFDATA_SPAN_OFF : (1u << PERFDATA_SPAN_KINDS) - 1;
		const uint32_t threads = PERFDATA_NEED_THREADS, records = threads | PERFDATA_NEED_RECORDS;
		const struct counted of_spans = count(data, size, threads, kinds),
				     of_records = count(data, size, records, kinds);
		check(!memcmp(&of_spans, &of_records, sizeof of_spans));
	}
	return 0;
}
