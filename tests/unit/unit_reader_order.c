/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "reading.h"

/* --- order --- */

struct model {
	uint64_t queue[MAX_SEEN], out[MAX_SEEN], numbers[MAX_SEEN], out_numbers[MAX_SEEN];
	size_t queued, given;
};

/* perf's rule, as simply as can be: insert after equal times; release up to the limit. */
static void model_push(struct model *m, uint64_t time, uint64_t number)
{
	size_t at = m->queued++;
	for (; at && m->queue[at - 1] > time; at--) {
		m->queue[at] = m->queue[at - 1];
		m->numbers[at] = m->numbers[at - 1];
	}
	m->queue[at] = time;
	m->numbers[at] = number;
}

static void model_release(struct model *m, uint64_t limit)
{
	size_t count = 0;
	while (count < m->queued && m->queue[count] <= limit) {
		m->out[m->given] = m->queue[count];
		m->out_numbers[m->given++] = m->numbers[count++];
	}
	memmove(m->queue, m->queue + count, (m->queued - count) * sizeof *m->queue);
	memmove(m->numbers, m->numbers + count, (m->queued - count) * sizeof *m->numbers);
	m->queued -= count;
}

static void test_order(void)
{
	static struct model m;
	uint32_t state = 7;

	for (unsigned round = 0; round < 20; round++) {
		struct recording records, file;
		uint64_t newest = 0, limit = 0, base = 1000;
		memset(&m, 0, sizeof m);
		recording_init(&records, false);
		for (uint64_t n = 0; n < 1000; n++) {
			state = state * 1664525 + 1013904223;
			const uint32_t dice = state >> 16 & 63;
			if (dice == 0 && round) {
				recording_empty(&records, PERFDATA_RECORD_FINISHED_ROUND);
				m.out[m.given] = UINT64_MAX;
				m.out_numbers[m.given++] = n;
				if (m.queued) {
					if (limit)
						model_release(&m, limit);
					limit = newest;
				}
			} else if (dice == 1) {
				/* no time: at once */
				recording_sample(&records, 10, 0, 1);
				m.out[m.given] = 0;
				m.out_numbers[m.given++] = n;
			} else {
				const uint64_t time = base + (state >> 8) % (round % 5 * 40 + 1);
				base += dice % 3;
				recording_sample(&records, 10, time, 1);
				model_push(&m, time, n);
				newest = time > newest ? time : newest;
			}
		}
		model_release(&m, UINT64_MAX);
		recording_file(&file, &records, 0);
		read_memory(&result, file.data, file.size, PERFDATA_ORDER_TIME);
		CHECK_EQ(result.count, 1000);
		size_t wrong = 0;
		for (size_t i = 0; i < result.count; i++)
			wrong += result.seen[i].time != m.out[i] || result.seen[i].number != m.out_numbers[i];
		CHECK_EQ(wrong, 0);
		recording_release(&records);
		recording_release(&file);
	}
}

static void test_late(void)
{
	struct recording records, file;
	const uint64_t times[] = { 100, 200, 0, 300, 0, 400, 0, 50, 500 };   /* 0: a round ends */
	const uint64_t expected[] = { 100, 200, 300, 50, 400, 500 };
	size_t n = 0;

	recording_init(&records, false);
	for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
		if (times[i])
			recording_sample(&records, 10, times[i], 1);
		else
			recording_empty(&records, PERFDATA_RECORD_FINISHED_ROUND);
	}
	recording_file(&file, &records, 0);
	read_memory(&result, file.data, file.size, PERFDATA_ORDER_TIME);
	CHECK_EQ(result.codes[PERFDATA_FINDING_OUT_OF_ORDER], 1);
	for (size_t i = 0; i < result.count; i++) {
		if (result.seen[i].type != PERFDATA_RECORD_SAMPLE)
			continue;
		CHECK_EQ(result.seen[i].flags, result.seen[i].time == 50 ? PERFDATA_RAW_LATE : 0);
		CHECK_EQ(result.seen[i].time, n < 6 ? expected[n] : 0);
		n++;
	}
	CHECK_EQ(n, 6);
	recording_release(&records);
	recording_release(&file);
}

/* Interleaved streams, and no order at all: the same result as inserting one by one. */
static void test_many_streams(void)
{
	static struct model m;
	uint32_t state = 5;

	for (unsigned streams = 1; streams <= 1000; streams *= 10) {
		struct recording records, file;
		memset(&m, 0, sizeof m);
		recording_init(&records, false);
		for (uint64_t n = 0; n < 5000; n++) {
			state = state * 1664525 + 1013904223;
			const uint64_t time = 1 + n / 3 + (state >> 16) % streams * 2000;
			recording_sample(&records, 10, time, 1);
			model_push(&m, time, n);
		}
		model_release(&m, UINT64_MAX);
		recording_file(&file, &records, 0);
		read_memory(&result, file.data, file.size, PERFDATA_ORDER_TIME);
		CHECK_EQ(result.count, 5000);
		size_t wrong = 0;
		for (size_t i = 0; i < result.count; i++)
			wrong += result.seen[i].time != m.out[i] || result.seen[i].number != m.out_numbers[i];
		CHECK_EQ(wrong, 0);
		recording_release(&records);
		recording_release(&file);
	}
}

/* Little memory: what waits goes to a temporary file and comes back in the same order. */
static void test_spill(void)
{
	static char text[4001];
	struct recording records, file;
	uint32_t state = 3;

	memset(text, 'x', sizeof text - 1);
	for (unsigned rounds = 0; rounds < 2; rounds++) {
		recording_init(&records, false);
		for (uint64_t n = 0; n < 1500; n++) {
			state = state * 1664525 + 1013904223;
			recording_comm(&records, 10, 1 + (rounds ? n : 0) + (state >> 8) % 600, (uint32_t)n, text,
				       4008);
			if (rounds && n % 700 == 699)
				recording_empty(&records, PERFDATA_RECORD_FINISHED_ROUND);
		}
		recording_file(&file, &records, 0);
		read_memory(&other, file.data, file.size, PERFDATA_ORDER_TIME);
		struct perfdata_reader_options options = options_for(&result, PERFDATA_ORDER_TIME);
		struct perfdata_reader *reader;
		options.max_memory = 1;
		CHECK_EQ(open_memory(file.data, file.size, NULL, &options, &reader, NULL), PERFDATA_OK);
		read_all(&result, reader);
		CHECK_EQ(result.end, PERFDATA_END);
		CHECK(result.complete);
		CHECK_EQ(result.count, rounds ? 1502 : 1500);
		CHECK(result.count == other.count &&
		      !memcmp(result.seen, other.seen, result.count * sizeof *result.seen));

		/* no room for it: the records in memory are still returned, and the last status says why */
		options = options_for(&result, PERFDATA_ORDER_TIME);
		options.max_memory = 1;
		options.max_spool = 4096;
		CHECK_EQ(open_memory(file.data, file.size, NULL, &options, &reader, NULL), PERFDATA_OK);
		read_all(&result, reader);
		CHECK_EQ(result.end, PERFDATA_ELIMIT);
		CHECK(result.count > 100 && result.count < 1500);
		CHECK_EQ(result.codes[PERFDATA_FINDING_LIMIT], 1);
		recording_release(&file);
		recording_release(&records);
	}
}

/* --- COMPRESSED --- */

/* Puts `size` compressed bytes into carriers of `piece` bytes each. */
static void add_carriers(struct recording *r, const uint8_t *compressed, size_t size, size_t piece, uint32_t type)
{
	for (size_t at = 0; at < size; at += piece) {
		const size_t step = size - at < piece ? size - at : piece;
		const size_t start = recording_begin(r, type, 0);
		if (type == PERFDATA_RECORD_COMPRESSED2)
			recording_u64(r, step);
		recording_bytes(r, compressed + at, step);
		if (type == PERFDATA_RECORD_COMPRESSED2)
			recording_chars(r, "", (8 - step % 8) % 8);
		recording_end(r, start);
	}
}

static void test_compressed(void)
{
	static uint8_t compressed[65536];
	struct recording inner, records, file;
	const uint32_t types[] = { PERFDATA_RECORD_COMPRESSED, PERFDATA_RECORD_COMPRESSED2 };

	if (pd_codec_load(PD_CODEC_ZSTD, NULL)) {
		CHECK(true);
		return;
	}
	some_records(&inner, false);
	recording_file(&file, &inner, 0);
	read_recording(&other, &file);
	recording_release(&file);
	const size_t size = pack(PD_CODEC_ZSTD, inner.data, inner.size, compressed, sizeof compressed);
	for (size_t i = 0; i < 2; i++) {
		recording_init(&records, false);
		add_carriers(&records, compressed, size, 100, types[i]);
		recording_empty(&records, PERFDATA_RECORD_FINISHED_INIT);
		recording_file(&file, &records, 0);
		read_recording(&result, &file);
		CHECK(same_records(&result, &other));
		CHECK_EQ(result.count, SOME + (size + 99) / 100 + 1);
		/* the recorder flushes after each record: one that unpacks to nothing is not as it was written */
		CHECK(result.codes[PERFDATA_FINDING_COMPRESSED_FRAME] >= 1);
		CHECK_EQ(result.seen[0].type, types[i]);
		uint64_t carrier = 0, inner_at = 0;
		for (size_t n = 0; n < result.count; n++) {
			if (result.seen[n].type == types[i])
				carrier = result.seen[n].offset;
			else if (result.seen[n].inner != PERFDATA_NO_OFFSET) {
				CHECK_EQ(result.seen[n].offset, carrier);
				CHECK_EQ(result.seen[n].inner, inner_at);
				inner_at += result.seen[n].size;
			}
		}
		CHECK_EQ(inner_at, inner.size);
		recording_release(&file);
		recording_release(&records);

		recording_init(&records, false);
		add_carriers(&records, compressed, size, 60000, types[i]);
		recording_file(&file, &records, 0);
		read_recording(&result, &file);
		CHECK_EQ(result.count, SOME + (size + 59999) / 60000);
		CHECK_EQ(result.codes[PERFDATA_FINDING_COMPRESSED_FRAME], 0);
		recording_release(&file);
		recording_release(&records);

		/* a broken frame, then a good one */
		compressed[size / 2] ^= 0x55;
		compressed[0] ^= 0x55;
		recording_init(&file, false);
		struct recording both;
		recording_init(&both, false);
		add_carriers(&both, compressed, size, 1000, types[i]);
		compressed[0] ^= 0x55;
		compressed[size / 2] ^= 0x55;
		add_carriers(&both, compressed, size, 1000, types[i]);
		recording_release(&file);
		recording_file(&file, &both, 0);
		read_recording(&result, &file);
		CHECK(same_records(&result, &other));
		CHECK(result.codes[PERFDATA_FINDING_COMPRESSED_FRAME] >= 1);
		CHECK(!result.complete);
		recording_release(&both);
		recording_release(&file);
	}
	recording_release(&inner);
}

/* Many records and no round: those of a sorted file do not wait for its end, and come in the same order. */
static void test_sorted_rest(void)
{
	enum { MANY = 1500 };
	static char text[4001];
	static const struct { const char *what; uint64_t last; bool is_first; } cases[] = {
		{ "sorted", 5000, false },
		{ "the last record is the oldest", 1, true },
		{ "the last record has no time", 0, true },
	};
	memset(text, 'x', sizeof text - 1);
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct recording records, file;
		recording_init(&records, false);
		for (uint64_t n = 0; n < MANY; n++)
			recording_comm(&records, 10, n == MANY - 1 ? cases[i].last : 1000 + n / 2, (uint32_t)n, text,
				       4008);
		recording_file(&file, &records, 0);
		read_memory(&result, file.data, file.size, PERFDATA_ORDER_TIME);
		CHECK(result.complete);
		CHECK_EQ(result.count, MANY);
		size_t wrong = 0;
		for (size_t at = 0; at < result.count; at++) {
			const uint64_t number = !cases[i].is_first ? at : at ? at - 1 : MANY - 1;
			wrong += result.seen[at].number != number;
		}
		CHECK_EQ(wrong, 0);
		CHECK_EQ(result.codes[PERFDATA_FINDING_OUT_OF_ORDER], 0);
		recording_release(&records);
		recording_release(&file);
	}
}

int main(void)
{
	const struct unit_case cases[] = {
		{ "time order is perf's", test_order },
		{ "late records", test_late },
		{ "interleaved streams", test_many_streams },
		{ "records that wait in a file", test_spill },
		{ "a file that is sorted", test_sorted_rest },
		{ "compressed records", test_compressed },
	};
	return unit_main(cases, sizeof cases / sizeof *cases);
}
