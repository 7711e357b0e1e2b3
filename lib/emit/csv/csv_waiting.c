/* SPDX-License-Identifier: MIT */
#include "config.h"
#include <string.h>
#include "base/memory.h"
#include "base/spool.h"
#include "emit/csv/csv_cell.h"
#include "emit/csv/csv_waiting.h"

#define BLOCK ((size_t)1 << 20)
/* A row with one empty cell, which as an empty line could be read as no row. */
#define EMPTY_ROW "\"\""

struct csv_waiting {
	struct pd_spool file;          /* the first rows, if not all fit into memory */
	struct perfdata_text block;    /* the rows after those in the file */
	bool *has_value;
	size_t nr_columns, nr_left;    /* nr_left: columns that have a value */
};

struct csv_waiting *pd_csv_waiting_new(const char *tmpdir)
{
	struct csv_waiting *waiting = pd_calloc(1, sizeof *waiting);
	if (!waiting)
		return NULL;
	pd_spool_init(&waiting->file, tmpdir);
	perfdata_text_init(&waiting->block);
	return waiting;
}

void pd_csv_waiting_free(struct csv_waiting *waiting)
{
	if (!waiting)
		return;
	pd_spool_release(&waiting->file);
	perfdata_text_release(&waiting->block);
	pd_free(waiting->has_value);
	pd_free(waiting);
}

/* --- cells -------------------------------------------------------------------------------------------------------- */

/* The end of the cell that begins at `at`: a comma, a line's end, or `end`. */
static const char *end_of_cell(const char *at, const char *end)
{
	bool quoted = false;
	for (; at < end; at++) {
		quoted ^= *at == '"';
		if (!quoted && (*at == ',' || *at == '\r'))
			break;
	}
	return at;
}

static bool is_empty(const char *at, const char *stop)
{
	const size_t size = (size_t)(stop - at);
	return !size || (size == strlen(EMPTY_ROW) && !memcmp(at, EMPTY_ROW, size));
}

static bool count_columns(struct csv_waiting *waiting, const char *at, const char *end)
{
	waiting->nr_columns = 1;
	while ((at = end_of_cell(at, end)) < end && *at++ == ',')
		waiting->nr_columns++;
	waiting->has_value = pd_calloc(waiting->nr_columns, sizeof *waiting->has_value);
	return waiting->has_value;
}

/* Sets has_value for the columns with a value in these rows. */
static void look_for_values(struct csv_waiting *waiting, const char *at, const char *end, bool is_header)
{
	size_t column = 0;
	while (at < end) {
		const char *stop = end_of_cell(at, end);
		if (!is_header && column < waiting->nr_columns && !waiting->has_value[column] && !is_empty(at, stop)) {
			waiting->has_value[column] = true;
			waiting->nr_left++;
		}
		if (stop < end && *stop == ',') {
			column++;
			at = stop + 1;
		} else {
			column = 0;
			is_header = false;
			at = stop + strlen(CSV_NEW_LINE);
		}
	}
}

/* --- rows that wait ----------------------------------------------------------------------------------------------- */

static enum perfdata_status write_block(struct csv_waiting *waiting)
{
	const enum perfdata_status status = pd_spool_append(&waiting->file, waiting->block.data, waiting->block.size);
	if (!status)
		perfdata_text_clear(&waiting->block);
	return status;
}

enum perfdata_status pd_csv_waiting_add(struct csv_waiting *waiting, const struct perfdata_text *rows)
{
	const bool is_header = !waiting->has_value;
	if (perfdata_text_failed(rows) ||
	    (is_header && !count_columns(waiting, rows->data, rows->data + rows->size)))
		return PERFDATA_ENOMEM;
	if (!rows->size)
		return PERFDATA_OK;
	look_for_values(waiting, rows->data, rows->data + rows->size, is_header);
	if (waiting->block.size && waiting->block.size + rows->size > BLOCK) {
		const enum perfdata_status status = write_block(waiting);
		if (status)
			return status;
	}
	perfdata_text_append(&waiting->block, rows->data, rows->size);
	return perfdata_text_failed(&waiting->block) ? PERFDATA_ENOMEM : PERFDATA_OK;
}

/* --- rows without the empty columns ------------------------------------------------------------------------------- */

struct left_out {
	const struct csv_waiting *waiting;
	struct perfdata_text *out;
	size_t column, written;        /* cells of the current row that were read, and written */
	bool has_text;                 /* a written cell of the row is not empty */
};

static void put_cell(struct left_out *row, const char *at, const char *stop)
{
	if (row->column++ >= row->waiting->nr_columns ||
	    (row->waiting->nr_left && !row->waiting->has_value[row->column - 1]))
		return;
	if (row->written++)
		perfdata_text_char(row->out, ',');
	perfdata_text_append(row->out, at, (size_t)(stop - at));
	row->has_text |= at != stop;
}

static void end_row(struct left_out *row)
{
	if (row->written == 1 && !row->has_text)
		perfdata_text_literal(row->out, EMPTY_ROW);
	perfdata_text_literal(row->out, CSV_NEW_LINE);
	perfdata_text_cut(row->out);
	row->column = row->written = 0;
	row->has_text = false;
}

/* Returns the size of the complete cells; an incomplete cell follows them. */
static size_t put_rows(struct left_out *row, const char *data, size_t size)
{
	const char *at = data, *end = data + size;
	for (;;) {
		const char *stop = end_of_cell(at, end);
		if ((size_t)(end - stop) < strlen(CSV_NEW_LINE))
			return (size_t)(at - data);
		put_cell(row, at, stop);
		if (*stop == ',') {
			at = stop + 1;
		} else {
			end_row(row);
			at = stop + strlen(CSV_NEW_LINE);
		}
	}
}

/* Writes the rows of the file, block by block; an incomplete cell is kept for the next block. */
static enum perfdata_status put_file(struct left_out *row, struct perfdata_text *room)
{
	const struct pd_spool *file = &row->waiting->file;
	for (uint64_t at = 0; at < file->size;) {
		const uint64_t left = file->size - at;
		const size_t wanted = left < BLOCK ? (size_t)left : BLOCK;
		char *to = perfdata_text_reserve(room, wanted);
		if (!to)
			return PERFDATA_ENOMEM;
		const enum perfdata_status status = pd_spool_read(file, at, to, wanted);
		if (status)
			return status;
		perfdata_text_commit(room, to + wanted);
		at += wanted;
		const size_t taken = put_rows(row, room->data, room->size);
		memmove(room->data, room->data + taken, room->size - taken);
		room->size -= taken;
	}
	return PERFDATA_OK;
}

enum perfdata_status pd_csv_waiting_end(struct csv_waiting *waiting, struct perfdata_text *out)
{
	struct left_out row = { .waiting = waiting, .out = out };
	struct perfdata_text room;
	perfdata_text_init(&room);
	enum perfdata_status status = put_file(&row, &room);
	/* the last cell of the file is complete only with the first byte of the block in memory */
	if (!status) {
		perfdata_text_append(&room, waiting->block.data, waiting->block.size);
		put_rows(&row, room.data, room.size);
		status = perfdata_text_failed(&room) ? PERFDATA_ENOMEM : PERFDATA_OK;
	}
	perfdata_text_release(&room);
	return status;
}
