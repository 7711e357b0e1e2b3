/* SPDX-License-Identifier: MIT */
/* What is known of an address: the file it belongs to, that file's build-id, the address inside it, its symbol and
 * source line. */
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
#define LOCATION_MAX_CALLS 64         /* inlined functions shown of one address */

struct location_info {
	const char *name, *doc;
	enum value_type type;
};
const struct location_info *pd_location_part_info(enum location_part part);
/* The part whose name ends the text, or LOCATION_COUNT. */
enum location_part pd_location_part_named(const char *name);

struct location {
	unsigned present;              /* a bit for each part; 0: the address is in no known file */
	struct perfdata_bytes text[LOCATION_COUNT];
	uint64_t number[LOCATION_COUNT];
	size_t nr_calls;               /* of LOCATION_INLINED */
	struct perfdata_source_line calls[LOCATION_MAX_CALLS];
};
/* Looks up the parts in `wanted`, LOCATION_BITs. frame: an id, or PERFDATA_NONE. */
void pd_location_load(const struct emitted_names *world, uint32_t frame, unsigned wanted, struct location *ret);
/* "recorded", "branch" or "unwound": where a step of a stack comes from (enum perfdata_step_origin). */
const char *pd_location_origin_name(unsigned origin);

#endif
