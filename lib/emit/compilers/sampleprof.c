/* SPDX-License-Identifier: MIT */
/* `sampleprof`: LLVM's sample profile as text, which clang, rustc and llvm-profdata read: `FUNCTION:TOTAL:ENTRIES`,
 * then its lines with counts and the targets of calls, ` LINE[.DISCRIMINATOR]: COUNT [CALLEE:COUNT ...]`, then inlined
 * calls with lines of their own, indented by one more blank. What llvm-profgen writes of the same recording. */
#include "config.h"
#include "branches/line_profile.h"
#include "emit/compilers/branch_gather.h"
#include "emit/emitters.h"
#include "session/session.h"

struct state {
	struct branch_gather gather;
	struct pd_code_ranges *ranges;
	struct pd_line_profile *profile;
	enum perfdata_status status;
};

static const struct perfdata_emitter_option options[] = {
	BRANCH_OPTION_PROGRAM,
	{ 0 },
};

BRANCH_BEGIN(state, PD_BRANCHES_SECTIONS, PD_BRANCHES_STACKS)

static void take_range(void *user, const struct pd_branch_sum *sum, struct perfdata_text *out)
{
	struct state *state = user;
	bool goes_on = false;
	(void)out;
	if (!state->status)
		state->status = pd_code_ranges_goes_on(state->ranges, sum->from, sum->to, &goes_on);
	if (!state->status && goes_on)
		state->status = pd_line_profile_add_range(state->profile, sum->from, sum->to, sum->count);
}

static void take_branch(void *user, const struct pd_branch_sum *sum, struct perfdata_text *out)
{
	struct state *state = user;
	(void)out;
	if (!state->status)
		state->status = pd_line_profile_add_branch(state->profile, sum->from, sum->to, sum->count);
}

static void put_line(struct perfdata_text *out, unsigned indent, uint32_t line, uint32_t discriminator)
{
	for (unsigned i = 0; i < indent; i++)
		perfdata_text_char(out, ' ');
	perfdata_text_u64(out, line);
	if (discriminator) {
		perfdata_text_char(out, '.');
		perfdata_text_u64(out, discriminator);
	}
	perfdata_text_literal(out, ": ");
}

static void put_function(void *user, unsigned depth, uint32_t line, uint32_t discriminator, const char *name,
			 uint64_t total, uint64_t head)
{
	struct perfdata_text *out = user;
	perfdata_text_cut(out);
	if (depth)
		put_line(out, depth, line, discriminator);
	perfdata_text_string(out, name);
	perfdata_text_char(out, ':');
	perfdata_text_u64(out, total);
	if (!depth) {
		perfdata_text_char(out, ':');
		perfdata_text_u64(out, head);
	}
	perfdata_text_char(out, '\n');
}

static void put_count(void *user, unsigned depth, uint32_t line, uint32_t discriminator, uint64_t count)
{
	put_line(user, depth + 1, line, discriminator);
	perfdata_text_u64(user, count);
}

static void put_target(void *user, const char *name, uint64_t count)
{
	perfdata_text_char(user, ' ');
	perfdata_text_string(user, name);
	perfdata_text_char(user, ':');
	perfdata_text_u64(user, count);
}

static void end_line(void *user) { perfdata_text_char(user, '\n'); }

static enum perfdata_status make_profile(struct state *state, struct perfdata_text *out)
{
	enum perfdata_status status = pd_branch_gather_write(&state->gather, PD_SUM_RANGE, take_range, state, out);
	if (!status)
		status = state->status;
	if (!status)
		status = pd_line_profile_find_lines(state->profile);
	if (!status)
		status = pd_branch_gather_write(&state->gather, PD_SUM_BRANCH, take_branch, state, out);
	if (!status)
		status = state->status;
	return status ? status : pd_line_profile_finish(state->profile);
}

static enum perfdata_status end(void *pointer, const struct perfdata_emit_end *end, struct perfdata_text *out)
{
	static const struct pd_line_writer writer = { put_function, put_count, put_target, end_line };
	struct state *state = pointer;
	struct pd_branches_result result;
	enum perfdata_status status =
		pd_branch_gather_finish_code(&state->gather, &result, &state->ranges, end->reterr);
	if (!status)
		status = pd_line_profile_new(result.file, state->ranges, state->gather.session->account,
					     &state->profile, end->reterr);
	if (status)
		return status;
	status = make_profile(state, out);
	if (!status)
		pd_line_profile_write(state->profile, &writer, out);
	if (status == PERFDATA_EUNSUP)
		status = pd_code_ranges_refuse(state->ranges, end->reterr);
	return status ? status : perfdata_text_failed(out) ? PERFDATA_ENOMEM : PERFDATA_OK;
}

static void release(void *pointer)
{
	struct state *state = pointer;
	if (state) {
		pd_line_profile_free(state->profile);
		pd_code_ranges_free(state->ranges);
	}
	pd_branch_gather_release(state);
}

const struct perfdata_emitter pd_emitter_sampleprof = {
	.name = "sampleprof",
	.help = "LLVM's sample profile of a program as text, for clang -fprofile-sample-use",
	.flags = PERFDATA_EMITTER_SYMBOLS | PERFDATA_EMITTER_ONE_DOCUMENT,
	BRANCH_EMITTER_BUT_RELEASE,
	.release = release,
};
