/* SPDX-License-Identifier: MIT */
/* Pages: a thrift header, then the body, compressed or not. */
#ifndef EMIT_COLUMN_PAGE_H
#define EMIT_COLUMN_PAGE_H

#include "emit/parquet/column_encode.h"

struct page_writer {
	struct column_scratch *scratch;
	enum pd_codec_kind packing;
	struct perfdata_text *out;
	uint64_t unpacked;            /* uncompressed size of all pages with their headers */
	enum perfdata_status status;  /* the first failure */
};
/* harder: spend more time for smaller pages. */
enum perfdata_status pd_page_writer_init(struct page_writer *writer, struct column_scratch *scratch,
					 enum pd_codec_kind packing, bool harder, struct perfdata_text *out);
/* Begins a page; the caller appends its body. */
struct perfdata_text *pd_page_begin(struct page_writer *writer);
void pd_page_end_dictionary(struct page_writer *writer, size_t nr_entries);
void pd_page_end_data(struct page_writer *writer, uint64_t nr_levels, enum parquet_encoding encoding);

#endif
