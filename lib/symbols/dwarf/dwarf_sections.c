/* SPDX-License-Identifier: MIT */
/* The sections of debug information. Uncompressed ones are read from the file. Others are decompressed into memory or,
 * if large, into a temporary file, so that only the parts in use take memory. */
#include "config.h"
#include "symbols/symbols.h"

#include <string.h>
#include "base/cursor.h"
#include "base/memory.h"
#include "codec/codec.h"
#include "symbols/dwarf/dwarf.h"

#define PIECE ((size_t)64 << 10)
/* Sections that can be read in pieces go to a file if they are larger; with an account, smaller ones do too when half
 * of the memory is used. */
#define MOST_IN_MEMORY ((uint64_t)8 << 20)
#define MOST ((uint64_t)1 << 32)
#define BYTES_OF_STEP 64u   /* decompressed bytes in one step */

static const char *const names[PD_DWARF_SECTIONS] = {
	[PD_DWARF_INFO] = ".debug_info",
	[PD_DWARF_LINE] = ".debug_line",
	[PD_DWARF_STR] = ".debug_str",
	[PD_DWARF_LINE_STR] = ".debug_line_str",
	[PD_DWARF_ABBREV] = ".debug_abbrev",
	[PD_DWARF_RANGES] = ".debug_ranges",
	[PD_DWARF_RNGLISTS] = ".debug_rnglists",
	[PD_DWARF_ADDR] = ".debug_addr",
	[PD_DWARF_STR_OFFSETS] = ".debug_str_offsets",
	[PD_DWARF_ARANGES] = ".debug_aranges",
};

/* Sections in a .dwo or .dwp file; others are in the file with the skeleton units. */
static const char *const split_names[PD_DWARF_SECTIONS] = {
	[PD_DWARF_INFO] = ".debug_info.dwo",
	[PD_DWARF_LINE] = ".debug_line.dwo",
	[PD_DWARF_STR] = ".debug_str.dwo",
	[PD_DWARF_ABBREV] = ".debug_abbrev.dwo",
	[PD_DWARF_RNGLISTS] = ".debug_rnglists.dwo",
	[PD_DWARF_STR_OFFSETS] = ".debug_str_offsets.dwo",
};

/* Whether only libdw handles the section: supplementary files (dwz), split units, the old compression. */
static bool is_foreign(const struct pd_elf_section *section)
{
	return !strncmp(section->name, ".zdebug_", 8) || !strcmp(section->name, ".gnu_debugaltlink") ||
	       !strcmp(section->name, ".debug_sup") ||
	       (!strncmp(section->name, ".debug_", 7) && strstr(section->name, ".dwo"));
}

static bool is_read_in_pieces(enum pd_dwarf_section_number number) { return number < PD_DWARF_ABBREV; }

/* --- decompressing ------------------------------------------------------------------------------------------------ */

/* A compressed section. Its header (Elf32_Chdr, Elf64_Chdr; or "ZLIB" and the size in big-endian order) states a size,
 * which is accepted only if the compressed bytes can yield as much. */
struct compressed {
	const struct pd_elf *elf;
	uint64_t at, left;           /* offset of the next compressed byte; number of unread ones */
	uint64_t size;               /* decompressed size */
	struct pd_decoder *decoder;
};

static enum perfdata_status read_header(const struct pd_elf *elf, const struct pd_dwarf_section *section, bool is_old,
					struct compressed *ret)
{
	const bool wide = elf->header.e_ident[EI_CLASS] != ELFCLASS32, swap = pd_elf_swaps(elf);
	uint8_t bytes[sizeof(Elf64_Chdr)];
	const size_t head = is_old ? sizeof "ZLIB" - 1 + 8 : wide ? sizeof(Elf64_Chdr) : sizeof(Elf32_Chdr);
	if (section->size < head || !pd_elf_read(elf, section->offset, bytes, head) ||
	    (is_old && memcmp(bytes, "ZLIB", 4) != 0))
		return PERFDATA_EUNSUP;
	const uint32_t type = is_old ? ELFCOMPRESS_ZLIB : pd_load32(bytes, swap);
	*ret = (struct compressed){ .elf = elf, .at = section->offset + head, .left = section->size - head };
	ret->size = is_old ? pd_load64(bytes + 4, pd_order_is_foreign(PERFDATA_BYTE_ORDER_BIG))
		    : wide ? pd_load64(bytes + 8, swap)
			   : pd_load32(bytes + 4, swap);
	if (ret->size > MOST || pd_work_ratio(section->size, ret->size))
		return PERFDATA_ELIMIT;
	if (type != ELFCOMPRESS_ZLIB && type != PD_ELF_COMPRESS_ZSTD)
		return PERFDATA_EUNSUP;
	const enum pd_codec_kind kind = type == ELFCOMPRESS_ZLIB ? PD_CODEC_GZIP : PD_CODEC_ZSTD;
	const enum perfdata_status status = pd_codec_load(kind, NULL);
	if (status)
		return status;
	ret->decoder = kind == PD_CODEC_GZIP ? pd_zlib_decoder_new() : pd_decoder_new(kind);
	return ret->decoder ? PERFDATA_OK : PERFDATA_ENOMEM;
}

/* Decompresses the unread bytes of `in` until `out` is full or the stream ends. */
static enum perfdata_status decompress_some(struct compressed *compressed, uint8_t *in, size_t *in_used,
					    size_t *in_size, uint8_t *out, size_t size,
					    size_t *ret_used)
{
	size_t used = 0;
	while (used < size) {
		if (*in_used == *in_size && compressed->left) {
			*in_used = 0;
			*in_size = compressed->left < PIECE ? (size_t)compressed->left : PIECE;
			if (!pd_elf_read(compressed->elf, compressed->at, in, *in_size)) {
				const enum perfdata_status failure = pd_elf_failure(compressed->elf);
				return failure ? failure : PERFDATA_EUNSUP;
			}
			compressed->at += *in_size;
			compressed->left -= *in_size;
		}
		const size_t used_before = used, in_before = *in_used;
		const enum perfdata_status status = pd_decoder_run(compressed->decoder, in, *in_size, in_used, out,
								   size, &used);
		if (status < 0 || status == PERFDATA_DAMAGED)
			return status == PERFDATA_ENOMEM ? status : PERFDATA_EUNSUP;
		if (used == used_before && *in_used == in_before)
			break;
	}
	*ret_used = used;
	return PERFDATA_OK;
}

/* Decompresses the whole section into `bytes`, or piece by piece into the temporary file of `symbols` at `place`. */
static enum perfdata_status decompress_all(struct pd_work *work, struct compressed *compressed, uint8_t *bytes,
					   struct perfdata_symbols *symbols, uint64_t place)
{
	uint8_t *in = pd_malloc(PIECE), *piece = bytes ? bytes : pd_malloc(PIECE);
	size_t in_used = 0, in_size = 0, used = 0;
	enum perfdata_status status = in && piece ? PERFDATA_OK : PERFDATA_ENOMEM;
	for (uint64_t at = 0; at < compressed->size && !status; at += used) {
		const size_t size = compressed->size - at < PIECE ? (size_t)(compressed->size - at) : PIECE;
		piece = bytes ? bytes + at : piece;
		status = pd_work_do(work, size / BYTES_OF_STEP);
		if (!status)
			status = decompress_some(compressed, in, &in_used, &in_size, piece, size, &used);
		if (!status && used != size)
			status = PERFDATA_EUNSUP;
		if (!status && !bytes)
			status = pd_symbols_spool_write(symbols, place + at, piece, size);
	}
	pd_free(in);
	if (!bytes)
		pd_free(piece);
	return status;
}

static bool stays_in_memory(const struct pd_dwarf *dwarf, uint64_t size)
{
	const struct pd_account *account = dwarf->account;
	return size <= MOST_IN_MEMORY && (!account || pd_account_used(account) + size <= account->limit / 2);
}

static enum perfdata_status decompress_section(struct pd_dwarf *dwarf, enum pd_dwarf_section_number number)
{
	struct pd_dwarf_section *section = &dwarf->sections[number];
	struct compressed compressed;
	enum perfdata_status status = read_header(dwarf->elf, section, false, &compressed);
	uint8_t *bytes = NULL;
	uint64_t place = 0;
	bool is_spooled = false;
	if (status)
		return status;
	if (is_read_in_pieces(number) && !stays_in_memory(dwarf, compressed.size)) {
		status = pd_symbols_spool_take(dwarf->symbols, compressed.size, &place);
		is_spooled = !status;
	} else {
		status = pd_work_room(dwarf->work, compressed.size);
		bytes = status ? NULL : pd_malloc((size_t)compressed.size + 1);
		status = status || bytes ? status : PERFDATA_ENOMEM;
	}
	if (!status)
		status = decompress_all(dwarf->work, &compressed, bytes, dwarf->symbols, place);
	pd_decoder_free(compressed.decoder);
	if (status) {
		pd_free(bytes);
		if (is_spooled)
			pd_symbols_spool_give(dwarf->symbols, place, compressed.size);
		return status;
	}
	section->is_spooled = is_spooled;
	section->offset = place;
	section->size = compressed.size;
	atomic_fetch_add_explicit(&dwarf->work->limit, compressed.size, memory_order_relaxed);
	if (bytes) {
		bytes[compressed.size] = 0;
		section->bytes = bytes;
		pd_account_take(dwarf->account, PD_USE_SYMBOLS, (size_t)compressed.size);
	}
	return PERFDATA_OK;
}

/* --- sections ----------------------------------------------------------------------------------------------------- */

static enum perfdata_status find_section(struct pd_dwarf *dwarf, enum pd_dwarf_section_number number)
{
	const char *name = (dwarf->skeletons ? split_names : names)[number];
	const struct pd_elf_section *found = name ? pd_elf_section(dwarf->elf, name) : NULL;
	struct pd_dwarf_section *section = &dwarf->sections[number];
	if (!found || found->header.sh_type == SHT_NOBITS)
		return PERFDATA_OK;
	if (!pd_elf_holds(dwarf->elf, found->header.sh_offset, found->header.sh_size))
		return PERFDATA_EUNSUP;
	section->offset = found->header.sh_offset;
	section->size = found->header.sh_size;
	section->is_packed = found->header.sh_flags & SHF_COMPRESSED;
	return PERFDATA_OK;
}

/* Call it with the lock if other threads can use the reader. */
static enum perfdata_status unpack_section(struct pd_dwarf *dwarf, enum pd_dwarf_section_number number)
{
	atomic_bool *is_packed = &dwarf->sections[number].is_packed;
	if (!atomic_load_explicit(is_packed, memory_order_relaxed))
		return PERFDATA_OK;
	const enum perfdata_status status = decompress_section(dwarf, number);
	if (status && status != PERFDATA_EUNSUP)
		return status;
	if (status)
		dwarf->sections[number].size = 0;   /* prevents further attempts */
	atomic_store_explicit(is_packed, false, memory_order_release);
	return status;
}

enum perfdata_status pd_dwarf_unpack_section(struct pd_dwarf *dwarf, enum pd_dwarf_section_number number)
{
	if (!atomic_load_explicit(&dwarf->sections[number].is_packed, memory_order_acquire))
		return PERFDATA_OK;
	pd_monitor_enter(dwarf->lock);
	const enum perfdata_status status = unpack_section(dwarf, number);
	pd_monitor_leave(dwarf->lock);
	return status;
}

enum perfdata_status pd_dwarf_read(const struct pd_dwarf *dwarf, enum pd_dwarf_section_number number, uint64_t offset,
				   uint64_t size, uint8_t **ret)
{
	const struct pd_dwarf_section *section = &dwarf->sections[number];
	if (offset > section->size || size > section->size - offset || size >= SIZE_MAX)
		return PERFDATA_EUNSUP;
	uint8_t *bytes = pd_malloc((size_t)size + 1);
	if (!bytes)
		return PERFDATA_ENOMEM;
	if (!pd_dwarf_copy(dwarf, number, offset, bytes, (size_t)size)) {
		pd_free(bytes);
		return PERFDATA_EUNSUP;
	}
	bytes[size] = 0;
	*ret = bytes;
	return PERFDATA_OK;
}

enum perfdata_status pd_dwarf_open_sections(struct pd_dwarf *dwarf)
{
	const struct pd_elf *elf = dwarf->elf;
	enum perfdata_status status = elf->header.e_type == ET_REL && !dwarf->skeletons ? PERFDATA_EUNSUP : PERFDATA_OK;
	for (size_t i = 1; i < elf->section_count && !dwarf->skeletons; i++)
		if (is_foreign(&elf->sections[i]))
			return PERFDATA_EUNSUP;
	for (enum pd_dwarf_section_number i = 0; i < PD_DWARF_SECTIONS && !status; i++) {
		struct pd_dwarf_section *section = &dwarf->sections[i];
		status = find_section(dwarf, i);
		if (!status && i != PD_DWARF_LINE)
			status = unpack_section(dwarf, i);
		if (status || section->bytes || !section->size || is_read_in_pieces(i))
			continue;
		status = pd_work_room(dwarf->work, section->size);
		if (!status)
			status = pd_dwarf_read(dwarf, i, 0, section->size, &section->bytes);
		if (!status)
			pd_account_take(dwarf->account, PD_USE_SYMBOLS, (size_t)section->size);
	}
	return status || dwarf->sections[PD_DWARF_INFO].size ? status : PERFDATA_ABSENT;
}

void pd_dwarf_drop_section(struct pd_dwarf *dwarf, enum pd_dwarf_section_number number)
{
	struct pd_dwarf_section *section = &dwarf->sections[number];
	if (section->bytes)
		pd_account_give(dwarf->account, PD_USE_SYMBOLS, (size_t)section->size);
	if (section->is_spooled)
		pd_symbols_spool_give(dwarf->symbols, section->offset, section->size);
	pd_free(section->bytes);
	section->bytes = NULL;
	section->is_spooled = false;
}

enum perfdata_status pd_dwarf_whole_section(const struct pd_elf *elf, const struct pd_elf_section *from,
					    struct pd_work *work, uint8_t **ret, uint64_t *ret_size)
{
	const bool is_old = !strncmp(from->name, ".zdebug_", 8);
	const struct pd_dwarf_section section = { .offset = from->header.sh_offset, .size = from->header.sh_size };
	struct compressed compressed = { .size = section.size };
	enum perfdata_status status = pd_elf_holds(elf, section.offset, section.size) ? PERFDATA_OK : PERFDATA_EUNSUP;
	const bool is_packed = is_old || from->header.sh_flags & SHF_COMPRESSED;
	if (!status && is_packed)
		status = read_header(elf, &section, is_old, &compressed);
	if (!status)
		status = pd_work_room(work, compressed.size);
	uint8_t *bytes = status ? NULL : pd_malloc((size_t)compressed.size + 1);
	if (!status && !bytes)
		status = PERFDATA_ENOMEM;
	if (!status && is_packed)
		status = decompress_all(work, &compressed, bytes, NULL, 0);
	else if (!status && !pd_elf_read(elf, section.offset, bytes, (size_t)section.size))
		status = pd_elf_failure(elf) ? pd_elf_failure(elf) : PERFDATA_EUNSUP;
	pd_decoder_free(compressed.decoder);
	if (status) {
		pd_free(bytes);
		return status;
	}
	bytes[compressed.size] = 0;
	*ret = bytes;
	*ret_size = compressed.size;
	return PERFDATA_OK;
}

bool pd_dwarf_copy(const struct pd_dwarf *dwarf, enum pd_dwarf_section_number number, uint64_t offset, void *out,
		   size_t size)
{
	const struct pd_dwarf_section *section = &dwarf->sections[number];
	if (offset > section->size || size > section->size - offset)
		return false;
	if (section->bytes)
		memcpy(out, section->bytes + offset, size);
	else if (section->is_spooled)
		return pd_symbols_spool_read(dwarf->symbols, section->offset + offset, out, size);
	else
		return pd_elf_read(dwarf->elf, section->offset + offset, out, size);
	return true;
}
