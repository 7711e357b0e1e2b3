/* SPDX-License-Identifier: MIT */
#ifndef PD_PREFETCH_H
#define PD_PREFETCH_H

/* Fetches the memory at an address into the processor's caches. Use this and not __builtin_prefetch alone: gcc takes a
 * function that only prefetches for one without effect, and drops its calls. The empty asm keeps them. */
static inline __attribute__((always_inline)) void pd_prefetch(const void *address)
{
	__builtin_prefetch(address);
	__asm__ volatile("");
}

#endif
