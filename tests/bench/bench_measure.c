/* SPDX-License-Identifier: MIT */
/* Runs a command and writes one line to a file: wall, user and system time in microseconds, peak resident memory in
 * KiB, wait status. A program of its own, because a child's peak is never below that of the process which started it,
 * and because starting it must cost little where a run takes a millisecond. usage: bench_measure RESULT COMMAND… */
#define _GNU_SOURCE
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static long long microseconds(struct timeval time) { return (long long)time.tv_sec * 1000000 + time.tv_usec; }

int main(int argc, char **argv)
{
	struct timespec begin, end;
	struct rusage usage;
	int status;

	if (argc < 3)
		return 2;
	clock_gettime(CLOCK_MONOTONIC, &begin);
	const pid_t child = vfork();
	if (child == 0) {
		execvp(argv[2], argv + 2);
		_exit(127);
	}
	if (child < 0 || wait4(child, &status, 0, &usage) < 0)
		return 1;
	clock_gettime(CLOCK_MONOTONIC, &end);
	const long long wall = (end.tv_sec - begin.tv_sec) * 1000000LL + (end.tv_nsec - begin.tv_nsec) / 1000;
	FILE *result = fopen(argv[1], "w");
	if (!result)
		return 1;
	fprintf(result, "%lld %lld %lld %ld %d\n", wall, microseconds(usage.ru_utime), microseconds(usage.ru_stime),
		usage.ru_maxrss, status);
	return fclose(result) ? 1 : 0;
}
