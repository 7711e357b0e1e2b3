/* SPDX-License-Identifier: MIT */
/* Annotated functions as text: hot instructions, targets of jumps, source lines. */
#include "config.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "base/memory.h"
#include "emit/report/annotated.h"
#include "emit/stacks/stack_text.h"

#define BOLD "\033[1m"
#define DIM "\033[2m"
#define RED "\033[31m"
#define PLAIN "\033[0m"

enum { MOST_LANES = 8, MOST_COLUMNS = 4, HOT_LINES = 5 };
#define HOT 5.0   /* percent of the function */

/* Jumps as lines beside the instructions, one in each lane. */
struct lane {
	uint32_t from, to;           /* rows */
};

static void write_style(const struct annotate_head *head, const char *escape, struct perfdata_text *out)
{
	if (head->options->color)
		perfdata_text_string(out, escape);
}

static unsigned unit_of(const struct annotate_head *head) { return head->options->by_samples ? 0 : 1; }

/* The share of a row in the weight of its function. */
static double share_of(const struct annotate_head *head, const struct pd_annotation *annotation,
		       const uint64_t *sums, size_t event)
{
	const unsigned unit = unit_of(head);
	return pd_stack_percent(sums[2 * event + unit], annotation->sums[2 * event + unit]);
}

void pd_annotate_text_head(const struct annotate_head *head, struct perfdata_text *out)
{
	if (head->file) {
		write_style(head, BOLD, out);
		perfdata_text_shortened(out, head->file, 0);
		write_style(head, PLAIN, out);
		perfdata_text_char(out, '\n');
	}
	if (!head->end->complete)
		perfdata_text_literal(out, "incomplete: the recording is damaged or cut; the rest was read\n");
}

/* --- jumps -------------------------------------------------------------------------------------------------------- */

static uint32_t lane_low(const struct lane *lane) { return lane->from < lane->to ? lane->from : lane->to; }
static uint32_t lane_high(const struct lane *lane) { return lane->from < lane->to ? lane->to : lane->from; }

static int compare_lanes(const void *left, const void *right)
{
	const struct lane *a = left, *b = right;
	const uint32_t one = lane_high(a) - lane_low(a), other = lane_high(b) - lane_low(b);
	return one != other ? (one > other ? 1 : -1) : (a->from > b->from) - (a->from < b->from);
}

struct jumps {
	unsigned nr;                 /* number of drawn lanes */
	struct lane *all;
	uint32_t *lanes;             /* by row and lane: index of the drawn jump + 1; 0: none */
};

/* Places short jumps next to the instructions. A jump without a free lane is not drawn. False without memory. */
static bool place_jumps(const struct pd_annotation *annotation, struct jumps *jumps)
{
	size_t nr = 0, room = 0;
	*jumps = (struct jumps){ .lanes = pd_calloc(annotation->nr_rows + 1, MOST_LANES * sizeof *jumps->lanes) };
	for (uint32_t i = 0; i < annotation->nr_rows; i++) {
		if (annotation->rows[i].target == PERFDATA_NONE || annotation->rows[i].target == i)
			continue;
		if (pd_vector_grow(&jumps->all, &room, nr, sizeof *jumps->all) < 0)
			return false;
		jumps->all[nr++] = (struct lane){ i, annotation->rows[i].target };
	}
	if (!jumps->lanes)
		return false;
	if (nr)
		qsort(jumps->all, nr, sizeof *jumps->all, compare_lanes);
	for (size_t i = 0; i < nr; i++) {
		const struct lane *jump = &jumps->all[i];
		/* limits the work; such long lines are not readable */
		if (lane_high(jump) - lane_low(jump) > 4096)
			continue;
		for (unsigned lane = 0; lane < MOST_LANES; lane++) {
			bool free = true;
			for (uint32_t row = lane_low(jump); row <= lane_high(jump) && free; row++)
				free = !jumps->lanes[row * MOST_LANES + lane];
			if (!free)
				continue;
			for (uint32_t row = lane_low(jump); row <= lane_high(jump); row++)
				jumps->lanes[row * MOST_LANES + lane] = (uint32_t)i + 1;
			jumps->nr = lane + 1 > jumps->nr ? lane + 1 : jumps->nr;
			break;
		}
	}
	return true;
}

static void jumps_release(struct jumps *jumps)
{
	pd_free(jumps->all);
	pd_free(jumps->lanes);
}

/* Lane 0 is next to the instruction. */
static void put_jumps(const struct jumps *jumps, uint32_t row, struct perfdata_text *out)
{
	bool along = false, arrives = false;
	for (unsigned lane = jumps->nr; lane-- > 0;) {
		const uint32_t number = jumps->lanes[row * MOST_LANES + lane];
		const struct lane *jump = number ? &jumps->all[number - 1] : NULL;
		if (jump && (row == jump->from || row == jump->to)) {
			perfdata_text_char(out, row == lane_low(jump) ? '/' : '\\');
			along = true;
			arrives |= row == jump->to;
		} else {
			perfdata_text_char(out, jump ? '|' : along ? '-' : ' ');
		}
	}
	if (jumps->nr)
		perfdata_text_string(out, arrives ? "> " : along ? "- " : "  ");
}

/* --- rows --------------------------------------------------------------------------------------------------------- */

/* Whether two rows have the same source line and inlined functions. */
static bool same_place(const struct pd_annotate_row *a, const struct pd_annotate_row *b)
{
	if (a->line != b->line || a->nr_inlined != b->nr_inlined || !a->source != !b->source ||
	    (a->source && strcmp(a->source, b->source) != 0))
		return false;
	for (uint32_t i = 0; i < a->nr_inlined; i++)
		if (strcmp(a->inlined[i], b->inlined[i]) != 0)
			return false;
	return true;
}

/* Writes the source line of a row without its indentation. */
static void put_line_text(const struct annotate_head *head, const struct pd_annotate_row *row,
			  struct perfdata_text *out)
{
	enum { MOST_BYTES = 90 };
	size_t size = 0;
	const char *text = pd_annotate_line_text(head, row, &size);
	while (text && size && (*text == ' ' || *text == '\t')) {
		text++;
		size--;
	}
	if (!text || !size)
		return;
	const bool cut = head->options->width && size > MOST_BYTES;
	perfdata_text_literal(out, "  ");
	perfdata_text_printable(out, text, cut ? MOST_BYTES : size);
	perfdata_text_string(out, cut ? ".." : "");
}

static void put_source(const struct annotate_head *head, const struct pd_annotate_row *row, size_t indent,
		       struct perfdata_text *out)
{
	if (!row->source && !row->nr_inlined)
		return;
	write_style(head, DIM, out);
	perfdata_text_fill(out, ' ', indent);
	if (row->source)
		perfdata_text_shortened(out, pd_stack_last_part(row->source), 0);
	if (row->line)
		perfdata_text_printf(out, ":%" PRIu32, row->line);
	for (uint32_t i = 0; i < row->nr_inlined && i < 4; i++) {
		perfdata_text_string(out, i ? " < " : "  in ");
		perfdata_text_shortened(out, row->inlined[i], head->options->width ? 40 : 0);
	}
	write_style(head, PLAIN, out);
	if (row->source)
		put_line_text(head, row, out);
	perfdata_text_char(out, '\n');
}

/* Whether the source position of a row is printed on a separate line. */
static bool has_own_line(const struct annotate_head *head, const struct pd_annotate_row *row)
{
	return row->nr_inlined || row->line_text || (head->sources && row->source);
}

/* The events whose samples a table counts: the first ones with samples in the function. */
struct columns { size_t events[MOST_COLUMNS], nr; };

static struct columns choose_columns(const struct annotate_head *head, const struct pd_annotation *annotation)
{
	struct columns columns = { .nr = 0 };
	for (size_t i = 0; i < head->nr_events && columns.nr < MOST_COLUMNS; i++)
		if (annotation->sums[2 * i])
			columns.events[columns.nr++] = i;
	return columns;
}

/* The width of `nr` columns with a blank between two. */
static size_t width_of(const struct columns *columns) { return columns->nr ? 16 * columns->nr - 1 : 0; }

/* Returns where the weight in the first column's event is in the sums of a row or function. */
static size_t first_weight(const struct annotate_head *head, const struct columns *columns)
{
	return 2 * columns->events[0] + unit_of(head);
}

/* Writes what branch stacks say about an instruction, except how often it was executed. */
static void put_counts(const struct pd_annotate_row *row, const struct annotate_counts *counts,
		       struct perfdata_text *out)
{
	if (row->flow == PD_ANNOTATE_CONDITION && (counts->taken || counts->runs))
		perfdata_text_printf(out, "  taken %" PRIu64 ", not %" PRIu64, counts->taken,
				     counts->runs - counts->ended);
	else if (counts->taken)
		perfdata_text_printf(out, "  taken %" PRIu64, counts->taken);
	if (counts->cycles && counts->ended)
		perfdata_text_printf(out, ", %.1f cycles", (double)counts->cycles / (double)counts->ended);
	if (counts->back)
		perfdata_text_printf(out, "  loop, %" PRIu64 " times back", counts->back);
}

/* As objdump writes it: <malloc@plt>, <parse+0x10>. Returns how many columns it takes. */
static size_t put_callee(const struct annotate_head *head, const struct pd_annotate_row *row,
			 struct perfdata_text *out)
{
	perfdata_text_literal(out, " <");
	size_t shown = perfdata_text_shortened(out, row->callee, head->options->width ? 50 : 0) + 3;
	if (row->callee_offset) {
		const size_t before = out->size;
		perfdata_text_printf(out, "+0x%" PRIx64, row->callee_offset);
		shown += out->size - before;
	}
	perfdata_text_char(out, '>');
	return shown;
}

static void put_row(const struct annotate_head *head, const struct pd_annotation *annotation,
		    const struct columns *columns, const struct jumps *jumps, uint32_t number, uint32_t hot_block,
		    bool with_source, struct perfdata_text *out)
{
	enum { TEXT_WIDTH = 40 };
	size_t shown = 0;
	const struct pd_annotate_row *row = &annotation->rows[number];
	for (size_t i = 0; i < columns->nr; i++) {
		const uint64_t *pair = &row->sums[2 * columns->events[i]];
		const double share = share_of(head, annotation, row->sums, columns->events[i]);
		if (i)
			perfdata_text_char(out, ' ');
		if (share >= HOT)
			write_style(head, RED, out);
		if (pair[0])
			perfdata_text_printf(out, "%7.2f", share);
		else
			perfdata_text_fill(out, ' ', 7);
		if (share >= HOT)
			write_style(head, PLAIN, out);
		if (pair[0])
			perfdata_text_printf(out, " %7" PRIu64, pair[0]);
		else
			perfdata_text_fill(out, ' ', 8);
	}
	if (head->counts) {
		const uint64_t runs = head->counts[number].runs;
		if (runs)
			perfdata_text_printf(out, " %8" PRIu64, runs);
		else
			perfdata_text_fill(out, ' ', 9);
	}
	perfdata_text_string(out, row->block != PERFDATA_NONE && row->block == hot_block ? " * " : "   ");
	perfdata_text_printf(out, "%6" PRIx64 "  %8" PRIx64 "  ", row->offset, row->address);
	put_jumps(jumps, number, out);
	if (row->text)
		shown += perfdata_text_shortened(out, row->text, 0);
	if (row->target != PERFDATA_NONE) {
		const size_t before = out->size;
		perfdata_text_printf(out, "  %s %" PRIx64, row->target > number ? "v" : "^",
				     annotation->rows[row->target].offset);
		shown += out->size - before;
	}
	if (row->callee)
		shown += put_callee(head, row, out);
	if (head->counts) {
		const size_t before = out->size;
		put_counts(row, &head->counts[number], out);
		shown += out->size - before;
	}
	if (with_source && row->source) {
		perfdata_text_fill(out, ' ', shown < TEXT_WIDTH ? TEXT_WIDTH - shown : 2);
		write_style(head, DIM, out);
		perfdata_text_shortened(out, pd_stack_last_part(row->source), 0);
		if (row->line)
			perfdata_text_printf(out, ":%" PRIu32, row->line);
		write_style(head, PLAIN, out);
	}
	perfdata_text_char(out, '\n');
}

/* --- a function --------------------------------------------------------------------------------------------------- */

struct hot_line {
	const struct pd_annotate_row *row;
	uint64_t weight;
};

static int compare_lines(const void *left, const void *right)
{
	const struct hot_line *a = left, *b = right;
	const int by_source = strcmp(a->row->source, b->row->source);
	return by_source ? by_source : (a->row->line > b->row->line) - (a->row->line < b->row->line);
}

static int compare_weights(const void *left, const void *right)
{
	const struct hot_line *a = left, *b = right;
	return a->weight != b->weight ? (a->weight < b->weight ? 1 : -1) : compare_lines(left, right);
}

/* Writes the lines with most weight in the first column's event. False without memory. */
static bool put_hot_lines(const struct annotate_head *head, const struct pd_annotation *annotation,
			  const struct columns *columns, struct perfdata_text *out)
{
	struct hot_line *lines = pd_calloc(annotation->nr_rows + 1, sizeof *lines);
	const size_t weight = first_weight(head, columns);
	size_t nr = 0, joined = 0;
	if (!lines)
		return false;
	for (size_t i = 0; i < annotation->nr_rows; i++) {
		const struct pd_annotate_row *row = &annotation->rows[i];
		if (row->source && row->line && row->sums[weight])
			lines[nr++] = (struct hot_line){ row, row->sums[weight] };
	}
	if (nr)
		qsort(lines, nr, sizeof *lines, compare_lines);
	for (size_t i = 0; i < nr; i++) {
		if (joined && !compare_lines(&lines[joined - 1], &lines[i]))
			lines[joined - 1].weight += lines[i].weight;
		else
			lines[joined++] = lines[i];
	}
	if (joined)
		qsort(lines, joined, sizeof *lines, compare_weights);
	for (size_t i = 0; i < joined && i < HOT_LINES; i++) {
		perfdata_text_printf(out, "%7.2f %%  ",
				     pd_stack_percent(lines[i].weight, annotation->sums[weight]));
		perfdata_text_shortened(out, pd_stack_last_part(lines[i].row->source), 0);
		perfdata_text_printf(out, ":%" PRIu32, lines[i].row->line);
		put_line_text(head, lines[i].row, out);
		perfdata_text_char(out, '\n');
	}
	pd_free(lines);
	return true;
}

static void put_title(const struct annotate_head *head, const struct pd_annotation *annotation,
		      struct perfdata_text *out)
{
	const unsigned unit = unit_of(head);
	perfdata_text_char(out, '\n');
	write_style(head, BOLD, out);
	if (annotation->inlined) {
		perfdata_text_shortened(out, annotation->inlined, (size_t)head->options->width);
		write_style(head, PLAIN, out);
		perfdata_text_literal(out, "  inlined in ");
	}
	perfdata_text_shortened(out, annotation->name, (size_t)head->options->width);
	write_style(head, PLAIN, out);
	perfdata_text_literal(out, "  in ");
	perfdata_text_shortened(out, annotation->file, (size_t)head->options->width);
	perfdata_text_char(out, '\n');
	const char *separator = "";
	for (size_t i = 0; i < head->nr_events; i++) {
		const uint64_t *sums = &annotation->sums[2 * i];
		if (!sums[0])
			continue;
		perfdata_text_printf(out, "%s%.2f %% of ", separator, pd_stack_percent(sums[unit],
										       head->events[i].all[unit]));
		separator = "; ";
		perfdata_text_shortened(out, head->events[i].name, 0);
		perfdata_text_printf(out, ", %" PRIu64 " sample%s", sums[0], sums[0] == 1 ? "" : "s");
	}
	if (annotation->decoder)
		perfdata_text_printf(out, "; instructions by %s", annotation->decoder);
	perfdata_text_char(out, '\n');
	if (annotation->no_code)
		perfdata_text_printf(out, "no instructions: %s\n", annotation->no_code);
	bool precise = head->nr_events > 0;
	for (size_t i = 0; i < head->nr_events; i++)
		precise &= head->events[i].is_precise;
	if (!precise && !annotation->no_code)
		perfdata_text_literal(
			out, "samples may be counted one instruction after the instruction that took the time\n");
}

/* The block with most weight in the first column's event. */
static uint32_t hottest_block(const struct annotate_head *head, const struct pd_annotation *annotation,
			      const struct columns *columns)
{
	const size_t weight = first_weight(head, columns);
	uint32_t best = PERFDATA_NONE;
	uint64_t most = 0, sum = 0;
	for (size_t i = 0; i < annotation->nr_rows; i++) {
		const struct pd_annotate_row *row = &annotation->rows[i];
		if (row->block == PERFDATA_NONE)
			continue;
		sum = i && annotation->rows[i - 1].block == row->block ? sum : 0;
		sum += row->sums[weight];
		if (sum > most) {
			most = sum;
			best = row->block;
		}
	}
	return best;
}

bool pd_annotate_text(const struct annotate_head *head, const struct pd_annotation *annotation,
		      struct perfdata_text *out)
{
	const struct columns columns = choose_columns(head, annotation);
	struct jumps jumps;
	put_title(head, annotation, out);
	if (!put_hot_lines(head, annotation, &columns, out))
		return false;
	if (!place_jumps(annotation, &jumps)) {
		jumps_release(&jumps);
		return false;
	}
	const uint32_t hot_block = hottest_block(head, annotation, &columns);
	write_style(head, DIM, out);
	for (size_t i = 0; i < columns.nr; i++)
		perfdata_text_string(out, i ? " percent samples" : "percent samples");
	perfdata_text_string(out, head->counts ? "     runs   offset   address\n" : "   offset   address\n");
	write_style(head, PLAIN, out);
	for (uint32_t i = 0; i < annotation->nr_rows; i++) {
		const struct pd_annotate_row *row = &annotation->rows[i];
		const bool is_new = !i || !same_place(&annotation->rows[i - 1], row);
		/* callers' code is between the parts of an inlined function */
		if (i && row[-1].text && row->address != row[-1].address + row[-1].size)
			perfdata_text_literal(out, "...\n");
		if (is_new && has_own_line(head, row))
			put_source(head, row, width_of(&columns) + 3 + (head->counts ? 9 : 0), out);
		put_row(head, annotation, &columns, &jumps, i, hot_block, is_new && !has_own_line(head, row), out);
	}
	jumps_release(&jumps);
	return true;
}
