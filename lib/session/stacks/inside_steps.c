/* SPDX-License-Identifier: MIT */
/* Stacks of recordings of simpleperf. A stack is the sample's own address and its callers. simpleperf unwound the stack
 * through the interpreter of Android's runtime (ART), and added a frame of the dex code to the frames of the
 * interpreter that ran it. The session shows the same frames as simpleperf. */
#include "config.h"
#include <string.h>
#include "base/memory.h"
#include "base/port.h"
#include "session/state.h"

#define MOST_STEPS 8192u

enum kind { NATIVE, INTERPRETED, JIT, ART };

static bool name_ends_with(struct perfdata_bytes name, const char *end)
{
	const size_t size = strlen(end);
	return name.size >= size && !memcmp(name.data + name.size - size, end, size);
}

static bool name_is(struct perfdata_bytes name, const char *wanted)
{
	return name.size == strlen(wanted) && !memcmp(name.data, wanted, name.size);
}

static const struct perfdata_frame *frame_at(const struct pd_state *state, uint32_t frame)
{
	return frame == PERFDATA_NONE ? NULL : pd_table_at(&state->frames, frame);
}

static const struct pd_dso *dso_of(const struct pd_state *state, const struct perfdata_step *step)
{
	const struct perfdata_frame *frame = frame_at(state, step->frame);
	return frame && frame->dso != PERFDATA_NONE ? pd_dso_at(state, frame->dso) : NULL;
}

/* The recorded name of a step; empty: none. */
static struct perfdata_bytes name_of(const struct pd_state *state, const struct perfdata_step *step)
{
	const struct perfdata_frame *frame = frame_at(state, step->frame);
	const struct pd_dso *dso = dso_of(state, step);
	const struct pd_inside_symbol *symbol = dso ? pd_inside_symbol_of(dso, frame->address) : NULL;

	return symbol ? pd_inside_raw(dso->inside, symbol) : (struct perfdata_bytes){ (const uint8_t *)"", 0 };
}

/* --- which frames are shown --------------------------------------------------------------------------------------- */

static bool is_trampoline(const struct pd_state *state, const struct perfdata_step *step)
{
	return name_ends_with(name_of(state, step), "jni_trampoline");
}

static enum kind kind_of(const struct pd_state *state, const struct perfdata_step *step)
{
	const struct pd_dso *dso = dso_of(state, step);
	return !dso ? NATIVE : dso->code == PD_CODE_DEX ? INTERPRETED : dso->code == PD_CODE_JIT ? JIT : NATIVE;
}

static bool is_entry(const struct pd_state *state, const struct perfdata_step *step)
{
	const struct pd_dso *dso = dso_of(state, step);
	return dso && (dso->code == PD_CODE_ART || is_trampoline(state, step));
}

/* Marks the frames of the interpreter, and of the bridges to and from it, that are next to Java code. false: the stack
 * has no Java code. */
static bool mark_kinds(const struct pd_state *state, const struct perfdata_step *steps, size_t nr, uint8_t *kinds)
{
	bool any = false;

	for (size_t i = 0; i < nr; i++) {
		kinds[i] = (uint8_t)kind_of(state, &steps[i]);
		any |= kinds[i] != NATIVE;
	}
	if (!any)
		return false;
	bool near = false;
	for (size_t i = 0; i < nr; i++) {
		if (kinds[i] == NATIVE && near && is_entry(state, &steps[i]))
			kinds[i] = ART;
		near = kinds[i] != NATIVE;
	}
	near = false;
	for (size_t i = nr; i-- > 0;) {
		if (kinds[i] == NATIVE && near && is_entry(state, &steps[i]))
			kinds[i] = ART;
		near = kinds[i] != NATIVE;
	}
	/* a frame that a trampoline called is a native method, and is shown */
	for (size_t i = 1; i < nr; i++)
		if (kinds[i] == ART && kinds[i - 1] == ART && is_trampoline(state, &steps[i]))
			kinds[i - 1] = NATIVE;
	return true;
}

static void hide_art(struct pd_steps *steps, uint8_t *kinds)
{
	size_t kept = 0;

	for (size_t i = 0; i < steps->count; i++) {
		if (kinds[i] == ART)
			continue;
		steps->items[kept] = steps->items[i];
		kinds[kept++] = kinds[i];
	}
	steps->count = kept;
}

/* "ret pkg.Class.method(args)" has the function name pkg.Class.method. */
static struct perfdata_bytes function_of(struct perfdata_bytes name)
{
	const uint8_t *bracket = memchr(name.data, '(', name.size);
	if (bracket)
		name.size = (size_t)(bracket - name.data);
	const uint8_t *blank = memrchr(name.data, ' ', name.size);
	if (blank) {
		name.size -= (size_t)(blank + 1 - name.data);
		name.data = blank + 1;
	}
	return name;
}

/* The frame of a method in the dex file that it was compiled from; PERFDATA_NONE: no dex file has it. */
static uint32_t dex_frame(struct pd_state *state, const struct perfdata_step *step)
{
	struct pd_inside_file *file;
	const struct pd_inside_symbol *symbol;
	const struct perfdata_bytes name = function_of(name_of(state, step));

	if (!name.size || !pd_inside_dex_symbol(state->inside, name, &file, &symbol, &state->status))
		return PERFDATA_NONE;
	const struct pd_dso_key key = { .kind = PERFDATA_DSO_USER, .filename = (const char *)file->path.data,
					.filename_size = file->path.size, .pid = -1 };
	const struct perfdata_frame at = { .dso = pd_dso_get(state, &key), .address = symbol->address };
	if (at.dso == PERFDATA_NONE)
		state->status = PERFDATA_ENOMEM;
	return at.dso == PERFDATA_NONE ? PERFDATA_NONE : pd_frame_get(state, &at);
}

static bool is_same_symbol(const struct pd_state *state, const struct perfdata_step *a, const struct perfdata_step *b)
{
	const struct pd_dso *dso = dso_of(state, a);
	const struct perfdata_frame *x = frame_at(state, a->frame), *y = frame_at(state, b->frame);

	if (!dso || dso_of(state, b) != dso)
		return false;
	const struct pd_inside_symbol *symbol = pd_inside_symbol_of(dso, x->address);
	return symbol && symbol == pd_inside_symbol_of(dso, y->address);
}

/* Gives a compiled method the name and file of the interpreted one, so that both are one method. A method that was
 * compiled while it ran has two frames; one of them stays. */
static void merge_jit(struct pd_state *state, struct pd_steps *steps, uint8_t *kinds)
{
	size_t kept = 0;

	for (size_t i = 0; i < steps->count; i++) {
		struct perfdata_step *step = &steps->items[i];
		const uint32_t frame = kinds[i] == JIT ? dex_frame(state, step) : PERFDATA_NONE;
		if (frame != PERFDATA_NONE) {
			step->frame = frame;
			if (i + 1 < steps->count && is_same_symbol(state, step, step + 1))
				continue;
		}
		steps->items[kept] = *step;
		kinds[kept++] = kinds[i];
	}
	steps->count = kept;
}

/* Cuts the stack after the function that begins a thread, and before an address that is in no file. */
static void end_stack(const struct pd_state *state, struct pd_steps *steps)
{
	for (size_t i = 0; i < steps->count; i++) {
		const struct pd_dso *dso = dso_of(state, &steps->items[i]);
		if (!dso && i) {
			steps->count = i;
			return;
		}
		if (!dso || dso->code != PD_CODE_LIBC)
			continue;
		const struct perfdata_bytes name = name_of(state, &steps->items[i]);
		if (name_is(name, "__libc_init") || name_is(name, "__start_thread"))
			steps->count = i + 1;
	}
}

static int show_steps(struct pd_state *state, struct pd_steps *steps)
{
	uint8_t few[256], *kinds = steps->count > sizeof few ? pd_malloc(steps->count) : few;

	if (!kinds) {
		state->status = PERFDATA_ENOMEM;
		return -1;
	}
	if (mark_kinds(state, steps->items, steps->count, kinds)) {
		if (!state->inside->show_art)
			hide_art(steps, kinds);
		merge_jit(state, steps, kinds);
	}
	if (kinds != few)
		pd_free(kinds);
	end_stack(state, steps);
	return state->status == PERFDATA_OK ? 0 : -1;
}

/* --- gathering ---------------------------------------------------------------------------------------------------- */

static int add_step(struct pd_state *state, const struct pd_thread *thread, unsigned cpumode, uint64_t ip,
		    uint16_t origin)
{
	struct pd_steps *steps = &state->stacks.scratch;

	if (steps->count >= MOST_STEPS)
		return 0;
	if (pd_vector_grow(&steps->items, &steps->room, steps->count, sizeof *steps->items) < 0) {
		state->status = PERFDATA_ENOMEM;
		return -1;
	}
	const uint32_t frame = pd_frame_of(state, thread, cpumode, ip);
	steps->items[steps->count++] = (struct perfdata_step){
		.ip = ip, .frame = frame, .cpumode = (uint16_t)cpumode, .origin = origin
	};
	return 0;
}

bool pd_inside_is_usual(const struct pd_chain *chain)
{
	const struct perfdata_list *list = chain->recorded;
	const uint64_t marker = chain->cpumode == PERFDATA_CPUMODE_KERNEL ? PERFDATA_CONTEXT_KERNEL
									  : PERFDATA_CONTEXT_USER;
	return list->count >= 2 && perfdata_list_u64(list, 0) == marker && perfdata_list_u64(list, 1) == chain->ip;
}

int pd_inside_gather(struct pd_state *state, const struct pd_thread *thread, const struct pd_chain *chain)
{
	const struct perfdata_list *list = chain->recorded;
	unsigned cpumode = chain->cpumode;
	bool first = true;

	state->stacks.scratch.count = 0;
	if (add_step(state, thread, cpumode, chain->ip, PERFDATA_STEP_RECORDED) < 0)
		return -1;
	for (uint64_t i = 0; i < list->count; i++) {
		const uint64_t ip = perfdata_list_u64(list, i);
		if (ip == PERFDATA_CONTEXT_KERNEL)
			cpumode = PERFDATA_CPUMODE_KERNEL;
		else if (ip == PERFDATA_CONTEXT_USER)
			cpumode = PERFDATA_CPUMODE_USER;
		if (ip >= PERFDATA_CONTEXT_MAX)
			continue;
		/* the chain begins with the sample's own address, too */
		if ((!first || ip != chain->ip) && add_step(state, thread, cpumode, ip, PERFDATA_STEP_RECORDED) < 0)
			return -1;
		first = false;
	}
	for (size_t i = 0; i < chain->nr_unwound; i++)
		if ((i || chain->unwound[i] != chain->ip) &&
		    add_step(state, thread, PERFDATA_CPUMODE_USER, chain->unwound[i], PERFDATA_STEP_UNWOUND) < 0)
			return -1;
	return show_steps(state, &state->stacks.scratch);
}
