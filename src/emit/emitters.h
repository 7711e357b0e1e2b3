/* The formats that come with the program. */
#ifndef EMITTERS_H
#define EMITTERS_H

#include "perfdata_emit.h"

/* Index 0… until NULL. */
const struct perfdata_emitter *emitter_at(size_t index);
/* NULL if there is none with this name. */
const struct perfdata_emitter *emitter_named(const char *name);

extern const struct perfdata_emitter emitter_ndjson, emitter_json, emitter_csv, emitter_dump, emitter_script,
	emitter_perf_json, emitter_folded;

#endif
