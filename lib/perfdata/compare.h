/* SPDX-License-Identifier: MIT */
/* Compares recordings: which costs rose by more than noise?
 *
 * A side is a perfdata_baseline: one recording or several repeat runs. Each is a text that the emitter `baseline` wrote
 * (perfdata_convert); perfdata_baseline_write puts all recordings of a side into one text. A key is what has a cost: a
 * function of a file, a file, a thread …
 *
 *   per recording   perfdata_convert(…, "baseline", …) to a memory output; perfdata_baseline_add(side, bytes)
 *   then            perfdata_compare(before, after, options): rows, notes, a verdict
 *
 * Results depend on the two sides and the options alone. One thread at a time uses a baseline; any number of threads
 * may read a finished comparison. */
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
/* Adds the recordings in a text; the side copies them. PERFDATA_EFORMAT with the number of the wrong line;
 * PERFDATA_EUSAGE: the text and the side have different kinds of keys (`--by`); PERFDATA_ENOMEM. After a failure only
 * perfdata_baseline_free may be called. */
PERFDATA_API enum perfdata_status perfdata_baseline_add(struct perfdata_baseline *baseline, const void *bytes,
							size_t size, struct perfdata_error *reterr);
/* As perfdata_baseline_add, for a file, compressed or not, of at most `max_size` bytes (0: no limit). `cancel` (may be
 * NULL) ends waiting for a pipe with PERFDATA_EINTR. PERFDATA_ABSENT: the file is no baseline; it may be a recording.
 * PERFDATA_EREAD, PERFDATA_ELIMIT. */
PERFDATA_API enum perfdata_status perfdata_baseline_read(struct perfdata_baseline *baseline, const char *path,
							 uint64_t max_size, const struct perfdata_cancel *cancel,
							 struct perfdata_error *reterr);
/* Appends the whole side as one text. Test perfdata_text_failed afterwards. */
PERFDATA_API void perfdata_baseline_write(const struct perfdata_baseline *baseline, struct perfdata_text *out);
/* The kind of the keys: "symbol", "dso", …; "" before the first recording. Borrowed. */
PERFDATA_API const char *perfdata_baseline_by(const struct perfdata_baseline *baseline);

struct perfdata_baseline_recording {
	const char *name;                /* path as opened */
	uint64_t duration;               /* ns from the first sample to the last */
	uint64_t lost_records, lost_samples;
	bool complete;                   /* all of the recording could be read */
	bool has_inlines;                /* at least one inlined function is a key */
};
/* Recording number `index`; NULL if there are fewer. Borrowed until the next recording is added. */
PERFDATA_API const struct perfdata_baseline_recording *perfdata_baseline_recording(
	const struct perfdata_baseline *baseline, size_t index);

/* --- options ------------------------------------------------------------------------------------------------------ */

enum perfdata_normalize {
	/* shares are divided by the share of the unchanged keys, so that one more expensive key makes no other key look
	 * cheaper */
	PERFDATA_NORMALIZE_SCALED,
	PERFDATA_NORMALIZE_SHARE,        /* shares of each side's weight */
	PERFDATA_NORMALIZE_UNIT,         /* weight per unit of work; needs units */
};
enum perfdata_adjust { PERFDATA_ADJUST_HOLM, PERFDATA_ADJUST_BH, PERFDATA_ADJUST_NONE };
enum perfdata_quantities { PERFDATA_SELF_AND_INCLUSIVE, PERFDATA_SELF_ONLY, PERFDATA_INCLUSIVE_ONLY };

/* Codes of the notes that can make the verdict `incomparable` or `inconclusive`. */
#define PERFDATA_COMPARISON_REASONS                                                                                 \
	"event|modifiers|weight|frequency|machine|kernel|kernel-samples|names|matched|no-common-event|few-samples|" \
	"near-limit|nothing-else|same-run"
/* 0 in a number means its default; PERFDATA_ZERO means 0. */
#define PERFDATA_ZERO (-1.0)
struct perfdata_comparison_options {
	size_t size;
	enum perfdata_normalize normalize;
	enum perfdata_adjust adjust;
	enum perfdata_quantities quantities;
	double max_increase;             /* percentage points; default 1 */
	double max_ratio;                /* after : before; default 1.1 */
	double alpha;                    /* significance level of the adjusted p; default 0.01 */
	/* percent of the weight: a key that has less on both sides is not judged; default 1 */
	double min_share;
	/* limit of the rise of the weight per unit of work, in percent; 0: this rise is not judged */
	double max_total;
	/* assumed ratio of the variance between runs to the variance of independent samples; default 5. With one
	 * recording on each side only this ratio counts. With repeat runs it is averaged with the measured ratios and
	 * weighs one degree of freedom. */
	double dispersion;
	/* Units of work (requests, rows, frames) of each side: one number for each recording, or one for all of
	 * them. */
	const double *units[2];
	size_t nr_units[2];
	/* "OLD=NEW": the key OLD before and the key NEW after are one key */
	const char *const *same_symbols, *const *same_files, *const *same_comms;
	size_t nr_same_symbols, nr_same_files, nr_same_comms;
	/* the text of an allow list (lines: EVENT-GLOB TAB KEY-GLOB TAB LIMIT TAB REASON); may be NULL */
	const char *allow;
	const char *const *despite; /* codes of PERFDATA_COMPARISON_REASONS that must not decide the verdict; "all" */
	size_t nr_despite;
	const struct perfdata_cancel *cancel;   /* the comparison ends early with PERFDATA_EINTR; may be NULL */
};

/* --- what comes out ----------------------------------------------------------------------------------------------- */

enum perfdata_verdict {
	PERFDATA_VERDICT_PASS, PERFDATA_VERDICT_FAIL,
	/* nothing regressed, but a regression of keys with more than a tenth of the weight could have been missed; a
	 * note says why */
	PERFDATA_VERDICT_INCONCLUSIVE,
	PERFDATA_VERDICT_INCOMPARABLE,   /* the sides cannot be compared; a note says why */
};
enum perfdata_change {
	PERFDATA_CHANGE_NOT_JUDGED,      /* its share is below min_share */
	PERFDATA_CHANGE_SAME,
	PERFDATA_CHANGE_NOISE,           /* above the limits, but not significant */
	/* the key exists on one side only, and may have another name on the other side */
	PERFDATA_CHANGE_UNMATCHED,
	PERFDATA_CHANGE_IMPROVED,
	PERFDATA_CHANGE_MOVED,           /* inlining moved weight from one function to another */
	PERFDATA_CHANGE_ALLOWED,         /* the key regressed, and the allow list permits it */
	PERFDATA_CHANGE_REGRESSED,
};
/* "pass", "fail", …; "regressed", "noise", … Static storage. */
PERFDATA_API const char *perfdata_verdict_name(enum perfdata_verdict verdict);
PERFDATA_API const char *perfdata_change_name(enum perfdata_change change);

/* One quantity of a key: self cost, or inclusive cost (with callees). [0] is before, [1] is after. */
struct perfdata_compared {
	uint64_t samples[2], weight[2];
	double share[2];                 /* fraction of the side's weight, 0 to 1 */
	/* share[1] divided by the scale of the keys that this key is measured against */
	double compared;
	double delta;                    /* compared - share[0] */
	/* compared / share[0]; infinite for a new key; 1 if both are 0 */
	double ratio;
	double p, adjusted_p;            /* 1 for a key that is not judged */
	double dispersion;
	/* the smallest rise beyond the limits that these samples would have shown with a statistical power of 80 %;
	 * infinite if no rise would have been significant */
	double visible;
	enum perfdata_change change;
};
struct perfdata_comparison_row {
	const char *key;                 /* normalized: the function, thread, …; unique with `file` in its event */
	const char *file;                /* normalized, or "" */
	/* the name with most weight on each side, as recorded; NULL: the side lacks the key */
	const char *names[2];
	const char *raw_names[2];        /* mangled */
	unsigned clones[2];              /* number of names that normalize to this key */
	struct perfdata_compared self, inclusive;
	enum perfdata_change change;     /* the worse change of the two quantities */
	const char *reason;              /* set for ALLOWED and MOVED; else NULL */
	/* key of the callee whose rise explains this row's rise; NULL: the rise is its own */
	const char *cause;
};
struct perfdata_compared_side {
	uint64_t recordings, samples, weight;
	uint64_t named_weight;           /* weight of samples whose address has a name */
	double units;                    /* units of all recordings together; 0: unknown */
};
struct perfdata_comparison_event {
	const char *name;
	struct perfdata_compared_side sides[2];
	bool is_time;                    /* weights are nanoseconds */
	bool has_stacks;                 /* both sides have call chains, so that self and inclusive cost differ */
	/* share of the unchanged keys after : before. A key that may have changed is measured against all other keys:
	 * see `compared`. */
	double scale;
	double dispersion;               /* mean over all keys */
	bool dispersion_known;           /* measured from repeat runs */
	size_t nr_judged;                /* number of tests, for which p values are adjusted */
	/* change of the weight per unit of work; has_total: units are known */
	bool has_total;
	double total_ratio, total_p;
	enum perfdata_change total_change;
	size_t nr_rows;
};
/* A fact about the two sides that does not depend on the verdict. */
struct perfdata_comparison_note {
	const char *code;                /* such as "machine"; stable */
	const char *message;             /* one line */
	bool is_reason;                  /* a reason for the verdict `incomparable` or `inconclusive` */
};

struct perfdata_comparison;
/* PERFDATA_EUSAGE: a wrong option, with a message; a side without recordings; sides with different kinds of keys.
 * PERFDATA_ENOMEM. The comparison copies what it needs from both sides. */
PERFDATA_API enum perfdata_status perfdata_compare(const struct perfdata_baseline *before,
						   const struct perfdata_baseline *after,
						   const struct perfdata_comparison_options *options,
						   struct perfdata_comparison **ret, struct perfdata_error *reterr);
PERFDATA_API void perfdata_comparison_free(struct perfdata_comparison *comparison);
PERFDATA_API enum perfdata_verdict perfdata_comparison_verdict(const struct perfdata_comparison *comparison);
/* By index; NULL if there are fewer. Notes that are reasons come first. Rows are sorted by the size of their change,
 * then by file and key. Borrowed until the comparison is freed. */
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
