/* SPDX-License-Identifier: MIT */
/* Loads libdw, which contains libdwfl and needs libelf. It stays loaded, as the C++ runtime does (demangle_cxx.c). */
#include "config.h"
#include "symbols/symbols.h"

#ifdef HAVE_ELFUTILS

#include "base/library.h"
#include "symbols/dwarf/elfutils.h"

struct pd_elfutils_functions pd_elfutils;

PD_LIBRARY_FINDER(find_functions, PD_ELFUTILS_FUNCTIONS, pd_elfutils)

PD_NOTE_LIBRARY(libdw, "unwinding", "Unwinds copied user stacks, reads unusual debugging information", "recommended",
		"[\"libdw.so.1\"]");

static struct pd_library libdw = { .name = "libdw.so.1", .find_functions = find_functions };

enum perfdata_status pd_libdw_load(struct perfdata_symbols *symbols)
{
	struct pd_library_failure failure;
	const enum perfdata_status status = pd_library_load(&libdw, &failure);
	if (symbols && failure.code)
		pd_symbols_tell_library(symbols, "libdw", failure.code);
	return status;
}

#endif
