/* SPDX-License-Identifier: MIT */
#include "config.h"
#include <stdio.h>
#include "emit/csv/csv_table.h"
#include "emit/emitters.h"
#include "emit/table/record_columns.h"
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
	const struct trace_plan *plan = NULL;
	if (ret->kind == CSV_EVENT) {
		const struct perfdata_event *event = event_named(choice->reader, ret->event);
		if (!event)
			return no_such_event(reterr, choice->reader, ret->event);
		plan = event->trace ? pd_trace_plan_make(pool, event->trace) : NULL;
		if (event->trace && !plan)
			return PERFDATA_ENOMEM;
	}
	if (list)
		return pd_selection_parse(pool, list, &ret->columns, reterr);
	return pd_record_columns(pool, ret->kind == CSV_UNKNOWN ? NULL : perfdata_record_layout(ret->type), plan,
				 (struct record_names){ choice->heads, choice->locations }, &ret->columns)
		       ? PERFDATA_OK
		       : PERFDATA_ENOMEM;
}
