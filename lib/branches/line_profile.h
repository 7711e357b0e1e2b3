/* SPDX-License-Identifier: MIT */
/* Counts of code become counts of source lines: of each function, with what was inlined in it, as compilers read them.
 * Lines are relative to the line of the function, so that a profile fits a source that changed elsewhere. */
#ifndef PD_LINE_PROFILE_H
#define PD_LINE_PROFILE_H

#include "base/account.h"
#include "branches/code_ranges.h"
#include "perfdata/base.h"

struct pd_line_profile;

/* Whose compiler reads the profile, and compiled the program. */
enum pd_line_rule {
	PD_LINES_LLVM,    /* a line has blocks, each with a discriminator; copies of unrolled code are added up */
	PD_LINES_GCC,     /* a line is one place; copies of functions (NAME.constprop.0) are their function */
};

/* PERFDATA_EUSAGE, with a message: the file has no debug information, or none that can be used for it. The disassembler
 * of `ranges` is borrowed. */
enum perfdata_status pd_line_profile_new(const struct pd_code_file *file, struct pd_code_ranges *ranges,
					 enum pd_line_rule rule, struct pd_account *account,
					 struct pd_line_profile **ret, struct perfdata_error *reterr);
void pd_line_profile_free(struct pd_line_profile *profile);   /* NULL is fine */

/* Code ran from one address to another, both inclusive, that many times. */
enum perfdata_status pd_line_profile_add_range(struct pd_line_profile *profile, uint64_t from, uint64_t to,
					       uint64_t count);
/* A branch was taken; PD_OUTSIDE as `from`: by other code. After all ranges. */
enum perfdata_status pd_line_profile_add_branch(struct pd_line_profile *profile, uint64_t from, uint64_t to,
						uint64_t count);
/* After all ranges: finds the lines of the code that ran, and of the functions around it. PERFDATA_EUNSUP: the library
 * does not know an instruction. */
enum perfdata_status pd_line_profile_find_lines(struct pd_line_profile *profile);
/* After all branches: sorts. */
enum perfdata_status pd_line_profile_finish(struct pd_line_profile *profile);

/* Called in the order of the output. `depth`: of calls that were inlined. */
struct pd_line_writer {
	/* depth 0: a function; else a call inlined at `line` */
	void (*function)(void *user, unsigned depth, uint32_t line, uint32_t discriminator, const char *name,
			 uint64_t total, uint64_t head);
	void (*line)(void *user, unsigned depth, uint32_t line, uint32_t discriminator, uint64_t count);
	void (*target)(void *user, const char *name, uint64_t count);
	void (*end_line)(void *user);
};
void pd_line_profile_write(const struct pd_line_profile *profile, const struct pd_line_writer *writer, void *user);

#endif
