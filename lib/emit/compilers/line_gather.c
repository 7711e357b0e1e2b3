/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "emit/compilers/line_gather.h"
#include "session/session.h"

static void take_range(void *user, const struct pd_branch_sum *sum, struct perfdata_text *out)
{
	struct line_gather *gather = user;
	bool goes_on = false;
	(void)out;
	if (!gather->status)
		gather->status = pd_code_ranges_goes_on(gather->ranges, sum->from, sum->to, &goes_on);
	if (!gather->status && goes_on)
		gather->status = pd_line_profile_add_range(gather->profile, sum->from, sum->to, sum->count);
}

static void take_branch(void *user, const struct pd_branch_sum *sum, struct perfdata_text *out)
{
	struct line_gather *gather = user;
	(void)out;
	if (!gather->status)
		gather->status = pd_line_profile_add_branch(gather->profile, sum->from, sum->to, sum->count);
}

static enum perfdata_status make_profile(struct line_gather *gather, struct perfdata_text *out)
{
	enum perfdata_status status = pd_branch_gather_write(&gather->gather, PD_SUM_RANGE, take_range, gather, out);
	if (!status)
		status = gather->status;
	if (!status)
		status = pd_line_profile_find_lines(gather->profile);
	if (!status)
		status = pd_branch_gather_write(&gather->gather, PD_SUM_BRANCH, take_branch, gather, out);
	if (!status)
		status = gather->status;
	return status ? status : pd_line_profile_finish(gather->profile);
}

enum perfdata_status pd_line_gather_finish(struct line_gather *gather, enum pd_line_rule rule,
					   struct perfdata_text *out, struct perfdata_error *reterr)
{
	struct pd_branches_result result;
	enum perfdata_status status =
		pd_branch_gather_finish_code(&gather->gather, &result, &gather->ranges, reterr);
	if (!status)
		status = pd_line_profile_new(result.file, gather->ranges, rule, gather->gather.session->account,
					     &gather->profile, reterr);
	if (status)
		return status;
	status = make_profile(gather, out);
	return status == PERFDATA_EUNSUP ? pd_code_ranges_refuse(gather->ranges, reterr) : status;
}

void pd_line_gather_release(void *state)
{
	struct line_gather *gather = state;
	if (gather) {
		pd_line_profile_free(gather->profile);
		pd_code_ranges_free(gather->ranges);
	}
	pd_branch_gather_release(state);
}
