/* SPDX-License-Identifier: MIT */
/* Feeds recordings in pieces, and logs the records and findings of readers. */
#ifndef TESTS_FEEDING_H
#define TESTS_FEEDING_H

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <sys/stat.h>
#include "perfdata/input.h"
#include "reading.h"

#define MOST_FED (64u << 10) /* larger recordings have their own cases */

/* --- what a recording gives, as text ------------------------------------------------------------------------------ */

static inline void log_finding(void *user, const struct perfdata_finding *finding)
{
	fprintf(user, "finding %u at %" PRIx64 " record %" PRIx64 ": %s\n", finding->code, finding->offset,
		finding->record, finding->message);
}

static inline void log_record(FILE *log, const struct perfdata_raw *raw)
{
	fprintf(log, "%u %u at %" PRIx64 " %" PRIx64 " number %" PRIu64 " time %" PRIu64 " payload %" PRIu64, raw->type,
		raw->size, raw->offset, raw->inner, raw->number, raw->time, raw->payload);
	fprintf(log, " cpu %u pid %d tid %d misc %x flags %x event %d %" PRIx64 "\n", raw->cpu, raw->pid, raw->tid,
		raw->misc, raw->flags, raw->event ? (int)raw->event->version : -1, hash_of(raw->bytes, raw->size));
}

static inline void log_facts(FILE *log, const struct perfdata_reader *reader)
{
	const struct perfdata_header *header = perfdata_reader_header(reader);
	const struct perfdata_feature_section *section;
	fprintf(log, "container %d order %d version %u packing %s complete %d\n", header->container, header->order,
		header->version, header->packing, perfdata_reader_complete(reader));
	for (size_t i = 0; i < perfdata_reader_nr_events(reader); i++)
		fprintf(log, "event %s %zu ids\n", perfdata_reader_event(reader, i)->name,
			perfdata_reader_event(reader, i)->nr_ids);
	for (size_t i = 0; (section = perfdata_reader_feature_at(reader, i)); i++)
		fprintf(log, "feature %u at %" PRIx64 " %" PRIx64 " %d\n", section->id, section->offset, section->size,
			section->status);
}

struct reading {
	struct perfdata_reader_options options;
	struct perfdata_input *input;
	struct perfdata_reader *reader;
	enum perfdata_status status; /* status of the last call; END and failures end the reading */
	uint64_t records;            /* number of records so far, without the header */
	FILE *log;
	char *text;
	size_t size;
};

static inline void reading_begin(struct reading *reading, struct perfdata_input *input,
				 enum perfdata_record_order order)
{
	*reading = (struct reading){ .input = input };
	reading->log = open_memstream(&reading->text, &reading->size);
	reading->options = (struct perfdata_reader_options){
		.size = sizeof reading->options,
		.order = order,
		.payloads = order == PERFDATA_ORDER_FILE,
		.max_ratio = 1000,
		.on_finding = log_finding,
		.user = reading->log,
	};
	reading->status = PERFDATA_AGAIN;
}

/* Reads and logs all records that are available. */
static inline void reading_go_on(struct reading *reading)
{
	const struct perfdata_raw *raw;
	struct perfdata_error error = { .message = "" };
	if (reading->status != PERFDATA_AGAIN)
		return;
	if (!reading->reader) {
		reading->status = perfdata_reader_open(reading->input, &reading->options, &reading->reader, &error);
		if (reading->status < 0)
			fprintf(reading->log, "not opened: %d %s\n", reading->status, error.message);
		if (reading->status != PERFDATA_OK)
			return;
	}
	while ((reading->status = perfdata_reader_next(reading->reader, &raw)) == PERFDATA_OK) {
		reading->records++;
		log_record(reading->log, raw);
	}
	if (reading->status < 0)
		fprintf(reading->log, "ended: %d %s\n", reading->status,
			perfdata_reader_error(reading->reader)->message);
}

/* Ends the reading, and returns the log, to be freed by free(3). */
static inline char *reading_end(struct reading *reading)
{
	if (reading->reader)
		log_facts(reading->log, reading->reader);
	perfdata_reader_close(reading->reader);
	perfdata_input_free(reading->input);
	fclose(reading->log);
	return reading->text;
}

/* --- ways to give the bytes --------------------------------------------------------------------------------------- */

struct bytes {
	const uint8_t *at;
	size_t left;
};

static inline int read_bytes(void *user, void *buffer, size_t room, size_t *ret_got)
{
	struct bytes *bytes = user;
	*ret_got = room < bytes->left ? room : bytes->left;
	memcpy(buffer, bytes->at, *ret_got);
	bytes->at += *ret_got;
	bytes->left -= *ret_got;
	return 0;
}

/* Returns an input that is read as a pipe, with all bytes available at once. */
static inline struct perfdata_input *pipe_of(struct bytes *bytes)
{
	const struct perfdata_input_callbacks callbacks = { .size = sizeof callbacks, .read = read_bytes };
	return perfdata_input_callbacks(&callbacks, bytes, NULL);
}

static inline char *read_piped(const uint8_t *bytes, size_t size, enum perfdata_record_order order)
{
	struct bytes rest = { bytes, size };
	struct reading reading;
	reading_begin(&reading, pipe_of(&rest), order);
	reading_go_on(&reading);
	return reading_end(&reading);
}

/* Reads from memory. Unlike a reader of a pipe, this reader of a compressed recording looks for the next record after
 * each one, as a reader of fed bytes does. */
static inline char *read_kept(const uint8_t *bytes, size_t size, enum perfdata_record_order order)
{
	struct reading reading;
	reading_begin(&reading, perfdata_input_memory(bytes, size, "-"), order);
	reading_go_on(&reading);
	return reading_end(&reading);
}

#define WHOLE 0u
#define RANDOM UINT32_MAX

static uint64_t random_state = 1;
static inline uint32_t random_below(uint32_t limit)
{
	random_state = random_state * 6364136223846793005ull + 1442695040888963407ull;
	return (uint32_t)(random_state >> 33) % limit;
}

static inline size_t next_piece(uint32_t piece, size_t left)
{
	size_t wanted = piece == WHOLE ? left : piece;
	if (piece == RANDOM)
		wanted = random_below(2) ? random_below(40) : random_below(6000);
	return wanted < left ? wanted : left;
}

static inline char *read_fed(const uint8_t *bytes, size_t size, enum perfdata_record_order order, uint32_t piece)
{
	const struct perfdata_feed_options options = { .size = sizeof options };
	struct reading reading;
	reading_begin(&reading, perfdata_input_fed(&options, NULL), order);
	for (size_t at = 0; at < size;) {
		const size_t step = next_piece(piece, size - at);
		if (perfdata_feed(reading.input, bytes + at, step, NULL) != PERFDATA_OK)
			FAIL("a piece was not taken");
		at += step;
		reading_go_on(&reading);
	}
	if (perfdata_feed_end(reading.input, NULL) != PERFDATA_OK)
		FAIL("the end was not taken");
	reading_go_on(&reading);
	return reading_end(&reading);
}

static inline const char *first_difference(const char *wanted, const char *got)
{
	static char text[700];
	while (*wanted && *wanted == *got)
		wanted++, got++;
	snprintf(text, sizeof text, "wanted …%.300s, got …%.300s", wanted, got);
	return text;
}

/* --- recordings --------------------------------------------------------------------------------------------------- */

struct recorded {
	char *name;
	uint8_t *bytes;
	size_t size;
};
static unsigned all; /* test everything, as other tests do with PERFDATA_ALL */
static struct recorded recordings[4096];
static size_t nr_recordings;

static inline void take_file(const char *path, size_t size)
{
	FILE *file = fopen(path, "rb");
	uint8_t *bytes = malloc(size + !size);
	if (file && bytes && fread(bytes, 1, size, file) == size && nr_recordings < 4096)
		recordings[nr_recordings++] = (struct recorded){ strdup(path), bytes, size };
	else
		free(bytes);
	if (file)
		fclose(file);
}

static inline void take_folder(const char *folder)
{
	struct dirent **entries;
	const int nr = scandir(folder, &entries, NULL, alphasort);
	for (int i = 0; i < nr; i++) {
		char path[4096];
		struct stat st;
		const char *suffix = strrchr(entries[i]->d_name, '.');
		snprintf(path, sizeof path, "%s/%s", folder, entries[i]->d_name);
		if (entries[i]->d_name[0] != '.' && stat(path, &st) == 0) {
			if (S_ISDIR(st.st_mode))
				take_folder(path);
			else if (suffix && (!strcmp(suffix, ".data") || !strcmp(suffix, ".pipe")) &&
				 (size_t)st.st_size <= MOST_FED)
				take_file(path, (size_t)st.st_size);
		}
		free(entries[i]);
	}
	if (nr >= 0)
		free(entries);
}

static inline bool is_stream(const struct recorded *recorded)
{
	const char *suffix = strrchr(recorded->name, '.');
	return suffix && !strcmp(suffix, ".pipe");
}

static inline void damage(uint8_t *bytes, size_t size)
{
	const uint32_t at = random_below((uint32_t)size), left = (uint32_t)size - at;
	const uint32_t length = random_below(left < 200 ? left + 1 : 200);
	switch (random_below(4)) {
	case 0:
		bytes[at] ^= (uint8_t)(1u << random_below(8));
		break;
	case 1:
		memset(bytes + at, 0, length);
		break;
	case 2:
		memcpy(bytes + at, "text that a program wrote between the records", left < 45 ? left : 45);
		break;
	default:
		for (uint32_t i = 0; i < length; i++)
			bytes[at + i] = (uint8_t)random_below(256);
	}
}

/* Builds a stream of records of all sizes, with bytes that do not compress and, if requested, damage. */
static inline void large_stream(struct recording *stream, bool with_damage)
{
	struct recording records;
	recording_init(&records, false);
	for (unsigned i = 0; records.size < 3u << 20; i++) {
		const uint32_t most = i % 7 ? 4000 : 65000, size = 16 + 8 * random_below(most / 8);
		recording_u32(&records, PERFDATA_RECORD_COMM);
		recording_u16(&records, 0);
		recording_u16(&records, (uint16_t)size);
		for (uint32_t n = 8; n < size; n += 4)
			recording_u32(&records, random_below(UINT32_MAX));
		if (i % 50 == 49)
			recording_empty(&records, PERFDATA_RECORD_FINISHED_ROUND);
	}
	recording_pipe(stream, &records);
	recording_release(&records);
	for (unsigned i = 0; with_damage && i < 20; i++)
		damage(stream->data + 2000, stream->size - 2000);
}

static inline void take_recordings(void)
{
	char folder[4096];
	const char *top = getenv("top_srcdir"), *corpus = getenv("PERFDATA_CORPUS");
	snprintf(folder, sizeof folder, "%s/testdata", top ? top : ".");
	take_folder(folder);
	all = getenv("PERFDATA_ALL") ? 1 : 0;
	if (corpus)
		take_folder(corpus);
}

static inline void release_recordings(void)
{
	for (size_t i = 0; i < nr_recordings; i++) {
		free(recordings[i].name);
		free(recordings[i].bytes);
	}
}

#endif
