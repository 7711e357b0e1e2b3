/* SPDX-License-Identifier: MIT */
/* A thread's caches: texts of frames, and texts that all samples of an event share. */
#ifndef SCRIPT_CACHE_H
#define SCRIPT_CACHE_H

#include "emit/perf/script/script_setup.h"
#include "emit/values/text_cache.h"

/* How samples of an event are printed. */
struct script_plan {
	const struct perfdata_event *event;
	uint64_t fields;
	uint32_t ip_fields;
	bool has_chain;                        /* a chain is printed below the line */
	bool is_branch;                        /* "from => to" lines (BTS) */
	bool addr_has_symbol;                  /* addr is an address of code, or of a fault */
	bool is_bpf_output, is_synthesized;
	/* struct perfdata_raw and the delivery hold all values of a line */
	bool from_raw;
	bool is_offcpu;                        /* pid and tid come from the raw data */
	bool bare_comm;                        /* comm is not padded */
	uint32_t who_style;                    /* equal for plans whose lines begin in the same way; not 0 */
	size_t name_size;                      /* the padded name with ": " */
	char *name;
};

/* Texts for the beginning of a thread's lines. */
#define SCRIPT_WHOS 64u
#define SCRIPT_WHO_ROOM 64u
struct script_who {
	uint32_t style;                        /* of the plan; 0: empty */
	uint32_t comm;
	int32_t pid, tid;
	uint32_t size;
	char text[SCRIPT_WHO_ROOM];
};

struct script_cache {
	struct script_plan **plans;            /* by event version */
	size_t nr_plans;
	struct script_who whos[SCRIPT_WHOS];
	struct text_cache frames;
	struct perfdata_text building;
};

struct script_where {
	const struct script_setup *setup;
	struct script_cache *cache;
	uint32_t ip_fields;
};

/* NULL without memory. */
struct script_cache *pd_script_cache_get(struct perfdata_scratch *scratch, const struct script_setup *setup);
const struct script_plan *pd_script_plan_get(struct script_cache *cache, const struct script_setup *setup,
					     const struct perfdata_event *event);

/* Appends the text after an address: the parts of " SYM+0xOFF (DSO)" that ip_fields select. frame may be
 * PERFDATA_NONE. */
void pd_script_frame_text(const struct script_where *where, uint32_t frame, struct perfdata_text *out);
/* Fetches the texts of the samples after this one into the processor's caches. */
void pd_script_fetch_frames(const struct script_where *where, const struct perfdata_delivery *delivery,
			    const struct perfdata_delivery *end);
/* Appends the lines of a chain. cookie: address to print instead of a missing deferred chain; 0: no chain is
 * missing. */
void pd_script_stack_text(const struct script_where *where, const struct perfdata_step *steps, size_t nr,
			  uint64_t cookie, struct perfdata_text *out);
/* Only a part: "SYM+0xOFF" or the name of the dso; "[unknown]" if it is unknown. */
void pd_script_symbol_text(const struct script_where *where, uint32_t frame, struct perfdata_text *out);
void pd_script_dso_text(const struct script_where *where, uint32_t frame, struct perfdata_text *out);

#endif
