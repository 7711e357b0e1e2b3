/* SPDX-License-Identifier: MIT */
/* The functions that the rest of the folder calls, for builds without elfutils: they find nothing. */
#include "config.h"
#include "symbols/symbols.h"
#include "symbols/unwind_rules.h"

#ifndef HAVE_ELFUTILS

bool pd_elf_supported(void) { return false; }
enum perfdata_status pd_elf_open(struct perfdata_symbols *symbols, int fd, const char *path, struct pd_elf **ret)
{
	(void)symbols, (void)path, (void)ret;
	pd_close(fd);
	return PERFDATA_EUNSUP;
}
enum perfdata_status pd_elf_open_memory(const void *image, size_t size, struct pd_elf **ret)
{
	(void)image, (void)size, (void)ret;
	return PERFDATA_EUNSUP;
}
void pd_elf_close(struct pd_elf *elf) { (void)elf; }
enum perfdata_status pd_elf_failure(const struct pd_elf *elf)
{
	(void)elf;
	return PERFDATA_OK;
}
enum perfdata_status pd_elf_build_id(const struct pd_elf *elf, struct pd_build_id *ret)
{
	(void)elf, (void)ret;
	return PERFDATA_ABSENT;
}
uint64_t pd_elf_text_shift(const struct pd_elf *elf)
{
	(void)elf;
	return 0;
}
bool pd_elf_has_symtab(const struct pd_elf *elf)
{
	(void)elf;
	return false;
}
bool pd_elf_has_dynsym(const struct pd_elf *elf)
{
	(void)elf;
	return false;
}
size_t pd_elf_image_size(const void *image, size_t limit)
{
	(void)image, (void)limit;
	return 0;
}
enum perfdata_status pd_elf_debugdata(const struct pd_elf *elf, struct pd_work *work, struct pd_elf **ret)
{
	(void)elf, (void)work;
	*ret = NULL;
	return PERFDATA_ABSENT;
}
const char *pd_elf_debug_link(const struct pd_elf *elf, uint32_t *ret_crc)
{
	(void)elf, (void)ret_crc;
	return NULL;
}
const char *pd_elf_alt_link(const struct pd_elf *elf, struct pd_build_id *ret_id)
{
	(void)elf, (void)ret_id;
	return NULL;
}
bool pd_elf_has_debug_info(const struct pd_elf *elf)
{
	(void)elf;
	return false;
}
enum perfdata_status pd_unwind_open(struct perfdata_symbols_dso *dso)
{
	(void)dso;
	return PERFDATA_ABSENT;
}
void pd_unwind_close(struct perfdata_symbols_dso *dso) { (void)dso; }
void pd_rules_close(struct perfdata_symbols_dso *dso) { (void)dso; }
bool pd_elf_vaddr(const struct pd_elf *elf, uint64_t offset, uint64_t *ret)
{
	(void)elf, (void)offset, (void)ret;
	return false;
}
bool pd_elf_read(const struct pd_elf *elf, uint64_t offset, void *out, size_t size)
{
	(void)elf, (void)offset, (void)out, (void)size;
	return false;
}
enum perfdata_status pd_elf_symbols(struct pd_symbol_table *table, struct pd_elf *symbols, struct pd_elf *text,
				    enum pd_elf_place place)
{
	(void)table, (void)symbols, (void)text, (void)place;
	return PERFDATA_EUNSUP;
}

void pd_lines_close(struct perfdata_symbols_dso *dso) { (void)dso; }
bool pd_lines_load_ahead(struct perfdata_symbols_dso *dso)
{
	(void)dso;
	return false;
}
enum perfdata_status pd_lines_find(struct perfdata_symbols_dso *dso, uint64_t vaddr, bool positions,
				   struct perfdata_source_line *frames, size_t room, size_t *ret_count)
{
	(void)dso, (void)vaddr, (void)positions, (void)frames, (void)room, (void)ret_count;
	return PERFDATA_EUNSUP;
}

enum perfdata_status pd_unwinder_new(struct perfdata_symbols *symbols, enum perfdata_unwind_arch arch,
					   perfdata_unwind_find *find, void *user, struct perfdata_unwinder **ret)
{
	(void)symbols, (void)arch, (void)find, (void)user, (void)ret;
	return PERFDATA_EUNSUP;
}
void pd_unwinder_free(struct perfdata_unwinder *unwinder) { (void)unwinder; }
void pd_unwinder_reset(struct perfdata_unwinder *unwinder) { (void)unwinder; }
void pd_unwinder_use_libdwfl(struct perfdata_unwinder *unwinder) { (void)unwinder; }
size_t pd_unwinder_left_to_libdwfl(const struct perfdata_unwinder *unwinder) { return unwinder ? 0 : 0; }
void pd_unwinder_check(struct perfdata_unwinder *unwinder, pd_unwind_next *next) { (void)unwinder, (void)next; }
enum perfdata_status pd_unwind_stack(struct perfdata_unwinder *unwinder, const struct perfdata_unwind_sample *sample,
				     uint64_t *pcs, size_t room, size_t *ret_count)
{
	(void)unwinder, (void)sample, (void)pcs, (void)room, (void)ret_count;
	return PERFDATA_EUNSUP;
}

enum perfdata_status pd_objects_new(const struct pd_elf *elf, struct pd_objects **ret)
{
	(void)elf;
	*ret = NULL;
	return PERFDATA_ABSENT;
}
void pd_objects_free(struct pd_objects *objects) { (void)objects; }
size_t pd_objects_size(const struct pd_objects *objects)
{
	(void)objects;
	return 0;
}
enum perfdata_status pd_objects_find(struct pd_objects *objects, uint64_t vaddr, const char **ret)
{
	(void)objects, (void)vaddr, (void)ret;
	return PERFDATA_ABSENT;
}

#endif
