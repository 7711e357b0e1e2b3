#include "config.h"
#include "emitters.h"

/* One line each. */
static const struct perfdata_emitter *const emitters[] = {
	&emitter_ndjson,
	&emitter_json,
	&emitter_csv,
	&emitter_dump,
	&emitter_script,
	&emitter_perf_json,
	&emitter_folded,
};

const struct perfdata_emitter *emitter_at(size_t index)
{
	return index < sizeof emitters / sizeof *emitters ? emitters[index] : NULL;
}

const struct perfdata_emitter *emitter_named(const char *name)
{
	for (size_t i = 0; i < sizeof emitters / sizeof *emitters; i++)
		if (!strcmp(emitters[i]->name, name))
			return emitters[i];
	return NULL;
}
