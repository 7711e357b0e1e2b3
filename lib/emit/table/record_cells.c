/* SPDX-License-Identifier: MIT */
#include "config.h"
#include <stddef.h>
#include "base/memory.h"
#include "emit/table/cell_value.h"
#include "emit/table/record_cells.h"
#include "schema/schema.h"
#include "schema/trace.h"
#include "reader/reader.h"
#include "text/spelling.h"

/* Width and sign of a number in a record. */
enum number_kind { NUMBER_NONE, NUMBER_U8, NUMBER_S8, NUMBER_U16, NUMBER_S16, NUMBER_U32, NUMBER_S32, NUMBER_U64 };
enum number_meaning {
	MEANS_NUMBER,
	MEANS_KNOWN,                  /* UINT32_MAX is null */
	MEANS_COMM,                   /* a number for perfdata_session_comm */
	MEANS_EVENT                   /* the record's event, without reading a number */
};
struct number {
	uint8_t from, kind, meaning;  /* from: enum row_base */
	uint32_t offset, column;
};

/* How a cell that is not a plain number is filled. */
struct fill {
	uint32_t column;
	const struct select_step *step;
	const struct trace_row *field;   /* for SELECT_FIELD; NULL: the event lacks the field */
};

struct row_plan {
	struct row_plan *next;
	const struct perfdata_layout *layout;
	const struct trace_plan *trace;
	const struct perfdata_session *session;
	uint64_t present;             /* fields that the records have */
	uint64_t sample_type;         /* for records that are not decoded; else 0 */
	bool decoded, fields_are_whole;
	bool of_view;                 /* records are not decoded, but some column needs that */
	size_t nr_numbers, nr_usual, nr_rare;
	struct number *numbers;       /* cells with plain numbers, the most frequent ones */
	struct fill *usual;
	struct fill *rare;            /* fills that few records have */
};

void pd_row_plans_release(struct row_plans *plans)
{
	pd_free(plans->of_tables);
	pd_arena_release(&plans->pool);
}

/* --- any field ---------------------------------------------------------------------------------------------------- */

static void put_text(struct cells *cells, uint32_t row, const void *bytes, size_t size)
{
	pd_cells_put(cells, row, pd_cells_utf8(cells, bytes, size));
}

static void put_hex(struct cells *cells, uint32_t row, struct perfdata_bytes bytes, struct perfdata_text *room)
{
	perfdata_text_clear(room);
	perfdata_text_bytes_hex(room, bytes.data, bytes.size);
	put_text(cells, row, room->data, room->size);
	cells->failed |= perfdata_text_failed(room);
}

static void put_list(struct cells *cells, uint32_t row, const struct perfdata_list *list)
{
	pd_cells_list(cells, row, (uint32_t)list->count);
	for (uint64_t i = 0; i < list->count; i++)
		pd_cells_add(cells, perfdata_list_u64(list, i));
}

static void count_element(void *user, const struct value *element)
{
	(void)element;
	++*(uint32_t *)user;
}

static void add_element(void *user, const struct value *element)
{
	struct cells *cells = user;
	pd_cells_add(cells, element->kind == IS_TEXT ? pd_cells_name(cells, (const char *)element->text.data)
						     : element->number);
}

/* A field with another type than its column is null: the recording changed the event's format. */
static bool kind_fits(enum column_type type, enum perfdata_trace_kind kind)
{
	switch (kind) {
	case PERFDATA_TRACE_UNSIGNED: case PERFDATA_TRACE_SIGNED: case PERFDATA_TRACE_POINTER:
		return type == COLUMN_INT32 || type == COLUMN_INT64 || type == COLUMN_UINT64;
	case PERFDATA_TRACE_BOOL: return type == COLUMN_BOOLEAN;
	case PERFDATA_TRACE_STRING: return type == COLUMN_TEXT;
	case PERFDATA_TRACE_BYTES: return type == COLUMN_BYTES;
	case PERFDATA_TRACE_ARRAY: case PERFDATA_TRACE_BITMASK: break;
	}
	return type == COLUMN_LIST_INT64 || type == COLUMN_LIST_UINT64;
}

static void put_other(struct record *r, const struct table_column *column, struct cells *cells, uint32_t row,
		      const struct fill *fill, struct perfdata_text *room)
{
	uint32_t nr = 0;
	if (fill->step->what == SELECT_FIELD && !(fill->field && kind_fits(column->type, fill->field->kind)))
		return;
	const struct value value = pd_cell_value(r, fill->step, fill->field, room);
	switch (value.kind) {
	case IS_ABSENT: break;
	case IS_NUMBER: case IS_SIGNED: case IS_BOOLEAN: case IS_DOUBLE: case IS_WORD: case IS_ADDRESS: case IS_BITS:
		pd_cells_put(cells, row, value.number);
		break;
	case IS_TEXT: put_text(cells, row, value.text.data, value.text.size); break;
	case IS_BYTES:
		if (column->type == COLUMN_TEXT)
			put_hex(cells, row, value.text, room);
		else
			pd_cells_put(cells, row, pd_cells_text(cells, value.text.data, value.text.size));
		break;
	case IS_LIST: put_list(cells, row, value.list); break;
	case IS_NAMES: case IS_MISC_NAMES: case IS_ELEMENTS:
		pd_cell_elements(r, &value, count_element, &nr);
		pd_cells_list(cells, row, nr);
		pd_cell_elements(r, &value, add_element, cells);
		break;
	}
}

/* --- plans -------------------------------------------------------------------------------------------------------- */

static bool is_rare(const struct select_step *step)
{
	if (step->what != SELECT_HEAD)
		return false;
	switch (step->head) {
	case HEAD_INNER:
	case HEAD_FILE:
	case HEAD_EVENT_UNKNOWN:
	case HEAD_LATE:
	case HEAD_AFTER_GAP:
	case HEAD_REST:
	case HEAD_PROBLEM:
		return true;
	default: return false;
	}
}

/* Whether a column describes damage: only decoded records have some. */
static bool is_damage(const struct select_step *step)
{
	return step->head == HEAD_REST || step->head == HEAD_PROBLEM;
}

/* What fills a column. */
struct source {
	bool none;                    /* such records never have the field */
	bool of_view;                 /* only decoded records have the field */
	struct number number;         /* kind NUMBER_NONE: `fill` applies */
	struct fill fill;
};
/* The records for which a plan is made. */
struct planning {
	const struct record *r;
	const struct table *table;
	const struct perfdata_config *words;   /* set for records that are not decoded */
	uint64_t present;
	bool fields_are_whole;
};

static void is_number(struct source *source, enum row_base from, enum number_kind kind, size_t offset)
{
	source->number.from = (uint8_t)from;
	source->number.kind = (uint8_t)kind;
	source->number.offset = (uint32_t)offset;
}

static void is_known(struct source *source, enum number_meaning meaning, enum row_base from, size_t offset)
{
	is_number(source, from, NUMBER_U32, offset);
	source->number.meaning = (uint8_t)meaning;
}

/* A member of the view. A sample that is not decoded has it at a fixed place, or lacks it. */
static void is_member(const struct planning *planning, struct source *source, enum number_kind kind, size_t member)
{
	is_number(source, ROW_VIEW, kind, member);
	if (!planning->words)
		return;
	const struct perfdata_config_step *step = planning->words->sample_steps,
					  *end = step + planning->words->nr_sample_steps;
	while (step < end && step->member != member)
		step++;
	source->of_view = step == end;
	if (step < end)
		source->number.offset = RECORD_HEADER + step->at;
}

static void plan_head(const struct planning *planning, struct source *source)
{
	const struct record *r = planning->r;
	const enum pd_record_head head = source->fill.step->head;
	const int index = pd_record_row_of_head(r, head);
	if (index >= 0) {
		const struct row *row = &r->plan->plan->rows[index];
		source->none = !(planning->present >> index & 1);
		is_member(planning, source, head == HEAD_CPU ? NUMBER_U32
					    : row->type == VALUE_S32 ? NUMBER_S32
								   : NUMBER_U64, row->member);
		source->number.meaning = head == HEAD_CPU ? MEANS_KNOWN : MEANS_NUMBER;
		return;
	}
	switch (head) {
	case HEAD_OFFSET: is_number(source, ROW_RAW, NUMBER_U64, offsetof(struct perfdata_raw, offset)); break;
	case HEAD_SIZE: is_number(source, ROW_RAW, NUMBER_U32, offsetof(struct perfdata_raw, size)); break;
	case HEAD_MISC_RAW: is_number(source, ROW_RAW, NUMBER_U16, offsetof(struct perfdata_raw, misc)); break;
	case HEAD_EVENT:
		if (planning->words)
			is_known(source, MEANS_EVENT, ROW_RAW, offsetof(struct perfdata_raw, size));
		break;
	case HEAD_COMM:
		is_known(source, MEANS_COMM, ROW_DELIVERY, offsetof(struct perfdata_delivery, comm));
		break;
	case HEAD_STACK_ID:
		is_known(source, MEANS_KNOWN, ROW_DELIVERY, offsetof(struct perfdata_delivery, stack));
		break;
	case HEAD_TYPE: case HEAD_TYPE_RAW: case HEAD_MISC: case HEAD_RAW_BYTES: break;
	default: source->of_view = !is_rare(source->fill.step); break;
	}
}

static void plan_row(const struct planning *planning, struct source *source)
{
	const struct row *row = &source->fill.step->row;
	switch (row->type) {
	case VALUE_U64: case VALUE_HEX64: is_member(planning, source, NUMBER_U64, row->member); break;
	case VALUE_U32: is_member(planning, source, NUMBER_U32, row->member); break;
	case VALUE_S32: is_member(planning, source, NUMBER_S32, row->member); break;
	default: source->of_view = true; break;
	}
}

static enum number_kind kind_of_trace(const struct trace_row *row)
{
	const bool is_signed = row->kind == PERFDATA_TRACE_SIGNED;
	switch (row->size) {
	case 1: return is_signed ? NUMBER_S8 : NUMBER_U8;
	case 2: return is_signed ? NUMBER_S16 : NUMBER_U16;
	case 4: return is_signed ? NUMBER_S32 : NUMBER_U32;
	case 8: return NUMBER_U64;
	default: return NUMBER_NONE;
	}
}

static void plan_trace(const struct planning *planning, const struct table_column *column, struct source *source)
{
	const struct trace_plan *trace = planning->r->scope.trace;
	const struct trace_row *row = trace ? pd_trace_plan_row(trace, source->fill.step->trace_name) : NULL;
	source->fill.field = row;
	if (row && planning->fields_are_whole && row->end && kind_fits(column->type, row->kind) &&
	    column->type != COLUMN_BOOLEAN)
		is_number(source, ROW_FIELDS, kind_of_trace(row), row->offset);
}

static struct source plan_column(const struct planning *planning, const struct table_column *column,
				 const struct select_step *step)
{
	struct source source = { .number.kind = NUMBER_NONE, .fill.step = step };
	if (!column->select) {
		is_known(&source, MEANS_KNOWN, ROW_DELIVERY, offsetof(struct perfdata_delivery, ip));
		source.none = strcmp(column->name, "frame_id") != 0;
	} else if (step->what == SELECT_NOTHING || (step->gate && !(step->gate & planning->present))) {
		source.none = true;
	} else if (step->what == SELECT_HEAD) {
		plan_head(planning, &source);
	} else if (step->what == SELECT_ROW && !step->depth) {
		plan_row(planning, &source);
	} else if (step->what == SELECT_FIELD) {
		plan_trace(planning, column, &source);
	} else {
		source.of_view = step->what != SELECT_FIELDS && step->what != SELECT_PLACE;
	}
	return source;
}

static void add_source(struct row_plan *plan, const struct source *source)
{
	const bool rare = is_rare(source->fill.step);
	if (source->none || (rare && !plan->decoded && is_damage(source->fill.step)))
		return;
	plan->of_view |= source->of_view && !plan->decoded;
	if (rare)
		plan->rare[plan->nr_rare++] = source->fill;
	else if (source->number.kind == NUMBER_NONE)
		plan->usual[plan->nr_usual++] = source->fill;
	else
		plan->numbers[plan->nr_numbers++] = source->number;
}

static struct row_plan *make_plan(struct row_plans *plans, const struct planning *planning)
{
	const struct record *r = planning->r;
	const struct table *table = planning->table;
	const struct perfdata_layout *layout = r->plan->plan ? r->plan->plan->layout : NULL;
	struct row_plan *plan = pd_arena_calloc(&plans->pool, 1, sizeof *plan);
	struct fill *fills = pd_arena_calloc(&plans->pool, 1, 2 * (table->nr_columns + 1) * sizeof *fills);
	struct number *numbers = pd_arena_calloc(&plans->pool, table->nr_columns + 1, sizeof *numbers);
	const char **names = pd_arena_calloc(&plans->pool, table->nr_columns + 1, sizeof *names);
	struct select_step *steps;
	if (!plan || !fills || !numbers || !names)
		return NULL;
	for (size_t i = 0; i < table->nr_columns; i++)
		names[i] = table->columns[i].select ? table->columns[i].select : "";
	const struct selection selection = { .names = names, .nr = table->nr_columns };
	if (!pd_selection_resolve(&plans->pool, &selection, layout, &steps))
		return NULL;
	*plan = (struct row_plan){ .layout = layout,
				   .trace = r->scope.trace,
				   .session = r->emitted.session,
				   .present = planning->present,
				   .sample_type = planning->words ? planning->words->attr.sample_type : 0,
				   .decoded = !planning->words,
				   .fields_are_whole = planning->fields_are_whole,
				   .numbers = numbers,
				   .usual = fills,
				   .rare = fills + table->nr_columns + 1 };
	for (size_t i = 0; i < table->nr_columns; i++) {
		struct source source = plan_column(planning, &table->columns[i], &steps[i]);
		source.fill.column = source.number.column = (uint32_t)i;
		add_source(plan, &source);
	}
	return plan;
}

const struct row_plan *pd_row_plan(struct row_plans *plans, const struct record *r, const struct table *table,
				   unsigned number, bool decoded)
{
	const struct perfdata_layout *layout = r->plan->plan ? r->plan->plan->layout : NULL;
	const bool traced = table->rows == TABLE_OF_EVENT;
	const struct planning planning = {
		.r = r, .table = table, .words = decoded ? NULL : r->raw->event->config,
		.present = decoded ? r->view.u.present
				   : r->raw->event->config->sample_fixed_present | r->raw->event->config->sample_rows,
		.fields_are_whole = traced && pd_record_fields_are_whole(r),
	};
	const uint64_t sample_type = decoded ? 0 : planning.words->attr.sample_type;
	if (pd_vector_reach(&plans->of_tables, &plans->nr_tables, number, sizeof *plans->of_tables) < 0)
		return NULL;
	struct row_plan **first = &plans->of_tables[number];
	for (struct row_plan **at = first, *plan; (plan = *at); at = &plan->next) {
		if (plan->layout != layout || plan->present != planning.present || plan->decoded != decoded ||
		    plan->sample_type != sample_type || plan->fields_are_whole != planning.fields_are_whole ||
		    (traced && plan->trace != r->scope.trace))
			continue;
		*at = plan->next;
		plan->next = *first;
		return *first = plan;
	}
	struct row_plan *plan = make_plan(plans, &planning);
	if (!plan)
		return NULL;
	plan->next = *first;
	return *first = plan;
}

bool pd_row_plan_is_of_view(const struct row_plan *plan) { return plan->of_view; }

/* --- rows --------------------------------------------------------------------------------------------------------- */

#define LOAD(type, row) \
	do { \
		type value; \
		memcpy(&value, (row)->at[from] + offset, sizeof value); \
		*values++ = (uint64_t)value; \
	} while (0)
/* Four rows in each step, since the counting of a loop takes as long as a copy. */
#define LOAD_ALL(type) \
	do { \
		for (; end - row >= 4; row += 4) { \
			LOAD(type, row); \
			LOAD(type, row + 1); \
			LOAD(type, row + 2); \
			LOAD(type, row + 3); \
		} \
		for (; row < end; row++) \
			LOAD(type, row); \
	} while (0)

static void load_numbers(const struct number *number, const struct row_bases *row, uint32_t nr, uint64_t *values)
{
	const struct row_bases *end = row + nr;
	const enum row_base from = (enum row_base)number->from;
	const size_t offset = number->offset;
	switch ((enum number_kind)number->kind) {
	case NUMBER_U8: LOAD_ALL(uint8_t); break;
	case NUMBER_S8: LOAD_ALL(int8_t); break;
	case NUMBER_U16: LOAD_ALL(uint16_t); break;
	case NUMBER_S16: LOAD_ALL(int16_t); break;
	case NUMBER_U32: LOAD_ALL(uint32_t); break;
	case NUMBER_S32: LOAD_ALL(int32_t); break;
	case NUMBER_U64: LOAD_ALL(uint64_t); break;
	case NUMBER_NONE: break;
	}
}

/* The tokens of some names of these rows: a few names follow each other again and again, since system calls are entered
 * and left, and threads take turns. */
#define RECENT_NAMES 16u
struct recent_names {
	const char *names[RECENT_NAMES];
	uint64_t tokens[RECENT_NAMES];
};

/* Without a name: UINT32_MAX. */
static inline uint64_t token_of_name(struct recent_names *recent, struct cells *cells, const char *name)
{
	const size_t slot = ((uintptr_t)name >> 4 ^ (uintptr_t)name >> 8) % RECENT_NAMES;
	if (!name)
		return UINT32_MAX;
	if (name != recent->names[slot]) {
		recent->names[slot] = name;
		recent->tokens[slot] = pd_cells_name(cells, name);
	}
	return recent->tokens[slot];
}

/* Replaces numbers of comms by tokens. */
static void put_comms(const struct row_plan *plan, struct cells *cells, uint32_t nr, uint64_t *values)
{
	struct recent_names recent;
	memset(recent.names, 0, sizeof recent.names);
	uint64_t number = UINT32_MAX, token = UINT32_MAX;
	for (uint32_t i = 0; i < nr; i++) {
		if (values[i] != number) {
			number = values[i];
			token = token_of_name(&recent, cells, number == PERFDATA_NONE ? NULL :
						      perfdata_session_comm(plan->session, (uint32_t)number));
		}
		values[i] = token;
	}
}

static void put_events(const struct row_bases *rows, struct cells *cells, uint32_t nr, uint64_t *values)
{
	struct recent_names recent;
	memset(recent.names, 0, sizeof recent.names);
	for (uint32_t i = 0; i < nr; i++) {
		const struct perfdata_raw *raw = (const void *)rows[i].at[ROW_RAW];
		values[i] = token_of_name(&recent, cells, raw->event->name);
	}
}

/* UINT32_MAX is null. */
static bool has_nulls(const uint64_t *values, uint32_t nr)
{
	uint32_t i = 0;
	for (; i + 4 <= nr; i += 4)
		if ((values[i] == UINT32_MAX) | (values[i + 1] == UINT32_MAX) | (values[i + 2] == UINT32_MAX) |
		    (values[i + 3] == UINT32_MAX))
			return true;
	for (; i < nr; i++)
		if (values[i] == UINT32_MAX)
			return true;
	return false;
}

static void deal_numbers(const struct row_plan *plan, const struct number *number, const struct row_bases *rows,
			 uint32_t nr, uint32_t row, struct cells *cells)
{
	uint64_t *values = pd_cells_room(cells, nr);
	if (!values)
		return;
	if (number->meaning == MEANS_EVENT)
		put_events(rows, cells, nr, values);
	else
		load_numbers(number, rows, nr, values);
	if (number->meaning == MEANS_COMM)
		put_comms(plan, cells, nr, values);
	if (number->meaning == MEANS_NUMBER || !has_nulls(values, nr)) {
		pd_cells_commit(cells, row, nr);
		return;
	}
	/* a cell is put at its place in the array or before it */
	for (uint32_t i = 0; i < nr; i++)
		if (values[i] != UINT32_MAX)
			pd_cells_put(cells, row + i, values[i]);
}

void pd_record_cells_end(struct open_rows *rows)
{
	const size_t nr = rows->nr_pending ? rows->plan->nr_numbers : 0;
	for (size_t i = 0; i < nr; i++)
		deal_numbers(rows->plan, &rows->plan->numbers[i], rows->pending, rows->nr_pending,
			     rows->rows - rows->nr_pending, &rows->columns[rows->plan->numbers[i].column]);
	rows->nr_pending = 0;
}

static bool has_rare(const struct record *r, bool decoded)
{
	return r->raw->flags & (PERFDATA_RAW_UNKNOWN_ID | PERFDATA_RAW_LATE | PERFDATA_RAW_AFTER_GAP) ||
	       r->raw->inner != PERFDATA_NO_OFFSET || r->damaged || (decoded && r->view.rest.size) ||
	       r->world->name_files;
}

static __attribute__((noinline)) void put_others(const struct row_plan *plan, bool rare, struct record *r,
						 const struct table *table, struct open_rows *rows, uint32_t row,
						 struct perfdata_text *room)
{
	for (size_t i = 0; i < plan->nr_usual; i++)
		put_other(r, &table->columns[plan->usual[i].column], &rows->columns[plan->usual[i].column], row,
			  &plan->usual[i], room);
	for (size_t i = 0; rare && i < plan->nr_rare; i++)
		put_other(r, &table->columns[plan->rare[i].column], &rows->columns[plan->rare[i].column], row,
			  &plan->rare[i], room);
}

void pd_record_cells(const struct row_plan *plan, struct record *r, const struct table *table, struct open_rows *rows,
		     struct perfdata_text *room)
{
	static const struct perfdata_delivery nobody = {
		.comm = PERFDATA_NONE, .ip = PERFDATA_NONE, .stack = PERFDATA_NONE
	};
	if (rows->plan != plan || rows->nr_pending == ROWS_PENDING) {
		pd_record_cells_end(rows);
		rows->plan = plan;
	}
	rows->pending[rows->nr_pending++] = (struct row_bases){ {
		[ROW_RAW] = (const void *)r->raw,
		[ROW_VIEW] = plan->decoded ? (const void *)&r->view.u : r->raw->bytes,
		[ROW_FIELDS] = r->fields.data,
		[ROW_DELIVERY] = (const void *)(r->delivery ? r->delivery : &nobody),
	} };
	const uint32_t row = rows->rows++;
	/* the next record overwrites the view */
	if (plan->decoded)
		pd_record_cells_end(rows);
	const bool rare = plan->nr_rare && has_rare(r, plan->decoded);
	if (plan->nr_usual || rare)
		put_others(plan, rare, r, table, rows, row, room);
}
