/* SPDX-License-Identifier: MIT */
/* A program of forty functions, for measuring how often a comparison of recordings is right (doc/diff.md): function_00
 * takes 37 % of its time, the others less and less. Which is called next, and how long it takes, is drawn. usage:
 * bench_functions SECONDS */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static uint64_t state;
static volatile uint64_t sink;

static inline uint32_t next(void)
{
	state = state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(state >> 33);
}

/* The addition keeps the compiler from making one function of all that are alike. */
#define FUNCTION(number)                                                                                               \
	static __attribute__((noinline)) void function_##number(unsigned rounds)                                       \
	{                                                                                                              \
		uint64_t sum = 0;                                                                                      \
		for (unsigned i = 0; i < rounds; i++)                                                                  \
			sum += next() ^ UINT64_C(0x1##number);                                                         \
		sink += sum;                                                                                           \
	}
#define EACH(_, t) _(t##0) _(t##1) _(t##2) _(t##3) _(t##4) _(t##5) _(t##6) _(t##7) _(t##8) _(t##9)
EACH(FUNCTION, 0) EACH(FUNCTION, 1) EACH(FUNCTION, 2) EACH(FUNCTION, 3)

#define POINTER(number) function_##number,
static void (*const functions[])(unsigned rounds) = { EACH(POINTER, 0) EACH(POINTER, 1) EACH(POINTER, 2)
						      EACH(POINTER, 3) };
enum { COUNT = sizeof functions / sizeof *functions };

/* Two kinds of requests, each with functions of its own; the first few are called by both. */
static __attribute__((noinline)) void serve(unsigned which) { functions[which](400 + next() % 800); sink++; }
static __attribute__((noinline)) void read_request(unsigned which) { serve(which); sink++; }
static __attribute__((noinline)) void write_request(unsigned which) { serve(which); sink++; }

int main(int argc, char **argv)
{
	const double seconds = argc > 1 ? atof(argv[1]) : 1;
	unsigned shares[COUNT], all = 0;
	for (unsigned i = 0; i < COUNT; i++)
		all += shares[i] = i ? 1000 / (i + 4) : 1470;
	struct timespec begun, now;
	clock_gettime(CLOCK_MONOTONIC, &begun);
	state = (uint64_t)begun.tv_nsec;
	do {
		for (unsigned n = 0; n < 1000; n++) {
			unsigned which = 0, left = next() % all;
			while (left >= shares[which])
				left -= shares[which++];
			if (which < 8 ? n % 2 : which % 2)
				read_request(which);
			else
				write_request(which);
		}
		clock_gettime(CLOCK_MONOTONIC, &now);
	} while ((double)(now.tv_sec - begun.tv_sec) + 1e-9 * (double)(now.tv_nsec - begun.tv_nsec) < seconds);
	printf("%llu\n", (unsigned long long)sink);
	return 0;
}
