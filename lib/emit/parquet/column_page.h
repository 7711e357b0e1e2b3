/* SPDX-License-Identifier: MIT */
/* The pages of a column chunk: each has a thrift header and a body. All bodies of a chunk are compressed, or none. */
#ifndef EMIT_COLUMN_PAGE_H
#define EMIT_COLUMN_PAGE_H

#include "emit/parquet/column_encode.h"

struct page_writer {
	struct column_scratch *scratch;
	enum pd_codec_kind packing;   /* of the chunk, from the first data page on */
	bool harder;
	struct perfdata_text *out;
	size_t start;                 /* offset of the chunk in `out` */
	size_t nr_entries;            /* of a dictionary page that is not written yet */
	bool begun;                   /* the first data page was written */
	uint64_t data_offset;         /* offset of the first data page in the chunk */
	uint64_t unpacked;            /* uncompressed size of all pages with their headers */
	enum perfdata_status status;  /* the first failure */
};
/* harder: spend more time for smaller pages. */
void pd_page_writer_init(struct page_writer *writer, struct column_scratch *scratch, enum pd_codec_kind packing,
			 bool harder, struct perfdata_text *out);
/* A dictionary page comes first, if there is one. The caller appends the body of each page after its begin. */
struct perfdata_text *pd_page_begin_dictionary(struct page_writer *writer);
void pd_page_end_dictionary(struct page_writer *writer, size_t nr_entries);
struct perfdata_text *pd_page_begin_data(struct page_writer *writer);
void pd_page_end_data(struct page_writer *writer, uint64_t nr_levels, enum parquet_encoding encoding);

#endif
