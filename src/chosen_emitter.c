#include "config.h"
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include "perfdata/emit.h"
#include "chosen_emitter.h"
#include "nearest.h"

/* The object's `perfdata_emitter`, if it fits this program. */
static const struct perfdata_emitter *load(const struct options *options, const char *path, struct loaded_emitter *ret)
{
	/* dlopen looks for names without a slash in the system's folders only */
	char *file = realpath(path, NULL);
	ret->library = file ? dlopen(file, RTLD_NOW | RTLD_LOCAL) : NULL;
	free(file);
	if (!ret->library) {
		const char *reason = dlerror();
		usage_error(&options->style, "--emitter %s cannot be loaded: %s", path, reason ? reason : "no such file");
		return NULL;
	}
	const struct perfdata_emitter *emitter = dlsym(ret->library, "perfdata_emitter");
	if (!emitter)
		usage_error(&options->style, "--emitter %s: it exports no perfdata_emitter", path);
	else if (emitter->abi != PERFDATA_EMITTER_ABI)
		usage_error(&options->style, "--emitter %s was built for interface %u, this program has %u", path,
			    (unsigned)emitter->abi, PERFDATA_EMITTER_ABI);
	else
		return emitter;
	return NULL;
}

static bool asks_for_help(int argc, char **argv)
{
	for (int i = 0; i < argc; i++)
		if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h"))
			return true;
	return false;
}

bool emitters_choose(struct options *options, int argc, char **argv, struct loaded_emitter *ret)
{
	options_find_emitter(options, argc, argv);
	if (options->emitter_file) {
		options->emitter = load(options, options->emitter_file, ret);
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
	options->emitter = perfdata_builtin_emitter_named(options->to);
	if (options->emitter)
		return true;
	char hint[NEAREST_SIZE];
	struct nearest nearest = { .wanted = options->to };
	const struct perfdata_emitter *emitter;
	for (size_t i = 0; (emitter = perfdata_builtin_emitter(i)); i++)
		nearest_offer(&nearest, emitter->name);
	usage_error(&options->style, "there is no format '%s'%s", options->to, nearest_hint(&nearest, "", hint));
	return false;
}

void emitters_unload(struct loaded_emitter *loaded)
{
	if (loaded->library)
		dlclose(loaded->library);
}
