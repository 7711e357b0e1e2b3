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

static inline void fuzz_require(bool condition, const char *what)
{
	if (!condition) {
		fprintf(stderr, "fuzz: %s\n", what);
		abort();
	}
}

#endif
