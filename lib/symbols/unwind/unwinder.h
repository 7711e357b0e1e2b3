/* SPDX-License-Identifier: MIT */
/* The unwinder, for the files that walk stacks: unwind.c by rules, unwind_libdwfl.c by libdwfl. */
#ifndef PD_UNWINDER_H
#define PD_UNWINDER_H

#include "base/cursor.h"
#include "symbols/symbols.h"
#include "symbols/unwind/unwind.h"

#define PD_MAX_REGS 64
/* Most frames per address of the result: frames at address 0 add no address, and might never end. */
#define PD_FRAMES_OF_STEP 4u

/* A file in which an address was found, and the range of its addresses. */
struct pd_unwind_module {
	uint64_t start, end;
	uint64_t bias;                   /* address in memory minus virtual address in the file */
	struct perfdata_symbols_dso *dso;
	bool is_reported;                /* libdwfl knows it */
};

struct pd_unwind_modules {
	unsigned users;
	struct perfdata_symbols *symbols;
	const struct pd_unwind_machine *machine;
	enum perfdata_unwind_arch arch;
	size_t nr;
	struct pd_unwind_module list[];
};

/* How perf and DWARF number the registers of a machine. */
struct pd_unwind_machine {
	uint8_t ip, sp;           /* numbers of perf */
	uint8_t count;            /* entries of perf_of */
	uint8_t word;             /* size of an address in bytes */
	const uint8_t *perf_of;   /* DWARF number → perf's number */
	unsigned machine;         /* EM_… */
};

/* A word below the recorded stack: the innermost function popped it into a register, which still has the value. */
struct pd_popped { uint64_t address, word; };

struct perfdata_unwinder {
	struct perfdata_symbols *symbols;
	const struct pd_unwind_machine *machine;
	enum perfdata_unwind_arch arch;
	perfdata_unwind_find *find;
	void *user;
	struct Dwfl *dwfl;        /* NULL: libdwfl was not needed yet */
	bool attached;
	bool had_modules;         /* it had modules at some time, maybe before they were forgotten */
	struct pd_unwind_module *modules;   /* sorted by start */
	size_t nr_modules, modules_room;
	size_t last_module;       /* index of the module in which an address was found last */
	struct pd_unwind_modules *shared;   /* copy of `modules` for other threads; NULL: not yet needed */
	bool is_ahead;            /* it unwinds ahead of its turn: without further modules and libdwfl */
	bool needs_turn;          /* is_ahead, and the stack needs a further module or libdwfl */
	size_t nr_reported;
	bool only_libdwfl;        /* only tests set it, to compare libdwfl with the rules */
	bool by_libdwfl;          /* libdwfl is unwinding: modules are reported when found */
	bool overlap;             /* modules overlap: libdwfl decides which one has an address */
	/* the sample at hand */
	const struct perfdata_unwind_sample *sample;
	uint64_t ip, sp;
	uint64_t *pcs;
	size_t room, count;
	size_t nr_frames;
	bool is_cut;              /* the last frame's caller is above the recorded stack memory */
	bool is_beyond_libdwfl;   /* the stack has a frame of JIT code or of ARM's exception index */
	struct pd_popped popped[2];
	size_t nr_popped;
};

/* --- unwind_process.c --------------------------------------------------------------------------------------------- */

/* Returns the recorded value of a register of perf's number; false: it was not recorded. */
bool pd_unwinder_register(const struct perfdata_unwind_sample *sample, unsigned number, uint64_t *ret);
static inline uint64_t pd_unwinder_word(const uint8_t *bytes, size_t size)
{
	const bool swap = pd_order_is_foreign(PERFDATA_BYTE_ORDER_LITTLE);
	return size == 8 ? pd_load64(bytes, swap) : pd_load32(bytes, swap);
}
/* Returns the address of ARM code to which a return address leads: its lowest bit says that this is Thumb code. */
static inline uint64_t pd_unwinder_arm_code(uint64_t return_address) { return return_address & ~(uint64_t)1; }
/* Reads a word that is not in the recorded stack: a popped one, or one of a mapped file. */
bool pd_unwinder_read_elsewhere(struct perfdata_unwinder *u, uint64_t address, uint64_t *ret);
/* Reads a word of the process's memory. */
static inline bool pd_unwinder_read_word(struct perfdata_unwinder *u, uint64_t address, uint64_t *ret)
{
	const struct perfdata_bytes *stack = &u->sample->stack;
	const size_t size = u->machine->word;
	const uint64_t at = address - u->sp;
	if (address < u->sp || at >= stack->size || stack->size - at < size)
		return pd_unwinder_read_elsewhere(u, address, ret);
	*ret = pd_unwinder_word(stack->data + at, size);
	return true;
}
/* Adds the file that is mapped at an address to the modules if needed. false: the mapping has no usable file. */
bool pd_unwinder_take_map(struct perfdata_unwinder *u, uint64_t address);
/* Whether an address of a module is no code, so that no frame can be there: it is in no executable segment, and its
 * mapping does not continue that of the code. perf ends a stack before such an address, but shows other data. */
bool pd_unwinder_is_data(struct perfdata_unwinder *u, const struct pd_unwind_module *module, uint64_t address);
/* Finds the rule of a JIT compiler for an address in no file; false: there is none. */
bool pd_unwinder_find_jit_rule(struct perfdata_unwinder *u, uint64_t address, struct pd_rule *ret);
/* As pd_unwinder_find_module, but does not try the module that was found last. */
struct pd_unwind_module *pd_unwinder_search_module(struct perfdata_unwinder *u, uint64_t address);
/* Finds the module of an address. As in libdwfl, `end` belongs to a module, too, if no other module starts there. */
static inline struct pd_unwind_module *pd_unwinder_find_module(struct perfdata_unwinder *u, uint64_t address)
{
	struct pd_unwind_module *last = u->last_module < u->nr_modules ? &u->modules[u->last_module] : NULL;
	const bool is_there = last && last->start <= address && address <= last->end &&
			      (u->last_module + 1 == u->nr_modules || address < last[1].start);
	return is_there ? last : pd_unwinder_search_module(u, address);
}
/* Whether libdwfl can be used; counts a failure to load it. */
bool pd_unwinder_has_libdwfl(struct perfdata_unwinder *u);

/* --- unwind_dwfl_files.c, unwind_libdwfl.c: call these after pd_libdw_load succeeded ------------------------------ */

/* Reports to libdwfl all modules that it does not know yet; false: no memory. */
bool pd_dwfl_report_all(struct perfdata_unwinder *u);
/* Reports a module to libdwfl; false: libdwfl does not find the address in the module. */
bool pd_dwfl_report(struct perfdata_unwinder *u, struct pd_unwind_module *module, uint64_t address);
/* Whether a module that libdwfl knows contains the address. */
bool pd_dwfl_has_module(struct perfdata_unwinder *u, uint64_t address);
/* Unwinds the whole stack of the current sample by libdwfl. PERFDATA_ABSENT: no address was found; PERFDATA_ENOMEM. */
enum perfdata_status pd_dwfl_unwind(struct perfdata_unwinder *u);
/* Makes libdwfl forget all modules. */
void pd_dwfl_end(struct perfdata_unwinder *u);

#endif
