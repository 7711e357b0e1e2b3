/* SPDX-License-Identifier: MIT */
/* A reader that leaves out copies of user stacks returns the same records and findings as one that reads all, and later
 * the same bytes: of samples of all sizes between other records, in both byte orders, also where records are damaged,
 * from memory and from files, in the order of the file, of time, and with waiting records in a temporary file. */
#include "config.h"
#define RECORDING_ROOM (24u << 20)
#include "base/port.h"
#include "reading.h"

#define LARGEST_STACK 65440u
#define LEAST_LEFT_OUT 16384u

#define SCATTER 2654435761u          /* makes the first throws of successive rounds differ */
static uint32_t state;

static uint32_t dice(uint32_t sides)
{
	state = state * 1664525 + 1013904223;
	return (uint32_t)(((uint64_t)state * sides) >> 32);
}

/* Stack memory like any other, or like records. */
static void add_stack(struct recording *r, uint32_t size)
{
	const uint32_t kind = dice(4);
	for (uint32_t at = 0; at < size; at += 8) {
		if (kind == 1) {
			recording_u32(r, PERFDATA_RECORD_SAMPLE);
			recording_u16(r, PERFDATA_CPUMODE_USER);
			recording_u16(r, 48);
		} else {
			recording_u64(r, kind ? dice(UINT32_MAX) : 0);
		}
	}
}

static void add_sample(struct recording *r, uint64_t time, uint32_t stack)
{
	const size_t start = recording_begin(r, PERFDATA_RECORD_SAMPLE, PERFDATA_CPUMODE_USER);
	recording_u64(r, 10 * (1 + dice(2)));
	recording_u64(r, 0x401000);
	recording_u32(r, 7);
	recording_u32(r, 8 + dice(3));
	recording_u64(r, time);
	recording_u32(r, 1);
	recording_u32(r, 0);
	recording_u64(r, stack);
	add_stack(r, stack);
	if (stack)
		recording_u64(r, dice(stack + 1));
	recording_end(r, start);
}

static void add_records(struct recording *r, unsigned nr)
{
	const uint32_t mostly_large = dice(3);
	for (unsigned i = 0; i < nr; i++) {
		const uint64_t time = 1000 + i * 10 - dice(30);
		switch (dice(mostly_large ? 8 : 3)) {
		case 0: recording_comm(r, 10, time, 8, "a name", 8); break;
		case 1:
			if (dice(4))
				add_sample(r, time, 8 * dice(100));
			else
				recording_empty(r, PERFDATA_RECORD_FINISHED_ROUND);
			break;
		case 2: add_sample(r, time, 8 * dice(LARGEST_STACK / 8)); break;
		default: add_sample(r, time, LARGEST_STACK); break;
		}
	}
}

/* Makes the events of the file record stacks. */
static void record_stacks(struct recording *file)
{
	const uint64_t type = RECORDING_SAMPLE_TYPE | PERFDATA_SAMPLE_STACK_USER;
	const size_t size = file->size;
	for (size_t i = 0; i < RECORDING_EVENTS; i++) {
		file->size = 104 + RECORDING_EVENTS * 16 + i * (RECORDING_ATTR + 16) + 24;
		recording_u64(file, type);
	}
	file->size = size;
}

/* Changes words that say how long records are, or cuts the file. */
static void damage(struct recording *file)
{
	const size_t records = file->size - RECORDING_DATA;
	switch (dice(4)) {
	case 0: file->size = RECORDING_DATA + dice((uint32_t)records); break;
	case 1:
		for (unsigned i = 0; i < 3; i++)
			file->data[RECORDING_DATA + dice((uint32_t)records)] ^= (uint8_t)(1 + dice(255));
		break;
	default: {
		size_t at = RECORDING_DATA;
		for (unsigned i = dice(40); i && at + 8 < file->size; i--) {
			const uint8_t *size = &file->data[at + 6];
			at += file->big ? (size_t)(size[0] << 8 | size[1]) : (size_t)(size[0] | size[1] << 8);
		}
		const size_t places[] = { at + 2, at + 6, at + 7, at + 48, at + 49 };
		const size_t place = places[dice(5)];
		if (place < file->size)
			file->data[place] ^= (uint8_t)(1 + dice(255));
	}
	}
}

/* --- both readers ------------------------------------------------------------------------------------------------- */

enum source { FROM_MEMORY, FROM_FILE, SOURCES };

static unsigned nr_left_out[SOURCES], nr_wrong;
static uint64_t bytes_left_out;

/* Whether the system says which bytes of a file are cached: not under qemu, nor for every file system. */
static bool cache_is_known(void)
{
	FILE *file = tmpfile();
	char byte;
	CHECK(file && fputs("cached", file) >= 0 && !fflush(file));
	const bool is_known = pd_pread_cached(fileno(file), &byte, 1, 0) == 1;
	fclose(file);
	return is_known;
}

static void take_record(struct result *ret, enum source source, const struct perfdata_raw *raw)
{
	if (raw->left_out) {
		const size_t end = (size_t)raw->left_out_at + raw->left_out;
		nr_left_out[source]++;
		bytes_left_out += raw->left_out;
		nr_wrong += raw->left_out_at < 56 || end > raw->size || raw->left_out < LEAST_LEFT_OUT;
		/* in two pieces; the first may end before the part */
		CHECK_EQ(pd_raw_read_stack(raw, raw->size / 3, NULL), PERFDATA_OK);
		CHECK_EQ(pd_raw_read_stack(raw, raw->size, NULL), PERFDATA_OK);
	}
	if (ret->count == MAX_SEEN)
		return;
	struct seen *seen = &ret->seen[ret->count++];
	seen->type = raw->type;
	seen->size = raw->size;
	seen->offset = raw->offset;
	seen->number = raw->number;
	seen->time = raw->time;
	seen->hash = hash_of(raw->bytes, raw->size);
	seen->flags = raw->flags;
	seen->event = raw->event ? (int)raw->event->index : -1;
	seen->tid = raw->tid;
}

static void read_records(struct result *ret, const struct recording *file, enum source source, bool leaves_out,
			 const struct perfdata_reader_options *how)
{
	struct perfdata_reader_options options = options_for(ret, how->order);
	const struct perfdata_raw *raw;
	struct perfdata_reader *reader;
	FILE *copy = source == FROM_FILE ? tmpfile() : NULL;
	options.max_memory = how->max_memory;
	options.read_ahead = how->read_ahead;
	if (copy) {
		CHECK_EQ(fwrite(file->data, 1, file->size, copy), file->size);
		rewind(copy);
		ret->open = open_fd(fileno(copy), "copy", &options, &reader, NULL);
	} else {
		ret->open = open_memory(file->data, file->size, NULL, &options, &reader, NULL);
	}
	if (ret->open == PERFDATA_OK) {
		if (leaves_out)
			pd_reader_leave_out_stacks(reader);
		while ((ret->end = perfdata_reader_next(reader, &raw)) == PERFDATA_OK)
			take_record(ret, source, raw);
		ret->complete = perfdata_reader_complete(reader);
		perfdata_reader_close(reader);
	}
	if (copy)
		fclose(copy);
}

static bool is_same(const struct result *a, const struct result *b)
{
	return a->open == b->open && a->end == b->end && a->complete == b->complete && a->count == b->count &&
	       !memcmp(a->codes, b->codes, sizeof a->codes) &&
	       !memcmp(a->seen, b->seen, a->count * sizeof *a->seen);
}

static void compare(const struct recording *file, enum source source, const struct perfdata_reader_options *how)
{
	const unsigned before = nr_left_out[source];
	read_records(&other, file, source, false, how);
	CHECK_EQ(nr_left_out[source], before);
	read_records(&result, file, source, true, how);
	const bool same = is_same(&result, &other);
	CHECK(same);
	if (!same)
		printf("# %zu and %zu records, ends %d and %d\n", result.count, other.count, (int)result.end,
		       (int)other.end);
}

static const struct perfdata_reader_options ways[] = {
	{ .order = PERFDATA_ORDER_FILE },
	{ .order = PERFDATA_ORDER_TIME },
	{ .order = PERFDATA_ORDER_TIME, .max_memory = PERFDATA_LEAST_MEMORY },
	{ .order = PERFDATA_ORDER_TIME, .read_ahead = PERFDATA_AHEAD_BYTES | PERFDATA_AHEAD_RECORDS },
};
#define NR_WAYS (sizeof ways / sizeof *ways)

static void test_records(void)
{
	for (unsigned round = 0; round < 24; round++) {
		struct recording records, file;
		state = round * SCATTER;
		recording_init(&records, round % 4 == 3);
		add_records(&records, round < 20 ? 60 : 200);
		recording_file(&file, &records, 0);
		record_stacks(&file);
		for (size_t way = 0; way < NR_WAYS; way++)
			compare(&file, round % 2 ? FROM_FILE : FROM_MEMORY, &ways[way]);
		recording_release(&file);
		recording_release(&records);
	}
	const bool is_known = cache_is_known();
	CHECK(nr_left_out[FROM_MEMORY] > 1000 && (!is_known || nr_left_out[FROM_FILE] > 1000));
	CHECK(bytes_left_out / (nr_left_out[FROM_MEMORY] + nr_left_out[FROM_FILE]) > LEAST_LEFT_OUT);
	CHECK_EQ(nr_wrong, 0);
}

static void test_damage(void)
{
	const unsigned before = nr_left_out[FROM_MEMORY];
	for (unsigned round = 0; round < 200; round++) {
		struct recording records, file;
		state = (1000 + round) * SCATTER;
		recording_init(&records, round % 4 == 3);
		add_records(&records, 40);
		recording_file(&file, &records, 0);
		record_stacks(&file);
		damage(&file);
		compare(&file, round % 2 ? FROM_FILE : FROM_MEMORY, &ways[round % 3 ? 0 : 1]);
		recording_release(&file);
		recording_release(&records);
	}
	CHECK(nr_left_out[FROM_MEMORY] - before > 250);
	CHECK_EQ(nr_wrong, 0);
}

/* --- failures ----------------------------------------------------------------------------------------------------- */

/* A file that became shorter after its sample was framed lacks the rest of the copy. */
static void test_shorter_file(void)
{
	struct recording records, file;
	const struct perfdata_reader_options options = options_for(&result, PERFDATA_ORDER_FILE);
	struct perfdata_reader *reader;
	const struct perfdata_raw *raw;
	unsigned nr = 0;
	recording_init(&records, false);
	for (unsigned i = 0; i < 40; i++)
		add_sample(&records, i, LARGEST_STACK);
	recording_file(&file, &records, 0);
	record_stacks(&file);
	FILE *copy = tmpfile();
	CHECK_EQ(fwrite(file.data, 1, file.size, copy), file.size);
	rewind(copy);
	CHECK_EQ(open_fd(fileno(copy), "copy", &options, &reader, NULL), PERFDATA_OK);
	pd_reader_leave_out_stacks(reader);
	while (perfdata_reader_next(reader, &raw) == PERFDATA_OK) {
		if (!raw->left_out)
			continue;
		CHECK_EQ(ftruncate(fileno(copy), (off_t)(raw->offset + raw->left_out_at + 100)), 0);
		CHECK_EQ(pd_raw_read_stack(raw, raw->left_out_at, NULL), PERFDATA_OK);
		CHECK_EQ(pd_raw_read_stack(raw, raw->left_out_at + 100u, NULL), PERFDATA_OK);
		CHECK_EQ(pd_raw_read_stack(raw, raw->left_out_at + 101u, NULL), PERFDATA_EREAD);
		nr++;
	}
	CHECK_EQ(nr, cache_is_known());
	CHECK(!nr || result.codes[PERFDATA_FINDING_SHRUNK] || result.codes[PERFDATA_FINDING_RECORD_SIZE]);
	perfdata_reader_close(reader);
	fclose(copy);
	recording_release(&file);
	recording_release(&records);
}

int main(void)
{
	const struct unit_case cases[] = {
		{ "large samples among other records", test_records },
		{ "damaged records", test_damage },
		{ "a file that becomes shorter", test_shorter_file },
	};
	return unit_main(cases, sizeof cases / sizeof *cases);
}
