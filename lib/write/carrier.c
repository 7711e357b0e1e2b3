/* SPDX-License-Identifier: MIT */
/* Compressed records. Each carrier holds whole records and is a zstd frame of its own, so that readers may decompress a
 * carrier without the others, leave carriers out, and continue after a damaged one. */
#include "config.h"
#include "base/checked.h"
#include "base/memory.h"
#include "write/writer.h"

#define CARRIED 60000u                /* bytes of records in a carrier: they fit even if they do not compress */
#define PAGE 4096u                    /* perf requires that mmap_len is a multiple of it */

/* Compresses the records that wait into `out`; false where the result does not fit, or on failure. */
static bool pack_block(struct pd_writer *writer, uint8_t *out, size_t room, size_t *ret_size,
		       enum perfdata_status *ret_status)
{
	size_t used = 0, made = 0;

	if (writer->encoder)
		pd_encoder_reset(writer->encoder);
	else
		writer->encoder = pd_encoder_new(PD_CODEC_ZSTD, writer->options.level);
	if (!writer->encoder) {
		*ret_status = pd_writer_failed(writer, PERFDATA_ENOMEM, NULL);
		return false;
	}
	const enum perfdata_status status = pd_encoder_run(writer->encoder, writer->pending, writer->pending_size,
							   &used, out, room, &made, true);
	*ret_size = made;
	if (status < 0)
		*ret_status = pd_writer_failed(writer, status, "records cannot be compressed");
	return status == PERFDATA_END;
}

static void put_header(const struct pd_writer *writer, uint8_t *out, uint32_t type, size_t size)
{
	struct pd_encode e = { .start = out, .at = out, .end = out + 8, .swap = writer->swap };
	pd_put_int(&e, 4, type);
	pd_put_int(&e, 2, 0);
	pd_put_int(&e, 2, size);
}

enum perfdata_status pd_carrier_flush(struct pd_writer *writer)
{
	uint8_t out[PD_RECORD_ROOM];
	const bool second = writer->options.carrier == PD_CARRIER_COMPRESSED2;
	const size_t head = second ? 16 : 8;
	enum perfdata_status status = PERFDATA_OK;
	size_t size;

	if (!writer->pending_size)
		return PERFDATA_OK;
	const bool fits = pack_block(writer, out + head, UINT16_MAX - 7 - head, &size, &status);
	if (status != PERFDATA_OK)
		return status;
	if (!fits) {
		status = pd_writer_put(writer, writer->pending, writer->pending_size);
		writer->pending_size = 0;
		return status;
	}
	size_t whole = head + size;
	if (second) {
		struct pd_encode e = { .start = out + 8, .at = out + 8, .end = out + 16, .swap = writer->swap };
		pd_put_int(&e, 8, size);
		whole = (size_t)pd_align8(whole);
		memset(out + head + size, 0, whole - head - size);
	}
	put_header(writer, out, second ? PERFDATA_RECORD_COMPRESSED2 : PERFDATA_RECORD_COMPRESSED, whole);
	writer->compressed += size;
	writer->decompressed += writer->pending_size;
	if (writer->pending_size > writer->largest)
		writer->largest = (uint32_t)writer->pending_size;
	writer->pending_size = 0;
	return pd_writer_put(writer, out, whole);
}

enum perfdata_status pd_carrier_put(struct pd_writer *writer, const void *bytes, size_t size)
{
	if (!writer->pending && !(writer->pending = pd_malloc(PD_RECORD_ROOM)))
		return pd_writer_failed(writer, PERFDATA_ENOMEM, NULL);
	if (writer->pending_size && writer->pending_size + size > CARRIED) {
		const enum perfdata_status status = pd_carrier_flush(writer);
		if (status != PERFDATA_OK)
			return status;
	}
	memcpy(writer->pending + writer->pending_size, bytes, size);
	writer->pending_size += size;
	return PERFDATA_OK;
}

void pd_carrier_section(const struct pd_writer *writer, struct perfdata_text *out)
{
	const uint32_t zstd = 1, largest = writer->largest ? writer->largest : PD_RECORD_ROOM;

	pd_text_int(writer, out, 4, 0);
	pd_text_int(writer, out, 4, zstd);
	pd_text_int(writer, out, 4, (uint32_t)writer->options.level);
	pd_text_int(writer, out, 4, writer->compressed ? writer->decompressed / writer->compressed : 1);
	pd_text_int(writer, out, 4, (largest + PAGE - 1) / PAGE * PAGE);
}
