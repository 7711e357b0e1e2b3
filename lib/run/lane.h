/* SPDX-License-Identifier: MIT */
/* The way of bytes to one output, in order. Where the run compresses the bytes, or an emitter hands over work to
 * encode, they go through a ring of pieces: filled in order, encoded by any thread, written in order. Else they go to
 * the output at once.
 *
 * The ring is counted by numbers that only grow: written <= encoding <= filled. Piece number `filled` is the one that
 * bytes are appended to. The run's monitor guards numbers and states; the contents of a piece belong to the thread that
 * took it. */
#ifndef PD_LANE_H
#define PD_LANE_H

#include "perfdata/emit.h"
#include "run/output_impl.h"

enum pd_piece_state { PD_PIECE_FREE, PD_PIECE_FILLED, PD_PIECE_ENCODING, PD_PIECE_ENCODED };
struct pd_piece {
	enum pd_piece_state state;
	enum perfdata_status status;
	void *work;                   /* of the emitter; NULL: the piece is bytes */
	struct perfdata_text uncompressed, encoded;
};
struct pd_lane {
	struct perfdata_output *output;
	unsigned target;              /* the target of the output, and the output's number there */
	unsigned number;
	bool own_output;              /* the output was opened beside the first one */
	bool compresses;              /* the lane compresses pieces; else the output does, if anything does */
	struct pd_piece *pieces;
	unsigned nr_pieces;           /* 0: no ring */
	uint64_t filled, encoding, written;
	uint64_t bytes;               /* bytes that the lane got so far, without the bytes of unfinished work */
};

/* 0 or -1 without memory. A compressing lane takes over the output's unfinished piece. */
int pd_lane_start(struct pd_lane *lane, unsigned nr_pieces, bool compresses);
struct pd_encoding;
/* Gives the unfinished piece to the output, and frees the ring and the work that is left. encoding: the work's, or
 * NULL. */
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
