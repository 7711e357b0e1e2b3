/* SPDX-License-Identifier: MIT */
/* The code of a program or library, as its segments and sections describe it. */
#include "config.h"
#include "symbols/code/code_file.h"
#include "symbols/symbols.h"

#include <stdlib.h>
#include <string.h>
#include "base/memory.h"
#include "base/search.h"
#include "symbols/elf/symbol_elf.h"

#define PAGE ((uint64_t)4096)
#define MOST_SECTIONS ((size_t)1 << 16)

static int compare_ranges(const void *left, const void *right)
{
	const struct pd_code_range *a = left, *b = right;
	return a->start < b->start ? -1 : a->start > b->start;
}

/* Adds the segments with code. The kernel maps whole pages of the file. */
static enum perfdata_status take_segments(const struct pd_elf *elf, struct pd_code_file *file)
{
	file->segments = pd_calloc(elf->segment_count ? elf->segment_count : 1, sizeof *file->segments);
	if (!file->segments)
		return PERFDATA_ENOMEM;
	file->load_base = elf->segment_count ? UINT64_MAX : 0;
	for (size_t i = 0; i < elf->segment_count; i++) {
		const struct pd_segment *s = &elf->segments[i];
		const uint64_t before = s->offset % PAGE, size = s->filesz;
		if ((s->vaddr & ~(PAGE - 1)) < file->load_base)
			file->load_base = s->vaddr & ~(PAGE - 1);
		if (!s->is_code || !size || before > s->vaddr || s->vaddr + size < s->vaddr ||
		    s->offset + size < s->offset || s->vaddr + size > UINT64_MAX - PAGE)
			continue;
		if (!file->nr_segments)
			file->text_base = s->vaddr & ~(PAGE - 1);
		file->segments[file->nr_segments++] = (struct pd_code_range){
			.start = s->vaddr - before,
			.end = (s->vaddr + size + PAGE - 1) & ~(PAGE - 1),
			.offset = s->offset - before,
		};
	}
	return PERFDATA_OK;
}

static enum perfdata_status take_sections(const struct pd_elf *elf, struct pd_code_file *file)
{
	size_t room = 0;
	for (size_t i = 0; i < elf->section_count && file->nr_sections < MOST_SECTIONS; i++) {
		const Elf64_Shdr *header = &elf->sections[i].header;
		if (!pd_elf_is_code(header) || !header->sh_size ||
		    header->sh_addr + header->sh_size < header->sh_addr || !pd_elf_in_file(elf, header))
			continue;
		const struct pd_code_range section = {
			.start = header->sh_addr, .end = header->sh_addr + header->sh_size, .offset = header->sh_offset
		};
		if (!strcmp(elf->sections[i].name, ".plt")) {
			file->linkage = section;
			continue;
		}
		if (pd_vector_grow(&file->sections, &room, file->nr_sections, sizeof *file->sections) < 0)
			return PERFDATA_ENOMEM;
		file->sections[file->nr_sections++] = section;
	}
	if (file->nr_sections)
		qsort(file->sections, file->nr_sections, sizeof *file->sections, compare_ranges);
	return PERFDATA_OK;
}

enum perfdata_status pd_code_file_open(struct perfdata_symbols_dso *dso, struct pd_code_file **ret)
{
	struct perfdata_symbols_origin origin;
	/* a file without symbols still has code */
	const enum perfdata_status loaded = pd_symbols_origin(dso, &origin);
	if (loaded && loaded != PERFDATA_ABSENT)
		return loaded;
	const struct pd_elf *elf = dso->text;
	if (!elf)
		return PERFDATA_ABSENT;
	struct pd_code_file *file = pd_calloc(1, sizeof *file);
	if (!file)
		return PERFDATA_ENOMEM;
	file->dso = dso;
	file->has_kind = pd_code_kind_of(elf->header.e_machine, &file->kind) && !pd_elf_swaps(elf);
	file->is_fixed = elf->header.e_type == ET_EXEC;
	enum perfdata_status status = take_segments(elf, file);
	if (!status)
		status = take_sections(elf, file);
	if (!status && (!file->nr_segments || !file->nr_sections))
		status = PERFDATA_ABSENT;
	if (status)
		pd_code_file_close(file);
	else
		*ret = file;
	return status;
}

void pd_code_file_close(struct pd_code_file *file)
{
	if (!file)
		return;
	pd_free(file->segments);
	pd_free(file->sections);
	pd_free(file);
}

bool pd_code_file_is_static(const struct pd_code_file *file) { return !file->dso->text->dynsym; }

bool pd_code_file_read(const struct pd_code_file *file, uint64_t address, void *out, size_t size)
{
	const struct pd_code_range *section = pd_code_file_section(file, address);
	return section && size <= section->end - address &&
	       pd_elf_read(file->dso->text, section->offset + (address - section->start), out, size);
}

bool pd_code_file_address(const struct pd_code_file *file, uint64_t offset, uint64_t *ret)
{
	for (size_t i = 0; i < file->nr_segments; i++) {
		const struct pd_code_range *s = &file->segments[i];
		if (offset >= s->offset && offset - s->offset < s->end - s->start) {
			*ret = s->start + (offset - s->offset);
			return true;
		}
	}
	return false;
}

bool pd_code_file_offset(const struct pd_code_file *file, uint64_t address, uint64_t *ret)
{
	for (size_t i = 0; i < file->nr_segments; i++) {
		const struct pd_code_range *s = &file->segments[i];
		if (address >= s->start && address < s->end) {
			*ret = s->offset + (address - s->start);
			return true;
		}
	}
	return false;
}

const struct pd_code_range *pd_code_file_section(const struct pd_code_file *file, uint64_t address)
{
	size_t low;
	PD_COUNT_BEFORE(low, file->nr_sections, at, file->sections[at].start <= address);
	return low && address < file->sections[low - 1].end ? &file->sections[low - 1] : NULL;
}
