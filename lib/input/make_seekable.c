/* SPDX-License-Identifier: MIT */
/* Makes inputs seekable that cannot seek. */
#include "config.h"
#include <string.h>
#include <unistd.h>
#include "base/error.h"
#include "base/memory.h"
#include "input/input_impl.h"
#include "input/input_spool.h"

static enum perfdata_status read_all(struct pd_input_spool *spool, struct pd_input *input,
				     struct perfdata_error *reterr)
{
	for (;;) {
		enum perfdata_status status = pd_input_spool_make_room(spool, reterr);
		if (status != PERFDATA_OK)
			return status;
		/* the bytes of the peek buffer come first */
		size_t got = 0;
		if (!pd_input_spool_size(spool) && input->peek_size) {
			got = input->peek_size;
			memcpy(spool->buffer, input->peek, got);
		} else {
			status = pd_source_read(input, spool->buffer + spool->used, spool->capacity - spool->used, true,
						&got);
		}
		if (status != PERFDATA_OK)
			return pd_error(reterr, status, pd_input_spool_size(spool), "out of memory");
		status = pd_input_spool_filled(spool, got, reterr);
		if (status != PERFDATA_OK)
			return status;
		if (!got && input->damage == PERFDATA_EINTR)
			return pd_error(reterr, PERFDATA_EINTR, PERFDATA_NO_OFFSET, "%s",
					perfdata_status_text(PERFDATA_EINTR));
		if (!got)
			return pd_input_spool_flush(spool, reterr);
	}
}

enum perfdata_status pd_input_make_seekable(struct pd_input *input, struct perfdata_error *reterr)
{
	if (pd_input_seekable(input))
		return PERFDATA_OK;
	if (input->at)
		return pd_error(reterr, PERFDATA_EUSAGE, input->at, "the beginning of the input was used already");
	if (input->source == PD_SOURCE_FED && !input->decoder) {
		pd_fed_become_file(input); /* the feed keeps its bytes already */
		return PERFDATA_OK;
	}

	struct pd_input_spool spool;
	pd_input_spool_init(&spool, input->tmpdir, PD_INPUT_SPOOL_MEMORY, input->max_spool);
	enum perfdata_status status = read_all(&spool, input, reterr);
	if (status != PERFDATA_OK) {
		pd_input_spool_release(&spool);
		return status;
	}
	pd_source_finish(input);
	if (input->own_fd)
		close(input->fd);
	input->fd = spool.file.fd;
	input->called = false;
	input->feed = NULL;
	input->own_fd = spool.file.fd >= 0;
	input->base = 0;
	input->size = pd_input_spool_size(&spool);
	if (spool.file.fd >= 0) {
		input->source = PD_SOURCE_FILE;
		pd_free(spool.buffer);
	} else {
		input->source = PD_SOURCE_MEMORY;
		input->memory = input->own_memory = spool.buffer;
	}
	return PERFDATA_OK;
}
