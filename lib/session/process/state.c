/* SPDX-License-Identifier: MIT */
/* Records that change threads and maps. */
#include "config.h"
#include <string.h>
#include "perfdata/text.h"
#include "session/process/mapping.h"
#include "session/state.h"
#include "schema/schema.h"
#include "text/decimal.h"

/* The text; empty if a damaged record lacks it. */
static const char *text_of(struct perfdata_bytes text) { return text.data ? (const char *)text.data : ""; }

#define VDSO32 "[vdso32]"

/* Maps a user mapping to its file, if it has one. The kernel (fs/proc/task_mmu.c) and perf define the classes of
 * names. */
static int map_user(struct pd_state *state, const struct pd_mapping *mapping)
{
	struct pd_thread *thread = pd_thread_get(state, mapping->pid, mapping->tid);
	if (!thread)
		return -1;
	if (state->inside)
		return pd_inside_map_user(state, mapping);
	bool anonymous = mapping->hugetlb || pd_mapping_begins(mapping, "//anon") ||
			 pd_mapping_begins(mapping, "/dev/zero") || pd_mapping_begins(mapping, "/anon_hugepage");
	bool no_file = pd_mapping_begins(mapping, "[stack") || pd_mapping_begins(mapping, "/SYSV") ||
		       pd_mapping_is(mapping, "[heap]");
	struct pd_dso_key key = {
		.kind = PERFDATA_DSO_USER, .filename = mapping->filename, .filename_size = mapping->filename_size,
		.id_words = mapping->id_words, .pid = -1, .guest = state->guest != NULL,
	};
	struct pd_map map = { .start = mapping->addr, .end = pd_mapping_end(mapping), .pgoff = mapping->pgoff };
	char jit_name[48];
	if (anonymous || no_file) {
		map.identity = true;
		key.kind = PERFDATA_DSO_NONE;
		if (mapping->exec) {
			memcpy(jit_name, "/tmp/perf-", 10);
			char *end = pd_s64_to(jit_name + 10, thread->pid);
			memcpy(end, ".map", 5);
			key = (struct pd_dso_key){ .kind = PERFDATA_DSO_PERF_MAP,
						   .filename = jit_name,
						   .filename_size = strlen(jit_name),
						   .pid = thread->pid,
						   .guest = state->guest != NULL };
		}
	} else if (pd_mapping_is(mapping, "[vdso]") || pd_mapping_is(mapping, VDSO32) ||
		   pd_mapping_is(mapping, "[vdsox32]")) {
		/* The kernel calls the vdso of 32-bit processes "[vdso]", too; perf stores its image as "[vdso32]". */
		if (map.end <= UINT64_C(1) << 32 && pd_table_id_has(state, VDSO32)) {
			key.filename = VDSO32;
			key.filename_size = strlen(VDSO32);
		}
		key.kind = PERFDATA_DSO_VDSO;
		key.id_words = NULL;
		map.pgoff = 0;
	}
	map.dso = pd_dso_get(state, &key);
	if (map.dso == PERFDATA_NONE ||
	    pd_jitdump_mapped(state, thread->pid, mapping->filename, mapping->filename_size, mapping->id_words) < 0)
		return -1;
	struct pd_dso *dso = pd_dso_at(state, map.dso);
	dso->injected = (!dso->nr_maps || dso->injected) && pd_mapping_is_injected(mapping);
	if (!dso->first_pid)
		dso->first_pid = thread->pid;
	pd_mapping_count(state, &map, mapping);
	return pd_maps_insert(&state->store, thread->maps, &map);
}

#define KERNEL_NAME "[kernel.kallsyms]"

static int map_kernel(struct pd_state *state, const struct pd_mapping *mapping)
{
	/* new recorders write "[kernel.kallsyms]_text", old ones "[kernel.kallsyms" */
	const bool kernel = pd_mapping_begins(mapping, "[kernel.kallsyms") ||
			    (state->inside && pd_mapping_begins(mapping, "[bpf]"));
	/* where guests are not followed, perf takes a guest's kernel for a module of the host */
	const bool of_guest = mapping->cpumode == PERFDATA_CPUMODE_GUEST_KERNEL;
	struct pd_dso_key key = { .kind = PERFDATA_DSO_MODULE, .filename = mapping->filename,
				  .filename_size = mapping->filename_size, .pid = -1, .guest = of_guest };
	struct pd_map map = { .start = mapping->addr, .end = pd_mapping_end(mapping), .pgoff = 0, .identity = true };
	if (kernel) {
		const char *name = state->kernel_name ? state->kernel_name : KERNEL_NAME;
		key.kind = of_guest ? PERFDATA_DSO_NONE : PERFDATA_DSO_KERNEL;
		key.filename = name;
		key.filename_size = strlen(name);
		if (mapping->addr == 0 && mapping->len == 0)
			map.end = UINT64_MAX;
	} else if (!mapping->filename_size || (mapping->filename[0] != '/' && mapping->filename[0] != '[') ||
		   mapping->addr == 0) {
		/* the recorder put a module at address 0 because the kernel hid its addresses */
		return 0;
	}
	map.dso = pd_dso_get(state, &key);
	if (map.dso == PERFDATA_NONE)
		return -1;
	if (kernel && !of_guest && state->kernel_dso == PERFDATA_NONE) {
		state->kernel_dso = map.dso;
		state->kernel_reference = mapping->pgoff;
		size_t prefix = strlen(KERNEL_NAME);
		if (mapping->filename_size > prefix &&
		    !(state->kernel_reference_name = pd_arena_copy(&state->arena, mapping->filename + prefix,
								   mapping->filename_size - prefix)))
			return -1;
	}
	pd_mapping_count(state, &map, mapping);
	if (pd_kernel_maps_add(&state->store, &state->kernel, &map, kernel) < 0)
		return -1;
	if (kernel && !of_guest && !atomic_load(&state->kernel_symbols)) {
		pd_dso_find_symbols(state, pd_dso_at(state, map.dso));
		atomic_store(&state->kernel_symbols, pd_dso_at(state, map.dso)->symbols);
	}
	return 0;
}

/* Maps a guest's kernel, or one of its modules. */
static int map_guest_kernel(struct pd_state *state, const struct pd_mapping *mapping)
{
	struct pd_guest *guest = state->guest;
	const bool kernel = pd_mapping_begins(mapping, guest->kernel_name);
	const struct pd_dso_key key = {
		.kind = kernel ? PERFDATA_DSO_NONE : PERFDATA_DSO_MODULE, .pid = guest->pid, .guest = true,
		.filename = kernel ? guest->kernel_name : mapping->filename,
		.filename_size = kernel ? strlen(guest->kernel_name) : mapping->filename_size,
	};
	struct pd_map map = { .start = mapping->addr, .end = pd_mapping_end(mapping), .identity = true };
	if (!mapping->filename_size || (mapping->filename[0] != '/' && mapping->filename[0] != '['))
		return 0;
	if (kernel && !mapping->addr && !mapping->len)
		map.end = UINT64_MAX;
	map.dso = pd_dso_get(state, &key);
	if (map.dso == PERFDATA_NONE)
		return -1;
	pd_mapping_count(state, &map, mapping);
	return pd_kernel_maps_add(&state->store, &guest->kernel, &map, kernel);
}

static int map_record(struct pd_state *state, const struct pd_mapping *mapping)
{
	switch (mapping->cpumode) {
	case PERFDATA_CPUMODE_KERNEL:
		return map_kernel(state, mapping);
	case PERFDATA_CPUMODE_GUEST_KERNEL:
		return state->guest ? map_guest_kernel(state, mapping) : map_kernel(state, mapping);
	case PERFDATA_CPUMODE_GUEST_USER:
		/* perf would use the guest's files to name code of the host's process with that pid */
		return state->guest ? map_user(state, mapping) : 0;
	}
	return map_user(state, mapping);
}

static int on_mmap(struct pd_state *state, const struct perfdata_record *record)
{
	const struct perfdata_mmap *mmap = &record->u.mmap;
	struct pd_mapping mapping = {
		.pid = mmap->pid, .tid = mmap->tid, .addr = mmap->addr, .len = mmap->len, .pgoff = mmap->pgoff,
		.filename = text_of(mmap->filename), .filename_size = mmap->filename.size,
		.exec = !(record->misc & PERFDATA_MISC_MMAP_DATA), .cpumode = record->misc & PERFDATA_CPUMODE_MASK,
	};
	return map_record(state, &mapping);
}

static int on_mmap2(struct pd_state *state, const struct perfdata_record *record)
{
	const struct perfdata_mmap2 *mmap2 = &record->u.mmap2;
	const uint32_t prot_exec = 4, map_hugetlb = 0x40000, jit_map = 0x4000;
	struct pd_mapping mapping = {
		.pid = mmap2->pid, .tid = mmap2->tid, .addr = mmap2->addr, .len = mmap2->len, .pgoff = mmap2->pgoff,
		.filename = text_of(mmap2->filename), .filename_size = mmap2->filename.size,
		.exec = mmap2->prot & prot_exec, .hugetlb = mmap2->flags & map_hugetlb,
		.cpumode = record->misc & PERFDATA_CPUMODE_MASK, .jit = mmap2->prot & jit_map,
	};
	if (perfdata_mmap2_build_id(record, &mapping.build_id)) {
		if (mapping.build_id.size <= sizeof mapping.id_words && mapping.build_id.size)
			memcpy(mapping.id_words, mapping.build_id.data, mapping.build_id.size);
	} else {
		mapping.id_words[0] = (uint64_t)mmap2->maj << 32 | mmap2->min;
		mapping.id_words[1] = mmap2->ino;
		mapping.id_words[2] = mmap2->ino_generation;
		(void)pd_mmap2_false_build_id(record, &mapping.false_build_id);
	}
	return map_record(state, &mapping);
}

static int on_comm(struct pd_state *state, const struct perfdata_record *record)
{
	const struct perfdata_comm *comm = &record->u.comm;
	struct pd_thread *thread = pd_thread_get(state, comm->pid, comm->tid);
	if (!thread)
		return -1;
	/* exec removes the old program's maps (perf keeps them until other maps replace them). With pid 0 they stay:
	 * all tasks outside of a pid namespace share them, and only one of these called exec. */
	if (record->misc & PERFDATA_MISC_COMM_EXEC && !state->inside && comm->pid)
		pd_maps_exec(&state->store, thread->maps);
	return pd_thread_set_comm(state, thread, comm->comm.data, comm->comm.size);
}

static int on_ksymbol(struct pd_state *state, const struct perfdata_record *record)
{
	const struct perfdata_ksymbol *symbol = &record->u.ksymbol;
	const uint16_t unregister = 1;
	if (!symbol->len)
		return 0;
	if (symbol->flags & unregister) {
		const struct pd_map *map = pd_maps_find(&state->kernel, symbol->addr);
		if (!map || map->dso == state->kernel_dso)
			return 0;
		return pd_maps_remove(&state->store, &state->kernel, map->start);
	}
	struct pd_dso_key key = { .kind = PERFDATA_DSO_BPF, .filename = text_of(symbol->name),
				  .filename_size = symbol->name.size, .pid = -1 };
	struct pd_map map = { .start = symbol->addr, .end = symbol->addr + symbol->len };
	map.dso = pd_dso_get(state, &key);
	if (map.dso == PERFDATA_NONE)
		return -1;
	struct pd_dso *dso = pd_dso_at(state, map.dso);
	if (!dso->end) {
		dso->start = map.start;
		dso->end = map.end;
	}
	return pd_maps_insert(&state->store, &state->kernel, &map);
}

static int on_build_id(struct pd_state *state, const struct perfdata_record *record)
{
	const struct perfdata_build_id_record *id = &record->u.build_id;
	return pd_table_id_add(state, id->filename, id->build_id, id->pid, record->misc & PERFDATA_CPUMODE_MASK,
			       PERFDATA_BUILD_ID_RECORD);
}

int pd_state_record(struct pd_state *state, const struct perfdata_record *record)
{
	switch (record->type) {
	case PERFDATA_RECORD_MMAP:
		return on_mmap(state, record);
	case PERFDATA_RECORD_MMAP2:
		return on_mmap2(state, record);
	case PERFDATA_RECORD_COMM:
		return on_comm(state, record);
	case PERFDATA_RECORD_FORK:
		return pd_thread_fork(state, &record->u.task, !(record->misc & PERFDATA_MISC_FORK_EXEC));
	case PERFDATA_RECORD_EXIT: {
		struct pd_thread *thread = pd_thread_find(state, record->u.task.tid);
		return thread && !state->keep_exited ? pd_thread_exit(state, thread) : 0;
	}
	case PERFDATA_RECORD_ID_INDEX:
		return pd_guests_take(state, &record->u.id_index);
	case PERFDATA_RECORD_NAMESPACES:
		return state->guest ? 0 : pd_namespaces_take(state, &record->u.namespaces);
	case PERFDATA_RECORD_SIMPLEPERF_KERNEL_SYMBOL:
		if (!state->inside)
			return 0;
		if (pd_inside_take_kernel(state->inside, record->u.kernel_symbol.kallsyms) < 0)
			return -1;
		if (state->kernel_dso != PERFDATA_NONE)
			pd_inside_join_kernel(state, pd_dso_at(state, state->kernel_dso));
		return 0;
	case PERFDATA_RECORD_KSYMBOL:
		return on_ksymbol(state, record);
	case PERFDATA_RECORD_TEXT_POKE:
		return pd_code_changed(state, &record->u.text_poke);
	case PERFDATA_RECORD_BUILD_ID:
		return on_build_id(state, record);
	}
	return 0;
}
