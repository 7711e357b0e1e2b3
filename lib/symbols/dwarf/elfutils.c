/* SPDX-License-Identifier: MIT */
/* Loads libdw, which has libdwfl and needs libelf. It stays loaded, as the C++ runtime does (demangle_cxx.c). */
#include "config.h"
#include "symbols/symbols.h"

#ifdef HAVE_ELFUTILS

#include <dlfcn.h>
#include <errno.h>
#include <stdatomic.h>
#include "base/error.h"
#include "base/port.h"
#include "symbols/dwarf/elfutils.h"

struct pd_elfutils_functions pd_elfutils;
static atomic_bool elfutils_are_loaded;
static atomic_bool elfutils_are_missing;

/* PERFDATA_ABSENT: a version that lacks a function. */
static enum perfdata_status find_functions(void *library)
{
	void *found;
#define FIND(name) \
	found = dlsym(library, #name); \
	if (!found) \
		return PERFDATA_ABSENT; \
	atomic_store_explicit(&pd_elfutils.name, *(__typeof__(&name) *)&found, memory_order_relaxed);
	PD_ELFUTILS_FUNCTIONS(FIND)
#undef FIND
	return PERFDATA_OK;
}

enum perfdata_status pd_libdw_load(void)
{
	if (atomic_load_explicit(&elfutils_are_loaded, memory_order_acquire))
		return PERFDATA_OK;
	if (atomic_load(&elfutils_are_missing))
		return PERFDATA_ABSENT;
	errno = 0;
	void *library = pd_load_library("libdw.so.1", RTLD_LAZY | RTLD_LOCAL);
	const int code = errno;
	const enum perfdata_status status = library ? find_functions(library) :
						      pd_status_of_dlopen(pd_load_library_error(), code);
	if (status == PERFDATA_ABSENT)
		atomic_store(&elfutils_are_missing, true);
	if (!status)
		atomic_store_explicit(&elfutils_are_loaded, true, memory_order_release);
	return status;
}

#endif
