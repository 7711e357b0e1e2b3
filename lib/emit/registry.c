#include "config.h"
#include "emit/emitters.h"

/* One line each. */
static const struct perfdata_emitter *const emitters[] = {
	&pd_emitter_ndjson,
	&pd_emitter_json,
	&pd_emitter_csv,
	&pd_emitter_dump,
	&pd_emitter_script,
	&pd_emitter_perf_json,
	&pd_emitter_folded,
	&pd_emitter_report,
	&pd_emitter_flamegraph,
	&pd_emitter_pprof,
	&pd_emitter_speedscope,
	&pd_emitter_firefox,
};

const struct perfdata_emitter *perfdata_builtin_emitter(size_t index)
{
	return index < sizeof emitters / sizeof *emitters ? emitters[index] : NULL;
}

const struct perfdata_emitter *perfdata_builtin_emitter_named(const char *name)
{
	for (size_t i = 0; i < sizeof emitters / sizeof *emitters; i++)
		if (!strcmp(emitters[i]->name, name))
			return emitters[i];
	return NULL;
}
