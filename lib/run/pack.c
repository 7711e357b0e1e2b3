#include "config.h"
#include "base/memory.h"
#include "run/pack.h"

/* The unfinished piece moves with its memory, between the sink and the ring. */
static void move_text(struct perfdata_text *from, struct perfdata_text *to)
{
	perfdata_text_release(to);
	*to = *from;
	perfdata_text_init(from);
}

int pd_pack_init(struct pd_pack *pack, struct perfdata_sink *sink, unsigned nr_pieces)
{
	memset(pack, 0, sizeof *pack);
	pack->sink = sink;
	if (!nr_pieces)
		return 0;
	pack->pieces = pd_calloc(nr_pieces, sizeof *pack->pieces);
	if (!pack->pieces)
		return -1;
	pack->nr_pieces = nr_pieces;
	move_text(pd_sink_piece(sink), &pack->pieces[0].plain);
	return 0;
}

void pd_pack_release(struct pd_pack *pack)
{
	if (!pack->pieces)
		return;
	move_text(&pd_pack_piece(pack, pack->filled)->plain, pd_sink_piece(pack->sink));
	for (unsigned i = 0; i < pack->nr_pieces; i++) {
		perfdata_text_release(&pack->pieces[i].plain);
		perfdata_text_release(&pack->pieces[i].compressed);
	}
	pd_free(pack->pieces);
	pack->pieces = NULL;
}
