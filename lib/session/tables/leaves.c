/* SPDX-License-Identifier: MIT */
/* Counts samples by frame, to report at the end how many have no name. */
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
		/* without memory the count is inexact, which is fine for advice */
		leaves->outside++;
		return;
	}
	if (leaves->hits[frame] < UINT32_MAX)
		leaves->hits[frame]++;
}

void pd_leaf_set_named(struct pd_leaves *leaves, uint32_t frame, bool named)
{
	if (frame >= PD_NAMED_FRAMES)
		return;
	atomic_uint_least64_t *word = &(named ? leaves->named : leaves->nameless)[frame / 64];
	const uint64_t bit = (uint64_t)1 << frame % 64;
	if (!(atomic_load_explicit(word, memory_order_relaxed) & bit))
		atomic_fetch_or_explicit(word, bit, memory_order_relaxed);
}

static bool has_bit(const atomic_uint_least64_t *bits, uint32_t frame)
{
	return frame < PD_NAMED_FRAMES &&
	       atomic_load_explicit(&bits[frame / 64], memory_order_relaxed) >> frame % 64 & 1;
}

/* Whether look-ups found no name for the frame. Two kinds of frames do not count: those that a bundle has no answer
 * for, which is another finding, and those in files that neither names nor unwinding needed, since loading a kernel's
 * symbols takes time and memory. */
static bool lacks_name(const struct perfdata_session *session, uint32_t frame)
{
	const struct pd_leaves *leaves = &session->state->leaves;
	struct perfdata_symbol symbol;
	if (has_bit(leaves->named, frame))
		return false;
	const bool is_nameless = has_bit(leaves->nameless, frame) ||
				 (pd_session_knows_files(session, frame) &&
				  perfdata_session_symbol(session, frame, UINT64_MAX, &symbol) != PERFDATA_OK);
	return is_nameless && !pd_session_lacks_answer(session, frame);
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
		if (!hits || !lacks_name(session, frame))
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
