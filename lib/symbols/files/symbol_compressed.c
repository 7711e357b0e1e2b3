/* SPDX-License-Identifier: MIT */
/* Kernel modules are often compressed. They are decompressed into memory, up to a limit. */
#include "config.h"
#include <string.h>
#include "base/fdio.h"
#include "base/memory.h"
#include "codec/codec.h"
#include "symbols/symbols.h"
#include "symbols/work/symbol_work.h"

#define MAX_COMPRESSED ((size_t)256 << 20)
#define MAX_DECOMPRESSED ((size_t)1 << 30)
#define PIECE ((size_t)1 << 20)   /* bytes decompressed at once; between pieces the work may be cancelled */

struct decompressed {
	uint8_t *data;
	size_t used, room, limit;
};

/* Not pd_vector_grow: the room is at most one byte above the limit, which distinguishes contents of the limit's size
 * from larger ones. */
static enum perfdata_status grow_output(struct pd_work *work, struct decompressed *out)
{
	size_t room = out->room ? 2 * out->room : (size_t)1 << 18;
	if (out->used > out->limit)
		return PERFDATA_ELIMIT;
	/* one byte more, so that contents of exactly this size reach their end */
	if (room > out->limit)
		room = out->limit + 1;
	if (work && pd_work_room(work, room + out->room))
		return PERFDATA_ELIMIT;
	uint8_t *data = pd_realloc(out->data, room);
	if (!data)
		return PERFDATA_ENOMEM;
	out->data = data;
	out->room = room;
	return PERFDATA_OK;
}

static enum perfdata_status decode_section(struct pd_work *work, struct pd_decoder *decoder, const uint8_t *in,
					   size_t size, struct decompressed *out)
{
	size_t at = 0;
	for (;;) {
		size_t at_before = at, used_before = out->used;
		if (out->used == out->room) {
			enum perfdata_status status = grow_output(work, out);
			if (status)
				return status;
		}
		const size_t room = out->room - out->used < PIECE ? out->room : out->used + PIECE;
		enum perfdata_status status = work ? pd_work_do(work, 1) : PERFDATA_OK;
		if (!status)
			status = pd_decoder_run(decoder, in, size, &at, out->data, room, &out->used);
		if (status == PERFDATA_END && at == size)
			return PERFDATA_OK;
		if (status < 0)
			return status;
		bool stuck = at == at_before && out->used == used_before;
		if (status == PERFDATA_DAMAGED || (stuck && out->used < room))
			return PERFDATA_EFORMAT;
	}
}

enum perfdata_status pd_unpack_bytes(struct pd_work *work, const void *compressed, size_t size, size_t limit,
				     char **ret, size_t *ret_size)
{
	enum pd_codec_kind kind = pd_codec_probe(compressed, size);
	if (kind == PD_CODEC_NONE)
		return PERFDATA_ABSENT;
	enum perfdata_status status = pd_codec_load(kind, NULL);
	if (status)
		return status;
	struct pd_decoder *decoder = pd_decoder_new(kind);
	if (!decoder)
		return PERFDATA_ENOMEM;
	/* as for sections, the compressed size limits the decompressed size */
	const size_t explained = size < limit / PD_MAX_RATIO ? size * PD_MAX_RATIO : limit;
	if (limit > explained)
		limit = explained > PD_RATIO_FREE ? explained : limit > PD_RATIO_FREE ? PD_RATIO_FREE : limit;
	struct decompressed out = { .limit = limit };
	status = decode_section(work, decoder, compressed, size, &out);
	pd_decoder_free(decoder);
	if (!status && out.used > limit)
		status = PERFDATA_ELIMIT;
	if (status) {
		pd_free(out.data);
		return status;
	}
	*ret = (char *)out.data;
	*ret_size = out.used;
	return PERFDATA_OK;
}

enum perfdata_status pd_unpack(struct pd_work *work, int fd, char **ret, size_t *ret_size)
{
	uint8_t magic[PD_CODEC_MAGIC];
	char *compressed;
	size_t size;
	const int64_t got = pd_pread_full(fd, magic, sizeof magic, 0);
	if (got < 0)
		return PERFDATA_EREAD;
	if (pd_codec_probe(magic, (size_t)got) == PD_CODEC_NONE)
		return PERFDATA_ABSENT;
	enum perfdata_status status = pd_read_within(work, fd, MAX_COMPRESSED, &compressed, &size);
	if (status)
		return status == PERFDATA_ELIMIT ? PERFDATA_EFORMAT : status;
	status = pd_unpack_bytes(work, compressed, size, MAX_DECOMPRESSED, ret, ret_size);
	pd_free(compressed);
	return status == PERFDATA_ABSENT ? PERFDATA_EFORMAT : status;
}
