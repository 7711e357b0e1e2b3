/* SPDX-License-Identifier: MIT */
/* The JSON Schema of each line of ndjson, made from the same rows as the lines. */
#include "config.h"
#include "emit/json/json_type.h"
#include "emit/json/meta.h"
#include "emit/describe/meta_keys.h"
#include "emit/values/locations.h"
#include "emit/values/span_values.h"
#include "perfdata/describe.h"
#include "text/json_quoted.h"
#include "schema/schema.h"

static void write_key(struct perfdata_text *out, const char *name, const char *suffix)
{
	perfdata_text_printf(out, ",\"%s%s\":", name, suffix);
}

static void type_members(struct perfdata_text *out, enum json_type type, bool nullable)
{
	static const char address[] = "\"type\":\"string\",\"pattern\":\"^(0x[0-9a-f]+|PERF_CONTEXT_[A-Z_]+)$\"";
	const char *const or_null = nullable ? ",\"null\"]" : "]";
	switch (type) {
	case JSON_NUMBER: perfdata_text_literal(out, "\"type\":[\"number\",\"null\"]"); return;
	case JSON_UNSIGNED: perfdata_text_printf(out, "\"type\":[\"integer\"%s,\"minimum\":0", or_null); return;
	case JSON_SIGNED: perfdata_text_printf(out, "\"type\":[\"integer\"%s", or_null); return;
	case JSON_STRING: perfdata_text_printf(out, "\"type\":[\"string\"%s", or_null); return;
	case JSON_HEX: perfdata_text_literal(out, "\"type\":\"string\",\"pattern\":\"^([0-9a-f]{2})*$\""); return;
	case JSON_ADDRESS: perfdata_text_literal(out, "\"type\":\"string\",\"pattern\":\"^0x[0-9a-f]+$\""); return;
	case JSON_BOOLEAN: perfdata_text_literal(out, "\"type\":\"boolean\""); return;
	case JSON_TRUE: perfdata_text_literal(out, "\"const\":true"); return;
	case JSON_OBJECT: perfdata_text_literal(out, "\"type\":\"object\""); return;
	case JSON_STRINGS: perfdata_text_literal(out, "\"type\":\"array\",\"items\":{\"type\":\"string\"}"); return;
	case JSON_UNSIGNEDS: perfdata_text_literal(out, "\"type\":\"array\",\"items\":{\"type\":\"integer\"}"); return;
	case JSON_ADDRESSES: perfdata_text_printf(out, "\"type\":\"array\",\"items\":{%s}", address); return;
	case JSON_OBJECTS: perfdata_text_literal(out, "\"type\":\"array\",\"items\":{\"type\":\"object\"}"); return;
	}
}

static void write_description(struct perfdata_text *out, const char *doc, enum perfdata_unit unit)
{
	perfdata_text_literal(out, ",\"description\":");
	struct perfdata_text text;
	perfdata_text_init(&text);
	perfdata_text_string(&text, doc ? doc : "");
	if (*pd_unit_name(unit))
		perfdata_text_printf(&text, " Unit: %s.", pd_unit_name(unit));
	perfdata_text_json_string(out, text.data, text.size);
	perfdata_text_release(&text);
}

static void object_of(struct perfdata_text *out, const struct plan *plan);

static void names_enum(struct perfdata_text *out, const struct perfdata_name *names, bool nullable)
{
	perfdata_text_literal(out, "\"enum\":");
	const size_t start = out->size;
	for (; names && names->name; names++) {
		perfdata_text_char(out, ',');
		pd_json_text(out, names->name);
	}
	if (nullable)
		perfdata_text_literal(out, ",null");
	pd_spell_close(out, start, '[', ']');
}

static void bits_object(struct perfdata_text *out, const struct perfdata_bits *bits)
{
	perfdata_text_literal(
		out,
		"\"type\":\"object\",\"required\":[\"raw\"],\"additionalProperties\":false,\"properties\":{\"raw\":{");
	type_members(out, JSON_ADDRESS, false);
	perfdata_text_char(out, '}');
	for (; bits->name; bits++) {
		write_key(out, bits->name, "");
		perfdata_text_char(out, '{');
		if (bits->names && bits->mask) {
			perfdata_text_literal(out, "\"type\":\"array\",\"items\":{");
			names_enum(out, bits->names, false);
			perfdata_text_char(out, '}');
		} else if (bits->names) {
			names_enum(out, bits->names, true);
		} else {
			type_members(out, bits->width == 1 ? JSON_TRUE : JSON_UNSIGNED, false);
		}
		perfdata_text_char(out, '}');
	}
	perfdata_text_char(out, '}');
}

static void row_members(struct perfdata_text *out, const struct row *row)
{
	switch (row->type) {
	case VALUE_ENUM: names_enum(out, row->field->names, true); break;
	case VALUE_FLAGS:
		perfdata_text_literal(out, "\"type\":\"array\",\"items\":{");
		names_enum(out, row->field->names, false);
		perfdata_text_char(out, '}');
		break;
	case VALUE_BITS: bits_object(out, row->field->bits); break;
	case VALUE_STRUCT: object_of(out, row->element); break;
	case VALUE_CALLCHAIN: type_members(out, JSON_ADDRESSES, false); break;
	case VALUE_LIST_PARTS:
		if (pd_json_type_of_row(row) != JSON_OBJECTS) {
			type_members(out, pd_json_type_of_row(row), false);
			break;
		}
		perfdata_text_literal(out, "\"type\":\"array\",\"items\":{");
		object_of(out, row->element);
		perfdata_text_char(out, '}');
		break;
	case VALUE_REGS:
		perfdata_text_literal(out, "\"type\":\"object\",\"additionalProperties\":{");
		type_members(out, JSON_ADDRESS, false);
		perfdata_text_char(out, '}');
		break;
	default: type_members(out, pd_json_type_of_row(row), false); break;
	}
	write_description(out, row->field->doc, row->field->unit);
}

/* Properties of the row's key and of its companions (`_raw`, `_hex`, …). */
static void row_properties(struct perfdata_text *out, const struct row *row)
{
	if (row->type == VALUE_NOTHING)
		return;
	const char *name = row->field->name;
	write_key(out, name, "");
	perfdata_text_char(out, '{');
	row_members(out, row);
	perfdata_text_char(out, '}');
	if (row->type == VALUE_ENUM || row->type == VALUE_FLAGS) {
		write_key(out, name, "_raw");
		perfdata_text_literal(out, "{\"type\":\"integer\"}");
	} else if (row->type == VALUE_TEXT) {
		write_key(out, name, "_hex");
		perfdata_text_char(out, '{');
		type_members(out, JSON_HEX, false);
		perfdata_text_char(out, '}');
	} else if (row->type == VALUE_RAW) {
		perfdata_text_literal(out, ",\"fields\":{\"type\":\"object\"}");
	}
	if (row->event_id)
		perfdata_text_literal(out, ",\"event\":{\"type\":\"string\"}");
}

static void object_of(struct perfdata_text *out, const struct plan *plan)
{
	perfdata_text_literal(out, "\"type\":\"object\",\"additionalProperties\":false,\"properties\":");
	const size_t start = out->size;
	for (uint32_t i = 0; i < plan->nr_rows; i++)
		row_properties(out, &plan->rows[i]);
	pd_spell_close(out, start, '{', '}');
}

/* --- locations ---------------------------------------------------------------------------------------------------- */

static void place_properties(struct perfdata_text *out)
{
	for (unsigned i = 0; i < LOCATION_COUNT; i++) {
		const struct location_info *info = pd_location_part_info(i);
		write_key(out, info->name, "");
		perfdata_text_char(out, '{');
		type_members(out, pd_json_type_of_part(i), false);
		write_description(out, info->doc, PERFDATA_UNIT_NONE);
		perfdata_text_char(out, '}');
		if (pd_json_type_of_part(i) != JSON_STRING)
			continue;
		write_key(out, info->name, "_hex");
		perfdata_text_char(out, '{');
		type_members(out, JSON_HEX, false);
		perfdata_text_char(out, '}');
	}
}

static void place_object(struct perfdata_text *out)
{
	perfdata_text_literal(out, "\"type\":[\"object\",\"null\"],\"additionalProperties\":false,\"properties\":");
	const size_t start = out->size;
	place_properties(out);
	pd_spell_close(out, start, '{', '}');
}

static void branches_array(struct perfdata_text *out)
{
	perfdata_text_literal(out, "\"type\":\"array\",\"items\":{\"type\":\"object\",\"required\":[\"from\",\"to\"],"
			      "\"additionalProperties\":false,\"properties\":{\"from\":{");
	place_object(out);
	perfdata_text_literal(out, "},\"to\":{");
	place_object(out);
	perfdata_text_literal(out, "}}}");
}

static void steps_array(struct perfdata_text *out, bool with_ids)
{
	perfdata_text_literal(out, "\"type\":\"array\",\"items\":{\"type\":\"object\",\"required\":[\"ip\"],"
			      "\"additionalProperties\":false,\"properties\":{\"ip\":{");
	type_members(out, JSON_ADDRESS, false);
	perfdata_text_char(out, '}');
	if (with_ids)
		perfdata_text_literal(out, ",\"frame_id\":{\"type\":\"integer\",\"minimum\":0}");
	perfdata_text_literal(
		out, ",\"origin\":{\"enum\":[\"branch\",\"unwound\"],\"description\":\"Where the step comes from, if "
		     "not from the "
		     "recorded chain: a branch stack of calls, or the recorded registers and stack memory.\"}");
	place_properties(out);
	perfdata_text_literal(out, "}}");
}

static void stack_line(struct perfdata_text *out)
{
	write_key(out, "stack", "");
	perfdata_text_literal(
		out, "{\"type\":\"object\","
		     "\"description\":\"A call chain; its line precedes the first sample with it (--stacks "
		     "ref).\",\"required\":[\"type\",\"stack_id\",\"frames\"],\"additionalProperties\":false,"
		     "\"properties\":{\"type\":{\"const\":\"stack\"},\"stack_id\":{\"type\":\"integer\",\"minimum\":0},"
		     "\"recording\":{\"type\":\"string\"},\"recording_hex\":{\"type\":\"string\"},"
		     "\"file\":{\"type\":\"string\"},\"file_hex\":{\"type\":\"string\"},\"frames\":{");
	steps_array(out, true);
	perfdata_text_literal(out, ",\"description\":\"Its steps, callee first.\"}}}");
}

/* Lines of traces. Their members depend on the kind of packet: lib/auxtrace has the fields of each kind. */
static void trace_line(struct perfdata_text *out, const char *type, const char *about, const char *required)
{
	write_key(out, type, "");
	perfdata_text_printf(
		out,
		"{\"type\":\"object\",\"description\":\"%s\",\"required\":[\"type\",\"trace\",\"aux_offset\",%s],"
		"\"properties\":{\"type\":{\"const\":\"%s\"},\"trace\":{\"type\":\"string\"},\"packet\":{\"type\":"
		"\"string\"},"
		"\"size\":{\"type\":\"integer\",\"minimum\":1},\"cpu\":{\"type\":\"integer\"},\"buffer_tid\":{\"type\":"
		"\"integer\"}}}",
		about, required, type);
}

static void trace_lines(struct perfdata_text *out)
{
	trace_line(out, "aux_packet", "A packet of a trace (--aux packets).", "\"size\",\"packet\"");
	trace_line(out, "spe_sample", "A sampled operation of Arm SPE (--aux packets, --aux samples).", "\"size\"");
}

/* Lines with the columns of a table. Members with unknown values are absent. */
static void line_of_columns(struct perfdata_text *out, const char *type, const char *about,
			    const struct table_column *columns)
{
	write_key(out, type, "");
	perfdata_text_printf(out,
			     "{\"type\":\"object\",\"description\":\"%s\",\"required\":[\"type\"],"
			     "\"additionalProperties\":false,\"properties\":{\"type\":{\"const\":\"%s\"},"
			     "\"recording\":{\"type\":\"string\"},\"recording_hex\":{\"type\":\"string\"}",
			     about, type);
	for (; columns->name; columns++) {
		const bool is_text = columns->type == COLUMN_TEXT;
		write_key(out, columns->name, "");
		perfdata_text_char(out, '{');
		type_members(out, is_text ? JSON_STRING : columns->type == COLUMN_JSON ? JSON_OBJECT : JSON_SIGNED,
			     false);
		write_description(out, columns->doc, columns->unit);
		perfdata_text_char(out, '}');
		if (is_text) {
			write_key(out, columns->name, "_hex");
			perfdata_text_char(out, '{');
			type_members(out, JSON_HEX, false);
			perfdata_text_char(out, '}');
		}
	}
	perfdata_text_literal(out, "}}");
}

static void span_lines(struct perfdata_text *out)
{
	line_of_columns(out, "span", "An interval between two records (--spans).", pd_span_columns);
	line_of_columns(out, "thread_time", "The time of a thread in each state (--spans).", pd_thread_time_columns);
}

/* --- records ------------------------------------------------------------------------------------------------------ */

static void head_property(struct perfdata_text *out, enum pd_record_head head, const struct plan *trailer)
{
	const struct head_info *info = pd_record_head_info(head);
	write_key(out, info->name, "");
	perfdata_text_char(out, '{');
	if (head == HEAD_SAMPLE_ID)
		object_of(out, trailer);
	else if (info->kind == HEAD_IS_LOCATION)
		place_object(out);
	else if (info->kind == HEAD_IS_BRANCHES)
		branches_array(out);
	else if (info->kind == HEAD_IS_STACK)
		steps_array(out, false);
	else
		type_members(out, pd_json_type_of_head(head), info->nullable);
	write_description(out, info->doc, info->unit);
	perfdata_text_char(out, '}');
	if (head == HEAD_RECORDING || head == HEAD_FILE || head == HEAD_COMM)
		perfdata_text_printf(out, ",\"%s_hex\":{\"type\":\"string\"}", info->name);
}

static bool in_head(const struct row *row)
{
	for (unsigned i = HEAD_TIME; i <= HEAD_CPU; i++)
		if (row->field->name && !strcmp(row->field->name, pd_record_head_info(i)->name))
			return true;
	return false;
}

/* plan NULL: records of unknown types. */
static void write_record(struct perfdata_text *out, const char *name, const char *type, const char *doc,
			 const struct plan *plan, const struct plan *trailer)
{
	write_key(out, "record_", name);
	perfdata_text_literal(out, "{\"type\":\"object\",\"description\":");
	pd_json_text(out, doc);
	perfdata_text_printf(
		out,
		",\"required\":[\"type\",\"offset\",\"size\",\"misc\",\"misc_raw\"],\"additionalProperties\":false,"
		"\"properties\":{\"type\":{\"const\":\"%s\"}",
		type);
	for (unsigned i = HEAD_RECORDING; i <= HEAD_CPU; i++)
		if (i != HEAD_TYPE_RAW || !plan)
			head_property(out, i, trailer);
	for (uint32_t i = 0; plan && i < plan->nr_rows; i++)
		if (!in_head(&plan->rows[i]))
			row_properties(out, &plan->rows[i]);
	for (unsigned i = HEAD_COMM; plan && plan->layout->id == PERFDATA_RECORD_SAMPLE && i <= HEAD_STACK_ID; i++)
		head_property(out, i, trailer);
	for (unsigned i = HEAD_SAMPLE_ID; i < HEAD_COUNT; i++)
		head_property(out, i, trailer);
	perfdata_text_literal(out, "}}");
}

static void keys_object(struct perfdata_text *out, const char *type, const struct meta_key *keys)
{
	write_key(out, type, "");
	perfdata_text_literal(out, "{\"type\":\"object\",\"required\":[\"type\"");
	for (size_t i = 0; keys[i].name; i++)
		if (!keys[i].optional)
			perfdata_text_printf(out, ",\"%s\"", keys[i].name);
	perfdata_text_printf(out, "],\"additionalProperties\":false,\"properties\":{\"type\":{\"const\":\"%s\"}", type);
	for (size_t i = 0; keys[i].name; i++) {
		write_key(out, keys[i].name, "");
		perfdata_text_char(out, '{');
		type_members(out, keys[i].type, keys[i].nullable);
		write_description(out, keys[i].doc, PERFDATA_UNIT_NONE);
		perfdata_text_char(out, '}');
	}
	perfdata_text_literal(out, "}}");
}

/* A record type with several versions has an entry for each: its lines fit one or more entries (anyOf). */
static void all_records(struct perfdata_text *out, struct pd_arena *pool, const struct plan *trailer)
{
	const struct perfdata_layout *layout;
	for (size_t i = 0; (layout = perfdata_record_layout_at(i)); i++) {
		const struct plan *plan = pd_plan_make(pool, layout, false);
		if (plan)
			write_record(out, layout->name, pd_plan_record_name(layout), layout->doc, plan, trailer);
		else
			out->failed = true;
	}
	write_record(out, "unknown", "unknown",
		     "A record of a type that this version does not know; its body is in `rest`.", NULL, trailer);
}

static void write_references(struct perfdata_text *out)
{
	perfdata_text_literal(
		out,
		"\"anyOf\":[{\"$ref\":\"#/$defs/meta\"},{\"$ref\":\"#/$defs/summary\"},"
		"{\"$ref\":\"#/$defs/stack\"},{\"$ref\":\"#/$defs/aux_packet\"},{\"$ref\":\"#/$defs/spe_sample\"},"
		"{\"$ref\":\"#/$defs/span\"},{\"$ref\":\"#/$defs/thread_time\"}");
	const struct perfdata_layout *layout;
	for (size_t i = 0; (layout = perfdata_record_layout_at(i)); i++)
		perfdata_text_printf(out, ",{\"$ref\":\"#/$defs/record_%s\"}", layout->name);
	perfdata_text_literal(out, ",{\"$ref\":\"#/$defs/record_unknown\"}],\n\"$defs\":");
}

void perfdata_describe_schema(struct perfdata_text *out)
{
	struct pd_arena pool = { 0 };
	const struct plan *trailer = pd_plan_make(&pool, pd_trailer_layout(), false);
	if (!trailer) {
		out->failed = true;
		pd_arena_release(&pool);
		return;
	}
	perfdata_text_literal(
		out, "{\"$schema\":\"https://json-schema.org/draft/2020-12/schema\",\"$id\":\"" EMIT_SCHEMA "\","
		     "\"title\":\"A line of perfdata ndjson\",\n");
	write_references(out);
	const size_t start = out->size;
	keys_object(out, "meta", pd_meta_keys);
	perfdata_text_char(out, '\n');
	keys_object(out, "summary", pd_summary_keys);
	perfdata_text_char(out, '\n');
	stack_line(out);
	trace_lines(out);
	span_lines(out);
	perfdata_text_char(out, '\n');
	all_records(out, &pool, trailer);
	pd_spell_close(out, start, '{', '}');
	perfdata_text_literal(out, "}\n");
	pd_arena_release(&pool);
}
