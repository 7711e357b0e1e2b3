/* SPDX-License-Identifier: MIT */
/* Profiles that BOLT makes from samples without branch stacks. With names, fdata as perf2bolt -nl writes it and
 * llvm-bolt -data reads it: `no_lbr EVENT: ...`, then `1 FUNCTION OFFSET COUNT` for each address. Without names, input
 * of perf2bolt -pa -ba since version 22: `E EVENT:` and `S ADDRESS COUNT`. */
#ifndef PD_BOLT_ADDRESSES_H
#define PD_BOLT_ADDRESSES_H

#include "emit/compilers/branch_gather.h"

enum perfdata_status pd_bolt_write_addresses(struct branch_gather *gather, const struct pd_code_file *file, bool fdata,
					     struct perfdata_text *out);

#endif
