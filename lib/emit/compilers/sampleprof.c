/* SPDX-License-Identifier: MIT */
/* `sampleprof`: LLVM's sample profile as text, for clang, rustc and llvm-profdata, equal to llvm-profgen's. A function
 * is `FUNCTION:TOTAL:ENTRIES`, then its lines with counts and call targets, ` LINE[.DISCRIMINATOR]: COUNT [CALLEE:COUNT
 * ...]`, then inlined calls, whose lines are indented by one more blank. */
#include "config.h"
#include "emit/compilers/line_gather.h"
#include "emit/emitters.h"

static const struct perfdata_emitter_option options[] = {
	BRANCH_OPTION_PROGRAM,
	{ 0 },
};

BRANCH_BEGIN(line_gather, PD_BRANCHES_SECTIONS, PD_BRANCHES_STACKS)

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

static enum perfdata_status end_output(void *state, const struct perfdata_emit_end *end, struct perfdata_text *out)
{
	static const struct pd_line_writer writer = { put_function, put_count, put_target, end_line };
	struct line_gather *gather = state;
	const enum perfdata_status status = pd_line_gather_finish(gather, PD_LINES_LLVM, out, end->reterr);
	if (status)
		return status;
	pd_line_profile_write(gather->profile, &writer, out);
	return perfdata_text_failed(out) ? PERFDATA_ENOMEM : PERFDATA_OK;
}

const struct perfdata_emitter pd_emitter_sampleprof = {
	.name = "sampleprof",
	.help = "LLVM's sample profile of a program as text, for clang -fprofile-sample-use",
	.flags = PERFDATA_EMITTER_SYMBOLS | PERFDATA_EMITTER_ONE_DOCUMENT,
	BRANCH_EMITTER_BUT_RELEASE,
	.release = pd_line_gather_release,
};
