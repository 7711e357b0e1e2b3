/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "emit/model/plan.h"

struct key pd_key_bytes(struct pd_arena *pool, const char *bytes, size_t size)
{
	char *text = pd_arena_calloc(pool, 1, size + EMIT_KEY_STEP);
	if (!text)
		return (struct key){ 0 };
	memcpy(text, bytes, size);
	return (struct key){ text, (uint32_t)size };
}

struct key pd_key_make(struct pd_arena *pool, const char *prefix, const char *name, const char *suffix)
{
	const size_t a = strlen(prefix), b = strlen(name), c = strlen(suffix);
	char *text = pd_arena_calloc(pool, 1, a + b + c + 2 + EMIT_KEY_STEP);
	if (!text)
		return (struct key){ 0 };
	memcpy(text, prefix, a);
	memcpy(text + a, name, b);
	memcpy(text + a + b, suffix, c);
	memcpy(text + a + b + c, "\":", 2);
	return (struct key){ text, (uint32_t)(a + b + c + 2) };
}

static enum spell_op integer_op(const struct perfdata_field *field)
{
	switch (field->show) {
	case PERFDATA_SHOW_HEX: return field->kind == PERFDATA_KIND_U64 ? SPELL_HEX64 : SPELL_HEX;
	case PERFDATA_SHOW_BOOL: return SPELL_BOOL;
	case PERFDATA_SHOW_ENUM: return SPELL_ENUM;
	case PERFDATA_SHOW_FLAGS: return SPELL_FLAGS;
	case PERFDATA_SHOW_BITS: return SPELL_BITS;
	default: break;
	}
	switch (field->kind) {
	case PERFDATA_KIND_U64: return SPELL_U64;
	case PERFDATA_KIND_U32: return SPELL_U32;
	case PERFDATA_KIND_S32: return SPELL_S32;
	default: return SPELL_NUMBER;
	}
}

static enum spell_op list_op(const struct perfdata_field *field)
{
	if (field->element)
		return SPELL_LIST_PARTS;
	switch (field->show) {
	case PERFDATA_SHOW_CALLCHAIN: return SPELL_CALLCHAIN;
	case PERFDATA_SHOW_REGS: return SPELL_REGS;
	case PERFDATA_SHOW_HEX: return SPELL_LIST_HEX;
	default: return SPELL_LIST_U64;
	}
}

static enum spell_op op_of(const struct perfdata_field *field)
{
	switch (field->kind) {
	case PERFDATA_KIND_U8:
	case PERFDATA_KIND_U16:
	case PERFDATA_KIND_U32:
	case PERFDATA_KIND_U64:
	case PERFDATA_KIND_S32:
	case PERFDATA_KIND_S64:
		return integer_op(field);
	case PERFDATA_KIND_F64: return SPELL_DOUBLE;
	case PERFDATA_KIND_TEXT: case PERFDATA_KIND_CHARS: case PERFDATA_KIND_STRING: return SPELL_TEXT;
	case PERFDATA_KIND_BYTES: return field->show == PERFDATA_SHOW_RAW ? SPELL_RAW : SPELL_BYTES;
	case PERFDATA_KIND_LIST: return list_op(field);
	case PERFDATA_KIND_STRUCT: case PERFDATA_KIND_ATTR: return SPELL_STRUCT;
	case PERFDATA_KIND_CPUS: return SPELL_CPUS;
	case PERFDATA_KIND_FEATURE: return SPELL_FEATURE;
	case PERFDATA_KIND_BITMAP: case PERFDATA_KIND_PAD: break;
	}
	return SPELL_NOTHING;
}

static const struct key *part_keys(struct pd_arena *pool, const struct perfdata_bits *bits)
{
	size_t nr = 0;
	while (bits[nr].name)
		nr++;
	struct key *keys = pd_arena_calloc(pool, nr + 1, sizeof *keys);
	if (!keys)
		return NULL;
	for (size_t i = 0; i < nr; i++) {
		keys[i] = pd_key_make(pool, ",\"", bits[i].name, "");
		if (!keys[i].text)
			return NULL;
	}
	return keys;
}

bool pd_row_make(struct pd_arena *pool, const struct perfdata_field *field, uint32_t index, const char *name,
		 bool nested, struct row *ret)
{
	*ret = (struct row){
		.op = op_of(field), .kind = field->kind, .member = field->member, .index = index, .field = field
	};
	if (ret->op == SPELL_NOTHING)
		return true;
	ret->wide = field->kind == PERFDATA_KIND_U64 || field->kind == PERFDATA_KIND_S64;
	ret->event_id = nested && field->show == PERFDATA_SHOW_EVENT_ID && field->kind == PERFDATA_KIND_U64;
	ret->key = pd_key_make(pool, ",\"", name ? name : "", "");
	ret->key_raw = pd_key_make(pool, ",\"", name ? name : "", "_raw");
	ret->key_hex = pd_key_make(pool, ",\"", name ? name : "", "_hex");
	if (!ret->key.text || !ret->key_raw.text || !ret->key_hex.text)
		return false;
	if (ret->op == SPELL_BITS) {
		ret->parts = part_keys(pool, field->bits);
		return ret->parts != NULL;
	}
	if (ret->op == SPELL_STRUCT || ret->op == SPELL_LIST_PARTS) {
		const struct perfdata_layout *element = field->element;
		if (!element && field->kind == PERFDATA_KIND_ATTR)
			element = perfdata_attr_layout();
		ret->element = pd_plan_make(pool, element, true);
		return ret->element != NULL;
	}
	return true;
}

const struct plan *pd_plan_make(struct pd_arena *pool, const struct perfdata_layout *layout, bool nested)
{
	struct plan *plan = pd_arena_calloc(pool, 1, sizeof *plan);
	struct row *rows = pd_arena_calloc(pool, layout->nr_fields + 1, sizeof *rows);
	if (!plan || !rows)
		return NULL;
	for (uint32_t i = 0; i < layout->nr_fields; i++) {
		if (!pd_row_make(pool, &layout->fields[i], i, layout->fields[i].name, nested, &rows[i]))
			return NULL;
		/* A part may have several ids, but names one event: that of the first id. */
		nested &= !rows[i].event_id;
	}
	plan->layout = layout;
	plan->nr_rows = layout->nr_fields;
	plan->rows = rows;
	return plan;
}

const char *pd_plan_record_name(const struct perfdata_layout *layout)
{
	const struct perfdata_layout *usual = perfdata_record_layout(layout->id);
	return usual ? usual->name : layout->name;
}

int pd_plan_field(const struct perfdata_layout *layout, const char *name, size_t size)
{
	for (uint32_t i = 0; i < layout->nr_fields; i++) {
		const struct perfdata_field *field = &layout->fields[i];
		if (field->kind != PERFDATA_KIND_PAD && field->name && strlen(field->name) == size &&
		    !memcmp(field->name, name, size))
			return (int)i;
	}
	return -1;
}

bool pd_plan_has_field(const struct perfdata_layout *layout, uint64_t present, const char *name)
{
	const int index = layout ? pd_plan_field(layout, name, strlen(name)) : -1;
	return index >= 0 && present >> index & 1;
}
