/* SPDX-License-Identifier: MIT */
/* Runs instructions of call frame information up to an address. This file reads what compilers write; libdw reads the
 * rest. */
#include "config.h"
#include "symbols/symbols.h"

#include <string.h>
#include "symbols/dwarf/dwarf.h"
#include "symbols/dwarf/dwarf_format.h"
#include "symbols/unwind/unwind_entries.h"

#define MOST_REMEMBERED 4u

struct run {
	const struct pd_frame_cie *cie;
	const struct pd_frame_row *first;   /* the CIE's row; NULL: this run makes it */
	struct pd_frame_row *row;
	struct pd_frame_row remembered[MOST_REMEMBERED];
	unsigned nr_remembered;
	unsigned machine;
	struct pd_rule_registers numbers;   /* .sp NONE: no rules are made for this machine */
	uint64_t cost;
	uint64_t row_start, row_end;        /* as `start` and `end` of the row */
};
#define NONE UINT8_MAX

bool pd_rule_registers_of(unsigned machine, struct pd_rule_registers *ret)
{
	switch (machine) {
	case EM_X86_64:
		*ret = (struct pd_rule_registers){ .sp = 7, .fp = 6, .kept = 3, .return_address = 16 };
		return true;
	case EM_386: *ret = (struct pd_rule_registers){ .sp = 4, .fp = 5, .kept = 3, .return_address = 8 }; return true;
	case EM_AARCH64:
		*ret = (struct pd_rule_registers){ .sp = 31, .fp = 29, .kept = 19, .return_address = 30 };
		return true;
	/* Thumb code has its frame pointer in r7 */
	case EM_ARM:
		*ret = (struct pd_rule_registers){ .sp = 13, .fp = 11, .kept = 7, .return_address = 14 };
		return true;
	default: return false;
	}
}

/* Costs of an instruction that copies a row, and of a step of work; other instructions cost 1. */
#define COST_OF_ROW 32u
#define COST_OF_STEP 8u

/* Most numbers have one byte. */
static inline uint64_t read_uleb(struct pd_cursor *c)
{
	return pd_left(c) && !c->failed && *c->at < 0x80 ? *c->at++ : pd_dwarf_uleb(c);
}

/* The place of a register in a row; PD_FRAME_REGISTERS: rules do not use it. */
static inline enum pd_frame_kept place_of(const struct run *run, uint64_t number)
{
	const struct pd_rule_registers *numbers = &run->numbers;
	if (numbers->sp == NONE)
		return PD_FRAME_REGISTERS;
	if (number == numbers->fp)
		return PD_FRAME_OF_FP;
	if (number == numbers->kept)
		return PD_FRAME_OF_KEPT;
	if (number == numbers->return_address)
		return PD_FRAME_OF_RETURN;
	return number == numbers->sp ? PD_FRAME_OF_SP : PD_FRAME_REGISTERS;
}

static void put_place(struct run *run, uint64_t number, enum pd_frame_how how, int64_t offset)
{
	const enum pd_frame_kept place = place_of(run, number);
	if (place != PD_FRAME_REGISTERS)
		run->row->registers[place] = (struct pd_frame_register){ how, offset };
}

static void restore_register(struct run *run, uint64_t number)
{
	const enum pd_frame_kept place = place_of(run, number);
	if (place != PD_FRAME_REGISTERS)
		run->row->registers[place] = run->first->registers[place];
}

static int64_t read_scaled(const struct run *run, uint64_t factor)
{
	return (int64_t)(factor * (uint64_t)run->cie->data_factor);
}

static bool put_cfa(struct run *run, uint64_t number, int64_t offset)
{
	run->row->cfa_is_other = run->row->cfa_is_at_fp = false;
	run->row->plt_offset = 0;
	run->row->cfa_register = number;
	run->row->cfa_offset = offset;
	return true;
}

/* Changes the register or the offset, if both are known. */
static bool change_cfa(struct run *run, uint64_t number, int64_t offset)
{
	return !run->row->cfa_is_other && put_cfa(run, number, offset);
}

static bool pass_block(struct pd_cursor *c, const uint8_t **ret, uint64_t *ret_size)
{
	*ret_size = read_uleb(c);
	*ret = pd_take(c, *ret_size);
	return *ret != NULL;
}

/* Whether an expression is the frame pointer plus an offset; `last`: the operation that follows, 0: none. */
static bool is_at_fp(const struct run *run, const uint8_t *block, uint64_t size, unsigned last, int64_t *ret_offset)
{
	struct pd_cursor c = pd_cursor(block, (size_t)size, false);
	if (run->numbers.sp == NONE || pd_u8(&c) != DW_OP_breg0 + (unsigned)run->numbers.fp)
		return false;
	*ret_offset = pd_dwarf_sleb(&c);
	return (!last || pd_u8(&c) == last) && !c.failed && !pd_left(&c);
}

/* Recognizes the expression of a function that aligns its stack, and keeps the CFA in its frame; and that of x86-64's
 * procedure linkage table, whose entries of 16 bytes push a word before offset N:
 * 8 + rsp + ((rip & 15) >= N ? 8 : 0). */
static void put_cfa_expression(struct run *run, const uint8_t *block, uint64_t size, uint64_t address)
{
	static const uint8_t before[] = { DW_OP_breg7, 8, DW_OP_breg16, 0, DW_OP_lit15, DW_OP_and },
			     after[] = { DW_OP_ge, DW_OP_lit3, DW_OP_shl, DW_OP_plus };
	const size_t at = sizeof before;
	run->row->cfa_is_other = true;
	run->row->cfa_is_at_fp = is_at_fp(run, block, size, DW_OP_deref, &run->row->cfa_offset);
	run->row->plt_offset = 0;
	if (run->machine == EM_X86_64 && size == at + 1 + sizeof after && !memcmp(block, before, at) &&
	    !memcmp(block + at + 1, after, sizeof after) && block[at] >= DW_OP_lit0 && block[at] <= DW_OP_lit31)
		run->row->plt_offset = (address & 15) >= block[at] - (unsigned)DW_OP_lit0 ? 16 : 8;
}

static bool push_row(struct run *run)
{
	if (run->nr_remembered == MOST_REMEMBERED)
		return false;
	run->cost += COST_OF_ROW;
	run->remembered[run->nr_remembered++] = *run->row;
	return true;
}

static bool pop_row(struct run *run)
{
	if (!run->nr_remembered)
		return false;
	run->cost += COST_OF_ROW;
	*run->row = run->remembered[--run->nr_remembered];
	return true;
}

/* Runs an instruction that does not advance the address, and whose opcode contains no operand. */
static bool run_extended(struct run *run, struct pd_cursor *c, unsigned op, uint64_t address)
{
	const uint8_t *block;
	uint64_t number, size;
	int64_t offset;
	switch (op) {
	case DW_CFA_nop: return true;
	case DW_CFA_GNU_args_size: read_uleb(c); return true;
	/* On aarch64 this number is DW_CFA_AARCH64_negate_ra_state: the return address becomes signed, or unsigned. */
	case DW_CFA_GNU_window_save:
		run->row->is_signed = !run->row->is_signed;
		return run->machine == EM_AARCH64;
	case DW_CFA_remember_state: return push_row(run);
	case DW_CFA_restore_state: return pop_row(run);
	case DW_CFA_def_cfa: number = read_uleb(c); return put_cfa(run, number, (int64_t)read_uleb(c));
	case DW_CFA_def_cfa_sf:
		number = read_uleb(c);
		return put_cfa(run, number, read_scaled(run, (uint64_t)pd_dwarf_sleb(c)));
	case DW_CFA_def_cfa_register: return change_cfa(run, read_uleb(c), run->row->cfa_offset);
	case DW_CFA_def_cfa_offset: return change_cfa(run, run->row->cfa_register, (int64_t)read_uleb(c));
	case DW_CFA_def_cfa_offset_sf:
		return change_cfa(run, run->row->cfa_register, read_scaled(run, (uint64_t)pd_dwarf_sleb(c)));
	case DW_CFA_def_cfa_expression:
		if (!pass_block(c, &block, &size))
			return false;
		put_cfa_expression(run, block, size, address);
		return true;
	}
	number = read_uleb(c);
	switch (op) {
	case DW_CFA_offset_extended:
		put_place(run, number, PD_FRAME_AT_CFA, read_scaled(run, read_uleb(c)));
		return true;
	case DW_CFA_offset_extended_sf:
		put_place(run, number, PD_FRAME_AT_CFA, read_scaled(run, (uint64_t)pd_dwarf_sleb(c)));
		return true;
	case DW_CFA_undefined: put_place(run, number, PD_FRAME_UNDEFINED, 0); return true;
	case DW_CFA_same_value: put_place(run, number, PD_FRAME_SAME, 0); return true;
	case DW_CFA_register: put_place(run, number, PD_FRAME_IN_REGISTER, (int64_t)read_uleb(c)); return true;
	case DW_CFA_val_offset:
		put_place(run, number, PD_FRAME_IS_CFA, read_scaled(run, read_uleb(c)));
		return true;
	case DW_CFA_val_offset_sf:
		put_place(run, number, PD_FRAME_IS_CFA, read_scaled(run, (uint64_t)pd_dwarf_sleb(c)));
		return true;
	case DW_CFA_expression:
		if (!pass_block(c, &block, &size))
			return false;
		if (is_at_fp(run, block, size, 0, &offset))
			put_place(run, number, PD_FRAME_AT_FP, offset);
		else
			put_place(run, number, PD_FRAME_OTHER, 0);
		return true;
	case DW_CFA_val_expression:
		put_place(run, number, PD_FRAME_OTHER, 0);
		return pass_block(c, &block, &size);
	case DW_CFA_restore_extended:
		if (run->first)
			restore_register(run, number);
		return run->first != NULL;
	default: return false;
	}
}

/* Whether the instruction advances the address, and how far. */
static bool takes_step(struct pd_cursor *c, unsigned op, uint64_t *ret)
{
	switch (op >> 6 ? op & 0xc0u : op) {
	case DW_CFA_advance_loc: *ret = op & 0x3f; return true;
	case DW_CFA_advance_loc1: *ret = pd_u8(c); return true;
	case DW_CFA_advance_loc2: *ret = pd_u16(c); return true;
	case DW_CFA_advance_loc4: *ret = pd_u32(c); return true;
	default: return false;
	}
}

static bool run_instructions(struct run *run, struct pd_cursor *c, uint64_t start, uint64_t address)
{
	const bool is_cie = !run->first;
	uint64_t step;
	run->row_start = start;
	run->row_end = UINT64_MAX;
	while (pd_left(c) && !c->failed) {
		const unsigned op = pd_u8(c);
		run->cost++;
		if (takes_step(c, op, &step)) {
			start += step * run->cie->code_factor;
			if (is_cie || start > address) {
				run->row_end = start;
				return !is_cie && !c->failed;
			}
			run->row_start = start;
			continue;
		}
		switch (op & 0xc0u) {
		case DW_CFA_offset:
			put_place(run, op & 0x3f, PD_FRAME_AT_CFA, read_scaled(run, read_uleb(c)));
			break;
		case DW_CFA_restore:
			if (is_cie)
				return false;
			restore_register(run, op & 0x3f);
			break;
		default:
			if (!run_extended(run, c, op, address))
				return false;
		}
	}
	return !c->failed;
}

bool pd_frame_run(const struct pd_frame_cie *cie, struct pd_cursor instructions, const struct pd_frame_row *first,
		  uint64_t start, uint64_t address, unsigned machine, struct pd_frame_row *row,
		  uint64_t *ret_steps)
{
	struct run run;
	run.cie = cie;
	run.first = first;
	run.row = row;
	run.nr_remembered = 0;
	run.machine = machine;
	if (!pd_rule_registers_of(machine, &run.numbers))
		run.numbers.sp = NONE;
	run.cost = 0;
	if (first)
		*row = *first;
	else
		memset(row, 0, sizeof *row);
	const bool fine = run_instructions(&run, &instructions, start, address);
	row->start = run.row_start;
	row->end = run.row_end;
	*ret_steps = run.cost / COST_OF_STEP;
	return fine;
}

void pd_frame_know_cie(const struct pd_frame_table *table, const struct pd_frame_entry *entry, unsigned machine,
		       struct pd_frame_known_cie *ret)
{
	uint64_t steps;   /* not counted, since the CIE is short */
	ret->is_fine = entry->next - entry->at <= PD_FRAME_MOST_CIE &&
		       pd_frame_read_cie(table, entry, &ret->facts) &&
		       pd_frame_run(&ret->facts, ret->facts.instructions, NULL, 0, 0, machine, &ret->row, &steps);
	ret->facts.at = entry->at;
}
