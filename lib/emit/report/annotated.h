/* SPDX-License-Identifier: MIT */
/* How annotated functions are written. */
#ifndef PD_EMIT_ANNOTATE_H
#define PD_EMIT_ANNOTATE_H

#include "annotate/annotate.h"
#include "emit/stacks/stack_gather.h"

struct annotate_options {
	const char *symbol;          /* functions with this name; NULL: the heaviest ones */
	uint64_t top;                /* at most so many functions; 0: all */
	uint64_t width;              /* of lines; 0: no limit */
	bool json, by_samples, color;
};

/* An event that has samples; sums have a pair for each. */
struct annotate_event {
	const char *name;
	bool is_time;
	bool is_precise;             /* addresses are of the instructions that caused the samples */
	uint64_t all[2];             /* samples, weight */
};

/* Of a row, by branch stacks. */
struct annotate_counts {
	uint64_t runs;               /* how often the instruction ran between two branches */
	uint64_t ended, cycles;      /* runs that ended with its branch, and the cycles from the branch before */
	uint64_t taken;              /* also where the branch before is not known */
	uint64_t back;               /* jumps backwards to here: a loop */
};

struct annotate_head {
	const struct annotate_options *options;
	const struct annotate_event *events;
	size_t nr_events;
	const char *file;            /* of the recording, where several share an output; or NULL */
	const struct perfdata_emit_end *end;
	struct pd_sources *sources;  /* or NULL: no texts of source files */
	/* without the texts that the recording has of BPF programs: nobody asked for source text */
	bool no_recorded_texts;
	const struct annotate_counts *counts;   /* by row of the function at hand; NULL: no branch stacks */
};

#define ANNOTATE_OPTIONS_SOURCE \
	{ .name = "source", \
	  .kind = PERFDATA_OPTION_TEXT, \
	  .argument = "DIR", \
	  .help = "show lines of source files below DIR, found by the longest end of their paths that DIR has" }, \
	{ .name = "map-path", \
	  .kind = PERFDATA_OPTION_TEXT, \
	  .argument = "OLD=NEW", \
	  .help = "source files recorded below OLD are below NEW in DIR of --source; may be given several times" }
/* The folder of these options; *ret is NULL where none is asked for. */
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
/* left_out: how many functions the document lacks since they did not fit; 0: none, and nothing is said of it. */
void pd_annotate_json_end(const struct annotate_head *head, size_t left_out, struct perfdata_text *out);

/* --- annotate_functions.c: the functions with samples, heaviest first --- */

struct annotate_functions;
/* Borrows the profile, which is finished. by_samples: what shares are of. */
enum perfdata_status pd_annotate_functions_new(const struct stack_gather *gather, bool by_samples,
					       struct annotate_functions **ret);
void pd_annotate_functions_free(struct annotate_functions *all);
const struct annotate_event *pd_annotate_functions_events(const struct annotate_functions *all, size_t *ret_nr);
/* Where a function with a name begins, as frames have it. */
struct annotate_place {
	uint32_t dso;
	uint64_t start;
};
struct annotate_place pd_annotate_functions_place(const struct annotate_functions *all, size_t number);
/* NULL: there are not so many. *ret_known: false for the code of a file that has no name, and
 * for time off the CPU, which has no code. */
const char *pd_annotate_functions_name(const struct annotate_functions *all, size_t number, bool *ret_known);
/* *ret lives until the next call. As pd_annotate. */
enum perfdata_status pd_annotate_functions_rows(struct annotate_functions *all, size_t number,
						struct pd_annotation *ret);
/* The same, with only the rows into which a function called `wanted` (see pd_stack_name_matches) is inlined.
 * PERFDATA_ABSENT: none of these has samples. */
enum perfdata_status pd_annotate_functions_inlined(struct annotate_functions *all, size_t number, const char *wanted,
						   struct pd_annotation *ret);

/* --- annotate_branches.c: how often instructions ran --- */

struct annotate_branches;
struct pd_branches;
/* Finishes `branches`, of PD_BRANCHES_FRAMES. *ret is NULL where no sample has a branch stack. */
enum perfdata_status pd_annotate_branches_new(struct pd_branches *branches, const struct stack_gather *gather,
					      struct annotate_branches **ret);
void pd_annotate_branches_free(struct annotate_branches *all);   /* NULL is fine */
/* *ret has an element for each row, and lives until the next call. */
enum perfdata_status pd_annotate_branches_count(struct annotate_branches *all, const struct annotate_place *place,
						const struct pd_annotation *annotation,
						const struct annotate_counts **ret);

#endif
