/* SPDX-License-Identifier: MIT */
#include "config.h"
#include <stdio.h>
#include "emit/csv/csv_aux.h"
#include "emit/csv/csv_table.h"
#include "emit/emitters.h"

static const char *const branch_columns[] = { "from", "to", "branch_flags", "counter", NULL };
static const char *const callchain_columns[] = { "ip", NULL };
static const char *const regs_columns[] = { "set", "register", "value", NULL };
static const char *const read_columns[] = { "id", "event", "value", "lost", NULL };

static const char *const stacks_columns[] = { "stack_id", "depth", "frame_id", "ip", "origin", NULL };
static const char *const frames_columns[] = {
	"frame_id", "dso", "build_id", "address", "symbol", "symbol_offset", "file", "line", "inlined", NULL
};

static const struct part_table {
	const char *name;
	enum csv_kind kind;
	const char *const *columns;
} part_tables[] = {
	{ "branches", CSV_BRANCHES, branch_columns },
	{ "callchain", CSV_CALLCHAIN, callchain_columns },
	{ "regs", CSV_REGS, regs_columns },
	{ "read_values", CSV_READ_VALUES, read_columns },
	{ "stacks", CSV_STACKS, stacks_columns },
	{ "frames", CSV_FRAMES, frames_columns },
	{ "aux_packets", CSV_AUX_PACKETS, pd_csv_packet_columns },
	{ "spe_samples", CSV_SPE_SAMPLES, pd_csv_spe_columns },
};
#define NR_PART_TABLES (sizeof part_tables / sizeof *part_tables)

/* --- columns ------------------------------------------------------------------------------------------------------------------- */

struct columns {
	struct pool *pool;
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

static void add(struct columns *columns, const char *prefix, const char *name, const char *suffix)
{
	if (is_there(columns, prefix, name, suffix))
		return;
	if (columns->nr == columns->room) {
		const size_t room = columns->room ? 2 * columns->room : 64;
		const char **names = pd_pool_alloc(columns->pool, room * sizeof *names);
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
	char *text = pd_pool_alloc(columns->pool, a + b + c + 1);
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

/* The rows of a layout; those of a part are one level deeper. */
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
		add(columns, prefix, field->name, "");
		if (field->show == PERFDATA_SHOW_ENUM || field->show == PERFDATA_SHOW_FLAGS)
			add(columns, prefix, field->name, "_raw");
		else if (field->show == PERFDATA_SHOW_TEXT)
			add(columns, prefix, field->name, "_hex");
		else if (field->show == PERFDATA_SHOW_RAW)
			add(columns, "", "fields", "");
	}
}

/* What a place has of parts are columns of their own. */
static void add_names(struct columns *columns, const struct csv_choice *choice)
{
	for (unsigned i = HEAD_COMM; i <= HEAD_STACK_ID; i++) {
		const char *name = pd_record_head_info(i)->name;
		if (!(choice->heads >> i & 1))
			continue;
		if (pd_record_head_info(i)->kind != HEAD_IS_LOCATION)
			add(columns, "", name, "");
		for (unsigned part = 0; pd_record_head_info(i)->kind == HEAD_IS_LOCATION && part < LOCATION_COUNT; part++) {
			char prefix[32];
			snprintf(prefix, sizeof prefix, "%s.", name);
			if (choice->locations >> part & 1)
				add(columns, prefix, pd_location_part_info(part)->name, "");
		}
	}
}

/* Offset, inner, file, … up to CPU; then the rows; then what stands behind them. */
static void add_table(struct columns *columns, const struct perfdata_layout *layout, const struct perfdata_trace_event *trace,
		      const struct trace_plan *plan, const struct csv_choice *choice)
{
	for (unsigned i = HEAD_OFFSET; i <= HEAD_CPU; i++)
		add(columns, "", pd_record_head_info(i)->name, "");
	if (!layout) {
		add(columns, "", pd_record_head_info(HEAD_TYPE_RAW)->name, "");
	} else {
		const size_t before = columns->nr;
		add_rows(columns, layout, "");
		const struct perfdata_layout *older;
		for (size_t i = 0; (older = perfdata_record_layout_at(i)); i++)
			if (older->id == layout->id)
				add_rows(columns, older, "");
		/* Instead of all fields in one cell. */
		size_t kept = before;
		for (size_t i = before; trace && i < columns->nr; i++)
			if (strcmp(columns->names[i], "fields"))
				columns->names[kept++] = columns->names[i];
		if (trace)
			columns->nr = kept;
		for (size_t i = 0; plan && i < plan->nr_rows; i++)
			add(columns, "fields.", plan->rows[i].name, "");
		if (layout->id != PERFDATA_RECORD_SAMPLE && layout->id < PERFDATA_RECORD_USER_FIRST)
			add_rows(columns, perfdata_sample_id_layout(), "sample_id.");
		if (layout->id == PERFDATA_RECORD_SAMPLE)
			add_names(columns, choice);
	}
	add(columns, "", pd_record_head_info(HEAD_REST)->name, "");
	add(columns, "", pd_record_head_info(HEAD_PROBLEM)->name, "");
}

/* --- finding a table ------------------------------------------------------------------------------------------------------------ */

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
			 "there is no table \"%.60s\": samples, a record type (mmap2, …), event:NAME, branches, callchain, regs, "
			 "read_values, stacks, frames, unknown, all", name);
	}
	return PERFDATA_EUSAGE;
}

static enum perfdata_status no_such_event(struct perfdata_error *reterr, const struct perfdata_reader *reader, const char *name)
{
	if (reterr) {
		reterr->status = PERFDATA_EUSAGE;
		reterr->offset = PERFDATA_NO_OFFSET;
		const struct perfdata_event *first = perfdata_reader_nr_events(reader) ? perfdata_reader_event(reader, 0) : NULL;
		snprintf(reterr->message, sizeof reterr->message, "the recording has no event \"%.60s\"%s%.60s%s", name,
			 first ? "; the first of its events is \"" : "", first ? first->name : "", first ? "\"" : "");
	}
	return PERFDATA_EUSAGE;
}

static enum perfdata_status find_kind(const char *name, struct csv_table *ret)
{
	if (!name || !strcmp(name, "samples"))
		name = "sample";
	for (size_t i = 0; i < NR_PART_TABLES; i++) {
		if (strcmp(part_tables[i].name, name))
			continue;
		ret->kind = part_tables[i].kind;
		ret->parts = part_tables[i].columns;
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

enum perfdata_status pd_csv_table_find(struct pool *pool, const struct csv_choice *choice, struct csv_table *ret,
				    struct perfdata_error *reterr)
{
	const char *name = choice->table;
	const char *list = choice->list;
	memset(ret, 0, sizeof *ret);
	if (find_kind(name, ret))
		return no_such_table(reterr, name);
	if (ret->parts) {
		if (!list)
			return PERFDATA_OK;
		if (reterr) {
			reterr->status = PERFDATA_EUSAGE;
			reterr->offset = PERFDATA_NO_OFFSET;
			snprintf(reterr->message, sizeof reterr->message, "the columns of table \"%s\" are fixed: no -e", name);
		}
		return PERFDATA_EUSAGE;
	}
	const struct trace_plan *plan = NULL;
	const struct perfdata_trace_event *trace = NULL;
	if (ret->kind == CSV_EVENT) {
		const struct perfdata_event *event = event_named(choice->reader, ret->event);
		if (!event)
			return no_such_event(reterr, choice->reader, ret->event);
		trace = event->trace;
		plan = trace ? pd_trace_plan_make(pool, trace) : NULL;
		if (trace && !plan)
			return PERFDATA_ENOMEM;
	}
	if (list)
		return pd_selection_parse(pool, list, &ret->columns, reterr);
	struct columns columns = { .pool = pool };
	add_table(&columns, ret->kind == CSV_UNKNOWN ? NULL : perfdata_record_layout(ret->type), trace, plan, choice);
	ret->columns = (struct selection){ columns.names, columns.nr };
	return columns.failed ? PERFDATA_ENOMEM : PERFDATA_OK;
}
