/* SPDX-License-Identifier: MIT */
/* A thread that takes the next chunks before they are asked for, while those before them are worked on. While it runs, the input belongs to it;
 * what it found with each chunk (the end, damage, a break that was passed over) is handed over with the chunk. */
#include "config.h"
#include "base/memory.h"
#include "base/threads.h"
#include "input/input_impl.h"

#define CHUNKS 2u                    /* that wait at most */
#define WORTHWHILE 3u                /* chunks in a row, before a thread is started */

struct pd_chunks_ahead {
	struct pd_input *input;
	struct pd_chunk_pool *pool;
	struct pd_team *team;        /* of one thread */
	struct pd_monitor *monitor;
	/* inside the monitor */
	uint64_t filled, taken;
	bool stop;
	/* steps[n % CHUNKS] belongs to the thread until n are filled, and to the asking one until n are taken */
	struct pd_input_step steps[CHUNKS];
};

static void read_all(void *user, unsigned thread)
{
	struct pd_chunks_ahead *ahead = user;
	enum perfdata_status status = PERFDATA_OK;

	(void)thread;
	while (status == PERFDATA_OK) {
		pd_monitor_enter(ahead->monitor);
		while (ahead->filled - ahead->taken == CHUNKS && !ahead->stop)
			pd_monitor_wait(ahead->monitor);
		struct pd_input_step *step = ahead->stop ? NULL : &ahead->steps[ahead->filled % CHUNKS];
		pd_monitor_leave(ahead->monitor);
		if (!step)
			return;
		pd_input_step(ahead->input, ahead->pool, step);
		status = step->status;
		pd_monitor_enter(ahead->monitor);
		ahead->filled++;
		pd_monitor_wake(ahead->monitor);
		pd_monitor_leave(ahead->monitor);
	}
}

static void ahead_free(struct pd_chunks_ahead *ahead)
{
	pd_monitor_free(ahead->monitor);
	pd_free(ahead);
}

static void start(struct pd_input *input, struct pd_chunk_pool *pool)
{
	struct pd_chunks_ahead *ahead = pd_calloc(1, sizeof *ahead);

	if (!ahead)
		return;
	ahead->input = input;
	ahead->pool = pool;
	ahead->monitor = pd_monitor_new();
	if (ahead->monitor)
		ahead->team = pd_team_start(1, read_all, ahead);
	if (ahead->team)
		input->ahead = ahead;
	else
		ahead_free(ahead);
}

void pd_chunks_ahead_stop(struct pd_input *input)
{
	struct pd_chunks_ahead *ahead = input->ahead;

	input->in_a_row = 0;
	if (!ahead)
		return;
	pd_monitor_enter(ahead->monitor);
	ahead->stop = true;
	pd_monitor_wake(ahead->monitor);
	pd_monitor_leave(ahead->monitor);
	pd_team_join(ahead->team);
	for (; ahead->taken < ahead->filled; ahead->taken++)
		if (ahead->steps[ahead->taken % CHUNKS].status == PERFDATA_OK)
			pd_chunk_drop(ahead->steps[ahead->taken % CHUNKS].chunk);
	input->ahead = NULL;
	ahead_free(ahead);
}

void pd_chunks_ahead_step(struct pd_input *input, struct pd_chunk_pool *pool, struct pd_input_step *ret)
{
	if (!input->ahead && input->may_read_ahead && input->in_a_row++ == WORTHWHILE)
		start(input, pool);
	struct pd_chunks_ahead *ahead = input->ahead;
	if (!ahead) {
		pd_input_step(input, pool, ret);
		return;
	}
	pd_monitor_enter(ahead->monitor);
	while (ahead->taken == ahead->filled)
		pd_monitor_wait(ahead->monitor);
	pd_monitor_leave(ahead->monitor);
	*ret = ahead->steps[ahead->taken % CHUNKS];
	if (ret->status != PERFDATA_OK) {
		pd_chunks_ahead_stop(input);   /* the thread has ended */
		return;
	}
	pd_monitor_enter(ahead->monitor);
	ahead->taken++;
	pd_monitor_wake(ahead->monitor);
	pd_monitor_leave(ahead->monitor);
}
