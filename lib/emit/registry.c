/* SPDX-License-Identifier: MIT */
#include "config.h"
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include "base/error.h"
#include "base/memory.h"
#include "base/port.h"
#include "emit/emitters.h"
#include "perfdata/registry.h"

/* The emitters of the library. */
static const struct perfdata_emitter *const emitters[] = {
	&pd_emitter_ndjson,
	&pd_emitter_json,
	&pd_emitter_csv,
	&pd_emitter_parquet,
	&pd_emitter_dump,
	&pd_emitter_script,
	&pd_emitter_perf_json,
	&pd_emitter_folded,
	&pd_emitter_report,
	&pd_emitter_annotate,
	&pd_emitter_flamegraph,
	&pd_emitter_pprof,
	&pd_emitter_speedscope,
	&pd_emitter_firefox,
	&pd_emitter_otlp,
	&pd_emitter_callgrind,
	&pd_emitter_perfetto,
	&pd_emitter_bolt,
	&pd_emitter_profgen,
	&pd_emitter_sampleprof,
	&pd_emitter_gcov,
	&pd_emitter_autofdo,
	&pd_emitter_counts,
	&pd_emitter_baseline,
};
#define NR_EMITTERS (sizeof emitters / sizeof *emitters)

/* An emitter that the caller added; perfdata_registry.last is the newest. */
struct added {
	struct added *before;
	struct perfdata_emitter emitter;
	void *library;              /* NULL: the emitter is not from a shared object */
};

struct perfdata_registry {
	struct added *last;
	size_t nr;
};

struct perfdata_registry *perfdata_registry_new(void) { return pd_calloc(1, sizeof(struct perfdata_registry)); }

void perfdata_registry_free(struct perfdata_registry *registry)
{
	for (struct added *added; registry && (added = registry->last);) {
		registry->last = added->before;
		if (added->emitter.destroy)
			added->emitter.destroy(added->emitter.user);
		if (added->library)
			dlclose(added->library);
		pd_free(added);
	}
	pd_free(registry);
}

/* Reads only the members that every version has, until the size is checked. */
static enum perfdata_status check_emitter(const struct perfdata_emitter *emitter, struct perfdata_error *reterr)
{
	const size_t least = offsetof(struct perfdata_emitter, release) + sizeof emitter->release;
	if (emitter->abi != PERFDATA_EMITTER_ABI)
		return pd_error(reterr, PERFDATA_EUSAGE, PERFDATA_NO_OFFSET,
				"was built for interface %u, this library has %u", (unsigned)emitter->abi,
				PERFDATA_EMITTER_ABI);
	for (size_t i = sizeof *emitter; i < emitter->size; i++)
		if (((const char *)emitter)[i])
			return pd_error(reterr, PERFDATA_EUSAGE, PERFDATA_NO_OFFSET,
					"has functions that version %s does not know", perfdata_version());
	if (emitter->size < least || !emitter->name || !emitter->begin || !emitter->format)
		return pd_error(reterr, PERFDATA_EUSAGE, PERFDATA_NO_OFFSET, "the table of its functions is not whole");
	return PERFDATA_OK;
}

static enum perfdata_status add_emitter(struct perfdata_registry *registry, const struct perfdata_emitter *emitter,
					void *library, struct perfdata_error *reterr)
{
	const enum perfdata_status status = check_emitter(emitter, reterr);
	if (status)
		return status;
	struct added *added = pd_calloc(1, sizeof *added);
	if (!added)
		return pd_error(reterr, PERFDATA_ENOMEM, PERFDATA_NO_OFFSET, "out of memory");
	memcpy(&added->emitter, emitter, emitter->size < sizeof *emitter ? emitter->size : sizeof *emitter);
	added->emitter.size = sizeof *emitter;
	added->library = library;
	added->before = registry->last;
	registry->last = added;
	registry->nr++;
	return PERFDATA_OK;
}

enum perfdata_status pd_registry_add(struct perfdata_registry *registry, const struct perfdata_emitter *emitter,
				     struct perfdata_error *reterr)
{
	const enum perfdata_status status = add_emitter(registry, emitter, NULL, reterr);
	/* a table of another version, or too short, has no `destroy` */
	const size_t least = offsetof(struct perfdata_emitter, destroy) + sizeof emitter->destroy;
	if (status && emitter->abi == PERFDATA_EMITTER_ABI && emitter->size >= least && emitter->destroy)
		emitter->destroy(emitter->user);
	return status;
}

enum perfdata_status perfdata_registry_load(struct perfdata_registry *registry, const char *path,
					    const struct perfdata_emitter **ret, struct perfdata_error *reterr)
{
	/* dlopen searches names without a slash in the system's folders only */
	char *file = realpath(path, NULL);
	const bool file_found = file;
	void *library = file ? pd_load_library(file, RTLD_NOW | RTLD_LOCAL) : NULL;
	free(file);
	if (!library) {
		const char *reason = file_found ? pd_load_library_error() : NULL;
		return pd_error(reterr, PERFDATA_EUSAGE, PERFDATA_NO_OFFSET, "cannot be loaded: %s",
				reason ? reason : "no such file");
	}
	const struct perfdata_emitter *emitter = dlsym(library, "perfdata_emitter");
	const enum perfdata_status status = emitter ? add_emitter(registry, emitter, library, reterr) :
		pd_error(reterr, PERFDATA_EUSAGE, PERFDATA_NO_OFFSET, "exports no perfdata_emitter");
	if (status)
		dlclose(library);
	else if (ret)
		*ret = &registry->last->emitter;
	return status;
}

const struct perfdata_emitter *perfdata_registry_at(const struct perfdata_registry *registry, size_t index)
{
	if (index < NR_EMITTERS)
		return emitters[index];
	const size_t nr = registry ? registry->nr : 0;
	if (index - NR_EMITTERS >= nr)
		return NULL;
	const struct added *added = registry->last;
	for (size_t i = nr - 1; i > index - NR_EMITTERS; i--)
		added = added->before;
	return &added->emitter;
}

const struct perfdata_emitter *perfdata_registry_find(const struct perfdata_registry *registry, const char *name)
{
	for (const struct added *added = registry ? registry->last : NULL; added; added = added->before)
		if (!strcmp(added->emitter.name, name))
			return &added->emitter;
	for (size_t i = 0; i < NR_EMITTERS; i++)
		if (!strcmp(emitters[i]->name, name))
			return emitters[i];
	return NULL;
}
