/* SPDX-License-Identifier: MIT */
/* The fields of a sample as `perf script -D` prints them. */
#ifndef SAMPLE_TEXT_H
#define SAMPLE_TEXT_H

#include "perfdata/emit.h"

struct pd_sample_text_setup {
	enum perfdata_arch arch;          /* for register names */
	bool arm64;                       /* some branch types have other names there */
	uint32_t counter_width, counters; /* PMU capabilities for branch counters */
};

void pd_sample_text_setup(struct pd_sample_text_setup *setup, const struct perfdata_reader *reader);
/* Appends all lines from "(IP, 0x1): 1/2: …" on. */
void pd_sample_text(const struct pd_sample_text_setup *setup, const struct perfdata_raw *raw,
		    const struct perfdata_record *record, struct perfdata_text *out);
/* "... FP chain: nr:…" and its lines. */
void pd_sample_text_callchain(const struct perfdata_list *chain, struct perfdata_text *out);

/* Names of the branch's flags; "" if perf prints none. */
const char *pd_sample_text_branch_type(uint64_t flags);
const char *pd_sample_text_branch_spec(uint64_t flags);
/* "4K", "2M", "N/A". */
void pd_sample_text_page_size(uint64_t size, struct perfdata_text *out);

#endif
