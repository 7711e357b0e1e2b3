/* SPDX-License-Identifier: MIT */
/* User stacks from recorded registers and stack memory. */
#ifndef PD_UNWIND_H
#define PD_UNWIND_H

#include "perfdata/symbols.h"

/* A mapping of the process at the time of the sample. */
struct perfdata_unwind_map {
	uint64_t start, end, pgoff;
	struct perfdata_symbols_dso *dso;  /* NULL: anonymous memory, where unwinding ends */
	struct perfdata_symbols_dso *jit;  /* the jitdump file that describes code in anonymous memory; or NULL */
};

/* Finds the mapping of an address; false: none. */
typedef bool perfdata_unwind_find(void *user, uint64_t address, struct perfdata_unwind_map *ret);

enum perfdata_unwind_arch {
	PERFDATA_UNWIND_X86_64,
	PERFDATA_UNWIND_AARCH64,
	PERFDATA_UNWIND_I386,
	PERFDATA_UNWIND_ARM
};

struct perfdata_unwinder;

/* A sample's user registers and stack. */
struct perfdata_unwind_sample {
	uint64_t reg_mask;            /* perf_event_attr.sample_regs_user: PERF_REG_<arch>_* numbers */
	const uint64_t *regs;         /* one for each set bit, from the lowest */
	/* copied stack, from the stack pointer on; byte order of the process; may be empty */
	struct perfdata_bytes stack;
	uint64_t time;                /* ns: which code of a JIT compiler was there */
};

/* An unwinder for one process (one set of mappings); free it before `symbols`. PERFDATA_EUNSUP: built without
 * elfutils. */
enum perfdata_status pd_unwinder_new(struct perfdata_symbols *symbols, enum perfdata_unwind_arch arch,
				     perfdata_unwind_find *find, void *user, struct perfdata_unwinder **ret);
void pd_unwinder_free(struct perfdata_unwinder *unwinder);

/* The return addresses of a user stack, innermost first, as perf gives them: the first is the instruction pointer, the
 * others are one less than the address returned to, so that they lie inside the call. Writes at most `room`. Where
 * unwinding cannot continue, the addresses so far are the result: PERFDATA_OK with *ret_count entries, at least the
 * first. PERFDATA_ABSENT: registers are missing, or the first stack of a process has nothing mapped at the instruction
 * pointer; for later stacks, that address alone is the result. */
enum perfdata_status pd_unwind_stack(struct perfdata_unwinder *unwinder, const struct perfdata_unwind_sample *sample,
				     uint64_t *pcs, size_t room, size_t *ret_count);

/* The lowest mapping that ends above an address; false: none. `dso` is NULL also where nobody asked for it yet. */
typedef bool pd_unwind_next(void *user, uint64_t address, struct perfdata_unwind_map *ret, bool *ret_is_file);
/* Call it when the mappings of the process have changed. It drops the data of files, which takes long to read, only if
 * another mapping took the place of a file. `user` is the unwinder's. */
void pd_unwinder_check(struct perfdata_unwinder *unwinder, pd_unwind_next *next);

/* Whether the last stack continued above the recorded stack memory. */
bool pd_unwinder_was_cut(const struct perfdata_unwinder *unwinder);
/* The files that an unwinder has met so far: a list that never changes, so that any thread can read it. */
struct pd_unwind_modules;
/* Takes a reference. NULL: the unwinder has no files yet, needs libdwfl for its stacks, or memory failed. */
struct pd_unwind_modules *pd_unwinder_modules(struct perfdata_unwinder *unwinder);
/* Gives it back; only the thread of the unwinder does. NULL is fine. */
void pd_unwind_modules_drop(struct pd_unwind_modules *modules);
/* Whether a stack that was unwound with this list is what the unwinder would find now. */
bool pd_unwinder_agrees(const struct perfdata_unwinder *unwinder, const struct pd_unwind_modules *modules);
/* As pd_unwind_stack, in any thread, with this list alone. `find` must leave the files as they are. false: the stack
 * needs more than that, and has to be unwound in its turn. */
bool pd_unwind_ahead(struct pd_unwind_modules *modules, perfdata_unwind_find *find, void *user,
		     const struct perfdata_unwind_sample *sample, uint64_t *pcs, size_t room, size_t *ret_count,
		     bool *ret_cut);

#endif
