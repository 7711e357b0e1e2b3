/* SPDX-License-Identifier: MIT */
/* How much work the files of a dso may make. A file is as hostile as the recording that names it, and a few bytes can
 * ask for work without end: so what reads debug information counts its steps, and stops when they are more than the
 * size of the file and the number of look-ups explain. Files that compilers make need a small part of that. */
#ifndef PD_SYMBOL_WORK_H
#define PD_SYMBOL_WORK_H

#include <stdatomic.h>
#include <stdbool.h>
#include "base/account.h"

/* A step is about what one entry of debug information takes to read. */
#define PD_WORK_FREE ((uint64_t)1 << 20)  /* of any file, however small */
#define PD_WORK_OF_BYTE 32u
#define PD_WORK_OF_LOOKUP 2048u
#define PD_WORK_KEPT 16u                  /* of an item that is kept: its memory is bounded with the work */

/* Compressed bytes may grow this much, and to PD_RATIO_FREE in any case. */
#define PD_MAX_RATIO 128u
#define PD_RATIO_FREE ((uint64_t)1 << 20)

struct pd_work {
	const struct perfdata_cancel *cancel;   /* or NULL */
	struct pd_account *account;             /* or NULL */
	_Atomic uint64_t done, limit;
};

/* For a file of that size. */
void pd_work_init(struct pd_work *work, uint64_t size, struct pd_account *account,
		  const struct perfdata_cancel *cancel);
/* Raises the limit for a look-up. */
void pd_work_add_lookup(struct pd_work *work);
/* Raises the limit for a file of that size. */
void pd_work_add_bytes(struct pd_work *work, uint64_t size);
/* PERFDATA_OK, PERFDATA_ELIMIT: that was too much; PERFDATA_EINTR: cancelled. */
enum perfdata_status pd_work_do(struct pd_work *work, uint64_t steps);
/* Whether the account has room for as much more: PERFDATA_OK, PERFDATA_ELIMIT. */
enum perfdata_status pd_work_room(const struct pd_work *work, uint64_t bytes);
/* Whether `packed` bytes may become `size`: PERFDATA_OK, PERFDATA_ELIMIT. */
enum perfdata_status pd_work_ratio(uint64_t packed, uint64_t size);

/* Steps of one thread, which are added to the sum a few thousand at a time. */
struct pd_meter {
	struct pd_work *work;
	uint32_t pending;
};
#define PD_METER_MOST 4096u

static inline struct pd_meter pd_meter(struct pd_work *work) { return (struct pd_meter){ work, 0 }; }
static inline enum perfdata_status pd_meter_settle(struct pd_meter *meter)
{
	const uint32_t steps = meter->pending;
	meter->pending = 0;
	return pd_work_do(meter->work, steps);
}
static inline enum perfdata_status pd_meter_count(struct pd_meter *meter, uint32_t steps)
{
	meter->pending += steps;
	return meter->pending < PD_METER_MOST ? PERFDATA_OK : pd_meter_settle(meter);
}

#endif
