/* SPDX-License-Identifier: MIT */
/* What libFuzzer calls, where a target is linked with fuzz_mutate.c. */
#ifndef TESTS_FUZZ_MUTATE_H
#define TESTS_FUZZ_MUTATE_H

#include <stddef.h>
#include <stdint.h>

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed);
size_t LLVMFuzzerCustomCrossOver(const uint8_t *first, size_t first_size, const uint8_t *second, size_t second_size,
				 uint8_t *out, size_t max_size, unsigned seed);
/* libFuzzer's own changes; fuzz_replay.c has a small one. */
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);

#endif
