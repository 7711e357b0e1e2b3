/* SPDX-License-Identifier: MIT */
/* Walks over the instructions of a range of code. Reads a page of code at a time. */
#include "config.h"
#include "branches/code_ranges.h"
#include "base/error.h"
#include "base/memory.h"
#include "symbols/symbols.h"

#define BYTES_AT_ONCE ((uint64_t)4096)
#define LONGEST_INSTRUCTION 15u
#define NR_KNOWN 16384u   /* a power of two */

struct pd_code_ranges {
	const struct pd_code_file *file;
	struct pd_disassembler *disassembler;
	uint64_t start, end;     /* addresses of the bytes in the buffer */
	uint8_t bytes[BYTES_AT_ONCE];
	/* decoded instructions, since many ranges contain the same ones; size 0: free */
	struct known { uint64_t address; uint8_t size; bool is_direct_jump; } known[NR_KNOWN];
};

enum perfdata_status pd_code_ranges_new(const struct pd_code_file *file, struct pd_code_ranges **ret,
					struct perfdata_error *reterr)
{
	if (!file->has_kind)
		return pd_error(reterr, PERFDATA_EUSAGE, PERFDATA_NO_OFFSET,
				"instructions of the program's machine cannot be decoded: x86-64, i386 and arm64 can");
	struct pd_code_ranges *ranges = pd_calloc(1, sizeof *ranges);
	if (!ranges)
		return PERFDATA_ENOMEM;
	ranges->file = file;
	enum perfdata_status status = pd_disassembler_new(file->dso->symbols, file->kind, &ranges->disassembler);
	if (status == PERFDATA_ABSENT)
		status = pd_error(reterr, PERFDATA_EUSAGE, PERFDATA_NO_OFFSET,
				  "this format needs a library that decodes instructions, and none is installed: LLVM "
				  "(libLLVM) or capstone 5 would do");
	if (status)
		pd_free(ranges);
	else
		*ret = ranges;
	return status;
}

void pd_code_ranges_free(struct pd_code_ranges *ranges)
{
	if (ranges)
		pd_disassembler_free(ranges->disassembler);
	pd_free(ranges);
}

/* Reads the bytes at an address, up to the size of the buffer or the end of the section. False: not in the file. */
static bool read_bytes(struct pd_code_ranges *ranges, uint64_t address)
{
	const struct pd_code_range *section = pd_code_file_section(ranges->file, address);
	if (!section)
		return false;
	const uint64_t left = section->end - address;
	ranges->start = address;
	ranges->end = address + (left < BYTES_AT_ONCE ? left : BYTES_AT_ONCE);
	if (pd_code_file_read(ranges->file, address, ranges->bytes, (size_t)(ranges->end - address)))
		return true;
	ranges->start = ranges->end = 0;
	return false;
}

/* Whether the buffer contains a whole instruction at the address, or the rest of the section. */
static bool has_bytes(const struct pd_code_ranges *ranges, uint64_t address)
{
	if (address < ranges->start || address >= ranges->end)
		return false;
	const struct pd_code_range *section = pd_code_file_section(ranges->file, address);
	return ranges->end - address >= LONGEST_INSTRUCTION || (section && ranges->end == section->end);
}

/* PERFDATA_END: the file has no code at the address. PERFDATA_ABSENT: no instruction begins there. */
static enum perfdata_status decode_instruction(struct pd_code_ranges *ranges, uint64_t at, struct pd_instruction *ret)
{
	if (!has_bytes(ranges, at) && !read_bytes(ranges, at))
		return PERFDATA_END;
	return pd_disassemble(ranges->disassembler, ranges->bytes + (at - ranges->start),
			      (size_t)(ranges->end - at), at, ret);
}

enum perfdata_status pd_code_ranges_walk(struct pd_code_ranges *ranges, uint64_t start, uint64_t end,
					 pd_take_instruction *take, void *user)
{
	const size_t unit = ranges->file->kind == PD_CODE_ARM64 ? 4 : 1;
	struct pd_instruction instruction;
	for (uint64_t at = start; at < end && at >= start; at += instruction.size) {
		const enum perfdata_status status = decode_instruction(ranges, at, &instruction);
		if (status == PERFDATA_ABSENT) {
			instruction.size = unit;
			continue;
		}
		if (status)
			return status == PERFDATA_END ? PERFDATA_OK : status;
		if (!take(user, &instruction))
			return PERFDATA_OK;
	}
	return PERFDATA_OK;
}

enum perfdata_status pd_code_ranges_goes_on(struct pd_code_ranges *ranges, uint64_t start, uint64_t end, bool *ret)
{
	struct pd_instruction instruction;
	struct known *known;
	*ret = true;
	for (uint64_t at = start; at < end && at >= start; at += known->size) {
		known = &ranges->known[at % NR_KNOWN];
		if (!known->size || known->address != at) {
			const enum perfdata_status status = decode_instruction(ranges, at, &instruction);
			if (status)
				return status == PERFDATA_END || status == PERFDATA_ABSENT ? PERFDATA_OK : status;
			*known = (struct known){
				.address = at, .size = (uint8_t)instruction.size,
				.is_direct_jump = instruction.flow == PD_FLOW_JUMP && instruction.has_target,
			};
		}
		if (known->is_direct_jump) {
			*ret = false;
			return PERFDATA_OK;
		}
	}
	return PERFDATA_OK;
}

enum perfdata_status pd_code_ranges_refuse(const struct pd_code_ranges *ranges, struct perfdata_error *reterr)
{
	return pd_error(reterr, PERFDATA_EUSAGE, PERFDATA_NO_OFFSET,
			"%s does not know an instruction of the program: LLVM (libLLVM) or capstone 5 would",
			pd_disassembler_name(ranges->disassembler));
}
