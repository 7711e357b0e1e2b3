/* SPDX-License-Identifier: MIT */
/* Holds the data section of a file until its size is known: in memory while it is small, then in an unlinked temporary
 * file. */
#include "config.h"
#include "base/error.h"
#include "base/memory.h"
#include "write/writer.h"

static enum perfdata_status flush_spool(struct pd_writer *writer)
{
	struct pd_write_spool *spool = &writer->spool;

	if (pd_spool_make(&spool->file))
		return pd_spool_error(&spool->file, "make", &writer->error);
	if (pd_spool_append(&spool->file, spool->buffer, spool->used))
		return pd_spool_error(&spool->file, "write", &writer->error);
	spool->used = 0;
	return PERFDATA_OK;
}

enum perfdata_status pd_write_spool_put(struct pd_writer *writer, const void *bytes, size_t size)
{
	struct pd_write_spool *spool = &writer->spool;
	const uint8_t *at = bytes;

	if (!spool->buffer && !(spool->buffer = pd_malloc(PD_SPOOL_BUFFER)))
		return pd_writer_failed(writer, PERFDATA_ENOMEM, NULL);
	if (writer->options.max_spool && pd_write_spool_size(spool) + size > writer->options.max_spool)
		return pd_writer_failed(writer, PERFDATA_ELIMIT,
					"the records need more temporary space than is allowed");
	while (size) {
		if (spool->used == PD_SPOOL_BUFFER) {
			const enum perfdata_status status = flush_spool(writer);
			if (status != PERFDATA_OK)
				return status;
		}
		const size_t room = PD_SPOOL_BUFFER - spool->used, step = size < room ? size : room;
		memcpy(spool->buffer + spool->used, at, step);
		spool->used += step;
		at += step;
		size -= step;
	}
	return PERFDATA_OK;
}

enum perfdata_status pd_write_spool_copy(struct pd_writer *writer)
{
	struct pd_write_spool *spool = &writer->spool;
	const uint64_t in_file = spool->file.size;
	enum perfdata_status status = PERFDATA_OK;
	uint8_t *buffer = in_file ? pd_malloc(PD_SPOOL_BUFFER) : NULL;

	if (in_file && !buffer)
		return pd_writer_failed(writer, PERFDATA_ENOMEM, NULL);
	for (uint64_t at = 0; at < in_file && status == PERFDATA_OK;) {
		const uint64_t left = in_file - at;
		const size_t want = left < PD_SPOOL_BUFFER ? (size_t)left : PD_SPOOL_BUFFER;
		if (pd_spool_read(&spool->file, at, buffer, want))
			status = pd_spool_error(&spool->file, "read", &writer->error);
		else
			status = pd_writer_out(writer, buffer, want);
		at += want;
	}
	pd_free(buffer);
	return status == PERFDATA_OK ? pd_writer_out(writer, spool->buffer, spool->used) : status;
}

void pd_write_spool_release(struct pd_write_spool *spool)
{
	pd_free(spool->buffer);
	pd_spool_release(&spool->file);
}
