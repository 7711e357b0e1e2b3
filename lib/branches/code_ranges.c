/* SPDX-License-Identifier: MIT */
/* Walks over the instructions of a range of code. A page of code is read at a time. */
#include "config.h"
#include "branches/code_ranges.h"
#include "base/error.h"
#include "base/memory.h"
#include "symbols/symbols.h"

#define BYTES_AT_ONCE ((uint64_t)4096)
#define LONGEST_INSTRUCTION 15u

struct pd_code_ranges {
	const struct pd_code_file *file;
	struct pd_disassembler *disassembler;
	uint64_t start, end;     /* of what was read */
	uint8_t bytes[BYTES_AT_ONCE];
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

/* Reads the bytes at an address, as many as fit and the section has. false: the file does not have them. */
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

/* Whether the bytes read contain a whole instruction, or the rest of the section. */
static bool has_bytes(const struct pd_code_ranges *ranges, uint64_t address)
{
	if (address < ranges->start || address >= ranges->end)
		return false;
	const struct pd_code_range *section = pd_code_file_section(ranges->file, address);
	return ranges->end - address >= LONGEST_INSTRUCTION || (section && ranges->end == section->end);
}

static enum perfdata_status walk_code(struct pd_code_ranges *ranges, uint64_t start, uint64_t end, bool skips,
				      pd_take_instruction *take, void *user)
{
	const size_t unit = ranges->file->kind == PD_CODE_ARM64 ? 4 : 1;
	struct pd_instruction instruction;
	for (uint64_t at = start; at <= end && at >= start; at += instruction.size) {
		if (!has_bytes(ranges, at) && !read_bytes(ranges, at))
			return PERFDATA_OK;
		const enum perfdata_status status =
			pd_disassemble(ranges->disassembler, ranges->bytes + (at - ranges->start),
				       (size_t)(ranges->end - at), at, &instruction);
		if (status == PERFDATA_ABSENT && skips) {
			instruction.size = unit;
			continue;
		}
		if (status)
			return status == PERFDATA_ABSENT ? PERFDATA_OK : status;
		if (!take(user, &instruction))
			return PERFDATA_OK;
	}
	return PERFDATA_OK;
}

enum perfdata_status pd_code_ranges_walk(struct pd_code_ranges *ranges, uint64_t start, uint64_t end,
					 pd_take_instruction *take, void *user)
{
	return start < end ? walk_code(ranges, start, end - 1, true, take, user) : PERFDATA_OK;
}

struct looking {
	uint64_t end;
	bool goes_on;
};

static bool look_for_jump(void *user, const struct pd_instruction *instruction)
{
	struct looking *looking = user;
	looking->goes_on = instruction->address >= looking->end ||
			   !(instruction->flow == PD_FLOW_JUMP && instruction->has_target);
	return looking->goes_on;
}

enum perfdata_status pd_code_ranges_goes_on(struct pd_code_ranges *ranges, uint64_t start, uint64_t end, bool *ret)
{
	struct looking looking = { .end = end, .goes_on = true };
	const enum perfdata_status status = walk_code(ranges, start, end, false, look_for_jump, &looking);
	*ret = looking.goes_on;
	return status;
}

enum perfdata_status pd_code_ranges_refuse(const struct pd_code_ranges *ranges, struct perfdata_error *reterr)
{
	return pd_error(reterr, PERFDATA_EUSAGE, PERFDATA_NO_OFFSET,
			"%s does not know an instruction of the program: LLVM (libLLVM) or capstone 5 would",
			pd_disassembler_name(ranges->disassembler));
}
