#include "config.h"
#include "csv_cell.h"
#include "csv_row.h"

/* How a cell is spelled: the frequent ones where the row is written. */
enum cell_op {
	CELL_ANY,                                      /* csv_cell knows */
	CELL_MISC, CELL_EVENT,
	CELL_FIRST_NUMBER,
	CELL_U64 = CELL_FIRST_NUMBER, CELL_U32, CELL_S32, CELL_HEX64, CELL_CPU,   /* of the view; its gate says whether it is there */
	CELL_OFFSET, CELL_SIZE, CELL_MISC_RAW,         /* of the raw record */
};

/* A column of a layout. */
struct cell {
	enum cell_op op;
	uint32_t member;
	uint64_t gate;         /* absent unless one of these rows is in the record's view; 0: ask */
};

/* The columns of records with the same rows, most of which are empty: those that are not. */
#define LIVE_LISTS 4u
struct live {
	uint64_t present;
	bool ordinary;         /* see is_ordinary */
	size_t nr;             /* 0: not made yet */
	uint16_t *columns;
};

struct row_plan {
	const struct select_step *steps;
	struct cell *cells;
	struct live live[LIVE_LISTS];
};

/* --- plans ----------------------------------------------------------------------------------------------------------------------- */

static enum cell_op op_of_row(const struct row *row)
{
	switch (row->op) {
	case SPELL_U64: return CELL_U64;
	case SPELL_U32: return CELL_U32;
	case SPELL_S32: return CELL_S32;
	case SPELL_HEX64: return CELL_HEX64;
	default: return CELL_ANY;
	}
}

/* The row of a sample that a head shows, or -1. Other records may have it in the trailer. */
static int row_of_head(const struct record_plan *plan, enum record_head head)
{
	switch (head) {
	case HEAD_TIME: return plan->time;
	case HEAD_PID: return plan->pid;
	case HEAD_TID: return plan->tid;
	case HEAD_CPU: return plan->cpu;
	default: return -1;
	}
}

static struct cell cell_of_head(const struct record_plan *plan, enum record_head head)
{
	const bool of_sample = plan->plan && plan->plan->layout->id == PERFDATA_RECORD_SAMPLE;
	const int index = of_sample ? row_of_head(plan, head) : -1;
	if (index >= 0) {
		const struct row *row = &plan->plan->rows[index];
		const enum cell_op op = head == HEAD_CPU ? CELL_CPU : op_of_row(row);
		return (struct cell){ .op = op, .member = row->member, .gate = UINT64_C(1) << index };
	}
	switch (head) {
	case HEAD_OFFSET: return (struct cell){ .op = CELL_OFFSET };
	case HEAD_SIZE: return (struct cell){ .op = CELL_SIZE };
	case HEAD_MISC: return (struct cell){ .op = CELL_MISC };
	case HEAD_MISC_RAW: return (struct cell){ .op = CELL_MISC_RAW };
	case HEAD_EVENT: return (struct cell){ .op = CELL_EVENT };
	default: return (struct cell){ .op = CELL_ANY };
	}
}

static struct cell make_cell(const struct record_plan *plan, const struct select_step *step)
{
	if (step->what == SELECT_HEAD)
		return cell_of_head(plan, step->head);
	struct cell cell = { .op = CELL_ANY, .gate = step->gate };
	if (step->what == SELECT_ROW && !step->depth) {
		cell.op = op_of_row(&step->row);
		cell.member = step->row.member;
	}
	return cell;
}

static struct row_plan *make_row_plan(struct record *r, const struct selection *columns)
{
	struct pool *pool = &r->cache->extra;
	struct select_step *steps;
	struct row_plan *plan = pool_alloc(pool, sizeof *plan);
	struct cell *cells = pool_alloc(pool, (columns->nr + 1) * sizeof *cells);
	const struct perfdata_layout *layout = r->plan->plan ? r->plan->plan->layout : NULL;
	if (!plan || !cells || !selection_resolve(pool, columns, layout, &steps))
		return NULL;
	for (size_t i = 0; i < columns->nr; i++)
		cells[i] = make_cell(r->plan, &steps[i]);
	for (size_t i = 0; i < LIVE_LISTS; i++) {
		plan->live[i].columns = pool_alloc(pool, (columns->nr + 1) * sizeof *plan->live[i].columns);
		if (!plan->live[i].columns)
			return NULL;
	}
	plan->steps = steps;
	plan->cells = cells;
	return plan;
}

/* Nothing is to be said about the record itself. */
static bool is_ordinary(const struct record *r)
{
	return r->raw->inner == PERFDATA_NO_OFFSET && !r->world->name_files && !r->raw->flags && !r->view.rest.size && !r->damaged;
}

/* Heads that ordinary records do not have. */
static bool is_absent(const struct record *r, const struct select_step *step)
{
	if (step->what != SELECT_HEAD)
		return false;
	switch (step->head) {
	case HEAD_INNER: return r->raw->inner == PERFDATA_NO_OFFSET;
	case HEAD_FILE: return !r->world->name_files;
	case HEAD_EVENT_UNKNOWN: case HEAD_LATE: case HEAD_AFTER_GAP: return !r->raw->flags;
	case HEAD_REST: return !r->view.rest.size;
	case HEAD_PROBLEM: return !r->damaged;
	default: return false;
	}
}

static const struct live *live_columns(const struct record *r, struct row_plan *plan, size_t nr_columns, uint64_t present)
{
	const bool ordinary = is_ordinary(r);
	struct live *live = &plan->live[(present * 0x9e3779b97f4a7c15ull >> 62) ^ ordinary];
	if (live->nr && live->present == present && live->ordinary == ordinary)
		return live;
	live->present = present;
	live->ordinary = ordinary;
	live->nr = 0;
	for (size_t i = 0; i < nr_columns; i++) {
		if (plan->steps[i].what == SELECT_NOTHING || (plan->cells[i].gate && !(plan->cells[i].gate & present)))
			continue;
		if (!ordinary || !is_absent(r, &plan->steps[i]))
			live->columns[live->nr++] = (uint16_t)i;
	}
	return live;
}

/* --- rows ------------------------------------------------------------------------------------------------------------------------ */

static char *commas_to(char *at, size_t count)
{
	static const char commas[] = ",,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,";
	for (; count > sizeof commas - 1; count -= sizeof commas - 1, at += sizeof commas - 1)
		memcpy(at, commas, sizeof commas - 1);
	memcpy(at, commas, sizeof commas - 1);
	return at + count;
}
#define COMMA_ROOM 32
#define CELL_ROOM 40

static void add_name(void *user, const char *name)
{
	struct perfdata_text *out = user;
	perfdata_text_char(out, CSV_JOINT);
	perfdata_text_string(out, name);
}

static void spell_misc(struct record *r)
{
	const size_t start = r->s.out->size;
	record_misc_names(r, add_name, r->s.out);
	csv_drop_joint(r->s.out, start);
}

static char *hex_to(char *at, uint64_t value)
{
	memcpy(at, "0x", 2);
	return perfdata_hex_to(at + 2, value);
}

/* Cells that are not written where the row is. */
static void spell_cell(struct record *r, const struct row_plan *plan, size_t column, struct perfdata_text *room)
{
	switch (plan->cells[column].op) {
	case CELL_MISC: record_misc_text(r, spell_misc); return;
	case CELL_EVENT:
		if (r->event)
			perfdata_text_append(r->s.out, r->event->cell.text, r->event->cell.size);
		return;
	default: csv_cell(r, &plan->steps[column], room); return;
	}
}

static char *number_cell_to(char *at, const struct record *r, const struct cell *cell)
{
	const void *member = (const char *)&r->view.u + cell->member;
	switch (cell->op) {
	case CELL_U64: return perfdata_u64_to(at, *(const uint64_t *)member);
	case CELL_U32: return perfdata_u64_to(at, *(const uint32_t *)member);
	case CELL_S32: return perfdata_s64_to(at, *(const int32_t *)member);
	case CELL_HEX64: return hex_to(at, *(const uint64_t *)member);
	case CELL_CPU: return *(const uint32_t *)member == UINT32_MAX ? at : perfdata_u64_to(at, *(const uint32_t *)member);
	case CELL_OFFSET: return perfdata_u64_to(at, r->raw->offset);
	case CELL_SIZE: return perfdata_u64_to(at, r->raw->size);
	case CELL_MISC_RAW: return perfdata_u64_to(at, r->raw->misc);
	default: return at;
	}
}

bool csv_row(struct record *r, const struct selection *columns, bool without_chains, struct perfdata_text *room)
{
	if (!r->plan->selection)
		r->plan->selection = make_row_plan(r, columns);
	struct row_plan *plan = r->plan->selection;
	if (!plan)
		return false;
	const uint64_t present = r->view.u.present & ~(without_chains ? record_row_said_by_stack(r) : 0);
	const struct live *live = live_columns(r, plan, columns->nr, present);
	/* for all numbers and commas; what other cells need, they ask for */
	const size_t fixed = columns->nr + COMMA_ROOM + live->nr * CELL_ROOM;
	struct perfdata_text *out = r->s.out;
	const size_t start = out->size;
	size_t last = 0;
	char *at = perfdata_text_reserve(out, fixed);
	for (size_t i = 0; i < live->nr && at; i++) {
		const size_t column = live->columns[i];
		const struct cell *cell = &plan->cells[column];
		if (!live->ordinary && cell->op == CELL_ANY && is_absent(r, &plan->steps[column]))
			continue;
		if (column - last == 1)
			*at++ = ',';
		else
			at = commas_to(at, column - last);
		last = column;
		if (cell->op >= CELL_FIRST_NUMBER) {
			at = number_cell_to(at, r, cell);
			continue;
		}
		perfdata_text_commit(out, at);
		spell_cell(r, plan, column, room);
		at = perfdata_text_reserve(out, fixed);
	}
	if (!at)
		return true;
	perfdata_text_commit(out, commas_to(at, columns->nr - 1 - last));
	/* A line without anything is no row to many readers. */
	if (out->size == start)
		perfdata_text_literal(out, "\"\"");
	return true;
}
