/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "emit/model/locations.h"
#include "emit/json/spell.h"
#include "emit/model/text_cache.h"
#include "text/json_quoted.h"
#include "text/spelling.h"
#include "session/session.h"

static const struct location_info parts[LOCATION_COUNT] = {
	[LOCATION_DSO] = { "dso", "The file, or other thing, that the address is mapped from.", JSON_STRING },
	[LOCATION_BUILD_ID] = { "build_id", "Its build-id, where the recording says it.", JSON_HEX },
	[LOCATION_ADDRESS] = { "address",
			       "The address inside it: the offset in a file; as recorded in the kernel, its modules "
			       "and JIT areas.",
			       JSON_ADDRESS },
	[LOCATION_SYMBOL] = { "symbol", "Name of the symbol there (--symbols yes; BPF programs without it).",
			      JSON_STRING },
	[LOCATION_SYMBOL_OFFSET] = { "symbol_offset", "How far behind the start of the symbol the address is.",
				     JSON_UNSIGNED },
	[LOCATION_FILE] = { "file", "Source file (--lines).", JSON_STRING },
	[LOCATION_LINE] = { "line", "Line in it (--lines).", JSON_UNSIGNED },
	[LOCATION_INLINED] = { "inlined",
			       "Where functions are inlined at the address: the calls in progress there, innermost "
			       "first, each with the position "
			       "that it has reached; the last one is the function that holds the code (--lines).",
			       JSON_OBJECTS },
};

const struct location_info *pd_location_part_info(enum location_part part) { return &parts[part]; }

enum location_part pd_location_part_named(const char *name)
{
	enum location_part part = 0;
	while (part < LOCATION_COUNT && strcmp(parts[part].name, name))
		part++;
	return part;
}

const char *pd_location_origin_name(unsigned origin)
{
	switch ((enum perfdata_step_origin)origin) {
	case PERFDATA_STEP_RECORDED: break;
	case PERFDATA_STEP_BRANCH: return "branch";
	case PERFDATA_STEP_UNWOUND: return "unwound";
	}
	return "recorded";
}

/* --- looking up --------------------------------------------------------------------------------------------------- */

static void set_text(struct location *place, enum location_part part, const char *text)
{
	if (!text)
		return;
	place->present |= LOCATION_BIT(part);
	place->text[part] = (struct perfdata_bytes){ (const uint8_t *)text, strlen(text) };
}

static void set_number(struct location *place, enum location_part part, uint64_t number)
{
	place->present |= LOCATION_BIT(part);
	place->number[part] = number;
}

static void load_symbol(const struct emitted_names *world, uint32_t frame, struct location *ret)
{
	struct perfdata_symbol symbol;
	if (perfdata_session_symbol(world->session, frame, UINT64_MAX, &symbol) != PERFDATA_OK)
		return;
	set_text(ret, LOCATION_SYMBOL, symbol.name);
	set_number(ret, LOCATION_SYMBOL_OFFSET, symbol.offset);
}

/* Of inlined calls, the innermost one is where the code at the address itself stands: calls[0]. */
static void load_lines(const struct emitted_names *world, uint32_t frame, struct location *ret)
{
	size_t nr;
	if (pd_session_source(world->session, frame, ret->calls, LOCATION_MAX_CALLS, &nr) != PERFDATA_OK || !nr)
		return;
	ret->nr_calls = nr < LOCATION_MAX_CALLS ? nr : LOCATION_MAX_CALLS;
	set_text(ret, LOCATION_FILE, ret->calls[0].file);
	if (ret->calls[0].file && ret->calls[0].line)
		set_number(ret, LOCATION_LINE, ret->calls[0].line);
	if (nr > 1)
		ret->present |= LOCATION_BIT(LOCATION_INLINED);
}

void pd_location_load(const struct emitted_names *world, uint32_t frame, unsigned wanted, struct location *ret)
{
	memset(ret, 0, offsetof(struct location, calls));
	const struct perfdata_frame *at = frame == PERFDATA_NONE ? NULL : perfdata_session_frame(world->session, frame);
	if (!at || at->dso == PERFDATA_NONE)
		return;
	set_text(ret, LOCATION_DSO, perfdata_session_dso(world->session, at->dso)->name);
	set_number(ret, LOCATION_ADDRESS, at->address);
	if (pd_emitted_build_id(world, at->dso, &ret->text[LOCATION_BUILD_ID]))
		ret->present |= LOCATION_BIT(LOCATION_BUILD_ID);
	if (wanted & (LOCATION_BIT(LOCATION_SYMBOL) | LOCATION_BIT(LOCATION_SYMBOL_OFFSET)))
		load_symbol(world, frame, ret);
	if (wanted & LOCATION_LINES)
		load_lines(world, frame, ret);
	ret->present &= wanted;
}

/* --- spelling ----------------------------------------------------------------------------------------------------- */

static void append_key(struct perfdata_text *out, const char *name, const char *suffix)
{
	perfdata_text_literal(out, ",\"");
	perfdata_text_string(out, name);
	perfdata_text_string(out, suffix);
	perfdata_text_literal(out, "\":");
}

static void append_text(struct perfdata_text *out, const char *name, const char *text)
{
	if (!text)
		return;
	append_key(out, name, "");
	pd_json_text(out, text);
}

static void append_calls(struct perfdata_text *out, const struct location *place)
{
	const size_t start = out->size;
	for (size_t i = 0; i < place->nr_calls; i++) {
		const struct perfdata_source_line *call = &place->calls[i];
		perfdata_text_char(out, ',');
		const size_t object = out->size;
		append_text(out, parts[LOCATION_SYMBOL].name, call->function);
		append_text(out, parts[LOCATION_FILE].name, call->file);
		if (call->line) {
			append_key(out, parts[LOCATION_LINE].name, "");
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
	switch (parts[part].type) {
	case JSON_STRING: return perfdata_text_json_string(out, text.data, text.size);
	case JSON_HEX: pd_spell_bytes_string(out, text); return true;
	case JSON_ADDRESS: pd_spell_hex_string(out, place->number[part]); return true;
	case JSON_OBJECTS: append_calls(out, place); return true;
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

static void csv_calls(struct perfdata_text *out, const struct location *place)
{
	struct perfdata_text list;
	perfdata_text_init(&list);
	append_calls(&list, place);
	if (perfdata_text_failed(&list))
		out->failed = true;
	else
		pd_text_csv_cell(out, list.data, list.size);
	perfdata_text_release(&list);
}

void pd_location_csv_cell(struct perfdata_text *out, const struct location *place, enum location_part part)
{
	const struct perfdata_bytes text = place->text[part];
	if (!(place->present & LOCATION_BIT(part)))
		return;
	switch (parts[part].type) {
	case JSON_STRING: pd_text_csv_cell(out, text.data, text.size); return;
	case JSON_HEX: perfdata_text_bytes_hex(out, text.data, text.size); return;
	case JSON_OBJECTS: csv_calls(out, place); return;
	case JSON_ADDRESS:
		perfdata_text_literal(out, "0x");
		pd_text_hex(out, place->number[part]);
		return;
	default: perfdata_text_u64(out, place->number[part]); return;
	}
}

static uint64_t cache_key(const struct location_speller *speller, uint32_t frame)
{
	const uint64_t generation = speller->world->known ? speller->world->known->generation : 0;
	return generation << 34 | UINT64_C(1) << 32 | frame;
}

/* `,"dso":…` and so on; nothing for an address in no known file. */
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
		append_key(out, parts[i].name, "");
		if (pd_location_json_value(out, &place, i, speller->int64_string))
			continue;
		append_key(out, parts[i].name, "_hex");
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
		append_key(out, "origin", "");
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
