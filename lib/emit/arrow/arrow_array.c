/* SPDX-License-Identifier: MIT */
#include "config.h"
#include <string.h>
#include "base/memory.h"
#include "emit/arrow/arrow_export.h"

/* indexes of an array's buffers: texts and lists have offsets where others have values */
enum { VALID, VALUES, OFFSETS = VALUES, BYTES, MOST_BUFFERS };

/* Memory of an array, freed by its release. */
struct owned {
	void *memory[MOST_BUFFERS];
	const void *buffers[MOST_BUFFERS];
	struct ArrowArray *children, **pointers;
};

static void release_array(struct ArrowArray *array)
{
	struct owned *owned = array->private_data;
	for (int64_t i = 0; i < array->n_children; i++)
		if (array->children[i]->release)
			array->children[i]->release(array->children[i]);
	for (unsigned i = 0; i < MOST_BUFFERS; i++)
		pd_free(owned->memory[i]);
	pd_free(owned->children);
	pd_free(owned->pointers);
	pd_free(owned);
	array->release = NULL;
}

/* Makes an array without buffers, with empty children. */
static enum perfdata_status make_array(struct ArrowArray *ret, uint32_t rows, unsigned nr_buffers, size_t nr_children)
{
	struct owned *owned = pd_calloc(1, sizeof *owned);
	memset(ret, 0, sizeof *ret);
	if (!owned)
		return PERFDATA_ENOMEM;
	*ret = (struct ArrowArray){ .length = rows,
				    .n_buffers = nr_buffers,
				    .buffers = owned->buffers,
				    .release = release_array,
				    .private_data = owned };
	if (!nr_children)
		return PERFDATA_OK;
	owned->children = pd_calloc(nr_children, sizeof *owned->children);
	owned->pointers = pd_calloc(nr_children, sizeof *owned->pointers);
	if (!owned->children || !owned->pointers) {
		release_array(ret);
		return PERFDATA_ENOMEM;
	}
	for (size_t i = 0; i < nr_children; i++)
		owned->pointers[i] = &owned->children[i];
	ret->children = owned->pointers;
	ret->n_children = (int64_t)nr_children;
	return PERFDATA_OK;
}

/* Makes a zeroed buffer; never NULL for 0 elements, as Arrow requires. */
static void *make_buffer(struct ArrowArray *array, unsigned number, size_t nr, size_t size)
{
	struct owned *owned = array->private_data;
	owned->memory[number] = pd_calloc(nr + 1, size);
	owned->buffers[number] = owned->memory[number];
	return owned->memory[number];
}

static void set_bit(uint8_t *bits, uint32_t index) { bits[index / 8] = (uint8_t)(bits[index / 8] | 1u << index % 8); }

/* Iterates over the rows that have a value. */
struct walk {
	const uint32_t *runs;
	uint32_t nr_runs, next, left, row;
};

static struct walk walk_of(const struct cells *cells)
{
	return (struct walk){ .runs = cells->runs, .nr_runs = cells->nr_runs };
}

static bool walk_next(struct walk *walk, uint32_t *ret_row)
{
	while (!walk->left) {
		if (walk->next == walk->nr_runs)
			return false;
		const uint32_t rows = walk->runs[walk->next];
		if (walk->next++ & 1)
			walk->row += rows;
		else
			walk->left = rows;
	}
	walk->left--;
	*ret_row = walk->row++;
	return true;
}

static enum perfdata_status put_valid(struct ArrowArray *array, const struct cells *cells, uint32_t rows)
{
	uint32_t there = 0, row;
	for (uint32_t i = 0; i < cells->nr_runs; i += 2)
		there += cells->runs[i];
	array->null_count = rows - there;
	if (there == rows)
		return PERFDATA_OK;
	uint8_t *bits = make_buffer(array, VALID, (rows + 7u) / 8, 1);
	if (!bits)
		return PERFDATA_ENOMEM;
	for (struct walk walk = walk_of(cells); walk_next(&walk, &row);)
		set_bit(bits, row);
	return PERFDATA_OK;
}

static enum perfdata_status put_bits(struct ArrowArray *array, const struct cells *cells, uint32_t rows)
{
	uint8_t *bits = make_buffer(array, VALUES, (rows + 7u) / 8, 1);
	const uint64_t *value = cells->values;
	uint32_t row;
	for (struct walk walk = walk_of(cells); bits && walk_next(&walk, &row); value++)
		if (*value)
			set_bit(bits, row);
	return bits ? PERFDATA_OK : PERFDATA_ENOMEM;
}

static enum perfdata_status put_int32(struct ArrowArray *array, const struct cells *cells, uint32_t rows)
{
	uint32_t *values = make_buffer(array, VALUES, rows, sizeof *values), row;
	const uint64_t *value = cells->values;
	for (struct walk walk = walk_of(cells); values && walk_next(&walk, &row); value++)
		values[row] = (uint32_t)*value;
	return values ? PERFDATA_OK : PERFDATA_ENOMEM;
}

/* For integers of 64 bits and doubles. */
static enum perfdata_status put_int64(struct ArrowArray *array, const struct cells *cells, uint32_t rows)
{
	uint64_t *values = make_buffer(array, VALUES, rows, sizeof *values);
	const uint64_t *value = cells->values;
	uint32_t row;
	for (struct walk walk = walk_of(cells); values && walk_next(&walk, &row); value++)
		values[row] = *value;
	return values ? PERFDATA_OK : PERFDATA_ENOMEM;
}

/* Replaces the sizes of texts or lists by offsets. False: an offset exceeds 32 bits. */
static bool add_up(int32_t *offsets, uint32_t rows)
{
	int64_t sum = 0;
	for (uint32_t i = 1; i <= rows; i++) {
		sum += offsets[i];
		if (sum > INT32_MAX)
			return false;
		offsets[i] = (int32_t)sum;
	}
	return true;
}

static enum perfdata_status put_texts(struct ArrowArray *array, const struct cells *cells, uint32_t rows)
{
	int32_t *offsets = make_buffer(array, OFFSETS, rows, sizeof *offsets);
	const uint64_t *value = cells->values;
	uint32_t row;
	if (!offsets)
		return PERFDATA_ENOMEM;
	for (struct walk walk = walk_of(cells); walk_next(&walk, &row); value++)
		offsets[row + 1] = (int32_t)(cells->texts[*value].size & INT32_MAX);
	if (!add_up(offsets, rows))
		return PERFDATA_ELIMIT;
	char *bytes = make_buffer(array, BYTES, (size_t)offsets[rows], 1);
	value = cells->values;
	for (struct walk walk = walk_of(cells); bytes && walk_next(&walk, &row); value++)
		if (cells->texts[*value].size)
			memcpy(bytes + offsets[row], cells->bytes + cells->texts[*value].at, cells->texts[*value].size);
	return bytes ? PERFDATA_OK : PERFDATA_ENOMEM;
}

static enum perfdata_status put_values(struct ArrowArray *array, enum column_type type, const struct cells *cells,
				       uint32_t rows)
{
	switch (type) {
	case COLUMN_BOOLEAN:
		return put_bits(array, cells, rows);
	case COLUMN_INT32:
		return put_int32(array, cells, rows);
	case COLUMN_TEXT: case COLUMN_JSON: case COLUMN_BYTES:
		return put_texts(array, cells, rows);
	default:
		return put_int64(array, cells, rows);
	}
}

static unsigned buffers_of(enum column_type type) { return pd_column_type_info(type)->text ? BYTES + 1 : VALUES + 1; }

/* The elements are a child array without nulls. */
static enum perfdata_status put_lists(struct ArrowArray *array, enum column_type element, const struct cells *cells,
				      uint32_t rows)
{
	int32_t *offsets = make_buffer(array, OFFSETS, rows, sizeof *offsets);
	const uint32_t *length = cells->lengths;
	struct cells elements = *cells;
	uint32_t row, all = cells->nr;
	if (!offsets)
		return PERFDATA_ENOMEM;
	for (struct walk walk = walk_of(cells); walk_next(&walk, &row); length++)
		offsets[row + 1] = (int32_t)(*length & INT32_MAX);
	if (!add_up(offsets, rows))
		return PERFDATA_ELIMIT;
	elements.runs = &all;
	elements.nr_runs = 1;
	const enum perfdata_status status = make_array(array->children[0], cells->nr, buffers_of(element), 0);
	return status ? status : put_values(array->children[0], element, &elements, cells->nr);
}

static enum perfdata_status make_column(struct ArrowArray *ret, enum column_type type, const struct cells *cells,
					uint32_t rows)
{
	const struct column_type_info *info = pd_column_type_info(type);
	enum perfdata_status status = make_array(ret, rows, info->list ? OFFSETS + 1 : buffers_of(type), info->list);
	if (!status)
		status = put_valid(ret, cells, rows);
	if (!status)
		status = info->list ? put_lists(ret, info->element, cells, rows) : put_values(ret, type, cells, rows);
	return status;
}

enum perfdata_status pd_arrow_array(const struct table *table, const struct cells *columns, uint32_t rows,
				    struct ArrowArray *ret)
{
	enum perfdata_status status = make_array(ret, rows, VALID + 1, table->nr_columns);
	if (status)
		return status;
	for (size_t i = 0; i < table->nr_columns && !status; i++)
		status = make_column(ret->children[i], table->columns[i].type, &columns[i], rows);
	if (status)
		release_array(ret);
	return status;
}
