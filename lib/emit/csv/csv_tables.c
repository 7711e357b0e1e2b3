/* SPDX-License-Identifier: MIT */
/* Which tables a recording has, and which records their rows are. */
#include "config.h"
#include <stdlib.h>
#include "emit/csv/csv_described.h"
#include "emit/csv/csv_table.h"
#include "perfdata/describe.h"

#define EVENT_PREFIX "event:"

const char *pd_csv_table_event(const char *table)
{
	const size_t size = strlen(EVENT_PREFIX);
	return table && !strncmp(table, EVENT_PREFIX, size) ? table + size : NULL;
}

bool pd_csv_table_row(const char *table, struct table_row *ret)
{
	if (pd_csv_table_event(table) || (table && !strcmp(table, "unknown"))) {
		*ret = (struct table_row){ .name = table, .rows = TABLE_OF_RECORDS };
		if (pd_csv_table_event(table)) {
			ret->rows = TABLE_OF_EVENT;
			ret->types[0] = PERFDATA_RECORD_SAMPLE;
		}
		return true;
	}
	if (!pd_table_row_named(table ? table : "samples", ret))
		return false;
	if (ret->in_csv)
		ret->rows = ret->in_csv;
	return true;
}

/* --- what a recording has ----------------------------------------------------------------------------------------- */

struct table_list {
	enum perfdata_status (*add)(void *user, const char *name);
	void *user;
	enum perfdata_status status;
};

static void add_name(struct table_list *list, const char *name)
{
	if (!list->status)
		list->status = list->add(list->user, name);
}

static void add_types(struct table_list *list, const struct perfdata_summary *summary)
{
	bool unknown = false;
	for (size_t i = 0; i < summary->nr_types; i++) {
		const struct perfdata_layout *layout = perfdata_record_layout(summary->types[i].type);
		/* LOST records are in the described table `lost` */
		if (layout && !pd_csv_is_described(layout->name))
			add_name(list, layout->id == PERFDATA_RECORD_SAMPLE ? "samples" : layout->name);
		unknown |= !layout;
	}
	if (unknown)
		add_name(list, "unknown");
	for (size_t i = 0; i < summary->nr_types; i++)
		if (summary->types[i].type == PERFDATA_RECORD_AUXTRACE)
			add_name(list, "aux_packets");
}

static void add_event(struct table_list *list, const char *name)
{
	char *table = malloc(strlen(EVENT_PREFIX) + strlen(name) + 1);
	if (!table) {
		list->status = PERFDATA_ENOMEM;
		return;
	}
	strcpy(stpcpy(table, EVENT_PREFIX), name);
	add_name(list, table);
	free(table);
}

/* Adds tables of tracepoints, and of lists inside samples. */
static void add_events(struct table_list *list, const struct perfdata_summary *summary)
{
	static const struct { uint64_t bits; const char *table;
	} parts[] = {
		{ PERFDATA_SAMPLE_BRANCH_STACK, "branches" },
		{ PERFDATA_SAMPLE_CALLCHAIN, "callchain" },
		{ PERFDATA_SAMPLE_REGS_USER | PERFDATA_SAMPLE_REGS_INTR, "regs" },
		{ PERFDATA_SAMPLE_READ, "read_values" },
	};
	uint64_t bits = 0;
	for (size_t i = 0; i < summary->nr_events; i++) {
		const struct perfdata_event *event = summary->events[i].event;
		if (!event || !summary->events[i].samples)
			continue;
		bits |= event->attr->sample_type;
		if (event->trace)
			add_event(list, event->name);
	}
	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
		if (bits & parts[i].bits)
			add_name(list, parts[i].table);
}

enum perfdata_status perfdata_describe_tables(const struct perfdata_summary *summary,
					      enum perfdata_status (*add_table)(void *user, const char *name),
					      void *user)
{
	struct table_list list = { .add = add_table, .user = user };
	const char *name;
	for (size_t i = 0; (name = pd_table_name_at(i)); i++)
		if (pd_csv_is_described(name))
			add_name(&list, name);
	add_types(&list, summary);
	add_events(&list, summary);
	return list.status;
}
