/* SPDX-License-Identifier: MIT */
#include "config.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "base/memory.h"
#include "emit/perf/script/script_cache.h"
#include "emit/perf/script/script_line.h"
#include "profile/profile.h"
#include "session/session.h"
#include "text/spelling.h"

/* --- the cache ---------------------------------------------------------------------------------------------------- */

static void plan_free(struct script_plan *plan)
{
	if (plan)
		free(plan->name);
	free(plan);
}

static void cache_free(void *pointer)
{
	struct script_cache *cache = pointer;
	if (!cache)
		return;
	for (size_t i = 0; i < cache->nr_plans; i++)
		plan_free(cache->plans[i]);
	free(cache->plans);
	pd_text_cache_release(&cache->frames);
	perfdata_text_release(&cache->building);
	free(cache);
}

struct script_cache *pd_script_cache_get(struct perfdata_scratch *scratch, const struct script_setup *setup)
{
	if (scratch->cache)
		return scratch->cache;
	struct script_cache *cache = calloc(1, sizeof *cache);
	if (!cache)
		return NULL;
	pd_text_cache_init(&cache->frames, setup->frame_texts, pd_profile_account_of(setup->session));
	scratch->cache = cache;
	scratch->free_cache = cache_free;
	return cache;
}

/* --- events ------------------------------------------------------------------------------------------------------- */

static bool is_branch_event(const struct perfdata_attr *attr)
{
	const uint64_t branches = 4;
	return attr->type == PERFDATA_TYPE_HARDWARE && attr->config == branches && attr->sample_period == 1;
}

static bool is_fault_event(const struct perfdata_attr *attr)
{
	const uint64_t page_faults = 2, minor_faults = 5, major_faults = 6;
	return attr->type == PERFDATA_TYPE_SOFTWARE &&
	       (attr->config == page_faults || attr->config == minor_faults || attr->config == major_faults);
}

static bool is_bpf_output_event(const struct perfdata_event *event)
{
	const uint64_t bpf_output = 10;
	return event->attr->type == PERFDATA_TYPE_SOFTWARE && event->attr->config == bpf_output;
}

/* Whether samples are those of `perf record --off-cpu`, which have a separate chain in the raw data. */
static bool is_offcpu(const struct perfdata_event *event)
{
	return is_bpf_output_event(event) && event->attr->sample_type & PERFDATA_SAMPLE_RAW &&
	       strncmp(event->name, "offcpu-time", 11) == 0;
}

/* NULL without memory. */
static struct script_plan *make_plan(const struct script_setup *setup, const struct perfdata_event *event)
{
	const struct perfdata_attr *attr = event->attr;
	const struct script_type_setup *type = &setup->types[pd_script_type_of(attr)];
	struct perfdata_text room;
	perfdata_text_init(&room);
	const char *name = pd_event_names_get(&setup->names, event, &room);
	const size_t size = strlen(name), width = size > setup->name_width ? size : setup->name_width;
	struct script_plan *plan = calloc(1, sizeof *plan);
	if (plan)
		plan->name = malloc(width + 2);
	if (!plan || !plan->name) {
		free(plan);
		perfdata_text_release(&room);
		return NULL;
	}
	memset(plan->name, ' ', width - size);
	memcpy(plan->name + width - size, name, size);
	memcpy(plan->name + width, ": ", 2);
	perfdata_text_release(&room);
	plan->name_size = width + 2;
	plan->fields = type->fields;
	plan->ip_fields = type->ip_fields;
	const bool chain_recorded = attr->sample_type & PERFDATA_SAMPLE_CALLCHAIN;
	plan->is_offcpu = is_offcpu(event);
	plan->has_chain = (chain_recorded || plan->is_offcpu) && setup->use_callchain;
	plan->bare_comm = chain_recorded && type->fields & SCRIPT_IP && setup->use_callchain;
	plan->who_style = (uint32_t)(plan->fields & (SCRIPT_COMM | SCRIPT_PID | SCRIPT_TID)) << 2 |
			  (plan->bare_comm ? 2u : 0) | 1u;
	plan->is_branch = is_branch_event(attr);
	plan->addr_has_symbol = plan->is_branch || is_fault_event(attr);
	plan->is_bpf_output = is_bpf_output_event(event) && !plan->is_offcpu;
	plan->is_synthesized = pd_script_type_of(attr) == SCRIPT_SYNTH;
	const uint64_t simple = SCRIPT_COMM | SCRIPT_TID | SCRIPT_PID | SCRIPT_TIME | SCRIPT_CPU | SCRIPT_EVENT |
				SCRIPT_PERIOD | SCRIPT_TRACE | SCRIPT_IP | SCRIPT_SYM | SCRIPT_DSO | SCRIPT_SYMOFF |
				SCRIPT_DSOFF | SCRIPT_TOD | SCRIPT_MISC | SCRIPT_MACHINE_PID | SCRIPT_VCPU;
	plan->from_raw = !(plan->fields & ~simple & ~(plan->is_bpf_output ? 0u : SCRIPT_BPF_OUTPUT)) &&
			 !plan->is_branch && !perfdata_attr_has(attr, PERFDATA_ATTR_DEFER_CALLCHAIN);
	plan->event = event;
	return plan;
}

const struct script_plan *pd_script_plan_get(struct script_cache *cache, const struct script_setup *setup,
					     const struct perfdata_event *event)
{
	if (pd_vector_reach(&cache->plans, &cache->nr_plans, event->version, sizeof *cache->plans) < 0)
		return NULL;
	struct script_plan **plan = &cache->plans[event->version];
	if (!*plan)
		*plan = make_plan(setup, event);
	return *plan;
}

/* --- frames ------------------------------------------------------------------------------------------------------- */

static bool find_symbol(const struct script_where *where, uint32_t frame, struct perfdata_symbol *ret)
{
	return frame != PERFDATA_NONE &&
	       perfdata_session_symbol(where->setup->session, frame, UINT64_MAX, ret) == PERFDATA_OK;
}

static void spell_symbol(const struct script_where *where, const struct perfdata_symbol *symbol,
			 struct perfdata_text *out)
{
	perfdata_text_string(out, symbol->name);
	if (where->ip_fields & SCRIPT_SYMOFF) {
		perfdata_text_literal(out, "+0x");
		pd_text_hex(out, symbol->offset);
	}
}

void pd_script_symbol_text(const struct script_where *where, uint32_t frame, struct perfdata_text *out)
{
	struct perfdata_symbol symbol;
	if (find_symbol(where, frame, &symbol))
		spell_symbol(where, &symbol, out);
	else
		perfdata_text_literal(out, "[unknown]");
}

/* perf prints addresses of a dso without symbols as offsets in the file. */
static bool has_offsets(const struct perfdata_session *session, const struct perfdata_dso *dso, uint32_t frame,
			uint64_t address)
{
	struct perfdata_symbol symbol;
	switch (dso->kind) {
	case PERFDATA_DSO_USER:
	case PERFDATA_DSO_VDSO:
	case PERFDATA_DSO_MODULE:
	case PERFDATA_DSO_NONE:
	case PERFDATA_DSO_STATE:
		return true;
	case PERFDATA_DSO_KERNEL:
		return dso->filename[0] == '/' ||
		       pd_session_kernel_symbol(session, address, &symbol) != PERFDATA_OK;
	case PERFDATA_DSO_PERF_MAP:
		return perfdata_session_symbol(session, frame, UINT64_MAX, &symbol) != PERFDATA_OK;
	default:
		return false;
	}
}

void pd_script_dso_text(const struct script_where *where, uint32_t frame, struct perfdata_text *out)
{
	const struct perfdata_session *session = where->setup->session;
	const struct perfdata_frame *at = perfdata_session_frame(session, frame);
	const struct perfdata_dso *dso = at ? perfdata_session_dso(session, at->dso) : NULL;
	if (!dso) {
		perfdata_text_literal(out, "[unknown]");
		return;
	}
	/* if perf prints an offset, it prints the whole path */
	const bool offset = where->ip_fields & SCRIPT_DSOFF && has_offsets(session, dso, frame, at->address);
	perfdata_text_string(out, offset || where->setup->kernel_path ? dso->long_name : dso->name);
	if (offset) {
		perfdata_text_literal(out, "+0x");
		pd_text_hex(out, dso->kind == PERFDATA_DSO_MODULE ? at->address - dso->start : at->address);
	}
}

static void spell_dso(const struct script_where *where, uint32_t frame, struct perfdata_text *out)
{
	if (!(where->ip_fields & SCRIPT_DSO))
		return;
	perfdata_text_literal(out, " (");
	pd_script_dso_text(where, frame, out);
	perfdata_text_char(out, ')');
}

static void spell_frame(const struct script_where *where, uint32_t frame, struct perfdata_text *out)
{
	if (where->ip_fields & SCRIPT_SYM) {
		perfdata_text_char(out, ' ');
		pd_script_symbol_text(where, frame, out);
	}
	spell_dso(where, frame, out);
}

/* Writes what perf prints for an address without a known line: "file:0" or "??:0" if addr2line knows only the function,
 * else the dso's short name and the address. */
static void spell_no_line(const struct script_where *where, uint32_t frame, const struct perfdata_dso *dso,
			  struct perfdata_text *out)
{
	const char *object = NULL;
	uint64_t address;
	if (pd_profile_object_of(where->setup->session, frame, &address, &object) == PERFDATA_OK) {
		const char *slash = object ? strrchr(object, '/') : NULL;
		perfdata_text_string(out, slash ? slash + 1 : object ? object : "??");
		perfdata_text_literal(out, ":0");
		return;
	}
	const char *slash = *dso->name == '[' ? NULL : strrchr(dso->name, '/');
	if (dso->kind == PERFDATA_DSO_PERF_MAP)
		perfdata_text_printf(out, "[JIT] tid %" PRId32, dso->pid);
	else
		perfdata_text_string(out, slash ? slash + 1 : dso->name);
	perfdata_text_char(out, '[');
	pd_text_hex(out, address);
	perfdata_text_char(out, ']');
}

/* Writes the source position on a separate line. */
static void spell_place(const struct script_where *where, uint32_t frame, const struct perfdata_source_line *line,
			struct perfdata_text *out)
{
	const struct perfdata_session *session = where->setup->session;
	const struct perfdata_frame *at = perfdata_session_frame(session, frame);
	const struct perfdata_dso *dso = at ? perfdata_session_dso(session, at->dso) : NULL;
	if (!(where->ip_fields & SCRIPT_IP_SRCLINE) || !dso)
		return;
	perfdata_text_literal(out, "\n  ");
	if (!line || !line->file) {
		spell_no_line(where, frame, dso, out);
		return;
	}
	const char *base = *line->file == '[' ? NULL : strrchr(line->file, '/');
	perfdata_text_string(out, base ? base + 1 : line->file);
	/* code without a source line has line 0 */
	perfdata_text_char(out, ':');
	perfdata_text_u64(out, line->line);
}

/* Writes the source position of the innermost inlined call at the address. */
static void spell_innermost(const struct script_where *where, uint32_t frame, struct perfdata_text *out)
{
	struct perfdata_source_line line;
	size_t nr = 0;
	if (!(where->ip_fields & SCRIPT_IP_SRCLINE))
		return;
	const bool known = pd_session_source(where->setup->session, frame, &line, 1, &nr) == PERFDATA_OK && nr;
	spell_place(where, frame, known ? &line : NULL, out);
}

static uint64_t key_of(const struct script_where *where, uint32_t id)
{
	return ((uint64_t)where->ip_fields << 32 | id) + 1;
}

void pd_script_frame_text(const struct script_where *where, uint32_t frame, struct perfdata_text *out)
{
	const uint64_t key = key_of(where, frame);
	if (pd_text_cache_append(&where->cache->frames, key, out))
		return;
	const size_t before = out->size;
	spell_frame(where, frame, out);
	spell_innermost(where, frame, out);
	if (!perfdata_text_failed(out))
		pd_text_cache_put(&where->cache->frames, key, out->data + before, out->size - before);
}

/* How many texts before it is needed a text is looked for, and is fetched. */
#define EXPECTED_BEFORE 8
#define FETCHED_BEFORE 4

void pd_script_fetch_frames(const struct script_where *where, const struct perfdata_delivery *delivery,
			    const struct perfdata_delivery *end)
{
	if (end - delivery > EXPECTED_BEFORE)
		text_cache_expect(&where->cache->frames, key_of(where, delivery[EXPECTED_BEFORE].ip));
	if (end - delivery > FETCHED_BEFORE)
		text_cache_fetch(&where->cache->frames, key_of(where, delivery[FETCHED_BEFORE].ip));
}

/* --- chains ------------------------------------------------------------------------------------------------------- */

#define ADDRESS_ROOM 40u

/* Begins the line of an address: a tab and 16 columns, or nothing if addresses are not printed. May write beyond the
 * returned end. */
static char *address_to(const struct script_where *where, char *at, uint64_t ip)
{
	if (!(where->ip_fields & SCRIPT_IP))
		return at;
	const unsigned digits = (unsigned)(67 - __builtin_clzll(ip | 1)) / 4;
	memcpy(at, "\t                ", 17);
	return pd_hex_to(at + 17 - digits, ip);
}

static bool is_stop(const struct script_setup *setup, const char *name)
{
	const size_t size = strlen(name);
	for (const char *at = setup->stop; *at;) {
		const size_t word = strcspn(at, ",");
		if (word == size && memcmp(at, name, size) == 0)
			return true;
		at += word + (at[word] == ',');
	}
	return false;
}

/* Looks up positions only if they are printed: they cost more than functions. */
static enum perfdata_status find_calls(const struct script_where *where, uint32_t frame,
				       struct perfdata_source_line *calls, size_t room, size_t *ret_nr)
{
	const struct perfdata_session *session = where->setup->session;
	return where->ip_fields & SCRIPT_IP_SRCLINE ? pd_session_source(session, frame, calls, room, ret_nr)
						    : pd_session_calls(session, frame, calls, room, ret_nr);
}

/* perf prints inlined calls as frames: with the offset in the containing function, or as this function if the names are
 * equal. If the calls are known, appends the text after the address of each line, with a NUL, then the text of the
 * containing function, and returns true. */
static bool spell_inlined(const struct script_where *where, uint32_t frame, struct perfdata_text *out)
{
	enum { MAX_INLINED = 64 };
	struct perfdata_source_line calls[MAX_INLINED];
	struct perfdata_symbol symbol;
	size_t nr;
	if (!find_symbol(where, frame, &symbol) ||
	    find_calls(where, frame, calls, MAX_INLINED, &nr) != PERFDATA_OK)
		return false;
	for (size_t i = 0; i < nr && i < MAX_INLINED && calls[i].inlined; i++) {
		const char *name = calls[i].function ? calls[i].function : "??";
		if (strcmp(name, symbol.name) == 0) {
			spell_frame(where, frame, out);
			spell_place(where, frame, &calls[i], out);
			perfdata_text_char(out, '\0');
			continue;
		}
		struct perfdata_symbol call = symbol;
		call.name = name;
		if (where->ip_fields & SCRIPT_SYM) {
			perfdata_text_char(out, ' ');
			spell_symbol(where, &call, out);
		}
		spell_place(where, frame, &calls[i], out);
		perfdata_text_append(out, " (inlined)", sizeof " (inlined)");
	}
	if (!nr || nr > MAX_INLINED || nr == 1)
		return false;
	spell_frame(where, frame, out);
	spell_place(where, frame, &calls[nr - 1], out);
	return true;
}

static uint64_t key_of_lines(const struct script_where *where, uint32_t frame, bool inlines)
{
	return key_of(where, frame) | (inlines ? 3ull : 2ull) << 62;
}

/* The lines of a frame without addresses. Each line ends with a NUL; the last of several has a 1 after it. Valid until
 * the next call. NULL without memory. */
static const char *lines_of(const struct script_where *where, uint32_t frame, bool inlines, size_t *ret_size)
{
	const uint64_t key = key_of_lines(where, frame, inlines);
	struct text_cache *cache = &where->cache->frames;
	const char *lines = text_cache_find(cache, key, ret_size);
	if (lines)
		return lines;
	struct perfdata_text *text = &where->cache->building;
	perfdata_text_clear(text);
	/* with inlined calls, spell_inlined also wrote the line of the containing function */
	const bool done = inlines && spell_inlined(where, frame, text);
	const bool several = text->size;
	if (!done) {
		spell_frame(where, frame, text);
		spell_innermost(where, frame, text);
	}
	perfdata_text_char(text, several ? '\1' : '\0');
	if (!perfdata_text_reserve(text, TEXT_CACHE_SLACK))
		return NULL;
	*ret_size = text->size;
	const char *kept = pd_text_cache_put(cache, key, text->data, text->size);
	return kept ? kept : text->data;
}

/* perf looks up no inlined calls at the source of a branch. */
static bool has_inlines(const struct script_where *where, const struct perfdata_step *step)
{
	return where->setup->inlines && step->origin != PERFDATA_STEP_BRANCH;
}

/* Fetches the lines of steps into the processor's caches, some time before they are needed. */
static void fetch_steps(const struct script_where *where, const struct perfdata_step *steps, size_t left)
{
	const struct text_cache *cache = &where->cache->frames;
	const struct perfdata_step *late = left > EXPECTED_BEFORE ? &steps[EXPECTED_BEFORE] : NULL,
				   *soon = left > FETCHED_BEFORE ? &steps[FETCHED_BEFORE] : NULL;
	if (late)
		text_cache_expect(cache, key_of_lines(where, late->frame, has_inlines(where, late)));
	if (soon)
		text_cache_fetch(cache, key_of_lines(where, soon->frame, has_inlines(where, soon)));
}

static void spell_step(const struct script_where *where, const struct perfdata_step *step, struct perfdata_text *out)
{
	size_t size;
	const char *lines = lines_of(where, step->frame, has_inlines(where, step), &size);
	if (!lines) {
		out->failed = true;
		return;
	}
	const char *const last = lines + size - 1;
	const bool several = *last;
	while (lines <= last) {
		const char *line_end = several ? memchr(lines, '\0', (size_t)(last - lines)) : NULL;
		line_end = line_end ? line_end : last;
		const size_t line_size = (size_t)(line_end - lines);
		char *at = perfdata_text_reserve(out, ADDRESS_ROOM + line_size + TEXT_CACHE_SLACK);
		if (!at)
			return;
		at = text_cache_copy(address_to(where, at, step->ip), lines, line_size);
		*at = '\n';
		perfdata_text_commit(out, at + 1);
		lines = line_end + 1;
	}
}

/* Writes the line for a missing deferred chain. */
static void spell_cookie(const struct script_where *where, const struct perfdata_step *step, struct perfdata_text *out)
{
	char *at = perfdata_text_reserve(out, ADDRESS_ROOM);
	if (!at)
		return;
	perfdata_text_commit(out, address_to(where, at, step->ip));
	if (where->ip_fields & SCRIPT_SYM)
		perfdata_text_literal(out, " (cookie)");
	spell_dso(where, step->frame, out);
	perfdata_text_char(out, '\n');
}

static void spell_stack(const struct script_where *where, const struct perfdata_step *steps, size_t nr, uint64_t cookie,
			struct perfdata_text *out)
{
	struct perfdata_symbol symbol;
	uint32_t emitted[PERFDATA_STEP_UNWOUND + 1] = { 0 };
	for (size_t i = 0; i < nr; i++) {
		fetch_steps(where, &steps[i], nr - i);
		/* recorded and unwound steps have separate limits */
		if (emitted[steps[i].origin]++ >= where->setup->max_stack && steps[i].origin != PERFDATA_STEP_BRANCH)
			continue;
		if (cookie && steps[i].ip == cookie)
			spell_cookie(where, &steps[i], out);
		else
			spell_step(where, &steps[i], out);
		if (where->setup->stop && find_symbol(where, steps[i].frame, &symbol) &&
		    is_stop(where->setup, symbol.name))
			break;
	}
}

void pd_script_stack_text(const struct script_where *where, const struct perfdata_step *steps, size_t nr,
			  uint64_t cookie, struct perfdata_text *out)
{
	spell_stack(where, steps, nr, cookie, out);
}

void pd_script_kernel_symbol(const void *session, uint64_t address, struct perfdata_text *out)
{
	struct perfdata_symbol symbol;
	if (pd_session_kernel_symbol(session, address, &symbol) != PERFDATA_OK)
		return;
	perfdata_text_string(out, symbol.name);
	perfdata_text_literal(out, "+0x");
	pd_text_hex(out, symbol.offset);
}
