/* SPDX-License-Identifier: MIT */
/* User stacks from recorded registers and stack memory: by the rules of the files (unwind_rules.c); if a frame needs
 * another kind of rule, libdwfl unwinds the whole stack, with our callbacks for files and memory. Both find the same
 * steps. As in perf, a mapping is loaded at the first address inside it, and all addresses but the first are moved back
 * by one, into the call. Without libdwfl the stack ends at that frame. */
#include "config.h"
#include "symbols/unwind/unwinder.h"

#include <errno.h>
#include <string.h>
#include "base/cursor.h"
#include "base/memory.h"
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

/* The address at which the loader begins to map a file, before the file is moved; it has segments. */
static uint64_t first_vaddr(const struct pd_elf *elf)
{
	const struct pd_segment *first = &elf->segments[0];
	return first->vaddr & -(first->align ? first->align : 1);
}

/* The range of a file in memory, by the segment that has the address. */
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

/* How many modules start at or below an address. */
static size_t count_modules(const struct perfdata_unwinder *u, uint64_t address)
{
	size_t low = 0, high = u->nr_modules;
	while (low < high) {
		const size_t middle = low + (high - low) / 2;
		if (u->modules[middle].start <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* The module of an address, as libdwfl sees it: its end belongs to it too, unless another one starts there. */
static struct pd_unwind_module *module_of(const struct perfdata_unwinder *u, uint64_t address)
{
	const size_t nr = count_modules(u, address);
	struct pd_unwind_module *module = nr ? &u->modules[nr - 1] : NULL;
	return module && address <= module->end ? module : NULL;
}

/* Puts a module among the others. false: it has not the address, by which it was found, or memory failed. */
static bool has_libdwfl(struct perfdata_unwinder *u) { return !pd_symbols_note(u->symbols, pd_libdw_load()); }

static bool add_module(struct perfdata_unwinder *u, const struct pd_unwind_module *module, uint64_t address)
{
	const size_t at = count_modules(u, module->start);
	const bool overlaps = (at && u->modules[at - 1].end > module->start) ||
			      (at < u->nr_modules && u->modules[at].start < module->end);
	/* libdwfl decides by the order which one has an address; the order of the others does not matter */
	if (overlaps && !has_libdwfl(u))
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

bool pd_unwinder_take_map(struct perfdata_unwinder *u, uint64_t address)
{
	struct perfdata_unwind_map map = { 0 };
	struct pd_unwind_module module = { 0 };
	if (u->overlap ? pd_dwfl_has_module(u, address) : module_of(u, address) != NULL)
		return true;
	if (!u->find(u->user, address, &map))
		return true;
	if (!map.dso || u->nr_modules >= MAX_MODULES || !pd_dso_has_text(map.dso) ||
	    map.dso->text->header.e_machine != u->machine->machine ||
	    !module_range(map.dso->text, &map, address, &module.start, &module.end))
		return false;
	module.bias = module.start - first_vaddr(map.dso->text);
	module.dso = map.dso;
	return add_module(u, &module, address);
}

/* --- memory ------------------------------------------------------------------------------------------------------- */

static bool read_file(struct perfdata_unwinder *u, uint64_t address, void *out, size_t size)
{
	struct perfdata_unwind_map map = { 0 };
	return u->find(u->user, address, &map) && map.dso && pd_dso_has_text(map.dso) &&
	       pd_elf_read(map.dso->text, address - map.start + map.pgoff, out, size);
}

bool pd_unwinder_read_word(struct perfdata_unwinder *u, uint64_t address, uint64_t *ret)
{
	const struct perfdata_bytes *stack = &u->sample->stack;
	size_t size = u->machine->word;
	const bool swap = pd_order_is_foreign(PERFDATA_BYTE_ORDER_LITTLE);
	uint8_t bytes[8] = { 0 };
	if (address >= u->sp && address - u->sp < stack->size && stack->size - (address - u->sp) >= size) {
		memcpy(bytes, stack->data + (address - u->sp), size);
	} else if (!read_file(u, address, bytes, size)) {
		u->is_cut |= address >= u->sp && address - u->sp < MOST_STACK;
		return false;
	}
	*ret = size == 8 ? pd_load64(bytes, swap) : pd_load32(bytes, swap);
	return true;
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

static void reset(struct perfdata_unwinder *u)
{
	pd_dwfl_end(u);
	u->overlap = false;
	u->nr_modules = 0;
}

void pd_unwinder_reset(struct perfdata_unwinder *unwinder)
{
	pd_monitor_enter(unwinder->symbols->unwind_lock);
	reset(unwinder);
	pd_monitor_leave(unwinder->symbols->unwind_lock);
}

/* Whether anonymous memory is the zeroed data (.bss) of a module. */
static bool is_zeroed_data(const struct perfdata_unwind_map *map, const struct pd_unwind_module *module)
{
	const struct pd_elf *elf = module->dso->text;
	const uint64_t base = module->start - first_vaddr(elf);
	for (size_t i = 0; i < elf->segment_count; i++) {
		const struct pd_segment *s = &elf->segments[i];
		const uint64_t page = s->align ? s->align : 1;
		if (map->start >= base + s->vaddr + s->filesz &&
		    map->end <= base + ((s->vaddr + s->memsz + page - 1) & -page))
			return true;
	}
	return false;
}

/* Whether a mapping belongs to a module. A loader maps the whole file first, from its beginning, and the segments over
 * it; between them, parts of the first mapping are left. In the file, the pages of two segments may overlap where one
 * ends and the next begins; so an address at the edge of a mapping may seem to belong to the other segment. */
static bool is_of_module(const struct perfdata_unwind_map *map, const struct pd_unwind_module *module)
{
	const uint64_t addresses[] = { map->start + (map->end - map->start) / 2, map->end - 1, map->start };
	uint64_t start, end;
	bool ret = map->dso == module->dso && map->start - map->pgoff == module->start;
	for (size_t i = 0; i < sizeof addresses / sizeof *addresses && map->dso == module->dso && !ret; i++)
		ret = module_range(map->dso->text, map, addresses[i], &start, &end) && start == module->start;
	return ret;
}

/* Whether everything that is mapped in the range of a module is still its file, in the same place. */
static bool holds(const struct perfdata_unwinder *u, const struct pd_unwind_module *module, pd_unwind_next *next)
{
	struct perfdata_unwind_map map = { 0 };
	uint64_t at = module->start;
	bool is_file;
	for (; next(u->user, at, &map, &is_file) && map.start < module->end; at = map.end)
		if (is_file ? !is_of_module(&map, module) : !is_zeroed_data(&map, module))
			return false;
	return at != module->start;
}

void pd_unwinder_check(struct perfdata_unwinder *u, pd_unwind_next *next)
{
	pd_monitor_enter(u->symbols->unwind_lock);
	for (size_t i = 0; i < u->nr_modules; i++)
		if (!holds(u, &u->modules[i], next)) {
			reset(u);
			break;
		}
	pd_monitor_leave(u->symbols->unwind_lock);
}

void pd_unwinder_free(struct perfdata_unwinder *unwinder)
{
	if (!unwinder)
		return;
	pd_unwinder_reset(unwinder);
	pd_free(unwinder->modules);
	pd_free(unwinder);
}

/* --- by rules ----------------------------------------------------------------------------------------------------- */

/* A value that was not in the memory at hand is unknown. */
struct value {
	uint64_t is;
	bool known;
};

struct frame {
	uint64_t pc, sp;
	struct value fp, kept, lr;   /* lr: the return address; at first aarch64's register */
};

/* User space has addresses of 48 bits; above them is the signature. */
static uint64_t strip_signature(uint64_t address) { return address & (((uint64_t)1 << 48) - 1); }

enum step { CALLER, END, LIBDWFL };

static void take_value(struct perfdata_unwinder *u, uint64_t cfa, enum pd_rule_place place, int32_t at,
		       struct value *value)
{
	if (place == PD_RULE_AT_CFA)
		value->known = pd_unwinder_read_word(u, cfa + (uint64_t)(int64_t)at, &value->is);
	else if (place == PD_RULE_UNKNOWN)
		value->known = false;
}

/* Goes to the caller's frame. */
static enum step take_caller(struct perfdata_unwinder *u, const struct pd_rule *rule, struct frame *f)
{
	const struct value sp = { f->sp, true }, *bases[] = { &sp, &f->fp, &f->kept }, *base = bases[rule->base];
	if (!base->known)
		return rule->base == PD_RULE_FROM_KEPT ? LIBDWFL : END;
	const uint64_t cfa = base->is + (uint64_t)(int64_t)rule->cfa;
	take_value(u, cfa, rule->return_address, rule->return_address_at, &f->lr);
	take_value(u, cfa, rule->fp, rule->fp_at, &f->fp);
	take_value(u, cfa, rule->kept, rule->kept_at, &f->kept);
	f->sp = cfa;
	f->pc = rule->is_signed ? strip_signature(f->lr.is) : f->lr.is;
	return f->lr.known && f->pc ? CALLER : END;
}

/* The same where no file says anything of the code: by the frame pointer, as libdwfl does. */
static enum step take_caller_by_fp(struct perfdata_unwinder *u, struct frame *f)
{
	const uint64_t sp = f->sp, fp = f->fp.known ? f->fp.is : 0;
	if (!fp || !pd_unwinder_read_word(u, fp, &f->fp.is) || !pd_unwinder_read_word(u, fp + 8, &f->pc))
		return END;
	f->sp = fp + 16;
	f->kept.known = false;
	return f->sp > sp ? CALLER : END;
}

static struct pd_rule rule_at(const struct pd_unwind_module *module, uint64_t address)
{
	return module ? pd_rule_find(module->dso, address - module->bias) : (struct pd_rule){ .kind = PD_RULE_NONE };
}

static enum step step(struct perfdata_unwinder *u, struct frame *f, bool is_first)
{
	const uint64_t address = f->pc - !is_first;
	u->is_cut = false;
	if (!is_first)
		(void)pd_unwinder_take_map(u, f->pc);
	const struct pd_unwind_module *module = module_of(u, address);
	/* at the edge of two files, libdwfl takes the next one into account too late */
	if (u->overlap || (!is_first && module != module_of(u, f->pc)))
		return LIBDWFL;
	if (!module && !pd_unwinder_take_map(u, address))
		return END;
	const struct pd_rule rule = rule_at(module, address);
	if (u->overlap || (!module && module_of(u, address)))
		return LIBDWFL;
	if (address)
		u->pcs[u->count++] = address;
	switch (rule.kind) {
	case PD_RULE_END: return END;
	case PD_RULE_FRAME_OF_LEAF:
		if (!is_first)
			return LIBDWFL;
		/* fall through */
	case PD_RULE_FRAME: return take_caller(u, &rule, f);
	case PD_RULE_NONE: return u->arch == PERFDATA_UNWIND_X86_64 ? take_caller_by_fp(u, f) : LIBDWFL;
	case PD_RULE_LIBDWFL: return LIBDWFL;
	}
	return LIBDWFL;
}

/* false: libdwfl has to unwind the stack. */
static bool walk(struct perfdata_unwinder *u, struct frame *f)
{
	for (size_t n = 0; n < PD_FRAMES_OF_STEP * u->room && u->count < u->room; n++) {
		const enum step next = step(u, f, !n);
		if (next != CALLER)
			return next == END;
	}
	return true;
}

/* The recorded value of a register; registers that were not recorded are 0, as for libdwfl. */
static struct value recorded(const struct perfdata_unwinder *u, unsigned dwarf_number)
{
	struct value value = { 0, true };
	(void)pd_unwinder_register(u->sample, u->machine->perf_of[dwarf_number], &value.is);
	return value;
}

/* false: libdwfl has to unwind the stack. */
static bool unwind_by_rules(struct perfdata_unwinder *u)
{
	struct pd_rule_registers numbers;
	if (!pd_rule_registers_of(u->machine->machine, &numbers) || u->overlap || u->only_libdwfl)
		return false;
	struct frame f = { .pc = u->ip, .sp = u->sp, .fp = recorded(u, numbers.fp), .kept = recorded(u, numbers.kept) };
	if (u->arch == PERFDATA_UNWIND_AARCH64)
		f.lr = recorded(u, numbers.return_address);
	return walk(u, &f);
}

/* --- a stack ------------------------------------------------------------------------------------------------------ */

void pd_unwinder_use_libdwfl(struct perfdata_unwinder *unwinder) { unwinder->only_libdwfl = true; }

bool pd_unwinder_was_cut(const struct perfdata_unwinder *unwinder) { return unwinder->is_cut; }

size_t pd_unwinder_left_to_libdwfl(const struct perfdata_unwinder *unwinder) { return unwinder->nr_by_libdwfl; }

static enum perfdata_status unwind(struct perfdata_unwinder *u)
{
	if (!pd_unwinder_take_map(u, u->ip))
		return PERFDATA_ABSENT;
	/* libdwfl takes the machine from the first file, so there must be one. As perf, which keeps its state when a
	 * process executes another program: then only this address is known. */
	if (!u->nr_modules && !u->had_modules)
		return PERFDATA_ABSENT;
	u->had_modules = true;
	if (!u->nr_modules) {
		u->pcs[u->count++] = u->ip;
		return PERFDATA_OK;
	}
	if (!unwind_by_rules(u) && has_libdwfl(u))
		return pd_dwfl_unwind(u);
	return u->count ? PERFDATA_OK : PERFDATA_ABSENT;
}

enum perfdata_status pd_unwind_stack(struct perfdata_unwinder *unwinder, const struct perfdata_unwind_sample *sample,
				     uint64_t *pcs, size_t room, size_t *ret_count)
{
	struct perfdata_unwinder *u = unwinder;
	const struct pd_unwind_machine *machine = u->machine;
	if (!room || !sample->regs || !pd_unwinder_register(sample, machine->ip, &u->ip) ||
	    !pd_unwinder_register(sample, machine->sp, &u->sp))
		return PERFDATA_ABSENT;
	u->sample = sample;
	u->pcs = pcs;
	u->room = room;
	u->count = 0;
	u->is_cut = false;
	const size_t before = pd_symbols_failed(u->symbols);
	errno = 0;
	enum perfdata_status status = unwind(u);
	/* libdwfl reports no failed allocation: the stack seems to end there */
	if (errno == ENOMEM)
		status = pd_symbols_note(u->symbols, PERFDATA_ENOMEM);
	else if (pd_symbols_failed(u->symbols) != before)
		status = pd_symbols_failure(u->symbols);
	u->sample = NULL;
	if (!status)
		*ret_count = u->count;
	return status;
}
