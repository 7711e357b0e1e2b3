/* SPDX-License-Identifier: MIT */
/* What threads did over time: how long each was in each state (running, run queue, sleeping, …), in cells of the same
 * width. The width grows with the recording's length, and with the number of threads, so that memory and page stay
 * small. */
#ifndef PD_FLAME_STATES_H
#define PD_FLAME_STATES_H

#include "perfdata/session.h"
#include "perfdata/text.h"
#include "base/account.h"
#include "spans/spans.h"

/* The spans that the strips are made of. */
#define FLAME_STATES_SPANS (1u << PERFDATA_SPAN_RUN | 1u << PERFDATA_SPAN_OFF)

struct flame_states;
/* NULL without memory. */
struct flame_states *pd_flame_states_new(struct pd_account *account);
void pd_flame_states_free(struct flame_states *states);

struct flame_states_part;              /* of a batch */
/* Any thread. NULL without memory. */
struct flame_states_part *pd_flame_states_collect(const struct perfdata_batch *batch);
void pd_flame_states_part_free(struct flame_states_part *part);
enum perfdata_status pd_flame_states_add(struct flame_states *states, const struct flame_states_part *part);

/* After the last part: cells that are not empty, by thread, time and state. */
struct flame_state_cell {
	uint32_t thread;             /* as `number` returns it */
	uint32_t cell;               /* from the first cell on */
	enum pd_span_state state;
	uint64_t time;               /* ns */
};
/* `number` takes a perfdata_delivery.thread and returns another number, or UINT32_MAX to leave the thread out. NULL
 * without memory. */
const struct flame_state_cell *pd_flame_states_cells(struct flame_states *states,
						     uint32_t (*number)(void *user, uint32_t thread), void *user,
						     size_t *ret_nr);
/* ns of a cell, and when the first one begins. */
uint64_t pd_flame_states_width(const struct flame_states *states);
uint64_t pd_flame_states_begin(const struct flame_states *states);
/* Threads that are not in the cells, since there are too many. */
size_t pd_flame_states_left_out(const struct flame_states *states);

#endif
