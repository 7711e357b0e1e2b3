/* SPDX-License-Identifier: MIT */
/* Unwinds stacks by libdwfl, with callbacks of our own for files and memory, if a frame's rule does not have a common
 * form. */
#include "config.h"
#include "symbols/unwind/unwinder.h"

#ifdef HAVE_ELFUTILS

#include <errno.h>
#include "symbols/dwarf/elfutils.h"

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
	/* libdwfl reads from the file whether the frame was interrupted or made a call, so the file is reported
	 * first. */
	(void)pd_unwinder_take_map(u, pc);
	if (!pd_elfutils.dwfl_frame_pc(frame, &pc, &is_first))
		return DWARF_CB_ABORT;
	if (!is_first)
		pc = (u->arch == PERFDATA_UNWIND_ARM ? pd_unwinder_arm_code(pc) : pc) - 1;
	if (!pd_unwinder_take_map(u, pc))
		return DWARF_CB_ABORT;
	const struct pd_unwind_module *module = u->overlap ? NULL : pd_unwinder_find_module(u, pc);
	if (u->nr_frames > 1 && module && pd_unwinder_is_data(u, module, pc))
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
	errno = 0;
	if (pd_dwfl_report_all(u)) {
		if (!u->attached)
			u->attached = pd_elfutils.dwfl_attach_state(u->dwfl, NULL, 1, &thread_callbacks, u);
		if (u->attached)
			pd_elfutils.dwfl_getthread_frames(u->dwfl, 1, take_frame, u);
	}
	/* If an allocation fails, libdwfl ends the stack without an error: only errno shows it. */
	const bool lacks_memory = !u->dwfl || errno == ENOMEM;
	u->by_libdwfl = false;
	pd_monitor_leave(u->symbols->unwind_lock);
	return lacks_memory ? PERFDATA_ENOMEM : u->count ? PERFDATA_OK : PERFDATA_ABSENT;
}

#endif
