/* What is known of an address: the file it belongs to, that file's build-id, the address inside it, its symbol and source line. */
#ifndef EMIT_PLACES_H
#define EMIT_PLACES_H

#include "emit/json/json_type.h"
#include "emit/model/emitted.h"

enum place_part { PLACE_DSO, PLACE_BUILD_ID, PLACE_ADDRESS, PLACE_SYMBOL, PLACE_SYMBOL_OFFSET, PLACE_FILE, PLACE_LINE, PLACE_INLINED,
		  PLACE_COUNT };

#define PLACE_BIT(part) (1u << (part))
#define PLACE_NAMES (PLACE_BIT(PLACE_FILE) - 1)
#define PLACE_LINES (PLACE_BIT(PLACE_FILE) | PLACE_BIT(PLACE_LINE) | PLACE_BIT(PLACE_INLINED))
#define PLACE_MAX_CALLS 64         /* functions that are told of one address */

struct place_info {
	const char *name, *doc;
	enum json_type type;
};
const struct place_info *pd_place_part_info(enum place_part part);
/* The part whose name ends the text, or PLACE_COUNT. */
enum place_part pd_place_part_named(const char *name);

struct place {
	unsigned present;              /* a bit for each part; 0: the address belongs to nothing that is known */
	struct perfdata_bytes text[PLACE_COUNT];
	uint64_t number[PLACE_COUNT];
	size_t nr_calls;               /* of PLACE_INLINED */
	struct perfdata_source calls[PLACE_MAX_CALLS];
};
/* Looks up what is wanted, bits of parts. frame: an id, or PERFDATA_NONE. */
void pd_place_load(const struct told_world *world, uint32_t frame, unsigned wanted, struct place *ret);
/* A part's value. False: text that was not valid UTF-8, or nothing was there. */
bool pd_place_json_value(struct perfdata_text *out, const struct place *place, enum place_part part, bool wide_as_string);
void pd_place_csv_cell(struct perfdata_text *out, const struct place *place, enum place_part part);

/* "recorded", "branch" or "unwound": where a step of a stack comes from (enum perfdata_step_origin). */
const char *pd_place_origin_name(unsigned origin);

/* What one thread has spelled already. */
struct place_speller {
	const struct told_world *world;
	struct text_cache *cache;      /* or NULL */
	unsigned parts;                /* of an object */
	bool int64_string;
};
struct place_speller pd_record_places(struct record *r);
/* An object, or null. */
void pd_place_json(const struct place_speller *speller, struct perfdata_text *out, uint32_t frame);
/* An array with an object for each step of the stack; with_ids: and `frame_id`. */
void pd_place_json_stack(const struct place_speller *speller, struct perfdata_text *out, uint32_t stack, bool with_ids);

#endif
