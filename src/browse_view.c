/* SPDX-License-Identifier: MIT */
#include "config.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "browse_view.h"

void view_release(struct view *view)
{
	json_object_put(view->document);
	free(view->text);
	free(view->rows);
	*view = (struct view){ 0 };
}

bool view_split_text(struct view *view)
{
	size_t nr = 1;
	for (const char *at = view->text; *at; at++)
		nr += *at == '\n';
	view->rows = calloc(nr + 1, sizeof *view->rows);
	for (const char *at = view->text; view->rows && *at;) {
		const size_t size = strcspn(at, "\n");
		view->rows[view->nr++] = (struct row){ .text = at, .size = size };
		at += size + (at[size] == '\n');
	}
	return view->rows;
}

/* --- trees -------------------------------------------------------------------------------------------------------- */

/* A tree row begins with two percentages and two blanks; each level below adds two blanks. */
enum { TREE_NUMBERS = 17, TREE_PREFIX = 19 };

/* Whether a line of a report has the column heads of a tree, as report_tree.c writes them. */
static bool is_tree_head(const struct row *row)
{
	static const char head[] = "function, then its";
	return memmem(row->text, row->size, head, sizeof head - 1);
}

void view_find_trees(struct view *view)
{
	bool is_tree = false;
	for (size_t i = 0; i < view->nr; i++) {
		struct row *row = &view->rows[i];
		const bool is_line = row->size > TREE_PREFIX && *row->text != '(';
		if (is_tree && is_line) {
			size_t at = TREE_PREFIX;
			while (at < row->size && row->text[at] == ' ')
				at++;
			row->level = (uint32_t)(at - TREE_PREFIX) / 2 + 1;
			if (row[-1].level && row[-1].level < row->level)
				row[-1].has_children = true;
		}
		is_tree = is_line && (is_tree || is_tree_head(row));
	}
}

/* Hides rows below folded rows. If the selected row becomes hidden, selects the row above it. */
static void hide_folded(struct view *view)
{
	uint32_t folded = 0;         /* level of the folded row whose callees are hidden */
	for (size_t i = 0; i < view->nr; i++) {
		struct row *row = &view->rows[i];
		row->is_hidden = folded && row->level > folded;
		if (!row->is_hidden)
			folded = row->is_folded ? row->level : 0;
	}
	while (view->selected && view->rows[view->selected].is_hidden)
		view->selected--;
	while (view->first && view->rows[view->first].is_hidden)
		view->first--;
}

bool view_can_fold(const struct view *view) { return view->nr && view->rows[view->selected].has_children; }

void view_fold_row(struct view *view)
{
	if (view_can_fold(view))
		view->rows[view->selected].is_folded = !view->rows[view->selected].is_folded;
	hide_folded(view);
}

void view_fold_all(struct view *view, bool is_folded)
{
	for (size_t i = 0; i < view->nr; i++)
		view->rows[i].is_folded = is_folded && view->rows[i].has_children;
	hide_folded(view);
}

void view_unfold_above(struct view *view, size_t at)
{
	uint32_t level = view->rows[at].level;
	for (size_t i = at; i-- > 0 && level > 1 && view->rows[i].level;)
		if (view->rows[i].level < level) {
			level = view->rows[i].level;
			view->rows[i].is_folded = false;
		}
	hide_folded(view);
}

size_t view_shown_row(const struct view *view, size_t at, size_t count, bool down)
{
	size_t found = at;
	while (count && (down ? at + 1 < view->nr : at > 0)) {
		at = down ? at + 1 : at - 1;
		if (!view->rows[at].is_hidden) {
			found = at;
			count--;
		}
	}
	return found;
}

size_t view_count_shown(const struct view *view, size_t end)
{
	size_t nr = 0;
	for (size_t i = 0; i < end; i++)
		nr += !view->rows[i].is_hidden;
	return nr;
}

void view_select_first(struct view *view)
{
	for (size_t i = 0; i < view->nr; i++) {
		const struct row *row = &view->rows[i];
		if (memmem(row->text, row->size, " * ", 3)) {
			view->selected = i;
			return;
		}
		if (!view->selected && i + 1 < view->nr && is_tree_head(row))
			view->selected = i + 1;
	}
}

/* --- what a row looks like ---------------------------------------------------------------------------------------- */

/* Deep levels are shifted to the left, so that names stay visible. */
static void put_tree_row(const struct row *row, size_t columns, struct perfdata_text *out)
{
	const size_t indent = 2 * ((size_t)row->level - 1), most = columns / 4;
	perfdata_text_printable(out, row->text, TREE_NUMBERS);
	perfdata_text_fill(out, ' ', 1 + (indent < most ? indent : most));
	perfdata_text_string(out, !row->has_children ? "  " : row->is_folded ? "+ " : "- ");
	perfdata_text_printable(out, row->text + TREE_PREFIX + indent, row->size - TREE_PREFIX - indent);
}

void view_put_row(const struct row *row, size_t columns, struct perfdata_text *out)
{
	enum { NARROW = 60 };
	if (row->level) {
		put_tree_row(row, columns, out);
		return;
	}
	if (row->size || (!row->name && !row->samples)) {
		perfdata_text_printable(out, row->text ? row->text : "", row->size);
		return;
	}
	if (row->name)
		perfdata_text_printf(out, "%6.2f ", row->total);
	if (!row->name || columns >= NARROW)
		perfdata_text_printf(out, "%6.2f %8" PRIu64 " ", row->self, row->samples);
	const size_t used = out->size + 1, left = columns > used + 8 ? columns - used : 8;
	if (!row->name) {
		perfdata_text_shortened(out, row->text ? row->text : "?", left);
		perfdata_text_printf(out, " %" PRId32, row->tid);
		return;
	}
	const char *slash = row->dso ? strrchr(row->dso, '/') : NULL;
	const char *file = !row->dso ? "" : *row->dso != '[' && slash && slash[1] ? slash + 1 : row->dso;
	const size_t of_file = columns >= NARROW ? left / 4 : 0;
	const size_t before = out->size;
	perfdata_text_shortened(out, row->name, left - of_file);
	if (!of_file)
		return;
	perfdata_text_fill(out, ' ', out->size - before < left - of_file ? left - of_file - (out->size - before) : 0);
	perfdata_text_char(out, ' ');
	perfdata_text_shortened(out, file, of_file - 1);
}
