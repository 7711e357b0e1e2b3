/* SPDX-License-Identifier: MIT */
/* User stacks by libdwfl, with callbacks of our own for files and memory: those with a frame whose rule is not of the
 * common forms. */
#include "config.h"
#include "symbols/unwind/unwinder.h"

#ifdef HAVE_ELFUTILS

#include "symbols/dwarf/elfutils.h"
#include "symbols/elf/symbol_elf.h"

static bool set_initial_registers(Dwfl_Thread *thread, void *arg)
{
	const struct perfdata_unwinder *u = arg;
	const struct pd_unwind_machine *machine = u->machine;
	Dwarf_Word values[PD_MAX_REGS] = { 0 };
	for (unsigned i = 0; i < machine->count; i++)
		(void)pd_unwinder_register(u->sample, machine->perf_of[i], &values[i]);
	pd_elfutils.dwfl_thread_state_register_pc(thread, u->ip);
	return pd_elfutils.dwfl_thread_state_registers(thread, 0, machine->count, values);
}

/* --- files -------------------------------------------------------------------------------------------------------- */

/* libdwfl owns the reference; the dso keeps the file. */
static int find_elf(Dwfl_Module *module, void **userdata, const char *name, Dwarf_Addr base, char **file_name,
		    Elf **elf)
{
	struct perfdata_symbols_dso *dso = *userdata;
	(void)module, (void)name, (void)base, (void)file_name;
	*elf = pd_dso_open_unwind(dso) ? pd_elfutils.elf_begin(-1, ELF_C_READ, dso->unwind) : NULL;
	return -1;
}

/* libdwfl calls this where a file has no unwinding information of its own for an address; what the file with debug
 * information has is in the image. */
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

/* --- memory ------------------------------------------------------------------------------------------------------- */

static bool read_memory(Dwfl *dwfl, Dwarf_Addr address, Dwarf_Word *ret, void *arg)
{
	(void)dwfl;
	return pd_unwinder_read_word(arg, address, ret);
}

/* --- threads and frames ------------------------------------------------------------------------------------------- */

static pid_t next_thread(Dwfl *dwfl, void *arg, void **thread_arg)
{
	(void)dwfl;
	if (*thread_arg)
		return 0;
	*thread_arg = arg;
	return 1;
}

static bool get_thread(Dwfl *dwfl, pid_t tid, void *arg, void **thread_arg)
{
	(void)dwfl, (void)tid;
	*thread_arg = arg;
	return true;
}

static const Dwfl_Thread_Callbacks thread_callbacks = {
	.next_thread = next_thread,
	.get_thread = get_thread,
	.memory_read = read_memory,
	.set_initial_registers = set_initial_registers,
};

static int take_frame(Dwfl_Frame *frame, void *arg)
{
	struct perfdata_unwinder *u = arg;
	Dwarf_Addr pc;
	bool is_first;
	u->is_cut = false;
	if (++u->nr_frames > PD_FRAMES_OF_STEP * u->room || !pd_elfutils.dwfl_frame_pc(frame, &pc, NULL))
		return DWARF_CB_ABORT;
	/* libdwfl reads from the file whether the frame was interrupted or made a call: so the file has to be
	 * reported. */
	(void)pd_unwinder_take_map(u, pc);
	if (!pd_elfutils.dwfl_frame_pc(frame, &pc, &is_first))
		return DWARF_CB_ABORT;
	pc -= !is_first;
	if (!pd_unwinder_take_map(u, pc))
		return DWARF_CB_ABORT;
	if (pc)
		u->pcs[u->count++] = pc;
	return u->count < u->room ? DWARF_CB_OK : DWARF_CB_ABORT;
}

enum perfdata_status pd_dwfl_unwind(struct perfdata_unwinder *u)
{
	u->count = u->nr_frames = 0;
	pd_monitor_enter(u->symbols->unwind_lock);
	u->by_libdwfl = true;
	u->nr_by_libdwfl++;
	if (pd_dwfl_report_all(u)) {
		if (!u->attached)
			u->attached = pd_elfutils.dwfl_attach_state(u->dwfl, NULL, 1, &thread_callbacks, u);
		if (u->attached)
			pd_elfutils.dwfl_getthread_frames(u->dwfl, 1, take_frame, u);
	}
	u->by_libdwfl = false;
	pd_monitor_leave(u->symbols->unwind_lock);
	return !u->dwfl ? PERFDATA_ENOMEM : u->count ? PERFDATA_OK : PERFDATA_ABSENT;
}

#endif
