/* SPDX-License-Identifier: MIT */
/* Descriptions of tables. The row of a record's field describes its column. */
#include "config.h"
#include <stdio.h>
#include "emit/table/table_rows.h"

#define EVENT_PREFIX "event:"
#define FIELDS_PREFIX "fields."

/* --- types -------------------------------------------------------------------------------------------------------- */

/* Large fields of samples, and ids that repeat `event`, are left out by default. */
static bool bulky_in_samples(const struct row *row)
{
	const enum value_type op = row->type;
	return row->field->show == PERFDATA_SHOW_EVENT_ID || op == VALUE_BYTES || op == VALUE_RAW ||
	       op == VALUE_LIST_PARTS || op == VALUE_LIST_U64 || op == VALUE_LIST_HEX || op == VALUE_CALLCHAIN ||
	       op == VALUE_REGS || op == VALUE_STRUCT || op == VALUE_FLAGS;
}

static enum column_type type_of_number(const struct row *row)
{
	if (row->field->show == PERFDATA_SHOW_EVENT_ID)
		return COLUMN_UINT64;
	switch (row->kind) {
	case PERFDATA_KIND_U8: case PERFDATA_KIND_U16: case PERFDATA_KIND_S32: return COLUMN_INT32;
	default: return COLUMN_INT64;
	}
}

static enum column_type type_of_row(const struct row *row)
{
	switch (row->type) {
	case VALUE_U64: case VALUE_U32: case VALUE_S32: case VALUE_NUMBER: return type_of_number(row);
	case VALUE_HEX64: case VALUE_HEX: return COLUMN_UINT64;
	case VALUE_DOUBLE: return COLUMN_DOUBLE;
	case VALUE_BOOL: return COLUMN_BOOLEAN;
	case VALUE_ENUM: case VALUE_TEXT: return COLUMN_TEXT;
	case VALUE_BYTES: return strcmp(row->field->name, "build_id") ? COLUMN_BYTES : COLUMN_TEXT;
	case VALUE_RAW: return COLUMN_BYTES;
	case VALUE_FLAGS: return COLUMN_LIST_TEXT;
	case VALUE_LIST_U64: return COLUMN_LIST_INT64;
	case VALUE_LIST_HEX: case VALUE_CALLCHAIN: return COLUMN_LIST_UINT64;
	case VALUE_NOTHING:
	case VALUE_BITS:
	case VALUE_LIST_PARTS:
	case VALUE_REGS:
	case VALUE_STRUCT:
	case VALUE_CPUS:
	case VALUE_FEATURE:
		break;
	}
	return COLUMN_JSON;
}

static void describe_head(enum pd_record_head head, struct table_column *ret)
{
	const struct head_info *info = pd_record_head_info(head);
	ret->doc = info->doc;
	ret->unit = info->unit;
	ret->required = head == HEAD_OFFSET || head == HEAD_TYPE;
	ret->rising = head == HEAD_OFFSET || head == HEAD_INNER || head == HEAD_TIME;
	switch (info->kind) {
	case HEAD_IS_U64: ret->type = info->wide || head == HEAD_TYPE_RAW ? COLUMN_INT64 : COLUMN_INT32; break;
	case HEAD_IS_S64: ret->type = COLUMN_INT32; break;
	case HEAD_IS_TRUE: ret->type = COLUMN_BOOLEAN; break;
	case HEAD_IS_TEXT: ret->type = COLUMN_TEXT; break;
	case HEAD_IS_BYTES: ret->type = COLUMN_BYTES; break;
	case HEAD_IS_NAMES:
		ret->type = COLUMN_LIST_TEXT;
		ret->bulky = true;
		break;
	default:
		ret->type = COLUMN_JSON;
		ret->bulky = true;
		break;
	}
}

static enum column_type type_of_part(enum location_part part)
{
	switch (part) {
	case LOCATION_ADDRESS: return COLUMN_UINT64;
	case LOCATION_SYMBOL_OFFSET: return COLUMN_INT64;
	case LOCATION_LINE: return COLUMN_INT32;
	case LOCATION_INLINED: return COLUMN_JSON;
	default: return COLUMN_TEXT;
	}
}

/* Describes the column of a field of records; false: records of this layout lack the field. */
static bool describe_field(const struct select_step *step, const struct perfdata_layout *layout,
			   struct table_column *ret)
{
	const bool sample = layout && layout->id == PERFDATA_RECORD_SAMPLE;
	if (step->what == SELECT_NOTHING)
		return false;
	if (step->what == SELECT_HEAD) {
		describe_head(step->head, ret);
		ret->bulky |= sample && step->head == HEAD_SIZE;
		return true;
	}
	if (step->what == SELECT_PLACE) {
		ret->type = type_of_part(step->part);
		ret->doc = pd_location_part_info(step->part)->doc;
		return true;
	}
	if (step->what == SELECT_FIELDS) {
		*ret = (struct table_column){ .name = ret->name,
					      .select = ret->select,
					      .type = COLUMN_JSON,
					      .bulky = true,
					      .doc = "All fields of the tracepoint." };
		return true;
	}
	ret->doc = step->row.field ? step->row.field->doc : "";
	ret->unit = step->row.field ? step->row.field->unit : PERFDATA_UNIT_NONE;
	if (step->what == SELECT_RAW_NUMBER) {
		ret->type = step->row.field->show == PERFDATA_SHOW_ENUM ? COLUMN_INT64 : COLUMN_UINT64;
		ret->doc = "The field as a number.";
	} else if (step->what == SELECT_EXACT_BYTES) {
		ret->type = COLUMN_TEXT;
		ret->doc = "Bytes of the text in hex, if they are not valid UTF-8.";
		ret->bulky = sample;
	} else {
		ret->type = type_of_row(&step->row);
		ret->sequences = step->row.type == VALUE_CALLCHAIN;
		ret->bulky = sample && bulky_in_samples(&step->row);
	}
	return true;
}

/* --- tables of records -------------------------------------------------------------------------------------------- */

struct columns {
	struct pd_arena *pool;
	struct table *table;
	size_t room;
	bool failed;
};

static struct table_column *add_column(struct columns *columns, const char *name)
{
	struct table *table = columns->table;
	if (table->nr_columns == columns->room) {
		const size_t room = columns->room ? 2 * columns->room : 64;
		struct table_column *grown = pd_arena_calloc(columns->pool, room, sizeof *grown);
		if (!grown) {
			columns->failed = true;
			return NULL;
		}
		if (table->nr_columns)
			memcpy(grown, table->columns, table->nr_columns * sizeof *grown);
		table->columns = grown;
		columns->room = room;
	}
	struct table_column *column = &table->columns[table->nr_columns++];
	*column = (struct table_column){ .name = name };
	return column;
}

static void add_recording(struct columns *columns)
{
	struct table_column *column = add_column(columns, "recording");
	if (!column)
		return;
	column->type = COLUMN_TEXT;
	column->required = true;
	column->doc = "The recording of the row.";
}

/* Describes a field in records of a layout (NULL: unknown types). False: they lack it, or without memory. */
static bool find_field(struct columns *columns, const struct perfdata_layout *layout, struct table_column *found)
{
	const struct selection one = { .names = &found->select, .nr = 1 };
	struct select_step *step;
	if (pd_selection_resolve(columns->pool, &one, layout, &step))
		return describe_field(step, layout, found);
	columns->failed = true;
	return false;
}

/* Adds a column for a field, described by the first of the table's layouts that has it; the newest layout of a type
 * comes first. */
static void add_field(struct columns *columns, const char *name, const char *select)
{
	const struct table *table = columns->table;
	const struct perfdata_layout *layout;
	struct table_column found = { .name = name, .select = select };
	bool is_known = !table->nr_types && find_field(columns, NULL, &found);
	for (unsigned i = 0; i < table->nr_types && !is_known; i++)
		is_known = find_field(columns, perfdata_record_layout(table->types[i]), &found);
	for (size_t i = 0; !is_known && (layout = perfdata_record_layout_at(i)); i++)
		for (unsigned k = 0; k < table->nr_types && !is_known; k++)
			is_known = layout->id == table->types[k] && find_field(columns, layout, &found);
	struct table_column *column = is_known ? add_column(columns, name) : NULL;
	if (column)
		*column = found;
}

static enum column_type type_of_trace(const struct perfdata_trace_field *field)
{
	const bool wide = field->element_size ? field->element_size == 8 : field->size == 8;
	switch (field->kind) {
	case PERFDATA_TRACE_UNSIGNED: return wide ? COLUMN_UINT64 : field->size == 4 ? COLUMN_INT64 : COLUMN_INT32;
	case PERFDATA_TRACE_SIGNED: return wide ? COLUMN_INT64 : COLUMN_INT32;
	case PERFDATA_TRACE_BOOL: return COLUMN_BOOLEAN;
	case PERFDATA_TRACE_POINTER: return COLUMN_UINT64;
	case PERFDATA_TRACE_STRING: return COLUMN_TEXT;
	case PERFDATA_TRACE_ARRAY:
		return field->elements_are_pointers || (wide && !field->is_signed) ? COLUMN_LIST_UINT64
										   : COLUMN_LIST_INT64;
	case PERFDATA_TRACE_BITMASK: return COLUMN_LIST_INT64;
	case PERFDATA_TRACE_BYTES: break;
	}
	return COLUMN_BYTES;
}

static void add_trace_field(struct columns *columns, const char *name, const char *select,
			    const struct perfdata_trace_field *field)
{
	struct table_column *column = add_column(columns, name);
	if (!column)
		return;
	column->select = select;
	column->type = type_of_trace(field);
	column->doc = field->declaration;
	column->bulky = field->is_common;
}

/* Adds columns for all fields of a layout; for a tracepoint, a column for each field of its plan. */
static void add_record_fields(struct columns *columns, const struct perfdata_layout *layout,
			      const struct trace_plan *plan, struct record_names names)
{
	struct selection selection;
	if (!pd_record_columns(columns->pool, layout, plan, names, &selection)) {
		columns->failed = true;
		return;
	}
	for (size_t i = 0; i < selection.nr; i++) {
		const char *name = selection.names[i];
		const struct trace_row *row = NULL;
		if (plan && !strncmp(name, FIELDS_PREFIX, strlen(FIELDS_PREFIX)))
			row = pd_trace_plan_row(plan, name + strlen(FIELDS_PREFIX));
		if (row)
			add_trace_field(columns, name, name, row->field);
		else
			add_field(columns, name, name);
	}
}

static void add_frame_id(struct columns *columns)
{
	struct table_column *column = add_column(columns, "frame_id");
	if (!column)
		return;
	column->type = COLUMN_INT32;
	column->doc = "The frame of `ip`.";
	column->derived = true;
}

static const uint32_t names_of_samples = UINT32_C(1) << HEAD_COMM | UINT32_C(1) << HEAD_STACK_ID;

static enum perfdata_status make_of_records(struct columns *columns, const char *const *fields)
{
	struct table *table = columns->table;
	if (fields) {
		for (; *fields; fields++)
			add_field(columns, *fields, *fields);
		/* in a table of their own, large fields are shown by default */
		for (size_t i = 0; i < table->nr_columns; i++)
			table->columns[i].bulky = false;
		return columns->failed ? PERFDATA_ENOMEM : PERFDATA_OK;
	}
	add_record_fields(columns, perfdata_record_layout(table->types[0]), NULL,
			  (struct record_names){ names_of_samples, 0 });
	if (table->types[0] == PERFDATA_RECORD_SAMPLE)
		add_frame_id(columns);
	return columns->failed ? PERFDATA_ENOMEM : PERFDATA_OK;
}

static enum perfdata_status make_of_row(struct columns *columns, const struct table_row *row)
{
	struct table *table = columns->table;
	table->name = row->name;
	table->doc = row->doc;
	table->rows = row->rows;
	table->nr_types = (unsigned)pd_table_row_types(row);
	memcpy(table->types, row->types, sizeof row->types);
	add_recording(columns);
	if (!row->columns)
		return make_of_records(columns, row->fields);
	for (const struct table_column *column = row->columns; column->name; column++) {
		struct table_column *copy = add_column(columns, column->name);
		if (copy)
			*copy = *column;
	}
	return columns->failed ? PERFDATA_ENOMEM : PERFDATA_OK;
}

const char *pd_table_name_at(size_t index)
{
	const struct table_row *row = pd_table_row_at(index);
	return row && !row->on_request ? row->name : NULL;
}

enum perfdata_status pd_table_make(struct pd_arena *pool, const char *name, struct table *ret)
{
	struct table_row row;
	struct columns columns = { .pool = pool, .table = ret };
	memset(ret, 0, sizeof *ret);
	return pd_table_row_named(name, &row) ? make_of_row(&columns, &row) : PERFDATA_EUSAGE;
}

enum perfdata_status pd_table_make_records(struct pd_arena *pool, const struct perfdata_layout *layout,
					   const struct trace_plan *plan, struct record_names names, struct table *ret)
{
	struct columns columns = { .pool = pool, .table = ret };
	*ret = (struct table){ .rows = TABLE_OF_RECORDS, .nr_types = layout != NULL };
	if (layout)
		ret->types[0] = layout->id;
	add_recording(&columns);
	add_record_fields(&columns, layout, plan, names);
	return columns.failed ? PERFDATA_ENOMEM : PERFDATA_OK;
}

/* --- tables of tracepoints ---------------------------------------------------------------------------------------- */

static bool is_taken(const struct table *table, const char *name)
{
	for (size_t i = 0; i < table->nr_columns; i++)
		if (!strcmp(table->columns[i].name, name))
			return true;
	return false;
}

/* Adds the column under the field's name, unless a column of samples has this name. */
static void add_field_of_event(struct columns *columns, const struct trace_row *row)
{
	char *select = pd_arena_calloc(columns->pool, 1, strlen(row->name) + sizeof FIELDS_PREFIX);
	if (!select) {
		columns->failed = true;
		return;
	}
	strcpy(stpcpy(select, FIELDS_PREFIX), row->name);
	add_trace_field(columns, is_taken(columns->table, row->name) ? select : row->name, select, row->field);
}

enum perfdata_status pd_table_make_event(struct pd_arena *pool, const struct perfdata_event *event, struct table *ret)
{
	static const char *const heads[] = { "offset", "inner", "file",     "time", "pid",       "tid",
					     "cpu",    "comm",  "stack_id", "late", "after_gap", "problem" };
	struct columns columns = { .pool = pool, .table = ret };
	const struct trace_plan *plan = pd_trace_plan_make(pool, event->trace);
	char *name = pd_arena_calloc(pool, 1, strlen(event->name) + sizeof EVENT_PREFIX);
	if (!plan || !name)
		return PERFDATA_ENOMEM;
	strcpy(stpcpy(name, EVENT_PREFIX), event->name);
	*ret = (struct table){ .name = name,
			       .doc = "One row for each sample of a tracepoint, with its fields.",
			       .rows = TABLE_OF_EVENT,
			       .types = { PERFDATA_RECORD_SAMPLE },
			       .nr_types = 1,
			       .event = name + strlen(EVENT_PREFIX) };
	add_recording(&columns);
	for (size_t i = 0; i < sizeof heads / sizeof *heads; i++)
		add_field(&columns, heads[i], heads[i]);
	for (size_t i = 0; i < plan->nr_rows; i++)
		add_field_of_event(&columns, &plan->rows[i]);
	return columns.failed ? PERFDATA_ENOMEM : PERFDATA_OK;
}

/* --- choosing columns --------------------------------------------------------------------------------------------- */

static enum perfdata_status no_column(const struct table *table, const char *name, size_t size,
				      struct perfdata_error *reterr)
{
	if (reterr) {
		reterr->status = PERFDATA_EUSAGE;
		reterr->offset = PERFDATA_NO_OFFSET;
		snprintf(reterr->message, sizeof reterr->message,
			 "table \"%.40s\" has no column \"%.*s\" (perfdata schema --columns --table %.40s)",
			 table->name, (int)(size < 60 ? size : 60), name, table->name);
	}
	return PERFDATA_EUSAGE;
}

enum perfdata_status pd_table_choose(struct pd_arena *pool, struct table *table, const char *list, bool strict,
				     struct perfdata_error *reterr)
{
	struct table_column *kept = pd_arena_calloc(pool, table->nr_columns + 1, sizeof *kept);
	size_t nr = 0;
	if (!kept)
		return PERFDATA_ENOMEM;
	for (size_t i = 0; i < table->nr_columns; i++)
		if (list ? !i : !table->columns[i].bulky)
			kept[nr++] = table->columns[i];
	for (const char *at = list; at; at = strchr(at, ',')) {
		at += *at == ',';
		const size_t size = strcspn(at, ",");
		size_t found = 0, seen = 0;
		while (found < table->nr_columns &&
		       (strlen(table->columns[found].name) != size || memcmp(table->columns[found].name, at, size)))
			found++;
		if (found == table->nr_columns) {
			if (strict)
				return no_column(table, at, size, reterr);
			continue;
		}
		while (seen < nr && strcmp(kept[seen].name, table->columns[found].name))
			seen++;
		if (seen == nr)
			kept[nr++] = table->columns[found];
	}
	table->columns = kept;
	table->nr_columns = nr;
	return PERFDATA_OK;
}
