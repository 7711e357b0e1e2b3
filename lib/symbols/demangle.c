/* SPDX-License-Identifier: MIT */
/* Demangles names. Rust is tried first: names of its older scheme look like C++ names. */
#include "config.h"
#include <stdlib.h>
#include <string.h>
#include "base/memory.h"
#include "symbols/symbols.h"

#define MAX_MANGLED 65536  /* longer names stay as they are: the time to demangle one is not bounded otherwise */
#define MAX_RUST 65536

static bool is_cxx(const char *name)
{
	name += strspn(name, "_") > 1 ? 1 : 0;
	return name[0] == '_' && name[1] == 'Z';
}

/* Most names fit into a small buffer; the long ones of generic code are tried again with a large one. */
static const char *demangle_rust(struct pd_arena *bytes, const char *name)
{
	char small[1024];
	if (pd_demangle_rust(name, small, sizeof small))
		return pd_arena_copy(bytes, small, strlen(small));
	char *large = pd_malloc(MAX_RUST);
	const char *copy = NULL;
	if (large && pd_demangle_rust(name, large, MAX_RUST))
		copy = pd_arena_copy(bytes, large, strlen(large));
	pd_free(large);
	return copy;
}

static bool may_be_rust(const char *name)
{
	if (is_cxx(name))
		return strstr(name, "17h") != NULL;
	return name[1] == 'R' || (name[1] == '_' && name[2] == 'R');
}

const char *pd_demangle(struct pd_arena *bytes, const char *name)
{
	if (name[0] != '_' || strlen(name) > MAX_MANGLED)
		return name;
	const char *rust = may_be_rust(name) ? demangle_rust(bytes, name) : NULL;
	if (rust)
		return rust;
	char *demangled = is_cxx(name) ? pd_demangle_cxx(name) : NULL;
	const char *copy = demangled ? pd_arena_copy(bytes, demangled, strlen(demangled)) : NULL;
	free(demangled);
	return copy ? copy : name;
}

const char *perfdata_demangle(const char *name, char *buffer, size_t size)
{
	if (!name || name[0] != '_' || strlen(name) > MAX_MANGLED)
		return name;
	if (pd_demangle_rust(name, buffer, size))
		return buffer;
	char *demangled = is_cxx(name) ? pd_demangle_cxx(name) : NULL;
	size_t length = demangled ? strlen(demangled) + 1 : 0;
	if (length && length <= size)
		memcpy(buffer, demangled, length);
	free(demangled);
	return length && length <= size ? buffer : name;
}
