/* SPDX-License-Identifier: MIT */
/* SHA-256 (FIPS 180-4) of bytes in memory. */
#ifndef PD_SHA256_H
#define PD_SHA256_H

#include <stddef.h>
#include <stdint.h>

#define PD_SHA256_SIZE 32

void pd_sha256(const void *bytes, size_t size, uint8_t ret[PD_SHA256_SIZE]);

#endif
