/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "emit/spell/members.h"
#include "emit/spell/span_args.h"
#include "emit/spell/trace_json.h"
#include "schema/schema.h"

bool pd_span_args_json(struct perfdata_text *out, const struct pd_span *span, struct record_cache *cache,
		       const struct json_style *style, const char *key)
{
	const size_t before = out->size;
	if (!span->event || !span->args.size)
		return false;
	const struct trace_plan *plan = pd_record_trace_plan(cache, span->event);
	if (!plan) {
		out->failed = true;
		return false;
	}
	struct value_scope scope = { .trace = plan, .order = pd_config_order(span->event->config) };
	struct speller s = { .out = out, .scope = &scope, .style = style };
	if (key)
		pd_member_key(out, key, "");
	const size_t start = out->size;
	for (size_t i = span->event->trace->nr_common; i < plan->nr_rows; i++)
		if (!pd_spans_field_is_name(span->event, plan->rows[i].field))
			pd_trace_json_field(&s, &plan->rows[i], span->args);
	if (perfdata_text_failed(out) || out->size == start) {
		out->size = before;
		return false;
	}
	pd_spell_close(out, start, '{', '}');
	return true;
}
