/* SPDX-License-Identifier: MIT */
/* Finds the file of a dso that has its debug information. */
#include "config.h"
#include "symbols/symbols.h"

/* The file with debug information may differ from the file with symbols: a stripped program may still have a symbol
 * table. */
struct pd_elf *pd_dso_debug_info(const struct perfdata_symbols_dso *dso)
{
	if (dso->debug && pd_elf_has_debug_info(dso->debug))
		return dso->debug;
	return dso->text && pd_elf_has_debug_info(dso->text) ? dso->text : NULL;
}

const char *pd_symbols_debug_path(const struct perfdata_symbols_dso *dso)
{
	const bool is_apart = pd_dso_debug_info(dso) == dso->debug && dso->origin.file;
	return is_apart ? dso->origin.file : dso->origin.text_file;
}
