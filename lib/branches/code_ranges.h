/* SPDX-License-Identifier: MIT */
/* The instructions of code that ran between two branches. */
#ifndef PD_CODE_RANGES_H
#define PD_CODE_RANGES_H

#include "symbols/code/code_file.h"

struct pd_code_ranges;
/* PERFDATA_EUSAGE, with a message: no disassembler library is installed. */
enum perfdata_status pd_code_ranges_new(const struct pd_code_file *file, struct pd_code_ranges **ret,
					struct perfdata_error *reterr);
void pd_code_ranges_free(struct pd_code_ranges *ranges);   /* ignores NULL */

/* Calls `take` for each instruction that begins in [start, end), without text, until `take` returns false. Skips bytes
 * where no instruction begins. PERFDATA_EUNSUP: the library does not know an instruction. */
typedef bool pd_take_instruction(void *user, const struct pd_instruction *instruction);
enum perfdata_status pd_code_ranges_walk(struct pd_code_ranges *ranges, uint64_t start, uint64_t end,
					 pd_take_instruction *take, void *user);
/* Sets *ret if execution can run on from `start` to `end`, since no direct jump is between them. */
enum perfdata_status pd_code_ranges_goes_on(struct pd_code_ranges *ranges, uint64_t start, uint64_t end, bool *ret);
/* Returns PERFDATA_EUSAGE with the message for a PERFDATA_EUNSUP of these functions. */
enum perfdata_status pd_code_ranges_refuse(const struct pd_code_ranges *ranges, struct perfdata_error *reterr);

#endif
