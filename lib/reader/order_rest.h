/* SPDX-License-Identifier: MIT */
#ifndef PD_ORDER_REST_H
#define PD_ORDER_REST_H

#include <stdbool.h>
#include <stdint.h>

struct perfdata_reader;
/* Whether each record that was not read yet has a time, none before `newest` and none before the record in front of it.
 * Reads them all, or up to the first one that is otherwise; false, too, where they cannot be read in advance. */
bool pd_order_rest_is_sorted(const struct perfdata_reader *reader, uint64_t newest);

#endif
