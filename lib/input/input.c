/* SPDX-License-Identifier: MIT */
#include "config.h"
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/error.h"
#include "base/fdio.h"
#include "base/memory.h"
#include "base/port.h"
#include "base/regular.h"
#include "input/input_impl.h"

/* --- open and close --- */

static struct pd_input *input_new(const struct pd_input_options *options)
{
	struct pd_input *input = pd_calloc(1, sizeof *input);
	if (!input)
		return NULL;
	input->fd = -1;
	input->stop = UINT64_MAX;
	if (!options)
		return input;
	input->max_spool = options->max_spool;
	input->max_ratio = options->max_ratio;
	input->cancel = options->cancel;
	if (options->tmpdir) {
		input->tmpdir = pd_strndup(options->tmpdir, strlen(options->tmpdir));
		if (!input->tmpdir) {
			pd_free(input);
			return NULL;
		}
	}
	return input;
}

void pd_input_close(struct pd_input *input)
{
	if (!input)
		return;
	pd_chunks_ahead_free(input);
	pd_source_finish(input);
	if (input->own_fd && input->fd >= 0)
		close(input->fd);
	pd_free(input->own_memory);
	pd_free(input->peek);
	pd_free(input->tmpdir);
	pd_free(input);
}

static enum perfdata_status finish_open(struct pd_input *input, struct pd_input **ret, struct perfdata_error *reterr)
{
	enum perfdata_status status = pd_source_start(input, reterr);
	if (status != PERFDATA_OK) {
		/* if opening fails, the caller keeps the descriptor */
		input->own_fd = false;
		pd_input_close(input);
		return status;
	}
	*ret = input;
	return PERFDATA_OK;
}

/* Finds position and size. The input begins at the descriptor's file position. Block devices have a size too. */
static bool find_extent(int fd, const struct stat *st, uint64_t *ret_base, uint64_t *ret_size)
{
	if (!S_ISREG(st->st_mode) && !S_ISBLK(st->st_mode))
		return false;
	off_t base = lseek(fd, 0, SEEK_CUR);
	if (base < 0)
		return false;
	off_t end = st->st_size;
	if (S_ISBLK(st->st_mode)) {
		end = lseek(fd, 0, SEEK_END);
		if (end < 0 || lseek(fd, base, SEEK_SET) < 0)
			return false;
	}
	*ret_base = (uint64_t)base;
	*ret_size = end > base ? (uint64_t)(end - base) : 0;
	return true;
}

enum perfdata_status pd_input_open_fd(int fd, bool own_fd, const struct pd_input_options *options,
				      struct pd_input **ret, struct perfdata_error *reterr)
{
	struct stat st;
	if (pd_fstat(fd, &st) < 0)
		return pd_error_errno(reterr, pd_status_of_read(errno), PERFDATA_NO_OFFSET, errno, "cannot be read");
	if (S_ISDIR(st.st_mode))
		return pd_error(reterr, PERFDATA_EUSAGE, PERFDATA_NO_OFFSET, "is a directory");
	struct pd_input *input = input_new(options);
	if (!input)
		return pd_error(reterr, PERFDATA_ENOMEM, PERFDATA_NO_OFFSET, "out of memory");
	input->fd = fd;
	input->own_fd = own_fd;
	if (find_extent(fd, &st, &input->base, &input->size)) {
		input->source = PD_SOURCE_FILE;
		input->mtime = S_ISREG(st.st_mode) ? pd_nanoseconds(pd_modified(&st)) : 0;
		pd_read_sequentially(fd);
	} else {
		input->source = PD_SOURCE_PIPE;
		input->was_pipe = true;
	}
	return finish_open(input, ret, reterr);
}

/* fd: the result of open(2); if it is -1, errno is still set. */
static enum perfdata_status open_own(int fd, const struct pd_input_options *options, struct pd_input **ret,
				     struct perfdata_error *reterr)
{
	if (fd < 0 && errno == EINTR)
		return pd_error(reterr, PERFDATA_EINTR, PERFDATA_NO_OFFSET, "interrupted before it was opened");
	if (fd < 0) {
		const enum perfdata_status status = pd_status_of_errno(errno);
		return pd_error_errno(reterr, status == PERFDATA_ABSENT ? PERFDATA_EREAD : status, PERFDATA_NO_OFFSET,
				      errno, "cannot be opened");
	}
	const enum perfdata_status status = pd_input_open_fd(fd, true, options, ret, reterr);
	if (status != PERFDATA_OK)
		close(fd);
	return status;
}

enum perfdata_status pd_input_open_path(const char *path, const struct pd_input_options *options,
					struct pd_input **ret, struct perfdata_error *reterr)
{
	return open_own(pd_open_given(path, options ? options->cancel : NULL), options, ret, reterr);
}

enum perfdata_status pd_input_open_regular(const char *path, const struct pd_input_options *options,
					   struct pd_input **ret, struct perfdata_error *reterr)
{
	const int fd = pd_open_regular(path, PD_REGULAR_ANY);
	if (fd < 0 && errno == EINVAL)
		return pd_error(reterr, PERFDATA_EREAD, PERFDATA_NO_OFFSET, "no regular file");
	return open_own(fd, options, ret, reterr);
}

enum perfdata_status pd_input_open_memory(const void *bytes, size_t size, const struct pd_input_options *options,
					  struct pd_input **ret, struct perfdata_error *reterr)
{
	struct pd_input *input = input_new(options);
	if (!input)
		return pd_error(reterr, PERFDATA_ENOMEM, PERFDATA_NO_OFFSET, "out of memory");
	input->source = PD_SOURCE_MEMORY;
	input->memory = bytes;
	input->size = size;
	return finish_open(input, ret, reterr);
}

enum perfdata_status pd_input_open_source(enum pd_source source, struct pd_feed *feed,
					  const struct pd_input_options *options, struct pd_input **ret,
					  struct perfdata_error *reterr)
{
	struct pd_input *input = input_new(options);
	if (!input)
		return pd_error(reterr, PERFDATA_ENOMEM, PERFDATA_NO_OFFSET, "out of memory");
	input->source = source;
	input->feed = feed;
	input->was_pipe = true;
	return finish_open(input, ret, reterr);
}

enum perfdata_status pd_input_open_calls(const struct pd_input_calls *calls, const struct pd_input_options *options,
					 struct pd_input **ret, struct perfdata_error *reterr)
{
	const bool seeks = calls->read_at && calls->length;
	if (!seeks && !calls->read)
		return pd_error(reterr, PERFDATA_EUSAGE, PERFDATA_NO_OFFSET, "the input has no function that reads");
	if (!calls->read_at != !calls->length)
		return pd_error(reterr, PERFDATA_EUSAGE, PERFDATA_NO_OFFSET,
				"the input has one of read_at and length: both are needed to seek");
	struct pd_input *input = input_new(options);
	if (!input)
		return pd_error(reterr, PERFDATA_ENOMEM, PERFDATA_NO_OFFSET, "out of memory");
	input->called = true;
	input->calls = *calls;
	input->was_pipe = !seeks;
	input->source = seeks ? PD_SOURCE_FILE : PD_SOURCE_PIPE;
	const int code = seeks ? calls->length(calls->user, &input->size) : 0;
	if (!code)
		return finish_open(input, ret, reterr);
	pd_input_close(input);
	return pd_error_errno(reterr, PERFDATA_EREAD, PERFDATA_NO_OFFSET, code, "cannot be read");
}

/* --- recognizing the kind of a file --- */

bool pd_input_seekable(const struct pd_input *input)
{
	return input->source != PD_SOURCE_PIPE && input->source != PD_SOURCE_FED && !input->decoder;
}

uint64_t pd_input_size(const struct pd_input *input) { return pd_input_seekable(input) ? input->size : UINT64_MAX; }

bool pd_input_is_pipe(const struct pd_input *input) { return input->was_pipe; }

int64_t pd_input_mtime(const struct pd_input *input) { return input->mtime / 1000000000; }

int64_t pd_input_written(const struct pd_input *input) { return input->mtime; }

const char *pd_input_packing(const struct pd_input *input)
{
	switch (input->packing) {
	case PD_CODEC_GZIP: return "gzip";
	case PD_CODEC_ZSTD: return "zstd";
	case PD_CODEC_XZ: return "xz";
	case PD_CODEC_NONE: break;
	}
	return "none";
}

enum perfdata_status pd_input_damage(const struct pd_input *input, uint64_t *ret_compressed_offset)
{
	const enum perfdata_status damage = input->ahead ? input->last_step.damage : input->damage;
	if (damage != PERFDATA_OK && ret_compressed_offset)
		*ret_compressed_offset = input->ahead ? input->last_step.damage_offset : input->damage_offset;
	return damage;
}

enum perfdata_status pd_input_read_error(const struct pd_input *input, struct perfdata_error *reterr)
{
	return pd_error_errno(reterr, PERFDATA_EREAD, input->damage_offset, input->damage_errno, "cannot be read");
}

void pd_input_go_on(struct pd_input *input) { input->goes_on = true; }

bool pd_input_went_on(struct pd_input *input, uint64_t *ret_break_offset, uint64_t *ret_found_offset)
{
	const bool went_on = input->last_step.went_on;
	*ret_break_offset = input->last_step.break_offset;
	*ret_found_offset = input->last_step.found_offset;
	input->last_step.went_on = false;
	return went_on;
}

void pd_input_read_ahead(struct pd_input *input)
{
	input->may_read_ahead = input->source != PD_SOURCE_PIPE && !input->called && !input->feed;
}

void pd_input_let_help(struct pd_input *input)
{
	input->has_helpers = true;
	pd_input_read_ahead(input);
}

/* --- reading --- */

/* Returns the bytes at `offset` of an input in memory. */
static size_t copy_memory(const struct pd_input *input, uint64_t offset, void *buffer, size_t size)
{
	const uint64_t left = offset < input->size ? input->size - offset : 0;
	const size_t part = left < size ? (size_t)left : size;
	if (part)
		memcpy(buffer, input->memory + offset, part);
	return part;
}

enum perfdata_status pd_input_read_at(struct pd_input *input, uint64_t offset, void *buffer, size_t size,
				      size_t *ret_size)
{
	if (!pd_input_seekable(input))
		return PERFDATA_EUSAGE;
	if (input->source == PD_SOURCE_MEMORY) {
		*ret_size = copy_memory(input, offset, buffer, size);
		return PERFDATA_OK;
	}
	int64_t got = 0;
	if (offset <= INT64_MAX - input->base)
		got = pd_source_pread(input, buffer, size, offset);
	if (got < 0) {
		input->damage = PERFDATA_EREAD;
		input->damage_offset = offset;
		input->damage_errno = errno;
		return PERFDATA_EREAD;
	}
	*ret_size = (size_t)got;
	return PERFDATA_OK;
}

size_t pd_input_read_cached(const struct pd_input *input, uint64_t offset, void *buffer, size_t size)
{
	if (input->decoder)
		return 0;
	if (input->source == PD_SOURCE_MEMORY)
		return copy_memory(input, offset, buffer, size);
	if (input->source != PD_SOURCE_FILE || input->called || input->feed || offset > INT64_MAX - input->base)
		return 0;
	const int64_t got = pd_pread_cached(input->fd, buffer, size, input->base + offset);
	return got < 0 ? 0 : (size_t)got;
}

int pd_input_reread(const struct pd_input *input, uint64_t offset, void *buffer, size_t size)
{
	if (input->source == PD_SOURCE_MEMORY)
		return copy_memory(input, offset, buffer, size) == size ? 0 : ENODATA;
	const int64_t got = pd_pread_full(input->fd, buffer, size, input->base + offset);
	return got < 0 ? errno : (size_t)got == size ? 0 : ENODATA;
}

/* Reads ahead until the peek buffer holds `size` bytes or the input ends. */
static enum perfdata_status fill_peek(struct pd_input *input, size_t size)
{
	while (input->peek_size < size) {
		size_t got = 0;
		enum perfdata_status status;
		if (pd_input_seekable(input))
			status = pd_input_read_at(input, input->peek_size, input->peek + input->peek_size,
						  PD_INPUT_PEEK - input->peek_size, &got);
		else
			status = pd_source_read(input, input->peek + input->peek_size, PD_INPUT_PEEK - input->peek_size,
						!pd_input_waits(input), &got);
		if (status != PERFDATA_OK)
			return status;
		if (!got)
			break;
		input->peek_size += got;
	}
	return PERFDATA_OK;
}

enum perfdata_status pd_input_peek(struct pd_input *input, const uint8_t **ret_bytes, size_t *ret_size, size_t size)
{
	if (size > PD_INPUT_PEEK)
		size = PD_INPUT_PEEK;
	if (!input->peek)
		input->peek = pd_malloc(PD_INPUT_PEEK);
	if (!input->peek)
		return PERFDATA_ENOMEM;
	/* after the first chunk of a stream, only the bytes in the peek buffer are available */
	if (pd_input_seekable(input) || !input->at) {
		enum perfdata_status status = fill_peek(input, size);
		if (status != PERFDATA_OK)
			return status;
	}
	if (input->peek_size < size && input->damage == PERFDATA_EINTR)
		return PERFDATA_EINTR;
	if (input->peek_size < size && pd_input_waits(input) && !input->ended)
		return PERFDATA_AGAIN;
	if (!input->peek_size && input->damage == PERFDATA_EREAD)
		return PERFDATA_EREAD;
	*ret_bytes = input->peek;
	*ret_size = input->peek_size < size ? input->peek_size : size;
	return PERFDATA_OK;
}

enum perfdata_status pd_input_seek(struct pd_input *input, uint64_t offset, uint64_t end)
{
	if (!pd_input_seekable(input))
		return PERFDATA_EUSAGE;
	pd_chunks_ahead_stop(input);
	input->at = offset;
	input->stop = end;
	return PERFDATA_OK;
}

/* Fills a chunk from a stream: with the peek buffer, then with bytes that are available without waiting, at least
 * one. */
static enum perfdata_status fill_in_order(struct pd_input *input, struct pd_chunk *chunk)
{
	if (input->at < input->peek_size) {
		chunk->size = input->peek_size - (size_t)input->at;
		memcpy(chunk->data, input->peek + input->at, chunk->size);
	}
	/* bytes after a break go into another chunk */
	if (chunk->size && input->lost)
		return PERFDATA_OK;
	const bool wait = !chunk->size && !pd_input_waits(input);
	const enum perfdata_status status = pd_source_read(input, chunk->data, PD_CHUNK_SIZE, wait, &chunk->size);
	if (input->source == PD_SOURCE_FED)
		pd_fed_forget(input);
	return chunk->size ? PERFDATA_OK : status;
}

static enum perfdata_status fill_by_offset(struct pd_input *input, struct pd_chunk *chunk)
{
	uint64_t left = input->at < input->stop ? input->stop - input->at : 0;
	size_t wanted = left < PD_CHUNK_SIZE ? (size_t)left : PD_CHUNK_SIZE;
	return wanted ? pd_input_read_at(input, input->at, chunk->data, wanted, &chunk->size) : PERFDATA_OK;
}

static enum perfdata_status read_chunk(struct pd_input *input, struct pd_chunk_pool *pool, struct pd_chunk **ret,
				       struct perfdata_error *reterr)
{
	struct pd_chunk *chunk = pd_chunk_get(pool);
	if (!chunk)
		return pd_error(reterr, PERFDATA_ENOMEM, input->at, "out of memory");
	enum perfdata_status status = pd_input_seekable(input) ? fill_by_offset(input, chunk)
							       : fill_in_order(input, chunk);
	if (status == PERFDATA_OK && chunk->size) {
		chunk->offset = input->at;
		input->at += chunk->size;
		*ret = chunk;
		return PERFDATA_OK;
	}
	pd_chunk_drop(chunk);
	if (status == PERFDATA_ENOMEM)
		return pd_error(reterr, PERFDATA_ENOMEM, input->at, "out of memory");
	if (pd_input_waits(input) && !input->ended)
		return pd_fed_nothing_yet(input, reterr);
	if (input->damage == PERFDATA_EINTR)
		return pd_error_of_status(reterr, PERFDATA_EINTR, input->at);
	/* a failed read after good bytes is damage; before any byte it is an error */
	if (input->damage == PERFDATA_EREAD && !input->at)
		return pd_input_read_error(input, reterr);
	return PERFDATA_END;
}

void pd_input_step(struct pd_input *input, struct pd_chunk_pool *pool, struct pd_input_step *ret)
{
	*ret = (struct pd_input_step){ .error.offset = PERFDATA_NO_OFFSET };
	ret->status = read_chunk(input, pool, &ret->chunk, &ret->error);
	ret->damage = input->damage;
	ret->damage_offset = input->damage_offset;
	if (ret->status == PERFDATA_AGAIN)
		return;
	ret->went_on = input->found;
	ret->break_offset = input->break_offset;
	ret->found_offset = input->found_offset;
	input->found = false;
}

enum perfdata_status pd_input_next_chunk(struct pd_input *input, struct pd_chunk_pool *pool, struct pd_chunk **ret,
					 struct perfdata_error *reterr)
{
	pd_chunks_ahead_step(input, pool, &input->last_step);
	if (input->last_step.status == PERFDATA_OK)
		*ret = input->last_step.chunk;
	else if (reterr && input->last_step.status < 0)
		*reterr = input->last_step.error;
	return input->last_step.status;
}
