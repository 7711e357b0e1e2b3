/* SPDX-License-Identifier: MIT */
#include "config.h"
#include <string.h>
#include "commands.h"

#define CONVERSION (OPTIONS_GENERAL | OPTIONS_INPUT | OPTIONS_LIST | OPTIONS_BATCH | OPTIONS_REPORT | OPTIONS_OUTPUT | OPTIONS_FILTER | OPTIONS_SYMBOLS)
#define QUESTION (OPTIONS_GENERAL | OPTIONS_INPUT | OPTIONS_LIST | OPTIONS_JSON)

static const struct command table[] = {
	{ "convert", "--to NAME [options] FILE…", "write recordings in another format", CONVERSION | OPTIONS_TO, command_convert },
	{ "info", "[options] FILE…", "what a recording is: header, events, features, counts, losses, names",
	  QUESTION | OPTIONS_PERF | OPTIONS_STATS | OPTIONS_SYMBOLS, command_info },
	{ "events", "[options] FILE…", "the events of a recording and how they were set up", QUESTION | OPTIONS_PERF, command_events },
	{ "buildids", "[options] FILE…", "the files of a recording and their build-ids", QUESTION | OPTIONS_PERF | OPTIONS_HITS | OPTIONS_TSV,
	  command_buildids },
	{ "match", "[options] FILE…", "whether the files at hand are the recorded ones, and what can be named; exit 1 if they are not",
	  QUESTION | OPTIONS_JUNIT | OPTIONS_TSV | OPTIONS_MATCH, command_match },
	{ "bundle", "-o FILE [options] FILE…", "the files that name the addresses of recordings, in one archive to take along",
	  OPTIONS_GENERAL | OPTIONS_INPUT | OPTIONS_LIST | OPTIONS_SYMBOLS | OPTIONS_BUNDLE, command_bundle },
	{ "check", "[options] FILE…", "what is wrong with a recording; exit 1 if something is", QUESTION | OPTIONS_JUNIT, command_check },
	{ "rewrite", "[options] FILE -o OUT", "another recording: cut, or in another form, compression or byte order",
	  OPTIONS_GENERAL | OPTIONS_INPUT | OPTIONS_FILTER | OPTIONS_SYMBOLS | OPTIONS_RECORDING | OPTIONS_REWRITE, command_rewrite },
	{ "repair", "[options] FILE -o OUT", "what can be saved of a damaged recording, as one that perf opens",
	  OPTIONS_GENERAL | OPTIONS_INPUT | OPTIONS_RECORDING, command_repair },
	{ "anonymize", "[options] FILE -o OUT", "a recording that can be shared: pseudonyms for names, moved addresses, nothing else that tells",
	  OPTIONS_GENERAL | OPTIONS_INPUT | OPTIONS_FILTER | OPTIONS_RECORDING | OPTIONS_ANONYMIZE, command_anonymize },
	{ "symbolize", "[options]", "name the frames of a text with addresses (folded --addresses), from stdin to stdout", OPTIONS_GENERAL | OPTIONS_SYMBOLS,
	  command_symbolize },
	{ "fields", "", "the names that -e takes: type, unit, records that have it, meaning", OPTIONS_GENERAL, command_fields },
	{ "schema", "[--columns]", "JSON Schema of each line of ndjson", OPTIONS_GENERAL | OPTIONS_COLUMNS, command_schema },
	{ "explain", "[CODE…]", "what the code of a message means, and what to do", OPTIONS_GENERAL, command_explain },
	{ "help", "[COMMAND]", "what a command does and its options", OPTIONS_GENERAL, command_help },
	{ "version", "", "the version, and what it was built with", OPTIONS_GENERAL, command_version },
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
