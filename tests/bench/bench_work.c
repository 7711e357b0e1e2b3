/* SPDX-License-Identifier: MIT */
/* What the recordings of the benchmark are of: threads that call each other's work along thousands of distinct stacks,
 * touch fresh memory, make system calls and switch, until a signal or the time given ends them. usage: bench_work
 * SECONDS THREADS [calls]: with `calls` hardly anything but system calls */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define PAGES 64
#define PAGE 4096

static volatile int stopping;
static int only_calls;
static int pipe_ends[2];

struct walk {
	uint64_t random;
	volatile uint64_t sink;
	unsigned char *memory;
	unsigned page;
};

static unsigned next(struct walk *walk)
{
	walk->random = walk->random * 6364136223846793005u + 1442695040888963407u;
	return (unsigned)(walk->random >> 40);
}

static __attribute__((noinline)) void touch(struct walk *walk)
{
	if (walk->page == PAGES) {
		madvise(walk->memory, (size_t)PAGES * PAGE, MADV_DONTNEED);
		walk->page = 0;
	}
	walk->memory[(size_t)PAGE * walk->page++] = 1;
}

static __attribute__((noinline)) void system_calls(struct walk *walk)
{
	char byte = 0;
	if (write(pipe_ends[1], &byte, 1) == 1 && read(pipe_ends[0], &byte, 1) == 1)
		walk->sink += (uint64_t)getppid();
	struct timespec pause = { 0, 1000 };
	if (next(walk) % 64 == 0)
		nanosleep(&pause, NULL);
}

static __attribute__((noinline)) void compute(struct walk *walk)
{
	for (unsigned i = 0; i < 200; i++)
		walk->sink += next(walk);
}

/* Each function stands for one of a program: it calls one of the next depth, which one is drawn. The addition behind
 * the call keeps the compiler from jumping instead. */
typedef void function(struct walk *walk, unsigned depth);
static function *const functions[8];

#define FUNCTION(name) \
static __attribute__((noinline)) void name(struct walk *walk, unsigned depth) \
{ \
	if (depth) \
		functions[next(walk) % 8](walk, depth - 1); \
	else if (next(walk) % 4) \
		touch(walk); \
	else if (next(walk) % 4) \
		system_calls(walk); \
	else \
		compute(walk); \
	walk->sink++; \
}
FUNCTION(parse_line)
FUNCTION(visit_node)
FUNCTION(hash_table_lookup)
FUNCTION(list_append)
FUNCTION(compare_names)
FUNCTION(sort_entries)
FUNCTION(read_block)
FUNCTION(update_counters)
static function *const functions[8] = {
	parse_line,    visit_node,   hash_table_lookup, list_append,
	compare_names, sort_entries, read_block,        update_counters,
};

static void *work(void *argument)
{
	struct walk walk = { .random = (uint64_t)(uintptr_t)argument };
	walk.memory = mmap(NULL, (size_t)PAGES * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (walk.memory == MAP_FAILED)
		return NULL;
	while (only_calls && !stopping)
		system_calls(&walk);
	while (!stopping) {
		/* most stacks are one of few: the draw starts again */
		const unsigned depth = 4 + next(&walk) % 4 * 6;
		walk.random = next(&walk) % 2048 * 2654435761u + 1;
		functions[next(&walk) % 8](&walk, depth);
		walk.random ^= (uint64_t)clock();
	}
	return NULL;
}

int main(int argc, char **argv)
{
	const int seconds = argc > 1 ? atoi(argv[1]) : 1, threads = argc > 2 ? atoi(argv[2]) : 2;
	only_calls = argc > 3;
	if (pipe(pipe_ends))
		return 1;
	for (intptr_t i = 1; i <= threads; i++) {
		pthread_t thread;
		if (pthread_create(&thread, NULL, work, (void *)i))
			return 1;
	}
	sleep((unsigned)seconds);
	return 0;
}
