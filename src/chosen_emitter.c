#include "config.h"
#include <stdlib.h>
#include <string.h>
#include "perfdata/emit.h"
#include "chosen_emitter.h"
#include "perfdata/registry.h"

/* The emitter of a shared object, if it fits this program. */
static const struct perfdata_emitter *load(struct options *options, const char *path)
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

bool emitters_choose(struct options *options, int argc, char **argv)
{
	options_find_emitter(options, argc, argv);
	if (options->emitter_file) {
		options->emitter = load(options, options->emitter_file);
		if (!options->emitter)
			return false;
		if (!options->to || !strcmp(options->to, options->emitter->name))
			return true;
		usage_error(&options->style, "--emitter %s holds '%s', not '%s'", options->emitter_file, options->emitter->name,
			    options->to);
		return false;
	}
	if (!options->to) {
		if (asks_for_help(argc, argv))
			return true;
		usage_error(&options->style, "convert needs --to NAME or --emitter FILE.so (perfdata help lists the formats)");
		return false;
	}
	options->emitter = perfdata_registry_find(NULL, options->to);
	if (options->emitter)
		return true;
	char hint[PERFDATA_NEAREST_SIZE];
	struct perfdata_nearest nearest = { .wanted = options->to };
	const struct perfdata_emitter *emitter;
	for (size_t i = 0; (emitter = perfdata_registry_at(NULL, i)); i++)
		perfdata_nearest_offer(&nearest, emitter->name);
	usage_error(&options->style, "there is no format '%s'%s", options->to, perfdata_nearest_hint(&nearest, "", hint));
	return false;
}
