/* SPDX-License-Identifier: MIT */
/* Sums of branch stacks (LBR, BRBE, SPE), or of the addresses of samples, for one file of a recording: how often each
 * branch was taken, and how often each piece of code between two branches ran.
 *
 * An emitter calls it so:
 *
 *     needs:   PD_BRANCHES_NEEDS
 *     begin    pd_branches_new
 *     scan     pd_branches_scan     finds the program among the mapped files
 *     format   pd_branches_collect  any thread; sums up a batch into the emitter's `part`
 *     merge    pd_branches_add
 *     end      pd_branches_finish; then walks, in one thread
 *
 * Sums are charged to the session's account, and move to a temporary file if memory is short. */
#ifndef PD_BRANCHES_H
#define PD_BRANCHES_H

#include "perfdata/session.h"
#include "symbols/code/code_file.h"

#define PD_BRANCHES_NEEDS (PERFDATA_NEED_DELIVERIES | PERFDATA_NEED_THREADS | PERFDATA_NEED_FRAMES)

/* The rule of a tool: which addresses are inside the program, how they are numbered, and which entries of a branch
 * stack are consecutive. */
enum pd_branch_rule {
	/* BOLT: mapped code, by addresses of the file; entries of the kernel are skipped */
	PD_BRANCHES_MAPPED,
	/* llvm-profgen: sections with instructions, by addresses of the file; skips entries with both ends outside */
	PD_BRANCHES_SECTIONS,
	/* AutoFDO: mapped code, by offsets in the file; no entry is skipped */
	PD_BRANCHES_OFFSETS,
	/* all files: only addresses of samples, by offsets in their files */
	PD_BRANCHES_ALL_FILES,
	/* all files, by frame of the session + 1; no entry is skipped. Only ranges have a weight: their cycles. A range
	 * is in one file, and may end before it begins: its ends are those of branches */
	PD_BRANCHES_FRAMES,
};

enum pd_branch_kind {
	PD_SUM_BRANCH,     /* a branch: from, to; one may be PD_OUTSIDE */
	/* code that ran between two branches, from and to inclusive. PD_BRANCHES_MAPPED: tag is 1 if the branch before
	 * it came from outside the function of this code */
	PD_SUM_RANGE,
	/* from: address of a sample; tag: index of its event. PD_BRANCHES_ALL_FILES: from: dso, to: offset */
	PD_SUM_ADDRESS,
	PD_SUM_FILE,       /* tag: dso of branch targets or samples; only if no program is known */
};

/* An end of a branch that is not in the program. */
#define PD_OUTSIDE UINT64_C(0)   /* no code has offset 0, where a file has its header */

struct pd_branch_sum {
	enum pd_branch_kind kind;
	uint64_t from, to;
	uint32_t tag;
	uint64_t count;
	uint64_t weight;     /* branches: number of mispredictions; addresses: sum of periods */
};

/* Bits of what is summed up. */
enum { PD_BRANCHES_STACKS = 1, PD_BRANCHES_ADDRESSES = 2 };

struct pd_branches_options {
	enum pd_branch_rule rule;
	unsigned what;           /* PD_BRANCHES_STACKS | PD_BRANCHES_ADDRESSES */
	/* path or base name in the recording, path of a file with the build-id, or build-id in hex; NULL: none */
	const char *program;
};

struct pd_branches;
struct pd_branches_part;

enum perfdata_status pd_branches_new(const struct perfdata_session *session, const struct perfdata_reader *reader,
				     const struct pd_branches_options *options, struct pd_branches **ret);
void pd_branches_free(struct pd_branches *branches);   /* ignores NULL */

/* Find the program's dsos, and sum up a batch; both do nothing if `branches` is NULL. *ret_value is the value for
 * pd_branches_collect, and lives as long as `branches`. */
enum perfdata_status pd_branches_scan(struct pd_branches *branches, void **ret_value);
enum perfdata_status pd_branches_collect(const struct pd_branches *branches, const struct perfdata_batch *batch,
					 const void *value, struct pd_branches_part **ret);
void pd_branches_part_free(void *part);
/* Adds a part and frees it, even on failure. PERFDATA_ENOMEM, PERFDATA_EWRITE. */
enum perfdata_status pd_branches_add(struct pd_branches *branches, struct pd_branches_part *part);

struct pd_branches_result {
	const struct pd_code_file *file;  /* file of the program; NULL with PD_BRANCHES_OFFSETS and _ALL_FILES */
	uint32_t dso;                     /* dso of the program; PERFDATA_NONE: none */
	uint64_t samples;                 /* number of samples */
	uint64_t stacks;                  /* samples with branch entries */
	uint64_t entries, inside;         /* branch entries; entries with an end in the program */
};
/* Sorts the sums. PERFDATA_EUSAGE, with a message: no program was requested, the recording does not have it, or its
 * file was not found; then walks return the sums by file. */
enum perfdata_status pd_branches_finish(struct pd_branches *branches, struct pd_branches_result *ret,
					struct perfdata_error *reterr);

/* Walks over all sums in the order of kind, from, to, tag. */
struct pd_branches_walk;
enum perfdata_status pd_branches_walk_new(struct pd_branches *branches, struct pd_branches_walk **ret);
/* PERFDATA_END: no more sums. */
enum perfdata_status pd_branches_walk_next(struct pd_branches_walk *walk, struct pd_branch_sum *ret);
void pd_branches_walk_free(struct pd_branches_walk *walk);

#endif
