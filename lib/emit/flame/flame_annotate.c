/* SPDX-License-Identifier: MIT */
/* The annotated functions of a page. */
#include "config.h"
#include "emit/report/annotated.h"
#include "emit/flame/flamegraph.h"
#include "emit/stacks/stack_route.h"

/* limit of the JSON text; compressed in the page it has about a tenth of this size */
#define MOST_BYTES ((size_t)8 << 20)

/* Appends the function unless it exceeds the remaining size. */
static enum perfdata_status put_function(struct annotate_functions *functions, struct annotate_branches *branches,
					 size_t number, struct annotate_head *head, bool first,
					 struct perfdata_text *out, bool *ret_fits)
{
	struct pd_annotation annotation;
	struct perfdata_text text;
	const struct annotate_place place = pd_annotate_functions_place(functions, number);
	enum perfdata_status status = pd_annotate_functions_rows(functions, number, &annotation);
	if (status == PERFDATA_OK && branches)
		status = pd_annotate_branches_count(branches, &place, &annotation, &head->counts);
	if (status != PERFDATA_OK)
		return status;
	perfdata_text_init(&text);
	pd_annotate_json(head, &annotation, first, &text);
	*ret_fits = text.size < MOST_BYTES && out->size < MOST_BYTES - text.size;
	if (*ret_fits)
		perfdata_text_append(out, text.data, text.size);
	out->failed |= perfdata_text_failed(&text);
	perfdata_text_release(&text);
	return perfdata_text_failed(out) ? PERFDATA_ENOMEM : PERFDATA_OK;
}

static enum perfdata_status put_functions(const struct flamegraph *graph, struct annotate_functions *functions,
					  struct annotate_branches *branches, struct perfdata_text *out)
{
	const struct annotate_options options = { .json = true };
	struct annotate_head head = { .options = &options,
				      .end = graph->end,
				      .sources = graph->sources,
				      .no_recorded_texts = !graph->sources };
	head.events = pd_annotate_functions_events(functions, &head.nr_events);
	pd_annotate_json_head(&head, out);
	size_t nr = 0, left_out = 0;
	const char *name;
	bool is_known, fits;
	for (size_t i = 0; nr + left_out < graph->nr_annotated &&
			   (name = pd_annotate_functions_name(functions, i, &is_known)); i++) {
		if (!is_known)
			continue;
		const enum perfdata_status status = put_function(functions, branches, i, &head, !nr, out, &fits);
		if (status != PERFDATA_OK)
			return status;
		nr += fits;
		left_out += !fits;
	}
	pd_annotate_json_end(&head, left_out, out);
	return perfdata_text_failed(out) ? PERFDATA_ENOMEM : PERFDATA_OK;
}

enum perfdata_status pd_flamegraph_annotate(const struct flamegraph *graph, struct perfdata_text *out)
{
	struct annotate_functions *functions = NULL;
	struct annotate_branches *branches = NULL;
	enum perfdata_status status = pd_stack_choose(graph->gather->choice, graph->gather->profile, NULL);
	if (status == PERFDATA_OK)
		status = pd_annotate_functions_new(graph->gather, false, &functions);
	if (status == PERFDATA_OK && graph->branches)
		status = pd_annotate_branches_new(graph->branches, graph->gather, &branches);
	if (status == PERFDATA_OK)
		status = put_functions(graph, functions, branches, out);
	pd_annotate_branches_free(branches);
	pd_annotate_functions_free(functions);
	return status;
}
