/* SPDX-License-Identifier: MIT */
/* How often was each branch of a program taken, and each piece of code between two branches run? Sums of branch stacks
 * (LBR, BRBE, SPE), or of the addresses of samples, for one file of a recording.
 *
 * An emitter uses it in this way:
 *
 *     needs:   PD_BRANCHES_NEEDS
 *     begin    pd_branches_new
 *     scan     pd_branches_scan     finds the file among those that are mapped
 *     format   pd_branches_collect  any thread; the samples of one batch, handed on as the emitter's `part`
 *     merge    pd_branches_add
 *     end      pd_branches_finish; then walks, in one thread
 *
 * Sums draw from the session's account, and go to a temporary file where memory is short. */
#ifndef PD_BRANCHES_H
#define PD_BRANCHES_H

#include "perfdata/session.h"
#include "symbols/code/code_file.h"

#define PD_BRANCHES_NEEDS (PERFDATA_NEED_DELIVERIES | PERFDATA_NEED_THREADS | PERFDATA_NEED_FRAMES)

/* What counts as inside of the program, what its addresses are, and which entries of a branch stack follow each other:
 * each tool has its own answer. */
enum pd_branch_rule {
	/* BOLT: code that is mapped, at the addresses of the file; entries of the kernel are passed over */
	PD_BRANCHES_MAPPED,
	/* llvm-profgen: sections with instructions, at the addresses of the file; entries with both ends outside are
	 * passed over */
	PD_BRANCHES_SECTIONS,
	/* AutoFDO: all mapped code, at offsets in the file; no entry is skipped */
	PD_BRANCHES_OFFSETS,
	/* all files: only addresses of samples, at offsets in their files */
	PD_BRANCHES_ALL_FILES,
	/* all files: places are the session's frames, plus 1; no entry is skipped. What counts is the weight of ranges:
	 * their cycles. A range is of one file, and may end before it begins: its ends are where branches were */
	PD_BRANCHES_FRAMES,
};

enum pd_branch_kind {
	PD_SUM_BRANCH,     /* from, to; one may be PD_OUTSIDE */
	/* code that ran from one address to another, both inclusive: between two branches. PD_BRANCHES_MAPPED: tag 1
	 * where the branch in front came from outside of the function that has the code */
	PD_SUM_RANGE,
	/* from: the address of a sample; tag: the index of its event. PD_BRANCHES_ALL_FILES: from: dso, to: offset */
	PD_SUM_ADDRESS,
	PD_SUM_FILE,       /* `tag`: the dso that branches go to, or samples lie in; only where no program is known */
};

/* The end of a branch that is not in the program. */
#define PD_OUTSIDE UINT64_C(0)   /* nothing is executed there: a file begins with its header */

struct pd_branch_sum {
	enum pd_branch_kind kind;
	uint64_t from, to;
	uint32_t tag;
	uint64_t count;
	uint64_t weight;     /* branches: how many were mispredicted; addresses: the sum of periods */
};

/* What is added up. */
enum { PD_BRANCHES_STACKS = 1, PD_BRANCHES_ADDRESSES = 2 };

struct pd_branches_options {
	enum pd_branch_rule rule;
	unsigned what;           /* PD_BRANCHES_STACKS and _ADDRESSES */
	/* path or base name in the recording, a file with that build-id, or the build-id in hex; NULL: none */
	const char *program;
};

struct pd_branches;
struct pd_branches_part;

enum perfdata_status pd_branches_new(const struct perfdata_session *session, const struct perfdata_reader *reader,
				     const struct pd_branches_options *options, struct pd_branches **ret);
void pd_branches_free(struct pd_branches *branches);   /* NULL is fine */

/* Without branches (NULL), both find nothing. *ret_value is for pd_branches_collect, and lives as long as
 * `branches`. */
enum perfdata_status pd_branches_scan(struct pd_branches *branches, void **ret_value);
enum perfdata_status pd_branches_collect(const struct pd_branches *branches, const struct perfdata_batch *batch,
					 const void *value, struct pd_branches_part **ret);
void pd_branches_part_free(void *part);
/* Takes the part over, also where it fails. PERFDATA_ENOMEM, PERFDATA_EWRITE. */
enum perfdata_status pd_branches_add(struct pd_branches *branches, struct pd_branches_part *part);

struct pd_branches_result {
	const struct pd_code_file *file;  /* the program's; NULL with PD_BRANCHES_OFFSETS and _ALL_FILES */
	uint32_t dso;                     /* the program's; PERFDATA_NONE: none */
	uint64_t samples;                 /* all */
	uint64_t stacks;                  /* of these with entries of branches */
	uint64_t entries, inside;         /* of branches; with an end in the program */
};
/* Sorts. PERFDATA_EUSAGE, with a message: no program was asked for, it is not in the recording, or its file is not at
 * hand; then a walk gives the sums by file. */
enum perfdata_status pd_branches_finish(struct pd_branches *branches, struct pd_branches_result *ret,
					struct perfdata_error *reterr);

/* All sums in order of kind, from, to, tag. */
struct pd_branches_walk;
enum perfdata_status pd_branches_walk_new(struct pd_branches *branches, struct pd_branches_walk **ret);
/* PERFDATA_END after the last. */
enum perfdata_status pd_branches_walk_next(struct pd_branches_walk *walk, struct pd_branch_sum *ret);
void pd_branches_walk_free(struct pd_branches_walk *walk);

#endif
