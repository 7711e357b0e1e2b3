/* SPDX-License-Identifier: MIT */
/* Large pages cut into equal pieces. The first use of 2 MiB in small pages takes several times as long as reading as
 * many bytes of a cached file. */
#ifndef PD_LARGE_PAGE_H
#define PD_LARGE_PAGE_H

#include <stddef.h>
#include <stdint.h>
#include "base/port.h"

struct pd_large_page;

/* Allocates a page of `nr` adjacent pieces, at most PD_LARGE_PAGE bytes together. *ret_first: the first piece. NULL
 * without memory. */
struct pd_large_page *pd_large_page_new(size_t nr, size_t piece_size, uint8_t **ret_first);
/* Any thread gives back one piece. Returns how many bytes this frees: all of the pieces, with the last one; else 0. */
size_t pd_large_page_leave(struct pd_large_page *page);

#endif
