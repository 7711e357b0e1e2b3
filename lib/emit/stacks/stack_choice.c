/* SPDX-License-Identifier: MIT */
#include "config.h"
#include <stdatomic.h>
#include <string.h>
#include "base/memory.h"
#include "emit/stacks/stack_choice.h"
#include "emit/stacks/stack_head.h"

struct wanted {
	const char *name;
	unsigned seen;       /* enum stack_seen */
	atomic_bool *is_met; /* set if a function has the name */
};

struct stack_choice {
	struct stack_listener listener;
	atomic_bool *met;    /* by index in `wanted`; then whether there was any function */
	unsigned asked;      /* enum stack_seen of the options that are set */
	bool inlines;
	size_t nr;
	struct wanted wanted[];
};

static const struct option {
	const char *name;
	unsigned seen;
} choice_options[] = {
	{ "through", STACK_SEEN_THROUGH },
	{ "not-through", STACK_SEEN_NOT_THROUGH },
	{ "root", STACK_SEEN_ROOT },
};
enum { NR_OPTIONS = sizeof choice_options / sizeof *choice_options };

static unsigned option_of(const char *name)
{
	for (size_t i = 0; i < NR_OPTIONS; i++)
		if (!strcmp(choice_options[i].name, name))
			return choice_options[i].seen;
	return 0;
}

static struct stack_choice *make_choice(const struct perfdata_emit_context *context, bool inlines)
{
	struct stack_choice *choice = pd_calloc(1, sizeof *choice + context->nr_options * sizeof *choice->wanted);
	if (!choice)
		return NULL;
	choice->met = pd_calloc(context->nr_options + 1, sizeof *choice->met);
	if (!choice->met) {
		pd_free(choice);
		return NULL;
	}
	choice->listener = pd_stack_listener_of(context);
	choice->inlines = inlines;
	return choice;
}

enum perfdata_status pd_stack_choice_new(const struct perfdata_emit_context *context, bool inlines,
					 struct stack_choice **ret)
{
	struct stack_choice *choice = NULL;
	*ret = NULL;
	for (size_t i = 0; i < context->nr_options; i++) {
		const unsigned seen = option_of(context->options[i].option->name);
		if (!seen)
			continue;
		if (!choice)
			choice = make_choice(context, inlines);
		if (!choice)
			return PERFDATA_ENOMEM;
		choice->asked |= seen;
		choice->wanted[choice->nr] = (struct wanted){
			.name = context->options[i].text, .seen = seen, .is_met = &choice->met[choice->nr],
		};
		choice->nr++;
	}
	*ret = choice;
	return PERFDATA_OK;
}

void pd_stack_choice_free(struct stack_choice *choice)
{
	if (choice)
		pd_free(choice->met);
	pd_free(choice);
}

/* Brackets match themselves. */
static bool matches_glob(const char *name, const char *end, const char *wanted)
{
	const char *star = NULL, *again = NULL;
	while (name < end) {
		if (*wanted == '*') {
			star = ++wanted;
			again = name;
		} else if (*wanted == '?' || *wanted == *name) {
			wanted++;
			name++;
		} else if (star) {
			wanted = star;
			name = ++again;
		} else {
			return false;
		}
	}
	while (*wanted == '*')
		wanted++;
	return !*wanted;
}

/* The start of a C++ function's parameters: "(int) const" in "work(int) const"; "(anonymous namespace)" are none.
 * Returns the end of a name without parameters. */
static const char *parameters_of(const char *name, const char *end)
{
	const char *close = end;
	unsigned depth = 0;
	while (close > name && close[-1] != ')')
		close--;
	const size_t rest = (size_t)(end - close);
	const bool ends_so = !rest || (rest == strlen(" const") && !memcmp(close, " const", rest)) ||
			     (rest > 2 && *close == ' ' && close[1] == '[');
	for (const char *at = close; ends_so && at > name;) {
		at--;
		depth += *at == ')';
		if (*at == '(' && !--depth)
			return at > name ? at : end;
	}
	return end;
}

bool pd_stack_name_matches(const char *name, const char *wanted)
{
	const char *end = name + strlen(name);
	if (matches_glob(name, end, wanted))
		return true;
	const char *short_end = parameters_of(name, end);
	return short_end != end && matches_glob(name, short_end, wanted);
}

unsigned pd_stack_choice_sees(const struct stack_choice *choice, const char *name)
{
	unsigned seen = 0;
	atomic_store_explicit(&choice->met[choice->nr], true, memory_order_relaxed);
	for (size_t i = 0; i < choice->nr; i++) {
		if (!pd_stack_name_matches(name, choice->wanted[i].name))
			continue;
		seen |= choice->wanted[i].seen;
		atomic_store_explicit(choice->wanted[i].is_met, true, memory_order_relaxed);
	}
	return seen;
}

void pd_stack_choice_report(const struct stack_choice *choice)
{
	if (!choice || !atomic_load_explicit(&choice->met[choice->nr], memory_order_relaxed))
		return;
	for (size_t i = 0; i < choice->nr; i++)
		if (choice->wanted[i].seen != STACK_SEEN_NOT_THROUGH &&
		    !atomic_load_explicit(choice->wanted[i].is_met, memory_order_relaxed))
			pd_stack_report_name(&choice->listener, PERFDATA_FINDING_NO_STACK,
					     choice->wanted[i].seen == STACK_SEEN_ROOT ? "--root" : "--through",
					     choice->wanted[i].name, "no function in the stacks has this name");
}

bool pd_stack_choice_takes(const struct stack_choice *choice, unsigned seen)
{
	const unsigned needed = choice->asked & (STACK_SEEN_THROUGH | STACK_SEEN_ROOT);
	return (seen & needed) == needed && !(seen & STACK_SEEN_NOT_THROUGH);
}

bool pd_stack_choice_cuts(const struct stack_choice *choice) { return choice && choice->asked & STACK_SEEN_ROOT; }

bool pd_stack_choice_inlines(const struct stack_choice *choice) { return choice->inlines; }

void pd_stack_choice_spell(const struct stack_choice *choice, struct perfdata_text *out)
{
	for (size_t i = 0; i < choice->nr; i++)
		for (size_t k = 0; k < NR_OPTIONS; k++)
			if (choice_options[k].seen == choice->wanted[i].seen) {
				perfdata_text_printf(out, "%s--%s ", i ? " " : "", choice_options[k].name);
				perfdata_text_shortened(out, choice->wanted[i].name, 0);
			}
}
