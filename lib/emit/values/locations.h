/* SPDX-License-Identifier: MIT */
/* Facts about an address: its file and build-id, the address in this file, symbol and source line. */
#ifndef EMIT_LOCATIONS_H
#define EMIT_LOCATIONS_H

#include "emit/values/emitted.h"
#include "emit/values/plan.h"

enum location_part {
	LOCATION_DSO,
	LOCATION_BUILD_ID,
	LOCATION_ADDRESS,
	LOCATION_SYMBOL,
	LOCATION_SYMBOL_OFFSET,
	LOCATION_FILE,
	LOCATION_LINE,
	LOCATION_INLINED,
	LOCATION_COUNT
};

#define LOCATION_BIT(part) (1u << (part))
#define LOCATION_NAMES (LOCATION_BIT(LOCATION_FILE) - 1)
#define LOCATION_LINES (LOCATION_BIT(LOCATION_FILE) | LOCATION_BIT(LOCATION_LINE) | LOCATION_BIT(LOCATION_INLINED))
#define LOCATION_MAX_CALLS 64         /* limit of inlined functions at one address */

struct location_info {
	const char *name, *doc;
	enum value_type type;
};
const struct location_info *pd_location_part_info(enum location_part part);
/* The part whose name the text ends with, or LOCATION_COUNT. */
enum location_part pd_location_part_named(const char *name);

struct location {
	unsigned present;              /* bit for each part; 0: the address is in no known file */
	struct perfdata_bytes text[LOCATION_COUNT];
	uint64_t number[LOCATION_COUNT];
	size_t nr_calls;               /* for LOCATION_INLINED */
	struct perfdata_source_line calls[LOCATION_MAX_CALLS];
};
/* Looks up the parts in `wanted` (LOCATION_BITs). frame: an id, or PERFDATA_NONE. */
void pd_location_load(const struct emitted_names *world, uint32_t frame, unsigned wanted, struct location *ret);
/* The origin of a step (enum perfdata_step_origin): "recorded", "branch" or "unwound". */
const char *pd_location_origin_name(unsigned origin);

#endif
