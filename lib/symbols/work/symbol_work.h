/* SPDX-License-Identifier: MIT */
/* Limits the work that the files of a dso may cause. Like the recording that names it, a file is not trusted, and a few
 * bytes can demand endless work. So code that reads debug information counts its steps, and stops when they exceed what
 * the size of the file and the number of look-ups justify. Files of compilers need a small part of this. */
#ifndef PD_SYMBOL_WORK_H
#define PD_SYMBOL_WORK_H

#include <stdatomic.h>
#include <stdbool.h>
#include "base/account.h"

/* A step takes about as long as reading one entry of debug information. */
#define PD_WORK_FREE ((uint64_t)1 << 20)  /* steps for any file, however small */
#define PD_WORK_OF_BYTE 32u
#define PD_WORK_OF_LOOKUP 2048u
#define PD_WORK_KEPT 16u   /* steps for an item that is kept, so that the limit of work also limits memory */

/* Compressed bytes may become this many times as large, and at least PD_RATIO_FREE. */
#define PD_MAX_RATIO 128u
#define PD_RATIO_FREE ((uint64_t)1 << 20)

struct pd_work {
	const struct perfdata_cancel *cancel;   /* NULL: cannot be cancelled */
	struct pd_account *account;             /* NULL: no account */
	_Atomic uint64_t done, limit;
};

/* Initializes the limit for a file of `size` bytes. */
void pd_work_init(struct pd_work *work, uint64_t size, struct pd_account *account,
		  const struct perfdata_cancel *cancel);
/* Raises the limit for a look-up. */
void pd_work_add_lookup(struct pd_work *work);
/* Raises the limit for a further file of `size` bytes. */
void pd_work_add_bytes(struct pd_work *work, uint64_t size);
/* Counts steps. PERFDATA_ELIMIT: they exceed the limit. PERFDATA_EINTR: cancelled. */
enum perfdata_status pd_work_do(struct pd_work *work, uint64_t steps);
/* Returns PERFDATA_ELIMIT if the account has no room for so many bytes. */
enum perfdata_status pd_work_room(const struct pd_work *work, uint64_t bytes);
/* Returns PERFDATA_ELIMIT if `packed` bytes may not become `size` bytes. */
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
