/* SPDX-License-Identifier: MIT */
/* Converts counts of code to counts of source lines, for each function with the calls inlined in it, as compilers read
 * them. Lines are relative to the line of the function, so that a profile still fits a source that changed
 * elsewhere. */
#ifndef PD_LINE_PROFILE_H
#define PD_LINE_PROFILE_H

#include "base/account.h"
#include "branches/code_ranges.h"
#include "perfdata/base.h"

struct pd_line_profile;

/* The compiler that compiled the program and reads the profile. */
enum pd_line_rule {
	PD_LINES_LLVM,    /* a line has blocks, each with a discriminator; copies of unrolled code are summed up */
	PD_LINES_GCC,     /* a line is one place; copies of functions (NAME.constprop.0) count as the function */
};

/* Borrows the disassembler `ranges`. PERFDATA_EUSAGE, with a message: the file has no usable debug information. */
enum perfdata_status pd_line_profile_new(const struct pd_code_file *file, struct pd_code_ranges *ranges,
					 enum pd_line_rule rule, struct pd_account *account,
					 struct pd_line_profile **ret, struct perfdata_error *reterr);
void pd_line_profile_free(struct pd_line_profile *profile);   /* ignores NULL */

/* Adds code that ran `count` times, from one address to another, both inclusive. */
enum perfdata_status pd_line_profile_add_range(struct pd_line_profile *profile, uint64_t from, uint64_t to,
					       uint64_t count);
/* Adds a branch that was taken; `from` PD_OUTSIDE: from other code. Call it after all ranges. */
enum perfdata_status pd_line_profile_add_branch(struct pd_line_profile *profile, uint64_t from, uint64_t to,
						uint64_t count);
/* Finds the lines of the code that ran, and of its functions. Call it after all ranges. PERFDATA_EUNSUP: the library
 * does not know an instruction. */
enum perfdata_status pd_line_profile_find_lines(struct pd_line_profile *profile);
/* Sorts. Call it after all branches. */
enum perfdata_status pd_line_profile_finish(struct pd_line_profile *profile);

/* Functions that are called in the order of the output. depth: number of inlined calls around it. */
struct pd_line_writer {
	/* depth 0: a function; else a call that was inlined at `line` */
	void (*function)(void *user, unsigned depth, uint32_t line, uint32_t discriminator, const char *name,
			 uint64_t total, uint64_t head);
	void (*line)(void *user, unsigned depth, uint32_t line, uint32_t discriminator, uint64_t count);
	void (*target)(void *user, const char *name, uint64_t count);
	void (*end_line)(void *user);
};
void pd_line_profile_write(const struct pd_line_profile *profile, const struct pd_line_writer *writer, void *user);

#endif
