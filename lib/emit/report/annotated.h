/* SPDX-License-Identifier: MIT */
/* Writes annotated functions. */
#ifndef PD_EMIT_ANNOTATE_H
#define PD_EMIT_ANNOTATE_H

#include "annotate/annotate.h"
#include "emit/stacks/stack_gather.h"

struct annotate_options {
	const char *symbol;          /* only functions with this name; NULL: the heaviest functions */
	uint64_t top;                /* maximum number of functions; 0: all */
	uint64_t width;              /* limit of the width of lines; 0: none */
	bool json, by_samples, color;
};

/* An event with samples. Sums have a pair for each event. */
struct annotate_event {
	const char *name;
	bool is_time;
	bool is_precise;             /* addresses are those of the instructions that caused the samples */
	uint64_t all[2];             /* samples, weight */
};

/* Counts of a row, from branch stacks. */
struct annotate_counts {
	uint64_t runs;               /* executions between two branches */
	/* executions that ended with this row's branch, and cycles since the branch before */
	uint64_t ended, cycles;
	uint64_t taken;              /* also branches without a known branch before */
	uint64_t back;               /* backward jumps to this row: a loop */
};

struct annotate_head {
	const struct annotate_options *options;
	const struct annotate_event *events;
	size_t nr_events;
	const char *file;            /* the recording's file if several share an output; or NULL */
	const struct perfdata_emit_end *end;
	struct pd_sources *sources;  /* NULL: print no lines of source files */
	bool no_recorded_texts;      /* omit source text of BPF programs in the recording, unless --source is given */
	const struct annotate_counts *counts;   /* by row of the current function; NULL: no branch stacks */
};

#define ANNOTATE_OPTIONS_SOURCE \
	{ .name = "source", \
	  .kind = PERFDATA_OPTION_TEXT, \
	  .argument = "DIR", \
	  .help = "print lines of source files from DIR, found by the longest matching end of their paths" }, \
	{ .name = "map-path", \
	  .kind = PERFDATA_OPTION_TEXT, \
	  .argument = "OLD=NEW", \
	  .help = "files recorded below OLD are below NEW in DIR of --source; may be given several times" }
/* The folder of sources in the options; *ret is NULL if there is none. */
enum perfdata_status pd_annotate_sources(const struct perfdata_emit_context *context, struct pd_sources **ret);

/* The text of a row's source line; NULL: there is none. Valid until the next call. */
const char *pd_annotate_line_text(const struct annotate_head *head, const struct pd_annotate_row *row,
				  size_t *ret_size);
void pd_annotate_text_head(const struct annotate_head *head, struct perfdata_text *out);
/* False without memory. */
bool pd_annotate_text(const struct annotate_head *head, const struct pd_annotation *annotation,
		      struct perfdata_text *out);
void pd_annotate_json_head(const struct annotate_head *head, struct perfdata_text *out);
void pd_annotate_json(const struct annotate_head *head, const struct pd_annotation *annotation, bool first,
		      struct perfdata_text *out);
/* left_out: number of functions that did not fit; 0: none, and the document does not say it. */
void pd_annotate_json_end(const struct annotate_head *head, size_t left_out, struct perfdata_text *out);

/* --- annotate_functions.c: the functions with samples, heaviest first --- */

struct annotate_functions;
/* Borrows the profile, which is finished. by_samples: shares are of samples, not of weight. */
enum perfdata_status pd_annotate_functions_new(const struct stack_gather *gather, bool by_samples,
					       struct annotate_functions **ret);
void pd_annotate_functions_free(struct annotate_functions *all);
const struct annotate_event *pd_annotate_functions_events(const struct annotate_functions *all, size_t *ret_nr);
/* Start of a function with a name, as in frames. */
struct annotate_place {
	uint32_t dso;
	uint64_t start;
};
struct annotate_place pd_annotate_functions_place(const struct annotate_functions *all, size_t number);
/* NULL: there are fewer functions. *ret_known: false for the unnamed code of a file, and for time off the CPU. */
const char *pd_annotate_functions_name(const struct annotate_functions *all, size_t number, bool *ret_known);
/* *ret is borrowed until the next call. Errors as pd_annotate. */
enum perfdata_status pd_annotate_functions_rows(struct annotate_functions *all, size_t number,
						struct pd_annotation *ret);
/* As pd_annotate_functions_rows, but only rows into which a function called `wanted` (see pd_stack_name_matches) is
 * inlined. PERFDATA_ABSENT: none of these rows has samples. */
enum perfdata_status pd_annotate_functions_inlined(struct annotate_functions *all, size_t number, const char *wanted,
						   struct pd_annotation *ret);

/* --- annotate_branches.c: how often instructions were executed --- */

struct annotate_branches;
struct pd_branches;
/* Finishes `branches` (PD_BRANCHES_FRAMES). *ret is NULL if no sample has a branch stack. */
enum perfdata_status pd_annotate_branches_new(struct pd_branches *branches, const struct stack_gather *gather,
					      struct annotate_branches **ret);
void pd_annotate_branches_free(struct annotate_branches *all);   /* NULL is fine */
/* *ret has an element for each row; borrowed until the next call. */
enum perfdata_status pd_annotate_branches_count(struct annotate_branches *all, const struct annotate_place *place,
						const struct pd_annotation *annotation,
						const struct annotate_counts **ret);

#endif
