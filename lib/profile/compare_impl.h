/* SPDX-License-Identifier: MIT */
/* The members of a comparison, and the functions that make it. */
#ifndef PD_COMPARE_IMPL_H
#define PD_COMPARE_IMPL_H

#include "profile/baseline.h"

#define PD_BEFORE 0u
#define PD_AFTER 1u

/* If a larger share of the weight than this could change unnoticed, the verdict is never a pass. */
#define PD_MOST_BLIND 0.1

enum pd_quantity { PD_SELF, PD_INCLUSIVE, PD_QUANTITIES };

/* The limits of the options, with defaults filled in. */
struct pd_compare_limits {
	double increase, ratio, alpha, floor;   /* increase and floor: shares, from 0 to 1 */
	double total;                           /* a ratio; 0: the total is not judged */
	double dispersion;
};

/* The scale, by which the share after is divided, and how exact the scale is. */
struct pd_compare_measure {
	double scale;
	double variance;                        /* of the scale's logarithm, for samples that are independent */
	double fixed;                           /* further variance, which the dispersion does not multiply */
	bool apart;                             /* the scale was computed from samples of other keys */
	bool none;                              /* no other keys are left to measure this key by */
};

/* A key of both sides. */
struct pd_compare_key {
	const char *file, *name;
	const char *shown[2], *raw_names[2];    /* NULL: that side lacks the key */
	unsigned clones[2];
};

/* A row of an event: what callers of the library see (reported), and what only the comparison needs. */
struct pd_compare_row {
	struct perfdata_comparison_row reported;
	uint32_t key;
	struct pd_share_sums sums[PD_QUANTITIES][2];   /* by side */
	struct pd_share_sums *cells;            /* [quantity * recordings + recording], as in pd_compare_recording */
	bool unmatched;                         /* left out: the other side may have another name for it */
	bool judged[PD_QUANTITIES];
	struct pd_compare_measure measures[PD_QUANTITIES];
	double dispersion[PD_QUANTITIES];       /* variance between runs, as a multiple of independent samples' */
	double degrees[PD_QUANTITIES];          /* degrees of freedom of the dispersion; infinite: it counts as
						 * exactly known */
	double error[PD_QUANTITIES];            /* standard error of the delta */
	bool near_limit;                        /* it costs more, maybe by more than the limits */
	bool changes;                           /* the value of `changed` after this step of pd_compare_scale */
	bool changed;                           /* its self cost clearly changed: it is no measure for other keys */
	uint32_t nr_changed;                    /* number of changed rows among the row itself and its callees */
};

/* A call from a row to a row. */
struct pd_compare_edge {
	uint32_t caller, callee;
	double share[2];                        /* shares of the event's weight, by side */
};

struct pd_compare_event {
	struct perfdata_comparison_event reported;
	const struct pd_side_event **of;        /* by recording, as in pd_compare_recording; NULL: lacks the event */
	struct pd_share_sums all[2];
	struct pd_compare_row *rows;
	size_t nr_rows;
	struct pd_share_sums *cells;
	uint32_t *row_of;                       /* by key: index of its row + 1, until the rows are sorted */
	struct pd_compare_edge *edges;          /* sorted by caller, then callee */
	size_t nr_edges;
	uint32_t *by_callee;                    /* edges in the order of callees */
	uint32_t *first_down, *first_up;        /* by row: its first edge as caller, and in by_callee as callee */
	/* blind: the share of functions in which the comparison would miss a rise just beyond the limits; too_few: the
	 * factor of more samples that would reduce this share to PD_MOST_BLIND */
	double blind, too_few;
	bool little_matches;                    /* the sides are incomparable: files or functions have other names */
	bool shares_little;                     /* the sides have little in common, even if the user allows this */
	bool mixed;                             /* most keys changed: no key is measured by the rest */
	double unmeasured;                      /* share of the functions that leave too few others as a measure */
};

/* How much work the searches of a comparison may still do. Searches for what explains a change are made for few changed
 * functions, but a hostile baseline may claim that all functions changed and call each other. */
struct pd_compare_work {
	uint64_t left, since_check;             /* steps */
	const struct perfdata_cancel *cancel;
	enum perfdata_status status;            /* PERFDATA_ENOMEM: no steps left; PERFDATA_EINTR: cancelled */
};

struct perfdata_comparison {
	const struct perfdata_baseline *sides[2];
	struct pd_compare_work *work;           /* only while the comparison is made */
	const struct perfdata_comparison_options *options;   /* only while the comparison is made */
	struct pd_compare_limits limits;
	size_t nr_recordings[2];
	struct pd_intern *strings, *keys_known;
	struct pd_compare_key *keys;
	size_t nr_keys, keys_room;
	uint32_t *key_of[2];                    /* by the side's key; UINT32_MAX: the key does not count */
	struct pd_compare_event *events;
	size_t nr_events;
	struct perfdata_comparison_note *notes;
	size_t nr_notes, notes_room;
	bool self_only;                         /* inclusive weights cannot be compared */
	bool *rules_used;                       /* for each of same_files, same_comms, same_symbols */
	enum perfdata_verdict verdict;
	enum perfdata_status status;            /* PERFDATA_ENOMEM */
};

/* Copies the text into the comparison's memory (this function and those that follow: compare_notes.c). */
const char *pd_compare_keep(struct perfdata_comparison *comparison, const char *text);
/* is_reason: the note makes the sides incomparable, unless the user asked to compare despite it. */
void pd_compare_note(struct perfdata_comparison *comparison, const char *code, bool is_reason, const char *format, ...)
	PERFDATA_PRINTF(4, 5);
/* Returns recording number `index` of both sides; the recordings before come first. */
const struct pd_side_recording *pd_compare_recording(const struct perfdata_comparison *comparison, size_t index);
size_t pd_compare_nr(const struct perfdata_comparison *comparison);

/* Returns for each file of a side whether the other side has the same build-id, so that addresses in the file mean the
 * same on both (compare_keys.c). NULL without memory. */
bool *pd_compare_same_files(const struct perfdata_comparison *comparison, unsigned side);
/* Makes one list of the keys of both sides, with one entry for keys of equal names (compare_keys.c). */
bool pd_compare_unify(struct perfdata_comparison *comparison);
/* Fills in the edges of an event (compare_edges.c). */
bool pd_compare_connect(const struct perfdata_comparison *comparison, struct pd_compare_event *event);
/* Counts steps of a search. False if no more are left, or if the comparison is cancelled: the search ends, and the
 * status in `work` says why (this function and the next one: compare_work.c). */
bool pd_compare_spend(struct pd_compare_work *work, uint64_t steps);
/* Allows more steps, in proportion to the number of things to search. */
void pd_compare_allot(struct pd_compare_work *work, uint64_t parts);
/* Lists a row and all its direct and indirect callers; `seen`, by row, gets the mark of the search. Both arrays have
 * room for all rows. Returns 0 if the work ends. */
size_t pd_compare_callers(struct pd_compare_work *work, const struct pd_compare_event *event, uint32_t row,
			  uint32_t mark, uint32_t *seen, uint32_t *list);
/* Finds the scale of each key (compare_scale.c). False without memory, or if the work ends. */
bool pd_compare_scale(const struct perfdata_comparison *comparison, struct pd_compare_event *event);
/* Finds the dispersion of the event and of each row (compare_dispersion.c). */
void pd_compare_find_dispersion(const struct perfdata_comparison *comparison, struct pd_compare_event *event);
/* Compute numbers of a row (compare_numbers.c). */
double pd_compare_share(const struct pd_compare_event *event, const struct pd_compare_row *row,
			enum pd_quantity quantity, unsigned side);
double pd_compare_pooled(const struct pd_compare_event *event, const struct pd_compare_row *row,
			 enum pd_quantity quantity);
/* Returns the standard error of the delta of a row with the shares `before` and, divided by the scale, `after`. */
double pd_compare_error(const struct pd_compare_event *event, const struct pd_compare_row *row,
			enum pd_quantity quantity, double before, double after);
/* Returns the same for the shares that were measured. Few samples on a side give no variance, so then the error is that
 * of two shares equal to their mean. */
double pd_compare_measured_error(const struct pd_compare_event *event, const struct pd_compare_row *row,
				 enum pd_quantity quantity, double before, double after);
/* Adds notes about what makes the sides incomparable (comparability.c). */
void pd_compare_check(struct perfdata_comparison *comparison);
/* Adds notes if little of the weight lies in keys of both sides, and marks keys of one side (compare_match.c). False
 * without memory, or if the work ends. */
bool pd_compare_check_match(struct perfdata_comparison *comparison, struct pd_compare_event *event);
/* Computes the numbers of one event (compare_judge.c): scale, rows, states. */
bool pd_compare_judge(struct perfdata_comparison *comparison, struct pd_compare_event *event);
/* Finds rows that seem to have regressed, but whose weight only moved (cost_shift.c). False without memory, or if the
 * work ends. */
bool pd_compare_find_moved(struct perfdata_comparison *comparison, struct pd_compare_event *event);
/* Marks rows that cost more only because of what they call (compare_causes.c). False without memory, or if the work
 * ends. */
bool pd_compare_find_causes(struct perfdata_comparison *comparison, struct pd_compare_event *event);
/* Allows the callers of allowed keys, too. False if the work ends. */
bool pd_compare_allow_callers(struct pd_compare_work *work, struct pd_compare_event *event);
/* Applies the allow list (allow_list.c). False: a line is wrong, as the error says, or memory ran out. */
bool pd_compare_allow(struct perfdata_comparison *comparison, struct perfdata_error *reterr);

#endif
