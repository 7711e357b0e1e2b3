/* SPDX-License-Identifier: MIT */
/* Decodes the control flow of an instruction from its bytes, so that the result does not depend on a library. */
#include "config.h"
#include "symbols/disassemble/disassemble.h"

static int64_t read_signed(const uint8_t *bytes, size_t size)
{
	uint64_t value = 0;
	for (size_t i = 0; i < size; i++)
		value |= (uint64_t)bytes[i] << (8 * i);
	const unsigned unused = (unsigned)(64 - 8 * size);
	return (int64_t)(value << unused) >> unused;
}

/* --- x86 ---------------------------------------------------------------------------------------------------------- */

static bool is_prefix(enum pd_code_kind kind, uint8_t byte)
{
	switch (byte) {
	case 0x26: case 0x2e: case 0x36: case 0x3e: case 0x64: case 0x65: case 0x66: case 0x67:
	case 0xf0: case 0xf2: case 0xf3:
		return true;
	default:
		return kind == PD_CODE_X86_64 && (byte & 0xf0) == 0x40;   /* REX */
	}
}

size_t pd_instruction_prefixes(enum pd_code_kind kind, const uint8_t *bytes, size_t size)
{
	size_t n = 0;
	while (kind != PD_CODE_ARM64 && n < size && is_prefix(kind, bytes[n]))
		n++;
	return n;
}

/* Reads the target from the last bytes of the instruction, after `opcode` bytes. */
static void set_relative(enum pd_code_kind kind, const uint8_t *bytes, size_t size, size_t opcode,
			 struct pd_instruction *ret)
{
	const size_t width = size - opcode;
	if (width != 1 && width != 2 && width != 4)
		return;
	const uint64_t next = ret->address + size;
	ret->target = next + (uint64_t)read_signed(bytes + opcode, width);
	if (kind == PD_CODE_I386)
		ret->target &= width == 2 ? 0xffffu : 0xffffffffu;
	ret->has_target = true;
}

static enum pd_flow flow_of_group_5(uint8_t modrm)
{
	switch (modrm >> 3 & 7) {
	case 2: case 3:
		return PD_FLOW_CALL;
	case 4: case 5:
		return PD_FLOW_JUMP;
	default:
		return PD_FLOW_NEXT;
	}
}

static void x86_flow(enum pd_code_kind kind, const uint8_t *bytes, size_t size, struct pd_instruction *ret)
{
	const size_t at = pd_instruction_prefixes(kind, bytes, size);
	if (at >= size)
		return;
	const uint8_t opcode = bytes[at], second = at + 1 < size ? bytes[at + 1] : 0;
	if ((opcode & 0xf0) == 0x70 || (opcode >= 0xe0 && opcode <= 0xe3)) {
		ret->flow = PD_FLOW_CONDITION;
		set_relative(kind, bytes, size, at + 1, ret);
	} else if (opcode == 0x0f && (second & 0xf0) == 0x80) {
		ret->flow = PD_FLOW_CONDITION;
		set_relative(kind, bytes, size, at + 2, ret);
	} else if (opcode == 0xc7 && second == 0xf8) {   /* xbegin */
		ret->flow = PD_FLOW_CONDITION;
		set_relative(kind, bytes, size, at + 2, ret);
	} else if (opcode == 0xe8 || opcode == 0xe9 || opcode == 0xeb) {
		ret->flow = opcode == 0xe8 ? PD_FLOW_CALL : PD_FLOW_JUMP;
		set_relative(kind, bytes, size, at + 1, ret);
	} else if (opcode == 0xff && at + 1 < size) {
		ret->flow = flow_of_group_5(second);
	} else if (opcode == 0xc2 || opcode == 0xc3 || opcode == 0xca || opcode == 0xcb || opcode == 0xcf) {
		ret->flow = PD_FLOW_RETURN;
	} else if (opcode == 0x0f && (second == 0x07 || second == 0x35)) {   /* sysret, sysexit */
		ret->flow = PD_FLOW_RETURN;
	} else if (kind == PD_CODE_I386 && (opcode == 0x9a || opcode == 0xea)) {   /* far, with a segment */
		ret->flow = opcode == 0x9a ? PD_FLOW_CALL : PD_FLOW_JUMP;
	}
}

/* --- arm64 -------------------------------------------------------------------------------------------------------- */

/* Returns the field of `width` bits at bit `low`, sign-extended. */
static int64_t signed_field(uint32_t word, unsigned low, unsigned width)
{
	return (int64_t)((uint64_t)(word >> low) << (64 - width)) >> (64 - width);
}

static void set_target(struct pd_instruction *ret, enum pd_flow flow, int64_t words)
{
	ret->flow = flow;
	ret->target = ret->address + (uint64_t)words * 4;
	ret->has_target = true;
}

static void set_register_branch(uint32_t word, struct pd_instruction *ret)
{
	switch (word >> 21 & 0xf) {
	case 0: case 8:
		ret->flow = PD_FLOW_JUMP;
		break;
	case 1: case 9:
		ret->flow = PD_FLOW_CALL;
		break;
	case 2: case 4: case 5:   /* ret, eret, drps */
		ret->flow = PD_FLOW_RETURN;
		break;
	}
}

static void arm64_flow(const uint8_t *bytes, size_t size, struct pd_instruction *ret)
{
	if (size != 4)
		return;
	const uint32_t word = (uint32_t)read_signed(bytes, 4), top = word >> 24;
	if ((word & 0x7c000000) == 0x14000000)
		set_target(ret, word >> 31 ? PD_FLOW_CALL : PD_FLOW_JUMP, signed_field(word, 0, 26));
	else if (top == 0x54)                                   /* b.cond, bc.cond */
		set_target(ret, (word & 0x1f) == 0x0e ? PD_FLOW_JUMP : PD_FLOW_CONDITION, signed_field(word, 5, 19));
	else if ((top & 0x7e) == 0x34)                          /* cbz, cbnz */
		set_target(ret, PD_FLOW_CONDITION, signed_field(word, 5, 19));
	else if ((top & 0x7e) == 0x36)                          /* tbz, tbnz */
		set_target(ret, PD_FLOW_CONDITION, signed_field(word, 5, 14));
	else if ((top & 0x7e) == 0x74)                          /* cb<condition>: compare and branch */
		set_target(ret, PD_FLOW_CONDITION, signed_field(word, 5, 9));
	else if ((word & 0xfe000000) == 0xd6000000)
		set_register_branch(word, ret);
	else if (top == 0x55)                                   /* ret with the check of the return address */
		ret->flow = PD_FLOW_RETURN;
	else if ((top & 0x1f) == 0x10) {                        /* adr, adrp */
		const int64_t offset = (int64_t)((uint64_t)signed_field(word, 5, 19) << 2 | (word >> 29 & 3));
		ret->reference = word >> 31 ? (ret->address & ~(uint64_t)0xfff) + ((uint64_t)offset << 12) :
					      ret->address + (uint64_t)offset;
		ret->has_reference = true;
	}
}

void pd_instruction_flow(enum pd_code_kind kind, const uint8_t *bytes, size_t size, uint64_t address,
			 struct pd_instruction *ret)
{
	ret->address = address;
	ret->size = size;
	ret->flow = PD_FLOW_NEXT;
	ret->target = ret->reference = 0;
	ret->has_target = ret->has_reference = false;
	if (kind == PD_CODE_ARM64)
		arm64_flow(bytes, size, ret);
	else
		x86_flow(kind, bytes, size, ret);
}
