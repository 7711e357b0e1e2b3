/* SPDX-License-Identifier: MIT */
/* Which files have stacks that end too early: their callers are unknown, so sums of callers are incomplete. */
#ifndef PD_BROKEN_STACKS_H
#define PD_BROKEN_STACKS_H

#include "perfdata/session.h"
#include "perfdata/text.h"

/* Stacks of one event whose user part was executing a file. */
struct pd_broken_file {
	uint32_t dso;
	uint64_t stacks;
	uint64_t single;             /* of these: the user part is one frame */
	uint64_t outside;            /* the outermost frame of several is in no mapping */
};

struct pd_broken_stacks {
	struct pd_broken_file *files;        /* by dso */
	size_t room;
	uint64_t stacks;             /* all with a user part */
	uint64_t cut;                /* of these: the stack continues above its recorded copy */
	uint32_t depth;              /* of the deepest, with its kernel part */
	uint64_t deepest;            /* how many are as deep */
};

/* The user part of a stack that has a chain. */
struct pd_broken_chain {
	uint32_t nr;                 /* frames; 0: there is no user part, which says nothing */
	uint32_t depth;              /* frames with those of the kernel */
	uint32_t leaf, root;         /* its innermost and outermost frame; PERFDATA_NONE: in no mapping */
	bool is_cut;
};

void pd_broken_stacks_clear(struct pd_broken_stacks *broken);
void pd_broken_stacks_release(struct pd_broken_stacks *broken);
/* Adds so many samples of a stack. False without memory. */
bool pd_broken_stacks_add(struct pd_broken_stacks *broken, const struct perfdata_session *session,
			  const struct pd_broken_chain *chain, uint64_t samples);
/* The files that are worth reporting, most such stacks first: at most `room`. */
size_t pd_broken_stacks_files(const struct pd_broken_stacks *broken, struct pd_broken_file *files, size_t room);
/* How many stacks of the event were cut: above their recorded copy, or, if they are many, where the kernel stopped to
 * record callers. */
uint64_t pd_broken_stacks_cut(const struct pd_broken_stacks *broken, const struct perfdata_event *event);
/* One sentence about stacks that were cut, with what would help. False: there are none. */
bool pd_broken_stacks_spell_cut(const struct pd_broken_stacks *broken, const struct perfdata_event *event,
				struct perfdata_text *out);
/* One sentence about a file, with a remedy; `event` is the event of the samples. */
void pd_broken_stacks_spell(const struct pd_broken_file *file, const struct perfdata_session *session,
			    const struct perfdata_event *event, struct perfdata_text *out);

#endif
