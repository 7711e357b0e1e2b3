/* SPDX-License-Identifier: MIT */
/* Builds records byte by byte, in either byte order. */
#ifndef TESTS_BUILD_H
#define TESTS_BUILD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct build {
	bool big;
	size_t size;
	uint8_t data[8192];
};

static inline void put_uint(struct build *b, uint64_t v, unsigned width)
{
	for (unsigned i = 0; i < width; i++)
		b->data[b->size++] = (uint8_t)(v >> 8 * (b->big ? width - 1 - i : i));
}
static inline void put_u8(struct build *b, uint8_t v) { put_uint(b, v, 1); }
static inline void put_u16(struct build *b, uint16_t v) { put_uint(b, v, 2); }
static inline void put_u32(struct build *b, uint32_t v) { put_uint(b, v, 4); }
static inline void put_u64(struct build *b, uint64_t v) { put_uint(b, v, 8); }
static inline void put_bytes(struct build *b, const void *bytes, size_t size)
{
	memcpy(b->data + b->size, bytes, size);
	b->size += size;
}
static inline void put_zeros(struct build *b, size_t size)
{
	memset(b->data + b->size, 0, size);
	b->size += size;
}
/* Appends a text as char[n]. */
static inline void put_chars(struct build *b, const char *text, size_t n)
{
	size_t size = strlen(text);
	put_bytes(b, text, size);
	put_zeros(b, n - size);
}
/* Appends a NUL-terminated text, padded to a multiple of 8 bytes. */
static inline void put_text(struct build *b, const char *text) { put_chars(b, text, (strlen(text) + 8) & ~(size_t)7); }

static inline void build_begin(struct build *b, bool big, uint32_t type, uint16_t misc)
{
	b->big = big;
	b->size = 0;
	put_u32(b, type);
	put_u16(b, misc);
	put_u16(b, 0);
}
/* Writes the size into the header. */
static inline void build_end(struct build *b)
{
	size_t size = b->size;
	b->size = 6;
	put_u16(b, (uint16_t)size);
	b->size = size;
}

#endif
