/* SPDX-License-Identifier: MIT */
#include "config.h"
#include <string.h>
#include "base/memory.h"
#include "emit/stacks/stack_choice.h"

struct wanted {
	const char *name;
	unsigned seen;       /* enum stack_seen */
};

struct stack_choice {
	unsigned asked;      /* enum stack_seen: the options that are set */
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
			choice = pd_calloc(1, sizeof *choice + context->nr_options * sizeof *choice->wanted);
		if (!choice)
			return PERFDATA_ENOMEM;
		choice->asked |= seen;
		choice->inlines = inlines;
		choice->wanted[choice->nr++] = (struct wanted){ context->options[i].text, seen };
	}
	*ret = choice;
	return PERFDATA_OK;
}

void pd_stack_choice_free(struct stack_choice *choice) { pd_free(choice); }

/* Brackets are parts of names. */
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

/* Where the parameters of a function of C++ begin: "work(int) const" has them, "(anonymous namespace)" is none. The
 * name's end where it has none. */
static const char *parameters_of(const char *name, const char *end)
{
	const char *close = end;
	unsigned depth = 0;
	while (close > name && close[-1] != ')')
		close--;
	const size_t behind = (size_t)(end - close);
	const bool ends_so = !behind || (behind == strlen(" const") && !memcmp(close, " const", behind)) ||
			     (behind > 2 && *close == ' ' && close[1] == '[');
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
	for (size_t i = 0; i < choice->nr; i++)
		if (!(seen & choice->wanted[i].seen) && pd_stack_name_matches(name, choice->wanted[i].name))
			seen |= choice->wanted[i].seen;
	return seen;
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
