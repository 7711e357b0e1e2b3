/* SPDX-License-Identifier: MIT */
/* A comparison while it is made. */
#ifndef PD_COMPARE_IMPL_H
#define PD_COMPARE_IMPL_H

#include "profile/baseline.h"

#define PD_BEFORE 0u
#define PD_AFTER 1u

/* Where a larger part of the weight than this could change without being seen, nothing passes. */
#define PD_MOST_BLIND 0.1

enum pd_quantity { PD_SELF, PD_INCLUSIVE, PD_QUANTITIES };

/* The limits of the options, with defaults filled in. */
struct pd_compare_limits {
	double increase, ratio, alpha, floor;   /* increase and floor as parts of 1 */
	double total;                           /* a ratio; 0: the total is not judged */
	double dispersion;
};

/* What the share after is divided by, and how exact that is. */
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
	const char *shown[2], *raw_names[2];    /* NULL: not on that side */
	unsigned clones[2];
};

/* A row of an event: what callers of the library see (reported), and what only the comparison needs. */
struct pd_compare_row {
	struct perfdata_comparison_row reported;
	uint32_t key;
	struct pd_share_sums sums[PD_QUANTITIES][2];   /* by side */
	struct pd_share_sums *cells;            /* [quantity * recordings + recording], recordings before first */
	bool unmatched;                         /* left out: the other side may have another name for it */
	bool judged[PD_QUANTITIES];
	struct pd_compare_measure measures[PD_QUANTITIES];
	double dispersion[PD_QUANTITIES];       /* how much more runs differ than independent samples would */
	double degrees[PD_QUANTITIES];          /* degrees of freedom of that dispersion; infinite: it counts as known
						 * exactly */
	double error[PD_QUANTITIES];            /* standard error of the delta */
	bool near_limit;                        /* it costs more, and it is unsure whether by more than the limits */
	bool changes;                           /* `changed` after this step of pd_compare_scale */
	bool changed;                           /* its own cost clearly changed: other keys are not measured by it */
	uint32_t nr_changed;                    /* number of such rows among the row itself and its callees */
};

/* A call: the rows of caller and callee. */
struct pd_compare_edge {
	uint32_t caller, callee;
	double share[2];                        /* of the event's weight */
};

struct pd_compare_event {
	struct perfdata_comparison_event reported;
	const struct pd_side_event **of;        /* by recording, those before first; NULL: the recording lacks it */
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
	bool little_matches;                    /* the sides are incomparable, as files or functions have other names */
	bool shares_little;                     /* the sides have little in common, also where that is allowed */
	bool mixed;                             /* most keys changed: no key is measured by the rest */
	double unmeasured;                      /* share of the functions that leave too few others to compare to */
};

/* How much work the searches of a comparison may still do. A stored baseline may come from anywhere, and may claim that
 * all of its functions changed and call each other; the searches for what explains a change are meant for few. */
struct pd_compare_work {
	uint64_t left, since_check;             /* steps */
	const struct perfdata_cancel *cancel;
	enum perfdata_status status;            /* PERFDATA_ENOMEM: none left; PERFDATA_EINTR: cancelled */
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
/* Recording number `index` of both sides; the recordings before come first. */
const struct pd_side_recording *pd_compare_recording(const struct perfdata_comparison *comparison, size_t index);
size_t pd_compare_nr(const struct perfdata_comparison *comparison);

/* By file of a side: whether the other side has a file with the same build-id, so that an address means the same on
 * both (compare_keys.c). NULL without memory. */
bool *pd_compare_same_files(const struct perfdata_comparison *comparison, unsigned side);
/* Makes one list of both sides' keys, where keys with the same names are one (compare_keys.c). */
bool pd_compare_unify(struct perfdata_comparison *comparison);
/* Fills in the edges of an event (compare_edges.c). */
bool pd_compare_connect(const struct perfdata_comparison *comparison, struct pd_compare_event *event);
/* Counts steps of a search. False if no more are left, or if the comparison is cancelled: the search ends, and the
 * status in `work` says why (this function and the next one: compare_work.c). */
bool pd_compare_spend(struct pd_compare_work *work, uint64_t steps);
/* Gives the searches more steps, in proportion to what there is to search. */
void pd_compare_allot(struct pd_compare_work *work, uint64_t parts);
/* Lists a row and all that call it, also through others; `seen`, by row, gets the mark of the search. Both arrays have
 * room for all rows. Returns 0 if the work ends. */
size_t pd_compare_callers(struct pd_compare_work *work, const struct pd_compare_event *event, uint32_t row,
			  uint32_t mark, uint32_t *seen, uint32_t *list);
/* Finds what the shares after are measured by (compare_scale.c). False without memory, or if the work ends. */
bool pd_compare_scale(const struct perfdata_comparison *comparison, struct pd_compare_event *event);
/* Finds the dispersion of the event and of each row (compare_dispersion.c). */
void pd_compare_find_dispersion(const struct perfdata_comparison *comparison, struct pd_compare_event *event);
/* Numbers of a row (compare_numbers.c). */
double pd_compare_share(const struct pd_compare_event *event, const struct pd_compare_row *row,
			enum pd_quantity quantity, unsigned side);
double pd_compare_pooled(const struct pd_compare_event *event, const struct pd_compare_row *row,
			 enum pd_quantity quantity);
/* The standard error of the delta of a row whose shares are `before` and, in comparable form, `after`. */
double pd_compare_error(const struct pd_compare_event *event, const struct pd_compare_row *row,
			enum pd_quantity quantity, double before, double after);
/* Adds notes about what makes the sides incomparable (comparability.c). */
void pd_compare_check(struct perfdata_comparison *comparison);
/* Adds notes where little of the weight lies in keys that both sides have, and marks the others (compare_match.c).
 * False without memory, or if the work ends. */
bool pd_compare_check_match(struct perfdata_comparison *comparison, struct pd_compare_event *event);
/* Computes the numbers of one event (compare_judge.c): scale, rows, states. */
bool pd_compare_judge(struct perfdata_comparison *comparison, struct pd_compare_event *event);
/* Finds rows that seem to have regressed, but whose weight only moved (cost_shift.c). False without memory, or if the
 * work ends. */
bool pd_compare_find_moved(struct perfdata_comparison *comparison, struct pd_compare_event *event);
/* Marks rows that cost more only because of what they call (compare_causes.c). False without memory, or if the work
 * ends. */
bool pd_compare_find_causes(struct perfdata_comparison *comparison, struct pd_compare_event *event);
/* Lets what calls an allowed key be allowed, too. False if the work ends. */
bool pd_compare_allow_callers(struct pd_compare_work *work, struct pd_compare_event *event);
/* Applies the allow list (allow_list.c). False: a line is wrong, as the error says, or memory ran out. */
bool pd_compare_allow(struct perfdata_comparison *comparison, struct perfdata_error *reterr);

#endif
