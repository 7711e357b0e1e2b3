/* SPDX-License-Identifier: MIT */
/* Which functions of a flame graph cost more or less than in the bases, beyond noise, as in `diff`. */
#include "config.h"
#include <inttypes.h>
#include <math.h>
#include <string.h>
#include "base/hash.h"
#include "base/memory.h"
#include "emit/flame/flamegraph.h"
#include "emit/stacks/stack_baseline.h"
#include "perfdata/compare.h"
#include "profile/key_name.h"
#include "text/json_quoted.h"

/* Adds the runs to a side of the comparison. */
static enum perfdata_status add_side(const struct flamegraph *graph, const struct flame_run *runs, size_t nr,
				     struct perfdata_baseline *side)
{
	enum perfdata_status status = side ? PERFDATA_OK : PERFDATA_ENOMEM;
	for (size_t i = 0; i < nr && status == PERFDATA_OK; i++) {
		const struct stack_gather gather = { .session = runs[i].session,
						     .reader = runs[i].reader,
						     .profile = runs[i].profile,
						     .choice = graph->choice };
		struct perfdata_error error = { 0 };
		struct perfdata_text text;
		perfdata_text_init(&text);
		status = pd_stack_baseline_of(&gather, graph->inlines, runs[i].summary, &text);
		if (status == PERFDATA_OK)
			status = perfdata_baseline_add(side, text.data, text.size, &error);
		perfdata_text_release(&text);
	}
	return status;
}

static enum perfdata_status compare_sides(const struct flamegraph *graph, struct perfdata_comparison **ret)
{
	struct perfdata_baseline *before = perfdata_baseline_new(), *after = perfdata_baseline_new();
	static const char *const despite[] = { "all" };
	const struct perfdata_comparison_options options = { .size = sizeof options,
							     .same_symbols = graph->match->same_symbols,
							     .nr_same_symbols = graph->match->nr_same_symbols,
							     .same_files = graph->match->same_files,
							     .nr_same_files = graph->match->nr_same_files,
							     .despite = despite,
							     .nr_despite = 1 };
	struct perfdata_error error = { 0 };
	enum perfdata_status status = add_side(graph, graph->bases, graph->nr_bases, before);
	if (status == PERFDATA_OK)
		status = add_side(graph, graph->recording, graph->nr_runs, after);
	if (status == PERFDATA_OK)
		status = perfdata_compare(before, after, &options, ret, &error);
	perfdata_baseline_free(before);
	perfdata_baseline_free(after);
	return status;
}

/* Interns the text that identifies a function in the comparison. */
static uint32_t intern_key(struct pd_intern *keys, struct perfdata_text *text, const char *file, const char *name)
{
	perfdata_text_clear(text);
	perfdata_text_string(text, file);
	perfdata_text_char(text, 0);
	perfdata_text_string(text, name);
	return perfdata_text_failed(text) ? UINT32_MAX : pd_intern_put(keys, text->data, text->size);
}

static void put_number(struct perfdata_text *out, double value)
{
	if (isfinite(value))
		perfdata_text_printf(out, "%.6g", value);
	else
		perfdata_text_literal(out, "null");
}

/* [function, change of self, its delta, change with callees, its delta, smaller adjusted p] */
static void put_change(struct perfdata_text *out, uint32_t label, const struct perfdata_comparison_row *row)
{
	const double p = row->self.adjusted_p < row->inclusive.adjusted_p ? row->self.adjusted_p
									  : row->inclusive.adjusted_p;
	perfdata_text_printf(out, "[%" PRIu32 ",\"%s\",", label, perfdata_change_name(row->self.change));
	put_number(out, row->self.delta);
	perfdata_text_printf(out, ",\"%s\",", perfdata_change_name(row->inclusive.change));
	put_number(out, row->inclusive.delta);
	perfdata_text_char(out, ',');
	put_number(out, p);
	perfdata_text_char(out, ']');
}

/* The changes of an event, for each label whose key is in the comparison. */
static enum perfdata_status put_event(const struct flamegraph *graph, const struct perfdata_comparison *comparison,
				      size_t event, struct perfdata_text *out)
{
	const struct stack_labels *labels = pd_flame_data_labels(graph->data);
	const size_t nr = perfdata_comparison_event(comparison, event)->nr_rows;
	struct pd_intern *keys = pd_intern_new();
	struct perfdata_text text;
	bool first = true, fine = keys;
	perfdata_text_init(&text);
	/* keys are unique, so that row n has id n */
	for (size_t i = 0; i < nr && fine; i++) {
		const struct perfdata_comparison_row *row = perfdata_comparison_row(comparison, event, i);
		fine = intern_key(keys, &text, row->file, row->key) != UINT32_MAX;
	}
	for (uint32_t i = 0; i < pd_stack_labels_nr(labels) && fine; i++) {
		const struct stack_label *label = pd_stack_labels_get(labels, i);
		char key[PD_KEY_NAME_MAX] = "(unnamed)";
		if (!pd_stack_kind_is_nameless(label->kind) || label->dso == PERFDATA_NONE)
			pd_key_symbol(pd_stack_labels_string(labels, label->name), key, sizeof key);
		const uint32_t row = intern_key(keys, &text, pd_stack_labels_file_key(labels, i), key);
		fine = row != UINT32_MAX;
		if (!fine || row >= nr)
			continue;
		if (!first)
			perfdata_text_char(out, ',');
		first = false;
		put_change(out, i, perfdata_comparison_row(comparison, event, row));
	}
	perfdata_text_release(&text);
	pd_intern_free(keys);
	return fine ? PERFDATA_OK : PERFDATA_ENOMEM;
}

enum perfdata_status pd_flamegraph_changes(const struct flamegraph *graph, struct perfdata_text *out)
{
	struct perfdata_comparison *comparison = NULL;
	enum perfdata_status status = compare_sides(graph, &comparison);
	const struct perfdata_comparison_event *event;
	perfdata_text_char(out, '{');
	for (size_t i = 0; status == PERFDATA_OK && (event = perfdata_comparison_event(comparison, i)); i++) {
		if (i)
			perfdata_text_char(out, ',');
		pd_json_text(out, event->name);
		perfdata_text_literal(out, ":[");
		status = put_event(graph, comparison, i, out);
		perfdata_text_char(out, ']');
	}
	perfdata_text_char(out, '}');
	perfdata_comparison_free(comparison);
	return pd_stack_ended(status, out);
}
