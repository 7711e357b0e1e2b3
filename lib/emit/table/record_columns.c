/* SPDX-License-Identifier: MIT */
#include "config.h"
#include <stdio.h>
#include "emit/table/record_columns.h"
#include "schema/schema.h"

struct columns {
	struct pd_arena *pool;
	const char **names;
	size_t nr, room;
	bool failed;
};

static bool is_there(const struct columns *columns, const char *prefix, const char *name, const char *suffix)
{
	const size_t a = strlen(prefix), b = strlen(name);
	for (size_t i = 0; i < columns->nr; i++)
		if (!strncmp(columns->names[i], prefix, a) && !strncmp(columns->names[i] + a, name, b) &&
		    !strcmp(columns->names[i] + a + b, suffix))
			return true;
	return false;
}

static void add_column(struct columns *columns, const char *prefix, const char *name, const char *suffix)
{
	if (is_there(columns, prefix, name, suffix))
		return;
	if (columns->nr == columns->room) {
		const size_t room = columns->room ? 2 * columns->room : 64;
		const char **names = pd_arena_calloc(columns->pool, room, sizeof *names);
		if (!names) {
			columns->failed = true;
			return;
		}
		if (columns->nr)
			memcpy(names, columns->names, columns->nr * sizeof *names);
		columns->names = names;
		columns->room = room;
	}
	const size_t a = strlen(prefix), b = strlen(name), c = strlen(suffix);
	char *text = pd_arena_calloc(columns->pool, 1, a + b + c + 1);
	if (!text) {
		columns->failed = true;
		return;
	}
	memcpy(text, prefix, a);
	memcpy(text + a, name, b);
	memcpy(text + a + b, suffix, c);
	columns->names[columns->nr++] = text;
}

static bool in_head(const char *name)
{
	return !strcmp(name, "time") || !strcmp(name, "pid") || !strcmp(name, "tid") || !strcmp(name, "cpu");
}

/* Adds the fields of a layout, and fields of its parts with a prefix. */
static void add_rows(struct columns *columns, const struct perfdata_layout *layout, const char *prefix)
{
	for (uint32_t i = 0; i < layout->nr_fields; i++) {
		const struct perfdata_field *field = &layout->fields[i];
		if (field->kind == PERFDATA_KIND_PAD || (!*prefix && in_head(field->name)))
			continue;
		if (field->kind == PERFDATA_KIND_STRUCT && !*prefix) {
			char deeper[64];
			snprintf(deeper, sizeof deeper, "%s.", field->name);
			add_rows(columns, field->element, deeper);
			continue;
		}
		add_column(columns, prefix, field->name, "");
		if (field->show == PERFDATA_SHOW_ENUM || field->show == PERFDATA_SHOW_FLAGS)
			add_column(columns, prefix, field->name, "_raw");
		else if (field->show == PERFDATA_SHOW_TEXT)
			add_column(columns, prefix, field->name, "_hex");
		else if (field->show == PERFDATA_SHOW_RAW)
			add_column(columns, "", "fields", "");
	}
}

/* Adds columns for names; each part of a location is a column. */
static void add_names(struct columns *columns, struct record_names choice)
{
	for (unsigned i = HEAD_COMM; i <= HEAD_STACK_ID; i++) {
		const char *name = pd_record_head_info(i)->name;
		if (!(choice.heads >> i & 1))
			continue;
		if (pd_record_head_info(i)->kind != HEAD_IS_LOCATION)
			add_column(columns, "", name, "");
		for (unsigned part = 0; pd_record_head_info(i)->kind == HEAD_IS_LOCATION && part < LOCATION_COUNT;
		     part++) {
			char prefix[32];
			snprintf(prefix, sizeof prefix, "%s.", name);
			if (choice.locations >> part & 1)
				add_column(columns, prefix, pd_location_part_info(part)->name, "");
		}
	}
}

/* Adds heads up to CPU, then the fields, then the other heads. */
static void add_table(struct columns *columns, const struct perfdata_layout *layout, const struct trace_plan *plan,
		      struct record_names choice)
{
	for (unsigned i = HEAD_OFFSET; i <= HEAD_CPU; i++)
		add_column(columns, "", pd_record_head_info(i)->name, "");
	if (!layout) {
		add_column(columns, "", pd_record_head_info(HEAD_TYPE_RAW)->name, "");
	} else {
		const size_t before = columns->nr;
		add_rows(columns, layout, "");
		const struct perfdata_layout *older;
		for (size_t i = 0; (older = perfdata_record_layout_at(i)); i++)
			if (older->id == layout->id)
				add_rows(columns, older, "");
		/* fields of the tracepoint replace the column with all of them */
		size_t kept = before;
		for (size_t i = before; plan && i < columns->nr; i++)
			if (strcmp(columns->names[i], "fields"))
				columns->names[kept++] = columns->names[i];
		if (plan)
			columns->nr = kept;
		for (size_t i = 0; plan && i < plan->nr_rows; i++)
			add_column(columns, "fields.", plan->rows[i].name, "");
		if (layout->id != PERFDATA_RECORD_SAMPLE && layout->id < PERFDATA_RECORD_USER_FIRST)
			add_rows(columns, pd_trailer_layout(), "sample_id.");
		if (layout->id == PERFDATA_RECORD_SAMPLE)
			add_names(columns, choice);
	}
	add_column(columns, "", pd_record_head_info(HEAD_REST)->name, "");
	add_column(columns, "", pd_record_head_info(HEAD_PROBLEM)->name, "");
}

bool pd_record_columns(struct pd_arena *pool, const struct perfdata_layout *layout, const struct trace_plan *plan,
		       struct record_names names, struct selection *ret)
{
	struct columns columns = { .pool = pool };
	add_table(&columns, layout, plan, names);
	*ret = (struct selection){ columns.names, columns.nr };
	return !columns.failed;
}
