/* SPDX-License-Identifier: MIT */
/* Headers and notes of ELF files of either class and byte order (System V ABI, "Object Files"; gabi-4+ for notes).
 * Numbers in the file are not trusted: reading is limited by what real files contain, not by what the file states. */
#include "config.h"
#include <elf.h>
#include <errno.h>
#include "base/cursor.h"
#include "base/error.h"
#include "base/fdio.h"
#include "base/memory.h"
#include "match/match.h"
#include "symbols/symbols.h"

#define HEAD_SIZE 4096u
#define MAX_SEGMENTS 4096u
#define MAX_SECTIONS ((uint64_t)1 << 18)
#define MAX_SECTION_SIZE 256u
#define MAX_NOTES ((size_t)64 << 10)
#define MAX_NAMES ((uint64_t)16 << 20)
#define GNU_BUILD_ID 3u

struct elf {
	const struct pd_elf_bytes *bytes;
	enum perfdata_status *failure; /* set if reading or an allocation fails */
	size_t *notes_left; /* bytes of notes that may still be read, since many headers may refer to the same notes */
	uint8_t head[HEAD_SIZE];       /* first bytes of the file, read once */
	size_t head_size;
	bool wide, swap;
	uint16_t machine, segment_size, section_size;
	uint32_t nr_segments;
	uint64_t nr_sections, name_section, segments, sections;
};

struct section {
	uint32_t name, type, link;
	uint64_t flags, offset, size;
};

/* Returns the status for errno after a failed call. */
static enum perfdata_status read_failure(void)
{
	return pd_status_of_read(errno);
}

static bool read_at(const struct elf *elf, uint64_t offset, void *out, size_t size)
{
	const struct pd_elf_bytes *b = elf->bytes;
	if (offset <= elf->head_size && size <= elf->head_size - offset) {
		memcpy(out, elf->head + offset, size);
		return true;
	}
	if (b->fd >= 0) {
		if (b->length && (offset > b->length || size > b->length - offset))
			return false;
		const int64_t got = pd_pread_full(b->fd, out, size, b->start + offset);
		if (got < 0)
			pd_keep_failure(elf->failure, read_failure());
		return got == (int64_t)size;
	}
	if (offset > b->image_size || size > b->image_size - offset)
		return false;
	memcpy(out, b->image + offset, size);
	return true;
}

/* Whether the file has these bytes; checked before memory is allocated for them. */
static bool has_bytes(const struct elf *elf, uint64_t offset, uint64_t size)
{
	uint8_t last;
	return !size || (offset <= INT64_MAX - size && read_at(elf, offset + size - 1, &last, 1));
}

static uint64_t take_word(struct pd_cursor *c, const struct elf *elf) { return elf->wide ? pd_u64(c) : pd_u32(c); }

static struct section take_section(const struct elf *elf, const uint8_t *bytes)
{
	struct pd_cursor c = pd_cursor(bytes, elf->section_size, elf->swap);
	struct section s = { .name = pd_u32(&c), .type = pd_u32(&c) };
	s.flags = take_word(&c, elf);
	(void)take_word(&c, elf);
	s.offset = take_word(&c, elf);
	s.size = take_word(&c, elf);
	s.link = pd_u32(&c);
	return s;
}

static enum perfdata_status read_head(struct elf *elf)
{
	const struct pd_elf_bytes *b = elf->bytes;
	const size_t part = b->length && b->length < HEAD_SIZE ? (size_t)b->length : HEAD_SIZE;
	const int64_t got = b->fd >= 0 ? pd_pread_full(b->fd, elf->head, part, b->start)
				       : (int64_t)(b->image_size < HEAD_SIZE ? b->image_size : HEAD_SIZE);
	if (got < 0)
		return read_failure();
	if (b->fd < 0)
		memcpy(elf->head, b->image, (size_t)got);
	elf->head_size = (size_t)got;
	if (got < EI_NIDENT || memcmp(elf->head, ELFMAG, SELFMAG))
		return PERFDATA_EFORMAT;
	elf->wide = elf->head[EI_CLASS] == ELFCLASS64;
	elf->swap = pd_order_is_foreign(elf->head[EI_DATA] == ELFDATA2MSB ? PERFDATA_BYTE_ORDER_BIG
									  : PERFDATA_BYTE_ORDER_LITTLE);
	struct pd_cursor c = pd_cursor(elf->head + EI_NIDENT, elf->head_size - EI_NIDENT, elf->swap);
	(void)pd_u16(&c);
	elf->machine = pd_u16(&c);
	(void)pd_u32(&c);
	(void)take_word(&c, elf);
	elf->segments = take_word(&c, elf);
	elf->sections = take_word(&c, elf);
	(void)pd_u32(&c);
	(void)pd_u16(&c);
	elf->segment_size = pd_u16(&c);
	elf->nr_segments = pd_u16(&c);
	elf->section_size = pd_u16(&c);
	elf->nr_sections = pd_u16(&c);
	elf->name_section = pd_u16(&c);
	if (c.failed)
		return PERFDATA_EFORMAT;
	if (elf->segment_size < (elf->wide ? sizeof(Elf64_Phdr) : sizeof(Elf32_Phdr)) ||
	    elf->nr_segments > MAX_SEGMENTS)
		elf->nr_segments = 0;
	if (elf->section_size < (elf->wide ? sizeof(Elf64_Shdr) : sizeof(Elf32_Shdr)) ||
	    elf->section_size > MAX_SECTION_SIZE)
		elf->sections = 0;
	return PERFDATA_OK;
}

/* Reads the number of sections from the first section header if 16 bits cannot hold it. */
static void count_sections(struct elf *elf)
{
	uint8_t bytes[sizeof(Elf64_Shdr)];
	if (!elf->sections ||
	    !read_at(elf, elf->sections, bytes, elf->wide ? sizeof(Elf64_Shdr) : sizeof(Elf32_Shdr))) {
		elf->nr_sections = 0;
		return;
	}
	const uint16_t size = elf->section_size;
	elf->section_size = (uint16_t)(elf->wide ? sizeof(Elf64_Shdr) : sizeof(Elf32_Shdr));
	const struct section first = take_section(elf, bytes);
	elf->section_size = size;
	if (!elf->nr_sections)
		elf->nr_sections = first.size;
	if (elf->name_section == SHN_XINDEX)
		elf->name_section = first.link;
	if (elf->nr_sections > MAX_SECTIONS)
		elf->nr_sections = 0;
}

/* Finds the build-id in notes. Name and content of a note are padded to 4 bytes, or to 8 in a segment with this
 * alignment; both give the same build-id. */
static bool id_in_notes(const struct elf *elf, uint64_t offset, uint64_t stated, struct pd_build_id *ret)
{
	uint8_t buffer[512], *notes = buffer;
	const size_t size = stated < MAX_NOTES ? (size_t)stated : MAX_NOTES;
	if (size < 16 || size > *elf->notes_left)
		return false;
	*elf->notes_left -= size;
	if (size > sizeof buffer && !(notes = pd_malloc(size))) {
		pd_keep_failure(elf->failure, PERFDATA_ENOMEM);
		return false;
	}
	const enum perfdata_byte_order order = elf->head[EI_DATA] == ELFDATA2MSB ? PERFDATA_BYTE_ORDER_BIG
										 : PERFDATA_BYTE_ORDER_LITTLE;
	const bool found = read_at(elf, offset, notes, size) &&
			   pd_notes_build_id(notes, size, order, ret->bytes, &ret->size) == PERFDATA_OK;
	if (notes != buffer)
		pd_free(notes);
	return found;
}

static bool id_in_segments(const struct elf *elf, struct pd_build_id *ret)
{
	for (uint32_t i = 0; i < elf->nr_segments; i++) {
		uint8_t bytes[sizeof(Elf64_Phdr)];
		const size_t size = elf->wide ? sizeof(Elf64_Phdr) : sizeof(Elf32_Phdr);
		if (elf->segments > INT64_MAX - MAX_SEGMENTS * UINT16_MAX ||
		    !read_at(elf, elf->segments + (uint64_t)i * elf->segment_size, bytes, size))
			return false;
		struct pd_cursor c = pd_cursor(bytes, size, elf->swap);
		const uint32_t type = pd_u32(&c);
		if (elf->wide)
			(void)pd_u32(&c);
		const uint64_t offset = take_word(&c, elf);
		(void)take_word(&c, elf);
		(void)take_word(&c, elf);
		if (type == PT_NOTE && id_in_notes(elf, offset, take_word(&c, elf), ret))
			return true;
	}
	return false;
}

/* --- sections ----------------------------------------------------------------------------------------------------- */

struct sections {
	uint8_t *headers;
	char *names;                       /* a NUL follows */
	size_t names_size;
};

static void release_sections(struct sections *all)
{
	pd_free(all->headers);
	pd_free(all->names);
}

static enum perfdata_status read_sections(struct elf *elf, struct sections *ret)
{
	*ret = (struct sections){ 0 };
	count_sections(elf);
	if (!elf->nr_sections)
		return PERFDATA_OK;
	const size_t size = (size_t)elf->nr_sections * elf->section_size;
	if (!has_bytes(elf, elf->sections, size)) {
		elf->nr_sections = 0;
		return PERFDATA_OK;
	}
	ret->headers = pd_malloc(size);
	if (!ret->headers)
		return PERFDATA_ENOMEM;
	if (!read_at(elf, elf->sections, ret->headers, size)) {
		elf->nr_sections = 0;
		return PERFDATA_OK;
	}
	if (elf->name_section >= elf->nr_sections)
		return PERFDATA_OK;
	const struct section names = take_section(elf, ret->headers + elf->name_section * elf->section_size);
	if (names.size > MAX_NAMES || names.type == SHT_NOBITS || !has_bytes(elf, names.offset, names.size))
		return PERFDATA_OK;
	ret->names = pd_malloc((size_t)names.size + 1);
	if (!ret->names)
		return PERFDATA_ENOMEM;
	if (read_at(elf, names.offset, ret->names, (size_t)names.size))
		ret->names_size = (size_t)names.size;
	ret->names[ret->names_size] = '\0';
	return PERFDATA_OK;
}

static const char *name_of(const struct sections *all, const struct section *section)
{
	return section->name < all->names_size ? all->names + section->name : "";
}

static uint32_t part_of(const struct section *section, const char *name)
{
	if (section->type == SHT_NOBITS || !section->size)
		return 0;
	switch (section->type) {
	case SHT_SYMTAB: return PERFDATA_PART_SYMTAB;
	case SHT_DYNSYM: return PERFDATA_PART_DYNSYM;
	case SHT_PROGBITS: break;
	default: return 0;
	}
	if (section->flags & SHF_EXECINSTR)
		return PERFDATA_PART_TEXT;
	if (!strcmp(name, ".gnu_debugdata"))
		return PERFDATA_PART_MINIDEBUG;
	return !strcmp(name, ".debug_info") || !strcmp(name, ".zdebug_info") ? PERFDATA_PART_DWARF : 0;
}

/* Reads a file name. It must have one part: other names would lead to other directories. */
static void read_debug_link(const struct elf *elf, const struct section *section, struct pd_elf_facts *ret)
{
	char name[PD_LINK_NAME];
	const size_t size = section->size < sizeof name ? (size_t)section->size : sizeof name;
	if (!read_at(elf, section->offset, name, size) || !memchr(name, '\0', size) || strchr(name, '/') ||
	    !strcmp(name, "..") || !strcmp(name, "."))
		return;
	strcpy(ret->debug_link, name);
}

/* Reads a path and the build-id of the file at this path. */
static void read_alt_link(const struct elf *elf, const struct section *section, struct pd_elf_facts *ret)
{
	char bytes[PD_ROOTED_PATH];
	const size_t size = (size_t)section->size;
	if (section->size > sizeof bytes || !read_at(elf, section->offset, bytes, size) || !memchr(bytes, '\0', size))
		return;
	const size_t length = strlen(bytes) + 1;
	if (size - length > sizeof ret->alt_id.bytes || size == length)
		return;
	strcpy(ret->alt_link, bytes);
	memcpy(ret->alt_id.bytes, bytes + length, size - length);
	ret->alt_id.size = size - length;
}

static void look_at_sections(const struct elf *elf, const struct sections *all, struct pd_elf_facts *ret)
{
	for (uint64_t i = 1; i < elf->nr_sections; i++) {
		const struct section section = take_section(elf, all->headers + i * elf->section_size);
		const char *name = name_of(all, &section);
		ret->parts |= part_of(&section, name);
		if (section.type == SHT_NOTE && !ret->id.size)
			(void)id_in_notes(elf, section.offset, section.size, &ret->id);
		if (section.type == SHT_PROGBITS && !strcmp(name, ".gnu_debuglink"))
			read_debug_link(elf, &section, ret);
		if (section.type == SHT_PROGBITS && !strcmp(name, ".gnu_debugaltlink"))
			read_alt_link(elf, &section, ret);
	}
}

enum perfdata_status pd_elf_facts_of(const struct pd_elf_bytes *bytes, struct pd_elf_facts *ret)
{
	enum perfdata_status failure = PERFDATA_OK;
	size_t notes_left = 4 * MAX_NOTES;
	struct elf elf = { .bytes = bytes, .failure = &failure, .notes_left = &notes_left };
	struct sections all;
	*ret = (struct pd_elf_facts){ 0 };
	enum perfdata_status status = read_head(&elf);
	if (status)
		return status;
	ret->machine = elf.machine;
	if (!id_in_segments(&elf, &ret->id))
		ret->id.size = 0;
	status = read_sections(&elf, &all);
	if (!status)
		look_at_sections(&elf, &all, ret);
	/* a file that lost its section headers still has code */
	if (!elf.nr_sections && elf.nr_segments)
		ret->parts |= PERFDATA_PART_TEXT;
	release_sections(&all);
	return status ? status : failure;
}

enum perfdata_status pd_elf_find_id(const struct pd_elf_bytes *bytes, struct pd_build_id *ret)
{
	enum perfdata_status failure = PERFDATA_OK;
	size_t notes_left = 4 * MAX_NOTES;
	struct elf elf = { .bytes = bytes, .failure = &failure, .notes_left = &notes_left };
	ret->size = 0;
	enum perfdata_status status = read_head(&elf);
	if (status || id_in_segments(&elf, ret))
		return status;
	struct pd_elf_facts facts = { 0 };
	struct sections all;
	status = read_sections(&elf, &all);
	if (!status)
		look_at_sections(&elf, &all, &facts);
	release_sections(&all);
	*ret = facts.id;
	return status ? status : failure ? failure : ret->size ? PERFDATA_OK : PERFDATA_ABSENT;
}

enum perfdata_status pd_elf_facts_read(int fd, struct pd_elf_facts *ret)
{
	struct pd_elf_bytes bytes = { .fd = fd };
	char *image = NULL;
	enum perfdata_status status = pd_unpack(NULL, fd, &image, &bytes.image_size);
	if (status == PERFDATA_EREAD)
		return read_failure();
	if (status != PERFDATA_OK && status != PERFDATA_ABSENT)
		return status == PERFDATA_ENOMEM ? status : PERFDATA_EFORMAT;
	if (image) {
		bytes.fd = -1;
		bytes.image = image;
	}
	status = pd_elf_facts_of(&bytes, ret);
	pd_free(image);
	return status;
}

enum perfdata_status pd_elf_facts_stored(int fd, const char *entry, const struct perfdata_cancel *cancel,
					 struct pd_elf_facts *ret)
{
	struct pd_elf_bytes bytes = { .fd = fd };
	struct pd_work work;
	if (!entry)
		return pd_elf_facts_read(fd, ret);
	pd_work_init(&work, 0, NULL, cancel);
	const enum perfdata_status status = pd_archive_find(fd, &work, entry, &bytes.start, &bytes.length);
	return status ? status : pd_elf_facts_of(&bytes, ret);
}

