/* SPDX-License-Identifier: MIT */
#include "config.h"
#include <string.h>
#include "perf_habits.h"

#define CHOICE "through|not-through|root"

static const struct habit {
	const char *command;
	const char *names;           /* without dashes: "g|call-graph" */
	bool known;                  /* we have an option with this name but other values */
	const char *ours;
} habits[] = {
	{ "report", "sort", true,
	  "what perf sorts by is what a row is here: --by comm,dso,symbol; --sort is the order of rows" },
	{ "report", "s", false, "rows are chosen by --by comm,dso,symbol, and their order by --sort" },
	{ "report", "limit", true,
	  "-n is a number of records here; numbers of samples are always shown, and --sort samples sorts by them" },
	{ "report", "parent|p", false,
	  "--through NAME shows stacks that contain a function, --callers NAME who called it" },
	{ "report", "g|call-graph", false, "--tree shows stacks as a tree, as do --callers NAME, --callees NAME" },
	{ "report", "G|inverted", false, "--callers NAME shows who called a function, as a tree" },
	{ "report", "symbols", true, "--symbol GLOB chooses functions" },
	{ "report", "S", false, "--symbol GLOB chooses functions" },
	{ "report", "d|dsos", false, "--dso GLOB chooses files" },
	{ "report", "c|comms", false, "--comm GLOB chooses threads by name" },
	{ "report", "F|fields", false, "columns are those of --by KEY,KEY" },
	{ "report", "tui|gtk|stdio2", false, "the report is a text; perfdata browse shows it to move through" },
	{ "report", "D|dump-raw-trace", false, "perfdata dump prints every record" },
	{ "report", "I|header|header-only", false, "perfdata info prints what the header holds" },
	{ "report", "stats|mmaps|tasks", false, "perfdata info counts records; csv --table mmap2 has mappings" },
	{ "report", "percentage", false, "shares are of the samples that filters leave, which the head counts" },
	/* options of ours that make no sense where the output has every sample once */
	{ "script", CHOICE, false,
	  "script has every sample, as perf does; folded, report and the viewers choose stacks" },
	{ "dump", CHOICE, false, "dump has every record; folded, report and the viewers choose stacks" },
};

static bool is_one_of(const char *names, const char *name)
{
	const size_t size = strlen(name);
	for (const char *at = names; *at;) {
		const size_t word = strcspn(at, "|");
		if (word == size && !memcmp(at, name, size))
			return true;
		at += word + (at[word] == '|');
	}
	return false;
}

const char *perf_habit(const struct options *options, const char *name, const char *text)
{
	for (size_t i = 0; options->emitter && i < sizeof habits / sizeof *habits; i++)
		if (!strcmp(habits[i].command, options->emitter->name) && habits[i].known == (text != NULL) &&
		    is_one_of(habits[i].names, name))
			return habits[i].ours;
	return NULL;
}
