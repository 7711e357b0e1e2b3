/* SPDX-License-Identifier: MIT */
/* Public access to layouts and their rows, whose structs may change with each version of the library. */
#include "schema/decode.h"
#include "schema/schema.h"

const char *perfdata_layout_name(const struct perfdata_layout *layout) { return layout->name; }
uint32_t perfdata_layout_id(const struct perfdata_layout *layout) { return layout->id; }
const struct perfdata_field *perfdata_layout_field(const struct perfdata_layout *layout, size_t index)
{
	return index < layout->nr_fields ? &layout->fields[index] : NULL;
}

const char *perfdata_field_name(const struct perfdata_field *field) { return field->name; }
enum perfdata_kind perfdata_field_kind(const struct perfdata_field *field) { return field->kind; }
enum perfdata_show perfdata_field_show(const struct perfdata_field *field) { return field->show; }
enum perfdata_unit perfdata_field_unit(const struct perfdata_field *field) { return field->unit; }
const struct perfdata_name *perfdata_field_names(const struct perfdata_field *field) { return field->names; }
const struct perfdata_bits *perfdata_field_bits(const struct perfdata_field *field) { return field->bits; }

bool perfdata_field_number(const struct perfdata_field *field, const void *view, uint64_t *ret)
{
	*ret = pd_member_value(field, view);
	if (field->kind == PERFDATA_KIND_S32)
		*ret = (uint64_t)(int32_t)*ret;
	return pd_kind_width(field->kind) != 0;
}
