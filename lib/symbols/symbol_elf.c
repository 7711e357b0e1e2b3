/* SPDX-License-Identifier: MIT */
/* ELF files by libelf: segments, build-id, debug link. Files are read, never mapped: a file that shrinks while it is
 * open must not kill the process. */
#include "config.h"
#include "symbols/symbols.h"

#ifdef HAVE_ELFUTILS

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/cursor.h"
#include "base/memory.h"
#include "symbols/symbol_elf.h"

#define MAX_DEBUGDATA ((size_t)256 << 20)
#define PIECE ((size_t)64 << 10)   /* of a table, read at once */

bool pd_elf_supported(void) { return true; }

const struct pd_elf_section *pd_elf_section(const struct pd_elf *elf, const char *name)
{
	for (size_t i = 1; i < elf->section_count; i++)
		if (!strcmp(elf->sections[i].name, name))
			return &elf->sections[i];
	return NULL;
}

static enum perfdata_status read_sections(struct pd_elf *elf)
{
	size_t count, names;
	if (elf_getshdrnum(elf->elf, &count) || !count)
		return PERFDATA_OK;
	if (elf_getshdrstrndx(elf->elf, &names))
		names = 0;
	elf->sections = pd_calloc(count, sizeof *elf->sections);
	if (!elf->sections)
		return PERFDATA_ENOMEM;
	elf->section_count = count;
	for (size_t i = 0; i < count; i++) {
		struct pd_elf_section *s = &elf->sections[i];
		s->name = "";
		s->scn = elf_getscn(elf->elf, i);
		if (!s->scn || !gelf_getshdr(s->scn, &s->header)) {
			s->scn = NULL;
			continue;
		}
		const char *name = names ? elf_strptr(elf->elf, names, s->header.sh_name) : NULL;
		s->name = name ? name : "";
		if (s->header.sh_type == SHT_SYMTAB && !elf->symtab)
			elf->symtab = i;
		if (s->header.sh_type == SHT_DYNSYM && !elf->dynsym)
			elf->dynsym = i;
	}
	return PERFDATA_OK;
}

static enum perfdata_status read_segments(struct pd_elf *elf)
{
	size_t count;
	if (elf_getphdrnum(elf->elf, &count) || !count)
		return PERFDATA_OK;
	elf->segments = pd_calloc(count, sizeof *elf->segments);
	if (!elf->segments)
		return PERFDATA_ENOMEM;
	for (size_t i = 0; i < count; i++) {
		GElf_Phdr ph;
		if (gelf_getphdr(elf->elf, (int)i, &ph) && ph.p_type == PT_LOAD)
			elf->segments[elf->segment_count++] =
				(struct pd_segment){ ph.p_offset, ph.p_vaddr, ph.p_filesz, ph.p_memsz, ph.p_align };
	}
	return PERFDATA_OK;
}

/* A name, padding to 4 bytes, and a CRC in the byte order of the file (libelf leaves such sections as they are). */
static enum perfdata_status read_debug_link(struct pd_elf *elf)
{
	const struct pd_elf_section *s = pd_elf_section(elf, ".gnu_debuglink");
	Elf_Data *data = s && s->header.sh_type != SHT_NOBITS ? elf_rawdata(s->scn, NULL) : NULL;
	if (!data || !data->d_buf)
		return PERFDATA_OK;
	const uint8_t *bytes = data->d_buf, *end = memchr(bytes, 0, data->d_size);
	if (!end || end == bytes)
		return PERFDATA_OK;
	size_t length = (size_t)(end - bytes), at = (length + 4) & ~(size_t)3;
	if (at + 4 > data->d_size)
		return PERFDATA_OK;
	elf->debug_link_crc = pd_load32(bytes + at, pd_elf_swaps(elf));
	elf->debug_link = pd_strndup(bytes, length);
	return elf->debug_link ? PERFDATA_OK : PERFDATA_ENOMEM;
}

static enum perfdata_status open_elf(struct pd_elf *elf)
{
	if (!elf->elf || elf_kind(elf->elf) != ELF_K_ELF || !gelf_getehdr(elf->elf, &elf->header))
		return PERFDATA_EFORMAT;
	enum perfdata_status status = read_sections(elf);
	if (!status)
		status = read_segments(elf);
	if (!status)
		status = read_debug_link(elf);
	return status;
}

static enum perfdata_status finish_open(struct pd_elf *elf, struct pd_elf **ret)
{
	enum perfdata_status status = open_elf(elf);
	if (status)
		pd_elf_close(elf);
	else
		*ret = elf;
	return status;
}

enum perfdata_status pd_elf_open_memory(const void *image, size_t size, struct pd_elf **ret)
{
	elf_version(EV_CURRENT);
	struct pd_elf *elf = pd_calloc(1, sizeof *elf);
	if (!elf)
		return PERFDATA_ENOMEM;
	elf->fd = -1;
	elf->image_size = size;
	elf->image = pd_malloc(size);
	if (!elf->image) {
		pd_free(elf);
		return PERFDATA_ENOMEM;
	}
	memcpy(elf->image, image, size);
	elf->elf = elf_memory(elf->image, size);
	return finish_open(elf, ret);
}

enum perfdata_status pd_elf_open(int fd, struct pd_elf **ret)
{
	elf_version(EV_CURRENT);
	struct pd_elf *elf = pd_calloc(1, sizeof *elf);
	if (!elf) {
		close(fd);
		return PERFDATA_ENOMEM;
	}
	elf->fd = fd;
	enum perfdata_status status = pd_unpack(fd, &elf->image, &elf->image_size);
	if (status == PERFDATA_OK)
		elf->elf = elf_memory(elf->image, elf->image_size);
	else if (status == PERFDATA_ABSENT)
		elf->elf = elf_begin(fd, ELF_C_READ, NULL);
	else {
		pd_elf_close(elf);
		return status;
	}
	return finish_open(elf, ret);
}

enum perfdata_status pd_elf_again(const struct pd_elf *elf, struct pd_elf **ret)
{
	enum perfdata_status status = PERFDATA_OK;
	*ret = NULL;
	if (elf->image) {
		status = pd_elf_open_memory(elf->image, elf->image_size, ret);
	} else {
		const int fd = fcntl(elf->fd, F_DUPFD_CLOEXEC, 0);
		if (fd >= 0)
			status = pd_elf_open(fd, ret);
	}
	return status == PERFDATA_ENOMEM ? status : PERFDATA_OK;
}

void pd_elf_close(struct pd_elf *elf)
{
	if (!elf)
		return;
	elf_end(elf->elf);
	if (elf->fd >= 0)
		close(elf->fd);
	pd_free(elf->image);
	pd_free(elf->sections);
	pd_free(elf->segments);
	pd_free(elf->debug_link);
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

bool pd_elf_debugdata(const struct pd_elf *elf, struct pd_elf **ret)
{
	const struct pd_elf_section *s = pd_elf_section(elf, ".gnu_debugdata");
	Elf_Data *data = s && s->header.sh_type == SHT_PROGBITS ? elf_rawdata(s->scn, NULL) : NULL;
	char *image;
	size_t size;
	*ret = NULL;
	if (!data || !data->d_buf)
		return true;
	enum perfdata_status status = pd_unpack_bytes(data->d_buf, data->d_size, MAX_DEBUGDATA, &image, &size);
	if (status)
		return status != PERFDATA_ENOMEM;
	status = pd_elf_open_memory(image, size, ret);
	if (status == PERFDATA_OK)
		(*ret)->embedded = true;
	pd_free(image);
	return status != PERFDATA_ENOMEM;
}

static bool notes_build_id(Elf_Data *data, struct pd_build_id *ret)
{
	GElf_Nhdr note;
	size_t at = 0, next, name, desc;
	while (data && data->d_buf && (next = gelf_getnote(data, at, &note, &name, &desc)) > 0) {
		const uint8_t *bytes = data->d_buf;
		if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && !memcmp(bytes + name, "GNU", 4) &&
		    note.n_descsz && note.n_descsz <= sizeof ret->bytes) {
			memcpy(ret->bytes, bytes + desc, note.n_descsz);
			ret->size = note.n_descsz;
			return true;
		}
		at = next;
	}
	return false;
}

bool pd_elf_build_id(const struct pd_elf *elf, struct pd_build_id *ret)
{
	size_t segments = 0;
	for (size_t i = 1; i < elf->section_count; i++)
		if (elf->sections[i].scn && elf->sections[i].header.sh_type == SHT_NOTE &&
		    notes_build_id(elf_getdata(elf->sections[i].scn, NULL), ret))
			return true;
	if (elf_getphdrnum(elf->elf, &segments))
		return false;
	for (size_t i = 0; i < segments; i++) {
		GElf_Phdr ph;
		if (!gelf_getphdr(elf->elf, (int)i, &ph) || ph.p_type != PT_NOTE)
			continue;
		Elf_Type type = ph.p_align == 8 ? ELF_T_NHDR8 : ELF_T_NHDR;
		if (notes_build_id(elf_getdata_rawchunk(elf->elf, (int64_t)ph.p_offset, ph.p_filesz, type), ret))
			return true;
	}
	return false;
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
	const struct pd_elf_section *s = pd_elf_section(elf, ".gnu_debugaltlink");
	const Elf_Data *data = s && s->header.sh_type != SHT_NOBITS ? elf_rawdata(s->scn, NULL) : NULL;
	const char *link = data ? data->d_buf : NULL, *end = link ? memchr(link, '\0', data->d_size) : NULL;
	if (!end)
		return NULL;
	ret_id->size = data->d_size - (size_t)(end + 1 - link);
	if (!ret_id->size || ret_id->size > sizeof ret_id->bytes)
		return NULL;
	memcpy(ret_id->bytes, end + 1, ret_id->size);
	return link;
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

bool pd_elf_holds(const struct pd_elf *elf, uint64_t offset, uint64_t size)
{
	struct stat st;
	uint64_t whole = elf->image_size;
	if (!elf->image)
		whole = fstat(elf->fd, &st) ? 0 : (uint64_t)st.st_size;
	return offset <= whole && size <= whole - offset;
}

bool pd_elf_in_file(const struct pd_elf *elf, const GElf_Shdr *header)
{
	return header->sh_type != SHT_NOBITS && header->sh_size &&
	       pd_elf_holds(elf, header->sh_offset, header->sh_size);
}

bool pd_elf_read(const struct pd_elf *elf, uint64_t offset, void *out, size_t size)
{
	if (!elf->image)
		return offset <= INT64_MAX && pread(elf->fd, out, size, (off_t)offset) == (ssize_t)size;
	if (offset > elf->image_size || size > elf->image_size - offset)
		return false;
	memcpy(out, elf->image + offset, size);
	return true;
}

enum perfdata_status pd_elf_read_table(const struct pd_elf *elf, const GElf_Shdr *header, size_t size,
				       pd_elf_take *take, void *user)
{
	const size_t room = PIECE / size * size;
	const uint64_t whole = header->sh_size / size * size;
	uint8_t *piece = pd_malloc(room);
	enum perfdata_status status = piece ? PERFDATA_OK : PERFDATA_ENOMEM;
	for (uint64_t at = 0; at < whole && !status; at += room) {
		const size_t now = whole - at < room ? (size_t)(whole - at) : room;
		if (!pd_elf_read(elf, header->sh_offset + at, piece, now))
			status = PERFDATA_DAMAGED;
		else if (take(user, piece, now / size, at / size))
			status = PERFDATA_ENOMEM;
	}
	pd_free(piece);
	return status;
}

#endif
