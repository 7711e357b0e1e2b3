/* SPDX-License-Identifier: MIT */
#include "config.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/memory.h"
#include "emit/stacks/report.h"
#include "emit/stacks/stack_text.h"

#define BOLD "\033[1m"
#define DIM "\033[2m"
#define RED "\033[31m"
#define PLAIN "\033[0m"

enum { NAME_MIN = 16, NAME_WIDTH = 60, FILE_WIDTH = 24 };

static void style(const struct report_options *options, const char *escape, struct perfdata_text *out)
{
	if (options->color)
		perfdata_text_string(out, escape);
}

static unsigned unit_of(const struct report_options *options) { return options->by_samples ? 0 : 1; }

static void pad(struct perfdata_text *out, size_t have, size_t width)
{
	if (have < width)
		perfdata_text_fill(out, ' ', width - have);
}

/* --- head --------------------------------------------------------------------------------------------------------- */

static void warning(const struct report_options *options, struct perfdata_text *out, const char *text)
{
	style(options, RED, out);
	perfdata_text_string(out, text);
	style(options, PLAIN, out);
	perfdata_text_char(out, '\n');
}

/* What makes the numbers below less than the truth comes first. */
void pd_report_text_head(const struct report_options *options, const struct report_head *head,
			 struct perfdata_text *out)
{
	const struct perfdata_summary *summary = head->end->summary;
	char line[160];
	if (!head->first_document)
		perfdata_text_char(out, '\n');
	if (head->file) {
		style(options, BOLD, out);
		pd_stack_text_name(out, head->file, 0);
		style(options, PLAIN, out);
		perfdata_text_char(out, '\n');
	}
	if (summary->lost_records || summary->lost_samples) {
		snprintf(line, sizeof line,
			 "lost: %" PRIu64 " records and %" PRIu64 " samples that the kernel could not write",
			 summary->lost_records, summary->lost_samples);
		warning(options, out, line);
	}
	if (!head->end->complete) {
		snprintf(line, sizeof line,
			 "incomplete: the recording is damaged or cut (%" PRIu64
			 " findings); this is what could be read",
			 head->end->findings_total);
		warning(options, out, line);
	}
}

static bool is_time(const struct report_event *event) { return event->measure == PERFDATA_MEASURE_TIME; }

static bool counts_occurrences(const struct report_event *event)
{
	return event->measure == PERFDATA_MEASURE_OCCURRENCES;
}

static const char *plural(uint64_t count) { return count == 1 ? "" : "s"; }

/* How much there is of the event, and of what. */
static void amount(const struct report_event *event, struct perfdata_text *out)
{
	const uint64_t samples = event->all[0], weight = event->all[1];
	if (counts_occurrences(event)) {
		if (samples != weight)
			perfdata_text_printf(out, "%" PRIu64 " sample%s of ", samples, plural(samples));
		perfdata_text_printf(out, "%" PRIu64 " occurrence%s (how often, not how long)", weight, plural(weight));
		return;
	}
	perfdata_text_printf(out, "%" PRIu64 " sample%s", samples, plural(samples));
	if (is_time(event) || samples != weight) {
		perfdata_text_literal(out, ", ");
		pd_stack_text_weight(out, weight, is_time(event));
	}
	if (event->weighs)
		perfdata_text_printf(out, " of %s", event->weighs);
}

/* Whether a shell takes the name as one word without quotes, and --callers as a name without stars. */
static bool is_plain(const char *name)
{
	return *name && !name[strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.:")];
}

/* Why rows are comms, and what else could be asked. */
static void comms_line(const struct report_options *options, const struct report_event *event,
		       struct perfdata_text *out)
{
	const unsigned unit = unit_of(options);
	const bool all = event->of_function[unit] == event->all[unit];
	if (event->function) {
		if (all)
			perfdata_text_literal(out, "all in ");
		else
			perfdata_text_printf(out, "%.2f %% in ",
					     pd_stack_percent(event->of_function[unit], event->all[unit]));
		pd_stack_text_name(out, event->function, 0);
		perfdata_text_literal(out, ": ");
	}
	perfdata_text_literal(out, "rows are comms");
	if (!event->function || !all)
		perfdata_text_literal(out, "; --by symbol lists functions");
	if (event->function && event->has_callers)
		perfdata_text_printf(out, "; --callers %s shows from where",
				     is_plain(event->function) ? event->function : "NAME");
	else if (event->function)
		perfdata_text_literal(out, "; perf record -g would record from where");
	perfdata_text_char(out, '\n');
}

static void event_line(const struct report_options *options, const struct report_event *event,
		       struct perfdata_text *out)
{
	const unsigned unit = unit_of(options);
	style(options, BOLD, out);
	pd_stack_text_name(out, event->name, 0);
	style(options, PLAIN, out);
	perfdata_text_literal(out, ": ");
	amount(event, out);
	perfdata_text_char(out, '\n');
	const bool chose_comms = event->by == REPORT_COMM && options->by_default;
	if (chose_comms)
		comms_line(options, event, out);
	else if (event->nameless[0]) {
		const double percent = pd_stack_percent(event->nameless[unit], event->all[unit]);
		char line[160];
		snprintf(line, sizeof line, "no names: %s%.2f %% was executing where no symbol is known",
			 percent < 0.005 ? "less than " : "", percent < 0.005 ? 0.01 : percent);
		warning(options, out, line);
	}
}

/* --- lists -------------------------------------------------------------------------------------------------------- */

struct column_widths {
	size_t samples, weight, name, file;
	bool weight_shown, file_shown, kind_shown;
	bool failed;                 /* there was no memory for the names */
};

static size_t number_width(uint64_t value)
{
	char number[32];
	return (size_t)snprintf(number, sizeof number, "%" PRIu64, value);
}

/* What stands in the column of names. */
static void name_of(const struct report_row *row, struct perfdata_text *out)
{
	perfdata_text_string(out, row->name);
	if (row->tid >= 0)
		perfdata_text_printf(out, " (%" PRId32 "/%" PRId32 ")", row->pid, row->tid);
	else if (row->pid >= 0)
		perfdata_text_printf(out, " (%" PRId32 ")", row->pid);
	if (*row->source && row->line)
		perfdata_text_printf(out, "  %s:%" PRIu32, row->source, row->line);
	perfdata_text_append(out, "", 1);
	if (!perfdata_text_failed(out))
		out->size--;
}

static size_t rows_shown(const struct report_options *options, const struct report_event *event)
{
	return options->top && options->top < event->nr_rows ? (size_t)options->top : event->nr_rows;
}

static struct column_widths widths_of(const struct report_options *options, const struct report_event *event)
{
	struct column_widths widths = {
		.samples = strlen("samples"), .weight = strlen("weight"), .name = NAME_MIN, .file = strlen("file")
	};
	struct perfdata_text text;
	perfdata_text_init(&text);
	for (size_t i = 0; i < rows_shown(options, event) && !perfdata_text_failed(&text); i++) {
		const struct report_row *row = &event->rows[i];
		perfdata_text_clear(&text);
		name_of(row, &text);
		const size_t name = perfdata_text_failed(&text) ? 0 : pd_stack_text_width(text.data),
			     file = pd_stack_text_width(pd_stack_last_part(row->file));
		const size_t samples = number_width(row->sum.self[0]);
		widths.name = name > widths.name ? name : widths.name;
		widths.file = file > widths.file ? file : widths.file;
		widths.samples = samples > widths.samples ? samples : widths.samples;
		widths.file_shown |= *row->file && event->by != REPORT_DSO;
		widths.kind_shown |= *row->kind != 0;
	}
	widths.failed = perfdata_text_failed(&text);
	perfdata_text_release(&text);
	widths.weight_shown = is_time(event) || event->all[0] != event->all[1];
	widths.weight = 8;
	if (!options->width) {
		/* names are not cut, but one long name does not move the column behind the others */
		widths.name = widths.name > NAME_WIDTH ? NAME_WIDTH : widths.name;
		return widths;
	}
	/* names and files share what the numbers leave; what does not fit beside a short name is not shown */
	const size_t numbers = 7u + (event->has_totals ? 8u : 0u) + 2 + widths.samples + 2 + NAME_MIN;
	size_t left = options->width > numbers ? (size_t)options->width - numbers : 0;
	widths.file = widths.file > FILE_WIDTH ? FILE_WIDTH : widths.file;
	widths.weight_shown &= left >= 2 + widths.weight;
	left -= widths.weight_shown ? 2 + widths.weight : 0;
	widths.file_shown &= left >= 2 + widths.file;
	left -= widths.file_shown ? 2 + widths.file : 0;
	widths.kind_shown &= widths.file_shown && left >= 2 + strlen("inlined");
	left -= widths.kind_shown ? 2 + strlen("inlined") : 0;
	left += NAME_MIN;
	widths.name = widths.name > left ? left : widths.name;
	return widths;
}

static void header_line(const struct report_options *options, const struct report_event *event,
			const struct column_widths *widths, struct perfdata_text *out)
{
	static const char *const things[REPORT_BYS] = { "function", "file",  "comm", "thread",  "process",
							"cpu",      "event", "line", "build-id" };
	style(options, DIM, out);
	perfdata_text_literal(out, "  self%");
	if (event->has_totals)
		perfdata_text_literal(out, "  total%");
	const char *weight = counts_occurrences(event) ? "count" : "weight";
	perfdata_text_printf(out, "  %*s", (int)widths->samples,
			     counts_occurrences(event) && !widths->weight_shown ? weight : "samples");
	if (widths->weight_shown)
		perfdata_text_printf(out, "  %*s", (int)widths->weight, weight);
	perfdata_text_literal(out, "  ");
	if (widths->file_shown) {
		pad(out, pd_stack_text_name(out, things[event->by], 0), widths->name);
		perfdata_text_literal(out, "  file");
	} else {
		perfdata_text_string(out, things[event->by]);
	}
	style(options, PLAIN, out);
	perfdata_text_char(out, '\n');
}

static void row_line(const struct report_options *options, const struct report_event *event,
		     const struct column_widths *widths, const struct report_row *row, struct perfdata_text *scratch,
		     struct perfdata_text *out)
{
	const unsigned unit = unit_of(options);
	const double self = pd_stack_percent(row->sum.self[unit], event->all[unit]);
	if (self >= 5)
		style(options, RED, out);
	perfdata_text_printf(out, "%7.2f", self);
	if (self >= 5)
		style(options, PLAIN, out);
	if (event->has_totals)
		perfdata_text_printf(out, " %7.2f", pd_stack_percent(row->sum.total[unit], event->all[unit]));
	perfdata_text_printf(out, "  %*" PRIu64, (int)widths->samples, row->sum.self[0]);
	if (widths->weight_shown) {
		const size_t before = out->size;
		perfdata_text_literal(out, "  ");
		perfdata_text_clear(scratch);
		pd_stack_text_weight(scratch, row->sum.self[1], is_time(event));
		pad(out, scratch->size + (out->size - before) - 2, widths->weight);
		perfdata_text_append(out, scratch->data, scratch->size);
	}
	perfdata_text_literal(out, "  ");
	perfdata_text_clear(scratch);
	name_of(row, scratch);
	if (perfdata_text_failed(scratch)) {
		out->failed = true;
		return;
	}
	const size_t shown = pd_stack_text_name(out, scratch->data, options->width ? widths->name : 0);
	if (widths->file_shown) {
		pad(out, shown, widths->name);
		perfdata_text_literal(out, "  ");
		const size_t file = pd_stack_text_name(out, pd_stack_last_part(row->file),
						       options->width ? widths->file : 0);
		if (widths->kind_shown) {
			pad(out, file, widths->file);
			perfdata_text_printf(out, "  %s", row->kind);
		}
	}
	perfdata_text_char(out, '\n');
}

void pd_report_text_event(const struct report_options *options, const struct report_event *event,
			  struct perfdata_text *out)
{
	const struct column_widths widths = widths_of(options, event);
	const size_t shown = rows_shown(options, event);
	const unsigned unit = unit_of(options);
	struct perfdata_text scratch;
	perfdata_text_char(out, '\n');
	event_line(options, event, out);
	header_line(options, event, &widths, out);
	perfdata_text_init(&scratch);
	out->failed |= widths.failed;
	uint64_t left = event->all[unit];
	for (size_t i = 0; i < shown; i++) {
		row_line(options, event, &widths, &event->rows[i], &scratch, out);
		left -= event->rows[i].sum.self[unit] < left ? event->rows[i].sum.self[unit] : left;
	}
	out->failed |= perfdata_text_failed(&scratch);
	perfdata_text_release(&scratch);
	if (shown < event->nr_rows)
		perfdata_text_printf(out, "(%zu more, %.2f %% by themselves; --top 0 shows all)\n",
				     event->nr_rows - shown, pd_stack_percent(left, event->all[unit]));
}

/* --- trees -------------------------------------------------------------------------------------------------------- */

/* A node that is large enough to be shown. */
struct branch {
	uint32_t parent, node;
	uint64_t total;
	size_t first, nr;            /* its children among the branches */
};

static int compare_branches(const void *left, const void *right)
{
	const struct branch *a = left, *b = right;
	if (a->parent != b->parent)
		return a->parent + 1 > b->parent + 1 ? 1 : -1;   /* roots first */
	return a->total != b->total ? (a->total < b->total ? 1 : -1) : a->node > b->node ? 1 : -1;
}

static int compare_nodes(const void *key, const void *element)
{
	const uint32_t parent = *(const uint32_t *)key, other = ((const struct branch *)element)->parent;
	return parent + 1 == other + 1 ? 0 : parent + 1 > other + 1 ? 1 : -1;
}

/* The first of the branches below a node, and in *ret_nr their number. */
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
	const unsigned unit = unit_of(options);
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

/* What is below a node with one child is not indented further: deep stacks stay readable. */
struct open_branch {
	struct branch *at, *end;
	unsigned depth;
};

static void branch_line(const struct report_options *options, const struct report_event *event, struct stack_tree *tree,
			const struct report_sum *sums, const struct branch *branch, unsigned depth,
			struct perfdata_text *out)
{
	enum { MAX_INDENT = 40 };
	const unsigned unit = unit_of(options), indent = 2 * depth < MAX_INDENT ? 2 * depth : MAX_INDENT;
	const struct stack_label *label = pd_stack_labels_get(event->labels, pd_stack_tree_label(tree, branch->node));
	const char *file = pd_stack_labels_string(event->labels, label->file);
	const size_t before = 19 + indent;
	size_t width = 0, file_width = 0;
	if (options->width) {
		file_width = pd_stack_text_width(pd_stack_last_part(file)) + 3;
		file_width = file_width > FILE_WIDTH ? FILE_WIDTH : file_width;
		width = options->width > before + file_width + NAME_MIN ? (size_t)options->width - before - file_width
									: NAME_MIN;
	}
	perfdata_text_printf(out, "%8.2f %8.2f  ", pd_stack_percent(sums[branch->node].total[unit], event->all[unit]),
			     pd_stack_percent(sums[branch->node].self[unit], event->all[unit]));
	perfdata_text_fill(out, ' ', indent);
	pd_stack_text_name(out, pd_stack_labels_string(event->labels, label->name), width);
	if (*file && label->kind != STACK_NO_NAME) {
		style(options, DIM, out);
		perfdata_text_literal(out, "  ");
		pd_stack_text_name(out, pd_stack_last_part(file), file_width);
		style(options, PLAIN, out);
	}
	perfdata_text_char(out, '\n');
}

static bool tree_lines(const struct report_options *options, const struct report_event *event, struct stack_tree *tree,
		       const struct report_sum *sums, struct perfdata_text *out)
{
	size_t nr = 0, nr_roots, nr_open = 0, room = 0, lines = 0;
	struct branch *branches = large_enough(options, tree, sums, event->all[unit_of(options)], &nr);
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
	event_line(options, event, out);
	if (turn && !pd_report_turn(event, options, &turned, &sums)) {
		pd_stack_tree_release(&turned);
		return false;
	}
	if (turn && !turned.nr) {
		perfdata_text_literal(out, "no function is called ");
		pd_stack_text_name(out, options->function, 0);
		perfdata_text_literal(out, "; * stands for any text\n");
		pd_stack_tree_release(&turned);
		return true;
	}
	style(options, DIM, out);
	perfdata_text_string(
		out, options->view == REPORT_CALLERS   ? "  total%    self%  function, and below it who called it\n"
		     : options->view == REPORT_CALLEES ? "  total%    self%  function, and below it what it called\n"
						       : "  total%    self%  function, and below it what it called\n");
	style(options, PLAIN, out);
	const bool fine = turn ? tree_lines(options, event, &turned, sums, out)
			       : tree_lines(options, event, &event->tree, event->sums, out);
	if (options->min_percent > 0)
		perfdata_text_printf(out, "(what is below %g %% is left out; --min-percent 0 shows it)\n",
				     options->min_percent);
	const bool whole = !pd_stack_tree_failed(&turned) && !pd_stack_tree_failed(&event->tree);
	pd_stack_tree_release(&turned);
	pd_free(sums);
	return fine && whole;
}
