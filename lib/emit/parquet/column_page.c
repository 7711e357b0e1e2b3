/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "emit/parquet/column_page.h"
#include "emit/parquet/thrift.h"

/* Levels of compression: encoded values gain little from higher levels. */
#define LEVEL 1
#define HARDER 4
/* Chunks with so few bytes are not compressed: a frame's header and checksum take more than compression saves. Most
 * columns of most tables have one value or none. */
#define NEVER_PACKED 64u

enum { PAGE_DATA = 0, PAGE_DICTIONARY = 2 };
enum { HEADER_TYPE = 1, HEADER_UNPACKED = 2, HEADER_PACKED = 3, HEADER_DATA = 5, HEADER_DICTIONARY = 7 };

void pd_page_writer_init(struct page_writer *writer, struct column_scratch *scratch, enum pd_codec_kind packing,
			 bool harder, struct perfdata_text *out)
{
	*writer = (struct page_writer){
		.scratch = scratch, .packing = packing, .harder = harder, .out = out, .start = out->size
	};
}

static struct perfdata_text *begin_page(struct perfdata_text *page)
{
	perfdata_text_clear(page);
	return page;
}

struct perfdata_text *pd_page_begin_dictionary(struct page_writer *writer)
{
	return begin_page(&writer->scratch->dictionary_page);
}

struct perfdata_text *pd_page_begin_data(struct page_writer *writer) { return begin_page(&writer->scratch->page); }

static void fail_page(struct page_writer *writer, enum perfdata_status status)
{
	writer->status = writer->status ? writer->status : status;
}

/* The encoder of this level; NULL without memory. */
static struct pd_encoder *encoder_of(const struct page_writer *writer)
{
	struct pd_encoder **encoder = &writer->scratch->encoders[writer->harder];
	if (*encoder)
		pd_encoder_reset(*encoder);
	else
		*encoder = pd_encoder_new(writer->packing, writer->harder ? HARDER : LEVEL);
	return *encoder;
}

/* The page body as it is stored: compressed or not. */
static const struct perfdata_text *pack_page(struct page_writer *writer, const struct perfdata_text *page)
{
	struct perfdata_text *packed = &writer->scratch->packed;
	if (perfdata_text_failed(page)) {
		fail_page(writer, PERFDATA_ENOMEM);
		return page;
	}
	if (writer->packing == PD_CODEC_NONE)
		return page;
	perfdata_text_clear(packed);
	struct pd_encoder *encoder = encoder_of(writer);
	enum perfdata_status status = encoder ? PERFDATA_OK : PERFDATA_ENOMEM;
	for (size_t used = 0; !status;) {
		char *at = perfdata_text_reserve(packed, page->size + page->size / 64 + 256);
		size_t made = 0;
		if (!at) {
			fail_page(writer, PERFDATA_ENOMEM);
			return packed;
		}
		status = pd_encoder_run(encoder, (const uint8_t *)page->data, page->size, &used, (uint8_t *)at,
					packed->capacity - packed->size, &made, true);
		perfdata_text_commit(packed, at + made);
	}
	if (status != PERFDATA_END)
		fail_page(writer, status);
	return packed;
}

static void begin_header(struct thrift *thrift, int32_t type, size_t unpacked, size_t packed)
{
	pd_thrift_open(thrift);
	pd_thrift_i32(thrift, HEADER_TYPE, type);
	pd_thrift_i32(thrift, HEADER_UNPACKED, (int32_t)unpacked);
	pd_thrift_i32(thrift, HEADER_PACKED, (int32_t)packed);
}

static void end_page(struct page_writer *writer, struct thrift *thrift, const struct perfdata_text *page,
		     const struct perfdata_text *body, size_t start)
{
	pd_thrift_close(thrift);
	writer->unpacked += writer->out->size - start + page->size;
	perfdata_text_append(writer->out, body->data, body->size);
	if (perfdata_text_failed(writer->out))
		fail_page(writer, PERFDATA_ENOMEM);
	/* sizes are 32 bits in the page header; a page with one long cell may exceed them */
	if (page->size > INT32_MAX)
		fail_page(writer, PERFDATA_ELIMIT);
}

void pd_page_end_dictionary(struct page_writer *writer, size_t nr_entries) { writer->nr_entries = nr_entries; }

static void write_dictionary(struct page_writer *writer)
{
	const struct perfdata_text *page = &writer->scratch->dictionary_page, *body = pack_page(writer, page);
	const size_t start = writer->out->size;
	struct thrift thrift = { .out = writer->out };
	begin_header(&thrift, PAGE_DICTIONARY, page->size, body->size);
	pd_thrift_struct(&thrift, HEADER_DICTIONARY);
	pd_thrift_i32(&thrift, 1, (int32_t)writer->nr_entries);
	pd_thrift_i32(&thrift, 2, PARQUET_PLAIN);
	pd_thrift_close(&thrift);
	end_page(writer, &thrift, page, body, start);
}

/* Writes what comes before the first data page, whose body is complete. */
static void begin_chunk(struct page_writer *writer)
{
	const size_t dictionary = writer->nr_entries ? writer->scratch->dictionary_page.size : 0;
	if (writer->scratch->page.size + dictionary <= NEVER_PACKED)
		writer->packing = PD_CODEC_NONE;
	if (writer->nr_entries)
		write_dictionary(writer);
	writer->data_offset = writer->out->size - writer->start;
	writer->begun = true;
}

void pd_page_end_data(struct page_writer *writer, uint64_t nr_levels, enum parquet_encoding encoding)
{
	const struct perfdata_text *page = &writer->scratch->page;
	if (!writer->begun)
		begin_chunk(writer);
	const struct perfdata_text *body = pack_page(writer, page);
	const size_t start = writer->out->size;
	struct thrift thrift = { .out = writer->out };
	begin_header(&thrift, PAGE_DATA, page->size, body->size);
	pd_thrift_struct(&thrift, HEADER_DATA);
	pd_thrift_i32(&thrift, 1, (int32_t)nr_levels);
	pd_thrift_i32(&thrift, 2, (int32_t)encoding);
	pd_thrift_i32(&thrift, 3, PARQUET_RLE);
	pd_thrift_i32(&thrift, 4, PARQUET_RLE);
	pd_thrift_close(&thrift);
	end_page(writer, &thrift, page, body, start);
}
