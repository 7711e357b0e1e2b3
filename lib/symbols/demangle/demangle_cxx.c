/* SPDX-License-Identifier: MIT */
/* Demangles C++ names with the C++ runtime, if the system has it. The first mangled name loads it: linked in, it would
 * delay each start by a millisecond or more. */
#include "config.h"
#include <dlfcn.h>
#include <stdatomic.h>
#include <string.h>
#include "base/error.h"
#include "base/library.h"
#include "base/port.h"
#include "symbols/symbols.h"

#define PARTS_OF_STEP 8u   /* parts of a name that take as long as one step of work */

typedef char *demangle_fn(const char *name, char *buffer, size_t *size, int *status);

/* A process has one C++ runtime, so each thread finds the same. A failed load is tried again. */
static demangle_fn *_Atomic runtime_demangle;
static atomic_bool runtime_is_missing;
static atomic_int runtime_failure;     /* errno value of the failed load */

#if PD_CXX_RUNTIME_IS_LINKED
demangle_fn __cxa_demangle;

static enum perfdata_status load_runtime(void)
{
	atomic_store(&runtime_demangle, __cxa_demangle);
	return PERFDATA_OK;
}
#else
PD_NOTE_LIBRARY(cxx, "c++-names", "Names of C++ functions", "recommended", "[\"libstdc++.so.6\",\"libc++abi.so.1\"]");

static enum perfdata_status load_from(const char *name)
{
	struct pd_library_failure failure;
	void *library;
	const enum perfdata_status status = pd_library_open(name, &library, &failure);
	atomic_store(&runtime_failure, failure.code);
	if (status)
		return status;
	demangle_fn *found;
	*(void **)&found = dlsym(library, "__cxa_demangle");
	atomic_store(&runtime_demangle, found);
	return found ? PERFDATA_OK : PERFDATA_ABSENT;
}

static enum perfdata_status load_runtime(void)
{
	if (atomic_load(&runtime_is_missing))
		return PERFDATA_ABSENT;
	enum perfdata_status status = load_from("libstdc++.so.6");
	if (status == PERFDATA_ABSENT)
		status = load_from("libc++abi.so.1");
	if (status == PERFDATA_ABSENT)
		atomic_store(&runtime_is_missing, true);
	return status;
}
#endif

int pd_demangle_failure_code(void) { return atomic_load(&runtime_failure); }

enum perfdata_status pd_demangle_failure(void)
{
	const int code = pd_demangle_failure_code();
	return code ? pd_status_of_errno(code) : PERFDATA_OK;
}

/* Whether a limit forbids to demangle a name. */
static bool is_too_much(const char *name, struct pd_work *work)
{
	const uint64_t bound = pd_demangle_bound(name);
	return !bound || (work && pd_work_do(work, bound / PARTS_OF_STEP) == PERFDATA_ELIMIT);
}

enum perfdata_status pd_demangle_cxx(const char *name, struct pd_work *work, char **ret)
{
	enum { NO_MEMORY = -1 };   /* result of __cxa_demangle */
	const enum perfdata_status loaded = atomic_load(&runtime_demangle) ? PERFDATA_OK : load_runtime();
	int status = 0;
	if (loaded)
		return loaded;
	if (is_too_much(name, work))
		return PERFDATA_ELIMIT;
	*ret = atomic_load(&runtime_demangle)(name, NULL, NULL, &status);
	return *ret ? PERFDATA_OK : status == NO_MEMORY ? PERFDATA_ENOMEM : PERFDATA_ABSENT;
}
