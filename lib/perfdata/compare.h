/* SPDX-License-Identifier: MIT */
/* Comparing recordings: what costs more than before, by more than noise?
 *
 * A side is a perfdata_baseline: one recording or several repeat runs. Each is a text that the emitter `baseline` wrote
 * (perfdata_convert); perfdata_baseline_write puts all recordings of a side into one text. A key is the thing whose
 * cost is compared: a function of a file, a file, a thread …
 *
 *   per recording   perfdata_convert(…, "baseline", …) to a memory output; perfdata_baseline_add(side, bytes)
 *   then            perfdata_compare(before, after, options): rows, notes, a verdict
 *
 * Results depend on the two sides and the options alone. A handle belongs to one thread; a comparison may be read by
 * several. */
#ifndef PERFDATA_COMPARE_H
#define PERFDATA_COMPARE_H

#include "perfdata/base.h"
#include "perfdata/text.h"

#ifdef __cplusplus
extern "C" {
#endif

/* --- sides -------------------------------------------------------------------------------------------------------- */

struct perfdata_baseline;

PERFDATA_API struct perfdata_baseline *perfdata_baseline_new(void);   /* NULL without memory */
PERFDATA_API void perfdata_baseline_free(struct perfdata_baseline *baseline);
/* Adds the recordings of a text; the side copies them. PERFDATA_EFORMAT with the line that is wrong; PERFDATA_EUSAGE:
 * the text has keys of another kind (`--by`) than the side so far; PERFDATA_ENOMEM. After a failure the side may only
 * be freed. */
PERFDATA_API enum perfdata_status perfdata_baseline_add(struct perfdata_baseline *baseline, const void *bytes,
							size_t size, struct perfdata_error *reterr);
/* The same for a file, compressed or not, of at most `max_size` bytes (0: no limit). `cancel` ends waiting for a pipe
 * (NULL: nothing does). PERFDATA_ABSENT: it is no baseline, perhaps a recording. PERFDATA_EREAD, PERFDATA_ELIMIT,
 * PERFDATA_EINTR. */
PERFDATA_API enum perfdata_status perfdata_baseline_read(struct perfdata_baseline *baseline, const char *path,
							 uint64_t max_size, const struct perfdata_cancel *cancel,
							 struct perfdata_error *reterr);
/* The side as one text. Fails as perfdata_text does. */
PERFDATA_API void perfdata_baseline_write(const struct perfdata_baseline *baseline, struct perfdata_text *out);
/* The kind of the keys: "symbol", "dso", …; "" before the first recording. Borrowed. */
PERFDATA_API const char *perfdata_baseline_by(const struct perfdata_baseline *baseline);

struct perfdata_baseline_recording {
	const char *name;                /* as it was opened */
	uint64_t duration;               /* ns from the first sample to the last */
	uint64_t lost_records, lost_samples;
	bool complete;                   /* the whole recording could be read */
	bool has_inlines;                /* inlined functions are keys of their own somewhere */
};
/* Recording number `index`; NULL if there are fewer. Borrowed until the next is added. */
PERFDATA_API const struct perfdata_baseline_recording *perfdata_baseline_recording(
	const struct perfdata_baseline *baseline, size_t index);

/* --- options ------------------------------------------------------------------------------------------------------ */

enum perfdata_normalize {
	/* shares as multiples of the rest that did not change: one key that costs more makes no other look cheaper */
	PERFDATA_NORMALIZE_SCALED,
	PERFDATA_NORMALIZE_SHARE,        /* shares of each side's weight */
	PERFDATA_NORMALIZE_UNIT,         /* weight per unit of work; needs units */
};
enum perfdata_adjust { PERFDATA_ADJUST_HOLM, PERFDATA_ADJUST_BH, PERFDATA_ADJUST_NONE };
enum perfdata_quantities { PERFDATA_SELF_AND_INCLUSIVE, PERFDATA_SELF_ONLY, PERFDATA_INCLUSIVE_ONLY };

/* Codes of notes that make sides incomparable, or a comparison inconclusive. */
#define PERFDATA_COMPARISON_REASONS                                                                                 \
	"event|modifiers|weight|frequency|machine|kernel|kernel-samples|names|matched|no-common-event|few-samples|" \
	"near-limit|nothing-else|same-run"
/* In all numbers 0 means the default; PERFDATA_ZERO means 0. */
#define PERFDATA_ZERO (-1.0)
struct perfdata_comparison_options {
	size_t size;
	enum perfdata_normalize normalize;
	enum perfdata_adjust adjust;
	enum perfdata_quantities quantities;
	double max_increase;             /* percentage points; default 1 */
	double max_ratio;                /* after : before; default 1.1 */
	double alpha;                    /* of the adjusted p; default 0.01 */
	/* in percent: keys that are smaller on both sides are not judged; default 1 */
	double min_share;
	/* how far the weight per unit of work may grow, in percent; 0: it is not judged */
	double max_total;
	/* assumed ratio of the variance between runs to the variance of independent samples. Sides of one recording use
	 * it alone; with repeat runs it weighs as one degree of freedom, added to the degrees that the runs of all keys
	 * have; default 5 */
	double dispersion;
	/* Units of work (requests, rows, frames) of each side: one number for each recording, or one for all of
	 * them. */
	const double *units[2];
	size_t nr_units[2];
	/* "OLD=NEW": OLD on the side before is the same as NEW on the side after. Functions, files, threads. */
	const char *const *same_symbols, *const *same_files, *const *same_comms;
	size_t nr_same_symbols, nr_same_files, nr_same_comms;
	/* the text of an allow list (lines: EVENT-GLOB TAB KEY-GLOB TAB LIMIT TAB REASON); may be NULL */
	const char *allow;
	const char *const *despite; /* of PERFDATA_COMPARISON_REASONS, what shall be none; "all" */
	size_t nr_despite;
	const struct perfdata_cancel *cancel;   /* the comparison ends early with PERFDATA_EINTR; may be NULL */
};

/* --- what comes out ----------------------------------------------------------------------------------------------- */

enum perfdata_verdict {
	PERFDATA_VERDICT_PASS, PERFDATA_VERDICT_FAIL,
	/* nothing seen to regress, and keys of more than a tenth of the weight could have: a note says why */
	PERFDATA_VERDICT_INCONCLUSIVE,
	PERFDATA_VERDICT_INCOMPARABLE,   /* a note says why */
};
enum perfdata_change {
	PERFDATA_CHANGE_NOT_JUDGED,      /* smaller than min_share */
	PERFDATA_CHANGE_SAME,
	PERFDATA_CHANGE_NOISE,           /* over the limits, and no larger than its noise */
	PERFDATA_CHANGE_UNMATCHED,       /* on one side only, and so much is that the sides may have other names */
	PERFDATA_CHANGE_IMPROVED,
	PERFDATA_CHANGE_MOVED,           /* weight moved from one function to another: inlining */
	PERFDATA_CHANGE_ALLOWED,         /* the key regressed, and a rule of the allow list covers it */
	PERFDATA_CHANGE_REGRESSED,
};
/* "pass", "fail", …; "regressed", "noise", … Static storage. */
PERFDATA_API const char *perfdata_verdict_name(enum perfdata_verdict verdict);
PERFDATA_API const char *perfdata_change_name(enum perfdata_change change);

/* One quantity of a key: its own cost (self), or with the functions that it calls (inclusive). [0] before, [1]
 * after. */
struct perfdata_compared {
	uint64_t samples[2], weight[2];
	double share[2];                 /* of the side's weight: 0 to 1 */
	/* share[1] in comparable form: divided by the scale of what the key is measured by, the rest that did not
	 * change */
	double compared;
	double delta;                    /* compared - share[0] */
	/* compared / share[0]; infinite for a new key, 1 if both are 0 */
	double ratio;
	double p, adjusted_p;            /* 1 for a key that is not judged */
	double dispersion;
	/* the smallest rise beyond the limits that these samples would have shown (with a power of 80 %); infinite if
	 * none would, as nothing else is left to measure the key by */
	double visible;
	enum perfdata_change change;
};
struct perfdata_comparison_row {
	const char *key;                 /* normalized: the function, thread, …; unique with `file` in its event */
	const char *file;                /* normalized, or "" */
	const char *names[2];            /* as recorded, the heaviest of each side; NULL: the side lacks the key */
	const char *raw_names[2];        /* mangled */
	unsigned clones[2];              /* how many names became this key */
	struct perfdata_compared self, inclusive;
	enum perfdata_change change;     /* the worse of the judged quantities */
	const char *reason;              /* of ALLOWED and MOVED; else NULL */
	/* the key of a row that this one calls and that explains its rise; NULL: none, the rise is its own */
	const char *cause;
};
struct perfdata_compared_side {
	uint64_t recordings, samples, weight;
	uint64_t named_weight;           /* weight at addresses with a name */
	double units;                    /* units of all recordings together; 0: unknown */
};
struct perfdata_comparison_event {
	const char *name;
	struct perfdata_compared_side sides[2];
	bool is_time;                    /* weights are nanoseconds */
	bool has_stacks;                 /* inclusive is more than self, on both sides */
	/* factor by which changed keys moved the shares of unchanged keys; a key that may or may not have changed is
	 * measured against all other keys, see `compared` */
	double scale;
	double dispersion;               /* over all keys */
	bool dispersion_known;           /* from repeat runs, not assumed */
	size_t nr_judged;                /* tests for which p values are adjusted */
	/* weight per unit of work, where units are known */
	bool has_total;
	double total_ratio, total_p;
	enum perfdata_change total_change;
	size_t nr_rows;
};
/* Something to know about the two sides, before any verdict. */
struct perfdata_comparison_note {
	const char *code;                /* such as "machine"; stable */
	const char *message;             /* one line */
	bool is_reason;                  /* a reason for the verdict `incomparable` or `inconclusive` */
};

struct perfdata_comparison;
/* PERFDATA_EUSAGE: a wrong option, with a message; a side without recordings; sides with keys of different kinds.
 * PERFDATA_ENOMEM. The comparison copies what it needs. */
PERFDATA_API enum perfdata_status perfdata_compare(const struct perfdata_baseline *before,
						   const struct perfdata_baseline *after,
						   const struct perfdata_comparison_options *options,
						   struct perfdata_comparison **ret, struct perfdata_error *reterr);
PERFDATA_API void perfdata_comparison_free(struct perfdata_comparison *comparison);
PERFDATA_API enum perfdata_verdict perfdata_comparison_verdict(const struct perfdata_comparison *comparison);
/* By index; NULL if there are fewer. Reasons come first; rows by the size of their change, then by file and key.
 * Borrowed. */
PERFDATA_API const struct perfdata_comparison_note *perfdata_comparison_note(
	const struct perfdata_comparison *comparison, size_t index);
PERFDATA_API const struct perfdata_comparison_event *perfdata_comparison_event(
	const struct perfdata_comparison *comparison, size_t index);
PERFDATA_API const struct perfdata_comparison_row *perfdata_comparison_row(const struct perfdata_comparison *comparison,
									   size_t event, size_t row);

#ifdef __cplusplus
}
#endif

#endif
