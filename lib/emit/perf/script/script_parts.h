/* SPDX-License-Identifier: MIT */
/* Less frequent parts of a line of `perf script`. */
#ifndef SCRIPT_PARTS_H
#define SCRIPT_PARTS_H

#include "emit/perf/script/script_cache.h"

/* Appends "|OP LOAD|LVL L1 hit|…", padded to 16 columns, after the number. */
void pd_script_data_src(uint64_t data_src, struct perfdata_text *out);
/* The data source that perf assumes if a sample has none. */
#define SCRIPT_DATA_SRC_NONE 0x1e05080021ull

void pd_script_registers(const struct perfdata_regs *regs, enum perfdata_arch arch, struct perfdata_text *out);

/* fields contains BRSTACK, BRSTACKSYM or BRSTACKOFF. frames: `from` and `to` of each branch; NULL: unknown. */
void pd_script_branches(const struct script_where *where, uint64_t fields, const struct perfdata_list *entries,
			const uint32_t *frames, struct perfdata_text *out);

void pd_script_bpf_output(struct perfdata_bytes raw, struct perfdata_text *out);

/* A sample that perf inject made from an instruction trace: raw data of an event with this config. */
void pd_script_synthesized(uint64_t config, struct perfdata_bytes raw, enum perfdata_byte_order order,
			   struct perfdata_text *out);

/* "4K", "2M", "N/A". */
void pd_script_page_size(uint64_t size, struct perfdata_text *out);

#endif
