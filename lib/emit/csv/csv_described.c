/* SPDX-License-Identifier: MIT */
#include "config.h"
#include <string.h>
#include "base/error.h"
#include "base/memory.h"
#include "emit/csv/csv_cell.h"
#include "emit/csv/csv_described.h"
#include "emit/model/findings.h"
#include "emit/arrow/arrow_export.h"
#include "run/run.h"
#include "text/spelling.h"

struct csv_described {
	struct table_set set;          /* of one table */
};

bool pd_csv_is_described(const char *table)
{
	const char *name;
	/* samples have more columns on request: they are a table of CSV's own, with the same names */
	for (size_t i = 0; table && strcmp(table, "samples") && (name = pd_table_name_at(i)); i++)
		if (!strcmp(table, name))
			return true;
	return false;
}

void pd_csv_described_free(struct csv_described *described)
{
	if (described)
		pd_table_set_release(&described->set);
	pd_free(described);
}

enum perfdata_status pd_csv_described_new(const struct perfdata_emit_context *context, struct perfdata_text *out,
					  struct csv_described **ret)
{
	if (perfdata_option_text(context->options, context->nr_options, "fields"))
		return pd_error(context->reterr, PERFDATA_EUSAGE, PERFDATA_NO_OFFSET,
				"columns of this table are chosen by --columns, not -e");
	struct csv_described *described = pd_calloc(1, sizeof *described);
	if (described)
		described->set.everything = true;
	const enum perfdata_status status = described ? pd_table_set_init(&described->set, context) : PERFDATA_ENOMEM;
	if (status) {
		pd_csv_described_free(described);
		return status;
	}
	*ret = described;
	const struct table *table = described->set.tables[0];
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

static bool is_set(const struct ArrowArray *array, unsigned buffer, int64_t index)
{
	return ((const uint8_t *)array->buffers[buffer])[index / 8] >> index % 8 & 1;
}

static struct perfdata_bytes text_at(const struct ArrowArray *array, int64_t index)
{
	const int32_t *ends = array->buffers[1];
	return (struct perfdata_bytes){ (const uint8_t *)array->buffers[2] + ends[index],
					(size_t)(ends[index + 1] - ends[index]) };
}

static void put_number(struct perfdata_text *out, enum column_type type, const struct ArrowArray *array, int64_t index)
{
	const void *values = array->buffers[1];
	switch (type) {
	case COLUMN_BOOLEAN: perfdata_text_string(out, is_set(array, 1, index) ? "true" : "false"); break;
	case COLUMN_INT32: perfdata_text_s64(out, ((const int32_t *)values)[index]); break;
	case COLUMN_UINT64: perfdata_text_u64(out, ((const uint64_t *)values)[index]); break;
	case COLUMN_DOUBLE: perfdata_text_double(out, ((const double *)values)[index]); break;
	default: perfdata_text_s64(out, ((const int64_t *)values)[index]);
	}
}

/* As an array of JSON. */
static void put_list(struct perfdata_text *room, const struct column_type_info *info, const struct ArrowArray *array,
		     int64_t index)
{
	const int32_t *ends = array->buffers[1];
	perfdata_text_clear(room);
	perfdata_text_char(room, '[');
	for (int64_t i = ends[index]; i < ends[index + 1]; i++) {
		perfdata_text_string(room, i > ends[index] ? "," : "");
		if (info->text) {
			const struct perfdata_bytes text = text_at(array->children[0], i);
			perfdata_text_json_string(room, text.data, text.size);
		} else {
			put_number(room, info->element, array->children[0], i);
		}
	}
	perfdata_text_char(room, ']');
}

static void put_cell(struct perfdata_text *out, struct perfdata_text *room, enum column_type type,
		     const struct ArrowArray *array, int64_t index)
{
	const struct column_type_info *info = pd_column_type_info(type);
	if (array->buffers[0] && !is_set(array, 0, index))
		return;
	if (info->list) {
		put_list(room, info, array, index);
		pd_text_csv_cell(out, room->data, room->size);
	} else if (info->text) {
		const struct perfdata_bytes text = text_at(array, index);
		if (type == COLUMN_BYTES)
			perfdata_text_bytes_hex(out, text.data, text.size);
		else
			pd_text_csv_cell(out, text.data, text.size);
	} else {
		put_number(out, type, array, index);
	}
}

/* --- rows --------------------------------------------------------------------------------------------------------- */

static void put_rows(const struct table *table, const struct ArrowArray *rows, struct perfdata_text *room,
		     struct perfdata_text *out)
{
	for (int64_t row = 0; row < rows->length; row++) {
		for (size_t i = 0; i < table->nr_columns; i++) {
			perfdata_text_string(out, i ? "," : "");
			put_cell(out, room, table->columns[i].type, rows->children[i], row);
		}
		perfdata_text_literal(out, CSV_NEW_LINE);
		perfdata_text_cut(out);
	}
}

/* Takes over the part, which may be NULL. */
static enum perfdata_status put_part(const struct csv_described *described, struct table_part *part,
				     struct perfdata_text *room, struct perfdata_text *out)
{
	const struct table *table = described->set.tables[0];
	struct ArrowArray array;
	if (!part)
		return PERFDATA_OK;
	struct open_rows *rows = pd_open_rows_new(table);
	const bool ok = rows && pd_open_rows_append(rows, part);
	const enum perfdata_status status = ok ? pd_arrow_array(table, rows->columns, rows->rows, &array)
					       : PERFDATA_ENOMEM;
	pd_open_rows_free(rows);
	pd_table_part_free(part);
	if (status)
		return status;
	put_rows(table, &array, room, out);
	array.release(&array);
	return PERFDATA_OK;
}

enum perfdata_status pd_csv_described_scan(struct csv_described *described, const struct perfdata_batch *batch,
					   struct table_value **ret)
{
	return pd_table_set_scan(&described->set, batch, ret, NULL, NULL);
}

enum perfdata_status pd_csv_described_rows(const struct csv_described *described, const struct perfdata_batch *batch,
					   const struct table_value *value, struct perfdata_scratch *scratch,
					   struct perfdata_text *out, uint64_t *ret_rows)
{
	struct table_scratch *own = scratch->cache;
	struct table_part *part;
	struct found_batch *found = NULL;
	const enum perfdata_status status = pd_table_set_rows(&described->set, batch, value, &own, &scratch->text,
							      &part, &found);
	/* the run reports what is wrong with records */
	pd_found_report(found, NULL, NULL);
	scratch->cache = own;
	scratch->free_cache = pd_table_scratch_free;
	*ret_rows = !status && part ? part->rows : 0;
	if (!status)
		return put_part(described, part, &scratch->text, out);
	pd_table_part_free(part);
	return status;
}

enum perfdata_status pd_csv_described_end(struct csv_described *described, const struct perfdata_emit_end *end,
					  struct perfdata_text *out, uint64_t *rows)
{
	struct perfdata_text room;
	struct table_part *part;
	enum perfdata_status status = pd_table_set_end(&described->set, 0, end, &part);
	perfdata_text_init(&room);
	*rows += !status && part ? part->rows : 0;
	if (!status)
		status = put_part(described, part, &room, out);
	if (!status && perfdata_text_failed(&room))
		status = PERFDATA_ENOMEM;
	perfdata_text_release(&room);
	return status;
}
