/* SPDX-License-Identifier: MIT */
/* The functions that take most of a recording's time, in one call: the rows of `perfdata report` as data. */
#ifndef PERFDATA_TOP_H
#define PERFDATA_TOP_H

#include "perfdata/input.h"
#include "perfdata/session.h"

#ifdef __cplusplus
extern "C" {
#endif

/* 0 in a member means its default. */
struct perfdata_top_options {
	size_t size;
	/* name of the event whose samples are added up; NULL: the first event with samples */
	const char *event;
	uint64_t most;             /* maximum number of functions, those with most self weight; 0: all */
	bool no_inlines;           /* count an inlined function as the function that contains its code */
	bool no_names;             /* look up no names: one row for each file */
	const struct perfdata_symbols_options *symbols;  /* how names are looked up; NULL: as on this host */
	const struct perfdata_filter *filter;            /* which samples are added up; NULL: all */
	const struct perfdata_reader_options *reader;    /* limits, findings, cancel; NULL: defaults */
	/* the recording, instead of `path`: memory, callbacks, bytes that were fed */
	const struct perfdata_input *input;
	unsigned jobs;             /* threads; 0: as many as there are processors */
};

/* Owned by the result. A sample counts for the executing function (self), and once for this function and each of its
 * callers (total). Without call chains, self and total are equal. */
struct perfdata_top_function {
	const char *name;          /* code without a name has one row for each file: "[unknown] (work)" */
	const char *file;          /* as recorded, such as "/usr/bin/true" or "[kernel.kallsyms]"; "": unknown */
	/* "user", "kernel", "inlined", "inlined kernel", "jit", "guest", "no name", or "not in this bundle"; later
	 * versions may add kinds */
	const char *kind;
	struct perfdata_bytes build_id;          /* of the file; size 0: unknown */
	uint64_t self, total;                    /* sums of periods, in the unit of `measure` */
	uint64_t self_samples, total_samples;
};

struct perfdata_top {
	const char *event;                       /* name of the event; "": the recording has no samples */
	enum perfdata_measure measure;           /* what the weights measure */
	uint64_t weight, samples;                /* sums over all samples of the event */
	/* sorted by self weight, then total weight, both descending, then by name */
	const struct perfdata_top_function *const *functions;
	size_t nr_functions;                     /* length of `functions` */
	size_t nr_left_out;                      /* number of functions beyond `most` */
	bool complete;                           /* all of the recording was read, without damage */
};

/* Reads a recording and adds up its samples. PERFDATA_OK also for damaged recordings: see `complete`, and on_finding of
 * the reader's options. PERFDATA_ABSENT: no event has the name. PERFDATA_EUSAGE: a wrong option; neither path nor
 * input, or both. Other errors as perfdata_convert. *ret is set on PERFDATA_OK only. */
PERFDATA_API enum perfdata_status perfdata_top(const char *path, const struct perfdata_top_options *options,
					       struct perfdata_top **ret, struct perfdata_error *reterr);
PERFDATA_API void perfdata_top_free(struct perfdata_top *top);

/* --- incomplete stacks ------------------------------------------------------------------------------------------- */

/* Counts stacks that lack callers, by file, as `report` prints them. The session of the batches needs
 * PERFDATA_NEED_DELIVERIES, _FRAMES, _STACKS and _CUT_STACKS. */
struct perfdata_broken_stacks;
PERFDATA_API enum perfdata_status perfdata_broken_stacks_new(struct perfdata_broken_stacks **ret);
PERFDATA_API void perfdata_broken_stacks_free(struct perfdata_broken_stacks *all);
/* Adds a batch. All batches must be of one session, in any order. PERFDATA_ENOMEM. */
PERFDATA_API enum perfdata_status perfdata_broken_stacks_take(struct perfdata_broken_stacks *all,
							      const struct perfdata_batch *batch);
struct perfdata_broken_row {
	const char *event;         /* name */
	const char *dso;           /* file of the innermost frames; NULL: the cut stacks of the event in all files */
	uint64_t stacks;           /* samples with a user stack whose innermost frame is in the file */
	uint64_t single;           /* of these, stacks with one frame */
	uint64_t outside;          /* of these, stacks whose outermost frame is in no mapping */
	uint64_t cut;              /* stacks that continue above the recorded copy of the stack */
	const char *text;          /* a sentence with the problem and a remedy */
};
/* Row `number` of the problems that are worth reporting, by event. Call it while the session lives; *ret is borrowed
 * until the next call. PERFDATA_ABSENT: there are fewer rows. PERFDATA_ENOMEM. */
PERFDATA_API enum perfdata_status perfdata_broken_stacks_row(struct perfdata_broken_stacks *all, size_t number,
							     struct perfdata_broken_row *ret);

#ifdef __cplusplus
}
#endif

#endif
