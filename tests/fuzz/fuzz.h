/* SPDX-License-Identifier: MIT */
/* What the fuzz targets share. Each is a file with LLVMFuzzerTestOneInput: with -fsanitize=fuzzer it is a fuzzer (and
 * one for AFL++ with its driver), with fuzz_replay.c a test that replays files. A target frees what it makes and never
 * fails by itself, but for aborting where an output is malformed. */
#ifndef TESTS_FUZZ_H
#define TESTS_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "perfdata/base.h"
#include "perfdata/text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Reads every byte, so that sanitizers see what a borrowed pointer reaches. */
static inline void fuzz_touch(const void *bytes, size_t size)
{
	const uint8_t *p = bytes;
	volatile uint64_t last;
	uint64_t word;
	for (; size >= 8; p += 8, size -= 8) {
		memcpy(&word, p, 8);
		last = word;
	}
	for (; size; p++, size--)
		last = *p;
	(void)last;
}
static inline void fuzz_touch_bytes(struct perfdata_bytes bytes) { fuzz_touch(bytes.data, bytes.size); }
static inline void fuzz_touch_text(const char *text)
{
	if (text)
		fuzz_touch(text, strlen(text) + 1);
}

/* Takes bytes off the front of the input: zeros when it is used up. */
static inline uint64_t fuzz_take(const uint8_t **data, size_t *size, size_t bytes)
{
	uint64_t value = 0;
	const size_t take = bytes < *size ? bytes : *size;
	memcpy(&value, *data, take < 8 ? take : 8);
	*data += take;
	*size -= take;
	return value;
}

/* What an input may cost: processor time (many times what sanitizers take), so that work without end is found before
 * the target's own limit of time, which is that of the largest inputs. */
#define FUZZ_SECONDS_FREE 5.0
#define FUZZ_SECONDS_OF_KIB 0.5

static inline void fuzz_require(bool condition, const char *what)
{
	if (!condition) {
		fprintf(stderr, "fuzz: %s\n", what);
		abort();
	}
}

static inline void fuzz_require_time(clock_t begin, size_t size)
{
	const double seconds = (double)(clock() - begin) / CLOCKS_PER_SEC;
	fuzz_require(seconds < FUZZ_SECONDS_FREE + FUZZ_SECONDS_OF_KIB * (double)size / 1024,
		     "the input takes more time than its size explains");
}

#endif
