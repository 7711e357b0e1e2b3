/* SPDX-License-Identifier: MIT */
/* Instructions: how long, what they do to the flow, and their text. A library that is installed decodes them; it is
 * loaded at first need. */
#ifndef PD_DISASSEMBLE_H
#define PD_DISASSEMBLE_H

#include "perfdata/symbols.h"

enum pd_code_kind { PD_CODE_X86_64, PD_CODE_I386, PD_CODE_ARM64, PD_CODE_COUNT };

/* The kind of code in a file whose ELF header has that e_machine (EM_X86_64, …); false: none that can be decoded. */
bool pd_code_kind_of(unsigned machine, enum pd_code_kind *ret);

enum pd_flow {
	PD_FLOW_NEXT,         /* continues with the next instruction */
	PD_FLOW_JUMP,         /* a branch that is always taken */
	PD_FLOW_CONDITION,    /* a branch that may be taken */
	PD_FLOW_CALL,
	PD_FLOW_RETURN,       /* also from an exception */
	PD_FLOW_COUNT
};

#define PD_INSTRUCTION_TEXT 256

struct pd_instruction {
	uint64_t address;
	uint64_t target;      /* where a direct branch or call goes */
	uint64_t reference;   /* the address that another operand names: relative to the program counter */
	size_t size;          /* with its prefixes */
	enum pd_flow flow;
	bool has_target, has_reference;
	/* as objdump writes it on the whole (AT&T for x86): a mnemonic, a blank, operands; targets are addresses */
	char text[PD_INSTRUCTION_TEXT];
};

struct perfdata_symbols;
struct pd_disassembler;

/* One thread at a time uses a disassembler; to be freed before `symbols`, which keeps the library.
 * PERFDATA_ABSENT: no library that decodes this kind of code is installed. PERFDATA_ENOMEM, PERFDATA_EREAD: one may
 * be, and could not be loaded. */
enum perfdata_status pd_disassembler_new(struct perfdata_symbols *symbols, enum pd_code_kind kind,
					 struct pd_disassembler **ret);
void pd_disassembler_free(struct pd_disassembler *disassembler);   /* NULL is fine */
/* "LLVM 19.1", "capstone 5.0"; as long as `symbols`. */
const char *pd_disassembler_name(const struct pd_disassembler *disassembler);

/* Decodes the instruction at the beginning of `bytes`, which lies at `address`. PERFDATA_ABSENT: no instruction begins
 * there. PERFDATA_EUNSUP: the library knows no such instruction, but it is one that misses many: nothing can be said
 * about what follows. */
enum perfdata_status pd_disassemble(struct pd_disassembler *disassembler, const uint8_t *bytes, size_t size,
				    uint64_t address, struct pd_instruction *ret);

/* --- instruction_flow.c ------------------------------------------------------------------------------------------- */

/* Sets flow, target and reference of an instruction of `size` bytes at `address`, by its bytes alone: without a
 * disassembler library. */
void pd_instruction_flow(enum pd_code_kind kind, const uint8_t *bytes, size_t size, uint64_t address,
			 struct pd_instruction *ret);
/* How many of the bytes are prefixes of x86; `size` if nothing else. */
size_t pd_instruction_prefixes(enum pd_code_kind kind, const uint8_t *bytes, size_t size);

/* --- disassemble_library.c ---------------------------------------------------------------------------------------- */

struct pd_disassembly;
/* To be called when all disassemblers are freed. */
void pd_disassembly_free(struct pd_disassembly *disassembly);

#endif
