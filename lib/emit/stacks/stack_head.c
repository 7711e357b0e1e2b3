/* SPDX-License-Identifier: MIT */
#include "config.h"
#include <inttypes.h>
#include <stdio.h>
#include "emit/stacks/stack_head.h"

const struct stack_fact pd_stack_facts[] = {
	{ "host", PERFDATA_FEATURE_HOSTNAME }, { "kernel", PERFDATA_FEATURE_OSRELEASE },
	{ "arch", PERFDATA_FEATURE_ARCH },     { "cpu", PERFDATA_FEATURE_CPUDESC },
	{ "perf", PERFDATA_FEATURE_VERSION },  { NULL, 0 },
};

void pd_stack_head_command(const struct perfdata_reader *reader, struct perfdata_text *out)
{
	const struct perfdata_feature_section *section = perfdata_reader_feature(reader, PERFDATA_FEATURE_CMDLINE);
	if (!section || !section->feature)
		return;
	const struct perfdata_node *list = perfdata_node_get(perfdata_feature_root(section->feature), "cmdline");
	const size_t before = out->size;
	for (const struct perfdata_node *node = list ? list->child : NULL; node; node = node->next) {
		if (out->size > before)
			perfdata_text_char(out, ' ');
		perfdata_text_bytes(out, node->v.bytes);
	}
}

void pd_stack_head_warnings(const struct perfdata_emit_end *end, void (*say)(void *user, const char *line), void *user)
{
	enum { SHOWN = 5 };
	const struct perfdata_summary *summary = end->summary;
	char line[512];
	if (summary->lost_records || summary->lost_samples) {
		snprintf(line, sizeof line,
			 "%" PRIu64 " records and %" PRIu64
			 " samples were lost while recording, so numbers are too small",
			 summary->lost_records, summary->lost_samples);
		say(user, line);
	}
	if (end->complete)
		return;
	snprintf(line, sizeof line, "The recording is incomplete (%" PRIu64 " finding%s): the rest was read",
		 end->findings_total, end->findings_total == 1 ? "" : "s");
	say(user, line);
	for (size_t i = 0; i < end->nr_findings && i < SHOWN; i++) {
		const struct perfdata_finding *finding = &end->findings[i];
		if (finding->offset == PERFDATA_NO_OFFSET)
			snprintf(line, sizeof line, "  %s", finding->message);
		else
			snprintf(line, sizeof line, "  at 0x%" PRIx64 ": %s", finding->offset, finding->message);
		say(user, line);
	}
}

struct stack_listener pd_stack_listener_of(const struct perfdata_emit_context *context)
{
	return (struct stack_listener){ context->reader, context->on_finding, context->user };
}

void pd_stack_report(const struct stack_listener *listener, uint32_t code, const char *message)
{
	const struct perfdata_finding finding = { .severity = perfdata_finding_lookup(code)->severity,
						  .code = code,
						  .file = perfdata_reader_header(listener->reader)->name,
						  .offset = PERFDATA_NO_OFFSET,
						  .record = UINT64_MAX,
						  .message = message };
	if (listener->on_finding)
		listener->on_finding(listener->user, &finding);
}

void pd_stack_report_name(const struct stack_listener *listener, uint32_t code, const char *option, const char *name,
			  const char *what)
{
	struct perfdata_text text;
	perfdata_text_init(&text);
	perfdata_text_printf(&text, "%s ", option);
	perfdata_text_shortened(&text, name, 0);
	perfdata_text_printf(&text, ": %s", what);
	perfdata_text_char(&text, '\0');
	pd_stack_report(listener, code, perfdata_text_failed(&text) ? "" : text.data);
	perfdata_text_release(&text);
}
