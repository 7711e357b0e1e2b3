/* The pieces of a compressed output on their way: filled in order, compressed by any thread, written in order.
 *
 * A ring counted by numbers that only grow: written <= packing <= filled. Piece number `filled` is the one that bytes are
 * appended to. The owner's monitor guards the numbers and states; what a piece holds belongs to whoever took it. */
#ifndef PD_PACK_H
#define PD_PACK_H

#include "run/sink.h"

enum pd_piece_state { PD_PIECE_FREE, PD_PIECE_FILLED, PD_PIECE_PACKING, PD_PIECE_COMPRESSED };
struct pd_piece {
	enum pd_piece_state state;
	enum perfdata_status status;
	struct perfdata_text plain, compressed;
};
struct pd_pack {
	struct perfdata_sink *sink;
	struct pd_piece *pieces;
	unsigned nr_pieces;           /* 0: the output is not compressed, or compressed by the sink itself */
	uint64_t filled, packing, written;
};

/* Takes over the sink's unfinished piece. 0 or -1 without memory. */
int pd_pack_init(struct pd_pack *pack, struct perfdata_sink *sink, unsigned nr_pieces);
/* Gives the unfinished piece back. */
void pd_pack_release(struct pd_pack *pack);

static inline bool pd_pack_has_room(const struct pd_pack *pack) { return pack->filled - pack->written < pack->nr_pieces; }
static inline bool pd_pack_idle(const struct pd_pack *pack) { return pack->written == pack->filled; }
static inline struct pd_piece *pd_pack_piece(const struct pd_pack *pack, uint64_t number)
{
	return &pack->pieces[number % pack->nr_pieces];
}
static inline bool pd_pack_can_write(const struct pd_pack *pack)
{
	return pack->written < pack->packing && pd_pack_piece(pack, pack->written)->state == PD_PIECE_COMPRESSED;
}

#endif
