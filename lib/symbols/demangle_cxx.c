/* SPDX-License-Identifier: MIT */
/* The C++ runtime, if there is one, demangles C++ names. It is loaded at the first mangled name: linked in, it would
 * cost every start a millisecond or more. */
#include "config.h"
#include <dlfcn.h>
#include <errno.h>
#include <stdatomic.h>
#include <string.h>
#include "base/error.h"
#include "symbols/symbols.h"

typedef char *demangle_fn(const char *name, char *buffer, size_t *size, int *status);

/* A process has one C++ runtime: whichever thread looks finds the same. Where loading it failed, it is tried again. */
static demangle_fn *_Atomic runtime_demangle;
static atomic_bool runtime_is_missing;
static atomic_int runtime_failure;

enum perfdata_status pd_status_of_dlopen(const char *text, int code)
{
	static const int failures[] = { ENOMEM, EMFILE, ENFILE, EIO };
	char reason[128];
	/* the text ends in that of an errno value, in the same words; errno itself may be of a later call */
	for (size_t i = 0; text && i < sizeof failures / sizeof *failures; i++)
		if (strstr(text, pd_errno_text(failures[i], reason, sizeof reason)))
			return pd_status_of_errno(failures[i]);
	if (text)
		return PERFDATA_ABSENT;
	return code ? pd_status_of_errno(code) : PERFDATA_ENOMEM;
}

static enum perfdata_status load_from(const char *name)
{
	errno = 0;
	void *library = dlopen(name, RTLD_LAZY | RTLD_LOCAL);
	if (!library)
		return pd_status_of_dlopen(dlerror(), errno);
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
	atomic_store(&runtime_failure, status == PERFDATA_ABSENT ? PERFDATA_OK : (int)status);
	return status;
}

enum perfdata_status pd_demangle_failure(void) { return (enum perfdata_status)atomic_load(&runtime_failure); }

enum perfdata_status pd_demangle_cxx(const char *name, char **ret)
{
	enum { NO_MEMORY = -1 };   /* of __cxa_demangle */
	const enum perfdata_status loaded = atomic_load(&runtime_demangle) ? PERFDATA_OK : load_runtime();
	int status = 0;
	if (loaded)
		return loaded;
	*ret = atomic_load(&runtime_demangle)(name, NULL, NULL, &status);
	return *ret ? PERFDATA_OK : status == NO_MEMORY ? PERFDATA_ENOMEM : PERFDATA_ABSENT;
}
