/* SPDX-License-Identifier: MIT */
/* `autofdo`: the text that AutoFDO's tools read with --profiler=text. It has three blocks, each after its number of
 * lines: executed code (`START-END:COUNT`), addresses of samples (`ADDRESS:COUNT`), branches (`FROM->TO:COUNT`). All
 * addresses are offsets in the file. */
#include "config.h"
#include "emit/compilers/branch_gather.h"
#include "emit/emitters.h"
#include "text/spelling.h"

static const struct perfdata_emitter_option options[] = {
	BRANCH_OPTION_PROGRAM,
	{ 0 },
};

BRANCH_BEGIN(branch_gather, PD_BRANCHES_OFFSETS, PD_BRANCHES_STACKS | PD_BRANCHES_ADDRESSES)

static void put_count(const struct pd_branch_sum *sum, struct perfdata_text *out)
{
	perfdata_text_char(out, ':');
	perfdata_text_u64(out, sum->count);
	perfdata_text_char(out, '\n');
}

static void write_range(void *user, const struct pd_branch_sum *sum, struct perfdata_text *out)
{
	(void)user;
	pd_text_hex(out, sum->from);
	perfdata_text_char(out, '-');
	pd_text_hex(out, sum->to);
	put_count(sum, out);
}

static void write_branch(void *user, const struct pd_branch_sum *sum, struct perfdata_text *out)
{
	(void)user;
	pd_text_hex(out, sum->from);
	perfdata_text_literal(out, "->");
	pd_text_hex(out, sum->to);
	put_count(sum, out);
}

static void count_line(void *user, const struct pd_branch_sum *sum, struct perfdata_text *out)
{
	uint64_t *nr = user;
	(void)sum;
	(void)out;
	++*nr;
}

/* Adds up the counts of several events at one address. */
struct addresses {
	struct pd_branch_sum last;
	uint64_t nr;
	bool is_counting;
};

static void put_last(struct addresses *addresses, struct perfdata_text *out)
{
	if (!addresses->last.count)
		return;
	addresses->nr++;
	if (addresses->is_counting)
		return;
	pd_text_hex(out, addresses->last.from);
	put_count(&addresses->last, out);
}

static void write_address(void *user, const struct pd_branch_sum *sum, struct perfdata_text *out)
{
	struct addresses *addresses = user;
	if (addresses->last.count && addresses->last.from == sum->from) {
		addresses->last.count += sum->count;
		return;
	}
	put_last(addresses, out);
	addresses->last = *sum;
}

static enum perfdata_status write_block(struct branch_gather *gather, enum pd_branch_kind kind, pd_write_sum *write,
					struct perfdata_text *out)
{
	uint64_t nr = 0;
	const enum perfdata_status status = pd_branch_gather_write(gather, kind, count_line, &nr, out);
	perfdata_text_u64(out, nr);
	perfdata_text_char(out, '\n');
	return status ? status : pd_branch_gather_write(gather, kind, write, NULL, out);
}

static enum perfdata_status write_addresses(struct branch_gather *gather, struct perfdata_text *out)
{
	struct addresses counted = { .is_counting = true }, written = { .is_counting = false };
	enum perfdata_status status = pd_branch_gather_write(gather, PD_SUM_ADDRESS, write_address, &counted, out);
	put_last(&counted, out);
	perfdata_text_u64(out, counted.nr);
	perfdata_text_char(out, '\n');
	if (!status)
		status = pd_branch_gather_write(gather, PD_SUM_ADDRESS, write_address, &written, out);
	put_last(&written, out);
	return status;
}

static enum perfdata_status end_output(void *state, const struct perfdata_emit_end *end, struct perfdata_text *out)
{
	struct branch_gather *gather = state;
	struct pd_branches_result result;
	enum perfdata_status status = pd_branches_finish(gather->branches, &result, end->reterr);
	if (!status)
		status = write_block(gather, PD_SUM_RANGE, write_range, out);
	if (!status)
		status = write_addresses(gather, out);
	if (!status)
		status = write_block(gather, PD_SUM_BRANCH, write_branch, out);
	return status;
}

const struct perfdata_emitter pd_emitter_autofdo = {
	.name = "autofdo",
	.help = "branches and addresses of a program for the tools of AutoFDO (--profiler=text)",
	.flags = PERFDATA_EMITTER_SYMBOLS | PERFDATA_EMITTER_ONE_DOCUMENT,
	BRANCH_EMITTER,
};
