/* SPDX-License-Identifier: MIT */
#include "config.h"
#include <stddef.h>
#include "base/memory.h"
#include "emit/table/record_cells.h"

/* How a cell is filled. The first ones need no more than a load. */
enum fill_how {
	FILL_U64, FILL_U32, FILL_S32, FILL_CPU,       /* a member of the view */
	FILL_TRACE_UNSIGNED, FILL_TRACE_SIGNED,       /* an integer of the raw data */
	FILL_OFFSET, FILL_SIZE, FILL_MISC, FILL_EVENT, FILL_COMM, FILL_STACK, FILL_FRAME,
	FILL_OTHER,
};
struct fill {
	enum fill_how how;
	uint32_t column;
	uint32_t offset;              /* of the member, or in the raw data */
	uint32_t size;                /* in the raw data */
	const struct select_step *step;
};

struct row_plan {
	struct row_plan *next;
	const struct perfdata_layout *layout;
	const struct trace_plan *trace;
	uint64_t present;             /* what the records have */
	bool fields_are_whole;
	size_t nr_usual, nr_rare;
	struct fill *usual;           /* what each of them has */
	struct fill *rare;            /* what only some have */
};

void pd_row_plans_release(struct row_plans *plans)
{
	pd_free(plans->of_tables);
	pd_arena_release(&plans->pool);
}

/* --- any field -------------------------------------------------------------------------------------------------------------- */

static void put_text(struct cells *cells, uint32_t row, const void *bytes, size_t size)
{
	pd_cells_put(cells, row, pd_cells_utf8(cells, bytes, size, false));
}

static void put_hex(struct cells *cells, uint32_t row, struct perfdata_bytes bytes, struct perfdata_text *room)
{
	perfdata_text_clear(room);
	perfdata_text_bytes_hex(room, bytes.data, bytes.size);
	put_text(cells, row, room->data, room->size);
	cells->failed |= perfdata_text_failed(room);
}

static void add_name(struct cells *cells, const char *name) { pd_cells_add(cells, pd_cells_utf8(cells, name, strlen(name), true)); }

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

static void put_row(struct record *r, const struct table_column *column, struct cells *cells, uint32_t row, const struct row *field, const void *view,
		    struct perfdata_text *room)
{
	const void *member = (const char *)view + field->member;
	const struct perfdata_bytes *bytes = member;
	const char *name;
	switch (field->op) {
	case SPELL_NOTHING: return;
	case SPELL_U64: case SPELL_U32: case SPELL_S32: case SPELL_NUMBER: case SPELL_BOOL: case SPELL_HEX64: case SPELL_HEX:
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
			pd_cells_put(cells, row, pd_cells_text(cells, bytes->data, bytes->size, false));
		return;
	case SPELL_LIST_U64: case SPELL_LIST_HEX: case SPELL_CALLCHAIN: put_list(cells, row, member); return;
	case SPELL_BITS: case SPELL_LIST_PARTS: case SPELL_REGS: case SPELL_STRUCT: case SPELL_CPUS: case SPELL_FEATURE: break;
	}
	perfdata_text_clear(room);
	r->s.out = room;
	pd_spell_value(&r->s, field, view);
	put_text(cells, row, room->data, room->size);
	cells->failed |= perfdata_text_failed(room);
}

/* --- tracepoints --------------------------------------------------------------------------------------------------------------- */

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

static void put_trace(struct record *r, const struct table_column *column, struct cells *cells, uint32_t row, const char *name)
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
	case PERFDATA_TRACE_BYTES: pd_cells_put(cells, row, pd_cells_text(cells, value.bytes.data, value.bytes.size, false)); return;
	case PERFDATA_TRACE_ARRAY: case PERFDATA_TRACE_BITMASK: put_elements(cells, row, &value); return;
	}
}

/* --- heads ------------------------------------------------------------------------------------------------------------------------ */

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

static void put_head(struct record *r, enum pd_record_head head, struct cells *cells, uint32_t row, struct perfdata_text *room)
{
	const struct head_value value = pd_record_head(r, head);
	switch (value.kind) {
	case HEAD_IS_ABSENT: case HEAD_IS_NULL: return;
	case HEAD_IS_U64: case HEAD_IS_S64: pd_cells_put(cells, row, value.number); return;
	case HEAD_IS_TRUE: pd_cells_put(cells, row, 1); return;
	case HEAD_IS_TEXT: put_text(cells, row, value.bytes.data, value.bytes.size); return;
	case HEAD_IS_BYTES: pd_cells_put(cells, row, pd_cells_text(cells, value.bytes.data, value.bytes.size, false)); return;
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

static void put_other(struct record *r, const struct table_column *column, struct cells *cells, uint32_t row, const struct select_step *step,
		      struct perfdata_text *room)
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

/* --- plans ---------------------------------------------------------------------------------------------------------------------------- */

static bool is_rare(const struct select_step *step)
{
	if (step->what != SELECT_HEAD)
		return false;
	switch (step->head) {
	case HEAD_INNER: case HEAD_FILE: case HEAD_EVENT_UNKNOWN: case HEAD_LATE: case HEAD_AFTER_GAP: case HEAD_REST: case HEAD_PROBLEM: return true;
	default: return false;
	}
}

static bool plan_head(const struct record *r, struct fill *fill)
{
	const int index = pd_record_row_of_head(r, fill->step->head);
	if (index >= 0) {
		const struct row *row = &r->plan->plan->rows[index];
		if (!(r->view.u.present >> index & 1))
			return false;
		fill->offset = row->member;
		fill->how = fill->step->head == HEAD_CPU ? FILL_CPU : row->op == SPELL_S32 ? FILL_S32 : FILL_U64;
		return true;
	}
	switch (fill->step->head) {
	case HEAD_OFFSET: fill->how = FILL_OFFSET; break;
	case HEAD_SIZE: fill->how = FILL_SIZE; break;
	case HEAD_MISC_RAW: fill->how = FILL_MISC; break;
	case HEAD_EVENT: fill->how = FILL_EVENT; break;
	case HEAD_COMM: fill->how = FILL_COMM; break;
	case HEAD_STACK_ID: fill->how = FILL_STACK; break;
	default: break;
	}
	return true;
}

static void plan_row(struct fill *fill)
{
	const struct row *row = &fill->step->row;
	fill->offset = row->member;
	switch (row->op) {
	case SPELL_U64: case SPELL_HEX64: fill->how = FILL_U64; break;
	case SPELL_U32: fill->how = FILL_U32; break;
	case SPELL_S32: fill->how = FILL_S32; break;
	default: break;
	}
}

static void plan_trace(const struct record *r, const struct table_column *column, bool whole, struct fill *fill)
{
	const struct trace_row *row = r->s.trace ? pd_trace_plan_row(r->s.trace, fill->step->trace_name) : NULL;
	if (!row || !whole || !row->end || !fits(column->type, row->kind) || column->type == COLUMN_BOOLEAN)
		return;
	fill->how = row->kind == PERFDATA_TRACE_SIGNED ? FILL_TRACE_SIGNED : FILL_TRACE_UNSIGNED;
	fill->offset = row->offset;
	fill->size = row->size;
}

/* False: such records never have it. */
static bool plan_column(const struct record *r, const struct table_column *column, bool whole, struct fill *fill)
{
	const struct select_step *step = fill->step;
	fill->how = FILL_OTHER;
	if (!column->select) {
		fill->how = FILL_FRAME;
		return !strcmp(column->name, "frame_id");
	}
	if (step->what == SELECT_NOTHING || (step->gate && !(step->gate & r->view.u.present)))
		return false;
	if (step->what == SELECT_HEAD)
		return plan_head(r, fill);
	if (step->what == SELECT_ROW && !step->depth)
		plan_row(fill);
	else if (step->what == SELECT_FIELD)
		plan_trace(r, column, whole, fill);
	return true;
}

static struct row_plan *make_plan(struct row_plans *plans, const struct record *r, const struct table *table, bool whole)
{
	const struct perfdata_layout *layout = r->plan->plan ? r->plan->plan->layout : NULL;
	struct row_plan *plan = pd_arena_calloc(&plans->pool, 1, sizeof *plan);
	struct fill *fills = pd_arena_calloc(&plans->pool, 1, 2 * (table->nr_columns + 1) * sizeof *fills);
	const char **names = pd_arena_calloc(&plans->pool, table->nr_columns + 1, sizeof *names);
	struct select_step *steps;
	if (!plan || !fills || !names)
		return NULL;
	for (size_t i = 0; i < table->nr_columns; i++)
		names[i] = table->columns[i].select ? table->columns[i].select : "";
	const struct selection selection = { .names = names, .nr = table->nr_columns };
	if (!pd_selection_resolve(&plans->pool, &selection, layout, &steps))
		return NULL;
	*plan = (struct row_plan){ .layout = layout, .trace = r->s.trace, .present = r->view.u.present, .fields_are_whole = whole,
				   .usual = fills, .rare = fills + table->nr_columns + 1 };
	for (size_t i = 0; i < table->nr_columns; i++) {
		struct fill fill = { .column = (uint32_t)i, .step = &steps[i] };
		if (!plan_column(r, &table->columns[i], whole, &fill))
			continue;
		if (is_rare(&steps[i]))
			plan->rare[plan->nr_rare++] = fill;
		else
			plan->usual[plan->nr_usual++] = fill;
	}
	return plan;
}

static const struct row_plan *plan_of(struct row_plans *plans, const struct record *r, const struct table *table, unsigned number)
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

/* --- rows -------------------------------------------------------------------------------------------------------------------------------- */

static uint64_t load_unsigned(const uint8_t *at, unsigned size)
{
	uint64_t value = 0;
	memcpy(&value, at, size <= sizeof value ? size : sizeof value);
	return value;
}

static uint64_t load_signed(const uint8_t *at, unsigned size)
{
	const unsigned shift = 64 - 8 * (size <= 8 ? size : 8);
	return (uint64_t)((int64_t)(load_unsigned(at, size) << shift) >> shift);
}

static void put_comm(const struct record *r, struct cells *cells, uint32_t row)
{
	if (!r->delivery || r->delivery->comm == PERFDATA_NONE)
		return;
	const char *comm = perfdata_session_comm(r->emitted.session, r->delivery->comm);
	if (comm)
		pd_cells_put(cells, row, pd_cells_utf8(cells, comm, strlen(comm), true));
}

static void put_usual(struct record *r, const struct fill *fill, const struct table_column *column, struct cells *cells, uint32_t row,
		      struct perfdata_text *room)
{
	const char *member = (const char *)&r->view.u + fill->offset;
	const char *name;
	uint32_t number;
	switch (fill->how) {
	case FILL_U64: pd_cells_put(cells, row, *(const uint64_t *)(const void *)member); return;
	case FILL_U32: pd_cells_put(cells, row, *(const uint32_t *)(const void *)member); return;
	case FILL_S32: pd_cells_put(cells, row, (uint64_t)(int64_t)*(const int32_t *)(const void *)member); return;
	case FILL_CPU:
		number = *(const uint32_t *)(const void *)member;
		if (number != UINT32_MAX)
			pd_cells_put(cells, row, number);
		return;
	case FILL_TRACE_UNSIGNED: pd_cells_put(cells, row, load_unsigned(r->fields.data + fill->offset, fill->size)); return;
	case FILL_TRACE_SIGNED: pd_cells_put(cells, row, load_signed(r->fields.data + fill->offset, fill->size)); return;
	case FILL_OFFSET: pd_cells_put(cells, row, r->raw->offset); return;
	case FILL_SIZE: pd_cells_put(cells, row, r->raw->size); return;
	case FILL_MISC: pd_cells_put(cells, row, r->raw->misc); return;
	case FILL_EVENT:
		name = r->event ? r->event->event->name : NULL;
		if (name)
			pd_cells_put(cells, row, pd_cells_utf8(cells, name, strlen(name), true));
		return;
	case FILL_COMM: put_comm(r, cells, row); return;
	case FILL_STACK:
		if (r->delivery && r->delivery->stack != PERFDATA_NONE)
			pd_cells_put(cells, row, r->delivery->stack);
		return;
	case FILL_FRAME:
		if (r->delivery && r->delivery->ip != PERFDATA_NONE)
			pd_cells_put(cells, row, r->delivery->ip);
		return;
	case FILL_OTHER: put_other(r, column, cells, row, fill->step, room); return;
	}
}

static bool has_rare(const struct record *r)
{
	return r->raw->flags & (PERFDATA_RAW_UNKNOWN_ID | PERFDATA_RAW_LATE | PERFDATA_RAW_AFTER_GAP) || r->raw->inner != PERFDATA_NO_OFFSET ||
	       r->damaged || r->view.rest.size || r->world->name_files;
}

bool pd_record_cells(struct row_plans *plans, struct record *r, const struct table *table, struct table_part *part, struct perfdata_text *room)
{
	const struct row_plan *plan = plan_of(plans, r, table, part->table);
	if (!plan)
		return false;
	const uint32_t row = part->rows++;
	for (size_t i = 0; i < plan->nr_usual; i++)
		put_usual(r, &plan->usual[i], &table->columns[plan->usual[i].column], &part->columns[plan->usual[i].column], row, room);
	for (size_t i = 0; has_rare(r) && i < plan->nr_rare; i++)
		put_other(r, &table->columns[plan->rare[i].column], &part->columns[plan->rare[i].column], row, plan->rare[i].step, room);
	return true;
}
