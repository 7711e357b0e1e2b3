/* Names as people wrote them. Rust's are tried first: its older scheme looks like C++'s. */
#include "config.h"
#include <stdlib.h>
#include <string.h>
#include "symbols/symbols.h"

#define MAX_MANGLED 65536  /* longer names stay as they are: the time to demangle one is not bounded otherwise */
#define MAX_RUST 4096

static bool is_cxx(const char *name)
{
	name += strspn(name, "_") > 1 ? 1 : 0;
	return name[0] == '_' && name[1] == 'Z';
}

const char *pd_demangle(struct pd_arena *bytes, const char *name)
{
	char text[MAX_RUST];
	if (name[0] != '_' || strlen(name) > MAX_MANGLED)
		return name;
	if (pd_demangle_rust(name, text, sizeof text)) {
		const char *copy = pd_arena_copy(bytes, text, strlen(text));
		return copy ? copy : name;
	}
	char *plain = is_cxx(name) ? pd_demangle_cxx(name) : NULL;
	const char *copy = plain ? pd_arena_copy(bytes, plain, strlen(plain)) : NULL;
	free(plain);
	return copy ? copy : name;
}

const char *perfdata_demangle(const char *name, char *buffer, size_t size)
{
	if (!name || name[0] != '_' || strlen(name) > MAX_MANGLED)
		return name;
	if (pd_demangle_rust(name, buffer, size))
		return buffer;
	char *plain = is_cxx(name) ? pd_demangle_cxx(name) : NULL;
	size_t length = plain ? strlen(plain) + 1 : 0;
	if (length && length <= size)
		memcpy(buffer, plain, length);
	free(plain);
	return length && length <= size ? buffer : name;
}
