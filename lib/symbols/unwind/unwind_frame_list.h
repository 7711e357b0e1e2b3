/* SPDX-License-Identifier: MIT */
/* A table without an index, in memory: .debug_frame, or .eh_frame of a program that was linked without one. This reader
 * lists its entries in the order of their code. */
#ifndef PD_UNWIND_FRAME_LIST_H
#define PD_UNWIND_FRAME_LIST_H

#include "symbols/symbols.h"
#include "symbols/unwind/unwind_entries.h"

struct pd_frame_list_item;
struct pd_frame_list {
	struct pd_frame_table facts;
	uint8_t *bytes;
	uint64_t size;
	struct pd_frame_list_item *items;   /* one for each FDE, sorted by start */
	size_t nr;
	size_t accounted;
};

/* Reads .debug_frame or .eh_frame of a loaded dso with code. PERFDATA_ABSENT: there is none. PERFDATA_EUNSUP,
 * PERFDATA_ELIMIT: only libdw can read it. PERFDATA_EINTR; PERFDATA_ENOMEM, PERFDATA_EREAD. After a failure there is
 * nothing to close. */
enum perfdata_status pd_frame_list_open(struct perfdata_symbols_dso *dso, bool is_debug, struct pd_frame_list *ret);
void pd_frame_list_close(struct perfdata_symbols_dso *dso, struct pd_frame_list *table);
/* Finds the FDE of an address. PERFDATA_ABSENT: there is none. PERFDATA_EUNSUP: several FDEs may be meant, and only
 * libdw decides. */
enum perfdata_status pd_frame_list_find(const struct pd_frame_list *table, uint64_t vaddr, uint64_t *ret_at);
/* Reads the entry at an offset; false: there is none. */
bool pd_frame_list_entry(const struct pd_frame_list *table, uint64_t at, struct pd_frame_entry *ret);

#endif
