/* SPDX-License-Identifier: MIT */
/* Which stacks an output is of, by the names of functions that they contain, and where those begin: the options
 * --through, --not-through and --root of all emitters that have stacks. Names are those that the emitter shows. */
#ifndef PD_STACK_CHOICE_H
#define PD_STACK_CHOICE_H

#include "perfdata/emit.h"
#include "emit/stacks/stack_labels.h"
#include "profile/profile.h"

#define STACK_OPTIONS_CHOICE \
	{ .name = "through", \
	  .kind = PERFDATA_OPTION_TEXT, \
	  .argument = "NAME", \
	  .help = "only stacks with this function; * matches any text; may be given several times" }, \
	{ .name = "not-through", \
	  .kind = PERFDATA_OPTION_TEXT, \
	  .argument = "NAME", \
	  .help = "only stacks without this function; may be given several times" }, \
	{ .name = "root", \
	  .kind = PERFDATA_OPTION_TEXT, \
	  .argument = "NAME", \
	  .help = "only stacks with this function, without its callers; may be given several times" }

#define STACK_TRUNCATED "[truncated stack]"
/* Of emitters whose rows are of names. */
#define STACK_OPTION_TRUNCATED \
	{ .name = "truncated", \
	  .kind = PERFDATA_OPTION_FLAG, \
	  .help = "stacks larger than their recorded copy (--call-graph dwarf) begin at " STACK_TRUNCATED }

/* What a name, or the names of a stack, are to a choice. */
enum stack_seen { STACK_SEEN_THROUGH = 1, STACK_SEEN_NOT_THROUGH = 2, STACK_SEEN_ROOT = 4 };

struct stack_choice;
/* *ret is NULL if none of the options is set: all functions accept NULL. PERFDATA_ENOMEM. */
enum perfdata_status pd_stack_choice_new(const struct perfdata_emit_context *context, bool inlines,
					 struct stack_choice **ret);
void pd_stack_choice_free(struct stack_choice *choice);
/* Whether an option's NAME matches the name, or the name without its parameters: * matches any text, ? one byte. */
bool pd_stack_name_matches(const char *name, const char *wanted);
/* enum stack_seen */
unsigned pd_stack_choice_sees(const struct stack_choice *choice, const char *name);
/* To be called after the last name: a finding for each NAME that no function has. */
void pd_stack_choice_report(const struct stack_choice *choice);
/* Whether stacks in whose names this was seen are chosen. */
bool pd_stack_choice_takes(const struct stack_choice *choice, unsigned seen);
/* Whether stacks begin at the first function that STACK_SEEN_ROOT is said of. */
bool pd_stack_choice_cuts(const struct stack_choice *choice);
/* Whether inlined functions count. */
bool pd_stack_choice_inlines(const struct stack_choice *choice);
/* The options as the user wrote them, for people: "--through main --root work". */
void pd_stack_choice_spell(const struct stack_choice *choice, struct perfdata_text *out);

#endif
