/* SPDX-License-Identifier: MIT */
/* Common parts of the emitters for compilers: functions that add up the branches of a run. */
#ifndef PD_BRANCH_GATHER_H
#define PD_BRANCH_GATHER_H

#include "branches/branches.h"
#include "perfdata/emit.h"

/* The first member of the emitter's state. */
struct branch_gather {
	const struct perfdata_session *session;
	const struct perfdata_reader *reader;
	struct pd_branches *branches;
};

/* An emitter's `configure`: makes samples from operations of Arm SPE, as `perf script --itrace` does. With
 * PD_BRANCHES_STACKS, samples of branches have a branch stack: the branch and, if the processor records it, the target
 * of the branch before. With PD_BRANCHES_ADDRESSES, each operation becomes a sample. `what`: see struct
 * pd_branches_options. */
void pd_branch_gather_configure(struct perfdata_configuration *configuration, unsigned what);
/* An emitter's `begin`: makes its state, `size` zeroed bytes. */
enum perfdata_status pd_branch_gather_begin(size_t size, const struct perfdata_emit_context *context,
					    enum pd_branch_rule rule, unsigned what, void **ret_state);
/* Functions for the emitter's table. */
enum perfdata_status pd_branch_gather_scan(void *state, const struct perfdata_batch *batch, void **ret_value);
enum perfdata_status pd_branch_gather_format(const void *state, const struct perfdata_batch *batch, void *value,
					     struct perfdata_scratch *scratch, struct perfdata_text *out,
					     void **ret_part);
enum perfdata_status pd_branch_gather_merge(void *state, void *part, struct perfdata_text *out);
void pd_branch_gather_release(void *state);   /* also frees the state */

/* Calls `write` for each sum of the kind, sorted. */
typedef void pd_write_sum(void *user, const struct pd_branch_sum *sum, struct perfdata_text *out);
enum perfdata_status pd_branch_gather_write(struct branch_gather *gather, enum pd_branch_kind kind, pd_write_sum *write,
					    void *user, struct perfdata_text *out);
/* PERFDATA_EUSAGE with a message if the samples have no branch stacks, for formats that need them. */
enum perfdata_status pd_branch_gather_needs_stacks(const struct pd_branches_result *result,
						   struct perfdata_error *reterr);
/* First step of an emitter's `end`, for formats that need the instructions between branches: finishes the sums.
 * PERFDATA_EUSAGE with a message if the program, branch stacks or the disassembler are missing. */
struct pd_code_ranges;
enum perfdata_status pd_branch_gather_finish_code(struct branch_gather *gather, struct pd_branches_result *ret,
						  struct pd_code_ranges **ret_ranges, struct perfdata_error *reterr);

#define BRANCH_OPTION_PROGRAM \
	{ .name = "program", \
	  .kind = PERFDATA_OPTION_TEXT, \
	  .argument = "PATH|BUILD-ID", \
	  .help = "program or library: its recorded path or base name, a file with its build-id, or " \
		  "its build-id in hex" }
/* `what`: see struct pd_branches_options. */
#define BRANCH_BEGIN(state, rule, what) \
	static enum perfdata_status configure_session(void *user, struct perfdata_configuration *configuration) \
	{ \
		(void)user; \
		pd_branch_gather_configure(configuration, what); \
		return PERFDATA_OK; \
	} \
	static enum perfdata_status begin_output(const struct perfdata_emit_context *context, void **ret_state, \
						 struct perfdata_text *out) \
	{ \
		(void)out; \
		return pd_branch_gather_begin(sizeof(struct state), context, rule, what, ret_state); \
	}
#define BRANCH_EMITTER_BUT_RELEASE \
	.abi = PERFDATA_EMITTER_ABI, .size = sizeof(struct perfdata_emitter), .options = options, \
	.option_size = sizeof *options, .needs = PD_BRANCHES_NEEDS, .configure = configure_session, \
	.begin = begin_output, .scan = pd_branch_gather_scan, .format = pd_branch_gather_format, \
	.merge = pd_branch_gather_merge, .end = end_output, \
	.free_part = pd_branches_part_free
#define BRANCH_EMITTER BRANCH_EMITTER_BUT_RELEASE, .release = pd_branch_gather_release

#endif
