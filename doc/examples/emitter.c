/* SPDX-License-Identifier: MIT */
/* An emitter outside the tree: one line per sample with the time since the sample before it, and a count per CPU at the
 * end.
 *
 *	cc -shared -fPIC -o gaps.so emitter.c $(pkg-config --cflags --libs libperfdata)
 *	perfdata convert --emitter ./gaps.so --minimum 1000000 perf.data
 *
 * It uses all functions that an emitter can have. Only begin and format must be there. */
#include <stdlib.h>
#include <perfdata/emit.h>

#define MAX_CPUS 4096

/* scan owns `last`, merge owns `counts`; format reads `minimum`, which neither changes. */
struct gaps {
	uint64_t minimum;
	uint64_t last;
	uint64_t counts[MAX_CPUS];
};

static const struct perfdata_emitter_option options[] = {
	{ "minimum", PERFDATA_OPTION_NUMBER, 'm', "NS", "show gaps of at least so many nanoseconds" },
	{ 0 },
};

static enum perfdata_status begin(const struct perfdata_emit_context *context, void **ret_state,
				  struct perfdata_text *out)
{
	struct gaps *gaps = (struct gaps *)calloc(1, sizeof *gaps);
	if (!gaps)
		return PERFDATA_ENOMEM;
	gaps->minimum = perfdata_option_number(context->options, context->nr_options, "minimum", 0);
	gaps->last = UINT64_MAX;
	perfdata_text_literal(out, "time\tgap\tcpu\n");
	*ret_state = gaps;
	return PERFDATA_OK;
}

static bool is_sample(const struct perfdata_raw *raw)
{
	return perfdata_raw_type(raw) == PERFDATA_RECORD_SAMPLE && perfdata_raw_time(raw) != UINT64_MAX;
}

/* In order, in one thread: what a batch must know of those before it. */
static enum perfdata_status scan(void *state, const struct perfdata_batch *batch, void **ret_value)
{
	struct gaps *gaps = (struct gaps *)state;
	uint64_t *before = (uint64_t *)malloc(sizeof *before);
	if (!before)
		return PERFDATA_ENOMEM;
	*before = gaps->last;
	for (size_t i = 0; i < batch->nr_records; i++)
		if (is_sample(perfdata_batch_record(batch, i)))
			gaps->last = perfdata_raw_time(perfdata_batch_record(batch, i));
	*ret_value = before;
	return PERFDATA_OK;
}

/* Any thread, any time: nothing but the batch, the value and what begin has set. */
static enum perfdata_status format(const void *state, const struct perfdata_batch *batch, void *value,
				   struct perfdata_scratch *scratch, struct perfdata_text *out, void **ret_part)
{
	const struct gaps *gaps = (const struct gaps *)state;
	uint64_t before = *(const uint64_t *)value;
	uint64_t *counts = (uint64_t *)calloc(MAX_CPUS, sizeof *counts);
	(void)scratch;
	if (!counts)
		return PERFDATA_ENOMEM;
	*ret_part = counts;
	for (size_t i = 0; i < batch->nr_records; i++) {
		const struct perfdata_raw *raw = perfdata_batch_record(batch, i);
		if (!is_sample(raw))
			continue;
		const uint64_t time = perfdata_raw_time(raw);
		const uint32_t cpu = perfdata_raw_cpu(raw);
		const uint64_t gap = before == UINT64_MAX || time < before ? 0 : time - before;
		before = time;
		if (cpu < MAX_CPUS)
			counts[cpu]++;
		if (gap < gaps->minimum)
			continue;
		perfdata_text_u64(out, time);
		perfdata_text_char(out, '\t');
		perfdata_text_u64(out, gap);
		perfdata_text_char(out, '\t');
		if (cpu != UINT32_MAX)
			perfdata_text_u64(out, cpu);
		perfdata_text_char(out, '\n');
		perfdata_text_cut(out);   /* what stands there may leave */
	}
	return PERFDATA_OK;
}

/* In order again: adds up what format found. */
static enum perfdata_status merge(void *state, void *part, struct perfdata_text *out)
{
	struct gaps *gaps = (struct gaps *)state;
	const uint64_t *counts = (const uint64_t *)part;
	(void)out;
	for (size_t i = 0; i < MAX_CPUS; i++)
		gaps->counts[i] += counts[i];
	free(part);
	return PERFDATA_OK;
}

static enum perfdata_status end(void *state, const struct perfdata_emit_end *what, struct perfdata_text *out)
{
	const struct gaps *gaps = (const struct gaps *)state;
	for (size_t i = 0; i < MAX_CPUS; i++) {
		if (!gaps->counts[i])
			continue;
		perfdata_text_literal(out, "# cpu ");
		perfdata_text_u64(out, i);
		perfdata_text_literal(out, ": ");
		perfdata_text_u64(out, gaps->counts[i]);
		perfdata_text_literal(out, " samples\n");
	}
	perfdata_text_literal(out, "# records: ");
	perfdata_text_u64(out, what->summary->records);
	perfdata_text_string(out, what->complete ? "\n" : ", incomplete\n");
	return PERFDATA_OK;
}

extern PERFDATA_API const struct perfdata_emitter perfdata_emitter;
const struct perfdata_emitter perfdata_emitter = {
	.abi = PERFDATA_EMITTER_ABI,
	.size = sizeof(struct perfdata_emitter),
	.name = "gaps",
	.help = "time between samples",
	.needs = PERFDATA_NEED_RECORDS,
	.option_size = sizeof *options,
	.options = options,
	.begin = begin,
	.scan = scan,
	.format = format,
	.merge = merge,
	.end = end,
	.free_value = free,
	.free_part = free,
	.release = free,
};
