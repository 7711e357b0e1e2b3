/* SPDX-License-Identifier: MIT */
/* What is known of an address: the file it belongs to, that file's build-id, the address inside it, its symbol and
 * source line. */
#ifndef EMIT_LOCATIONS_H
#define EMIT_LOCATIONS_H

#include "emit/json/json_type.h"
#include "emit/model/emitted.h"

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
	enum json_type type;
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
/* Appends a part's value. False: its text is not valid UTF-8, or the part is absent. */
bool pd_location_json_value(struct perfdata_text *out, const struct location *place, enum location_part part,
			    bool wide_as_string);
void pd_location_csv_cell(struct perfdata_text *out, const struct location *place, enum location_part part);

/* "recorded", "branch" or "unwound": where a step of a stack comes from (enum perfdata_step_origin). */
const char *pd_location_origin_name(unsigned origin);

/* How objects of locations are spelled, with the texts that this thread has spelled already. */
struct location_speller {
	const struct emitted_names *world;
	struct text_cache *cache;      /* or NULL */
	unsigned parts;                /* LOCATION_BITs: the members of an object */
	bool int64_string;
};
struct location_speller pd_record_locations(struct record *r);
/* An object, or null. */
void pd_location_json(const struct location_speller *speller, struct perfdata_text *out, uint32_t frame);
/* An array with an object for each step of the delivery's stack; with_ids: objects have `frame_id`, too. */
void pd_location_json_stack(const struct location_speller *speller, struct perfdata_text *out,
			    const struct perfdata_batch *batch, const struct perfdata_delivery *delivery,
			    bool with_ids);

#endif
