/* SPDX-License-Identifier: MIT */
#include "config.h"
#include <errno.h>
#include <string.h>
#include <unistd.h>
#include "base/error.h"
#include "base/memory.h"
#include "base/spool.h"
#include "input/input_impl.h"

#define SPOOL_MEMORY ((size_t)8 << 20)
#define SPOOL_STEP ((size_t)1 << 20)

/* The bytes read so far: in memory while they are few, then in a file, and the buffer is used again and again. */
struct spool {
	struct pd_spool file;
	uint8_t *buffer;
	size_t capacity, used;
};

static enum perfdata_status flush(struct spool *spool, const struct pd_input *input, struct perfdata_error *reterr)
{
	if (pd_spool_make(&spool->file))
		return pd_error_errno(reterr, PERFDATA_EWRITE, PERFDATA_NO_OFFSET, errno,
				      "cannot make a temporary file in %s", input->tmpdir ? input->tmpdir : "/tmp");
	if (pd_spool_append(&spool->file, spool->buffer, spool->used))
		return pd_error_errno(reterr, PERFDATA_EWRITE, spool->file.size, errno,
				      "cannot write a temporary file in %s", input->tmpdir ? input->tmpdir : "/tmp");
	spool->used = 0;
	return PERFDATA_OK;
}

/* Room for another step. */
static enum perfdata_status make_room(struct spool *spool, const struct pd_input *input, struct perfdata_error *reterr)
{
	if (spool->used < spool->capacity)
		return PERFDATA_OK;
	if (spool->capacity >= SPOOL_MEMORY)
		return flush(spool, input, reterr);
	const size_t last = spool->capacity ? spool->capacity : SPOOL_STEP - 1;
	return pd_vector_grow(&spool->buffer, &spool->capacity, last, 1) < 0
		       ? pd_error(reterr, PERFDATA_ENOMEM, PERFDATA_NO_OFFSET, "out of memory")
		       : PERFDATA_OK;
}

static enum perfdata_status read_all(struct spool *spool, struct pd_input *input, struct perfdata_error *reterr)
{
	for (;;) {
		enum perfdata_status status = make_room(spool, input, reterr);
		if (status != PERFDATA_OK)
			return status;
		/* The bytes of the peek buffer come first. */
		size_t got = 0;
		if (!spool->used && !spool->file.size && input->peek_size) {
			got = input->peek_size;
			memcpy(spool->buffer, input->peek, got);
		} else {
			status = pd_source_read(input, spool->buffer + spool->used, spool->capacity - spool->used, true,
						&got);
		}
		if (status != PERFDATA_OK)
			return pd_error(reterr, status, spool->file.size + spool->used, "out of memory");
		spool->used += got;
		if (input->max_spool && spool->file.size + spool->used > input->max_spool)
			return pd_error(reterr, PERFDATA_ELIMIT, input->max_spool,
					"larger than the limit for temporary files");
		if (!got && input->damage == PERFDATA_EINTR)
			return pd_error(reterr, PERFDATA_EINTR, PERFDATA_NO_OFFSET, "%s",
					perfdata_status_text(PERFDATA_EINTR));
		if (!got)
			return spool->file.fd < 0 ? PERFDATA_OK : flush(spool, input, reterr);
	}
}

enum perfdata_status pd_input_make_seekable(struct pd_input *input, struct perfdata_error *reterr)
{
	if (pd_input_seekable(input))
		return PERFDATA_OK;
	if (input->at)
		return pd_error(reterr, PERFDATA_EUSAGE, input->at, "the beginning of the input was used already");

	struct spool spool = { .used = 0 };
	pd_spool_init(&spool.file, input->tmpdir);
	enum perfdata_status status = read_all(&spool, input, reterr);
	if (status != PERFDATA_OK) {
		pd_spool_release(&spool.file);
		pd_free(spool.buffer);
		return status;
	}
	pd_source_finish(input);
	if (input->own_fd)
		close(input->fd);
	input->fd = spool.file.fd;
	input->called = false;
	input->own_fd = spool.file.fd >= 0;
	input->base = 0;
	input->size = spool.file.size + spool.used;
	if (spool.file.fd >= 0) {
		input->source = PD_SOURCE_FILE;
		pd_free(spool.buffer);
	} else {
		input->source = PD_SOURCE_MEMORY;
		input->memory = input->own_memory = spool.buffer;
	}
	return PERFDATA_OK;
}
