/* SPDX-License-Identifier: MIT */
#ifndef PD_LIBRARY_H
#define PD_LIBRARY_H

#include <dlfcn.h>
#include <stdatomic.h>
#include <stdbool.h>
#include "perfdata/base.h"

struct pd_library_failure {
	const char *text;      /* message of the loader, valid until this thread calls it again; NULL: none */
	int code;              /* errno value; 0: the library is not installed, or is no usable library */
};

enum pd_library_state { PD_LIBRARY_UNUSED, PD_LIBRARY_LOADING, PD_LIBRARY_LOADED, PD_LIBRARY_MISSING };

/* Opens a library of the system. Returns PERFDATA_OK; PERFDATA_ABSENT; or the status for failure->code. */
enum perfdata_status pd_library_open(const char *name, void **ret, struct pd_library_failure *failure);

/* A library that is loaded at first need and stays loaded. */
struct pd_library {
	const char *name;
	/* Stores the functions; false: this version lacks one. Only one thread calls it, before any uses a function. */
	bool (*find_functions)(void *handle);
	_Atomic(enum pd_library_state) state;
};

/* Loads the library, unless it is loaded. Returns as pd_library_open. After a failure the next call tries again; a
 * library that is not installed is not looked for again. Thread-safe: while one thread loads it, others wait. */
enum perfdata_status pd_library_load(struct pd_library *library, struct pd_library_failure *failure);

/* A member of a table of functions, with the type that the library's header states. Use: struct table {
 * LIST(PD_LIBRARY_MEMBER) }, where LIST(FUNCTION) contains FUNCTION(name) for each. */
#define PD_LIBRARY_MEMBER(name) __typeof__(&name) name;
/* Defines `finder`, for pd_library.find_functions, which finds the functions of a list for a table. */
#define PD_LIBRARY_FINDER(finder, LIST, functions) \
	static bool finder(void *handle) \
	{ \
		__typeof__(functions) *const table = &(functions); \
		void *found; \
		LIST(PD_LIBRARY_FIND) \
		return true; \
	}
#define PD_LIBRARY_FIND(name) \
	found = dlsym(handle, #name); \
	if (!found) \
		return false; \
	table->name = *(__typeof__(&name) *)&found;
/* For a build that links the library instead: initializes the member. */
#define PD_LIBRARY_LINKED(name) .name = (name),

/* Lists a library that may be loaded in an ELF note, as DT_NEEDED lists linked ones, for packaging tools:
 * https://systemd.io/ELF_DLOPEN_METADATA. id: a C identifier. priority: "recommended" or "suggested". sonames: a JSON
 * array of names; any one of them suffices. */
#ifdef __ELF__
#define PD_NOTE_LIBRARY(id, feature, description, priority, sonames) \
	PD_NOTE_JSON(id, "[{\"feature\":\"" feature "\",\"description\":\"" description \
			 "\",\"priority\":\"" priority "\",\"soname\":" sonames "}]")
#define PD_NOTE_JSON(id, text) \
	__attribute__((used, section(".note.dlopen"))) _Alignas(uint32_t) static const struct { \
		uint32_t name_size, text_size, type; \
		char name[4]; \
		_Alignas(uint32_t) char json[sizeof(text)]; \
	} pd_note_##id = { 4, sizeof(text), 0x407c0c0a, "FDO", text }
#else
#define PD_NOTE_LIBRARY(id, feature, description, priority, sonames) \
	struct pd_note_##id
#endif

#endif
