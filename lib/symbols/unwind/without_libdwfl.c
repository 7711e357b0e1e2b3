/* SPDX-License-Identifier: MIT */
/* For builds without libdwfl: a stack ends at the frame that needs libdwfl. */
#include "config.h"
#include "symbols/unwind/unwinder.h"

#ifndef HAVE_ELFUTILS

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
