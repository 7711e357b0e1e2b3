/* SPDX-License-Identifier: MIT */
/* Replaces dwarf_libdw.c in builds without libdw: files that dwarf_lookup.c leaves to libdw have no inlined functions
 * and lines. */
#include "config.h"
#include "symbols/symbols.h"

#ifndef HAVE_ELFUTILS

enum perfdata_status pd_libdw_load(struct perfdata_symbols *symbols)
{
	(void)symbols;
	return PERFDATA_ABSENT;
}

enum perfdata_status pd_libdw_open(const struct pd_elf *elf, const struct pd_elf *alt, struct pd_work *work,
				   struct pd_libdw **ret)
{
	(void)elf, (void)alt, (void)work;
	*ret = NULL;
	return PERFDATA_ABSENT;
}
void pd_libdw_close(struct pd_libdw *libdw) { (void)libdw; }
bool pd_libdw_has_excess(const struct pd_libdw *libdw)
{
	(void)libdw;
	return false;
}
size_t pd_libdw_size(const struct pd_libdw *libdw)
{
	(void)libdw;
	return 0;
}
enum perfdata_status pd_libdw_lookup(struct pd_libdw *libdw, uint64_t vaddr, const struct pd_lines_wish *wish,
				     struct perfdata_source_line *frames, size_t room, size_t *ret_count)
{
	(void)libdw, (void)vaddr, (void)wish, (void)frames, (void)room;
	*ret_count = 0;
	return PERFDATA_EUNSUP;
}

#endif
