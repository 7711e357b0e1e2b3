/* SPDX-License-Identifier: MIT */
/* Where instructions go, by their bytes; what the installed library makes of them. */
#include "config.h"
#include "symbols/disassemble/disassemble.h"
#include "symbols/symbols.h"
#include "unit.h"

#define NONE UINT64_MAX

static const struct {
	enum pd_code_kind kind;
	uint8_t bytes[15];
	size_t size;
	enum pd_flow flow;
	uint64_t target;       /* of an instruction at 0x401000; NONE: it is not direct */
	const char *text;      /* of LLVM and capstone; NULL: they differ */
} cases[] = {
	{ PD_CODE_X86_64, { 0x90 }, 1, PD_FLOW_NEXT, NONE, "nop" },
	{ PD_CODE_X86_64, { 0x48, 0x89, 0xe5 }, 3, PD_FLOW_NEXT, NONE, "movq %rsp, %rbp" },
	{ PD_CODE_X86_64, { 0xe8, 0x10, 0, 0, 0 }, 5, PD_FLOW_CALL, 0x401015, "callq 0x401015" },
	{ PD_CODE_X86_64, { 0xe9, 0xfb, 0xff, 0xff, 0xff }, 5, PD_FLOW_JUMP, 0x401000, "jmp 0x401000" },
	{ PD_CODE_X86_64, { 0xeb, 0xfe }, 2, PD_FLOW_JUMP, 0x401000, "jmp 0x401000" },
	{ PD_CODE_X86_64, { 0x74, 0x7f }, 2, PD_FLOW_CONDITION, 0x401081, "je 0x401081" },
	{ PD_CODE_X86_64, { 0x0f, 0x85, 0, 1, 0, 0 }, 6, PD_FLOW_CONDITION, 0x401106, "jne 0x401106" },
	{ PD_CODE_X86_64, { 0xf2, 0xe9, 0, 0, 0, 0 }, 6, PD_FLOW_JUMP, 0x401006, NULL },      /* bnd */
	{ PD_CODE_X86_64, { 0xe3, 0 }, 2, PD_FLOW_CONDITION, 0x401002, "jrcxz 0x401002" },
	{ PD_CODE_X86_64, { 0xff, 0xd0 }, 2, PD_FLOW_CALL, NONE, "callq *%rax" },
	{ PD_CODE_X86_64, { 0x41, 0xff, 0xe3 }, 3, PD_FLOW_JUMP, NONE, "jmpq *%r11" },
	{ PD_CODE_X86_64, { 0x3e, 0xff, 0xe0 }, 3, PD_FLOW_JUMP, NONE, NULL },               /* notrack */
	{ PD_CODE_X86_64, { 0xff, 0x25, 0x10, 0, 0, 0 }, 6, PD_FLOW_JUMP, NONE, "jmpq *0x10(%rip)" },
	{ PD_CODE_X86_64, { 0xff, 0x35, 0x10, 0, 0, 0 }, 6, PD_FLOW_NEXT, NONE, "pushq 0x10(%rip)" },
	{ PD_CODE_X86_64, { 0xc3 }, 1, PD_FLOW_RETURN, NONE, "retq" },
	{ PD_CODE_X86_64, { 0xf3, 0xc3 }, 2, PD_FLOW_RETURN, NONE, NULL },                   /* rep ret */
	{ PD_CODE_X86_64, { 0xf0, 0x0f, 0xb1, 0x0a }, 4, PD_FLOW_NEXT, NONE, NULL },         /* lock cmpxchg */
	{ PD_CODE_X86_64, { 0x66, 0x66, 0x2e, 0x0f, 0x1f, 0x84, 0, 0, 0, 0, 0 }, 11, PD_FLOW_NEXT, NONE, NULL },
	{ PD_CODE_X86_64, { 0xf3, 0x0f, 0x1e, 0xfa }, 4, PD_FLOW_NEXT, NONE, "endbr64" },
	{ PD_CODE_X86_64, { 0x0f, 0x05 }, 2, PD_FLOW_NEXT, NONE, "syscall" },
	{ PD_CODE_I386, { 0x40 }, 1, PD_FLOW_NEXT, NONE, "incl %eax" },
	{ PD_CODE_I386, { 0xe8, 0, 0, 0, 0x80 }, 5, PD_FLOW_CALL, 0x80401005, NULL },
	{ PD_CODE_I386, { 0xcf }, 1, PD_FLOW_RETURN, NONE, NULL },
	{ PD_CODE_ARM64, { 0x1f, 0x20, 0x03, 0xd5 }, 4, PD_FLOW_NEXT, NONE, "nop" },
	{ PD_CODE_ARM64, { 0x02, 0x00, 0x00, 0x94 }, 4, PD_FLOW_CALL, 0x401008, "bl 0x401008" },
	{ PD_CODE_ARM64, { 0xff, 0xff, 0xff, 0x17 }, 4, PD_FLOW_JUMP, 0x400ffc, "b 0x400ffc" },
	{ PD_CODE_ARM64, { 0x41, 0x00, 0x00, 0x54 }, 4, PD_FLOW_CONDITION, 0x401008, "b.ne 0x401008" },
	{ PD_CODE_ARM64, { 0x40, 0x00, 0x00, 0xb4 }, 4, PD_FLOW_CONDITION, 0x401008, "cbz x0, 0x401008" },
	{ PD_CODE_ARM64, { 0x40, 0x00, 0x18, 0x37 }, 4, PD_FLOW_CONDITION, 0x401008, NULL },
	{ PD_CODE_ARM64, { 0x00, 0x00, 0x1f, 0xd6 }, 4, PD_FLOW_JUMP, NONE, "br x0" },
	{ PD_CODE_ARM64, { 0x00, 0x00, 0x3f, 0xd6 }, 4, PD_FLOW_CALL, NONE, "blr x0" },
	{ PD_CODE_ARM64, { 0xc0, 0x03, 0x5f, 0xd6 }, 4, PD_FLOW_RETURN, NONE, "ret" },
	{ PD_CODE_ARM64, { 0xff, 0x0b, 0x5f, 0xd6 }, 4, PD_FLOW_RETURN, NONE, NULL },        /* retaa */
	{ PD_CODE_ARM64, { 0x00, 0x00, 0x00, 0xb0 }, 4, PD_FLOW_NEXT, NONE, "adrp x0, 0x402000" },
};
#define NR_CASES (sizeof cases / sizeof *cases)

static void check_flow(const struct pd_instruction *instruction, size_t i)
{
	CHECK_EQ(instruction->size, cases[i].size);
	CHECK_EQ(instruction->flow, cases[i].flow);
	CHECK_EQ(instruction->has_target ? instruction->target : NONE, cases[i].target);
}

static void flow_follows_from_bytes(void)
{
	for (size_t i = 0; i < NR_CASES; i++) {
		struct pd_instruction instruction;
		pd_instruction_flow(cases[i].kind, cases[i].bytes, cases[i].size, 0x401000, &instruction);
		check_flow(&instruction, i);
	}
	/* decoding continues after bytes that are cut, and after prefixes alone */
	for (size_t i = 0; i < NR_CASES; i++)
		for (size_t size = 0; size < cases[i].size; size++) {
			struct pd_instruction instruction;
			pd_instruction_flow(cases[i].kind, cases[i].bytes, size, 0x401000, &instruction);
			CHECK_EQ(instruction.size, size);
		}
}

/* With what is installed: the length of each, and the same text but for what libraries spell in their own way. */
static void library_gives_lengths_and_texts(void)
{
	struct perfdata_symbols *symbols;
	struct pd_disassembler *disassemblers[PD_CODE_COUNT] = { NULL };
	CHECK_EQ(perfdata_symbols_new(NULL, &symbols), PERFDATA_OK);
	for (unsigned kind = 0; kind < PD_CODE_COUNT; kind++) {
		const enum perfdata_status status = pd_disassembler_new(symbols, (enum pd_code_kind)kind,
									&disassemblers[kind]);
		CHECK(status == PERFDATA_OK || status == PERFDATA_ABSENT);
	}
	for (size_t i = 0; i < NR_CASES; i++) {
		struct pd_instruction instruction;
		uint8_t bytes[16] = { 0 };
		memcpy(bytes, cases[i].bytes, cases[i].size);
		struct pd_disassembler *disassembler = disassemblers[cases[i].kind];
		if (!disassembler)
			continue;
		const enum perfdata_status status = pd_disassemble(disassembler, bytes, sizeof bytes, 0x401000,
								   &instruction);
		if (status == PERFDATA_EUNSUP)   /* of an old library */
			continue;
		CHECK_EQ(status, PERFDATA_OK);
		check_flow(&instruction, i);
		CHECK(!cases[i].text || !strcmp(instruction.text, cases[i].text));
		if (cases[i].text && strcmp(instruction.text, cases[i].text))
			printf("# %s: \"%s\" where \"%s\" is expected\n", pd_disassembler_name(disassembler),
			       instruction.text, cases[i].text);
		/* a cut instruction is none */
		CHECK(pd_disassemble(disassembler, bytes, 0, 0x401000, &instruction) != PERFDATA_OK);
	}
	struct pd_instruction instruction;
	static const uint8_t jump[] = { 0xff, 0x25, 0x10, 0, 0, 0 };
	if (disassemblers[PD_CODE_X86_64]) {
		CHECK_EQ(pd_disassemble(disassemblers[PD_CODE_X86_64], jump, sizeof jump, 0x401000, &instruction),
			 PERFDATA_OK);
		CHECK(instruction.has_reference && instruction.reference == 0x401016);
		CHECK(pd_disassemble(disassemblers[PD_CODE_X86_64], jump, 3, 0x401000, &instruction) != PERFDATA_OK);
	}
	for (unsigned kind = 0; kind < PD_CODE_COUNT; kind++)
		pd_disassembler_free(disassemblers[kind]);
	perfdata_symbols_free(symbols);
}

int main(void)
{
	static const struct unit_case cases_of_unit[] = {
		{ "where instructions go follows from their bytes", flow_follows_from_bytes },
		{ "the library that is installed gives lengths and texts", library_gives_lengths_and_texts },
	};
	return unit_main(cases_of_unit, sizeof cases_of_unit / sizeof *cases_of_unit);
}
