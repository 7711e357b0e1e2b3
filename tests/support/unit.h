/* SPDX-License-Identifier: MIT */
/* A small TAP harness for unit tests: UNIT(name) { CHECK(...); } and UNIT_MAIN(list of names). */
#ifndef TESTS_UNIT_H
#define TESTS_UNIT_H

#include <stdio.h>
#include <string.h>

static int unit_failures, unit_checks;

#define CHECK(condition) \
	do { \
		unit_checks++; \
		if (!(condition)) { \
			unit_failures++; \
			printf("# %s:%d: %s\n", __FILE__, __LINE__, #condition); \
		} \
	} while (0)

#define CHECK_EQ(a, b)                                                                                              \
	do {                                                                                                        \
		unsigned long long unit_a = (unsigned long long)(a), unit_b = (unsigned long long)(b);              \
		unit_checks++;                                                                                      \
		if (unit_a != unit_b) {                                                                             \
			unit_failures++;                                                                            \
			printf("# %s:%d: %s is 0x%llx, expected %s = 0x%llx\n", __FILE__, __LINE__, #a, unit_a, #b, \
			       unit_b);                                                                             \
		}                                                                                                   \
	} while (0)

#define CHECK_STR(a, b)                                                                            \
	do {                                                                                       \
		const char *unit_a = (a), *unit_b = (b);                                           \
		unit_checks++;                                                                     \
		if (!unit_a || strcmp(unit_a, unit_b)) {                                           \
			unit_failures++;                                                           \
			printf("# %s:%d: %s is \"%s\", expected \"%s\"\n", __FILE__, __LINE__, #a, \
			       unit_a ? unit_a : "(null)", unit_b);                                \
		}                                                                                  \
	} while (0)

/* Fails with a message. Unlike CHECK, it counts no check, so a loop can use it for the errors that it finds. */
#define FAIL(message) \
	do { \
		unit_failures++; \
		printf("# %s:%d: %s\n", __FILE__, __LINE__, message); \
	} while (0)

struct unit_case {
	const char *name;
	void (*run)(void);
};

/* Runs the cases, and prints a TAP line for each. A case without a check fails: it would test nothing. */
static inline int unit_main(const struct unit_case *cases, size_t count)
{
	int bad = 0;
	printf("1..%zu\n", count);
	for (size_t i = 0; i < count; i++) {
		int before = unit_failures, checks = unit_checks;
		cases[i].run();
		int ok = unit_failures == before && unit_checks > checks;
		bad += !ok;
		printf("%sok %zu - %s\n", ok ? "" : "not ", i + 1, cases[i].name);
	}
	return bad != 0;
}

#endif
