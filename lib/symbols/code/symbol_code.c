/* SPDX-License-Identifier: MIT */
/* Code bytes at the addresses of samples. Only a file with the recorded build-id is trusted to contain the executed
 * code; jitdump files contain the code itself. */
#include "config.h"
#include <string.h>
#include "base/memory.h"
#include "symbols/symbols.h"
#include "symbols/elf/symbol_elf.h"

static enum perfdata_status refuse_bytes(struct pd_code_bytes *code, const char *reason)
{
	code->reason = reason;
	return PERFDATA_ABSENT;
}

/* Whether a section of the file has code in this range; separate debug files have none. */
static bool has_code(const struct pd_elf *elf, uint64_t offset, uint64_t size)
{
	for (size_t i = 0; i < elf->section_count; i++) {
		const Elf64_Shdr *header = &elf->sections[i].header;
		if (pd_elf_is_code(header) && offset >= header->sh_offset &&
		    offset - header->sh_offset < header->sh_size &&
		    size <= header->sh_size - (offset - header->sh_offset))
			return pd_elf_in_file(elf, header);
	}
	return false;
}

/* Whether the file is the recorded one. PERFDATA_ENOMEM, PERFDATA_EREAD: unknown. */
static enum perfdata_status find_recorded(const struct perfdata_symbols_dso *dso, bool *ret)
{
	struct pd_build_id id;
	const struct perfdata_symbols_request *request = &dso->request;
	*ret = false;
	if (!request->build_id_size)
		return PERFDATA_OK;
	const enum perfdata_status status = pd_elf_build_id(dso->text, &id);
	if (status == PERFDATA_OK)
		*ret = id.size == request->build_id_size && !memcmp(id.bytes, request->build_id, id.size);
	return status == PERFDATA_ENOMEM || status == PERFDATA_EREAD ? status : PERFDATA_OK;
}

/* Reads code from the file at an offset. */
static enum perfdata_status code_of_file(struct perfdata_symbols_dso *dso, uint64_t address, size_t size,
					 struct pd_code_bytes *code)
{
	const struct pd_elf *elf = dso->text;
	uint64_t offset = address;
	if (!elf)
		return refuse_bytes(code, "the file with the code is not at hand");
	bool is_recorded;
	const enum perfdata_status known = find_recorded(dso, &is_recorded);
	if (known != PERFDATA_OK)
		return known;
	if (!is_recorded)
		return refuse_bytes(code, dso->request.build_id_size ? "the build-id of the file at hand differs"
							       : "no build-id was recorded that identifies the file");
	if (dso->request.kind == PERFDATA_DSO_KERNEL &&
	    !pd_elf_offset(elf, address + (uint64_t)dso->delta, &offset))
		return refuse_bytes(code, "the file of the kernel has no code at this address");
	if (!has_code(elf, offset, size))
		return refuse_bytes(code, "the file at hand has names and no code");
	code->machine = elf->header.e_machine;
	if (!pd_elf_vaddr(elf, offset, &code->address))
		code->address = offset;
	code->bytes = pd_malloc(size);
	if (!code->bytes)
		return PERFDATA_ENOMEM;
	if (pd_elf_read(elf, offset, code->bytes, size)) {
		code->size = size;
		return PERFDATA_OK;
	}
	pd_free(code->bytes);
	code->bytes = NULL;
	const enum perfdata_status failure = pd_elf_failure(elf);
	return failure ? failure : refuse_bytes(code, "the file at hand ends before");
}

static enum perfdata_status code_of_jit(const struct perfdata_symbols_dso *dso, uint64_t address, uint64_t time,
					size_t size, struct pd_code_bytes *code)
{
	const struct pd_jit_code *of = pd_jit_find(&dso->jit, address, time);
	if (!of || !of->bytes || address < of->start || size > of->end - address)
		return refuse_bytes(code, "the jitdump file has no code for this address");
	code->bytes = pd_malloc(size);
	if (!code->bytes)
		return PERFDATA_ENOMEM;
	memcpy(code->bytes, of->bytes + (address - of->start), size);
	code->size = size;
	code->address = address;
	code->machine = dso->jit.machine;
	return PERFDATA_OK;
}

static bool is_empty(const struct pd_code_bytes *code)
{
	for (size_t i = 0; i < code->size; i++)
		if (code->bytes[i])
			return false;
	return true;
}

enum perfdata_status pd_symbols_code(struct perfdata_symbols_dso *dso, uint64_t address, uint64_t time, uint64_t size,
				     struct pd_code_bytes *ret)
{
	struct perfdata_symbol symbol;
	*ret = (struct pd_code_bytes){ .address = address };
	if (!size || size > PD_MOST_CODE)
		return refuse_bytes(ret, "the function is larger than what is looked at");
	/* the look-up loads the file */
	enum perfdata_status status = perfdata_symbols_lookup(dso, address, time, &symbol);
	if (status != PERFDATA_OK && status != PERFDATA_ABSENT)
		return status;
	if (pd_symbols_has_answers(dso))
		return refuse_bytes(ret, "the bundle has only answers for this file: one of --level full has code");
	pd_symbols_lock(dso);
	switch (dso->request.kind) {
	case PERFDATA_DSO_JITDUMP:
		status = code_of_jit(dso, address, time, (size_t)size, ret);
		break;
	case PERFDATA_DSO_USER:
	case PERFDATA_DSO_VDSO:
	case PERFDATA_DSO_KERNEL:
		status = code_of_file(dso, address, (size_t)size, ret);
		break;
	default:
		status = refuse_bytes(ret, dso->request.kind == PERFDATA_DSO_PERF_MAP ? "perf maps have no code"
										 : "code of this kind is not read");
	}
	pd_monitor_leave(dso->lock);
	if (status == PERFDATA_OK && is_empty(ret)) {
		pd_code_release(ret);
		return refuse_bytes(ret, "the file at hand has zeros in place of its code");
	}
	return status;
}

void pd_code_release(struct pd_code_bytes *code)
{
	pd_free(code->bytes);
	code->bytes = NULL;
	code->size = 0;
}
