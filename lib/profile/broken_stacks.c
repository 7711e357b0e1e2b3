/* SPDX-License-Identifier: MIT */
#include "config.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "base/memory.h"
#include "perfdata/top.h"
#include "profile/broken_stacks.h"
#include "profile/profile.h"
#include "session/session.h"

/* Thresholds for reporting a file: number of its stacks, their share of all stacks, and the share of its stacks that
 * end early. */
enum { LEAST_STACKS = 20, LEAST_PERCENT = 2, LEAST_BROKEN = 10 };

static double percent_of(uint64_t part, uint64_t all) { return all ? (double)part / (double)all * 100 : 0; }

void pd_broken_stacks_clear(struct pd_broken_stacks *broken)
{
	if (broken->files)
		memset(broken->files, 0, broken->room * sizeof *broken->files);
	broken->stacks = broken->cut = broken->deepest = 0;
	broken->depth = 0;
}

void pd_broken_stacks_release(struct pd_broken_stacks *broken)
{
	pd_free(broken->files);
	*broken = (struct pd_broken_stacks){ 0 };
}

bool pd_broken_stacks_add(struct pd_broken_stacks *broken, const struct perfdata_session *session,
			  const struct pd_broken_chain *chain, uint64_t samples)
{
	if (!chain->nr)
		return true;
	const struct perfdata_frame *leaf = perfdata_session_frame(session, chain->leaf);
	const struct perfdata_frame *root = perfdata_session_frame(session, chain->root);
	broken->stacks += samples;
	broken->cut += chain->is_cut ? samples : 0;
	if (chain->depth > broken->depth) {
		broken->depth = chain->depth;
		broken->deepest = 0;
	}
	broken->deepest += chain->depth == broken->depth ? samples : 0;
	if (!leaf || leaf->dso == PERFDATA_NONE)
		return true;
	if (pd_vector_reach(&broken->files, &broken->room, leaf->dso, sizeof *broken->files) < 0)
		return false;
	struct pd_broken_file *file = &broken->files[leaf->dso];
	file->stacks += samples;
	file->single += chain->nr == 1 && !chain->is_cut ? samples : 0;
	file->outside += chain->nr > 1 && !chain->is_cut && (!root || root->dso == PERFDATA_NONE) ? samples : 0;
	return true;
}

static uint64_t broken_of(const struct pd_broken_file *file) { return file->single + file->outside; }

static int compare_files(const void *left, const void *right)
{
	const struct pd_broken_file *a = left, *b = right;
	if (broken_of(a) != broken_of(b))
		return broken_of(a) < broken_of(b) ? 1 : -1;
	return a->dso > b->dso ? 1 : -1;
}

size_t pd_broken_stacks_files(const struct pd_broken_stacks *broken, struct pd_broken_file *files, size_t room)
{
	size_t nr = 0;
	for (size_t i = 0; i < broken->room; i++) {
		struct pd_broken_file file = broken->files[i];
		file.dso = (uint32_t)i;
		if (file.stacks < LEAST_STACKS || percent_of(file.stacks, broken->stacks) < LEAST_PERCENT ||
		    percent_of(broken_of(&file), file.stacks) < LEAST_BROKEN)
			continue;
		/* If the list is full, the new file replaces the file with the fewest stacks. */
		if (nr < room)
			files[nr++] = file;
		else if (room && compare_files(&file, &files[nr - 1]) < 0)
			files[nr - 1] = file;
		qsort(files, nr, sizeof *files, compare_files);
	}
	return nr;
}

/* Returns the kernel's limit of a stack. Recordings lack kernel.perf_event_max_stack, so its default counts. */
static uint32_t most_addresses(const struct perfdata_attr *attr)
{
	const uint32_t usual = 127;
	return attr->sample_max_stack ? attr->sample_max_stack : usual;
}

uint64_t pd_broken_stacks_cut(const struct pd_broken_stacks *broken, const struct perfdata_event *event)
{
	if (event->attr->sample_type & PERFDATA_SAMPLE_STACK_USER)
		return broken->cut;
	/* If a stack is deeper, the limit was another one. A single stack at the limit is nearly always a chain of
	 * frame pointers that goes through code without frame pointers. */
	const bool at_limit = broken->depth == most_addresses(event->attr) && broken->deepest >= LEAST_STACKS &&
			      percent_of(broken->deepest, broken->stacks) >= LEAST_PERCENT;
	return at_limit ? broken->deepest : 0;
}

bool pd_broken_stacks_spell_cut(const struct pd_broken_stacks *broken, const struct perfdata_event *event,
				struct perfdata_text *out)
{
	const uint32_t most = 65528, copied = event->attr->sample_stack_user;
	const uint64_t cut = pd_broken_stacks_cut(broken, event);
	if (!cut)
		return false;
	perfdata_text_printf(out, "%" PRIu64 " of %" PRIu64 " stacks (%.2f %%) were cut: they ", cut, broken->stacks,
			     percent_of(cut, broken->stacks));
	if (!(event->attr->sample_type & PERFDATA_SAMPLE_STACK_USER)) {
		perfdata_text_printf(out, "have %" PRIu32 " addresses, ", broken->depth);
		perfdata_text_string(out, event->attr->sample_max_stack
						  ? "as many as were asked for (max-stack)"
						  : "the kernel's limit; raise it before recording: sysctl "
						    "kernel.perf_event_max_stack=1024");
		return true;
	}
	perfdata_text_literal(out, "are deeper than the ");
	perfdata_text_printf(out, "%" PRIu32 " bytes that were copied of each; record with ", copied);
	if (copied < most)
		perfdata_text_printf(out, "--call-graph dwarf,%" PRIu32 ", or ", most);
	perfdata_text_literal(out, "frame pointers (-g)");
	return true;
}

void pd_broken_stacks_spell(const struct pd_broken_file *file, const struct perfdata_session *session,
			    const struct perfdata_event *event, struct perfdata_text *out)
{
	const uint64_t call_stack = 1 << 11;
	const struct perfdata_attr *attr = event->attr;
	const double single = percent_of(file->single, file->stacks),
		     outside = percent_of(file->outside, file->stacks);
	const char *path = perfdata_session_dso(session, file->dso)->name, *slash = strrchr(path, '/');
	const char *name = *path != '[' && slash && slash[1] ? slash + 1 : path;
	const bool tells_single = single >= 0.5;
	if (tells_single)
		perfdata_text_printf(out, "%.0f %% of stacks of ", single);
	else
		perfdata_text_printf(out, "%.0f %% of stacks of ", outside);
	perfdata_text_shortened(out, name, 0);
	perfdata_text_string(out, tells_single ? " end after one frame" : " end at an address that no file holds");
	if (tells_single && outside >= 0.5)
		perfdata_text_printf(out, ", %.0f %% at an address that no file holds", outside);
	if (attr->sample_type & PERFDATA_SAMPLE_STACK_USER)
		perfdata_text_literal(out, ": not unwound further; perfdata match says which files are missing");
	else if (attr->sample_type & PERFDATA_SAMPLE_BRANCH_STACK && attr->branch_sample_type & call_stack)
		perfdata_text_literal(out, ": the processor kept no more calls");
	else
		perfdata_text_literal(out, ": built without frame pointers; record with --call-graph dwarf or lbr");
}

/* --- for programs that read batches ------------------------------------------------------------------------------- */

struct perfdata_broken_stacks {
	const struct perfdata_session *session;
	struct pd_broken_stacks *events;     /* by index of the event */
	const struct perfdata_event **of;    /* by the same index */
	size_t nr, room;
	struct perfdata_text text;           /* text of the last row */
};

enum perfdata_status perfdata_broken_stacks_new(struct perfdata_broken_stacks **ret)
{
	struct perfdata_broken_stacks *all = pd_calloc(1, sizeof *all);
	*ret = all;
	if (!all)
		return PERFDATA_ENOMEM;
	perfdata_text_init(&all->text);
	return PERFDATA_OK;
}

void perfdata_broken_stacks_free(struct perfdata_broken_stacks *all)
{
	if (!all)
		return;
	for (size_t i = 0; i < all->nr; i++)
		pd_broken_stacks_release(&all->events[i]);
	pd_free(all->events);
	pd_free(all->of);
	perfdata_text_release(&all->text);
	pd_free(all);
}

static struct pd_broken_stacks *of_event(struct perfdata_broken_stacks *all, const struct perfdata_event *event)
{
	if (event->index >= all->nr) {
		size_t room = all->room;
		if (pd_vector_reach(&all->events, &room, event->index, sizeof *all->events) < 0 ||
		    pd_vector_reach(&all->of, &all->room, event->index, sizeof *all->of) < 0)
			return NULL;
		all->nr = event->index + 1u;
	}
	all->of[event->index] = event;
	return &all->events[event->index];
}

/* Steps begin with the innermost callee, so steps of the kernel come before steps of the user. */
static struct pd_broken_chain chain_of(const struct perfdata_session *session, const struct perfdata_step *steps,
				       size_t nr)
{
	size_t first = nr;
	while (first && !pd_session_frame_is_kernel(session, steps[first - 1].frame))
		first--;
	if (first == nr)
		return (struct pd_broken_chain){ 0 };
	return (struct pd_broken_chain){ .nr = (uint32_t)(nr - first),
					 .depth = (uint32_t)nr,
					 .leaf = steps[first].frame,
					 .root = steps[nr - 1].frame,
					 .is_cut = steps[nr - 1].origin == PD_ORIGIN_CUT };
}

enum perfdata_status perfdata_broken_stacks_take(struct perfdata_broken_stacks *all,
						 const struct perfdata_batch *batch)
{
	all->session = batch->session;
	for (size_t i = 0; i < batch->nr_deliveries; i++) {
		const struct perfdata_delivery *delivery = perfdata_batch_delivery(batch, i);
		size_t nr;
		if (delivery->record->type != PERFDATA_RECORD_SAMPLE || !delivery->event ||
		    delivery->flags & PERFDATA_DELIVERY_SILENT ||
		    !(delivery->event->attr->sample_type & PERFDATA_SAMPLE_CALLCHAIN))
			continue;
		const struct perfdata_step *steps = perfdata_batch_stack(batch, delivery, &nr);
		if (!nr)
			continue;
		struct pd_broken_stacks *broken = of_event(all, delivery->event);
		const struct pd_broken_chain chain = chain_of(batch->session, steps, nr);
		if (!broken || !pd_broken_stacks_add(broken, batch->session, &chain, 1))
			return PERFDATA_ENOMEM;
	}
	return PERFDATA_OK;
}

enum { FILES_TOLD = 3 };     /* files to report for an event */

enum perfdata_status perfdata_broken_stacks_row(struct perfdata_broken_stacks *all, size_t number,
						struct perfdata_broken_row *ret)
{
	struct pd_broken_file files[FILES_TOLD];
	for (size_t i = 0; i < all->nr; i++) {
		const struct pd_broken_stacks *broken = &all->events[i];
		const size_t nr_files = broken->stacks ? pd_broken_stacks_files(broken, files, FILES_TOLD) : 0;
		const uint64_t cut = broken->stacks ? pd_broken_stacks_cut(broken, all->of[i]) : 0;
		const size_t nr = nr_files + (cut > 0);
		if (number >= nr) {
			number -= nr;
			continue;
		}
		perfdata_text_clear(&all->text);
		*ret = (struct perfdata_broken_row){ .event = all->of[i]->name, .stacks = broken->stacks };
		if (cut && !number) {
			ret->cut = cut;
			pd_broken_stacks_spell_cut(broken, all->of[i], &all->text);
		} else {
			const struct pd_broken_file *file = &files[number - (cut > 0)];
			ret->dso = perfdata_session_dso(all->session, file->dso)->name;
			ret->stacks = file->stacks;
			ret->single = file->single;
			ret->outside = file->outside;
			pd_broken_stacks_spell(file, all->session, all->of[i], &all->text);
		}
		perfdata_text_append(&all->text, "", 1);
		ret->text = all->text.data;
		return perfdata_text_failed(&all->text) ? PERFDATA_ENOMEM : PERFDATA_OK;
	}
	return PERFDATA_ABSENT;
}
