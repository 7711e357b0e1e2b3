/* SPDX-License-Identifier: MIT */
/* An unwinder, for the files that walk stacks: unwind.c by the rules of files, unwind_libdwfl.c by libdwfl. */
#ifndef PD_UNWINDER_H
#define PD_UNWINDER_H

#include "base/cursor.h"
#include "symbols/symbols.h"
#include "symbols/unwind/unwind.h"

#define PD_MAX_REGS 64
/* Frames that give no step, at address 0, would otherwise never end. */
#define PD_FRAMES_OF_STEP 4u

/* A file that an address was met in, and the addresses that belong to it. */
struct pd_unwind_module {
	uint64_t start, end;
	uint64_t bias;                   /* of addresses in memory, against the file's own */
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

/* Registers of a machine: how perf and DWARF number them. */
struct pd_unwind_machine {
	uint8_t ip, sp;           /* perf's numbers */
	uint8_t count;            /* of DWARF registers that are set */
	uint8_t word;             /* bytes */
	const uint8_t *perf_of;   /* DWARF number → perf's number */
	unsigned machine;         /* EM_… */
};

struct perfdata_unwinder {
	struct perfdata_symbols *symbols;
	const struct pd_unwind_machine *machine;
	enum perfdata_unwind_arch arch;
	perfdata_unwind_find *find;
	void *user;
	struct Dwfl *dwfl;        /* NULL: nothing was left to libdwfl yet */
	bool attached;
	bool had_modules;         /* at some time, also before a reset */
	struct pd_unwind_module *modules;   /* by their start */
	size_t nr_modules, modules_room;
	size_t last_module;       /* the one in which an address was found last */
	struct pd_unwind_modules *shared;   /* the same for other threads; NULL: nobody asked since the last change */
	bool is_ahead;            /* of its turn: it takes no further modules, and no libdwfl */
	bool needs_turn;          /* is_ahead, and the stack needs one of these */
	size_t nr_reported;
	bool only_libdwfl;        /* only tests set it, to compare libdwfl with the rules */
	bool by_libdwfl;          /* it unwinds now: each module is reported as it is found */
	bool overlap;             /* modules do: libdwfl decides which one has an address */
	/* the sample at hand */
	const struct perfdata_unwind_sample *sample;
	uint64_t ip, sp;
	uint64_t *pcs;
	size_t room, count;
	size_t nr_frames;
	bool is_cut;              /* the last frame's caller is above the memory that was recorded */
	bool has_jit;             /* frames of a JIT compiler's code, which libdwfl cannot pass */
};

/* --- unwind_process.c --------------------------------------------------------------------------------------------- */

/* The recorded value of a register, by perf's number. false: it was not recorded. */
bool pd_unwinder_register(const struct perfdata_unwind_sample *sample, unsigned number, uint64_t *ret);
static inline uint64_t pd_unwinder_word(const uint8_t *bytes, size_t size)
{
	const bool swap = pd_order_is_foreign(PERFDATA_BYTE_ORDER_LITTLE);
	return size == 8 ? pd_load64(bytes, swap) : pd_load32(bytes, swap);
}
/* A word that is not in the recorded stack, from a mapped file. */
bool pd_unwinder_read_elsewhere(struct perfdata_unwinder *u, uint64_t address, uint64_t *ret);
/* A word of the process's memory, from the recorded stack or a mapped file. */
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
/* Takes the mapping of an address, unless it was. false: there is a mapping, but no file that can be used. */
bool pd_unwinder_take_map(struct perfdata_unwinder *u, uint64_t address);
/* The rule of a JIT compiler for an address that is in no file. false: there is none. */
bool pd_unwinder_find_jit_rule(struct perfdata_unwinder *u, uint64_t address, struct pd_rule *ret);
/* As pd_unwinder_find_module, where the address is not in the module that was found last. */
struct pd_unwind_module *pd_unwinder_search_module(struct perfdata_unwinder *u, uint64_t address);
/* The module of an address, as libdwfl sees it: its end belongs to it too, unless another one starts there. */
static inline struct pd_unwind_module *pd_unwinder_find_module(struct perfdata_unwinder *u, uint64_t address)
{
	struct pd_unwind_module *last = u->last_module < u->nr_modules ? &u->modules[u->last_module] : NULL;
	const bool is_there = last && last->start <= address && address <= last->end &&
			      (u->last_module + 1 == u->nr_modules || address < last[1].start);
	return is_there ? last : pd_unwinder_search_module(u, address);
}
/* Whether libdwfl is there; a failure to load it is counted. */
bool pd_unwinder_has_libdwfl(struct perfdata_unwinder *u);

/* --- unwind_dwfl_files.c, unwind_libdwfl.c: call these after pd_libdw_load succeeded ------------------------------ */

/* Reports all modules that libdwfl does not know yet. false: without memory. */
bool pd_dwfl_report_all(struct perfdata_unwinder *u);
/* Reports a module. false: libdwfl does not find the address in it. */
bool pd_dwfl_report(struct perfdata_unwinder *u, struct pd_unwind_module *module, uint64_t address);
/* Whether a module that was reported has the address. */
bool pd_dwfl_has_module(struct perfdata_unwinder *u, uint64_t address);
/* Walks the whole stack of the sample at hand. PERFDATA_ABSENT: no step was found; PERFDATA_ENOMEM. */
enum perfdata_status pd_dwfl_unwind(struct perfdata_unwinder *u);
/* Forgets all modules. */
void pd_dwfl_end(struct perfdata_unwinder *u);

#endif
