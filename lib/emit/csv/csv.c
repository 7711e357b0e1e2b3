/* SPDX-License-Identifier: MIT */
/* `csv`: one table of a recording, as in RFC 4180. */
#include "config.h"
#include <stdio.h>
#include <stdlib.h>
#include "emit/csv/csv_cell.h"
#include "emit/csv/csv_described.h"
#include "emit/csv/csv_row.h"
#include "emit/csv/csv_table.h"
#include "emit/csv/csv_waiting.h"
#include "emit/emitters.h"
#include "emit/spell/feature_json.h"
#include "emit/values/name_options.h"
#include "emit/table/aux_cells.h"
#include "emit/table/part_values.h"
#include "emit/table/table_rows.h"
#include "profile/profile.h"
#include "reader/reader.h"
#include "run/run.h"
#include "text/spelling.h"

struct csv_state {
	struct record_world world;
	struct json_style style;          /* for cells with JSON */
	struct csv_table table;
	struct csv_rows rows;
	/* text before each row: the recording and a comma if several recordings share an output; else empty */
	struct perfdata_text recording;
	bool names_needed;
	struct emitted names;             /* scan's */
	/* set for a table that Parquet has too, which does not use the other members; or NULL */
	struct table_set *described;
	const struct perfdata_reader *reader;
	struct pd_aux_carry traces;       /* scan's */
	bool named_samples;               /* of traces */
	perfdata_finding_fn *on_finding;
	void *user;
	uint64_t *rows_written;           /* merge's */
	struct csv_waiting *waiting;      /* merge's: rows that wait for --drop-empty; or NULL */
};

static const struct perfdata_emitter_option options[] = {
	{ "table", PERFDATA_OPTION_TEXT, 0, "TABLE",
	  TABLE_NAMES ", event:NAME; " TABLE_NAMES_ON_REQUEST ", a record type, unknown; all (with -o DIR/); default: "
							      "samples as recorded" },
	{ "columns", PERFDATA_OPTION_TEXT, 0, "LIST",
	  "only these columns, in this order (see `perfdata schema --columns --table NAME`)" },
	{ "with-run-spans", PERFDATA_OPTION_FLAG, 0, NULL,
	  "add a row to the table spans for each time that a thread ran" },
	{ "drop-empty", PERFDATA_OPTION_FLAG, 0, NULL,
	  "leave out columns without any value; rows wait in a temporary file" },
	{ "fields", PERFDATA_OPTION_TEXT, 'e', "LIST", "only these columns, in this order (see `perfdata fields`)" },
	NAME_OPTIONS,
	{ 0 },
};

static const struct perfdata_option_rule rules[] = {
	{ .name = "columns", .excludes = "fields" },
	{ 0 },
};

static void release_state(void *state)
{
	struct csv_state *csv = state;
	if (!csv)
		return;
	pd_record_world_release(&csv->world);
	pd_emitted_release(&csv->names);
	pd_aux_carry_release(&csv->traces);
	pd_csv_described_free(csv->described);
	pd_csv_waiting_free(csv->waiting);
	perfdata_text_release(&csv->recording);
	free(csv);
}

static void header_cell(struct perfdata_text *out, const char *name, bool first)
{
	if (!first)
		perfdata_text_char(out, ',');
	/* Names of tracepoint fields are JSON text: quotes are escaped already. */
	pd_text_csv_cell(out, name, strlen(name));
}

static void header_line(const struct csv_table *table, struct perfdata_text *out)
{
	if (pd_csv_rows_are_of_traces(&table->row))
		perfdata_text_literal(out, "file,");
	for (size_t i = 0; table->described && table->described[i].name; i++)
		if (!table->described[i].derived)
			header_cell(out, table->described[i].name, !i);
	perfdata_text_literal(out, CSV_NEW_LINE);
}

/* A samples table that the user names has key columns for joins, unless an option asks for names in the rows. */
static bool has_keys(const struct perfdata_emitter_option_value *values, size_t nr)
{
	const char *table = perfdata_option_text(values, nr, "table");
	return table && (!strcmp(table, "samples") || pd_csv_table_event(table)) &&
	       !pd_name_options_fields(values, nr) && !perfdata_option_text(values, nr, "stacks") &&
	       !perfdata_option_flag(values, nr, "names", false) && !perfdata_option_flag(values, nr, "lines", false);
}

static uint32_t needs_of(const struct perfdata_emitter_option_value *values, size_t nr, enum perfdata_tristate names)
{
	const char *table = perfdata_option_text(values, nr, "table");
	struct table_row row;
	const bool traces = pd_csv_table_row(table, &row) && pd_csv_rows_are_of_traces(&row);
	const uint32_t payloads = traces ? (uint32_t)PERFDATA_NEED_PAYLOADS : 0;
	const uint32_t keys = has_keys(values, nr) ? NEEDS_OF_STACKS | PERFDATA_NEED_STACK_IDS : 0;
	return pd_name_options_needs(values, nr, names) | payloads | keys;
}

static enum perfdata_status configure_session(void *user, struct perfdata_configuration *configuration)
{
	(void)user;
	const struct perfdata_emitter_option_value *values = configuration->options;
	const char *table = perfdata_option_text(values, configuration->nr_options, "table");
	if (pd_csv_is_described(table)) {
		configuration->needs = pd_table_set_needs(values, configuration->nr_options);
		configuration->spans = pd_table_set_spans(values, configuration->nr_options);
		return PERFDATA_OK;
	}
	configuration->needs = needs_of(values, configuration->nr_options, configuration->names);
	struct table_row row = { 0 };
	struct record_world world = { 0 };
	if (pd_csv_table_row(table, &row)) {
		configuration->nr_types = pd_table_row_types(&row);
		memcpy(configuration->types, row.types, configuration->nr_types * sizeof *row.types);
	}
	pd_name_options_read(&world, values, configuration->nr_options, configuration->names);
	if (row.rows == TABLE_OF_SPE_SAMPLES && pd_names_are_wanted(&world)) {
		configuration->trace_samples |= PERFDATA_TRACE_OPERATIONS;
		configuration->order = PERFDATA_ORDER_TIME;
		configuration->types[configuration->nr_types++] = PERFDATA_RECORD_SAMPLE;
	}
	/* ids of stacks count the stacks of all events */
	if (!(configuration->needs & PERFDATA_NEED_STACKS))
		configuration->event = pd_csv_table_event(table);
	return PERFDATA_OK;
}

static enum perfdata_status of_one_recording(struct perfdata_error *reterr, const char *columns)
{
	reterr->status = PERFDATA_EUSAGE;
	reterr->offset = PERFDATA_NO_OFFSET;
	snprintf(reterr->message, sizeof reterr->message, "%s depend on the recording: for several FILEs use -o DIR/",
		 columns);
	return PERFDATA_EUSAGE;
}

/* Makes the state for the requested table, and writes the header. */
static enum perfdata_status begin_table(const struct perfdata_emit_context *context, struct csv_state *csv,
					struct perfdata_text *out)
{
	csv->on_finding = context->on_finding;
	csv->user = context->user;
	csv->rows_written = context->rows;
	csv->reader = context->reader;
	csv->traces.records = true;
	if (pd_csv_is_described(perfdata_option_text(context->options, context->nr_options, "table")))
		return pd_csv_described_new(context, out, &csv->described);
	pd_name_options_read(&csv->world, context->options, context->nr_options, context->names);
	const bool without_chains = csv->world.stacks_by_id;
	const bool keys = has_keys(context->options, context->nr_options);
	if (keys) {
		csv->world.heads |= UINT32_C(1) << HEAD_COMM | UINT32_C(1) << HEAD_STACK_ID;
		csv->world.stacks_by_id = true;
	}
	const struct csv_choice choice = {
		.table = perfdata_option_text(context->options, context->nr_options, "table"),
		.list = pd_name_options_fields(context->options, context->nr_options),
		.list_is_of_table = !perfdata_option_text(context->options, context->nr_options, "fields"),
		.reader = context->reader,
		.heads = csv->world.heads,
		.locations = csv->world.locations,
	};
	enum perfdata_status status = PERFDATA_ENOMEM;
	if (pd_record_world_init(&csv->world, context) &&
	    pd_json_style_init(&csv->style, &csv->world.pool, context->reader, pd_feature_json_payload))
		status = pd_csv_table_find(&csv->world.pool, &choice, &csv->table, context->reterr);
	pd_csv_rows_init(&csv->rows, &csv->table.columns, without_chains && !choice.list);
	csv->names_needed = needs_of(context->options, context->nr_options, context->names) & PERFDATA_NEED_DELIVERIES;
	csv->named_samples = csv->table.row.rows == TABLE_OF_SPE_SAMPLES && pd_names_are_wanted(&csv->world);
	csv->names.session = context->session;
	csv->names.what = EMITTED_NO_IDS;
	if (context->recording && (context->shared_output || keys)) {
		pd_text_csv_cell(&csv->recording, context->recording, strlen(context->recording));
		perfdata_text_char(&csv->recording, ',');
	}
	if (!status && context->shared_output && csv->table.event)
		status = of_one_recording(context->reterr, "the columns of an event's table");
	if (status)
		return status;
	/* the first of several recordings writes the header; all have the same columns */
	if (context->shared_output && pd_emit_offset(out))
		return PERFDATA_OK;
	perfdata_text_string(out, csv->recording.size ? "recording," : "");
	header_line(&csv->table, out);
	return PERFDATA_OK;
}

static enum perfdata_status begin_waiting(const struct perfdata_emit_context *context, struct csv_state *csv)
{
	const struct pd_account *account = pd_profile_account_of(context->session);
	struct perfdata_text header;
	perfdata_text_init(&header);
	if (context->shared_output)
		return of_one_recording(context->reterr, "columns without any value");
	enum perfdata_status status = begin_table(context, csv, &header);
	if (!status && !(csv->waiting = pd_csv_waiting_new(account ? account->tmpdir : NULL)))
		status = PERFDATA_ENOMEM;
	if (!status)
		status = pd_csv_waiting_add(csv->waiting, &header);
	perfdata_text_release(&header);
	return status;
}

static enum perfdata_status begin_output(const struct perfdata_emit_context *context, void **ret_state,
					 struct perfdata_text *out)
{
	struct csv_state *csv = calloc(1, sizeof *csv);
	if (!csv)
		return PERFDATA_ENOMEM;
	const enum perfdata_status status =
		perfdata_option_flag(context->options, context->nr_options, "drop-empty", false)
			? begin_waiting(context, csv)
			: begin_table(context, csv, out);
	if (status)
		release_state(csv);
	else
		*ret_state = csv;
	return status;
}

/* scan's value for a batch. */
struct csv_value {
	struct emitted_batch *emitted;    /* or NULL */
	struct pd_aux_pieces pieces;
	struct table_value *described;    /* or NULL */
};

static void free_value(void *value)
{
	struct csv_value *v = value;
	if (!v)
		return;
	pd_emitted_batch_free(v->emitted);
	pd_aux_pieces_release(&v->pieces);
	pd_table_value_free(v->described);
	free(v);
}

static enum perfdata_status scan_batch(void *state, const struct perfdata_batch *batch, void **ret_value)
{
	struct csv_state *csv = state;
	const bool traces = pd_csv_rows_are_of_traces(&csv->table.row);
	if (!csv->names_needed && !traces && !csv->described)
		return PERFDATA_OK;
	struct csv_value *value = calloc(1, sizeof *value);
	if (!value)
		return PERFDATA_ENOMEM;
	enum perfdata_status status = csv->names_needed ? pd_emitted_scan(&csv->names, batch, &value->emitted)
							: PERFDATA_OK;
	for (size_t i = 0; traces && i < batch->nr_records && status == PERFDATA_OK; i++)
		status = pd_aux_scan(&csv->traces, csv->reader, &batch->records[i], &value->pieces);
	if (csv->described)
		status = pd_table_set_scan(csv->described, batch, &value->described, NULL, NULL);
	if (status == PERFDATA_OK)
		*ret_value = value;
	else
		free_value(value);
	return status;
}

/* --- rows --------------------------------------------------------------------------------------------------------- */

/* format's part of a batch. */
struct csv_part {
	struct found_batch *found;
	uint64_t rows;
	struct perfdata_text waiting;  /* rows that wait for --drop-empty */
};

static void free_part(void *pointer)
{
	struct csv_part *part = pointer;
	if (part) {
		pd_found_report(part->found, NULL, NULL);
		perfdata_text_release(&part->waiting);
	}
	free(part);
}

static void begin_row(const struct csv_state *csv, struct perfdata_text *out)
{
	perfdata_text_append(out, csv->recording.data, csv->recording.size);
}

static void end_row(struct perfdata_text *out)
{
	perfdata_text_literal(out, CSV_NEW_LINE);
	perfdata_text_cut(out);
}

/* Returns the number of rows. */
static uint64_t part_rows(struct record *r, const struct csv_state *csv, struct perfdata_text *room)
{
	uint64_t nr = 0;
	const struct csv_table *table = &csv->table;
	struct perfdata_text *out = record_out(r);
	struct part_walk walk;
	pd_parts_begin(&walk, r, table->row.rows);
	while (pd_parts_next(&walk)) {
		begin_row(csv, out);
		for (unsigned i = 0; table->described[i].name; i++) {
			if (table->described[i].derived)
				continue;
			const struct value value = pd_part_value(&walk, i, room);
			perfdata_text_string(out, i ? "," : "");
			pd_csv_value_cell(out, &value);
		}
		end_row(out);
		nr++;
	}
	return nr;
}

static bool record_is_wanted(const struct csv_table *table, const struct perfdata_raw *raw)
{
	if (raw->flags & PERFDATA_RAW_SYNTHESIZED)
		return false;
	const uint32_t *types = table->row.types;
	bool found = !*types && !perfdata_record_layout(raw->type);
	for (unsigned i = 0; i < TABLE_TYPES && types[i] && !found; i++)
		found = types[i] == raw->type;
	return found && (!table->event || (raw->event && !strcmp(raw->event->name, table->event)));
}

/* False without memory. */
static bool rows_of_record(struct record *r, const struct csv_state *csv, const struct perfdata_raw *raw,
			   struct perfdata_text *room, struct csv_part *part)
{
	const struct csv_table *table = &csv->table;
	part->rows += table->columns.nr != 0;
	if (table->columns.nr) {
		begin_row(csv, record_out(r));
		return pd_csv_row(r, &csv->rows, raw, room);
	}
	if (!pd_record_load(r, raw, NULL))
		return false;
	part->rows += part_rows(r, csv, room);
	return true;
}

/* Begins a row with the recording's file if several recordings share the output. */
static void begin_trace_row(const struct csv_state *csv, const struct perfdata_raw *raw, struct perfdata_text *out)
{
	const char *file = csv->world.name_files ? pd_reader_file_name(csv->reader, raw->file) : "";
	begin_row(csv, out);
	pd_text_csv_cell(out, file, strlen(file));
}

static void packet_row(const struct csv_state *csv, const struct pd_aux_piece *piece, const struct pd_aux_walk *walk,
		       struct perfdata_text *room, struct perfdata_text *out)
{
	begin_trace_row(csv, piece->raw, out);
	for (unsigned i = 0; pd_packet_columns[i].name; i++) {
		const struct value value = pd_packet_cell(piece, walk, i, room);
		perfdata_text_char(out, ',');
		pd_csv_value_cell(out, &value);
	}
	end_row(out);
}

static void spe_row(const struct csv_state *csv, const struct perfdata_raw *raw, const struct pd_spe_row *row,
		    const struct spe_names *names, struct perfdata_text *out)
{
	begin_trace_row(csv, raw, out);
	for (unsigned i = 0; i < SPE_COLUMNS; i++) {
		const struct value value = pd_spe_value(row, names, i);
		perfdata_text_char(out, ',');
		pd_csv_value_cell(out, &value);
	}
	end_row(out);
}

static uint64_t rows_of_piece(const struct csv_state *csv, const struct pd_aux_piece *piece, struct perfdata_text *room,
			      struct perfdata_text *out)
{
	struct pd_aux_walk walk;
	struct pd_spe_row row;
	uint64_t nr = 0;
	pd_aux_walk_begin(&walk, piece);
	while (pd_aux_walk_next(&walk)) {
		if (csv->table.row.rows == TABLE_OF_PACKETS) {
			packet_row(csv, piece, &walk, room, out);
			nr++;
		} else if (walk.record_is_whole) {
			pd_spe_row_of_piece(piece, &walk.record, &row);
			spe_row(csv, piece->raw, &row, NULL, out);
			nr++;
		}
	}
	return nr;
}

/* With names, samples of traces come as records, otherwise in the pieces of the payload. */
static uint64_t rows_of_traces(const struct csv_state *csv, struct record *r, const struct csv_value *scanned,
			       struct perfdata_text *room)
{
	const struct perfdata_batch *batch = r->batch;
	struct pd_spe_row row;
	struct spe_names names;
	size_t delivery = 0;
	uint64_t nr = 0;
	for (size_t i = 0; scanned && !csv->named_samples && i < scanned->pieces.nr; i++)
		nr += rows_of_piece(csv, &scanned->pieces.list[i], room, record_out(r));
	for (size_t i = 0; csv->named_samples && i < batch->nr_records; i++) {
		const struct perfdata_raw *raw = &batch->records[i];
		if (!pd_spe_row_of_sample(raw, &row))
			continue;
		r->delivery = pd_emitted_delivery(batch, &delivery, raw);
		if (r->delivery)
			pd_spe_names_load(&r->emitted, &row, r->delivery, &names);
		spe_row(csv, raw, &row, r->delivery ? &names : NULL, record_out(r));
		nr++;
	}
	return nr;
}

static enum perfdata_status format_rows(const void *state, const struct perfdata_batch *batch, void *value,
				   struct perfdata_scratch *scratch, struct perfdata_text *out, struct csv_part *part)
{
	const struct csv_state *csv = state;
	struct writing writing = { out, &csv->style };
	struct record r = { .world = &csv->world, .cache = pd_record_cache_of(scratch), .writing = &writing,
			    .batch = batch };
	const struct csv_value *scanned = value;
	const struct emitted_batch *emitted = scanned ? scanned->emitted : NULL;
	size_t delivery = 0;
	if (!r.cache)
		return PERFDATA_ENOMEM;
	if (emitted)
		r.emitted = (struct emitted_names){ batch->session, emitted->known };
	if (pd_csv_rows_are_of_traces(&csv->table.row)) {
		part->rows = rows_of_traces(csv, &r, scanned, &scratch->text);
		return PERFDATA_OK;
	}
	enum perfdata_status status = PERFDATA_OK;
	for (size_t i = 0; i < batch->nr_records && !status; i++) {
		if (!record_is_wanted(&csv->table, &batch->records[i]))
			continue;
		r.delivery = emitted ? pd_emitted_delivery(batch, &delivery, &batch->records[i]) : NULL;
		if (!rows_of_record(&r, csv, &batch->records[i], &scratch->text, part)) {
			status = PERFDATA_ENOMEM;
			break;
		}
		pd_record_done(&r, &part->found);
		perfdata_text_cut(out);
	}
	out->failed |= r.failed;
	return status;
}

static enum perfdata_status format_batch(const void *state, const struct perfdata_batch *batch, void *value,
					 struct perfdata_scratch *scratch, struct perfdata_text *out, void **ret_part)
{
	const struct csv_state *csv = state;
	struct csv_part *part = calloc(1, sizeof *part);
	if (!part)
		return PERFDATA_ENOMEM;
	*ret_part = part;
	if (csv->waiting)
		out = &part->waiting;
	if (csv->described)
		return pd_csv_described_rows(csv->described, batch, ((const struct csv_value *)value)->described,
					     scratch, out, &part->rows);
	return format_rows(state, batch, value, scratch, out, part);
}

static enum perfdata_status merge_part(void *state, void *merged, struct perfdata_text *out)
{
	const struct csv_state *csv = state;
	struct csv_part *part = merged;
	const enum perfdata_status status = csv->waiting ? pd_csv_waiting_add(csv->waiting, &part->waiting)
							 : PERFDATA_OK;
	(void)out;
	*csv->rows_written += part->rows;
	pd_found_report(part->found, csv->on_finding, csv->user);
	part->found = NULL;
	free_part(part);
	return status;
}

static enum perfdata_status end_output(void *state, const struct perfdata_emit_end *end, struct perfdata_text *out)
{
	struct csv_state *csv = state;
	struct perfdata_text rows;
	perfdata_text_init(&rows);
	enum perfdata_status status = PERFDATA_OK;
	if (csv->described)
		status = pd_csv_described_end(csv->described, end, csv->waiting ? &rows : out, csv->rows_written);
	if (!status && csv->waiting)
		status = pd_csv_waiting_add(csv->waiting, &rows);
	if (!status && csv->waiting)
		status = pd_csv_waiting_end(csv->waiting, out);
	perfdata_text_release(&rows);
	return status;
}

const struct perfdata_emitter pd_emitter_csv = {
	.name = "csv",
	.help = "one table of the recording, with a header line",
	.flags = PERFDATA_EMITTER_MEMORY | PERFDATA_EMITTER_ROWS,
	.needs = PERFDATA_NEED_RECORDS,
	.mime = "text/csv",
	PD_EMITTER_OF(options),
	.option_rules = rules,
	.configure = configure_session,
	.begin = begin_output,
	PD_EMITTER_STEPS,
	.free_value = free_value,
};
