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
	const uint64_t *regs;         /* a value for each set bit, lowest bit first */
	/* copy of the stack from the stack pointer on, in the byte order of the process; may be empty */
	struct perfdata_bytes stack;
	uint64_t time;                /* in ns; selects the code of a JIT compiler at an address */
};

/* Makes an unwinder for one process (one set of mappings); free it before `symbols`. PERFDATA_EUSAGE: no `find`, or an
 * unknown arch. PERFDATA_ENOMEM. */
enum perfdata_status pd_unwinder_new(struct perfdata_symbols *symbols, enum perfdata_unwind_arch arch,
				     perfdata_unwind_find *find, void *user, struct perfdata_unwinder **ret);
void pd_unwinder_free(struct perfdata_unwinder *unwinder);

/* Unwinds a user stack into at most `room` addresses, innermost first, as perf shows them: the first is the instruction
 * pointer, each other one is a return address minus one, which lies inside the call. If unwinding cannot continue, the
 * result is PERFDATA_OK with the *ret_count addresses so far, at least the first. PERFDATA_ABSENT: registers are
 * missing, or a process has nothing mapped at the instruction pointer of its first stack; later stacks of this kind
 * consist of the instruction pointer. */
enum perfdata_status pd_unwind_stack(struct perfdata_unwinder *unwinder, const struct perfdata_unwind_sample *sample,
				     uint64_t *pcs, size_t room, size_t *ret_count);

/* Finds the lowest mapping that ends above an address; false: none. ret->dso may be NULL for a file not yet used. */
typedef bool pd_unwind_next(void *user, uint64_t address, struct perfdata_unwind_map *ret, bool *ret_is_file);
/* Call it when the mappings of the process have changed, all of them in [low, high). It forgets the files, which take
 * long to read, only if another mapping took the place of one of them. `next` gets the unwinder's `user`. */
void pd_unwinder_check(struct perfdata_unwinder *unwinder, uint64_t low, uint64_t high, pd_unwind_next *next);

/* Whether the last stack ended where its next frame is above the recorded stack memory. */
bool pd_unwinder_was_cut(const struct perfdata_unwinder *unwinder);
/* A copy of the list of files that an unwinder has met so far; it never changes, so any thread can read it. */
struct pd_unwind_modules;
/* Returns a reference to the list; NULL: there are no files yet, stacks need libdwfl, or memory failed. */
struct pd_unwind_modules *pd_unwinder_modules(struct perfdata_unwinder *unwinder);
/* Drops a reference, in the thread of the unwinder; ignores NULL. */
void pd_unwind_modules_drop(struct pd_unwind_modules *modules);
/* Whether the unwinder would still find the stacks that were unwound with this list. */
bool pd_unwinder_agrees(const struct perfdata_unwinder *unwinder, const struct pd_unwind_modules *modules);
/* As pd_unwind_stack, in any thread, with only the files of the list. `find` must not load files. false: the stack
 * needs further files or libdwfl, and has to be unwound in its turn. */
bool pd_unwind_ahead(struct pd_unwind_modules *modules, perfdata_unwind_find *find, void *user,
		     const struct perfdata_unwind_sample *sample, uint64_t *pcs, size_t room, size_t *ret_count,
		     bool *ret_cut);

#endif
