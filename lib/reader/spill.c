/* SPDX-License-Identifier: MIT */
/* Records that wait for their turn in time order and do not fit into memory: sorted runs in one temporary file, each
 * read back once, from its beginning to its end. */
#include "config.h"
#include <string.h>
#include <unistd.h>
#include "base/error.h"
#include "base/memory.h"
#include "base/spool.h"
#include "reader/reader_impl.h"

#define BUFFER_SIZE (1u << 20)

/* The file begins with bytes that look like no compressed format; a record in it is its struct perfdata_raw, then its
 * bytes, padded to 8. */
static const char file_start[8] = "records";

struct pd_spill {
	struct perfdata_reader *reader;
	struct pd_spool file;
	uint8_t *buffer;
	size_t used;
	uint64_t run_start;      /* offset of the run being written */
	size_t nr_runs;          /* number of runs not yet read to their end */
};

struct pd_run {
	struct pd_spill *spill;
	struct pd_stream stream; /* only its window is used */
	struct perfdata_raw raw;
	bool ended;
};

struct pd_spill *pd_spill_new(struct perfdata_reader *reader)
{
	struct pd_spill *spill = pd_calloc(1, sizeof *spill);

	if (!spill)
		return NULL;
	spill->reader = reader;
	pd_spool_init(&spill->file, reader->options.tmpdir);
	spill->buffer = pd_malloc(BUFFER_SIZE);
	if (!spill->buffer) {
		pd_free(spill);
		return NULL;
	}
	return spill;
}

void pd_spill_free(struct pd_spill *spill)
{
	if (!spill)
		return;
	pd_spool_release(&spill->file);
	pd_free(spill->buffer);
	pd_free(spill);
}

static enum perfdata_status flush_spill(struct pd_spill *spill)
{
	if (pd_spool_append(&spill->file, spill->buffer, spill->used))
		return pd_spool_error(&spill->file, "write", &spill->reader->error);
	spill->used = 0;
	return PERFDATA_OK;
}

/* Call it before the first run, and whenever all runs have been read: writing begins again at the start of the file. */
static enum perfdata_status start_file(struct pd_spill *spill)
{
	if (pd_spool_make(&spill->file))
		return pd_spool_error(&spill->file, "make", &spill->reader->error);
	if (ftruncate(spill->file.fd, 0) < 0)
		return pd_spool_error(&spill->file, "empty", &spill->reader->error);
	pd_spool_clear(&spill->file);
	memcpy(spill->buffer, file_start, sizeof file_start);
	spill->used = sizeof file_start;
	spill->run_start = sizeof file_start;
	return PERFDATA_OK;
}

enum perfdata_status pd_spill_add(struct pd_spill *spill, const struct perfdata_raw *raw)
{
	const size_t padded = ((size_t)raw->size + 7) & ~(size_t)7;
	enum perfdata_status status = PERFDATA_OK;

	if (!spill->nr_runs && spill->run_start == spill->file.size + spill->used)
		status = start_file(spill);
	else if (BUFFER_SIZE - spill->used < sizeof *raw + padded)
		status = flush_spill(spill);
	if (status != PERFDATA_OK)
		return status;
	const uint64_t limit = spill->reader->options.max_spool;
	if (limit && spill->file.size + spill->used + sizeof *raw + padded > limit)
		return pd_error(&spill->reader->error, PERFDATA_ELIMIT, PERFDATA_NO_OFFSET,
				"records that wait for their turn need more temporary space than allowed");
	status = pd_raw_read_stack(raw, raw->size, &spill->reader->error);
	if (status != PERFDATA_OK)
		return status;
	memcpy(spill->buffer + spill->used, raw, sizeof *raw);
	spill->used += sizeof *raw;
	memcpy(spill->buffer + spill->used, raw->bytes, raw->size);
	memset(spill->buffer + spill->used + raw->size, 0, padded - raw->size);
	spill->used += padded;
	return PERFDATA_OK;
}

enum perfdata_status pd_run_move(struct pd_run *run)
{
	struct pd_window *window = &run->stream.raw;

	if (!pd_window_need(window, sizeof run->raw)) {
		run->ended = true;
		return run->stream.status;
	}
	memcpy(&run->raw, window->at, sizeof run->raw);
	pd_window_move(window, sizeof run->raw);
	const size_t padded = ((size_t)run->raw.size + 7) & ~(size_t)7;
	if (!pd_window_need(window, padded)) {
		run->ended = true;
		return run->stream.status != PERFDATA_OK ? run->stream.status : PERFDATA_EREAD;
	}
	run->raw.bytes = window->at;
	run->raw.left_out = 0;
	run->raw.chunk = window->chunk;
	pd_window_move(window, padded);
	return PERFDATA_OK;
}

enum perfdata_status pd_spill_finish(struct pd_spill *spill, struct pd_run **ret)
{
	const struct pd_input_options options = { .tmpdir = spill->reader->options.tmpdir };
	struct pd_input *input = NULL;
	enum perfdata_status status = flush_spill(spill);

	if (status != PERFDATA_OK)
		return status;
	struct pd_run *run = pd_calloc(1, sizeof *run);
	if (!run || lseek(spill->file.fd, 0, SEEK_SET) < 0) {
		pd_free(run);
		return PERFDATA_ENOMEM;
	}
	status = pd_input_open_fd(spill->file.fd, false, &options, &input, &spill->reader->error);
	if (status == PERFDATA_OK)
		status = pd_input_seek(input, spill->run_start, spill->file.size);
	if (status != PERFDATA_OK) {
		pd_input_close(input);
		pd_free(run);
		return status != PERFDATA_OK ? status : PERFDATA_EREAD;
	}
	run->spill = spill;
	run->stream.reader = spill->reader;
	run->stream.input = input;
	run->stream.is_spilled = true;
	pd_window_init(&run->stream.raw, &run->stream, spill->run_start, UINT64_MAX, false);
	spill->run_start = spill->file.size;
	spill->nr_runs++;
	status = pd_run_move(run);
	if (status != PERFDATA_OK) {
		pd_run_free(run);
		return status;
	}
	*ret = run;
	return PERFDATA_OK;
}

const struct perfdata_raw *pd_run_record(const struct pd_run *run) { return run->ended ? NULL : &run->raw; }

void pd_run_free(struct pd_run *run)
{
	if (!run)
		return;
	pd_window_release(&run->stream.raw);
	pd_input_close(run->stream.input);
	run->spill->nr_runs--;
	pd_free(run);
}
