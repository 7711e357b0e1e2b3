/* SPDX-License-Identifier: MIT */
#include "config.h"
#include <stdio.h>
#include "emit/json/json_type.h"
#include "emit/describe/meta_keys.h"
#include "emit/values/span_values.h"
#include "emit/values/locations.h"
#include "perfdata/describe.h"
#include "reader/reader.h"
#include "schema/schema.h"

/* --- fields: every name once, with the records that have it ------------------------------------------------------- */

/* Calls `use` with the dotted name of each selectable field of a layout. */
typedef void field_fn(void *user, const char *name, const struct row *row);
static void each_field(const struct plan *plan, const char *prefix, bool skip_head, field_fn *use, void *user)
{
	for (uint32_t i = 0; i < plan->nr_rows; i++) {
		const struct row *row = &plan->rows[i];
		if (row->type == VALUE_NOTHING)
			continue;
		bool in_head = false;
		for (unsigned head = HEAD_TIME; skip_head && head <= HEAD_CPU; head++)
			in_head |= !strcmp(pd_record_head_info(head)->name, row->field->name);
		if (in_head)
			continue;
		char name[128];
		snprintf(name, sizeof name, "%s%s", prefix, row->field->name);
		use(user, name, row);
		if (row->type != VALUE_STRUCT)
			continue;
		snprintf(name, sizeof name, "%s%s.", prefix, row->field->name);
		each_field(row->element, name, false, use, user);
	}
}

#define MAX_FIELDS 512
struct field_line {
	char name[96];
	enum json_type type;
	const struct perfdata_field *field;
	uint64_t records[2];           /* bit n: record layout number n */
};
struct field_lines {
	struct field_line lines[MAX_FIELDS];
	size_t nr;
	size_t layout;                 /* index of the current layout; at the end the number of layouts */
};

static void add_line(struct field_lines *fields, const char *name, enum json_type type,
		     const struct perfdata_field *field)
{
	size_t i = 0;
	while (i < fields->nr && strcmp(fields->lines[i].name, name))
		i++;
	if (i == MAX_FIELDS)
		return;
	struct field_line *line = &fields->lines[i];
	if (i == fields->nr) {
		fields->nr++;
		memset(line, 0, sizeof *line);
		snprintf(line->name, sizeof line->name, "%s", name);
		line->type = type;
		line->field = field;
	}
	line->records[fields->layout / 64] |= UINT64_C(1) << fields->layout % 64;
}

static void add_field(void *user, const char *name, const struct row *row)
{
	struct field_lines *fields = user;
	char companion[128];
	add_line(fields, name, pd_json_type_of_row(row), row->field);
	if (row->type == VALUE_ENUM || row->type == VALUE_FLAGS) {
		snprintf(companion, sizeof companion, "%s_raw", name);
		add_line(fields, companion, JSON_UNSIGNED, row->field);
	} else if (row->type == VALUE_TEXT) {
		snprintf(companion, sizeof companion, "%s_hex", name);
		add_line(fields, companion, JSON_HEX, row->field);
	} else if (row->type == VALUE_RAW) {
		add_line(fields, "fields", JSON_OBJECT, row->field);
	}
}

/* The meaning of keys made from a row, such as `flags_raw`, which differs from the row's meaning. */
static const char *line_doc(const struct field_line *line)
{
	const size_t size = strlen(line->name);
	if (!strcmp(line->name, "fields"))
		return "Fields of a tracepoint by name; fields.NAME is one of them.";
	if (size > 4 && !strcmp(line->name + size - 4, "_raw") && line->type == JSON_UNSIGNED)
		return "The field as a number.";
	if (size > 4 && !strcmp(line->name + size - 4, "_hex") && line->field->show == PERFDATA_SHOW_TEXT &&
	    line->type == JSON_HEX)
		return "The exact bytes of the text, if they are not valid UTF-8.";
	return line->field->doc;
}

static void field_row(struct perfdata_text *out, const char *name, enum json_type type, enum perfdata_unit unit)
{
	perfdata_text_printf(out, "%s\t%s\t%s\t", name, pd_json_type_name(type), pd_unit_name(unit));
}

static bool collect_fields(struct field_lines *fields)
{
	struct pd_arena pool = { 0 };
	const struct perfdata_layout *layout;
	bool ok = true;
	for (; ok && (layout = perfdata_record_layout_at(fields->layout)) && fields->layout < 128; fields->layout++) {
		const struct plan *plan = pd_plan_make(&pool, layout, false);
		ok = plan != NULL;
		if (plan)
			each_field(plan, "", true, add_field, fields);
	}
	pd_arena_release(&pool);
	return ok;
}

static void head_rows(struct perfdata_text *out, unsigned first, unsigned last)
{
	for (unsigned i = first; i <= last; i++) {
		const struct head_info *info = pd_record_head_info(i);
		field_row(out, info->name, pd_json_type_of_head(i), info->unit);
		perfdata_text_printf(out, "all\t%s\n", info->doc);
	}
}

static const struct field_line *line_named(const struct field_lines *fields, const char *name)
{
	for (size_t i = 0; i < fields->nr; i++)
		if (!strcmp(fields->lines[i].name, name))
			return &fields->lines[i];
	return NULL;
}

static bool is_sample_head(const char *name)
{
	for (unsigned i = HEAD_COMM; i <= HEAD_STACK_ID; i++)
		if (!strcmp(pd_record_head_info(i)->name, name))
			return true;
	return false;
}

static void record_names(struct perfdata_text *out, const struct field_lines *fields, const struct field_line *line,
			 bool first)
{
	for (size_t k = 0; k < fields->layout; k++) {
		const struct perfdata_layout *layout = perfdata_record_layout_at(k);
		const bool older = layout != perfdata_record_layout(layout->id);
		/* older versions of a record are listed only if the newest one lacks the field */
		if (!(line->records[k / 64] >> k % 64 & 1) || (older && !first))
			continue;
		perfdata_text_printf(out, "%s%s", first ? "" : ",", pd_plan_record_name(layout));
		first = false;
	}
}

/* Heads of samples that options add. A row of other records with the same name shares the line. */
static void sample_head_rows(struct perfdata_text *out, const struct field_lines *fields)
{
	for (unsigned i = HEAD_COMM; i <= HEAD_STACK_ID; i++) {
		const struct head_info *info = pd_record_head_info(i);
		const struct field_line *line = line_named(fields, info->name);
		field_row(out, info->name, pd_json_type_of_head(i), info->unit);
		perfdata_text_literal(out, "sample");
		if (line)
			record_names(out, fields, line, false);
		perfdata_text_printf(out, "\t%s\n", info->doc);
		for (unsigned part = 0; info->kind == HEAD_IS_LOCATION && part < LOCATION_COUNT; part++) {
			char name[64];
			snprintf(name, sizeof name, "%s.%s", info->name, pd_location_part_info(part)->name);
			field_row(out, name, pd_json_type_of_part(part), PERFDATA_UNIT_NONE);
			perfdata_text_printf(out, "sample\t%s\n", pd_location_part_info(part)->doc);
		}
	}
}

static void trailer_rows(struct perfdata_text *out)
{
	struct pd_arena pool = { 0 };
	const struct plan *plan = pd_plan_make(&pool, pd_trailer_layout(), false);
	for (uint32_t i = 0; plan && i < plan->nr_rows; i++) {
		const struct row *row = &plan->rows[i];
		if (row->type == VALUE_NOTHING)
			continue;
		char name[64];
		snprintf(name, sizeof name, "sample_id.%s", row->field->name);
		field_row(out, name, pd_json_type_of_row(row), row->field->unit);
		perfdata_text_printf(out, "all\t%s\n", row->field->doc);
	}
	out->failed |= !plan;
	pd_arena_release(&pool);
}

void perfdata_describe_fields(struct perfdata_text *out)
{
	struct pd_arena pool = { 0 };
	struct field_lines *fields = pd_arena_calloc(&pool, 1, sizeof *fields);
	if (!fields || !collect_fields(fields)) {
		out->failed = true;
		pd_arena_release(&pool);
		return;
	}
	perfdata_text_literal(out, "field\ttype\tunit\trecords\tmeaning\n");
	head_rows(out, 0, HEAD_CPU);
	for (size_t i = 0; i < fields->nr; i++) {
		const struct field_line *line = &fields->lines[i];
		if (is_sample_head(line->name))
			continue;
		field_row(out, line->name, line->type, line->type == JSON_HEX ? PERFDATA_UNIT_NONE : line->field->unit);
		record_names(out, fields, line, true);
		perfdata_text_printf(out, "\t%s\n", line_doc(line));
	}
	sample_head_rows(out, fields);
	head_rows(out, HEAD_SAMPLE_ID, HEAD_SAMPLE_ID);
	trailer_rows(out);
	head_rows(out, HEAD_REST, HEAD_COUNT - 1);
	pd_arena_release(&pool);
}

/* --- columns ------------------------------------------------------------------------------------------------------ */

struct columns {
	struct { char name[96]; enum json_type type; } items[MAX_FIELDS];
	size_t nr;
};

static void add_column(struct columns *columns, const char *name, enum json_type type)
{
	for (size_t i = 0; i < columns->nr; i++) {
		if (strcmp(columns->items[i].name, name))
			continue;
		/* a key is signed in some records and unsigned in others: no unsigned value of it exceeds the signed
		 * range */
		if (type == JSON_SIGNED && columns->items[i].type == JSON_UNSIGNED)
			columns->items[i].type = type;
		return;
	}
	if (columns->nr == MAX_FIELDS)
		return;
	snprintf(columns->items[columns->nr].name, sizeof columns->items[0].name, "%s", name);
	columns->items[columns->nr++].type = type;
}

/* Adds top-level keys only: DuckDB reads nested values as JSON. */
static void add_top(void *user, const char *name, const struct row *row)
{
	char companion[128];
	if (strchr(name, '.'))
		return;
	add_column(user, name, pd_json_type_of_row(row));
	if (row->type == VALUE_ENUM || row->type == VALUE_FLAGS) {
		snprintf(companion, sizeof companion, "%s_raw", name);
		add_column(user, companion, JSON_UNSIGNED);
	} else if (row->type == VALUE_TEXT) {
		snprintf(companion, sizeof companion, "%s_hex", name);
		add_column(user, companion, JSON_HEX);
	} else if (row->type == VALUE_RAW) {
		add_column(user, "fields", JSON_OBJECT);
	}
}

/* Keys of lines that have the columns of a table. */
static void add_table(struct columns *columns, const struct table_column *table)
{
	char companion[96];
	for (; table->name; table++) {
		add_column(columns, table->name, table->type == COLUMN_TEXT     ? JSON_STRING
						 : table->type == COLUMN_JSON   ? JSON_OBJECT
						 : table->type == COLUMN_UINT64 ? JSON_UNSIGNED
										: JSON_SIGNED);
		snprintf(companion, sizeof companion, "%s_hex", table->name);
		if (table->type == COLUMN_TEXT)
			add_column(columns, companion, JSON_HEX);
	}
}

void perfdata_describe_columns(struct perfdata_text *out)
{
	struct pd_arena pool = { 0 };
	struct columns *columns = pd_arena_calloc(&pool, 1, sizeof *columns);
	if (!columns) {
		out->failed = true;
		return;
	}
	for (unsigned i = 0; i < HEAD_COUNT; i++)
		add_column(columns, pd_record_head_info(i)->name, pd_json_type_of_head(i));
	const struct perfdata_layout *layout;
	for (size_t i = 0; (layout = perfdata_record_layout_at(i)); i++) {
		const struct plan *plan = pd_plan_make(&pool, layout, false);
		if (plan)
			each_field(plan, "", true, add_top, columns);
		else
			out->failed = true;
	}
	add_column(columns, "frames", JSON_OBJECTS);
	/* keys in the lines of traces */
	add_column(columns, "trace", JSON_STRING);
	add_column(columns, "packet", JSON_STRING);
	add_column(columns, "buffer_tid", JSON_SIGNED);
	add_table(columns, pd_span_columns);
	add_table(columns, pd_thread_time_columns);
	for (size_t i = 0; pd_meta_keys[i].name; i++)
		add_column(columns, pd_meta_keys[i].name, pd_meta_keys[i].type);
	for (size_t i = 0; pd_summary_keys[i].name; i++)
		add_column(columns, pd_summary_keys[i].name, pd_summary_keys[i].type);
	for (size_t i = 0; i < columns->nr; i++)
		perfdata_text_printf(out, "%s\"%s\": '%s'", i ? ",\n " : "{", columns->items[i].name,
				     pd_json_type_column(columns->items[i].type));
	perfdata_text_literal(out, "}\n");
	pd_arena_release(&pool);
}

/* --- the manual --------------------------------------------------------------------------------------------------- */

/* Escapes text for roff: backslashes everywhere, dots and quotes at the start of a line. */
static void write_roff(struct perfdata_text *out, const char *text)
{
	if (*text == '.' || *text == '\'')
		perfdata_text_literal(out, "\\&");
	for (; *text; text++) {
		if (*text == '\\')
			perfdata_text_literal(out, "\\e");
		else if (*text == '-')
			perfdata_text_literal(out, "\\-");
		else
			perfdata_text_char(out, *text);
	}
}

static const char *kind_text(const struct perfdata_field *field)
{
	switch (field->kind) {
	case PERFDATA_KIND_U8: return "u8";
	case PERFDATA_KIND_U16: return "u16";
	case PERFDATA_KIND_U32: return "u32";
	case PERFDATA_KIND_U64: return "u64";
	case PERFDATA_KIND_S32: return "s32";
	case PERFDATA_KIND_S64: return "s64";
	case PERFDATA_KIND_F64: return "double";
	case PERFDATA_KIND_TEXT: return "text up to a NUL";
	case PERFDATA_KIND_CHARS: return "char array";
	case PERFDATA_KIND_STRING: return "u32 length, text";
	case PERFDATA_KIND_BYTES: case PERFDATA_KIND_FEATURE: return "bytes";
	case PERFDATA_KIND_LIST: return "list";
	case PERFDATA_KIND_STRUCT: return "group";
	case PERFDATA_KIND_ATTR: return "struct perf_event_attr";
	case PERFDATA_KIND_CPUS: return "CPU numbers";
	case PERFDATA_KIND_BITMAP: return "bitmap";
	case PERFDATA_KIND_PAD: break;
	}
	return "padding";
}

static void write_condition(struct perfdata_text *out, const struct perfdata_layout *layout,
			    const struct perfdata_field *field)
{
	const char *name;
	switch (field->when) {
	case PERFDATA_IF_MISC:
		perfdata_text_printf(out, "; if misc has 0x%llx", (unsigned long long)field->when_value);
		return;
	case PERFDATA_UNLESS_MISC:
		perfdata_text_printf(out, "; unless misc has 0x%llx", (unsigned long long)field->when_value);
		return;
	case PERFDATA_IF_SAMPLE_TYPE:
		name = perfdata_name_of(pd_sample_type_names(), field->when_value);
		perfdata_text_printf(out, "; with %s", name ? name : "an unknown bit");
		return;
	case PERFDATA_IF_READ_FORMAT:
		perfdata_text_printf(out, "; if read_format has 0x%llx", (unsigned long long)field->when_value);
		return;
	case PERFDATA_IF_FIELD:
		perfdata_text_printf(out, "; if %s is %llu", layout->fields[field->when_field].name,
				     (unsigned long long)field->when_value);
		return;
	case PERFDATA_IF_FIELD_GE:
		perfdata_text_printf(out, "; if %s is at least %llu", layout->fields[field->when_field].name,
				     (unsigned long long)field->when_value);
		return;
	case PERFDATA_IF_FIELD_BITS:
		perfdata_text_printf(out, "; if %s has 0x%llx", layout->fields[field->when_field].name,
				     (unsigned long long)field->when_value);
		return;
	case PERFDATA_IF_LEFT: perfdata_text_literal(out, "; if the record is long enough"); return;
	default: return;
	}
}

static void manual_fields(struct perfdata_text *out, const struct perfdata_layout *layout, unsigned depth)
{
	for (uint32_t i = 0; i < layout->nr_fields; i++) {
		const struct perfdata_field *field = &layout->fields[i];
		perfdata_text_literal(out, ".TP\n.B ");
		write_roff(out, field->name ? field->name : layout->name);
		perfdata_text_literal(out, "\n(");
		perfdata_text_string(out, kind_text(field));
		if (field->kind == PERFDATA_KIND_PAD && field->count_field == PERFDATA_COUNT_FIXED)
			perfdata_text_printf(out, ", %u bytes", field->count);
		if (*pd_unit_name(field->unit))
			perfdata_text_printf(out, ", %s", pd_unit_name(field->unit));
		write_condition(out, layout, field);
		perfdata_text_literal(out, ") ");
		write_roff(out, field->doc ? field->doc : "");
		perfdata_text_char(out, '\n');
		if (field->element && depth < 3) {
			perfdata_text_literal(out, ".RS\n");
			manual_fields(out, field->element, depth + 1);
			perfdata_text_literal(out, ".RE\n");
		}
	}
}

void perfdata_describe_records_manual(struct perfdata_text *out)
{
	const struct perfdata_layout *layout;
	for (size_t i = 0; (layout = perfdata_record_layout_at(i)); i++) {
		perfdata_text_printf(out, ".SS %s (%u)\n", layout->perf_name, layout->id);
		write_roff(out, layout->doc);
		perfdata_text_printf(out, "\nAt least %u bytes with the header.\n", layout->min_size);
		manual_fields(out, layout, 0);
	}
	perfdata_text_literal(
		out, ".SH FEATURE SECTIONS\n"
		     "Facts about host and recorder in the header, by the number of the section's bit. A list begins "
		     "with its number of entries (u32) or fills the section.\n");
	for (uint32_t id = 1; id <= PERFDATA_FEATURE_NOTE; id++) {
		if (!(layout = perfdata_feature_layout(id)))
			continue;
		perfdata_text_printf(out, ".SS %s (%u)\n", layout->perf_name, layout->id);
		write_roff(out, layout->doc);
		perfdata_text_char(out, '\n');
		manual_fields(out, layout, 0);
	}
}
