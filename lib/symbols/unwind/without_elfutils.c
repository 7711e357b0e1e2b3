/* SPDX-License-Identifier: MIT */
/* For builds without libdw and libdwfl: files that dwarf_lookup.c leaves to libdw have no inlined functions and lines,
 * and a stack that unwind.c leaves to libdwfl ends there. */
#include "config.h"
#include "symbols/unwind/unwinder.h"

#ifndef HAVE_ELFUTILS

enum perfdata_status pd_libdw_load(void) { return PERFDATA_ABSENT; }

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

enum perfdata_status pd_unwind_open(struct perfdata_symbols_dso *dso)
{
	(void)dso;
	return PERFDATA_ABSENT;
}
void pd_unwind_close(struct perfdata_symbols_dso *dso) { (void)dso; }

bool pd_dwfl_report_all(struct perfdata_unwinder *u)
{
	(void)u;
	return true;
}
bool pd_dwfl_report(struct perfdata_unwinder *u, struct pd_unwind_module *module, uint64_t address)
{
	(void)u, (void)module, (void)address;
	return false;
}
bool pd_dwfl_has_module(struct perfdata_unwinder *u, uint64_t address)
{
	(void)u, (void)address;
	return false;
}
enum perfdata_status pd_dwfl_unwind(struct perfdata_unwinder *u)
{
	(void)u;
	return PERFDATA_ABSENT;
}
void pd_dwfl_end(struct perfdata_unwinder *u) { (void)u; }

#endif
