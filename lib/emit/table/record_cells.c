/* SPDX-License-Identifier: MIT */
#include "config.h"
#include <stddef.h>
#include "base/memory.h"
#include "emit/table/record_cells.h"

/* A number that every record of a plan has: where, and what it is there. */
enum number_from { NUMBER_OF_VIEW, NUMBER_OF_RAW, NUMBER_OF_FIELDS, NUMBERS_FROM };
enum number_kind {
	NUMBER_U8,
	NUMBER_S8,
	NUMBER_U16,
	NUMBER_S16,
	NUMBER_U32,
	NUMBER_S32,
	NUMBER_U64,
	NUMBER_KINDS,
	NUMBER_NONE = NUMBER_KINDS
};
struct number {
	uint8_t from, kind;
	uint32_t offset, column;
};

/* How another cell is filled. */
enum fill_how { FILL_CPU, FILL_EVENT, FILL_COMM, FILL_STACK, FILL_FRAME, FILL_OTHER };
struct fill {
	enum fill_how how;
	uint32_t column;
	uint32_t offset;              /* of the CPU in the view */
	const struct select_step *step;
};

struct row_plan {
	struct row_plan *next;
	const struct perfdata_layout *layout;
	const struct trace_plan *trace;
	uint64_t present;             /* what the records have */
	bool fields_are_whole;
	size_t nr_usual, nr_rare;
	struct number *numbers;       /* what each of them has, by kind */
	size_t ends[NUMBER_KINDS];    /* of each kind among the numbers */
	struct fill *usual;           /* what most of them have */
	struct fill *rare;            /* what only some have */
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

static void add_name(struct cells *cells, const char *name) { pd_cells_add(cells, pd_cells_name(cells, name)); }

static void put_flags(struct cells *cells, uint32_t row, const struct perfdata_name *names, uint64_t value)
{
	uint32_t nr = 0;
	for (const struct perfdata_name *at = names; at && at->name; at++)
		nr += at->value && (value & at->value) == at->value;
	pd_cells_list(cells, row, nr);
	for (const struct perfdata_name *at = names; at && at->name; at++)
		if (at->value && (value & at->value) == at->value)
			add_name(cells, at->name);
}

static void put_list(struct cells *cells, uint32_t row, const struct perfdata_list *list)
{
	pd_cells_list(cells, row, (uint32_t)list->count);
	for (uint64_t i = 0; i < list->count; i++)
		pd_cells_add(cells, perfdata_list_u64(list, i));
}

static void put_row(struct record *r, const struct table_column *column, struct cells *cells, uint32_t row,
		    const struct row *field, const void *view, struct perfdata_text *room)
{
	const void *member = (const char *)view + field->member;
	const struct perfdata_bytes *bytes = member;
	const char *name;
	switch (field->op) {
	case SPELL_NOTHING: return;
	case SPELL_U64:
	case SPELL_U32:
	case SPELL_S32:
	case SPELL_NUMBER:
	case SPELL_BOOL:
	case SPELL_HEX64:
	case SPELL_HEX:
		pd_cells_put(cells, row, pd_spell_integer(field->kind, member));
		return;
	case SPELL_DOUBLE: pd_cells_put(cells, row, *(const uint64_t *)member); return;
	case SPELL_ENUM:
		name = perfdata_name_of(field->field->names, pd_spell_integer(field->kind, member));
		if (name)
			put_text(cells, row, name, strlen(name));
		return;
	case SPELL_FLAGS: put_flags(cells, row, field->field->names, pd_spell_integer(field->kind, member)); return;
	case SPELL_TEXT: put_text(cells, row, bytes->data, bytes->size); return;
	case SPELL_BYTES: case SPELL_RAW:
		if (column->type == COLUMN_TEXT)
			put_hex(cells, row, *bytes, room);
		else
			pd_cells_put(cells, row, pd_cells_text(cells, bytes->data, bytes->size));
		return;
	case SPELL_LIST_U64: case SPELL_LIST_HEX: case SPELL_CALLCHAIN: put_list(cells, row, member); return;
	case SPELL_BITS:
	case SPELL_LIST_PARTS:
	case SPELL_REGS:
	case SPELL_STRUCT:
	case SPELL_CPUS:
	case SPELL_FEATURE:
		break;
	}
	perfdata_text_clear(room);
	r->s.out = room;
	pd_spell_value(&r->s, field, view);
	put_text(cells, row, room->data, room->size);
	cells->failed |= perfdata_text_failed(room);
}

/* --- tracepoints -------------------------------------------------------------------------------------------------- */

static void put_elements(struct cells *cells, uint32_t row, const struct perfdata_trace_value *value)
{
	uint32_t nr = 0;
	if (value->kind == PERFDATA_TRACE_ARRAY) {
		pd_cells_list(cells, row, (uint32_t)value->count);
		for (size_t i = 0; i < value->count; i++)
			pd_cells_add(cells, perfdata_trace_element(value, i));
		return;
	}
	for (size_t i = 0; i < value->count; i++)
		nr += (uint32_t)__builtin_popcountll(perfdata_trace_element(value, i));
	pd_cells_list(cells, row, nr);
	for (size_t i = 0; i < value->count; i++)
		for (uint64_t word = perfdata_trace_element(value, i); word; word &= word - 1)
			pd_cells_add(cells, i * value->element_size * 8 + (unsigned)__builtin_ctzll(word));
}

/* A field of another type than the column's (an event whose format was given anew) is null. */
static bool fits(enum column_type type, enum perfdata_trace_kind kind)
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

static void put_trace(struct record *r, const struct table_column *column, struct cells *cells, uint32_t row,
		      const char *name)
{
	const struct trace_row *field = r->s.trace && r->fields.data ? pd_trace_plan_row(r->s.trace, name) : NULL;
	struct perfdata_trace_value value;
	if (!field || !fits(column->type, field->kind))
		return;
	if (perfdata_trace_value(field->field, r->fields, r->s.order, &value)) {
		r->s.trace_damaged = true;
		return;
	}
	switch (value.kind) {
	case PERFDATA_TRACE_UNSIGNED: case PERFDATA_TRACE_SIGNED: case PERFDATA_TRACE_BOOL: case PERFDATA_TRACE_POINTER:
		pd_cells_put(cells, row, value.u64);
		return;
	case PERFDATA_TRACE_STRING: put_text(cells, row, value.bytes.data, value.bytes.size); return;
	case PERFDATA_TRACE_BYTES:
		pd_cells_put(cells, row, pd_cells_text(cells, value.bytes.data, value.bytes.size));
		return;
	case PERFDATA_TRACE_ARRAY: case PERFDATA_TRACE_BITMASK: put_elements(cells, row, &value); return;
	}
}

/* --- heads -------------------------------------------------------------------------------------------------------- */

struct misc_names {
	struct cells *cells;
	uint32_t nr;
	bool add;
};

static void misc_name(void *user, const char *name)
{
	struct misc_names *names = user;
	names->nr++;
	if (names->add)
		add_name(names->cells, name);
}

static void put_misc(const struct record *r, struct cells *cells, uint32_t row)
{
	struct misc_names names = { .cells = cells };
	pd_record_misc_names(r, misc_name, &names);
	pd_cells_list(cells, row, names.nr);
	names.add = true;
	pd_record_misc_names(r, misc_name, &names);
}

static void put_head(struct record *r, enum pd_record_head head, struct cells *cells, uint32_t row,
		     struct perfdata_text *room)
{
	const struct head_value value = pd_record_head(r, head);
	switch (value.kind) {
	case HEAD_IS_ABSENT: case HEAD_IS_NULL: return;
	case HEAD_IS_U64: case HEAD_IS_S64: pd_cells_put(cells, row, value.number); return;
	case HEAD_IS_TRUE: pd_cells_put(cells, row, 1); return;
	case HEAD_IS_TEXT: put_text(cells, row, value.bytes.data, value.bytes.size); return;
	case HEAD_IS_BYTES: pd_cells_put(cells, row, pd_cells_text(cells, value.bytes.data, value.bytes.size)); return;
	case HEAD_IS_NAMES: put_misc(r, cells, row); return;
	case HEAD_IS_TRAILER: break;
	case HEAD_IS_LOCATION: case HEAD_IS_BRANCHES: case HEAD_IS_STACK: return;
	}
	perfdata_text_clear(room);
	r->s.out = room;
	pd_spell_object(&r->s, r->cache->trailer, r->view.sample_id.present, &r->view.sample_id);
	put_text(cells, row, room->data, room->size);
	cells->failed |= perfdata_text_failed(room);
}

static void put_fields(struct record *r, struct cells *cells, uint32_t row, struct perfdata_text *room)
{
	if (!r->s.trace || !r->fields.data)
		return;
	perfdata_text_clear(room);
	r->s.out = room;
	r->s.trace_damaged |= !pd_trace_json_object(&r->s, r->s.trace, r->fields);
	put_text(cells, row, room->data, room->size);
	cells->failed |= perfdata_text_failed(room);
}

static void put_other(struct record *r, const struct table_column *column, struct cells *cells, uint32_t row,
		      const struct select_step *step, struct perfdata_text *room)
{
	switch (step->what) {
	case SELECT_NOTHING: case SELECT_PLACE: return;
	case SELECT_HEAD: put_head(r, step->head, cells, row, room); return;
	case SELECT_FIELD: put_trace(r, column, cells, row, step->trace_name); return;
	case SELECT_FIELDS: put_fields(r, cells, row, room); return;
	case SELECT_ROW: case SELECT_RAW_NUMBER: case SELECT_EXACT_BYTES: case SELECT_TRAILER: break;
	}
	const void *view = pd_selection_view(r, step);
	if (!view)
		return;
	const void *member = (const char *)view + step->row.member;
	const struct perfdata_bytes *text = member;
	if (step->what == SELECT_RAW_NUMBER)
		pd_cells_put(cells, row, pd_spell_integer(step->row.kind, member));
	else if (step->what != SELECT_EXACT_BYTES)
		put_row(r, column, cells, row, &step->row, view, room);
	else if (!perfdata_utf8_valid(text->data, text->size))
		put_hex(cells, row, *text, room);
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

/* Where a column's cells come from. */
struct source {
	bool none;                    /* such records never have it */
	struct number number;         /* kind NUMBER_NONE: it is a fill */
	struct fill fill;
};

static void is_number(struct source *source, enum number_from from, enum number_kind kind, size_t offset)
{
	source->number = (struct number){ .from = (uint8_t)from, .kind = (uint8_t)kind, .offset = (uint32_t)offset };
}

static void plan_head(const struct record *r, struct source *source)
{
	const enum pd_record_head head = source->fill.step->head;
	const int index = pd_record_row_of_head(r, head);
	if (index >= 0) {
		const struct row *row = &r->plan->plan->rows[index];
		source->none = !(r->view.u.present >> index & 1);
		source->fill.how = FILL_CPU;
		source->fill.offset = row->member;
		if (head != HEAD_CPU)
			is_number(source, NUMBER_OF_VIEW, row->op == SPELL_S32 ? NUMBER_S32 : NUMBER_U64, row->member);
		return;
	}
	switch (head) {
	case HEAD_OFFSET: is_number(source, NUMBER_OF_RAW, NUMBER_U64, offsetof(struct perfdata_raw, offset)); break;
	case HEAD_SIZE: is_number(source, NUMBER_OF_RAW, NUMBER_U32, offsetof(struct perfdata_raw, size)); break;
	case HEAD_MISC_RAW: is_number(source, NUMBER_OF_RAW, NUMBER_U16, offsetof(struct perfdata_raw, misc)); break;
	case HEAD_EVENT: source->fill.how = FILL_EVENT; break;
	case HEAD_COMM: source->fill.how = FILL_COMM; break;
	case HEAD_STACK_ID: source->fill.how = FILL_STACK; break;
	default: break;
	}
}

static void plan_row(struct source *source)
{
	const struct row *row = &source->fill.step->row;
	switch (row->op) {
	case SPELL_U64: case SPELL_HEX64: is_number(source, NUMBER_OF_VIEW, NUMBER_U64, row->member); break;
	case SPELL_U32: is_number(source, NUMBER_OF_VIEW, NUMBER_U32, row->member); break;
	case SPELL_S32: is_number(source, NUMBER_OF_VIEW, NUMBER_S32, row->member); break;
	default: break;
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

static void plan_trace(const struct record *r, const struct table_column *column, bool whole, struct source *source)
{
	const struct trace_row *row = r->s.trace ? pd_trace_plan_row(r->s.trace, source->fill.step->trace_name) : NULL;
	if (row && whole && row->end && fits(column->type, row->kind) && column->type != COLUMN_BOOLEAN)
		is_number(source, NUMBER_OF_FIELDS, kind_of_trace(row), row->offset);
}

static struct source plan_column(const struct record *r, const struct table_column *column, bool whole,
				 const struct select_step *step)
{
	struct source source = { .number.kind = NUMBER_NONE, .fill = { .how = FILL_OTHER, .step = step } };
	if (!column->select) {
		source.fill.how = FILL_FRAME;
		source.none = strcmp(column->name, "frame_id") != 0;
	} else if (step->what == SELECT_NOTHING || (step->gate && !(step->gate & r->view.u.present))) {
		source.none = true;
	} else if (step->what == SELECT_HEAD) {
		plan_head(r, &source);
	} else if (step->what == SELECT_ROW && !step->depth) {
		plan_row(&source);
	} else if (step->what == SELECT_FIELD) {
		plan_trace(r, column, whole, &source);
	}
	return source;
}

static struct row_plan *make_plan(struct row_plans *plans, const struct record *r, const struct table *table,
				  bool whole)
{
	const struct perfdata_layout *layout = r->plan->plan ? r->plan->plan->layout : NULL;
	struct row_plan *plan = pd_arena_calloc(&plans->pool, 1, sizeof *plan);
	struct fill *fills = pd_arena_calloc(&plans->pool, 1, 2 * (table->nr_columns + 1) * sizeof *fills);
	struct number *numbers = pd_arena_calloc(&plans->pool, table->nr_columns + 1, sizeof *numbers);
	struct source *sources = pd_arena_calloc(&plans->pool, table->nr_columns + 1, sizeof *sources);
	const char **names = pd_arena_calloc(&plans->pool, table->nr_columns + 1, sizeof *names);
	struct select_step *steps;
	if (!plan || !fills || !numbers || !sources || !names)
		return NULL;
	for (size_t i = 0; i < table->nr_columns; i++)
		names[i] = table->columns[i].select ? table->columns[i].select : "";
	const struct selection selection = { .names = names, .nr = table->nr_columns };
	if (!pd_selection_resolve(&plans->pool, &selection, layout, &steps))
		return NULL;
	*plan = (struct row_plan){ .layout = layout,
				   .trace = r->s.trace,
				   .present = r->view.u.present,
				   .fields_are_whole = whole,
				   .numbers = numbers,
				   .usual = fills,
				   .rare = fills + table->nr_columns + 1 };
	for (size_t i = 0; i < table->nr_columns; i++) {
		struct source *source = &sources[i];
		*source = plan_column(r, &table->columns[i], whole, &steps[i]);
		source->fill.column = source->number.column = (uint32_t)i;
		if (source->none)
			continue;
		if (is_rare(&steps[i]))
			plan->rare[plan->nr_rare++] = source->fill;
		else if (source->number.kind == NUMBER_NONE)
			plan->usual[plan->nr_usual++] = source->fill;
	}
	size_t nr = 0;
	for (unsigned kind = 0; kind < NUMBER_KINDS; kind++) {
		for (size_t i = 0; i < table->nr_columns; i++)
			if (!sources[i].none && !is_rare(&steps[i]) && sources[i].number.kind == kind)
				plan->numbers[nr++] = sources[i].number;
		plan->ends[kind] = nr;
	}
	return plan;
}

static const struct row_plan *plan_of(struct row_plans *plans, const struct record *r, const struct table *table,
				      unsigned number)
{
	const struct perfdata_layout *layout = r->plan->plan ? r->plan->plan->layout : NULL;
	const bool traced = table->rows == TABLE_OF_EVENT, whole = traced && pd_record_fields_are_whole(r);
	if (number >= plans->nr_tables) {
		const size_t nr = (size_t)number + 64;
		struct row_plan **grown = pd_realloc(plans->of_tables, nr * sizeof *grown);
		if (!grown)
			return NULL;
		memset(grown + plans->nr_tables, 0, (nr - plans->nr_tables) * sizeof *grown);
		plans->of_tables = grown;
		plans->nr_tables = nr;
	}
	struct row_plan **first = &plans->of_tables[number];
	for (struct row_plan **at = first, *plan; (plan = *at); at = &plan->next) {
		if (plan->layout != layout || plan->present != r->view.u.present || plan->fields_are_whole != whole ||
		    (traced && plan->trace != r->s.trace))
			continue;
		*at = plan->next;
		plan->next = *first;
		return *first = plan;
	}
	struct row_plan *plan = make_plan(plans, r, table, whole);
	if (!plan)
		return NULL;
	plan->next = *first;
	return *first = plan;
}

/* --- rows --------------------------------------------------------------------------------------------------------- */

#define STAGE(kind, type) \
	for (; i < plan->ends[kind]; i++) { \
		type value; \
		memcpy(&value, from[plan->numbers[i].from] + plan->numbers[i].offset, sizeof value); \
		staged[i] = (uint64_t)value; \
	}

static void stage_numbers(const struct record *r, const struct row_plan *plan, uint64_t *staged)
{
	const uint8_t *const from[NUMBERS_FROM] = { [NUMBER_OF_VIEW] = (const uint8_t *)&r->view.u,
						    [NUMBER_OF_RAW] = (const uint8_t *)r->raw,
						    [NUMBER_OF_FIELDS] = r->fields.data };
	size_t i = 0;
	STAGE(NUMBER_U8, uint8_t)
	STAGE(NUMBER_S8, int8_t)
	STAGE(NUMBER_U16, uint16_t)
	STAGE(NUMBER_S16, int16_t)
	STAGE(NUMBER_U32, uint32_t)
	STAGE(NUMBER_S32, int32_t)
	STAGE(NUMBER_U64, uint64_t)
}

void pd_record_cells_end(struct open_rows *rows)
{
	const size_t nr = rows->plan ? rows->plan->ends[NUMBER_KINDS - 1] : 0;
	for (size_t i = 0; i < nr && rows->nr_staged; i++) {
		struct cells *cells = &rows->columns[rows->plan->numbers[i].column];
		if (!pd_cells_reserve(cells, rows->nr_staged, 0, 0, 0))
			continue;
		for (uint32_t row = 0; row < rows->nr_staged; row++)
			cells->values[cells->nr++] = rows->staged[row * nr + i];
		pd_cells_extend(cells, rows->rows - rows->nr_staged, rows->nr_staged);
	}
	rows->nr_staged = 0;
	rows->plan = NULL;
}

static void put_name(struct cells *cells, uint32_t row, const char *name)
{
	if (name)
		pd_cells_put(cells, row, pd_cells_name(cells, name));
}

static void put_known(struct cells *cells, uint32_t row, uint32_t number)
{
	if (number != UINT32_MAX)
		pd_cells_put(cells, row, number);
}

static void put_usual(struct record *r, const struct fill *fill, const struct table_column *column, struct cells *cells,
		      uint32_t row, struct perfdata_text *room)
{
	switch (fill->how) {
	case FILL_CPU:
		put_known(cells, row, *(const uint32_t *)(const void *)((const char *)&r->view.u + fill->offset));
		return;
	case FILL_EVENT: put_name(cells, row, r->event ? r->event->event->name : NULL); return;
	case FILL_COMM:
		if (r->delivery && r->delivery->comm != PERFDATA_NONE)
			put_name(cells, row, perfdata_session_comm(r->emitted.session, r->delivery->comm));
		return;
	case FILL_STACK: put_known(cells, row, r->delivery ? r->delivery->stack : UINT32_MAX); return;
	case FILL_FRAME: put_known(cells, row, r->delivery ? r->delivery->ip : UINT32_MAX); return;
	case FILL_OTHER: put_other(r, column, cells, row, fill->step, room); return;
	}
}

static bool has_rare(const struct record *r)
{
	return r->raw->flags & (PERFDATA_RAW_UNKNOWN_ID | PERFDATA_RAW_LATE | PERFDATA_RAW_AFTER_GAP) ||
	       r->raw->inner != PERFDATA_NO_OFFSET || r->damaged || r->view.rest.size || r->world->name_files;
}

bool pd_record_cells(struct row_plans *plans, struct record *r, const struct table *table, unsigned number,
		     struct open_rows *rows, struct perfdata_text *room)
{
	const struct row_plan *plan = plan_of(plans, r, table, number);
	if (!plan)
		return false;
	if (rows->plan != plan || rows->nr_staged == ROWS_STAGED)
		pd_record_cells_end(rows);
	rows->plan = plan;
	stage_numbers(r, plan, rows->staged + rows->nr_staged++ * plan->ends[NUMBER_KINDS - 1]);
	const uint32_t row = rows->rows++;
	for (size_t i = 0; i < plan->nr_usual; i++)
		put_usual(r, &plan->usual[i], &table->columns[plan->usual[i].column],
			  &rows->columns[plan->usual[i].column], row, room);
	for (size_t i = 0; has_rare(r) && i < plan->nr_rare; i++)
		put_other(r, &table->columns[plan->rare[i].column], &rows->columns[plan->rare[i].column], row,
			  plan->rare[i].step, room);
	return true;
}
