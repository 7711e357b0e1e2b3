/* SPDX-License-Identifier: MIT */
/* `bolt`: the pre-aggregated profile that perf2bolt -pa reads: `B FROM TO COUNT MISPREDICTED` for each branch, `F START
 * END COUNT` for the code executed between two branches, `f` if the first of them came from another function. Addresses
 * of position-independent programs are relative to the load address. --no-lbr writes addresses of samples instead: see
 * bolt_addresses.h. */
#include "config.h"
#include <string.h>
#include "emit/compilers/bolt_addresses.h"
#include "emit/compilers/branch_gather.h"
#include "emit/emitters.h"
#include "text/spelling.h"

struct state {
	struct branch_gather gather;
	const char *no_lbr; /* value of --no-lbr; NULL: write branches */
	uint64_t base;      /* the load address, subtracted from addresses */
};

static const struct perfdata_emitter_option options[] = {
	BRANCH_OPTION_PROGRAM,
	{ .name = "no-lbr",
	  .kind = PERFDATA_OPTION_CHOICE,
	  .argument = "fdata|preagg",
	  .help = "samples by address, without branches: as fdata for llvm-bolt -data, or for perf2bolt -pa -ba" },
	{ 0 },
};

static unsigned choose_sums(const char *no_lbr) { return no_lbr ? PD_BRANCHES_ADDRESSES : PD_BRANCHES_STACKS; }

static enum perfdata_status configure_session(void *user, struct perfdata_configuration *configuration)
{
	const char *no_lbr = perfdata_option_text(configuration->options, configuration->nr_options, "no-lbr");
	(void)user;
	pd_branch_gather_configure(configuration, choose_sums(no_lbr));
	return PERFDATA_OK;
}

static enum perfdata_status begin_output(const struct perfdata_emit_context *context, void **ret_state,
					 struct perfdata_text *out)
{
	const char *no_lbr = perfdata_option_text(context->options, context->nr_options, "no-lbr");
	(void)out;
	const enum perfdata_status status =
		pd_branch_gather_begin(sizeof(struct state), context, PD_BRANCHES_MAPPED, choose_sums(no_lbr),
				       ret_state);
	if (!status)
		((struct state *)*ret_state)->no_lbr = no_lbr;
	return status;
}

/* Addresses outside of the program are written as 0. */
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

static enum perfdata_status end_output(void *pointer, const struct perfdata_emit_end *end, struct perfdata_text *out)
{
	struct state *state = pointer;
	struct pd_branches_result result;
	enum perfdata_status status = pd_branches_finish(state->gather.branches, &result, end->reterr);
	if (!status && state->no_lbr)
		return pd_bolt_write_addresses(&state->gather, result.file, !strcmp(state->no_lbr, "fdata"), out);
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
