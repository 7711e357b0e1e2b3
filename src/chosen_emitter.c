/* SPDX-License-Identifier: MIT */
#include "config.h"
#include <stdlib.h>
#include <string.h>
#include "perfdata/emit.h"
#include "chosen_emitter.h"
#include "perfdata/registry.h"

/* Loads the emitter in a shared object. NULL after a message, for example if it has another ABI version. */
static const struct perfdata_emitter *load_emitter(struct options *options, const char *path)
{
	const struct perfdata_emitter *emitter = NULL;
	struct perfdata_error error = { .message = "out of memory" };
	options->registry = perfdata_registry_new();
	if (!options->registry || perfdata_registry_load(options->registry, path, &emitter, &error) != PERFDATA_OK)
		usage_error(&options->style, "--emitter %s %s", path, error.message);
	return emitter;
}

static bool asks_for_help(int argc, char **argv)
{
	for (int i = 0; i < argc; i++)
		if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h"))
			return true;
	return false;
}

static const struct perfdata_emitter *find_format(const struct options *options, const char *name)
{
	char hint[PERFDATA_NEAREST_SIZE];
	struct perfdata_nearest nearest = { .wanted = name };
	const struct perfdata_emitter *emitter = perfdata_registry_find(NULL, name);
	if (emitter)
		return emitter;
	for (size_t i = 0; (emitter = perfdata_registry_at(NULL, i)); i++)
		perfdata_nearest_offer(&nearest, emitter->name);
	usage_error(&options->style, "there is no format '%s'%s", name, perfdata_nearest_hint(&nearest, "", hint));
	return NULL;
}

static bool add_format(struct options *options, const struct perfdata_emitter *emitter)
{
	bool given_before = emitter == options->emitter;
	for (size_t i = 0; i < options->nr_more_emitters; i++)
		given_before |= emitter == options->more_emitters[i];
	if (given_before) {
		usage_error(&options->style, "--to: %s is listed twice", emitter->name);
		return false;
	}
	if (options->nr_more_emitters == MOST_OTHER_FORMATS) {
		usage_error(&options->style, "--to takes at most %d formats", MOST_OTHER_FORMATS + 1);
		return false;
	}
	if (options->emitter)
		options->more_emitters[options->nr_more_emitters++] = emitter;
	else
		options->emitter = emitter;
	return true;
}

/* Finds the emitters of --to: "ndjson" or "ndjson,folded". False after a message. */
static bool find_formats(struct options *options)
{
	for (const char *at = options->to; at;) {
		const size_t size = strcspn(at, ",");
		char *name = strndup(at, size);
		const struct perfdata_emitter *emitter = name ? find_format(options, name) : NULL;
		free(name);
		if (!emitter || !add_format(options, emitter))
			return false;
		at = at[size] ? at + size + 1 : NULL;
	}
	return true;
}

bool emitters_choose(struct options *options, int argc, char **argv)
{
	options_find_emitter(options, argc, argv);
	if (options->emitter_file) {
		options->emitter = load_emitter(options, options->emitter_file);
		if (!options->emitter)
			return false;
		if (!options->to || !strcmp(options->to, options->emitter->name))
			return true;
		usage_error(&options->style, "--emitter %s holds '%s', not '%s'", options->emitter_file,
			    options->emitter->name, options->to);
		return false;
	}
	if (!options->to) {
		if (asks_for_help(argc, argv))
			return true;
		usage_error(&options->style,
			    "convert needs --to NAME or --emitter FILE.so (perfdata help formats lists them)");
		return false;
	}
	return find_formats(options);
}
