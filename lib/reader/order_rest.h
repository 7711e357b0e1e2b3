/* SPDX-License-Identifier: MIT */
#ifndef PD_ORDER_REST_H
#define PD_ORDER_REST_H

#include <stdbool.h>
#include <stdint.h>

struct perfdata_reader;
/* Whether the records not yet read are sorted: each has a time, not before `newest` and not before the time of the
 * previous record. Reads until a record breaks this rule; also false where records cannot be read in advance. */
bool pd_order_rest_is_sorted(const struct perfdata_reader *reader, uint64_t newest);

#endif
