/* SPDX-License-Identifier: MIT */
#include "config.h"
#include <stdio.h>
#include "base/error.h"
#include "base/memory.h"
#include "emit/spell/feature_json.h"
#include "emit/spell/location_json.h"
#include "emit/table/aux_cells.h"
#include "emit/table/part_values.h"
#include "emit/table/record_cells.h"
#include "emit/table/span_cells.h"
#include "emit/table/table_set.h"
#include "profile/profile.h"
#include "reader/reader.h"
#include "session/session.h"

#define EVENT_PREFIX "event:"

/* --- which tables ------------------------------------------------------------------------------------------------- */

static bool list_has(const char *list, const char *name)
{
	for (const char *at = list; at; at = strchr(at, ',')) {
		at += *at == ',';
		if (strcspn(at, ",") == strlen(name) && !strncmp(at, name, strlen(name)))
			return true;
	}
	return false;
}

uint32_t pd_table_set_needs(const struct perfdata_emitter_option_value *options, size_t nr_options)
{
	const char *tables = perfdata_option_text(options, nr_options, "table");
	const bool samples = !tables || list_has(tables, "samples") || list_has(tables, "stacks") ||
			     list_has(tables, "frames") || strstr(tables, EVENT_PREFIX);
	/* sums of spans need no records */
	if (tables && !strcmp(tables, "threads_time"))
		return PERFDATA_NEED_THREADS;
	const bool files = list_has(tables, "build_ids") || list_has(tables, "spe_samples");
	const uint32_t stacks = samples ? NEEDS_OF_STACKS | PERFDATA_NEED_STACK_IDS : 0;
	const uint32_t of_spans = list_has(tables, "spans") ? NEEDS_OF_STACKS | PERFDATA_NEED_STACK_IDS : 0;
	return PERFDATA_NEED_RECORDS | stacks | of_spans |
	       (list_has(tables, "aux_packets") ? (uint32_t)PERFDATA_NEED_PAYLOADS : 0) |
	       (files ? PERFDATA_NEED_DELIVERIES | PERFDATA_NEED_THREADS | PERFDATA_NEED_FRAMES : 0);
}

uint32_t pd_table_set_spans(const struct perfdata_emitter_option_value *options, size_t nr_options)
{
	const char *tables = perfdata_option_text(options, nr_options, "table");
	const bool spans = list_has(tables, "spans");
	return pd_span_kinds_of(spans, perfdata_option_flag(options, nr_options, "with-run-spans", false),
				list_has(tables, "threads_time")) |
	       (spans ? PD_SPANS_ARGS : 0);
}

uint32_t pd_table_set_trace_samples(const struct perfdata_emitter_option_value *options, size_t nr_options)
{
	const char *tables = perfdata_option_text(options, nr_options, "table");
	return list_has(tables, "spe_samples") ? PERFDATA_TRACE_OPERATIONS : 0;
}

static enum perfdata_status no_table(const char *name, size_t size, struct perfdata_error *reterr)
{
	char wanted[64];
	struct perfdata_error error;
	snprintf(wanted, sizeof wanted, "%.*s", (int)(size < 60 ? size : 60), name);
	return pd_error(reterr ? reterr : &error, PERFDATA_EUSAGE, PERFDATA_NO_OFFSET,
			"there is no table \"%.30s\": there are " TABLE_NAMES
			", event:NAME and others (see perfdata schema --columns --table all)",
			wanted);
}

/* The member of the set for the number of the only table of this kind; NULL: several tables of this kind, or not
 * requestable. */
static int *number_of(struct table_set *set, enum table_rows rows)
{
	switch (rows) {
	case TABLE_OF_STACKS: return &set->stacks;
	case TABLE_OF_FRAMES: return &set->frames;
	case TABLE_OF_PACKETS: return &set->packets;
	case TABLE_OF_SPE_SAMPLES: return &set->spe_samples;
	case TABLE_OF_BRANCHES: return &set->branches;
	case TABLE_OF_REGS: return &set->regs;
	case TABLE_OF_READ_VALUES: return &set->read_values;
	case TABLE_OF_SPANS: return &set->spans;
	default: return NULL;
	}
}

/* Adds a table with the requested columns. */
static enum perfdata_status add_table(struct table_set *set, const struct table *made, bool strict,
				      struct perfdata_error *reterr)
{
	if (set->nr_tables == MOST_TABLES)
		return pd_error(reterr, PERFDATA_ELIMIT, PERFDATA_NO_OFFSET,
				"more than %u tables: choose some with --table", MOST_TABLES);
	struct table *table = pd_arena_calloc(&set->pool, 1, sizeof *table);
	if (!table)
		return PERFDATA_ENOMEM;
	*table = *made;
	const bool chosen = set->columns || !set->everything;
	const enum perfdata_status status =
		chosen ? pd_table_choose(&set->pool, table, set->columns, strict, reterr) : PERFDATA_OK;
	if (status)
		return status;
	int *number = number_of(set, table->rows);
	if (number)
		*number = (int)set->nr_tables;
	if (table->rows == TABLE_OF_RECORDS)
		set->of_records[set->nr_of_records++] = (uint16_t)set->nr_tables;
	set->tables[set->nr_tables++] = table;
	return PERFDATA_OK;
}

/* Adds a table of --table. The table of an event is added at its first sample. */
static enum perfdata_status add_asked(struct table_set *set, const char *name, size_t size, bool alone,
				      struct perfdata_error *reterr)
{
	struct table table;
	char *copy = pd_arena_calloc(&set->pool, 1, size + 1);
	if (!copy)
		return PERFDATA_ENOMEM;
	memcpy(copy, name, size);
	if (!strncmp(copy, EVENT_PREFIX, strlen(EVENT_PREFIX)))
		return PERFDATA_OK;
	const enum perfdata_status status = pd_table_make(&set->pool, copy, &table);
	return status == PERFDATA_EUSAGE ? no_table(name, size, reterr)
	       : status                  ? status
					 : add_table(set, &table, alone, reterr);
}

static enum perfdata_status add_tables(struct table_set *set, const char *asked, struct perfdata_error *reterr)
{
	enum perfdata_status status = PERFDATA_OK;
	const char *name;
	struct table table;
	for (size_t i = 0; !asked && !status && (name = pd_table_name_at(i)); i++) {
		status = pd_table_make(&set->pool, name, &table);
		if (!status)
			status = add_table(set, &table, false, reterr);
	}
	for (const char *at = asked; at && !status; at = strchr(at, ',')) {
		at += *at == ',';
		status = add_asked(set, at, strcspn(at, ","), !strchr(asked, ','), reterr);
	}
	return status;
}

enum perfdata_status pd_table_set_init(struct table_set *set, const struct perfdata_emit_context *context)
{
	const char *recording = perfdata_option_text(context->options, context->nr_options, "recording");
	set->reader = context->reader;
	set->session = context->session;
	set->account = pd_profile_account_of(context->session);
	set->recording = recording ? recording : context->recording;
	set->columns = perfdata_option_text(context->options, context->nr_options, "columns");
	set->asked = perfdata_option_text(context->options, context->nr_options, "table");
	set->stacks = set->frames = set->packets = set->spe_samples = -1;
	set->branches = set->regs = set->read_values = set->spans = -1;
	set->span_kinds = pd_span_kinds_of(
		true, perfdata_option_flag(context->options, context->nr_options, "with-run-spans", false), false);
	set->world.heads = UINT32_C(1) << HEAD_COMM | UINT32_C(1) << HEAD_STACK_ID;
	set->world.stacks_by_id = true;
	set->world.locations =
		LOCATION_NAMES |
		(perfdata_option_flag(context->options, context->nr_options, "lines", false) ? LOCATION_LINES : 0);
	set->new_stacks.session = set->new_frames.session = context->session;
	if (!pd_record_world_init(&set->world, context) ||
	    !pd_json_style_init(&set->style, &set->world.pool, context->reader, pd_feature_json_payload))
		return PERFDATA_ENOMEM;
	if (list_has(set->asked, "threads_time") && !(set->thread_times = pd_thread_times_new(context->session)))
		return PERFDATA_ENOMEM;
	const enum perfdata_status status = add_tables(set, set->asked, context->reterr);
	set->new_stacks.what = set->stacks >= 0 ? EMITTED_STACKS : EMITTED_NO_IDS;
	set->new_frames.what = set->frames >= 0 ? EMITTED_FRAMES : EMITTED_NO_IDS;
	return status;
}

void pd_table_set_release(struct table_set *set)
{
	pd_record_world_release(&set->world);
	pd_arena_release(&set->pool);
	pd_emitted_release(&set->new_stacks);
	pd_emitted_release(&set->new_frames);
	pd_aux_carry_release(&set->traces);
	pd_thread_times_free(set->thread_times);
	pd_free(set->event_seen);
}

/* --- scan --------------------------------------------------------------------------------------------------------- */

static int table_of_event(const struct table_set *set, unsigned nr_tables, const char *event)
{
	for (unsigned i = 0; i < nr_tables; i++)
		if (set->tables[i]->rows == TABLE_OF_EVENT && !strcmp(set->tables[i]->event, event))
			return (int)i;
	return -1;
}

static bool event_is_wanted(const struct table_set *set, const char *event)
{
	char *name;
	if (!set->asked)
		return true;
	name = pd_malloc(strlen(event) + sizeof EVENT_PREFIX);
	if (!name)
		return true;
	strcpy(stpcpy(name, EVENT_PREFIX), event);
	const bool wanted = list_has(set->asked, name);
	pd_free(name);
	return wanted;
}

/* Adds the table of a tracepoint at its first sample. */
static enum perfdata_status see_event(struct table_set *set, const struct perfdata_event *event,
				      enum perfdata_status (*added)(void *user, const struct table *table), void *user)
{
	struct table table;
	if (pd_vector_reach(&set->event_seen, &set->nr_event_seen, event->version, sizeof *set->event_seen) < 0)
		return PERFDATA_ENOMEM;
	if (set->event_seen[event->version])
		return PERFDATA_OK;
	set->event_seen[event->version] = true;
	if (!event->trace || table_of_event(set, set->nr_tables, event->name) >= 0 ||
	    !event_is_wanted(set, event->name))
		return PERFDATA_OK;
	enum perfdata_status status = pd_table_make_event(&set->pool, event, &table);
	if (!status)
		status = add_table(set, &table, false, NULL);
	if (status)
		return status;
	status = added ? added(user, set->tables[set->nr_tables - 1]) : PERFDATA_OK;
	/* no other thread knows the table yet */
	set->nr_tables -= status != PERFDATA_OK;
	return status;
}

enum perfdata_status pd_table_set_predeclare(struct table_set *set)
{
	const struct perfdata_event *event;
	enum perfdata_status status = PERFDATA_OK;
	for (size_t i = 0; !status && (event = perfdata_reader_event(set->reader, i)); i++)
		if (event->trace)
			status = see_event(set, event, NULL, NULL);
	return status;
}

enum perfdata_status pd_table_set_scan(struct table_set *set, const struct perfdata_batch *batch,
				       struct table_value **ret,
				       enum perfdata_status (*added)(void *user, const struct table *table), void *user)
{
	struct table_value *value = pd_calloc(1, sizeof *value);
	enum perfdata_status status = value ? PERFDATA_OK : PERFDATA_ENOMEM;
	for (size_t i = 0; i < batch->nr_records && !status; i++)
		if (batch->records[i].type == PERFDATA_RECORD_SAMPLE && batch->records[i].event &&
		    !(batch->records[i].event->version < set->nr_event_seen &&
		      set->event_seen[batch->records[i].event->version]))
			status = see_event(set, batch->records[i].event, added, user);
	for (size_t i = 0; set->packets >= 0 && i < batch->nr_records && !status; i++)
		status = pd_aux_scan(&set->traces, set->reader, &batch->records[i], &value->pieces);
	if (set->thread_times && !status && !pd_thread_times_add(set->thread_times, batch))
		status = PERFDATA_ENOMEM;
	if (!status)
		status = pd_emitted_scan(&set->new_stacks, batch, &value->stacks);
	if (!status)
		status = pd_emitted_scan(&set->new_frames, batch, &value->frames);
	if (status) {
		pd_table_value_free(value);
		return status;
	}
	value->nr_tables = set->nr_tables;
	*ret = value;
	return PERFDATA_OK;
}

void pd_table_value_free(void *pointer)
{
	struct table_value *value = pointer;
	if (!value)
		return;
	pd_emitted_batch_free(value->stacks);
	pd_emitted_batch_free(value->frames);
	pd_aux_pieces_release(&value->pieces);
	pd_free(value);
}

/* --- rows of a batch ---------------------------------------------------------------------------------------------- */

#define MOST_PLAIN 4u

/* How samples of an event fill tables without being decoded. */
struct plain_rows {
	enum { PLAIN_NOT_LOOKED, PLAIN_NO, PLAIN_YES } known;
	bool fields_are_whole;        /* true: plans are for samples with complete fields */
	unsigned nr;
	struct {
		unsigned number;
		const struct row_plan *plan;
	} tables[MOST_PLAIN];
};
/* State of an event version. */
struct event_rows {
	int table;                    /* number of its table + 1; 0: not looked up yet, -1: none */
	struct plain_rows plain;
};
struct table_scratch {
	struct record_cache records;
	struct row_plans plans;
	struct event_rows *events;    /* by version of the event */
	size_t nr_events;
	struct open_rows **open;      /* by table: growing rows of a batch; or NULL */
	size_t nr_open;
};

void pd_table_scratch_free(void *pointer)
{
	struct table_scratch *scratch = pointer;
	if (!scratch)
		return;
	pd_record_cache_release(&scratch->records);
	pd_row_plans_release(&scratch->plans);
	pd_free(scratch->events);
	for (size_t i = 0; i < scratch->nr_open; i++)
		pd_open_rows_free(scratch->open[i]);
	pd_free(scratch->open);
	pd_free(scratch);
}

static bool scratch_ready(struct table_scratch **scratch, unsigned nr_tables)
{
	if (!*scratch) {
		*scratch = pd_calloc(1, sizeof **scratch);
		if (!*scratch)
			return false;
		if (!pd_record_cache_init(&(*scratch)->records)) {
			pd_table_scratch_free(*scratch);
			*scratch = NULL;
			return false;
		}
	}
	return pd_vector_reach(&(*scratch)->open, &(*scratch)->nr_open, nr_tables, sizeof *(*scratch)->open) == 0;
}

/* The state while the rows of a batch are made. */
struct batch_filler {
	const struct table_set *set;
	const struct perfdata_batch *batch;
	const struct table_value *value;
	struct table_scratch *scratch;
	struct perfdata_text *room;
	bool has_parts;               /* some table has the parts of records as rows */
};

/* The growing rows of a table; NULL without memory. */
static struct open_rows *rows_of(struct batch_filler *filler, unsigned number)
{
	struct open_rows **rows = &filler->scratch->open[number];
	if (!*rows)
		*rows = pd_open_rows_new(filler->set->tables[number]);
	return *rows;
}

/* NULL without memory. */
static struct event_rows *rows_of_event(struct batch_filler *filler, const struct perfdata_event *event)
{
	struct table_scratch *scratch = filler->scratch;
	if (pd_vector_reach(&scratch->events, &scratch->nr_events, event->version, sizeof *scratch->events) < 0)
		return NULL;
	struct event_rows *known = &scratch->events[event->version];
	if (!known->table) {
		const int found = event->trace ? table_of_event(filler->set, filler->value->nr_tables, event->name)
					       : -1;
		known->table = found < 0 ? -1 : found + 1;
	}
	return known;
}

static bool is_of(const struct table *table, uint32_t type)
{
	for (unsigned i = 0; i < table->nr_types; i++)
		if (table->types[i] == type)
			return true;
	return false;
}

static bool add_row(struct batch_filler *filler, struct record *r, unsigned number, const struct row_plan *plan)
{
	struct open_rows *rows = plan ? rows_of(filler, number) : NULL;
	if (!rows)
		return false;
	pd_record_cells(plan, r, filler->set->tables[number], rows, filler->room);
	return true;
}

static bool add_decoded_row(struct batch_filler *filler, struct record *r, unsigned number)
{
	struct table_scratch *scratch = filler->scratch;
	return add_row(filler, r, number, pd_row_plan(&scratch->plans, r, filler->set->tables[number], number, true));
}

static bool add_plain(struct batch_filler *filler, const struct record *r, struct plain_rows *plain, unsigned number)
{
	const struct row_plan *plan = NULL;
	if (plain->nr < MOST_PLAIN)
		plan = pd_row_plan(&filler->scratch->plans, r, filler->set->tables[number], number, false);
	if (!plan || pd_row_plan_is_of_view(plan))
		return false;
	plain->tables[plain->nr].number = number;
	plain->tables[plain->nr++].plan = plan;
	return true;
}

/* Looks up how samples like this one, which is not decoded, fill tables. */
static void look_at_plain(struct batch_filler *filler, const struct record *r, struct event_rows *event)
{
	const struct table_set *set = filler->set;
	struct plain_rows *plain = &event->plain;
	bool ok = true;
	for (unsigned i = 0; i < set->nr_of_records && ok; i++)
		if (is_of(set->tables[set->of_records[i]], PERFDATA_RECORD_SAMPLE))
			ok = add_plain(filler, r, plain, set->of_records[i]);
	if (event->table > 0)
		ok = ok && add_plain(filler, r, plain, (unsigned)event->table - 1);
	plain->fields_are_whole = pd_record_fields_are_whole(r);
	plain->known = ok ? PLAIN_YES : PLAIN_NO;
}

/* Adds a sample without decoding it. *done false: it has to be decoded. */
static bool rows_of_plain(struct batch_filler *filler, struct record *r, const struct perfdata_raw *raw,
			  struct event_rows *event, bool *done)
{
	struct plain_rows *plain = &event->plain;
	if (plain->known == PLAIN_NO || !pd_record_load_plain(r, raw))
		return true;
	if (plain->known == PLAIN_NOT_LOOKED)
		look_at_plain(filler, r, event);
	if (plain->known == PLAIN_NO || plain->fields_are_whole != pd_record_fields_are_whole(r))
		return true;
	for (unsigned i = 0; i < plain->nr; i++)
		if (!add_row(filler, r, plain->tables[i].number, plain->tables[i].plan))
			return false;
	*done = true;
	return true;
}

#define MOST_FIXED 48u

/* For a table whose rows are not records: index of each of its columns in the open rows. */
static void columns_by_number(const struct table *table, uint32_t *ret, size_t nr)
{
	const struct table_row *row = NULL;
	for (size_t i = 0; (row = pd_table_row_at(i)) && strcmp(row->name, table->name);)
		i++;
	for (size_t i = 0; i < nr; i++)
		ret[i] = UINT32_MAX;
	for (size_t i = 0; row && row->columns && i < nr && row->columns[i].name; i++)
		for (size_t k = 0; k < table->nr_columns; k++)
			if (!strcmp(table->columns[k].name, row->columns[i].name))
				ret[i] = (uint32_t)k;
}

static bool has_parts(const struct table_set *set)
{
	return set->branches >= 0 || set->regs >= 0 || set->read_values >= 0;
}

static bool rows_of_part_table(struct batch_filler *filler, struct record *r, int number)
{
	uint32_t columns[MOST_FIXED];
	struct part_walk walk;
	struct open_rows *rows = NULL;
	if (number < 0)
		return true;
	const struct table *table = filler->set->tables[number];
	pd_parts_begin(&walk, r, table->rows);
	while (pd_parts_next(&walk)) {
		if (!rows) {
			columns_by_number(table, columns, MOST_FIXED);
			rows = rows_of(filler, (unsigned)number);
		}
		if (!rows)
			return false;
		const struct row_cells to = { columns, rows, rows->rows++ };
		pd_part_cells(&walk, &to, filler->room);
	}
	return true;
}

static bool rows_of_parts(struct batch_filler *filler, struct record *r)
{
	return rows_of_part_table(filler, r, filler->set->branches) &&
	       rows_of_part_table(filler, r, filler->set->regs) &&
	       rows_of_part_table(filler, r, filler->set->read_values);
}

static bool rows_of_record(struct batch_filler *filler, struct record *r, const struct perfdata_raw *raw,
			   struct found_batch **found)
{
	const struct table_set *set = filler->set;
	struct event_rows *event = NULL;
	bool done = false;
	if (raw->type == PERFDATA_RECORD_SAMPLE && raw->event) {
		event = rows_of_event(filler, raw->event);
		if (!event || (!filler->has_parts && !rows_of_plain(filler, r, raw, event, &done)))
			return false;
	}
	if (!done && !pd_record_load(r, raw, found))
		return false;
	for (unsigned i = 0; i < set->nr_of_records && !done; i++)
		if (is_of(set->tables[set->of_records[i]], raw->type) &&
		    !add_decoded_row(filler, r, set->of_records[i]))
			return false;
	if (!done && event && event->table > 0 && !add_decoded_row(filler, r, (unsigned)event->table - 1))
		return false;
	if (filler->has_parts && !rows_of_parts(filler, r))
		return false;
	pd_record_done(r, found);
	return true;
}

static void put_cell(struct open_rows *rows, const uint32_t *columns, unsigned column, uint32_t row, uint64_t value)
{
	if (columns[column] != UINT32_MAX)
		pd_cells_put(&rows->columns[columns[column]], row, value);
}

static void put_text(struct open_rows *rows, const uint32_t *columns, unsigned column, uint32_t row, const void *text,
		     size_t size)
{
	if (columns[column] == UINT32_MAX)
		return;
	struct cells *cells = &rows->columns[columns[column]];
	pd_cells_put(cells, row, pd_cells_utf8(cells, text, size));
}

static void put_name(struct open_rows *rows, const uint32_t *columns, unsigned column, uint32_t row, const char *name)
{
	if (columns[column] == UINT32_MAX)
		return;
	struct cells *cells = &rows->columns[columns[column]];
	pd_cells_put(cells, row, pd_cells_name(cells, name));
}

static bool rows_of_stacks(struct batch_filler *filler)
{
	uint32_t columns[MOST_FIXED];
	struct open_rows *rows = filler->value->stacks->nr_ids ? rows_of(filler, (unsigned)filler->set->stacks) : NULL;
	columns_by_number(filler->set->tables[filler->set->stacks], columns, MOST_FIXED);
	for (size_t i = 0; rows && i < filler->value->stacks->nr_ids; i++) {
		const struct perfdata_delivery *delivery = &filler->batch->deliveries[filler->value->stacks->ids[i]];
		size_t nr;
		const struct perfdata_step *steps = perfdata_batch_stack(filler->batch, delivery, &nr);
		for (size_t k = 0; k < nr; k++) {
			const uint32_t row = rows->rows++;
			put_cell(rows, columns, STACKS_STACK_ID, row, delivery->stack);
			put_cell(rows, columns, STACKS_DEPTH, row, k);
			if (steps[k].frame != PERFDATA_NONE)
				put_cell(rows, columns, STACKS_FRAME_ID, row, steps[k].frame);
			else
				put_cell(rows, columns, STACKS_UNMAPPED_IP, row, steps[k].ip);
			put_cell(rows, columns, STACKS_IP, row, steps[k].ip);
			put_name(rows, columns, STACKS_ORIGIN, row, pd_location_origin_name(steps[k].origin));
		}
	}
	return rows || !filler->value->stacks->nr_ids;
}

static void row_of_frame(struct batch_filler *filler, const struct emitted_names *names, uint32_t frame,
			 const uint32_t *columns, struct open_rows *rows)
{
	struct location place;
	const struct perfdata_frame *at = perfdata_session_frame(names->session, frame);
	const uint32_t row = rows->rows++;
	pd_location_load(names, frame, filler->set->world.locations, &place);
	put_cell(rows, columns, FRAMES_FRAME_ID, row, frame);
	if (at && at->dso != PERFDATA_NONE)
		put_cell(rows, columns, FRAMES_DSO_ID, row, at->dso);
	for (unsigned i = 0; i < LOCATION_COUNT; i++) {
		if (!(place.present & LOCATION_BIT(i)))
			continue;
		perfdata_text_clear(filler->room);
		switch (i) {
		case LOCATION_ADDRESS: case LOCATION_SYMBOL_OFFSET: case LOCATION_LINE:
			put_cell(rows, columns, FRAMES_LOCATION + i, row, place.number[i]);
			continue;
		case LOCATION_BUILD_ID:
			perfdata_text_bytes_hex(filler->room, place.text[i].data, place.text[i].size);
			break;
		case LOCATION_INLINED:
			pd_location_json_value(filler->room, &place, LOCATION_INLINED, false);
			break;
		case LOCATION_DSO:
			put_name(rows, columns, FRAMES_LOCATION + i, row, (const char *)place.text[i].data);
			continue;
		default:
			put_text(rows, columns, FRAMES_LOCATION + i, row, place.text[i].data, place.text[i].size);
			continue;
		}
		put_text(rows, columns, FRAMES_LOCATION + i, row, filler->room->data, filler->room->size);
	}
}

static bool rows_of_frames(struct batch_filler *filler)
{
	uint32_t columns[MOST_FIXED];
	const struct emitted_batch *frames = filler->value->frames;
	const struct emitted_names names = { filler->batch->session, frames->known };
	struct open_rows *rows = frames->nr_ids ? rows_of(filler, (unsigned)filler->set->frames) : NULL;
	columns_by_number(filler->set->tables[filler->set->frames], columns, MOST_FIXED);
	for (size_t i = 0; rows && i < frames->nr_ids; i++)
		row_of_frame(filler, &names, frames->ids[i], columns, rows);
	return rows || !frames->nr_ids;
}

static bool rows_of_packets(struct batch_filler *filler)
{
	uint32_t columns[MOST_FIXED];
	const struct pd_aux_pieces *pieces = &filler->value->pieces;
	struct open_rows *rows = pieces->nr ? rows_of(filler, (unsigned)filler->set->packets) : NULL;
	columns_by_number(filler->set->tables[filler->set->packets], columns, MOST_FIXED);
	for (size_t i = 0; rows && i < pieces->nr; i++)
		pd_aux_cells_packets(&pieces->list[i], columns, rows, filler->room);
	return rows || !pieces->nr;
}

static bool rows_of_spans(struct batch_filler *filler)
{
	uint32_t columns[MOST_FIXED];
	size_t nr;
	(void)pd_batch_spans(filler->batch, &nr);
	struct open_rows *rows = nr ? rows_of(filler, (unsigned)filler->set->spans) : NULL;
	columns_by_number(filler->set->tables[filler->set->spans], columns, MOST_FIXED);
	if (rows)
		pd_span_cells(filler->batch, filler->set->span_kinds, columns, rows,
			      &(const struct span_writing){ &filler->scratch->records, &filler->set->style,
							    filler->room });
	return rows || !nr;
}

/* Whether the row is a piece of payload or a sample made from a trace, which are not records. */
static bool row_of_trace(struct batch_filler *filler, const struct record *r, const struct perfdata_raw *raw)
{
	uint32_t columns[MOST_FIXED];
	struct pd_spe_row row;
	if (filler->set->spe_samples < 0 || !pd_spe_row_of_sample(raw, &row))
		return true;
	struct open_rows *rows = rows_of(filler, (unsigned)filler->set->spe_samples);
	columns_by_number(filler->set->tables[filler->set->spe_samples], columns, MOST_FIXED);
	if (rows)
		pd_aux_cells_sample(&row, r, columns, rows);
	return rows;
}

static bool make_rows(struct batch_filler *filler, struct found_batch **found)
{
	struct writing writing = { filler->room, &filler->set->style };
	struct record r = { .world = &filler->set->world,
			    .cache = &filler->scratch->records,
			    .writing = &writing,
			    .batch = filler->batch };
	size_t delivery = 0;
	r.emitted = (struct emitted_names){ filler->batch->session, filler->value->frames->known };
	for (size_t i = 0; i < filler->batch->nr_records; i++) {
		const struct perfdata_raw *raw = &filler->batch->records[i];
		r.delivery = pd_emitted_delivery(filler->batch, &delivery, raw);
		if (raw->flags & (PERFDATA_RAW_PAYLOAD | PERFDATA_RAW_SYNTHESIZED)) {
			if (!row_of_trace(filler, &r, raw))
				return false;
			continue;
		}
		if (!rows_of_record(filler, &r, &filler->batch->records[i], found))
			return false;
	}
	if (r.failed || (filler->set->packets >= 0 && !rows_of_packets(filler)))
		return false;
	return (filler->set->spans < 0 || rows_of_spans(filler)) &&
	       (filler->set->stacks < 0 || rows_of_stacks(filler)) &&
	       (filler->set->frames < 0 || rows_of_frames(filler));
}

/* Adds the column `recording`. PERFDATA_ENOMEM, PERFDATA_ELIMIT: some cells are missing. */
static enum perfdata_status finish_rows(struct open_rows *rows, const struct table *table, const char *recording)
{
	bool failed = false, is_full = false;
	pd_record_cells_end(rows);
	if (table->nr_columns && !table->columns[0].select && !strcmp(table->columns[0].name, "recording"))
		pd_cells_repeat(&rows->columns[0], 0, rows->rows, pd_cells_name(&rows->columns[0], recording));
	for (size_t i = 0; i < rows->nr_columns; i++) {
		failed |= rows->columns[i].failed;
		is_full |= rows->columns[i].is_full;
	}
	return is_full ? PERFDATA_ELIMIT : failed ? PERFDATA_ENOMEM : PERFDATA_OK;
}

enum perfdata_status pd_table_set_rows(const struct table_set *set, const struct perfdata_batch *batch,
				       const struct table_value *value, struct table_scratch **scratch,
				       struct perfdata_text *room, struct table_part **ret, struct found_batch **found)
{
	struct table_part **last = ret;
	*ret = NULL;
	if (!scratch_ready(scratch, value->nr_tables))
		return PERFDATA_ENOMEM;
	struct batch_filler filler = { .set = set, .batch = batch, .value = value, .scratch = *scratch, .room = room,
				       .has_parts = has_parts(set) };
	enum perfdata_status status = make_rows(&filler, found) ? PERFDATA_OK : PERFDATA_ENOMEM;
	for (unsigned i = 0; i < value->nr_tables; i++) {
		struct open_rows *rows = (*scratch)->open[i];
		if (!rows || !rows->rows)
			continue;
		const enum perfdata_status finished = finish_rows(rows, set->tables[i], set->recording);
		/* if a column is full, making its rows also failed */
		status = status && finished != PERFDATA_ELIMIT ? status : finished;
		if (status)
			continue;
		struct table_part *part = pd_open_rows_pack(rows, i, set->account);
		if (!part)
			return PERFDATA_ENOMEM;
		*last = part;
		last = &part->next;
	}
	return status;
}

enum perfdata_status pd_table_set_end(struct table_set *set, unsigned number, const struct perfdata_emit_end *end,
				      struct table_part **ret)
{
	const struct table *table = set->tables[number];
	const struct summary_source source = { set->reader, set->session, end, &set->world.values,
					      &set->style };
	uint32_t columns[MOST_FIXED];
	*ret = NULL;
	if (table->rows < TABLE_OF_RECORDING)
		return PERFDATA_OK;
	struct open_rows *rows = pd_open_rows_new(table);
	columns_by_number(table, columns, MOST_FIXED);
	const bool of_times = table->rows == TABLE_OF_THREAD_TIMES;
	if (rows && of_times)
		pd_thread_times_cells(set->thread_times, columns, rows);
	if (rows && (of_times || pd_summary_cells(&source, table->rows, columns, rows)) &&
	    finish_rows(rows, table, set->recording) == PERFDATA_OK)
		*ret = pd_open_rows_pack(rows, number, set->account);
	pd_open_rows_free(rows);
	return *ret ? PERFDATA_OK : PERFDATA_ENOMEM;
}
