/* SPDX-License-Identifier: MIT */
/* Waits made of single samples: simpleperf's --trace-offcpu takes a sample where a thread leaves the CPU, and perf
 * record --off-cpu writes samples with the length of a wait. */
#include "config.h"
#include "schema/off_cpu_sample.h"
#include "schema/sample_scan.h"
#include "spans/spans_impl.h"

enum perfdata_status pd_spans_left_sample(struct pd_spans *spans, const struct pd_span_event *event,
					  const struct perfdata_raw *raw)
{
	struct pd_span_thread *thread = pd_spans_thread(spans, raw->tid, true);
	struct pd_left left = { .state_raw = UINT64_MAX, .known = true };
	struct pd_sample_scan scan;
	uint64_t state;
	if (!thread)
		return PERFDATA_ENOMEM;
	if (event->role == PD_ROLE_SWITCH &&
	    pd_sample_scan(raw->event->config, raw->bytes, raw->size, PD_SCAN_RAW, &scan) && scan.raw.data &&
	    pd_spans_number(spans, event->fields[2], scan.raw, &state)) {
		left.state = pd_span_state_of(event, state);
		left.state_raw = state;
	}
	spans->facts.switches++;
	spans->options.who(spans->options.user, raw->tid, &thread->who);
	if (thread->who.pid == -1)
		thread->who.pid = raw->pid;
	const enum perfdata_status status = pd_spans_stack(spans, raw, &left.stack);
	return status == PERFDATA_OK ? pd_spans_go(spans, thread, &left, raw) : status;
}

/* Reads the wait from the sample's raw data, or from its own fields, which older versions of perf used. */
static struct pd_off_cpu_sample read_sample(const struct perfdata_raw *raw)
{
	struct perfdata_record record;
	struct pd_off_cpu_sample sample;
	(void)perfdata_decode(raw->event->config, raw->bytes, raw->size, &record);
	if (pd_off_cpu_sample_read(record.u.sample.raw, record.swap, &sample))
		return sample;
	return (struct pd_off_cpu_sample){ .pid = raw->pid, .tid = raw->tid, .period = record.u.sample.period };
}

enum perfdata_status pd_spans_wait_sample(struct pd_spans *spans, const struct perfdata_raw *raw)
{
	const struct pd_off_cpu_sample sample = read_sample(raw);
	const bool is_sum = raw->time >= PD_OFF_CPU_SUMS_FROM || raw->time < sample.period;
	struct pd_span_stack stack;
	const enum perfdata_status status = pd_spans_stack(spans, raw, &stack);
	if (status != PERFDATA_OK)
		return status;
	spans->facts.sums += is_sum;
	spans->facts.summed += is_sum ? sample.period : 0;
	if (!pd_spans_want(spans, PERFDATA_SPAN_OFF)) {
		if (!is_sum)
			(void)pd_spans_count(spans, PERFDATA_SPAN_OFF, raw->time - sample.period, raw->time, false);
		return PERFDATA_OK;
	}
	struct pd_span *span = pd_spans_begin(spans, PERFDATA_SPAN_OFF);
	if (!span)
		return PERFDATA_ENOMEM;
	span->source = PD_SPAN_OF_OFF_CPU_SAMPLES;
	span->tid = sample.tid;
	spans->options.who(spans->options.user, sample.tid, &span->who);
	if (span->who.pid == -1)
		span->who.pid = sample.pid;
	span->ends = (struct pd_span_place){ raw->offset, raw->inner };
	span->stack = stack;
	if (is_sum) {
		span->summed = sample.period;
		return spans->options.take(spans->options.user, span, raw);
	}
	span->begin = raw->time - sample.period;
	span->end = raw->time;
	span->end_cpu = raw->cpu;
	return pd_spans_give(spans, span, raw);
}
