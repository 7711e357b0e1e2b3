/* SPDX-License-Identifier: MIT */
/* The facts about the recording's host and recorder, the warnings that come before any number, and findings about the
 * recording as a whole. */
#ifndef PD_STACK_HEAD_H
#define PD_STACK_HEAD_H

#include "perfdata/emit.h"

/* The command line of the recorder, its arguments separated by blanks; nothing if it is unknown. */
void pd_stack_head_command(const struct perfdata_reader *reader, struct perfdata_text *out);

struct stack_fact {
	const char *name;            /* "host", "kernel", …; NULL ends the table */
	uint32_t feature;            /* enum perfdata_feature_id; its text */
};
extern const struct stack_fact pd_stack_facts[];

/* Calls `say` with a line for each warning: losses, damage, the first findings. */
void pd_stack_head_warnings(const struct perfdata_emit_end *end, void (*say)(void *user, const char *line), void *user);

/* Whom an emitter tells what it finds. */
struct stack_listener {
	const struct perfdata_reader *reader;
	perfdata_finding_fn *on_finding;   /* NULL: nobody */
	void *user;
};
struct stack_listener pd_stack_listener_of(const struct perfdata_emit_context *context);
void pd_stack_report(const struct stack_listener *listener, uint32_t code, const char *message);
/* The same with the message "OPTION NAME: WHAT"; a long name is shortened. */
void pd_stack_report_name(const struct stack_listener *listener, uint32_t code, const char *option, const char *name,
			  const char *what);

#endif
