/* SPDX-License-Identifier: MIT */
/* Reports the files of the process to libdwfl, with callbacks that open no other file. */
#include "config.h"
#include "symbols/unwind/unwinder.h"

#ifdef HAVE_ELFUTILS

#include "symbols/dwarf/elfutils.h"

/* libdwfl owns the handle *elf; the dso keeps the image. */
static int find_elf(Dwfl_Module *module, void **userdata, const char *name, Dwarf_Addr base, char **file_name,
		    Elf **elf)
{
	struct perfdata_symbols_dso *dso = *userdata;
	(void)module, (void)name, (void)base, (void)file_name;
	*elf = pd_dso_open_unwind(dso) ? pd_elfutils.elf_begin(-1, ELF_C_READ, dso->unwind) : NULL;
	return -1;
}

/* libdwfl calls this if a file has no unwinding table for an address. The image already contains the table of the
 * separate file with debug information, so there is nothing to add. */
static int find_debuginfo(Dwfl_Module *module, void **userdata, const char *name, Dwarf_Addr base,
			  const char *file_name, const char *link, Elf64_Word crc, char **debug_name)
{
	(void)module, (void)userdata, (void)name, (void)base, (void)file_name, (void)link, (void)crc, (void)debug_name;
	return -1;
}

static const Dwfl_Callbacks callbacks = { .find_elf = find_elf, .find_debuginfo = find_debuginfo };

static const Dwfl_Module *report_module(struct perfdata_unwinder *u, struct pd_unwind_module *module)
{
	void **userdata;
	pd_elfutils.dwfl_report_begin_add(u->dwfl);
	Dwfl_Module *reported = pd_elfutils.dwfl_report_module(u->dwfl, module->dso->request.path, module->start,
							       module->end);
	if (reported && pd_elfutils.dwfl_module_info(reported, &userdata, NULL, NULL, NULL, NULL, NULL, NULL))
		*userdata = module->dso;
	pd_elfutils.dwfl_report_end(u->dwfl, NULL, NULL);
	module->is_reported = true;
	u->nr_reported++;
	return reported;
}

bool pd_dwfl_report_all(struct perfdata_unwinder *u)
{
	if (!u->dwfl)
		u->dwfl = pd_elfutils.dwfl_begin(&callbacks);
	for (size_t i = 0; u->dwfl && u->nr_reported < u->nr_modules; i++)
		if (!u->modules[i].is_reported)
			report_module(u, &u->modules[i]);
	return u->dwfl != NULL;
}

bool pd_dwfl_report(struct perfdata_unwinder *u, struct pd_unwind_module *module, uint64_t address)
{
	const Dwfl_Module *reported = report_module(u, module);
	return reported && pd_elfutils.dwfl_addrmodule(u->dwfl, address) == reported;
}

bool pd_dwfl_has_module(struct perfdata_unwinder *u, uint64_t address)
{
	return pd_elfutils.dwfl_addrmodule(u->dwfl, address) != NULL;
}

void pd_dwfl_end(struct perfdata_unwinder *u)
{
	if (u->dwfl)
		pd_elfutils.dwfl_end(u->dwfl);
	u->dwfl = NULL;
	u->attached = false;
	u->nr_reported = 0;
}

#endif
