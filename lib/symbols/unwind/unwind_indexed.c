/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "symbols/unwind/unwind_indexed.h"
#include <string.h>
#include "base/hash.h"
#include "base/memory.h"
#include "base/search.h"

#define BLOCK 32u                  /* `starts` has the first of this many entries of the index */
#define PIECE_SIZE 8192u           /* bytes of the tables that are read at once */
#define MOST_ROWS ((uint64_t)1 << 20)
#define MOST_KEPT ((uint64_t)1 << (sizeof(size_t) < 8 ? 24 : 29))   /* bytes; larger tables are read anew each time */

/* --- images of the tables ----------------------------------------------------------------------------------------- */

enum piece_state { PIECE_EMPTY, PIECE_IS_READ, PIECE_READY };

static void account_for(struct perfdata_symbols_dso *dso, struct pd_indexed_frames *frames, size_t bytes)
{
	atomic_fetch_add_explicit(&frames->accounted, bytes, memory_order_relaxed);
	pd_account_take(pd_symbols_account(dso->symbols), PD_USE_SYMBOLS, bytes);
}

/* Makes an image of a part of the file. Its memory is used piece by piece. */
static void make_image(struct perfdata_symbols_dso *dso, struct pd_indexed_frames *frames, uint64_t offset,
		       uint64_t size, struct pd_frame_image *ret)
{
	const size_t nr = (size_t)(size / PIECE_SIZE + 1);
	*ret = (struct pd_frame_image){ .offset = offset, .size = size };
	if (size > MOST_KEPT)
		return;
	ret->pieces = pd_calloc(nr, sizeof *ret->pieces);
	ret->bytes = ret->pieces ? pd_malloc((size_t)size) : NULL;
	account_for(dso, frames, ret->pieces ? nr * sizeof *ret->pieces : 0);
}

static void free_image(struct pd_frame_image *image)
{
	pd_free(image->pieces);
	pd_free(image->bytes);
}

static size_t size_of_piece(const struct pd_frame_image *image, size_t number)
{
	const uint64_t left = image->size - (uint64_t)number * PIECE_SIZE;
	return left < PIECE_SIZE ? (size_t)left : PIECE_SIZE;
}

/* Whether a piece is in memory now. If it is not, or while another thread reads it, read the file instead. */
static bool has_piece(struct perfdata_symbols_dso *dso, struct pd_indexed_frames *frames, struct pd_frame_image *image,
		      size_t number)
{
	atomic_uchar *state = &image->pieces[number];
	unsigned char known = atomic_load_explicit(state, memory_order_acquire);
	if (known != PIECE_EMPTY)
		return known == PIECE_READY;
	if (pd_account_is_tight(pd_symbols_account(dso->symbols)) ||
	    !atomic_compare_exchange_strong(state, &known, PIECE_IS_READ))
		return known == PIECE_READY;
	const size_t at = number * PIECE_SIZE, size = size_of_piece(image, number);
	const bool is_read = pd_elf_read(dso->text, image->offset + at, image->bytes + at, size);
	if (is_read)
		account_for(dso, frames, size);
	atomic_store_explicit(state, is_read ? PIECE_READY : PIECE_EMPTY, memory_order_release);
	return is_read;
}

/* Returns a pointer to the bytes at a place in the image. *ret_size: how many of them are in memory, at least `wanted`
 * if the image has as many and they could be read. wanted: PIECE_SIZE at most. NULL: none are in memory. */
static const uint8_t *view_image(struct perfdata_symbols_dso *dso, struct pd_indexed_frames *frames,
				 struct pd_frame_image *image, uint64_t place, size_t wanted, size_t *ret_size)
{
	if (!image->bytes || place >= image->size)
		return NULL;
	const size_t number = (size_t)(place / PIECE_SIZE), within = (size_t)(place % PIECE_SIZE);
	if (!has_piece(dso, frames, image, number))
		return NULL;
	*ret_size = size_of_piece(image, number) - within;
	if (*ret_size < wanted && image->size - place > *ret_size && has_piece(dso, frames, image, number + 1))
		*ret_size += size_of_piece(image, number + 1);
	return image->bytes + place;
}

/* --- the index ---------------------------------------------------------------------------------------------------- */

static int32_t start_of(const uint8_t *entry, bool swap) { return (int32_t)pd_load32(entry, swap); }

/* Reads every BLOCK-th entry of the index. false: it is not sorted, or cannot be read. */
static bool read_starts(const struct pd_elf *elf, struct pd_indexed_frames *frames)
{
	enum { PIECE = 2048 };
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
	make_image(dso, ret, ret->index_offset, 8 * ret->nr_entries, &ret->index);
	make_image(dso, ret, ret->offset, ret->size, &ret->entries);
	ret->rows = ret->nr_entries <= MOST_ROWS ? pd_calloc((size_t)ret->nr_entries, sizeof *ret->rows) : NULL;
	account_for(dso, ret, ret->rows ? (size_t)ret->nr_entries * sizeof *ret->rows : 0);
	return read_starts(elf, ret);
}

void pd_indexed_close(struct perfdata_symbols_dso *dso, struct pd_indexed_frames *frames)
{
	pd_account_give(pd_symbols_account(dso->symbols), PD_USE_SYMBOLS, frames->accounted);
	free_image(&frames->index);
	free_image(&frames->entries);
	for (size_t i = 0; i < PD_INDEXED_CIES; i++)
		pd_free(atomic_load_explicit(&frames->cies[i], memory_order_relaxed));
	pd_free(frames->starts);
	pd_free(frames->rows);
}

enum perfdata_status pd_indexed_find(struct perfdata_symbols_dso *dso, struct pd_indexed_frames *frames, uint64_t vaddr,
				     struct pd_indexed_entry *ret)
{
	uint8_t copy[8 * BLOCK];
	const int64_t wanted = (int64_t)(vaddr - frames->index_address);
	size_t low;
	PD_COUNT_BEFORE(low, frames->nr_starts, at, frames->starts[at] <= wanted);
	if (!low)
		return PERFDATA_ABSENT;
	const uint64_t first = (uint64_t)(low - 1) * BLOCK;
	const size_t all = frames->nr_entries - first < BLOCK ? (size_t)(frames->nr_entries - first) : BLOCK;
	size_t at_hand, nr;
	const uint8_t *block = view_image(dso, frames, &frames->index, 8 * first, 8 * all, &at_hand);
	if (!block || at_hand < 8 * all) {
		block = copy;
		if (!pd_elf_read(dso->text, frames->index_offset + 8 * first, copy, 8 * all))
			return PERFDATA_EREAD;
	}
	PD_COUNT_BEFORE(nr, all, at, start_of(&block[8 * at], frames->facts.swap) <= wanted);
	if (!nr)
		return PERFDATA_ABSENT;
	const uint8_t *found = &block[8 * (nr - 1)];
	const int32_t offset = (int32_t)pd_load32(found + 4, frames->facts.swap);
	ret->at = frames->index_address + (uint64_t)(int64_t)offset - frames->facts.address;
	ret->start = frames->index_address + (uint64_t)(int64_t)start_of(found, frames->facts.swap);
	ret->row = frames->rows ? &frames->rows[first + nr - 1] : NULL;
	return PERFDATA_OK;
}

/* --- rows --------------------------------------------------------------------------------------------------------- */

#define ROW_BITS 24u
#define ROW_MASK ((UINT64_C(1) << ROW_BITS) - 1)

bool pd_indexed_has_row(const struct pd_indexed_entry *entry, uint64_t vaddr, uint32_t *ret_number)
{
	const uint64_t word = entry->row ? atomic_load_explicit(entry->row, memory_order_acquire) : 0;
	const uint64_t from = word >> (PD_INDEXED_ROW_USER + ROW_BITS), size = word >> PD_INDEXED_ROW_USER & ROW_MASK;
	*ret_number = (uint32_t)(word & ((1u << PD_INDEXED_ROW_USER) - 1));
	return vaddr - entry->start - from < size;
}

uint64_t pd_indexed_row_word(const struct pd_indexed_entry *entry, uint64_t start, uint64_t end)
{
	const uint64_t from = start - entry->start, size = end - start;
	return from <= ROW_MASK && end > start
		       ? (from << ROW_BITS | (size <= ROW_MASK ? size : ROW_MASK)) << PD_INDEXED_ROW_USER
		       : 0;
}

/* --- entries ------------------------------------------------------------------------------------------------------ */

/* Reads the entry at an offset. An entry that the image does not have is read into `bytes`, or into memory of its own,
 * which *ret_large returns. ret_large may be NULL: the entry is a CIE, and has at most PD_FRAME_MOST_CIE bytes. */
static bool read_entry(struct perfdata_symbols_dso *dso, struct pd_indexed_frames *frames, uint64_t at,
		       uint8_t bytes[PD_INDEXED_WINDOW], uint8_t **ret_large, struct pd_frame_entry *ret)
{
	const uint64_t most = ret_large ? PD_FRAME_MOST_ENTRY : PD_FRAME_MOST_CIE;
	if (at >= frames->size)
		return false;
	const uint64_t left = frames->size - at, offset = frames->offset + at;
	size_t at_hand;
	const uint8_t *view = view_image(dso, frames, &frames->entries, at, PD_INDEXED_WINDOW, &at_hand);
	uint64_t size = view ? pd_frame_entry_size(&frames->facts, view, at_hand) : 0;
	if (size && size <= at_hand)
		return size <= most && pd_frame_take_entry(&frames->facts, view, (size_t)size, at, ret);
	const size_t nr = left < PD_INDEXED_WINDOW ? (size_t)left : PD_INDEXED_WINDOW;
	if (!pd_elf_read(dso->text, offset, bytes, nr))
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

bool pd_indexed_read(struct perfdata_symbols_dso *dso, struct pd_indexed_frames *frames,
		     struct pd_indexed_entry *found)
{
	found->large = NULL;
	if (!read_entry(dso, frames, found->at, found->bytes, &found->large, &found->entry) || found->entry.is_cie)
		return false;
	found->cie = find_cie(dso, frames, found->entry.cie, &found->own_cie);
	return found->cie != NULL;
}

void pd_indexed_drop(struct pd_indexed_entry *entry) { pd_free(entry->large); }
