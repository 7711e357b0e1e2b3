/* An emitter outside the tree: samples by event, one line each. doc/how-to-add-an-emitter.md walks through it.
 *
 * format counts a batch in any thread; merge adds the counts up in order; end writes them. */
#include <stdlib.h>
#include <string.h>
#include "perfdata_emit.h"

struct counts {
	bool headline;
	size_t nr;
	uint64_t *by_event;      /* by the event's index */
};

static void release(void *state)
{
	struct counts *counts = state;
	if (counts)
		free(counts->by_event);
	free(counts);
}

static bool add(struct counts *counts, size_t event, uint64_t more)
{
	if (event >= counts->nr) {
		uint64_t *grown = realloc(counts->by_event, (event + 1) * sizeof *grown);
		if (!grown)
			return false;
		memset(grown + counts->nr, 0, (event + 1 - counts->nr) * sizeof *grown);
		counts->by_event = grown;
		counts->nr = event + 1;
	}
	counts->by_event[event] += more;
	return true;
}

static enum perfdata_status begin(const struct perfdata_emit_context *context, void **ret_state, struct perfdata_text *out)
{
	struct counts *counts = calloc(1, sizeof *counts);
	if (!counts)
		return PERFDATA_ENOMEM;
	counts->headline = perfdata_option_flag(context->options, context->nr_options, "headline", true);
	if (counts->headline)
		perfdata_text_literal(out, "event\tsamples\n");
	*ret_state = counts;
	return PERFDATA_OK;
}

static enum perfdata_status format(const void *state, const struct perfdata_batch *batch, void *value, struct perfdata_scratch *scratch,
				   struct perfdata_text *out, void **ret_part)
{
	(void)state, (void)value, (void)scratch, (void)out;
	struct counts *part = calloc(1, sizeof *part);
	if (!part)
		return PERFDATA_ENOMEM;
	for (size_t i = 0; i < batch->nr_records; i++) {
		const struct perfdata_raw *raw = &batch->records[i];
		if (raw->type == PERFDATA_RECORD_SAMPLE && raw->event && !add(part, raw->event->index, 1)) {
			release(part);
			return PERFDATA_ENOMEM;
		}
	}
	*ret_part = part;
	return PERFDATA_OK;
}

static enum perfdata_status merge(void *state, void *part, struct perfdata_text *out)
{
	struct counts *counts = part;
	bool fine = true;
	(void)out;
	for (size_t i = 0; i < counts->nr && fine; i++)
		fine = add(state, i, counts->by_event[i]);
	release(counts);
	return fine ? PERFDATA_OK : PERFDATA_ENOMEM;
}

static enum perfdata_status end(void *state, const struct perfdata_emit_end *end, struct perfdata_text *out)
{
	const struct counts *counts = state;
	for (size_t i = 0; i < end->summary->nr_events; i++) {
		const struct perfdata_event *event = end->summary->events[i].event;
		if (!event || event->index >= counts->nr)
			continue;
		perfdata_text_printable(out, event->name, strlen(event->name));
		perfdata_text_char(out, '\t');
		perfdata_text_u64(out, counts->by_event[event->index]);
		perfdata_text_char(out, '\n');
	}
	return PERFDATA_OK;
}

static const struct perfdata_option options[] = {
	{ "headline", PERFDATA_OPTION_FLAG, 0, NULL, "begin with the names of the columns" },
	{ 0 },
};

/* What `perfdata --emitter` looks for. */
PERFDATA_API extern const struct perfdata_emitter perfdata_emitter;
const struct perfdata_emitter perfdata_emitter = {
	.abi = PERFDATA_EMITTER_ABI,
	.name = "samples-by-event",
	.help = "samples by event, one line each",
	.needs = PERFDATA_NEED_RECORDS,
	.options = options,
	.begin = begin,
	.format = format,
	.merge = merge,
	.end = end,
	.free_part = release,
	.release = release,
};
