/* SPDX-License-Identifier: MIT */
#include "config.h"
#include <errno.h>
#include <string.h>
#include "base/cancel.h"
#include "base/error.h"
#include "base/fdio.h"
#include "base/memory.h"
#include "input/input_impl.h"

/* The ratio is checked only above this output: a small output may be a header of zeros, which compresses very well. */
#define RATIO_FREE_OUTPUT ((uint64_t)8 << 20)

static void note_damage(struct pd_input *input, enum perfdata_status what, uint64_t offset)
{
	input->ended = true;
	input->damage = what;
	input->damage_offset = offset;
}

/* --- raw --- */

static int64_t read_memory(struct pd_input *input, uint8_t *buffer, size_t size)
{
	uint64_t left = input->size - input->raw_at;
	size_t part = left < size ? (size_t)left : size;
	if (part)
		memcpy(buffer, input->memory + input->raw_at, part);
	return (int64_t)part;
}

static int64_t read_first(struct pd_input *input, uint8_t *buffer, size_t size)
{
	size_t left = input->first_raw_size - input->first_raw_at, part = left < size ? left : size;
	memcpy(buffer, input->first_raw + input->first_raw_at, part);
	input->first_raw_at += part;
	return (int64_t)part;
}

/* Converts the result of a caller's function to that of read(2). It fails if it claims more bytes than fit. */
static int64_t read_result(int code, size_t got, size_t room)
{
	if (!code && got <= room)
		return (int64_t)got;
	errno = code ? code : EIO;
	return -1;
}

int64_t pd_source_pread(struct pd_input *input, void *buffer, size_t size, uint64_t offset)
{
	if (input->feed)
		return pd_fed_pread(input, buffer, size, offset);
	if (!input->called)
		return pd_pread_full(input->fd, buffer, size, input->base + offset);
	size_t done = 0;
	while (done < size) {
		size_t part = 0;
		const int code = input->calls.read_at(input->calls.user, offset + done, (char *)buffer + done,
						      size - done, &part);
		const int64_t got = read_result(code, part, size - done);
		if (got < 0 && !done)
			return -1;
		if (got <= 0)
			break;
		done += (size_t)got;
	}
	return (int64_t)done;
}

static int64_t read_some(struct pd_input *input, void *buffer, size_t size)
{
	if (!input->called)
		return pd_read_some(input->fd, buffer, size, input->cancel);
	if (pd_cancelled(input->cancel)) {
		errno = EINTR;
		return -1;
	}
	size_t got = 0;
	const int code = input->calls.read(input->calls.user, buffer, size, &got);
	return read_result(code, got, size);
}

/* Reads raw bytes. 0: the end; -1: failure, with errno. */
static int64_t raw_read(struct pd_input *input, uint8_t *buffer, size_t size)
{
	int64_t got = -1;
	switch (input->source) {
	case PD_SOURCE_MEMORY: got = read_memory(input, buffer, size); break;
	case PD_SOURCE_FILE: got = pd_source_pread(input, buffer, size, input->raw_at); break;
	case PD_SOURCE_FED: got = pd_fed_read(input, buffer, size); break;
	case PD_SOURCE_PIPE:
		got = input->first_raw_at < input->first_raw_size ? read_first(input, buffer, size) :
								    read_some(input, buffer, size);
		break;
	}
	if (got > 0)
		input->raw_at += (uint64_t)got;
	return got;
}

/* Whether reading `wanted` bytes would not wait. A pipe need not have all of them, since a read returns what it has. */
static bool raw_ready(const struct pd_input *input, size_t wanted)
{
	if (input->source == PD_SOURCE_FED)
		return pd_fed_is_ready(input, wanted);
	return input->source != PD_SOURCE_PIPE || input->first_raw_at < input->first_raw_size || input->called ||
	       pd_fd_ready(input->fd);
}

/* Reads as raw_read does; a failure ends the source. */
static size_t raw_read_to_end(struct pd_input *input, uint8_t *buffer, size_t size)
{
	int64_t got = raw_read(input, buffer, size);
	if (got > 0)
		return (size_t)got;
	input->raw_ended = true;
	if (got < 0) {
		input->raw_failed = true;
		input->damage_errno = errno;
	}
	return 0;
}

/* Returns the status of a failed read. An interrupted read is no fault of the input. */
static enum perfdata_status read_failure(const struct pd_input *input)
{
	return input->damage_errno == EINTR ? PERFDATA_EINTR : PERFDATA_EREAD;
}

/* --- not compressed --- */

static void read_plain(struct pd_input *input, uint8_t *buffer, size_t size, bool wait, size_t *filled)
{
	size_t done = *filled;
	while (done < size && !input->ended && ((wait && !done) || raw_ready(input, 1))) {
		done += raw_read_to_end(input, buffer + done, size - done);
		if (input->raw_failed)
			note_damage(input, read_failure(input), input->raw_at);
		else if (input->raw_ended)
			input->ended = true;
	}
	*filled = done;
}

/* --- compressed --- */

/* Reads more compressed bytes. False: it would have to wait, and may not. Bytes of a feed are taken in pieces of one
 * size, however they were fed, since the place where a decoder finds damage depends on its pieces. */
static bool refill_buffer(struct pd_input *input, bool wait)
{
	if (input->compressed_at < input->compressed_size || input->raw_ended)
		return true;
	if (!wait && !raw_ready(input, PD_INPUT_COMPRESSED))
		return false;
	input->compressed_offset = input->raw_at;
	input->compressed_at = 0;
	input->compressed_size = raw_read_to_end(input, input->compressed, PD_INPUT_COMPRESSED);
	return true;
}

static uint64_t compressed_position(const struct pd_input *input)
{
	return input->compressed_offset + input->compressed_at;
}

static bool ratio_exceeded(const struct pd_input *input)
{
	return input->max_ratio && input->decompressed > RATIO_FREE_OUTPUT &&
	       input->decompressed / input->max_ratio > compressed_position(input);
}

/* Notes that the compressed data is broken here. */
static void note_break(struct pd_input *input)
{
	if (!input->goes_on) {
		note_damage(input, PERFDATA_DAMAGED, compressed_position(input));
		return;
	}
	if (!input->found)
		input->break_offset = compressed_position(input);
	input->lost = true;
}

/* Reads more compressed bytes, and keeps the unused ones before them. */
static void append_compressed(struct pd_input *input)
{
	const size_t left = input->compressed_size - input->compressed_at;
	memmove(input->compressed, input->compressed + input->compressed_at, left);
	input->compressed_offset += input->compressed_at;
	input->compressed_at = 0;
	input->compressed_size = left + raw_read_to_end(input, input->compressed + left, PD_INPUT_COMPRESSED - left);
}

/* Searches for the start of another frame, and looks at each byte once. False: it would have to wait, and may not. */
static bool find_frame(struct pd_input *input, bool wait)
{
	for (;;) {
		size_t left = input->compressed_size - input->compressed_at;
		for (; left >= PD_CODEC_MAGIC || (left && input->raw_ended); left--, input->compressed_at++) {
			if (pd_codec_probe(input->compressed + input->compressed_at, left) != input->packing)
				continue;
			pd_decoder_reset(input->decoder);
			input->lost = false;
			input->found = true;
			input->found_offset = compressed_position(input);
			return true;
		}
		if (input->raw_ended) {
			if (input->raw_failed)
				note_damage(input, read_failure(input), compressed_position(input));
			else
				note_damage(input, PERFDATA_DAMAGED, input->break_offset);
			return true;
		}
		if (!wait && !raw_ready(input, PD_INPUT_COMPRESSED - left))
			return false;
		append_compressed(input);
	}
}

/* Calls the decoder once. */
static enum perfdata_status unpack_step(struct pd_input *input, uint8_t *buffer, size_t size, size_t *done)
{
	size_t before_in = input->compressed_at, before_out = *done;
	enum perfdata_status status = pd_decoder_run(input->decoder, input->compressed, input->compressed_size,
						     &input->compressed_at, buffer, size, done);
	input->decompressed += *done - before_out;
	bool moved = input->compressed_at != before_in || *done != before_out;
	bool empty = input->compressed_at == input->compressed_size;

	if (status == PERFDATA_ENOMEM)
		return status;
	bool drained = !moved && empty && input->raw_ended;
	if (drained && input->raw_failed)
		note_damage(input, read_failure(input), compressed_position(input));
	else if (drained && status == PERFDATA_END)
		input->ended = true;
	else if (drained && status == PERFDATA_OK)
		note_damage(input, PERFDATA_END, compressed_position(input));
	else if (status == PERFDATA_ELIMIT)
		note_damage(input, status, compressed_position(input));
	else if (status == PERFDATA_DAMAGED || (!moved && !empty))
		note_break(input);
	else if (ratio_exceeded(input))
		note_damage(input, PERFDATA_ELIMIT, compressed_position(input));
	return PERFDATA_OK;
}

static enum perfdata_status read_compressed(struct pd_input *input, uint8_t *buffer, size_t size, bool wait,
					    size_t *filled)
{
	const size_t before = *filled;
	size_t done = before;
	while (done < size && !input->ended) {
		if (input->lost && (done || !find_frame(input, wait)))
			break;
		if (input->ended || !refill_buffer(input, wait && !done))
			break;
		enum perfdata_status status = unpack_step(input, buffer, size, &done);
		if (status != PERFDATA_OK && done == before)
			return status;
		if (status != PERFDATA_OK)
			break;
	}
	*filled = done;
	return PERFDATA_OK;
}

/* --- compressed or not --- */

enum perfdata_status pd_source_read(struct pd_input *input, uint8_t *buffer, size_t size, bool wait, size_t *filled)
{
	if (input->decoder)
		return read_compressed(input, buffer, size, wait, filled);
	read_plain(input, buffer, size, wait, filled);
	return PERFDATA_OK;
}

/* Reads the first raw bytes without consuming them. */
static bool read_first_raw(struct pd_input *input)
{
	while (input->first_raw_size < sizeof input->first_raw) {
		uint8_t *to = input->first_raw + input->first_raw_size;
		size_t wanted = sizeof input->first_raw - input->first_raw_size;
		int64_t got;
		if (input->source == PD_SOURCE_PIPE)
			got = read_some(input, to, wanted);
		else
			got = raw_read(input, to, wanted);
		if (got < 0)
			return false;
		if (!got)
			break;
		input->first_raw_size += (size_t)got;
	}
	input->raw_at = 0;
	return true;
}

enum perfdata_status pd_source_start(struct pd_input *input, struct perfdata_error *reterr)
{
	if (!read_first_raw(input))
		return errno == EINTR ? pd_error_of_status(reterr, PERFDATA_EINTR, 0)
				      : pd_error_errno(reterr, PERFDATA_EREAD, 0, errno, "cannot be read");
	input->packing = pd_codec_probe(input->first_raw, input->first_raw_size);
	if (input->packing == PD_CODEC_NONE)
		return PERFDATA_OK;
	struct pd_codec_reason reason;
	const enum perfdata_status status = pd_codec_load(input->packing, &reason);
	if (status)
		return pd_error(reterr, status, 0, "packed with %s, but %s", pd_input_packing(input), reason.text);
	input->decoder = pd_decoder_new(input->packing);
	input->compressed = input->decoder ? pd_malloc(PD_INPUT_COMPRESSED) : NULL;
	if (!input->compressed)
		return pd_error(reterr, PERFDATA_ENOMEM, 0, "out of memory");
	return PERFDATA_OK;
}

void pd_source_finish(struct pd_input *input)
{
	pd_decoder_free(input->decoder);
	input->decoder = NULL;
	pd_free(input->compressed);
	input->compressed = NULL;
}
