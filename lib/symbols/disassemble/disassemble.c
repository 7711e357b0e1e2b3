/* SPDX-License-Identifier: MIT */
/* Decodes instructions with the best installed library: LLVM, which knows all instructions, else capstone. */
#include "config.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/memory.h"
#include "symbols/disassemble/disassemble_library.h"
#include "symbols/symbols.h"

#define LONGEST_INSTRUCTION 15u   /* bytes, on x86 */

struct pd_disassembler {
	enum pd_code_kind kind;
	enum pd_disassembly_family family;
	const struct pd_disassembly_library *library;
	void *context;             /* handle of LLVM */
	size_t handle;             /* handle of capstone */
	void *instruction;
};

bool pd_code_kind_of(unsigned machine, enum pd_code_kind *ret)
{
	*ret = machine == PD_MACHINE_386 ? PD_CODE_I386 : machine == PD_MACHINE_ARM64 ? PD_CODE_ARM64 : PD_CODE_X86_64;
	return machine == PD_MACHINE_386 || machine == PD_MACHINE_ARM64 || machine == PD_MACHINE_X86_64;
}

/* --- opening ------------------------------------------------------------------------------------------------------ */

/* Returns the features that enable all extensions. Versions up to 15 do not know "+all", and print a warning for an
 * unknown feature. */
static const char *arm64_features(unsigned version)
{
	return version >= 16 ? "+all" :
	       version >= 14 ? "+v8.7a,+sve2,+sve2-aes,+sve2-bitperm,+sve2-sha3,+sve2-sm4,+mte,+sme,+sme-f64,+sme-i64,"
			       "+ls64,+rand,+tme,+bf16,+i8mm,+f32mm,+f64mm,+fullfp16,+fp16fml,+sm4,+sha3,+aes,+brbe,"
			       "+hbc,+mops,+spe" :
			       "";
}

static enum perfdata_status open_llvm(struct pd_disassembler *d)
{
	static const char *const triples[] = { "x86_64-linux-gnu", "i386-linux-gnu", "aarch64-linux-gnu" };
	const struct pd_llvm_calls *calls = &d->library->llvm;
	d->context = calls->create(triples[d->kind], "",
				   d->kind == PD_CODE_ARM64 ? arm64_features(d->library->version) : "", NULL, 0, NULL,
				   NULL);
	if (!d->context)
		return PERFDATA_ABSENT;
	(void)calls->set_options(d->context, PD_LLVM_PRINT_HEX);
	return PERFDATA_OK;
}

static enum perfdata_status open_capstone(struct pd_disassembler *d)
{
	enum { NO_MEMORY = 1 };   /* value of CS_ERR_MEM */
	const struct pd_capstone_calls *calls = &d->library->capstone;
	const bool arm = d->kind == PD_CODE_ARM64;
	const int code = calls->open(arm ? PD_CAPSTONE_ARM64 : PD_CAPSTONE_X86,
				     arm		      ? 0 :
				     d->kind == PD_CODE_I386	  ? PD_CAPSTONE_32 :
								    PD_CAPSTONE_64, &d->handle);
	if (code) {
		d->handle = 0;
		return code == NO_MEMORY ? PERFDATA_ENOMEM : PERFDATA_ABSENT;
	}
	if (!arm)
		(void)calls->option(d->handle, PD_CAPSTONE_SYNTAX, PD_CAPSTONE_ATT);
	d->instruction = calls->new_instruction(d->handle);
	return d->instruction ? PERFDATA_OK : PERFDATA_ENOMEM;
}

static void close_context(struct pd_disassembler *d)
{
	if (d->context)
		d->library->llvm.dispose(d->context);
	if (d->instruction)
		d->library->capstone.free_instruction(d->instruction, 1);
	if (d->handle)
		(void)d->library->capstone.close(&d->handle);
	d->context = d->instruction = NULL;
	d->handle = 0;
}

static enum perfdata_status open_context(struct pd_disassembly *disassembly, struct pd_disassembler *d)
{
	enum perfdata_status status = PERFDATA_ABSENT;
	for (unsigned i = 0; i < PD_FAMILY_COUNT && status == PERFDATA_ABSENT; i++) {
		struct pd_disassembly_library *library = &disassembly->libraries[i];
		d->family = (enum pd_disassembly_family)i;
		d->library = library;
		status = pd_disassembly_load(library, d->family);
		if (status)
			continue;
		status = !library->has_kind[d->kind]   ? PERFDATA_ABSENT :
			 d->family == PD_FAMILY_LLVM ? open_llvm(d) :
						       open_capstone(d);
		if (status)
			close_context(d);
	}
	return status;
}

enum perfdata_status pd_disassembler_new(struct perfdata_symbols *symbols, enum pd_code_kind kind,
					 struct pd_disassembler **ret)
{
	struct pd_disassembler *d = pd_calloc(1, sizeof *d);
	if (!d)
		return PERFDATA_ENOMEM;
	d->kind = kind;
	/* LLVM registers its targets in a list without a lock, so only once */
	pd_monitor_enter(symbols->lock);
	if (!symbols->disassembly)
		symbols->disassembly = pd_calloc(1, sizeof *symbols->disassembly);
	const enum perfdata_status status = symbols->disassembly ? open_context(symbols->disassembly, d) :
								   PERFDATA_ENOMEM;
	pd_monitor_leave(symbols->lock);
	if (!status) {
		*ret = d;
		return status;
	}
	const struct pd_library_failure *failure = d->library ? &d->library->failure : NULL;
	if (failure && failure->code && status != PERFDATA_ABSENT)
		pd_symbols_tell_library(symbols, "the library that decodes instructions", failure->code);
	pd_free(d);
	return pd_symbols_note(symbols, status);
}

void pd_disassembler_free(struct pd_disassembler *disassembler)
{
	if (disassembler)
		close_context(disassembler);
	pd_free(disassembler);
}

const char *pd_disassembler_name(const struct pd_disassembler *disassembler) { return disassembler->library->name; }

enum perfdata_status perfdata_symbols_disassembler(struct perfdata_symbols *symbols, const char **ret_name)
{
	struct pd_disassembler *d;
	const enum perfdata_status status = pd_disassembler_new(symbols, PD_CODE_X86_64, &d);
	*ret_name = status ? NULL : pd_disassembler_name(d);
	if (!status)
		pd_disassembler_free(d);
	return status;
}

/* --- decoding ----------------------------------------------------------------------------------------------------- */

/* Appends a text with single blanks between words and none at the ends. */
static void add_text(char *out, size_t room, const char *text)
{
	size_t used = strlen(out);
	bool gap = used > 0;
	for (; *text && used + 2 < room; text++) {
		if (*text == ' ' || *text == '\t' || *text == '\n') {
			gap = used > 0;
			continue;
		}
		if (gap)
			out[used++] = ' ';
		gap = false;
		out[used++] = *text;
	}
	out[used] = '\0';
}

/* Appends the instruction's text. The size of the members before it depends on the version: id, address, size, bytes
 * (16, or 24 in version 5). */
static void add_capstone_text(const struct pd_disassembler *d, char *out, size_t room)
{
	enum { MNEMONIC = 32 };
	const size_t before = 4 + 4 + 8 + 2 + (d->family == PD_FAMILY_CAPSTONE_4 ? 16u : 24u);
	const char *mnemonic = (const char *)d->instruction + before;
	add_text(out, room, mnemonic);
	add_text(out, room, mnemonic + MNEMONIC);
}

/* Returns the size of the instruction; 0: the library knows none. Appends its text. */
static size_t decode_instruction(struct pd_disassembler *d, const uint8_t *bytes, size_t size, uint64_t address,
				 char *text)
{
	if (d->family != PD_FAMILY_LLVM) {
		const uint8_t *at = bytes;
		if (!d->library->capstone.decode(d->handle, &at, &size, &address, d->instruction))
			return 0;
		add_capstone_text(d, text, PD_INSTRUCTION_TEXT);
		return (size_t)(at - bytes);
	}
	uint8_t copy[16];   /* a copy, since LLVM takes a pointer to mutable bytes */
	char spelled[PD_INSTRUCTION_TEXT];
	const size_t taken = size < sizeof copy ? size : sizeof copy;
	memcpy(copy, bytes, taken);
	const size_t used = d->library->llvm.decode(d->context, copy, taken, address, spelled, sizeof spelled);
	if (used)
		add_text(text, PD_INSTRUCTION_TEXT, spelled);
	return used <= taken ? used : 0;
}

/* Replaces the last operand, which LLVM prints relative to the instruction, by the address. */
static void put_address(struct pd_instruction *instruction, uint64_t address)
{
	char *last = strrchr(instruction->text, ' ');
	if (!last)
		return;
	const size_t used = (size_t)(last + 1 - instruction->text);
	snprintf(last + 1, sizeof instruction->text - used, "0x%llx", (unsigned long long)address);
}

/* Finds an operand such as "0x10(%rip)": the address after the instruction plus the offset. */
static void find_rip_reference(struct pd_instruction *instruction)
{
	const char *end = strstr(instruction->text, "(%rip)");
	if (!end)
		return;
	const char *begin = end;
	while (begin > instruction->text && !strchr(" ,*:", begin[-1]))
		begin--;
	char *stop;
	const long long offset = strtoll(begin, &stop, 0);
	if (stop != end)
		return;
	instruction->reference = instruction->address + instruction->size + (uint64_t)offset;
	instruction->has_reference = true;
}

enum perfdata_status pd_disassemble(struct pd_disassembler *disassembler, const uint8_t *bytes, size_t size,
				    uint64_t address, struct pd_instruction *ret)
{
	const enum pd_code_kind kind = disassembler->kind;
	ret->text[0] = '\0';
	size_t used = 0, taken;
	/* LLVM decodes an unexpected prefix as an instruction of its own; a processor does not */
	do {
		taken = used < size
				? decode_instruction(disassembler, bytes + used, size - used, address + used, ret->text)
				: 0;
		used += taken;
	} while (taken && used < LONGEST_INSTRUCTION && pd_instruction_prefixes(kind, bytes, used) == used);
	if (!taken || used > size)
		return disassembler->family == PD_FAMILY_CAPSTONE_4 ? PERFDATA_EUNSUP : PERFDATA_ABSENT;
	pd_instruction_flow(kind, bytes, used, address, ret);
	if (ret->has_target)
		put_address(ret, ret->target);
	else if (ret->has_reference)
		put_address(ret, ret->reference);
	else if (kind == PD_CODE_X86_64)
		find_rip_reference(ret);
	return PERFDATA_OK;
}
