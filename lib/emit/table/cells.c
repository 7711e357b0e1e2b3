/* SPDX-License-Identifier: MIT */
#include "config.h"
#include <string.h>
#include "base/hash.h"
#include "base/memory.h"
#include "emit/table/cells.h"
#include "perfdata/text.h"
#include "text/utf8.h"

/* The last tokens, found by address or by content: small tables that forget. Addresses differ from run to run, so lasting texts are kept apart from
 * the others, and do not count as `spent`. */
struct lasting_text {
	const void *address;
	size_t size;
	uint32_t token, round;
};
struct cells_recent {
	uint32_t round;               /* grows when the cells are cleared: what was known before is not any more */
	struct lasting_text lasting[CELLS_RECENT];
	struct {
		uint32_t token, round;
	} by_content[CELLS_RECENT];
};

void pd_cells_release(struct cells *cells)
{
	if (!cells->packed) {
		pd_free(cells->values);
		pd_free(cells->runs);
		pd_free(cells->lengths);
		pd_free(cells->texts);
		pd_free(cells->bytes);
		pd_free(cells->recent);
	}
	memset(cells, 0, sizeof *cells);
}

void pd_cells_clear(struct cells *cells)
{
	cells->nr = cells->rows = cells->nr_runs = cells->nr_lengths = cells->nr_texts = 0;
	cells->size = cells->spent = 0;
	cells->failed = false;
	if (cells->recent)
		cells->recent->round++;
}

/* So that each array is aligned. */
static size_t whole_words(size_t size) { return (size + 7) & ~(size_t)7; }

size_t pd_cells_block(const struct cells *cells)
{
	return cells->nr * sizeof *cells->values + whole_words(cells->nr_runs * sizeof *cells->runs) +
	       whole_words(cells->nr_lengths * sizeof *cells->lengths) + cells->nr_texts * sizeof *cells->texts + whole_words(cells->size);
}

/* Where the next array stands. */
static void *put_array(char **at, const void *items, size_t size)
{
	void *array = *at;
	if (size)
		memcpy(array, items, size);
	*at += whole_words(size);
	return array;
}

void *pd_cells_pack(const struct cells *cells, struct cells *ret, void *block)
{
	char *at = block;
	*ret = *cells;
	ret->packed = true;
	ret->recent = NULL;
	ret->values = put_array(&at, cells->values, cells->nr * sizeof *cells->values);
	ret->runs = put_array(&at, cells->runs, cells->nr_runs * sizeof *cells->runs);
	ret->lengths = put_array(&at, cells->lengths, cells->nr_lengths * sizeof *cells->lengths);
	ret->texts = put_array(&at, cells->texts, cells->nr_texts * sizeof *cells->texts);
	ret->bytes = put_array(&at, cells->bytes, cells->size);
	return at;
}

size_t pd_cells_size(const struct cells *cells)
{
	return cells->nr * sizeof *cells->values + cells->nr_lengths * sizeof *cells->lengths + cells->spent;
}

/* Room for one more of what `items` points to. */
static bool room_for(struct cells *cells, void *items, uint32_t *room, uint32_t nr, size_t size, uint32_t first)
{
	if (nr < *room)
		return true;
	void **list = items;
	const uint32_t more = *room ? 2 * *room : first;
	void *grown = more > *room ? pd_realloc(*list, more * size) : NULL;
	if (!grown) {
		cells->failed = true;
		return false;
	}
	*list = grown;
	*room = more;
	return true;
}

void pd_cells_grow(struct cells *cells) { (void)room_for(cells, &cells->values, &cells->room, cells->nr, sizeof *cells->values, 128); }

static void next_run(struct cells *cells, uint32_t rows)
{
	if (room_for(cells, &cells->runs, &cells->room_runs, cells->nr_runs, sizeof *cells->runs, 4))
		cells->runs[cells->nr_runs++] = rows;
}

/* Behind it the last run is one of rows with values. */
void pd_cells_skip_to(struct cells *cells, uint32_t row)
{
	if (cells->rows != row) {
		if (!cells->nr_runs)
			next_run(cells, 0);
		next_run(cells, row - cells->rows);
	}
	if (!(cells->nr_runs & 1))
		next_run(cells, 0);
	cells->rows = row;
}

void pd_cells_list(struct cells *cells, uint32_t row, uint32_t nr)
{
	if (cells->rows != row || !(cells->nr_runs & 1))
		pd_cells_skip_to(cells, row);
	if (cells->failed || !room_for(cells, &cells->lengths, &cells->room_lengths, cells->nr_lengths, sizeof *cells->lengths, 128))
		return;
	cells->lengths[cells->nr_lengths++] = nr;
	cells->runs[cells->nr_runs - 1]++;
	cells->rows = row + 1;
}

void pd_cells_add(struct cells *cells, uint64_t value)
{
	if (cells->nr == cells->room)
		pd_cells_grow(cells);
	if (!cells->failed)
		cells->values[cells->nr++] = value;
}

static bool room_for_bytes(struct cells *cells, size_t more)
{
	if (cells->size + more > UINT32_MAX) {
		cells->failed = true;
		return false;
	}
	if (cells->size + more <= cells->room_bytes)
		return true;
	size_t room = cells->room_bytes ? 2 * cells->room_bytes : 256;
	while (room < cells->size + more)
		room *= 2;
	char *grown = pd_realloc(cells->bytes, room);
	if (!grown) {
		cells->failed = true;
		return false;
	}
	cells->bytes = grown;
	cells->room_bytes = room;
	return true;
}

/* Room for many more. */
static bool room_for_more(struct cells *cells, void *items, uint32_t *room, uint32_t nr, uint32_t more, size_t size)
{
	while (*room - nr < more)
		if (!room_for(cells, items, room, *room, size, more + 16))
			return false;
	return true;
}

static void append_runs(struct cells *cells, uint32_t row, const struct cells *more)
{
	for (uint32_t i = 0; i < more->nr_runs && !cells->failed; i++) {
		if (more->runs[i] && !(i & 1)) {
			if (cells->rows != row || !(cells->nr_runs & 1))
				pd_cells_skip_to(cells, row);
			if (cells->failed)
				return;
			cells->runs[cells->nr_runs - 1] += more->runs[i];
			cells->rows = row + more->runs[i];
		}
		row += more->runs[i];
	}
}

void pd_cells_append(struct cells *cells, uint32_t row, const struct cells *more)
{
	if (!more->nr_runs)
		return;
	if (!room_for_more(cells, &cells->values, &cells->room, cells->nr, more->nr, sizeof *cells->values) ||
	    !room_for_more(cells, &cells->lengths, &cells->room_lengths, cells->nr_lengths, more->nr_lengths, sizeof *cells->lengths) ||
	    !room_for_more(cells, &cells->texts, &cells->room_texts, cells->nr_texts, more->nr_texts, sizeof *cells->texts) ||
	    !room_for_bytes(cells, more->size))
		return;
	const uint64_t tokens = more->nr_texts ? cells->nr_texts : 0;
	for (uint32_t i = 0; i < more->nr; i++)
		cells->values[cells->nr + i] = more->values[i] + tokens;
	if (more->nr_lengths)
		memcpy(cells->lengths + cells->nr_lengths, more->lengths, more->nr_lengths * sizeof *more->lengths);
	for (uint32_t i = 0; i < more->nr_texts; i++)
		cells->texts[cells->nr_texts + i] = (struct cell_text){ more->texts[i].at + (uint32_t)cells->size, more->texts[i].size };
	if (more->size)
		memcpy(cells->bytes + cells->size, more->bytes, more->size);
	cells->nr += more->nr;
	cells->nr_lengths += more->nr_lengths;
	cells->nr_texts += more->nr_texts;
	cells->size += more->size;
	cells->spent += more->spent;
	append_runs(cells, row, more);
}

/* --- texts ------------------------------------------------------------------------------------------------------------- */

/* `bytes` may be those at the end of cells->bytes already. */
static uint32_t new_token(struct cells *cells, const void *bytes, size_t size)
{
	const bool there = bytes && cells->bytes && bytes == cells->bytes + cells->size;
	if (!room_for(cells, &cells->texts, &cells->room_texts, cells->nr_texts, sizeof *cells->texts, 16) || (!there && !room_for_bytes(cells, size)))
		return 0;
	if (!there && size)
		memcpy(cells->bytes + cells->size, bytes, size);
	cells->texts[cells->nr_texts] = (struct cell_text){ (uint32_t)cells->size, (uint32_t)size };
	cells->size += size;
	return cells->nr_texts++;
}

static uint32_t by_content(struct cells *cells, const void *bytes, size_t size)
{
	if (size > 256)
		return new_token(cells, bytes, size);
	struct cells_recent *recent = cells->recent;
	const size_t slot = pd_hash_bytes(bytes, size, 1) % CELLS_RECENT;
	if (recent->by_content[slot].round == recent->round) {
		const struct cell_text *text = &cells->texts[recent->by_content[slot].token];
		if (text->size == size && (!size || !memcmp(cells->bytes + text->at, bytes, size)))
			return recent->by_content[slot].token;
	}
	const uint32_t token = new_token(cells, bytes, size);
	if (!cells->failed) {
		recent->by_content[slot].token = token;
		recent->by_content[slot].round = recent->round;
	}
	return token;
}

static bool has_recent(struct cells *cells)
{
	if (!cells->recent) {
		cells->recent = pd_calloc(1, sizeof *cells->recent);
		cells->failed |= !cells->recent;
		if (cells->recent)
			cells->recent->round = 1;
	}
	return cells->recent;
}

/* With U+FFFD for each byte that is part of no character, at the end of the bytes. */
static size_t repair(struct cells *cells, const uint8_t *bytes, size_t size)
{
	if (size > UINT32_MAX / 3 || !room_for_bytes(cells, 3 * size))
		return 0;
	char *at = cells->bytes + cells->size;
	for (size_t i = 0; i < size;) {
		const size_t length = pd_utf8_length(bytes + i, size - i);
		memcpy(at, length ? (const char *)bytes + i : "\xef\xbf\xbd", length ? length : 3);
		at += length ? length : 3;
		i += length ? length : 1;
	}
	return (size_t)(at - cells->bytes) - cells->size;
}

/* What is not UTF-8 is repaired first. */
static uint32_t make_token(struct cells *cells, const void *bytes, size_t size, bool lasting, bool utf8)
{
	if (utf8 && !perfdata_utf8_valid(bytes, size)) {
		size = repair(cells, bytes, size);
		if (cells->failed)
			return 0;
		bytes = cells->bytes + cells->size;
	}
	if (lasting)
		return new_token(cells, bytes, size);
	const size_t before = cells->size;
	const uint32_t token = by_content(cells, bytes, size);
	cells->spent += cells->size - before;
	return token;
}

static uint64_t token_of(struct cells *cells, const void *bytes, size_t size, bool lasting, bool utf8)
{
	if (!has_recent(cells))
		return 0;
	if (!lasting)
		return make_token(cells, bytes, size, false, utf8);
	const uintptr_t address = (uintptr_t)bytes;
	struct lasting_text *known = &cells->recent->lasting[(address >> 4 ^ address >> 10 ^ address >> 16) % CELLS_RECENT];
	if (known->address == bytes && known->size == size && known->round == cells->recent->round)
		return known->token;
	const uint32_t token = make_token(cells, bytes, size, true, utf8);
	if (!cells->failed)
		*known = (struct lasting_text){ bytes, size, token, cells->recent->round };
	return token;
}

uint64_t pd_cells_text(struct cells *cells, const void *bytes, size_t size, bool lasting) { return token_of(cells, bytes, size, lasting, false); }
uint64_t pd_cells_utf8(struct cells *cells, const void *bytes, size_t size, bool lasting) { return token_of(cells, bytes, size, lasting, true); }
