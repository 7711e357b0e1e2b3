/* SPDX-License-Identifier: MIT */
#include "config.h"
#include <string.h>
#include "base/error.h"
#include "base/memory.h"
#include "input/input_spool.h"

#define SPOOL_STEP ((size_t)1 << 20)

void pd_input_spool_init(struct pd_input_spool *spool, const char *tmpdir, uint64_t memory, uint64_t max)
{
	*spool = (struct pd_input_spool){ .memory = memory, .max = max };
	pd_spool_init(&spool->file, tmpdir);
}

void pd_input_spool_release(struct pd_input_spool *spool)
{
	pd_spool_release(&spool->file);
	pd_free(spool->buffer);
	spool->buffer = NULL;
	spool->capacity = spool->used = 0;
}

uint64_t pd_input_spool_size(const struct pd_input_spool *spool) { return spool->file.size + spool->used; }

void pd_input_spool_empty(struct pd_input_spool *spool)
{
	pd_spool_release(&spool->file);
	spool->used = 0;
}

static enum perfdata_status write_out(struct pd_input_spool *spool, struct perfdata_error *reterr)
{
	if (pd_spool_make(&spool->file))
		return pd_spool_error(&spool->file, "make", reterr);
	if (pd_spool_append(&spool->file, spool->buffer, spool->used))
		return pd_spool_error(&spool->file, "write", reterr);
	spool->used = 0;
	return PERFDATA_OK;
}

enum perfdata_status pd_input_spool_flush(struct pd_input_spool *spool, struct perfdata_error *reterr)
{
	return spool->file.fd < 0 || !spool->used ? PERFDATA_OK : write_out(spool, reterr);
}

enum perfdata_status pd_input_spool_make_room(struct pd_input_spool *spool, struct perfdata_error *reterr)
{
	if (spool->used < spool->capacity)
		return PERFDATA_OK;
	if (spool->capacity >= spool->memory && spool->capacity)
		return write_out(spool, reterr);
	const size_t last = spool->capacity ? spool->capacity : SPOOL_STEP - 1;
	return pd_vector_grow(&spool->buffer, &spool->capacity, last, 1) < 0
		       ? pd_error(reterr, PERFDATA_ENOMEM, PERFDATA_NO_OFFSET, "out of memory")
		       : PERFDATA_OK;
}

static enum perfdata_status check_limit(const struct pd_input_spool *spool, uint64_t more,
					struct perfdata_error *reterr)
{
	if (!spool->max || pd_input_spool_size(spool) + more <= spool->max)
		return PERFDATA_OK;
	return pd_error(reterr, PERFDATA_ELIMIT, spool->max, "larger than the limit for temporary files");
}

enum perfdata_status pd_input_spool_filled(struct pd_input_spool *spool, size_t size, struct perfdata_error *reterr)
{
	spool->used += size;
	return check_limit(spool, 0, reterr);
}

enum perfdata_status pd_input_spool_add(struct pd_input_spool *spool, const void *bytes, size_t size,
					struct perfdata_error *reterr)
{
	enum perfdata_status status = check_limit(spool, size, reterr);
	for (size_t done = 0; status == PERFDATA_OK && done < size;) {
		status = pd_input_spool_make_room(spool, reterr);
		if (status != PERFDATA_OK)
			break;
		const size_t room = spool->capacity - spool->used, part = size - done < room ? size - done : room;
		memcpy(spool->buffer + spool->used, (const uint8_t *)bytes + done, part);
		spool->used += part;
		done += part;
	}
	return status;
}

int64_t pd_input_spool_read(const struct pd_input_spool *spool, uint64_t offset, void *buffer, size_t size)
{
	const uint64_t written = spool->file.size, in_file = offset < written ? written - offset : 0;
	const size_t first = in_file < size ? (size_t)in_file : size;
	if (first && pd_spool_read(&spool->file, offset, buffer, first))
		return -1;
	const uint64_t at = offset + first - written;   /* offset in the buffer, which follows the file */
	const size_t left = first < size && at < spool->used ? spool->used - (size_t)at : 0,
		     part = size - first < left ? size - first : left;
	if (part)
		memcpy((uint8_t *)buffer + first, spool->buffer + (size_t)at, part);
	return (int64_t)(first + part);
}
