/* SPDX-License-Identifier: MIT */
/* The instructions of code that ran from one branch to the next. */
#ifndef PD_CODE_RANGES_H
#define PD_CODE_RANGES_H

#include "symbols/code/code_file.h"

struct pd_code_ranges;
/* PERFDATA_EUSAGE, with a message: no library that decodes instructions is installed. */
enum perfdata_status pd_code_ranges_new(const struct pd_code_file *file, struct pd_code_ranges **ret,
					struct perfdata_error *reterr);
void pd_code_ranges_free(struct pd_code_ranges *ranges);   /* NULL is fine */

/* Calls `take` for each instruction that begins in [start, end), until that returns false; without its text. Passes
 * over bytes where none begins. PERFDATA_EUNSUP: the library does not know one. */
typedef bool pd_take_instruction(void *user, const struct pd_instruction *instruction);
enum perfdata_status pd_code_ranges_walk(struct pd_code_ranges *ranges, uint64_t start, uint64_t end,
					 pd_take_instruction *take, void *user);
/* Whether the code can run from the one to the other address: no direct jump lies between them. */
enum perfdata_status pd_code_ranges_goes_on(struct pd_code_ranges *ranges, uint64_t start, uint64_t end, bool *ret);
/* What to say of PERFDATA_EUNSUP: it becomes PERFDATA_EUSAGE. */
enum perfdata_status pd_code_ranges_refuse(const struct pd_code_ranges *ranges, struct perfdata_error *reterr);

#endif
