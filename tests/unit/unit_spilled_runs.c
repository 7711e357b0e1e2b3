/* SPDX-License-Identifier: MIT */
/* Runs of waiting records in a temporary file: their order, the memory and the disk space that they take, and failures
 * of each read, write and allocation. */
#include "config.h"
#include <errno.h>
#include <stdlib.h>
#include "alloc_fail.h"
#include "reader/order_spilled.h"
#include "reader/reader_impl.h"
#include "reading.h"

/* Calls of a kind until the one that fails; negative: none fails. */
static long reads = -1, writes = -1;

static bool is_failing(long *countdown)
{
	errno = EIO;
	return *countdown >= 0 && (*countdown)-- == 0;
}

/* Where long has 32 bits, the C library's functions for large files have names of their own. */
#if __SIZEOF_LONG__ == 4
#define __real_pread __real_pread64
#define __wrap_pread __wrap_pread64
#define __real_pwrite __real_pwrite64
#define __wrap_pwrite __wrap_pwrite64
#endif

ssize_t __real_pread(int fd, void *bytes, size_t size, off_t at);
ssize_t __wrap_pread(int fd, void *bytes, size_t size, off_t at);
ssize_t __wrap_pread(int fd, void *bytes, size_t size, off_t at)
{
	return is_failing(&reads) ? -1 : __real_pread(fd, bytes, size, at);
}

ssize_t __real_pwrite(int fd, const void *bytes, size_t size, off_t at);
ssize_t __wrap_pwrite(int fd, const void *bytes, size_t size, off_t at);
ssize_t __wrap_pwrite(int fd, const void *bytes, size_t size, off_t at)
{
	return is_failing(&writes) ? -1 : __real_pwrite(fd, bytes, size, at);
}

/* What is written, and what came of it. */
struct plan {
	unsigned runs, records;      /* records of each run */
	uint32_t largest;            /* bytes of the largest record */
	uint64_t max_memory, max_spool;
	unsigned between;            /* after so many runs, older ones are released in part; 0: never */
};
struct outcome {
	enum perfdata_status added, taken;   /* the first failures */
	uint64_t nr_added, nr_taken; /* records of the runs that were added; records that came back */
	uint64_t bytes;              /* of what was added */
	uint64_t peak, left;         /* of the account: most; what is left after all is freed */
	bool is_ordered, is_same;
	bool came;                   /* the call that was to fail */
};

static uint8_t first_byte(uint64_t number) { return (uint8_t)(number * 31 + 7); }

struct last { uint64_t time, number; };

static void see_records(struct outcome *outcome, struct last *last, const struct perfdata_raw *raws, unsigned nr)
{
	for (unsigned i = 0; i < nr; i++) {
		const struct perfdata_raw *raw = &raws[i];
		outcome->is_ordered &= raw->time > last->time ||
				       (raw->time == last->time && raw->number > last->number);
		*last = (struct last){ raw->time, raw->number };
		outcome->is_same &= raw->bytes[0] == first_byte(raw->number) &&
				    raw->bytes[raw->size - 1] == (uint8_t)(raw->size + raw->number);
	}
	outcome->nr_taken += nr;
}

/* Takes the records up to a time. False: memory is missing. */
static bool take_records(struct perfdata_reader *reader, struct pd_spilled *spilled, uint64_t limit,
			 struct outcome *outcome, struct last *last)
{
	for (;;) {
		struct perfdata_raw raws[PD_MAX_RECORDS];
		unsigned nr;
		const enum perfdata_status status = pd_spilled_take(reader, spilled, limit, raws, &nr);
		see_records(outcome, last, raws, nr);
		if (status == PERFDATA_END)
			return true;
		if (status < 0 && outcome->taken == PERFDATA_OK)
			outcome->taken = status;
		if (status == PERFDATA_ENOMEM)
			return false;
	}
}

/* Writes a run: sorted, with many equal times. */
static enum perfdata_status write_run(struct pd_spilled *spilled, const struct plan *plan, uint64_t base,
				      uint32_t *state, uint64_t *number, uint64_t *ret_bytes)
{
	static uint8_t bytes[65536];
	uint64_t time = base;
	enum perfdata_status status = PERFDATA_OK;
	for (unsigned i = 0; i < plan->records && status == PERFDATA_OK; i++) {
		*state = *state * 1664525 + 1013904223;
		time += i && *state >> 31 ? *state >> 30 : 0;
		struct perfdata_raw raw = { .bytes = bytes, .time = time, .number = ++*number,
					    .size = i ? 2 + (*state >> 8) % (plan->largest - 1) : plan->largest };
		bytes[0] = first_byte(raw.number);
		bytes[raw.size - 1] = (uint8_t)(raw.size + raw.number);
		*ret_bytes += sizeof raw + raw.size + 7;
		status = pd_spill_add(spilled->spill, &raw);
	}
	return status == PERFDATA_OK ? pd_spilled_add(spilled, base) : status;
}

static struct outcome carry_out(const struct plan *plan)
{
	struct outcome outcome = { .is_ordered = true, .is_same = true };
	struct recording records, file;
	struct perfdata_reader *reader;
	struct perfdata_reader_options options = options_for(&result, PERFDATA_ORDER_FILE);
	const long failing = alloc_fail_countdown;
	alloc_fail_countdown = -1;
	recording_init(&records, false);
	recording_sample(&records, 10, 1, 1);
	recording_file(&file, &records, 0);
	options.max_memory = plan->max_memory;
	options.max_spool = plan->max_spool;
	CHECK_EQ(open_memory(file.data, file.size, NULL, &options, &reader, NULL), PERFDATA_OK);
	alloc_fail_countdown = failing;

	struct pd_account *account = pd_reader_account(reader);
	const uint64_t before = pd_account_used(account);
	struct pd_spilled spilled = { .spill = pd_spill_new(reader) };
	struct last last = { 0, 0 };
	uint64_t number = 0, base = 1;
	uint32_t state = 11;
	bool goes_on = spilled.spill != NULL;
	outcome.added = goes_on ? PERFDATA_OK : PERFDATA_ENOMEM;
	for (unsigned run = 0; run < plan->runs && goes_on; run++) {
		outcome.added = write_run(&spilled, plan, base, &state, &number, &outcome.bytes);
		if (outcome.added != PERFDATA_OK)
			break;
		outcome.nr_added = number;
		outcome.added = pd_spilled_merge(reader, &spilled);
		if (outcome.added != PERFDATA_OK)
			break;
		if (plan->between && run % plan->between == plan->between - 1) {
			goes_on = take_records(reader, &spilled, base, &outcome, &last);
			base += plan->records / 4;
		}
	}
	if (goes_on && outcome.added != PERFDATA_ENOMEM)
		(void)take_records(reader, &spilled, UINT64_MAX, &outcome, &last);
	outcome.peak = atomic_load(&account->peak);
	pd_spilled_free(&spilled);
	pd_chunk_pool_trim(reader->pool);
	outcome.left = pd_account_used(account) - before;
	outcome.came = alloc_fail_countdown < 0 && reads < 0 && writes < 0;
	alloc_fail_countdown = reads = writes = -1;
	perfdata_reader_close(reader);
	recording_release(&file);
	recording_release(&records);
	return outcome;
}

/* Hundreds of runs: memory and disk space do not grow with their number, and equal times keep the order of the file. */
static void test_many_runs(void)
{
	static const struct plan plans[] = {
		{ .runs = 300, .records = 30, .largest = 8000, .max_memory = 1 << 20 },
		{ .runs = 100, .records = 4, .largest = 65528, .max_memory = 1 << 20 },
		{ .runs = 100, .records = 8, .largest = 65528, .max_memory = 8 << 20 },
		{ .runs = 300, .records = 1000, .largest = 64, .max_memory = 8 << 20, .between = 7 },
		{ .runs = 1000, .records = 1, .largest = 16, .max_memory = 1 << 20, .between = 3 },
	};
	for (size_t i = 0; i < sizeof plans / sizeof *plans; i++) {
		struct plan plan = plans[i];
		struct outcome outcome = carry_out(&plan);
		CHECK_EQ(outcome.added, PERFDATA_OK);
		CHECK_EQ(outcome.taken, PERFDATA_OK);
		CHECK_EQ(outcome.nr_taken, (uint64_t)plan.runs * plan.records);
		CHECK(outcome.is_ordered);
		CHECK(outcome.is_same);
		CHECK_EQ(outcome.left, 0);
		/* a run being read has at most 32 KiB and its largest record */
		const uint64_t run = (33u << 10) + plan.largest, share = plan.max_memory / 8;
		const uint64_t most = (share > 8 * run ? share : 8 * run) + (32u << 10) + 3 * (1u << 20);
		CHECK(outcome.peak <= most);
		/* the last block of a run is not full */
		plan.max_spool = outcome.bytes + plan.runs * (33ull << 10);
		outcome = carry_out(&plan);
		CHECK_EQ(outcome.added, PERFDATA_OK);
		CHECK_EQ(outcome.nr_taken, (uint64_t)plan.runs * plan.records);
		plan.max_spool = plan.between ? 1 : outcome.bytes / 2;
		outcome = carry_out(&plan);
		CHECK_EQ(outcome.added, PERFDATA_ELIMIT);
		CHECK_EQ(outcome.nr_taken, outcome.nr_added);
		CHECK(outcome.is_ordered);
	}
}

/* Makes each call of a kind fail in turn. Returns how many were seen. */
static long fail_in_turn(const struct plan *plan, long *countdown, enum perfdata_status expected)
{
	long n = 0;
	for (;; n++) {
		*countdown = n;
		const struct outcome outcome = carry_out(plan);
		if (!outcome.came) {
			CHECK_EQ(outcome.nr_taken, (uint64_t)plan->runs * plan->records);
			return n;
		}
		CHECK_EQ(outcome.added != PERFDATA_OK ? outcome.added : outcome.taken, expected);
		CHECK(outcome.is_ordered);
		CHECK(outcome.is_same);
		CHECK_EQ(outcome.left, 0);
		/* what could not be written is not lost */
		CHECK(expected == PERFDATA_EWRITE ? outcome.nr_taken == outcome.nr_added
						  : outcome.nr_taken < (uint64_t)plan->runs * plan->records);
	}
}

static const struct plan small_plans[] = {
	{ .runs = 18, .records = 3, .largest = 65528, .max_memory = 1 << 20 },
	{ .runs = 24, .records = 120, .largest = 300, .max_memory = 1 << 20, .between = 5 },
};

static void test_failing_reads(void)
{
	for (size_t i = 0; i < sizeof small_plans / sizeof *small_plans; i++)
		CHECK(fail_in_turn(&small_plans[i], &reads, PERFDATA_EREAD) > 20);
}

static void test_failing_writes(void)
{
	for (size_t i = 0; i < sizeof small_plans / sizeof *small_plans; i++)
		CHECK(fail_in_turn(&small_plans[i], &writes, PERFDATA_EWRITE) > 20);
}

static void test_failing_allocations(void)
{
	for (size_t i = 0; i < sizeof small_plans / sizeof *small_plans; i++)
		CHECK(fail_in_turn(&small_plans[i], &alloc_fail_countdown, PERFDATA_ENOMEM) > 20);
}

int main(void)
{
	const struct unit_case cases[] = {
		{ "many runs", test_many_runs },
		{ "each read fails", test_failing_reads },
		{ "each write fails", test_failing_writes },
		{ "each allocation fails", test_failing_allocations },
	};
	return unit_main(cases, sizeof cases / sizeof *cases);
}
