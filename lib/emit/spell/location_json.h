/* SPDX-License-Identifier: MIT */
/* The location of an address (file, symbol, line) as JSON. */
#ifndef EMIT_LOCATION_JSON_H
#define EMIT_LOCATION_JSON_H

#include "emit/values/locations.h"
#include "emit/values/record.h"

/* Appends a part's value. False: its text is not valid UTF-8, or the part is absent. */
bool pd_location_json_value(struct perfdata_text *out, const struct location *place, enum location_part part,
			    bool wide_as_string);
/* An array with an object for each call of LOCATION_INLINED. */
void pd_location_json_calls(struct perfdata_text *out, const struct location *place);

/* Formats locations as JSON objects; keeps the texts that this thread has formatted already. */
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
/* An array of {"from","to"}, one for each branch of the sample. */
void pd_location_json_branches(struct record *r, struct perfdata_text *out);

#endif
