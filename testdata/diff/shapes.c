/* A program that inlines: small functions below larger ones. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
typedef unsigned long ul;
static ul state = 1;
static ul mix(ul x) { for (int i = 0; i < 6; i++) x = (x ^ x >> 29) * 0xbf58476d1ce4e5b9ul; return x; }
static ul next(void) { return state = mix(state + 0x9e3779b97f4a7c15ul); }
static ul clamp(ul x, ul most) { return x > most ? x % most : x; }
static ul hash(const unsigned char *s, ul n) { ul h = 5381; for (ul i = 0; i < n; i++) h = h * 33 ^ s[i]; return h; }
static void swap(ul *a, ul *b) { ul t = *a; *a = *b; *b = t; }
static int less(ul a, ul b) { return mix(a) < mix(b); }
#define OUT __attribute__((noinline))
OUT void fill(ul *v, ul n) { for (ul i = 0; i < n; i++) v[i] = next(); }
OUT void sort(ul *v, ul n) { for (ul i = 1; i < n; i++) for (ul k = i; k && less(v[k], v[k - 1]); k--) swap(&v[k], &v[k - 1]); }
OUT ul digest(ul *v, ul n) { ul h = 0; for (ul i = 0; i < 12; i++) h ^= hash((unsigned char *)v, n * sizeof *v); return h; }
OUT ul count(ul *v, ul n) { ul c = 0; for (ul r = 0; r < 30; r++) for (ul i = 0; i < n; i++) c += clamp(v[i], 1000 + r); return c; }
OUT ul weigh(ul *v, ul n) { ul c = 0; for (ul r = 0; r < 9; r++) for (ul i = 0; i < n; i++) c += mix(v[i] + r); return c; }
OUT ul round_of(ul *v, ul n) { fill(v, n); ul c = count(v, n) + weigh(v, n); sort(v, n); return c + digest(v, n); }
int main(int argc, char **argv)
{
	ul v[128], c = 0;
	double seconds = atof(argv[1]);
	struct timespec a, b;
	clock_gettime(CLOCK_MONOTONIC, &a);
	do {
		for (int i = 0; i < 100; i++) c += round_of(v, 128);
		clock_gettime(CLOCK_MONOTONIC, &b);
	} while (b.tv_sec - a.tv_sec + (b.tv_nsec - a.tv_nsec) / 1e9 < seconds);
	return c == 42 && argc;
}
