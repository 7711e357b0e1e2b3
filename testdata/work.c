/* What the recordings here ran: some calls, some threads, some children. Usage: work [threads N | children N] [milliseconds] */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static volatile unsigned long sink;

static __attribute__((noinline)) void inner(unsigned long n)
{
	for (unsigned long i = 0; i < n; i++)
		sink += i * i;
}

static __attribute__((noinline)) void middle(unsigned long n)
{
	inner(n);
	sink++;
}

static double now(void)
{
	struct timespec time;
	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec * 1e3 + (double)time.tv_nsec / 1e6;
}

static double milliseconds = 20;

static void *outer(void *unused)
{
	const double end = now() + milliseconds;
	while (now() < end)
		middle(2000);
	return unused;
}

int main(int argc, char **argv)
{
	int at = 1, count = 0;
	const int children = at < argc && !strcmp(argv[at], "children");
	if (at + 1 < argc && (children || !strcmp(argv[at], "threads"))) {
		count = atoi(argv[at + 1]);
		at += 2;
	}
	if (at < argc)
		milliseconds = atof(argv[at]);
	for (int i = 0; children && i < count; i++) {
		if (fork() == 0) {
			outer(NULL);
			_exit(0);
		}
		wait(NULL);
	}
	pthread_t threads[16];
	for (int i = 0; !children && i < count && i < 16; i++)
		pthread_create(&threads[i], NULL, outer, NULL);
	outer(NULL);
	for (int i = 0; !children && i < count && i < 16; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
