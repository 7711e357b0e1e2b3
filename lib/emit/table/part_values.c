/* SPDX-License-Identifier: MIT */
#include "config.h"
#include <string.h>
#include "emit/spell/spell.h"
#include "emit/table/part_values.h"
#include "reader/reader.h"

static const struct row *row_named(const struct plan *plan, const char *name)
{
	const int row = plan ? pd_plan_field(plan->layout, name, strlen(name)) : -1;
	return row < 0 ? NULL : &plan->rows[row];
}

static bool row_is_present(uint64_t present, const struct row *row) { return row && present >> row->index & 1; }

/* The record's member with this name, or NULL; *ret_row may be NULL. */
static const void *find_member(const struct record *r, const char *name, enum value_type op, const struct row **ret_row)
{
	const struct row *row = row_named(r->plan->plan, name);
	if (!row_is_present(r->view.u.present, row) || row->type != op)
		return NULL;
	if (ret_row)
		*ret_row = row;
	return (const char *)&r->view.u + row->member;
}

/* --- walking ------------------------------------------------------------------------------------------------------ */

/* In the order of their rows. */
static const char *const register_sets[] = { "intr", "user" };

static const struct perfdata_regs *register_set(const struct record *r, unsigned set)
{
	const bool user = !strcmp(register_sets[set], "user");
	if (r->view.type != PERFDATA_RECORD_SAMPLE ||
	    !row_is_present(r->view.u.present, row_named(r->plan->plan, user ? "user_regs" : "intr_regs")))
		return NULL;
	return user ? &r->view.u.sample.user_regs : &r->view.u.sample.intr_regs;
}

static bool next_registers(struct part_walk *walk)
{
	walk->list = NULL;
	while (walk->lists && !walk->list) {
		const struct perfdata_regs *regs = register_set(walk->record, --walk->lists);
		if (regs) {
			walk->list = &regs->values;
			walk->left = regs->mask;
		}
	}
	return walk->list;
}

void pd_parts_begin(struct part_walk *walk, struct record *record, enum table_rows of)
{
	const struct row *row;
	*walk = (struct part_walk){ .record = record, .of = of, .index = UINT64_MAX };
	if (of == TABLE_OF_REGS) {
		walk->lists = sizeof register_sets / sizeof *register_sets;
		next_registers(walk);
	} else if (of == TABLE_OF_BRANCHES) {
		const struct perfdata_branch_stack *stack = find_member(record, "branch_stack", VALUE_STRUCT, &row);
		walk->list = stack ? &stack->entries : NULL;
		walk->element = stack ? row_named(row->element, "entries")->element : NULL;
	} else if (of == TABLE_OF_READ_VALUES) {
		const struct perfdata_read *read = find_member(record, "read", VALUE_STRUCT, &row);
		walk->list = read ? &read->values : NULL;
		walk->element = read ? row_named(row->element, "values")->element : NULL;
	} else {
		walk->list = find_member(record, "callchain", VALUE_CALLCHAIN, NULL);
	}
}

bool pd_parts_next(struct part_walk *walk)
{
	if (walk->index != UINT64_MAX && walk->of == TABLE_OF_REGS)
		walk->left &= walk->left - 1;
	walk->index++;
	while (walk->list && (walk->index >= walk->list->count || (walk->of == TABLE_OF_REGS && !walk->left))) {
		walk->index = 0;
		if (!next_registers(walk))
			return false;
	}
	if (!walk->list)
		return false;
	if (walk->element)
		perfdata_list_get(walk->list, walk->index, &walk->part, sizeof walk->part);
	else
		walk->part.word = perfdata_list_u64(walk->list, walk->index);
	return true;
}

/* --- values ------------------------------------------------------------------------------------------------------- */

static struct value text_value(const struct perfdata_text *room)
{
	return (struct value){ .kind = IS_TEXT, .text = { (const uint8_t *)room->data, room->size } };
}

static struct value key_value(const struct part_walk *walk, unsigned column)
{
	const struct perfdata_raw *raw = walk->record->raw;
	struct head_value file;
	switch (column) {
	case PART_FILE:
		file = pd_record_head(walk->record, HEAD_FILE);
		return (struct value){ .kind = file.kind == HEAD_IS_TEXT ? IS_TEXT : IS_ABSENT,
					    .text = file.bytes };
	case PART_OFFSET: return value_number(true, raw->offset);
	case PART_INNER: return value_number(raw->inner != PERFDATA_NO_OFFSET, raw->inner);
	default: return value_number(true, walk->index);
	}
}

/* The part of a word of bit-fields that has the column's name. */
static struct value bits_value(const struct row *row, uint64_t value, const struct table_column *column)
{
	const struct perfdata_bits *at = row->field->bits;
	while (at->name && strcmp(at->name, column->name))
		at++;
	if (!at->name)
		return (struct value){ .kind = IS_ABSENT };
	value = value >> at->shift & ((UINT64_C(1) << at->width) - 1);
	return column->type == COLUMN_TEXT ? value_text(perfdata_name_of(at->names, value)) : value_number(true, value);
}

/* A field of the part. */
static struct value field_value(const struct part_walk *walk, const struct row *row, struct perfdata_text *room)
{
	if (!row_is_present(walk->list->present, row))
		return (struct value){ .kind = IS_ABSENT };
	const uint64_t value = pd_value_integer(row->kind, (const char *)&walk->part + row->member);
	if (row->type != VALUE_BITS)
		return row->type == VALUE_HEX64 ? value_word(true, value) : value_number(true, value);
	struct speller s = speller_of(walk->record, room);
	perfdata_text_clear(room);
	pd_spell_value(&s, row, &walk->part);
	return text_value(room);
}

static struct value of_branch(const struct part_walk *walk, unsigned column, struct perfdata_text *room)
{
	const struct table_column *described = &pd_table_own_columns(TABLE_OF_BRANCHES)[column];
	const struct perfdata_list *counters = &walk->record->view.u.sample.branch_stack.counters;
	if (column == BRANCHES_COUNTER)
		return walk->index < counters->count ? value_word(true, perfdata_list_u64(counters, walk->index))
						     : value_word(false, 0);
	if (!described->derived)
		return field_value(walk, row_named(walk->element, described->name), room);
	return bits_value(row_named(walk->element, "branch_flags"), walk->part.branch.flags, described);
}

static struct value of_register(const struct part_walk *walk, unsigned column, struct perfdata_text *room)
{
	char name[REGISTER_NAME];
	switch (column) {
	case REGS_SET: return value_text(register_sets[walk->lists]);
	case REGS_REGISTER: break;
	default: return value_word(true, walk->part.word);
	}
	pd_value_register_name(pd_reader_arch(walk->record->scope.world->reader),
			       (unsigned)__builtin_ctzll(walk->left), name);
	perfdata_text_clear(room);
	perfdata_text_string(room, name);
	return text_value(room);
}

static struct value of_read_value(const struct part_walk *walk, unsigned column, struct perfdata_text *room)
{
	const char *name = pd_table_own_columns(TABLE_OF_READ_VALUES)[column].name;
	if (column != READ_VALUES_EVENT)
		return field_value(walk, row_named(walk->element, name), room);
	const struct perfdata_event *event = NULL;
	if (row_is_present(walk->list->present, row_named(walk->element, "id")))
		event = pd_value_event(walk->record->scope.world, walk->part.read.id);
	return value_text(event ? event->name : NULL);
}

struct value pd_part_value(const struct part_walk *walk, unsigned column, struct perfdata_text *room)
{
	if (column < PART_KEY_COLUMNS)
		return key_value(walk, column);
	switch (walk->of) {
	case TABLE_OF_BRANCHES: return of_branch(walk, column, room);
	case TABLE_OF_REGS: return of_register(walk, column, room);
	case TABLE_OF_READ_VALUES: return of_read_value(walk, column, room);
	default: return (struct value){ .kind = IS_ADDRESS, .number = walk->part.word };
	}
}

void pd_part_cells(const struct part_walk *walk, const struct row_cells *to, struct perfdata_text *room)
{
	const struct table_column *columns = pd_table_own_columns(walk->of);
	for (unsigned i = 0; columns[i].name; i++) {
		if (to->columns[i] == UINT32_MAX)
			continue;
		const struct value value = pd_part_value(walk, i, room);
		pd_row_cells_value(to, i, &value);
	}
	to->rows->columns[0].failed |= perfdata_text_failed(room);
}
