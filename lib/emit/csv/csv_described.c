/* SPDX-License-Identifier: MIT */
#include "config.h"
#include <string.h>
#include "base/error.h"
#include "base/memory.h"
#include "emit/csv/csv_cell.h"
#include "emit/csv/csv_described.h"
#include "emit/values/findings.h"
#include "run/run.h"
#include "text/spelling.h"

bool pd_csv_is_described(const char *table)
{
	const char *name;
	/* samples have more columns on request, so CSV makes this table itself */
	for (size_t i = 0; table && strcmp(table, "samples") && (name = pd_table_name_at(i)); i++)
		if (!strcmp(table, name))
			return true;
	struct table_row row;
	return table && pd_table_row_named(table, &row) &&
	       (row.rows == TABLE_OF_SPANS || row.rows == TABLE_OF_THREAD_TIMES);
}

void pd_csv_described_free(struct table_set *described)
{
	if (described)
		pd_table_set_release(described);
	pd_free(described);
}

enum perfdata_status pd_csv_described_new(const struct perfdata_emit_context *context, struct perfdata_text *out,
					  struct table_set **ret)
{
	if (perfdata_option_text(context->options, context->nr_options, "fields"))
		return pd_error(context->reterr, PERFDATA_EUSAGE, PERFDATA_NO_OFFSET,
				"for this table use --columns instead of -e");
	struct table_set *described = pd_calloc(1, sizeof *described);
	if (described)
		described->everything = true;
	const enum perfdata_status status = described ? pd_table_set_init(described, context) : PERFDATA_ENOMEM;
	if (status) {
		pd_csv_described_free(described);
		return status;
	}
	*ret = described;
	const struct table *table = described->tables[0];
	if (context->shared_output && pd_emit_offset(out))
		return PERFDATA_OK;
	for (size_t i = 0; i < table->nr_columns; i++) {
		perfdata_text_string(out, i ? "," : "");
		pd_text_csv_cell(out, table->columns[i].name, strlen(table->columns[i].name));
	}
	perfdata_text_literal(out, CSV_NEW_LINE);
	return PERFDATA_OK;
}

/* --- cells -------------------------------------------------------------------------------------------------------- */

static struct perfdata_bytes text_of(const struct cells *cells, uint64_t token)
{
	const struct cell_text *text = &cells->texts[token];
	/* NULL if all texts are empty */
	return (struct perfdata_bytes){ text->size ? (const uint8_t *)cells->bytes + text->at : NULL, text->size };
}

static struct value value_of(const struct cells *cells, enum column_type type, uint64_t value)
{
	switch (type) {
	case COLUMN_BOOLEAN: return (struct value){ .kind = IS_BOOLEAN, .number = value };
	case COLUMN_INT32: return (struct value){ .kind = IS_SIGNED, .number = (uint64_t)(int64_t)(int32_t)value };
	case COLUMN_UINT64: return (struct value){ .kind = IS_NUMBER, .number = value };
	case COLUMN_DOUBLE: return (struct value){ .kind = IS_DOUBLE, .number = value };
	case COLUMN_BYTES: return value_bytes(IS_BYTES, text_of(cells, value));
	case COLUMN_TEXT: case COLUMN_JSON: return value_bytes(IS_TEXT, text_of(cells, value));
	default: return (struct value){ .kind = IS_SIGNED, .number = value };
	}
}

/* As a JSON array. */
static struct value list_of(struct perfdata_text *room, const struct column_type_info *info,
			    struct cells_reader *reader)
{
	const char *before = "";
	perfdata_text_clear(room);
	perfdata_text_char(room, '[');
	for (uint32_t left = cells_next_length(reader); left; left--, before = ",") {
		const struct value value = value_of(reader->cells, info->element, cells_next_value(reader));
		perfdata_text_string(room, before);
		if (info->text)
			perfdata_text_json_string(room, value.text.data, value.text.size);
		else
			pd_csv_value_cell(room, &value);
	}
	perfdata_text_char(room, ']');
	return value_bytes(IS_TEXT, (struct perfdata_bytes){ (const uint8_t *)room->data, room->size });
}

static void put_cell(struct perfdata_text *out, struct perfdata_text *room, enum column_type type,
		     struct cells_reader *reader)
{
	const struct column_type_info *info = pd_column_type_info(type);
	if (!cells_next_row(reader))
		return;
	const struct value value = info->list ? list_of(room, info, reader)
					      : value_of(reader->cells, type, cells_next_value(reader));
	pd_csv_value_cell(out, &value);
}

/* --- rows --------------------------------------------------------------------------------------------------------- */

/* False without memory. */
static bool put_rows(const struct table *table, const struct open_rows *rows, struct perfdata_text *room,
		     struct perfdata_text *out)
{
	struct cells_reader *readers = pd_calloc(table->nr_columns, sizeof *readers);
	for (size_t i = 0; readers && i < table->nr_columns; i++)
		readers[i].cells = &rows->columns[i];
	for (uint32_t row = 0; readers && row < rows->rows; row++) {
		for (size_t i = 0; i < table->nr_columns; i++) {
			perfdata_text_string(out, i ? "," : "");
			put_cell(out, room, table->columns[i].type, &readers[i]);
		}
		perfdata_text_literal(out, CSV_NEW_LINE);
		perfdata_text_cut(out);
	}
	pd_free(readers);
	return readers;
}

/* Takes ownership of the part, which may be NULL. */
static enum perfdata_status put_part(const struct table_set *described, struct table_part *part,
				     struct perfdata_text *room, struct perfdata_text *out)
{
	const struct table *table = described->tables[0];
	if (!part)
		return PERFDATA_OK;
	struct open_rows *rows = pd_open_rows_new(table);
	const bool ok = rows && pd_open_rows_append(rows, part) && put_rows(table, rows, room, out);
	pd_open_rows_free(rows);
	pd_table_part_free(part);
	return ok ? PERFDATA_OK : PERFDATA_ENOMEM;
}

enum perfdata_status pd_csv_described_rows(const struct table_set *described, const struct perfdata_batch *batch,
					   const struct table_value *value, struct perfdata_scratch *scratch,
					   struct perfdata_text *out, uint64_t *ret_rows)
{
	struct table_scratch *own = scratch->cache;
	struct table_part *part;
	struct found_batch *found = NULL;
	const enum perfdata_status status = pd_table_set_rows(described, batch, value, &own, &scratch->text,
							      &part, &found);
	/* the run reports findings about records */
	pd_found_report(found, NULL, NULL);
	scratch->cache = own;
	scratch->free_cache = pd_table_scratch_free;
	*ret_rows = !status && part ? part->rows : 0;
	if (!status)
		return put_part(described, part, &scratch->text, out);
	pd_table_part_free(part);
	return status;
}

enum perfdata_status pd_csv_described_end(struct table_set *described, const struct perfdata_emit_end *end,
					  struct perfdata_text *out, uint64_t *rows)
{
	struct perfdata_text room;
	struct table_part *part;
	enum perfdata_status status = pd_table_set_end(described, 0, end, &part);
	perfdata_text_init(&room);
	*rows += !status && part ? part->rows : 0;
	if (!status)
		status = put_part(described, part, &room, out);
	if (!status && perfdata_text_failed(&room))
		status = PERFDATA_ENOMEM;
	perfdata_text_release(&room);
	return status;
}
