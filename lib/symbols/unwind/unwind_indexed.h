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

struct pd_indexed_frames {
	struct pd_frame_table facts;
	uint64_t offset, size;         /* of .eh_frame in the file */
	uint64_t index_offset, index_address, nr_entries;
	int32_t *starts;               /* starts of the entries of the index at regular distances */
	size_t nr_starts;
	struct pd_frame_image index, entries;
	_Atomic(struct pd_frame_known_cie *) cies[PD_INDEXED_CIES];   /* the first ones that look-ups needed */
	atomic_size_t accounted;
};

/* An FDE and its CIE, in memory of the table or of this struct. */
struct pd_indexed_entry {
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
/* Finds the last FDE that begins at or before an address. PERFDATA_ABSENT: there is none. PERFDATA_EUNSUP: only libdw
 * can decide. PERFDATA_EREAD: the index cannot be read. Drop it in either case. */
enum perfdata_status pd_indexed_find(struct perfdata_symbols_dso *dso, struct pd_indexed_frames *frames, uint64_t vaddr,
				     struct pd_indexed_entry *ret);
void pd_indexed_drop(struct pd_indexed_entry *entry);

#endif
