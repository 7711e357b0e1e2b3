/* SPDX-License-Identifier: MIT */
/* The whole reader: a recording in memory, in both orders, the same bytes out of a pipe, fed in pieces, and read ahead
 * by a thread.
 * Input that begins with DIRECTRY and two sizes is a directory: `data`, then data.0 of the first size, then data.1 of
 * the second. */
#include "fuzz.h"
#include "fuzz_symbols.h"
#include "perfdata/input.h"
#include "perfdata/reader.h"
#include "reader/reader.h"
#include "schema/feature.h"
#include "opening.h"

#define MAX_PIPE 65536

static void take_finding(void *user, const struct perfdata_finding *finding)
{
	(void)user;
	fuzz_touch_text(finding->message);
	fuzz_touch_text(finding->file);
}

static void touch_container(const struct perfdata_reader *reader)
{
	const struct perfdata_feature_section *section;

	for (size_t i = 0; (section = perfdata_reader_feature_at(reader, i)) != NULL; i++)
		if (section->feature)
			fuzz_touch_bytes(pd_feature_bytes(section->feature));
	for (size_t i = 0; i < perfdata_reader_nr_events(reader); i++) {
		const struct perfdata_event *event = perfdata_reader_event(reader, i);
		fuzz_touch_text(event->name);
		fuzz_touch_bytes(event->attr_bytes);
		fuzz_touch(event->ids, event->nr_ids * sizeof *event->ids);
	}
	fuzz_touch_text(perfdata_reader_feature_text(reader, PERFDATA_FEATURE_HOSTNAME));
}

static void read_all(struct perfdata_reader *reader)
{
	struct perfdata_record record;
	const struct perfdata_raw *raw;

	touch_container(reader);
	while (perfdata_reader_next(reader, &raw) == PERFDATA_OK) {
		fuzz_touch(raw->bytes, raw->size);
		perfdata_raw_decode(reader, raw, &record);
		fuzz_touch_bytes(record.rest);
	}
	touch_container(reader);
	perfdata_reader_close(reader);
}

static void read_pipe(const uint8_t *data, size_t size, const struct perfdata_reader_options *options)
{
	struct perfdata_reader *reader;
	int fds[2];

	if (size > MAX_PIPE || pipe(fds) < 0)
		return;
	const bool written = write(fds[1], data, size) == (ssize_t)size;
	close(fds[1]);
	if (written && open_fd(fds[0], "-", options, &reader, NULL) == PERFDATA_OK)
		read_all(reader);
	close(fds[0]);
}

/* What a reader returned that was fed: none of it may depend on the pieces. */
struct given {
	uint64_t hash;
	bool in_pieces;
};

static void hash_finding(void *user, const struct perfdata_finding *finding)
{
	struct given *given = user;
	take_finding(NULL, finding);
	given->hash = (given->hash ^ finding->code ^ finding->offset ^ finding->record << 20) * 0x100000001b3ull;
}

static void feed(const uint8_t *data, size_t size, struct perfdata_reader_options options, struct given *given)
{
	struct perfdata_input *input = perfdata_input_fed(NULL, NULL);
	struct perfdata_reader *reader = NULL;
	enum perfdata_status status = PERFDATA_AGAIN;
	const struct perfdata_raw *raw;
	options.on_finding = hash_finding;
	options.user = given;
	/* a byte of the input chooses the first piece; each is larger or smaller than the one before it */
	size_t piece = given->in_pieces && size ? 1u + data[size / 2] % 64u : size;
	for (size_t at = 0; status == PERFDATA_AGAIN; at += piece) {
		piece = given->in_pieces ? piece * 7 % 509 + 1 : size;
		piece = piece < size - at ? piece : size - at;
		fuzz_require(perfdata_feed(input, data + at, piece, NULL) == PERFDATA_OK, "bytes were not taken");
		if (at + piece == size)
			perfdata_feed_end(input, NULL);
		if (!reader)
			status = perfdata_reader_open(input, &options, &reader, NULL);
		while (reader && (status = perfdata_reader_next(reader, &raw)) == PERFDATA_OK) {
			fuzz_touch(raw->bytes, raw->size);
			given->hash = (given->hash ^ raw->offset ^ raw->number << 32 ^ raw->flags ^ raw->type) *
				      0x100000001b3ull;
		}
	}
	given->hash ^= (uint64_t)status;
	perfdata_reader_close(reader);
	perfdata_input_free(input);
}

static void read_fed(const uint8_t *data, size_t size, const struct perfdata_reader_options *options)
{
	struct given whole = { .in_pieces = false }, pieces = { .in_pieces = true };
	feed(data, size, *options, &whole);
	feed(data, size, *options, &pieces);
	fuzz_require(whole.hash == pieces.hash, "what was given depends on the pieces");
}

static void on_progress(void *user, uint64_t bytes, uint64_t total)
{
	(void)user, (void)bytes, (void)total;
}

static void read_memory(const uint8_t *data, size_t size, const struct perfdata_reader_options *options)
{
	struct perfdata_reader *reader;
	if (open_memory(data, size, NULL, options, &reader, NULL) == PERFDATA_OK)
		read_all(reader);
}

static void write_file(const char *name, const uint8_t *data, size_t size)
{
	char path[128];
	snprintf(path, sizeof path, "%s/%s", fuzz_folder, name);
	const int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	fuzz_require(fd >= 0 && write(fd, data, size) == (ssize_t)size, "cannot write the input");
	close(fd);
}

static void remove_files(void)
{
	static const char *const names[] = { "data", "data.0", "data.1" };
	char path[128];
	for (size_t i = 0; i < 3; i++) {
		snprintf(path, sizeof path, "%s/%s", fuzz_folder, names[i]);
		unlink(path);
	}
}

static void read_directory(const uint8_t *data, size_t size, const struct perfdata_reader_options *options)
{
	struct perfdata_reader *reader;
	size_t parts[2];

	for (size_t i = 0; i < 2; i++) {
		const size_t wanted = (size_t)fuzz_take(&data, &size, 4);
		parts[i] = wanted < size ? wanted : size;
	}
	const uint8_t *at = data + size;
	if (!*fuzz_folder)
		atexit(remove_files);
	unlink(fuzz_file(data, 0));
	for (size_t i = 2; i--;) {
		const size_t part = parts[i] < size ? parts[i] : size;
		at -= part;
		size -= part;
		write_file(i ? "data.1" : "data.0", at, part);
	}
	write_file("data", data, size);
	if (perfdata_reader_open_path(fuzz_folder, options, &reader, NULL) == PERFDATA_OK)
		read_all(reader);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct perfdata_reader_options options = { .size = sizeof options,
						   .on_finding = take_finding,
						   .max_ratio = 1000,
						   .max_spool = 64 << 20,
						   .max_memory = 16 << 20 };
	if (size >= 16 && !memcmp(data, "DIRECTRY", 8)) {
		options.order = size % 2 ? PERFDATA_ORDER_TIME : PERFDATA_ORDER_FILE;
		read_directory(data + 8, size - 8, &options);
		return 0;
	}
	read_memory(data, size, &options);
	if (size % 3 == 0)
		read_fed(data, size, &options);
	options.order = PERFDATA_ORDER_TIME;
	options.max_memory = 1;      /* orders through temporary files */
	options.on_progress = on_progress;
	read_memory(data, size, &options);
	options.max_memory = 0;
	if (size % 4)
		return 0;
	read_pipe(data, size, &options);
	/* no thread for the records of small inputs, but where fuzzing sets another limit */
	options.read_ahead = PERFDATA_AHEAD_RECORDS | (size % 8 ? 0 : PERFDATA_AHEAD_BYTES);
	read_memory(data, size, &options);
	return 0;
}
