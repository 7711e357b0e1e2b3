/* SPDX-License-Identifier: MIT */
/* Names that BOLT uses for the functions of a program: symbols by address; local symbols have a number, since several
 * files may have one of the same name. */
#ifndef PD_BOLT_NAMES_H
#define PD_BOLT_NAMES_H

#include "base/account.h"
#include "symbols/code/code_file.h"

struct pd_bolt_names;
enum perfdata_status pd_bolt_names_new(const struct pd_code_file *file, struct pd_account *account,
				       struct pd_bolt_names **ret);
void pd_bolt_names_free(struct pd_bolt_names *names);   /* ignores NULL */

/* A function, which BOLT writes as NAME, NAME/NUMBER or NAMESUFFIX, and the offset of an address in it. */
struct pd_bolt_place {
	const char *function;  /* `length` bytes */
	size_t length;
	const char *suffix;    /* NULL: none */
	uint32_t number;       /* number of a local function; 0: not local */
	uint64_t offset;
};
/* Finds the function that contains the address; false: none. */
bool pd_bolt_names_find(const struct pd_bolt_names *names, uint64_t address, struct pd_bolt_place *ret);

#endif
