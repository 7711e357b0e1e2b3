/* SPDX-License-Identifier: MIT */
#include "config.h"
#include <stdlib.h>
#include "emit/spell/json_style.h"
#include "emit/spell/location_json.h"
#include "emit/spell/members.h"
#include "emit/values/text_cache.h"
#include "profile/profile.h"
#include "text/json_quoted.h"
#include "text/spelling.h"

static const char *name_of(enum location_part part) { return pd_location_part_info(part)->name; }

static void append_text(struct perfdata_text *out, const char *name, const char *text)
{
	if (!text)
		return;
	pd_member_key(out, name, "");
	pd_json_text(out, text);
}

void pd_location_json_calls(struct perfdata_text *out, const struct location *place)
{
	const size_t start = out->size;
	for (size_t i = 0; i < place->nr_calls; i++) {
		const struct perfdata_source_line *call = &place->calls[i];
		perfdata_text_char(out, ',');
		const size_t object = out->size;
		append_text(out, name_of(LOCATION_SYMBOL), call->function);
		append_text(out, name_of(LOCATION_FILE), call->file);
		if (call->line) {
			pd_member_key(out, name_of(LOCATION_LINE), "");
			perfdata_text_u64(out, call->line);
		}
		pd_spell_close(out, object, '{', '}');
	}
	pd_spell_close(out, start, '[', ']');
}

bool pd_location_json_value(struct perfdata_text *out, const struct location *place, enum location_part part,
			    bool wide_as_string)
{
	const struct perfdata_bytes text = place->text[part];
	switch (pd_location_part_info(part)->type) {
	case VALUE_TEXT: return perfdata_text_json_string(out, text.data, text.size);
	case VALUE_BYTES: pd_spell_bytes_string(out, text); return true;
	case VALUE_HEX64: pd_spell_hex_string(out, place->number[part]); return true;
	case VALUE_LIST_PARTS: pd_location_json_calls(out, place); return true;
	default: break;
	}
	const bool quoted = wide_as_string && part == LOCATION_SYMBOL_OFFSET;
	if (quoted)
		perfdata_text_char(out, '"');
	perfdata_text_u64(out, place->number[part]);
	if (quoted)
		perfdata_text_char(out, '"');
	return true;
}

static uint64_t cache_key(const struct location_speller *speller, uint32_t frame)
{
	const uint64_t generation = speller->world->known ? speller->world->known->generation : 0;
	return generation << 34 | UINT64_C(1) << 32 | frame;
}

/* Appends `,"dso":…` and so on; nothing for an address in no known file. */
static void append_members(const struct location_speller *speller, struct perfdata_text *out, uint32_t frame)
{
	const uint64_t key = cache_key(speller, frame);
	if (frame == PERFDATA_NONE || (speller->cache && pd_text_cache_append(speller->cache, key, out)))
		return;
	const size_t start = out->size;
	struct location place;
	pd_location_load(speller->world, frame, speller->parts, &place);
	for (enum location_part i = 0; i < LOCATION_COUNT; i++) {
		if (!(place.present & LOCATION_BIT(i)))
			continue;
		pd_member_key(out, name_of(i), "");
		if (pd_location_json_value(out, &place, i, speller->int64_string))
			continue;
		pd_member_key(out, name_of(i), "_hex");
		pd_spell_bytes_string(out, place.text[i]);
	}
	if (speller->cache && !perfdata_text_failed(out))
		pd_text_cache_put(speller->cache, key, out->data + start, out->size - start);
}

void pd_location_json(const struct location_speller *speller, struct perfdata_text *out, uint32_t frame)
{
	const size_t start = out->size;
	append_members(speller, out, frame);
	if (out->size == start)
		perfdata_text_literal(out, "null");
	else
		pd_spell_close(out, start, '{', '}');
}

static void append_step(const struct location_speller *speller, struct perfdata_text *out,
			const struct perfdata_step *step, bool with_id)
{
	perfdata_text_literal(out, ",{\"ip\":");
	pd_spell_hex_string(out, step->ip);
	if (with_id && step->frame != PERFDATA_NONE) {
		perfdata_text_literal(out, ",\"frame_id\":");
		perfdata_text_u64(out, step->frame);
	}
	if (step->origin != PERFDATA_STEP_RECORDED) {
		pd_member_key(out, "origin", "");
		perfdata_text_printf(out, "\"%s\"", pd_location_origin_name(step->origin));
	}
	append_members(speller, out, step->frame);
	perfdata_text_char(out, '}');
}

void pd_location_json_stack(const struct location_speller *speller, struct perfdata_text *out,
			    const struct perfdata_batch *batch, const struct perfdata_delivery *delivery, bool with_ids)
{
	const size_t start = out->size;
	size_t nr;
	const struct perfdata_step *steps = perfdata_batch_stack(batch, delivery, &nr);
	for (size_t i = 0; i < nr && !perfdata_text_failed(out); i++)
		append_step(speller, out, &steps[i], with_ids);
	pd_spell_close(out, start, '[', ']');
}

static struct text_cache *location_cache(struct record_cache *cache, const struct perfdata_batch *batch)
{
	if (cache->locations)
		return cache->locations;
	struct text_cache *locations = calloc(1, sizeof *locations);
	if (locations)
		pd_text_cache_init(locations, NULL, batch ? pd_profile_account_of(batch->session) : NULL);
	cache->locations = locations;
	return locations;
}

struct location_speller pd_record_locations(struct record *r)
{
	return (struct location_speller){ &r->emitted, location_cache(r->cache, r->batch), r->world->locations,
					  record_style(r)->int64_string };
}

void pd_location_json_branches(struct record *r, struct perfdata_text *out)
{
	const struct location_speller locations = pd_record_locations(r);
	const uint32_t *frames = r->batch->frames + r->delivery->branches;
	const uint64_t count = r->view.u.sample.branch_stack.entries.count;
	const size_t start = out->size;
	for (uint64_t i = 0; i < count && !perfdata_text_failed(out); i++) {
		perfdata_text_literal(out, ",{\"from\":");
		pd_location_json(&locations, out, frames[2 * i]);
		perfdata_text_literal(out, ",\"to\":");
		pd_location_json(&locations, out, frames[2 * i + 1]);
		perfdata_text_char(out, '}');
	}
	pd_spell_close(out, start, '[', ']');
}
