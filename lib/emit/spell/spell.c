/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "emit/spell/location_json.h"
#include "emit/spell/spell.h"
#include "emit/spell/trace_json.h"
#include "text/json_quoted.h"
#include "text/decimal.h"
#include "text/spelling.h"
#include "schema/schema.h"

/* --- small values ------------------------------------------------------------------------------------------------- */

static void spell_number(struct speller *s, const struct row *row, uint64_t value)
{
	const bool is_signed = row->kind == PERFDATA_KIND_S32 || row->kind == PERFDATA_KIND_S64;
	char *at = perfdata_text_reserve(s->out, 40);
	if (at)
		perfdata_text_commit(s->out, pd_wide_to(at, value, row->wide && s->style->int64_string, is_signed));
}

static void spell_name(struct perfdata_text *out, const char *name)
{
	if (name)
		pd_json_text(out, name);
	else
		perfdata_text_literal(out, "null");
}

static void spell_flag_names(struct perfdata_text *out, const struct perfdata_name *names, uint64_t value)
{
	const size_t start = out->size;
	for (; names && names->name; names++) {
		/* a name for several bits requires all of them */
		if (!names->value || (value & names->value) != names->value)
			continue;
		perfdata_text_char(out, ',');
		spell_name(out, names->name);
	}
	pd_spell_close(out, start, '[', ']');
}

static void spell_bits(struct perfdata_text *out, const struct row *row, uint64_t value)
{
	perfdata_text_literal(out, "{\"raw\":");
	pd_spell_hex_string(out, value);
	const struct perfdata_bits *bits = row->field->bits;
	const struct row_keys *keys = pd_row_keys(row);
	out->failed |= !keys;
	for (size_t i = 0; keys && bits[i].name; i++) {
		const uint64_t mask = bits[i].width < 64 ? (UINT64_C(1) << bits[i].width) - 1 : UINT64_MAX;
		const uint64_t part = value >> bits[i].shift & mask;
		if (!part)
			continue;
		perfdata_text_append(out, keys->parts[i].text, keys->parts[i].size);
		if (bits[i].names && bits[i].mask)
			spell_flag_names(out, bits[i].names, part);
		else if (bits[i].names)
			spell_name(out, perfdata_name_of(bits[i].names, part));
		else if (bits[i].width == 1)
			perfdata_text_literal(out, "true");
		else
			perfdata_text_u64(out, part);
	}
	perfdata_text_char(out, '}');
}

/* --- lists -------------------------------------------------------------------------------------------------------- */

/* Number of elements for which one call reserves room. */
#define GROUP 64
/* Bytes for "PERF_CONTEXT_…", or for a comma, quotes, 0x, 16 digits and the padding of the number functions. */
#define ENTRY_ROOM 48

static void spell_callchain(struct perfdata_text *out, const struct perfdata_list *list)
{
	const size_t start = out->size;
	for (uint64_t i = 0; i < list->count;) {
		char *at = perfdata_text_reserve(out, (size_t)GROUP * ENTRY_ROOM);
		if (!at)
			return;
		const uint64_t end = list->count - i > GROUP ? i + GROUP : list->count;
		for (; i < end; i++) {
			const uint64_t entry = perfdata_list_u64(list, i);
			*at++ = ',';
			const char *name = entry >= PERFDATA_CONTEXT_MAX ? pd_callchain_marker_name(entry) : NULL;
			if (!name) {
				at = pd_hex_string_to(at, entry);
				continue;
			}
			const size_t size = strlen(name) < ENTRY_ROOM - 3 ? strlen(name) : ENTRY_ROOM - 3;
			*at++ = '"';
			memcpy(at, name, size);
			at += size;
			*at++ = '"';
		}
		perfdata_text_commit(out, at);
	}
	pd_spell_close(out, start, '[', ']');
}

static void spell_list_words(struct speller *s, const struct perfdata_list *list, bool hex)
{
	const size_t start = s->out->size;
	for (uint64_t i = 0; i < list->count;) {
		char *at = perfdata_text_reserve(s->out, (size_t)GROUP * ENTRY_ROOM);
		if (!at)
			return;
		const uint64_t end = list->count - i > GROUP ? i + GROUP : list->count;
		for (; i < end; i++) {
			const uint64_t value = perfdata_list_u64(list, i);
			*at++ = ',';
			at = hex ? pd_hex_string_to(at, value) : pd_wide_to(at, value, s->style->int64_string, false);
		}
		perfdata_text_commit(s->out, at);
	}
	pd_spell_close(s->out, start, '[', ']');
}

static void spell_parts(struct speller *s, const struct plan *plan, const struct perfdata_list *list)
{
	_Alignas(16) unsigned char view[512];
	if (plan->layout->view_size > sizeof view)
		return;
	const bool bare = plan->nr_rows == 1 && !plan->layout->fields[0].name;
	const size_t start = s->out->size;
	for (uint64_t i = 0; i < list->count && !perfdata_text_failed(s->out); i++) {
		perfdata_list_get(list, i, view, plan->layout->view_size);
		perfdata_text_char(s->out, ',');
		if (bare)
			pd_spell_value(s, &plan->rows[0], view);
		else
			pd_spell_object(s, plan, list->present, view);
	}
	pd_spell_close(s->out, start, '[', ']');
}

static void spell_regs(struct speller *s, const struct perfdata_regs *regs)
{
	const size_t start = s->out->size;
	uint64_t mask = regs->mask;
	for (uint64_t i = 0; i < regs->values.count && mask; i++, mask &= mask - 1) {
		const struct key *key = &s->style->registers[__builtin_ctzll(mask)];
		char *at = perfdata_text_reserve(s->out, key_room(key, 40));
		if (!at)
			return;
		at = pd_hex_to(key_to(at, key), perfdata_list_u64(&regs->values, i));
		*at++ = '"';
		perfdata_text_commit(s->out, at);
	}
	pd_spell_close(s->out, start, '{', '}');
}

/* A range is written as a range: two bytes of a file may mean 65536 CPUs. */
static void spell_cpus(struct perfdata_text *out, const struct perfdata_cpus *cpus)
{
	if (cpus->type == 2) {
		perfdata_text_literal(out, "{\"type\":\"range\",\"any\":");
		perfdata_text_string(out, cpus->any ? "true" : "false");
		perfdata_text_literal(out, ",\"first\":");
		perfdata_text_u64(out, cpus->start);
		perfdata_text_literal(out, ",\"last\":");
		perfdata_text_u64(out, cpus->end);
		perfdata_text_char(out, '}');
		return;
	}
	perfdata_text_literal(out, "{\"type\":");
	spell_name(out, cpus->type == 0 ? "list" : cpus->type == 1 ? "mask" : NULL);
	perfdata_text_literal(out, ",\"type_raw\":");
	perfdata_text_u64(out, cpus->type);
	perfdata_text_literal(out, ",\"list\":");
	const size_t start = out->size;
	uint64_t position = 0;
	int32_t cpu;
	while (pd_cpus_next(cpus, &position, &cpu)) {
		perfdata_text_char(out, ',');
		perfdata_text_s64(out, cpu);
	}
	pd_spell_close(out, start, '[', ']');
	perfdata_text_char(out, '}');
}

/* --- members ------------------------------------------------------------------------------------------------------ */

bool pd_spell_value(struct speller *s, const struct row *row, const void *view)
{
	struct perfdata_text *out = s->out;
	const void *member = (const char *)view + row->member;
	switch (row->type) {
	case VALUE_NOTHING: break;
	case VALUE_U64: case VALUE_U32: case VALUE_S32: case VALUE_NUMBER:
		spell_number(s, row, pd_value_integer(row->kind, member));
		break;
	case VALUE_DOUBLE: perfdata_text_double(out, *(const double *)member); break;
	case VALUE_HEX64: case VALUE_HEX: pd_spell_hex_string(out, pd_value_integer(row->kind, member)); break;
	case VALUE_BOOL: perfdata_text_string(out, pd_value_integer(row->kind, member) ? "true" : "false"); break;
	case VALUE_ENUM:
		spell_name(out, perfdata_name_of(row->field->names, pd_value_integer(row->kind, member)));
		break;
	case VALUE_FLAGS: spell_flag_names(out, row->field->names, pd_value_integer(row->kind, member)); break;
	case VALUE_BITS: spell_bits(out, row, pd_value_integer(row->kind, member)); break;
	case VALUE_TEXT: {
		const struct perfdata_bytes *text = member;
		return perfdata_text_json_string(out, text->data, text->size);
	}
	case VALUE_BYTES: pd_spell_bytes_string(out, *(const struct perfdata_bytes *)member); break;
	case VALUE_LIST_U64: spell_list_words(s, member, false); break;
	case VALUE_LIST_HEX: spell_list_words(s, member, true); break;
	case VALUE_LIST_PARTS: spell_parts(s, row->element, member); break;
	case VALUE_CALLCHAIN: spell_callchain(out, member); break;
	case VALUE_REGS: spell_regs(s, view); break;
	case VALUE_RAW:
		if (s->scope->trace)
			pd_trace_json_object(s, *(const struct perfdata_bytes *)member);
		else
			pd_spell_bytes_string(out, *(const struct perfdata_bytes *)member);
		break;
	case VALUE_STRUCT: pd_spell_object(s, row->element, *(const uint64_t *)member, member); break;
	case VALUE_CPUS: spell_cpus(out, member); break;
	case VALUE_FEATURE: {
		const uint64_t id = ((const struct perfdata_feature_record *)view)->feat_id;
		s->style->feature(s, id > UINT32_MAX ? UINT32_MAX : (uint32_t)id,
				  *(const struct perfdata_bytes *)member);
		break;
	}
	}
	return true;
}

static void append_key(struct perfdata_text *out, const struct key *key)
{
	char *at = perfdata_text_reserve(out, key_room(key, 0));
	if (at)
		perfdata_text_commit(out, key_to(at, key));
}

static void spell_event_beside(struct speller *s, uint64_t id)
{
	const struct perfdata_event *event = pd_value_event(s->scope->world, id);
	if (!event)
		return;
	perfdata_text_literal(s->out, ",\"event\":");
	spell_name(s->out, event->name);
}

void pd_spell_member(struct speller *s, const struct row *row, const void *view)
{
	struct perfdata_text *out = s->out;
	const void *member = (const char *)view + row->member;
	const struct row_keys *keys = row->type == VALUE_NOTHING ? NULL : pd_row_keys(row);
	char *at;
	if (!keys) {
		out->failed |= row->type != VALUE_NOTHING;
		return;
	}
	switch (row->type) {
	case VALUE_U64:
		at = perfdata_text_reserve(out, key_room(&keys->key, 40));
		if (at)
			perfdata_text_commit(out, pd_wide_to(key_to(at, &keys->key), *(const uint64_t *)member,
							     s->style->int64_string, false));
		if (row->event_id)
			spell_event_beside(s, *(const uint64_t *)member);
		return;
	case VALUE_U32:
		at = perfdata_text_reserve(out, key_room(&keys->key, 40));
		if (at)
			perfdata_text_commit(out, pd_u64_to(key_to(at, &keys->key), *(const uint32_t *)member));
		return;
	case VALUE_S32:
		at = perfdata_text_reserve(out, key_room(&keys->key, 40));
		if (at)
			perfdata_text_commit(out, pd_s64_to(key_to(at, &keys->key), *(const int32_t *)member));
		return;
	case VALUE_HEX64:
		at = perfdata_text_reserve(out, key_room(&keys->key, 40));
		if (at)
			perfdata_text_commit(out, pd_hex_string_to(key_to(at, &keys->key), *(const uint64_t *)member));
		return;
	case VALUE_RAW:
		if (s->scope->trace)
			perfdata_text_literal(out, ",\"fields\":");
		else
			append_key(out, &keys->key);
		pd_spell_value(s, row, view);
		return;
	default:
		break;
	}
	append_key(out, &keys->key);
	const bool valid = pd_spell_value(s, row, view);
	if (row->type == VALUE_ENUM || row->type == VALUE_FLAGS) {
		append_key(out, &keys->raw);
		spell_number(s, row, pd_value_integer(row->kind, member));
	} else if (!valid) {
		append_key(out, &keys->hex);
		pd_spell_bytes_string(out, *(const struct perfdata_bytes *)member);
	}
}

/* Writes all rows with a bit in `present`. */
static void spell_members(struct speller *s, const struct plan *plan, uint64_t present, const void *view)
{
	while (present) {
		const unsigned i = (unsigned)__builtin_ctzll(present);
		present &= present - 1;
		if (i >= plan->nr_rows)
			return;
		pd_spell_member(s, &plan->rows[i], view);
	}
}

void pd_spell_object(struct speller *s, const struct plan *plan, uint64_t present, const void *view)
{
	const size_t start = s->out->size;
	spell_members(s, plan, present, view);
	pd_spell_close(s->out, start, '{', '}');
}

void pd_spell_nested_head(struct record *r, const struct head_value *value, struct perfdata_text *out)
{
	const struct location_speller locations = pd_record_locations(r);
	struct speller s = speller_of(r, out);
	if (value->kind == HEAD_IS_TRAILER)
		pd_spell_object(&s, r->cache->trailer, r->view.sample_id.present, &r->view.sample_id);
	else if (value->kind == HEAD_IS_LOCATION)
		pd_location_json(&locations, out, (uint32_t)value->number);
	else if (value->kind == HEAD_IS_BRANCHES)
		pd_location_json_branches(r, out);
	else
		pd_location_json_stack(&locations, out, r->batch, r->delivery, false);
}
