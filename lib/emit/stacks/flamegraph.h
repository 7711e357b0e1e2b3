/* SPDX-License-Identifier: MIT */
#ifndef PD_FLAMEGRAPH_H
#define PD_FLAMEGRAPH_H

#include "emit/stacks/flame_data.h"

struct flamegraph {
	struct flame_data *data;
	const struct flame_run *recording, *bases;
	size_t nr_runs, nr_bases;    /* of the recording, which are in a row from it on; of the bases */
	char *const *unmatched;      /* lines about data that is missing, incomplete or different */
	size_t nr_unmatched;
	const struct perfdata_emit_end *end;
	uint64_t width;              /* of the picture */
	bool by_samples;             /* of the picture */
};

/* Both append a whole document. */
enum perfdata_status pd_flamegraph_page(struct flamegraph *graph, struct perfdata_text *out);
enum perfdata_status pd_flamegraph_picture(struct flamegraph *graph, struct perfdata_text *out);

#endif
