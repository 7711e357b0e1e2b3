/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "emit/compilers/branch_gather.h"
#include "base/error.h"
#include "base/memory.h"
#include "branches/code_ranges.h"

void pd_branch_gather_configure(struct perfdata_configuration *configuration, unsigned what)
{
	configuration->trace_samples |= what & PD_BRANCHES_ADDRESSES ? PERFDATA_TRACE_INSTRUCTIONS :
								       PERFDATA_TRACE_BRANCHES;
	if (what & PD_BRANCHES_STACKS)
		configuration->trace_samples |= PERFDATA_TRACE_BRANCH_STACKS;
}

enum perfdata_status pd_branch_gather_begin(size_t size, const struct perfdata_emit_context *context,
					    enum pd_branch_rule rule, unsigned what, void **ret_state)
{
	const struct pd_branches_options options = {
		.rule = rule,
		.what = what,
		.program = perfdata_option_text(context->options, context->nr_options, "program"),
	};
	struct branch_gather *gather = pd_calloc(1, size);
	if (!gather)
		return PERFDATA_ENOMEM;
	gather->session = context->session;
	gather->reader = context->reader;
	const enum perfdata_status status =
		pd_branches_new(context->session, context->reader, &options, &gather->branches);
	if (status)
		pd_free(gather);
	else
		*ret_state = gather;
	return status;
}

enum perfdata_status pd_branch_gather_scan(void *state, const struct perfdata_batch *batch, void **ret_value)
{
	const struct branch_gather *gather = state;
	(void)batch;
	return pd_branches_scan(gather->branches, ret_value);
}

enum perfdata_status pd_branch_gather_format(const void *state, const struct perfdata_batch *batch, void *value,
					     struct perfdata_scratch *scratch, struct perfdata_text *out,
					     void **ret_part)
{
	const struct branch_gather *gather = state;
	struct pd_branches_part *part = NULL;
	(void)scratch;
	(void)out;
	const enum perfdata_status status = pd_branches_collect(gather->branches, batch, value, &part);
	*ret_part = part;
	return status;
}

enum perfdata_status pd_branch_gather_merge(void *state, void *part, struct perfdata_text *out)
{
	struct branch_gather *gather = state;
	(void)out;
	return pd_branches_add(gather->branches, part);
}

void pd_branch_gather_release(void *state)
{
	struct branch_gather *gather = state;
	if (gather)
		pd_branches_free(gather->branches);
	pd_free(gather);
}

enum perfdata_status pd_branch_gather_write(struct branch_gather *gather, enum pd_branch_kind kind, pd_write_sum *write,
					    void *user, struct perfdata_text *out)
{
	struct pd_branches_walk *walk;
	struct pd_branch_sum sum;
	enum perfdata_status status = pd_branches_walk_new(gather->branches, &walk);
	if (status)
		return status;
	while ((status = pd_branches_walk_next(walk, &sum)) == PERFDATA_OK)
		if (sum.kind == kind) {
			write(user, &sum, out);
			perfdata_text_cut(out);
		}
	pd_branches_walk_free(walk);
	return status != PERFDATA_END ? status : perfdata_text_failed(out) ? PERFDATA_ENOMEM : PERFDATA_OK;
}

enum perfdata_status pd_branch_gather_needs_stacks(const struct pd_branches_result *result,
						   struct perfdata_error *reterr)
{
	return result->stacks ? PERFDATA_OK :
				pd_error(reterr, PERFDATA_EUSAGE, PERFDATA_NO_OFFSET,
					 "no sample has a branch stack: record with perf record -b");
}

enum perfdata_status pd_branch_gather_finish_code(struct branch_gather *gather, struct pd_branches_result *ret,
						  struct pd_code_ranges **ret_ranges, struct perfdata_error *reterr)
{
	enum perfdata_status status = pd_branches_finish(gather->branches, ret, reterr);
	if (!status)
		status = pd_branch_gather_needs_stacks(ret, reterr);
	return status ? status : pd_code_ranges_new(ret->file, ret_ranges, reterr);
}
