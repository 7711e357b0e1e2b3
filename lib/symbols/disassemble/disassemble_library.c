/* SPDX-License-Identifier: MIT */
/* Loads the disassembler libraries that are installed, at first need, since they are large. */
#include "config.h"
#include <dlfcn.h>
#include <stdio.h>
#include "base/error.h"
#include "base/memory.h"
#include "symbols/disassemble/disassemble_library.h"
#include "symbols/symbols.h"

/* Versions of LLVM whose names are tried, newest first. */
#define NEWEST_LLVM 40u
#define OLDEST_LLVM 11u

/* sonames of LLVM that distributions ship now */
PD_NOTE_LIBRARY(disassembler, "annotate", "Shows the instructions of functions", "suggested",
		"[\"libLLVM.so.22.1\",\"libLLVM.so.21.1\",\"libLLVM.so.20.1\",\"libLLVM.so.19.1\",\"libLLVM-17.so\","
		"\"libLLVM-16.so.1\",\"libcapstone.so.5\",\"libcapstone.so.4\"]");

/* False: the library has no such function. */
static bool find_function(void *handle, const char *name, void *ret_function)
{
	*(void **)ret_function = dlsym(handle, name);
	return *(void **)ret_function != NULL;
}

/* --- LLVM --------------------------------------------------------------------------------------------------------- */

static bool start_target(void *handle, const char *target)
{
	static const char *const parts[] = { "TargetInfo", "TargetMC", "Disassembler" };
	void (*start[3])(void);
	char name[64];
	for (size_t i = 0; i < 3; i++) {
		snprintf(name, sizeof name, "LLVMInitialize%s%s", target, parts[i]);
		if (!find_function(handle, name, &start[i]))
			return false;
	}
	for (size_t i = 0; i < 3; i++)
		start[i]();
	return true;
}

static enum perfdata_status open_newest_llvm(struct pd_disassembly_library *library)
{
	/* names that LLVM and distributions use; the first one from version 18 on */
	static const struct { const char *prefix, *suffix; } names[] = {
		{ "libLLVM.so.", ".1" }, { "libLLVM-", ".so.1" }, { "libLLVM-", ".so" },
	};
	for (unsigned version = NEWEST_LLVM; version >= OLDEST_LLVM; version--)
		for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
			char name[32];
			snprintf(name, sizeof name, "%s%u%s", names[i].prefix, version, names[i].suffix);
			const enum perfdata_status status = pd_library_open(name, &library->handle, &library->failure);
			library->version = version;
			if (status != PERFDATA_ABSENT)
				return status;
		}
	return PERFDATA_ABSENT;
}

static enum perfdata_status load_llvm(struct pd_disassembly_library *library)
{
	struct pd_llvm_calls *calls = &library->llvm;
	const enum perfdata_status status = open_newest_llvm(library);
	if (status)
		return status;
	void *handle = library->handle;
	if (!find_function(handle, "LLVMCreateDisasmCPUFeatures", &calls->create) ||
	    !find_function(handle, "LLVMSetDisasmOptions", &calls->set_options) ||
	    !find_function(handle, "LLVMDisasmDispose", &calls->dispose) ||
	    !find_function(handle, "LLVMDisasmInstruction", &calls->decode))
		return PERFDATA_ABSENT;
	library->has_kind[PD_CODE_X86_64] = library->has_kind[PD_CODE_I386] = start_target(handle, "X86");
	library->has_kind[PD_CODE_ARM64] = start_target(handle, "AArch64");
	snprintf(library->name, sizeof library->name, "LLVM %u", library->version);
	return PERFDATA_OK;
}

/* --- capstone ----------------------------------------------------------------------------------------------------- */

static enum perfdata_status load_capstone(struct pd_disassembly_library *library, int wanted)
{
	struct pd_capstone_calls *calls = &library->capstone;
	char name[32];
	snprintf(name, sizeof name, "libcapstone.so.%d", wanted);
	const enum perfdata_status status = pd_library_open(name, &library->handle, &library->failure);
	if (status)
		return status;
	void *handle = library->handle;
	if (!find_function(handle, "cs_version", &calls->version) || !find_function(handle, "cs_open", &calls->open) ||
	    !find_function(handle, "cs_close", &calls->close) || !find_function(handle, "cs_option", &calls->option) ||
	    !find_function(handle, "cs_malloc", &calls->new_instruction) ||
	    !find_function(handle, "cs_free", &calls->free_instruction) ||
	    !find_function(handle, "cs_disasm_iter", &calls->decode))
		return PERFDATA_ABSENT;
	int major = 0, minor = 0;
	calls->version(&major, &minor);
	if (major != wanted)
		return PERFDATA_ABSENT;
	for (size_t i = 0; i < PD_CODE_COUNT; i++)
		library->has_kind[i] = true;   /* unknown until a handle is opened */
	snprintf(library->name, sizeof library->name, "capstone %d.%d", major, minor);
	return PERFDATA_OK;
}

enum perfdata_status pd_disassembly_load(struct pd_disassembly_library *library, enum pd_disassembly_family family)
{
	if (library->is_tried)
		return library->status;
	library->status = family == PD_FAMILY_LLVM	 ? load_llvm(library) :
			  family == PD_FAMILY_CAPSTONE_5 ? load_capstone(library, 5) :
							   load_capstone(library, 4);
	library->is_tried = library->status == PERFDATA_OK || library->status == PERFDATA_ABSENT;
	if (library->status && library->handle) {
		dlclose(library->handle);
		library->handle = NULL;
	}
	return library->status;
}

void pd_disassembly_free(struct pd_disassembly *disassembly)
{
	for (size_t i = 0; disassembly && i < PD_FAMILY_COUNT; i++)
		if (disassembly->libraries[i].handle)
			dlclose(disassembly->libraries[i].handle);
	pd_free(disassembly);
}
