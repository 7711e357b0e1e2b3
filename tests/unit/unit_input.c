/* SPDX-License-Identifier: MIT */
/* lib/input: file, pipe, memory, compressed or not give the same bytes; spools; broken, cut and bomb-like compressed
 * data. */
#include "config.h"
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "refuse_nameless.h"
#include "unit.h"
#include "alloc_fail_pieces.h"
#include "base/account.h"
#include "base/fdio.h"
#include "base/hash.h"
#include "base/threads.h"
#include "codec/codec.h"
#include "input/input.h"

#define SIZE ((size_t)3500000)

static uint8_t *plain;           /* SIZE bytes */
static char directory[] = "unit_input-XXXXXX";

struct blob {
	uint8_t *bytes;
	size_t size;
};

/* --- helpers --- */

static struct blob compressed_of(enum pd_codec_kind kind, const uint8_t *bytes, size_t size)
{
	struct blob blob = { malloc(size + size / 8 + 4096), 0 };
	size_t used = 0;
	struct pd_encoder *encoder = pd_encoder_new(kind, 1);
	while (pd_encoder_run(encoder, bytes, size, &used, blob.bytes, size + size / 8 + 4096, &blob.size, true) !=
	       PERFDATA_END)
		;
	pd_encoder_free(encoder);
	return blob;
}

static char *write_file(const char *name, const void *bytes, size_t size)
{
	char *path = malloc(strlen(directory) + strlen(name) + 2);
	sprintf(path, "%s/%s", directory, name);
	int fd = open(path, O_CREAT | O_TRUNC | O_WRONLY, 0600);
	CHECK(fd >= 0 && pd_write_full(fd, bytes, size) == 0);
	close(fd);
	return path;
}

static void remove_file(char *path)
{
	unlink(path);
	free(path);
}

/* A pipe that another process fills, in odd steps, and with a pause now and then if `slow`. */
static int pipe_with(const uint8_t *bytes, size_t size, bool slow, pid_t *ret_writer)
{
	int ends[2];
	CHECK(pipe(ends) == 0);
	fflush(stdout);  /* nothing for the child to write again */
	pid_t writer = fork();
	if (writer == 0) {
		close(ends[0]);
		size_t step = slow ? 1 : 70000;
		for (size_t at = 0; at < size; at += step, step = slow ? step * 2 + 1 : step) {
			if (slow)
				usleep(1000);
			if (pd_write_full(ends[1], bytes + at, size - at < step ? size - at : step) < 0)
				break;
		}
		_exit(0);
	}
	close(ends[1]);
	*ret_writer = writer;
	return ends[0];
}

/* Reads all chunks and compares. The status that ended it. */
static enum perfdata_status compare_chunks(struct pd_input *input, const uint8_t *bytes, size_t size, size_t *ret_size)
{
	struct pd_chunk_pool *pool = pd_chunk_pool_new();
	struct pd_chunk *chunk;
	struct perfdata_error error;
	size_t at = 0;
	unsigned wrong = 0;
	enum perfdata_status status;
	while ((status = pd_input_next_chunk(input, pool, &chunk, &error)) == PERFDATA_OK) {
		wrong += chunk->offset != at || !chunk->size || chunk->size > PD_CHUNK_SIZE;
		wrong += at + chunk->size > size || memcmp(chunk->data, bytes + at, chunk->size) != 0;
		memset(chunk->data - PD_CHUNK_HEADROOM, 0xee, PD_CHUNK_HEADROOM);
		at += chunk->size;
		pd_chunk_drop(chunk);
	}
	CHECK_EQ(wrong, 0);
	*ret_size = at;
	pd_chunk_pool_free(pool);
	return status;
}

static void check_peek(struct pd_input *input, const uint8_t *bytes, size_t size)
{
	const uint8_t *first = NULL;
	size_t got = 99;
	CHECK_EQ(pd_input_peek(input, &first, &got, 16), PERFDATA_OK);
	CHECK(got == (size < 16 ? size : 16) && !memcmp(first, bytes, got));
	CHECK_EQ(pd_input_peek(input, &first, &got, 10000), PERFDATA_OK);
	CHECK(got == (size < 4096 ? size : 4096) && !memcmp(first, bytes, got));
	CHECK_EQ(pd_input_peek(input, &first, &got, 0), PERFDATA_OK);
	CHECK_EQ(got, 0);
}

static void check_random_access(struct pd_input *input, const uint8_t *bytes, size_t size)
{
	uint8_t buffer[5000];
	size_t got = 77;
	CHECK(pd_input_seekable(input));
	CHECK_EQ(pd_input_size(input), size);
	for (uint64_t i = 0; i < 50; i++) {
		uint64_t offset = size ? pd_hash_u64(i, 3) % (size + 100) : i;
		size_t expected = offset >= size                  ? 0
				  : size - offset < sizeof buffer ? size - (size_t)offset
								  : sizeof buffer;
		CHECK_EQ(pd_input_read_at(input, offset, buffer, sizeof buffer, &got), PERFDATA_OK);
		CHECK(got == expected && !memcmp(buffer, bytes + (expected ? offset : 0), got));
	}
	CHECK_EQ(pd_input_read_at(input, UINT64_MAX, buffer, 10, &got), PERFDATA_OK);
	CHECK_EQ(got, 0);
	CHECK_EQ(pd_input_read_at(input, INT64_MAX - 2, buffer, 10, &got), PERFDATA_OK);
	CHECK_EQ(got, 0);

	/* Chunks of a range. */
	size_t from = size / 3, until = size / 3 + size / 2;
	struct pd_chunk_pool *pool = pd_chunk_pool_new();
	struct pd_chunk *chunk;
	CHECK_EQ(pd_input_seek(input, from, until), PERFDATA_OK);
	size_t at = from;
	while (pd_input_next_chunk(input, pool, &chunk, NULL) == PERFDATA_OK) {
		CHECK_EQ(chunk->offset, at);
		CHECK(at + chunk->size <= until && !memcmp(chunk->data, bytes + at, chunk->size));
		at += chunk->size;
		pd_chunk_drop(chunk);
	}
	CHECK_EQ(at, until);
	CHECK_EQ(pd_input_seek(input, UINT64_MAX, 5), PERFDATA_OK);
	CHECK_EQ(pd_input_next_chunk(input, pool, &chunk, NULL), PERFDATA_END);
	CHECK_EQ(pd_input_seek(input, 0, UINT64_MAX), PERFDATA_OK);
	pd_chunk_pool_free(pool);
}

/* Everything an intact input must do. Closes it. */
static void check_intact(struct pd_input *input, const uint8_t *bytes, size_t size, const char *packing, bool peek,
			 bool spool)
{
	size_t got;
	CHECK_STR(pd_input_packing(input), packing);
	if (peek)
		check_peek(input, bytes, size);
	if (spool) {
		CHECK_EQ(pd_input_make_seekable(input, NULL), PERFDATA_OK);
		check_peek(input, bytes, size);
		check_random_access(input, bytes, size);
	} else if (!pd_input_seekable(input)) {
		uint8_t byte;
		CHECK_EQ(pd_input_size(input), UINT64_MAX);
		CHECK_EQ(pd_input_read_at(input, 0, &byte, 1, &got), PERFDATA_EUSAGE);
		CHECK_EQ(pd_input_seek(input, 0, UINT64_MAX), PERFDATA_EUSAGE);
	}
	CHECK_EQ(compare_chunks(input, bytes, size, &got), PERFDATA_END);
	CHECK_EQ(got, size);
	if (!pd_input_seekable(input) && got)
		CHECK_EQ(pd_input_make_seekable(input, NULL), PERFDATA_EUSAGE);
	CHECK_EQ(pd_input_damage(input, NULL), PERFDATA_OK);
	pd_input_close(input);
}

static bool is_there(enum pd_codec_kind kind)
{
	if (!pd_codec_load(kind, NULL))
		return true;
	CHECK(pd_decoder_new(kind) == NULL);
	return false;
}

static const char *const packings[] = { "none", "gzip", "zstd" };

/* The same bytes by every way in. */
static void check_all_ways(const uint8_t *bytes, size_t size)
{
	for (int kind = PD_CODEC_NONE; kind <= PD_CODEC_ZSTD; kind++) {
		if (!is_there((enum pd_codec_kind)kind))
			continue;
		struct blob blob = { (uint8_t *)(uintptr_t)bytes, size };
		if (kind != PD_CODEC_NONE)
			blob = compressed_of((enum pd_codec_kind)kind, bytes, size);
		char *path = write_file("all", blob.bytes, blob.size);
		for (int way = 0; way < 4; way++) {
			bool peek = way & 1, spool = way & 2;
			struct pd_input *input = NULL;
			struct perfdata_error error;

			CHECK_EQ(pd_input_open_memory(blob.bytes, blob.size, NULL, &input, &error), PERFDATA_OK);
			CHECK(!pd_input_is_pipe(input) && pd_input_mtime(input) == 0);
			CHECK(pd_input_seekable(input) == (kind == PD_CODEC_NONE));
			check_intact(input, bytes, size, packings[kind], peek, spool);

			CHECK_EQ(pd_input_open_path(path, NULL, &input, &error), PERFDATA_OK);
			CHECK(!pd_input_is_pipe(input) && pd_input_mtime(input) > 1000000000);
			check_intact(input, bytes, size, packings[kind], peek, spool);

			pid_t writer;
			int fd = pipe_with(blob.bytes, blob.size, way == 0, &writer);
			CHECK_EQ(pd_input_open_fd(fd, way & 1, NULL, &input, &error), PERFDATA_OK);
			CHECK(pd_input_is_pipe(input) && !pd_input_seekable(input));
			check_intact(input, bytes, size, packings[kind], peek, spool);
			/* The input closes the descriptor if, and only if, it owns it. */
			CHECK((fcntl(fd, F_GETFD) >= 0) == !(way & 1));
			if (!(way & 1))
				close(fd);
			waitpid(writer, NULL, 0);
		}
		remove_file(path);
		if (kind != PD_CODEC_NONE)
			free(blob.bytes);
	}
}

/* --- tests --- */

static void test_sizes(void)
{
	const size_t sizes[] = { 0, 1, 3, 4, 5, 4095, 4096, 4097, PD_CHUNK_SIZE - 1, PD_CHUNK_SIZE, PD_CHUNK_SIZE + 1 };
	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
		check_all_ways(plain, sizes[i]);
}

static void test_large(void) { check_all_ways(plain, SIZE); }

static void test_descriptor_position(void)
{
	/* A regular file on a descriptor whose position is after its start, as standard input may be. */
	char *path = write_file("position", plain, 10000);
	int fd = open(path, O_RDONLY);
	CHECK(lseek(fd, 1234, SEEK_SET) == 1234);
	struct pd_input *input;
	CHECK_EQ(pd_input_open_fd(fd, true, NULL, &input, NULL), PERFDATA_OK);
	check_random_access(input, plain + 1234, 10000 - 1234);
	check_intact(input, plain + 1234, 10000 - 1234, "none", true, false);
	remove_file(path);
}

static void test_spool_file(void)
{
	/* More than what stays in memory. */
	size_t size = 20u << 20;
	uint8_t *bytes = malloc(size);
	for (size_t i = 0; i < size; i += SIZE)
		memcpy(bytes + i, plain, size - i < SIZE ? size - i : SIZE);
	struct pd_input_options options = { .tmpdir = directory };
	for (int peek = 0; peek < 2; peek++) {
		struct pd_input *input;
		pid_t writer;
		int fd = pipe_with(bytes, size, false, &writer);
		CHECK_EQ(pd_input_open_fd(fd, true, &options, &input, NULL), PERFDATA_OK);
		check_intact(input, bytes, size, "none", peek, true);
		waitpid(writer, NULL, 0);
	}
	/* The temporary file had no name. */
	CHECK(rmdir(directory) == 0 && mkdir(directory, 0700) == 0);

	struct perfdata_error error = { .status = PERFDATA_OK };
	struct pd_input *input;
	options = (struct pd_input_options){ .tmpdir = directory, .max_spool = 10 << 20 };
	pid_t writer;
	int fd = pipe_with(bytes, size, false, &writer);
	CHECK_EQ(pd_input_open_fd(fd, true, &options, &input, NULL), PERFDATA_OK);
	CHECK_EQ(pd_input_make_seekable(input, &error), PERFDATA_ELIMIT);
	CHECK_EQ(error.status, PERFDATA_ELIMIT);
	pd_input_close(input);
	waitpid(writer, NULL, 0);

	options = (struct pd_input_options){ .tmpdir = "no/such/directory" };
	fd = pipe_with(bytes, size, false, &writer);
	CHECK_EQ(pd_input_open_fd(fd, true, &options, &input, NULL), PERFDATA_OK);
	CHECK_EQ(pd_input_make_seekable(input, &error), PERFDATA_EWRITE);
	CHECK(strstr(error.message, "no/such/directory") && strstr(error.message, "No such file"));
	pd_input_close(input);
	waitpid(writer, NULL, 0);
	free(bytes);
}

static void test_open_failures(void)
{
	struct perfdata_error error;
	struct pd_input *input = NULL;
	CHECK_EQ(pd_input_open_path("no/such/file", NULL, &input, &error), PERFDATA_EREAD);
	CHECK_STR(error.message, "cannot be opened: No such file or directory");
	CHECK_EQ(error.status, PERFDATA_EREAD);
	CHECK_EQ(pd_input_open_path(directory, NULL, &input, &error), PERFDATA_EUSAGE);
	CHECK_STR(error.message, "is a directory");
	CHECK_EQ(pd_input_open_fd(-1, true, NULL, &input, &error), PERFDATA_EREAD);
	int fd = open("/dev/null", O_WRONLY);
	CHECK_EQ(pd_input_open_fd(fd, true, NULL, &input, &error), PERFDATA_EREAD);
	CHECK(fcntl(fd, F_GETFD) >= 0);
	close(fd);
	CHECK(input == NULL);
	pd_input_close(NULL);

	CHECK_EQ(pd_input_open_path("/dev/null", NULL, &input, &error), PERFDATA_OK);
	check_intact(input, plain, 0, "none", true, false);
}

static void test_shrinking_file(void)
{
	char *path = write_file("shrink", plain, SIZE);
	struct pd_input *input;
	CHECK_EQ(pd_input_open_path(path, NULL, &input, NULL), PERFDATA_OK);
	CHECK_EQ(pd_input_size(input), SIZE);
	CHECK(truncate(path, PD_CHUNK_SIZE + 100) == 0);
	size_t got;
	CHECK_EQ(compare_chunks(input, plain, SIZE, &got), PERFDATA_END);
	CHECK_EQ(got, PD_CHUNK_SIZE + 100);
	uint8_t buffer[200];
	CHECK_EQ(pd_input_read_at(input, PD_CHUNK_SIZE, buffer, sizeof buffer, &got), PERFDATA_OK);
	CHECK_EQ(got, 100);
	pd_input_close(input);
	remove_file(path);
}

/* Packed data that ends early or is broken: what came out, and then the reason. */
static void check_damaged(const struct blob *blob, size_t at_least, enum perfdata_status expected, bool pipe,
			  bool spool)
{
	struct pd_input *input;
	pid_t writer = 0;
	size_t got;
	uint64_t offset = UINT64_MAX;
	if (pipe)
		CHECK_EQ(pd_input_open_fd(pipe_with(blob->bytes, blob->size, false, &writer), true, NULL, &input, NULL),
			 PERFDATA_OK);
	else
		CHECK_EQ(pd_input_open_memory(blob->bytes, blob->size, NULL, &input, NULL), PERFDATA_OK);
	if (spool) {
		CHECK_EQ(pd_input_make_seekable(input, NULL), PERFDATA_OK);
		CHECK(pd_input_size(input) >= at_least);
	}
	CHECK_EQ(compare_chunks(input, plain, SIZE, &got), PERFDATA_END);
	CHECK(got >= at_least);
	CHECK_EQ(pd_input_damage(input, &offset), expected);
	CHECK(offset <= blob->size);
	struct pd_chunk_pool *pool = pd_chunk_pool_new();
	struct pd_chunk *chunk;
	CHECK_EQ(pd_input_next_chunk(input, pool, &chunk, NULL), PERFDATA_END);
	pd_chunk_pool_free(pool);
	pd_input_close(input);
	if (pipe)
		waitpid(writer, NULL, 0);
}

static uint64_t nr_helped;   /* chunks that helpers read */
enum who_reads { READS_ALONE, THREAD_READS_AHEAD, HELPERS_READ_AHEAD, WAYS_TO_READ };

struct helpers {
	struct pd_input *input;
	atomic_bool end;
	atomic_uint nr_chunks;
	struct pd_team *team;
};

static void help_reading(void *user, unsigned thread)
{
	struct helpers *helpers = user;
	(void)thread;
	while (!atomic_load(&helpers->end))
		if (pd_input_needs_help(helpers->input) && pd_input_help(helpers->input))
			atomic_fetch_add(&helpers->nr_chunks, 1);
		else
			sched_yield();
}

/* All that an input says while it is read to its end, and once more from a place in the middle. */
static uint64_t story_of(struct pd_input *input, enum who_reads who)
{
	struct pd_chunk_pool *pool = pd_chunk_pool_new();
	struct pd_chunk *chunk;
	struct perfdata_error error = { .status = PERFDATA_OK };
	uint64_t story = 1, chunks = 0, broken = 0, found = 0, offset = 0;
	enum perfdata_status status;

	struct helpers helpers = { .input = input };
	pd_input_go_on(input);
	if (who == THREAD_READS_AHEAD)
		pd_input_read_ahead(input);
	if (who == HELPERS_READ_AHEAD) {
		pd_input_let_help(input);
		helpers.team = pd_team_start(2, help_reading, &helpers);
	}
	for (unsigned round = 0; round < 2; round++) {
		while ((status = pd_input_next_chunk(input, pool, &chunk, &error)) == PERFDATA_OK) {
			story = pd_hash_bytes(chunk->data, chunk->size, pd_hash_u64(story, chunk->offset));
			/* under load, no other thread may come to it */
			if (who == HELPERS_READ_AHEAD && chunks % 2)
				nr_helped += pd_input_help(input);
			if (pd_input_went_on(input, &broken, &found))
				story = pd_hash_u64(story, broken + 3 * found);
			story = pd_hash_u64(story, (uint64_t)pd_input_damage(input, &offset) + 5 * offset);
			pd_chunk_drop(chunk);
			/* leaves chunks that were read in vain */
			if (++chunks == 7 && pd_input_seekable(input))
				CHECK_EQ(pd_input_seek(input, SIZE / 3, 4 * SIZE), PERFDATA_OK);
		}
		CHECK_EQ(status, PERFDATA_END);
		story = pd_hash_u64(story, (uint64_t)pd_input_damage(input, &offset) + 7 * offset);
		if (round == 0 && pd_input_seekable(input))
			CHECK_EQ(pd_input_seek(input, SIZE / 2 + 1, 3 * SIZE - 3), PERFDATA_OK);
	}
	CHECK(chunks > 7);
	atomic_store(&helpers.end, true);
	pd_team_join(helpers.team);
	nr_helped += atomic_load(&helpers.nr_chunks);
	pd_chunk_pool_free(pool);
	pd_input_close(input);
	return story;
}

static struct pd_input *open_memory(const struct blob *blob)
{
	struct pd_input *input;
	CHECK_EQ(pd_input_open_memory(blob->bytes, blob->size, NULL, &input, NULL), PERFDATA_OK);
	return input;
}

static void check_read_ahead(const struct blob *blob)
{
	const uint64_t story = story_of(open_memory(blob), READS_ALONE);
	for (unsigned round = 0; round < 4; round++)
		for (enum who_reads who = THREAD_READS_AHEAD; who < WAYS_TO_READ; who++)
			CHECK_EQ(story_of(open_memory(blob), who), story);
	/* nobody takes what was read */
	struct pd_chunk_pool *pool = pd_chunk_pool_new();
	struct pd_input *input = open_memory(blob);
	struct pd_chunk *chunk;
	pd_input_read_ahead(input);
	for (unsigned i = 0; i < 5; i++) {
		CHECK_EQ(pd_input_next_chunk(input, pool, &chunk, NULL), PERFDATA_OK);
		pd_chunk_drop(chunk);
	}
	pd_input_close(input);
	pd_chunk_pool_free(pool);
}

/* Helpers read some chunks ahead, and fewer where memory is short. */
static void test_help_is_bounded(void)
{
	struct blob whole = { calloc(4, SIZE), 4 * SIZE };
	const struct {
		uint64_t limit;
		unsigned most;
	} rows[] = { { (uint64_t)1 << 30, 8 }, { 1 << 20, 2 } };
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct pd_account account = { 0 };
		struct pd_chunk_pool *pool = pd_chunk_pool_new();
		struct pd_input *input = open_memory(&whole);
		struct pd_chunk *chunk;
		unsigned nr = 0, place = 0;
		pd_account_init(&account, rows[i].limit, NULL);
		pd_chunk_pool_account(pool, &account);
		pd_input_let_help(input);
		/* the first chunks are read when they are asked for */
		for (; place < 8 && !nr; place++) {
			CHECK_EQ(pd_input_next_chunk(input, pool, &chunk, NULL), PERFDATA_OK);
			pd_chunk_drop(chunk);
			while (pd_input_needs_help(input) && pd_input_help(input))
				nr++;
		}
		CHECK_EQ(nr, rows[i].most);
		CHECK(!pd_input_help(input));
		pd_input_close(input);
		pd_chunk_pool_free(pool);
	}
	free(whole.bytes);
}

static void test_read_ahead(void)
{
	/* chunks enough for a thread to be worth while */
	struct blob whole = { malloc(4 * SIZE), 4 * SIZE };
	for (size_t i = 0; i < whole.size; i++)
		whole.bytes[i] = plain[i % SIZE] ^ (uint8_t)(i / SIZE);
	check_read_ahead(&whole);
	for (int kind = PD_CODEC_GZIP; kind <= PD_CODEC_ZSTD; kind++) {
		if (!is_there((enum pd_codec_kind)kind))
			continue;
		/* several members, one of them broken, and the last one cut */
		struct blob parts = { malloc(5 * SIZE), 0 };
		for (unsigned i = 0; i < 4; i++) {
			const struct blob part = compressed_of((enum pd_codec_kind)kind, whole.bytes + i * SIZE, SIZE);
			memcpy(parts.bytes + parts.size, part.bytes, part.size);
			if (i == 1)
				memset(parts.bytes + parts.size + part.size / 2, 0xff, 100);
			parts.size += part.size;
			free(part.bytes);
		}
		check_read_ahead(&parts);
		parts.size -= 1000;
		check_read_ahead(&parts);
		free(parts.bytes);
	}
	free(whole.bytes);
	CHECK(nr_helped > 20);
}

static void test_damaged(void)
{
	for (int kind = PD_CODEC_GZIP; kind <= PD_CODEC_ZSTD; kind++) {
		if (!is_there((enum pd_codec_kind)kind))
			continue;
		struct blob whole = compressed_of((enum pd_codec_kind)kind, plain, SIZE);
		for (int way = 0; way < 4; way++) {
			bool pipe = way & 1, spool = way & 2;
			struct blob blob = { whole.bytes, whole.size / 2 };
			check_damaged(&blob, SIZE / 4, PERFDATA_END, pipe, spool);
			blob.size = whole.size - 1;
			check_damaged(&blob, SIZE - (256 << 10), PERFDATA_END, pipe, spool);
			blob.size = 4;
			check_damaged(&blob, 0, PERFDATA_END, pipe, spool);

			/* Other bytes after a whole stream. */
			blob = (struct blob){ malloc(whole.size + 100), whole.size + 100 };
			memcpy(blob.bytes, whole.bytes, whole.size);
			memset(blob.bytes + whole.size, 'x', 100);
			check_damaged(&blob, SIZE, PERFDATA_DAMAGED, pipe, spool);
			/* The last byte is part of the checksum. */
			blob.size = whole.size;
			blob.bytes[whole.size - 5] ^= 0x55;
			check_damaged(&blob, SIZE - (256 << 10), PERFDATA_DAMAGED, pipe, spool);
			free(blob.bytes);
		}
		free(whole.bytes);
	}
}

static void test_ratio(void)
{
	size_t size = 64u << 20;
	uint8_t *zeros = calloc(size, 1);
	for (int kind = PD_CODEC_GZIP; kind <= PD_CODEC_ZSTD; kind++) {
		if (!is_there((enum pd_codec_kind)kind))
			continue;
		struct blob blob = compressed_of((enum pd_codec_kind)kind, zeros, size);
		CHECK(blob.size < size / 150);
		for (int limited = 0; limited < 2; limited++) {
			struct pd_input_options options = { .max_ratio = limited ? 100 : 0 };
			struct pd_input *input;
			size_t got;
			CHECK_EQ(pd_input_open_memory(blob.bytes, blob.size, &options, &input, NULL), PERFDATA_OK);
			CHECK_EQ(compare_chunks(input, zeros, size, &got), PERFDATA_END);
			CHECK_EQ(pd_input_damage(input, NULL), limited ? PERFDATA_ELIMIT : PERFDATA_OK);
			CHECK(limited ? got < size : got == size);
			pd_input_close(input);
		}
		free(blob.bytes);
		/* A small output may have any ratio. */
		blob = compressed_of((enum pd_codec_kind)kind, zeros, 4 << 20);
		struct pd_input_options options = { .max_ratio = 10 };
		struct pd_input *input;
		CHECK_EQ(pd_input_open_memory(blob.bytes, blob.size, &options, &input, NULL), PERFDATA_OK);
		check_intact(input, zeros, 4 << 20, packings[kind], false, false);
		free(blob.bytes);
	}
	free(zeros);
}

static void test_window_limit(void)
{
	const uint8_t frame[] = { 0x28, 0xb5, 0x2f, 0xfd, 0, 0x90, 1, 0, 0 };
	struct blob blob = { (uint8_t *)(uintptr_t)frame, sizeof frame };
	if (is_there(PD_CODEC_ZSTD))
		check_damaged(&blob, 0, PERFDATA_ELIMIT, false, false);
}

/* Reading a pipe returns the bytes that are there and does not wait for more. */
static void test_pipe_is_prompt(void)
{
	for (int kind = PD_CODEC_NONE; kind <= PD_CODEC_GZIP; kind++) {
		int ends[2];
		CHECK(pipe(ends) == 0);
		struct pd_chunk_pool *pool = pd_chunk_pool_new();
		struct pd_chunk *chunk = NULL;
		struct pd_input *input;
		struct blob first = { plain, 1000 }, second = { plain + 1000, 500 };
		if (kind == PD_CODEC_GZIP && !is_there(PD_CODEC_GZIP))
			continue;
		if (kind == PD_CODEC_GZIP) {
			first = compressed_of(PD_CODEC_GZIP, plain, 1000);
			second = compressed_of(PD_CODEC_GZIP, plain + 1000, 500);
		}
		CHECK(pd_write_full(ends[1], first.bytes, first.size) == 0);
		CHECK_EQ(pd_input_open_fd(ends[0], true, NULL, &input, NULL), PERFDATA_OK);
		/* The writing end is still open: waiting for more would never end. */
		CHECK_EQ(pd_input_next_chunk(input, pool, &chunk, NULL), PERFDATA_OK);
		CHECK(chunk->size == 1000 && chunk->offset == 0 && !memcmp(chunk->data, plain, 1000));
		pd_chunk_drop(chunk);
		CHECK(pd_write_full(ends[1], second.bytes, second.size) == 0);
		CHECK_EQ(pd_input_next_chunk(input, pool, &chunk, NULL), PERFDATA_OK);
		CHECK(chunk->size == 500 && chunk->offset == 1000 && !memcmp(chunk->data, plain + 1000, 500));
		pd_chunk_drop(chunk);
		close(ends[1]);
		CHECK_EQ(pd_input_next_chunk(input, pool, &chunk, NULL), PERFDATA_END);
		CHECK_EQ(pd_input_damage(input, NULL), PERFDATA_OK);
		pd_input_close(input);
		pd_chunk_pool_free(pool);
		if (kind == PD_CODEC_GZIP) {
			free(first.bytes);
			free(second.bytes);
		}
	}
}

static void test_nonblocking_pipe(void)
{
	pid_t writer;
	int fd = pipe_with(plain, 300000, true, &writer);
	CHECK(fcntl(fd, F_SETFL, O_NONBLOCK) == 0);
	struct pd_input *input;
	CHECK_EQ(pd_input_open_fd(fd, true, NULL, &input, NULL), PERFDATA_OK);
	check_intact(input, plain, 300000, "none", true, false);
	waitpid(writer, NULL, 0);
}

static struct blob no_memory_blob;

static void work_input(void)
{
	struct pd_input_options options = { .tmpdir = directory };
	struct pd_input *input = NULL;
	struct perfdata_error error = { .status = PERFDATA_OK };
	const uint8_t *first;
	size_t got = 0;
	enum perfdata_status status = pd_input_open_memory(no_memory_blob.bytes, no_memory_blob.size, &options, &input,
							   &error);
	CHECK_EQ(status, error.status);
	if (status != PERFDATA_OK) {
		CHECK_EQ(status, PERFDATA_ENOMEM);
		return;
	}
	status = pd_input_peek(input, &first, &got, 100);
	CHECK(status == PERFDATA_ENOMEM || (status == PERFDATA_OK && got == 100 && !memcmp(first, plain, 100)));
	status = pd_input_make_seekable(input, &error);
	CHECK(status == PERFDATA_ENOMEM || (status == PERFDATA_OK && pd_input_size(input) == 2000000));
	struct pd_chunk_pool *pool = status == PERFDATA_OK ? pd_chunk_pool_new() : NULL;
	struct pd_chunk *chunk;
	status = pool ? pd_input_next_chunk(input, pool, &chunk, &error) : PERFDATA_ENOMEM;
	if (status == PERFDATA_OK) {
		CHECK(chunk->size == PD_CHUNK_SIZE && !memcmp(chunk->data, plain, chunk->size));
		pd_chunk_drop(chunk);
	} else {
		CHECK_EQ(status, PERFDATA_ENOMEM);
	}
	pd_chunk_pool_free(pool);
	pd_input_close(input);
}

static void test_no_memory(void)
{
	int total = 0;
	for (int kind = PD_CODEC_GZIP; kind <= PD_CODEC_ZSTD; kind++) {
		if (!is_there((enum pd_codec_kind)kind))
			continue;
		no_memory_blob = compressed_of((enum pd_codec_kind)kind, plain, 2000000);
		int n = 0;
		while (alloc_fail_run(n, work_input))
			n++;
		total += n;
		free(no_memory_blob.bytes);
	}
	CHECK(total > 10 || pd_codec_load(PD_CODEC_GZIP, NULL));
}

static void test_fdio(void)
{
	char *path = write_file("fdio", "0123456789", 10);
	int fd = open(path, O_RDWR);
	char buffer[20];
	CHECK_EQ(pd_pread_full(fd, buffer, sizeof buffer, 3), 7);
	CHECK(!memcmp(buffer, "3456789", 7));
	CHECK_EQ(pd_pread_full(fd, buffer, sizeof buffer, 10), 0);
	CHECK_EQ(pd_pread_full(fd, buffer, sizeof buffer, UINT64_MAX - 3), 0);
	CHECK(pd_fd_ready(fd));
	close(fd);
	CHECK(pd_read_some(fd, buffer, 1, NULL) == -1 && pd_pread_full(fd, buffer, 1, 0) == -1 &&
	      pd_write_full(fd, buffer, 1) == -1);
	CHECK(pd_write_full(fd, buffer, 0) == 0);
	remove_file(path);

	fd = pd_tempfile(directory);
	struct stat st;
	CHECK(fd >= 0 && fstat(fd, &st) == 0 && st.st_nlink == 0 && (st.st_mode & 0777) == 0600);
	CHECK(pd_write_full(fd, "abc", 3) == 0 && pd_pread_full(fd, buffer, 10, 0) == 3 && !memcmp(buffer, "abc", 3));
	close(fd);

	/* A file system without nameless files: the other way, which leaves no name either. */
	refuse_nameless = true;
	fd = pd_tempfile(directory);
	refuse_nameless = false;
	CHECK(fd >= 0 && fstat(fd, &st) == 0 && st.st_nlink == 0 && (st.st_mode & 0777) == 0600);
	CHECK(pd_write_full(fd, "abc", 3) == 0 && pd_pread_full(fd, buffer, 10, 1) == 2 && !memcmp(buffer, "bc", 2));
	close(fd);
	CHECK(rmdir(directory) == 0 && mkdir(directory, 0700) == 0);
	fd = pd_tempfile("no/such/directory");
	CHECK(fd == -1 && errno == ENOENT);
}

/* Waiting for a pipe ends when that is asked for, whether or not bytes came before. */
static void test_stopped_pipe(void)
{
	struct perfdata_cancel *cancel = perfdata_cancel_new();
	perfdata_cancel_now(cancel);
	const struct pd_input_options options = { .cancel = cancel };
	struct perfdata_error error;
	struct pd_input *input;
	char byte;
	int fds[2];

	CHECK(pipe(fds) == 0);
	CHECK(pd_read_some(fds[0], &byte, 1, cancel) == -1 && errno == EINTR);
	CHECK_EQ(pd_input_open_fd(fds[0], false, &options, &input, &error), PERFDATA_EINTR);
	CHECK_EQ(error.status, PERFDATA_EINTR);
	perfdata_cancel_free(cancel);
	close(fds[0]);
	close(fds[1]);
}

int main(void)
{
	static const struct unit_case cases[] = {
		{ "descriptors and temporary files", test_fdio },
		{ "every way in, many sizes", test_sizes },
		{ "every way in, several chunks", test_large },
		{ "descriptor after the start of a file", test_descriptor_position },
		{ "spool in a file", test_spool_file },
		{ "what cannot be opened", test_open_failures },
		{ "file that shrinks", test_shrinking_file },
		{ "read ahead", test_read_ahead },
		{ "read ahead by helpers is bounded", test_help_is_bounded },
		{ "damaged packed data", test_damaged },
		{ "ratio limit", test_ratio },
		{ "window limit", test_window_limit },
		{ "pipe gives what is there", test_pipe_is_prompt },
		{ "pipe that does not block", test_nonblocking_pipe },
		{ "pipe that is not waited for any longer", test_stopped_pipe },
		{ "without memory", test_no_memory },
	};
	plain = malloc(SIZE);
	for (size_t i = 0; i < SIZE; i++)
		plain[i] = (uint8_t)(i % 3000 < 1000 ? pd_hash_u64(i, 11) : i / 7);
	if (!mkdtemp(directory))
		return 99;
	int result = unit_main(cases, sizeof cases / sizeof *cases);
	rmdir(directory);
	free(plain);
	return result;
}
