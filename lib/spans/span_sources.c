/* SPDX-License-Identifier: MIT */
/* The events that begin and end spans, and the meaning of their fields. */
#include "config.h"
#include <stdlib.h>
#include <string.h>
#include "base/digit.h"
#include "schema/off_cpu_sample.h"
#include "schema/layout.h"
#include "schema/schema.h"
#include "spans/spans_impl.h"

static const struct pd_pair pairs[] = {
	{ .kind = PERFDATA_SPAN_SYSCALL, .system = "raw_syscalls", .begin = "sys_enter", .end = "sys_exit",
	  .name = "id", .named = PD_NAME_SYSCALL, .same_name = true, .result = "ret" },
	{ .kind = PERFDATA_SPAN_SYSCALL, .system = "syscalls", .begin = "sys_enter_*", .end = "sys_exit_*",
	  .named = PD_NAME_EVENT, .same_name = true, .result = "ret" },
	{ .kind = PERFDATA_SPAN_LOCK, .system = "lock", .begin = "contention_begin", .end = "contention_end",
	  .fields = { "lock_addr" }, .name = "flags", .named = PD_NAME_LOCK, .result = "ret" },
	/* a flush completes twice, the second time with 0 sectors */
	{ .kind = PERFDATA_SPAN_BLOCK, .system = "block", .begin = "block_rq_issue", .end = "block_rq_complete",
	  .key = PD_KEY_NOTHING, .fields = { "dev", "sector" }, .zero = "nr_sector", .name = "rwbs" },
	{ .kind = PERFDATA_SPAN_IRQ, .system = "irq", .begin = "irq_handler_entry", .end = "irq_handler_exit",
	  .key = PD_KEY_CPU, .fields = { "irq" }, .name = "name" },
	{ .kind = PERFDATA_SPAN_SOFTIRQ, .system = "irq", .begin = "softirq_entry", .end = "softirq_exit",
	  .key = PD_KEY_CPU, .fields = { "vec" }, .name = "vec", .named = PD_NAME_SOFTIRQ },
	{ .kind = PERFDATA_SPAN_GUEST, .system = "kvm", .begin = "kvm_exit", .end = "kvm_entry",
	  .name = "exit_reason", .named = PD_NAME_NUMBER },
	{ .kind = PERFDATA_SPAN_GUEST, .system = "kvm", .begin = "kvm_exit", .end = "kvm_entry",
	  .name = "esr_ec", .named = PD_NAME_NUMBER },
};

/* Whether the name matches the pattern, in which * is any text; *ret_rest is that text. */
static bool is_event(const char *pattern, const char *name, const char **ret_rest)
{
	const size_t size = strlen(pattern);
	*ret_rest = "";
	if (pattern[size - 1] != '*')
		return !strcmp(pattern, name);
	*ret_rest = name + size - 1;
	return !strncmp(pattern, name, size - 1) && *(name + size - 1);
}

static enum pd_span_role pair_role(const struct pd_pair *pair, const struct perfdata_trace_event *trace,
				   const char **ret_rest)
{
	if (strcmp(pair->system, trace->system))
		return PD_ROLE_NONE;
	return is_event(pair->begin, trace->name, ret_rest) ? PD_ROLE_BEGIN :
	       is_event(pair->end, trace->name, ret_rest) ? PD_ROLE_END : PD_ROLE_NONE;
}

/* --- prev_state --------------------------------------------------------------------------------------------------- */

/* Takes the letter of each bit of prev_state from { NUMBER, "LETTER" } in the recorded print format: kernels differ. */
static void read_letters(struct pd_span_event *ret, const struct perfdata_trace_event *trace)
{
	const char *at = (const char *)trace->print.data, *end = at ? at + trace->print.size : at;
	bool any = false;
	for (; at < end; at++) {
		uint64_t number = 0;
		const char *digit;
		unsigned base = 10;
		if (*at != '{')
			continue;
		for (digit = at + 1; digit < end && *digit == ' '; digit++)
			;
		if (end - digit > 2 && digit[0] == '0' && (digit[1] == 'x' || digit[1] == 'X')) {
			base = 16;
			digit += 2;
		}
		for (; digit < end; digit++) {
			const unsigned value = pd_digit_of(*digit);
			if (value >= base || number >> 32)
				break;
			number = number * base + value;
		}
		while (digit < end && (*digit == ' ' || *digit == ','))
			digit++;
		if (end - digit < 3 || digit[0] != '"' || digit[2] != '"' || !number || number & (number - 1))
			continue;
		const unsigned bit = (unsigned)__builtin_ctzll(number);
		if (bit < PD_SWITCH_LETTERS) {
			ret->letters[bit] = digit[1];
			any = true;
		}
	}
	static const char usual[] = "SDTtXZPI";
	if (!any)
		memcpy(ret->letters, usual, sizeof usual - 1);
	for (unsigned bit = 0; bit < PD_SWITCH_LETTERS; bit++)
		ret->lettered |= ret->letters[bit] ? UINT32_C(1) << bit : 0;
}

enum pd_span_state pd_span_state_of(const struct pd_span_event *event, uint64_t value)
{
	const uint32_t bits = (uint32_t)value & event->lettered;
	if (!bits)
		return PD_STATE_PREEMPTED;   /* R and R+ */
	switch (event->letters[__builtin_ctz(bits)]) {
	case 'S': return PD_STATE_SLEEPING;
	case 'D': return PD_STATE_UNINTERRUPTIBLE;
	case 'T': return PD_STATE_STOPPED;
	case 't': return PD_STATE_TRACED;
	case 'X':
	case 'x':
	case 'Z': return PD_STATE_DEAD;
	case 'P': return PD_STATE_PARKED;
	case 'I': return PD_STATE_IDLE;
	default: return PD_STATE_UNKNOWN;
	}
}

/* --- events ------------------------------------------------------------------------------------------------------- */

static bool all_there(const struct pd_span_event *event, unsigned nr)
{
	for (unsigned i = 0; i < nr; i++)
		if (!event->fields[i])
			return false;
	return true;
}

/* Whether every switch was recorded, apart from losses. */
static bool is_complete(const struct perfdata_event *event)
{
	return !perfdata_attr_has(event->attr, PERFDATA_ATTR_FREQ) && event->attr->sample_period == 1;
}

static void init_scheduler(struct pd_span_event *ret, const struct perfdata_trace_event *trace)
{
	static const struct {
		const char *name;
		enum pd_span_role role;
	} wakes[] = { { "sched_waking", PD_ROLE_WAKING },
		      { "sched_wakeup", PD_ROLE_WAKEUP },
		      { "sched_wakeup_new", PD_ROLE_WAKEUP_NEW } };
	if (!strcmp(trace->name, "sched_switch")) {
		ret->fields[0] = pd_trace_field_named(trace, "prev_pid");
		ret->fields[1] = pd_trace_field_named(trace, "next_pid");
		ret->fields[2] = pd_trace_field_named(trace, "prev_state");
		ret->role = !all_there(ret, 3) ? PD_ROLE_NONE :
			    is_complete(ret->event) ? PD_ROLE_SWITCH : PD_ROLE_SAMPLED_SWITCH;
		read_letters(ret, trace);
	}
	for (size_t i = 0; i < sizeof wakes / sizeof *wakes; i++) {
		if (strcmp(trace->name, wakes[i].name))
			continue;
		ret->fields[0] = pd_trace_field_named(trace, "pid");
		ret->role = all_there(ret, 1) && is_complete(ret->event) ? wakes[i].role : PD_ROLE_NONE;
	}
}

static void init_pair(struct pd_span_event *ret, const struct pd_pair *pair, enum pd_span_role role,
		      const struct perfdata_trace_event *trace)
{
	ret->pair = pair;
	const char *const names[] = { pair->fields[0], pair->fields[1], pair->zero,
				      role == PD_ROLE_BEGIN || pair->same_name ? pair->name : NULL,
				      role == PD_ROLE_END ? pair->result : NULL };
	for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
		ret->fields[i] = names[i] ? pd_trace_field_named(trace, names[i]) : NULL;
	const bool whole = (!names[0] || ret->fields[0]) && (!names[1] || ret->fields[1]) &&
			   (!names[3] || ret->fields[3]);
	ret->role = whole && is_complete(ret->event) ? role : PD_ROLE_NONE;
}

void pd_span_event_init(struct pd_span_event *ret, const struct perfdata_event *event, uint32_t kinds,
			const char **ret_name)
{
	const uint32_t of_scheduler = 1u << PERFDATA_SPAN_RUN | 1u << PERFDATA_SPAN_OFF | 1u << PERFDATA_SPAN_RUNQ;
	const struct perfdata_trace_event *trace = event->trace;
	const struct perfdata_config *config = event->config;
	*ret = (struct pd_span_event){ .event = event, .name = UINT32_MAX };
	if (config->has_attr && config->sample_is_plain && config->sample_rows == 1u << PD_SAMPLE_RAW_ROW)
		ret->raw_at = 8 + 8u * config->sample_fixed;
	*ret_name = NULL;
	if (kinds & of_scheduler && pd_is_off_cpu_event(event))
		ret->role = PD_ROLE_WAIT;
	if (!trace || event->attr->type != PERFDATA_TYPE_TRACEPOINT)
		return;
	if (kinds & of_scheduler && !strcmp(trace->system, "sched"))
		init_scheduler(ret, trace);
	for (size_t i = 0; i < sizeof pairs / sizeof *pairs && !ret->role; i++) {
		const char *rest;
		const enum pd_span_role role = pair_role(&pairs[i], trace, &rest);
		if (role == PD_ROLE_NONE || !(kinds >> pairs[i].kind & 1))
			continue;
		init_pair(ret, &pairs[i], role, trace);
		*ret_name = pairs[i].named == PD_NAME_EVENT ? rest : NULL;
	}
}

bool pd_spans_field_is_name(const struct perfdata_event *event, const struct perfdata_trace_field *field)
{
	const struct perfdata_trace_event *trace = event->trace;
	for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
		const char *rest;
		if (pair_role(&pairs[i], trace, &rest) != PD_ROLE_BEGIN)
			continue;
		/* the first field of the events of one system call is its number */
		if (pairs[i].named == PD_NAME_EVENT)
			return trace->nr_common < trace->nr_fields && field == &trace->fields[trace->nr_common];
		if (pairs[i].name && !strcmp(pairs[i].name, field->name))
			return true;
	}
	return false;
}

const char *pd_softirq_name(uint64_t number)
{
	static const char *const names[] = { "HI",       "TIMER",   "NET_TX", "NET_RX",  "BLOCK",
					     "IRQ_POLL", "TASKLET", "SCHED",  "HRTIMER", "RCU" };
	return number < sizeof names / sizeof *names ? names[number] : NULL;
}
