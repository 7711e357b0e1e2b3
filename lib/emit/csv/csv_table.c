/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "base/error.h"
#include "emit/csv/csv_table.h"

/* --- finding a table ---------------------------------------------------------------------------------------------- */

static const struct perfdata_event *event_named(const struct perfdata_reader *reader, const char *name)
{
	for (size_t i = 0; i < perfdata_reader_nr_events(reader); i++) {
		const struct perfdata_event *event = perfdata_reader_event(reader, i);
		if (!strcmp(event->name, name))
			return event;
	}
	return NULL;
}

static enum perfdata_status no_such_table(struct perfdata_error *reterr, const char *name)
{
	return pd_error(reterr, PERFDATA_EUSAGE, PERFDATA_NO_OFFSET,
			"there is no table \"%.30s\": there are " TABLE_NAMES
			", event:NAME and others (see perfdata schema --columns --table all)",
			name);
}

static enum perfdata_status no_such_event(struct perfdata_error *reterr, const struct perfdata_reader *reader,
					  const char *name)
{
	const struct perfdata_event *first = perfdata_reader_event(reader, 0);
	return pd_error(reterr, PERFDATA_EUSAGE, PERFDATA_NO_OFFSET,
			"the recording has no event \"%.60s\"%s%.60s%s", name,
			first ? "; the first of its events is \"" : "", first ? first->name : "", first ? "\"" : "");
}

/* --- columns of records ------------------------------------------------------------------------------------------- */

/* Copies the columns that text formats have, with their sources; `recording` comes first. */
static bool take_columns(struct pd_arena *pool, const struct table *from, struct csv_table *ret)
{
	struct table_column *columns = pd_arena_calloc(pool, from->nr_columns + 1, sizeof *columns);
	const char **selects = pd_arena_calloc(pool, from->nr_columns + 1, sizeof *selects);
	if (!columns || !selects)
		return false;
	ret->columns = (struct selection){ .names = selects };
	ret->described = columns;
	for (size_t i = 0; i < from->nr_columns; i++) {
		if (from->columns[i].derived || !from->columns[i].select)
			continue;
		columns[ret->columns.nr] = from->columns[i];
		selects[ret->columns.nr++] = from->columns[i].select;
	}
	return true;
}

/* The column of the table with this name; or NULL. */
static const struct table_column *column_named(const struct table *table, const char *name, size_t size)
{
	for (size_t i = 0; i < table->nr_columns; i++)
		if (strlen(table->columns[i].name) == size && !memcmp(table->columns[i].name, name, size))
			return table->columns[i].select ? &table->columns[i] : NULL;
	return NULL;
}

/* Refuses a column that no record of the table can have: it would always be empty, and the user means another table. */
static enum perfdata_status check_field(const struct table_row *row, const char *name, struct perfdata_error *reterr)
{
	const struct perfdata_layout *layout;
	if (!row->types[0])
		return PERFDATA_OK;
	for (size_t i = 0; i < pd_table_row_types(row); i++)
		if (pd_selection_is_of(perfdata_record_layout(row->types[i]), name))
			return PERFDATA_OK;
	for (size_t i = 0; (layout = perfdata_record_layout_at(i)) && !pd_selection_is_of(layout, name);)
		i++;
	return pd_error(reterr, PERFDATA_EUSAGE, PERFDATA_NO_OFFSET,
			"no record of this table has a field \"%.60s\"; records of table \"%s\" have it (perfdata "
			"fields)",
			name, layout ? layout->name : "samples");
}

/* Chooses columns by a list of names: columns of the described table, or fields as in -e. */
static enum perfdata_status choose_columns(struct pd_arena *pool, const struct table *table, const char *list,
					   struct csv_table *ret, struct perfdata_error *reterr)
{
	struct table chosen = { 0 };
	size_t room = 1;
	for (const char *at = list; *at; at++)
		room += *at == ',';
	chosen.columns = pd_arena_calloc(pool, room, sizeof *chosen.columns);
	if (!chosen.columns)
		return PERFDATA_ENOMEM;
	for (const char *at = list, *next = list; next; at = next ? next + 1 : NULL) {
		const size_t size = strcspn(at, ",");
		next = at[size] ? at + size : NULL;
		struct table_column column = { 0 };
		const struct table_column *known = column_named(table, at, size);
		if (known) {
			column = *known;
		} else {
			struct selection one;
			char *name = pd_arena_calloc(pool, 1, size + 1);
			if (!name)
				return PERFDATA_ENOMEM;
			memcpy(name, at, size);
			enum perfdata_status status = pd_selection_parse(pool, name, &one, reterr);
			if (!status)
				status = check_field(&ret->row, one.names[0], reterr);
			if (status)
				return status;
			column.name = column.select = one.names[0];
		}
		bool seen = false;
		for (size_t i = 0; i < chosen.nr_columns; i++)
			seen |= !strcmp(chosen.columns[i].select, column.select);
		if (!seen)
			chosen.columns[chosen.nr_columns++] = column;
	}
	return take_columns(pool, &chosen, ret) ? PERFDATA_OK : PERFDATA_ENOMEM;
}

static enum perfdata_status columns_of_records(struct pd_arena *pool, const struct csv_choice *choice,
					       const struct perfdata_event *event, struct csv_table *ret,
					       struct perfdata_error *reterr)
{
	struct table table = { 0 };
	const struct trace_plan *plan = NULL;
	enum perfdata_status status = PERFDATA_OK;
	if (choice->list) {
		if (choice->list_is_of_table && event && event->trace)
			status = pd_table_make_event(pool, event, &table);
		return status ? status : choose_columns(pool, &table, choice->list, ret, reterr);
	}
	if (event && event->trace && !(plan = pd_trace_plan_make(pool, event->trace)))
		return PERFDATA_ENOMEM;
	status = pd_table_make_records(pool, ret->row.types[0] ? perfdata_record_layout(ret->row.types[0]) : NULL, plan,
				       (struct record_names){ choice->heads, choice->locations }, &table);
	if (!status && !take_columns(pool, &table, ret))
		status = PERFDATA_ENOMEM;
	return status;
}

enum perfdata_status pd_csv_table_find(struct pd_arena *pool, const struct csv_choice *choice, struct csv_table *ret,
				    struct perfdata_error *reterr)
{
	const char *name = choice->table;
	memset(ret, 0, sizeof *ret);
	if (!pd_csv_table_row(name, &ret->row))
		return no_such_table(reterr, name);
	if (ret->row.rows != TABLE_OF_RECORDS && ret->row.rows != TABLE_OF_EVENT) {
		ret->described = pd_table_own_columns(ret->row.rows);
		return choice->list ? pd_error(reterr, PERFDATA_EUSAGE, PERFDATA_NO_OFFSET,
					       "the columns of table \"%s\" are fixed: leave out -e", name)
				    : PERFDATA_OK;
	}
	const struct perfdata_event *event = NULL;
	ret->event = pd_csv_table_event(name);
	if (ret->event && !(event = event_named(choice->reader, ret->event)))
		return no_such_event(reterr, choice->reader, ret->event);
	return columns_of_records(pool, choice, event, ret, reterr);
}
