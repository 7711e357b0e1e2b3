/* SPDX-License-Identifier: MIT */
/* Symbols of the first recordings of simpleperf (2016): DSO and SYMBOL records among the others, each before the first
 * sample that needs it. The reader gathers them before it returns any record, as a section FILE of later recordings, so
 * that names do not depend on how far a recording was read. */
#include "config.h"
#include <string.h>
#include "base/checked.h"
#include "base/hash.h"
#include "base/memory.h"
#include "perfdata/text.h"
#include "reader/reader_impl.h"
#include "schema/feature.h"

#define BUFFER (256u << 10)
#define NO_OFFSET UINT64_MAX       /* in FILE: the offset is unknown */
#define TYPE_MODULE 1u
#define TYPE_ELF 2u

struct recorded_dso {
	struct perfdata_text path, symbols;      /* the path and a NUL; symbols in the layout of FILE */
	uint64_t type, min_vaddr;
	uint32_t nr;
};

struct gathering {
	struct perfdata_reader *reader;
	struct recorded_dso *dsos;
	size_t nr, room;
	struct pd_hash_map by_id;
	size_t size;                             /* bytes of all texts so far */
};

bool pd_reader_cmdline_is_simpleperf(const struct perfdata_reader *reader)
{
	static const char name[] = "simpleperf";
	const struct perfdata_feature *feature = reader->sections[PERFDATA_FEATURE_CMDLINE].feature;
	const struct perfdata_node *list = feature ? perfdata_node_get(perfdata_feature_root(feature), "cmdline")
						   : NULL;
	const struct perfdata_bytes first = list && list->child ? list->child->v.bytes
								: (struct perfdata_bytes){ NULL, 0 };
	const size_t size = sizeof name - 1;

	return first.size >= size && !memcmp(first.data + first.size - size, name, size);
}

static void append_int(struct perfdata_text *out, bool swap, unsigned width, uint64_t value)
{
	uint8_t bytes[8];
	const uint32_t half = swap ? __builtin_bswap32((uint32_t)value) : (uint32_t)value;

	if (swap)
		value = __builtin_bswap64(value);
	memcpy(bytes, width == 4 ? (const void *)&half : &value, width);
	perfdata_text_append(out, (const char *)bytes, width);
}

static int take_dso(struct gathering *all, const struct perfdata_dso_record *dso)
{
	if (pd_vector_grow(&all->dsos, &all->room, all->nr, sizeof *all->dsos) < 0 ||
	    pd_hash_map_put(&all->by_id, dso->dso_id, all->nr) < 0)
		return -1;
	struct recorded_dso *made = &all->dsos[all->nr++];
	*made = (struct recorded_dso){ .type = dso->dso_type, .min_vaddr = dso->min_vaddr };
	perfdata_text_init(&made->path);
	perfdata_text_init(&made->symbols);
	perfdata_text_bytes(&made->path, dso->path);
	perfdata_text_fill(&made->path, '\0', 1);
	all->size += made->path.size;
	return perfdata_text_failed(&made->path) ? -1 : 0;
}

/* Whether the symbol covers all of memory: for a kernel without symbols, simpleperf writes such a symbol. */
static bool is_nothing(const struct perfdata_symbol_record *symbol)
{
	return !symbol->addr && symbol->len > UINT32_MAX;
}

static int take_symbol(struct gathering *all, const struct perfdata_symbol_record *symbol)
{
	const bool swap = all->reader->config.swap;
	uint64_t index;

	if (!pd_hash_map_get(&all->by_id, symbol->dso_id, &index) || is_nothing(symbol))
		return 0;
	struct recorded_dso *dso = &all->dsos[index];
	const size_t before = dso->symbols.size;
	append_int(&dso->symbols, swap, 8, symbol->addr);
	append_int(&dso->symbols, swap, 4, symbol->len < UINT32_MAX ? symbol->len : UINT32_MAX);
	perfdata_text_bytes(&dso->symbols, symbol->name);
	perfdata_text_fill(&dso->symbols, '\0', 1);
	dso->nr++;
	all->size += dso->symbols.size - before;
	return perfdata_text_failed(&dso->symbols) ? -1 : 0;
}

static int take_record(struct gathering *all, const uint8_t *bytes, size_t size)
{
	struct perfdata_record record;

	(void)perfdata_decode(&all->reader->config, bytes, size, &record);
	return record.type == PERFDATA_RECORD_SIMPLEPERF_DSO ? take_dso(all, &record.u.dso)
							     : take_symbol(all, &record.u.symbol);
}

/* Walks over the headers of all records. */
static enum perfdata_status walk_records(struct gathering *all, struct pd_input *input, uint64_t offset, uint64_t end,
					 uint8_t *buffer)
{
	const bool swap = all->reader->config.swap;
	size_t have = 0, at = 0;

	while (offset + 8 <= end && all->size < PD_MAX_BLOB) {
		if (have - at < 8 || have - at < pd_record_header(buffer + at, swap).size) {
			const enum perfdata_status status = pd_input_read_at(input, offset, buffer, BUFFER, &have);
			if (status != PERFDATA_OK && status != PERFDATA_END)
				return status;
			at = 0;
		}
		const struct pd_record_header header = have - at >= 8 ? pd_record_header(buffer + at, swap)
								      : (struct pd_record_header){ 0 };
		if (header.size < 8 || have - at < header.size)
			break;
		if ((header.type == PERFDATA_RECORD_SIMPLEPERF_DSO ||
		     header.type == PERFDATA_RECORD_SIMPLEPERF_SYMBOL) &&
		    take_record(all, buffer + at, header.size) < 0)
			return PERFDATA_ENOMEM;
		at += header.size;
		offset += header.size;
	}
	return PERFDATA_OK;
}

/* Writes entries in the layout of FILE, without offsets: these recordings have none. */
static enum perfdata_status make_section(struct gathering *all)
{
	const bool swap = all->reader->config.swap;
	struct perfdata_text out;

	perfdata_text_init(&out);
	for (size_t i = 0; i < all->nr; i++) {
		const struct recorded_dso *dso = &all->dsos[i];
		const bool has_offset = dso->type == TYPE_ELF || dso->type == TYPE_MODULE;
		const size_t size = dso->path.size + 16 + dso->symbols.size + (has_offset ? 8 : 0);
		append_int(&out, swap, 4, size);
		perfdata_text_append(&out, dso->path.data, dso->path.size);
		append_int(&out, swap, 4, dso->type);
		append_int(&out, swap, 8, dso->min_vaddr);
		append_int(&out, swap, 4, dso->nr);
		perfdata_text_append(&out, dso->symbols.data, dso->symbols.size);
		if (has_offset)
			append_int(&out, swap, 8, NO_OFFSET);
	}
	const void *copy = perfdata_text_failed(&out) ? NULL : pd_arena_copy(&all->reader->arena, out.data, out.size);
	if (copy)
		all->reader->symbol_records = (struct perfdata_bytes){ copy, out.size };
	perfdata_text_release(&out);
	return copy ? PERFDATA_OK : PERFDATA_ENOMEM;
}

enum perfdata_status pd_symbol_records_gather(struct perfdata_reader *reader, struct pd_input *input, uint64_t offset,
					      uint64_t end)
{
	struct gathering all = { .reader = reader };

	if (pd_reader_is_simpleperf(reader) || !pd_reader_cmdline_is_simpleperf(reader))
		return PERFDATA_OK;
	uint8_t *buffer = pd_malloc(BUFFER);
	enum perfdata_status status = buffer ? walk_records(&all, input, offset, end, buffer) : PERFDATA_ENOMEM;
	/* the reader fails at the same place when it reads the records, and reports it then */
	if (status == PERFDATA_EREAD)
		status = PERFDATA_OK;
	if (status == PERFDATA_OK && all.nr)
		status = make_section(&all);
	for (size_t i = 0; i < all.nr; i++) {
		perfdata_text_release(&all.dsos[i].path);
		perfdata_text_release(&all.dsos[i].symbols);
	}
	pd_free(all.dsos);
	pd_hash_map_release(&all.by_id);
	pd_free(buffer);
	return status;
}

struct perfdata_bytes pd_reader_symbol_records(const struct perfdata_reader *reader) { return reader->symbol_records; }
