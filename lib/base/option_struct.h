/* SPDX-License-Identifier: MIT */
/* Copies the option structs of callers: see PERFDATA_OPTIONS in perfdata/base.h. */
#ifndef PD_OPTION_STRUCT_H
#define PD_OPTION_STRUCT_H

#include "perfdata/base.h"

/* Copies a caller's options, which begin with their size, into *own, a cleared struct of `own_size` bytes. NULL leaves
 * zeros, the defaults. min_size: the size of the struct in its first version. PERFDATA_EUSAGE: the caller's size is
 * below min_size, or a byte is set that this version does not know. reterr may be NULL. */
enum perfdata_status pd_options_copy(void *own, size_t own_size, size_t min_size, const void *options,
				     struct perfdata_error *reterr);

/* Calls pd_options_copy for a struct whose last member in its first version was `last`. */
#define PD_OPTIONS_COPY(own, last, options, reterr)                                                              \
	pd_options_copy((own), sizeof *(own), offsetof(__typeof__(*(own)), last) + sizeof(own)->last, (options), \
			(reterr))

#endif
