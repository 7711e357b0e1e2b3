/* SPDX-License-Identifier: MIT */
/* How much weight lies where: samples added up by event, by stack, and by what else the options ask for. One
 * aggregation for everything that sums samples up: folded stacks, reports, flame graphs, profiles of other tools,
 * comparisons.
 *
 * A stack is a node of the session's tree of stacks (PERFDATA_NEED_NODES): a node is (node of the caller, frame). Node
 * 0 is the root, which has no frame; a caller's id is always lower than the ids of its callees. Samples that share
 * callers share nodes.
 *
 * An emitter uses a profile in this way:
 *
 *     needs:   PERFDATA_NEED_DELIVERIES | _THREADS | _FRAMES | _NODES
 *     begin    pd_profile_new
 *     format   pd_profile_collect  any thread; the samples of one batch, handed on as the emitter's `part`
 *     merge    pd_profile_add      one batch at a time, in order
 *     end      pd_profile_finish; then the tables and walks below, in one thread
 *
 * The result depends on the recording alone, not on the number of threads. Sums grow with distinct keys; beyond the
 * session's limit of memory they go out in sorted runs to temporary files, and the walk merges them: nothing is
 * dropped. */
#ifndef PD_PROFILE_H
#define PD_PROFILE_H

#include "perfdata/compare.h"
#include "perfdata/session.h"

/* What distinguishes samples beside event and stack. */
enum pd_profile_parts {
	PD_BY_THREAD = 1,    /* the thread: pid, tid and which of the threads that had this tid one after the other */
	PD_BY_COMM = 2,      /* the name of the thread when the sample was taken */
	PD_BY_CPU = 4,
	PD_BY_SLICE = 8,     /* the slice of time */
};

/* What the caller will ask the session for at the end. It is loaded while samples are read. */
enum pd_profile_names { PD_NAMES_NONE, PD_NAMES_SYMBOLS, PD_NAMES_LINES };

struct pd_profile_options {
	uint32_t parts;      /* enum pd_profile_parts */
	/* beside `parts`, of events whose samples are occurrences: PD_BY_COMM, PD_BY_CPU */
	uint32_t parts_of_occurrences;
	uint64_t slice;      /* length of a slice in ns, with PD_BY_SLICE; not 0 */
	bool by_period;      /* a sample weighs its period; else 1 */
	enum pd_profile_names names;
	unsigned threads;    /* how many may load them: see pd_session_want_names */
	/* ends work on the finished profile with PERFDATA_EINTR; borrowed, may be NULL */
	const struct perfdata_cancel *cancel;
};

/* What a sample weighs: its period. If an event neither records periods nor has a fixed one, all periods would be 0 and
 * shares undefined: then each sample weighs 1. */
uint64_t pd_sample_weight(const struct perfdata_delivery *delivery);

/* Whether a sample of the event is something that happened, and says where that was: a tracepoint, a probe, a page
 * fault. Samples of clocks and counters say where time and work went. */
bool pd_samples_are_occurrences(const struct perfdata_event *event);

struct pd_profile_key {
	uint32_t event;      /* index: perfdata_reader_event */
	uint32_t thread;     /* pd_profile_thread; 0 if not asked for */
	uint32_t comm;       /* perfdata_session_comm; PERFDATA_NONE if not asked for or unknown */
	uint32_t cpu;        /* PERFDATA_NONE if not asked for or unknown */
	uint64_t slice;      /* time / length, so slice n begins at n * length ns; 0 if not asked for */
	/* the executing code: the last frame of the stack. 0: an empty or broken chain. A sample without a callchain
	 * has a node whose caller is the root, and whose origin is PD_ORIGIN_ALONE */
	uint32_t node;
};

/* Sums of weights saturate; `overflow` says that one did. */
struct pd_profile_sums {
	uint64_t samples, weight;
	uint64_t squares[2];         /* sum of squared weights: low and high half */
	bool overflow;
};
void pd_profile_sums_add(struct pd_profile_sums *sums, const struct pd_profile_sums *more);

struct pd_profile;
struct pd_profile_part;              /* the samples of one batch */

/* Borrows the session, whose memory account the profile draws from. PERFDATA_ENOMEM, PERFDATA_EUSAGE. */
enum perfdata_status pd_profile_new(const struct perfdata_session *session, const struct pd_profile_options *options,
				    struct pd_profile **ret);
void pd_profile_free(struct pd_profile *profile);

/* Takes the samples of a batch: deliveries of samples that are not silent and have an event. Any thread. */
enum perfdata_status pd_profile_collect(const struct pd_profile *profile, const struct perfdata_batch *batch,
					struct pd_profile_part **ret);
void pd_profile_part_free(void *part);   /* the emitter's free_part */
/* Takes the part over, also on failure. PERFDATA_ENOMEM, PERFDATA_EWRITE (a temporary file). */
enum perfdata_status pd_profile_add(struct pd_profile *profile, struct pd_profile_part *part);
/* The session that the profile was made from; it has the names. */
const struct perfdata_session *pd_profile_session(const struct pd_profile *profile);
/* The account that the profile draws from: results computed from a profile draw from it, too. NULL: there is no
 * limit. */
struct pd_account *pd_profile_account(const struct pd_profile *profile);
/* The account of a session, for emitters that keep something else than a profile. */
struct pd_account *pd_profile_account_of(const struct perfdata_session *session);
/* pd_session_object, for emitters. */
enum perfdata_status pd_profile_object_of(const struct perfdata_session *session, uint32_t frame,
					  uint64_t *ret_address, const char **ret);
/* Whether work on the profile is to end with PERFDATA_EINTR: asked for each entry and for each stack. */
bool pd_profile_is_cancelled(const struct pd_profile *profile);
/* Sorts the sums; to be called after the last part. */
enum perfdata_status pd_profile_finish(struct pd_profile *profile);

/* --- a profile that outlives its run ------------------------------------------------------------------------------ */

/* What a conversion keeps, so that emitters answer further questions without the recording. */
struct pd_profile_kept {
	struct pd_profile *profile;  /* finished; NULL: the run at hand gathers it */
	struct pd_profile *whole;    /* a profile derived from it for an answer about all threads; or NULL */
	const int32_t *tids;         /* the question is of samples of these threads; nr_tids 0: of all */
	size_t nr_tids;
	void *labels;                /* names of the frames of all stacks, made by an emitter; or NULL */
	void (*free_labels)(void *labels);
};
/* What a profile that is kept distinguishes, beside what its emitter asks for. */
#define PD_KEPT_PARTS (PD_BY_THREAD | PD_BY_COMM)
/* Makes a profile of `from`, which is finished, as if only samples of the threads of these tids (nr_tids 0: of all) had
 * been added up with these options. `from` lives longer than *ret, and loads names as it was asked to. PERFDATA_ABSENT:
 * it does not distinguish what the options ask for. PERFDATA_ENOMEM, PERFDATA_EREAD, PERFDATA_EWRITE,
 * PERFDATA_EINTR. */
enum perfdata_status pd_profile_derive(struct pd_profile *from, const struct pd_profile_options *options,
				       const int32_t *tids, size_t nr_tids, struct pd_profile **ret);
void pd_profile_kept_release(struct pd_profile_kept *kept);
/* The same of what is kept, for its tids; or the profile that an earlier answer left, if it is the same. */
enum perfdata_status pd_profile_kept_derive(struct pd_profile_kept *kept, const struct pd_profile_options *options,
					    struct pd_profile **ret);
/* Takes over a profile that was derived: keeps it for further answers if it is of all threads and nothing was left out,
 * as long as there is memory. */
void pd_profile_kept_leave(struct pd_profile_kept *kept, struct pd_profile *profile);
/* Replaces the object that ends work on the profile; NULL: none. */
void pd_profile_cancel_by(struct pd_profile *profile, const struct perfdata_cancel *cancel);

/* --- a part of the stacks ----------------------------------------------------------------------------------------- */

/* Excludes the keys for whose node `takes` sets *ret to false: from now on totals and walks cover the other keys. It
 * calls `takes` once for each node. Call it after pd_profile_finish; a second call excludes more. */
typedef enum perfdata_status pd_profile_takes_fn(void *user, uint32_t node, bool *ret);
enum perfdata_status pd_profile_choose(struct pd_profile *profile, pd_profile_takes_fn *takes, void *user);
/* Whether pd_profile_choose kept the keys of a node; for nodes at which samples end. */
bool pd_profile_has_node(const struct pd_profile *profile, uint32_t node);

/* --- totals ------------------------------------------------------------------------------------------------------- */

/* The sums of one event; NULL if the profile has no sample of the event. `event` is an index. */
const struct pd_profile_sums *pd_profile_event(const struct pd_profile *profile, uint32_t event);
uint32_t pd_profile_nr_events(const struct pd_profile *profile);   /* one above the highest index of a sample's event */
/* The same, including the keys that pd_profile_choose excluded. */
const struct pd_profile_sums *pd_profile_event_whole(const struct pd_profile *profile, uint32_t event);
/* The session's summary has the losses: lost_records and lost_samples. */

/* --- keys --------------------------------------------------------------------------------------------------------- */

struct pd_profile_entry {
	struct pd_profile_key key;
	struct pd_profile_sums sums;
};
/* All keys, in order of event, thread, comm, cpu, slice, node, as numbers. Several walks may be open, and a walk may be
 * started again. */
struct pd_profile_walk;
enum perfdata_status pd_profile_walk_new(struct pd_profile *profile, struct pd_profile_walk **ret);
/* PERFDATA_END after the last. *ret lives until the next call. PERFDATA_EREAD: a temporary file could not be read. */
enum perfdata_status pd_profile_walk_next(struct pd_profile_walk *walk, const struct pd_profile_entry **ret);
void pd_profile_walk_free(struct pd_profile_walk *walk);

struct pd_profile_thread {
	int32_t pid, tid;            /* -1: unknown */
	uint32_t generation;         /* 0 for the first thread with this pid and tid, 1 for the next one */
	uint32_t comm;               /* its last name among the samples */
};
uint32_t pd_profile_nr_threads(const struct pd_profile *profile);
/* The profile's number of a thread of the session (perfdata_delivery.thread); UINT32_MAX: it has no sample. */
uint32_t pd_profile_thread_number(const struct pd_profile *profile, uint32_t thread);
const struct pd_profile_thread *pd_profile_thread(const struct pd_profile *profile, uint32_t thread);

/* --- the tree of stacks ------------------------------------------------------------------------------------------- */

/* pd_profile_node's `origin` beside enum perfdata_step_origin. */
#define PD_ORIGIN_ALONE 3u           /* the address of a sample that has no callchain */
#define PD_ORIGIN_CUT 4u             /* unwound, and the last step that the recorded stack memory yields */

struct pd_profile_node {
	uint32_t caller;             /* node; 0: the root */
	uint32_t frame;              /* perfdata_session_frame, or PERFDATA_NONE: an address that belongs to nothing */
	uint64_t ip;                 /* that address, where frame is PERFDATA_NONE; else 0 */
	uint16_t cpumode;            /* enum perfdata_cpumode, where frame is PERFDATA_NONE */
	uint16_t origin;             /* enum perfdata_step_origin, or PD_ORIGIN_ALONE */
};
/* Not for the root. PERFDATA_EREAD: a temporary file could not be read. */
enum perfdata_status pd_profile_node(struct pd_profile *profile, uint32_t node, struct pd_profile_node *ret);

/* --- for other rooms --- */

/* Whether bytes begin as a baseline does. */
bool pd_baseline_is(const void *bytes, size_t size);

#endif
