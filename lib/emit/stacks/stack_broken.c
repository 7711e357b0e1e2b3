/* SPDX-License-Identifier: MIT */
#include "config.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "base/memory.h"
#include "emit/stacks/stack_broken.h"
#include "emit/stacks/stack_text.h"

/* A file is reported from so many stacks of the file, this share of all stacks, this share of the file's stacks that
 * end early. */
enum { LEAST_STACKS = 20, LEAST_PERCENT = 2, LEAST_BROKEN = 10 };

void pd_stack_broken_clear(struct stack_broken *broken)
{
	if (broken->files)
		memset(broken->files, 0, broken->room * sizeof *broken->files);
	broken->stacks = broken->cut = 0;
}

void pd_stack_broken_release(struct stack_broken *broken)
{
	pd_free(broken->files);
	*broken = (struct stack_broken){ 0 };
}

bool pd_stack_broken_add(struct stack_broken *broken, const struct perfdata_session *session,
			 const struct stack_path *path, uint64_t samples)
{
	size_t nr = 0;
	/* a sample without a chain says nothing; neither do stacks of the kernel alone */
	if (!path->nr_steps || path->steps[0].origin == PD_ORIGIN_ALONE)
		return true;
	while (nr < path->nr_steps && !pd_stack_frame_is_kernel(session, path->steps[nr].frame))
		nr++;
	if (!nr)
		return true;
	const struct stack_step *leaf = &path->steps[nr - 1], *root = &path->steps[0];
	const struct perfdata_frame *at = leaf->frame == PERFDATA_NONE ? NULL
								       : perfdata_session_frame(session, leaf->frame);
	broken->stacks += samples;
	broken->cut += root->is_cut ? samples : 0;
	if (!at || at->dso == PERFDATA_NONE)
		return true;
	if (pd_vector_reach(&broken->files, &broken->room, at->dso, sizeof *broken->files) < 0)
		return false;
	struct stack_broken_file *file = &broken->files[at->dso];
	const struct perfdata_frame *outermost = root->frame == PERFDATA_NONE
							 ? NULL
							 : perfdata_session_frame(session, root->frame);
	file->stacks += samples;
	file->single += nr == 1 && !root->is_cut ? samples : 0;
	file->outside += nr > 1 && !root->is_cut && (!outermost || outermost->dso == PERFDATA_NONE) ? samples : 0;
	return true;
}

static uint64_t broken_of(const struct stack_broken_file *file) { return file->single + file->outside; }

static int compare_files(const void *left, const void *right)
{
	const struct stack_broken_file *a = left, *b = right;
	if (broken_of(a) != broken_of(b))
		return broken_of(a) < broken_of(b) ? 1 : -1;
	return a->dso > b->dso ? 1 : -1;
}

size_t pd_stack_broken_files(const struct stack_broken *broken, struct stack_broken_file *files, size_t room)
{
	size_t nr = 0;
	for (size_t i = 0; i < broken->room; i++) {
		struct stack_broken_file file = broken->files[i];
		file.dso = (uint32_t)i;
		if (file.stacks < LEAST_STACKS || pd_stack_percent(file.stacks, broken->stacks) < LEAST_PERCENT ||
		    pd_stack_percent(broken_of(&file), file.stacks) < LEAST_BROKEN)
			continue;
		/* the list is short: the new one takes the place of the least */
		if (nr < room)
			files[nr++] = file;
		else if (room && compare_files(&file, &files[nr - 1]) < 0)
			files[nr - 1] = file;
		qsort(files, nr, sizeof *files, compare_files);
	}
	return nr;
}

bool pd_stack_broken_spell_cut(const struct stack_broken *broken, const struct perfdata_event *event,
			       struct perfdata_text *out)
{
	const uint32_t most = 65528, copied = event->attr->sample_stack_user;
	if (!broken->cut)
		return false;
	perfdata_text_printf(out, "%" PRIu64 " of %" PRIu64 " stacks (%.2f %%) were cut: they are deeper than the ",
			     broken->cut, broken->stacks, pd_stack_percent(broken->cut, broken->stacks));
	perfdata_text_printf(out, "%" PRIu32 " bytes that were copied of each; record with ", copied);
	if (copied < most)
		perfdata_text_printf(out, "--call-graph dwarf,%" PRIu32 ", or ", most);
	perfdata_text_literal(out, "frame pointers (-g)");
	return true;
}

void pd_stack_broken_spell(const struct stack_broken_file *file, const struct perfdata_session *session,
			   const struct perfdata_event *event, struct perfdata_text *out)
{
	const uint64_t call_stack = 1 << 11;
	const struct perfdata_attr *attr = event->attr;
	const double single = pd_stack_percent(file->single, file->stacks),
		     outside = pd_stack_percent(file->outside, file->stacks);
	const char *name = pd_stack_last_part(perfdata_session_dso(session, file->dso)->name);
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
