/* SPDX-License-Identifier: MIT */
#include "config.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "base/checked.h"
#include "base/memory.h"
#include "emit/report/report.h"
#include "emit/stacks/stack_text.h"

static const char *const key_names[REPORT_BYS] = { "symbol", "dso",   "comm", "thread",   "process",
						   "cpu",    "event", "line", "build-id", "state",
						   "waker",  "wakee", "syscall" };

const char *pd_report_by_name(enum report_by by) { return key_names[by]; }

bool pd_report_is_by_stack(enum report_by by)
{
	return by == REPORT_SYMBOL || by == REPORT_DSO || by == REPORT_LINE || by == REPORT_BUILD_ID ||
	       pd_report_is_by_wait(by);
}

bool pd_report_is_by_wait(enum report_by by)
{
	return by == REPORT_STATE || by == REPORT_WAKER || by == REPORT_WAKEE || by == REPORT_SYSCALL;
}

const char *pd_report_kind_name(enum stack_kind kind)
{
	static const char *const names[STACK_KINDS] = {
		[STACK_USER] = "user",         [STACK_KERNEL] = "kernel",
		[STACK_INLINED] = "inlined",   [STACK_INLINED_KERNEL] = "inlined kernel",
		[STACK_JIT] = "jit",           [STACK_NO_NAME] = "no name",
		[STACK_GUEST] = "guest",       [STACK_THREAD] = "thread",
		[STACK_LEFT_OUT] = "left out", [STACK_WAITING] = "waiting",
		[STACK_NOT_IN_BUNDLE] = "not in this bundle",
	};
	return kind < STACK_KINDS ? names[kind] : "";
}

static void add_sum(uint64_t to[2], const uint64_t more[2])
{
	pd_sum_up(&to[0], more[0]);
	pd_sum_up(&to[1], more[1]);
}

void pd_report_add_up(struct stack_tree *tree, struct report_sum *sums)
{
	for (size_t i = 0; i < tree->nr; i++)
		memcpy(sums[i].total, sums[i].self, sizeof sums[i].total);
	for (size_t i = tree->nr; i-- > 0;) {
		const uint32_t parent = pd_stack_tree_parent(tree, (uint32_t)i);
		if (parent != STACK_NO_NODE)
			add_sum(sums[parent].total, sums[i].total);
	}
}

/* --- callers and callees ------------------------------------------------------------------------------------------ */

struct turning {
	struct report_event *event;
	struct stack_tree *tree;
	struct report_sum *sums;
	size_t room;
	bool *wanted;                /* by label */
	bool *inside;                /* by node: the node or a node above it matches */
};

static bool add_to(struct turning *turning, uint32_t node, const uint64_t self[2])
{
	if (node == STACK_NO_NODE)
		return false;
	const size_t before = turning->room;
	if (pd_vector_grow(&turning->sums, &turning->room, node, sizeof *turning->sums) < 0)
		return false;
	if (turning->room > before)
		memset(turning->sums + before, 0, (turning->room - before) * sizeof *turning->sums);
	add_sum(turning->sums[node].self, self);
	return true;
}

static bool turn_to_callers(struct turning *turning, uint32_t node)
{
	struct stack_tree *tree = &turning->event->tree;
	uint32_t at = STACK_NO_NODE;
	static const uint64_t nothing[2];
	for (uint32_t up = node; up != STACK_NO_NODE; up = pd_stack_tree_parent(tree, up)) {
		at = pd_stack_tree_child(turning->tree, at, pd_stack_tree_label(tree, up));
		if (!add_to(turning, at, nothing))
			return false;
	}
	return add_to(turning, at, turning->event->sums[node].total);
}

static bool turn_all(struct turning *turning, bool callers, uint32_t *places)
{
	struct stack_tree *tree = &turning->event->tree;
	for (uint32_t i = 0; i < tree->nr; i++) {
		const uint32_t parent = pd_stack_tree_parent(tree, i), label = pd_stack_tree_label(tree, i);
		const bool below = parent != STACK_NO_NODE && turning->inside[parent], hit = turning->wanted[label];
		turning->inside[i] = below || hit;
		places[i] = STACK_NO_NODE;
		if (callers && hit && !below && turning->event->sums[i].total[0] && !turn_to_callers(turning, i))
			return false;
		if (callers || !turning->inside[i])
			continue;
		places[i] = pd_stack_tree_child(turning->tree, below ? places[parent] : STACK_NO_NODE, label);
		if (!add_to(turning, places[i], turning->event->sums[i].self))
			return false;
	}
	return true;
}

bool pd_report_turn(struct report_event *event, const struct report_options *options, struct stack_tree *ret_tree,
		 struct report_sum **ret_sums)
{
	const uint32_t nr_labels = pd_stack_labels_nr(event->labels);
	struct turning turning = { .event = event, .tree = ret_tree };
	turning.wanted = pd_calloc(nr_labels + 1, sizeof *turning.wanted);
	turning.inside = pd_calloc(event->tree.nr + 1, sizeof *turning.inside);
	uint32_t *places = pd_calloc(event->tree.nr + 1, sizeof *places);
	bool fine = turning.wanted && turning.inside && places;
	for (uint32_t i = 0; fine && i < nr_labels; i++)
		turning.wanted[i] = pd_stack_name_matches(
			pd_stack_labels_string(event->labels, pd_stack_labels_get(event->labels, i)->name),
			options->function);
	fine = fine && turn_all(&turning, options->view == REPORT_CALLERS, places);
	pd_free(turning.wanted);
	pd_free(turning.inside);
	pd_free(places);
	if (!fine) {
		pd_free(turning.sums);
		return false;
	}
	if (turning.sums)
		pd_report_add_up(ret_tree, turning.sums);
	*ret_sums = turning.sums;
	return true;
}

/* --- order of rows ------------------------------------------------------------------------------------------------ */

static int compare_numbers(uint64_t a, uint64_t b) { return (a < b) - (a > b); }

/* Compares the keys of rows; 0: equal keys. */
static int report_compare_names(const struct report_row *a, const struct report_row *b)
{
	const int by_name = strcmp(a->name, b->name), by_file = strcmp(a->file, b->file),
		  by_kind = strcmp(a->kind, b->kind);
	const int by_source = strcmp(a->source, b->source);
	if (by_name || by_file || by_kind || by_source)
		return by_name ? by_name : by_file ? by_file : by_kind ? by_kind : by_source;
	if (a->line != b->line)
		return a->line < b->line ? -1 : 1;
	const int by_comm = strcmp(a->comm, b->comm), by_who = strcmp(a->who, b->who), by_cpu = strcmp(a->cpu, b->cpu);
	if (by_comm || by_who || by_cpu)
		return by_comm ? by_comm : by_who ? by_who : by_cpu;
	return a->pid != b->pid ? (a->pid > b->pid) - (a->pid < b->pid) : (a->tid > b->tid) - (a->tid < b->tid);
}

static int compare_sums(const struct report_row *a, const struct report_row *b, bool total, unsigned unit)
{
	const int first = total ? compare_numbers(a->sum.total[unit], b->sum.total[unit])
				: compare_numbers(a->sum.self[unit], b->sum.self[unit]);
	const int second = total ? compare_numbers(a->sum.self[unit], b->sum.self[unit])
				 : compare_numbers(a->sum.total[unit], b->sum.total[unit]);
	return first ? first : second ? second : report_compare_names(a, b);
}

#define COMPARISON(name, total, unit) \
	static int name(const void *a, const void *b) { return compare_sums(a, b, total, unit); }
COMPARISON(by_self_samples, false, 0)
COMPARISON(by_self_weight, false, 1)
COMPARISON(by_total_samples, true, 0)
COMPARISON(by_total_weight, true, 1)
static int by_name(const void *a, const void *b) { return report_compare_names(a, b); }

void pd_report_sort_rows(const struct report_options *options, struct report_row *rows, size_t nr)
{
	const bool samples = options->by_samples;
	int (*compare)(const void *, const void *) = samples ? by_self_samples : by_self_weight;
	if (options->sort == REPORT_SORT_NAME)
		compare = by_name;
	else if (options->sort == REPORT_SORT_SAMPLES)
		compare = by_self_samples;
	else if (options->sort == REPORT_SORT_TOTAL)
		compare = samples ? by_total_samples : by_total_weight;
	if (nr)
		qsort(rows, nr, sizeof *rows, compare);
}

/* --- rows that are shown ------------------------------------------------------------------------------------------ */

void pd_report_drop_small(const struct report_options *options, struct report_event *event)
{
	const unsigned unit = pd_report_unit_of(options);
	const bool total = options->sort == REPORT_SORT_TOTAL && event->has_totals;
	size_t nr = 0;
	if (options->min_percent <= 0)
		return;
	for (size_t i = 0; i < event->nr_rows; i++) {
		const struct report_sum *sum = &event->rows[i].sum;
		if (pd_stack_percent(total ? sum->total[unit] : sum->self[unit], event->all[unit]) >=
		    options->min_percent) {
			event->rows[nr++] = event->rows[i];
			continue;
		}
		event->nr_small++;
		add_sum(event->of_small, sum->self);
	}
	event->nr_rows = nr;
}

size_t pd_report_rows_shown(const struct report_options *options, const struct report_event *event)
{
	return options->top && options->top < event->nr_rows ? (size_t)options->top : event->nr_rows;
}

const char *pd_report_key_name(const struct report_options *options, const struct report_row *row, enum report_by key)
{
	/* with one key, `name` is the key's */
	if (options->nr_keys == 1 || pd_report_is_by_stack(key))
		return row->name;
	return key == REPORT_COMM ? row->comm : key == REPORT_CPU ? row->cpu : row->who;
}

void pd_report_spell_key(const struct report_options *options, const struct report_row *row, enum report_by key,
			 struct perfdata_text *out)
{
	perfdata_text_string(out, pd_report_key_name(options, row, key));
	if (key == REPORT_THREAD && row->tid >= 0)
		perfdata_text_printf(out, " (%" PRId32 "/%" PRId32 ")", row->pid, row->tid);
	else if (key == REPORT_PROCESS && row->pid >= 0)
		perfdata_text_printf(out, " (%" PRId32 ")", row->pid);
	if (pd_report_is_by_stack(key) && *row->source && row->line)
		perfdata_text_printf(out, "  %s:%" PRIu32, row->source, row->line);
	perfdata_text_append(out, "", 1);
	if (!perfdata_text_failed(out))
		out->size--;
}

/* Whether two rows have equal keys. Rows are sorted by keys; the first of equal rows gets the sums of the others. */
static bool is_same(const struct report_row *a, const struct report_row *b, const struct report_options *options)
{
	if (options->nr_keys > 1)
		return report_compare_names(a, b) == 0;
	if (options->by == REPORT_PROCESS)
		return a->pid == b->pid;
	return a->pid == b->pid && a->tid == b->tid && !strcmp(a->name, b->name);
}

static int compare_processes(const void *left, const void *right)
{
	const struct report_row *a = left, *b = right;
	if (a->pid != b->pid)
		return a->pid > b->pid ? 1 : -1;
	/* a process is named after its main thread, or the thread with most samples */
	return a->sum.self[0] != b->sum.self[0] ? (a->sum.self[0] < b->sum.self[0] ? 1 : -1) : strcmp(a->name, b->name);
}

void pd_report_join_rows(struct report_event *event, const struct report_options *options)
{
	struct report_options by_name = { .sort = REPORT_SORT_NAME };
	size_t nr = 0;
	if (options->nr_keys == 1 && options->by == REPORT_PROCESS && event->nr_rows)
		qsort(event->rows, event->nr_rows, sizeof *event->rows, compare_processes);
	else if (event->nr_rows)
		pd_report_sort_rows(&by_name, event->rows, event->nr_rows);
	for (size_t i = 0; i < event->nr_rows; i++) {
		if (nr && is_same(&event->rows[nr - 1], &event->rows[i], options)) {
			struct report_sum *sum = &event->rows[nr - 1].sum;
			for (unsigned unit = 0; unit < 2; unit++) {
				pd_sum_up(&sum->self[unit], event->rows[i].sum.self[unit]);
				pd_sum_up(&sum->total[unit], event->rows[i].sum.total[unit]);
			}
		} else {
			event->rows[nr++] = event->rows[i];
		}
	}
	event->nr_rows = nr;
}
