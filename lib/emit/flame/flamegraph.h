/* SPDX-License-Identifier: MIT */
#ifndef PD_FLAMEGRAPH_H
#define PD_FLAMEGRAPH_H

#include "annotate/annotate.h"
#include "emit/flame/flame_data.h"
#include "emit/flame/flame_states.h"
#include "emit/stacks/stack_gather.h"

struct flamegraph {
	struct flame_data *data;
	const struct flame_run *recording, *bases;
	size_t nr_runs, nr_bases;    /* of the recording, which are in a row from it on; of the bases */
	char *const *unmatched;      /* lines about data that is missing, incomplete or different */
	size_t nr_unmatched;
	const struct perfdata_emit_end *end;
	uint64_t width;              /* of the picture */
	bool by_samples;             /* of the picture */
	bool inlines;
	struct stack_choice *choice; /* or NULL */
	const struct stack_match *match;
	struct stack_gather *gather; /* of the recording */
	struct flame_states *states; /* of the page: what threads did over time; or NULL */
	uint64_t nr_annotated;       /* so many functions are annotated in the page, heaviest first */
	struct pd_sources *sources;  /* for their texts; or NULL */
	struct pd_branches *branches;   /* for their counts; or NULL */
};

/* Both append a whole document. */
enum perfdata_status pd_flamegraph_page(struct flamegraph *graph, struct perfdata_text *out);
enum perfdata_status pd_flamegraph_picture(struct flamegraph *graph, struct perfdata_text *out);

/* --- flame_annotate.c --- */

/* The document of `annotate --json` for the heaviest functions of the recording, within a limit of size. Excludes
 * stacks that are not chosen from the profile: to be called when the data of the graph is written. */
enum perfdata_status pd_flamegraph_annotate(const struct flamegraph *graph, struct perfdata_text *out);

/* --- flame_changes.c --- */

/* Appends what `diff` finds between the bases and the recording, as JSON: by event a list of functions (numbers of
 * labels). */
enum perfdata_status pd_flamegraph_changes(const struct flamegraph *graph, struct perfdata_text *out);

#endif
