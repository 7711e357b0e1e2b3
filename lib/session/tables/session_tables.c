/* SPDX-License-Identifier: MIT */
/* Look-ups in a session that any thread may call: see the section on tables in perfdata/session.h. */
#include "config.h"
#include <stdio.h>
#include <string.h>
#include "base/digit.h"
#include "base/error.h"
#include "base/memory.h"
#include "session/session.h"
#include "session/state.h"
#include "symbols/symbols.h"

const char *perfdata_session_comm(const struct perfdata_session *session, uint32_t comm)
{
	return comm == PERFDATA_NONE || !session->state ? "" : pd_intern_get(session->state->comms, comm, NULL);
}

const struct perfdata_dso *perfdata_session_dso(const struct perfdata_session *session, uint32_t dso)
{
	return dso == PERFDATA_NONE || !session->state ? NULL : &pd_dso_at(session->state, dso)->public;
}

uint32_t perfdata_session_nr_dsos(const struct perfdata_session *session)
{
	return session->state ? pd_table_count(&session->state->dsos) : 0;
}

struct perfdata_bytes perfdata_session_build_id(const struct perfdata_session *session, uint32_t dso,
						enum perfdata_build_id_source *ret_source)
{
	const struct pd_dso *entry = pd_dso_at(session->state, dso);
	size_t size = __atomic_load_n(&entry->build_id_size, __ATOMIC_ACQUIRE);
	if (ret_source && size)
		*ret_source = entry->source;
	return (struct perfdata_bytes){ entry->build_id, size };
}

void pd_session_build_id_text(const struct perfdata_session *session, uint32_t dso, char ret[PD_BUILD_ID_TEXT])
{
	const struct perfdata_bytes id = perfdata_session_build_id(session, dso, NULL);
	pd_hex_digits(ret, id.data, id.size < PERFDATA_BUILD_ID_MAX ? id.size : PERFDATA_BUILD_ID_MAX);
}

struct perfdata_bytes perfdata_session_false_build_id(const struct perfdata_session *session, uint32_t dso)
{
	const struct pd_dso *entry = pd_dso_at(session->state, dso);
	return (struct perfdata_bytes){ entry->false_build_id, entry->false_build_id_size };
}

uint64_t perfdata_session_nr_maps(const struct perfdata_session *session, uint32_t dso)
{
	return __atomic_load_n(&pd_dso_at(session->state, dso)->nr_maps, __ATOMIC_RELAXED);
}

uint64_t perfdata_session_inode(const struct perfdata_session *session, uint32_t id)
{
	const struct pd_dso *dso = pd_dso_at(session->state, id);
	/* an MMAP2 record has either an inode or a build-id */
	return dso->source == PERFDATA_BUILD_ID_MMAP2 ? 0 : dso->id_words[1];
}

bool perfdata_session_has_namesake(const struct perfdata_session *session, uint32_t dso)
{
	return pd_dso_at(session->state, dso)->has_namesake;
}

/* Returns how many files could not be read so far, for want of descriptors, memory or rights. */
static size_t count_failed(const struct perfdata_session *session)
{
	return session->state->symbols ? pd_symbols_failed(session->state->symbols) : 0;
}

static enum perfdata_status failure_since(const struct perfdata_session *session, size_t failed_before)
{
	return count_failed(session) != failed_before ? pd_symbols_failure(session->state->symbols) : PERFDATA_OK;
}

enum perfdata_status perfdata_session_origin(const struct perfdata_session *session, uint32_t id,
					     struct perfdata_symbols_origin *ret)
{
	struct pd_dso *dso = pd_dso_at(session->state, id);
	const size_t before = count_failed(session);
	pd_dso_find_symbols(session->state, dso);
	const enum perfdata_status status = failure_since(session, before);
	if (status != PERFDATA_OK)
		return status;
	return dso->symbols ? pd_symbols_origin(dso->symbols, ret) : PERFDATA_ABSENT;
}

enum perfdata_status perfdata_session_unidentified(const struct perfdata_session *session, uint32_t id,
						   const char **ret_reason)
{
	struct pd_dso *dso = pd_dso_at(session->state, id);
	const size_t before = count_failed(session);
	pd_dso_find_symbols(session->state, dso);
	*ret_reason = dso->symbols ? pd_symbols_unidentified(dso->symbols) : NULL;
	const enum perfdata_status status = failure_since(session, before);
	if (status != PERFDATA_OK)
		return status;
	return *ret_reason ? PERFDATA_OK : PERFDATA_ABSENT;
}

enum perfdata_status perfdata_session_jitdump(const struct perfdata_session *session, uint32_t id,
					      const char **ret_path, struct perfdata_symbols_origin *ret)
{
	const struct pd_dso *dso = pd_dso_at(session->state, id);
	const struct pd_jitdump *jitdump = dso->jitdump ? pd_jitdump_of(session->state, dso->public.pid) : NULL;
	if (!jitdump)
		return PERFDATA_ABSENT;
	*ret_path = jitdump->filename;
	const enum perfdata_status status = pd_symbols_origin(dso->jitdump, ret);
	return status ? status : ret->file ? PERFDATA_OK : PERFDATA_ABSENT;
}

bool perfdata_session_in_chain(const struct perfdata_session *session, uint32_t dso)
{
	return __atomic_load_n(&pd_dso_at(session->state, dso)->in_chain, __ATOMIC_RELAXED);
}

const struct perfdata_frame *perfdata_session_frame(const struct perfdata_session *session, uint32_t frame)
{
	return frame & PERFDATA_FRAME_CALLER || !session->state ? NULL : pd_table_at(&session->state->frames, frame);
}

bool pd_session_frame_is_kernel(const struct perfdata_session *session, uint32_t frame)
{
	const struct perfdata_frame *at = perfdata_session_frame(session, frame);
	const struct perfdata_dso *dso = at && at->dso != PERFDATA_NONE ? perfdata_session_dso(session, at->dso)
									 : NULL;
	return dso &&
	       (dso->kind == PERFDATA_DSO_KERNEL || dso->kind == PERFDATA_DSO_MODULE ||
		dso->kind == PERFDATA_DSO_BPF || dso->kind == PERFDATA_DSO_STATE);
}

uint32_t pd_session_nr_frames(const struct perfdata_session *session)
{
	return session->state ? pd_table_count(&session->state->frames) : 0;
}

uint32_t perfdata_session_nr_stacks(const struct perfdata_session *session)
{
	return session->state && session->state->stacks.with_ids ? session->state->stacks.ids.count : 0;
}

/* Lists the steps from the stack's node to the root. */
enum perfdata_status perfdata_session_stack(const struct perfdata_session *session, uint32_t stack,
					    struct perfdata_step *steps, size_t room, size_t *ret_nr)
{
	*ret_nr = 0;
	if (stack >= perfdata_session_nr_stacks(session))
		return PERFDATA_ABSENT;
	struct pd_stack_ids *ids = &session->state->stacks.ids;
	uint32_t node = pd_stack_ids_node(ids, stack);
	if (node == UINT32_MAX)
		return ids->status;
	for (; node; ++*ret_nr) {
		struct perfdata_step step;
		if (pd_step_tree_get(&ids->tree, node, &node, &step) < 0)
			return ids->tree.status;
		if (*ret_nr < room)
			steps[*ret_nr] = step;
	}
	return PERFDATA_OK;
}

/* Whether a dso has the name of a module: "[xfs]", or a path if the table of build-ids has one. */
static bool is_module(const char *name, const char *module)
{
	const char *base = strrchr(name, '/');
	base = base ? base + 1 : *name == '[' ? name + 1 : name;
	const size_t size = strlen(module);
	for (size_t i = 0; i < size; i++)
		if (base[i] != module[i] && !(base[i] == '-' && module[i] == '_'))
			return false;
	return base[size] == ']' || base[size] == '.' || !base[size];
}

/* Takes the address of a frame or, for a caller's frame, of its call. false: the address is in no file. */
static bool find_address(const struct perfdata_session *session, uint32_t frame, struct perfdata_frame *ret)
{
	const struct perfdata_frame *at = frame == PERFDATA_NONE
						  ? NULL
						  : perfdata_session_frame(session, frame & ~PERFDATA_FRAME_CALLER);
	if (!at || at->dso == PERFDATA_NONE)
		return false;
	*ret = *at;
	/* in recordings of simpleperf, return addresses are already inside the call */
	ret->address -= frame & PERFDATA_FRAME_CALLER && ret->address && !session->state->inside ? 1 : 0;
	return true;
}

bool pd_session_file_offset(const struct perfdata_session *session, uint32_t frame, uint32_t *ret_dso,
			    uint64_t *ret_offset)
{
	const struct perfdata_frame *at = perfdata_session_frame(session, frame);
	if (!at || at->dso == PERFDATA_NONE)
		return false;
	*ret_dso = at->dso;
	*ret_offset = pd_inside_file_address(pd_dso_at(session->state, at->dso), at->address);
	return true;
}

struct perfdata_symbols_dso *pd_session_dso_symbols(const struct perfdata_session *session, uint32_t id)
{
	struct pd_dso *dso = pd_dso_at(session->state, id);
	pd_dso_find_symbols(session->state, dso);
	return dso->symbols;
}

/* The names for a frame. A frame of JIT code has a time if the perf map has no name for the address. */
static struct perfdata_symbols_dso *symbols_at(const struct pd_dso *dso, const struct perfdata_frame *at)
{
	return at->time && dso->public.kind == PERFDATA_DSO_PERF_MAP ? dso->jitdump : dso->symbols;
}

bool pd_session_knows_files(const struct perfdata_session *session, uint32_t frame)
{
	struct perfdata_frame at;
	if (!find_address(session, frame, &at))
		return true;
	const struct pd_dso *dso = pd_dso_at(session->state, at.dso);
	const struct perfdata_symbols_dso *symbols = symbols_at(dso, &at);
	return !symbols || pd_dso_knows_files(symbols);
}

/* Looks in the file first, which has the recorded build-id and all functions: the recording has only the functions of
 * samples, but may name some that the file lacks. */
static enum perfdata_status find_by_inside(const struct pd_state *state, const struct pd_dso *dso, uint64_t address,
					   uint64_t time, struct perfdata_symbol *ret)
{
	if (dso->symbols) {
		const uint64_t in_file = pd_inside_file_address(dso, address);
		const enum perfdata_status status = perfdata_symbols_lookup(dso->symbols, in_file, time, ret);
		if (status == PERFDATA_OK)
			ret->start += address - in_file;
		if (status != PERFDATA_ABSENT)
			return status;
	}
	return pd_inside_look_up(state, dso, address, ret);
}

static enum perfdata_status find_symbol(const struct perfdata_session *session, uint32_t frame, uint64_t time,
					struct perfdata_symbol *ret)
{
	struct perfdata_frame copy, *at = &copy;
	if (!find_address(session, frame, &copy))
		return PERFDATA_ABSENT;
	const struct pd_dso *dso = pd_dso_at(session->state, at->dso);
	if (dso->public.kind == PERFDATA_DSO_BPF || dso->public.kind == PERFDATA_DSO_STATE) {
		*ret = (struct perfdata_symbol){ .name = dso->public.name,
						 .raw_name = dso->public.name,
						 .size = dso->end - dso->start,
						 .offset = at->address };
		return PERFDATA_OK;
	}
	if (session->state->inside)
		return find_by_inside(session->state, dso, at->address, time, ret);
	if (!dso->symbols)
		return PERFDATA_ABSENT;
	if (symbols_at(dso, at) != dso->symbols)
		return perfdata_symbols_lookup(dso->jitdump, at->address, at->time, ret);
	enum perfdata_status status = perfdata_symbols_lookup(dso->symbols, at->address, time, ret);
	/* kallsyms of another boot may have another module there */
	if (status == PERFDATA_OK && dso->public.kind == PERFDATA_DSO_MODULE && ret->module &&
	    !is_module(dso->public.name, ret->module))
		return PERFDATA_ABSENT;
	/* kallsyms also names code in a module without a map, such as [ftrace_trampoline]: perf leaves it out */
	if (status == PERFDATA_OK && dso->public.kind == PERFDATA_DSO_KERNEL && ret->module)
		return PERFDATA_ABSENT;
	return status;
}

enum perfdata_status perfdata_session_symbol(const struct perfdata_session *session, uint32_t frame, uint64_t time,
					     struct perfdata_symbol *ret)
{
	const enum perfdata_status status = find_symbol(session, frame, time, ret);
	if (session->state && time == UINT64_MAX && (status == PERFDATA_OK || status == PERFDATA_ABSENT))
		/* ignores callers' frames and PERFDATA_NONE, whose numbers are too large */
		pd_leaf_set_named(&session->state->leaves, frame, status == PERFDATA_OK);
	return status;
}

enum perfdata_status pd_session_kernel_symbol(const struct perfdata_session *session, uint64_t address,
					      struct perfdata_symbol *ret)
{
	struct perfdata_symbols_dso *kernel = session->state ? atomic_load(&session->state->kernel_symbols) : NULL;
	return kernel ? perfdata_symbols_lookup(kernel, address, UINT64_MAX, ret) : PERFDATA_ABSENT;
}

enum perfdata_status pd_session_names_failure(const struct perfdata_session *session, struct perfdata_error *reterr)
{
	const struct pd_state *state = session->state;
	const bool inside_failed = state && state->inside && state->inside->failure;
	enum perfdata_status status = inside_failed ? state->inside->failure : PERFDATA_OK;
	const char *why = perfdata_status_text(status);
	char room[128];

	if (!inside_failed && state && state->symbols) {
		if (pd_symbols_are_cancelled(state->symbols)) {
			status = PERFDATA_EINTR;
			why = "the work was cancelled";
		} else if (pd_symbols_failed(state->symbols) != state->failures_before) {
			status = pd_symbols_failure(state->symbols);
			why = pd_symbols_failure_text(state->symbols, room, sizeof room);
		}
	}
	return status ? pd_error(reterr, status, PERFDATA_NO_OFFSET, "names are missing: %s", why) : status;
}

void pd_session_report_lacking(const struct perfdata_session *session)
{
	const struct pd_state *state = session->state;
	for (uint32_t i = 0; state && i < state->dsos.count; i++) {
		const struct pd_dso *dso = pd_dso_at(state, i);
		if (dso->symbols)
			pd_answers_report(dso->symbols);
		if (dso->jitdump)
			pd_answers_report(dso->jitdump);
	}
}

bool pd_session_load_next(const struct perfdata_session *session, bool lines)
{
	return session->state && session->state->symbols && session->filter.passes_samples &&
	       pd_symbols_load_next(session->state->symbols, lines);
}

/* The symbols of a frame's file, and the address in it; NULL: there are none. */
static struct perfdata_symbols_dso *symbols_of(const struct perfdata_session *session, uint32_t frame,
					       uint64_t *ret_address)
{
	struct perfdata_frame at;
	const struct pd_dso *dso = find_address(session, frame, &at) ? pd_dso_at(session->state, at.dso) : NULL;
	*ret_address = dso ? pd_inside_file_address(dso, at.address) : 0;
	return dso ? dso->symbols : NULL;
}

struct perfdata_symbols_dso *pd_session_symbols(const struct perfdata_session *session, uint32_t frame,
						uint64_t *ret_address)
{
	struct perfdata_frame at;
	const struct pd_dso *dso = find_address(session, frame, &at) ? pd_dso_at(session->state, at.dso) : NULL;
	if (dso && symbols_at(dso, &at) != dso->symbols) {
		*ret_address = at.address;
		return dso->jitdump;
	}
	return symbols_of(session, frame, ret_address);
}

bool pd_session_lacks_answer(const struct perfdata_session *session, uint32_t frame)
{
	uint64_t address;
	struct perfdata_symbols_dso *symbols = pd_session_symbols(session, frame, &address);
	return symbols && pd_symbols_lack_answer(symbols, address);
}

const char *pd_session_nameless_text(const struct perfdata_session *session, uint32_t frame)
{
	return pd_session_lacks_answer(session, frame) ? "[not in this bundle]" : "[unknown]";
}

struct perfdata_symbols *pd_session_names(const struct perfdata_session *session) { return session->state->symbols; }

enum perfdata_status pd_session_source(const struct perfdata_session *session, uint32_t frame,
				       struct perfdata_source_line *entries, size_t room, size_t *ret_count)
{
	struct perfdata_frame at;
	uint64_t address;
	struct perfdata_symbols_dso *symbols = pd_session_symbols(session, frame, &address);
	const uint64_t time = find_address(session, frame, &at) ? at.time : 0;
	return symbols ? pd_symbols_source_at(symbols, address, time, entries, room, ret_count) : PERFDATA_ABSENT;
}

enum perfdata_status pd_session_calls(const struct perfdata_session *session, uint32_t frame,
				      struct perfdata_source_line *entries, size_t room, size_t *ret_count)
{
	uint64_t address;
	struct perfdata_symbols_dso *symbols = symbols_of(session, frame, &address);
	return symbols ? perfdata_symbols_calls(symbols, address, entries, room, ret_count) : PERFDATA_ABSENT;
}

enum perfdata_status pd_session_object(const struct perfdata_session *session, uint32_t frame, uint64_t *ret_address,
				       const char **ret)
{
	struct perfdata_symbols_dso *symbols = symbols_of(session, frame, ret_address);
	return symbols ? pd_symbols_object(symbols, *ret_address, ret_address, ret) : PERFDATA_ABSENT;
}
