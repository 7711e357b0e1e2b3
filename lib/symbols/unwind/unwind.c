/* SPDX-License-Identifier: MIT */
/* Unwinds user stacks from recorded registers and stack memory, by the rules of the files (unwind_rules.c). If a frame
 * needs a rule of another form, libdwfl unwinds the whole stack, with our callbacks for files and memory; without
 * libdwfl the stack ends at this frame. Rules and libdwfl find the same steps. As in perf, a mapping is loaded at the
 * first address inside it, and all addresses but the first are moved back by one, into the call. */
#include "config.h"
#include "symbols/unwind/unwinder.h"

#include "symbols/unwind/unwind_rules.h"

/* --- by rules ----------------------------------------------------------------------------------------------------- */

/* A register's value. Few of the saved values are needed, so they are read when they are. */
struct value {
	uint64_t is;       /* the value, or the address where it is saved */
	enum { UNKNOWN, KNOWN, SAVED } state;   /* UNKNOWN: neither a rule nor the memory provides it */
};

struct frame {
	uint64_t pc, sp;
	struct value fp, kept, lr;   /* lr: the return address; in the first frame, ARM's register */
};

/* Returns the address of the code that a return address leads to. On aarch64, addresses of user space have 48 bits; the
 * signature is in the bits above. */
static uint64_t code_address(const struct perfdata_unwinder *u, const struct pd_rule *rule, uint64_t address)
{
	if (rule->is_signed)
		return address & (((uint64_t)1 << 48) - 1);
	return u->arch == PERFDATA_UNWIND_ARM ? pd_unwinder_arm_code(address) : address;
}

/* Returns the recorded value of a register; 0 if it was not recorded, which libdwfl also assumes. */
static struct value recorded_register(const struct perfdata_unwinder *u, unsigned dwarf_number)
{
	struct value value = { 0, KNOWN };
	if (dwarf_number < u->machine->count)
		(void)pd_unwinder_register(u->sample, u->machine->perf_of[dwarf_number], &value.is);
	return value;
}

enum step { CALLER, END, LIBDWFL };

/* Reads a saved value if needed; false: the value is unknown. */
static inline bool load_value(struct perfdata_unwinder *u, struct value *value)
{
	if (value->state == SAVED) {
		const bool is_cut = u->is_cut;   /* of the frame, not of an earlier one that saved the value */
		value->state = pd_unwinder_read_word(u, value->is, &value->is) ? KNOWN : UNKNOWN;
		u->is_cut = is_cut;
	}
	return value->state == KNOWN;
}

static inline void take_value(uint64_t cfa, enum pd_rule_place place, int32_t at, struct value *value)
{
	if (place == PD_RULE_AT_CFA)
		*value = (struct value){ cfa + (uint64_t)(int64_t)at, SAVED };
	else if (place == PD_RULE_UNKNOWN)
		value->state = UNKNOWN;
}

/* At the end of a function, registers are popped, but rules of compilers still name their places, which are then below
 * the stack pointer: memory keeps the values, but the kernel copies the stack from the stack pointer on. The popped
 * register has the value again. A function may also save registers there without moving the stack pointer, and use
 * them; so a value counts only if it can be the base of a caller's frame, which lies above this frame. */
static void note_popped(struct perfdata_unwinder *u, uint64_t cfa, enum pd_rule_place place, int32_t at,
			const struct value *value)
{
	const uint64_t address = cfa + (uint64_t)(int64_t)at;
	if (place == PD_RULE_AT_CFA && address < u->sp && value->state == KNOWN && value->is >= cfa)
		u->popped[u->nr_popped++] = (struct pd_popped){ address, value->is };
}

/* Goes to the caller's frame. */
static enum step take_caller(struct perfdata_unwinder *u, const struct pd_rule *rule, struct frame *f, bool is_first)
{
	uint64_t cfa = f->sp, places;   /* places: the address from which saved registers are counted */
	if (rule->base != PD_RULE_FROM_SP) {
		struct value *base = rule->base == PD_RULE_FROM_KEPT ? &f->kept : &f->fp;
		if (!load_value(u, base))
			return rule->base == PD_RULE_FROM_KEPT ? LIBDWFL : END;
		cfa = base->is;
	}
	places = cfa;
	cfa += (uint64_t)(int64_t)rule->cfa;
	if (rule->base != PD_RULE_SAVED_AT_FP)
		places = cfa;
	else if (!pd_unwinder_read_word(u, cfa, &cfa))
		return END;
	if (is_first) {
		note_popped(u, places, rule->fp, rule->fp_at, &f->fp);
		note_popped(u, places, rule->kept, rule->kept_at, &f->kept);
	}
	if (rule->return_address == PD_RULE_IN_REGISTER)
		f->lr = recorded_register(u, (unsigned)rule->return_address_at);
	else
		take_value(cfa, rule->return_address, rule->return_address_at, &f->lr);
	take_value(places, rule->fp, rule->fp_at, &f->fp);
	take_value(places, rule->kept, rule->kept_at, &f->kept);
	f->sp = cfa;
	if (f->lr.state == SAVED)
		f->lr.state = pd_unwinder_read_word(u, f->lr.is, &f->lr.is) ? KNOWN : UNKNOWN;
	f->pc = code_address(u, rule, f->lr.is);
	return f->lr.state == KNOWN && f->pc ? CALLER : END;
}

/* Goes to the caller's frame by the frame pointer, for code without a rule in its file, as libdwfl does. At the end of
 * a function, the frame pointer may lead to the word before the recorded stack: then only the return address is
 * known. */
static enum step take_caller_by_fp(struct perfdata_unwinder *u, struct frame *f)
{
	const uint64_t sp = f->sp, fp = load_value(u, &f->fp) ? f->fp.is : 0;
	if (fp && !pd_unwinder_read_word(u, fp, &f->fp.is))
		f->fp.is = 0;
	if (!fp || !pd_unwinder_read_word(u, fp + 8, &f->pc))
		return END;
	f->sp = fp + 16;
	f->kept.state = UNKNOWN;
	return f->sp > sp ? CALLER : END;
}

/* Returns the rule of an address, which may be in `made`. NULL: it has to be made when it is the stack's turn. */
static inline const struct pd_rule *rule_at(const struct perfdata_unwinder *u, const struct pd_unwind_module *module,
					    uint64_t address, struct pd_rule *made)
{
	*made = (struct pd_rule){ .kind = PD_RULE_NONE };
	return module ? pd_rule_find_again(module->dso, address - module->bias, !u->is_ahead, made) : made;
}

/* Returns the module of the last frame if it contains an address and the address before; else NULL. */
static inline const struct pd_unwind_module *module_inside(const struct perfdata_unwinder *u, uint64_t pc)
{
	const struct pd_unwind_module *last = u->last_module < u->nr_modules ? &u->modules[u->last_module] : NULL;
	return last && last->start < pc && pc < last->end && !u->overlap ? last : NULL;
}

/* Finds the module of a frame; *ret: NULL if there is none. false: libdwfl has to find it. */
static bool find_module_of_frame(struct perfdata_unwinder *u, uint64_t pc, bool is_first,
				 const struct pd_unwind_module **ret)
{
	if (!is_first)
		(void)pd_unwinder_take_map(u, pc);
	*ret = pd_unwinder_find_module(u, pc - !is_first);
	/* Where two files adjoin, libdwfl takes the second file into account too late; the result must not differ. */
	return !u->overlap && (is_first || *ret == pd_unwinder_find_module(u, pc));
}

static enum step step_frame(struct perfdata_unwinder *u, struct frame *f, bool is_first)
{
	const uint64_t address = f->pc - !is_first;
	const struct pd_unwind_module *module = module_inside(u, f->pc);
	struct pd_rule made;
	const struct pd_rule *rule = &made;
	u->is_cut = false;
	if (!module && !find_module_of_frame(u, f->pc, is_first, &module))
		return LIBDWFL;
	if (module || pd_unwinder_take_map(u, address))
		rule = rule_at(u, module, address, &made);
	else if (pd_unwinder_find_jit_rule(u, address, &made))
		u->is_beyond_libdwfl = true;
	else
		return END;
	u->needs_turn |= !rule;
	if (u->needs_turn || u->overlap || (!module && pd_unwinder_find_module(u, address)))
		return LIBDWFL;
	if (!is_first && module && rule->kind == PD_RULE_NONE && pd_unwinder_is_data(u, module, address))
		return END;
	if (address)
		u->pcs[u->count++] = address;
	switch (rule->kind) {
	case PD_RULE_FRAME: break;
	case PD_RULE_FRAME_OF_LEAF:
		if (!is_first)
			return LIBDWFL;
		break;
	case PD_RULE_FRAME_OF_EXIDX:
		u->is_beyond_libdwfl = true;
		/* Only the innermost function may still have the return address in its register. */
		if (!is_first && rule->return_address == PD_RULE_SAME)
			return END;
		break;
	case PD_RULE_END: return END;
	case PD_RULE_NONE: return u->arch == PERFDATA_UNWIND_X86_64 ? take_caller_by_fp(u, f) : LIBDWFL;
	case PD_RULE_LIBDWFL: return LIBDWFL;
	}
	return take_caller(u, rule, f, is_first);
}

/* Does what step_frame does, for all frames up to the first one that is not in the module of the last frame, has no
 * known rule of the common form, or whose return address is not in the recorded stack. Most time of unwinding is spent
 * here. Returns the number of frames. */
static size_t pass_common_frames(struct perfdata_unwinder *u, struct frame *f)
{
	const struct pd_unwind_module *module = u->last_module < u->nr_modules ? &u->modules[u->last_module] : NULL;
	const struct pd_known_rules *rules = module ? pd_rules_plain(module->dso) : NULL;
	const struct perfdata_bytes *stack = &u->sample->stack;
	const size_t word = u->machine->word, before = u->count;
	if (!rules || u->overlap || u->arch == PERFDATA_UNWIND_ARM || stack->size < word)
		return 0;
	const uint64_t last_place = stack->size - word;
	struct frame at = *f;
	size_t count = before;
	while (count < u->room && module->start < at.pc && at.pc < module->end) {
		const uint64_t address = at.pc - 1;
		const struct pd_rule *rule = pd_rule_known(rules, address - module->bias);
		if (!rule || !rule->is_common || (rule->base == PD_RULE_FROM_FP && !load_value(u, &at.fp)))
			break;
		const uint64_t base = rule->base == PD_RULE_FROM_FP ? at.fp.is : at.sp;
		const uint64_t cfa = base + (uint64_t)(int64_t)rule->cfa;
		const uint64_t place = cfa + (uint64_t)(int64_t)rule->return_address_at - u->sp;
		const uint64_t pc = place <= last_place ? pd_unwinder_word(stack->data + place, word) : 0;
		if (!pc)
			break;
		u->pcs[count++] = address;
		take_value(cfa, rule->fp, rule->fp_at, &at.fp);
		take_value(cfa, rule->kept, rule->kept_at, &at.kept);
		at.sp = cfa;
		at.pc = pc;
	}
	if (count > before) {
		at.lr = (struct value){ at.pc, KNOWN };
		u->is_cut = false;
	}
	*f = at;
	u->count = count;
	return count - before;
}

/* Takes steps until the stack ends or `room` is full; false: libdwfl has to unwind the stack. */
static bool walk_frames(struct perfdata_unwinder *u, struct frame *f)
{
	for (size_t n = 0; n < PD_FRAMES_OF_STEP * u->room && u->count < u->room; n++) {
		const enum step next = step_frame(u, f, !n);
		if (next != CALLER)
			return next == END || (u->is_beyond_libdwfl && !u->needs_turn);
		n += pass_common_frames(u, f);
	}
	return true;
}

/* false: libdwfl has to unwind the stack. */
static bool unwind_by_rules(struct perfdata_unwinder *u)
{
	struct pd_rule_registers numbers;
	if (!pd_rule_registers_of(u->machine->machine, &numbers) || u->overlap)
		return false;
	struct frame f = { .pc = u->ip,
			   .sp = u->sp,
			   .fp = recorded_register(u, numbers.fp),
			   .kept = recorded_register(u, numbers.kept) };
	if (u->arch == PERFDATA_UNWIND_AARCH64 || u->arch == PERFDATA_UNWIND_ARM)
		f.lr = recorded_register(u, numbers.return_address);
	if (u->only_libdwfl) {
		(void)step_frame(u, &f, true);   /* for the words that were popped */
		return false;
	}
	return walk_frames(u, &f);
}

/* --- a stack ------------------------------------------------------------------------------------------------------ */

bool pd_unwinder_was_cut(const struct perfdata_unwinder *unwinder) { return unwinder->is_cut; }

static enum perfdata_status unwind_stack(struct perfdata_unwinder *u)
{
	/* Code in no file may be that of a JIT compiler, which only rules can unwind. */
	if (!pd_unwinder_take_map(u, u->ip))
		return unwind_by_rules(u) && u->count ? PERFDATA_OK : PERFDATA_ABSENT;
	/* As in perf: libdwfl takes the machine from the first file, so a process without any file has no stack. perf
	 * keeps libdwfl's state when the process executes another program: then frame pointers lead to callers. */
	if (!u->nr_modules && !u->had_modules)
		return PERFDATA_ABSENT;
	u->had_modules = true;
	const bool is_done = unwind_by_rules(u);
	if (!is_done && u->is_ahead)
		u->needs_turn = true;
	else if (!is_done && u->nr_modules && pd_unwinder_has_libdwfl(u))
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
	u->is_cut = u->is_beyond_libdwfl = false;
	u->nr_popped = 0;
	const size_t before = pd_symbols_failed(u->symbols);
	enum perfdata_status status = pd_symbols_note(u->symbols, unwind_stack(u));
	if (pd_symbols_failed(u->symbols) != before)
		status = pd_symbols_failure(u->symbols);
	u->sample = NULL;
	if (!status)
		*ret_count = u->count;
	return status;
}

bool pd_unwind_ahead(struct pd_unwind_modules *modules, perfdata_unwind_find *find, void *user,
		     const struct perfdata_unwind_sample *sample, uint64_t *pcs, size_t room, size_t *ret_count,
		     bool *ret_cut)
{
	struct perfdata_unwinder own = {
		.symbols = modules->symbols, .machine = modules->machine, .arch = modules->arch,
		.find = find, .user = user, .is_ahead = true, .had_modules = true,
		/* A look-up ahead adds no modules to this list. */
		.modules = modules->list, .nr_modules = modules->nr,
	};
	const enum perfdata_status status = pd_unwind_stack(&own, sample, pcs, room, ret_count);
	if (status)
		*ret_count = 0;
	*ret_cut = !status && own.is_cut;
	return (!status || status == PERFDATA_ABSENT) && !own.needs_turn;
}
