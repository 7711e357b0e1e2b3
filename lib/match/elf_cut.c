/* SPDX-License-Identifier: MIT */
/* Cuts ELF files down to what symbol names need, or names and unwinding. Addresses in a recording are offsets in the
 * file, so loaded segments keep their offsets, and zeros replace removed parts. Symbol tables and other sections move
 * to the end of the file. */
#include "config.h"
#include <elf.h>
#include <string.h>
#include "base/cursor.h"
#include "base/memory.h"
#include "match/bundle_impl.h"

struct image {
	uint8_t *bytes;
	size_t size;
	bool wide, swap;
	uint64_t segments, sections;
	uint16_t nr_segments, nr_sections, segment_size, section_size, names;
};

struct section {
	uint8_t *header;
	uint64_t name, type, flags, offset, size, link, align;
	bool is_kept;
};

static uint64_t get(const struct image *image, const uint8_t *at, size_t size)
{
	return size == 2   ? pd_load16(at, image->swap)
	       : size == 4 ? pd_load32(at, image->swap)
			   : pd_load64(at, image->swap);
}

static void put(const struct image *image, uint8_t *at, size_t size, uint64_t value)
{
	for (size_t i = 0; i < size; i++) {
		const bool big = image->swap != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
		at[big ? size - 1 - i : i] = (uint8_t)(value >> 8 * i);
	}
}

/* Reads a field of a structure of either ELF class. */
#define AT(base, type, field) ((base) + (image->wide ? offsetof(Elf64_##type, field) : offsetof(Elf32_##type, field)))
#define WIDTH(type, field) (image->wide ? sizeof(((Elf64_##type *)0)->field) : sizeof(((Elf32_##type *)0)->field))
#define GET(base, type, field) get(image, AT(base, type, field), WIDTH(type, field))
#define GET16(base, type, field) pd_load16(AT(base, type, field), image->swap)
#define PUT(base, type, field, value) put(image, AT(base, type, field), WIDTH(type, field), value)

static bool range_fits(const struct image *image, uint64_t offset, uint64_t count, uint64_t each)
{
	return each && offset <= image->size && count <= (image->size - offset) / each;
}

static bool read_header(struct image *image)
{
	if (image->size < sizeof(Elf64_Ehdr) || memcmp(image->bytes, ELFMAG, SELFMAG))
		return false;
	uint8_t *h = image->bytes;
	image->wide = h[EI_CLASS] == ELFCLASS64;
	image->swap = pd_order_is_foreign(h[EI_DATA] == ELFDATA2MSB ? PERFDATA_BYTE_ORDER_BIG
								    : PERFDATA_BYTE_ORDER_LITTLE);
	image->segments = GET(h, Ehdr, e_phoff);
	image->nr_segments = GET16(h, Ehdr, e_phnum);
	image->segment_size = GET16(h, Ehdr, e_phentsize);
	image->sections = GET(h, Ehdr, e_shoff);
	image->nr_sections = GET16(h, Ehdr, e_shnum);
	image->section_size = GET16(h, Ehdr, e_shentsize);
	image->names = GET16(h, Ehdr, e_shstrndx);
	const size_t least = image->wide ? sizeof(Elf64_Shdr) : sizeof(Elf32_Shdr);
	if (image->nr_segments && !range_fits(image, image->segments, image->nr_segments, image->segment_size))
		return false;
	return image->nr_sections && image->section_size >= least && image->names < image->nr_sections &&
	       range_fits(image, image->sections, image->nr_sections, image->section_size);
}

static struct section section_at(const struct image *image, uint64_t index)
{
	uint8_t *h = image->bytes + image->sections + index * image->section_size;
	return (struct section){
		.header = h,
		.name = GET(h, Shdr, sh_name),
		.type = GET(h, Shdr, sh_type),
		.flags = GET(h, Shdr, sh_flags),
		.offset = GET(h, Shdr, sh_offset),
		.size = GET(h, Shdr, sh_size),
		.link = GET(h, Shdr, sh_link),
		.align = GET(h, Shdr, sh_addralign),
	};
}

static const char *name_of(const struct image *image, const struct section *sections, const struct section *s)
{
	const struct section *names = &sections[image->names];
	if (names->type == SHT_NOBITS || !range_fits(image, names->offset, names->size, 1) || s->name >= names->size ||
	    !memchr(image->bytes + names->offset + s->name, 0, (size_t)(names->size - s->name)))
		return "";
	return (const char *)image->bytes + names->offset + s->name;
}

/* Whether the section is needed for names. Relocations are: PLT entries are named after them. */
static bool has_names(const struct section *s, const char *name)
{
	switch (s->type) {
	case SHT_SYMTAB:
	case SHT_DYNSYM:
	case SHT_NOTE:
	case SHT_DYNAMIC: return true;
	case SHT_REL:
	case SHT_RELA: return s->flags & SHF_ALLOC && strstr(name, "plt");
	case SHT_PROGBITS:
		return !strncmp(name, ".plt", 4) || !strcmp(name, ".gnu_debugdata") ||
		       !strcmp(name, ".gnu_debuglink") || !strcmp(name, ".gnu_debugaltlink");
	default: return false;
	}
}

/* Whether the section has tables for unwinding by libdwfl. */
static bool has_frames(const char *name)
{
	return !strncmp(name, ".eh_frame", 9) || !strcmp(name, ".debug_frame") || !strncmp(name, ".ARM.ex", 7);
}

static bool is_wanted(const struct section *s, const char *name, const struct pd_elf_wish *wish)
{
	if (wish->level == PERFDATA_BUNDLE_ANSWERS)
		return s->type == SHT_NOTE || (wish->tables && has_frames(name));
	return has_names(s, name) || (wish->level == PERFDATA_BUNDLE_UNWIND &&
				      (s->flags & SHF_ALLOC || !strcmp(name, ".debug_frame")));
}

static void choose_sections(const struct image *image, struct section *sections, const struct pd_elf_wish *wish)
{
	for (uint64_t i = 1; i < image->nr_sections; i++) {
		struct section *s = &sections[i];
		s->is_kept |= is_wanted(s, name_of(image, sections, s), wish);
		if (s->is_kept && (s->type == SHT_SYMTAB || s->type == SHT_DYNSYM) && s->link < image->nr_sections)
			sections[s->link].is_kept = true;
	}
	sections[image->names].is_kept = true;
}

/* Whether the section's bytes are in the file. */
static bool has_bytes(const struct image *image, const struct section *s)
{
	return s->type != SHT_NOBITS && s->type != SHT_NULL && range_fits(image, s->offset, s->size, 1);
}

static uint64_t align_up(uint64_t at, uint64_t align)
{
	return align > 1 && align <= 4096 ? (at + align - 1) / align * align : at;
}

/* Returns the end of all bytes that must keep their offsets: of all allocated sections, or only of kept ones. */
static uint64_t loaded_end(const struct image *image, const struct section *sections, bool only_kept)
{
	uint64_t end = image->wide ? sizeof(Elf64_Ehdr) : sizeof(Elf32_Ehdr);
	if (image->nr_segments && image->segments + (uint64_t)image->nr_segments * image->segment_size > end)
		end = image->segments + (uint64_t)image->nr_segments * image->segment_size;
	for (uint64_t i = 1; i < image->nr_sections; i++)
		if (sections[i].flags & SHF_ALLOC && (sections[i].is_kept || !only_kept) &&
		    has_bytes(image, &sections[i]) &&
		    sections[i].offset + sections[i].size > end)
			end = sections[i].offset + sections[i].size;
	return end;
}

static uint64_t place_sections(const struct image *image, const struct section *sections,
			       const struct pd_elf_wish *wish, uint64_t *moved)
{
	const bool only_kept = wish->level == PERFDATA_BUNDLE_ANSWERS;
	/* the sum of at most 2^16 sizes, none larger than the file, cannot overflow */
	uint64_t at = loaded_end(image, sections, only_kept);
	for (uint64_t i = 1; i < image->nr_sections; i++) {
		const struct section *s = &sections[i];
		moved[i] = s->offset;
		if (!s->is_kept || s->flags & SHF_ALLOC || !has_bytes(image, s))
			continue;
		moved[i] = at = align_up(at, s->align);
		at += s->size;
	}
	return align_up(at, 8);
}

static void copy_headers(const struct image *image, uint8_t *out, uint64_t table)
{
	const size_t size = image->wide ? sizeof(Elf64_Ehdr) : sizeof(Elf32_Ehdr);
	memcpy(out, image->bytes, size);
	PUT(out, Ehdr, e_shoff, table);
	if (image->nr_segments)
		memcpy(out + image->segments, image->bytes + image->segments,
		       (size_t)image->nr_segments * image->segment_size);
}

static void copy_sections(const struct image *image, const struct section *sections, const uint64_t *moved,
			  uint8_t *out, uint64_t table)
{
	for (uint64_t i = 0; i < image->nr_sections; i++) {
		const struct section *s = &sections[i];
		uint8_t *header = out + table + i * image->section_size;
		memcpy(header, s->header, image->section_size);
		if (!i || s->type == SHT_NOBITS || s->type == SHT_NULL)
			continue;
		if (s->is_kept && has_bytes(image, s)) {
			memcpy(out + moved[i], image->bytes + s->offset, (size_t)s->size);
			PUT(header, Shdr, sh_offset, moved[i]);
		} else if (s->flags & SHF_ALLOC) {
			PUT(header, Shdr, sh_type, SHT_NOBITS);
		} else {
			memset(header, 0, image->section_size);
			PUT(header, Shdr, sh_name, s->name);
		}
	}
}

static enum perfdata_status cut_image(struct image *image, const struct pd_elf_wish *wish, char **ret, size_t *ret_size)
{
	struct section *sections = pd_calloc(image->nr_sections, sizeof *sections);
	uint64_t *moved = pd_calloc(image->nr_sections, sizeof *moved);
	enum perfdata_status status = PERFDATA_ENOMEM;
	if (sections && moved) {
		for (uint64_t i = 0; i < image->nr_sections; i++)
			sections[i] = section_at(image, i);
		choose_sections(image, sections, wish);
		const uint64_t table = place_sections(image, sections, wish, moved),
			       size = table + (uint64_t)image->nr_sections * image->section_size;
		/* overlapping sections would make the file larger: it is unchanged then */
		uint8_t *out = size < image->size ? pd_calloc(1, (size_t)size) : NULL;
		status = size < image->size ? status : PERFDATA_ABSENT;
		if (out) {
			copy_sections(image, sections, moved, out, table);
			copy_headers(image, out, table);
			*ret = (char *)out;
			*ret_size = (size_t)size;
			status = PERFDATA_OK;
		}
	}
	pd_free(sections);
	pd_free(moved);
	return status;
}

enum perfdata_status pd_elf_cut(char *bytes, size_t size, const struct pd_elf_wish *wish, char **ret, size_t *ret_size)
{
	struct image image = { .bytes = (uint8_t *)bytes, .size = size };
	if (wish->level == PERFDATA_BUNDLE_FULL || !read_header(&image)) {
		*ret = bytes;
		*ret_size = size;
		return PERFDATA_OK;
	}
	const enum perfdata_status status = cut_image(&image, wish, ret, ret_size);
	if (status == PERFDATA_ABSENT) {
		*ret = bytes;
		*ret_size = size;
		return PERFDATA_OK;
	}
	pd_free(bytes);
	return status;
}
