/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "base/memory.h"
#include "run/lane.h"
#include "run/run.h"

/* Moves the unfinished piece with its memory from the output to the ring, or back. */
static void move_text(struct perfdata_text *from, struct perfdata_text *to)
{
	perfdata_text_release(to);
	*to = *from;
	perfdata_text_init(from);
}

int pd_lane_start(struct pd_lane *lane, unsigned nr_pieces, bool compresses)
{
	lane->pieces = pd_calloc(nr_pieces, sizeof *lane->pieces);
	if (!lane->pieces)
		return -1;
	lane->nr_pieces = nr_pieces;
	lane->compresses = compresses;
	if (compresses)
		move_text(&lane->output->piece, &lane->pieces[0].uncompressed);
	return 0;
}

enum perfdata_status pd_lane_stop(struct pd_lane *lane, const struct pd_encoding *encoding)
{
	enum perfdata_status status = PERFDATA_OK;
	if (!lane->pieces)
		return status;
	struct perfdata_text *open = &pd_lane_piece(lane, lane->filled)->uncompressed;
	if (lane->compresses)
		move_text(open, &lane->output->piece);
	else if (pd_lane_idle(lane) && open->size)
		status = perfdata_output_write(lane->output, open->data, open->size);
	for (unsigned i = 0; i < lane->nr_pieces; i++) {
		if (lane->pieces[i].work)
			encoding->free_work(lane->pieces[i].work);
		perfdata_text_release(&lane->pieces[i].uncompressed);
		perfdata_text_release(&lane->pieces[i].encoded);
	}
	pd_free(lane->pieces);
	lane->pieces = NULL;
	lane->nr_pieces = 0;
	lane->filled = lane->encoding = lane->written = 0;
	return status;
}
