/* SPDX-License-Identifier: MIT */
/* Loads libdw, which contains libdwfl and needs libelf. It stays loaded, as the C++ runtime does (demangle_cxx.c). */
#include "config.h"
#include "symbols/symbols.h"

#ifdef HAVE_ELFUTILS

#include <dlfcn.h>
#include <stdatomic.h>
#include "base/library.h"
#include "symbols/dwarf/elfutils.h"

struct pd_elfutils_functions pd_elfutils;
static atomic_bool elfutils_are_loaded;
static atomic_bool elfutils_are_missing;

/* PERFDATA_ABSENT: this version lacks a function. */
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

PD_NOTE_LIBRARY(libdw, "unwinding", "Unwinds copied user stacks, reads unusual debugging information", "recommended",
		"[\"libdw.so.1\"]");

enum perfdata_status pd_libdw_load(struct perfdata_symbols *symbols)
{
	if (atomic_load_explicit(&elfutils_are_loaded, memory_order_acquire))
		return PERFDATA_OK;
	if (atomic_load(&elfutils_are_missing))
		return PERFDATA_ABSENT;
	struct pd_library_failure failure;
	void *library;
	enum perfdata_status status = pd_library_open("libdw.so.1", &library, &failure);
	if (symbols && failure.code)
		pd_symbols_tell_library(symbols, "libdw", failure.code);
	if (!status)
		status = find_functions(library);
	if (status == PERFDATA_ABSENT)
		atomic_store(&elfutils_are_missing, true);
	if (!status)
		atomic_store_explicit(&elfutils_are_loaded, true, memory_order_release);
	return status;
}

#endif
