/* SPDX-License-Identifier: MIT */
/* The options of `report`. */
#include "config.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/error.h"
#include "emit/report/report.h"
#include "emit/report/report_spans.h"
#include "emit/stacks/stack_choice.h"
#include "emit/stacks/stack_gather.h"
#include "perfdata/registry.h"

enum { COLUMNS_OF_PIPES = 100 };

const struct perfdata_emitter_option pd_report_options[] = {
	{ .name = "by", .kind = PERFDATA_OPTION_TEXT,
	  .argument = "symbol|dso|comm|thread|process|cpu|event|line|build-id|state|waker|wakee|syscall",
	  .help = "key of rows; default symbol (a function of a file), for tracepoints comm; several keys: comm,dso; "
		  "state, waker, wakee and syscall need time off the CPU or --spans" },
	{ .name = "spans", .kind = PERFDATA_OPTION_CHOICE, .argument = REPORT_SPAN_KINDS,
	  .help = "print number and duration of system calls, waits, locks, … by name" },
	{ .name = "comm-names", .kind = PERFDATA_OPTION_CHOICE, .argument = "last|sample",
	  .help = "which comm of a thread to use: the last one, or that at the time of the sample (default)" },
	{ .name = "callers", .kind = PERFDATA_OPTION_TEXT, .argument = "NAME",
	  .help = "print a tree of the callers of this function; * matches any text" },
	{ .name = "callees", .kind = PERFDATA_OPTION_TEXT, .argument = "NAME",
	  .help = "print a tree of the functions that this function called" },
	{ .name = "tree", .kind = PERFDATA_OPTION_FLAG, .help = "print the stacks as a tree, callers above callees" },
	{ .name = "top", .kind = PERFDATA_OPTION_NUMBER, .argument = "N",
	  .help = "print at most N rows of an event; 0 is all; default 40 on a terminal, else all" },
	{ .name = "sort", .kind = PERFDATA_OPTION_CHOICE, .argument = "self|total|samples|name",
	  .help = "order of the rows; default self" },
	STACK_OPTION_WEIGHT("quantity that shares are of"),
	STACK_OPTIONS_STATE,
	{ .name = "min-percent", .kind = PERFDATA_OPTION_TEXT, .argument = "X",
	  .help = "leave out rows below X percent of the quantity that sorts them; default 0.5 in trees" },
	{ .name = "percent-limit", .kind = PERFDATA_OPTION_TEXT, .argument = "X",
	  .help = "as --min-percent, with the name in perf report" },
	{ .name = "children", .kind = PERFDATA_OPTION_FLAG,
	  .help = "as --sort total, with the name in perf report; --no-children: as --sort self" },
	{ .name = "stdio", .kind = PERFDATA_OPTION_FLAG, .help = "no effect: the report is text already" },
	STACK_OPTIONS_CHOICE,
	STACK_OPTION_TRUNCATED,
	{ .name = "inline", .kind = PERFDATA_OPTION_FLAG,
	  .help = "inlined functions are rows (default; --no-inline adds them to their callers)" },
	{ .name = "json", .kind = PERFDATA_OPTION_FLAG, .help = "answer as one JSON document" },
	{ .name = "csv", .kind = PERFDATA_OPTION_FLAG, .help = "answer as CSV" },
	{ .name = "color", .kind = PERFDATA_OPTION_CHOICE, .argument = "auto|always|never",
	  .help = "use colours; default auto: on a terminal, unless NO_COLOR is set" },
	{ .name = "width", .kind = PERFDATA_OPTION_NUMBER, .argument = "N",
	  .help = "cut lines at N columns; 0 is no limit; default: width of the terminal, or 100" },
	{ .name = "wide", .kind = PERFDATA_OPTION_FLAG, .help = "do not shorten names: as --width 0" },
	{ 0 },
};

const struct perfdata_option_rule pd_report_rules[] = {
	{ .name = "callers", .excludes = "callees|tree" },
	{ .name = "callees", .excludes = "tree" },
	{ .name = "spans",
	  .excludes = "callers|callees|tree|sort|weight|inline|min-percent|percent-limit|children|through|not-through|"
		      "root|comm-names" },
	{ .name = "state", .needs = "spans=off|spans=runq|" STACK_WEIGHS_OFF_CPU },
	{ .name = "state-frames", .needs = STACK_WEIGHS_OFF_CPU },
	{ .name = "percent-limit", .excludes = "min-percent" },
	{ .name = "sort", .excludes = "tree|callers|callees|children" },
	{ .name = "children", .excludes = "tree|callers|callees" },
	{ .name = "wide", .excludes = "width" },
	{ .name = "json", .excludes = "csv|width|wide|tree|callers|callees|color=always" },
	{ .name = "csv", .excludes = "width|wide|tree|callers|callees|color=always" },
	{ 0 },
};

/* --- keys --------------------------------------------------------------------------------------------------------- */

static bool key_named(const char *name, size_t size, enum report_by *ret)
{
	if (size == strlen("function") && !memcmp(name, "function", size)) {
		*ret = REPORT_SYMBOL;
		return true;
	}
	for (unsigned by = 0; by < REPORT_BYS; by++)
		if (strlen(pd_report_by_name(by)) == size && !memcmp(pd_report_by_name(by), name, size)) {
			*ret = (enum report_by)by;
			return true;
		}
	return false;
}

static bool has_key(const struct report_options *options, enum report_by by)
{
	for (unsigned i = 0; i < options->nr_keys; i++)
		if (options->keys[i] == by)
			return true;
	return false;
}

/* Removes keys that a finer key implies: a line has a function, a function has a file. */
static void drop_implied(struct report_options *options)
{
	const bool line = has_key(options, REPORT_LINE), symbol = has_key(options, REPORT_SYMBOL),
		   build_id = has_key(options, REPORT_BUILD_ID);
	unsigned nr = 0;
	for (unsigned i = 0; i < options->nr_keys; i++) {
		const enum report_by key = options->keys[i];
		if (!(key == REPORT_SYMBOL && line) && !(key == REPORT_DSO && (line || symbol || build_id)))
			options->keys[nr++] = key;
	}
	options->nr_keys = nr;
}

/* Sets `by`: the key about stacks, or the first key. */
static void choose_by(struct report_options *options)
{
	options->by = options->keys[0];
	for (unsigned i = 0; i < options->nr_keys; i++)
		if (pd_report_is_by_stack(options->keys[i]))
			options->by = options->keys[i];
}

/* Parses "comm,dso". False after a message. */
static bool read_keys(const char *text, struct report_options *options, struct perfdata_error *reterr)
{
	static const char *const apart[][2] = { { "event", NULL },
						{ "thread", "process" },
						{ "build-id", "symbol" },
						{ "build-id", "line" } };
	for (const char *at = text; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL) {
		const size_t size = strcspn(at, ",");
		enum report_by by;
		char word[32], hint[PERFDATA_NEAREST_SIZE];
		snprintf(word, sizeof word, "%.*s", (int)(size < sizeof word ? size : sizeof word - 1), at);
		if (!key_named(at, size, &by)) {
			struct perfdata_nearest nearest = { .wanted = word };
			for (unsigned i = 0; i < REPORT_BYS; i++)
				perfdata_nearest_offer(&nearest, pd_report_by_name(i));
			(void)pd_error(reterr, PERFDATA_EUSAGE, PERFDATA_NO_OFFSET,
				       "--by takes symbol, dso, comm, thread, process, cpu, event, line, build-id, "
				       "state, waker, wakee, syscall, and lists such as comm,dso, not '%s'%s",
				       word, perfdata_nearest_hint(&nearest, "", hint));
			return false;
		}
		if (!has_key(options, by))
			options->keys[options->nr_keys++] = by;
	}
	for (size_t i = 0; options->nr_keys > 1 && i < sizeof apart / sizeof *apart; i++) {
		enum report_by one, other = REPORT_BYS;
		(void)key_named(apart[i][0], strlen(apart[i][0]), &one);
		if (apart[i][1])
			(void)key_named(apart[i][1], strlen(apart[i][1]), &other);
		if (!has_key(options, one) || (apart[i][1] && !has_key(options, other)))
			continue;
		(void)pd_error(reterr, PERFDATA_EUSAGE, PERFDATA_NO_OFFSET,
			       apart[i][1] ? "--by %s and %s contradict each other: choose one"
					   : "--by %s cannot be combined with other keys: each event has a separate "
					     "list%s",
			       apart[i][0], apart[i][1] ? apart[i][1] : "");
		return false;
	}
	for (unsigned i = 1; i < options->nr_keys; i++)
		for (unsigned j = 0; j < i; j++) {
			const enum report_by one = options->keys[j], other = options->keys[i];
			if (!(pd_report_is_by_wait(one) && pd_report_is_by_stack(other)) &&
			    !(pd_report_is_by_wait(other) && pd_report_is_by_stack(one)))
				continue;
			(void)pd_error(reterr, PERFDATA_EUSAGE, PERFDATA_NO_OFFSET,
				       "--by %s and %s contradict each other: choose one", pd_report_by_name(one),
				       pd_report_by_name(other));
			return false;
		}
	size_t used = 0;
	for (unsigned i = 0; i < options->nr_keys; i++)
		used += (size_t)snprintf(options->by_text + used, sizeof options->by_text - used, "%s%s",
					 i ? "," : "", pd_report_by_name(options->keys[i]));
	drop_implied(options);
	choose_by(options);
	return true;
}

/* --- what is asked of the session --------------------------------------------------------------------------------- */

enum perfdata_status pd_report_configure(void *user, struct perfdata_configuration *configuration)
{
	static const struct {
		const char *key;
		enum perfdata_wait_frame frame;
	} frames[] = {
		{ "waker", PERFDATA_WAIT_WAKER },
		{ "wakee", PERFDATA_WAIT_WAKEE },
		{ "syscall", PERFDATA_WAIT_SYSCALL },
	};
	const char *by = perfdata_option_text(configuration->options, configuration->nr_options, "by");
	for (const char *at = by; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL)
		for (size_t i = 0; i < sizeof frames / sizeof *frames; i++)
			if (strcspn(at, ",") == strlen(frames[i].key) && !strncmp(at, frames[i].key, strcspn(at, ",")))
				configuration->wait_frame = frames[i].frame;
	return pd_stack_configure(user, configuration);
}

/* --- values ------------------------------------------------------------------------------------------------------- */

/* The index of a text in a list that ends with NULL. */
static unsigned place_in(const char *const *list, const char *text, unsigned otherwise)
{
	for (unsigned i = 0; text && list[i]; i++)
		if (!strcmp(list[i], text))
			return i;
	return otherwise;
}

bool pd_report_read_options(const struct perfdata_emit_context *context, struct report_options *ret)
{
	static const char *const sorts[] = { "self", "total", "samples", "name", NULL };
	const struct perfdata_emitter_option_value *values = context->options;
	const size_t nr = context->nr_options;
	const char *callers = perfdata_option_text(values, nr, "callers"),
		   *callees = perfdata_option_text(values, nr, "callees");
	const char *min_percent = perfdata_option_text(values, nr, "min-percent"),
		   *percent_limit = perfdata_option_text(values, nr, "percent-limit");
	const char *least = min_percent ? min_percent : percent_limit, *by = perfdata_option_text(values, nr, "by");
	char *end = NULL;
	*ret = (struct report_options){
		.sort = place_in(sorts, perfdata_option_text(values, nr, "sort"),
				 perfdata_option_flag(values, nr, "children", false) ? REPORT_SORT_TOTAL
										     : REPORT_SORT_SELF),
		.view = callers                                           ? REPORT_CALLERS
			: callees                                         ? REPORT_CALLEES
			: perfdata_option_flag(values, nr, "tree", false) ? REPORT_TREE
									  : REPORT_LIST,
		.form = perfdata_option_flag(values, nr, "json", false)  ? REPORT_JSON
			: perfdata_option_flag(values, nr, "csv", false) ? REPORT_CSV
									 : REPORT_TEXT,
		.function = callers ? callers : callees,
		.top = perfdata_option_number(values, nr, "top", 0),
		.min_percent = least ? strtod(least, &end) : 0,
		.width = perfdata_option_flag(values, nr, "wide", false)
				 ? 0
				 : perfdata_option_number(values, nr, "width", COLUMNS_OF_PIPES),
		.inlines = perfdata_option_flag(values, nr, "inline", true),
		.by_samples = pd_stack_option_is(values, nr, "weight", "samples"),
		.color = pd_stack_option_is(values, nr, "color", "always"),
		.last_names = pd_stack_option_is(values, nr, "comm-names", "last"),
	};
	if (!least && ret->view != REPORT_LIST)
		ret->min_percent = 0.5;
	/* report_spans.c reads the keys of spans */
	const bool spans = pd_report_spans_asked(values, nr);
	if (!read_keys(by && !spans ? by : "symbol", ret, context->reterr))
		return false;
	ret->by_default = !by && ret->view == REPORT_LIST &&
			  ret->form == REPORT_TEXT && ret->sort != REPORT_SORT_TOTAL;
	const char *wrong = NULL;
	if (least && (end == least || *end || !(ret->min_percent >= 0 && ret->min_percent <= 100)))
		wrong = min_percent ? "--min-percent takes a number from 0 to 100"
				    : "--percent-limit takes a number from 0 to 100";
	else if (ret->view != REPORT_LIST && (ret->nr_keys > 1 || (ret->by != REPORT_SYMBOL &&
								    ret->by != REPORT_DSO && ret->by != REPORT_LINE)))
		wrong = "trees need stacks: --by symbol, dso or line";
	else if (pd_report_is_by_wait(ret->by) && !spans && !pd_stack_option_is(values, nr, "weight", "off-cpu") &&
		 !pd_stack_option_is(values, nr, "weight", "wall") && !pd_stack_option_is(values, nr, "weight", "both"))
		wrong = "--by state, waker, wakee and syscall need time off the CPU: add --weight off-cpu, wall or "
			"both, or --spans off";
	else if (pd_report_is_by_wait(ret->by) && !spans && !perfdata_option_flag(values, nr, "state-frames", true))
		wrong = "--by state, waker, wakee and syscall contradict --no-state-frames";
	else if (perfdata_option_text(values, nr, "comm-names") && !has_key(ret, REPORT_COMM))
		wrong = "--comm-names changes nothing without comms: add --by comm";
	/* not a rule, since rules always accept --no-inline */
	else if (perfdata_option_flag(values, nr, "inline", true) ==
			 perfdata_option_flag(values, nr, "inline", false) &&
		 ret->by != REPORT_SYMBOL && ret->by != REPORT_LINE && !spans)
		wrong = "--inline and --no-inline change nothing without functions: add --by symbol or line";
	if (wrong)
		snprintf(context->reterr->message, sizeof context->reterr->message, "%s", wrong);
	return !wrong;
}
