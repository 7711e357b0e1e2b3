/* SPDX-License-Identifier: MIT */
/* Which files have stacks that end too early: their callers are unknown, so sums of callers are incomplete. */
#ifndef PD_STACK_BROKEN_H
#define PD_STACK_BROKEN_H

#include "emit/stacks/stack_route.h"

/* Stacks of one event whose user part was executing a file. */
struct stack_broken_file {
	uint32_t dso;
	uint64_t stacks;
	uint64_t single;             /* of these: the user part is one frame */
	uint64_t outside;            /* the outermost frame of several is in no mapping */
};

struct stack_broken {
	struct stack_broken_file *files;     /* by dso */
	size_t room;
	uint64_t stacks;             /* all with a user part */
	uint64_t cut;                /* broken stacks that continue above the recorded copy of the stack */
};

void pd_stack_broken_clear(struct stack_broken *broken);
void pd_stack_broken_release(struct stack_broken *broken);
/* Adds so many samples of a stack, from its root on. False without memory. */
bool pd_stack_broken_add(struct stack_broken *broken, const struct perfdata_session *session,
			 const struct stack_path *path, uint64_t samples);
/* The files that are worth telling of, most such stacks first: at most `room`. */
size_t pd_stack_broken_files(const struct stack_broken *broken, struct stack_broken_file *files, size_t room);
/* One sentence about stacks that were cut, with what would help. False: there are none. */
bool pd_stack_broken_spell_cut(const struct stack_broken *broken, const struct perfdata_event *event,
			       struct perfdata_text *out);
/* One sentence about a file, with a remedy; `event` is the event of the samples. */
void pd_stack_broken_spell(const struct stack_broken_file *file, const struct perfdata_session *session,
			   const struct perfdata_event *event, struct perfdata_text *out);

#endif
