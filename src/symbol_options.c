#include "config.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "symbol_options.h"

static void say(void *user, const struct perfdata_symbols_log *entry)
{
	static const char *const events[] = { "taken", "not there", "not used" };
	messages_detail(user, entry->dso, "%s: %s%s%s", entry->file ? entry->file : "no file", events[entry->event],
			entry->reason ? ": " : "", entry->reason ? entry->reason : "");
}

bool symbols_wanted(const struct options *options)
{
	const bool by_default = (options->emitter && options->emitter->flags & PERFDATA_EMITTER_SYMBOLS) || options->symbol_names.nr;
	return options->symbols ? !strcmp(options->symbols, "yes") : by_default;
}

enum perfdata_status symbols_for(const struct options *options, struct messages *messages, struct perfdata_symbols **ret)
{
	*ret = NULL;
	if (!symbols_wanted(options))
		return PERFDATA_OK;
	struct perfdata_symbols_options symbols;
	char cache[4096];
	const char *home = getenv("HOME");
	perfdata_symbols_options_init(&symbols);
	symbols.symfs = options->symfs;
	symbols.sysroot = options->sysroot;
	symbols.kallsyms = options->kallsyms;
	symbols.vmlinux = options->vmlinux;
	symbols.debuginfod = options->debuginfod;
	if (home && snprintf(cache, sizeof cache, "%s/.debug", home) < (int)sizeof cache)
		symbols.build_id_dir = cache;
	symbols.log = say;
	symbols.finding = messages_finding;
	symbols.user = messages;
	symbols.memory = options->memory;
	return perfdata_symbols_new(&symbols, ret);
}
