/* SPDX-License-Identifier: MIT */
/* The code of a function when it ran: from files (lib/symbols), or for BPF programs from the recording; with the
 * recorded changes of the kernel's code. */
#include "config.h"
#include <string.h>
#include "base/memory.h"
#include "reader/reader.h"
#include "schema/feature.h"
#include "session/session.h"
#include "session/state.h"
#include "symbols/symbols.h"

/* e_machine of the recorded kernel's code, of BPF programs too; 0: its instructions cannot be decoded. */
static unsigned machine_of(const struct pd_state *state)
{
	const char *name = pd_reader_text(state->reader, PERFDATA_FEATURE_ARCH);
	switch (pd_reader_arch(state->reader)) {
	case PERFDATA_ARCH_X86: return name && *name == 'i' ? PD_MACHINE_386 : PD_MACHINE_X86_64;
	case PERFDATA_ARCH_ARM64: return PD_MACHINE_ARM64;
	default: return 0;
	}
}

/* --- BPF programs ------------------------------------------------------------------------------------------------- */

static const struct perfdata_node *first_of(const struct perfdata_node *list) { return list ? list->child : NULL; }

/* Finds the machine code of the part of a program at an address; the record has the code of all parts, in order. */
static bool find_part(const struct perfdata_node *program, uint64_t address, struct perfdata_bytes *ret)
{
	const struct perfdata_node *code = perfdata_node_get(program, "jited_prog_insns");
	const struct perfdata_node *at = first_of(perfdata_node_get(program, "jited_ksyms"));
	const struct perfdata_node *size = first_of(perfdata_node_get(program, "jited_func_lens"));
	uint64_t offset = 0;
	for (; code && at && size; at = at->next, size = size->next) {
		if (offset > code->v.bytes.size || size->v.u > code->v.bytes.size - offset)
			return false;
		if (at->v.u == address) {
			*ret = (struct perfdata_bytes){ code->v.bytes.data + offset, (size_t)size->v.u };
			return true;
		}
		offset += size->v.u;
	}
	return false;
}

static bool find_program(const struct pd_state *state, uint64_t address, struct perfdata_bytes *ret)
{
	const struct perfdata_feature_section *section =
		perfdata_reader_feature(state->reader, PERFDATA_FEATURE_BPF_PROG_INFO);
	if (!section || !section->feature)
		return false;
	const struct perfdata_node *programs =
		perfdata_node_get(perfdata_feature_root(section->feature), "bpf_prog_info");
	for (const struct perfdata_node *program = first_of(programs); program; program = program->next)
		if (find_part(program, address, ret))
			return true;
	return false;
}

static enum perfdata_status code_of_program(const struct pd_state *state, const struct pd_dso *dso, uint64_t offset,
					    size_t size, struct pd_code_bytes *ret)
{
	struct perfdata_bytes found = { 0 };
	const bool is_found = find_program(state, dso->start, &found);
	ret->address = dso->start + offset;
	ret->machine = machine_of(state);
	if (!is_found || offset > found.size || size > found.size - offset) {
		ret->reason = "the recording has no code of the BPF program";
		return PERFDATA_ABSENT;
	}
	ret->bytes = pd_malloc(size);
	if (!ret->bytes)
		return PERFDATA_ENOMEM;
	memcpy(ret->bytes, found.data + offset, size);
	ret->size = size;
	return PERFDATA_OK;
}

/* --- changes ------------------------------------------------------------------------------------------------------ */

static bool is_whole(const struct pd_changed_code *code)
{
	return !memchr(code->known, PD_BYTE_UNKNOWN, code->size);
}

/* Sets the code of a function to its state at a time. start: recorded address. has_code: *ret has the bytes of some
 * time; without them, recorded changes must cover the whole function. */
static enum perfdata_status restore_bytes(const struct pd_state *state, uint64_t start, uint64_t time, size_t size,
					  bool has_code, struct pd_code_bytes *ret)
{
	struct pd_changed_code code = { .start = start, .size = size, .known = pd_calloc(size, 1) };
	enum perfdata_status status = has_code ? PERFDATA_OK : PERFDATA_ABSENT;
	code.bytes = has_code ? ret->bytes : pd_calloc(size, 1);
	if (!code.known || !code.bytes) {
		status = PERFDATA_ENOMEM;
	} else {
		pd_code_restore(state, time, &code);
		if (code.is_too_often) {
			status = PERFDATA_ABSENT;
			ret->reason = "the kernel changed this code more often than is followed";
		} else if (!has_code && is_whole(&code)) {
			*ret = (struct pd_code_bytes){
				.bytes = code.bytes, .size = size, .address = start, .machine = machine_of(state)
			};
			code.bytes = NULL;
			status = PERFDATA_OK;
		}
	}
	pd_free(code.known);
	if (!has_code)
		pd_free(code.bytes);
	else if (status != PERFDATA_OK)
		pd_code_release(ret);
	return status;
}

/* --- any code ----------------------------------------------------------------------------------------------------- */

static enum perfdata_status code_of_kernel(const struct pd_state *state, const struct pd_dso *dso, uint64_t start,
					   uint64_t size, struct pd_code_bytes *ret)
{
	struct perfdata_symbols_dso *kernel = atomic_load(&state->kernel_symbols);
	const bool is_module = dso->public.kind == PERFDATA_DSO_MODULE;
	enum perfdata_status status = PERFDATA_ABSENT;
	/* the kernel patches its code at boot, so its memory is right and its file may be wrong */
	if (kernel)
		status = pd_symbols_core_code(kernel, is_module ? dso->symbols : NULL, start, size, ret);
	return status == PERFDATA_ABSENT ? pd_symbols_code(dso->symbols, start, UINT64_MAX, size, ret) : status;
}

static const char *why_without_symbols(const struct pd_state *state, const struct pd_dso *dso)
{
	if (dso && dso->public.kind == PERFDATA_DSO_STATE)
		return "this is time off the CPU";
	if (!state->symbols)
		return "no file is looked at without names (--symbols)";
	if (dso && state->inside && !dso->build_id_size)
		return "no build-id was recorded that identifies the file";
	return "nothing is known of the file";
}

enum perfdata_status pd_session_code(const struct perfdata_session *session, uint32_t frame, uint64_t start,
				     uint64_t size, struct pd_code_bytes *ret)
{
	const struct pd_state *state = session->state;
	const struct perfdata_frame *at = perfdata_session_frame(session, frame);
	const struct pd_dso *dso = at && at->dso != PERFDATA_NONE ? pd_dso_at(state, at->dso) : NULL;
	uint64_t address;
	*ret = (struct pd_code_bytes){ .address = start, .reason = why_without_symbols(state, dso) };
	struct perfdata_symbols_dso *symbols = pd_session_symbols(session, frame, &address);
	const bool is_program = dso && dso->public.kind == PERFDATA_DSO_BPF;
	const bool is_kernel = dso && symbols && !dso->of_guest && !state->inside &&
			       (dso->public.kind == PERFDATA_DSO_KERNEL || dso->public.kind == PERFDATA_DSO_MODULE);
	if (!is_program && !symbols)
		return PERFDATA_ABSENT;
	if (!size || size > PD_MOST_CODE) {
		ret->reason = "the function is larger than what is looked at";
		return PERFDATA_ABSENT;
	}
	enum perfdata_status status =
		is_program  ? code_of_program(state, dso, start, (size_t)size, ret)
		: is_kernel ? code_of_kernel(state, dso, start, size, ret)
			    : pd_symbols_code(symbols, start - at->address + address,
					      at->time ? at->time : UINT64_MAX, size, ret);
	if ((status == PERFDATA_OK || status == PERFDATA_ABSENT) && (is_program || is_kernel) &&
	    state->code_changes.nr)
		status = restore_bytes(state, is_program ? dso->start + start : start, at->time, (size_t)size,
				 status == PERFDATA_OK, ret);
	return status;
}

/* --- targets ------------------------------------------------------------------------------------------------------ */

/* Finds the target of a call by its recorded address: kernel, modules and BPF programs use absolute addresses. */
static enum perfdata_status find_kernel_target(const struct perfdata_session *session, uint64_t address,
					       struct perfdata_symbol *ret)
{
	const struct pd_state *state = session->state;
	const struct pd_map *map = pd_maps_find(&state->kernel, address);
	const struct pd_dso *dso = map ? pd_dso_at(state, map->dso) : NULL;
	if (!dso || dso->public.kind != PERFDATA_DSO_BPF)
		return pd_session_kernel_symbol(session, address, ret);
	*ret = (struct perfdata_symbol){ .name = dso->public.name, .raw_name = dso->public.name,
					 .start = dso->start, .size = dso->end - dso->start,
					 .offset = address - dso->start };
	return PERFDATA_OK;
}

enum perfdata_status pd_session_target(const struct perfdata_session *session, uint32_t frame, uint64_t address,
				       struct perfdata_symbol *ret)
{
	const struct perfdata_frame *at = perfdata_session_frame(session, frame);
	const struct pd_dso *dso = at && at->dso != PERFDATA_NONE ? pd_dso_at(session->state, at->dso) : NULL;
	uint64_t frame_in_file;
	struct perfdata_symbols_dso *symbols = pd_session_symbols(session, frame, &frame_in_file);
	enum perfdata_status status = PERFDATA_ABSENT;
	if (symbols)
		status = perfdata_symbols_lookup(symbols, address - at->address + frame_in_file,
						 at->time ? at->time : UINT64_MAX, ret);
	if (status != PERFDATA_ABSENT || !dso || dso->of_guest)
		return status;
	if (dso->public.kind == PERFDATA_DSO_BPF)
		return find_kernel_target(session, dso->start + address, ret);
	return dso->public.kind == PERFDATA_DSO_KERNEL ? find_kernel_target(session, address, ret) : status;
}
