/* SPDX-License-Identifier: MIT */
/* lib/session: what is delivered: periods of counters, what filters keep, counts, build-ids; and who loads names. */
#include "config.h"
#include <unistd.h>
#include "session/session.h"
#include "session/state.h"
#include "symbols/symbols.h"
#include "session_recording.h"

#define USER PERFDATA_CPUMODE_USER
#define KERNEL PERFDATA_CPUMODE_KERNEL

static struct walk walk;

/* --- counters --- */

static void group_sample(uint64_t id, int32_t tid, uint64_t first, uint64_t second)
{
	const size_t start = stream_sample_begin(USER, id, 0x1000, 7, tid);
	recording_u64(&stream, 2);
	recording_u64(&stream, first);
	recording_u64(&stream, 10);
	recording_u64(&stream, second);
	recording_u64(&stream, 20);
	stream_sample_end(start);
}

static void test_read_groups(void)
{
	const uint64_t format = PERFDATA_READ_FORMAT_GROUP | PERFDATA_READ_FORMAT_ID;
	stream_begin();
	stream_event(&(struct stream_event){ .id = 10, .more = PERFDATA_SAMPLE_READ, .read_format = format });
	stream_event(&(struct stream_event){ .id = 20, .more = PERFDATA_SAMPLE_READ, .read_format = format });
	group_sample(10, 7, 100, 0);      /* one grew */
	group_sample(10, 7, 150, 30);     /* both */
	group_sample(10, 7, 150, 30);     /* none */
	walk_all(&walk);
	CHECK_EQ(sample_at(&walk, 0)->event, 0);
	CHECK_EQ(sample_at(&walk, 0)->delivery.period, 100);
	CHECK_EQ(sample_at(&walk, 1)->delivery.period, 50);
	CHECK_EQ(sample_at(&walk, 1)->delivery.flags, PERFDATA_DELIVERY_FIRST);
	CHECK_EQ(sample_at(&walk, 2)->event, 1);
	CHECK_EQ(sample_at(&walk, 2)->delivery.period, 30);
	CHECK_EQ(sample_at(&walk, 2)->delivery.id, 20);
	CHECK_EQ(sample_at(&walk, 2)->delivery.flags, 0);
	CHECK_EQ(sample_at(&walk, 3)->delivery.flags, PERFDATA_DELIVERY_FIRST | PERFDATA_DELIVERY_SILENT);
	CHECK(sample_at(&walk, 4) == NULL);
	const struct perfdata_summary *summary = perfdata_session_summary(walk.session);
	CHECK_EQ(summary->events[0].samples, 3);
	CHECK_EQ(summary->events[0].deliveries, 2);
	CHECK_EQ(summary->events[1].deliveries, 1);
	walk_close(&walk);
}

static void offcpu_event(void)
{
	stream_event(&(struct stream_event){
		.id = 10, .type = 1, .config = 10, .more = PERFDATA_SAMPLE_RAW | PERFDATA_SAMPLE_CALLCHAIN });
	const size_t start = recording_begin(&stream, PERFDATA_RECORD_EVENT_UPDATE, 0);
	recording_u64(&stream, 2);
	recording_u64(&stream, 10);
	stream_text("offcpu-time");
	recording_end(&stream, start);
}

static void test_offcpu(void)
{
	stream_begin();
	offcpu_event();
	stream_comm(0, 31, 32, "sleeper");
	const size_t start = stream_sample_begin(USER, 10, 0, 0, 0);
	stream_chain(NULL, 0);
	recording_u32(&stream, 4 + 8 + 8 + 24 + 4);
	recording_u32(&stream, 31);
	recording_u32(&stream, 32);
	recording_u64(&stream, 5000);
	recording_u64(&stream, 3);
	recording_u64(&stream, PERFDATA_CONTEXT_USER);
	recording_u64(&stream, 0x1010);
	recording_u64(&stream, 0x1020);
	recording_u32(&stream, 0);
	stream_sample_end(start);
	walk_all(&walk);
	CHECK_STR(comm_at(&walk, 0), "sleeper");
	CHECK_EQ(sample_at(&walk, 0)->delivery.period, 5000);
	CHECK_EQ(sample_at(&walk, 0)->delivery.address, 0x1010);
	check_steps(&walk, 0, STEPS(0x1010, 0x1020));
	walk_close(&walk);
}

/* --- what is kept --- */

static void test_filters(void)
{
	struct perfdata_session_options options = { .size = sizeof options, .needs = ALL_NEEDS };
	const int32_t tids[] = { 8 };
	const uint32_t types[] = { PERFDATA_RECORD_SAMPLE };
	const char *const comms[] = { "wor*" };
	stream_begin();
	stream_plain_event();
	stream_comm(0, 7, 7, "main");
	stream_mmap(USER, 7, 0x1000, 0x1000, 0, "/bin/a");
	stream_task(PERFDATA_RECORD_FORK, 7, 8, 7, 7);
	stream_sample(USER, 0x1010, 7, 7);
	stream_sample(USER, 0x1020, 7, 8);
	stream_comm(0, 7, 8, "worker");
	stream_sample(USER, 0x1030, 7, 8);

	options.filter = &(struct perfdata_filter){ .size = sizeof *options.filter,
						    .tids = tids, .nr_tids = 1, .types = types, .nr_types = 1 };
	walk_open(&walk, &options);
	CHECK_EQ(walk.nr_records, 2);
	CHECK_STR(ip_at(&walk, 0), "/bin/a+0x20");
	CHECK_STR(comm_at(&walk, 0), "main");
	CHECK_STR(comm_at(&walk, 1), "worker");
	CHECK_EQ(perfdata_session_summary(walk.session)->events[0].samples, 3);
	CHECK_EQ(perfdata_session_summary(walk.session)->records_out, 2);
	walk_close(&walk);

	options.filter = &(struct perfdata_filter){ .size = sizeof *options.filter,
						    .comms = comms, .nr_comms = 1, .types = types, .nr_types = 1 };
	walk_open(&walk, &options);
	CHECK_EQ(walk.nr_records, 1);
	CHECK_STR(ip_at(&walk, 0), "/bin/a+0x30");
	walk_close(&walk);

	/* the mapping has time 1001 */
	options.filter = &(struct perfdata_filter){ .size = sizeof *options.filter,
						    .time_first = 1003, .time_last = 1004 };
	walk_open(&walk, &options);
	CHECK_EQ(walk.nr_records, 3);    /* the ATTR has no time, and passes */
	CHECK_STR(ip_at(&walk, 0), "/bin/a+0x10");
	walk_close(&walk);

	options.filter = NULL;
	options.limit = 3;
	walk_open(&walk, &options);
	CHECK_EQ(walk.nr_records, 3);
	CHECK_EQ(walk.end, PERFDATA_END);
	walk_close(&walk);
}

static void test_trim(void)
{
	struct perfdata_session_options options = { .size = sizeof options, .needs = ALL_NEEDS };
	stream_begin();
	stream_plain_event();
	stream_mmap(USER, 7, 0x1000, 0x1000, 0, "/bin/a");
	for (unsigned i = 0; i < 100; i++)
		stream_sample(USER, 0x1010, 7, 7);
	const struct perfdata_reader_options reading = { .size = sizeof reading, .order = PERFDATA_ORDER_TIME };
	for (options.limit = 0; options.limit < 20; options.limit += 10) {
		struct perfdata_reader *reader = NULL;
		struct perfdata_session *session = NULL;
		struct perfdata_batch *batch;
		CHECK_EQ(open_memory(stream.data, stream.size, NULL, &reading, &reader, NULL), 0);
		CHECK_EQ(perfdata_session_open(reader, &options, &session, NULL), PERFDATA_OK);
		while (perfdata_session_next(session, &batch) == PERFDATA_OK)
			perfdata_batch_release(batch);
		const struct pd_account *account = pd_session_account(session);
		const uint64_t batches = account->by_use[PD_USE_BATCHES], order = account->by_use[PD_USE_ORDER];
		pd_session_trim(session);
		CHECK(account->by_use[PD_USE_BATCHES] + 8192 * sizeof(struct perfdata_raw) <= batches);
		CHECK(options.limit || (order && !account->by_use[PD_USE_ORDER]));
		CHECK_EQ(perfdata_session_next(session, &batch), PERFDATA_END);
		perfdata_session_close(session);
		perfdata_reader_close(reader);
	}
}

/* Results of a walk, and of the check of its batches. */
struct tale {
	uint64_t findings, offsets, records, batches;
	struct perfdata_summary sums;
	struct perfdata_type_count types[16];
	struct perfdata_event_count events[4];
};

static void take_finding(void *user, const struct perfdata_finding *finding)
{
	struct tale *tale = user;
	tale->findings++;
	tale->offsets = tale->offsets * 31 + finding->offset;
}

static void tell(struct tale *tale, uint32_t needs, uint64_t limit)
{
	const struct perfdata_session_options options = { .size = sizeof options, .needs = needs, .limit = limit };
	struct perfdata_reader *reader;
	struct perfdata_session *session;
	struct perfdata_batch *batch;
	memset(tale, 0, sizeof *tale);
	CHECK_EQ(open_memory(stream.data, stream.size, NULL, NULL, &reader, NULL), PERFDATA_OK);
	CHECK_EQ(perfdata_session_open(reader, &options, &session, NULL), PERFDATA_OK);
	while (perfdata_session_next(session, &batch) == PERFDATA_OK) {
		perfdata_batch_check(batch, take_finding, tale);
		tale->records += batch->nr_records;
		tale->batches++;
		perfdata_batch_release(batch);
	}
	tale->sums = *perfdata_session_summary(session);
	memcpy(tale->types, tale->sums.types,
	       (tale->sums.nr_types < 16 ? tale->sums.nr_types : 16) * sizeof *tale->types);
	memcpy(tale->events, tale->sums.events,
	       (tale->sums.nr_events < 4 ? tale->sums.nr_events : 4) * sizeof *tale->events);
	for (size_t i = 0; i < 4; i++)
		tale->events[i].event = NULL;   /* of another reader */
	tale->sums.types = NULL;
	tale->sums.events = NULL;
	tale->sums.traces = NULL;
	perfdata_session_close(session);
	perfdata_reader_close(reader);
}

/* Where only counts are wanted, samples are counted without being kept, and nothing is counted or found that was not
 * before. */
static void test_counts(void)
{
	static struct tale all, counted;
	stream_begin();
	stream_event(&(struct stream_event){ .id = 10, .more = PERFDATA_SAMPLE_CALLCHAIN });
	stream_event(&(struct stream_event){ .id = 20, .more = PERFDATA_SAMPLE_CALLCHAIN });
	for (unsigned i = 0; i < 20000; i++) {
		const size_t start = stream_sample_begin(USER, i == 777 ? 30 : i % 3 ? 10 : 20, 0x1000, 7, 7);
		recording_u64(&stream, i % 1000 == 999 ? 3 : 1);
		recording_u64(&stream, i);
		if (i % 1000 == 500)
			recording_u64(&stream, 0);      /* which nothing explains */
		stream_sample_end(start);
		if (i % 500 == 0)
			stream_comm(0, 7, 7, "main");
	}
	tell(&all, PERFDATA_NEED_RECORDS, 0);
	tell(&counted, 0, 0);
	CHECK_EQ(all.records, 20000 + 40 + 2);
	CHECK_EQ(all.findings, 20 + 20);
	CHECK(all.batches > 2);
	CHECK(counted.records >= 40 + 2 + 20 + 20 + 1 && counted.records < all.records / 10);
	CHECK_EQ(counted.batches, all.batches);
	CHECK_EQ(counted.findings, all.findings);
	CHECK_EQ(counted.offsets, all.offsets);
	CHECK_EQ(counted.sums.records, 20000 + 40 + 2);
	CHECK_EQ(counted.sums.unknown_ids, 1);
	CHECK(!memcmp(&counted.sums, &all.sums, sizeof all.sums));
	CHECK(!memcmp(counted.types, all.types, sizeof all.types));
	CHECK(!memcmp(counted.events, all.events, sizeof all.events));
	tell(&counted, 0, 100);
	CHECK_EQ(counted.sums.records_out, 100);
	CHECK_EQ(counted.records, 100);
}

static void test_build_ids(void)
{
	const uint8_t id[20] = { 1, 2, 3 };
	enum perfdata_build_id_source source = 0;
	stream_begin();
	stream_plain_event();
	stream_mmap(USER, 7, 0x1000, 0x1000, 0, "/bin/a");
	stream_sample(USER, 0x1010, 7, 7);
	const size_t start = recording_begin(&stream, PERFDATA_RECORD_BUILD_ID, USER | 1 << 15);
	recording_u32(&stream, (uint32_t)-1);
	recording_bytes(&stream, id, 20);
	recording_bytes(&stream, "\x14\0\0\0", 4);
	stream_text("/bin/a");
	recording_end(&stream, start);
	walk_all(&walk);
	const uint32_t dso = perfdata_session_frame(walk.session, sample_at(&walk, 0)->delivery.ip)->dso;
	const struct perfdata_bytes found = perfdata_session_build_id(walk.session, dso, &source);
	CHECK_EQ(found.size, 20);
	CHECK(found.size == 20 && !memcmp(found.data, id, 20));
	CHECK_EQ(source, PERFDATA_BUILD_ID_RECORD);
	CHECK_EQ(perfdata_session_nr_maps(walk.session, dso), 1);
	CHECK_EQ(perfdata_session_nr_dsos(walk.session), 1);
	walk_close(&walk);
}

static void count_wake(void *user) { ++*(unsigned *)user; }

/* The files of the frames are loaded by threads that help, if there are any: the session only wakes them. */
static void test_names_by_helpers(void)
{
	const struct perfdata_reader_options reading = { .size = sizeof reading };
	struct perfdata_symbols *symbols = NULL;
	struct perfdata_reader *reader = NULL;
	struct perfdata_session *session = NULL;
	struct perfdata_batch *batch;
	unsigned wakes = 0, loaded = 0;
	char own[256] = { 0 };
	CHECK(readlink("/proc/self/exe", own, sizeof own - 1) > 0);
	stream_begin();
	stream_plain_event();
	stream_mmap(USER, 7, 0x1000, 0x1000, 0, own);
	stream_sample(USER, 0x1010, 7, 7);
	CHECK_EQ(open_memory(stream.data, stream.size, NULL, &reading, &reader, NULL), 0);
	CHECK_EQ(perfdata_symbols_new(NULL, &symbols), PERFDATA_OK);
	const struct perfdata_session_options options = { .size = sizeof options, .needs = ALL_NEEDS,
							  .symbols = symbols };
	CHECK_EQ(perfdata_session_open(reader, &options, &session, NULL), PERFDATA_OK);
	CHECK_EQ(pd_session_want_names(session, false, true, 2), PERFDATA_OK);
	pd_session_let_help(session, count_wake, &wakes);
	CHECK(!pd_session_awaits_names(session));
	while (perfdata_session_next(session, &batch) == PERFDATA_OK)
		perfdata_batch_release(batch);
	CHECK(wakes > 0);
	CHECK(!pd_symbols_are_loaded(symbols));
	CHECK(pd_session_needs_help(session) && pd_session_awaits_names(session));
	while (pd_session_needs_help(session) && pd_session_help(session))
		loaded++;
	CHECK(loaded > 0 && pd_symbols_are_loaded(symbols));
	CHECK(!pd_session_awaits_names(session) && !pd_session_help(session));
	pd_session_finish_names(session);
	CHECK(!pd_session_needs_help(session));
	perfdata_session_close(session);
	perfdata_symbols_free(symbols);
	perfdata_reader_close(reader);
}

/* A cache that grew has only what was put into it, with the marks and nodes of its slots. */
static void test_address_cache(void)
{
	enum { ADDRESSES = 100000, FIRST = 0x401000, STEP = 16 };
	struct perfdata_memory *memory = NULL;
	struct pd_address_cache cache = { 0 };
	unsigned nr_found = 0, nr_wrong = 0;
	CHECK_EQ(perfdata_memory_new(0, NULL, &memory), PERFDATA_OK);
	CHECK_EQ(pd_address_cache_make(&cache, &memory->account), 0);
	const size_t slots_before = pd_address_slots(&cache);
	for (unsigned i = 0; i < ADDRESSES; i++) {
		const uint64_t ip = FIRST + STEP * (uint64_t)i, through = i % 3;
		struct pd_address_slot *slot = pd_address_slot(&cache, pd_address_spread(through), ip);
		pd_address_cache_put(&cache, slot, ip, through, i);
		slot = pd_address_slot(&cache, pd_address_spread(through), ip);
		CHECK(slot->ip == ip && slot->frame == i && !slot->alone);
		slot->alone = i + 1;
		slot->through |= PD_ADDRESS_MARK;
	}
	CHECK(pd_address_slots(&cache) > slots_before);
	CHECK_EQ(pd_account_used(&memory->account), pd_address_slots(&cache) * sizeof *cache.slots);
	for (unsigned i = 0; i < ADDRESSES; i++) {
		const uint64_t ip = FIRST + STEP * (uint64_t)i, through = i % 3;
		const struct pd_address_slot *slot = pd_address_slot(&cache, pd_address_spread(through), ip);
		if (slot->ip != ip)
			continue;
		nr_found++;
		nr_wrong += slot->frame != i || slot->alone != i + 1 || slot->through != (through | PD_ADDRESS_MARK);
	}
	CHECK_EQ(nr_wrong, 0);
	CHECK(nr_found > slots_before);
	pd_address_cache_drop(&cache);
	CHECK_EQ(pd_account_used(&memory->account), 0);
	perfdata_memory_free(memory);
}

int main(void)
{
	static const struct unit_case cases[] = {
		{ "deliveries: groups of counters", test_read_groups },
		{ "deliveries: time off the CPU", test_offcpu },
		{ "filters and limits", test_filters },
		{ "memory of batches is freed after the last", test_trim },
		{ "counts alone", test_counts },
		{ "build-ids that come late", test_build_ids },
		{ "threads that help load the names", test_names_by_helpers },
		{ "the cache of addresses grows", test_address_cache },
	};
	const int result = unit_main(cases, sizeof cases / sizeof *cases);
	recording_release(&stream);
	return result;
}
