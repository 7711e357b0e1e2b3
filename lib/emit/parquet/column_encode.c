/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "base/cursor.h"
#include "base/memory.h"
#include "emit/parquet/column_encode.h"
#include "emit/parquet/column_bounds.h"
#include "emit/parquet/column_page.h"
#include "emit/parquet/encode_delta.h"
#include "emit/parquet/encode_runs.h"

#define PAGE_ROWS 524288u
#define PAGE_BYTES (1u << 20)
#define DICTIONARY_BYTES (1u << 20)
#define DICTIONARY_TRIAL 16384u     /* number of values after which a dictionary that does not pay is abandoned */

void pd_column_scratch_release(struct column_scratch *scratch)
{
	pd_dictionary_release(&scratch->numbers);
	pd_dictionary_release(&scratch->texts);
	pd_encoder_free(scratch->encoders[0]);
	pd_encoder_free(scratch->encoders[1]);
	pd_free(scratch->values);
	pd_free(scratch->indices);
	pd_free(scratch->runs);
	pd_free(scratch->lengths);
	pd_free(scratch->map);
	pd_free(scratch->tokens);
	perfdata_text_release(&scratch->dictionary_page);
	perfdata_text_release(&scratch->page);
	perfdata_text_release(&scratch->packed);
}

/* The state while a column is encoded; the parts of the group are joined. */
struct column {
	const struct column_how *how;
	const struct column_type_info *info;
	struct column_scratch *scratch;
	const struct column_part *parts;
	size_t nr_parts;
	uint64_t rows;
	size_t nr_values, nr_runs, nr_lengths, nr_tokens;
	enum parquet_encoding encoding;
	unsigned index_width;
	bool one_value;               /* all values are the first of the dictionary; there are no indexes */
	struct page_writer pages;
};

/* Makes room for exactly nr elements: nr is final and large, and pd_vector_grow would round it up. */
static bool have_room(void *items, size_t *room, size_t nr, size_t size)
{
	void **list = items;
	if (nr <= *room)
		return true;
	void *grown = pd_realloc(*list, nr * size);
	if (!grown)
		return false;
	*list = grown;
	*room = nr;
	return true;
}

/* --- parts as one ------------------------------------------------------------------------------------------------- */

static bool make_room(struct column *column, const struct column_part *parts, size_t nr_parts)
{
	struct column_scratch *scratch = column->scratch;
	size_t values = 0, runs = 2, lengths = 0, tokens = 0;
	for (size_t i = 0; i < nr_parts; i++) {
		values += parts[i].cells.nr;
		runs += parts[i].cells.nr_runs + 2;
		lengths += parts[i].cells.nr_lengths;
		tokens += parts[i].cells.nr_texts;
	}
	return have_room(&scratch->values, &scratch->room_values, values + 1, sizeof *scratch->values) &&
	       have_room(&scratch->indices, &scratch->room_indices, values + 1, sizeof *scratch->indices) &&
	       have_room(&scratch->runs, &scratch->room_runs, runs, sizeof *scratch->runs) &&
	       have_room(&scratch->lengths, &scratch->room_lengths, lengths + 1, sizeof *scratch->lengths) &&
	       have_room(&scratch->tokens, &scratch->room_tokens, tokens + 1, sizeof *scratch->tokens) &&
	       have_room(&scratch->map, &scratch->room_map, tokens + 1, sizeof *scratch->map);
}

/* Adds a run of rows. Runs alternate between rows with and without values; the first run has values. */
static void add_run(struct column *column, bool has_values, uint32_t rows)
{
	uint32_t *runs = column->scratch->runs;
	if (!rows)
		return;
	if (!column->nr_runs)
		runs[column->nr_runs++] = 0;
	if ((column->nr_runs & 1) == has_values)
		runs[column->nr_runs - 1] += rows;
	else
		runs[column->nr_runs++] = rows;
}

static void add_part(struct column *column, const struct column_part *part)
{
	struct column_scratch *scratch = column->scratch;
	const struct packed_cells *cells = &part->cells;
	const struct packed_arrays arrays = pd_packed_cells_arrays(cells, part->block);
	for (uint32_t i = 0; i < cells->nr_runs; i++)
		add_run(column, !(i & 1), arrays.runs[i]);
	add_run(column, false, part->rows - cells->rows);
	if (cells->nr_lengths)
		memcpy(scratch->lengths + column->nr_lengths, arrays.lengths,
		       cells->nr_lengths * sizeof *arrays.lengths);
	for (uint32_t i = 0; i < cells->nr_texts; i++)
		scratch->tokens[column->nr_tokens++] = (struct perfdata_bytes){
			(const uint8_t *)arrays.bytes + arrays.texts[i].at, arrays.texts[i].size
		};
	column->nr_values += cells->nr;
	column->nr_lengths += cells->nr_lengths;
	column->rows += part->rows;
}

/* The values of one part; ids of its texts begin at first_token. */
static void values_of_part(const struct column_part *part, uint64_t first_token, uint64_t *ret)
{
	const struct packed_arrays arrays = pd_packed_cells_arrays(&part->cells, part->block);
	pd_packed_cells_values(&part->cells, &arrays, first_token, ret);
}

static void all_values(struct column *column)
{
	uint64_t *values = column->scratch->values, first_token = 0;
	for (size_t i = 0; i < column->nr_parts; i++) {
		values_of_part(&column->parts[i], first_token, values);
		values += column->parts[i].cells.nr;
		first_token += column->info->text ? column->parts[i].cells.nr_texts : 0;
	}
}

/* --- dictionaries ------------------------------------------------------------------------------------------------- */

static bool gives_up(const struct dictionary *dictionary, uint64_t bytes, size_t seen)
{
	return bytes > DICTIONARY_BYTES || (seen >= DICTIONARY_TRIAL && dictionary->nr > seen / 2);
}

/* With few values, always. */
static bool dictionary_pays(const struct dictionary *dictionary, size_t nr_values)
{
	return nr_values && (nr_values < 64 || dictionary->nr <= nr_values / 2);
}

/* State while the dictionary indexes of numbers are found. */
struct indexing {
	struct dictionary *dictionary;
	uint32_t *indices;
	size_t nr;
	bool given_up, failed;
};

static inline uint32_t index_of(struct indexing *at, uint64_t number)
{
	const size_t before = at->dictionary->nr;
	const uint32_t index = pd_dictionary_number(at->dictionary, number);
	at->failed |= index == UINT32_MAX;
	if (at->dictionary->nr != before)
		at->given_up = gives_up(at->dictionary, at->dictionary->nr * sizeof(uint64_t), at->nr);
	return index;
}

static void repeat_index(struct indexing *at, uint64_t number, uint32_t nr)
{
	const uint32_t index = nr ? index_of(at, number) : 0;
	for (uint32_t i = 0; i < nr; i++)
		at->indices[at->nr++] = index;
}

#define MANY 64u                   /* number of bytes from which on a table of their indexes saves time */

static void index_bytes(struct indexing *at, const uint8_t *bytes, uint32_t nr, uint64_t least)
{
	uint32_t known[256], *indices = at->indices + at->nr;
	const size_t before = at->nr;
	memset(known, 0xff, sizeof known);
	for (uint32_t i = 0; i < nr; i++) {
		uint32_t *index = &known[bytes[i]];
		if (*index == UINT32_MAX) {
			at->nr = before + i;
			*index = index_of(at, bytes[i] + least);
			if (at->given_up || at->failed)
				return;
		}
		indices[i] = *index;
	}
	at->nr = before + nr;
}

static void index_values(struct indexing *at, const uint64_t *values, uint32_t nr)
{
	uint32_t *indices = at->indices + at->nr;
	const size_t before = at->nr;
	/* the last value and the one before it that differs: values often take turns */
	uint64_t last = 0, other = 0;
	uint32_t index = UINT32_MAX, other_index = UINT32_MAX;
	for (uint32_t i = 0; i < nr; i++) {
		if (values[i] != last || index == UINT32_MAX) {
			uint32_t found = values[i] == other ? other_index : UINT32_MAX;
			if (found == UINT32_MAX) {
				at->nr = before + i;
				found = index_of(at, values[i]);
				if (at->given_up || at->failed)
					return;
			}
			other = last;
			other_index = index;
			last = values[i];
			index = found;
		}
		indices[i] = index;
	}
	at->nr = before + nr;
}

static bool all_are_equal(const struct column *column)
{
	const struct packed_cells *first = NULL;
	for (size_t i = 0; i < column->nr_parts; i++) {
		const struct packed_cells *cells = &column->parts[i].cells;
		if (!cells->nr)
			continue;
		if (cells->width || (first && first->least != cells->least))
			return false;
		first = cells;
	}
	return first;
}

static enum perfdata_status try_numbers(struct column *column, bool *ret_used)
{
	struct column_scratch *scratch = column->scratch;
	struct indexing at = { .dictionary = &scratch->numbers, .indices = scratch->indices };
	pd_dictionary_clear(at.dictionary);
	column->one_value = all_are_equal(column);
	for (size_t i = 0; i < column->nr_parts && !at.given_up && !at.failed; i++) {
		const struct column_part *part = &column->parts[i];
		const struct packed_cells *cells = &part->cells;
		if (!cells->width) {
			repeat_index(&at, cells->least, column->one_value && cells->nr ? 1 : cells->nr);
		} else if (cells->width == 1 && cells->nr >= MANY) {
			const struct packed_arrays arrays = pd_packed_cells_arrays(cells, part->block);
			index_bytes(&at, (const uint8_t *)arrays.values, cells->nr, cells->least);
		} else {
			values_of_part(part, 0, scratch->values);
			index_values(&at, scratch->values, cells->nr);
		}
	}
	*ret_used = !at.given_up && dictionary_pays(at.dictionary, column->nr_values);
	return at.failed ? PERFDATA_ENOMEM : PERFDATA_OK;
}

static void indices_of_texts(struct column *column)
{
	struct column_scratch *scratch = column->scratch;
	uint64_t first_token = 0;
	uint32_t *indices = scratch->indices;
	for (size_t i = 0; i < column->nr_parts; i++) {
		const struct packed_cells *cells = &column->parts[i].cells;
		const uint32_t *map = scratch->map + first_token;
		if (cells->width == 1) {
			const struct packed_arrays arrays = pd_packed_cells_arrays(cells, column->parts[i].block);
			const uint8_t *tokens = (const uint8_t *)arrays.values;
			for (uint32_t k = 0; k < cells->nr; k++)
				*indices++ = map[cells->least + tokens[k]];
		} else {
			values_of_part(&column->parts[i], 0, scratch->values);
			for (uint32_t k = 0; k < cells->nr; k++)
				*indices++ = map[scratch->values[k]];
		}
		first_token += cells->nr_texts;
	}
}

static enum perfdata_status try_texts(struct column *column, bool *ret_used)
{
	struct column_scratch *scratch = column->scratch;
	struct dictionary *dictionary = &scratch->texts;
	pd_dictionary_clear(dictionary);
	for (size_t i = 0; i < column->nr_tokens; i++) {
		scratch->map[i] = pd_dictionary_text(dictionary, scratch->tokens[i]);
		if (scratch->map[i] == UINT32_MAX)
			return PERFDATA_ENOMEM;
		if (gives_up(dictionary, dictionary->bytes, 0))
			return PERFDATA_OK;
	}
	*ret_used = dictionary_pays(dictionary, column->nr_values);
	column->one_value = dictionary->nr == 1;
	if (*ret_used && !column->one_value)
		indices_of_texts(column);
	return PERFDATA_OK;
}

static enum perfdata_status choose_encoding(struct column *column)
{
	const enum column_type type = column->info->element;
	bool used = false;
	enum perfdata_status status = PERFDATA_OK;
	const bool number = type == COLUMN_INT32 || type == COLUMN_INT64 || type == COLUMN_UINT64;
	/* with compression: the codec finds bytes that addresses share, which deltas would hide */
	const bool delta = number && (type != COLUMN_UINT64 || column->how->packing == PD_CODEC_NONE);
	column->encoding = delta ? PARQUET_DELTA_BINARY_PACKED : PARQUET_PLAIN;
	if (column->info->text)
		status = try_texts(column, &used);
	else if (number && !column->how->rising)
		status = try_numbers(column, &used);
	if (!used)
		all_values(column);
	if (used) {
		column->encoding = PARQUET_RLE_DICTIONARY;
		column->index_width = pd_bit_width(
			(column->info->text ? column->scratch->texts.nr : column->scratch->numbers.nr) - 1);
		/* whole bytes, so that the codec finds repeated sequences of indexes */
		if (column->how->sequences)
			column->index_width = (column->index_width + 7) & ~7u;
	}
	return status;
}

/* --- values ------------------------------------------------------------------------------------------------------- */

static void plain_text(struct perfdata_text *out, struct perfdata_bytes text)
{
	const uint32_t size = pd_little32((uint32_t)text.size);
	perfdata_text_append(out, &size, sizeof size);
	perfdata_text_append(out, text.data, text.size);
}

static void plain_numbers(const struct column *column, struct perfdata_text *out, const uint64_t *values, size_t nr)
{
	const bool narrow = column->info->element == COLUMN_INT32;
	if (!narrow && !pd_order_is_foreign(PERFDATA_BYTE_ORDER_LITTLE)) {
		perfdata_text_append(out, values, nr * sizeof *values);
		return;
	}
	for (size_t i = 0; i < nr; i++) {
		if (narrow)
			perfdata_text_append(out, &(const uint32_t){ pd_little32((uint32_t)values[i]) }, 4);
		else
			perfdata_text_append(out, &(const uint64_t){ pd_little64(values[i]) }, 8);
	}
}

static void plain_booleans(struct perfdata_text *out, const uint64_t *values, size_t nr)
{
	for (size_t i = 0; i < nr; i += 8) {
		unsigned bits = 0;
		for (size_t k = i; k < nr && k < i + 8; k++)
			bits |= (unsigned)(values[k] & 1) << (k - i);
		perfdata_text_char(out, (char)bits);
	}
}

static void write_values(const struct column *column, struct perfdata_text *out, size_t first, size_t nr)
{
	const struct column_scratch *scratch = column->scratch;
	if (column->encoding == PARQUET_RLE_DICTIONARY) {
		struct run_encoder runs;
		perfdata_text_char(out, (char)column->index_width);
		pd_run_encoder_init(&runs, out, column->index_width);
		if (column->one_value)
			pd_run_encoder_repeat(&runs, 0, nr);
		else
			pd_run_encoder_values(&runs, scratch->indices + first, nr);
		pd_run_encoder_end(&runs);
	} else if (column->encoding == PARQUET_DELTA_BINARY_PACKED) {
		pd_encode_delta(out, scratch->values + first, nr, column->info->element == COLUMN_INT32 ? 32 : 64);
	} else if (column->info->text) {
		for (size_t i = 0; i < nr; i++)
			plain_text(out, scratch->tokens[scratch->values[first + i]]);
	} else if (column->info->element == COLUMN_BOOLEAN) {
		plain_booleans(out, scratch->values + first, nr);
	} else {
		plain_numbers(column, out, scratch->values + first, nr);
	}
}

static void write_dictionary(struct column *column)
{
	struct column_scratch *scratch = column->scratch;
	struct perfdata_text *body = pd_page_begin_dictionary(&column->pages);
	const size_t nr = column->info->text ? scratch->texts.nr : scratch->numbers.nr;
	for (size_t i = 0; column->info->text && i < nr; i++)
		plain_text(body, scratch->texts.texts[i]);
	if (!column->info->text)
		plain_numbers(column, body, scratch->numbers.numbers, nr);
	pd_page_end_dictionary(&column->pages, nr);
}

/* --- data pages --------------------------------------------------------------------------------------------------- */

/* Position in the column while pages are written. */
struct cursor {
	size_t run, in_run;           /* index of the run, and rows of this run already written */
	size_t length, value;
};
/* The rows of one page. */
struct extent {
	struct cursor from;
	uint64_t rows, levels;
	size_t values;
};

static size_t value_bytes(const struct column *column, bool varies, size_t value)
{
	return varies ? column->scratch->tokens[column->scratch->values[value]].size + 4 : 8;
}

/* Takes rows until the page is full. A column without values has one page. */
static struct extent next_extent(const struct column *column, struct cursor *cursor)
{
	const struct column_scratch *scratch = column->scratch;
	struct extent extent = { .from = *cursor };
	const bool varies = column->info->text && column->encoding == PARQUET_PLAIN;
	size_t bytes = 0;
	while (cursor->run < column->nr_runs &&
	       (!column->nr_values || (extent.rows < PAGE_ROWS && bytes < PAGE_BYTES))) {
		const size_t left = scratch->runs[cursor->run] - cursor->in_run;
		if (!left) {
			cursor->run++;
			cursor->in_run = 0;
			continue;
		}
		if (cursor->run & 1) {
			const size_t rows = !column->nr_values || left < PAGE_ROWS - extent.rows
						    ? left
						    : PAGE_ROWS - (size_t)extent.rows;
			cursor->in_run += rows;
			extent.rows += rows;
			extent.levels += rows;
			continue;
		}
		if (!column->info->list && !varies) {
			const size_t rows = left < PAGE_ROWS - extent.rows ? left : PAGE_ROWS - (size_t)extent.rows;
			cursor->in_run += rows;
			cursor->value += rows;
			extent.rows += rows;
			extent.levels += rows;
			extent.values += rows;
			continue;
		}
		const size_t nr = column->info->list ? scratch->lengths[cursor->length++] : 1;
		for (size_t i = 0; i < nr; i++)
			bytes += value_bytes(column, varies, cursor->value + i);
		cursor->value += nr;
		cursor->in_run++;
		extent.rows++;
		extent.values += nr;
		extent.levels += nr ? nr : 1;
	}
	return extent;
}

/* Writes the levels of the page's rows. Definition levels: 0 null, 1 a value or an empty list, 2 an element of a list.
 * Repetition levels: 0 first element of a row, 1 further elements. */
static void write_levels(const struct column *column, const struct extent *extent, bool repetition,
			 struct perfdata_text *out)
{
	const struct column_scratch *scratch = column->scratch;
	struct run_encoder runs;
	struct cursor at = extent->from;
	const size_t start = out->size;
	perfdata_text_append(out, "\0\0\0\0", 4);
	pd_run_encoder_init(&runs, out, column->info->list && !repetition ? 2 : 1);
	for (uint64_t rows = 0; rows < extent->rows;) {
		size_t left = scratch->runs[at.run] - at.in_run;
		if (left > extent->rows - rows)
			left = (size_t)(extent->rows - rows);
		const bool has_values = !(at.run & 1);
		if (!has_values || !column->info->list)
			pd_run_encoder_repeat(&runs, has_values && !repetition, left);
		for (size_t i = 0; has_values && column->info->list && i < left; i++) {
			const uint32_t nr = scratch->lengths[at.length++];
			if (repetition) {
				pd_run_encoder_put(&runs, 0);
				pd_run_encoder_repeat(&runs, 1, nr ? nr - 1 : 0);
			} else {
				pd_run_encoder_repeat(&runs, nr ? 2 : 1, nr ? nr : 1);
			}
		}
		rows += left;
		at.in_run += left;
		if (at.in_run == scratch->runs[at.run]) {
			at.run++;
			at.in_run = 0;
		}
	}
	pd_run_encoder_end(&runs);
	if (perfdata_text_failed(out))
		return;
	const uint32_t size = pd_little32((uint32_t)(out->size - start - 4));
	memcpy(out->data + start, &size, sizeof size);
}

static void write_pages(struct column *column, struct column_facts *facts)
{
	struct cursor cursor = { 0 };
	for (uint64_t rows = 0; rows < column->rows;) {
		const struct extent extent = next_extent(column, &cursor);
		struct perfdata_text *body = pd_page_begin_data(&column->pages);
		if (column->info->list)
			write_levels(column, &extent, true, body);
		if (!column->how->required)
			write_levels(column, &extent, false, body);
		write_values(column, body, extent.from.value, extent.values);
		pd_page_end_data(&column->pages, extent.levels, column->encoding);
		rows += extent.rows;
		facts->values += extent.levels;
		facts->nulls += extent.levels - extent.values;
	}
}

enum perfdata_status pd_column_encode(const struct column_how *how, const struct column_part *parts, size_t nr_parts,
				      struct column_scratch *scratch, struct perfdata_text *out,
				      struct column_facts *ret)
{
	struct column column = { .how = how,
				 .info = pd_column_type_info(how->type),
				 .scratch = scratch,
				 .parts = parts,
				 .nr_parts = nr_parts };
	const size_t start = out->size;
	memset(ret, 0, sizeof *ret);
	if (!make_room(&column, parts, nr_parts))
		return PERFDATA_ENOMEM;
	for (size_t i = 0; i < nr_parts; i++)
		add_part(&column, &parts[i]);
	const enum perfdata_status status = choose_encoding(&column);
	if (status)
		return status;
	pd_page_writer_init(&column.pages, scratch, how->packing, how->sequences, out);
	if (column.encoding == PARQUET_RLE_DICTIONARY)
		write_dictionary(&column);
	write_pages(&column, ret);
	const bool coded = column.encoding == PARQUET_RLE_DICTIONARY;
	if (column.info->text)
		pd_column_bounds_of_texts(how->type, coded ? scratch->texts.texts : scratch->tokens,
					  coded ? scratch->texts.nr : column.nr_tokens, &ret->least, &ret->greatest);
	else
		pd_column_bounds_of_numbers(column.info->element, coded ? scratch->numbers.numbers : scratch->values,
					    coded ? scratch->numbers.nr : column.nr_values, &ret->least,
					    &ret->greatest);
	ret->size = out->size - start;
	ret->unpacked_size = column.pages.unpacked;
	ret->encoding = column.encoding;
	ret->packing = column.pages.packing;
	ret->data_offset = column.pages.data_offset;
	return column.pages.status;
}
