/* SPDX-License-Identifier: MIT */
/* Demangles names of C++, Rust, OCaml and Java. Tries Rust before C++, since names of Rust's older scheme look like C++
 * names. */
#include "config.h"
#include <stdlib.h>
#include <string.h>
#include "base/memory.h"
#include "symbols/symbols.h"

#define MAX_MANGLED 65536  /* longer names stay mangled, since they could take too long to demangle */

static bool is_cxx(const char *name)
{
	name += strspn(name, "_") > 1 ? 1 : 0;
	return name[0] == '_' && name[1] == 'Z';
}

typedef bool demangle_into(const char *name, char *out, size_t room);

/* Demangles a name into a small buffer, which suffices for most, then into a large one. *ret stays NULL if the name is
 * of another language. False: no memory. */
static bool demangle_by(demangle_into *demangle, struct pd_arena *bytes, const char *name, const char **ret)
{
	char small[1024];
	if (demangle(name, small, sizeof small)) {
		*ret = pd_arena_copy(bytes, small, strlen(small));
		return *ret != NULL;
	}
	char *large = pd_malloc(PD_SYMBOL_NAME_LIMIT);
	if (!large)
		return false;
	const bool is_mangled = demangle(name, large, PD_SYMBOL_NAME_LIMIT);
	*ret = is_mangled ? pd_arena_copy(bytes, large, strlen(large)) : NULL;
	pd_free(large);
	return *ret || !is_mangled;
}

static bool may_be_rust(const char *name)
{
	if (is_cxx(name))
		return strstr(name, "17h") != NULL;
	return name[1] == 'R' || (name[1] == '_' && name[2] == 'R');
}

/* Returns what may demangle a name without the C++ runtime; NULL: nothing. */
static demangle_into *language_of(const char *name)
{
	if (name[0] == '_')
		return may_be_rust(name) ? pd_demangle_rust : NULL;
	if (!strncmp(name, "caml", 4))
		return pd_demangle_ocaml;
	return name[0] == 'L' && strchr(name, ';') ? pd_demangle_java : NULL;
}

const char *pd_demangle(struct pd_arena *bytes, const char *name, struct pd_work *work, bool *ret_excess)
{
	demangle_into *const demangle = language_of(name);
	const char *found = NULL;
	if ((name[0] != '_' && !demangle) || strlen(name) > MAX_MANGLED)
		return name;
	if (demangle && !demangle_by(demangle, bytes, name, &found))
		return NULL;
	if (found || name[0] != '_')
		return found ? found : name;
	char *demangled = NULL;
	const enum perfdata_status status = is_cxx(name) ? pd_demangle_cxx(name, work, &demangled) : PERFDATA_ABSENT;
	*ret_excess |= status == PERFDATA_ELIMIT;
	if (status)
		return status == PERFDATA_ABSENT || status == PERFDATA_ELIMIT ? name : NULL;
	const size_t size = strlen(demangled);
	*ret_excess |= size >= PD_SYMBOL_NAME_LIMIT;
	const char *copy = size < PD_SYMBOL_NAME_LIMIT ? pd_arena_copy(bytes, demangled, size) : name;
	free(demangled);
	return copy;
}
