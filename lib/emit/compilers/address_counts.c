/* SPDX-License-Identifier: MIT */
/* `counts`: the number of samples at each address of each file, `BUILDID PATH OFFSET SAMPLES PERIOD`, for tools that
 * have the files elsewhere. OFFSET is an offset in the file; for kernels it is the recorded address. */
#include "config.h"
#include "emit/compilers/branch_gather.h"
#include "emit/emitters.h"
#include "text/spelling.h"

static const struct perfdata_emitter_option options[] = {
	{ 0 },
};

BRANCH_BEGIN(branch_gather, PD_BRANCHES_ALL_FILES, PD_BRANCHES_ADDRESSES)

/* Escapes blanks and newlines, which would end the path, as the kernel does: "\040". */
static void put_path(const char *path, struct perfdata_text *out)
{
	for (; *path; path++)
		if ((unsigned char)*path <= ' ' || *path == '\\')
			perfdata_text_printf(out, "\\%03o", (unsigned)(unsigned char)*path);
		else
			perfdata_text_char(out, *path);
}

static void write_address(void *user, const struct pd_branch_sum *sum, struct perfdata_text *out)
{
	const struct branch_gather *gather = user;
	const uint32_t dso = (uint32_t)sum->from;
	const struct perfdata_bytes id = perfdata_session_build_id(gather->session, dso, NULL);
	if (!id.size)
		perfdata_text_char(out, '-');
	for (size_t i = 0; i < id.size; i++)
		perfdata_text_printf(out, "%02x", ((const uint8_t *)id.data)[i]);
	perfdata_text_char(out, ' ');
	put_path(perfdata_session_dso(gather->session, dso)->name, out);
	perfdata_text_char(out, ' ');
	pd_text_hex(out, sum->to);
	perfdata_text_char(out, ' ');
	perfdata_text_u64(out, sum->count);
	perfdata_text_char(out, ' ');
	perfdata_text_u64(out, sum->weight);
	perfdata_text_char(out, '\n');
}

static enum perfdata_status end_output(void *state, const struct perfdata_emit_end *end, struct perfdata_text *out)
{
	struct branch_gather *gather = state;
	struct pd_branches_result result;
	const enum perfdata_status status = pd_branches_finish(gather->branches, &result, end->reterr);
	return status ? status : pd_branch_gather_write(gather, PD_SUM_ADDRESS, write_address, gather, out);
}

const struct perfdata_emitter pd_emitter_counts = {
	.name = "counts",
	.help = "samples by build-id, path and address: BUILDID PATH OFFSET SAMPLES PERIOD",
	BRANCH_EMITTER,
};
