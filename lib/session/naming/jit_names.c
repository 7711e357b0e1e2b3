/* SPDX-License-Identifier: MIT */
/* Code that a JIT compiler announced in a jitdump file. The compiler maps the file, so that the recording has an MMAP
 * record with its path. The code at an address changes with time: the session's thread looks up the code and makes
 * frames with its time, so that a name depends on the frame alone. */
#include "config.h"
#include <string.h>
#include "base/port.h"
#include "session/state.h"
#include "symbols/symbols.h"

/* ".../jit-PID.dump", as tools/perf/Documentation/jitdump-specification.txt has it. */
static bool is_jitdump(const char *filename, size_t size, uint32_t *ret_pid)
{
	const char *base = memrchr(filename, '/', size);
	base = base ? base + 1 : filename;
	const char *end = filename + size;
	if (end - base < 10 || memcmp(base, "jit-", 4) != 0 || memcmp(end - 5, ".dump", 5) != 0)
		return false;
	uint64_t pid = 0;
	for (const char *digit = base + 4; digit < end - 5; digit++) {
		if (*digit < '0' || *digit > '9' || pid > INT32_MAX)
			return false;
		pid = 10 * pid + (uint64_t)(*digit - '0');
	}
	*ret_pid = (uint32_t)pid;
	return pid <= INT32_MAX;
}

int pd_jitdump_mapped(struct pd_state *state, int32_t pid, const char *filename, size_t size,
		      const uint64_t *id_words)
{
	struct pd_jitdump found = { .device = id_words[0], .inode = id_words[1],
				    .generation = pd_recorded_generation(id_words) };
	if (!state->symbols || !is_jitdump(filename, size, &found.namespace_pid) || pd_jitdump_of(state, pid))
		return 0;
	struct pd_jitdump *jitdump = pd_arena_alloc(&state->arena, sizeof *jitdump);
	found.filename = pd_arena_copy(&state->arena, filename, size);
	if (!jitdump || !found.filename)
		return -1;
	*jitdump = found;
	/* look-ups before this one did not depend on the time */
	pd_address_cache_drop(&state->addresses);
	atomic_store_explicit(&state->has_jitdumps, true, memory_order_relaxed);
	return pd_hash_map_put(&state->jitdumps, (uint32_t)pid, (uint64_t)(uintptr_t)jitdump);
}

const struct pd_jitdump *pd_jitdump_of(const struct pd_state *state, int32_t pid)
{
	uint64_t value;
	return pd_hash_map_get(&state->jitdumps, (uint32_t)pid, &value) ? (const struct pd_jitdump *)(uintptr_t)value
									: NULL;
}

bool pd_dso_find_jitdump(struct pd_state *state, struct pd_dso *dso)
{
	if (dso->public.kind != PERFDATA_DSO_PERF_MAP || !state->symbols)
		return false;
	if (dso->jitdump)
		return true;
	const struct pd_jitdump *jitdump = pd_jitdump_of(state, dso->public.pid);
	if (!jitdump)
		return false;
	struct perfdata_symbols_request request = {
		.size = sizeof request, .kind = PERFDATA_DSO_JITDUMP, .path = jitdump->filename,
	};
	pd_identify_jitdump(state, jitdump, &request);
	return perfdata_symbols_dso(state->symbols, &request, &dso->jitdump) == PERFDATA_OK;
}

uint64_t pd_jit_time(struct pd_state *state, struct pd_dso *dso, uint64_t address, bool *ret_timed)
{
	struct perfdata_symbol symbol;
	if (!pd_dso_find_jitdump(state, dso))
		return 0;
	*ret_timed = true;
	pd_dso_find_symbols(state, dso);
	if (dso->symbols && perfdata_symbols_lookup(dso->symbols, address, UINT64_MAX, &symbol) == PERFDATA_OK &&
	    !pd_symbols_differ(dso->symbols, address))
		return 0;
	return perfdata_symbols_lookup(dso->jitdump, address, state->now, &symbol) == PERFDATA_OK ? symbol.time : 0;
}

/* Whether to look for overlaps in a perf map. If it was not loaded, no output has used its names. */
static bool is_map_to_report(const struct pd_dso *dso)
{
	return dso->public.kind == PERFDATA_DSO_PERF_MAP && dso->symbols && !dso->ambiguity_is_reported &&
	       pd_symbols_is_loaded(dso->symbols);
}

void pd_jit_report_overlaps(struct pd_state *state)
{
	bool any = false;
	if (!state->symbols)
		return;
	for (uint32_t i = 0; i < state->dsos.count; i++)
		any = any || is_map_to_report(pd_dso_at(state, i));
	for (uint32_t i = 0; i < state->frames.count && any; i++) {
		const struct perfdata_frame *frame = pd_table_at(&state->frames, i);
		struct pd_dso *dso = frame->dso == PERFDATA_NONE || frame->time ? NULL : pd_dso_at(state, frame->dso);
		if (dso && is_map_to_report(dso))
			dso->nr_ambiguous += pd_symbols_differ(dso->symbols, frame->address);
	}
	for (uint32_t i = 0; i < state->dsos.count && any; i++) {
		struct pd_dso *dso = pd_dso_at(state, i);
		if (!dso->nr_ambiguous || dso->ambiguity_is_reported)
			continue;
		dso->ambiguity_is_reported = true;
		pd_symbols_report_overlap(dso->symbols, dso->nr_ambiguous);
	}
}
