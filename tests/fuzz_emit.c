/* Every emitter over a recording in memory; what is JSON must be well-formed, however broken the recording is. */
#define _GNU_SOURCE
#include "fuzz.h"
#include "emit_memory.h"
#include "emitters.h"
#include "json_text.h"

static bool well_formed(const char *name, const struct emitted *output)
{
	if (!strcmp(name, "ndjson"))
		return json_text_is_lines(output->data, output->size);
	if (!strcmp(name, "json") || !strcmp(name, "perf-json"))
		return json_text_is_valid(output->data, output->size);
	return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct perfdata_emitter *emitter;
	struct emitted output;

	for (size_t i = 0; (emitter = emitter_at(i)) != NULL; i++) {
		emit_memory(emitter, data, size, 1, &output);
		if (output.opened == PERFDATA_OK && output.status == PERFDATA_OK)
			fuzz_require(well_formed(emitter->name, &output), emitter->name);
		free(output.data);
		if (output.opened != PERFDATA_OK)
			break;
	}
	return 0;
}
