/* SPDX-License-Identifier: MIT */
/* Runs for some milliseconds without a C library. Built twice: _start has a table for unwinders, what it calls has none. */
void outer(unsigned long rounds);

#ifdef START
void _start(void)
{
	outer(250);
	__asm__ volatile("syscall" : : "a"(60), "D"(0));
	__builtin_unreachable();
}
#else
static volatile unsigned long sum;

__attribute__((noinline)) static void inner(void)
{
	for (unsigned long i = 0; i < 20000; i++)
		sum += i * i;
}

void outer(unsigned long rounds)
{
	volatile char room[200];
	for (unsigned long i = 0; i < rounds; i++) {
		room[i % sizeof room] = (char)i;
		inner();
	}
	sum += (unsigned long)room[7];
}
#endif
