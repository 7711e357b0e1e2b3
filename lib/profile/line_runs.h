/* SPDX-License-Identifier: MIT */
/* Sorted runs of lines of labels in a temporary file, and their merge. A line in the file has only the labels that
 * differ from the line before, as varints. */
#ifndef PD_LINE_RUNS_H
#define PD_LINE_RUNS_H

#include "profile/line_sums.h"

struct pd_line_runs;
struct pd_line_runs *pd_line_runs_new(struct pd_account *account);   /* NULL without memory */
void pd_line_runs_free(struct pd_line_runs *runs);
/* Write a run: begin, add each line in order, end. PERFDATA_ENOMEM, PERFDATA_EWRITE. */
enum perfdata_status pd_line_runs_begin(struct pd_line_runs *runs);
enum perfdata_status pd_line_runs_add(struct pd_line_runs *runs, const struct pd_line *line);
enum perfdata_status pd_line_runs_end(struct pd_line_runs *runs);
/* Begins the merge of all runs; the ranks are borrowed. PERFDATA_ENOMEM, PERFDATA_EREAD. */
enum perfdata_status pd_line_runs_merge(struct pd_line_runs *runs, const struct pd_label_ranks *ranks);
/* Returns the next line: equal lines of several runs are one. PERFDATA_END, PERFDATA_EREAD. */
enum perfdata_status pd_line_runs_next(struct pd_line_runs *runs, struct pd_line *ret);

#endif
