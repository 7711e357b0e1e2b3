/* SPDX-License-Identifier: MIT */
/* What fails in turn, on small recordings, through every emitter: each allocation, each write, each read, each new
 * thread, each temporary file.
 *
 * Of the allocations, those that leave a call which none left before (alloc_fail_sites.h); with PERFDATA_ALL=1 all.
 *
 * A failure is either not felt, and the output is the same to the last byte, or it is said: a status that fits, an
 * output that does not claim to be complete, and lines that are well-formed as far as they go. Leaks and uses of what
 * is gone are for the sanitizers to see. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include "alloc_fail_pieces.h"
#define ALLOC_SITES_OUTER 12u   /* half of them are this test's */
#include "alloc_fail_sites.h"
#include "emit_memory.h"
#include "perfdata/registry.h"
#include "emit/emitters.h"
#include "run/run.h"
#include "json_text.h"
#include "recording.h"
#include "unit.h"
#include "opening.h"

#define MAX_FILE 65536
#define SPILLED 50000u      /* samples, of 48 bytes each */
#define BLOCKS_STEP 23              /* unit_spilled_runs.c makes the reads and writes of all blocks fail */
#define MAX_FAILURES 200000

static const char *const names[] = {
	"stat-73.data", "stream-trace-73.pipe", "zstd-73.data", "group-73.data", "bad-garbage.data",
	"bad-callchain-count.data",
};

/* --- what is made to fail ----------------------------------------------------------------------------------------- */

/* Calls of a kind until the one that fails; negative: none fails. */
struct failure { long countdown; int code; };
static struct failure writing = { -1, ENOSPC }, reading = { -1, EIO }, threading = { -1, EAGAIN },
		      opening = { -1, EMFILE };
static size_t longest_write = SIZE_MAX;

static bool fails(struct failure *failure)
{
	if (failure->countdown < 0 || failure->countdown-- > 0)
		return false;
	errno = failure->code;
	return true;
}

ssize_t __real_write(int fd, const void *bytes, size_t size);
ssize_t __wrap_write(int fd, const void *bytes, size_t size);
ssize_t __wrap_write(int fd, const void *bytes, size_t size)
{
	return fails(&writing) ? -1 : __real_write(fd, bytes, size < longest_write ? size : longest_write);
}

/* Where long has 32 bits, the C library's functions for large files have names of their own. */
#if __SIZEOF_LONG__ == 4
#define __real_pread __real_pread64
#define __wrap_pread __wrap_pread64
#define __real_pwrite __real_pwrite64
#define __wrap_pwrite __wrap_pwrite64
#define __real_mkostemp __real_mkostemp64
#define __wrap_mkostemp __wrap_mkostemp64
#endif

ssize_t __real_pwrite(int fd, const void *bytes, size_t size, off_t offset);
ssize_t __wrap_pwrite(int fd, const void *bytes, size_t size, off_t offset);
ssize_t __wrap_pwrite(int fd, const void *bytes, size_t size, off_t offset)
{
	return fails(&writing) ? -1 : __real_pwrite(fd, bytes, size, offset);
}

ssize_t __real_pread(int fd, void *bytes, size_t size, off_t offset);
ssize_t __wrap_pread(int fd, void *bytes, size_t size, off_t offset);
ssize_t __wrap_pread(int fd, void *bytes, size_t size, off_t offset)
{
	return fails(&reading) ? -1 : __real_pread(fd, bytes, size, offset);
}

int __real_pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*start)(void *), void *argument);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*start)(void *), void *argument);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*start)(void *), void *argument)
{
	return fails(&threading) ? threading.code : __real_pthread_create(thread, attr, start, argument);
}

int __real_mkostemp(char *pattern, int flags);
int __wrap_mkostemp(char *pattern, int flags);
int __wrap_mkostemp(char *pattern, int flags) { return fails(&opening) ? -1 : __real_mkostemp(pattern, flags); }

/* --- one conversion ----------------------------------------------------------------------------------------------- */

struct conversion {
	const char *name;             /* of the recording */
	const uint8_t *bytes;
	size_t size;
	const struct perfdata_emitter *emitter;
	const char *input;            /* a path, or NULL: the bytes in memory */
	const char *output;           /* a path, or NULL: a file in memory */
	unsigned jobs;
	uint64_t max_memory;          /* 1: orders through temporary files */
	long *countdown;              /* of what is to fail */
	enum perfdata_status status;  /* what it is said to be */
	long expected;                /* so many failures at least, or the test tests nothing */
	long step;                    /* each step-th call is to fail; 0: each one */
};

struct outcome {
	enum perfdata_status status;
	bool complete;                /* says the reader, at the end */
	bool error_found;
	bool failed;                  /* it came to the call that fails */
	char *data;
	size_t size;
};

static uint8_t recording[MAX_FILE];
static char folder[] = "/tmp/perfdata-failures-XXXXXX";

static void note_error(void *user, const struct perfdata_finding *finding)
{
	struct outcome *outcome = user;
	outcome->error_found |= finding->severity == PERFDATA_SEVERITY_ERROR;
}

static void read_back(int fd, struct outcome *outcome)
{
	struct stat st;
	if (fstat(fd, &st) < 0 || !(outcome->data = malloc((size_t)st.st_size + 1)))
		return;
	outcome->size = (size_t)st.st_size;
	if (pread(fd, outcome->data, outcome->size, 0) != st.st_size)
		outcome->size = 0;
	outcome->data[outcome->size] = '\0';
}

/* Formats for compilers want a program and branch stacks, which these recordings lack: they refuse them. */
static bool is_for_compilers(const struct perfdata_emitter *emitter)
{
	return perfdata_emitter_option_named(emitter, "program") != NULL;
}

static enum perfdata_status write_it(const struct conversion *c, struct perfdata_session *session, int fd,
				     struct outcome *outcome)
{
	const struct perfdata_run_options run = {
		.size = sizeof run, .jobs = c->jobs, .on_finding = note_error, .user = outcome
	};
	struct perfdata_output *output = c->output ? perfdata_output_path(c->output, PERFDATA_OUTPUT_FORCE)
						   : perfdata_output_fd(fd);
	if (!output)
		return PERFDATA_ENOMEM;
	struct perfdata_output *several = c->emitter->flags & PERFDATA_EMITTER_ONLY_NAMED ? emit_several(output) : NULL;
	if (!several && c->emitter->flags & PERFDATA_EMITTER_ONLY_NAMED) {
		perfdata_output_close(output, false, NULL);
		return PERFDATA_ENOMEM;
	}
	const struct perfdata_target target = { .size = sizeof target,
						.emitter = c->emitter,
						.output = several ? several : output };
	const enum perfdata_status status = pd_run_emitters(session, &(const struct perfdata_target *){ &target }, 1,
							    &run, NULL, NULL);
	perfdata_output_close(several, status == PERFDATA_OK, NULL);
	const enum perfdata_status closed = perfdata_output_close(output, status == PERFDATA_OK, NULL);
	/* the output below several ones knows better why it failed */
	return status == PERFDATA_OK || (several && closed) ? closed : status;
}

static void convert(const struct conversion *c, struct outcome *outcome)
{
	const struct perfdata_reader_options how = {
		.size = sizeof how,
		.order = PERFDATA_ORDER_TIME,
		.max_memory = c->max_memory,
		.tmpdir = folder,
		.on_finding = note_error,
		.user = outcome,
	};
	const struct perfdata_session_options options = { .size = sizeof options, .needs = emit_needs(c->emitter) };
	struct perfdata_session *session;
	struct perfdata_reader *reader;

	*outcome = (struct outcome){ .status = PERFDATA_OK };
	int fd = c->output ? -1 : memfd_create("output", MFD_CLOEXEC);
	outcome->status = c->input ? perfdata_reader_open_path(c->input, &how, &reader, NULL) :
				     open_memory(c->bytes, c->size, c->name, &how, &reader, NULL);
	if (outcome->status == PERFDATA_OK) {
		outcome->status = perfdata_session_open(reader, &options, &session, NULL);
		if (outcome->status == PERFDATA_OK) {
			outcome->status = write_it(c, session, fd, outcome);
			perfdata_session_close(session);
		}
		outcome->complete = perfdata_reader_complete(reader) && !outcome->error_found;
		perfdata_reader_close(reader);
	}
	/* the failures end with the conversion */
	outcome->failed = *c->countdown < 0;
	*c->countdown = -1;
	if (c->output)
		fd = open(c->output, O_RDONLY | O_CLOEXEC);
	read_back(fd, outcome);
	if (fd >= 0)
		close(fd);
}

/* --- what must hold ----------------------------------------------------------------------------------------------- */

static bool same_output(const struct outcome *one, const struct outcome *other)
{
	return one->size == other->size && (!one->size || !memcmp(one->data, other->data, one->size));
}

/* As far as the output goes, each line that was ended is one: the last may be cut by what could not be written. */
static bool lines_are_whole(const struct conversion *c, const struct outcome *outcome)
{
	if (strcmp(c->emitter->name, "ndjson") != 0 || c->output)
		return true;
	const char *end = outcome->size ? memrchr(outcome->data, '\n', outcome->size) : NULL;
	return !end || json_text_is_lines(outcome->data, (size_t)(end + 1 - outcome->data));
}

static bool claims_completeness(const struct outcome *outcome)
{
	return outcome->size && memmem(outcome->data, outcome->size, "\"complete\":true", 15) != NULL;
}

/* Either the same output, or the status that fits and no claim to be all of it. */
static bool is_honest(const struct conversion *c, const struct outcome *good, const struct outcome *outcome)
{
	if (outcome->status == PERFDATA_OK)
		return same_output(good, outcome) || (!outcome->complete && !claims_completeness(outcome));
	return outcome->status == c->status && lines_are_whole(c, outcome) &&
	       !(claims_completeness(outcome) && outcome->status != PERFDATA_EWRITE);
}

/* What was seen in a case: keys of allocations, those of the outer calls with the emitter. */
static struct pd_hash_map seen;

/* Whether an allocation shows something new. */
static bool is_new(const struct conversion *c, const struct alloc_site *site)
{
	const uint64_t key = (site->key & 3) == ALLOC_OUTER_CALL ? site->key ^ (uintptr_t)c->emitter << 2 : site->key;
	if (pd_hash_map_find(&seen, key))
		return false;
	CHECK(pd_hash_map_put(&seen, key, 1) == 0);
	return true;
}

/* The next allocation that is worth a failure; -1: none. */
static long next_site(const struct conversion *c, const struct alloc_site *sites, size_t count, size_t *position)
{
	while (*position < count) {
		const long number = sites[*position].number;
		bool found = false;
		for (; *position < count && sites[*position].number == number; ++*position)
			found |= is_new(c, &sites[*position]);
		if (found)
			return number;
	}
	return -1;
}

/* Makes the first, second, … call of a kind fail, until a conversion needs fewer; of allocations, those that are worth
 * it. */
static void fail_in_turn(const struct conversion *c)
{
	const bool chosen = c->countdown == &alloc_fail_countdown && !getenv("PERFDATA_ALL");
	const struct alloc_site *sites = NULL;
	size_t count = 0, position = 0;
	struct outcome good;
	long n = 0, dishonest = 0, failures = 0;

	convert(c, &good);
	CHECK(good.status == PERFDATA_OK);
	if (chosen) {
		struct outcome same;
		if (c->output)
			unlink(c->output);
		alloc_sites_begin();
		convert(c, &same);
		count = alloc_sites_end(&sites);
		free(same.data);
		CHECK(count >= (size_t)c->expected);
		n = next_site(c, sites, count, &position);
	}
	while (n >= 0 && n < MAX_FAILURES) {
		struct outcome outcome;
		if (c->output)
			unlink(c->output);
		*c->countdown = n;
		convert(c, &outcome);
		const bool failed = outcome.failed;
		if (!is_honest(c, &good, &outcome) && !dishonest++)
			printf("# %s, %s: number %ld fails: status %d, %zu bytes of %zu%s\n", c->name, c->emitter->name,
			       n, (int)outcome.status, outcome.size, good.size, outcome.complete ? ", complete" : "");
		free(outcome.data);
		failures += failed;
		if (!chosen && !failed)
			break;
		n = chosen ? next_site(c, sites, count, &position) : n + (c->step ? c->step : 1);
	}
	free(good.data);
	CHECK_EQ(dishonest, 0);
	CHECK((chosen || failures >= c->expected || !good.size) && n < MAX_FAILURES);
}

static size_t load(const char *name)
{
	const char *top = getenv("top_srcdir");
	char path[4096];
	snprintf(path, sizeof path, "%s/testdata/%s", top ? top : ".", name);
	FILE *file = fopen(path, "rb");
	const size_t size = file ? fread(recording, 1, sizeof recording, file) : 0;
	if (file)
		fclose(file);
	CHECK(size > 0 && size < sizeof recording);
	return size;
}

/* Every emitter over every recording, or over the first of them. */
static void fail_everywhere(struct conversion c, size_t nr_names)
{
	pd_hash_map_release(&seen);
	for (size_t i = 0; i < nr_names; i++) {
		c.name = names[i];
		c.bytes = recording;
		c.size = load(names[i]);
		for (size_t k = 0; (c.emitter = perfdata_registry_at(NULL, k)) != NULL; k++)
			if (!is_for_compilers(c.emitter))
				fail_in_turn(&c);
	}
}

static const char *path_in_folder(const char *name)
{
	static char path[sizeof folder + 64];
	snprintf(path, sizeof path, "%s/%s", folder, name);
	return path;
}

static void put_file(const char *path, const void *bytes, size_t size)
{
	FILE *file = fopen(path, "wb");
	CHECK(file && fwrite(bytes, 1, size, file) == size);
	if (file)
		fclose(file);
}

/* --- the cases ---------------------------------------------------------------------------------------------------- */

static void test_allocations(void)
{
	fail_everywhere(
		(struct conversion){
			.jobs = 1, .countdown = &alloc_fail_countdown, .status = PERFDATA_ENOMEM, .expected = 30 },
		sizeof names / sizeof *names);
}

/* Converts samples in no order of time. 1 MB of them waits in memory, the least that goes into a temporary file. */
static void fail_with_spills(struct conversion c)
{
	struct recording records, file;
	recording_init(&records, false);
	for (unsigned n = 0; n < SPILLED; n++)
		recording_sample(&records, 10, 1000 + n * 7919ull % SPILLED, n % 50);
	recording_file(&file, &records, 0);
	pd_hash_map_release(&seen);
	c.name = "samples in no order";
	c.bytes = file.data;
	c.size = file.size;
	c.emitter = perfdata_registry_find(NULL, "folded");
	c.jobs = 1;
	c.max_memory = 1;
	fail_in_turn(&c);
	recording_release(&records);
	recording_release(&file);
}

static void test_allocations_of_spills(void)
{
	fail_with_spills((struct conversion){
		.countdown = &alloc_fail_countdown, .status = PERFDATA_ENOMEM, .expected = 30 });
}

static void test_writes(void)
{
	fail_everywhere(
		(struct conversion){
			.jobs = 1, .countdown = &writing.countdown, .status = PERFDATA_EWRITE, .expected = 1 },
		sizeof names / sizeof *names);
	fail_everywhere(
		(struct conversion){
			.jobs = 3, .countdown = &writing.countdown, .status = PERFDATA_EWRITE, .expected = 1 },
		2);
}

static void test_compressed_writes(void)
{
	const char *const suffixes[] = { ".gz", ".zst" };
	for (size_t i = 0; i < 2; i++) {
		char path[128];
		snprintf(path, sizeof path, "%s%s", path_in_folder("output"), suffixes[i]);
		for (unsigned jobs = 1; jobs <= 2; jobs++)
			fail_everywhere((struct conversion){ .output = path,
							     .jobs = jobs,
							     .countdown = &writing.countdown,
							     .status = PERFDATA_EWRITE,
							     .expected = 1 },
					1);
		fail_everywhere((struct conversion){ .output = path,
						     .jobs = 1,
						     .countdown = &alloc_fail_countdown,
						     .status = PERFDATA_ENOMEM,
						     .expected = 30 },
				1);
		unlink(path);
	}
}

/* A byte at a time: what a slow pipe or a signal makes of a write. */
static void test_short_writes(void)
{
	struct outcome one, other;
	struct conversion c = {
		.name = names[0], .bytes = recording, .size = load(names[0]), .jobs = 1, .countdown = &writing.countdown
	};
	for (size_t k = 0; (c.emitter = perfdata_registry_at(NULL, k)) != NULL; k++) {
		if (is_for_compilers(c.emitter))
			continue;
		convert(&c, &one);
		longest_write = 1;
		convert(&c, &other);
		longest_write = SIZE_MAX;
		CHECK(other.status == PERFDATA_OK && same_output(&one, &other));
		free(one.data);
		free(other.data);
	}
}

static void test_spill_writes(void)
{
	fail_with_spills((struct conversion){
		.countdown = &writing.countdown, .status = PERFDATA_EWRITE, .expected = 3, .step = BLOCKS_STEP });
}

static void test_spill_reads(void)
{
	fail_with_spills((struct conversion){
		.countdown = &reading.countdown, .status = PERFDATA_EREAD, .expected = 3, .step = BLOCKS_STEP });
}

static void test_reads(void)
{
	const char *path = path_in_folder("recording");
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		struct conversion c = { .name = names[i],
					.size = load(names[i]),
					.input = path,
					.jobs = 1,
					.countdown = &reading.countdown,
					.status = PERFDATA_EREAD,
					.expected = 2 };
		put_file(path, recording, c.size);
		for (size_t k = 0; (c.emitter = perfdata_registry_at(NULL, k)) != NULL; k++)
			if (!is_for_compilers(c.emitter))
				fail_in_turn(&c);
	}
	unlink(path);
}

/* A stream with its last sample so many times over that it has several batches. */
static uint8_t *long_stream(size_t *ret_size)
{
	const size_t size = load("stream-73.pipe"), room = (size_t)3 << 20;
	size_t sample = 0, sample_size = 0;
	uint16_t length = 0;
	for (size_t at = 16; at + 8 <= size; at += length) {
		memcpy(&length, recording + at + 6, sizeof length);
		if (recording[at] == PERFDATA_RECORD_SAMPLE) {
			sample = at;
			sample_size = length;
		}
		if (length < 8)
			break;
	}
	uint8_t *stream = malloc(room);
	CHECK(stream && sample_size);
	if (!stream || !sample_size)
		return stream;
	memcpy(stream, recording, size);
	size_t at = size;
	for (; at + sample_size <= room; at += sample_size)
		memcpy(stream + at, recording + sample, sample_size);
	*ret_size = at;
	return stream;
}

/* Fewer threads, or none, do the same work. */
static void test_threads(void)
{
	struct conversion c = { .name = "a long stream",
				.jobs = 4,
				.countdown = &threading.countdown,
				.status = PERFDATA_OK,
				.expected = 3 };
	uint8_t *stream = long_stream(&c.size);
	c.bytes = stream;
	for (size_t k = 0; stream && (c.emitter = perfdata_registry_at(NULL, k)) != NULL; k++)
		if (!is_for_compilers(c.emitter))
			fail_in_turn(&c);
	free(stream);
}

int main(void)
{
	static const struct unit_case cases[] = {
		{ "each allocation", test_allocations },
		{ "each allocation, ordering through temporary files", test_allocations_of_spills },
		{ "each write", test_writes },
		{ "each write and allocation of packed outputs", test_compressed_writes },
		{ "writes of one byte", test_short_writes },
		{ "each write of a temporary file", test_spill_writes },
		{ "each read of a temporary file", test_spill_reads },
		{ "each read", test_reads },
		{ "each new thread", test_threads },
	};
	if (!mkdtemp(folder)) {
		printf("Bail out! no place for a file\n");
		return 1;
	}
	const int bad = unit_main(cases, sizeof cases / sizeof *cases);
	rmdir(folder);
	return bad;
}
