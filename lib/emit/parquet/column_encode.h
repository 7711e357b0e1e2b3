/* SPDX-License-Identifier: MIT */
/* One column of a row group in Parquet: a dictionary page if it saves space, data pages, and metadata for the
 * footer. */
#ifndef EMIT_COLUMN_ENCODE_H
#define EMIT_COLUMN_ENCODE_H

#include "codec/codec.h"
#include "emit/table/packed_cells.h"
#include "emit/values/column_type.h"
#include "emit/parquet/dictionary.h"
#include "perfdata/text.h"

#define COLUMN_MOST_BOUND 64u      /* bytes of a text as a bound */

enum parquet_encoding {
	PARQUET_PLAIN = 0,
	PARQUET_RLE = 3,
	PARQUET_DELTA_BINARY_PACKED = 5,
	PARQUET_RLE_DICTIONARY = 8
};

struct column_how {
	enum column_type type;
	bool required;                /* every row has a value */
	bool rising;                  /* values hardly repeat: try no dictionary */
	bool sequences;               /* sequences of values repeat: help the codec find them */
	enum pd_codec_kind packing;
};

/* The least and the greatest value. */
struct column_bound {
	bool known, exact;
	uint64_t number;
	uint8_t size;                 /* of a text */
	char text[COLUMN_MOST_BOUND];
};
/* Metadata of an encoded column. Offsets are relative to its first byte. */
struct column_facts {
	uint64_t offset;              /* offset of the column in the file, set after it was placed */
	uint64_t data_offset;         /* offset of the first data page; not 0 if a dictionary page comes first */
	uint64_t size, unpacked_size; /* with page headers */
	uint64_t values, nulls;       /* values: number of levels, including nulls and empty lists */
	enum parquet_encoding encoding;
	enum pd_codec_kind packing;
	struct column_bound least, greatest;
};

/* Scratch memory of one thread, for columns of the same packing. */
struct column_scratch {
	struct dictionary numbers, texts;
	struct pd_encoder *encoders[2];   /* for columns without and with repeated sequences; or NULL */
	uint64_t *values;
	uint32_t *indices, *runs, *lengths, *map;
	struct perfdata_bytes *tokens;
	size_t room_values, room_indices, room_runs, room_lengths, room_map, room_tokens;
	struct perfdata_text dictionary_page, page, packed;
};
void pd_column_scratch_release(struct column_scratch *scratch);

/* A part of the rows. */
struct column_part {
	struct packed_cells cells;
	const char *block;            /* memory block with the cells */
	uint32_t rows;                /* number of rows; rows after the last cell are null */
};
/* Appends the column. PERFDATA_ENOMEM. */
enum perfdata_status pd_column_encode(const struct column_how *how, const struct column_part *parts, size_t nr_parts,
				      struct column_scratch *scratch, struct perfdata_text *out,
				      struct column_facts *ret);

#endif
