/* SPDX-License-Identifier: MIT */
#include "config.h"
#include <string.h>
#include "base/hash.h"
#include "base/memory.h"
#include "emit/table/cells.h"
#include "perfdata/text.h"
#include "text/utf8.h"
#include "text/spelling.h"

/* Caches of the last tokens, by address or by content. Addresses of texts differ between runs, so static texts have a
 * separate cache and do not count as `spent`. */
struct lasting_text {
	const char *address;
	uint32_t token, round;
};
struct cells_recent {
	uint32_t round;               /* incremented by pd_cells_clear, which invalidates older entries */
	struct lasting_text lasting[CELLS_RECENT];
	struct {
		uint32_t token, round;
	} by_content[CELLS_RECENT];
};

void pd_cells_release(struct cells *cells)
{
	pd_free(cells->values);
	pd_free(cells->runs);
	pd_free(cells->lengths);
	pd_free(cells->texts);
	pd_free(cells->bytes);
	pd_free(cells->recent);
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

size_t pd_cells_size(const struct cells *cells)
{
	return cells->nr * sizeof *cells->values + cells->nr_lengths * sizeof *cells->lengths + cells->spent;
}

size_t pd_cells_memory(const struct cells *cells)
{
	return cells->room * sizeof *cells->values + (cells->room_runs + cells->room_lengths) * sizeof(uint32_t) +
	       cells->room_texts * sizeof *cells->texts + cells->room_bytes +
	       (cells->recent ? sizeof *cells->recent : 0);
}

/* Makes room for one more element. Not pd_vector_grow: counts have 32 bits, since each column of each part has a struct
 * cells. */
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

void pd_cells_grow(struct cells *cells)
{
	(void)room_for(cells, &cells->values, &cells->room, cells->nr, sizeof *cells->values, 128);
}

static void next_run(struct cells *cells, uint32_t rows)
{
	if (room_for(cells, &cells->runs, &cells->room_runs, cells->nr_runs, sizeof *cells->runs, 4))
		cells->runs[cells->nr_runs++] = rows;
}

/* Adds null rows up to `row`; the last run is then one with values. */
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
	if (!room_for(cells, &cells->lengths, &cells->room_lengths, cells->nr_lengths, sizeof *cells->lengths, 128))
		return;
	cells->lengths[cells->nr_lengths++] = nr;
	pd_cells_extend(cells, row, 1);
}

void pd_cells_add(struct cells *cells, uint64_t value)
{
	if (cells->nr == cells->room)
		pd_cells_grow(cells);
	if (!cells->failed)
		cells->values[cells->nr++] = value;
}

/* Offsets have 32 bits, so texts have at most 4 GiB. */
static bool room_for_bytes(struct cells *cells, size_t more)
{
	if (cells->size + more > UINT32_MAX) {
		cells->failed = cells->is_full = true;
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

/* Makes room for `more` elements. */
static bool room_for_more(struct cells *cells, void *items, uint32_t *room, uint32_t nr, uint32_t more, size_t size)
{
	while (*room - nr < more)
		if (!room_for(cells, items, room, *room, size, more + 16))
			return false;
	return true;
}

bool pd_cells_reserve(struct cells *cells, uint32_t values, uint32_t lengths, uint32_t texts, size_t bytes)
{
	return room_for_more(cells, &cells->values, &cells->room, cells->nr, values, sizeof *cells->values) &&
	       room_for_more(cells, &cells->lengths, &cells->room_lengths, cells->nr_lengths, lengths,
			     sizeof *cells->lengths) &&
	       room_for_more(cells, &cells->texts, &cells->room_texts, cells->nr_texts, texts, sizeof *cells->texts) &&
	       room_for_bytes(cells, bytes);
}

void pd_cells_extend(struct cells *cells, uint32_t row, uint32_t rows)
{
	if (cells->rows != row || !(cells->nr_runs & 1))
		pd_cells_skip_to(cells, row);
	if (cells->failed)
		return;
	cells->runs[cells->nr_runs - 1] += rows;
	cells->rows = row + rows;
}

uint64_t *pd_cells_room(struct cells *cells, uint32_t nr)
{
	if (cells->room - cells->nr < nr && !pd_cells_reserve(cells, nr, 0, 0, 0))
		return NULL;
	return cells->values + cells->nr;
}

void pd_cells_commit(struct cells *cells, uint32_t row, uint32_t nr)
{
	cells->nr += nr;
	pd_cells_extend(cells, row, nr);
}

void pd_cells_repeat(struct cells *cells, uint32_t row, uint32_t rows, uint64_t value)
{
	uint64_t *values = rows ? pd_cells_room(cells, rows) : NULL;
	if (!values)
		return;
	for (uint32_t i = 0; i < rows; i++)
		values[i] = value;
	pd_cells_commit(cells, row, rows);
}

/* --- texts -------------------------------------------------------------------------------------------------------- */

/* Adds a token. `bytes` may already be at the end of cells->bytes. */
static uint32_t new_token(struct cells *cells, const void *bytes, size_t size)
{
	const bool there = bytes && cells->bytes && bytes == cells->bytes + cells->size;
	if (!room_for(cells, &cells->texts, &cells->room_texts, cells->nr_texts, sizeof *cells->texts, 16) ||
	    (!there && !room_for_bytes(cells, size)))
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

/* Appends the text to the bytes, with U+FFFD for each invalid byte. */
static size_t repair_text(struct cells *cells, const uint8_t *bytes, size_t size)
{
	if (size > UINT32_MAX / 3)
		cells->failed = cells->is_full = true;
	if (cells->is_full || !room_for_bytes(cells, 3 * size))
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

/* The text, or a repaired copy at the end of the bytes if it is not valid UTF-8. */
static const void *valid_bytes(struct cells *cells, const void *bytes, size_t *size)
{
	if (pd_utf8_valid(bytes, *size))
		return bytes;
	*size = repair_text(cells, bytes, *size);
	return cells->failed ? NULL : cells->bytes + cells->size;
}

uint64_t pd_cells_text(struct cells *cells, const void *bytes, size_t size)
{
	if (cells->failed || !has_recent(cells))
		return 0;
	const size_t before = cells->size;
	const uint32_t token = by_content(cells, bytes, size);
	cells->spent += cells->size - before;
	return token;
}

uint64_t pd_cells_utf8(struct cells *cells, const void *bytes, size_t size)
{
	bytes = valid_bytes(cells, bytes, &size);
	return pd_cells_text(cells, bytes, size);
}

uint64_t pd_cells_name(struct cells *cells, const char *name)
{
	if (!has_recent(cells))
		return 0;
	const uintptr_t address = (uintptr_t)name;
	struct lasting_text *known =
		&cells->recent->lasting[(address >> 4 ^ address >> 10 ^ address >> 16) % CELLS_RECENT];
	if (known->address == name && known->round == cells->recent->round)
		return known->token;
	size_t size = strlen(name);
	const void *bytes = valid_bytes(cells, name, &size);
	const uint32_t token = cells->failed ? 0 : new_token(cells, bytes, size);
	if (!cells->failed)
		*known = (struct lasting_text){ name, token, cells->recent->round };
	return token;
}
