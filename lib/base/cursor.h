/* SPDX-License-Identifier: MIT */
/* A bounds-checked reader of bytes from a file. After a failed read, all further reads fail and return zeros: a caller
 * may decode a whole row and then check the cursor once. The cursor holds the byte order. */
#ifndef PD_CURSOR_H
#define PD_CURSOR_H

#include <string.h>
#include "perfdata/base.h"

struct pd_cursor {
	const uint8_t *at;
	const uint8_t *end;
	bool swap;     /* the bytes have the other byte order than this machine */
	bool failed;
};

static inline bool pd_order_is_foreign(enum perfdata_byte_order order)
{
	return (order == PERFDATA_BYTE_ORDER_BIG) != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
}

static inline uint16_t pd_load16(const uint8_t *p, bool swap)
{
	uint16_t v;
	memcpy(&v, p, sizeof v);
	return swap ? __builtin_bswap16(v) : v;
}
static inline uint32_t pd_load32(const uint8_t *p, bool swap)
{
	uint32_t v;
	memcpy(&v, p, sizeof v);
	return swap ? __builtin_bswap32(v) : v;
}
static inline uint64_t pd_load64(const uint8_t *p, bool swap)
{
	uint64_t v;
	memcpy(&v, p, sizeof v);
	return swap ? __builtin_bswap64(v) : v;
}

/* Returns the integer whose bytes in memory are those of `value` from the lowest to the highest, on any machine. */
static inline uint32_t pd_little32(uint32_t value)
{
	return pd_order_is_foreign(PERFDATA_BYTE_ORDER_LITTLE) ? __builtin_bswap32(value) : value;
}
static inline uint64_t pd_little64(uint64_t value)
{
	return pd_order_is_foreign(PERFDATA_BYTE_ORDER_LITTLE) ? __builtin_bswap64(value) : value;
}

static inline struct pd_cursor pd_cursor(const void *bytes, size_t size, bool swap)
{
	const uint8_t *p = bytes;
	return (struct pd_cursor){ p, size ? p + size : p, swap, false };
}
static inline size_t pd_left(const struct pd_cursor *c) { return (size_t)(c->end - c->at); }

/* Returns the next `size` bytes and moves past them, or returns NULL and marks the cursor as failed. */
static inline const uint8_t *pd_take(struct pd_cursor *c, uint64_t size)
{
	if (c->failed || size > pd_left(c)) {
		c->failed = true;
		return NULL;
	}
	const uint8_t *p = c->at;
	c->at += size;
	return p;
}
static inline uint8_t pd_u8(struct pd_cursor *c)
{
	const uint8_t *p = pd_take(c, 1);
	return p ? *p : 0;
}
static inline uint16_t pd_u16(struct pd_cursor *c)
{
	const uint8_t *p = pd_take(c, 2);
	return p ? pd_load16(p, c->swap) : 0;
}
static inline uint32_t pd_u32(struct pd_cursor *c)
{
	const uint8_t *p = pd_take(c, 4);
	return p ? pd_load32(p, c->swap) : 0;
}
static inline uint64_t pd_u64(struct pd_cursor *c)
{
	const uint8_t *p = pd_take(c, 8);
	return p ? pd_load64(p, c->swap) : 0;
}

#endif
