/* SPDX-License-Identifier: MIT */
/* A comparison while it is made. */
#ifndef PD_COMPARE_IMPL_H
#define PD_COMPARE_IMPL_H

#include "profile/baseline.h"

#define PD_BEFORE 0u
#define PD_AFTER 1u

enum pd_quantity { PD_SELF, PD_INCLUSIVE, PD_QUANTITIES };

/* The limits of the options, with defaults filled in. */
struct pd_compare_limits {
	double increase, ratio, alpha, floor;   /* increase and floor as parts of 1 */
	double total;                           /* a ratio; 0: the total is not judged */
	double dispersion;
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
	bool judged[PD_QUANTITIES];
	double error[PD_QUANTITIES];            /* standard error of the delta */
	double sure[PD_QUANTITIES];             /* of the delta: what holds by the median of ratios too */
};

/* A call: the rows of caller and callee. */
struct pd_compare_edge {
	uint32_t caller, callee;
	double share[2];                        /* of the event's weight; that after is divided by the scale */
};

struct pd_compare_event {
	struct perfdata_comparison_event reported;
	const struct pd_side_event **of;        /* by recording, those before first; NULL: the recording lacks it */
	struct pd_share_sums all[2];
	/* the median of ratios, and the standard error of its logarithm; 0: unknown */
	double likely_scale, scale_error;
	struct pd_compare_row *rows;
	size_t nr_rows;
	struct pd_share_sums *cells;
	uint32_t *row_of;                       /* by key: index of its row + 1, until the rows are sorted */
	struct pd_compare_edge *edges;          /* sorted by caller, then callee */
	size_t nr_edges;
	/* sums of shares of judged rows: of those where a change of twice the limits would have been missed, and of
	 * others */
	double blind, seen;
};

struct perfdata_comparison {
	const struct perfdata_baseline *sides[2];
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

/* Makes one list of both sides' keys, where keys with the same names are one (compare_keys.c). */
bool pd_compare_unify(struct perfdata_comparison *comparison);
/* Adds notes about what makes the sides incomparable (comparability.c). */
void pd_compare_check(struct perfdata_comparison *comparison);
/* Computes the numbers of one event (compare_judge.c): scale, rows, states. */
bool pd_compare_judge(struct perfdata_comparison *comparison, struct pd_compare_event *event);
/* Finds rows that seem to have regressed, but whose weight only moved (cost_shift.c). */
bool pd_compare_find_moved(struct perfdata_comparison *comparison, struct pd_compare_event *event);
/* Applies the allow list (allow_list.c). False: a line is wrong, as the error says, or memory ran out. */
bool pd_compare_allow(struct perfdata_comparison *comparison, struct perfdata_error *reterr);

#endif
