/* SPDX-License-Identifier: MIT */
/* What BOLT calls the functions of a program: symbols by address, local ones with a number, since several files may
 * have one of that name. */
#ifndef PD_BOLT_NAMES_H
#define PD_BOLT_NAMES_H

#include "base/account.h"
#include "symbols/code/code_file.h"

struct pd_bolt_names;
enum perfdata_status pd_bolt_names_new(const struct pd_code_file *file, struct pd_account *account,
				       struct pd_bolt_names **ret);
void pd_bolt_names_free(struct pd_bolt_names *names);   /* NULL is fine */

/* A function, as NAME, NAME/NUMBER or NAMESUFFIX, and the offset of an address in it. */
struct pd_bolt_place {
	const char *function;  /* as many bytes as `length` */
	size_t length;
	const char *suffix;    /* or NULL */
	uint32_t number;       /* of local functions; else 0 */
	uint64_t offset;
};
/* false: the address is in no function. */
bool pd_bolt_names_find(const struct pd_bolt_names *names, uint64_t address, struct pd_bolt_place *ret);

#endif
