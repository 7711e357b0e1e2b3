/* SPDX-License-Identifier: MIT */
/* Options that choose stacks by the names of their functions, and where stacks begin: --through, --not-through and
 * --root, for all emitters with stacks. Names are those that the emitter prints. */
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
	  .help = "only stacks with this function, beginning with it, without its callers; may be given several times" }

#define STACK_TRUNCATED "[truncated stack]"
/* For emitters whose rows are names. */
#define STACK_OPTION_TRUNCATED \
	{ .name = "truncated", \
	  .kind = PERFDATA_OPTION_FLAG, \
	  .help = "stacks larger than their recorded copy (--call-graph dwarf) begin at " STACK_TRUNCATED }

/* Bits: which options a name, or a name in a stack, matches. */
enum stack_seen { STACK_SEEN_THROUGH = 1, STACK_SEEN_NOT_THROUGH = 2, STACK_SEEN_ROOT = 4 };

struct stack_choice;
/* *ret is NULL if no such option is set; all functions accept NULL. PERFDATA_ENOMEM. */
enum perfdata_status pd_stack_choice_new(const struct perfdata_emit_context *context, bool inlines,
					 struct stack_choice **ret);
void pd_stack_choice_free(struct stack_choice *choice);
/* Whether the NAME in an option matches the name, with or without its parameters. * matches any text, ? one byte. */
bool pd_stack_name_matches(const char *name, const char *wanted);
/* The bits (enum stack_seen) of a name. */
unsigned pd_stack_choice_sees(const struct stack_choice *choice, const char *name);
/* Reports a finding for each NAME that matched no function. To be called after the last name. */
void pd_stack_choice_report(const struct stack_choice *choice);
/* Whether the options keep a stack whose names have these bits. */
bool pd_stack_choice_takes(const struct stack_choice *choice, unsigned seen);
/* Whether --root lets stacks begin at the first function with STACK_SEEN_ROOT. */
bool pd_stack_choice_cuts(const struct stack_choice *choice);
/* Whether inlined functions are matched too. */
bool pd_stack_choice_inlines(const struct stack_choice *choice);
/* Appends the options as written by the user: "--through main --root work". */
void pd_stack_choice_spell(const struct stack_choice *choice, struct perfdata_text *out);

#endif
