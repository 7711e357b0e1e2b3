/* SPDX-License-Identifier: MIT */
/* Lists of tables and columns for users. */
#include "config.h"
#include <string.h>
#include "emit/table/table_rows.h"
#include "perfdata/describe.h"

static void line_of_column(struct perfdata_text *out, const struct table_column *column, const char *note)
{
	perfdata_text_string(out, column->name);
	perfdata_text_char(out, '\t');
	perfdata_text_string(out, pd_column_type_info(column->type)->name);
	perfdata_text_char(out, '\t');
	perfdata_text_string(out, pd_unit_name(column->unit));
	perfdata_text_string(out, column->required ? "\tno\t" : "\tyes\t");
	perfdata_text_string(out, column->doc);
	if (column->bulky)
		perfdata_text_literal(out, " In Parquet only with --columns.");
	if (column->derived)
		perfdata_text_literal(out, " Not in CSV.");
	perfdata_text_string(out, note);
	perfdata_text_char(out, '\n');
}

/* Columns that only CSV has, since its rows differ. */
static void lines_of_csv(struct perfdata_text *out, const struct table *table)
{
	const struct table_row *row;
	size_t i = 0;
	while ((row = pd_table_row_at(i)) && strcmp(row->name, table->name))
		i++;
	if (!row || !row->in_csv)
		return;
	for (const struct table_column *column = pd_table_own_columns(row->in_csv); column->name; column++) {
		size_t known = 0;
		while (known < table->nr_columns && strcmp(table->columns[known].name, column->name))
			known++;
		if (known == table->nr_columns)
			line_of_column(out, column, " Only in CSV.");
	}
}

static void list_tables(struct perfdata_text *out)
{
	const struct table_row *row;
	perfdata_text_literal(out, "table\tmeaning\n");
	for (size_t i = 0; (row = pd_table_row_at(i)); i++) {
		perfdata_text_string(out, row->name);
		perfdata_text_char(out, '\t');
		perfdata_text_string(out, row->doc);
		if (row->on_request)
			perfdata_text_literal(out, " Only with --table.");
		perfdata_text_char(out, '\n');
	}
	perfdata_text_literal(out, "event:NAME\tOne row for each sample of a tracepoint, with its fields; one table "
				   "for each tracepoint with samples.\n");
}

enum perfdata_status perfdata_describe_table(struct perfdata_text *out, const char *name)
{
	struct pd_arena pool = { 0 };
	struct table table;
	if (!name) {
		list_tables(out);
		return PERFDATA_OK;
	}
	const enum perfdata_status status = pd_table_make(&pool, name, &table);
	if (!status)
		perfdata_text_literal(out, "column\ttype\tunit\tnull\tmeaning\n");
	for (size_t i = 0; !status && i < table.nr_columns; i++)
		line_of_column(out, &table.columns[i], "");
	if (!status)
		lines_of_csv(out, &table);
	pd_arena_release(&pool);
	return status;
}
