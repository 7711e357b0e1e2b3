/* SPDX-License-Identifier: MIT */
/* The allow list says which keys may regress, by how much, and why:
 *
 *   # a comment
 *   EVENT-GLOB <tab> KEY-GLOB <tab> LIMIT <tab> REASON        LIMIT: +2.5pp, x1.3 or any
 *
 * The first rule whose globs match a key decides. There are no dates: a verdict does not depend on the day. */
#include "config.h"
#include <stdlib.h>
#include <string.h>
#include "base/error.h"
#include "base/memory.h"
#include "profile/compare_impl.h"
#include "session/session.h"

enum { EVENT, KEY, LIMIT, REASON, NR_FIELDS };
struct rule {
	const char *fields[NR_FIELDS];
	double points, ratio;            /* 0: the rule has no such limit */
	bool any, used;
	size_t line;
};

static bool read_limit(struct rule *rule)
{
	const char *text = rule->fields[LIMIT];
	char *end = NULL;
	rule->any = !strcmp(text, "any");
	if (*text == '+')
		rule->points = strtod(text + 1, &end);
	else if (*text == 'x')
		rule->ratio = strtod(text + 1, &end);
	return rule->any ||
	       (end && end > text + 1 && !strcmp(end, *text == '+' ? "pp" : "") && rule->points + rule->ratio > 0);
}

/* Reads a line of `size` bytes, which exclude the newline. */
static bool read_rule(struct perfdata_comparison *comparison, const char *line, size_t size, struct rule *rule)
{
	char *copy = pd_strndup(line, size), *at = copy;
	if (!copy) {
		comparison->status = PERFDATA_ENOMEM;
		return false;
	}
	bool fine = true;
	for (unsigned i = 0; i < NR_FIELDS && fine; i++) {
		char *tab = i + 1 < NR_FIELDS ? strchr(at, '\t') : NULL;
		if (tab)
			*tab = 0;
		rule->fields[i] = pd_compare_keep(comparison, at);
		fine = (i + 1 == NR_FIELDS || tab) && *at;
		at = tab ? tab + 1 : at;
	}
	pd_free(copy);
	return fine && read_limit(rule);
}

static bool is_within(const struct rule *rule, const struct perfdata_compared *reported)
{
	return rule->any || (rule->points > 0 && reported->delta * 100 <= rule->points) ||
	       (rule->ratio > 0 && reported->ratio <= rule->ratio);
}

static void allow_row(struct rule *rule, struct perfdata_compared *reported)
{
	if (reported->change == PERFDATA_CHANGE_REGRESSED && is_within(rule, reported))
		reported->change = PERFDATA_CHANGE_ALLOWED;
}

static void apply_rules(struct rule *rules, size_t nr, const char *event, struct perfdata_comparison_row *row)
{
	for (size_t i = 0; i < nr; i++) {
		struct rule *rule = &rules[i];
		if (!pd_glob(rule->fields[EVENT], event) ||
		    !pd_glob(rule->fields[KEY], *row->key ? row->key : row->file))
			continue;
		rule->used = true;
		allow_row(rule, &row->self);
		allow_row(rule, &row->inclusive);
		row->change = row->self.change > row->inclusive.change ? row->self.change : row->inclusive.change;
		if (row->change == PERFDATA_CHANGE_ALLOWED)
			row->reason = rule->fields[REASON];
		return;
	}
}

bool pd_compare_allow(struct perfdata_comparison *comparison, struct perfdata_error *reterr)
{
	const char *at = comparison->options->allow;
	struct rule *rules = NULL;
	size_t nr = 0, room = 0, number = 0;
	bool fine = true;
	for (; fine && at && *at; number++) {
		const size_t size = strcspn(at, "\n");
		struct rule rule = { .line = number + 1 };
		const bool is_rule = size && *at != '#';
		if (is_rule && !read_rule(comparison, at, size, &rule)) {
			pd_error(reterr, PERFDATA_EUSAGE, PERFDATA_NO_OFFSET,
				 "line %zu of the allow list is no rule: EVENT-GLOB, KEY-GLOB, LIMIT (+2.5pp, x1.3, "
				 "any) and a reason, with tabs between",
				 number + 1);
			fine = false;
		} else if (is_rule && pd_vector_grow(&rules, &room, nr, sizeof rule) < 0) {
			comparison->status = PERFDATA_ENOMEM;
			fine = false;
		} else if (is_rule) {
			rules[nr++] = rule;
		}
		at += size + (at[size] == '\n');
	}
	for (size_t e = 0; fine && e < comparison->nr_events; e++)
		for (size_t i = 0; nr && i < comparison->events[e].nr_rows; i++)
			apply_rules(rules, nr, comparison->events[e].reported.name,
				    &comparison->events[e].rows[i].reported);
	for (size_t i = 0; fine && i < nr; i++)
		if (!rules[i].used)
			pd_compare_note(comparison, "unused-rule", false, "line %zu of the allow list matches nothing",
					rules[i].line);
	pd_free(rules);
	return fine && comparison->status == PERFDATA_OK;
}
