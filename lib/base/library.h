/* SPDX-License-Identifier: MIT */
#ifndef PD_LIBRARY_H
#define PD_LIBRARY_H

#include "perfdata/base.h"

struct pd_library_failure {
	const char *text;      /* of the loader, valid until this thread calls it again; NULL: none */
	int code;              /* errno value; 0: the library is not installed, or cannot be one */
};

/* Opens a library of the system. PERFDATA_OK; PERFDATA_ABSENT; or the status of failure->code. */
enum perfdata_status pd_library_open(const char *name, void **ret, struct pd_library_failure *failure);

#endif
