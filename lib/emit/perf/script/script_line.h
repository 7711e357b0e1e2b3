/* SPDX-License-Identifier: MIT */
/* The lines that `perf script` prints for samples: shared by `script` and by `dump`. */
#ifndef SCRIPT_LINE_H
#define SCRIPT_LINE_H

#include "perfdata/emit.h"

struct script_setup;

/* What a line depends on beyond its own sample: columns as wide as the widest so far, the time of the line before,
 * cgroups. All zero at the start; scan updates this state by each batch, and gives format a copy as of the batch's
 * beginning. */
struct script_carry {
	size_t data_src_width;
	uint64_t first_time, previous_time;
	const struct script_cgroup *cgroups;   /* all of this batch and of those before it */
};

/* Makes the setup from the emitter's options, SCRIPT_LINE_OPTIONS. pd_script_setup_free frees it. PERFDATA_EUSAGE with
 * a message in context->reterr, PERFDATA_ENOMEM. */
enum perfdata_status pd_script_setup_new(const struct perfdata_emit_context *context, struct script_setup **ret);
void pd_script_setup_free(struct script_setup *setup);

/* For scan: updates *carry by the batch; *ret is the state with which the batch's lines begin. */
enum perfdata_status pd_script_carry_pass(struct script_setup *setup, struct script_carry *carry,
					  const struct perfdata_batch *batch, struct script_carry *ret);

/* Appends what `perf script` prints for a delivered sample: one line or a block with its call chain. record: decoded,
 * or NULL: then it is decoded if the line needs it. Any thread; a thread's scratch->cache belongs to this function.
 * Moves *carry. */
void pd_script_line(const struct script_setup *setup, const struct perfdata_batch *batch,
		    const struct perfdata_delivery *delivery, const struct perfdata_record *record,
		    struct script_carry *carry, struct perfdata_scratch *scratch, struct perfdata_text *out);

/* The part of a line up to its time, for a record other than a sample (--show-…-events). */
void pd_script_line_start(const struct script_setup *setup, const struct perfdata_delivery *delivery,
			  const struct perfdata_record *record, struct script_carry *carry,
			  struct perfdata_scratch *scratch, struct perfdata_text *out);

/* "name+0x1f" of a kernel address, or nothing. `session` is a const struct perfdata_session *. */
void pd_script_kernel_symbol(const void *session, uint64_t address, struct perfdata_text *out);

#endif
