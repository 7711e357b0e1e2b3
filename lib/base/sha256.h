/* SPDX-License-Identifier: MIT */
/* SHA-256 (FIPS 180-4) of bytes in memory, or of bytes that come in pieces. */
#ifndef PD_SHA256_H
#define PD_SHA256_H

#include <stddef.h>
#include <stdint.h>

#define PD_SHA256_SIZE 32

struct pd_sha256 {
	uint32_t state[8];
	uint8_t block[64];                 /* the last size % 64 bytes */
	uint64_t size;                     /* bytes added so far */
};
void pd_sha256_init(struct pd_sha256 *hash);
void pd_sha256_add(struct pd_sha256 *hash, const void *bytes, size_t size);
void pd_sha256_end(struct pd_sha256 *hash, uint8_t ret[PD_SHA256_SIZE]);

void pd_sha256(const void *bytes, size_t size, uint8_t ret[PD_SHA256_SIZE]);

#endif
