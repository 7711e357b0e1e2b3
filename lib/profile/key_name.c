/* SPDX-License-Identifier: MIT */
#include "config.h"
#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <limits.h>
#include <string.h>
#include "base/digit.h"
#include "base/port.h"
#include "profile/key_name.h"

static bool is_digit(char c) { return c >= '0' && c <= '9'; }
static bool is_hex(char c) { return pd_digit_of(c) != PD_NO_DIGIT; }

static size_t nr_digits(const char *text, size_t size)
{
	size_t nr = 0;
	while (nr < size && is_digit(text[nr]))
		nr++;
	return nr;
}

static bool begins_with(const char *text, size_t size, const char *with)
{
	return size >= strlen(with) && !memcmp(text, with, strlen(with));
}
static bool ends_with(const char *text, size_t size, const char *with)
{
	return size >= strlen(with) && begins_with(text + size - strlen(with), strlen(with), with);
}

static void put_text(char *ret, size_t room, const char *text, size_t size)
{
	size = size < room ? size : room - 1;
	memcpy(ret, text, size);
	ret[size] = 0;
}

/* --- files -------------------------------------------------------------------------------------------------------- */

static void put_module(const char *name, size_t size, char *ret, size_t room)
{
	if (size > 2 && name[0] == '[' && name[size - 1] == ']') {
		name++;
		size -= 2;
	}
	for (size_t i = 0; i + 3 <= size; i++)
		if (!memcmp(name + i, ".ko", 3) && (i + 3 == size || name[i + 3] == '.')) {
			size = i;
			break;
		}
	put_text(ret, room, name, size);
	for (char *at = ret; *at; at++)
		if (*at == '-')
			*at = '_';
}

/* Returns the size of a name up to the first number of the version after ".so". */
static size_t without_minor_version(const char *name, size_t size)
{
	for (size_t i = 1; i + 4 < size; i++) {
		if (memcmp(name + i, ".so.", 4) != 0)
			continue;
		const size_t major = nr_digits(name + i + 4, size - i - 4), end = i + 4 + major;
		if (!major || (end < size && name[end] != '.'))
			continue;
		for (size_t at = end; at < size; at++)
			if (!is_digit(name[at]) && name[at] != '.')
				return size;
		return end;
	}
	return size;
}

/* Whether the name is "jitted-PID-NUMBER.so", a file of `perf inject -j` with a function of a JIT. */
static bool is_jitted(const char *name, size_t size)
{
	static const char begin[] = "jitted-", end[] = ".so";
	if (!begins_with(name, size, begin) || !ends_with(name, size, end))
		return false;
	const char *at = name + strlen(begin), *stop = name + size - strlen(end);
	for (unsigned part = 0; part < 2; part++) {
		const size_t nr = nr_digits(at, (size_t)(stop - at));
		if (!nr || (part ? at + nr != stop : at + nr == stop || at[nr] != '-'))
			return false;
		at += nr + 1;
	}
	return true;
}

void pd_key_file(enum perfdata_dso_kind kind, const char *path, char *ret, size_t room)
{
	size_t size = strlen(path);
	if (ends_with(path, size, " (deleted)"))
		size -= strlen(" (deleted)");
	const char *slash = *path == '[' ? NULL : memrchr(path, '/', size);
	const char *name = slash && slash + 1 < path + size ? slash + 1 : path;
	size -= (size_t)(name - path);
	switch (kind) {
	case PERFDATA_DSO_KERNEL:
		put_text(ret, room, *path == '[' && begins_with(name, size, "[guest") ? "[guest.kernel]" : "[kernel]",
		    *path == '[' && begins_with(name, size, "[guest") ? strlen("[guest.kernel]") : strlen("[kernel]"));
		return;
	case PERFDATA_DSO_MODULE:
		put_module(name, size, ret, room);
		return;
	case PERFDATA_DSO_VDSO:
		put_text(ret, room, "[vdso]", strlen("[vdso]"));
		return;
	case PERFDATA_DSO_PERF_MAP:
	case PERFDATA_DSO_JITDUMP:
		put_text(ret, room, "[jit]", strlen("[jit]"));
		return;
	case PERFDATA_DSO_BPF:
		put_text(ret, room, "[bpf]", strlen("[bpf]"));
		return;
	case PERFDATA_DSO_USER:
	case PERFDATA_DSO_NONE:
	case PERFDATA_DSO_STATE:
		break;
	}
	if (begins_with(path, strlen(path), "/memfd:") || is_jitted(name, size))
		put_text(ret, room, "[jit]", strlen("[jit]"));
	else
		put_text(ret, room, name, without_minor_version(name, size));
}

/* --- functions ---------------------------------------------------------------------------------------------------- */

enum tail { TAIL_ALONE = 1, TAIL_NUMBER = 2, TAIL_HEX = 4 };

/* Suffixes that compilers add to copies and parts of a source function. Suffixes of other functions (.avx2, .resolver,
 * ._omp_fn.0, .func1) are kept. */
static const struct {
	const char *text;
	unsigned tail;
} suffixes[] = {
	{ ".part", TAIL_NUMBER },
	{ ".isra", TAIL_NUMBER },
	{ ".constprop", TAIL_NUMBER },
	{ ".cold", TAIL_ALONE | TAIL_NUMBER },
	{ ".lto_priv", TAIL_ALONE | TAIL_NUMBER },
	{ ".localalias", TAIL_ALONE | TAIL_NUMBER },
	{ ".clone", TAIL_NUMBER },
	{ ".simdclone", TAIL_ALONE | TAIL_NUMBER },
	{ ".llvm", TAIL_HEX },
	{ ".__uniq", TAIL_NUMBER },
	{ ".specialized", TAIL_NUMBER },
	{ ".memprof", TAIL_NUMBER },
	{ ".cfi", TAIL_ALONE },
	{ ".__part", TAIL_NUMBER },
	{ ".bolt.org", TAIL_NUMBER },
	{ ".abi0", TAIL_ALONE },
	{ ".abiinternal", TAIL_ALONE },
	{ "-fm", TAIL_ALONE },
};

static bool is_number(const char *text, size_t size, bool hex)
{
	for (size_t i = 0; i < size; i++)
		if (hex ? !is_hex(text[i]) : !is_digit(text[i]))
			return false;
	return size > 0;
}

/* Returns the size of the name without the suffix at its end, if it has one. */
static size_t without_suffix(const char *name, size_t size)
{
	for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++) {
		const char *text = suffixes[i].text;
		const size_t length = strlen(text);
		if ((suffixes[i].tail & TAIL_ALONE) && size > length && ends_with(name, size, text))
			return size - length;
		const char *dot = suffixes[i].tail & (TAIL_NUMBER | TAIL_HEX) ? memrchr(name, '.', size) : NULL;
		const size_t head = dot ? (size_t)(dot - name) : 0;
		if (head > length && ends_with(name, head, text) &&
		    is_number(dot + 1, size - head - 1, suffixes[i].tail & TAIL_HEX))
			return head - length;
	}
	/* BOLT appends /NUMBER to file-local functions. */
	const char *slash = memrchr(name, '/', size);
	if (slash && slash > name && is_number(slash + 1, (size_t)(name + size - slash - 1), false) &&
	    !memchr(name, '(', size))
		return (size_t)(slash - name);
	return size;
}

/* Legacy names of Rust end in "::h" and 16 hex digits. */
static size_t without_rust_hash(const char *name, size_t size)
{
	const size_t hash = 3 + 16;
	return size > hash && begins_with(name + size - hash, hash, "::h") && is_number(name + size - 16, 16, true)
		       ? size - hash
		       : size;
}

static size_t without_suffixes(const char *name, size_t size)
{
	for (size_t cut; (cut = without_rust_hash(name, without_suffix(name, size))) != size;)
		size = cut;
	return size;
}

static bool is_clone_word(const char *text, size_t size)
{
	return size > 1 && text[0] == '.' && without_suffixes(text - 1, size + 1) <= 1;
}

/* Removes a suffix as demanglers write it: " [clone .isra.0]" or " (.cold)". */
static size_t without_clone(const char *name, size_t size)
{
	static const struct { const char *open, *close; } forms[] = { { " [clone ", "]" }, { " (.", ")" } };
	for (unsigned i = 0; i < 2; i++) {
		if (!ends_with(name, size, forms[i].close))
			continue;
		for (size_t at = size; at-- > 0;) {
			if (!begins_with(name + at, size - at, forms[i].open))
				continue;
			/* The word begins with its dot; is_clone_word also reads the byte before the dot. */
			const char *word = name + at + strlen(forms[i].open) - (i ? 1 : 0);
			return is_clone_word(word, (size_t)(name + size - 1 - word)) ? at : size;
		}
	}
	return size;
}

/* Skips the mark of V8 and other JITs for a function's tier, which changes while the program runs. */
static size_t skip_tier(const char **name, size_t size)
{
	static const char *const words[] = { "LazyCompile:", "JS:", "Function:", "Script:" };
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (begins_with(*name, size, words[i]) && size > strlen(words[i])) {
			*name += strlen(words[i]);
			size -= strlen(words[i]);
			break;
		}
	while (size > 1 && strchr("*~^+", **name) && **name && !(size > 1 && (*name)[1] == '=')) {
		++*name;
		size--;
	}
	static const char *const tiers[] = { "[Tier0]",  "[Tier1]",       "[OptimizedTier1]", "[OptimizedTier1OSR]",
					     "[PreJIT]", "[QuickJitted]", "[Optimized]" };
	for (size_t i = 0; i < sizeof tiers / sizeof *tiers; i++)
		if (ends_with(*name, size, tiers[i]) && size > strlen(tiers[i]))
			size -= strlen(tiers[i]);
	return size;
}

static void put_symbol(const char *name, size_t size, char *ret, size_t room)
{
	static const char prefix[] = "__pfx_";
	size = skip_tier(&name, size);
	if (begins_with(name, size, prefix) && size > strlen(prefix)) {
		name += strlen(prefix);
		size -= strlen(prefix);
	}
	for (size_t cut; (cut = without_clone(name, without_suffixes(name, size))) != size;)
		size = cut;
	put_text(ret, room, name, size);
}

void pd_key_symbol(const char *name, char *ret, size_t room) { put_symbol(name, strlen(name), ret, room); }

void pd_key_comm(const char *comm, char *ret, size_t room)
{
	size_t used = 0;
	for (const char *at = comm; *at && used + 1 < room;) {
		const size_t digits = nr_digits(at, strlen(at));
		ret[used++] = digits ? '#' : *at;
		at += digits ? digits : 1;
	}
	ret[used] = 0;
}

/* Names of functions may contain = (operator==), so a rule "OLD=NEW" is not cut at its first =: OLD is the whole name,
 * with a = after it. */
bool pd_key_is_rule(const char *rule)
{
	const char *equals = *rule ? strchr(rule + 1, '=') : NULL;
	return equals && equals[1];
}

const char *pd_key_renamed(const char *name, const char *const *rules, size_t nr)
{
	const size_t size = strlen(name);
	for (size_t i = 0; i < nr; i++)
		if (!strncmp(rules[i], name, size) && rules[i][size] == '=')
			return rules[i] + size + 1;
	return name;
}

const char *pd_key_file_renamed(enum perfdata_dso_kind kind, const char *name, const char *const *rules, size_t nr,
				char ret[PD_KEY_NAME_MAX])
{
	const char *now = pd_key_renamed(name, rules, nr);
	/* Names in brackets are fixed names, such as [kernel], and have no path. */
	for (size_t i = 0; now == name && *name != '[' && i < nr; i++) {
		char old[PATH_MAX];
		const char *equals = pd_key_is_rule(rules[i]) ? strchr(rules[i] + 1, '=') : NULL;
		const size_t size = equals ? (size_t)(equals - rules[i]) : sizeof old;
		if (size >= sizeof old)
			continue;
		memcpy(old, rules[i], size);
		old[size] = '\0';
		pd_key_file(kind, old, ret, PD_KEY_NAME_MAX);
		if (strcmp(ret, name) != 0 || *old == '[')
			continue;
		pd_key_file(kind, equals + 1, ret, PD_KEY_NAME_MAX);
		return ret;
	}
	return now;
}
