/* SPDX-License-Identifier: MIT */
#include "config.h"
#include <string.h>
#include "schema/sample_scan.h"
#include "spans/spans_impl.h"

const char *pd_span_state_name(enum pd_span_state state)
{
	static const char *const names[PD_SPAN_STATES] = {
		[PD_STATE_UNKNOWN] = "off-CPU",    [PD_STATE_SLEEPING] = "sleeping",
		[PD_STATE_UNINTERRUPTIBLE] = "uninterruptible",
		[PD_STATE_STOPPED] = "stopped",    [PD_STATE_TRACED] = "traced",
		[PD_STATE_DEAD] = "dead",          [PD_STATE_PARKED] = "parked",
		[PD_STATE_IDLE] = "idle",          [PD_STATE_PREEMPTED] = "preempted",
		[PD_STATE_RUN_QUEUE] = "run queue", [PD_STATE_RUNNING] = "running",
	};
	return state < PD_SPAN_STATES ? names[state] : "";
}

const char *pd_span_kind_name(enum perfdata_span_kind kind)
{
	static const char *const names[PERFDATA_SPAN_KINDS] = {
		[PERFDATA_SPAN_RUN] = "run",         [PERFDATA_SPAN_OFF] = "off",     [PERFDATA_SPAN_RUNQ] = "runq",
		[PERFDATA_SPAN_SYSCALL] = "syscall", [PERFDATA_SPAN_LOCK] = "lock",   [PERFDATA_SPAN_BLOCK] = "block",
		[PERFDATA_SPAN_IRQ] = "irq",         [PERFDATA_SPAN_SOFTIRQ] = "softirq",
		[PERFDATA_SPAN_GUEST] = "guest",
	};
	return kind < PERFDATA_SPAN_KINDS ? names[kind] : "";
}

const char *pd_span_source_name(enum pd_span_source source)
{
	static const char *const names[] = { "tracepoint", "switch", "both", "simpleperf", "offcpu" };
	return names[source];
}

const char *pd_span_unknown_name(enum pd_span_unknown unknown)
{
	static const char *const names[] = { "", "begin", "end", "lost" };
	return names[unknown];
}

#define RECORDS_PER_ACCOUNT 64u   /* between two charges to the account: so few records need little memory */

/* --- the engine --------------------------------------------------------------------------------------------------- */

struct pd_spans *pd_spans_new(const struct pd_spans_options *options, struct pd_account *account)
{
	struct pd_spans *spans = pd_calloc(1, sizeof *spans);
	if (!spans)
		return NULL;
	spans->options = *options;
	spans->account = account;
	spans->seed = pd_hash_seed(spans);
	spans->free_thread = spans->free_open = UINT32_MAX;
	spans->names = pd_intern_new();
	if (spans->names)
		return spans;
	pd_free(spans);
	return NULL;
}

void pd_spans_free(struct pd_spans *spans)
{
	if (!spans)
		return;
	pd_account_give(spans->account, PD_USE_FRAMES, spans->accounted);
	pd_intern_free(spans->names);
	pd_hash_map_release(&spans->thread_of);
	pd_hash_map_release(&spans->exited);
	pd_hash_map_release(&spans->cpu_of);
	pd_hash_map_release(&spans->open_of);
	pd_hash_map_release(&spans->number_names);
	pd_free(spans->events);
	pd_free(spans->threads);
	pd_free(spans->cpus);
	for (size_t i = 0; i < spans->nr_open; i++)
		pd_free(spans->open[i].data);
	pd_free(spans->open);
	pd_free(spans);
}

const struct pd_span_facts *pd_spans_facts(const struct pd_spans *spans) { return &spans->facts; }

const char *pd_spans_name(const struct pd_spans *spans, uint32_t name)
{
	return name == UINT32_MAX ? "" : pd_intern_get(spans->names, name, NULL);
}

void pd_spans_expect_switch_records(struct pd_spans *spans) { spans->by_records = spans->facts.both = true; }

void pd_spans_expect_simpleperf(struct pd_spans *spans, const struct perfdata_event *event)
{
	spans->left_event = event;
	spans->facts.simpleperf = true;
}

void pd_spans_ignore_wait_samples(struct pd_spans *spans) { spans->no_wait_samples = true; }

/* --- events ------------------------------------------------------------------------------------------------------- */

/* Prepares to read samples of the event. NULL without memory. */
static const struct pd_span_event *prepare_event(struct pd_spans *spans, const struct perfdata_event *event)
{
	const size_t before = spans->events_room;
	if (pd_vector_grow(&spans->events, &spans->events_room, event->index, sizeof *spans->events) < 0)
		return NULL;
	if (spans->events_room > before)
		memset(spans->events + before, 0, (spans->events_room - before) * sizeof *spans->events);
	struct pd_span_event *known = &spans->events[event->index];
	if (known->event != event) {
		const char *name;
		pd_span_event_init(known, event, spans->options.kinds, &name);
		if (name && (known->name = pd_spans_intern(spans, name, strlen(name))) == UINT32_MAX) {
			known->event = NULL;
			return NULL;
		}
	}
	return known;
}

static inline const struct pd_span_event *event_of(struct pd_spans *spans, const struct perfdata_event *event)
{
	return event->index < spans->events_room && spans->events[event->index].event == event
		       ? &spans->events[event->index] : prepare_event(spans, event);
}

bool pd_spans_use(struct pd_spans *spans, const struct perfdata_event *event)
{
	const struct pd_span_event *known = event_of(spans, event);
	/* without memory, pd_spans_record returns the error */
	return !known || spans->left_event || known->role != PD_ROLE_NONE;
}

bool pd_spans_use_waking(struct pd_spans *spans, const struct perfdata_event *event)
{
	const struct pd_span_event *known = event_of(spans, event);
	return known && known->role == PD_ROLE_WAKING;
}

bool pd_spans_use_wakeup(struct pd_spans *spans, const struct perfdata_event *event)
{
	const struct pd_span_event *known = event_of(spans, event);
	return known && known->role == PD_ROLE_WAKEUP && !spans->left_event;
}

/* --- records ------------------------------------------------------------------------------------------------------ */

static inline struct perfdata_bytes raw_data_of(const struct pd_spans *spans, const struct pd_span_event *event,
						const struct perfdata_raw *raw)
{
	const struct perfdata_config *config = raw->event->config;
	struct pd_sample_scan scan;
	if (raw->known_whole && event->raw_at) {
		const uint8_t *at = raw->bytes + event->raw_at;
		return (struct perfdata_bytes){ at + 4, pd_load32(at, spans->options.swap) };
	}
	if (pd_sample_scan(config, raw->bytes, raw->size, PD_SCAN_RAW, &scan))
		return scan.raw;
	struct perfdata_record record;
	(void)perfdata_decode(config, raw->bytes, raw->size, &record);
	return record.u.sample.raw;
}

static enum perfdata_status take_sample(struct pd_spans *spans, const struct perfdata_raw *raw)
{
	const struct pd_span_event *event = event_of(spans, raw->event);
	if (!event)
		return PERFDATA_ENOMEM;
	if (raw->time == UINT64_MAX || !raw->time)
		return PERFDATA_OK;
	if (spans->left_event) {
		const enum perfdata_status status = pd_spans_see_running(spans, raw);
		if (status != PERFDATA_OK)
			return status;
		if (raw->event == spans->left_event)
			return pd_spans_left_sample(spans, event, raw);
	}
	if (event->role == PD_ROLE_NONE)
		return PERFDATA_OK;
	if (event->role == PD_ROLE_WAIT)
		return spans->no_wait_samples ? PERFDATA_OK : pd_spans_wait_sample(spans, raw);
	if (event->role == PD_ROLE_SAMPLED_SWITCH) {
		spans->facts.sampled_switches++;
		return PERFDATA_OK;
	}
	const struct perfdata_bytes data = raw_data_of(spans, event, raw);
	if (!data.data)
		return PERFDATA_OK;
	switch (event->role) {
	case PD_ROLE_SWITCH: return pd_spans_switch(spans, event, raw, data);
	case PD_ROLE_WAKING:
	case PD_ROLE_WAKEUP:
	case PD_ROLE_WAKEUP_NEW: return pd_spans_wake(spans, event, raw, data);
	case PD_ROLE_BEGIN:
	case PD_ROLE_END: return pd_spans_pair(spans, event, raw, data);
	default: return PERFDATA_OK;
	}
}

/* Handles an EXIT record. Its body has pid, ppid, tid, ptid and the time of the exit, before the record's own time. */
static enum perfdata_status take_exit(struct pd_spans *spans, const struct perfdata_raw *raw)
{
	struct perfdata_raw own = *raw;
	if (raw->size < 32)
		return PERFDATA_OK;
	own.time = pd_load64(raw->bytes + 24, spans->options.swap);
	return own.time ? pd_spans_exit(spans, &own, (int32_t)pd_load32(raw->bytes + 16, spans->options.swap))
			: PERFDATA_OK;
}

enum perfdata_status pd_spans_record(struct pd_spans *spans, const struct perfdata_raw *raw)
{
	enum perfdata_status status = PERFDATA_OK;
	spans->took = false;
	switch (raw->type) {
	case PERFDATA_RECORD_SAMPLE:
		status = raw->event ? take_sample(spans, raw) : PERFDATA_OK;
		break;
	case PERFDATA_RECORD_SWITCH:
	case PERFDATA_RECORD_SWITCH_CPU_WIDE:
		if (raw->time != UINT64_MAX && raw->time)
			status = pd_spans_switch_record(spans, raw);
		break;
	case PERFDATA_RECORD_EXIT:
		status = take_exit(spans, raw);
		break;
	case PERFDATA_RECORD_FORK:
		/* the kernel has reused the tid */
		if (raw->size >= 24)
			pd_spans_fork(spans, (int32_t)pd_load32(raw->bytes + 16, spans->options.swap));
		return PERFDATA_OK;
	case PERFDATA_RECORD_LOST:
	case PERFDATA_RECORD_LOST_SAMPLES:
		if (raw->time != UINT64_MAX && raw->time > spans->lost)
			spans->lost = raw->time;
		break;
	default:
		return PERFDATA_OK;
	}
	return status == PERFDATA_OK && !(spans->nr_records++ % RECORDS_PER_ACCOUNT) ? pd_spans_account(spans) : status;
}

bool pd_spans_took(const struct pd_spans *spans) { return spans->took; }

enum perfdata_status pd_spans_end(struct pd_spans *spans)
{
	const enum perfdata_status status = pd_spans_end_switches(spans);
	return status == PERFDATA_OK ? pd_spans_end_pairs(spans) : status;
}
