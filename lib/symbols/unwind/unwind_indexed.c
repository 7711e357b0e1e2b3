/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "symbols/unwind/unwind_indexed.h"
#include <string.h>
#include "base/hash.h"
#include "base/memory.h"
#include "base/search.h"

#define BLOCK 32u                  /* `starts` has the first of this many entries of the index */
#define PIECE_SIZE 8192u           /* bytes of the tables that are read at once and kept in memory */
#define MOST_PIECES 65536u         /* of a table: half a gigabyte */

/* --- pieces of the tables ----------------------------------------------------------------------------------------- */

static void account_for(struct perfdata_symbols_dso *dso, struct pd_indexed_frames *frames, size_t bytes)
{
	atomic_fetch_add_explicit(&frames->accounted, bytes, memory_order_relaxed);
	pd_account_take(pd_symbols_account(dso->symbols), PD_USE_SYMBOLS, bytes);
}

/* Makes room for the pieces of a range of the file. Of a longer range, or without memory, none are kept. */
static void make_pieces(struct perfdata_symbols_dso *dso, struct pd_indexed_frames *frames, uint64_t offset,
			uint64_t size, struct pd_frame_pieces *ret)
{
	const uint64_t nr = (offset % PIECE_SIZE + size) / PIECE_SIZE + 1;
	ret->first = offset - offset % PIECE_SIZE;
	ret->items = size / PIECE_SIZE < MOST_PIECES ? pd_calloc((size_t)nr, sizeof *ret->items) : NULL;
	ret->nr = ret->items ? (size_t)nr : 0;
	account_for(dso, frames, ret->nr * sizeof *ret->items);
}

static void free_pieces(struct pd_frame_pieces *pieces)
{
	for (size_t i = 0; i < pieces->nr; i++)
		pd_free(atomic_load_explicit(&pieces->items[i], memory_order_relaxed));
	pd_free(pieces->items);
}

/* Reads a piece, and keeps it. NULL: no memory, or it cannot be read. */
static uint8_t *add_piece(struct perfdata_symbols_dso *dso, struct pd_indexed_frames *frames, uint64_t at,
			  _Atomic(uint8_t *) *place)
{
	uint8_t *kept = NULL;
	uint8_t *piece = pd_account_is_tight(pd_symbols_account(dso->symbols)) ? NULL : pd_malloc(PIECE_SIZE);
	if (piece && !pd_elf_read(dso->text, at, piece, PIECE_SIZE)) {
		pd_free(piece);
		return NULL;
	}
	if (piece && !atomic_compare_exchange_strong(place, &kept, piece)) {
		pd_free(piece);   /* another thread was faster */
		return kept;
	}
	account_for(dso, frames, piece ? PIECE_SIZE : 0);
	return piece;
}

/* Returns the file's bytes from an offset to the end of the piece, which has *ret_size bytes more. NULL: as for
 * add_piece, or the file ends within the piece. */
static const uint8_t *view_file(struct perfdata_symbols_dso *dso, struct pd_indexed_frames *frames,
				struct pd_frame_pieces *pieces, uint64_t offset, size_t *ret_size)
{
	const size_t within = offset % PIECE_SIZE;
	const uint64_t at = offset - within, number = (at - pieces->first) / PIECE_SIZE;
	*ret_size = PIECE_SIZE - within;
	if (at < pieces->first || number >= pieces->nr || !pd_elf_holds(dso->text, at, PIECE_SIZE))
		return NULL;
	const uint8_t *piece = atomic_load_explicit(&pieces->items[number], memory_order_acquire);
	if (!piece)
		piece = add_piece(dso, frames, at, &pieces->items[number]);
	return piece ? piece + within : NULL;
}

/* As pd_elf_read, but keeps the pieces: addresses in stacks are often close together, and so are their entries. */
static bool read_file(struct perfdata_symbols_dso *dso, struct pd_indexed_frames *frames,
		      struct pd_frame_pieces *pieces, uint64_t offset, uint8_t *out, size_t size)
{
	while (size) {
		size_t nr;
		const uint8_t *bytes = view_file(dso, frames, pieces, offset, &nr);
		if (!bytes)
			return pd_elf_read(dso->text, offset, out, size);
		nr = size < nr ? size : nr;
		memcpy(out, bytes, nr);
		offset += nr;
		out += nr;
		size -= nr;
	}
	return true;
}

/* --- the index ---------------------------------------------------------------------------------------------------- */

static int32_t start_of(const uint8_t *entry, bool swap) { return (int32_t)pd_load32(entry, swap); }

/* Reads every BLOCK-th entry of the index. false: it is not sorted, or cannot be read. */
static bool read_starts(const struct pd_elf *elf, struct pd_indexed_frames *frames)
{
	enum { PIECE = 512 };
	uint8_t piece[8 * PIECE];
	int32_t last = INT32_MIN;
	for (uint64_t i = 0; i < frames->nr_entries; i += PIECE) {
		const size_t nr = frames->nr_entries - i < PIECE ? (size_t)(frames->nr_entries - i) : PIECE;
		if (!pd_elf_read(elf, frames->index_offset + 8 * i, piece, 8 * nr))
			return false;
		for (size_t k = 0; k < nr; k++) {
			const int32_t start = start_of(&piece[8 * k], frames->facts.swap);
			if (start < last)
				return false;
			last = start;
			if ((i + k) % BLOCK == 0)
				frames->starts[frames->nr_starts++] = start;
		}
	}
	return true;
}

bool pd_indexed_open(struct perfdata_symbols_dso *dso, const struct pd_frame_place *place,
		     const uint8_t head[PD_FRAME_INDEX_HEAD], struct pd_indexed_frames *ret)
{
	const struct pd_elf *elf = dso->text;
	ret->facts = (struct pd_frame_table){ .address = place->address,
					      .wide = elf->header.e_ident[EI_CLASS] != ELFCLASS32,
					      .swap = pd_elf_swaps(elf) };
	ret->offset = place->offset;
	ret->size = place->size;
	ret->index_offset = elf->frame_index.offset + PD_FRAME_INDEX_HEAD;
	ret->index_address = elf->frame_index.vaddr;
	ret->nr_entries = pd_load32(head + 8, ret->facts.swap);
	if (!ret->nr_entries || ret->nr_entries > (elf->frame_index.filesz - PD_FRAME_INDEX_HEAD) / 8 ||
	    !pd_elf_holds(elf, ret->index_offset, 8 * ret->nr_entries))
		return false;
	const size_t bytes = (size_t)(ret->nr_entries / BLOCK + 1) * sizeof *ret->starts;
	ret->starts = pd_malloc(bytes);
	if (!ret->starts) {
		(void)pd_symbols_note(dso->symbols, PERFDATA_ENOMEM);
		return false;
	}
	account_for(dso, ret, bytes);
	make_pieces(dso, ret, ret->index_offset, 8 * ret->nr_entries, &ret->index_pieces);
	make_pieces(dso, ret, ret->offset, ret->size, &ret->entry_pieces);
	return read_starts(elf, ret);
}

void pd_indexed_close(struct perfdata_symbols_dso *dso, struct pd_indexed_frames *frames)
{
	pd_account_give(pd_symbols_account(dso->symbols), PD_USE_SYMBOLS, frames->accounted);
	free_pieces(&frames->index_pieces);
	free_pieces(&frames->entry_pieces);
	for (size_t i = 0; i < PD_INDEXED_CIES; i++)
		pd_free(atomic_load_explicit(&frames->cies[i], memory_order_relaxed));
	pd_free(frames->starts);
}

/* Finds the offset in .eh_frame of an address's entry, if it has one. PERFDATA_ABSENT, PERFDATA_EREAD. */
static enum perfdata_status find_offset(struct perfdata_symbols_dso *dso, struct pd_indexed_frames *frames,
					uint64_t vaddr, uint64_t *ret)
{
	uint8_t copy[8 * BLOCK];
	const int64_t wanted = (int64_t)(vaddr - frames->index_address);
	size_t low;
	PD_COUNT_BEFORE(low, frames->nr_starts, at, frames->starts[at] <= wanted);
	if (!low)
		return PERFDATA_ABSENT;
	const uint64_t first = (uint64_t)(low - 1) * BLOCK, place = frames->index_offset + 8 * first;
	const size_t all = frames->nr_entries - first < BLOCK ? (size_t)(frames->nr_entries - first) : BLOCK;
	size_t at_hand, nr;
	const uint8_t *block = view_file(dso, frames, &frames->index_pieces, place, &at_hand);
	if (!block || at_hand < 8 * all) {
		block = copy;
		if (!read_file(dso, frames, &frames->index_pieces, place, copy, 8 * all))
			return PERFDATA_EREAD;
	}
	PD_COUNT_BEFORE(nr, all, at, start_of(&block[8 * at], frames->facts.swap) <= wanted);
	if (!nr)
		return PERFDATA_ABSENT;
	const int32_t offset = (int32_t)pd_load32(&block[8 * (nr - 1) + 4], frames->facts.swap);
	*ret = frames->index_address + (uint64_t)(int64_t)offset - frames->facts.address;
	return PERFDATA_OK;
}

/* --- entries ------------------------------------------------------------------------------------------------------ */

/* Reads the entry at an offset. An entry that crosses pieces is copied into `bytes`, or into memory of its own, which
 * *ret_large returns. ret_large may be NULL: the entry is a CIE, and has at most PD_FRAME_MOST_CIE bytes. */
static bool read_entry(struct perfdata_symbols_dso *dso, struct pd_indexed_frames *frames, uint64_t at,
		       uint8_t bytes[PD_INDEXED_WINDOW], uint8_t **ret_large, struct pd_frame_entry *ret)
{
	const uint64_t most = ret_large ? PD_FRAME_MOST_ENTRY : PD_FRAME_MOST_CIE;
	if (at >= frames->size)
		return false;
	const uint64_t left = frames->size - at, offset = frames->offset + at;
	size_t at_hand;
	const uint8_t *view = view_file(dso, frames, &frames->entry_pieces, offset, &at_hand);
	at_hand = left < at_hand ? (size_t)left : at_hand;
	uint64_t size = view ? pd_frame_entry_size(&frames->facts, view, at_hand) : 0;
	if (size && size <= at_hand)
		return size <= most && pd_frame_take_entry(&frames->facts, view, (size_t)size, at, ret);
	const size_t nr = left < PD_INDEXED_WINDOW ? (size_t)left : PD_INDEXED_WINDOW;
	if (!read_file(dso, frames, &frames->entry_pieces, offset, bytes, nr))
		return false;
	size = pd_frame_entry_size(&frames->facts, bytes, nr);
	if (!size || size > left || size > most)
		return false;
	if (size > nr) {
		bytes = *ret_large = pd_malloc((size_t)size);
		if (!bytes || !pd_elf_read(dso->text, offset, bytes, (size_t)size))
			return false;
	}
	return pd_frame_take_entry(&frames->facts, bytes, (size_t)size, at, ret);
}

/* Returns the CIE at an offset, kept by the table if it has room, else in `own`. NULL: there is none. */
static const struct pd_frame_known_cie *find_cie(struct perfdata_symbols_dso *dso, struct pd_indexed_frames *frames,
						 uint64_t at, struct pd_frame_known_cie *own)
{
	_Atomic(struct pd_frame_known_cie *) *place = &frames->cies[pd_hash_u64(at, 0) % PD_INDEXED_CIES];
	struct pd_frame_known_cie *kept = atomic_load_explicit(place, memory_order_acquire);
	uint8_t bytes[PD_INDEXED_WINDOW];
	struct pd_frame_entry entry;
	if (kept && kept->facts.at == at)
		return kept;
	if (!read_entry(dso, frames, at, bytes, NULL, &entry) || !entry.is_cie)
		return NULL;
	pd_frame_know_cie(&frames->facts, &entry, dso->text->header.e_machine, own);
	struct pd_frame_known_cie *made = kept ? NULL : pd_malloc(sizeof *made);
	if (!made)
		return own;
	*made = *own;
	if (!atomic_compare_exchange_strong(place, &kept, made))
		pd_free(made);
	else
		account_for(dso, frames, sizeof *made);
	return own;
}

enum perfdata_status pd_indexed_find(struct perfdata_symbols_dso *dso, struct pd_indexed_frames *frames, uint64_t vaddr,
				     struct pd_indexed_entry *ret)
{
	uint64_t at;
	ret->large = NULL;
	const enum perfdata_status status = find_offset(dso, frames, vaddr, &at);
	if (status != PERFDATA_OK)
		return status;
	if (!read_entry(dso, frames, at, ret->bytes, &ret->large, &ret->entry) || ret->entry.is_cie)
		return PERFDATA_EUNSUP;
	ret->cie = find_cie(dso, frames, ret->entry.cie, &ret->own_cie);
	return ret->cie ? PERFDATA_OK : PERFDATA_EUNSUP;
}

void pd_indexed_drop(struct pd_indexed_entry *entry) { pd_free(entry->large); }
