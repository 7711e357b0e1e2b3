/* SPDX-License-Identifier: MIT */
/* A thread that reads the next chunks while the reader works on earlier ones. It hands over with each chunk what it
 * learned: the end, damage, or a break that it skipped. While it runs, only one thread at a time uses the input: this
 * one, or the asking thread where it would only wait for this one to begin. */
#include "config.h"
#include "base/handoff.h"
#include "base/memory.h"
#include "input/input_impl.h"

#define CHUNKS 2u                    /* chunks that are read ahead at most */
#define WORTHWHILE 3u                /* chunks read in order before a thread is started */
#define MANY_BYTES ((uint64_t)8 << 20)   /* this many bytes need more chunks than a short recording */

struct pd_chunks_ahead {
	struct pd_input *input;
	struct pd_chunk_pool *pool;
	struct pd_handoff handoff;   /* hands over items of `steps` */
	struct pd_input_step steps[CHUNKS];
};

static void read_all(void *user, unsigned thread)
{
	struct pd_chunks_ahead *ahead = user;
	enum perfdata_status status = PERFDATA_OK;
	unsigned place;

	(void)thread;
	while (status == PERFDATA_OK && pd_handoff_room(&ahead->handoff, &place)) {
		struct pd_input_step *step = &ahead->steps[place];
		pd_input_step(ahead->input, ahead->pool, step);
		status = step->status;
		if (status == PERFDATA_OK)
			pd_handoff_filled(&ahead->handoff);
		else
			pd_handoff_last(&ahead->handoff);
	}
}

static void start_reading(struct pd_input *input, struct pd_chunk_pool *pool)
{
	struct pd_chunks_ahead *ahead = pd_calloc(1, sizeof *ahead);

	if (!ahead)
		return;
	ahead->input = input;
	ahead->pool = pool;
	if (pd_handoff_start(&ahead->handoff, CHUNKS, 1, read_all, ahead))
		input->ahead = ahead;
	else
		pd_free(ahead);
}

void pd_chunks_ahead_stop(struct pd_input *input)
{
	struct pd_chunks_ahead *ahead = input->ahead;

	input->in_a_row = 0;
	if (!ahead)
		return;
	pd_handoff_stop(&ahead->handoff);
	for (uint64_t n = ahead->handoff.taken; n < ahead->handoff.filled; n++)
		if (ahead->steps[n % CHUNKS].status == PERFDATA_OK)
			pd_chunk_drop(ahead->steps[n % CHUNKS].chunk);
	input->ahead = NULL;
	pd_free(ahead);
}

static bool has_many_bytes(const struct pd_input *input)
{
	const uint64_t end = input->stop < input->size ? input->stop : input->size;
	return pd_input_seekable(input) && input->at < end && end - input->at >= MANY_BYTES;
}

void pd_chunks_ahead_step(struct pd_input *input, struct pd_chunk_pool *pool, struct pd_input_step *ret)
{
	if (!input->ahead && !input->in_a_row && has_many_bytes(input))
		pd_chunk_pool_expect_many(pool);
	if (!input->ahead && input->may_read_ahead && input->in_a_row++ == WORTHWHILE)
		start_reading(input, pool);
	struct pd_chunks_ahead *ahead = input->ahead;
	if (!ahead) {
		pd_input_step(input, pool, ret);
		return;
	}
	if (pd_handoff_take_over(&ahead->handoff)) {
		pd_input_step(input, pool, ret);
		if (ret->status == PERFDATA_OK)
			pd_handoff_resume(&ahead->handoff);
	} else {
		*ret = ahead->steps[pd_handoff_next(&ahead->handoff)];
		if (ret->status == PERFDATA_OK)
			pd_handoff_taken(&ahead->handoff);
	}
	if (ret->status != PERFDATA_OK)
		pd_chunks_ahead_stop(input);
}
