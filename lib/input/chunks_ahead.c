/* SPDX-License-Identifier: MIT */
/* Reads the next chunks while the reader works on earlier ones: in a thread of its own, or in threads of the caller
 * that have nothing else to do. Each chunk comes with what was learned: the end, damage, or a break that was skipped.
 * Only one thread at a time uses the input: one that reads ahead, or the asking thread where it would only wait for one
 * to begin. */
#include "config.h"
#include "base/handoff.h"
#include "base/memory.h"
#include "input/input_impl.h"

#define CHUNKS 2u                    /* chunks that a thread of the input's own reads ahead at most */
#define HELPED_CHUNKS 8u             /* as above, by threads that have other work in between, if memory is not short */
#define WORTHWHILE 3u                /* chunks read in order before a thread is started */
#define MANY_BYTES ((uint64_t)8 << 20)   /* this many bytes need more chunks than a short recording */

struct pd_chunks_ahead {
	struct pd_input *input;
	struct pd_chunk_pool *pool;
	struct pd_handoff handoff;   /* hands over items of `steps` */
	struct pd_input_step steps[HELPED_CHUNKS];
};

static bool read_one(struct pd_chunks_ahead *ahead, unsigned place)
{
	struct pd_input_step *step = &ahead->steps[place];
	pd_input_step(ahead->input, ahead->pool, step);
	const bool goes_on = step->status == PERFDATA_OK;   /* afterwards the step is the asking thread's */
	if (goes_on)
		pd_handoff_pass_slot(&ahead->handoff);
	else
		pd_handoff_pass_last_slot(&ahead->handoff);
	return goes_on;
}

static void read_all(void *user, unsigned thread)
{
	struct pd_chunks_ahead *ahead = user;
	unsigned place;
	(void)thread;
	while (pd_handoff_wait_for_room(&ahead->handoff, &place) && read_one(ahead, place))
		;
}

/* How many chunks helpers read ahead at most. */
static unsigned most_ahead(const struct pd_chunks_ahead *ahead)
{
	return pd_chunk_pool_is_tight(ahead->pool) ? CHUNKS : HELPED_CHUNKS;
}

bool pd_input_needs_help(struct pd_input *input)
{
	struct pd_chunks_ahead *ahead = atomic_load_explicit(&input->helped, memory_order_acquire);
	return ahead && pd_handoff_has_work(&ahead->handoff, most_ahead(ahead));
}

bool pd_input_help(struct pd_input *input)
{
	struct pd_chunks_ahead *ahead = atomic_load_explicit(&input->helped, memory_order_acquire);
	unsigned place;
	if (!ahead || !pd_handoff_begin_slot(&ahead->handoff, most_ahead(ahead), &place))
		return false;
	(void)read_one(ahead, place);
	return true;
}

static struct pd_chunks_ahead *chunks_ahead_new(struct pd_input *input, struct pd_chunk_pool *pool)
{
	struct pd_chunks_ahead *ahead = pd_calloc(1, sizeof *ahead);
	if (!ahead)
		return NULL;
	ahead->input = input;
	ahead->pool = pool;
	if (input->has_helpers ? pd_handoff_open(&ahead->handoff, HELPED_CHUNKS)
			       : pd_handoff_start(&ahead->handoff, CHUNKS, 1, read_all, ahead))
		return ahead;
	pd_free(ahead);
	return NULL;
}

static void start_reading(struct pd_input *input, struct pd_chunk_pool *pool)
{
	input->ahead = atomic_load_explicit(&input->helped, memory_order_relaxed);
	if (input->ahead) {
		pd_handoff_restart(&input->ahead->handoff);
		return;
	}
	input->ahead = chunks_ahead_new(input, pool);
	if (input->has_helpers)
		atomic_store_explicit(&input->helped, input->ahead, memory_order_release);
}

void pd_chunks_ahead_stop(struct pd_input *input)
{
	struct pd_chunks_ahead *ahead = input->ahead;

	input->in_a_row = 0;
	if (!ahead)
		return;
	if (input->has_helpers)
		pd_handoff_pause(&ahead->handoff);
	else
		pd_handoff_stop(&ahead->handoff);
	for (uint64_t n = ahead->handoff.taken; n < ahead->handoff.filled; n++)
		if (ahead->steps[n % ahead->handoff.nr].status == PERFDATA_OK)
			pd_chunk_drop(ahead->steps[n % ahead->handoff.nr].chunk);
	input->ahead = NULL;
	if (!input->has_helpers)
		pd_free(ahead);
}

void pd_chunks_ahead_free(struct pd_input *input)
{
	struct pd_chunks_ahead *helped = atomic_load_explicit(&input->helped, memory_order_relaxed);
	pd_chunks_ahead_stop(input);
	if (helped)
		pd_handoff_close(&helped->handoff);
	pd_free(helped);
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
		*ret = ahead->steps[pd_handoff_wait_for_slot(&ahead->handoff)];
		if (ret->status == PERFDATA_OK)
			pd_handoff_give_back_slot(&ahead->handoff);
	}
	if (ret->status != PERFDATA_OK)
		pd_chunks_ahead_stop(input);
}
