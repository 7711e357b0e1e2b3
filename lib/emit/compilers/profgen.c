/* SPDX-License-Identifier: MIT */
/* `profgen`: the profile that llvm-profgen writes with --skip-symbolization and reads with --unsymbolized-profile:
 * counts of executed code ranges and of branches. Addresses are relative to the first page with code. */
#include "config.h"
#include "branches/code_ranges.h"
#include "emit/compilers/branch_gather.h"
#include "emit/emitters.h"
#include "text/spelling.h"

struct state {
	struct branch_gather gather;
	struct pd_code_ranges *ranges;
	uint64_t base;
	uint64_t nr;
	enum perfdata_status status;
};

static const struct perfdata_emitter_option options[] = {
	BRANCH_OPTION_PROGRAM,
	{ 0 },
};

BRANCH_BEGIN(state, PD_BRANCHES_SECTIONS, PD_BRANCHES_STACKS)

static bool is_valid(struct state *state, const struct pd_branch_sum *sum)
{
	bool goes_on = true;
	if (!state->status)
		state->status = pd_code_ranges_goes_on(state->ranges, sum->from, sum->to, &goes_on);
	return goes_on;
}

static void count_range(void *user, const struct pd_branch_sum *sum, struct perfdata_text *out)
{
	struct state *state = user;
	(void)out;
	state->nr += is_valid(state, sum);
}

static void count_line(void *user, const struct pd_branch_sum *sum, struct perfdata_text *out)
{
	struct state *state = user;
	(void)sum;
	(void)out;
	state->nr++;
}

/* llvm-profgen writes addresses outside of the program as 1. */
static void put_address(const struct state *state, uint64_t address, struct perfdata_text *out)
{
	pd_text_hex(out, (address == PD_OUTSIDE ? 1 : address) - state->base);
}

static void put_count(const struct pd_branch_sum *sum, struct perfdata_text *out)
{
	perfdata_text_char(out, ':');
	perfdata_text_u64(out, sum->count);
	perfdata_text_char(out, '\n');
}

static void write_range(void *user, const struct pd_branch_sum *sum, struct perfdata_text *out)
{
	if (!is_valid(user, sum))
		return;
	put_address(user, sum->from, out);
	perfdata_text_char(out, '-');
	put_address(user, sum->to, out);
	put_count(sum, out);
}

static void write_branch(void *user, const struct pd_branch_sum *sum, struct perfdata_text *out)
{
	put_address(user, sum->from, out);
	perfdata_text_literal(out, "->");
	put_address(user, sum->to, out);
	put_count(sum, out);
}

static enum perfdata_status write_block(struct state *state, enum pd_branch_kind kind, pd_write_sum *count,
					pd_write_sum *write, struct perfdata_text *out)
{
	state->nr = 0;
	enum perfdata_status status = pd_branch_gather_write(&state->gather, kind, count, state, out);
	perfdata_text_u64(out, state->nr);
	perfdata_text_char(out, '\n');
	if (!status)
		status = pd_branch_gather_write(&state->gather, kind, write, state, out);
	return status ? status : state->status;
}

static enum perfdata_status end_output(void *pointer, const struct perfdata_emit_end *end, struct perfdata_text *out)
{
	struct state *state = pointer;
	struct pd_branches_result result;
	enum perfdata_status status =
		pd_branch_gather_finish_code(&state->gather, &result, &state->ranges, end->reterr);
	if (status)
		return status;
	state->base = result.file->text_base;
	status = write_block(state, PD_SUM_RANGE, count_range, write_range, out);
	if (!status)
		status = write_block(state, PD_SUM_BRANCH, count_line, write_branch, out);
	if (status == PERFDATA_EUNSUP)
		status = pd_code_ranges_refuse(state->ranges, end->reterr);
	return status;
}

static void release_state(void *pointer)
{
	struct state *state = pointer;
	if (state)
		pd_code_ranges_free(state->ranges);
	pd_branch_gather_release(state);
}

const struct perfdata_emitter pd_emitter_profgen = {
	.name = "profgen",
	.help = "branches of a program for llvm-profgen --unsymbolized-profile",
	.flags = PERFDATA_EMITTER_SYMBOLS | PERFDATA_EMITTER_ONE_DOCUMENT,
	BRANCH_EMITTER_BUT_RELEASE,
	.release = release_state,
};
