/* SPDX-License-Identifier: MIT */
/* How often the instructions of a function were executed, from branch stacks. */
#include "config.h"
#include <stdlib.h>
#include <string.h>
#include "base/account.h"
#include "base/memory.h"
#include "base/search.h"
#include "branches/branches.h"
#include "emit/report/annotated.h"

/* A branch, or a run of code without taken branches. */
struct step {
	uint32_t dso, to_dso;
	uint64_t from, to;           /* addresses as in frames */
	enum pd_branch_kind kind;
	uint64_t count, cycles;
};

struct annotate_branches {
	struct step *steps;          /* sorted by dso, from */
	size_t nr, room;
	struct pd_account *account;
	size_t accounted;
	struct annotate_counts *counts;   /* of the current function */
};

static int compare_steps(const void *left, const void *right)
{
	const struct step *a = left, *b = right;
	return a->dso != b->dso ? (a->dso > b->dso) - (a->dso < b->dso) : (a->from > b->from) - (a->from < b->from);
}

static enum perfdata_status add_step(struct annotate_branches *all, const struct perfdata_session *session,
				     const struct pd_branch_sum *sum)
{
	if (sum->from == PD_OUTSIDE || (sum->kind != PD_SUM_BRANCH && sum->kind != PD_SUM_RANGE))
		return PERFDATA_OK;
	const struct perfdata_frame *from = perfdata_session_frame(session, (uint32_t)(sum->from - 1));
	const struct perfdata_frame *to =
		sum->to == PD_OUTSIDE ? NULL : perfdata_session_frame(session, (uint32_t)(sum->to - 1));
	const bool is_code = to && from && to->dso == from->dso && to->address >= from->address;
	if (!from || (sum->kind == PD_SUM_RANGE && !is_code))
		return PERFDATA_OK;
	if (pd_vector_grow(&all->steps, &all->room, all->nr, sizeof *all->steps) < 0)
		return PERFDATA_ENOMEM;
	all->steps[all->nr++] = (struct step){ .dso = from->dso,
					       .to_dso = to ? to->dso : PERFDATA_NONE,
					       .from = from->address,
					       .to = to ? to->address : 0,
					       .kind = sum->kind,
					       .count = sum->count,
					       .cycles = sum->weight };
	pd_account_change(all->account, PD_USE_PROFILE, all->accounted, all->room * sizeof *all->steps);
	all->accounted = all->room * sizeof *all->steps;
	return pd_account_is_exhausted(all->account) ? PERFDATA_ENOMEM : PERFDATA_OK;
}

void pd_annotate_branches_free(struct annotate_branches *all)
{
	if (!all)
		return;
	pd_account_give(all->account, PD_USE_PROFILE, all->accounted);
	pd_free(all->steps);
	pd_free(all->counts);
	pd_free(all);
}

enum perfdata_status pd_annotate_branches_new(struct pd_branches *branches, const struct stack_gather *gather,
					      struct annotate_branches **ret)
{
	struct pd_branches_result result;
	struct perfdata_error error;
	struct pd_branches_walk *walk;
	struct pd_branch_sum sum;
	*ret = NULL;
	enum perfdata_status status = pd_branches_finish(branches, &result, &error);
	if (status != PERFDATA_OK || !result.stacks)
		return status;
	struct annotate_branches *all = pd_calloc(1, sizeof *all);
	if (!all)
		return PERFDATA_ENOMEM;
	all->account = pd_profile_account(gather->profile);
	status = pd_branches_walk_new(branches, &walk);
	if (status == PERFDATA_OK) {
		while ((status = pd_branches_walk_next(walk, &sum)) == PERFDATA_OK)
			if ((status = add_step(all, gather->session, &sum)) != PERFDATA_OK)
				break;
		pd_branches_walk_free(walk);
	}
	if (status != PERFDATA_END) {
		pd_annotate_branches_free(all);
		return status;
	}
	if (all->nr)
		qsort(all->steps, all->nr, sizeof *all->steps, compare_steps);
	*ret = all;
	return PERFDATA_OK;
}

/* The first row at or after an address. */
static size_t row_from(const struct pd_annotation *annotation, uint64_t address)
{
	size_t low;
	PD_COUNT_BEFORE(low, annotation->nr_rows, at, annotation->rows[at].address < address);
	return low;
}

static bool has_row(const struct pd_annotation *annotation, size_t row, uint64_t address)
{
	return row < annotation->nr_rows && annotation->rows[row].address == address;
}

/* `shift` converts addresses of frames to addresses of rows. `runs` are differences between neighbouring rows until all
 * steps are added. */
static void add_counts(struct annotate_branches *all, const struct pd_annotation *annotation, const struct step *step,
		       uint64_t shift)
{
	struct annotate_counts *counts = all->counts;
	const uint64_t from = step->from + shift, to = step->to + shift;
	const size_t first = row_from(annotation, from);
	if (step->kind == PD_SUM_BRANCH) {
		if (!has_row(annotation, first, from))
			return;
		counts[first].taken += step->count;
		const enum pd_annotate_flow flow = annotation->rows[first].flow;
		const size_t target = row_from(annotation, to);
		if (step->to_dso == step->dso && to <= from && has_row(annotation, target, to) &&
		    (flow == PD_ANNOTATE_JUMP || flow == PD_ANNOTATE_CONDITION))
			counts[target].back += step->count;
		return;
	}
	const size_t end = row_from(annotation, to + 1);
	if (first >= end)
		return;
	counts[first].runs += step->count;
	counts[end].runs -= step->count;
	if (has_row(annotation, end - 1, to)) {
		counts[end - 1].ended += step->count;
		counts[end - 1].cycles += step->cycles;
	}
}

enum perfdata_status pd_annotate_branches_count(struct annotate_branches *all, const struct annotate_place *place,
						const struct pd_annotation *annotation,
						const struct annotate_counts **ret)
{
	const uint64_t shift = annotation->start - place->start;
	size_t low;
	pd_free(all->counts);
	all->counts = pd_calloc(annotation->nr_rows + 1, sizeof *all->counts);
	*ret = all->counts;
	if (!all->counts)
		return PERFDATA_ENOMEM;
	const struct step first = { .dso = place->dso, .from = place->start };
	PD_COUNT_BEFORE(low, all->nr, at, compare_steps(&all->steps[at], &first) < 0);
	for (; low < all->nr && all->steps[low].dso == place->dso &&
	       all->steps[low].from - place->start < annotation->size;
	     low++)
		add_counts(all, annotation, &all->steps[low], shift);
	for (size_t i = 1; i < annotation->nr_rows; i++)
		all->counts[i].runs += all->counts[i - 1].runs;
	return PERFDATA_OK;
}
