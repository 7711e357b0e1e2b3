/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "emit/values/plan.h"

static enum value_type type_of_integer(const struct perfdata_field *field)
{
	switch (field->show) {
	case PERFDATA_SHOW_HEX: return field->kind == PERFDATA_KIND_U64 ? VALUE_HEX64 : VALUE_HEX;
	case PERFDATA_SHOW_BOOL: return VALUE_BOOL;
	case PERFDATA_SHOW_ENUM: return VALUE_ENUM;
	case PERFDATA_SHOW_FLAGS: return VALUE_FLAGS;
	case PERFDATA_SHOW_BITS: return VALUE_BITS;
	default: break;
	}
	switch (field->kind) {
	case PERFDATA_KIND_U64: return VALUE_U64;
	case PERFDATA_KIND_U32: return VALUE_U32;
	case PERFDATA_KIND_S32: return VALUE_S32;
	default: return VALUE_NUMBER;
	}
}

static enum value_type type_of_list(const struct perfdata_field *field)
{
	if (field->element)
		return VALUE_LIST_PARTS;
	switch (field->show) {
	case PERFDATA_SHOW_CALLCHAIN: return VALUE_CALLCHAIN;
	case PERFDATA_SHOW_REGS: return VALUE_REGS;
	case PERFDATA_SHOW_HEX: return VALUE_LIST_HEX;
	default: return VALUE_LIST_U64;
	}
}

static enum value_type type_of(const struct perfdata_field *field)
{
	switch (field->kind) {
	case PERFDATA_KIND_U8:
	case PERFDATA_KIND_U16:
	case PERFDATA_KIND_U32:
	case PERFDATA_KIND_U64:
	case PERFDATA_KIND_S32:
	case PERFDATA_KIND_S64:
		return type_of_integer(field);
	case PERFDATA_KIND_F64: return VALUE_DOUBLE;
	case PERFDATA_KIND_TEXT: case PERFDATA_KIND_CHARS: case PERFDATA_KIND_STRING: return VALUE_TEXT;
	case PERFDATA_KIND_BYTES:
		return field->show == PERFDATA_SHOW_RAW    ? VALUE_RAW
		       : field->show == PERFDATA_SHOW_TEXT ? VALUE_TEXT
							   : VALUE_BYTES;
	case PERFDATA_KIND_LIST: return type_of_list(field);
	case PERFDATA_KIND_STRUCT: case PERFDATA_KIND_ATTR: return VALUE_STRUCT;
	case PERFDATA_KIND_CPUS: return VALUE_CPUS;
	case PERFDATA_KIND_FEATURE: return VALUE_FEATURE;
	case PERFDATA_KIND_BITMAP: case PERFDATA_KIND_PAD: break;
	}
	return VALUE_NOTHING;
}

bool pd_row_make(struct pd_arena *pool, const struct perfdata_field *field, uint32_t index, const char *name,
		 bool nested, struct row *ret)
{
	*ret = (struct row){
		.type = type_of(field), .kind = field->kind, .member = field->member, .index = index, .field = field
	};
	if (ret->type == VALUE_NOTHING)
		return true;
	ret->wide = field->kind == PERFDATA_KIND_U64 || field->kind == PERFDATA_KIND_S64;
	ret->event_id = nested && field->show == PERFDATA_SHOW_EVENT_ID && field->kind == PERFDATA_KIND_U64;
	ret->name = name ? name : "";
	ret->prepared = pd_arena_calloc(pool, 1, sizeof *ret->prepared);
	if (!ret->prepared)
		return false;
	ret->prepared->pool = pool;
	if (ret->type == VALUE_STRUCT || ret->type == VALUE_LIST_PARTS) {
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
		/* a part may have several ids; the first one names its event */
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

uint64_t pd_value_integer(enum perfdata_kind kind, const void *member)
{
	switch (kind) {
	case PERFDATA_KIND_U8: return *(const uint8_t *)member;
	case PERFDATA_KIND_U16: return *(const uint16_t *)member;
	case PERFDATA_KIND_U32: return *(const uint32_t *)member;
	case PERFDATA_KIND_S32: return (uint64_t)(int64_t)*(const int32_t *)member;
	default: return *(const uint64_t *)member;
	}
}

const char *pd_unit_name(enum perfdata_unit unit)
{
	switch (unit) {
	case PERFDATA_UNIT_NS: return "ns";
	case PERFDATA_UNIT_BYTES: return "bytes";
	case PERFDATA_UNIT_KB: return "KB";
	case PERFDATA_UNIT_MS: return "ms";
	case PERFDATA_UNIT_CYCLES: return "cycles";
	case PERFDATA_UNIT_NONE: break;
	}
	return "";
}
