/* SPDX-License-Identifier: MIT */
/* Facts about the recording's host and recorder, warnings to print before any number, and findings about the whole
 * recording. */
#ifndef PD_STACK_HEAD_H
#define PD_STACK_HEAD_H

#include "perfdata/emit.h"

/* Appends the command line of the recorder, arguments separated by blanks; nothing if it is unknown. */
void pd_stack_head_command(const struct perfdata_reader *reader, struct perfdata_text *out);

struct stack_fact {
	const char *name;            /* "host", "kernel", …; NULL ends the table */
	uint32_t feature;            /* enum perfdata_feature_id of a section with a text */
};
extern const struct stack_fact pd_stack_facts[];

/* Calls `say` with each warning, one line: losses, damage, the first findings. */
void pd_stack_head_warnings(const struct perfdata_emit_end *end, void (*say)(void *user, const char *line), void *user);

/* Who receives an emitter's findings. */
struct stack_listener {
	const struct perfdata_reader *reader;
	perfdata_finding_fn *on_finding;   /* NULL: nobody */
	void *user;
};
struct stack_listener pd_stack_listener_of(const struct perfdata_emit_context *context);
void pd_stack_report(const struct stack_listener *listener, uint32_t code, const char *message);
/* Reports a finding with the message "OPTION NAME: WHAT"; a long name is shortened. */
void pd_stack_report_name(const struct stack_listener *listener, uint32_t code, const char *option, const char *name,
			  const char *what);

#endif
