/* SPDX-License-Identifier: MIT */
#include "config.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "base/error.h"
#include "base/memory.h"
#include "emit/report/report_spans.h"
#include "emit/stacks/stack_text.h"
#include "profile/span_sums.h"
#include "session/session.h"
#include "text/json_quoted.h"
#include "text/spelling.h"

/* Words for a kind of spans in the head of a report, and how to record it. */
static const struct kind {
	const char *plural, *recorded_by, *named;
} kinds[PERFDATA_SPAN_KINDS] = {
	[PERFDATA_SPAN_RUN] = { "runs on a CPU", "-e sched:sched_switch -c 1, or --switch-events", "state" },
	[PERFDATA_SPAN_OFF] = { "waits off the CPU", "-e sched:sched_switch -c 1, or --switch-events", "state" },
	[PERFDATA_SPAN_RUNQ] = { "waits for a CPU",
				 "-a -e sched:sched_switch,sched:sched_waking,sched:sched_wakeup_new", "state before" },
	[PERFDATA_SPAN_SYSCALL] = { "system calls", "-e raw_syscalls:sys_enter,raw_syscalls:sys_exit",
				    "system call" },
	[PERFDATA_SPAN_LOCK] = { "waits for kernel locks",
				 "-a -e lock:contention_begin,lock:contention_end", "kind of lock" },
	[PERFDATA_SPAN_BLOCK] = { "disk requests", "-a -e block:block_rq_issue,block:block_rq_complete",
				  "request" },
	[PERFDATA_SPAN_IRQ] = { "interrupts", "-a -e irq:irq_handler_entry,irq:irq_handler_exit", "handler" },
	[PERFDATA_SPAN_SOFTIRQ] = { "soft interrupts", "-a -e irq:softirq_entry,irq:softirq_exit",
				    "soft interrupt" },
	[PERFDATA_SPAN_GUEST] = { "guest exits", "-a -e kvm:kvm_exit,kvm:kvm_entry", "reason" },
};
static const struct {
	const char *name;
	enum pd_span_by by;
} bys[] = {
	{ "thread", PD_SPANS_BY_THREAD }, { "process", PD_SPANS_BY_PROCESS }, { "comm", PD_SPANS_BY_COMM },
	{ "cpu", PD_SPANS_BY_CPU },       { "waker", PD_SPANS_BY_WAKER },     { "wakee", PD_SPANS_BY_WAKEE },
	{ "syscall", PD_SPANS_BY_SYSCALL }, { "state", PD_SPANS_BY_NAME },
};

struct report_spans {
	const struct perfdata_session *session;
	const char *file;            /* set if several recordings share the output; or NULL */
	enum perfdata_span_kind kind;
	enum pd_span_by by;
	const char *by_name;         /* name of the rows' key; default "name" */
	struct pd_span_sums *sums;
};

/* --- options ------------------------------------------------------------------------------------------------------ */

bool pd_report_spans_asked(const struct perfdata_emitter_option_value *values, size_t nr)
{
	return perfdata_option_text(values, nr, "spans");
}

static bool read_options(const struct perfdata_emitter_option_value *values, size_t nr, struct report_spans *ret,
			 struct perfdata_error *reterr)
{
	const char *kind = perfdata_option_text(values, nr, "spans"), *by = perfdata_option_text(values, nr, "by");
	bool known = !by;
	ret->kind = PERFDATA_SPAN_RUN;
	for (unsigned i = 0; i < PERFDATA_SPAN_KINDS; i++)
		if (!strcmp(pd_span_kind_name(i), kind))
			ret->kind = (enum perfdata_span_kind)i;
	ret->by = PD_SPANS_BY_NAME;
	ret->by_name = by ? by : "name";
	for (size_t i = 0; by && i < sizeof bys / sizeof *bys; i++) {
		if (strcmp(bys[i].name, by))
			continue;
		known = true;
		ret->by = bys[i].by;
	}
	const bool of_waits = ret->by == PD_SPANS_BY_WAKER || ret->by == PD_SPANS_BY_WAKEE ||
			      ret->by == PD_SPANS_BY_SYSCALL || (by && !strcmp(by, "state"));
	const bool scheduled = ret->kind == PERFDATA_SPAN_OFF || ret->kind == PERFDATA_SPAN_RUNQ;
	const bool own_name = ret->by == PD_SPANS_BY_SYSCALL && ret->kind == PERFDATA_SPAN_SYSCALL;
	if (own_name)
		ret->by = PD_SPANS_BY_NAME;
	if (known && (!of_waits || scheduled || own_name))
		return true;
	pd_error(reterr, PERFDATA_EUSAGE, PERFDATA_NO_OFFSET,
		 known ? "--by %s needs time off the CPU: add --spans off"
		       : "--by %s does not apply to spans; choose thread, process, comm, cpu, state, waker, wakee or "
			 "syscall",
		 by);
	return false;
}

enum perfdata_status pd_report_spans_configure(struct perfdata_configuration *configuration)
{
	struct report_spans asked;
	if (!read_options(configuration->options, configuration->nr_options, &asked, configuration->reterr))
		return PERFDATA_EUSAGE;
	configuration->needs = PERFDATA_NEED_THREADS;
	configuration->symbols = false;
	configuration->merge_deferred = false;
	configuration->no_stack_copies = true;
	configuration->spans = 1u << asked.kind;
	if (asked.by == PD_SPANS_BY_SYSCALL)
		configuration->spans |= 1u << PERFDATA_SPAN_SYSCALL;
	configuration->span_states = perfdata_option_text(configuration->options, configuration->nr_options, "state");
	return PERFDATA_OK;
}

enum perfdata_status pd_report_spans_new(const struct perfdata_emit_context *context, struct report_spans **ret,
					 struct perfdata_text *out)
{
	struct report_spans *spans = pd_calloc(1, sizeof *spans);
	if (!spans)
		return PERFDATA_ENOMEM;
	*ret = spans;
	spans->session = context->session;
	spans->file = context->recording;
	if (!read_options(context->options, context->nr_options, spans, context->reterr))
		return PERFDATA_EUSAGE;
	spans->sums = pd_span_sums_new(context->session, spans->kind, spans->by);
	if (perfdata_option_flag(context->options, context->nr_options, "csv", false) && !context->shared_output)
		perfdata_text_literal(out, "file,kind,name,pid,tid,comm,cpu,other_pid,other_tid,other_comm,count,"
					   "total_ns,mean_ns,p50_ns,p99_ns,min_ns,max_ns,errors,unknown\n");
	if (!context->shared_output)
		spans->file = NULL;
	return spans->sums ? PERFDATA_OK : PERFDATA_ENOMEM;
}

void pd_report_spans_free(struct report_spans *spans)
{
	if (spans)
		pd_span_sums_free(spans->sums);
	pd_free(spans);
}

/* --- sums --------------------------------------------------------------------------------------------------------- */

enum perfdata_status pd_report_spans_format(const struct report_spans *spans, const struct perfdata_batch *batch,
					    void **ret_part)
{
	struct pd_span_part *part = NULL;
	const enum perfdata_status status = pd_span_sums_collect(spans->sums, batch, &part);
	*ret_part = part;
	return status;
}

enum perfdata_status pd_report_spans_merge(struct report_spans *spans, void *part)
{
	return pd_span_sums_add(spans->sums, part);
}

/* --- text --------------------------------------------------------------------------------------------------------- */

static uint64_t mean_time(const struct pd_span_row *row) { return row->count ? row->total / row->count : 0; }

static const char *comm_of(const struct report_spans *spans, uint32_t comm)
{
	return comm == PERFDATA_NONE ? "" : perfdata_session_comm(spans->session, comm);
}

static void time_cell(struct perfdata_text *out, uint64_t time, bool shown)
{
	struct perfdata_text text;
	perfdata_text_init(&text);
	if (shown)
		pd_stack_text_weight(&text, time, true);
	const size_t size = text.size;
	if (size < 8)
		perfdata_text_fill(out, ' ', 8 - size);
	perfdata_text_append(out, text.data ? text.data : "", size);
	out->failed |= perfdata_text_failed(&text);
	perfdata_text_release(&text);
	perfdata_text_literal(out, "  ");
}

static void write_thread(const struct report_spans *spans, uint32_t comm, int32_t pid, int32_t tid,
			 struct perfdata_text *out)
{
	const char *name = comm_of(spans, comm);
	perfdata_text_shortened(out, *name ? name : tid == 0 ? "[idle]" : "", 0);
	if (tid >= 0)
		perfdata_text_printf(out, "%s(%" PRId32 "/%" PRId32 ")", *name || !tid ? " " : "", pid, tid);
	else if (pid >= 0)
		perfdata_text_printf(out, "%s(%" PRId32 ")", *name ? " " : "", pid);
	else if (!*name)
		perfdata_text_literal(out, "[unknown]");
}

static const char *name_of(const struct pd_span_row *row) { return *row->name ? row->name : "[unknown]"; }

static void text_row(const struct report_spans *spans, const struct pd_span_row *row, bool errors,
		     struct perfdata_text *out)
{
	perfdata_text_printf(out, "%9" PRIu64 "  ", row->count);
	time_cell(out, row->total, true);
	time_cell(out, mean_time(row), row->count);
	time_cell(out, row->p50, row->count);
	time_cell(out, row->p99, row->count);
	time_cell(out, row->most, row->count);
	if (errors)
		perfdata_text_printf(out, "%7" PRIu64 "  ", row->errors);
	switch (spans->by) {
	case PD_SPANS_BY_NAME:
	case PD_SPANS_BY_SYSCALL: perfdata_text_shortened(out, name_of(row), 0); break;
	case PD_SPANS_BY_THREAD:
	case PD_SPANS_BY_PROCESS:
	case PD_SPANS_BY_COMM:
		write_thread(spans, row->comm, row->pid, row->tid, out);
		perfdata_text_literal(out, "  ");
		perfdata_text_shortened(out, name_of(row), 0);
		break;
	case PD_SPANS_BY_CPU:
		if (row->cpu == UINT32_MAX)
			perfdata_text_literal(out, "cpu unknown  ");
		else
			perfdata_text_printf(out, "cpu %" PRIu32 "  ", row->cpu);
		perfdata_text_shortened(out, name_of(row), 0);
		break;
	case PD_SPANS_BY_WAKER:
	case PD_SPANS_BY_WAKEE:
		write_thread(spans, row->comm, row->pid, row->tid, out);
		perfdata_text_string(out, spans->by == PD_SPANS_BY_WAKER ? "  woke " : "  woken by ");
		write_thread(spans, row->other_comm, row->other_pid, row->other_tid, out);
		perfdata_text_literal(out, "  ");
		perfdata_text_shortened(out, name_of(row), 0);
		break;
	}
	if (row->unknown)
		perfdata_text_printf(out, "  (%" PRIu64 " unknown)", row->unknown);
	perfdata_text_char(out, '\n');
}

/* Writes lines about missing begins and ends, before the numbers that lack these spans. */
static void text_facts(const struct report_spans *spans, struct perfdata_text *out)
{
	const struct pd_span_facts *facts = pd_session_span_facts(spans->session);
	const struct pd_span_count *count = &facts->kinds[spans->kind];
	const bool scheduled = spans->kind <= PERFDATA_SPAN_RUNQ;
	const uint64_t whole = count->spans, cut = count->no_begin + count->no_end + count->open;
	if (scheduled && facts->sampled_switches && !facts->both)
		perfdata_text_printf(out,
				     "%" PRIu64 " samples of sched_switch give no times, since -F, or -c above 1, "
						"records few switches; record with -c 1\n",
				     facts->sampled_switches);
	if (cut)
		perfdata_text_printf(out,
				     "unknown: %" PRIu64 " of %" PRIu64 " (%.2f %%) lack a begin or an end: %" PRIu64
				     " a begin, %" PRIu64 " an end, %" PRIu64 " had not ended with the recording\n",
				     cut, cut + whole, pd_stack_percent(cut, cut + whole), count->no_begin,
				     count->no_end, count->open);
	if (scheduled && facts->gaps)
		perfdata_text_printf(out, "gaps: in %" PRIu64 " of %" PRIu64
					  " switches, another thread left the CPU than had come before\n",
				     facts->gaps, facts->switches + facts->switch_records);
	if (count->with_losses)
		perfdata_text_printf(out, "lost: records were lost during %" PRIu64 " of these spans (%.2f %%)\n",
				     count->with_losses, pd_stack_percent(count->with_losses, whole));
}

static void write_spans_text(const struct report_spans *spans, const struct report_options *options,
			     const struct report_head *head, struct perfdata_text *out)
{
	size_t nr;
	const struct pd_span_row *rows = pd_span_sums_rows(spans->sums, &nr);
	const struct pd_span_row all = pd_span_sums_total(spans->sums);
	const struct kind *kind = &kinds[spans->kind];
	const bool errors = all.errors || spans->kind == PERFDATA_SPAN_SYSCALL;
	const size_t shown = options->top && options->top < nr ? (size_t)options->top : nr;
	pd_report_text_head(options, head, out);
	perfdata_text_printf(out, "\n%s: %" PRIu64 " %s, ", pd_span_kind_name(spans->kind), all.count,
			     kind->plural);
	pd_stack_text_weight(out, all.total, true);
	perfdata_text_char(out, '\n');
	text_facts(spans, out);
	if (!nr) {
		perfdata_text_printf(out, "to record spans: perf record %s\n", kind->recorded_by);
		return;
	}
	static const char *const things[] = { [PD_SPANS_BY_THREAD] = "thread", [PD_SPANS_BY_PROCESS] = "process",
					      [PD_SPANS_BY_COMM] = "comm",     [PD_SPANS_BY_CPU] = "cpu",
					      [PD_SPANS_BY_WAKER] = "waker, wakee",
					      [PD_SPANS_BY_WAKEE] = "wakee, waker" };
	perfdata_text_literal(out, "    count     total      mean       p50       p99       max  ");
	if (errors)
		perfdata_text_literal(out, " errors  ");
	if (spans->by == PD_SPANS_BY_SYSCALL)
		perfdata_text_literal(out, "system call");
	else if (spans->by == PD_SPANS_BY_NAME)
		perfdata_text_string(out, kind->named);
	else
		perfdata_text_printf(out, "%s, %s", things[spans->by], kind->named);
	perfdata_text_char(out, '\n');
	for (size_t i = 0; i < shown; i++)
		text_row(spans, &rows[i], errors, out);
	if (shown < nr)
		perfdata_text_printf(out, "(%zu more; --top 0 shows all)\n", nr - shown);
}

/* --- JSON and CSV ------------------------------------------------------------------------------------------------- */

static void write_number(struct perfdata_text *out, const char *name, uint64_t value)
{
	perfdata_text_printf(out, ",\"%s\":%" PRIu64, name, value);
}

static void json_who(const struct report_spans *spans, const char *prefix, uint32_t comm, int32_t pid, int32_t tid,
		     struct perfdata_text *out)
{
	if (pid >= 0)
		perfdata_text_printf(out, ",\"%spid\":%" PRId32, prefix, pid);
	if (tid >= 0)
		perfdata_text_printf(out, ",\"%stid\":%" PRId32, prefix, tid);
	if (comm == PERFDATA_NONE)
		return;
	perfdata_text_printf(out, ",\"%scomm\":", prefix);
	pd_json_text(out, comm_of(spans, comm));
}

static void json_facts(const struct report_spans *spans, struct perfdata_text *out)
{
	const struct pd_span_facts *facts = pd_session_span_facts(spans->session);
	const struct pd_span_count *count = &facts->kinds[spans->kind];
	perfdata_text_printf(out,
			     ",\"unknown\":{\"no_begin\":%" PRIu64 ",\"no_end\":%" PRIu64
			     ",\"open_at_end\":%" PRIu64 "},\"with_losses\":%" PRIu64,
			     count->no_begin, count->no_end, count->open, count->with_losses);
	if (spans->kind > PERFDATA_SPAN_RUNQ)
		return;
	write_number(out, "switches", facts->switches);
	write_number(out, "switch_records", facts->switch_records);
	write_number(out, "sampled_switches", facts->sampled_switches);
	write_number(out, "wakes", facts->wakes);
	write_number(out, "gaps", facts->gaps);
}

static void write_spans_json(const struct report_spans *spans, const struct report_options *options,
			     const struct report_head *head, struct perfdata_text *out)
{
	size_t nr;
	const struct pd_span_row *rows = pd_span_sums_rows(spans->sums, &nr);
	const struct pd_span_row all = pd_span_sums_total(spans->sums);
	const size_t shown = options->top && options->top < nr ? (size_t)options->top : nr;
	perfdata_text_literal(out, "{\"schema\":\"perfdata-spans/1\"");
	if (head->file) {
		perfdata_text_literal(out, ",\"file\":");
		pd_json_text(out, head->file);
	}
	perfdata_text_printf(out, ",\"kind\":\"%s\",\"by\":\"%s\",\"unit\":\"ns\"", pd_span_kind_name(spans->kind),
			     spans->by_name);
	write_number(out, "count", all.count);
	write_number(out, "total", all.total);
	json_facts(spans, out);
	write_number(out, "lost_records", head->end->summary->lost_records);
	write_number(out, "lost_samples", head->end->summary->lost_samples);
	write_number(out, "rows_left_out", nr - shown);
	perfdata_text_literal(out, ",\"rows\":[");
	for (size_t i = 0; i < shown; i++) {
		const struct pd_span_row *row = &rows[i];
		perfdata_text_string(out, i ? ",\n{\"name\":" : "\n{\"name\":");
		pd_json_text(out, row->name);
		json_who(spans, "", row->comm, row->pid, row->tid, out);
		json_who(spans, "other_", row->other_comm, row->other_pid, row->other_tid, out);
		if (row->cpu != UINT32_MAX)
			write_number(out, "cpu", row->cpu);
		write_number(out, "count", row->count);
		write_number(out, "total", row->total);
		write_number(out, "mean", mean_time(row));
		write_number(out, "p50", row->p50);
		write_number(out, "p99", row->p99);
		write_number(out, "min", row->least);
		write_number(out, "max", row->most);
		write_number(out, "errors", row->errors);
		write_number(out, "unknown", row->unknown);
		perfdata_text_char(out, '}');
	}
	perfdata_text_printf(out, "],\"findings\":%" PRIu64 ",\"complete\":%s}\n", head->end->findings_total,
			     head->end->complete ? "true" : "false");
}

static void write_cell(struct perfdata_text *out, const char *content)
{
	pd_text_csv_cell(out, content, strlen(content));
	perfdata_text_char(out, ',');
}

static void id_cell(struct perfdata_text *out, int64_t id)
{
	if (id >= 0)
		perfdata_text_s64(out, id);
	perfdata_text_char(out, ',');
}

static void write_spans_csv(const struct report_spans *spans, const struct report_options *options,
			    const struct report_head *head, struct perfdata_text *out)
{
	size_t nr;
	const struct pd_span_row *rows = pd_span_sums_rows(spans->sums, &nr);
	for (size_t i = 0; i < nr && (!options->top || i < options->top); i++) {
		const struct pd_span_row *row = &rows[i];
		write_cell(out, head->file ? head->file : "");
		write_cell(out, pd_span_kind_name(spans->kind));
		write_cell(out, row->name);
		id_cell(out, row->pid);
		id_cell(out, row->tid);
		write_cell(out, comm_of(spans, row->comm));
		id_cell(out, row->cpu == UINT32_MAX ? -1 : (int64_t)row->cpu);
		id_cell(out, row->other_pid);
		id_cell(out, row->other_tid);
		write_cell(out, comm_of(spans, row->other_comm));
		const uint64_t numbers[] = { row->count, row->total, mean_time(row),   row->p50,    row->p99,
					     row->least, row->most,  row->errors, row->unknown };
		for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++) {
			perfdata_text_string(out, k ? "," : "");
			perfdata_text_u64(out, numbers[k]);
		}
		perfdata_text_char(out, '\n');
	}
}

enum perfdata_status pd_report_spans_end(struct report_spans *spans, const struct report_options *options,
					 const struct perfdata_emit_end *end, struct perfdata_text *out)
{
	const struct report_head head = { .file = spans->file, .end = end, .first_document = true };
	const enum perfdata_status status = pd_span_sums_finish(spans->sums);
	if (status != PERFDATA_OK)
		return status;
	if (options->form == REPORT_JSON)
		write_spans_json(spans, options, &head, out);
	else if (options->form == REPORT_CSV)
		write_spans_csv(spans, options, &head, out);
	else
		write_spans_text(spans, options, &head, out);
	return perfdata_text_failed(out) ? PERFDATA_ENOMEM : PERFDATA_OK;
}
