/* SPDX-License-Identifier: MIT */
/* The table .debug_frame of a file, in memory. It has no index, so this reader lists its entries in the order of their
 * code. */
#ifndef PD_UNWIND_DEBUG_FRAME_H
#define PD_UNWIND_DEBUG_FRAME_H

#include "symbols/symbols.h"
#include "symbols/unwind/unwind_entries.h"

struct pd_debug_frame_item;
struct pd_debug_frame {
	struct pd_frame_table facts;
	uint8_t *bytes;
	uint64_t size;
	struct pd_debug_frame_item *items;   /* one for each FDE, sorted by start */
	size_t nr;
	size_t accounted;
};

/* Reads the table of a loaded dso with code. PERFDATA_ABSENT: there is none. PERFDATA_EUNSUP, PERFDATA_ELIMIT: only
 * libdw can read it. PERFDATA_EINTR; PERFDATA_ENOMEM, PERFDATA_EREAD. After a failure there is nothing to close. */
enum perfdata_status pd_debug_frame_open(struct perfdata_symbols_dso *dso, struct pd_debug_frame *ret);
void pd_debug_frame_close(struct perfdata_symbols_dso *dso, struct pd_debug_frame *table);
/* Finds the FDE of an address. PERFDATA_ABSENT: there is none. PERFDATA_EUNSUP: several FDEs may be meant, and only
 * libdw decides. */
enum perfdata_status pd_debug_frame_find(const struct pd_debug_frame *table, uint64_t vaddr, uint64_t *ret_at);
/* Reads the entry at an offset; false: there is none. */
bool pd_debug_frame_entry(const struct pd_debug_frame *table, uint64_t at, struct pd_frame_entry *ret);

#endif
