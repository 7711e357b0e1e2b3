/* SPDX-License-Identifier: MIT */
/* SVG without scripts, for documents: titles of the boxes have the details. The graphs of the events are one below the
 * other. */
#include "config.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "base/checked.h"
#include "base/memory.h"
#include "emit/flame/flamegraph.h"
#include "emit/stacks/stack_text.h"

enum { ROW = 17, HEAD = 26, MARGIN = 8 };
#define LETTER 6.6           /* px: width of a letter in a monospaced font of 11 px */
#define LEAST 0.4            /* px: narrower boxes are not drawn */

/* A node and where it is drawn. */
struct svg_box {
	uint32_t node, parent, depth;
	const char *name;
	uint64_t total;
	double x;
};

struct svg {
	const struct flamegraph *graph;
	struct stack_tree *tree;
	const struct stack_labels *labels;
	uint64_t *totals, *base_totals;
	uint64_t all, base_all;
	bool is_time, by_samples;
	struct svg_box *boxes;       /* by parent, then name */
	double *x;                   /* by node; -1: not drawn */
	size_t nr_boxes;
	uint32_t depth;
};

static void xml_text(struct perfdata_text *out, const char *text, size_t width)
{
	struct perfdata_text plain;
	perfdata_text_init(&plain);
	perfdata_text_shortened(&plain, text, width);
	for (size_t i = 0; i < plain.size; i++) {
		if (plain.data[i] == '<')
			perfdata_text_literal(out, "&lt;");
		else if (plain.data[i] == '>')
			perfdata_text_literal(out, "&gt;");
		else if (plain.data[i] == '&')
			perfdata_text_literal(out, "&amp;");
		else
			perfdata_text_char(out, plain.data[i]);
	}
	out->failed |= perfdata_text_failed(&plain);
	perfdata_text_release(&plain);
}

static uint32_t hash_of(const char *name)
{
	uint32_t hash = 2166136261u;
	for (; *name; name++)
		hash = (hash ^ (uint8_t)*name) * 16777619u;
	return hash;
}

/* The page uses the same colours. */
static void put_fill(struct perfdata_text *out, const struct svg *svg, const struct svg_box *box,
		     const struct stack_label *label)
{
	static const struct {
		int hue, saturation;
	} kinds[STACK_KINDS] = { { 46, 85 }, { 14, 80 },  { 84, 55 },  { 330, 55 }, { 155, 55 },
				 { 0, 0 },   { 275, 55 }, { 215, 40 }, { 195, 60 }, { 0, 0 }, { 0, 0 } };
	const uint32_t hash = hash_of(box->name);
	if (svg->base_totals) {
		const double growth = pd_stack_percent(box->total, svg->all) -
				      pd_stack_percent(svg->base_totals[box->node], svg->base_all);
		const double size = growth < 0 ? -growth : growth, light = 92 - (size > 25 ? 25 : size);
		perfdata_text_printf(out, "hsl(%d,75%%,%.0f%%)", growth > 0 ? 8 : 218, size < 1e-7 ? 92 : light);
		return;
	}
	perfdata_text_printf(out, "hsl(%d,%d%%,%u%%)",
			     kinds[label->kind].hue + (kinds[label->kind].saturation ? (int)(hash % 13) - 6 : 0),
			     kinds[label->kind].saturation, 72 + (unsigned)((hash >> 8) % 9));
}

static void put_box(struct perfdata_text *out, const struct svg *svg, const struct svg_box *box, double scale,
		    uint32_t top)
{
	const struct stack_label *label = pd_stack_labels_get(svg->labels, pd_stack_tree_label(svg->tree, box->node));
	const double x = MARGIN + svg->x[box->node] * scale, width = (double)box->total * scale;
	const uint32_t y = top + (svg->depth - box->depth) * ROW;
	perfdata_text_printf(out, "<g><title>");
	xml_text(out, box->name, 0);
	perfdata_text_literal(out, ", ");
	xml_text(out, pd_stack_labels_string(svg->labels, label->file), 0);
	perfdata_text_literal(out, ": ");
	if (svg->by_samples)
		perfdata_text_printf(out, "%" PRIu64 " samples", box->total);
	else
		pd_stack_text_weight(out, box->total, svg->is_time);
	perfdata_text_printf(out, ", %.2f %%", pd_stack_percent(box->total, svg->all));
	if (svg->base_totals)
		perfdata_text_printf(out, ", in the base %.2f %%",
				     pd_stack_percent(svg->base_totals[box->node], svg->base_all));
	perfdata_text_printf(out, "</title><rect x=\"%.1f\" y=\"%" PRIu32 "\" width=\"%.1f\" height=\"%d\" fill=\"", x,
			     y, width > 2 ? width - 0.5 : width, ROW - 1);
	put_fill(out, svg, box, label);
	perfdata_text_literal(out, "\"/>");
	const size_t letters = width > 6 ? (size_t)((width - 6) / LETTER) : 0;
	if (letters >= 3) {
		perfdata_text_printf(out, "<text x=\"%.1f\" y=\"%" PRIu32 "\">", x + 3, y + ROW - 5);
		xml_text(out, box->name, letters);
		perfdata_text_literal(out, "</text>");
	}
	perfdata_text_literal(out, "</g>\n");
}

/* --- places of boxes ---------------------------------------------------------------------------------------------- */

static int compare_boxes(const void *left, const void *right)
{
	const struct svg_box *a = left, *b = right;
	if (a->depth != b->depth)
		return a->depth < b->depth ? -1 : 1;
	if (a->x < b->x || a->x > b->x)      /* x of the parents */
		return a->x < b->x ? -1 : 1;
	if (a->parent != b->parent)
		return a->parent < b->parent ? -1 : 1;
	const int by_name = strcmp(a->name, b->name);
	return by_name ? by_name : a->node < b->node ? -1 : 1;
}

static const char *name_of(const struct svg *svg, uint32_t node)
{
	return pd_stack_labels_string(svg->labels,
				      pd_stack_labels_get(svg->labels, pd_stack_tree_label(svg->tree, node))->name);
}

/* Places the boxes that are wide enough to be drawn, level by level, in the order of their callers. */
static bool lay_out(struct svg *svg, double scale)
{
	struct stack_tree *tree = svg->tree;
	uint32_t *depths = pd_calloc(tree->nr + 1, sizeof *depths);
	svg->boxes = pd_calloc(tree->nr + 1, sizeof *svg->boxes);
	svg->x = pd_calloc(tree->nr + 1, sizeof *svg->x);
	if (!depths || !svg->boxes || !svg->x) {
		pd_free(depths);
		return false;
	}
	for (uint32_t i = 0; i < tree->nr; i++) {
		const uint32_t parent = pd_stack_tree_parent(tree, i);
		depths[i] = parent == STACK_NO_NODE ? 1 : depths[parent] + 1;
		if (!svg->totals[i] || (double)svg->totals[i] * scale < LEAST)
			continue;
		svg->boxes[svg->nr_boxes++] = (struct svg_box){ .node = i,
								.parent = parent,
								.depth = depths[i],
								.total = svg->totals[i],
								.name = name_of(svg, i) };
		svg->depth = depths[i] > svg->depth ? depths[i] : svg->depth;
	}
	pd_free(depths);
	if (svg->nr_boxes)
		qsort(svg->boxes, svg->nr_boxes, sizeof *svg->boxes, compare_boxes);
	for (size_t i = 0; i < svg->nr_boxes;) {
		size_t end = i;
		for (; end < svg->nr_boxes && svg->boxes[end].depth == svg->boxes[i].depth; end++)
			svg->boxes[end].x = svg->boxes[end].parent == STACK_NO_NODE ? 0
										    : svg->x[svg->boxes[end].parent];
		qsort(svg->boxes + i, end - i, sizeof *svg->boxes, compare_boxes);
		double left = 0;
		for (uint32_t parent = STACK_NO_NODE - 1; i < end; i++) {
			struct svg_box *box = &svg->boxes[i];
			if (box->parent != parent) {
				left = box->x;
				parent = box->parent;
			}
			svg->x[box->node] = left;
			left += (double)box->total;
		}
	}
	return true;
}

static void add_up(struct stack_tree *tree, uint64_t *totals, uint64_t *ret_all)
{
	*ret_all = 0;
	for (size_t i = tree->nr; i-- > 0;) {
		const uint32_t parent = pd_stack_tree_parent(tree, (uint32_t)i);
		if (parent == STACK_NO_NODE)
			pd_sum_up(ret_all, totals[i]);
		else
			pd_sum_up(&totals[parent], totals[i]);
	}
}

/* --- one event ---------------------------------------------------------------------------------------------------- */

static void svg_release(struct svg *svg)
{
	pd_free(svg->totals);
	pd_free(svg->base_totals);
	pd_free(svg->boxes);
	pd_free(svg->x);
}

static enum perfdata_status sum_event(struct svg *svg, struct flamegraph *graph, uint32_t event)
{
	svg->totals = pd_calloc(svg->tree->nr + 1, sizeof *svg->totals);
	if (!svg->totals)
		return PERFDATA_ENOMEM;
	enum perfdata_status status = pd_flame_data_sums(graph->data, 0, event, svg->by_samples ? svg->totals : NULL,
							 svg->by_samples ? NULL : svg->totals);
	if (status == PERFDATA_OK && graph->nr_bases) {
		svg->base_totals = pd_calloc(svg->tree->nr + 1, sizeof *svg->base_totals);
		if (!svg->base_totals)
			return PERFDATA_ENOMEM;
		status = pd_flame_data_sums(graph->data, 1, event, svg->by_samples ? svg->base_totals : NULL,
					    svg->by_samples ? NULL : svg->base_totals);
		add_up(svg->tree, svg->base_totals, &svg->base_all);
	}
	add_up(svg->tree, svg->totals, &svg->all);
	return status;
}

static enum perfdata_status put_event(struct flamegraph *graph, uint32_t index, uint32_t *top,
				      struct perfdata_text *out)
{
	const struct perfdata_event *event = perfdata_reader_event(graph->recording->reader, index);
	struct svg svg = { .graph = graph,
			   .tree = pd_flame_data_tree(graph->data),
			   .labels = pd_flame_data_labels(graph->data),
			   .is_time = pd_stack_event_is_time(event),
			   .by_samples = graph->by_samples };
	const struct pd_profile_sums sums = pd_flame_data_event(graph->data, index);
	enum perfdata_status status = sum_event(&svg, graph, index);
	const double scale = svg.all ? (double)(graph->width - 2 * MARGIN) / (double)svg.all : 0;
	if (status == PERFDATA_OK && !lay_out(&svg, scale))
		status = PERFDATA_ENOMEM;
	if (status == PERFDATA_OK) {
		perfdata_text_printf(out, "<text class=\"h\" x=\"%d\" y=\"%" PRIu32 "\">", MARGIN, *top + HEAD - 9);
		xml_text(out, event->name, 0);
		perfdata_text_printf(out, ": %" PRIu64 " samples, ",
				     sums.samples);
		pd_stack_text_weight(out, sums.weight, svg.is_time);
		perfdata_text_literal(out, "</text>\n");
		for (size_t i = 0; i < svg.nr_boxes; i++)
			put_box(out, &svg, &svg.boxes[i], scale, *top + HEAD);
		*top += HEAD + svg.depth * ROW + MARGIN;
	}
	svg_release(&svg);
	return status;
}

enum perfdata_status pd_flamegraph_picture(struct flamegraph *graph, struct perfdata_text *out)
{
	struct perfdata_text body;
	const struct perfdata_summary *summary = graph->end->summary;
	uint32_t top = 0;
	enum perfdata_status status = PERFDATA_OK;
	perfdata_text_init(&body);
	if (summary->lost_records || summary->lost_samples || !graph->end->complete) {
		top += HEAD;
		perfdata_text_printf(&body, "<text class=\"h\" x=\"%d\" y=\"%d\">", MARGIN, HEAD - 9);
		if (summary->lost_records || summary->lost_samples)
			perfdata_text_printf(&body, "lost: %" PRIu64 " records, %" PRIu64 " samples. ",
					     summary->lost_records, summary->lost_samples);
		perfdata_text_string(&body,
				     graph->end->complete ? "</text>\n" : "The recording is incomplete.</text>\n");
	}
	for (uint32_t i = 0; i < pd_profile_nr_events(graph->recording->profile) && status == PERFDATA_OK; i++)
		if (pd_profile_event(graph->recording->profile, i))
			status = put_event(graph, i, &top, &body);
	top = top ? top : HEAD;
	perfdata_text_printf(out,
			     "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%" PRIu64 "\" height=\"%" PRIu32
			     "\" viewBox=\"0 0 %" PRIu64 " %" PRIu32 "\" "
			     "font-family=\"'DejaVu Sans Mono',monospace\" font-size=\"11\">\n"
			     "<style>.h{font-family:'DejaVu Sans',sans-serif;font-size:12px}</style>\n<rect "
			     "width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n",
			     graph->width, top, graph->width, top);
	perfdata_text_append(out, body.data, body.size);
	perfdata_text_literal(out, "</svg>\n");
	out->failed |= perfdata_text_failed(&body);
	perfdata_text_release(&body);
	return status;
}
