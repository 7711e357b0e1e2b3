/* SPDX-License-Identifier: MIT */
/* Decodes instructions: size, control flow and text. An installed library, loaded at first need, decodes them. */
#ifndef PD_DISASSEMBLE_H
#define PD_DISASSEMBLE_H

#include "perfdata/symbols.h"

enum pd_code_kind { PD_CODE_X86_64, PD_CODE_I386, PD_CODE_ARM64, PD_CODE_COUNT };

/* Returns the kind of code for an e_machine of an ELF header (EM_X86_64, …); false: cannot be decoded. */
bool pd_code_kind_of(unsigned machine, enum pd_code_kind *ret);

enum pd_flow {
	PD_FLOW_NEXT,         /* continues with the next instruction */
	PD_FLOW_JUMP,         /* a branch that is always taken */
	PD_FLOW_CONDITION,    /* a branch that may be taken */
	PD_FLOW_CALL,
	PD_FLOW_RETURN,       /* return, also from an exception */
	PD_FLOW_COUNT
};

#define PD_INSTRUCTION_TEXT 256

struct pd_instruction {
	uint64_t address;
	uint64_t target;      /* address of a direct branch or call */
	uint64_t reference;   /* address of another operand that is relative to the program counter */
	size_t size;          /* size in bytes, prefixes included */
	enum pd_flow flow;
	bool has_target, has_reference;
	/* mostly as objdump prints it (AT&T syntax for x86): mnemonic, blank, operands; targets are addresses */
	char text[PD_INSTRUCTION_TEXT];
};

struct perfdata_symbols;
struct pd_disassembler;

/* A disassembler is used by one thread at a time, and freed before `symbols`, which keeps the library. PERFDATA_ABSENT:
 * no library for this kind of code is installed. PERFDATA_ENOMEM, PERFDATA_EREAD: a library could not be loaded. */
enum perfdata_status pd_disassembler_new(struct perfdata_symbols *symbols, enum pd_code_kind kind,
					 struct pd_disassembler **ret);
void pd_disassembler_free(struct pd_disassembler *disassembler);   /* ignores NULL */
/* Returns, for example, "LLVM 19.1" or "capstone 5.0"; valid as long as `symbols`. */
const char *pd_disassembler_name(const struct pd_disassembler *disassembler);

/* Decodes the instruction at the beginning of `bytes`, which are at `address`. PERFDATA_ABSENT: no instruction begins
 * there. PERFDATA_EUNSUP: the library knows no instruction there, but this library lacks many, so there may be one. */
enum perfdata_status pd_disassemble(struct pd_disassembler *disassembler, const uint8_t *bytes, size_t size,
				    uint64_t address, struct pd_instruction *ret);

/* --- instruction_flow.c ------------------------------------------------------------------------------------------- */

/* Sets flow, target and reference of the instruction of `size` bytes at `address` by its bytes, without a library. */
void pd_instruction_flow(enum pd_code_kind kind, const uint8_t *bytes, size_t size, uint64_t address,
			 struct pd_instruction *ret);
/* Returns the number of x86 prefixes at the beginning; `size`: only prefixes. */
size_t pd_instruction_prefixes(enum pd_code_kind kind, const uint8_t *bytes, size_t size);

/* --- disassemble_library.c ---------------------------------------------------------------------------------------- */

struct pd_disassembly;
/* Call it after all disassemblers are freed. */
void pd_disassembly_free(struct pd_disassembly *disassembly);

#endif
