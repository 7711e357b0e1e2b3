/* SPDX-License-Identifier: MIT */
/* The C++ runtime, if there is one, demangles C++ names. It is loaded at the first mangled name: linked in, it would
 * cost every start a millisecond or more. */
#include "config.h"
#include <dlfcn.h>
#include <threads.h>
#include "symbols/symbols.h"

typedef char *demangle_fn(const char *name, char *buffer, size_t *size, int *status);

/* Set once, under call_once; a process has one C++ runtime. */
static demangle_fn *runtime_demangle;
static once_flag runtime_once = ONCE_FLAG_INIT;

static void load_runtime(void)
{
	void *library = dlopen("libstdc++.so.6", RTLD_LAZY | RTLD_LOCAL);
	if (!library)
		library = dlopen("libc++abi.so.1", RTLD_LAZY | RTLD_LOCAL);
	if (library)
		*(void **)&runtime_demangle = dlsym(library, "__cxa_demangle");
}

char *pd_demangle_cxx(const char *name)
{
	int status = 0;
	call_once(&runtime_once, load_runtime);
	return runtime_demangle ? runtime_demangle(name, NULL, NULL, &status) : NULL;
}
