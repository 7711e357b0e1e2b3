/* SPDX-License-Identifier: MIT */
#include "config.h"
#include <stdio.h>
#include "emit/spell/feature_json.h"
#include "emit/spell/members.h"
#include "schema/feature.h"

/* The state while a section is written. */
struct section_writer {
	struct speller *s;
	struct pd_arena pool;         /* of `attr` */
	const struct plan *attr;      /* made for the first attribute of the section, which may have many; or NULL */
};

static void node_value(struct section_writer *writer, const struct perfdata_node *node,
		       const struct perfdata_field *field);

static void attr_value(struct section_writer *writer, const struct perfdata_attr *attr)
{
	if (!writer->attr)
		writer->attr = pd_plan_make(&writer->pool, perfdata_attr_layout(), true);
	if (writer->attr)
		pd_spell_object(writer->s, writer->attr, attr->present, attr);
	else
		writer->s->out->failed = true;
}

static void bitmap_value(struct perfdata_text *out, struct perfdata_bytes bytes)
{
	const size_t start = out->size;
	for (size_t i = 0; i < bytes.size; i++) {
		for (unsigned bits = bytes.data[i]; bits; bits &= bits - 1) {
			perfdata_text_char(out, ',');
			perfdata_text_u64(out, i * 8 + (unsigned)__builtin_ctz(bits));
		}
	}
	pd_spell_close(out, start, '[', ']');
}

static void integer_value(struct speller *s, const struct perfdata_node *node, const struct perfdata_field *field)
{
	struct row row = { .kind = node->kind, .field = field };
	row.wide = node->kind == PERFDATA_KIND_U64 || node->kind == PERFDATA_KIND_S64;
	row.type = VALUE_NUMBER;
	struct pd_arena pool = { 0 };
	if (field && (field->show == PERFDATA_SHOW_HEX || field->show == PERFDATA_SHOW_BOOL ||
		      field->show == PERFDATA_SHOW_ENUM || field->show == PERFDATA_SHOW_FLAGS ||
		      field->show == PERFDATA_SHOW_BITS)) {
		struct perfdata_field shown = *field;
		shown.kind = PERFDATA_KIND_U64;
		if (!pd_row_make(&pool, &shown, 0, field->name, true, &row))
			s->out->failed = true;
		row.field = field;
	}
	/* nodes hold all integers as 64 bits */
	row.kind = node->kind == PERFDATA_KIND_S32 || node->kind == PERFDATA_KIND_S64 ? PERFDATA_KIND_S64
										      : PERFDATA_KIND_U64;
	row.member = 0;
	pd_spell_value(s, &row, &node->v.u);
	pd_arena_release(&pool);
}

static void write_member(struct section_writer *writer, const struct perfdata_node *node, const char *prefix)
{
	struct speller *s = writer->s;
	char name[128];
	const char *own = node->field && node->field->name ? node->field->name : "value";
	snprintf(name, sizeof name, "%s%s%s", prefix, *prefix ? "_" : "", own);
	pd_member_key(s->out, name, "");
	if (node->kind == PERFDATA_KIND_STRING) {
		if (!perfdata_text_json_string(s->out, node->v.bytes.data, node->v.bytes.size)) {
			pd_member_key(s->out, name, "_hex");
			pd_spell_bytes_string(s->out, node->v.bytes);
		}
		return;
	}
	node_value(writer, node, node->field);
	const struct perfdata_field *field = node->field;
	const bool named = field && (field->show == PERFDATA_SHOW_ENUM || field->show == PERFDATA_SHOW_FLAGS);
	if (named && node->kind <= PERFDATA_KIND_S64 && node->kind > PERFDATA_KIND_PAD) {
		pd_member_key(s->out, name, "_raw");
		pd_spell_wide(s, node->v.u);
	}
}

static void node_value(struct section_writer *writer, const struct perfdata_node *node,
		       const struct perfdata_field *field)
{
	struct speller *s = writer->s;
	struct perfdata_text *out = s->out;
	const size_t start = out->size;
	switch (node->kind) {
	case PERFDATA_KIND_F64: perfdata_text_double(out, node->v.f); break;
	case PERFDATA_KIND_TEXT: case PERFDATA_KIND_CHARS: case PERFDATA_KIND_STRING:
		perfdata_text_json_string(out, node->v.bytes.data, node->v.bytes.size);
		break;
	case PERFDATA_KIND_BYTES: case PERFDATA_KIND_FEATURE: pd_spell_bytes_string(out, node->v.bytes); break;
	case PERFDATA_KIND_BITMAP: bitmap_value(out, node->v.bytes); break;
	case PERFDATA_KIND_ATTR: attr_value(writer, node->v.attr); break;
	case PERFDATA_KIND_STRUCT:
		for (const struct perfdata_node *child = node->child; child; child = child->next)
			write_member(writer, child, "");
		pd_spell_close(out, start, '{', '}');
		break;
	case PERFDATA_KIND_LIST:
		for (const struct perfdata_node *child = node->child; child; child = child->next) {
			perfdata_text_char(out, ',');
			node_value(writer, child, child->field ? child->field : field);
		}
		pd_spell_close(out, start, '[', ']');
		break;
	case PERFDATA_KIND_PAD: case PERFDATA_KIND_CPUS: perfdata_text_literal(out, "null"); break;
	default: integer_value(s, node, field); break;
	}
}

/* Whether a field of the section has the section's name: then its value is the section's value, and other fields are
 * further keys. Decided by the layout, so that a key has one type in all files. */
static bool is_one_value(const struct perfdata_layout *layout)
{
	for (uint32_t i = 0; i < layout->nr_fields; i++)
		if (layout->fields[i].name && !strcmp(layout->fields[i].name, layout->name))
			return true;
	return false;
}

static void write_section(struct section_writer *writer, uint32_t id, const struct perfdata_feature *feature)
{
	struct perfdata_text *out = writer->s->out;
	const struct perfdata_layout *layout = perfdata_feature_layout(id);
	const struct perfdata_node *root = perfdata_feature_root(feature);
	if (layout && is_one_value(layout)) {
		const struct perfdata_node *content = perfdata_node_get(root, layout->name);
		if (content) {
			write_member(writer, content, "");
		} else {
			pd_member_key(out, layout->name, "");
			perfdata_text_literal(out, "null");
		}
		for (const struct perfdata_node *child = root->child; child; child = child->next)
			if (child != content)
				write_member(writer, child, layout->name);
		return;
	}
	if (layout) {
		pd_member_key(out, layout->name, "");
	} else {
		perfdata_text_literal(out, ",\"feature_");
		perfdata_text_u64(out, id);
		perfdata_text_literal(out, "\":");
	}
	node_value(writer, root, NULL);
}

void pd_feature_json_member(struct speller *s, uint32_t id, const struct perfdata_feature *feature)
{
	struct section_writer writer = { .s = s };
	write_section(&writer, id, feature);
	pd_arena_release(&writer.pool);
}

void pd_feature_json_payload(struct speller *s, uint32_t id, struct perfdata_bytes payload)
{
	struct perfdata_feature *feature = NULL;
	const enum perfdata_status status = pd_feature_decode(id, payload.data, payload.size, s->scope->order,
								    s->scope->world->nr_cpus_avail, &feature, NULL);
	const size_t start = s->out->size;
	if (status < 0)
		s->out->failed = true;
	else
		pd_feature_json_member(s, id, feature);
	if (status == PERFDATA_DAMAGED) {
		perfdata_text_literal(s->out, ",\"bytes\":");
		pd_spell_bytes_string(s->out, payload);
	}
	pd_spell_close(s->out, start, '{', '}');
	pd_feature_free(feature);
}
