/* SPDX-License-Identifier: MIT */
/* Reads a baseline from a file, which may be compressed. */
#include "config.h"
#include <string.h>
#include "base/error.h"
#include "base/memory.h"
#include "input/input.h"
#include "profile/baseline.h"
#include "profile/profile.h"

struct bytes {
	char *data;
	size_t size, room;
};

static enum perfdata_status append_chunk(struct bytes *bytes, const struct pd_chunk *chunk, uint64_t most,
					 struct perfdata_error *reterr)
{
	if (chunk->size > most || bytes->size > most - chunk->size)
		return pd_error(reterr, PERFDATA_ELIMIT, bytes->size, "a baseline of more than %llu bytes",
				(unsigned long long)most);
	if (pd_vector_grow(&bytes->data, &bytes->room, bytes->size + chunk->size, 1) < 0)
		return pd_error_of_status(reterr, PERFDATA_ENOMEM, bytes->size);
	memcpy(bytes->data + bytes->size, chunk->data, chunk->size);
	bytes->size += chunk->size;
	return PERFDATA_OK;
}

static enum perfdata_status read_all(struct pd_input *input, struct bytes *bytes, uint64_t most,
				     struct perfdata_error *reterr)
{
	struct pd_chunk_pool *pool = pd_chunk_pool_new();
	struct pd_chunk *chunk;
	enum perfdata_status status;
	if (!pool)
		return pd_error(reterr, PERFDATA_ENOMEM, PERFDATA_NO_OFFSET, "%s",
				perfdata_status_text(PERFDATA_ENOMEM));
	while ((status = pd_input_next_chunk(input, pool, &chunk, reterr)) == PERFDATA_OK) {
		status = append_chunk(bytes, chunk, most, reterr);
		pd_chunk_drop(chunk);
		if (status != PERFDATA_OK)
			break;
	}
	pd_chunk_pool_free(pool);
	if (status == PERFDATA_END && pd_input_damage(input, NULL) != PERFDATA_OK)
		return pd_error(reterr, PERFDATA_EFORMAT, bytes->size, "the packed baseline is damaged");
	return status == PERFDATA_END ? PERFDATA_OK : status;
}

enum perfdata_status perfdata_baseline_read(struct perfdata_baseline *baseline, const char *path, uint64_t max_size,
					    const struct perfdata_cancel *cancel, struct perfdata_error *reterr)
{
	const struct pd_input_options options = { .max_ratio = 1000, .cancel = cancel };
	struct pd_input *input;
	struct bytes bytes = { 0 };
	const uint8_t *first;
	size_t nr = 0;
	enum perfdata_status status = pd_input_open_path(path, &options, &input, reterr);
	if (status != PERFDATA_OK)
		return status == PERFDATA_EUSAGE ? PERFDATA_ABSENT : status;   /* a directory */
	status = pd_input_peek(input, &first, &nr, strlen(PD_BASELINE_MAGIC) + 1);
	if (status != PERFDATA_OK || !pd_baseline_is(first, nr))
		status = status < 0 ? pd_error_of_status(reterr, status, 0) : PERFDATA_ABSENT;
	if (status == PERFDATA_OK)
		status = read_all(input, &bytes, max_size ? max_size : SIZE_MAX, reterr);
	pd_input_close(input);
	if (status == PERFDATA_OK)
		status = perfdata_baseline_add(baseline, bytes.data, bytes.size, reterr);
	pd_free(bytes.data);
	return status;
}
