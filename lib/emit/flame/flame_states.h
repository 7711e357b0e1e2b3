/* SPDX-License-Identifier: MIT */
/* How long each thread was in each state (running, run queue, sleeping, …), in cells of equal width. The width grows
 * with the recording's length and the number of threads, which limits memory and the size of the page. */
#ifndef PD_FLAME_STATES_H
#define PD_FLAME_STATES_H

#include "perfdata/session.h"
#include "perfdata/text.h"
#include "base/account.h"
#include "spans/spans.h"

/* Kinds of spans that the strips show. */
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

/* The nonempty cells by thread, time and state. To be called after the last part. */
struct flame_state_cell {
	uint32_t thread;             /* as returned by `number` */
	uint32_t cell;               /* counted from the first cell */
	enum pd_span_state state;
	uint64_t time;               /* ns */
};
/* `number` maps a perfdata_delivery.thread to another number; UINT32_MAX leaves the thread out. NULL without memory. */
const struct flame_state_cell *pd_flame_states_cells(struct flame_states *states,
						     uint32_t (*number)(void *user, uint32_t thread), void *user,
						     size_t *ret_nr);
/* Width of a cell and start of the first cell, in ns. */
uint64_t pd_flame_states_width(const struct flame_states *states);
uint64_t pd_flame_states_begin(const struct flame_states *states);
/* Number of threads without a strip because of the limit. */
size_t pd_flame_states_left_out(const struct flame_states *states);

#endif
