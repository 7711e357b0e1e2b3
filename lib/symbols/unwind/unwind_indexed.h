/* SPDX-License-Identifier: MIT */
/* .eh_frame with the index that linkers write (.eh_frame_hdr). A look-up reads the entry of an address and the bytes
 * around it, so the tables of a large file need not fit into memory. Any number of threads look up at the same time. */
#ifndef PD_UNWIND_INDEXED_H
#define PD_UNWIND_INDEXED_H

#include "symbols/symbols.h"
#include "symbols/unwind/unwind_entries.h"

#define PD_INDEXED_WINDOW PD_FRAME_MOST_CIE   /* bytes of an entry that are read first; nearly all are shorter */
#define PD_INDEXED_CIES 16u

/* A part of the file whose bytes stay in memory, at their places, once look-ups have read them. */
struct pd_frame_image {
	uint64_t offset, size;         /* of the part in the file */
	uint8_t *bytes;                /* uninitialized where nothing was read yet; NULL: none are kept */
	atomic_uchar *pieces;          /* what is known of each piece of the part */
};

/* A row of an entry in one word: 24 bits for the distance of its start from the address in the index, 24 for its size,
 * and 16 for a number of the user. 0: no row. */
typedef _Atomic uint64_t pd_indexed_row;
#define PD_INDEXED_ROW_USER 16u

struct pd_indexed_frames {
	struct pd_frame_table facts;
	uint64_t offset, size;         /* of .eh_frame in the file */
	uint64_t index_offset, index_address, nr_entries;
	int32_t *starts;               /* starts of the entries of the index at regular distances */
	size_t nr_starts;
	struct pd_frame_image index, entries;
	pd_indexed_row *rows;          /* by entry: the row that was used last; NULL: none are kept */
	_Atomic(struct pd_frame_known_cie *) cies[PD_INDEXED_CIES];   /* the first ones that look-ups needed */
	atomic_size_t accounted;
};

/* An FDE and its CIE, in memory of the table or of this struct. */
struct pd_indexed_entry {
	uint64_t at;                   /* offset in .eh_frame */
	uint64_t start;                /* address of the code, as the index says */
	pd_indexed_row *row;           /* NULL: no rows are kept */
	struct pd_frame_entry entry;
	const struct pd_frame_known_cie *cie;
	uint8_t *large;                /* NULL: the entry fits into `bytes` */
	struct pd_frame_known_cie own_cie;
	uint8_t bytes[PD_INDEXED_WINDOW];
};

/* Opens the tables of a loaded dso. head: the first bytes of the index. false: the index is damaged or not sorted, or a
 * failure, which was reported. Close it in either case. */
bool pd_indexed_open(struct perfdata_symbols_dso *dso, const struct pd_frame_place *place,
		     const uint8_t head[PD_FRAME_INDEX_HEAD], struct pd_indexed_frames *ret);
void pd_indexed_close(struct perfdata_symbols_dso *dso, struct pd_indexed_frames *frames);
/* Finds the last FDE that begins at or before an address, by the index alone: at, start and row. PERFDATA_ABSENT: there
 * is none. PERFDATA_EREAD: the index cannot be read. */
enum perfdata_status pd_indexed_find(struct perfdata_symbols_dso *dso, struct pd_indexed_frames *frames, uint64_t vaddr,
				     struct pd_indexed_entry *ret);
/* Reads an FDE that was found, and its CIE. false: only libdw can. Drop it in either case. */
bool pd_indexed_read(struct perfdata_symbols_dso *dso, struct pd_indexed_frames *frames,
		     struct pd_indexed_entry *found);
/* Whether the kept row of an entry has the address; *ret_number: the number that the user added to its word. */
bool pd_indexed_has_row(const struct pd_indexed_entry *entry, uint64_t vaddr, uint32_t *ret_number);
/* Returns the word of a row, with the number 0; 0: the row has no such word. */
uint64_t pd_indexed_row_word(const struct pd_indexed_entry *entry, uint64_t start, uint64_t end);
void pd_indexed_drop(struct pd_indexed_entry *entry);

#endif
