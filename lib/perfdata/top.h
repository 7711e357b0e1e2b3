/* SPDX-License-Identifier: MIT */
/* The functions that take most of a recording: the commonest question, answered in one call. What `perfdata report`
 * shows, as data. */
#ifndef PERFDATA_TOP_H
#define PERFDATA_TOP_H

#include "perfdata/input.h"
#include "perfdata/session.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Zero is the default of each. */
struct perfdata_top_options {
	size_t size;
	/* the name of the event whose samples count; NULL: the first one that has samples */
	const char *event;
	uint64_t most;             /* at most so many functions, those with most self weight; 0: all */
	bool no_inlines;           /* an inlined function counts as the function that contains its code */
	bool no_names;             /* look up no names: one row for each file */
	const struct perfdata_symbols_options *symbols;  /* how names are looked up; NULL: as on this host */
	const struct perfdata_filter *filter;            /* which samples count; NULL: all */
	const struct perfdata_reader_options *reader;    /* limits, findings, cancel; NULL: defaults */
	/* where the recording comes from instead of `path`: memory, callbacks, bytes that were fed */
	const struct perfdata_input *input;
	unsigned jobs;             /* threads; 0: as many as there are processors */
};

/* Owned by the result. A sample counts for the function that was executing (self), and for that function and each of
 * its callers, once (total). Without call chains both are the same. */
struct perfdata_top_function {
	const char *name;          /* of code without a name, a row for each file: "[unknown] (work)" */
	const char *file;          /* as recorded, such as "/usr/bin/true" or "[kernel.kallsyms]"; "": unknown */
	/* "user", "kernel", "inlined", "inlined kernel", "jit", "guest", "no name", or "not in this bundle"; later
	 * versions have more */
	const char *kind;
	struct perfdata_bytes build_id;          /* of the file; size 0: unknown */
	uint64_t self, total;                    /* weights: sums of periods */
	uint64_t self_samples, total_samples;
};

struct perfdata_top {
	const char *event;                       /* name of the event; "" where the recording has no samples */
	enum perfdata_measure measure;           /* what weights are amounts of */
	uint64_t weight, samples;                /* of all samples of the event */
	/* functions[0] has most self weight; of equal ones, those with more in total come first, then names decide */
	const struct perfdata_top_function *const *functions;
	size_t nr_functions;                     /* returned; all rows if `most` is 0 */
	size_t nr_left_out;                      /* found, but beyond `most` */
	bool complete;                           /* the recording was read whole, and no part is damaged */
};

/* Reads a recording and adds its samples up. PERFDATA_OK for damaged recordings too: see `complete`, and on_finding of
 * the reader's options. PERFDATA_ABSENT: no event has the name. PERFDATA_EUSAGE: a wrong option, neither path
 * nor input, or both. Else as perfdata_convert. *ret is set on PERFDATA_OK only. */
PERFDATA_API enum perfdata_status perfdata_top(const char *path, const struct perfdata_top_options *options,
					       struct perfdata_top **ret, struct perfdata_error *reterr);
PERFDATA_API void perfdata_top_free(struct perfdata_top *top);

/* --- stacks that end too early ------------------------------------------------------------------------------------ */

/* Counts the stacks whose callers are missing, by file, in the batches of a session with PERFDATA_NEED_DELIVERIES,
 * _FRAMES, _STACKS and _CUT_STACKS: what `report` says of them. */
struct perfdata_broken_stacks;
PERFDATA_API enum perfdata_status perfdata_broken_stacks_new(struct perfdata_broken_stacks **ret);
PERFDATA_API void perfdata_broken_stacks_free(struct perfdata_broken_stacks *all);
/* Batches in any order, of one session. PERFDATA_ENOMEM. */
PERFDATA_API enum perfdata_status perfdata_broken_stacks_take(struct perfdata_broken_stacks *all,
							      const struct perfdata_batch *batch);
struct perfdata_broken_row {
	const char *event;         /* name */
	const char *dso;           /* NULL: the stacks of this event that were cut, of all files */
	uint64_t stacks;           /* samples with a user stack whose innermost frame is in the file */
	uint64_t single;           /* of these: with one frame */
	uint64_t outside;          /* of these: whose outermost frame is in no mapping */
	uint64_t cut;              /* the stack continues above the copy that was recorded */
	const char *text;          /* a sentence with a remedy */
};
/* What is worth reporting, by event; while the session lives. *ret lives until the next call. PERFDATA_ABSENT: there
 * are not so many rows. PERFDATA_ENOMEM. */
PERFDATA_API enum perfdata_status perfdata_broken_stacks_row(struct perfdata_broken_stacks *all, size_t number,
							     struct perfdata_broken_row *ret);

#ifdef __cplusplus
}
#endif

#endif
