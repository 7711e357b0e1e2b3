/* SPDX-License-Identifier: MIT */
/* Opens shared libraries of the system. Distinguishes those that are not installed from those that failed to load. */
#include "config.h"
#include <dlfcn.h>
#include <errno.h>
#include <sched.h>
#include <string.h>
#include "base/error.h"
#include "base/library.h"
#include "base/port.h"

/* Returns the errno value of a failure; 0: the library is not installed, or is no usable library. text: of dlerror(),
 * may be NULL; code: errno after dlopen, which may belong to a later call. */
static int failure_of(const char *text, int code)
{
	static const int failures[] = { ENOMEM, EMFILE, ENFILE, EIO };
	/* messages of the loader, without errno text, that mean that it found a library but could not map it */
	static const char *const unmapped[] = { "failed to map", "cannot map", "cannot allocate", "cannot create",
						"cannot extend", "cannot change memory", "out of memory" };
	char reason[128];

	if (!text)
		return !code ? ENOMEM : pd_status_of_errno(code) == PERFDATA_ABSENT ? 0 : code;
	/* the message ends with the errno text */
	for (size_t i = 0; i < sizeof failures / sizeof *failures; i++)
		if (strstr(text, pd_errno_text(failures[i], reason, sizeof reason)))
			return failures[i];
	for (size_t i = 0; i < sizeof unmapped / sizeof *unmapped; i++)
		if (strstr(text, unmapped[i]))
			return ENOMEM;
	return 0;
}

enum perfdata_status pd_library_open(const char *name, void **ret, struct pd_library_failure *failure)
{
	errno = 0;
	*ret = pd_load_library(name, RTLD_LAZY | RTLD_LOCAL);
	const int code = errno;
	*failure = (struct pd_library_failure){ .text = NULL };
	if (*ret)
		return PERFDATA_OK;
	failure->text = pd_load_library_error();
	failure->code = failure_of(failure->text, code);
	return failure->code ? pd_status_of_errno(failure->code) : PERFDATA_ABSENT;
}

/* Waits for a thread that loads the library. True: it is for the caller to load it. */
static bool begin_loading(struct pd_library *library, enum pd_library_state *ret_state)
{
	for (;; sched_yield()) {
		*ret_state = atomic_load_explicit(&library->state, memory_order_acquire);
		if (*ret_state == PD_LIBRARY_LOADED || *ret_state == PD_LIBRARY_MISSING)
			return false;
		if (*ret_state == PD_LIBRARY_UNUSED &&
		    atomic_compare_exchange_strong(&library->state, ret_state, PD_LIBRARY_LOADING))
			return true;
	}
}

enum perfdata_status pd_library_load(struct pd_library *library, struct pd_library_failure *failure)
{
	enum pd_library_state state;
	void *handle;

	*failure = (struct pd_library_failure){ .text = NULL };
	if (!begin_loading(library, &state))
		return state == PD_LIBRARY_LOADED ? PERFDATA_OK : PERFDATA_ABSENT;
	enum perfdata_status status = pd_library_open(library->name, &handle, failure);
	if (!status && !library->find_functions(handle))
		status = PERFDATA_ABSENT;
	state = !status ? PD_LIBRARY_LOADED : status == PERFDATA_ABSENT ? PD_LIBRARY_MISSING : PD_LIBRARY_UNUSED;
	atomic_store_explicit(&library->state, state, memory_order_release);
	return status;
}
