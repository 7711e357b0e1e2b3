/* SPDX-License-Identifier: MIT */
/* `bolt`: the pre-aggregated profile that perf2bolt -pa reads: `B FROM TO COUNT MISPREDICTED` for each branch, `F START
 * END COUNT` for code that ran between two, `f` where that is behind a branch from another function. Addresses of
 * programs that can be moved count from where they are loaded. */
#include "config.h"
#include "emit/compilers/branch_gather.h"
#include "emit/emitters.h"
#include "text/spelling.h"

struct state {
	struct branch_gather gather;
	uint64_t base;      /* what addresses count from */
};

static const struct perfdata_emitter_option options[] = {
	BRANCH_OPTION_PROGRAM,
	{ 0 },
};

BRANCH_BEGIN(state, PD_BRANCHES_MAPPED)

/* What lies outside has address 0. */
static void put_address(const struct state *state, uint64_t address, struct perfdata_text *out)
{
	pd_text_hex(out, address == PD_OUTSIDE ? 0 : address - state->base);
	perfdata_text_char(out, ' ');
}

static void write_branch(void *user, const struct pd_branch_sum *sum, struct perfdata_text *out)
{
	perfdata_text_literal(out, "B ");
	put_address(user, sum->from, out);
	put_address(user, sum->to, out);
	perfdata_text_u64(out, sum->count);
	perfdata_text_char(out, ' ');
	perfdata_text_u64(out, sum->weight);
	perfdata_text_char(out, '\n');
}

static void write_range(void *user, const struct pd_branch_sum *sum, struct perfdata_text *out)
{
	perfdata_text_string(out, sum->tag ? "f " : "F ");
	put_address(user, sum->from, out);
	put_address(user, sum->to, out);
	perfdata_text_u64(out, sum->count);
	perfdata_text_char(out, '\n');
}

static enum perfdata_status end(void *pointer, const struct perfdata_emit_end *end, struct perfdata_text *out)
{
	struct state *state = pointer;
	struct pd_branches_result result;
	enum perfdata_status status = pd_branches_finish(state->gather.branches, &result, end->reterr);
	if (!status)
		status = pd_branch_gather_needs_stacks(&result, end->reterr);
	if (status)
		return status;
	state->base = result.file->is_fixed ? 0 : result.file->load_base;
	status = pd_branch_gather_write(&state->gather, PD_SUM_BRANCH, write_branch, state, out);
	return status ? status : pd_branch_gather_write(&state->gather, PD_SUM_RANGE, write_range, state, out);
}

const struct perfdata_emitter pd_emitter_bolt = {
	.name = "bolt",
	.help = "branches of a program for perf2bolt -pa",
	.flags = PERFDATA_EMITTER_SYMBOLS | PERFDATA_EMITTER_ONE_DOCUMENT,
	BRANCH_EMITTER,
};
