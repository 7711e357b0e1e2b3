/* SPDX-License-Identifier: MIT */
#include "config.h"
#include <inttypes.h>
#include <string.h>
#include "answers.h"
#include "span_facts.h"

const struct span_answer span_answers[NR_SPAN_ANSWERS] = {
	{ PERFDATA_SPAN_OFF, "off-CPU", "waits", "report --spans off --by thread", "who waited how long, and why",
	  { "sched:sched_switch" } },
	{ PERFDATA_SPAN_SYSCALL, "system calls", "calls", "report --spans syscall", "how long system calls took",
	  { "raw_syscalls:sys_enter", "syscalls:sys_enter_" } },
	{ PERFDATA_SPAN_LOCK, "locks", "waits", "report --spans lock", "how long threads waited for kernel locks",
	  { "lock:contention_begin" } },
	{ PERFDATA_SPAN_BLOCK, "disks", "requests", "report --spans block", "how long disk requests took",
	  { "block:block_rq_issue" } },
	{ PERFDATA_SPAN_IRQ, "interrupts", "interrupts", "report --spans irq", "how long interrupts took",
	  { "irq:irq_handler_entry" } },
	{ PERFDATA_SPAN_SOFTIRQ, "soft interrupts", "soft interrupts", "report --spans softirq",
	  "how long soft interrupts took", { "irq:softirq_entry" } },
	{ PERFDATA_SPAN_GUEST, "guests", "exits", "report --spans guest", "how long guests did not run",
	  { "kvm:kvm_exit" } },
};

/* Why times of waits are unknown, and how to record them. */
static const char was_sampled[] = "unknown, since sched_switch was sampled: perf record -c 1 has every switch\n";
static const char not_recorded[] = "not recorded; perf record --switch-events records times, "
				   "-e sched:sched_switch -c 1 -g also stacks\n";

uint32_t span_facts_kinds(void)
{
	uint32_t kinds = 0;
	for (size_t i = 0; i < NR_SPAN_ANSWERS; i++)
		kinds |= 1u << span_answers[i].kind;
	return kinds;
}

void span_facts_show(struct perfdata_text *out, const struct perfdata_session *session, bool has_samples)
{
	struct perfdata_span_counts counts;
	for (size_t i = 0; i < NR_SPAN_ANSWERS; i++) {
		perfdata_session_span_counts(session, span_answers[i].kind, &counts);
		const uint64_t unknown = counts.no_begin + counts.no_end + counts.open;
		const bool off = span_answers[i].kind == PERFDATA_SPAN_OFF;
		if (counts.spans) {
			perfdata_text_printf(out, "%s: ", span_answers[i].name);
			if (off)
				perfdata_text_printf(out, "from %s, ",
						     !counts.switch_records ? "sched_switch"
						     : counts.switches ? "sched_switch and SWITCH records"
								       : "SWITCH records, without stacks");
			perfdata_text_printf(out, "%" PRIu64 " %s, ", counts.spans, span_answers[i].one);
			answer_seconds(out, counts.total);
			perfdata_text_printf(out, ", %" PRIu64 " unknown\n", unknown);
		} else if (off && counts.sampled_switches) {
			perfdata_text_printf(out, "off-CPU: %s", was_sampled);
		} else if (off && has_samples) {
			perfdata_text_printf(out, "off-CPU: %s", not_recorded);
		}
	}
}

/* --- from the events alone
 * ------------------------------------------------------------------------------------------ */

static bool is_named(const struct perfdata_event *event, const char *begin)
{
	return event->attr->type == PERFDATA_TYPE_TRACEPOINT && !strncmp(event->name, begin, strlen(begin));
}

/* Whether every occurrence was recorded, not one in a period. */
static bool is_whole(const struct perfdata_event *event)
{
	return !perfdata_attr_has(event->attr, PERFDATA_ATTR_FREQ) && event->attr->sample_period == 1;
}

void span_facts_show_events(struct perfdata_text *out, const struct perfdata_reader *reader, const char *file,
			    bool has_samples)
{
	bool found[NR_SPAN_ANSWERS] = { false }, records = false, sampled = false, sums = false, any = false;
	const struct perfdata_event *event;
	for (size_t i = 0; (event = perfdata_reader_event(reader, i)); i++) {
		records |= perfdata_attr_has(event->attr, PERFDATA_ATTR_CONTEXT_SWITCH);
		sums |= !strcmp(event->name, "offcpu-time");
		sampled |= is_named(event, span_answers[0].begins[0]) && !is_whole(event);
		for (size_t kind = 0; kind < NR_SPAN_ANSWERS; kind++)
			for (size_t name = 0; name < 2 && span_answers[kind].begins[name]; name++)
				found[kind] |= is_named(event, span_answers[kind].begins[name]) && is_whole(event);
	}
	const bool switches = found[0];
	const char *const source = records && switches ? "sched_switch and SWITCH records"
				   : records           ? "SWITCH records, without stacks"
				   : switches          ? "sched_switch"
						       : "samples of offcpu-time";
	found[0] |= records || sums;
	for (size_t kind = 0; kind < NR_SPAN_ANSWERS; kind++) {
		if (!found[kind])
			continue;
		perfdata_text_printf(out, "%s%s", any ? ", " : "waiting: ", span_answers[kind].name);
		if (!kind)
			perfdata_text_printf(out, " (from %s)", source);
		any = true;
	}
	if (any) {
		perfdata_text_literal(out, "; perfdata ");
		answer_text(out, file);
		perfdata_text_literal(out, " counts them\n");
	} else if (sampled) {
		perfdata_text_printf(out, "waiting: %s", was_sampled);
	} else if (has_samples) {
		perfdata_text_printf(out, "waiting: %s", not_recorded);
	}
}
