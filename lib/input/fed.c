/* SPDX-License-Identifier: MIT */
/* Bytes that a program feeds as it gets them, and the input that reads them without ever waiting. The bytes that
 * readers get do not depend on how the program cut them into pieces. */
#include "config.h"
#include <errno.h>
#include "base/cancel.h"
#include "base/error.h"
#include "base/memory.h"
#include "input/input_impl.h"

struct pd_feed *pd_feed_new(const char *tmpdir, uint64_t memory, uint64_t max)
{
	struct pd_feed *feed = pd_calloc(1, sizeof *feed);
	if (feed)
		pd_input_spool_init(&feed->spool, tmpdir, memory ? memory : PD_INPUT_SPOOL_MEMORY, max);
	return feed;
}

void pd_feed_free(struct pd_feed *feed)
{
	if (!feed)
		return;
	pd_input_spool_release(&feed->spool);
	pd_free(feed);
}

enum perfdata_status pd_feed_add(struct pd_feed *feed, const void *bytes, size_t size, struct perfdata_error *reterr)
{
	if (feed->error.status == PERFDATA_OK)
		(void)pd_input_spool_add(&feed->spool, bytes, size, &feed->error);
	if (feed->error.status != PERFDATA_OK && reterr)
		*reterr = feed->error;
	return feed->error.status;
}

enum perfdata_status pd_feed_end(struct pd_feed *feed, struct perfdata_error *reterr)
{
	if (feed->error.status == PERFDATA_OK)
		feed->ended = true;
	else if (reterr)
		*reterr = feed->error;
	return feed->error.status;
}

bool pd_feed_has_ended(const struct pd_feed *feed)
{
	return feed->ended;
}

void pd_feed_needs_all(struct pd_feed *feed)
{
	feed->needs_all = true;
}

/* Bytes that were fed but not yet read. */
static uint64_t bytes_left(const struct pd_input *input)
{
	const struct pd_feed *feed = input->feed;
	return feed->nr_consumed + pd_input_spool_size(&feed->spool) - input->raw_at;
}

bool pd_fed_is_ready(const struct pd_input *input, size_t wanted)
{
	return input->feed->ended || bytes_left(input) >= wanted || pd_cancelled(input->cancel);
}

int64_t pd_fed_read(struct pd_input *input, void *buffer, size_t size)
{
	if (pd_cancelled(input->cancel)) {
		errno = EINTR;
		return -1;
	}
	return pd_input_spool_read(&input->feed->spool, input->raw_at - input->feed->nr_consumed, buffer, size);
}

int64_t pd_fed_pread(const struct pd_input *input, void *buffer, size_t size, uint64_t offset)
{
	return pd_input_spool_read(&input->feed->spool, offset, buffer, size);
}

void pd_fed_forget(struct pd_input *input)
{
	struct pd_feed *feed = input->feed;
	if (bytes_left(input))
		return;
	feed->nr_consumed = input->raw_at;
	pd_input_spool_empty(&feed->spool);
}

void pd_fed_become_file(struct pd_input *input)
{
	input->source = PD_SOURCE_FILE;
	input->size = pd_input_spool_size(&input->feed->spool);
}

enum perfdata_status pd_input_open_feed(struct pd_feed *feed, const struct pd_input_options *options,
					struct pd_input **ret, struct perfdata_error *reterr)
{
	if (feed->nr_consumed)
		return pd_error(reterr, PERFDATA_EUSAGE, PERFDATA_NO_OFFSET,
				"another reader took the beginning of the bytes that were fed");
	if (!feed->ended && feed->error.status != PERFDATA_OK) {
		if (reterr)
			*reterr = feed->error;
		return feed->error.status;
	}
	if (!feed->ended && (feed->needs_all || pd_input_spool_size(&feed->spool) < PD_CODEC_MAGIC))
		return PERFDATA_AGAIN;
	return pd_input_open_source(PD_SOURCE_FED, feed, options, ret, reterr);
}

bool pd_input_waits(const struct pd_input *input)
{
	return input->source == PD_SOURCE_FED && !input->feed->ended;
}

enum perfdata_status pd_fed_nothing_yet(const struct pd_input *input, struct perfdata_error *reterr)
{
	if (input->feed->error.status == PERFDATA_OK)
		return PERFDATA_AGAIN;
	if (reterr)
		*reterr = input->feed->error;
	return input->feed->error.status;
}

bool pd_input_is_fed(const struct pd_input *input)
{
	return input->source == PD_SOURCE_FED;
}

enum perfdata_status pd_input_extend_chunk(struct pd_input *input, struct pd_chunk *chunk)
{
	if (input->source != PD_SOURCE_FED || chunk->size == PD_CHUNK_SIZE || input->lost || input->found)
		return PERFDATA_END;
	const size_t before = chunk->size;
	const enum perfdata_status status = pd_source_read(input, chunk->data, PD_CHUNK_SIZE, false, &chunk->size);
	if (status != PERFDATA_OK)
		return status;
	input->at += chunk->size - before;
	pd_fed_forget(input);
	if (chunk->size > before)
		return PERFDATA_OK;
	/* the next call for a chunk reports why no more bytes come */
	const bool complete = input->ended || input->lost || input->feed->error.status != PERFDATA_OK;
	return complete ? PERFDATA_END : PERFDATA_AGAIN;
}
