/* SPDX-License-Identifier: MIT */
/* A lane carries bytes to one output, in order. If the run compresses the bytes, or an emitter hands over work to
 * encode, they pass through a ring of pieces: filled in order, encoded by any thread, written in order. Else they go
 * directly to the output.
 *
 * Numbers of pieces only grow: written <= encoding <= filled. Bytes are appended to piece number `filled`. The run's
 * monitor guards numbers and states; the contents of a piece belong to the thread that fills, encodes or writes the
 * piece. */
#ifndef PD_LANE_H
#define PD_LANE_H

#include "perfdata/emit.h"
#include "run/output_impl.h"

enum pd_piece_state { PD_PIECE_FREE, PD_PIECE_FILLED, PD_PIECE_ENCODING, PD_PIECE_ENCODED };
struct pd_piece {
	enum pd_piece_state state;
	enum perfdata_status status;
	void *work;                   /* work of the emitter; NULL: the piece has bytes */
	struct perfdata_text uncompressed, encoded;
};
struct pd_lane {
	struct perfdata_output *output;
	unsigned target;              /* index of the target; `number`: of the output in the target */
	unsigned number;
	bool own_output;              /* the output was opened beside the first one */
	bool compresses;              /* the run compresses pieces; else the output does, if requested */
	struct pd_piece *pieces;
	unsigned nr_pieces;           /* 0: no ring */
	uint64_t filled, encoding, written;
	uint64_t bytes;               /* bytes that the lane got so far, without the bytes of unfinished work */
};

/* Makes the ring; 0, or -1 without memory. If `compresses`, the lane takes over the output's unfinished piece. */
int pd_lane_start(struct pd_lane *lane, unsigned nr_pieces, bool compresses);
struct pd_encoding;
/* Gives the unfinished piece back to the output; frees the ring, and its work by `encoding`, which may be NULL if there
 * is no work. */
enum perfdata_status pd_lane_stop(struct pd_lane *lane, const struct pd_encoding *encoding);

static inline bool pd_lane_has_room(const struct pd_lane *lane)
{
	return lane->filled - lane->written < lane->nr_pieces;
}
static inline bool pd_lane_idle(const struct pd_lane *lane) { return lane->written == lane->filled; }
static inline bool pd_lane_can_encode(const struct pd_lane *lane) { return lane->encoding < lane->filled; }
static inline struct pd_piece *pd_lane_piece(const struct pd_lane *lane, uint64_t number)
{
	return &lane->pieces[number % lane->nr_pieces];
}
static inline bool pd_lane_can_write(const struct pd_lane *lane)
{
	return lane->written < lane->encoding && pd_lane_piece(lane, lane->written)->state == PD_PIECE_ENCODED;
}

#endif
