/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "base/cursor.h"
#include "emit/parquet/parquet_footer.h"
#include "emit/parquet/thrift.h"

/* Numbers of fields in parquet.thrift. */
enum { FILE_VERSION = 1, FILE_SCHEMA, FILE_ROWS, FILE_GROUPS, FILE_NOTES, FILE_CREATED_BY, FILE_ORDERS };
enum { NODE_TYPE = 1, NODE_REPETITION = 3, NODE_NAME = 4, NODE_CHILDREN = 5, NODE_CONVERTED = 6, NODE_LOGICAL = 10 };
enum { GROUP_COLUMNS = 1, GROUP_UNPACKED, GROUP_ROWS, GROUP_OFFSET = 5, GROUP_PACKED = 6, GROUP_NUMBER = 7 };
enum { CHUNK_OFFSET = 2, CHUNK_META = 3 };
enum {
	META_TYPE = 1,
	META_ENCODINGS,
	META_PATH,
	META_CODEC,
	META_VALUES,
	META_UNPACKED,
	META_PACKED,
	META_DATA_PAGE = 9,
	META_DICTIONARY = 11,
	META_STATISTICS = 12
};
enum {
	STATISTICS_NULLS = 3,
	STATISTICS_GREATEST = 5,
	STATISTICS_LEAST = 6,
	STATISTICS_GREATEST_EXACT = 7,
	STATISTICS_LEAST_EXACT = 8
};
enum { REQUIRED = 0, OPTIONAL = 1, REPEATED = 2 };
enum { CONVERTED_UTF8 = 0, CONVERTED_LIST = 3, CONVERTED_UINT_64 = 14, CONVERTED_JSON = 19 };
enum { LOGICAL_STRING = 1, LOGICAL_LIST = 3, LOGICAL_INTEGER = 10, LOGICAL_JSON = 12 };

static const struct { int32_t physical, converted; unsigned logical; } kinds[COLUMN_TYPES] = {
	[COLUMN_BOOLEAN] = { 0, -1, 0 },
	[COLUMN_INT32] = { 1, -1, 0 },
	[COLUMN_INT64] = { 2, -1, 0 },
	[COLUMN_UINT64] = { 2, CONVERTED_UINT_64, LOGICAL_INTEGER },    /* both types: some readers know only one */
	[COLUMN_DOUBLE] = { 5, -1, 0 },
	[COLUMN_TEXT] = { 6, CONVERTED_UTF8, LOGICAL_STRING },
	[COLUMN_JSON] = { 6, CONVERTED_JSON, LOGICAL_JSON },
	[COLUMN_BYTES] = { 6, -1, 0 },
};

static void write_logical_type(struct thrift *thrift, unsigned kind)
{
	pd_thrift_struct(thrift, NODE_LOGICAL);
	pd_thrift_struct(thrift, kind);
	if (kind == LOGICAL_INTEGER) {
		pd_thrift_i8(thrift, 1, 64);
		pd_thrift_bool(thrift, 2, false);
	}
	pd_thrift_close(thrift);
	pd_thrift_close(thrift);
}

static void write_leaf(struct thrift *thrift, enum column_type type, bool required, const char *name)
{
	pd_thrift_open(thrift);
	pd_thrift_i32(thrift, NODE_TYPE, kinds[type].physical);
	pd_thrift_i32(thrift, NODE_REPETITION, required ? REQUIRED : OPTIONAL);
	pd_thrift_string(thrift, NODE_NAME, name);
	if (kinds[type].converted >= 0)
		pd_thrift_i32(thrift, NODE_CONVERTED, kinds[type].converted);
	if (kinds[type].logical)
		write_logical_type(thrift, kinds[type].logical);
	pd_thrift_close(thrift);
}

static void write_branch(struct thrift *thrift, int32_t repetition, const char *name, bool list)
{
	pd_thrift_open(thrift);
	pd_thrift_i32(thrift, NODE_REPETITION, repetition);
	pd_thrift_string(thrift, NODE_NAME, name);
	pd_thrift_i32(thrift, NODE_CHILDREN, 1);
	if (list) {
		pd_thrift_i32(thrift, NODE_CONVERTED, CONVERTED_LIST);
		write_logical_type(thrift, LOGICAL_LIST);
	}
	pd_thrift_close(thrift);
}

static void write_schema(struct thrift *thrift, const struct table *table)
{
	size_t nodes = 1;
	for (size_t i = 0; i < table->nr_columns; i++)
		nodes += pd_column_type_info(table->columns[i].type)->list ? 3 : 1;
	pd_thrift_list(thrift, FILE_SCHEMA, THRIFT_STRUCT, nodes);
	pd_thrift_open(thrift);
	pd_thrift_string(thrift, NODE_NAME, "schema");
	pd_thrift_i32(thrift, NODE_CHILDREN, (int32_t)table->nr_columns);
	pd_thrift_close(thrift);
	for (size_t i = 0; i < table->nr_columns; i++) {
		const struct table_column *column = &table->columns[i];
		const struct column_type_info *info = pd_column_type_info(column->type);
		if (info->list) {
			write_branch(thrift, OPTIONAL, column->name, true);
			write_branch(thrift, REPEATED, "list", false);
		}
		write_leaf(thrift, info->element, info->list || column->required,
			   info->list ? "element" : column->name);
	}
}

static void write_bound(struct thrift *thrift, unsigned field, enum column_type type, const struct column_bound *bound)
{
	if (pd_column_type_info(type)->text)
		pd_thrift_bytes(thrift, field, bound->text, bound->size);
	else
		pd_thrift_bytes(thrift, field, &(const uint64_t){ pd_little64(bound->number) },
				type == COLUMN_INT32     ? 4
				: type == COLUMN_BOOLEAN ? 1
							 : 8);
}

/* Writes bounds to the new fields (min_value, max_value) only: readers compare the old fields as signed numbers. */
static void write_statistics(struct thrift *thrift, enum column_type type, const struct column_facts *facts)
{
	pd_thrift_struct(thrift, META_STATISTICS);
	pd_thrift_i64(thrift, STATISTICS_NULLS, (int64_t)facts->nulls);
	if (facts->greatest.known)
		write_bound(thrift, STATISTICS_GREATEST, type, &facts->greatest);
	if (facts->least.known)
		write_bound(thrift, STATISTICS_LEAST, type, &facts->least);
	if (facts->greatest.known)
		pd_thrift_bool(thrift, STATISTICS_GREATEST_EXACT, facts->greatest.exact);
	if (facts->least.known)
		pd_thrift_bool(thrift, STATISTICS_LEAST_EXACT, facts->least.exact);
	pd_thrift_close(thrift);
}

static void write_encodings(struct thrift *thrift, const struct table_column *column, const struct column_facts *facts)
{
	const bool levels = !column->required;
	int32_t list[3];
	size_t nr = 0;
	list[nr++] = (int32_t)facts->encoding;
	if (levels)
		list[nr++] = PARQUET_RLE;
	if (facts->data_offset)
		list[nr++] = PARQUET_PLAIN;
	pd_thrift_list(thrift, META_ENCODINGS, THRIFT_I32, nr);
	for (size_t i = 0; i < nr; i++)
		pd_thrift_element_i32(thrift, list[i]);
}

static int32_t codec_number(enum pd_codec_kind packing)
{
	return packing == PD_CODEC_ZSTD ? 6 : packing == PD_CODEC_GZIP ? 2 : 0;
}

static void write_chunk(struct thrift *thrift, const struct table_column *column, const struct column_facts *facts)
{
	const struct column_type_info *info = pd_column_type_info(column->type);
	pd_thrift_open(thrift);
	pd_thrift_i64(thrift, CHUNK_OFFSET, 0);
	pd_thrift_struct(thrift, CHUNK_META);
	pd_thrift_i32(thrift, META_TYPE, kinds[info->element].physical);
	write_encodings(thrift, column, facts);
	pd_thrift_list(thrift, META_PATH, THRIFT_BINARY, info->list ? 3 : 1);
	pd_thrift_element_string(thrift, column->name);
	if (info->list) {
		pd_thrift_element_string(thrift, "list");
		pd_thrift_element_string(thrift, "element");
	}
	pd_thrift_i32(thrift, META_CODEC, codec_number(facts->packing));
	pd_thrift_i64(thrift, META_VALUES, (int64_t)facts->values);
	pd_thrift_i64(thrift, META_UNPACKED, (int64_t)facts->unpacked_size);
	pd_thrift_i64(thrift, META_PACKED, (int64_t)facts->size);
	pd_thrift_i64(thrift, META_DATA_PAGE, (int64_t)(facts->offset + facts->data_offset));
	if (facts->data_offset)
		pd_thrift_i64(thrift, META_DICTIONARY, (int64_t)facts->offset);
	write_statistics(thrift, info->element, facts);
	pd_thrift_close(thrift);
	pd_thrift_close(thrift);
}

static void write_row_group(struct thrift *thrift, const struct parquet_file *file, size_t number)
{
	const struct parquet_group *group = &file->groups[number];
	uint64_t unpacked = 0, packed = 0;
	pd_thrift_open(thrift);
	pd_thrift_list(thrift, GROUP_COLUMNS, THRIFT_STRUCT, file->table->nr_columns);
	for (size_t i = 0; i < file->table->nr_columns; i++) {
		write_chunk(thrift, &file->table->columns[i], &group->columns[i]);
		unpacked += group->columns[i].unpacked_size;
		packed += group->columns[i].size;
	}
	pd_thrift_i64(thrift, GROUP_UNPACKED, (int64_t)unpacked);
	pd_thrift_i64(thrift, GROUP_ROWS, (int64_t)group->rows);
	pd_thrift_i64(thrift, GROUP_OFFSET, (int64_t)group->columns[0].offset);
	pd_thrift_i64(thrift, GROUP_PACKED, (int64_t)packed);
	/* the field has 16 bits */
	if (number <= INT16_MAX)
		pd_thrift_i16(thrift, GROUP_NUMBER, (int16_t)number);
	pd_thrift_close(thrift);
}

static void write_notes(struct thrift *thrift, const struct parquet_file *file)
{
	pd_thrift_list(thrift, FILE_NOTES, THRIFT_STRUCT, file->nr_notes);
	for (size_t i = 0; i < file->nr_notes; i++) {
		pd_thrift_open(thrift);
		pd_thrift_string(thrift, 1, file->notes[i].key);
		pd_thrift_string(thrift, 2, file->notes[i].value);
		pd_thrift_close(thrift);
	}
}

void pd_parquet_footer(struct perfdata_text *out, const struct parquet_file *file)
{
	struct thrift thrift = { .out = out };
	const size_t start = out->size;
	uint64_t rows = 0;
	for (size_t i = 0; i < file->nr_groups; i++)
		rows += file->groups[i].rows;
	pd_thrift_open(&thrift);
	pd_thrift_i32(&thrift, FILE_VERSION, 1);
	write_schema(&thrift, file->table);
	pd_thrift_i64(&thrift, FILE_ROWS, (int64_t)rows);
	pd_thrift_list(&thrift, FILE_GROUPS, THRIFT_STRUCT, file->nr_groups);
	for (size_t i = 0; i < file->nr_groups; i++)
		write_row_group(&thrift, file, i);
	write_notes(&thrift, file);
	pd_thrift_string(&thrift, FILE_CREATED_BY, "perfdata version " PACKAGE_VERSION);
	pd_thrift_list(&thrift, FILE_ORDERS, THRIFT_STRUCT, file->table->nr_columns);
	for (size_t i = 0; i < file->table->nr_columns; i++) {
		pd_thrift_open(&thrift);
		pd_thrift_struct(&thrift, 1);
		pd_thrift_close(&thrift);
		pd_thrift_close(&thrift);
	}
	pd_thrift_close(&thrift);
	const uint32_t size = pd_little32((uint32_t)(out->size - start));
	perfdata_text_append(out, &size, sizeof size);
	perfdata_text_literal(out, PARQUET_MAGIC);
}
