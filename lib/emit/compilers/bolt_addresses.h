/* SPDX-License-Identifier: MIT */
/* What BOLT takes of recordings without branch stacks. As fdata, `no_lbr EVENT: ...` and `1 FUNCTION OFFSET COUNT` for
 * each address, which perf2bolt -nl writes and llvm-bolt -data reads. Or before functions are looked up: `E EVENT:` and
 * `S ADDRESS COUNT`, for perf2bolt -pa -ba from version 22 on. */
#ifndef PD_BOLT_ADDRESSES_H
#define PD_BOLT_ADDRESSES_H

#include "emit/compilers/branch_gather.h"

enum perfdata_status pd_bolt_write_addresses(struct branch_gather *gather, const struct pd_code_file *file, bool fdata,
					     struct perfdata_text *out);

#endif
