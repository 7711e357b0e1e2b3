/* SPDX-License-Identifier: MIT */
/* The bound of a demangled C++ name: never less than what the C++ runtime shows, and near it for everyday names. */
#include "config.h"
#include <stdlib.h>
#include <string.h>
#include "symbols/symbols.h"
#include "unit.h"

#define MADE_NAMES 20000
#define PART_BYTES 24   /* of one letter, for example of "y" and "Ss" */

struct made {
	char text[1024];
	size_t size;
	unsigned parts;   /* how many more to add; afterwards the simplest ends the name */
	uint64_t state;
};

static void make_type(struct made *made);
static void make_function(struct made *made);

static unsigned choose(struct made *made, unsigned count)
{
	made->state = made->state * 6364136223846793005u + 1442695040888963407u;
	return (unsigned)(made->state >> 33) % count;
}

static void add(struct made *made, const char *text)
{
	const size_t size = strlen(text);
	if (made->size + size < sizeof made->text) {
		memcpy(made->text + made->size, text, size + 1);
		made->size += size;
	}
}

static bool may_add_part(struct made *made)
{
	made->parts -= made->parts ? 1 : 0;
	return made->parts != 0;
}

static void make_arguments(struct made *made)
{
	add(made, "I");
	for (unsigned count = 1 + choose(made, 3); count; count--) {
		const unsigned kind = choose(made, 8);
		if (kind == 0) {
			add(made, "J");
			for (unsigned i = choose(made, 4); i; i--)
				make_type(made);
			add(made, "E");
		} else if (kind == 1 && may_add_part(made)) {
			add(made, "XadL_Z");
			make_function(made);
			add(made, "EE");
		} else if (kind == 2) {
			add(made, "XspT_E");
		} else {
			make_type(made);
		}
	}
	add(made, "E");
}

static void make_part(struct made *made)
{
	static const char *const parts[] = { "1a", "3foo", "1gB3abi", "12_GLOBAL__N_1", "Ut_", "pl", "C1", "D2" };
	if (choose(made, 8) || !may_add_part(made)) {
		add(made, parts[choose(made, sizeof parts / sizeof *parts)]);
		return;
	}
	add(made, "Ul");
	make_type(made);
	add(made, "E_");
}

static void make_name(struct made *made)
{
	const unsigned kind = choose(made, 4);
	if (kind == 0) {
		add(made, choose(made, 2) ? "N" : "NSt");
		for (unsigned count = 1 + choose(made, 3); count; count--) {
			make_part(made);
			if (choose(made, 2))
				make_arguments(made);
		}
		add(made, "E");
	} else if (kind == 1 && may_add_part(made)) {
		add(made, "Z");
		make_function(made);
		add(made, "E");
		make_name(made);
	} else {
		make_part(made);
		if (choose(made, 2))
			make_arguments(made);
	}
}

static void make_type(struct made *made)
{
	static const char *const prefixes[] = { "P", "R", "O", "K", "A3_", "Dp" };
	static const char *const named[] = { "S_", "S0_", "S1_", "S2_", "S3_", "S4_", "T_", "T_", "T0_" };
	if (!may_add_part(made)) {
		add(made, choose(made, 2) ? "i" : "T_");
	} else if (choose(made, 2)) {
		add(made, prefixes[choose(made, sizeof prefixes / sizeof *prefixes)]);
		make_type(made);
	} else if (choose(made, 2)) {
		add(made, named[choose(made, sizeof named / sizeof *named)]);
		if (!choose(made, 4))
			make_arguments(made);
	} else if (choose(made, 4)) {
		make_name(made);
	} else {
		add(made, choose(made, 2) ? "F" : "M");
		make_type(made);
		make_type(made);
		add(made, "E");
	}
}

static void make_function(struct made *made)
{
	make_name(made);
	for (unsigned count = 1 + choose(made, 3); count; count--)
		make_type(made);
}

/* Changes a letter, or repeats a piece at another place. */
static void damage(struct made *made)
{
	static const char letters[] = "STIEJNZ_01iPRKUlFDpvLM";
	const size_t at = 2 + choose(made, (unsigned)made->size - 2);
	const size_t from = 2 + choose(made, (unsigned)made->size - 2);
	const size_t size = choose(made, 12);
	if (choose(made, 2))
		made->text[at] = letters[choose(made, sizeof letters - 1)];
	else if (at + size <= made->size && from + size <= made->size)
		memmove(made->text + at, made->text + from, size);
}

/* Returns whether the runtime shows the name; checks the bound. */
static bool check_bound(const char *name)
{
	char *shown = NULL;
	const uint64_t bytes = pd_demangle_bound_bytes(name);
	const uint64_t bound = bytes ? bytes : PART_BYTES * pd_demangle_bound(name);
	if (pd_demangle_cxx(name, NULL, &shown))
		return false;
	if (strlen(shown) > bound)
		CHECK_STR(name, "a name with a larger bound");
	free(shown);
	return true;
}

static void test_made(void)
{
	struct made made = { .state = 1 };
	unsigned shown = 0;
	for (unsigned i = 0; i < MADE_NAMES; i++) {
		made.size = 0;
		made.parts = 2 + choose(&made, 30);
		add(&made, "_Z");
		make_function(&made);
		for (unsigned count = choose(&made, 3); count > 1; count--)
			damage(&made);
		shown += check_bound(made.text);
	}
	char *plain = NULL;
	const bool has_runtime = !pd_demangle_cxx("_ZN1aC2Ev", NULL, &plain);
	free(plain);
	CHECK(!has_runtime || shown > MADE_NAMES / 100);
}

/* Without a grammar, each of the 32 references doubles the bound. */
static void test_everyday(void)
{
	static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
	char name[4096] = "_Z4call";
	size_t size = strlen(name);
	CHECK(pd_demangle_bound("_ZN4llvm3fooEv") < 40);
	size += (size_t)snprintf(name + size, sizeof name - size, "1a");
	for (size_t i = 0; i < 32; i++)
		size += (size_t)snprintf(name + size, sizeof name - size, "2b%cIS%c_E", digits[i],
					 digits[i ? i - 1 : 0]);
	const uint64_t bound = pd_demangle_bound(name);
	CHECK(bound && bound < 20 * strlen(name));
	check_bound(name);
	/* "S10_" is number 37 */
	memcpy(name, "_Z4call", sizeof "_Z4call");
	size = strlen(name);
	for (size_t i = 0; i < 40; i++)
		size += (size_t)snprintf(name + size, sizeof name - size, "2a%c", (char)('0' + i));
	snprintf(name + size, sizeof name - size, "S10_");
	CHECK(pd_demangle_bound(name) > size);
	check_bound(name);
}

/* All codes of one letter, and of 'D' and a letter: the walk takes those that name a type. */
static void test_fundamental(void)
{
	static const char after_d[] = "acnisu";
	char name[] = "_Z1f??";
	for (char code = 'a'; code <= 'z'; code++) {
		name[4] = code;
		name[5] = '\0';
		CHECK_EQ(pd_demangle_bound_bytes(name) > 0, !strchr("kpqru", code));
		check_bound(name);
		name[4] = 'D';
		name[5] = code;
		CHECK_EQ(pd_demangle_bound_bytes(name) > 0, strchr(after_d, code) != NULL);
		check_bound(name);
	}
}

/* Each argument is a pair of the one before: a name of 300 bytes would need gigabytes. */
static void test_explosion(void)
{
	char name[1024] = "_Z1f1aIiiE";
	static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
	size_t size = strlen(name);
	for (size_t i = 0; i < 30; i++)
		size += (size_t)snprintf(name + size, sizeof name - size, "S_IS%c_S%c_E", digits[i], digits[i]);
	CHECK_EQ(pd_demangle_bound(name), 0);
	size = (size_t)snprintf(name, sizeof name, "_Z1f");
	for (size_t i = 0; i < 200; i++)
		size += (size_t)snprintf(name + size, sizeof name - size, "%s", i < 199 ? "P" : "i");
	CHECK(pd_demangle_bound(name) >= size - 5);
	CHECK(pd_demangle_bound("_ZNK1acvT_IiEEv") > 0);   /* the coarse bound's */
}

int main(void)
{
	static const struct unit_case cases[] = {
		{ "generated names are no longer than their bound", test_made },
		{ "the bound of everyday names is near their size", test_everyday },
		{ "codes of fundamental types", test_fundamental },
		{ "references that explode", test_explosion },
	};
	return unit_main(cases, sizeof cases / sizeof *cases);
}
