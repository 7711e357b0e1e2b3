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

/* --- the size of a demangled name --------------------------------------------------------------------------------- */

#define MOST_SHOWN ((uint64_t)1 << 20)   /* units of work; real names need a small part of it */
#define MOST_REFERENCES 64u   /* references with a bound of their own; later ones count as the whole text before */

static uint64_t bounded_sum(uint64_t a, uint64_t b)
{
	return a > MOST_SHOWN || b > MOST_SHOWN ? MOST_SHOWN + 1 : a + b;
}

/* Takes a reference "S_", "S0_", "SZ_", "S10_" …: its number, and its end. False: not a reference. */
static bool take_reference(const char *at, uint64_t *ret, const char **ret_end)
{
	*ret = 0;
	for (at++; (*at >= '0' && *at <= '9') || (*at >= 'A' && *at <= 'Z'); at++)
		*ret = *ret > MOST_SHOWN ? *ret : *ret * 36 + (uint64_t)(*at <= '9' ? *at - '0' : *at - 'A' + 10) + 1;
	*ret_end = at + 1;
	return *at == '_';
}

/* Returns an upper bound of a demangled name's size without parsing the grammar. A reference repeats a part that ended
 * before its first use, so its first use is at most as long as all text before it, and later uses are as long as the
 * first. A template parameter ("T_") is at most as long as all text before it or `parameter`. */
static uint64_t bound_of(const char *name, uint64_t parameter)
{
	uint64_t known[MOST_REFERENCES] = { 0 }, size = 1, number;
	for (const char *end; *name && size <= MOST_SHOWN; name = end) {
		if (*name == 'S' && take_reference(name, &number, &end)) {
			const uint64_t first = number < MOST_REFERENCES && known[number] ? known[number] : size;
			if (number < MOST_REFERENCES)
				known[number] = first;
			size = bounded_sum(size, first);
		} else if (*name == 'T' && take_reference(name, &number, &end)) {
			size = bounded_sum(size, (size > parameter ? size : parameter) + 1);
		} else {
			end = name + 1;
			size++;
		}
	}
	return size;
}

uint64_t pd_demangle_bound(const char *name)
{
	const uint64_t size = bound_of(name, 0);
	/* conversion operators ("cv") may name a template parameter before its value */
	const uint64_t bound = strstr(name, "cv") && size <= MOST_SHOWN ? bound_of(name, size) : size;
	return bound <= MOST_SHOWN ? bound : 0;
}

int pd_demangle_failure_code(void) { return atomic_load(&runtime_failure); }

enum perfdata_status pd_demangle_failure(void)
{
	const int code = pd_demangle_failure_code();
	return code ? pd_status_of_errno(code) : PERFDATA_OK;
}

enum perfdata_status pd_demangle_cxx(const char *name, char **ret)
{
	enum { NO_MEMORY = -1 };   /* result of __cxa_demangle */
	const enum perfdata_status loaded = atomic_load(&runtime_demangle) ? PERFDATA_OK : load_runtime();
	int status = 0;
	if (loaded)
		return loaded;
	if (!pd_demangle_bound(name))
		return PERFDATA_ABSENT;
	*ret = atomic_load(&runtime_demangle)(name, NULL, NULL, &status);
	return *ret ? PERFDATA_OK : status == NO_MEMORY ? PERFDATA_ENOMEM : PERFDATA_ABSENT;
}
