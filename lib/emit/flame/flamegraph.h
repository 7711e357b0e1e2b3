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
	size_t nr_runs, nr_bases;    /* runs of the recording, which follow it in the array; number of bases */
	char *const *unmatched;      /* lines about missing, incomplete or different data */
	size_t nr_unmatched;
	const struct perfdata_emit_end *end;
	uint64_t width;              /* of the picture, in px */
	bool by_samples;             /* of the picture */
	bool inlines;
	struct stack_choice *choice; /* or NULL */
	const struct stack_match *match;
	struct stack_gather *gather; /* of the recording */
	struct flame_states *states; /* of the page: what threads did over time; or NULL */
	uint64_t nr_annotated;       /* number of annotated functions in the page, heaviest first */
	struct pd_sources *sources;  /* source texts of annotated functions; or NULL */
	struct pd_branches *branches;   /* branch counts of annotated functions; or NULL */
};

/* Both append a whole document. */
enum perfdata_status pd_flamegraph_page(struct flamegraph *graph, struct perfdata_text *out);
enum perfdata_status pd_flamegraph_picture(struct flamegraph *graph, struct perfdata_text *out);

/* --- flame_annotate.c --- */

/* Appends the document of `annotate --json` for the heaviest functions of the recording, up to a size limit. Removes
 * excluded stacks from the profile, so call it while the data of the graph is written. */
enum perfdata_status pd_flamegraph_annotate(const struct flamegraph *graph, struct perfdata_text *out);

/* --- flame_changes.c --- */

/* Appends the findings of `diff` between the bases and the recording as JSON: a list of functions (label numbers) for
 * each event. */
enum perfdata_status pd_flamegraph_changes(const struct flamegraph *graph, struct perfdata_text *out);

#endif
