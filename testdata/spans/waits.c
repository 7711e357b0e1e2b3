/* SPDX-License-Identifier: MIT */
/* Threads whose waiting is known by construction: sleeps of 5 ms, a lock that is held for 20 ms, a pipe whose other side
 * takes 1 ms to answer, two threads that share a processor. Each prints its name, its number, how often it waited, and
 * for how long in all, in ns, as it measured itself. */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int there[2], back[2];

static uint64_t now(void)
{
	struct timespec time;
	clock_gettime(CLOCK_MONOTONIC, &time);
	return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

static void nap(unsigned ms)
{
	const struct timespec time = { 0, (long)ms * 1000000 };
	nanosleep(&time, NULL);
}

static void say(const char *name, unsigned waits, uint64_t sum)
{
	printf("%s %ld %u %llu\n", name, syscall(SYS_gettid), waits, (unsigned long long)sum);
}

__attribute__((noinline)) static void sleep_often(void)
{
	uint64_t sum = 0;
	for (int i = 0; i < 10; i++) {
		const uint64_t begin = now();
		nap(5);
		sum += now() - begin;
	}
	say("sleeper", 10, sum);
}

static void *sleeper(void *unused)
{
	pthread_setname_np(pthread_self(), "sleeper");
	sleep_often();
	return unused;
}

static void *holder(void *unused)
{
	pthread_setname_np(pthread_self(), "holder");
	pthread_mutex_lock(&mutex);
	nap(20);
	pthread_mutex_unlock(&mutex);
	return unused;
}

__attribute__((noinline)) static uint64_t take_lock(void)
{
	const uint64_t begin = now();
	pthread_mutex_lock(&mutex);
	const uint64_t end = now();
	pthread_mutex_unlock(&mutex);
	return end - begin;
}

static void *waiter(void *unused)
{
	pthread_setname_np(pthread_self(), "waiter");
	nap(5);
	say("waiter", 1, take_lock());
	return unused;
}

static void *asker(void *unused)
{
	char byte = 0;
	uint64_t sum = 0;
	pthread_setname_np(pthread_self(), "asker");
	for (int i = 0; i < 10; i++) {
		const uint64_t begin = now();
		if (write(there[1], &byte, 1) != 1 || read(back[0], &byte, 1) != 1)
			break;
		sum += now() - begin;
	}
	say("asker", 10, sum);
	return unused;
}

static void *answerer(void *unused)
{
	char byte = 0;
	pthread_setname_np(pthread_self(), "answerer");
	for (int i = 0; i < 10 && read(there[0], &byte, 1) == 1; i++) {
		nap(1);
		if (write(back[1], &byte, 1) != 1)
			break;
	}
	return unused;
}

/* What it measures is how long it was away, where that was longer than an interrupt. */
static void *spinner(void *unused)
{
	cpu_set_t first;
	uint64_t away = 0;
	unsigned times = 0;
	pthread_setname_np(pthread_self(), "spinner");
	CPU_ZERO(&first);
	CPU_SET(0, &first);
	sched_setaffinity(0, sizeof first, &first);
	const uint64_t begin = now();
	for (uint64_t last = begin, time; last - begin < 40000000; last = time) {
		time = now();
		if (time - last > 200000) {
			away += time - last;
			times++;
		}
	}
	say("spinner", times, away);
	return unused;
}

int main(void)
{
	void *(*const work[])(void *) = { sleeper, holder, waiter, asker, answerer, spinner, spinner };
	enum { THREADS = sizeof work / sizeof *work };
	pthread_t threads[THREADS];
	if (pipe(there) || pipe(back))
		return 1;
	for (int i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, work[i], NULL);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
