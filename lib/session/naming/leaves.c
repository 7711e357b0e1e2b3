/* SPDX-License-Identifier: MIT */
/* Where samples lie, by frame: at the end this tells how many of them have no name. */
#include "config.h"
#include <stdlib.h>
#include <string.h>
#include "base/memory.h"
#include "session/session.h"
#include "session/state.h"

void pd_leaf_count(struct pd_state *state, uint32_t frame)
{
	struct pd_leaves *leaves = &state->leaves;
	leaves->samples++;
	if (frame == PERFDATA_NONE) {
		leaves->outside++;
		return;
	}
	if (pd_vector_reach(&leaves->hits, &leaves->room, frame, sizeof *leaves->hits) < 0) {
		/* without memory the count is inexact: the result is only advice */
		leaves->outside++;
		return;
	}
	if (leaves->hits[frame] < UINT32_MAX)
		leaves->hits[frame]++;
}

static int by_samples(const void *left, const void *right)
{
	const struct perfdata_unnamed_file *a = left, *b = right;
	if (a->samples != b->samples)
		return a->samples < b->samples ? 1 : -1;
	return (a->dso > b->dso) - (a->dso < b->dso);
}

enum perfdata_status perfdata_session_unnamed(const struct perfdata_session *session, struct perfdata_unnamed *ret,
					      struct perfdata_unnamed_file *files, size_t room, size_t *ret_nr)
{
	const struct pd_state *state = session->state;
	const struct pd_leaves *leaves = state ? &state->leaves : NULL;
	const uint32_t nr_dsos = state ? perfdata_session_nr_dsos(session) : 0;
	struct perfdata_unnamed_file *all = pd_calloc((size_t)nr_dsos + 1, sizeof *all);
	if (!all)
		return PERFDATA_ENOMEM;
	*ret = (struct perfdata_unnamed){ .samples = leaves ? leaves->samples : 0,
					  .outside = leaves ? leaves->outside : 0 };
	for (uint32_t frame = 0; leaves && frame < leaves->room; frame++) {
		const uint64_t hits = leaves->hits[frame];
		struct perfdata_symbol symbol;
		if (!hits || perfdata_session_symbol(session, frame, UINT64_MAX, &symbol) == PERFDATA_OK)
			continue;
		const struct perfdata_frame *place = perfdata_session_frame(session, frame);
		ret->unnamed += hits;
		if (place->dso < nr_dsos)
			all[place->dso].samples += hits;
		else
			ret->outside += hits;
	}
	size_t nr = 0;
	for (uint32_t dso = 0; dso < nr_dsos; dso++)
		if (all[dso].samples)
			all[nr++] = (struct perfdata_unnamed_file){ dso, all[dso].samples };
	ret->unnamed += leaves ? leaves->outside : 0;
	if (nr)
		qsort(all, nr, sizeof *all, by_samples);
	*ret_nr = nr < room ? nr : room;
	if (*ret_nr)
		memcpy(files, all, *ret_nr * sizeof *files);
	pd_free(all);
	return PERFDATA_OK;
}
