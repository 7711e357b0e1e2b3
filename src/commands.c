/* SPDX-License-Identifier: MIT */
#include "config.h"
#include <string.h>
#include "commands.h"

#define CONVERSION                                                                                          \
	(OPTIONS_GENERAL | OPTIONS_INPUT | OPTIONS_LIST | OPTIONS_BATCH | OPTIONS_REPORT | OPTIONS_OUTPUT | \
	 OPTIONS_FILTER | OPTIONS_SYMBOLS)
#define QUESTION (OPTIONS_GENERAL | OPTIONS_INPUT | OPTIONS_LIST | OPTIONS_JSON)

/* help lists the commands of a task in this order */
static const struct command table[] = {
	{ "convert", "--to NAME [options] FILE…", "write recordings in another format", CONVERSION | OPTIONS_TO,
	  command_convert, TASK_CONVERT },
	{ "info", "[options] FILE…", "header, events, features, counts, losses and names of a recording",
	  QUESTION | OPTIONS_PERF | OPTIONS_STATS | OPTIONS_SYMBOLS, command_info, TASK_LOOK },
	{ "events", "[options] FILE…", "the events of a recording and their attributes", QUESTION | OPTIONS_PERF,
	  command_events, TASK_LOOK },
	{ "buildids", "[options] FILE…", "the files of a recording and their build-ids",
	  QUESTION | OPTIONS_PERF | OPTIONS_HITS | OPTIONS_TSV, command_buildids, TASK_LOOK },
	{ "match", "[options] FILE…",
	  "whether files on this host are the recorded ones, and which samples get names; exit 1 if they are not",
	  QUESTION | OPTIONS_JUNIT | OPTIONS_TSV | OPTIONS_MATCH | OPTIONS_NAMES, command_match, TASK_MATCH },
	{ "bundle", "-o FILE [options] FILE…",
	  "files with symbols for recordings, in one archive for another host",
	  OPTIONS_GENERAL | OPTIONS_INPUT | OPTIONS_LIST | OPTIONS_SYMBOLS | OPTIONS_BUNDLE | OPTIONS_NAMES,
	  command_bundle, TASK_MATCH },
	{ "check", "[options] FILE…", "errors and warnings about a recording; exit 1 if there are any",
	  QUESTION | OPTIONS_JUNIT | OPTIONS_CHECK | OPTIONS_REPORT, command_check, TASK_LOOK },
	{ "diff", "[options] BEFORE AFTER | --before FILE… --after FILE… | --save OUT FILE…",
	  "functions that cost more than before, beyond noise; exit 1 if there are any",
	  OPTIONS_GENERAL | (OPTIONS_INPUT & ~OPTIONS_UNPACK) | OPTIONS_JSON | OPTIONS_JUNIT | OPTIONS_TSV |
		  OPTIONS_FILTER | OPTIONS_SYMBOLS | OPTIONS_DIFF | OPTIONS_NAMES,
	  command_diff, TASK_LOOK },
	{ "browse", "[options] FILE",
	  "functions, callers, callees and instructions, interactively on a terminal; h shows the keys",
	  OPTIONS_GENERAL | OPTIONS_INPUT | OPTIONS_SYMBOLS, command_browse, TASK_LOOK },
	{ "rewrite", "[options] FILE… -o OUT",
	  "cut or merge recordings, change container, compression or byte order",
	  OPTIONS_GENERAL | OPTIONS_INPUT | OPTIONS_FILTER | OPTIONS_SYMBOLS | OPTIONS_RECORDING | OPTIONS_REWRITE,
	  command_rewrite, TASK_CHANGE },
	{ "repair", "[options] FILE -o OUT", "make a recording that perf opens from the readable part of a damaged one",
	  OPTIONS_GENERAL | OPTIONS_INPUT | OPTIONS_RECORDING, command_repair, TASK_CHANGE },
	{ "anonymize", "[options] FILE -o OUT",
	  "make a recording to share: pseudonyms for names, moved addresses, no process memory",
	  OPTIONS_GENERAL | OPTIONS_INPUT | OPTIONS_FILTER | OPTIONS_SYMBOLS | OPTIONS_RECORDING | OPTIONS_ANONYMIZE |
		  OPTIONS_NAMES,
	  command_anonymize, TASK_CHANGE },
	{ "symbolize", "[options]",
	  "replace addresses in text (folded --addresses) by names, from stdin to stdout",
	  OPTIONS_GENERAL | OPTIONS_SYMBOLS | OPTIONS_NAMES, command_symbolize, TASK_MATCH },
	{ "fields", "", "the fields that -e takes: type, unit, records, meaning", OPTIONS_GENERAL,
	  command_fields, TASK_AUTOMATE },
	{ "schema", "[--columns [--table NAME]]", "JSON Schema of each line of ndjson; columns of tables",
	  OPTIONS_GENERAL | OPTIONS_COLUMNS, command_schema, TASK_AUTOMATE },
	{ "explain", "[CODE…]", "the meaning of a message's code, and advice",
	  OPTIONS_GENERAL | OPTIONS_WORDS,
	  command_explain, TASK_AUTOMATE },
	{ "completion", "bash|zsh|fish", "a script with which a shell completes command lines",
	  OPTIONS_GENERAL | OPTIONS_WORDS, command_completion, TASK_AUTOMATE },
	{ "perf", "COMMAND [options]",
	  "accept perf's command lines, for programs that call perf; also through a link named "
	  "`perf`", OPTIONS_WORDS, NULL,
	  TASK_AUTOMATE },
	{ "help", "[COMMAND|commands|options|formats]",
	  "a command and its own options; with -v all options", OPTIONS_GENERAL | OPTIONS_WORDS, command_help,
	  TASK_AUTOMATE },
	{ "version", "",
	  "version and build options; with -v also the libraries found for annotate and browse",
	  OPTIONS_GENERAL, command_version, TASK_AUTOMATE },
};

const struct command *command_at(size_t index)
{
	return index < sizeof table / sizeof *table ? &table[index] : NULL;
}

const struct command *command_named(const char *name)
{
	for (size_t i = 0; i < sizeof table / sizeof *table; i++)
		if (!strcmp(table[i].name, name))
			return &table[i];
	return NULL;
}

enum task emitter_task(const struct perfdata_emitter *emitter)
{
	switch (emitter->task) {
	case PERFDATA_TASK_LOOK:
		return TASK_LOOK;
	case PERFDATA_TASK_VIEW:
		return TASK_VIEW;
	default:
		return TASK_CONVERT;
	}
}
