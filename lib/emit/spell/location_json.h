/* SPDX-License-Identifier: MIT */
/* The location of an address (file, symbol, line) as JSON. */
#ifndef EMIT_LOCATION_JSON_H
#define EMIT_LOCATION_JSON_H

#include "emit/values/locations.h"
#include "emit/values/record.h"

/* Appends the value of a part. False: the text is not valid UTF-8, or the part is absent. */
bool pd_location_json_value(struct perfdata_text *out, const struct location *place, enum location_part part,
			    bool wide_as_string);
/* Appends an array with an object for each function of LOCATION_INLINED. */
void pd_location_json_calls(struct perfdata_text *out, const struct location *place);

/* Writes locations as JSON objects, and caches their texts for this thread. */
struct location_speller {
	const struct emitted_names *world;
	struct text_cache *cache;      /* or NULL */
	unsigned parts;                /* LOCATION_BITs of the members */
	bool int64_string;
};
struct location_speller pd_record_locations(struct record *r);
/* Appends an object, or null. */
void pd_location_json(const struct location_speller *speller, struct perfdata_text *out, uint32_t frame);
/* Appends an array with an object for each step of the delivery's stack. with_ids: objects have `frame_id`. */
void pd_location_json_stack(const struct location_speller *speller, struct perfdata_text *out,
			    const struct perfdata_batch *batch, const struct perfdata_delivery *delivery,
			    bool with_ids);
/* Appends an array with {"from","to"} for each branch of the sample. */
void pd_location_json_branches(struct record *r, struct perfdata_text *out);

#endif
