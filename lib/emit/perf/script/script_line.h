/* SPDX-License-Identifier: MIT */
/* The lines that `perf script` prints for samples, for `script` and `dump`. */
#ifndef SCRIPT_LINE_H
#define SCRIPT_LINE_H

#include "perfdata/emit.h"

struct script_setup;

/* State that lines depend on besides their sample: widths of columns so far, time of the line before, cgroups. It
 * starts as zeros. scan updates it with each batch, and gives format a copy of the state before the batch. */
struct script_carry {
	size_t data_src_width;
	uint64_t first_time, previous_time;
	const struct script_cgroup *cgroups;   /* of this batch and of all batches before */
};

/* Makes the setup from the emitter's options (SCRIPT_LINE_OPTIONS); pd_script_setup_free frees it. PERFDATA_EUSAGE with
 * a message in context->reterr, PERFDATA_ENOMEM. */
enum perfdata_status pd_script_setup_new(const struct perfdata_emit_context *context, struct script_setup **ret);
void pd_script_setup_free(struct script_setup *setup);

/* For scan: updates *carry with the batch; *ret is the state before the batch. */
enum perfdata_status pd_script_carry_pass(struct script_setup *setup, struct script_carry *carry,
					  const struct perfdata_batch *batch, struct script_carry *ret);

/* Appends what `perf script` prints for a sample: a line, or a block with its chain. record: the decoded sample; with
 * NULL it is decoded if the line needs it. Any thread; this function owns the thread's scratch->cache. Updates
 * *carry. */
void pd_script_line(const struct script_setup *setup, const struct perfdata_batch *batch,
		    const struct perfdata_delivery *delivery, const struct perfdata_record *record,
		    struct script_carry *carry, struct perfdata_scratch *scratch, struct perfdata_text *out);

/* Appends the part of a line up to its time, for a record other than a sample (--show-…-events). */
void pd_script_line_start(const struct script_setup *setup, const struct perfdata_delivery *delivery,
			  const struct perfdata_record *record, struct script_carry *carry,
			  struct perfdata_scratch *scratch, struct perfdata_text *out);

/* Appends "name+0x1f" for a kernel address, if it has a symbol. `session` is a const struct perfdata_session *. */
void pd_script_kernel_symbol(const void *session, uint64_t address, struct perfdata_text *out);

#endif
