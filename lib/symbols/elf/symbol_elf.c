/* SPDX-License-Identifier: MIT */
/* ELF files: headers, sections, segments, build-id, debug link. Files are read, never mapped, since a file that shrinks
 * while it is mapped would kill the process. Only libdw uses handles of libelf, which have no descriptor either. */
#include "config.h"
#include "symbols/symbols.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>
#include "base/cursor.h"
#include "base/error.h"
#include "base/memory.h"
#include "symbols/elf/symbol_elf.h"

#define MAX_DEBUGDATA ((size_t)256 << 20)
#define MAX_NAMES ((uint64_t)64 << 20)     /* limit of all section names in bytes */
#define MAX_NAME ((size_t)4096)            /* limit of a section name in bytes */
#define MAX_SEGMENTS 256u                  /* limit of loaded segments, since each symbol is searched in all of them */
#define MAX_NOTES ((uint64_t)1 << 20)
#define MAX_LINK ((uint64_t)8192)          /* limit in bytes of a path with a checksum or build-id */
#define PIECE ((size_t)64 << 10)           /* bytes of a table that are read at once */

const struct pd_elf_section *pd_elf_section(const struct pd_elf *elf, const char *name)
{
	for (size_t i = 1; i < elf->section_count; i++)
		if (!strcmp(elf->sections[i].name, name))
			return &elf->sections[i];
	return NULL;
}

enum perfdata_status pd_elf_failure(const struct pd_elf *elf)
{
	return elf->file ? pd_kept_failure(elf->file) : PERFDATA_OK;
}

/* Returns the failure after a failed read; `otherwise`: the file just lacks these bytes. */
static enum perfdata_status fault_status(const struct pd_elf *elf, enum perfdata_status otherwise)
{
	const enum perfdata_status failure = pd_elf_failure(elf);
	return failure ? failure : otherwise;
}

/* --- headers ------------------------------------------------------------------------------------------------------ */

static bool is_wide(const struct pd_elf *elf) { return elf->header.e_ident[EI_CLASS] != ELFCLASS32; }

static uint64_t take_word(struct pd_cursor *c, bool wide) { return wide ? pd_u64(c) : pd_u32(c); }

static enum perfdata_status read_header(struct pd_elf *elf)
{
	Elf64_Ehdr *h = &elf->header;
	uint8_t bytes[sizeof(Elf64_Ehdr)];
	if (!pd_elf_read(elf, 0, bytes, sizeof(Elf32_Ehdr)))
		return fault_status(elf, PERFDATA_EFORMAT);
	memcpy(h->e_ident, bytes, EI_NIDENT);
	const bool known = !memcmp(bytes, ELFMAG, SELFMAG) &&
			   (bytes[EI_CLASS] == ELFCLASS32 || bytes[EI_CLASS] == ELFCLASS64) &&
			   (bytes[EI_DATA] == ELFDATA2LSB || bytes[EI_DATA] == ELFDATA2MSB) &&
			   bytes[EI_VERSION] == EV_CURRENT;
	if (!known)
		return PERFDATA_EFORMAT;
	const bool wide = is_wide(elf);
	if (wide && !pd_elf_read(elf, 0, bytes, sizeof bytes))
		return fault_status(elf, PERFDATA_EFORMAT);
	struct pd_cursor c = pd_cursor(bytes + EI_NIDENT, sizeof bytes - EI_NIDENT, pd_elf_swaps(elf));
	h->e_type = pd_u16(&c);
	h->e_machine = pd_u16(&c);
	h->e_version = pd_u32(&c);
	h->e_entry = take_word(&c, wide);
	h->e_phoff = take_word(&c, wide);
	h->e_shoff = take_word(&c, wide);
	h->e_flags = pd_u32(&c);
	h->e_ehsize = pd_u16(&c);
	h->e_phentsize = pd_u16(&c);
	h->e_phnum = pd_u16(&c);
	h->e_shentsize = pd_u16(&c);
	h->e_shnum = pd_u16(&c);
	h->e_shstrndx = pd_u16(&c);
	return PERFDATA_OK;
}

static size_t section_size(const struct pd_elf *elf) { return is_wide(elf) ? sizeof(Elf64_Shdr) : sizeof(Elf32_Shdr); }

static Elf64_Shdr take_section(const struct pd_elf *elf, const uint8_t *bytes)
{
	const bool wide = is_wide(elf);
	struct pd_cursor c = pd_cursor(bytes, section_size(elf), pd_elf_swaps(elf));
	Elf64_Shdr s = { .sh_name = pd_u32(&c), .sh_type = pd_u32(&c) };
	s.sh_flags = take_word(&c, wide);
	s.sh_addr = take_word(&c, wide);
	s.sh_offset = take_word(&c, wide);
	s.sh_size = take_word(&c, wide);
	s.sh_link = pd_u32(&c);
	s.sh_info = pd_u32(&c);
	s.sh_addralign = take_word(&c, wide);
	s.sh_entsize = take_word(&c, wide);
	return s;
}

/* Reads counts that do not fit into 16 bits from the first section header: the number of sections, the index of the
 * section with their names, the number of segments. PERFDATA_ABSENT: there are no sections. */
static enum perfdata_status count_sections(struct pd_elf *elf, uint64_t *ret_sections, uint32_t *ret_names)
{
	uint8_t bytes[sizeof(Elf64_Shdr)];
	*ret_sections = elf->header.e_shnum;
	*ret_names = elf->header.e_shstrndx;
	elf->nr_segments = elf->header.e_phnum;
	if (!elf->header.e_shoff)
		return PERFDATA_ABSENT;
	if (!pd_elf_read(elf, elf->header.e_shoff, bytes, section_size(elf)))
		return fault_status(elf, PERFDATA_ABSENT);
	const Elf64_Shdr first = take_section(elf, bytes);
	*ret_sections = *ret_sections ? *ret_sections : first.sh_size;
	*ret_names = *ret_names == SHN_XINDEX ? first.sh_link : *ret_names;
	elf->nr_segments = elf->nr_segments == PN_XNUM ? first.sh_info : elf->nr_segments;
	const uint64_t most = SIZE_MAX / sizeof *elf->sections / sizeof(Elf64_Shdr);
	return *ret_sections && *ret_sections < most &&
			       pd_elf_holds(elf, elf->header.e_shoff, *ret_sections * section_size(elf))
		       ? PERFDATA_OK
		       : PERFDATA_ABSENT;
}

/* Reads the section names, and adds a NUL; if that fails, sections have empty names. */
static enum perfdata_status read_names(struct pd_elf *elf, const Elf64_Shdr *header)
{
	if (header->sh_type != SHT_STRTAB || header->sh_size > MAX_NAMES || !pd_elf_in_file(elf, header))
		return PERFDATA_OK;
	elf->names = pd_malloc((size_t)header->sh_size + 1);
	if (!elf->names)
		return PERFDATA_ENOMEM;
	elf->names[header->sh_size] = '\0';
	if (pd_elf_read(elf, header->sh_offset, elf->names, (size_t)header->sh_size)) {
		elf->names_size = (size_t)header->sh_size;
		return PERFDATA_OK;
	}
	return fault_status(elf, PERFDATA_OK);
}

static int take_sections(void *user, const uint8_t *entries, size_t nr, uint64_t first)
{
	struct pd_elf *elf = user;
	for (size_t i = 0; i < nr; i++) {
		struct pd_elf_section *s = &elf->sections[first + i];
		s->header = take_section(elf, entries + i * section_size(elf));
		if (s->header.sh_type == SHT_SYMTAB && !elf->symtab)
			elf->symtab = (size_t)first + i;
		if (s->header.sh_type == SHT_DYNSYM && !elf->dynsym)
			elf->dynsym = (size_t)first + i;
	}
	return 0;
}

static enum perfdata_status read_sections(struct pd_elf *elf)
{
	uint64_t nr;
	uint32_t names;
	enum perfdata_status status = count_sections(elf, &nr, &names);
	if (status)
		return status == PERFDATA_ABSENT ? PERFDATA_OK : status;
	elf->sections = pd_calloc((size_t)nr, sizeof *elf->sections);
	if (!elf->sections)
		return PERFDATA_ENOMEM;
	const Elf64_Shdr table = { .sh_offset = elf->header.e_shoff, .sh_size = nr * section_size(elf) };
	status = pd_elf_read_table(elf, &table, section_size(elf), take_sections, elf);
	if (status)
		return status == PERFDATA_DAMAGED ? PERFDATA_EFORMAT : status;
	elf->section_count = (size_t)nr;
	if (names && names < nr)
		status = read_names(elf, &elf->sections[names].header);
	for (size_t i = 0; i < elf->section_count; i++) {
		struct pd_elf_section *s = &elf->sections[i];
		s->name = s->header.sh_name < elf->names_size ? elf->names + s->header.sh_name : "";
		/* the name of a section is searched for each of its symbols */
		if (strnlen(s->name, MAX_NAME) == MAX_NAME)
			s->name = "";
	}
	return status;
}

static bool read_segment(const struct pd_elf *elf, size_t number, Elf64_Phdr *ret)
{
	uint8_t bytes[sizeof(Elf64_Phdr)];
	const bool wide = is_wide(elf);
	const size_t size = wide ? sizeof(Elf64_Phdr) : sizeof(Elf32_Phdr);
	if (!elf->header.e_phoff || elf->header.e_phoff > INT64_MAX ||
	    !pd_elf_read(elf, elf->header.e_phoff + number * size, bytes, size))
		return false;
	struct pd_cursor c = pd_cursor(bytes, size, pd_elf_swaps(elf));
	ret->p_type = pd_u32(&c);
	if (wide)
		ret->p_flags = pd_u32(&c);
	ret->p_offset = take_word(&c, wide);
	ret->p_vaddr = take_word(&c, wide);
	ret->p_paddr = take_word(&c, wide);
	ret->p_filesz = take_word(&c, wide);
	ret->p_memsz = take_word(&c, wide);
	if (!wide)
		ret->p_flags = pd_u32(&c);
	ret->p_align = take_word(&c, wide);
	return true;
}

static enum perfdata_status read_segments(struct pd_elf *elf)
{
	const size_t size = is_wide(elf) ? sizeof(Elf64_Phdr) : sizeof(Elf32_Phdr);
	if (!elf->nr_segments || !pd_elf_holds(elf, elf->header.e_phoff, (uint64_t)elf->nr_segments * size))
		elf->nr_segments = 0;
	if (!elf->nr_segments)
		return PERFDATA_OK;
	elf->segments = pd_calloc(elf->nr_segments < MAX_SEGMENTS ? elf->nr_segments : MAX_SEGMENTS,
				  sizeof *elf->segments);
	if (!elf->segments)
		return PERFDATA_ENOMEM;
	for (size_t i = 0; i < elf->nr_segments; i++) {
		Elf64_Phdr ph;
		if (!read_segment(elf, i, &ph))
			return fault_status(elf, PERFDATA_OK);
		const struct pd_segment segment = { ph.p_offset, ph.p_vaddr, ph.p_filesz,
						    ph.p_memsz,	 ph.p_align, ph.p_flags & PF_X };
		if (ph.p_type == PT_GNU_EH_FRAME)
			elf->frame_index = segment;
		if (ph.p_type == PT_ARM_EXIDX && elf->header.e_machine == EM_ARM)
			elf->exception_index = segment;
		if (ph.p_type == PT_LOAD && elf->segment_count == MAX_SEGMENTS)
			return PERFDATA_ELIMIT;
		if (ph.p_type == PT_LOAD)
			elf->segments[elf->segment_count++] = segment;
	}
	return PERFDATA_OK;
}

/* --- small sections ----------------------------------------------------------------------------------------------- */

/* Reads the bytes of a section into new memory. PERFDATA_ABSENT: it has none, or more than `most`. */
static enum perfdata_status read_small(const struct pd_elf *elf, const Elf64_Shdr *header, uint64_t most, uint8_t **ret)
{
	if (header->sh_size > most || !pd_elf_in_file(elf, header))
		return PERFDATA_ABSENT;
	uint8_t *bytes = pd_malloc((size_t)header->sh_size);
	if (!bytes)
		return PERFDATA_ENOMEM;
	if (pd_elf_read(elf, header->sh_offset, bytes, (size_t)header->sh_size)) {
		*ret = bytes;
		return PERFDATA_OK;
	}
	pd_free(bytes);
	return fault_status(elf, PERFDATA_ABSENT);
}

/* Reads a name, padding to 4 bytes, and a CRC in the byte order of the file. */
static enum perfdata_status take_debug_link(struct pd_elf *elf, const uint8_t *bytes, size_t size)
{
	const uint8_t *end = memchr(bytes, 0, size);
	if (!end || end == bytes)
		return PERFDATA_OK;
	const size_t length = (size_t)(end - bytes), at = (length + 4) & ~(size_t)3;
	if (at + 4 > size)
		return PERFDATA_OK;
	elf->debug_link_crc = pd_load32(bytes + at, pd_elf_swaps(elf));
	elf->debug_link = pd_strndup(bytes, length);
	return elf->debug_link ? PERFDATA_OK : PERFDATA_ENOMEM;
}

/* Reads a path with a NUL, and a build-id. */
static enum perfdata_status take_alt_link(struct pd_elf *elf, const uint8_t *bytes, size_t size)
{
	const uint8_t *end = memchr(bytes, 0, size);
	const size_t id_size = end ? size - (size_t)(end + 1 - bytes) : 0;
	if (!id_size || id_size > sizeof elf->alt_id.bytes)
		return PERFDATA_OK;
	memcpy(elf->alt_id.bytes, end + 1, id_size);
	elf->alt_id.size = id_size;
	elf->alt_link = pd_strndup(bytes, (size_t)(end - bytes));
	return elf->alt_link ? PERFDATA_OK : PERFDATA_ENOMEM;
}

typedef enum perfdata_status take_link_fn(struct pd_elf *elf, const uint8_t *bytes, size_t size);

static enum perfdata_status read_link(struct pd_elf *elf, const char *name, take_link_fn *take)
{
	const struct pd_elf_section *s = pd_elf_section(elf, name);
	uint8_t *bytes = NULL;
	enum perfdata_status status = s ? read_small(elf, &s->header, MAX_LINK, &bytes) : PERFDATA_ABSENT;
	if (!status)
		status = take(elf, bytes, (size_t)s->header.sh_size);
	pd_free(bytes);
	return status == PERFDATA_ABSENT ? PERFDATA_OK : status;
}

/* --- opening ------------------------------------------------------------------------------------------------------ */

static enum perfdata_status finish_open(struct pd_elf *elf, struct pd_elf **ret)
{
	enum perfdata_status status = read_header(elf);
	if (!status)
		status = read_sections(elf);
	if (!status)
		status = read_segments(elf);
	if (!status)
		status = read_link(elf, ".gnu_debuglink", take_debug_link);
	if (!status)
		status = read_link(elf, ".gnu_debugaltlink", take_alt_link);
	if (status)
		pd_elf_close(elf);
	else
		*ret = elf;
	return status;
}

enum perfdata_status pd_elf_open_memory(const void *image, size_t size, struct pd_elf **ret)
{
	struct pd_elf *elf = pd_calloc(1, sizeof *elf);
	if (!elf)
		return PERFDATA_ENOMEM;
	elf->image_size = size;
	elf->image = pd_malloc(size);
	if (!elf->image) {
		pd_free(elf);
		return PERFDATA_ENOMEM;
	}
	memcpy(elf->image, image, size);
	return finish_open(elf, ret);
}

/* Finds the entry that `path` names in an archive. PERFDATA_ABSENT: the archive has no such entry. */
static enum perfdata_status find_part(struct pd_work *work, int fd, const char *path, uint64_t *ret_offset,
				      uint64_t *ret_size)
{
	const char *entry = pd_archive_entry_name(path);
	*ret_offset = 0;
	return entry && pd_is_archive(fd) ? pd_archive_find(fd, work, entry, ret_offset, ret_size) : PERFDATA_OK;
}

enum perfdata_status pd_elf_open(struct perfdata_symbols *symbols, int fd, const char *path, struct pd_elf **ret)
{
	uint64_t offset = 0, part = 0;
	struct pd_elf *elf = pd_calloc(1, sizeof *elf);
	enum perfdata_status status = PERFDATA_ENOMEM;
	struct pd_work work;
	pd_work_init(&work, 0, symbols ? pd_symbols_account(symbols) : NULL, symbols ? symbols->options.cancel : NULL);
	errno = 0;
	if (elf)
		status = pd_unpack(&work, fd, &elf->image, &elf->image_size);
	const bool is_plain = status == PERFDATA_ABSENT;
	if (!status) {
		elf->account = work.account;
		pd_account_take(elf->account, PD_USE_SYMBOLS, elf->image_size);
	}
	if (is_plain)
		status = find_part(&work, fd, path, &offset, &part);
	if (is_plain && !status) {
		status = pd_kept_new(symbols, fd, path, &elf->file);
		if (!status && offset)
			pd_kept_narrow(elf->file, offset, part);
	} else {
		if (status == PERFDATA_EREAD)
			status = pd_symbols_fail(symbols, path, errno);
		close(fd);
	}
	if (!status)
		return finish_open(elf, ret);
	pd_elf_close(elf);
	return status;
}

void pd_elf_close(struct pd_elf *elf)
{
	if (!elf)
		return;
	pd_kept_free(elf->file);
	if (elf->image)
		pd_account_give(elf->account, PD_USE_SYMBOLS, elf->image_size);
	pd_free(elf->image);
	pd_free(elf->names);
	pd_free(elf->sections);
	pd_free(elf->segments);
	pd_free(elf->debug_link);
	pd_free(elf->alt_link);
	pd_free(elf);
}

size_t pd_elf_image_size(const void *image, size_t limit)
{
	const unsigned char *ident = image;
	uint64_t table, size;
	if (memcmp(ident, ELFMAG, SELFMAG))
		return 0;
	if (ident[EI_CLASS] == ELFCLASS64) {
		const Elf64_Ehdr *header = image;
		table = header->e_shoff;
		size = (uint64_t)header->e_shnum * header->e_shentsize;
	} else {
		const Elf32_Ehdr *header = image;
		table = header->e_shoff;
		size = (uint64_t)header->e_shnum * header->e_shentsize;
	}
	return table <= limit && size <= limit - table ? (size_t)(table + size) : 0;
}

enum perfdata_status pd_elf_debugdata(const struct pd_elf *elf, struct pd_work *work, struct pd_elf **ret)
{
	const struct pd_elf_section *s = pd_elf_section(elf, ".gnu_debugdata");
	uint8_t *bytes = NULL;
	char *image;
	size_t size;
	*ret = NULL;
	enum perfdata_status status = PERFDATA_ABSENT;
	if (s && s->header.sh_type == SHT_PROGBITS)
		status = read_small(elf, &s->header, MAX_DEBUGDATA, &bytes);
	if (status)
		return status;
	status = pd_unpack_bytes(work, bytes, (size_t)s->header.sh_size, MAX_DEBUGDATA, &image, &size);
	pd_free(bytes);
	if (status)
		return status;
	struct pd_elf *inside = pd_calloc(1, sizeof *inside);
	if (!inside) {
		pd_free(image);
		return PERFDATA_ENOMEM;
	}
	inside->image = image;
	inside->image_size = size;
	inside->account = work->account;
	pd_account_take(inside->account, PD_USE_SYMBOLS, size);
	inside->embedded = true;
	return finish_open(inside, ret);
}

/* Finds the build-id in notes. Name and content of a note are padded to 4 bytes, or to 8 in a segment with this
 * alignment; both give the same build-id. */
static enum perfdata_status notes_build_id(const struct pd_elf *elf, uint64_t offset, uint64_t size, uint64_t *left,
					   struct pd_build_id *ret)
{
	const Elf64_Shdr header = { .sh_offset = offset, .sh_size = size < MAX_NOTES ? size : MAX_NOTES };
	const enum perfdata_byte_order order = elf->header.e_ident[EI_DATA] == ELFDATA2MSB ? PERFDATA_BYTE_ORDER_BIG
											   : PERFDATA_BYTE_ORDER_LITTLE;
	uint8_t *bytes;
	if (header.sh_size > *left)
		return PERFDATA_ELIMIT;
	*left -= header.sh_size;
	enum perfdata_status status = read_small(elf, &header, MAX_NOTES, &bytes);
	if (status)
		return status;
	status = pd_notes_build_id(bytes, (size_t)header.sh_size, order, ret->bytes, &ret->size);
	pd_free(bytes);
	return status;
}

enum perfdata_status pd_elf_build_id(const struct pd_elf *elf, struct pd_build_id *ret)
{
	enum perfdata_status status = PERFDATA_ABSENT;
	/* linkers put the same notes into sections and segments */
	uint64_t left = 2 * pd_elf_size(elf) + 2 * MAX_NOTES;
	for (size_t i = 1; i < elf->section_count && status == PERFDATA_ABSENT; i++) {
		const Elf64_Shdr *header = &elf->sections[i].header;
		if (header->sh_type == SHT_NOTE)
			status = notes_build_id(elf, header->sh_offset, header->sh_size, &left, ret);
	}
	for (size_t i = 0; i < elf->nr_segments && status == PERFDATA_ABSENT; i++) {
		Elf64_Phdr ph;
		if (!read_segment(elf, i, &ph))
			return fault_status(elf, PERFDATA_ABSENT);
		if (ph.p_type == PT_NOTE)
			status = notes_build_id(elf, ph.p_offset, ph.p_filesz, &left, ret);
	}
	return status;
}

uint64_t pd_elf_text_shift(const struct pd_elf *elf)
{
	const struct pd_elf_section *code = pd_elf_section(elf, ".text");
	return code ? code->header.sh_addr - code->header.sh_offset : 0;
}
bool pd_elf_has_symtab(const struct pd_elf *elf)
{
	return elf->symtab && elf->sections[elf->symtab].header.sh_type == SHT_SYMTAB;
}
bool pd_elf_has_dynsym(const struct pd_elf *elf) { return elf->dynsym != 0; }

const char *pd_elf_alt_link(const struct pd_elf *elf, struct pd_build_id *ret_id)
{
	*ret_id = elf->alt_id;
	return elf->alt_link;
}

bool pd_elf_has_debug_info(const struct pd_elf *elf)
{
	const struct pd_elf_section *s = pd_elf_section(elf, ".debug_info");
	return (s && s->header.sh_type != SHT_NOBITS) || pd_elf_section(elf, ".zdebug_info");
}

const char *pd_elf_debug_link(const struct pd_elf *elf, uint32_t *ret_crc)
{
	*ret_crc = elf->debug_link_crc;
	return elf->debug_link;
}

bool pd_elf_vaddr(const struct pd_elf *elf, uint64_t offset, uint64_t *ret)
{
	for (size_t i = 0; i < elf->segment_count; i++) {
		const struct pd_segment *s = &elf->segments[i];
		if (offset >= s->offset && offset - s->offset < s->filesz) {
			*ret = s->vaddr + (offset - s->offset);
			return true;
		}
	}
	return false;
}

bool pd_elf_offset(const struct pd_elf *elf, uint64_t vaddr, uint64_t *ret)
{
	for (size_t i = 0; i < elf->segment_count; i++) {
		const struct pd_segment *s = &elf->segments[i];
		if (vaddr >= s->vaddr && vaddr - s->vaddr < s->memsz) {
			*ret = s->offset + (vaddr - s->vaddr);
			return true;
		}
	}
	return false;
}

bool pd_elf_swaps(const struct pd_elf *elf)
{
	return pd_order_is_foreign(elf->header.e_ident[EI_DATA] == ELFDATA2MSB ? PERFDATA_BYTE_ORDER_BIG
									       : PERFDATA_BYTE_ORDER_LITTLE);
}

uint64_t pd_elf_size(const struct pd_elf *elf)
{
	return elf->file ? pd_kept_size(elf->file) : elf->image_size;
}

bool pd_elf_holds(const struct pd_elf *elf, uint64_t offset, uint64_t size)
{
	const uint64_t whole = pd_elf_size(elf);
	return offset <= whole && size <= whole - offset;
}

bool pd_elf_in_file(const struct pd_elf *elf, const Elf64_Shdr *header)
{
	return header->sh_type != SHT_NOBITS && header->sh_size &&
	       pd_elf_holds(elf, header->sh_offset, header->sh_size);
}

bool pd_elf_read(const struct pd_elf *elf, uint64_t offset, void *out, size_t size)
{
	if (elf->file)
		return pd_kept_read(elf->file, offset, out, size);
	if (offset > elf->image_size || size > elf->image_size - offset)
		return false;
	memcpy(out, elf->image + offset, size);
	return true;
}

enum perfdata_status pd_elf_read_table(const struct pd_elf *elf, const Elf64_Shdr *header, size_t size,
				       pd_elf_take *take, void *user)
{
	const size_t room = PIECE / size * size;
	const uint64_t whole = header->sh_size / size * size;
	uint8_t *piece = pd_malloc(room);
	enum perfdata_status status = piece ? PERFDATA_OK : PERFDATA_ENOMEM;
	for (uint64_t at = 0; at < whole && !status; at += room) {
		const size_t now = whole - at < room ? (size_t)(whole - at) : room;
		if (!pd_elf_read(elf, header->sh_offset + at, piece, now))
			status = fault_status(elf, PERFDATA_DAMAGED);
		else if (take(user, piece, now / size, at / size))
			status = PERFDATA_ENOMEM;
	}
	pd_free(piece);
	return status;
}
