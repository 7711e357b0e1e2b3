/* SPDX-License-Identifier: MIT */
/* A comparison while it is made. */
#ifndef PD_COMPARE_IMPL_H
#define PD_COMPARE_IMPL_H

#include "profile/baseline.h"

#define PD_BEFORE 0u
#define PD_AFTER 1u

enum pd_quantity { PD_SELF, PD_INCLUSIVE, PD_QUANTITIES };

/* What the options say, with their defaults. */
struct pd_compare_limits {
	double increase, ratio, alpha, floor;   /* increase and floor as parts of 1 */
	double total;                           /* 0: not judged; a ratio */
	double dispersion;
};

/* A key of both sides. */
struct pd_compare_key {
	const char *file, *name;
	const char *shown[2], *raw_names[2];    /* NULL: not on that side */
	unsigned clones[2];
};

/* A row of an event, beside what is told of it. */
struct pd_compare_row {
	struct perfdata_comparison_row told;
	uint32_t key;
	struct pd_share_sums sums[PD_QUANTITIES][2];   /* by side */
	struct pd_share_sums *cells;            /* [quantity * recordings + recording], those before first */
	bool judged[PD_QUANTITIES];
	double error[PD_QUANTITIES];            /* standard error of the delta */
};

/* A call, by rows. */
struct pd_compare_edge {
	uint32_t caller, callee;
	double share[2];                        /* of the event's weight, as compared */
};

struct pd_compare_event {
	struct perfdata_comparison_event told;
	const struct pd_side_event **of;        /* by recording, those before first; NULL: it has no such event */
	struct pd_share_sums all[2];
	struct pd_compare_row *rows;
	size_t nr_rows;
	struct pd_share_sums *cells;
	uint32_t *row_of;                       /* by key: its number + 1, as rows stood while they were filled */
	struct pd_compare_edge *edges;          /* by caller and callee */
	size_t nr_edges;
	/* shares of what is judged for which nothing, and something, could have been shown */
	double blind, seen;
};

struct perfdata_comparison {
	const struct perfdata_baseline *sides[2];
	const struct perfdata_comparison_options *options;   /* while it is made */
	struct pd_compare_limits limits;
	size_t nr_recordings[2];
	struct pd_intern *strings, *keys_known;
	struct pd_compare_key *keys;
	size_t nr_keys, keys_room;
	uint32_t *key_of[2];                    /* by the side's key; UINT32_MAX: it does not count */
	struct pd_compare_event *events;
	size_t nr_events;
	struct perfdata_comparison_note *notes;
	size_t nr_notes, notes_room;
	bool self_only;                         /* inclusive weights cannot be compared */
	enum perfdata_verdict verdict;
	enum perfdata_status status;            /* PERFDATA_ENOMEM */
};

/* The text in the comparison's own memory (this and what follows: compare_notes.c). */
const char *pd_compare_keep(struct perfdata_comparison *comparison, const char *text);
/* is_reason: unless the user said that it is none. */
void pd_compare_note(struct perfdata_comparison *comparison, const char *code, bool is_reason, const char *format, ...)
	PERFDATA_PRINTF(4, 5);
/* Recording number `index` of both sides, those before first. */
const struct pd_side_recording *pd_compare_recording(const struct perfdata_comparison *comparison, size_t index);
size_t pd_compare_nr(const struct perfdata_comparison *comparison);

/* Keys of both sides (compare_keys.c). */
bool pd_compare_unify(struct perfdata_comparison *comparison);
/* Notes about what makes the sides incomparable (comparability.c). */
void pd_compare_check(struct perfdata_comparison *comparison);
/* Numbers of one event (compare_judge.c): scale, rows, states. */
bool pd_compare_judge(struct perfdata_comparison *comparison, struct pd_compare_event *event);
/* What regressed, and only moved (cost_shift.c). */
bool pd_compare_find_moved(struct perfdata_comparison *comparison, struct pd_compare_event *event);
/* Rules of the allow list (allow_list.c). False: a line is wrong; the error says so. */
bool pd_compare_allow(struct perfdata_comparison *comparison, struct perfdata_error *reterr);

#endif
