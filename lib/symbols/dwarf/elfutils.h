/* SPDX-License-Identifier: MIT */
/* The functions of libdw, libdwfl and libelf that perfdata calls. They are loaded at first need: linked in, they and
 * their dependencies would take half of the time of a start. */
#ifndef PD_ELFUTILS_H
#define PD_ELFUTILS_H

#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#include <libelf.h>
#include "base/library.h"

/* Lists each function once. libdw.so.1 or libelf.so.1, which it needs, defines them. */
#define PD_ELFUTILS_FUNCTIONS(FUNCTION) \
	FUNCTION(elf_begin) FUNCTION(elf_end) FUNCTION(elf_memory) FUNCTION(elf_version) \
	FUNCTION(dwarf_attr) FUNCTION(dwarf_attr_integrate) FUNCTION(dwarf_begin_elf) FUNCTION(dwarf_child) \
	FUNCTION(dwarf_cu_info) FUNCTION(dwarf_cuoffset) FUNCTION(dwarf_diename) FUNCTION(dwarf_dieoffset) \
	FUNCTION(dwarf_end) FUNCTION(dwarf_formstring) FUNCTION(dwarf_formudata) FUNCTION(dwarf_get_units) \
	FUNCTION(dwarf_getarange_addr) FUNCTION(dwarf_getarangeinfo) FUNCTION(dwarf_getaranges) \
	FUNCTION(dwarf_hasattr) FUNCTION(dwarf_new_oom_handler) FUNCTION(dwarf_nextcu) FUNCTION(dwarf_offdie) \
	FUNCTION(dwarf_ranges) FUNCTION(dwarf_setalt) FUNCTION(dwarf_siblingof) FUNCTION(dwarf_tag) \
	FUNCTION(dwarf_whatform) \
	FUNCTION(dwfl_addrmodule) FUNCTION(dwfl_attach_state) FUNCTION(dwfl_begin) FUNCTION(dwfl_end) \
	FUNCTION(dwfl_frame_pc) FUNCTION(dwfl_getthread_frames) FUNCTION(dwfl_module_info) \
	FUNCTION(dwfl_report_begin_add) FUNCTION(dwfl_report_end) FUNCTION(dwfl_report_module) \
	FUNCTION(dwfl_thread_state_register_pc) FUNCTION(dwfl_thread_state_registers)

struct pd_elfutils_functions {
	PD_ELFUTILS_FUNCTIONS(PD_LIBRARY_MEMBER)
};

/* Set by pd_libdw_load (symbols.h); call none before it succeeded. */
extern struct pd_elfutils_functions pd_elfutils;

#endif
