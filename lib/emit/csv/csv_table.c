/* SPDX-License-Identifier: MIT */
#include "config.h"
#include <stdio.h>
#include "emit/csv/csv_table.h"
#include "emit/emitters.h"
#include "emit/table/table_rows.h"

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
	if (reterr) {
		reterr->status = PERFDATA_EUSAGE;
		reterr->offset = PERFDATA_NO_OFFSET;
		snprintf(reterr->message, sizeof reterr->message,
			 "there is no table \"%.30s\": there are " TABLE_NAMES
			 ", event:NAME and others (see perfdata schema --columns --table all)",
			 name);
	}
	return PERFDATA_EUSAGE;
}

static enum perfdata_status no_such_event(struct perfdata_error *reterr, const struct perfdata_reader *reader,
					  const char *name)
{
	if (reterr) {
		reterr->status = PERFDATA_EUSAGE;
		reterr->offset = PERFDATA_NO_OFFSET;
		const struct perfdata_event *first = perfdata_reader_nr_events(reader)
							     ? perfdata_reader_event(reader, 0)
							     : NULL;
		snprintf(reterr->message, sizeof reterr->message, "the recording has no event \"%.60s\"%s%.60s%s", name,
			 first ? "; the first of its events is \"" : "", first ? first->name : "", first ? "\"" : "");
	}
	return PERFDATA_EUSAGE;
}

static enum perfdata_status find_kind(const char *name, struct csv_table *ret)
{
	if (!name || !strcmp(name, "samples"))
		name = "sample";
	const struct table_row *row;
	for (size_t i = 0; (row = pd_table_row_at(i)); i++) {
		if (!row->on_request || strcmp(row->name, name))
			continue;
		ret->parts = row->in_csv ? row->in_csv : row->rows;
		ret->kind = ret->parts == TABLE_OF_PACKETS       ? CSV_AUX_PACKETS
			    : ret->parts == TABLE_OF_SPE_SAMPLES ? CSV_SPE_SAMPLES
								 : CSV_PARTS;
		ret->described = pd_table_own_columns(ret->parts);
		return PERFDATA_OK;
	}
	if (!strcmp(name, "unknown")) {
		ret->kind = CSV_UNKNOWN;
		return PERFDATA_OK;
	}
	if (!strncmp(name, "event:", 6)) {
		ret->kind = CSV_EVENT;
		ret->event = name + 6;
		ret->type = PERFDATA_RECORD_SAMPLE;
		return PERFDATA_OK;
	}
	const struct perfdata_layout *layout;
	for (size_t i = 0; (layout = perfdata_record_layout_at(i)); i++) {
		if (strcmp(layout->name, name))
			continue;
		ret->kind = CSV_RECORDS;
		ret->type = layout->id;
		return PERFDATA_OK;
	}
	return PERFDATA_EUSAGE;
}

/* --- columns of records ------------------------------------------------------------------------------------------- */

/* Takes over those of the description that text has, and where they come from; `recording` stands in front of rows,
 * where it does. */
static bool take_columns(struct pd_arena *pool, const struct table *from, struct csv_table *ret)
{
	struct table_column *columns = pd_arena_calloc(pool, from->nr_columns + 1, sizeof *columns);
	const char **selects = pd_arena_calloc(pool, from->nr_columns + 1, sizeof *selects);
	if (!columns || !selects)
		return false;
	ret->columns = (struct selection){ .names = selects };
	ret->described = columns;
	for (size_t i = 0; i < from->nr_columns; i++) {
		if (from->columns[i].not_in_csv || !from->columns[i].select)
			continue;
		columns[ret->columns.nr] = from->columns[i];
		selects[ret->columns.nr++] = from->columns[i].select;
	}
	return true;
}

/* The column of the table that is called so; NULL: none is. */
static const struct table_column *column_named(const struct table *table, const char *name, size_t size)
{
	for (size_t i = 0; i < table->nr_columns; i++)
		if (strlen(table->columns[i].name) == size && !memcmp(table->columns[i].name, name, size))
			return table->columns[i].select ? &table->columns[i] : NULL;
	return NULL;
}

/* Columns by a list: names that the described table has mean what they mean there, others are what -e takes. */
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
	for (const char *at = list, *next = list; next; at = next + 1) {
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
			const enum perfdata_status status = pd_selection_parse(pool, name, &one, reterr);
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
	status = pd_table_make_records(pool, ret->kind == CSV_UNKNOWN ? NULL : perfdata_record_layout(ret->type), plan,
				       (struct record_names){ choice->heads, choice->locations }, &table);
	if (!status && !take_columns(pool, &table, ret))
		status = PERFDATA_ENOMEM;
	return status;
}

enum perfdata_status pd_csv_table_find(struct pd_arena *pool, const struct csv_choice *choice, struct csv_table *ret,
				    struct perfdata_error *reterr)
{
	const char *name = choice->table;
	const char *list = choice->list;
	memset(ret, 0, sizeof *ret);
	if (find_kind(name, ret))
		return no_such_table(reterr, name);
	if (ret->described) {
		if (!list)
			return PERFDATA_OK;
		if (reterr) {
			reterr->status = PERFDATA_EUSAGE;
			reterr->offset = PERFDATA_NO_OFFSET;
			snprintf(reterr->message, sizeof reterr->message,
				 "the columns of table \"%s\" are fixed: no -e", name);
		}
		return PERFDATA_EUSAGE;
	}
	const struct perfdata_event *event = NULL;
	if (ret->kind == CSV_EVENT && !(event = event_named(choice->reader, ret->event)))
		return no_such_event(reterr, choice->reader, ret->event);
	return columns_of_records(pool, choice, event, ret, reterr);
}
