/* SPDX-License-Identifier: MIT */
/* Finds files with stacks that end too early: their callers are unknown, so sums of callers are incomplete. */
#ifndef PD_BROKEN_STACKS_H
#define PD_BROKEN_STACKS_H

#include "perfdata/session.h"
#include "perfdata/text.h"

/* A file, and the stacks of one event whose innermost user frame is in the file. */
struct pd_broken_file {
	uint32_t dso;
	uint64_t stacks;
	uint64_t single;             /* stacks whose user part is one frame */
	uint64_t outside;            /* stacks of several frames, whose outermost is in no mapping */
};

struct pd_broken_stacks {
	struct pd_broken_file *files;        /* indexed by dso */
	size_t room;
	uint64_t stacks;             /* all stacks with a user part */
	uint64_t cut;                /* stacks that continue above the recorded stack memory */
	uint32_t depth;              /* frames of the deepest stack, with its kernel part */
	uint64_t deepest;            /* number of stacks of this depth */
};

/* The user part of a stack that has a chain. */
struct pd_broken_chain {
	uint32_t nr;                 /* frames; 0: no user part, such a stack is not counted */
	uint32_t depth;              /* frames, with those of the kernel */
	uint32_t leaf, root;         /* its innermost and outermost frame; PERFDATA_NONE: in no mapping */
	bool is_cut;
};

void pd_broken_stacks_clear(struct pd_broken_stacks *broken);
void pd_broken_stacks_release(struct pd_broken_stacks *broken);
/* Adds a stack of `samples` samples. False without memory. */
bool pd_broken_stacks_add(struct pd_broken_stacks *broken, const struct perfdata_session *session,
			  const struct pd_broken_chain *chain, uint64_t samples);
/* Finds at most `room` files to report, ordered by their number of stacks that end too early. */
size_t pd_broken_stacks_files(const struct pd_broken_stacks *broken, struct pd_broken_file *files, size_t room);
/* Returns how many stacks of the event were cut: at the end of the recorded stack memory, or, if there are many such
 * stacks, at the kernel's limit of a stack. */
uint64_t pd_broken_stacks_cut(const struct pd_broken_stacks *broken, const struct perfdata_event *event);
/* Writes a sentence about stacks that were cut, with a remedy. False: there are none. */
bool pd_broken_stacks_spell_cut(const struct pd_broken_stacks *broken, const struct perfdata_event *event,
				struct perfdata_text *out);
/* Writes a sentence about a file, with a remedy. event: the event of its samples. */
void pd_broken_stacks_spell(const struct pd_broken_file *file, const struct perfdata_session *session,
			    const struct perfdata_event *event, struct perfdata_text *out);

#endif
