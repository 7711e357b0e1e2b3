/* SPDX-License-Identifier: MIT */
/* What `browse` shows on the screen at once: rows of functions or threads, or lines of text, which may form trees. */
#ifndef BROWSE_VIEW_H
#define BROWSE_VIEW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <json-c/json.h>
#include "perfdata/text.h"

/* A line of a view. */
struct row {
	const char *name;            /* function; NULL: the row is a line of text or a thread */
	const char *dso;
	const char *text;
	size_t size;
	uint64_t samples;
	double self, total;          /* percent */
	int32_t tid;
	uint32_t level;              /* 1 for roots of a tree; 0: not a row of a tree */
	bool has_children, is_folded, is_hidden;
};

struct view {
	char title[160];
	json_object *document;       /* owner of the rows' texts; or NULL */
	char *text;                  /* the same */
	struct row *rows;
	size_t nr, selected, first;
	bool is_threads;
};

void view_release(struct view *view);
/* Makes a row of each line of the view's text. False without memory. */
bool view_split_text(struct view *view);
/* Finds the trees in the lines of a report: they follow the column heads. */
void view_find_trees(struct view *view);
/* Selects the hottest instruction, or the first row below the column heads. */
void view_select_first(struct view *view);

/* Whether the selected row has rows below it in its tree. */
bool view_can_fold(const struct view *view);
/* Folds or unfolds the selected row. */
void view_fold_row(struct view *view);
void view_fold_all(struct view *view, bool is_folded);
/* Unfolds the rows that hide a row. */
void view_unfold_above(struct view *view, size_t at);
/* The row `count` visible rows further down or up, or the last visible row in this direction. */
size_t view_shown_row(const struct view *view, size_t at, size_t count, bool down);
/* Number of visible rows before `end`. */
size_t view_count_shown(const struct view *view, size_t end);

/* Appends a row as it fits into `columns`. */
void view_put_row(const struct row *row, size_t columns, struct perfdata_text *out);

#endif
