/* SPDX-License-Identifier: MIT */
/* The process whose stacks are unwound: its recorded registers, mapped files and memory. As in perf, a mapping is
 * loaded at the first address inside it. */
#include "config.h"
#include "symbols/unwind/unwinder.h"

#include <string.h>
#include "base/cursor.h"
#include "base/memory.h"
#include "base/search.h"
#include "symbols/answers/symbol_answers.h"
#include "symbols/elf/symbol_elf.h"
#include "symbols/unwind/unwind_rules.h"

#define MAX_MODULES 4096
/* The usual maximum size of stacks: an address farther above the stack pointer is not on the stack. */
#define MOST_STACK ((uint64_t)8 << 20)

/* --- registers: PERF_REG_<arch>_* numbers to DWARF numbers -------------------------------------------------------- */

/* perf: ax bx cx dx si di bp sp ip flags cs ss ds es fs gs r8…r15; DWARF: ax dx cx bx si di bp sp r8…r15 ip */
static const uint8_t x86_64_regs[] = { 0, 3, 2, 1, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23, 8 };
/* DWARF: ax cx dx bx sp bp si di ip */
static const uint8_t i386_regs[] = { 0, 2, 3, 1, 7, 6, 4, 5, 8 };
static const uint8_t arm_regs[] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15 };
static const uint8_t aarch64_regs[] = {
	0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15,
	16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31,
};

static const struct pd_unwind_machine machines[] = {
	[PERFDATA_UNWIND_X86_64] = { 8, 7, sizeof x86_64_regs, 8, x86_64_regs, EM_X86_64 },
	[PERFDATA_UNWIND_AARCH64] = { 32, 31, sizeof aarch64_regs, 8, aarch64_regs, EM_AARCH64 },
	[PERFDATA_UNWIND_I386] = { 8, 7, sizeof i386_regs, 4, i386_regs, EM_386 },
	[PERFDATA_UNWIND_ARM] = { 15, 13, sizeof arm_regs, 4, arm_regs, EM_ARM },
};

bool pd_unwinder_register(const struct perfdata_unwind_sample *sample, unsigned number, uint64_t *ret)
{
	if (number >= PD_MAX_REGS || !(sample->reg_mask >> number & 1))
		return false;
	*ret = sample->regs[__builtin_popcountll(sample->reg_mask & ((UINT64_C(1) << number) - 1))];
	return true;
}

/* --- files -------------------------------------------------------------------------------------------------------- */

/* Returns the virtual address in the file at which the loader begins to map it. The file must have segments. */
static uint64_t first_vaddr(const struct pd_elf *elf)
{
	const struct pd_segment *first = &elf->segments[0];
	return first->vaddr & -(first->align ? first->align : 1);
}

/* Computes the range of a file in memory from the segment that contains the address. */
static bool module_range(const struct pd_elf *elf, const struct perfdata_unwind_map *map, uint64_t address,
			 uint64_t *ret_start, uint64_t *ret_end)
{
	uint64_t vaddr, low, high = 0;
	if (!elf->segment_count || !pd_elf_vaddr(elf, address - map->start + map->pgoff, &vaddr))
		return false;
	low = first_vaddr(elf);
	for (size_t i = 0; i < elf->segment_count; i++) {
		uint64_t end = elf->segments[i].vaddr + elf->segments[i].memsz;
		high = end > high ? end : high;
	}
	*ret_start = address - vaddr + low;
	*ret_end = address - vaddr + high;
	return *ret_start <= address && address < *ret_end;
}

/* Returns how many modules start at or below an address. */
static size_t count_modules(const struct perfdata_unwinder *u, uint64_t address)
{
	size_t low;
	PD_COUNT_BEFORE(low, u->nr_modules, at, u->modules[at].start <= address);
	return low;
}

struct pd_unwind_module *pd_unwinder_search_module(struct perfdata_unwinder *u, uint64_t address)
{
	const size_t nr = count_modules(u, address);
	struct pd_unwind_module *module = nr ? &u->modules[nr - 1] : NULL;
	u->last_module = nr ? nr - 1 : 0;
	return module && address <= module->end ? module : NULL;
}

bool pd_unwinder_has_libdwfl(struct perfdata_unwinder *u)
{
	return !pd_symbols_note(u->symbols, pd_libdw_load(u->symbols));
}

static void forget_shared(struct perfdata_unwinder *u)
{
	pd_unwind_modules_drop(u->shared);
	u->shared = NULL;
}

/* Adds a module, in order. false: libdwfl does not find `address` in it, libdwfl is missing, or memory failed. */
static bool add_module(struct perfdata_unwinder *u, const struct pd_unwind_module *module, uint64_t address)
{
	forget_shared(u);
	const size_t at = count_modules(u, module->start);
	const bool overlaps = (at && u->modules[at - 1].end > module->start) ||
			      (at < u->nr_modules && u->modules[at].start < module->end);
	/* If modules overlap, libdwfl decides which one has an address, by the order in which they were reported. */
	if (overlaps && !pd_unwinder_has_libdwfl(u))
		return false;
	if (pd_vector_grow(&u->modules, &u->modules_room, u->nr_modules, sizeof *u->modules) < 0 ||
	    (overlaps && !pd_dwfl_report_all(u))) {
		(void)pd_symbols_note(u->symbols, PERFDATA_ENOMEM);
		return false;
	}
	u->overlap |= overlaps;
	memmove(&u->modules[at + 1], &u->modules[at], (u->nr_modules - at) * sizeof *u->modules);
	u->modules[at] = *module;
	u->nr_modules++;
	if (!u->overlap && !u->by_libdwfl)
		return true;
	return pd_dwfl_report(u, &u->modules[at], address);
}

/* Whether the file of a mapping may be used: a thread that unwinds ahead loads no file. */
static bool may_look_at(struct perfdata_unwinder *u, struct perfdata_symbols_dso *dso)
{
	u->needs_turn |= u->is_ahead && !pd_dso_knows_files(dso);
	return !u->needs_turn;
}

/* If an archive is mapped, makes *map the mapping of the library that has code at the address. */
static bool choose_library(struct perfdata_unwinder *u, uint64_t address, struct perfdata_unwind_map *map)
{
	const uint64_t in_archive = address - map->start + map->pgoff;
	uint64_t in_library = in_archive;
	if (!map->dso || !may_look_at(u, map->dso))
		return false;
	map->dso = pd_dso_of_entry(map->dso, &in_library);
	map->pgoff -= in_archive - in_library;
	return map->dso && may_look_at(u, map->dso);
}

bool pd_unwinder_take_map(struct perfdata_unwinder *u, uint64_t address)
{
	struct perfdata_unwind_map map = { 0 };
	struct pd_unwind_module module = { 0 };
	if (u->overlap ? pd_dwfl_has_module(u, address) : pd_unwinder_find_module(u, address) != NULL)
		return true;
	if (!u->find(u->user, address, &map))
		return true;
	if (!choose_library(u, address, &map) || u->nr_modules >= MAX_MODULES || !pd_dso_has_text(map.dso) ||
	    map.dso->text->header.e_machine != u->machine->machine ||
	    !module_range(map.dso->text, &map, address, &module.start, &module.end))
		return false;
	u->needs_turn = u->is_ahead;
	if (u->needs_turn)
		return false;
	module.bias = module.start - first_vaddr(map.dso->text);
	module.dso = map.dso;
	return add_module(u, &module, address);
}

bool pd_unwinder_is_data(struct perfdata_unwinder *u, const struct pd_unwind_module *module, uint64_t address)
{
	const struct pd_elf *elf = module->dso->text;
	const uint64_t vaddr = address - module->bias;
	struct perfdata_unwind_map map = { 0 };
	for (size_t i = 0; i < elf->segment_count; i++) {
		const struct pd_segment *s = &elf->segments[i];
		if (s->is_code && vaddr >= s->vaddr && vaddr - s->vaddr < s->memsz)
			return false;
	}
	return u->find(u->user, address, &map) && map.start - map.pgoff != module->start;
}

bool pd_unwinder_find_jit_rule(struct perfdata_unwinder *u, uint64_t address, struct pd_rule *ret)
{
	struct perfdata_unwind_map map = { 0 };
	if (u->overlap || !u->find(u->user, address, &map) || !map.jit || !may_look_at(u, map.jit) ||
	    pd_dso_wait_loaded(map.jit) || (!map.jit->answers && map.jit->jit.machine != u->machine->machine))
		return false;
	return pd_jit_rule_find(map.jit, address, u->sample->time, ret);
}

/* --- memory ------------------------------------------------------------------------------------------------------- */

/* Reads a word from the file that is mapped at an address. */
static bool read_file(struct perfdata_unwinder *u, uint64_t address, size_t size, uint64_t *ret)
{
	struct perfdata_unwind_map map = { 0 };
	uint8_t bytes[8];
	if (!u->find(u->user, address, &map) || !choose_library(u, address, &map) || !pd_dso_has_text(map.dso))
		return false;
	const uint64_t offset = address - map.start + map.pgoff;
	if (map.dso->answers)
		return pd_answers_word(map.dso, offset, ret);
	if (!pd_elf_read(map.dso->text, offset, bytes, size))
		return false;
	*ret = pd_unwinder_word(bytes, size);
	pd_asked_word(map.dso, offset, *ret);
	return true;
}

bool pd_unwinder_read_elsewhere(struct perfdata_unwinder *u, uint64_t address, uint64_t *ret)
{
	for (size_t i = 0; i < u->nr_popped; i++)
		if (u->popped[i].address == address) {
			*ret = u->popped[i].word;
			return true;
		}
	if (read_file(u, address, u->machine->word, ret))
		return true;
	u->is_cut |= address >= u->sp && address - u->sp < MOST_STACK;
	return false;
}

enum perfdata_status pd_unwinder_new(struct perfdata_symbols *symbols, enum perfdata_unwind_arch arch,
				     perfdata_unwind_find *find, void *user, struct perfdata_unwinder **ret)
{
	if (arch > PERFDATA_UNWIND_ARM || !find)
		return PERFDATA_EUSAGE;
	struct perfdata_unwinder *u = pd_calloc(1, sizeof *u);
	if (!u)
		return PERFDATA_ENOMEM;
	u->symbols = symbols;
	u->arch = arch;
	u->machine = &machines[arch];
	u->find = find;
	u->user = user;
	*ret = u;
	return PERFDATA_OK;
}

static void reset_unwinder(struct perfdata_unwinder *u)
{
	pd_dwfl_end(u);
	forget_shared(u);
	u->overlap = false;
	u->nr_modules = 0;
}

/* Whether anonymous memory in the range of a module replaces nothing of its file: it is zeroed data (.bss), or lies
 * between segments, where qemu-user reserves memory. */
static bool is_beside_file(const struct perfdata_unwind_map *map, const struct pd_unwind_module *module)
{
	const struct pd_elf *elf = module->dso->text;
	const uint64_t base = module->start - first_vaddr(elf);
	for (size_t i = 0; i < elf->segment_count; i++) {
		const struct pd_segment *s = &elf->segments[i];
		if (map->start < base + s->vaddr + s->filesz && map->end > base + s->vaddr)
			return false;
	}
	return true;
}

/* Whether a mapping belongs to a module. A loader first maps the whole file, then the segments over it, which leaves
 * parts of the first mapping between segments. In the file, two adjoining segments may share a page, so an address at
 * the edge of a mapping may seem to belong to the other segment: test three addresses. */
static bool is_of_module(const struct perfdata_unwind_map *map, const struct pd_unwind_module *module)
{
	const uint64_t addresses[] = { map->start + (map->end - map->start) / 2, map->end - 1, map->start };
	uint64_t start, end;
	bool ret = map->dso == module->dso && map->start - map->pgoff == module->start;
	for (size_t i = 0; i < sizeof addresses / sizeof *addresses && map->dso == module->dso && !ret; i++)
		ret = module_range(map->dso->text, map, addresses[i], &start, &end) && start == module->start;
	return ret;
}

/* As is_of_module, for a mapping that may be of an archive. No module is of a file that is not known. */
static bool is_library_of(struct perfdata_unwinder *u, struct perfdata_unwind_map *map,
			  const struct pd_unwind_module *module)
{
	const bool is_known = map->dso && pd_dso_knows_files(map->dso);
	return (!is_known || choose_library(u, map->start, map)) && is_of_module(map, module);
}

/* Whether the file of a module is still mapped at the same place. */
static bool module_holds(struct perfdata_unwinder *u, const struct pd_unwind_module *module, pd_unwind_next *next)
{
	struct perfdata_unwind_map map = { 0 };
	uint64_t at = module->start;
	bool is_file;
	for (; next(u->user, at, &map, &is_file) && map.start < module->end; at = map.end)
		if (is_file ? !is_library_of(u, &map, module) : !is_beside_file(&map, module))
			return false;
	return at != module->start;
}

void pd_unwinder_check(struct perfdata_unwinder *u, uint64_t low, uint64_t high, pd_unwind_next *next)
{
	pd_monitor_enter(u->symbols->unwind_lock);
	for (size_t i = 0; i < u->nr_modules; i++)
		if (u->modules[i].start < high && u->modules[i].end > low && !module_holds(u, &u->modules[i], next)) {
			reset_unwinder(u);
			break;
		}
	pd_monitor_leave(u->symbols->unwind_lock);
}

void pd_unwinder_free(struct perfdata_unwinder *unwinder)
{
	if (!unwinder)
		return;
	pd_monitor_enter(unwinder->symbols->unwind_lock);
	reset_unwinder(unwinder);
	pd_monitor_leave(unwinder->symbols->unwind_lock);
	pd_free(unwinder->modules);
	pd_free(unwinder);
}

/* --- for other threads -------------------------------------------------------------------------------------------- */

struct pd_unwind_modules *pd_unwinder_modules(struct perfdata_unwinder *u)
{
	struct pd_rule_registers numbers;
	if (!u->nr_modules || u->overlap || u->only_libdwfl || !pd_rule_registers_of(u->machine->machine, &numbers))
		return NULL;
	if (!u->shared) {
		const size_t size = u->nr_modules * sizeof *u->modules;
		u->shared = pd_malloc(sizeof *u->shared + size);
		if (!u->shared)
			return NULL;
		*u->shared = (struct pd_unwind_modules){
			.users = 1, .symbols = u->symbols, .machine = u->machine, .arch = u->arch, .nr = u->nr_modules,
		};
		memcpy(u->shared->list, u->modules, size);
	}
	u->shared->users++;
	return u->shared;
}

void pd_unwind_modules_drop(struct pd_unwind_modules *modules)
{
	if (modules && !--modules->users)
		pd_free(modules);
}

bool pd_unwinder_agrees(const struct perfdata_unwinder *u, const struct pd_unwind_modules *modules)
{
	return u->shared == modules && !atomic_load_explicit(&u->symbols->some_rules_are_beyond, memory_order_relaxed);
}
