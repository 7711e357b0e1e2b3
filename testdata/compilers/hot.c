/* What it does matters little: calls that are inlined, a switch, recursion, calls by pointers, loops. */
typedef unsigned long word;
static word seed = 1;
static inline __attribute__((always_inline)) word next_random(void) { return seed = seed * 6364136223846793005ul + 1442695040888963407ul; }
static inline __attribute__((always_inline)) word clamp(word value, word low, word high)
{
	return value < low ? low : value > high ? high : value;
}
static __attribute__((noinline)) word twice(word x) { return x * 2; }
static __attribute__((noinline)) word half(word x) { return x / 2 + (x & 1); }
static __attribute__((noinline)) word collatz(word n, int depth)
{
	if (n <= 1 || depth > 30)
		return (word)depth;
	return collatz(n & 1 ? 3 * n + 1 : n / 2, depth + 1) + (n & 3);
}
static __attribute__((noinline)) word kind(word c)
{
	switch (c % 9) {
	case 0: return c ^ 3;
	case 1: return c + 5;
	case 2: return c * 7;
	case 3: return c / 3;
	case 4: return c - 1;
	case 5: return c << 2;
	case 6: return ~c;
	default: return 0;
	}
}
static word (*volatile call)(word);
static __attribute__((noinline)) word sort(word *values, int n)
{
	word moves = 0;
	for (int i = 1; i < n; i++)
		for (int k = i; k > 0 && values[k - 1] > values[k]; k--, moves++) {
			const word other = values[k];
			values[k] = values[k - 1];
			values[k - 1] = other;
		}
	return moves;
}
word work(word rounds)
{
	word sum = 0, values[16];
	for (word r = 0; r < rounds; r++) {
		for (int i = 0; i < 16; i++)
			values[i] = clamp(next_random() >> 40, 1000, 12000000);
		sum += sort(values, 16);
		for (int i = 0; i < 16; i++)
			call = values[i] & 1 ? half : twice, sum += kind(values[i]) + call(values[i]);
		sum ^= collatz(r + 27, 0);
	}
	return sum;
}
#ifdef HAS_LIBC
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv) { printf("%lu\n", work(argc > 1 ? strtoul(argv[1], NULL, 0) : 40)); return 0; }
#else
void _start(void)
{
	const word sum = work(40);
	__asm__ volatile("syscall" : : "a"(60l), "D"(sum & 63) : "rcx", "r11", "memory");
	for (;;)
		;
}
#endif
