/* SPDX-License-Identifier: MIT */
/* Trees of reports as text: callers or callees of functions. */
#include "config.h"
#include <stdlib.h>
#include "base/memory.h"
#include "emit/report/report.h"
#include "emit/stacks/stack_text.h"
#include "text/shown.h"

/* A node that is large enough to be printed. */
struct branch {
	uint32_t parent, node;
	uint64_t total;
	size_t first, nr;            /* its children in the array of branches */
};

static int compare_branches(const void *left, const void *right)
{
	const struct branch *a = left, *b = right;
	if (a->parent != b->parent)
		return a->parent + 1 > b->parent + 1 ? 1 : -1;   /* STACK_NO_NODE + 1 is 0: roots first */
	return a->total != b->total ? (a->total < b->total ? 1 : -1) : a->node > b->node ? 1 : -1;
}

static int compare_nodes(const void *key, const void *element)
{
	const uint32_t parent = *(const uint32_t *)key, other = ((const struct branch *)element)->parent;
	return parent + 1 == other + 1 ? 0 : parent + 1 > other + 1 ? 1 : -1;
}

/* The first child of a node; *ret_nr: number of children. */
static struct branch *children_of(struct branch *branches, size_t nr, uint32_t parent, size_t *ret_nr)
{
	struct branch *found = nr ? bsearch(&parent, branches, nr, sizeof *branches, compare_nodes) : NULL;
	*ret_nr = 0;
	if (!found)
		return NULL;
	while (found > branches && found[-1].parent == parent)
		found--;
	while (found + *ret_nr < branches + nr && found[*ret_nr].parent == parent)
		++*ret_nr;
	return found;
}

static struct branch *large_enough(const struct report_options *options, struct stack_tree *tree,
				   const struct report_sum *sums, uint64_t all, size_t *ret_nr)
{
	const unsigned unit = pd_report_unit_of(options);
	const double least = options->min_percent / 100 * (double)all;
	struct branch *branches = NULL;
	size_t nr = 0, room = 0;
	for (uint32_t i = 0; i < tree->nr; i++) {
		const uint64_t total = sums[i].total[unit];
		if (!total || (double)total < least)
			continue;
		if (pd_vector_grow(&branches, &room, nr, sizeof *branches) < 0) {
			pd_free(branches);
			return NULL;
		}
		branches[nr++] = (struct branch){ .parent = pd_stack_tree_parent(tree, i), .node = i, .total = total };
	}
	if (nr)
		qsort(branches, nr, sizeof *branches, compare_branches);
	*ret_nr = nr;
	return branches ? branches : pd_malloc(1);
}

/* Branches with lines yet to come, innermost last. */
struct open_branch {
	struct branch *at, *end;
	unsigned depth;
};

static void branch_line(const struct report_options *options, const struct report_event *event, struct stack_tree *tree,
			const struct report_sum *sums, const struct branch *branch, unsigned depth,
			struct perfdata_text *out)
{
	/* without a limit of width, lines are indented by level up to a depth that nobody reads; otherwise indentation
	 * leaves width for the name */
	enum { MAX_INDENT = 40, MAX_WHOLE_INDENT = 1024 };
	const unsigned most = options->width ? MAX_INDENT : MAX_WHOLE_INDENT;
	const unsigned unit = pd_report_unit_of(options), indent = 2 * depth < most ? 2 * depth : most;
	const struct stack_label *label = pd_stack_labels_get(event->labels, pd_stack_tree_label(tree, branch->node));
	const char *file = pd_stack_labels_string(event->labels, label->file);
	const size_t before = 19 + indent;
	size_t width = 0, file_width = 0;
	if (options->width) {
		file_width = pd_text_columns(pd_stack_last_part(file)) + 3;
		file_width = file_width > REPORT_FILE_WIDTH ? REPORT_FILE_WIDTH : file_width;
		const size_t used = before + file_width;
		width = options->width > used + REPORT_NAME_MIN ? (size_t)options->width - used : REPORT_NAME_MIN;
	}
	perfdata_text_printf(out, "%8.2f %8.2f  ", pd_stack_percent(sums[branch->node].total[unit], event->all[unit]),
			     pd_stack_percent(sums[branch->node].self[unit], event->all[unit]));
	perfdata_text_fill(out, ' ', indent);
	perfdata_text_shortened(out, pd_stack_labels_string(event->labels, label->name), width);
	if (*file && !pd_stack_kind_is_nameless(label->kind)) {
		pd_report_style(options, REPORT_DIM, out);
		perfdata_text_literal(out, "  ");
		perfdata_text_shortened(out, pd_stack_last_part(file), file_width);
		pd_report_style(options, REPORT_PLAIN, out);
	}
	perfdata_text_char(out, '\n');
}

static bool tree_lines(const struct report_options *options, const struct report_event *event, struct stack_tree *tree,
		       const struct report_sum *sums, struct perfdata_text *out)
{
	size_t nr = 0, nr_roots, nr_open = 0, room = 0, lines = 0;
	struct branch *branches = large_enough(options, tree, sums, event->all[pd_report_unit_of(options)], &nr);
	struct open_branch *open = NULL;
	bool fine = branches && pd_vector_grow(&open, &room, nr_open, sizeof *open) == 0;
	if (fine) {
		struct branch *roots = children_of(branches, nr, STACK_NO_NODE, &nr_roots);
		open[nr_open++] = (struct open_branch){ roots, nr_roots ? roots + nr_roots : roots, 0 };
	}
	while (fine && nr_open && (!options->top || lines < options->top)) {
		struct open_branch *last = &open[nr_open - 1];
		if (last->at == last->end) {
			nr_open--;
			continue;
		}
		const unsigned depth = last->depth;
		struct branch *branch = last->at++;
		size_t nr_below;
		branch_line(options, event, tree, sums, branch, depth, out);
		lines++;
		struct branch *below = children_of(branches, nr, branch->node, &nr_below);
		if (!nr_below)
			continue;
		fine = pd_vector_grow(&open, &room, nr_open, sizeof *open) == 0;
		if (fine)
			open[nr_open++] = (struct open_branch){ below, below + nr_below, depth + 1 };
	}
	if (lines < nr)
		perfdata_text_printf(out, "(%zu more lines; --top 0 shows all)\n", nr - lines);
	pd_free(branches);
	pd_free(open);
	return fine;
}

bool pd_report_text_tree(const struct report_options *options, struct report_event *event, struct perfdata_text *out)
{
	struct stack_tree turned = { .account = event->tree.account };
	struct report_sum *sums = NULL;
	const bool turn = options->view != REPORT_TREE;
	perfdata_text_char(out, '\n');
	pd_report_event_line(options, event, out);
	if (turn && !pd_report_turn(event, options, &turned, &sums)) {
		pd_stack_tree_release(&turned);
		return false;
	}
	event->is_asked_for = turned.nr != 0;
	if (turn && !turned.nr) {
		perfdata_text_literal(out, "no function has the name ");
		perfdata_text_shortened(out, options->function, 0);
		perfdata_text_literal(out, "; * matches any text\n");
		pd_stack_tree_release(&turned);
		return true;
	}
	pd_report_style(options, REPORT_DIM, out);
	perfdata_text_string(
		out, options->view == REPORT_CALLERS   ? "  total%    self%  function, then its callers\n"
		     : options->view == REPORT_CALLEES ? "  total%    self%  function, then its callees\n"
						       : "  total%    self%  function, then its callees\n");
	pd_report_style(options, REPORT_PLAIN, out);
	const bool fine = turn ? tree_lines(options, event, &turned, sums, out)
			       : tree_lines(options, event, &event->tree, event->sums, out);
	if (options->min_percent > 0)
		perfdata_text_printf(out, "(rows below %g %% are left out; --min-percent 0 shows them)\n",
				     options->min_percent);
	const bool whole = !pd_stack_tree_failed(&turned) && !pd_stack_tree_failed(&event->tree);
	pd_stack_tree_release(&turned);
	pd_free(sums);
	return fine && whole;
}
