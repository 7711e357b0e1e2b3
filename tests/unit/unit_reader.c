/* SPDX-License-Identifier: MIT */
#include "config.h"
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>
#include "alloc_fail_pieces.h"
#include "reading.h"
#include "reader/reader.h"
#include "opening.h"

/* --- containers --- */

static void test_forms(void)
{
	struct recording records, file, stream;
	static uint8_t compressed[65536];
	const enum pd_codec_kind kinds[] = { PD_CODEC_GZIP, PD_CODEC_ZSTD };

	some_records(&records, false);
	recording_file(&file, &records, 0);
	recording_pipe(&stream, &records);
	read_recording(&result, &file);
	CHECK_EQ(result.open, PERFDATA_OK);
	CHECK_EQ(result.end, PERFDATA_END);
	CHECK_EQ(result.count, SOME);
	CHECK(result.complete);
	CHECK_EQ(result.header.container, PERFDATA_CONTAINER_FILE);
	CHECK_STR(result.names[0], "first");
	CHECK_STR(result.names[1], "second");
	CHECK_STR(result.hostname, "testhost");
	CHECK_EQ(result.seen[0].event, 0);
	CHECK_EQ(result.seen[1].event, 0);
	CHECK_EQ(result.seen[2].event, 1);
	CHECK_EQ(result.seen[1].offset, result.seen[0].offset + result.seen[0].size);
	CHECK_EQ(result.seen[SOME - 1].number, SOME - 1);

	read_recording(&other, &stream);
	CHECK_EQ(other.header.container, PERFDATA_CONTAINER_PIPE);
	CHECK_EQ(other.count, SOME + 4);
	CHECK_EQ(other.seen[0].offset, 16);
	CHECK(other.complete);
	CHECK_STR(other.names[1], "second");
	CHECK_STR(other.hostname, "testhost");
	CHECK(same_records(&result, &other));

	read_pipe(&other, stream.data, stream.size);
	CHECK(same_records(&result, &other));
	CHECK(other.complete);
	read_pipe(&other, file.data, file.size);
	CHECK(same_records(&result, &other));
	CHECK_EQ(other.header.container, PERFDATA_CONTAINER_FILE);

	for (size_t i = 0; i < 2; i++) {
		if (pd_codec_load(kinds[i], NULL))
			continue;
		const struct recording *forms[] = { &file, &stream };
		for (size_t form = 0; form < 2; form++) {
			const size_t size = pack(kinds[i], forms[form]->data, forms[form]->size, compressed,
						 sizeof compressed);
			CHECK(size > 0);
			read_memory(&other, compressed, size, PERFDATA_ORDER_FILE);
			CHECK(same_records(&result, &other));
			CHECK(other.complete);
			read_pipe(&other, compressed, size);
			CHECK(same_records(&result, &other));
			read_memory(&other, compressed, size - 5, PERFDATA_ORDER_FILE);
			CHECK(!other.complete);
		}
	}
	recording_release(&records);
	recording_release(&file);
	recording_release(&stream);
}

/* A stream that is still being written: whole records come without waiting for more. */
static void test_live(void)
{
	struct perfdata_reader_options options = options_for(&result, PERFDATA_ORDER_FILE);
	struct recording records, stream;
	struct perfdata_reader *reader;
	const struct perfdata_raw *raw;
	int fds[2];

	some_records(&records, false);
	recording_pipe(&stream, &records);
	read_recording(&other, &stream);
	if (pipe(fds) < 0) {
		CHECK(false);
		return;
	}
	size_t sent = 160;
	CHECK(write(fds[1], stream.data, sent) == (ssize_t)sent);
	CHECK_EQ(open_fd(fds[0], "-", &options, &reader, NULL), PERFDATA_OK);
	for (size_t i = 0; i < other.count; i++) {
		/* all of this record, and half a header of the next */
		size_t end = (size_t)other.seen[i].offset + other.seen[i].size + 4;
		end = end < stream.size ? end : stream.size;
		if (end > sent) {
			CHECK(write(fds[1], stream.data + sent, end - sent) == (ssize_t)(end - sent));
			sent = end;
		}
		CHECK_EQ(perfdata_reader_next(reader, &raw), PERFDATA_OK);
		CHECK_EQ(raw->offset, other.seen[i].offset);
		CHECK_EQ(hash_of(raw->bytes, raw->size), other.seen[i].hash);
	}
	close(fds[1]);
	CHECK_EQ(perfdata_reader_next(reader, &raw), PERFDATA_END);
	CHECK(perfdata_reader_complete(reader));
	perfdata_reader_close(reader);
	close(fds[0]);
	recording_release(&records);
	recording_release(&stream);
}

static void test_byte_order(void)
{
	struct recording records, file;

	some_records(&records, false);
	recording_file(&file, &records, 0);
	read_recording(&result, &file);
	recording_release(&records);
	recording_release(&file);
	some_records(&records, true);
	recording_file(&file, &records, 0);
	read_recording(&other, &file);
	CHECK_EQ(other.header.order, PERFDATA_BYTE_ORDER_BIG);
	CHECK_EQ(other.count, SOME);
	CHECK(other.complete);
	CHECK(same_records(&result, &other));
	CHECK_STR(other.names[1], "second");
	recording_release(&file);
	recording_pipe(&file, &records);
	read_recording(&other, &file);
	CHECK(same_records(&result, &other));

	/* version 1 has one magic for both */
	memcpy(file.data, "PERFFILE", 8);
	read_recording(&other, &file);
	CHECK_EQ(other.header.order, PERFDATA_BYTE_ORDER_BIG);
	CHECK_EQ(other.header.version, 1);
	CHECK(same_records(&result, &other));
	recording_release(&records);
	recording_release(&file);
}

/* Cut anywhere: every record before the cut is delivered. */
static void check_prefixes(const struct recording *r, bool is_file)
{
	read_recording(&other, r);
	for (size_t size = 0; size < r->size; size++) {
		size_t whole = 0;
		while (whole < other.count && other.seen[whole].offset + other.seen[whole].size <= size)
			whole++;
		/* a copy of the right size lets a sanitizer see each byte too far */
		uint8_t *copy = malloc(size ? size : 1);
		memcpy(copy, r->data, size);
		read_memory(&result, copy, size, size % 2 ? PERFDATA_ORDER_FILE : PERFDATA_ORDER_TIME);
		free(copy);
		if (size < 8) {
			CHECK_EQ(result.open, PERFDATA_EFORMAT);
			continue;
		}
		CHECK_EQ(result.open, PERFDATA_OK);
		CHECK_EQ(result.end, PERFDATA_END);
		CHECK_EQ(result.count, whole);
		CHECK(!is_file || !result.complete);
	}
}

static void test_prefixes(void)
{
	struct recording records, r;

	some_records(&records, false);
	recording_file(&r, &records, 0);
	check_prefixes(&r, true);
	recording_release(&r);
	recording_pipe(&r, &records);
	check_prefixes(&r, false);
	recording_release(&r);
	recording_release(&records);
}

static void test_killed_recorder(void)
{
	struct recording records, file;

	some_records(&records, false);
	recording_file(&file, &records, 0);
	memset(file.data + 48, 0, 8);             /* data.size */
	memset(file.data + 72, 0, 32);            /* features */
	read_memory(&result, file.data, RECORDING_DATA + records.size, PERFDATA_ORDER_FILE);
	CHECK_EQ(result.count, SOME);
	CHECK_EQ(result.codes[PERFDATA_FINDING_NOT_FINISHED], 1);
	CHECK(!result.complete);
	/* the size is lost, but the features are there */
	file.data[72] = 1 << PERFDATA_FEATURE_HOSTNAME;
	file.data[73] = 1 << (PERFDATA_FEATURE_EVENT_DESC - 8);
	read_recording(&result, &file);
	CHECK_EQ(result.count, SOME);
	CHECK_EQ(result.codes[PERFDATA_FINDING_HEADER], 1);
	CHECK_STR(result.names[1], "second");
	recording_release(&records);
	recording_release(&file);
}

static void test_header_damage(void)
{
	struct recording records, file;

	some_records(&records, false);
	recording_file(&file, &records, 0);
	const struct { unsigned at; uint8_t value; enum perfdata_finding_code code; const char *name; } cases[] = {
		{ 17, 0x77, PERFDATA_FINDING_ATTR_SIZE, "second" },        /* attr_size */
		{ 29, 0x77, PERFDATA_FINDING_ATTRS_RANGE, "second" },      /* attrs.offset: EVENT_DESC has them too */
		{ 45, 0x77, PERFDATA_FINDING_DATA_RANGE, "second" },       /* data.offset */
		{ 53, 0x77, PERFDATA_FINDING_HEADER, "second" },           /* data.size */
		{ 8, 96, PERFDATA_FINDING_HEADER_SIZE, "second" },
		{ 104 + 32 + 136 + 5, 0x77, PERFDATA_FINDING_IDS_RANGE, "second" },
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const uint8_t old = file.data[cases[i].at];
		file.data[cases[i].at] = cases[i].value;
		read_recording(&result, &file);
		CHECK_EQ(result.count, SOME);
		CHECK_EQ(result.codes[cases[i].code], 1);
		CHECK_STR(result.names[1], cases[i].name);
		file.data[cases[i].at] = old;
	}
	/* one bad section hurts no other */
	file.data[RECORDING_DATA + records.size + 5] = 0x77;
	read_recording(&result, &file);
	CHECK_EQ(result.codes[PERFDATA_FINDING_FEATURE_RANGE], 1);
	CHECK_STR(result.names[1], "second");
	CHECK_STR(result.hostname, "");
	CHECK_EQ(result.count, SOME);
	recording_release(&records);
	recording_release(&file);
}

static void test_directory_part(void)
{
	struct recording records, file;

	some_records(&records, false);
	recording_file(&file, &records, PERFDATA_FEATURE_DIR_FORMAT);
	read_recording(&result, &file);
	CHECK_EQ(result.codes[PERFDATA_FINDING_DIRECTORY_PART], 1);
	CHECK_EQ(result.count, SOME);
	recording_release(&records);
	recording_release(&file);
}

static void write_file(const char *path, const void *bytes, size_t size)
{
	FILE *file = fopen(path, "w");
	CHECK(file && fwrite(bytes, 1, size, file) == size);
	if (file)
		fclose(file);
}

static const unsigned part_numbers[2] = { 9, 10 };

/* A directory of two files beside `data`, which holds one record. */
static void make_directory(char *directory, const struct recording *parts)
{
	struct recording records, file;
	char path[64];

	CHECK(mkdtemp(directory) != NULL);
	recording_init(&records, false);
	recording_empty(&records, PERFDATA_RECORD_FINISHED_INIT);
	recording_file(&file, &records, PERFDATA_FEATURE_DIR_FORMAT);
	snprintf(path, sizeof path, "%s/data", directory);
	write_file(path, file.data, file.size);
	for (unsigned i = 0; i < 2; i++) {
		snprintf(path, sizeof path, "%s/data.%u", directory, part_numbers[i]);
		write_file(path, parts[i].data, parts[i].size);
	}
	recording_release(&records);
	recording_release(&file);
}

static void remove_directory(const char *directory)
{
	char path[64];

	snprintf(path, sizeof path, "%s/data", directory);
	unlink(path);
	for (unsigned i = 0; i < 2; i++) {
		snprintf(path, sizeof path, "%s/data.%u", directory, part_numbers[i]);
		unlink(path);
	}
	rmdir(directory);
}

static void test_directory(void)
{
	char directory[] = "unit-reader-XXXXXX";
	struct recording parts[2];

	for (unsigned i = 0; i < 2; i++) {
		recording_init(&parts[i], false);
		for (unsigned n = 0; n < 10; n++)
			recording_sample(&parts[i], 10, 100 + 2 * n + i, i);
	}
	make_directory(directory, parts);
	for (unsigned order = 0; order < 2; order++) {
		const struct perfdata_reader_options options = options_for(&result, order ? PERFDATA_ORDER_TIME
											  : PERFDATA_ORDER_FILE);
		struct perfdata_reader *reader;
		result.open = perfdata_reader_open_path(directory, &options, &reader, NULL);
		CHECK_EQ(result.open, PERFDATA_OK);
		if (result.open != PERFDATA_OK)
			continue;
		CHECK_STR(pd_reader_file_name(reader, 2) + strlen(directory), "/data.10");
		read_all(&result, reader);
		CHECK_EQ(result.count, 21);
		CHECK_EQ(result.header.nr_files, 3);
		CHECK_EQ(result.header.container, PERFDATA_CONTAINER_DIRECTORY);
		CHECK(result.complete);
		for (size_t i = 1; i < result.count; i++) {
			CHECK_EQ(result.seen[i].time, order ? 99 + i : i <= 10 ? 98 + 2 * i : 79 + 2 * i);
			CHECK_EQ(result.seen[i].file, order ? 1 + (i - 1) % 2 : i <= 10 ? 1 : 2);
		}
	}
	remove_directory(directory);
	recording_release(&parts[0]);
	recording_release(&parts[1]);
}

/* How far reading has come in the files of a directory. */
struct turns {
	size_t at[2], bytes;
	unsigned file;
};

/* The next record: in time order a file gives records until they have 2 MiB, then it is the other's turn. */
static void move_on(struct turns *turns, const struct recording *parts, size_t size, bool in_turn)
{
	turns->at[turns->file] += size;
	turns->bytes += size;
	if (turns->at[turns->file] < parts[turns->file].size && (!in_turn || turns->bytes < 2u << 20))
		return;
	turns->bytes = 0;
	if (turns->at[!turns->file] < parts[!turns->file].size)
		turns->file = !turns->file;
}

/* Records without a time come as they are read. */
static void test_turns(void)
{
	char directory[] = "unit-reader-XXXXXX";
	struct recording parts[2];

	for (unsigned i = 0; i < 2; i++) {
		recording_init(&parts[i], false);
		for (unsigned n = 0; n < (i ? 90000 : 120000); n++) {
			recording_sample(&parts[i], 10, 0, i);
			if (n % 1000 == 7)
				recording_comm(&parts[i], 10, 0, 1, "a name", 8 + n / 1000 * 8);
		}
	}
	make_directory(directory, parts);
	for (unsigned way = 0; way < 8; way++) {
		struct perfdata_reader_options options = options_for(&result, way & 1 ? PERFDATA_ORDER_TIME
										      : PERFDATA_ORDER_FILE);
		struct perfdata_reader *reader;
		const struct perfdata_raw *raw;
		struct turns turns = { 0 };
		size_t count = 0, wrong = 0;
		options.read_ahead = way / 2;
		CHECK_EQ(perfdata_reader_open_path(directory, &options, &reader, NULL), PERFDATA_OK);
		CHECK_EQ(perfdata_reader_next(reader, &raw), PERFDATA_OK);
		for (; perfdata_reader_next(reader, &raw) == PERFDATA_OK; count++) {
			wrong += raw->file != 1 + turns.file || raw->offset != turns.at[turns.file] ||
				 raw->number != 1 + count;
			move_on(&turns, parts, raw->size, way & 1);
		}
		CHECK_EQ(count, 90000 + 90 + 120000 + 120);
		CHECK_EQ(wrong, 0);
		CHECK(perfdata_reader_complete(reader));
		perfdata_reader_close(reader);
	}
	remove_directory(directory);
	recording_release(&parts[0]);
	recording_release(&parts[1]);
}

/* --- salvage --- */

/* A stream of samples with `bytes` before number 20, or instead of its first bytes. */
static void read_with_damage(const void *bytes, size_t size, bool instead)
{
	struct recording records, stream;

	recording_init(&records, false);
	for (unsigned i = 0; i < 40; i++) {
		const size_t at = records.size;
		if (i == 20 && !instead)
			recording_bytes(&records, bytes, size);
		recording_sample(&records, 10, 1000 + i, 1);
		if (i == 20 && instead)
			memcpy(records.data + at, bytes, size);
	}
	recording_pipe(&stream, &records);
	read_recording(&result, &stream);
	recording_release(&stream);
	recording_file(&stream, &records, 0);
	read_recording(&other, &stream);
	CHECK(same_records(&result, &other));
	recording_release(&stream);
	recording_release(&records);
}

static size_t count_after_gap(void)
{
	size_t count = 0;
	for (size_t i = 0; i < result.count; i++)
		count += (result.seen[i].flags & PERFDATA_RAW_AFTER_GAP) != 0;
	return count;
}

static void test_salvage(void)
{
	static uint8_t garbage[200000];
	uint32_t state = 1;

	/* size 0 */
	read_with_damage("\x09\0\0\0\x02\0\0\0", 8, true);
	CHECK_EQ(result.count, 4 + 39);
	CHECK_EQ(result.codes[PERFDATA_FINDING_RECORD_SIZE], 1);
	CHECK_EQ(count_after_gap(), 1);
	CHECK_EQ(result.seen[4 + 20].time, 1021);
	CHECK(result.seen[4 + 20].flags & PERFDATA_RAW_AFTER_GAP);
	/* far too large, reaching beyond the end */
	read_with_damage("\x09\0\0\0\x02\0\xf8\xff", 8, true);
	CHECK_EQ(result.count, 4 + 39);
	CHECK_EQ(result.codes[PERFDATA_FINDING_RECORD_SIZE], 1);
	/* too large by a little, so that it ends inside another one */
	read_with_damage("\x09\0\0\0\x02\0\x50\0", 8, true);
	CHECK_EQ(result.count, 4 + 39);
	CHECK_EQ(count_after_gap(), 1);
	/* zeros, and more of them than a chunk's headroom holds */
	read_with_damage(garbage, 64, false);
	CHECK_EQ(result.count, 4 + 40);
	CHECK_EQ(count_after_gap(), 1);
	read_with_damage(garbage, sizeof garbage, false);
	CHECK_EQ(result.count, 4 + 40);
	CHECK_EQ(result.codes[PERFDATA_FINDING_RECORD_SIZE] + result.codes[PERFDATA_FINDING_GARBAGE], 1);
	/* noise of an odd length */
	for (size_t i = 0; i < sizeof garbage; i++) {
		state = state * 1664525 + 1013904223;
		garbage[i] = (uint8_t)(state >> 24) | 0x80;
	}
	read_with_damage(garbage, 100001, false);
	CHECK_EQ(result.count, 4 + 40);
	CHECK_EQ(result.codes[PERFDATA_FINDING_GARBAGE], 1);
	/* an unknown type is a record where others follow */
	read_with_damage("\xc8\0\0\0\0\0\x10\0abcdefgh", 16, false);
	CHECK_EQ(result.count, 4 + 41);
	CHECK_EQ(result.codes[PERFDATA_FINDING_RECORD_UNKNOWN], 1);
	CHECK(result.complete);
	/* a size that is no multiple of 8, as old recorders wrote */
	read_with_damage("\x4a\0\0\0\0\0\x14\0\0\0\2\0\0\0\1\0\0\0\0\0", 20, false);
	CHECK_EQ(result.count, 4 + 41);
	CHECK_EQ(result.codes[PERFDATA_FINDING_RECORD_UNALIGNED], 1);
	CHECK(result.complete);
}

static void test_tails(void)
{
	static const char text[] = "[ perf record: Woken up 1 times to write data ]\n";
	struct recording records, stream;

	some_records(&records, false);
	recording_pipe(&stream, &records);
	const size_t size = stream.size;
	recording_bytes(&stream, text, sizeof text - 1);
	read_recording(&result, &stream);
	CHECK_EQ(result.count, SOME + 4);
	CHECK_EQ(result.codes[PERFDATA_FINDING_TRAILING_TEXT], 1);
	CHECK(result.complete);

	stream.size = size;
	recording_bytes(&stream, "PERFILE2\x10\0\0\0\0\0\0\0", 16);
	recording_bytes(&stream, records.data, records.size);
	read_recording(&result, &stream);
	CHECK_EQ(result.count, SOME + 4);
	CHECK_EQ(result.codes[PERFDATA_FINDING_CONCATENATED], 1);
	CHECK(!result.complete);

	stream.size = size;
	recording_bytes(&stream, "\xff\xfe\xfd\xfc\xfb\xfa\xf9\xf8\xf7\xf6", 10);
	read_recording(&result, &stream);
	CHECK_EQ(result.count, SOME + 4);
	CHECK_EQ(result.codes[PERFDATA_FINDING_TRAILING_GARBAGE], 1);
	CHECK(!result.complete);
	recording_release(&records);
	recording_release(&stream);
}

/* An error only where a sample comes. */
static void test_no_events(void)
{
	struct recording stream;

	recording_init(&stream, false);
	recording_bytes(&stream, "PERFILE2\x10\0\0\0\0\0\0\0", 16);
	recording_end(&stream, recording_begin(&stream, PERFDATA_RECORD_FINISHED_ROUND, 0));
	recording_end(&stream, recording_begin(&stream, PERFDATA_RECORD_THROTTLE, 0));
	read_recording(&result, &stream);
	CHECK_EQ(result.count, 2);
	CHECK_EQ(result.codes[PERFDATA_FINDING_NO_ATTRS], 0);
	CHECK(result.complete);
	for (unsigned i = 0; i < 2; i++)
		recording_end(&stream, recording_begin(&stream, PERFDATA_RECORD_SAMPLE, 0));
	read_recording(&result, &stream);
	CHECK_EQ(result.count, 4);
	CHECK_EQ(result.codes[PERFDATA_FINDING_NO_ATTRS], 1);
	CHECK(!result.complete);
	recording_release(&stream);
}

static void test_auxtrace(void)
{
	struct recording records, stream;

	recording_init(&records, false);
	recording_sample(&records, 10, 1, 1);
	const size_t start = recording_begin(&records, PERFDATA_RECORD_AUXTRACE, 0);
	recording_u64(&records, 300000);
	recording_chars(&records, "", 32);
	recording_end(&records, start);
	for (unsigned i = 0; i < 300000 / 8; i++)
		recording_u64(&records, 0x0030000000000009ull);   /* headers of samples */
	recording_sample(&records, 10, 2, 1);
	recording_pipe(&stream, &records);
	read_recording(&result, &stream);
	CHECK_EQ(result.count, 4 + 3);
	CHECK(result.complete);
	CHECK_EQ(result.seen[6].time, 2);
	/* a payload that cannot be: what looks like records is read */
	stream.data[16 + 2 * (8 + 136 + 16) + 16 + 68 + 16 + 8 + 2 * 224 + 48 + 8 + 6] = 1;
	read_recording(&result, &stream);
	CHECK(!result.complete);
	recording_release(&records);
	recording_release(&stream);
}

/* --- events --- */

static void test_unknown_id(void)
{
	struct recording records, file;

	recording_init(&records, false);
	for (unsigned i = 0; i < 5; i++)
		recording_sample(&records, i == 2 || i == 3 ? 99 : 20, 100 + i, 3);
	recording_file(&file, &records, 0);
	read_recording(&result, &file);
	CHECK_EQ(result.count, 5);
	CHECK_EQ(result.codes[PERFDATA_FINDING_UNKNOWN_ID], 1);
	for (unsigned i = 0; i < 5; i++) {
		const bool unknown = i == 2 || i == 3;
		CHECK_EQ(result.seen[i].flags, unknown ? PERFDATA_RAW_UNKNOWN_ID : 0);
		CHECK_EQ(result.seen[i].event, unknown ? -1 : 1);
		CHECK_EQ(result.seen[i].time, 100 + i);
	}
	recording_release(&records);
	recording_release(&file);
}

static void test_versions(void)
{
	struct recording records, stream;
	struct perfdata_reader *reader;
	const struct perfdata_raw *raw;
	const struct perfdata_event *seen[2] = { NULL, NULL };

	recording_init(&records, false);
	recording_sample(&records, 21, 1, 1);
	const size_t start = recording_begin(&records, PERFDATA_RECORD_EVENT_UPDATE, 0);
	recording_u64(&records, 2);
	recording_u64(&records, 20);
	recording_chars(&records, "renamed", 8);
	recording_end(&records, start);
	recording_sample(&records, 21, 2, 1);
	recording_pipe(&stream, &records);
	CHECK_EQ(open_memory(stream.data, stream.size, NULL, NULL, &reader, NULL), PERFDATA_OK);
	while (perfdata_reader_next(reader, &raw) == PERFDATA_OK)
		if (raw->type == PERFDATA_RECORD_SAMPLE)
			seen[raw->time - 1] = raw->event;
	CHECK(seen[0] && seen[1] && seen[0] != seen[1]);
	CHECK_STR(seen[0]->name, "second");
	CHECK_EQ(seen[0]->name_source, PERFDATA_NAME_EVENT_DESC);
	CHECK_STR(seen[1]->name, "renamed");
	CHECK_EQ(seen[1]->name_source, PERFDATA_NAME_EVENT_UPDATE);
	CHECK_EQ(seen[1]->index, seen[0]->index);
	CHECK(seen[1]->version > seen[0]->version);
	CHECK(perfdata_reader_event(reader, 1) == seen[1]);
	CHECK(perfdata_reader_event_by_id(reader, 21) == seen[1]);
	CHECK(!perfdata_reader_event_by_id(reader, 22));
	perfdata_reader_close(reader);
	recording_release(&records);
	recording_release(&stream);
}

/* The reader finds the event of an id whatever ids a recorder gave: in sequence, with gaps, downwards, far apart,
 * twice, or at the ends of what 64 bits hold. */
static void test_ids(void)
{
	static const uint64_t ids[][4] = {
		{ 100, 101, 102, 103 },
		{ 105, 150, 99, 98 },
		{ UINT64_MAX, UINT64_C(1) << 63, 1, 104 },
		{ 101, 107, UINT64_C(1) << 40, 106 },        /* 101 stays the first event's */
	};
	enum { EVENTS = sizeof ids / sizeof *ids };
	struct recording stream;
	struct perfdata_reader *reader;
	const struct perfdata_raw *raw;
	unsigned nr = 0;

	recording_init(&stream, false);
	recording_magic(&stream, 16);
	for (unsigned i = 0; i < EVENTS; i++) {
		const size_t start = recording_begin(&stream, PERFDATA_RECORD_ATTR, 0);
		recording_attr(&stream, i);
		for (unsigned k = 0; k < 4; k++)
			recording_u64(&stream, ids[i][k]);
		recording_end(&stream, start);
	}
	for (unsigned i = 0; i < 4 * EVENTS; i++)
		recording_sample(&stream, ids[i / 4][i % 4], i + 1, 1);
	recording_sample(&stream, 108, 4 * EVENTS + 1, 1);
	CHECK_EQ(open_memory(stream.data, stream.size, NULL, NULL, &reader, NULL), PERFDATA_OK);
	while (perfdata_reader_next(reader, &raw) == PERFDATA_OK) {
		if (raw->type != PERFDATA_RECORD_SAMPLE)
			continue;
		const uint32_t event = ids[nr / 4 % EVENTS][nr % 4] == 101 ? 0 : nr / 4;
		if (nr < 4 * EVENTS)
			CHECK(raw->event && raw->event->index == event);
		else
			CHECK(!raw->event && raw->flags & PERFDATA_RAW_UNKNOWN_ID);
		nr++;
	}
	CHECK_EQ(nr, 4 * EVENTS + 1);
	for (unsigned i = 0; i < 4 * EVENTS; i++) {
		const uint64_t id = ids[i / 4][i % 4];
		CHECK(perfdata_reader_event_by_id(reader, id) == perfdata_reader_event(reader, id == 101 ? 0 : i / 4));
	}
	CHECK(!perfdata_reader_event_by_id(reader, 0));
	CHECK(!perfdata_reader_event_by_id(reader, 97));
	CHECK(!perfdata_reader_event_by_id(reader, 149));
	perfdata_reader_close(reader);
	recording_release(&stream);
}

/* --- failures --- */

static struct recording failing;

static void read_failing(void)
{
	const struct perfdata_reader_options options = { .size = sizeof options, .order = PERFDATA_ORDER_TIME };
	struct perfdata_reader *reader;
	const struct perfdata_raw *raw;
	struct perfdata_error error;
	enum perfdata_status status = open_memory(failing.data, failing.size, NULL, &options, &reader,
								  &error);

	if (status == PERFDATA_OK) {
		while ((status = perfdata_reader_next(reader, &raw)) == PERFDATA_OK)
			;
		perfdata_reader_close(reader);
	}
	result.end = status;
}

static void test_no_memory(void)
{
	struct recording records;

	some_records(&records, false);
	for (unsigned form = 0; form < 2; form++) {
		if (form)
			recording_pipe(&failing, &records);
		else
			recording_file(&failing, &records, 0);
		unsigned failed = 0;
		for (int n = 0; alloc_fail_run(n, read_failing); n++) {
			CHECK(result.end == PERFDATA_ENOMEM || result.end == PERFDATA_END);
			failed += result.end == PERFDATA_ENOMEM;
		}
		CHECK(failed > 10);
		CHECK_EQ(result.end, PERFDATA_END);
		recording_release(&failing);
	}
	recording_release(&records);
}

int main(void)
{
	const struct unit_case cases[] = {
		{ "file, stream, pipe, packed: the same records", test_forms },
		{ "a stream that is still written", test_live },
		{ "both byte orders: the same records", test_byte_order },
		{ "cut at every byte", test_prefixes },
		{ "a header that was never finished", test_killed_recorder },
		{ "impossible header fields", test_header_damage },
		{ "a directory's data file alone", test_directory_part },
		{ "a directory", test_directory },
		{ "the files of a directory in turn", test_turns },
		{ "damage between records", test_salvage },
		{ "bytes after the last record", test_tails },
		{ "no events", test_no_events },
		{ "payloads after records", test_auxtrace },
		{ "ids of no event", test_unknown_id },
		{ "events that change", test_versions },
		{ "ids in every arrangement", test_ids },
		{ "no memory", test_no_memory },
	};
	return unit_main(cases, sizeof cases / sizeof *cases);
}
